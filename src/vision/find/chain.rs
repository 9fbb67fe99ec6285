//! Moves that follow one another: one thing falling.
//!
//! Comes in: moves of a region. Goes out: falls, each with the silhouette of what fell and the cells it is made of.
//! Must never know: other regions.

use super::Look;
use super::changes::Region;
use super::moves::Move;
use super::shape::{Fit, Mask, cells_of, cells_of_height};
use std::collections::HashMap;

/// Places that should be equal may differ by this many pixels: scaled and fractional cells are drawn to either side.
const SLACK: usize = 2;

/// One thing that fell.
#[derive(Debug, Clone)]
pub struct Fall {
    /// Its moves in the order of time.
    pub moves: Vec<Move>,
    /// What it is made of, at its place before the first move.
    pub fit: Fit,
    /// Pixels of background that its leaving or coming uncovered, by index.
    pub uncovered: HashMap<usize, [u8; 3]>,
    /// Does it glide by parts of a cell?
    pub smooth: bool,
    /// Rows a move goes down, for stepped falls.
    pub score: f64,
}

impl Fall {
    /// Pixel row of its top at each of its positions, with the index of the look from which on it was there.
    pub fn tops(&self) -> Vec<(usize, f64)> {
        let first = &self.moves[0];
        let mut out = vec![(first.before, self.fit.y0)];
        let mut y = self.fit.y0;
        for m in &self.moves {
            y += m.by as f64;
            out.push((m.before + 1, y));
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

/// Joins moves to falls.
pub fn chains(looks: &[Look<'_>], _region: &Region, moves: Vec<Move>) -> Vec<Fall> {
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
        .filter_map(|chain| fall(looks, chain))
        .collect()
}

fn fall(looks: &[Look<'_>], moves: Vec<Move>) -> Option<Fall> {
    let width = looks[0].raster.width() as usize;
    let at = |look: usize, x: usize, y: usize| -> [u8; 3] {
        let i = (y * width + x) * 3;
        let rgb = looks[look].raster.rgb();
        [rgb[i], rgb[i + 1], rgb[i + 2]]
    };
    let mut uncovered = HashMap::new();
    for m in &moves {
        for (i, span) in m.columns.iter().enumerate() {
            let Some((top, bottom)) = *span else { continue };
            let x = m.x0 + i;
            for y in top..(top + m.by).min(bottom + m.by) {
                uncovered.insert(y * width + x, at(m.before + 1, x, y));
            }
            for y in bottom.max(top)..bottom + m.by {
                uncovered
                    .entry(y * width + x)
                    .or_insert_with(|| at(m.before, x, y));
            }
        }
    }
    // The silhouette: of all positions the one over the most known background.
    let first = &moves[0];
    let m = &moves[moves.len() / 2];
    let mask = Mask::collect(m.x0..m.x1(), m.top..m.bottom, |x, y| {
        m.columns[x - m.x0].is_some_and(|(top, bottom)| {
            y >= top
                && y < bottom
                && uncovered.get(&(y * width + x)).is_none_or(|b| {
                    at(m.before, x, y)
                        .iter()
                        .zip(b)
                        .any(|(p, q)| p.abs_diff(*q) > 3)
                })
        })
    })?;
    let fallen: usize = moves[..moves.len() / 2].iter().map(|m| m.by).sum();
    let least = moves.iter().map(|m| m.by).min()?;
    let total: usize = moves.iter().map(|m| m.by).sum();
    // Steps of equal length (fractional cells alternate by a pixel) are rows, or a whole number of them.
    let stepped = |unit: f64| {
        moves.iter().all(|m| {
            let rows = m.by as f64 / unit;
            rows.round() >= 1.0 && (m.by as f64 - rows.round() * unit).abs() <= 1.6
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
    for rows in 1..=4usize {
        let unit = least as f64 / rows as f64;
        if unit < 5.0 || !stepped(unit) {
            continue;
        }
        let exact = exact_step(&moves, unit).unwrap_or(total as f64 / moves.len() as f64);
        let bonus = 0.3 - 0.1 * (rows as f64 - 1.0);
        offer(cells_of_height(&mask, exact), false, bonus);
    }
    if moves.len() >= 2 {
        offer(cells_of(&mask), true, 0.0);
    }
    let (mut fit, mut smooth, score) = best?;
    if smooth && stepped(fit.cell_h) {
        smooth = false;
    }
    fit.y0 -= fallen as f64;
    // The silhouette was taken at a later move; columns may begin a pixel aside of the first.
    let share = moves.iter().map(|m| m.share).sum::<f64>() / moves.len() as f64;
    let _ = first;
    let steps = (moves.len() as f64).min(6.0) / 6.0;
    Some(Fall {
        score: (score - 0.5).clamp(0.0, 1.0) * share * (0.4 + 0.6 * steps),
        moves,
        fit,
        uncovered,
        smooth,
    })
}

/// The exact length of a row when steps alternate by a pixel: all pixels fallen over all rows fallen.
fn exact_step(moves: &[Move], unit: f64) -> Option<f64> {
    let rows: f64 = moves.iter().map(|m| (m.by as f64 / unit).round()).sum();
    let pixels: usize = moves.iter().map(|m| m.by).sum();
    (rows > 0.0).then(|| pixels as f64 / rows)
}
