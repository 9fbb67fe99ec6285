//! A believed guess: the state after it, and the events that say so.

use super::blocks::{Place, corner};
use super::explain::{Fate, Guess};
use super::{Falling, Noticed, State};
use crate::model::{ActivePiece, GridEvent, Side};

/// No piece completes more rows than it is high: what takes more away is an end's curtain, or a new game.
const MOST_CLEARED: u16 = 4;

/// The state after a guess.
pub fn next(state: &State, guess: &Guess, seq: u64) -> State {
    let newcomer = |cells: &Vec<Place>| {
        (!cells.is_empty()).then(|| {
            let active = ActivePiece::new(cells.clone());
            let entering = cells.len() < 4 && corner(cells).1 == 0;
            Falling {
                announced: !entering,
                active,
                first_seen: seq,
                jumped: 0,
            }
        })
    };
    let piece = match &guess.fate {
        Fate::Goes(cells) => state.piece.as_ref().map(|p| gone_on(p, cells)),
        Fate::None(n) | Fate::Swapped(n) | Fate::Emptied(n) | Fate::Locked { next: n, .. } => {
            newcomer(n)
        }
        Fate::Found(from, to) => newcomer(from).map(|p| gone_on(&p, to)),
    };
    let locked = matches!(guess.fate, Fate::Locked { .. });
    let cleared = !guess.cleared.is_empty();
    let came = piece.is_some() && !matches!(guess.fate, Fate::Goes(_));
    State {
        before_clear: if came { None } else { guess.before.clone() },
        tentative: state.tentative && piece.is_none(),
        settling: cleared || (state.settling && !locked),
        stack: guess.stack.clone(),
        hanging: guess.hanging.clone(),
        lit: if cleared {
            guess.lit.clone()
        } else {
            state.lit.clone()
        },
        afterimage: match guess.fate {
            Fate::Locked { .. } | Fate::Emptied(_) => guess.afterimage.clone(),
            _ => state.afterimage.clone(),
        },
        all_gone: match (&guess.before, &guess.fate) {
            (Some(before), _) => {
                let full = before.complete_rows();
                (full != guess.cleared).then(|| before.collapsed(&full))
            }
            (None, Fate::Goes(_) | Fate::None(_)) if guess.stack == state.stack => {
                state.all_gone.clone()
            }
            _ => None,
        },
        piece,
    }
}

/// The same piece at other cells (none: it is not to be seen, and stays where it was).
fn gone_on(piece: &Falling, cells: &[Place]) -> Falling {
    if cells.is_empty() {
        return piece.clone();
    }
    let mut active = ActivePiece::new(cells.to_vec());
    if cells.len() < 4 && corner(cells).1 == 0 {
        // Part of it is above the board; it is still what it was.
        (active.kind, active.state) = (piece.active.kind, piece.active.state);
    }
    let entering = !piece.announced && active.kind.is_none() && corner(cells).1 == 0;
    Falling {
        announced: !entering,
        jumped: if active.cells == piece.active.cells {
            piece.jumped
        } else {
            0
        },
        active,
        first_seen: piece.first_seen,
    }
}

/// What a guess says happened, and whether a new piece came. `could_fall`: rows a piece can have fallen by itself.
pub fn events(
    state: &State,
    guess: &Guess,
    then: &State,
    seq: u64,
    could_fall: i32,
) -> (Vec<Noticed>, bool) {
    let mut said = Vec::new();
    let mut say = |seq, event| said.push(Noticed { seq, event });
    let spawned = |p: &Falling| GridEvent::PieceSpawned {
        kind: p.active.kind,
        cells: p.active.cells.clone(),
    };
    let mut fresh = false;
    match &guess.fate {
        Fate::Goes(_) => {
            if let (Some(was), Some(is)) = (&state.piece, &then.piece) {
                if is.announced && !was.announced {
                    say(is.first_seen, spawned(is));
                } else if is.announced {
                    for e in moves(&was.active, &is.active) {
                        say(seq, e);
                    }
                }
            }
        }
        Fate::Found(from, to) => {
            let was = ActivePiece::new(from.clone());
            say(
                seq,
                GridEvent::PieceSpawned {
                    kind: was.kind,
                    cells: was.cells.clone(),
                },
            );
            for e in moves(&was, &ActivePiece::new(to.clone())) {
                say(seq, e);
            }
            fresh = true;
        }
        Fate::Locked { at, delta, .. } => {
            if let Some(was) = &state.piece {
                let is = ActivePiece::new(at.clone());
                if was.announced {
                    let rows = dropped(&was.active.cells, at);
                    let hard = if rows > could_fall.max(1) {
                        rows
                    } else {
                        i32::from(was.jumped)
                    };
                    for e in moves(&was.active, &is) {
                        if hard == 0
                            || !matches!(
                                e,
                                GridEvent::PieceMoved {
                                    side: Side::Down,
                                    ..
                                }
                            )
                        {
                            say(seq, e);
                        }
                    }
                    if hard > 0 {
                        say(seq, GridEvent::HardDrop { rows: hard as u16 });
                    }
                } else {
                    say(
                        was.first_seen,
                        GridEvent::PieceSpawned {
                            kind: is.kind,
                            cells: was.active.cells.clone(),
                        },
                    );
                }
                say(
                    seq,
                    GridEvent::PieceLocked {
                        kind: is.kind,
                        cells: is.cells,
                        filled_delta: *delta,
                    },
                );
            }
        }
        Fate::Emptied(_) => say(seq, GridEvent::BoardCleared),
        Fate::None(_) | Fate::Swapped(_) => {}
    }
    if !guess.cleared.is_empty() {
        let count = guess.cleared.len() as u16;
        said.push(Noticed {
            seq,
            event: if count <= MOST_CLEARED {
                GridEvent::LineCleared {
                    count,
                    rows: guess.cleared.clone(),
                }
            } else if then.stack.is_empty() {
                GridEvent::BoardCleared
            } else {
                GridEvent::StackChanged {
                    appeared: 0,
                    vanished: count * then.stack.columns(),
                }
            },
        });
    }
    if !matches!(guess.fate, Fate::Goes(_) | Fate::Found(..))
        && let Some(p) = &then.piece
    {
        fresh = true;
        if p.announced {
            said.push(Noticed {
                seq,
                event: spawned(p),
            });
        }
    }
    (said, fresh)
}

/// Rows between two places of a piece.
fn dropped(from: &[Place], to: &[Place]) -> i32 {
    corner(to).1 - corner(from).1
}

/// What led from one place of a piece to another.
fn moves(was: &ActivePiece, is: &ActivePiece) -> Vec<GridEvent> {
    let mut all = Vec::new();
    if was.cells == is.cells {
        return all;
    }
    let (old, new) = (was.shape(), is.shape());
    // Part of it above the board: its place cannot be compared cell by cell.
    let whole = was.cells.len() >= 4 && is.cells.len() >= 4;
    let turned = old != new;
    if turned && whole {
        match (was.kind, is.kind) {
            (Some(a), Some(b)) if a == b => all.push(GridEvent::PieceRotated {
                from: was.state,
                to: is.state,
            }),
            _ => all.push(GridEvent::PieceDeformed {
                cells: is.cells.clone(),
            }),
        }
    } else if turned && is.kind.is_none() {
        all.push(GridEvent::PieceDeformed {
            cells: is.cells.clone(),
        });
    }
    let (a, b) = (corner(&was.cells), corner(&is.cells));
    let (mut aside, mut down) = (b.0 - a.0, b.1 - a.1);
    if turned {
        // Turning in a box of up to 4x4 moves the corner by up to two; only what is beyond it is a move.
        let beyond = |d: i32| d.signum() * (d.abs() - 2).max(0);
        (aside, down) = (beyond(aside), beyond(down));
    }
    if aside != 0 {
        all.push(GridEvent::PieceMoved {
            side: if aside < 0 { Side::Left } else { Side::Right },
            by: aside.unsigned_abs() as u16,
        });
    }
    if down > 0 {
        all.push(GridEvent::PieceMoved {
            side: Side::Down,
            by: down as u16,
        });
    }
    all
}

/// Remembers a jump onto the landing place: if the piece locks there, it was a hard drop.
pub fn with_jump(state: &State, guess: &Guess, mut then: State, could_fall: i32) -> State {
    if let (Fate::Goes(cells), Some(was), Some(is)) = (&guess.fate, &state.piece, &mut then.piece)
        && !cells.is_empty()
        && was.active.cells != is.active.cells
    {
        let rows = dropped(&was.active.cells, &is.active.cells);
        if rows > could_fall.max(1) && guess.stack.supports(&is.active.cells) {
            is.jumped = rows as u16;
        }
    }
    then
}
