//! Which cells of a lattice without an end differ from the learned background.

use super::Lattice;
use crate::model::Raster;
use std::ops::Range;

/// A cell counts as covered when it differs by this share of what the falling piece's cells do.
const SHARE: f32 = 0.4;
/// Blocks differ by this share of what the strongest do; their shadows and their shine differ by less.
const NEARLY: f32 = 0.6;
/// A difference below this is noise, whatever the piece looks like (mean over pixels and channels, 0 to 255).
const NOISE: f32 = 4.0;
/// Where some cell is covered in this share of its pixels, blocks are solid ...
const SOLID: f32 = 0.6;
/// ... and what covers less than this share is only the outline of one beside, drawn around it.
const COVERED: f32 = 0.3;

/// Mean difference of one cell between two pictures, its outermost tenth left out, and in which share of its pixels there
/// is one; 0 outside of the pictures.
fn difference(a: &Raster, b: &Raster, lattice: &Lattice, cell: (i32, i32)) -> (f32, f32) {
    let r = lattice.cell(cell.0, cell.1);
    let (left, right) = (r.x + r.width * 0.1, r.right() - r.width * 0.1);
    let (top, bottom) = (r.y + r.height * 0.1, r.bottom() - r.height * 0.1);
    let (width, height) = (
        f64::from(a.width().min(b.width())),
        f64::from(a.height().min(b.height())),
    );
    if left < 0.0 || top < 0.0 || right > width || bottom > height {
        return (0.0, 0.0);
    }
    let (mut sum, mut n, mut differing) = (0u32, 0u32, 0u32);
    for y in top.round() as i64..bottom.round() as i64 {
        for x in left.round() as i64..right.round() as i64 {
            let here: u32 = (a.at(x, y).into_iter().zip(b.at(x, y)))
                .map(|(p, q)| u32::from(p.abs_diff(q)))
                .sum();
            sum += here;
            n += 1;
            differing += u32::from(here as f32 >= 3.0 * NOISE);
        }
    }
    let n = n.max(1) as f32;
    (sum as f32 / (3.0 * n), differing as f32 / n)
}

/// The cells that are covered, as strongly as the cells of `piece` are in the same picture.
pub fn occupied(
    picture: &Raster,
    background: &Raster,
    lattice: &Lattice,
    piece: &[(i32, i32)],
    columns: Range<i32>,
    rows: Range<i32>,
) -> Vec<(i32, i32)> {
    let mut strength: Vec<f32> = piece
        .iter()
        .map(|&c| difference(picture, background, lattice, c).0)
        .collect();
    strength.sort_by(f32::total_cmp);
    let typical = strength.get(strength.len() / 2).copied().unwrap_or(0.0);
    let least = (typical * SHARE).max(NOISE);
    let all: Vec<_> = rows
        .flat_map(|r| columns.clone().map(move |c| (c, r)))
        .map(|c| (c, difference(picture, background, lattice, c)))
        .filter(|(_, (mean, _))| *mean >= least)
        .collect();
    let solid = all.iter().any(|(_, (_, share))| *share >= SOLID);
    all.into_iter()
        .filter(|(_, (_, share))| !solid || *share >= COVERED)
        .map(|(c, _)| c)
        .collect()
}

/// The cells that differ nearly as strongly as the `count` strongest of them do: blocks, without what they shine on.
pub fn strongest(
    picture: &Raster,
    background: &Raster,
    lattice: &Lattice,
    cells: &[(i32, i32)],
    count: usize,
) -> Vec<(i32, i32)> {
    let strength = |c: &(i32, i32)| difference(picture, background, lattice, *c).0;
    let mut all: Vec<f32> = cells.iter().map(strength).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all.truncate(count);
    let typical = all.get(all.len() / 2).copied().unwrap_or(0.0);
    let strong = |c: &&(i32, i32)| strength(c) >= typical * NEARLY;
    cells.iter().filter(strong).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covered_cells_are_found_on_both_sides_of_the_origin() {
        let lattice = Lattice {
            x0: 40.0,
            y0: 20.0,
            cell_w: 10.0,
            cell_h: 10.0,
        };
        let empty = Raster::filled(100, 100, [10, 10, 10]);
        let block = Raster::filled(10, 10, [200, 40, 40]);
        let seen = empty
            .patched(&block, 40, 20)
            .patched(&block, 50, 20)
            .patched(&block, 20, 50);
        let cells = occupied(&seen, &empty, &lattice, &[(0, 0), (1, 0)], -6..10, -6..10);
        assert_eq!(cells, [(0, 0), (1, 0), (-2, 3)]);
        // A shadow beside it is covered, too, but not as strongly.
        let shadow = Raster::filled(10, 8, [60, 20, 20]);
        let shaded = seen.patched(&shadow, 60, 21);
        let cells = occupied(&shaded, &empty, &lattice, &[], -6..10, -6..10);
        assert_eq!(cells, [(0, 0), (1, 0), (2, 0), (-2, 3)]);
        let blocks = strongest(&shaded, &empty, &lattice, &cells, 3);
        assert_eq!(blocks, [(0, 0), (1, 0), (-2, 3)]);
        // An outline around a block is no block beside it, and where there is nothing but outlines they are blocks.
        let line = Raster::filled(10, 3, [255, 255, 255]);
        let seen = seen.patched(&line, 40, 30);
        let cells = occupied(&seen, &empty, &lattice, &[], -6..10, -6..10);
        assert_eq!(cells, [(0, 0), (1, 0), (-2, 3)]);
        let hollow = empty.patched(&line, 40, 30);
        assert_eq!(
            occupied(&hollow, &empty, &lattice, &[], -6..10, -6..10),
            [(0, 1)]
        );
    }
}
