//! Where things move by themselves, and how far they may get.
//!
//! Comes in: flags and the calm pictures. Goes out: for a patch, how much of it lies where things moved while
//! nothing was done, or where they may have got to since. Must never know: what moves.

use super::planes::{IDLE, Planes, TILE, difference};
use super::regions::{Patch, patches};
use crate::model::Raster;

/// Gaps between moving tiles that are closed, in tiles: a texture that scrolls does not change everywhere.
const CLOSE: usize = 2;
/// A thing that moves may go on for this many times its step between idle pictures. They are usually taken in a
/// fraction of the time that passes until the pictures after the action.
const STEPS: f64 = 10.0;

/// So many things that move are asked whether they got to a place.
const NEAREST: usize = 3;

/// Where things move.
pub(super) struct Motion {
    columns: usize,
    rows: usize,
    /// Tiles in which things moved while nothing was done, gaps closed.
    moved: Vec<bool>,
    /// Tiles they may have got to since.
    reach: Vec<bool>,
    /// Share of the picture that moves by itself.
    pub share: f64,
    /// Boxes around what moved.
    things: Vec<super::Area>,
}

impl Motion {
    /// From the calm pictures.
    pub fn new(planes: &Planes<'_>) -> Self {
        let (columns, rows) = (planes.columns, planes.rows);
        let found = patches(planes, IDLE);
        let mut tiles = vec![false; columns * rows];
        for patch in &found {
            for &(c, r) in &patch.tiles {
                tiles[r * columns + c] = true;
            }
        }
        let closed = shrink(&grow(&tiles, columns, rows, CLOSE), columns, rows, CLOSE);
        let mut motion = Self {
            columns,
            rows,
            moved: grow(&closed, columns, rows, 1),
            reach: vec![false; columns * rows],
            share: found
                .iter()
                .filter_map(|p| p.area)
                .map(|a| a.size())
                .sum::<u64>() as f64
                / (planes.width * planes.height) as f64,
            things: Self::with_both_ends(found.iter().filter_map(|p| p.area).collect()),
        };
        motion.extend(planes, &found);
        motion
    }

    /// Marks where what moves may get to: along its own way, and around it by its own size.
    fn extend(&mut self, planes: &Planes<'_>, found: &[Patch]) {
        let steps: Vec<Vec<[f64; 4]>> = planes
            .calm
            .pictures
            .windows(2)
            .map(|pair| changed_boxes(planes, pair[0], pair[1]))
            .collect();
        for patch in found {
            let Some(area) = patch.area else { continue };
            let size = area.width.max(area.height).min(planes.width as u32 / 8);
            let round = area.grown(size);
            self.mark(match line_of(&steps, area) {
                None => round,
                Some(Line::Row) => super::Area {
                    y: area.y,
                    height: area.height,
                    ..round
                },
                Some(Line::Column) => super::Area {
                    x: area.x,
                    width: area.width,
                    ..round
                },
            });
        }
        for pair in steps.windows(2) {
            for [x, y, w, h] in &pair[0] {
                let near = pair[1]
                    .iter()
                    .filter(|b| {
                        (b[2] / w).abs().ln().abs() < 0.5 && (b[3] / h).abs().ln().abs() < 0.5
                    })
                    .map(|b| {
                        (
                            b[0] + b[2] / 2.0 - x - w / 2.0,
                            b[1] + b[3] / 2.0 - y - h / 2.0,
                        )
                    })
                    .filter(|(dx, dy)| dx.abs() <= 2.0 * w && dy.abs() <= 2.0 * h)
                    .min_by(|a, b| (a.0.hypot(a.1)).total_cmp(&b.0.hypot(b.1)));
                let Some((dx, dy)) = near else { continue };
                let (gx, gy) = ((dx.abs() * STEPS) as u32, (dy.abs() * STEPS) as u32);
                if gx.max(gy) >= 8 {
                    let area = super::Area {
                        x: (*x as u32).saturating_sub(gx),
                        y: (*y as u32).saturating_sub(gy),
                        width: *w as u32 + 2 * gx,
                        height: *h as u32 + 2 * gy,
                    };
                    self.mark(area);
                }
            }
        }
    }

    fn mark(&mut self, area: super::Area) {
        let end = |at: u32, len: u32, most: usize| (((at + len) as usize).div_ceil(TILE)).min(most);
        for r in area.y as usize / TILE..end(area.y, area.height, self.rows) {
            for c in area.x as usize / TILE..end(area.x, area.width, self.columns) {
                self.reach[r * self.columns + c] = true;
            }
        }
    }

    /// Share of a patch's tiles in which things moved while nothing was done.
    pub fn share_moved(&self, patch: &Patch) -> f64 {
        self.share(patch, |i| self.moved[i])
    }

    /// Share of a patch's tiles where things moved or may have got to since.
    pub fn share_reached(&self, patch: &Patch) -> f64 {
        self.share(patch, |i| self.moved[i] || self.reach[i])
    }

    /// The tiles of an area in which things moved.
    pub fn moved_in(&self, area: super::Area) -> Vec<(usize, usize)> {
        let range = |from: u32, len: u32, most: usize| {
            from as usize / TILE..((from + len) as usize).div_ceil(TILE).min(most)
        };
        range(area.y, area.height, self.rows)
            .flat_map(|r| range(area.x, area.width, self.columns).map(move |c| (c, r)))
            .filter(|(c, r)| self.moved[r * self.columns + c])
            .collect()
    }

    /// The boxes of what moved, and those around two that are both ends of one thing: its inside, all of one colour, is
    /// not seen to change.
    fn with_both_ends(found: Vec<super::Area>) -> Vec<super::Area> {
        let alike = |a: u32, b: u32| a.abs_diff(b) <= TILE as u32;
        let mut things = Vec::new();
        for (i, a) in found.iter().enumerate() {
            for b in &found[i + 1..] {
                let row = alike(a.y, b.y) && alike(a.height, b.height);
                let column = alike(a.x, b.x) && alike(a.width, b.width);
                let (x, y) = (a.x.min(b.x), a.y.min(b.y));
                let both = super::Area {
                    x,
                    y,
                    width: (a.x + a.width).max(b.x + b.width) - x,
                    height: (a.y + a.height).max(b.y + b.height) - y,
                };
                let near = if row {
                    both.width <= (a.width + b.width) * 2
                } else {
                    both.height <= (a.height + b.height) * 2
                };
                if (row || column) && near {
                    things.push(both);
                }
            }
        }
        things.extend(found);
        things
    }

    /// Some of the things that moved, those seen at both ends first.
    pub fn things(&self) -> &[super::Area] {
        &self.things[..self.things.len().min(NEAREST)]
    }

    /// What moved in the rows or the columns of an area, the nearest first; no more than a few.
    pub fn things_in_line(&self, area: super::Area) -> Vec<super::Area> {
        let apart = |a: u32, len: u32, b: u32, other: u32| {
            b.saturating_sub(a + len).max(a.saturating_sub(b + other))
        };
        let mut near: Vec<(u32, super::Area)> = self
            .things
            .iter()
            .filter_map(|t| {
                let across = apart(area.x, area.width, t.x, t.width);
                let down = apart(area.y, area.height, t.y, t.height);
                (across == 0 || down == 0).then_some((across + down, *t))
            })
            .collect();
        near.sort_by_key(|(far, _)| *far);
        near.into_iter().take(NEAREST).map(|(_, t)| t).collect()
    }

    /// The tiles of a patch in which nothing moved while nothing was done.
    pub fn still_tiles(&self, patch: &Patch) -> Vec<(usize, usize)> {
        let still = |(c, r): &(usize, usize)| !self.moved[r * self.columns + c];
        patch.tiles.iter().copied().filter(still).collect()
    }

    fn share(&self, patch: &Patch, has: impl Fn(usize) -> bool) -> f64 {
        let n = patch
            .tiles
            .iter()
            .filter(|(c, r)| has(r * self.columns + c))
            .count();
        n as f64 / patch.tiles.len().max(1) as f64
    }
}

/// A line along which something moves.
enum Line {
    Row,
    Column,
}

/// The line that what moved in an area keeps to, if two of its steps at least show one.
fn line_of(steps: &[Vec<[f64; 4]>], area: super::Area) -> Option<Line> {
    let (left, top) = (f64::from(area.x), f64::from(area.y));
    let (right, bottom) = (left + f64::from(area.width), top + f64::from(area.height));
    let inside: Vec<&[f64; 4]> = steps
        .iter()
        .flatten()
        .filter(|[x, y, w, h]| {
            let (cx, cy) = (x + w / 2.0, y + h / 2.0);
            (left..right).contains(&cx) && (top..bottom).contains(&cy)
        })
        .collect();
    if inside.len() < 2 {
        return None;
    }
    let spread = |of: fn(&[f64; 4]) -> f64| {
        let most = inside.iter().map(|b| of(b)).fold(f64::MIN, f64::max);
        most - inside.iter().map(|b| of(b)).fold(f64::MAX, f64::min)
    };
    let side = TILE as f64;
    let still = |from: f64, to: f64| from <= side && to <= side;
    let (x, y) = (spread(|b| b[0]), spread(|b| b[1]));
    let (x_end, y_end) = (spread(|b| b[0] + b[2]), spread(|b| b[1] + b[3]));
    match (still(x, x_end), still(y, y_end)) {
        (true, false) => Some(Line::Column),
        (false, true) => Some(Line::Row),
        _ => None,
    }
}

/// Boxes around what differs between two calm pictures, as x, y, width, height.
fn changed_boxes(planes: &Planes<'_>, a: &Raster, b: &Raster) -> Vec<[f64; 4]> {
    let mut tiles = vec![false; planes.columns * planes.rows];
    for row in 0..planes.rows {
        for column in 0..planes.columns {
            tiles[row * planes.columns + column] = differs_in_tile(planes, a, b, column, row);
        }
    }
    super::regions::groups(&tiles, planes.columns, planes.rows)
        .into_iter()
        .map(|tiles| {
            let side = |v: usize| (v * TILE) as f64;
            let left = tiles.iter().map(|t| t.0).min().unwrap_or(0);
            let right = tiles.iter().map(|t| t.0 + 1).max().unwrap_or(0);
            let top = tiles.iter().map(|t| t.1).min().unwrap_or(0);
            let bottom = tiles.iter().map(|t| t.1 + 1).max().unwrap_or(0);
            [
                side(left),
                side(top),
                side(right - left),
                side(bottom - top),
            ]
        })
        .collect()
}

fn differs_in_tile(planes: &Planes<'_>, a: &Raster, b: &Raster, column: usize, row: usize) -> bool {
    let (from, to) = (column * TILE, ((column + 1) * TILE).min(planes.width));
    (row * TILE..((row + 1) * TILE).min(planes.height)).any(|y| {
        let bytes = (y * planes.width + from) * 3..(y * planes.width + to) * 3;
        let (a, b) = (&a.rgb()[bytes.clone()], &b.rgb()[bytes]);
        a != b
            && a.chunks_exact(3)
                .zip(b.chunks_exact(3))
                .any(|(a, b)| difference(a, b) > planes.calm.floor)
    })
}

fn grow(tiles: &[bool], columns: usize, rows: usize, by: usize) -> Vec<bool> {
    near(tiles, columns, rows, by, true)
}

fn shrink(tiles: &[bool], columns: usize, rows: usize, by: usize) -> Vec<bool> {
    let gaps = near(tiles, columns, rows, by, false);
    gaps.into_iter().map(|gap| !gap).collect()
}

/// For each tile: has it one of this `value` within reach?
fn near(tiles: &[bool], columns: usize, rows: usize, by: usize, value: bool) -> Vec<bool> {
    // First along the rows, then along the columns: the same as all at once, and quicker.
    let along_rows: Vec<bool> = (0..tiles.len())
        .map(|i| {
            let (c, r) = (i % columns, i / columns);
            (c.saturating_sub(by)..(c + by + 1).min(columns))
                .any(|k| tiles[r * columns + k] == value)
        })
        .collect();
    (0..tiles.len())
        .map(|i| {
            let (c, r) = (i % columns, i / columns);
            (r.saturating_sub(by)..(r + by + 1).min(rows)).any(|k| along_rows[k * columns + c])
        })
        .collect()
}
