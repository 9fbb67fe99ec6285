//! A second and third look at every key that did something.

use super::trial::has_room;
use super::{
    BUILT, Effect, HELD_MS, SPACED_MS, Search, TAP_MS, any_piece, directions_show, drop_distance,
    turns_show,
};
use crate::driver::{Driver, DriverError, FRAME_MS, hung};
use crate::evidence::Evidence;
use crate::model::{ActivePiece, GridEvent, Key};

impl Search<'_> {
    /// Tries every key again that did something, on a piece that can tell.
    pub(super) async fn confirm<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let all: Vec<Key> = self.found.effects.keys().cloned().collect();
        self.confirm_these(d, &all).await
    }

    /// The same of these keys.
    pub(super) async fn confirm_these<D: Driver>(
        &mut self,
        d: &mut D,
        among: &[Key],
    ) -> Result<(), DriverError> {
        let keys: Vec<(Key, Effect, f64)> = self
            .found
            .effects
            .iter()
            .filter(|(k, _)| among.contains(k))
            .filter_map(|(k, e)| e.first().map(|(e, held)| (k.clone(), e.clone(), *held)))
            .filter(|(_, e, _)| !matches!(e, Effect::Nothing | Effect::Left | Effect::Hung))
            .collect();
        for (key, first, held) in keys {
            self.show(d);
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
        if matches!(first, Effect::Down(_)) && held <= SPACED_MS {
            if let Some(rows) = self.burst(d, key, held).await? {
                self.note(key, Effect::Down(rows), held);
            }
            return Ok(());
        }
        let side = match first {
            Effect::Sideways(n) => n.signum(),
            _ => 0,
        };
        let before = self.aside.clone();
        if side != 0 && before.is_none() {
            // Pieces may come where there is no room to that side.
            let other = self.sure_side(-side, 1);
            self.aside = other.map(|(key, held)| (key, held, side));
        }
        let done = self.confirm_on_pieces(d, key, first, held).await;
        self.aside = before;
        done
    }

    async fn confirm_on_pieces<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        first: &Effect,
        held: f64,
    ) -> Result<(), DriverError> {
        // A piece of two states can't tell the direction of a turn, one of four can.
        let four = directions_show;
        let turns = is_turn(first);
        let sideways = matches!(first, Effect::Sideways(_));
        if sideways
            && held >= HELD_MS
            && let Some((did, ms)) = self.shorten(d, key, first).await?
        {
            self.note(key, did, ms);
            return self.space(d, key, first).await;
        }
        let (mut tries, mut again) = (if turns { 2 } else { 1 }, *first == Effect::Swapped);
        while tries > 0 {
            tries -= 1;
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
                let free = |p: &ActivePiece| has_room(p, side, columns);
                if matches!(first, Effect::Dropped { .. }) {
                    self.trial_after_a_fall(d, key, held, free).await?
                } else {
                    self.trial(d, key, held, free).await?
                }
            };
            if let Some(did) = did {
                let missed = did == Effect::Nothing;
                let unclear = missed || did == Effect::Deformed;
                if unclear && std::mem::take(&mut again) {
                    // What came back may have been of the same kind, or its mirror image; on another piece that shows.
                    self.used = d.evidence(Evidence::piece);
                    tries += 1;
                    continue;
                }
                self.note(key, did, held);
                if missed {
                    self.lengthen(d, key, first, held).await?;
                }
            }
        }
        if turns || sideways {
            self.space(d, key, first).await?;
        }
        Ok(())
    }

    /// Some games do not hear a key again for a while: finds the shortest tap after which the next one is heard.
    async fn space<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        first: &Effect,
    ) -> Result<(), DriverError> {
        let held = self.found.effects.get(key).and_then(|e| e.last());
        let held = held.map_or(TAP_MS, |e| e.1);
        let longer = [3.0, 5.0, 7.0, 9.0].map(|frames| frames * FRAME_MS);
        for tap in std::iter::once(held).chain(longer.into_iter().filter(|ms| *ms > held)) {
            match self.two_taps(d, key, first, tap).await? {
                Some(true) => {
                    if tap > held {
                        self.note(key, first.clone(), tap);
                        self.spaced_ms = self.spaced_ms.max(tap);
                    }
                    break;
                }
                Some(false) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Does each of two taps in a row do something? `None` where no piece comes on which that shows.
    async fn two_taps<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        first: &Effect,
        tap: f64,
    ) -> Result<Option<bool>, DriverError> {
        let aside = match first {
            Effect::Sideways(n) => *n,
            _ => 0,
        };
        let columns = d.board().map_or(0, |b| i32::from(b.columns));
        let free = |p: &ActivePiece| {
            let inside = |c: &(i32, i32)| (0..columns).contains(&(c.0 + 2 * aside));
            p.cells.iter().all(inside) && (aside != 0 || turns_show(p))
        };
        let Some(ready) = self.ready(d, free, 9).await? else {
            return Ok(None);
        };
        let looks = |p: &ActivePiece| (aside == 0).then(|| p.shape()).ok_or(p.corner().0);
        let mut before = looks(&ready.piece);
        let mut heard = 0;
        for _ in 0..2 {
            let Some(after) = d.press(key, tap).await?.active else {
                return Ok(None);
            };
            let after = looks(&after);
            heard += i32::from(after != before);
            before = after;
        }
        Ok(Some(heard == 2))
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
        first: &Effect,
        held: f64,
    ) -> Result<(), DriverError> {
        let turns = is_turn(first);
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
                if worked.iter().all(|did| did == first) {
                    // The game looks at no key more often than at this one.
                    self.spaced_ms = self.spaced_ms.max(longer);
                }
                for did in worked {
                    self.note(key, did, longer);
                }
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Did the piece take another state, as far as that could be told?
pub(super) fn is_turn(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Turned | Effect::Clockwise | Effect::CounterClockwise | Effect::Deformed
    )
}
