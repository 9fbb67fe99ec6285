//! Words that are written over the board.
//!
//! Comes in: the texts of the page, the board. Goes out: the cells under words. Must never know: what they say.

use crate::model::{Board, Rect, TextItem};
use crate::track::Place;

/// Columns that words are wide at least: a sign in a cell is part of how a game draws its blocks.
const LEAST_COLUMNS: f64 = 1.5;
/// Where more of the board than one cell of so many is under texts, it is drawn with them.
const ONE_OF: usize = 4;
/// Glyphs and their shine reach beyond a text's box by this part of its height.
const BEYOND: f64 = 0.2;

/// The places of the texts last seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Written(Vec<Rect>);

impl Written {
    pub fn see(&mut self, items: &[TextItem]) {
        self.0 = items.iter().map(|t| t.rect).collect();
    }

    /// The cells of a board that words lie over; none where the board itself is made of texts.
    pub fn over(&self, board: &Board) -> Vec<Place> {
        let (w, h) = (board.cell_width, board.cell_height);
        let mut cells = Vec::new();
        for rect in &self.0 {
            let beyond = rect.height * BEYOND;
            let over = Rect::new(
                rect.x - beyond,
                rect.y - beyond,
                rect.width + 2.0 * beyond,
                rect.height + 2.0 * beyond,
            );
            let board_rect = board.rect();
            let apart = over.x >= board_rect.right()
                || over.right() <= board_rect.x
                || over.y >= board_rect.bottom()
                || over.bottom() <= board_rect.y;
            if apart || rect.width < LEAST_COLUMNS * w {
                continue;
            }
            let from = |at: f64, start: f64, size: f64| ((at - start) / size).floor().max(0.0);
            let (left, right) = (from(over.x, board.x, w), from(over.right(), board.x, w));
            let (top, bottom) = (from(over.y, board.y, h), from(over.bottom(), board.y, h));
            for r in top as i32..=(bottom as i32).min(i32::from(board.rows) - 1) {
                for c in left as i32..=(right as i32).min(i32::from(board.columns) - 1) {
                    if !cells.contains(&(c, r)) {
                        cells.push((c, r));
                    }
                }
            }
        }
        let all = usize::from(board.columns) * usize::from(board.rows);
        if cells.len() * ONE_OF > all {
            cells.clear();
        }
        cells
    }
}
