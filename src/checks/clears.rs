//! What came of rows that were filled, for the checks that ask about it.

use super::piece_locks::unsteady;
use super::{Verdict, needs_start, open};
use crate::evidence::{Evidence, Fill, Gone};
use crate::model::By;

/// Rows that a piece filled, with the record of its lock; those whose outcome was not seen are left out.
pub fn fills(e: &Evidence) -> Vec<(u64, Fill)> {
    e.locked()
        .into_iter()
        .filter_map(|l| Some((l.seq, l.fill?)))
        .filter(|(_, f)| f.gone != Gone::Unknown)
        .collect()
}

/// How many of a fill's rows are gone.
pub fn gone(f: &Fill) -> usize {
    match f.gone {
        Gone::All | Gone::Cascade | Gone::Hollow => f.rows.len(),
        Gone::Some(n) => usize::from(n),
        Gone::None | Gone::Unknown => 0,
    }
}

/// The verdict where no row was filled yet.
pub fn needs_fill(e: &Evidence, fills: &[(u64, Fill)]) -> Option<Verdict> {
    needs_start(e).or_else(|| fills.is_empty().then(|| open("waiting: no full row yet")))
}

/// The first few record numbers.
pub fn cites<'a>(fills: impl IntoIterator<Item = &'a (u64, Fill)>) -> Vec<u64> {
    fills.into_iter().map(|f| f.0).take(8).collect()
}

/// Is the board's width but a guess? Then what happens at its edges tells nothing.
pub fn may_be_wider(e: &Evidence) -> bool {
    e.board()
        .is_some_and(|(_, b, by)| b.columns != 10 && by != By::Operator && !b.sure.columns)
}

/// Why rows that stayed tell nothing: on a board that was taken for narrower than it is, rows seem full that are not, and
/// so they do where blocks are read that are none.
pub fn doubt(e: &Evidence) -> Option<Verdict> {
    if may_be_wider(e) {
        return Some(open(
            "rows that seemed full stayed, but no piece was pushed against both walls yet: the board may be wider",
        ));
    }
    unsteady(e, e.locks().count())
}
