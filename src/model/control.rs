use super::Key;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a player can do, whichever key does it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Action {
    MoveLeft,
    MoveRight,
    SoftDrop,
    HardDrop,
    RotateCw,
    RotateCcw,
    Hold,
    Pause,
}

impl Action {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 8] = [
        Self::MoveLeft,
        Self::MoveRight,
        Self::SoftDrop,
        Self::HardDrop,
        Self::RotateCw,
        Self::RotateCcw,
        Self::Hold,
        Self::Pause,
    ];

    /// The name used in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::MoveLeft => "move_left",
            Self::MoveRight => "move_right",
            Self::SoftDrop => "soft_drop",
            Self::HardDrop => "hard_drop",
            Self::RotateCw => "rotate_cw",
            Self::RotateCcw => "rotate_ccw",
            Self::Hold => "hold",
            Self::Pause => "pause",
        }
    }
}

/// How far a key's effect is established.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// No candidate key did it.
    #[default]
    NotFound,
    /// Seen once.
    Suspected,
    /// Seen twice, from known states.
    Confirmed,
}

/// The key found for one action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlMapping {
    /// The key, or `None` if no candidate did it.
    pub key: Option<Key>,
    /// How sure.
    pub confidence: Confidence,
    /// What was observed, for people.
    pub observation: String,
    /// How long the key must be held for one step of its action, in game milliseconds.
    pub tap_ms: u32,
}

/// The keys of a page: per action, and what every key did that was tried.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlMap {
    map: BTreeMap<Action, ControlMapping>,
    /// What each key did that was tried, by `KeyboardEvent.key`.
    pub key_observations: BTreeMap<String, String>,
    /// Was every candidate tried? Where the search broke off, an action without a key says nothing.
    #[serde(default)]
    pub complete: bool,
}

impl ControlMap {
    /// What is known of an action; `None` if it was never looked for.
    pub fn get(&self, action: Action) -> Option<&ControlMapping> {
        self.map.get(&action)
    }

    /// The key of an action, if one was found.
    pub fn key(&self, action: Action) -> Option<&Key> {
        self.map.get(&action).and_then(|m| m.key.as_ref())
    }

    /// Sets what is known of an action.
    pub fn set(&mut self, action: Action, mapping: ControlMapping) {
        self.map.insert(action, mapping);
    }

    /// Everything known, in the order of the actions.
    pub fn iter(&self) -> impl Iterator<Item = (Action, &ControlMapping)> {
        self.map.iter().map(|(a, m)| (*a, m))
    }
}
