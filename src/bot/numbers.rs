//! Phase 5: what stands beside the board (the coming pieces), and pieces put aside (hold).

use super::beside::places;
use super::probe::{Ready, gravity_ms, tap};
use super::{Bot, Outcome};
use crate::checks::{self, Status};
use crate::driver::{Driver, DriverError, FRAME_MS, start};
use crate::evidence::Evidence;
use crate::model::{Action, ActivePiece, GridEvent, PieceKind, Raster, Rect};

/// Pieces over which places that change are looked for: all seven kinds, in most games.
const LOOKS: usize = 8;
/// Pieces that are foretold.
const FORETOLD: u32 = 10;
/// Game time after which what is beside the board has followed a new piece.
const SETTLED_MS: f64 = 160.0;
/// Probes of hold and of pause: a Fail needs two.
const PROBES: u32 = 2;
/// Pieces waited for until one of another kind comes.
pub(super) const PATIENCE: u32 = 9;
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
            // Of what can be put aside once a game, a second look needs another game.
            if d.evidence(checks::hold_doubted) && !self.restart(d).await? {
                break;
            }
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
    /// the ground, where nothing shows that the game goes on. Tells whether it fell.
    pub(super) async fn lower<D: Driver>(d: &mut D, ready: &Ready) -> Result<bool, DriverError> {
        let soft = tap(d, Action::SoftDrop);
        let gravity = gravity_ms(d);
        let from = ready.piece.corner().1;
        let mut row = from;
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
        Ok(row > from)
    }
}
