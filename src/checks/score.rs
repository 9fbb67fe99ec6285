//! Which of the page's numbers is its score. Found by behaviour alone: it never falls within a game and rises when rows
//! are cleared.

use super::worth::{Told, Worth, worth};
use crate::evidence::{Evidence, Locked, NumberTrack};
use crate::model::{NumberRole, Stamp};
use crate::track::Fall;

/// Clears that must have been seen before a number is told.
pub const CLEARS: usize = 3;
/// A number that changes this long after a lock, with no key pressed since, lives by a clock of its own.
const IDLE_MS: f64 = 1_800.0;
/// Such changes that make it a clock.
const IDLE_CHANGES: usize = 3;
/// A number that changes so near to a row fallen by itself counts that row: two looks at a page.
const WITH_FALL_MS: f64 = 100.0;

/// The page's score.
#[derive(Debug, Clone)]
pub enum Score<'a> {
    /// This number behaves like one.
    Rises(&'a NumberTrack, Vec<Worth>),
    /// No number does; this one stayed at 0 all along.
    Stuck(&'a NumberTrack),
    /// One number stayed at 0 and another rose by one with each single row: the one may be a record and the other the
    /// score, or the one the score and the other counts the rows. Several rows at once will tell.
    Either(&'a NumberTrack),
    /// No number does, though others moved in play, so many of them.
    Missing(usize),
    /// No number on the page moved at all: if there is a score it cannot be read.
    Unread,
}

/// How a number behaves.
#[allow(clippy::struct_excessive_bools)]
struct Behaviour<'a> {
    track: &'a NumberTrack,
    worth: Vec<Worth>,
    falls: bool,
    clock: bool,
    /// Rises by one with every lock.
    counts_pieces: bool,
    /// Rises by the rows cleared with every clear.
    counts_lines: bool,
    /// Several rows were cleared at once.
    several: bool,
    /// Share of clears with which it rose.
    on_clears: f64,
    gain: f64,
}

fn behaviour<'a>(locked: &[Locked], falls: &[Fall], track: &'a NumberTrack) -> Behaviour<'a> {
    let worth = worth(locked, track);
    let idle = idle_changes(locked, falls, track, &worth);
    let clears: Vec<&Worth> = worth.iter().filter(|w| w.cleared > 0).collect();
    let rose = clears.iter().filter(|w| w.by > 0.0).count();
    let same = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let several: Vec<&&Worth> = clears.iter().filter(|w| w.cleared > 1).collect();
    let counted = several
        .iter()
        .filter(|w| same(w.by, f64::from(w.cleared)))
        .count();
    let ones = worth.iter().filter(|w| same(w.by, 1.0)).count();
    let plain: Vec<&Worth> = worth.iter().filter(|w| w.cleared == 0).collect();
    let of_plain = plain.iter().filter(|w| same(w.by, 1.0)).count();
    let counts_on = plain.len() >= CLEARS && of_plain * 3 >= plain.len() * 2;
    Behaviour {
        several: !several.is_empty(),
        falls: (0..worth.len()).any(|i| worth[i].by < 0.0 && !is_stale(&worth, i)),
        clock: idle >= IDLE_CHANGES,
        counts_pieces: !worth.is_empty()
            && (ones * 10 >= worth.len() * 9 || counts_on && by_ones(track)),
        counts_lines: !clears.is_empty()
            && counted * 3 >= several.len() * 2
            && worth
                .iter()
                .filter(|w| same(w.by, f64::from(w.cleared)))
                .count()
                * 10
                >= worth.len() * 9,
        on_clears: rose as f64 / clears.len().max(1) as f64,
        gain: clears.iter().map(|w| w.by).sum(),
        worth,
        track,
    }
}

/// Is what it falls from with this lock the last game's, which was left standing until now?
fn is_stale(worth: &[Worth], at: usize) -> bool {
    let game = worth[at].game;
    let mut before = worth[..at].iter().filter(|w| w.game == game);
    worth[0].game != game && before.all(|w| w.by == 0.0)
}

/// Does it rise by one each time? What counts pieces does, also where some locks were missed and it seems to rise by more.
fn by_ones(track: &NumberTrack) -> bool {
    let steps = track.history.windows(2).map(|w| w[1].1 - w[0].1);
    steps
        .filter(|by| *by > 0.0)
        .all(|by| (by - 1.0).abs() < 1e-6)
}

/// How often it changed with nothing done. What began with a lock to count up may take its time, over some locks to come;
/// a clock that ticks so fast that it seems to count never comes to rest. The first change after rows were cleared may be
/// what they gave, once they had all faded.
fn idle_changes(locked: &[Locked], falls: &[Fall], track: &NumberTrack, worth: &[Worth]) -> usize {
    let resting = worth.iter().filter(|w| w.told == Told::All).count();
    let counts = resting * 3 >= worth.len();
    let idle = |(i, (s, _)): &(usize, &(Stamp, f64))| {
        let at = locked.partition_point(|l| l.known < s.seq);
        let Some(l) = at.checked_sub(1).map(|last| &locked[last]) else {
            return false;
        };
        let first = || {
            i.checked_sub(1)
                .is_none_or(|b| track.history[b].0.seq <= l.known)
        };
        s.seq < l.until
            && s.game_ms() - l.ms > IDLE_MS
            && !(l.cleared > 0 && first())
            && !with_fall(falls, s.game_ms())
            && !(counts && track.run_of(*i, 0) < *i)
    };
    track.history.iter().enumerate().filter(idle).count()
}

/// Did a row fall by itself about then?
fn with_fall(falls: &[Fall], game_ms: f64) -> bool {
    let next = falls.partition_point(|f| f.game_ms < game_ms - WITH_FALL_MS);
    falls
        .get(next)
        .is_some_and(|f| f.game_ms <= game_ms + WITH_FALL_MS)
}

/// The score; `None` while too few clears were seen to tell.
pub fn score(e: &Evidence) -> Option<Score<'_>> {
    let locked = e.locked();
    let first = locked.iter().find(|l| l.cleared > 0)?.seq;
    if locked.iter().filter(|l| l.cleared > 0).count() < CLEARS {
        return None;
    }
    if let Some(track) = e.number_by_hand(NumberRole::Score) {
        // A person said so: how it behaves is for the checks to judge.
        let worth = worth(&locked, track);
        return Some(if worth.iter().any(|w| w.by != 0.0) {
            Score::Rises(track, worth)
        } else {
            Score::Stuck(track)
        });
    }
    let others = [NumberRole::Lines, NumberRole::Level].map(|role| e.number_by_hand(role));
    let numbers = |early: bool| -> Vec<Behaviour<'_>> {
        let tracks = e.numbers().tracks().iter();
        tracks
            .filter(|t| {
                t.history
                    .first()
                    .is_some_and(|h| (h.0.seq < first) == early)
            })
            .filter(|t| !others.iter().flatten().any(|o| std::ptr::eq(*o, *t)))
            .map(|t| behaviour(&locked, e.falls(), t))
            .filter(|b| b.worth.iter().filter(|w| w.cleared > 0).count() >= CLEARS - 1)
            .collect()
    };
    Some(told(&numbers(true), &numbers(false)))
}

/// The score among numbers that behave so: those that were there before rows were cleared, and those that came later, as
/// the score of a page does that shows none before there is one.
fn told<'a>(all: &[Behaviour<'a>], late: &[Behaviour<'a>]) -> Score<'a> {
    let scores =
        |b: &&Behaviour<'_>| !b.falls && !b.clock && !b.counts_pieces && b.on_clears >= 0.7;
    let best_of = |all: &[Behaviour<'a>], lines: bool| {
        all.iter()
            .filter(scores)
            .filter(|b| b.counts_lines == lines)
            .max_by(|a, b| a.gain.total_cmp(&b.gain))
            .map(|b| Score::Rises(b.track, b.worth.clone()))
    };
    let stuck = || {
        let zero = |b: &&Behaviour<'_>| b.track.shown && b.track.history.iter().all(|h| h.1 == 0.0);
        let untold = all
            .iter()
            .filter(scores)
            .any(|b| b.counts_lines && !b.several);
        all.iter().find(zero).map(|b| {
            if untold {
                Score::Either(b.track)
            } else {
                Score::Stuck(b.track)
            }
        })
    };
    let moved = all
        .iter()
        .filter(|b| b.worth.iter().any(|w| w.by != 0.0))
        .count();
    best_of(all, false)
        .or_else(|| best_of(late, false))
        .or_else(stuck)
        .or_else(|| best_of(all, true))
        .unwrap_or(if moved > 0 {
            Score::Missing(moved)
        } else {
            Score::Unread
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rect;

    fn lock(seq: u64, game: usize, cleared: u32) -> Locked {
        Locked {
            seq,
            known: seq,
            ms: seq as f64 * 100.0,
            game,
            kind: None,
            cells: Vec::new(),
            fell: 1,
            dropped: 1,
            from: seq - 10,
            until: seq,
            cleared,
            fill: None,
        }
    }

    /// A record every tenth of a second.
    fn stamp(seq: u64) -> Stamp {
        Stamp {
            seq,
            game_us: seq * 100_000,
            ..Stamp::default()
        }
    }

    /// A number with a value before each of the locks 10, 20, ... and one after the last.
    fn track(values: &[f64]) -> NumberTrack {
        let at = |seq: u64, value: f64| (stamp(seq), value);
        NumberTrack {
            label: String::new(),
            rect: Rect::new(0.0, 0.0, 1.0, 1.0),
            history: (0..)
                .step_by(10)
                .zip(values)
                .map(|(s, v)| at(s, *v))
                .collect(),
            shown: true,
            turns: Vec::new(),
        }
    }

    #[test]
    fn a_number_that_falls_as_the_next_game_begins_at_once_falls_within_none() {
        let locked = [10, 20, 30, 40].map(|seq| lock(seq, usize::from(seq > 30), 1));
        let score = track(&[0.0, 1.0, 2.0, 0.0, 1.0]);
        assert!(!behaviour(&locked, &[], &score).falls);
        let other = track(&[0.0, 2.0, 1.0, 3.0, 4.0]);
        assert!(behaviour(&locked, &[], &other).falls);
    }

    #[test]
    fn points_that_come_once_the_rows_have_faded_are_no_clock_and_what_ticks_at_other_locks_is_one()
    {
        let check = |cleared: [u32; 6], clock: bool| {
            let locked: Vec<Locked> = (1..)
                .zip(cleared)
                .map(|(n, cleared)| Locked {
                    until: n * 40 + 35,
                    ..lock(n * 40, 0, cleared)
                })
                .collect();
            let mut number = track(&[0.0]);
            let late = locked.iter().zip(1..);
            let late = late.map(|(l, n)| (stamp(l.seq + 25), f64::from(n) * 10.0));
            number.history.extend(late);
            assert_eq!(behaviour(&locked, &[], &number).clock, clock, "{cleared:?}");
        };
        check([1, 1, 2, 1, 4, 1], false);
        check([1, 0, 1, 0, 0, 1], true);
    }

    #[test]
    fn what_was_left_standing_from_the_last_game_may_fall_once() {
        let locked = [10, 20, 30, 40, 50, 60].map(|seq| lock(seq, usize::from(seq > 20), 1));
        let check = |values: &[f64], falls: bool| {
            let of = track(values);
            assert_eq!(behaviour(&locked, &[], &of).falls, falls, "{values:?}");
        };
        check(&[0.0, 100.0, 200.0, 200.0, 100.0, 200.0, 300.0], false);
        check(&[0.0, 100.0, 200.0, 200.0, 100.0, 50.0, 100.0], true);
        check(&[0.0, 100.0, 200.0, 0.0, 100.0, 50.0, 100.0], true);
    }

    #[test]
    fn points_that_come_after_the_next_press_are_the_clears_and_those_of_the_next_piece_are_not() {
        let check = |cleared: [u32; 4], changes: &[(u64, f64)], expected: [f64; 3]| {
            let locked: Vec<Locked> = (1..)
                .zip(cleared)
                .map(|(n, cleared)| Locked {
                    from: (n - 1) * 100 + 6,
                    until: n * 100 + 6,
                    ..lock(n * 100, 0, cleared)
                })
                .collect();
            let mut score = track(&[0.0]);
            score
                .history
                .extend(changes.iter().map(|(seq, value)| (stamp(*seq), *value)));
            let by = worth(&locked, &score);
            let by: Vec<f64> = by.iter().map(|w| w.by).collect();
            assert_eq!(by, expected, "{cleared:?} {changes:?}");
        };
        // The second clear is followed by a press before the points come, which took 0.6 s after the first.
        check([0, 1, 1, 0], &[(206, 10.0), (307, 20.0)], [10.0, 10.0, 0.0]);
        // What comes much later than that is the next piece's.
        check([0, 1, 1, 0], &[(204, 10.0), (320, 20.0)], [10.0, 0.0, 10.0]);
        // Locks without a clear have no animation.
        check([0, 1, 0, 0], &[(206, 10.0), (307, 20.0)], [10.0, 0.0, 10.0]);
    }

    /// A number that counts up a point every 50 ms, from a lock on, however many are missing.
    fn counting(locked: &[Locked], points: &[u32]) -> NumberTrack {
        let mut score = track(&[0.0]);
        let (mut due, mut shown) = (0, 0);
        let mut comes = locked.iter().zip(points).peekable();
        for tick in 0..locked.last().map_or(0, |l| l.seq + 20) * 2 {
            let at = Stamp {
                seq: tick / 2,
                game_us: tick * 50_000,
                ..Stamp::default()
            };
            while let Some((_, p)) = comes.next_if(|(l, _)| l.known <= at.seq) {
                due += p;
            }
            if shown < due {
                shown += 1;
                score.history.push((at, f64::from(shown)));
            }
        }
        score
    }

    #[test]
    fn of_a_number_that_counts_up_only_what_it_had_told_by_the_next_piece_counts() {
        let cleared = [0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 1, 0];
        // Three seconds from lock to lock; the next press comes after two and a half.
        let locked: Vec<Locked> = (1..)
            .zip(cleared)
            .map(|(n, cleared)| Locked {
                from: (n - 1) * 30 + 25,
                until: n * 30 + 25,
                ..lock(n * 30, 0, cleared)
            })
            .collect();
        let check = |points: [u32; 3], resting: usize, is_clock: bool| {
            let points: Vec<u32> = cleared.iter().map(|c| points[*c as usize]).collect();
            let score = counting(&locked, &points);
            let b = behaviour(&locked, &[], &score);
            let at_rest = b.worth.iter().filter(|w| w.told == Told::All).count();
            assert_eq!((at_rest, b.clock), (resting, is_clock), "{points:?}");
        };
        check([1, 4, 5], 11, false);
        // Two rows are still being counted when the next piece is moved: neither theirs nor the next one's is known.
        check([1, 4, 56], 9, false);
        // It never comes to rest.
        check([70, 70, 70], 0, true);
    }

    #[test]
    fn what_counts_pieces_is_no_score_also_where_locks_were_missed() {
        let check = |values: &[f64], between: &[(u64, f64)], scores: bool| {
            let locked: Vec<Locked> = (1..)
                .zip([0, 1, 0, 0, 1, 0, 1, 0])
                .map(|(n, cleared)| lock(n * 10, 0, cleared))
                .collect();
            let mut track = track(values);
            let between = between.iter().map(|(seq, value)| (stamp(*seq), *value));
            track.history.extend(between);
            track.history.sort_by_key(|h| h.0.seq);
            let all = [behaviour(&locked, &[], &track)];
            let rises = matches!(told(&all, &[]), Score::Rises(..));
            assert_eq!(rises, scores, "{values:?}");
        };
        let pieces = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        check(&pieces, &[], false);
        // Two pieces came between two locks, twice.
        let missed = [0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 9.0, 10.0];
        check(&missed, &[(35, 4.0), (65, 8.0)], false);
        let score = [0.0, 1.0, 11.0, 12.0, 13.0, 23.0, 24.0, 34.0, 35.0];
        check(&score, &[], true);
    }

    #[test]
    fn a_number_that_comes_with_the_first_clear_is_the_score_before_one_that_stays_at_zero() {
        let locked: Vec<Locked> = (1..)
            .zip([1, 0, 1, 1, 1])
            .map(|(n, cleared)| lock(n * 10, 0, cleared))
            .collect();
        let zero = track(&[0.0; 6]);
        let zero = [behaviour(&locked, &[], &zero)];
        let check = |values: &[f64], rises: bool| {
            let mut late = track(values);
            late.history.retain(|h| h.1 > 0.0);
            let late = [behaviour(&locked, &[], &late)];
            let score = told(&zero, &late);
            assert_eq!(matches!(score, Score::Rises(..)), rises, "{values:?}");
        };
        check(&[0.0, 100.0, 100.0, 200.0, 300.0, 400.0], true);
        // What is said of each clear for a moment is none.
        check(&[0.0, 100.0, 100.0, 100.0, 300.0, 100.0], false);
    }

    #[test]
    fn beside_a_zero_what_counts_single_rows_may_be_the_score_until_several_rows_tell() {
        let check = |cleared: [u32; 5], values: [f64; 6], expected: &str| {
            let locked: Vec<Locked> = (1..)
                .zip(cleared)
                .map(|(n, cleared)| lock(n * 10, 0, cleared))
                .collect();
            let (zero, other) = (track(&[0.0; 6]), track(&values));
            let all = [
                behaviour(&locked, &[], &zero),
                behaviour(&locked, &[], &other),
            ];
            let score = match told(&all, &[]) {
                Score::Rises(t, _) => format!("rises to {}", t.value()),
                Score::Stuck(_) => "stuck".into(),
                Score::Either(_) => "either".into(),
                Score::Missing(_) | Score::Unread => "none".into(),
            };
            assert_eq!(score, expected, "{cleared:?} {values:?}");
        };
        check([0, 1, 1, 0, 1], [0.0, 0.0, 1.0, 2.0, 2.0, 3.0], "either");
        check([0, 1, 2, 0, 1], [0.0, 0.0, 1.0, 3.0, 3.0, 4.0], "stuck");
        check(
            [0, 1, 2, 0, 1],
            [0.0, 0.0, 1.0, 5.0, 5.0, 6.0],
            "rises to 6",
        );
        check(
            [0, 1, 1, 0, 1],
            [0.0, 0.0, 10.0, 20.0, 20.0, 30.0],
            "rises to 30",
        );
    }
}
