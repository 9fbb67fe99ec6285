use super::clears::{cites, doubt, fills, gone, needs_fill};
use super::{Verdict, fail, open, pass, skipped};
use crate::evidence::{Evidence, Fill, Gone};

/// What was above a cleared row moves down by the rows cleared. That blocks fall further, each as far as it can, is
/// another rule and no defect.
pub fn judge(e: &Evidence) -> Verdict {
    let fills = fills(e);
    if let Some(v) = needs_fill(e, &fills) {
        return v;
    }
    let cleared: Vec<&(u64, Fill)> = fills.iter().filter(|f| gone(&f.1) > 0).collect();
    if cleared.is_empty() && fills.len() >= 2 {
        return skipped(format!("no row ever disappeared, in {} tries", fills.len()));
    }
    let (bad, good): (Vec<&(u64, Fill)>, Vec<_>) = cleared
        .into_iter()
        .filter(|f| f.1.above > 0)
        .partition(|f| f.1.gone == Gone::Hollow);
    if bad.len() >= 2 && bad.len() > good.len() {
        let why = format!(
            "rows were emptied and what was above stayed where it was, {} of {} times",
            bad.len(),
            bad.len() + good.len()
        );
        return doubt(e).unwrap_or_else(|| fail(why, cites(bad)));
    }
    if good.len() >= 2 && bad.is_empty() {
        let blocks: usize = good.iter().map(|f| f.1.above).sum();
        let why = format!(
            "after {} clears everything above came down, {blocks} blocks in all",
            good.len()
        );
        return pass(why, cites(good));
    }
    open(format!(
        "{} clears with rows above so far",
        good.len() + bad.len()
    ))
}
