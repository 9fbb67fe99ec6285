//! Many presses in no time, and what shows of them.
//!
//! Comes in: a driver with a piece falling. Goes out: where the piece is then, and whether all presses were heard. Must
//! never know: which action a key is for.
//!
//! A press that is given its time costs as much as a dozen that are not. Games that act on the key's event hear them
//! all at once; some take one from a queue with each frame; those that ask once a frame which keys are down hear none.

use super::{Driver, DriverError, FRAME_MS, View};
use crate::evidence::Evidence;
use crate::model::{ClockMode, Key};

/// Frames after which something shows of a press that was heard.
const SHOWS_WITHIN: f64 = 3.0;

/// Does a page hear presses between which no time passes?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Flicks {
    /// Not tried yet.
    #[default]
    Untried,
    /// All that were tried.
    Heard,
    /// Not all: each press is given its time.
    Unheard,
}

impl Flicks {
    /// Brings the falling piece down by up to `rows` presses of a key that lowers it by a row. `None` where presses in no
    /// time are of no use here: nothing was pressed then.
    ///
    /// # Errors
    /// As the driver.
    pub async fn lower<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        rows: i32,
        from_row: i32,
    ) -> Result<Option<View>, DriverError> {
        let real = d.clock().mode == ClockMode::Real;
        if *self == Self::Unheard || real || d.effects_within() > 0.0 || rows < 2 {
            return Ok(None);
        }
        let (view, heard) = lower(d, key, rows, from_row).await?;
        *self = if heard { Self::Heard } else { Self::Unheard };
        Ok(Some(view))
    }
}

/// Presses a key `rows` times in no time and looks for as long as the piece goes on falling for it. `true` if every press
/// was heard: the piece went down as many rows, or another is there.
///
/// # Errors
/// As the driver.
pub async fn lower<D: Driver>(
    d: &mut D,
    key: &Key,
    rows: i32,
    from_row: i32,
) -> Result<(View, bool), DriverError> {
    let id = d.evidence(Evidence::piece);
    d.flick(&vec![key.clone(); rows.max(0) as usize]).await?;
    let mut view = d
        .advance_to_change(SHOWS_WITHIN * FRAME_MS, FRAME_MS)
        .await?;
    let mut row = from_row;
    for _ in 1..rows {
        let here = view.active.as_ref().map_or(row, |a| a.corner().1);
        if d.evidence(Evidence::piece) != id {
            return Ok((view, true));
        }
        if here <= row || here >= from_row + rows {
            break;
        }
        row = here;
        let mut next = d.advance(FRAME_MS).await?;
        next.passed_ms += view.passed_ms;
        next.events.splice(0..0, view.events.drain(..));
        view = next;
    }
    // The last row is where it may have come to rest, and gone with the next look.
    let down = |row: i32| row - from_row >= rows - 1;
    let there = view.active.as_ref().is_none_or(|a| down(a.corner().1));
    let heard = there || d.evidence(Evidence::piece) != id;
    Ok((view, heard))
}
