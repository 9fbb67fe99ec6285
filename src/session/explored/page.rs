//! What came of an exploration as one page: everything inside of it, nothing fetched, nothing run.
//!
//! All text of the explored page is escaped; a policy in the page forbids scripts and requests even so.

use crate::explore::{Journey, State, Step};
use crate::model::Raster;
use crate::progress::Answer;
use crate::report::html::{STYLE, escaped};
use crate::session::recording::png;
use base64::Engine;
use std::fmt::Write;

/// What the pages of explorations have beside the style of all.
const MORE: &str = "\
.screens { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem; }
.screens figure { margin: 0; border: 1px solid var(--rule); background: var(--panel); }
.screens img { display: block; width: 100%; height: auto; }
.screens figcaption { padding: .4rem .6rem; font-size: .85rem; }
.screens ul { margin: .2rem 0 0; padding-left: 1.1rem; }
.screens .novel { border-color: var(--line); border-width: 2px; }
.steps .progressed .word { color: var(--good); font-weight: 600; }
.steps .uncertain .word { color: var(--warn); }
.steps .unchanged .word { color: var(--soft); }
.steps td:first-child { font-variant-numeric: tabular-nums; color: var(--soft); }
.steps a { color: var(--line); }
@media (max-width: 40rem) {
  .steps thead { display: none; }
  .steps tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--rule); }
  .steps td { display: inline; border: 0; padding: 0 .4rem 0 0; }
  .steps td:last-child { display: block; color: var(--soft); }
  .screens { grid-template-columns: 1fr 1fr; gap: .5rem; }
}
";

/// The page.
pub fn page(journey: &Journey) -> String {
    let mut out = String::new();
    let target = escaped(&journey.target);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
         <title>{target}: explored by tetrascope</title>\n<style>\n{STYLE}{MORE}</style>\n</head>\n<body>\n<main>\n"
    );
    head(&mut out, journey);
    states(&mut out, journey);
    steps(&mut out, journey);
    told(&mut out, "Dialogs", &journey.dialogs);
    told(&mut out, "Errors nobody caught", &journey.errors);
    let _ = write!(
        out,
        "</main>\n<footer>tetrascope {}</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

fn plural(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

fn head(out: &mut String, journey: &Journey) {
    let r = journey.responsiveness;
    let _ = write!(
        out,
        "<header>\n<p class=\"tool\">tetrascope exploration</p>\n<h1>{}</h1>\n\
         <p class=\"score\"><strong>{}</strong> reached</p>\n<p>It ended: {}.</p>\n<ul class=\"counts\">\n",
        escaped(&journey.target),
        plural(journey.screens, "screen"),
        escaped(&journey.ending.words()),
    );
    let mut counts = vec![
        plural(journey.graph.states.len(), "state"),
        plural(r.actions, "action"),
        format!("{} led on", r.progressed),
        format!("{} without effect", r.unchanged),
        format!("{} not decided", r.uncertain),
        plural(journey.dead_ends.len(), "dead end"),
        format!("opened again {} times", journey.backtracks),
        format!("{:.1} s", journey.wall_seconds),
        if journey.dollars > 0.0 {
            format!("${:.4} for a model", journey.dollars)
        } else {
            "nothing was spent".into()
        },
    ];
    if journey.by_hand > 0 {
        counts.push(format!("driven by hand {} times", journey.by_hand));
    }
    for count in counts {
        let _ = writeln!(out, "<li>{count}</li>");
    }
    out.push_str("</ul>\n</header>\n");
}

fn image(shot: Option<&Raster>, of: &str) -> String {
    let bytes = shot
        .filter(|s| s.width() > 0)
        .and_then(|s| png(s).ok().map(|b| (s, b)));
    match bytes {
        Some((s, bytes)) => format!(
            "<img alt=\"{of}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{}\">",
            s.width(),
            s.height(),
            base64::engine::general_purpose::STANDARD.encode(bytes)
        ),
        None => "<p>its picture is gone</p>".into(),
    }
}

/// The states, each with its picture and the ways from it. The first of each screen is marked.
fn states(out: &mut String, journey: &Journey) {
    out.push_str("<section>\n<h2>States</h2>\n<div class=\"screens\">\n");
    let mut screens = std::collections::BTreeSet::new();
    for state in &journey.graph.states {
        let novel = screens.insert(state.screen);
        let name = format!("state {} of screen {}", state.id, state.screen + 1);
        let _ = writeln!(
            out,
            "<figure id=\"state-{}\"{}>{}<figcaption>{name}{}{}</figcaption></figure>",
            state.id,
            if novel { " class=\"novel\"" } else { "" },
            image(journey.shots.get(state.id), &name),
            if journey.dead_ends.contains(&state.id) {
                ", a dead end"
            } else {
                ""
            },
            ways(state)
        );
    }
    out.push_str("</div>\n</section>\n");
}

fn ways(state: &State) -> String {
    let lines: Vec<String> = state
        .steps
        .iter()
        .filter(|(_, to)| *to != state.id)
        .map(|(act, to)| {
            let act = escaped(&act.id());
            format!("<li>{act}: <a href=\"#state-{to}\">state {to}</a></li>")
        })
        .collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!("<ul>{}</ul>", lines.concat())
    }
}

fn steps(out: &mut String, journey: &Journey) {
    out.push_str(
        "<section>\n<h2>Actions</h2>\n<table class=\"steps\">\n<thead><tr><th>#</th><th>action</th><th>verdict</th>\
         <th>state</th><th>why</th></tr></thead>\n<tbody>\n",
    );
    for step in &journey.steps {
        let _ = writeln!(
            out,
            "<tr class=\"{}\"><td>{}</td><td>{}</td><td class=\"word\">{}</td><td>{}</td><td>{}</td></tr>",
            step.verdict.word(),
            step.number,
            escaped(&step.action),
            step.verdict.word(),
            way(step),
            why(step)
        );
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
}

fn way(step: &Step) -> String {
    let link = |n: usize| format!("<a href=\"#state-{n}\">{n}</a>");
    if step.verdict == Answer::Progressed {
        let novel = if step.novel { " (new)" } else { "" };
        format!("{} to {}{novel}", link(step.state), link(step.to))
    } else {
        link(step.state)
    }
}

fn why(step: &Step) -> String {
    let mut parts: Vec<String> = step.reasons.iter().take(3).map(|r| escaped(r)).collect();
    parts.extend(step.advice.iter().map(|a| escaped(a)));
    parts.extend(
        step.dialogs
            .iter()
            .map(|d| format!("dialog: {}", escaped(d))),
    );
    parts.extend(step.errors.iter().map(|e| format!("error: {}", escaped(e))));
    parts.join("<br>")
}

fn told(out: &mut String, title: &str, texts: &[String]) {
    if texts.is_empty() {
        return;
    }
    let _ = write!(out, "<section>\n<h2>{title}</h2>\n<ul>\n");
    for text in texts {
        let _ = writeln!(out, "<li>{}</li>", escaped(text));
    }
    out.push_str("</ul>\n</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Act, Ending, Graph, Responsiveness};

    #[test]
    fn text_of_the_page_stays_text() {
        let evil = "<script>alert(1)</script>\" onload=\"x";
        let step = Step {
            number: 1,
            state: 0,
            act: Act::click(1.0, 2.0, evil),
            action: Act::click(1.0, 2.0, evil).id(),
            verdict: Answer::Progressed,
            confidence: 0.9,
            reasons: vec![evil.into()],
            boxes: Vec::new(),
            advice: Some(evil.into()),
            to: 0,
            novel: false,
            dialogs: vec![evil.into()],
            errors: vec![evil.into()],
            milliseconds: 1.0,
        };
        let html = page(&Journey {
            schema_version: 1,
            target: evil.into(),
            ending: Ending::Failed { what: evil.into() },
            screens: 0,
            responsiveness: Responsiveness::of(std::slice::from_ref(&step)),
            steps: vec![step],
            graph: Graph::default(),
            dead_ends: Vec::new(),
            dialogs: vec![evil.into()],
            errors: vec![evil.into()],
            backtracks: 0,
            by_hand: 0,
            dollars: 0.0,
            wall_seconds: 0.0,
            shots: Vec::new(),
        });
        assert!(
            !html.contains("<script") && !html.contains("\" onload"),
            "{html}"
        );
        assert!(html.contains("&lt;script&gt;alert(1)"));
    }
}
