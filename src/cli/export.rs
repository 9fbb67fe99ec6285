//! The arguments of `export`.

use super::ScreenArgs;
use super::recording::CorrectionArgs;
use super::value::viewport_of;
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

/// `tetrascope export`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("into").required(true).multiple(true).args(["html", "cast", "gif", "frames"])))]
pub struct Export {
    /// The folder of a recording (`--record DIR`).
    pub recording: PathBuf,
    /// The report as one page: checks, reasons, pictures of what failed, numbers over time, events.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The screen as a recording of a terminal, for asciinema and its players.
    #[arg(long, value_name = "FILE")]
    pub cast: Option<PathBuf>,
    /// The board as an animated picture.
    #[arg(long, value_name = "FILE")]
    pub gif: Option<PathBuf>,
    /// The pictures of the board, each as a PNG file in this folder.
    #[arg(long, value_name = "DIR")]
    pub frames: Option<PathBuf>,
    /// Version of the terminal recording's format.
    #[arg(long, value_enum, default_value_t = CastChoice::V2)]
    pub cast_version: CastChoice,
    /// Columns and rows of the terminal recording.
    #[arg(long, value_name = "WxH", default_value = "120x40", value_parser = size)]
    pub size: (u16, u16),
    /// Begin at this game time: 83.5, 1:23.5 or 1:02:03.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub from: Option<f64>,
    /// End at this game time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub to: Option<f64>,
    /// Game seconds a second of the animations.
    #[arg(long, default_value_t = 1.0, value_parser = faster)]
    pub speed: f64,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub corrections: CorrectionArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub screen: ScreenArgs,
}

/// Versions of the asciicast format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CastChoice {
    /// Read by every player.
    #[value(name = "2")]
    V2,
    /// Read by asciinema 3 and later.
    #[value(name = "3")]
    V3,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    viewport_of(text)
        .and_then(|(w, h)| Some((u16::try_from(w).ok()?, u16::try_from(h).ok()?)))
        .filter(|(w, h)| (56..=500).contains(w) && (16..=200).contains(h))
        .ok_or_else(|| "a size like 120x40, 56x16 to 500x200".into())
}

fn faster(text: &str) -> Result<f64, String> {
    text.trim_end_matches(['x', '×'])
        .parse::<f64>()
        .ok()
        .filter(|s| (0.1..=1000.0).contains(s))
        .ok_or_else(|| "a number from 0.1 to 1000".into())
}

/// Seconds, with minutes and hours before them.
fn time(text: &str) -> Result<f64, String> {
    let parse = || {
        let mut seconds = 0.0;
        let mut parts = 0;
        for part in text.split(':') {
            let n: f64 = part.parse().ok()?;
            seconds = seconds * 60.0 + (n.is_finite() && n >= 0.0).then_some(n)?;
            parts += 1;
        }
        (parts <= 3).then_some(seconds)
    };
    parse().ok_or_else(|| "a time like 83.5, 1:23.5 or 1:02:03".into())
}
