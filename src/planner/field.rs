//! Boards and pieces as bits.

use super::Turned;
use crate::model::Grid;

/// Settled blocks: a word a row, a bit a column; row 0 is the top.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    columns: u8,
    rows: Vec<u64>,
}

/// Cells without a place, their least column and row 0. At most 8 by 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Form {
    bits: [u8; 8],
    columns: u8,
    rows: u8,
}

/// A form at a place: its least column and its least row, which is negative above the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placed {
    /// Its cells.
    pub form: Form,
    /// The column of its left edge.
    pub column: i32,
    /// The row of its upper edge.
    pub row: i32,
}

impl Form {
    /// Of some cells, `(column, row)`; `None` if there is none or they do not fit into 8 by 8.
    pub fn of(cells: &[(i32, i32)]) -> Option<Self> {
        let left = cells.iter().map(|c| c.0).min()?;
        let top = cells.iter().map(|c| c.1).min()?;
        let mut form = Self {
            bits: [0; 8],
            columns: 0,
            rows: 0,
        };
        for &(c, r) in cells {
            let (c, r) = (c - left, r - top);
            if c > 7 || r > 7 {
                return None;
            }
            form.bits[r as usize] |= 1 << c;
            form.columns = form.columns.max(c as u8 + 1);
            form.rows = form.rows.max(r as u8 + 1);
        }
        Some(form)
    }

    /// Columns it is wide.
    pub fn columns(self) -> i32 {
        i32::from(self.columns)
    }

    /// Rows it is high.
    pub fn rows(self) -> i32 {
        i32::from(self.rows)
    }

    /// Its cells, row by row.
    pub fn cells(self) -> Vec<(i32, i32)> {
        (0..self.rows())
            .flat_map(|r| (0..self.columns()).map(move |c| (c, r)))
            .filter(|&(c, r)| self.bits[r as usize] >> c & 1 == 1)
            .collect()
    }

    /// How many cells.
    pub fn count(self) -> u32 {
        self.bits.iter().map(|b| b.count_ones()).sum()
    }

    fn row(self, r: i32) -> u64 {
        u64::from(self.bits[r as usize])
    }
}

impl Placed {
    /// Cells of the board as a form at a place.
    pub fn of(cells: &[(i32, i32)]) -> Option<Self> {
        Some(Self {
            form: Form::of(cells)?,
            column: cells.iter().map(|c| c.0).min()?,
            row: cells.iter().map(|c| c.1).min()?,
        })
    }

    /// Its cells on the board.
    pub fn cells(&self) -> Vec<(i32, i32)> {
        let cells = self.form.cells().into_iter();
        cells
            .map(|(c, r)| (c + self.column, r + self.row))
            .collect()
    }

    /// Turned.
    #[must_use]
    pub fn turned(self, to: Turned) -> Self {
        Self {
            form: to.form,
            ..self
        }
        .moved(to.columns, to.rows)
    }

    /// Moved by columns and rows.
    #[must_use]
    pub fn moved(self, columns: i32, rows: i32) -> Self {
        Self {
            column: self.column + columns,
            row: self.row + rows,
            ..self
        }
    }
}

impl Field {
    /// The widest board.
    pub const MAX_COLUMNS: u16 = 63;

    /// An empty board; `None` if it has no cells or is wider than [`Self::MAX_COLUMNS`].
    pub fn new(columns: u16, rows: u16) -> Option<Self> {
        (columns > 0 && rows > 0 && columns <= Self::MAX_COLUMNS).then(|| Self {
            columns: columns as u8,
            rows: vec![0; usize::from(rows)],
        })
    }

    /// The blocks of a grid; ghosts are none. `None` as in [`Field::new`].
    pub fn of(grid: &Grid) -> Option<Self> {
        let mut field = Self::new(grid.columns(), grid.rows())?;
        for (c, r) in grid.filled_cells() {
            field.rows[r as usize] |= 1 << c;
        }
        Some(field)
    }

    /// Columns.
    pub fn columns(&self) -> i32 {
        i32::from(self.columns)
    }

    /// Rows.
    pub fn rows(&self) -> i32 {
        self.rows.len() as i32
    }

    /// The rows from the top, a bit a column.
    pub fn bits(&self) -> &[u64] {
        &self.rows
    }

    /// A row without a gap.
    pub fn full(&self) -> u64 {
        (1 << self.columns) - 1
    }

    /// Is there a block? Places off the board have none.
    pub fn has(&self, column: i32, row: i32) -> bool {
        (0..self.columns()).contains(&column)
            && usize::try_from(row)
                .is_ok_and(|r| self.rows.get(r).is_some_and(|b| b >> column & 1 == 1))
    }

    /// The row of the topmost block of a column; the number of rows where there is none.
    pub fn top(&self, column: i32) -> i32 {
        let of = |r: &u64| r >> column & 1 == 1;
        self.rows
            .iter()
            .position(of)
            .map_or(self.rows(), |r| r as i32)
    }

    /// The row of the topmost block; the number of rows on an empty board.
    pub fn highest(&self) -> i32 {
        let any = self.rows.iter().position(|r| *r != 0);
        any.map_or(self.rows(), |r| r as i32)
    }

    /// Between the walls, above the floor and on no block? Above the upper edge is free.
    pub fn fits(&self, p: Placed) -> bool {
        if p.column < 0
            || p.column + p.form.columns() > self.columns()
            || p.row + p.form.rows() > self.rows()
        {
            return false;
        }
        (0..p.form.rows()).all(|i| {
            let r = p.row + i;
            r < 0 || self.rows[r as usize] & (p.form.row(i) << p.column) == 0
        })
    }

    /// Straight down as far as it goes.
    pub fn landed(&self, p: Placed) -> Placed {
        let mut at = p;
        while self.fits(at.moved(0, 1)) {
            at.row += 1;
        }
        at
    }

    /// With a piece that has come to rest, before any row is cleared. `None` if part of it is above the board.
    pub fn with(&self, p: Placed) -> Option<Self> {
        if p.row < 0 || !self.fits(p) {
            return None;
        }
        let mut field = self.clone();
        for i in 0..p.form.rows() {
            field.rows[(p.row + i) as usize] |= p.form.row(i) << p.column;
        }
        Some(field)
    }

    /// Rows without a gap, from the top.
    pub fn complete(&self) -> Vec<i32> {
        let full = self.full();
        (0..self.rows())
            .filter(|r| self.rows[*r as usize] == full)
            .collect()
    }

    /// Takes the complete rows out, what is above them moves down. Gives how many there were.
    pub fn clear(&mut self) -> u32 {
        let full = self.full();
        let n = self.rows.iter().filter(|r| **r == full).count();
        if n > 0 {
            self.rows.retain(|r| *r != full);
            self.rows.splice(0..0, std::iter::repeat_n(0, n));
        }
        n as u32
    }

    /// With every row from `top` down filled in a column.
    #[must_use]
    pub fn with_column(&self, column: i32, top: i32) -> Self {
        let mut field = self.clone();
        for r in field.rows.iter_mut().skip(top.max(0) as usize) {
            *r |= 1 << column;
        }
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(art: &str) -> Field {
        Field::of(&Grid::from_ascii(art)).unwrap_or_else(|| unreachable!())
    }

    #[test]
    fn a_piece_lands_on_what_is_below_it_and_full_rows_go() {
        let f = field(
            "....
             ....
             x..x
             xx.x",
        );
        let i = Placed::of(&[(2, -2), (2, -1), (2, 0), (2, 1)]).unwrap_or_else(|| unreachable!());
        assert!(f.fits(i));
        let at = f.landed(i);
        assert_eq!(at.row, 0);
        let mut then = f.with(at).unwrap_or_else(|| unreachable!());
        assert_eq!(then.complete(), [3]);
        assert_eq!(then.clear(), 1);
        assert_eq!(
            then,
            field(
                "....
                 ..x.
                 ..x.
                 x.xx",
            )
        );
    }

    #[test]
    fn walls_floor_and_blocks_stop_and_the_top_does_not() {
        let f = field("....\n.x..");
        let dot = |c, r| Placed::of(&[(0, 0)]).map(|p| f.fits(p.moved(c, r)));
        assert_eq!(dot(0, -3), Some(true));
        assert_eq!(dot(-1, 0), Some(false));
        assert_eq!(dot(4, 0), Some(false));
        assert_eq!(dot(1, 1), Some(false));
        assert_eq!(dot(0, 2), Some(false));
    }

    #[test]
    fn boards_of_no_size_or_too_wide_are_refused() {
        assert!(Field::new(0, 5).is_none() && Field::new(64, 5).is_none());
        assert!(Field::new(63, 99).is_some());
        assert!(Form::of(&[]).is_none() && Form::of(&[(0, 0), (9, 0)]).is_none());
    }
}
