//! A piece followed in pictures while it is pushed to the walls and let down to the floor.
//!
//! Comes in: a [`Driver`] with a running game, what was seen falling, where the piece was last. Goes out: where it is now.
//! Must never know: what is assumed of the board's size.

use super::columns;
use super::touch::key_of;
use crate::driver::{Driver, DriverError, FRAME_MS};
use crate::model::{Action, Raster, Rect, Shape};
use crate::vision::find::{self, Falling, Hint};
use std::ops::Range;

/// Game time that a piece takes at most from one cell to another.
const GLIDE_MS: f64 = 600.0;
/// Rows a piece can fall at most: more than any board has.
pub(super) const FARTHEST_FALL: i32 = 40;
/// Columns and rows that a surface has at least on which a game may be drawn: a smaller one holds a piece or a row.
const LEAST_SURFACE: (f64, f64) = (4.0, 8.0);

/// A part of a picture that is smaller than this share of it is quicker to look at.
const WORTH_CUTTING: f64 = 0.6;

/// What a piece is followed by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    /// What fell, on its lattice, and how the place looks without it.
    pub falling: &'a Falling,
    /// The part of the page that is looked at.
    pub region: Rect,
    /// The part of it that a piece does not leave: the page around may be as lively as it likes.
    pub within: Option<Rect>,
}

/// The smallest surface that a piece is on and a game may be drawn on; `None` where the page has none.
pub(super) fn within(falling: &Falling, piece: &[(i32, i32)], hints: &[Hint]) -> Option<Rect> {
    let lattice = falling.lattice;
    let (width, height) = (
        LEAST_SURFACE.0 * lattice.cell_w,
        LEAST_SURFACE.1 * lattice.cell_h,
    );
    hints
        .iter()
        .map(|h| h.rect)
        .filter(|r| r.width >= width && r.height >= height)
        .filter(|r| {
            piece
                .iter()
                .all(|&(c, row)| middle_in(r, &lattice.cell(c, row)))
        })
        .min_by(|a, b| (a.width * a.height).total_cmp(&(b.width * b.height)))
}

fn middle_in(place: &Rect, cell: &Rect) -> bool {
    let (x, y) = cell.centre();
    place.x <= x && x < place.right() && place.y <= y && y < place.bottom()
}

impl Sight<'_> {
    /// A picture of the region. What a piece does not leave is all of it that is looked at; the rest is as it was.
    async fn look<D: Driver>(&self, d: &mut D) -> Result<Raster, DriverError> {
        let Some(part) = self.within.and_then(|place| self.part(&place)) else {
            return d.look(self.region).await;
        };
        let seen = d.look(part).await?;
        let at = (part.x - self.region.x, part.y - self.region.y);
        let whole = &self.falling.background;
        Ok(whole.patched(&seen, at.0 as u32, at.1 as u32))
    }

    /// A place with a cell around it, in whole pixels of the page; `None` where it is nearly all of the region.
    fn part(&self, place: &Rect) -> Option<Rect> {
        let lattice = &self.falling.lattice;
        let region = &self.region;
        let x = (place.x - lattice.cell_w).max(0.0).floor();
        let y = (place.y - lattice.cell_h).max(0.0).floor();
        let right = (place.right() + lattice.cell_w).min(region.width).floor();
        let bottom = (place.bottom() + lattice.cell_h).min(region.height).floor();
        let part = Rect::new(region.x + x, region.y + y, right - x, bottom - y);
        let worth = part.width * part.height < region.width * region.height * WORTH_CUTTING;
        (worth && part.width >= 1.0 && part.height >= 1.0).then_some(part)
    }

    fn covered(&self, picture: &Raster, columns: Range<i32>, rows: Range<i32>) -> Vec<(i32, i32)> {
        let lattice = &self.falling.lattice;
        let mut cells = find::occupied(
            picture,
            &self.falling.background,
            lattice,
            &[],
            columns,
            rows,
        );
        if let Some(place) = &self.within {
            cells.retain(|&(c, r)| middle_in(place, &lattice.cell(c, r)));
        }
        cells
    }

    /// Games that are drawn anew only when the piece falls show what a push did no sooner: does the piece, once it has
    /// fallen, stand in other columns? One that is lost from sight does not.
    pub async fn stirs<D: Driver>(
        &self,
        d: &mut D,
        picture: &mut Raster,
        piece: &mut Vec<(i32, i32)>,
    ) -> Result<bool, DriverError> {
        let patience = self.falling.gravity_ms.unwrap_or(1_000.0) * 1.3;
        let row = |p: &[(i32, i32)]| p.iter().map(|c| c.1).max();
        let mut waited = 0.0;
        while waited < patience {
            let view = d
                .advance_to_change(patience - waited, 3.0 * FRAME_MS)
                .await?;
            waited += view.passed_ms;
            let Some((seen, now)) = self.sighted(d, piece).await? else {
                break;
            };
            let aside = columns(&now) != columns(piece);
            let fell = row(&now) > row(piece);
            (*picture, *piece) = (seen, now);
            if aside || fell {
                return Ok(aside);
            }
        }
        Ok(false)
    }

    /// The piece as it is now. One that glides from cell to cell is on none in between, and is waited for.
    pub async fn sighted<D: Driver>(
        &self,
        d: &mut D,
        piece: &[(i32, i32)],
    ) -> Result<Option<(Raster, Vec<(i32, i32)>)>, DriverError> {
        let mut waited = 0.0;
        loop {
            let picture = self.look(d).await?;
            let now = self.follow(&picture, piece);
            if now.is_some() || waited >= GLIDE_MS {
                return Ok(now.map(|now| (picture, now)));
            }
            d.advance(GLIDE_MS / 6.0).await?;
            waited += GLIDE_MS / 6.0;
        }
    }

    /// The piece in the next picture: the covered cells that hang together, nearest to where it was.
    fn follow(&self, picture: &Raster, piece: &[(i32, i32)]) -> Option<Vec<(i32, i32)>> {
        let (left, right) = columns(piece);
        let top = piece.iter().map(|c| c.1).min()?;
        let bottom = piece.iter().map(|c| c.1).max()?;
        // Strength is measured on the whole neighbourhood's strongest cells: the piece itself has moved away.
        let around = |by: i32| (left - by..right + by + 1, top - by..bottom + by + 1);
        let (near_columns, near_rows) = around(5);
        let covered = self.covered(picture, near_columns, near_rows);
        nearest(&covered, piece).or_else(|| {
            // What blocks shine on is covered, too, but not as strongly.
            let lattice = &self.falling.lattice;
            let background = &self.falling.background;
            let strong = find::strongest(picture, background, lattice, &covered, piece.len());
            nearest(&strong, piece)
        })
    }

    /// The lowest row of a piece that locked straight below where it was last seen; `None` if it can't be seen there.
    fn locked(&self, picture: &Raster, piece: &[(i32, i32)]) -> Option<i32> {
        let (left, right) = columns(piece);
        let top = piece.iter().map(|c| c.1).min()?;
        let covered = self.covered(picture, left..right + 1, top..top + FARTHEST_FALL);
        (0..FARTHEST_FALL)
            .rev()
            .map(|by| piece.iter().map(|&(c, r)| (c, r + by)).collect::<Vec<_>>())
            .find(|at| at.iter().all(|c| covered.contains(c)))
            .and_then(|at| at.iter().map(|c| c.1).max())
    }

    /// Waits until the piece that was lost from sight lies still, and gives its lowest row: one that still falls is not
    /// where it was a row's time ago.
    async fn settled<D: Driver>(
        &self,
        d: &mut D,
        piece: &[(i32, i32)],
    ) -> Result<Option<i32>, DriverError> {
        let gravity = self.falling.gravity_ms.unwrap_or(1_000.0);
        let mut last = None;
        for _ in 0..FARTHEST_FALL {
            let picture = self.look(d).await?;
            let now = self.locked(&picture, piece);
            if now.is_none() || now == last {
                return Ok(now);
            }
            last = now;
            d.advance(gravity * 1.3).await?;
        }
        Ok(None)
    }

    /// Lets the piece down and gives the lowest row it came to; `None` if it could not be followed to its rest.
    pub async fn floor<D: Driver>(
        &self,
        d: &mut D,
        piece: &mut Vec<(i32, i32)>,
    ) -> Result<Option<i32>, DriverError> {
        d.say("following a piece to the floor");
        let gravity = self.falling.gravity_ms.unwrap_or(1_000.0);
        let soft = key_of(d, Action::SoftDrop);
        let lowest = |p: &[(i32, i32)]| p.iter().map(|c| c.1).max();
        let mut still = 0.0;
        let mut waited = 0.0;
        while waited < gravity * 40.0 {
            let before = lowest(piece);
            let passed = if let Some((key, tap)) = &soft {
                d.press(key, *tap).await?;
                tap + FRAME_MS
            } else {
                let step = (gravity / 2.0).min(250.0);
                d.advance(step).await?;
                step
            };
            waited += passed;
            // Gravity alone would have taken it further down, had it not come to rest.
            let at_rest = (still > gravity * 1.1).then_some(before).flatten();
            let now = self.sighted(d, piece).await?.map(|seen| seen.1);
            // Lost, or the next piece: this one locked, perhaps rows below where it was last seen.
            let Some(now) = now.filter(|now| lowest(now) >= before) else {
                if at_rest.is_some() {
                    return Ok(at_rest);
                }
                return self.settled(d, piece).await;
            };
            still = if lowest(&now) == before {
                still + passed
            } else {
                0.0
            };
            *piece = now;
            if still > gravity * 2.2 {
                return Ok(lowest(piece));
            }
        }
        Ok(None)
    }
}

/// Of the covered cells those that hang together in the shape of a piece, nearest to where it was.
fn nearest(covered: &[(i32, i32)], piece: &[(i32, i32)]) -> Option<Vec<(i32, i32)>> {
    let mut groups: Vec<Vec<(i32, i32)>> = Vec::new();
    let mut left_over = covered.to_vec();
    while let Some(start) = left_over.pop() {
        let mut group = vec![start];
        let mut i = 0;
        while i < group.len() {
            let (c, r) = group[i];
            left_over.retain(|&n| {
                let beside = (n.0 - c).abs() + (n.1 - r).abs() == 1;
                if beside {
                    group.push(n);
                }
                !beside
            });
            i += 1;
        }
        groups.push(group);
    }
    let middle = |g: &[(i32, i32)]| {
        let n = g.len().max(1) as f64;
        (
            g.iter().map(|c| f64::from(c.0)).sum::<f64>() / n,
            g.iter().map(|c| f64::from(c.1)).sum::<f64>() / n,
        )
    };
    let was = middle(piece);
    let shape = Shape::of(piece);
    groups
        .into_iter()
        // What has another shape is something else: a coming piece beside the board, a part of one that left it.
        .filter(|g| Shape::of(g) == shape)
        .min_by(|a, b| {
            let far = |g: &[(i32, i32)]| {
                let m = middle(g);
                (m.0 - was.0).abs() + (m.1 - was.1).abs()
            };
            far(a).total_cmp(&far(b))
        })
}
