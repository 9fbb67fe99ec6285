use super::{Verdict, fail, looked_in_vain, needs_start, open, pass, shapeless};
use crate::evidence::{Effect, Evidence};
use crate::model::{Action, PieceKind, Shape};
use std::collections::BTreeSet;

/// Presses on one piece, one after another, and the shapes it showed.
#[derive(Debug)]
pub struct Turns {
    /// The kind it began as.
    pub kind: PieceKind,
    /// The presses.
    pub presses: Vec<Effect>,
    /// Distinct shapes that are the kind's own.
    pub shapes: usize,
    /// Records at which it was no longer the same tetromino.
    pub broken: Vec<u64>,
    /// It had room for every state at each press.
    pub room: bool,
    /// It went through its shapes in a circle that is shorter than its kind's, all around: where a turn is in the way of
    /// something the shape stays as it is, so no lack of room explains that.
    pub circles: bool,
}

impl Turns {
    /// How many states it should go through.
    pub fn due(&self) -> usize {
        self.kind.states().len()
    }

    /// Were shapes left out that the presses should have shown?
    pub fn short(&self) -> bool {
        self.shapes < self.due() && self.presses.len() >= 4 && (self.room || self.circles)
    }
}

/// The tries of an action, a piece at a time.
pub fn turns(e: &Evidence, action: Action) -> Vec<Turns> {
    let mut groups: Vec<Vec<Effect>> = Vec::new();
    for x in e.effects(action) {
        match groups.last_mut() {
            Some(g) if g[0].piece == x.piece && g[0].attempt == x.attempt => g.push(x),
            _ => groups.push(vec![x]),
        }
    }
    groups.into_iter().filter_map(|g| one(e, g)).collect()
}

fn one(e: &Evidence, presses: Vec<Effect>) -> Option<Turns> {
    let (first, last) = (presses.first()?, presses.last()?);
    let kind = first.before.kind?;
    let mut shapes: BTreeSet<Shape> = BTreeSet::from([first.before.shape()]);
    let mut broken = BTreeSet::new();
    for r in e.readings_in(first.seq..=last.after_seq) {
        let Some(a) = r
            .active
            .as_ref()
            .filter(|_| r.piece == first.piece && !r.unsure)
        else {
            continue;
        };
        // Part of it may be above the board.
        if a.cells.len() < 4 && a.corner().1 == 0 {
            continue;
        }
        if a.shape().tetromino().is_some_and(|t| t.0 == kind) {
            shapes.insert(a.shape());
        } else {
            broken.insert(r.from.seq);
        }
    }
    let room = presses.iter().all(has_room);
    Some(Turns {
        kind,
        shapes: shapes.len(),
        broken: broken.into_iter().collect(),
        room,
        circles: circles(&presses, kind.states().len()),
        presses,
    })
}

/// Does each shape follow from the one before always alike, and do fewer than `due` of them come back to the first, twice?
fn circles(presses: &[Effect], due: usize) -> bool {
    let mut path = vec![presses[0].before.shape()];
    for x in presses {
        if x.before.shape() != path[path.len() - 1] {
            return false;
        }
        if x.reshaped() {
            path.push(x.after.shape());
        }
    }
    (2..due).any(|n| path.len() > 2 * n && path.iter().zip(&path[n..]).all(|(a, b)| a == b))
}

/// Is there room for every state, whatever the centre of rotation: two cells free on either side and below, and not
/// at the very top?
fn has_room(x: &Effect) -> bool {
    let (left, top) = x.before.corner();
    let (w, h) = x.before.shape().size();
    let box_: Vec<(i32, i32)> = (left - 2..left + w + 2)
        .flat_map(|c| (top..top + h + 2).map(move |r| (c, r)))
        .collect();
    // The upper edge is no wall, but many games refuse to turn a piece beyond it.
    top >= 2 && x.stack.is_free(&box_)
}

/// Presses take a piece through its states.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let mut action = Action::RotateCw;
    if e.key(action).is_none() && e.key(Action::RotateCcw).is_some() {
        action = Action::RotateCcw;
    }
    if let Some(v) = looked_in_vain(e, action) {
        return v;
    }
    let key = e.key(action).map(ToString::to_string).unwrap_or_default();
    let turns = turns(e, action);
    let broken: Vec<u64> = turns
        .iter()
        .filter_map(|t| t.broken.first().copied())
        .collect();
    if broken.len() >= 2 {
        if let Some(v) = shapeless(e, broken.len(), &[]) {
            return v;
        }
        let why = format!(
            "{key} broke or mirrored the piece, on {} pieces",
            broken.len()
        );
        return fail(why, broken);
    }
    let telling: Vec<&Turns> = turns
        .iter()
        .filter(|t| t.due() > 1 && t.broken.is_empty())
        .collect();
    let good: Vec<&Turns> = telling
        .iter()
        .copied()
        .filter(|t| t.shapes >= t.due())
        .collect();
    let short: Vec<&Turns> = telling
        .iter()
        .copied()
        .filter(|t| t.short())
        // Another piece with as many states that went through them all clears the key.
        .filter(|t| !good.iter().any(|g| g.due() == t.due()))
        .collect();
    let cites = |all: &[&Turns]| all.iter().map(|t| t.presses[0].seq).take(8).collect();
    if short.len() >= 2 {
        let t = short[0];
        let why = format!(
            "{} presses of {key}, {} of {} shapes of {}, on {} pieces",
            t.presses.len(),
            t.shapes,
            t.due(),
            t.kind.letter(),
            short.len()
        );
        return fail(why, cites(&short));
    }
    let four = good.iter().any(|t| t.due() == 4);
    if short.is_empty() && (four || good.len() >= 2) {
        let best = good.iter().max_by_key(|t| t.due());
        let why = best.map_or(String::new(), |t| {
            format!(
                "{key} took {} through its {} shapes",
                t.kind.letter(),
                t.due()
            )
        });
        return pass(why, cites(&good));
    }
    let seen: Vec<String> = turns
        .iter()
        .map(|t| format!("{} {}/{}", t.kind.letter(), t.shapes, t.due()))
        .take(5)
        .collect();
    open(if seen.is_empty() {
        "waiting: not tried yet".into()
    } else {
        format!("shapes so far: {}", seen.join(", "))
    })
}
