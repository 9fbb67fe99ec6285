//! Guesses about a reading while no piece falls: full rows that blink or are wiped, blocks that come down after a
//! clear, a board that was emptied. In: what was believed, a reading. Out: guesses with their costs; which one is
//! believed is not known here.

use super::State;
use super::blocks::{Blocks, Place};
use super::explain::{Fate, Guess, WEAK, newcomer};

/// Full rows that blink or are wiped while no piece is there: nothing new.
pub fn flashes(state: &State, now: &Blocks) -> Option<Guess> {
    if state.piece.is_some() {
        return None;
    }
    let full = state.stack.complete_rows();
    // A curtain over the whole board is wiped row by row; a layer over it goes at once, and what it covered shows again.
    let left = now.blanked(&now.complete_rows());
    if state.stack.clearable_rows() != full && left.blanked(&full) != left {
        return None;
    }
    let wiping = !full.is_empty()
        && now.is_within(&state.stack)
        && now.blanked(&full) == state.stack.blanked(&full);
    let again = state.before_clear.as_ref().is_some_and(|before| {
        let rows = before.complete_rows();
        now.is_within(before) && now.blanked(&rows) == before.blanked(&rows)
    });
    (wiping || again).then(|| Guess {
        hanging: state.hanging.clone(),
        before: state.before_clear.clone(),
        ..Guess::plain(3, Fate::None(Vec::new()), state.stack.clone())
    })
}

/// After a clear, blocks without support come down, each in its column.
pub fn settled(state: &State, now: &Blocks) -> Option<Guess> {
    let full = state.stack.clearable_rows();
    let may_fall = state.settling || !full.is_empty();
    if state.piece.is_some() || !may_fall {
        return None;
    }
    let (stack, next, cost) = fallen(&state.stack.blanked(&full), now)?;
    Some(Guess {
        before: (!full.is_empty()).then(|| state.stack.clone()),
        cleared: full,
        ..Guess::plain(8 + cost, Fate::None(next), stack)
    })
}

/// Are these the same blocks, some of them lower, and perhaps a new piece? Gives the stack, the piece, the cost.
pub fn fallen(before: &Blocks, now: &Blocks) -> Option<(Blocks, Vec<Place>, i32)> {
    let spare = now.count().checked_sub(before.count())?;
    if spare > 6 {
        return None;
    }
    let columns = before.by_column();
    let same =
        |stack: &Blocks| {
            stack.by_column().iter().zip(&columns).all(|(new, old)| {
                new.len() == old.len() && new.iter().zip(old).all(|(n, o)| n >= o)
            })
        };
    if spare == 0 {
        return same(now).then(|| (now.clone(), Vec::new(), 0));
    }
    now.groups().into_iter().find_map(|next| {
        let cost = newcomer(&next, now.rows()).filter(|c| next.len() == spare && *c < 10)?;
        let stack = now.without(&next);
        same(&stack).then_some((stack, next, cost))
    })
}

/// The board was emptied.
pub fn emptied(state: &State, now: &Blocks) -> Option<Guess> {
    if state.stack.is_empty() {
        return None;
    }
    let next = now.places();
    let cost = if next.is_empty() {
        0
    } else {
        newcomer(&next, now.rows()).filter(|c| *c < 10)?
    };
    let stack = Blocks::new(now.columns(), now.rows());
    Some(Guess::plain(WEAK + 2 + cost, Fate::Emptied(next), stack))
}
