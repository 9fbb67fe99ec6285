//! How the board looks with nothing on it.
//!
//! Comes in: pictures over which pieces moved. Goes out: one picture without them. Must never know: where from.

use super::cells::{Place, quick};
use crate::model::{Frame, Grid, Raster, Rect};
use std::ops::Range;

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
    let size = (picture.width(), picture.height());
    let grid = Sampling::new(size, part, columns, rows, samples)?;
    let mut out = vec![0; grid.len()];
    grid.sample(picture.rgb(), &mut out, 0..columns, 0..rows);
    Raster::from_rgb(grid.width(), grid.height(), out)
}

/// Which pixels of a picture each sample of a board is the mean of.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// Pixels of a row of the picture.
    stride: usize,
    samples: usize,
    /// First pixel and the one after the last, of each column of samples.
    across: Vec<(usize, usize)>,
    /// The same of each row of samples.
    down: Vec<(usize, usize)>,
}

impl Sampling {
    /// For pictures of a size, of which `part` is the board. `None` where one of them is empty.
    pub fn new(
        size: (u32, u32),
        part: Rect,
        columns: u16,
        rows: u16,
        samples: u16,
    ) -> Option<Self> {
        let (across, down) = (columns.checked_mul(samples)?, rows.checked_mul(samples)?);
        let some = |v: f64| v > 0.0;
        if across == 0 || down == 0 || !some(part.width) || !some(part.height) {
            return None;
        }
        Some(Self {
            stride: size.0 as usize,
            samples: usize::from(samples),
            across: spans(part.x, part.width, across, size.0)?,
            down: spans(part.y, part.height, down, size.1)?,
        })
    }

    /// Samples in a row.
    pub fn width(&self) -> u32 {
        self.across.len() as u32
    }

    /// Rows of samples.
    pub fn height(&self) -> u32 {
        self.down.len() as u32
    }

    /// Bytes of all samples.
    pub fn len(&self) -> usize {
        self.across.len() * self.down.len() * 3
    }

    /// Never: an empty part has no sampling.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts the samples of some cells into `out`, which holds those of the whole board. Cells that are none are left
    /// out; so is everything where picture or `out` are of another size.
    pub fn sample(&self, rgb: &[u8], out: &mut [u8], columns: Range<u16>, rows: Range<u16>) {
        if out.len() != self.len() || rgb.len() < self.down_to() * self.stride * 3 {
            return;
        }
        let of = |cells: Range<u16>, all: usize| {
            let at = |n: u16| (usize::from(n) * self.samples).min(all);
            at(cells.start)..at(cells.end).max(at(cells.start))
        };
        let wide = self.across.len();
        for y in of(rows, self.down.len()) {
            let (top, bottom) = self.down[y];
            for x in of(columns.clone(), wide) {
                let (left, right) = self.across[x];
                let mut sum = [0u32; 3];
                for row in top..bottom {
                    let from = (row * self.stride + left) * 3;
                    let to = (row * self.stride + right) * 3;
                    for pixel in rgb[from..to].chunks_exact(3) {
                        for (s, v) in sum.iter_mut().zip(pixel) {
                            *s += u32::from(*v);
                        }
                    }
                }
                let n = ((bottom - top) * (right - left)) as u32;
                let at = (y * wide + x) * 3;
                for (o, s) in out[at..at + 3].iter_mut().zip(sum) {
                    *o = (s / n.max(1)) as u8;
                }
            }
        }
    }

    /// Rows of pixels that are needed.
    fn down_to(&self) -> usize {
        self.down.iter().map(|s| s.1).max().unwrap_or(0)
    }
}

/// Cuts a stretch into `n` equal parts and gives the whole pixels of each: those whose middle lies in it, one at least.
/// What lies outside of the picture is taken from its edge.
fn spans(from: f64, length: f64, n: u16, pixels: u32) -> Option<Vec<(usize, usize)>> {
    let last = i64::from(pixels.checked_sub(1)?);
    let each = length / f64::from(n);
    let span = |i: u16| {
        let from = from + f64::from(i) * each;
        let first = (from - 0.5).ceil() as i64;
        let end = ((from + each - 0.5).ceil() as i64).max(first + 1);
        let first = first.clamp(0, last);
        (first as usize, end.clamp(first + 1, last + 1) as usize)
    };
    Some((0..n).map(span).collect())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_sampled_cell_by_cell_is_what_is_sampled_at_once() {
        let mut rgb = Vec::new();
        for i in 0..60u32 * 90 {
            rgb.extend([
                (i * 7 % 251) as u8,
                (i * 13 % 241) as u8,
                (i * 3 % 239) as u8,
            ]);
        }
        let picture = Raster::from_rgb(60, 90, rgb).unwrap();
        let part = Rect::new(3.4, -2.0, 41.0, 95.5);
        let whole = sampled(&picture, part, 4, 9, 3).unwrap();
        let grid = Sampling::new((60, 90), part, 4, 9, 3).unwrap();
        let mut out = vec![0; grid.len()];
        for row in 0..9 {
            for column in 0..4 {
                grid.sample(picture.rgb(), &mut out, column..column + 1, row..row + 1);
            }
        }
        assert_eq!(out, whole.rgb());
        assert!(Sampling::new((60, 90), Rect::new(0.0, 0.0, 0.0, 9.0), 4, 9, 3).is_none());
    }
}
