//! A recording as it is read: as far as it goes, with what was wrong with it.

use super::line::{Header, Line, Parsed, Said};
use super::pictures::Pictures;
use super::{FORMAT, LOG, RecordingError};
use crate::model::{Board, Frame, Phase, Record, RecordBody};
use crate::report::Facts;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A larger board is none; it would only take the memory.
const LARGEST_BOARD: u16 = 400;
/// Likewise pixels a cell.
const LARGEST_SAMPLES: u16 = 64;
/// Likewise pixels of a side of a picture from beside the board, which has no cells.
const LARGEST_ASIDE: u32 = 8_192;

/// What was wrong with a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Troubles {
    /// The format, where it is another than this program's.
    pub format: Option<u32>,
    /// It was not recorded to its end.
    pub unfinished: bool,
    /// The last line was written half.
    pub torn: bool,
    /// Lines that are no lines of a log, or say what cannot be.
    pub damaged: u64,
    /// Lines of kinds this program does not know.
    pub unknown: u64,
    /// Pictures that are gone. Known only after all were asked for.
    pub missing: u64,
}

impl fmt::Display for Troubles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(format) = self.format {
            let age = if format > FORMAT { "later" } else { "earlier" };
            parts.push(format!("it is of {age} format {format}"));
        }
        if self.torn {
            parts.push("its last line is torn".into());
        }
        if self.unfinished {
            parts.push("it was not recorded to its end".into());
        }
        for (n, one, many) in [
            (self.damaged, "line is damaged", "lines are damaged"),
            (
                self.unknown,
                "line is of a kind this program does not know",
                "lines are of kinds this program does not know",
            ),
            (self.missing, "picture is missing", "pictures are missing"),
        ] {
            match n {
                0 => {}
                1 => parts.push(format!("1 {one}")),
                n => parts.push(format!("{n} {many}")),
            }
        }
        f.write_str(&parts.join(", "))
    }
}

impl Troubles {
    /// Is anything wrong?
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// A recording.
#[derive(Debug, Clone)]
pub struct Recording {
    dir: PathBuf,
    /// Its first line.
    pub header: Header,
    records: Vec<Record>,
    facts: Facts,
    said: Vec<Said>,
    troubles: Troubles,
}

impl Recording {
    /// Reads the recording in a folder (or whose log this is).
    ///
    /// # Errors
    /// Where there is none. One that is damaged is read as far as it goes; see [`Recording::troubles`].
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let dir = if path.file_name().is_some_and(|n| n == LOG) {
            path.parent().unwrap_or(Path::new("."))
        } else {
            path
        };
        let log = dir.join(LOG);
        let bytes = fs::read(&log).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                RecordingError::NotThere(path.to_owned())
            }
            _ => RecordingError::Read {
                path: log.clone(),
                source,
            },
        })?;
        Self::parse(dir, &bytes).map_err(|why| RecordingError::NoHeader { path: log, why })
    }

    /// Reads a log whose pictures are in `dir`. An error says what stands where the first line should be.
    pub fn parse(dir: &Path, bytes: &[u8]) -> Result<Self, String> {
        let mut lines = bytes.split_inclusive(|b| *b == b'\n');
        let first = lines.next().ok_or("it is empty")?;
        let header: Header =
            serde_json::from_slice(first).map_err(|e| format!("its first line is none: {e}"))?;
        let mut troubles = Troubles {
            format: (header.format != FORMAT).then_some(header.format),
            unfinished: true,
            ..Troubles::default()
        };
        let mut facts = None;
        let mut records: Vec<Record> = Vec::new();
        let mut said = Vec::new();
        for line in lines {
            let whole = line.ends_with(b"\n");
            match Line::parse(line) {
                Parsed::Line(line) => match *line {
                    Line::Record(record) if can_be(&record, records.last()) => records.push(record),
                    Line::Record(_) => troubles.damaged += 1,
                    Line::Facts(f) => facts = Some(f),
                    Line::Said(s) => said.push(s),
                    Line::End => troubles.unfinished = false,
                },
                Parsed::Unknown => troubles.unknown += 1,
                Parsed::Damaged if !whole => troubles.torn = true,
                Parsed::Damaged if line.trim_ascii().is_empty() => {}
                Parsed::Damaged => troubles.damaged += 1,
            }
        }
        let mut facts = facts.unwrap_or_else(|| Facts {
            target: header.target.clone(),
            ..Facts::default()
        });
        if troubles.unfinished {
            // Nobody was left to say these.
            let last = records.last().map_or(0, |r| r.stamp.wall_us);
            facts.wall_seconds = last as f64 / 1e6;
            facts.could_not_judge = Some(match last_phase(&records) {
                Some(phase) => format!("the recording breaks off in phase {}", phase.number()),
                None => "the recording breaks off before the first phase".into(),
            });
        }
        Ok(Self {
            dir: dir.to_owned(),
            header,
            records,
            facts,
            said,
            troubles,
        })
    }

    /// The folder it is in.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The records as they stand in the log: pictures by their names alone. See [`Records`].
    pub fn log(&self) -> &[Record] {
        &self.records
    }

    /// What the report needs beside the records.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What the operator did that is no record.
    pub fn said(&self) -> &[Said] {
        &self.said
    }

    /// What is wrong with it, as far as the log tells.
    pub fn troubles(&self) -> &Troubles {
        &self.troubles
    }

    /// The records, in order, with their pixels.
    pub fn records(&self) -> Records<'_> {
        Records {
            log: self.records.iter(),
            pictures: Pictures::of(&self.dir),
        }
    }
}

/// The records of a recording, each with its pixels.
#[derive(Debug)]
pub struct Records<'a> {
    log: std::slice::Iter<'a, Record>,
    pictures: Pictures,
}

impl Records<'_> {
    /// Pictures that were missing so far.
    pub fn missing(&self) -> u64 {
        self.pictures.missing()
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let mut record = self.log.next()?.clone();
        self.pictures.fetch(&mut record);
        Some(record)
    }
}

fn last_phase(records: &[Record]) -> Option<Phase> {
    records.iter().rev().find_map(|r| match r.body {
        RecordBody::Phase(phase) => Some(phase),
        _ => None,
    })
}

/// Could this be a record of a run, after that one?
fn can_be(record: &Record, before: Option<&Record>) -> bool {
    before.is_none_or(|b| b.stamp.seq < record.stamp.seq)
        && match &record.body {
            RecordBody::Board {
                board, background, ..
            } => board_can_be(board) && background.as_deref().is_none_or(frame_can_be),
            RecordBody::Frame(frame) => frame_can_be(frame),
            RecordBody::Aside { picture, .. } => {
                let name = picture.raster.name();
                picture.samples > 0 && name.width.max(name.height) <= LARGEST_ASIDE
            }
            _ => true,
        }
}

fn board_can_be(board: &Board) -> bool {
    let side = 1..=LARGEST_BOARD;
    let size = |s: f64| s.is_finite() && s > 0.0;
    side.contains(&board.columns)
        && side.contains(&board.rows)
        && size(board.cell_width)
        && size(board.cell_height)
}

fn frame_can_be(frame: &Frame) -> bool {
    let name = frame.raster.name();
    let samples = u32::from(frame.samples);
    (1..=u32::from(LARGEST_SAMPLES)).contains(&samples)
        && name.width.is_multiple_of(samples)
        && name.height.is_multiple_of(samples)
        && name.width / samples <= u32::from(LARGEST_BOARD)
        && name.height / samples <= u32::from(LARGEST_BOARD)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn lines_left_out(body: &str) -> u64 {
        let log = format!(
            "{{\"tetrascope_recording\":2}}\n\
             {{\"record\":{{\"stamp\":{{\"seq\":1,\"game_us\":0,\"wall_us\":0}},\"body\":{body}}}}}\n"
        );
        let read = Recording::parse(Path::new("."), log.as_bytes()).unwrap();
        assert_eq!(
            read.log().len() as u64 + read.troubles().damaged,
            1,
            "{read:?}"
        );
        read.troubles().damaged
    }

    #[test]
    fn what_stands_beside_a_board_may_be_larger_than_a_board_has_cells() {
        let frame = |width, samples| {
            let hash = "9d5f74b7f46b5620aa3cfdac54f490df";
            format!(
                "{{\"raster\":\"{width}x764-{hash}\",\"samples\":{samples},\
                 \"rect\":{{\"x\":0.0,\"y\":0.0,\"width\":388.0,\"height\":764.0}}}}"
            )
        };
        let aside = |width| {
            format!(
                "{{\"aside\":{{\"place\":0,\"picture\":{}}}}}",
                frame(width, 1)
            )
        };
        assert_eq!(lines_left_out(&aside(388)), 0);
        assert_eq!(lines_left_out(&aside(1_000_000)), 1);
        assert_eq!(
            lines_left_out(&format!("{{\"frame\":{}}}", frame(388, 1))),
            1
        );
        assert_eq!(
            lines_left_out(&format!("{{\"frame\":{}}}", frame(388, 4))),
            0
        );
    }
}
