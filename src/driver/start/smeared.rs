//! A game whose pieces stay drawn wherever they were: nothing of it can be decoded, but it runs.
//!
//! Comes in: a [`Driver`] on whose page something goes down and stays drawn. Goes out: whether it answers a key.
//! Must never know: what is wrong with that.

use super::watch::{ENOUGH_STEPS, Place, Since, Watched, watch_for_fall};
use super::{TAP_MS, exact, follow, region};
use crate::driver::{Driver, DriverError};
use crate::model::{Key, Raster, Rect, StartCandidate};
use crate::vision::find::Smear;

/// Steps below the last one in which an answer is looked for: it goes on falling while keys are tried.
const BELOW: f64 = 8.0;
/// Pixels beside its columns that are none of its edge.
const EDGE: f64 = 3.0;
/// Of a step by a step, what an answer must cover at least.
const LEAST: f64 = 0.3;

/// A game that leaves what falls drawn wherever it was.
#[derive(Debug, Clone)]
pub struct Smeared {
    /// What was done, in order; empty if it started by itself.
    pub path: Vec<StartCandidate>,
    /// What was done and what was seen; for people.
    pub why: String,
    /// What was seen.
    pub seen: String,
}

/// In words.
pub(super) fn words(smear: &Smear) -> String {
    format!(
        "something goes down, {} steps of {:.0} px, and stays drawn wherever it was",
        smear.steps, smear.step
    )
}

/// The key at which what goes down goes aside; `None` where none does it.
pub(super) async fn steered<D: Driver>(
    d: &mut D,
    smear: &Smear,
) -> Result<Option<Key>, DriverError> {
    d.say("is it a game? trying keys on what falls and stays drawn");
    let region = region(&d.survey().await?);
    let mut before = d.look(region).await?;
    // Once more round: what has landed is followed by another, after a moment.
    for key in exact::KEYS.into_iter().chain(exact::KEYS).map(Key::new) {
        d.press(&key, TAP_MS).await?;
        let after = d.look(region).await?;
        if goes_aside(&before, &after, smear) {
            return Ok(Some(key));
        }
        before = after;
    }
    Ok(None)
}

/// Is something drawn right beside the columns in which it went down?
fn goes_aside(before: &Raster, after: &Raster, smear: &Smear) -> bool {
    let (top, bottom) = (smear.area.y, smear.last.bottom() + BELOW * smear.step);
    let beside = |x0: f64, x1: f64| {
        let rect = Rect::new(x0, top, x1 - x0, bottom - top);
        changed(before, after, rect) as f64 >= smear.step * smear.step * LEAST
    };
    let width = smear.step * 1.5;
    beside(smear.area.x - width, smear.area.x - EDGE)
        || beside(smear.area.right() + EDGE, smear.area.right() + width)
}

/// Pixels that differ in a place.
fn changed(a: &Raster, b: &Raster, place: Rect) -> usize {
    let cut = |picture: &Raster| {
        let (x, y) = (place.x.max(0.0), place.y.max(0.0));
        let size = ((place.right() - x).max(0.0), (place.bottom() - y).max(0.0));
        picture.cropped(x as u32, y as u32, size.0 as u32, size.1 as u32)
    };
    let (a, b) = (cut(a), cut(b));
    let pairs = a.rgb().chunks_exact(3).zip(b.rgb().chunks_exact(3));
    pairs.filter(|pair| pair.0 != pair.1).count()
}

/// Opens the page and starts the game again: does what falls stay drawn this time, too? In words, what was
/// seen, or why not.
pub async fn smears_again<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
) -> Result<Result<String, String>, DriverError> {
    d.open().await?;
    let survey = follow(d, path).await?;
    let watched = watch_for_fall(d, &Place::of(&survey), ENOUGH_STEPS, Since::Moved).await?;
    Ok(match watched {
        Watched::Smears(smear) => Ok(words(&smear)),
        Watched::Falls(falling) => Err(falling.why),
        Watched::Not { why, .. } => Err(why),
    })
}
