use super::game_over::{endings, is_over};
use super::piece_locks::unsteady;
use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::Evidence;

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
    if tries.len() >= 2 {
        // A new game may have begun, and not have been told from what went before.
        if let Some(v) = unsteady(e, e.locks().count()) {
            return v;
        }
        return fail(
            format!(
                "after {} ends nothing brought a new game: {}",
                tries.len(),
                tries[0].why
            ),
            tries.iter().map(|n| n.from.seq).collect(),
        );
    }
    open(match (tries.len(), endings(e).iter().any(is_over)) {
        (0, false) => "waiting: no end was reached yet",
        (0, true) => "waiting: nothing was tried yet",
        _ => "nothing brought a new game so far; waiting for a second end",
    })
}
