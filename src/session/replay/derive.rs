//! From records to moments: one pass, front to back.

use super::film::{Film, Moment, Scene};
use super::view::{MarkKind, TimelineMark};
use crate::checks::{self, Status};
use crate::driver::{self, Fresh};
use crate::evidence::{Evidence, Mark, Outcome};
use crate::model::{
    ActivePiece, By, Grid, GridEvent, PageSignal, Phase, Record, RecordBody, Stamp,
};
use crate::report::BotReport;
use crate::session::judge::{Corrections, Corrector};
use crate::session::log::{Log, harmless};
use crate::session::publish::{number_places, number_views, verdict_words};
use crate::session::recording::{Recording, Said};
use crate::session::{LogKind, LogLine, PhaseState, PhaseView};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// What is derived reaches the player this often.
const HAND_OVER: Duration = Duration::from_millis(15);
/// Checks are judged again wherever something was marked, and so many times beside that: judging takes the longer the
/// more there is to judge.
const JUDGED: u64 = 150;
/// The least game time between two of those.
const JUDGE_EVERY_US: u64 = 1_000_000;

/// A film in the making, and the way to stop it.
#[derive(Debug, Default)]
pub(super) struct Making {
    pub film: Mutex<Film>,
    pub more: Notify,
    pub stop: AtomicBool,
}

impl Making {
    pub fn with<R>(&self, f: impl FnOnce(&mut Film) -> R) -> R {
        f(&mut self.film.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// However the deriving ends, nobody waits for more.
struct Over<'a>(&'a Making);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.with(|film| film.over = true);
        self.0.more.notify_one();
    }
}

/// Derives everything from a recording, unless it is stopped.
pub(super) fn derive(recording: &Recording, corrections: &Corrections, making: &Making) {
    let _over = Over(making);
    let mut corrector = Corrector::new(corrections);
    let length = recording.log().last().map_or(0, |r| r.stamp.game_us);
    let judge_every_us = JUDGE_EVERY_US.max(length / JUDGED);
    let mut deriver = Deriver::new(recording.said(), Some(judge_every_us));
    deriver.begin(&corrector);
    let mut records = recording.records();
    let mut handed = Instant::now();
    let mut moments = Vec::new();
    for mut record in records.by_ref() {
        if making.stop.load(Ordering::Relaxed) {
            return;
        }
        corrector.correct(&mut record);
        moments.push(deriver.take(record));
        if handed.elapsed() >= HAND_OVER {
            making.with(|film| deriver.hand_over(&mut moments, film));
            making.more.notify_one();
            handed = Instant::now();
        }
    }
    let mut facts = recording.facts().clone();
    facts.rulings.extend(corrector.rulings());
    let end = deriver.end();
    let report = Box::new(BotReport::new(&deriver.evidence, &facts));
    making.with(|film| {
        deriver.hand_over(&mut moments, film);
        if let Some(last) = film.moments.last_mut() {
            *last = end;
        }
        film.missing = records.missing();
        film.report = Some(report);
    });
}

/// What is known after the records that were taken.
pub(super) struct Deriver<'a> {
    evidence: Evidence,
    log: Log,
    said: std::iter::Peekable<std::slice::Iter<'a, Said>>,
    scene: Scene,
    shared: Arc<Scene>,
    changed: bool,
    judged_us: u64,
    /// `None`: nothing is judged.
    judge_every_us: Option<u64>,
    grid: Option<Arc<Grid>>,
    active: Option<Arc<ActivePiece>>,
    reads: u64,
    lines: usize,
    new_lines: Vec<LogLine>,
    new_marks: Vec<TimelineMark>,
}

impl<'a> Deriver<'a> {
    pub fn new(said: &'a [Said], judge_every_us: Option<u64>) -> Self {
        let phases = Phase::ALL.into_iter().map(|phase| PhaseView {
            phase,
            state: PhaseState::Waiting,
            note: String::new(),
        });
        let mut scene = Scene {
            phases: Arc::new(phases.collect()),
            ..Scene::default()
        };
        scene.health.responsive = true;
        Self {
            evidence: driver::evidence(),
            log: Log::default(),
            said: said.iter().peekable(),
            shared: Arc::new(scene.clone()),
            scene,
            changed: true,
            judged_us: 0,
            judge_every_us,
            grid: None,
            active: None,
            reads: 0,
            lines: 0,
            new_lines: Vec::new(),
            new_marks: Vec::new(),
        }
    }

    /// What comes before the first record.
    pub fn begin(&mut self, corrector: &Corrector<'_>) {
        corrector.begin(&mut self.evidence);
        self.scene.hints = self.evidence.hints().clone();
    }

    pub fn hand_over(&mut self, moments: &mut Vec<Moment>, film: &mut Film) {
        film.moments.append(moments);
        film.lines.append(&mut self.new_lines);
        if !self.new_marks.is_empty() {
            Arc::make_mut(&mut film.marks).append(&mut self.new_marks);
        }
    }

    fn mark(&mut self, stamp: Stamp, kind: MarkKind) {
        self.new_marks.push(TimelineMark {
            at_us: stamp.game_us,
            seq: stamp.seq,
            kind,
        });
    }

    fn line(&mut self, line: LogLine) {
        self.new_lines.push(line);
        self.lines += 1;
    }

    pub fn take(&mut self, record: Record) -> Moment {
        let stamp = record.stamp;
        let derived = self.evidence.push(&record);
        if derived.grid.is_some() {
            self.reads += 1;
            self.scene.health.responsive = true;
            self.grid = derived.grid;
            if self.active.as_deref() != derived.active.as_ref() {
                self.active = derived.active.map(Arc::new);
            }
        }
        for event in &derived.events {
            match event {
                GridEvent::PieceLocked { .. } => self.mark(stamp, MarkKind::Lock),
                GridEvent::LineCleared { .. } => self.mark(stamp, MarkKind::Clear),
                _ => {}
            }
        }
        let judge = self.see(&record);
        let fresh = Fresh {
            record,
            events: derived.events,
        };
        for line in self.log.lines_of(&fresh) {
            self.line(line);
        }
        self.scene.health = super::super::PageHealth {
            responsive: self.scene.health.responsive,
            ..self.log.health.clone()
        };
        while let Some(said) = self.said.next_if(|s| s.stamp.seq <= stamp.seq) {
            self.mark(stamp, MarkKind::Operator);
            self.line(LogLine {
                stamp: said.stamp,
                kind: LogKind::Operator,
                text: harmless(&said.text),
            });
        }
        if let Some(every) = self.judge_every_us
            && (judge || stamp.game_us.saturating_sub(self.judged_us) >= every)
        {
            self.judge(stamp);
        }
        self.moment(stamp)
    }

    fn moment(&mut self, stamp: Stamp) -> Moment {
        if self.changed || self.scene.health != self.shared.health {
            self.shared = Arc::new(self.scene.clone());
            self.changed = false;
        }
        Moment {
            stamp,
            grid: self.grid.clone(),
            active: self.active.clone(),
            threshold: self.evidence.threshold(),
            scene: self.shared.clone(),
            lines: self.lines,
            reads: self.reads,
        }
    }

    /// The last moment, with everything judged.
    fn end(&mut self) -> Moment {
        let stamp = self.evidence.last();
        self.judge(stamp);
        self.moment(stamp)
    }

    /// What a record changes in the scene. Is it one after which verdicts are expected?
    fn see(&mut self, record: &Record) -> bool {
        match &record.body {
            RecordBody::Phase(phase) => {
                self.mark(record.stamp, MarkKind::Phase(*phase));
                self.scene.phase = Some(*phase);
                self.phase(*phase, PhaseState::Running, "");
                true
            }
            RecordBody::Mark(text) => self.marked(text),
            RecordBody::Note(text) => {
                self.doing(text);
                false
            }
            RecordBody::Board { board, by, .. } => {
                self.scene.board = Some(board.clone());
                self.changed = true;
                if *by == By::Operator {
                    self.mark(record.stamp, MarkKind::Operator);
                }
                false
            }
            RecordBody::Controls(map, by) => {
                self.scene.controls = Arc::new(map.clone());
                self.changed = true;
                if *by == By::Operator {
                    self.mark(record.stamp, MarkKind::Operator);
                }
                false
            }
            RecordBody::ControlsSoFar(map) => {
                self.scene.controls = Arc::new(map.clone());
                self.changed = true;
                false
            }
            RecordBody::Hints(hints) => {
                self.scene.hints = hints.clone();
                self.changed = true;
                self.mark(record.stamp, MarkKind::Operator);
                false
            }
            RecordBody::Texts(_) => {
                let places = number_places(&self.evidence);
                if *self.scene.places != places {
                    self.scene.places = Arc::new(places);
                    self.changed = true;
                }
                let numbers = number_views(&self.evidence);
                if *self.scene.numbers != numbers {
                    self.scene.numbers = Arc::new(numbers);
                    self.changed = true;
                }
                false
            }
            RecordBody::Signal(PageSignal::Unresponsive { .. } | PageSignal::Crashed) => {
                self.scene.health.responsive = false;
                false
            }
            _ => false,
        }
    }

    fn marked(&mut self, text: &str) -> bool {
        match Mark::parse(text) {
            Some(Mark::Probe {
                action,
                key,
                attempt,
            }) => {
                self.doing(&format!("trying {key} for {}, {attempt}", action.name()));
                false
            }
            Some(Mark::PhaseEnd { phase, outcome }) => {
                let (state, note) = match &outcome {
                    Outcome::Done => (PhaseState::Done, ""),
                    Outcome::Failed(why) | Outcome::BrokeOff(why) => {
                        (PhaseState::Failed, why.as_str())
                    }
                    Outcome::Skipped(why) => (PhaseState::Skipped, why.as_str()),
                };
                self.phase(phase, state, note);
                true
            }
            Some(Mark::End { why }) => {
                self.doing(&why);
                true
            }
            Some(Mark::NoBoard { why }) => {
                self.doing(&why);
                false
            }
            Some(Mark::ProbeEnd) => true,
            _ => {
                self.doing(&text.replace('_', " "));
                false
            }
        }
    }

    fn doing(&mut self, text: &str) {
        self.scene.doing = harmless(text);
        self.changed = true;
    }

    fn phase(&mut self, phase: Phase, state: PhaseState, note: &str) {
        let phases = Arc::make_mut(&mut self.scene.phases);
        if let Some(view) = phases.iter_mut().find(|v| v.phase == phase) {
            view.state = state;
            view.note = harmless(note);
        }
        self.changed = true;
    }

    fn judge(&mut self, stamp: Stamp) {
        self.judged_us = stamp.game_us;
        let views = checks::evaluate(&self.evidence);
        let old = self.scene.checks.clone();
        for view in &views {
            let before = old.iter().find(|c| c.name == view.name);
            let status = view.verdict.status;
            if status == Status::Open || before.is_some_and(|b| b.verdict.status == status) {
                continue;
            }
            match status {
                Status::Pass => self.mark(stamp, MarkKind::Pass),
                Status::Fail => self.mark(stamp, MarkKind::Fail),
                _ => {}
            }
            self.line(LogLine {
                stamp,
                kind: LogKind::Verdict,
                text: harmless(&verdict_words(view)),
            });
        }
        let (next, held) = (self.evidence.coming(), self.evidence.held());
        if (&self.scene.next, self.scene.held) != (&next, held) {
            (self.scene.next, self.scene.held) = (next, held);
            self.changed = true;
        }
        let sure = self.evidence.board_confidence();
        if self.scene.board_confidence != sure {
            self.scene.board_confidence = sure;
            self.changed = true;
        }
        if *old != views {
            self.scene.checks = Arc::new(views);
            self.changed = true;
        }
    }
}
