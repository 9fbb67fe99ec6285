//! Grids to events: the stack and the falling piece apart, the piece named, and what happened between two readings.
//!
//! Comes in: [`Seen`], a decoded grid with its record number and game time, and whether a key was down.
//! Goes out: [`Noticed`] events, the falling piece, the settled stack, the pace of gravity.
//! Must never know: pixels, pages, which key does what, what a healthy game should do.
//!
//! Readings may be far apart: between two of them a piece may move, turn and fall, or lock, complete rows and be
//! followed by the next. So each reading is explained by the cheapest of many guesses ([`explain`]). A reading that
//! only an unlikely guess explains is held back and decided with the next: one odd picture changes nothing.

mod afterimage;
mod apply;
mod blocks;
mod explain;
mod gravity;
mod locks;
mod misread;
mod motion;
mod over;
mod pieceless;
mod split;
mod written;

pub use afterimage::{bare, faint};
pub use blocks::{Blocks, Place, shifted};
pub use gravity::{Fall, Gravity, LetGo};

use crate::model::{ActivePiece, Between, Cell, CellState, Grid, GridEvent};
use explain::{Fate, Guess, WEAK, explain};

/// A reading as it comes in.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The record's number.
    pub seq: u64,
    /// The game's time in milliseconds.
    pub game_ms: f64,
    /// The board.
    pub grid: &'a Grid,
    /// Was no key down at any time since the last reading?
    pub quiet: bool,
    /// Was a key down since then that lets a piece go?
    pub let_go: LetGo,
    /// What was drawn between two cells, and was not at rest there.
    pub between: Option<Between>,
    /// Cells that words were last seen to be written over.
    pub written: &'a [Place],
}

/// An event with the record in which it first showed: a held-back reading is explained one later, and a piece that
/// enters row by row is announced when all of it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// The record's number.
    pub seq: u64,
    /// What happened.
    pub event: GridEvent,
}

/// What is falling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Falling {
    pub(crate) active: ActivePiece,
    /// Was its spawn reported? Not before all of it is on the board.
    pub(crate) announced: bool,
    pub(crate) first_seen: u64,
    /// Rows it jumped onto its landing place and has rested on since.
    pub(crate) jumped: u16,
}

/// Everything that is believed of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) stack: Blocks,
    pub(crate) piece: Option<Falling>,
    /// A piece may still be part of `stack`: it has not been told from it by its motion.
    pub(crate) tentative: bool,
    /// The stack as it was before the last clear, until the next piece comes: a flash may show it again.
    pub(crate) before_clear: Option<Blocks>,
    /// Rows that were cleared and left empty; what is above may still come down.
    pub(crate) hanging: Vec<u16>,
    /// Rows were cleared and no piece has locked since: blocks may settle.
    pub(crate) settling: bool,
    /// Where rows were cleared that are still lit: what is above them has come down, and a flash goes out over it.
    pub(crate) lit: Vec<u16>,
    /// Where the piece that last completed rows is still drawn, though it is gone.
    pub(crate) afterimage: Vec<Place>,
    /// The stack without any of the rows that were full, where others than these seemed to go: a flash over what comes
    /// down looks like a row that stays.
    pub(crate) all_gone: Option<Blocks>,
}

/// How many odd readings in a row are waited out while full rows are being cleared: animations shift and fade.
const CLEAR_PATIENCE: u32 = 24;
/// Game milliseconds after which full rows are not being cleared any more: a text over the end of a game may fill some.
const CLEARING_MS: f64 = 2_500.0;
/// The same at any other time.
const PATIENCE: u32 = 3;

/// Game milliseconds for which a flash may cover what has come down where a row was cleared.
const LIT_MS: f64 = 1_500.0;

/// Game milliseconds for which something that goes out (a beam, sparks, words that rise) is waited for.
const FADE_MS: f64 = 1_000.0;
/// What a channel of a block's colour changes by, at least, when it goes out.
const FADE_STEP: u8 = 4;
/// What goes out is at least this part of what nothing explains: the piece that locked and the next are in it, too.
const FADE_SHARE: u32 = 4;

/// A reading that is decided with the next.
#[derive(Debug, Clone)]
struct Held {
    seq: u64,
    blocks: Blocks,
    /// Was no key down before it?
    quiet: bool,
}

/// Follows one board through its readings.
#[derive(Debug, Clone)]
pub struct Tracker {
    columns: u16,
    rows: u16,
    state: Option<State>,
    grid: Grid,
    stack_grid: Grid,
    held: Option<Held>,
    /// What was pressed up to the reading that is held back.
    let_go: LetGo,
    odd: u32,
    /// The board is in a state that nothing explains, said once: the stack before that, as far as it was not said to be
    /// gone.
    lost: Option<Blocks>,
    gravity: Gravity,
    last_ms: f64,
    /// When rows were last cleared that are still lit.
    lit_ms: f64,
    /// Since when an afterimage has shown that was not told yet.
    afterimage_ms: Option<f64>,
    /// Since when what nothing explains changes its colours from one reading to the next.
    fading_ms: Option<f64>,
    /// Since when full rows have stood and no piece fallen.
    full_ms: Option<f64>,
    /// Was the last reading explained without the words over it?
    bare: bool,
    /// Cells in which words were read as blocks.
    written: Vec<Place>,
    piece_id: u64,
    /// Where the last piece appeared.
    came: Vec<Place>,
    motion: motion::Motion,
    /// Something is on its way from one cell to another, and is waited for.
    waiting: bool,
    rest: over::Rest,
}

impl Tracker {
    /// A tracker for boards of this size.
    pub fn new(columns: u16, rows: u16) -> Self {
        Self {
            columns,
            rows,
            state: None,
            grid: Grid::new(columns, rows),
            stack_grid: Grid::new(columns, rows),
            held: None,
            let_go: LetGo::No,
            odd: 0,
            lost: None,
            gravity: Gravity::default(),
            last_ms: 0.0,
            lit_ms: 0.0,
            afterimage_ms: None,
            fading_ms: None,
            full_ms: None,
            bare: false,
            written: Vec::new(),
            piece_id: 0,
            came: Vec::new(),
            motion: motion::Motion::default(),
            waiting: false,
            rest: over::Rest::default(),
        }
    }

    /// The same, of a game whose pace of gravity was measured before, in milliseconds a row.
    pub fn after(columns: u16, rows: u16, gravity_ms: Option<f64>) -> Self {
        Self {
            gravity: Gravity::since(gravity_ms),
            ..Self::new(columns, rows)
        }
    }

    /// The falling piece, if it can be told from the stack.
    pub fn active(&self) -> Option<&ActivePiece> {
        self.state.as_ref()?.piece.as_ref().map(|p| &p.active)
    }

    /// The settled blocks, with their colours as last seen.
    pub fn stack(&self) -> &Grid {
        &self.stack_grid
    }

    /// The settled blocks in compact form.
    pub fn settled(&self) -> Blocks {
        self.state
            .as_ref()
            .map_or_else(|| Blocks::new(self.columns, self.rows), |s| s.stack.clone())
    }

    /// Cells where a piece is still drawn that completed rows and is gone.
    pub fn afterimage(&self) -> &[Place] {
        self.state.as_ref().map_or(&[], |s| &s.afterimage)
    }

    /// Cells in which words that are written over the board were read as blocks.
    pub fn written(&self) -> &[Place] {
        &self.written
    }

    /// Counts up with every piece that appears; 0 before the first. Says whether two readings show the same piece.
    pub fn piece_id(&self) -> u64 {
        self.piece_id
    }

    /// Game milliseconds a row with no key down: the median of what was seen lately.
    pub fn gravity_ms(&self) -> Option<f64> {
        self.gravity.median_ms()
    }

    /// Every fall seen with no key down.
    pub fn gravity(&self) -> &Gravity {
        &self.gravity
    }

    /// Is the last reading held back, or the board in a state that nothing explains?
    pub fn is_unsure(&self) -> bool {
        self.held.is_some() || self.lost.is_some() || self.waiting
    }

    /// Is something on its way from one cell to another, and the state that it leads to waited for?
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// The board could not be read.
    pub fn failed(&mut self, seq: u64, why: &str) -> Vec<Noticed> {
        vec![Noticed {
            seq,
            event: GridEvent::GridReadFailed { why: why.into() },
        }]
    }

    /// Takes a reading, says what happened since the last one. A grid of another size is no reading of this board.
    pub fn see(&mut self, seen: Seen<'_>) -> Vec<Noticed> {
        let grid = seen.grid;
        if (grid.columns(), grid.rows()) != (self.columns, self.rows)
            || self.columns > Blocks::MAX_COLUMNS
        {
            return self.failed(
                seen.seq,
                &format!(
                    "a grid of {}x{} on a board of {}x{}",
                    grid.columns(),
                    grid.rows(),
                    self.columns,
                    self.rows
                ),
            );
        }
        self.waiting = self.motion.waits(seen.between, seen.game_ms);
        if self.waiting {
            return Vec::new();
        }
        // What was pressed before a reading that was held back bears on the one that explains it.
        let let_go = seen.let_go.max(self.let_go);
        let seen = Seen { let_go, ..seen };
        let now = Blocks::of(grid);
        let before = std::mem::replace(&mut self.grid, grid.clone());
        let mut events = Vec::new();
        if self.state.is_none() {
            let state = split::first(&now, seen.seq);
            self.started(&state, &mut events);
            self.state = Some(state);
        } else {
            self.next(&seen, &before, &now, &mut events);
            self.tell_afterimage(&seen, &mut events);
        }
        self.written = match &self.state {
            Some(state) if self.bare => written::read(state, &now, seen.written),
            _ => Vec::new(),
        };
        self.let_go = self.held.as_ref().map_or(LetGo::No, |_| let_go);
        self.last_ms = seen.game_ms;
        let row_ms = self.gravity.median_ms();
        if let Some(state) = &self.state
            && self.rest.ends(&now, state, seen.game_ms, row_ms)
        {
            events.push(Noticed {
                seq: seen.seq,
                event: GridEvent::GameOver,
            });
        }
        self.paint_stack();
        events
    }

    fn started(&mut self, state: &State, events: &mut Vec<Noticed>) {
        if let Some(piece) = &state.piece {
            self.piece_id += 1;
            if piece.announced {
                events.push(Noticed {
                    seq: piece.first_seen,
                    event: GridEvent::PieceSpawned {
                        kind: piece.active.kind,
                        cells: piece.active.cells.clone(),
                    },
                });
            }
        }
    }

    fn next(&mut self, seen: &Seen<'_>, before: &Grid, raw: &Blocks, events: &mut Vec<Noticed>) {
        let Some(mut state) = self.state.clone() else {
            return;
        };
        self.bare = false;
        if state
            .piece
            .as_ref()
            .is_some_and(|p| p.active.cells == self.came && written::hold(&self.came, seen.written))
        {
            state.piece = None;
        }
        if seen.game_ms - self.lit_ms > LIT_MS {
            state.lit.clear();
        }
        if state.piece.is_none() && !state.stack.clearable_rows().is_empty() {
            self.full_ms.get_or_insert(seen.game_ms);
        } else {
            self.full_ms = None;
        }
        state.lit = raw.lit(&state.lit, &state.stack);
        let dark = raw.unlit(&state.lit, &state.stack);
        state.afterimage = afterimage::still(&state, raw);
        for now in afterimage::without(&state, &dark) {
            let guess = explain(&state, &now, seen.quiet);
            if let Some(g) = guess.filter(|g| g.cost < WEAK) {
                self.believe(&state, &g, seen, events);
                return;
            }
        }
        state.afterimage.clear();
        let mut guess = explain(&state, &dark, seen.quiet);
        let bare = written::without(&state, &dark, seen.written);
        let bare = bare.iter().filter_map(|b| explain(&state, b, seen.quiet));
        if let Some(b) = bare.min_by_key(|b| b.cost).filter(|b| b.cost < WEAK)
            && guess.as_ref().is_none_or(|g| {
                g.cost > b.cost + written::COST || written::hold(g.came(), seen.written)
            })
        {
            self.believe(&state, &b, seen, events);
            self.bare = true;
            return;
        }
        let mut now = &dark;
        if !state.lit.is_empty() && guess.as_ref().is_none_or(|g| g.cost >= WEAK) {
            // It may have been filled again, and gone out.
            state.lit.clear();
            guess = explain(&state, raw, seen.quiet);
            now = raw;
        }
        let held = || Held {
            seq: seen.seq,
            blocks: now.clone(),
            quiet: seen.quiet,
        };
        if let Some(g) = guess.as_ref().filter(|g| g.cost < WEAK) {
            self.believe(&state, g, seen, events);
            return;
        }
        if fades(&state, before, seen.grid) {
            let since = *self.fading_ms.get_or_insert(seen.game_ms);
            if seen.game_ms - since < FADE_MS {
                self.held = Some(held());
                return;
            }
        }
        // Held back once; a second look that goes on from the first confirms it.
        if let Some(Held { seq, blocks, quiet }) = self.held.take() {
            let clearing = self
                .full_ms
                .is_some_and(|since| seen.game_ms - since < CLEARING_MS);
            let patience = if clearing { CLEAR_PATIENCE } else { PATIENCE };
            if !clearing || self.odd >= patience {
                let first = explain(&state, &blocks, quiet);
                let mut then = first.as_ref().map_or_else(
                    || split::afresh(&state, &blocks, seq),
                    |g| apply::next(&state, g, seq),
                );
                if let Some(g) = explain(&then, now, seen.quiet).filter(|g| g.cost < WEAK) {
                    if !first
                        .as_ref()
                        .is_some_and(|f| matches!(f.fate, Fate::Emptied(_)))
                    {
                        events.extend(self.emptied_unseen(&then.stack, seq));
                    }
                    match &first {
                        Some(f) => self.take(&state, f, seq, seen, events),
                        None => self.rebase(&state, &then, seq, events),
                    }
                    if let Some(s) = &self.state {
                        then = s.clone();
                    }
                    self.take(&then, &g, seen.seq, seen, events);
                    (self.odd, self.lost) = (0, None);
                    return;
                }
            }
            if self.odd >= patience {
                let then = State {
                    piece: None,
                    ..split::afresh(&state, now, seen.seq)
                };
                self.rebase(&state, &then, seen.seq, events);
                let gone = then.stack.is_empty();
                self.lost
                    .get_or_insert(if gone { then.stack } else { state.stack });
                self.held = Some(held());
                return;
            }
        }
        self.odd += 1;
        self.held = Some(held());
    }

    /// Believes a guess that explains a reading well.
    fn believe(
        &mut self,
        state: &State,
        guess: &Guess,
        seen: &Seen<'_>,
        events: &mut Vec<Noticed>,
    ) {
        events.extend(self.emptied_unseen(&guess.stack, seen.seq));
        self.take(state, guess, seen.seq, seen, events);
        (self.held, self.odd, self.lost, self.fading_ms) = (None, 0, None, None);
    }

    /// Tells of an afterimage that stays.
    fn tell_afterimage(&mut self, seen: &Seen<'_>, events: &mut Vec<Noticed>) {
        let cells = self.state.as_ref().map(|s| &s.afterimage);
        let Some(cells) = cells.filter(|c| !c.is_empty()) else {
            return;
        };
        let since = self.afterimage_ms;
        if since.is_some_and(|since| seen.game_ms - since >= afterimage::STAYS_MS) {
            let cells = cells.clone();
            self.afterimage_ms = None;
            events.push(Noticed {
                seq: seen.seq,
                event: GridEvent::Afterimage { cells },
            });
        }
    }

    /// Believes a guess.
    fn take(
        &mut self,
        state: &State,
        guess: &Guess,
        seq: u64,
        seen: &Seen<'_>,
        events: &mut Vec<Noticed>,
    ) {
        let then = apply::next(state, guess, seq);
        let could_fall = self.could_fall(seen.game_ms - self.last_ms);
        let (mut said, fresh) = apply::events(state, guess, &then, seq, could_fall);
        if fresh {
            self.piece_id += 1;
            self.gravity.new_piece();
            self.came = match &then.piece {
                Some(piece) => piece.active.cells.clone(),
                None => Vec::new(),
            };
        }
        self.gravity.follow(state, &then, fresh, seen);
        if !guess.lit.is_empty() {
            self.lit_ms = seen.game_ms;
        }
        if !guess.afterimage.is_empty() {
            self.afterimage_ms = Some(seen.game_ms);
        }
        events.append(&mut said);
        self.state = Some(apply::with_jump(state, guess, then, could_fall));
    }

    /// Rows a piece can have fallen by itself in this many game milliseconds.
    fn could_fall(&self, ms: f64) -> i32 {
        let a_row = self.gravity.median_ms().unwrap_or(250.0).max(1.0);
        // A soft drop moves a row every 30 ms or so; what is faster is a drop.
        ((ms / a_row).floor().max((ms / 30.0).floor()) as i32).saturating_add(1)
    }

    /// The board makes sense again, with this stack: were its blocks taken away while it made none? It may have faded out,
    /// and in again.
    fn emptied_unseen(&self, stack: &Blocks, seq: u64) -> Option<Noticed> {
        let before = self.lost.as_ref()?;
        (stack.is_empty() && !before.is_empty()).then_some(Noticed {
            seq,
            event: GridEvent::BoardCleared,
        })
    }

    /// Nothing explains what is seen: it is believed as it is.
    fn rebase(&mut self, old: &State, then: &State, seq: u64, events: &mut Vec<Noticed>) {
        let appeared = then.stack.minus(&old.stack).count() as u16;
        let vanished = old.stack.minus(&then.stack).count() as u16;
        if self.lost.is_none() && appeared + vanished > 0 {
            let emptied = then.stack.is_empty() && vanished > 0;
            events.push(Noticed {
                seq,
                event: if emptied {
                    GridEvent::BoardCleared
                } else {
                    GridEvent::StackChanged { appeared, vanished }
                },
            });
        }
        self.gravity.lose_sight();
        let mut then = then.clone();
        match (&old.piece, &mut then.piece) {
            // Whatever became of the stack: what hangs where the piece was, or just below, is still that piece.
            (Some(was), Some(is)) if is_still(was, is) => {
                let active = is.active.clone();
                *is = Falling {
                    active,
                    ..was.clone()
                };
            }
            _ => self.started(&then, events),
        }
        self.state = Some(then);
    }

    /// The stack as a grid: the colours of the last reading where a block is seen.
    fn paint_stack(&mut self) {
        let Some(state) = &self.state else { return };
        let mut stack = Grid::new(self.columns, self.rows);
        for (c, r) in state.stack.places() {
            let seen = self.grid.get(c, r).filter(|x| x.state == CellState::Filled);
            let before = self
                .stack_grid
                .get(c, r)
                .filter(|x| x.state == CellState::Filled);
            let cell = seen.or(before).copied().unwrap_or(Cell {
                state: CellState::Filled,
                colour: [128; 3],
                confidence: 0,
            });
            stack.set(c, r, cell);
        }
        self.stack_grid = stack;
    }
}

/// Is it a piece that was seen already, where it was or a little lower?
fn is_still(was: &Falling, is: &Falling) -> bool {
    let (old, new) = (was.active.corner(), is.active.corner());
    was.announced
        && was.active.shape() == is.active.shape()
        && old.0 == new.0
        && (0..=2).contains(&(new.1 - old.1))
}

/// Do enough of the cells that are neither stack nor piece look other than in the reading before? Blocks keep their colour;
/// what is drawn over a board for a moment goes out, spreads or rises.
fn fades(state: &State, before: &Grid, now: &Grid) -> bool {
    let piece = state.piece.iter().flat_map(|p| &p.active.cells);
    let known = state.stack.with(&piece.copied().collect::<Vec<_>>());
    let (mut odd, mut changed) = (0, 0);
    for place in Blocks::of(now).minus(&known).places() {
        odd += 1;
        let (Some(a), Some(b)) = (before.get(place.0, place.1), now.get(place.0, place.1)) else {
            continue;
        };
        let faded = a.state == CellState::Filled
            && a.colour
                .iter()
                .zip(b.colour)
                .any(|(a, b)| a.abs_diff(b) >= FADE_STEP);
        changed += u32::from(faded);
    }
    changed > 0 && changed * FADE_SHARE >= odd
}

#[cfg(test)]
mod tests;
