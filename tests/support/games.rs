//! The test games: their presets, their truth, and a page on which one of them runs.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc
)]

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tetrascope::browser::probe::{Probe, ProbeOptions};
use tetrascope::browser::{Browser, LaunchOptions, NetPolicy, Page, PageOptions, Server};
use tetrascope::model::{Board, Rect};
use url::Url;

/// Longer than any answer takes on a busy machine.
pub const ANSWER: Duration = Duration::from_secs(20);

/// A named combination of the games' parameters.
#[derive(Debug, Clone, Deserialize)]
pub struct Preset {
    pub name: String,
    pub query: String,
    pub columns: u16,
    pub rows: u16,
    pub kind: String,
    pub start: String,
    pub controls: BTreeMap<String, Option<String>>,
    pub healthy: bool,
    /// Checks that must fail.
    pub fails: Vec<String>,
    /// Checks that may fail beside them.
    pub may_fail: Vec<String>,
    pub exact: bool,
}

/// What the game says of itself.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Truth {
    pub stack: Vec<Vec<u8>>,
    pub active: Option<TruePiece>,
    pub state: String,
    /// By how much of a row the piece is drawn below its cells.
    #[serde(default)]
    pub fraction: f64,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TruePiece {
    pub kind: char,
    pub cells: Vec<(i32, i32)>,
}

impl Truth {
    /// The cells of the piece that are on the field, row by row.
    pub fn visible(&self) -> Vec<(i32, i32)> {
        let (rows, columns) = (self.stack.len() as i32, self.stack[0].len() as i32);
        let mut cells: Vec<(i32, i32)> = self.active.as_ref().map_or(Vec::new(), |a| {
            let inside = |c: &&(i32, i32)| c.1 >= 0 && c.1 < rows && c.0 >= 0 && c.0 < columns;
            a.cells.iter().filter(inside).copied().collect()
        });
        cells.sort_unstable_by_key(|c| (c.1, c.0));
        cells
    }

    /// What a picture of this may be read as: a piece between two rows lies where most of it is drawn, and in either
    /// row where that is about half.
    pub fn readings(&self) -> Vec<Self> {
        const ABOUT_HALF: std::ops::RangeInclusive<f64> = 0.4..=0.6;
        let mut below = self.clone();
        if let Some(piece) = &mut below.active {
            piece.cells.iter_mut().for_each(|c| c.1 += 1);
        }
        let mut readings = Vec::new();
        if self.fraction <= *ABOUT_HALF.end() {
            readings.push(self.clone());
        }
        if self.fraction >= *ABOUT_HALF.start() {
            readings.push(below);
        }
        readings
    }

    /// Is there a block, of the stack or of the piece?
    pub fn is_filled(&self, c: i32, r: i32) -> bool {
        let at = |r: usize, c: usize| self.stack.get(r).and_then(|l| l.get(c)).copied();
        at(r as usize, c as usize) == Some(1) || self.visible().contains(&(c, r))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/games")
}

/// All presets.
pub fn presets() -> Vec<Preset> {
    let text = std::fs::read_to_string(folder().join("presets.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The presets of these names, all of which there must be.
pub fn named(names: &[&str]) -> Vec<Preset> {
    let all = presets();
    let find = |n: &&str| {
        let found = all.iter().find(|p| p.name == *n).cloned();
        found.unwrap_or_else(|| panic!("no preset {n}"))
    };
    names.iter().map(find).collect()
}

/// The presets that `ONLY` (parts of names, with commas between) lets through; all when it is not set.
pub fn chosen(presets: Vec<Preset>) -> Vec<Preset> {
    let Ok(only) = std::env::var("ONLY") else {
        return presets;
    };
    let parts: Vec<&str> = only.split(',').collect();
    let wanted = |p: &Preset| parts.iter().any(|o| p.name.contains(o));
    presets.into_iter().filter(wanted).collect()
}

/// A browser and a server of the games.
pub struct Stand {
    pub browser: std::sync::Arc<Browser>,
    pub server: Server,
}

impl Stand {
    pub async fn new() -> Self {
        let server = Server::path(&folder().join("game.html")).await.unwrap();
        let browser = Browser::launch(&LaunchOptions::default()).await.unwrap();
        Self {
            browser: browser.into(),
            server,
        }
    }

    /// The address of a game; `seed` makes its pieces the same each time.
    pub fn url(&self, query: &str, seed: u64) -> Url {
        let mut url = self.server.url().clone();
        let given = if query.is_empty() {
            String::new()
        } else {
            format!("{query}&")
        };
        url.set_query(Some(&format!("{given}seed={seed}")));
        url
    }

    /// The settings of a page that may reach the games alone.
    pub fn options(&self) -> PageOptions {
        PageOptions::new(NetPolicy::only(self.server.url(), &[]).0)
    }

    /// A page with a probe, opened.
    pub async fn open(&self, url: &Url) -> (Page, Probe) {
        let options = ProbeOptions {
            seed: Some(1),
            ..ProbeOptions::default()
        };
        let probe = Probe::new(&options);
        let mut settings = self.options();
        settings.init_scripts.push(probe.script().to_string());
        let page = self.browser.new_page(&settings).await.unwrap();
        page.goto(url.as_str(), ANSWER).await.unwrap();
        (page, probe)
    }
}

/// The query with another way to start.
pub fn with_start(query: &str, start: &str) -> String {
    let rest = query.split('&').filter(|p| !p.starts_with("start="));
    let mut parts: Vec<String> = rest.map(String::from).collect();
    parts.push(format!("start={start}"));
    parts.join("&")
}

/// What the game says of itself at this moment; `None` before it is there.
pub async fn truth(page: &Page) -> Option<Truth> {
    let ask = "window.__truth ? window.__truth() : null";
    page.call(ask, ANSWER).await.unwrap()
}

/// Where the field truly is, in pixels of the document.
pub async fn true_rect(page: &Page) -> Option<Rect> {
    let ask = "(() => { const b = window.__board?.(); return b && { x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height }; })()";
    page.call(ask, ANSWER).await.unwrap()
}

/// The board that lies in a rectangle.
pub fn board(rect: Rect, columns: u16, rows: u16) -> Board {
    Board {
        x: rect.x,
        y: rect.y,
        cell_width: rect.width / f64::from(columns),
        cell_height: rect.height / f64::from(rows),
        columns,
        rows,
        confidence: 1.0,
        why: "the page says so".into(),
        sure: tetrascope::model::Sure::default(),
    }
}
