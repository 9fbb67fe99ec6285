//! `tetrascope run` as it is called from a script: what it prints where, and how it ends.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
#[path = "support/games.rs"]
mod games;
#[path = "common/program.rs"]
mod program;

use games::Preset;
use program::{PROGRAM, browser_of, game, signal, until};
use rustix::process::Signal;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// What came of a run.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn report(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }

    /// Status and reason of a check.
    fn check(&self, name: &str) -> (String, String) {
        let report = self.report();
        let tests = report["tests"].as_array().unwrap();
        let test = tests.iter().find(|t| t["name"] == name).unwrap();
        let word = |field: &str| test[field].as_str().unwrap().to_owned();
        (word("status"), word("why"))
    }

    /// All of these pass.
    fn passes(&self, checks: &[&str]) {
        for check in checks {
            let (status, why) = self.check(check);
            assert_eq!(status, "pass", "{check}: {why}");
        }
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(args)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Ran {
    let done = command(args).output().unwrap();
    Ran {
        code: done.status.code().expect("it ends by itself"),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

/// A run under way.
struct Going {
    child: Child,
    err: Arc<Mutex<String>>,
}

impl Going {
    fn start(args: &[&str]) -> Self {
        let mut child = command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let err = Arc::new(Mutex::new(String::new()));
        let (to, from) = (err.clone(), BufReader::new(child.stderr.take().unwrap()));
        std::thread::spawn(move || {
            for line in from.lines().map_while(Result::ok) {
                let mut to = to.lock().unwrap();
                to.push_str(&line);
                to.push('\n');
            }
        });
        Self { child, err }
    }

    /// Waits until so many lines of stderr hold this.
    fn says(&self, text: &str, times: usize) {
        until(text, || {
            (self.err.lock().unwrap().matches(text).count() >= times).then_some(())
        });
    }

    fn end(self) -> Ran {
        let done = self.child.wait_with_output().unwrap();
        Ran {
            code: done.status.code().expect("it ends by itself"),
            out: String::from_utf8(done.stdout).unwrap(),
            err: self.err.lock().unwrap().clone(),
        }
    }
}

#[test]
fn a_healthy_game_is_judged_without_a_failed_check() {
    common::there_is_a_browser();
    let ran = run(&["run", &game("renderer=canvas&start=button")]);
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    ran.passes(&[
        "game_starts",
        "grid_is_10x20",
        "move_left",
        "hard_drop",
        "rotate",
    ]);
    assert!(
        ran.err.contains("phase     3/8 mechanics done"),
        "{}",
        ran.err
    );
    assert!(ran.report()["could_not_judge"].is_null());
    let measured = &ran.report()["performance"];
    for figure in ["load_time_ms", "frame_rate", "key_latency_ms"] {
        let value = measured[figure].as_f64();
        assert!(value.is_some_and(|v| v > 0.0), "{figure}: {measured}");
    }
    let access = &ran.report()["accessibility"];
    assert_eq!(
        access["issue_count"].as_u64().map(|n| n as usize),
        access["issues"].as_array().map(Vec::len)
    );
    assert!(ran.err.contains("\n  measured  load "), "{}", ran.err);
}

#[test]
fn lively_drawings_of_a_healthy_game_fail_nothing() {
    common::there_is_a_browser();
    for query in [
        "renderer=canvas&effects=1&ghost=faint&back=grid&align=center&seed=5",
        "renderer=div_style&fade=100&ghost=faint&preview=1&align=center&seed=5",
    ] {
        let ran = run(&["run", "-q", &game(query)]);
        assert_eq!(ran.code, 0, "{query}: {}{}", ran.err, ran.out);
        ran.passes(&[
            "hard_drop",
            "rotate",
            "line_clear",
            "rows_fall_after_clear",
            "score_increases_on_clear",
            "game_over",
            "restart_resets",
        ]);
    }
}

/// Who plays scrolls back: what stays in its place lies over the board otherwise.
#[test]
fn a_page_that_its_keys_scroll_under_a_bar_fails_for_that_alone() {
    common::there_is_a_browser();
    let page = game("defect=page_scroll&bar=1&preview=1&align=center&seed=5");
    let ran = run(&["run", "-q", &page]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    let failed: Vec<_> = ran.report()["tests"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|t| t["status"] == "fail")
        .map(|t| t["name"].clone())
        .collect();
    assert_eq!(failed, ["no_page_scroll"]);
    ran.passes(&["soft_drop", "hard_drop", "line_clear", "rendering_clean"]);
}

#[test]
fn a_game_whose_left_key_is_dead_fails_for_that() {
    common::there_is_a_browser();
    let ran = run(&["run", "-q", &game("start=auto&defect=left_dead")]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert_eq!(ran.check("move_left").0, "fail");
    assert_eq!(ran.check("move_right").0, "pass");
    assert_eq!(ran.err, "", "quiet is quiet");
}

#[test]
fn a_picture_of_a_game_is_no_game() {
    common::there_is_a_browser();
    let ran = run(&["run", "-q", &game("kind=still")]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert_eq!(ran.check("game_starts").0, "fail");
    assert_eq!(ran.check("move_left").0, "skipped");
}

#[test]
fn a_recorded_run_is_judged_again_to_the_same_bytes() {
    common::there_is_a_browser();
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let into = path("rec");
    for (i, query) in [
        "renderer=canvas&start=button",
        "renderer=cells&start=auto&defect=left_dead",
        "kind=still",
    ]
    .into_iter()
    .enumerate()
    {
        let live = run(&["run", "--record", &into, &game(query)]);
        // An earlier recording is never written over.
        let made = if i == 0 {
            into.clone()
        } else {
            format!("{into}-{}", i + 1)
        };
        assert!(
            live.err.contains(&format!("recorded in {made} (")),
            "{}",
            live.err
        );
        let again = run(&["judge", &made]);
        assert_eq!(again.err, "", "nothing is wrong with it");
        assert_eq!(again.out, live.out, "{query}");
        assert_eq!(again.code, live.code);
    }
    let ran = run(&["judge", &into, "--board", "9000,0,200,400,10,20"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("must lie inside"), "{}", ran.err);
}

/// What is wrong with the judgement of one of our pages, or with that of its recording.
fn misjudged(preset: &Preset, into: &str) -> Vec<String> {
    let live = run(&["run", "-q", "--record", into, &game(&preset.query)]);
    let again = run(&["judge", into]);
    let mut wrong = Vec::new();
    if (&again.out, again.code) != (&live.out, live.code) {
        wrong.push("the recording is judged otherwise".to_owned());
    }
    for test in live.report()["tests"].as_array().unwrap() {
        let (name, status) = (&test["name"], test["status"].as_str().unwrap());
        let among = |list: &[String]| list.iter().any(|n| name == n);
        let (must, may) = (among(&preset.fails), among(&preset.may_fail));
        if must != (status == "fail") && !(may && status == "fail") {
            wrong.push(format!("{name} is a {status}: {}", test["why"]));
        }
    }
    wrong
}

/// Space drops the piece, and would press the button too that the game was begun with, had it kept the focus.
#[test]
fn a_button_that_would_be_pressed_by_a_key_of_the_game_is_left() {
    common::there_is_a_browser();
    let query = &games::named(&["start-focus-anew"]).remove(0).query;
    let report = run(&["run", "-q", "--play-seconds", "5", &game(query)]).report();
    let tests = report["tests"].as_array().unwrap();
    let drop = tests.iter().find(|t| t["name"] == "hard_drop").unwrap();
    assert_eq!(drop["status"], "pass", "{drop}");
    assert!(tests.iter().all(|t| t["status"] != "fail"), "{tests:?}");
}

#[test]
fn a_game_behind_a_title_of_nothing_but_links_is_found() {
    is_found_behind("links.html");
}

#[test]
fn a_game_that_a_form_with_a_name_leads_to_is_found() {
    is_found_behind("name.html");
}

#[track_caller]
fn is_found_behind(page: &str) {
    common::there_is_a_browser();
    let title = &format!("{}/tests/pages/games/{page}", env!("CARGO_MANIFEST_DIR"));
    let report = run(&["run", "-q", "--play-seconds", "5", title]).report();
    let tests = report["tests"].as_array().unwrap();
    let starts = tests.iter().find(|t| t["name"] == "game_starts").unwrap();
    assert_eq!(starts["status"], "pass", "{starts}");
    assert!(tests.iter().all(|t| t["status"] != "fail"), "{tests:?}");
}

/// Each page is judged as it is, and its recording to the same bytes. `ONLY` (parts of names, with commas between) picks.
#[test]
#[ignore = "takes hours"]
fn every_page_of_ours_is_judged_as_it_is_and_so_is_its_recording() {
    common::there_is_a_browser();
    let presets = games::chosen(games::presets());
    assert!(!presets.is_empty(), "ONLY picks none");
    let mut all = 0;
    for preset in &presets {
        let dir = tempfile::tempdir().unwrap();
        let wrong = misjudged(preset, &dir.path().join("rec").display().to_string());
        println!("{:32} {}", preset.name, wrong.join("; "));
        all += wrong.len();
    }
    assert_eq!(all, 0, "wrong, see above");
}

/// Kills a recorded run after `lines` lines of its log; what was recorded by then must be there.
fn killed_after(lines: usize) {
    let dir = tempfile::tempdir().unwrap();
    let into = dir.path().join("rec").display().to_string();
    let args = [
        "run",
        "--speed",
        "4",
        "--record",
        &into,
        &game("start=auto"),
    ];
    let mut going = Going::start(&args);
    let browser = browser_of(going.child.id());
    going.says("\n", lines);
    going.child.kill().unwrap();
    going.child.wait().unwrap();
    let said = going.err.lock().unwrap().clone();
    let judged = run(&["judge", &into]);
    assert_eq!(judged.code, 3, "{}", judged.err);
    assert!(
        judged.err.contains("not recorded to its end"),
        "{}",
        judged.err
    );
    let why = judged.report()["could_not_judge"].to_string();
    assert!(why.contains("the recording breaks off"), "{why}");
    // The last line that was told, in seconds of game time, of which four pass in one of the wall.
    let told = said.lines().rev().find_map(|line| {
        let (minutes, seconds) = line.split_whitespace().next()?.split_once(':')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    });
    let recorded = judged.report()["game_seconds"].as_f64().unwrap();
    assert!(recorded > told.unwrap() - 4.0, "{recorded} of {told:?}");
    browser.is_gone();
    let _ = std::fs::remove_dir_all(browser.folder().parent().unwrap());
}

#[test]
fn a_recording_whose_run_was_killed_can_be_judged_as_far_as_it_went() {
    common::there_is_a_browser();
    for lines in [4, 40] {
        killed_after(lines);
    }
}

#[test]
#[ignore = "takes minutes"]
fn killed_at_twenty_moments() {
    common::there_is_a_browser();
    for i in 0..20 {
        killed_after(1 + i * 7);
    }
}

#[test]
fn what_is_asked_wrongly_ends_with_two() {
    for (args, said) in [
        (&["run", "no/such/file"][..], "no/such/file"),
        (&["run", "--bogus"], "--bogus"),
        (&["watch", "no/such/file"], "no/such/file"),
        (&["run", "--speed", "0"], "0.1"),
        (&["run", "http://"], "http://"),
        (&["run", "--allow-host", "not a host"], "not a host"),
        (&["run", "--scale-factor", "9"], "0.1 to 8"),
        (&["run", "--root", "src"], "the demo"),
        (&["run", "--root", "tests", "src"], "does not lie in it"),
        (&["judge", "no/such/recording"], "no/such/recording"),
        (&["judge", "src"], "holds no recording"),
        (&["judge", "src", "--board", "1,2,3"], "six numbers"),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
    }
}

#[test]
fn what_cannot_be_judged_ends_with_three_and_says_what_to_do() {
    let ran = run(&["run", "--browser", "/no/such/browser"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("/no/such/browser"), "{}", ran.err);
    let ran = run(&["run", "--browser-url", "http://127.0.0.1:9"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("127.0.0.1:9"), "{}", ran.err);
    common::there_is_a_browser();
    let ran = run(&["run", "http://127.0.0.1:9/"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let why = ran.report()["could_not_judge"].to_string();
    assert!(why.contains("could not be opened"), "{why}");
}

#[test]
fn without_a_terminal_watching_is_running() {
    common::there_is_a_browser();
    let ran = run(&["watch", "--speed", "max", &game("kind=blank")]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("session   finished"), "{}", ran.err);
    assert_eq!(ran.check("game_loads").0, "fail");
}

#[test]
fn a_run_that_is_told_to_end_still_reports_what_it_knows() {
    common::there_is_a_browser();
    for kind in [Signal::TERM, Signal::HUP, Signal::INT] {
        let going = Going::start(&["run", "--speed", "1", &game("start=auto")]);
        let browser = browser_of(going.child.id());
        going.says("mechanics begins", 1);
        signal(going.child.id(), kind);
        let ran = going.end();
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert_eq!(ran.report()["could_not_judge"], "stopped in phase 3");
        assert_eq!(ran.check("game_starts").0, "pass");
        browser.is_gone();
        assert!(!browser.folder().exists(), "its profile is gone too");
    }
}

#[test]
fn a_program_that_is_killed_leaves_no_browser() {
    common::there_is_a_browser();
    let mut going = Going::start(&["run", "--speed", "1"]);
    let browser = browser_of(going.child.id());
    going.says("start begins", 1);
    going.child.kill().unwrap();
    going.child.wait().unwrap();
    browser.is_gone();
    // Nobody was left to remove it.
    let _ = std::fs::remove_dir_all(browser.folder().parent().unwrap());
}

#[test]
fn a_browser_that_dies_is_replaced_once_and_the_phase_done_again() {
    common::there_is_a_browser();
    let going = Going::start(&["run", "--speed", "1", &game("start=auto")]);
    let first = browser_of(going.child.id());
    going.says("mechanics begins", 1);
    signal(first.id, Signal::KILL);
    going.says("the browser is gone; starting another", 1);
    // The phase goes from running to running; only the log tells that it began again.
    going.says("bot       phase 3 mechanics", 2);
    first.is_gone();
    let second = browser_of(going.child.id());
    assert_ne!(first.profile, second.profile);
    signal(second.id, Signal::KILL);
    let ran = going.end();
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(ran.report()["could_not_judge"], "the browser went away");
    assert_eq!(ran.check("game_starts").0, "pass");
    second.is_gone();
}

#[test]
fn a_page_that_hangs_as_each_first_piece_comes_to_rest_is_given_up_and_does_not_survive_play() {
    common::there_is_a_browser();
    let ran = run(&["run", &game("start=auto&defect=busy_loop&after=1")]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert_eq!(ran.check("gravity").0, "pass");
    let (status, why) = ran.check("survives_play");
    assert_eq!(status, "fail", "{why}");
    assert!(why.contains("again from a fresh page"), "{why}");
    let (status, why) = ran.check("line_clear");
    assert_eq!(status, "skipped", "{why}");
    assert!(why.contains("before a piece came to rest"), "{why}");
}

#[test]
fn a_page_that_hangs_in_play_is_told_and_not_waited_for() {
    common::there_is_a_browser();
    let ran = run(&["run", &game("start=auto&defect=busy_loop&after=3")]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let why = ran.report()["could_not_judge"].to_string();
    assert!(why.contains("phase 3 broke off: no answer"), "{why}");
    assert_eq!(ran.check("game_starts").0, "pass");
}
