//! From what every key did to which key does what.

use super::{Effect, HELD_MS, Search, TAP_MS, candidate_keys};
use crate::model::{Action, Confidence, ControlMap, ControlMapping, Key};

/// Rows by which one press of a soft drop differs from another at most: those of gravity, and what a held key does in a
/// frame or two.
const NEARLY_AS_FAR: i32 = 3;

impl Search<'_> {
    /// The map that follows from all trials.
    pub(super) fn map(&self) -> ControlMap {
        let mut map = ControlMap::default();
        map.complete = self.complete;
        for (key, effects) in &self.found.effects {
            let said: Vec<String> = effects
                .iter()
                .map(|(e, held)| format!("{held:.0} ms: {e}"))
                .collect();
            map.key_observations
                .insert(key.as_str().to_string(), said.join("; "));
        }
        for action in Action::ALL {
            map.set(action, self.mapping(action));
        }
        if let Some((key, resumed)) = &self.pause {
            map.set(
                Action::Pause,
                ControlMapping {
                    key: Some(key.clone()),
                    confidence: if *resumed {
                        Confidence::Confirmed
                    } else {
                        Confidence::Suspected
                    },
                    observation: if *resumed {
                        "stopped the game and let it go on, twice".into()
                    } else {
                        "stopped the game; pressed again, it did not let it go on".into()
                    },
                    tap_ms: self.sure_ms() as u32,
                },
            );
            map.key_observations.insert(
                key.as_str().to_string(),
                if *resumed {
                    "stops the game and lets it go on".into()
                } else {
                    "stops the game".into()
                },
            );
        }
        map
    }

    /// How long a key is pressed of which it can't be told at once whether it was heard, in milliseconds. Where a key that
    /// moves or turns a piece was not heard for a frame, the game looks at its keys every so often.
    pub(super) fn sure_ms(&self) -> f64 {
        let once = |e: &Effect| {
            matches!(
                e,
                Effect::Sideways(_) | Effect::Clockwise | Effect::CounterClockwise | Effect::Turned
            )
        };
        let all = self.found.effects.values().flatten();
        let mut late = all.filter(|(e, held)| once(e) && *held > TAP_MS + 1.0);
        if late.next().is_some() {
            HELD_MS
        } else {
            TAP_MS * 3.0
        }
    }

    pub(super) fn mapping(&self, action: Action) -> ControlMapping {
        let does = |e: &Effect| match action {
            Action::MoveLeft => matches!(e, Effect::Sideways(n) if *n < 0),
            Action::MoveRight => matches!(e, Effect::Sideways(n) if *n > 0),
            Action::SoftDrop => matches!(e, Effect::Down(_)),
            Action::HardDrop => matches!(e, Effect::Dropped { .. }),
            Action::RotateCw => matches!(e, Effect::Clockwise),
            Action::RotateCcw => matches!(e, Effect::CounterClockwise),
            Action::Hold => matches!(e, Effect::Swapped),
            Action::Pause => false,
        };
        // Of several keys the one tried first wins, and one that did it each time before one that did it once. A key
        // is what it did most often: a drop after which the next piece was seen too soon looks like a swap, once.
        let order = candidate_keys();
        let mut best: Option<(usize, usize, &Key)> = None;
        for (key, effects) in &self.found.effects {
            let times = effects.iter().filter(|(e, _)| does(e)).count();
            let something = effects
                .iter()
                .filter(|(e, _)| *e != Effect::Nothing)
                .count();
            // A turn whose direction did not show is one to either side.
            let turns = matches!(action, Action::RotateCw | Action::RotateCcw);
            let undirected = |(e, _): &&(Effect, f64)| turns && *e == Effect::Turned;
            let turned = effects.iter().filter(undirected).count();
            // What kills the page now and then is not played with.
            if effects.iter().any(|(e, _)| *e == Effect::Hung) {
                continue;
            }
            // What once left a piece in the air, lower, is a soft drop that goes far; one that locked after about as many
            // rows came to rest meanwhile.
            let farthest = effects.iter().filter_map(|(e, _)| match e {
                Effect::Down(rows) => Some(*rows),
                _ => None,
            });
            let far_drop = effects.iter().filter_map(|(e, _)| match e {
                Effect::Dropped { rows, locked: true } => Some(*rows),
                _ => None,
            });
            if action == Action::HardDrop
                && let Some(farthest) = farthest.max()
                && far_drop
                    .max()
                    .is_none_or(|rows| rows <= farthest + NEARLY_AS_FAR)
            {
                continue;
            }
            // What once emptied the board begins a new game; over an empty one that looks like a hold.
            if action == Action::Hold && effects.iter().any(|(e, _)| *e == Effect::Left) {
                continue;
            }
            // A turn that is drawn on the way may look like another piece; no hold looks like a turn.
            let turn = |e: &Effect| matches!(e, Effect::Clockwise | Effect::CounterClockwise);
            let turning = effects.iter().filter(|(e, _)| turn(e)).count();
            if action == Action::Hold && turning >= times {
                continue;
            }
            // A key that turns some pieces one way and some the other is the game's one key for turning.
            let both = turns_both_ways(effects);
            if action == Action::RotateCcw && both {
                continue;
            }
            let usual = (times + turned) * 2 >= something || action == Action::RotateCw && both;
            if times == 0 || !usual {
                continue;
            }
            let place = order.iter().position(|k| k == key).unwrap_or(usize::MAX);
            let better = best.is_none_or(|(t, p, _)| {
                (times.min(2), usize::MAX - place) > (t.min(2), usize::MAX - p)
            });
            if better {
                best = Some((times, place, key));
            }
        }
        // A turn whose direction never showed is taken for the usual one, and said. Where another key turns pieces, one
        // that mostly did nothing was once read wrongly.
        if best.is_none() && action == Action::RotateCw {
            let count = |e: &[(Effect, f64)], what: fn(&Effect) -> bool| {
                e.iter().filter(|(e, _)| what(e)).count()
            };
            let odd = |e: &Effect| matches!(e, Effect::Turned | Effect::Deformed);
            let other = self
                .found
                .effects
                .values()
                .any(|e| count(e, |e| *e == Effect::CounterClockwise) >= 2);
            let turned = self.found.effects.iter().find(|(_, e)| {
                let times = count(e, odd);
                let rightly = !other || times > count(e, |e| *e == Effect::Nothing);
                times > 0 && rightly && count(e, |e| *e == Effect::CounterClockwise) == 0
            });
            if let Some((key, effects)) = turned {
                return ControlMapping {
                    key: Some(key.clone()),
                    confidence: Confidence::Suspected,
                    observation: describe(effects),
                    tap_ms: effects.last().map_or(TAP_MS, |e| e.1) as u32,
                };
            }
        }
        match best {
            Some((times, _, key)) => ControlMapping {
                key: Some(key.clone()),
                confidence: if times >= 2 {
                    Confidence::Confirmed
                } else {
                    Confidence::Suspected
                },
                observation: self
                    .found
                    .effects
                    .get(key)
                    .map_or_else(String::new, |e| describe(e)),
                tap_ms: self
                    .found
                    .effects
                    .get(key)
                    .and_then(|e| e.last())
                    .map_or(TAP_MS, |e| e.1)
                    .max(self.spaced_ms)
                    .ceil() as u32,
            },
            None => ControlMapping {
                key: None,
                confidence: Confidence::NotFound,
                observation: format!("none of {} keys did it", self.found.effects.len()),
                tap_ms: 0,
            },
        }
    }
}

fn turns_both_ways(effects: &[(Effect, f64)]) -> bool {
    let does = |way: &Effect| effects.iter().any(|(e, _)| e == way);
    does(&Effect::Clockwise) && does(&Effect::CounterClockwise)
}

fn describe(effects: &[(Effect, f64)]) -> String {
    let all: Vec<String> = effects.iter().map(|(e, _)| e.to_string()).collect();
    let mut once: Vec<&String> = Vec::new();
    for e in &all {
        if !once.contains(&e) {
            once.push(e);
        }
    }
    let said: Vec<String> = once
        .iter()
        .map(|e| {
            let n = all.iter().filter(|a| a == e).count();
            if n > 1 {
                format!("{e} ({n}×)")
            } else {
                (*e).clone()
            }
        })
        .collect();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(action: Action, effects: &[Effect]) -> Option<Key> {
        let mut search = Search::new(&[]);
        let effects = effects.iter().map(|e| (e.clone(), TAP_MS)).collect();
        search.found.effects.insert(Key::new("d"), effects);
        search.mapping(action).key
    }

    #[test]
    fn a_turn_that_once_looked_like_another_piece_is_no_hold() {
        let turned = [Effect::Clockwise, Effect::Swapped];
        assert_eq!(key_of(Action::Hold, &turned), None);
        assert!(key_of(Action::RotateCw, &turned).is_some());
        assert_eq!(
            key_of(
                Action::Hold,
                &[Effect::Turned, Effect::Turned, Effect::Swapped]
            ),
            None
        );
        assert!(key_of(Action::Hold, &[Effect::Swapped, Effect::Swapped]).is_some());
    }

    #[test]
    fn a_soft_drop_that_came_to_rest_meanwhile_is_no_hard_drop() {
        let locked = |rows| Effect::Dropped { rows, locked: true };
        let near = [locked(4), Effect::Down(3)];
        assert_eq!(key_of(Action::HardDrop, &near), None);
        assert!(key_of(Action::SoftDrop, &near).is_some());
        let far = [locked(14), Effect::Down(3)];
        assert!(key_of(Action::HardDrop, &far).is_some());
    }
}
