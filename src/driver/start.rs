//! How to start the game: candidates from the page, each confirmed only by a piece that falls or, where none makes one
//! fall, by one that goes aside at keys.
//!
//! Comes in: a [`Driver`]. Goes out: the steps that start the game and what fell, or every step that did not.
//! Must never know: words of any language; what a page calls its button decides nothing here.

mod candidates;
mod life;
mod menu;
mod screen;
mod search;
mod smeared;
mod standing;
mod unseen;
mod watch;

pub use candidates::{candidates, press};
pub use screen::same_screen;
pub use search::start;
pub use smeared::{Smeared, smears_again};

use super::{Driver, DriverError, exact, locate};
use crate::evidence::Evidence;
use crate::model::{Board, Clickable, Key, Rect, StartCandidate, StartMechanism, Survey};
use crate::vision::find::{Falling, Hint};
use life::Sign;
use std::collections::BTreeSet;
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
    /// Does nothing fall in it, so that its pieces stand until a key moves them?
    pub stands: bool,
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
/// Settling time after the step that is being tried.
const SHOWS_MS: f64 = ON_THE_WAY_MS / 2.0;
/// Looks at a screen that changed, with nothing done in between, and game time from one to the next: what changes then does
/// so by itself, like a caret.
const LOOKS: usize = 4;
/// See [`LOOKS`].
const BLINKS_MS: f64 = 290.0;
/// Waited before each step of a start that did not work when done at once.
const SLOWLY_MS: f64 = 4_000.0;
/// Longest wait for a button: no screen is watched for longer before its buttons are known.
const COMES_MS: f64 = 10_000.0;
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
        d.leave_button().await?;
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
/// over (a splash screen), or that has yet to come, is waited for: its screen had been watched when it was found.
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
        if waited >= COMES_MS || button.is_some_and(|b| b.on_top) {
            return Ok(button.map(|b| b.rect.centre()));
        }
        d.advance(ON_THE_WAY_MS / 2.0).await?;
        waited += ON_THE_WAY_MS / 2.0;
        survey = d.survey().await?;
    }
}

/// The words that come and go by themselves on the screen of the last of these looks, and how it looks a moment later.
pub async fn blinks<D: Driver>(
    d: &mut D,
    mut looks: Vec<Survey>,
) -> Result<(BTreeSet<String>, Survey), DriverError> {
    for _ in 0..LOOKS {
        d.advance(BLINKS_MS).await?;
        looks.push(d.survey().await?);
    }
    let blinks = screen::blinking(&looks);
    Ok((blinks, looks.pop().unwrap_or_default()))
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
        let watched = watch_for_fall(d, &place, 1, Since::Moved).await?;
        // Where it was so before, a piece stands until it is moved.
        let stood = d.evidence(Evidence::stands);
        let runs = match watched {
            Watched::Falls(_) => true,
            _ => stood && standing::pushed(d, true).await?.piece.is_some(),
        };
        if runs {
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
    let place = Place::of(&follow(d, path).await?);
    let mut watched = watch_for_fall(d, &place, ENOUGH_STEPS, Since::Moved).await?;
    if matches!(watched, Watched::Not { changed: false, .. }) {
        // A known start may take longer to show than one that is looked for.
        watched = watch_for_fall(d, &place, ENOUGH_STEPS, Since::Moved).await?;
    }
    match watched {
        Watched::Falls(falling) => started(d, path.to_vec(), *falling).await,
        Watched::Smears(smear) => Ok(Err(smeared::words(&smear))),
        Watched::Not { why, .. } => match standing::standing(d, true, false).await?.piece {
            Some(piece) => stands(d, path.to_vec(), piece).await,
            None => Ok(Err(why)),
        },
    }
}

/// Does the steps on the page that is open; what it offers then.
async fn follow<D: Driver>(d: &mut D, path: &[StartCandidate]) -> Result<Survey, DriverError> {
    let mut survey = settle(d).await?;
    for (i, step) in path.iter().enumerate() {
        d.say(&format!("starting as before: {}", step.label));
        apply(d, step).await?;
        let last = i + 1 == path.len();
        d.advance(if last { SHOWS_MS } else { ON_THE_WAY_MS })
            .await?;
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
        let same = screen::signature(&after) == screen::signature(&before);
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
    let mut sign = life::sign(d, &falling).await?;
    if !matches!(sign, Sign::Answers(_)) && d.return_to_button().await? {
        sign = life::sign(d, &falling).await?;
    }
    if let (Sign::Nothing, Some(key)) = (&sign, pushed.by) {
        // It may have come to the floor meanwhile, of a game in which nothing locks.
        sign = Sign::Answers(format!("it answers {key}"));
    }
    let (answers, sign) = match sign {
        Sign::Answers(words) => (true, words),
        Sign::Rests(words) => (false, words),
        Sign::PlaysItself => {
            return Ok(Err(format!(
                "something falls, but it plays by itself: {}",
                falling.why
            )));
        }
        Sign::Nothing => {
            return Ok(Err(format!(
                "something falls, but it neither comes to rest nor answers a key: {}",
                falling.why
            )));
        }
    };
    Ok(Ok(Box::new(Started {
        why: format!("{}; {}; {sign}", describe(&path), falling.why),
        path,
        falling,
        hints,
        board,
        answers,
        stands: false,
    })))
}

/// The same for a piece that stands until keys move it.
async fn stands<D: Driver>(
    d: &mut D,
    path: Vec<StartCandidate>,
    piece: Falling,
) -> Result<Result<Box<Started>, String>, DriverError> {
    Ok(started(d, path, piece).await?.map(|mut started| {
        started.stands = true;
        started
    }))
}
