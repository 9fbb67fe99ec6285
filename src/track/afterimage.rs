//! A piece that completed rows may still be drawn where it locked, until the page draws its board anew: a likeness of
//! blocks that are gone. In: what was believed, a reading. Out: how the board may look then, and readings without the
//! likeness. What a page ought to draw is not known here.

use super::State;
use super::blocks::{Blocks, Place, corner};
use crate::model::{CellState, Grid};
use std::sync::Arc;

/// What it costs to believe in one.
pub const COST: i32 = 4;
/// Game milliseconds for which it shows, at least, where it is no moment of a clear that is being shown.
pub const STAYS_MS: f64 = 400.0;

/// What shows beside the stack `after` the rows that the piece at these cells completed are gone, if it is still drawn
/// there. Empty: nothing does.
pub fn left(after: &Blocks, at: &[Place]) -> Vec<Place> {
    at.iter().copied().filter(|p| !after.has(*p)).collect()
}

/// What of an afterimage can still be seen.
pub fn still(state: &State, now: &Blocks) -> Vec<Place> {
    let seen = |p: &Place| now.has(*p) && !state.stack.has(*p);
    state.afterimage.iter().copied().filter(seen).collect()
}

/// A reading without the afterimage: all of it, or all but what is near the piece, which may cover it on its way.
pub fn without(state: &State, now: &Blocks) -> Vec<Blocks> {
    if state.afterimage.is_empty() {
        return Vec::new();
    }
    let mut all = vec![now.without(&state.afterimage)];
    if let Some(piece) = &state.piece {
        let cells = &piece.active.cells;
        let (left, top) = corner(cells);
        let right = cells.iter().map(|p| p.0).max().unwrap_or(left);
        let bottom = cells.iter().map(|p| p.1).max().unwrap_or(top);
        let near = |p: &Place| {
            (left - 1..=right + 1).contains(&p.0) && (top - 1..=bottom + 1).contains(&p.1)
        };
        let (close, far): (Vec<Place>, Vec<Place>) =
            state.afterimage.iter().copied().partition(near);
        // Each of those that are near may be covered, or not.
        let few = close.len().min(4);
        for mask in (1..1u32 << few).rev() {
            let kept = |i: usize| mask >> i & 1 == 1;
            let mut gone = far.clone();
            gone.extend(
                close
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| !kept(*i))
                    .map(|(_, p)| *p),
            );
            all.push(now.without(&gone));
        }
    }
    all
}

/// A grid on which these cells are no blocks, but a likeness of some.
pub fn faint(grid: &Arc<Grid>, cells: &[Place]) -> Arc<Grid> {
    with(grid, cells, CellState::Ghost)
}

/// A grid on which nothing is in these cells.
pub fn bare(grid: &Arc<Grid>, cells: &[Place]) -> Arc<Grid> {
    with(grid, cells, CellState::Empty)
}

fn with(grid: &Arc<Grid>, cells: &[Place], state: CellState) -> Arc<Grid> {
    if cells.is_empty() {
        return grid.clone();
    }
    let mut other = Grid::clone(grid);
    for &(c, r) in cells {
        if let Some(mut cell) = other.get(c, r).copied() {
            cell.state = state;
            other.set(c, r, cell);
        }
    }
    Arc::new(other)
}
