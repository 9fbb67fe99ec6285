use super::PieceKind;
use serde::{Deserialize, Serialize};

/// A direction on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Side {
    Left,
    Right,
    Down,
}

/// Something that happened on the board between two readings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GridEvent {
    /// A new piece appeared.
    PieceSpawned {
        /// Its kind; `None` if its shape is none of the seven (or not all of it is on the board yet).
        kind: Option<PieceKind>,
        /// Its visible cells.
        cells: Vec<(i32, i32)>,
    },
    /// The falling piece moved by whole cells.
    PieceMoved {
        /// Which way.
        side: Side,
        /// By how many cells since the last reading.
        by: u16,
    },
    /// The falling piece turned.
    PieceRotated {
        /// State before, as counted by [`PieceKind::states`].
        from: u8,
        /// State after.
        to: u8,
    },
    /// The falling piece changed into another shape that is not one of its own states.
    PieceDeformed {
        /// Its cells after.
        cells: Vec<(i32, i32)>,
    },
    /// The falling piece went down by more rows than it could have fallen, and is part of the stack now.
    HardDrop {
        /// Rows fallen since the last reading.
        rows: u16,
    },
    /// The falling piece became part of the stack.
    PieceLocked {
        /// Its kind.
        kind: Option<PieceKind>,
        /// Where it lies (before any rows were cleared).
        cells: Vec<(i32, i32)>,
        /// Change in the number of blocks of the stack, cleared rows not counted: 4 where all is well.
        filled_delta: i32,
    },
    /// Full rows disappeared.
    LineCleared {
        /// How many.
        count: u16,
        /// Which, counted from the top before the clear.
        rows: Vec<u16>,
    },
    /// The stack changed in a way that no lock or clear explains.
    StackChanged {
        /// Blocks that appeared.
        appeared: u16,
        /// Blocks that vanished.
        vanished: u16,
    },
    /// A piece that completed rows is still drawn where it locked, though it is gone.
    Afterimage {
        /// Where blocks are drawn that are none.
        cells: Vec<(i32, i32)>,
    },
    /// The board was emptied.
    BoardCleared,
    /// The game came to its end, as far as the board shows it: a stack up to where pieces come in, nothing that could
    /// fall, and no change for long.
    GameOver,
    /// The board could not be read.
    GridReadFailed {
        /// Why, for people.
        why: String,
    },
}

impl GridEvent {
    /// Does it show that a piece went, turned or came to rest: what only a game does that runs?
    pub fn shows_life(&self) -> bool {
        matches!(
            self,
            Self::PieceMoved { .. }
                | Self::PieceRotated { .. }
                | Self::PieceLocked { .. }
                | Self::HardDrop { .. }
        )
    }

    /// Does it show that a piece goes by itself: moved, or come to rest?
    pub fn shows_motion(&self) -> bool {
        matches!(self, Self::PieceMoved { .. } | Self::PieceLocked { .. })
    }
}
