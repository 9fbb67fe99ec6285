//! Where the board is: from what fell, made exact by pushing a piece to the walls and the floor.
//!
//! Comes in: a [`Driver`] with a running game and what was seen falling. Goes out: the board, watched.
//! Must never know: which renderer draws it.

use super::{Driver, DriverError, FRAME_MS, SAMPLES};
use crate::model::{Action, Board, By, Frame};
use crate::vision;
use crate::vision::find::{self, Falling, Hint, Touched};
use std::sync::Arc;

/// Frames gathered to learn how the empty board looks.
const LEARN_FRAMES: usize = 24;
/// Blocks on a board that was just found: the falling piece, and those that fell while it was looked for.
const MOST_AT_FIRST: usize = 24;
/// Below this the finder's empty look does not fit the reader's.
const LEAST_CONFIDENCE: f64 = 0.5;
/// Game time spent on that at most.
const LEARN_MS: f64 = 14_000.0;

/// Finds the board from what was seen falling, learns its empty look, and watches it.
pub async fn first<D: Driver>(
    d: &mut D,
    falling: &Falling,
    hints: &[Hint],
) -> Result<Board, DriverError> {
    let rows = falling
        .positions
        .iter()
        .flat_map(|(_, cells)| cells.iter().map(|c| c.1));
    let touched = Touched {
        min_column: None,
        max_column: None,
        floor_row: None,
        top_row: rows.min().unwrap_or(0),
    };
    let board = find::extent(falling, &touched, hints);
    if !watch_at_once(d, falling, &board).await? {
        learn(d, board.clone(), falling.gravity_ms).await?;
    }
    Ok(board)
}

/// Watches the board with the empty look that the finder learned. `false` if that look does not fit what is read: at
/// most two pieces and their ghosts can be on a board so early.
async fn watch_at_once<D: Driver>(
    d: &mut D,
    falling: &Falling,
    board: &Board,
) -> Result<bool, DriverError> {
    let Some(raster) = vision::sampled(
        &falling.background,
        board.rect(),
        board.columns,
        board.rows,
        SAMPLES,
    ) else {
        return Ok(false);
    };
    let background = Frame {
        raster,
        samples: SAMPLES,
        rect: board.rect(),
    };
    d.watch(board.clone(), Some(Arc::new(background)), By::Discovery)
        .await?;
    let view = d.advance(FRAME_MS).await?;
    Ok(view
        .grid
        .is_some_and(|g| g.filled_count() <= MOST_AT_FIRST && g.confidence() > LEAST_CONFIDENCE))
}

/// Watches a board and learns how it looks with nothing on it while a piece falls over it.
pub async fn learn<D: Driver>(
    d: &mut D,
    board: Board,
    gravity_ms: Option<f64>,
) -> Result<(), DriverError> {
    d.say("learning how the empty board looks");
    d.watch(board.clone(), None, By::Discovery).await?;
    let step = gravity_ms.map_or(100.0, |g| (g / 2.0).clamp(2.0 * FRAME_MS, 250.0));
    let mut frames: Vec<Arc<Frame>> = Vec::new();
    let mut passed = 0.0;
    while frames.len() < LEARN_FRAMES && passed < LEARN_MS {
        if let Some(frame) = d.frame().await?
            && frames.last().is_none_or(|last| last.raster != frame.raster)
        {
            frames.push(frame);
        }
        d.advance(step).await?;
        passed += step;
    }
    let Some(first) = frames.first() else {
        return Ok(());
    };
    let refs: Vec<&Frame> = frames.iter().map(AsRef::as_ref).collect();
    let Some(raster) = vision::background(&refs, board.columns, board.rows, first.samples) else {
        return Ok(());
    };
    let background = Frame {
        raster,
        samples: first.samples,
        rect: first.rect,
    };
    d.watch(board, Some(Arc::new(background)), By::Discovery)
        .await
}

/// What pushing pieces to the walls showed of the board's true edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walls {
    /// Least column that a pushed piece came to.
    pub left: i32,
    /// Greatest column that a pushed piece came to.
    pub right: i32,
    /// Pieces that were pushed.
    pub pushes: u32,
}

/// Pushes a piece to both walls. `None` where the side keys are not known or nothing could be pushed.
pub async fn push_to_walls<D: Driver>(d: &mut D) -> Result<Option<Walls>, DriverError> {
    let keys = [Action::MoveLeft, Action::MoveRight].map(|a| {
        d.controls().get(a).and_then(|m| {
            m.key
                .clone()
                .map(|k| (k, f64::from(m.tap_ms).max(FRAME_MS)))
        })
    });
    let Some(board) = d.board().cloned() else {
        return Ok(None);
    };
    let mut walls: Option<Walls> = None;
    for (key, tap) in keys.into_iter().flatten() {
        d.say(&format!("pushing a piece to the wall with {key}"));
        let mut still = 0;
        let mut last = None;
        for _ in 0..board.columns + 6 {
            let view = d.press(&key, tap).await?;
            let Some(piece) = view.active.filter(|p| p.cells.len() == 4) else {
                continue;
            };
            let least = piece.cells.iter().map(|c| c.0).min().unwrap_or(0);
            let most = piece.cells.iter().map(|c| c.0).max().unwrap_or(0);
            let w = walls.get_or_insert(Walls {
                left: least,
                right: most,
                pushes: 0,
            });
            w.left = w.left.min(least);
            w.right = w.right.max(most);
            w.pushes += 1;
            still = if last == Some((least, most)) {
                still + 1
            } else {
                0
            };
            last = Some((least, most));
            if still >= 3 {
                break;
            }
        }
    }
    Ok(walls)
}

/// The board as the walls show it, where that differs from what was assumed: too wide by columns no piece can enter.
///
/// A board assumed too narrow does not show this way (the piece leaves the picture); there `None` is the answer and
/// the pieces lose cells at the edge.
pub fn narrowed(board: &Board, walls: Walls) -> Option<Board> {
    let columns = walls.right - walls.left + 1;
    let too_wide = walls.left > 0 || walls.right < i32::from(board.columns) - 1;
    // Fewer than six columns is no board: the piece met the stack, not the walls.
    (too_wide && columns >= 6).then(|| Board {
        x: board.x + f64::from(walls.left) * board.cell_width,
        columns: columns as u16,
        why: format!(
            "{}; pieces pushed to the walls stay in {columns} of {} columns",
            board.why, board.columns
        ),
        ..board.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        Board {
            x: 100.0,
            y: 0.0,
            cell_width: 20.0,
            cell_height: 20.0,
            columns: 12,
            rows: 20,
            confidence: 0.9,
            why: "seen falling".into(),
        }
    }

    #[test]
    fn columns_that_no_piece_enters_are_walls_and_not_board() {
        let walls = Walls {
            left: 1,
            right: 10,
            pushes: 8,
        };
        let b = narrowed(&board(), walls).unwrap();
        assert_eq!((b.x, b.columns), (120.0, 10));
    }

    #[test]
    fn a_board_whose_every_column_was_reached_stays_as_it_is() {
        let walls = Walls {
            left: 0,
            right: 11,
            pushes: 8,
        };
        assert_eq!(narrowed(&board(), walls), None);
    }
}
