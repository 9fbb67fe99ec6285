//! A game in which nothing falls: its piece stands where it came, and keys move it.
//!
//! Comes in: a [`Driver`] on whose page nothing was seen to fall. Goes out: the piece that goes aside at keys, if one does.
//! Must never know: what was done to the page before.

use super::watch::{Place, Since, Watched, watch_for_fall};
use super::{TAP_MS, hints, region};
use crate::driver::{Driver, DriverError, exact};
use crate::model::{Key, Raster, Rect};
use crate::vision::find::{self, Falling, Look};

/// Pushes to either side at most: more than a board has columns.
const PUSHES: usize = 14;
/// Pictures with the piece in different columns, at least.
const LEAST: usize = 4;
/// Game time after a key in which what it does shows.
const SHOWS_MS: f64 = 60.0;
/// Game time between two pictures, as far as the finder is told: it knows falls, of a row at a time.
const APART_MS: f64 = 500.0;

/// What keys did to a page on which nothing falls.
pub(super) struct Pushed {
    /// The tetromino that they moved aside, column by column.
    pub piece: Option<Falling>,
    /// Did they change anything that is seen?
    pub changed: bool,
    /// Does the page move by itself, so that this cannot be told?
    pub lively: bool,
    /// Does something fall since then?
    pub falls: bool,
}

/// Presses keys that move pieces in most games, and looks for a tetromino that goes aside at them; on a page that moves
/// by itself only where `lively` says so, as much is pressed there in vain.
pub(super) async fn pushed<D: Driver>(d: &mut D, lively: bool) -> Result<Pushed, DriverError> {
    let survey = d.survey().await?;
    let (region, hints) = (region(&survey), hints(&survey));
    let mut seen = Pushed {
        piece: None,
        changed: false,
        lively: false,
        falls: false,
    };
    if !survey.listeners.hears_keys() {
        return Ok(seen);
    }
    let mut last = d.look(region).await?;
    d.advance(TAP_MS + SHOWS_MS).await?;
    seen.lively = d.look(region).await? != last;
    if seen.lively && !lively {
        return Ok(seen);
    }
    for keys in exact::KEYS.chunks_exact(2) {
        let (left, right) = (Key::new(keys[0]), Key::new(keys[1]));
        let mut moved = false;
        for key in [&right, &left] {
            let next = press(d, key, region).await?;
            moved |= next != last;
            last = next;
        }
        seen.changed |= moved;
        if !moved {
            continue;
        }
        d.say("nothing falls: does a piece go aside at keys?");
        let pictures = to_the_end(d, &left, region, last.clone()).await?;
        last = pictures.last().cloned().unwrap_or(last);
        let pictures = to_the_end(d, &right, region, last.clone()).await?;
        let looks: Vec<Look<'_>> = std::iter::once(&last)
            .chain(&pictures)
            .enumerate()
            .map(|(i, raster)| Look {
                game_ms: i as f64 * APART_MS,
                raster,
            })
            .collect();
        if looks.len() >= LEAST {
            match find::going_aside(&looks, &hints) {
                Ok(piece) => {
                    seen.piece = Some(piece);
                    return Ok(seen);
                }
                Err(not) => tracing::debug!(%not, "no piece that stands"),
            }
        }
        last = pictures.last().cloned().unwrap_or(last);
    }
    Ok(seen)
}

/// As [`pushed`]; but a game that runs since one of the keys was pressed has no piece that stands. Where the page had been
/// `still` before, what changed may be a game that began meanwhile.
pub(super) async fn standing<D: Driver>(
    d: &mut D,
    lively: bool,
    still: bool,
) -> Result<Pushed, DriverError> {
    let mut seen = pushed(d, lively).await?;
    if seen.piece.is_some() || seen.changed && still {
        let survey = d.survey().await?;
        let watched = watch_for_fall(d, &Place::of(&survey), LEAST, Since::Moved).await?;
        if matches!(watched, Watched::Falls(_)) {
            (seen.piece, seen.falls) = (None, true);
        }
    }
    Ok(seen)
}

async fn press<D: Driver>(d: &mut D, key: &Key, region: Rect) -> Result<Raster, DriverError> {
    d.press(key, TAP_MS).await?;
    d.advance(SHOWS_MS).await?;
    d.look(region).await
}

/// Presses a key for as long as something else is seen each time; the pictures after each press.
async fn to_the_end<D: Driver>(
    d: &mut D,
    key: &Key,
    region: Rect,
    first: Raster,
) -> Result<Vec<Raster>, DriverError> {
    let mut all = Vec::new();
    let mut last = first;
    for _ in 0..PUSHES {
        let next = press(d, key, region).await?;
        if next == last {
            break;
        }
        all.push(next.clone());
        last = next;
    }
    Ok(all)
}
