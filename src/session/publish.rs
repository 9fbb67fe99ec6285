//! From what the driver and the bot leave behind to snapshots.

use super::log::Log;
use super::recording::Recorder;
use super::run::Progressing;
use super::{ClockView, LogKind, NumberView, RunState, Snapshot};
use crate::checks::{self, CheckView};
use crate::driver::{Gate, Shared};
use crate::evidence::{Evidence, NumberTrack};
use crate::model::{ClockMode, NumberRole, Phase};
use crate::report::Facts;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Checks are judged again this often while records come in.
const JUDGE_EVERY: Duration = Duration::from_millis(250);
/// Values of a number that are kept for its sparkline.
const HISTORY: usize = 60;

fn recent(history: &[(crate::model::Stamp, f64)]) -> Vec<f64> {
    let from = history.len().saturating_sub(HISTORY);
    history[from..].iter().map(|h| h.1).collect()
}

/// The numbers of the page that are worth showing.
pub(super) fn number_views(evidence: &Evidence) -> Vec<NumberView> {
    let tracks = evidence.numbers().tracks().iter();
    let said = by_hand(evidence);
    let named = |t: &NumberTrack| said.iter().any(|s| std::ptr::eq(s.1, t));
    tracks
        // A number that never changes is a caption, a date, a key.
        .filter(|t| t.shown && (t.history.len() > 1 || named(t)))
        .map(|t| NumberView {
            history: recent(&t.history),
            ..number_view(t, &said)
        })
        .collect()
}

/// Every number that stands on the page.
pub(super) fn number_places(evidence: &Evidence) -> Vec<NumberView> {
    let tracks = evidence.numbers().tracks().iter();
    let said = by_hand(evidence);
    tracks
        .filter(|t| t.shown)
        .map(|t| number_view(t, &said))
        .collect()
}

/// The numbers whose meaning a person told.
fn by_hand(evidence: &Evidence) -> Vec<(NumberRole, &NumberTrack)> {
    let told = |role| Some((role, evidence.number_by_hand(role)?));
    NumberRole::ALL.into_iter().filter_map(told).collect()
}

fn number_view(track: &NumberTrack, said: &[(NumberRole, &NumberTrack)]) -> NumberView {
    let role = said.iter().find(|s| std::ptr::eq(s.1, track));
    NumberView {
        name: role.map_or_else(
            || super::log::harmless(&track.label),
            |r| r.0.name().to_owned(),
        ),
        value: track.value(),
        rect: track.rect,
        history: Vec::new(),
    }
}

/// A verdict that was reached, as a line of the log.
pub(super) fn verdict_words(view: &CheckView) -> String {
    let word = match view.verdict.status {
        checks::Status::Pass => "pass",
        checks::Status::Fail => "FAIL",
        _ => "skipped",
    };
    format!("{word} {}: {}", view.name, view.verdict.why)
}

/// Makes snapshots.
pub(super) struct Publisher {
    recorder: Arc<Recorder>,
    shared: Arc<Shared>,
    gate: Arc<Gate>,
    progress: Progressing,
    log: Log,
    snapshot: Snapshot,
    judged: Option<Instant>,
    /// Did something come in since?
    unjudged: bool,
    dirty: bool,
    rate: Rate,
    pub hold_at_next_phase: Option<Phase>,
    notes: Vec<String>,
}

/// Reads and game time a wall second, over the last second or so.
#[derive(Debug)]
struct Rate {
    since: Instant,
    reads: u64,
    game_us: u64,
}

impl Publisher {
    pub fn new(
        target: String,
        recorder: Arc<Recorder>,
        shared: Arc<Shared>,
        gate: Arc<Gate>,
        progress: Progressing,
    ) -> Self {
        Self {
            recorder,
            shared,
            gate,
            progress,
            log: Log::default(),
            snapshot: Snapshot {
                target,
                checks: Arc::new(Vec::new()),
                ..Snapshot::default()
            },
            judged: None,
            unjudged: true,
            dirty: true,
            rate: Rate {
                since: Instant::now(),
                reads: 0,
                game_us: 0,
            },
            hold_at_next_phase: None,
            notes: Vec::new(),
        }
    }

    pub fn note(&mut self, text: &str) {
        let stamp = self.shared.status().stamp;
        self.recorder.said(stamp, text);
        self.notes.push(text.to_string());
        self.dirty = true;
    }

    /// Begins a recording, or ends it with the facts as they are.
    pub fn record(&mut self, on: bool, facts: Facts) {
        if on {
            let text = match self.recorder.start(None) {
                Ok(dir) => format!("recording to {}", dir.display()),
                Err(error) => format!("not recording: {error}"),
            };
            self.note(&text);
        } else if self.recorder.state().on {
            self.note("recording ends here");
            self.recorder.finish(facts);
        }
        self.dirty = true;
    }

    pub fn publish(&mut self, to: &watch::Sender<Arc<Snapshot>>, last: bool) {
        let (fresh, lost) = self.shared.take();
        if lost > 0 {
            tracing::warn!(lost, "records were not shown: the session is behind");
        }
        let gate = self.gate.state();
        self.log.driving = gate.driving && gate.held;
        for f in &fresh {
            self.log.add(f);
        }
        let status = self.shared.status().clone();
        for note in std::mem::take(&mut self.notes) {
            self.log.push(status.stamp, LogKind::Operator, &note);
        }
        self.dirty |= !fresh.is_empty();
        self.unjudged |= !fresh.is_empty();
        self.judge(last, &status);
        if gate.frozen && status.clock.mode == ClockMode::Real {
            self.gate.freeze(false);
        }
        let (state, phase, phases) = self
            .progress
            .with(|p| (p.state.clone(), p.phase, p.phases.clone()));
        if let Some(left) = self.hold_at_next_phase
            && phase.is_some_and(|p| p != left)
        {
            self.hold_at_next_phase = None;
            self.gate.hold(true);
        }
        let state = match state {
            RunState::Running if gate.held => RunState::Held,
            RunState::Running if gate.hold => RunState::Holding,
            other => other,
        };
        let elapsed = self.rate.since.elapsed().as_secs_f64();
        let recording = self.recorder.state();
        if recording.fault.is_some() && recording.fault != self.snapshot.recording.fault {
            let why = recording.fault.clone().unwrap_or_default();
            self.note(&format!("recording stopped: {why}"));
        }
        let mut next = Snapshot {
            revision: self.snapshot.revision,
            state,
            doing: super::log::harmless(&status.doing),
            frozen: gate.frozen,
            driving: gate.driving,
            clock: ClockView {
                mode: status.clock.mode,
                speed: gate.speed,
                reached: self.snapshot.clock.reached,
                why: status.clock.why.clone(),
            },
            stamp: status.stamp,
            phase,
            phases,
            dropped: status.dropped,
            health: super::PageHealth {
                responsive: status.responsive,
                ..self.log.health.clone()
            },
            board: status.board.clone(),
            page: status.page.clone().filter(|_| gate.viewing),
            reader: status.reader.clone(),
            odd_shape: status
                .active
                .as_ref()
                .filter(|a| a.kind.is_none())
                .map(crate::model::ActivePiece::shape),
            grid: status.grid.clone(),
            active: status.active.clone(),
            controls: status.controls.clone(),
            log: self.log.lines(),
            log_dropped: self.log.dropped(),
            hints: status.hints.clone(),
            rulings: status.rulings.clone(),
            recording,
            ..self.snapshot.clone()
        };
        if elapsed >= 0.8 {
            next.reads_per_second = (status.reads - self.rate.reads) as f64 / elapsed;
            next.clock.reached =
                status.stamp.game_us.saturating_sub(self.rate.game_us) as f64 / 1e6 / elapsed;
            self.rate = Rate {
                since: Instant::now(),
                reads: status.reads,
                game_us: status.stamp.game_us,
            };
            self.dirty = true;
        }
        let same_page = match (&next.page, &self.snapshot.page) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let changed = self.dirty
            || !same_page
            || next.state != self.snapshot.state
            || next.doing != self.snapshot.doing
            || next.recording.on != self.snapshot.recording.on;
        if changed || last {
            next.revision += 1;
            self.snapshot = next;
            self.dirty = false;
            to.send_replace(Arc::new(self.snapshot.clone()));
        }
    }

    /// Judges again and follows the numbers, where something came in and it is time.
    fn judge(&mut self, now: bool, status: &crate::driver::Status) {
        let due = self.judged.is_none_or(|at| at.elapsed() >= JUDGE_EVERY);
        if !(now || (due && self.unjudged)) {
            return;
        }
        let views = {
            let evidence = self.shared.evidence();
            self.snapshot.numbers = number_views(&evidence);
            self.snapshot.places = Arc::new(number_places(&evidence));
            self.snapshot.threshold = evidence.threshold();
            self.snapshot.board_confidence = evidence.board_confidence();
            (self.snapshot.next, self.snapshot.held) = (evidence.coming(), evidence.held());
            checks::evaluate(&evidence)
        };
        for view in &views {
            let old = self.snapshot.checks.iter().find(|c| c.name == view.name);
            let decided = view.verdict.status != checks::Status::Open;
            if decided && old.is_none_or(|o| o.verdict.status != view.verdict.status) {
                self.log
                    .push(status.stamp, LogKind::Verdict, &verdict_words(view));
            }
        }
        self.snapshot.checks = Arc::new(views);
        self.judged = Some(Instant::now());
        self.unjudged = false;
        self.dirty = true;
    }
}
