//! A recording that is derived to its end, for whoever wants to look at some of its moments.

use super::derive::{Making, derive};
use super::film::{Film, Moment};
use super::show::{Lines, Show};
use super::view::{Seek, TimelineMark};
use crate::model::{ActivePiece, Frame, Grid, Record, RecordBody};
use crate::report::BotReport;
use crate::session::judge::Corrections;
use crate::session::recording::{Pictures, Recording, Troubles};
use crate::session::{LogLine, NumberView, Snapshot};
use std::sync::{Arc, PoisonError};

/// A whole film.
#[derive(Debug)]
pub struct Reel {
    recording: Recording,
    film: Film,
}

impl Reel {
    /// Derives everything from a recording.
    pub fn new(recording: Recording, corrections: &Corrections) -> Self {
        let making = Making::default();
        derive(&recording, corrections, &making);
        let film = making
            .film
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        Self { recording, film }
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The report.
    pub fn report(&self) -> Option<&BotReport> {
        self.film.report.as_deref()
    }

    /// The event log, whole.
    pub fn lines(&self) -> &[LogLine] {
        &self.film.lines
    }

    /// The marks of the timeline.
    pub fn marks(&self) -> &[TimelineMark] {
        &self.film.marks
    }

    /// Moments, one a record.
    pub fn len(&self) -> usize {
        self.film.moments.len()
    }

    /// Is there no moment?
    pub fn is_empty(&self) -> bool {
        self.film.moments.is_empty()
    }

    /// Game time of a moment in microseconds; 0 where there is none.
    pub fn at_us(&self, at: usize) -> u64 {
        self.moment(at).map_or(0, |m| m.stamp.game_us)
    }

    /// The moment where a seek from `at` ends.
    pub fn find(&self, at: usize, seek: Seek) -> usize {
        self.film.find(at, seek).unwrap_or(at)
    }

    /// The grid and the falling piece at a moment.
    pub fn board(&self, at: usize) -> Option<(&Arc<Grid>, Option<&Arc<ActivePiece>>)> {
        let m = self.moment(at)?;
        Some((m.grid.as_ref()?, m.active.as_ref()))
    }

    /// The picture that was the last one at a moment, as it was recorded.
    pub fn picture(&self, at: usize, pictures: &mut Pictures) -> Option<Arc<Frame>> {
        let frame = |r: &&Record| matches!(r.body, RecordBody::Frame(_));
        let records = self.recording.log().get(..=at)?;
        let mut record = records.iter().rev().find(frame)?.clone();
        pictures.fetch(&mut record);
        match record.body {
            RecordBody::Frame(frame) => Some(frame),
            _ => None,
        }
    }

    /// Does a record hold a picture of the board?
    pub fn is_picture(&self, at: usize) -> bool {
        let record = self.recording.log().get(at);
        record.is_some_and(|r| matches!(r.body, RecordBody::Frame(_)))
    }

    /// The numbers of the page at a moment.
    pub fn numbers(&self, at: usize) -> &[NumberView] {
        self.moment(at).map_or(&[], |m| m.scene.numbers.as_slice())
    }

    /// What is wrong with the recording.
    pub fn troubles(&self) -> Troubles {
        Troubles {
            missing: self.film.missing,
            ..self.recording.troubles().clone()
        }
    }

    /// What a live session would have shown at a moment.
    pub fn snapshot(&self, at: usize) -> Snapshot {
        let show = Show {
            recording: &self.recording,
            at,
            playing: true,
            speed: 1.0,
            note: None,
            revision: at as u64,
            obeyed: 0,
        };
        show.snapshot(&self.film, &mut Lines::default())
    }

    fn moment(&self, at: usize) -> Option<&Moment> {
        self.film.moments.get(at)
    }
}
