//! How long a tap is: longer where a game that looks at its keys every so often does not hear all that are short, and not
//! so long that a piece is moved further by it.
//!
//! Comes in: what presses did. Goes out: a control map with other lengths. Must never know: why a key was pressed.

use crate::driver::controls::turns_show;
use crate::driver::{Driver, FRAME_MS};
use crate::evidence::Evidence;
use crate::model::{Action, By, ControlMap, RecordBody};
use std::collections::BTreeMap;

/// Lengths that a tap is given, in frames.
const LENGTHS: [u32; 7] = [1, 2, 3, 4, 5, 6, 8];
/// Presses that did nothing, or too much, after which another length is looked for.
const WRONG: u32 = 2;
/// Presses of one length after which it is known how well it does.
const KNOWN: u32 = 6;
/// The keys whose taps are measured.
const SIDES: [Action; 2] = [Action::MoveLeft, Action::MoveRight];

/// What steps aside did at one length of a tap.
#[derive(Debug, Clone, Copy, Default)]
struct Steps {
    right: u32,
    /// Nothing, though there was room.
    unheard: u32,
    /// More columns than a press moves.
    far: u32,
    /// Of both, since taps became so long.
    wrong: u32,
}

impl Steps {
    fn all(self) -> u32 {
        self.right + self.unheard + self.far
    }

    /// Does it do worse than another, as far as both are known?
    fn is_worse_than(self, other: Self) -> bool {
        self.all() >= KNOWN && self.right * other.all() <= other.right * self.all()
    }
}

/// What is known of the length of taps while pieces are played.
#[derive(Debug, Clone, Default)]
pub(super) struct Taps {
    /// By frames.
    known: BTreeMap<u32, Steps>,
}

impl Taps {
    /// A press moved a piece aside as far as its key does.
    pub fn went_right<D: Driver>(&mut self, d: &D) {
        self.now(d).1.right += 1;
    }

    /// Some presses that had their time did nothing, beside others that did.
    pub fn missed<D: Driver>(&mut self, d: &mut D, presses: u32) {
        let (frames, steps) = self.now(d);
        steps.unheard += presses;
        steps.wrong += presses;
        if steps.wrong >= WRONG {
            let longer = LENGTHS.into_iter().find(|n| *n > frames);
            self.try_another(d, frames, longer);
        }
    }

    /// A press moved a piece further aside than its key does.
    pub fn went_far<D: Driver>(&mut self, d: &mut D) {
        let (frames, steps) = self.now(d);
        steps.far += 1;
        steps.wrong += 1;
        if steps.wrong >= WRONG {
            let shorter = LENGTHS.into_iter().rfind(|n| *n < frames);
            self.try_another(d, frames, shorter);
        }
    }

    fn now<D: Driver>(&mut self, d: &D) -> (u32, &mut Steps) {
        let frames = (length(d.controls()) / FRAME_MS).round() as u32;
        (frames, self.known.entry(frames).or_default())
    }

    /// Goes over to another length, unless that is known to do no better. A game that asks for its keys every so often
    /// moves a piece once for each time that a tap is as long: shorter ones are lost now and then, longer ones count twice.
    fn try_another<D: Driver>(&mut self, d: &mut D, frames: u32, other: Option<u32>) {
        let of = |n: u32| self.known.get(&n).copied().unwrap_or_default();
        let Some(other) = other.filter(|n| !of(*n).is_worse_than(of(frames))) else {
            return;
        };
        self.known.entry(other).or_default().wrong = 0;
        let ms = (f64::from(other) * FRAME_MS).round() as u32;
        let why = if other > frames {
            set(d, &Action::ALL, |tap_ms| tap_ms.max(ms));
            set(d, &SIDES, |_| ms);
            format!("presses are not all heard: {ms} ms each from now on")
        } else {
            set(d, &SIDES, |_| ms);
            format!("longer presses move a piece further: {ms} ms from now on for steps aside")
        };
        d.record(RecordBody::Note(why));
    }
}

/// Makes taps longer where one of an action's last probe was not heard.
pub(super) fn heard<D: Driver>(d: &mut D, action: Action) {
    if d.effects_within() <= 0.0 && d.evidence(|e| missed(e, action) && !wide(e)) {
        lengthen(d);
    }
}

/// Makes every tap longer. `false` where they are as long as taps of people already.
pub(super) fn lengthen<D: Driver>(d: &mut D) -> bool {
    let now = length(d.controls());
    let mut longer = LENGTHS.map(|n| f64::from(n) * FRAME_MS).into_iter();
    let Some(ms) = longer.find(|n| *n > now + 1.0) else {
        return false;
    };
    let ms = ms.round() as u32;
    set(d, &Action::ALL, |tap_ms| tap_ms.max(ms));
    d.record(RecordBody::Note(format!(
        "presses are not all heard: {ms} ms each from now on"
    )));
    true
}

/// How long a tap of a side key is, in milliseconds; the longer where they differ.
fn length(map: &ControlMap) -> f64 {
    let known = SIDES.iter().filter_map(|a| map.get(*a));
    known.map(|m| f64::from(m.tap_ms)).fold(0.0, f64::max)
}

/// Gives the taps of known keys another length.
fn set<D: Driver>(d: &mut D, actions: &[Action], to: impl Fn(u32) -> u32) {
    let mut map = d.controls().clone();
    for action in actions {
        if let Some(known) = map.get(*action).filter(|m| m.key.is_some()) {
            let mut other = known.clone();
            other.tap_ms = to(other.tap_ms);
            map.set(*action, other);
        }
    }
    d.set_controls(map, By::Discovery);
}

/// Did a press of a side key move a piece one column, and another, with as much room, more?
fn wide(e: &Evidence) -> bool {
    [(Action::MoveLeft, -1), (Action::MoveRight, 1)]
        .into_iter()
        .any(|(action, side)| {
            let all = e.effects(action);
            let steps: Vec<i32> = all
                .iter()
                .filter(|x| x.whole() && !x.gone && x.room(side) > 1)
                .map(|x| x.aside().abs())
                .collect();
            steps.contains(&1) && steps.iter().any(|n| *n > 1)
        })
}

/// Did one press of the last probe do something, and another, with as much room, nothing?
fn missed(e: &Evidence, action: Action) -> bool {
    let side = match action {
        Action::MoveLeft => -1,
        Action::MoveRight => 1,
        _ => 0,
    };
    let last = e.probes().iter().rfind(|p| p.action == action);
    let all = last.map(|p| e.effects_in(p)).unwrap_or_default();
    let fair = all.iter().filter(|x| {
        let free = if side == 0 {
            x.room(-1) > 0 && x.room(1) > 0 && turns_show(&x.before) && x.before.corner().1 > 0
        } else {
            x.room(side) > 0
        };
        x.whole() && !x.gone && free
    });
    let heard: Vec<bool> = fair
        .map(|x| {
            if side == 0 {
                x.reshaped()
            } else {
                x.aside() != 0
            }
        })
        .collect();
    heard.contains(&true) && heard.contains(&false)
}
