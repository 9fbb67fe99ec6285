//! Where everything goes, and what is written there.
//!
//! Comes in: a scene, what the screen remembers. Goes out: the frame's buffer; all text passes [`Pen::text`], which makes it
//! harmless. Must never know: keys, channels, the time.

use super::{Explorer, Over, Pane, map, picture};
use crate::explore::{Doing, Ending, Scene, Step};
use crate::progress::Answer;
use crate::tui::draw::Pen;
use crate::tui::look::Role;
use crate::tui::text;
use ratatui::Frame;
use ratatui::layout::Rect;

/// The smallest screen it fits.
const LEAST: (u16, u16) = (56, 16);
/// The help.
const HELP: [(&str, &str); 11] = [
    ("space", "hold, or go on; in a replay: play, or stop"),
    ("s", "one action, then hold"),
    ("d", "drive: the keyboard goes to the page"),
    ("F10 Ctrl-]", "the keyboard comes back"),
    ("tab", "from the actions to the map and back"),
    ("arrows", "move; PgUp PgDn Home; End follows"),
    ("enter", "why an action was judged so"),
    ("← → [ ]", "in a replay: moments, actions; ^ $ ends"),
    ("m", "mouse off: the terminal selects text"),
    ("q", "quit; asks while it runs"),
    ("?", "this"),
];

/// The rectangles; a pane's first row is its title.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Layout {
    pub picture: Rect,
    pub map: Rect,
    pub facts: Rect,
    pub actions: Rect,
}

impl Layout {
    pub fn of((w, h): (u16, u16)) -> Self {
        if w < LEAST.0 || h < LEAST.1 {
            return Self::default();
        }
        let body = Rect::new(1, 2, w - 2, h - 4);
        let gap = if w >= 100 { 3 } else { 2 };
        // The picture gets what a window of 16 to 10 needs, and the lists what they need at least.
        let upper = (body.height * 11 / 20).max(7);
        let wide = (((upper - 1) * 2 * 16).div_ceil(10)).min(body.width * 11 / 20);
        let right = body.x + wide + gap;
        let right_w = body.right() - right;
        let facts_h = if h >= 30 { 6 } else { 4 };
        Self {
            picture: Rect::new(body.x, body.y, wide, upper),
            facts: Rect::new(right, body.y, right_w, facts_h),
            map: Rect::new(right, body.y + facts_h, right_w, upper - facts_h),
            actions: Rect::new(
                body.x,
                body.y + upper,
                body.width,
                body.height.saturating_sub(upper),
            ),
        }
    }
}

/// Draws all of it.
pub(super) fn draw(scene: &Scene, screen: &Explorer, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut pen = Pen {
        buf: frame.buffer_mut(),
        look: screen.look,
        glyphs: screen.look.glyphs(),
    };
    pen.fill(area, screen.look.base());
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let line = format!(
            "tetrascope needs {} by {}, this is {} by {}",
            LEAST.0, LEAST.1, area.width, area.height
        );
        pen.put(
            area.x,
            area.y + area.height / 2,
            area.width,
            &line,
            Role::Text,
        );
        return;
    }
    let layout = Layout::of((area.width, area.height));
    header(&mut pen, area, scene, screen);
    page(&mut pen, layout.picture, scene);
    facts(&mut pen, layout.facts, scene);
    states(&mut pen, layout.map, scene, screen);
    if screen.detail {
        detail(&mut pen, layout.actions, scene, screen);
    } else {
        actions(&mut pen, layout.actions, scene, screen);
    }
    footer(&mut pen, area, scene, screen);
    over(&mut pen, area, screen);
}

/// What goes on, as a glyph, words and a role.
fn doing(pen: &Pen<'_>, scene: &Scene) -> (&'static str, String, Role) {
    let g = pen.glyphs;
    if let Some(showing) = scene.showing {
        let (glyph, word) = if showing.playing {
            (g.run, "playing")
        } else {
            (g.pause, "replay")
        };
        let at = (showing.at + 1).min(showing.of);
        return (glyph, format!("{word} {at}/{}", showing.of), Role::Accent);
    }
    match &scene.doing {
        Doing::Opening => (g.wait, "opening".into(), Role::Accent),
        Doing::Held => (g.pause, "held".into(), Role::Warn),
        Doing::Driven => (g.run, "driving".into(), Role::Warn),
        Doing::Ended(Ending::Failed { .. }) => (g.fail, "failed".into(), Role::Bad),
        Doing::Ended(_) => (g.stop, "over".into(), Role::Accent),
        _ if scene.holding => (g.pause, "holding".into(), Role::Warn),
        _ => (g.run, "running".into(), Role::Good),
    }
}

fn minutes(seconds: f64) -> String {
    let s = seconds.max(0.0) as u64;
    format!("{:02}:{:02}", s / 60, s % 60)
}

fn header(pen: &mut Pen<'_>, area: Rect, scene: &Scene, screen: &Explorer) {
    let right = area.right().saturating_sub(1);
    let (glyph, word, role) = doing(pen, scene);
    let mut parts = vec![(format!("{glyph} {word}"), role)];
    if scene.recorded.is_some() {
        parts.push((format!("{} rec", pen.glyphs.record), Role::Bad));
    }
    parts.push((minutes(scene.seconds), Role::Text));
    let mut x = right;
    for (part, role) in parts.iter().rev() {
        x = pen
            .put_right(x, 0, x.saturating_sub(area.width / 2), part, *role)
            .saturating_sub(2);
    }
    let name = pen.put(1, 0, 18, "tetrascope explore", Role::Accent);
    let from = 1 + name + 2;
    pen.put(from, 0, x.saturating_sub(from), &scene.target, Role::Dim);
    // Under it: what is being done, or what the operator should know.
    let failed = match scene.ended() {
        Some(Ending::Failed { .. }) => Role::Bad,
        _ => Role::Text,
    };
    let (line, role) = match (&screen.notice, &scene.note, &scene.doing) {
        (Some(notice), _, _) => (notice.clone(), Role::Warn),
        (None, Some(note), _) => (note.clone(), Role::Warn),
        (None, None, Doing::Ended(ending)) => (format!("it ended: {}", ending.words()), failed),
        (None, None, Doing::Opening) => ("opening the page".into(), Role::Dim),
        (None, None, Doing::Watching) => ("watching what moves by itself".into(), Role::Dim),
        (None, None, Doing::Acting(what)) => (what.clone(), Role::Text),
        (None, None, Doing::Judged) => {
            let last = scene.steps.last().map(|s| sentence(s));
            (last.unwrap_or_default(), Role::Text)
        }
        (None, None, Doing::Returning) => ("back by the way it came".into(), Role::Dim),
        (None, None, Doing::Held) => ("held: space goes on, s does one action".into(), Role::Warn),
        (None, None, Doing::Driven) => (
            "your keys go to the page; F10 or Ctrl-] ends that".into(),
            Role::Warn,
        ),
    };
    pen.put(1, 1, area.width.saturating_sub(2), &line, role);
}

/// A step in a line.
fn sentence(step: &Step) -> String {
    let why = step.reasons.first().map_or("", String::as_str);
    format!("{}: {}, {why}", step.action, step.verdict.word())
}

fn page(pen: &mut Pen<'_>, area: Rect, scene: &Scene) {
    let size = scene.picture.as_ref().map_or_else(Vec::new, |p| {
        let size = format!("{}{}{}", p.width(), pen.glyphs.times, p.height());
        vec![(size, pen.look.style(Role::Dim))]
    });
    let inside = pen.title(area, "PAGE", &size, false);
    match &scene.picture {
        Some(p) => drop(picture::picture(pen, inside, p, &scene.boxes)),
        None => drop(pen.put(
            inside.x,
            inside.y,
            inside.width,
            "no picture yet",
            Role::Dim,
        )),
    }
}

/// How far it got, and what is left.
fn facts(pen: &mut Pen<'_>, area: Rect, scene: &Scene) {
    let inside = pen.title(area, "SO FAR", &[], false);
    let all = &scene.allowance;
    let ahead = scene
        .steps
        .iter()
        .filter(|s| s.verdict == Answer::Progressed)
        .count();
    let dead = scene.places.iter().filter(|p| p.dead_end).count();
    let mut lines = vec![
        (
            format!(
                "screens {}, states {}, dead ends {dead}",
                scene.screens(),
                scene.places.len()
            ),
            Role::Text,
        ),
        (
            format!(
                "{} of {} actions, {ahead} led on; stuck {} of {}",
                scene.steps.len(),
                all.actions,
                scene.stuck,
                all.stuck
            ),
            if scene.stuck >= all.stuck {
                Role::Warn
            } else {
                Role::Text
            },
        ),
        (
            match all.dollars {
                Some(budget) => format!("${:.4} of ${budget:.2} on a model", scene.dollars),
                None => "$0: no model is asked".into(),
            },
            Role::Dim,
        ),
        (
            format!(
                "dialogs {}, errors {}, went back {}",
                scene.dialogs, scene.errors, scene.backtracks
            ),
            if scene.errors > 0 {
                Role::Bad
            } else {
                Role::Dim
            },
        ),
    ];
    if let Some(most) = all.seconds {
        lines.insert(2, (format!("of {} at most", minutes(most)), Role::Dim));
    }
    let bottom = inside.bottom().saturating_sub(u16::from(inside.height > 4));
    for (y, (line, role)) in (inside.y..bottom).zip(&lines) {
        pen.put(inside.x, y, inside.width, line, *role);
    }
}

fn states(pen: &mut Pen<'_>, area: Rect, scene: &Scene, screen: &Explorer) {
    let dots = |p: &[usize]| {
        let shown = p.len().saturating_sub(8);
        let names: Vec<String> = p[shown..].iter().map(ToString::to_string).collect();
        let arrow = if pen.look.ascii { " > " } else { " → " };
        format!(
            "{}{}",
            if shown > 0 { ".. " } else { "" },
            names.join(arrow)
        )
    };
    let path = (!scene.path.is_empty()).then(|| (dots(&scene.path), pen.look.style(Role::Dim)));
    let focused = screen.focus == Pane::Map && screen.over.is_none() && !screen.driving;
    let inside = pen.title(area, "STATES", path.as_slice(), focused);
    let lines = map::lines(scene, pen.look.ascii);
    let height = usize::from(inside.height);
    let here = lines.iter().position(|l| Some(l.state) == scene.here);
    let last = lines.len().saturating_sub(height);
    let top = screen
        .map_top
        .unwrap_or_else(|| here.unwrap_or(0).saturating_sub(height / 2))
        .min(last);
    for (y, line) in (inside.y..inside.bottom()).zip(lines.iter().skip(top)) {
        let place = &scene.places[line.state];
        let mut x = inside.x;
        let right = inside.right();
        x += pen.put(x, y, right - x, &line.branch, Role::Dim);
        let on_path = scene.path.contains(&line.state);
        let role = match (Some(line.state) == scene.here, on_path) {
            (true, _) => Role::Selected,
            (false, true) => Role::Accent,
            _ => Role::Text,
        };
        let mark = match (place.dead_end, Some(line.state) == scene.here) {
            (_, true) => pen.glyphs.here,
            (true, _) => pen.glyphs.fail,
            _ => pen.glyphs.wait,
        };
        let name = format!("{mark} {}", line.state);
        x += pen.put(x, y, right.saturating_sub(x), &name, role) + 1;
        let screen_no = format!("screen {}", place.screen + 1);
        x += pen.put(x, y, right.saturating_sub(x), &screen_no, Role::Dim) + 1;
        if !line.by.is_empty() && x < right {
            x += pen.put(x, y, right - x, &line.by, Role::Text) + 1;
        }
        if !line.others.is_empty() && x < right {
            let names: Vec<String> = line
                .others
                .iter()
                .take(6)
                .map(ToString::to_string)
                .collect();
            let also = format!("also to {}", names.join(" "));
            pen.put(x, y, right - x, &also, Role::Dim);
        }
    }
    pen.more(area, top > 0, top < last);
}

/// A verdict as a glyph and a role.
fn verdict(pen: &Pen<'_>, answer: Answer) -> (&'static str, Role) {
    match answer {
        Answer::Progressed => (pen.glyphs.pass, Role::Good),
        Answer::Unchanged => (pen.glyphs.skip, Role::Dim),
        Answer::Uncertain => ("?", Role::Warn),
    }
}

fn actions(pen: &mut Pen<'_>, area: Rect, scene: &Scene, screen: &Explorer) {
    let hint = screen
        .chosen
        .map(|_| ("End follows".to_string(), pen.look.style(Role::Dim)));
    let focused = screen.focus == Pane::Actions && screen.over.is_none() && !screen.driving;
    let inside = pen.title(area, "ACTIONS", hint.as_slice(), focused);
    if scene.steps.is_empty() {
        pen.put(
            inside.x,
            inside.y,
            inside.width,
            "nothing was done yet",
            Role::Dim,
        );
        return;
    }
    let height = usize::from(inside.height);
    let selected = screen.selected(scene).unwrap_or(0);
    let last = scene.steps.len().saturating_sub(height);
    let top = match screen.chosen {
        None => last,
        Some(at) => at.saturating_sub(height / 2).min(last),
    };
    let what = (inside.width / 3).clamp(18, 44);
    for (y, (i, step)) in (inside.y..inside.bottom()).zip(scene.steps.iter().enumerate().skip(top))
    {
        let right = inside.right();
        let row = Rect::new(inside.x, y, inside.width, 1);
        let chosen = screen.chosen.is_some() && i == selected;
        let number = format!("{:3}", step.number);
        pen.put(
            inside.x,
            y,
            4,
            &number,
            if chosen { Role::Accent } else { Role::Dim },
        );
        let (glyph, role) = verdict(pen, step.verdict);
        pen.put(inside.x + 4, y, 1, glyph, role);
        pen.put(inside.x + 6, y, what, &step.action, Role::Text);
        let mut x = inside.x + 6 + what + 1;
        let arrow = if pen.look.ascii { ">" } else { "→" };
        let way = if step.verdict == Answer::Progressed {
            format!(
                "{}{arrow}{}{}",
                step.state,
                step.to,
                if step.novel { " new" } else { "" }
            )
        } else {
            step.state.to_string()
        };
        x += pen.put(
            x,
            y,
            right.saturating_sub(x),
            &format!("{way:<9}"),
            Role::Dim,
        ) + 1;
        let why = step.reasons.first().map_or("", String::as_str);
        if x < right {
            pen.put(x, y, right - x, why, role);
        }
        if chosen {
            pen.fill(row, pen.look.style(Role::Selected));
        }
    }
    pen.more(area, top > 0, top < last);
}

/// One action with everything that was said of it.
fn detail(pen: &mut Pen<'_>, area: Rect, scene: &Scene, screen: &Explorer) {
    let Some(step) = screen.selected(scene).and_then(|i| scene.steps.get(i)) else {
        return actions(pen, area, scene, screen);
    };
    let title = format!("ACTION {}", step.number);
    let inside = pen.title(area, &title, &[], true);
    let (_, role) = verdict(pen, step.verdict);
    let sure = format!(
        "{}: {}, {:.0} % sure, {:.1} s",
        step.action,
        step.verdict.word(),
        step.confidence * 100.0,
        step.milliseconds / 1000.0
    );
    let mut lines = vec![(sure, role)];
    lines.extend(step.reasons.iter().map(|r| (format!("  {r}"), Role::Text)));
    lines.extend(step.advice.iter().map(|a| (format!("  {a}"), Role::Dim)));
    lines.extend(
        step.dialogs
            .iter()
            .map(|d| (format!("  dialog: {d}"), Role::Warn)),
    );
    lines.extend(
        step.errors
            .iter()
            .map(|e| (format!("  error: {e}"), Role::Bad)),
    );
    let mut y = inside.y;
    for (line, role) in lines {
        for part in text::wrap(&line, inside.width.saturating_sub(2), pen.look.ascii) {
            if y >= inside.bottom() {
                return;
            }
            pen.put(inside.x, y, inside.width, &part, role);
            y += 1;
        }
    }
}

fn footer(pen: &mut Pen<'_>, area: Rect, scene: &Scene, screen: &Explorer) {
    let y = area.bottom() - 1;
    let hints: &[(&str, &str)] = if screen.driving {
        &[("F10 Ctrl-]", "keyboard back")]
    } else if scene.showing.is_some() {
        &[
            ("space", "play"),
            ("← →", "moment"),
            ("[ ]", "action"),
            ("enter", "why"),
            ("?", "help"),
            ("q", "quit"),
        ]
    } else {
        &[
            ("space", if scene.holding { "go on" } else { "hold" }),
            ("s", "step"),
            ("d", "drive"),
            ("tab", "pane"),
            ("enter", "why"),
            ("?", "help"),
            ("q", "quit"),
        ]
    };
    let mut x = 1;
    for (key, label) in hints {
        if x + text::width(key) + text::width(label) + 3 >= area.right() {
            break;
        }
        x += pen.put(x, y, area.width, key, Role::Accent) + 1;
        x += pen.put(x, y, area.width, label, Role::Dim) + 2;
    }
}

fn over(pen: &mut Pen<'_>, area: Rect, screen: &Explorer) {
    let lines: Vec<(String, Role)> = match screen.over {
        None => return,
        Some(Over::Quit) => vec![
            ("It is still exploring. Quit?".into(), Role::Text),
            ("y or enter quits, any other key stays".into(), Role::Dim),
        ],
        Some(Over::Help) => HELP
            .iter()
            .map(|(key, does)| (format!("{key:<11} {does}"), Role::Text))
            .collect(),
    };
    let title = if screen.over == Some(Over::Help) {
        "KEYS"
    } else {
        "QUIT"
    };
    let widest = lines.iter().map(|l| text::width(&l.0)).max().unwrap_or(0);
    let (w, h) = (
        (widest + 4).min(area.width),
        (lines.len() as u16 + 3).min(area.height),
    );
    let rect = Rect::new((area.width - w) / 2, (area.height - h) / 2, w, h);
    let blank = " ".repeat(usize::from(w));
    for y in rect.y..rect.bottom() {
        pen.text(rect.x, y, w, &blank, ratatui::style::Style::new());
    }
    let inside = pen.title(Rect::new(rect.x + 2, rect.y, w - 4, h), title, &[], true);
    for (y, (line, role)) in (inside.y + 1..inside.bottom()).zip(&lines) {
        pen.put(inside.x, y, inside.width, line, *role);
    }
}
