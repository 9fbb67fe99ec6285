//! `tetrascope export`: a recording as a page, an animation, pictures.
//!
//! Comes in: arguments. Goes out: files. Must never know: how they are made.

use super::recording::{corrections, open_recording};
use super::{UsageError, code, explore, log_to_stderr, tell, theme, write};
use crate::cli::{CastChoice, ColourChoice, Export};
use crate::config::Config;
use crate::report::html;
use crate::session::Seek;
use crate::session::explored::Explored;
use crate::session::export::{self, ExportError, Span};
use crate::session::harmless;
use crate::session::replay::Reel;
use crate::tui::{Cast, CastVersion, Depth, Look};
use color_eyre::eyre::{Result, WrapErr};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Pictures a second of a terminal recording.
const CAST_RATE: f64 = 15.0;

/// Makes what was asked for.
pub(super) fn export_it(args: &Export, config: &Config) -> Result<u8> {
    log_to_stderr(false);
    if Explored::is_one(&args.recording) {
        let only_html = "of an exploration there is only a page: --html FILE";
        let file = args
            .html
            .as_ref()
            .filter(|_| args.cast.is_none() && args.gif.is_none() && args.frames.is_none());
        let file = file.ok_or_else(|| UsageError(only_html.into()))?;
        write::atomically(file, explore::page(&args.recording)?)?;
        return Ok(code::PASSED);
    }
    let recording = open_recording(&args.recording)?;
    let reel = Reel::new(recording, &corrections(&args.corrections)?);
    let troubles = reel.troubles();
    if troubles.any() {
        tell(&format!(
            "tetrascope: {}: {}\n",
            args.recording.display(),
            harmless(&troubles.to_string())
        ));
    }
    let end_us = reel.at_us(reel.len().saturating_sub(1));
    let us = |seconds: f64| (seconds * 1e6) as u64;
    let span = Span {
        from_us: args.from.map_or(0, us),
        to_us: args.to.map_or(end_us, us).min(end_us),
        speed: args.speed,
    };
    if reel.is_empty() || span.from_us > span.to_us {
        let end = end_us as f64 / 1e6;
        return Err(UsageError(format!(
            "there is nothing in that part: the recording is {end:.1} s of game time long"
        ))
        .into());
    }
    if let (Some(file), Some(report)) = (&args.html, reel.report()) {
        write::atomically(file, html::page(report, &export::extras(&reel)))?;
    }
    if let Some(file) = &args.cast {
        cast(args, config, &reel, span, file).wrap_err_with(|| place(file))?;
    }
    if let Some(file) = &args.gif {
        let out = BufWriter::new(File::create(file).wrap_err_with(|| place(file))?);
        made(export::gif(&reel, span, out), file)?;
    }
    if let Some(dir) = &args.frames {
        let n = made(export::frames(&reel, span, dir), dir)?;
        tell(&format!("tetrascope: {n} pictures in {}\n", dir.display()));
    }
    Ok(code::PASSED)
}

fn place(path: &Path) -> String {
    format!("{} could not be written", path.display())
}

fn made(result: Result<usize, ExportError>, path: &Path) -> Result<usize> {
    match result {
        Err(error @ ExportError::NoPictures) => Err(UsageError(error.to_string()).into()),
        other => other.wrap_err_with(|| place(path)),
    }
}

fn cast(args: &Export, config: &Config, reel: &Reel, span: Span, file: &Path) -> Result<()> {
    let look = Look {
        ascii: args.screen.ascii,
        theme: theme(&args.screen.theme, config)?,
        depth: if args.screen.colour == ColourChoice::Never {
            Depth::None
        } else {
            Depth::True
        },
    };
    let version = match args.cast_version {
        CastChoice::V2 => CastVersion::V2,
        CastChoice::V3 => CastVersion::V3,
    };
    let header = &reel.recording().header;
    let title = (header.target.as_str(), header.began_unix);
    let out = BufWriter::new(File::create(file)?);
    let mut cast = Cast::new(out, version, args.size, look, title)?;
    let length = (span.to_us - span.from_us) as f64 / 1e6 / span.speed;
    let pictures = (length * CAST_RATE).ceil() as u64;
    let mut shown = None;
    for n in 0..=pictures {
        let seconds = (n as f64 / CAST_RATE).min(length);
        let game_us = span.from_us + (seconds * span.speed * 1e6) as u64;
        let at = reel.find(0, Seek::Time(game_us.min(span.to_us)));
        if shown != Some(at) {
            shown = Some(at);
            cast.show(seconds, &reel.snapshot(at))?;
        }
    }
    cast.end(length)?;
    Ok(())
}
