//! Is something drawn between two cells? A game that moves its pieces by a glide shows each place it passes; none of
//! them is a state of the board.
//!
//! Comes in: how each cell differs from empty, and which are filled. Goes out: whether some are covered in part only,
//! as no block at rest has been. Must never know: time, pieces.

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
    pub fn moving<'a>(&mut self, filled: impl Iterator<Item = &'a Difference>) -> bool {
        let cells: Vec<[f32; 4]> = filled.map(reach).collect();
        if cells.len() < 4 {
            return false;
        }
        let middle = |side: usize| {
            let mut values: Vec<f32> = cells.iter().map(|c| c[side]).collect();
            let at = values.len() / 2;
            *values.select_nth_unstable_by(at, f32::total_cmp).1
        };
        let now = [middle(0), middle(1), middle(2), middle(3)];
        let usual = self.0.unwrap_or(now);
        let partly = |c: &[f32; 4]| {
            c[0] - usual[0] > OFF
                || usual[1] - c[1] > OFF
                || c[2] - usual[2] > OFF
                || usual[3] - c[3] > OFF
        };
        let moving = cells.iter().filter(|c| partly(c)).count() >= LEAST;
        if !moving {
            let mut next = usual;
            for (n, m) in next.iter_mut().zip(now) {
                *n += (m - *n) / MEMORY;
            }
            self.0 = Some(next);
        }
        moving
    }
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
        assert!(!reach.moving(rest.iter()));
        let mut sideways = rest;
        sideways[0] = cell(0.1, 0.8, 0.5, 1.0);
        sideways[1] = cell(0.1, 0.8, 0.0, 0.4);
        assert!(reach.moving(sideways.iter()));
        assert!(!reach.moving(rest.iter()));
        // One odd cell is a mark, not a motion.
        let mut marked = rest;
        marked[3] = cell(0.5, 0.8, 0.1, 0.8);
        assert!(!reach.moving(marked.iter()));
    }

    #[test]
    fn less_than_a_piece_says_nothing() {
        assert!(!Reach::default().moving([cell(0.5, 1.0, 0.0, 1.0)].iter()));
    }
}
