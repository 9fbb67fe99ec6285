//! What turns were seen to do to a piece that had room.

use super::Evidence;
use crate::model::Action;
use crate::planner::{Turn, TurnSeen};

/// Columns that are free on both sides of a piece with room to turn.
const ROOM: i32 = 2;

impl Evidence {
    /// Every turn that was tried on a piece with room and showed.
    pub fn free_turns(&self) -> Vec<TurnSeen> {
        let of = |action, turn| {
            self.effects(action)
                .into_iter()
                .filter(|x| x.reshaped() && x.before.cells.len() == x.after.cells.len())
                .filter(|x| x.before.kind == x.after.kind)
                .filter(|x| x.room(-1) >= ROOM && x.room(1) >= ROOM)
                .map(move |x| TurnSeen {
                    turn,
                    before: x.before.cells,
                    after: x.after.cells,
                })
        };
        of(Action::RotateCw, Turn::Clockwise)
            .chain(of(Action::RotateCcw, Turn::CounterClockwise))
            .collect()
    }
}
