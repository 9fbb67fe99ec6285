//! Phase 3: the keys, and whether each mechanic does what it should.

use super::probe::{Ready, gravity_ms, tap};
use super::{Bot, Outcome, taps};
use crate::checks::{self, Status};
use crate::driver::{Driver, DriverError, FRAME_MS, controls, locate, start};
use crate::evidence::{Evidence, Mark};
use crate::model::{Action, ActivePiece, Board, By, RecordBody, Sure};

/// Probes of each mechanic: a verdict needs two, a third settles a doubt.
const PROBES: u32 = 3;
/// Columns that are free beside a piece before it is moved that way: a step of two must show as one.
const WANTED_ROOM: i32 = 3;
/// Quick taps of the soft drop: so many rows are more than gravity gives meanwhile.
const QUICK_TAPS: u32 = 4;
/// Columns that are free between a wall and a piece that is to be turned.
const TURNING_ROOM: i32 = 2;
/// Pieces that came to rest outside of an area and show that it is not the whole board.
const MISPLACED: usize = 3;
/// Rows above the board that a new piece may have to fall before it is seen.
const ROWS_ABOVE: i32 = 3;
/// Pieces waited for until one of the wanted kind comes.
const PATIENCE: u32 = 9;

impl Bot {
    pub(super) async fn mechanics<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        let Some(path) = self.started.as_ref().map(|s| s.path.clone()) else {
            return Ok(Outcome::skipped("the game was not started"));
        };
        self.restarts = 0;
        if std::mem::take(&mut self.stale) && !self.restart(d).await? {
            return Ok(Outcome::failed("the game did not start again"));
        }
        self.free_fall(d).await?;
        if self.controls.is_none() {
            self.controls = Some(self.find_controls(d, &path).await?);
        }
        // What it does to the game is undone by the fresh start that follows.
        self.measure(d).await?;
        let thought = d.board().cloned();
        self.touch(d).await?;
        if thought.is_some_and(|thought| Self::hid_drops(d, &thought)) {
            d.say("the floor is elsewhere: looking for the keys once more");
            self.controls = Some(self.find_controls(d, &path).await?);
        }
        for action in [Action::MoveLeft, Action::MoveRight] {
            self.taps(d, action, 2, PROBES, |_| true).await?;
        }
        for action in [Action::RotateCw, Action::RotateCcw] {
            // Two probes on pieces of four states, then whatever comes but O.
            self.taps(d, action, 4, 2, controls::directions_show)
                .await?;
            self.taps(d, action, 4, 2, controls::turns_show).await?;
        }
        self.at_the_walls(d).await?;
        self.beside_blocks(d).await?;
        self.soft_drop(d).await?;
        self.hard_drop(d).await?;
        self.free_fall(d).await?;
        self.lock(d).await?;
        let found = d.controls().iter().filter(|(_, m)| m.key.is_some()).count();
        Ok(Outcome::done(&format!("{found} of 8 actions have a key")))
    }

    /// Leaves a piece alone for some rows.
    async fn free_fall<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        if self.piece(d, 6, PATIENCE, |_| true).await?.is_none() {
            return Ok(());
        }
        d.say("watching a piece fall by itself");
        let gravity = gravity_ms(d);
        let rows = (gravity * 4.3).min(8_000.0);
        let stands = d.evidence(Evidence::stands);
        d.advance(if stands {
            checks::HANGS_MS + gravity
        } else {
            rows
        })
        .await?;
        Ok(())
    }

    /// Was the floor `thought` to be elsewhere while no key was seen to drop a piece? One that came to rest above or below
    /// it was lost from sight, whatever had brought it there.
    fn hid_drops<D: Driver>(d: &D, thought: &Board) -> bool {
        let moved = d.board().is_some_and(|board| {
            let by = board.rect().bottom() - thought.rect().bottom();
            by.abs() > board.cell_height / 2.0
        });
        moved && tap(d, Action::HardDrop).is_none()
    }

    /// Makes the board exact: pushes a piece of a fresh game to the walls and lets it down to the floor.
    pub(super) async fn touch<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let (Some(started), Some(survey)) = (self.started.clone(), &self.survey) else {
            return Ok(());
        };
        let region = start::region(survey);
        if self.board_by_hand {
            Self::sure(d, Sure::ALL);
            return Ok(());
        }
        if !self.restart(d).await? {
            return Ok(());
        }
        let found = locate::touch(d, &started.falling, &started.hints, region).await?;
        let (Some((found, falling)), Some(board)) = (found, d.board().cloned()) else {
            return Ok(());
        };
        let outside = d.evidence(|e| locks_outside(e, &board, &found));
        if outside >= MISPLACED {
            // What was pushed and let down was lost from sight on the way.
            d.record(RecordBody::Note(format!(
                "a piece seemed to find the edges of {}×{}, but {outside} pieces have come to rest outside of them",
                found.columns, found.rows
            )));
        } else {
            if !locate::same_cells(&found, &board) {
                d.record(RecordBody::Note(format!(
                    "the board is {}×{}, not {}×{}: {}",
                    found.columns, found.rows, board.columns, board.rows, found.why
                )));
                if self.restart(d).await? {
                    locate::adopt(d, &falling, &found, By::Discovery).await?;
                }
            }
            if d.board()
                .is_some_and(|board| locate::same_cells(&found, board))
            {
                Self::sure(d, found.sure);
            }
        }
        self.learn_place(d);
        Ok(())
    }

    /// Says in the log what of the board's size was touched, or said by hand.
    fn sure<D: Driver>(d: &mut D, Sure { columns, rows }: Sure) {
        d.record(RecordBody::Mark(Mark::Sure { columns, rows }.to_text()));
    }

    /// Taps a key some times on one piece, for several pieces.
    async fn taps<D: Driver>(
        &mut self,
        d: &mut D,
        action: Action,
        taps: u32,
        pieces: u32,
        fits: impl Fn(&ActivePiece) -> bool + Send + Copy,
    ) -> Result<(), DriverError> {
        for _ in 0..pieces {
            let Some(tap) = tap(d, action) else {
                return Ok(());
            };
            // Room for the taps and a row of gravity meanwhile.
            let Some(ready) = self.piece(d, 6, PATIENCE, fits).await? else {
                return Ok(());
            };
            if taps > 2 {
                self.clear_of_the_top(d, ready.piece.corner().1, ready.room)
                    .await?;
            }
            Self::make_room(d, action, &ready).await?;
            self.begin(d, action, &tap.key);
            for _ in 0..taps {
                Self::press(d, &tap).await?;
            }
            Self::end(d);
            taps::heard(d, action);
            self.put_aside(d, &ready).await?;
        }
        Ok(())
    }

    /// Pieces may come beside a wall: one that is to be moved to that side, or turned, is moved away from it first.
    async fn make_room<D: Driver>(
        d: &mut D,
        action: Action,
        ready: &Ready,
    ) -> Result<(), DriverError> {
        let columns = i32::from(ready.stack.columns());
        let at_wall = |wall: i32| {
            let near = |c: &(i32, i32)| (c.0 - wall).abs() < TURNING_ROOM;
            ready.piece.cells.iter().any(near)
        };
        let (side, other) = match action {
            Action::MoveLeft => (-1, Action::MoveRight),
            Action::MoveRight => (1, Action::MoveLeft),
            _ if at_wall(0) => (-1, Action::MoveRight),
            _ if at_wall(columns - 1) => (1, Action::MoveLeft),
            _ => return Ok(()),
        };
        let has_room = ready.piece.cells.iter().all(|&(c, r)| {
            (1..=WANTED_ROOM).all(|n| {
                let at = c + side * n;
                (0..columns).contains(&at) && !ready.stack.is_filled(at, r)
            })
        });
        if let Some(away) = tap(d, other).filter(|_| !has_room) {
            for _ in 0..WANTED_ROOM {
                Self::press(d, &away).await?;
            }
        }
        Ok(())
    }

    /// Many games do not turn a piece that would reach over the upper edge: lets it fall clear of it.
    pub(super) async fn clear_of_the_top<D: Driver>(
        &mut self,
        d: &mut D,
        mut row: i32,
        room: i32,
    ) -> Result<(), DriverError> {
        let gravity = gravity_ms(d);
        let mut waited = 0.0;
        let deep = 2.min(room - 3);
        while row < deep && waited < gravity * 4.0 {
            let step = (gravity / 3.0).clamp(FRAME_MS, 120.0);
            let view = d.advance_to_change(gravity * 4.0 - waited, step).await?;
            waited += view.passed_ms;
            row = view.active.map_or(row, |a| a.corner().1);
        }
        Ok(())
    }

    /// Pushes pieces against both walls and turns them there, and once more where that does not decide it.
    async fn at_the_walls<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        for _ in 0..2 {
            self.push_and_turn(d).await?;
            let known = d.evidence(|e| checks::verdict("walls_hold", e));
            if known.is_some_and(|v| matches!(v.status, Status::Pass | Status::Fail)) {
                break;
            }
        }
        Ok(())
    }

    async fn push_and_turn<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let columns = d.board().map_or(10, |b| u32::from(b.columns));
        for side in [Action::MoveLeft, Action::MoveRight] {
            for _ in 0..2 {
                let Some(push) = tap(d, side) else {
                    break;
                };
                let Some(ready) = self.piece(d, 7, PATIENCE, controls::turns_show).await? else {
                    return Ok(());
                };
                // What is lost at the wall must not look like what is still above the board.
                self.clear_of_the_top(d, ready.piece.corner().1, ready.room)
                    .await?;
                d.say(&format!("pushing against the wall with {}", push.key));
                for _ in 0..columns {
                    Self::press(d, &push).await?;
                }
                for turn in [Action::RotateCw, Action::RotateCcw] {
                    if let Some(turn) = tap(d, turn) {
                        for _ in 0..2 {
                            Self::press(d, &turn).await?;
                            Self::press(d, &push).await?;
                        }
                    }
                }
                self.put_aside(d, &ready).await?;
            }
        }
        Ok(())
    }

    /// Taps the key, holds it, and taps it as quickly as can be, in turns: in many games only one of them makes a piece
    /// fall faster. Where a step begins the wait for the next row anew, slow taps are no faster than gravity.
    async fn soft_drop<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        for probe in 0..2 * PROBES {
            let known = d.evidence(|e| checks::verdict("soft_drop", e));
            if known.is_some_and(|v| v.status == Status::Pass) && probe >= 2 {
                break;
            }
            let Some(tap) = tap(d, Action::SoftDrop) else {
                return Ok(());
            };
            let Some(ready) = self.piece(d, 8, PATIENCE, |_| true).await? else {
                return Ok(());
            };
            self.begin(d, Action::SoftDrop, &tap.key);
            if probe % 3 == 0 {
                for _ in 0..3 {
                    Self::press(d, &tap).await?;
                }
            } else if probe % 3 == 2 {
                for _ in 0..QUICK_TAPS {
                    d.key_down(&tap.key).await?;
                    d.advance(FRAME_MS).await?;
                    d.key_up(&tap.key).await?;
                    d.advance(FRAME_MS).await?;
                }
                d.advance(d.effects_within().max(FRAME_MS)).await?;
            } else {
                // Held long enough to be told from gravity, not so long that the piece lands; longer where it fell no
                // faster by then: some games shorten only waits for a row that begin while it is held.
                let hold = (gravity_ms(d) * 0.8).clamp(12.0 * FRAME_MS, 600.0);
                let longest = hold.max(gravity_ms(d) * controls::LAGS);
                d.key_down(&tap.key).await?;
                let mut held = 0.0;
                while held < longest {
                    let end = if held < hold { hold } else { longest };
                    let view = d.advance_to_change(end - held, 2.0 * FRAME_MS).await?;
                    held += view.passed_ms;
                    let fell = view
                        .active
                        .as_ref()
                        .map_or(i32::MAX, |a| a.corner().1 - ready.piece.corner().1);
                    let faster = f64::from(fell) > held / gravity_ms(d) + controls::PLAINLY;
                    if fell >= ready.room - 1 || held >= hold && faster {
                        break;
                    }
                }
                d.key_up(&tap.key).await?;
                d.advance(d.effects_within().max(FRAME_MS)).await?;
            }
            Self::end(d);
            self.put_aside(d, &ready).await?;
        }
        Ok(())
    }

    async fn hard_drop<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        for _ in 0..PROBES {
            let Some(tap) = tap(d, Action::HardDrop) else {
                return Ok(());
            };
            if self.piece(d, 6, PATIENCE, |_| true).await?.is_none() {
                return Ok(());
            }
            self.begin(d, Action::HardDrop, &tap.key);
            let first = Self::press(d, &tap).await?;
            let mut spawned = spawned(&first);
            let mut waited = 0.0;
            // Until the next piece has appeared: the lock, and a line clear's show, may take their time, and the piece may
            // come above the board.
            let patience = 1_500.0 + gravity_ms(d) * f64::from(ROWS_ABOVE);
            while !spawned && waited < patience {
                let view = d
                    .advance_to_change(patience - waited, 3.0 * FRAME_MS)
                    .await?;
                waited += view.passed_ms;
                spawned = self::spawned(&view);
            }
            d.advance(2.0 * FRAME_MS).await?;
            Self::end(d);
        }
        Ok(())
    }

    /// Lets a piece come to rest by gravity alone and waits for the next one.
    async fn lock<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        for _ in 0..2 {
            let Some(ready) = self.piece(d, 3, PATIENCE, |_| true).await? else {
                return Ok(());
            };
            d.say("waiting for a piece to lock by itself");
            if let Some(tap) = tap(d, Action::SoftDrop) {
                // Down to the last rows, so that nobody has to watch twenty of them.
                for _ in 0..ready.room - 2 {
                    Self::press(d, &tap).await?;
                }
            }
            let gravity = gravity_ms(d);
            let patience = gravity * f64::from(ready.room + 3) + 2_500.0;
            let mut waited = 0.0;
            while waited < patience {
                let step = (gravity / 4.0).clamp(FRAME_MS, 100.0);
                let view = d.advance_to_change(patience - waited, step).await?;
                waited += view.passed_ms;
                if spawned(&view) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Pieces that have come to rest on `board`, partly outside of `other`.
fn locks_outside(e: &Evidence, board: &Board, other: &Board) -> usize {
    let outside = |&(c, r): &(i32, i32)| {
        let x = board.x + (f64::from(c) + 0.5) * board.cell_width;
        let y = board.y + (f64::from(r) + 0.5) * board.cell_height;
        r >= 0 && !other.rect().contains(x, y)
    };
    let all = e.locked();
    all.iter().filter(|l| l.cells.iter().any(outside)).count()
}

fn spawned(view: &crate::driver::View) -> bool {
    view.events
        .iter()
        .any(|e| matches!(e, crate::model::GridEvent::PieceSpawned { .. }))
}
