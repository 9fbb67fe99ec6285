//! What one run learns of a page is of use to the next, and only as long as it is true.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "common/program.rs"]
mod program;

use program::PROGRAM;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A page of its own, so that it can be changed, and a place for what is kept.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/games");
        let to = dir.path().join("games");
        std::fs::create_dir(&to).unwrap();
        for file in std::fs::read_dir(games).unwrap() {
            let file = file.unwrap();
            if file.file_type().unwrap().is_file() {
                std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        }
        Self { dir }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join("games").join(name)
    }

    /// Judges the page as far as its mechanics and gives what the report says of calibration, and the keys.
    fn run(&self, args: &[&str]) -> (Value, Value) {
        let page = format!(
            "{}?seed=7&start=button&keys=bare",
            self.file("game.html").display()
        );
        let report = self.dir.path().join("report.json");
        let status = Command::new(PROGRAM)
            .args(["run", "-q", "--play-seconds", "0", "--report"])
            .arg(&report)
            .args(args)
            .arg(page)
            .env("XDG_CACHE_HOME", self.dir.path().join("cache"))
            .env("XDG_DATA_HOME", self.dir.path().join("data"))
            .env("XDG_CONFIG_HOME", self.dir.path().join("config"))
            .status()
            .unwrap();
        assert!(status.code().is_some_and(|c| c != 2), "{status}");
        let report: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
        (
            report["calibration_drift"].clone(),
            report["implementation"]["control_map"].clone(),
        )
    }

    fn kept(&self) -> usize {
        let folder = self.dir.path().join("cache/tetrascope/profiles");
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    }
}

fn changes(drift: &Value) -> String {
    drift["changes"].to_string()
}

#[test]
fn what_was_learned_is_verified_and_reused_and_never_of_a_page_that_changed() {
    let place = Place::new();
    let (first, keys) = place.run(&["--cache"]);
    assert_eq!(place.kept(), 1);
    assert!(!first["drifted"].as_bool().unwrap(), "{first}");
    let (second, again) = place.run(&["--cache"]);
    assert!(!second["drifted"].as_bool().unwrap(), "{second}");
    let hits = |d: &Value| d["cacheHits"].as_u64().unwrap();
    let misses = |d: &Value| d["cacheMisses"].as_u64().unwrap();
    assert!(
        hits(&second) > 0 && misses(&second) < misses(&first),
        "{first} {second}"
    );
    for action in ["move_left", "move_right", "rotate_cw", "hard_drop"] {
        assert_eq!(keys[action]["key"], again[action]["key"], "{action}");
    }
    // Another page under the same name.
    let script = place.file("view.js");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("{text}\n// changed\n")).unwrap();
    let (changed, _) = place.run(&["--cache"]);
    assert!(changed["drifted"].as_bool().unwrap(), "{changed}");
    assert!(changes(&changed).contains("not what it was"), "{changed}");
}

#[test]
fn without_a_cache_nothing_is_kept() {
    let place = Place::new();
    place.run(&["--no-cache", "--timeout", "20"]);
    assert_eq!(place.kept(), 0);
}
