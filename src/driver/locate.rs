//! Where the board is: from what fell, made exact by pushing a piece to the walls and the floor.
//!
//! Comes in: a [`Driver`] with a running game and what was seen falling. Goes out: the board, watched.
//! Must never know: which renderer draws it.

mod sight;
mod touch;

pub use touch::touch;

use super::{Driver, DriverError, FRAME_MS, SAMPLES};
use crate::model::{Board, By, Frame, Raster};
use crate::vision;
use crate::vision::find::{self, Falling, Hint, Touched};
use std::sync::Arc;

/// Frames gathered to learn how the empty board looks.
const LEARN_FRAMES: usize = 24;
/// Blocks on a board that was just found: the falling piece, and one that may have locked beside it.
const MOST_AT_FIRST: usize = 10;
/// A ghost has no more cells than its piece.
const GHOST_CELLS: usize = 5;
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
    let touched = Touched {
        min_column: None,
        max_column: None,
        floor_row: None,
        top_row: falling.top_row(),
    };
    let board = find::extent(falling, &touched, hints);
    adopt(d, falling, &board, By::Discovery).await?;
    Ok(board)
}

/// Which cell of the lattice is the board's first.
pub fn origin(board: &Board, falling: &Falling) -> (i32, i32) {
    let lattice = falling.lattice;
    (
        ((board.x - lattice.x0) / lattice.cell_w).round() as i32,
        ((board.y - lattice.y0) / lattice.cell_h).round() as i32,
    )
}

/// Watches a board, with the empty look that the finder learned or, where that does not fit, one learned anew.
pub async fn adopt<D: Driver>(
    d: &mut D,
    falling: &Falling,
    board: &Board,
    by: By,
) -> Result<(), DriverError> {
    if !watch_at_once(d, falling, board, by).await? {
        learn(d, board.clone(), falling.gravity_ms, by).await?;
    }
    Ok(())
}

/// Are these the same cells, but for parts of a pixel?
pub fn same_cells(a: &Board, b: &Board) -> bool {
    let near = |x: f64, y: f64, cell: f64| (x - y).abs() < cell * 0.12;
    a.columns == b.columns
        && a.rows == b.rows
        && near(a.x, b.x, a.cell_width)
        && near(a.y, b.y, a.cell_height)
        && near(a.rect().right(), b.rect().right(), a.cell_width)
        && near(a.rect().bottom(), b.rect().bottom(), a.cell_height)
}

/// Do these lie on the same cells, however many of them each has? They have cells of one size, and share them.
pub fn on_the_same_cells(a: &Board, b: &Board) -> bool {
    let same = |x: f64, y: f64| (x - y).abs() < x * 0.05;
    let whole = |by: f64, cell: f64| (by / cell - (by / cell).round()).abs() < 0.2;
    let (p, q) = (a.rect(), b.rect());
    let overlap = p.x < q.right() && q.x < p.right() && p.y < q.bottom() && q.y < p.bottom();
    same(a.cell_width, b.cell_width)
        && same(a.cell_height, b.cell_height)
        && whole(a.x - b.x, a.cell_width)
        && whole(a.y - b.y, a.cell_height)
        && overlap
}

/// Watches the board with the empty look that the finder learned. `false` if that look does not fit what is read: at
/// most two pieces and their ghosts can be on a board so early.
async fn watch_at_once<D: Driver>(
    d: &mut D,
    falling: &Falling,
    board: &Board,
    by: By,
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
    let mut background = Frame {
        raster,
        samples: SAMPLES,
        rect: board.rect(),
    };
    if let Some(plain) = vision::background(&[&background], board.columns, board.rows, SAMPLES) {
        background.raster = mended(falling, board, &background.raster, &plain);
    }
    d.watch(board.clone(), Some(Arc::new(background)), by)
        .await?;
    let view = d.advance(FRAME_MS).await?;
    Ok(view
        .grid
        .is_some_and(|g| g.filled_count() <= MOST_AT_FIRST && g.confidence() > LEAST_CONFIDENCE))
}

/// A ghost that stood in the finder's pictures all the while is part of what it takes for empty, and so is what the
/// piece covered in all of them. `plain` is the same look with every cell evened out that stands out of the board's
/// pattern; where the few cells below the piece, in its columns, do, they are taken from there, and so are those that
/// were never seen free. A board of many looks is left as it is.
fn mended(falling: &Falling, board: &Board, seen: &Raster, plain: &Raster) -> Raster {
    let origin = origin(board, falling);
    let positions: Vec<Vec<(i32, i32)>> = falling
        .positions
        .iter()
        .map(|p| {
            let on_board = |&(c, r): &(i32, i32)| (c - origin.0, r - origin.1);
            p.1.iter().map(on_board).collect()
        })
        .collect();
    let cells = positions.concat();
    let (left, right) = columns(&cells);
    let below = cells.iter().map(|c| c.1).max().unwrap_or(0);
    let differs = |c: i32, r: i32| unlike(seen, (c, r), plain, (c, r)) > 0;
    // A last row may have a line of its own: a cell that is more like another of its row, where no ghost is, than like
    // the pattern stands out of that, but nothing stands on it.
    let like_its_row = |c: i32, r: i32| {
        let pattern = unlike(seen, (c, r), plain, (c, r)) / 2;
        (0..i32::from(board.columns))
            .filter(|other| !(left..=right).contains(other))
            .any(|other| unlike(seen, (c, r), seen, (other, r)) <= pattern)
    };
    let mut standing: Vec<(i32, i32)> = (below + 1..i32::from(board.rows))
        .flat_map(|r| (left..=right).map(move |c| (c, r)))
        .filter(|&(c, r)| differs(c, r) && !like_its_row(c, r))
        .collect();
    if standing.len() > GHOST_CELLS {
        standing.clear();
    }
    let covered = |cell: &&(i32, i32)| positions.iter().all(|p| p.contains(cell));
    standing.extend(positions.first().into_iter().flatten().filter(covered));
    let mut rgb = seen.rgb().to_vec();
    let stride = seen.width() as usize * 3;
    for (x, y) in standing.into_iter().flat_map(|(c, r)| pixels(c, r)) {
        if x < 0 || y < 0 || x >= i64::from(seen.width()) {
            continue;
        }
        let at = y as usize * stride + x as usize * 3;
        if let Some(pixel) = rgb.get_mut(at..at + 3) {
            pixel.copy_from_slice(&plain.at(x, y));
        }
    }
    Raster::from_rgb(seen.width(), seen.height(), rgb).unwrap_or_else(|| seen.clone())
}

/// By how much two cells of sampled boards differ, where they do most.
fn unlike(a: &Raster, cell: (i32, i32), b: &Raster, other: (i32, i32)) -> u8 {
    pixels(cell.0, cell.1)
        .zip(pixels(other.0, other.1))
        .flat_map(|(p, q)| a.at(p.0, p.1).into_iter().zip(b.at(q.0, q.1)))
        .map(|(x, y)| x.abs_diff(y))
        .max()
        .unwrap_or(0)
}

/// The first and the last column of a piece.
fn columns(piece: &[(i32, i32)]) -> (i32, i32) {
    (
        piece.iter().map(|c| c.0).min().unwrap_or(0),
        piece.iter().map(|c| c.0).max().unwrap_or(0),
    )
}

/// The pixels of a cell of a sampled board.
fn pixels(column: i32, row: i32) -> impl Iterator<Item = (i64, i64)> {
    let side = i64::from(SAMPLES);
    let (x, y) = (i64::from(column) * side, i64::from(row) * side);
    (0..side * side).map(move |i| (x + i % side, y + i / side))
}

/// Watches a board and learns how it looks with nothing on it while a piece falls over it.
pub async fn learn<D: Driver>(
    d: &mut D,
    board: Board,
    gravity_ms: Option<f64>,
    by: By,
) -> Result<(), DriverError> {
    d.say("learning how the empty board looks");
    d.watch(board.clone(), None, by).await?;
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
    d.watch(board, Some(Arc::new(background)), by).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rect;
    use crate::vision::find::Lattice;

    /// A board of 10 by 20 black cells, ruled, on which an O piece falls in columns 4 and 5.
    fn falling(background: &Raster) -> (Falling, Board) {
        let at = |row: i32| vec![(4, row), (5, row), (4, row + 1), (5, row + 1)];
        let falling = Falling {
            lattice: Lattice {
                x0: 0.0,
                y0: 0.0,
                cell_w: 8.0,
                cell_h: 8.0,
            },
            positions: vec![(0.0, at(2)), (500.0, at(4)), (1_000.0, at(6))],
            tops: vec![16.0, 32.0, 48.0],
            kind: None,
            gravity_ms: Some(250.0),
            smooth: false,
            background: background.clone(),
            area: Rect::new(32.0, 16.0, 16.0, 48.0),
            confidence: 1.0,
            others: Vec::new(),
            why: String::new(),
        };
        let board = Board {
            x: 0.0,
            y: 0.0,
            cell_width: 8.0,
            cell_height: 8.0,
            columns: 10,
            rows: 20,
            confidence: 1.0,
            why: String::new(),
            sure: crate::model::Sure::default(),
        };
        (falling, board)
    }

    fn ruled() -> Raster {
        let line = Raster::filled(80, 1, [50, 50, 50]);
        (0..20).fold(Raster::filled(80, 160, [0, 0, 0]), |r, row| {
            r.patched(&line, 0, row * 8)
        })
    }

    #[test]
    fn a_ghost_that_stood_there_all_the_while_is_no_part_of_the_empty_board() {
        let plain = ruled();
        let ghost = Raster::filled(16, 16, [12, 12, 20]);
        let seen = plain.patched(&ghost, 32, 18 * 8);
        let (falling, board) = falling(&seen);
        assert_eq!(mended(&falling, &board, &seen, &plain), plain);
    }

    #[test]
    fn a_line_below_the_last_row_is_part_of_the_empty_board() {
        let plain = ruled();
        let seen = plain.patched(&Raster::filled(80, 1, [90, 90, 90]), 0, 159);
        let (falling, board) = falling(&seen);
        assert_eq!(mended(&falling, &board, &seen, &plain), seen);
    }
}
