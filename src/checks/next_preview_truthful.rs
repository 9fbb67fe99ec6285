use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::{Evidence, Outcome};
use crate::model::Phase;

/// Pieces that must have come for a verdict.
const LEAST: usize = 7;
/// Pieces that were not foretold, at least, for a Fail.
const WRONG: usize = 3;

/// What is shown as the coming piece comes next.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let Some(preview) = e.preview() else {
        let tried = e.phase(Phase::Numbers).and_then(|p| p.outcome.as_ref());
        return if tried == Some(&Outcome::Done) {
            skipped("there is no preview")
        } else {
            open("waiting: no preview is known yet")
        };
    };
    let all = &preview.predictions;
    let wrong: Vec<_> = all.iter().filter(|p| !p.is_right()).collect();
    let (n, right) = (all.len(), all.len() - wrong.len());
    if preview.later {
        return skipped("the first of the coming pieces could not be read");
    }
    if n < LEAST {
        return open(format!("{right} of {n} pieces were foretold so far"));
    }
    if right * 10 >= n * 9 {
        return pass(
            format!("{right} of {n} pieces were shown before they came"),
            all.iter().map(|p| p.came_at).take(8).collect(),
        );
    }
    // One that is random, stale or wrong is right once in seven times; one that is mostly right was misread in between.
    if wrong.len() >= WRONG && right * 2 < n {
        let stale = all.iter().filter(|p| Some(p.shown) == p.falling).count();
        let first = wrong[0];
        let mut why = format!(
            "{} of {n} pieces were not those shown before: {:?} was shown, {:?} came",
            wrong.len(),
            first.shown,
            first.came
        );
        if stale * 10 >= n * 9 {
            why = format!("it shows the piece that is falling already, {stale} of {n} times");
        }
        return fail(why, wrong.iter().map(|p| p.came_at).take(8).collect());
    }
    open(format!(
        "{right} of {n} pieces were foretold, which tells neither way"
    ))
}
