//! The screen as a recording of a terminal: asciicast, versions 2 and 3.
//!
//! Comes in: snapshots with their times. Goes out: the lines of the file. Must never know: where the snapshots are from.

use super::{Look, Screen, draw};
use crate::session::Snapshot;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Which version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastVersion {
    /// Times count from the beginning.
    V2,
    /// Times count from the event before.
    V3,
}

/// What a terminal would have been sent.
#[derive(Debug, Clone, Default)]
struct Wire(Rc<RefCell<Vec<u8>>>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file in the making.
pub struct Cast<W> {
    out: W,
    version: CastVersion,
    terminal: Terminal<CrosstermBackend<Wire>>,
    wire: Wire,
    screen: Screen,
    last: f64,
}

impl<W: Write> std::fmt::Debug for Cast<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cast")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl<W: Write> Cast<W> {
    /// Writes the head of a file for a terminal of this size.
    ///
    /// # Errors
    /// Those of writing.
    pub fn new(
        mut out: W,
        version: CastVersion,
        size: (u16, u16),
        look: Look,
        (title, began_unix): (&str, u64),
    ) -> io::Result<Self> {
        let (width, height) = size;
        let head = match version {
            CastVersion::V2 => serde_json::json!({
                "version": 2, "width": width, "height": height, "timestamp": began_unix, "title": title,
            }),
            CastVersion::V3 => serde_json::json!({
                "version": 3, "term": {"cols": width, "rows": height}, "timestamp": began_unix, "title": title,
            }),
        };
        writeln!(out, "{head}")?;
        let wire = Wire::default();
        let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
        let terminal = Terminal::with_options(
            CrosstermBackend::new(wire.clone()),
            TerminalOptions { viewport },
        )?;
        let mut cast = Self {
            out,
            version,
            terminal,
            wire,
            screen: Screen::new(look, size),
            last: 0.0,
        };
        cast.event(0.0, "\u{1b}[?25l\u{1b}[2J")?;
        Ok(cast)
    }

    /// Shows a snapshot at a time in seconds; nothing is written where nothing changes.
    ///
    /// # Errors
    /// Those of writing.
    pub fn show(&mut self, seconds: f64, snapshot: &Snapshot) -> io::Result<()> {
        let screen = &self.screen;
        self.terminal.draw(|frame| draw(snapshot, screen, frame))?;
        let bytes = std::mem::take(&mut *self.wire.0.borrow_mut());
        let text = String::from_utf8_lossy(&bytes);
        // The cursor is hidden as it is; a picture that changes nothing sends no more than that.
        if text
            .replace("\u{1b}[?25l", "")
            .replace("\u{1b}[39m\u{1b}[49m\u{1b}[59m\u{1b}[0m", "")
            .is_empty()
        {
            return Ok(());
        }
        self.event(seconds, &text)
    }

    fn event(&mut self, seconds: f64, text: &str) -> io::Result<()> {
        let time = match self.version {
            CastVersion::V2 => seconds,
            CastVersion::V3 => seconds - self.last,
        };
        self.last = seconds;
        let time = (time * 1e6).round() / 1e6;
        writeln!(self.out, "{}", serde_json::json!([time, "o", text]))
    }

    /// Ends the file; the cursor is there again.
    ///
    /// # Errors
    /// Those of writing.
    pub fn end(mut self, seconds: f64) -> io::Result<()> {
        self.event(seconds, "\u{1b}[?25h")?;
        self.out.flush()
    }
}
