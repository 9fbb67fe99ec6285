//! The event log in words, and how the page is, from the records as they come.

use super::{LogKind, LogLine, PageHealth};
use crate::driver::Fresh;
use crate::model::{By, GridEvent, PageSignal, RecordBody, Side, Stamp};
use std::collections::VecDeque;
use std::sync::Arc;

/// Lines kept; older ones are counted.
const KEPT: usize = 2_000;
/// Characters of a page's text that are shown.
const TEXT_SHOWN: usize = 160;

/// The log as it grows.
#[derive(Debug, Default)]
pub struct Log {
    lines: VecDeque<LogLine>,
    dropped: u64,
    shared: Option<Arc<Vec<LogLine>>>,
    /// How the page is.
    pub health: PageHealth,
    /// Are keys that go down the operator's?
    pub driving: bool,
}

/// Untrusted text made harmless: no control or direction-changing characters, one line, of bounded length.
pub fn harmless(text: &str) -> String {
    let mut out: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| {
            !c.is_control()
                && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        })
        .take(TEXT_SHOWN + 1)
        .collect();
    if out.chars().count() > TEXT_SHOWN {
        out = out.chars().take(TEXT_SHOWN - 1).collect();
        out.push('…');
    }
    out
}

impl Log {
    /// Takes a record in.
    pub fn add(&mut self, fresh: &Fresh) {
        for line in self.lines_of(fresh) {
            self.keep(line);
        }
    }

    /// The lines that a record adds; they are not kept.
    pub fn lines_of(&mut self, fresh: &Fresh) -> Vec<LogLine> {
        let line = |(kind, text): (LogKind, String)| LogLine {
            stamp: fresh.record.stamp,
            kind,
            text: harmless(&text),
        };
        let own = self.words(&fresh.record.body);
        let events = fresh.events.iter().filter_map(event_words);
        own.into_iter()
            .chain(events.map(|text| (LogKind::Game, text)))
            .map(line)
            .collect()
    }

    /// Adds a line.
    pub fn push(&mut self, stamp: Stamp, kind: LogKind, text: &str) {
        self.keep(LogLine {
            stamp,
            kind,
            text: harmless(text),
        });
    }

    fn keep(&mut self, line: LogLine) {
        if self.lines.len() >= KEPT {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(line);
        self.shared = None;
    }

    /// Lines pushed out so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// All lines kept, oldest first.
    pub fn lines(&mut self) -> Arc<Vec<LogLine>> {
        self.shared
            .get_or_insert_with(|| Arc::new(self.lines.iter().cloned().collect()))
            .clone()
    }

    fn words(&mut self, body: &RecordBody) -> Option<(LogKind, String)> {
        Some(match body {
            RecordBody::KeyDown(key) if self.driving => (LogKind::Operator, format!("press {key}")),
            RecordBody::KeyDown(key) => (LogKind::Bot, format!("press {key}")),
            RecordBody::Click(x, y) => (LogKind::Bot, format!("click {x:.0},{y:.0}")),
            RecordBody::Opened(url) => (LogKind::Page, format!("opened {url}")),
            RecordBody::Signal(signal) => (LogKind::Page, self.signal(signal)?),
            RecordBody::Board {
                board,
                by,
                background,
            } => {
                if background.is_none() && *by == By::Discovery {
                    return None;
                }
                let kind = if *by == By::Operator {
                    LogKind::Operator
                } else {
                    LogKind::Bot
                };
                (
                    kind,
                    format!(
                        "board {}×{} at {:.0},{:.0}, cells {:.1}×{:.1} px: {}",
                        board.columns,
                        board.rows,
                        board.x,
                        board.y,
                        board.cell_width,
                        board.cell_height,
                        board.why
                    ),
                )
            }
            RecordBody::Hints(hints) => {
                let words = hints.words();
                let said = if words.is_empty() {
                    "the page is read as it was found out".into()
                } else {
                    words.join("; ")
                };
                (LogKind::Operator, said)
            }
            RecordBody::Controls(map, by) => {
                let keys: Vec<String> = map
                    .iter()
                    .filter_map(|(a, m)| Some(format!("{} {}", a.name(), m.key.as_ref()?)))
                    .collect();
                let kind = if *by == By::Operator {
                    LogKind::Operator
                } else {
                    LogKind::Bot
                };
                (kind, format!("controls: {}", keys.join(", ")))
            }
            RecordBody::Phase(phase) => (
                LogKind::Bot,
                format!("phase {} {}", phase.number(), phase.title()),
            ),
            RecordBody::Note(text) => (LogKind::Bot, text.clone()),
            RecordBody::Scrolled(_, y) => (LogKind::Page, format!("the page scrolled to {y:.0}")),
            _ => return None,
        })
    }

    fn signal(&mut self, signal: &PageSignal) -> Option<String> {
        let text = match signal {
            PageSignal::Loaded { .. } => return None,
            PageSignal::Dialog { kind, text } => {
                self.health.dialogs += 1;
                format!("{kind} dialog: {text}")
            }
            PageSignal::UncaughtError { text } => {
                self.health.errors += 1;
                format!("uncaught: {text}")
            }
            PageSignal::ConsoleError { text } => format!("console: {text}"),
            PageSignal::Crashed => "the page crashed".into(),
            PageSignal::Unresponsive { what } => format!("no answer: {what}"),
            PageSignal::NavigationRefused { url } => format!("not let go to {url}"),
            PageSignal::RequestRefused { url, count } => {
                self.health.refused += 1;
                format!("refused (to this host: {count}) {url}")
            }
            PageSignal::ScriptRefused { url } => {
                format!("refused a script, or what one asked for: {url}")
            }
            PageSignal::ScriptMissing { url, what } => format!("no script came: {url} ({what})"),
            PageSignal::StyleRefused { url } => format!("refused a style sheet: {url}"),
            PageSignal::PartWithheld { path, root } => {
                format!("not served: {path} lies above the page; --root {root} serves it")
            }
            PageSignal::PopupClosed { url } => format!("closed a window {url}"),
            PageSignal::DownloadRefused { url } => format!("refused a download {url}"),
            PageSignal::BrowserGone => "the browser is gone".into(),
        };
        self.health.last = harmless(&text);
        Some(text)
    }
}

pub(super) fn event_words(event: &GridEvent) -> Option<String> {
    let name = |k: &Option<crate::model::PieceKind>| k.map_or('?', crate::model::PieceKind::letter);
    Some(match event {
        GridEvent::PieceSpawned { kind, .. } => format!("spawned {}", name(kind)),
        GridEvent::PieceMoved { side, by } => {
            let way = match side {
                Side::Left => "left",
                Side::Right => "right",
                // Gravity would fill the log with what the board shows anyway.
                Side::Down => return None,
            };
            format!("moved {way} {by}")
        }
        GridEvent::PieceRotated { from, to } => format!("turned {from}→{to}"),
        GridEvent::PieceDeformed { cells } => format!("deformed to {} cells", cells.len()),
        GridEvent::HardDrop { rows } => format!("dropped {rows} rows"),
        GridEvent::PieceLocked {
            kind,
            cells,
            filled_delta,
        } => format!(
            "locked {} x{} ({filled_delta:+} cells)",
            name(kind),
            cells.iter().map(|c| c.0).min().unwrap_or(0)
        ),
        GridEvent::LineCleared { count, rows } => format!("cleared {count} (rows {rows:?})"),
        GridEvent::StackChanged { appeared, vanished } => {
            format!("stack changed: +{appeared} −{vanished}")
        }
        GridEvent::Afterimage { cells } => {
            format!("{} cells still drawn where the piece was", cells.len())
        }
        GridEvent::BoardCleared => "board emptied".into(),
        GridEvent::GameOver => "game over".into(),
        GridEvent::GridReadFailed { why } => format!("could not read: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_and_direction_overrides_of_a_page_are_taken_out() {
        assert_eq!(harmless("a\u{1b}[31mred\u{7}\nb\u{202e}c"), "a[31mred bc");
        assert_eq!(harmless(&"x".repeat(999)).chars().count(), TEXT_SHOWN);
    }
}
