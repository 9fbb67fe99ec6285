//! Many reports at one glance: a line a page, the sum below.
//!
//! Comes in: what each report comes to. Goes out: lines of text. Must never know: a terminal.

use super::BotReport;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// What one page came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The page, as the user named it.
    pub target: String,
    /// Checks that passed.
    pub passed: usize,
    /// Names of those that failed.
    pub failed: Vec<String>,
    /// Those that could not be tried.
    pub skipped: usize,
    /// In percent.
    pub score: f64,
    /// Wall time.
    pub seconds: f64,
    /// Why it could not be judged.
    pub could_not: Option<String>,
    /// Was it judged by an earlier run?
    pub earlier: bool,
}

impl Row {
    /// The row of a report.
    pub fn of(report: &BotReport) -> Self {
        Self {
            target: report.target.clone(),
            passed: report.summary.passed,
            failed: report
                .tests
                .iter()
                .filter(|t| t.status == "fail")
                .map(|t| t.name.clone())
                .collect(),
            skipped: report.summary.skipped,
            score: report.summary.score,
            seconds: report.wall_seconds,
            could_not: report.could_not_judge.clone(),
            earlier: false,
        }
    }

    /// Was anything decided?
    fn tried(&self) -> bool {
        self.passed + self.failed.len() > 0
    }

    /// The row in words, for a line of progress.
    pub fn words(&self) -> String {
        let mut out = if self.tried() {
            format!("{:.1} %, {} passed", self.score, self.passed)
        } else {
            "nothing decided".into()
        };
        if !self.failed.is_empty() {
            let _ = write!(
                out,
                ", {} failed ({})",
                self.failed.len(),
                self.failed.join(" ")
            );
        }
        if self.skipped > 0 {
            let _ = write!(out, ", {} skipped", self.skipped);
        }
        let _ = write!(out, ", {:.1} s", self.seconds);
        match &self.could_not {
            Some(why) => format!("could not be judged: {why} ({out})"),
            None => out,
        }
    }
}

/// Width of a name at most; longer ones lose their beginning, since what tells pages apart is mostly at the end.
const NAME: usize = 60;

/// At most `width` columns of the end of a text.
fn tail(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.into();
    }
    let mut rest = text;
    while rest.width() > width.saturating_sub(1) {
        let mut chars = rest.chars();
        chars.next();
        rest = chars.as_str();
    }
    format!("…{rest}")
}

/// The table: a line a page in the order given, and the sum.
pub fn table(rows: &[Row], wall_seconds: f64) -> String {
    let names: Vec<String> = rows.iter().map(|r| tail(&r.target, NAME)).collect();
    let wide = names.iter().map(|n| n.width()).max().unwrap_or(0).max(4);
    let mut out = format!(
        "{:<wide$}   score  passed  failed  skipped  seconds  failed checks\n",
        "page"
    );
    for (row, name) in rows.iter().zip(&names) {
        let pad = " ".repeat(wide - name.width());
        let score = if row.tried() {
            format!("{:.1}", row.score)
        } else {
            "–".into()
        };
        let note = match &row.could_not {
            Some(why) if row.failed.is_empty() => format!("could not be judged: {why}"),
            Some(why) => format!("{}; could not be judged: {why}", row.failed.join(" ")),
            None => row.failed.join(" "),
        };
        let earlier = if row.earlier { " (earlier)" } else { "" };
        let line = format!(
            "{name}{pad}  {score:>6}  {:>6}  {:>6}  {:>7}  {:>7.1}  {note}{earlier}",
            row.passed,
            row.failed.len(),
            row.skipped,
            row.seconds,
        );
        out += line.trim_end();
        out.push('\n');
    }
    let clean = |r: &&Row| r.could_not.is_none() && r.failed.is_empty();
    let some = |r: &&Row| r.could_not.is_none() && !r.failed.is_empty();
    let _ = writeln!(
        out,
        "{} {} in {wall_seconds:.1} s: {} without a failed check, {} with, {} not judged",
        rows.len(),
        if rows.len() == 1 { "page" } else { "pages" },
        rows.iter().filter(clean).count(),
        rows.iter().filter(some).count(),
        rows.iter().filter(|r| r.could_not.is_some()).count(),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_whatever_the_names() {
        let row = |target: &str, failed: &[&str], could_not: Option<&str>| Row {
            target: target.into(),
            passed: 14 * usize::from(could_not.is_none()),
            failed: failed.iter().map(ToString::to_string).collect(),
            skipped: 17,
            score: 92.857,
            seconds: 8.25,
            could_not: could_not.map(Into::into),
            earlier: target == "b",
        };
        let long = format!("games/{}/index.html", "x".repeat(80));
        let rows = [
            row("テトリス", &[], None),
            row("b", &["rotate", "hold"], None),
            row(&long, &[], Some("no answer")),
        ];
        let text = table(&rows, 20.04);
        let lines: Vec<&str> = text.lines().collect();
        let column = |line: &str, what: &str| line[..line.find(what).unwrap_or(0)].width();
        let ends: Vec<usize> = ["8.2", "8.2", "8.2"]
            .iter()
            .zip(&lines[1..])
            .map(|(what, line)| column(line, what))
            .collect();
        assert!(ends[0] > 60 && ends.iter().all(|e| *e == ends[0]), "{text}");
        assert!(lines[3].starts_with('…') && lines[3].contains("x/index.html"));
        assert!(lines[2].ends_with("rotate hold (earlier)"), "{text}");
        assert_eq!(
            lines[4],
            "3 pages in 20.0 s: 1 without a failed check, 1 with, 1 not judged"
        );
        assert!(lines[3].contains('–'), "nothing decided is no score");
    }

    #[test]
    fn no_rows_are_a_table_too() {
        assert!(
            table(&[], 0.0)
                .ends_with("0 pages in 0.0 s: 0 without a failed check, 0 with, 0 not judged\n")
        );
    }
}
