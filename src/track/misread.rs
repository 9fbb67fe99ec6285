//! Guesses about a piece that was not read as it is: cells lost or won by its lock, a ghost taken for blocks, blocks of
//! the stack taken for part of it. In: what was believed, the piece, a reading. Out: guesses with their costs; which
//! one is believed is not known here.

use super::blocks::{Blocks, Place, shifted};
use super::explain::{Fate, Guess, WEAK, continued, newcomer};
use super::{Falling, State};
use crate::model::ActivePiece;

/// What it costs to take blocks for a ghost that was read wrongly.
const GHOST: i32 = 8;

/// The piece locked, and cells were lost or won by it.
pub fn damaged(state: &State, piece: &Falling, now: &Blocks) -> Vec<Guess> {
    let mut guesses = Vec::new();
    if !state.stack.is_within(now) || piece.active.cells.len() < 3 {
        return guesses;
    }
    let at_rest = piece.active.cells.clone();
    let landed = state.stack.landing(&at_rest);
    let rest = now.minus(&state.stack);
    for (more, at) in [(0, at_rest), (1, landed)] {
        for next in rest.groups() {
            let Some(cost) = newcomer(&next, now.rows()).filter(|c| *c <= 2) else {
                continue;
            };
            let left = rest.without(&next);
            let common = left.places().iter().filter(|p| at.contains(p)).count();
            let (lost, won) = (at.len() - common, left.count() - common);
            if common < 2 || lost + won == 0 || lost + won > 3 {
                continue;
            }
            let stack = now.without(&next);
            let fate = Fate::Locked {
                at: at.clone(),
                delta: left.count() as i32,
                next,
            };
            let cost = WEAK + 1 + cost + more + (lost + won) as i32;
            guesses.push(Guess::plain(cost, fate, stack));
        }
    }
    guesses
}

/// The piece's own likeness where it would land was read as blocks: a ghost under something that is drawn over it.
pub fn shadowed(state: &State, piece: &Falling, now: &Blocks) -> Vec<Guess> {
    if !state.stack.is_within(now) {
        return Vec::new();
    }
    let rest = now.minus(&state.stack);
    // Where the two touch they hang together: then only how the piece was says which is which.
    let near = [(0, 0), (0, 1), (-1, 0), (1, 0)];
    let moved = near.map(|(c, r)| shifted(&piece.active.cells, c, r));
    let of = |at: Vec<Place>| {
        let others = rest.without(&at).places();
        let lands = state.stack.landing(&at);
        let ghost = !others.is_empty() && others.iter().all(|p| lands.contains(p));
        if !ghost || lands == at || !at.iter().all(|p| rest.has(*p)) {
            return None;
        }
        let (cost, fate) = continued(piece, &at, &state.stack).filter(|c| c.0 < WEAK)?;
        matches!(fate, Fate::Goes(_)).then(|| Guess {
            hanging: state.hanging.clone(),
            ..Guess::plain(GHOST + cost, fate, state.stack.clone())
        })
    };
    rest.groups()
        .into_iter()
        .chain(moved)
        .filter_map(of)
        .collect()
}

/// Blocks of the stack were taken for part of the piece: they stand still while the rest goes on.
pub fn parted(state: &State, piece: &Falling, now: &Blocks) -> Vec<Guess> {
    let all = Blocks::new(now.columns(), now.rows()).with(&piece.active.cells);
    let groups = all.groups();
    if groups.len() < 2 {
        return Vec::new();
    }
    let of = |group: Vec<Place>| {
        let stack = state.stack.with(&all.without(&group).places());
        let rest = now.minus(&stack).places();
        if !stack.is_within(now) || rest.is_empty() {
            return None;
        }
        let alone = Falling {
            active: ActivePiece::new(group),
            ..piece.clone()
        };
        let (cost, fate) = continued(&alone, &rest, &stack).filter(|c| c.0 < WEAK)?;
        Some(Guess::plain(6 + cost, fate, stack))
    };
    groups.into_iter().filter_map(of).collect()
}
