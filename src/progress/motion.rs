//! Where things move by themselves, and how far they may get.
//!
//! Comes in: flags and the calm pictures. Goes out: for a patch, how much of it lies where things moved while
//! nothing was done, or where they may have got to since. Must never know: what moves.

use super::planes::{IDLE, LASTING, Planes, TILE, difference};
use super::regions::{Patch, patches};
use crate::model::Raster;

/// Gaps between moving tiles that are closed, in tiles: a texture that scrolls does not change everywhere.
const CLOSE: usize = 2;
/// A thing that moves may go on for this many times its step between idle pictures. They are usually taken in a
/// fraction of the time that passes until the pictures after the action.
const STEPS: f64 = 10.0;
/// A patch of more tiles than this is compared by some of its rows.
const LARGE: usize = 800;
/// Colours that differ by up to this many sixteenths of the range are the same.
const COLOUR_STEP: i32 = 1;
/// So many pixels make a blob; from 12 to 48 nothing changes on the labelled cases.
const BLOB: usize = 32;
/// Share of the box around a blob that it fills.
const COMPACT: f64 = 0.35;

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

/// How a patch in which things move anyway compares with what it shows while nothing is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strangeness {
    /// Pixels in which the picture after the action differs from the calm picture most like it (the least of all
    /// pictures after the action).
    pub after: usize,
    /// The greatest difference between any two calm pictures.
    pub calm: usize,
    /// Share of the lasting pixels whose colour no calm picture has anywhere near.
    pub new_colours: f64,
}

/// Compares whole patches, not pixels: a mixture of several calm pictures is still strange.
pub(super) fn strangeness(
    planes: &Planes<'_>,
    patch: &Patch,
    tiles: &[(usize, usize)],
) -> Strangeness {
    let calm = &planes.calm.pictures;
    // Not to the nearest other calm picture: what moves smoothly may be anywhere on its way by now.
    let mut among = 0;
    for (i, a) in calm.iter().enumerate() {
        for b in &calm[i + 1..] {
            among = among.max(differing(planes, tiles, a, b));
        }
    }
    let from_calm = |picture: &Raster| {
        calm.iter()
            .map(|c| differing(planes, tiles, c, picture))
            .min()
            .unwrap_or(0)
    };
    let after = planes.after.iter().map(from_calm).min().unwrap_or(0);
    Strangeness {
        after,
        calm: among,
        new_colours: new_colours(planes, patch),
    }
}

fn differing(planes: &Planes<'_>, tiles: &[(usize, usize)], a: &Raster, b: &Raster) -> usize {
    // Of a patch that is a good part of the picture, some rows tell enough.
    let stride = if tiles.len() > LARGE { TILE / 2 } else { 1 };
    let mut n = 0;
    for &(column, row) in tiles {
        let (from, to) = (column * TILE, ((column + 1) * TILE).min(planes.width));
        for y in (row * TILE..((row + 1) * TILE).min(planes.height)).step_by(stride) {
            let bytes = (y * planes.width + from) * 3..(y * planes.width + to) * 3;
            let (a, b) = (&a.rgb()[bytes.clone()], &b.rgb()[bytes]);
            if a != b {
                n += a
                    .chunks_exact(3)
                    .zip(b.chunks_exact(3))
                    .filter(|(a, b)| difference(a, b) > planes.calm.floor)
                    .count();
            }
        }
    }
    n * stride
}

/// The colours that are near a known one.
fn with_neighbours(known: &[bool]) -> Vec<bool> {
    let mut near = vec![false; known.len()];
    for (at, _) in known.iter().enumerate().filter(|(_, k)| **k) {
        let at = at as i32;
        let around = |shift: i32| {
            (((at >> shift) & 15) - COLOUR_STEP).max(0)
                ..=(((at >> shift) & 15) + COLOUR_STEP).min(15)
        };
        for r in around(8) {
            for g in around(4) {
                for b in around(0) {
                    near[((r << 8) | (g << 4) | b) as usize] = true;
                }
            }
        }
    }
    near
}

/// Which colours the calm pictures show in and around an area, with those near them.
struct Known(Vec<bool>);

impl Known {
    fn around(planes: &Planes<'_>, area: super::Area) -> Self {
        let area = area.grown(TILE as u32 * 2);
        let mut known = vec![false; 16 * 16 * 16];
        for picture in &planes.calm.pictures {
            for y in area.y as usize..((area.y + area.height) as usize).min(planes.height) {
                let from = (y * planes.width + area.x as usize) * 3;
                let to =
                    (y * planes.width + ((area.x + area.width) as usize).min(planes.width)) * 3;
                for p in picture.rgb()[from..to].chunks_exact(3) {
                    known[Self::index(p)] = true;
                }
            }
        }
        Self(with_neighbours(&known))
    }

    fn index(p: &[u8]) -> usize {
        let level = |v: u8| usize::from(v >> 4);
        (level(p[0]) << 8) | (level(p[1]) << 4) | level(p[2])
    }

    fn has(&self, p: &[u8]) -> bool {
        self.0[Self::index(p)]
    }
}

/// The lasting pixels of a tile: where, and whether the colour there is new.
fn lasting_in<'a>(
    planes: &'a Planes<'_>,
    known: &'a Known,
    (column, row): (usize, usize),
) -> impl Iterator<Item = (usize, usize, bool)> + 'a {
    let columns = column * TILE..((column + 1) * TILE).min(planes.width);
    (row * TILE..((row + 1) * TILE).min(planes.height))
        .flat_map(move |y| columns.clone().map(move |x| (x, y)))
        .filter(|(x, y)| planes.at(*x, *y) & LASTING != 0)
        .map(|(x, y)| {
            let i = (y * planes.width + x) * 3;
            (x, y, !known.has(&planes.last().rgb()[i..i + 3]))
        })
}

fn new_colours(planes: &Planes<'_>, patch: &Patch) -> f64 {
    let Some(area) = patch.area else { return 0.0 };
    let known = Known::around(planes, area);
    let (mut new, mut all) = (0usize, 0usize);
    for tile in &patch.tiles {
        for (_, _, is_new) in lasting_in(planes, &known, *tile) {
            all += 1;
            new += usize::from(is_new);
        }
    }
    new as f64 / all.max(1) as f64
}

/// Something that came to stay amid what moves: a compact blob in colours that the calm pictures show nowhere near.
pub(super) fn stays_amid(planes: &Planes<'_>, patch: &Patch) -> bool {
    let Some(area) = patch.area.filter(|_| planes.has_second_look()) else {
        return false;
    };
    if patch.lasting < BLOB {
        return false;
    }
    let known = Known::around(planes, area);
    let new_in = |tile| lasting_in(planes, &known, tile).filter(|(_, _, new)| *new);
    let mut marked = vec![false; planes.columns * planes.rows];
    for &(column, row) in &patch.tiles {
        marked[row * planes.columns + column] = new_in((column, row)).count() >= TILE / 2;
    }
    super::regions::groups(&marked, planes.columns, planes.rows)
        .iter()
        .any(|tiles| {
            let (mut n, mut span) = (0, [usize::MAX, usize::MAX, 0, 0]);
            for (x, y, _) in tiles.iter().flat_map(|t| new_in(*t)) {
                n += 1;
                span = [
                    span[0].min(x),
                    span[1].min(y),
                    span[2].max(x + 1),
                    span[3].max(y + 1),
                ];
            }
            n >= BLOB && n as f64 >= ((span[2] - span[0]) * (span[3] - span[1])) as f64 * COMPACT
        })
}
