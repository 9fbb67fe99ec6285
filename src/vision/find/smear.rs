//! A thing that goes down and stays drawn wherever it was.
//!
//! Comes in: looks at one region, with no input between. Goes out: where such a thing was drawn, and where it was drawn
//! last. Must never know: why it stays.
//!
//! What falls row by row and is never wiped away adds, with each step, what its lower edge newly covers: the same columns
//! each time, a row farther down each time, and nothing of what was added before changes any more.

use super::changes::{CHANGED, Changes, Region};
use super::{Hint, Look};
use crate::model::Rect;

/// Steps in a row, each as long as the others: of a bar that is wiped away behind it, as high as four steps, two of the rows
/// that it came into are blank again by then.
const STEPS: usize = 5;
/// Pixels by which edges, and lengths of steps, may differ.
const EXACT: usize = 2;
/// Share of what was added that must still be there at the end.
const STAYS: f64 = 0.95;
/// Pixels: what goes down by less at a time is an edge that moves.
const LEAST_STEP: usize = 4;

/// Something that goes down and stays drawn wherever it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smear {
    /// All that was drawn of it, in pixels of the pictures.
    pub area: Rect,
    /// What the last step added.
    pub last: Rect,
    /// Pixels a step.
    pub step: f64,
    /// How many were seen.
    pub steps: usize,
}

/// What one change added in a region.
#[derive(Debug, Clone, Copy)]
struct Added {
    /// The look before it.
    after: usize,
    /// Index of the change.
    change: usize,
    x: (usize, usize),
    y: (usize, usize),
}

/// The thing that stays drawn wherever it was, if there is one.
pub fn smear(looks: &[Look<'_>], hints: &[Hint]) -> Option<Smear> {
    // Each start is asked about, and most were watched for a step or two.
    if looks.len() < STEPS + 2 {
        return None;
    }
    let changes = Changes::of(looks, CHANGED);
    let regions = changes.regions(hints);
    let found = regions.iter().filter_map(|region| {
        let all = added(&changes, region);
        let run = longest(&all);
        stays(looks, &changes, region, run).then(|| of(run))
    });
    found.max_by_key(|s| s.steps)
}

fn added(changes: &Changes, region: &Region) -> Vec<Added> {
    let mut all = Vec::new();
    for (change, c) in changes.list.iter().enumerate() {
        let mut x = (usize::MAX, 0);
        let mut y = (usize::MAX, 0);
        for py in region.y0..region.y1 {
            for px in region.x0..region.x1 {
                if c.bits.get(px, py) && region.holds(px, py) {
                    x = (x.0.min(px), x.1.max(px + 1));
                    y = (y.0.min(py), y.1.max(py + 1));
                }
            }
        }
        if x.0 < x.1 {
            let after = c.after;
            all.push(Added {
                after,
                change,
                x,
                y,
            });
        }
    }
    all
}

/// The longest run of changes that go down by equal steps in the same columns.
fn longest(all: &[Added]) -> &[Added] {
    let near = |a: usize, b: usize| a.abs_diff(b) <= EXACT;
    let step = |a: &Added, b: &Added| b.y.1.saturating_sub(a.y.1);
    let mut best: &[Added] = &[];
    let mut from = 0;
    for i in 1..all.len() {
        let (a, b) = (&all[i - 1], &all[i]);
        let first = &all[from];
        let like = near(b.x.0, first.x.0) && near(b.x.1, first.x.1) && step(a, b) >= LEAST_STEP;
        let evenly = i == from + 1 || near(step(a, b), step(first, &all[from + 1]));
        if !(like && evenly) {
            from = if like { i - 1 } else { i };
        }
        if i + 1 - from > best.len() {
            best = &all[from..=i];
        }
    }
    best
}

/// Is what a run of changes added still there at its end?
fn stays(looks: &[Look<'_>], changes: &Changes, region: &Region, run: &[Added]) -> bool {
    let (true, Some(last)) = (run.len() > STEPS, run.last()) else {
        return false;
    };
    let end = looks[last.after + 1].raster.rgb();
    let (mut all, mut same) = (0usize, 0usize);
    for a in run {
        let then = looks[a.after + 1].raster.rgb();
        let bits = &changes.list[a.change].bits;
        for y in a.y.0..a.y.1 {
            for x in a.x.0..a.x.1 {
                if bits.get(x, y) && region.holds(x, y) {
                    let i = (y * changes.width + x) * 3;
                    all += 1;
                    same += usize::from(then[i..i + 3] == end[i..i + 3]);
                }
            }
        }
    }
    same as f64 >= all as f64 * STAYS
}

fn of(run: &[Added]) -> Smear {
    let rect = |x: (usize, usize), y: (usize, usize)| {
        let size = ((x.1 - x.0) as f64, (y.1 - y.0) as f64);
        Rect::new(x.0 as f64, y.0 as f64, size.0, size.1)
    };
    let (first, last) = (run[0], run[run.len() - 1]);
    let steps = run.len() - 1;
    Smear {
        area: rect(last.x, (first.y.0, last.y.1)),
        last: rect(last.x, last.y),
        step: (last.y.1 - first.y.1) as f64 / steps as f64,
        steps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Raster;

    /// Pictures of a thing two cells wide and so many high that goes down a cell at a time.
    fn smeared(wiped: bool, high: usize, steps: usize) -> Option<Smear> {
        let cell = 10;
        let picture = |k: usize| {
            let (w, h) = (100, 200);
            let mut rgb = vec![20u8; w * h * 3];
            for row in if wiped { k..k + high } else { 0..k + high } {
                for y in row * cell..(row + 1) * cell {
                    for x in 40..60 {
                        let i = (y * w + x) * 3;
                        rgb[i..i + 3].copy_from_slice(&[200, 160, 40]);
                    }
                }
            }
            Raster::from_rgb(w as u32, h as u32, rgb)
        };
        let mut all: Vec<Raster> = vec![Raster::filled(100, 200, [20; 3])];
        all.extend((0..=steps).map(|k| picture(k).unwrap_or_else(|| unreachable!())));
        let looks: Vec<Look<'_>> = all
            .iter()
            .enumerate()
            .map(|(i, raster)| Look {
                game_ms: i as f64 * 500.0,
                raster,
            })
            .collect();
        smear(&looks, &[])
    }

    #[test]
    fn what_falls_and_stays_drawn_is_told_from_what_falls() {
        let found = smeared(false, 2, 5).unwrap_or_else(|| unreachable!());
        assert_eq!((found.steps, found.step), (5, 10.0));
        assert_eq!(found.last, Rect::new(40.0, 60.0, 20.0, 10.0));
        for steps in 5..12 {
            assert_eq!(smeared(true, 2, steps), None);
            assert_eq!(smeared(true, 4, steps), None, "a bar");
        }
        assert_eq!(smeared(false, 2, 4), None, "too few steps tell nothing");
    }
}
