//! Where cells cease to look like those a piece fell over: the board's edges, as far as its empty cells tell.
//!
//! Comes in: what fell, over which background. Goes out: edges, with how much they are to be trusted. Must never know:
//! what was touched.

use super::walls::Walls;
use super::{Falling, Hint, Lattice};
use crate::model::Raster;

/// Mean difference of channels up to which two cells look alike.
const ALIKE: f64 = 6.0;

/// Cells differ by up to this where the lines at their edges are spread over other pixels, as those of a scaled picture are,
const LINES_SPREAD: f64 = 3.0 * ALIKE;
/// and their quarters then are as bright, in the mean, to within this.
const AS_BRIGHT: f64 = 3.0;

/// Eighths of a cell that a line along its top may lie over.
const LINE_EIGHTHS: u32 = 2;

/// Rows of the usual board, a prior for ties only.
const USUAL_ROWS: i32 = 20;
/// Columns of the usual board, likewise.
pub(super) const USUAL_COLUMNS: i32 = 10;
/// Rows above the field in which pieces come, at most.
const MOST_ABOVE: i32 = 4;
/// Further than this from the piece nothing is looked for, in cells.
const REACH: i32 = 40;

/// One of the four edges as it was found.
pub(super) struct Edge {
    /// First (or last) row or column inside.
    pub at: i32,
    pub trust: f64,
    pub why: &'static str,
    /// Is it more than a guess from how cells look?
    pub sure: bool,
}

impl Edge {
    /// One that was guessed from how cells look, or from what boards usually are.
    pub fn guessed(at: i32, trust: f64, why: &'static str) -> Self {
        Self {
            at,
            trust,
            why,
            sure: false,
        }
    }
}

/// A surface in cells of the lattice: first and last column and row that lie inside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
    /// Is it divided into these cells without a rest?
    pub whole: bool,
}

/// Share of a cell by which a surface may be off the lattice and be made of whole cells: a border, half a gap.
const OFF: f64 = 0.12;

/// Share of the first row that may lie beyond the surface.
const CUT_OFF: f64 = 0.15;

impl Span {
    pub fn of(hint: &Hint, lattice: Lattice) -> Option<Self> {
        let column = |x: f64| (x - lattice.x0) / lattice.cell_w;
        let row = |y: f64| (y - lattice.y0) / lattice.cell_h;
        // A cell of which a quarter is cut off is none; in the first row, where pieces come in, less of it.
        let first = |v: f64| (v - 0.25).ceil() as i32;
        let first_row = |v: f64| (v - CUT_OFF).ceil() as i32;
        let last = |v: f64| (v + 0.25).floor() as i32 - 1;
        let on_lattice = |v: f64| (v - v.round()).abs() < OFF;
        let (across, down) = (
            [column(hint.rect.x), column(hint.rect.right())],
            [row(hint.rect.y), row(hint.rect.bottom())],
        );
        let span = Self {
            whole: across.into_iter().chain(down).all(on_lattice),
            left: first(across[0]),
            top: first_row(down[0]),
            right: last(across[1]),
            bottom: last(down[1]),
        };
        (span.right >= span.left && span.bottom >= span.top).then_some(span)
    }

    /// Is it as large as a board, to the cell?
    pub fn is_board(&self) -> bool {
        self.whole
            && self.right - self.left + 1 == USUAL_COLUMNS
            && self.bottom - self.top + 1 == USUAL_ROWS
    }

    pub fn area(&self) -> f64 {
        f64::from(self.right - self.left + 1) * f64::from(self.bottom - self.top + 1)
    }
}

/// How cells of the background look, compared with those over which the piece fell.
pub(super) struct Texture<'a> {
    picture: &'a Raster,
    lattice: Lattice,
    known: Vec<(i32, i32)>,
    /// Do the known cells resemble one another? Those of a picture behind the board don't: their look ends nowhere.
    telling: bool,
    walls: Walls<'a>,
}

impl<'a> Texture<'a> {
    pub fn new(falling: &'a Falling) -> Self {
        let mut known: Vec<(i32, i32)> = falling
            .positions
            .iter()
            .flat_map(|p| p.1.iter().copied())
            .filter(|c| c.1 >= falling.top_row())
            .collect();
        known.sort_unstable();
        known.dedup();
        let walls = Walls::new(&falling.background, falling.lattice, &known);
        let mut texture = Self {
            picture: &falling.background,
            lattice: falling.lattice,
            known,
            telling: true,
            walls,
        };
        let mut nearest: Vec<f64> = texture
            .known
            .iter()
            .map(|&k| {
                let others = texture.known.iter().filter(|&&o| o != k);
                let far = others.map(|&o| texture.difference(k, o));
                far.fold(f64::INFINITY, f64::min)
            })
            .collect();
        nearest.sort_by(f64::total_cmp);
        texture.telling = nearest.get(nearest.len() / 2).is_none_or(|&d| d <= ALIKE);
        texture
    }

    fn inside(&self, c: i32, r: i32) -> bool {
        let cell = self.lattice.cell(c, r);
        cell.x >= -1.0
            && cell.y >= -1.0
            && cell.right() <= f64::from(self.picture.width()) + 1.0
            && cell.bottom() <= f64::from(self.picture.height()) + 1.0
    }

    fn difference(&self, a: (i32, i32), b: (i32, i32)) -> f64 {
        self.difference_from(a, b, 0)
    }

    /// The same, without so many eighths at the top.
    #[allow(clippy::many_single_char_names)]
    fn difference_from(&self, a: (i32, i32), b: (i32, i32), first: u32) -> f64 {
        let (p, q) = (self.lattice.cell(a.0, a.1), self.lattice.cell(b.0, b.1));
        let mut sum = 0u32;
        // Eight by eight points a cell, the outermost half a step from its edge.
        for i in 0..8 {
            for j in first..8 {
                let (u, v) = ((f64::from(i) + 0.5) / 8.0, (f64::from(j) + 0.5) / 8.0);
                let at = |r: crate::model::Rect| {
                    self.picture
                        .at((r.x + u * r.width) as i64, (r.y + v * r.height) as i64)
                };
                for (x, y) in at(p).iter().zip(at(q)) {
                    sum += u32::from(x.abs_diff(y));
                }
            }
        }
        f64::from(sum) / (8.0 * f64::from(8 - first) * 3.0)
    }

    /// Does a row look like cells that the piece fell over, but for a line along its top?
    fn alike_below(&self, row: i32, columns: (i32, i32)) -> bool {
        let alike = |c: i32| {
            let mut known = self.known.iter();
            self.inside(c, row)
                && known.any(|&k| self.difference_from((c, row), k, LINE_EIGHTHS) <= ALIKE)
        };
        (columns.0..=columns.1).all(alike)
    }

    /// Does a cell look like one the piece fell over?
    fn alike(&self, c: i32, r: i32) -> bool {
        self.inside(c, r)
            && self.known.iter().any(|&k| {
                let difference = self.difference((c, r), k);
                difference <= ALIKE || difference <= LINES_SPREAD && self.as_bright((c, r), k)
            })
    }

    /// Are the quarters of both cells of one mean colour?
    fn as_bright(&self, a: (i32, i32), b: (i32, i32)) -> bool {
        let quarters = |cell: (i32, i32)| {
            let place = self.lattice.cell(cell.0, cell.1);
            [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)]
                .map(|(u, v)| self.mean(place.x + u * place.width, place.y + v * place.height))
        };
        quarters(a).iter().zip(&quarters(b)).all(|(p, q)| {
            let channels = p.iter().zip(q);
            channels.map(|(x, y)| (x - y).abs()).sum::<f64>() / 3.0 <= AS_BRIGHT
        })
    }

    /// The mean colour of the quarter of a cell that begins there, its outermost pixels by as much of them as is in it.
    fn mean(&self, x: f64, y: f64) -> [f64; 3] {
        let (right, bottom) = (x + self.lattice.cell_w / 2.0, y + self.lattice.cell_h / 2.0);
        let covered =
            |from: f64, to: f64, at: i64| (to.min(at as f64 + 1.0) - from.max(at as f64)).max(0.0);
        let (mut sum, mut all) = ([0.0; 3], 0.0);
        for py in y.floor() as i64..bottom.ceil() as i64 {
            for px in x.floor() as i64..right.ceil() as i64 {
                let share = covered(x, right, px) * covered(y, bottom, py);
                for (sum, v) in sum.iter_mut().zip(self.picture.at(px, py)) {
                    *sum += share * f64::from(v);
                }
                all += share;
            }
        }
        sum.map(|v| v / all.max(f64::EPSILON))
    }

    /// The last cell in a direction that looks like the board, within the surface around.
    pub fn walk(
        &self,
        from: i32,
        line: &dyn Fn(i32) -> Vec<(i32, i32)>,
        by: i32,
        limit: Option<i32>,
    ) -> Edge {
        if let Some(at) = limit
            && !self.telling
        {
            return Edge::guessed(at, 0.6, "edge of the surface");
        }
        let mut at = from;
        for _ in 0..REACH {
            let next = line(at + by);
            // Half of a row is enough: a ghost or a stack may cover the rest.
            // A gradient goes on by small steps; where no surface ends it, nothing would.
            let graded = |c: (i32, i32), before: (i32, i32)| {
                limit.is_some() && self.inside(c.0, c.1) && self.difference(c, before) <= ALIKE
            };
            let alike = next
                .iter()
                .zip(line(at))
                .filter(|&(&c, before)| self.alike(c.0, c.1) || graded(c, before))
                .count();
            if limit.is_some_and(|l| at == l) {
                return Edge::guessed(at, 0.8, "edge of the surface");
            }
            if self.telling && self.walls.between(&line(at), by) {
                return Edge::guessed(at, 0.75, "a drawn line");
            }
            if self.telling && self.walls.unruled(&next) {
                return Edge::guessed(at, 0.75, "end of the drawn lines");
            }
            if alike * 2 < next.len() {
                return Edge::guessed(at, 0.7, "end of the cells' look");
            }
            at += by;
        }
        Edge::guessed(from, 0.3, "not seen")
    }

    /// Is there a line over a row that is none between the rows below it, whatever came across it?
    fn line_above(&self, row: i32, columns: (i32, i32)) -> bool {
        let below = self.known.iter().copied().filter(|c| c.1 >= row);
        let walls = Walls::new(self.picture, self.lattice, &below.collect::<Vec<_>>());
        let line: Vec<_> = (columns.0..=columns.1).map(|c| (c, row)).collect();
        columns.0 < columns.1 && walls.between(&line, -1)
    }

    pub fn top(&self, seen: i32, columns: (i32, i32), bottom: i32, around: Option<Span>) -> Edge {
        let row_alike = |r: i32| {
            let n = columns.1 - columns.0 + 1;
            let alike = (columns.0..=columns.1)
                .filter(|&c| self.alike(c, r))
                .count() as i32;
            alike * 5 >= n * 4
        };
        let mut texture_top = seen;
        let lined = |r: i32| {
            let line: Vec<_> = (columns.0..=columns.1).map(|c| (c, r)).collect();
            self.telling && columns.0 < columns.1 && self.walls.between(&line, -1)
        };
        let unruled = |r: i32| {
            let line: Vec<_> = (columns.0..=columns.1).map(|c| (c, r)).collect();
            self.telling && columns.0 < columns.1 && self.walls.unruled(&line)
        };
        while texture_top > seen - REACH
            && row_alike(texture_top - 1)
            && !lined(texture_top)
            && !unruled(texture_top - 1)
        {
            texture_top -= 1;
        }
        // Where the page beside the board looks like the board, the end of that look says nothing.
        let beside = (seen..=bottom)
            .filter(|&r| self.alike(columns.0 - 1, r) || self.alike(columns.1 + 1, r))
            .count() as i32;
        let telling = self.telling && beside * 2 < bottom - seen + 1;
        let ended =
            telling && texture_top > seen - REACH && self.inside(columns.0, texture_top - 1);
        let usual = bottom - USUAL_ROWS + 1;
        let fits_around = around
            .is_some_and(|s| s.left == columns.0 && s.right == columns.1 && s.bottom == bottom);
        let edge = |at: i32, trust, why| Edge {
            at: at.min(seen),
            trust,
            why,
            // No piece reaches over it: what is told so well is the best there is.
            sure: trust >= 0.7,
        };
        // Pieces come from rows above the field on some pages, with a line between.
        let above = around.map_or(0, |s| usual - s.top);
        if (1..=MOST_ABOVE).contains(&above) && self.telling && self.line_above(usual, columns) {
            return Edge {
                at: usual,
                trust: 0.9,
                why: "a drawn line",
                sure: true,
            };
        }
        match around.map(|s| s.top) {
            // A surface that is as wide as the board, ends with it and has the usual height is the board.
            Some(top) if fits_around && top == usual => edge(top, 0.9, "edge of the surface"),
            // The first row may have the border's line beside its own.
            Some(top)
                if fits_around
                    && ended
                    && top + 1 == texture_top
                    && self.alike_below(top, columns) =>
            {
                edge(top, 0.9, "edge of the surface")
            }
            Some(top) if ended && top < texture_top => {
                // Both ends are real; a header inside the surface is the commoner reason.
                edge(texture_top, 0.9, "end of the cells' look")
            }
            Some(top) if top > texture_top || ended => edge(top, 0.95, "edge of the surface"),
            Some(top) if usual < top || usual > seen => edge(top, 0.7, "edge of the surface"),
            None if ended => edge(texture_top, 0.9, "end of the cells' look"),
            _ if usual <= seen && usual >= texture_top => edge(usual, 0.5, "the usual height"),
            _ => edge(texture_top, 0.4, "end of the cells' look"),
        }
    }
}
