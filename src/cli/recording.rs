//! The arguments that have to do with recordings.

use super::ScreenArgs;
use clap::Args;
use std::path::PathBuf;

/// Whether the run is recorded.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Recording")]
pub struct RecordArgs {
    /// Record the run in this folder; where a recording is already, beside it under a new name.
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Record the run in a folder of its own, in the default place.
    #[arg(short = 'r', conflicts_with = "record")]
    pub record_somewhere: bool,
}

/// `tetrascope replay`
#[derive(Debug, Args)]
pub struct Replay {
    /// The folder of a recording (`--record DIR`).
    pub recording: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub corrections: CorrectionArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub screen: ScreenArgs,
    /// On leaving, write the report to this file.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// `tetrascope judge`
#[derive(Debug, Args)]
pub struct Judge {
    /// The folder of a recording (`--record DIR`).
    pub recording: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub corrections: CorrectionArgs,
    /// Write the report to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// `tetrascope diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// The folder of the first recording.
    pub first: PathBuf,
    /// The folder of the second.
    pub second: PathBuf,
}

/// What was found out wrongly and is put right.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Corrections")]
pub struct CorrectionArgs {
    /// Where the board is in CSS pixels of the page, and how many cells it has.
    #[arg(long, value_name = "X,Y,W,H,COLS,ROWS", value_parser = board)]
    pub board: Option<BoardArg>,
    /// A profile that says it: board, keys, how the page is read. A replay saves one when told to (`w`), in this file or in
    /// `profile.toml` in the recording's folder.
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// A JSON file with the keys: `{"move_left": "ArrowLeft", "hold": null}`; null is no key.
    #[arg(long, value_name = "FILE")]
    pub controls: Option<PathBuf>,
}

/// A board on the command line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardArg {
    /// Left, top, width and height in CSS pixels of the page.
    pub rect: [f64; 4],
    /// Columns and rows.
    pub cells: (u16, u16),
}

fn board(text: &str) -> Result<BoardArg, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let read = || {
        let [x, y, w, h, columns, rows] = parts[..] else {
            return None;
        };
        let mut rect = [0.0; 4];
        for (to, from) in rect.iter_mut().zip([x, y, w, h]) {
            *to = from.parse::<f64>().ok().filter(|n| n.is_finite())?;
        }
        let cells = (columns.parse().ok()?, rows.parse().ok()?);
        let fine = rect[2] > 0.0 && rect[3] > 0.0;
        let sides = [cells.0, cells.1].iter().all(|n| (2..=400).contains(n));
        (fine && sides).then_some(BoardArg { rect, cells })
    };
    read().ok_or_else(|| "six numbers: left, top, width, height, columns (2 to 400), rows".into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn boards_are_six_numbers() {
        let board_ok = board("10.5, 20,200,400,10,20").unwrap();
        assert_eq!(board_ok.cells, (10, 20));
        assert!((board_ok.rect[0] - 10.5).abs() < 1e-9);
        for bad in [
            "",
            "1,2,3,4,5",
            "1,2,0,4,10,20",
            "1,2,3,4,10,20,30",
            "NaN,2,3,4,10,20",
        ] {
            assert!(board(bad).is_err(), "{bad}");
        }
    }
}
