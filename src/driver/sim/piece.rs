//! Pieces and how they turn. Pure.

use super::{Defect, Rotation};
use crate::model::PieceKind;

/// A piece on the board. Rows count from the top of the hidden ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Which.
    pub kind: PieceKind,
    /// Quarter turns clockwise from the first state, 0 to 3.
    pub turns: u8,
    /// Left edge of its box.
    pub x: i32,
    /// Upper edge of its box.
    pub y: i32,
    /// Is it its own mirror image (a defect)?
    pub mirrored: bool,
}

/// Cells of a piece in its box of `n` by `n`, before any turn.
fn first(kind: PieceKind, rotation: Rotation) -> (i32, [(i32, i32); 4]) {
    let flat = match kind {
        PieceKind::I => [(0, 0), (1, 0), (2, 0), (3, 0)],
        PieceKind::O => [(0, 0), (1, 0), (0, 1), (1, 1)],
        PieceKind::T => [(1, 0), (0, 1), (1, 1), (2, 1)],
        PieceKind::S => [(1, 0), (2, 0), (0, 1), (1, 1)],
        PieceKind::Z => [(0, 0), (1, 0), (1, 1), (2, 1)],
        PieceKind::J => [(0, 0), (0, 1), (1, 1), (2, 1)],
        PieceKind::L => [(2, 0), (0, 1), (1, 1), (2, 1)],
    };
    if rotation == Rotation::Matrix4 {
        return match kind {
            PieceKind::O => (4, flat.map(|(c, r)| (c + 1, r + 1))),
            _ => (4, flat.map(|(c, r)| (c, r + 1))),
        };
    }
    match kind {
        PieceKind::I if rotation == Rotation::Srs => (4, flat.map(|(c, r)| (c, r + 1))),
        PieceKind::I => (4, flat),
        PieceKind::O => (2, flat),
        _ => (3, flat),
    }
}

/// The cells of a piece in its box, after its turns.
fn boxed(piece: &Piece, rotation: Rotation) -> Vec<(i32, i32)> {
    let (n, flat) = first(piece.kind, rotation);
    let mut turns = piece.turns % 4;
    let short = matches!(piece.kind, PieceKind::I | PieceKind::S | PieceKind::Z);
    if rotation == Rotation::TwoState && short {
        turns %= 2;
    }
    let mut cells = flat.to_vec();
    for _ in 0..turns {
        cells = match rotation {
            Rotation::Srs | Rotation::Matrix4 => {
                cells.iter().map(|&(c, r)| (n - 1 - r, c)).collect()
            }
            Rotation::Naive | Rotation::TwoState if piece.kind == PieceKind::O => cells,
            // About the cell at (1, 1); of the bar, about its second cell.
            Rotation::Naive | Rotation::TwoState => {
                let (a, b) = if piece.kind == PieceKind::I {
                    (1, 0)
                } else {
                    (1, 1)
                };
                cells
                    .iter()
                    .map(|&(c, r)| (a - (r - b), b + (c - a)))
                    .collect()
            }
            Rotation::Trimmed => {
                let height = cells.iter().map(|c| c.1).max().unwrap_or(0);
                cells.iter().map(|&(c, r)| (height - r, c)).collect()
            }
        };
    }
    if piece.mirrored {
        let least = cells.iter().map(|c| c.0).min().unwrap_or(0);
        let most = cells.iter().map(|c| c.0).max().unwrap_or(0);
        cells = cells.iter().map(|&(c, r)| (least + most - c, r)).collect();
    }
    cells
}

impl Piece {
    /// A new piece whose upper edge is at row `top`, in the middle of the board.
    pub fn spawned(kind: PieceKind, rotation: Rotation, columns: i32, top: i32) -> Self {
        let mut piece = Self {
            kind,
            turns: 0,
            x: 0,
            y: 0,
            mirrored: false,
        };
        let cells = boxed(&piece, rotation);
        let width = cells.iter().map(|c| c.0).max().unwrap_or(0) + 1;
        let above = cells.iter().map(|c| c.1).min().unwrap_or(0);
        piece.x = (columns - width) / 2;
        piece.y = top - above;
        piece
    }

    /// Its cells on the board.
    pub fn cells(&self, rotation: Rotation) -> Vec<(i32, i32)> {
        boxed(self, rotation)
            .into_iter()
            .map(|(c, r)| (c + self.x, r + self.y))
            .collect()
    }

    /// Where it may come to by a turn, in the order in which games try. `by` is 1 clockwise, 3 the other
    /// way, 2 half a turn.
    pub fn turned(&self, by: u8, rotation: Rotation, wrong: impl Fn(Defect) -> bool) -> Vec<Self> {
        let mut to = *self;
        if wrong(Defect::BarDoesNotTurn) && self.kind == PieceKind::I {
            return vec![to];
        }
        to.turns = (self.turns + by) % 4;
        if wrong(Defect::RotationTwoOfFour) {
            to.turns %= 2;
        }
        if wrong(Defect::RotationMirrored) {
            to.mirrored = !self.mirrored;
        }
        if rotation != Rotation::Srs || by == 2 {
            return vec![to];
        }
        kicks(self.kind, self.turns, to.turns)
            .into_iter()
            .map(|(dx, dy)| Self {
                x: to.x + dx,
                y: to.y - dy,
                ..to
            })
            .collect()
    }
}

/// The guideline's wall kicks: columns to the right and rows up, tried in order. Of the offset tables in the Super
/// Rotation System, the difference between those of the two states.
#[allow(clippy::many_single_char_names)]
fn kicks(kind: PieceKind, from: u8, to: u8) -> Vec<(i32, i32)> {
    const JLSTZ: [[(i32, i32); 5]; 4] = [
        [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0)],
        [(0, 0), (1, 0), (1, -1), (0, 2), (1, 2)],
        [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0)],
        [(0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)],
    ];
    // Of the bar, as its box of four turns: the table's true rotation is about a cell, the box's about its middle.
    const BAR: [[(i32, i32); 5]; 4] = [
        [(0, 0), (-1, 0), (2, 0), (-1, 0), (2, 0)],
        [(-1, 0), (0, 0), (0, 0), (0, 1), (0, -2)],
        [(-1, 1), (1, 1), (-2, 1), (1, 0), (-2, 0)],
        [(0, 1), (0, 1), (0, 1), (0, -1), (0, 2)],
    ];
    /// By how much the box's turn differs from the turn about a cell, for the bar, per state.
    const BOX: [(i32, i32); 4] = [(0, 0), (-1, 0), (-1, 1), (0, 1)];
    let (a, b) = (usize::from(from % 4), usize::from(to % 4));
    match kind {
        PieceKind::O => vec![(0, 0)],
        PieceKind::I => (0..5)
            .map(|i| {
                let (p, q) = (BAR[a][i], BAR[b][i]);
                let (s, t) = (BOX[a], BOX[b]);
                (p.0 - q.0 - (s.0 - t.0), p.1 - q.1 - (s.1 - t.1))
            })
            .collect(),
        _ => (0..5)
            .map(|i| {
                let (p, q) = (JLSTZ[a][i], JLSTZ[b][i]);
                (p.0 - q.0, p.1 - q.1)
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Shape;

    #[test]
    fn every_rotation_system_takes_each_piece_through_its_states_clockwise() {
        for rotation in [
            Rotation::Srs,
            Rotation::Naive,
            Rotation::Matrix4,
            Rotation::Trimmed,
            Rotation::TwoState,
        ] {
            for kind in PieceKind::ALL {
                let mut piece = Piece::spawned(kind, rotation, 10, 5);
                let states = kind.states();
                for i in 0..4 {
                    let shape = Shape::of(&piece.cells(rotation));
                    assert_eq!(shape, states[i % states.len()], "{kind:?} {rotation:?} {i}");
                    piece = piece.turned(1, rotation, |_| false)[0];
                }
            }
        }
    }

    #[test]
    fn the_first_kick_is_always_none_and_the_bar_kicks_as_the_guideline_says() {
        for kind in PieceKind::ALL {
            for from in 0..4u8 {
                assert_eq!(
                    kicks(kind, from, (from + 1) % 4)[0],
                    (0, 0),
                    "{kind:?} {from}"
                );
            }
        }
        assert_eq!(
            kicks(PieceKind::I, 0, 1),
            [(0, 0), (-2, 0), (1, 0), (-2, -1), (1, 2)]
        );
        assert_eq!(
            kicks(PieceKind::T, 0, 1),
            [(0, 0), (-1, 0), (-1, 1), (0, -2), (-1, -2)]
        );
    }
}
