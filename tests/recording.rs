//! Recordings: what was judged live is judged again from disk, byte for byte; what is damaged is read as far as it goes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/recorded.rs"]
mod recorded;

use recorded::{Replayed, block_on, json, judge_live, recorded, seq};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tetrascope::driver::Sink;
use tetrascope::driver::sim::{Defect, Rules, SimOptions};
use tetrascope::model::{Action, Key, Phase, Record, RecordBody};
use tetrascope::report::BotReport;
use tetrascope::session::diff::diff;
use tetrascope::session::judge::{Corrections, judge};
use tetrascope::session::recording::{Recorder, Recording, Troubles};
use tetrascope::session::{self, Command, Seek};

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

/// The disk fails when play begins.
struct Failing(Arc<Recorder>, PathBuf);

impl Sink for Failing {
    fn take(&self, record: Record) -> Record {
        if record.body == RecordBody::Phase(Phase::Play) {
            fs::rename(self.1.join("frames"), self.1.join("gone")).unwrap();
        }
        self.0.take(record)
    }

    fn has_room(&self) -> bool {
        self.0.has_room()
    }
}

#[test]
fn a_disk_that_fails_ends_the_recording_and_not_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let into = dir.path().join("rec");
    let recorder = Arc::new(Recorder::new("sim", None));
    recorder.start(Some(&into)).unwrap();
    let sink = Arc::new(Failing(recorder.clone(), into.clone()));
    let live = block_on(judge_live(
        SimOptions::default(),
        recorder.clone(),
        sink,
        5.0,
    ));
    // The run went on to its end, and what failed is told.
    let status = |r: &BotReport, name: &str| {
        let test = r.tests.iter().find(|t| t.name == name);
        test.map(|t| t.status.clone()).unwrap()
    };
    assert_eq!(status(&live, "game_over"), "pass");
    let state = recorder.state();
    assert!(!state.on && state.fault.is_some(), "{state:?}");
    // What was recorded before can be read and judged.
    fs::rename(into.join("gone"), into.join("frames")).unwrap();
    let recording = Recording::open(&into).unwrap();
    assert!(recording.troubles().unfinished);
    let judged = judge(&recording, &Corrections::default()).unwrap();
    assert_eq!(judged.troubles.missing, 0, "{}", judged.troubles);
    assert_eq!(status(&judged.report, "game_starts"), "pass");
    assert_eq!(status(&judged.report, "rotate"), "pass");
}

#[test]
fn a_recording_that_begins_in_the_middle_knows_board_and_keys() {
    let dir = tempfile::tempdir().unwrap();
    let recorder = Arc::new(Recorder::new("sim", Some(dir.path().to_owned())));
    let sink = Arc::new(Late(recorder.clone()));
    let live = block_on(judge_live(
        SimOptions::default(),
        recorder.clone(),
        sink,
        5.0,
    ));
    let made = recorder.state().dir.unwrap();
    assert_eq!(made, dir.path().join("sim"));
    let recording = Recording::open(&made).unwrap();
    assert!(!recording.troubles().any());
    let again = judge(&recording, &Corrections::default()).unwrap().report;
    assert_eq!(
        again.implementation.control_map,
        live.implementation.control_map
    );
    // How sure it is grows with what was seen, and this recording saw less.
    let board = |r: &BotReport| {
        let board = r.implementation.board.clone();
        board.map(|b| (b.columns, b.rows, b.x, b.y, b.width, b.height, b.why))
    };
    assert_eq!(board(&again), board(&live));
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
        // Somewhere inside of a line: at its end it would be whole.
        let cut = first + (log.len() - first) * tenth / 10 + 7;
        let inside = |at: &usize| log[*at] != b'\n' && log[*at - 1] != b'\n';
        let end = (cut..log.len()).find(inside).unwrap();
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
    lines[0] = lines[0].replace("recording\":2", "recording\":3");
    let smell = r#"{"record":{"stamp":{"seq":1,"game_us":0,"wall_us":0},"body":{"smell":"x"}}}"#;
    lines.insert(3, smell.into());
    lines.insert(4, r#"{"weather":"fine"}"#.into());
    lines.insert(5, "\u{1}\u{2} no line at all".into());
    // Time does not go back.
    let again = lines[1].clone();
    lines.push(again);
    let dir = tempfile::tempdir().unwrap();
    let (report, troubles) = judged(&with_log(dir.path(), lines.join("\n").as_bytes()));
    assert_eq!(troubles.format, Some(3));
    assert_eq!((troubles.unknown, troubles.damaged), (2, 2), "{troubles}");
    assert_eq!(report, plain().1);
    assert!(troubles.to_string().contains("later format 3"));
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
    let corrected = |board, controls| {
        judge(
            &recording,
            &Corrections {
                board,
                controls,
                ..Corrections::default()
            },
        )
    };

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

#[test]
fn a_replay_goes_anywhere_and_ends_with_the_report_of_the_run() {
    let (dir, live_report) = plain();
    block_on(async {
        let mut replay = Replayed::open(&dir.path().join("plain"));
        let whole = replay.whole().await;
        assert_eq!(seq(&whole), 0);
        let end = replay.seek(Seek::End).await;
        assert_eq!(end.state, session::RunState::Finished);
        let live: BotReport = serde_json::from_str(live_report).unwrap();
        for (shown, reported) in end.checks.iter().zip(&live.tests) {
            assert_eq!(shown.name, reported.name);
            assert_eq!(shown.verdict.cites, reported.evidence);
        }
        // Back and forth over the same pictures.
        let middle = end.replay.as_ref().unwrap().end_us / 2;
        let at = replay.seek(Seek::Time(middle)).await;
        assert!(at.stamp.game_us <= middle && at.grid.is_some());
        let next = replay.seek(Seek::Frames(1)).await;
        let after = replay.seek(Seek::Frames(1)).await;
        assert!(at.stamp < next.stamp && next.stamp < after.stamp);
        let back = replay.seek(Seek::Frames(-1)).await;
        assert_eq!((seq(&back), &back.grid), (seq(&next), &next.grid));
        // To a record that a check rests on, and to a phase.
        let cite = live.tests.iter().find_map(|t| t.evidence.first()).unwrap();
        assert_eq!(seq(&replay.seek(Seek::Record(*cite)).await), *cite);
        let start = replay.seek(Seek::Phase(Phase::Mechanics)).await;
        assert_eq!(start.phase, Some(Phase::Mechanics));
        // What is shown by then is what was known by then.
        assert!(
            start
                .checks
                .iter()
                .any(|c| c.name == "rotate" && c.verdict.cites.is_empty())
        );
        replay.commands.send(Command::Quit).await.unwrap();
        let report = replay.task.await.unwrap().unwrap();
        assert_eq!(&json(&report), live_report);
    });
}

#[test]
fn a_replay_plays_to_its_end_and_begins_again() {
    let dir = &plain().0;
    block_on(async {
        let mut replay = Replayed::open(&dir.path().join("plain"));
        replay.whole().await;
        replay
            .commands
            .send(Command::Speed(f64::INFINITY))
            .await
            .unwrap();
        replay.commands.send(Command::Hold(false)).await.unwrap();
        let end = replay
            .shows(|s| s.state == session::RunState::Finished)
            .await;
        assert_eq!(
            end.replay.as_ref().unwrap().at_us,
            end.replay.as_ref().unwrap().end_us
        );
        replay.commands.send(Command::Speed(1.0)).await.unwrap();
        replay.commands.send(Command::Hold(false)).await.unwrap();
        let again = replay
            .shows(|s| s.state == session::RunState::Running)
            .await;
        assert!(again.stamp < end.stamp);
    });
}

#[test]
fn another_key_in_a_replay_is_judged_at_once() {
    let dir = &plain().0;
    block_on(async {
        let mut replay = Replayed::open(&dir.path().join("plain"));
        replay.whole().await;
        replay.seek(Seek::End).await;
        let key = Key::new("q");
        let rebind = Command::Rebind(Action::MoveLeft, key.clone());
        replay.commands.send(rebind).await.unwrap();
        let corrected = replay
            .shows(|s| s.controls.key(Action::MoveLeft) == Some(&key))
            .await;
        assert_eq!(
            corrected.replay.as_ref().unwrap().at_us,
            corrected.replay.as_ref().unwrap().end_us
        );
        replay.commands.send(Command::Quit).await.unwrap();
        let report = replay.task.await.unwrap().unwrap();
        assert!(report.operator.iter().any(|o| o.contains("move_left is q")));
    });
}

#[test]
fn two_runs_are_compared_by_what_happened_and_what_was_decided() {
    let dir = tempfile::tempdir().unwrap();
    recorded(SimOptions::default(), &dir.path().join("again"));
    recorded(defective(Defect::RightDead), &dir.path().join("broken"));
    let open = |name: &str| Recording::open(&dir.path().join(name)).unwrap();
    let plain = Recording::open(&plain().0.path().join("plain")).unwrap();
    let same = diff(&plain, &open("again")).unwrap();
    assert!(!same.any(), "{same}");
    assert!(same.alike > 100 && same.to_string().starts_with("no difference"));
    let other = diff(&plain, &open("broken")).unwrap();
    let parting = other.parting.clone().unwrap();
    assert!(parting.events.iter().all(Option::is_some));
    assert!(other.alike > 0 && other.alike < same.alike);
    let changed: Vec<&str> = other.verdicts.iter().map(|v| v.name.as_str()).collect();
    assert!(changed.contains(&"move_right"), "{other}");
    assert!(!changed.contains(&"game_starts"), "{other}");
}

/// Changes a log in a way that disks, editors and later programs do, and some that only chance does.
fn mutated(lines: &[&str], choice: &[(u8, usize, usize)]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = lines.iter().map(|l| l.as_bytes().to_vec()).collect();
    for &(kind, line, at) in choice {
        let count = lines.len();
        // The first line stays: without it nothing is read at all.
        let line = 1 + line % (count - 1);
        match kind % 7 {
            0 => drop(lines.remove(line)),
            1 => {
                let again = lines[line].clone();
                lines.push(again);
            }
            2 => lines.swap(line, 1 + at % (count - 1)),
            3 => {
                let length = lines[line].len().max(1);
                lines[line].truncate(at % length);
            }
            4 => {
                let length = lines[line].len().max(1);
                if let Some(byte) = lines[line].get_mut(at % length) {
                    *byte ^= 1 << (at % 8);
                }
            }
            // Numbers of all sizes where a number stood.
            5 | 6 => {
                let text = String::from_utf8_lossy(&lines[line]).into_owned();
                let digits: Vec<usize> = text
                    .char_indices()
                    .filter(|(_, c)| c.is_ascii_digit())
                    .map(|(i, _)| i)
                    .collect();
                if let Some(&from) = digits.get(at % digits.len().max(1)) {
                    let all = text[from..].find(|c: char| !c.is_ascii_digit());
                    let to = all.map_or(text.len(), |n| from + n);
                    let new = ["0", "65535", "400", "18446744073709551615", "1e308", "-1"];
                    lines[line] = [&text[..from], new[at % new.len()], &text[to..]]
                        .concat()
                        .into_bytes();
                }
            }
            _ => {}
        }
    }
    lines.join(&b'\n')
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config {
        cases: std::env::var("FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(24),
        failure_persistence: None,
        ..proptest::test_runner::Config::default()
    })]

    #[test]
    fn no_damage_stops_the_reading(
        from in 0_usize..4,
        choice in proptest::collection::vec((0_u8..7, 0_usize..5000, 0_usize..5000), 1..12),
    ) {
        let log = fs::read_to_string(plain_log()).unwrap();
        let lines: Vec<&str> = log.lines().collect();
        // A part of the run, so that many cases take no long time; boards and keys are named early on.
        let part = lines.len() / 5;
        let lines: Vec<&str> = lines[..part * (from + 1)].to_vec();
        let bytes = mutated(&lines, &choice);
        let recording = Recording::parse(&plain().0.path().join("plain"), &bytes).unwrap();
        let judged = judge(&recording, &Corrections::default()).unwrap();
        proptest::prop_assert_eq!(judged.report.tests.len(), tetrascope::checks::all().len());
    }
}

/// Recordings of our own pages, made by the first version that could: later ones must read and judge them, too.
fn golden(name: &str) -> Recording {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    Recording::open(&dir.join(name)).unwrap()
}

fn status(report: &BotReport, check: &str) -> String {
    let test = report.tests.iter().find(|t| t.name == check).unwrap();
    test.status.clone()
}

#[test]
fn a_run_that_was_killed_long_ago_is_judged_as_far_as_it_went() {
    let recording = golden("cut");
    let judged = judge(&recording, &Corrections::default()).unwrap();
    let expected = Troubles {
        format: Some(1),
        unfinished: true,
        ..Troubles::default()
    };
    assert_eq!(judged.troubles, expected);
    for check in ["game_starts", "grid_detected", "grid_is_10x20", "gravity"] {
        assert_eq!(status(&judged.report, check), "pass", "{check}");
    }
    assert!(judged.report.tests.iter().all(|t| t.status != "fail"));
}

#[test]
fn a_picture_of_a_game_recorded_long_ago_still_fails() {
    let judged = judge(&golden("still"), &Corrections::default()).unwrap();
    let earlier = "it is of earlier format 1";
    assert_eq!(judged.troubles.to_string(), earlier);
    assert_eq!(status(&judged.report, "game_starts"), "fail");
}

/// The log of a golden recording with the pictures of the healthy one.
fn of_the_healthy_one(log: &str) -> Recording {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let log = fs::read(tests.join(log).join("log.jsonl")).unwrap();
    Recording::parse(&tests.join("healthy"), &log).unwrap()
}

#[test]
fn a_healthy_recording_a_torn_one_and_one_from_the_future_are_read_as_far_as_they_go() {
    let healthy = judge(&golden("healthy"), &Corrections::default()).unwrap();
    assert!(!healthy.troubles.any(), "{}", healthy.troubles);
    for check in ["game_starts", "grid_detected", "grid_is_10x20", "gravity"] {
        assert_eq!(status(&healthy.report, check), "pass", "{check}");
    }
    let torn = judge(&of_the_healthy_one("torn"), &Corrections::default()).unwrap();
    let expected = Troubles {
        torn: true,
        unfinished: true,
        ..Troubles::default()
    };
    assert_eq!(torn.troubles, expected);
    let why = torn.report.could_not_judge.unwrap();
    assert!(why.contains("the recording breaks off in phase"), "{why}");
    let future = judge(&of_the_healthy_one("future"), &Corrections::default()).unwrap();
    let expected = Troubles {
        format: Some(3),
        unknown: 2,
        ..Troubles::default()
    };
    assert_eq!(future.troubles, expected);
    assert_eq!(json(&future.report), json(&healthy.report));
}
