//! Is what falls a piece of a game? A picture of a game falls for ever.
//!
//! Comes in: a [`Driver`] that watches what falls, and how it does. Goes out: what shows that it is a game, if anything does.
//! Must never know: how the game was started.

use crate::driver::{Driver, DriverError, FRAME_MS, View, exact};
use crate::model::{ActivePiece, GridEvent, Key};
use crate::vision::find::Falling;

/// Keys that move a piece in most games and do harm in hardly any, beside those that push it aside.
const HARMLESS_KEYS: [&str; 4] = ["ArrowUp", "h", "l", "j"];
/// Part of the time that a row takes, within which a piece falls for sure.
const A_ROW: f64 = 1.3;
/// Rows a piece may fall before it must have come to rest.
const ROWS_TO_REST: f64 = 30.0;

/// Presses after the first one that was answered, within which another must be: what moves by itself seldom does so again.
const SOON: usize = 3;
/// Rows that what falls is left alone for, where few keys were answered.
const ROWS_ALONE: f64 = 8.0;
/// Presses of a key that was answered once, and how many more of them must be.
const AGAIN: usize = 8;
const MORE: usize = 2;
/// Game time in which what a key began comes to its end.
const A_MOMENT_MS: f64 = 300.0;
/// Times that what falls may go aside or turn though nothing was pressed: one may be a mistake of the reader.
const BY_ITSELF: usize = 1;

/// What was seen of a thing that falls.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// It answers a key: a game.
    Answers(String),
    /// It answers none, but comes to rest and another one follows.
    Rests(String),
    /// It goes aside and turns though nothing is pressed: a game that plays itself, as some titles show.
    PlaysItself,
    /// It neither answers nor comes to rest.
    Nothing,
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

/// What shows that the thing that falls belongs to a game.
pub(super) async fn sign<D: Driver>(d: &mut D, falling: &Falling) -> Result<Sign, DriverError> {
    d.say("is it a game? trying keys on what falls");
    let gravity = falling.gravity_ms.unwrap_or(1_000.0);
    let few = match keys_at_once(d).await? {
        Keys::Answered(words) => return Ok(Sign::Answers(words)),
        Keys::Few(first) => first,
    };
    let few = match few {
        Some(key) => Some(key),
        None => answers_with_its_falls(d, gravity).await?,
    };
    if let Some(key) = few {
        // Among many keys one is soon pressed as what plays itself makes a move.
        if goes_aside_alone(d, gravity).await? > BY_ITSELF {
            return Ok(Sign::PlaysItself);
        }
        if let Some(words) = answers_again(d, &key, gravity).await? {
            return Ok(Sign::Answers(words));
        }
    }
    d.say("is it a game? waiting for what falls to come to rest");
    let (mut waited, mut by_itself) = (0.0, 0);
    let mut before: Option<ActivePiece> = None;
    while waited < gravity * ROWS_TO_REST + 2_000.0 {
        let step = (gravity / 3.0).clamp(FRAME_MS, 200.0);
        let view = d.advance_to_change(gravity * 4.0, step).await?;
        waited += view.passed_ms;
        by_itself += usize::from(went_aside(before.as_ref(), &view));
        before = view.active;
        let rested = view
            .events
            .iter()
            .any(|e| matches!(e, GridEvent::PieceLocked { filled_delta, .. } if *filled_delta > 0));
        if rested {
            return Ok(if by_itself > BY_ITSELF {
                Sign::PlaysItself
            } else {
                Sign::Rests("it comes to rest and another follows".into())
            });
        }
    }
    Ok(Sign::Nothing)
}

/// Did the piece go aside or turn meanwhile, the same one?
fn went_aside(before: Option<&ActivePiece>, view: &View) -> bool {
    !view.events.iter().any(is_another) && answered_by(before, view.active.as_ref())
}

/// Does the event tell of another piece?
fn is_another(event: &GridEvent) -> bool {
    matches!(
        event,
        GridEvent::PieceLocked { .. } | GridEvent::PieceSpawned { .. }
    )
}

/// How often what falls goes aside or turns while nothing is pressed.
async fn goes_aside_alone<D: Driver>(d: &mut D, gravity_ms: f64) -> Result<usize, DriverError> {
    d.say("is it a game? leaving what falls alone");
    let (mut waited, mut times) = (0.0, 0);
    // What was begun by the last key goes on for a moment.
    let mut before = d.advance(A_MOMENT_MS).await?.active;
    while waited < gravity_ms * ROWS_ALONE && times <= BY_ITSELF {
        let view = d.advance_to_change(gravity_ms, FRAME_MS).await?;
        waited += view.passed_ms;
        times += usize::from(went_aside(before.as_ref(), &view));
        before = view.active;
    }
    Ok(times)
}

/// What came of pressing keys one right after the other.
enum Keys {
    Answered(String),
    /// At most one of them was answered, or none soon after it.
    Few(Option<Key>),
}

/// Presses keys on what falls until two presses are answered, one soon after the other.
async fn keys_at_once<D: Driver>(d: &mut D) -> Result<Keys, DriverError> {
    let mut before = d.advance(FRAME_MS).await?.active;
    let mut answered: Option<(Key, usize)> = None;
    let mut first: Option<Key> = None;
    let mut presses = 0;
    for key in exact::KEYS.into_iter().chain(HARMLESS_KEYS).map(Key::new) {
        // A key that seems to do nothing while there is no piece would send us on to keys that may do something else.
        if before.is_none() {
            before = exact::in_sight(d).await?;
        }
        for again in [false, true] {
            if again && answered.as_ref().is_none_or(|(k, _)| *k != key) {
                break;
            }
            if answered.is_some() {
                let alone = d.advance(2.0 * FRAME_MS).await?;
                let by_itself = went_aside(before.as_ref(), &alone);
                before = alone.active;
                if by_itself {
                    answered = None;
                    break;
                }
            }
            let view = d.press(&key, 2.0 * FRAME_MS).await?;
            presses += 1;
            let answers = answered_by(before.as_ref(), view.active.as_ref());
            before = view.active;
            match (answers, &answered) {
                (false, Some((_, at))) if presses - at >= SOON => answered = None,
                (false, _) => {}
                (true, None) => {
                    first.get_or_insert_with(|| key.clone());
                    answered = Some((key.clone(), presses));
                }
                (true, Some((first, _))) if *first == key => {
                    return Ok(Keys::Answered(format!("it answers {key} twice")));
                }
                (true, Some((first, _))) => {
                    return Ok(Keys::Answered(format!("it answers {first} and {key}")));
                }
            }
        }
    }
    Ok(Keys::Few(first))
}

/// Some games draw only when the piece falls, and two keys for opposite sides that are pressed before that do nothing
/// together: presses one key a row. The first one that is answered.
async fn answers_with_its_falls<D: Driver>(
    d: &mut D,
    gravity_ms: f64,
) -> Result<Option<Key>, DriverError> {
    for key in exact::KEYS.map(Key::new) {
        match answers_in_a_row(d, &key, gravity_ms).await? {
            None => return Ok(None),
            Some(true) => return Ok(Some(key)),
            Some(false) => {}
        }
    }
    Ok(None)
}

/// Presses a key and waits for the next row. Is it answered? `None` where there is no piece.
async fn answers_in_a_row<D: Driver>(
    d: &mut D,
    key: &Key,
    gravity_ms: f64,
) -> Result<Option<bool>, DriverError> {
    let Some(before) = exact::in_sight(d).await? else {
        return Ok(None);
    };
    let mut events = d.press(key, 2.0 * FRAME_MS).await?.events;
    let mut view = d.advance_to_change(gravity_ms * A_ROW, FRAME_MS).await?;
    view.events.append(&mut events);
    Ok(Some(went_aside(Some(&before), &view)))
}

/// A key that was answered once is pressed on, at once and once a row; in words if it is answered more often than what
/// plays itself is likely to move just then.
async fn answers_again<D: Driver>(
    d: &mut D,
    key: &Key,
    gravity_ms: f64,
) -> Result<Option<String>, DriverError> {
    d.say("is it a game? pressing the key on that was answered");
    let (mut answered, mut alone) = (0, 0);
    let mut before = exact::in_sight(d).await?;
    for _ in 0..AGAIN {
        let quiet = d.advance(2.0 * FRAME_MS).await?;
        alone += usize::from(went_aside(before.as_ref(), &quiet));
        let pressed = d.press(key, 2.0 * FRAME_MS).await?;
        answered += usize::from(went_aside(quiet.active.as_ref(), &pressed));
        before = pressed.active;
    }
    if answered >= MORE && alone == 0 {
        return Ok(Some(format!("it answers {key} {} times", answered + 1)));
    }
    let mut rows = 0;
    for _ in 0..AGAIN {
        match answers_in_a_row(d, key, gravity_ms).await? {
            None => break,
            Some(answers) => rows += usize::from(answers),
        }
        if rows >= MORE {
            return Ok(Some(format!("it answers {key} when it falls")));
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
