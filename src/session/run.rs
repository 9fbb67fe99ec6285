//! The session's task: the bot, the operator's commands and the snapshots, side by side.

use super::obey::obey;
use super::play::play;
use super::publish::Publisher;
use super::recording::Recorder;
use super::{Command, PhaseState, PhaseView, RunState, Snapshot};
use crate::bot::BotOptions;
use crate::checks;
use crate::driver::{Driver, Gate, Shared};
use crate::evidence::Mark;
use crate::model::{Action, Key, Phase, RecordBody};
use crate::profile::Memory;
use crate::report::{BotReport, Facts};
use std::path::PathBuf;
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
    /// End after this wall time with what was decided by then.
    pub timeout: Option<Duration>,
    /// What the bot is told.
    pub bot: BotOptions,
    /// What earlier runs learned of the page, and where what this one learns is kept.
    pub memory: Arc<Memory>,
    /// Where a profile goes that the operator saves; `None` where there is no place.
    pub profile: Option<PathBuf>,
    /// What the driver's records go through; it records when it is told to.
    pub recorder: Arc<Recorder>,
}

/// Snapshots a second at most: what an eye can follow.
const SNAPSHOTS_A_SECOND: u32 = 30;

/// What the bot's task and the publisher both look at.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub state: RunState,
    pub phase: Option<Phase>,
    pub phases: Vec<PhaseView>,
    /// The phase that broke off by an error, and that error.
    pub broke_off: Option<(Phase, String)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Progressing(Arc<Mutex<Progress>>);

impl Progressing {
    pub fn with<R>(&self, f: impl FnOnce(&mut Progress) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why a session that ended has not judged everything, in words: a phase broke off, or was still to come.
    fn unfinished(&self) -> Option<String> {
        self.with(|p| {
            if let Some((phase, why)) = &p.broke_off {
                return Some(format!("phase {} broke off: {why}", phase.number()));
            }
            let open = |s| matches!(s, PhaseState::Waiting | PhaseState::Running);
            let left = p.phases.iter().any(|v| open(v.state));
            left.then(|| match p.phase {
                Some(phase) => format!("stopped in phase {}", phase.number()),
                None => "stopped before it began".into(),
            })
        })
    }

    pub fn phase(&self, phase: Phase, state: PhaseState, note: &str) {
        self.with(|p| {
            if state == PhaseState::Running {
                p.phase = Some(phase);
                p.broke_off.take_if(|b| b.0 == phase);
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
pub(super) enum Jump {
    To(Phase),
    /// The same from a fresh page.
    Again(Phase),
    Rediscover(Action),
    TryKey(Key),
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
    let progress = Progressing::default();
    progress.with(|p| {
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
        options.recorder.clone(),
        shared.clone(),
        gate.clone(),
        progress.clone(),
    );
    let recorder = options.recorder.clone();
    let facts = |end: &RunState, time_up: bool| {
        let status = shared.status().clone();
        Facts {
            target: options.target.clone(),
            wall_seconds: started.elapsed().as_secs_f64(),
            clock: status.clock.mode,
            clock_why: status.clock.why,
            speed: gate.state().speed,
            reader: status.reader,
            rulings: status.rulings,
            could_not_judge: match (end, options.timeout) {
                (RunState::Failed(why), _) => Some(why.clone()),
                (_, Some(time)) if time_up => progress
                    .unfinished()
                    .map(|why| format!("{why}: {:.0} s were over", time.as_secs_f64())),
                _ => progress
                    .unfinished()
                    .or_else(|| checks::not_judged(&shared.evidence())),
            },
        }
    };
    let (jumps_in, jumps) = mpsc::channel(8);
    let bot = async {
        let end = play(&mut driver, &progress, &gate, jumps, &options).await;
        let why = match &end {
            RunState::Failed(why) => why.clone(),
            _ => "the session ended".into(),
        };
        if driver.evidence(|e| !checks::again(e).is_empty()) {
            driver.record(RecordBody::Mark(Mark::CutShort.to_text()));
        }
        driver.record(RecordBody::Mark(Mark::End { why }.to_text()));
        end
    };
    tokio::pin!(bot);
    let mut tick = tokio::time::interval(Duration::from_secs(1) / SNAPSHOTS_A_SECOND);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut operator_gone = false;
    let mut time_up = false;
    let end_of_time = async {
        match options.timeout {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(end_of_time);
    let mut bot_state = loop {
        tokio::select! {
            end = &mut bot => break end,
            _ = tick.tick() => {
                recorder.facts(&facts(&RunState::Running, false));
                publisher.publish(&snapshots, false);
            }
            () = &mut end_of_time, if !time_up => {
                time_up = true;
                publisher.note("the time is up");
                // Jumps that wait to be taken end the phase, too; the quit comes after them.
                let quit = jumps_in.clone();
                tokio::spawn(async move { quit.send(Jump::Quit).await });
            }
            command = commands.recv(), if !operator_gone => {
                let Some(command) = command else {
                    // The face is gone: nobody can say quit any more.
                    operator_gone = true;
                    if options.stay {
                        let _ = jumps_in.try_send(Jump::Quit);
                    }
                    continue;
                };
                if let Command::Record(on) = command {
                    publisher.record(on, facts(&RunState::Running, false));
                } else if command == Command::SaveProfile {
                    publisher.note(&super::save::save(&shared, &options));
                } else if let Some(jump) = obey(&command, &gate, &shared, &progress, &mut publisher)
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
    progress.with(|p| p.state = bot_state.clone());
    publisher.publish(&snapshots, true);
    let facts = recorder.finish(facts(&bot_state, time_up));
    publisher.publish(&snapshots, true);
    let evidence = shared.evidence();
    BotReport::new(&evidence, &facts)
}
