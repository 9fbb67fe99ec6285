//! The column beside the board: piece, controls, numbers, phases.

use super::{Pen, focused, number};
use crate::model::{Action, Phase, PieceKind, Shape};
use crate::session::{PhaseState, Snapshot};
use crate::tui::look::Role;
use crate::tui::screen::{Pane, Screen};
use crate::tui::update::action_name;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// A piece's colour, where there are colours.
fn tint(pen: &Pen<'_>, kind: PieceKind) -> Style {
    let rgb = pen.look.block(pen.look.piece(kind));
    Style::new().fg(pen.look.rgb(rgb))
}

/// A piece in little: one row of half blocks; its letter in ASCII. Says how wide it is.
fn small_piece(pen: &mut Pen<'_>, x: u16, y: u16, room: u16, shape: &Shape, style: Style) -> u16 {
    let (w, h) = shape.size();
    if h > 2 || pen.look.ascii {
        return 0;
    }
    let has = |c, r| shape.cells().contains(&(c, r));
    let picture: String = (0..w)
        .map(
            |c| match (has(c, 0) && h == 2, has(c, 1) || (h == 1 && has(c, 0))) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            },
        )
        .collect();
    pen.text(x, y, room, &picture, style)
}

fn big_piece(pen: &mut Pen<'_>, x: u16, y: u16, shape: &Shape, style: Style) {
    for &(c, r) in shape.cells() {
        let block = if pen.look.ascii { "##" } else { "██" };
        pen.text(x + 2 * c as u16, y + r as u16, 2, block, style);
    }
}

/// The falling piece, the coming ones, the held one.
pub fn piece(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot) {
    if area.is_empty() {
        return;
    }
    let a = pen.title(area, "PIECE", &[], false);
    let mut rows = a.y..a.bottom();
    let Some(y) = rows.next() else { return };
    if let Some(active) = &snapshot.active {
        let (x0, y0) = active.corner();
        let mut x = a.x;
        if let Some(kind) = active.kind {
            let style = tint(pen, kind).add_modifier(Modifier::BOLD);
            x += pen.text(x, y, 2, &kind.letter().to_string(), style) + 1;
            let states = kind.states().len();
            pen.put(
                x,
                y,
                a.right() - x,
                &format!("state {} of {states}", active.state + 1),
                Role::Text,
            );
        } else {
            let cells = snapshot
                .odd_shape
                .as_ref()
                .map_or(active.cells.len(), |s| s.cells().len());
            pen.put(
                x,
                y,
                a.width,
                &format!("none of the seven: {cells} cells"),
                Role::Warn,
            );
        }
        if let Some(y) = rows.next() {
            pen.put(a.x, y, a.width, &format!("x {x0}  y {y0}"), Role::Dim);
        }
    } else {
        pen.put(a.x, y, a.width, "none falling", Role::Dim);
        rows.next();
    }
    let big = a.height >= 9 && a.width >= 34;
    let label = 6;
    let (name, pieces): (_, Vec<PieceKind>) = ("NEXT", snapshot.next.clone());
    if let Some(y) = rows.next() {
        let y = y + u16::from(big);
        pen.put(a.x, y, label, name, Role::Dim);
        if pieces.is_empty() {
            pen.put(
                a.x + label,
                y,
                a.width.saturating_sub(label),
                "not found",
                Role::Dim,
            );
        }
        row_of_pieces(
            pen,
            Rect::new(
                a.x + label,
                y,
                a.width.saturating_sub(label),
                a.bottom().saturating_sub(y),
            ),
            &pieces,
            big,
        );
    }
    let y = if big { a.y + 6 } else { a.y + 4 };
    if y < a.bottom() {
        pen.put(a.x, y, label, "HOLD", Role::Dim);
        match snapshot.held {
            Some(kind) => {
                let r = Rect::new(
                    a.x + label,
                    y,
                    a.width.saturating_sub(label),
                    a.bottom() - y,
                );
                row_of_pieces(pen, r, &[kind], big);
            }
            None => {
                pen.put(
                    a.x + label,
                    y,
                    a.width.saturating_sub(label),
                    "nothing",
                    Role::Dim,
                );
            }
        }
    }
}

fn row_of_pieces(pen: &mut Pen<'_>, area: Rect, pieces: &[PieceKind], big: bool) {
    let mut x = area.x;
    for &kind in pieces {
        let shape = kind.states()[0].clone();
        let w = shape.size().0 as u16 * if big { 2 } else { 1 };
        if pen.look.ascii && !big {
            if x + 1 > area.right() {
                break;
            }
            pen.text(x, area.y, 1, &kind.letter().to_string(), Style::new());
            x += 2;
            continue;
        }
        if x + w > area.right() {
            break;
        }
        let style = tint(pen, kind);
        if big {
            big_piece(pen, x, area.y, &shape, style);
        } else {
            small_piece(pen, x, area.y, area.right() - x, &shape, style);
        }
        let under = area.y + if big { shape.size().1 as u16 } else { 1 };
        if under < area.bottom() {
            pen.put(
                x + (w - 1) / 2,
                under,
                1,
                &kind.letter().to_string(),
                Role::Dim,
            );
        }
        x += w + 2;
    }
}

/// Which key does what, and how sure that is.
pub fn controls(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    if area.is_empty() {
        return;
    }
    let focus = focused(screen, Pane::Controls);
    let a = pen.title(area, "CONTROLS", &[], focus);
    for (i, y) in (a.y..a.bottom()).enumerate().take(Action::ALL.len()) {
        control_row(pen, Rect::new(a.x, y, a.width, 1), snapshot, Action::ALL[i]);
        if focus && screen.control == i {
            pen.fill(
                Rect::new(a.x, y, a.width, 1),
                pen.look.style(Role::Selected),
            );
        }
    }
}

/// One action: its name, its key, how sure.
pub fn control_row(pen: &mut Pen<'_>, r: Rect, snapshot: &Snapshot, action: Action) {
    let known = snapshot.controls.get(action);
    let role = if known.is_some_and(|m| m.key.is_some()) {
        Role::Text
    } else {
        Role::Dim
    };
    pen.put(r.x, r.y, 10.min(r.width), action_name(action), role);
    let Some(m) = known else {
        pen.put(
            r.x + 11,
            r.y,
            r.width.saturating_sub(11),
            pen.glyphs.none,
            Role::Dim,
        );
        return;
    };
    let key = m
        .key
        .as_ref()
        .map_or_else(|| pen.glyphs.none.to_owned(), |k| pen.look.key(k));
    pen.put(
        r.x + 11,
        r.y,
        r.width.saturating_sub(11).min(6),
        &key,
        if m.key.is_some() {
            Role::Title
        } else {
            Role::Dim
        },
    );
    let (glyph, word, style) = pen.look.confidence(m.confidence);
    let x = r.x + 18;
    if x < r.right() {
        let x = x + pen.text(x, r.y, r.right() - x, glyph, style) + 1;
        if r.right() >= x + 9 {
            pen.text(x, r.y, 9, word, style);
        }
    }
}

/// The numbers of the page with their way so far.
pub fn numbers(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    if area.is_empty() {
        return;
    }
    let a = pen.title(area, "NUMBERS", &[], focused(screen, Pane::Numbers));
    if snapshot.numbers.is_empty() && a.height > 0 {
        pen.put(a.x, a.y, a.width, "none followed yet", Role::Dim);
    }
    let height = usize::from(a.height);
    let first = screen
        .numbers_top
        .min(snapshot.numbers.len().saturating_sub(height));
    for (y, n) in (a.y..a.bottom()).zip(snapshot.numbers.iter().skip(first)) {
        pen.put(a.x, y, 8, &n.name, Role::Text);
        let right = a.x + 15;
        pen.put_right(right, y, 7, &number(n.value), Role::Title);
        let room = usize::from(a.right().saturating_sub(right + 1));
        let from = n.history.len().saturating_sub(room);
        let seen = n.history.iter().filter(|v| v.is_finite());
        let (low, high) = seen.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        for (x, v) in (right + 1..).zip(&n.history[from..]) {
            let level = if high > low && v.is_finite() {
                ((v - low) / (high - low) * 7.0).round() as usize
            } else {
                0
            };
            pen.put(x, y, 1, pen.glyphs.sparks[level.min(7)], Role::Dim);
        }
    }
    let below = first + height < snapshot.numbers.len();
    pen.more(area, first > 0, below);
}

/// A phase's glyph and role.
pub fn phase_state(pen: &Pen<'_>, state: PhaseState) -> (&'static str, Role) {
    let g = pen.glyphs;
    match state {
        PhaseState::Waiting => (g.open, Role::Dim),
        PhaseState::Running => (g.run, Role::Accent),
        PhaseState::Done => (g.pass, Role::Good),
        PhaseState::Skipped => (g.skip, Role::Warn),
        PhaseState::Failed => (g.fail, Role::Bad),
    }
}

/// All phases and how they stand.
pub fn phases(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    if area.is_empty() {
        return;
    }
    let focus = focused(screen, Pane::Phases);
    let a = pen.title(area, "PHASES", &[], focus);
    for (y, phase) in (a.y..a.bottom()).zip(Phase::ALL) {
        phase_row(pen, Rect::new(a.x, y, a.width, 1), snapshot, phase, 16);
        if focus && screen.phase + 1 == usize::from(phase.number()) {
            pen.fill(
                Rect::new(a.x, y, a.width, 1),
                pen.look.style(Role::Selected),
            );
        }
    }
}

/// One phase: its state, number, title and what came of it.
pub fn phase_row(pen: &mut Pen<'_>, r: Rect, snapshot: &Snapshot, phase: Phase, title: u16) {
    let view = snapshot.phases.iter().find(|p| p.phase == phase);
    let state = view.map_or(PhaseState::Waiting, |v| v.state);
    let (glyph, role) = phase_state(pen, state);
    pen.put(r.x, r.y, 1, glyph, role);
    let quiet = if state == PhaseState::Waiting {
        Role::Dim
    } else {
        Role::Text
    };
    let running = if state == PhaseState::Running {
        Role::Title
    } else {
        quiet
    };
    pen.put(r.x + 2, r.y, 1, &phase.number().to_string(), Role::Dim);
    pen.put(
        r.x + 4,
        r.y,
        title.min(r.width.saturating_sub(4)),
        phase.title(),
        running,
    );
    let x = r.x + 4 + title + 1;
    if let Some(v) = view
        && x + 10 < r.right()
    {
        pen.put(x, r.y, r.right() - x, &v.note, Role::Dim);
    }
}
