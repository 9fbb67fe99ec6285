//! How wide the cells are, before anything is read by them: a piece is pushed aside and measured in pixels.
//!
//! Comes in: a [`Driver`] with a running game and a first guess of the board. Goes out: what fell, on cells of the
//! measured width. Must never know: which key moves a piece; it tries some that do no harm.
//!
//! A glow makes a piece look wider than its columns, a gap between blocks narrower, and where it glides down nothing
//! else tells how large its cells are. Reading by wrong cells no key seems to do anything; pictures of the piece do not
//! depend on them.

use super::{Driver, DriverError, FRAME_MS, locate};
use crate::model::{ActivePiece, Key, Rect};
use crate::vision::find::{self, Falling, Place};

/// Keys that push a piece aside in most games, two for each side, and do harm in hardly any.
pub const KEYS: [&str; 4] = ["ArrowLeft", "ArrowRight", "a", "d"];
/// Pushes in one direction: with more a pixel's part would be told, but a wall is near.
const PUSHES: i32 = 4;
/// Pushes that must have gone the same way before it is measured.
const LEAST_PUSHES: i32 = 2;
/// One push goes between these shares of the cell's assumed width: what goes less is a shake, what goes more two columns.
const ONE_COLUMN: std::ops::Range<f64> = 0.65..1.4;
/// Pushes are equally far but for this, in pixels: columns of no whole pixels are drawn on whole ones.
const EVEN: f64 = 1.6;
/// Game time after which a push has come to its end even where pieces glide aside.
const GLIDE_MS: f64 = 300.0;
/// Game time in which a piece comes into sight: the one that was seen may have locked meanwhile.
const SIGHT_MS: f64 = 2_500.0;
/// Cells of rows that were measured are as wide as high, but for this (as a logarithm).
const SQUARE: f64 = 0.03;

/// May the cells be of another width than they look? Where a piece falls by whole rows their height is known, and cells
/// that look as wide are so.
pub fn doubtful(falling: &Falling) -> bool {
    falling.smooth || (falling.lattice.cell_w / falling.lattice.cell_h).ln().abs() > SQUARE
}

/// What pushing came to.
#[derive(Debug, Default)]
pub struct Pushed {
    /// The key that pushed what falls aside, a column each time.
    pub by: Option<Key>,
    /// What falls, on cells as wide as it goes; `None` where they are what was assumed.
    pub falling: Option<Falling>,
}

/// Pushes what falls aside and measures how far it goes.
pub async fn measured<D: Driver>(
    d: &mut D,
    falling: &Falling,
    region: Rect,
) -> Result<Pushed, DriverError> {
    d.say("how wide are the cells? pushing what falls aside");
    for key in KEYS.map(Key::new) {
        let Some(first) = place(d, falling, region).await? else {
            tracing::debug!("no piece is in sight");
            return Ok(Pushed::default());
        };
        let mut last = first.clone();
        let mut ways: Vec<f64> = Vec::new();
        while (ways.len() as i32) < PUSHES {
            let Some((way, now)) = push(d, falling, region, &key, &last).await? else {
                break;
            };
            tracing::debug!(%key, way, "a push");
            let far = ONE_COLUMN.contains(&(way.abs() / falling.lattice.cell_w));
            if !far || ways.first().is_some_and(|w| (w - way).abs() > EVEN) {
                break;
            }
            ways.push(way);
            last = now;
            for cell in &mut last.cells {
                cell.0 += way.signum() as i32;
            }
        }
        let columns = ways.len() as i32;
        if columns >= LEAST_PUSHES {
            let way: f64 = ways.iter().sum();
            tracing::debug!(%key, ?ways, "pushed aside");
            return Ok(Pushed {
                by: Some(key),
                falling: find::mended(falling, columns, way.abs()),
            });
        }
    }
    Ok(Pushed::default())
}

/// Waits until a piece is seen; `None` if none is.
pub async fn in_sight<D: Driver>(d: &mut D) -> Result<Option<ActivePiece>, DriverError> {
    let mut waited = 0.0;
    loop {
        let view = d.advance(2.0 * FRAME_MS).await?;
        waited += 2.0 * FRAME_MS;
        if view.active.is_some() || waited >= SIGHT_MS {
            return Ok(view.active);
        }
    }
}

/// The piece as it is now: the picture, and about where in it the piece is.
async fn place<D: Driver>(
    d: &mut D,
    falling: &Falling,
    region: Rect,
) -> Result<Option<Place>, DriverError> {
    let Some(board) = d.board().cloned() else {
        return Ok(None);
    };
    let Some(piece) = in_sight(d).await? else {
        return Ok(None);
    };
    let origin = locate::origin(&board, falling);
    Ok(Some(Place {
        picture: d.look(region).await?,
        cells: piece
            .cells
            .iter()
            .map(|&(c, r)| (c + origin.0, r + origin.1))
            .collect(),
    }))
}

/// Presses a key and gives how far the piece went by it once it has come to rest, and how it looks then.
async fn push<D: Driver>(
    d: &mut D,
    falling: &Falling,
    region: Rect,
    key: &Key,
    from: &Place,
) -> Result<Option<(f64, Place)>, DriverError> {
    d.press(key, 2.0 * FRAME_MS).await?;
    let mut last: Option<f64> = None;
    let mut waited = 0.0;
    while waited < GLIDE_MS {
        let now = Place {
            picture: d.look(region).await?,
            cells: from.cells.clone(),
        };
        let way = find::aside(falling, from, &now);
        if let (Some(way), Some(before)) = (way, last)
            && (way - before).abs() < 0.5
        {
            return Ok(Some((way, now)));
        }
        tracing::debug!(%key, ?way, "on its way");
        last = way;
        d.advance(2.0 * FRAME_MS).await?;
        waited += 2.0 * FRAME_MS;
    }
    Ok(None)
}
