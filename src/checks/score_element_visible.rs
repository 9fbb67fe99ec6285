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
        Some(Score::Stuck(t) | Score::Either(t)) => pass(
            "a number is shown, and stays at 0".into(),
            t.history.iter().map(|h| h.0.seq).take(1).collect(),
        ),
        // A number that moves may be a score that this reading of it does not follow (one that begins again with a game
        // that restarts by itself): only a page on which none moves has none for sure.
        Some(Score::Missing(n)) if n > 0 => open(format!(
            "{n} numbers moved in play, none of them plainly with the rows cleared"
        )),
        Some(Score::Missing(_)) => fail(
            "no number moved in play, though rows were cleared".into(),
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
