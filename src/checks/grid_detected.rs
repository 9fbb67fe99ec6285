use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::Evidence;
use crate::model::GridEvent;

/// The board is found, and pieces move on it by whole cells.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let Some((seq, board, _)) = e.board() else {
        return match e.no_board() {
            Some((seq, why)) => fail(format!("a game runs, but no board: {why}"), vec![seq]),
            None => open("waiting: no board yet"),
        };
    };
    let moved: Vec<u64> = e
        .happenings()
        .iter()
        .filter(|h| {
            h.seq > seq
                && matches!(
                    h.event,
                    GridEvent::PieceMoved { .. } | GridEvent::PieceRotated { .. }
                )
        })
        .map(|h| h.seq)
        .take(2)
        .collect();
    if moved.len() < 2 {
        return open("waiting: a board, but no piece moved on it by whole cells yet");
    }
    let why = format!(
        "{}x{} cells of {:.0}x{:.0} px; pieces move by whole cells",
        board.columns, board.rows, board.cell_width, board.cell_height
    );
    pass(why, [vec![seq], moved].concat())
}
