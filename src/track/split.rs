//! Telling the piece from the stack where nothing is known yet: by what floats, and by what moves.

use super::blocks::{Blocks, Place, corner, placed, shifted};
use super::explain::{Fate, Guess, newcomer};
use super::{Falling, State};
use crate::model::{ActivePiece, PieceKind, Shape};

fn falling(cells: Vec<Place>, seq: u64) -> Falling {
    let active = ActivePiece::new(cells);
    Falling {
        announced: active.kind.is_some(),
        active,
        first_seen: seq,
        jumped: 0,
    }
}

fn state(stack: Blocks, piece: Option<Falling>, tentative: bool) -> State {
    State {
        stack,
        piece,
        tentative,
        before_clear: None,
        afterimage: Vec::new(),
        all_gone: None,
        hanging: Vec::new(),
        settling: false,
        lit: Vec::new(),
    }
}

/// The first reading: one lone group near the top that stands on nothing is the piece; otherwise motion must tell.
pub fn first(now: &Blocks, seq: u64) -> State {
    let floating: Vec<Vec<Place>> = now
        .groups()
        .into_iter()
        .filter(|g| !now.supports(g))
        .collect();
    if let [only] = floating.as_slice()
        && newcomer(only, now.rows()).is_some_and(|c| c <= 3)
    {
        return state(now.without(only), Some(falling(only.clone(), seq)), false);
    }
    state(now.clone(), None, true)
}

/// A reading that nothing explains: what was stack and still stands is stack, a lone newcomer at the top the piece.
pub fn afresh(old: &State, now: &Blocks, seq: u64) -> State {
    let mut fresh = first(now, seq);
    if fresh.piece.is_none()
        && let Some(p) = &old.piece
        && now.groups().contains(&p.active.cells)
    {
        fresh = state(now.without(&p.active.cells), Some(p.clone()), false);
    }
    fresh
}

/// Between these two boards one piece moved and nothing else did.
pub fn by_motion(before: &Blocks, now: &Blocks) -> Option<Guess> {
    tetromino_moved(before, now).or_else(|| group_fell(before, now))
}

/// A lone group of another size is one row lower: a piece of a game that has unusual ones.
fn group_fell(before: &Blocks, now: &Blocks) -> Option<Guess> {
    now.groups().into_iter().find_map(|to| {
        let from = shifted(&to, 0, -1);
        let stack = now.without(&to);
        // A part of one falls as well, where its other cells were lost.
        let other = to.len() > 4 || (2..4).contains(&to.len()) && !stack.supports(&from);
        (other && newcomer(&to, now.rows()).is_some() && stack.with(&from) == *before)
            .then(|| Guess::plain(6, Fate::Found(from, to), stack))
    })
}

fn tetromino_moved(before: &Blocks, now: &Blocks) -> Option<Guess> {
    let came = now.minus(before);
    let went = before.minus(now);
    if came.is_empty() || came.count() != went.count() || came.count() > 4 {
        return None;
    }
    let came = came.places();
    let mut best: Option<(i32, Vec<Place>, Vec<Place>)> = None;
    for shape in PieceKind::ALL.into_iter().flat_map(PieceKind::states) {
        for &(c, r) in &came {
            for &(sc, sr) in shape.cells() {
                let to = placed(&shape, (c - sc, r - sr));
                if !to.iter().all(|p| now.has(*p)) || !came.iter().all(|p| to.contains(p)) {
                    continue;
                }
                let stack = now.without(&to);
                if !stack.is_within(before) {
                    continue;
                }
                let from = before.minus(&stack).places();
                if Shape::of(&from) != shape {
                    continue;
                }
                let (a, b) = (corner(&from), corner(&to));
                let (aside, down) = ((b.0 - a.0).abs(), b.1 - a.1);
                if down < 0 {
                    continue;
                }
                let touches = i32::from(stack.supports(&from)) * 3;
                let cost = 4 + aside + down.min(6) + touches;
                if best.as_ref().is_none_or(|x| cost < x.0) {
                    best = Some((cost, from, to));
                }
            }
        }
    }
    let (cost, from, to) = best?;
    let stack = now.without(&to);
    Some(Guess::plain(cost, Fate::Found(from, to), stack))
}
