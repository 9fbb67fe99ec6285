use super::piece_locks::unsteady;
use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::Evidence;
use crate::model::{GridEvent, Shape};

/// After a lock a new piece of four connected cells appears near the top.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let mut locked = false;
    let mut odd = String::new();
    for h in e.happenings() {
        match &h.event {
            GridEvent::PieceLocked { .. } => locked = true,
            GridEvent::BoardCleared | GridEvent::StackChanged { .. } => locked = false,
            GridEvent::PieceSpawned { cells, .. } if locked => {
                locked = false;
                let Some(reading) = e.reading_at(h.seq) else {
                    continue;
                };
                let rows = i32::from(reading.blocks.rows());
                let top = cells.iter().map(|c| c.1).min().unwrap_or(rows);
                let whole = cells.len() == 4 && Shape::of(cells).is_connected();
                // Entering from above, or into a stack that reaches the top: not all of it can be seen.
                let hidden = top == 0 && cells.len() < 4;
                let crowded = reading.stack.places().first().is_some_and(|p| p.1 < 3);
                if whole && top <= rows / 3 {
                    good.push(h.seq);
                } else if !(whole || hidden || crowded) {
                    odd = format!("{} cells", cells.len());
                    bad.push(h.seq);
                }
            }
            _ => {}
        }
    }
    if bad.len() >= 2 && bad.len() > good.len() {
        if let Some(v) = unsteady(e, e.locks().count()) {
            return v;
        }
        let why = format!(
            "{} of {} new pieces were none: {odd}",
            bad.len(),
            bad.len() + good.len()
        );
        return fail(why, bad);
    }
    if good.is_empty() {
        return open(if e.locks().next().is_none() {
            "waiting: no lock yet"
        } else {
            "waiting: no whole new piece after a lock yet"
        });
    }
    good.truncate(8);
    pass(
        format!("{} new pieces of four cells after locks", good.len()),
        good,
    )
}
