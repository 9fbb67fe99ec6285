//! Waiting for a piece on which something can be tried, and whether the game runs at all.

use super::{CLEAR_OF_TOP, Effect, ROOM, Ready, Search, TAP_MS, drop_distance, whole, without};
use crate::driver::{Driver, DriverError, FRAME_MS, View, exact, start};
use crate::evidence::Evidence;
use crate::model::{ActivePiece, ClockMode, GridEvent, Key};

/// New games at most in a search. Where no key turns a piece all keys are tried in vain, on pieces that pile up in the
/// middle.
const RESTARTS: u32 = 36;
/// The same where a game takes as long as it takes.
const RESTARTS_IN_REAL_TIME: u32 = 12;

/// Longest time from a piece's rest to the next one.
const LOCKS_MS: f64 = 1_500.0;

/// For how long a drop is drawn, at most.
const DRAWN_MS: f64 = 600.0;

impl Search<'_> {
    /// Lets game time pass until a whole piece has room below it. `None` if that does not come about.
    pub(super) async fn ready<D: Driver>(
        &mut self,
        d: &mut D,
        fits: impl Fn(&ActivePiece) -> bool + Send,
        patience_pieces: u32,
    ) -> Result<Option<Ready>, DriverError> {
        let mut waited = 0.0;
        let (mut passed, mut pushed, mut afresh) = (0, 0, false);
        let mut last_row = i32::MIN;
        let mut view = d.advance(FRAME_MS).await?;
        loop {
            if let (Some(grid), Some(piece)) = (&view.grid, &view.active) {
                let row = piece.corner().1;
                if row < last_row {
                    passed += 1;
                }
                if row != last_row {
                    waited = 0.0;
                }
                last_row = row;
                let stack = without(grid, piece);
                let whole = whole(piece);
                let room = drop_distance(&stack, &piece.cells);
                let tall = self.crown.is_tall(&stack, grid.rows() / 2);
                let deep = if self.deep {
                    i32::from(grid.rows()) / 3
                } else {
                    CLEAR_OF_TOP
                };
                let clear = row >= deep || room < ROOM + 2 || d.evidence(Evidence::stands);
                // Where pieces come beside a wall or block, a key for that side does nothing; the other one is known.
                let aside = self.aside.as_ref().filter(|(_, _, side)| {
                    let columns = i32::from(grid.columns());
                    piece.cells.iter().any(|&(c, r)| {
                        let next = c + side;
                        next < 0 || next >= columns || stack.is_filled(next, r)
                    })
                });
                if let Some((key, hold, _)) = aside.filter(|_| whole && room >= ROOM && pushed < 3)
                {
                    pushed += 1;
                    view = d.press(key, *hold).await?;
                    continue;
                }
                let fits = fits(piece)
                    && (self.used.is_none() || d.evidence(Evidence::piece) != self.used);
                let roomy = room >= self.room || afresh && room >= ROOM;
                if whole && roomy && fits && !tall && clear {
                    return Ok(Some(Ready {
                        piece: piece.clone(),
                        stack,
                    }));
                }
                tracing::debug!(?piece, room, tall, waited, "\n{}", grid.to_ascii());
                // A piece that glides onto the board may be read as lying upon itself.
                let read = grid.between().is_none();
                if tall && room < ROOM && read && !self.again(d).await? {
                    return Ok(None);
                }
                // More room is asked for than the stack leaves to any piece.
                let high = self.room > ROOM && room + row < self.room + CLEAR_OF_TOP;
                if high && whole && read && !afresh {
                    if !self.again(d).await? {
                        return Ok(None);
                    }
                    (afresh, last_row) = (true, i32::MIN);
                    view = d.advance(FRAME_MS).await?;
                    continue;
                }
                if passed >= patience_pieces {
                    // A stack that is neither low nor in the way: an empty board has room.
                    if afresh || !self.again(d).await? {
                        return Ok(None);
                    }
                    (afresh, passed) = (true, 0);
                }
                // A piece that is of no use is brought down by what is known to bring it down, as long as it moves.
                let awaited = !clear && !tall && fits;
                let drop = self.known_drop().filter(|_| !awaited);
                // One at rest is let be: the next may be above the board already and would be dropped unseen.
                if let Some(key) = drop.filter(|_| whole && room > 0 && waited <= 0.0) {
                    let (sinks, cells) = (self.drops(&key), piece.cells.clone());
                    let lowered = if sinks {
                        None
                    } else {
                        let rows = room / self.rows_a_press(&key);
                        self.flicks.lower(d, &key, rows, row).await?
                    };
                    if let Some(lower) = lowered {
                        waited += lower.passed_ms;
                        view = lower;
                        continue;
                    }
                    view = d.press(&key, TAP_MS).await?;
                    waited += TAP_MS + FRAME_MS;
                    // A drop may be drawn over some time: on a piece that is on its way nothing can be tried.
                    let locks = |e: &GridEvent| matches!(e, GridEvent::PieceLocked { .. });
                    while sinks && waited < DRAWN_MS && !view.events.iter().any(locks) {
                        view = d.advance(3.0 * FRAME_MS).await?;
                        waited += view.passed_ms;
                    }
                    let there = |now: &ActivePiece| now.cells == cells;
                    if sinks && view.active.as_ref().is_some_and(there) {
                        self.undropped += 1;
                    }
                    continue;
                }
            }
            let step = (self.gravity_ms / 4.0).clamp(FRAME_MS, 120.0);
            let patience = self.gravity_ms * 4.0 + 3_000.0;
            view = d.advance_to_change(patience - waited + step, step).await?;
            waited += view.passed_ms;
            if waited > patience {
                waited = 0.0;
                last_row = i32::MIN;
                self.standstills += 1;
                if !self.again(d).await? {
                    return Ok(None);
                }
            }
        }
    }

    /// Did a key drop a piece?
    fn drops(&self, key: &Key) -> bool {
        let mut seen = self.found.effects.get(key).into_iter().flatten();
        seen.any(|(e, _)| matches!(e, Effect::Dropped { .. }))
    }

    /// Rows by which a key lowers a piece, as it was seen.
    fn rows_a_press(&self, key: &Key) -> i32 {
        let seen = self.found.effects.get(key).into_iter().flatten();
        let rows = seen.filter_map(|(e, _)| match e {
            Effect::Down(rows) => Some(*rows),
            _ => None,
        });
        rows.max().unwrap_or(1).max(1)
    }

    /// The key that is known to bring a piece down.
    pub(super) fn known_drop(&self) -> Option<Key> {
        self.found
            .effects
            .iter()
            .find(|(_, e)| e.iter().any(|(e, _)| matches!(e, Effect::Dropped { .. })))
            .or_else(|| {
                self.found.effects.iter().find(|(_, e)| {
                    e.iter()
                        .filter(|(e, _)| matches!(e, Effect::Down(_)))
                        .count()
                        >= 2
                })
            })
            .map(|(k, _)| k.clone())
    }

    /// Starts the game afresh; `false` if it does not start any more.
    pub(super) async fn again<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        self.restarts += 1;
        let most = match d.clock().mode {
            ClockMode::Real => RESTARTS_IN_REAL_TIME,
            ClockMode::Virtual => RESTARTS,
        };
        if self.restarts > most {
            return Ok(false);
        }
        self.crown.begun_anew();
        start::repeat(d, self.path).await
    }

    /// Watches a few rows of free fall.
    pub(super) async fn measure_gravity<D: Driver>(
        &mut self,
        d: &mut D,
    ) -> Result<(), DriverError> {
        let Some(_) = self.ready(d, |_| true, 6).await? else {
            return Ok(());
        };
        let mut falls: Vec<f64> = Vec::new();
        let mut now = 0.0;
        let mut row = None;
        while now < 6_000.0 && falls.len() < 4 {
            let view = d.advance_to_change(6_000.0 - now, FRAME_MS).await?;
            now += view.passed_ms;
            let here = view.active.as_ref().map(|a| a.corner().1);
            match (row, here) {
                (Some(a), Some(b)) if b > a => falls.push(now),
                (Some(a), Some(b)) if b < a => falls.clear(),
                _ => {}
            }
            row = here;
        }
        let mut gaps: Vec<f64> = falls.windows(2).map(|w| w[1] - w[0]).collect();
        gaps.sort_by(f64::total_cmp);
        if let Some(median) = gaps.get(gaps.len() / 2) {
            self.gravity_ms = median.max(FRAME_MS);
            self.timed = true;
        }
        Ok(())
    }

    /// Does a piece still fall, or a new one come?
    pub(super) async fn runs<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        if d.evidence(Evidence::stands) {
            return self.stirs(d).await;
        }
        let mut now = 0.0;
        let mut before = d.advance(FRAME_MS).await?.active;
        let mut patience = self.gravity_ms * 2.5 + 600.0;
        if before.is_none() {
            // It may come from above the board, row by row.
            patience += self.gravity_ms * 3.0;
        }
        let mut lies = false;
        while now < patience {
            let step = (self.gravity_ms / 3.0).clamp(FRAME_MS, 150.0);
            let view = d.advance_to_change(patience - now, step).await?;
            now += view.passed_ms;
            if !lies && rests(&view) {
                // One that came to rest locks first, and the next may come from above the board.
                lies = true;
                patience += LOCKS_MS + self.gravity_ms * 3.0;
            }
            let after = view.active;
            match (&before, &after) {
                (Some(a), Some(b)) if a.cells != b.cells => return Ok(true),
                _ => {}
            }
            if after.is_some() {
                before = after;
            }
        }
        Ok(false)
    }

    /// Does the piece of a game in which nothing falls still go aside at one of the usual keys?
    async fn stirs<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        for key in exact::KEYS.map(Key::new) {
            let before = d.advance(FRAME_MS).await?.active;
            let after = d.press(&key, self.sure_ms()).await?.active;
            if before.zip(after).is_some_and(|(a, b)| a.cells != b.cells) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the piece still answer a side key that is known? `None` where none is known or it has no room.
    pub(super) async fn answers<D: Driver>(
        &mut self,
        d: &mut D,
    ) -> Result<Option<bool>, DriverError> {
        let sideways = |e: &Effect| match e {
            Effect::Sideways(n) => n.signum(),
            _ => 0,
        };
        // Away from the nearer wall, beside which some turns are refused.
        let columns = d.board().map_or(0, |b| i32::from(b.columns));
        let nearer_left = d.evidence(|e| {
            let piece = e.readings().last()?.active.clone()?;
            let left = piece.cells.iter().map(|c| c.0).min()?;
            let right = piece.cells.iter().map(|c| c.0).max()?;
            Some(left < columns - 1 - right)
        });
        let sides = if nearer_left == Some(true) {
            [1, -1]
        } else {
            [-1, 1]
        };
        for side in sides {
            let key = self
                .found
                .effects
                .iter()
                .find(|(_, e)| !e.is_empty() && e.iter().all(|(e, _)| sideways(e) == side))
                .map(|(k, e)| (k.clone(), e[0].1));
            let Some((key, hold)) = key else {
                continue;
            };
            let Some(ready) = self.ready(d, |_| true, 3).await? else {
                return Ok(None);
            };
            let free = ready.piece.cells.iter().all(|&(c, r)| {
                let next = c + side;
                next >= 0 && next < columns && !ready.stack.is_filled(next, r)
            });
            if !free {
                continue;
            }
            let view = d.press(&key, hold).await?;
            let moved = view
                .active
                .is_none_or(|a| a.corner().0 != ready.piece.corner().0);
            return Ok(Some(moved));
        }
        Ok(None)
    }
}

/// Does the piece lie on something?
fn rests(view: &View) -> bool {
    let (Some(grid), Some(piece)) = (&view.grid, &view.active) else {
        return false;
    };
    drop_distance(grid, &piece.cells) == 0
}
