//! Reports as `JUnit` XML, which build servers show: a suite a page, a case a check.
//!
//! Comes in: reports. Goes out: one XML document. Must never know: where it is written.

use super::{BotReport, Test};
use std::fmt::Write as _;

/// A page's part of the document, made while its report is at hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    xml: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
}

impl Suite {
    /// A failed check is a failure with its reason. A page that could not be judged is one error, beside the checks
    /// that were decided; those left open by it are skipped.
    pub fn of(report: &BotReport) -> Self {
        let mut suite = Self {
            xml: String::new(),
            tests: report.tests.len(),
            failures: 0,
            errors: 0,
            skipped: 0,
            seconds: report.wall_seconds,
        };
        let mut cases = String::new();
        let class = escaped(&report.target);
        if let Some(why) = &report.could_not_judge {
            suite.tests += 1;
            suite.errors += 1;
            let why = escaped(why);
            let _ = writeln!(
                cases,
                "    <testcase classname=\"{class}\" name=\"judged\" time=\"{:.3}\"><error message=\"{why}\"/></testcase>",
                report.wall_seconds
            );
        }
        for test in &report.tests {
            suite.case(&mut cases, &class, test);
        }
        let _ = writeln!(
            suite.xml,
            "  <testsuite name=\"{class}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n{cases}  </testsuite>",
            suite.tests, suite.failures, suite.errors, suite.skipped, suite.seconds
        );
        suite
    }

    fn case(&mut self, out: &mut String, class: &str, test: &Test) {
        let name = escaped(&test.name);
        let _ = write!(
            out,
            "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\""
        );
        let why = escaped(&test.why);
        let _ = match test.status.as_str() {
            "pass" => writeln!(out, "/>"),
            "fail" => {
                self.failures += 1;
                writeln!(
                    out,
                    "><failure message=\"{why}\">{}</failure></testcase>",
                    escaped(&test.detail)
                )
            }
            _ => {
                self.skipped += 1;
                writeln!(out, "><skipped message=\"{why}\"/></testcase>")
            }
        };
    }
}

/// The document of all pages.
pub fn document(suites: &[Suite]) -> String {
    let sum = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tetrascope\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n",
        sum(|s| s.tests),
        sum(|s| s.failures),
        sum(|s| s.errors),
        sum(|s| s.skipped),
        suites.iter().map(|s| s.seconds).sum::<f64>()
    );
    for suite in suites {
        out.push_str(&suite.xml);
    }
    out.push_str("</testsuites>\n");
    out
}

/// Text as it may stand in an attribute; what XML 1.0 has no place for is taken out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(could_not_judge: Option<&str>) -> BotReport {
        let test = |name: &str, status: &str, why: &str| Test {
            name: name.into(),
            status: status.into(),
            why: why.into(),
            ..Test::default()
        };
        BotReport {
            target: "games/<a> & \"b\"".into(),
            could_not_judge: could_not_judge.map(Into::into),
            wall_seconds: 1.5,
            tests: vec![
                test("rotate", "fail", "1 < 4\u{1b}[31m\nsee"),
                test("gravity", "pass", ""),
                test("hold", "skipped", "none found"),
            ],
            ..BotReport::default()
        }
    }

    #[test]
    fn every_check_is_a_case_and_hostile_text_stays_text() {
        let xml = document(&[Suite::of(&report(None))]);
        let suite = "<testsuite name=\"games/&lt;a&gt; &amp; &quot;b&quot;\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.500\">";
        assert!(xml.contains(suite), "{xml}");
        assert!(
            xml.contains("<failure message=\"1 &lt; 4[31m&#10;see\">"),
            "{xml}"
        );
        assert_eq!(xml.matches("<testcase ").count(), 3);
    }

    #[test]
    fn a_page_that_could_not_be_judged_is_an_error() {
        let suites = [
            Suite::of(&report(Some("no answer"))),
            Suite::of(&report(None)),
        ];
        let xml = document(&suites);
        assert!(
            xml.contains(
                "<testsuites name=\"tetrascope\" tests=\"7\" failures=\"2\" errors=\"1\" skipped=\"2\" time=\"3.000\">"
            ),
            "{xml}"
        );
        assert!(xml.contains("<error message=\"no answer\"/>"), "{xml}");
    }
}
