//! All keys, one after the other, and what is to be done when one of them stops the game or hangs the page.

use super::stuck::{hanging, is_still_shown};
use super::trial::unsettled;
use super::{
    BATCH, COUNTDOWN_MS, Effect, HELD_MS, Search, Several, TAP_MS, Tried, drop_distance, turns_show,
};
use crate::driver::{Driver, DriverError, FRAME_MS, View, hung};
use crate::evidence::{Evidence, Happening};
use crate::model::{ActivePiece, GridEvent, Key, Side, Survey, TextItem};

/// A row fallen within this part of the time that gravity takes, since the one before, is none of gravity's.
const TOO_SOON: f64 = 0.8;

impl Search<'_> {
    pub(super) async fn try_keys<D: Driver>(
        &mut self,
        d: &mut D,
        keys: &[Key],
    ) -> Result<(), DriverError> {
        self.complete = false;
        if !self.timed {
            self.measure_gravity(d).await?;
        }
        let mut silent: Vec<Key> = Vec::new();
        let mut queue: Vec<Key> = keys.iter().rev().cloned().collect();
        while let Some(key) = queue.pop() {
            self.show(d);
            if self.may_wait(&key) {
                let mut keys = vec![key];
                while keys.len() < BATCH && queue.last().is_some_and(|k| self.may_wait(k)) {
                    keys.extend(queue.pop());
                }
                if !self.try_several(d, &keys, &mut queue).await? {
                    return Ok(());
                }
                continue;
            }
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
                    self.stopped_by(d, &key, held).await?;
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

    /// The game stopped or ended at a key: if the same key lets it go on, it is a pause.
    pub(super) async fn stopped_by<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
        held: f64,
    ) -> Result<(), DriverError> {
        self.find_pause(d, std::slice::from_ref(key)).await?;
        let pauses = self.pause.as_ref().is_some_and(|(k, _)| k == key);
        if !pauses && !self.stops.contains(key) {
            self.note(key, Effect::Left, held);
        }
        Ok(())
    }

    /// The game goes on after one of these keys, the last one if there is no countdown: which of them stops it, and lets
    /// it go on again?
    async fn stops_again<D: Driver>(
        &mut self,
        d: &mut D,
        keys: &[Key],
    ) -> Result<Option<usize>, DriverError> {
        for (at, key) in keys.iter().enumerate().rev() {
            d.press(key, self.sure_ms()).await?;
            if self.runs(d).await? {
                continue;
            }
            d.press(key, self.sure_ms()).await?;
            let resumed = self.runs(d).await? || self.counts_down(d).await?;
            self.pauses(key, resumed);
            if !resumed {
                self.again(d).await?;
            }
            return Ok(Some(at));
        }
        Ok(None)
    }

    /// A key stops the game. Of several that also let it go on the one tried first is likelier to be meant than a button
    /// that has the focus.
    fn pauses(&mut self, key: &Key, resumed: bool) {
        let known = self.pause.as_ref().is_some_and(|p| p.1 && p.0 != *key);
        match (known, resumed) {
            (false, _) => self.pause = Some((key.clone(), resumed)),
            (true, true) => drop(self.stops.insert(key.clone())),
            (true, false) => {}
        }
    }

    /// Does the game go on after a countdown?
    async fn counts_down<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        let mut waited = 0.0;
        while waited < COUNTDOWN_MS {
            let view = d.advance_to_change(COUNTDOWN_MS - waited, 100.0).await?;
            waited += view.passed_ms;
            let lives = |e: &GridEvent| matches!(e, GridEvent::PieceMoved { .. });
            if view.events.iter().any(lives) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is it one of the keys that do nothing in most games, so that several are tried on one piece? Those that change
    /// what other keys mean, and those that leave a game, are tried alone.
    fn may_wait(&self, key: &Key) -> bool {
        let plain = key.as_str().chars().count() == 1 && key.as_str() != " "
            || ["Home", "End", "PageUp", "PageDown", "Insert"].contains(&key.as_str());
        plain && !self.single.contains(key)
    }

    /// Tries several keys on one piece; what is not settled by it goes back into the queue. `false` if no piece comes
    /// any more.
    async fn try_several<D: Driver>(
        &mut self,
        d: &mut D,
        keys: &[Key],
        queue: &mut Vec<Key>,
    ) -> Result<bool, DriverError> {
        let mut doubtful = Vec::new();
        let came = self.several(d, keys, &mut doubtful).await?;
        self.single.extend(doubtful.iter().cloned());
        queue.extend(doubtful.into_iter().rev());
        let (quiet, again): (&[Key], &[Key]) = match came {
            Several::Silent => (keys, &[]),
            Several::Stirred(at) => {
                let key = &keys[at];
                if self.runs(d).await? {
                    // A hold, say, that is granted once a piece would be refused to the one that has come.
                    self.used = d.evidence(Evidence::piece);
                    self.single.insert(key.clone());
                    self.stirred = Some(key.clone());
                    keys.split_at(at)
                } else {
                    self.stopped_by(d, key, HELD_MS).await?;
                    (&keys[..at], &keys[at + 1..])
                }
            }
            Several::Stopped | Several::StoodStill => {
                let after = match came {
                    Several::Stopped => self.find_pause(d, keys).await?,
                    _ => self.find_stop(d, keys).await?,
                };
                let pressed = keys.len() - after.len();
                self.single.extend(after);
                keys.split_at(pressed)
            }
            Several::NoPiece => {
                self.single.extend(keys.iter().cloned());
                (&[], keys)
            }
            Several::Hung(at, error) => {
                if !self.survived(d, &keys[at], error).await? {
                    return Ok(false);
                }
                if self.times(&keys[at], &Effect::Hung) < 2 {
                    self.single.insert(keys[at].clone());
                    queue.insert(0, keys[at].clone());
                }
                (&keys[..at], &keys[at + 1..])
            }
        };
        queue.extend(again.iter().rev().cloned());
        let stops = self.pause.as_ref().map(|p| p.0.clone());
        for key in quiet {
            if !self.found.effects.contains_key(key)
                && !self.single.contains(key)
                && stops.as_ref() != Some(key)
            {
                self.note(key, Effect::Nothing, HELD_MS);
            }
        }
        Ok(true)
    }

    /// Holds several keys, one after the other, on one piece, and looks whether it minds. `doubtful` ones may have brought
    /// it down a row.
    async fn several<D: Driver>(
        &mut self,
        d: &mut D,
        keys: &[Key],
        doubtful: &mut Vec<Key>,
    ) -> Result<Several, DriverError> {
        let Some(ready) = self.ready(d, turns_show, 9).await? else {
            return Ok(Several::NoPiece);
        };
        let takes_ms = (HELD_MS + 3.0 * FRAME_MS) * keys.len() as f64;
        let room = drop_distance(&ready.stack, &ready.piece.cells);
        if f64::from(room) < takes_ms / self.gravity_ms + 2.0 {
            return Ok(Several::NoPiece);
        }
        let names: Vec<&str> = keys.iter().map(Key::as_str).collect();
        d.say(&format!("trying keys {}", names.join(" ")));
        let mut piece = ready.piece;
        let mut fell = Vec::new();
        d.together(true);
        let mut came = Several::Silent;
        for (at, key) in keys.iter().enumerate() {
            let view = match d.press(key, HELD_MS).await {
                Ok(view) => view,
                Err(error) if hung(&error) => {
                    came = Several::Hung(at, error);
                    break;
                }
                Err(error) => return Err(error),
            };
            let Some(rows) = fallen(&piece, &view) else {
                came = Several::Stirred(at);
                break;
            };
            let most = (view.passed_ms / self.gravity_ms).ceil() as i32;
            if rows > most {
                came = Several::Stirred(at);
                break;
            }
            if rows > 0 {
                fell.push(key.clone());
            }
            piece = view.active.unwrap_or(piece);
        }
        d.together(false);
        if !matches!(came, Several::Silent) {
            doubtful.append(&mut fell);
            return Ok(came);
        }
        // What stopped the game did nothing to the piece either.
        let (restarts, standstills) = (self.restarts, self.standstills);
        let undropped = self.undropped;
        let answers = self.answers(d).await?;
        if self.restarts > restarts {
            return Ok(if self.standstills > standstills {
                Several::StoodStill
            } else {
                Several::NoPiece
            });
        }
        if answers != Some(true) && !self.runs(d).await? {
            return Ok(Several::Stopped);
        }
        let stood = self.undropped > undropped;
        if (stood || answers == Some(false)) && self.is_awake(d).await? {
            doubtful.append(&mut fell);
            return Ok(Several::StoodStill);
        }
        // Where the effect of a key is waited for until the piece falls, it falls at each.
        fell.retain(|_| d.effects_within() <= 0.0);
        for key in fell {
            if self.lowers(d, &key).await? {
                doubtful.push(key);
            }
        }
        Ok(Several::Silent)
    }

    /// Does a side key work that just did not, while the game runs? Then it may have let the game go on, as any key does in
    /// some games that are paused.
    pub(super) async fn is_awake<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        let restarts = self.restarts;
        Ok(self.answers(d).await? == Some(true) && self.restarts == restarts)
    }

    /// Does this key alone stop the game, which runs now?
    pub(super) async fn stops<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
    ) -> Result<bool, DriverError> {
        self.find_stop(d, std::slice::from_ref(key)).await?;
        let pauses = self.pause.as_ref().is_some_and(|p| p.0 == *key);
        Ok(pauses || self.stops.contains(key) || self.times(key, &Effect::Left) > 0)
    }

    /// Does a piece go down at this key when it does not by itself? `true` where that cannot be told.
    async fn lowers<D: Driver>(&mut self, d: &mut D, key: &Key) -> Result<bool, DriverError> {
        let takes_ms = HELD_MS + 2.0 * FRAME_MS;
        let Some(ready) = self.ready(d, turns_show, 9).await? else {
            return Ok(true);
        };
        let (mut piece, mut waited) = (ready.piece, 0.0);
        let due = |e: &Evidence| {
            since_fall(e).is_none_or(|ms| ms + takes_ms > self.gravity_ms * TOO_SOON)
        };
        // Just after a row of its own there is time.
        while d.evidence(due) {
            if waited > self.gravity_ms * 1.5 {
                return Ok(true);
            }
            let patience = self.gravity_ms * 1.5 + FRAME_MS - waited;
            let view = d.advance_to_change(patience, FRAME_MS).await?;
            waited += view.passed_ms;
            piece = view.active.unwrap_or(piece);
        }
        let view = d.press(key, HELD_MS).await?;
        Ok(fallen(&piece, &view) != Some(0))
    }

    /// The page stopped answering at a key: goes on with a fresh one. `false` where there is none.
    pub(super) async fn survived<D: Driver>(
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

    /// The game stands still after these keys: which of them stopped it, and does the same key let it go on?
    /// Returns the keys that were pressed after it and have to be tried again.
    pub(super) async fn find_pause<D: Driver>(
        &mut self,
        d: &mut D,
        batch: &[Key],
    ) -> Result<Vec<Key>, DriverError> {
        for (i, key) in batch.iter().enumerate() {
            d.say(&format!("does {key} let the game go on?"));
            d.press(key, self.sure_ms()).await?;
            if self.runs(d).await? || i + 1 == batch.len() && self.counts_down(d).await? {
                let at = self.stops_again(d, &batch[..=i]).await?;
                return Ok(batch[at.unwrap_or(i) + 1..].to_vec());
            }
        }
        self.again(d).await?;
        self.find_stop(d, batch).await
    }

    /// One of these keys stops the game, which runs now: finds it on its own, and whether it lets the game go on. Returns
    /// the keys after it.
    async fn find_stop<D: Driver>(
        &mut self,
        d: &mut D,
        batch: &[Key],
    ) -> Result<Vec<Key>, DriverError> {
        for (i, key) in batch.iter().enumerate() {
            let before = said(&d.survey().await?);
            let was = hanging(&d.advance(FRAME_MS).await?);
            d.press(key, self.sure_ms()).await?;
            if self.runs(d).await? {
                continue;
            }
            self.found.effects.remove(key);
            let hangs = hangs(d).await?;
            let paused = hangs && said(&d.survey().await?) == before;
            d.press(key, self.sure_ms()).await?;
            let resumed = self.runs(d).await? || self.counts_down(d).await?;
            if resumed || paused && self.pause.is_none() {
                self.pauses(key, resumed);
            } else {
                if !paused && (hangs || is_still_shown(d, was).await?) {
                    self.stuck.get_or_insert_with(|| key.clone());
                }
                self.note(key, Effect::Left, self.sure_ms());
            }
            if !resumed {
                self.again(d).await?;
            }
            return Ok(batch[i + 1..].to_vec());
        }
        Ok(Vec::new())
    }
}

/// Is there a piece in mid-air? What is left in the middle of a game, with nothing said, was paused and not ended.
pub(super) async fn hangs<D: Driver>(d: &mut D) -> Result<bool, DriverError> {
    let view = d.advance(FRAME_MS).await?;
    let (Some(grid), Some(piece)) = (view.grid, view.active) else {
        return Ok(false);
    };
    Ok(drop_distance(&grid, &piece.cells) > 0)
}

/// What a page says and offers: its texts but for their digits, its layers, how much of it could be clicked.
pub(super) fn said(survey: &Survey) -> (Vec<String>, bool, usize) {
    let words = |t: &TextItem| t.text.chars().filter(|c| !c.is_numeric()).collect();
    let mut texts: Vec<String> = survey.texts.iter().map(words).collect();
    texts.sort();
    (texts, survey.has_overlay, survey.clickables.len())
}

/// Game time since the piece went down a row, or came.
fn since_fall(e: &Evidence) -> Option<f64> {
    let fell = |h: &&Happening| {
        matches!(
            h.event,
            GridEvent::PieceSpawned { .. }
                | GridEvent::PieceMoved {
                    side: Side::Down,
                    ..
                }
        )
    };
    let last = e.happenings().iter().rev().find(fell)?;
    Some(e.last().game_ms() - last.stamp.game_ms())
}

/// Rows a piece fell, where that is all that happened to it: another may be on its way from above the board.
fn fallen(before: &ActivePiece, view: &View) -> Option<i32> {
    if unsettled(view) {
        return None;
    }
    let after = view.active.as_ref()?;
    let only_fell = |e: &GridEvent| matches!(e, GridEvent::PieceMoved { .. });
    let same = after.shape() == before.shape() && after.corner().0 == before.corner().0;
    let rows = after.corner().1 - before.corner().1;
    (same && rows >= 0 && view.events.iter().all(only_fell)).then_some(rows)
}
