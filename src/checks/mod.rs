//! What is judged: one small pure function a check, over [`crate::evidence`] only.
//!
//! Comes in: Evidence. Goes out: verdicts with reasons and the records that decided them.
//! Must never know: a browser, a clock, a driver.
//!
//! A Fail needs two independent observations (an uncaught exception, which is a fact and no reading, needs one). What
//! has not been seen yet is Open and says what it waits for; when the run is over, or the phase that would have shown
//! it failed or was left out, Open becomes Skipped with the same reason.

mod all_pieces_rotate;
mod all_seven_pieces;
mod clears;
mod drops;
mod game_loads;
mod game_over;
mod game_over_shown;
mod game_starts;
mod gravity;
mod grid_detected;
mod grid_is_10x20;
mod hard_drop;
mod hold;
mod level;
mod level_increases;
mod line_clear;
mod moves;
mod multi_line_clear;
mod next_preview;
mod next_preview_truthful;
mod no_page_scroll;
mod no_uncaught_errors;
mod pause;
mod piece_locks;
mod piece_spawns;
mod registry;
mod rendering_clean;
mod restart;
mod restart_resets;
mod rotate;
mod rotate_ccw;
mod rows_fall_after_clear;
mod score;
mod score_element_visible;
mod score_increases_on_clear;
mod score_scales_with_clears;
mod soft_drop;
mod soft_drop_distinct;
mod speed_increases;
mod survives_play;
mod walls_hold;
mod witness;
mod worth;

pub use gravity::HANGS_MS;
pub use level::{DUE_LINES, Level, level, lines_of_this_game, risen_after};
pub use registry::all;
pub use score::{Score, score};
pub use survives_play::stopped;
pub use witness::{again, still_open};

use crate::evidence::{Effect, Evidence, Happening, Outcome, Start};
use crate::model::{Action, GridEvent, Phase};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a check stands.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not decided yet.
    #[default]
    Open,
    /// As it should be.
    Pass,
    /// Tried, seen twice, wrong.
    Fail,
    /// Could not be tried.
    Skipped,
}

/// What a check says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// How it stands.
    pub status: Status,
    /// The reason, with figures, for people.
    pub why: String,
    /// Numbers of the records that decided it.
    pub cites: Vec<u64>,
}

/// A check with its verdict, as it is shown and reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckView {
    /// The name used in reports (`rotate_ccw`).
    pub name: &'static str,
    /// What it asks, for people.
    pub title: &'static str,
    /// The phase that decides it; `None` for those that watch all along.
    pub phase: Option<Phase>,
    /// How it stands.
    pub verdict: Verdict,
}

/// A check: what it asks and how it is judged.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// The name used in reports (`rotate_ccw`).
    pub name: &'static str,
    /// What it asks, for people.
    pub title: &'static str,
    /// The phase that decides it; `None` for those that watch all along.
    pub phase: Option<Phase>,
    /// The phase before it that brings about what it looks at: without that it cannot be tried again.
    pub with: Option<Phase>,
    /// Its reason is a measurement: two witnesses that measured differently contradict each other.
    pub measures: bool,
    /// Judges it; pure.
    pub judge: fn(&Evidence) -> Verdict,
}

/// Every check and how it stands, in the order of the phases, by all attempts together.
///
/// A check that panics is Open with that for its reason; the others are not touched. The panic hook is called as for
/// any panic, so a face that owns the terminal must have one that leaves it alone.
pub fn evaluate(evidence: &Evidence) -> Vec<CheckView> {
    evaluate_these(all(), evidence)
}

/// Why nothing of a game could be judged although the page answered: it was not let have its scripts.
pub fn not_judged(evidence: &Evidence) -> Option<String> {
    let started = matches!(
        evidence.start(),
        Some((_, crate::evidence::Start::Started(..)))
    );
    let tried = evidence.start().is_some()
        || evidence
            .phase(Phase::Load)
            .is_some_and(|p| matches!(p.outcome, Some(Outcome::Failed(_))));
    (tried && !started)
        .then(|| game_loads::without_its_scripts(evidence))
        .flatten()
        .map(|verdict| verdict.why)
}

/// Were enough swaps there and back seen to tell whether the piece comes back? `None` where some say this and some that:
/// one of seven that come instead of it is of its kind.
pub fn hold_told(evidence: &Evidence) -> Option<bool> {
    let (good, bad, _) = hold::probes(evidence);
    if good.len().abs_diff(bad.len()) >= 2 {
        return Some(true);
    }
    (good.is_empty() || bad.is_empty()).then_some(false)
}

/// Did a piece that was put aside not come back, once and never otherwise?
pub fn hold_doubted(evidence: &Evidence) -> bool {
    let (good, bad, _) = hold::probes(evidence);
    good.is_empty() && bad.len() == 1
}

/// How one check stands by the attempt under way; `None` if there is none of that name.
pub fn verdict(name: &str, evidence: &Evidence) -> Option<Verdict> {
    let check = all().iter().find(|c| c.name == name)?;
    Some(closed(check, evidence, judged(check, evidence)))
}

fn evaluate_these(checks: &[Check], evidence: &Evidence) -> Vec<CheckView> {
    checks
        .iter()
        .map(|check| CheckView {
            name: check.name,
            title: check.title,
            phase: check.phase,
            verdict: whole(
                as_made(check, witness::verdict(check, evidence), evidence),
                evidence,
            ),
        })
        .collect()
}

/// What is wrong with a page that was not given all its parts may be wrong for want of them.
fn whole(verdict: Verdict, evidence: &Evidence) -> Verdict {
    if verdict.status != Status::Fail {
        return verdict;
    }
    match game_loads::without_its_parts(evidence) {
        Some(parts) => Verdict {
            why: format!("{}; {}", parts.why, verdict.why),
            ..parts
        },
        None => verdict,
    }
}

/// What the page threw in play while it was refused WebGL; then it is to be looked at with it.
pub fn broken_without_webgl(evidence: &Evidence) -> Option<&str> {
    let mut attempts = evidence.attempts().into_iter();
    attempts.find_map(no_uncaught_errors::thrown_without_webgl)
}

/// What fails on a page that threw something while it was refused WebGL may fail for want of it, and must do so with it,
/// too.
fn as_made(check: &Check, verdict: Verdict, evidence: &Evidence) -> Verdict {
    if verdict.status != Status::Fail || check.phase.is_some_and(|p| p < Phase::Mechanics) {
        return verdict;
    }
    let Some(thrown) = broken_without_webgl(evidence) else {
        return verdict;
    };
    let with_it = |e: &&Evidence| !e.is_without_webgl();
    let fails = |e: &Evidence| judged(check, e).status == Status::Fail;
    if evidence.attempts().into_iter().filter(with_it).any(fails) {
        return verdict;
    }
    Verdict {
        cites: verdict.cites,
        ..skipped(format!(
            "refused WebGL, the page threw \u{201c}{}\u{201d}, and may not be as it was made; {}",
            no_uncaught_errors::shortened(thrown),
            verdict.why
        ))
    }
}

fn judged(check: &Check, evidence: &Evidence) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| (check.judge)(evidence))).unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("unknown");
        open(format!("this check failed itself: {what}"))
    })
}

/// An open verdict that nothing more can decide is Skipped.
fn closed(check: &Check, evidence: &Evidence, verdict: Verdict) -> Verdict {
    if verdict.status != Status::Open {
        return verdict;
    }
    let outcome = check
        .phase
        .and_then(|p| evidence.phase(p))
        .and_then(|p| p.outcome.as_ref());
    let what = verdict
        .why
        .strip_prefix("waiting: ")
        .unwrap_or(&verdict.why);
    let number = check.phase.map_or(0, Phase::number);
    let why = match (outcome, evidence.ended()) {
        // What was not begun has seen nothing that could be told.
        (Some(Outcome::Skipped(why)), _) => format!("phase {number} was left out: {why}"),
        (Some(Outcome::Failed(why)), _) => format!("phase {number} failed ({why}): {what}"),
        (Some(Outcome::BrokeOff(why)), _) => format!("phase {number} broke off ({why}): {what}"),
        (_, Some(_)) => format!("undecided at the end of the run: {what}"),
        _ => return verdict,
    };
    Verdict {
        status: Status::Skipped,
        why,
        cites: verdict.cites,
    }
}

fn pass(why: String, cites: Vec<u64>) -> Verdict {
    Verdict {
        status: Status::Pass,
        why,
        cites,
    }
}

fn fail(why: String, cites: Vec<u64>) -> Verdict {
    Verdict {
        status: Status::Fail,
        why,
        cites,
    }
}

fn open(why: impl Into<String>) -> Verdict {
    Verdict {
        status: Status::Open,
        why: why.into(),
        cites: Vec::new(),
    }
}

fn skipped(why: impl Into<String>) -> Verdict {
    Verdict {
        status: Status::Skipped,
        why: why.into(),
        cites: Vec::new(),
    }
}

/// A press shows what it does within this.
const SHOWS_MS: f64 = 500.0;
/// Fewer odd shapes that nobody caused say nothing.
const ODD: usize = 8;

/// Pieces that seem to change their shape with no key pressed are not read well enough to say, of as many odd shapes
/// as `blamed`, that keys cause them. Pieces that were seen `inside` of blocks go on changing as they fall through them.
fn shapeless(e: &Evidence, blamed: usize, inside: &[u64]) -> Option<Verdict> {
    let by_itself = |h: &&Happening| {
        let odd = matches!(h.event, GridEvent::PieceDeformed { .. });
        let last = e.presses().partition_point(|p| p.down.seq < h.seq);
        let press = last.checked_sub(1).and_then(|at| e.presses().get(at));
        let stuck = || {
            e.reading_at(h.seq)
                .is_some_and(|r| inside.contains(&r.piece))
        };
        odd && press.is_none_or(|p| h.stamp.game_ms_since(p.down) > SHOWS_MS) && !stuck()
    };
    let odd = e.happenings().iter().filter(by_itself).count();
    (odd >= ODD.max(blamed)).then(|| {
        open(format!(
            "the piece is not read steadily enough to tell: {odd} times it seemed to change its shape with no key pressed"
        ))
    })
}

/// For checks that need a running game: the verdict where there is none.
fn needs_start(evidence: &Evidence) -> Option<Verdict> {
    match evidence.start() {
        Some((_, Start::Started(..))) => None,
        Some((_, Start::NotStarted(_))) => Some(skipped("no game was started")),
        None => Some(open("waiting: no game runs yet")),
    }
}

/// For actions every game must have: every candidate key was tried and none did it.
fn looked_in_vain(evidence: &Evidence, action: Action) -> Option<Verdict> {
    let Some((seq, map, _)) = evidence.controls() else {
        return Some(open("waiting: the keys are not known yet"));
    };
    let mapping = map.get(action)?;
    if mapping.key.is_some() {
        return None;
    }
    let tried = map.key_observations.len();
    if !map.complete {
        return Some(open(format!(
            "not every key could be tried, only {tried}: too few pieces had room"
        )));
    }
    let why = if mapping.observation.is_empty() {
        format!("none of {tried} keys does it")
    } else {
        format!("none of {tried} keys does it: {}", mapping.observation)
    };
    Some(fail(why, vec![seq]))
}

/// Was the key held no longer than one step of its action takes? Longer presses may repeat.
fn is_tap(evidence: &Evidence, action: Action, effect: &Effect) -> bool {
    /// A press of a person is no shorter; used where no tap was measured. Auto-repeat begins later.
    const USUAL_MS: f64 = 60.0;
    let tap = evidence
        .controls()
        .and_then(|(_, map, _)| map.get(action))
        .map_or(0, |m| m.tap_ms);
    let limit = if tap == 0 { USUAL_MS } else { f64::from(tap) };
    effect.held_ms.is_some_and(|ms| ms <= limit * 1.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Mark;
    use crate::model::{Record, RecordBody, Stamp};

    #[test]
    fn a_check_that_panics_is_open_and_the_next_is_judged() {
        fn broken(_: &Evidence) -> Verdict {
            panic!("on purpose")
        }
        fn fine(_: &Evidence) -> Verdict {
            pass("fine".into(), Vec::new())
        }
        let check = |judge| Check {
            name: "x",
            title: "x",
            phase: None,
            with: None,
            measures: false,
            judge,
        };
        let views = evaluate_these(&[check(broken), check(fine)], &Evidence::default());
        assert_eq!(views[0].verdict.status, Status::Open);
        assert!(
            views[0]
                .verdict
                .why
                .starts_with("this check failed itself:")
        );
        assert_eq!(views[1].verdict.status, Status::Pass);
    }

    #[test]
    fn what_stays_open_says_at_which_phase_it_ended_and_what_was_missing() {
        let asked = |outcome: Option<Outcome>| {
            let mut evidence = Evidence::default();
            let mut seq = 0;
            let mut mark = |mark: Mark| {
                let stamp = Stamp {
                    seq,
                    ..Stamp::default()
                };
                seq += 1;
                let body = RecordBody::Mark(mark.to_text());
                evidence.push(&Record { stamp, body });
            };
            if let Some(outcome) = outcome {
                mark(Mark::PhaseEnd {
                    phase: Phase::Play,
                    outcome,
                });
            }
            mark(Mark::End {
                why: "the session ended".into(),
            });
            let check = Check {
                name: "x",
                title: "x",
                phase: Some(Phase::Play),
                with: None,
                measures: false,
                judge: |_| open("waiting: no full row yet"),
            };
            let view = evaluate_these(&[check], &evidence).remove(0).verdict;
            assert_eq!(view.status, Status::Skipped);
            view.why
        };
        let why = "no answer".to_string();
        assert_eq!(
            asked(Some(Outcome::BrokeOff(why.clone()))),
            "phase 4 broke off (no answer): no full row yet"
        );
        assert_eq!(
            asked(Some(Outcome::Failed(why.clone()))),
            "phase 4 failed (no answer): no full row yet"
        );
        assert_eq!(
            asked(Some(Outcome::Skipped(why))),
            "phase 4 was left out: no answer"
        );
        assert_eq!(
            asked(None),
            "undecided at the end of the run: no full row yet"
        );
    }

    #[test]
    fn with_nothing_seen_no_check_passes_or_fails() {
        let views = evaluate(&Evidence::default());
        assert!(
            views.iter().all(|v| v.verdict.status == Status::Open),
            "{views:#?}"
        );
        assert!(views.iter().all(|v| !v.verdict.why.is_empty()));
        let mut names: Vec<_> = views.iter().map(|v| v.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), views.len());
    }
}
