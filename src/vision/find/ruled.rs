//! The phase of the rows, from what is ruled between the cells of the empty board.
//!
//! Comes in: the empty board, the size of its cells, and where on it a piece glided. Goes out: by how much the rows are
//! to be moved. Must never know: the piece.
//!
//! What glides down stands between two rows most of the time and tells nothing of where a row begins. Grid lines do:
//! they come again with every row.

use super::Falling;

/// Change of brightness from one line of pixels to the next below which nothing is ruled (mean of the channels).
const FAINT: f64 = 1.5;
/// A ruled line stands out so many times as much as the middle of all lines of pixels.
const PLAINLY: f64 = 3.0;
/// A line has two edges, and cells may have a border each: pixels within which all that stands out must lie.
const NARROW: i64 = 4;
/// Rows beyond those seen that are looked at: a board goes on below its piece.
const BEYOND: i32 = 6;
/// Rows that must be in the picture.
const LEAST_ROWS: usize = 5;

/// By how many pixels the rows must be moved down to begin where the board is ruled, half a row to either side at most;
/// `None` where no lines are ruled.
pub fn rows_off(falling: &Falling) -> Option<f64> {
    let lattice = falling.lattice;
    let cells = || falling.positions.iter().flat_map(|p| p.1.iter());
    let (left, right) = (cells().map(|c| c.0).min()?, cells().map(|c| c.0).max()?);
    let (top, bottom) = (cells().map(|c| c.1).min()?, cells().map(|c| c.1).max()?);
    let (from, to) = (
        lattice.cell(left, top),
        lattice.cell(right, bottom + BEYOND),
    );
    let picture = &falling.background;
    let columns = (from.x.round().max(0.0) as i64)
        ..(to.right().round() as i64).min(i64::from(picture.width()));
    let step = |y: i64| -> f64 {
        let sum: u64 = columns
            .clone()
            .map(|x| {
                let (p, q) = (picture.at(x, y), picture.at(x, y - 1));
                p.iter()
                    .zip(q)
                    .map(|(p, q)| u64::from(p.abs_diff(q)))
                    .sum::<u64>()
            })
            .sum();
        sum as f64 / (columns.clone().count().max(1) as f64 * 3.0)
    };
    let height = lattice.cell_h;
    let bins = height.round() as i64;
    let rows: Vec<i32> = (top..=bottom + BEYOND)
        .filter(|&r| {
            let cell = lattice.cell(0, r);
            cell.y >= 1.0 && cell.bottom() < f64::from(picture.height())
        })
        .collect();
    if rows.len() < LEAST_ROWS || bins < 6 {
        return None;
    }
    // The middle of all rows: what is drawn once is no ruling.
    let folded: Vec<f64> = (0..bins)
        .map(|bin| {
            let mut all: Vec<f64> = rows
                .iter()
                .map(|&r| {
                    let y = (lattice.cell(0, r).y + bin as f64).round() as i64;
                    step(y)
                })
                .collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        })
        .collect();
    let most = folded.iter().copied().fold(0.0, f64::max);
    let mut sorted = folded.clone();
    sorted.sort_by(f64::total_cmp);
    if most < FAINT || most < PLAINLY * sorted[sorted.len() / 2] {
        return None;
    }
    let peak = folded.iter().position(|&v| v >= most)? as i64;
    // Relative to the peak, around the circle of one row.
    let around = |bin: i64| (bin - peak + bins / 2).rem_euclid(bins) - bins / 2;
    let strong: Vec<i64> = (0..bins)
        .filter(|&b| folded[b as usize] >= most / 2.0)
        .map(around)
        .collect();
    let (first, last) = (*strong.iter().min()?, *strong.iter().max()?);
    if last - first > NARROW {
        return None;
    }
    let middle = peak as f64 + f64::midpoint(first as f64, last as f64);
    let off = (middle + height / 2.0).rem_euclid(height) - height / 2.0;
    Some(off)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Raster, Rect};
    use crate::vision::find::Lattice;

    fn falling(ruled_at: Option<u32>) -> Falling {
        let mut background = Raster::filled(300, 400, [13, 20, 38]);
        if let Some(first) = ruled_at {
            let line = Raster::filled(200, 1, [24, 32, 50]);
            for y in (first..400).step_by(28) {
                background = background.patched(&line, 50, y);
            }
        }
        Falling {
            lattice: Lattice {
                x0: 50.0,
                y0: 20.0,
                cell_w: 28.0,
                cell_h: 28.0,
            },
            positions: (0..6)
                .map(|r| (0.0, vec![(2, r), (3, r), (4, r)]))
                .collect(),
            tops: (0..6).map(|r| 20.0 + 28.0 * f64::from(r)).collect(),
            kind: None,
            gravity_ms: None,
            smooth: true,
            background,
            area: Rect::default(),
            confidence: 1.0,
            others: Vec::new(),
            why: String::new(),
        }
    }

    #[test]
    fn rows_begin_where_lines_come_again_with_each() {
        let off = rows_off(&falling(Some(28))).unwrap_or(f64::NAN);
        assert!((off - 8.5).abs() < 1.1, "{off}");
        let off = rows_off(&falling(Some(12))).unwrap_or(f64::NAN);
        assert!((off + 7.5).abs() < 1.1, "{off}");
    }

    #[test]
    fn a_plain_board_tells_nothing() {
        assert_eq!(rows_off(&falling(None)), None);
    }
}
