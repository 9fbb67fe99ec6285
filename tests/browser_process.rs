//! No browser is left behind, whatever ends us.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{browser, until};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use tetrascope::browser::{Browser, BrowserError, LaunchOptions};

/// The processes of a group that live (a zombie does not).
fn alive(group: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // pid (name) state ppid pgrp …; the name may hold anything.
        let rest: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        if rest[0] != "Z" && rest[2] == group.to_string() {
            found.push(pid);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_a_browser_ends_its_processes_and_removes_its_profile() {
    let browser = browser().await;
    let group = browser.info().process.unwrap();
    assert!(!alive(group).is_empty());
    let arguments = std::fs::read_to_string(format!("/proc/{group}/cmdline")).unwrap();
    let profile = arguments
        .split('\0')
        .find_map(|a| a.strip_prefix("--user-data-dir="));
    let folder = Path::new(profile.unwrap()).parent().unwrap().to_path_buf();
    assert!(folder.exists());
    drop(browser);
    until("an end of all processes", async || alive(group).is_empty()).await;
    assert!(!folder.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_crashes_as_it_starts_is_started_once_more() {
    use std::os::unix::fs::PermissionsExt;
    let found = browser().await.info().path.clone().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let script = |times: u32| {
        let path = folder.path().join("chromium-headless-shell");
        let been = folder.path().join(format!("been-{times}-"));
        let (been, found) = (been.display(), found.display());
        let text = format!(
            "#!/bin/sh\nfor n in $(seq {times}); do\n  [ -e {been}$n ] || {{ : >{been}$n; kill -SEGV $$; }}\ndone\nexec {found} \"$@\"\n"
        );
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        LaunchOptions {
            browser: Some(path),
            ..LaunchOptions::default()
        }
    };
    Browser::launch(&script(1)).await.unwrap();
    // Twice is no accident.
    let error = Browser::launch(&script(2)).await.unwrap_err();
    assert!(
        matches!(error, BrowserError::Launch { crashed: true, .. }),
        "{error}"
    );
}

/// Not a test: the process that the next test kills.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the next test, in a process of its own"]
async fn helper_with_a_browser() {
    let browser = browser().await;
    println!("\nbrowser {}", browser.info().process.unwrap());
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_browser_outlives_us_whatever_signal_ends_us() {
    for signal in [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT] {
        let mut helper = Command::new(std::env::current_exe().unwrap())
            .args([
                "helper_with_a_browser",
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(helper.stdout.take().unwrap()).lines();
        let group = lines
            .map_while(Result::ok)
            .find_map(|l| {
                l.strip_prefix("browser ")
                    .and_then(|n| n.parse::<u32>().ok())
            })
            .expect("the helper has a browser");
        assert!(!alive(group).is_empty());
        kill_process(Pid::from_child(&helper), signal).unwrap();
        helper.wait().unwrap();
        until("an end of all processes", async || alive(group).is_empty()).await;
    }
}
