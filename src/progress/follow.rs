//! A thing that moves by itself, found again in other pictures.
//!
//! Comes in: flags, pictures, the box of what moved while nothing was done. Goes out: how far it is from where it was.
//! Must never know: what it is that moves.

use super::Area;
use super::planes::{BEGUN, IDLE, Planes, TILE, difference};
use super::regions::extent;
use crate::model::Raster;
use std::collections::HashMap;

/// Colours this far from the ground's belong to what stands on it.
const STANDS_OUT: u8 = 32;
/// So many of its pixels are looked for in the other picture.
const SAMPLES: usize = 160;
/// Fewer show nothing.
const LEAST_SAMPLES: usize = 24;
/// Share of them that must be found again, all moved alike.
const FOUND_AGAIN: f64 = 0.85;
/// The same with what is inside: between whole pixels every edge is drawn otherwise.
const INSIDE_FOUND_AGAIN: f64 = 0.75;
/// A thing is looked for no further away than this, in pixels.
const FARTHEST: i32 = 160;
/// Share of its own size by which it may leave its line and still be on its course: a swarm that comes a step nearer
/// where it turns.
const ASIDE: f64 = 0.2;
/// Pixels to the side that are none.
const STRAIGHT: i32 = 3;
/// Every so many of the samples is looked at first.
const STRIDE: usize = 13;
/// All pixels, whatever their flags.
const ANY: u8 = 0;

/// What moves along a row or a column while nothing is done.
pub(super) struct Mover<'a> {
    finder: Finder<'a>,
    /// Pixels of it, in the last picture before the action.
    sits: Vec<(i32, i32)>,
    /// The leftmost and rightmost, the highest and lowest of them.
    spans: [(i32, i32); 2],
    /// Does it move along a row, not a column?
    in_row: bool,
    /// How far it was seen to move, in pixels.
    step: i32,
}

impl<'a> Mover<'a> {
    /// The thing in `area`; where `all` of the area moves, its inside counts too.
    pub fn new(planes: &'a Planes<'a>, area: Area, all: bool) -> Option<Self> {
        let (thing, _) = extent(planes, area, IDLE)?;
        let finder = Finder::new(planes, thing, all);
        let marked = |mask| if all { ANY } else { mask };
        // The latest step that can be seen: between neighbours, or over all of them where it is slow.
        let (last, earlier) = planes.calm.pictures.split_last()?;
        let nearest = earlier.last().filter(|p| !finder.is_the_same(p, last));
        let from = nearest.or_else(|| earlier.first())?;
        let was = finder.shapes(from, marked(IDLE));
        let row = finder.found(&was, from, last, |len| (len, 1));
        let column = finder.found(&was, from, last, |len| (1, len));
        // The same thing may stand elsewhere, too: the nearer one is this.
        let (in_row, step) = match (row.map(|r| r.0.abs()), column.map(|c| c.1.abs())) {
            (Some(r), Some(c)) if r >= 2 && c >= 2 => (r <= c, r.min(c)),
            (Some(r), _) if r >= 2 => (true, r),
            (_, Some(c)) if c >= 2 => (false, c),
            _ => return None,
        };
        let sits = finder.shapes(last, marked(IDLE | BEGUN));
        Some(Self {
            spans: [ends(&sits, |p| p.0), ends(&sits, |p| p.1)],
            finder,
            sits,
            in_row,
            step,
        })
    }

    /// How far along its row or column it is in a picture after the action, if it is there.
    pub fn along(&self, picture: &Raster) -> Option<(i32, i32)> {
        let across = self.spans[usize::from(self.in_row)];
        let most = ((f64::from(across.1 - across.0) * ASIDE) as i32).max(STRAIGHT);
        let window = |len| {
            if self.in_row {
                (len, most)
            } else {
                (most, len)
            }
        };
        let before = self.finder.planes.before;
        self.finder.found(&self.sits, before, picture, window)
    }

    /// Was what stands out in a picture now in the last one before the action, that far away?
    pub fn is_all_there_is(&self, picture: &Raster, by: (i32, i32)) -> bool {
        let (before, floor) = (self.finder.planes.before, self.finder.planes.calm.floor);
        let now = self.finder.shapes(picture, ANY);
        let known = |(x, y): &&(i32, i32)| {
            let here = picture.at((*x).into(), (*y).into());
            let there = before.at((x - by.0).into(), (y - by.1).into());
            difference(&here, &there) <= floor
        };
        let found = now.iter().filter(known).count();
        found as f64 >= now.len() as f64 * self.finder.enough
    }

    /// Does it go no further at once than it is long? What leaps is shown here and there.
    pub fn steps(&self) -> bool {
        let along = self.spans[usize::from(!self.in_row)];
        self.step <= along.1 - along.0 + 1
    }

    /// Is it anywhere near, where it was not before?
    pub fn is_near(&self, picture: &Raster) -> bool {
        let Area { width, height, .. } = self.finder.thing;
        let reach = (width.max(height) as i32 * 2).clamp(32, FARTHEST);
        let before = self.finder.planes.before;
        let window = |_| (reach, reach);
        let Some(by) = self.finder.found(&self.sits, before, picture, window) else {
            return false;
        };
        let stood = |(x, y): &&(i32, i32)| {
            let (here, there) = (
                before.at((*x).into(), (*y).into()),
                before.at((x + by.0).into(), (y + by.1).into()),
            );
            difference(&here, &there) <= self.finder.planes.calm.floor
        };
        self.sits.iter().filter(stood).count() * 2 < self.sits.len()
    }

    /// Is a pixel where it is now, or where it was seen before?
    pub fn is_at(&self, by: (i32, i32), x: i32, y: i32) -> bool {
        let side = TILE as i32;
        let [across, down] = self.spans;
        let within = |v: i32, (from, to): (i32, i32), by: i32| {
            (from + by - side..=to + by + side).contains(&v)
        };
        let Area {
            x: left,
            y: top,
            width,
            height,
        } = self.finder.thing;
        let before = (left as i32..(left + width) as i32).contains(&x)
            && (top as i32..(top + height) as i32).contains(&y);
        before || (within(x, across, by.0) && within(y, down, by.1))
    }
}

fn ends(points: &[(i32, i32)], of: impl Fn(&(i32, i32)) -> i32) -> (i32, i32) {
    let ends = points
        .iter()
        .map(&of)
        .min()
        .zip(points.iter().map(&of).max());
    ends.unwrap_or((0, 0))
}

/// Does nothing move in `area` between some of the calm pictures?
pub(super) fn rests(planes: &Planes<'_>, area: Area) -> bool {
    let finder = Finder::new(planes, area, false);
    let pairs = planes.calm.pictures.windows(2);
    pairs.into_iter().any(|p| finder.is_the_same(p[0], p[1]))
}

struct Finder<'a> {
    planes: &'a Planes<'a>,
    thing: Area,
    /// Share of the samples that must be found again.
    enough: f64,
    /// The colour around the thing, where it is one.
    ground: Option<[u8; 3]>,
}

impl<'a> Finder<'a> {
    fn new(planes: &'a Planes<'a>, thing: Area, all: bool) -> Self {
        Self {
            planes,
            thing,
            enough: if all { INSIDE_FOUND_AGAIN } else { FOUND_AGAIN },
            ground: ground(planes, thing),
        }
    }

    /// Pixels of what stands out from the ground, of those that carry any of `mask`; scattered, not row by row.
    fn shapes(&self, picture: &Raster, mask: u8) -> Vec<(i32, i32)> {
        let Area {
            x,
            y,
            width,
            height,
        } = self.thing;
        let mut found: Vec<(i32, i32)> = Vec::new();
        for py in y as usize..((y + height) as usize).min(self.planes.height) {
            for px in x as usize..((x + width) as usize).min(self.planes.width) {
                let marked = mask == ANY || self.planes.at(px, py) & mask != 0;
                if marked && self.stands_out(picture, px, py) {
                    found.push((px as i32, py as i32));
                }
            }
        }
        if found.len() > SAMPLES {
            let step = found.len() as f64 / SAMPLES as f64;
            found = (0..SAMPLES)
                .map(|i| found[(i as f64 * step) as usize])
                .collect();
        }
        // Neighbours tell the same: far ones first settle soonest that a place is the wrong one.
        let n = found.len();
        (0..STRIDE.min(n))
            .flat_map(|from| (from..n).step_by(STRIDE))
            .map(|i| found[i])
            .collect()
    }

    fn stands_out(&self, picture: &Raster, x: usize, y: usize) -> bool {
        let at = |r: &Raster| r.at(x as i64, y as i64);
        let here = at(picture);
        if let Some(ground) = self.ground {
            return difference(&here, &ground) > STANDS_OUT;
        }
        // On a ground of many colours: what is there when the thing has gone on.
        let (first, last) = (at(&self.planes.after[0]), at(self.planes.last()));
        let floor = self.planes.calm.floor;
        difference(&first, &last) <= floor && difference(&here, &last) > floor
    }

    /// How far all of it is from where it was, in pixels; the nearest of the best places. `window` tells from the
    /// picture's longer side how far it may be, to the sides and up and down.
    fn found(
        &self,
        shape: &[(i32, i32)],
        from: &Raster,
        to: &Raster,
        window: impl Fn(i32) -> (i32, i32),
    ) -> Option<(i32, i32)> {
        if shape.len() < LEAST_SAMPLES {
            return None;
        }
        let floor = self.planes.calm.floor;
        let (width, height) = (self.planes.width as i32, self.planes.height as i32);
        let at = |r: &'_ Raster, x: i32, y: i32| -> [u8; 3] { r.at(x.into(), y.into()) };
        let sample: Vec<_> = shape.iter().map(|p| (*p, at(from, p.0, p.1))).collect();
        let (across, down) = window(width.max(height));
        let mut most = (shape.len() as f64 * (1.0 - self.enough)) as usize;
        let mut best: Option<(usize, i32, (i32, i32))> = None;
        for dy in -down..=down {
            for dx in -across..=across {
                let far = dx.abs() + dy.abs();
                let mut lost = 0;
                for ((x, y), colour) in &sample {
                    let (x, y) = (x + dx, y + dy);
                    let outside = x < 0 || y < 0 || x >= width || y >= height;
                    lost += usize::from(outside || difference(colour, &at(to, x, y)) > floor);
                    if lost > most {
                        break;
                    }
                }
                if lost <= most && best.is_none_or(|b| (lost, far) < (b.0, b.1)) {
                    best = Some((lost, far, (dx, dy)));
                    most = lost;
                }
            }
        }
        best.map(|b| b.2)
    }

    fn is_the_same(&self, a: &Raster, b: &Raster) -> bool {
        let Area {
            x,
            y,
            width,
            height,
        } = self.thing;
        let (left, right) = (x as usize, ((x + width) as usize).min(self.planes.width));
        (y as usize..((y + height) as usize).min(self.planes.height)).all(|row| {
            let bytes = (row * self.planes.width + left) * 3..(row * self.planes.width + right) * 3;
            let (a, b) = (&a.rgb()[bytes.clone()], &b.rgb()[bytes]);
            a == b
                || a.chunks_exact(3)
                    .zip(b.chunks_exact(3))
                    .all(|(a, b)| difference(a, b) <= self.planes.calm.floor)
        })
    }
}

/// The colour right around a thing, if there is one.
fn ground(planes: &Planes<'_>, thing: Area) -> Option<[u8; 3]> {
    let around = thing.grown(TILE as u32);
    let (right, bottom) = (around.x + around.width, around.y + around.height);
    let within = |px: u32, py: u32| {
        (thing.x..thing.x + thing.width).contains(&px)
            && (thing.y..thing.y + thing.height).contains(&py)
    };
    let mut counts = HashMap::<[u8; 3], usize>::new();
    for py in around.y..bottom.min(planes.height as u32) {
        for px in around.x..right.min(planes.width as u32) {
            if !within(px, py) {
                let colour = planes.before.at(px.into(), py.into());
                *counts.entry(colour).or_default() += 1;
            }
        }
    }
    let all: usize = counts.values().sum();
    counts
        .into_iter()
        .max_by_key(|(colour, n)| (*n, *colour))
        .filter(|(_, n)| n * 2 > all)
        .map(|(colour, _)| colour)
}
