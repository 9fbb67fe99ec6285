//! Words that are written over the board for a moment (a new level, points, a combo) look like blocks. In: what was
//! believed, a reading, the cells that words lie over. Out: how the reading is without them. What words say is not known
//! here.

use super::State;
use super::blocks::{Blocks, Place, corner, shifted};

/// A guess without the words is taken where it costs so much less.
pub const COST: i32 = 3;

/// The reading without what is seen where words lie and is not believed to be there: the stack, and the piece where it
/// was or near it. Words are written over blocks and never hide that something is there.
pub fn without(state: &State, now: &Blocks, words: &[Place]) -> Vec<Blocks> {
    let seen: Vec<Place> = words.iter().copied().filter(|p| now.has(*p)).collect();
    if seen.is_empty() {
        return Vec::new();
    }
    let bare = |piece: &[Place]| {
        let odd = |p: &Place| !state.stack.has(*p) && !piece.contains(p);
        now.without(&seen.iter().copied().filter(odd).collect::<Vec<_>>())
    };
    let mut all = vec![bare(&[])];
    for (c, r) in [(0, 0), (0, 1), (0, 2), (-1, 0), (1, 0)] {
        let Some(piece) = &state.piece else { break };
        all.push(bare(&shifted(&piece.active.cells, c, r)));
    }
    all.retain(|b| b != now);
    all.dedup();
    all
}

/// What of the words is read as blocks.
pub fn read(state: &State, now: &Blocks, words: &[Place]) -> Vec<Place> {
    let piece = state.piece.as_ref().map(|p| &p.active.cells);
    let odd =
        |p: &&Place| now.has(**p) && !state.stack.has(**p) && piece.is_none_or(|c| !c.contains(p));
    words.iter().filter(odd).copied().collect()
}

/// Rows from the top in which pieces come.
const HIGH: i32 = 2;

/// Is what was taken for a new piece, before the words were heard of, where they lie and no piece comes?
pub fn hold(came: &[Place], words: &[Place]) -> bool {
    !came.is_empty() && corner(came).1 > HIGH && came.iter().all(|p| words.contains(p))
}
