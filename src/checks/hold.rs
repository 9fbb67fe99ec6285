use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::Evidence;
use crate::model::Action;

/// Records of pieces that came back, of those that did not, and what came instead.
pub fn probes(e: &Evidence) -> (Vec<u64>, Vec<u64>, String) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let mut why = String::new();
    for probe in e.probes().iter().filter(|p| p.action == Action::Hold) {
        let swaps = e.swaps(probe);
        let [first, .., last] = swaps.as_slice() else {
            continue;
        };
        // A swap that cannot be told from none says nothing, nor does one after which no piece was seen.
        if first.came.is_none() || last.locked || last.out == first.out {
            continue;
        }
        if last.came == Some(first.out) {
            good.push(last.seq);
        } else if !(first.in_place || last.in_place) && (last.came.is_some() || last.stayed) {
            why = match last.came {
                Some(other) => format!("{:?} went, {other:?} came instead of it", first.out),
                None => format!("{:?} went and did not come back", first.out),
            };
            bad.push(last.seq);
        }
    }
    (good, bad, why)
}

/// A key swaps the piece out and, after the next piece has locked, back.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if e.controls().is_some() && e.key(Action::Hold).is_none() {
        return skipped("no hold key was found (optional)");
    }
    let (good, bad, why) = probes(e);
    let key = e
        .key(Action::Hold)
        .map(ToString::to_string)
        .unwrap_or_default();
    if bad.len() >= 2 && bad.len() > good.len() {
        return fail(format!("{key}, {} times: {why}", bad.len()), bad);
    }
    if good.len() > bad.len() {
        return pass(
            format!(
                "{key} put the piece aside and brought it back, {} times",
                good.len()
            ),
            good,
        );
    }
    open(if bad.is_empty() {
        "waiting: no swap there and back was seen yet".to_string()
    } else {
        format!("{why}; waiting for a second look")
    })
}
