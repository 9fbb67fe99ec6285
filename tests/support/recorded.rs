//! Simulated games that are recorded, and replays of them.
#![allow(dead_code, clippy::unwrap_used, clippy::missing_panics_doc)]

use std::path::Path;
use std::sync::Arc;
use tetrascope::bot::BotOptions;
use tetrascope::driver::sim::{SimDriver, SimOptions};
use tetrascope::driver::{Gate, Shared, Sink};
use tetrascope::report::BotReport;
use tetrascope::session::judge::Corrections;
use tetrascope::session::recording::{Recorder, Recording};
use tetrascope::session::{self, Command, Seek, SessionOptions, Snapshot};
use tokio::sync::{mpsc, watch};

/// Judges a simulated game with this recorder, whose records go through that sink.
pub async fn judge_live(
    options: SimOptions,
    recorder: Arc<Recorder>,
    sink: Arc<dyn Sink>,
    play_seconds: f64,
) -> BotReport {
    let gate = Arc::new(Gate::new(f64::INFINITY));
    let shared = Arc::new(Shared::with_sink(sink));
    let driver = SimDriver::new(options, shared.clone());
    let (up, _snapshots) = watch::channel(Arc::new(Snapshot::default()));
    let (_to, down) = mpsc::channel(8);
    let options = SessionOptions {
        memory: Arc::default(),
        profile: None,
        target: "sim".into(),
        stay: false,
        timeout: None,
        bot: BotOptions { play_seconds },
        recorder,
    };
    session::run(driver, gate, shared, options, down, up).await
}

/// Judges a simulated game with this recorder.
pub async fn run(options: SimOptions, recorder: Arc<Recorder>, play_seconds: f64) -> BotReport {
    judge_live(options, recorder.clone(), recorder, play_seconds).await
}

pub fn json(report: &BotReport) -> String {
    serde_json::to_string_pretty(report).unwrap()
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

pub fn recorded(options: SimOptions, dir: &Path) -> BotReport {
    let recorder = Arc::new(Recorder::new("sim", None));
    recorder.start(Some(dir)).unwrap();
    let report = block_on(run(options, recorder.clone(), 5.0));
    let state = recorder.state();
    assert!(!state.on && state.fault.is_none(), "{state:?}");
    report
}

/// A replay of the plain recording, paused at its first moment, and what it shows.
pub struct Replayed {
    pub commands: mpsc::Sender<Command>,
    pub snapshots: watch::Receiver<Arc<Snapshot>>,
    pub task: tokio::task::JoinHandle<Option<BotReport>>,
}

impl Replayed {
    pub fn open(dir: &Path) -> Self {
        let recording = Recording::open(dir).unwrap();
        let (up, snapshots) = watch::channel(Arc::new(Snapshot::default()));
        let (commands, down) = mpsc::channel(8);
        let task = tokio::spawn(session::replay::run(
            recording,
            Corrections::default(),
            dir.join("profile.toml"),
            true,
            down,
            up,
        ));
        Self {
            commands,
            snapshots,
            task,
        }
    }

    pub async fn shows(&mut self, so: impl FnMut(&Arc<Snapshot>) -> bool) -> Arc<Snapshot> {
        self.snapshots.wait_for(so).await.unwrap().clone()
    }

    /// Everything is derived.
    pub async fn whole(&mut self) -> Arc<Snapshot> {
        self.shows(|s| s.replay.as_ref().is_some_and(|r| r.whole))
            .await
    }

    pub async fn seek(&mut self, to: Seek) -> Arc<Snapshot> {
        let obeyed = |s: &Snapshot| s.replay.as_ref().map_or(0, |r| r.obeyed);
        let before = obeyed(&self.snapshots.borrow());
        self.commands.send(Command::Seek(to)).await.unwrap();
        self.shows(|s| obeyed(s) > before).await
    }
}

pub fn seq(snapshot: &Arc<Snapshot>) -> u64 {
    snapshot.replay.as_ref().unwrap().seq
}
