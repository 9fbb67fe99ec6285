//! Moves that follow one another: one thing falling.
//!
//! Comes in: moves of a region. Goes out: falls, each with the silhouette of what fell and the cells it is made of.
//! Must never know: other regions.

use super::Look;
use super::moves::Move;
use super::shape::{Fit, Mask, cells_of, cells_of_height, cells_of_size};

/// Places that should be equal may differ by this many pixels: scaled and fractional cells are drawn to either side.
const SLACK: usize = 2;

/// Share of a cell by which the height of a gliding piece may be mistaken.
const BLURRED: f64 = 0.12;

/// Shares of a thing's strongest contrast from which on a pixel is part of it: blocks may be shaded to a third of it at
/// their edges, and the glow around others is as strong as that.
const STRONG: [f64; 3] = [1.0 / 3.0, 0.6, 0.8];

/// Cells of what glides are at least so many pixels: stars, sparks and snow glide, and are smaller.
const SMALLEST_GLIDING: f64 = 8.0;

/// Cells that fit no better are none.
const WORTHLESS: f64 = 0.5;

/// No board has fewer rows than this.
const FEWEST_ROWS: f64 = 6.0;

/// One thing that fell.
#[derive(Debug, Clone)]
pub struct Fall {
    /// Its moves in the order of time.
    pub moves: Vec<Move>,
    /// The same joined to steps from rest to rest: a step may be drawn in several moves. Of each step the index of
    /// the look before it, the pixel row of the top before it, and how far it went down.
    pub steps: Vec<Step>,
    /// What it is made of, at its place before the first move.
    pub fit: Fit,
    /// Pixels of background that its leaving or coming uncovered.
    pub uncovered: Uncovered,
    /// Does it glide by parts of a cell?
    pub smooth: bool,
    /// Was it seen at rest between its steps?
    pub rested: bool,
    /// How much it is like a piece that falls, 0 to 1.
    pub score: f64,
}

/// Pixels of background, within the rectangle that something fell through.
#[derive(Debug, Clone)]
pub struct Uncovered {
    x0: usize,
    y0: usize,
    width: usize,
    colours: Vec<Option<[u8; 3]>>,
}

impl Uncovered {
    /// None yet, of what these moves may uncover of a picture so high.
    fn under(moves: &[Move], height: usize) -> Self {
        let x0 = moves.iter().map(|m| m.x0).min().unwrap_or(0);
        let y0 = moves.iter().map(|m| m.top).min().unwrap_or(0);
        let x1 = moves.iter().map(Move::x1).max().unwrap_or(x0);
        // A move goes as far as the next one begins, if that is farther than it told.
        let last = moves.iter().map(|m| m.top).max().unwrap_or(y0);
        let bottom = moves.iter().map(|m| m.bottom + m.by).max().unwrap_or(y0);
        let y1 = (bottom + last - y0).min(height).max(y0);
        let width = x1 - x0;
        Self {
            x0,
            y0,
            width,
            colours: vec![None; width * (y1 - y0)],
        }
    }

    fn slot(&mut self, x: usize, y: usize) -> Option<&mut Option<[u8; 3]>> {
        let at = (y - self.y0) * self.width + x - self.x0;
        self.colours.get_mut(at)
    }

    /// The colour at a place of the picture, if it was uncovered there.
    fn get(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        let (x, y) = (x.checked_sub(self.x0)?, y.checked_sub(self.y0)?);
        if x >= self.width {
            return None;
        }
        *self.colours.get(y * self.width + x)?
    }

    /// Each place and its colour.
    pub fn iter(&self) -> impl Iterator<Item = ((usize, usize), [u8; 3])> + '_ {
        let place = |i: usize| (self.x0 + i % self.width, self.y0 + i / self.width);
        let all = self.colours.iter().enumerate();
        all.filter_map(move |(i, colour)| Some((place(i), (*colour)?)))
    }
}

/// One step from rest to rest.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Index of the last look before it.
    pub before: usize,
    /// Index of the first look after it.
    pub after: usize,
    /// Highest pixel row before it.
    pub top: usize,
    /// Pixels by which it went down.
    pub by: usize,
}

/// Joins moves without a rest between them, if that makes the steps equal; otherwise each move is a step.
fn steps(moves: &[Move]) -> Vec<Step> {
    let single: Vec<Step> = moves
        .iter()
        .map(|m| Step {
            before: m.before,
            after: m.before + 1,
            top: m.top,
            by: m.by,
        })
        .collect();
    let even = |steps: &[Step]| {
        let least = steps.iter().map(|s| s.by).min().unwrap_or(0);
        let most = steps.iter().map(|s| s.by).max().unwrap_or(0);
        most - least <= 3
    };
    if even(&single) {
        return single;
    }
    let mut joined: Vec<Step> = Vec::new();
    for s in &single {
        match joined.last_mut() {
            Some(l) if l.after == s.before => {
                l.by = s.top + s.by - l.top;
                l.after = s.after;
            }
            _ => joined.push(*s),
        }
    }
    // The looks may have begun or ended within a step.
    let whole = |from: usize, to: usize| (to - from >= 2).then(|| joined[from..to].to_vec());
    let n = joined.len();
    [(0, n), (0, n - 1), (1, n), (1, n - 1)]
        .into_iter()
        .filter(|&(from, to)| to > from)
        .filter_map(|(from, to)| whole(from, to))
        .find(|s| even(s))
        .unwrap_or(single)
}

impl Fall {
    /// Pixel row of its top at each of its positions, with the index of the look from which on it was there.
    pub fn tops(&self) -> Vec<(usize, f64)> {
        let Some(first) = self.steps.first() else {
            return Vec::new();
        };
        let at = |top: usize| self.fit.y0 + top as f64 - first.top as f64;
        let mut out = vec![(first.before, self.fit.y0)];
        for pair in self.steps.windows(2) {
            out.push((pair[0].after, at(pair[1].top)));
        }
        if let Some(last) = self.steps.last() {
            out.push((last.after, at(last.top + last.by)));
        }
        out
    }

    /// Left, top, right, bottom in pixels of everything it passed over.
    pub fn bounds(&self) -> (f64, f64, f64, f64) {
        let left = self.moves.iter().map(|m| m.x0).min().unwrap_or(0);
        let right = self.moves.iter().map(Move::x1).max().unwrap_or(0);
        let top = self.moves.iter().map(|m| m.top).min().unwrap_or(0);
        let bottom = self
            .moves
            .iter()
            .map(|m| m.bottom + m.by)
            .max()
            .unwrap_or(0);
        (left as f64, top as f64, right as f64, bottom as f64)
    }

    /// First and last look in which it was seen.
    pub fn looks(&self) -> (usize, usize) {
        let last = self.moves.last().map_or(0, |m| m.before + 1);
        (self.moves[0].before, last)
    }
}

/// Joins moves to falls. `cell` is the size of a cell where the page's structure tells it.
pub fn chains(looks: &[Look<'_>], moves: Vec<Move>, cell: Option<(f64, f64)>) -> Vec<Fall> {
    let mut open: Vec<Vec<Move>> = Vec::new();
    for m in moves {
        let follows = |c: &Vec<Move>| {
            c.last().is_some_and(|l| {
                l.before < m.before
                    && l.x0.abs_diff(m.x0) <= SLACK
                    && l.x1().abs_diff(m.x1()) <= SLACK
                    && (l.top + l.by).abs_diff(m.top) <= SLACK
                    && (l.bottom + l.by).abs_diff(m.bottom) <= SLACK
            })
        };
        match open.iter_mut().find(|c| follows(c)) {
            Some(chain) => chain.push(m),
            None => open.push(vec![m]),
        }
    }
    open.into_iter()
        .filter_map(|chain| fall(looks, chain, cell))
        .collect()
}

fn fall(looks: &[Look<'_>], moves: Vec<Move>, cell: Option<(f64, f64)>) -> Option<Fall> {
    let (width, height) = (
        looks[0].raster.width() as usize,
        looks[0].raster.height() as usize,
    );
    let at = |look: usize, x: usize, y: usize| -> [u8; 3] {
        let i = (y * width + x) * 3;
        let rgb = looks[look].raster.rgb();
        [rgb[i], rgb[i + 1], rgb[i + 2]]
    };
    let mut uncovered = Uncovered::under(&moves, height);
    for (n, m) in moves.iter().enumerate() {
        // What glides may go a pixel farther than its own shift told: where it is found next is surer. A part of a pixel
        // may still be covered; all of it is free once the next move is over.
        let next = moves.get(n + 1);
        let by = next
            .map_or(0, |next| next.top.saturating_sub(m.top))
            .max(m.by);
        let free = next.map_or(m.before, |next| next.before) + 1;
        for (i, span) in m.columns.iter().enumerate() {
            let Some((top, bottom)) = *span else { continue };
            let x = m.x0 + i;
            for y in top..(top + by).min(bottom + by) {
                if let Some(slot) = uncovered.slot(x, y) {
                    *slot = Some(at(free, x, y));
                }
            }
            for y in bottom.max(top)..(bottom + by).min(height) {
                if let Some(slot) = uncovered.slot(x, y) {
                    slot.get_or_insert_with(|| at(m.before, x, y));
                }
            }
        }
    }
    let m = &moves[moves.len() / 2];
    let masks: Vec<Mask> = STRONG
        .iter()
        .filter_map(|share| silhouette(&moves, &uncovered, &at, *share))
        .collect();
    let steps = steps(&moves);
    let first_top = steps.first()?.top as f64;
    let fallen = m.top as f64 - first_top;
    let least = steps.iter().map(|s| s.by).min()?;
    // Steps of equal length (fractional cells alternate by a pixel) are rows, or a whole number of them.
    let stepped = |unit: f64| {
        steps.iter().all(|s| {
            let rows = s.by as f64 / unit;
            rows.round() >= 1.0 && (s.by as f64 - rows.round() * unit).abs() <= 2.1
        })
    };
    let mut best: Option<(Fit, bool, f64)> = None;
    let mut offer = |fit: Option<Fit>, smooth: bool, bonus: f64| {
        if let Some(fit) = fit {
            let score = fit.score + bonus;
            if best.as_ref().is_none_or(|b| score > b.2) {
                best = Some((fit, smooth, score));
            }
        }
    };
    // Looks that show it at rest between its steps are closer together than these: each step is one row.
    let rests = steps
        .windows(2)
        .filter(|w| w[1].before > w[0].after)
        .count();
    let rested = rests > 2 || rests > 0 && rests * 2 >= steps.len() - 1;
    let mut even = false;
    for rows in 1..=if rested { 1 } else { 4usize } {
        let unit = least as f64 / rows as f64;
        if unit < 5.0 || !stepped(unit) {
            continue;
        }
        let height = exact_step(&steps, unit).unwrap_or(unit);
        let fits = masks.iter().filter_map(|m| cells_of_height(m, height));
        let bonus = 0.3 - 0.1 * (rows as f64 - 1.0);
        for fit in squarest(fits) {
            // What is worth nothing tells nothing: a bar that glides by a quarter of its height is eight flat cells, too.
            even |= fit.score + bonus > WORTHLESS;
            offer(Some(fit), false, bonus);
        }
    }
    // Cells that the structure gives may hold little of their blocks: a letter, a dot.
    if let Some(size) = cell.filter(|c| stepped(c.1)) {
        for mask in &masks {
            let fit = cells_of_size(mask, size);
            even |= fit.is_some();
            offer(fit, false, 0.4);
        }
    }
    if moves.len() >= 2 && !(rested && even) {
        for mask in &masks {
            let fit = cells_of(mask).filter(|f| f.cell_w.min(f.cell_h) >= SMALLEST_GLIDING);
            offer(fit, true, 0.0);
        }
    }
    let (mut fit, mut smooth, score) = best?;
    if smooth && stepped(fit.cell_h) {
        smooth = false;
    }
    square(&mut fit, smooth);
    // What went down by less than a row, or is larger than a cell of any board in sight, is something else.
    let end = steps.last().map(|s| s.top + s.by)?;
    if (end as f64 - first_top) < 0.9 * fit.cell_h || fit.cell_h * FEWEST_ROWS > height as f64 {
        return None;
    }
    fit.y0 -= fallen;
    let share = moves.iter().map(|m| m.share).sum::<f64>() / moves.len() as f64;
    let long = (steps.len() as f64).min(6.0) / 6.0;
    Some(Fall {
        score: (score - WORTHLESS).clamp(0.0, 1.0) * share * (0.4 + 0.6 * long),
        moves,
        steps,
        fit,
        uncovered,
        smooth,
        rested: rested && even && !smooth,
    })
}

/// Of fits to the same cells the one whose cells are nearest to squares: a glow makes them wider, never higher than the
/// steps are long.
fn squarest(fits: impl Iterator<Item = Fit>) -> Vec<Fit> {
    let off = |f: &Fit| (f.cell_w / f.cell_h).ln().abs();
    let mut best: Vec<Fit> = Vec::new();
    for fit in fits {
        match best.iter_mut().find(|b| b.cells == fit.cells) {
            Some(b) if off(&fit) < off(b) => *b = fit,
            Some(_) => {}
            None => best.push(fit),
        }
    }
    best
}

/// Width and height of cells that differ by less than what can be measured on one piece are equal; the height, measured
/// over many steps, is the better one. The height of what glides blurs into its motion; there the width is.
fn square(fit: &mut Fit, smooth: bool) {
    if smooth && (fit.cell_h - fit.cell_w).abs() < BLURRED * fit.cell_w {
        fit.cell_h = fit.cell_w;
        return;
    }

    let columns = f64::from(fit.cells.iter().map(|c| c.0 + 1).max().unwrap_or(1));
    let off = (fit.cell_h - fit.cell_w) * columns;
    if off.abs() <= 2.0 {
        fit.cell_w = fit.cell_h;
        fit.x0 -= off / 2.0;
    }
}

/// The exact length of a row when steps alternate by a pixel: all pixels fallen over all rows fallen.
fn exact_step(steps: &[Step], unit: f64) -> Option<f64> {
    let (first, last) = (steps.first()?, steps.last()?);
    let rows: f64 = steps.iter().map(|s| (s.by as f64 / unit).round()).sum();
    let pixels = (last.top + last.by) as f64 - first.top as f64;
    (rows > 0.0).then_some(pixels / rows)
}

/// What the thing covers, at its place before the middle one of its moves: there most of the background around it is
/// known, and what differs from it by a good `share` of what the thing's strongest pixels do is the thing. (Faint edges
/// of a scaled picture, and glows, are not.)
fn silhouette(
    moves: &[Move],
    uncovered: &Uncovered,
    at: &impl Fn(usize, usize, usize) -> [u8; 3],
    share: f64,
) -> Option<Mask> {
    let m = &moves[moves.len() / 2];
    // None: outside; infinite: covered all along.
    let contrast = |x: usize, y: usize| -> Option<u8> {
        let (top, bottom) = m.columns[x - m.x0]?;
        if y < top || y >= bottom {
            return None;
        }
        let Some(b) = uncovered.get(x, y) else {
            return Some(u8::MAX);
        };
        let p = at(m.before, x, y);
        p.iter().zip(b).map(|(p, q)| p.abs_diff(q)).max()
    };
    let mut known: Vec<u8> = (m.top..m.bottom)
        .flat_map(|y| (m.x0..m.x1()).map(move |x| (x, y)))
        .filter(|&(x, y)| uncovered.get(x, y).is_some())
        .filter_map(|(x, y)| contrast(x, y))
        .filter(|&c| c > 3)
        .collect();
    known.sort_unstable();
    let strong = known.get(known.len() * 9 / 10).copied().unwrap_or(12);
    let least = ((f64::from(strong) * share) as u8).max(3);
    // What glides by a part of a pixel leaves single ones of its edge behind that were never seen without it.
    Mask::collect(m.x0..m.x1(), m.top..m.bottom, |x, y| {
        contrast(x, y).is_some_and(|c| c > least)
    })?
    .without_specks()
}
