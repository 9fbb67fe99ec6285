//! The lines of a log.

use super::FORMAT;
use crate::model::{Record, Stamp};
use crate::report::Facts;
use serde::{Deserialize, Serialize};

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The format's number.
    #[serde(rename = "tetrascope_recording")]
    pub format: u32,
    /// Version of the program that wrote it.
    #[serde(default)]
    pub tool: String,
    /// What was watched, as the user named it.
    #[serde(default)]
    pub target: String,
    /// Wall time since 1970 at which it began, in seconds.
    #[serde(default)]
    pub began_unix: u64,
}

impl Header {
    /// The first line of a recording of this target.
    pub fn new(target: &str) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self {
            format: FORMAT,
            tool: env!("CARGO_PKG_VERSION").into(),
            target: target.into(),
            began_unix: now.map_or(0, |t| t.as_secs()),
        }
    }
}

/// Something the operator did that is no record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The last record before it.
    pub stamp: Stamp,
    /// In words.
    pub text: String,
}

/// Any line but the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// What came in.
    Record(Record),
    /// What the report needs beside the records, as it is from here on.
    Facts(Facts),
    /// What the operator did.
    Said(Said),
    /// The run was recorded to its end.
    End,
}

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// One of ours.
    Line(Box<Line>),
    /// Well-formed, but nothing this program knows: from a later version.
    Unknown,
    /// No line of a log at all.
    Damaged,
}

impl Line {
    /// With the line's end. `None` for what has no form in text, an angle that is not a number for instance.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self).ok()?;
        bytes.push(b'\n');
        Some(bytes)
    }

    /// From bytes, with or without the line's end.
    pub fn parse(bytes: &[u8]) -> Parsed {
        if let Ok(line) = serde_json::from_slice(bytes) {
            return Parsed::Line(Box::new(line));
        }
        match serde_json::from_slice::<serde_json::Value>(bytes) {
            Ok(serde_json::Value::Object(_) | serde_json::Value::String(_)) => Parsed::Unknown,
            _ => Parsed::Damaged,
        }
    }
}
