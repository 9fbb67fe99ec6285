//! The board: the falling piece by its letter, the stack as blocks, the ghost, and how sure the reading is.

use super::{Pen, focused};
use crate::model::{Cell, CellState, Grid, PieceKind};
use crate::session::{RunState, Snapshot};
use crate::tui::colour::luma;
use crate::tui::layout::{Cells, Layout, board_size};
use crate::tui::look::{Depth, Role};
use crate::tui::screen::{Pane, Screen};
use crate::tui::text;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// Below this of 255 a cell's reading is marked as doubtful.
const DOUBT: u8 = 128;

/// What is to be shown of one cell.
#[derive(Clone, Copy)]
struct Look1 {
    state: CellState,
    active: bool,
    doubtful: bool,
    colour: [u8; 3],
}

/// The board's pane.
pub fn board(pen: &mut Pen<'_>, layout: &Layout, snapshot: &Snapshot, screen: &Screen) {
    let area = layout.board;
    if area.is_empty() {
        return;
    }
    let (columns, rows) = board_size(snapshot);
    let known = snapshot.board.is_some() || snapshot.grid.is_some();
    let mut parts = Vec::new();
    if known {
        let style = pen.look.style(Role::Text);
        parts.push((format!("{columns}{}{rows}", pen.glyphs.times), style));
        if let Some(sure) = snapshot.board_confidence {
            let role = if sure >= 0.9 { Role::Good } else { Role::Warn };
            parts.push((format!("{sure:.2}"), pen.look.style(role)));
        }
        if !snapshot.reader.is_empty() {
            let reader = snapshot
                .reader
                .split([' ', ',', ':'])
                .next()
                .unwrap_or_default();
            parts.push((
                text::fit(reader, 12, pen.look.ascii),
                pen.look.style(Role::Dim),
            ));
        }
    }
    let inner = pen.title(area, "BOARD", &parts, focused(screen, Pane::Board));
    let (cw, ch) = layout.cells.extent(columns, rows);
    // Where there is room for them: the floor below the last row, numbers below it and beside.
    let label = if inner.width >= cw + 2 + 3 { 3 } else { 0 };
    let shown_w = cw.min(inner.width.saturating_sub(2 + label));
    let shown_h = ch.min(inner.height);
    let x = inner.x + label + (inner.width - label).saturating_sub(shown_w + 2) / 2;
    let view = Rect::new(x + 1, inner.y, shown_w, shown_h);
    let at = scroll(screen, snapshot, layout.cells, view, (columns, rows));
    pen.more(
        area,
        at.1 > 0,
        u32::from(at.1) + u32::from(rows_shown(layout.cells, shown_h)) < u32::from(rows),
    );

    let dim = pen.look.style(Role::Dim);
    for y in view.y..view.bottom() {
        pen.text(view.x - 1, y, 1, pen.glyphs.wall, dim);
        pen.text(view.right(), y, 1, pen.glyphs.wall, dim);
    }
    if view.bottom() < inner.bottom() {
        let (l, m, r) = pen.glyphs.floor;
        pen.text(view.x - 1, view.bottom(), 1, l, dim);
        for x in view.x..view.right() {
            pen.text(x, view.bottom(), 1, m, dim);
        }
        pen.text(view.right(), view.bottom(), 1, r, dim);
    }
    let scale_below = view.bottom() + 1 < inner.bottom();
    scale(
        pen,
        layout.cells,
        view,
        at,
        (columns, rows),
        label,
        scale_below,
    );
    match &snapshot.grid {
        Some(grid) => cells(pen, layout.cells, view, at, grid, snapshot),
        None => nothing_yet(pen, view, snapshot),
    }
}

fn rows_shown(cells: Cells, height: u16) -> u16 {
    match cells {
        Cells::Whole(k) => height / k,
        Cells::Narrow => height,
        Cells::Half => height * 2,
    }
}

/// The first column and row in view: as scrolled by hand, or so that the piece is in view, or the floor.
fn scroll(
    screen: &Screen,
    snapshot: &Snapshot,
    cells: Cells,
    view: Rect,
    (columns, rows): (u16, u16),
) -> (u16, u16) {
    let high = rows_shown(cells, view.height);
    let wide = match cells {
        Cells::Whole(k) => view.width / (2 * k),
        Cells::Narrow | Cells::Half => view.width,
    };
    let last = (columns.saturating_sub(wide), rows.saturating_sub(high));
    if let Some((x, y)) = screen.board_at {
        return (x.min(last.0), y.min(last.1));
    }
    let corner = snapshot
        .active
        .as_ref()
        .map(crate::model::ActivePiece::corner);
    let follow =
        |at: i32, size: u16, last: u16| (at - i32::from(size) / 2).clamp(0, i32::from(last)) as u16;
    match corner {
        Some((c, r)) => (follow(c, wide, last.0), follow(r, high, last.1)),
        None => (last.0 / 2, last.1),
    }
}

/// Numbers of the rows at the left and of the columns below.
fn scale(
    pen: &mut Pen<'_>,
    cells: Cells,
    view: Rect,
    at: (u16, u16),
    (columns, rows): (u16, u16),
    label: u16,
    below: bool,
) {
    let dim = pen.look.style(Role::Dim);
    let (cw, ch, per) = match cells {
        Cells::Whole(k) => (2 * k, k, 1),
        Cells::Narrow => (1, 1, 1),
        Cells::Half => (1, 1, 2),
    };
    if label >= 3 {
        let mut y = view.y;
        for row in (at.1..rows).step_by(per) {
            if y + ch > view.bottom() {
                break;
            }
            if row % 5 == 0 || row + 1 == rows {
                let x = view.x - 2;
                pen.put_right(x, y + (ch - 1) / 2, label, &row.to_string(), Role::Dim);
            }
            y += ch;
        }
    }
    if below {
        let mut x = view.x;
        for column in at.0..columns {
            if x + cw > view.right() {
                break;
            }
            let digit = if cw == 1 && column % 5 != 0 {
                " ".into()
            } else {
                (column % 10).to_string()
            };
            pen.text(x + (cw - 1) / 2, view.bottom() + 1, 1, &digit, dim);
            x += cw;
        }
    }
}

fn look_at(look: super::Look, grid: &Grid, snapshot: &Snapshot, column: u16, row: u16) -> Look1 {
    let place = (i32::from(column), i32::from(row));
    let cell = grid.get(place.0, place.1).copied().unwrap_or(Cell {
        confidence: 255,
        ..Cell::default()
    });
    let active = snapshot
        .active
        .as_ref()
        .is_some_and(|a| a.cells.contains(&place));
    let colour = match snapshot.active.as_ref().and_then(|a| a.kind) {
        Some(kind) if active && cell.colour == [0; 3] => look.piece(kind),
        _ => cell.colour,
    };
    Look1 {
        state: cell.state,
        active,
        doubtful: cell.confidence < DOUBT,
        colour,
    }
}

fn cells(
    pen: &mut Pen<'_>,
    cells: Cells,
    view: Rect,
    at: (u16, u16),
    grid: &Grid,
    snapshot: &Snapshot,
) {
    let kind = snapshot.active.as_ref().and_then(|a| a.kind);
    if cells == Cells::Half {
        for y in view.y..view.bottom() {
            for x in view.x..view.right() {
                let column = at.0 + x - view.x;
                let row = at.1 + 2 * (y - view.y);
                half(
                    pen,
                    (x, y),
                    look_at(pen.look, grid, snapshot, column, row),
                    look_at(pen.look, grid, snapshot, column, row + 1),
                );
            }
        }
        return;
    }
    let (w, h) = match cells {
        Cells::Whole(k) => (2 * k, k),
        Cells::Narrow | Cells::Half => (1, 1),
    };
    for row in 0..view.height / h {
        for column in 0..view.width / w {
            let look = look_at(pen.look, grid, snapshot, at.0 + column, at.1 + row);
            let r = Rect::new(view.x + column * w, view.y + row * h, w, h);
            cell(pen, r, look, kind);
        }
    }
}

/// One cell in its rectangle.
fn cell(pen: &mut Pen<'_>, r: Rect, look: Look1, kind: Option<PieceKind>) {
    let depth = pen.look.depth;
    let rgb = pen.look.block(look.colour);
    let plain = Style::new();
    let mark = |text: &str| text.repeat(usize::from(r.width));
    let (middle_x, middle_y) = (r.x + (r.width - 1) / 2, r.y + (r.height - 1) / 2);
    if look.active {
        let letter = kind.map_or('?', PieceKind::letter).to_string();
        let style = if depth == Depth::None {
            plain.add_modifier(Modifier::BOLD | Modifier::REVERSED)
        } else {
            let ink = if luma(rgb) > 130.0 {
                (0, 0, 0)
            } else {
                (255, 255, 255)
            };
            plain
                .fg(pen.look.rgb(ink))
                .bg(pen.look.rgb(rgb))
                .add_modifier(Modifier::BOLD)
        };
        for y in r.y..r.bottom() {
            pen.text(r.x, y, r.width, &mark(" "), style);
        }
        if pen.look.ascii || (depth == Depth::None && r.height == 1) {
            pen.text(r.x, middle_y, r.width, &mark(&letter), style);
        } else {
            pen.text(middle_x, middle_y, 1, &letter, style);
        }
        return;
    }
    match look.state {
        CellState::Filled => {
            let (text, style) = match (pen.look.ascii, depth) {
                (true, Depth::None) => ("#", plain),
                (true, _) => ("#", plain.fg(pen.look.rgb(rgb))),
                (false, Depth::None) => ("▓", plain),
                (false, _) => ("█", plain.fg(pen.look.rgb(rgb))),
            };
            for y in r.y..r.bottom() {
                pen.text(r.x, y, r.width, &mark(text), style);
            }
            // A hairline at the right shows where a cell ends. (No glyph has one above as well.)
            if !pen.look.ascii && depth > Depth::None && r.width > 1 {
                for y in r.y..r.bottom() {
                    pen.text(r.right() - 1, y, 1, "▉", style);
                }
            }
        }
        CellState::Ghost => {
            let style = pen.look.style(Role::Dim);
            for y in r.y..r.bottom() {
                pen.text(r.x, y, r.width, &mark(pen.glyphs.ghost), style);
            }
        }
        CellState::Empty => {
            pen.put(middle_x, middle_y, 1, pen.glyphs.dot, Role::Dim);
        }
    }
    if look.doubtful {
        let x = if r.width > 1 { middle_x + 1 } else { middle_x };
        let style = if look.state == CellState::Filled && depth > Depth::None && !pen.look.ascii {
            let ink = if luma(rgb) > 130.0 {
                (0, 0, 0)
            } else {
                (255, 255, 255)
            };
            plain
                .fg(pen.look.rgb(ink))
                .bg(pen.look.rgb(rgb))
                .add_modifier(Modifier::BOLD)
        } else {
            pen.look.style(Role::Warn)
        };
        pen.text(x, middle_y, 1, "?", style);
    }
}

/// Two cells, one above the other.
fn half(pen: &mut Pen<'_>, (x, y): (u16, u16), upper: Look1, lower: Look1) {
    let ink = |pen: &Pen<'_>, l: Look1| match (l.active, l.state) {
        (false, CellState::Empty) => None,
        (false, CellState::Ghost) => Some(pen.look.rgb((0x70, 0x70, 0x70))),
        _ => Some(pen.look.rgb(pen.look.block(l.colour))),
    };
    match (ink(pen, upper), ink(pen, lower)) {
        (Some(u), Some(l)) => pen.text(x, y, 1, "▀", Style::new().fg(u).bg(l)),
        (Some(u), None) => pen.text(x, y, 1, "▀", Style::new().fg(u)),
        (None, Some(l)) => pen.text(x, y, 1, "▄", Style::new().fg(l)),
        (None, None) => pen.put(x, y, 1, pen.glyphs.dot, Role::Dim),
    };
}

/// What stands in the board's place before there is one.
fn nothing_yet(pen: &mut Pen<'_>, view: Rect, snapshot: &Snapshot) {
    let (head, role) = match &snapshot.state {
        RunState::Opening => ("opening the page", Role::Text),
        RunState::Failed(_) => ("no board", Role::Bad),
        _ => ("no board yet", Role::Text),
    };
    let more = match &snapshot.state {
        RunState::Failed(why) => why.as_str(),
        _ => snapshot.doing.as_str(),
    };
    let room = view.width.saturating_sub(2);
    let mut lines = vec![(head.to_owned(), role)];
    lines.extend(
        text::wrap(more, room, pen.look.ascii)
            .into_iter()
            .map(|l| (l, Role::Dim)),
    );
    lines.truncate(usize::from(view.height));
    let top = view.y + (view.height - lines.len() as u16) / 2;
    for (y, (line, role)) in (top..).zip(&lines) {
        let x = view.x + view.width.saturating_sub(text::width(line)) / 2;
        pen.put(x, y, view.right() - x, line, *role);
    }
}
