use super::piece_locks::unsteady;
use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::{Effect, Evidence};
use crate::model::Action;

/// What the tries of the soft drop came to.
#[derive(Debug, Default)]
pub struct Tries {
    /// Records of tries in which the piece fell faster than by gravity and was still falling.
    pub faster: Vec<u64>,
    /// Records of taps that put the piece at its landing place from at least four rows above.
    pub at_once: Vec<u64>,
    /// Records of tries in which it fell no faster.
    pub slower: Vec<u64>,
    /// Rows and milliseconds of the first fast try.
    pub figures: Option<(i32, f64)>,
}

/// A jump is called a drop from this many rows on: one tap of a polling game gives up to three.
const DROP_ROWS: i32 = 4;

/// A row that came in less than so many rows of gravity may be the key's or not.
const TELLING: f64 = 2.0;

/// Goes through the probes of the soft drop; `None` while gravity is not known. Where nothing falls, all that goes down
/// does so by the key.
pub fn tries(e: &Evidence) -> Option<Tries> {
    let none = e.stands().then_some(f64::INFINITY);
    none.or_else(|| e.gravity_ms())?;
    let mut tries = Tries::default();
    for probe in e.probes().iter().filter(|p| p.action == Action::SoftDrop) {
        // At rest there is nothing to fall.
        let effects: Vec<Effect> = e
            .effects_in(probe)
            .into_iter()
            .filter(|x| !x.stack.supports(&x.before.cells))
            .collect();
        let Some(first) = effects.first() else {
            continue;
        };
        let gravity = none.or_else(|| e.gravity_ms_at(first.seq))?;
        let dropped = effects.iter().any(|x| drops(e, x));
        let rows: i32 = effects.iter().map(Effect::down).sum();
        let ms: f64 = effects.iter().map(|x| x.span_ms).sum();
        // Gravity may give one row more than the time holds.
        let by_itself = ms / gravity;
        let fast = f64::from(rows) > by_itself + 1.0
            || (rows >= 2 && f64::from(rows) >= by_itself * 2.0 && rows >= effects.len() as i32);
        if dropped {
            tries.at_once.push(first.seq);
        } else if fast {
            tries.faster.push(first.seq);
            tries.figures.get_or_insert((rows, ms));
        } else if (rows == 0 || by_itself >= TELLING)
            && !effects.iter().any(|x| x.gone)
            && e.lives_after(first.seq)
        {
            tries.slower.push(first.seq);
        }
    }
    Some(tries)
}

/// Did one press put the piece at its landing place at once?
fn drops(e: &Evidence, x: &Effect) -> bool {
    let landing = x.stack.landing(&x.before.cells);
    let rows = landing.iter().map(|c| c.1).min().unwrap_or(0) - x.before.corner().1;
    if rows < DROP_ROWS {
        return false;
    }
    // The first reading that differs tells: fallen all the way, with nothing in between.
    let first = e
        .readings_in(x.seq + 1..=x.after_seq.max(x.seq) + 64)
        .iter()
        .find(|r| r.active.as_ref() != Some(&x.before) && !r.unsure);
    first.is_some_and(|r| {
        let landed = r.piece == x.piece && r.active.as_ref().is_some_and(|a| a.cells == landing);
        let locked = r.piece != x.piece && landing.iter().all(|p| r.blocks.has(*p));
        landed || locked
    })
}

/// A key makes it fall faster than gravity, by a tap or while held.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    if e.controls().is_some() && e.key(Action::SoftDrop).is_none() {
        return skipped("no soft drop key was found (optional)");
    }
    let Some(t) = tries(e) else {
        return open("waiting: gravity is not measured yet");
    };
    let key = e
        .key(Action::SoftDrop)
        .map(ToString::to_string)
        .unwrap_or_default();
    if t.faster.len() >= 2 || (t.faster.len() == 1 && t.slower.is_empty() && t.at_once.is_empty()) {
        let (rows, ms) = t.figures.unwrap_or_default();
        return pass(
            format!("{key}: {rows} rows in {ms:.0} ms, faster than gravity"),
            t.faster,
        );
    }
    if t.at_once.len() >= 2 {
        return skipped(format!("{key} drops at once, it is no soft drop"));
    }
    if t.faster.is_empty() && t.slower.len() >= 2 {
        let why = format!(
            "{} tries of {key}: the piece fell no faster than by itself",
            t.slower.len()
        );
        // A board that is not read as it is shows no falls.
        return unsteady(e, e.locks().count()).unwrap_or_else(|| fail(why, t.slower));
    }
    open("waiting: not tried enough yet")
}
