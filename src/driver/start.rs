//! How to start the game: candidates from the page, each confirmed only by a piece that falls.
//!
//! Comes in: a [`Driver`]. Goes out: the steps that start the game and what fell, or every step that did not.
//! Must never know: words of any language; what a page calls its button decides nothing here.

mod candidates;
mod screen;
mod search;
mod smeared;
mod watch;

pub use candidates::{candidates, press};
pub use screen::signature;
pub use search::start;
pub use smeared::{Smeared, smears_again};

use super::{Driver, DriverError, exact, locate};
use crate::evidence::Evidence;
use crate::model::{
    ActivePiece, Board, Clickable, GridEvent, Key, Rect, StartCandidate, StartMechanism, Survey,
};
use crate::vision::find::{Falling, Hint};
use std::time::{Duration, Instant};
use watch::{ENOUGH_STEPS, Place, Since, Watched, watch_for_fall};

/// The game runs.
#[derive(Debug, Clone)]
pub struct Started {
    /// What was done, in order; empty if it started by itself.
    pub path: Vec<StartCandidate>,
    /// What fell.
    pub falling: Falling,
    /// The parts of the page that may hold the board, as they were after the start.
    pub hints: Vec<Hint>,
    /// The board around it.
    pub board: Board,
    /// Did it answer a key? Otherwise it only came to rest, as some titles' blocks do, too.
    pub answers: bool,
    /// For people.
    pub why: String,
}

/// Nothing that was tried made a piece fall.
#[derive(Debug, Clone)]
pub struct NotStarted {
    /// Each thing tried and what came of it; may hold untrusted text.
    pub tried: Vec<String>,
    /// Something moved that was not seen; the driver sees it from now on.
    pub unseen: bool,
    /// A game runs, but what falls in it stays drawn wherever it was.
    pub smeared: Option<Smeared>,
}

/// Outcome of looking for a start.
pub type StartOutcome = Result<Box<Started>, NotStarted>;

/// Settling time after a step that is only on the way to the one being tried.
const ON_THE_WAY_MS: f64 = 700.0;
/// Waited before each step of a start that did not work when done at once.
const SLOWLY_MS: f64 = 4_000.0;
/// Wall time that decoding may take, and looks in which it must show: where a look costs next to nothing, the game is not
/// run on for ever.
const DECODING: (Duration, usize) = (Duration::from_secs(4), 60);
/// The picture of a page is cut to this size; boards further out are found by scrolled hints alone.
const LOOK_LIMIT: (f64, f64) = (1_600.0, 2_800.0);

/// Surfaces of a survey as hints for the finder.
pub fn hints(survey: &Survey) -> Vec<Hint> {
    survey
        .surfaces
        .iter()
        .map(|s| Hint {
            rect: s.rect,
            columns: s.columns,
            rows: s.rows,
        })
        .collect()
}

/// The part of the page worth looking at: all of it, within bounds.
pub fn region(survey: &Survey) -> Rect {
    let mut width = survey.document.0.max(survey.viewport.0);
    let mut height = survey.document.1.max(survey.viewport.1);
    for s in &survey.surfaces {
        width = width.max(s.rect.right());
        height = height.max(s.rect.bottom());
    }
    Rect::new(
        0.0,
        0.0,
        width.min(LOOK_LIMIT.0).max(1.0),
        height.min(LOOK_LIMIT.1).max(1.0),
    )
}

/// Does one step of a start.
pub async fn apply<D: Driver>(d: &mut D, step: &StartCandidate) -> Result<(), DriverError> {
    if let Some(key) = &step.key {
        d.press(key, TAP_MS).await?;
    } else if let Some((x, y)) = step.position {
        let mut place = (x, y);
        if let Some(selector) = &step.selector {
            let mut survey = d.survey().await?;
            if step.mechanism == StartMechanism::Button && fill_in(d, &survey).await? {
                survey = d.survey().await?;
            }
            place = reachable(d, survey, selector).await?.unwrap_or(place);
        }
        d.click(place.0, place.1).await?;
        d.advance(super::FRAME_MS).await?;
    }
    Ok(())
}

/// Writes something into each line of text that is still blank: many games ask for a name first. `false` where there is
/// none.
async fn fill_in<D: Driver>(d: &mut D, survey: &Survey) -> Result<bool, DriverError> {
    let blank = |c: &&Clickable| c.blank && c.on_top && !c.disabled;
    let mut any = false;
    for field in survey.clickables.iter().filter(blank).take(MOST_FIELDS) {
        any = true;
        let (x, y) = field.rect.centre();
        d.click(x, y).await?;
        for key in NAME.map(Key::new) {
            d.key_down(&key).await?;
            d.key_up(&key).await?;
        }
        d.advance(super::FRAME_MS).await?;
    }
    Ok(any)
}

/// How long a key is held, in game time.
pub const TAP_MS: f64 = 60.0;
/// What is written where a page asks for something.
const NAME: [&str; 3] = ["a", "b", "c"];
/// Lines of text that are filled in before a button is pressed, at most.
const MOST_FIELDS: usize = 4;

/// Where a button is now: it may have moved since it was found, and its selector knows better. One that something lies
/// over (a splash screen) is waited for.
async fn reachable<D: Driver>(
    d: &mut D,
    mut survey: Survey,
    selector: &str,
) -> Result<Option<(f64, f64)>, DriverError> {
    let mut waited = 0.0;
    loop {
        let button = survey
            .clickables
            .iter()
            .find(|c| c.selector == selector && !c.disabled);
        if waited >= SLOWLY_MS || button.is_some_and(|b| b.on_top) {
            return Ok(button.map(|b| b.rect.centre()));
        }
        d.advance(ON_THE_WAY_MS / 2.0).await?;
        waited += ON_THE_WAY_MS / 2.0;
        survey = d.survey().await?;
    }
}

fn describe(path: &[StartCandidate]) -> String {
    if path.is_empty() {
        return "by itself".into();
    }
    let labels: Vec<&str> = path.iter().map(|c| c.label.as_str()).collect();
    labels.join(", then ")
}

/// Opens the page, does the steps, and watches whether a piece falls.
pub async fn repeat<D: Driver>(d: &mut D, path: &[StartCandidate]) -> Result<bool, DriverError> {
    // The second time more slowly: a title that is still coming up may not listen yet. And the whole page is looked at:
    // the board may be somewhere else now.
    for wait in [0.0, SLOWLY_MS] {
        d.open().await?;
        if path.is_empty() && wait > 0.0 {
            settle(d).await?;
            d.advance(wait).await?;
        }
        for (i, step) in path.iter().enumerate() {
            let survey = settle(d).await?;
            if wait > 0.0 && i == 0 {
                comes_up(d, &survey).await?;
            }
            d.advance(wait).await?;
            d.say(&format!("starting again: {}", step.label));
            apply(d, step).await?;
            if i + 1 < path.len() {
                d.advance(ON_THE_WAY_MS).await?;
            }
        }
        let known = d.board().filter(|_| wait == 0.0).cloned();
        let place = match &known {
            Some(board) => Place::around(board, d.evidence(Evidence::gravity_ms)),
            None => Place::of(&d.survey().await?),
        };
        if let Watched::Falls(_) = watch_for_fall(d, &place, 1, Since::Moved).await? {
            d.watch_again().await?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Sounds and pictures are decoded in the machine's time, however fast the game's goes by: waits until the page shows
/// something else than right after it was opened.
async fn comes_up<D: Driver>(d: &mut D, survey: &Survey) -> Result<(), DriverError> {
    let (region, begun) = (region(survey), Instant::now());
    let first = d.look(region).await?;
    for _ in 0..DECODING.1 {
        if begun.elapsed() >= DECODING.0 || d.look(region).await? != first {
            break;
        }
        d.advance(ON_THE_WAY_MS / 2.0).await?;
    }
    Ok(())
}

/// Does the steps on the page that is open, and confirms that they start a game as a search would; in words why not.
pub async fn by<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
) -> Result<Result<Box<Started>, String>, DriverError> {
    let survey = follow(d, path).await?;
    match watch_for_fall(d, &Place::of(&survey), ENOUGH_STEPS, Since::Moved).await? {
        Watched::Falls(falling) => started(d, path.to_vec(), *falling).await,
        Watched::Smears(smear) => Ok(Err(smeared::words(&smear))),
        Watched::Not { why, .. } => Ok(Err(why)),
    }
}

/// Does the steps on the page that is open; what it offers then.
async fn follow<D: Driver>(d: &mut D, path: &[StartCandidate]) -> Result<Survey, DriverError> {
    let mut survey = settle(d).await?;
    for (i, step) in path.iter().enumerate() {
        d.say(&format!("starting as before: {}", step.label));
        apply(d, step).await?;
        if i + 1 < path.len() {
            d.advance(ON_THE_WAY_MS).await?;
        }
        survey = d.survey().await?;
    }
    Ok(survey)
}

/// Lets a splash screen pass: game time goes by until the offer of the screen stays the same.
async fn settle<D: Driver>(d: &mut D) -> Result<Survey, DriverError> {
    let mut before = d.survey().await?;
    for _ in 0..8 {
        d.advance(400.0).await?;
        let after = d.survey().await?;
        let same = signature(&after) == signature(&before);
        let empty = after.clickables.is_empty() && after.surfaces.is_empty();
        before = after;
        if same && !empty {
            break;
        }
    }
    Ok(before)
}

/// Something falls: finds the board around it and confirms that it is a piece of a game. A picture of a game falls for
/// ever; a piece comes to rest, or answers a key. Otherwise says what it did.
async fn started<D: Driver>(
    d: &mut D,
    path: Vec<StartCandidate>,
    mut falling: Falling,
) -> Result<Result<Box<Started>, String>, DriverError> {
    let survey = d.survey().await?;
    let hints = hints(&survey);
    let mut board = locate::first(d, &falling, &hints).await?;
    let mut pushed = exact::Pushed::default();
    if exact::doubtful(&falling) {
        pushed = exact::measured(d, &falling, region(&survey)).await?;
        if let Some(measured) = pushed.falling {
            falling = measured.divided(&hints);
            board = locate::first(d, &falling, &hints).await?;
        }
    }
    let mut sign = sign_of_life(d, &falling).await?;
    if let (None, Some(key)) = (&sign, pushed.by) {
        // It may have come to the floor meanwhile, of a game in which nothing locks.
        sign = Some((true, format!("it answers {key}")));
    }
    let Some((answers, sign)) = sign else {
        return Ok(Err(format!(
            "something falls, but it neither comes to rest nor answers a key: {}",
            falling.why
        )));
    };
    Ok(Ok(Box::new(Started {
        why: format!("{}; {}; {sign}", describe(&path), falling.why),
        path,
        falling,
        hints,
        board,
        answers,
    })))
}

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
async fn sign_of_life<D: Driver>(
    d: &mut D,
    falling: &Falling,
) -> Result<Option<(bool, String)>, DriverError> {
    d.say("is it a game? trying keys on what falls");
    let view = d.advance(super::FRAME_MS).await?;
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
                let alone = d.advance(2.0 * super::FRAME_MS).await?.active;
                let by_itself = answered_by(before.as_ref(), alone.as_ref());
                before = alone;
                if by_itself {
                    answered = None;
                    break;
                }
            }
            let view = d.press(&key, 2.0 * super::FRAME_MS).await?;
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
        let step = (gravity / 3.0).clamp(super::FRAME_MS, 200.0);
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
        let mut events = d.press(&key, 2.0 * super::FRAME_MS).await?.events;
        let patience = gravity_ms * A_ROW;
        let mut view = d.advance_to_change(patience, super::FRAME_MS).await?;
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
