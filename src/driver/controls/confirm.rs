//! A second and third look at every key that did something.

use super::{BUILT, Effect, Search, TAP_MS, any_piece, directions_show, drop_distance, turns_show};
use crate::driver::{Driver, DriverError, FRAME_MS, hung};
use crate::model::{ActivePiece, GridEvent, Key};

impl Search<'_> {
    /// Tries every key again that did something, on a piece that can tell.
    pub(super) async fn confirm<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let keys: Vec<(Key, Effect, f64)> = self
            .found
            .effects
            .iter()
            .filter_map(|(k, e)| e.first().map(|(e, held)| (k.clone(), e.clone(), *held)))
            .filter(|(_, e, _)| !matches!(e, Effect::Nothing | Effect::Left | Effect::Hung))
            .collect();
        for (key, first, held) in keys {
            match self.confirm_one(d, &key, &first, held).await {
                Err(error) if hung(&error) => {
                    if !self.survived(d, &key, error).await? {
                        return Ok(());
                    }
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Tries a key again that did something.
    pub(super) async fn confirm_one<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        first: &Effect,
        held: f64,
    ) -> Result<(), DriverError> {
        if *first == Effect::Swapped && !self.build(d).await? {
            return Ok(());
        }
        // A piece of two states can't tell the direction of a turn, one of four can.
        let four = directions_show;
        let turns = matches!(
            first,
            Effect::Turned | Effect::Clockwise | Effect::CounterClockwise | Effect::Deformed
        );
        if matches!(first, Effect::Down(_)) && held <= TAP_MS {
            if let Some(rows) = self.burst(d, key).await? {
                self.note(key, Effect::Down(rows), held);
            }
            return Ok(());
        }
        let tries = if turns { 2 } else { 1 };
        for _ in 0..tries {
            let did = if turns {
                match self.trial(d, key, held, four).await? {
                    Some(did) => Some(did),
                    None => self.trial(d, key, held, turns_show).await?,
                }
            } else {
                // At a wall a side key has nothing to show.
                let side = match first {
                    Effect::Sideways(n) => n.signum(),
                    _ => 0,
                };
                let columns = d.board().map_or(0, |b| i32::from(b.columns));
                let free = |p: &ActivePiece| {
                    p.cells
                        .iter()
                        .all(|c| side == 0 || (0..columns).contains(&(c.0 + side)))
                };
                self.trial(d, key, held, free).await?
            };
            if let Some(did) = did {
                let missed = did == Effect::Nothing;
                self.note(key, did, held);
                if missed {
                    self.lengthen(d, key, held, turns).await?;
                }
            }
        }
        Ok(())
    }

    /// Lets pieces come to rest until something lies on the board: over an empty one a new game looks like another
    /// piece in the place of the first. `false` if nothing comes to lie there.
    pub(super) async fn build<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        for _ in 0..BUILT {
            let Some(ready) = self.ready(d, any_piece, 9).await? else {
                return Ok(false);
            };
            if ready.stack.filled_count() > 0 {
                return Ok(true);
            }
            let rows = f64::from(drop_distance(&ready.stack, &ready.piece.cells));
            match self.known_drop() {
                Some(key) => {
                    for _ in 0..rows as u32 {
                        let view = d.press(&key, TAP_MS).await?;
                        let done = |e: &GridEvent| matches!(e, GridEvent::PieceLocked { .. });
                        if view.events.iter().any(done) {
                            break;
                        }
                    }
                    d.advance(self.gravity_ms * 2.0).await?;
                }
                None => {
                    d.advance(self.gravity_ms * (rows + 2.0)).await?;
                }
            }
        }
        Ok(false)
    }

    /// A tap that works now and then is too short for a game that looks at its keys every so often: finds the shortest
    /// that works twice running.
    pub(super) async fn lengthen<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        held: f64,
        turns: bool,
    ) -> Result<(), DriverError> {
        for frames in [2.0, 3.0, 5.0, 8.0] {
            let longer = frames * FRAME_MS;
            if longer <= held {
                continue;
            }
            let mut worked = Vec::new();
            for _ in 0..2 {
                let fits = if turns { turns_show } else { any_piece };
                match self.trial(d, key, longer, fits).await? {
                    Some(did) if did != Effect::Nothing => worked.push(did),
                    _ => break,
                }
            }
            if worked.len() == 2 {
                for did in worked {
                    self.note(key, did, longer);
                }
                return Ok(());
            }
        }
        Ok(())
    }
}
