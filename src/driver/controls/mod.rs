//! Which key does what: every candidate is tried from a known state and judged by what the piece did.
//!
//! Comes in: a [`Driver`] with a running game and a watched board. Goes out: a [`ControlMap`] with an observation for
//! every key tried. Must never know: what a page says its keys are.

mod effect;
mod known;

pub use effect::{Effect, Press, drop_distance, effect, without};
pub use known::{confirm_known, try_key};

use super::{Driver, DriverError, FRAME_MS, View, hung, start};
use crate::model::{
    Action, ActivePiece, By, Confidence, ControlMap, ControlMapping, Grid, GridEvent, Key,
    StartCandidate,
};
use std::collections::BTreeMap;

/// The keys that are tried, likeliest first; those that may leave the game come last.
pub fn candidate_keys() -> Vec<Key> {
    let mut keys: Vec<String> = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", " "]
        .map(String::from)
        .to_vec();
    keys.extend("adswzxcqejlikhgfvbtyuomp".chars().map(String::from));
    keys.extend(["Shift", "Control", "Tab"].map(String::from));
    keys.extend("1234567890,./;'[]-=\\`".chars().map(String::from));
    keys.extend(["Home", "End", "PageUp", "PageDown", "Insert"].map(String::from));
    keys.extend(["r", "n", "Enter", "Backspace", "Delete", "Escape"].map(String::from));
    keys.into_iter().map(Key::new).collect()
}

/// How long a tap is at first: the shortest that a game which polls once a frame can see.
const TAP_MS: f64 = FRAME_MS;
/// How long a key is held that did nothing when tapped.
const HELD_MS: f64 = 11.0 * FRAME_MS;
/// Free rows below a piece that a trial needs, so that gravity alone can't end it meanwhile.
const ROOM: i32 = 4;
/// Rows below the upper edge from which a piece is tried: many games do not turn one that would reach over the edge,
/// and some do not move one that is not wholly on the board.
const CLEAR_OF_TOP: i32 = 2;
/// Taps in a row that tell a soft drop of a row a tap from gravity.
const BURST: i32 = 4;
/// Pieces let down for something to lie on the board, at most.
const BUILT: usize = 3;
/// Silent keys tried before it is looked whether the game still runs.
const BATCH: usize = 6;
/// Gravity assumed until it was measured.
const GRAVITY_GUESS_MS: f64 = 1_000.0;

/// What came of looking for the controls.
#[derive(Debug)]
struct Found {
    /// Per key, what it did, each time it was tried.
    effects: BTreeMap<Key, Vec<(Effect, f64)>>,
}

/// Looks for the keys of every action. `path` starts the game again if a key leaves it.
pub async fn discover<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
) -> Result<ControlMap, DriverError> {
    let mut search = Search::new(path);
    search.all(d).await?;
    let map = search.map();
    d.set_controls(map.clone(), By::Discovery);
    Ok(map)
}

/// Looks again for one action: every key that is not known for something else.
pub async fn rediscover<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
    action: Action,
) -> Result<ControlMap, DriverError> {
    let old = d.controls().clone();
    let taken: Vec<Key> = old
        .iter()
        .filter(|(a, _)| *a != action)
        .filter_map(|(_, m)| m.key.clone())
        .collect();
    let fresh = discover_among(d, path, |k| !taken.contains(k)).await?;
    let mut map = old;
    if let Some(m) = fresh.get(action) {
        map.set(action, m.clone());
    }
    map.key_observations.extend(fresh.key_observations);
    d.set_controls(map.clone(), By::Discovery);
    Ok(map)
}

async fn discover_among<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
    keep: impl Fn(&Key) -> bool + Send,
) -> Result<ControlMap, DriverError> {
    let mut search = Search::new(path);
    let keys: Vec<Key> = candidate_keys().into_iter().filter(keep).collect();
    search.try_keys(d, &keys).await?;
    search.confirm(d).await?;
    Ok(search.map())
}

struct Search<'a> {
    path: &'a [StartCandidate],
    gravity_ms: f64,
    found: Found,
    restarts: u32,
    pause: Option<(Key, bool)>,
    /// Did the piece go down at all in the trials of this key?
    went_down: bool,
    /// Pieces are let fall to the middle of the board before a key is tried on them.
    deep: bool,
    /// A key that moves a piece to one side, how long it is pressed, and the side for which pieces are to have room.
    aside: Option<(Key, f64, i32)>,
    /// Every key was tried.
    complete: bool,
}

/// What came of trying a key.
enum Tried {
    /// What it did, and how long it was held for that.
    Did(Effect, f64),
    /// It stopped the game, which is noted already.
    Stopped,
    /// No piece came on which it could be tried.
    NoPiece,
}

/// A piece with room to try something on it.
struct Ready {
    piece: ActivePiece,
    stack: Grid,
}

impl<'a> Search<'a> {
    fn new(path: &'a [StartCandidate]) -> Self {
        Self {
            path,
            gravity_ms: GRAVITY_GUESS_MS,
            found: Found {
                effects: BTreeMap::new(),
            },
            restarts: 0,
            pause: None,
            went_down: false,
            deep: false,
            aside: None,
            complete: false,
        }
    }
}

impl Search<'_> {
    async fn all<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        self.try_keys(d, &candidate_keys()).await?;
        let turned = |e: &Effect| {
            matches!(
                e,
                Effect::Turned | Effect::Clockwise | Effect::CounterClockwise | Effect::Deformed
            )
        };
        let none = !self
            .found
            .effects
            .values()
            .flatten()
            .any(|(e, _)| turned(e));
        if let Some(aside) = self.other_side().filter(|_| self.complete) {
            // Pieces may come where there is no room to that side.
            self.aside = Some(aside);
            let silent = self.silent();
            // What they did without room says nothing.
            for key in &silent {
                self.found.effects.remove(key);
            }
            self.try_keys(d, &silent).await?;
        }
        if self.complete && none {
            // Every game turns its pieces: what was silent once may have been refused where the piece happened to be.
            let silent = self.silent();
            self.deep = true;
            self.try_keys(d, &silent).await?;
            self.deep = false;
        }
        self.confirm(d).await
    }

    /// Keys that have done nothing so far.
    fn silent(&self) -> Vec<Key> {
        candidate_keys()
            .into_iter()
            .filter(|k| {
                let seen = self.found.effects.get(k);
                seen.is_some_and(|e| e.iter().all(|(e, _)| *e == Effect::Nothing))
            })
            .collect()
    }

    /// Where a key moves pieces to one side and none to the other: that key, for how long it is pressed, and the side
    /// that is missing.
    fn other_side(&self) -> Option<(Key, f64, i32)> {
        let of = |side: i32| {
            self.found.effects.iter().find_map(|(key, effects)| {
                let (_, held) = effects
                    .iter()
                    .find(|(e, _)| matches!(e, Effect::Sideways(n) if n.signum() == side))?;
                Some((key.clone(), *held))
            })
        };
        match (of(-1), of(1)) {
            (Some((key, held)), None) => Some((key, held, 1)),
            (None, Some((key, held))) => Some((key, held, -1)),
            _ => None,
        }
    }

    /// Lets game time pass until a whole piece has room below it. `None` if that does not come about.
    async fn ready<D: Driver>(
        &mut self,
        d: &mut D,
        fits: impl Fn(&ActivePiece) -> bool + Send,
        patience_pieces: u32,
    ) -> Result<Option<Ready>, DriverError> {
        let mut waited = 0.0;
        let (mut passed, mut pushed) = (0, 0);
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
                let tall = stack.filled_in_top(grid.rows() / 2) > 0;
                let deep = if self.deep {
                    i32::from(grid.rows()) / 3
                } else {
                    CLEAR_OF_TOP
                };
                let clear = row >= deep || room < ROOM + 2;
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
                if whole && room >= ROOM && fits(piece) && !tall && clear {
                    return Ok(Some(Ready {
                        piece: piece.clone(),
                        stack,
                    }));
                }
                tracing::debug!(?piece, room, tall, waited, "\n{}", grid.to_ascii());
                if tall && room < ROOM && !self.again(d).await? {
                    return Ok(None);
                }
                if passed >= patience_pieces {
                    return Ok(None);
                }
                // A piece that is of no use is brought down by what is known to bring it down, as long as it moves.
                let awaited = !clear && !tall && fits(piece);
                let drop = self.known_drop().filter(|_| !awaited);
                // One at rest is let be: the next may be above the board already and would be dropped unseen.
                if let Some(key) = drop.filter(|_| whole && room > 0 && waited <= 0.0) {
                    view = d.press(&key, TAP_MS).await?;
                    waited += TAP_MS + FRAME_MS;
                    continue;
                }
            }
            let step = (self.gravity_ms / 4.0).clamp(FRAME_MS, 120.0);
            view = d.advance(step).await?;
            waited += step;
            if waited > self.gravity_ms * 4.0 + 3_000.0 {
                waited = 0.0;
                last_row = i32::MIN;
                if !self.again(d).await? {
                    return Ok(None);
                }
            }
        }
    }

    /// The key that is known to bring a piece down.
    fn known_drop(&self) -> Option<Key> {
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
    async fn again<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        self.restarts += 1;
        if self.restarts > 12 {
            return Ok(false);
        }
        start::repeat(d, self.path).await
    }

    /// Presses a key on a piece with room and says what that did.
    async fn trial<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        hold_ms: f64,
        fits: impl Fn(&ActivePiece) -> bool + Send,
    ) -> Result<Option<Effect>, DriverError> {
        let Some(ready) = self.ready(d, fits, 9).await? else {
            return Ok(None);
        };
        d.say(&format!("trying key {key}"));
        d.together(true);
        let mut view = d.press(key, hold_ms).await?;
        let mut passed = hold_ms + FRAME_MS;
        let mut events = std::mem::take(&mut view.events);
        // A piece that is on its way (a drop that is animated, one that enters row by row) is waited for, and so is
        // the second look that decides an odd first one.
        let patience = 1_200.0 + 3.0 * self.gravity_ms;
        while passed < patience && (unsettled(&view) || unsure(d)) {
            view = d.advance(3.0 * FRAME_MS).await?;
            passed += 3.0 * FRAME_MS;
            events.append(&mut view.events);
        }
        d.together(false);
        let lower = view
            .active
            .as_ref()
            .is_some_and(|a| a.corner().1 > ready.piece.corner().1);
        self.went_down |= lower;
        let gravity_rows = (passed / self.gravity_ms).ceil() as i32;
        let stack_after = match (&view.grid, &view.active) {
            (Some(g), Some(a)) => Some(without(g, a)),
            (Some(g), None) => Some((**g).clone()),
            (None, _) => None,
        };
        let did = effect(&Press {
            before: &ready.piece,
            stack: &ready.stack,
            after: view.active.as_ref(),
            stack_after: stack_after.as_ref(),
            events: &events,
            gravity_rows,
        });
        // A soft drop that is held may reach the ground as well; what only a long press does is no hard drop.
        let did = match did {
            Effect::Dropped { rows, .. } if hold_ms >= HELD_MS => Effect::Down(rows),
            did => did,
        };
        Ok(Some(did))
    }

    async fn try_keys<D: Driver>(&mut self, d: &mut D, keys: &[Key]) -> Result<(), DriverError> {
        self.complete = false;
        self.measure_gravity(d).await?;
        let mut silent: Vec<Key> = Vec::new();
        let mut queue: Vec<Key> = keys.iter().rev().cloned().collect();
        while let Some(key) = queue.pop() {
            let (did, held) = match self.tried(d, &key).await {
                Ok(Tried::Did(did, held)) => (did, held),
                Ok(Tried::Stopped) => continue,
                Ok(Tried::NoPiece) => return Ok(()),
                Err(error) if hung(&error) => {
                    if !self.survived(d, &key, error).await? {
                        return Ok(());
                    }
                    // Once more, when all the others are known: it may not have been the key.
                    if self.times(&key, &Effect::Hung) < 2 {
                        queue.insert(0, key);
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            if did == Effect::Left {
                if self.runs(d).await? {
                    self.note(&key, did, held);
                } else {
                    // Stopped or ended: if the same key lets it go on, it was a pause.
                    self.find_pause(d, std::slice::from_ref(&key)).await?;
                    if self.pause.as_ref().is_none_or(|(k, _)| *k != key) {
                        self.note(&key, did, held);
                    }
                }
                continue;
            }
            let nothing = did == Effect::Nothing;
            self.note(&key, did, held);
            if nothing {
                silent.push(key);
            }
            if silent.len() >= BATCH || (queue.is_empty() && !silent.is_empty()) {
                let batch = std::mem::take(&mut silent);
                if !self.runs(d).await? {
                    let after = self.find_pause(d, &batch).await?;
                    // What was pressed while the game stood still was not really tried.
                    for k in after.into_iter().rev() {
                        self.found.effects.remove(&k);
                        queue.push(k);
                    }
                }
            }
        }
        self.complete = true;
        Ok(())
    }

    /// Tries a key: tapped, and held where a tap did nothing.
    async fn tried<D: Driver>(&mut self, d: &mut D, key: &Key) -> Result<Tried, DriverError> {
        let not_o = turns_show;
        self.went_down = false;
        let Some(mut did) = self.trial(d, key, TAP_MS, not_o).await? else {
            return Ok(Tried::NoPiece);
        };
        let mut held = TAP_MS;
        // A key that stops the game does it now and undoes it with the next press: looked at in between.
        if did == Effect::Nothing && self.answers(d).await? == Some(false) && !self.runs(d).await? {
            self.find_pause(d, std::slice::from_ref(key)).await?;
            if self.pause.as_ref().is_none_or(|(k, _)| k != key) {
                self.note(key, Effect::Left, held);
            }
            return Ok(Tried::Stopped);
        }
        if matches!(did, Effect::Nothing | Effect::Down(_)) {
            let Some(longer) = self.trial(d, key, HELD_MS, not_o).await? else {
                return Ok(Tried::NoPiece);
            };
            if longer != Effect::Nothing {
                held = HELD_MS;
                // The shortest press that works is what a tap is in this game.
                for frames in [2.0, 3.0, 5.0] {
                    if matches!(longer, Effect::Down(_)) {
                        break;
                    }
                    if let Some(shorter) = self.trial(d, key, frames * FRAME_MS, not_o).await?
                        && shorter != Effect::Nothing
                    {
                        held = frames * FRAME_MS;
                        did = shorter;
                        break;
                    }
                }
            }
            if did == Effect::Nothing || matches!(longer, Effect::Down(_)) {
                did = longer;
            }
        }
        // One row a tap is no more than gravity might have done; several taps in a row tell.
        if did == Effect::Nothing
            && self.went_down
            && let Some(rows) = self.burst(d, key).await?
        {
            did = Effect::Down(rows);
            held = TAP_MS;
        }
        Ok(Tried::Did(did, held))
    }

    /// The page stopped answering at a key: goes on with a fresh one. `false` where there is none.
    async fn survived<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        error: DriverError,
    ) -> Result<bool, DriverError> {
        self.note(key, Effect::Hung, TAP_MS);
        let hung = |e: &Vec<(Effect, f64)>| e.iter().any(|(e, _)| *e == Effect::Hung);
        if self.found.effects.values().filter(|e| hung(e)).count() > 1 {
            // Not this key or that: the page hangs by itself.
            return Err(error);
        }
        d.together(false);
        d.say(&format!(
            "the page stopped answering at {key}; going on with a fresh one"
        ));
        if !d.renew().await? {
            return Err(error);
        }
        self.again(d).await
    }

    /// How often a key did something.
    fn times(&self, key: &Key, what: &Effect) -> usize {
        let seen = self.found.effects.get(key).map(Vec::as_slice);
        seen.unwrap_or_default()
            .iter()
            .filter(|(e, _)| e == what)
            .count()
    }

    /// Taps a key several times; the rows that the piece went down beyond gravity, if it went down with each tap.
    async fn burst<D: Driver>(&mut self, d: &mut D, key: &Key) -> Result<Option<i32>, DriverError> {
        let Some(ready) = self.ready(d, |_| true, 9).await? else {
            return Ok(None);
        };
        let mut last = None;
        for _ in 0..BURST {
            let view = d.press(key, TAP_MS).await?;
            last = view.active;
            if last
                .as_ref()
                .is_none_or(|a| a.shape() != ready.piece.shape())
            {
                return Ok(None);
            }
        }
        let passed = f64::from(BURST) * (TAP_MS + FRAME_MS);
        let gravity_rows = (passed / self.gravity_ms).ceil() as i32;
        let down = last.map_or(0, |a| a.corner().1 - ready.piece.corner().1) - gravity_rows;
        Ok((down >= BURST - 1 - gravity_rows.min(1) && down > 0).then_some(down))
    }

    fn note(&mut self, key: &Key, did: Effect, held: f64) {
        self.found
            .effects
            .entry(key.clone())
            .or_default()
            .push((did, held));
    }

    /// Does the piece still answer a side key that is known? `None` where none is known or it has no room.
    async fn answers<D: Driver>(&mut self, d: &mut D) -> Result<Option<bool>, DriverError> {
        let sideways = |e: &Effect| match e {
            Effect::Sideways(n) => n.signum(),
            _ => 0,
        };
        for side in [-1, 1] {
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
            let columns = i32::from(ready.stack.columns());
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

    /// Watches a few rows of free fall.
    async fn measure_gravity<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let Some(_) = self.ready(d, |_| true, 6).await? else {
            return Ok(());
        };
        let mut falls: Vec<f64> = Vec::new();
        let mut now = 0.0;
        let mut row = None;
        while now < 6_000.0 && falls.len() < 4 {
            let view = d.advance(FRAME_MS).await?;
            now += FRAME_MS;
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
        }
        Ok(())
    }

    /// Does a piece still fall, or a new one come?
    async fn runs<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        let mut now = 0.0;
        let mut before = d.advance(FRAME_MS).await?.active;
        while now < self.gravity_ms * 2.5 + 600.0 {
            let step = (self.gravity_ms / 3.0).clamp(FRAME_MS, 150.0);
            let after = d.advance(step).await?.active;
            now += step;
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

    /// The game stands still after these keys: which of them stopped it, and does the same key let it go on?
    /// Returns the keys that were pressed after it and have to be tried again.
    async fn find_pause<D: Driver>(
        &mut self,
        d: &mut D,
        batch: &[Key],
    ) -> Result<Vec<Key>, DriverError> {
        for (i, key) in batch.iter().enumerate() {
            d.say(&format!("does {key} let the game go on?"));
            d.press(key, TAP_MS * 3.0).await?;
            if !self.runs(d).await? {
                continue;
            }
            // It goes on: stop it with the same key and let it go once more.
            d.press(key, TAP_MS * 3.0).await?;
            let stopped = !self.runs(d).await?;
            if stopped {
                d.press(key, TAP_MS * 3.0).await?;
                let resumed = self.runs(d).await?;
                self.pause = Some((key.clone(), resumed));
                if !resumed {
                    self.again(d).await?;
                }
            }
            return Ok(batch[i + 1..].to_vec());
        }
        self.again(d).await?;
        // One of them ends the game for good: find it on its own.
        for (i, key) in batch.iter().enumerate() {
            d.press(key, TAP_MS * 3.0).await?;
            if !self.runs(d).await? {
                self.found.effects.remove(key);
                self.note(key, Effect::Left, TAP_MS * 3.0);
                self.again(d).await?;
                return Ok(batch[i + 1..].to_vec());
            }
        }
        Ok(Vec::new())
    }

    /// Tries every key again that did something, on a piece that can tell.
    async fn confirm<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
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
    async fn confirm_one<D: Driver>(
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
    async fn build<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
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
    async fn lengthen<D: Driver>(
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

    /// The map that follows from all trials.
    fn map(&self) -> ControlMap {
        let mut map = ControlMap::default();
        map.complete = self.complete;
        for (key, effects) in &self.found.effects {
            let said: Vec<String> = effects
                .iter()
                .map(|(e, held)| format!("{held:.0} ms: {e}"))
                .collect();
            map.key_observations
                .insert(key.as_str().to_string(), said.join("; "));
        }
        for action in Action::ALL {
            map.set(action, self.mapping(action));
        }
        if let Some((key, resumed)) = &self.pause {
            map.set(
                Action::Pause,
                ControlMapping {
                    key: Some(key.clone()),
                    confidence: if *resumed {
                        Confidence::Confirmed
                    } else {
                        Confidence::Suspected
                    },
                    observation: if *resumed {
                        "stopped the game and let it go on, twice".into()
                    } else {
                        "stopped the game; it did not go on the second time".into()
                    },
                    tap_ms: (TAP_MS * 3.0) as u32,
                },
            );
            map.key_observations.insert(
                key.as_str().to_string(),
                "stops the game and lets it go on".into(),
            );
        }
        map
    }

    fn mapping(&self, action: Action) -> ControlMapping {
        let does = |e: &Effect| match action {
            Action::MoveLeft => matches!(e, Effect::Sideways(n) if *n < 0),
            Action::MoveRight => matches!(e, Effect::Sideways(n) if *n > 0),
            Action::SoftDrop => matches!(e, Effect::Down(_)),
            Action::HardDrop => matches!(e, Effect::Dropped { .. }),
            Action::RotateCw => matches!(e, Effect::Clockwise),
            Action::RotateCcw => matches!(e, Effect::CounterClockwise),
            Action::Hold => matches!(e, Effect::Swapped),
            Action::Pause => false,
        };
        // Of several keys the one tried first wins, and one that did it each time before one that did it once. A key
        // is what it did most often: a drop after which the next piece was seen too soon looks like a swap, once.
        let order = candidate_keys();
        let mut best: Option<(usize, usize, &Key)> = None;
        for (key, effects) in &self.found.effects {
            let times = effects.iter().filter(|(e, _)| does(e)).count();
            let something = effects
                .iter()
                .filter(|(e, _)| *e != Effect::Nothing)
                .count();
            let turned = effects.iter().filter(|(e, _)| *e == Effect::Turned).count();
            // What kills the page now and then is not played with.
            if effects.iter().any(|(e, _)| *e == Effect::Hung) {
                continue;
            }
            // What once emptied the board begins a new game; over an empty one that looks like a hold.
            if action == Action::Hold && effects.iter().any(|(e, _)| *e == Effect::Left) {
                continue;
            }
            // A key that turns some pieces one way and some the other is the game's one key for turning.
            let both = turns_both_ways(effects);
            if action == Action::RotateCcw && both {
                continue;
            }
            let usual = (times + turned) * 2 >= something || action == Action::RotateCw && both;
            if times == 0 || !usual {
                continue;
            }
            let place = order.iter().position(|k| k == key).unwrap_or(usize::MAX);
            let better = best.is_none_or(|(t, p, _)| {
                (times.min(2), usize::MAX - place) > (t.min(2), usize::MAX - p)
            });
            if better {
                best = Some((times, place, key));
            }
        }
        // A turn whose direction never showed is taken for the usual one, and said.
        if best.is_none() && action == Action::RotateCw {
            let turned = self.found.effects.iter().find(|(_, e)| {
                e.iter()
                    .any(|(e, _)| matches!(e, Effect::Turned | Effect::Deformed))
                    && !e.iter().any(|(e, _)| matches!(e, Effect::CounterClockwise))
            });
            if let Some((key, effects)) = turned {
                return ControlMapping {
                    key: Some(key.clone()),
                    confidence: Confidence::Suspected,
                    observation: describe(effects),
                    tap_ms: effects.last().map_or(TAP_MS, |e| e.1) as u32,
                };
            }
        }
        match best {
            Some((times, _, key)) => ControlMapping {
                key: Some(key.clone()),
                confidence: if times >= 2 {
                    Confidence::Confirmed
                } else {
                    Confidence::Suspected
                },
                observation: self
                    .found
                    .effects
                    .get(key)
                    .map_or_else(String::new, |e| describe(e)),
                tap_ms: self
                    .found
                    .effects
                    .get(key)
                    .and_then(|e| e.last())
                    .map_or(TAP_MS, |e| e.1)
                    .ceil() as u32,
            },
            None => ControlMapping {
                key: None,
                confidence: Confidence::NotFound,
                observation: format!("none of {} keys did it", self.found.effects.len()),
                tap_ms: 0,
            },
        }
    }
}

fn turns_both_ways(effects: &[(Effect, f64)]) -> bool {
    let does = |way: &Effect| effects.iter().any(|(e, _)| e == way);
    does(&Effect::Clockwise) && does(&Effect::CounterClockwise)
}

fn describe(effects: &[(Effect, f64)]) -> String {
    let all: Vec<String> = effects.iter().map(|(e, _)| e.to_string()).collect();
    let mut once: Vec<&String> = Vec::new();
    for e in &all {
        if !once.contains(&e) {
            once.push(e);
        }
    }
    let said: Vec<String> = once
        .iter()
        .map(|e| {
            let n = all.iter().filter(|a| a == e).count();
            if n > 1 {
                format!("{e} ({n}×)")
            } else {
                (*e).clone()
            }
        })
        .collect();
    said.join("; ")
}

/// Any piece will do.
fn any_piece(_: &ActivePiece) -> bool {
    true
}

/// Would a quarter turn show on it?
pub fn turns_show(piece: &ActivePiece) -> bool {
    piece.shape().turned_clockwise() != piece.shape()
}

/// Would it show which way it was turned?
pub fn directions_show(piece: &ActivePiece) -> bool {
    piece.shape().turned_clockwise().turned_clockwise() != piece.shape()
}

/// Can all of the piece be seen? It has four cells, or, where pieces are of other sizes, none in the top row.
pub fn whole(piece: &ActivePiece) -> bool {
    piece.cells.len() >= 4 || piece.corner().1 > 0
}

/// Is the last reading held back by the tracker?
fn unsure<D: Driver>(d: &D) -> bool {
    d.evidence(|e| e.readings().last().is_some_and(|r| r.unsure))
}

/// Is the piece on its way: not readable, not whole, or not where it was last seen (hidden above the board)?
fn unsettled(view: &View) -> bool {
    let shown = |a: &ActivePiece| {
        let filled = |c: &(i32, i32)| view.grid.as_ref().is_none_or(|g| g.is_filled(c.0, c.1));
        a.cells.iter().all(filled)
    };
    view.active.as_ref().is_none_or(|a| !whole(a) || !shown(a))
}
