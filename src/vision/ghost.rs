//! Where a falling piece would land, and which cells there are its ghost.
//!
//! Comes in: cells. Goes out: cells. Must never know: pixels.

use crate::model::Shape;

/// Where a piece lands that falls straight down from where it is, as cells in the order given.
///
/// `blocked(column, row)` tells whether a place is taken by the stack, the floor or a wall; the piece's own cells
/// are never asked for. A piece that cannot move lands where it is.
pub fn landing(
    piece: &[(i32, i32)],
    rows: i32,
    blocked: impl Fn(i32, i32) -> bool,
) -> Vec<(i32, i32)> {
    let free = |by: i32| {
        piece.iter().all(|&(c, r)| {
            let r = r + by;
            piece.contains(&(c, r)) || (r < rows && !blocked(c, r))
        })
    };
    let mut by = 0;
    while !piece.is_empty() && by < rows && free(by + 1) {
        by += 1;
    }
    piece.iter().map(|&(c, r)| (c, r + by)).collect()
}

/// Splits a group of like-looking weak cells off as the ghost of `piece`, if that is what they are.
///
/// `weak` are cells that differ from empty but less, or otherwise, than blocks do; `blocked` tells the places of
/// all other blocks. The ghost must have the piece's shape straight below it, with nothing but the piece or the
/// ghost between, and rest on something. Where the two overlap only the part outside the piece is weak.
pub fn ghost_of(
    piece: &[(i32, i32)],
    weak: &[(i32, i32)],
    rows: i32,
    blocked: impl Fn(i32, i32) -> bool,
) -> Vec<(i32, i32)> {
    if weak.is_empty() || piece.is_empty() {
        return Vec::new();
    }
    let at = landing(piece, rows, &blocked);
    if Shape::of(&at) != Shape::of(piece) || at == piece {
        return Vec::new();
    }
    let ghost: Vec<_> = at.into_iter().filter(|c| !piece.contains(c)).collect();
    if ghost.iter().all(|c| weak.contains(c)) {
        ghost
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grid;

    #[test]
    fn a_piece_lands_on_the_floor_or_on_the_stack_below_it() {
        let g = Grid::from_ascii(
            "......
             ......
             ......
             x.....
             xx...x",
        );
        let t = [(1, 0), (0, 1), (1, 1), (2, 1)];
        let at = landing(&t, 5, |c, r| g.is_filled(c, r));
        assert_eq!(at, [(1, 1), (0, 2), (1, 2), (2, 2)]);
        let o = [(3, 0), (4, 0), (3, 1), (4, 1)];
        assert_eq!(landing(&o, 5, |c, r| g.is_filled(c, r))[0], (3, 3));
    }

    #[test]
    fn weak_cells_elsewhere_are_no_ghost() {
        let o = [(3, 0), (4, 0), (3, 1), (4, 1)];
        let below = [(3, 3), (4, 3), (3, 4), (4, 4)];
        assert_eq!(ghost_of(&o, &below, 5, |_, _| false), below);
        assert!(ghost_of(&o, &[(0, 3), (1, 3), (0, 4), (1, 4)], 5, |_, _| false).is_empty());
        let overlapping = [(3, 1), (4, 1), (3, 2), (4, 2)];
        assert_eq!(ghost_of(&overlapping, &below, 5, |_, _| false), below);
    }
}
