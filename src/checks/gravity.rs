use super::{Status, Verdict, fail, needs_start, open, pass};
use crate::evidence::{Evidence, PhaseSpan, Reading};
use crate::model::{Action, Key, Phase, Stamp};
use crate::track::Fall;
use std::collections::BTreeMap;

/// How long a piece must hang in the air with no key down to be said not to fall, in game milliseconds. The slowest
/// usual level takes one second a row.
pub const HANGS_MS: f64 = 5000.0;
/// The same where other pieces do fall: in rows as long as the longest, and at least in game milliseconds.
const HANGING_ROWS: f64 = 3.2;
/// Game time within which a key must have been let go that moved a piece to where it hangs.
const RELEASED_MS: f64 = 300.0;
/// See [`HANGING_ROWS`].
const HANGING_MS: f64 = 2_200.0;

/// With no input the piece falls by single rows.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let falls = e.falls();
    // What little goes down in a game whose pieces stand may be a key's doing.
    if falls.is_empty() || e.stands() && hanging(e).status == Status::Fail {
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
    let left = left_hanging(e, most);
    if left.len() >= 2 {
        let why = format!(
            "{} pieces hung in the air although no key was pressed, for longer than three rows take; they still answered keys",
            left.len()
        );
        return fail(why, left.into_iter().take(8).collect());
    }
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

/// Pieces that hung in the air for long with no key pressed, in play, in games whose other pieces fall, and that moved at
/// keys later: the game was not paused, and not at its end. `row_ms` is the longest that a row took.
fn left_hanging(e: &Evidence, row_ms: f64) -> Vec<u64> {
    let patience = (row_ms * HANGING_ROWS).max(HANGING_MS);
    let main: Vec<&Key> = [
        Action::MoveLeft,
        Action::MoveRight,
        Action::RotateCw,
        Action::RotateCcw,
        Action::SoftDrop,
        Action::HardDrop,
    ]
    .into_iter()
    .filter_map(|a| e.key(a))
    .collect();
    let played =
        |p: &&PhaseSpan| matches!(p.phase, Phase::Mechanics | Phase::Play | Phase::Compete);
    let spans: Vec<_> = e.phases().iter().filter(played).collect();
    let mut pieces = BTreeMap::new();
    for r in e.readings() {
        let (from, until) = (r.from.seq, r.until.seq);
        let hangs = r.active.as_ref().is_some_and(|a| {
            a.kind.is_some() && !r.stack.supports(&a.cells) && r.stack.is_free(&a.cells)
        });
        let in_play = || {
            spans
                .iter()
                .any(|p| p.from.seq < from && p.until.is_none_or(|u| u.seq > until))
        };
        if !hangs || r.unsure || r.until.game_ms_since(r.from) < patience || !in_play() {
            continue;
        }
        let before = e.presses().partition_point(|p| p.down.seq <= from);
        let (last, next) = (
            before.checked_sub(1).map(|i| &e.presses()[i]),
            e.presses().get(before),
        );
        // The last key may have paused it, and one that is down may hold it.
        let known = last.is_some_and(|p| {
            let soon = |u: Stamp| u.game_ms_since(r.from) < RELEASED_MS;
            main.contains(&&p.key) && p.up.is_some_and(soon)
        });
        let untouched = next.is_none_or(|p| p.down.seq > until);
        let answers = next.is_some_and(|p| {
            e.readings_in(p.down.seq..=p.down.seq + 60)
                .iter()
                .any(|n| n.piece == r.piece && !n.unsure && n.active != r.active)
        });
        if known && untouched && answers {
            pieces.entry(r.piece).or_insert(from);
        }
    }
    pieces.into_values().collect()
}

/// No fall was seen: did a piece hang in the air, twice, for long, with no key pressed?
fn hanging(e: &Evidence) -> Verdict {
    let long = |r: &&Reading| {
        let hangs = r
            .active
            .as_ref()
            .is_some_and(|a| !r.stack.supports(&a.cells));
        // The key that put it there may be down for a moment still; one that is pressed later may stop the game.
        let next = e.presses().partition_point(|p| p.down.seq < r.from.seq);
        let (before, later) = e.presses().split_at(next);
        let let_go = match before.last().map(|p| p.up) {
            None => Some(r.from),
            Some(up) => up.map(|u| u.max(r.from)),
        };
        let until = later.first().map_or(r.until, |p| p.down.min(r.until));
        let left_alone = let_go.is_some_and(|from| until.game_ms_since(from) >= HANGS_MS);
        hangs && left_alone
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
