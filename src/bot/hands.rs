//! A placement carried out: turns, moves, the way down, each looked at, planned anew where the page did something else.
//!
//! Comes in: a driver with a piece falling, a goal. Goes out: what became of the piece. Must never know: phases.

mod down;
mod stiff;

use super::probe::{gravity_ms, tap};
use super::taps::Taps;
use crate::driver::controls::{drop_distance, whole, without};
use crate::driver::{Driver, DriverError, FRAME_MS, View};
use crate::evidence::Evidence;
use crate::model::{Action, ActivePiece, ClockMode, Grid, GridEvent};
use crate::planner::{Field, Form, Goal, Moves, Placed, Plan, Press, Turn, plan};
use stiff::Refusals;

/// Plans for one piece before it is let down wherever it is.
const PLANS: u32 = 4;
/// The same where each press takes its time: how far one goes may be a matter of luck.
const PLANS_IN_TIME: u32 = 8;
/// Times that presses without time in between may miss before each is given its time.
const MISSES: u32 = 2;
/// And how many more, where presses were seen to come through: then it is most likely the page that turns or moves pieces
/// otherwise than was expected.
const SURELY_HEARD: u32 = 6;
/// Longest wait for a piece that is at rest to lock and for the next one, beside its gravity.
const LOCK_PATIENCE_MS: f64 = 3_000.0;

/// Rows from the top in which a turn may be refused because of the upper edge.
const HIGH: i32 = 2;

/// How the way down goes faster than by itself, without a hard drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Soft {
    Unknown,
    /// A row a press.
    Taps,
    /// While it is held.
    Held,
    /// Neither.
    Useless,
}

/// What the bot knows of playing this page.
#[derive(Debug, Clone)]
pub(super) struct Hands {
    pub moves: Moves,
    /// Presses that follow each other at once, with no game time in between, are all seen by the page.
    quick: bool,
    misses: u32,
    /// Times that a key pressed twice in no time had two effects: what misses then is not the page's hearing.
    heard: u32,
    taps: Taps,
    /// Hard drops that showed, one after the other.
    drops: u32,
    soft: Soft,
    /// Row from which on pieces turn: many games refuse what would reach over the upper edge.
    clearance: i32,
    refusals: Refusals,
    /// Effects of turns that were learned from.
    learned: usize,
}

/// A piece that can be played.
#[derive(Debug, Clone)]
pub(super) struct Facing {
    pub piece: ActivePiece,
    pub field: Field,
    pub at: Placed,
    /// Rows it can fall.
    pub room: i32,
}

/// What became of a piece.
#[derive(Debug, Clone, Default)]
pub(super) struct Turnout {
    /// Pieces that locked; more than one if the page was quicker than the bot.
    pub locked: u32,
    /// Rows that disappeared.
    pub cleared: u32,
    /// It locked where it was meant to.
    pub as_planned: bool,
    /// Nothing came of it: it lies there, or went without locking.
    pub stuck: bool,
}

pub(super) fn facing(view: &View) -> Option<Facing> {
    let (grid, piece) = (view.grid.as_ref()?, view.active.as_ref()?);
    if !whole(piece) {
        return None;
    }
    let stack = without(grid, piece);
    Facing::over(&stack, piece)
}

impl Facing {
    /// A piece over settled blocks.
    pub fn over(stack: &Grid, piece: &ActivePiece) -> Option<Self> {
        Some(Self {
            field: Field::of(stack)?,
            at: Placed::of(&piece.cells)?,
            room: drop_distance(stack, &piece.cells),
            piece: piece.clone(),
        })
    }
}

impl Hands {
    /// From what the mechanics phase found out; `None` without a key that moves a piece aside.
    pub fn new<D: Driver>(d: &D) -> Option<Self> {
        let columns = |action: Action| {
            tap(d, action)?;
            let steps = d.evidence(|e| {
                let mut all: Vec<i32> = e
                    .effects(action)
                    .iter()
                    .filter(|x| {
                        !x.reshaped()
                            && x.room(if action == Action::MoveLeft { -1 } else { 1 }) >= 3
                    })
                    .map(|x| x.aside().abs())
                    .filter(|n| *n > 0)
                    .collect();
                all.sort_unstable();
                all.get(all.len() / 2).copied()
            });
            Some(steps.unwrap_or(1))
        };
        let moves = Moves {
            left: columns(Action::MoveLeft).unwrap_or(0),
            right: columns(Action::MoveRight).unwrap_or(0),
            clockwise: tap(d, Action::RotateCw).is_some(),
            counter_clockwise: tap(d, Action::RotateCcw).is_some(),
            ..Moves::default()
        };
        (moves.left + moves.right > 0).then(|| {
            let mut hands = Self {
                moves,
                quick: d.clock().mode == ClockMode::Virtual,
                misses: 0,
                heard: 0,
                taps: Taps::default(),
                drops: 0,
                soft: Soft::Unknown,
                clearance: 0,
                refusals: Refusals::default(),
                learned: 0,
            };
            hands.learn(d);
            hands
        })
    }

    /// Learns from every turn that was tried.
    pub fn learn<D: Driver>(&mut self, d: &D) {
        let all = d.evidence(Evidence::free_turns);
        if all.len() != self.learned {
            self.learned = all.len();
            self.moves.turns.learn_most(&all);
        }
    }

    /// Waits until a whole piece falls. `None` if none comes for long.
    pub async fn wait<D: Driver>(
        &mut self,
        d: &mut D,
        mut view: View,
    ) -> Result<Option<(View, Facing)>, DriverError> {
        let patience = gravity_ms(d) * 5.0 + LOCK_PATIENCE_MS;
        let mut waited = 0.0;
        loop {
            if let Some(now) = facing(&view) {
                return Ok(Some((view, now)));
            }
            if waited > patience {
                return Ok(None);
            }
            let step = (gravity_ms(d) / 4.0).clamp(FRAME_MS, 60.0);
            let mut next = d.advance_to_change(patience - waited + step, step).await?;
            waited += next.passed_ms;
            next.events.splice(0..0, view.events.drain(..));
            view = next;
        }
    }

    /// Brings a piece to the best place for a goal.
    pub async fn place<D: Driver>(
        &mut self,
        d: &mut D,
        from: Facing,
        goal: Goal,
    ) -> Result<Turnout, DriverError> {
        let mut now = from;
        let mut events: Vec<GridEvent> = Vec::new();
        let mut meant: Option<Plan> = None;
        for n in 0..PLANS_IN_TIME {
            if self.quick && n >= PLANS {
                break;
            }
            self.moves.rows_a_press = self.press_ms(d) / gravity_ms(d);
            let Some(plan) = plan(&now.field, now.at, None, &self.moves, goal) else {
                break;
            };
            let there = (plan.at.form, plan.at.column);
            let presses = plan.presses.clone();
            meant = Some(plan);
            if presses.is_empty() {
                break;
            }
            let turns = presses.iter().any(|p| matches!(p, Press::Turn(_)));
            if turns && now.at.row < self.clearance && now.room > 2 {
                let mut view = self.sink(d, &now).await?;
                events.append(&mut view.events);
                match facing(&view) {
                    Some(lower) if !gone(&events) => now = lower,
                    _ => break,
                }
            }
            let mut view = self.press_all(d, &presses, &now, there).await?;
            events.append(&mut view.events);
            if gone(&events) {
                break;
            }
            // Turned at the upper edge, part of it may be above the board: where it is shows a row lower.
            let Some((mut later, after)) = self.wait(d, view).await? else {
                break;
            };
            events.append(&mut later.events);
            if gone(&events) {
                break;
            }
            let arrived = (after.at.form, after.at.column) == there;
            let moved = (after.at.form, after.at.column) != (now.at.form, now.at.column);
            let refused = turns && there.0 != now.at.form && after.at.form == now.at.form;
            if refused && after.at.row < HIGH && now.room > 4 {
                // Refused at the upper edge, it seems: the next time from lower down.
                if after.at.row + 1 > self.clearance {
                    self.clearance = after.at.row + 1;
                    self.refusals.high.get_or_insert(now.at.form);
                }
            } else {
                self.judge(arrived, moved, &presses);
                if refused {
                    self.refused(&presses, &now);
                }
            }
            now = after;
            if arrived {
                break;
            }
        }
        if !gone(&events) {
            let mut more = self.down(d, &now).await?;
            events.append(&mut more);
        }
        Ok(turnout(&events, meant.as_ref()))
    }

    /// Lets a piece fall to where it can be turned.
    async fn sink<D: Driver>(&mut self, d: &mut D, now: &Facing) -> Result<View, DriverError> {
        let gravity = gravity_ms(d);
        let mut events = Vec::new();
        let (mut row, mut waited) = (now.at.row, 0.0);
        loop {
            if let Some(soft) = tap(d, Action::SoftDrop).filter(|_| self.soft == Soft::Taps) {
                d.flick(&[soft.key]).await?;
            }
            let mut view = if self.soft == Soft::Taps {
                Self::shown(d).await?
            } else {
                let step = (gravity / 3.0).clamp(FRAME_MS, 100.0);
                d.advance_to_change(gravity * 3.0, step).await?
            };
            waited += view.passed_ms;
            events.append(&mut view.events);
            row = view.active.as_ref().map_or(row, |a| a.corner().1);
            if row >= self.clearance || gone(&events) || waited > gravity * 3.0 {
                view.events = events;
                return Ok(view);
            }
        }
    }

    /// Presses in zero time are given up where they do not come through.
    fn judge(&mut self, arrived: bool, moved: bool, presses: &[Press]) {
        if arrived {
            self.misses = self.misses.saturating_sub(1);
            if presses.windows(2).any(|two| two[0] == two[1]) {
                self.heard = (self.heard + 1).min(SURELY_HEARD);
            }
        } else {
            self.misses += if moved { 1 } else { 2 };
            if self.quick && self.misses > MISSES + self.heard {
                tracing::debug!(
                    "presses in no time are not all seen; each gets its time from now on"
                );
                self.quick = false;
            }
        }
    }

    /// Game time of one press.
    fn press_ms<D: Driver>(&self, d: &D) -> f64 {
        if self.quick {
            return 0.0;
        }
        tap(d, Action::MoveLeft)
            .or(tap(d, Action::MoveRight))
            .map_or(FRAME_MS, |t| t.ms)
            + d.effects_within().max(FRAME_MS)
    }

    /// Lets the effect of presses in no time show.
    async fn shown<D: Driver>(d: &mut D) -> Result<View, DriverError> {
        match d.effects_within() {
            late if late > 0.0 => d.advance_to_change(late, FRAME_MS).await,
            _ => d.advance(FRAME_MS).await,
        }
    }

    /// Some pages take one press a frame: looks on for as long as the piece goes on.
    async fn follow<D: Driver>(
        &self,
        d: &mut D,
        view: &mut View,
        presses: usize,
        from: &Facing,
        there: (Form, i32),
    ) -> Result<(), DriverError> {
        let place = |view: &View| {
            let at = Placed::of(&view.active.as_ref()?.cells)?;
            Some((at.form, at.column))
        };
        let mut last = (from.at.form, from.at.column);
        for _ in 1..presses {
            match place(view) {
                Some(now) if now != last && now != there => last = now,
                _ => break,
            }
            if gone(&view.events) {
                break;
            }
            let mut next = d.advance(FRAME_MS).await?;
            next.events.splice(0..0, view.events.drain(..));
            *view = next;
        }
        Ok(())
    }

    async fn press_all<D: Driver>(
        &mut self,
        d: &mut D,
        presses: &[Press],
        from: &Facing,
        there: (Form, i32),
    ) -> Result<View, DriverError> {
        let mut events = Vec::new();
        let (mut form, mut at) = (from.at.form, from.at);
        let (mut heard, mut unheard) = (0, 0);
        let mut view = View::default();
        let mut at_once = Vec::new();
        for press in presses {
            let Some(tap) = tap(d, action(*press)) else {
                break;
            };
            if self.quick {
                at_once.push(tap.key);
                continue;
            }
            let before = at;
            let mut seen = d.press(&tap.key, tap.ms).await?;
            events.append(&mut seen.events);
            view = seen;
            let now = view.active.as_ref().and_then(|a| Placed::of(&a.cells));
            at = now.unwrap_or(at);
            // A turn may be refused; a step aside was planned where there is room.
            let steps = !matches!(press, Press::Turn(_)) && d.effects_within() <= 0.0;
            if let Some(now) = now.filter(|_| steps) {
                let far = (now.column - before.column).abs();
                if far == 0 {
                    unheard += 1;
                } else if far > self.moves.left.max(self.moves.right) {
                    self.taps.went_far(d);
                    // Better planned anew than gone on with.
                    break;
                } else {
                    heard += 1;
                    self.taps.went_right(d);
                }
            }
            if let Press::Turn(turn) = press {
                let want = self.moves.turns.turned(*turn, form).form;
                if now.is_none_or(|p| p.form != want) {
                    // Not what was expected: better planned anew than gone on with.
                    break;
                }
                form = want;
            }
            if gone(&events) {
                break;
            }
        }
        if heard > 0 && unheard > 0 {
            self.taps.missed(d, unheard);
        }
        if self.quick {
            d.flick(&at_once).await?;
            view = Self::shown(d).await?;
            self.follow(d, &mut view, at_once.len(), from, there)
                .await?;
        }
        view.events.splice(0..0, events);
        Ok(view)
    }
}

/// What a press of a plan is for.
pub(super) fn action(press: Press) -> Action {
    match press {
        Press::Left => Action::MoveLeft,
        Press::Right => Action::MoveRight,
        Press::Turn(Turn::Clockwise) => Action::RotateCw,
        Press::Turn(Turn::CounterClockwise) => Action::RotateCcw,
    }
}

/// Has the piece locked, or the board been emptied?
fn gone(events: &[GridEvent]) -> bool {
    events
        .iter()
        .any(|e| matches!(e, GridEvent::PieceLocked { .. } | GridEvent::BoardCleared))
}

fn turnout(events: &[GridEvent], meant: Option<&Plan>) -> Turnout {
    let mut out = Turnout {
        stuck: true,
        ..Turnout::default()
    };
    for e in events {
        match e {
            GridEvent::PieceLocked { cells, .. } => {
                out.locked += 1;
                out.stuck = false;
                let mut at = meant.map(|p| p.at.cells()).unwrap_or_default();
                at.sort_unstable_by_key(|c| (c.1, c.0));
                out.as_planned |= at == *cells;
            }
            GridEvent::PieceSpawned { .. }
            | GridEvent::BoardCleared
            | GridEvent::StackChanged { .. } => out.stuck = false,
            GridEvent::LineCleared { count, .. } => out.cleared += u32::from(*count),
            _ => {}
        }
    }
    out
}
