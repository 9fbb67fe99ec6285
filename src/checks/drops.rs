//! What of a lock's worth is the drop's.
//!
//! Comes in: what locks were worth, and the page's numbers. Goes out: what clears gave beyond their drops. Must never know:
//! how a lock's points were told from the next one's.

use super::worth::Worth;
use crate::evidence::NumberTrack;

/// Such locks that tell what a drop gives at a level.
const AS_FAR_ON: usize = 10;
/// Points are whole: by less than this nothing is off.
const EXACT: f64 = 0.5;
/// What holds for this share of locks holds for most.
const MOST: f64 = 0.9;
/// The largest number that multiplies points: levels go no further.
const LARGEST_FACTOR: f64 = 100.0;
/// Points for drops are multiplied by a number if that explains them better than rows alone do, by this factor.
const CLEARLY: f64 = 2.0;

/// What drops alone give, by the rows fallen.
#[derive(Debug, Clone)]
pub struct Drops<'a> {
    all: Line,
    /// The locks without a clear.
    plain: Vec<Worth>,
    /// A number of the page by which a drop's points are multiplied, as levels are, and what they are for 1.
    times: Option<(&'a NumberTrack, Line)>,
}

/// What a lock was worth beyond its drop.
#[derive(Debug, Clone, Copy)]
pub struct Beyond {
    /// By how much it was worth more.
    pub by: f64,
    /// By how much most locks without a clear are worth more than that at most.
    pub noise: f64,
}

impl<'a> Drops<'a> {
    /// From locks without a clear, and the other numbers of the page.
    pub fn of(worth: &[Worth], numbers: &'a [NumberTrack]) -> Self {
        let plain: Vec<Worth> = worth.iter().filter(|w| w.cleared == 0).copied().collect();
        let all = Line::through(&plain);
        let told = all.noise > EXACT && plain.len() > AS_FAR_ON;
        let fits = numbers.iter().filter(|_| told).filter_map(|track| {
            let times: Option<Vec<f64>> = plain.iter().map(|w| factor(track, w)).collect();
            let times = times?;
            let for_one = plain
                .iter()
                .zip(&times)
                .map(|(w, t)| Worth { by: w.by / t, ..*w });
            let line = Line::through(&for_one.collect::<Vec<_>>());
            // What gives less than that counts too: a number that only grows would make too much of late drops.
            let off = |(w, t): (&Worth, &f64)| (w.by - line.at(w) * t).abs();
            let mut off: Vec<f64> = plain.iter().zip(&times).map(off).collect();
            Some((track, line, quantile(&mut off, MOST)))
        });
        let best = fits.min_by(|a, b| a.2.total_cmp(&b.2));
        Self {
            all,
            plain,
            times: best.filter(|b| b.2 * CLEARLY < all.off).map(|b| (b.0, b.1)),
        }
    }

    /// What a lock was worth beyond its drop. Where drops give more from level to level, the level that is shown tells that
    /// better than all of them together do; else what they gave after about as many rows, or at about the same time.
    pub fn beyond(&self, w: &Worth) -> Beyond {
        if let Some((track, line)) = self.times
            && let Some(times) = factor(track, w)
        {
            return Beyond {
                by: w.by - line.at(w) * times,
                noise: (line.noise * times).max(EXACT),
            };
        }
        let mut line = self.all;
        if line.noise > EXACT && self.plain.len() > AS_FAR_ON {
            let by_rows = |p: &Worth| (p.lines.abs_diff(w.lines), u64::from(p.game != w.game));
            let by_time = |p: &Worth| (0, p.seq.abs_diff(w.seq));
            for near in [self.nearest(by_rows), self.nearest(by_time)] {
                if near.noise < line.noise {
                    line = near;
                }
            }
        }
        Beyond {
            by: w.by - line.at(w),
            noise: line.noise.max(EXACT),
        }
    }

    /// The line through the few locks without a clear that are least far away.
    fn nearest(&self, far: impl Fn(&Worth) -> (u32, u64)) -> Line {
        let mut near = self.plain.clone();
        near.sort_by_key(far);
        near.truncate(AS_FAR_ON);
        Line::through(&near)
    }
}

/// Do locks that follow clears without points give more than other drops do, in many cases? Then the points for the clears
/// are theirs.
pub fn come_late(worth: &[Worth], numbers: &[NumberTrack]) -> bool {
    let after_a_clear =
        |i: usize| i > 0 && worth[i - 1].cleared > 0 && worth[i - 1].game == worth[i].game;
    let (after, others): (Vec<usize>, Vec<usize>) = (0..worth.len())
        .filter(|i| worth[*i].cleared == 0)
        .partition(|i| after_a_clear(*i));
    let others: Vec<Worth> = others.into_iter().map(|i| worth[i]).collect();
    let drops = Drops::of(&others, numbers);
    let gains = |i: usize| {
        let beyond = drops.beyond(&worth[i]);
        beyond.by > beyond.noise
    };
    let all: Vec<usize> = after.into_iter().filter(|i| !gains(i - 1)).collect();
    let late = all.iter().filter(|i| gains(**i)).count();
    late >= 2 && late * 3 >= all.len()
}

/// The number's value before a lock, if it may multiply points.
fn factor(track: &NumberTrack, w: &Worth) -> Option<f64> {
    let value = track.at(w.seq.checked_sub(1)?)?;
    (1.0..=LARGEST_FACTOR).contains(&value).then_some(value)
}

/// A line through what locks were worth, by the rows fallen or by those dropped.
#[derive(Debug, Clone, Copy)]
struct Line {
    of_drops: bool,
    a_row: f64,
    a_lock: f64,
    /// By how much locks are worth more than that, most of them at most. Those that fell by themselves for a while are worth
    /// less.
    noise: f64,
    /// By how much most are worth more or less.
    off: f64,
}

impl Line {
    fn through(plain: &[Worth]) -> Self {
        let [fell, dropped] = [false, true].map(|of_drops| Self::by(plain, of_drops));
        if dropped.off < fell.off {
            dropped
        } else {
            fell
        }
    }

    /// The line of Theil and Sen: the median of all slopes.
    fn by(plain: &[Worth], of_drops: bool) -> Self {
        let plain: Vec<(f64, f64)> = plain.iter().map(|w| (rows(w, of_drops), w.by)).collect();
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
        let of = |r: &f64| r - a_lock;
        let mut more: Vec<f64> = rest.iter().map(|r| of(r).max(0.0)).collect();
        let mut off: Vec<f64> = rest.iter().map(|r| of(r).abs()).collect();
        Self {
            of_drops,
            a_row,
            a_lock,
            noise: quantile(&mut more, MOST),
            off: quantile(&mut off, MOST),
        }
    }

    /// What a drop as far as this lock's gives.
    fn at(&self, w: &Worth) -> f64 {
        self.a_row * rows(w, self.of_drops) + self.a_lock
    }
}

fn rows(w: &Worth, of_drops: bool) -> f64 {
    f64::from(if of_drops { w.dropped } else { w.fell })
}

fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = ((values.len() as f64 * q) as usize).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::worth::Told;
    use super::*;
    use crate::model::{Rect, Stamp};

    fn worth(cleared: u32, fell: i32, by: f64) -> Worth {
        Worth {
            seq: 0,
            game: 0,
            cleared,
            lines: 0,
            fell,
            dropped: fell,
            by,
            told: Told::All,
        }
    }

    fn stamp(seq: u64) -> Stamp {
        Stamp {
            seq,
            ..Stamp::default()
        }
    }

    fn track(history: Vec<(Stamp, f64)>) -> NumberTrack {
        NumberTrack {
            label: String::new(),
            rect: Rect::new(0.0, 0.0, 10.0, 10.0),
            history,
            shown: true,
            turns: Vec::new(),
        }
    }

    #[test]
    fn what_drops_give_is_told_from_what_clears_give() {
        let all: Vec<Worth> = (1..20).map(|n| worth(0, n, f64::from(2 * n + 5))).collect();
        let drops = Drops::of(&all, &[]);
        assert!((drops.beyond(&worth(1, 17, 139.0)).by - 100.0).abs() < 1e-9);
        assert!(drops.beyond(&worth(1, 10, 25.0)).by.abs() < 1e-9);
    }

    #[test]
    fn without_a_lock_drops_give_nothing() {
        let drops = Drops::of(&[], &[]);
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
        let drops = Drops::of(&all, &[]);
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

    #[test]
    fn a_level_on_the_page_by_which_points_are_multiplied_is_found_however_it_rises() {
        // Three points a row and level; the level rises with every fourth piece, whatever is cleared.
        let level = |n: u64| (1 + n / 4) as f64;
        let at = |n: u64, cleared: u32| {
            let fell = 4 + (n * 7 % 13) as i32;
            let drop = 3.0 * level(n) * f64::from(fell);
            Worth {
                seq: n * 10 + 5,
                ..worth(cleared, fell, drop + f64::from(40 * cleared))
            }
        };
        let all: Vec<Worth> = (0..60).map(|n| at(n, u32::from(n % 6 == 5))).collect();
        let history = (0..15).map(|l| (stamp(l * 40), (l + 1) as f64));
        let numbers = [track(history.collect())];
        let drops = Drops::of(&all, &numbers);
        for w in all.iter().filter(|w| w.cleared > 0) {
            let beyond = drops.beyond(w);
            assert!(
                (beyond.by - 40.0).abs() < 1.0 && beyond.noise < 1.0,
                "{w:?} {beyond:?}"
            );
        }
    }

    #[test]
    fn a_number_that_makes_too_much_of_late_drops_multiplies_none() {
        // Ten points a lock; some of the last were written in part with the next one, when the number was far higher.
        let at = |n: u64, cleared: u32| {
            let cut = [9.0, -5.0, 9.0, -8.0, 5.0, -5.0, 8.0];
            let late = n.checked_sub(30).and_then(|i| cut.get(i as usize));
            let off = late.copied().unwrap_or(0.0);
            Worth {
                seq: n * 10 + 5,
                ..worth(cleared, 12, 10.0 + if cleared > 0 { 100.0 } else { off })
            }
        };
        let all: Vec<Worth> = (0..40).map(|n| at(n, u32::from(n % 8 == 7) * 2)).collect();
        let numbers = [track(vec![(stamp(0), 3.0), (stamp(300), 9.0)])];
        let drops = Drops::of(&all, &numbers);
        for w in all.iter().filter(|w| w.cleared > 0) {
            let beyond = drops.beyond(w);
            assert!((beyond.by - 100.0).abs() < 1.0, "{w:?} {beyond:?}");
        }
    }

    #[test]
    fn points_that_come_with_the_next_lock_are_no_clears_without_points() {
        // Each fifth piece clears a row; its points are written late, or not at all.
        let with = |late: f64| -> Vec<Worth> {
            let by = |n: i32| 2.0 * f64::from(n) + if n % 5 == 0 && n > 0 { late } else { 0.0 };
            (0..40)
                .map(|n| worth(u32::from(n % 5 == 4), n, by(n)))
                .collect()
        };
        let told = |late| come_late(&with(late), &[]);
        assert!(told(100.0));
        assert!(!told(0.0));
    }
}
