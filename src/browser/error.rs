//! What can go wrong between us and a browser, each with a text that says what to do where something can be done.
//!
//! Comes in: causes from the process, the socket and the page. Goes out: [`BrowserError`].
//! Must never know: what the page is for.

use std::path::PathBuf;
use std::time::Duration;

/// Why the browser layer could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// No browser was found on this machine.
    #[error(
        "no Chromium or Chrome was found ({looked} places looked at). Install one (`tetrascope doctor --install-browser`, or your system's package `chromium`), or name one with --browser PATH, TETRASCOPE_BROWSER=PATH or --browser-url ws://HOST:PORT/…"
    )]
    NoBrowser {
        /// How many places were looked at; `locate::Places::looked_at` lists them.
        looked: usize,
    },
    /// The browser named by hand or by the environment is not there.
    #[error("{from} names {path}, which is not a program that can be run", path = path.display())]
    NotAProgram {
        /// Who named it: "--browser" or an environment variable.
        from: String,
        /// What it named.
        path: PathBuf,
    },
    /// The browser did not come up.
    #[error("{browser} did not start: {why}", browser = browser.display())]
    Launch {
        /// The program.
        browser: PathBuf,
        /// What it said or how it ended; untrusted, control characters stripped.
        why: String,
        /// Did a signal end it, as a fault of its own does?
        crashed: bool,
    },
    /// A running browser could not be reached.
    #[error("no browser could be reached at {url}: {why}")]
    Connect {
        /// The address given.
        url: String,
        /// The cause.
        why: String,
    },
    /// An answer did not come in time.
    #[error("no answer within {:.1} s: {what}", deadline.as_secs_f64())]
    Timeout {
        /// What was asked.
        what: String,
        /// How long was waited.
        deadline: Duration,
    },
    /// The page's process died.
    #[error("the page's process crashed")]
    Crashed,
    /// The page was closed.
    #[error("the page was closed")]
    PageClosed,
    /// The browser went away: its process ended or its socket closed.
    #[error("the browser went away")]
    BrowserGone,
    /// An address could not be opened.
    #[error("{url} could not be opened: {why}")]
    Navigation {
        /// The address.
        url: String,
        /// The browser's words, or ours.
        why: String,
    },
    /// A script threw, or gave something that is not what was asked for.
    #[error("a script in the page failed: {text}")]
    Script {
        /// The exception; untrusted, control characters stripped.
        text: String,
    },
    /// The document was replaced (a navigation, a reload) while a script ran in it.
    #[error("the document was replaced while a script ran in it")]
    DocumentReplaced,
    /// The browser refused a command.
    #[error("the browser refused {method}: {why}")]
    Protocol {
        /// The command.
        method: String,
        /// The browser's words.
        why: String,
    },
    /// A picture could not be decoded.
    #[error("the browser's picture could not be read: {why}")]
    Picture {
        /// The cause.
        why: String,
    },
    /// A browser could not be installed.
    #[error("no browser could be installed: {why}")]
    Install {
        /// The cause, and what to run by hand where that is known.
        why: String,
    },
    /// A page does not lie in the folder that is to be served with it.
    #[error("{what} is not inside {root}")]
    Outside {
        /// The page.
        what: String,
        /// The folder.
        root: String,
    },
    /// The static server could not be started.
    #[error("{what} could not be served: {why}")]
    Serve {
        /// The folder or file.
        what: String,
        /// The cause.
        why: String,
    },
}

impl BrowserError {
    /// Is the page lost for good, so that only a new page (or browser) helps?
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::Crashed | Self::PageClosed | Self::BrowserGone)
    }
}

/// A result of this layer.
pub type Result<T, E = BrowserError> = std::result::Result<T, E>;

/// `text` without control characters (terminal escapes too) and no longer than `max` characters.
///
/// Line breaks and tabs become spaces; everything else the terminal might act on, bidirectional overrides
/// included, is left out.
pub(super) fn clean(text: &str, max: usize) -> String {
    let mut out = String::new();
    for (n, c) in text
        .chars()
        .filter_map(|c| match c {
            '\n' | '\r' | '\t' => Some(' '),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
            c if c.is_control() => None,
            c => Some(c),
        })
        .enumerate()
    {
        if n == max {
            out.push('…');
            break;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn escapes_are_stripped_and_length_is_bounded() {
        assert_eq!(
            clean("\u{1b}[31mred\u{7}\r\nx\u{9b}2J\u{202e}", 100),
            "[31mred  x2J"
        );
        assert_eq!(clean("abcdef", 3), "abc…");
        assert_eq!(clean("abc", 3), "abc");
    }
}
