//! The report as one page: everything inside of it, nothing fetched, nothing run.
//!
//! Comes in: the report, pictures, numbers over time, the event log. Goes out: HTML. Must never know: files.
//! All text of the judged page is escaped; a policy in the page forbids scripts and requests even so.

mod plot;

pub use plot::Series;

use super::{BotReport, Test};
use crate::model::{CellState, Grid, Phase};
use base64::Engine;
use std::fmt::Write;
use std::sync::Arc;

/// How pages of ours look: light and dark, wide and narrow.
pub const STYLE: &str = include_str!("html/style.css");

/// What the page shows beside the report.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// Pictures of what decided a check.
    pub shots: Vec<Shot>,
    /// Numbers over game time.
    pub series: Vec<Series>,
    /// The event log.
    pub events: Vec<Event>,
    /// What is wrong with the recording; empty for nothing.
    pub troubles: String,
}

/// A picture of the board with what was read of it.
#[derive(Debug, Clone)]
pub struct Shot {
    /// The check.
    pub check: String,
    /// Number of the record.
    pub seq: u64,
    /// Game time in microseconds.
    pub game_us: u64,
    /// The picture as PNG; `None` where it is gone.
    pub png: Option<Vec<u8>>,
    /// What was read.
    pub grid: Arc<Grid>,
    /// Cells of the falling piece.
    pub active: Vec<(i32, i32)>,
}

/// A line of the event log.
#[derive(Debug, Clone)]
pub struct Event {
    /// Game time in microseconds.
    pub game_us: u64,
    /// game, bot, page, verdict or operator.
    pub kind: &'static str,
    /// What.
    pub text: String,
}

/// Text as it may stand anywhere in a page.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Minutes, seconds and tenths.
pub(super) fn time(us: u64) -> String {
    let tenths = us / 100_000;
    format!(
        "{:02}:{:02}.{}",
        tenths / 600,
        tenths / 10 % 60,
        tenths % 10
    )
}

/// A page, written piece by piece. Writing into a string cannot fail.
#[derive(Default)]
struct Page(String);

impl Page {
    fn raw(&mut self, html: &str) {
        self.0.push_str(html);
    }

    fn put(&mut self, args: std::fmt::Arguments<'_>) {
        let _ = self.0.write_fmt(args);
    }
}

/// The word of a status for people, and its sign.
fn status(test: &Test) -> (&'static str, &'static str) {
    match test.status.as_str() {
        "pass" => ("passed", "✓"),
        "fail" => ("failed", "✗"),
        _ => ("skipped", "–"),
    }
}

/// The page.
pub fn page(report: &BotReport, extras: &Extras) -> String {
    let mut p = Page::default();
    let target = escaped(&report.target);
    p.put(format_args!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
         <title>{target}: judged by tetrascope</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    ));
    head(&mut p, report, extras);
    checks(&mut p, report, extras);
    plot::plots(&mut p.0, &extras.series);
    implementation(&mut p, report);
    events(&mut p, &extras.events);
    let tool = escaped(&report.tool.version);
    p.put(format_args!(
        "</main>\n<footer>tetrascope {tool}</footer>\n</body>\n</html>\n"
    ));
    p.0
}

fn head(p: &mut Page, report: &BotReport, extras: &Extras) {
    let s = &report.summary;
    p.put(format_args!(
        "<header>\n<p class=\"tool\">tetrascope report</p>\n<h1>{}</h1>\n",
        escaped(&report.target)
    ));
    if let Some(why) = &report.could_not_judge {
        p.put(format_args!(
            "<p class=\"alarm\"><strong>It could not be judged wholly:</strong> {}</p>\n",
            escaped(why)
        ));
    }
    if !extras.troubles.is_empty() {
        p.put(format_args!(
            "<p class=\"alarm\"><strong>The recording:</strong> {}</p>\n",
            escaped(&extras.troubles)
        ));
    }
    p.put(format_args!(
        "<p class=\"score\"><strong>{:.0} %</strong> {} of {} checks that could be tried passed</p>\n",
        s.score,
        s.passed,
        s.passed + s.failed
    ));
    p.put(format_args!(
        "<ul class=\"counts\"><li class=\"fail\">✗ {} failed</li><li class=\"pass\">✓ {} passed</li>\
         <li class=\"skipped\">– {} skipped</li></ul>\n",
        s.failed, s.passed, s.skipped
    ));
    let clock = match report.clock.speed {
        Some(speed) => format!("{speed} times real time"),
        None => "as fast as it goes".into(),
    };
    p.put(format_args!(
        "<p class=\"facts\">{:.1} s of game in {:.1} s, {clock}; {} readings, {} pieces, {} lines</p>\n</header>\n",
        report.game_seconds,
        report.wall_seconds,
        report.session.frames,
        report.session.pieces_locked,
        report.session.lines_cleared
    ));
}

fn checks(p: &mut Page, report: &BotReport, extras: &Extras) {
    p.raw("<section aria-labelledby=\"checks\">\n<h2 id=\"checks\">Checks</h2>\n");
    let mut phases: Vec<Option<Phase>> = Vec::new();
    for test in &report.tests {
        if !phases.contains(&test.phase) {
            phases.push(test.phase);
        }
    }
    for phase in phases {
        let title = phase.map_or_else(
            || "All along".to_owned(),
            |p| format!("{}. {}", p.number(), p.title()),
        );
        p.put(format_args!("<h3>{}</h3>\n", escaped(&title)));
        for test in report.tests.iter().filter(|t| t.phase == phase) {
            check(p, test, extras);
        }
    }
    p.raw("</section>\n");
}

fn check(p: &mut Page, test: &Test, extras: &Extras) {
    let (word, sign) = status(test);
    let open = if test.status == "fail" { " open" } else { "" };
    let asked = test.detail.split(": ").next().unwrap_or_default();
    p.put(format_args!(
        "<details class=\"check {word}\"{open}><summary><span class=\"sign\" aria-hidden=\"true\">{sign}</span> \
         <span class=\"name\">{}</span> <span class=\"word\">{word}</span> <span class=\"asked\">{}</span></summary>\n\
         <p>{}</p>\n",
        escaped(&test.name),
        escaped(asked),
        escaped(&test.why)
    ));
    if !test.evidence.is_empty() {
        let records: Vec<String> = test.evidence.iter().map(|e| format!("#{e}")).collect();
        p.put(format_args!(
            "<p class=\"records\">decided by {}</p>\n",
            records.join(", ")
        ));
    }
    let shots: Vec<&Shot> = extras
        .shots
        .iter()
        .filter(|s| s.check == test.name)
        .collect();
    if !shots.is_empty() {
        p.raw("<div class=\"shots\">\n");
        for one in shots {
            shot(p, one);
        }
        p.raw("</div>\n");
    }
    p.raw("</details>\n");
}

/// Pixels a cell in the drawing over a picture.
const CELL: u16 = 10;

#[allow(clippy::many_single_char_names)]
fn shot(p: &mut Page, shot: &Shot) {
    let (w, h) = (shot.grid.columns() * CELL, shot.grid.rows() * CELL);
    let read = |c: i32, r: i32| shot.grid.get(c, r).map(|cell| cell.state);
    let filled = shot.grid.filled_cells().len();
    p.put(format_args!(
        "<figure><svg viewBox=\"0 0 {w} {h}\" role=\"img\" aria-label=\"the board at record {}: {filled} of {} cells filled, \
         {} of them the falling piece\">\n",
        shot.seq,
        shot.grid.columns() * shot.grid.rows(),
        shot.active.len()
    ));
    if let Some(png) = &shot.png {
        let data = base64::engine::general_purpose::STANDARD.encode(png);
        p.put(format_args!(
            "<image href=\"data:image/png;base64,{data}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\"/>\n"
        ));
    }
    for r in 0..i32::from(shot.grid.rows()) {
        for c in 0..i32::from(shot.grid.columns()) {
            let class = match read(c, r) {
                _ if shot.active.contains(&(c, r)) => "active",
                Some(CellState::Filled) => "filled",
                Some(CellState::Ghost) => "ghost",
                _ => continue,
            };
            let (x, y) = (c * i32::from(CELL) + 1, r * i32::from(CELL) + 1);
            let side = CELL - 2;
            p.put(format_args!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\"/>"
            ));
        }
    }
    let gone = if shot.png.is_none() {
        ", its picture is missing"
    } else {
        ""
    };
    p.put(format_args!(
        "</svg>\n<figcaption>#{} at {}{gone}</figcaption></figure>\n",
        shot.seq,
        time(shot.game_us)
    ));
}

fn implementation(p: &mut Page, report: &BotReport) {
    let i = &report.implementation;
    p.raw("<section aria-labelledby=\"how\">\n<h2 id=\"how\">How the page is made and played</h2>\n<dl>\n");
    let mut fact = |name: &str, text: &str| {
        if !text.is_empty() {
            p.put(format_args!("<dt>{name}</dt><dd>{}</dd>\n", escaped(text)));
        }
    };
    if let Some(b) = &i.board {
        let where_ = format!(
            "{} columns, {} rows at {:.0},{:.0}, {:.0}×{:.0} px, confidence {:.2}: {}",
            b.columns, b.rows, b.x, b.y, b.width, b.height, b.confidence, b.why
        );
        fact("Board", &where_);
    }
    fact("Read from", &i.reader);
    fact("Started by", &format!("{}: {}", i.start_mechanism, i.start));
    fact("Clock", &report.clock.why);
    fact("Changed by hand", &report.operator.join("; "));
    p.raw("</dl>\n");
    if !i.control_map.is_empty() {
        p.raw(
            "<div class=\"wide\"><table><caption>Keys</caption><thead><tr><th scope=\"col\">Action</th>\
             <th scope=\"col\">Key</th><th scope=\"col\">How sure</th><th scope=\"col\">Seen</th></tr></thead><tbody>\n",
        );
        for (action, control) in &i.control_map {
            let key = match control.key.as_deref() {
                Some(" ") => "Space",
                Some(key) => key,
                None => "none",
            };
            p.put(format_args!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escaped(action),
                escaped(key),
                escaped(&control.confidence.replace('_', " ")),
                escaped(&control.observation)
            ));
        }
        p.raw("</tbody></table></div>\n");
    }
    p.raw("</section>\n");
}

fn events(p: &mut Page, events: &[Event]) {
    if events.is_empty() {
        return;
    }
    p.put(format_args!(
        "<section aria-labelledby=\"events\">\n<h2 id=\"events\">Events</h2>\n<details><summary>{} events</summary>\n\
         <div class=\"wide\"><table class=\"events\"><thead><tr><th scope=\"col\">Game time</th><th scope=\"col\">Kind</th>\
         <th scope=\"col\">Event</th></tr></thead><tbody>\n",
        events.len()
    ));
    for event in events {
        p.put(format_args!(
            "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            event.kind,
            time(event.game_us),
            event.kind,
            escaped(&event.text)
        ));
    }
    p.raw("</tbody></table></div></details>\n</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_put_anything_into_the_report() {
        let evil = "\"><script>alert(1)</script><img src=x onerror='y'>\u{1b}[2J";
        let mut report = BotReport {
            target: evil.into(),
            could_not_judge: Some(evil.into()),
            ..BotReport::default()
        };
        report.implementation.start = evil.into();
        report.tests.push(Test {
            name: evil.into(),
            status: "fail".into(),
            why: evil.into(),
            detail: evil.into(),
            ..Test::default()
        });
        let extras = Extras {
            events: vec![Event {
                game_us: 0,
                kind: "page",
                text: evil.into(),
            }],
            series: vec![Series {
                name: evil.into(),
                unit: String::new(),
                points: vec![(0.0, 1.0), (1.0, 2.0)],
            }],
            shots: vec![Shot {
                check: evil.into(),
                seq: 7,
                game_us: 1_500_000,
                png: Some(vec![1, 2, 3]),
                grid: Arc::new(Grid::from_ascii("..\n#+")),
                active: vec![(0, 1)],
            }],
            troubles: evil.into(),
        };
        let html = page(&report, &extras);
        assert!(!html.contains("<script") && !html.contains("<img"));
        assert!(!html.contains('\u{1b}'));
        assert!(html.contains("&lt;script&gt;"));
        assert!(html.contains("#7 at 00:01.5"));
    }
}
