//! A moment of a film as a snapshot, as a live session would have shown it.

use super::film::Film;
use super::view::ReplayView;
use crate::model::{ActivePiece, ControlMap};
use crate::session::log::harmless;
use crate::session::recording::{Recording, Troubles};
use crate::session::{ClockView, LogLine, RunState, Snapshot};
use std::sync::Arc;

/// Lines of the event log in a snapshot.
const LINES: usize = 2_000;

/// The lines that were shown last; most moments add none.
#[derive(Debug, Default)]
pub(super) struct Lines {
    until: usize,
    kept: Arc<Vec<LogLine>>,
}

/// How a moment is shown.
#[derive(Debug)]
pub(super) struct Show<'a> {
    pub recording: &'a Recording,
    /// Which moment.
    pub at: usize,
    pub playing: bool,
    pub speed: f64,
    /// Said instead of what the bot did.
    pub note: Option<String>,
    pub revision: u64,
    pub obeyed: u64,
}

impl Show<'_> {
    pub fn snapshot(&self, film: &Film, lines: &mut Lines) -> Snapshot {
        let end_us = self.recording.log().last().map_or(0, |r| r.stamp.game_us);
        let done = film.over;
        let facts = self.recording.facts();
        let troubles = Troubles {
            missing: film.missing,
            ..self.recording.troubles().clone()
        };
        let view = ReplayView {
            playing: self.playing,
            obeyed: self.obeyed,
            whole: done,
            end_us,
            derived_us: if done {
                end_us
            } else {
                film.moments.last().map_or(0, |m| m.stamp.game_us)
            },
            marks: film.marks.clone(),
            troubles: harmless(&troubles.to_string()),
            ..ReplayView::default()
        };
        let mut snapshot = Snapshot {
            revision: self.revision,
            target: harmless(&facts.target),
            state: RunState::Opening,
            clock: ClockView {
                mode: facts.clock,
                speed: self.speed,
                reached: self.speed,
                why: harmless(&facts.clock_why),
            },
            reader: facts.reader.clone(),
            rulings: facts.rulings.iter().map(|r| harmless(r)).collect(),
            replay: Some(view),
            ..Snapshot::default()
        };
        let Some(m) = film.moments.get(self.at) else {
            if done {
                snapshot.state = RunState::Failed("the recording holds no records".into());
            }
            return snapshot;
        };
        if let Some(view) = &mut snapshot.replay {
            view.at_us = m.stamp.game_us;
            view.seq = m.stamp.seq;
        }
        let at_end = done && self.at + 1 == film.moments.len();
        snapshot.state = match (self.playing, at_end) {
            (true, _) => RunState::Running,
            (false, true) => RunState::Finished,
            (false, false) => RunState::Held,
        };
        snapshot.doing = self.note.clone().unwrap_or_else(|| m.scene.doing.clone());
        snapshot.stamp = m.stamp;
        snapshot.phase = m.scene.phase;
        snapshot.phases = m.scene.phases.to_vec();
        snapshot.reads_per_second = film.reads_a_second(self.at);
        snapshot.health = m.scene.health.clone();
        snapshot.board.clone_from(&m.scene.board);
        snapshot.board_confidence = m.scene.board_confidence;
        snapshot.grid.clone_from(&m.grid);
        snapshot.active = m.active.as_deref().cloned();
        snapshot.odd_shape = m
            .active
            .as_ref()
            .filter(|a| a.kind.is_none())
            .map(|a| ActivePiece::shape(a));
        snapshot.controls = ControlMap::clone(&m.scene.controls);
        snapshot.numbers = m.scene.numbers.to_vec();
        snapshot.places = m.scene.places.clone();
        snapshot.hints = m.scene.hints.clone();
        snapshot.threshold = m.threshold;
        snapshot.checks = m.scene.checks.clone();
        snapshot.next.clone_from(&m.scene.next);
        snapshot.held = m.scene.held;
        let from = m.lines.saturating_sub(LINES);
        if lines.until != m.lines {
            lines.until = m.lines;
            lines.kept = Arc::new(film.lines[from..m.lines].to_vec());
        }
        snapshot.log = lines.kept.clone();
        snapshot.log_dropped = from as u64;
        snapshot
    }
}
