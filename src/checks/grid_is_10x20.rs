use super::{Status, Verdict, fail, grid_detected, open, pass, skipped};
use crate::evidence::Evidence;

/// Ten columns, twenty visible rows.
pub fn judge(e: &Evidence) -> Verdict {
    let found = grid_detected::judge(e);
    match (found.status, e.board()) {
        (Status::Pass, Some((seq, b, _))) if (b.columns, b.rows) == (10, 20) => {
            pass("10 columns, 20 rows".into(), vec![seq])
        }
        (Status::Pass, Some((seq, b, _))) => {
            let size = format!("{} columns, {} rows", b.columns, b.rows);
            // Measured by one piece it could be a misjudged wall; a second makes it sure.
            if e.counts().pieces_spawned < 2 {
                return open(format!("{size} so far; waiting for a second piece"));
            }
            fail(size, vec![seq])
        }
        (Status::Fail | Status::Skipped, _) => skipped("no board was found"),
        _ => open(found.why),
    }
}
