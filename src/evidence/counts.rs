use crate::model::{GridEvent, PieceKind};
use std::collections::BTreeSet;

/// How often things happened in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Readings of the board, stills included.
    pub frames: u64,
    /// Times the board could not be read.
    pub reads_failed: u64,
    /// Pieces that appeared.
    pub pieces_spawned: u64,
    /// Pieces that became part of the stack.
    pub pieces_locked: u64,
    /// Rows that disappeared.
    pub lines_cleared: u64,
    /// Turns of the falling piece.
    pub rotations: u64,
    /// Moves of the falling piece, falling included.
    pub movements: u64,
    /// Hard drops.
    pub hard_drops: u64,
    /// Changes of the stack that no lock or clear explains.
    pub unexplained: u64,
    /// The kinds that appeared.
    pub kinds: BTreeSet<PieceKind>,
}

impl Counts {
    /// The part of readings that succeeded, 0 to 1; `None` before the first.
    pub fn read_success(&self) -> Option<f64> {
        let all = self.frames + self.reads_failed;
        (all > 0).then(|| self.frames as f64 / all as f64)
    }

    pub(super) fn event(&mut self, event: &GridEvent) {
        match event {
            GridEvent::PieceSpawned { kind, .. } => {
                self.pieces_spawned += 1;
                self.kinds.extend(kind);
            }
            GridEvent::PieceLocked { .. } => self.pieces_locked += 1,
            GridEvent::LineCleared { count, .. } => self.lines_cleared += u64::from(*count),
            GridEvent::PieceRotated { .. } => self.rotations += 1,
            GridEvent::PieceMoved { .. } => self.movements += 1,
            GridEvent::HardDrop { .. } => self.hard_drops += 1,
            GridEvent::StackChanged { .. } => self.unexplained += 1,
            GridEvent::PieceDeformed { .. }
            | GridEvent::BoardCleared
            | GridEvent::GameOver
            | GridEvent::Afterimage { .. }
            | GridEvent::GridReadFailed { .. } => {}
        }
    }
}
