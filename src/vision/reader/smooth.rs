//! A piece seen between two rows is put into the row where most of it is, also one whose edges are lost in its glow.
//!
//! Comes in: how each cell differs from empty, and where in it. Goes out: the strengths, corrected.
//! Must never know: colours, pieces.

use crate::vision::cells::Difference;

/// A cell is partly covered when the parts left free above and below differ by more than this.
const UNEVEN: f32 = 0.2;

/// Less of a cell than this is spilt over from its neighbour.
const SPILL: f32 = 0.3;

#[derive(Clone, Copy, PartialEq)]
enum Cover {
    None,
    Whole,
    /// Only the lower part: the top end of something.
    Lower,
    /// Only the upper part: the bottom end of something.
    Upper,
}

fn cover(d: &Difference, strength: f32, threshold: f32) -> Cover {
    if d.share == 0.0 || (strength <= threshold && d.whole <= threshold / 2.0) {
        return Cover::None;
    }
    let (above, below) = (d.top, 1.0 - d.bottom);
    if above - below > UNEVEN {
        Cover::Lower
    } else if below - above > UNEVEN {
        Cover::Upper
    } else if strength > threshold {
        Cover::Whole
    } else {
        Cover::None
    }
}

/// The side of a cell that something leaves free differs by less than this share of its other side, whatever glow
/// lies there.
const FREE_SIDE: f32 = 0.75;
/// Cosine between what two parts of one piece add to the ground: glow blends their colour with it.
const ONE_COLOUR: f32 = 0.97;
/// All columns of a piece are as far on their way, but for this share of a cell.
const AS_FAR: f32 = 0.2;

/// The two ends of something between two rows cover no more than this of their cells together: two blocks whose lines
/// are sampled unevenly cover both.
const ONE_CELL: f32 = 1.5;

/// What is halved by two rows is together at least this share as strong as blocks are: colours differ.
const AS_STRONG: f32 = 0.6;

/// What is spilt over differs by less than this share of what spills.
const SPILT: f32 = 0.5;

/// At its far side what is spilt over differs by less than this share of its inner part: what is as strong there is a faint
/// block, or a ghost, with a rim of its neighbour's light.
const FARTHER: f32 = 0.8;

/// At its far side what covers its cell evenly differs by at least this share of its inner part.
const EVEN: f32 = 0.95;
/// A line covers no more of its cell than this, as far as it is sampled.
const LINE: f32 = 0.13;

/// A piece on its way whose edges are lost in its own glow, column by column.
struct Glide {
    first: usize,
    last: usize,
    /// Share of a cell that it is below the upper row.
    below: f32,
}

/// Corrects the strengths of a shining piece between two rows: it leaves the upper side of its first cells free and the
/// lower side of its last ones. `snapped` is how far other columns of it are below the upper row, whose edges showed.
/// Says how far that is, as a share of a cell, if there is such a piece.
pub fn glide(
    differences: &[Difference],
    strength: &mut [f32],
    ground: &[[u8; 3]],
    columns: usize,
    threshold: f32,
    snapped: Option<f32>,
) -> Option<f32> {
    let rows = differences.len().checked_div(columns)?;
    let at = |c: usize, r: usize| r * columns + c;
    let solid = |i: usize| strength[i] > threshold;
    let lower = |d: &Difference| d.sides[0] < d.sides[1] * FREE_SIDE;
    let upper = |d: &Difference| d.sides[1] < d.sides[0] * FREE_SIDE;
    let falls_off = |i: usize, far: usize| {
        let d = &differences[i];
        let beyond = if far == 0 {
            i.checked_sub(columns)
        } else {
            Some(i + columns).filter(|b| *b < differences.len())
        };
        // What lies there shines as well.
        let lit = beyond.is_some_and(|b| solid(b) && differences[b].strength() > d.strength());
        lit || d.sides[far] < d.inner * FARTHER
    };
    // An outline covers no part of its cell, and is as strong at its far side as at the others.
    let outline = |i: usize, far: usize| {
        differences[i].core[1] <= differences[i].core[0] && !falls_off(i, far)
    };
    // Nor does what is as strong at its far side as in the middle, but for a line: a ghost with a border.
    let even = |i: usize, far: usize, covers: f32| {
        covers <= LINE && differences[i].sides[far] >= differences[i].inner * EVEN
    };
    let begins = |i: usize| {
        let d = &differences[i];
        lower(d) && !outline(i, 0) && !even(i, 0, 1.0 - d.core[0])
    };
    let ends_in = |i: usize| {
        let d = &differences[i];
        upper(d) && !outline(i, 1) && !even(i, 1, d.core[1])
    };
    let mut glides: Vec<Glide> = Vec::new();
    for c in 0..columns {
        for r in 0..rows {
            let first = at(c, r);
            if !solid(first) || !begins(first) {
                continue;
            }
            let whole = (r + 1..rows)
                .take_while(|&k| {
                    let d = &differences[at(c, k)];
                    solid(at(c, k)) && !lower(d) && !upper(d)
                })
                .count();
            let last = at(c, r + 1 + whole);
            let ends = r + 1 + whole < rows && solid(last) && ends_in(last);
            if !ends
                || 1.0 - differences[first].core[0] + differences[last].core[1] > ONE_CELL
                || !one_colour(differences, ground, first, last)
            {
                continue;
            }
            let below = differences[last].core[1];
            glides.push(Glide { first, last, below });
        }
    }
    // What is nearly in its row covers a little of the next one, and shines onto the rest of it.
    let spilt = |i: usize, from: usize, covers: f32| {
        solid(i)
            && solid(from)
            && covers < SPILL
            && differences[i].strength() < differences[from].strength() * SPILT
            && one_colour(differences, ground, i, from)
    };
    let spilt: Vec<usize> = (0..differences.len())
        .filter(|&i| {
            if glides.iter().any(|g| g.first == i || g.last == i) {
                return false;
            }
            let d = &differences[i];
            let from_above = upper(d) && falls_off(i, 1);
            let from_below = lower(d) && falls_off(i, 0);
            let above = i.checked_sub(columns).filter(|_| from_above);
            let below = Some(i + columns).filter(|b| from_below && *b < differences.len());
            above.is_some_and(|a| spilt(i, a, d.core[1]))
                || below.is_some_and(|b| spilt(i, b, 1.0 - d.core[0]))
        })
        .collect();
    for i in spilt {
        strength[i] = 0.0;
    }
    let low = glides.iter().map(|g| g.below).fold(1.0, f32::min);
    let high = glides.iter().map(|g| g.below).fold(0.0, f32::max);
    if glides.is_empty() || high - low > AS_FAR {
        return None;
    }
    let mut below = f32::midpoint(low, high);
    // A glow makes edges that show seem farther apart than they are.
    if let Some(snapped) = snapped.filter(|s| (s - below).abs() <= 2.0 * AS_FAR) {
        below = snapped;
    }
    for g in &glides {
        let (stays, goes) = if below < 0.5 {
            (g.first, g.last)
        } else {
            (g.last, g.first)
        };
        strength[stays] = strength[stays].max(strength[goes]);
        strength[goes] = 0.0;
    }
    Some(below)
}

/// Do both differ from their ground in the same direction?
fn one_colour(differences: &[Difference], ground: &[[u8; 3]], a: usize, b: usize) -> bool {
    let adds =
        |i: usize| [0, 1, 2].map(|k| f32::from(differences[i].colour[k]) - f32::from(ground[i][k]));
    let (a, b) = (adds(a), adds(b));
    let dot = |a: &[f32; 3], b: &[f32; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(&a, &b) >= ONE_COLOUR * (dot(&a, &a) * dot(&b, &b)).sqrt()
}

/// What begins in the lower part of a cell and ends in the upper part of another one.
struct Run {
    column: usize,
    /// Its first and its last row.
    rows: (usize, usize),
    /// Where it begins and ends, in rows.
    top: f32,
    bottom: f32,
}

/// Corrects strengths column by column: a run that begins in the lower part of a cell and ends in the upper part
/// of another is as many cells as it is long, from the row nearest to its top. All columns of a piece are equally far
/// on their way: halfway between two rows they go into the same one. Both ends of it are together as strong as a whole
/// `block`, if they are a block's. Says how far that is below the upper row, as a share of a cell.
pub fn snap(
    differences: &[Difference],
    strength: &mut [f32],
    columns: usize,
    rows: usize,
    threshold: f32,
    block: f32,
) -> Option<f32> {
    let mut runs: Vec<Run> = Vec::new();
    for c in 0..columns {
        let at = |r: usize| r * columns + c;
        let covers: Vec<Cover> = (0..rows)
            .map(|r| cover(&differences[at(r)], strength[at(r)], threshold))
            .collect();
        let mut r = 0;
        while r < rows {
            if covers[r] != Cover::Lower {
                // The end of something that is nearly in its row, spilt over into the next one.
                let spilt = r > 0 && differences[at(r)].bottom - differences[at(r)].top < SPILL;
                if covers[r] == Cover::Upper && spilt && covers[r - 1] == Cover::Whole {
                    strength[at(r)] = 0.0;
                }
                r += 1;
                continue;
            }
            let mut end = r + 1;
            while end < rows && covers[end] == Cover::Whole {
                end += 1;
            }
            if end < rows && covers[end] == Cover::Upper {
                runs.push(Run {
                    column: c,
                    rows: (r, end),
                    top: r as f32 + differences[at(r)].top,
                    bottom: end as f32 + differences[at(end)].bottom,
                });
                r = end + 1;
            } else {
                r = end;
            }
        }
    }
    let far = |run: &Run| run.top.fract();
    let low = runs.iter().map(far).fold(1.0, f32::min);
    let high = runs.iter().map(far).fold(0.0, f32::max);
    let together = (!runs.is_empty() && high - low <= AS_FAR).then_some(f32::midpoint(low, high));
    for run in &runs {
        let top = run.top.floor() + together.unwrap_or_else(|| far(run));
        let (r, end) = run.rows;
        let count = (run.bottom - run.top).round().max(1.0) as usize;
        let first = (top.round() as usize).min(end + 1 - count.min(end + 1));
        let at = |k: usize| k * columns + run.column;
        let all = || (r..=end).map(|k| strength[at(k)]);
        let whole = Some(all().sum::<f32>() / count as f32).filter(|s| *s >= block * AS_STRONG);
        let full = all().fold(whole.unwrap_or_default(), f32::max);
        for k in r..=end {
            let inside = k >= first && k < first + count;
            strength[at(k)] = if inside { full } else { 0.0 };
        }
    }
    together
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One column of a board, from above: what each cell's top, bottom and whole differ by; which cells are left.
    fn check(column: &[(f32, f32, f32)], below: Option<f32>, expected: &str) {
        let differences: Vec<Difference> = column
            .iter()
            .map(|&(top, bottom, whole)| Difference {
                whole,
                inner: whole,
                sides: [top, bottom, whole, whole],
                core: if top < bottom {
                    [1.0 - whole / 120.0, 1.0]
                } else {
                    [0.0, whole / 120.0]
                },
                colour: [10, 60, 90],
                ..Difference::default()
            })
            .collect();
        let ground = vec![[10; 3]; column.len()];
        let mut strength: Vec<f32> = differences.iter().map(Difference::strength).collect();
        let said = glide(&differences, &mut strength, &ground, 1, 10.0, None);
        assert_eq!(said.map(|b| (b * 10.0).round() / 10.0), below);
        let left: String = strength
            .iter()
            .map(|s| if *s > 10.0 { '#' } else { '.' })
            .collect();
        assert_eq!(left, expected);
    }

    const NONE: (f32, f32, f32) = (0.0, 0.0, 0.0);
    const FULL: (f32, f32, f32) = (120.0, 120.0, 120.0);

    #[test]
    fn a_shining_piece_between_two_rows_is_where_most_of_it_is() {
        check(
            &[NONE, (10.0, 120.0, 70.0), (120.0, 8.0, 59.0), NONE],
            Some(0.5),
            ".#..",
        );
        check(
            &[NONE, (66.0, 120.0, 110.0), (108.0, 3.0, 24.0), NONE],
            Some(0.2),
            ".#..",
        );
        check(
            &[(3.0, 108.0, 30.0), FULL, (120.0, 66.0, 96.0), NONE],
            Some(0.8),
            ".##.",
        );
        // Just above what lies there, whose glow comes up to it.
        check(
            &[NONE, (10.0, 120.0, 70.0), (120.0, 50.0, 58.0), FULL],
            Some(0.5),
            ".#.#",
        );
    }

    #[test]
    fn what_is_at_rest_stays() {
        check(&[NONE, FULL, FULL, FULL], None, ".###");
        // A faint ghost on a block that shines: it is as strong at its far side.
        check(&[NONE, (24.0, 88.0, 27.0), FULL, NONE], None, ".##.");
        // Lit from above and dark below, each of them.
        check(&[(120.0, 30.0, 80.0); 3], None, "###");
        check(&[(30.0, 120.0, 80.0); 3], None, "###");
        // Two blocks in a coarse picture, where a line of the board falls onto the edge of some cells only.
        check(
            &[NONE, (80.0, 120.0, 112.0), (120.0, 60.0, 105.0), NONE],
            None,
            ".##.",
        );
    }

    #[test]
    fn an_outline_on_a_block_that_is_brighter_above_is_no_end_of_it() {
        let outline = Difference {
            whole: 18.0,
            inner: 10.4,
            ring: 21.0,
            sides: [21.0, 45.0, 21.0, 21.0],
            core: [1.0, 0.0],
            colour: [10, 60, 90],
            ..Difference::default()
        };
        let block = Difference {
            whole: 120.0,
            inner: 120.0,
            ring: 90.0,
            sides: [140.0, 90.0, 120.0, 120.0],
            core: [0.0, 1.0],
            colour: [10, 60, 90],
            ..Difference::default()
        };
        let mut strength = vec![outline.strength(), block.strength()];
        let was = strength.clone();
        let ground = [[10; 3]; 2];
        let said = glide(&[outline, block], &mut strength, &ground, 1, 10.0, None);
        assert_eq!((said, strength), (None, was));
    }

    #[test]
    fn a_ghost_on_the_bright_border_of_a_block_is_no_end_of_it() {
        let cell = |inner: f32, sides: [f32; 4], colour: [u8; 3]| Difference {
            whole: inner,
            inner,
            ring: sides[2],
            sides,
            core: [0.875, 1.0],
            colour,
            ..Difference::default()
        };
        let ghost = cell(37.0, [36.7, 95.7, 37.0, 37.0], [63, 64, 55]);
        let block = cell(186.0, [186.0, 120.0, 180.0, 180.0], [242, 229, 89]);
        let mut strength = vec![ghost.strength(), block.strength()];
        let was = strength.clone();
        let ground = [[5, 7, 14]; 2];
        let said = glide(&[ghost, block], &mut strength, &ground, 1, 18.0, None);
        assert_eq!((said, strength), (None, was));
    }

    #[test]
    fn halfway_between_two_rows_all_columns_of_a_piece_go_into_the_same_one() {
        // Three columns of one cell, as far on their way but for an eighth of a cell.
        let cell = |top: f32, bottom: f32| Difference {
            whole: 100.0 * (bottom - top),
            inner: 100.0 * (bottom - top),
            share: bottom - top,
            top,
            bottom,
            ..Difference::default()
        };
        let tops = [0.375, 0.5, 0.5];
        let mut differences: Vec<Difference> = tops.iter().map(|t| cell(*t, 1.0)).collect();
        differences.extend(tops.iter().map(|t| cell(0.0, *t)));
        differences.extend([Difference::default(); 3]);
        let mut strength: Vec<f32> = differences.iter().map(Difference::strength).collect();
        snap(&differences, &mut strength, 3, 3, 10.0, 100.0);
        let rows: Vec<usize> = (0..9)
            .filter(|i| strength[*i] > 10.0)
            .map(|i| i / 3)
            .collect();
        assert_eq!(rows, [0, 0, 0]);
    }
}
