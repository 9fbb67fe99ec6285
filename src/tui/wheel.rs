//! The page's keyboard while the operator has the wheel: what is down on it, and when it goes up.
//!
//! Comes in: keys of the terminal. Goes out: keys for the page. Must never know: which screen has it.

use super::keymap::{Intent, Keymap, page_key};
use super::update::{Effect, send};
use crate::model::Key;
use crate::session::Command;
use ratatui::crossterm::event::{KeyEvent, KeyEventKind};
use std::collections::BTreeMap;

/// Keys that are down on the page.
#[derive(Debug, Default)]
pub(super) struct Wheel {
    /// Does the terminal tell when a key goes up?
    pub releases: bool,
    /// Each with the number of the press that is to be answered by a release.
    down: BTreeMap<Key, u64>,
    presses: u64,
}

/// What a key of the terminal came to.
pub(super) enum Turned {
    /// The wheel goes on.
    On(Vec<Effect>),
    /// The wheel was given back; the keys are up again.
    Back(Vec<Effect>),
}

impl Wheel {
    /// With nothing down.
    pub fn new(releases: bool) -> Self {
        Self {
            releases,
            ..Self::default()
        }
    }

    /// Every key goes to the page but those that end it.
    pub fn key(&mut self, keys: &Keymap, event: &KeyEvent) -> Turned {
        let release = event.kind == KeyEventKind::Release;
        let gives_back = keys.gives_back(event);
        if gives_back || keys.intent(event) == Some(Intent::QuitNow) {
            if release {
                return Turned::On(Vec::new());
            }
            let mut effects = self.release_all();
            effects.push(Effect::AllKeys(false));
            effects.push(Effect::Send(Command::Drive(false)));
            if !gives_back {
                effects.extend([Effect::Send(Command::Quit), Effect::Leave]);
            }
            return Turned::Back(effects);
        }
        let Some(key) = page_key(event) else {
            return Turned::On(Vec::new());
        };
        Turned::On(if release {
            self.up(&key)
        } else {
            self.press(key)
        })
    }

    fn press(&mut self, key: Key) -> Vec<Effect> {
        self.presses += 1;
        let known = self.down.insert(key.clone(), self.presses).is_some();
        let mut effects = Vec::new();
        if !known {
            effects.push(Effect::Send(Command::DriveKey {
                key: key.clone(),
                down: true,
            }));
        }
        if !self.releases {
            effects.push(Effect::ReleaseLater(key, self.presses));
        }
        effects
    }

    fn up(&mut self, key: &Key) -> Vec<Effect> {
        // Shift may have come or gone since the press, and the letter with it.
        let same = |k: &&Key| k.as_str().to_lowercase() == key.as_str().to_lowercase();
        let Some(key) = self.down.keys().find(same).cloned() else {
            return Vec::new();
        };
        self.down.remove(&key);
        send(Command::DriveKey { key, down: false })
    }

    /// The time of a press is over, where the terminal does not tell; a later press of the key has a time of its own.
    pub fn release_due(&mut self, key: Key, press: u64) -> Vec<Effect> {
        if self.down.get(&key) != Some(&press) {
            return Vec::new();
        }
        self.down.remove(&key);
        send(Command::DriveKey { key, down: false })
    }

    /// Lets every key go.
    pub fn release_all(&mut self) -> Vec<Effect> {
        let up = |key| Effect::Send(Command::DriveKey { key, down: false });
        std::mem::take(&mut self.down).into_keys().map(up).collect()
    }

    /// The page has no key down any more.
    pub fn forget(&mut self) {
        self.down.clear();
    }
}
