use super::level::{DUE_LINES, Level, level, most_lines, most_lines_beside};
use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::Evidence;

/// A number that behaves like a level rises with the lines.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let lines = most_lines(e);
    match level(e) {
        Level::Rises(t, worth) => {
            let ups: Vec<u64> = worth
                .iter()
                .filter(|w| w.by > 0.0)
                .map(|w| w.seq)
                .take(8)
                .collect();
            let most = t.history.iter().map(|h| h.1).fold(0.0, f64::max);
            pass(
                format!(
                    "a number rose by one {} times, to {most}, as rows were cleared",
                    ups.len()
                ),
                ups,
            )
        }
        Level::Stuck(t) => {
            let lines = most_lines_beside(&e.locked(), t);
            if lines < DUE_LINES {
                return open(format!(
                    "waiting: {lines} rows in one game, a level is due after {DUE_LINES} at the latest"
                ));
            }
            fail(
                format!("the number beside the score stayed at 1 over {lines} rows in one game"),
                t.history.iter().map(|h| h.0.seq).take(1).collect(),
            )
        }
        Level::Missing => open(format!(
            "no number behaves like a level, in {lines} rows of one game"
        )),
    }
}
