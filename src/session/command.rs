use super::replay::Seek;
use crate::model::{Action, Board, Hints, Key, Phase};

/// What an operator asks of a running session. Each answer shows in the next [`super::Snapshot`].
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Stop the bot at its next action, or let it go on.
    Hold(bool),
    /// Stop the game's clock, or let it run. Refused, with a note, where the clock is real.
    Freeze(bool),
    /// Go on by one unit, then hold again (a frame also freezes again).
    Step(StepUnit),
    /// Leave this phase and go on with the next.
    SkipPhase,
    /// Do this phase again from a fresh page.
    RedoPhase,
    /// Go to this phase now.
    GoToPhase(Phase),
    /// Game seconds a wall second; `f64::INFINITY` is as fast as it goes.
    Speed(f64),
    /// The keyboard goes to the page (the bot holds), or comes back.
    Drive(bool),
    /// In drive mode: a key for the page.
    DriveKey {
        /// Which.
        key: Key,
        /// Down or up.
        down: bool,
    },
    /// From now on this key does that action.
    Rebind(Action, Key),
    /// From now on no key does that action.
    Unbind(Action),
    /// Look for the key of this action again.
    Rediscover(Action),
    /// Press this key now and say what the piece did.
    TryKey(Key),
    /// Show the page's picture in the snapshots, or no more.
    ViewPage(bool),
    /// From now on this is the board.
    Board(Board),
    /// A cell of the board shows nothing now, or a block.
    Teach {
        /// Counted from the left.
        column: u16,
        /// Counted from the top.
        row: u16,
        /// A block.
        filled: bool,
    },
    /// From now on the page is read like this.
    Hints(Hints),
    /// Take back what was said last of the board, or of how it is read.
    UndoBoard,
    /// Save what is known of the page as a profile made by hand.
    SaveProfile,
    /// Begin a recording in a folder of its own, or end it.
    Record(bool),
    /// In a replay: go there.
    Seek(Seek),
    /// End the session; the report says what was decided.
    Quit,
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepUnit {
    /// One frame of the game.
    Frame,
    /// The next press of the bot, with the waiting before it.
    Action,
    /// To the end of the phase.
    Phase,
}
