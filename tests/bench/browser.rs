//! How fast a page is read and played: against a screenshot of the same board, and against real time.
//!
//! Prints its ratios itself, each taken within one run, so that the machine's speed cancels out.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/games.rs"]
mod games;

use games::{ANSWER, Preset, Stand};
use std::time::{Duration, Instant};
use tetrascope::browser::Page;
use tetrascope::browser::probe::{AdvanceOptions, Looks, Probe, Seen};
use tetrascope::model::{Grid, Rect};
use tetrascope::vision::Reader;

const SAMPLES: u16 = 8;
/// Game time of a step at full speed.
const STEP_MS: f64 = 50.0;
/// The pages: each of the ways in which boards are drawn without WebGL.
const PAGES: [&str; 9] = [
    "canvas-flat",
    "canvas-bevel-grid",
    "canvas-two-layers",
    "div-class",
    "div-style",
    "table",
    "absolute",
    "svg-rects",
    "svg-group",
];

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

struct Bench {
    page: Page,
    probe: Probe,
    reader: Reader,
    rect: Rect,
}

impl Bench {
    async fn new(stand: &Stand, preset: &Preset) -> Self {
        let url = stand.url(&games::with_start(&preset.query, "auto"), 7);
        let (page, probe) = stand.open(&url).await;
        let mut bench = Self {
            page,
            probe,
            reader: Reader::new(preset.columns, preset.rows, SAMPLES),
            rect: Rect::default(),
        };
        bench.step(400.0).await;
        bench.rect = games::true_rect(&bench.page).await.unwrap();
        let board = games::board(bench.rect, preset.columns, preset.rows);
        bench
            .probe
            .watch(&bench.page, &board, SAMPLES)
            .await
            .unwrap();
        for _ in 0..20 {
            let seen = bench.step(STEP_MS).await;
            bench.decode(&seen);
        }
        bench
    }

    async fn step(&self, ms: f64) -> Seen {
        let options = AdvanceOptions::default();
        self.probe
            .advance(&self.page, ms, options, ANSWER)
            .await
            .unwrap()
    }

    fn decode(&mut self, seen: &Seen) -> Option<Grid> {
        seen.frame.as_ref().map(|f| self.reader.read(f))
    }
}

/// A grid, and a clipped screenshot of the same board; after each step anew.
async fn against_screenshot(bench: &mut Bench) -> (f64, f64) {
    let (mut reads, mut shots) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        bench.step(STEP_MS).await;
        let begun = Instant::now();
        let seen = bench.probe.read(&bench.page).await.unwrap();
        let grid = bench.decode(&seen).unwrap();
        reads.push(ms(begun.elapsed()));
        assert!(grid.filled_count() > 0);
        let begun = Instant::now();
        let picture = bench
            .page
            .screenshot(Some(bench.rect), false)
            .await
            .unwrap();
        shots.push(ms(begun.elapsed()));
        assert!(picture.width() > 0);
    }
    (median(reads), median(shots))
}

/// What any question to the page costs, whatever it asks.
async fn round_trip(bench: &Bench) -> f64 {
    let mut trips = Vec::new();
    for _ in 0..100 {
        let begun = Instant::now();
        let one: u8 = bench.page.call("1", ANSWER).await.unwrap();
        trips.push(ms(begun.elapsed()));
        assert_eq!(one, 1);
    }
    median(trips)
}

/// Game time a second of real time, stepping and decoding.
async fn speed(bench: &mut Bench) -> f64 {
    let mut steps = Vec::new();
    for _ in 0..300 {
        let begun = Instant::now();
        let seen = bench.step(STEP_MS).await;
        bench.decode(&seen);
        steps.push(ms(begun.elapsed()));
    }
    STEP_MS / (steps.iter().sum::<f64>() / steps.len() as f64)
}

/// The same where nothing is pressed meanwhile: many steps a call, a grid each, as play waits for what comes next.
async fn speed_ahead(bench: &mut Bench) -> f64 {
    let looks = Looks {
        every_ms: STEP_MS,
        ..Looks::default()
    };
    let begun = Instant::now();
    let mut steps = 0;
    while steps < 300 {
        let options = AdvanceOptions::default();
        let seen = bench
            .probe
            .stretch(&bench.page, STEP_MS * 20.0, looks, options, ANSWER)
            .await
            .unwrap();
        steps += seen.len();
        for look in &seen {
            assert!(bench.decode(look).is_some());
        }
    }
    STEP_MS * steps as f64 / ms(begun.elapsed())
}

#[tokio::main]
async fn main() {
    let stand = Stand::new().await;
    let (mut ratios, mut speeds, mut aheads) = (Vec::new(), Vec::new(), Vec::new());
    for preset in games::chosen(games::named(&PAGES)) {
        let mut bench = Bench::new(&stand, &preset).await;
        let speed = speed(&mut bench).await;
        let ahead = speed_ahead(&mut bench).await;
        let (read, shot) = against_screenshot(&mut bench).await;
        let trip = round_trip(&bench).await;
        let ratio = shot / read;
        println!(
            "{:20} trip {trip:6.3} ms  read {read:7.3} ms  screenshot {shot:7.2} ms  ratio {ratio:6.1}   step and read {speed:6.1} times real time, ahead {ahead:6.1}",
            preset.name
        );
        ratios.push(ratio);
        speeds.push(speed);
        aheads.push(ahead);
    }
    println!(
        "ratio: a grid is read {:.1} times as fast as a clipped screenshot of it (median of {} pages; wanted: 50)",
        median(ratios.clone()),
        ratios.len()
    );
    for (how, speeds) in [
        ("in a call of its own", speeds),
        ("twenty in a call, as where play waits", aheads),
    ] {
        println!(
            "ratio: steps of {STEP_MS} ms with a grid each, {how}, run at {:.1} times real time (median of {} pages; wanted: 50)",
            median(speeds.clone()),
            speeds.len()
        );
    }
}
