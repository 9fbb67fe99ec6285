use super::{Verdict, fail, hard_drop, needs_start, open, pass, skipped, soft_drop};
use crate::evidence::Evidence;
use crate::model::Action;

/// The key that players expect to drop softly.
const USUAL: &str = "ArrowDown";

/// The soft drop does not land and lock the piece at once.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if e.controls().is_none() {
        return open("waiting: the keys are not known yet");
    }
    if e.key(Action::SoftDrop).is_none() {
        let hard = e.key(Action::HardDrop);
        if hard.is_none_or(|k| k.as_str() != USUAL) {
            return skipped("no soft drop key was found");
        }
        let (good, _) = hard_drop::tries(e);
        if hard_drop::fell_on(e) {
            return open("↓ dropped at once, and it left a piece falling as well");
        }
        if good.len() >= 2 {
            return fail(
                format!(
                    "the only downward key, ↓, drops at once, {} times",
                    good.len()
                ),
                good,
            );
        }
        return open("↓ seems to drop at once; waiting for a second look");
    }
    let Some(t) = soft_drop::tries(e) else {
        return open("waiting: gravity is not measured yet");
    };
    let key = e
        .key(Action::SoftDrop)
        .map(ToString::to_string)
        .unwrap_or_default();
    if !t.faster.is_empty() && t.at_once.len() < 2 {
        return pass(format!("after {key} the piece was still falling"), t.faster);
    }
    if t.faster.is_empty() && t.at_once.len() >= 2 {
        return fail(
            format!(
                "{key} put the piece on its landing place at once, {} times",
                t.at_once.len()
            ),
            t.at_once,
        );
    }
    open("waiting: not tried enough yet")
}
