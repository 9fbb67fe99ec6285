//! The lists: checks, events, the program's own log, and the body of a check's detail.

use super::{Pen, clock, focused};
use crate::checks::{CheckView, Status};
use crate::session::{LogKind, Snapshot};
use crate::tui::look::{Look, Role};
use crate::tui::screen::{KINDS, Overlay, Pane, Row, Screen, check_rows};
use crate::tui::text;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use tui_logger::{ExtLogRecord, LogFormatter, TuiLoggerWidget};

/// The checklist.
pub fn checks(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    if area.is_empty() {
        return;
    }
    let count = |s| {
        snapshot
            .checks
            .iter()
            .filter(|c| c.verdict.status == s)
            .count()
    };
    let parts: Vec<_> = [Status::Pass, Status::Fail, Status::Skipped, Status::Open]
        .into_iter()
        .map(|s| {
            let (glyph, style) = pen.look.status(s);
            let n = count(s);
            (
                format!("{n} {glyph}"),
                if n == 0 {
                    pen.look.style(Role::Dim)
                } else {
                    style
                },
            )
        })
        .collect();
    let focus = focused(screen, Pane::Checks);
    let marked = focus || matches!(screen.overlay, Some(Overlay::Check { .. }));
    let a = pen.title(area, "CHECKS", &parts, focus);
    let height = usize::from(a.height);
    let rows = check_rows(&snapshot.checks, height);
    let first = screen.checks_first(snapshot, &rows, height);
    let headed = rows.iter().any(|r| matches!(r, Row::Heading(_)));
    let longest = snapshot
        .checks
        .iter()
        .map(|c| text::width(c.name))
        .max()
        .unwrap_or(0);
    let name = if a.width >= 54 { longest } else { 0 };
    for (y, row) in (a.y..a.bottom()).zip(&rows[first..]) {
        match *row {
            Row::Heading(phase) => {
                let title = phase.map_or_else(
                    || "all along".into(),
                    |p| format!("{} {}", p.number(), p.title()),
                );
                pen.put(a.x, y, a.width, &title, Role::Dim);
            }
            Row::Check(i) => {
                let r = Rect::new(
                    a.x + u16::from(headed) * 2,
                    y,
                    a.width.saturating_sub(u16::from(headed) * 2),
                    1,
                );
                check_row(pen, r, &snapshot.checks[i], name);
                // The selection is shown once there is one: the list follows the phases until then.
                if marked && screen.check == i && screen.chosen {
                    pen.fill(r, pen.look.style(Role::Selected));
                }
            }
        }
    }
    pen.more(area, first > 0, first + height < rows.len());
}

fn check_row(pen: &mut Pen<'_>, r: Rect, check: &CheckView, name: u16) {
    let (glyph, style) = pen.look.status(check.verdict.status);
    pen.text(r.x, r.y, 1, glyph, style);
    let x = r.x + 2;
    let room = r.right().saturating_sub(x);
    let role = match check.verdict.status {
        Status::Open => Role::Dim,
        Status::Fail => Role::Bad,
        _ => Role::Text,
    };
    let used = pen.put(x, r.y, room, check.name, role);
    let x = x + used.max(name) + 2;
    if x + 4 < r.right() {
        let why = if check.verdict.why.is_empty() {
            check.title
        } else {
            &check.verdict.why
        };
        pen.put(x, r.y, r.right() - x, why, Role::Dim);
    }
}

fn kind_role(kind: LogKind) -> Role {
    match kind {
        LogKind::Game | LogKind::Bot => Role::Dim,
        LogKind::Page => Role::Warn,
        LogKind::Verdict => Role::Accent,
        LogKind::Operator => Role::Title,
    }
}

/// The names of the kinds in the title, with their columns; none where there is no room.
fn kind_places(area: Rect) -> Vec<(u16, usize)> {
    if area.width < 70 {
        return Vec::new();
    }
    let mut x = area.x + 8;
    KINDS
        .iter()
        .enumerate()
        .map(|(i, (_, name))| {
            let at = x;
            x += text::width(name) + 4;
            (at, i)
        })
        .collect()
}

/// The kind whose name stands at this column of the events' title.
pub fn kind_at(area: Rect, x: u16) -> Option<usize> {
    let places = kind_places(area);
    places
        .into_iter()
        .find(|(at, i)| (*at..*at + text::width(KINDS[*i].1) + 2).contains(&x))
        .map(|p| p.1)
}

/// The event log.
pub fn events(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    if area.is_empty() {
        return;
    }
    let e = &screen.events;
    let shown = e.shown(snapshot);
    let dim = pen.look.style(Role::Dim);
    let mut parts = Vec::new();
    let places = kind_places(area);
    for &(_, i) in &places {
        let style = if e.hidden[i] {
            dim.add_modifier(Modifier::CROSSED_OUT)
        } else {
            pen.look.style(Role::Text)
        };
        // Struck out is not everywhere to be seen: a hidden kind also loses its number.
        parts.push((
            if e.hidden[i] {
                format!("- {}", KINDS[i].1)
            } else {
                format!("{} {}", i + 1, KINDS[i].1)
            },
            style,
        ));
    }
    if places.is_empty() && e.hidden.iter().any(|h| *h) {
        let n = e.hidden.iter().filter(|h| !**h).count();
        parts.push((
            format!("{n} of {} kinds", KINDS.len()),
            pen.look.style(Role::Warn),
        ));
    }
    if !e.query.is_empty() {
        let n = shown
            .iter()
            .filter(|&&i| e.matches(&snapshot.log[i]))
            .count();
        parts.push((
            format!("/{} {n}", text::fit(&e.query, 16, pen.look.ascii)),
            pen.look.style(Role::Match),
        ));
    }
    if snapshot.log_dropped > 0 {
        parts.push((format!("{} dropped", snapshot.log_dropped), dim));
    }
    let height = usize::from(area.height.saturating_sub(1));
    let first = e.first(snapshot, &shown, height);
    let behind = shown.len().saturating_sub(first + height);
    if e.top.is_some() && behind > 0 {
        parts.push((format!("{behind} more below"), pen.look.style(Role::Warn)));
    }
    let a = pen.title(area, "EVENTS", &parts, focused(screen, Pane::Events));
    if shown.is_empty() {
        pen.put(
            a.x,
            a.y,
            if a.height > 0 { a.width } else { 0 },
            "nothing yet",
            Role::Dim,
        );
    }
    for (y, &i) in (a.y..a.bottom()).zip(&shown[first..]) {
        let line = &snapshot.log[i];
        let mut x = a.x + pen.put(a.x, y, a.width, &clock(line.stamp.game_us), Role::Dim) + 1;
        if a.width >= 70 {
            let name = KINDS.iter().find(|k| k.0 == line.kind).map_or("", |k| k.1);
            pen.put(x, y, 8, name, kind_role(line.kind));
            x += 9;
        }
        let role = if line.kind == LogKind::Verdict || line.kind == LogKind::Operator {
            Role::Title
        } else {
            Role::Text
        };
        let role = if e.matches(line) { Role::Match } else { role };
        pen.put(x, y, a.right().saturating_sub(x), &line.text, role);
        if e.found == Some(snapshot.log_dropped + i as u64) {
            pen.fill(
                Rect::new(a.x, y, a.width, 1),
                pen.look.style(Role::Selected),
            );
        }
    }
    pen.more(area, first > 0, behind > 0);
}

/// A line of the program's own log, made harmless like any other text.
struct LogLines(Look);

impl LogFormatter for LogLines {
    fn min_width(&self) -> u16 {
        12
    }

    fn format(&self, width: usize, record: &ExtLogRecord) -> Vec<Line<'_>> {
        let look = self.0;
        let (word, role) = match record.level.to_string().as_str() {
            "ERROR" => ("error", Role::Bad),
            "WARN" => ("warn", Role::Warn),
            "INFO" => ("info", Role::Good),
            "DEBUG" => ("debug", Role::Dim),
            _ => ("trace", Role::Dim),
        };
        let target = record
            .target()
            .rsplit("::")
            .next()
            .unwrap_or_default()
            .to_owned();
        let text = text::fit(
            &format!("{target}: {}", record.msg().trim_start()),
            (width as u16).saturating_sub(15),
            look.ascii,
        );
        vec![Line::from(vec![
            Span::styled(
                record.timestamp.strftime("%H:%M:%S").to_string(),
                look.style(Role::Dim),
            ),
            Span::styled(format!(" {word:<5} "), look.style(role)),
            Span::styled(text, look.style(Role::Text)),
        ])]
    }
}

/// The program's own log.
pub fn log(pen: &mut Pen<'_>, area: Rect, screen: &Screen) {
    if area.is_empty() {
        return;
    }
    let hint = [(
        "PgUp PgDn, End follows".to_owned(),
        pen.look.style(Role::Dim),
    )];
    let focus = focused(screen, Pane::Log);
    let a = pen.title(area, "LOG", if focus { &hint } else { &[] }, focus);
    tui_logger::move_events();
    TuiLoggerWidget::default()
        .style(pen.look.base())
        .formatter(Box::new(LogLines(pen.look)))
        .state(&screen.log)
        .render(a, pen.buf);
}

/// The lines of a check's detail at a width.
pub fn detail_rows(
    snapshot: &Snapshot,
    check: &CheckView,
    width: u16,
    look: Look,
) -> Vec<(String, Style)> {
    let (glyph, style) = look.status(check.verdict.status);
    let word = match check.verdict.status {
        Status::Open => "not decided yet",
        Status::Pass => "passes",
        Status::Fail => "fails",
        Status::Skipped => "skipped",
    };
    let dim = look.style(Role::Dim);
    let plain = look.style(Role::Text);
    let mut rows: Vec<(String, Style)> = text::wrap(check.title, width, look.ascii)
        .into_iter()
        .map(|l| (l, dim))
        .collect();
    let phase = check.phase.map_or_else(
        || "all along".to_owned(),
        |p| format!("phase {} {}", p.number(), p.title()),
    );
    rows.push((String::new(), plain));
    rows.push((format!("{glyph} {word}, {phase}"), style));
    rows.push((String::new(), plain));
    rows.extend(
        text::wrap(&check.verdict.why, width, look.ascii)
            .into_iter()
            .map(|l| (l, plain)),
    );
    if !check.verdict.cites.is_empty() {
        rows.push((String::new(), plain));
        rows.push((
            format!("{} records decided it:", check.verdict.cites.len()),
            look.style(Role::Title),
        ));
    }
    for cite in &check.verdict.cites {
        let mut lines = snapshot
            .log
            .iter()
            .filter(|l| l.stamp.seq == *cite)
            .peekable();
        if lines.peek().is_none() {
            rows.push((format!("#{cite:<6} (its line is not in the log)"), dim));
        }
        for line in lines {
            rows.push((
                format!("#{cite:<6} {} {}", clock(line.stamp.game_us), line.text),
                plain,
            ));
        }
    }
    rows
}
