//! How soon a recording of ten minutes can be watched, and how soon one is at any place of it.
//!
//! Prints its figures itself: a recording is made once, of a simulated game, and opened and searched several times.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/recorded.rs"]
mod recorded;

use recorded::{Replayed, block_on, run};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tetrascope::driver::sim::SimOptions;
use tetrascope::session::recording::{Recorder, Recording};
use tetrascope::session::{Command, Seek};

/// Game time of the recording at least, in seconds.
const LONG: f64 = 600.0;
/// Seeks to places all over it.
const SEEKS: u64 = 40;

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() - 1])
}

/// A recording of ten minutes in this folder.
fn record(dir: &Path) -> Recording {
    let recorder = Arc::new(Recorder::new("sim", None));
    recorder.start(Some(dir)).unwrap();
    block_on(run(SimOptions::default(), recorder.clone(), LONG));
    let state = recorder.state();
    let recording = Recording::open(dir).unwrap();
    let last = recording.log().last().unwrap().stamp;
    assert!(last.game_ms() >= LONG * 1000.0, "{last:?}");
    println!(
        "{:.0} s of game time, {} records, {:.1} MB",
        last.game_ms() / 1000.0,
        recording.log().len(),
        state.bytes as f64 / 1e6
    );
    recording
}

async fn watch(dir: &Path, end_us: u64) -> (f64, f64, Vec<f64>, Vec<f64>) {
    let begun = Instant::now();
    let mut replay = Replayed::open(dir);
    replay.shows(|s| s.phase.is_some()).await;
    let first = ms(begun.elapsed());
    // Whoever looks for something does not wait until all is read.
    let mut early = Vec::new();
    for part in [7, 9, 4] {
        let begun = Instant::now();
        replay.seek(Seek::Time(end_us * part / 10)).await;
        replay
            .shows(|s| s.stamp.game_us + 2_000_000 > end_us * part / 10 && s.grid.is_some())
            .await;
        early.push(ms(begun.elapsed()));
    }
    replay.whole().await;
    let whole = ms(begun.elapsed());
    let mut seeks = Vec::new();
    for i in 0..SEEKS {
        // All over it, forth and back.
        let to = end_us * ((i * 17) % SEEKS) / SEEKS;
        let begun = Instant::now();
        let shown = replay.seek(Seek::Time(to)).await;
        seeks.push(ms(begun.elapsed()));
        assert!(shown.stamp.game_us <= to.max(1_000_000));
    }
    replay.commands.send(Command::Quit).await.unwrap();
    (first, whole, early, seeks)
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("long");
    let recording = record(&at);
    let end_us = recording.log().last().unwrap().stamp.game_us;
    let opened: Vec<f64> = (0..5)
        .map(|_| {
            let begun = Instant::now();
            Recording::open(&at).unwrap();
            ms(begun.elapsed())
        })
        .collect();
    let (open, most) = median(opened);
    println!("read: {open:.0} ms (at most {most:.0})");
    let (first, whole, early, seeks) = block_on(watch(&at, end_us));
    let (seek, slowest) = median(seeks);
    println!("shown after {first:.0} ms (wanted: 1000), all of it derived after {whole:.0} ms");
    println!("places asked for meanwhile, at 7, 9 and 4 tenths: {early:.0?} ms");
    println!("seek: {seek:.1} ms, at most {slowest:.1} (wanted: 100)");
}
