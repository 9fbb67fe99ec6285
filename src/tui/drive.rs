//! The keyboard in the page's hands, and keys that are asked for one at a time.
//!
//! Comes in: keys of the terminal. Goes out: keys for the page, rebindings. Must never know: what the page makes of them.

use super::keymap::page_key;
use super::screen::{Overlay, Screen};
use super::update::{Effect, action_name};
use super::wheel::Turned;
use crate::model::{Action, ControlMap, Key};
use crate::session::{Command, Snapshot};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

impl Screen {
    /// Drive mode ends where the session has ended it.
    pub(super) fn follow(&mut self, snapshot: &Snapshot) -> Vec<Effect> {
        if !self.driving {
            return Vec::new();
        }
        if snapshot.driving {
            self.drive_acknowledged = true;
        } else if self.drive_acknowledged {
            self.driving = false;
            self.wheel.forget();
            self.notice = Some("the keyboard is yours again".into());
            return vec![Effect::AllKeys(false)];
        }
        Vec::new()
    }

    /// In drive mode every key goes to the page but those that end it.
    pub(super) fn drive(&mut self, event: &KeyEvent) -> Vec<Effect> {
        match self.wheel.key(&self.keys, event) {
            Turned::On(effects) => effects,
            Turned::Back(effects) => {
                self.driving = false;
                effects
            }
        }
    }

    /// The next key is pressed on the page, to see what it does.
    pub(super) fn try_key(&mut self, event: &KeyEvent) -> Vec<Effect> {
        let modifier = matches!(event.code, KeyCode::Modifier(_));
        if modifier != (event.kind == KeyEventKind::Release) {
            return Vec::new();
        }
        let back = self.keys.gives_back(event);
        let key = page_key(event).filter(|_| !back);
        if key.is_none() && !back {
            return Vec::new();
        }
        self.overlay = Some(Overlay::Controls { listening: false });
        let mut effects = vec![Effect::AllKeys(false)];
        effects.extend(key.map(|k| Effect::Send(Command::TryKey(k))));
        effects
    }

    pub(super) fn rebind(&mut self, snapshot: &Snapshot, event: &KeyEvent) -> Vec<Effect> {
        // Shift and its like count when they go up: on the way down they may belong to the key that follows.
        let modifier = matches!(event.code, KeyCode::Modifier(_));
        if modifier != (event.kind == KeyEventKind::Release) {
            return Vec::new();
        }
        let done = Effect::AllKeys(false);
        let back = self.keys.gives_back(event);
        let key = page_key(event).filter(|_| !back);
        if key.is_some() || back {
            self.overlay = Some(Overlay::Controls { listening: false });
        }
        let Some(key) = key else {
            return if back { vec![done] } else { Vec::new() };
        };
        let action = self.action();
        if let Some(other) = holder(&snapshot.controls, &key).filter(|a| *a != action) {
            self.notice = Some(format!(
                "{} was the key of {} as well",
                self.look.key(&key),
                action_name(other)
            ));
        }
        vec![done, Effect::Send(Command::Rebind(action, key))]
    }
}

/// What is known under which key.
fn holder(controls: &ControlMap, key: &Key) -> Option<Action> {
    controls
        .iter()
        .find(|(_, m)| m.key.as_ref() == Some(key))
        .map(|(a, _)| a)
}
