//! Game time: how it passes in the page, at which pace, and what is read meanwhile.
//!
//! Comes in: the gate's pace, the page's answers. Goes out: readings, in order. Must never know: keys and what they do.

use super::{
    Down, LiveDriver, REPEAT_EVERY_MS, SLICE_MOST_MS, SLICE_MS, STEP_DEADLINE, TEXTS_EVERY_MS, page,
};
use crate::browser::BrowserError;
use crate::browser::probe::{AdvanceOptions, Looks, Seen};
use crate::driver::{ASIDE_AFTER_MS, ClockFacts, Driver, DriverError, FRAME_MS};
use crate::model::{ClockMode, Eyes, RecordBody};
use std::time::{Duration, Instant};

/// Most game time that passes in one call of the page.
const STRETCH_MS: f64 = 1_000.0;
/// Wall time after which such a call comes back all the same: an operator wants to be heard.
const AT_ONCE: Duration = Duration::from_millis(80);

/// When a stretch of game time ends early.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Until {
    /// When all of it is over.
    Over,
    /// With the first reading that is not as the one before.
    Change {
        /// Longest game time between two readings.
        every_ms: f64,
    },
}

impl LiveDriver {
    /// Game seconds a wall second.
    pub(super) fn pace(&self) -> f64 {
        let state = self.gate.state();
        if self.lifelike {
            return state.speed.min(1.0);
        }
        if state.held {
            // The game goes on while the bot waits; nobody can follow or play it faster than life.
            state.speed.min(1.0)
        } else if self.watching {
            state.speed
        } else {
            // Without a board there is nothing to follow.
            f64::INFINITY
        }
    }

    /// Does the game's clock stand still?
    pub(super) fn stopped(&self) -> bool {
        self.clock.mode == ClockMode::Virtual && !self.acting && self.gate.state().frozen
    }

    /// The clock is stopped: waits for the operator, or lets one frame through. Returns the game time that passed.
    pub(super) async fn wait_frozen(&mut self) -> Result<f64, DriverError> {
        if self.gate.take_frame() {
            self.slice(FRAME_MS, f64::INFINITY, Until::Over).await?;
            return Ok(FRAME_MS);
        }
        self.due = None;
        // A frozen page can still die or be typed at; the gate's change ends the wait at once.
        let _ = tokio::time::timeout(Duration::from_millis(100), self.gate.changed()).await;
        self.last_read = self.last_read.map(|_| Instant::now());
        self.signals();
        Ok(0.0)
    }

    /// Game time between two readings at a pace.
    fn slice_ms(&self, speed: f64) -> f64 {
        if self.clock.mode == ClockMode::Real || self.lifelike {
            return FRAME_MS;
        }
        // Where a step is costly (software WebGL) fewer of them keep the pace, at the price of fewer readings.
        if speed.is_finite() {
            (speed * FRAME_MS.max(self.cost_ms * 1.3))
                .clamp(FRAME_MS, SLICE_MS.max(4.0 * self.cost_ms.min(50.0)))
        } else {
            (self.cost_ms * 2.0).clamp(SLICE_MS, SLICE_MOST_MS)
        }
    }

    /// Lets some game time pass at a pace, at most `ms`, and reads. Returns how much passed.
    pub(super) async fn slice(
        &mut self,
        ms: f64,
        pace: f64,
        until: Until,
    ) -> Result<f64, DriverError> {
        self.wait_for_network().await;
        for (key, down) in self.down.clone() {
            if self.now_ms >= down.repeats_ms {
                self.page.key_down(&key, true).await?;
                self.keys += 1;
                let repeats_ms = self.now_ms + REPEAT_EVERY_MS;
                self.down.insert(key, Down { repeats_ms, ..down });
            }
        }
        let every = match until {
            Until::Over => self.slice_ms(pace),
            Until::Change { every_ms } => self.slice_ms(pace).min(every_ms.max(self.cost_ms / 2.0)),
        };
        let at_once = self.clock.mode == ClockMode::Virtual
            && self.eyes == Eyes::Inside
            && pace.is_infinite();
        let whole = if at_once {
            self.stretch_ms(every)
        } else {
            every
        };
        let whole = whole.min(ms);
        if self.clock.mode == ClockMode::Real {
            tokio::time::sleep(Duration::from_secs_f64(whole / 1000.0)).await;
        } else if pace.is_finite() {
            let now = Instant::now();
            let due = self
                .due
                .unwrap_or(now)
                .max(now.checked_sub(Duration::from_millis(250)).unwrap_or(now));
            let next = due + Duration::from_secs_f64(whole / 1000.0 / pace);
            tokio::time::sleep_until(next.into()).await;
            self.due = Some(next);
        }
        let seen = self.step(whole, every, until != Until::Over).await?;
        let passed = if self.watching {
            (seen.len() as f64 * every).min(whole)
        } else {
            whole
        };
        for seen in seen {
            self.take(seen);
        }
        if self.loaded_itself && self.loaded_since {
            (self.loaded_itself, self.loaded_since) = (false, false);
            if self.watching {
                self.watch_again().await?;
            }
        }
        self.look_aside().await?;
        if self.watching
            && self
                .last_read
                .is_some_and(|at| at.elapsed() > self.patience)
        {
            return Err(DriverError::Inactive(self.patience.as_secs()));
        }
        Ok(passed)
    }

    /// Is a page that its keys scroll to be scrolled back? An operator may have scrolled it, too.
    pub(super) fn steady(&self) -> bool {
        let state = self.gate.state();
        self.watching && self.eyes == Eyes::Inside && !state.frozen && !state.viewing && !state.hold
    }

    /// Moves the page's clock.
    pub(super) async fn step(
        &mut self,
        ms: f64,
        every_ms: f64,
        until_change: bool,
    ) -> Result<Vec<Seen>, DriverError> {
        let ms = if self.clock.mode == ClockMode::Real {
            0.0
        } else {
            ms
        };
        let looks = Looks {
            // A look at nothing costs all the same: what is drawn by WebGL is drawn for it.
            every_ms: if self.watching { every_ms } else { 0.0 },
            until_change: until_change && self.watching,
            wall: AT_ONCE,
            texts_every_ms: TEXTS_EVERY_MS,
        };
        let state = self.gate.state();
        let options = AdvanceOptions {
            blind: !self.watching,
            // An operator who stops the clock or looks at the page wants all of it as it is.
            board_only: self.eyes == Eyes::Inside && !state.frozen && !state.viewing,
            steady: self.steady(),
            keys: std::mem::take(&mut self.keys) * u32::from(self.probe.hears_keys()),
            ..AdvanceOptions::default()
        };
        let asked = Instant::now();
        let seen = self
            .probe
            .stretch(&self.page, ms, looks, options, STEP_DEADLINE)
            .await;
        self.signals();
        match seen {
            Ok(seen) => {
                let mut looks = Vec::with_capacity(seen.len());
                for look in seen {
                    looks.push(self.see(look).await?);
                }
                let took_ms = asked.elapsed().as_secs_f64() * 1000.0;
                let each_ms = took_ms / looks.len().max(1) as f64;
                self.cost_ms += (each_ms - self.cost_ms) / 8.0;
                Ok(looks)
            }
            Err(error) => {
                if matches!(error, BrowserError::Timeout { .. }) {
                    // Stopping the loop lets the page be looked at and closed; the step is lost all the same.
                    let back = self.page.unhang(3).await.unwrap_or(false);
                    tracing::warn!(back, "the page hung and was interrupted");
                }
                Err(error.into())
            }
        }
    }

    /// Game time that may pass in one call of the page: something may be due before all of it is over.
    pub(super) fn stretch_ms(&self, every: f64) -> f64 {
        let repeats = self.down.values().map(|d| d.repeats_ms - self.now_ms);
        let aside = self.aside_due.map(|due| due - self.now_ms);
        let soonest = repeats.chain(aside).fold(STRETCH_MS, f64::min);
        let most = if self.asides.is_empty() || !self.watching {
            STRETCH_MS
        } else {
            // A new piece may come at any time, and what is beside the board is looked at a moment later.
            2.5 * ASIDE_AFTER_MS
        };
        soonest.min(most).max(every)
    }

    /// Game time must not outrun what the page is loading.
    pub(super) async fn wait_for_network(&mut self) {
        let begun = Instant::now();
        while self.page.inflight() > 0 && begun.elapsed() < self.network_left {
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
        self.network_left = self.network_left.saturating_sub(begun.elapsed());
    }

    /// Does the page live by our clock? With the clock stopped nothing may change; where something does, the driver
    /// changes to the machine's clock on a new page, if it may. Returns whether the clock is honoured.
    pub async fn check_clock(&mut self) -> Result<bool, DriverError> {
        if self.clock.mode == ClockMode::Real {
            return Ok(true);
        }
        self.read_still().await?;
        tokio::time::sleep(Duration::from_millis(350)).await;
        let honoured = self.read_still().await?;
        if honoured {
            self.clock.why = "nothing moved while it was stopped".into();
            self.shared.status().clock = self.clock.clone();
        } else if self.options.may_change {
            self.use_real_clock("the board changed while the clock was stopped")
                .await?;
        }
        Ok(honoured)
    }

    /// Reads the board while no game time passes. Is it as it was read before?
    async fn read_still(&mut self) -> Result<bool, DriverError> {
        let seen = self.probe.read(&self.page).await?;
        let seen = self.see(seen).await?;
        let same = seen.same;
        self.take(seen);
        Ok(same)
    }

    /// Changes to the machine's clock, on a new page. Nothing is open afterwards.
    pub async fn use_real_clock(&mut self, why: &str) -> Result<(), DriverError> {
        self.options.clock = ClockMode::Real;
        let (page, probe) = page(&self.browser, &self.options).await?;
        self.page = page;
        self.probe = probe;
        self.clock = ClockFacts {
            mode: ClockMode::Real,
            why: why.to_string(),
        };
        self.shared.status().clock = self.clock.clone();
        self.push(RecordBody::Note(format!(
            "the machine's clock from now on: {why}"
        )));
        Ok(())
    }
}
