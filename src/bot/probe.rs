//! How a mechanic is tried: on a piece with room, between two marks, with readings enough to see its effect.

use super::Bot;
use crate::driver::controls::{drop_distance, whole, without};
use crate::driver::flicks::Flicks;
use crate::driver::{Driver, DriverError, FRAME_MS, View, start};
use crate::evidence::{Evidence, Mark};
use crate::model::{Action, ActivePiece, ClockMode, Grid, Key, RecordBody};

/// Gravity assumed where none was measured yet.
const GRAVITY_GUESS_MS: f64 = 1_000.0;
/// Columns by which unwanted pieces are put aside, in turn, so that the stack grows evenly.
const ASIDE: [i32; 6] = [-4, 4, -2, 2, -5, 0];
/// Columns from where a piece is to where it would be in the middle of the board: where pieces come at a wall, those that
/// are put aside must not pile up there.
fn from_the_middle(now: &Ready) -> Option<i32> {
    let columns = || now.piece.cells.iter().map(|c| c.0);
    let (left, right) = (columns().min()?, columns().max()?);
    let width = right - left + 1;
    Some((i32::from(now.stack.columns()) - width) / 2 - left)
}

/// Fresh starts one phase may take: where a defect fills the board, hardly anything can be tried between two of them.
const RESTARTS: u32 = 20;
/// The same where a game takes as long as it takes.
const RESTARTS_IN_REAL_TIME: u32 = 8;

/// Game milliseconds for which a drop is drawn at most.
const DRAWN_MS: f64 = 1_500.0;

/// A piece something can be tried on.
#[derive(Debug, Clone)]
pub(super) struct Ready {
    pub piece: ActivePiece,
    pub stack: Grid,
    /// Rows it can fall.
    pub room: i32,
}

/// What a probe presses.
#[derive(Debug, Clone)]
pub(super) struct Tap {
    pub key: Key,
    pub ms: f64,
}

pub(super) fn tap<D: Driver>(d: &D, action: Action) -> Option<Tap> {
    let mapping = d.controls().get(action)?;
    Some(Tap {
        key: mapping.key.clone()?,
        ms: f64::from(mapping.tap_ms).max(FRAME_MS),
    })
}

pub(super) fn gravity_ms<D: Driver>(d: &D) -> f64 {
    d.evidence(Evidence::gravity_ms)
        .unwrap_or(GRAVITY_GUESS_MS)
        .clamp(FRAME_MS, 5_000.0)
}

/// Game milliseconds for which a reading is waited for that the tracker is sure of, before something is tried: until what is
/// drawn over the board for a moment is gone.
const SETTLES_MS: f64 = 1_200.0;

fn ready(view: &View) -> Option<Ready> {
    let (grid, piece) = (view.grid.as_ref()?, view.active.as_ref()?);
    let stack = without(grid, piece);
    Some(Ready {
        room: drop_distance(&stack, &piece.cells),
        piece: piece.clone(),
        stack,
    })
}

impl Bot {
    /// Marks what is going to be tried.
    pub(super) fn begin<D: Driver>(&mut self, d: &mut D, action: Action, key: &Key) {
        let attempt = self.attempts.entry(action).or_insert(0);
        *attempt += 1;
        let mark = Mark::Probe {
            action,
            key: key.clone(),
            attempt: *attempt,
        };
        d.together(true);
        d.say(&format!("{} with {key}, try {}", action.name(), *attempt));
        d.record(RecordBody::Mark(mark.to_text()));
    }

    /// The probe is over.
    pub(super) fn end<D: Driver>(d: &mut D) {
        d.record(RecordBody::Mark(Mark::ProbeEnd.to_text()));
        d.together(false);
    }

    /// Presses once and reads until the effect shows.
    pub(super) async fn press<D: Driver>(d: &mut D, tap: &Tap) -> Result<View, DriverError> {
        let mut view = d.press(&tap.key, tap.ms).await?;
        if !d.evidence(Evidence::is_unsure) {
            return Ok(view);
        }
        // A second reading decides one that the tracker held back.
        let mut after = d.advance(FRAME_MS).await?;
        after.events.splice(0..0, view.events.drain(..));
        Ok(after)
    }

    /// Moves a piece to both sides: a key that is heard twice after a new start moves it twice as far.
    pub(super) async fn tap_aside<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        for action in [Action::MoveLeft, Action::MoveRight] {
            let Some(tap) = tap(d, action) else {
                continue;
            };
            if self.piece(d, 4, 2, |_| true).await?.is_none() {
                return Ok(());
            }
            self.begin(d, action, &tap.key);
            Self::press(d, &tap).await?;
            Self::end(d);
        }
        Ok(())
    }

    /// Waits for a whole piece that `fits` with `room` rows below it; others are brought down and put aside.
    /// `None` if none comes about in `patience` pieces.
    pub(super) async fn piece<D: Driver>(
        &mut self,
        d: &mut D,
        room: i32,
        patience: u32,
        fits: impl Fn(&ActivePiece) -> bool + Send,
    ) -> Result<Option<Ready>, DriverError> {
        let mut passed = 0;
        let mut waited = 0.0;
        let mut last: Option<Vec<(i32, i32)>> = None;
        let mut view = d.advance(FRAME_MS).await?;
        let mut unsure = 0.0;
        loop {
            if unsure < SETTLES_MS && d.evidence(Evidence::is_unsure) {
                view = d.advance(3.0 * FRAME_MS).await?;
                unsure += view.passed_ms.max(FRAME_MS);
                continue;
            }
            let now = ready(&view);
            if let Some(now) = now {
                let whole = whole(&now.piece);
                let rows = i32::from(now.stack.rows());
                // Measured against small boards too: a board of 12 rows has not more room than this.
                let need = room.min(rows / 2);
                let tall = self.crown.is_tall(&now.stack, (rows * 2 / 5) as u16);
                tracing::debug!(?now.piece, now.room, tall, waited, "\n{}", now.stack.to_ascii());
                if tall {
                    if !self.restart(d).await? {
                        return Ok(None);
                    }
                    self.crown.begun_anew();
                }
                if !tall && whole && now.room >= need && fits(&now.piece) {
                    return Ok(Some(now));
                }
                if last.as_ref() != Some(&now.piece.cells) {
                    waited = 0.0;
                }
                last = Some(now.piece.cells.clone());
                if !tall && whole && now.room > 0 {
                    passed += 1;
                    if passed > patience {
                        return Ok(None);
                    }
                    self.put_aside(d, &now).await?;
                }
            }
            let step = (gravity_ms(d) / 4.0).clamp(FRAME_MS, 120.0);
            let patience = gravity_ms(d) * 4.0 + 3_000.0;
            view = d.advance_to_change(patience - waited + step, step).await?;
            waited += view.passed_ms;
            if waited > patience {
                waited = 0.0;
                if !self.restart(d).await? {
                    return Ok(None);
                }
            }
        }
    }

    /// Brings a piece down beside the middle, and waits until it has locked.
    pub(super) async fn put_aside<D: Driver>(
        &mut self,
        d: &mut D,
        now: &Ready,
    ) -> Result<(), DriverError> {
        let by = ASIDE[self.aside % ASIDE.len()];
        self.aside += 1;
        let by = by + from_the_middle(now).filter(|n| n.abs() > 1).unwrap_or(0);
        let side = if by < 0 {
            Action::MoveLeft
        } else {
            Action::MoveRight
        };
        let id = d.evidence(Evidence::piece);
        let mut now = now.clone();
        if let Some(tap) = tap(d, side) {
            for _ in 0..by.abs() {
                let view = Self::press(d, &tap).await?;
                now = ready(&view).unwrap_or(now);
            }
        }
        if let Some(tap) = tap(d, Action::HardDrop) {
            let view = Self::press(d, &tap).await?;
            return Self::arrive(d, &view).await;
        }
        if let Some(tap) = tap(d, Action::SoftDrop) {
            // The next piece is let be.
            if d.evidence(Evidence::piece) != id {
                return Ok(());
            }
            let row = now.piece.corner().1;
            let view = self.flicks.lower(d, &tap.key, now.room, row).await?;
            if view.is_some() && self.flicks == Flicks::Heard {
                return Ok(());
            }
            for _ in 0..now.room + 2 {
                let view = Self::press(d, &tap).await?;
                if d.evidence(Evidence::piece) != id || ready(&view).is_none_or(|r| r.room == 0) {
                    break;
                }
            }
            return Ok(());
        }
        let rows = f64::from(now.room + 1);
        d.advance(gravity_ms(d) * rows).await?;
        Ok(())
    }

    /// Waits for a piece that is on its way down: a drop may be drawn row by row, and no key is heard meanwhile.
    async fn arrive<D: Driver>(d: &mut D, from: &View) -> Result<(), DriverError> {
        let id = d.evidence(Evidence::piece);
        let row = |view: &View| view.active.as_ref().map(|a| a.corner().1);
        let (mut last, mut waited) = (row(from), 0.0);
        let at_rest = |view: &View| ready(view).is_none_or(|r| r.room == 0);
        if at_rest(from) {
            return Ok(());
        }
        while waited < DRAWN_MS {
            let view = d.advance(3.0 * FRAME_MS).await?;
            waited += view.passed_ms;
            let now = row(&view);
            if d.evidence(Evidence::piece) != id || now <= last || at_rest(&view) {
                break;
            }
            last = now;
        }
        Ok(())
    }

    /// Starts the game afresh; `false` when that was done too often or it does not start any more.
    pub(super) async fn restart<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        let Some(started) = &self.started else {
            return Ok(false);
        };
        let most = match d.clock().mode {
            ClockMode::Real => RESTARTS_IN_REAL_TIME,
            ClockMode::Virtual => RESTARTS,
        };
        if self.restarts >= most {
            return Ok(false);
        }
        self.restarts += 1;
        start::repeat(d, &started.path.clone()).await
    }
}
