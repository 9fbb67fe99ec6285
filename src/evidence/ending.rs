//! How a game ended that was filled to the top on purpose, and what a person could see of it.
//!
//! The bot fills the spawn columns between [`super::Mark::TopOut`] and [`super::Mark::TopOutEnd`]: a
//! [`super::Mark::Fill`] before each drop, [`super::Mark::AtRest`] once no new piece comes. From then on it waits, and
//! then presses each main key twice with pauses in between, unless the end is to be left alone.

mod emptied;
mod over_stack;
mod shown;

use self::emptied::Begun;
use super::{Evidence, Happening, Mark, Reading};
use crate::model::{Action, Grid, GridEvent, PageSignal, PieceKind, Side, Stamp};
use crate::track::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One time the game was filled to the top.
#[derive(Debug, Clone, PartialEq)]
pub struct TopOut {
    /// The how-manieth.
    pub attempt: u32,
    /// Was no key pressed once no new piece came?
    pub alone: bool,
    /// Its mark.
    pub from: Stamp,
    /// Records before each drop.
    pub fills: Vec<u64>,
    /// The board before the last drop.
    pub played: Option<Arc<Grid>>,
    /// From when on no new piece came.
    pub rest: Option<Stamp>,
    /// Its end; `None` while it goes on.
    pub until: Option<Stamp>,
    /// The board at its end.
    pub last: Option<Arc<Grid>>,
}

/// A new game that was brought about without loading the page anew, or that nothing brought.
#[derive(Debug, Clone, PartialEq)]
pub struct NewGame {
    /// The how-manieth.
    pub attempt: u32,
    /// Did anything bring it?
    pub found: bool,
    /// What brought it, or all that was tried; for people.
    pub why: String,
    /// When its first piece was seen to fall.
    pub from: Stamp,
    /// When it was no longer watched.
    pub until: Option<Stamp>,
}

/// What came of filling a game to the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It ended: nothing moves, no key acts.
    Ended,
    /// It ended with free spawn cells, and said so.
    EndedEarly,
    /// It emptied its board and began again by itself, at this record.
    BeganAgain(u64),
    /// New pieces went on coming over the stack.
    GoesOn(String),
    /// No new piece comes, but keys still move things.
    KeysAct(String),
    /// It stopped with an exception, and nothing else shows that it ended.
    OnlyError(String),
    /// It cannot be told.
    Unclear(String),
}

/// What was seen of an end.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// The conclusion.
    pub how: How,
    /// What a person could see of it, in words; may quote the page.
    pub shown: Vec<String>,
    /// Share of the rows that were free above the stack when the last piece came down, 0 to 1.
    pub free: f64,
    /// Do pieces go on coming only behind an end that is shown, while no key has an effect?
    pub behind: bool,
    /// Records that tell.
    pub cites: Vec<u64>,
}

/// Share of the rows free above the stack with which no game ends: some do a little before a piece overlaps, and the last
/// piece may not be told from the stack, which it makes higher by up to four rows.
const EARLY: f64 = 0.4;

impl Ending {
    /// Was it over, though much of the board was free?
    pub fn is_early(&self) -> bool {
        matches!(self.how, How::Ended | How::EndedEarly) && self.free >= EARLY
    }
}

/// New pieces over a full stack from which on a game is said to go on. One is drawn by many games as their last.
const OVER_STACK: usize = 3;
/// The same for one that stops then, and says so.
const OVER_STACK_AND_STOPPED: usize = 4;
/// Changes of the preview without a key from which on pieces are said to come that cannot be seen, above the board.
const UNSEEN: usize = 3;
/// Cells of a whole piece.
const PIECE: usize = 4;
/// Presses that must have acted.
const KEYS_ACT: usize = 2;
/// Game time without life that makes an end.
const STILL_MS: f64 = 3_000.0;
/// Before a press nothing must have changed for this long, if what follows is to be its effect.
const CALM_MS: f64 = 300.0;

impl Evidence {
    /// Takes a mark that belongs to an end or a new game.
    pub(super) fn mark_of_an_end(&mut self, stamp: Stamp, mark: Mark) {
        let grid = self.last_grid.clone();
        let open = self.top_outs.last_mut().filter(|t| t.until.is_none());
        match (mark, open) {
            (Mark::TopOut { attempt, alone }, _) => self.top_outs.push(TopOut {
                attempt,
                alone,
                from: stamp,
                fills: Vec::new(),
                played: grid,
                rest: None,
                until: None,
                last: None,
            }),
            (Mark::Fill, Some(t)) => {
                t.fills.push(stamp.seq);
                (t.played, t.rest) = (grid, None);
            }
            (Mark::AtRest, Some(t)) => t.rest = Some(stamp),
            (Mark::TopOutEnd, Some(t)) => (t.until, t.last) = (Some(stamp), grid),
            (
                Mark::NewGame {
                    attempt,
                    found,
                    why,
                },
                _,
            ) => self.new_games.push(NewGame {
                attempt,
                found,
                why,
                from: stamp,
                until: None,
            }),
            (Mark::NewGameEnd, _) => {
                if let Some(last) = self.new_games.last_mut().filter(|n| n.until.is_none()) {
                    last.until = Some(stamp);
                }
            }
            _ => {}
        }
    }

    /// Each time a game was filled to the top.
    pub fn top_outs(&self) -> &[TopOut] {
        &self.top_outs
    }

    /// Each try to bring about a new game.
    pub fn new_games(&self) -> &[NewGame] {
        &self.new_games
    }

    /// Distinct places at which whole new pieces came. One of a kind that was first seen farther down than others had
    /// come before that.
    fn spawn_places(&self) -> BTreeSet<Vec<Place>> {
        let mut all = BTreeSet::new();
        let mut highest: BTreeMap<PieceKind, i32> = BTreeMap::new();
        for h in &self.happenings {
            if let GridEvent::PieceSpawned {
                kind: Some(kind),
                cells,
            } = &h.event
                && cells.iter().all(|c| c.1 <= 5)
                && let Some(top) = cells.iter().map(|c| c.1).min()
            {
                all.insert((*kind, top, cells.clone()));
                let least = highest.entry(*kind).or_insert(top);
                *least = top.min(*least);
            }
        }
        let highest = |kind: &PieceKind, top: i32| highest.get(kind) == Some(&top);
        let all = all.into_iter().filter(|(kind, top, _)| highest(kind, *top));
        all.map(|(_, _, cells)| cells).collect()
    }

    /// Columns in which whole new pieces came, 0 at the left; none before the first.
    pub fn spawn_columns(&self) -> BTreeSet<i32> {
        self.spawn_places().iter().flatten().map(|c| c.0).collect()
    }

    /// What came of one filling, once it is over.
    pub fn ending(&self, t: &TopOut) -> Option<Ending> {
        let until = t.until?;
        let spawns = self.spawn_places();
        let began = self.began_again(t, until.seq);
        let (end, ended) = match &began {
            None => (until.seq, until),
            // What emptied itself before a key began the next game was to be seen until then.
            Some(Begun {
                emptied,
                by: Some(by),
            }) if by.seq > emptied.seq => (by.seq - 1, *by),
            Some(Begun { emptied, .. }) => (emptied.seq.saturating_sub(1), emptied.stamp),
        };
        let last_fill = t.fills.last().copied().unwrap_or(t.from.seq);
        // What plays on an emptied board is no piece.
        let played = self.emptied(t, end).map_or(end, |h| h.seq);
        let last_lock = self.last_ordinary(t.from.seq, played).unwrap_or(last_fill);
        let shown = self.shown(t, last_fill.min(last_lock), last_lock, end);
        let mut cites = vec![last_lock];
        cites.extend(t.rest.map(|r| r.seq));
        let free = self.free_above(last_fill.min(last_lock), last_fill.max(last_lock));
        let say = |how, cites| {
            let goes_on = matches!(how, How::GoesOn(_));
            let (shown, behind) = match goes_on.then(|| self.shown_before(t, &shown, end)) {
                Some(shown) => {
                    let behind = !shown.is_empty() && self.is_deaf(t, end, last_lock);
                    (shown, behind)
                }
                None => (shown.clone(), false),
            };
            Some(Ending {
                how,
                shown,
                free,
                behind,
                cites,
            })
        };

        let (over, over_cites) = self.over_the_stack(t, &spawns, last_lock, end);
        let too_many = over >= OVER_STACK_AND_STOPPED
            || !self.stopped_late(t, &over_cites, (end, ended), &shown);
        if over >= OVER_STACK && too_many {
            cites.extend(over_cites);
            return say(
                How::GoesOn(format!("{over} new pieces came over a full stack")),
                cites,
            );
        }
        if let Some(Begun { emptied, by: None }) = began {
            cites.push(emptied.seq);
            return say(How::BeganAgain(emptied.seq), cites);
        }
        let Some(rest) = t.rest else {
            let why = format!("{} pieces did not fill it to the top", t.fills.len());
            return say(How::Unclear(why), cites);
        };
        let presses = self.presses.iter().map(|p| p.down.seq);
        let key = presses.filter(|p| *p > rest.seq).min().unwrap_or(end);
        let unseen = self.coming_changed(rest.seq, key.min(end));
        if unseen.len() >= UNSEEN {
            let why = format!(
                "without a key the preview went on to {} other pieces over a full stack",
                unseen.len()
            );
            cites.extend(unseen);
            return say(How::GoesOn(why), cites);
        }
        // What is thrown later is thrown at keys.
        let errors = self.errors_between(last_fill, rest.seq);
        let acted = self.keys_that_act(rest.seq, end, last_lock);
        let lives = if played < end {
            self.goes_down(rest.seq, end)
        } else {
            self.life(rest.seq, end, !spawns.is_empty()) > 0
        };
        let crowded = self.crowded(last_lock, &spawns);
        let first_key = acted.first().map_or(end, |a| a.0);
        if acted.len() >= KEYS_ACT
            && self.hangs_free(rest.seq)
            && self
                .said(last_fill.min(last_lock), first_key, until)
                .is_empty()
        {
            let why = "a piece hung in the air and answered keys, but did not fall";
            return say(How::Unclear(why.into()), cites);
        }
        if acted.len() >= KEYS_ACT && crowded {
            let keys: BTreeSet<&str> = acted.iter().map(|a| a.1.as_str()).collect();
            let keys: Vec<&str> = keys.into_iter().collect();
            cites.extend(acted.iter().map(|a| a.0));
            let why = format!(
                "{} presses ({}) still moved blocks",
                acted.len(),
                keys.join(" ")
            );
            return say(How::KeysAct(why), cites);
        }
        if lives {
            return say(How::Unclear("pieces still moved".into()), cites);
        }
        if ended.game_ms_since(rest) < STILL_MS {
            return say(How::Unclear("it was not watched long enough".into()), cites);
        }
        if let (Some((seq, text)), true) = (errors.first(), shown.is_empty()) {
            cites.push(*seq);
            return say(How::OnlyError(text.clone()), cites);
        }
        if !crowded {
            return if shown.is_empty() {
                let why = "it stopped with free cells where new pieces come, without a word";
                say(How::Unclear(why.into()), cites)
            } else {
                say(How::EndedEarly, cites)
            };
        }
        say(How::Ended, cites)
    }

    /// Changes of the board's picture since the game that is filled to the top seemed to be at rest.
    pub fn changes_since_rest(&self) -> usize {
        let rest = self.top_outs.last().and_then(|t| t.rest);
        rest.map_or(0, |r| self.changes.between(r.seq, self.last.seq).len())
    }

    /// The last lock of a whole piece that was seen whole before: what is drawn over blocks may look like a piece where it
    /// locks.
    fn last_ordinary(&self, from: u64, until: u64) -> Option<u64> {
        self.happenings_in(from..=until)
            .iter()
            .rev()
            .filter(|h| {
                matches!(
                    &h.event,
                    GridEvent::PieceLocked {
                        filled_delta: 4,
                        kind: Some(_),
                        ..
                    }
                )
            })
            .find(|h| {
                let before = h.seq.checked_sub(1).and_then(|s| self.reading_at(s));
                let active = before.and_then(|r| r.active.as_ref());
                active.is_none_or(|a| a.cells.len() >= PIECE)
            })
            .map(|h| h.seq)
    }

    fn errors_between(&self, from: u64, until: u64) -> Vec<(u64, String)> {
        self.signals
            .iter()
            .filter(|(s, _)| s.seq >= from && s.seq <= until)
            .filter_map(|(s, signal)| match signal {
                PageSignal::UncaughtError { text } => Some((s.seq, text.clone())),
                _ => None,
            })
            .collect()
    }

    /// Moves and locks: what a game does that runs. Where pieces are of known kinds, those alone count: what words that come
    /// up over the board seem to do is of none.
    fn life(&self, from: u64, until: u64, kinds: bool) -> usize {
        let of_a_piece = |h: &&Happening| {
            if let GridEvent::PieceLocked { kind, .. } = &h.event {
                return kind.is_some();
            }
            let reading = self.reading_at(h.seq).filter(|r| !r.unsure);
            let active = reading.and_then(|r| r.active.as_ref());
            active.is_some_and(|a| a.kind.is_some())
        };
        self.happenings_in(from..=until)
            .iter()
            .filter(|h| h.event.shows_life() && (!kinds || of_a_piece(h)))
            .count()
    }

    /// Did a piece go down? A picture that plays on an empty board comes and goes like pieces, but stays in its place.
    fn goes_down(&self, from: u64, until: u64) -> bool {
        let down = |e: &GridEvent| {
            matches!(
                e,
                GridEvent::PieceMoved {
                    side: Side::Down,
                    ..
                } | GridEvent::HardDrop { .. }
            )
        };
        self.happenings_in(from..=until)
            .iter()
            .any(|h| down(&h.event))
    }

    /// Is a whole piece there, clear of the blocks and with nothing below it: one that should fall?
    fn hangs_free(&self, at: u64) -> bool {
        self.reading_at(at).is_some_and(|r| {
            r.active.as_ref().is_some_and(|a| {
                a.kind.is_some() && r.stack.is_free(&a.cells) && !r.stack.supports(&a.cells)
            })
        })
    }

    /// Share of the rows that were free above the stack, when it reached highest.
    fn free_above(&self, from: u64, until: u64) -> f64 {
        let free = |r: &Reading| {
            let top = r
                .stack
                .places()
                .first()
                .map_or(i32::from(r.stack.rows()), |p| p.1);
            f64::from(top) / f64::from(r.stack.rows().max(1))
        };
        // A mark lies between two readings.
        let near = self.readings_in(from..=until).iter();
        let all = near.chain(self.reading_at(from));
        all.map(free).reduce(f64::min).unwrap_or(0.0)
    }

    /// Does the stack reach to where new pieces come?
    fn crowded(&self, at: u64, spawns: &BTreeSet<Vec<Place>>) -> bool {
        let low = spawns
            .iter()
            .flatten()
            .map(|c| c.1)
            .max()
            .unwrap_or(1)
            .min(5);
        let near = self.readings_in(at..=at + 8);
        let tall = |r: &Reading| r.blocks.places().first().is_some_and(|p| p.1 <= low + 2);
        let stack = |r: &Reading| r.stack.places().first().is_some_and(|p| p.1 <= low + 2);
        near.iter().any(stack) || near.last().is_some_and(tall)
    }

    /// Is most of the stack that was there at one record still to be seen at another? A screen of another kind shows
    /// blocks where none are, if it shows any.
    fn still_shown(&self, stack: u64, at: u64) -> bool {
        let (Some(was), Some(is)) = (self.reading_at(stack), self.reading_at(at)) else {
            return true;
        };
        was.blocks.minus(&is.blocks).count() * 2 <= was.blocks.count()
    }

    /// Presses of main keys at which a few blocks moved, the board having been calm before, and the stack of a record
    /// still shown.
    fn keys_that_act(&self, from: u64, until: u64, stack: u64) -> Vec<(u64, String)> {
        let main: Vec<_> = [
            Action::MoveLeft,
            Action::MoveRight,
            Action::RotateCw,
            Action::RotateCcw,
            Action::SoftDrop,
        ]
        .into_iter()
        .filter_map(|a| self.key(a))
        .collect();
        let mut acted = Vec::new();
        for press in &self.presses {
            let seq = press.down.seq;
            if seq < from || seq > until || !main.contains(&&press.key) {
                continue;
            }
            let all = self.changes.between(from, until);
            let ms_after = |s: Stamp| s.game_ms_since(press.down);
            let calm = !all
                .iter()
                .any(|c| c.stamp.seq < seq && press.down.game_ms_since(c.stamp) < CALM_MS);
            let effect = all
                .iter()
                .find(|c| c.stamp.seq > seq && ms_after(c.stamp) < 200.0);
            let moved = effect.is_some_and(|c| {
                let (w, h) = (extent(&c.cells, |c| c.0), extent(&c.cells, |c| c.1));
                (2..=8).contains(&c.cells.len()) && w <= 5 && h <= 5
            });
            if calm && moved && self.still_shown(stack, seq) {
                acted.push((seq, press.key.to_string()));
            }
        }
        acted
    }
}

/// Columns or rows from the first to the last.
fn extent(cells: &[Place], of: impl Fn(&Place) -> i32) -> i32 {
    let least = cells.iter().map(&of).min().unwrap_or(0);
    let most = cells.iter().map(&of).max().unwrap_or(0);
    most - least + 1
}
