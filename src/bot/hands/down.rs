//! The way down: by a hard drop, by a soft one, or by itself, until the piece has locked and the next one is there.

use super::{Facing, Hands, LOCK_PATIENCE_MS, Soft, gone};
use crate::bot::probe::{Tap, gravity_ms, tap};
use crate::bot::taps;
use crate::driver::{Driver, DriverError, FRAME_MS, View, flicks};
use crate::evidence::Evidence;
use crate::model::{Action, GridEvent, Key};

/// Hard drops that showed, after which they are not waited for.
const SURE_DROPS: u32 = 6;
/// Game time after which a drop of which nothing shows was not heard.
const DROP_SHOWS_MS: f64 = 150.0;
/// Part of gravity's interval after which a piece that has not fallen does not fall.
const STANDS_STILL: f64 = 1.3;
/// Game time in which a page's numbers are read at least once.
const NUMBERS_MS: f64 = 120.0;

impl Hands {
    /// Lets the piece down by the fastest way there is, until it has locked and the next one is there.
    pub(super) async fn down<D: Driver>(
        &mut self,
        d: &mut D,
        now: &Facing,
    ) -> Result<Vec<GridEvent>, DriverError> {
        let mut events = Vec::new();
        let id = d.evidence(Evidence::piece);
        let mut dropped = false;
        if let Some(drop) = tap(d, Action::HardDrop) {
            dropped = self.drop(d, now, drop, &mut events).await?;
        } else if now.room > 0
            && let Some(soft) = tap(d, Action::SoftDrop)
        {
            dropped = self
                .soft_down(d, now, &soft.key, soft.ms, &mut events)
                .await?;
        }
        self.locked(d, now, id, dropped, events).await
    }

    /// By the hard drop, once more where nothing shows of it; `true` if the piece got down by it.
    async fn drop<D: Driver>(
        &mut self,
        d: &mut D,
        now: &Facing,
        drop: Tap,
        events: &mut Vec<GridEvent>,
    ) -> Result<bool, DriverError> {
        let patience = DROP_SHOWS_MS.max(d.effects_within());
        let mut tap = drop;
        let since = d.evidence(|e| e.last().seq);
        loop {
            let id = d.evidence(Evidence::piece);
            let mut waited = 0.0;
            if self.quick {
                d.flick(std::slice::from_ref(&tap.key)).await?;
            } else {
                let mut view = d.press(&tap.key, tap.ms).await?;
                events.append(&mut view.events);
            }
            if self.drops >= SURE_DROPS {
                return Ok(true);
            }
            // What gravity may have done meanwhile, and a row more.
            let own = (patience / gravity_ms(d)).ceil() as i32 + 1;
            while waited < patience {
                if gone(events) {
                    self.drops += 1;
                    return Ok(true);
                }
                let mut view = d.advance_to_change(patience - waited, 50.0).await?;
                waited += view.passed_ms;
                events.append(&mut view.events);
                let here = view.active.as_ref().map(|a| a.corner().1);
                let other = d.evidence(Evidence::piece) != id;
                if other || here.is_none_or(|row| row > now.at.row + own.min(now.room)) {
                    self.drops += 1;
                    return Ok(true);
                }
            }
            if now.room <= own {
                return Ok(true);
            }
            let gravity = gravity_ms(d);
            let lives = |e: &Evidence| e.falls().last().map(|f| f.seq);
            let fell = d.evidence(lives);
            if fell.is_none_or(|seq| seq < since) {
                let mut view = d
                    .advance_to_change(gravity * STANDS_STILL, gravity / 4.0)
                    .await?;
                events.append(&mut view.events);
                if gone(events) {
                    return Ok(true);
                }
                if d.evidence(lives) == fell {
                    // No key is lost on a game that stands still.
                    return Ok(false);
                }
            }
            tracing::debug!(key = %tap.key, "nothing shows of a drop");
            if self.quick {
                self.quick = false;
            } else if taps::lengthen(d) {
                tap = self::tap(d, Action::HardDrop).unwrap_or(tap);
            } else {
                return Ok(false);
            }
        }
    }

    /// By the soft drop; `true` if the piece got down by it.
    async fn soft_down<D: Driver>(
        &mut self,
        d: &mut D,
        now: &Facing,
        key: &Key,
        tap_ms: f64,
        events: &mut Vec<GridEvent>,
    ) -> Result<bool, DriverError> {
        let row = |v: &View| v.active.as_ref().map_or(i32::MAX, |a| a.corner().1);
        let start = now.at.row;
        let mut taps = if self.soft == Soft::Unknown {
            3.min(now.room)
        } else {
            now.room
        };
        let mut done = 0;
        while matches!(self.soft, Soft::Unknown | Soft::Taps) && taps > 0 {
            let heard = if self.quick {
                let (mut view, heard) = flicks::lower(d, key, taps, start + done).await?;
                events.append(&mut view.events);
                heard
            } else {
                for _ in 0..taps {
                    let mut view = d.press(key, tap_ms).await?;
                    events.append(&mut view.events);
                    if gone(events) {
                        return Ok(true);
                    }
                }
                let mut view = Self::shown(d).await?;
                events.append(&mut view.events);
                row(&view) - start >= done + taps - 1
            };
            done += taps;
            if gone(events) {
                return Ok(true);
            }
            if heard {
                self.soft = Soft::Taps;
                taps = now.room - done;
            } else {
                self.soft = Soft::Held;
            }
        }
        if self.soft != Soft::Held {
            return Ok(self.soft == Soft::Taps);
        }
        let gravity = gravity_ms(d);
        d.key_down(key).await?;
        let mut held = 0.0;
        let mut last = start;
        let most = gravity * f64::from(now.room + 1);
        let end = loop {
            if held >= most {
                break Ok(());
            }
            let mut view = match d.advance_to_change(most - held, 2.0 * FRAME_MS).await {
                Ok(view) => view,
                Err(error) => break Err(error),
            };
            held += view.passed_ms;
            events.append(&mut view.events);
            last = last.max(row(&view).min(start + now.room));
            if gone(events) || row(&view) == i32::MAX || last - start >= now.room {
                break Ok(());
            }
        };
        d.key_up(key).await?;
        end?;
        if !gone(events) && f64::from(last - start) < held / gravity * 1.5 && held > gravity * 3.0 {
            self.soft = Soft::Useless;
        }
        Ok(true)
    }

    /// Waits for the lock and the next piece.
    async fn locked<D: Driver>(
        &mut self,
        d: &mut D,
        now: &Facing,
        id: Option<u64>,
        dropped: bool,
        mut events: Vec<GridEvent>,
    ) -> Result<Vec<GridEvent>, DriverError> {
        let gravity = gravity_ms(d);
        let rows = if dropped { 2 } else { now.room + 2 };
        let patience = gravity * f64::from(rows) + LOCK_PATIENCE_MS;
        let mut waited = 0.0;
        let step = if dropped {
            50.0
        } else {
            (gravity / 2.0).clamp(FRAME_MS, 100.0)
        };
        loop {
            if waited > patience {
                self.drops = 0;
                return Ok(events);
            }
            let mut view = d.advance_to_change(patience - waited + step, step).await?;
            waited += view.passed_ms;
            events.append(&mut view.events);
            let other = d.evidence(Evidence::piece) != id && view.active.is_some();
            if (gone(&events) || other) && view.active.is_some() {
                // The numbers of the page follow a lock; they are read before the next press.
                events.append(&mut d.advance(NUMBERS_MS).await?.events);
                return Ok(events);
            }
        }
    }
}
