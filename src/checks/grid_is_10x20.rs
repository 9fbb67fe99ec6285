use super::{Status, Verdict, fail, grid_detected, open, pass, skipped};
use crate::evidence::Evidence;
use crate::model::{By, GridEvent};

/// Ten columns, twenty visible rows.
pub fn judge(e: &Evidence) -> Verdict {
    let found = grid_detected::judge(e);
    match (found.status, e.board()) {
        (Status::Pass, Some((seq, b, _))) if (b.columns, b.rows) == (10, 20) => {
            pass("10 columns, 20 rows".into(), vec![seq])
        }
        (Status::Pass, Some((seq, b, by))) => {
            let size = format!("{} columns, {} rows", b.columns, b.rows);
            // Measured by one piece it could be a misjudged wall; a second makes it sure.
            if e.counts().pieces_spawned < 2 {
                return open(format!("{size} so far; waiting for a second piece"));
            }
            // Rows that were full from wall to wall and then gone are as wide as the board, and the lowest row of all
            // is among them only where the floor is.
            let cleared: Vec<u16> = e
                .happenings_in(seq..=u64::MAX)
                .iter()
                .filter_map(|h| match &h.event {
                    GridEvent::LineCleared { rows, .. } => Some(rows.clone()),
                    _ => None,
                })
                .flatten()
                .collect();
            let said = by == By::Operator;
            let wide = said || b.sure.columns || !cleared.is_empty();
            let high = said || b.sure.rows || cleared.contains(&(b.rows - 1));
            if !wide && b.columns != 10 {
                return open(format!(
                    "{size} so far; no piece was pushed against both walls yet"
                ));
            }
            if !high && b.rows != 20 {
                return open(format!(
                    "{size} so far; floor and top are guessed from how cells look yet"
                ));
            }
            fail(size, vec![seq])
        }
        (Status::Fail | Status::Skipped, _) => skipped("no board was found"),
        _ => open(found.why),
    }
}
