//! What follows a piece at rest: blocks, clears, points, the next piece or the end.
//!
//! Comes in: a game whose piece comes to rest. Goes out: the game with the next one. Must never know: keys.

use super::super::piece::Piece;
use super::{Game, OVER_STACK, Stage, number};
use crate::driver::sim::{Bag, Defect, End, Scoring};
use crate::model::PieceKind;

impl Game {
    pub(super) fn lock(&mut self) {
        if self.has(Defect::NeverLocks) {
            return;
        }
        let Some(piece) = self.piece.take() else {
            return;
        };
        if self.rules.scoring == Scoring::Pieces && !self.has(Defect::ScoreNever) {
            self.score += 10;
        }
        self.trail.clear();
        let mut cells = self.cells_of(&piece);
        if self.has(Defect::LockLosesCell) {
            cells.pop();
        }
        let mut all_hidden = true;
        for &(c, r) in &cells {
            all_hidden &= r < self.rules.hidden;
            if let Some(i) = self.index(c, r) {
                self.cells[i] = number(piece.kind);
            }
        }
        if self.has(Defect::ThrowOnLock) {
            self.errors
                .push("Uncaught TypeError: undefined is not a function");
        }
        if all_hidden && self.rules.hidden > 0 && !self.has(Defect::NoGameOver) {
            self.over();
            return;
        }
        let full = self.full_rows();
        let full = self.those_that_go(&full);
        if full.is_empty() {
            self.spawn_when_due();
            return;
        }
        if self.has(Defect::DrawnAfterClear) {
            self.trail = cells;
        }
        if self.has(Defect::ThrowOnClear) {
            self.errors
                .push("Uncaught ReferenceError: lines is not defined");
        }
        if self.rules.clear_ms > 0.0 {
            self.clearing = Some((self.rules.clear_ms, full));
        } else {
            self.collapse(&full);
            self.spawn_when_due();
        }
    }

    fn spawn_when_due(&mut self) {
        if self.rules.spawn_ms > 0.0 {
            self.spawn_in = Some(self.rules.spawn_ms);
        } else {
            self.spawn();
        }
    }

    fn full_rows(&self) -> Vec<i32> {
        (0..self.height())
            .filter(|&r| (0..self.rules.columns).all(|c| self.block(c, r)))
            .collect()
    }

    fn those_that_go(&self, full: &[i32]) -> Vec<i32> {
        let n = full.len();
        let goes = |i: usize| {
            !(self.has(Defect::NoClear)
                || (self.has(Defect::ClearOne) && i > 0)
                || (self.has(Defect::ClearSkipsMiddle) && n > 2 && i > 0 && i + 1 < n))
        };
        full.iter()
            .enumerate()
            .filter(|(i, _)| goes(*i))
            .map(|(_, r)| *r)
            .collect()
    }

    pub(super) fn collapse(&mut self, rows: &[i32]) {
        let w = self.rules.columns as usize;
        let mut rows = rows.to_vec();
        if self.has(Defect::ClearSlips) {
            rows.reverse();
        }
        for &r in &rows {
            let at = r as usize * w;
            self.cells[at..at + w].fill(0);
            if !self.has(Defect::RowsDoNotFall) {
                self.cells.copy_within(0..at, w);
                self.cells[..w].fill(0);
            }
        }
        let n = rows.len() as u32;
        self.lines += n;
        let points = match self.rules.scoring {
            Scoring::Guideline => {
                [0, 100, 300, 500, 800][n.min(4) as usize] * u64::from(self.level)
            }
            Scoring::Nes => [0, 40, 100, 300, 1200][n.min(4) as usize] * u64::from(self.level),
            Scoring::Lines => 10 * u64::from(n),
            Scoring::Pieces => 100 * u64::from(n * n),
            Scoring::Drops | Scoring::Falls => 100 * u64::from(n),
            Scoring::LevelDrops => [0, 100, 300, 600, 1200][n.min(4) as usize],
        };
        if self.has(Defect::ScoreFlat) {
            self.score += 100;
        } else if !self.has(Defect::ScoreNever) && !self.has(Defect::ScoreDropsOnly) {
            self.score += points;
        }
        self.level_now();
    }

    pub(super) fn spawn(&mut self) {
        while self.next.len() <= self.rules.previews.max(1) {
            self.draw();
        }
        if let Some(kind) = self.next.pop_front() {
            self.put(kind);
        }
        self.may_hold |= !self.has(Defect::HoldOnce);
    }

    /// Puts a piece to where new ones come.
    pub(super) fn put(&mut self, kind: PieceKind) {
        let rules = &self.rules;
        let top = (rules.hidden + rules.spawn_row).max(0);
        let mut piece = Piece::spawned(kind, rules.rotation, rules.columns, top);
        let columns = piece.cells(rules.rotation).into_iter().map(|c| c.0);
        let (left, right) = columns.fold((i32::MAX, 0), |m, c| (m.0.min(c), m.1.max(c)));
        let right = rules.columns - 1 - right;
        piece.x += rules
            .spawn_aside
            .clamp((-left).min(right), right.max(-left));
        self.pieces += 1;
        self.dropping = None;
        (self.fall_ms, self.rest_ms, self.resets) = (0.0, 0.0, 0);
        let half = self.height() / 2 + self.rules.hidden / 2;
        let tall = (0..half).any(|r| (0..self.rules.columns).any(|c| self.block(c, r)));
        if tall && self.has(Defect::GameOverEarly) {
            self.over();
            return;
        }
        if !self.fits(&piece) {
            // Many games let it stick out above before they end.
            let higher = Piece {
                y: piece.y - 1,
                ..piece
            };
            if self.rules.hidden > 0 && piece.y > 0 && self.fits(&higher) {
                piece = higher;
            } else if self.has(Defect::SpawnOverStack) && self.over_stack < OVER_STACK {
                self.over_stack += 1;
            } else if !self.has(Defect::NoGameOver) {
                self.over();
                // What keys still move must be there.
                if self.stage == Stage::Over && self.has(Defect::KeysAfterOver) {
                    self.piece = Some(piece);
                }
                return;
            }
        }
        self.piece = Some(piece);
    }

    pub(super) fn over(&mut self) {
        self.piece = None;
        if self.lives > 1 {
            self.lives -= 1;
            self.cells.fill(0);
            self.spawn();
            return;
        }
        if self.has(Defect::OverIsError) {
            self.errors.push("Uncaught RangeError: too much recursion");
        }
        self.stage = Stage::Over;
        if let End::BeginsAgain { after_ms }
        | End::ShownAndAgain { after_ms }
        | End::Title { after_ms } = self.rules.end
        {
            self.again_in = Some(after_ms);
        }
    }

    fn draw(&mut self) {
        let mut kinds = self.rules.kinds.clone();
        if self.has(Defect::FiveKinds) {
            kinds.retain(|k| !matches!(k, PieceKind::I | PieceKind::O));
        }
        if kinds.is_empty() {
            kinds.push(PieceKind::T);
        }
        match self.rules.bag {
            Bag::Uniform => {
                let i = self.below(kinds.len());
                self.next.push_back(kinds[i]);
            }
            Bag::Rerolled => {
                let mut kind = kinds[self.below(kinds.len())];
                if self.drawn == Some(kind) {
                    kind = kinds[self.below(kinds.len())];
                }
                self.drawn = Some(kind);
                self.next.push_back(kind);
            }
            Bag::Shuffled => {
                for i in (1..kinds.len()).rev() {
                    let j = self.below(i + 1);
                    kinds.swap(i, j);
                }
                self.next.extend(kinds);
            }
        }
    }

    /// A random number below `n` (xorshift64, Marsaglia 2003).
    fn below(&mut self, n: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((self.random >> 33) % n.max(1) as u64) as usize
    }
}
