//! What was on its way before the action, and whether it is still on it.
//!
//! Comes in: flags, the calm pictures and those after the action, and a place where they differ. Goes out: whether
//! what is there now is what was there, further along; whether it was pushed aside; whether it is a fade that had begun
//! before. Must never know: what it is that moves.

use super::Area;
use super::follow::{Mover, rests};
use super::planes::{COLOURS, IDLE, LASTING, NOVEL_FIRST, NOVEL_LAST, Planes, TILE, colour};
use super::regions::Patch;
use crate::model::Raster;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Share of the pixels that must go on in the direction in which they were changing.
const FADING: f64 = 0.85;
/// Cosine of the angle between the two ways in the space of colours: a fade goes straight on, and what is drawn instead
/// lies somewhere else even where it is darker as well.
const SAME_WAY: f64 = 0.9;
/// A fade that was under way had gone at least so far between two pictures, over all three channels.
const FADED: i32 = 3;
/// Share of the pixels whose colours must be those of what moves in the same rows.
const IN_THE_STREAM: f64 = 0.95;

/// Share of what is novel that must be the thing that moves.
const COVERED: f64 = 0.9;

/// Is what moved in `area` while nothing was done further along its way since, and nothing else there? All of the area
/// moves, so its inside counts too: edges alone are drawn otherwise at every half pixel.
pub(super) fn is_further_on(planes: &Planes<'_>, area: Area) -> bool {
    Mover::new(planes, area, true).is_some_and(|mover| {
        let after = &planes.after[0];
        mover
            .along(after)
            .is_some_and(|by| mover.is_all_there_is(after, by))
    })
}

/// Did a `thing` that moved, and rested between its steps, leave its row or column since?
pub(super) fn is_pushed_aside(planes: &Planes<'_>, thing: Area) -> bool {
    // What moves all the time may turn by itself.
    rests(planes, thing)
        && Mover::new(planes, thing, false)
            .filter(Mover::steps)
            .is_some_and(|m| m.along(&planes.after[0]).is_none() && m.is_near(&planes.after[0]))
}

/// Where the things that move got to: each is looked for once, however many patches may be one of them.
pub(super) struct Courses<'a> {
    planes: &'a Planes<'a>,
    known: RefCell<HashMap<Area, Option<Rc<Course<'a>>>>>,
}

/// A thing that is on its way in the pictures after the action, too.
struct Course<'a> {
    mover: Mover<'a>,
    /// How far it got in the first and the last of them.
    by: [(i32, i32); 2],
    /// Is nothing else there that stands out?
    alone: bool,
}

impl<'a> Courses<'a> {
    pub fn new(planes: &'a Planes<'a>) -> Self {
        Self {
            planes,
            known: RefCell::default(),
        }
    }

    fn of(&self, thing: Area) -> Option<Rc<Course<'a>>> {
        let known = self.known.borrow().get(&thing).cloned();
        known.unwrap_or_else(|| {
            let course = Course::new(self.planes, thing).map(Rc::new);
            self.known.borrow_mut().insert(thing, course.clone());
            course
        })
    }

    /// Is what is novel in a patch nothing but one of the `things` that move, further along its way in all pictures?
    pub fn is_moved_on(&self, patch: &Patch, things: &[Area]) -> bool {
        let one = |thing: &Area| {
            self.of(*thing).is_some_and(|course| {
                let flags = [NOVEL_FIRST, NOVEL_LAST].into_iter().zip(course.by);
                course.alone
                    && flags
                        .into_iter()
                        .all(|(f, by)| course.covers(self.planes, patch, f, by))
            })
        };
        things.iter().any(one)
    }
}

impl<'a> Course<'a> {
    fn new(planes: &'a Planes<'a>, thing: Area) -> Option<Self> {
        let mover = Mover::new(planes, thing, false)?;
        let pictures = [&planes.after[0], planes.last()];
        let by = [mover.along(pictures[0])?, mover.along(pictures[1])?];
        let alone = (0..2).all(|i| mover.is_all_there_is(pictures[i], by[i]));
        Some(Self { mover, by, alone })
    }

    fn covers(&self, planes: &Planes<'_>, patch: &Patch, flag: u8, by: (i32, i32)) -> bool {
        let (mut all, mut own) = (0usize, 0usize);
        for (x, y) in pixels(planes, patch, flag) {
            all += 1;
            own += usize::from(self.mover.is_at(by, x as i32, y as i32));
        }
        own as f64 >= all as f64 * COVERED
    }
}

/// Was all of it changing already, in the direction in which it went on? Then it is a fade, or a slow drift of colours,
/// that the action did not begin. Goes out: the tiles in which something else happened, if it is one.
pub(super) fn beside_a_fade(planes: &Planes<'_>, patch: &Patch) -> Option<Vec<(usize, usize)>> {
    let [first, .., latest] = planes.calm.pictures[..] else {
        return None;
    };
    let went_on = |(x, y): (usize, usize)| {
        let at = |r: &Raster| r.at(x as i64, y as i64).map(i32::from);
        let came_first = planes.at(x, y) & NOVEL_FIRST != 0;
        let after = if came_first {
            &planes.after[0]
        } else {
            planes.last()
        };
        let (a, b, c) = (at(first), at(latest), at(after));
        let step: [i32; 3] = std::array::from_fn(|i| b[i] - a[i]);
        let rest: [i32; 3] = std::array::from_fn(|i| c[i] - b[i]);
        let product =
            |v: &[i32; 3], w: &[i32; 3]| -> i32 { v.iter().zip(w).map(|(a, b)| a * b).sum() };
        let both = product(&step, &rest);
        let lengths = f64::from(product(&step, &step)) * f64::from(product(&rest, &rest));
        let alike = both > 0 && f64::from(both) >= SAME_WAY * lengths.sqrt();
        alike && step.iter().map(|s| s.abs()).sum::<i32>() >= FADED
    };
    let (mut all, mut going) = (0usize, 0usize);
    let mut beside = Vec::new();
    for (n, tile) in patch.tiles.iter().enumerate() {
        let (mut here, mut on) = (0usize, 0usize);
        for pixel in planes.marked(*tile, NOVEL_FIRST | NOVEL_LAST) {
            here += 1;
            on += usize::from(went_on(pixel));
        }
        all += here;
        going += on;
        if here >= TILE && on * 2 < here {
            beside.push(*tile);
        }
        // Most of what differs began with the action: no need to look at the rest.
        if n % 64 == 63 && (going as f64) < all as f64 * FADING / 2.0 {
            return None;
        }
    }
    (all > 0 && going as f64 >= all as f64 * FADING).then_some(beside)
}

/// Do the colours that came, and those that went, belong to what streams by in the same rows or columns?
pub(super) fn is_in_the_stream(planes: &Planes<'_>, patch: &Patch, area: Area) -> bool {
    let (width, height) = (planes.width as u32, planes.height as u32);
    let row = Area {
        x: 0,
        width,
        ..area
    };
    let column = Area {
        y: 0,
        height,
        ..area
    };
    [row, column].into_iter().any(|band| {
        let mut stream = vec![0usize; COLOURS];
        for y in band.y as usize..((band.y + band.height) as usize).min(planes.height) {
            for x in band.x as usize..((band.x + band.width) as usize).min(planes.width) {
                if planes.at(x, y) & IDLE != 0 {
                    for picture in &planes.calm.pictures {
                        stream[colour(&picture.at(x as i64, y as i64))] += 1;
                    }
                }
            }
        }
        [planes.before, planes.last()].into_iter().all(|picture| {
            let mut came = vec![0usize; stream.len()];
            for (x, y) in pixels(planes, patch, LASTING) {
                came[colour(&picture.at(x as i64, y as i64))] += 1;
            }
            let all: usize = came.iter().sum();
            // As much of each colour streams by as came of it.
            let own: usize = came
                .iter()
                .zip(&stream)
                .filter(|(c, s)| s >= c)
                .map(|(c, _)| c)
                .sum();
            all > 0 && own as f64 >= all as f64 * IN_THE_STREAM
        })
    })
}

/// The pixels of a patch with any of `mask`.
fn pixels<'a>(
    planes: &'a Planes<'_>,
    patch: &'a Patch,
    mask: u8,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    patch
        .tiles
        .iter()
        .flat_map(move |tile| planes.marked(*tile, mask))
}
