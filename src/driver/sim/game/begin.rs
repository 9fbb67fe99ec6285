//! How a game begins: by itself, by buttons and clicks, and once more after its end.
//!
//! Comes in: a game, a click. Goes out: the game that it began, or let go on. Must never know: where a button lies.

use super::{Game, Stage};
use crate::driver::sim::{Defect, Input, Start};

impl Game {
    /// Starts the game, or a new one.
    pub fn start(&mut self) {
        let again = self.games > 0;
        self.games += 1;
        let kept = if again && self.has(Defect::DirtyBoard) {
            self.height() / 3
        } else {
            0
        };
        let gone = ((self.height() - kept) * self.rules.columns) as usize;
        self.cells[..gone].fill(0);
        let columns = self.rules.columns;
        for row in self.height() - self.chosen..self.height() {
            for column in (0..columns).filter(|c| (c + row) % 3 > 0) {
                self.cells[(row * columns + column) as usize] = 1;
            }
        }
        self.best = self.best();
        if !(again && self.has(Defect::DirtyScore)) {
            self.score = 0;
            self.shown = 0.0;
        }
        if self.has(Defect::DirtySpeed) {
            self.faster_by += self.lines;
        }
        if !(again && self.has(Defect::DirtyLevel)) {
            (self.lines, self.level) = (0, 1);
        }
        (self.pieces, self.over_stack) = (0, 0);
        self.lives = self.rules.lives;
        self.played_ms = 0.0;
        self.next.clear();
        self.held_piece = None;
        self.may_hold = true;
        self.clearing = None;
        self.spawn_in = None;
        self.stage = Stage::Playing;
        self.spawn();
    }

    /// Where no game runs, over how many rows of blocks the next one begins ([`Rules::handicap`]).
    pub(super) fn choose(&mut self, input: Input) {
        let idle = matches!(self.stage, Stage::Menu | Stage::Over);
        if idle && self.rules.handicap && input == Input::Soft {
            self.chosen = (self.chosen + 2).min(8);
        }
    }

    /// Can the button or the key begin a new game?
    pub fn may_restart(&self) -> bool {
        let never = self.has(Defect::NoRestart) || self.has(Defect::OverIsError);
        self.stage == Stage::Over && !never && !self.spoilt
    }

    /// A click on the button or the board.
    pub fn click(&mut self, on_button: bool) {
        let starts = match self.rules.start {
            Start::Button => on_button,
            Start::Click => !on_button,
            _ => false,
        };
        match self.stage {
            Stage::Menu if starts => self.start(),
            Stage::Playing if starts && self.rules.stop_button => self.stage = Stage::Paused,
            Stage::Paused if starts && self.rules.stop_button => self.start(),
            Stage::Over if on_button && self.may_restart() => self.start(),
            _ => {}
        }
    }

    /// A click on a button that comes with a pause: the one that lets the game go on, or the one that begins another.
    pub fn click_on(&mut self, resume: bool) {
        if !self.has_resume_button() {
            return;
        }
        if resume {
            self.stage = Stage::Playing;
        } else {
            self.start();
        }
    }

    /// A click on the button that pauses.
    pub fn click_pause(&mut self) {
        if self.rules.pause_button && matches!(self.stage, Stage::Playing | Stage::Paused) {
            self.act(Input::Pause);
        }
    }
}
