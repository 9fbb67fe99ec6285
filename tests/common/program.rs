//! The program itself: run to its end, watched in a terminal, and the browser it started.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc
)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine; nothing waits for it when all is well.
pub const SOON: Duration = Duration::from_secs(90);

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_tetrascope");

/// A page of tests/pages/games with these parameters.
pub fn game(query: &str) -> String {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/games/game.html");
    format!("{}?seed=7&{query}", page.display())
}

/// Asks again until there is an answer.
pub fn until<T>(what: &str, mut so: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = so() {
            return answer;
        }
        assert!(begin.elapsed() < SOON, "it never came to be: {what}");
        std::thread::sleep(Duration::from_millis(25));
    }
}

/// The browser that a process started: its id and its profile.
#[derive(Debug, Clone)]
pub struct Started {
    pub id: u32,
    pub profile: String,
}

fn command_line(id: u32) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    bytes
        .split(|b| *b == 0)
        .map(|a| String::from_utf8_lossy(a).into_owned())
        .collect()
}

fn processes() -> Vec<u32> {
    let dir = std::fs::read_dir("/proc").unwrap();
    dir.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

fn parent(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name may hold blanks and brackets; what follows the last bracket does not.
    stat.rsplit_once(')')?
        .1
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()
}

/// The browser that `program` has started; waits for it.
pub fn browser_of(program: u32) -> Started {
    until("the program starts a browser", || {
        processes().into_iter().find_map(|id| {
            let profile = command_line(id)
                .into_iter()
                .find_map(|a| a.strip_prefix("--user-data-dir=").map(str::to_owned))?;
            (parent(id) == Some(program)).then_some(Started { id, profile })
        })
    })
}

impl Started {
    /// Waits until none of its processes is left.
    pub fn is_gone(&self) {
        let argument = format!("--user-data-dir={}", self.profile);
        until("no browser is left behind", || {
            let left = processes()
                .into_iter()
                .any(|id| command_line(id).contains(&argument));
            (!left).then_some(())
        });
    }

    /// The folder that holds its profile.
    pub fn folder(&self) -> PathBuf {
        PathBuf::from(&self.profile)
    }
}

/// Sends a signal.
#[cfg(unix)]
pub fn signal(id: u32, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_raw(id as i32).unwrap();
    rustix::process::kill_process(id, signal).unwrap();
}
