//! Of all that falls the one that is a game's piece, and the lattice on which it does.
//!
//! Comes in: falls. Goes out: the best of them with lattice, positions and background. Must never know: the page.

use super::chain::Fall;
use super::changes::Changes;
use super::ruled::rows_off;
use super::sharpen::{Exactness, sharpen};
use super::{Falling, Hint, Lattice, Look};
use crate::model::{Raster, Rect};

/// More things than this falling at the same time are rain, not a game (two games may stand side by side).
const AT_ONCE: usize = 2;

/// Where the piece was in one of the looks.
struct Position {
    look: usize,
    /// In pixels.
    top: f64,
    cells: Vec<(i32, i32)>,
}

/// Picks the fall that is most like a piece's and tells all about it.
pub fn choose(
    looks: &[Look<'_>],
    changes: &Changes,
    falls: &[Fall],
    hints: &[Hint],
) -> Option<Falling> {
    // What moved only once may have been anything.
    let mut ranked: Vec<(f64, &Fall)> = falls
        .iter()
        .filter(|f| f.steps.len() >= 2 && alone(f, falls, hints))
        .map(|f| (f.score + hinted(f, hints) - small(f), f))
        .filter(|(s, _)| *s > 0.2)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let &(score, best) = ranked.first()?;
    let mates: Vec<&Fall> = ranked
        .iter()
        .map(|r| r.1)
        .filter(|f| std::ptr::eq(*f, best) || mates(best, f))
        .collect();
    let bounds = mates
        .iter()
        .map(|f| f.bounds())
        .reduce(|a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2), a.3.max(b.3)))?;
    let area = Rect::new(bounds.0, bounds.1, bounds.2 - bounds.0, bounds.3 - bounds.1);
    let lattice = sharpen(refine(best, &mates), exactness(best), area, hints);
    let mut positions: Vec<Position> = Vec::new();
    for fall in &mates {
        let column = ((fall.fit.x0 - lattice.x0) / lattice.cell_w).round() as i32;
        let mut tops = fall.tops();
        tops.push((fall.looks().1 + 1, 0.0));
        for pair in tops.windows(2) {
            let row = ((pair[0].1 - lattice.y0) / lattice.cell_h).round() as i32;
            let cells: Vec<_> = fall
                .fit
                .cells
                .iter()
                .map(|&(c, r)| (c + column, r + row))
                .collect();
            for look in pair[0].0..pair[1].0 {
                positions.push(Position {
                    look,
                    top: pair[0].1,
                    cells: cells.clone(),
                });
            }
        }
    }
    positions.sort_by_key(|p| p.look);
    positions.dedup_by_key(|p| p.look);
    let others = ranked
        .iter()
        .filter(|(s, f)| *s > 0.5 * score && !mates.iter().any(|m| std::ptr::eq(*m, *f)))
        .map(|(_, f)| {
            let b = f.bounds();
            Rect::new(b.0, b.1, b.2 - b.0, b.3 - b.1)
        })
        .collect();
    let rows: f64 = best
        .steps
        .iter()
        .map(|s| s.by as f64 / lattice.cell_h)
        .sum();
    let why = format!(
        "{} of {} cells {} {rows:.1} rows in {} steps at x {:.0}, cell {:.2}x{:.2} px",
        best.fit
            .kind
            .map_or("a shape".into(), |k| format!("{} piece", k.letter())),
        best.fit.cells.len(),
        if best.smooth { "glided down" } else { "fell" },
        best.steps.len(),
        best.fit.x0,
        lattice.cell_w,
        lattice.cell_h,
    );
    let mut found = Falling {
        lattice,
        tops: positions.iter().map(|p| p.top).collect(),
        positions: positions
            .into_iter()
            .map(|p| (looks[p.look].game_ms, p.cells))
            .collect(),
        kind: best.fit.kind,
        gravity_ms: gravity(looks, best, lattice.cell_h),
        smooth: best.smooth,
        background: background(looks, changes, &mates)?,
        area,
        confidence: score.clamp(0.0, 1.0),
        others,
        why,
    };
    if found.smooth
        && let Some(off) = rows_off(&found).filter(|off| off.abs() >= OFF)
    {
        found.lay_on(Lattice {
            y0: lattice.y0 + off,
            ..lattice
        });
    }
    Some(found)
}

/// Pixels by which ruled lines may be off the rows without moving them: a line lies beside the edge it marks.
const OFF: f64 = 2.0;

/// A game has one falling piece at a time; of many that fall together none is it. What rests between its steps is
/// told from decorations that glide; what falls inside another place of the page's structure is another game.
fn alone(fall: &Fall, all: &[Fall], hints: &[Hint]) -> bool {
    let (from, to) = fall.looks();
    let (x0, y0, x1, y1) = fall.bounds();
    let home = home(fall, hints);
    let together = all
        .iter()
        .filter(|o| o.score > 0.3 * fall.score && (o.rested || !fall.rested))
        .filter(|o| {
            let (a, b) = o.looks();
            let (ox0, oy0, ox1, oy1) = o.bounds();
            let apart = ox1 <= x0 || ox0 >= x1 || oy1 <= y0 || oy0 >= y1;
            let elsewhere = home
                .is_some_and(|h| ox1 <= h.x || ox0 >= h.right() || oy1 <= h.y || oy0 >= h.bottom());
            a < to && b > from && apart && !elsewhere
        })
        .count();
    together < AT_ONCE
}

/// The smallest hinted place around a fall.
fn home(fall: &Fall, hints: &[Hint]) -> Option<Rect> {
    let (x0, y0, x1, y1) = fall.bounds();
    let around = |h: &&Hint| {
        x0 >= h.rect.x - 2.0
            && y0 >= h.rect.y - 2.0
            && x1 <= h.rect.right() + 2.0
            && y1 <= h.rect.bottom() + 2.0
    };
    let size = |r: &Rect| r.width * r.height;
    let places = hints.iter().filter(around).map(|h| h.rect);
    places.min_by(|a, b| size(a).total_cmp(&size(b)))
}

/// One or two cells that fall are seldom a piece.
fn small(fall: &Fall) -> f64 {
    if fall.fit.cells.len() < 3 { 0.3 } else { 0.0 }
}

/// Structure sharpens what motion shows: a hinted place around the fall that is not much larger than a board.
fn hinted(fall: &Fall, hints: &[Hint]) -> f64 {
    let (x0, y0, x1, y1) = fall.bounds();
    let inside = hints.iter().any(|h| {
        x0 >= h.rect.x - 2.0
            && y0 >= h.rect.y - 2.0
            && x1 <= h.rect.right() + 2.0
            && y1 <= h.rect.bottom() + 2.0
            && (h.rect.width < 40.0 * fall.fit.cell_w && h.rect.height < 40.0 * fall.fit.cell_h)
    });
    if inside { 0.1 } else { 0.0 }
}

/// Pixels by which the way from the first place to the last may be mistaken: half of one at either end, and as much
/// where edges are blurred.
const FALLEN_OFF: f64 = 1.5;
/// Pixels by which both edges of a silhouette may be mistaken together: a gap between blocks, an outline.
const EDGES_OFF: f64 = 2.5;
/// The same of the upper and the lower edge of what glides: drawn at parts of a pixel they are faint, too.
const GLIDING_EDGES_OFF: f64 = 4.0;

/// How exactly size and phase are known: edges of a silhouette to [`EDGES_OFF`], the length of a row to [`FALLEN_OFF`]
/// over all rows fallen.
fn exactness(fall: &Fall) -> Exactness {
    let across = f64::from(fall.fit.cells.iter().map(|c| c.0 + 1).max().unwrap_or(1));
    let down = f64::from(fall.fit.cells.iter().map(|c| c.1 + 1).max().unwrap_or(1));
    let fallen: f64 = fall.steps.iter().map(|s| s.by as f64).sum();
    let edges = |off: f64, cell: f64, n: f64| off / (cell * n) + 0.005;
    Exactness {
        width: edges(EDGES_OFF, fall.fit.cell_w, across),
        height: if fall.smooth {
            edges(GLIDING_EDGES_OFF, fall.fit.cell_h, down)
        } else {
            FALLEN_OFF / fallen.max(1.0) + 0.001
        },
        rows: !fall.smooth,
    }
}

/// Do two falls belong to the same board: cells of one size, on one lattice, near each other?
fn mates(best: &Fall, other: &Fall) -> bool {
    let (a, b) = (&best.fit, &other.fit);
    let close = |p: f64, q: f64| (p - q).abs() <= 0.06 * p;
    let phase = |p: f64, q: f64, unit: f64| {
        let d = (p - q) / unit;
        (d - d.round()).abs() < 0.15
    };
    close(a.cell_w, b.cell_w)
        && close(a.cell_h, b.cell_h)
        && phase(a.x0, b.x0, a.cell_w)
        && (a.x0 - b.x0).abs() < 30.0 * a.cell_w
        && (best.smooth || phase(a.y0, b.y0, a.cell_h))
}

/// Size and phase by least squares over all edges seen.
fn refine(best: &Fall, mates: &[&Fall]) -> Lattice {
    let mut across = Vec::new();
    let mut down = Vec::new();
    for fall in mates {
        let column = ((fall.fit.x0 - best.fit.x0) / best.fit.cell_w).round();
        let width = fall.fit.cells.iter().map(|c| c.0 + 1).max().unwrap_or(1);
        across.push((column, fall.fit.x0));
        across.push((
            column + f64::from(width),
            fall.fit.x0 + f64::from(width) * fall.fit.cell_w,
        ));
        if !best.smooth {
            for (_, top) in fall.tops() {
                down.push((((top - best.fit.y0) / best.fit.cell_h).round(), top));
            }
        }
    }
    let (x0, cell_w) = line(&across).unwrap_or((best.fit.x0, best.fit.cell_w));
    let (y0, cell_h) = line(&down).unwrap_or((best.fit.y0, best.fit.cell_h));
    Lattice {
        x0,
        y0,
        cell_w,
        cell_h,
    }
}

/// Least squares: where index 0 lies, and the distance from one index to the next.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let (mx, my) = (
        points.iter().map(|p| p.0).sum::<f64>() / n,
        points.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    (sxx > 0.0).then(|| (my - sxy / sxx * mx, sxy / sxx))
}

/// Game time a row, over the whole fall.
fn gravity(looks: &[Look<'_>], fall: &Fall, cell_h: f64) -> Option<f64> {
    let (first, last) = (fall.steps.first()?, fall.steps.last()?);
    let ms = looks[last.before].game_ms - looks[first.before].game_ms;
    let pixels = last.top as f64 - first.top as f64;
    (pixels > 0.0 && ms > 0.0).then(|| ms * cell_h / pixels)
}

/// The region without the piece: what falls uncovered, elsewhere what was there for most of the time.
fn background(looks: &[Look<'_>], changes: &Changes, mates: &[&Fall]) -> Option<Raster> {
    let mut rgb = looks.first()?.raster.rgb().to_vec();
    let mut seen: Vec<([u8; 3], u32)> = Vec::new();
    for (i, &n) in changes.counts.iter().enumerate() {
        if n == 0 {
            continue;
        }
        seen.clear();
        for look in looks {
            let p = &look.raster.rgb()[3 * i..3 * i + 3];
            let v = [p[0], p[1], p[2]];
            match seen.iter_mut().find(|s| s.0 == v) {
                Some(s) => s.1 += 1,
                None => seen.push((v, 1)),
            }
        }
        let mut best = seen[0];
        for s in &seen[1..] {
            if s.1 > best.1 {
                best = *s;
            }
        }
        rgb[3 * i..3 * i + 3].copy_from_slice(&best.0);
    }
    for fall in mates {
        for ((x, y), colour) in fall.uncovered.iter() {
            let i = (y * changes.width + x) * 3;
            rgb[i..i + 3].copy_from_slice(&colour);
        }
    }
    Raster::from_rgb(changes.width as u32, changes.height as u32, rgb)
}
