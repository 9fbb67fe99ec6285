//! Carets, rings, and things drawn in another style that are the same things.
//!
//! Comes in: the picture before and the last one after, and a box in which they differ. Goes out: what kind of
//! difference it is. Must never know: what was done.

use super::Area;
use super::planes::{Planes, difference};
use crate::model::Raster;

/// A step in brightness from which on it is an edge.
const EDGE: i32 = 20;
/// So many edges are needed to speak of a structure.
const STRUCTURE: usize = 16;
/// Share of the edges that must stay where they are for it to be the same thing.
const KEPT: f64 = 0.8;
/// Share of a ring's sides that must have changed.
const CLOSED: f64 = 0.6;

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Style {
    /// A thin upright bar of one colour.
    Caret,
    /// A frame; what it frames is the same.
    Ring,
    /// What is drawn is the same, in other colours.
    Restyled,
    /// A plain place of one colour became a plain place of another; how different the colours are.
    Recoloured(u8),
    /// Something else is drawn.
    Redrawn,
}

/// Tells what kind of difference there is in a box.
pub(super) fn style(planes: &Planes<'_>, area: Area) -> Style {
    let view = View::new(planes, area);
    if view.is_caret() {
        return Style::Caret;
    }
    if view.is_ring() {
        return Style::Ring;
    }
    view.edges()
}

struct View<'a> {
    a: &'a Raster,
    b: &'a Raster,
    area: Area,
    floor: u8,
}

impl<'a> View<'a> {
    fn new(planes: &Planes<'a>, area: Area) -> Self {
        Self {
            a: planes.before,
            b: planes.last(),
            area,
            floor: planes.calm.floor,
        }
    }

    /// Calls `see` with each pixel's place in the box and whether it changed.
    fn changed(&self, x: u32, y: u32) -> bool {
        let (x, y) = (i64::from(self.area.x + x), i64::from(self.area.y + y));
        difference(&self.a.at(x, y), &self.b.at(x, y)) > self.floor
    }

    fn is_caret(&self) -> bool {
        let Area { width, height, .. } = self.area;
        if width > 3 || !(8..=64).contains(&height) || height < width * 5 {
            return false;
        }
        let plain = |r: &Raster| {
            let first = r.at(i64::from(self.area.x), i64::from(self.area.y));
            (0..height).all(|y| {
                (0..width).all(|x| {
                    let p = r.at(i64::from(self.area.x + x), i64::from(self.area.y + y));
                    difference(&first, &p) <= self.floor
                })
            })
        };
        plain(self.a) && plain(self.b)
    }

    fn is_ring(&self) -> bool {
        let Area { width, height, .. } = self.area;
        if width < 18 || height < 14 {
            return false;
        }
        let band = (width.min(height) / 3).min(12);
        let (mut all, mut inside) = (0usize, 0usize);
        let mut sides = [0usize; 4];
        for y in 0..height {
            for x in 0..width {
                if self.changed(x, y) {
                    all += 1;
                    let within = x >= band && y >= band && x < width - band && y < height - band;
                    inside += usize::from(within);
                }
            }
        }
        // A caret inside the field that got the focus does not count.
        if inside * 50 > all {
            return false;
        }
        for x in 0..width {
            sides[0] += usize::from((0..band).any(|y| self.changed(x, y)));
            sides[1] += usize::from((height - band..height).any(|y| self.changed(x, y)));
        }
        for y in 0..height {
            sides[2] += usize::from((0..band).any(|x| self.changed(x, y)));
            sides[3] += usize::from((width - band..width).any(|x| self.changed(x, y)));
        }
        let full = |n: usize, of: u32| n as f64 >= f64::from(of) * CLOSED;
        full(sides[0], width)
            && full(sides[1], width)
            && full(sides[2], height)
            && full(sides[3], height)
    }

    fn edges(&self) -> Style {
        let Area {
            x,
            y,
            width,
            height,
        } = self.area;
        // The border of what is highlighted may come and go; what is inside counts.
        let band = (width.min(height) / 4).min(6);
        let (mut a_edges, mut b_edges, mut both) = (0usize, 0usize, 0usize);
        let mut strongest = 0;
        for row in 0..height {
            for column in 0..width {
                let at = |r: &Raster, dx: i64, dy: i64| {
                    let [red, green, blue] =
                        r.at(i64::from(x + column) + dx, i64::from(y + row) + dy);
                    (i32::from(red) * 3 + i32::from(green) * 6 + i32::from(blue)) / 10
                };
                let here = (i64::from(x + column), i64::from(y + row));
                strongest = strongest.max(difference(
                    &self.a.at(here.0, here.1),
                    &self.b.at(here.0, here.1),
                ));
                let inner = column >= band
                    && row >= band
                    && column + band + 1 < width
                    && row + band + 1 < height;
                if !inner {
                    continue;
                }
                for (dx, dy) in [(1, 0), (0, 1)] {
                    let ea = (at(self.a, dx, dy) - at(self.a, 0, 0)).abs() >= EDGE;
                    let eb = (at(self.b, dx, dy) - at(self.b, 0, 0)).abs() >= EDGE;
                    a_edges += usize::from(ea);
                    b_edges += usize::from(eb);
                    both += usize::from(ea && eb);
                }
            }
        }
        let most = a_edges.max(b_edges);
        if most < STRUCTURE {
            // Without an inside that could be seen there is nothing that could be the same.
            return if width.min(height) < 8 || most > 4 {
                Style::Redrawn
            } else {
                Style::Recoloured(strongest)
            };
        }
        if both as f64 >= most as f64 * KEPT {
            Style::Restyled
        } else {
            Style::Redrawn
        }
    }
}
