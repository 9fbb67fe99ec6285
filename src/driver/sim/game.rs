//! The rules at work: keys and frames in, board out. Pure.

use super::piece::Piece;
use super::{Bag, Defect, End, Input, Levels, Lock, Rules, Scoring, Soft, Start, Trigger};
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
    stage: Stage,
    fall_ms: f64,
    rest_ms: f64,
    resets: u32,
    clearing: Option<(f64, Vec<i32>)>,
    spawn_in: Option<f64>,
    /// Milliseconds until it begins again by itself.
    again_in: Option<f64>,
    down: BTreeMap<Input, Held>,
    score: u64,
    lines: u32,
    level: u32,
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
}

impl Game {
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
            stage: Stage::Menu,
            fall_ms: 0.0,
            rest_ms: 0.0,
            resets: 0,
            clearing: None,
            spawn_in: None,
            again_in: None,
            down: BTreeMap::new(),
            score: 0,
            lines: 0,
            level: 1,
            played_ms: 0.0,
            waited_ms: 0.0,
            drawn: None,
            pieces: 0,
            over_stack: 0,
            games: 0,
            trail: Vec::new(),
            errors: Vec::new(),
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

    /// Points so far.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// Rows cleared so far.
    pub fn lines(&self) -> u32 {
        self.lines
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
        if !(again && self.has(Defect::DirtyScore)) {
            self.score = 0;
        }
        (self.lines, self.level, self.pieces, self.over_stack) = (0, 1, 0, 0);
        self.played_ms = 0.0;
        self.next.clear();
        self.held_piece = None;
        self.clearing = None;
        self.spawn_in = None;
        self.stage = Stage::Playing;
        self.spawn();
    }

    /// Is anything to be seen of an end?
    pub fn shows_its_end(&self) -> bool {
        let shown = matches!(self.rules.end, End::Shown | End::ShownAndAgain { .. });
        self.stage == Stage::Over && shown && !self.has(Defect::OverIsError)
    }

    /// Can the button or the key begin a new game?
    pub fn may_restart(&self) -> bool {
        self.stage == Stage::Over && !self.has(Defect::NoRestart) && !self.has(Defect::OverIsError)
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
            Stage::Over if on_button && self.may_restart() => self.start(),
            _ => {}
        }
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
            Trigger::KeyUp | Trigger::Polled { .. } => false,
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
        self.held_keys(ms);
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
                self.start();
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
            Stage::Paused => self.has(Defect::KeysWhilePaused) || input == Input::Pause,
            Stage::Over => self.has(Defect::KeysAfterOver),
            Stage::Menu => false,
        };
        if input == Input::Restart {
            if self.may_restart() {
                self.start();
            }
            return;
        }
        if !plays || self.frozen() {
            return;
        }
        if input == Input::Pause {
            if self.stage == Stage::Paused && self.has(Defect::ResumeBeginsAnew) {
                self.start();
                return;
            }
            self.stage = if self.stage == Stage::Paused {
                Stage::Playing
            } else {
                Stage::Paused
            };
            return;
        }
        let Some(piece) = self.piece else { return };
        match input {
            Input::Left => self.sideways(-1),
            Input::Right => self.sideways(1),
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

    fn sideways(&mut self, by: i32) {
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

    fn turn(&mut self, piece: Piece, by: u8) {
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
    fn fall(&mut self) -> bool {
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

    fn gravity(&mut self, ms: f64) {
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
        while self.fall_ms >= row_ms && self.piece.is_some() {
            self.fall_ms -= row_ms;
            let pieces = self.pieces;
            if self.fall() {
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
        match self.rules.levels {
            Levels::Lines => self.lines / self.rules.lines_a_level.max(1) + 1,
            Levels::Time(ms) => (self.played_ms / ms.max(1.0)) as u32 + 1,
        }
    }

    fn level_now(&mut self) {
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
            self.reached()
        };
        let at = (level as usize - 1).min(table.len().saturating_sub(1));
        let mut ms = table.get(at).copied().unwrap_or(800.0);
        if self.has(Defect::SpeedCollapses) && self.lines >= 4 {
            ms = 20.0;
        }
        if self.has(Defect::SpeedDoublesAfterRestart) && self.games > 1 {
            ms /= 2.0;
        }
        ms.max(1.0)
    }

    fn hard_drop(&mut self) {
        let Some(piece) = self.piece else { return };
        let mut to = self.landed(&piece);
        let rows = to.y - piece.y;
        if self.has(Defect::HardDropShort) && rows > 2 {
            to.y -= 2;
        }
        self.piece = Some(to);
        self.drop_points(2 * rows as u64);
        if self.rules.hard_locks || self.rules.lock == Lock::Touch {
            self.lock();
        } else {
            self.fall_ms = 0.0;
        }
    }

    fn landed(&self, piece: &Piece) -> Piece {
        let mut to = *piece;
        while self.fits(&Piece { y: to.y + 1, ..to }) {
            to.y += 1;
        }
        to
    }

    fn hold(&mut self, piece: Piece) {
        if !self.may_hold {
            return;
        }
        let out = self.held_piece.replace(piece.kind);
        match out.filter(|_| !self.has(Defect::HoldForgets)) {
            Some(kind) => self.put(kind),
            None => self.spawn(),
        }
        self.may_hold = self.rules.hold_often;
    }

    fn drop_points(&mut self, points: u64) {
        let counts = matches!(self.rules.scoring, Scoring::Guideline | Scoring::Drops);
        if counts && !self.has(Defect::ScoreNever) {
            self.score += points;
        }
    }

    fn lock(&mut self) {
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
        for (c, r) in cells {
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
            if self.rules.spawn_ms > 0.0 {
                self.spawn_in = Some(self.rules.spawn_ms);
            } else {
                self.spawn();
            }
            return;
        }
        if self.has(Defect::ThrowOnClear) {
            self.errors
                .push("Uncaught ReferenceError: lines is not defined");
        }
        if self.rules.clear_ms > 0.0 {
            self.clearing = Some((self.rules.clear_ms, full));
        } else {
            self.collapse(&full);
            if self.rules.spawn_ms > 0.0 {
                self.spawn_in = Some(self.rules.spawn_ms);
            } else {
                self.spawn();
            }
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

    fn collapse(&mut self, rows: &[i32]) {
        let w = self.rules.columns as usize;
        for &r in rows {
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
            Scoring::Drops => 100 * u64::from(n),
        };
        if self.has(Defect::ScoreFlat) {
            self.score += 100;
        } else if !self.has(Defect::ScoreNever) && !self.has(Defect::ScoreDropsOnly) {
            self.score += points;
        }
        self.level_now();
    }

    fn spawn(&mut self) {
        while self.next.len() <= self.rules.previews.max(1) {
            self.draw();
        }
        if let Some(kind) = self.next.pop_front() {
            self.put(kind);
        }
        self.may_hold = true;
    }

    /// Puts a piece to where new ones come.
    fn put(&mut self, kind: PieceKind) {
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
                self.piece = Some(piece).filter(|_| self.has(Defect::KeysAfterOver));
                return;
            }
        }
        self.piece = Some(piece);
    }

    fn over(&mut self) {
        if self.has(Defect::OverIsError) {
            self.errors.push("Uncaught RangeError: too much recursion");
        }
        self.stage = Stage::Over;
        if let End::BeginsAgain { after_ms } | End::ShownAndAgain { after_ms } = self.rules.end {
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
