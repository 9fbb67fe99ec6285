use super::game_over::endings;
use super::piece_locks::unsteady;
use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::{Ending, Evidence, How, Outcome, Reading};
use crate::model::{PageSignal, Phase};
use std::collections::BTreeSet;

/// How long nothing may change while keys are pressed, in game milliseconds, beside some rows of gravity.
const STILL_MS: f64 = 5_000.0;
/// Locks that make it play.
const ENOUGH: usize = 4;

/// Still playing, or properly over, at the end of competitive play.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if let Some(v) = ends_early(e) {
        return v;
    }
    let Some(span) = e.phase(Phase::Compete) else {
        return open("waiting: competitive play has not begun");
    };
    if matches!(span.outcome, Some(Outcome::Skipped(_))) {
        // What cannot be played for as long as it takes to find its keys does not survive play.
        let hangs = e.hangs();
        if hangs.len() >= 2 {
            return fail(
                format!(
                    "it could not be played: the page stopped answering in {} games, after {} locks in all",
                    hangs.len(),
                    e.locks().count()
                ),
                hangs,
            );
        }
    }
    let end = span.until.map_or(e.last().seq, |u| u.seq);
    let range = span.from.seq..=end;
    let died: Vec<u64> = e
        .signals()
        .iter()
        .filter(|(s, what)| {
            range.contains(&s.seq)
                && matches!(what, PageSignal::Crashed | PageSignal::Unresponsive { .. })
        })
        .map(|(s, _)| s.seq)
        .collect();
    if !died.is_empty() {
        return fail("the page crashed or stopped answering in play".into(), died);
    }
    let locks = e.locks().filter(|(h, _, _)| range.contains(&h.seq)).count();
    if locks < ENOUGH {
        return open(format!("only {locks} locks in competitive play"));
    }
    let (dead, over) = stops(e, &range);
    if dead.len() >= 2 {
        return fail(
            format!(
                "play stopped with room for the next piece, {} times, after {locks} locks in all",
                dead.len()
            ),
            dead,
        );
    }
    if !dead.is_empty() {
        return open("play stopped once with room for the next piece");
    }
    if span.until.is_none() {
        return open(format!("playing: {locks} locks so far"));
    }
    pass(
        if over.is_empty() {
            format!("{locks} locks, still playing at the end")
        } else {
            format!(
                "{locks} locks; the game ended {} times with the stack at the top",
                over.len()
            )
        },
        over,
    )
}

/// Filled to the top on purpose, it was over, each time, while much of the board was free.
fn ends_early(e: &Evidence) -> Option<Verdict> {
    let all = endings(e);
    let over = || {
        all.iter()
            .filter(|x| matches!(x.how, How::Ended | How::EndedEarly))
    };
    let early: Vec<&Ending> = over().filter(|x| x.is_early()).collect();
    if early.len() < 2 || early.len() < over().count() {
        return None;
    }
    let least = early.iter().map(|x| x.free).fold(1.0, f64::min);
    Some(unsteady(e, e.locks().count()).unwrap_or_else(|| {
        fail(
            format!(
                "the game was over {} times while the upper {:.0}% of the board were free",
                early.len(),
                least * 100.0
            ),
            early
                .iter()
                .filter_map(|x| x.cites.first().copied())
                .collect(),
        )
    }))
}

/// How often competitive play stopped with room for the next piece so far.
pub fn stopped(e: &Evidence) -> usize {
    e.phase(Phase::Compete).map_or(0, |span| {
        let end = span.until.map_or(e.last().seq, |u| u.seq);
        stops(e, &(span.from.seq..=end)).0.len()
    })
}

/// The readings at which play stopped with room for the next piece, and those at which there was none.
fn stops(e: &Evidence, range: &std::ops::RangeInclusive<u64>) -> (Vec<u64>, Vec<u64>) {
    let come = e.spawn_columns();
    let (dead, over): (Vec<&Reading>, Vec<&Reading>) = stills(e, range)
        .into_iter()
        .partition(|r| free_to_spawn(r, &come));
    let seqs = |all: Vec<&Reading>| all.iter().map(|r| r.from.seq).collect();
    (seqs(dead), seqs(over))
}

/// Readings at which nothing changed for long although a key was pressed meanwhile.
fn stills<'a>(e: &'a Evidence, range: &std::ops::RangeInclusive<u64>) -> Vec<&'a Reading> {
    let patience = STILL_MS + e.gravity_ms().unwrap_or(1000.0) * 3.0;
    e.readings_in(range.clone())
        .iter()
        .filter(|r| range.contains(&r.from.seq))
        .filter(|r| r.until.game_ms_since(r.from) >= patience)
        .filter(|r| {
            e.presses()
                .iter()
                .any(|p| p.down.seq > r.from.seq && p.down.seq < r.until.seq)
        })
        .collect()
}

/// Are the upper rows of the columns in which pieces come free of settled blocks? In the middle, where none was seen to
/// come.
fn free_to_spawn(r: &Reading, come: &BTreeSet<i32>) -> bool {
    let columns = i32::from(r.blocks.columns());
    let middle = (columns / 2 - 2).max(0)..(columns / 2 + 2).min(columns);
    let come = if come.is_empty() {
        middle.collect()
    } else {
        come.clone()
    };
    let taken = r
        .active
        .as_ref()
        .map(|a| a.cells.clone())
        .unwrap_or_default();
    !come
        .into_iter()
        .flat_map(|c| (0..3).map(move |row| (c, row)))
        .any(|p| r.blocks.has(p) && !taken.contains(&p))
        && taken.iter().all(|c| c.1 > 1 || !r.stack.supports(&taken))
}
