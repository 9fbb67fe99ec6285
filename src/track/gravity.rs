//! How fast a piece falls by itself.

use super::blocks::corner;
use super::{Seen, State};

/// Has a key let the piece go, so that it does not fall by itself any more?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LetGo {
    /// None was pressed but those that move or turn it.
    #[default]
    No,
    /// One was that may have.
    Maybe,
    /// The one that is known to drop pieces was.
    Surely,
}

/// One fall of the piece with no key down since its last one, and none that let it go before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    /// The record in which it showed.
    pub seq: u64,
    /// Game time of that record in milliseconds.
    pub game_ms: f64,
    /// Milliseconds since the piece's last fall; `None` for its first, or where a key was down in between, or
    /// has let it go.
    pub after_ms: Option<f64>,
    /// Milliseconds since the reading before: how coarse `after_ms` is.
    pub resolution_ms: f64,
    /// Rows fallen.
    pub rows: u16,
}

/// Every fall seen with no key down, oldest first; the oldest are dropped beyond [`Gravity::KEPT`].
#[derive(Debug, Clone, Default)]
pub struct Gravity {
    falls: Vec<Fall>,
    last_fall: Option<f64>,
    last_seen: f64,
    /// Has a key let this piece go?
    let_go: LetGo,
    /// Milliseconds a row as it was measured before.
    before: Option<f64>,
}

impl Gravity {
    /// How many falls are kept.
    pub const KEPT: usize = 4096;
    /// How many intervals the median is taken of.
    const RECENT: usize = 9;
    /// Milliseconds a row at most in which a drop is drawn.
    const DROP_MS: f64 = 50.0;
    /// How many times as fast as gravity a drop is at least.
    const DROP_TIMES: f64 = 3.0;

    /// Nothing yet, of a game that was measured before.
    pub(super) fn since(before: Option<f64>) -> Self {
        Self {
            before,
            ..Self::default()
        }
    }

    /// The falls.
    pub fn falls(&self) -> &[Fall] {
        &self.falls
    }

    /// Game milliseconds a row: the median of the last intervals.
    pub fn median_ms(&self) -> Option<f64> {
        let intervals = self.falls.iter().rev().filter_map(|f| {
            f.after_ms
                .filter(|_| f.rows > 0)
                .map(|ms| ms / f64::from(f.rows))
        });
        let mut lately: Vec<f64> = intervals.take(Self::RECENT).collect();
        lately.sort_by(f64::total_cmp);
        lately.get(lately.len() / 2).copied()
    }

    pub(super) fn new_piece(&mut self) {
        self.last_fall = None;
        self.let_go = LetGo::No;
    }

    /// What falls now may be another piece or the same.
    pub(super) fn lose_sight(&mut self) {
        self.last_fall = None;
    }

    /// Is a piece on its way down since a key let it go, by the time between two of its falls? Many games draw a drop row
    /// by row, and the key is up again long before it ends.
    fn is_dropped(&self, row_ms: f64) -> bool {
        let much_faster = || {
            row_ms <= Self::DROP_MS
                && self
                    .median_ms()
                    .or(self.before)
                    .is_some_and(|usual| row_ms * Self::DROP_TIMES < usual)
        };
        match self.let_go {
            LetGo::No => false,
            LetGo::Maybe => much_faster(),
            LetGo::Surely => true,
        }
    }

    pub(super) fn follow(&mut self, was: &State, is: &State, fresh: bool, seen: &Seen<'_>) {
        let resolution_ms = seen.game_ms - self.last_seen;
        self.last_seen = seen.game_ms;
        if !seen.quiet {
            self.last_fall = None;
        }
        // What let the last piece go says nothing of the one that came then.
        if !fresh {
            self.let_go = self.let_go.max(seen.let_go);
        }
        let (Some(a), Some(b)) = (&was.piece, &is.piece) else {
            return;
        };
        if fresh || !seen.quiet || a.active.cells == b.active.cells {
            return;
        }
        let (from, to) = (corner(&a.active.cells), corner(&b.active.cells));
        if a.active.shape() != b.active.shape() || from.0 != to.0 || to.1 <= from.1 {
            return;
        }
        let rows = (to.1 - from.1) as u16;
        let after_ms = self.last_fall.map(|t| seen.game_ms - t);
        let took = after_ms.or((rows > 1).then_some(resolution_ms));
        let row_ms = took.map_or(f64::MAX, |ms| ms / f64::from(rows));
        let dropped = self.is_dropped(row_ms);
        // That it goes on at all is worth knowing: the key may not have been heard.
        if !dropped || rows == 1 && self.let_go == LetGo::Surely {
            if self.falls.len() >= Self::KEPT {
                self.falls.drain(..Self::KEPT / 2);
            }
            self.falls.push(Fall {
                seq: seen.seq,
                game_ms: seen.game_ms,
                after_ms: after_ms.filter(|_| !dropped),
                resolution_ms,
                rows,
            });
        }
        self.last_fall = Some(seen.game_ms);
    }
}
