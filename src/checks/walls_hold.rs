use super::{Verdict, clears, fail, needs_start, open, pass, shapeless, skipped};
use crate::evidence::{Effect, Evidence, Reading};
use crate::model::{Action, Stamp};
use crate::planner::{Placed, Turn, Turns};
use crate::track::Place;
use std::fmt;

/// Pushed and rotated at the walls and beside blocks, the piece stays four connected cells on the board, outside of the
/// stack.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let key = |a| e.key(a);
    if e.controls().is_none() {
        return open("waiting: the keys are not known yet");
    }
    if key(Action::MoveLeft).is_none() && key(Action::MoveRight).is_none() {
        return skipped("no key moves the piece aside");
    }
    let mut held = [0u32; 2];
    let (mut turned, mut wedged) = (0u32, 0u32);
    let mut turns = Turns::default();
    turns.learn_most(&e.free_turns());
    let mut wrong: Vec<(u64, Damage)> = Vec::new();
    let mut inside: Vec<u64> = Vec::new();
    // Where turning makes other pieces of them anywhere, no wall does.
    let mut mirrored = 0;
    let mut cites = Vec::new();
    for (i, press) in e.presses().iter().enumerate() {
        let is = |a: Action| key(a) == Some(&press.key);
        let side = match () {
            () if is(Action::MoveLeft) => -1,
            () if is(Action::MoveRight) => 1,
            () if is(Action::RotateCw) || is(Action::RotateCcw) => 0,
            () => continue,
        };
        let until = e.presses().get(i + 1).map_or(e.last(), |n| n.down);
        let Some(x) = e.effect(press, until, 0) else {
            continue;
        };
        if x.before.kind.is_none() || !x.whole() {
            continue;
        }
        if side == 0 {
            let turn = if is(Action::RotateCw) {
                Turn::Clockwise
            } else {
                Turn::CounterClockwise
            };
            let to = Placed::of(&x.before.cells).and_then(|at| turns.seen(turn, at));
            match into_blocks(e, &x, press.down, until.seq, to) {
                Some(true) => {
                    inside.push(x.piece);
                    wrong.push((x.after_seq.max(x.seq + 1), Damage::Inside));
                    continue;
                }
                Some(false) => wedged += 1,
                None => {}
            }
        }
        let at_a_wall = at_wall(&x, -1) || at_wall(&x, 1);
        let pushes = side != 0 && x.blocked(side);
        if !at_a_wall && !pushes {
            mirrored += u32::from(side == 0 && damage(&x) == Some(Damage::Another));
            continue;
        }
        if let Some(what) = damage(&x).filter(|what| !came_whole(e, &x, *what)) {
            wrong.push((x.after_seq, what));
        } else if side == 0 {
            turned += 1;
            cites.push(x.seq);
        } else if at_wall(&x, side) {
            held[usize::from(side > 0)] += 1;
            cites.push(x.seq);
        }
    }
    if mirrored >= 2 {
        wrong.retain(|w| w.1 != Damage::Another);
    }
    if wrong.len() >= 2 {
        if let Some(v) = shapeless(e, wrong.len(), &inside) {
            return v;
        }
        let at = match wrong[0].1 {
            Damage::Inside => "",
            _ => " at a wall or block",
        };
        let why = format!("{}{at}, {} times", wrong[0].1, wrong.len());
        if clears::may_be_wider(e) && wrong.iter().all(|w| w.1 != Damage::Inside) {
            return open(format!(
                "{why}, but no piece was pushed against both walls yet: the board may be wider"
            ));
        }
        return fail(why, wrong.iter().map(|w| w.0).take(8).collect());
    }
    let rotates = key(Action::RotateCw).or(key(Action::RotateCcw)).is_some();
    let figures = format!(
        "{} pushes at the left wall, {} at the right, {turned} turns at a wall, {wedged} with blocks in the way",
        held[0], held[1]
    );
    let missing = (key(Action::MoveLeft).is_some() && held[0] == 0)
        || (key(Action::MoveRight).is_some() && held[1] == 0)
        || (rotates && turned == 0);
    if let Some((_, what)) = wrong.first() {
        return open(format!("so far {figures}; once {what}"));
    }
    if missing {
        return open(format!("so far {figures}"));
    }
    cites.truncate(8);
    pass(format!("{figures}: four cells each time"), cites)
}

/// Does it touch that wall?
fn at_wall(x: &Effect, side: i32) -> bool {
    x.before.cells.iter().any(|c| {
        let column = c.0 + side;
        column < 0 || column >= i32::from(x.stack.columns())
    })
}

/// What a press does shows within this game time, in milliseconds: two frames.
const SHOWS_MS: f64 = 33.0;

/// Turned from where blocks are in the way, did it go into them? `None` where none are, or where it cannot be told.
fn into_blocks(
    e: &Evidence,
    x: &Effect,
    down: Stamp,
    until: u64,
    to: Option<Placed>,
) -> Option<bool> {
    let to = to?;
    let inside = |cells: &[Place]| {
        let into = cells.iter().filter(|c| x.stack.has(**c)).count();
        into > 0 && into < cells.len() && cells.iter().all(|c| x.stack.is_inside(*c))
    };
    if !inside(&to.cells()) {
        return None;
    }
    // It may have fallen a row meanwhile, or when it was turned before.
    let looks: Vec<_> = (-1..=1)
        .map(|rows| to.moved(0, rows).cells())
        .filter(|cells| inside(cells))
        .map(|cells| x.stack.with(&cells))
        .collect();
    let after = e.readings_in(x.seq + 1..=until);
    let mut after = after.iter().filter(|r| r.from.seq > x.seq);
    if after.any(|r| looks.contains(&r.blocks)) {
        return Some(true);
    }
    // Or was it seen beside them, before it came to rest?
    let stands = |r: &Reading| {
        let piece = r.active.as_ref().map(|a| &a.cells);
        r.piece == x.piece
            && !r.unsure
            && r.until.game_ms_since(down) >= SHOWS_MS
            && piece.is_some_and(|c| c.len() == x.before.cells.len() && x.stack.is_free(c))
    };
    let after = e.readings_in(x.seq + 1..=until);
    after.iter().any(stands).then_some(false)
}

/// What is wrong with the piece after the press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// It is where blocks are.
    Inside,
    Cells(usize),
    Torn,
    Another,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inside => f.write_str("the piece was turned into settled blocks"),
            Self::Cells(n) => write!(f, "the piece had {n} cells"),
            Self::Torn => f.write_str("the piece was torn apart"),
            Self::Another => f.write_str("the piece became another"),
        }
    }
}

/// Did the piece lock with all its cells, with no key pressed that could have brought it back onto the board? Then it was
/// read with more or fewer of them while the board shook, or lit up.
fn came_whole(e: &Evidence, x: &Effect, what: Damage) -> bool {
    let Damage::Cells(_) = what else { return false };
    let Some((lock, _, cells)) = e.locks().find(|l| l.0.seq > x.after_seq) else {
        return false;
    };
    let between = e
        .presses()
        .iter()
        .filter(|p| p.down.seq > x.seq && p.down.seq < lock.seq);
    let drops = [e.key(Action::HardDrop), e.key(Action::SoftDrop)];
    cells == x.before.cells.len() as i32
        && between.into_iter().all(|p| drops.contains(&Some(&p.key)))
}

fn damage(x: &Effect) -> Option<Damage> {
    let after = x.after.shape();
    if after.cells().len() != 4 {
        return Some(Damage::Cells(after.cells().len()));
    }
    if !after.is_connected() {
        return Some(Damage::Torn);
    }
    (x.after.kind != x.before.kind).then_some(Damage::Another)
}
