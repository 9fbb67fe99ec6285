//! What took a full board's blocks away: a new game, or a life.
//!
//! Comes in: what was seen of a game that was filled to the top. Goes out: where its board was emptied, and by which key.
//! Must never know: what the page showed beside it.

use super::TopOut;
use crate::evidence::{Evidence, Happening, Press, Reading};
use crate::model::{GridEvent, Stamp};
use std::ops::Range;

/// A new game on an emptied board.
pub(super) struct Begun<'a> {
    /// Where it was emptied.
    pub(super) emptied: &'a Happening,
    /// The key that brought it, if one did.
    pub(super) by: Option<Stamp>,
}

/// A stack that reaches this row is tall: what empties it is no line clear.
const TALL: i32 = 8;
/// A tall stack of which no more than one in so many cells is left was taken away: no clear leaves so little of one.
const NEXT_TO_NOTHING: usize = 12;
/// A number that falls so near to where the board was emptied may count lives. That may show with the next piece alone.
const LIFE_MS: Range<f64> = -2_000.0..600.0;
/// No game gives more of them.
const MOST_LIVES: f64 = 10.0;
/// A new game that comes within this after a press was brought by it.
const BY_KEY_MS: f64 = 1_200.0;

impl Evidence {
    /// Where a tall board was emptied, at once or row by row; or where a piece came when next to nothing was left of it: a
    /// board that fades may leave a few cells that are no blocks. `None` where that cost no more than a life.
    pub(super) fn emptied(&self, t: &TopOut, until: u64) -> Option<&Happening> {
        let from = t.from.seq;
        let tall = |r: &&Reading| r.stack.places().first().is_some_and(|p| p.1 <= TALL);
        let mut all = self.happenings_in(from..=until).iter().rev();
        let emptied = all.find(|h| {
            let came = matches!(h.event, GridEvent::PieceSpawned { kind: Some(_), .. });
            if h.seq < from || !(came || h.event == GridEvent::BoardCleared) {
                return false;
            }
            let played = self.last_ordinary(from, h.seq).unwrap_or(from);
            let before = self.readings_in(played..=h.seq);
            let most = before.iter().filter(tall).map(|r| r.stack.count()).max();
            let left = || {
                self.reading_at(h.seq)
                    .map_or(usize::MAX, |r| r.stack.count())
            };
            most.is_some_and(|most| !came || left() * NEXT_TO_NOTHING <= most)
        });
        emptied.filter(|h| !self.took_a_life(h))
    }

    /// Did the game go on with a life less where the board was emptied? Then one number fell by one, and was not the last;
    /// a new game has numbers fall to where they were at first.
    fn took_a_life(&self, emptied: &Happening) -> bool {
        let at = emptied.stamp.game_ms();
        let near = |s: &Stamp| LIFE_MS.contains(&(s.game_ms() - at));
        let tracks = self.numbers.tracks().iter();
        let fell = tracks.flat_map(|t| t.history.windows(2));
        let fell = fell.filter(|w| w[1].1 < w[0].1 && near(&w[1].0));
        let by: Vec<(f64, f64)> = fell.map(|w| (w[0].1, w[1].1)).collect();
        matches!(by.as_slice(), [(before, now)]
            if (before - now - 1.0).abs() < 1e-6 && (1.0..MOST_LIVES).contains(now))
    }

    /// Where the board was emptied and a piece fell again, and by which key.
    pub(super) fn began_again(&self, t: &TopOut, until: u64) -> Option<Begun<'_>> {
        let emptied = self.emptied(t, until)?;
        let fall = self
            .falls
            .iter()
            .find(|f| f.seq > emptied.seq && f.seq <= until);
        if fall.is_none() && !self.goes_down(emptied.seq + 1, until) {
            return None;
        }
        let just_before =
            |p: &Press| p.down.seq < emptied.seq && emptied.stamp.game_ms_since(p.down) < BY_KEY_MS;
        // A board that empties itself at the end waits for a key all the same.
        let first = fall.map_or(until, |f| f.seq);
        let first = self.reading_at(first).map(|r| r.from);
        let patience = self.gravity_ms().unwrap_or(1_000.0) * 3.0 + BY_KEY_MS;
        let before_it_fell = |p: &Press| {
            let fell = first.filter(|f| p.down.seq > emptied.seq && p.down.seq < f.seq);
            fell.is_some_and(|f| f.game_ms_since(p.down) < patience)
        };
        let mut presses = self.presses.iter().rev().filter(|_| t.rest.is_some());
        let by = presses.find(|p| just_before(p) || before_it_fell(p));
        Some(Begun {
            emptied,
            by: by.map(|p| p.down),
        })
    }

    /// Was the board emptied that is being filled to the top?
    pub fn is_emptied(&self) -> bool {
        let last = self.top_outs.last();
        last.is_some_and(|t| self.emptied(t, self.last.seq).is_some())
    }

    /// Was the board emptied that is being filled to the top, and does a piece fall on it?
    pub fn is_begun_again(&self) -> bool {
        let last = self.top_outs.last();
        last.is_some_and(|t| self.began_again(t, self.last.seq).is_some())
    }
}
