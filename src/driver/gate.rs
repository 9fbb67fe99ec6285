//! The one place where an operator stops, steps and speeds a driver.

use crate::model::{Action, Board, Hints, Key};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// What the operator wants of the driver at the moment.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct GateState {
    /// The bot is to wait.
    pub hold: bool,
    /// The bot waits.
    pub held: bool,
    /// The game's clock is stopped.
    pub frozen: bool,
    /// The keyboard belongs to the operator.
    pub driving: bool,
    /// Somebody looks at the page's picture.
    pub viewing: bool,
    /// Game seconds a wall second; infinite is as fast as it goes.
    pub speed: f64,
}

/// What the operator says of the board.
#[derive(Debug, Clone, PartialEq)]
pub enum BoardRuling {
    /// It is this.
    Board(Board),
    /// What a cell shows now is nothing, or a block.
    Teach {
        /// Counted from the left.
        column: u16,
        /// Counted from the top.
        row: u16,
        /// A block.
        filled: bool,
    },
    /// It is to be read like this.
    Hints(Hints),
    /// The last ruling is taken back.
    Undo,
}

/// What the operator says of the key of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It is this.
    Key(Key),
    /// There is none.
    NoKey,
    /// An earlier ruling is taken back: it is to be found out.
    Open,
}

#[derive(Debug)]
struct Inner {
    state: GateState,
    frames: u32,
    actions: u32,
    keys: VecDeque<(Key, bool)>,
    rulings: Vec<(Action, Ruling)>,
    board_rulings: Vec<BoardRuling>,
    /// Was the bot held, and the clock stopped, when the operator took the keyboard?
    before_driving: (bool, bool),
}

/// Shared by the session, which sets it, and the driver, which obeys it before each of its actions.
#[derive(Debug)]
pub struct Gate {
    inner: Mutex<Inner>,
    changed: Notify,
}

/// Keys that may wait for the page at most; an operator types slower than a page takes them.
const KEYS_WAITING: usize = 64;

impl Gate {
    /// An open gate at this speed.
    pub fn new(speed: f64) -> Self {
        Self {
            inner: Mutex::new(Inner {
                state: GateState {
                    hold: false,
                    held: false,
                    frozen: false,
                    driving: false,
                    viewing: false,
                    speed,
                },
                frames: 0,
                actions: 0,
                keys: VecDeque::new(),
                rulings: Vec::new(),
                board_rulings: Vec::new(),
                before_driving: (false, false),
            }),
            changed: Notify::new(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Inner)) {
        change(&mut self.inner());
        self.changed.notify_waiters();
    }

    /// What is wanted now.
    pub fn state(&self) -> GateState {
        self.inner().state.clone()
    }

    /// Stops the bot at its next action, or lets it go on.
    pub fn hold(&self, on: bool) {
        self.change(|i| {
            i.state.hold = on;
            i.actions = 0;
            if !on {
                i.state.held = false;
                i.frames = 0;
            }
        });
    }

    /// Stops the game's clock, or lets it run.
    pub fn freeze(&self, on: bool) {
        self.change(|i| {
            i.state.frozen = on;
            i.frames = 0;
        });
    }

    /// Sets the speed; not a number or below 0.01 is taken as 0.01.
    pub fn speed(&self, speed: f64) {
        let speed = if speed.is_nan() {
            0.01
        } else {
            speed.max(0.01)
        };
        self.change(|i| i.state.speed = speed);
    }

    /// Gives the keyboard to the operator, or back to the bot. Driving holds the bot and lets the clock run; afterwards
    /// both are as they were before.
    pub fn drive(&self, on: bool) {
        self.change(|i| {
            if on == i.state.driving {
                return;
            }
            i.state.driving = on;
            i.actions = 0;
            if on {
                i.before_driving = (i.state.hold, i.state.frozen);
                // Nobody can play a game that stands still.
                (i.state.hold, i.state.frozen) = (true, false);
            } else {
                (i.state.hold, i.state.frozen) = i.before_driving;
                i.state.held &= i.state.hold;
            }
        });
    }

    /// A key for the page. Dropped, with `false`, when nobody drives or too many wait.
    pub fn drive_key(&self, key: Key, down: bool) -> bool {
        let mut taken = false;
        self.change(|i| {
            // A key that went down must be able to come up again, so ups are always taken.
            taken = !down || (i.state.driving && i.keys.len() < KEYS_WAITING);
            if taken {
                i.keys.push_back((key, down));
            }
        });
        taken
    }

    /// Stops everything but for one frame.
    pub fn step_frame(&self) {
        self.change(|i| {
            i.state.hold = true;
            i.state.frozen = true;
            i.frames += 1;
        });
    }

    /// Lets the bot do one action and holds it again.
    pub fn step_action(&self) {
        self.change(|i| {
            i.state.hold = true;
            i.actions += 1;
        });
    }

    /// From now on this is what is known of the action's key.
    pub fn rule(&self, action: Action, ruling: Ruling) {
        self.change(|i| i.rulings.push((action, ruling)));
    }

    /// From now on this is known of the board.
    pub fn rule_board(&self, ruling: BoardRuling) {
        self.change(|i| i.board_rulings.push(ruling));
    }

    /// For the driver: likewise since the last call.
    pub fn take_board_rulings(&self) -> Vec<BoardRuling> {
        std::mem::take(&mut self.inner().board_rulings)
    }

    /// Pictures of the page are wanted, or no more.
    pub fn view(&self, on: bool) {
        self.change(|i| i.state.viewing = on);
    }

    /// For the driver: what the operator ruled since the last call.
    pub fn take_rulings(&self) -> Vec<(Action, Ruling)> {
        std::mem::take(&mut self.inner().rulings)
    }

    /// For the driver: the next key that waits.
    pub fn take_key(&self) -> Option<(Key, bool)> {
        self.inner().keys.pop_front()
    }

    /// For the driver: may one more frame pass although the clock is stopped?
    pub fn take_frame(&self) -> bool {
        let mut inner = self.inner();
        let any = inner.frames > 0;
        inner.frames = inner.frames.saturating_sub(1);
        any
    }

    /// For the driver: may the bot go on although it is to wait? It may until it has done its `deed`.
    pub fn may_act(&self, deed: bool) -> bool {
        let mut inner = self.inner();
        let any = inner.actions > 0;
        if deed {
            inner.actions = inner.actions.saturating_sub(1);
        }
        any
    }

    /// For the driver: the bot waits now, or goes on.
    pub fn acknowledge(&self, held: bool) {
        self.inner().state.held = held;
    }

    /// For the driver: resolves when something changed after this call.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_lets_exactly_one_action_through_and_the_bot_stays_held() {
        let gate = Gate::new(1.0);
        gate.hold(true);
        gate.step_action();
        assert!(gate.may_act(false));
        assert!(gate.may_act(true));
        assert!(!gate.may_act(true));
        assert!(gate.state().hold);
    }

    #[test]
    fn letting_go_forgets_steps_that_were_not_taken() {
        let gate = Gate::new(1.0);
        gate.step_frame();
        gate.hold(false);
        assert!(!gate.take_frame());
    }

    #[test]
    fn after_driving_the_bot_is_held_and_the_clock_stopped_as_before() {
        let check = |hold: bool, frozen: bool| {
            let gate = Gate::new(1.0);
            gate.hold(hold);
            gate.freeze(frozen);
            gate.drive(true);
            gate.drive(true);
            let state = gate.state();
            assert!(state.hold && !state.frozen);
            gate.drive(false);
            let state = gate.state();
            assert_eq!((state.hold, state.frozen), (hold, frozen));
        };
        check(false, false);
        check(true, false);
        check(true, true);
        check(false, true);
    }

    #[test]
    fn keys_reach_the_page_only_while_somebody_drives_but_always_come_up() {
        let gate = Gate::new(1.0);
        assert!(!gate.drive_key(Key::new("a"), true));
        gate.drive(true);
        assert!(gate.drive_key(Key::new("a"), true));
        gate.drive(false);
        assert!(gate.drive_key(Key::new("a"), false));
        assert_eq!(gate.take_key(), Some((Key::new("a"), true)));
        assert_eq!(gate.take_key(), Some((Key::new("a"), false)));
        assert_eq!(gate.take_key(), None);
    }
}
