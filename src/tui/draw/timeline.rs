//! The timeline of a replay: where one is, and what happened when.

use super::{Pen, clock};
use crate::session::{MarkKind, ReplayView};
use crate::tui::look::Role;
use ratatui::layout::Rect;

/// Columns of a time at either end.
const TIME: u16 = 8;

/// The bar between the times.
fn bar(area: Rect) -> Rect {
    Rect::new(
        area.x + TIME + 1,
        area.y,
        area.width.saturating_sub(2 * (TIME + 1)),
        area.height,
    )
}

/// The column of the bar that stands for a time.
fn column(view: &ReplayView, bar: Rect, us: u64) -> u16 {
    let last = u64::from(bar.width.saturating_sub(1));
    let at = us.min(view.end_us).saturating_mul(last) / view.end_us.max(1);
    bar.x + at as u16
}

/// The time that a column of the timeline stands for.
pub fn time_at(view: &ReplayView, area: Rect, x: u16) -> Option<u64> {
    let bar = bar(area);
    let at = u64::from(x.checked_sub(bar.x)?);
    let last = u64::from(bar.width.checked_sub(1)?);
    (at <= last).then(|| view.end_us.saturating_mul(at) / last.max(1))
}

/// Draws it: the bar, and above it (or on it, in one row) what happened.
pub fn timeline(pen: &mut Pen<'_>, area: Rect, view: Option<&ReplayView>) {
    let Some(view) = view else {
        return;
    };
    if area.is_empty() {
        return;
    }
    let bar = bar(area);
    let (y, marks_y) = (area.bottom() - 1, area.y);
    pen.put(area.x, y, TIME, &clock(view.at_us), Role::Text);
    pen.put_right(area.right(), y, TIME, &clock(view.end_us), Role::Dim);
    let here = column(view, bar, view.at_us);
    let derived = column(view, bar, view.derived_us);
    for x in bar.x..bar.right() {
        let (glyph, role) = if x <= here {
            (pen.glyphs.heavy, Role::Accent)
        } else if x <= derived {
            (pen.glyphs.rule, Role::Text)
        } else {
            (pen.glyphs.dot, Role::Dim)
        };
        pen.put(x, y, 1, glyph, role);
    }
    // Of several marks in one column the one that matters most is seen.
    let mut best: Vec<Option<MarkKind>> = vec![None; usize::from(bar.width)];
    for mark in view.marks.iter() {
        let at = usize::from(column(view, bar, mark.at_us) - bar.x);
        if let Some(slot) = best.get_mut(at) {
            *slot = (*slot).max(Some(mark.kind));
        }
    }
    for (x, kind) in (bar.x..).zip(best) {
        let Some(kind) = kind else {
            continue;
        };
        let phase;
        let (glyph, role) = match kind {
            MarkKind::Lock => (pen.glyphs.dot, Role::Dim),
            MarkKind::Clear => (pen.glyphs.clear, Role::Accent),
            MarkKind::Pass => (pen.glyphs.pass, Role::Good),
            MarkKind::Phase(p) => {
                phase = p.number().to_string();
                (phase.as_str(), Role::Title)
            }
            MarkKind::Operator => (pen.glyphs.operator, Role::Warn),
            MarkKind::Fail => (pen.glyphs.fail, Role::Bad),
        };
        // In one row a lock is not worth hiding the bar for.
        if area.height > 1 || kind != MarkKind::Lock {
            pen.put(x, marks_y, 1, glyph, role);
        }
    }
    pen.put(here, y, 1, pen.glyphs.here, Role::Selected);
}
