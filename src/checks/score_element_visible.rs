use super::score::{CLEARS, Score, score};
use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::Evidence;

/// A number that behaves like a score is on the page.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    match score(e) {
        None => open(format!("waiting: fewer than {CLEARS} clears so far")),
        Some(Score::Rises(t, worth)) => {
            let up: Vec<u64> = worth
                .iter()
                .filter(|w| w.by > 0.0)
                .map(|w| w.seq)
                .take(8)
                .collect();
            pass(
                format!("a number rose to {} with play and never fell", t.value()),
                up,
            )
        }
        Some(Score::Stuck(t)) => pass(
            "a number is shown, and stays at 0".into(),
            t.history.iter().map(|h| h.0.seq).take(1).collect(),
        ),
        Some(Score::Missing(n)) => fail(
            format!("{n} numbers moved in play, none of them with the rows cleared"),
            e.locked()
                .iter()
                .filter(|l| l.cleared > 0)
                .map(|l| l.seq)
                .take(8)
                .collect(),
        ),
        Some(Score::Unread) => skipped(
            "no number that can be read moved in play; digits drawn as pictures cannot be read",
        ),
    }
}
