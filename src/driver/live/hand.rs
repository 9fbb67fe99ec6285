//! The operator's word, and the keys that are down: who may act, and what is pressed.
//!
//! Comes in: the gate, keys. Goes out: what the gate holds, obeyed; keys sent to the page. Must never know: how time
//! passes in a page.

use super::time::Until;
use super::{Down, LiveDriver, REPEAT_AFTER_MS};
use crate::browser::BrowserError;
use crate::driver::{Driver, DriverError, FRAME_MS, Ruling, SET_BY_OPERATOR};
use crate::model::{By, ClockMode, Confidence, ControlMapping, Eyes, Key, PageSignal, RecordBody};

impl LiveDriver {
    /// Obeys the operator before the bot does something: waits while held, passes the operator's keys on. A `deed` is
    /// what a step by one action counts: a press, a click, a page opened, and not the waiting before it.
    pub(super) async fn pass(&mut self, deed: bool) -> Result<(), DriverError> {
        loop {
            self.operator().await?;
            let state = self.gate.state();
            if !state.hold || self.begun() {
                self.acting &= state.hold;
                self.gate.acknowledge(false);
                return Ok(());
            }
            self.acting = self.gate.may_act(deed);
            if self.acting {
                self.gate.acknowledge(false);
                return Ok(());
            }
            self.gate.acknowledge(true);
            if self.stopped() {
                self.wait_frozen().await?;
            } else {
                let pace = self.pace();
                self.slice(FRAME_MS, pace, Until::Over).await?;
            }
        }
    }

    /// Is the bot amid something? A hold waits until it is finished and its keys are up: a press that is cut in two,
    /// with time passing in between, would be judged for what it never was.
    pub(super) fn begun(&self) -> bool {
        self.together || self.down.values().any(|d| d.by == By::Discovery)
    }

    /// The operator's keys and rulings.
    pub(super) async fn operator(&mut self) -> Result<(), DriverError> {
        for (action, ruling) in self.gate.take_rulings() {
            let said = match &ruling {
                Ruling::Key(key) => format!("{} is {key}", action.name()),
                Ruling::NoKey => format!("{} is no key", action.name()),
                Ruling::Open => {
                    self.ruled.remove(&action);
                    continue;
                }
            };
            let key = match ruling {
                Ruling::Key(key) => Some(key),
                Ruling::NoKey | Ruling::Open => None,
            };
            let mapping = ControlMapping {
                confidence: if key.is_some() {
                    Confidence::Confirmed
                } else {
                    Confidence::NotFound
                },
                tap_ms: self
                    .controls
                    .get(action)
                    .map_or(0, |m| m.tap_ms)
                    .max(FRAME_MS.ceil() as u32),
                key,
                observation: SET_BY_OPERATOR.into(),
            };
            self.ruled.insert(action, mapping);
            self.shared.status().rulings.push(said);
            if self.discovered {
                self.set_controls(self.controls.clone(), By::Operator);
            } else {
                // As a record it would read as if all the other keys had been looked for.
                self.rule();
            }
        }
        // Amid what the bot has begun they would be judged for its keys'.
        while !self.begun()
            && let Some((key, down)) = self.gate.take_key()
        {
            if down {
                self.send_down(&key, By::Operator).await?;
            } else {
                self.send_up(&key).await?;
            }
        }
        self.at_the_desk().await?;
        if !self.gate.state().driving {
            // Keys that the operator left down come up with the wheel.
            self.release(By::Operator).await?;
        }
        Ok(())
    }

    /// Puts what the operator ruled above what was found.
    pub(super) fn rule(&mut self) {
        for (action, mapping) in &self.ruled {
            self.controls.set(*action, mapping.clone());
        }
        self.shared.status().controls = self.controls.clone();
    }

    pub(super) async fn release(&mut self, by: By) -> Result<(), DriverError> {
        let left: Vec<Key> = self
            .down
            .iter()
            .filter(|(_, d)| d.by == by)
            .map(|(k, _)| k.clone())
            .collect();
        for key in left {
            self.send_up(&key).await?;
        }
        Ok(())
    }

    pub(super) async fn send_down(&mut self, key: &Key, by: By) -> Result<(), DriverError> {
        self.push(RecordBody::KeyDown(key.clone()));
        let repeats_ms = self.now_ms + REPEAT_AFTER_MS;
        self.down.insert(key.clone(), Down { repeats_ms, by });
        self.keys += 1;
        if by == By::Discovery && self.in_one_breath() {
            return Ok(self.page.key_down_soon(key)?);
        }
        let sent = self.page.key_down(key, false).await;
        if let Err(BrowserError::Timeout { .. }) = &sent {
            let what = format!("key {key}");
            self.push(RecordBody::Signal(PageSignal::Unresponsive { what }));
        }
        Ok(sent?)
    }

    pub(super) async fn send_up(&mut self, key: &Key) -> Result<(), DriverError> {
        if let Some(down) = self.down.remove(key) {
            self.push(RecordBody::KeyUp(key.clone()));
            self.keys += 1;
            if down.by == By::Discovery && self.in_one_breath() {
                self.page.key_up_soon(key)?;
            } else {
                self.page.key_up(key).await?;
            }
        }
        Ok(())
    }

    /// May a key be sent together with the call that lets time pass after it? Only where none passes by itself.
    fn in_one_breath(&self) -> bool {
        self.clock.mode == ClockMode::Virtual
            && self.eyes == Eyes::Inside
            && !self.lifelike
            && self.watching
            && !self.gate.state().frozen
            && self.pace().is_infinite()
            && self.probe.hears_keys()
    }
}
