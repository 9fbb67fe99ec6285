//! A silhouette made of equal cells: how many, how large, where.
//!
//! Comes in: a mask of pixels. Goes out: the cells that make it up. Must never know: time, the page.

use crate::model::{PieceKind, Raster, Shape};
use std::collections::HashMap;

/// See [`Mask::without_specks`].
const SPECK: usize = 40;

/// Pieces of blocks that lie each by itself are farther apart than this share of a block.
const APART: (usize, usize) = (3, 5);

/// Some pixels of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// Left edge of the box in the picture.
    pub x0: usize,
    /// Top edge.
    pub y0: usize,
    /// Width of the box.
    pub width: usize,
    /// Height of the box.
    pub height: usize,
    /// Row by row.
    pub bits: Vec<bool>,
}

impl Mask {
    /// The pixels for which `is` holds, boxed tightly; `None` when there are none.
    pub fn collect(
        x: std::ops::Range<usize>,
        y: std::ops::Range<usize>,
        is: impl Fn(usize, usize) -> bool,
    ) -> Option<Self> {
        let mut hits = Vec::new();
        let mut b = [usize::MAX, usize::MAX, 0, 0];
        for py in y {
            for px in x.clone() {
                if is(px, py) {
                    hits.push((px, py));
                    b = [
                        b[0].min(px),
                        b[1].min(py),
                        b[2].max(px + 1),
                        b[3].max(py + 1),
                    ];
                }
            }
        }
        if hits.is_empty() {
            return None;
        }
        let (width, height) = (b[2] - b[0], b[3] - b[1]);
        let mut bits = vec![false; width * height];
        for (px, py) in hits {
            bits[(py - b[1]) * width + px - b[0]] = true;
        }
        Some(Self {
            x0: b[0],
            y0: b[1],
            width,
            height,
            bits,
        })
    }

    /// The same without what hangs together with nothing larger: spots of less than a part in [`SPECK`] of the largest
    /// one's pixels.
    pub fn without_specks(&self) -> Option<Self> {
        let mut spots: Vec<Vec<usize>> = Vec::new();
        let mut open = self.bits.clone();
        for start in 0..open.len() {
            if !std::mem::take(&mut open[start]) {
                continue;
            }
            let mut spot = vec![start];
            let mut i = 0;
            while i < spot.len() {
                let (x, y) = (spot[i] % self.width, spot[i] / self.width);
                for ny in y.saturating_sub(1)..(y + 2).min(self.height) {
                    for nx in x.saturating_sub(1)..(x + 2).min(self.width) {
                        if std::mem::take(&mut open[ny * self.width + nx]) {
                            spot.push(ny * self.width + nx);
                        }
                    }
                }
                i += 1;
            }
            spots.push(spot);
        }
        let largest = spots.iter().map(Vec::len).max()?;
        let mut kept = vec![false; self.bits.len()];
        for pixel in spots
            .iter()
            .filter(|s| s.len() * SPECK >= largest)
            .flatten()
        {
            kept[*pixel] = true;
        }
        Self::collect(
            self.x0..self.x0 + self.width,
            self.y0..self.y0 + self.height,
            |x, y| kept[(y - self.y0) * self.width + x - self.x0],
        )
    }

    /// What stands out of a picture: from its background if that is known, otherwise from its commonest colour on
    /// the border.
    pub fn of(picture: &Raster, background: Option<&Raster>) -> Option<Self> {
        Self::on(picture, background, common_border(picture))
    }

    /// What stands out of its commonest colour on the border at least half as much as what stands out most.
    pub fn strong(picture: &Raster) -> Option<Self> {
        let ground = common_border(picture);
        let apart = |x: usize, y: usize| {
            let p = picture.at(x as i64, y as i64);
            let parts = p.iter().zip(ground).map(|(a, b)| a.abs_diff(b));
            parts.max().unwrap_or(0)
        };
        let (w, h) = (picture.width() as usize, picture.height() as usize);
        let most = (0..w * h).map(|i| apart(i % w, i / w)).max()?;
        Self::collect(0..w, 0..h, |x, y| apart(x, y) > (most / 2).max(12))
    }

    /// What stands out of the colour that the picture has most of, but for thin lines and for what lies at its edge: the
    /// frame of a box and what is around it, however near to the piece in it.
    pub fn inside(picture: &Raster) -> Option<Self> {
        let (w, h) = (picture.width() as usize, picture.height() as usize);
        let mut seen: HashMap<[u8; 3], u32> = HashMap::new();
        for pixel in picture.rgb().chunks_exact(3) {
            *seen.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
        }
        let ground = seen.into_iter().max_by_key(|s| (s.1, s.0))?.0;
        let all = Self::on(picture, None, ground)?;
        let set = |x: usize, y: usize| {
            x >= all.x0
                && y >= all.y0
                && x < all.x0 + all.width
                && y < all.y0 + all.height
                && all.get(x - all.x0, y - all.y0)
        };
        // The middles of squares of three by three pixels: nothing thinner has any. Beyond the picture its edge goes on.
        let around = |x: usize, y: usize| {
            let xs = x.saturating_sub(1)..(x + 2).min(w);
            (y.saturating_sub(1)..(y + 2).min(h)).flat_map(move |y| xs.clone().map(move |x| (x, y)))
        };
        let mut solid: Vec<bool> = (0..w * h)
            .map(|i| around(i % w, i / w).all(|(x, y)| set(x, y)))
            .collect();
        let mut open: Vec<(usize, usize)> = (0..w)
            .flat_map(|x| [(x, 0), (x, h - 1)])
            .chain((0..h).flat_map(|y| [(0, y), (w - 1, y)]))
            .collect();
        while let Some((x, y)) = open.pop() {
            if std::mem::take(&mut solid[y * w + x]) {
                open.extend(around(x, y));
            }
        }
        Self::collect(0..w, 0..h, |x, y| {
            around(x, y).any(|(x, y)| solid[y * w + x])
        })
    }

    fn on(picture: &Raster, background: Option<&Raster>, ground: [u8; 3]) -> Option<Self> {
        let background =
            background.filter(|b| b.width() == picture.width() && b.height() == picture.height());
        Self::collect(
            0..picture.width() as usize,
            0..picture.height() as usize,
            |x, y| {
                let p = picture.at(x as i64, y as i64);
                let q = background.map_or(ground, |b| b.at(x as i64, y as i64));
                p.iter().zip(q).any(|(a, b)| a.abs_diff(b) > 12)
            },
        )
    }

    /// What remains when all that is thinner than three pixels is taken away; `None` if nothing does.
    pub fn without_lines(&self) -> Option<Self> {
        let whole = |x: usize, y: usize| {
            (y..y + 3)
                .all(|y| (x..x + 3).all(|x| x < self.width && y < self.height && self.get(x, y)))
        };
        let mut solid = vec![false; self.bits.len()];
        for y in 0..self.height {
            for x in (0..self.width).filter(|x| whole(*x, y)) {
                for row in y..y + 3 {
                    solid[row * self.width + x..row * self.width + x + 3].fill(true);
                }
            }
        }
        let mut rest = Self::collect(0..self.width, 0..self.height, |x, y| {
            solid[y * self.width + x]
        })?;
        rest.x0 += self.x0;
        rest.y0 += self.y0;
        Some(rest)
    }

    fn get(&self, x: usize, y: usize) -> bool {
        self.bits[y * self.width + x]
    }

    /// The same with rows and columns exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self {
            x0: self.y0,
            y0: self.x0,
            width: self.height,
            height: self.width,
            bits: (0..self.width)
                .flat_map(|x| (0..self.height).map(move |y| (x, y)))
                .map(|(x, y)| self.get(x, y))
                .collect(),
        }
    }

    /// The side of blocks that lie each by itself, with gaps between them: all of the lowest runs of rows consist of
    /// squares. 0 where there are none such.
    fn single(&self, filled: &[bool]) -> usize {
        let mut runs = Vec::new();
        let mut from = 0;
        for run in filled.chunk_by(|a, b| a == b) {
            if run[0] {
                runs.push(from..from + run.len());
            }
            from += run.len();
        }
        let lowest = runs.iter().map(ExactSizeIterator::len).min().unwrap_or(0);
        let square = |rows: &std::ops::Range<usize>| {
            let columns: Vec<bool> = (0..self.width)
                .map(|x| rows.clone().any(|y| self.get(x, y)))
                .collect();
            columns
                .chunk_by(|a, b| a == b)
                .filter(|run| run[0])
                .all(|run| run.len().abs_diff(lowest) * 5 <= lowest)
        };
        let low = |rows: &&std::ops::Range<usize>| rows.len() <= lowest + 1;
        if runs.iter().filter(low).all(square) {
            lowest
        } else {
            0
        }
    }

    /// The parts that empty pixel rows (more than a gap between blocks has) keep apart, from the top.
    pub fn parts(&self) -> Vec<Self> {
        let filled: Vec<bool> = (0..self.height)
            .map(|y| (0..self.width).any(|x| self.get(x, y)))
            .collect();
        let gap = (self.width / 8)
            .max(self.single(&filled) * APART.0 / APART.1)
            .max(3);
        let mut out = Vec::new();
        let mut start = 0;
        let mut empty = 0;
        for y in 0..=self.height {
            if filled.get(y) == Some(&true) {
                empty = 0;
                continue;
            }
            empty += 1;
            if (empty == gap || y == self.height) && start < y {
                let cut = Self::collect(0..self.width, start..y, |px, py| self.get(px, py));
                if let Some(mut part) = cut {
                    part.x0 += self.x0;
                    part.y0 += self.y0;
                    out.push(part);
                }
            }
            if empty >= gap {
                start = y + 1;
            }
        }
        out
    }
}

fn common_border(picture: &Raster) -> [u8; 3] {
    let (w, h) = (i64::from(picture.width()), i64::from(picture.height()));
    let mut seen: Vec<([u8; 3], u32)> = Vec::new();
    let edge = (0..w)
        .flat_map(|x| [(x, 0), (x, h - 1)])
        .chain((0..h).flat_map(|y| [(0, y), (w - 1, y)]));
    for (x, y) in edge {
        let v = picture.at(x, y);
        match seen.iter_mut().find(|s| s.0 == v) {
            Some(s) => s.1 += 1,
            None => seen.push((v, 1)),
        }
    }
    seen.iter().max_by_key(|s| s.1).map_or([0; 3], |s| s.0)
}

/// A silhouette taken apart into cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The cells, normalised to the top left.
    pub cells: Vec<(i32, i32)>,
    /// Which tetromino.
    pub kind: Option<PieceKind>,
    /// Distance of columns in pixels.
    pub cell_w: f64,
    /// Distance of rows in pixels.
    pub cell_h: f64,
    /// Left edge of the leftmost column in the picture.
    pub x0: f64,
    /// Top edge of the highest row.
    pub y0: f64,
    /// How well the silhouette is made of these cells, about 0 to 1.2.
    pub score: f64,
}

/// Cells of unknown size. `None` if the silhouette is not made of equal cells.
pub fn cells_of(mask: &Mask) -> Option<Fit> {
    let mut best: Option<Fit> = None;
    for rows in 1..=5 {
        for cols in 1..=5 {
            let cell_w = mask.width as f64 / f64::from(cols);
            let cell_h = mask.height as f64 / f64::from(rows);
            consider(&mut best, mask, (cols, rows), (cell_w, cell_h));
        }
    }
    best
}

/// Cells of known height; the silhouette may be lower than its rows by a gap between blocks, or higher by what glows
/// around them.
pub fn cells_of_height(mask: &Mask, cell_h: f64) -> Option<Fit> {
    let height = mask.height as f64;
    let most = ((height - 2.0) / cell_h).ceil().max(1.0);
    let mut best = None;
    for rows in [most, most - 1.0] {
        let gap = rows * cell_h - height;
        if !(1.0..=5.0).contains(&rows) || gap.abs() > 0.4 * cell_h {
            continue;
        }
        for cols in 1..=5 {
            let cell_w = (mask.width as f64 + gap) / f64::from(cols);
            consider(&mut best, mask, (cols, rows as i32), (cell_w, cell_h));
        }
    }
    best
}

/// Cells of known size, which the silhouette fills from their middle.
pub fn cells_of_size(mask: &Mask, cell: (f64, f64)) -> Option<Fit> {
    let count = |size: usize, unit: f64| ((size as f64 - 2.0) / unit).ceil().max(1.0) as i32;
    let size = (count(mask.width, cell.0), count(mask.height, cell.1));
    (size.0 <= 5 && size.1 <= 5)
        .then(|| fit(mask, size, cell))
        .flatten()
}

fn consider(best: &mut Option<Fit>, mask: &Mask, size: (i32, i32), cell: (f64, f64)) {
    if cell.0 < 3.0 || cell.1 < 3.0 {
        return;
    }
    if let Some(fit) = fit(mask, size, cell)
        && best.as_ref().is_none_or(|b| fit.score > b.score + 1e-9)
    {
        *best = Some(fit);
    }
}

/// Is the mask made of cells of this size, and how clearly?
fn fit(mask: &Mask, (cols, rows): (i32, i32), (cell_w, cell_h): (f64, f64)) -> Option<Fit> {
    // What is missing to whole cells is gap, half of it on either side.
    let dx = (mask.width as f64 - f64::from(cols) * cell_w) / 2.0;
    let dy = (mask.height as f64 - f64::from(rows) * cell_h) / 2.0;
    let mut shares = Vec::new();
    for r in 0..rows {
        for c in 0..cols {
            let span = |from: f64, size: f64, limit: usize| {
                let a = from.round().clamp(0.0, limit as f64) as usize;
                let b = (from + size).round().clamp(0.0, limit as f64) as usize;
                a..b
            };
            let xs = span(dx + f64::from(c) * cell_w, cell_w, mask.width);
            let ys = span(dy + f64::from(r) * cell_h, cell_h, mask.height);
            let area = (xs.len() * ys.len()).max(1);
            let n = ys
                .map(|y| xs.clone().filter(|&x| mask.get(x, y)).count())
                .sum::<usize>();
            shares.push(n as f64 / area as f64);
        }
    }
    let most = shares.iter().copied().fold(0.0, f64::max);
    let is = |s: f64| s > 0.5 * most;
    let least_full = shares
        .iter()
        .copied()
        .filter(|&s| is(s))
        .fold(f64::INFINITY, f64::min);
    let most_empty = shares
        .iter()
        .copied()
        .filter(|&s| !is(s))
        .fold(0.0, f64::max);
    let contrast = (least_full - most_empty) / most.max(1e-9);
    let cells: Vec<(i32, i32)> = (0..rows)
        .flat_map(|r| (0..cols).map(move |c| (c, r)))
        .filter(|&(c, r)| is(shares[(r * cols + c) as usize]))
        .collect();
    let shape = Shape::of(&cells);
    if contrast < 0.4 || cells.len() > 8 || !shape.is_connected() || shape.size() != (cols, rows) {
        return None;
    }
    let kind = shape.tetromino().map(|t| t.0);
    let aspect = (cell_w / cell_h).ln().abs();
    let score = contrast - aspect * 0.6 + if kind.is_some() { 0.2 } else { -0.1 }
        - 0.02 * (cells.len() as f64 - 4.0).abs();
    Some(Fit {
        cells: shape.cells().to_vec(),
        kind,
        cell_w,
        cell_h,
        x0: mask.x0 as f64 + dx,
        y0: mask.y0 as f64 + dy,
        score,
    })
}
