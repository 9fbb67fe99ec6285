//! Phase 8: competitive play for a set game time, with several rows cleared at once on purpose.

use super::hands::{Hands, facing};
use super::probe::{gravity_ms, tap};
use super::{Bot, Outcome};
use crate::checks;
use crate::driver::{Driver, DriverError, FRAME_MS, View};
use crate::evidence::Evidence;
use crate::model::{Action, GridEvent};
use crate::planner::Goal;

/// Lines from one measurement of gravity to the next.
const MEASURED_EVERY: u32 = 5;
/// Room below a piece, in rows, that is wanted for it.
pub(super) const MEASURED_ROOM: i32 = 6;
/// Rows a piece is left alone for each.
const MEASURED_ROWS: f64 = 4.4;
/// Part of the time that may be spent on measuring.
const MEASURING: f64 = 0.4;
/// How often so many rows at once, or more, are wanted. What goes wrong with three may go right with two, so the
/// triples come first.
const WANTED: [(u32, u32); 3] = [(3, 2), (2, 3), (4, 1)];
/// Pieces spent on one of them before safe play goes on.
const PIECES_A_GOAL: u32 = 60;
/// Pieces spent on a first single row where none was cleared before.
const PIECES_FOR_ONE: u32 = 10;
/// Games that may end, or stop by themselves, before the time is over.
const MOST_GAMES: u32 = 4;
/// How much longer than a game that stopped by itself the next one may last.
const AS_LONG: f64 = 1.5;
/// Slowest measured row that is waited for: a slower game is measured by fewer rows.
const SLOW_MS: f64 = 1_500.0;

/// What competitive play has come to.
#[derive(Debug, Default)]
struct Tally {
    pieces: u32,
    lines: u32,
    /// Clears of one to four rows.
    clears: [u32; 4],
    /// Pieces spent on each goal of [`WANTED`].
    spent: [u32; 3],
    measured_ms: f64,
}

impl Tally {
    fn goal(&self) -> (Goal, Option<usize>) {
        for (i, (rows, times)) in WANTED.iter().enumerate() {
            let reached: u32 = self.clears[*rows as usize - 1..].iter().sum();
            if reached < *times && self.spent[i] < PIECES_A_GOAL {
                return (Goal::Clear(*rows), Some(i));
            }
        }
        (Goal::Safe, None)
    }

    fn take(&mut self, events: &[u32]) {
        for n in events {
            self.lines += n;
            self.clears[(*n as usize).clamp(1, 4) - 1] += 1;
        }
    }
}

impl Bot {
    pub(super) async fn compete<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        if self.started.is_none() {
            return Ok(Outcome::skipped("the game was not started"));
        }
        let limit = self.options.play_seconds * 1000.0;
        if limit <= 0.0 {
            return Ok(Outcome::skipped("no time was given to it"));
        }
        let Some(mut hands) = self.hands.take().or_else(|| Hands::new(d)) else {
            return Ok(Outcome::skipped("no key moves a piece aside"));
        };
        self.restarts = 0;
        let mut tally = Tally::default();
        let (mut played, mut last, mut games) = (0.0, 0.0_f64, 0);
        while games < MOST_GAMES {
            // A game that stopped by itself is given the time to do so again.
            let again = d.evidence(|e| checks::stopped(e) == 1);
            if played >= limit && !again || !self.restart(d).await? {
                break;
            }
            games += 1;
            let begun = d.now_ms();
            let longer = if again { last * AS_LONG } else { 0.0 };
            let left = (limit - played).max(longer);
            self.one_game(d, &mut hands, &mut tally, begun, left)
                .await?;
            last = d.now_ms() - begun;
            played += last;
        }
        self.hands = Some(hands);
        if tally.pieces == 0 {
            return Ok(Outcome::failed("no piece could be placed"));
        }
        let [one, two, three, four] = tally.clears;
        Ok(Outcome::done(&format!(
            "{:.0} s, {} pieces, {} rows: {one} single, {two} double, {three} triple, {four} of four; {games} {}",
            played / 1000.0,
            tally.pieces,
            tally.lines,
            if games == 1 { "game" } else { "games" }
        )))
    }

    /// Plays until the time is over or the game does not go on.
    async fn one_game<D: Driver>(
        &mut self,
        d: &mut D,
        hands: &mut Hands,
        tally: &mut Tally,
        begun: f64,
        limit: f64,
    ) -> Result<(), DriverError> {
        let mut view = d.advance(FRAME_MS).await?;
        let (mut lines, mut due) = (0, 0);
        while d.now_ms() - begun < limit {
            let Some((_, mut now)) = hands.wait(d, view).await? else {
                return self.shake(d).await;
            };
            if lines >= due
                && tally.measured_ms < MEASURING * self.options.play_seconds * 1000.0
                && now.room > MEASURED_ROOM
            {
                due = lines + MEASURED_EVERY;
                view = Self::leave_alone(d, now.room, lines == 0).await?;
                tally.measured_ms += view.passed_ms;
                let Some(later) = facing(&view) else {
                    continue;
                };
                now = later;
            }
            // What several rows give is held against what one gave before.
            let first =
                tally.pieces < PIECES_FOR_ONE && d.evidence(|e| e.counts().lines_cleared == 0);
            let (goal, of) = if first {
                (Goal::Clear(1), None)
            } else {
                tally.goal()
            };
            d.say(&format!(
                "competing: {} pieces, {} rows",
                tally.pieces, tally.lines
            ));
            let seen = d.evidence(|e| e.happenings().len());
            let out = hands.place(d, now, goal).await?;
            if out.stuck {
                return self.shake(d).await;
            }
            view = self.after(d, &out).await?;
            let clears = d.evidence(|e| clears_since(e, seen));
            lines += clears.iter().sum::<u32>();
            tally.take(&clears);
            tally.pieces += out.locked.max(1);
            if let Some(i) = of {
                tally.spent[i] += 1;
            }
        }
        Ok(())
    }

    /// Leaves a piece alone for some rows, looking at every frame. A `fresh` game need not be as fast as the one before.
    pub(super) async fn leave_alone<D: Driver>(
        d: &mut D,
        room: i32,
        fresh: bool,
    ) -> Result<View, DriverError> {
        d.say("measuring gravity");
        let gravity = gravity_ms(d);
        let rows = MEASURED_ROWS.min(f64::from(room - 1));
        let slow = if fresh { SLOW_MS } else { gravity * 1.3 };
        let most = slow.min(SLOW_MS) * rows;
        let start = d.advance(FRAME_MS).await?;
        let row = |v: &View| v.active.as_ref().map(|a| a.corner().1);
        let Some(from) = row(&start) else {
            return Ok(start);
        };
        let mut waited = 0.0;
        loop {
            let view = d.advance_to_change(most - waited, FRAME_MS).await?;
            waited += view.passed_ms;
            let fallen = row(&view).map_or(i32::MAX, |r| r - from);
            if f64::from(fallen) >= rows.floor() || fallen < 0 || waited >= most {
                return Ok(view);
            }
        }
    }

    /// Nothing goes on: keys are tried for some seconds, so that it is known that the game does not answer.
    async fn shake<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        for _ in 0..8 {
            for action in [Action::MoveLeft, Action::MoveRight] {
                if let Some(tap) = tap(d, action) {
                    d.press(&tap.key, tap.ms).await?;
                }
            }
            d.advance(gravity_ms(d) * 0.5 + 800.0).await?;
        }
        Ok(())
    }
}

/// Rows of each clear since a number of happenings.
fn clears_since(e: &Evidence, seen: usize) -> Vec<u32> {
    e.happenings()[seen.min(e.happenings().len())..]
        .iter()
        .filter_map(|h| match &h.event {
            GridEvent::LineCleared { count, .. } => Some(u32::from(*count)),
            _ => None,
        })
        .collect()
}
