use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::{Evidence, Reading};
use crate::model::{GridEvent, Phase};
use std::ops::RangeInclusive;

/// Locks that must have been seen.
const ENOUGH: usize = 20;
/// Readings in a row, each with all blocks of the one before and some more, that make a trail.
const STEPS: usize = 4;

/// Cells of a piece: one that comes in row by row makes the blocks more in as many steps as it is high, and no more.
const PIECE: usize = 4;

/// The records of the phases in which pieces are just played.
pub fn played(e: &Evidence) -> Vec<RangeInclusive<u64>> {
    e.phases()
        .iter()
        .filter(|p| matches!(p.phase, Phase::Play | Phase::Compete))
        .map(|p| p.from.seq..=p.until.map_or(e.last().seq, |u| u.seq))
        .collect()
}

/// Milliseconds after which what a piece left behind is still there: longer than any glide takes.
const STAYS_MS: f64 = 400.0;

/// What is drawn equals stack and piece: nothing is left behind by a piece that moves.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if let [(_, why), _, ..] = e.smears() {
        let cites = e.smears().iter().map(|s| s.0.seq).collect();
        let why = format!("in each of {} games: {why}", e.smears().len());
        return fail(why, cites);
    }
    let (mut locks, mut odd, mut readings) = (0, Vec::new(), 0);
    let (mut trails, mut drawn_on) = (Vec::new(), Vec::new());
    for span in played(e) {
        let all = e.readings_in(span.clone());
        readings += all.len();
        let happened = e.happenings_in(span);
        let locked: Vec<u64> = happened
            .iter()
            .filter(|h| matches!(h.event, GridEvent::PieceLocked { .. }))
            .map(|h| h.seq)
            .collect();
        locks += locked.len();
        odd.extend(
            happened
                .iter()
                .filter(|h| matches!(h.event, GridEvent::StackChanged { .. }))
                .map(|h| h.seq),
        );
        let drawn = happened
            .iter()
            .filter(|h| matches!(h.event, GridEvent::Afterimage { .. }));
        drawn_on.extend(drawn.map(|h| h.seq));
        // What grows after the last lock may be the show at the end of a game.
        let last = locked.last().copied().unwrap_or(0);
        trails.extend(growing(all).into_iter().filter(|s| *s < last));
    }
    if trails.len() >= 2 {
        let why = format!(
            "blocks were left where a piece had been, {} times",
            trails.len()
        );
        trails.truncate(8);
        return fail(why, trails);
    }
    if drawn_on.len() >= 2 {
        let why = format!(
            "after a clear the piece was still drawn where it had locked, {} times",
            drawn_on.len()
        );
        drawn_on.truncate(8);
        return fail(why, drawn_on);
    }
    if locks < ENOUGH {
        return open(format!("waiting: {locks} locks in play so far"));
    }
    if trails.is_empty() && odd.len() * 20 <= locks {
        let why = format!(
            "{readings} different pictures over {locks} locks were stack and piece, {} were not explained",
            odd.len()
        );
        return pass(why, odd);
    }
    open(format!(
        "{} changes of the stack over {locks} locks that nothing explains; the reading may be at fault",
        odd.len()
    ))
}

/// Where blocks only ever became more, a few at a time, over several readings, and stayed for a while. What glides lies
/// over more cells than it has while it is on its way.
fn growing(readings: &[Reading]) -> Vec<u64> {
    let mut found = Vec::new();
    let mut at_rest = readings.iter().filter(|r| !r.moving);
    let Some(mut last) = at_rest.next() else {
        return found;
    };
    let (mut run, mut grown, mut begun) = (0, 0, 0.0);
    let mut seen = None;
    for reading in at_rest {
        let (a, b) = (&last.blocks, &reading.blocks);
        let more = b.count().saturating_sub(a.count());
        let now = reading.from.game_ms();
        if a.is_within(b) && (1..=4).contains(&more) {
            if run == 0 {
                begun = now;
            }
            (run, grown) = (run + 1, grown + more);
            if run >= STEPS && grown > PIECE && seen.is_none() {
                seen = Some(reading.from.seq);
            }
        } else if a != b {
            found.extend(seen.take().filter(|_| now - begun >= STAYS_MS));
            (run, grown) = (0, 0);
        }
        last = reading;
    }
    found.extend(seen.filter(|_| last.until.game_ms() - begun >= STAYS_MS));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Between, Grid, Stamp};

    fn trails(boards: &[&str], each_ms: u64, moving: bool) -> usize {
        let mut evidence = Evidence::default();
        for (seq, board) in boards.iter().enumerate() {
            let stamp = Stamp {
                seq: seq as u64,
                game_us: seq as u64 * each_ms * 1000,
                wall_us: 0,
            };
            let mut grid = Grid::from_ascii(board);
            grid.set_between((moving && seq % 5 != 0).then_some(Between::Columns));
            evidence.push_grid(stamp, grid);
        }
        growing(evidence.readings()).len()
    }

    #[test]
    fn a_piece_that_comes_in_row_by_row_leaves_no_trail() {
        let entering = [
            "....\n....\n....\n....\n....\nxx.x",
            "..I.\n....\n....\n....\n....\nxx.x",
            "..I.\n..I.\n....\n....\n....\nxx.x",
            "..I.\n..I.\n..I.\n....\n....\nxx.x",
            "..I.\n..I.\n..I.\n..I.\n....\nxx.x",
            "....\n..I.\n..I.\n..I.\n..I.\nxx.x",
        ];
        assert_eq!(trails(&entering, 200, false), 0);
        let left_behind = [
            "OO..\nOO..\n....\n....\n....\n....\nxx.x",
            "OO..\nOO..\nOO..\n....\n....\n....\nxx.x",
            "OO..\nOO..\nOO..\nOO..\n....\n....\nxx.x",
            "OO..\nOO..\nOO..\nOO..\nOO..\n....\nxx.x",
            "OO..\nOO..\nOO..\nOO..\nOO..\nOO..\nxx.x",
        ];
        assert_eq!(trails(&left_behind, 200, false), 1);
        assert_eq!(trails(&left_behind, 200, true), 0);
        assert_eq!(trails(&left_behind, 17, false), 0, "a glide");
    }
}
