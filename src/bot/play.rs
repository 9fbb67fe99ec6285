//! Phase 4: play until rows were cleared, every kind was seen and turned, and it is known whether gravity gets faster.

use super::compete::MEASURED_ROOM;
use super::hands::{Facing, Hands, Turnout, facing};
use super::probe::{gravity_ms, tap};
use super::{Bot, Outcome};
use crate::checks::{self, DUE_LINES, Status};
use crate::driver::controls::turns_show;
use crate::driver::{Driver, DriverError, FRAME_MS, View};
use crate::evidence::{Evidence, Gone, ROWS_STAY_MS};
use crate::model::{Action, PieceKind};
use crate::planner::Goal;
use std::collections::{BTreeMap, BTreeSet};

/// Clears with rows above them that are wanted: two decide, a third settles a doubt.
const CLEARS: usize = 3;
/// Pieces that are played at least: what a game does only now and then shows.
const PIECES: u32 = 35;
/// Pieces after which a kind that did not come is no chance any more (7 (6/7)^n < 0.001).
const ENOUGH_PIECES: u32 = 60;
/// Pieces that are played at most.
const MOST_PIECES: u32 = 110;
/// Lines of one game after which its pace is asked for no more.
const PLAYED_OUT: u32 = DUE_LINES + 5;
/// Game time at most, in milliseconds.
const MOST_MS: f64 = 240_000.0;
/// Games that are begun at most.
const MOST_GAMES: u32 = 5;
/// Tries of turning a kind: two decide.
const TURNINGS: u32 = 2;
/// Game time that is left alone after each piece, in milliseconds: with what it takes to place the next, two pieces a
/// second, which few people reach.
const PACE_MS: f64 = 300.0;
/// Game time in which full rows go, in milliseconds.
const GO_WITHIN_MS: f64 = 1.5 * ROWS_STAY_MS;
/// Game time in which points for rows come, at most, and how long the numbers must stand still then.
const COME_MS: f64 = 1_500.0;
const LOOK_MS: f64 = 150.0;
/// Clears from which it is learned how late they come, and game time in which their first change comes then.
const LEARNED: u32 = 3;
const LATE_MS: f64 = 1_000.0;
/// Game time in which a number that counts up comes to its end, at most.
const COUNTS_MS: f64 = 4_000.0;
/// So often none did: it will not.
const IN_VAIN: u32 = 4;

impl Bot {
    pub(super) async fn play<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        if self.started.is_none() {
            return Ok(Outcome::skipped("the game was not started"));
        }
        self.restarts = 0;
        let Some(mut hands) = Hands::new(d) else {
            return Ok(Outcome::skipped("no key moves a piece aside"));
        };
        let begun = d.now_ms();
        let mut turned: BTreeMap<PieceKind, u32> = BTreeMap::new();
        let mut seen: BTreeSet<PieceKind> = BTreeSet::new();
        let (mut pieces, mut games) = (0, 0);
        let mut in_game = 0;
        'games: while games < MOST_GAMES {
            if !self.restart(d).await? {
                break;
            }
            games += 1;
            in_game = 0;
            // Rows cleared in this game, and with how many gravity was last measured.
            let (mut lines, mut measured) = (0, None);
            let mut view = d.advance(FRAME_MS).await?;
            loop {
                let spent = d.now_ms() - begun;
                let clears = d.evidence(told);
                let all_turned = seen
                    .iter()
                    .all(|k| !can_turn(d, *k) || turned.get(k).is_some_and(|n| *n >= 1));
                let enough = if seen.len() >= 7 {
                    PIECES
                } else {
                    ENOUGH_PIECES
                };
                if (clears >= CLEARS
                    && all_turned
                    && in_game >= enough
                    && (lines >= PLAYED_OUT || d.evidence(pace_told)))
                    || pieces >= MOST_PIECES
                    || spent > MOST_MS
                {
                    break 'games;
                }
                let Some((_, mut now)) = hands.wait(d, view).await? else {
                    // Over, or stopped by itself.
                    continue 'games;
                };
                seen.extend(now.piece.kind);
                let due = lines == 0 || lines >= DUE_LINES;
                if due
                    && measured != Some(lines)
                    && now.room > MEASURED_ROOM
                    && !d.evidence(pace_told)
                {
                    measured = Some(lines);
                    view = Self::leave_alone(d, now.room, lines == 0).await?;
                    let Some(later) = facing(&view) else {
                        continue;
                    };
                    now = later;
                }
                d.say(&format!(
                    "playing: {pieces} pieces, {clears} clears with rows above"
                ));
                if let Some(kind) = now.piece.kind
                    && can_turn(d, kind)
                    && now.room >= 8
                    && turned
                        .get(&kind)
                        .is_none_or(|n| *n < TURNINGS && !done(d, kind))
                {
                    *turned.entry(kind).or_default() += 1;
                    self.turn_about(d, &now).await?;
                    hands.learn(d);
                    let after = d.advance(FRAME_MS).await?;
                    let Some(turned) = facing(&after) else {
                        view = after;
                        continue;
                    };
                    now = turned;
                }
                let out = hands.place(d, now, Goal::Safe).await?;
                tracing::debug!(?out, "piece {pieces}");
                view = self.after(d, &out).await?;
                if out.stuck {
                    continue 'games;
                }
                pieces += out.locked.max(1);
                in_game += out.locked.max(1);
                lines += out.cleared;
            }
        }
        self.hands = Some(hands);
        if pieces == 0 {
            return Ok(Outcome::failed("no piece could be placed"));
        }
        let lines = d.evidence(|e| e.counts().lines_cleared);
        Ok(Outcome::done(&format!(
            "{pieces} pieces in {games} {}, {in_game} in the last; {lines} rows cleared so far",
            if games == 1 { "game" } else { "games" }
        )))
    }

    /// Turns a piece through its states, as a probe.
    async fn turn_about<D: Driver>(&mut self, d: &mut D, now: &Facing) -> Result<(), DriverError> {
        let action = if tap(d, Action::RotateCw).is_some() {
            Action::RotateCw
        } else {
            Action::RotateCcw
        };
        let Some(tap) = tap(d, action) else {
            return Ok(());
        };
        self.clear_of_the_top(d, now.piece.corner().1, now.room)
            .await?;
        self.begin(d, action, &tap.key);
        for _ in 0..4 {
            Self::press(d, &tap).await?;
        }
        Self::end(d);
        Ok(())
    }

    /// Lets the numbers come to rest after rows were cleared.
    pub(super) async fn after<D: Driver>(
        &mut self,
        d: &mut D,
        out: &Turnout,
    ) -> Result<View, DriverError> {
        let view = if out.cleared == 0 {
            d.advance(pace_ms(d, out.locked > 0)).await?
        } else {
            self.let_numbers_come(d).await?
        };
        // Of rows that were filled at once, some may have gone.
        let view = Self::let_rows_go(d, view).await?;
        self.let_numbers_count(d, view).await
    }

    /// Lets the points for rows come: many games give them when the rows have gone, and some pages show them a while later.
    /// How much later is learned from the first clears.
    async fn let_numbers_come<D: Driver>(&mut self, d: &mut D) -> Result<View, DriverError> {
        let changes =
            |e: &Evidence| -> usize { e.numbers().tracks().iter().map(|t| t.history.len()).sum() };
        let most = COME_MS.min(gravity_ms(d) * 3.0);
        let learned = self.points_seen >= LEARNED;
        let patience = if learned {
            self.points_come_ms
        } else {
            LATE_MS
        };
        let (mut waited, mut came) = (0.0, None);
        loop {
            let before = d.evidence(changes);
            let view = d.advance(LOOK_MS).await?;
            waited += LOOK_MS;
            let still = d.evidence(changes) == before;
            // Points for the drop may come before those for the rows: the last change counts.
            if !still {
                came = Some(waited);
            }
            let awaited = still && waited >= came.unwrap_or(0.0).max(patience);
            if awaited || waited >= most {
                self.points_seen += 1;
                if !learned {
                    self.points_come_ms = self.points_come_ms.max(came.unwrap_or(0.0));
                }
                return Ok(view);
            }
        }
    }

    /// Lets a number that counts up come to its end, so that what belongs to which piece is known. One that never does is a
    /// clock, and is waited for no more.
    async fn let_numbers_count<D: Driver>(
        &mut self,
        d: &mut D,
        mut view: View,
    ) -> Result<View, DriverError> {
        let patience = COUNTS_MS.min(gravity_ms(d) * 4.0);
        let mut waited = 0.0;
        while self.counted_in_vain < IN_VAIN {
            let now = d.now_ms();
            let counts = |e: &Evidence| e.numbers().tracks().iter().any(|t| t.is_counting(now));
            if !d.evidence(counts) {
                if waited > 0.0 {
                    self.counted_in_vain = 0;
                }
                break;
            }
            if waited >= patience {
                self.counted_in_vain += 1;
                break;
            }
            view = d.advance(LOOK_MS).await?;
            waited += LOOK_MS;
        }
        Ok(view)
    }

    /// Lets rows go that are full.
    async fn let_rows_go<D: Driver>(d: &mut D, mut view: View) -> Result<View, DriverError> {
        let patience = GO_WITHIN_MS.min(gravity_ms(d) * 4.0);
        let mut waited = 0.0;
        while waited < patience && d.evidence(Evidence::is_filled) {
            view = d
                .advance_to_change(patience - waited, 3.0 * FRAME_MS)
                .await?;
            waited += view.passed_ms.max(FRAME_MS);
        }
        Ok(view)
    }
}

/// Game time in which a game does what it does after a piece came to rest, and rows that it filled go: some games do it a
/// while later, and go wrong where the next piece comes to rest before, faster than anyone plays.
fn pace_ms<D: Driver>(d: &D, locked: bool) -> f64 {
    if locked {
        PACE_MS.min(gravity_ms(d) * 1.5)
    } else {
        FRAME_MS
    }
}

/// Is it known whether gravity gets faster?
fn pace_told(e: &Evidence) -> bool {
    let verdict = checks::verdict("speed_increases", e);
    verdict.is_some_and(|v| matches!(v.status, Status::Pass | Status::Fail))
}

/// Clears whose outcome is known, with blocks above.
fn told(e: &Evidence) -> usize {
    e.locked()
        .iter()
        .filter_map(|l| l.fill.as_ref())
        .filter(|f| f.gone != Gone::Unknown && f.above > 0)
        .count()
}

/// Is there a key that turns, and does turning show on this kind?
fn can_turn<D: Driver>(d: &D, kind: PieceKind) -> bool {
    let key = tap(d, Action::RotateCw)
        .or(tap(d, Action::RotateCcw))
        .is_some();
    key && kind != PieceKind::O
}

/// Was this kind seen in all of its states?
fn done<D: Driver>(d: &D, kind: PieceKind) -> bool {
    d.evidence(|e| {
        let states: BTreeSet<u8> = e
            .readings()
            .iter()
            .filter(|r| !r.unsure)
            .filter_map(|r| r.active.as_ref())
            .filter(|a| a.kind == Some(kind) && turns_show(a))
            .map(|a| a.state)
            .collect();
        states.len() >= kind.states().len()
    })
}
