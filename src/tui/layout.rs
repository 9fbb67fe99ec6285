//! Where everything goes, for any size.
//!
//! Comes in: the screen's size, the board's size, what is open. Goes out: a rectangle a pane, used for drawing and
//! for finding what the mouse points at. Must never know: what is in the panes.

use super::draw::detail_rows;
use super::screen::{Overlay, Pane, Screen};
use crate::model::Action;
use crate::session::Snapshot;
use ratatui::layout::Rect;

/// The smallest screen that holds a board and a list beside it.
pub(super) const LEAST: (u16, u16) = (56, 16);

/// How a board is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cells {
    /// Two columns times the factor a cell, and as many rows as the factor.
    Whole(u16),
    /// One column a cell, one row a cell.
    Narrow,
    /// One column a cell, two rows of the board in one of the screen.
    Half,
}

impl Cells {
    /// Columns and rows of the screen for a board of so many cells, without its walls.
    pub fn extent(self, columns: u16, rows: u16) -> (u16, u16) {
        match self {
            Self::Whole(k) => (columns.saturating_mul(2 * k), rows.saturating_mul(k)),
            Self::Narrow => (columns, rows),
            Self::Half => (columns, rows.div_ceil(2)),
        }
    }
}

/// The rectangles. An empty one is not shown. A pane's first row is its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub fits: bool,
    pub header: Rect,
    pub status: Rect,
    pub footer: Rect,
    /// Of a replay: one row, or two where there is room.
    pub timeline: Rect,
    pub piece: Rect,
    pub controls: Rect,
    pub numbers: Rect,
    pub phases: Rect,
    pub board: Rect,
    pub cells: Cells,
    pub checks: Rect,
    pub events: Rect,
    pub log: Rect,
    pub overlay: Rect,
}

/// Columns and rows of the board; the norm where there is none yet.
pub(super) fn board_size(snapshot: &Snapshot) -> (u16, u16) {
    let of_grid = snapshot.grid.as_ref().map(|g| (g.columns(), g.rows()));
    let of_board = || snapshot.board.as_ref().map(|b| (b.columns, b.rows));
    match of_grid.or_else(of_board) {
        Some((c, r)) if c > 0 && r > 0 => (c, r),
        _ => (10, 20),
    }
}

impl Layout {
    #[allow(clippy::many_single_char_names)]
    pub fn of(snapshot: &Snapshot, screen: &Screen) -> Self {
        let (w, h) = screen.size;
        let none = Rect::default();
        let mut l = Self {
            fits: w >= LEAST.0 && h >= LEAST.1,
            header: none,
            status: none,
            footer: none,
            timeline: none,
            piece: none,
            controls: none,
            numbers: none,
            phases: none,
            board: none,
            cells: Cells::Whole(1),
            checks: none,
            events: none,
            log: none,
            overlay: none,
        };
        if !l.fits {
            return l;
        }
        let roomy = h >= 30 && w >= 80;
        // Header, and under it the status; on low screens the status stands above the footer, where it costs nothing.
        let top = if roomy { 3 } else { 1 };
        let timeline = match (&snapshot.replay, roomy) {
            (None, _) => 0,
            (Some(_), true) => 2,
            (Some(_), false) => 1,
        };
        let bottom = h - timeline - if roomy { 1 } else { 2 };
        l.timeline = Rect::new(1, h - 1 - timeline, w - 2, timeline);
        l.header = Rect::new(0, 0, w, 1);
        l.status = Rect::new(0, if roomy { 1 } else { bottom }, w, 1);
        l.footer = Rect::new(0, h - 1, w, 1);

        let gap = if w >= 100 { 3 } else { 2 };
        let left = match w {
            0..72 => 0,
            72..100 => 21,
            100..160 => 30,
            _ => 38,
        };
        let left_edge = 1 + if left > 0 { left + gap } else { 0 };
        let body = bottom - top;
        let below = h >= 34;

        // The largest cells that leave room for the lists: 30 columns beside it, 8 rows of events below.
        let (columns, rows) = board_size(snapshot);
        let wide = w.saturating_sub(left_edge + gap + 1 + 30);
        let high = if below {
            body.saturating_sub(1 + 9)
        } else {
            body - 1
        };
        let colours = screen.look.depth > super::Depth::None && !screen.look.ascii;
        let fits = |c: Cells| {
            let (cw, ch) = c.extent(columns, rows);
            cw.saturating_add(2) <= wide && ch <= high
        };
        l.cells = [
            Cells::Whole(3),
            Cells::Whole(2),
            Cells::Whole(1),
            Cells::Narrow,
        ]
        .into_iter()
        .find(|c| fits(*c))
        .unwrap_or(if colours && fits(Cells::Half) {
            Cells::Half
        } else if columns * 2 + 2 <= wide {
            Cells::Whole(1)
        } else {
            Cells::Narrow
        });
        let (cw, ch) = l.cells.extent(columns, rows);
        let label = u16::from(w >= 100) * 3;
        let board_w = (cw.saturating_add(2 + label)).max(22 + label).min(wide);
        let board_h = (ch.saturating_add(1)).min(high + 1);
        let board_h = (board_h + 2).min(body);
        l.board = Rect::new(left_edge, top, board_w, if below { board_h } else { body });

        let right = left_edge + board_w + gap;
        let right_w = w.saturating_sub(right + 1);
        let heights = left_heights(body, left, snapshot.numbers.len());
        let left_height = heights.iter().sum::<u16>() + 3;
        let lists = if below {
            let y = top + board_h + 1;
            // Where the left column ends above it, the log takes the whole width.
            let x = if left_height <= board_h { 1 } else { left_edge };
            let e = Rect::new(x, y, w - x - 1, bottom.saturating_sub(y));
            l.checks = Rect::new(right, top, right_w, board_h);
            e
        } else {
            let e = (body * 3 / 8).clamp(4, 10);
            l.checks = Rect::new(right, top, right_w, body - e);
            Rect::new(right, top + body - e, right_w, e)
        };
        l.events = lists;
        if screen.log_open {
            if lists.width >= 100 {
                let half = (lists.width - gap) / 2;
                l.events.width = half;
                l.log = Rect {
                    x: lists.x + half + gap,
                    width: lists.width - half - gap,
                    ..lists
                };
            } else {
                l.events = none;
                l.log = lists;
            }
        }
        if left > 0 {
            l.left_column(Rect::new(1, top, left, body), heights);
        }
        l.overlay = match screen.overlay {
            None => none,
            // A check's detail lies over the events where it can, so that board and list stay in view.
            Some(Overlay::Check { .. }) if below && lists.width >= 80 && lists.height >= 9 => {
                Rect::new(lists.x, lists.y - 1, lists.width, lists.height + 1)
            }
            Some(Overlay::Board) => Rect::new(1, 1, w - 2, h - 2),
            Some(o) => overlay_area(o, (w, h), snapshot, screen),
        };
        l
    }

    /// Piece, controls, numbers and phases from the top down, as far as they go.
    fn left_column(&mut self, area: Rect, heights: [u16; 4]) {
        let space = u16::from(heights[3] > 0);
        let mut y = area.y;
        let [piece, controls, numbers, phases] = heights.map(|height| {
            let room = area.bottom().saturating_sub(y);
            if height == 0 || room < 3 {
                return Rect::default();
            }
            let r = Rect::new(area.x, y, area.width, height.min(room));
            y += r.height + space;
            r
        });
        self.piece = piece;
        self.controls = controls;
        self.numbers = numbers;
        self.phases = phases;
    }

    /// The rectangle of a pane.
    pub fn pane(&self, pane: Pane) -> Rect {
        match pane {
            Pane::Checks => self.checks,
            Pane::Events => self.events,
            Pane::Log => self.log,
            Pane::Controls => self.controls,
            Pane::Numbers => self.numbers,
            Pane::Phases => self.phases,
            Pane::Board => self.board,
        }
    }

    /// Rows of a pane's content.
    pub fn rows(&self, pane: Pane) -> usize {
        usize::from(self.pane(pane).height.saturating_sub(1))
    }
}

/// Rows of piece, controls, numbers and phases with their titles; the phases are left out where there is no room for all.
fn left_heights(body: u16, width: u16, numbers: usize) -> [u16; 4] {
    let controls = 1 + Action::ALL.len() as u16;
    if body < 32 {
        let piece = 6;
        return [piece, controls, body.saturating_sub(piece + controls), 0];
    }
    // Room for three numbers from the start, so that nothing moves when they are found.
    let numbers = 1 + numbers.clamp(3, 5) as u16;
    [if width >= 34 { 10 } else { 6 }, controls, numbers, 9]
}

/// Where an overlay lies.
fn overlay_area(
    overlay: Overlay,
    (w, h): (u16, u16),
    snapshot: &Snapshot,
    screen: &Screen,
) -> Rect {
    let (ow, oh) = match overlay {
        Overlay::Help { .. } => (70, super::draw::help_height()),
        Overlay::Controls { .. } | Overlay::TryKey => (76, Action::ALL.len() as u16 + 6),
        Overlay::Board => (w, h),
        Overlay::Phases => (72, 12),
        Overlay::Check { name, .. } => {
            let width = (w * 2 / 3).clamp(60, 110).min(w.saturating_sub(4));
            let check = snapshot.checks.iter().find(|c| c.name == name);
            let rows = check.map_or(1, |c| {
                detail_rows(snapshot, c, width.saturating_sub(4), screen.look).len()
            });
            (width, (rows as u16).saturating_add(2).clamp(8, 40))
        }
        Overlay::Quit => (50, 5),
    };
    let (ow, oh) = (ow.min(w.saturating_sub(4)), oh.min(h.saturating_sub(2)));
    Rect::new((w - ow) / 2, (h - oh) / 2, ow, oh)
}
