//! Actions, and which are worth trying.
//!
//! Comes in: what a page offers. Goes out: actions, the most promising first. Must never know: what any word means; a
//! name only tells one control from another.

use super::ground::Sight;
use crate::model::Rect;
use crate::progress::Deed;
use crate::progress::ask::Offer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Keys that games listen for, the usual first.
const KEYS: [&str; 18] = [
    "Enter",
    " ",
    "ArrowRight",
    "ArrowUp",
    "ArrowLeft",
    "ArrowDown",
    "x",
    "z",
    "w",
    "a",
    "s",
    "d",
    "1",
    "Escape",
    "p",
    "e",
    "r",
    "Tab",
];
/// So long a key is held when a tap was not enough, in milliseconds.
const HOLD_MS: u32 = 600;
/// How much what was hardly tried is preferred to what is known to help.
const CURIOSITY: f64 = 0.3;
/// At most so many controls are tried in one state.
const CONTROLS: usize = 40;

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Act {
    /// A click at a point of the viewport.
    Click {
        /// Where, in CSS pixels.
        x: f64,
        /// Where, in CSS pixels.
        y: f64,
        /// What is there, for people; untrusted.
        name: String,
    },
    /// Two clicks at once.
    DoubleClick {
        /// Where, in CSS pixels.
        x: f64,
        /// Where, in CSS pixels.
        y: f64,
    },
    /// A key pressed and, after a while, released.
    Key {
        /// Its `KeyboardEvent.key`.
        key: String,
        /// How long it is held, in milliseconds of game time; 0 is a tap.
        hold_ms: u32,
    },
    /// Keys one after the other, into what has the focus.
    Type {
        /// What is typed.
        text: String,
        /// Where it is clicked first.
        x: f64,
        /// Where it is clicked first.
        y: f64,
    },
    /// Pressed at one point, released at another.
    Drag {
        /// From.
        from: (f64, f64),
        /// To.
        to: (f64, f64),
    },
    /// The wheel turned.
    Scroll {
        /// By CSS pixels; down is positive.
        by: f64,
    },
    /// Nothing for a while.
    Wait {
        /// Milliseconds of game time.
        ms: u32,
    },
}

impl Act {
    /// A tap of a key.
    pub fn tap(key: &str) -> Self {
        Self::Key {
            key: key.into(),
            hold_ms: 0,
        }
    }

    /// A click on something.
    pub fn click(x: f64, y: f64, name: &str) -> Self {
        Self::Click {
            x: x.round(),
            y: y.round(),
            name: name.into(),
        }
    }

    /// What kind of thing this is to the detector.
    pub fn deed(&self) -> Deed {
        match self {
            Self::Click { .. } | Self::DoubleClick { .. } | Self::Drag { .. } => Deed::Click,
            Self::Key { .. } | Self::Type { .. } => Deed::Key,
            Self::Scroll { .. } | Self::Wait { .. } => Deed::Unknown,
        }
    }

    /// The same thing done anywhere has the same name.
    pub fn id(&self) -> String {
        match self {
            Self::Click { x, y, name } if name.is_empty() => format!("click {x:.0},{y:.0}"),
            Self::Click { x, y, name } => format!("click {name:?} at {x:.0},{y:.0}"),
            Self::DoubleClick { x, y } => format!("double click {x:.0},{y:.0}"),
            Self::Key { key, hold_ms: 0 } => format!("press {}", shown(key)),
            Self::Key { key, hold_ms } => format!("hold {} for {hold_ms} ms", shown(key)),
            Self::Type { text, x, y } => format!("type {text:?} at {x:.0},{y:.0}"),
            Self::Drag { from, to } => {
                format!(
                    "drag {:.0},{:.0} to {:.0},{:.0}",
                    from.0, from.1, to.0, to.1
                )
            }
            Self::Scroll { by } => format!("scroll by {by:.0}"),
            Self::Wait { ms } => format!("wait {ms} ms"),
        }
    }

    /// As it is offered to a model: what is done, and to what.
    pub fn offer(&self) -> Offer {
        let place = |x: &f64, y: &f64| format!("{x:.0},{y:.0}");
        let (action, target) = match self {
            Self::Click { x, y, name } if name.is_empty() => ("click", place(x, y)),
            Self::Click { x, y, name } => ("click", format!("{name:?} at {}", place(x, y))),
            Self::DoubleClick { x, y } => ("double click", place(x, y)),
            Self::Key { key, hold_ms: 0 } => ("press", shown(key).into()),
            Self::Key { key, .. } => ("hold", shown(key).into()),
            Self::Type { x, y, .. } => ("type", place(x, y)),
            Self::Drag { from, to } => (
                "drag",
                format!("{} to {}", place(&from.0, &from.1), place(&to.0, &to.1)),
            ),
            Self::Scroll { .. } => ("scroll", "page".into()),
            Self::Wait { .. } => ("wait", String::new()),
        };
        Offer {
            action: action.into(),
            target,
        }
    }

    /// Which things are alike: what is learned of one counts for the others.
    pub fn family(&self) -> &'static str {
        match self {
            Self::Click { name, .. } if name.is_empty() => "place",
            Self::Click { .. } => "control",
            Self::DoubleClick { .. } => "double click",
            Self::Key { hold_ms: 0, .. } => "key",
            Self::Key { .. } => "held key",
            Self::Type { .. } => "field",
            Self::Drag { .. } => "drag",
            Self::Scroll { .. } => "scroll",
            Self::Wait { .. } => "wait",
        }
    }
}

fn shown(key: &str) -> &str {
    if key == " " { "Space" } else { key }
}

/// How often something helped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Luck {
    tried: u32,
    helped: u32,
}

impl Luck {
    /// The share that helped; `prior` counts for as many tries as `weight`.
    fn rate(self, prior: f64, weight: f64) -> f64 {
        (f64::from(self.helped) + weight * prior) / (f64::from(self.tried) + weight)
    }
}

/// What was learned about which things help.
#[derive(Debug, Clone, Default)]
pub(super) struct Experience {
    families: BTreeMap<&'static str, Luck>,
    acts: BTreeMap<String, Luck>,
}

impl Experience {
    /// Remembers how an action fared.
    pub fn learn(&mut self, act: &Act, helped: bool) {
        for luck in [
            self.families.entry(act.family()).or_default(),
            self.acts.entry(act.id()).or_default(),
        ] {
            luck.tried += 1;
            luck.helped += u32::from(helped);
        }
    }

    /// How promising an action is: its family's luck, and its own.
    pub fn promise(&self, act: &Act) -> f64 {
        let prior = match act.family() {
            "control" => 0.75,
            "key" => 0.5,
            "field" => 0.35,
            "place" => 0.4,
            "held key" => 0.25,
            _ => 0.1,
        };
        let luck = |l: Option<&Luck>| l.copied().unwrap_or_default();
        let family = luck(self.families.get(act.family())).rate(prior, 2.0);
        // The keys games usually listen for are worth another try in each new state.
        let usual = match act {
            Act::Key { key, .. } if KEYS[..6].contains(&key.as_str()) => 1.4,
            _ => 1.0,
        };
        let own = luck(self.acts.get(&act.id()));
        let total: u32 = self.families.values().map(|l| l.tried).sum();
        // What was hardly tried deserves a try, also beside what always helps: a thing that only counts goes on for ever.
        let curiosity = (f64::from(1 + total).ln() / f64::from(1 + own.tried)).sqrt();
        own.rate(family, 4.0) * usual + CURIOSITY * curiosity
    }
}

/// Everything worth trying in what is seen, the usual first.
pub(super) fn candidates(sight: &Sight) -> Vec<Act> {
    let mut acts: Vec<Act> = Vec::new();
    // What lies over the rest comes first: the rest cannot be reached.
    let mut controls: Vec<_> = sight.controls.iter().filter(|c| c.usable).collect();
    controls.sort_by_key(|c| !c.in_overlay);
    for control in controls.into_iter().take(CONTROLS) {
        let (x, y) = centre(control.rect);
        if control.is_field {
            acts.push(Act::Type {
                text: "5".into(),
                x: x.round(),
                y: y.round(),
            });
        } else {
            let name = if control.name.is_empty() {
                "control"
            } else {
                &control.name
            };
            acts.push(Act::click(x, y, name));
        }
    }
    if sight.listens_to_keys {
        // A lone letter or digit on the screen may be a key.
        let named = sight
            .texts
            .iter()
            .flat_map(|t| t.split_whitespace())
            .filter_map(|word| {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric());
                (word.chars().count() == 1).then(|| word.to_lowercase())
            });
        let mut keys: Vec<String> = Vec::new();
        for key in KEYS[..6]
            .iter()
            .map(ToString::to_string)
            .chain(named.take(6))
            .chain(KEYS[6..].iter().map(ToString::to_string))
        {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        acts.extend(keys.iter().map(|k| Act::tap(k)));
        acts.extend(KEYS[1..6].iter().map(|k| Act::Key {
            key: (*k).into(),
            hold_ms: HOLD_MS,
        }));
    }
    if sight.listens_to_pointer {
        for place in places(sight) {
            acts.push(Act::click(place.0, place.1, ""));
        }
        for rect in &sight.surfaces {
            let (x, y) = centre(*rect);
            let reach = (rect.width / 4.0, rect.height / 4.0);
            acts.push(Act::Drag {
                from: (x - reach.0, y),
                to: (x + reach.0, y),
            });
            acts.push(Act::Drag {
                from: (x, y - reach.1),
                to: (x, y + reach.1),
            });
        }
    }
    acts.push(Act::Wait { ms: 3000 });
    if sight.scrolls {
        acts.push(Act::Scroll { by: 400.0 });
    }
    acts
}

fn centre(rect: Rect) -> (f64, f64) {
    (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0)
}

/// Places of drawn surfaces: where something is written, where something stands out, and a coarse lattice.
fn places(sight: &Sight) -> Vec<(f64, f64)> {
    let mut places: Vec<(f64, f64)> = Vec::new();
    let mut add = |p: (f64, f64)| {
        let near = |q: &(f64, f64)| (p.0 - q.0).abs() < 24.0 && (p.1 - q.1).abs() < 16.0;
        if places.len() < 36 && !places.iter().any(near) {
            places.push(p);
        }
    };
    for rect in &sight.drawn_texts {
        add(centre(*rect));
    }
    for spot in &sight.spots {
        add(*spot);
    }
    for rect in &sight.surfaces {
        for (fx, fy) in [
            (0.5, 0.5),
            (0.5, 0.75),
            (0.5, 0.25),
            (0.25, 0.5),
            (0.75, 0.5),
            (0.1, 0.1),
            (0.9, 0.1),
            (0.1, 0.9),
            (0.9, 0.9),
        ] {
            add((rect.x + rect.width * fx, rect.y + rect.height * fy));
        }
    }
    places
}
