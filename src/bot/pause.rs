//! Phase 5: the game stopped, and let go on, by a key or by a control of the page.
//!
//! Comes in: a driver with a game that runs. Goes out: marks of what was tried. Must never know: how it is judged.

use super::Bot;
use super::numbers::PATIENCE;
use super::probe::{Ready, Tap, gravity_ms, tap};
use crate::driver::controls::COUNTDOWN_MS;
use crate::driver::start::{apply, candidates};
use crate::driver::{Driver, DriverError, FRAME_MS, View, start};
use crate::evidence::{Mark, Start};
use crate::model::{
    Action, By, Confidence, ControlMapping, Grid, GridEvent, Key, StartCandidate, StartMechanism,
    Survey,
};

/// Controls that began another game, after which none is tried again for the sake of those beside it.
const ANEW: usize = 3;
/// Game time after which a panel that comes with a pause is all there.
const SHOWN_MS: f64 = 500.0;

impl Bot {
    /// Does the game live: does a piece move by itself, or at a key?
    async fn answers<D: Driver>(d: &mut D) -> Result<bool, DriverError> {
        if !stands_still(d).await? {
            return Ok(true);
        }
        for action in [Action::MoveLeft, Action::MoveRight] {
            if let Some(tap) = tap(d, action) {
                let seen = Self::press(d, &tap).await?.events;
                if seen.iter().any(GridEvent::shows_motion) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Stops the game, sees whether it stands still with and without keys, and lets it go on.
    pub(super) async fn pause<D: Driver>(
        &mut self,
        d: &mut D,
        attempt: u32,
    ) -> Result<(), DriverError> {
        if let Some(known) = self.pause_control.clone() {
            return self.pause_by(d, &Way::Control(known)).await;
        }
        if let Some(pause) = tap(d, Action::Pause) {
            return self.pause_by(d, &Way::Key(pause)).await;
        }
        // No key was seen to do it: one that stops gravity but not the keys may, or a control of the page.
        if attempt > 0 {
            return Ok(());
        }
        let mut all = Self::keys_that_may_pause(d);
        all.extend(Self::controls_of_the_page(d).await?);
        let mut all = all.into_iter().peekable();
        while let Some(control) = all.peek().cloned() {
            let Some(ready) = self.over_blocks(d).await? else {
                return Ok(());
            };
            d.say(&format!("does it stop the game? {}", control.label));
            let (before, anew) = (clickable(&d.survey().await?), self.begin_anew.len());
            apply(d, &control).await?;
            d.advance(SHOWN_MS).await?;
            if !stands_still(d).await? {
                all.next();
                continue;
            }
            apply(d, &control).await?;
            let toggles = !stands_still(d).await?;
            // What the game was started by may end it, and begin the next: that is no pause.
            if toggles && starts(d, &control) && lost(d, &ready.stack) {
                all.next();
                continue;
            }
            let on = if toggles {
                None
            } else {
                self.lets_go_on(d, &before, &ready.stack).await?
            };
            // Where something began another game, there may be more to try.
            if self.begin_anew.len() > anew && anew < ANEW {
                continue;
            }
            all.next();
            if toggles || on.is_some() {
                let key = control.key.clone();
                let known = Stopper { by: control, on };
                self.pause_control = Some(known.clone());
                self.pause_by(d, &Way::Control(known)).await?;
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

    /// Waits for a piece that falls over blocks: they tell whether it is the same game that goes on.
    async fn over_blocks<D: Driver>(&mut self, d: &mut D) -> Result<Option<Ready>, DriverError> {
        let ready = self.piece(d, 8, PATIENCE, |_| true).await?;
        match ready {
            Some(ready) if ready.stack.filled_count() == 0 => {
                self.put_aside(d, &ready).await?;
                self.piece(d, 8, PATIENCE, |_| true).await
            }
            other => Ok(other),
        }
    }

    /// Tries what can be clicked since the game stands still, and could not `before`: a panel may have come with it.
    /// What begins another game, as blocks of the `stack` are gone, is kept in mind, and `None` returned.
    async fn lets_go_on<D: Driver>(
        &mut self,
        d: &mut D,
        before: &[StartCandidate],
        stack: &Grid,
    ) -> Result<Option<StartCandidate>, DriverError> {
        /// Controls of such a panel that are tried.
        const TRIED: usize = 3;
        let there = |c: &StartCandidate| before.iter().any(|b| b.selector == c.selector);
        let mut new = clickable(&d.survey().await?);
        new.retain(|c| !there(c) && !self.begin_anew.contains(c));
        for control in new.into_iter().take(TRIED) {
            d.say(&format!("does it let the game go on? {}", control.label));
            apply(d, &control).await?;
            if still_for(d, gravity_ms(d) * 2.5 + COUNTDOWN_MS).await? {
                continue;
            }
            if !lost(d, stack) {
                return Ok(Some(control));
            }
            self.begin_anew.push(control);
            return Ok(None);
        }
        Ok(None)
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
        let mut all = clickable(&d.survey().await?);
        all.truncate(TRIED);
        Ok(all)
    }

    /// Stops a game with blocks in it `way`, and lets it go on.
    async fn pause_by<D: Driver>(&mut self, d: &mut D, way: &Way) -> Result<(), DriverError> {
        let Some(ready) = self.over_blocks(d).await? else {
            return Ok(());
        };
        if !Self::lower(d, &ready).await? && !Self::answers(d).await? {
            // A try before may have left the game stopped: what stops and what lets go on would be taken for each other.
            if !self.restart(d).await? {
                return Ok(());
            }
            match self.over_blocks(d).await? {
                Some(next) if Self::lower(d, &next).await? || Self::answers(d).await? => {}
                _ => return Ok(()),
            }
        }
        let gravity = gravity_ms(d);
        let long = (gravity * 4.0).max(2_500.0);
        d.together(true);
        Self::say_mark(d, &Mark::Pause { by: way.name() });
        d.say(&format!("pausing with {}", way.name()));
        let before = clickable(&d.survey().await?);
        way.go(d).await?;
        d.advance(SHOWN_MS).await?;
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
            way.go_on(d).await?;
        }
        d.advance(4.0 * FRAME_MS).await?;
        // Some count down first.
        let (mut stands, anew) = (
            still_for(d, gravity * 2.5 + COUNTDOWN_MS).await?,
            self.begin_anew.len(),
        );
        stands = stands && self.lets_go_on(d, &before, &ready.stack).await?.is_none();
        if self.begin_anew.len() > anew {
            // That says nothing about what was pressed: this try has no end.
            d.together(false);
            return Ok(());
        }
        if stands {
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
    Control(Stopper),
}

/// A control of the page that stops the game, or a key that is no key of the game.
#[derive(Debug, Clone)]
pub struct Stopper {
    by: StartCandidate,
    /// What lets it go on, where that is another.
    on: Option<StartCandidate>,
}

impl Way {
    fn name(&self) -> String {
        match self {
            Self::Key(tap) => tap.key.to_string(),
            Self::Control(c) => c.by.label.clone(),
        }
    }

    fn is(&self, key: &Key) -> bool {
        matches!(self, Self::Key(tap) if tap.key == *key)
    }

    async fn go<D: Driver>(&self, d: &mut D) -> Result<(), DriverError> {
        match self {
            Self::Key(tap) => d.press(&tap.key, tap.ms).await.map(|_: View| ()),
            Self::Control(c) => apply(d, &c.by).await,
        }
    }

    async fn go_on<D: Driver>(&self, d: &mut D) -> Result<(), DriverError> {
        match self {
            Self::Control(Stopper { on: Some(on), .. }) => apply(d, on).await,
            _ => self.go(d).await,
        }
    }
}

/// The controls of the page.
fn clickable(survey: &Survey) -> Vec<StartCandidate> {
    let mut all = candidates(survey);
    all.retain(|c| c.selector.is_some());
    all
}

/// Is it the control that the game was started by?
fn starts<D: Driver>(d: &D, control: &StartCandidate) -> bool {
    d.evidence(|e| match e.start() {
        Some((_, Start::Started(Some(by), _))) => {
            control.selector.is_some() && by.selector == control.selector
        }
        _ => false,
    })
}

/// Are blocks of this stack gone?
fn lost<D: Driver>(d: &D, stack: &Grid) -> bool {
    d.evidence(|e| e.stack().map_or(0, Grid::filled_count)) < stack.filled_count()
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
