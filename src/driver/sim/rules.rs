use super::Defect;
use crate::model::{Key, PieceKind};
use std::collections::{BTreeMap, BTreeSet};

/// What a key does in the simulated game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Input {
    Left,
    Right,
    Soft,
    Hard,
    Clockwise,
    CounterClockwise,
    HalfTurn,
    Hold,
    Pause,
    Restart,
    /// Ends the game at once.
    GiveUp,
}

/// How the next pieces are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bag {
    /// All kinds once, in random order, then again (the guideline's 7-bag).
    Shuffled,
    /// Each draw independent of the last.
    Uniform,
    /// As [`Bag::Uniform`], but what would come twice in a row is drawn once more (NES).
    Rerolled,
}

/// How pieces turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// The guideline's Super Rotation System with its wall kicks.
    Srs,
    /// About a cell, no kicks.
    Naive,
    /// Every piece in a 4x4 matrix that turns as a whole, no kicks.
    Matrix4,
    /// The smallest matrix around the piece turns and keeps its upper left corner, no kicks.
    Trimmed,
    /// As [`Rotation::Naive`], but I, S and Z go to and fro between two states (NES).
    TwoState,
}

/// When a piece that rests becomes part of the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lock {
    /// At the next gravity step, which cannot take it down.
    Tick,
    /// In the moment it comes to rest.
    Touch,
    /// After so many milliseconds at rest.
    Delay {
        /// The delay.
        ms: f64,
        /// Do moves and turns begin it anew (15 times at most)?
        resets: bool,
    },
}

/// What the soft drop key does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Soft {
    /// There is none.
    None,
    /// A row a press, repeated as sideways moves are.
    Step,
    /// While it is held a row takes so many milliseconds.
    Held {
        /// Milliseconds a row.
        row_ms: f64,
    },
    /// The same, but the wait for a row is as long as it was when it began.
    HeldFromNextRow {
        /// Milliseconds a row.
        row_ms: f64,
    },
}

/// When a press counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trigger {
    /// At every keydown, those repeated by the system too.
    KeyDown,
    /// At the first keydown only.
    NoRepeat,
    /// At keydown, but not for so long after the last that was heard.
    Spaced {
        /// Milliseconds.
        ms: f64,
    },
    /// At keyup.
    KeyUp,
    /// At every keydown, by way of a queue from which one press is taken with each frame.
    Queued,
    /// Asked once a frame: sideways and soft drop act each so many frames while held, the rest once a press. A press
    /// that no frame sees is lost.
    Polled {
        /// Frames from one step to the next.
        frames: u32,
    },
    /// Asked at every step of the game's own clock. A press that began and ended between two steps is lost.
    Stepped {
        /// Milliseconds from one step to the next.
        ms: f64,
        /// Sideways and soft drop act at each step while held, and not once a press.
        again: bool,
    },
    /// At keydown, and after a delay again and again while held.
    Das {
        /// Delayed auto shift in milliseconds.
        das_ms: f64,
        /// Auto repeat rate in milliseconds a step.
        arr_ms: f64,
    },
}

/// What starts the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// It runs at once.
    Auto,
    /// A button beside or over the board.
    Button,
    /// One key; on its way to the game it does not count as a game key.
    Key(Key),
    /// Any key.
    AnyKey,
    /// A click on the board.
    Click,
    /// It runs by itself after so many milliseconds.
    Countdown(u32),
}

/// What happens at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// A panel over the board and a word.
    Shown,
    /// Nothing is to be seen of it.
    Silent,
    /// A panel over the board and a word, and a new game begins by itself.
    ShownAndAgain {
        /// Milliseconds until then.
        after_ms: f64,
    },
    /// A panel over the board and a word; then the board is emptied, and what began the game begins another.
    Title {
        /// Milliseconds until then.
        after_ms: f64,
    },
    /// Nothing is to be seen of it, and a new game begins by itself.
    BeginsAgain {
        /// Milliseconds until then.
        after_ms: f64,
    },
}

/// What lines and drops are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// 100, 300, 500, 800 times the level, 1 and 2 a row of soft and hard drop.
    Guideline,
    /// 40, 100, 300, 1200 times the level, no points for drops.
    Nes,
    /// Ten a line.
    Lines,
    /// Ten a piece, and a hundred times the square of the lines.
    Pieces,
    /// One and two a row of soft and hard drop, and a hundred a line.
    Drops,
    /// As [`Scoring::Drops`], and one for every row that a piece falls by itself.
    Falls,
    /// Three and six times the level a row of soft and hard drop, and 100, 300, 600, 1200 at every level.
    LevelDrops,
}

/// How the score that is shown follows the one that was made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Counting {
    /// At once.
    None,
    /// Counts up so many points a frame.
    Points(f64),
    /// Counts up by a share of what is missing each frame, a point at least.
    Share(f64),
}

/// What makes the level, and with it the speed, rise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Levels {
    /// Lines, [`Rules::lines_a_level`] of them.
    Lines,
    /// Game time, in milliseconds a level.
    Time(f64),
}

/// The rules of one game.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Rules {
    /// Columns of the board.
    pub columns: i32,
    /// Visible rows.
    pub rows: i32,
    /// Rows above the visible ones in which pieces can be.
    pub hidden: i32,
    /// Visible row of the upper edge of a new piece; negative ones need hidden rows.
    pub spawn_row: i32,
    /// Columns to the right of the middle at which new pieces come.
    pub spawn_aside: i32,
    /// How pieces are drawn.
    pub bag: Bag,
    /// From which kinds.
    pub kinds: Vec<PieceKind>,
    /// How they turn.
    pub rotation: Rotation,
    /// Milliseconds a row, by level from the first; the last counts for all above.
    pub gravity: Vec<f64>,
    /// What a row of a game's first piece takes, as a share of what it takes at that level.
    pub first_piece: f64,
    /// What makes levels.
    pub levels: Levels,
    /// Lines from one level to the next.
    pub lines_a_level: u32,
    /// Does the soft drop key, where no game runs, choose over how many rows of blocks the next one begins?
    pub handicap: bool,
    /// Do moves and turns begin the wait for the next row of gravity anew?
    pub moves_restart_gravity: bool,
    /// When pieces lock.
    pub lock: Lock,
    /// The soft drop.
    pub soft: Soft,
    /// Does the hard drop lock at once? Otherwise the piece lies as after any fall.
    pub hard_locks: bool,
    /// When presses count.
    pub trigger: Trigger,
    /// Milliseconds in which a hard drop is drawn a row further, while no key is heard; 0 for at once.
    pub drop_row_ms: f64,
    /// Which key does what.
    pub keys: BTreeMap<Key, Input>,
    /// May a piece be put aside again that was taken back just now?
    pub hold_often: bool,
    /// Does a piece that is taken back come where the other one was, rather than at the top?
    pub back_in_place: bool,
    /// Do keys move a piece that stands there before the game has begun?
    pub keys_before: bool,
    /// Is there a button that pauses?
    pub pause_button: bool,
    /// Does the button that starts a game stop it, too, and begin another when it is pressed once more?
    pub stop_button: bool,
    /// Does only one of two buttons, which come with a pause, let it go on? The other begins a new game.
    pub resume_button: bool,
    /// Does every key let a game go on that stands still?
    pub any_key_resumes: bool,
    /// Is it drawn anew only when something falls, locks or comes?
    pub drawn_with_falls: bool,
    /// Does the page beside and below the board move all the time?
    pub lively_page: bool,
    /// Is the landing place shown?
    pub ghost: bool,
    /// Coming pieces shown.
    pub previews: usize,
    /// How long full rows flash before they go, in milliseconds.
    pub clear_ms: f64,
    /// How long it takes from a lock to the next piece, in milliseconds.
    pub spawn_ms: f64,
    /// Points.
    pub scoring: Scoring,
    /// How they show.
    pub counting: Counting,
    /// What starts it.
    pub start: Start,
    /// Times the board may fill up: each but the last empties it, and the game goes on.
    pub lives: u32,
    /// What happens at its end.
    pub end: End,
    /// Is there a button for a new game?
    pub again_button: bool,
    /// What is wrong with it.
    pub defects: BTreeSet<Defect>,
}

impl Default for Rules {
    /// A guideline game with arrows, started by a button, and nothing wrong.
    fn default() -> Self {
        Self {
            columns: 10,
            rows: 20,
            hidden: 0,
            spawn_row: 0,
            spawn_aside: 0,
            bag: Bag::Shuffled,
            kinds: PieceKind::ALL.to_vec(),
            rotation: Rotation::Srs,
            gravity: vec![
                800.0, 717.0, 633.0, 550.0, 467.0, 383.0, 300.0, 217.0, 133.0, 100.0,
            ],
            first_piece: 1.0,
            levels: Levels::Lines,
            lines_a_level: 10,
            handicap: false,
            moves_restart_gravity: false,
            lock: Lock::Delay {
                ms: 500.0,
                resets: true,
            },
            soft: Soft::Step,
            hard_locks: true,
            trigger: Trigger::KeyDown,
            keys: keys(&[
                ("ArrowLeft", Input::Left),
                ("ArrowRight", Input::Right),
                ("ArrowDown", Input::Soft),
                (" ", Input::Hard),
                ("ArrowUp", Input::Clockwise),
                ("z", Input::CounterClockwise),
                ("c", Input::Hold),
                ("p", Input::Pause),
                ("r", Input::Restart),
            ]),
            drop_row_ms: 0.0,
            hold_often: false,
            back_in_place: false,
            keys_before: false,
            pause_button: false,
            stop_button: false,
            resume_button: false,
            any_key_resumes: false,
            drawn_with_falls: false,
            lively_page: false,
            ghost: false,
            previews: 1,
            clear_ms: 0.0,
            spawn_ms: 0.0,
            scoring: Scoring::Guideline,
            counting: Counting::None,
            start: Start::Button,
            lives: 1,
            end: End::Shown,
            again_button: true,
            defects: BTreeSet::new(),
        }
    }
}

impl Rules {
    /// Is this wrong with it?
    pub fn has(&self, defect: Defect) -> bool {
        self.defects.contains(&defect)
    }

    /// The same with one more defect.
    #[must_use]
    pub fn with(mut self, defect: Defect) -> Self {
        self.defects.insert(defect);
        self
    }

    /// The first key of an input.
    pub fn key(&self, input: Input) -> Option<&Key> {
        self.keys.iter().find(|(_, i)| **i == input).map(|(k, _)| k)
    }
}

/// A key scheme from `KeyboardEvent.key` values.
pub fn keys(list: &[(&str, Input)]) -> BTreeMap<Key, Input> {
    list.iter().map(|(k, i)| (Key::new(*k), *i)).collect()
}
