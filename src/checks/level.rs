//! Which of the page's numbers is its level: it rises by one now and then, when rows are cleared, and never falls.

use super::score::{Score, score};
use super::speed_increases::faster_after;
use super::worth::{Worth, worth};
use crate::evidence::{Evidence, Locked, NumberTrack};
use crate::model::NumberRole;

/// Lines of one game after which the level, and with it the speed, has risen twice by the usual rule of ten.
pub const DUE_LINES: u32 = 20;

/// The page's level.
#[derive(Debug, Clone)]
pub enum Level<'a> {
    /// This number behaves like one.
    Rises(&'a NumberTrack, Vec<Worth>),
    /// None does; this one stands beside the score and stayed at 1.
    Stuck(&'a NumberTrack),
    /// None does.
    Missing,
}

/// The most rows cleared in one game.
pub fn most_lines(e: &Evidence) -> u32 {
    most_in_one_game(e.locked().iter().map(|l| (l.game, l.cleared)))
}

/// The most rows cleared in one game while a number was on the page: one that came later did not stay as it was meanwhile.
pub fn most_lines_beside(locked: &[Locked], t: &NumberTrack) -> u32 {
    let there = |l: &&Locked| t.at(l.seq).is_some() && t.is_shown_at(l.seq);
    most_in_one_game(locked.iter().filter(there).map(|l| (l.game, l.cleared)))
}

/// Of locks, each with its game and the rows it cleared.
fn most_in_one_game(locks: impl Iterator<Item = (usize, u32)>) -> u32 {
    let (mut game, mut lines, mut most) = (usize::MAX, 0, 0);
    for (of, cleared) in locks {
        if of != game {
            (game, lines) = (of, 0);
        }
        lines += cleared;
        most = most.max(lines);
    }
    most
}

/// The level.
pub fn level(e: &Evidence) -> Level<'_> {
    let locked = e.locked();
    if let Some(track) = e.number_by_hand(NumberRole::Level) {
        let worth = worth(&locked, track);
        return if worth.iter().any(|w| w.by != 0.0) {
            Level::Rises(track, worth)
        } else {
            Level::Stuck(track)
        };
    }
    let tracks = e.numbers().tracks();
    let mut found: Vec<(&NumberTrack, Vec<Worth>)> = Vec::new();
    for t in tracks {
        let worth = worth(&locked, t);
        let ups: Vec<&Worth> = worth.iter().filter(|w| w.by != 0.0).collect();
        let ones = ups.iter().filter(|w| (w.by - 1.0).abs() < 1e-6).count();
        let on_clears = ups.iter().filter(|w| w.cleared > 0).count();
        let clears = worth.iter().filter(|w| w.cleared > 0).count();
        // A counter of clears or of rows rises with each.
        let seldom = ups.len() * 2 <= clears;
        let up = |w: &&Worth| w.by > 0.0;
        if !ups.is_empty()
            && ups.iter().all(up)
            && ones * 5 >= ups.len() * 4
            && on_clears * 5 >= ups.len() * 4
            && seldom
            && !counts_clears_of_one_size(&worth)
        {
            found.push((t, worth));
        }
    }
    // The one that rose most often: what rose once may be a counter of something rare.
    let ups = |f: &(&NumberTrack, Vec<Worth>)| f.1.iter().filter(|w| w.by > 0.0).count();
    if let Some((t, worth)) = found.into_iter().max_by_key(ups) {
        return Level::Rises(t, worth);
    }
    let Some(Score::Rises(score, _) | Score::Stuck(score)) = score(e) else {
        return Level::Missing;
    };
    let stuck: Vec<&NumberTrack> = tracks
        .iter()
        .filter(|t| {
            t.shown && t.history.iter().all(|h| (h.1 - 1.0).abs() < 1e-6) && beside(t, score)
        })
        .collect();
    match stuck.as_slice() {
        [only] => Level::Stuck(only),
        _ => Level::Missing,
    }
}

/// Does it rise with each clear of so many rows at once, and with nothing else, as a counter of doubles does?
fn counts_clears_of_one_size(worth: &[Worth]) -> bool {
    (2..=4).any(|rows| {
        let mut told = worth.iter().filter(|w| w.by > 0.0 || w.cleared == rows);
        told.all(|w| w.by > 0.0 && w.cleared == rows)
    })
}

/// The fewest rows of one game with which its level, or else its pace, is known to have risen.
pub fn risen_after(e: &Evidence) -> Option<u32> {
    let e = e.played();
    let by_level = match level(e) {
        Level::Rises(_, worth) => worth
            .iter()
            .filter(|w| w.by > 0.0)
            .map(|w| w.lines + w.cleared)
            .min(),
        Level::Stuck(_) | Level::Missing => None,
    };
    by_level.or_else(|| faster_after(e))
}

/// Rows cleared in the game that is under way.
pub fn lines_of_this_game(e: &Evidence) -> u32 {
    let game = e.game_ends().len();
    let locked = e.locked();
    let of_it = locked.iter().rev().take_while(|l| l.game == game);
    of_it.map(|l| l.cleared).sum()
}

/// Written alike, and in line with it?
fn beside(a: &NumberTrack, b: &NumberTrack) -> bool {
    let high = a.rect.height.max(b.rect.height);
    let (p, q) = (a.rect.centre(), b.rect.centre());
    let alike = (a.rect.height - b.rect.height).abs() <= high * 0.15;
    let row = (p.1 - q.1).abs() <= high * 0.5 && (p.0 - q.0).abs() < high * 40.0;
    let column = ((a.rect.x - b.rect.x).abs() <= high
        || (a.rect.right() - b.rect.right()).abs() <= high
        || (p.0 - q.0).abs() <= high * 3.0)
        && (p.1 - q.1).abs() < high * 12.0;
    alike && (row || column)
}

#[cfg(test)]
mod tests {
    use super::super::worth::Told;
    use super::*;
    use crate::model::{Rect, Stamp};

    /// By how much a number rose with clears of so many rows.
    fn worth(all: &[(u32, f64)]) -> Vec<Worth> {
        let one = |&(cleared, by)| Worth {
            seq: 0,
            game: 0,
            cleared,
            lines: 0,
            fell: 0,
            dropped: 0,
            by,
            told: Told::All,
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn a_number_that_came_later_did_not_stay_as_it_was_over_the_rows_before_it() {
        let lock = |(n, game): (u64, usize)| Locked {
            seq: n * 10,
            known: n * 10,
            ms: 0.0,
            game,
            kind: None,
            cells: Vec::new(),
            fell: 0,
            dropped: 0,
            from: 0,
            until: 0,
            cleared: 1,
            fill: None,
        };
        let of_two_games = (1..).zip([0, 0, 0, 0, 0, 1, 1]);
        let locked: Vec<Locked> = of_two_games.map(lock).collect();
        let lines = |first: u64, turns: &[u64]| {
            let first = Stamp {
                seq: first,
                ..Stamp::default()
            };
            let track = NumberTrack {
                label: String::new(),
                rect: Rect::new(0.0, 0.0, 1.0, 1.0),
                history: vec![(first, 1.0)],
                shown: true,
                turns: turns.to_vec(),
            };
            most_lines_beside(&locked, &track)
        };
        assert_eq!(lines(0, &[]), 5);
        assert_eq!(lines(55, &[]), 2);
        // It was gone for two of the first game's.
        assert_eq!(lines(0, &[15, 35]), 3);
    }

    #[test]
    fn a_counter_of_doubles_is_told_from_a_level() {
        let doubles = worth(&[(1, 0.0), (2, 1.0), (0, 0.0), (2, 1.0)]);
        assert!(counts_clears_of_one_size(&doubles));
        let level = worth(&[(1, 0.0), (2, 1.0), (2, 0.0), (1, 1.0)]);
        assert!(!counts_clears_of_one_size(&level));
        let at_a_single = worth(&[(1, 1.0), (2, 0.0)]);
        assert!(!counts_clears_of_one_size(&at_a_single));
    }
}
