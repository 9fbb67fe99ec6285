//! One key tried on one piece.

use super::{
    BURST, Effect, HELD_MS, Press, ROOM, Ready, SPACED_MS, Search, TAP_MS, Tried, effect,
    turns_show, whole, without,
};
use crate::driver::{Driver, DriverError, FRAME_MS, View};
use crate::evidence::Evidence;
use crate::model::{ActivePiece, Key};

/// Gravity that leaves a piece where it is from one look to the next, in milliseconds a row.
const SLOW_MS: f64 = 200.0;

/// The key by which browsers take the focus from one control to the next.
pub(super) const FOCUS: &str = "Tab";

/// Looks in a row, of three frames each, in which a piece that is let down does not come lower.
const STALLS: u32 = 3;

impl Search<'_> {
    /// Presses a key on a piece with room and says what that did.
    pub(super) async fn trial<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        hold_ms: f64,
        fits: impl Fn(&ActivePiece) -> bool + Send,
    ) -> Result<Option<Effect>, DriverError> {
        let Some(ready) = self.ready(d, fits, 9).await? else {
            return Ok(None);
        };
        self.trial_on(d, key, hold_ms, ready).await.map(Some)
    }

    /// The same just after a fall, with half the board below. A game may go on with the time it has waited for the next row
    /// when a key makes the rows shorter: such a soft drop takes the piece down several rows at once, unless it has just
    /// fallen one. Where there are few rows to go it brings the piece to the ground as a drop does.
    pub(super) async fn trial_after_a_fall<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        hold_ms: f64,
        fits: impl Fn(&ActivePiece) -> bool + Send,
    ) -> Result<Option<Effect>, DriverError> {
        self.room = d.board().map_or(ROOM, |b| i32::from(b.rows) / 2).max(ROOM);
        let ready = self.ready(d, fits, 9).await;
        self.room = ROOM;
        let Some(ready) = ready? else {
            return Ok(None);
        };
        let ready = self.after_a_fall(d, ready).await?;
        self.trial_on(d, key, hold_ms, ready).await.map(Some)
    }

    async fn trial_on<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        hold_ms: f64,
        ready: Ready,
    ) -> Result<Effect, DriverError> {
        d.say(&format!("trying key {key}"));
        if key.as_str() == FOCUS {
            d.keep_focus().await?;
        }
        d.together(true);
        let mut view = d.press(key, hold_ms).await?;
        let mut passed = view.passed_ms.max(hold_ms + FRAME_MS);
        let mut events = std::mem::take(&mut view.events);
        // A piece that is on its way (a drop that is animated, one that enters row by row) is waited for, and so is
        // the second look that decides an odd first one.
        let patience = 1_200.0 + 3.0 * self.gravity_ms;
        let row = |view: &View| view.active.as_ref().map(|a| a.corner().1);
        let straight = |a: &ActivePiece| {
            a.shape() == ready.piece.shape() && a.corner().0 == ready.piece.corner().0
        };
        // What goes on down after a tap by more than gravity is a drop that is drawn row by row, slower towards its end.
        let (mut sank, mut stalled) = (false, 0);
        let mut sinks = hold_ms <= TAP_MS
            && self.gravity_ms >= SLOW_MS
            && view.active.as_ref().is_some_and(straight);
        while passed < patience && (sinks || unsettled(&view) || d.evidence(Evidence::is_unsure)) {
            let before = row(&view);
            view = d.advance(3.0 * FRAME_MS).await?;
            passed += 3.0 * FRAME_MS;
            events.append(&mut view.events);
            let lower = row(&view) > before;
            stalled = if lower { 0 } else { stalled + 1 };
            sank |= lower;
            sinks &= sank && stalled <= STALLS;
        }
        d.together(false);
        if key.as_str() == FOCUS {
            // A button that has the focus would be pressed by the next key, and a frame would hear it instead of the game.
            d.give_focus_back().await?;
        }
        let lower = view
            .active
            .as_ref()
            .is_some_and(|a| a.corner().1 > ready.piece.corner().1);
        self.seen.went_down |= lower;
        let gravity_rows = (passed / self.gravity_ms).ceil() as i32;
        let stack_after = match (&view.grid, &view.active) {
            (Some(g), Some(a)) => Some(without(g, a)),
            (Some(g), None) => Some((**g).clone()),
            (None, _) => None,
        };
        let did = effect(&Press {
            before: &ready.piece,
            stack: &ready.stack,
            after: view.active.as_ref(),
            stack_after: stack_after.as_ref(),
            events: &events,
            gravity_rows,
        });
        if did == Effect::Swapped {
            self.used = d.evidence(Evidence::piece);
        }
        self.seen.landed = matches!(did, Effect::Dropped { .. });
        // A soft drop that is held may reach the ground as well; what only a long press does is no hard drop.
        let did = match did {
            Effect::Dropped { rows, .. } if hold_ms >= HELD_MS => Effect::Down(rows),
            did => did,
        };
        Ok(did)
    }

    /// Waits until gravity has taken a piece a row lower.
    pub(super) async fn after_a_fall<D: Driver>(
        &self,
        d: &mut D,
        ready: Ready,
    ) -> Result<Ready, DriverError> {
        let patience = self.gravity_ms * 1.5;
        let mut waited = 0.0;
        while waited < patience {
            let view = d.advance_to_change(patience - waited, FRAME_MS).await?;
            waited += view.passed_ms;
            if let (Some(grid), Some(piece)) = (&view.grid, view.active)
                && piece.corner().1 > ready.piece.corner().1
                && piece.shape() == ready.piece.shape()
            {
                let stack = without(grid, &piece);
                return Ok(Ready { piece, stack });
            }
        }
        Ok(ready)
    }

    /// Tries a key: tapped, and held where a tap did nothing.
    pub(super) async fn tried<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
    ) -> Result<Tried, DriverError> {
        let not_o = turns_show;
        self.seen.went_down = false;
        let mut held = TAP_MS;
        let mut begun_anew = 0;
        let mut did = loop {
            let Some(did) = self.trial(d, key, held, not_o).await? else {
                return Ok(Tried::NoPiece);
            };
            if did != Effect::Nothing {
                break did;
            }
            // A key that stops the game does it now and undoes it with the next press: looked at in between.
            let (restarts, standstills) = (self.restarts, self.standstills);
            let heard = self.answers(d).await? != Some(false);
            let stands = !heard && !self.runs(d).await?;
            // Begun anew before that was known: once may be for another reason.
            begun_anew += self.standstills - standstills;
            if stands || begun_anew == 2 {
                self.stopped_by(d, key, held).await?;
                return Ok(Tried::Stopped);
            }
            if self.restarts > restarts {
                continue;
            }
            if !heard && self.is_awake(d).await? && self.stops(d, key).await? {
                return Ok(Tried::Stopped);
            }
            if self.stirred.take_if(|k| k == key).is_none() {
                break did;
            }
            // What it brought may have been of the same kind; on another piece that shows.
            self.used = d.evidence(Evidence::piece);
        };
        if did == Effect::Deformed {
            // Another piece that took its place may have been its mirror image; on another one that shows.
            self.used = d.evidence(Evidence::piece);
            if self.trial(d, key, held, not_o).await? == Some(Effect::Swapped) {
                did = Effect::Swapped;
            }
        }
        if matches!(did, Effect::Nothing | Effect::Down(_)) {
            let Some(longer) = self.trial(d, key, HELD_MS, not_o).await? else {
                return Ok(Tried::NoPiece);
            };
            if longer != Effect::Nothing {
                held = HELD_MS;
                if let Some((shorter, ms)) = self.shorten(d, key, &longer).await? {
                    (did, held) = (shorter, ms);
                }
            }
            let dropped = matches!(did, Effect::Dropped { .. });
            if did == Effect::Nothing || matches!(longer, Effect::Down(_)) && !dropped {
                did = longer;
            }
        }
        // One row a tap is no more than gravity might have done; several taps in a row tell.
        if did == Effect::Nothing && self.seen.went_down {
            for tap in [TAP_MS, SPACED_MS] {
                if let Some(rows) = self.burst(d, key, tap).await? {
                    did = Effect::Down(rows);
                    held = tap;
                    break;
                }
            }
        }
        Ok(Tried::Did(did, held))
    }

    /// The shortest press of a key that works, and what it does, where a long one was needed: that is what a tap is in this
    /// game. `None` where no shorter one works, or no piece comes on which that shows.
    pub(super) async fn shorten<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        longer: &Effect,
    ) -> Result<Option<(Effect, f64)>, DriverError> {
        let landed = self.seen.landed;
        if matches!(longer, Effect::Down(_)) && !landed {
            return Ok(None);
        }
        // The piece may have been at the wall.
        let columns = d.board().map_or(0, |b| i32::from(b.columns));
        let side = match longer {
            Effect::Sideways(n) => n.signum(),
            _ => 0,
        };
        let fits = |p: &ActivePiece| {
            if side == 0 {
                turns_show(p)
            } else {
                has_room(p, side, columns)
            }
        };
        for frames in [1.0, 2.0, 3.0, 5.0] {
            if frames < 2.0 && side == 0 {
                continue;
            }
            let ms = frames * FRAME_MS;
            if let Some(shorter) = self.trial(d, key, ms, fits).await?
                && (shorter != Effect::Nothing && !landed || locks(&shorter))
            {
                return Ok(Some((shorter, ms)));
            }
        }
        Ok(None)
    }

    /// Taps a key several times for `tap` milliseconds; the rows that the piece went down beyond gravity, if it went down
    /// with each tap.
    pub(super) async fn burst<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        tap: f64,
    ) -> Result<Option<i32>, DriverError> {
        // One that comes to rest on the way says nothing if that was early; another one may.
        for _ in 0..2 {
            let Some(ready) = self.ready(d, |_| true, 9).await? else {
                return Ok(None);
            };
            let (shape, first) = (ready.piece.shape(), ready.piece.corner().1);
            let (mut row, mut passed, mut each, mut taps) = (first, 0.0, true, 0);
            while taps < BURST {
                let view = d.press(key, tap).await?;
                let Some(piece) = view.active.filter(|a| a.shape() == shape) else {
                    break;
                };
                let lower = piece.corner().1;
                if lower < first {
                    break;
                }
                each &= lower > row;
                (row, taps) = (lower, taps + 1);
                passed += view.passed_ms;
            }
            if taps < BURST - 1 {
                continue;
            }
            let gravity_rows = (passed / self.gravity_ms).ceil() as i32;
            let down = row - first - gravity_rows;
            // Where each tap begins gravity's time anew, it adds nothing to them.
            let enough = each || down >= taps - 1 - gravity_rows.min(1);
            return Ok((enough && down > 0).then_some(down));
        }
        Ok(None)
    }
}

/// Is there a column to that side of the piece, or need there be none?
pub(super) fn has_room(piece: &ActivePiece, side: i32, columns: i32) -> bool {
    let inside = |c: &(i32, i32)| (0..columns).contains(&(c.0 + side));
    side == 0 || piece.cells.iter().all(inside)
}

/// Did the piece lock with the press, as it does by no soft drop?
fn locks(did: &Effect) -> bool {
    matches!(did, Effect::Dropped { locked: true, .. })
}

/// Is the piece on its way: not readable, not whole, or not where it was last seen (hidden above the board)?
pub(super) fn unsettled(view: &View) -> bool {
    let shown = |a: &ActivePiece| {
        let filled = |c: &(i32, i32)| view.grid.as_ref().is_none_or(|g| g.is_filled(c.0, c.1));
        a.cells.iter().all(filled)
    };
    view.active.as_ref().is_none_or(|a| !whole(a) || !shown(a))
}
