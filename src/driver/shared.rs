//! What a driver shows of itself while it works, for a session that publishes it.

use super::ClockFacts;
use crate::evidence::{Derived, Evidence, ReadGrid};
use crate::model::{ActivePiece, Board, ControlMap, Frame, Grid, GridEvent, Hints, Record, Stamp};
use crate::vision::Reader;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A record and what followed from it.
#[derive(Debug, Clone)]
pub struct Fresh {
    /// What came in.
    pub record: Record,
    /// What happened on the board by it.
    pub events: Vec<GridEvent>,
}

/// How things stand with the driver.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// What is being done right now.
    pub doing: String,
    /// The clock.
    pub clock: ClockFacts,
    /// The last record.
    pub stamp: Stamp,
    /// The board.
    pub board: Option<Board>,
    /// The page as it looks, while somebody wants to see it.
    pub page: Option<Arc<Frame>>,
    /// How it is read.
    pub reader: String,
    /// What a person says of how it is to be read.
    pub hints: Hints,
    /// The keys.
    pub controls: ControlMap,
    /// The last grid.
    pub grid: Option<Arc<Grid>>,
    /// The falling piece.
    pub active: Option<ActivePiece>,
    /// Readings of the board so far.
    pub reads: u64,
    /// Pictures skipped at the door so far.
    pub dropped: u64,
    /// Does the page answer?
    pub responsive: bool,
    /// What the operator ruled, in words.
    pub rulings: Vec<String>,
}

/// Fresh records kept for a session that is slow; a log that is behind by more has lost its reader.
const FRESH_KEPT: usize = 20_000;

/// Where records go before anything is derived from them.
pub trait Sink: Send + Sync {
    /// Takes a record. What comes back is what its reader will get; that is what everything is derived from, so that a
    /// replay sees what was seen live.
    fn take(&self, record: Record) -> Record;

    /// Is there room for another picture? Where there isn't, one is skipped before it becomes a record.
    fn has_room(&self) -> bool;
}

/// Shared between a driver, which writes, and its session, which reads.
pub struct Shared {
    sink: Option<Arc<dyn Sink>>,
    evidence: Mutex<Evidence>,
    status: Mutex<Status>,
    fresh: Mutex<(VecDeque<Fresh>, u64)>,
}

/// The reader of a board, as the evidence wants it.
struct Eyes(Reader);

impl Eyes {
    fn new(board: &Board, background: Option<&Frame>, frame: &Frame) -> Self {
        let reader = Reader::new(board.columns, board.rows, frame.samples);
        Self(match background {
            Some(empty) => reader.with_background(empty),
            None => reader,
        })
    }
}

impl ReadGrid for Eyes {
    fn read(&mut self, frame: &Frame) -> Grid {
        self.0.read(frame)
    }

    fn tune(&mut self, hints: &Hints) {
        self.0.tune(hints);
    }

    fn threshold(&self) -> Option<f32> {
        Some(self.0.threshold())
    }
}

/// Evidence that decodes frames as every driver does.
pub fn evidence() -> Evidence {
    Evidence::new(Box::new(|board, background, frame| {
        Box::new(Eyes::new(board, background.map(AsRef::as_ref), frame))
    }))
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            sink: None,
            evidence: Mutex::new(evidence()),
            status: Mutex::default(),
            fresh: Mutex::default(),
        }
    }
}

impl Shared {
    /// With a sink that every record goes through first.
    pub fn with_sink(sink: Arc<dyn Sink>) -> Self {
        Self {
            sink: Some(sink),
            ..Self::default()
        }
    }

    /// Is there room for another picture? Where there isn't, it must be skipped, and counted, before it is a record.
    pub fn has_room(&self) -> bool {
        self.sink.as_ref().is_none_or(|s| s.has_room())
    }

    /// Takes a record in: it is written down where that is wanted, then everything is derived from it.
    pub fn push(&self, record: Record) -> Derived {
        let record = match &self.sink {
            Some(sink) => sink.take(record),
            None => record,
        };
        let derived = self.evidence().push(&record);
        {
            let mut status = self.status();
            status.stamp = record.stamp;
            if derived.grid.is_some() {
                status.grid.clone_from(&derived.grid);
                status.active.clone_from(&derived.active);
            }
        }
        self.add(Fresh {
            record,
            events: derived.events.clone(),
        });
        derived
    }

    /// The evidence, locked. Hold it briefly: the driver waits meanwhile.
    pub fn evidence(&self) -> MutexGuard<'_, Evidence> {
        self.evidence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The status, locked.
    pub fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to what the session has not seen yet.
    fn add(&self, fresh: Fresh) {
        let mut kept = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0.len() >= FRESH_KEPT {
            kept.0.pop_front();
            kept.1 += 1;
        }
        kept.0.push_back(fresh);
    }

    /// Everything since the last call, and how many were lost in between.
    pub fn take(&self) -> (VecDeque<Fresh>, u64) {
        let mut kept = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *kept)
    }
}
