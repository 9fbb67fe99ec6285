//! What each lock was worth by one of the page's numbers, and what of that is the drop's.
//!
//! Comes in: locks, a number and its values. Goes out: points a lock, as far as they are told. Must never know: whether
//! the number is a score or a level.

use super::score::CLEARS;
use crate::evidence::{Locked, NumberTrack};

/// Locks without a clear that tell what a drop gives, where some are not known.
const PLAIN: usize = 3;
/// Such locks that tell what a drop gives at a level.
const AS_FAR_ON: usize = 10;
/// Points are whole: by less than this nothing is off.
const EXACT: f64 = 0.5;
/// Points that come later than with the next press are looked for so long, two looks at a page; those for a clear as long
/// as they took elsewhere, and this much longer.
const LATE_MS: f64 = 100.0;

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
/// later, and those that clear rows with an animation give the points when it is over, when the next piece may have been
/// moved.
fn ends(locked: &[Locked], track: &NumberTrack) -> Vec<u64> {
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
        let late = after(l).filter(|at| {
            let own = next.is_some_and(|n| n.game == l.game && at.seq <= n.seq);
            let animated = if l.cleared > 0 { longest } else { 0.0 };
            own && at.seq > l.until && at.game_ms() - l.ms <= animated + LATE_MS
        });
        late.map_or(l.until, |at| at.seq)
    };
    let nexts = locked.iter().skip(1).map(Some).chain([None]);
    locked.iter().zip(nexts).map(of).collect()
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

/// What drops alone give, by the rows fallen.
#[derive(Debug, Clone)]
pub struct Drops {
    all: Line,
    /// The locks without a clear.
    plain: Vec<Worth>,
}

/// What a lock was worth beyond its drop.
#[derive(Debug, Clone, Copy)]
pub struct Beyond {
    /// By how much it was worth more.
    pub by: f64,
    /// By how much that is off for most locks without a clear.
    pub noise: f64,
}

impl Drops {
    /// From locks without a clear.
    pub fn of(worth: &[Worth]) -> Self {
        let plain: Vec<Worth> = worth.iter().filter(|w| w.cleared == 0).copied().collect();
        Self {
            all: Line::through(&plain),
            plain,
        }
    }

    /// What a lock was worth beyond its drop. Where drops give more from level to level, what they gave after about as many
    /// rows tells that better than all of them do.
    pub fn beyond(&self, w: &Worth) -> Beyond {
        let mut line = self.all;
        if line.noise > EXACT && self.plain.len() > AS_FAR_ON {
            let mut near = self.plain.clone();
            near.sort_by_key(|p| (p.lines.abs_diff(w.lines), p.game != w.game));
            near.truncate(AS_FAR_ON);
            let near = Line::through(&near);
            if near.noise < line.noise {
                line = near;
            }
        }
        Beyond {
            by: w.by - line.a_row * f64::from(w.fell) - line.a_lock,
            noise: line.noise.max(EXACT),
        }
    }
}

/// A line through what locks were worth, by the rows fallen.
#[derive(Debug, Clone, Copy)]
struct Line {
    a_row: f64,
    a_lock: f64,
    /// By how much locks are off that line, most of them.
    noise: f64,
}

impl Line {
    /// The line of Theil and Sen: the median of all slopes.
    fn through(plain: &[Worth]) -> Self {
        let plain: Vec<(f64, f64)> = plain.iter().map(|w| (f64::from(w.fell), w.by)).collect();
        let mut slopes: Vec<f64> = Vec::new();
        for (i, a) in plain.iter().enumerate() {
            slopes.extend(
                plain[i + 1..]
                    .iter()
                    .filter(|b| (b.0 - a.0).abs() > 0.5)
                    .map(|b| (b.1 - a.1) / (b.0 - a.0)),
            );
        }
        let a_row = quantile(&mut slopes, 0.5).max(0.0);
        let mut rest: Vec<f64> = plain.iter().map(|p| p.1 - a_row * p.0).collect();
        let a_lock = quantile(&mut rest, 0.5);
        let mut off: Vec<f64> = rest.iter().map(|r| (r - a_lock).abs()).collect();
        Self {
            a_row,
            a_lock,
            noise: quantile(&mut off, 0.9),
        }
    }
}

fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 * q) as usize).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(cleared: u32, fell: i32, by: f64) -> Worth {
        Worth {
            seq: 0,
            game: 0,
            cleared,
            lines: 0,
            fell,
            by,
            told: Told::All,
        }
    }

    #[test]
    fn what_drops_give_is_told_from_what_clears_give() {
        let all: Vec<Worth> = (1..20).map(|n| worth(0, n, f64::from(2 * n + 5))).collect();
        let drops = Drops::of(&all);
        assert!((drops.beyond(&worth(1, 17, 139.0)).by - 100.0).abs() < 1e-9);
        assert!(drops.beyond(&worth(1, 10, 25.0)).by.abs() < 1e-9);
    }

    #[test]
    fn without_a_lock_drops_give_nothing() {
        let drops = Drops::of(&[]);
        assert!((drops.beyond(&worth(1, 17, 40.0)).by - 40.0).abs() < 1e-9);
    }

    #[test]
    fn drops_that_give_more_from_level_to_level_are_told_by_those_of_the_same_one() {
        // Three points a row and level, a level with every row cleared.
        let at = |cleared: u32, lines: u32, fell: i32| {
            let drop = f64::from(3 * (lines as i32 + 1) * fell);
            Worth {
                lines,
                ..worth(cleared, fell, drop + f64::from(100 * cleared))
            }
        };
        let levels = 0..10;
        let plain = levels.flat_map(|l| (0..5).map(move |n| at(0, l, 6 + 3 * n)));
        let clears: Vec<Worth> = (0..10).map(|l| at(1, l, 12)).collect();
        let all: Vec<Worth> = plain.chain(clears.clone()).collect();
        let drops = Drops::of(&all);
        for w in &clears {
            let beyond = drops.beyond(w);
            assert!(
                beyond.by > beyond.noise && beyond.by < 160.0,
                "{w:?} {beyond:?}"
            );
            let none = drops.beyond(&Worth {
                by: w.by - 100.0,
                ..*w
            });
            assert!(none.by <= none.noise, "{w:?} {none:?}");
        }
    }
}
