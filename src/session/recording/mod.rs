//! Recordings: the records of a run in a folder, from which the run can be watched and judged again.
//!
//! Comes in: [`Record`](crate::model::Record)s and what the report needs beside them. Goes out: a folder, and the same
//! records from it. Must never know: a browser, a terminal, what the records mean.
//!
//! ```text
//! log.jsonl     {"tetrascope_recording":2,"tool":"0.1.0","target":"games/dom-3"}
//!               {"record":{"stamp":{"seq":0,"game_us":0,"wall_us":120},"body":{"phase":"load"}}}
//!               {"facts":{…}}                 what the report needs beside the records; the last one counts
//!               {"said":{"stamp":{…},"text":"hold"}}   what the operator did
//!               {"end":null}                  the run was recorded to its end
//! frames/       80x160-0f….png                the pictures that records name, each once: whole,
//!               80x160-3a….diff               or as what differs from one that is
//! ```
//!
//! A line stands in the file after every picture that it names. What was written last may be torn; everything before it
//! can be read. A line of a kind that this program does not know is left out and counted.

mod line;
mod pictures;
mod preamble;
mod read;
mod write;

pub use line::{Header, Said};
pub(in crate::session) use pictures::write as write_picture;
pub use pictures::{Pictures, png};
pub use read::{Recording, Records, Troubles};
pub(in crate::session) use write::own_folder;
pub use write::{Recorder, RecordingState};

use std::path::PathBuf;

/// The format that is written. In the first one every picture stood whole in its file.
pub const FORMAT: u32 = 2;
/// The file with the records.
pub const LOG: &str = "log.jsonl";
/// The folder with the pictures.
pub const FRAMES: &str = "frames";

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// There is nothing of that name.
    #[error("{} holds no recording: there is no {LOG} in it", .0.display())]
    NotThere(PathBuf),
    /// The file is no log, or nothing of it was written.
    #[error("{} is no recording of this program: {why}", .path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
        /// What stands there instead.
        why: String,
    },
    /// It could not be read.
    #[error("{} could not be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It could not be written.
    #[error("{} cannot be recorded to: {source}; name another folder", .path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
