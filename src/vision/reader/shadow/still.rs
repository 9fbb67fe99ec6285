//! Ghosts in a picture in which nothing changed but whole rows.
//!
//! Comes in: a grid and the one before it. Goes out: the ghosts that still are.
//! Must never know: pixels, keys, the rules.

use super::super::near;
use crate::model::{Cell, CellState, Grid};

/// Two looks of a cell this near are one, in steps of the channels.
const SAME_LOOK: u8 = 8;

/// Marks what was a ghost in the picture before and looks as it did, where only whole rows took on another look.
///
/// A page that lights up the rows it is about to clear lights up the part of the ghost in them, too, often before it takes
/// the piece from where it was dropped: what is left of the ghost no longer has the piece's shape.
pub fn keep(grid: &mut Grid, last: &Grid) {
    let at = |g: &Grid, c, r| g.get(c, r).copied().unwrap_or_default();
    let columns = i32::from(grid.columns());
    let (mut ghosts, mut lit) = (Vec::new(), false);
    for r in 0..i32::from(grid.rows()) {
        let pairs = || (0..columns).map(|c| (at(grid, c, r), at(last, c, r)));
        let ghostly = |now: &Cell, was: &Cell| {
            was.state == CellState::Ghost && matches!(now.state, CellState::Filled)
        };
        let still = pairs().all(|(now, was)| {
            near(now.colour, was.colour, SAME_LOOK)
                && (now.state == was.state || ghostly(&now, &was))
        });
        if still {
            let kept = (0..columns).filter(|&c| ghostly(&at(grid, c, r), &at(last, c, r)));
            ghosts.extend(kept.map(|c| (c, r)));
        } else if pairs().all(|(now, _)| now.state == CellState::Filled) {
            lit = true;
        } else {
            return;
        }
    }
    if lit {
        super::mark(grid, &ghosts);
    }
}
