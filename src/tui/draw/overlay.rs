//! What lies over the panes: help, controls, phases, a check's detail, the question before quitting.

use super::{Pen, detail_rows, panels};
use crate::model::{Action, Phase};
use crate::session::Snapshot;
use crate::tui::keymap::{HELP, Intent, Keys};
use crate::tui::look::Role;
use crate::tui::screen::{Overlay, Screen};
use crate::tui::update::action_name;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

/// Rows of the help with its border.
pub fn help_height() -> u16 {
    help_rows().len() as u16 + 2
}

/// The help's rows: a group's name or an entry.
fn help_rows() -> Vec<(&'static str, Option<usize>)> {
    let mut rows = Vec::new();
    let mut group = "";
    for (i, e) in HELP.iter().enumerate() {
        if e.group != group {
            group = e.group;
            rows.push((group, None));
        }
        rows.push(("", Some(i)));
    }
    rows
}

/// An empty box with a title; what is inside is the answer.
fn frame(pen: &mut Pen<'_>, area: Rect, title: &str) -> Rect {
    let area = area.intersection(pen.buf.area);
    // A column of air at either side: words that are cut off at a border are hard on the eye.
    let air = Rect::new(
        area.x.saturating_sub(1),
        area.y,
        area.width + 2,
        area.height,
    );
    let air = air.intersection(pen.buf.area);
    Clear.render(air, pen.buf);
    pen.fill(air, pen.look.base());
    if pen.look.ascii {
        for x in area.x..area.right() {
            pen.put(x, area.y, 1, "-", Role::Dim);
            pen.put(x, area.bottom().saturating_sub(1), 1, "-", Role::Dim);
        }
        for y in area.y..area.bottom() {
            pen.put(area.x, y, 1, "|", Role::Dim);
            pen.put(area.right().saturating_sub(1), y, 1, "|", Role::Dim);
        }
    } else {
        Block::bordered()
            .border_style(pen.look.style(Role::Dim))
            .render(area, pen.buf);
    }
    let title = format!(" {title} ");
    pen.put(
        area.x + 2,
        area.y,
        area.width.saturating_sub(4),
        &title,
        Role::Accent,
    );
    Rect::new(
        area.x + 2,
        area.y + 1,
        area.width.saturating_sub(4),
        area.height.saturating_sub(2),
    )
}

/// Draws the overlay that is open, if one is.
pub fn overlay(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    let Some(overlay) = screen.overlay else {
        return;
    };
    if area.width < 8 || area.height < 3 {
        return;
    }
    match overlay {
        Overlay::Help { top } => help(pen, area, screen, top),
        Overlay::Controls { listening } => controls(pen, area, snapshot, screen, listening),
        Overlay::TryKey => controls(pen, area, snapshot, screen, false),
        Overlay::Board => super::desk::desk(pen, area, snapshot, screen),
        Overlay::Phases => phases(pen, area, snapshot, screen),
        Overlay::Check { name, top } => check(pen, area, snapshot, name, top),
        Overlay::Quit => {
            let a = frame(pen, area, "quit?");
            pen.put(a.x, a.y, a.width, "It is still running.", Role::Text);
            pen.put(
                a.x,
                a.y + 1,
                a.width,
                "The report will say what was decided so far.",
                Role::Text,
            );
            let keys = &screen.keys;
            let (quits, stays) = (keys.key(Intent::Enter), keys.key(Intent::Escape));
            let text = format!("{quits} quits, {stays} stays");
            pen.put(a.x, a.y + 2, a.width, &text, Role::Dim);
        }
    }
}

fn help(pen: &mut Pen<'_>, area: Rect, screen: &Screen, top: usize) {
    let rows = help_rows();
    let a = frame(pen, area, "keys");
    let first = top.min(rows.len().saturating_sub(usize::from(a.height)));
    for (y, (group, entry)) in (a.y..a.bottom()).zip(&rows[first..]) {
        match entry.and_then(|i| HELP.get(i)) {
            None => {
                pen.put(a.x, y, a.width, group, Role::Dim);
            }
            Some(e) => {
                let keys = match e.keys {
                    Keys::Of(intents) => screen.keys.keys(intents, 11),
                    Keys::Said(words) => words.into(),
                };
                pen.put(a.x + 2, y, 11, &keys, Role::Accent);
                pen.put(a.x + 14, y, 9, e.label, Role::Text);
                pen.put(a.x + 24, y, a.width.saturating_sub(24), e.does, Role::Dim);
            }
        }
    }
    pen.more(area, first > 0, first + usize::from(a.height) < rows.len());
}

fn controls(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen, listening: bool) {
    let a = frame(pen, area, "controls");
    for (i, y) in (a.y..a.bottom()).enumerate().take(Action::ALL.len()) {
        let action = Action::ALL[i];
        panels::control_row(pen, Rect::new(a.x, y, a.width.min(29), 1), snapshot, action);
        if let Some(m) = snapshot.controls.get(action) {
            pen.put(
                a.x + 31,
                y,
                a.width.saturating_sub(31),
                &m.observation,
                Role::Dim,
            );
        }
        if screen.control == i {
            pen.fill(
                Rect::new(a.x, y, a.width, 1),
                pen.look.style(Role::Selected),
            );
        }
    }
    let y = a.y + Action::ALL.len() as u16 + 1;
    let below = |line: u16| y + line < a.bottom();
    if listening && below(0) {
        let text = format!(
            "press the key that shall do this: {}",
            action_name(screen.action())
        );
        pen.put(a.x, y, a.width, &text, Role::Warn);
    } else if screen.overlay == Some(Overlay::TryKey) && below(0) {
        let text = "press a key: it is pressed on the page, and the events say what it did";
        pen.put(a.x, y, a.width, text, Role::Warn);
    } else if below(0) {
        let [enter, clear, again] =
            [Intent::Enter, Intent::Clear, Intent::Record].map(|i| screen.keys.key(i));
        let text = format!(
            "{enter}, then the key: rebind    {clear}: no key    {again}: look for it again"
        );
        pen.put(a.x, y, a.width, &text, Role::Dim);
    }
    if below(1) {
        pen.put(
            a.x,
            y + 1,
            a.width,
            &format!(
                "{}: try a key now    {}: save as a profile    What you change is recorded.",
                screen.keys.key(Intent::Time),
                screen.keys.key(Intent::Save)
            ),
            Role::Dim,
        );
    }
    if let Some(last) = snapshot.rulings.last().filter(|_| below(2)) {
        let text = format!("last: {last}");
        pen.put(a.x, y + 2, a.width, &text, Role::Text);
    }
}

fn phases(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    let a = frame(pen, area, "go to phase");
    for (y, phase) in (a.y..a.bottom()).zip(Phase::ALL) {
        let r = Rect::new(a.x, y, a.width, 1);
        panels::phase_row(pen, r, snapshot, phase, 17);
        if screen.phase + 1 == usize::from(phase.number()) {
            pen.fill(r, pen.look.style(Role::Selected));
        }
    }
    let y = a.y + Phase::ALL.len() as u16 + 1;
    if y < a.bottom() {
        pen.put(
            a.x,
            y,
            a.width,
            "enter: go there, leaving the phase under way",
            Role::Dim,
        );
    }
}

fn check(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, name: &'static str, top: usize) {
    let a = frame(pen, area, name);
    let Some(check) = snapshot.checks.iter().find(|c| c.name == name) else {
        pen.put(a.x, a.y, a.width, "this check is gone", Role::Dim);
        return;
    };
    let rows = detail_rows(snapshot, check, a.width, pen.look);
    let first = top.min(rows.len().saturating_sub(usize::from(a.height)));
    for (y, (line, style)) in (a.y..a.bottom()).zip(&rows[first..]) {
        pen.text(a.x, y, a.width, line, *style);
    }
    pen.more(area, first > 0, first + usize::from(a.height) < rows.len());
}
