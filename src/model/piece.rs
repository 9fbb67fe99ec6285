use serde::{Deserialize, Serialize};

/// The seven tetrominoes.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[allow(missing_docs)]
pub enum PieceKind {
    I,
    O,
    T,
    S,
    Z,
    J,
    L,
}

impl PieceKind {
    /// All seven, in the order the literature lists them.
    pub const ALL: [Self; 7] = [
        Self::I,
        Self::O,
        Self::T,
        Self::S,
        Self::Z,
        Self::J,
        Self::L,
    ];

    /// The piece's letter.
    pub fn letter(self) -> char {
        match self {
            Self::I => 'I',
            Self::O => 'O',
            Self::T => 'T',
            Self::S => 'S',
            Self::Z => 'Z',
            Self::J => 'J',
            Self::L => 'L',
        }
    }

    /// The four cells of each distinct state, going clockwise, normalised to the top left.
    /// One for O, two for I, S and Z, four for J, L and T.
    pub fn states(self) -> Vec<Shape> {
        let first: [(i32, i32); 4] = match self {
            Self::I => [(0, 0), (1, 0), (2, 0), (3, 0)],
            Self::O => [(0, 0), (1, 0), (0, 1), (1, 1)],
            Self::T => [(1, 0), (0, 1), (1, 1), (2, 1)],
            Self::S => [(1, 0), (2, 0), (0, 1), (1, 1)],
            Self::Z => [(0, 0), (1, 0), (1, 1), (2, 1)],
            Self::J => [(0, 0), (0, 1), (1, 1), (2, 1)],
            Self::L => [(2, 0), (0, 1), (1, 1), (2, 1)],
        };
        let mut states = vec![Shape::of(&first)];
        loop {
            let next = states[states.len() - 1].turned_clockwise();
            if next == states[0] {
                return states;
            }
            states.push(next);
        }
    }
}

/// A set of cells without its position: the shape key by which pieces are compared wherever they are.
///
/// Cells are `(column, row)`, sorted by row and then column, moved so that the least column and row are 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shape(Vec<(i32, i32)>);

impl Shape {
    /// The shape of some cells, given as `(column, row)` in any order; duplicates count once.
    pub fn of(cells: &[(i32, i32)]) -> Self {
        let left = cells.iter().map(|c| c.0).min().unwrap_or(0);
        let top = cells.iter().map(|c| c.1).min().unwrap_or(0);
        let mut cells: Vec<_> = cells.iter().map(|c| (c.0 - left, c.1 - top)).collect();
        cells.sort_unstable_by_key(|c| (c.1, c.0));
        cells.dedup();
        Self(cells)
    }

    /// The cells, normalised.
    pub fn cells(&self) -> &[(i32, i32)] {
        &self.0
    }

    /// Columns and rows of the bounding box.
    pub fn size(&self) -> (i32, i32) {
        let w = self.0.iter().map(|c| c.0 + 1).max().unwrap_or(0);
        let h = self.0.iter().map(|c| c.1 + 1).max().unwrap_or(0);
        (w, h)
    }

    /// The shape after a quarter turn clockwise (rows count downwards).
    #[must_use]
    pub fn turned_clockwise(&self) -> Self {
        let turned: Vec<_> = self.0.iter().map(|&(c, r)| (-r, c)).collect();
        Self::of(&turned)
    }

    /// The mirror image, left for right.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mirrored: Vec<_> = self.0.iter().map(|&(c, r)| (-c, r)).collect();
        Self::of(&mirrored)
    }

    /// Are this shape's lowest rows just like `end`?
    pub fn ends_in(&self, end: &Self) -> bool {
        let from = self.size().1 - end.size().1;
        let lowest: Vec<_> = self.0.iter().copied().filter(|c| c.1 >= from).collect();
        Self::of(&lowest) == *end
    }

    /// Do the cells hang together by their edges? An empty shape does not.
    pub fn is_connected(&self) -> bool {
        let Some(&first) = self.0.first() else {
            return false;
        };
        let mut seen = vec![first];
        let mut i = 0;
        while i < seen.len() {
            let (c, r) = seen[i];
            for next in [(c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)] {
                if self.0.contains(&next) && !seen.contains(&next) {
                    seen.push(next);
                }
            }
            i += 1;
        }
        seen.len() == self.0.len()
    }

    /// Which tetromino this is and in which of its states (0 is the first of [`PieceKind::states`]);
    /// `None` for anything else.
    pub fn tetromino(&self) -> Option<(PieceKind, u8)> {
        if self.0.len() != 4 {
            return None;
        }
        PieceKind::ALL.into_iter().find_map(|kind| {
            let state = kind.states().iter().position(|s| s == self)?;
            Some((kind, state as u8))
        })
    }
}

/// The piece that is falling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivePiece {
    /// Its cells as `(column, row)` on the board, sorted by row and then column. Fewer than four while part of
    /// it is above the board.
    pub cells: Vec<(i32, i32)>,
    /// Which tetromino; `None` if its shape is none of the seven.
    pub kind: Option<PieceKind>,
    /// Which of the kind's states, going clockwise from 0; 0 where the kind is unknown.
    pub state: u8,
}

impl ActivePiece {
    /// A piece from its cells; names it.
    pub fn new(mut cells: Vec<(i32, i32)>) -> Self {
        cells.sort_unstable_by_key(|c| (c.1, c.0));
        let named = Shape::of(&cells).tetromino();
        Self {
            cells,
            kind: named.map(|n| n.0),
            state: named.map_or(0, |n| n.1),
        }
    }

    /// Its shape without its position.
    pub fn shape(&self) -> Shape {
        Shape::of(&self.cells)
    }

    /// Least column and least row of its cells.
    pub fn corner(&self) -> (i32, i32) {
        let c = self.cells.iter().map(|c| c.0).min().unwrap_or(0);
        let r = self.cells.iter().map(|c| c.1).min().unwrap_or(0);
        (c, r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tetromino_has_its_number_of_states_and_is_named_in_each() {
        for (kind, n) in PieceKind::ALL.into_iter().zip([2, 1, 4, 2, 2, 4, 4]) {
            let states = kind.states();
            assert_eq!(states.len(), n, "{kind:?}");
            for (i, s) in states.iter().enumerate() {
                assert!(s.is_connected());
                assert_eq!(s.tetromino(), Some((kind, i as u8)));
            }
        }
    }

    #[test]
    fn a_mirrored_l_is_a_j_and_a_mirrored_s_is_a_z() {
        let of = |k: PieceKind| k.states()[0].mirrored().tetromino().map(|t| t.0);
        assert_eq!(of(PieceKind::L), Some(PieceKind::J));
        assert_eq!(of(PieceKind::S), Some(PieceKind::Z));
        assert_eq!(of(PieceKind::T), Some(PieceKind::T));
    }

    #[test]
    fn four_cells_that_do_not_hang_together_are_no_piece() {
        let s = Shape::of(&[(0, 0), (1, 0), (2, 0), (4, 0)]);
        assert!(!s.is_connected());
        assert_eq!(s.tetromino(), None);
    }
}
