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

/// A difference up to this is faint.
const FAINT: u8 = 24;
/// Lossy compression changes the colour of a bar by up to this.
const BLURRED: u8 = 32;
/// A button's plate is at least so wide and high.
const PLATE: (u32, u32) = (48, 20);
/// Share of a plate that changes its colour when it lights up.
const REPAINTED: f64 = 0.6;
/// Share of the edges that must be found again near by in both directions.
const DRAWN_ALIKE: f64 = 0.8;

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
    /// The same edges, sampled a little otherwise.
    Resampled,
    /// Something else is drawn.
    Redrawn,
}

/// Tells what kind of difference there is in a box.
pub(super) fn style(planes: &Planes<'_>, area: Area) -> Style {
    let view = View::new(planes, area);
    if view.is_resampled() {
        return Style::Resampled;
    }
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

    /// Is all that changed faint, and nowhere outside of what its nearest neighbours show? So it is where a browser paints
    /// an edge anew on another layer.
    fn is_resampled(&self) -> bool {
        let Area {
            x,
            y,
            width,
            height,
        } = self.area;
        (y..y + height).all(|py| {
            (x..x + width).all(|px| {
                let (px, py) = (i64::from(px), i64::from(py));
                let (a, b) = (self.a.at(px, py), self.b.at(px, py));
                let by = difference(&a, &b);
                by <= self.floor || (by <= FAINT && self.is_between_neighbours(px, py, b))
            })
        })
    }

    fn is_between_neighbours(&self, px: i64, py: i64, colour: [u8; 3]) -> bool {
        let (mut least, mut most) = ([u8::MAX; 3], [0; 3]);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            for (i, v) in self.a.at(px + dx, py + dy).into_iter().enumerate() {
                least[i] = v.min(least[i]);
                most[i] = v.max(most[i]);
            }
        }
        (0..3).all(|i| {
            colour[i].saturating_add(self.floor) >= least[i]
                && colour[i] <= most[i].saturating_add(self.floor)
        })
    }

    fn is_caret(&self) -> bool {
        let core = self.core();
        let Area { width, height, .. } = core;
        if width > 3 || !(8..=64).contains(&height) || height < width * 5 {
            return false;
        }
        // Lossy compression leaves no line of one colour.
        let floor = if core == self.area {
            self.floor
        } else {
            self.floor.max(BLURRED)
        };
        let plain = |r: &Raster| {
            let first = r.at(i64::from(core.x), i64::from(core.y + height / 2));
            (0..height).all(|y| {
                (0..width).all(|x| {
                    let p = r.at(i64::from(core.x + x), i64::from(core.y + y));
                    difference(&first, &p) <= floor
                })
            })
        };
        plain(self.a) && plain(self.b)
    }

    /// The box itself; of one that lossy compression has blurred, the part that changed most.
    fn core(&self) -> Area {
        let Area {
            x,
            y,
            width,
            height,
        } = self.area;
        if width <= 3 || width > 24 || height > 80 {
            return self.area;
        }
        let by = |px: u32, py: u32| {
            let (px, py) = (i64::from(px), i64::from(py));
            difference(&self.a.at(px, py), &self.b.at(px, py))
        };
        let pixels = || (y..y + height).flat_map(|py| (x..x + width).map(move |px| (px, py)));
        let most = pixels().map(|(px, py)| by(px, py)).max().unwrap_or(0);
        let strong = || pixels().filter(|(px, py)| by(*px, *py) > most / 2);
        let (left, right) = (strong().map(|p| p.0).min(), strong().map(|p| p.0).max());
        let (top, bottom) = (strong().map(|p| p.1).min(), strong().map(|p| p.1).max());
        let (Some(left), Some(right), Some(top), Some(bottom)) = (left, right, top, bottom) else {
            return self.area;
        };
        // What compression adds around it is faint; the strokes of a letter are not.
        let outside =
            |(px, py): &(u32, u32)| *px < left || *px > right || *py < top || *py > bottom;
        let faint = |(px, py): (u32, u32)| u32::from(by(px, py)) * 5 <= u32::from(most) * 2;
        if !pixels().filter(outside).all(faint) {
            return self.area;
        }
        Area {
            x: left,
            y: top,
            width: right + 1 - left,
            height: bottom + 1 - top,
        }
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
        if both as f64 >= most as f64 * KEPT
            || (self.is_repainted() && self.keeps_its_drawing(band))
        {
            Style::Restyled
        } else {
            Style::Redrawn
        }
    }

    /// Did nearly all of it change its colour?
    fn is_repainted(&self) -> bool {
        let Area { width, height, .. } = self.area;
        if width < PLATE.0 || height < PLATE.1 {
            return false;
        }
        let changed = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .filter(|(x, y)| self.changed(*x, *y))
            .count();
        changed as f64 >= f64::from(width * height) * REPAINTED
    }

    /// Are the edges inside where they were, give or take what a button grows or sinks by under the pointer?
    fn keeps_its_drawing(&self, band: u32) -> bool {
        let Area {
            x,
            y,
            width,
            height,
        } = self.area;
        let (band, near) = (band.max(4), i64::from(height / 20).clamp(1, 3));
        let inside = |v: u32, len: u32| v >= band && v + band < len;
        let brightness = |r: &Raster, px: i64, py: i64| {
            let [red, green, blue] = r.at(px, py);
            (i32::from(red) * 3 + i32::from(green) * 6 + i32::from(blue)) / 10
        };
        let edge = |r: &Raster, px: i64, py: i64| {
            let here = brightness(r, px, py);
            (brightness(r, px + 1, py) - here).abs() >= EDGE
                || (brightness(r, px, py + 1) - here).abs() >= EDGE
        };
        let kept = |from: &Raster, to: &Raster| {
            let (mut all, mut kept) = (0usize, 0usize);
            for row in (0..height).filter(|r| inside(*r, height)) {
                for column in (0..width).filter(|c| inside(*c, width)) {
                    let (px, py) = (i64::from(x + column), i64::from(y + row));
                    if edge(from, px, py) {
                        all += 1;
                        let found = (-near..=near)
                            .any(|dy| (-near..=near).any(|dx| edge(to, px + dx, py + dy)));
                        kept += usize::from(found);
                    }
                }
            }
            all >= STRUCTURE && kept as f64 >= all as f64 * DRAWN_ALIKE
        };
        kept(self.a, self.b) && kept(self.b, self.a)
    }
}
