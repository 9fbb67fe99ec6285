use super::{ActivePiece, PieceKind};
use serde::{Deserialize, Serialize};

/// What a cell holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CellState {
    /// Looks as it looks when nothing is there.
    #[default]
    Empty,
    /// A block, of the stack or of the falling piece.
    Filled,
    /// The shadow of the falling piece at its landing place. Counts as empty.
    Ghost,
}

/// One cell as it was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// What it holds.
    pub state: CellState,
    /// Its mean colour.
    pub colour: [u8; 3],
    /// How sure the reader is, 0 (no idea) to 255.
    pub confidence: u8,
}

/// How blocks lie that were drawn between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Between {
    /// Between two rows alone, so many hundredths of a row below the upper one. The grid has them where most of them is.
    Rows(u8),
    /// Between two columns, or in no one way: the grid means little.
    Columns,
}

/// A decoded grid. Column 0 is the left, row 0 the top.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grid {
    columns: u16,
    rows: u16,
    cells: Vec<Cell>,
    /// What was drawn between two cells.
    #[serde(default)]
    between: Option<Between>,
}

impl Grid {
    /// An empty grid.
    pub fn new(columns: u16, rows: u16) -> Self {
        Self {
            columns,
            rows,
            cells: vec![Cell::default(); usize::from(columns) * usize::from(rows)],
            between: None,
        }
    }

    /// A grid from cells row by row; `None` unless there are exactly `columns * rows`.
    pub fn from_cells(columns: u16, rows: u16, cells: Vec<Cell>) -> Option<Self> {
        (cells.len() == usize::from(columns) * usize::from(rows)).then_some(Self {
            columns,
            rows,
            cells,
            between: None,
        })
    }

    /// A grid drawn as text, a line a row: `.` or a space is empty, `+` a ghost, anything else filled.
    /// Lines that are blank at either end of the text are left out; short lines are empty at their right.
    /// Made for tests.
    pub fn from_ascii(art: &str) -> Self {
        let lines: Vec<&str> = art
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .collect();
        let columns = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
        let mut grid = Self::new(columns as u16, lines.len() as u16);
        for (r, line) in lines.iter().enumerate() {
            for (c, ch) in line.chars().enumerate() {
                let state = match ch {
                    '.' | ' ' => CellState::Empty,
                    '+' => CellState::Ghost,
                    _ => CellState::Filled,
                };
                // The letter stands in for a colour, so that different letters are different colours.
                let colour = if state == CellState::Filled {
                    [ch as u32 as u8, 128, 200]
                } else {
                    [0; 3]
                };
                grid.set(
                    c as i32,
                    r as i32,
                    Cell {
                        state,
                        colour,
                        confidence: 255,
                    },
                );
            }
        }
        grid
    }

    /// The grid drawn as text, as [`Grid::from_ascii`] reads it: `.` empty, `+` ghost, `#` filled.
    pub fn to_ascii(&self) -> String {
        let mut out = String::new();
        for row in self.cells.chunks(usize::from(self.columns).max(1)) {
            out.extend(row.iter().map(|c| match c.state {
                CellState::Empty => '.',
                CellState::Ghost => '+',
                CellState::Filled => '#',
            }));
            out.push('\n');
        }
        out
    }

    /// What was drawn between two cells, on its way from one to the other; `None` where all lay in theirs.
    pub fn between(&self) -> Option<Between> {
        self.between
    }

    /// Says what was drawn between two cells.
    pub fn set_between(&mut self, between: Option<Between>) {
        self.between = between;
    }

    /// Columns.
    pub fn columns(&self) -> u16 {
        self.columns
    }

    /// Rows.
    pub fn rows(&self) -> u16 {
        self.rows
    }

    /// All cells, row by row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    fn index(&self, column: i32, row: i32) -> Option<usize> {
        (column >= 0 && row >= 0 && column < i32::from(self.columns) && row < i32::from(self.rows))
            .then(|| row as usize * usize::from(self.columns) + column as usize)
    }

    /// A cell; `None` outside the grid.
    pub fn get(&self, column: i32, row: i32) -> Option<&Cell> {
        self.index(column, row).map(|i| &self.cells[i])
    }

    /// Puts a cell; outside the grid nothing happens.
    pub fn set(&mut self, column: i32, row: i32, cell: Cell) {
        if let Some(i) = self.index(column, row) {
            self.cells[i] = cell;
        }
    }

    /// Is there a block? Ghosts and places outside the grid are none.
    pub fn is_filled(&self, column: i32, row: i32) -> bool {
        self.get(column, row)
            .is_some_and(|c| c.state == CellState::Filled)
    }

    /// The places of all blocks as `(column, row)`, row by row.
    pub fn filled_cells(&self) -> Vec<(i32, i32)> {
        let w = usize::from(self.columns);
        self.cells
            .iter()
            .enumerate()
            .filter(|(_, c)| c.state == CellState::Filled)
            .map(|(i, _)| ((i % w) as i32, (i / w) as i32))
            .collect()
    }

    /// How many blocks.
    pub fn filled_count(&self) -> usize {
        self.cells
            .iter()
            .filter(|c| c.state == CellState::Filled)
            .count()
    }

    /// How many blocks in the lowest `n` rows.
    pub fn filled_in_bottom(&self, n: u16) -> usize {
        let from = usize::from(self.rows.saturating_sub(n)) * usize::from(self.columns);
        self.cells[from..]
            .iter()
            .filter(|c| c.state == CellState::Filled)
            .count()
    }

    /// How many blocks in the highest `n` rows.
    pub fn filled_in_top(&self, n: u16) -> usize {
        let to = usize::from(n.min(self.rows)) * usize::from(self.columns);
        self.cells[..to]
            .iter()
            .filter(|c| c.state == CellState::Filled)
            .count()
    }

    /// Are there blocks in the highest `n` rows, but none that is part of a pile? Those of a pile hang together with blocks
    /// below these rows, by sides or corners.
    pub fn hangs_in_top(&self, n: u16) -> bool {
        let to = i32::from(n.min(self.rows));
        let below = (0..i32::from(self.columns)).map(|c| (c, to));
        let near = |(c, r): (i32, i32)| (-1..=1).map(move |by| (c + by, r - 1));
        self.filled_in_top(n) > 0
            && !below
                .filter(|b| self.is_filled(b.0, b.1))
                .flat_map(near)
                .any(|(c, r)| self.is_filled(c, r))
    }

    /// The rows without a gap, from the top.
    pub fn complete_rows(&self) -> Vec<u16> {
        (0..self.rows)
            .filter(|&r| (0..self.columns).all(|c| self.is_filled(i32::from(c), i32::from(r))))
            .collect()
    }

    /// Mean confidence of the cells, 0 to 1.
    pub fn confidence(&self) -> f64 {
        if self.cells.is_empty() {
            return 0.0;
        }
        let sum: u64 = self.cells.iter().map(|c| u64::from(c.confidence)).sum();
        sum as f64 / (255.0 * self.cells.len() as f64)
    }
}

/// A grid and what follows from it at once: the form in which readings are asked for and exported.
#[derive(Debug, Clone, PartialEq)]
pub struct GridSnapshot {
    /// The blocks; `None` if reading failed.
    pub grid: Option<Grid>,
    /// The falling piece's cells as `(column, row)`; `None` if there is none or it can't be told from the stack.
    pub active_piece_cells: Option<Vec<(i32, i32)>>,
    /// The falling piece's kind; `None` if there is none or it is no tetromino.
    pub active_piece_type: Option<PieceKind>,
}

impl GridSnapshot {
    /// A snapshot of a reading.
    pub fn new(grid: Option<Grid>, active: Option<&ActivePiece>) -> Self {
        Self {
            grid,
            active_piece_cells: active.map(|a| a.cells.clone()),
            active_piece_type: active.and_then(|a| a.kind),
        }
    }

    /// Blocks in all; 0 if reading failed.
    pub fn filled_count(&self) -> usize {
        self.grid.as_ref().map_or(0, Grid::filled_count)
    }

    /// Blocks in the lowest `rows` rows.
    pub fn filled_in_bottom(&self, rows: u16) -> usize {
        self.grid.as_ref().map_or(0, |g| g.filled_in_bottom(rows))
    }

    /// Is any cell of the highest `rows` rows filled?
    pub fn has_filled_in_top(&self, rows: u16) -> bool {
        self.grid
            .as_ref()
            .is_some_and(|g| g.filled_in_top(rows) > 0)
    }

    /// Rows without a gap.
    pub fn complete_rows(&self) -> usize {
        self.grid.as_ref().map_or(0, |g| g.complete_rows().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_from_the_right_rows_and_a_ghost_is_empty() {
        let g = Grid::from_ascii(
            "T.....
             ..++..
             xxxxxx
             xx.xxx",
        );
        let s = GridSnapshot::new(Some(g.clone()), None);
        assert_eq!(s.filled_count(), 12);
        assert_eq!(s.filled_in_bottom(1), 5);
        assert_eq!(s.filled_in_bottom(99), 12);
        assert!(s.has_filled_in_top(1));
        assert_eq!(s.complete_rows(), 1);
        assert_eq!(g.complete_rows(), [2]);
        assert!(!g.is_filled(2, 1) && !g.is_filled(-1, 0) && !g.is_filled(0, 4));
    }

    #[test]
    fn what_hangs_alone_in_the_highest_rows_is_no_pile() {
        let check = |ascii: &str, top: u16, hangs: bool| {
            assert_eq!(Grid::from_ascii(ascii).hangs_in_top(top), hangs, "{ascii}");
        };
        let apart = "xxxxx
             ..x..
             .....
             x...x";
        check(apart, 2, true);
        // What is on the row below is none of the highest, and hangs together with them.
        check(apart, 1, false);
        let stands = "....x
             .x...
             ..x..
             .xx..";
        check(stands, 2, false);
        check(stands, 1, true);
        check("...\n.x.\n.x.", 1, false);
    }
}
