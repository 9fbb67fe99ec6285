//! What frames the panes: header, status line, footer.

use super::{Pen, clock, factor, number};
use crate::model::ClockMode;
use crate::session::{RunState, Snapshot};
use crate::tui::keymap::Intent;
use crate::tui::look::Role;
use crate::tui::screen::{Overlay, Pane, Screen};
use crate::tui::text;
use ratatui::layout::Rect;

/// The state as a glyph, a word and a role.
fn state(pen: &Pen<'_>, snapshot: &Snapshot) -> (&'static str, &'static str, Role) {
    let g = pen.glyphs;
    if snapshot.replay.is_some() {
        match snapshot.state {
            RunState::Running => return (g.run, "playing", Role::Good),
            RunState::Held => return (g.pause, "stopped", Role::Accent),
            RunState::Finished => return (g.stop, "at its end", Role::Accent),
            _ => {}
        }
    }
    match &snapshot.state {
        RunState::Opening => (g.wait, "opening", Role::Accent),
        RunState::Running => (g.run, "running", Role::Good),
        RunState::Holding => (g.pause, "holding", Role::Warn),
        RunState::Held => (g.pause, "held", Role::Warn),
        RunState::Finished => (g.stop, "finished", Role::Accent),
        RunState::Failed(_) => (g.fail, "failed", Role::Bad),
    }
}

/// A rate with no more digits than one can read at a glance.
fn rate(v: f64) -> String {
    if v.is_finite() && v < 10.0 {
        format!("{v:.1}")
    } else {
        number(v.round())
    }
}

/// One line: what is watched, where it stands, how fast.
pub fn header(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot) {
    let (y, right) = (area.y, area.right().saturating_sub(1));
    // From the right: what matters least goes first where room is short.
    let (glyph, word, role) = state(pen, snapshot);
    let phase = snapshot
        .phase
        .map(|p| (format!("{}/8", p.number()), p.title()));
    let mut parts: Vec<(String, Role)> = Vec::new();
    if let Some((n, title)) = &phase {
        parts.push((format!("{n} {title}"), Role::Text));
    }
    parts.push((format!("{glyph} {word}"), role));
    if snapshot.replay.is_some() {
        parts.push(("replay".into(), Role::Accent));
    }
    if snapshot.recording.on {
        parts.push((format!("{} rec", pen.glyphs.record), Role::Bad));
    } else if snapshot.recording.fault.is_some() {
        parts.push(("rec stopped".into(), Role::Warn));
    }
    if snapshot.driving {
        parts.push(("driving".into(), Role::Selected));
    }
    if snapshot.frozen {
        parts.push(("frozen".into(), Role::Warn));
    }
    let c = &snapshot.clock;
    let speed = match c.mode {
        ClockMode::Real => "real time".to_owned(),
        ClockMode::Virtual => {
            let off = c.speed.is_infinite() || (c.reached - c.speed).abs() > 0.05 * c.speed;
            let reached = if off && !snapshot.frozen && area.width >= 100 {
                format!(", reached {}", rate(c.reached))
            } else if off && !snapshot.frozen {
                format!(" ({})", rate(c.reached))
            } else {
                String::new()
            };
            format!("{}{reached}", factor(pen, c.speed))
        }
    };
    // Before the page is there, these have nothing to say.
    let opening = snapshot.state == RunState::Opening;
    if !opening {
        parts.push((
            format!("{} {speed}", clock(snapshot.stamp.game_us)),
            Role::Text,
        ));
    }
    let unit = if area.width >= 100 { " reads/s" } else { "/s" };
    if !opening {
        parts.push((
            format!("{:.0}{unit}", snapshot.reads_per_second.max(0.0)),
            Role::Dim,
        ));
    }
    if area.width >= 100 && !opening {
        parts.push((
            format!("{} dropped", snapshot.dropped),
            if snapshot.dropped > 0 {
                Role::Warn
            } else {
                Role::Dim
            },
        ));
    }
    let gap = if area.width >= 100 { 4 } else { 2 };
    let name = pen.put(1, y, 12, "tetrascope", Role::Accent);
    let least_target = 14.min(text::width(&snapshot.target));
    let width =
        |parts: &[(String, Role)]| -> u16 { parts.iter().map(|p| text::width(&p.0) + gap).sum() };
    while parts.len() > 2 && 1 + name + 2 + least_target + width(&parts) > right {
        parts.pop();
    }
    let target_room = right.saturating_sub(1 + name + 2 + width(&parts));
    pen.put(1 + name + 2, y, target_room, &snapshot.target, Role::Dim);
    let mut x = right
        .saturating_sub(width(&parts).saturating_sub(gap))
        .max(1 + name + 1);
    for (part, role) in &parts {
        x += pen.put(x, y, right.saturating_sub(x), part, *role) + gap;
    }
}

/// One line: what is being done, or what the operator should know; at the right how the page is.
pub fn status(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    let (y, right) = (area.y, area.right().saturating_sub(1));
    let h = &snapshot.health;
    let mut health = Vec::new();
    for (n, one, many, role) in [
        (h.errors, "error", "errors", Role::Bad),
        (h.refused, "refused", "refused", Role::Warn),
        (h.dialogs, "dialog", "dialogs", Role::Warn),
    ] {
        if n > 0 {
            health.push((format!("{n} {}", if n == 1 { one } else { many }), role));
        }
    }
    if area.width < 100 && snapshot.dropped > 0 {
        health.push((format!("{} dropped", snapshot.dropped), Role::Warn));
    }
    let opening = snapshot.state == RunState::Opening;
    if let Some(replay) = &snapshot.replay {
        health.clear();
        let troubles = text::fit(&replay.troubles, area.width / 2, pen.look.ascii);
        health.push(if troubles.is_empty() {
            (format!("record {}", replay.seq), Role::Dim)
        } else {
            (troubles, Role::Warn)
        });
    } else if opening && health.is_empty() {
        health.push(("not there yet".into(), Role::Dim));
    } else if !h.responsive && !opening && snapshot.state != RunState::Finished {
        health.insert(0, ("no answer".into(), Role::Bad));
    } else if health.is_empty() {
        health.push(("ok".into(), Role::Good));
    }
    let total: u16 = health.iter().map(|p| text::width(&p.0) + 2).sum::<u16>() + 6;
    let mut x = right.saturating_sub(total.saturating_sub(2));
    let left_room = x.saturating_sub(3);
    if snapshot.replay.is_none() {
        x += pen.put(x, y, right.saturating_sub(x), "page  ", Role::Dim);
    }
    x = x.max(right.saturating_sub(total.saturating_sub(2)) + 6);
    for (part, role) in &health {
        x += pen.put(x, y, right.saturating_sub(x), part, *role) + 2;
    }

    let selected = snapshot
        .checks
        .get(screen.check)
        .filter(|_| screen.focus == Pane::Checks && screen.chosen);
    let (line, role) = if let Some(n) = &screen.notice {
        (n.clone(), Role::Warn)
    } else if let RunState::Failed(why) = &snapshot.state {
        (why.clone(), Role::Bad)
    } else if let Some(c) = selected {
        let why = if c.verdict.why.is_empty() {
            c.title
        } else {
            &c.verdict.why
        };
        (format!("{}: {why}", c.name), Role::Text)
    } else if !snapshot.doing.is_empty() {
        (snapshot.doing.clone(), Role::Text)
    } else {
        (h.last.clone(), Role::Dim)
    };
    pen.put(1, y, left_room, &line, role);
}

/// The usual key, what it does, and what a click on it means.
type Hint = (&'static str, &'static str, Intent);

/// The hints of the moment, the most useful first.
fn hints(snapshot: &Snapshot, screen: &Screen) -> Vec<Hint> {
    const HELP: Hint = ("?", "help", Intent::Help);
    if screen.driving {
        return Vec::new();
    }
    match screen.overlay {
        Some(Overlay::Check { .. }) if snapshot.replay.is_some() => {
            return vec![
                ("enter", "next of its records", Intent::Enter),
                ("esc", "close", Intent::Escape),
                ("arrows", "scroll", Intent::Down),
            ];
        }
        Some(Overlay::Help { .. } | Overlay::Check { .. }) => {
            return vec![
                ("esc", "close", Intent::Escape),
                ("arrows", "scroll", Intent::Down),
            ];
        }
        Some(Overlay::Controls { listening: true } | Overlay::TryKey) => return Vec::new(),
        Some(Overlay::Board) => {
            return vec![
                ("tab", "what the arrows change", Intent::FocusNext),
                ("t", "type it", Intent::Time),
                ("enter", "teach a cell", Intent::Enter),
                ("u", "undo", Intent::Undo),
                ("h", "how sure", Intent::Heat),
                ("w", "save", Intent::Save),
                ("esc", "close", Intent::Escape),
            ];
        }
        Some(Overlay::Controls { .. }) => {
            return vec![
                ("enter", "press a new key", Intent::Enter),
                ("x", "clear", Intent::Clear),
                ("r", "look again", Intent::Record),
                ("t", "try a key", Intent::Time),
                ("w", "save", Intent::Save),
                ("esc", "close", Intent::Escape),
            ];
        }
        Some(Overlay::Phases) => {
            return vec![
                ("enter", "go there", Intent::Enter),
                ("esc", "close", Intent::Escape),
            ];
        }
        Some(Overlay::Quit) => {
            return vec![
                ("enter", "quit", Intent::Enter),
                ("esc", "stay", Intent::Escape),
            ];
        }
        None => {}
    }
    if let Some(replay) = &snapshot.replay {
        let mut hints = vec![
            (
                "space",
                if replay.playing { "stop" } else { "play" },
                Intent::Hold,
            ),
            ("←", "", Intent::Left),
            ("→", "picture", Intent::Right),
            ("[", "", Intent::PrevEvent),
            ("]", "event", Intent::NextEvent),
            ("{", "", Intent::PrevPhase),
            ("}", "phase", Intent::NextPhase),
            ("n", "failure", Intent::Next),
            ("t", "time", Intent::Time),
        ];
        if matches!(screen.focus, Pane::Checks | Pane::Events) {
            hints.push(("enter", "go there", Intent::Enter));
        }
        hints.extend([
            ("<", "", Intent::Slower),
            (">", "speed", Intent::Faster),
            ("g", "go to", Intent::GoTo),
            ("c", "controls", Intent::Controls),
            ("/", "search", Intent::Search),
            ("tab", "pane", Intent::FocusNext),
            ("q", "quit", Intent::Quit),
            HELP,
        ]);
        return hints;
    }
    let held = matches!(snapshot.state, RunState::Holding | RunState::Held);
    let mut hints = vec![
        ("space", if held { "go on" } else { "hold" }, Intent::Hold),
        (
            "f",
            if snapshot.frozen { "thaw" } else { "freeze" },
            Intent::Freeze,
        ),
        ("s", "step", Intent::StepFrame),
    ];
    if screen.focus == Pane::Events && !screen.events.query.is_empty() {
        hints.extend([
            ("n", "next match", Intent::Next),
            ("N", "before", Intent::Previous),
            ("esc", "end search", Intent::Escape),
        ]);
    } else {
        hints.push(("n", "next", Intent::Next));
    }
    match screen.focus {
        Pane::Checks => hints.push(("enter", "detail", Intent::Enter)),
        Pane::Events => hints.extend([
            ("/", "search", Intent::Search),
            ("End", "follow", Intent::End),
        ]),
        _ => {}
    }
    hints.extend([
        ("d", "drive", Intent::Drive),
        ("c", "controls", Intent::Controls),
        ("b", "board", Intent::Board),
        ("<", "", Intent::Slower),
        (">", "speed", Intent::Faster),
        ("g", "go to", Intent::GoTo),
        ("/", "search", Intent::Search),
        (
            "r",
            if snapshot.recording.on {
                "end rec"
            } else {
                "record"
            },
            Intent::Record,
        ),
        ("l", "log", Intent::Log),
        ("tab", "pane", Intent::FocusNext),
    ]);
    hints.dedup_by_key(|h| h.2);
    if screen.focus == Pane::Events {
        let first = hints.iter().position(|h| h.2 == Intent::Search);
        let mut i = 0;
        hints.retain(|h| {
            i += 1;
            h.2 != Intent::Search || Some(i - 1) == first
        });
    }
    hints.push(("q", "quit", Intent::Quit));
    hints.push(HELP);
    hints
}

/// The key of a hint as it is bound; some are said in words.
fn bound(screen: &Screen, hint: &Hint) -> String {
    if hint.0 == "arrows" {
        return hint.0.into();
    }
    screen.keys.key(hint.2)
}

/// The hints that fit, with their columns.
fn placed(snapshot: &Snapshot, screen: &Screen, area: Rect) -> Vec<(u16, u16, Hint)> {
    let width =
        |h: &Hint| text::width(&bound(screen, h)) + u16::from(!h.1.is_empty()) + text::width(h.1);
    let gap = |h: &Hint| if h.1.is_empty() { 1 } else { 2 };
    let mut hints = hints(snapshot, screen);
    // What has no key cannot be hinted at.
    hints.retain(|h| !bound(screen, h).is_empty());
    let total = |hints: &[Hint]| hints.iter().map(|h| width(h) + gap(h)).sum::<u16>();
    // The last two, quit and help, stay.
    while hints.len() > 3 && total(&hints) > area.width {
        let gone = hints.remove(hints.len() - 3);
        if gone.2 == Intent::Faster {
            hints.retain(|h| h.2 != Intent::Slower);
        }
    }
    let mut x = area.x + 1;
    let mut out = Vec::new();
    for h in hints {
        let w = width(&h);
        if x + w > area.right() {
            break;
        }
        out.push((x, w, h));
        x += w + gap(&h);
    }
    out
}

/// What a click at this column of the footer means.
pub fn hint_at(snapshot: &Snapshot, screen: &Screen, area: Rect, x: u16) -> Option<Intent> {
    placed(snapshot, screen, area)
        .into_iter()
        .find(|(at, w, _)| (*at..at + w).contains(&x))
        .map(|(_, _, h)| h.2)
}

/// The keys that give the keyboard back.
fn ways_back(screen: &Screen) -> String {
    screen
        .keys
        .keys(&[Intent::GiveBack], 24)
        .replace(' ', " or ")
}

fn driving(screen: &Screen) -> String {
    format!(
        "driving: every key goes to the page; {} brings the keyboard back, {} quits",
        ways_back(screen),
        screen.keys.key(Intent::QuitNow)
    )
}

/// The most useful keys of the moment.
pub fn footer(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    let room = area.width.saturating_sub(2);
    if screen.driving {
        pen.fill(area, pen.look.style(Role::Selected));
        let role = pen.look.style(Role::Selected);
        pen.text(1, area.y, room, &driving(screen), role);
        return;
    }
    if screen.overlay == Some(Overlay::Controls { listening: true }) {
        pen.put(
            1,
            area.y,
            room,
            &format!(
                "press the key for this action; {} leaves it as it is",
                ways_back(screen)
            ),
            Role::Warn,
        );
        return;
    }
    let typed = [
        (
            &screen.events.field,
            "search the events: ",
            "enter find  esc leave",
        ),
        (
            &screen.time,
            "go to the time (1:23.5): ",
            "enter go  esc leave",
        ),
    ];
    if let Some((Some(field), question, keys)) = typed.into_iter().find(|t| t.0.is_some()) {
        let x = 1 + pen.put(1, area.y, room, question, Role::Dim);
        let w = area.right().saturating_sub(x + 24).max(8);
        let scroll = field.visual_scroll(usize::from(w.saturating_sub(1)));
        let shown: String = field.value().chars().skip(scroll).collect();
        pen.put(x, area.y, w, &shown, Role::Text);
        let at = x + (field.visual_cursor().saturating_sub(scroll) as u16).min(w.saturating_sub(1));
        if let Some(cell) = pen.buf.cell_mut((at, area.y)) {
            cell.set_style(
                ratatui::style::Style::new().add_modifier(ratatui::style::Modifier::REVERSED),
            );
        }
        pen.put_right(area.right() - 1, area.y, 22, keys, Role::Dim);
        return;
    }
    for (x, _, hint) in placed(snapshot, screen, area) {
        let x = x + pen.put(x, area.y, room, &bound(screen, &hint), Role::Accent) + 1;
        pen.put(x, area.y, room, hint.1, Role::Dim);
    }
}
