//! How the board looks with nothing on it.
//!
//! Comes in: pictures over which pieces moved. Goes out: one picture without them. Must never know: where from.

use super::cells::{Place, quick};
use crate::model::{Frame, Grid, Raster, Rect};

/// Above this share of filled cells a board that was just started is a misread one.
const FULL: f64 = 0.6;
/// Cells whose mean difference is below this look alike.
const ALIKE: f32 = 6.0;

/// Could this be the grid of a game that has just begun? More than 60% filled is a misread board.
pub fn plausible(grid: &Grid) -> bool {
    grid.filled_count() as f64 <= FULL * grid.cells().len() as f64
}

/// The empty board behind some frames of it: what each pixel showed for most of the time; and cells that stand out
/// of a pattern nearly all others follow (one look, a checkerboard, stripes) are taken to have been covered all
/// along and are given the pattern's look. `None` if there is no frame of `columns * samples` by `rows * samples`.
pub fn background(frames: &[&Frame], columns: u16, rows: u16, samples: u16) -> Option<Raster> {
    let width = u32::from(columns) * u32::from(samples);
    let height = u32::from(rows) * u32::from(samples);
    let pictures: Vec<&[u8]> = frames
        .iter()
        .filter(|f| f.raster.width() == width && f.raster.height() == height)
        .map(|f| f.raster.rgb())
        .collect();
    if pictures.is_empty() || width == 0 || height == 0 {
        return None;
    }
    let mut rgb = mode(&pictures);
    complete(
        &mut rgb,
        usize::from(columns),
        usize::from(rows),
        usize::from(samples),
    );
    Raster::from_rgb(width, height, rgb)
}

/// A part of a picture, averaged to `samples` by `samples` pixels a cell: how a frame of that part would look.
/// `None` for an empty part.
pub fn sampled(
    picture: &Raster,
    part: Rect,
    columns: u16,
    rows: u16,
    samples: u16,
) -> Option<Raster> {
    let width = u32::from(columns) * u32::from(samples);
    let height = u32::from(rows) * u32::from(samples);
    if width == 0 || height == 0 || part.width <= 0.0 || part.height <= 0.0 {
        return None;
    }
    let (dx, dy) = (
        part.width / f64::from(width),
        part.height / f64::from(height),
    );
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        let (top, bottom) = span(part.y + f64::from(y) * dy, dy);
        for x in 0..width {
            let (left, right) = span(part.x + f64::from(x) * dx, dx);
            let mut sum = [0u32; 3];
            let mut n = 0u32;
            for py in top..bottom {
                for px in left..right {
                    let c = picture.at(px, py);
                    for (s, v) in sum.iter_mut().zip(c) {
                        *s += u32::from(v);
                    }
                    n += 1;
                }
            }
            rgb.extend(sum.map(|s| (s / n.max(1)) as u8));
        }
    }
    Raster::from_rgb(width, height, rgb)
}

/// Whole pixels of a stretch: those whose middle lies in it, one at least.
fn span(from: f64, length: f64) -> (i64, i64) {
    let first = (from - 0.5).ceil() as i64;
    let last = (from + length - 0.5).ceil() as i64;
    (first, last.max(first + 1))
}

/// The most frequent colour of each pixel; of equally frequent ones the earliest.
pub fn mode(pictures: &[&[u8]]) -> Vec<u8> {
    let Some(first) = pictures.first() else {
        return Vec::new();
    };
    let mut out = first.to_vec();
    let mut seen: Vec<([u8; 3], u32)> = Vec::new();
    for (i, px) in out.chunks_exact_mut(3).enumerate() {
        let at = |p: &[u8]| [p[3 * i], p[3 * i + 1], p[3 * i + 2]];
        seen.clear();
        for p in pictures {
            let v = at(p);
            match seen.iter_mut().find(|s| s.0 == v) {
                Some(s) => s.1 += 1,
                None => seen.push((v, 1)),
            }
        }
        let mut best = seen[0];
        for s in &seen[1..] {
            if s.1 > best.1 {
                best = *s;
            }
        }
        px.copy_from_slice(&best.0);
    }
    out
}

/// The ways in which empty cells may repeat, simplest first: a class for each column and row.
const PATTERNS: [fn(usize, usize) -> usize; 5] = [
    |_, _| 0,
    |c, r| (c + r) % 2,
    |c, _| c % 2,
    |_, r| r % 2,
    |c, r| (c % 2) * 2 + r % 2,
];

/// Gives cells that stand out of the pattern nearly all others follow the pattern's look.
pub fn complete(rgb: &mut [u8], columns: usize, rows: usize, samples: usize) {
    let stride = columns * samples * 3;
    let place = |column, row| Place {
        stride,
        samples,
        column,
        row,
    };
    for class in PATTERNS {
        let mut model = rgb.to_vec();
        for k in 0..4 {
            let of: Vec<Place> = (0..rows)
                .flat_map(|r| (0..columns).map(move |c| (c, r)))
                .filter(|&(c, r)| class(c, r) == k)
                .map(|(c, r)| place(c, r))
                .collect();
            if of.is_empty() {
                continue;
            }
            let look = median_look(rgb, &of, samples);
            for p in &of {
                for y in 0..samples {
                    model[p.span(y)].copy_from_slice(&look[y * samples * 3..(y + 1) * samples * 3]);
                }
            }
        }
        let mut odd = Vec::new();
        for r in 0..rows {
            for c in 0..columns {
                if quick(rgb, &model, place(c, r)) > ALIKE {
                    odd.push(place(c, r));
                }
            }
        }
        if odd.len() * 10 <= columns * rows * 3 {
            for p in odd {
                for y in 0..samples {
                    rgb[p.span(y)].copy_from_slice(&model[p.span(y)]);
                }
            }
            return;
        }
    }
}

fn median_look(rgb: &[u8], of: &[Place], samples: usize) -> Vec<u8> {
    let mut look = Vec::with_capacity(samples * samples * 3);
    let mut values = Vec::with_capacity(of.len());
    for y in 0..samples {
        for b in 0..samples * 3 {
            values.clear();
            values.extend(of.iter().map(|p| rgb[p.span(y).start + b]));
            let middle = values.len() / 2;
            look.push(*values.select_nth_unstable(middle).1);
        }
    }
    look
}
