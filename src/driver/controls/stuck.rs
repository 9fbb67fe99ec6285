//! A key at which the game stands still behind words for good: a pause that nothing ends, where nothing answers any more.
//!
//! Comes in: a search that has tried all keys. Goes out: that key as the pause, if it is one. Must never know: what the
//! words say.

use super::search::{hangs, said};
use super::trial::FOCUS;
use super::{BATCH, Effect, Ready, Search, any_piece, candidate_keys, drop_distance, without};
use crate::driver::start::{apply, candidates};
use crate::driver::{Driver, DriverError, FRAME_MS, View};
use crate::model::{GridEvent, Key, StartCandidate, StartMechanism};

/// Game time after which a panel that comes with a pause is all there.
const SHOWN_MS: f64 = 500.0;
/// Things that came with the words and are clicked.
const CLICKED: usize = 6;

/// Of the blocks of a board that is still shown one in so many may be hidden by what is drawn over it.
const STILL_SHOWN: usize = 10;

impl Search<'_> {
    /// Takes the key at which the game stood still behind words for its pause, if nothing at all answers then. A title that
    /// it was left for, a question whether it is to be left, a menu and most ends answer something.
    pub(super) async fn unstick<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let Some(key) = self.stuck.take().filter(|_| self.pause.is_none()) else {
            return Ok(());
        };
        if self.is_dead_after(d, &key).await? {
            self.found.effects.remove(&key);
            self.pause = Some((key, false));
        }
        self.again(d).await?;
        Ok(())
    }

    async fn is_dead_after<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
    ) -> Result<bool, DriverError> {
        let Some(was) = self.ready(d, any_piece, 9).await? else {
            return Ok(false);
        };
        let before = candidates(&d.survey().await?);
        d.press(key, self.sure_ms()).await?;
        d.advance(SHOWN_MS).await?;
        if self.runs(d).await? || !hangs(d).await? && !is_still_shown(d, Some(was)).await? {
            return Ok(false);
        }
        d.say(&format!("does anything let the game go on after {key}?"));
        let survey = d.survey().await?;
        let shown = said(&survey);
        let leaves = |k: &Key| {
            let did = self.found.effects.get(k).into_iter().flatten();
            did.into_iter()
                .any(|(e, _)| matches!(e, Effect::Left | Effect::Hung))
        };
        let mut keys = candidate_keys();
        keys.retain(|k| k.as_str() != FOCUS && !leaves(k) && !self.stops.contains(k));
        for some in keys.chunks(BATCH) {
            for k in some {
                let seen = d.press(k, self.sure_ms()).await?.events;
                if seen.iter().any(GridEvent::shows_motion) {
                    return Ok(false);
                }
            }
            if self.runs(d).await? || said(&d.survey().await?) != shown {
                return Ok(false);
            }
        }
        let there = |c: &StartCandidate| {
            let same = |b: &StartCandidate| b.selector == c.selector && b.label == c.label;
            c.mechanism != StartMechanism::ClickCanvas && before.iter().any(same)
        };
        let mut clicks = candidates(&survey);
        clicks.retain(|c| c.key.is_none() && !there(c));
        for click in clicks.iter().take(CLICKED) {
            apply(d, click).await?;
            d.advance(SHOWN_MS).await?;
            if self.runs(d).await? || said(&d.survey().await?) != shown {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The piece in mid-air.
pub(super) fn hanging(view: &View) -> Option<Ready> {
    let piece = view.active.clone()?;
    let stack = without(view.grid.as_ref()?, &piece);
    (drop_distance(&stack, &piece.cells) > 1).then_some(Ready { piece, stack })
}

/// Is what was on the board when a piece hung in mid-air still to be seen there, whatever was drawn over it? The piece may
/// have fallen a row in the moment of a press.
pub(super) async fn is_still_shown<D: Driver>(
    d: &mut D,
    was: Option<Ready>,
) -> Result<bool, DriverError> {
    let (Some(was), Some(grid)) = (was, d.advance(FRAME_MS).await?.grid) else {
        return Ok(false);
    };
    let at = |down| move |&(c, r): &(i32, i32)| (c, r + down);
    let filled = |(c, r): (i32, i32)| grid.is_filled(c, r);
    let piece = (0..=1).any(|down| was.piece.cells.iter().map(at(down)).all(filled));
    let stack = was.stack.filled_cells();
    let kept = stack.iter().copied().filter(|c| filled(*c)).count();
    Ok(piece && kept * STILL_SHOWN >= stack.len() * (STILL_SHOWN - 1))
}
