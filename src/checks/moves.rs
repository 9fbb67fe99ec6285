//! A tap moves the piece one column: for both sides.

use super::{Verdict, fail, is_tap, looked_in_vain, needs_start, open, pass};
use crate::evidence::{Effect, Evidence};
use crate::model::Action;

/// To the left.
pub fn left(e: &Evidence) -> Verdict {
    judge(e, Action::MoveLeft, -1)
}

/// To the right.
pub fn right(e: &Evidence) -> Verdict {
    judge(e, Action::MoveRight, 1)
}

fn judge(e: &Evidence, action: Action, side: i32) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if let Some(v) = looked_in_vain(e, action) {
        return v;
    }
    let free: Vec<Effect> = e
        .effects(action)
        .into_iter()
        .filter(|x| x.whole() && !x.blocked(side))
        .collect();
    if free.is_empty() {
        return open("waiting: not tried with room beside the piece yet");
    }
    let key = e.key(action).map(ToString::to_string).unwrap_or_default();
    let broken: Vec<&Effect> = free.iter().filter(|x| x.reshaped()).collect();
    let steps = |x: &&Effect| (!x.reshaped()).then(|| x.aside() * side);
    let right: Vec<&Effect> = free
        .iter()
        .filter(|x| {
            let n = steps(x);
            // With one free column only, a step of two would have been cut to one.
            (n == Some(1) && x.room(side) > 1) || (n > Some(1) && !is_tap(e, action, x))
        })
        .collect();
    let wide: Vec<&Effect> = free
        .iter()
        .filter(|x| steps(x) > Some(1) && is_tap(e, action, x))
        .collect();
    // A press that a lock followed at once may have come too late.
    let none: Vec<&Effect> = free
        .iter()
        .filter(|x| steps(x).is_some_and(|n| n <= 0) && !x.gone)
        .collect();
    let moved: Vec<String> = free
        .iter()
        .take(6)
        .map(|x| (x.aside() * side).to_string())
        .collect();
    let figures = format!(
        "{} presses of {key} moved {} columns",
        free.len(),
        moved.join(", ")
    );
    let cites = |all: &[&Effect]| {
        all.iter()
            .flat_map(|x| [x.seq, x.after_seq])
            .take(8)
            .collect()
    };
    if broken.len() >= 2 && broken.len() >= right.len() {
        return fail(
            format!(
                "{key} also changes the piece's shape, {} times",
                broken.len()
            ),
            cites(&broken),
        );
    }
    if right.len() >= 2 {
        return pass(figures, cites(&right));
    }
    if right.is_empty() && wide.len() >= 2 {
        return fail(figures, cites(&wide));
    }
    if right.is_empty() && none.len() >= 2 && two_tries(&none) {
        return fail(figures, cites(&none));
    }
    open(format!("{figures}; not enough to tell"))
}

/// Were they on two pieces, or in two probes?
fn two_tries(all: &[&Effect]) -> bool {
    all.iter()
        .any(|x| x.piece != all[0].piece || x.attempt != all[0].attempt)
}
