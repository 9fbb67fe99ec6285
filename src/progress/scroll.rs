//! A page that was scrolled shows the same things elsewhere.
//!
//! Comes in: the picture before the action and one after it. Goes out: by how much the page was scrolled between them,
//! and the part of it that both show. Must never know: what the page is.

use super::Area;
use crate::model::Raster;
use std::collections::HashMap;

/// The window is looked at in so many strips: what moves by itself spoils some of them only.
const STRIPS: u32 = 8;
/// Of these, every so many tells enough.
const EVERY: usize = 2;
/// Share of the lines that are found again that must have moved alike.
const ALIKE: f64 = 0.6;
/// So many lines at least must be found again, over all strips.
const LINES: usize = 40;
/// So many lines are looked for together.
const TOGETHER: usize = 8;
/// Share of the rows that differ where a page was scrolled.
const DIFFERENT: f64 = 0.25;
/// What both pictures show is at least so many pixels wide and high.
const OVERLAP: u32 = 64;

/// How far what the window shows moved, in pixels to the right and down, and what stays at the upper and lower edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scrolled {
    dx: i64,
    dy: i64,
    /// Rows at the top that stay where they are.
    top: u32,
    /// Rows at the bottom that do.
    bottom: u32,
}

impl Scrolled {
    /// The part of the page that both pictures show: where it is before, where after.
    pub fn overlap(&self, width: u32, height: u32) -> Option<(Area, Area)> {
        let inner = height.checked_sub(self.top + self.bottom)?;
        let along = |by: i64, len: u32| {
            let most = i64::from(len) - by.abs();
            let at = |v: i64| u32::try_from(v.max(0)).ok();
            Some((at(-by)?, at(by)?, u32::try_from(most).ok()?))
        };
        let (x, x_after, w) = along(self.dx, width)?;
        let (y, y_after, h) = along(self.dy, inner)?;
        if w < OVERLAP || h < OVERLAP {
            return None;
        }
        let part = |x: u32, y: u32| Area {
            x,
            y: y + self.top,
            width: w,
            height: h,
        };
        Some((part(x, y), part(x_after, y_after)))
    }

    /// In words.
    pub fn told(&self) -> String {
        format!(
            "the page was scrolled by {}, {} pixels; compared is what both pictures show of it",
            -self.dx, -self.dy
        )
    }
}

/// Was the page scrolled between the two pictures?
pub(super) fn scrolled(before: &Raster, after: &Raster) -> Option<Scrolled> {
    let (width, height) = (before.width(), before.height());
    let bytes = (width * 3) as usize;
    let pairs = before.rgb().chunks(bytes).zip(after.rgb().chunks(bytes));
    if (pairs.filter(|(a, b)| a != b).count() as f64) < f64::from(height) * DIFFERENT {
        return None;
    }
    let rows = |r: &Raster, strip: u32, at: u32| {
        let (from, to) = (width * strip / STRIPS, width * (strip + 1) / STRIPS);
        let bytes = ((at * width + from) * 3) as usize..((at * width + to) * 3) as usize;
        line(r.rgb()[bytes].chunks_exact(3))
    };
    if let Some(dy) = moved(
        height,
        |strip, at| rows(before, strip, at),
        |strip, at| rows(after, strip, at),
    ) {
        let same = |y: &u32| {
            let row = *y as usize * bytes..(*y as usize + 1) * bytes;
            before.rgb()[row.clone()] == after.rgb()[row]
        };
        return Some(Scrolled {
            dx: 0,
            dy,
            top: (0..height).take_while(same).count() as u32,
            bottom: (0..height).rev().take_while(same).count() as u32,
        });
    }
    let columns = |r: &Raster, strip: u32, at: u32| {
        let (from, to) = (height * strip / STRIPS, height * (strip + 1) / STRIPS);
        let first = ((from * width + at) * 3) as usize;
        let step = (width * 3) as usize;
        line((0..(to - from) as usize).map(|y| &r.rgb()[first + y * step..first + y * step + 3]))
    };
    let dx = moved(
        width,
        |strip, at| columns(before, strip, at),
        |strip, at| columns(after, strip, at),
    )?;
    Some(Scrolled {
        dx,
        dy: 0,
        top: 0,
        bottom: 0,
    })
}

/// What a line of pixels shows, as a number; `None` where it is all one colour.
fn line<'a>(pixels: impl Iterator<Item = &'a [u8]>) -> Option<u64> {
    let (mut hash, mut first, mut plain) = (0xcbf2_9ce4_8422_2325_u64, None, true);
    for p in pixels {
        plain &= *first.get_or_insert(p) == p;
        let value = u64::from(p[0]) << 16 | u64::from(p[1]) << 8 | u64::from(p[2]);
        hash = (hash ^ value).wrapping_mul(0x0100_0000_01b3).rotate_left(5);
    }
    (!plain).then_some(hash)
}

/// By how many lines what stands out moved, if nearly all of it moved alike and none of it is no answer.
fn moved(
    length: u32,
    before: impl Fn(u32, u32) -> Option<u64>,
    after: impl Fn(u32, u32) -> Option<u64>,
) -> Option<i64> {
    let mut votes = HashMap::<i64, usize>::new();
    for strip in (0..STRIPS).step_by(EVERY) {
        // Lines of one glyph are alike, and of one word in another: several together are not.
        let once = |of: &dyn Fn(u32, u32) -> Option<u64>| {
            let lines: Vec<Option<u64>> = (0..length).map(|at| of(strip, at)).collect();
            let mut seen = HashMap::<u64, Option<u32>>::new();
            for (at, together) in lines.windows(TOGETHER).enumerate() {
                if together.iter().filter(|l| l.is_some()).count() * 2 < TOGETHER {
                    continue;
                }
                let hash = together.iter().fold(0_u64, |hash, line| {
                    (hash.rotate_left(7) ^ line.unwrap_or(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                });
                seen.entry(hash)
                    .and_modify(|e| *e = None)
                    .or_insert(Some(at as u32));
            }
            seen
        };
        let known = once(&before);
        for (hash, at) in once(&after) {
            if let (Some(at), Some(Some(from))) = (at, known.get(&hash)) {
                *votes.entry(i64::from(at) - i64::from(*from)).or_default() += 1;
            }
        }
    }
    let all: usize = votes.values().sum();
    let (by, n) = votes.into_iter().max_by_key(|(by, n)| (*n, *by))?;
    (by != 0 && n >= LINES && n as f64 >= all as f64 * ALIKE).then_some(by)
}
