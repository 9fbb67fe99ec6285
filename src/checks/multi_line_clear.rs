use super::clears::{cites, doubt, fills, gone, needs_fill};
use super::{Verdict, fail, open, pass, skipped};
use crate::evidence::{Evidence, Fill};

/// Two or more rows filled at once all disappear.
pub fn judge(e: &Evidence) -> Verdict {
    let fills = fills(e);
    if let Some(v) = needs_fill(e, &fills) {
        return v;
    }
    if fills.len() >= 2 && fills.iter().all(|f| gone(&f.1) == 0) {
        return skipped(format!("no row ever disappeared, in {} tries", fills.len()));
    }
    let several: Vec<&(u64, Fill)> = fills.iter().filter(|f| f.1.rows.len() > 1).collect();
    // That three go wrong and two go right is a defect of three.
    for n in [2, 3, 4] {
        let of: Vec<&(u64, Fill)> = several
            .iter()
            .copied()
            .filter(|f| f.1.rows.len() == n || (n == 3 && f.1.rows.len() > 3))
            .collect();
        let (good, bad): (Vec<&(u64, Fill)>, Vec<_>) = of
            .iter()
            .copied()
            .partition(|f| gone(&f.1) >= f.1.rows.len());
        // One that went wrong is enough where there was no other of its size: it has to go wrong again from a fresh page.
        let only = bad.len() == 1 && good.is_empty();
        if only || bad.len() >= 2 && bad.len() > good.len() {
            let (_, first) = bad[0];
            let why = format!(
                "{} rows filled at once, {} of them disappeared; not all of them {} of {} times",
                first.rows.len(),
                gone(first),
                bad.len(),
                of.len()
            );
            return doubt(e).unwrap_or_else(|| fail(why, cites(bad)));
        }
    }
    let (good, bad): (Vec<&(u64, Fill)>, Vec<_>) = several
        .iter()
        .copied()
        .partition(|f| gone(&f.1) >= f.1.rows.len());
    if !good.is_empty() && bad.is_empty() {
        let most = good.iter().map(|f| f.1.rows.len()).max().unwrap_or(2);
        let why = format!(
            "{} times several rows disappeared at once, {most} at most",
            good.len()
        );
        return pass(why, cites(good));
    }
    open(if several.is_empty() {
        "waiting: several rows were never filled at once".into()
    } else {
        format!(
            "several rows at once: all gone {} times, not all {} times",
            good.len(),
            bad.len()
        )
    })
}
