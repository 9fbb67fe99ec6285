//! How long a tap is: longer where a game that looks at its keys every so often does not hear all that are short, and not
//! so long that a piece is moved further by it.
//!
//! Comes in: what presses did. Goes out: a control map with other lengths. Must never know: why a key was pressed.

use crate::driver::controls::turns_show;
use crate::driver::{Driver, FRAME_MS};
use crate::evidence::Evidence;
use crate::model::{Action, By, ControlMap, RecordBody};

/// Lengths that a tap is given where shorter ones are not always heard, in frames.
const LONGER: [f64; 4] = [2.0, 3.0, 5.0, 8.0];
/// Presses that did nothing, after which all get more time.
const UNHEARD: u32 = 2;
/// The keys whose taps are measured.
const SIDES: [Action; 2] = [Action::MoveLeft, Action::MoveRight];

/// What is known of the length of taps while pieces are played.
#[derive(Debug, Clone, Default)]
pub(super) struct Taps {
    /// Presses that did nothing though they had their time.
    unheard: u32,
    /// They were made longer.
    longer: bool,
    /// Longer ones move a piece further.
    too_long: bool,
}

impl Taps {
    /// Makes taps longer. `false` where they stay as they are.
    pub fn lengthen<D: Driver>(&mut self, d: &mut D) -> bool {
        let longer = !self.too_long && lengthen(d);
        if longer {
            self.longer = true;
            self.unheard = 0;
        }
        longer
    }

    /// Some presses that had their time did nothing, beside others that did: with the second, all get more.
    pub fn missed<D: Driver>(&mut self, d: &mut D, presses: u32) {
        self.unheard += presses;
        if self.unheard >= UNHEARD {
            self.lengthen(d);
        }
    }

    /// A press moved a piece further aside than its key does.
    pub fn went_far<D: Driver>(&mut self, d: &mut D) {
        if std::mem::take(&mut self.longer) {
            self.too_long = true;
            shorten(d);
        }
    }
}

/// Makes taps longer where one of an action's last probe was not heard.
pub(super) fn heard<D: Driver>(d: &mut D, action: Action) {
    if d.effects_within() <= 0.0 && d.evidence(|e| missed(e, action) && !wide(e)) {
        lengthen(d);
    }
}

/// Makes every tap longer. `false` where they are as long as taps of people already.
fn lengthen<D: Driver>(d: &mut D) -> bool {
    let now = length(d.controls());
    let mut longer = LONGER.map(|n| n * FRAME_MS).into_iter();
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

/// Makes the taps of side keys as short again as they were: longer ones move a piece further.
fn shorten<D: Driver>(d: &mut D) {
    let now = length(d.controls());
    let mut shorter = LONGER.map(|n| n * FRAME_MS).into_iter();
    let ms = shorter.rfind(|n| *n < now - 1.0).unwrap_or(FRAME_MS);
    let ms = ms.round() as u32;
    set(d, &SIDES, |tap_ms| tap_ms.min(ms));
    d.record(RecordBody::Note(format!(
        "longer presses move a piece further: {ms} ms again for steps aside"
    )));
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
