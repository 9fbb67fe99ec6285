//! A run in attempts: what failed is tried again from a fresh page, and each attempt is judged by what it saw itself.

use super::Evidence;
use crate::model::Stamp;

impl Evidence {
    /// From here on everything belongs to another attempt. What is known of the page stays known; what was seen so far
    /// is kept as it is, to be judged by itself.
    pub(super) fn begin_attempt(&mut self, stamp: Stamp) {
        let ids = self
            .tracker
            .as_ref()
            .map_or(0, crate::track::Tracker::piece_id);
        let fresh = Self {
            make: self.make.take(),
            reader: self.reader.take(),
            background: self.background.clone(),
            pieces_before: self.pieces_before + ids,
            falls_taken: stamp.seq,
            last: stamp,
            surveys: self.surveys.clone(),
            start: self.start.clone(),
            board: self.board.clone(),
            no_board: self.no_board.clone(),
            stands: self.stands,
            controls: self.controls.clone(),
            opened: self.opened.clone(),
            pages: self.pages.clone(),
            loaded: self.loaded,
            numbers: self.numbers.clone(),
            hints: self.hints.clone(),
            phrases: self.phrases.clone(),
            earlier: std::mem::take(&mut self.earlier),
            ..Self::without_reader()
        };
        let mut seen = std::mem::replace(self, fresh);
        seen.ended = Some((stamp.seq, "the attempt was over".into()));
        self.earlier.push(seen);
    }

    /// Every attempt, oldest first; this one last.
    pub fn attempts(&self) -> Vec<&Self> {
        self.earlier.iter().chain([self]).collect()
    }

    /// The first attempt.
    pub fn origin(&self) -> &Self {
        self.earlier.first().unwrap_or(self)
    }

    /// The first attempt in which a game was started: the one that was played as a whole. The first of all where none
    /// was.
    pub fn played(&self) -> &Self {
        let started = self.attempts().into_iter().find(|e| e.is_started());
        started.unwrap_or_else(|| self.origin())
    }
}
