//! The words beside the picture: the board as it is, what the hand is on, the keys.

use crate::model::{NumberRole, Rect as PageRect};
use crate::session::Snapshot;
use crate::tui::desk::{HANDS, Hand};
use crate::tui::draw::Pen;
use crate::tui::keymap::Intent;
use crate::tui::look::Role;
use crate::tui::screen::Screen;
use crate::tui::text;
use ratatui::layout::Rect;

/// Rows of what the operator did last, and of why this is the board.
const SAID_ROWS: usize = 2;

/// Rows of a screen on which only what is needed is said.
const LOW: u16 = 24;

/// Lines from the top down, as far as there is room.
struct Lines<'a, 'b> {
    pen: &'a mut Pen<'b>,
    area: Rect,
    row: u16,
}

impl Lines<'_, '_> {
    fn say(&mut self, text: &str, role: Role) {
        if self.row < self.area.height {
            let y = self.area.y + self.row;
            self.pen.put(self.area.x, y, self.area.width, text, role);
            self.row += 1;
        }
    }

    fn wrapped(&mut self, text: &str, rows: usize) {
        let lines = text::wrap(text, self.area.width, self.pen.look.ascii);
        for line in lines.into_iter().take(rows) {
            self.say(&line, Role::Dim);
        }
    }

    /// A line left free, where there is room for it.
    fn gap(&mut self) {
        if self.area.height > 30 {
            self.say("", Role::Text);
        }
    }
}

pub(super) fn words(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    let area = pen.title(area, "BOARD", &[], true);
    let mut lines = Lines { pen, area, row: 0 };
    the_board(&mut lines, snapshot, screen);
    lines.gap();
    what_the_arrows_change(&mut lines, screen);
    for (text, role) in on_hand(snapshot, screen) {
        lines.say(&text, role);
    }
    if let Some(field) = &screen.desk.field {
        lines.say("left,top,width,height,columns,rows:", Role::Warn);
        lines.say(field.value(), Role::Selected);
    }
    lines.gap();
    keys(&mut lines, screen);
    let said = said_last(snapshot);
    if let Some(said) = said {
        lines.gap();
        lines.wrapped(&said, SAID_ROWS + 1);
    }
}

fn the_board(lines: &mut Lines<'_, '_>, snapshot: &Snapshot, screen: &Screen) {
    let board = screen.desk.board(snapshot);
    let r = screen
        .desk
        .drawn(snapshot)
        .filter(|_| screen.desk.hand != Hand::Next);
    let r = r.unwrap_or_else(|| board.rect());
    let (columns, rows) = (
        f64::from(board.columns.max(1)),
        f64::from(board.rows.max(1)),
    );
    lines.say(
        &format!("{} columns, {} rows", board.columns, board.rows),
        Role::Text,
    );
    lines.say(&format!("at {:.1}, {:.1}", r.x, r.y), Role::Text);
    lines.say(&format!("{:.1} by {:.1} px", r.width, r.height), Role::Text);
    let cells = format!(
        "cells {:.2} by {:.2} px",
        r.width / columns,
        r.height / rows
    );
    lines.say(&cells, Role::Text);
    let reader = if snapshot.reader.is_empty() {
        "none yet"
    } else {
        &snapshot.reader
    };
    let sure = snapshot
        .grid
        .as_ref()
        .map_or(String::new(), |g| format!(", sure {:.2}", g.confidence()));
    lines.say(&format!("read by {reader}{sure}"), Role::Text);
    match (&snapshot.grid, &screen.desk.asked) {
        (_, Some(_)) => lines.say("being read anew", Role::Warn),
        (Some(grid), None) => {
            let unsure = grid.cells().iter().filter(|c| c.confidence < 128).count();
            let text = format!("{} filled, {unsure} in doubt", grid.filled_count());
            lines.say(&text, if unsure > 0 { Role::Warn } else { Role::Text });
        }
        (None, None) => lines.say("not read", Role::Warn),
    }
    if lines.area.height <= LOW {
        return;
    }
    let shown = format!("shown by {}", screen.painter.name());
    lines.say(&shown, Role::Dim);
    if !board.why.is_empty() {
        lines.wrapped(&board.why, SAID_ROWS);
    }
}

/// The hands in two columns.
fn what_the_arrows_change(lines: &mut Lines<'_, '_>, screen: &Screen) {
    let next = screen.keys.key(Intent::FocusNext);
    lines.say(&format!("The arrows change ({next}: next)"), Role::Dim);
    let half = lines.area.width / 2;
    for pair in HANDS.chunks(2) {
        if lines.row >= lines.area.height {
            return;
        }
        let y = lines.area.y + lines.row;
        for (i, (hand, name)) in (0u16..).zip(pair) {
            let here = *hand == screen.desk.hand;
            let (mark, role) = if here {
                (">", Role::Accent)
            } else {
                (" ", Role::Text)
            };
            let x = lines.area.x + i * half;
            lines.pen.put(x, y, half, &format!("{mark} {name}"), role);
        }
        lines.row += 1;
    }
}

fn at(r: PageRect) -> String {
    format!("{:.0},{:.0}", r.x, r.y)
}

fn place(r: PageRect) -> String {
    format!("{:.0},{:.0}, {:.0} by {:.0}", r.x, r.y, r.width, r.height)
}

/// What is under the hand now, and what changes it.
fn on_hand(snapshot: &Snapshot, screen: &Screen) -> Vec<(String, Role)> {
    let desk = &screen.desk;
    let hints = desk.hints(snapshot);
    let clear = screen.keys.key(Intent::Clear);
    let clears = |said: bool| {
        let text = format!("{clear}: as it is found out");
        said.then_some((text, Role::Dim))
    };
    match desk.hand {
        Hand::Place | Hand::Size | Hand::Cells => {
            vec![("shift: larger; or drag it".into(), Role::Dim)]
        }
        Hand::Cell => {
            let (c, r) = desk.cell;
            let grid = snapshot.grid.as_ref();
            let cell = grid.and_then(|g| g.get(i32::from(c), i32::from(r)));
            let is = cell.map_or("not read".into(), |c| {
                format!("{:?}, sure {:.2}", c.state, f64::from(c.confidence) / 255.0).to_lowercase()
            });
            let enter = screen.keys.key(Intent::Enter);
            vec![
                (format!("column {c}, row {r}: {is}"), Role::Accent),
                (format!("{enter}: it is the other way"), Role::Dim),
            ]
        }
        Hand::Thresholds => {
            let block = match (hints.block, snapshot.threshold) {
                (Some(t), _) => format!("block over {t:.1} (by hand)"),
                (None, Some(t)) => format!("block over {t:.1} (learned)"),
                (None, None) => "block: not learned yet".into(),
            };
            let ghost = match hints.ghost {
                Some(t) => format!("ghost up to {t:.1} (by hand)"),
                None => "ghost: by place and look".into(),
            };
            let said = hints.block.is_some() || hints.ghost.is_some();
            let mut all = vec![
                (block, Role::Accent),
                (ghost, Role::Accent),
                ("across: block, up: ghost".into(), Role::Dim),
            ];
            all.extend(clears(said));
            all
        }
        Hand::Eyes => {
            let by = match hints.eyes {
                Some(eyes) => format!("{}, by hand", eyes.name()),
                None => "as it is found out".into(),
            };
            vec![(by, Role::Accent)]
        }
        Hand::Number(role) => {
            let shown = match (desk.number(snapshot, role), hints.number(role)) {
                (Some(n), _) => format!("{} {} at {}", role.name(), n.value, at(n.rect)),
                (None, Some(r)) => format!("{}: none at {}", role.name(), at(r)),
                (None, None) => by_itself(snapshot, role),
            };
            let mut all = vec![(shown, Role::Accent)];
            all.push(("click it, or the arrows".into(), Role::Dim));
            all.extend(clears(hints.number(role).is_some()));
            all
        }
        Hand::Next => {
            let shown = match hints.next {
                Some(r) => format!("at {}", place(r)),
                None => "as it is found out".into(),
            };
            let mut all = vec![(shown, Role::Accent)];
            all.push(("draw it, or the arrows".into(), Role::Dim));
            all.extend(clears(hints.next.is_some()));
            all
        }
    }
}

fn by_itself(snapshot: &Snapshot, role: NumberRole) -> String {
    let n = snapshot.places.len();
    format!("{}: found out ({n} numbers)", role.name())
}

fn keys(lines: &mut Lines<'_, '_>, screen: &Screen) {
    let keys = &screen.keys;
    for (intent, does) in [
        (Intent::Time, "type the numbers"),
        (Intent::Undo, "take the last back"),
        (Intent::Heat, "show how sure it is"),
        (Intent::Whole, "all of the page"),
        (Intent::Save, "save as a profile"),
        (Intent::Hold, "hold the bot"),
        (Intent::Escape, "close"),
    ] {
        lines.say(&format!("{:<6} {does}", keys.key(intent)), Role::Dim);
    }
}

/// What came of what was done last: in a replay it is said there, live it stands in the log.
fn said_last(snapshot: &Snapshot) -> Option<String> {
    if snapshot.replay.is_some() && !snapshot.doing.is_empty() {
        return Some(snapshot.doing.clone());
    }
    let by_hand = |l: &&crate::session::LogLine| l.kind == crate::session::LogKind::Operator;
    let last = snapshot.log.iter().rev().find(by_hand)?;
    Some(last.text.clone())
}
