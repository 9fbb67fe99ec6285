use super::{Verdict, fail, needs_start, open, pass, shapeless, skipped};
use crate::evidence::{Effect, Evidence};
use crate::model::Action;
use std::fmt;

/// Pushed and rotated at the walls, the piece stays four connected cells on the board.
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
    let mut turned = 0u32;
    let mut wrong: Vec<(u64, Damage)> = Vec::new();
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
        let until = e.presses().get(i + 1).map_or(e.last().seq, |n| n.down.seq);
        let Some(x) = e.effect(press, until, 0) else {
            continue;
        };
        if x.before.kind.is_none() || !x.whole() {
            continue;
        }
        let at_a_wall = at_wall(&x, -1) || at_wall(&x, 1);
        let pushes = side != 0 && x.blocked(side);
        if !at_a_wall && !pushes {
            mirrored += u32::from(side == 0 && damage(&x) == Some(Damage::Another));
            continue;
        }
        if let Some(what) = damage(&x) {
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
        if let Some(v) = shapeless(e, wrong.len()) {
            return v;
        }
        let why = format!("{} at a wall or block, {} times", wrong[0].1, wrong.len());
        return fail(why, wrong.iter().map(|w| w.0).take(8).collect());
    }
    let rotates = key(Action::RotateCw).or(key(Action::RotateCcw)).is_some();
    let figures = format!(
        "{} pushes at the left wall, {} at the right, {turned} turns at a wall",
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

/// What is wrong with the piece after the press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    Cells(usize),
    Torn,
    Another,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cells(n) => write!(f, "the piece had {n} cells"),
            Self::Torn => f.write_str("the piece was torn apart"),
            Self::Another => f.write_str("the piece became another"),
        }
    }
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
