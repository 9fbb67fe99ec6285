//! Recordings: what was judged live is judged again from disk, byte for byte; what is damaged is read as far as it goes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tetrascope::bot::BotOptions;
use tetrascope::driver::sim::{Defect, Rules, SimDriver, SimOptions};
use tetrascope::driver::{Gate, Shared, Sink};
use tetrascope::model::{Action, Key, Phase, Record, RecordBody};
use tetrascope::report::BotReport;
use tetrascope::session::judge::{Corrections, judge};
use tetrascope::session::recording::{Recorder, Recording, Troubles};
use tetrascope::session::{self, SessionOptions, Snapshot};
use tokio::sync::{mpsc, watch};

/// Judges a simulated game with this recorder.
async fn run(options: SimOptions, recorder: Arc<Recorder>) -> BotReport {
    let gate = Arc::new(Gate::new(f64::INFINITY));
    let shared = Arc::new(Shared::with_sink(recorder.clone()));
    let driver = SimDriver::new(options, shared.clone());
    let (up, _snapshots) = watch::channel(Arc::new(Snapshot::default()));
    let (_to, down) = mpsc::channel(8);
    let options = SessionOptions {
        target: "sim".into(),
        stay: false,
        timeout: None,
        bot: BotOptions::default(),
        recorder,
    };
    session::run(driver, gate, shared, options, down, up).await
}

fn json(report: &BotReport) -> String {
    serde_json::to_string_pretty(report).unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

fn recorded(options: SimOptions, dir: &Path) -> BotReport {
    let recorder = Arc::new(Recorder::new("sim", None));
    recorder.start(Some(dir)).unwrap();
    let report = block_on(run(options, recorder.clone()));
    let state = recorder.state();
    assert!(!state.on && state.fault.is_none(), "{state:?}");
    report
}

fn defective(defect: Defect) -> SimOptions {
    SimOptions {
        rules: Rules {
            defects: [defect].into(),
            ..Rules::default()
        },
        ..SimOptions::default()
    }
}

/// A recording of the plain game, and its report; made once.
fn plain() -> &'static (tempfile::TempDir, String) {
    static PLAIN: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    PLAIN.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let report = recorded(SimOptions::default(), &dir.path().join("plain"));
        (dir, json(&report))
    })
}

fn plain_log() -> PathBuf {
    plain().0.path().join("plain/log.jsonl")
}

/// A copy of the plain recording with another log.
fn with_log(dir: &Path, log: &[u8]) -> Recording {
    let whole = plain().0.path().join("plain");
    fs::create_dir_all(dir.join("frames")).unwrap();
    for entry in fs::read_dir(whole.join("frames")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), dir.join("frames").join(entry.file_name())).unwrap();
    }
    fs::write(dir.join("log.jsonl"), log).unwrap();
    Recording::open(dir).unwrap()
}

fn judged(recording: &Recording) -> (String, Troubles) {
    let judged = judge(recording, &Corrections::default()).unwrap();
    (json(&judged.report), judged.troubles)
}

#[test]
fn the_report_of_a_recording_is_that_of_the_run() {
    let (dir, live) = plain();
    let recording = Recording::open(&dir.path().join("plain")).unwrap();
    let (replayed, troubles) = judged(&recording);
    assert!(!troubles.any(), "{troubles}");
    assert_eq!(&replayed, live);
    assert!(live.contains("\"status\": \"pass\""));
}

#[test]
fn so_is_that_of_a_game_with_a_defect() {
    let dir = tempfile::tempdir().unwrap();
    let live = recorded(defective(Defect::LeftDead), dir.path());
    let (replayed, _) = judged(&Recording::open(dir.path()).unwrap());
    assert_eq!(replayed, json(&live));
    assert!(live.tests.iter().any(|t| t.status == "fail"));
}

/// Begins to record when mechanics are judged and what is looked for at the beginning is known.
struct Late(Arc<Recorder>);

impl Sink for Late {
    fn take(&self, record: Record) -> Record {
        if record.body == RecordBody::Phase(Phase::Play) {
            self.0.start(None).unwrap();
        }
        self.0.take(record)
    }

    fn has_room(&self) -> bool {
        self.0.has_room()
    }
}

#[test]
fn a_recording_that_begins_in_the_middle_knows_board_and_keys() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = Arc::new(Recorder::new("sim", Some(dir.path().to_owned())));
    let gate = Arc::new(Gate::new(f64::INFINITY));
    let shared = Arc::new(Shared::with_sink(Arc::new(Late(recorder.clone()))));
    let driver = SimDriver::new(SimOptions::default(), shared.clone());
    let (up, _snapshots) = watch::channel(Arc::new(Snapshot::default()));
    let (_to, down) = mpsc::channel(8);
    let options = SessionOptions {
        target: "sim".into(),
        stay: false,
        timeout: None,
        bot: BotOptions::default(),
        recorder: recorder.clone(),
    };
    let live = block_on(session::run(driver, gate, shared, options, down, up));
    let made = recorder.state().dir.unwrap();
    assert_eq!(made, dir.path().join("sim"));
    let recording = Recording::open(&made).unwrap();
    assert!(!recording.troubles().any());
    let again = judge(&recording, &Corrections::default()).unwrap().report;
    assert_eq!(
        again.implementation.control_map,
        live.implementation.control_map
    );
    assert_eq!(again.implementation.board, live.implementation.board);
    let start = |r: &BotReport| r.tests.iter().find(|t| t.name == "game_starts").cloned();
    assert_eq!(start(&again), start(&live));
}

#[test]
fn wherever_a_log_is_torn_what_stands_before_can_be_judged() {
    let log = fs::read(plain_log()).unwrap();
    let first = log.iter().position(|b| *b == b'\n').unwrap() + 1;
    let dir = tempfile::tempdir().unwrap();
    with_log(dir.path(), &log);
    for tenth in 0..10 {
        let end = first + (log.len() - first) * tenth / 10 + 7;
        fs::write(dir.path().join("log.jsonl"), &log[..end]).unwrap();
        let recording = Recording::open(dir.path()).unwrap();
        let (report, troubles) = judged(&recording);
        assert!(troubles.torn && troubles.unfinished, "{troubles}");
        assert_eq!(troubles.damaged, 0);
        assert!(report.contains("breaks off"), "{report}");
    }
    // Not even the first line.
    fs::write(dir.path().join("log.jsonl"), &log[..first - 9]).unwrap();
    let error = Recording::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("first line"), "{error}");
}

#[test]
fn lines_from_the_future_and_damaged_ones_are_left_out_and_counted() {
    let log = fs::read_to_string(plain_log()).unwrap();
    let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
    lines[0] = lines[0].replace("recording\":1", "recording\":2");
    let smell = r#"{"record":{"stamp":{"seq":1,"game_us":0,"wall_us":0},"body":{"smell":"x"}}}"#;
    lines.insert(3, smell.into());
    lines.insert(4, r#"{"weather":"fine"}"#.into());
    lines.insert(5, "\u{1}\u{2} no line at all".into());
    // Time does not go back.
    let again = lines[1].clone();
    lines.push(again);
    let dir = tempfile::tempdir().unwrap();
    let (report, troubles) = judged(&with_log(dir.path(), lines.join("\n").as_bytes()));
    assert_eq!(troubles.format, Some(2));
    assert_eq!((troubles.unknown, troubles.damaged), (2, 2), "{troubles}");
    assert_eq!(report, plain().1);
    assert!(troubles.to_string().contains("later format 2"));
}

#[test]
fn a_missing_or_exchanged_picture_is_a_reading_that_failed() {
    let dir = tempfile::tempdir().unwrap();
    let recording = with_log(dir.path(), &fs::read(plain_log()).unwrap());
    let mut pictures: Vec<PathBuf> = fs::read_dir(dir.path().join("frames"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    pictures.sort();
    assert!(pictures.len() > 20, "{}", pictures.len());
    fs::remove_file(&pictures[3]).unwrap();
    fs::copy(&pictures[5], &pictures[6]).unwrap();
    fs::write(&pictures[7], "no picture").unwrap();
    let (report, troubles) = judged(&recording);
    assert!(troubles.missing >= 3, "{troubles}");
    assert!(report.contains("grid_read_success_rate"));
    assert_ne!(report, plain().1);
}

#[test]
fn corrections_go_through_the_checks_and_into_the_report() {
    let recording = Recording::open(&plain().0.path().join("plain")).unwrap();
    let live: BotReport = serde_json::from_str(&plain().1).unwrap();
    let found = live.implementation.board.unwrap();
    let mut board = recording
        .log()
        .iter()
        .rev()
        .find_map(|r| match &r.body {
            RecordBody::Board { board, .. } => Some(board.clone()),
            _ => None,
        })
        .unwrap();
    let corrected = |board, controls| judge(&recording, &Corrections { board, controls });

    // The board as it was found: nothing changes but who says so.
    let same = corrected(Some(board.clone()), Vec::new()).unwrap().report;
    let verdicts = |r: &BotReport| {
        let words = r.tests.iter().map(|t| (t.name.clone(), t.status.clone()));
        words.collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&same), {
        let live: BotReport = serde_json::from_str(&plain().1).unwrap();
        verdicts(&live)
    });
    assert!(same.operator.iter().any(|o| o.contains("the board is")));

    // Two columns fewer.
    board.columns -= 2;
    let smaller = corrected(Some(board.clone()), Vec::new()).unwrap().report;
    assert_eq!(
        smaller.implementation.board.as_ref().unwrap().columns,
        found.columns - 2
    );
    let size = smaller.tests.iter().find(|t| t.name == "grid_is_10x20");
    assert_eq!(size.unwrap().status, "fail");

    // Where no picture was taken.
    board.x += 5_000.0;
    let error = corrected(Some(board), Vec::new()).unwrap_err().to_string();
    assert!(error.contains("inside of it"), "{error}");

    let other = vec![
        (Action::MoveLeft, Some(Key::new("q"))),
        (Action::Hold, None),
    ];
    let rebound = corrected(None, other).unwrap().report;
    assert_eq!(
        rebound.implementation.controls.get("move_left"),
        Some(&"q".to_string())
    );
    assert!(!rebound.implementation.controls.contains_key("hold"));
}

#[test]
fn what_is_no_recording_is_said_to_be_none() {
    let dir = tempfile::tempdir().unwrap();
    let error = Recording::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("holds no recording"), "{error}");
    fs::write(dir.path().join("log.jsonl"), "").unwrap();
    assert!(Recording::open(dir.path()).is_err());
    fs::write(dir.path().join("log.jsonl"), "{\"a\":1}\n").unwrap();
    assert!(Recording::open(dir.path()).is_err());
}
