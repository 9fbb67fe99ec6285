//! Numbers over game time, as drawings that are also told in words.

use super::escaped;
use std::fmt::Write;

/// A number over game time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// What it is; may hold untrusted text.
    pub name: String,
    /// What it is counted in; empty for nothing.
    pub unit: String,
    /// Game seconds and values, in order of time.
    pub points: Vec<(f64, f64)>,
}

/// Size of a drawing, and what its inside leaves free.
const SIZE: (f64, f64) = (720.0, 160.0);
const LEFT: f64 = 8.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 20.0;
/// Points of a line; more cannot be told apart.
const POINTS: usize = 1_000;

fn short(v: f64) -> String {
    if v.fract() == 0.0 || v.abs() >= 100.0 {
        format!("{v:.0}")
    } else {
        format!("{v:.1}")
    }
}

/// Every so many points, the first and the last among them.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(POINTS).max(1);
    let mut out: Vec<_> = points.iter().step_by(every).copied().collect();
    out.extend(points.last());
    out
}

/// Writes a drawing for each series that has something to show.
pub fn plots(out: &mut String, series: &[Series]) {
    let finite = |s: &&Series| {
        s.points.len() > 1 && s.points.iter().all(|p| p.0.is_finite() && p.1.is_finite())
    };
    let shown: Vec<&Series> = series.iter().filter(finite).collect();
    if shown.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"plots\">\n<h2 id=\"plots\">Over time</h2>\n");
    for s in shown {
        plot(out, s);
    }
    out.push_str("</section>\n");
}

fn plot(out: &mut String, s: &Series) {
    let (from, to) = (s.points[0].0, s.points[s.points.len() - 1].0);
    let values = || s.points.iter().map(|p| p.1);
    let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let last = s.points[s.points.len() - 1].1;
    let x = |t: f64| LEFT + (t - from) / (to - from).max(1e-9) * (SIZE.0 - 2.0 * LEFT);
    let y = |v: f64| SIZE.1 - BOTTOM - (v - low) / (high - low).max(1e-9) * (SIZE.1 - TOP - BOTTOM);
    let mut line = String::new();
    let mut before: Option<f64> = None;
    for (t, v) in thinned(&s.points) {
        // These numbers jump; a slope between two of them would say what never was.
        if let Some(old) = before {
            let _ = write!(line, "{:.1},{:.1} ", x(t), y(old));
        }
        let _ = write!(line, "{:.1},{:.1} ", x(t), y(v));
        before = Some(v);
    }
    let name = escaped(&s.name);
    let unit = escaped(&s.unit);
    let _ = write!(
        out,
        "<figure class=\"plot\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{name}: from {} to {} {unit} between \
         {from:.0} s and {to:.0} s of game time, at most {}\">\n<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
         <polyline points=\"{}\"/>\n<text x=\"{LEFT}\" y=\"14\">{name}, at most {} {unit}</text>\
         <text x=\"{LEFT}\" y=\"{}\">{from:.0} s</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{to:.0} s</text>\n\
         </svg></figure>\n",
        SIZE.0,
        SIZE.1,
        short(s.points[0].1),
        short(last),
        short(high),
        SIZE.0 - LEFT,
        y(0.0),
        y(0.0),
        line.trim_end(),
        short(high),
        SIZE.1 - 5.0,
        SIZE.0 - LEFT,
        SIZE.1 - 5.0,
    );
}
