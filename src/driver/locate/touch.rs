//! The board's true edges: a piece is pushed to both walls and let down to the floor, and followed in pictures.
//!
//! Comes in: a [`Driver`] with a fresh game, what was seen falling, the keys that are known. Goes out: the board, on cells
//! as wide as the way from wall to wall says. Must never know: what was assumed of the board's size.

use super::{columns, origin};
use crate::driver::{Driver, DriverError, FRAME_MS, controls};
use crate::evidence::Evidence;
use crate::model::{Action, Board, Key, Raster, Rect, Shape};
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
    let background = falling.background.clone();
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
        for _ in 0..MOST_PUSHES {
            d.press(&key, tap).await?;
            let left = columns(&piece).0;
            let now = sighted(d, falling, region, &piece)
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
            if still >= 2 && stirs(d, falling, region, (&mut picture, &mut piece)).await? {
                still = 0;
            }
            if still >= 2 {
                seen.walls[wall] = Some(if wall == 0 {
                    columns(&piece).0
                } else {
                    columns(&piece).1
                });
                ends.push(find::Place {
                    picture,
                    cells: piece.clone(),
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
    seen.floor = floor(d, &falling, &background, region, &mut piece).await?;
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

/// Cells of the board as they are numbered where what fell was found.
fn on_lattice(cells: &[(i32, i32)], origin: (i32, i32)) -> Vec<(i32, i32)> {
    cells
        .iter()
        .map(|&(c, r)| (c + origin.0, r + origin.1))
        .collect()
}

/// Pushes in one direction at most: more columns than any board has.
const MOST_PUSHES: u32 = 40;

/// Games that are drawn anew only when the piece falls show what a push did no sooner: does the piece, once it has
/// fallen, stand in other columns? One that is lost from sight does not.
async fn stirs<D: Driver>(
    d: &mut D,
    falling: &Falling,
    region: Rect,
    (picture, piece): (&mut Raster, &mut Vec<(i32, i32)>),
) -> Result<bool, DriverError> {
    let patience = falling.gravity_ms.unwrap_or(1_000.0) * 1.3;
    let row = |p: &[(i32, i32)]| p.iter().map(|c| c.1).max();
    let mut waited = 0.0;
    while waited < patience {
        let view = d
            .advance_to_change(patience - waited, 3.0 * FRAME_MS)
            .await?;
        waited += view.passed_ms;
        let Some((seen, now)) = sighted(d, falling, region, piece).await? else {
            break;
        };
        let aside = columns(&now) != columns(piece);
        let fell = row(&now) > row(piece);
        (*picture, *piece) = (seen, now);
        if aside || fell {
            return Ok(aside);
        }
    }
    Ok(false)
}

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

fn key_of<D: Driver>(d: &D, action: Action) -> Option<(Key, f64)> {
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
        let step = match key_of(d, Action::HardDrop).or_else(|| key_of(d, Action::SoftDrop)) {
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

/// The piece as it is now. One that glides from cell to cell is on none in between, and is waited for.
async fn sighted<D: Driver>(
    d: &mut D,
    falling: &Falling,
    region: Rect,
    piece: &[(i32, i32)],
) -> Result<Option<(Raster, Vec<(i32, i32)>)>, DriverError> {
    let mut waited = 0.0;
    loop {
        let picture = d.look(region).await?;
        let now = follow(&picture, &falling.background, falling, piece);
        if now.is_some() || waited >= GLIDE_MS {
            return Ok(now.map(|now| (picture, now)));
        }
        d.advance(GLIDE_MS / 6.0).await?;
        waited += GLIDE_MS / 6.0;
    }
}

/// Game time that a piece takes at most from one cell to another.
const GLIDE_MS: f64 = 600.0;

/// The piece in the next picture: the covered cells that hang together, nearest to where it was.
fn follow(
    picture: &Raster,
    background: &Raster,
    falling: &Falling,
    piece: &[(i32, i32)],
) -> Option<Vec<(i32, i32)>> {
    let (left, right) = columns(piece);
    let top = piece.iter().map(|c| c.1).min()?;
    let bottom = piece.iter().map(|c| c.1).max()?;
    // Strength is measured on the whole neighbourhood's strongest cells: the piece itself has moved away.
    let around = |by: i32| (left - by..right + by + 1, top - by..bottom + by + 1);
    let (near_columns, near_rows) = around(5);
    let covered = find::occupied(
        picture,
        background,
        &falling.lattice,
        &[],
        near_columns,
        near_rows,
    );
    let mut groups: Vec<Vec<(i32, i32)>> = Vec::new();
    let mut left_over = covered;
    while let Some(start) = left_over.pop() {
        let mut group = vec![start];
        let mut i = 0;
        while i < group.len() {
            let (c, r) = group[i];
            left_over.retain(|&n| {
                let beside = (n.0 - c).abs() + (n.1 - r).abs() == 1;
                if beside {
                    group.push(n);
                }
                !beside
            });
            i += 1;
        }
        groups.push(group);
    }
    let middle = |g: &[(i32, i32)]| {
        let n = g.len().max(1) as f64;
        (
            g.iter().map(|c| f64::from(c.0)).sum::<f64>() / n,
            g.iter().map(|c| f64::from(c.1)).sum::<f64>() / n,
        )
    };
    let was = middle(piece);
    let shape = Shape::of(piece);
    groups
        .into_iter()
        // What has another shape is something else: a coming piece beside the board, a part of one that left it.
        .filter(|g| Shape::of(g) == shape)
        .min_by(|a, b| {
            let far = |g: &[(i32, i32)]| {
                let m = middle(g);
                (m.0 - was.0).abs() + (m.1 - was.1).abs()
            };
            far(a).total_cmp(&far(b))
        })
}

/// The lowest row of a piece that locked straight below where it was last seen; `None` if it can't be seen there.
fn locked(
    picture: &Raster,
    background: &Raster,
    falling: &Falling,
    piece: &[(i32, i32)],
) -> Option<i32> {
    let (left, right) = columns(piece);
    let top = piece.iter().map(|c| c.1).min()?;
    let covered = find::occupied(
        picture,
        background,
        &falling.lattice,
        &[],
        left..right + 1,
        top..top + FARTHEST_FALL,
    );
    (0..FARTHEST_FALL)
        .rev()
        .map(|by| piece.iter().map(|&(c, r)| (c, r + by)).collect::<Vec<_>>())
        .find(|at| at.iter().all(|c| covered.contains(c)))
        .and_then(|at| at.iter().map(|c| c.1).max())
}

/// Waits until the piece that was lost from sight lies still, and gives its lowest row: one that still falls is not
/// where it was a row's time ago.
async fn settled<D: Driver>(
    d: &mut D,
    background: &Raster,
    falling: &Falling,
    region: Rect,
    piece: &[(i32, i32)],
) -> Result<Option<i32>, DriverError> {
    let gravity = falling.gravity_ms.unwrap_or(1_000.0);
    let mut last = None;
    for _ in 0..FARTHEST_FALL {
        let picture = d.look(region).await?;
        let now = locked(&picture, background, falling, piece);
        if now.is_none() || now == last {
            return Ok(now);
        }
        last = now;
        d.advance(gravity * 1.3).await?;
    }
    Ok(None)
}

/// Rows a piece can fall at most: more than any board has.
const FARTHEST_FALL: i32 = 40;

/// Lets the piece down and gives the lowest row it came to; `None` if it could not be followed to its rest.
async fn floor<D: Driver>(
    d: &mut D,
    falling: &Falling,
    background: &Raster,
    region: Rect,
    piece: &mut Vec<(i32, i32)>,
) -> Result<Option<i32>, DriverError> {
    d.say("following a piece to the floor");
    let gravity = falling.gravity_ms.unwrap_or(1_000.0);
    let soft = key_of(d, Action::SoftDrop);
    let lowest = |p: &[(i32, i32)]| p.iter().map(|c| c.1).max();
    let mut still = 0.0;
    let mut waited = 0.0;
    while waited < gravity * 40.0 {
        let before = lowest(piece);
        let passed = if let Some((key, tap)) = &soft {
            d.press(key, *tap).await?;
            tap + FRAME_MS
        } else {
            let step = (gravity / 2.0).min(250.0);
            d.advance(step).await?;
            step
        };
        waited += passed;
        // Gravity alone would have taken it further down, had it not come to rest.
        let at_rest = (still > gravity * 1.1).then_some(before).flatten();
        let now = sighted(d, falling, region, piece).await?.map(|seen| seen.1);
        // Lost, or the next piece: this one locked, perhaps rows below where it was last seen.
        let Some(now) = now.filter(|now| lowest(now) >= before) else {
            if at_rest.is_some() {
                return Ok(at_rest);
            }
            return settled(d, background, falling, region, piece).await;
        };
        still = if lowest(&now) == before {
            still + passed
        } else {
            0.0
        };
        *piece = now;
        if still > gravity * 2.2 {
            return Ok(lowest(piece));
        }
    }
    Ok(None)
}
