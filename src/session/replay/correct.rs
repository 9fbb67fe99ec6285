//! What a person puts right on a recording: shown at once on the picture under their eyes, then everywhere.
//!
//! Comes in: corrections. Goes out: the same moment read by them, and a film that is derived anew. Must never know: a page.

use super::player::Player;
use super::view::Seek;
use crate::model::{Action, Board, By, Frame, Hints, Key, Record, RecordBody, Stamp};
use crate::profile::{KnownBoard, Origin, Profile, VERSION};
use crate::session::judge::Corrector;
use crate::session::{Snapshot, save};
use crate::{driver, vision};
use std::sync::Arc;

/// Pictures that are read anew at once when something was corrected; the last of them is the one that is shown.
const AT_ONCE: usize = 24;

/// What a person may take back: the board, how it looks with nothing on it, how it is read.
pub(super) type Read = (Option<Board>, Option<Arc<Frame>>, Option<Hints>);

/// A board, how it looks with nothing on it, and pictures of it, oldest first.
type Pictured = (Board, Option<Arc<Frame>>, Vec<Arc<Frame>>);

impl Player {
    pub(super) fn correct(&mut self, action: Action, key: Option<Key>) {
        let words = match &key {
            Some(key) => format!("{} is {key} now; judging again", action.name()),
            None => format!("{} is no key now; judging again", action.name()),
        };
        self.corrections.controls.retain(|c| c.0 != action);
        self.corrections.controls.push((action, key));
        self.again(&words);
    }

    pub(super) fn read_by(&mut self, read: Read, words: &str) {
        self.before.push(self.corrected());
        self.set(read, words);
    }

    /// What was corrected of the reading so far.
    pub(super) fn corrected(&self) -> Read {
        let c = &self.corrections;
        (c.board.clone(), c.empty.clone(), c.hints.clone())
    }

    pub(super) fn set(&mut self, (board, empty, hints): Read, words: &str) {
        self.corrections.board = board;
        self.corrections.empty = empty;
        self.corrections.hints = hints;
        self.meanwhile = self.at_once();
        self.again(words);
    }

    /// A cell shows nothing at this moment, or a block.
    pub(super) fn teach(&mut self, cell: (u16, u16), filled: bool) {
        let taught = self.last_pictures(1).and_then(|(board, empty, frames)| {
            let size = (board.columns, board.rows);
            vision::taught(empty.as_deref(), frames.last()?, size, cell, filled)
        });
        let Some(empty) = taught else {
            self.note = Some("there is no picture of that cell here".into());
            return;
        };
        let is = if filled { "filled" } else { "empty" };
        let words = format!("column {}, row {} is {is}; reading again", cell.0, cell.1);
        let (board, _, hints) = self.corrected();
        self.read_by((board, Some(Arc::new(empty)), hints), &words);
    }

    /// The board of this moment, how it looks with nothing on it, and its last pictures, oldest first, as corrected.
    fn last_pictures(&mut self, most: usize) -> Option<Pictured> {
        let seq = self.seq()?;
        let recording = self.recording.clone();
        let log = recording.log();
        let until = log.partition_point(|r| r.stamp.seq <= seq);
        let is_board = |r: &Record| matches!(r.body, RecordBody::Board { .. });
        let first = log[..until].iter().rposition(is_board)?;
        let frames: Vec<&Record> = log[first..until]
            .iter()
            .filter(|r| matches!(r.body, RecordBody::Frame(_)))
            .collect();
        let frames = &frames[frames.len().saturating_sub(most)..];
        let mut corrector = Corrector::new(&self.corrections);
        let (mut known, mut pictures) = (None, Vec::new());
        for record in std::iter::once(&log[first]).chain(frames.iter().copied()) {
            let mut record = record.clone();
            self.pictures.fetch(&mut record);
            corrector.correct(&mut record);
            match record.body {
                RecordBody::Board {
                    board, background, ..
                } => known = Some((board, background)),
                RecordBody::Frame(frame) => pictures.push(frame),
                _ => {}
            }
        }
        let (board, empty) = known?;
        Some((board, empty, pictures))
    }

    /// This moment as it was shown, with its picture read as corrected: all that came before takes longer.
    fn at_once(&mut self) -> Option<Box<Snapshot>> {
        let mut shown = match self.meanwhile.take() {
            Some(shown) => shown,
            None => Box::new(self.snapshot()),
        };
        let (board, background, frames) = self.last_pictures(AT_ONCE)?;
        let mut evidence = driver::evidence();
        let hints = self.corrections.hints.clone();
        let hints = hints.unwrap_or_else(|| self.recorded_hints());
        evidence.read_by(hints.clone());
        let mut record = Record {
            stamp: Stamp::default(),
            body: RecordBody::Board {
                board: board.clone(),
                background,
                by: By::Operator,
            },
        };
        let _ = evidence.push(&record);
        shown.grid = None;
        shown.active = None;
        for frame in frames {
            record.stamp.seq += 1;
            record.body = RecordBody::Frame(frame);
            let derived = evidence.push(&record);
            shown.grid = derived.grid;
            shown.active = derived.active;
        }
        shown.board = Some(board);
        shown.hints = hints;
        shown.threshold = evidence.threshold();
        Some(shown)
    }

    /// What was said of the reading while it was recorded, by this moment.
    fn recorded_hints(&self) -> Hints {
        let seq = self.seq().unwrap_or(0);
        let by_now = self.recording.log().iter().rev();
        let mut by_now = by_now.skip_while(|r| r.stamp.seq > seq);
        let said = by_now.find_map(|r| match &r.body {
            RecordBody::Hints(hints) => Some(hints.clone()),
            _ => None,
        });
        said.unwrap_or_default()
    }

    /// Saves what is known at this moment as a profile, and says what came of it.
    pub(super) fn save(&mut self) -> String {
        let shown = match &self.meanwhile {
            Some(shown) => (**shown).clone(),
            None => self.snapshot(),
        };
        let mut profile = Profile {
            version: VERSION,
            origin: Origin::Hand,
            target: self.recording.facts().target.clone(),
            ..Profile::default()
        };
        profile.board = shown.board.as_ref().map(KnownBoard::from);
        save::keys(&mut profile, &shown.controls);
        profile.reading = shown.hints;
        save::write(&self.profile, &profile)
    }

    /// Everything follows from the corrections anew; the place stays.
    pub(super) fn again(&mut self, note: &str) {
        let here = self
            .making
            .with(|f| f.moments.get(self.at).map(|m| m.stamp.seq));
        self.derive();
        self.at = 0;
        // Where it was on its way to, or where it is.
        self.wanted = self.wanted.or(here.map(Seek::Record));
        self.note = Some(note.into());
    }
}
