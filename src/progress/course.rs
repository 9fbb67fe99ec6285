//! What was on its way before the action, and whether it is still on it.
//!
//! Comes in: flags, the calm pictures and those after the action, and a place where they differ. Goes out: whether
//! what is there now is what was there, further along; whether it was pushed aside; whether it is a fade that had begun
//! before. Must never know: what it is that moves.

use super::Area;
use super::planes::{BEGUN, IDLE, LASTING, Planes, TILE, difference};
use super::regions::{Patch, extent};
use crate::model::Raster;

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
/// Share of the pixels that must go on in the direction in which they were changing.
const FADING: f64 = 0.9;
/// A fade that was under way had gone at least so far between two pictures, over all three channels.
const FADED: i32 = 3;
/// Share of the pixels whose colours must be those of what moves in the same rows.
const IN_THE_STREAM: f64 = 0.95;
/// What moves in those rows is at least so many times as much as what came.
const STREAM: usize = 2;

/// Where a thing that moved before the action went since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// Further along its line.
    On,
    /// Off its line.
    Aside,
}

/// All pixels, whatever their flags.
const ANY: u8 = 0;

/// What moved in `area` while nothing was done along a row or a column: where did it go since? Where `all` of the area
/// moves, its inside counts too: edges alone are drawn otherwise at every half pixel.
pub(super) fn course(planes: &Planes<'_>, area: Area, all: bool) -> Option<Course> {
    let (thing, _) = extent(planes, area, IDLE)?;
    let calm = &planes.calm.pictures;
    let first = calm.first()?;
    let finder = Finder {
        planes,
        thing,
        enough: if all { INSIDE_FOUND_AGAIN } else { FOUND_AGAIN },
    };
    let marked = |mask| if all { ANY } else { mask };
    let was = finder.shapes(first, marked(IDLE));
    let own = finder.found(&was, first, planes.before)?;
    let sits = finder.shapes(planes.before, marked(IDLE | BEGUN));
    let since = finder.found(&sits, planes.before, &planes.after[0])?;
    let (off, size) = match own {
        (x, y) if x.abs() >= 2 && y.abs() <= 1 => (since.1, spread(&sits, |p| p.1)),
        (x, y) if y.abs() >= 2 && x.abs() <= 1 => (since.0, spread(&sits, |p| p.0)),
        _ => return None,
    };
    let most = ((f64::from(size) * ASIDE) as i32).max(STRAIGHT);
    Some(if off.abs() <= most {
        Course::On
    } else {
        Course::Aside
    })
}

/// Does what moves in `area` rest between its steps? What moves all the time may turn by itself.
pub(super) fn rests(planes: &Planes<'_>, area: Area) -> bool {
    let Area { x, y, width, height } = area;
    let (left, right) = (x as usize, ((x + width) as usize).min(planes.width));
    planes.calm.pictures.windows(2).any(|pair| {
        (y as usize..((y + height) as usize).min(planes.height)).all(|row| {
            let bytes = (row * planes.width + left) * 3..(row * planes.width + right) * 3;
            let (a, b) = (&pair[0].rgb()[bytes.clone()], &pair[1].rgb()[bytes]);
            a == b
                || a.chunks_exact(3)
                    .zip(b.chunks_exact(3))
                    .all(|(a, b)| difference(a, b) <= planes.calm.floor)
        })
    })
}

fn spread(points: &[(i32, i32)], of: impl Fn(&(i32, i32)) -> i32) -> i32 {
    let ends = points.iter().map(&of).min().zip(points.iter().map(&of).max());
    ends.map_or(0, |(least, most)| most - least + 1)
}

struct Finder<'a> {
    planes: &'a Planes<'a>,
    thing: Area,
    /// Share of the samples that must be found again.
    enough: f64,
}

impl Finder<'_> {
    /// Pixels of what stands out from the ground, of those that carry any of `mask`; scattered, not row by row.
    fn shapes(&self, picture: &Raster, mask: u8) -> Vec<(i32, i32)> {
        let ground = self.ground(picture);
        let Area { x, y, width, height } = self.thing;
        let mut found: Vec<(i32, i32)> = Vec::new();
        for py in y as usize..((y + height) as usize).min(self.planes.height) {
            for px in x as usize..((x + width) as usize).min(self.planes.width) {
                let here = picture.at(px as i64, py as i64);
                let marked = mask == ANY || self.planes.at(px, py) & mask != 0;
                if marked && difference(&here, &ground) > STANDS_OUT {
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
        let stride = (1..n).rev().find(|s| n.is_multiple_of(*s)).map_or(1, |s| s + 1);
        (0..n).map(|i| found[i * stride % n]).collect()
    }

    /// The colour that is most common right around the thing.
    fn ground(&self, picture: &Raster) -> [u8; 3] {
        let around = self.thing.grown(TILE as u32);
        let (right, bottom) = (around.x + around.width, around.y + around.height);
        let within = |px: u32, py: u32| {
            (self.thing.x..self.thing.x + self.thing.width).contains(&px)
                && (self.thing.y..self.thing.y + self.thing.height).contains(&py)
        };
        let mut counts = std::collections::HashMap::<[u8; 3], usize>::new();
        for py in around.y..bottom.min(self.planes.height as u32) {
            for px in around.x..right.min(self.planes.width as u32) {
                if !within(px, py) {
                    *counts
                        .entry(picture.at(px.into(), py.into()))
                        .or_default() += 1;
                }
            }
        }
        counts
            .into_iter()
            .max_by_key(|(colour, n)| (*n, *colour))
            .map_or([0; 3], |(colour, _)| colour)
    }

    /// How far all of it is from where it was, in pixels; the nearest of the best places.
    fn found(&self, shape: &[(i32, i32)], from: &Raster, to: &Raster) -> Option<(i32, i32)> {
        if shape.len() < LEAST_SAMPLES {
            return None;
        }
        let floor = self.planes.calm.floor;
        let reach = (self.thing.width.max(self.thing.height) as i32 * 2).clamp(32, FARTHEST);
        let lost = |(dx, dy): (i32, i32), most: usize| {
            let mut lost = 0;
            for &(x, y) in shape {
                let a = from.at(x.into(), y.into());
                let b = to.at((x + dx).into(), (y + dy).into());
                lost += usize::from(difference(&a, &b) > floor);
                if lost > most {
                    break;
                }
            }
            lost
        };
        let mut most = (shape.len() as f64 * (1.0 - self.enough)) as usize;
        let mut best: Option<(usize, i32, (i32, i32))> = None;
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                let far = dx.abs() + dy.abs();
                let lost = lost((dx, dy), most);
                if lost <= most && best.is_none_or(|b| (lost, far) < (b.0, b.1)) {
                    best = Some((lost, far, (dx, dy)));
                    most = lost;
                }
            }
        }
        best.map(|b| b.2)
    }
}

/// Was all of it changing already, in the direction in which it went on? Then it is a fade that the action did not begin.
pub(super) fn was_fading(planes: &Planes<'_>, patch: &Patch) -> bool {
    let [.., earlier, latest] = planes.calm.pictures[..] else {
        return false;
    };
    let (mut all, mut going) = (0usize, 0usize);
    for (x, y) in pixels(planes, patch, LASTING) {
        let at = |r: &Raster| r.at(x as i64, y as i64).map(i32::from);
        let (a, b, c) = (at(earlier), at(latest), at(planes.last()));
        let step: [i32; 3] = std::array::from_fn(|i| b[i] - a[i]);
        let rest: [i32; 3] = std::array::from_fn(|i| c[i] - b[i]);
        let on = step.iter().zip(rest).all(|(s, r)| s * r >= 0);
        all += 1;
        going += usize::from(on && step.iter().map(|s| s.abs()).sum::<i32>() >= FADED);
    }
    all > 0 && going as f64 >= all as f64 * FADING
}

/// Do the colours that came, and those that went, belong to what streams by in the same rows or columns?
pub(super) fn is_in_the_stream(planes: &Planes<'_>, patch: &Patch, area: Area) -> bool {
    let (width, height) = (planes.width as u32, planes.height as u32);
    let row = Area { x: 0, width, ..area };
    let column = Area { y: 0, height, ..area };
    [row, column].into_iter().any(|band| {
        let mut known = vec![false; 16 * 16 * 16];
        let mut moving = 0usize;
        for y in band.y as usize..((band.y + band.height) as usize).min(planes.height) {
            for x in band.x as usize..((band.x + band.width) as usize).min(planes.width) {
                if planes.at(x, y) & IDLE != 0 {
                    moving += 1;
                    for picture in &planes.calm.pictures {
                        known[index(picture.at(x as i64, y as i64))] = true;
                    }
                }
            }
        }
        if moving < patch.lasting * STREAM {
            return false;
        }
        let (mut all, mut own) = (0usize, 0usize);
        for (x, y) in pixels(planes, patch, LASTING) {
            let has = |r: &Raster| known[index(r.at(x as i64, y as i64))];
            all += 1;
            own += usize::from(has(planes.before) && has(planes.last()));
        }
        own as f64 >= all as f64 * IN_THE_STREAM
    })
}

fn index(colour: [u8; 3]) -> usize {
    let [r, g, b] = colour.map(|v| usize::from(v >> 4));
    (r << 8) | (g << 4) | b
}

/// The pixels of a patch with any of `mask`.
fn pixels<'a>(
    planes: &'a Planes<'_>,
    patch: &'a Patch,
    mask: u8,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    patch.tiles.iter().flat_map(move |&(column, row)| {
        let (right, bottom) = ((column + 1) * TILE, (row + 1) * TILE);
        (row * TILE..bottom.min(planes.height)).flat_map(move |y| {
            (column * TILE..right.min(planes.width))
                .map(move |x| (x, y))
                .filter(move |(x, y)| planes.at(*x, *y) & mask != 0)
        })
    })
}
