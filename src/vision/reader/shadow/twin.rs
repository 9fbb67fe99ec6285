//! Ghosts that look just as their pieces do, or are as strong in another colour.
//!
//! Comes in: a grid and the one before it. Goes out: the cells of such a ghost, marked, once it is known that there are
//! some. Must never know: keys, the rules.
//!
//! In one picture such a ghost is a piece that lies there. It gives itself away by going aside with the piece: nothing
//! that has settled does that.

use super::super::groups::groups;
use super::super::near;
use super::veil::SAME_COLOUR;
use super::{mark, rests};
use crate::model::{Cell, CellState, Grid};
use std::collections::BTreeSet;

/// Cells of a piece.
const PIECE: usize = 4;
/// So often it has to go aside with its piece: once may be a game that begins anew.
const ENOUGH: u8 = 2;

type Cells = Vec<(i32, i32)>;

/// What is known about ghosts that look as their pieces do.
#[derive(Debug, Clone, Default)]
pub struct Twins {
    went_along: u8,
}

impl Twins {
    /// Marks such a ghost in a grid in which none of another look was found.
    pub fn mark(&mut self, grid: &mut Grid, last: Option<&Grid>, floor: i32) {
        if self.went_along < ENOUGH {
            let went = last.is_some_and(|last| went_aside(last, grid, floor));
            self.went_along += u8::from(went);
        }
        if self.went_along < ENOUGH {
            return;
        }
        // Some are laid over what is not the same everywhere.
        let found = pair(grid, floor, false).or_else(|| pair(grid, floor, true));
        if let Some((_, ghost)) = found {
            mark(grid, &ghost);
        }
    }
}

/// Did a piece go aside or turn, its likeness with it, and nothing else?
fn went_aside(last: &Grid, grid: &Grid, floor: i32) -> bool {
    // Some are drawn in colours of their own, brighter than any block.
    came_twice(last, grid)
        && [false, true].into_iter().any(|any| {
            let (Some(was), Some(is)) = (pair(last, floor, any), pair(grid, floor, any)) else {
                return false;
            };
            // Two alike that lie on each other come down together where a row goes.
            let hang = !rests(&was.0, last, floor) && !rests(&is.0, grid, floor);
            hang && was.1 != is.1 && rest(last, &was.0, &was.1) == rest(grid, &is.0, &is.1)
        })
}

/// Did blocks come at two places of one column? Asked first, of every picture: nothing that only falls does that.
fn came_twice(last: &Grid, grid: &Grid) -> bool {
    let came = |c: i32, r: i32| grid.is_filled(c, r) && !last.is_filled(c, r);
    (0..i32::from(grid.columns())).any(|c| {
        let begins = |r: &i32| came(c, *r) && !came(c, r - 1);
        (0..i32::from(grid.rows())).filter(begins).nth(1).is_some()
    })
}

/// All filled cells but those of a piece and its likeness.
fn rest(grid: &Grid, piece: &[(i32, i32)], ghost: &[(i32, i32)]) -> BTreeSet<(i32, i32)> {
    let filled = grid.filled_cells().into_iter();
    filled
        .filter(|c| !piece.contains(c) && !ghost.contains(c))
        .collect()
}

/// A piece in the air, and those cells of its likeness straight below, where it would land, that it does not cover; in
/// `any` colours, or in the same.
fn pair(grid: &Grid, floor: i32, any: bool) -> Option<(Cells, Cells)> {
    let colour = |&(c, r): &(i32, i32)| grid.get(c, r).map_or([0; 3], |cell: &Cell| cell.colour);
    let alike = |a, b| any || near(colour(&a), colour(&b), SAME_COLOUR);
    let filled: Cells = grid
        .filled_cells()
        .into_iter()
        .filter(|&(c, r)| {
            grid.get(c, r)
                .is_some_and(|cell| cell.state == CellState::Filled)
        })
        .collect();
    let mut all = groups(&filled, alike).into_iter().enumerate();
    all.find_map(|(at, group)| {
        if group.len() == PIECE {
            if rests(&group, grid, floor) {
                return None;
            }
            return (1..floor).find_map(|by| below(&group, by, grid, floor, &alike));
        }
        // What touches its likeness may as well lie on it, but for what is the highest of all.
        let touching = if at == 0 { 1..PIECE as i32 } else { 0..0 };
        touching.into_iter().find_map(|by| {
            let piece = upper(&group, by)?;
            below(&piece, by, grid, floor, &alike)
        })
    })
}

/// The likeness `by` rows below a piece, if it is that.
fn below(
    piece: &[(i32, i32)],
    by: i32,
    grid: &Grid,
    floor: i32,
    alike: &impl Fn((i32, i32), (i32, i32)) -> bool,
) -> Option<(Cells, Cells)> {
    let likeness: Cells = piece.iter().map(|&(c, r)| (c, r + by)).collect();
    let looks = piece
        .iter()
        .zip(&likeness)
        .all(|(a, b)| b.1 < floor && grid.is_filled(b.0, b.1) && alike(*a, *b));
    if !looks {
        return None;
    }
    let lands = likeness.iter().any(|&(c, r)| {
        let under = (c, r + 1);
        r + 1 >= floor
            || grid.is_filled(c, r + 1) && !likeness.contains(&under) && !piece.contains(&under)
    });
    let free = (1..by).all(|n| {
        piece.iter().all(|&(c, r)| {
            let at = (c, r + n);
            !grid.is_filled(at.0, at.1) || piece.contains(&at) || likeness.contains(&at)
        })
    });
    let ghost: Cells = likeness
        .iter()
        .filter(|c| !piece.contains(c))
        .copied()
        .collect();
    (lands && free && !ghost.is_empty()).then(|| (piece.to_vec(), ghost))
}

/// The piece, where a group is one and its likeness `by` rows below that touches it or is partly behind it.
fn upper(group: &[(i32, i32)], by: i32) -> Option<Cells> {
    let piece: Cells = group
        .iter()
        .filter(|&&(c, r)| group.contains(&(c, r + by)))
        .copied()
        .collect();
    let whole = groups(&piece, |_, _| true).len() == 1
        && group
            .iter()
            .all(|&(c, r)| piece.contains(&(c, r)) || piece.contains(&(c, r - by)));
    (piece.len() == PIECE && whole).then_some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The grids one after another, each as it is read; `.` empty, `a` and `b` filled in two colours.
    fn read(grids: &[&str]) -> Vec<String> {
        let mut twins = Twins::default();
        let mut last: Option<Grid> = None;
        grids
            .iter()
            .map(|text| {
                let mut grid = Grid::from_ascii(&text.replace(' ', "\n"));
                for (r, line) in text.split_whitespace().enumerate() {
                    for (c, sign) in line.chars().enumerate() {
                        let at = (c as i32, r as i32);
                        if let Some(&cell) = grid.get(at.0, at.1).filter(|_| sign == 'b') {
                            let colour = [200, 30, 30];
                            grid.set(at.0, at.1, Cell { colour, ..cell });
                        }
                    }
                }
                let rows = i32::from(grid.rows());
                twins.mark(&mut grid, last.as_ref(), rows);
                last = Some(grid.clone());
                grid.to_ascii()
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }

    #[test]
    fn what_goes_aside_with_the_piece_is_no_block() {
        let told = read(&[
            "aa.. aa.. .... .... aa.. aa.b",
            ".aa. .aa. .... .... .aa. .aab",
            "..aa ..aa .... ..aa ..aa ...b",
            ".aa. .aa. .... .... .aa. .aab",
            ".... .... .aa. .aa. .aa. .aab",
            ".... .... .... .aa. .aa. .aab",
            ".... .... .... .... .aa. .aab",
        ]);
        assert_eq!(told[1], ".##. .##. .... .... .##. .###");
        assert_eq!(told[2], "..## ..## .... ..++ ..++ ...#");
        assert_eq!(told[3], ".##. .##. .... .... .++. .++#");
        assert_eq!(told[4], ".... .... .##. .##. .++. .++#");
        assert_eq!(told[5], ".... .... .... .##. .##. .++#");
        assert_eq!(told[6], ".... .... .... .... .##. .###");
    }

    #[test]
    fn a_ghost_in_a_colour_of_its_own_gives_itself_away_as_well() {
        let told = read(&[
            "aa.. aa.. .... .... bb.. bb..",
            ".aa. .aa. .... .... .bb. .bb.",
            "..aa ..aa .... .... ..bb ..bb",
            ".aa. .aa. .... .... .bb. .bb.",
            ".... .aa. .aa. .... .bb. .bb.",
        ]);
        assert_eq!(told[1], ".##. .##. .... .... .##. .##.");
        assert_eq!(told[2], "..## ..## .... .... ..++ ..++");
        assert_eq!(told[4], ".... .##. .##. .... .++. .++.");
    }

    #[test]
    fn pieces_that_lie_on_each_other_are_two() {
        let told = read(&[
            "b... .... aa.. aa.. aa.. aa..",
            ".... b... .... aa.. aa.. aa..",
            "..aa b.aa aa.. aa.. aa.. aa..",
            ".... b... .... aa.. aa.. aa..",
        ]);
        assert!(told.iter().all(|t| !t.contains('+')), "{told:?}");
    }

    #[test]
    fn a_piece_that_lies_below_another_is_one() {
        let told = read(&[
            "aa.. aa.. .... .... aa.. aa..",
            ".aa. .aa. .... .... aa.. aa..",
            "aa.. aa.. .... .... aa.. aa..",
            ".... aa.. aa.. .... aa.. aa..",
            ".... .aa. .aa. .... aa.. aa..",
            ".... aa.. aa.. .... aa.. aa..",
        ]);
        assert!(told.iter().all(|t| !t.contains('+')), "{told:?}");
    }
}
