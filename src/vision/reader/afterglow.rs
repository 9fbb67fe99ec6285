//! What is left where a piece was a moment ago, on pages that do not wipe a picture away at once, is no block.
//!
//! Comes in: how each cell differs from empty, and what it was before. Goes out: which cells only fade. Must never know:
//! pieces, how much time passed.

use super::{PIECE, near};
use crate::model::{Cell, CellState, Grid};
use crate::vision::cells::Difference;

/// What is left has this share of the colour that was there.
const FADED: std::ops::RangeInclusive<f32> = 0.02..=0.85;
/// How far a colour may be from a mixture of two others, in steps of the channels.
const OFF_MIXTURE: f32 = 16.0;
/// A colour this near to the one that was there has moved on from there.
const SAME_COLOUR: u8 = 24;
/// The channel in which a block is farthest from the ground tells what is left of it only where it is this far.
const FAR: f32 = 60.0;
/// Pictures after which what is left must be gone: one that wipes a tenth away leaves a twelfth after so many.
const LASTS: u8 = 24;
/// What fades grows stronger by no more than this ...
const STEADY: f32 = 1.02;
/// ... and where it is not weaker than this, it counts as if it was seen for so many pictures: a block that is darker from
/// now on stays so.
const WEAKER: f32 = 0.97;
/// See [`WEAKER`].
const COUNTS: u8 = 8;

/// What is left in a cell.
#[derive(Debug, Clone, Copy, Default)]
pub struct Left {
    /// How strongly it differed from empty.
    strength: f32,
    /// For how many pictures it may go on; 0 where nothing is left.
    pictures: u8,
}

/// Empties the cells of a grid that only fade: they are paler than what was there, while as many others have taken on its
/// colour.
pub fn fade(
    left: &mut Vec<Left>,
    last: &Grid,
    grid: &mut Grid,
    differences: &[Difference],
    strength: &[f32],
    ground: &[[u8; 3]],
) {
    left.resize(strength.len(), Left::default());
    let filled = |c: &Cell| c.state == CellState::Filled;
    let columns = usize::from(grid.columns());
    let bare = |grid: &mut Grid, i: usize| {
        let cell = Cell {
            state: CellState::Empty,
            colour: ground[i],
            confidence: 128,
        };
        grid.set((i % columns) as i32, (i / columns) as i32, cell);
    };
    for (i, l) in left.iter_mut().enumerate() {
        let s = strength[i];
        let fades = l.pictures > 0 && filled(&grid.cells()[i]) && s <= l.strength * STEADY;
        if fades {
            let stays = s > l.strength * WEAKER;
            l.pictures = l.pictures.saturating_sub(if stays { COUNTS } else { 1 });
            l.strength = s;
            bare(grid, i);
        } else {
            *l = Left::default();
        }
    }
    let (mut paler, mut came) = (Vec::new(), Vec::new());
    for (i, (was, is)) in last.cells().iter().zip(grid.cells()).enumerate() {
        if !filled(is) {
            continue;
        }
        let now = differences[i].colour;
        if !filled(was) {
            came.push(now);
        } else if share(now, ground[i], was.colour).is_some_and(|s| FADED.contains(&s)) {
            paler.push((i, was.colour));
        }
    }
    let moved_on = |&(_, was): &(usize, [u8; 3])| {
        let there = came.iter().filter(|now| near(**now, was, SAME_COLOUR));
        there.count() >= paler.len()
    };
    if paler.len() > PIECE || !paler.iter().all(moved_on) {
        return;
    }
    for (i, _) in paler {
        left[i] = Left {
            strength: strength[i],
            pictures: LASTS,
        };
        bare(grid, i);
    }
}

/// The share of `block` in a colour that is a mixture of it and the ground.
fn share(colour: [u8; 3], ground: [u8; 3], block: [u8; 3]) -> Option<f32> {
    let from = |c: [u8; 3], n: usize| f32::from(c[n]) - f32::from(ground[n]);
    let (mut dot, mut all, mut most) = (0.0, 0.0, 0.0f32);
    for n in 0..3 {
        let b = from(block, n);
        dot += from(colour, n) * b;
        all += b * b;
        most = most.max(b.abs());
    }
    if most < FAR {
        return None;
    }
    let share = dot / all;
    (0..3)
        .all(|n| (from(colour, n) - share * from(block, n)).abs() <= OFF_MIXTURE)
        .then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUND: [u8; 3] = [0, 0, 16];
    const ORANGE: [u8; 3] = [255, 128, 0];

    fn mixed(share: f32) -> [u8; 3] {
        let mix = |n: usize| {
            let (g, b) = (f32::from(GROUND[n]), f32::from(ORANGE[n]));
            (g + share * (b - g)) as u8
        };
        [mix(0), mix(1), mix(2)]
    }

    /// Pictures of one row, a digit a cell: tenths of a block's colour, `.` none, `#` all of it. What is read in the last.
    fn check(pictures: &[&str], expected: &str) {
        let columns = expected.len() as u16;
        let (mut left, mut last) = (Vec::new(), Grid::new(columns, 1));
        for picture in pictures {
            let shares: Vec<f32> = picture
                .chars()
                .map(|c| match c {
                    '#' => 1.0,
                    c => c.to_digit(10).unwrap_or(0) as f32 / 10.0,
                })
                .collect();
            let differences: Vec<Difference> = shares
                .iter()
                .map(|s| Difference {
                    colour: mixed(*s),
                    ..Difference::default()
                })
                .collect();
            let strength: Vec<f32> = shares.iter().map(|s| s * 100.0).collect();
            let ground = vec![GROUND; shares.len()];
            let mut grid = Grid::new(columns, 1);
            for (i, s) in strength.iter().enumerate().filter(|(_, s)| **s > 10.0) {
                let cell = Cell {
                    state: CellState::Filled,
                    colour: differences[i].colour,
                    confidence: *s as u8,
                };
                grid.set(i as i32, 0, cell);
            }
            fade(
                &mut left,
                &last,
                &mut grid,
                &differences,
                &strength,
                &ground,
            );
            last = grid;
        }
        let read: String = last
            .cells()
            .iter()
            .map(|c| {
                if c.state == CellState::Filled {
                    '#'
                } else {
                    '.'
                }
            })
            .collect();
        assert_eq!(read, expected, "{pictures:?}");
    }

    #[test]
    fn what_a_piece_leaves_behind_is_no_block() {
        check(&["##......", "3##....."], ".##.....");
        check(
            &["##......", "8##.....", "68##....", "468##..."],
            "...##...",
        );
        // It came down somewhere else, and the next one is there.
        check(&["##......", "33..####"], "....####");
        check(&["##......", "33..####", "22..####"], "....####");
    }

    #[test]
    fn what_comes_back_is_a_block() {
        check(&["##......", "3##.....", "##......"], "##......");
        check(&["##......", "3##.....", "4##....."], "###.....");
    }

    #[test]
    fn a_colour_at_the_other_side_of_the_ground_is_not_left_of_the_first() {
        let ground = [90, 90, 150];
        let (was, now) = ([240, 160, 0], [15, 55, 225]);
        assert!(share(now, ground, was).is_some_and(|s| !FADED.contains(&s)));
    }

    #[test]
    fn what_grows_dark_where_it_is_stays() {
        // A layer over the board.
        check(&["##......", "44......"], "##......");
        // Blocks that are darker once they have come to rest, and one of another colour beside them.
        check(&["##......", "55....#."], "##....#.");
        let dark = "55....##";
        check(&["##......", dark, dark, dark, dark, dark], "##....##");
    }
}
