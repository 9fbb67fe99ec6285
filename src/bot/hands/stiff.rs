//! Forms that do not turn: where a key that turns others does nothing to one, it is not asked for again and again.

use super::{Facing, HIGH, Hands};
use crate::planner::{Form, Press, Turn};
use std::collections::HashMap;

/// Turns without an effect, with nothing in the way, after which a form is one that does not turn.
const STIFF: u32 = 3;
/// Rows below a piece with which the ground is not what refuses a turn.
const DEEP: i32 = 4;

/// Turns that had no effect, and the form for whose sake pieces are let down before they are turned.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusals {
    times: HashMap<(Turn, Form), u32>,
    pub high: Option<Form>,
}

impl Hands {
    /// A plan was to turn a piece into another form, and it is as it was.
    pub(super) fn refused(&mut self, presses: &[Press], now: &Facing) {
        let mut turns = presses.iter().filter_map(|p| match p {
            Press::Turn(turn) => Some(*turn),
            _ => None,
        });
        let Some(turn) = turns.next() else { return };
        let mixed = turns.any(|t| t != turn);
        // Of presses in no time some may not have been heard.
        let unheard = self.quick && self.heard == 0;
        if mixed || unheard || now.room < DEEP || now.at.row < HIGH {
            return;
        }
        let known = self.moves.turns.seen(turn, now.at);
        if known.is_some_and(|to| to.form != now.at.form) {
            return;
        }
        let times = self.refusals.times.entry((turn, now.at.form)).or_default();
        *times += 1;
        if *times < STIFF {
            return;
        }
        tracing::debug!(?turn, form = ?now.at.form, "this form does not turn");
        let cells = &now.piece.cells;
        self.moves.turns.learn(turn, cells, cells);
        self.misses = 0;
        if self.refusals.high == Some(now.at.form) {
            // It was not the upper edge.
            (self.clearance, self.refusals.high) = (0, None);
        }
    }
}
