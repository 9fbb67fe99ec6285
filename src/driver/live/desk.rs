//! The board under the operator's hands: pictures of the page to look at, and what is ruled of the board.

use super::LiveDriver;
use crate::driver::{BoardRuling, Driver, DriverError, SAMPLES};
use crate::model::{Board, By, Frame, Raster, Rect};
use crate::vision;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Wall time between two pictures of the page.
const PICTURE_EVERY: Duration = Duration::from_millis(300);
/// Rulings that can be taken back.
const UNDO: usize = 200;
/// The page is looked at as far as this, in CSS pixels.
const FARTHEST: (f64, f64) = (1_600.0, 2_800.0);

/// A board and how it looks with nothing on it.
#[derive(Debug, Clone)]
pub(super) struct Ruled {
    board: Board,
    empty: Option<Arc<Frame>>,
}

/// What the operator did about the board.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// The board that stands above what is found.
    pub ruled: Option<Ruled>,
    /// What was before each ruling.
    before: Vec<Option<Ruled>>,
    pictured: Option<Instant>,
}

impl Desk {
    /// What is to be watched instead of what was found.
    pub fn instead(&self) -> Option<(Board, Option<Arc<Frame>>)> {
        self.ruled
            .as_ref()
            .map(|r| (r.board.clone(), r.empty.clone()))
    }
}

impl LiveDriver {
    /// Does what the operator wants with the board, and shows the page to one who looks at it.
    pub(super) async fn at_the_desk(&mut self) -> Result<(), DriverError> {
        for ruling in self.gate.take_board_rulings() {
            self.rule_board(ruling).await?;
        }
        if !self.gate.state().viewing {
            self.desk.pictured = None;
            return Ok(());
        }
        let due = self
            .desk
            .pictured
            .is_none_or(|at| at.elapsed() >= PICTURE_EVERY);
        if due && self.open {
            self.desk.pictured = Some(Instant::now());
            let (width, height) = (
                self.options.page.viewport.width,
                self.options.page.viewport.height,
            );
            let reach = self.board.as_ref().map(Board::rect).unwrap_or_default();
            let rect = Rect::new(
                0.0,
                0.0,
                f64::from(width).max(reach.right()).min(FARTHEST.0),
                f64::from(height).max(reach.bottom()).min(FARTHEST.1),
            );
            match self.picture(rect).await {
                Ok(raster) => {
                    let samples = 1;
                    let picture = Frame {
                        raster,
                        samples,
                        rect,
                    };
                    self.shared.status().page = Some(Arc::new(picture));
                }
                Err(error) => tracing::warn!(%error, "no picture of the page"),
            }
        }
        Ok(())
    }

    async fn rule_board(&mut self, ruling: BoardRuling) -> Result<(), DriverError> {
        let now = self.board.clone().map(|board| Ruled {
            board,
            empty: self.background.clone(),
        });
        let next = match ruling {
            BoardRuling::Board(board) => {
                let empty = self.empty_look(&board).await?;
                Some(Ruled { board, empty })
            }
            BoardRuling::Teach {
                column,
                row,
                filled,
            } => now.clone().and_then(|r| {
                let frame = self.last_frame.clone()?;
                let empty = taught(&r, &frame, (column, row), filled)?;
                let mut board = r.board;
                board.why = format!(
                    "a person said that column {column}, row {row} is {}",
                    if filled { "filled" } else { "empty" }
                );
                Some(Ruled {
                    board,
                    empty: Some(Arc::new(empty)),
                })
            }),
            BoardRuling::Undo => {
                if let Some(Some(before)) = self.desk.before.pop() {
                    self.desk.ruled = Some(before.clone());
                    self.watch(before.board, before.empty, By::Operator).await?;
                }
                return Ok(());
            }
        };
        let Some(next) = next else {
            return Ok(());
        };
        self.desk.before.push(now);
        if self.desk.before.len() > UNDO {
            self.desk.before.remove(0);
        }
        self.desk.ruled = Some(next.clone());
        self.watch(next.board, next.empty, By::Operator).await
    }

    /// How a board looks with nothing on it, from the page as it is now: cells that stand out of what the others have in
    /// common are taken for covered.
    async fn empty_look(&mut self, board: &Board) -> Result<Option<Arc<Frame>>, DriverError> {
        let place = board.rect();
        let around = place.outward();
        let picture = self.picture(around).await?;
        let part = place.within(around);
        let (columns, rows) = (board.columns, board.rows);
        let look = vision::sampled(&picture, part, columns, rows, SAMPLES).and_then(|raster| {
            let frame = Frame {
                raster,
                samples: SAMPLES,
                rect: place,
            };
            let raster = vision::background(&[&frame], columns, rows, SAMPLES)?;
            Some(Arc::new(Frame { raster, ..frame }))
        });
        Ok(look)
    }
}

/// The empty look with one cell put right: what is shown there now is empty, or it is filled and looks empty as another
/// cell does.
fn taught(ruled: &Ruled, now: &Frame, cell: (u16, u16), filled: bool) -> Option<Frame> {
    let (columns, rows) = (ruled.board.columns, ruled.board.rows);
    if cell.0 >= columns || cell.1 >= rows {
        return None;
    }
    let guess = || {
        let raster = vision::background(&[now], columns, rows, now.samples)?;
        Some(Frame {
            raster,
            ..now.clone()
        })
    };
    let mut empty = match &ruled.empty {
        Some(empty) if empty.samples == now.samples => (**empty).clone(),
        _ => guess()?,
    };
    let side = u32::from(now.samples);
    let cut = |from: &Raster, c: u16, r: u16| {
        from.cropped(u32::from(c) * side, u32::from(r) * side, side, side)
    };
    let shown = cut(&now.raster, cell.0, cell.1);
    let look = if filled {
        // Of all other cells' empty looks the one that is least like what is shown here.
        let far = |a: &Raster| -> u32 {
            let pairs = a.rgb().iter().zip(shown.rgb());
            pairs.map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
        };
        let all = (0..rows).flat_map(|r| (0..columns).map(move |c| (c, r)));
        all.filter(|other| *other != cell)
            .map(|(c, r)| cut(&empty.raster, c, r))
            .max_by_key(far)?
    } else {
        shown
    };
    empty.raster = empty
        .raster
        .patched(&look, u32::from(cell.0) * side, u32::from(cell.1) * side);
    Some(empty)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_cell_that_is_taught_reads_as_it_was_said() {
        let board = Board {
            x: 0.0,
            y: 0.0,
            cell_width: 8.0,
            cell_height: 8.0,
            columns: 4,
            rows: 4,
            confidence: 1.0,
            why: String::new(),
        };
        let grey = Raster::filled(32, 32, [40; 3]);
        let block = Raster::filled(8, 8, [200, 30, 30]);
        let frame = |raster| Frame {
            raster,
            samples: 8,
            rect: Rect::new(0.0, 0.0, 32.0, 32.0),
        };
        // A block that was taken for a part of the empty board.
        let now = frame(grey.patched(&block, 8, 8));
        let ruled = Ruled {
            board,
            empty: Some(Arc::new(now.clone())),
        };
        let read = |empty: &Frame| {
            let grid = vision::Reader::new(4, 4, 8)
                .with_background(empty)
                .read(&now);
            grid.filled_cells()
        };
        assert_eq!(read(&now), []);
        let right = taught(&ruled, &now, (1, 1), true).unwrap();
        assert_eq!(read(&right), [(1, 1)]);
        let undone = Ruled {
            empty: Some(Arc::new(right)),
            ..ruled
        };
        let empty = taught(&undone, &now, (1, 1), false).unwrap();
        assert_eq!(read(&empty), []);
        assert!(taught(&undone, &now, (4, 0), true).is_none());
    }
}
