//! Is each game started by the right means, and is its board found where it is?
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/games.rs"]
mod games;

use futures::StreamExt;
use games::{Preset, Stand};
use std::sync::Arc;
use std::time::Instant;
use tetrascope::driver::live::{LiveDriver, LiveOptions, WebGl};
use tetrascope::driver::{Driver, Gate, Shared, locate, start};
use tetrascope::model::{Board, ClockMode, Rect};

/// What came out for one preset.
struct Found {
    name: String,
    /// The steps that started it, or why it was not started.
    how: String,
    board: Option<Board>,
    truth: Option<Rect>,
    size: (u16, u16),
    startable: bool,
    right_start: bool,
    seconds: f64,
}

#[allow(clippy::many_single_char_names)]
impl Found {
    /// Farthest edge from where it truly is, in cells.
    fn off(&self) -> Option<f64> {
        let (b, t) = (self.board.as_ref()?, self.truth?);
        let r = b.rect();
        let (w, h) = (
            t.width / f64::from(self.size.0),
            t.height / f64::from(self.size.1),
        );
        let edges = [
            (r.x - t.x) / w,
            (r.right() - t.right()) / w,
            (r.y - t.y) / h,
            (r.bottom() - t.bottom()) / h,
        ];
        Some(edges.into_iter().map(f64::abs).fold(0.0, f64::max))
    }

    fn right(&self) -> bool {
        match (&self.board, self.startable) {
            (None, startable) => !startable,
            (Some(_), false) => false,
            (Some(b), true) => {
                self.right_start
                    && (b.columns, b.rows) == self.size
                    && self.off().is_some_and(|o| o <= 0.1)
            }
        }
    }

    fn row(&self) -> String {
        let board = self.board.as_ref().map_or("-".into(), |b| {
            format!(
                "{}x{} at {:.1},{:.1} cell {:.2}x{:.2}",
                b.columns, b.rows, b.x, b.y, b.cell_width, b.cell_height
            )
        });
        let off = self.off().map_or("-".into(), |o| format!("{o:.2}"));
        let verdict = if self.right() { "ok   " } else { "WRONG" };
        let how: String = self.how.chars().take(90).collect();
        format!(
            "{verdict} {:24} off {off:>5}  {board:48} {:5.1} s  {how}",
            self.name, self.seconds
        )
    }
}

/// The means by which each way to start may rightly be answered, in the words of the steps.
fn right_means(start: &str, path: &[tetrascope::model::StartCandidate]) -> bool {
    let labels: Vec<&str> = path.iter().map(|c| c.label.as_str()).collect();
    let buttons = labels.iter().filter(|l| l.starts_with("button")).count();
    match start {
        "auto" => path.is_empty(),
        "button" | "countdown" | "focus_keep" | "focus_anew" | "decoys" | "title" | "drifting"
        | "hasty" => buttons >= 1,
        "two_step" => buttons >= 3,
        "late" => buttons == 2,
        "cookie" => buttons >= 2,
        "letter" => labels == ["key g"],
        "space" => labels.iter().any(|l| l.starts_with("key ")),
        "enter" | "canvas_menu" | "canvas_arrows" | "canvas_setup" | "canvas_glow" | "resting"
        | "resting_words" | "demonstration" => labels.contains(&"key Enter"),
        _ => !path.is_empty(),
    }
}

async fn find(stand: &Stand, preset: &Preset) -> Found {
    let begun = Instant::now();
    let url = stand.url(&preset.query, 7);
    let startable = preset.kind == "game";
    let mut found = Found {
        name: preset.name.clone(),
        how: String::new(),
        board: None,
        truth: None,
        size: (preset.columns, preset.rows),
        startable,
        right_start: false,
        seconds: 0.0,
    };
    let options = LiveOptions {
        url: url.to_string(),
        page: stand.options(),
        clock: ClockMode::Virtual,
        may_change: true,
        seed: Some(1),
        webgl: WebGl::default(),
    };
    let shared = Arc::new(Shared::default());
    let mut driver = LiveDriver::new(
        stand.browser.clone(),
        options,
        Arc::new(Gate::new(f64::INFINITY)),
        shared,
    )
    .await
    .unwrap();
    let outcome = async {
        driver.open().await?;
        let outcome = start::start(&mut driver).await?;
        Ok::<_, tetrascope::driver::DriverError>(match outcome {
            Ok(started) => {
                let board = locate::first(&mut driver, &started.falling, &started.hints).await?;
                Ok((started, board))
            }
            Err(not) => Err(not),
        })
    };
    match outcome.await {
        Ok(Ok((started, board))) => {
            found.right_start = right_means(&preset.start, &started.path);
            found.how = format!("{}; {}", started.why, board.why);
            found.board = Some(board);
        }
        Ok(Err(not)) => found.how = not.tried.join("; "),
        Err(error) => found.how = format!("error: {error}"),
    }
    found.seconds = begun.elapsed().as_secs_f64();
    if startable {
        // A page of its own tells where the field is: the driver's page is not touched behind its back.
        let (page, probe) = stand.open(&url).await;
        probe
            .advance(
                &page,
                300.0,
                tetrascope::browser::probe::AdvanceOptions::default(),
                games::ANSWER,
            )
            .await
            .unwrap();
        found.truth = games::true_rect(&page).await;
    }
    found
}

async fn table(presets: &[Preset]) -> Vec<Found> {
    let stand = Stand::new().await;
    let mut all = Vec::new();
    let mut rows = futures::stream::iter(presets)
        .map(|p| find(&stand, p))
        .buffered(2);
    while let Some(f) = rows.next().await {
        println!("{}", f.row());
        all.push(f);
    }
    all
}

fn wrong(found: &[Found]) -> Vec<String> {
    found
        .iter()
        .filter(|f| !f.right())
        .map(Found::row)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "finds and starts every page; its table is for people"]
async fn every_page_is_started_and_its_board_found() {
    let all = games::presets();
    let wanted = |p: &Preset| p.healthy || p.kind != "game";
    let presets = games::chosen(all.into_iter().filter(wanted).collect());
    let found = table(&presets).await;
    let wrong = wrong(&found);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One of each way to start and of each look, and pages that only look like a game.
const TYPICAL: [&str; 27] = [
    "div-fraction",
    "start-letter",
    "canvas-flat",
    "canvas-gradient",
    "canvas-texture",
    "canvas-smooth",
    "canvas-inset-smooth",
    "canvas-glow",
    "canvas-sub",
    "div-style",
    "div-fade",
    "absolute",
    "svg-stroke",
    "small-7x12",
    "below-fold",
    "start-cookie",
    "start-drifting",
    "start-canvas-setup",
    "start-canvas-glow",
    "start-resting",
    "start-resting-no-gravity",
    "start-demonstration",
    "start-hasty",
    "start-late",
    "start-focus-anew",
    "defect-no-gravity",
    "picture",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typical_pages_are_started_by_the_right_means_and_their_board_is_found() {
    let wrong = wrong(&table(&games::named(&TYPICAL)).await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
