//! The rule of two witnesses: what fails is tried again from a fresh page, and only a Fail that repeats is reported. What
//! passes once and fails once is looked at a third time and called flaky.

use super::{Check, Status, Verdict, closed, judged};
use crate::evidence::Evidence;
use crate::model::Phase;

/// Attempts at most.
const ATTEMPTS: usize = 3;

/// What all attempts together say of a check.
pub(super) fn verdict(check: &Check, evidence: &Evidence) -> Verdict {
    let mut all = each(check, &evidence.attempts()).into_iter();
    let Some(first) = all.next() else {
        return judged(check, evidence.origin());
    };
    let attempts = evidence.attempts().len();
    let over = evidence.is_cut_short();
    if first.status != Status::Fail || check.phase.is_none() || attempts == 1 && !over {
        return first;
    }
    let later: Vec<Verdict> = all.collect();
    together(first, &later, over || attempts >= ATTEMPTS, check.measures)
}

/// What the attempts say of a check, from the first one that decided it; a Pass is all there is to say. What could not be
/// decided at first may be later, where the game started only then, or a person went back.
fn each(check: &Check, attempts: &[&Evidence]) -> Vec<Verdict> {
    let ran = |e: &Evidence| check.phase.is_some_and(|p| e.phase(p).is_some());
    let mut all: Vec<Verdict> = Vec::new();
    for (i, attempt) in attempts.iter().enumerate() {
        let first = all.first().map(|v| v.status);
        if first == Some(Status::Pass) {
            break;
        }
        if i > 0 && !ran(attempt) {
            continue;
        }
        let verdict = closed(check, attempt, judged(check, attempt));
        match (first, verdict.status) {
            (Some(Status::Fail) | None, _) => all.push(verdict),
            (Some(_), Status::Pass | Status::Fail) => all = vec![verdict],
            (Some(_), _) => {}
        }
    }
    all
}

/// Does one of the Fails bear another one out? What was `measured` must have been measured the same.
fn borne_out<'a>(
    fails: impl Iterator<Item = &'a Verdict>,
    measured: bool,
) -> Option<[&'a Verdict; 2]> {
    let fails: Vec<&Verdict> = fails.filter(|v| v.status == Status::Fail).collect();
    let pairs = fails
        .iter()
        .enumerate()
        .flat_map(|(i, a)| fails[i + 1..].iter().map(move |b| [*a, *b]));
    pairs.into_iter().find(|[a, b]| !measured || a.why == b.why)
}

/// A Fail and what was seen when it was tried again. With the run cut short nothing more will be.
fn together(first: Verdict, later: &[Verdict], over: bool, measured: bool) -> Verdict {
    let with = |status| later.iter().filter(move |v| v.status == status);
    let (fails, passes) = (1 + with(Status::Fail).count(), with(Status::Pass).count());
    let cites = || -> Vec<u64> {
        let all = later.iter().flat_map(|v| v.cites.iter().take(8));
        first.cites.iter().chain(all).copied().collect()
    };
    let say = |status, why: String| Verdict {
        status,
        why,
        cites: cites(),
    };
    if passes == 0 {
        let all = || std::iter::once(&first).chain(later);
        return match (borne_out(all(), measured), with(Status::Fail).next()) {
            (Some([a, b]), _) if a.why == b.why => say(
                Status::Fail,
                format!("{}; the same again from a fresh page", a.why),
            ),
            (Some([a, b]), _) => say(
                Status::Fail,
                format!("{}; again from a fresh page: {}", a.why, b.why),
            ),
            (None, Some(second)) => say(
                Status::Skipped,
                format!(
                    "measured differently each time: {}; from a fresh page: {}",
                    first.why, second.why
                ),
            ),
            (None, None) if over || later.len() + 1 >= ATTEMPTS => say(
                Status::Skipped,
                format!("seen once, and it could not be tried again: {}", first.why),
            ),
            (None, None) => first,
        };
    }
    let all = fails + passes;
    if fails > passes {
        return say(
            Status::Fail,
            format!("flaky, failed in {fails} of {all} attempts: {}", first.why),
        );
    }
    if passes > fails {
        return say(
            Status::Pass,
            format!(
                "flaky, passed in {passes} of {all} attempts; once: {}",
                first.why
            ),
        );
    }
    say(
        Status::Skipped,
        format!(
            "flaky, failed in {fails} of {all} attempts, which decides nothing: {}",
            first.why
        ),
    )
}

/// Did it fail without a second witness?
fn doubtful(check: &Check, attempts: &[&Evidence]) -> bool {
    let all = each(check, attempts);
    let fails = all.first().is_some_and(|v| v.status == Status::Fail);
    check.phase.is_some() && fails && borne_out(all.iter(), check.measures).is_none()
}

/// May this phase of another attempt still decide something? What play alone decides it may have decided before.
pub fn still_open(evidence: &Evidence, phase: Phase) -> bool {
    let attempts = evidence.attempts();
    let Some((now, before)) = attempts.split_last() else {
        return true;
    };
    let told = |check: &Check| {
        let verdict = judged(check, now);
        check.with == Some(Phase::Play) && matches!(verdict.status, Status::Pass | Status::Fail)
    };
    let mut of_it = super::all().iter().filter(|c| c.phase == Some(phase));
    of_it.any(|c| doubtful(c, before) && !told(c))
}

/// The phases that are to be run again from a fresh page, for the sake of what failed there; none when every Fail has
/// its witnesses.
pub fn again(evidence: &Evidence) -> Vec<Phase> {
    let n = evidence.attempts().len();
    if n >= ATTEMPTS {
        return Vec::new();
    }
    let mut phases: Vec<Phase> = super::all()
        .iter()
        .filter(|c| doubtful(c, &evidence.attempts()))
        .flat_map(|c| c.with.into_iter().chain(c.phase))
        .collect();
    phases.sort_unstable();
    phases.dedup();
    phases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(status: Status, seq: u64) -> Verdict {
        Verdict {
            status,
            why: format!("reason {seq}"),
            cites: vec![seq],
        }
    }

    #[test]
    fn a_fail_that_repeats_is_reported_with_both_witnesses() {
        let told = together(v(Status::Fail, 1), &[v(Status::Fail, 2)], true, false);
        assert_eq!(told.status, Status::Fail);
        assert_eq!(told.cites, [1, 2]);
        assert!(told.why.contains("reason 1") && told.why.contains("reason 2"));
    }

    #[test]
    fn what_was_measured_differently_each_time_decides_nothing() {
        let told = |later: &[u64]| {
            let later: Vec<Verdict> = later.iter().map(|n| v(Status::Fail, *n)).collect();
            together(v(Status::Fail, 1), &later, true, true)
        };
        assert_eq!(told(&[2]).status, Status::Skipped);
        assert!(told(&[2]).why.contains("reason 1") && told(&[2]).why.contains("reason 2"));
        assert_eq!(told(&[1]).status, Status::Fail);
        // A third look that bears out one of them decides.
        assert_eq!(told(&[2, 2]).status, Status::Fail);
        assert!(told(&[2, 2]).why.starts_with("reason 2"));
        assert_eq!(told(&[2, 3]).status, Status::Skipped);
    }

    #[test]
    fn what_fails_once_and_passes_once_is_decided_by_a_third_look_and_called_flaky() {
        use Status::{Fail, Pass, Skipped};
        let told = |later: &[Status]| {
            let later: Vec<Verdict> = later.iter().map(|s| v(*s, 9)).collect();
            together(v(Fail, 1), &later, false, false)
        };
        assert_eq!(told(&[Pass]).status, Skipped);
        assert_eq!(told(&[Pass, Pass]).status, Pass);
        assert_eq!(told(&[Pass, Fail]).status, Fail);
        for later in [&[Pass][..], &[Pass, Pass], &[Pass, Fail]] {
            assert!(told(later).why.starts_with("flaky"), "{later:?}");
        }
        assert_eq!(told(&[Skipped, Fail]).status, Fail);
        let alone = told(&[Skipped, Skipped]);
        assert_eq!(alone.status, Skipped);
        assert!(alone.why.contains("could not be tried again"));
    }

    #[test]
    fn a_run_that_was_cut_off_reports_no_fail_that_was_seen_once() {
        let running = together(v(Status::Fail, 1), &[], false, false);
        assert_eq!(running.status, Status::Fail);
        let over = together(v(Status::Fail, 1), &[], true, false);
        assert_eq!(over.status, Status::Skipped);
        assert!(over.why.contains("reason 1"), "{}", over.why);
    }
}
