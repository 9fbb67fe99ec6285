//! Where an operator holds, steps, drives and ends an exploration.
//!
//! Comes in: what the operator wants. Goes out: the same, at the moments at which it can be obeyed. Must never know: a
//! terminal, a page.

use crate::model::Key;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// Keys that may wait for the page at most; an operator types slower than a page takes them.
const KEYS_WAITING: usize = 64;

/// What is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wish {
    /// Nothing is to be done.
    pub hold: bool,
    /// The keyboard is the operator's.
    pub driving: bool,
    /// It is to end.
    pub stop: bool,
    /// Actions that may be done although it is held.
    pub actions: u32,
    /// Keys that came so far: a change wakes whoever waits.
    keys: u64,
}

/// Shared by the operator's side and the walk.
#[derive(Debug)]
pub struct Helm {
    wish: watch::Sender<Wish>,
    keys: Mutex<VecDeque<(Key, bool)>>,
}

impl Default for Helm {
    fn default() -> Self {
        Self {
            wish: watch::Sender::new(Wish::default()),
            keys: Mutex::default(),
        }
    }
}

impl Helm {
    /// What is wanted now.
    pub fn wish(&self) -> Wish {
        *self.wish.borrow()
    }

    /// Stops before the next action, or goes on.
    pub fn hold(&self, on: bool) {
        self.wish.send_modify(|w| {
            w.hold = on;
            w.actions = 0;
        });
    }

    /// One action, then hold.
    pub fn step(&self) {
        self.wish.send_modify(|w| {
            w.hold = true;
            w.actions += 1;
        });
    }

    /// Gives the keyboard to the operator, or back. Driving holds; what was held before is held after it.
    pub fn drive(&self, on: bool) {
        self.wish.send_modify(|w| {
            w.driving = on;
            w.actions = 0;
        });
    }

    /// A key for the page. Dropped, with `false`, when nobody drives or too many wait; a key that goes up is always taken.
    pub fn key(&self, key: Key, down: bool) -> bool {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = !down || (self.wish().driving && keys.len() < KEYS_WAITING);
        if taken {
            keys.push_back((key, down));
            self.wish.send_modify(|w| w.keys += 1);
        }
        taken
    }

    /// Ends it before the next action.
    pub fn stop(&self) {
        self.wish.send_modify(|w| w.stop = true);
    }

    /// For the walk: to be told of changes; what was wanted before the call counts as seen.
    pub(super) fn watched(&self) -> watch::Receiver<Wish> {
        self.wish.subscribe()
    }

    /// For the walk: an action is done.
    pub(super) fn acted(&self) {
        self.wish.send_if_modified(|w| {
            let counted = w.actions > 0;
            w.actions = w.actions.saturating_sub(1);
            counted
        });
    }

    /// For the walk: the next key that waits.
    pub(super) fn take_key(&self) -> Option<(Key, bool)> {
        self.keys
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_one_action_and_holds() {
        let helm = Helm::default();
        helm.step();
        assert!(helm.wish().hold && helm.wish().actions == 1);
        helm.acted();
        helm.acted();
        assert!(helm.wish().hold && helm.wish().actions == 0);
        helm.step();
        helm.hold(false);
        assert_eq!(helm.wish().actions, 0);
    }

    #[test]
    fn keys_go_down_only_while_somebody_drives_but_always_come_up() {
        let helm = Helm::default();
        assert!(!helm.key(Key::new("a"), true));
        helm.drive(true);
        assert!(helm.key(Key::new("a"), true));
        helm.drive(false);
        assert!(helm.key(Key::new("a"), false));
        assert_eq!(helm.take_key(), Some((Key::new("a"), true)));
        assert_eq!(helm.take_key(), Some((Key::new("a"), false)));
        assert_eq!(helm.take_key(), None);
    }
}
