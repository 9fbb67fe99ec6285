use super::rotate::{Turns, turns};
use super::{Verdict, fail, needs_start, open, pass, shapeless, skipped};
use crate::evidence::Evidence;
use crate::model::{Action, GridEvent, PieceKind};
use std::collections::BTreeSet;

/// Kinds that must have been seen.
const FEW: usize = 4;

/// Every kind seen goes through its states.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if e.controls().is_none() {
        return open("waiting: the keys are not known yet");
    }
    let mut all: Vec<Turns> = Vec::new();
    for action in [Action::RotateCw, Action::RotateCcw] {
        if e.key(action).is_some() {
            all.extend(turns(e, action));
        }
    }
    if e.key(Action::RotateCw).is_none() && e.key(Action::RotateCcw).is_none() {
        return skipped("no key turns a piece");
    }
    let seen: BTreeSet<PieceKind> = e
        .happenings()
        .iter()
        .filter_map(|h| match &h.event {
            GridEvent::PieceSpawned { kind, .. } => *kind,
            _ => None,
        })
        .collect();
    let (mut whole, mut lacking, mut untold) = (Vec::new(), Vec::new(), Vec::new());
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for kind in &seen {
        let due = kind.states().len();
        let of: Vec<&Turns> = all.iter().filter(|t| t.kind == *kind).collect();
        let through = of.iter().find(|t| t.shapes >= due && t.broken.is_empty());
        // A piece that has one state has nothing to go through.
        if due == 1 {
            whole.push(kind.letter());
            continue;
        }
        let short: Vec<&&Turns> = of
            .iter()
            .filter(|t| t.short() || t.room && t.presses.len() >= 4 && !t.broken.is_empty())
            .collect();
        match through {
            Some(t) => {
                whole.push(kind.letter());
                good.push(t.presses[0].seq);
            }
            None if short.len() >= 2 => {
                lacking.push(format!("{} {} of {due}", kind.letter(), short[0].shapes));
                bad.extend(short.iter().map(|t| t.presses[0].seq));
            }
            None => untold.push(kind.letter()),
        }
    }
    if !lacking.is_empty() {
        if let Some(v) = shapeless(e, bad.len(), &[]) {
            return v;
        }
        bad.truncate(8);
        let why = format!(
            "states seen in four presses, twice each: {}",
            lacking.join(", ")
        );
        return fail(why, bad);
    }
    let names = |k: &[char]| k.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
    if seen.len() >= FEW && untold.is_empty() {
        return pass(format!("{} went through their states", names(&whole)), good);
    }
    open(format!(
        "{} of {} kinds seen went through their states; not told yet: {}",
        whole.len(),
        seen.len(),
        if untold.is_empty() {
            "none".into()
        } else {
            names(&untold)
        }
    ))
}
