use super::clears::{cites, doubt, fills, gone, needs_fill};
use super::{Verdict, fail, open, pass};
use crate::evidence::{Evidence, Fill};

/// A full row disappears.
pub fn judge(e: &Evidence) -> Verdict {
    let fills = fills(e);
    if let Some(v) = needs_fill(e, &fills) {
        return v;
    }
    // Whether all of several go is another check's question.
    let (good, bad): (Vec<&(u64, Fill)>, Vec<_>) = fills.iter().partition(|f| gone(&f.1) > 0);
    if bad.len() >= 2 && bad.len() > good.len() {
        let why = format!("full rows stayed {} of {} times", bad.len(), fills.len());
        return doubt(e).unwrap_or_else(|| fail(why, cites(bad)));
    }
    if good.len() >= 2 && bad.len() * 10 <= good.len() {
        let why = format!(
            "full rows disappeared {} of {} times",
            good.len(),
            fills.len()
        );
        return pass(why, cites(good));
    }
    open(format!(
        "rows were filled {} times, and disappeared {} times; waiting for more",
        fills.len(),
        good.len()
    ))
}
