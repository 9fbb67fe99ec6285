use super::level::DUE_LINES;
use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::Evidence;
use std::collections::BTreeMap;

/// Part of the first interval below which one is shorter.
const SHORTER: f64 = 0.95;
/// Part of the first interval by which another may be shorter and be the same as far as is seen, ...
const SAME: f64 = 0.03;
/// ... and milliseconds: one picture earlier.
const A_FRAME_MS: f64 = 17.0;
/// Times are rounded to a millisecond at most.
const ROUNDED_MS: f64 = 1.0;
/// Part of the first interval, and interval in milliseconds, below which a speed has collapsed.
const COLLAPSED: (f64, f64) = (0.17, 70.0);
/// A game that begins with fewer milliseconds a row may be as fast as it ever gets: players choose a speed in some menus.
const FAST_MS: f64 = 200.0;
/// Lines within which no game gets that much faster.
const SOON: u32 = 10;
/// Intervals that make a median.
const ENOUGH: usize = 3;

/// Intervals of one game at one number of lines.
#[derive(Debug, Clone, Default)]
struct Pace {
    ms: Vec<f64>,
    /// How coarse the coarsest is.
    coarse: f64,
    seq: u64,
}

impl Pace {
    fn median(&self) -> f64 {
        let mut all = self.ms.clone();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Per game, the pace of gravity by the lines cleared in it.
fn paces(e: &Evidence) -> Vec<BTreeMap<u32, Pace>> {
    let locked = e.locked();
    let mut games: BTreeMap<usize, BTreeMap<u32, Pace>> = BTreeMap::new();
    let ends = e.game_ends();
    for f in e.falls() {
        let Some(ms) = f.after_ms.filter(|_| f.rows > 0) else {
            continue;
        };
        let game = ends.partition_point(|s| *s <= f.seq);
        let before = &locked[..locked.partition_point(|l| l.known <= f.seq)];
        let lines = before
            .iter()
            .rev()
            .take_while(|l| l.game == game)
            .map(|l| l.cleared)
            .sum();
        let pace = games.entry(game).or_default().entry(lines).or_default();
        pace.ms.push(ms / f64::from(f.rows));
        pace.coarse = pace.coarse.max(f.resolution_ms / f64::from(f.rows));
        pace.seq = f.seq;
    }
    games.into_values().collect()
}

/// A pace within a game: rows cleared, milliseconds a row at first and then, the record.
type Told = (u32, f64, f64, u64);

/// What the paces of all games tell.
#[derive(Default)]
struct Paces {
    faster: Vec<Told>,
    same: Vec<Told>,
    collapsed: Vec<Told>,
    /// The most rows with which a pace was measured.
    most: u32,
    /// Milliseconds a row of a game that is fast from the first line on.
    fast: Option<f64>,
}

fn compared(e: &Evidence) -> Paces {
    let mut all = Paces::default();
    for game in paces(e) {
        let measured: Vec<(u32, &Pace)> = game
            .iter()
            .filter(|p| p.1.ms.len() >= ENOUGH)
            .map(|p| (*p.0, p.1))
            .collect();
        let Some(&(begun, first)) = measured.first() else {
            continue;
        };
        for &(lines, pace) in &measured[1..] {
            let (a, b) = (first.median(), pace.median());
            all.most = all.most.max(lines);
            let coarse = first.coarse.max(pace.coarse);
            let told = (lines, a, b, pace.seq);
            if b <= a * COLLAPSED.0 && b <= COLLAPSED.1 && lines - begun <= SOON {
                all.collapsed.push(told);
            } else if b < a * SHORTER && a - b > coarse * 0.6 {
                all.faster.push(told);
            } else if lines >= DUE_LINES && is_same(a, b, coarse) {
                if a < FAST_MS {
                    all.fast = Some(a);
                } else {
                    all.same.push(told);
                }
            }
        }
    }
    all
}

/// Is one interval no shorter than the first, as far as both are seen?
fn is_same(first: f64, now: f64, coarse: f64) -> bool {
    now > first - (coarse + ROUNDED_MS).min((first * SAME).max(A_FRAME_MS))
}

/// The fewest rows of a game with which gravity was faster than at its start.
pub fn faster_after(e: &Evidence) -> Option<u32> {
    compared(e).faster.iter().map(|t| t.0).min()
}

/// Gravity gets faster as play goes on.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let Paces {
        faster,
        same,
        collapsed,
        most,
        fast,
    } = compared(e);
    let tell = |t: &Told| {
        format!(
            "{:.0} ms a row at first, {:.0} ms after {} lines",
            t.1, t.2, t.0
        )
    };
    let cites = |all: &[Told]| all.iter().map(|t| t.3).take(8).collect();
    if collapsed.len() >= 2 {
        return fail(
            format!("the speed collapsed: {}", tell(&collapsed[0])),
            cites(&collapsed),
        );
    }
    if let Some(last) = faster.last()
        && collapsed.is_empty()
    {
        return pass(tell(last), cites(&faster));
    }
    if same.len() >= 2 && collapsed.is_empty() {
        return fail(tell(&same[same.len() - 1]), cites(&same));
    }
    if let Some(ms) = fast {
        return open(format!(
            "{ms:.0} ms a row from the first line on, which may be as fast as it gets"
        ));
    }
    open(format!(
        "too short a game: gravity was measured up to {most} lines"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_was_seen_a_picture_earlier_is_no_shorter() {
        assert!(is_same(516.7, 500.0, 16.7));
        assert!(is_same(800.0, 800.0, 16.7));
        assert!(!is_same(516.7, 483.3, 16.7));
        // Seen coarsely, a tenth less may be a tenth less.
        assert!(!is_same(500.0, 450.0, 83.3));
    }
}
