//! The rules at work: keys and frames in, board out. Pure.

mod locking;
mod moving;

use super::piece::Piece;
use super::{Counting, Defect, End, Input, Levels, Rules, Soft, Start, Trigger};
use crate::model::{Key, PieceKind};
use std::collections::{BTreeMap, VecDeque};

/// Moves and turns that can put off a lock (the guideline's number).
const MOST_RESETS: u32 = 15;
/// Number of the kind that [`Defect::UnseenKind`] hides.
const UNSEEN: u8 = 4;
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

    /// Exceptions that were not caught since the last call.
    pub fn take_errors(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.errors)
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
    fn choose(&mut self, input: Input) {
        let idle = matches!(self.stage, Stage::Menu | Stage::Over);
        if idle && self.rules.handicap && input == Input::Soft {
            self.chosen = (self.chosen + 2).min(8);
        }
    }

    /// Is anything to be seen of an end?
    pub fn shows_its_end(&self) -> bool {
        let shown = matches!(
            self.rules.end,
            End::Shown | End::ShownAndAgain { .. } | End::Title { .. }
        );
        self.stage == Stage::Over && shown && !self.has(Defect::OverIsError)
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

    /// Are there buttons that come with a pause?
    pub fn has_resume_button(&self) -> bool {
        self.rules.resume_button && self.stage == Stage::Paused
    }

    /// A click on the button that pauses.
    pub fn click_pause(&mut self) {
        if self.rules.pause_button && matches!(self.stage, Stage::Playing | Stage::Paused) {
            self.act(Input::Pause);
        }
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
        if input == Input::Pause {
            if self.stage == Stage::Paused && self.has(Defect::ResumeBeginsAnew) {
                self.start();
                return;
            }
            if self.has(Defect::NeverResumes) || self.rules.resume_button {
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
            Input::Pause | Input::Restart => {}
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
