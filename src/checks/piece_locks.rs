use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::{Evidence, Happening};
use crate::model::{Action, GridEvent, PageSignal};

/// How long a piece must lie still with no lock to be said to never lock, in game milliseconds, twice over. A lock
/// delay is half a second by the guideline.
const RESTS_MS: f64 = 5000.0;

/// Locks, and how many of a hundred must be as they should, for a verdict on a board with many changes that nothing explains.
const MANY: usize = 40;
/// See [`MANY`].
const ALMOST_ALL: usize = 97;

/// At rest, supported, it becomes part of the stack with exactly its four cells.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let (mut good, mut air, mut cells_wrong) = (Vec::new(), Vec::new(), Vec::new());
    let mut delta_seen = 4;
    for (h, cells, delta) in e.locks().filter(|(h, _, _)| !by_another_key(e, h)) {
        let before = h.seq.checked_sub(1).and_then(|s| e.reading_at(s));
        let supported = before.is_none_or(|r| r.stack.supports(cells));
        // Some games have pieces of other sizes; what counts is that a piece leaves the cells it had.
        let had = before
            .and_then(|r| r.active.as_ref())
            .filter(|a| a.corner().1 > 0)
            .map_or(4, |a| a.cells.len() as i32);
        if delta != had {
            delta_seen = delta;
            cells_wrong.push(h.seq);
        } else if supported {
            good.push(h.seq);
        } else if stays(e, h, cells) {
            air.push(h);
        }
    }
    let all = good.len() + air.len() + cells_wrong.len();
    // A page that threw may have lost its piece by that, and not by how it locks.
    let (lost, air): (Vec<&Happening>, Vec<_>) = air.into_iter().partition(|h| has_thrown(e, h));
    let air: Vec<u64> = air.iter().map(|h| h.seq).collect();
    // So many locks as they should be are not read into a board by chance: what nothing explains is elsewhere, on a menu or
    // an end's screen.
    let plain = good.len() >= MANY && good.len() * 100 >= all * ALMOST_ALL;
    if let Some(v) = unsteady(e, all).filter(|_| !plain) {
        return v;
    }
    for (bad, what) in [
        (&air, "locked in the air".to_owned()),
        (
            &cells_wrong,
            format!("left {delta_seen} cells instead of 4"),
        ),
    ] {
        if bad.len() >= 2 && bad.len() * 4 >= all {
            return fail(
                format!("{} of {all} pieces {what}", bad.len()),
                bad.iter().copied().take(8).collect(),
            );
        }
    }
    if lost.len() >= 2 && lost.len() * 4 >= all {
        return open(format!(
            "{} of {all} pieces stayed in the air, but the page had thrown an exception before in that game",
            lost.len()
        ));
    }
    if good.len() >= 2 {
        let n = good.len();
        good.truncate(8);
        return pass(
            format!("{n} of {all} pieces locked at rest with their four cells"),
            good,
        );
    }
    if all == 0 {
        return never(e);
    }
    open(format!("{all} locks so far"))
}

/// How long a piece that locked in the air must be seen there, in game milliseconds: what bounces or glides when it lands
/// is at rest by then.
const STAYS_MS: f64 = 700.0;

/// Is a piece that locked still where it did some time later?
fn stays(e: &Evidence, lock: &Happening, cells: &[(i32, i32)]) -> bool {
    let opened = e.opened().iter().find(|o| o.0.seq > lock.seq);
    let until = opened.map_or(u64::MAX, |o| o.0.seq);
    e.readings_in(lock.seq..=until).iter().any(|r| {
        r.from.seq < until
            && r.until.seq < until
            && r.until.game_ms_since(lock.stamp) >= STAYS_MS
            && cells.iter().all(|c| r.stack.has(*c))
    })
}

/// Has the page thrown an exception that nobody caught, from when it was opened until shortly after the lock?
fn has_thrown(e: &Evidence, lock: &Happening) -> bool {
    let opened = e.opened().iter().rev().find(|o| o.0.seq <= lock.seq);
    let from = opened.map_or(0, |o| o.0.seq);
    e.signals().iter().any(|(at, signal)| {
        let late_ms = at.game_ms_since(lock.stamp);
        matches!(signal, PageSignal::UncaughtError { .. })
            && at.seq >= from
            && (at.seq <= lock.seq || late_ms <= EFFECT_MS)
    })
}

/// Game time after a press within which what happens is its effect, in milliseconds.
const EFFECT_MS: f64 = 300.0;

/// Did a key make it that plays no piece? Such a key may end the game where it stands.
fn by_another_key(e: &Evidence, lock: &Happening) -> bool {
    const PLAYS: [Action; 6] = [
        Action::MoveLeft,
        Action::MoveRight,
        Action::SoftDrop,
        Action::HardDrop,
        Action::RotateCw,
        Action::RotateCcw,
    ];
    let Some((_, map, _)) = e.controls() else {
        return false;
    };
    let last = e.presses().partition_point(|p| p.down.seq < lock.seq);
    last.checked_sub(1).is_some_and(|at| {
        let press = &e.presses()[at];
        let plays = |a: Action| {
            map.get(a)
                .is_some_and(|m| m.key.as_ref() == Some(&press.key))
        };
        lock.stamp.game_ms_since(press.down) < EFFECT_MS && !PLAYS.into_iter().any(plays)
    })
}

/// Changes of the stack that nothing explains, below which the readings are trusted whatever their share.
const FEW: usize = 8;

/// Where the stack changes nearly as often without a reason as by locks, pieces are seen in places where they are not
/// (blocks that bounce or glide when they land): nothing about a lock can be said then.
pub(super) fn unsteady(e: &Evidence, locks: usize) -> Option<Verdict> {
    let unexplained = e
        .happenings()
        .iter()
        .filter(|h| matches!(h.event, GridEvent::StackChanged { .. }))
        .count();
    (unexplained >= FEW && unexplained * 5 >= locks * 3).then(|| {
        open(format!(
            "the board is not read steadily enough to tell: {unexplained} changes that no lock or clear explains, {locks} locks"
        ))
    })
}

/// No lock at all: did a piece lie still for long, with room for the next?
fn never(e: &Evidence) -> Verdict {
    let mut cites = Vec::new();
    let mut ms = 0.0;
    for r in e.readings() {
        let rests = r
            .active
            .as_ref()
            .is_some_and(|a| r.stack.supports(&a.cells) && a.corner().1 > 3);
        let roomy = r.stack.places().first().is_none_or(|p| p.1 > 3);
        let for_ms = r.until.game_ms_since(r.from);
        if rests && roomy && !r.unsure && for_ms > 500.0 {
            ms += for_ms;
            cites.push(r.from.seq);
        }
    }
    if ms >= RESTS_MS * 2.0 {
        cites.truncate(8);
        return fail(
            format!(
                "a piece lay at rest for {:.0} s and never locked",
                ms / 1000.0
            ),
            cites,
        );
    }
    open("waiting: no lock yet")
}
