//! `tetrascope run` with many pages: what each one's trouble does to the others, what is written where, how it ends.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
#[path = "common/program.rs"]
mod program;

use program::{PROGRAM, browser_of, game, signal, until};
use rustix::process::Signal;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(args)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn code(done: &Output) -> i32 {
    done.status.code().expect("it ends by itself")
}

fn err(done: &Output) -> String {
    String::from_utf8(done.stderr.clone()).unwrap()
}

/// Every report in a folder; whatever else there is fails.
fn reports(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut found: Vec<(PathBuf, Value)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = std::fs::read(&path).unwrap();
            let report = serde_json::from_slice(&text).unwrap();
            (path, report)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn report_of<'a>(reports: &'a [(PathBuf, Value)], target: &str) -> &'a Value {
    let found = reports.iter().find(|(_, r)| r["target"] == target);
    &found.unwrap_or_else(|| panic!("no report of {target}")).1
}

fn status<'a>(report: &'a Value, check: &str) -> &'a str {
    let tests = report["tests"].as_array().unwrap();
    let test = tests.iter().find(|t| t["name"] == check).unwrap();
    test["status"].as_str().unwrap()
}

/// Small pages in a folder of their own.
fn pages(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

#[test]
fn bad_pages_among_good_ones_are_told_and_disturb_nobody() {
    common::there_is_a_browser();
    let out = tempfile::tempdir().unwrap();
    let xml = out.path().join("verdicts.xml");
    let folder = out.path().join("new/reports");
    let good = game("start=auto");
    let dead = game("start=auto&defect=left_dead");
    let hang = game("start=auto&defect=busy_loop&after=3");
    let done = run(&[
        "run",
        "--jobs",
        "2",
        "--out",
        folder.to_str().unwrap(),
        "--junit",
        xml.to_str().unwrap(),
        "no/such/page.html",
        &hang,
        &good,
        "http://127.0.0.1:9/",
        &dead,
        &good,
    ]);
    let said = err(&done);
    assert_eq!(code(&done), 3, "{said}");
    assert_eq!(done.stdout, b"", "reports go to the folder");
    let reports = reports(&folder);
    assert_eq!(reports.len(), 5, "one each, the good one once: {said}");
    assert_eq!(report_of(&reports, &good)["summary"]["failed"], 0, "{said}");
    assert_eq!(status(report_of(&reports, &good), "move_left"), "pass");
    assert_eq!(status(report_of(&reports, &dead), "move_left"), "fail");
    assert!(report_of(&reports, &dead)["could_not_judge"].is_null());
    for bad in ["no/such/page.html", "http://127.0.0.1:9/", &hang] {
        let report = report_of(&reports, bad);
        assert!(report["could_not_judge"].is_string(), "{bad}: {said}");
    }
    assert_eq!(status(report_of(&reports, &hang), "game_starts"), "pass");
    assert!(said.contains("5 pages in "), "{said}");
    assert!(said.contains("1 without a failed check, "), "{said}");
    assert!(
        said.contains("[3/5]") && said.contains(": phase 3/8 mechanics"),
        "{said}"
    );
    let xml = std::fs::read_to_string(xml).unwrap();
    assert_eq!(xml.matches("<testsuite ").count(), 5);
    assert!(
        xml.contains("name=\"move_left\" time=\"0\"><failure message="),
        "{xml}"
    );
}

#[test]
fn a_list_comes_from_stdin_and_reports_go_out_a_line_each() {
    common::there_is_a_browser();
    let blank = pages(&[("a.html", ""), ("b.html", "<p>no game")]);
    let mut child = command(&["run", "-q", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let list = format!("# two pages in one folder\n\n{}\n", blank.path().display());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(list.as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(code(&done), 1, "{}", err(&done));
    assert_eq!(err(&done), "", "quiet is quiet");
    let lines = String::from_utf8(done.stdout).unwrap();
    let reports: Vec<Value> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(reports.len(), 2);
    for (report, name) in reports.iter().zip(["a.html", "b.html"]) {
        assert!(report["target"].as_str().unwrap().ends_with(name));
        assert_eq!(status(report, "game_loads"), "fail");
    }
}

#[test]
fn what_was_judged_is_left_out_by_resume_and_what_was_not_is_judged() {
    common::there_is_a_browser();
    let blank = pages(&[
        ("a.html", ""),
        ("b.html", ""),
        ("c.html", ""),
        ("d.html", ""),
    ]);
    let out = tempfile::tempdir().unwrap();
    let args = |more: &[&'static str]| {
        let mut args = vec!["run", "--out"];
        args.extend([out.path().to_str().unwrap(), blank.path().to_str().unwrap()]);
        args.extend(more);
        run(&args)
    };
    assert_eq!(code(&args(&[])), 1);
    let first = reports(out.path());
    assert_eq!(first.len(), 4);
    // Torn, of another page by its name, and one that could not be judged.
    let at = |n: usize| first[n].0.clone();
    let text = std::fs::read_to_string(at(0)).unwrap();
    std::fs::write(at(0), &text[..text.len() / 2]).unwrap();
    let text = std::fs::read_to_string(at(1)).unwrap();
    std::fs::write(at(1), text.replace("b.html", "x.html")).unwrap();
    let mut report = first[2].1.clone();
    report["could_not_judge"] = "stopped in phase 1".into();
    std::fs::write(at(2), report.to_string()).unwrap();
    let kept = std::fs::read(at(3)).unwrap();
    let again = args(&["--resume"]);
    assert_eq!(code(&again), 1, "an earlier fail is one: {}", err(&again));
    let said = err(&again);
    assert_eq!(said.matches(": begins").count(), 3, "{said}");
    assert_eq!(said.matches("judged earlier").count(), 1, "{said}");
    assert_eq!(std::fs::read(at(3)).unwrap(), kept);
    for ((_, now), (_, then)) in reports(out.path()).iter().zip(&first) {
        assert_eq!(now["target"], then["target"]);
        assert!(now["could_not_judge"].is_null());
    }
}

#[test]
fn told_to_end_it_writes_what_it_knows_of_every_page_and_leaves_no_browser() {
    common::there_is_a_browser();
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap().to_string();
    let pages = [
        game("start=auto"),
        game("start=auto&more=1"),
        game("start=auto&more=2"),
    ];
    let log = out.path().with_extension("log");
    let child = command(&["run", "--speed", "1", "-j", "2", "--out", &folder])
        .args(&pages)
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let said = || std::fs::read_to_string(&log).unwrap();
    until("two pages are under way", || {
        (said().matches("phase 3/8").count() >= 2).then_some(())
    });
    let browser = browser_of(child.id());
    signal(child.id(), Signal::INT);
    let done = child.wait_with_output().unwrap();
    assert_eq!(code(&done), 3, "{}", said());
    browser.is_gone();
    let reports = reports(out.path());
    assert_eq!(reports.len(), 2, "the third was not begun: {}", said());
    for (_, report) in &reports {
        assert_eq!(report["could_not_judge"], "stopped in phase 3");
        assert_eq!(status(report, "game_starts"), "pass");
    }
    assert!(
        said().contains("1 not begun; --resume judges them"),
        "{}",
        said()
    );
    std::fs::remove_file(&log).unwrap();
}

#[test]
fn a_page_that_takes_too_long_is_ended_and_the_next_one_judged() {
    common::there_is_a_browser();
    let out = tempfile::tempdir().unwrap();
    let slow = game("start=auto");
    let done = run(&[
        "run",
        "--speed",
        "0.1",
        "--timeout",
        "20",
        "--out",
        out.path().to_str().unwrap(),
        &slow,
        &game("kind=blank"),
    ]);
    assert_eq!(code(&done), 3, "{}", err(&done));
    let reports = reports(out.path());
    assert_eq!(reports.len(), 2);
    let why = report_of(&reports, &slow)["could_not_judge"].to_string();
    assert!(
        why.contains("stopped in phase") && why.contains("20 s were over"),
        "{why}"
    );
    let blank = report_of(&reports, &game("kind=blank"));
    assert!(blank["could_not_judge"].is_null());
    assert_eq!(status(blank, "game_loads"), "fail");
}

#[test]
fn what_makes_no_sense_is_said_before_anything_is_judged() {
    for (args, said) in [
        (
            &["run", "a.html", "b.html", "--report", "r.json"][..],
            "--out DIR",
        ),
        (&["run", "--resume"], "--out"),
        (&["run", "--jobs", "0"], "--jobs"),
        (&["run", "--timeout", "0"], "--timeout"),
        (&["run", "-"], "the list is empty"),
        (
            &["run", "no/a.html", "no/b.html"],
            "no/b.html is neither a file nor a folder",
        ),
    ] {
        let done = run(args);
        assert_eq!(code(&done), 2, "{args:?}: {}", err(&done));
        assert!(err(&done).contains(said), "{args:?}: {}", err(&done));
    }
    // Without a browser no page can be judged: said once, and not for each of them.
    let done = run(&[
        "run",
        "--browser",
        "/no/such/browser",
        &game(""),
        &game("a=1"),
    ]);
    assert_eq!(code(&done), 3);
    assert_eq!(
        err(&done).matches("which is not a program").count(),
        1,
        "{}",
        err(&done)
    );
    // A place for reports that is none.
    let file = tempfile::NamedTempFile::new().unwrap();
    let done = run(&["run", "--out", file.path().to_str().unwrap(), &game("")]);
    assert_eq!(code(&done), 3);
    assert!(err(&done).contains("could not be made"), "{}", err(&done));
}

#[test]
fn schema_completions_and_manual_are_printed() {
    let schema = run(&["schema"]);
    assert_eq!(code(&schema), 0);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert_eq!(schema["title"], "BotReport");
    assert!(schema["properties"]["calibration_drift"].is_object());
    let zsh = run(&["completions", "zsh"]);
    assert_eq!(code(&zsh), 0);
    assert!(
        String::from_utf8(zsh.stdout)
            .unwrap()
            .starts_with("#compdef tetrascope")
    );
    assert_eq!(code(&run(&["completions", "tcsh"])), 2);
    let man = run(&["man"]);
    assert!(String::from_utf8(man.stdout).unwrap().contains(".TH"));
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("man1");
    assert_eq!(code(&run(&["man", "--out", into.to_str().unwrap()])), 0);
    assert!(into.join("tetrascope-run.1").is_file());
}
