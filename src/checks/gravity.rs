use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::{Evidence, Reading};
use crate::track::Fall;

/// How long a piece must hang in the air with no key down to be said not to fall, in game milliseconds. The slowest
/// usual level takes one second a row.
const HANGS_MS: f64 = 5000.0;

/// With no input the piece falls by single rows.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let falls = e.falls();
    if falls.is_empty() {
        return hanging(e);
    }
    // Several rows between two far readings are no jump; only readings finer than the interval can tell.
    let median = median(falls);
    let jumps: Vec<&Fall> = falls
        .iter()
        .filter(|f| f.rows > 1 && median.is_some_and(|m| f.resolution_ms < m * 0.6))
        .collect();
    let singles: Vec<&Fall> = falls.iter().filter(|f| f.rows == 1).collect();
    if jumps.len() >= 2 && jumps.len() * 2 > falls.len() {
        let most = jumps.iter().map(|f| f.rows).max().unwrap_or(0);
        return fail(
            format!(
                "{} of {} falls were of more than a row, up to {most}",
                jumps.len(),
                falls.len()
            ),
            jumps.iter().map(|f| f.seq).take(8).collect(),
        );
    }
    let timed: Vec<f64> = singles.iter().filter_map(|f| f.after_ms).collect();
    if singles.len() < 3 || timed.len() < 2 {
        return open(format!("{} falls of one row so far", singles.len()));
    }
    let least = timed.iter().copied().fold(f64::MAX, f64::min);
    let most = timed.iter().copied().fold(0.0, f64::max);
    let cites = singles.iter().map(|f| f.seq).take(8).collect();
    pass(
        format!(
            "{} falls of one row, every {:.0} ms ({least:.0} to {most:.0})",
            singles.len(),
            median.unwrap_or(most)
        ),
        cites,
    )
}

fn median(falls: &[Fall]) -> Option<f64> {
    let mut all: Vec<f64> = falls.iter().filter_map(|f| f.after_ms).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// No fall was seen: did a piece hang in the air, twice, for long, with no key pressed?
fn hanging(e: &Evidence) -> Verdict {
    let long = |r: &&Reading| {
        let hangs = r
            .active
            .as_ref()
            .is_some_and(|a| !r.stack.supports(&a.cells));
        let pressed = e
            .presses()
            .iter()
            .any(|p| p.down.seq <= r.until.seq && p.up.is_none_or(|u| u.seq >= r.from.seq));
        hangs && !pressed && r.until.game_ms_since(r.from) >= HANGS_MS
    };
    let found: Vec<u64> = e
        .readings()
        .iter()
        .filter(long)
        .map(|r| r.from.seq)
        .collect();
    match found.len() {
        0 => open("waiting: no fall without a key yet"),
        1 => open("a piece hung in the air for 5 s; waiting for a second look"),
        n => fail(
            format!("the piece hung in the air for over 5 s, {n} times"),
            found,
        ),
    }
}
