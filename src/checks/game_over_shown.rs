use super::game_over::{endings, is_over};
use super::piece_locks::unsteady;
use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::{Evidence, How};

/// A person can see that it ended.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let all = endings(e);
    let over: Vec<_> = all.iter().filter(|x| is_over(x)).collect();
    let Some(last) = over.last() else {
        return if all.len() >= 2 {
            skipped("no proper end was reached")
        } else {
            open("waiting: no end was reached yet")
        };
    };
    if let Some(seen) = over.iter().find(|x| !x.shown.is_empty()) {
        return pass(seen.shown.join("; "), seen.cites.clone());
    }
    let what = match last.how {
        How::BeganAgain(_) => "it began again without a word",
        _ => "it just stopped: no text, no layer, no dialog, no changed board",
    };
    let times = over.len();
    let cites = over.iter().flat_map(|x| x.cites.clone()).collect();
    if times >= 2 {
        // What stopped may have been the reading alone.
        if let Some(v) = unsteady(e, e.locks().count()) {
            return v;
        }
        return fail(format!("{times} times: {what}"), cites);
    }
    open(format!("{what}; waiting for a second end"))
}
