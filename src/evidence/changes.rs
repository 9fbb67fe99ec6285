//! What of the board's picture changed from reading to reading, whether blocks explain it or not.

use crate::model::{Cell, Grid, Stamp};

/// Two colours further apart than this in any channel are two colours; less is noise of scaling and smoothing.
const APART: u8 = 36;
/// Changes kept; the oldest half is dropped beyond.
const KEPT: usize = 60_000;

/// Cells that looked different from one reading to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The reading in which they were different.
    pub stamp: Stamp,
    /// Which, row by row.
    pub cells: Vec<(i32, i32)>,
    /// Those among them that held a block before and hold one still: something was drawn over them.
    pub over: Vec<(i32, i32)>,
}

/// All changes, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes(Vec<Change>);

/// Do two cells look different?
fn differ(a: Cell, b: Cell) -> bool {
    a.state != b.state || (0..3).any(|i| a.colour[i].abs_diff(b.colour[i]) > APART)
}

/// The places of cells that look different in two grids; all of the second's if their sizes differ.
pub fn difference(a: &Grid, b: &Grid) -> Vec<(i32, i32)> {
    let alike = (a.columns(), a.rows()) == (b.columns(), b.rows());
    let width = usize::from(b.columns().max(1));
    b.cells()
        .iter()
        .enumerate()
        .filter(|(i, cell)| !alike || a.cells().get(*i).is_none_or(|c| differ(*c, **cell)))
        .map(|(i, _)| ((i % width) as i32, (i / width) as i32))
        .collect()
}

impl Changes {
    pub fn see(&mut self, stamp: Stamp, before: &Grid, now: &Grid) {
        let cells = difference(before, now);
        if cells.is_empty() {
            return;
        }
        let over = cells
            .iter()
            .filter(|(c, r)| before.is_filled(*c, *r) && now.is_filled(*c, *r))
            .copied()
            .collect();
        if self.0.len() >= KEPT {
            self.0.drain(..KEPT / 2);
        }
        self.0.push(Change { stamp, cells, over });
    }

    pub fn between(&self, from: u64, until: u64) -> &[Change] {
        let first = self.0.partition_point(|c| c.stamp.seq < from);
        let end = self.0.partition_point(|c| c.stamp.seq <= until);
        &self.0[first.min(end)..end]
    }
}
