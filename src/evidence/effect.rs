//! What a press did to the falling piece.

use super::{Evidence, Press, Probe, Reading};
use crate::model::{Action, ActivePiece, Stamp};
use crate::track::Blocks;

/// A press and what became of the piece until the next press, or the end of its probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// Number of the record in which the key went down.
    pub seq: u64,
    /// The probe's number; 0 outside probes.
    pub attempt: u32,
    /// How long the key was held, in game milliseconds; `None` while it is down.
    pub held_ms: Option<f64>,
    /// Game milliseconds from the key going down to the last reading that counts.
    pub span_ms: f64,
    /// Tells one piece from the next.
    pub piece: u64,
    /// The piece before.
    pub before: ActivePiece,
    /// The piece at the last reading in which it was still falling; as before if there was none.
    pub after: ActivePiece,
    /// Its record.
    pub after_seq: u64,
    /// The stack before.
    pub stack: Blocks,
    /// Pieces that locked by then.
    pub locks: usize,
    /// The piece was gone by the end: it locked, or was swapped or taken away.
    pub gone: bool,
}

impl Effect {
    /// Columns moved by the left edge, right positive.
    pub fn aside(&self) -> i32 {
        self.after.corner().0 - self.before.corner().0
    }

    /// Rows moved, down positive.
    pub fn down(&self) -> i32 {
        self.after.corner().1 - self.before.corner().1
    }

    /// Is it another shape now?
    pub fn reshaped(&self) -> bool {
        self.before.shape() != self.after.shape()
    }

    /// Was it beside a wall or block on that side (-1 left, 1 right), so that it could not move?
    pub fn blocked(&self, side: i32) -> bool {
        self.room(side) == 0
    }

    /// How many columns it could have moved to that side.
    pub fn room(&self, side: i32) -> i32 {
        let to = |n: i32| -> Vec<_> {
            let cells = self.before.cells.iter();
            cells.map(|c| (c.0 + side * n, c.1)).collect()
        };
        (1..=i32::from(self.stack.columns()))
            .take_while(|n| self.stack.is_free(&to(*n)))
            .count() as i32
    }

    /// Are all of its cells on the board, at both ends? A piece that glides may be read in the second row while a cell of
    /// it is half above the first, where many pages draw nothing.
    pub fn whole(&self) -> bool {
        self.before.cells.len() >= 4 && (self.after.cells.len() >= 4 || self.after.corner().1 > 1)
    }
}

impl Evidence {
    /// What the presses of an action's probes did, in order; presses that no reading followed are left out.
    pub fn effects(&self, action: Action) -> Vec<Effect> {
        let probes = self.probes.iter().filter(|p| p.action == action);
        probes.flat_map(|p| self.effects_in(p)).collect()
    }

    /// What the presses of one probe did.
    pub fn effects_in(&self, probe: &Probe) -> Vec<Effect> {
        let end = probe.until.unwrap_or(self.last);
        let first = self
            .presses
            .partition_point(|p| p.down.seq < probe.from.seq);
        let all: Vec<&Press> = self.presses[first..]
            .iter()
            .take_while(|p| p.down.seq <= end.seq)
            .collect();
        let mut effects = Vec::new();
        for (i, press) in all.iter().enumerate() {
            if press.key != probe.key {
                continue;
            }
            let until = all.get(i + 1).map_or(end, |next| next.down);
            effects.extend(self.effect(press, until, probe.attempt));
        }
        effects
    }

    /// What one press did until a moment.
    pub fn effect(&self, press: &Press, until: Stamp, attempt: u32) -> Option<Effect> {
        let before = self.reading_at(press.down.seq)?;
        let was = before.active.clone()?;
        let seen: &[Reading] = self.readings_in(press.down.seq + 1..=until.seq);
        // The reading before may go on past the press: nothing moved then, and that counts too.
        let followed = seen.last().is_some_and(|r| r.until.seq > press.down.seq);
        if before.unsure || !followed {
            return None;
        }
        let still = seen
            .iter()
            .rev()
            .find(|r| r.piece == before.piece && !r.unsure && r.active.is_some());
        // It may have been gone by the first look.
        let (after, is) = match still {
            Some(r) => (r, r.active.clone()?),
            None => (before, was.clone()),
        };
        let last = seen.last()?;
        let locks = self
            .happenings_in(press.down.seq + 1..=until.seq)
            .iter()
            .filter(|h| matches!(h.event, crate::model::GridEvent::PieceLocked { .. }))
            .count();
        Some(Effect {
            seq: press.down.seq,
            attempt,
            held_ms: press.held_ms(),
            // What is seen on and on, until long after the next press, counts up to that one.
            span_ms: still.map_or(0.0, |r| {
                r.until.min(until).game_ms_since(press.down).max(0.0)
            }),
            piece: before.piece,
            before: was,
            after: is,
            after_seq: after.from.seq,
            stack: (*before.stack).clone(),
            locks,
            gone: last.piece != before.piece || last.active.is_none(),
        })
    }
}
