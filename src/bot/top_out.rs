//! Phase 6: fill the game to the top on purpose and see how it ends.

use super::compete::MEASURED_ROOM;
use super::hands::Hands;
use super::probe::{gravity_ms, tap};
use super::{Bot, Outcome};
use crate::checks;
use crate::driver::{Driver, DriverError, FRAME_MS, View};
use crate::evidence::{Ending, Evidence, How, Mark};
use crate::model::{Action, GridEvent, RecordBody};
use crate::planner::Goal;
use std::sync::Arc;

/// Times a game is filled at most: a Fail needs two, a third settles a doubt.
const ATTEMPTS: u32 = 3;
/// Times that a game which seemed to be at rest may turn out to run.
const FALSE_RESTS: u32 = 4;
/// Shortest watch without a key once no new piece comes: games that begin again by themselves take a moment.
const WATCH_MS: f64 = 6_000.0;
/// Looks at the preview meanwhile.
const LOOKS_ASIDE: f64 = 10.0;
/// A stack that reaches this row is near the top.
const NEAR: i32 = 6;
/// Game time that is spent at most on letting the level rise before the game is filled.
const RAISING_MS: f64 = 120_000.0;
/// Rows more than wanted after which its pace is measured no more.
const RAISED_ENOUGH: u32 = 5;
/// Pause after each key that is tried at the end.
const PAUSE_MS: f64 = 500.0;

/// What came after a drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    Piece,
    Emptied,
    Nothing,
}

impl Bot {
    pub(super) async fn game_over<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        if self.started.is_none() {
            return Ok(Outcome::skipped("the game was not started"));
        }
        self.restarts = 0;
        let mut said = Vec::new();
        let mut wrong = 0;
        for attempt in 1..=ATTEMPTS {
            // The game that is under way is the best: it has a score, and perhaps lines, that a new one must forget.
            let fresh = attempt > 1 || std::mem::take(&mut self.stale) || !self.runs(d).await?;
            if fresh && !self.restart(d).await? {
                said.push("the game did not start again".to_string());
                break;
            }
            // What a press does in this game is what it should do in the next. It takes a piece with room, for which the
            // game may be begun anew, so it comes first.
            self.tap_aside(d).await?;
            if attempt == 1 {
                self.raise(d).await?;
            }
            self.fill(d, attempt, false).await?;
            let ending = d.evidence(|e| e.top_outs().last().and_then(|t| e.ending(t)));
            let Some(ending) = ending else { break };
            said.push(words(&ending));
            let decided = match ending.how {
                // Too early an end is a fault, which takes two.
                How::Ended | How::EndedEarly | How::BeganAgain(_) => {
                    wrong == 0 && (attempt >= 2 || !ending.shown.is_empty() && !ending.is_early())
                }
                // Seen twice is enough; where the two differ a third decides.
                How::GoesOn(_) | How::KeysAct(_) | How::OnlyError(_) => {
                    wrong += 1;
                    wrong >= 2
                }
                How::Unclear(_) => false,
            };
            if decided {
                break;
            }
        }
        Ok(Outcome::done(&said.join("; ")))
    }

    /// Does a piece move, or another come?
    async fn runs<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        let patience = gravity_ms(d) * 3.0 + 1_500.0;
        let mut waited = 0.0;
        while waited < patience {
            let view = d.advance_to_change(patience - waited, 100.0).await?;
            waited += view.passed_ms;
            let moves = |e: &GridEvent| {
                matches!(
                    e,
                    GridEvent::PieceMoved { .. } | GridEvent::PieceSpawned { .. }
                )
            };
            if view.events.iter().any(moves) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn look_at_the_page<D: Driver>(d: &mut D) -> Result<(), DriverError> {
        let survey = d.survey().await?;
        d.record(RecordBody::Survey(Arc::new(survey)));
        Ok(())
    }

    pub(super) fn say_mark<D: Driver>(d: &mut D, mark: &Mark) {
        d.record(RecordBody::Mark(mark.to_text()));
    }

    /// Plays on until level or pace are known to have risen in this game: what a new one must forget shows only then.
    pub(super) async fn raise<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let wanted = d.evidence(checks::risen_after);
        let Some(wanted) = wanted.filter(|n| *n <= checks::DUE_LINES) else {
            return Ok(());
        };
        let Some(mut hands) = self.hands.take().or_else(|| Hands::new(d)) else {
            return Ok(());
        };
        let begun = d.now_ms();
        let mut view = d.advance(FRAME_MS).await?;
        while let Some((_, now)) = hands.wait(d, view).await? {
            let lines = d.evidence(checks::lines_of_this_game);
            if lines >= wanted && now.room > MEASURED_ROOM {
                Self::leave_alone(d, now.room, false).await?;
                break;
            }
            if lines >= wanted + RAISED_ENOUGH || d.now_ms() - begun > RAISING_MS {
                break;
            }
            d.say(&format!(
                "playing until the level rises: {lines} of {wanted} rows"
            ));
            let out = hands.place(d, now, Goal::Safe).await?;
            if out.stuck {
                break;
            }
            view = self.after(d, &out).await?;
        }
        self.hands = Some(hands);
        Ok(())
    }

    /// Drops pieces where they come until none comes any more, and watches what is left. If the end is to be left
    /// `alone`, no key is pressed then.
    pub(super) async fn fill<D: Driver>(
        &mut self,
        d: &mut D,
        attempt: u32,
        alone: bool,
    ) -> Result<(), DriverError> {
        self.began_by = None;
        Self::look_at_the_page(d).await?;
        Self::say_mark(d, &Mark::TopOut { attempt, alone });
        self.pile_up(d, alone).await?;
        Self::look_at_the_page(d).await?;
        Self::say_mark(d, &Mark::TopOutEnd);
        Ok(())
    }

    async fn pile_up<D: Driver>(&mut self, d: &mut D, alone: bool) -> Result<(), DriverError> {
        d.say("filling the board to the top");
        let rows = d.board().map_or(20, |b| u32::from(b.rows));
        let (mut pieces, mut rests) = (0, 0);
        let mut last = None;
        while pieces < rows * 2 + 20 && rests < FALSE_RESTS {
            match Self::next_piece(d, &mut last).await? {
                Came::Piece => {
                    Self::say_mark(d, &Mark::Fill);
                    self.drop_it(d).await?;
                    pieces += 1;
                }
                Came::Emptied => {
                    // The page writes its numbers a little later; they may tell that it is the same game.
                    d.advance(PAUSE_MS).await?;
                    if d.evidence(Evidence::is_emptied) {
                        break;
                    }
                }
                Came::Nothing => {
                    Self::say_mark(d, &Mark::AtRest);
                    d.say("no new piece comes: is the game over?");
                    if self.is_at_rest(d, alone).await? {
                        break;
                    }
                    rests += 1;
                }
            }
        }
        Ok(())
    }

    /// Waits for another piece than the `last` one. A key pressed too soon could begin a new game, so a piece that
    /// comes near a tall stack must first show that it lives.
    async fn next_piece<D: Driver>(d: &mut D, last: &mut Option<u64>) -> Result<Came, DriverError> {
        let gravity = gravity_ms(d);
        let patience = gravity * 3.0 + 2_500.0;
        let mut waited = 0.0;
        let mut came: Option<(u64, Vec<(i32, i32)>)> = None;
        while waited < patience {
            let step = (gravity / 5.0).clamp(FRAME_MS, 100.0);
            let view = d.advance_to_change(patience - waited, step).await?;
            waited += view.passed_ms;
            if moves(&view) && d.evidence(Evidence::is_begun_again) {
                return Ok(Came::Emptied);
            }
            if d.evidence(Evidence::is_emptied) {
                // Nothing is to be pressed before it shows whether a new game began by itself.
                continue;
            }
            let seen = d.evidence(|e| {
                let r = e.readings().last()?;
                let active = r.active.as_ref().filter(|_| !r.unsure)?;
                let top = r.stack.places().first().map_or(i32::MAX, |p| p.1);
                // Where nothing falls, one that covers no block is all that there is to see of a game that goes on.
                let stands = e.stands() && r.stack.is_free(&active.cells);
                Some((r.piece, active.cells.clone(), top, stands))
            });
            let Some((id, cells, top, stands)) = seen.filter(|s| *last != Some(s.0)) else {
                continue;
            };
            let lives = came.as_ref().is_some_and(|c| c.0 == id && c.1 != cells);
            if top > NEAR || lives || stands {
                *last = Some(id);
                return Ok(Came::Piece);
            }
            if came.as_ref().is_none_or(|c| c.0 != id) {
                came = Some((id, cells));
                waited = 0.0;
            }
        }
        Ok(Came::Nothing)
    }

    /// Brings the piece down as fast as the game lets it.
    async fn drop_it<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        if let Some(tap) = tap(d, Action::HardDrop) {
            d.press(&tap.key, tap.ms).await?;
            return Ok(());
        }
        let rows = d.board().map_or(20, |b| i32::from(b.rows));
        let id = d.evidence(Evidence::piece);
        // At rest it locks by itself; more presses could reach what comes after the end.
        let down = |d: &D, view: &View| {
            let gone = |e: &GridEvent| {
                matches!(e, GridEvent::PieceLocked { .. } | GridEvent::BoardCleared)
            };
            let rests = d.evidence(|e| {
                let r = e.readings().last()?;
                Some(r.stack.supports(&r.active.as_ref()?.cells))
            });
            view.events.iter().any(gone)
                || rests != Some(false)
                || d.evidence(Evidence::piece) != id
        };
        if let Some(tap) = tap(d, Action::SoftDrop) {
            for _ in 0..rows {
                let view = d.press(&tap.key, tap.ms).await?;
                if down(d, &view) {
                    return Ok(());
                }
            }
        }
        // The rest of the way, or all of it, by itself.
        let gravity = gravity_ms(d);
        let step = (gravity / 2.0).clamp(FRAME_MS, 200.0);
        let mut waited = 0.0;
        while waited < gravity * f64::from(rows + 2) {
            let view = d.advance_to_change(gravity * 2.0, step).await?;
            waited += view.passed_ms;
            if down(d, &view) {
                break;
            }
        }
        Ok(())
    }

    /// No new piece came. Waits without a key, then, if it isn't to be left `alone`, tries each main key; `false` if the
    /// game runs after all.
    async fn is_at_rest<D: Driver>(&mut self, d: &mut D, alone: bool) -> Result<bool, DriverError> {
        let gravity = gravity_ms(d);
        let watch = WATCH_MS.max(gravity * 5.0);
        let (mut waited, mut looked) = (0.0, 0.0);
        while waited < watch {
            // Pieces may go on coming where they can't be seen, above the board; the preview tells.
            if waited >= looked {
                d.look_aside_now();
                looked += watch / LOOKS_ASIDE;
            }
            let left = (watch - waited).min(looked - waited);
            let view = d.advance_to_change(left, 100.0).await?;
            waited += view.passed_ms;
            if d.evidence(Evidence::is_emptied) {
                // What moves on an emptied board is another game, or a picture that plays there.
                if d.evidence(Evidence::is_begun_again) {
                    return Ok(true);
                }
            } else if moves(&view) {
                // It never ended.
                return Ok(false);
            }
        }
        if alone {
            return Ok(true);
        }
        for action in [
            Action::MoveLeft,
            Action::MoveRight,
            Action::RotateCw,
            Action::SoftDrop,
            Action::HardDrop,
        ] {
            let Some(tap) = tap(d, action) else { continue };
            for _ in 0..2 {
                d.say(&format!("does {} still act?", tap.key));
                d.press(&tap.key, tap.ms).await?;
                d.advance(PAUSE_MS).await?;
                if d.evidence(Evidence::is_emptied) && Self::begun(d).await? {
                    // This key began a new game; what follows belongs to it.
                    self.began_by = Some(tap.key.clone());
                    return Ok(true);
                }
            }
        }
        // Over a full stack nothing but the colours of new pieces tells that the game goes on.
        let recoloured = d.evidence(|e| e.changes_since_rest() > 0);
        let drop = tap(d, Action::HardDrop).or_else(|| tap(d, Action::SoftDrop));
        if let (true, Some(tap)) = (recoloured, drop) {
            for _ in 0..4 {
                d.press(&tap.key, tap.ms).await?;
                d.advance(gravity * 1.5 + PAUSE_MS).await?;
            }
        }
        Ok(true)
    }
}

impl Bot {
    /// The board was emptied after a key: does a piece fall on it?
    async fn begun<D: Driver>(d: &mut D) -> Result<bool, DriverError> {
        let patience = gravity_ms(d) * 3.0 + 1_000.0;
        let mut waited = 0.0;
        while waited < patience {
            if d.evidence(Evidence::is_begun_again) {
                return Ok(true);
            }
            let view = d.advance_to_change(patience - waited, 100.0).await?;
            waited += view.passed_ms;
        }
        Ok(false)
    }
}

fn moves(view: &View) -> bool {
    view.events.iter().any(GridEvent::shows_motion)
}

/// An end in words.
fn words(ending: &Ending) -> String {
    let how = match &ending.how {
        How::Ended => "it ended".into(),
        How::EndedEarly => "it ended with free spawn cells".into(),
        How::BeganAgain(_) => "it began again by itself".into(),
        How::GoesOn(why) => format!("it goes on: {why}"),
        How::KeysAct(why) => format!("no new piece, but {why}"),
        How::OnlyError(why) => format!("it stopped with an exception: {why}"),
        How::Unclear(why) => format!("unclear: {why}"),
    };
    match ending.shown.first() {
        Some(shown) => format!("{how} ({shown})"),
        None => format!("{how}, and nothing shows it"),
    }
}
