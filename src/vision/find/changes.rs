//! What changed between looks, and where changes hang together.
//!
//! Comes in: looks. Goes out: a bit a pixel for each pair of successive looks; regions. Must never know: shapes.

use super::{Hint, Look};

/// A channel must differ by more than this for a pixel to count as changed, in a picture that is steady otherwise.
pub const CHANGED: u8 = 3;
/// Share of the pixels that change from look to look in a picture that is unsteady all over.
const UNSTEADY: f64 = 0.05;
/// Share of them that may differ by more than its noise: a piece that falls covers so much, or more.
const OUTSTANDING: f64 = 0.01;
/// What differs by this many times the noise stands out of it.
const OVER_NOISE: f64 = 1.5;
/// No picture in which a piece can be made out is noisier.
const MOST_NOISE: u8 = 48;
/// Side of the blocks by which changes are joined to regions, in pixels.
const BLOCK: usize = 4;
/// Blocks of changes so many steps from each other belong together: pieces may have gaps between their cells.
const JOINED: usize = 2;
/// A pixel that changes in more than this share of the looks is restless: it says nothing about a piece.
const RESTLESS: f64 = 0.6;

/// One bit a pixel.
#[derive(Debug, Clone)]
pub struct Bits {
    words: usize,
    bits: Vec<u64>,
}

impl Bits {
    fn new(width: usize, height: usize) -> Self {
        let words = width.div_ceil(64);
        Self {
            words,
            bits: vec![0; words * height],
        }
    }

    fn set(&mut self, x: usize, y: usize) {
        self.bits[y * self.words + x / 64] |= 1 << (x % 64);
    }

    /// The bit of a pixel.
    pub fn get(&self, x: usize, y: usize) -> bool {
        self.bits[y * self.words + x / 64] >> (x % 64) & 1 == 1
    }
}

/// Pixels that changed from one look to the next.
#[derive(Debug)]
pub struct Change {
    /// Index of the look after which it came.
    pub after: usize,
    /// Which pixels.
    pub bits: Bits,
}

/// All changes of a sequence of looks.
#[derive(Debug)]
pub struct Changes {
    /// Width of the pictures.
    pub width: usize,
    /// Height of the pictures.
    pub height: usize,
    /// One for each pair of successive looks that differ.
    pub list: Vec<Change>,
    /// How often each pixel changed.
    pub counts: Vec<u8>,
    restless: u8,
}

/// A part of the pictures in which changes hang together.
#[derive(Debug, Clone)]
pub struct Region {
    /// Left edge.
    pub x0: usize,
    /// Top edge.
    pub y0: usize,
    /// Right edge, not counted in.
    pub x1: usize,
    /// Bottom edge, not counted in.
    pub y1: usize,
    /// Changed pixels further apart than this in x belong to different things.
    pub apart: usize,
    /// Width and height of a cell, where the page's structure tells.
    pub cell: Option<(f64, f64)>,
    label: u32,
    labels: std::sync::Arc<Vec<u32>>,
    across: usize,
}

/// See [`Region::apart`], where nothing is known of the size of cells.
const APART: usize = 10;

impl Region {
    /// Does the pixel belong to the region?
    pub fn holds(&self, x: usize, y: usize) -> bool {
        self.label == 0 || self.labels[y / BLOCK * self.across + x / BLOCK] == self.label
    }
}

impl Changes {
    /// Compares each look with the next. A channel must differ by more than `noise` for a pixel to count as changed.
    pub fn of(looks: &[Look<'_>], noise: u8) -> Self {
        let (width, height) = looks.first().map_or((0, 0), |l| {
            (l.raster.width() as usize, l.raster.height() as usize)
        });
        let mut counts = vec![0u8; width * height];
        let mut list = Vec::new();
        for (after, pair) in looks.windows(2).enumerate() {
            if let Some(bits) = compare(
                pair[0].raster.rgb(),
                pair[1].raster.rgb(),
                width,
                height,
                noise,
                &mut counts,
            ) {
                list.push(Change { after, bits });
            }
        }
        let restless = if looks.len() >= 8 {
            ((looks.len() as f64 * RESTLESS) as usize).min(254) as u8
        } else {
            255
        };
        Self {
            width,
            height,
            list,
            counts,
            restless,
        }
    }

    /// Did nothing change at all?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Did the pixel change with the given change, and is it not one that always does?
    pub fn changed(&self, change: &Change, x: usize, y: usize) -> bool {
        change.bits.get(x, y) && self.counts[y * self.width + x] <= self.restless
    }

    /// The regions in which changes hang together, and the hinted places that cut a larger region down.
    pub fn regions(&self, hints: &[Hint]) -> Vec<Region> {
        let (across, down) = (self.width.div_ceil(BLOCK), self.height.div_ceil(BLOCK));
        let mut labels = vec![0u32; across * down];
        for y in 0..self.height {
            let row = &self.counts[y * self.width..(y + 1) * self.width];
            for (x, &n) in row.iter().enumerate() {
                if n > 0 && n <= self.restless {
                    labels[y / BLOCK * across + x / BLOCK] = u32::MAX;
                }
            }
        }
        let mut boxes = Vec::new();
        let mut stack = Vec::new();
        for start in 0..labels.len() {
            if labels[start] != u32::MAX {
                continue;
            }
            let label = boxes.len() as u32 + 1;
            let mut b = [usize::MAX, usize::MAX, 0, 0];
            labels[start] = label;
            stack.push(start);
            while let Some(i) = stack.pop() {
                let (x, y) = (i % across, i / across);
                b = [b[0].min(x), b[1].min(y), b[2].max(x + 1), b[3].max(y + 1)];
                for ny in y.saturating_sub(JOINED)..(y + JOINED + 1).min(down) {
                    for nx in x.saturating_sub(JOINED)..(x + JOINED + 1).min(across) {
                        if labels[ny * across + nx] == u32::MAX {
                            labels[ny * across + nx] = label;
                            stack.push(ny * across + nx);
                        }
                    }
                }
            }
            boxes.push(b);
        }
        let labels = std::sync::Arc::new(labels);
        let mut regions: Vec<Region> = boxes
            .iter()
            .enumerate()
            .map(|(i, b)| Region {
                x0: b[0] * BLOCK,
                y0: b[1] * BLOCK,
                x1: (b[2] * BLOCK).min(self.width),
                y1: (b[3] * BLOCK).min(self.height),
                apart: APART,
                cell: None,
                label: i as u32 + 1,
                labels: labels.clone(),
                across,
            })
            .filter(|r| r.x1 - r.x0 >= 2 * BLOCK && r.y1 - r.y0 >= 2 * BLOCK)
            .collect();
        for hint in hints {
            let x0 = hint.rect.x.round().max(0.0) as usize;
            let y0 = hint.rect.y.round().max(0.0) as usize;
            let x1 = (hint.rect.right().round().max(0.0) as usize).min(self.width);
            let y1 = (hint.rect.bottom().round().max(0.0) as usize).min(self.height);
            let cuts = regions.iter().any(|r| {
                r.label != 0
                    && (r.x0 < x1 && r.x1 > x0 && r.y0 < y1 && r.y1 > y0)
                    && (r.x0 + BLOCK < x0
                        || r.y0 + BLOCK < y0
                        || r.x1 > x1 + BLOCK
                        || r.y1 > y1 + BLOCK)
            });
            // Blocks that do not fill their cells change in many small places.
            let cell = (hint.columns > 0 && hint.rows > 0).then(|| {
                (
                    hint.rect.width / f64::from(hint.columns),
                    hint.rect.height / f64::from(hint.rows),
                )
            });
            let scattered = cell.is_some()
                && regions
                    .iter()
                    .filter(|r| {
                        r.label != 0
                            && r.x0 + BLOCK >= x0
                            && r.y0 + BLOCK >= y0
                            && r.x1 <= x1 + BLOCK
                            && r.y1 <= y1 + BLOCK
                    })
                    .nth(1)
                    .is_some();
            if (cuts || scattered) && x0 + 2 * BLOCK < x1 && y0 + 2 * BLOCK < y1 {
                regions.push(Region {
                    x0,
                    y0,
                    x1,
                    y1,
                    apart: cell.map_or(APART, |c| APART.max((c.0 * 0.75) as usize)),
                    cell,
                    label: 0,
                    labels: labels.clone(),
                    across,
                });
            }
        }
        regions
    }
}

/// By how much the channels of pixels differ from look to look where all of the picture is unsteady (scanlines that drift,
/// grain, a pulse of light), so that what stands out of it is told by what differs by more; `None` where most of it is not.
pub fn noise(looks: &[Look<'_>]) -> Option<u8> {
    let mut counts = [0usize; 256];
    for pair in looks.windows(2) {
        let (a, b) = (pair[0].raster.rgb(), pair[1].raster.rgb());
        // A prime number of pixels, so that no column is left out.
        for (p, q) in a.chunks_exact(3).zip(b.chunks_exact(3)).step_by(37) {
            let most = (0..3).map(|i| p[i].abs_diff(q[i])).max().unwrap_or(0);
            counts[usize::from(most)] += 1;
        }
    }
    let all: usize = counts.iter().sum();
    let unsteady: usize = counts[usize::from(CHANGED) + 1..].iter().sum();
    if all == 0 || (unsteady as f64) < UNSTEADY * all as f64 {
        return None;
    }
    let mut above = all;
    let level = counts.iter().position(|n| {
        above -= n;
        (above as f64) <= OUTSTANDING * all as f64
    })?;
    Some(((level as f64 * OVER_NOISE) as u8).min(MOST_NOISE))
}

fn compare(
    a: &[u8],
    b: &[u8],
    width: usize,
    height: usize,
    noise: u8,
    counts: &mut [u8],
) -> Option<Bits> {
    // A page at rest is the common case: whole rows are compared before pixels are.
    if a == b {
        return None;
    }
    let mut bits: Option<Bits> = None;
    for y in 0..height {
        let row = y * width * 3..(y + 1) * width * 3;
        let (ra, rb) = (&a[row.clone()], &b[row]);
        if ra == rb {
            continue;
        }
        for (chunk, (ca, cb)) in ra.chunks(192).zip(rb.chunks(192)).enumerate() {
            if ca == cb {
                continue;
            }
            for (i, (p, q)) in ca.chunks_exact(3).zip(cb.chunks_exact(3)).enumerate() {
                let differs = p[0].abs_diff(q[0]) > noise
                    || p[1].abs_diff(q[1]) > noise
                    || p[2].abs_diff(q[2]) > noise;
                if differs {
                    let x = chunk * 64 + i;
                    bits.get_or_insert_with(|| Bits::new(width, height))
                        .set(x, y);
                    let n = &mut counts[y * width + x];
                    *n = n.saturating_add(1);
                }
            }
        }
    }
    bits
}
