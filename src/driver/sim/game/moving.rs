//! How the falling piece moves: keys, gravity, the hold.
//!
//! Comes in: a game and what is to be done. Goes out: the game after it. Must never know: which key was pressed.

use super::super::piece::Piece;
use super::{Game, MOST_RESETS};
use crate::driver::sim::{Defect, Input, Levels, Lock, Scoring, Soft};

impl Game {
    pub(super) fn sideways(&mut self, by: i32) {
        let dead = if by < 0 {
            Defect::LeftDead
        } else {
            Defect::RightDead
        };
        if self.has(dead) {
            return;
        }
        let steps = if self.has(Defect::DoubleStep) { 2 } else { 1 };
        for _ in 0..steps {
            let Some(piece) = self.piece else { return };
            let to = Piece {
                x: piece.x + by,
                ..piece
            };
            let cells = self.cells_of(&to);
            let into_blocks = cells.iter().any(|&(c, r)| self.block(c, r));
            if into_blocks && self.has(Defect::SidewaysMerges) {
                self.lock();
                return;
            }
            let inside = cells.iter().filter(|c| self.within(c.0)).count();
            let beyond = self.has(Defect::WallLosesCells) && inside > 0 && !into_blocks;
            if beyond || self.fits(&to) {
                self.place(to);
            }
        }
    }

    pub(super) fn turn(&mut self, piece: Piece, by: u8) {
        if self.has(Defect::RotationMissing) {
            return;
        }
        let rules = &self.rules;
        let to = piece
            .turned(by, rules.rotation, |d| rules.has(d))
            .into_iter()
            .find(|to| {
                self.cells_of(to).iter().all(|&(c, r)| {
                    let wall = self.within(c) || self.has(Defect::RotationThroughWall);
                    let floor = r < self.height();
                    let blocks = !self.block(c, r) || self.has(Defect::RotationIntoStack);
                    wall && floor && blocks && Self::above_is_fine(r)
                })
            });
        if let Some(to) = to {
            self.place(to);
        }
    }

    /// The piece goes to another place that it may have.
    fn place(&mut self, to: Piece) {
        if self.has(Defect::Trails)
            && let Some(was) = self.piece
        {
            let cells = self.cells_of(&was);
            self.trail.extend(cells);
        }
        self.piece = Some(to);
        if let Lock::Delay { resets: true, .. } = self.rules.lock
            && self.resets < MOST_RESETS
            && self.rest_ms > 0.0
        {
            self.rest_ms = 0.0;
            self.resets += 1;
        }
        if self.rules.moves_restart_gravity {
            self.fall_ms = 0.0;
        }
        if self.rules.lock == Lock::Touch && self.rests() {
            self.lock();
        }
    }

    fn rests(&self) -> bool {
        self.piece
            .is_some_and(|p| !self.fits(&Piece { y: p.y + 1, ..p }))
    }

    /// One row down, if it can.
    pub(super) fn fall(&mut self) -> bool {
        let Some(piece) = self.piece else {
            return false;
        };
        let to = Piece {
            y: piece.y + 1,
            ..piece
        };
        if !self.fits(&to) {
            return false;
        }
        if self.has(Defect::Trails) {
            let cells = self.cells_of(&piece);
            self.trail.extend(cells);
        }
        self.piece = Some(to);
        self.rest_ms = 0.0;
        if self.rules.lock == Lock::Touch && self.rests() {
            self.lock();
        }
        true
    }

    pub(super) fn gravity(&mut self, ms: f64) {
        let stopped =
            self.has(Defect::NoGravity) || (self.has(Defect::GravityDies) && self.pieces > 1);
        if !stopped {
            self.fall_ms += ms;
        }
        let mut row_ms = self.row_ms();
        if let Soft::Held { row_ms: soft } = self.rules.soft
            && self.down.contains_key(&Input::Soft)
            && !self.has(Defect::DownIsHardDrop)
        {
            row_ms = row_ms.min(soft);
            if stopped {
                self.fall_ms += ms;
            }
        }
        let mut next_ms = row_ms;
        if let Soft::HeldFromNextRow { row_ms: soft } = self.rules.soft {
            if self.down.contains_key(&Input::Soft) {
                next_ms = row_ms.min(soft);
            }
            row_ms = *self.wait_ms.get_or_insert(next_ms);
        }
        while self.fall_ms >= row_ms && self.piece.is_some() {
            self.fall_ms -= row_ms;
            row_ms = next_ms;
            self.wait_ms = Some(next_ms);
            let pieces = self.pieces;
            if self.fall() {
                if self.rules.scoring == Scoring::Falls {
                    self.drop_points(1);
                }
                if self.has(Defect::GravityOfTwoRows) && self.pieces == pieces {
                    self.fall();
                }
            } else if self.rules.lock == Lock::Tick {
                self.lock();
            }
            if self.pieces != pieces {
                self.fall_ms = 0.0;
            }
        }
        if let Lock::Delay { ms: delay, .. } = self.rules.lock {
            if self.rests() {
                self.rest_ms += ms;
                if self.rest_ms >= delay {
                    self.lock();
                }
            }
        } else if self.rules.lock == Lock::Touch && self.rests() {
            self.lock();
        }
    }

    /// The level that was reached.
    fn reached(&self) -> u32 {
        self.reached_with(self.lines)
    }

    fn reached_with(&self, lines: u32) -> u32 {
        match self.rules.levels {
            Levels::Lines => lines / self.rules.lines_a_level.max(1) + 1,
            Levels::Time(ms) => (self.played_ms / ms.max(1.0)) as u32 + 1,
        }
    }

    pub(super) fn level_now(&mut self) {
        if !self.has(Defect::LevelNever) {
            self.level = self.reached();
        }
    }

    /// Milliseconds a row at this level.
    fn row_ms(&self) -> f64 {
        let table = &self.rules.gravity;
        let level = if self.has(Defect::SpeedNever) {
            1
        } else {
            self.reached_with(self.lines + self.faster_by)
        };
        let at = (level as usize - 1).min(table.len().saturating_sub(1));
        let mut ms = table.get(at).copied().unwrap_or(800.0);
        if self.pieces == 1 {
            ms *= self.rules.first_piece;
        }
        if self.has(Defect::SpeedCollapses) && self.lines >= 4 {
            ms = 20.0;
        }
        if self.has(Defect::SpeedDoublesAfterRestart) && self.games > 1 {
            ms /= 2.0;
        }
        ms.max(1.0)
    }

    pub(super) fn hard_drop(&mut self) {
        let Some(piece) = self.piece else { return };
        let mut to = self.landed(&piece);
        let rows = to.y - piece.y;
        if self.has(Defect::HardDropShort) && rows > 2 {
            to.y -= 2;
        }
        if self.rules.drop_row_ms > 0.0 {
            self.drop_points(2 * rows as u64);
            self.dropping = Some(0.0);
            return;
        }
        self.piece = Some(to);
        self.drop_points(2 * rows as u64);
        if self.rules.hard_locks || self.rules.lock == Lock::Touch {
            self.lock();
        } else {
            self.fall_ms = 0.0;
        }
    }

    /// A piece that is being dropped goes on down.
    pub(super) fn drop_on(&mut self, ms: f64) {
        let mut passed = self.dropping.unwrap_or(0.0) + ms;
        while passed >= self.rules.drop_row_ms {
            passed -= self.rules.drop_row_ms;
            if !self.fall() {
                self.dropping = None;
                self.lock();
                return;
            }
        }
        self.dropping = Some(passed);
    }

    pub(super) fn landed(&self, piece: &Piece) -> Piece {
        let mut to = *piece;
        while self.fits(&Piece { y: to.y + 1, ..to }) {
            to.y += 1;
        }
        to
    }

    pub(super) fn hold(&mut self, piece: Piece) {
        if !self.may_hold {
            return;
        }
        let out = self.held_piece.replace(piece.kind);
        match out.filter(|_| !self.has(Defect::HoldForgets)) {
            Some(kind) if self.rules.back_in_place => {
                let there = Piece {
                    kind,
                    turns: 0,
                    ..piece
                };
                if self.fits(&there) {
                    self.piece = Some(there);
                } else {
                    self.put(kind);
                }
            }
            Some(kind) => self.put(kind),
            None => self.spawn(),
        }
        self.may_hold = self.rules.hold_often && !self.has(Defect::HoldOnce);
    }

    pub(super) fn drop_points(&mut self, points: u64) {
        if self.has(Defect::ScoreNever) {
            return;
        }
        self.score += match self.rules.scoring {
            Scoring::Guideline | Scoring::Drops | Scoring::Falls => points,
            Scoring::LevelDrops => 3 * points * u64::from(self.level),
            Scoring::Nes | Scoring::Lines | Scoring::Pieces => 0,
        };
    }
}
