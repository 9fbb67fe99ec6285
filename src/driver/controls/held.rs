//! Keys that make a piece fall faster only when they are held for longer than a row takes.
//!
//! Comes in: a [`Driver`] with a running game, keys that did nothing. Goes out: which of them bring a piece down. Must never
//! know: what a page says its keys are.

use super::trial::{FOCUS, unsettled};
use super::{Effect, HELD_MS, ROOM, Search, any_piece, drop_distance};
use crate::driver::{Driver, DriverError, FRAME_MS};
use crate::model::Key;

/// Rows of gravity for which keys are held at most: the wait for the first of them may have begun before.
pub const LAGS: f64 = 2.5;
/// Rows by which a piece is plainly lower than gravity alone brings it.
pub const PLAINLY: f64 = 1.5;
/// Rows that it may fall meanwhile, at least.
const DEPTH: i32 = 6;

impl Search<'_> {
    /// Where no key brings a piece down, those that did nothing are held for longer, all at once, and then half of them as
    /// long as the piece falls faster: some games shorten only waits for a row that begin while the key is held, and with
    /// slow gravity none of these begins within a short press.
    pub(super) async fn hold_longer<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let mut all = self.found.effects.values().flatten();
        let known = all.any(|(e, _)| matches!(e, Effect::Down(_)));
        if known || !self.moves_aside() || d.effects_within() > 0.0 {
            return Ok(());
        }
        let mut keys = self.silent();
        keys.retain(|k| k.as_str() != FOCUS);
        if keys.is_empty() || self.faster(d, &keys).await?.is_none() {
            return Ok(());
        }
        while keys.len() > 1 {
            let rest = keys.split_off(keys.len().div_ceil(2));
            if self.faster(d, &keys).await?.is_none() {
                keys = rest;
            }
        }
        for key in keys {
            for _ in 0..2 {
                if let Some(rows) = self.faster(d, std::slice::from_ref(&key)).await? {
                    self.note(&key, Effect::Down(rows), HELD_MS);
                }
            }
        }
        Ok(())
    }

    /// Rows beyond gravity by which a piece is lower that falls while these keys are held; `None` where it falls no faster.
    async fn faster<D: Driver>(
        &mut self,
        d: &mut D,
        keys: &[Key],
    ) -> Result<Option<i32>, DriverError> {
        self.room = DEPTH.max(ROOM);
        let ready = self.ready(d, any_piece, 9).await;
        self.room = ROOM;
        let Some(ready) = ready? else {
            return Ok(None);
        };
        let ready = self.after_a_fall(d, ready).await?;
        let room = drop_distance(&ready.stack, &ready.piece.cells);
        let names: Vec<&str> = keys.iter().map(Key::as_str).collect();
        d.say(&format!("holding {}", names.join(" ")));
        for key in keys {
            d.key_down(key).await?;
        }
        let (mut held, mut gained) = (0.0, None);
        let longest = self.gravity_ms * LAGS;
        while held < longest && gained.is_none() {
            let view = d.advance_to_change(longest - held, 2.0 * FRAME_MS).await?;
            held += view.passed_ms;
            let straight = view.active.as_ref().filter(|a| {
                !unsettled(&view)
                    && a.shape() == ready.piece.shape()
                    && a.corner().0 == ready.piece.corner().0
            });
            let Some(fell) = straight.map(|a| a.corner().1 - ready.piece.corner().1) else {
                break;
            };
            let by_itself = held / self.gravity_ms;
            if f64::from(fell) > by_itself + PLAINLY {
                gained = Some(fell - by_itself.floor() as i32);
            } else if fell >= room {
                break;
            }
        }
        for key in keys {
            d.key_up(key).await?;
        }
        d.advance(FRAME_MS).await?;
        Ok(gained)
    }
}
