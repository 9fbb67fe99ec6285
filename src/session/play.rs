//! The bot's side of a session: phase after phase, interrupted by the operator, redone in a new browser.

use super::run::{Jump, Progressing, SessionOptions};
use super::{PhaseState, RunState};
use crate::bot::{Bot, Outcome, PhaseEnd};
use crate::browser::BrowserError;
use crate::driver::{Driver, DriverError, Gate, hung};
use crate::model::{ClockMode, Phase, RecordBody};
use std::collections::{BTreeSet, VecDeque};
use tokio::sync::mpsc;

/// The bot's side: phases in order, until done, told to quit, or stuck.
pub(super) async fn play<D: Driver>(
    driver: &mut D,
    progress: &Progressing,
    gate: &Gate,
    mut jumps: mpsc::Receiver<Jump>,
    options: &SessionOptions,
) -> RunState {
    let mut bot = Bot::new(options.bot).with_memory(options.memory.clone());
    let mut todo: Option<Jump> = Some(Jump::To(Phase::Load));
    // Phases that are played again for a second witness; `None` while the phases follow one another.
    let mut again: Option<VecDeque<Phase>> = None;
    // Phases that were begun once more because the page stopped answering.
    let mut hangs: BTreeSet<Phase> = BTreeSet::new();
    loop {
        let Some(jump) = todo.take() else {
            progress.with(|p| p.state = RunState::Finished);
            if !options.stay {
                return RunState::Finished;
            }
            // Nobody plays any more: left running, the game would end itself and keep the machine busy.
            if driver.clock().mode == ClockMode::Virtual {
                gate.freeze(true);
                driver.say("every phase is done: let the game run, drive it, or do a phase again");
            } else {
                driver.say("every phase is done; the page stays open");
            }
            tokio::select! {
                jump = jumps.recv() => {
                    todo = Some(jump.unwrap_or(Jump::Quit));
                    driver.let_go().await;
                    continue;
                }
                end = idle(driver) => return end,
            }
        };
        progress.with(|p| p.state = RunState::Running);
        match jump {
            Jump::Quit => return RunState::Finished,
            Jump::To(phase) | Jump::Again(phase) => {
                if matches!(jump, Jump::Again(_)) {
                    bot.afresh();
                }
                driver.record(RecordBody::Phase(phase));
                progress.phase(phase, PhaseState::Running, "");
                let end = tokio::select! {
                    end = bot.phase(driver, phase) => end,
                    jump = jumps.recv() => {
                        driver.let_go().await;
                        progress.phase(phase, PhaseState::Skipped, "left by the operator");
                        bot.ended(driver, phase, &Outcome::skipped("left by the operator"));
                        again = None;
                        todo = Some(jump.unwrap_or(Jump::Quit));
                        continue;
                    }
                };
                match end {
                    Ok(outcome) => {
                        let state = match outcome.end {
                            PhaseEnd::Done => PhaseState::Done,
                            PhaseEnd::Skipped => PhaseState::Skipped,
                            PhaseEnd::Failed | PhaseEnd::BrokeOff => PhaseState::Failed,
                        };
                        progress.phase(phase, state, &outcome.note);
                    }
                    Err(error) if gone(&error) && revived(driver).await => {
                        progress.phase(phase, PhaseState::Waiting, "again in a new browser");
                        todo = Some(Jump::Again(phase));
                        continue;
                    }
                    Err(error)
                        if hung(&error)
                            && (phase > Phase::Mechanics
                                || phase == Phase::Mechanics && hung_once(driver))
                            && hangs.insert(phase)
                            && renewed(driver, &error).await =>
                    {
                        progress.phase(phase, PhaseState::Waiting, "again on a fresh page");
                        todo = Some(Jump::Again(phase));
                        continue;
                    }
                    Err(error) => {
                        progress.phase(phase, PhaseState::Failed, &error.to_string());
                        progress.with(|p| {
                            let why = super::log::harmless(&error.to_string());
                            p.broke_off.get_or_insert((phase, why));
                        });
                        driver.record(RecordBody::Note(format!(
                            "phase {}: {error}",
                            phase.number()
                        )));
                        let outcome = if the_pages(&error) {
                            Outcome::failed(&error.to_string())
                        } else {
                            Outcome::broke_off(&error.to_string())
                        };
                        bot.ended(driver, phase, &outcome);
                        if fatal(&error) {
                            return RunState::Failed(error.to_string());
                        }
                        if hung(&error) {
                            // The next phase would wait in vain for a page that never answers again.
                            renewed(driver, &error).await;
                            bot.afresh();
                        }
                    }
                }
                let next = Phase::ALL.get(usize::from(phase.number()));
                todo = match (&mut again, next) {
                    (Some(left), _) => left.pop_front().map(Jump::Again),
                    (None, next) => next.map(|p| Jump::To(*p)),
                };
                if todo.is_none() {
                    let mut doubtful: VecDeque<Phase> = bot.look_again(driver).into();
                    todo = doubtful.pop_front().map(Jump::Again);
                    again = todo.is_some().then_some(doubtful);
                }
            }
            Jump::TryKey(key) => {
                tokio::select! {
                    end = bot.try_key(driver, &key) => {
                        if let Err(error) = end {
                            if fatal(&error) {
                                return RunState::Failed(error.to_string());
                            }
                            driver.record(RecordBody::Note(format!("trying {key}: {error}")));
                        }
                    }
                    jump = jumps.recv() => {
                        driver.let_go().await;
                        todo = Some(jump.unwrap_or(Jump::Quit));
                        continue;
                    }
                }
                todo = progress.with(|p| p.phase).map(Jump::To);
            }
            Jump::Rediscover(action) => {
                tokio::select! {
                    end = bot.rediscover(driver, action) => {
                        if let Err(error) = end {
                            if fatal(&error) {
                                return RunState::Failed(error.to_string());
                            }
                            driver.record(RecordBody::Note(format!("looking for {}: {error}", action.name())));
                        }
                    }
                    jump = jumps.recv() => {
                        driver.let_go().await;
                        todo = Some(jump.unwrap_or(Jump::Quit));
                        continue;
                    }
                }
                todo = progress.with(|p| p.phase).map(Jump::To);
            }
        }
    }
}

/// After the last phase: the game goes on under the operator's hands.
async fn idle<D: Driver>(driver: &mut D) -> RunState {
    loop {
        if let Err(error) = driver.advance(100.0).await {
            return RunState::Failed(error.to_string());
        }
    }
}

fn gone(error: &DriverError) -> bool {
    matches!(error, DriverError::Browser(BrowserError::BrowserGone))
}

/// Is it the page that cannot be opened, died or does not answer? What goes wrong between us and the browser, or with
/// our own scripts in the page, says nothing of it.
fn the_pages(error: &DriverError) -> bool {
    matches!(
        error,
        DriverError::Browser(
            BrowserError::Navigation { .. } | BrowserError::Crashed | BrowserError::Timeout { .. }
        )
    )
}

/// Can nothing more be done with this page?
fn fatal(error: &DriverError) -> bool {
    gone(error)
        || matches!(
            error,
            DriverError::Inactive(_) | DriverError::Browser(BrowserError::Navigation { .. })
        )
}

/// Did the page stop answering in no other game so far? One that does so in each is not asked for all its keys again.
fn hung_once<D: Driver>(driver: &mut D) -> bool {
    driver.evidence(|e| e.hangs().len()) < 2
}

/// Is there another page?
async fn renewed<D: Driver>(driver: &mut D, error: &DriverError) -> bool {
    driver.record(RecordBody::Note(format!("{error}; a fresh page is opened")));
    match driver.renew().await {
        Ok(there) => there,
        Err(error) => {
            driver.record(RecordBody::Note(format!("no other page: {error}")));
            false
        }
    }
}

/// Is there another browser, with the page open in it?
async fn revived<D: Driver>(driver: &mut D) -> bool {
    driver.record(RecordBody::Note(
        "the browser is gone; starting another".into(),
    ));
    match driver.revive().await {
        Ok(there) => there,
        Err(error) => {
            driver.record(RecordBody::Note(format!("no other browser: {error}")));
            false
        }
    }
}
