//! The board's true edges: a piece is pushed to both walls and let down to the floor, and followed in pictures.
//!
//! Comes in: a [`Driver`] with a fresh game, what was seen falling, the keys that are known. Goes out: the board, on cells
//! as wide as the way from wall to wall says. Must never know: what was assumed of the board's size.

use super::sight::{self, FARTHEST_FALL, Sight};
use super::{columns, origin};
use crate::driver::{Driver, DriverError, FRAME_MS, controls};
use crate::evidence::Evidence;
use crate::model::{Action, Board, GridEvent, Key, Rect};
use crate::vision::find::{self, Falling, Hint, Touched};

/// Finds the board's true edges: pushes the first piece of a fresh game to both walls and lets it down to the floor,
/// and looks where on the lattice it was, whatever is assumed of the board so far. `None` where nothing could be
/// followed. The side keys must be known for the walls to count. Given with the board is what fell, on cells as wide as
/// the way from wall to wall says.
pub async fn touch<D: Driver>(
    d: &mut D,
    falling: &Falling,
    hints: &[Hint],
    region: Rect,
) -> Result<Option<(Board, Falling)>, DriverError> {
    let Some(board) = d.board().cloned() else {
        return Ok(None);
    };
    let origin = origin(&board, falling);
    let Some(first) = whole_piece(d).await? else {
        return Ok(None);
    };
    let mut piece = on_lattice(&first, origin);
    let sight = Sight {
        falling,
        region,
        within: sight::within(falling, &piece, hints),
    };
    let mut seen = Extent::of(&piece);
    let mut ends: Vec<find::Place> = Vec::new();
    for (action, wall) in [(Action::MoveLeft, 0), (Action::MoveRight, 1)] {
        let Some((key, tap)) = key_of(d, action) else {
            continue;
        };
        if wall == 1 && d.effects_within() > 0.0 {
            // It falls a row at each push, and would be down before it has reached the other wall.
            let Some(next) = next_piece(d, falling).await? else {
                return Ok(None);
            };
            piece = on_lattice(&next, origin);
        }
        d.say(&format!("pushing a piece to the wall with {key}"));
        let mut still = 0;
        let mut stride: Option<i32> = None;
        let (mut doubts, mut at_wall) = (0, Vec::new());
        for _ in 0..MOST_PUSHES {
            let view = d.press(&key, tap).await?;
            if view.events.iter().any(rests) {
                // What stopped it was the floor. The next one is pushed on.
                ends.clear();
                let Some(next) = next_piece(d, falling).await? else {
                    return Ok(None);
                };
                (piece, still, stride) = (on_lattice(&next, origin), 0, None);
                continue;
            }
            let left = columns(&piece).0;
            let now = sight
                .sighted(d, &piece)
                .await?
                // A leap is to something else of the same shape, beside the board.
                .filter(|(_, now)| stride.is_none_or(|s| (columns(now).0 - left).abs() <= s + 1));
            let Some((mut picture, now)) = now else {
                tracing::debug!(%key, ?piece, "lost from sight");
                ends.clear();
                // Where it is now is not known: what is pushed further on is the next one.
                let Some(next) = next_piece(d, falling).await? else {
                    return Ok(None);
                };
                piece = on_lattice(&next, origin);
                break;
            };
            stride = stride.max(Some((columns(&now).0 - left).abs()));
            still = if columns(&now) == columns(&piece) {
                still + 1
            } else {
                0
            };
            seen.add(&now);
            piece = now;
            if still >= 2 && sight.stirs(d, &mut picture, &mut piece).await? {
                still = 0;
            }
            if still >= 2 && wall == 1 && doubts < DOUBTS {
                // It may be the floor that stopped it. What is at a wall can be moved away again.
                if let Some(away) = sight.moved_away(d, &piece).await? {
                    at_wall = std::mem::replace(&mut piece, away);
                } else {
                    doubts += 1;
                    ends.clear();
                    let Some(next) = next_piece(d, falling).await? else {
                        return Ok(None);
                    };
                    (piece, still, stride) = (on_lattice(&next, origin), 0, None);
                    continue;
                }
            } else {
                at_wall.clone_from(&piece);
            }
            if still >= 2 {
                seen.walls[wall] = Some(if wall == 0 {
                    columns(&at_wall).0
                } else {
                    columns(&at_wall).1
                });
                ends.push(find::Place {
                    picture,
                    cells: at_wall,
                });
                break;
            }
        }
    }
    let mended = match ends.as_slice() {
        [a, b] => find::pushed(falling, a, b),
        _ => None,
    };
    let falling = mended.unwrap_or_else(|| falling.clone());
    tracing::debug!(why = falling.why, "pushed from wall to wall");
    let sight = Sight {
        falling: &falling,
        ..sight
    };
    seen.floor = sight.floor(d, &mut piece).await?;
    tracing::debug!(?seen, ?piece, ?origin, "touched");
    let touched = Touched {
        min_column: seen.walls[0],
        max_column: seen.walls[1],
        floor_row: seen.floor,
        top_row: seen.top,
    };
    let board = find::extent(&falling, &touched, hints);
    Ok(Some((board, falling)))
}

impl Sight<'_> {
    /// Pushes a piece back from the right wall: where it is then, if that moves it; as it was, where no key does.
    async fn moved_away<D: Driver>(
        &self,
        d: &mut D,
        piece: &[(i32, i32)],
    ) -> Result<Option<Vec<(i32, i32)>>, DriverError> {
        let Some((key, tap)) = key_of(d, Action::MoveLeft) else {
            return Ok(Some(piece.to_vec()));
        };
        d.press(&key, tap).await?;
        let now = self.sighted(d, piece).await?.map(|(_, now)| now);
        Ok(now.filter(|now| columns(now) != columns(piece)))
    }
}

/// Has a piece come to rest?
fn rests(event: &GridEvent) -> bool {
    matches!(event, GridEvent::PieceLocked { filled_delta, .. } if *filled_delta > 0)
}

/// Cells of the board as they are numbered where what fell was found.
fn on_lattice(cells: &[(i32, i32)], origin: (i32, i32)) -> Vec<(i32, i32)> {
    cells
        .iter()
        .map(|&(c, r)| (c + origin.0, r + origin.1))
        .collect()
}

/// Pieces that may have been stopped by the floor before one is taken to be at the wall all the same.
const DOUBTS: u32 = 2;
/// Pushes in one direction at most: more columns than any board has.
const MOST_PUSHES: u32 = 40;

/// Where on the lattice a piece was.
#[derive(Debug)]
struct Extent {
    top: i32,
    floor: Option<i32>,
    walls: [Option<i32>; 2],
}

impl Extent {
    fn of(piece: &[(i32, i32)]) -> Self {
        Self {
            top: piece.iter().map(|c| c.1).min().unwrap_or(0),
            floor: None,
            walls: [None, None],
        }
    }

    fn add(&mut self, piece: &[(i32, i32)]) {
        self.top = self
            .top
            .min(piece.iter().map(|c| c.1).min().unwrap_or(self.top));
    }
}

pub(super) fn key_of<D: Driver>(d: &D, action: Action) -> Option<(Key, f64)> {
    let mapping = d.controls().get(action)?;
    Some((
        mapping.key.clone()?,
        f64::from(mapping.tap_ms).max(FRAME_MS),
    ))
}

/// Waits for a piece that can be seen whole.
async fn whole_piece<D: Driver>(d: &mut D) -> Result<Option<Vec<(i32, i32)>>, DriverError> {
    let mut waited = 0.0;
    while waited < 6_000.0 {
        let view = d.advance(2.0 * FRAME_MS).await?;
        waited += 2.0 * FRAME_MS;
        if let Some(piece) = view.active.filter(controls::whole) {
            return Ok(Some(piece.cells));
        }
    }
    Ok(None)
}

/// Waits until the piece that was lost from sight has locked and the next one is there. `None` if none comes.
async fn next_piece<D: Driver>(
    d: &mut D,
    falling: &Falling,
) -> Result<Option<Vec<(i32, i32)>>, DriverError> {
    let id = |d: &D| d.evidence(Evidence::piece);
    let lost = id(d);
    let patience = falling.gravity_ms.unwrap_or(1_000.0) * f64::from(FARTHEST_FALL);
    let mut waited = 0.0;
    while waited < patience {
        let down = key_of(d, Action::HardDrop).or_else(|| key_of(d, Action::SoftDrop));
        // The next one is let be, or it would be gone before it was seen, and so on until the board is full.
        let step = match down.filter(|_| id(d) == lost) {
            Some((key, tap)) => {
                d.press(&key, tap).await?;
                tap + FRAME_MS
            }
            None => 100.0,
        };
        let view = d.advance(step).await?;
        waited += 2.0 * step;
        if id(d) != lost
            && let Some(next) = view.active.filter(controls::whole)
        {
            return Ok(Some(next.cells));
        }
    }
    Ok(None)
}
