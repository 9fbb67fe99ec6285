//! From the lattice to the board: its walls, its floor and its top.
//!
//! Comes in: what fell, what touching showed, what the page's structure proposes. Goes out: the board.
//! Must never know: how the walls were touched.

use super::{Falling, Hint, Lattice};
use crate::model::{Board, Raster};

/// What touching the walls and the floor showed, in cells of the lattice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touched {
    /// Leftmost column a piece reached when pushed to the left; `None` if no key pushes.
    pub min_column: Option<i32>,
    /// Rightmost column a piece reached.
    pub max_column: Option<i32>,
    /// Lowest row a piece ever rested on.
    pub floor_row: Option<i32>,
    /// Highest row a piece was ever seen in.
    pub top_row: i32,
}

/// Rows of the usual board, a prior for ties only.
const USUAL_ROWS: i32 = 20;
/// Columns of the usual board, likewise.
const USUAL_COLUMNS: i32 = 10;
/// Further than this from the piece nothing is looked for, in cells.
const REACH: i32 = 40;
/// Mean difference of channels up to which two cells look alike.
const ALIKE: f64 = 6.0;

/// One of the four edges as it was found.
struct Edge {
    /// First (or last) row or column inside.
    at: i32,
    trust: f64,
    why: &'static str,
}

/// The board around a falling piece. Walls and floor that were touched are taken as they are; the rest, and the top,
/// come from structure: the edge of a surface that fits the lattice, the end of the empty cells' texture. Where those
/// leave several possibilities, the usual size decides.
pub fn extent(falling: &Falling, touched: &Touched, surfaces: &[Hint]) -> Board {
    let lattice = falling.lattice;
    let texture = Texture::new(falling);
    let seen = |pick: fn(&(i32, i32)) -> i32, low: bool| {
        let all = falling.positions.iter().flat_map(|p| p.1.iter().map(pick));
        if low { all.min() } else { all.max() }.unwrap_or(0)
    };
    let (seen_left, seen_right) = (seen(|c| c.0, true), seen(|c| c.0, false));
    let seen_bottom = seen(|c| c.1, false);
    let seen_top = falling.top_row().min(seen_bottom);
    let across = |c: i32| (seen_top..=seen_bottom).map(move |r| (c, r)).collect();
    let surface = |inside: &dyn Fn(&Span) -> bool| -> Option<Span> {
        surfaces
            .iter()
            .filter_map(|h| Span::of(h, lattice))
            .filter(|s| inside(s))
            .min_by(|a, b| a.area().total_cmp(&b.area()))
    };
    let around = surface(&|s| {
        s.left <= touched.min_column.unwrap_or(seen_left)
            && s.right >= touched.max_column.unwrap_or(seen_right)
            && s.top <= touched.top_row.min(seen_top)
            && s.bottom >= touched.floor_row.unwrap_or(seen_bottom)
    });
    let left = touched.min_column.map_or_else(
        || texture.walk(seen_left, &across, -1, around.map(|s| s.left)),
        |at| Edge {
            at,
            trust: 1.0,
            why: "touched",
        },
    );
    let right = touched.max_column.map_or_else(
        || texture.walk(seen_right, &across, 1, around.map(|s| s.right)),
        |at| Edge {
            at,
            trust: 1.0,
            why: "touched",
        },
    );
    let (left, right) = usual(left, right, USUAL_COLUMNS);
    let down = |r: i32| (left.at..=right.at).map(move |c| (c, r)).collect();
    let bottom = touched.floor_row.map_or_else(
        || texture.walk(seen_bottom, &down, 1, around.map(|s| s.bottom)),
        |at| Edge {
            at,
            trust: 1.0,
            why: "touched",
        },
    );
    let top = texture.top(
        touched.top_row.min(seen_top),
        (left.at, right.at),
        bottom.at,
        around,
    );
    let columns = (right.at - left.at + 1).max(1);
    let rows = (bottom.at - top.at + 1).max(1);
    let trust = left.trust * right.trust * bottom.trust * top.trust;
    Board {
        x: lattice.x0 + f64::from(left.at) * lattice.cell_w,
        y: lattice.y0 + f64::from(top.at) * lattice.cell_h,
        cell_width: lattice.cell_w,
        cell_height: lattice.cell_h,
        columns: columns as u16,
        rows: rows as u16,
        confidence: (falling.confidence * trust).clamp(0.0, 1.0),
        why: format!(
            "{}; left wall {}, right wall {}, floor {}, top {}",
            falling.why, left.why, right.why, bottom.why, top.why
        ),
    }
}

/// Where only one of two opposite edges is known, the usual size breaks a tie.
fn usual(a: Edge, b: Edge, size: i32) -> (Edge, Edge) {
    let open = |e: &Edge| e.trust < 0.5;
    match (open(&a), open(&b)) {
        (true, false) if b.at - size < a.at || b.at - a.at + 1 > size => {
            let at = b.at - size + 1;
            (
                Edge {
                    at,
                    trust: 0.5,
                    why: "the usual width",
                },
                b,
            )
        }
        (false, true) if b.at - a.at + 1 != size => {
            let at = a.at + size - 1;
            (
                a,
                Edge {
                    at,
                    trust: 0.5,
                    why: "the usual width",
                },
            )
        }
        _ => (a, b),
    }
}

/// A surface in cells of the lattice: first and last column and row that lie inside.
#[derive(Debug, Clone, Copy)]
struct Span {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Span {
    fn of(hint: &Hint, lattice: Lattice) -> Option<Self> {
        let column = |x: f64| (x - lattice.x0) / lattice.cell_w;
        let row = |y: f64| (y - lattice.y0) / lattice.cell_h;
        // A cell of which a quarter is cut off is none.
        let first = |v: f64| (v - 0.25).ceil() as i32;
        let last = |v: f64| (v + 0.25).floor() as i32 - 1;
        let span = Self {
            left: first(column(hint.rect.x)),
            top: first(row(hint.rect.y)),
            right: last(column(hint.rect.right())),
            bottom: last(row(hint.rect.bottom())),
        };
        (span.right >= span.left && span.bottom >= span.top).then_some(span)
    }

    fn area(&self) -> f64 {
        f64::from(self.right - self.left + 1) * f64::from(self.bottom - self.top + 1)
    }
}

/// How cells of the background look, compared with those over which the piece fell.
struct Texture<'a> {
    picture: &'a Raster,
    lattice: Lattice,
    known: Vec<(i32, i32)>,
    /// Do the known cells resemble one another? Those of a picture behind the board don't: their look ends nowhere.
    telling: bool,
    columns: Lines,
    rows: Lines,
}

/// Half of the strip of pixels across the edge of cells in which a line is looked for.
const ASIDE: i64 = 3;
/// A line that stands out of the board's own by less, as the mean of the channels, is none.
const LINE: f64 = 9.0;
/// And it stands out so many times as much as the lines between cells differ among themselves.
const PLAINLY: f64 = 2.5;

/// How the edges between cells look that the piece went across, as strips of pixels across the edge: no wall is among
/// them.
struct Lines {
    known: Vec<Strip>,
    /// By how much they differ among themselves.
    differ: f64,
}

/// Colours across an edge, less those beside it: a line stands out, and a step or the slow change of a gradient does not.
type Strip = [[f64; 3]; 2 * ASIDE as usize + 1];

impl Lines {
    fn of(known: Vec<Strip>) -> Self {
        let differ = known
            .iter()
            .enumerate()
            .map(|(i, a)| {
                let others = known.iter().enumerate().filter(|(j, _)| *j != i);
                others
                    .map(|(_, b)| unlike(a, b))
                    .fold(f64::INFINITY, f64::min)
            })
            .filter(|d| d.is_finite())
            .fold(0.0, f64::max);
        Self { known, differ }
    }

    /// Is this another line than those between the board's cells?
    fn wall(&self, strip: &Strip) -> bool {
        let nearest = self.known.iter().map(|k| unlike(k, strip));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        nearest.is_finite() && nearest >= LINE.max(PLAINLY * self.differ)
    }
}

/// By how much two lines differ, where they differ most; a pixel to the side is no difference.
fn unlike(a: &Strip, b: &Strip) -> f64 {
    (-1..=1i64)
        .map(|by| {
            let pairs = (0..a.len() as i64).filter_map(|i| {
                let j = usize::try_from(i + by).ok()?;
                Some((a.get(i as usize)?, b.get(j)?))
            });
            pairs
                .map(|(p, q)| p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum::<f64>() / 3.0)
                .fold(0.0, f64::max)
        })
        .fold(f64::INFINITY, f64::min)
}

impl<'a> Texture<'a> {
    fn new(falling: &'a Falling) -> Self {
        let mut known: Vec<(i32, i32)> = falling
            .positions
            .iter()
            .flat_map(|p| p.1.iter().copied())
            .filter(|c| c.1 >= falling.top_row())
            .collect();
        known.sort_unstable();
        known.dedup();
        let mut texture = Self {
            picture: &falling.background,
            lattice: falling.lattice,
            known,
            telling: true,
            columns: Lines::of(Vec::new()),
            rows: Lines::of(Vec::new()),
        };
        let span = |pick: fn(&(i32, i32)) -> i32| {
            let all = || texture.known.iter().map(pick);
            (all().min().unwrap_or(0), all().max().unwrap_or(0))
        };
        let (across, down) = (span(|c| c.0), span(|c| c.1));
        let columns = (across.0 + 1..=across.1).filter_map(|c| texture.upright(c, down));
        let rows = (down.0 + 1..=down.1).filter_map(|r| texture.level(r, across));
        (texture.columns, texture.rows) = (
            Lines::of(columns.collect::<Vec<_>>()),
            Lines::of(rows.collect::<Vec<_>>()),
        );
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

    /// The strip across the left edge of a column, in the mean of some rows; `None` outside of the picture.
    fn upright(&self, column: i32, rows: (i32, i32)) -> Option<Strip> {
        let first = self.lattice.cell(column, rows.0);
        let last = self.lattice.cell(column, rows.1);
        let x = first.x.round() as i64;
        let along = first.y.round() as i64..last.bottom().round() as i64;
        self.strip(along.map(move |y| move |by: i64| (x + by, y)))
    }

    /// The strip across the top of a row, in the mean of some columns.
    fn level(&self, row: i32, columns: (i32, i32)) -> Option<Strip> {
        let first = self.lattice.cell(columns.0, row);
        let last = self.lattice.cell(columns.1, row);
        let y = first.y.round() as i64;
        let along = first.x.round() as i64..last.right().round() as i64;
        self.strip(along.map(move |x| move |by: i64| (x, y + by)))
    }

    /// The middle one of the strips along an edge: what lies across a part of it, a ghost or a word, is no line.
    fn strip<F: Fn(i64) -> (i64, i64)>(&self, along: impl Iterator<Item = F>) -> Option<Strip> {
        let (width, height) = (
            i64::from(self.picture.width()),
            i64::from(self.picture.height()),
        );
        let mut all: [[Vec<f64>; 3]; 2 * ASIDE as usize + 1] =
            std::array::from_fn(|_| Default::default());
        for at in along {
            let corner = at(-ASIDE);
            let end = at(ASIDE);
            if corner.0 < 0 || corner.1 < 0 || end.0 >= width || end.1 >= height {
                return None;
            }
            let (first, last) = (
                self.picture.at(corner.0, corner.1),
                self.picture.at(end.0, end.1),
            );
            for (values, by) in all.iter_mut().zip(-ASIDE..=ASIDE) {
                let (x, y) = at(by);
                let pixel = self.picture.at(x, y);
                for (i, values) in values.iter_mut().enumerate() {
                    let (a, b) = (f64::from(first[i]), f64::from(last[i]));
                    let value = f64::from(pixel[i]);
                    // What lies between both sides is the step from one to the other, as on a chequered board.
                    values.push(value - value.clamp(a.min(b), a.max(b)));
                }
            }
        }
        let middle = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let mut strip: Strip = [[0.0; 3]; 2 * ASIDE as usize + 1];
        for (out, values) in strip.iter_mut().zip(&mut all) {
            for (out, values) in out.iter_mut().zip(values) {
                *out = middle(values)?;
            }
        }
        Some(strip)
    }

    /// Is a line drawn between a line of cells and the next in a direction, another than between the board's cells?
    fn walled(&self, cells: &[(i32, i32)], by: i32) -> bool {
        let span = |pick: fn(&(i32, i32)) -> i32| {
            let all = || cells.iter().map(pick);
            (all().min().unwrap_or(0), all().max().unwrap_or(0))
        };
        let (columns, rows) = (span(|c| c.0), span(|c| c.1));
        let next = i32::from(by > 0);
        let column = || self.upright(columns.0 + next, rows);
        let row = || self.level(rows.0 + next, columns);
        columns.0 == columns.1 && column().is_some_and(|s| self.columns.wall(&s))
            || rows.0 == rows.1 && row().is_some_and(|s| self.rows.wall(&s))
    }

    fn inside(&self, c: i32, r: i32) -> bool {
        let cell = self.lattice.cell(c, r);
        cell.x >= -1.0
            && cell.y >= -1.0
            && cell.right() <= f64::from(self.picture.width()) + 1.0
            && cell.bottom() <= f64::from(self.picture.height()) + 1.0
    }

    #[allow(clippy::many_single_char_names)]
    fn difference(&self, a: (i32, i32), b: (i32, i32)) -> f64 {
        let (p, q) = (self.lattice.cell(a.0, a.1), self.lattice.cell(b.0, b.1));
        let mut sum = 0u32;
        // Eight by eight points a cell, the outermost half a step from its edge.
        for i in 0..8 {
            for j in 0..8 {
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
        f64::from(sum) / (8.0 * 8.0 * 3.0)
    }

    /// Does a cell look like one the piece fell over?
    fn alike(&self, c: i32, r: i32) -> bool {
        self.inside(c, r)
            && self
                .known
                .iter()
                .any(|&k| self.difference((c, r), k) <= ALIKE)
    }

    /// The last cell in a direction that looks like the board, within the surface around.
    fn walk(
        &self,
        from: i32,
        line: &dyn Fn(i32) -> Vec<(i32, i32)>,
        by: i32,
        limit: Option<i32>,
    ) -> Edge {
        if let Some(at) = limit
            && !self.telling
        {
            return Edge {
                at,
                trust: 0.6,
                why: "edge of the surface",
            };
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
                return Edge {
                    at,
                    trust: 0.8,
                    why: "edge of the surface",
                };
            }
            if self.telling && self.walled(&line(at), by) {
                return Edge {
                    at,
                    trust: 0.75,
                    why: "a drawn line",
                };
            }
            if alike * 2 < next.len() {
                return Edge {
                    at,
                    trust: 0.7,
                    why: "end of the cells' look",
                };
            }
            at += by;
        }
        Edge {
            at: from,
            trust: 0.3,
            why: "not seen",
        }
    }

    fn top(&self, seen: i32, columns: (i32, i32), bottom: i32, around: Option<Span>) -> Edge {
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
            self.telling && columns.0 < columns.1 && self.walled(&line, -1)
        };
        while texture_top > seen - REACH && row_alike(texture_top - 1) && !lined(texture_top) {
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
        };
        match around.map(|s| s.top) {
            // A surface that is as wide as the board, ends with it and has the usual height is the board.
            Some(top) if fits_around && top == usual => edge(top, 0.9, "edge of the surface"),
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
