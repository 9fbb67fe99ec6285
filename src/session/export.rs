//! A recording as something else: a report page, an animated picture of the board, pictures one by one.
//!
//! Comes in: a [`Reel`]. Goes out: what the report page shows, a GIF, PNG files. Must never know: a browser, a clock.

use super::LogKind;
use super::recording::{Pictures, png};
use super::replay::{Reel, Seek};
use crate::model::{CellState, Raster};
use crate::report::html::{Event, Extras, Series, Shot};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// Pictures a failed check is shown with, at most.
const SHOTS: usize = 4;
/// Numbers of the page that are drawn over time, at most: those that changed most often.
const NUMBERS: usize = 6;
/// Least height of an animated board in pixels; smaller ones are enlarged by a whole factor.
const HEIGHT: u32 = 400;

/// Which part of a recording, and how fast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Game time of the beginning in microseconds.
    pub from_us: u64,
    /// Game time of the end; the recording's own if it is later.
    pub to_us: u64,
    /// Game seconds a second of the result.
    pub speed: f64,
}

/// Why something could not be made of a recording.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is nothing to show.
    #[error("there is no picture of a board in that part of the recording")]
    NoPictures,
    /// It could not be written.
    #[error("{0}")]
    Write(#[from] io::Error),
    /// The picture could not be coded.
    #[error("the animation could not be made: {0}")]
    Gif(#[from] gif::EncodingError),
}

/// What the report page shows beside the report.
pub fn extras(reel: &Reel) -> Extras {
    Extras {
        shots: shots(reel),
        series: series(reel),
        events: reel
            .lines()
            .iter()
            .map(|line| Event {
                game_us: line.stamp.game_us,
                kind: match line.kind {
                    LogKind::Game => "game",
                    LogKind::Bot => "bot",
                    LogKind::Page => "page",
                    LogKind::Verdict => "verdict",
                    LogKind::Operator => "operator",
                },
                text: line.text.clone(),
            })
            .collect(),
        troubles: reel.troubles().to_string(),
    }
}

fn shots(reel: &Reel) -> Vec<Shot> {
    let mut pictures = Pictures::of(reel.recording().dir());
    let failed = reel
        .report()
        .map_or(&[][..], |r| &r.tests)
        .iter()
        .filter(|t| t.status == "fail");
    let mut shots = Vec::new();
    for test in failed {
        for seq in test.evidence.iter().take(SHOTS) {
            let at = reel.find(0, Seek::Record(*seq));
            let Some((grid, active)) = reel.board(at) else {
                continue;
            };
            let picture = reel.picture(at, &mut pictures);
            shots.push(Shot {
                check: test.name.clone(),
                seq: *seq,
                game_us: reel.at_us(at),
                png: picture.and_then(|p| png(&p.raster).ok()),
                grid: grid.clone(),
                active: active.map_or(Vec::new(), |a| a.cells.clone()),
            });
        }
    }
    shots
}

/// Height of the stack and numbers of the page over game time.
fn series(reel: &Reel) -> Vec<Series> {
    let mut height = Series {
        name: "stack height".into(),
        unit: "rows".into(),
        points: Vec::new(),
    };
    let mut numbers: Vec<Series> = Vec::new();
    for at in 0..reel.len() {
        let seconds = reel.at_us(at) as f64 / 1e6;
        if let Some((grid, active)) = reel.board(at) {
            let settled = |c: i32, r: i32| {
                grid.get(c, r).is_some_and(|x| x.state == CellState::Filled)
                    && active.is_none_or(|a| !a.cells.contains(&(c, r)))
            };
            let (columns, rows) = (i32::from(grid.columns()), i32::from(grid.rows()));
            let top = (0..rows).find(|r| (0..columns).any(|c| settled(c, *r)));
            changed(&mut height, seconds, f64::from(rows - top.unwrap_or(rows)));
        }
        for number in reel.numbers(at) {
            match numbers.iter_mut().find(|s| s.name == number.name) {
                Some(series) => changed(series, seconds, number.value),
                None => numbers.push(Series {
                    name: number.name.clone(),
                    unit: String::new(),
                    points: vec![(seconds, number.value)],
                }),
            }
        }
    }
    numbers.sort_by_key(|s| std::cmp::Reverse(s.points.len()));
    numbers.truncate(NUMBERS);
    let end = reel.at_us(reel.len().saturating_sub(1)) as f64 / 1e6;
    let mut all = numbers;
    all.push(height);
    for series in &mut all {
        if let Some(&(_, last)) = series.points.last() {
            series.points.push((end, last));
        }
    }
    all
}

/// Adds a point where the value is another than before.
fn changed(series: &mut Series, seconds: f64, value: f64) {
    let last = series.points.last().map(|p| p.1);
    if last.is_none_or(|l| l.total_cmp(&value).is_ne()) {
        series.points.push((seconds, value));
    }
}

/// The moments of a span whose picture is another than the one before, with the picture.
fn pictures(reel: &Reel, span: Span) -> Vec<(u64, u64, Raster)> {
    let mut store = Pictures::of(reel.recording().dir());
    let mut out: Vec<(u64, u64, Raster)> = Vec::new();
    for (at, record) in reel.recording().log().iter().enumerate() {
        let us = record.stamp.game_us;
        if us < span.from_us || us > span.to_us || !reel.is_picture(at) {
            continue;
        }
        if let Some(frame) = reel.picture(at, &mut store)
            && out.last().is_none_or(|l| l.2 != frame.raster)
        {
            out.push((record.stamp.seq, us, frame.raster.clone()));
        }
    }
    out
}

/// The picture enlarged by a whole factor.
fn enlarged(picture: &Raster, factor: u32) -> Cow<'_, [u8]> {
    if factor == 1 {
        return Cow::Borrowed(picture.rgb());
    }
    let (width, height) = (picture.width() * factor, picture.height() * factor);
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        for x in 0..width {
            rgb.extend(picture.at(i64::from(x / factor), i64::from(y / factor)));
        }
    }
    Cow::Owned(rgb)
}

/// Writes the board as an animated GIF; gives back how many pictures it has.
///
/// # Errors
/// Where there is nothing to show, or nothing can be written.
pub fn gif(reel: &Reel, span: Span, out: impl Write) -> Result<usize, ExportError> {
    let all = pictures(reel, span);
    // Boards are found in steps; what they were taken for on the way has other sizes.
    let size = |p: &Raster| (p.width(), p.height());
    let (width, height) = all
        .last()
        .map(|l| size(&l.2))
        .ok_or(ExportError::NoPictures)?;
    let all: Vec<_> = all
        .iter()
        .filter(|p| size(&p.2) == (width, height))
        .collect();
    let factor = HEIGHT.div_ceil(height.max(1)).clamp(1, 8);
    let side = |s: u32| u16::try_from(s * factor).map_err(|_| ExportError::NoPictures);
    let (w, h) = (side(width)?, side(height)?);
    let mut encoder = gif::Encoder::new(out, w, h, &[])?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    let end = reel.at_us(reel.len().saturating_sub(1)).min(span.to_us);
    // Hundredths of a second; what is rounded off one picture is given to the next.
    let cs =
        |us: u64| (us.saturating_sub(all[0].1) as f64 / 1e4 / span.speed.max(0.01)).round() as u64;
    for (i, (_, us, picture)) in all.iter().enumerate() {
        let until = all.get(i + 1).map_or(end.max(*us), |next| next.1);
        let mut frame = gif::Frame::from_rgb_speed(w, h, &enlarged(picture, factor), 10);
        frame.delay = cs(until).saturating_sub(cs(*us)).clamp(2, 1_000) as u16;
        encoder.write_frame(&frame)?;
    }
    Ok(all.len())
}

/// Writes each picture of the board as PNG into a folder; gives back how many there are.
///
/// # Errors
/// Where there is nothing to show, or nothing can be written.
pub fn frames(reel: &Reel, span: Span, dir: &Path) -> Result<usize, ExportError> {
    std::fs::create_dir_all(dir)?;
    let all = pictures(reel, span);
    if all.is_empty() {
        return Err(ExportError::NoPictures);
    }
    for (seq, us, picture) in &all {
        let ms = us / 1000;
        let name = format!(
            "{seq:07}-{:02}m{:02}.{:03}s.png",
            ms / 60_000,
            ms / 1000 % 60,
            ms % 1000
        );
        std::fs::write(dir.join(name), png(picture)?)?;
    }
    Ok(all.len())
}
