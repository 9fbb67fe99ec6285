//! The idle pictures.
//!
//! Comes in: the pictures from before the action. Goes out: those that count, in order, and how large a difference
//! is more than shiver. Must never know: what came after the action.

use super::planes::{TILE, differ, difference};
use crate::model::Raster;

/// A difference up to this is never taken for a change: rounding in the browser's own drawing.
const LEAST_FLOOR: u8 = 6;
/// A shiver is never taken to be greater than this.
const GREATEST_FLOOR: u8 = 48;
/// Share of the picture that must differ slightly for it to be a shiver of the whole picture.
const SHIVER_SHARE: f64 = 0.1;
/// A shiver's usual difference is at most this; what differs by more moves.
const SHIVER_MEDIAN: usize = 12;
/// Share of the picture in which a page that is still being built differs from the finished one.
const BUILDING_SHARE: f64 = 0.25;

/// What the picture looks like while nothing is done.
pub(super) struct Calm<'a> {
    /// The pictures that count, in order; the last is the one right before the action.
    pub pictures: Vec<&'a Raster>,
    /// A difference is one above this, in any channel.
    pub floor: u8,
}

impl<'a> Calm<'a> {
    /// From the idle pictures and the last one before the action. `after` serves to measure shiver where there is
    /// no idle picture.
    pub fn new(idle: &'a [Raster], before: &'a Raster, after: &Raster) -> Self {
        let mut pictures: Vec<&Raster> = idle.iter().collect();
        if pictures.last().is_none_or(|last| *last != before) {
            pictures.push(before);
        }
        let floor = if pictures.len() > 1 {
            pictures
                .windows(2)
                .map(|pair| shiver(pair[0], pair[1]))
                .max()
                .unwrap_or(LEAST_FLOOR)
        } else {
            shiver(before, after)
        };
        // A page that was still being built at first says nothing about what moves.
        while pictures.len() > 2 {
            let first = changed_share(pictures[0], pictures[1], floor);
            let later = pictures[1..]
                .windows(2)
                .map(|pair| changed_share(pair[0], pair[1], floor))
                .fold(0.0, f64::max);
            if first < BUILDING_SHARE || later > first / 4.0 {
                break;
            }
            pictures.remove(0);
        }
        Self { pictures, floor }
    }
}

/// The difference below which everything lies when the whole picture shivers (lossy compression, dithering).
fn shiver(a: &Raster, b: &Raster) -> u8 {
    let mut histogram = [0usize; 256];
    let mut total = 0;
    for_each_pixel_that_may_differ(a, b, |d| {
        histogram[usize::from(d)] += 1;
        total += usize::from(d > 0);
    });
    let pixels = a.rgb().len() / 3;
    if (total as f64) < pixels as f64 * SHIVER_SHARE {
        return LEAST_FLOOR;
    }
    let mut seen = 0;
    let median = (1..256)
        .find(|&d| {
            seen += histogram[d];
            seen * 2 >= total
        })
        .unwrap_or(0);
    if median > SHIVER_MEDIAN {
        return LEAST_FLOOR;
    }
    ((median * 4) as u8).clamp(LEAST_FLOOR, GREATEST_FLOOR)
}

/// Share of the pixels that differ by more than the floor.
fn changed_share(a: &Raster, b: &Raster, floor: u8) -> f64 {
    let mut changed = 0usize;
    for_each_pixel_that_may_differ(a, b, |d| changed += usize::from(d > floor));
    changed as f64 / (a.rgb().len() / 3).max(1) as f64
}

/// Calls `see` with the difference of each pixel in those stretches of rows that are not equal byte by byte.
fn for_each_pixel_that_may_differ(a: &Raster, b: &Raster, mut see: impl FnMut(u8)) {
    let stretch = TILE * 3 * 8;
    for (a, b) in a.rgb().chunks(stretch).zip(b.rgb().chunks(stretch)) {
        if differ(a, b) {
            for (a, b) in a.chunks_exact(3).zip(b.chunks_exact(3)) {
                see(difference(a, b));
            }
        }
    }
}
