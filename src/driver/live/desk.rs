//! The board under the operator's hands: pictures of the page to look at, and what is ruled of the board.

use super::LiveDriver;
use crate::driver::{BoardRuling, Driver, DriverError, SAMPLES};
use crate::model::{Board, By, Frame, Hints, RecordBody, Rect};
use crate::vision;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Wall time between two pictures of the page.
const PICTURE_EVERY: Duration = Duration::from_millis(300);
/// Rulings that can be taken back.
const UNDO: usize = 200;
/// Before what a person says of the reading, in the report's list of what was done by hand.
const READ_BY_HAND: &str = "read by hand: ";
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
    before: Vec<(Option<Ruled>, Hints)>,
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
        let rulings = self.gate.take_board_rulings();
        let any = !rulings.is_empty();
        for ruling in rulings {
            self.rule_board(ruling).await?;
        }
        if any && self.watching && self.open {
            // What is read now shows at once, also while the game stands still.
            let seen = self.probe.read(&self.page).await?;
            let seen = self.see(seen).await?;
            self.last_frame = None;
            self.take(seen);
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
                let empty = r.empty.as_deref();
                let size = (r.board.columns, r.board.rows);
                let empty = vision::taught(empty, &frame, size, (column, row), filled)?;
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
            BoardRuling::Hints(hints) => {
                let before = (now, self.hints.clone());
                self.remember(before);
                return self.take_hints(hints).await;
            }
            BoardRuling::Undo => {
                let Some((board, hints)) = self.desk.before.pop() else {
                    return Ok(());
                };
                if hints != self.hints {
                    return self.take_hints(hints).await;
                }
                if let Some(before) = board {
                    self.desk.ruled = Some(before.clone());
                    self.watch(before.board, before.empty, By::Operator).await?;
                }
                return Ok(());
            }
        };
        let Some(next) = next else {
            return Ok(());
        };
        let before = (now, self.hints.clone());
        self.remember(before);
        self.desk.ruled = Some(next.clone());
        self.watch(next.board, next.empty, By::Operator).await
    }

    fn remember(&mut self, before: (Option<Ruled>, Hints)) {
        self.desk.before.push(before);
        if self.desk.before.len() > UNDO {
            self.desk.before.remove(0);
        }
    }

    /// Reads the page as a person says from now on.
    pub(super) async fn take_hints(&mut self, hints: Hints) -> Result<(), DriverError> {
        if hints == self.hints {
            return Ok(());
        }
        {
            let mut status = self.shared.status();
            status.hints = hints.clone();
            // What is said last is all that is said.
            status.rulings.retain(|r| !r.starts_with(READ_BY_HAND));
            if !hints.is_empty() {
                let said = format!("{READ_BY_HAND}{}", hints.words().join("; "));
                status.rulings.push(said);
            }
        }
        let before = std::mem::replace(&mut self.hints, hints.clone()).next;
        let mut asides = self.asides.clone();
        asides.retain(|place| Some(*place) != before);
        self.keep_in_view(asides);
        self.push(RecordBody::Hints(hints));
        if self.choose_eyes()
            && self.watching
            && let Some(board) = self.board.clone()
        {
            // The two see colours and edges a little differently.
            let empty = self.empty_look(&board).await?;
            let by = if self.desk.ruled.is_some() {
                By::Operator
            } else {
                By::Discovery
            };
            if let Some(ruled) = &mut self.desk.ruled {
                ruled.empty.clone_from(&empty);
            }
            self.watch(board, empty, by).await?;
        }
        Ok(())
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
