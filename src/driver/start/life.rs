//! Is what falls a piece of a game? A picture of a game falls for ever.
//!
//! Comes in: a [`Driver`] that watches what falls, and how it does. Goes out: what shows that it is a game, if anything does.
//! Must never know: how the game was started.

use crate::driver::{Driver, DriverError, FRAME_MS, exact};
use crate::model::{ActivePiece, GridEvent, Key};
use crate::vision::find::Falling;

/// Keys that move a piece in most games and do harm in hardly any, beside those that push it aside.
const HARMLESS_KEYS: [&str; 4] = ["ArrowUp", "h", "l", "j"];
/// Part of the time that a row takes, within which a piece falls for sure.
const A_ROW: f64 = 1.3;
/// Rows a piece may fall before it must have come to rest.
const ROWS_TO_REST: f64 = 30.0;

/// Did anything change on the board that no piece of a game explains?
fn changes_elsewhere(events: &[GridEvent]) -> bool {
    events.iter().any(|e| {
        matches!(
            e,
            GridEvent::StackChanged { .. } | GridEvent::PieceDeformed { .. }
        )
    })
}

/// Did a piece go aside or turn? One that glides covers more cells halfway between two rows, in the same columns.
fn answered_by(before: Option<&ActivePiece>, after: Option<&ActivePiece>) -> bool {
    let (Some(a), Some(b)) = (before, after) else {
        return false;
    };
    if a.cells.len() == b.cells.len() {
        return a.corner().0 != b.corner().0 || a.shape() != b.shape();
    }
    let sides = |p: &ActivePiece| {
        let columns = || p.cells.iter().map(|c| c.0);
        columns().min().zip(columns().max())
    };
    let rows = a.corner().1.abs_diff(b.corner().1);
    match (sides(a), sides(b)) {
        (Some(a), Some(b)) => a.0 != b.0 && a.0 - b.0 == a.1 - b.1 && rows <= 2,
        _ => false,
    }
}

/// What shows that the thing that falls belongs to a game, and whether it is an answer to a key; `None` if nothing does.
pub(super) async fn sign<D: Driver>(
    d: &mut D,
    falling: &Falling,
) -> Result<Option<(bool, String)>, DriverError> {
    d.say("is it a game? trying keys on what falls");
    let view = d.advance(FRAME_MS).await?;
    let mut before = view.active;
    let mut restless = changes_elsewhere(&view.events);
    let mut answered: Option<Key> = None;
    for key in exact::KEYS.into_iter().chain(HARMLESS_KEYS).map(Key::new) {
        // A key that seems to do nothing while there is no piece would send us on to keys that may do something else.
        if before.is_none() {
            before = exact::in_sight(d).await?;
        }
        for again in [false, true] {
            if again && answered.as_ref() != Some(&key) {
                break;
            }
            if answered.is_some() {
                let alone = d.advance(2.0 * FRAME_MS).await?.active;
                let by_itself = answered_by(before.as_ref(), alone.as_ref());
                before = alone;
                if by_itself {
                    answered = None;
                    break;
                }
            }
            let view = d.press(&key, 2.0 * FRAME_MS).await?;
            restless |= changes_elsewhere(&view.events);
            let answers = answered_by(before.as_ref(), view.active.as_ref());
            before = view.active;
            match (answers, &answered) {
                (false, _) => {}
                // Where many things fall at once, as on a title's background, one is soon taken for another: there a
                // key has to be answered again, or another one.
                (true, None) if restless => answered = Some(key.clone()),
                (true, None) => return Ok(Some((true, format!("it answers {key}")))),
                (true, Some(first)) if *first == key => {
                    return Ok(Some((true, format!("it answers {key} twice"))));
                }
                (true, Some(first)) => {
                    return Ok(Some((true, format!("it answers {first} and {key}"))));
                }
            }
        }
    }
    let gravity = falling.gravity_ms.unwrap_or(1_000.0);
    if let Some(keys) = answers_with_its_falls(d, gravity).await? {
        return Ok(Some((true, format!("it answers {keys} when it falls"))));
    }
    d.say("is it a game? waiting for what falls to come to rest");
    let mut waited = 0.0;
    while waited < gravity * ROWS_TO_REST + 2_000.0 {
        let step = (gravity / 3.0).clamp(FRAME_MS, 200.0);
        let view = d.advance_to_change(gravity * 4.0, step).await?;
        waited += view.passed_ms;
        let rested = view
            .events
            .iter()
            .any(|e| matches!(e, GridEvent::PieceLocked { filled_delta, .. } if *filled_delta > 0));
        if rested {
            return Ok(Some((false, "it comes to rest and another follows".into())));
        }
    }
    Ok(None)
}

/// Some games draw only when the piece falls, and two keys for opposite sides that are pressed before that do nothing
/// together: presses one key a row. Two of them that are answered, which is more than a piece does that drifts.
async fn answers_with_its_falls<D: Driver>(
    d: &mut D,
    gravity_ms: f64,
) -> Result<Option<String>, DriverError> {
    let mut answered: Vec<String> = Vec::new();
    for key in exact::KEYS.map(Key::new) {
        let Some(before) = exact::in_sight(d).await? else {
            return Ok(None);
        };
        let mut events = d.press(&key, 2.0 * FRAME_MS).await?.events;
        let patience = gravity_ms * A_ROW;
        let mut view = d.advance_to_change(patience, FRAME_MS).await?;
        events.append(&mut view.events);
        let another = |e: &GridEvent| {
            matches!(
                e,
                GridEvent::PieceLocked { .. } | GridEvent::PieceSpawned { .. }
            )
        };
        if !events.iter().any(another) && answered_by(Some(&before), view.active.as_ref()) {
            answered.push(key.to_string());
        }
        if answered.len() >= 2 {
            return Ok(Some(answered.join(" and ")));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &[(i32, i32)], after: &[(i32, i32)], answers: bool) {
        let piece = |cells: &[(i32, i32)]| ActivePiece::new(cells.to_vec());
        let (a, b) = (piece(before), piece(after));
        assert_eq!(
            answered_by(Some(&a), Some(&b)),
            answers,
            "{before:?} {after:?}"
        );
    }

    #[test]
    fn a_piece_read_halfway_between_two_rows_has_gone_aside_where_both_its_sides_have() {
        let t = [(3, 4), (4, 4), (5, 4), (4, 5)];
        let halfway = [(2, 4), (3, 4), (4, 4), (2, 5), (3, 5), (4, 5), (3, 6)];
        check(&t, &halfway, true);
        let below = [(3, 4), (4, 4), (5, 4), (3, 5), (4, 5), (5, 5), (4, 6)];
        check(&t, &below, false);
        // Another one, far above it.
        check(&halfway, &[(4, 0), (5, 0), (6, 0), (5, 1)], false);
    }
}
