//! Where the falling piece may have come to rest since the last reading.

use super::Falling;
use super::blocks::{Blocks, Place, corner, placed, shifted};
use super::explain::WEAK;
use crate::model::{PieceKind, Shape};

/// A place of rest and what it costs to believe in it.
#[derive(Debug, Clone)]
pub struct Lock {
    pub cost: i32,
    pub at: Vec<Place>,
}

/// Places where the piece may have locked, the likely ones cheap: where it was, straight below, then everywhere its
/// shapes find support. With no key down (`quiet`) only the first two are likely.
pub fn candidates(stack: &Blocks, piece: &Falling, quiet: bool) -> Vec<Lock> {
    let was = &piece.active.cells;
    let mut all = Vec::new();
    let clear_of_stack = stack.is_free(was);
    if was.len() >= 4 && clear_of_stack {
        let rests = stack.supports(was);
        all.push(Lock {
            cost: if rests { 0 } else { WEAK + 2 },
            at: was.clone(),
        });
        let landing = stack.landing(was);
        if landing != *was {
            let fell = corner(&landing).1 - corner(was).1;
            for short in 1..fell {
                all.push(Lock {
                    cost: WEAK + 3,
                    at: shifted(was, 0, short),
                });
            }
            all.push(Lock {
                cost: 1,
                at: landing,
            });
        }
    }
    let (column, top) = corner(was);
    let doubt = if quiet { 6 } else { 0 };
    for (more, shape) in shapes(piece) {
        let (width, height) = shape.size();
        for c in 0..=i32::from(stack.columns()) - width {
            for r in (top - 2).max(0)..=i32::from(stack.rows()) - height {
                let at = placed(&shape, (c, r));
                if !stack.is_free(&at) || !stack.supports(&at) {
                    continue;
                }
                let covered = at.iter().any(|&(c, r)| {
                    (0..r).any(|above| stack.has((c, above)) && !at.contains(&(c, above)))
                });
                let aside = ((c - column).abs() + 1) / 2;
                all.push(Lock {
                    cost: 2 + more + doubt + aside.min(4) + i32::from(covered) * 2,
                    at,
                });
            }
        }
    }
    all
}

/// The shapes the piece can have by now, each with its extra cost.
fn shapes(piece: &Falling) -> Vec<(i32, Shape)> {
    let now = piece.active.shape();
    if let Some(kind) = piece.active.kind {
        let turned = |s: &Shape| i32::from(*s != now);
        return kind.states().into_iter().map(|s| (turned(&s), s)).collect();
    }
    if piece.announced {
        return vec![(0, now)];
    }
    // Only its lowest rows have been seen: a kind of which no state ends like that can only have turned since.
    let mut all = Vec::new();
    for kind in PieceKind::ALL {
        let states = kind.states();
        let more = if states.iter().any(|s| s.ends_in(&now)) {
            5
        } else {
            11
        };
        all.extend(states.into_iter().map(|s| (more, s)));
    }
    all
}
