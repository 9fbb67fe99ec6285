//! What the screen remembers between two keys: focus, selections, scrolling, what lies on top.
//!
//! Comes in: nothing by itself; [`super::update`] changes it. Goes out: what [`super::draw`] needs beside the snapshot.
//! Must never know: a terminal, a clock, a channel.

use super::desk::Desk;
use super::graphics::Painter;
use super::wheel::Wheel;
use super::{Graphics, Keymap, Look};
use crate::checks::CheckView;
use crate::model::{Action, Phase};
use crate::session::{LogKind, LogLine, Snapshot};
use tui_input::Input as Field;
use tui_logger::TuiWidgetState;

/// The kinds of events in the order of their keys 1 to 5.
pub(super) const KINDS: [(LogKind, &str); 5] = [
    (LogKind::Game, "game"),
    (LogKind::Bot, "bot"),
    (LogKind::Page, "page"),
    (LogKind::Verdict, "verdict"),
    (LogKind::Operator, "operator"),
];

/// A part of the screen that can have the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Pane {
    #[default]
    Checks,
    Events,
    Log,
    Controls,
    Numbers,
    Phases,
    Board,
}

/// The order in which Tab goes.
pub(super) const PANES: [Pane; 7] = [
    Pane::Checks,
    Pane::Events,
    Pane::Log,
    Pane::Controls,
    Pane::Numbers,
    Pane::Phases,
    Pane::Board,
];

/// What lies over the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlay {
    Help {
        top: usize,
    },
    /// The controls; `listening` while the next key becomes the key of the selected action.
    Controls {
        listening: bool,
    },
    /// The next key is tried on the page.
    TryKey,
    Phases,
    /// The board screen; it takes all of the screen.
    Board,
    /// A check, by its name.
    Check {
        name: &'static str,
        top: usize,
    },
    Quit,
}

/// The event log as it is looked at. Lines are counted from the first line of the session, dropped ones too.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The topmost line shown; `None` follows the bottom.
    pub top: Option<u64>,
    /// Kinds that are not shown.
    pub hidden: [bool; KINDS.len()],
    /// What is searched for; empty for nothing.
    pub query: String,
    /// The line that was found last.
    pub found: Option<u64>,
    /// While a search is typed.
    pub field: Option<Field>,
}

impl Events {
    pub fn shows(&self, line: &LogLine) -> bool {
        KINDS
            .iter()
            .zip(self.hidden)
            .all(|((kind, _), hidden)| !hidden || *kind != line.kind)
    }

    /// Indices in the log of the lines that are shown.
    pub fn shown(&self, snapshot: &Snapshot) -> Vec<usize> {
        let log = snapshot.log.iter().enumerate();
        log.filter(|(_, l)| self.shows(l)).map(|(i, _)| i).collect()
    }

    /// Position among `shown` of the first line in a window of `height` lines.
    pub fn first(&self, snapshot: &Snapshot, shown: &[usize], height: usize) -> usize {
        let last = shown.len().saturating_sub(height);
        match self.top {
            None => last,
            Some(top) => shown
                .partition_point(|&i| snapshot.log_dropped + (i as u64) < top)
                .min(last),
        }
    }

    pub fn matches(&self, line: &LogLine) -> bool {
        !self.query.is_empty()
            && line
                .text
                .to_lowercase()
                .contains(&self.query.to_lowercase())
    }
}

/// A row of the checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    Heading(Option<Phase>),
    Check(usize),
}

/// The rows of the checklist: with a heading a phase where everything fits into `height` rows.
pub(super) fn check_rows(checks: &[CheckView], height: usize) -> Vec<Row> {
    let mut rows = Vec::with_capacity(checks.len() + 9);
    let mut last = None;
    for (i, check) in checks.iter().enumerate() {
        if last != Some(check.phase) {
            rows.push(Row::Heading(check.phase));
            last = Some(check.phase);
        }
        rows.push(Row::Check(i));
    }
    if rows.len() > height {
        rows.retain(|r| matches!(r, Row::Check(_)));
    }
    rows
}

/// Everything a screen remembers. Made with [`Screen::new`], changed by [`Screen::update`], shown by [`super::draw`].
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Screen {
    pub(super) look: Look,
    pub(super) keys: Keymap,
    pub(super) size: (u16, u16),
    pub(super) focus: Pane,
    pub(super) overlay: Option<Overlay>,
    /// The selected check, counted in the snapshot's order, and the first row shown; `None` follows the phase.
    pub(super) check: usize,
    pub(super) checks_top: Option<usize>,
    /// Is a check selected? Not before the operator does.
    pub(super) chosen: bool,
    pub(super) control: usize,
    pub(super) phase: usize,
    pub(super) numbers_top: usize,
    /// Columns and rows the board is scrolled to by hand; `None` follows the piece.
    pub(super) board_at: Option<(u16, u16)>,
    pub(super) desk: Desk,
    pub(super) painter: Painter,
    pub(super) events: Events,
    pub(super) log: TuiWidgetState,
    pub(super) log_open: bool,
    /// Do keys go to the page?
    pub(super) driving: bool,
    /// Has the session said that it drives, since we asked?
    pub(super) drive_acknowledged: bool,
    pub(super) wheel: Wheel,
    pub(super) mouse: bool,
    /// The speed that was asked for and is not shown yet.
    pub(super) speed: Option<f64>,
    /// While a time to go to is typed.
    pub(super) time: Option<Field>,
    /// A line for the operator until the next key.
    pub(super) notice: Option<String>,
}

impl Screen {
    /// A screen of a size in columns and rows.
    pub fn new(look: Look, size: (u16, u16)) -> Self {
        Self {
            look,
            size,
            mouse: true,
            ..Self::default()
        }
    }

    /// Says that the terminal reports releases of keys (the kitty keyboard protocol).
    #[must_use]
    pub fn with_releases(mut self, releases: bool) -> Self {
        self.wheel.releases = releases;
        self
    }

    /// With other keys than the usual ones.
    #[must_use]
    pub fn with_keys(mut self, keys: Keymap) -> Self {
        self.keys = keys;
        self
    }

    /// Shows pictures this way, on a terminal whose cells have so many pixels, as far as that is known.
    #[must_use]
    pub fn with_graphics(mut self, graphics: Graphics, cell: Option<(u16, u16)>) -> Self {
        self.painter = Painter::new(graphics, cell);
        self
    }

    /// Says whether the mouse is captured.
    #[must_use]
    pub fn with_mouse(mut self, mouse: bool) -> Self {
        self.mouse = mouse;
        self
    }

    /// Is the pane of the program's own log open?
    pub fn shows_log(&self) -> bool {
        self.log_open
    }

    pub(super) fn action(&self) -> Action {
        Action::ALL[self.control.min(Action::ALL.len() - 1)]
    }

    /// The first check in view.
    pub(super) fn first_check(&self, snapshot: &Snapshot, rows: &[Row], height: usize) -> usize {
        let first = self.checks_first(snapshot, rows, height);
        let check = |r: &Row| {
            if let Row::Check(i) = r {
                Some(*i)
            } else {
                None
            }
        };
        rows[first.min(rows.len())..]
            .iter()
            .find_map(check)
            .unwrap_or(0)
    }

    /// The first row of the checklist that is shown, of `rows` in a window of `height`.
    pub(super) fn checks_first(&self, snapshot: &Snapshot, rows: &[Row], height: usize) -> usize {
        let last = rows.len().saturating_sub(height);
        let top = self.checks_top.unwrap_or_else(|| {
            let of_phase = |r: &Row| match r {
                Row::Heading(p) => snapshot.phase.is_some() && *p == snapshot.phase,
                Row::Check(i) => snapshot
                    .checks
                    .get(*i)
                    .is_some_and(|c| c.phase.is_some() && c.phase == snapshot.phase),
            };
            rows.iter().position(of_phase).unwrap_or(0)
        });
        top.min(last)
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen")
            .field("size", &self.size)
            .field("focus", &self.focus)
            .field("overlay", &self.overlay)
            .field("driving", &self.driving)
            .finish_non_exhaustive()
    }
}
