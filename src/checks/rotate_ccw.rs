use super::{Verdict, fail, needs_start, open, pass, rotate, skipped};
use crate::evidence::Evidence;
use crate::model::Action;

/// A second key goes through the states the other way round.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if e.controls().is_some()
        && (e.key(Action::RotateCcw).is_none() || e.key(Action::RotateCw).is_none())
    {
        return skipped("no second rotation key was found (optional)");
    }
    let key = e
        .key(Action::RotateCcw)
        .map(ToString::to_string)
        .unwrap_or_default();
    let turns = rotate::turns(e, Action::RotateCcw);
    let broken: Vec<u64> = turns
        .iter()
        .filter_map(|t| t.broken.first().copied())
        .collect();
    if broken.len() >= 2 {
        return fail(
            format!(
                "{key} broke or mirrored the piece, on {} pieces",
                broken.len()
            ),
            broken,
        );
    }
    let first = steps(e, Action::RotateCw);
    let second = steps(e, Action::RotateCcw);
    let count = |all: &[(u64, u8)], by: u8| all.iter().filter(|s| s.1 == by).count();
    let (cw, ccw) = (count(&first, 1), count(&first, 3));
    if cw == ccw || second.len() < 2 {
        return open("waiting: J, L or T turned by both keys");
    }
    let same = if cw > ccw { 1 } else { 3 };
    let (with, against) = (count(&second, same), count(&second, 4 - same));
    let cites = second.iter().map(|s| s.0).take(8).collect();
    if against >= 2 && against > with {
        return pass(
            format!("{key} turned it the other way, {against} times"),
            cites,
        );
    }
    if with >= 2 && against == 0 {
        return fail(
            format!("{key} turns the same way as the other key, {with} times"),
            cites,
        );
    }
    open(format!(
        "{key}: {against} turns the other way, {with} the same way so far"
    ))
}

/// Quarter turns made by single presses on pieces with four states, counted clockwise.
fn steps(e: &Evidence, action: Action) -> Vec<(u64, u8)> {
    e.effects(action)
        .into_iter()
        .filter_map(|x| {
            let kind = x.before.kind.filter(|k| k.states().len() == 4)?;
            let same = x.after.kind == Some(kind) && x.whole() && x.reshaped();
            same.then(|| (x.seq, (x.after.state + 4 - x.before.state) % 4))
        })
        .collect()
}
