//! A recording as it is written: by a thread of its own, which may lag behind but loses no line.

use super::line::{Header, Line, Parsed, Said};
use super::pictures::Album;
use super::preamble::Preamble;
use super::{FRAMES, LOG, RecordingError};
use crate::driver::Sink;
use crate::model::{PictureName, Raster, Record, RecordBody, Stamp};
use crate::report::Facts;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes of pixels that may wait for the disk; while there are more, new pictures are skipped at the door.
const ROOM: usize = 48 << 20;
/// Bytes of lines that may wait for the disk. A disk that is behind by more does not answer; recording stops.
const LINES: usize = 64 << 20;
/// What is written reaches the system at least this often: a killed program loses no more.
const FLUSH: Duration = Duration::from_millis(250);

/// How the recording stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordingState {
    /// Is it being written?
    pub on: bool,
    /// The folder of the present or last one.
    pub dir: Option<PathBuf>,
    /// Why it stopped by itself.
    pub fault: Option<String>,
    /// Bytes written.
    pub bytes: u64,
}

enum Message {
    Line(Vec<u8>),
    Picture(PictureName, Raster),
}

/// What the writing thread and its feeder share.
#[derive(Debug, Default)]
struct Backlog {
    pixels: AtomicUsize,
    lines: AtomicUsize,
    bytes: AtomicU64,
    fault: Mutex<Option<String>>,
}

impl Backlog {
    fn fault(&self) -> MutexGuard<'_, Option<String>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Writer {
    dir: PathBuf,
    to: Sender<Message>,
    backlog: Arc<Backlog>,
    known: HashSet<PictureName>,
    facts: Option<Facts>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Inner {
    preamble: Preamble,
    writer: Option<Writer>,
    last: RecordingState,
}

/// Where records go on their way into the evidence; writes them down while recording is on.
pub struct Recorder {
    target: String,
    place: Option<PathBuf>,
    inner: Mutex<Inner>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder")
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl Recorder {
    /// A recorder that does not record yet. Recordings that are given no folder go to one of their own in `place`.
    pub fn new(target: impl Into<String>, place: Option<PathBuf>) -> Self {
        Self {
            target: target.into(),
            place,
            inner: Mutex::default(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it stands.
    pub fn state(&self) -> RecordingState {
        self.inner().state()
    }

    /// Begins a recording, in `dir` or a folder of its own; where a recording is already, the new one goes beside it.
    /// Gives the folder back.
    ///
    /// # Errors
    /// Where nothing can be written there.
    pub fn start(&self, dir: Option<&Path>) -> Result<PathBuf, RecordingError> {
        let wanted = match (dir, &self.place) {
            (Some(dir), _) => dir.to_owned(),
            (None, Some(place)) => place.join(slug(&self.target)),
            (None, None) => {
                let source = io::Error::new(io::ErrorKind::NotFound, "no folder was named");
                return Err(RecordingError::Write {
                    path: PathBuf::from("."),
                    source,
                });
            }
        };
        let mut inner = self.inner();
        if let Some(writer) = &inner.writer {
            return Ok(writer.dir.clone());
        }
        let mut writer = Writer::start(&wanted, &self.target)?;
        for record in inner.preamble.records() {
            writer.take(record.clone());
        }
        let dir = writer.dir.clone();
        inner.last = RecordingState::default();
        inner.writer = Some(writer);
        Ok(dir)
    }

    /// What the report needs beside the records; written when it has changed.
    pub fn facts(&self, facts: &Facts) {
        if let Some(writer) = &mut self.inner().writer {
            writer.facts(facts);
        }
    }

    /// What the operator did.
    pub fn said(&self, stamp: Stamp, text: &str) {
        if let Some(writer) = &mut self.inner().writer {
            let text = text.to_owned();
            writer.line(&Line::Said(Said { stamp, text }));
        }
    }

    /// Ends the recording and waits until all of it is on the disk. What comes back are the facts as they will be read.
    pub fn finish(&self, facts: Facts) -> Facts {
        let writer = {
            let mut inner = self.inner();
            let Some(writer) = inner.writer.take() else {
                return facts;
            };
            inner.last = writer.state(false);
            writer
        };
        let backlog = writer.backlog.clone();
        let facts = writer.finish(facts);
        let mut inner = self.inner();
        inner.last.fault.clone_from(&backlog.fault());
        inner.last.bytes = backlog.bytes.load(Ordering::Relaxed);
        facts
    }
}

impl Inner {
    fn state(&self) -> RecordingState {
        self.writer
            .as_ref()
            .map_or_else(|| self.last.clone(), |w| w.state(true))
    }
}

impl Sink for Recorder {
    fn take(&self, record: Record) -> Record {
        let mut inner = self.inner();
        let record = match &mut inner.writer {
            Some(writer) => writer.take(record),
            None => record,
        };
        inner.preamble.see(&record);
        if let Some(writer) = inner.writer.take_if(|w| w.backlog.fault().is_some()) {
            // The run is worth more than its recording; what was written can be read.
            inner.last = writer.state(false);
            if let Some(fault) = &inner.last.fault {
                tracing::warn!(fault, "recording stopped");
            }
        }
        record
    }

    fn has_room(&self) -> bool {
        self.inner().writer.as_ref().is_none_or(|w| {
            w.backlog.pixels.load(Ordering::Relaxed) < ROOM || w.backlog.fault().is_some()
        })
    }
}

impl Writer {
    fn start(wanted: &Path, target: &str) -> Result<Self, RecordingError> {
        let dir = own_folder(wanted)?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| RecordingError::Write { path, source }
        };
        let frames = dir.join(FRAMES);
        fs::create_dir(&frames).map_err(failed(&frames))?;
        let log = dir.join(LOG);
        let mut out = File::create_new(&log).map_err(failed(&log))?;
        let mut first = serde_json::to_vec(&Header::new(target))
            .map_err(io::Error::other)
            .map_err(failed(&log))?;
        first.push(b'\n');
        out.write_all(&first).map_err(failed(&log))?;
        let (to, from) = channel();
        let backlog = Arc::new(Backlog::default());
        let (into, shared) = (dir.clone(), backlog.clone());
        let thread = std::thread::Builder::new()
            .name("recording".into())
            .spawn(move || {
                if let Err(error) = write_all(&into, BufWriter::new(out), &from, &shared) {
                    *shared.fault() = Some(error.to_string());
                }
            })
            .map_err(failed(&dir))?;
        Ok(Self {
            dir,
            to,
            backlog,
            known: HashSet::new(),
            facts: None,
            thread,
        })
    }

    fn state(&self, on: bool) -> RecordingState {
        RecordingState {
            on,
            dir: Some(self.dir.clone()),
            fault: self.backlog.fault().clone(),
            bytes: self.backlog.bytes.load(Ordering::Relaxed),
        }
    }

    /// Writes a record down and gives back what its reader will get.
    fn take(&mut self, record: Record) -> Record {
        let stamp = record.stamp;
        let picture = record.body.frame().map(|f| f.raster.clone());
        let line = Line::Record(record);
        if let Some((bytes, Line::Record(mut back))) = as_read(&line) {
            if let (Some(frame), Some(picture)) = (back.body.frame_mut(), picture) {
                let name = frame.raster.name();
                let mut whole = frame.as_ref().clone();
                whole.raster = picture.clone();
                *frame = Arc::new(whole);
                self.picture(name, picture);
            }
            self.send(bytes);
            return back;
        }
        // Live and replayed must see the same: what cannot be written is told instead, in both.
        let note = Record {
            stamp,
            body: RecordBody::Note("something came in that has no form in text".into()),
        };
        self.line(&Line::Record(note.clone()));
        note
    }

    fn picture(&mut self, name: PictureName, picture: Raster) {
        if self.known.insert(name) {
            self.backlog
                .pixels
                .fetch_add(picture.rgb().len(), Ordering::Relaxed);
            let _ = self.to.send(Message::Picture(name, picture));
        }
    }

    fn facts(&mut self, facts: &Facts) {
        // The time that has passed is no news.
        let wall = |f: &Facts| Facts {
            wall_seconds: 0.0,
            ..f.clone()
        };
        if self.facts.as_ref().map(wall) != Some(wall(facts)) {
            self.facts = Some(facts.clone());
            self.line(&Line::Facts(facts.clone()));
        }
    }

    fn line(&mut self, line: &Line) {
        if let Some(bytes) = line.to_bytes() {
            self.send(bytes);
        }
    }

    fn send(&mut self, bytes: Vec<u8>) {
        let waiting = self.backlog.lines.fetch_add(bytes.len(), Ordering::Relaxed);
        if waiting > LINES {
            let fault = "the disk is too slow".to_string();
            self.backlog.fault().get_or_insert(fault);
        }
        // A thread that has ended has said why.
        let _ = self.to.send(Message::Line(bytes));
    }

    fn finish(mut self, facts: Facts) -> Facts {
        let facts = match as_read(&Line::Facts(facts.clone())) {
            Some((bytes, Line::Facts(back))) => {
                self.send(bytes);
                back
            }
            _ => facts,
        };
        self.line(&Line::End);
        drop(self.to);
        if self.thread.join().is_err() {
            self.backlog
                .fault()
                .get_or_insert("the writing thread failed".into());
        }
        facts
    }
}

/// A line as text, and as it comes back from it.
fn as_read(line: &Line) -> Option<(Vec<u8>, Line)> {
    let bytes = line.to_bytes()?;
    match Line::parse(&bytes) {
        Parsed::Line(back) => Some((bytes, *back)),
        Parsed::Unknown | Parsed::Damaged => None,
    }
}

/// The writing thread.
fn write_all(
    dir: &Path,
    mut out: BufWriter<File>,
    from: &Receiver<Message>,
    backlog: &Backlog,
) -> io::Result<()> {
    let mut flushed = Instant::now();
    let mut album = Album::of(dir);
    loop {
        match from.recv_timeout(FLUSH) {
            Ok(Message::Line(bytes)) => {
                out.write_all(&bytes)?;
                backlog.lines.fetch_sub(bytes.len(), Ordering::Relaxed);
                backlog
                    .bytes
                    .fetch_add(bytes.len() as u64, Ordering::Relaxed);
            }
            Ok(Message::Picture(name, picture)) => {
                let bytes = album.write(name, &picture)?;
                backlog
                    .pixels
                    .fetch_sub(picture.rgb().len(), Ordering::Relaxed);
                backlog.bytes.fetch_add(bytes, Ordering::Relaxed);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return out.flush(),
        }
        if flushed.elapsed() >= FLUSH {
            out.flush()?;
            flushed = Instant::now();
        }
    }
}

/// Makes a folder that holds nothing yet: the wanted one, or one beside it with a number.
pub(in crate::session) fn own_folder(wanted: &Path) -> Result<PathBuf, RecordingError> {
    let failed = |path: &Path, source| RecordingError::Write {
        path: path.to_owned(),
        source,
    };
    if let Some(parent) = wanted.parent() {
        fs::create_dir_all(parent).map_err(|e| {
            let why = if parent.is_file() {
                io::Error::new(io::ErrorKind::NotADirectory, "it is a file")
            } else {
                e
            };
            failed(parent, why)
        })?;
    }
    let is_empty = |dir: &Path| fs::read_dir(dir).is_ok_and(|mut d| d.next().is_none());
    let mut number = 1;
    loop {
        let mut dir = wanted.as_os_str().to_owned();
        if number > 1 {
            dir.push(format!("-{number}"));
        }
        let dir = PathBuf::from(dir);
        match fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && number < 100_000 => {
                if is_empty(&dir) {
                    return Ok(dir);
                }
                number += 1;
            }
            Err(e) => return Err(failed(&dir, e)),
        }
    }
}

/// A name for the recording of a target: its last word, in characters that every file system has.
fn slug(target: &str) -> String {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let mut words = path.rsplit(['/', '\\']).filter(|w| !w.is_empty());
    let last = match words.next() {
        Some("index.html") => words.next(),
        other => other,
    };
    let name: String = last
        .unwrap_or_default()
        .trim_end_matches(".html")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "page" } else { name }.to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_existing_recording_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let wanted = dir.path().join("a/b");
        let first = own_folder(&wanted).unwrap();
        assert_eq!(first, wanted);
        assert_eq!(own_folder(&wanted).unwrap(), wanted, "it is still empty");
        fs::write(wanted.join("x"), "").unwrap();
        assert_eq!(own_folder(&wanted).unwrap(), dir.path().join("a/b-2"));
    }

    #[test]
    fn a_place_that_cannot_be_written_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Recorder::new("x", None)
            .start(Some(&file.join("below")))
            .unwrap_err();
        assert!(error.to_string().contains("it is a file"), "{error}");
    }

    #[test]
    fn targets_become_names_of_folders() {
        for (target, name) in [
            ("games/dom-3/index.html", "dom-3"),
            ("http://127.0.0.1:8000/a%20b.html?x=/y", "a-20b"),
            ("https://x.example/", "x-example"),
            ("", "page"),
        ] {
            assert_eq!(slug(target), name, "{target}");
        }
    }
}
