//! What each lock was worth by one of the page's numbers.
//!
//! Comes in: locks, a number and its values. Goes out: points a lock, as far as they are told. Must never know: whether
//! the number is a score or a level.

use super::score::CLEARS;
use crate::evidence::{Locked, NumberTrack};

/// Locks without a clear that tell what a drop gives, where some are not known.
const PLAIN: usize = 3;
/// Points that come later than with the next press are looked for so long, two looks at a page; those for a clear as long
/// as they took elsewhere, and this much longer.
const LATE_MS: f64 = 100.0;
/// The time from a lock to its points is told in steps of this length, two looks at a page.
const LAG_STEP_MS: f64 = 50.0;
/// So many of them: no page takes longer to write a number.
const LAG_STEPS: usize = 30;

/// What a lock was worth by one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worth {
    /// The record of the lock.
    pub seq: u64,
    /// Its game.
    pub game: usize,
    /// Rows cleared by it.
    pub cleared: u32,
    /// Rows cleared in this game before it.
    pub lines: u32,
    /// Rows that the piece fell, dropped or not.
    pub fell: i32,
    /// Rows of those that it did not fall by itself.
    pub dropped: i32,
    /// By how much the number rose from the first press of the piece to that of the next, see [`ends`].
    pub by: f64,
    /// How much of what the lock was worth that is.
    pub told: Told,
}

/// How much is known of what a lock was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// All.
    All,
    /// The number was still counting up when the next piece came: it was worth that much at least.
    Begun,
    /// The number still counted up for a lock before.
    Nothing,
}

/// What each lock was worth by a number. The first of each game is left out: it began before the game did. So is the last
/// one with which the number fell: another game may have begun at once.
pub fn worth(locked: &[Locked], track: &NumberTrack) -> Vec<Worth> {
    let mut all = Vec::new();
    let (mut game, mut lines) = (usize::MAX, 0);
    let ends = ends(locked, track);
    let counts_on = |l: &Locked| track.counts_on(l.known, l.until);
    for (i, l) in locked.iter().enumerate() {
        if l.game == game {
            let last = locked.get(i + 1).is_none_or(|next| next.game != game);
            let from = i.checked_sub(1).map_or(l.from, |before| ends[before]);
            if let (Some(before), Some(after)) = (track.at(from), track.at(ends[i]))
                && !(last && after < before)
            {
                all.push(Worth {
                    seq: l.seq,
                    game,
                    cleared: l.cleared,
                    lines,
                    fell: l.fell,
                    dropped: l.dropped,
                    by: after - before,
                    told: if i > 0 && counts_on(&locked[i - 1]) {
                        Told::Nothing
                    } else if counts_on(l) {
                        Told::Begun
                    } else {
                        Told::All
                    },
                });
            }
        } else {
            (game, lines) = (l.game, 0);
        }
        lines += l.cleared;
    }
    all
}

/// The record up to which what the number does is a lock's. That is the next press, but pages write their numbers a look
/// later, those that clear rows with an animation give the points when it is over, and some write all numbers after a
/// while, when the next piece may have been moved, or have locked.
fn ends(locked: &[Locked], track: &NumberTrack) -> Vec<u64> {
    let lags = [false, true].map(|clears| lag(locked, track, clears));
    let lag = |l: &Locked| lags[usize::from(l.cleared > 0)];
    let late = |l: &Locked| lag(l).filter(|ms| *ms > LATE_MS + LAG_STEP_MS);
    let after = |l: &Locked| {
        let first = track.history.partition_point(|h| h.0.seq <= l.known);
        track.history.get(first).map(|h| h.0)
    };
    let took = |l: &Locked| {
        let at = after(l).filter(|at| l.cleared > 0 && at.seq <= l.until)?;
        Some(at.game_ms() - l.ms)
    };
    let longest = locked.iter().filter_map(took).fold(0.0, f64::max);
    let of = |(l, next): (&Locked, Option<&Locked>)| {
        let Some(next) = next.filter(|n| n.game == l.game) else {
            return l.until;
        };
        if let Some(ms) = late(l) {
            // The next lock's come as late, if there are any.
            let due = l.ms + ms + LATE_MS;
            let others = next.ms + lag(next).unwrap_or(ms) - LAG_STEP_MS;
            let own = |ms: f64| ms <= due && ms < others;
            let come = track.history.partition_point(|h| own(h.0.game_ms()));
            let last = come.checked_sub(1).map_or(0, |i| track.history[i].0.seq);
            return last.max(l.until);
        }
        let soon = after(l).filter(|at| {
            let animated = if l.cleared > 0 { longest } else { 0.0 };
            at.seq <= next.seq && at.seq > l.until && at.game_ms() - l.ms <= animated + LATE_MS
        });
        soon.map_or(l.until, |at| at.seq)
    };
    let nexts = locked.iter().skip(1).map(Some).chain([None]);
    let mut ends: Vec<u64> = locked.iter().zip(nexts).map(of).collect();
    // What came late for one lock is not the next one's, too.
    for i in 1..ends.len() {
        ends[i] = ends[i].max(ends[i - 1]);
    }
    ends
}

/// How long after a lock the number rises, or begins to, in milliseconds, where that is nearly always about as long; for
/// locks that clear rows, or for those that don't.
fn lag(locked: &[Locked], track: &NumberTrack, clears: bool) -> Option<f64> {
    let of_these: Vec<&Locked> = locked
        .iter()
        .filter(|l| (l.cleared > 0) == clears)
        .collect();
    let begins = |i: &usize| {
        track.history[*i].1 > track.history[*i - 1].1 && track.run_of(*i, i.saturating_sub(1)) == *i
    };
    let rises: Vec<f64> = (1..track.history.len())
        .filter(begins)
        .map(|i| track.history[i].0.game_ms())
        .collect();
    let mut with_a_rise = [0_usize; LAG_STEPS];
    for l in &of_these {
        let first = rises.partition_point(|r| *r < l.ms);
        let after = rises[first..].iter().map(|r| (r - l.ms) / LAG_STEP_MS);
        let mut steps: Vec<usize> = after
            .take_while(|s| *s < LAG_STEPS as f64)
            .map(|s| s as usize)
            .collect();
        // A rise at the edge of a step is told sometimes on this side of it, sometimes on that.
        steps.extend(steps.clone().iter().filter_map(|s| s.checked_sub(1)));
        steps.sort_unstable();
        steps.dedup();
        for s in steps {
            with_a_rise[s] += 1;
        }
    }
    let most = with_a_rise.iter().copied().max().unwrap_or(0);
    if of_these.len() < CLEARS || most * 5 < of_these.len() * 3 {
        return None;
    }
    let nearly_all = |n: &usize| n * 10 >= most * 9;
    // A clear's points come when its animation is over, after those for the drop.
    let step = if clears {
        with_a_rise.iter().rposition(nearly_all)?
    } else {
        with_a_rise.iter().position(nearly_all)?
    };
    Some((step + 1) as f64 * LAG_STEP_MS)
}

/// Those of which it is known what they were worth, and apart from them those of which it is in part; why not, where the
/// former are too few to tell anything.
pub fn told_of(worth: Vec<Worth>) -> Result<(Vec<Worth>, Vec<Worth>), String> {
    let all = worth.len();
    let (known, rest): (Vec<Worth>, Vec<Worth>) =
        worth.into_iter().partition(|w| w.told == Told::All);
    let plain = known.iter().filter(|w| w.cleared == 0).count();
    let clears = known.len() - plain;
    if !rest.is_empty() && (plain < PLAIN || clears < CLEARS) {
        return Err(format!(
            "the number still counted up when the next piece came, after {} of {all} locks",
            rest.len()
        ));
    }
    Ok((
        known,
        rest.into_iter().filter(|w| w.told == Told::Begun).collect(),
    ))
}
