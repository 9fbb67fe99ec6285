//! The indexed log that checks cite: records in, facts derived once.
//!
//! Comes in: [`Record`]s, in order. Goes out: what each one led to ([`Derived`]), and answers to what checks and faces
//! ask: readings, events, presses and their effects, probes, phases, numbers, signals, counts.
//! Must never know: a clock, a file, a browser, what is right or wrong. The same records give the same evidence.

mod aside;
mod attempt;
mod changes;
mod counts;
mod effect;
mod ending;
mod latency;
mod locked;
mod mark;
mod number_log;
mod numbers;
mod phrases;
mod preview;
mod query;
mod turns;
mod words;
mod written;

pub use aside::{PauseSeen, PauseTry, Swap};
pub use changes::Change;
pub use counts::Counts;
pub use effect::Effect;
pub use ending::{Ending, How, NewGame, TopOut};
pub use latency::Latency;
pub use locked::{Fill, Gone, Locked, ROWS_STAY_MS};
pub use mark::{Mark, Outcome, Recalled};
pub use number_log::{NumberLog, NumberTrack};
pub use numbers::{Parsed, numbers_in};
pub use phrases::Phrase;
pub use preview::{Prediction, Preview};
pub use query::{PhaseSpan, Press, Probe};

use crate::model::{
    Action, ActivePiece, Between, Board, By, ControlMap, Frame, Grid, GridEvent, Hints, Key,
    Measure, NumberRole, PageSignal, Phase, Record, RecordBody, Stamp, StartCandidate, Survey,
};
use crate::track::{Blocks, Fall, LetGo, Seen, Tracker};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What keys do that let no piece go.
const STEERING: [Action; 4] = [
    Action::MoveLeft,
    Action::MoveRight,
    Action::RotateCw,
    Action::RotateCcw,
];

/// Turns frames of one board into grids.
pub trait ReadGrid: Send {
    /// Decodes a frame.
    fn read(&mut self, frame: &Frame) -> Grid;

    /// From now on reads by what a person says of it.
    fn tune(&mut self, _hints: &Hints) {}

    /// What a cell must differ by from its empty look to be read as a block, of 255; `None` where it isn't known.
    fn threshold(&self) -> Option<f32> {
        None
    }
}

/// Makes a reader when the first frame of a board comes in: the board, how it looks empty (if known), that frame.
pub type MakeReader = Box<dyn Fn(&Board, Option<&Arc<Frame>>, &Frame) -> Box<dyn ReadGrid> + Send>;

/// What one record led to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Derived {
    /// The grid, if the record showed one.
    pub grid: Option<Arc<Grid>>,
    /// The falling piece as it is now.
    pub active: Option<ActivePiece>,
    /// What happened on the board.
    pub events: Vec<GridEvent>,
}

/// What the board held for a while: readings that are alike are kept once.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The first record that showed it.
    pub from: Stamp,
    /// The last record that showed it.
    pub until: Stamp,
    /// All blocks.
    pub blocks: Blocks,
    /// The settled ones among them.
    pub stack: Arc<Blocks>,
    /// The falling piece.
    pub active: Option<ActivePiece>,
    /// Tells one piece from the next; see [`Tracker::piece_id`].
    pub piece: u64,
    /// The reading was held back: stack and piece are those of the reading before.
    pub unsure: bool,
    /// Something was drawn between two cells, on its way.
    pub moving: bool,
}

/// An event, with the record in which it first showed and the one by which it was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Happening {
    /// Number of the record that first showed it: the one to cite.
    pub seq: u64,
    /// The record by which it was understood.
    pub stamp: Stamp,
    /// What happened.
    pub event: GridEvent,
}

/// How the game was started.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// A piece falls.
    Started(Option<StartCandidate>, String),
    /// Nothing did it.
    NotStarted(String),
}

/// Everything that is known of a run.
pub struct Evidence {
    make: Option<MakeReader>,
    reader: Option<Box<dyn ReadGrid>>,
    background: Option<Arc<Frame>>,
    tracker: Option<Tracker>,
    last_grid: Option<Arc<Grid>>,
    /// The last grid that was not on its way to another.
    at_rest: Option<Arc<Grid>>,
    down: BTreeSet<Key>,
    quiet: bool,
    /// Was a key down since the last reading that may let a piece go: any but those that are known to move or turn it?
    let_go: LetGo,
    pieces_before: u64,
    falls_taken: u64,
    last: Stamp,
    pub(super) surveys: Vec<(u64, Arc<Survey>)>,
    pub(super) start: Option<(u64, Start)>,
    pub(super) board: Option<(u64, Board, By)>,
    pub(super) boards: Vec<(Stamp, Board, By)>,
    pub(super) no_board: Option<(u64, String)>,
    /// The record that says that nothing falls.
    pub(super) stands: Option<u64>,
    pub(super) controls: Option<(u64, ControlMap, By)>,
    pub(super) readings: Vec<Reading>,
    pub(super) happenings: Vec<Happening>,
    pub(super) falls: Vec<Fall>,
    pub(super) presses: Vec<Press>,
    pub(super) probes: Vec<Probe>,
    pub(super) phases: Vec<PhaseSpan>,
    pub(super) marks: Vec<(Stamp, String)>,
    pub(super) signals: Vec<(Stamp, PageSignal)>,
    pub(super) scrolls: Vec<(Stamp, (f64, f64))>,
    pub(super) clicks: Vec<(Stamp, (f64, f64))>,
    pub(super) opened: Vec<(Stamp, String)>,
    /// The records with which pages began: opened, or loaded anew by the page itself, as some do for another game.
    pub(super) pages: Vec<u64>,
    /// Was the page that was opened last loaded?
    loaded: bool,
    pub(super) ended: Option<(u64, String)>,
    pub(super) cut_short: bool,
    pub(super) measures: Vec<(Stamp, Measure)>,
    /// Games in which what falls stays drawn wherever it was.
    pub(super) smears: Vec<(Stamp, String)>,
    /// What was known from earlier runs and what became of it.
    pub(super) recalled: Vec<(Stamp, String, Recalled, String)>,
    /// Spans at the pace of life; the last may be open.
    pub(super) lifelike: Vec<(Stamp, Option<Stamp>)>,
    pub(super) numbers: NumberLog,
    /// What a person says of how the page is to be read.
    hints: Hints,
    phrases: phrases::Phrases,
    changes: changes::Changes,
    top_outs: Vec<TopOut>,
    new_games: Vec<NewGame>,
    pauses: Vec<PauseTry>,
    places: preview::Places,
    words: words::Words,
    written: written::Written,
    /// The attempts before this one.
    earlier: Vec<Evidence>,
    pub(super) counts: Counts,
}

impl std::fmt::Debug for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evidence")
            .field("last", &self.last)
            .field("readings", &self.readings.len())
            .field("happenings", &self.happenings.len())
            .finish_non_exhaustive()
    }
}

impl Default for Evidence {
    fn default() -> Self {
        Self::without_reader()
    }
}

impl Evidence {
    /// Evidence that decodes frames with readers made by `make`.
    pub fn new(make: MakeReader) -> Self {
        Self {
            make: Some(make),
            ..Self::without_reader()
        }
    }

    /// Evidence that is given grids ([`Evidence::push_grid`]) and cannot decode frames.
    pub fn without_reader() -> Self {
        Self {
            make: None,
            reader: None,
            background: None,
            tracker: None,
            last_grid: None,
            at_rest: None,
            down: BTreeSet::new(),
            quiet: true,
            let_go: LetGo::No,
            pieces_before: 0,
            falls_taken: 0,
            last: Stamp::default(),
            surveys: Vec::new(),
            start: None,
            board: None,
            boards: Vec::new(),
            no_board: None,
            stands: None,
            controls: None,
            readings: Vec::new(),
            happenings: Vec::new(),
            falls: Vec::new(),
            presses: Vec::new(),
            probes: Vec::new(),
            phases: Vec::new(),
            marks: Vec::new(),
            signals: Vec::new(),
            scrolls: Vec::new(),
            clicks: Vec::new(),
            opened: Vec::new(),
            pages: Vec::new(),
            loaded: false,
            ended: None,
            cut_short: false,
            measures: Vec::new(),
            smears: Vec::new(),
            recalled: Vec::new(),
            lifelike: Vec::new(),
            numbers: NumberLog::default(),
            hints: Hints::default(),
            phrases: phrases::Phrases::default(),
            changes: changes::Changes::default(),
            top_outs: Vec::new(),
            new_games: Vec::new(),
            pauses: Vec::new(),
            places: preview::Places::default(),
            words: words::Words::default(),
            written: written::Written::default(),
            earlier: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Takes a record, once and in order, and says what it led to.
    pub fn push(&mut self, record: &Record) -> Derived {
        let stamp = record.stamp;
        self.last = stamp;
        let mut derived = Derived::default();
        match &record.body {
            RecordBody::Frame(frame) => match self.decode(frame) {
                Some(grid) => return self.push_grid(stamp, grid),
                None => {
                    return self.failed(stamp, "a frame came before any board was known");
                }
            },
            RecordBody::Still => {
                if let Some(grid) = self.last_grid.clone() {
                    // What stands still between two cells is at rest there.
                    return self.see(stamp, &grid, None);
                }
            }
            RecordBody::ReadFailed(why) => return self.failed(stamp, why),
            RecordBody::KeyDown(key) => {
                self.down.insert(key.clone());
                self.quiet = false;
                let does = |action: &Action| self.key(*action) == Some(key);
                let let_go = if does(&Action::HardDrop) {
                    LetGo::Surely
                } else if STEERING.iter().any(does) {
                    LetGo::No
                } else {
                    LetGo::Maybe
                };
                self.let_go = self.let_go.max(let_go);
                self.presses.push(Press {
                    key: key.clone(),
                    down: stamp,
                    up: None,
                });
            }
            RecordBody::KeyUp(key) => {
                self.down.remove(key);
                self.quiet = false;
                let open = |p: &&mut Press| p.key == *key && p.up.is_none();
                if let Some(press) = self.presses.iter_mut().rev().find(open) {
                    press.up = Some(stamp);
                }
            }
            RecordBody::Click(x, y) => self.clicks.push((stamp, (*x, *y))),
            RecordBody::Opened(url) => {
                self.opened.push((stamp, url.clone()));
                self.pages.push(stamp.seq);
                self.loaded = false;
                self.down.clear();
                // A fresh page: what was on the board is gone, where the board is may have stayed.
                self.retrack();
            }
            RecordBody::Survey(survey) => self.surveys.push((stamp.seq, survey.clone())),
            RecordBody::Started { candidate, why } => {
                self.start = Some((stamp.seq, Start::Started(candidate.clone(), why.clone())));
                self.stands = None;
            }
            RecordBody::NotStarted { why } => {
                self.start = Some((stamp.seq, Start::NotStarted(why.clone())));
            }
            RecordBody::Signal(signal) => {
                if matches!(signal, PageSignal::Loaded { .. }) {
                    if self.loaded {
                        self.pages.push(stamp.seq);
                    }
                    self.loaded = true;
                }
                self.signals.push((stamp, signal.clone()));
            }
            RecordBody::Texts(items) => {
                self.numbers.see(stamp, items);
                self.phrases.see(stamp, items);
                self.words.see(stamp, items);
                self.written.see(items);
            }
            RecordBody::Aside { place, picture } => self.places.see(stamp, *place, picture),
            RecordBody::Scrolled(x, y) => self.scrolls.push((stamp, (*x, *y))),
            RecordBody::Board {
                board,
                background,
                by,
            } => self.set_board(stamp, board, background.clone(), *by),
            RecordBody::Hints(hints) => self.read_by(hints.clone()),
            RecordBody::Controls(map, by) => self.controls = Some((stamp.seq, map.clone(), *by)),
            RecordBody::Phase(phase) => self.begin_phase(stamp, *phase),
            RecordBody::Mark(text) => self.mark(stamp, text),
            RecordBody::Measured(measure) => {
                self.measures.push((stamp, measure.clone()));
                if matches!(measure, Measure::Pace(_)) {
                    // The game ran meanwhile and nobody saw it.
                    self.retrack();
                }
            }
            RecordBody::ControlsSoFar(_) | RecordBody::Note(_) => {}
        }
        derived.active = self.active().cloned();
        derived
    }

    fn decode(&mut self, frame: &Frame) -> Option<Grid> {
        if self.reader.is_none() {
            let (_, board, _) = self.board.as_ref()?;
            let make = self.make.as_ref()?;
            let mut reader = make(board, self.background.as_ref(), frame);
            reader.tune(&self.hints);
            self.reader = Some(reader);
        }
        self.reader.as_mut().map(|r| r.read(frame))
    }

    fn set_board(&mut self, stamp: Stamp, board: &Board, empty: Option<Arc<Frame>>, by: By) {
        self.board = Some((stamp.seq, board.clone(), by));
        self.boards.push((stamp, board.clone(), by));
        self.no_board = None;
        self.background = empty;
        self.reader = None;
        self.retrack();
    }

    /// Reads from now on as a person says; as the record of it does.
    pub fn read_by(&mut self, hints: Hints) {
        let otherwise = (hints.block, hints.ghost) != (self.hints.block, self.hints.ghost);
        self.hints = hints;
        if otherwise {
            if let Some(reader) = &mut self.reader {
                reader.tune(&self.hints);
            }
            // What is read otherwise from now on did not happen on the board.
            self.retrack();
        }
    }

    /// What a person says of how the page is to be read.
    pub fn hints(&self) -> &Hints {
        &self.hints
    }

    /// What a cell must differ by from its empty look to be read as a block, of 255; `None` before the first frame.
    pub fn threshold(&self) -> Option<f32> {
        self.reader.as_ref().and_then(|r| r.threshold())
    }

    /// The number that a person says is the score, the lines, the level; `None` where nobody said so, or none stands
    /// there.
    pub fn number_by_hand(&self, role: NumberRole) -> Option<&NumberTrack> {
        self.numbers.nearest(self.hints.number(role)?)
    }

    fn retrack(&mut self) {
        if let Some(t) = self.tracker.take() {
            self.pieces_before += t.piece_id();
        }
        self.last_grid = None;
        self.at_rest = None;
    }

    /// Takes a grid that was decoded elsewhere, as [`Evidence::push`] takes a frame.
    pub fn push_grid(&mut self, stamp: Stamp, grid: Grid) -> Derived {
        self.last = stamp;
        let grid = Arc::new(grid);
        if let Some(before) = &self.last_grid {
            self.changes.see(stamp, before, &grid);
        }
        self.last_grid = Some(grid.clone());
        let between = grid.between();
        self.see(stamp, &grid, between)
    }

    fn failed(&mut self, stamp: Stamp, why: &str) -> Derived {
        self.counts.reads_failed += 1;
        let event = GridEvent::GridReadFailed { why: why.into() };
        self.happenings.push(Happening {
            seq: stamp.seq,
            stamp,
            event: event.clone(),
        });
        Derived {
            grid: None,
            active: self.active().cloned(),
            events: vec![event],
        }
    }

    fn see(&mut self, stamp: Stamp, grid: &Arc<Grid>, between: Option<Between>) -> Derived {
        let (columns, rows) = (grid.columns(), grid.rows());
        let before = match self.tracker {
            Some(_) => None,
            None => self.gravity_ms(),
        };
        let tracker = self
            .tracker
            .get_or_insert_with(|| Tracker::after(columns, rows, before));
        let board = self.board.as_ref().map(|(_, board, _)| board);
        let written = board.map_or_else(Vec::new, |board| self.written.over(board));
        let noticed = tracker.see(Seen {
            seq: stamp.seq,
            game_ms: stamp.game_ms(),
            grid,
            quiet: self.quiet && self.down.is_empty(),
            let_go: self.let_go,
            between,
            written: &written,
        });
        // While something is on its way, grid and piece are those of the rest before it.
        let shown = match &self.at_rest {
            Some(rest) if tracker.is_waiting() => rest.clone(),
            _ => {
                let grid = crate::track::bare(grid, tracker.written());
                crate::track::faint(&grid, tracker.afterimage())
            }
        };
        if !tracker.is_waiting() {
            self.quiet = true;
            self.let_go = LetGo::No;
            self.at_rest = Some(grid.clone());
        }
        let new: Vec<Fall> = tracker
            .gravity()
            .falls()
            .iter()
            .rev()
            .take_while(|f| f.seq >= self.falls_taken)
            .copied()
            .collect();
        self.falls.extend(new.into_iter().rev());
        self.falls_taken = stamp.seq + 1;

        self.counts.frames += 1;
        let reading = Reading {
            from: stamp,
            until: stamp,
            blocks: Blocks::of(grid).without(tracker.written()),
            stack: Arc::new(tracker.settled()),
            active: tracker.active().cloned(),
            piece: self.pieces_before + tracker.piece_id(),
            unsure: tracker.is_unsure(),
            moving: between.is_some(),
        };
        let active = reading.active.clone();
        self.keep(reading);
        let mut events = Vec::new();
        for n in noticed {
            self.counts.event(&n.event);
            events.push(n.event.clone());
            self.happenings.push(Happening {
                seq: n.seq,
                stamp,
                event: n.event,
            });
        }
        Derived {
            grid: Some(shown),
            active,
            events,
        }
    }

    fn keep(&mut self, mut reading: Reading) {
        if let Some(last) = self.readings.last_mut()
            && *last.stack == *reading.stack
        {
            reading.stack = last.stack.clone();
            if last.blocks == reading.blocks
                && last.active == reading.active
                && last.piece == reading.piece
                && last.unsure == reading.unsure
                && last.moving == reading.moving
            {
                last.until = reading.until;
                return;
            }
        }
        self.readings.push(reading);
    }

    fn begin_phase(&mut self, stamp: Stamp, phase: Phase) {
        if let Some(open) = self.phases.last_mut().filter(|p| p.until.is_none()) {
            open.until = Some(stamp);
        }
        self.phases.push(PhaseSpan {
            phase,
            from: stamp,
            until: None,
            outcome: None,
        });
    }

    fn mark(&mut self, stamp: Stamp, text: &str) {
        self.marks.push((stamp, text.to_owned()));
        match Mark::parse(text) {
            Some(Mark::Probe {
                action,
                key,
                attempt,
            }) => {
                self.end_probe(stamp);
                self.probes.push(Probe {
                    action,
                    key,
                    attempt,
                    from: stamp,
                    until: None,
                });
            }
            Some(Mark::ProbeEnd) => self.end_probe(stamp),
            Some(Mark::Stands) => self.stands = Some(stamp.seq),
            Some(Mark::NoBoard { why }) => self.no_board = Some((stamp.seq, why)),
            Some(Mark::Sure { columns, rows }) => {
                if let Some((_, board, _)) = &mut self.board {
                    board.sure.columns |= columns;
                    board.sure.rows |= rows;
                }
            }
            Some(Mark::PhaseEnd { phase, outcome }) => {
                let open = |p: &&mut PhaseSpan| p.phase == phase && p.outcome.is_none();
                if let Some(span) = self.phases.iter_mut().rev().find(open) {
                    span.until = Some(stamp);
                    span.outcome = Some(outcome);
                } else {
                    self.phases.push(PhaseSpan {
                        phase,
                        from: stamp,
                        until: Some(stamp),
                        outcome: Some(outcome),
                    });
                }
            }
            Some(Mark::Lifelike) => self.lifelike.push((stamp, None)),
            Some(Mark::LifelikeEnd) => {
                if let Some(open) = self.lifelike.last_mut().filter(|l| l.1.is_none()) {
                    open.1 = Some(stamp);
                }
            }
            Some(Mark::Smears { why }) => self.smears.push((stamp, why)),
            Some(Mark::Recalled { what, how, why }) => {
                self.recalled.push((stamp, what, how, why));
            }
            Some(Mark::Attempt { .. }) => self.begin_attempt(stamp),
            Some(Mark::CutShort) => self.cut_short = true,
            Some(Mark::End { why }) => self.ended = Some((stamp.seq, why)),
            Some(
                mark @ (Mark::Pause { .. }
                | Mark::Paused
                | Mark::PauseKeys
                | Mark::Resume
                | Mark::PauseEnd),
            ) => self.mark_of_a_pause(stamp, mark),
            Some(mark) => self.mark_of_an_end(stamp, mark),
            None => {}
        }
    }

    fn end_probe(&mut self, stamp: Stamp) {
        if let Some(open) = self.probes.last_mut().filter(|p| p.until.is_none()) {
            open.until = Some(stamp);
        }
    }
}

#[cfg(test)]
mod tests;
