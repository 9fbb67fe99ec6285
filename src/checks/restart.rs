use super::game_over::{endings, is_over};
use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::Evidence;

/// Ends in an attempt at a new game from this one on are left alone: no key is pressed before what is to bring it.
pub const ALONE: u32 = 2;

/// After an end a control or a key brings a new game, without the page being loaded anew.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let tries = e.new_games();
    if let Some(found) = tries.iter().find(|n| n.found) {
        return pass(
            format!("a new game began: {}", found.why),
            vec![found.from.seq],
        );
    }
    // Nothing says more than an end that was left alone. One after which keys were pressed comes first, where there is one.
    if tries.iter().any(|n| n.attempt >= ALONE) {
        let ends = match tries.len() {
            1 => "an end".to_string(),
            n => format!("{n} ends"),
        };
        return fail(
            format!("after {ends} nothing brought a new game: {}", tries[0].why),
            tries.iter().map(|n| n.from.seq).collect(),
        );
    }
    open(match (tries.len(), endings(e).iter().any(is_over)) {
        (0, false) => "waiting: no end was reached yet",
        (0, true) => "waiting: nothing was tried yet",
        _ => "nothing brought a new game so far; waiting for a second end",
    })
}
