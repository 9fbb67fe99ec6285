//! Phase 5: what stands beside the board (the coming pieces), and what interrupts a game (hold, pause).

use super::beside::places;
use super::probe::{Ready, Tap, gravity_ms, tap};
use super::{Bot, Outcome};
use crate::checks::{self, Status};
use crate::driver::controls::COUNTDOWN_MS;
use crate::driver::start::{apply, candidates};
use crate::driver::{Driver, DriverError, FRAME_MS, View, start};
use crate::evidence::{Evidence, Mark};
use crate::model::{
    Action, ActivePiece, By, Confidence, ControlMapping, GridEvent, Key, PieceKind, Raster, Rect,
    StartCandidate, StartMechanism,
};

/// Pieces over which places that change are looked for: all seven kinds, in most games.
const LOOKS: usize = 8;
/// Pieces that are foretold.
const FORETOLD: u32 = 10;
/// Game time after which what is beside the board has followed a new piece.
const SETTLED_MS: f64 = 160.0;
/// Probes of hold and of pause: a Fail needs two.
const PROBES: u32 = 2;
/// Pieces waited for until one of another kind comes.
const PATIENCE: u32 = 9;
/// Rows that a piece keeps below it when it is let down before it is tried.
const ROOM_LEFT: i32 = 3;

impl Bot {
    pub(super) async fn numbers<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        if self.started.is_none() {
            return Ok(Outcome::skipped("the game was not started"));
        }
        self.restarts = 0;
        if std::mem::take(&mut self.stale) && !self.restart(d).await? {
            return Ok(Outcome::failed("the game did not start again"));
        }
        self.look_beside(d).await?;
        for tries in 1..=PROBES * 4 {
            self.hold_and_back(d).await?;
            match d.evidence(checks::hold_told) {
                Some(true) => break,
                Some(false) if tries >= PROBES * 2 => break,
                _ => {}
            }
        }
        for attempt in 0..PROBES {
            self.pause(d, attempt).await?;
        }
        // One try that went well and one that did not are no verdict.
        let told =
            |e: &Evidence| checks::verdict("pause", e).is_some_and(|v| v.status != Status::Open);
        if !d.evidence(told) && d.evidence(|e| e.pauses().len() > 1) {
            self.pause(d, PROBES).await?;
        }
        let coming = d.evidence(Evidence::preview).is_some();
        let said = if coming {
            "a preview was found"
        } else {
            "no preview was found"
        };
        Ok(Outcome::done(said))
    }

    /// Looks for places beside the board that change as pieces come, and keeps in view those that show tetrominoes.
    async fn look_beside<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let (Some(survey), Some(board)) = (&self.survey, d.board().map(crate::model::Board::rect))
        else {
            return Ok(());
        };
        let region = start::region(survey);
        let mut looks: Vec<Raster> = Vec::new();
        let mut restless: Vec<Raster> = Vec::new();
        for _ in 0..LOOKS {
            let Some(ready) = self.piece(d, 4, PATIENCE, |_| true).await? else {
                break;
            };
            d.say("looking for the coming pieces beside the board");
            d.advance(SETTLED_MS).await?;
            looks.push(d.look(region).await?);
            if looks.len() <= 3 {
                d.advance(SETTLED_MS).await?;
                restless.push(d.look(region).await?);
            }
            self.put_aside(d, &ready).await?;
        }
        let texts: Vec<Rect> = d.survey().await?.texts.iter().map(|t| t.rect).collect();
        let places = places(&looks, &restless, board, &texts);
        let pointed_at = d.evidence(|e| e.hints().next.is_some());
        if places.is_empty() && !pointed_at {
            return Ok(());
        }
        d.keep_in_view(places);
        for _ in 0..FORETOLD {
            let Some(ready) = self.piece(d, 4, PATIENCE, |_| true).await? else {
                break;
            };
            d.say("comparing the preview with what comes");
            d.advance(SETTLED_MS).await?;
            self.put_aside(d, &ready).await?;
        }
        Ok(())
    }

    /// Puts a piece aside, drops the one that came, and takes the first one back.
    async fn hold_and_back<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let Some(hold) = tap(d, Action::Hold) else {
            return Ok(());
        };
        let Some(ready) = self.piece(d, 8, PATIENCE, |_| true).await? else {
            return Ok(());
        };
        let Some(first) = ready.piece.kind else {
            return Ok(());
        };
        Self::lower(d, &ready).await?;
        self.begin(d, Action::Hold, &hold.key);
        Self::press(d, &hold).await?;
        Self::swapped(d, first).await?;
        for _ in 0..PATIENCE {
            let Some(next) = self.piece(d, 4, PATIENCE, |_| true).await? else {
                break;
            };
            if let Some(out) = next.piece.kind.filter(|k| *k != first)
                && Self::locks_since_hold(d) > 0
            {
                Self::lower(d, &next).await?;
                Self::press(d, &hold).await?;
                Self::swapped(d, out).await?;
                break;
            }
            self.put_aside(d, &next).await?;
        }
        Self::end(d);
        // Most games let each piece be held once: the next probe begins with another.
        if let Some(last) = self.piece(d, 4, PATIENCE, |_| true).await? {
            self.put_aside(d, &last).await?;
        }
        Ok(())
    }

    /// Waits until another piece than `out` is there, all of it: it may come in from above the board.
    async fn swapped<D: Driver>(d: &mut D, out: PieceKind) -> Result<(), DriverError> {
        let gravity = gravity_ms(d);
        let mut waited = 0.0;
        loop {
            let view = d.advance(SETTLED_MS).await?;
            waited += SETTLED_MS;
            let other = |a: &ActivePiece| a.kind.is_some_and(|k| k != out);
            if view.active.as_ref().is_some_and(other) || waited > gravity * 4.0 + 500.0 {
                return Ok(());
            }
        }
    }

    /// Pieces locked since the probe under way began.
    fn locks_since_hold<D: Driver>(d: &D) -> usize {
        d.evidence(|e| {
            let from = e.probes().last().map_or(0, |p| p.from.seq);
            let seen = e.happenings_in(from..=e.last().seq);
            seen.iter()
                .filter(|h| matches!(h.event, GridEvent::PieceLocked { .. }))
                .count()
        })
    }

    /// Lets a piece fall well below the place where pieces come, so that another in its place is told from it, but not to
    /// the ground, where nothing shows that the game goes on.
    async fn lower<D: Driver>(d: &mut D, ready: &Ready) -> Result<(), DriverError> {
        let soft = tap(d, Action::SoftDrop);
        let gravity = gravity_ms(d);
        let mut row = ready.piece.corner().1;
        let ground = row + ready.room;
        let (mut waited, mut step) = (0.0, 0);
        while row < 5 && row + step < ground - ROOM_LEFT && waited < gravity * 6.0 {
            let view = match &soft {
                Some(soft) => Self::press(d, soft).await?,
                None => d.advance((gravity / 3.0).clamp(FRAME_MS, 120.0)).await?,
            };
            waited += (gravity / 3.0).clamp(FRAME_MS, 120.0);
            let now = view.active.map_or(row, |a| a.corner().1);
            step = step.max(now - row);
            row = now;
        }
        Ok(())
    }

    /// Stops the game, sees whether it stands still with and without keys, and lets it go on.
    async fn pause<D: Driver>(&mut self, d: &mut D, attempt: u32) -> Result<(), DriverError> {
        if let Some(pause) = tap(d, Action::Pause) {
            return self.pause_by(d, &Way::Key(pause)).await;
        }
        // No key was seen to do it: one that stops gravity but not the keys may, or a control of the page.
        if let Some(known) = self.pause_control.clone() {
            return self.pause_by(d, &Way::Control(known)).await;
        }
        if attempt > 0 {
            return Ok(());
        }
        let mut all = Self::keys_that_may_pause(d);
        all.extend(Self::controls_of_the_page(d).await?);
        for control in all {
            if self.piece(d, 8, PATIENCE, |_| true).await?.is_none() {
                return Ok(());
            }
            d.say(&format!("does it stop the game? {}", control.label));
            apply(d, &control).await?;
            if !stands_still(d).await? {
                continue;
            }
            apply(d, &control).await?;
            if !stands_still(d).await? {
                self.pause_control = Some(control.clone());
                let key = control.key.clone();
                self.pause_by(d, &Way::Control(control)).await?;
                if let Some(key) = key {
                    Self::keep_pause_key(d, key);
                }
                return Ok(());
            }
            if !self.restart(d).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Adds a key to the controls that was seen twice to stop the game and let it go on: among other keys that were
    /// tried, one of them let it go on at once.
    fn keep_pause_key<D: Driver>(d: &mut D, key: Key) {
        let seen = d.evidence(|e| e.pauses().last().and_then(|p| e.pause_seen(p)));
        if !seen.is_some_and(|s| s.fell == 0 && s.resumed && !s.other_game) {
            return;
        }
        let mut map = d.controls().clone();
        let observation = "stops the game, and lets it go on";
        map.key_observations
            .insert(key.as_str().to_string(), observation.into());
        map.set(
            Action::Pause,
            ControlMapping {
                key: Some(key),
                confidence: Confidence::Confirmed,
                observation: observation.into(),
                tap_ms: start::TAP_MS as u32,
            },
        );
        d.set_controls(map, By::Discovery);
    }

    /// Keys by which games are usually paused, and which do nothing else here.
    fn keys_that_may_pause<D: Driver>(d: &D) -> Vec<StartCandidate> {
        let mapped = d.controls().iter().filter_map(|(_, m)| m.key.clone());
        let mut taken: Vec<Key> = mapped.collect();
        // What the page does not survive is no pause.
        d.evidence(|e| taken.extend(e.hangs_by_key().into_iter().map(|(k, _)| k.clone())));
        ["p", "Escape", " ", "Enter", "Pause"]
            .into_iter()
            .filter(|k| !taken.contains(&Key::new(*k)))
            .map(|k| start::press(k, StartMechanism::Anykey))
            .collect()
    }

    /// What could be clicked while a game runs.
    async fn controls_of_the_page<D: Driver>(
        d: &mut D,
    ) -> Result<Vec<StartCandidate>, DriverError> {
        /// Controls that are tried: a page full of buttons is no reason to click them all.
        const TRIED: usize = 5;
        let survey = d.survey().await?;
        let mut all = candidates(&survey);
        all.retain(|c| c.selector.is_some());
        all.truncate(TRIED);
        Ok(all)
    }

    async fn pause_by<D: Driver>(&mut self, d: &mut D, way: &Way) -> Result<(), DriverError> {
        let Some(mut ready) = self.piece(d, 8, PATIENCE, |_| true).await? else {
            return Ok(());
        };
        if ready.stack.filled_count() == 0 {
            // Blocks tell whether it is the same game that goes on.
            self.put_aside(d, &ready).await?;
            match self.piece(d, 8, PATIENCE, |_| true).await? {
                Some(next) => ready = next,
                None => return Ok(()),
            }
        }
        Self::lower(d, &ready).await?;
        let gravity = gravity_ms(d);
        let long = (gravity * 4.0).max(2_500.0);
        d.together(true);
        Self::say_mark(d, &Mark::Pause { by: way.name() });
        d.say(&format!("pausing with {}", way.name()));
        way.go(d).await?;
        d.advance(2.0 * FRAME_MS).await?;
        Self::say_mark(d, &Mark::Paused);
        d.advance(long).await?;
        Self::say_mark(d, &Mark::PauseKeys);
        let mut acted = false;
        for action in [Action::MoveLeft, Action::MoveLeft, Action::RotateCw] {
            // A key that also pauses, or drops, would say nothing.
            if let Some(tap) = tap(d, action).filter(|t| !way.is(&t.key)) {
                let mut seen = Self::press(d, &tap).await?.events;
                seen.extend(d.advance(4.0 * FRAME_MS).await?.events);
                acted |= seen.iter().any(GridEvent::shows_motion);
            }
        }
        // In some games any key lets it go on.
        let woke = acted && !stands_still(d).await?;
        if woke {
            d.advance(gravity * 2.2).await?;
        }
        Self::say_mark(d, &Mark::Resume);
        if !woke {
            d.say("letting the game go on");
            way.go(d).await?;
        }
        d.advance(4.0 * FRAME_MS).await?;
        // Some count down first.
        if still_for(d, gravity * 2.5 + COUNTDOWN_MS).await? {
            for key in ["Enter", " ", "Escape"].map(Key::new) {
                if way.is(&key) {
                    continue;
                }
                d.press(&key, 3.0 * FRAME_MS).await?;
                if !stands_still(d).await? {
                    break;
                }
            }
        }
        if stands_still(d).await? {
            for action in [Action::MoveLeft, Action::MoveRight] {
                if let Some(tap) = tap(d, action).filter(|t| !way.is(&t.key)) {
                    Self::press(d, &tap).await?;
                }
            }
        }
        Self::say_mark(d, &Mark::PauseEnd);
        d.together(false);
        if stands_still(d).await? {
            self.restart(d).await?;
        }
        Ok(())
    }
}

/// What pauses.
enum Way {
    Key(Tap),
    Control(StartCandidate),
}

impl Way {
    fn name(&self) -> String {
        match self {
            Self::Key(tap) => tap.key.to_string(),
            Self::Control(c) => c.label.clone(),
        }
    }

    fn is(&self, key: &Key) -> bool {
        matches!(self, Self::Key(tap) if tap.key == *key)
    }

    async fn go<D: Driver>(&self, d: &mut D) -> Result<(), DriverError> {
        match self {
            Self::Key(tap) => d.press(&tap.key, tap.ms).await.map(|_: View| ()),
            Self::Control(c) => apply(d, c).await,
        }
    }
}

/// Does no piece move or come for well over the time of a row?
async fn stands_still<D: Driver>(d: &mut D) -> Result<bool, DriverError> {
    let patience = gravity_ms(d) * 2.5 + 500.0;
    still_for(d, patience).await
}

/// Does no piece move or come for so long?
async fn still_for<D: Driver>(d: &mut D, patience: f64) -> Result<bool, DriverError> {
    let mut waited = 0.0;
    while waited < patience {
        let view = d.advance_to_change(patience - waited, 100.0).await?;
        waited += view.passed_ms;
        if view.events.iter().any(GridEvent::shows_motion) {
            return Ok(false);
        }
    }
    Ok(true)
}
