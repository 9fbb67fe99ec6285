use crate::model::{Grid, Shape};

/// A place on the board, `(column, row)`.
pub type Place = (i32, i32);

/// Which cells of a board hold a block: a bit a cell, at most 64 columns.
///
/// The compact form in which grids are compared and kept; colours and confidence are gone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Blocks {
    columns: u16,
    rows: Vec<u64>,
}

impl Blocks {
    /// The widest board that fits.
    pub const MAX_COLUMNS: u16 = 64;

    /// Rows that one piece fills at most, pieces of five cells included.
    const MOST_ROWS: usize = 5;

    /// An empty board. Columns beyond [`Self::MAX_COLUMNS`] are left out.
    pub fn new(columns: u16, rows: u16) -> Self {
        Self {
            columns: columns.min(Self::MAX_COLUMNS),
            rows: vec![0; usize::from(rows)],
        }
    }

    /// The blocks of a grid; ghosts are none.
    pub fn of(grid: &Grid) -> Self {
        let mut blocks = Self::new(grid.columns(), grid.rows());
        for place in grid.filled_cells() {
            blocks.put(place);
        }
        blocks
    }

    /// Columns.
    pub fn columns(&self) -> u16 {
        self.columns
    }

    /// Rows.
    pub fn rows(&self) -> u16 {
        self.rows.len() as u16
    }

    /// Is the place on the board?
    pub fn is_inside(&self, (c, r): Place) -> bool {
        c >= 0 && r >= 0 && c < i32::from(self.columns) && (r as usize) < self.rows.len()
    }

    /// Is there a block? Places off the board have none.
    pub fn has(&self, place: Place) -> bool {
        self.is_inside(place) && self.rows[place.1 as usize] >> place.0 & 1 == 1
    }

    /// Puts a block; off the board nothing happens.
    pub fn put(&mut self, place: Place) {
        if self.is_inside(place) {
            self.rows[place.1 as usize] |= 1 << place.0;
        }
    }

    /// With these places filled as well.
    #[must_use]
    pub fn with(&self, places: &[Place]) -> Self {
        let mut all = self.clone();
        for &p in places {
            all.put(p);
        }
        all
    }

    /// The blocks that `other` does not have. Boards of another size have nothing in common.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut left = self.clone();
        for (row, taken) in left.rows.iter_mut().zip(&other.rows) {
            *row &= !taken;
        }
        left
    }

    /// The blocks without these places.
    #[must_use]
    pub fn without(&self, places: &[Place]) -> Self {
        self.minus(&Self::new(self.columns, self.rows()).with(places))
    }

    /// Does `other` have every block of this?
    pub fn is_within(&self, other: &Self) -> bool {
        self.rows.iter().zip(&other.rows).all(|(a, b)| a & !b == 0)
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.rows.iter().map(|r| r.count_ones() as usize).sum()
    }

    /// No block at all?
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|r| *r == 0)
    }

    /// The places of the blocks, row by row.
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (r, row) in self.rows.iter().enumerate() {
            let mut bits = *row;
            while bits != 0 {
                places.push((bits.trailing_zeros() as i32, r as i32));
                bits &= bits - 1;
            }
        }
        places
    }

    fn full(&self) -> u64 {
        if self.columns == 64 {
            u64::MAX
        } else {
            (1 << self.columns) - 1
        }
    }

    /// The rows without a gap, from the top.
    pub fn complete_rows(&self) -> Vec<u16> {
        let full = self.full();
        (0..self.rows())
            .filter(|&r| self.columns > 0 && self.rows[usize::from(r)] == full)
            .collect()
    }

    /// The rows without a gap, if a clear may take them out; none if there are more than one piece can fill: a layer over
    /// the board, or a game that clears nothing.
    pub fn clearable_rows(&self) -> Vec<u16> {
        let full = self.complete_rows();
        if full.len() > Self::MOST_ROWS {
            return Vec::new();
        }
        full
    }

    /// With these rows emptied, the rest left where it is.
    #[must_use]
    pub fn blanked(&self, rows: &[u16]) -> Self {
        let mut left = self.clone();
        for &r in rows {
            if let Some(row) = left.rows.get_mut(usize::from(r)) {
                *row = 0;
            }
        }
        left
    }

    /// With these rows filled.
    #[must_use]
    pub fn filled(&self, rows: &[u16]) -> Self {
        let full = self.full();
        let mut all = self.clone();
        for &r in rows {
            if let Some(row) = all.rows.get_mut(usize::from(r)) {
                *row = full;
            }
        }
        all
    }

    /// Those of these rows in which at least half of the places that are free in `stack` hold a block.
    pub fn lit(&self, rows: &[u16], stack: &Self) -> Vec<u16> {
        let free = |r: u16| self.full() & !stack.rows.get(usize::from(r)).copied().unwrap_or(!0);
        let is_lit = |&r: &u16| {
            let held = self.rows.get(usize::from(r)).copied().unwrap_or(0) & free(r);
            held != 0 && held.count_ones() * 2 >= free(r).count_ones()
        };
        rows.iter().copied().filter(is_lit).collect()
    }

    /// With these rows as they are in `stack`.
    #[must_use]
    pub fn unlit(&self, rows: &[u16], stack: &Self) -> Self {
        let mut all = self.clone();
        for &r in rows {
            let r = usize::from(r);
            if let (Some(row), Some(dark)) = (all.rows.get_mut(r), stack.rows.get(r)) {
                *row = *dark;
            }
        }
        all
    }

    /// With these rows taken out and everything above each moved down by one.
    #[must_use]
    pub fn collapsed(&self, rows: &[u16]) -> Self {
        let mut kept: Vec<u64> = (0..self.rows())
            .filter(|r| !rows.contains(r))
            .map(|r| self.rows[usize::from(r)])
            .collect();
        let mut all = vec![0; self.rows.len() - kept.len()];
        all.append(&mut kept);
        Self {
            columns: self.columns,
            rows: all,
        }
    }

    /// The rows that go where full rows are taken out one by one, by numbers that were true before the first one was: from
    /// below with what is above moved down each time, or from above with nothing moved until the end. A common fault of
    /// pages. Only what differs from the full rows themselves.
    pub fn slipped(&self, full: &[u16]) -> Vec<Vec<u16>> {
        let takes = |from_below: bool| {
            let mut left: Vec<Option<u16>> = (0..self.rows()).map(Some).collect();
            let mut gone = Vec::new();
            for n in 0..full.len() {
                let r = usize::from(full[if from_below { full.len() - 1 - n } else { n }]);
                if r < left.len() {
                    gone.extend(left.remove(r));
                }
                if from_below {
                    left.insert(0, None);
                }
            }
            gone.sort_unstable();
            gone
        };
        let mut sets = vec![takes(true), takes(false)];
        sets.retain(|gone| gone != full && gone.len() == full.len());
        sets
    }

    /// Does any of the cells stand on the floor or on a block of this (that isn't one of the cells)?
    pub fn supports(&self, cells: &[Place]) -> bool {
        cells.iter().any(|&(c, r)| {
            let below = (c, r + 1);
            !cells.contains(&below) && (below.1 >= i32::from(self.rows()) || self.has(below))
        })
    }

    /// Are all cells inside, with none of them on a block?
    pub fn is_free(&self, cells: &[Place]) -> bool {
        cells.iter().all(|&p| self.is_inside(p) && !self.has(p))
    }

    /// The cells moved straight down as far as they go.
    pub fn landing(&self, cells: &[Place]) -> Vec<Place> {
        let mut at = cells.to_vec();
        loop {
            let next = shifted(&at, 0, 1);
            if !self.is_free(&next) {
                return at;
            }
            at = next;
        }
    }

    /// The groups of blocks that hang together by their edges, topmost first.
    pub fn groups(&self) -> Vec<Vec<Place>> {
        let mut left = self.clone();
        let mut groups = Vec::new();
        for start in self.places() {
            if !left.has(start) {
                continue;
            }
            let mut group = vec![start];
            left.rows[start.1 as usize] &= !(1 << start.0);
            let mut i = 0;
            while i < group.len() {
                let (c, r) = group[i];
                for next in [(c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)] {
                    if left.has(next) {
                        left.rows[next.1 as usize] &= !(1 << next.0);
                        group.push(next);
                    }
                }
                i += 1;
            }
            group.sort_unstable_by_key(|p| (p.1, p.0));
            groups.push(group);
        }
        groups
    }

    /// For each column the rows of its blocks, from the bottom.
    pub fn by_column(&self) -> Vec<Vec<u16>> {
        (0..i32::from(self.columns))
            .map(|c| {
                (0..self.rows())
                    .rev()
                    .filter(|&r| self.has((c, i32::from(r))))
                    .collect()
            })
            .collect()
    }
}

/// Cells moved by some columns and rows.
pub fn shifted(cells: &[Place], columns: i32, rows: i32) -> Vec<Place> {
    cells
        .iter()
        .map(|&(c, r)| (c + columns, r + rows))
        .collect()
}

/// Least column and least row.
pub fn corner(cells: &[Place]) -> Place {
    (
        cells.iter().map(|c| c.0).min().unwrap_or(0),
        cells.iter().map(|c| c.1).min().unwrap_or(0),
    )
}

/// A shape put so that its corner is at a place.
pub fn placed(shape: &Shape, (c, r): Place) -> Vec<Place> {
    shifted(shape.cells(), c, r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_taken_out_move_down_only_what_was_above() {
        let b = Blocks::of(&Grid::from_ascii(
            "x...
             xxxx
             .x..
             xxxx
             ..x.",
        ));
        assert_eq!(b.complete_rows(), [1, 3]);
        assert_eq!(b.collapsed(&[1, 3]).places(), [(0, 2), (1, 3), (2, 4)]);
        assert_eq!(b.blanked(&[1, 3]).places(), [(0, 0), (1, 2), (2, 4)]);
    }

    #[test]
    fn rows_taken_out_by_stale_numbers() {
        let b = Blocks::new(4, 10);
        assert_eq!(b.slipped(&[9]), Vec::<Vec<u16>>::new());
        assert_eq!(b.slipped(&[4, 5]), [vec![3, 5], vec![4, 6]]);
        // The ninth row is past the end by then.
        assert_eq!(b.slipped(&[6, 7, 9]), [vec![4, 6, 9]]);
    }

    #[test]
    fn a_piece_lands_on_the_stack_or_the_floor() {
        let b = Blocks::of(&Grid::from_ascii(
            "....
             ....
             x...",
        ));
        assert_eq!(b.landing(&[(0, 0), (1, 0)]), [(0, 1), (1, 1)]);
        assert_eq!(b.landing(&[(1, 0)]), [(1, 2)]);
        assert!(b.supports(&[(0, 1)]) && !b.supports(&[(1, 1)]));
    }
}
