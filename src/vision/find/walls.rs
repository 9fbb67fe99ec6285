//! Lines that are drawn around a board: a line between two cells that looks like none between the cells of the board.
//!
//! Comes in: the empty board's picture, its lattice, the cells a piece went over. Goes out: is there a wall between two
//! lines of cells? Must never know: how the cells themselves look.

use super::Lattice;
use crate::model::Raster;

/// Half of the strip of pixels across the edge of cells in which a line is looked for.
const ASIDE: i64 = 3;
/// A line that stands out of the board's own by less, as the mean of the channels, is none.
const LINE: f64 = 9.0;
/// And it stands out so many times as much as the lines between cells differ among themselves.
const PLAINLY: f64 = 2.5;

/// Lines whose strengths differ by no more than this share are equally strong.
const AS_STRONG: f64 = 0.2;

/// A line of less than this share of the strength of the weakest of the board's is none.
const MISSING: f64 = 0.4;
/// Edges that must be seen before it is said that the lines do not go on, and the share of them that have none, in percent.
const EDGES_SEEN: usize = 4;
/// See [`EDGES_SEEN`].
const WITHOUT: usize = 80;

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

    /// Is there no line where the board's cells have one between them?
    fn missing(&self, strip: &Strip) -> bool {
        let strengths = self.known.iter().map(|k| apart(strength(k), [0.0; 3]));
        let least = strengths.fold(f64::INFINITY, f64::min);
        self.wall(strip) && apart(strength(strip), [0.0; 3]) < least * MISSING
    }
}

/// By how much two lines differ, where they differ most; a pixel to the side is no difference, and neither is how a line
/// of a scaled picture spreads over the pixels, as long as it is as strong in all.
fn unlike(a: &Strip, b: &Strip) -> f64 {
    let (one, other) = (strength(a), strength(b));
    let strongest = apart(one, [0.0; 3]).max(apart(other, [0.0; 3]));
    if apart(one, other) <= AS_STRONG * strongest {
        return 0.0;
    }
    (-1..=1i64)
        .map(|by| {
            let pairs = (0..a.len() as i64).filter_map(|i| {
                let j = usize::try_from(i + by).ok()?;
                Some((a.get(i as usize)?, b.get(j)?))
            });
            pairs.map(|(p, q)| apart(*p, *q)).fold(0.0, f64::max)
        })
        .fold(f64::INFINITY, f64::min)
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 3.0
}

/// What a line adds to the picture in all, channel by channel.
fn strength(strip: &Strip) -> [f64; 3] {
    strip.iter().fold([0.0; 3], |sum, pixel| {
        std::array::from_fn(|i| sum[i] + pixel[i])
    })
}

/// The walls drawn on a picture.
pub(super) struct Walls<'a> {
    picture: &'a Raster,
    lattice: Lattice,
    columns: Lines,
    rows: Lines,
}

fn span(cells: &[(i32, i32)], pick: fn(&(i32, i32)) -> i32) -> (i32, i32) {
    let all = || cells.iter().map(pick);
    (all().min().unwrap_or(0), all().max().unwrap_or(0))
}

impl<'a> Walls<'a> {
    /// The picture, in which the piece went over these cells.
    pub fn new(picture: &'a Raster, lattice: Lattice, known: &[(i32, i32)]) -> Self {
        let mut walls = Self {
            picture,
            lattice,
            columns: Lines::of(Vec::new()),
            rows: Lines::of(Vec::new()),
        };
        let (across, down) = (span(known, |c| c.0), span(known, |c| c.1));
        let columns = (across.0 + 1..=across.1).filter_map(|c| walls.upright(c, down));
        let rows = (down.0 + 1..=down.1).filter_map(|r| walls.level(r, across));
        (walls.columns, walls.rows) = (Lines::of(columns.collect()), Lines::of(rows.collect()));
        walls
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
    pub fn between(&self, cells: &[(i32, i32)], by: i32) -> bool {
        let (columns, rows) = (span(cells, |c| c.0), span(cells, |c| c.1));
        let next = i32::from(by > 0);
        let column = || self.upright(columns.0 + next, rows);
        let row = || self.level(rows.0 + next, columns);
        columns.0 == columns.1 && column().is_some_and(|s| self.columns.wall(&s))
            || rows.0 == rows.1 && row().is_some_and(|s| self.rows.wall(&s))
    }

    /// Do the lines that are drawn between the board's cells not go on between these, in a line of cells?
    pub fn unruled(&self, cells: &[(i32, i32)]) -> bool {
        let (columns, rows) = (span(cells, |c| c.0), span(cells, |c| c.1));
        let strips: Vec<bool> = if columns.0 == columns.1 {
            let edges = (rows.0 + 1..=rows.1).filter_map(|r| self.level(r, columns));
            edges.map(|s| self.rows.missing(&s)).collect()
        } else {
            let edges = (columns.0 + 1..=columns.1).filter_map(|c| self.upright(c, rows));
            edges.map(|s| self.columns.missing(&s)).collect()
        };
        let without = strips.iter().filter(|missing| **missing).count();
        strips.len() >= EDGES_SEEN && without * 100 >= strips.len() * WITHOUT
    }
}
