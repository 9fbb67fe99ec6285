//! One report in some lines, for people who read a terminal.
//!
//! Comes in: a report. Goes out: lines of text. Must never know: a terminal.

use super::{BotReport, Performance};
use std::fmt::Write as _;

/// Width of the words before each line.
const LABEL: usize = 9;
/// Accessibility issues that are told in full.
const ISSUES: usize = 8;

/// The report in some lines: the score, what was found out of the page, what failed and why, what was left out.
pub fn words(report: &BotReport) -> String {
    let mut out = String::new();
    let s = &report.summary;
    let score = if s.passed + s.failed == 0 {
        "nothing could be tried".to_string()
    } else {
        format!(
            "{:.1} %: {} passed, {} failed, {} skipped",
            s.score, s.passed, s.failed, s.skipped
        )
    };
    let _ = writeln!(
        out,
        "{}: {score}, in {:.1} s ({:.0} s of the game)",
        report.target, report.wall_seconds, report.game_seconds
    );
    let mut line = |label: &str, text: &str| {
        let _ = writeln!(out, "  {label:<LABEL$} {text}");
    };
    if let Some(why) = &report.could_not_judge {
        line("BROKE OFF", why);
    }
    let page = &report.implementation;
    if let Some(b) = &page.board {
        let refused = if page.renderer == "webgl" && page.reader == "canvas" {
            ", drawn without, as the page does as well"
        } else {
            ""
        };
        line(
            "board",
            &format!(
                "{}×{} at {:.0},{:.0}, {:.0}×{:.0} px, {}{refused}",
                b.columns, b.rows, b.x, b.y, b.width, b.height, page.renderer
            ),
        );
    }
    let keys: Vec<String> = page
        .controls
        .iter()
        .map(|(action, key)| {
            format!(
                "{action} {}",
                if key == " " { "Space" } else { key.as_str() }
            )
        })
        .collect();
    if !keys.is_empty() {
        line("controls", &keys.join(", "));
    }
    for test in report.tests.iter().filter(|t| t.status == "fail") {
        line("FAIL", &format!("{}: {}", test.name, test.why));
    }
    for (why, names) in skipped(report) {
        line("skipped", &format!("{}: {why}", names.join(", ")));
    }
    if let Some(p) = &report.performance {
        line("measured", &measured(p));
    }
    if let Some(a) = &report.accessibility {
        let count = format!(
            "{} {}, {} for a person to look at",
            a.issue_count,
            if a.issue_count == 1 {
                "failure"
            } else {
                "failures"
            },
            a.needs_a_person.len()
        );
        line("access", &count);
        for issue in a.issues.iter().take(ISSUES) {
            line("", issue);
        }
        if a.issues.len() > ISSUES {
            line("", &format!("and {} more", a.issues.len() - ISSUES));
        }
    }
    out
}

fn measured(p: &Performance) -> String {
    let ms = |what: &str, ms: Option<f64>| ms.map(|ms| format!("{what} {ms:.0} ms"));
    let mut parts = vec![
        ms("load", p.load_time_ms),
        ms("first paint", p.first_paint_ms),
        p.frame_rate.map(|f| format!("{f:.0} frames/s")),
        ms("key to picture", p.key_latency_ms),
    ];
    if p.long_tasks > 0 {
        let longest = p.longest_task_ms.unwrap_or(0.0);
        parts.push(Some(format!(
            "{} tasks over 50 ms, the longest {longest:.0} ms",
            p.long_tasks
        )));
    }
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// The skipped checks by their reason, in the order in which the reasons come up.
fn skipped(report: &BotReport) -> Vec<(&str, Vec<&str>)> {
    let mut by_why: Vec<(&str, Vec<&str>)> = Vec::new();
    for test in report.tests.iter().filter(|t| t.status == "skipped") {
        match by_why.iter_mut().find(|(why, _)| *why == test.why) {
            Some((_, names)) => names.push(&test.name),
            None => by_why.push((&test.why, vec![&test.name])),
        }
    }
    by_why
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{BoardReport, Summary, Test};

    #[test]
    fn what_failed_is_said_with_its_reason_and_skips_are_grouped_by_theirs() {
        let test = |name: &str, status: &str, why: &str| Test {
            name: name.into(),
            status: status.into(),
            why: why.into(),
            ..Test::default()
        };
        let mut report = BotReport {
            target: "demo".into(),
            wall_seconds: 8.04,
            game_seconds: 61.0,
            summary: Summary {
                total: 4,
                passed: 1,
                failed: 1,
                skipped: 2,
                score: 50.0,
            },
            tests: vec![
                test("rotate", "fail", "1 shape in 4 presses"),
                test("gravity", "pass", "fine"),
                test("hold", "skipped", "none found"),
                test("pause", "skipped", "none found"),
            ],
            ..BotReport::default()
        };
        report.implementation.renderer = "canvas".into();
        report.implementation.board = Some(BoardReport {
            columns: 10,
            rows: 20,
            width: 300.0,
            height: 600.0,
            ..BoardReport::default()
        });
        report
            .implementation
            .controls
            .insert("hard_drop".into(), " ".into());
        let expected = "\
demo: 50.0 %: 1 passed, 1 failed, 2 skipped, in 8.0 s (61 s of the game)
  board     10×20 at 0,0, 300×600 px, canvas
  controls  hard_drop Space
  FAIL      rotate: 1 shape in 4 presses
  skipped   hold, pause: none found
";
        assert_eq!(words(&report), expected);
        let nothing = BotReport {
            could_not_judge: Some("no answer".into()),
            ..BotReport::default()
        };
        assert!(words(&nothing).contains("BROKE OFF no answer"));
        assert!(words(&nothing).contains("nothing could be tried"));
    }
}
