//! What a person sees of a game: the board, the numbers, what is to come.
//!
//! Comes in: a game. Goes out: cells, numbers, pieces. Must never know: how they are painted.

use super::{Game, Stage, number};
use crate::driver::sim::{Counting, Defect, End};
use crate::model::PieceKind;

/// Number of the kind that [`Defect::UnseenKind`] hides.
const UNSEEN: u8 = 4;

impl Game {
    /// The best score since the page was opened.
    pub fn best(&self) -> u64 {
        self.best.max(self.score)
    }

    /// Points so far.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// Points that are shown.
    pub fn shown_score(&self) -> u64 {
        match self.rules.counting {
            Counting::None => self.score,
            Counting::Points(_) | Counting::Share(_) => self.shown as u64,
        }
    }

    /// Rows cleared so far.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// Lives left, with the one that is being lived.
    pub fn lives(&self) -> u32 {
        self.lives
    }

    /// Level, from 1.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The pieces to come, as many as are shown, and the one that is held.
    pub fn coming(&self) -> (Vec<PieceKind>, Option<PieceKind>) {
        let shown = self.next.iter().take(self.rules.previews).copied();
        let shown = if self.has(Defect::PreviewStale) {
            self.piece.iter().map(|p| p.kind).collect()
        } else if self.has(Defect::PreviewLies) {
            shown
                .map(|k| PieceKind::ALL[(number(k) as usize + 2) % 7])
                .collect()
        } else {
            shown.collect()
        };
        (shown, self.held_piece)
    }

    /// The falling piece's kind and cells, rows counted from the top of the visible ones.
    pub fn active(&self) -> Option<(PieceKind, Vec<(i32, i32)>)> {
        let piece = self.piece.as_ref()?;
        let cells = self.cells_of(piece);
        let seen = |(c, r)| (c, r - self.rules.hidden);
        Some((piece.kind, cells.into_iter().map(seen).collect()))
    }

    /// What is to be drawn, visible rows from the top: 0 for nothing, 1 to 7 for a block of that kind, 11 to 17 for
    /// the ghost of one, 20 for a flash.
    pub fn picture(&self) -> Vec<u8> {
        let (w, hidden) = (self.rules.columns, self.rules.hidden);
        let mut out = self.cells[(w * hidden) as usize..].to_vec();
        let mut put = |c: i32, r: i32, code: u8| {
            let r = r - hidden;
            if c >= 0 && c < w && r >= 0 && r < self.rules.rows {
                let at = &mut out[(r * w + c) as usize];
                if code < 10 || *at == 0 || code == 20 {
                    *at = code;
                }
            }
        };
        for &(c, r) in &self.trail {
            put(c, r, self.piece.map_or(1, |p| number(p.kind)));
        }
        if let Some(piece) = &self.piece {
            if self.rules.ghost {
                let low = self.landed(piece);
                for (c, r) in self.cells_of(&low) {
                    put(c, r, 10 + number(piece.kind));
                }
            }
            for (c, r) in self.cells_of(piece) {
                put(c, r, number(piece.kind));
            }
        }
        if let Some((left, rows)) = &self.clearing
            && (left / 100.0) as i32 % 2 == 0
        {
            for &r in rows {
                for c in 0..w {
                    put(c, r, 20);
                }
            }
        }
        if self.has(Defect::UnseenKind) {
            for code in &mut out {
                *code = if code.is_multiple_of(10) || *code % 10 != UNSEEN {
                    *code
                } else {
                    0
                };
            }
        }
        out
    }

    /// Is anything to be seen of an end?
    pub fn shows_its_end(&self) -> bool {
        let shown = matches!(
            self.rules.end,
            End::Shown | End::ShownAndAgain { .. } | End::Title { .. }
        );
        self.stage == Stage::Over && shown && !self.has(Defect::OverIsError)
    }

    /// Are there buttons that come with a pause?
    pub fn has_resume_button(&self) -> bool {
        self.rules.resume_button && self.stage == Stage::Paused
    }
}
