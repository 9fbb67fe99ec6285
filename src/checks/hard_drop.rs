use super::{Verdict, fail, is_tap, needs_start, open, pass, skipped};
use crate::evidence::{Effect, Evidence, Reading};
use crate::model::{Action, Confidence, GridEvent};

/// Blocks more that are no piece that was read in more cells than it has.
const LEFT_BEHIND: usize = 3;

/// Records of drops that went right, and of those that went wrong with what was wrong.
pub fn tries(e: &Evidence) -> (Vec<u64>, Vec<(u64, String)>) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for probe in e.probes().iter().filter(|p| p.action == Action::HardDrop) {
        for x in e.effects_in(probe) {
            let end = probe.until.map_or(e.last().seq, |u| u.seq);
            match one(e, &x, end) {
                Some(Ok(())) => good.push(x.seq),
                Some(Err(why)) => bad.push((x.seq, why)),
                None => {}
            }
        }
    }
    (good, bad)
}

fn one(e: &Evidence, x: &Effect, end: u64) -> Option<Result<(), String>> {
    if !x.whole() {
        return None;
    }
    let landing = x.stack.landing(&x.before.cells);
    let rows = landing.iter().map(|c| c.1).min().unwrap_or(0) - x.before.corner().1;
    if rows < 3 {
        return None;
    }
    let next_press = e.presses().iter().map(|p| p.down.seq).find(|s| *s > x.seq);
    let until = next_press.map_or(end, |s| s.min(end));
    let window = e.happenings_in(x.seq + 1..=until);
    let cleared = window
        .iter()
        .any(|h| matches!(h.event, GridEvent::LineCleared { .. }));
    let mut locks = window.iter().filter_map(|h| match &h.event {
        GridEvent::PieceLocked { cells, .. } => Some((h, cells)),
        _ => None,
    });
    let Some((first, cells)) = locks.next() else {
        // Two pieces at once are more than the tracker can tell apart, and more than a press may add.
        let many = window.iter().any(|h| {
            matches!(h.event, GridEvent::StackChanged { appeared, vanished: 0 } if appeared > 6)
        });
        if many && is_tap(e, Action::HardDrop, x) {
            return Some(Err("one press added more than a piece to the stack".into()));
        }
        if x.gone {
            return None;
        }
        // No new piece yet: where it is now tells, once it has not moved on for some rows' time.
        let by_itself = x.span_ms / e.gravity_ms_at(x.seq)?;
        if x.after.cells == landing || x.aside() != 0 || x.reshaped() {
            return None;
        }
        if f64::from(x.down()) > by_itself + 2.0 {
            if went_by_rows(e, x) {
                // A fast soft drop, taken for a drop: how far it goes is a matter of how long the key was down.
                return None;
            }
            return Some(Err(format!("it stopped {} rows short", rows - x.down())));
        }
        // Another of its kind may have taken its place, where less than a piece was left behind.
        let had = x.stack.count() + x.before.cells.len();
        let left_behind = e
            .readings_in(x.seq + 1..=until)
            .iter()
            .any(|r| r.blocks.count() >= had + LEFT_BEHIND);
        return (by_itself >= 1.0 && !left_behind && confirmed(e) && e.lives_after(x.seq))
            .then(|| Err("it did not drop".into()));
    };
    let second = locks.next().filter(|(h, _)| {
        let g = e.gravity_ms_at(x.seq).unwrap_or(500.0);
        // No piece falls to the floor by itself that fast.
        is_tap(e, Action::HardDrop, x) && h.stamp.game_ms_since(first.stamp) < g * 2.0
    });
    if second.is_some() && !cleared {
        return Some(Err("one press locked two pieces".into()));
    }
    let mut at = landing;
    at.sort_unstable_by_key(|p| (p.1, p.0));
    if *cells == at {
        // A piece that only got there by gravity was not dropped; one that lies there for a while before it locks was.
        let lies = |r: &&Reading| {
            r.active
                .as_ref()
                .is_some_and(|a| a.cells.iter().all(|c| at.contains(c)))
        };
        let there_us = e
            .readings_in(x.seq + 1..=first.stamp.seq)
            .iter()
            .find(lies)
            .map_or(first.stamp.game_us, |r| r.from.game_us);
        let pressed_us = e.reading_at(x.seq).map_or(0, |r| r.until.game_us);
        let by_itself = there_us.saturating_sub(pressed_us) as f64
            / 1000.0
            / e.gravity_ms_at(x.seq).unwrap_or(f64::MAX);
        // The first row may come at once, however slow gravity is.
        return if by_itself < f64::from(rows - 1) {
            Some(Ok(()))
        } else {
            confirmed(e).then(|| Err("it fell no faster than by itself".into()))
        };
    }
    if cleared {
        return None;
    }
    let lower = |c: &[(i32, i32)]| c.iter().map(|p| p.1).max().unwrap_or(0);
    let off = lower(&at) - lower(cells);
    Some(Err(if off > 0 {
        format!("it locked {off} rows above its landing place")
    } else {
        "it did not lock where it would land".into()
    }))
}

/// Did a press take a piece down faster than gravity, and leave it falling?
pub fn fell_on(e: &Evidence) -> bool {
    let probes = e.probes().iter().filter(|p| p.action == Action::HardDrop);
    probes.flat_map(|p| e.effects_in(p)).any(|x| {
        let by_itself = e.gravity_ms_at(x.seq).map(|g| x.span_ms / g);
        x.whole()
            && !x.gone
            && x.aside() == 0
            && !x.reshaped()
            && !x.stack.supports(&x.after.cells)
            && by_itself.is_some_and(|rows| f64::from(x.down()) > rows + 2.0)
            && went_by_rows(e, &x)
    })
}

/// Was the piece seen at rows between where it was and where it went?
fn went_by_rows(e: &Evidence, x: &Effect) -> bool {
    let (from, to) = (x.before.corner().1, x.after.corner().1);
    e.readings_in(x.seq + 1..=x.after_seq)
        .iter()
        .filter(|r| r.piece == x.piece && !r.unsure)
        .filter_map(|r| r.active.as_ref())
        .any(|a| (from + 1..to).contains(&a.corner().1))
}

/// Did the key drop pieces when it was looked for? One that was only suspected may be for something else.
fn confirmed(e: &Evidence) -> bool {
    e.controls()
        .and_then(|(_, map, _)| map.get(Action::HardDrop))
        .is_some_and(|m| m.confidence == Confidence::Confirmed)
}

/// One press puts the piece where it would land, and it locks there.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if e.controls().is_some() && e.key(Action::HardDrop).is_none() {
        return skipped("no hard drop key was found (optional)");
    }
    let key = e
        .key(Action::HardDrop)
        .map(ToString::to_string)
        .unwrap_or_default();
    let (good, bad) = tries(e);
    if bad.len() >= 2 && bad.len() * 3 >= good.len() {
        let why = format!(
            "{} of {} presses of {key}: {}",
            bad.len(),
            bad.len() + good.len(),
            bad[0].1
        );
        return fail(why, bad.iter().map(|b| b.0).collect());
    }
    if good.len() >= 2 {
        return pass(
            format!(
                "{} presses of {key} locked the piece where it would land",
                good.len()
            ),
            good,
        );
    }
    open(format!(
        "{} drops seen, {} of them wrong; waiting for more",
        good.len() + bad.len(),
        bad.len()
    ))
}
