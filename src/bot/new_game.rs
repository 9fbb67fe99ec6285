//! Phase 7: after an end, what brings a new game without loading the page anew.

use super::probe::{gravity_ms, tap};
use super::{Bot, Outcome};
use crate::checks::{self, Status};
use crate::driver::start::{self, apply, candidates, same_screen};
use crate::driver::{Driver, DriverError, FRAME_MS};
use crate::evidence::{How, Mark};
use crate::model::{Action, GridEvent, Side, StartCandidate, StartMechanism, Survey};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// Ends after which a new game is looked for: a Fail needs two.
const ATTEMPTS: u32 = 2;
/// Things tried after one end.
const TRIES: usize = 40;
/// Screens that may lie between the end and the new game.
const SCREENS: usize = 4;
/// Game time that a screen gets to change.
const SETTLE_MS: f64 = 400.0;
/// Game time between the steps of a start that takes several.
const ON_THE_WAY_MS: f64 = 700.0;
/// Longest wait for a piece to come where something changed: countdowns from five and logos.
const PATIENCE_MS: f64 = 6_000.0;
/// Rows of free fall that are watched, for the speed.
const ROWS: usize = 6;
/// A stack that leaves this many rows free is not that of a game that has just ended.
const FREE_ROWS: i32 = 7;

impl Bot {
    pub(super) async fn new_game<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        if self.started.is_none() {
            return Ok(Outcome::skipped("the game was not started"));
        }
        self.restarts = 0;
        let mut said = Vec::new();
        let mut fresh = std::mem::take(&mut self.stale);
        self.brought.clear();
        for attempt in 1..=ATTEMPTS {
            // Keys that are pressed after an end may break a game for good, or choose how the next one begins: what
            // was not right once is tried again from an end that was left alone.
            let alone = attempt > 1;
            if fresh {
                if !self.restart(d).await? {
                    break;
                }
                self.tap_aside(d).await?;
                self.raise(d).await?;
                self.fill(d, attempt + ATTEMPTS, alone).await?;
            }
            fresh = true;
            let (ending, rests) = d.evidence(|e| {
                let last = e.top_outs().last();
                let ending = last.and_then(|t| e.ending(t));
                (ending, last.is_some_and(|t| t.rest.is_some()))
            });
            let behind = ending.as_ref().is_some_and(|e| e.behind);
            let by_itself = match ending.map(|e| e.how) {
                Some(How::BeganAgain(_)) => true,
                Some(How::Ended | How::EndedEarly | How::KeysAct(_)) => false,
                Some(_) if behind => false,
                _ if alone && rests => false,
                _ => {
                    if said.is_empty() {
                        return Ok(Outcome::skipped("no end was reached"));
                    }
                    break;
                }
            };
            let (found, why) = if by_itself {
                (true, "by itself".to_string())
            } else if let Some(key) = self.began_by.take() {
                self.brought = vec![start::press(key.as_str(), StartMechanism::Anykey)];
                (true, format!("key {key}"))
            } else {
                self.look_for_a_new_game(d).await?
            };
            // What goes on may swallow what is tried: that nothing begins another game then is no fault of its own.
            if behind && !found {
                said.push(why);
                break;
            }
            Self::say_mark(
                d,
                &Mark::NewGame {
                    attempt,
                    found,
                    why: why.clone(),
                },
            );
            said.push(why);
            if found {
                Self::watch_it_fall(d).await?;
                self.tap_aside(d).await?;
                Self::say_mark(d, &Mark::NewGameEnd);
            }
            let settled = ["restart", "restart_resets"].iter().all(|name| {
                let v = d.evidence(|e| checks::verdict(name, e));
                v.is_some_and(|v| v.status == Status::Pass)
            });
            if settled {
                break;
            }
        }
        Ok(Outcome::done(&said.join("; ")))
    }

    /// Leaves the first piece alone, so that its speed shows and the numbers settle.
    async fn watch_it_fall<D: Driver>(d: &mut D) -> Result<(), DriverError> {
        d.say("watching the new game's first piece");
        let from = d.evidence(|e| e.last().seq);
        let gravity = gravity_ms(d);
        let patience = (gravity * (ROWS as f64 + 2.0) * 2.0).clamp(2_500.0, 20_000.0);
        let mut waited = 0.0;
        while waited < patience {
            let view = d.advance_to_change(patience - waited, 50.0).await?;
            waited += view.passed_ms;
            let rows = d.evidence(|e| e.falls().iter().filter(|f| f.seq > from).count());
            if rows >= ROWS && waited >= 1_500.0 {
                break;
            }
        }
        Ok(())
    }

    /// Tries what the screens offer, from where the page stands, until a new game runs. Says what brought it, or all
    /// that was tried.
    async fn look_for_a_new_game<D: Driver>(
        &mut self,
        d: &mut D,
    ) -> Result<(bool, String), DriverError> {
        let mut survey = d.survey().await?;
        let mut seen = vec![survey.clone()];
        let mut blinks = BTreeSet::new();
        let mut open: VecDeque<Vec<StartCandidate>> = self.likely(d, &survey).into();
        let mut way: Vec<Vec<StartCandidate>> = Vec::new();
        let mut tried: Vec<String> = Vec::new();
        while let Some(steps) = open.pop_front() {
            let label = describe(&steps);
            if tried.len() >= TRIES {
                tried.push(format!("{} more were not tried", open.len() + 1));
                break;
            }
            d.say(&format!("does it begin a new game? {label}"));
            let before = survey;
            let since = d.evidence(|e| e.last().seq);
            for (i, step) in steps.iter().enumerate() {
                if i > 0 {
                    d.advance(ON_THE_WAY_MS).await?;
                }
                apply(d, step).await?;
            }
            d.advance(SETTLE_MS).await?;
            survey = d.survey().await?;
            let changed = !same_screen(&before, &survey, &blinks);
            tried.push(label.clone());
            if runs_anew(d, since, changed || steps.len() > 1).await? {
                way.push(steps);
                self.brought = way.concat();
                return Ok((true, describe(&self.brought)));
            }
            if changed && way.len() < SCREENS {
                let (more, now) = start::blinks(d, vec![before, survey]).await?;
                blinks.extend(more);
                survey = now;
                if !seen.iter().any(|s| same_screen(s, &survey, &blinks)) {
                    seen.push(survey.clone());
                    way.push(steps);
                    let next = self.likely(d, &survey);
                    open.retain(|o| !next.contains(o));
                    for candidate in next.into_iter().rev() {
                        open.push_front(candidate);
                    }
                }
            }
        }
        Ok((false, tried.join(", ")))
    }

    /// What could begin a new game on this screen: first what began another one after an end, then what the page offers
    /// only since the end, then what began the very first.
    fn likely<D: Driver>(&self, d: &D, survey: &Survey) -> Vec<Vec<StartCandidate>> {
        let mut all = candidates(survey);
        let keys = ["r", "n", "F2"].map(|k| start::press(k, StartMechanism::Anykey));
        let after_buttons = all
            .iter()
            .position(|c| c.key.as_ref().is_some_and(|k| k.as_str() == " "))
            .map_or(0, |i| i + 1);
        for (i, key) in keys.into_iter().enumerate() {
            all.retain(|c| c.key != key.key);
            all.insert((after_buttons + i).min(all.len()), key);
        }
        let came: HashSet<String> = d.evidence(|e| {
            let came = e.controls_that_came(survey).into_iter();
            came.map(|c| c.selector.clone()).collect()
        });
        let came = |c: &StartCandidate| c.selector.as_ref().is_some_and(|s| came.contains(s));
        let first = self.started.as_ref().map(|s| s.path.clone());
        let first = first.unwrap_or_default();
        for step in first.iter().cloned().rev() {
            let there = |c: &crate::model::Clickable| {
                Some(&c.selector) == step.selector.as_ref() && !c.disabled
            };
            let possible = step.selector.is_none() || survey.clickables.iter().any(there);
            if possible {
                all.retain(|c| !same(c, &step));
                all.insert(0, step);
            }
        }
        let mut all: Vec<Vec<StartCandidate>> = all.into_iter().map(|c| vec![c]).collect();
        if first.len() > 1 {
            all.insert(0, first);
        }
        // What was there before the end may begin a game and leave standing what came with the end.
        all.sort_by_key(|way| !matches!(way.as_slice(), [only] if came(only)));
        if !self.brought.is_empty() {
            all.retain(|way| *way != self.brought);
            all.insert(0, self.brought.clone());
        }
        all
    }
}

fn describe(steps: &[StartCandidate]) -> String {
    let labels: Vec<&str> = steps.iter().map(|s| s.label.as_str()).collect();
    labels.join(", then ")
}

/// Do two candidates do the same?
fn same(a: &StartCandidate, b: &StartCandidate) -> bool {
    a.key == b.key && a.selector == b.selector && (a.selector.is_some() || a.position == b.position)
}

/// Does the piece go aside at the keys that are known to move it?
async fn goes_aside<D: Driver>(d: &mut D) -> Result<bool, DriverError> {
    for action in [Action::MoveLeft, Action::MoveRight] {
        let Some(tap) = tap(d, action) else { continue };
        let view = d.press(&tap.key, tap.ms).await?;
        let aside = |e: &GridEvent| {
            matches!(
                e,
                GridEvent::PieceMoved {
                    side: Side::Left | Side::Right,
                    ..
                }
            )
        };
        if view.events.iter().any(aside) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Does a game run that began after a record: the stack is low again, and a piece falls?
async fn runs_anew<D: Driver>(d: &mut D, since: u64, changed: bool) -> Result<bool, DriverError> {
    let gravity = gravity_ms(d);
    let mut patience = gravity * 3.0 + 600.0;
    if changed {
        // After a countdown the piece still takes some rows to show that it falls.
        patience = patience.max(PATIENCE_MS + gravity * 5.0);
    }
    let mut waited = 0.0;
    while waited < patience {
        let (anew, stands, stirred) = d.evidence(|e| {
            let down = |h: &&crate::evidence::Happening| {
                h.seq > since
                    && matches!(
                        h.event,
                        GridEvent::PieceMoved {
                            side: Side::Down,
                            ..
                        }
                    )
            };
            let fallen = e
                .happenings_in(since..=e.last().seq)
                .iter()
                .filter(down)
                .count();
            let low = e.readings().last().is_some_and(|r| {
                let top = r.stack.places().first().map_or(i32::MAX, |p| p.1);
                !r.unsure && r.active.is_some() && top >= FREE_ROWS
            });
            let stirred = e.readings().last().is_some_and(|r| r.from.seq > since);
            (fallen >= 2 && low, low && e.stands(), stirred)
        });
        // Where nothing falls, a piece over a low stack has to go aside at a key.
        if anew || stands && goes_aside(d).await? {
            return Ok(true);
        }
        if stirred {
            // Something goes on: it gets its time.
            patience = patience.max(gravity * 5.0 + 3_000.0);
        }
        let step = (gravity / 4.0).clamp(FRAME_MS, 100.0);
        let view = d.advance_to_change(patience - waited, step).await?;
        waited += view.passed_ms;
    }
    Ok(false)
}
