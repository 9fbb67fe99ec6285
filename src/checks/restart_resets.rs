use super::piece_locks::unsteady;
use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::{Effect, Evidence, NewGame, NumberTrack};
use crate::model::{Action, GridEvent, Phase};
use crate::track::{Blocks, Fall};

/// Locks from a start within which gravity is that of the start.
const FIRST_PIECES: usize = 3;
/// Falls that make an interval.
const FALLS: usize = 3;
/// Part of the median by which the intervals differ that are of one pace.
const NEAR: f64 = 0.5;
/// A new game whose rows take less than this part of the first start's runs faster.
const FASTER: f64 = 0.72;
/// So does one that is faster by less, if it is as fast as the game before was at its end: that game's rows took less than
/// this part of the first start's, ...
const RISEN: f64 = 0.95;
/// ... and the new one's are nearer to them by this part of the difference.
const NEARER: f64 = 0.25;
/// Unless this part of the rows took no longer, but for so much of that, after first starts: the first piece of each game
/// may fall at another pace than those that follow.
const SOME: f64 = 0.25;
/// See [`SOME`].
const AS_LONG: f64 = 1.03;

/// A new game starts from nothing: empty board, numbers back, gravity as at the first start. Keys that are tried at an
/// end may choose with what the next game begins, so one that follows an end that was left alone decides.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let games: Vec<&NewGame> = e
        .new_games()
        .iter()
        .filter(|n| n.found && n.until.is_some())
        .collect();
    if games.is_empty() {
        let tried = e.new_games().len() >= 2;
        return if tried {
            skipped("no new game could be begun")
        } else {
            open("waiting: no new game was begun yet")
        };
    }
    let mut wrong = Vec::new();
    let mut right = Vec::new();
    for game in &games {
        let faults = faults(e, game);
        if faults.is_empty() {
            right.push(*game);
        } else {
            wrong.push((*game, faults.join("; ")));
        }
    }
    // Blocks that are none were there before the first lock as well.
    if let Some(v) = unsteady(e, e.locked().len()).filter(|_| !wrong.is_empty()) {
        return v;
    }
    let after_keys = wrong.iter().all(|w| !left_alone(e, w.0));
    if wrong.len() >= 2 && !after_keys {
        let cites = wrong.iter().map(|w| w.0.from.seq).collect();
        let why = format!(
            "{} of {} new games: {}",
            wrong.len(),
            games.len(),
            wrong[0].1
        );
        return fail(why, cites);
    }
    let cleared = after_keys && right.iter().any(|g| left_alone(e, g));
    if let Some((_, why)) = wrong.first().filter(|_| !cleared) {
        return open(format!(
            "{why}; waiting for a second new game, after an end at which no key is tried"
        ));
    }
    let speed = match (
        first_interval(e),
        right.first().and_then(|g| interval(e, g)),
    ) {
        (Some(a), Some(b)) => format!("a row every {b:.0} ms, at the first start {a:.0} ms"),
        _ => "its speed could not be measured".into(),
    };
    let but = wrong.first().map_or(String::new(), |(_, why)| {
        format!("; only after other keys were pressed at the end: {why}")
    });
    pass(
        format!("empty board, numbers back, {speed}{but}"),
        right.iter().map(|g| g.from.seq).collect(),
    )
}

/// Was no key tried at the end before this new game?
fn left_alone(e: &Evidence, game: &NewGame) -> bool {
    let before = e.top_outs().iter().rev().find(|t| t.from < game.from);
    before.is_some_and(|t| t.alone)
}

/// What is left over in a new game, or wrong with it.
fn faults(e: &Evidence, game: &NewGame) -> Vec<String> {
    let mut faults = Vec::new();
    let until = game.until.map_or(e.last().seq, |u| u.seq);
    let first_lock = e
        .happenings_in(game.from.seq..=until)
        .iter()
        .find(|h| matches!(h.event, GridEvent::PieceLocked { .. }))
        .map_or(until, |h| h.seq.saturating_sub(1));
    let settled: Vec<usize> = e
        .readings_in(game.from.seq..=first_lock)
        .iter()
        .filter(|r| !r.unsure)
        .filter_map(|r| {
            let at =
                Blocks::new(r.stack.columns(), r.stack.rows()).landing(&r.active.as_ref()?.cells);
            // Blocks just where the piece would land on an empty board are its shadow, read for blocks.
            let shadow = r.stack.places().iter().all(|p| at.contains(p));
            Some(if shadow { 0 } else { r.stack.count() })
        })
        .collect();
    // What began it may have dropped its first piece as well.
    let last = e
        .presses()
        .iter()
        .rev()
        .find(|p| p.down.seq < game.from.seq);
    let dropped = last.is_some_and(|p| e.key(Action::HardDrop) == Some(&p.key));
    let own = if dropped { 4 } else { 0 };
    if let Some(least) = settled.iter().min().filter(|n| **n > own) {
        faults.push(format!("{least} blocks were on the board"));
    }
    if let (Some(first), Some(now)) = (first_interval(e), interval(e, game)) {
        let last = last_interval(e, game).filter(|last| *last < first * RISEN);
        let as_the_last =
            |last: f64| now < last + (first - last) * NEARER && !ran_so_at_first(e, now);
        if now < first * FASTER {
            faults.push(format!(
                "a row takes {now:.0} ms, at the first start {first:.0} ms"
            ));
        } else if let Some(last) = last.filter(|last| as_the_last(*last)) {
            faults.push(format!(
                "a row takes {now:.0} ms, at the end of the game before {last:.0} ms, at the first start {first:.0} ms"
            ));
        }
    }
    faults.extend(moves_further(e, game));
    faults.extend(kept_numbers(e, game));
    faults
}

/// Does a press move a piece further than before the first new game? Then its key is listened to more than once.
fn moves_further(e: &Evidence, game: &NewGame) -> Option<String> {
    let until = game.until.map_or(e.last().seq, |u| u.seq);
    let first = e.new_games().first()?.from.seq;
    let sides = [(Action::MoveLeft, -1), (Action::MoveRight, 1)];
    let mut further = Vec::new();
    for (action, side) in sides {
        let all: Vec<Effect> = e
            .effects(action)
            .into_iter()
            .filter(|x| x.whole() && !x.reshaped() && !x.gone)
            .collect();
        let columns = |x: &&Effect| x.aside() * side;
        let before = all.iter().filter(|x| x.seq < first && !x.blocked(side));
        let usual = before.map(|x| columns(&x)).max().filter(|n| *n >= 1)?;
        let now = all
            .iter()
            .find(|x| (game.from.seq..=until).contains(&x.seq))?;
        further.push((usual, Some(columns(&now)).filter(|n| *n >= usual * 2)?));
    }
    let (before, now) = further.first()?;
    Some(format!(
        "a press moves a piece {now} columns, before it moved it {before}"
    ))
}

/// What most are about: the mean of those near the median, since what is read every so often is seen only then.
fn typical(mut all: Vec<f64>) -> Option<f64> {
    all.sort_by(f64::total_cmp);
    let median = *all.get(all.len() / 2).filter(|_| all.len() >= FALLS)?;
    all.retain(|ms| (*ms - median).abs() <= NEAR * median);
    Some(all.iter().sum::<f64>() / all.len() as f64)
}

fn a_row(f: &Fall) -> Option<f64> {
    f.after_ms
        .filter(|_| f.rows > 0)
        .map(|ms| ms / f64::from(f.rows))
}

/// Milliseconds a row of a new game's first pieces.
fn interval(e: &Evidence, game: &NewGame) -> Option<f64> {
    let until = game.until?.seq;
    let falls = e.falls().iter();
    typical(
        falls
            .filter(|f| f.seq >= game.from.seq && f.seq <= until)
            .filter_map(a_row)
            .collect(),
    )
}

/// Milliseconds a row after the last clear of the game before it was filled to its end.
fn last_interval(e: &Evidence, game: &NewGame) -> Option<f64> {
    let filled = e.top_outs().iter().rev().find(|t| t.from < game.from)?;
    let from = filled.from.seq;
    let begun = e.game_ends().into_iter().rev().find(|s| *s < from)?;
    let cleared = e
        .happenings_in(begun..=from)
        .iter()
        .rev()
        .find(|h| matches!(h.event, GridEvent::LineCleared { .. }))?;
    let falls = e.falls().iter();
    typical(
        falls
            .filter(|f| f.seq > cleared.seq && f.seq <= from)
            .filter_map(a_row)
            .collect(),
    )
}

/// The record with which the last phases began, which are not a first start any more.
fn endgame(e: &Evidence) -> u64 {
    let of = |p| e.phases().iter().find(|s| s.phase == p);
    of(Phase::GameOver).map_or(u64::MAX, |s| s.from.seq)
}

/// Each fresh opening of the page before the last phases, as records from and until.
fn openings(e: &Evidence) -> Vec<(u64, u64)> {
    let e = e.played();
    let end = endgame(e);
    let starts: Vec<u64> = e.opened().iter().map(|o| o.0.seq).collect();
    starts
        .iter()
        .enumerate()
        .map(|(i, from)| (*from, starts.get(i + 1).copied().unwrap_or(end).min(end)))
        .filter(|(from, until)| from < until)
        .collect()
}

/// Milliseconds a row of the first pieces after fresh openings.
fn first_interval(e: &Evidence) -> Option<f64> {
    typical(first_rows(e))
}

/// Did some of them take as little, too?
fn ran_so_at_first(e: &Evidence, now: f64) -> bool {
    let all = first_rows(e);
    let as_long = all.iter().filter(|ms| **ms <= now * AS_LONG).count();
    as_long >= FALLS && as_long as f64 >= all.len() as f64 * SOME
}

/// Milliseconds that each row of the first pieces after fresh openings took.
fn first_rows(e: &Evidence) -> Vec<f64> {
    let e = e.played();
    let mut all = Vec::new();
    for (from, until) in openings(e) {
        let locks = e
            .happenings_in(from..=until)
            .iter()
            .filter(|h| matches!(h.event, GridEvent::PieceLocked { .. }));
        let end = locks.map(|h| h.seq).nth(FIRST_PIECES - 1).unwrap_or(until);
        let falls = e.falls().iter();
        all.extend(
            falls
                .filter(|f| f.seq > from && f.seq <= end)
                .filter_map(a_row),
        );
    }
    all
}

/// Numbers that a fresh opening begins anew and this new game did not.
fn kept_numbers(e: &Evidence, game: &NewGame) -> Vec<String> {
    let Some(until) = game.until else {
        return Vec::new();
    };
    let Some(t) = e.top_outs().iter().rev().find(|t| t.from < game.from) else {
        return Vec::new();
    };
    let Some(played) = t.fills.last().copied() else {
        return Vec::new();
    };
    let end = t.until.map_or(game.from.seq, |u| u.seq);
    let firsts: Vec<u64> = openings(e)
        .iter()
        .filter_map(|(from, until)| {
            // Before any key could have scored.
            let seen = e.played().readings_in(from + 1..=*until);
            let first = seen
                .iter()
                .find(|r| r.from.seq > *from && r.active.is_some());
            first.map(|r| r.from.seq)
        })
        .collect();
    let tracks = e.numbers().tracks();
    let at_first = |n: &NumberTrack| -> Option<f64> {
        let values: Vec<f64> = firsts.iter().filter_map(|seq| n.at(*seq)).collect();
        let times = |v: f64| values.iter().filter(|o| same(**o, v)).count();
        let usual = values.iter().copied().max_by_key(|v| times(*v))?;
        (times(usual) * 2 > values.len()).then_some(usual)
    };
    let known = |n: &NumberTrack| Some((n.at(played)?, n.at(end)?, n.at(until.seq)?));
    let mut kept = Vec::new();
    // What stands on the board is drawn there with the blocks: points that rise from a drop, or a block's own sign.
    let board = e.board().map(|(_, b, _)| b.rect());
    let on_board = |n: &NumberTrack| {
        let (x, y) = n.rect.centre();
        board.is_some_and(|b| (b.x..b.right()).contains(&x) && (b.y..b.bottom()).contains(&y))
    };
    for (i, n) in tracks.iter().enumerate() {
        // A page that is built anew for the new game may write its numbers elsewhere.
        if on_board(n) || !n.is_shown_at(until.seq) {
            continue;
        }
        let (Some(first), Some((mid, over, now))) = (at_first(n), known(n)) else {
            continue;
        };
        let is_kept = !same(mid, first) && !same(now, first) && (same(now, over) || same(now, mid));
        // The best of all games equals the score that was reached, and stays: its twin went back, though maybe not all the
        // way where rows that fall count. Where a new game begins by itself it may be back, and have risen a little again,
        // before the end was over. And one that counts up may not have got there by then.
        let best = tracks.iter().enumerate().any(|(j, other)| {
            let was_first = |v: f64| at_first(other).is_some_and(|f| same(v, f));
            i != j
                && known(other).is_some_and(|(m, o, w)| {
                    (was_first(w) || w < o || w < now)
                        && !(was_first(o) && was_first(m))
                        && (same(o, now)
                            || reached(other, now, end)
                            || other.broken_off(played, until.seq).is_some_and(|v| v < now))
                })
        });
        if is_kept && !best {
            let name = if n.label.is_empty() {
                "a number"
            } else {
                n.label.as_str()
            };
            kept.push(format!("{name} is still {now}, at the first start {first}"));
        }
    }
    kept
}

fn reached(n: &NumberTrack, value: f64, until: u64) -> bool {
    n.history
        .iter()
        .any(|h| h.0.seq <= until && same(h.1, value))
}

fn same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}
