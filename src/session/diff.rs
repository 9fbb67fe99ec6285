//! Where two recordings part: the first event that differs, and the verdicts that do.
//!
//! Comes in: two recordings. Goes out: [`Difference`]. Must never know: a browser, a clock.

use super::judge::{Corrections, Judged, judge};
use super::recording::{Recording, Troubles};
use crate::evidence::Evidence;
use crate::model::{GridEvent, Key, Phase};
use crate::report::BotReport;
use std::fmt;

/// What tells two runs apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The first thing that happened in one and not in the other; `None` where all of one happened in the other.
    pub parting: Option<Parting>,
    /// How many things happened alike before that.
    pub alike: usize,
    /// Verdicts that are not the same.
    pub verdicts: Vec<Changed>,
    /// Facts of the report that are not the same: what, in the first, in the second.
    pub facts: Vec<(String, String, String)>,
    /// What is wrong with either recording.
    pub troubles: [Troubles; 2],
}

/// Where two runs part.
#[derive(Debug, Clone, PartialEq)]
pub struct Parting {
    /// The phase of the first run by then.
    pub phase: Option<Phase>,
    /// What happened in either; `None` where that run was over.
    pub events: [Option<At>; 2],
}

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct At {
    /// Number of the record.
    pub seq: u64,
    /// Game time in microseconds.
    pub game_us: u64,
    /// What, in words.
    pub what: String,
}

/// A verdict that is not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The check.
    pub name: String,
    /// pass, fail or skipped, in either; absent where a run does not know the check.
    pub status: [Option<String>; 2],
    /// The reasons.
    pub why: [String; 2],
}

impl Difference {
    /// Is there any?
    pub fn any(&self) -> bool {
        self.parting.is_some() || !self.verdicts.is_empty() || !self.facts.is_empty()
    }
}

/// Something that happened in a run, without when: what is compared.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Phase(Phase),
    Press(Key),
    Event(GridEvent),
}

impl Step {
    fn words(&self) -> String {
        match self {
            Self::Phase(phase) => format!("phase {} {}", phase.number(), phase.title()),
            Self::Press(key) => format!("press {key}"),
            Self::Event(event) => super::log::event_words(event).unwrap_or_else(|| match event {
                GridEvent::PieceMoved { by, .. } => format!("fell {by}"),
                _ => "something on the board".into(),
            }),
        }
    }
}

/// What happened, in the order of the records.
fn steps(evidence: &Evidence) -> Vec<(u64, u64, Step)> {
    let mut steps: Vec<(u64, u64, Step)> = Vec::new();
    for attempt in evidence.attempts() {
        let phases = attempt.phases().iter();
        steps.extend(phases.map(|p| (p.from.seq, p.from.game_us, Step::Phase(p.phase))));
        let presses = attempt.presses().iter();
        steps.extend(presses.map(|p| (p.down.seq, p.down.game_us, Step::Press(p.key.clone()))));
        let events = attempt.happenings().iter();
        steps.extend(events.map(|h| (h.stamp.seq, h.stamp.game_us, Step::Event(h.event.clone()))));
    }
    // Stable: what one record led to stays in its order.
    steps.sort_by_key(|s| s.0);
    steps
}

/// Compares two recordings.
pub fn diff(
    first: &Recording,
    second: &Recording,
) -> Result<Difference, super::judge::CorrectionError> {
    let none = Corrections::default();
    let (a, b) = (judge(first, &none)?, judge(second, &none)?);
    let (steps_a, steps_b) = (steps(&a.evidence), steps(&b.evidence));
    let alike = steps_a
        .iter()
        .zip(&steps_b)
        .take_while(|(a, b)| a.2 == b.2)
        .count();
    let at = |steps: &[(u64, u64, Step)]| {
        steps.get(alike).map(|(seq, game_us, step)| At {
            seq: *seq,
            game_us: *game_us,
            what: step.words(),
        })
    };
    let events = [at(&steps_a), at(&steps_b)];
    let phase = steps_a[..alike].iter().rev().find_map(|s| match s.2 {
        Step::Phase(phase) => Some(phase),
        _ => None,
    });
    Ok(Difference {
        parting: events
            .iter()
            .any(Option::is_some)
            .then_some(Parting { phase, events }),
        alike,
        verdicts: verdicts(&a.report, &b.report),
        facts: facts(&a, &b),
        troubles: [a.troubles, b.troubles],
    })
}

fn verdicts(a: &BotReport, b: &BotReport) -> Vec<Changed> {
    let mut names: Vec<&str> = a.tests.iter().map(|t| t.name.as_str()).collect();
    let only_b = b.tests.iter().map(|t| t.name.as_str());
    let only_b: Vec<&str> = only_b.filter(|n| !names.contains(n)).collect();
    names.extend(only_b);
    let find = |report: &BotReport, name: &str| {
        let test = report.tests.iter().find(|t| t.name == name);
        test.map(|t| (t.status.clone(), t.why.clone()))
    };
    let mut changed = Vec::new();
    for name in names {
        let (in_a, in_b) = (find(a, name), find(b, name));
        let word = |t: &Option<(String, String)>| t.as_ref().map(|t| t.0.clone());
        if word(&in_a) != word(&in_b) {
            changed.push(Changed {
                name: name.to_owned(),
                status: [word(&in_a), word(&in_b)],
                why: [in_a, in_b].map(|t| t.map_or(String::new(), |t| t.1)),
            });
        }
    }
    changed
}

fn facts(a: &Judged, b: &Judged) -> Vec<(String, String, String)> {
    let words = |r: &BotReport| {
        let i = &r.implementation;
        let board = i.board.as_ref().map_or("none".into(), |b| {
            format!("{}×{} at {:.0},{:.0}", b.columns, b.rows, b.x, b.y)
        });
        let keys = i.controls.iter().map(|(a, k)| format!("{a} {k:?}"));
        [
            ("target", r.target.clone()),
            ("start", i.start_mechanism.clone()),
            ("board", board),
            ("reader", i.reader.clone()),
            ("controls", keys.collect::<Vec<_>>().join(", ")),
            (
                "could not judge",
                r.could_not_judge.clone().unwrap_or_else(|| "-".into()),
            ),
        ]
    };
    words(&a.report)
        .into_iter()
        .zip(words(&b.report))
        .filter(|(a, b)| a.1 != b.1)
        .map(|(a, b)| (a.0.to_owned(), a.1, b.1))
        .collect()
}

fn time(us: u64) -> String {
    let ms = us / 1000;
    format!("{:02}:{:02}.{:03}", ms / 60_000, ms / 1000 % 60, ms % 1000)
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, troubles) in ["first", "second"].into_iter().zip(&self.troubles) {
            if troubles.any() {
                writeln!(f, "the {name}: {troubles}")?;
            }
        }
        if !self.any() {
            return writeln!(f, "no difference: {} things happened alike", self.alike);
        }
        match &self.parting {
            None => writeln!(f, "the same happened in both: {} things", self.alike)?,
            Some(parting) => {
                let phase = parting.phase.map_or(String::new(), |p| {
                    format!(", in phase {} {}", p.number(), p.title())
                });
                writeln!(f, "they part after {} things alike{phase}:", self.alike)?;
                for (sign, event) in ["<", ">"].into_iter().zip(&parting.events) {
                    match event {
                        Some(at) => writeln!(
                            f,
                            "  {sign} {} #{} {}",
                            time(at.game_us),
                            at.seq,
                            super::harmless(&at.what)
                        )?,
                        None => writeln!(f, "  {sign} it was over")?,
                    }
                }
            }
        }
        if !self.verdicts.is_empty() {
            writeln!(f, "verdicts that changed:")?;
        }
        for v in &self.verdicts {
            writeln!(f, "  {}", v.name)?;
            for ((sign, status), why) in ["<", ">"].into_iter().zip(&v.status).zip(&v.why) {
                let status = status.as_deref().unwrap_or("not known");
                writeln!(f, "    {sign} {status}: {}", super::harmless(why))?;
            }
        }
        for (what, a, b) in &self.facts {
            let (a, b) = (super::harmless(a), super::harmless(b));
            writeln!(f, "{what}:\n  < {a}\n  > {b}")?;
        }
        Ok(())
    }
}
