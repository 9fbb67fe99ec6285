//! What a person puts right on a recording: shown at once on the picture under their eyes, then everywhere.
//!
//! Comes in: corrections. Goes out: the same moment read by them, and a film that is derived anew. Must never know: a page.

use super::player::Player;
use super::view::Seek;
use crate::model::{Action, Board, Frame, Hints, Key, Record, RecordBody};
use crate::profile::{KnownBoard, Origin, Profile, VERSION};
use crate::session::judge::Corrector;
use crate::session::{Snapshot, save};
use crate::vision;
use std::sync::Arc;

/// What a person may take back: the board, how it looks with nothing on it, how it is read.
pub(super) type Read = (Option<Board>, Option<Arc<Frame>>, Option<Hints>);

/// A board, how it looks with nothing on it, and a picture of it.
type Pictured = (Board, Option<Arc<Frame>>, Arc<Frame>);

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
        let taught = self.last_picture().and_then(|(board, empty, frame)| {
            let size = (board.columns, board.rows);
            vision::taught(empty.as_deref(), &frame, size, cell, filled)
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

    /// The board of this moment, how it looks with nothing on it, and its last picture, as corrected.
    fn last_picture(&mut self) -> Option<Pictured> {
        let recording = self.recording.clone();
        let log = &recording.log()[..self.until()?];
        let is_board = |r: &Record| matches!(r.body, RecordBody::Board { .. });
        let is_frame = |r: &Record| matches!(r.body, RecordBody::Frame(_));
        let (found, shown) = (
            log.iter().rposition(is_board)?,
            log.iter().rposition(is_frame)?,
        );
        let mut corrector = Corrector::new(&self.corrections);
        let mut corrected = |at: usize| {
            let mut record = log[at].clone();
            self.pictures.fetch(&mut record);
            corrector.correct(&mut record);
            record.body
        };
        match (corrected(found), corrected(shown)) {
            (
                RecordBody::Board {
                    board, background, ..
                },
                RecordBody::Frame(frame),
            ) if found < shown => Some((board, background, frame)),
            _ => None,
        }
    }

    /// This moment as it was shown, with its picture read as corrected: all that came before takes longer.
    fn at_once(&mut self) -> Option<Box<Snapshot>> {
        let mut shown = match self.meanwhile.take() {
            Some(shown) => shown,
            None => Box::new(self.snapshot()),
        };
        let until = self.until()?;
        let film = self.glanced(until)?;
        let now = film.moments.into_iter().next()?;
        shown.grid = now.grid;
        shown.active = now.active.as_deref().cloned();
        shown.threshold = now.threshold;
        shown.board.clone_from(&now.scene.board);
        shown.hints = now.scene.hints.clone();
        Some(shown)
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
        if self.wanted.is_empty() {
            self.wanted.extend(here.map(Seek::Record));
        }
        self.note = Some(note.into());
    }
}
