//! The session's task: phases in order, operator's commands, snapshots.

use super::log::Log;
use super::{
    ClockView, Command, LogKind, NumberView, PhaseState, PhaseView, RunState, Snapshot, StepUnit,
};
use crate::bot::{Bot, Outcome, PhaseEnd};
use crate::checks;
use crate::driver::{Driver, DriverError, Gate, Shared};
use crate::evidence::Mark;
use crate::model::{Action, Phase, RecordBody};
use crate::report::{BotReport, Facts};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// What a session needs besides its driver.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// What is watched, as the user named it.
    pub target: String,
    /// Keep the page open after the last phase, until told to quit.
    pub stay: bool,
}

/// Snapshots a second at most: what an eye can follow.
const SNAPSHOTS_A_SECOND: u32 = 30;
/// Checks are judged again this often while records come in.
const JUDGE_EVERY: Duration = Duration::from_millis(250);
/// Values of a number that are kept for its sparkline.
const HISTORY: usize = 60;

/// What the bot's task and the publisher both look at.
#[derive(Debug, Default)]
struct Progress {
    state: RunState,
    phase: Option<Phase>,
    phases: Vec<PhaseView>,
}

#[derive(Debug, Clone, Default)]
struct Board(Arc<Mutex<Progress>>);

impl Board {
    fn with<R>(&self, f: impl FnOnce(&mut Progress) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn phase(&self, phase: Phase, state: PhaseState, note: &str) {
        self.with(|p| {
            if state == PhaseState::Running {
                p.phase = Some(phase);
            }
            if let Some(view) = p.phases.iter_mut().find(|v| v.phase == phase) {
                view.state = state;
                view.note = super::log::harmless(note);
            }
        });
    }
}

/// How the bot's work is interrupted.
#[derive(Debug, Clone, PartialEq)]
enum Jump {
    To(Phase),
    Rediscover(Action),
    Quit,
}

/// Runs a bot over a driver until every phase is done (or, with `stay`, until told to quit).
///
/// Returns the report; it is true also when the session ended early. `snapshots` always gets a last snapshot.
pub async fn run<D: Driver>(
    mut driver: D,
    gate: Arc<Gate>,
    shared: Arc<Shared>,
    options: SessionOptions,
    mut commands: mpsc::Receiver<Command>,
    snapshots: watch::Sender<Arc<Snapshot>>,
) -> BotReport {
    let started = Instant::now();
    let board = Board::default();
    board.with(|p| {
        p.phases = Phase::ALL
            .into_iter()
            .map(|phase| PhaseView {
                phase,
                state: PhaseState::Waiting,
                note: String::new(),
            })
            .collect();
    });
    let mut publisher = Publisher::new(
        options.target.clone(),
        shared.clone(),
        gate.clone(),
        board.clone(),
    );
    let (jumps_in, jumps) = mpsc::channel(8);
    let bot = async {
        let end = play(&mut driver, &board, jumps, options.stay).await;
        let why = match &end {
            RunState::Failed(why) => why.clone(),
            _ => "the session ended".into(),
        };
        driver.record(RecordBody::Mark(Mark::End { why }.to_text()));
        end
    };
    tokio::pin!(bot);
    let mut tick = tokio::time::interval(Duration::from_secs(1) / SNAPSHOTS_A_SECOND);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut operator_gone = false;
    let mut bot_state = loop {
        tokio::select! {
            end = &mut bot => break end,
            _ = tick.tick() => publisher.publish(&snapshots, false),
            command = commands.recv(), if !operator_gone => {
                let Some(command) = command else {
                    // The face is gone: nobody can say quit any more.
                    operator_gone = true;
                    if options.stay {
                        let _ = jumps_in.try_send(Jump::Quit);
                    }
                    continue;
                };
                if let Some(jump) = obey(&command, &gate, &board, &mut publisher)
                    && jumps_in.try_send(jump).is_err()
                {
                    publisher.note("one thing at a time: the last jump is still under way");
                }
                publisher.publish(&snapshots, true);
            }
        }
    };
    if let RunState::Failed(why) = &mut bot_state {
        *why = super::log::harmless(why);
    }
    board.with(|p| p.state = bot_state.clone());
    publisher.publish(&snapshots, true);
    let status = shared.status().clone();
    let facts = Facts {
        target: options.target,
        wall_seconds: started.elapsed().as_secs_f64(),
        clock: status.clock.mode,
        clock_why: status.clock.why.clone(),
        speed: gate.state().speed,
        reader: status.reader.clone(),
        rulings: status.rulings.clone(),
        could_not_judge: match bot_state {
            RunState::Failed(why) => Some(why),
            _ => None,
        },
    };
    let evidence = shared.evidence();
    BotReport::new(&evidence, &facts)
}

/// Carries out what can be carried out at once; gives back what has to interrupt the bot.
fn obey(command: &Command, gate: &Gate, board: &Board, publisher: &mut Publisher) -> Option<Jump> {
    let here = board.with(|p| p.phase).unwrap_or(Phase::Load);
    let next = Phase::ALL.get(usize::from(here.number())).copied();
    let (said, jump) = match command {
        Command::Hold(on) => {
            gate.hold(*on);
            (if *on { "hold" } else { "go on" }.to_string(), None)
        }
        Command::Freeze(on) => {
            gate.freeze(*on);
            (if *on { "freeze" } else { "thaw" }.to_string(), None)
        }
        Command::Step(StepUnit::Frame) => {
            gate.step_frame();
            ("step one frame".into(), None)
        }
        Command::Step(StepUnit::Action) => {
            gate.step_action();
            ("step one action".into(), None)
        }
        Command::Step(StepUnit::Phase) => {
            publisher.hold_at_next_phase = Some(here);
            gate.hold(false);
            gate.freeze(false);
            ("step to the end of the phase".into(), None)
        }
        Command::SkipPhase => ("skip the phase".into(), next.map(Jump::To)),
        Command::RedoPhase => ("do the phase again".into(), Some(Jump::To(here))),
        Command::GoToPhase(phase) => (
            format!("go to phase {}", phase.number()),
            Some(Jump::To(*phase)),
        ),
        Command::Speed(speed) => {
            gate.speed(*speed);
            (
                if speed.is_finite() {
                    format!("speed ×{speed}")
                } else {
                    "speed max".into()
                },
                None,
            )
        }
        Command::Drive(on) => {
            gate.drive(*on);
            (
                if *on {
                    "drive: the keys go to the page"
                } else {
                    "the keys come back"
                }
                .to_string(),
                None,
            )
        }
        Command::DriveKey { key, down } => {
            gate.drive_key(key.clone(), *down);
            return None;
        }
        Command::Rebind(action, key) => {
            gate.rule(*action, Some(key.clone()));
            (format!("{} is {key} now", action.name()), None)
        }
        Command::Unbind(action) => {
            gate.rule(*action, None);
            (format!("{} has no key now", action.name()), None)
        }
        Command::Rediscover(action) => (
            format!("look for {} again", action.name()),
            Some(Jump::Rediscover(*action)),
        ),
        Command::Quit => ("quit".into(), Some(Jump::Quit)),
    };
    publisher.note(&said);
    // A bot that is held can't be interrupted into doing something else: going somewhere lets it go.
    if matches!(jump, Some(Jump::To(_) | Jump::Rediscover(_))) {
        gate.hold(false);
        gate.freeze(false);
    }
    jump
}

/// The bot's side: phases in order, until done, told to quit, or stuck.
async fn play<D: Driver>(
    driver: &mut D,
    board: &Board,
    mut jumps: mpsc::Receiver<Jump>,
    stay: bool,
) -> RunState {
    let mut bot = Bot::default();
    let mut todo: Option<Jump> = Some(Jump::To(Phase::Load));
    loop {
        let Some(jump) = todo.take() else {
            board.with(|p| p.state = RunState::Finished);
            if !stay {
                return RunState::Finished;
            }
            driver.say("every phase is done; the page stays open");
            tokio::select! {
                jump = jumps.recv() => {
                    todo = Some(jump.unwrap_or(Jump::Quit));
                    driver.let_go().await;
                    continue;
                }
                end = idle(driver) => return end,
            }
        };
        board.with(|p| p.state = RunState::Running);
        match jump {
            Jump::Quit => return RunState::Finished,
            Jump::To(phase) => {
                driver.record(RecordBody::Phase(phase));
                board.phase(phase, PhaseState::Running, "");
                let end = tokio::select! {
                    end = bot.phase(driver, phase) => end,
                    jump = jumps.recv() => {
                        driver.let_go().await;
                        board.phase(phase, PhaseState::Skipped, "left by the operator");
                        bot.ended(driver, phase, &Outcome::skipped("left by the operator"));
                        todo = Some(jump.unwrap_or(Jump::Quit));
                        continue;
                    }
                };
                match end {
                    Ok(outcome) => {
                        let state = match outcome.end {
                            PhaseEnd::Done => PhaseState::Done,
                            PhaseEnd::Skipped => PhaseState::Skipped,
                            PhaseEnd::Failed => PhaseState::Failed,
                        };
                        board.phase(phase, state, &outcome.note);
                    }
                    Err(error) => {
                        board.phase(phase, PhaseState::Failed, &error.to_string());
                        driver.record(RecordBody::Note(format!(
                            "phase {}: {error}",
                            phase.number()
                        )));
                        bot.ended(driver, phase, &Outcome::failed(&error.to_string()));
                        if fatal(&error) {
                            return RunState::Failed(error.to_string());
                        }
                    }
                }
                todo = Phase::ALL
                    .get(usize::from(phase.number()))
                    .map(|p| Jump::To(*p));
            }
            Jump::Rediscover(action) => {
                tokio::select! {
                    end = bot.rediscover(driver, action) => {
                        if let Err(error) = end {
                            driver.record(RecordBody::Note(format!("looking for {}: {error}", action.name())));
                        }
                    }
                    jump = jumps.recv() => {
                        driver.let_go().await;
                        todo = Some(jump.unwrap_or(Jump::Quit));
                        continue;
                    }
                }
                todo = board.with(|p| p.phase).map(Jump::To);
            }
        }
    }
}

fn recent(history: &[(crate::model::Stamp, f64)]) -> Vec<f64> {
    let from = history.len().saturating_sub(HISTORY);
    history[from..].iter().map(|h| h.1).collect()
}

/// After the last phase: the game goes on under the operator's hands.
async fn idle<D: Driver>(driver: &mut D) -> RunState {
    loop {
        if let Err(error) = driver.advance(100.0).await {
            return RunState::Failed(error.to_string());
        }
    }
}

fn fatal(error: &DriverError) -> bool {
    matches!(
        error,
        DriverError::Browser(crate::browser::BrowserError::BrowserGone) | DriverError::Inactive(_)
    )
}

/// Makes snapshots.
struct Publisher {
    shared: Arc<Shared>,
    gate: Arc<Gate>,
    board: Board,
    log: Log,
    snapshot: Snapshot,
    judged: Option<Instant>,
    dirty: bool,
    rate: Rate,
    hold_at_next_phase: Option<Phase>,
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
    fn new(target: String, shared: Arc<Shared>, gate: Arc<Gate>, board: Board) -> Self {
        Self {
            shared,
            gate,
            board,
            log: Log::default(),
            snapshot: Snapshot {
                target,
                checks: Arc::new(Vec::new()),
                ..Snapshot::default()
            },
            judged: None,
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

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_string());
        self.dirty = true;
    }

    fn publish(&mut self, to: &watch::Sender<Arc<Snapshot>>, last: bool) {
        let (fresh, lost) = self.shared.take();
        if lost > 0 {
            tracing::warn!(lost, "records were not shown: the session is behind");
        }
        for f in &fresh {
            self.log.add(f);
        }
        let status = self.shared.status().clone();
        for note in std::mem::take(&mut self.notes) {
            self.log.push(status.stamp, LogKind::Operator, &note);
        }
        self.dirty |= !fresh.is_empty();
        self.judge(last, &status);
        let gate = self.gate.state();
        let (state, phase, phases) = self
            .board
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
            rulings: status.rulings.clone(),
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
        let changed =
            self.dirty || next.state != self.snapshot.state || next.doing != self.snapshot.doing;
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
        if !(now || (due && self.dirty)) {
            return;
        }
        let (views, numbers) = {
            let evidence = self.shared.evidence();
            let numbers: Vec<NumberView> = evidence
                .numbers()
                .tracks()
                .iter()
                .filter(|t| t.shown)
                .map(|t| NumberView {
                    name: super::log::harmless(&t.label),
                    value: t.value(),
                    history: recent(&t.history),
                })
                .collect();
            (checks::evaluate(&evidence), numbers)
        };
        for view in &views {
            let old = self.snapshot.checks.iter().find(|c| c.name == view.name);
            let decided = view.verdict.status != checks::Status::Open;
            if decided && old.is_none_or(|o| o.verdict.status != view.verdict.status) {
                let word = match view.verdict.status {
                    checks::Status::Pass => "pass",
                    checks::Status::Fail => "FAIL",
                    _ => "skipped",
                };
                self.log.push(
                    status.stamp,
                    LogKind::Verdict,
                    &format!("{word} {}: {}", view.name, view.verdict.why),
                );
            }
        }
        self.snapshot.checks = Arc::new(views);
        self.snapshot.numbers = numbers;
        self.judged = Some(Instant::now());
        self.dirty = true;
    }
}
