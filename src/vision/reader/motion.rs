//! Is something drawn between two cells? A game that moves its pieces by a glide shows each place it passes; none of
//! them is a state of the board.
//!
//! Comes in: how each cell differs from empty, and which are filled. Goes out: whether some are covered in part only,
//! as no block at rest has been, and which part. Must never know: time, pieces.

use crate::model::Between;
use crate::vision::cells::Difference;

/// A side of a block that is further from the cell's edge than usual by more than this share of the cell is not where
/// it is at rest.
const OFF: f32 = 0.2;
/// So many cells must be covered in part: a piece has at least two at either end of its way.
const LEAST: usize = 2;
/// Of so many readings each one counts in what is usual.
const MEMORY: f32 = 16.0;

/// How far blocks at rest reach in their cells, learned: top, bottom, left, right as fractions of the cell.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reach(Option<[f32; 4]>);

fn reach(d: &Difference) -> [f32; 4] {
    [d.top, d.bottom, d.left, d.right]
}

impl Reach {
    /// Are some of these cells covered in part only? Learns from them how blocks usually lie in their cells.
    pub fn between<'a>(&mut self, filled: impl Iterator<Item = &'a Difference>) -> Option<Between> {
        let cells: Vec<[f32; 4]> = filled.map(reach).collect();
        if cells.len() < 4 {
            return None;
        }
        let now = [0, 1, 2, 3].map(|side| middle(cells.iter().map(|c| c[side])));
        let usual = self.0.unwrap_or(now);
        // How much of the cell is free at each side that is not so at rest.
        let free = |c: &[f32; 4]| {
            [
                c[0] - usual[0],
                usual[1] - c[1],
                c[2] - usual[2],
                usual[3] - c[3],
            ]
        };
        let partly: Vec<[f32; 4]> = cells
            .iter()
            .map(free)
            .filter(|f| f.iter().any(|f| *f > OFF))
            .collect();
        if partly.len() < LEAST {
            let mut next = usual;
            for (n, m) in next.iter_mut().zip(now) {
                *n += (m - *n) / MEMORY;
            }
            self.0 = Some(next);
            return None;
        }
        if partly.iter().any(|f| f[2] > OFF || f[3] > OFF) {
            return Some(Between::Columns);
        }
        let of = |side: usize| {
            let free = partly.iter().map(move |f| f[side]).filter(|f| *f > OFF);
            (free.clone().count() > 0).then(|| middle(free))
        };
        // What is free above its upper end is as much as is covered by its lower end.
        let below = of(0).or(of(1).map(|free| 1.0 - free))?;
        Some(Between::Rows((below.clamp(0.0, 1.0) * 100.0) as u8))
    }
}

/// What is so far below a row, as a share of a cell, is on its way to the next, unless it has hardly left or is nearly
/// there.
pub fn way(below: f32) -> Option<Between> {
    (OFF..=1.0 - OFF)
        .contains(&below)
        .then_some(Between::Rows((below * 100.0) as u8))
}

/// The value in the middle; 0 of none.
fn middle(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_unstable_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(top: f32, bottom: f32, left: f32, right: f32) -> Difference {
        Difference {
            top,
            bottom,
            left,
            right,
            ..Difference::default()
        }
    }

    #[test]
    fn blocks_that_lie_between_their_cells_are_on_their_way_and_small_ones_at_rest_are_not() {
        let mut reach = Reach::default();
        let small = cell(0.1, 0.8, 0.1, 0.8);
        let rest = [small; 8];
        assert_eq!(reach.between(rest.iter()), None);
        let mut sideways = rest;
        sideways[0] = cell(0.1, 0.8, 0.5, 1.0);
        sideways[1] = cell(0.1, 0.8, 0.0, 0.4);
        assert_eq!(reach.between(sideways.iter()), Some(Between::Columns));
        assert_eq!(reach.between(rest.iter()), None);
        // One odd cell is a mark, not a motion.
        let mut marked = rest;
        marked[3] = cell(0.5, 0.8, 0.1, 0.8);
        assert_eq!(reach.between(marked.iter()), None);
    }

    #[test]
    fn what_lies_between_two_rows_is_said_to_be_so_far_below_the_upper_one() {
        let mut reach = Reach::default();
        let rest = [cell(0.0, 1.0, 0.0, 1.0); 8];
        assert_eq!(reach.between(rest.iter()), None);
        let mut falling = rest;
        for i in 0..3 {
            falling[i] = cell(0.625, 1.0, 0.0, 1.0);
            falling[i + 3] = cell(0.0, 0.625, 0.0, 1.0);
        }
        assert_eq!(reach.between(falling.iter()), Some(Between::Rows(62)));
        // The upper end is too thin to be seen.
        assert_eq!(reach.between(falling[3..].iter()), Some(Between::Rows(62)));
    }

    #[test]
    fn less_than_a_piece_says_nothing() {
        assert_eq!(
            Reach::default().between([cell(0.5, 1.0, 0.0, 1.0)].iter()),
            None
        );
    }
}
