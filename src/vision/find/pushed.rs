//! The cells' true width, from one piece seen at both ends of its way across the board.
//!
//! Comes in: what fell, and two pictures of the same piece with the cells it covered. Goes out: what fell, on the
//! mended lattice. Must never know: how the piece was moved.
//!
//! A piece whose blocks are drawn smaller than their cells looks narrower than its columns, and where it glides nothing
//! but its outline tells how large a cell is. Over many columns the error adds up to what can be measured.

use super::ruled::rows_off;
use super::{Falling, Lattice};
use crate::model::Raster;

/// Columns between the two places at least: over fewer a pixel's error is more than what is to be mended.
const LEAST_COLUMNS: i32 = 4;
/// The true width is within this share of the assumed one: with more, the piece would have been seen in other columns.
const FARTHEST: f64 = 0.08;
/// Pixels over the whole way that are worth mending.
const WORTH: f64 = 1.5;
/// What the two outlines differ by at most, as a share of what they are.
const LEAST_LIKENESS: f64 = 0.2;
/// Cells that are as wide as high, within this share, are taken to be squares.
const SQUARE: f64 = 0.015;
/// The same where the piece glides down: of its height there is no measure but its outline.
const ABOUT_SQUARE: f64 = 0.25;

/// One picture of the piece.
#[derive(Debug, Clone)]
pub struct Place {
    /// The region, as [`Falling::background`] shows it.
    pub picture: Raster,
    /// The cells of the assumed lattice it covers.
    pub cells: Vec<(i32, i32)>,
}

fn left(cells: &[(i32, i32)]) -> i32 {
    cells.iter().map(|c| c.0).min().unwrap_or(0)
}

/// How much each column of pixels differs from the background, some cells to the left and the right of the piece, and
/// below it, included.
fn outline(falling: &Falling, place: &Place, beside: i32, below: i32) -> Option<(i64, Vec<f64>)> {
    let lattice = falling.lattice;
    let top = place.cells.iter().map(|c| c.1).min()?;
    let bottom = place.cells.iter().map(|c| c.1).max()?;
    let right = place.cells.iter().map(|c| c.0).max()?;
    let from = lattice.cell(left(&place.cells) - beside, top - 1);
    let to = lattice.cell(right + beside, bottom + below);
    let bounded = |v: f64, most: u32| (v.round() as i64).clamp(0, i64::from(most));
    let width = place.picture.width().min(falling.background.width());
    let height = place.picture.height().min(falling.background.height());
    let columns = bounded(from.x, width)..bounded(to.right(), width);
    let rows = bounded(from.y, height)..bounded(to.bottom(), height);
    let begin = columns.start;
    let sums = columns
        .map(|x| {
            rows.clone()
                .map(|y| {
                    let (p, q) = (place.picture.at(x, y), falling.background.at(x, y));
                    p.iter()
                        .zip(q)
                        .map(|(p, q)| f64::from(p.abs_diff(q)))
                        .sum::<f64>()
                })
                .sum()
        })
        .collect();
    Some((begin, sums))
}

/// By how many pixels the second outline lies to the right of the first, between `least` and `most`.
fn apart(a: &(i64, Vec<f64>), b: &(i64, Vec<f64>), least: f64, most: f64) -> Option<f64> {
    let total: f64 = a.1.iter().sum();
    let at = |o: &(i64, Vec<f64>), x: i64| {
        usize::try_from(x - o.0)
            .ok()
            .and_then(|i| o.1.get(i))
            .copied()
            .unwrap_or(0.0)
    };
    let error = |by: i64| -> f64 {
        let from = a.0.min(b.0 - by);
        let to = (a.0 + a.1.len() as i64).max(b.0 - by + b.1.len() as i64);
        (from..to).map(|x| (at(a, x) - at(b, x + by)).abs()).sum()
    };
    let best = (least.floor() as i64..=most.ceil() as i64)
        .min_by(|&p, &q| error(p).total_cmp(&error(q)))?;
    if total <= 0.0 || error(best) > total * LEAST_LIKENESS {
        return None;
    }
    // Between two pixels the error grows by equal amounts on both sides of the true shift.
    let (before, here, after) = (error(best - 1), error(best), error(best + 1));
    let slope = before.max(after) - here;
    let part = if slope > 0.0 {
        (before - after) / (2.0 * slope)
    } else {
        0.0
    };
    Some(best as f64 + part)
}

/// Rows that a piece may fall unasked while it is pushed once.
const FALLEN: i32 = 4;

/// By how many pixels a piece went to the right from one picture to the other, less than two cells to either side;
/// `None` where it is not seen in the same shape. Both places name the cells that it covered in the first picture.
pub fn aside(falling: &Falling, a: &Place, b: &Place) -> Option<f64> {
    let farthest = 1.5 * falling.lattice.cell_w;
    apart(
        &outline(falling, a, 2, FALLEN)?,
        &outline(falling, b, 2, FALLEN)?,
        -farthest,
        farthest,
    )
}

/// What fell, with the cells as wide as the way from one place to the other says; `None` where they were right, or
/// nothing can be told.
pub fn pushed(falling: &Falling, a: &Place, b: &Place) -> Option<Falling> {
    let (a, b) = if left(&a.cells) < left(&b.cells) {
        (a, b)
    } else {
        (b, a)
    };
    let columns = left(&b.cells) - left(&a.cells);
    if columns < LEAST_COLUMNS {
        return None;
    }
    let about = f64::from(columns) * falling.lattice.cell_w;
    let reach = about * FARTHEST;
    let way = apart(
        &outline(falling, a, 1, 1)?,
        &outline(falling, b, 1, 1)?,
        about - reach,
        about + reach,
    )?;
    mended(falling, columns, way)
}

/// What fell, on cells of which `columns` are `way` pixels; `None` where that is what they are.
pub fn mended(falling: &Falling, columns: i32, way: f64) -> Option<Falling> {
    let lattice = falling.lattice;
    let about = f64::from(columns) * lattice.cell_w;
    if columns < 1 || (way - about).abs() < WORTH {
        return None;
    }
    let scale = way / about;
    // Where the piece was first seen its cells lie rightly: the middle of its outline is theirs.
    let first = &falling.positions.first()?.1;
    let middle = |pick: fn(&(i32, i32)) -> i32| {
        let least = first.iter().map(pick).min().unwrap_or(0);
        let most = first.iter().map(pick).max().unwrap_or(0);
        f64::from(least + most + 1) / 2.0
    };
    let cell_w = lattice.cell_w * scale;
    // Rows it fell over one by one are measured; only where they would have to be as wide can both be told to be squares.
    let rows = match (falling.tops.first(), falling.tops.last()) {
        (Some(first), Some(last)) if !falling.smooth => (last - first).abs() / lattice.cell_h,
        _ => 0.0,
    };
    let square = (lattice.cell_w / lattice.cell_h - 1.0).abs() < SQUARE
        && (cell_w - lattice.cell_h).abs() * rows <= WORTH
        || falling.smooth && (cell_w / lattice.cell_h - 1.0).abs() < ABOUT_SQUARE;
    let cell_h = if square { cell_w } else { lattice.cell_h };
    let lattice = Lattice {
        x0: lattice.x0 + middle(|c| c.0) * (lattice.cell_w - cell_w),
        y0: lattice.y0 + middle(|c| c.1) * (lattice.cell_h - cell_h),
        cell_w,
        cell_h,
    };
    let mut found = Falling {
        why: format!(
            "{}; pushed over {columns} columns it went {way:.1} px, so a cell is {cell_w:.2}x{cell_h:.2} px",
            falling.why
        ),
        ..falling.clone()
    };
    found.lay_on(lattice);
    // Where the rows begin could not be told from what glided, nor by wrong cells from the lines between them.
    if falling.smooth
        && let Some(off) = rows_off(&found)
    {
        found.lay_on(Lattice {
            y0: lattice.y0 + off,
            ..lattice
        });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rect;

    /// A T of blocks of 26 px in cells of 28, its first column in column `column` of a board at x 40.
    fn picture(column: i32) -> Raster {
        let mut picture = Raster::filled(400, 300, [12, 12, 20]);
        let block = Raster::filled(26, 26, [180, 60, 220]);
        for (c, r) in [(0, 1), (1, 1), (2, 1), (1, 0)] {
            let (x, y) = (40 + (column + c) * 28 + 1, 60 + r * 28 + 1);
            picture = picture.patched(&block, x as u32, y as u32);
        }
        picture
    }

    /// The finder's view of it: the outline of three cells is 82 px.
    fn falling() -> Falling {
        Falling {
            lattice: Lattice {
                x0: 40.0 + 4.0 * 28.0 + 1.0,
                y0: 61.0,
                cell_w: 82.0 / 3.0,
                cell_h: 27.0,
            },
            positions: vec![(0.0, vec![(0, 1), (1, 1), (2, 1), (1, 0)])],
            tops: vec![61.0],
            kind: None,
            gravity_ms: None,
            smooth: true,
            background: Raster::filled(400, 300, [12, 12, 20]),
            area: Rect::default(),
            confidence: 1.0,
            others: Vec::new(),
            why: "a T piece glided".into(),
        }
    }

    fn place(column: i32) -> Place {
        let cells = [(0, 1), (1, 1), (2, 1), (1, 0)];
        Place {
            picture: picture(column),
            cells: cells.iter().map(|&(c, r)| (c + column - 4, r)).collect(),
        }
    }

    #[test]
    fn inset_blocks_show_their_cells_over_the_whole_way() {
        let found = pushed(&falling(), &place(0), &place(7)).map(|f| f.lattice);
        let found = found.unwrap_or(falling().lattice);
        assert!((found.cell_w - 28.0).abs() < 0.05, "{found:?}");
        assert!((found.x0 - (40.0 + 4.0 * 28.0)).abs() < 0.1, "{found:?}");
        let other_way = pushed(&falling(), &place(7), &place(0));
        assert_eq!(other_way.map(|f| f.lattice), Some(found));
    }

    #[test]
    fn one_push_is_measured_in_pixels() {
        let moved = |column: i32| Place {
            picture: picture(column),
            ..place(4)
        };
        let way = |column| aside(&falling(), &place(4), &moved(column)).unwrap_or(f64::NAN);
        assert!((way(5) - 28.0).abs() < 0.1, "{}", way(5));
        assert!((way(3) + 28.0).abs() < 0.1, "{}", way(3));
        assert!(way(4).abs() < 0.1, "{}", way(4));
        assert!(way(7).is_nan(), "{}", way(7));
    }

    #[test]
    fn what_is_right_or_too_near_is_left_alone() {
        let mut right = falling();
        right.lattice.cell_w = 28.0;
        assert!(pushed(&right, &place(0), &place(7)).is_none());
        assert!(pushed(&falling(), &place(2), &place(5)).is_none());
        let mut another = place(7);
        another.picture = Raster::filled(400, 300, [12, 12, 20]);
        assert!(pushed(&falling(), &place(0), &another).is_none());
    }
}
