//! Phase 2: start the game, find the board.

use super::{Bot, Outcome};
use crate::driver::{Driver, DriverError, start};
use crate::evidence::Mark;
use crate::model::{Phase, RecordBody, Sure, Surface, SurfaceKind};
use std::sync::Arc;

/// Games that are looked at where what falls stays drawn: a Fail needs two.
const SMEARED_GAMES: u32 = 2;

impl Bot {
    pub(super) async fn start<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        if self.survey.is_none() {
            return Ok(Outcome::skipped("the page was not looked at"));
        }
        if self.started.take().is_some() || std::mem::take(&mut self.stale) {
            // Done again: from a fresh page.
            d.open().await?;
        }
        self.smeared = None;
        let (mut clock_checked, mut eyes_checked) = (false, false);
        loop {
            let known = self.start_as_known(d).await?;
            let outcome = match known {
                Some(started) => Ok(started),
                None => start::start(d).await?,
            };
            let mut started = match outcome {
                Ok(started) => started,
                Err(not) => {
                    if not.unseen {
                        d.open().await?;
                        continue;
                    }
                    if self.with_webgl(d, "nothing was seen to fall").await? {
                        continue;
                    }
                    let survey = d.survey().await?;
                    let closed = |s: &Surface| s.kind == SurfaceKind::Closed;
                    if survey.apart && d.reach_further(survey.surfaces.iter().any(closed)).await? {
                        d.open().await?;
                        continue;
                    }
                    if let Some(found) = not.smeared {
                        d.record(RecordBody::Started {
                            candidate: found.path.last().cloned(),
                            why: found.why.clone(),
                        });
                        Self::say_mark(
                            d,
                            &Mark::Smears {
                                why: found.seen.clone(),
                            },
                        );
                        self.smeared = Some(found.path);
                        return Ok(Outcome::failed(&format!("no board: {}", found.seen)));
                    }
                    let why = not.tried.join("; ");
                    d.record(RecordBody::NotStarted { why: why.clone() });
                    return Ok(Outcome::failed(&format!(
                        "nothing made a piece fall: {why}"
                    )));
                }
            };
            d.record(RecordBody::Started {
                candidate: started.path.last().cloned(),
                why: started.why.clone(),
            });
            d.record(RecordBody::Note(format!("started: {}", started.why)));
            if started.stands {
                Self::say_mark(d, &Mark::Stands);
            }
            self.board_as_known(d, &mut started).await?;
            let found = started.board.clone();
            let why = started.why.clone();
            self.started = Some(started);
            self.learn_place(d);
            let clock_fits = clock_checked || d.check_clock().await?;
            clock_checked = true;
            let eyes_fit = !clock_fits || eyes_checked || d.check_eyes().await?;
            eyes_checked |= clock_fits;
            if !clock_fits || !eyes_fit {
                // The page is lived in or looked at in another way now: everything is found anew.
                d.open().await?;
                continue;
            }
            if d.evidence(|e| e.attempts().len()) > 1 {
                // The size of the board is not judged by one piece, nor by how its cells look.
                let sure = d.evidence(|e| e.board().is_none_or(|(_, b, _)| b.sure == Sure::ALL));
                if !sure && self.controls.is_some() {
                    self.touch(d).await?;
                }
                self.another_piece(d).await?;
            }
            let board = d.board().unwrap_or(&found);
            return Ok(Outcome::done(&format!(
                "{why}; board {}×{}",
                board.columns, board.rows
            )));
        }
    }

    /// Grants the page WebGL that was refused it, and opens it anew. `false` where it was not.
    pub(super) async fn with_webgl<D: Driver>(
        &mut self,
        d: &mut D,
        why: &str,
    ) -> Result<bool, DriverError> {
        if !d.with_webgl_again(why).await? {
            return Ok(false);
        }
        d.open().await?;
        let survey = d.survey().await?;
        d.record(RecordBody::Survey(Arc::new(survey.clone())));
        self.survey = Some(survey);
        Ok(true)
    }

    /// Another phase than the first two, of a game in which what falls stays drawn: nothing of it can be tried. In the
    /// last it is looked at again, as a picture.
    pub(super) async fn smears<D: Driver>(
        &mut self,
        d: &mut D,
        phase: Phase,
    ) -> Result<Outcome, DriverError> {
        let why = "what falls stays drawn wherever it was, so that no piece can be told";
        let (Some(path), Phase::Compete) = (self.smeared.clone(), phase) else {
            return Ok(Outcome::skipped(why));
        };
        for _ in 0..SMEARED_GAMES {
            match start::smears_again(d, &path).await? {
                Ok(why) => Self::say_mark(d, &Mark::Smears { why }),
                Err(why) => {
                    d.record(RecordBody::Note(format!("seen once more: {why}")));
                }
            }
        }
        Ok(Outcome::failed(why))
    }

    /// Lets pieces down until a second one has come.
    async fn another_piece<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        for _ in 0..3 {
            if d.evidence(|e| e.counts().pieces_spawned) >= 2 {
                break;
            }
            if let Some(ready) = self.piece(d, 3, 3, |_| true).await? {
                self.put_aside(d, &ready).await?;
            }
        }
        Ok(())
    }
}
