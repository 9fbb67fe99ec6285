//! The keys: one table from which the keyboard, the footer and the help are made.
//!
//! Comes in: what the operator's configuration says of keys, then keys of the terminal. Goes out: what is meant by them.
//! Must never know: what comes of it, where a configuration is kept.

mod chord;
mod help;

pub(super) use chord::Chord;
pub(super) use help::{HELP, Keys};

use crate::model::Key;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What the operator wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Intent {
    Hold,
    Freeze,
    StepFrame,
    StepAction,
    StepPhase,
    /// The next phase, the next match of a search, the next failure of a replay.
    Next,
    /// Likewise the one before.
    Previous,
    Redo,
    GoTo,
    Slower,
    Faster,
    Drive,
    /// While driving or being asked for a key: the keyboard comes back.
    GiveBack,
    Controls,
    Board,
    Undo,
    Save,
    /// On the board screen: how sure the reader is.
    Heat,
    /// On the board screen: all of the page, or what is around the board.
    Whole,
    Enter,
    Search,
    Kind(u8),
    AllKinds,
    Log,
    Mouse,
    Help,
    Quit,
    QuitNow,
    FocusNext,
    FocusPrev,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Escape,
    Yes,
    Clear,
    /// A recording begins or ends; in the controls, a key is looked for again.
    Record,
    PrevEvent,
    NextEvent,
    PrevPhase,
    NextPhase,
    First,
    Last,
    Time,
}

/// An intent, its name in a configuration, its usual keys.
type Binding = (Intent, &'static str, &'static [&'static str]);

/// Every intent that has a key, in the order of the configuration.
const BINDINGS: &[Binding] = &[
    (Intent::Hold, "hold", &["space"]),
    (Intent::Freeze, "freeze", &["f"]),
    (Intent::StepFrame, "step-frame", &["s"]),
    (Intent::StepAction, "step-action", &["S"]),
    (Intent::StepPhase, "step-phase", &["alt-s", "ctrl-s"]),
    (Intent::Next, "next", &["n"]),
    (Intent::Previous, "previous", &["N"]),
    (Intent::Redo, "redo", &["R"]),
    (Intent::GoTo, "go-to", &["g"]),
    (Intent::Slower, "slower", &["<", ","]),
    (Intent::Faster, "faster", &[">", "."]),
    (Intent::Drive, "drive", &["d"]),
    (Intent::GiveBack, "leave-driving", &["F10", "ctrl-]"]),
    (Intent::Controls, "controls", &["c"]),
    (Intent::Board, "board", &["b"]),
    (Intent::Undo, "undo", &["u"]),
    (Intent::Save, "save", &["w"]),
    (Intent::Heat, "confidence", &["h"]),
    (Intent::Whole, "whole-page", &["z"]),
    (Intent::Enter, "enter", &["enter"]),
    (Intent::Escape, "escape", &["esc"]),
    (Intent::Yes, "yes", &["y"]),
    (Intent::Clear, "clear", &["x", "delete"]),
    (Intent::Search, "search", &["/"]),
    (Intent::Kind(0), "show-game", &["1"]),
    (Intent::Kind(1), "show-bot", &["2"]),
    (Intent::Kind(2), "show-page", &["3"]),
    (Intent::Kind(3), "show-verdicts", &["4"]),
    (Intent::Kind(4), "show-operator", &["5"]),
    (Intent::AllKinds, "show-all", &["0"]),
    (Intent::Log, "log", &["l"]),
    (Intent::Mouse, "mouse", &["m"]),
    (Intent::Record, "record", &["r"]),
    (Intent::PrevEvent, "previous-event", &["["]),
    (Intent::NextEvent, "next-event", &["]"]),
    (Intent::PrevPhase, "previous-phase", &["{"]),
    (Intent::NextPhase, "next-phase", &["}"]),
    (Intent::First, "first", &["^"]),
    (Intent::Last, "last", &["$"]),
    (Intent::Time, "time", &["t"]),
    (Intent::FocusNext, "next-pane", &["tab"]),
    (Intent::FocusPrev, "previous-pane", &["shift-tab"]),
    (Intent::Up, "up", &["up"]),
    (Intent::Down, "down", &["down"]),
    (Intent::Left, "left", &["left"]),
    (Intent::Right, "right", &["right"]),
    (Intent::PageUp, "page-up", &["pageup"]),
    (Intent::PageDown, "page-down", &["pagedown"]),
    (Intent::Home, "home", &["home"]),
    (Intent::End, "end", &["end"]),
    (Intent::Help, "help", &["?", "F1"]),
    (Intent::Quit, "quit", &["q"]),
    (Intent::QuitNow, "quit-now", &["ctrl-c"]),
];

/// Without a key for these nobody could leave.
const NEEDED: [Intent; 2] = [Intent::GiveBack, Intent::QuitNow];

/// Keys that cannot be bound as they were asked for. `name` is the binding in which it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum KeymapError {
    /// There is nothing of that name.
    #[error(
        "there is nothing called {name:?} to give a key to; `tetrascope config` lists what there is"
    )]
    UnknownName { name: String },
    /// That is no key.
    #[error(
        "{key:?} is no key: write a character as it is typed, or one of space, enter, esc, tab, up, down, left, \
         right, home, end, pageup, pagedown, insert, delete, backspace, F1 to F12, with ctrl-, alt- or shift- before it"
    )]
    UnknownKey { name: String, key: String },
    /// Two things would have it.
    #[error(
        "{key:?} is the key of {other:?} already; give that another one as well, or none: {other} = []"
    )]
    Clash {
        name: String,
        key: String,
        other: String,
    },
    /// Without one, nobody could leave.
    #[error("{name:?} needs a key, or there would be no way out")]
    Needed { name: String },
}

impl KeymapError {
    /// The binding in which the mistake is.
    pub fn name(&self) -> &str {
        match self {
            Self::UnknownName { name }
            | Self::UnknownKey { name, .. }
            | Self::Clash { name, .. }
            | Self::Needed { name } => name,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Table {
    intents: HashMap<Chord, Intent>,
    keys: HashMap<Intent, Vec<Chord>>,
}

/// Which key means what. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap(Arc<Table>);

impl Default for Keymap {
    fn default() -> Self {
        let all = BINDINGS.iter().flat_map(|(intent, _, keys)| {
            let chords = keys.iter().filter_map(|k| Chord::parse(k));
            chords.map(|c| (c, *intent))
        });
        Self::of(all.collect())
    }
}

impl Keymap {
    /// The usual keys with some of them changed: by name, the keys that it has instead.
    ///
    /// # Errors
    /// Where a name or a key is unknown, or two names would have the same key.
    pub fn with(changed: &BTreeMap<String, Vec<String>>) -> Result<Self, KeymapError> {
        if let Some(name) = changed.keys().find(|n| Self::usual(n).is_none()) {
            return Err(KeymapError::UnknownName { name: name.clone() });
        }
        let mut all: Vec<(Chord, Intent)> = Vec::new();
        let mut owners: HashMap<Chord, &str> = HashMap::new();
        for (intent, name, usual) in BINDINGS {
            let keys: Vec<&str> = match changed.get(*name) {
                Some(keys) => keys.iter().map(String::as_str).collect(),
                None => usual.to_vec(),
            };
            if keys.is_empty() && NEEDED.contains(intent) {
                return Err(KeymapError::Needed {
                    name: (*name).into(),
                });
            }
            for key in keys {
                let chord = Chord::parse(key).ok_or_else(|| KeymapError::UnknownKey {
                    name: (*name).into(),
                    key: key.into(),
                })?;
                if let Some(other) = owners.insert(chord, name) {
                    // What was asked for is told of, not what has always been there.
                    let (name, other) = if changed.contains_key(*name) {
                        (*name, other)
                    } else {
                        (other, *name)
                    };
                    return Err(KeymapError::Clash {
                        name: name.into(),
                        key: key.into(),
                        other: other.into(),
                    });
                }
                all.push((chord, *intent));
            }
        }
        Ok(Self::of(all))
    }

    fn of(all: Vec<(Chord, Intent)>) -> Self {
        let mut keys: HashMap<Intent, Vec<Chord>> = HashMap::new();
        for (chord, intent) in &all {
            keys.entry(*intent).or_default().push(*chord);
        }
        Self(Arc::new(Table {
            intents: all.into_iter().collect(),
            keys,
        }))
    }

    /// Every name that has keys, with its usual ones.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        BINDINGS.iter().map(|(_, name, keys)| (*name, *keys))
    }

    fn usual(name: &str) -> Option<&'static [&'static str]> {
        Self::names().find(|n| n.0 == name).map(|n| n.1)
    }

    /// What a key means outside of text fields.
    pub(super) fn intent(&self, key: &KeyEvent) -> Option<Intent> {
        let chord = Chord::of(key);
        let found = |c: &Chord| self.0.intents.get(c).copied();
        found(&chord).or_else(|| found(&chord.without_shift()))
    }

    /// Does this key give the keyboard back?
    pub(super) fn gives_back(&self, key: &KeyEvent) -> bool {
        self.intent(key) == Some(Intent::GiveBack)
    }

    /// The first key of an intent, for people; nothing where it has none.
    pub(super) fn key(&self, intent: Intent) -> String {
        let keys = self.0.keys.get(&intent);
        keys.and_then(|k| k.first())
            .map_or(String::new(), ToString::to_string)
    }

    /// All of its keys, as many as fit.
    pub(super) fn keys(&self, intents: &[Intent], width: usize) -> String {
        let mut all = String::new();
        let of = |i: &Intent| {
            self.0
                .keys
                .get(i)
                .into_iter()
                .flatten()
                .map(ToString::to_string)
        };
        // Of several only the first key each: a row is to be read at a glance.
        let each = if intents.len() == 1 { usize::MAX } else { 1 };
        for key in intents.iter().flat_map(|i| of(i).take(each)) {
            let gap = usize::from(!all.is_empty());
            if all.chars().count() + gap + key.chars().count() > width {
                break;
            }
            if gap > 0 {
                all.push(' ');
            }
            all.push_str(&key);
        }
        all
    }
}

/// The key of the page that a key of the terminal stands for.
pub(super) fn page_key(key: &KeyEvent) -> Option<Key> {
    use ratatui::crossterm::event::ModifierKeyCode as M;
    Some(Key::new(match key.code {
        KeyCode::Char(c) => return Some(Key::new(c.to_string())),
        KeyCode::F(n) => return Some(Key::new(format!("F{n}"))),
        KeyCode::Left => "ArrowLeft",
        KeyCode::Right => "ArrowRight",
        KeyCode::Up => "ArrowUp",
        KeyCode::Down => "ArrowDown",
        KeyCode::Enter => "Enter",
        KeyCode::Esc => "Escape",
        KeyCode::Tab | KeyCode::BackTab => "Tab",
        KeyCode::Backspace => "Backspace",
        KeyCode::Delete => "Delete",
        KeyCode::Insert => "Insert",
        KeyCode::Home => "Home",
        KeyCode::End => "End",
        KeyCode::PageUp => "PageUp",
        KeyCode::PageDown => "PageDown",
        KeyCode::Modifier(M::LeftShift | M::RightShift) => "Shift",
        KeyCode::Modifier(M::LeftControl | M::RightControl) => "Control",
        KeyCode::Modifier(M::LeftAlt | M::RightAlt) => "Alt",
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn changed(all: &[(&str, &[&str])]) -> Result<Keymap, KeymapError> {
        let own = |(n, keys): &(&str, &[&str])| {
            (
                n.to_string(),
                keys.iter().map(ToString::to_string).collect(),
            )
        };
        Keymap::with(&all.iter().map(own).collect())
    }

    #[test]
    fn the_usual_keys_are_all_keys_and_none_has_two_meanings() {
        let usual = changed(&[]).unwrap();
        assert_eq!(usual, Keymap::default());
        let keys: usize = BINDINGS.iter().map(|b| b.2.len()).sum();
        assert_eq!(usual.0.intents.len(), keys);
    }

    #[test]
    fn keys_can_be_swapped_but_not_taken_from_what_keeps_them() {
        let swapped = changed(&[("hold", &["n"]), ("next", &["space", "ctrl-n"])]).unwrap();
        assert_eq!(swapped.key(Intent::Hold), "n");
        assert_eq!(swapped.keys(&[Intent::Next], 20), "space Ctrl-N");
        let clash = changed(&[("hold", &["n"])]).unwrap_err();
        assert_eq!(
            (clash.name(), clash.to_string().contains("\"next\"")),
            ("hold", true)
        );
        assert_eq!(
            changed(&[("quit", &["j"]), ("log", &["j"])])
                .unwrap_err()
                .name(),
            "quit"
        );
    }

    #[test]
    fn what_is_unknown_is_said_and_the_way_out_stays() {
        assert_eq!(changed(&[("fly", &["n"])]).unwrap_err().name(), "fly");
        assert_eq!(changed(&[("hold", &["nn"])]).unwrap_err().name(), "hold");
        assert_eq!(
            changed(&[("quit-now", &[])]).unwrap_err().name(),
            "quit-now"
        );
        assert!(changed(&[("hold", &[])]).is_ok());
    }
}
