//! The rules at work: keys and frames in, board out. Pure.

mod begin;
mod locking;
mod moving;
mod seen;

use super::piece::Piece;
use super::{Counting, Defect, End, Input, Levels, Rules, Soft, Start, Trigger};
use crate::model::{Key, PieceKind};
use std::collections::{BTreeMap, VecDeque};

/// Moves and turns that can put off a lock (the guideline's number).
const MOST_RESETS: u32 = 15;
/// Pieces after which [`Defect::Freeze`] strikes.
const FREEZE_AFTER: u32 = 12;
/// Games that [`Defect::SpawnOverStack`] goes on over the stack.
const OVER_STACK: u32 = 4;

/// Where a game is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Before it was started.
    Menu,
    /// A piece falls.
    Playing,
    /// Stopped by the player.
    Paused,
    /// At its end.
    Over,
}

/// A key that is down.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// For how long, in milliseconds.
    ms: f64,
    /// When it acts again, in milliseconds of `ms` or in frames.
    next: f64,
    /// Frames that saw it.
    frames: u32,
}

/// A game of falling blocks.
#[derive(Debug, Clone)]
pub struct Game {
    rules: Rules,
    random: u64,
    /// Settled blocks, hidden rows first: 0 for none, else the kind's number.
    cells: Vec<u8>,
    piece: Option<Piece>,
    next: VecDeque<PieceKind>,
    held_piece: Option<PieceKind>,
    may_hold: bool,
    /// Presses that were heard.
    acted: u64,
    stage: Stage,
    fall_ms: f64,
    /// Time since a piece that is being dropped went down its last row.
    dropping: Option<f64>,
    rest_ms: f64,
    resets: u32,
    clearing: Option<(f64, Vec<i32>)>,
    spawn_in: Option<f64>,
    /// Milliseconds until it begins again by itself.
    again_in: Option<f64>,
    down: BTreeMap<Input, Held>,
    /// Presses that no frame has taken yet.
    queue: VecDeque<Input>,
    /// Time since the page was opened, in milliseconds, and when each input was last heard, where that counts.
    lived_ms: f64,
    heard: BTreeMap<Input, f64>,
    score: u64,
    /// The points that are shown, see [`Counting`].
    shown: f64,
    /// The best score of the games before this one.
    best: u64,
    lines: u32,
    level: u32,
    /// Those left, with the one that is being lived.
    lives: u32,
    /// How long the wait for the next row is that has begun, for [`Soft::HeldFromNextRow`].
    wait_ms: Option<f64>,
    /// Rows of games before by which this one is faster.
    faster_by: u32,
    /// Game time since the start, in milliseconds.
    played_ms: f64,
    /// Time since the page was opened, while it waits for its start.
    waited_ms: f64,
    /// The kind drawn last.
    drawn: Option<PieceKind>,
    pieces: u32,
    over_stack: u32,
    games: u32,
    trail: Vec<(i32, i32)>,
    errors: Vec<&'static str>,
    /// Has [`Defect::KeysSpoilRestart`] struck?
    spoilt: bool,
    /// Rows of blocks over which the next game begins ([`Rules::handicap`]).
    chosen: i32,
}

impl Game {
    /// Does it lie, but for what keys did to the piece where it is, as in `other`?
    pub fn has_not_fallen(&self, other: &Self) -> bool {
        let at = |g: &Self| g.piece.map(|p| (p.kind, p.y));
        at(self) == at(other)
            && self.stage == other.stage
            && self.cells == other.cells
            && self.clearing == other.clearing
    }

    /// Did nothing happen since `before` but that the piece fell by itself?
    pub fn only_fell(&self, before: &Self) -> bool {
        let kind = |g: &Self| g.piece.map(|p| p.kind);
        kind(self) == kind(before)
            && self.acted == before.acted
            && self.stage == before.stage
            && self.cells == before.cells
            && self.clearing == before.clearing
    }

    /// A game before its start (or running, if it starts by itself). The same seed gives the same pieces.
    pub fn new(rules: Rules, seed: u64) -> Self {
        let cells = vec![0; (rules.columns * (rules.rows + rules.hidden)) as usize];
        let mut game = Self {
            cells,
            random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            piece: None,
            next: VecDeque::new(),
            held_piece: None,
            may_hold: true,
            acted: 0,
            stage: Stage::Menu,
            fall_ms: 0.0,
            dropping: None,
            rest_ms: 0.0,
            resets: 0,
            clearing: None,
            spawn_in: None,
            again_in: None,
            down: BTreeMap::new(),
            queue: VecDeque::new(),
            lived_ms: 0.0,
            heard: BTreeMap::new(),
            score: 0,
            shown: 0.0,
            best: 0,
            lines: 0,
            level: 1,
            lives: 1,
            wait_ms: None,
            faster_by: 0,
            played_ms: 0.0,
            waited_ms: 0.0,
            drawn: None,
            pieces: 0,
            over_stack: 0,
            games: 0,
            trail: Vec::new(),
            errors: Vec::new(),
            spoilt: false,
            chosen: 0,
            rules,
        };
        if game.rules.start == Start::Auto {
            game.start();
        }
        game
    }

    /// The rules it goes by.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where it is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Exceptions that were not caught since the last call.
    pub fn take_errors(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.errors)
    }

    /// A keydown event; `repeat` if the system repeats a key that is held.
    pub fn key_down(&mut self, key: &Key, repeat: bool) {
        if self.stage == Stage::Menu {
            let starts = match &self.rules.start {
                Start::Key(k) => k == key,
                Start::AnyKey => true,
                _ => false,
            };
            if starts && !repeat {
                self.start();
            } else if let Some(&input) = self.rules.keys.get(key)
                && self.rules.keys_before
            {
                if self.piece.is_none() {
                    self.spawn();
                }
                self.act(input);
            } else if let Some(&input) = self.rules.keys.get(key) {
                self.choose(input);
            }
            return;
        }
        let Some(&input) = self.rules.keys.get(key) else {
            return;
        };
        if !repeat {
            let next = match self.rules.trigger {
                Trigger::Das { das_ms, .. } => das_ms,
                _ => 0.0,
            };
            self.down.insert(
                input,
                Held {
                    ms: 0.0,
                    next,
                    frames: 0,
                },
            );
        }
        let acts = match self.rules.trigger {
            Trigger::KeyDown => true,
            Trigger::NoRepeat | Trigger::Das { .. } => !repeat,
            Trigger::Spaced { ms } => {
                let (now, last) = (self.lived_ms, self.heard.get(&input));
                let heard = last.is_none_or(|at| now - at >= ms);
                if heard {
                    self.heard.insert(input, now);
                }
                heard
            }
            Trigger::Queued => {
                self.queue.push_back(input);
                false
            }
            Trigger::KeyUp | Trigger::Polled { .. } | Trigger::Stepped { .. } => false,
        };
        if acts {
            self.act(input);
        }
    }

    /// A keyup event.
    pub fn key_up(&mut self, key: &Key) {
        let Some(&input) = self.rules.keys.get(key) else {
            return;
        };
        let was = self.down.remove(&input);
        if was.is_some() && self.rules.trigger == Trigger::KeyUp && self.stage != Stage::Menu {
            self.act(input);
        }
    }

    /// A frame of the page's own, `ms` after the last.
    pub fn frame(&mut self, ms: f64) {
        self.lived_ms += ms;
        let missing = self.score as f64 - self.shown;
        self.shown += match self.rules.counting {
            Counting::None => missing,
            Counting::Points(points) => points.min(missing),
            Counting::Share(share) => (missing * share).max(1.0).min(missing),
        };
        self.held_keys(ms);
        if let Some(input) = self.queue.pop_front() {
            self.act(input);
        }
        if let (Stage::Menu, Start::Countdown(after_ms)) = (self.stage, &self.rules.start) {
            self.waited_ms += ms;
            if self.waited_ms >= f64::from(*after_ms) {
                self.start();
            }
            return;
        }
        if let Some(left) = &mut self.again_in {
            *left -= ms;
            if *left <= 0.0 {
                self.again_in = None;
                if let End::Title { .. } = self.rules.end {
                    self.cells.fill(0);
                    self.piece = None;
                    self.stage = Stage::Menu;
                } else {
                    self.start();
                }
            }
        }
        if self.stage != Stage::Playing || self.frozen() {
            return;
        }
        self.played_ms += ms;
        if let Levels::Time(_) = self.rules.levels {
            self.level_now();
        }
        if let Some((left, rows)) = &mut self.clearing {
            *left -= ms;
            if *left <= 0.0 {
                let rows = std::mem::take(rows);
                self.clearing = None;
                self.collapse(&rows);
                self.spawn_in = Some(self.rules.spawn_ms);
            }
            return;
        }
        if let Some(left) = &mut self.spawn_in {
            *left -= ms;
            if *left <= 0.0 {
                self.spawn_in = None;
                self.spawn();
            }
            return;
        }
        if self.dropping.is_some() {
            self.drop_on(ms);
            return;
        }
        self.gravity(ms);
    }

    fn has(&self, defect: Defect) -> bool {
        self.rules.has(defect)
    }

    fn frozen(&self) -> bool {
        self.has(Defect::Picture) || (self.has(Defect::Freeze) && self.pieces > FREEZE_AFTER)
    }

    /// Keys that act while held.
    fn held_keys(&mut self, ms: f64) {
        for (input, mut held) in self.down.clone() {
            let goes_on = matches!(input, Input::Left | Input::Right)
                || (input == Input::Soft && self.rules.soft == Soft::Step);
            held.ms += ms;
            let mut acts = 0;
            match self.rules.trigger {
                Trigger::Polled { frames } => {
                    let due = if goes_on {
                        held.frames.is_multiple_of(frames.max(1))
                    } else {
                        held.frames == 0
                    };
                    acts = u32::from(due);
                }
                Trigger::Stepped { ms: step, again } => {
                    let steps = |at: f64| (at / step).floor();
                    if steps(self.lived_ms) <= steps(self.lived_ms - ms) {
                        continue;
                    }
                    acts = u32::from(held.frames == 0 || (again && goes_on));
                }
                Trigger::Das { arr_ms, .. } if goes_on => {
                    while held.ms >= held.next {
                        acts += 1;
                        held.next += arr_ms.max(1.0);
                    }
                }
                _ => {}
            }
            held.frames += 1;
            self.down.insert(input, held);
            for _ in 0..acts {
                self.act(input);
            }
        }
    }

    fn act(&mut self, input: Input) {
        let plays = match self.stage {
            Stage::Playing => true,
            Stage::Paused => {
                if self.rules.any_key_resumes && input != Input::Pause {
                    self.stage = Stage::Playing;
                    return;
                }
                self.has(Defect::KeysWhilePaused) || input == Input::Pause
            }
            Stage::Over => self.has(Defect::KeysAfterOver),
            Stage::Menu => self.rules.keys_before && input != Input::Pause,
        };
        if input == Input::Restart {
            if self.may_restart() {
                self.start();
            }
            return;
        }
        self.spoilt |= self.stage == Stage::Over && self.has(Defect::KeysSpoilRestart);
        self.choose(input);
        if !plays || self.frozen() {
            return;
        }
        if input == Input::GiveUp {
            self.over();
            return;
        }
        if input == Input::Pause {
            if self.stage == Stage::Paused && self.has(Defect::ResumeBeginsAnew) {
                self.start();
                return;
            }
            let stuck = self.has(Defect::NeverResumes) || self.has(Defect::NeverResumesAndSaysSo);
            if stuck || self.rules.resume_button {
                self.stage = Stage::Paused;
                return;
            }
            self.stage = if self.stage == Stage::Paused {
                Stage::Playing
            } else {
                Stage::Paused
            };
            return;
        }
        let Some(piece) = self.piece.filter(|_| self.dropping.is_none()) else {
            return;
        };
        self.acted += 1;
        match input {
            Input::Left | Input::Right => {
                let by = if input == Input::Left { -1 } else { 1 };
                let heard = if self.has(Defect::KeysDoubleAfterRestart) {
                    self.games.max(1)
                } else {
                    1
                };
                for _ in 0..heard {
                    self.sideways(by);
                }
            }
            Input::Soft if self.has(Defect::DownIsHardDrop) => self.hard_drop(),
            Input::Soft => {
                if self.rules.soft == Soft::Step && self.fall() {
                    self.fall_ms = 0.0;
                    self.drop_points(1);
                }
            }
            Input::Hard => {
                self.hard_drop();
                if self.has(Defect::HardDropTwice) {
                    self.hard_drop();
                }
            }
            Input::Clockwise => self.turn(piece, 1),
            Input::CounterClockwise => {
                let same = self.has(Defect::CounterClockwiseTurnsClockwise);
                self.turn(piece, if same { 1 } else { 3 });
            }
            Input::HalfTurn => self.turn(piece, 2),
            Input::Hold => self.hold(piece),
            Input::Pause | Input::Restart | Input::GiveUp => {}
        }
    }

    fn height(&self) -> i32 {
        self.rules.rows + self.rules.hidden
    }

    fn within(&self, column: i32) -> bool {
        (0..self.rules.columns).contains(&column)
    }

    fn above_is_fine(row: i32) -> bool {
        // Without hidden rows a turn may still stick out of the top by a row or two, as most games let it.
        row >= -2
    }

    fn index(&self, column: i32, row: i32) -> Option<usize> {
        (self.within(column) && (0..self.height()).contains(&row))
            .then(|| (row * self.rules.columns + column) as usize)
    }

    fn block(&self, column: i32, row: i32) -> bool {
        self.index(column, row).is_some_and(|i| self.cells[i] != 0)
    }

    fn cells_of(&self, piece: &Piece) -> Vec<(i32, i32)> {
        let mut cells = piece.cells(self.rules.rotation);
        if self.has(Defect::WallWraps) {
            for c in &mut cells {
                c.0 = c.0.rem_euclid(self.rules.columns);
            }
        }
        cells
    }

    fn fits(&self, piece: &Piece) -> bool {
        let lax = self.has(Defect::WallLosesCells) || self.has(Defect::RotationThroughWall);
        // A piece that got beyond the wall by a defect still falls; one that sits in blocks does too.
        let now = self
            .piece
            .as_ref()
            .filter(|_| lax)
            .map(|p| self.cells_of(p));
        let stays = |c: i32| now.as_ref().is_some_and(|n| n.iter().any(|m| m.0 == c));
        let inside_now = self.stage == Stage::Over
            || self.has(Defect::RotationIntoStack)
                && self
                    .piece
                    .is_some_and(|p| self.cells_of(&p).iter().any(|&(c, r)| self.block(c, r)));
        self.cells_of(piece).iter().all(|&(c, r)| {
            (self.within(c) || stays(c))
                && r < self.height()
                && Self::above_is_fine(r)
                && (inside_now || !self.block(c, r))
        })
    }
}

/// The number of a kind, from 1.
pub fn number(kind: PieceKind) -> u8 {
    PieceKind::ALL.iter().position(|k| *k == kind).unwrap_or(0) as u8 + 1
}
