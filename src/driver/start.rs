//! How to start the game: candidates from the page, each confirmed only by a piece that falls.
//!
//! Comes in: a [`Driver`]. Goes out: the steps that start the game and what fell, or every step that did not.
//! Must never know: words of any language; what a page calls its button decides nothing here.

mod candidates;
mod screen;
mod watch;

pub use candidates::{candidates, press};
pub use screen::signature;

use super::{Driver, DriverError, locate};
use crate::model::{
    Board, Clickable, ClockMode, GridEvent, Key, Rect, StartCandidate, StartMechanism, Survey,
};
use crate::vision::find::{Falling, Hint};
use screen::{Thumb, another};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use watch::{ENOUGH_STEPS, Place, Watched, watch_for_fall};

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
}

/// Outcome of looking for a start.
pub type StartOutcome = Result<Box<Started>, NotStarted>;

/// Steps a start may take (close a banner, choose a mode, choose a level, play).
const DEPTH: usize = 4;
/// How much less likely each further offer of a screen is, in steps of a way.
const LATER: f64 = 0.3;
/// Things tried before giving up.
const TRIES: usize = 48;
/// After these tries it is asked whether anything moves that is not seen: most games run by then.
const UNSEEN_ASKED: [usize; 3] = [3, 6, 10];
/// Wall time after which nothing more is tried where the game lives by the machine's clock.
const REAL_PATIENCE: Duration = Duration::from_secs(75);
/// Settling time after a step that is only on the way to the one being tried.
const ON_THE_WAY_MS: f64 = 700.0;
/// Waited before each step of a start that did not work when done at once.
const SLOWLY_MS: f64 = 4_000.0;
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
        d.press(key, 60.0).await?;
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
        for (i, step) in path.iter().enumerate() {
            settle(d).await?;
            d.advance(wait).await?;
            d.say(&format!("starting again: {}", step.label));
            apply(d, step).await?;
            if i + 1 < path.len() {
                d.advance(ON_THE_WAY_MS).await?;
            }
        }
        let known = d.board().filter(|_| wait == 0.0).cloned();
        let place = match &known {
            Some(board) => Place::around(board),
            None => Place::of(&d.survey().await?),
        };
        if let Watched::Falls(_) = watch_for_fall(d, &place, 1, false).await? {
            d.watch_again().await?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// Does the steps on the page that is open, and confirms that they start a game as a search would; in words why not.
pub async fn by<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
) -> Result<Result<Box<Started>, String>, DriverError> {
    let mut survey = settle(d).await?;
    for (i, step) in path.iter().enumerate() {
        d.say(&format!("starting as before: {}", step.label));
        apply(d, step).await?;
        if i + 1 < path.len() {
            d.advance(ON_THE_WAY_MS).await?;
        }
        survey = d.survey().await?;
    }
    match watch_for_fall(d, &Place::of(&survey), ENOUGH_STEPS, false).await? {
        Watched::Falls(falling) => started(d, path.to_vec(), *falling).await,
        Watched::Not { why, .. } => Ok(Err(why)),
    }
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

/// Finds out how the game is started. The page must be open. Leaves the game running if it was found.
pub async fn start<D: Driver>(d: &mut D) -> Result<StartOutcome, DriverError> {
    let mut search = Search::default();
    let (real, begun) = (d.clock().mode == ClockMode::Real, Instant::now());
    d.say("watching whether the game starts by itself");
    let survey = settle(d).await?;
    let watched = watch_for_fall(d, &Place::of(&survey), ENOUGH_STEPS, false).await?;
    match search.take(d, &[], watched).await? {
        Took::Started(started) => return Ok(Ok(started)),
        Took::Not { .. } => {}
    }
    let first = d.survey().await?;
    search.seen.insert(signature(&first));
    search.explore(&[], candidates(&first));
    let (mut tries, mut all_keys) = (0, false);
    loop {
        let Some(path) = search.next() else {
            if all_keys || !first.listeners.hears_keys() {
                break;
            }
            all_keys = true;
            let offer = keys_that_show(d).await?;
            search.explore(&[], offer);
            d.open().await?;
            settle(d).await?;
            search.done.clear();
            continue;
        };
        tries += 1;
        if tries > TRIES || real && begun.elapsed() > REAL_PATIENCE {
            let left = search.open.len() + 1;
            search.tried.push(format!("{left} more were not tried"));
            break;
        }
        if let Some(started) = search.attempt(d, &path).await? {
            return Ok(Ok(started));
        }
        let ask = UNSEEN_ASKED.contains(&tries) && !first.surfaces.is_empty();
        if ask && d.moves_unseen().await? {
            return Ok(Err(NotStarted {
                tried: search.tried,
                unseen: true,
            }));
        }
    }
    Ok(Err(NotStarted {
        tried: search.tried,
        unseen: false,
    }))
}

/// Of the keys that hardly any page chooses, those at which the page as it was opened shows something else.
async fn keys_that_show<D: Driver>(d: &mut D) -> Result<Vec<StartCandidate>, DriverError> {
    d.open().await?;
    let survey = settle(d).await?;
    d.say("trying every other key");
    let region = region(&survey);
    let mut before = d.look(region).await?;
    let mut found = Vec::new();
    for key in candidates::other_keys() {
        d.press(&key, 60.0).await?;
        let after = d.look(region).await?;
        if after != before {
            found.push(press(key.as_str(), StartMechanism::Anykey));
        }
        before = after;
    }
    Ok(found)
}

/// What watching led to.
enum Took {
    Started(Box<Started>),
    Not { changed: bool },
}

/// The screens of a page, explored from what is likeliest: the first offers of a screen that was just reached come
/// before the last ones of the screen before it, and after its first ones.
#[derive(Default)]
struct Search {
    /// Each thing tried and what came of it.
    tried: Vec<String>,
    /// Offers that were explored already.
    seen: HashSet<u64>,
    /// Ways still to try, with how unlikely they are.
    open: Vec<(f64, Vec<StartCandidate>)>,
    /// How unlikely the way is that is being tried.
    cost: f64,
    /// What has been done to the page as it stands.
    done: Vec<StartCandidate>,
    /// How the page looked while it was watched, by what had been done to it.
    shown: HashMap<String, Vec<Thumb>>,
}

impl Search {
    /// What is on offer after `way`, likeliest first.
    fn explore(&mut self, way: &[StartCandidate], offer: Vec<StartCandidate>) {
        let so_far = self.cost;
        for (place, next) in offer.into_iter().enumerate() {
            let mut path = way.to_vec();
            path.push(next);
            let cost = so_far + 1.0 + LATER * place as f64;
            self.open.push((cost, path));
        }
    }

    /// The likeliest way that was not tried yet; of equals the one found first.
    fn next(&mut self) -> Option<Vec<StartCandidate>> {
        let (at, _) = self
            .open
            .iter()
            .enumerate()
            .min_by(|a, b| a.1.0.total_cmp(&b.1.0).then(a.0.cmp(&b.0)))?;
        let (cost, path) = self.open.remove(at);
        self.cost = cost;
        Some(path)
    }

    /// Takes in what was seen after `path`; confirms it where something falls.
    async fn take<D: Driver>(
        &mut self,
        d: &mut D,
        path: &[StartCandidate],
        watched: Watched,
    ) -> Result<Took, DriverError> {
        let (why, changed) = match watched {
            Watched::Falls(falling) => match started(d, path.to_vec(), *falling).await? {
                Ok(started) => return Ok(Took::Started(started)),
                Err(why) => (why, true),
            },
            Watched::Not {
                why,
                changed,
                thumbs,
            } => {
                self.shown.insert(describe(path), thumbs);
                (why, changed)
            }
        };
        let what = if path.is_empty() {
            "left alone".into()
        } else {
            describe(path)
        };
        self.tried.push(format!("{what}: {why}"));
        Ok(Took::Not { changed })
    }

    /// Does the last step of a way, after the others where the page is not there yet, and watches what comes of it.
    async fn attempt<D: Driver>(
        &mut self,
        d: &mut D,
        path: &[StartCandidate],
    ) -> Result<Option<Box<Started>>, DriverError> {
        let Some((last, way)) = path.split_last() else {
            return Ok(None);
        };
        if self.done != way {
            d.open().await?;
            settle(d).await?;
            for step in way {
                apply(d, step).await?;
                d.advance(ON_THE_WAY_MS).await?;
            }
        }
        d.say(&format!("trying to start: {}", describe(path)));
        let before = signature(&d.survey().await?);
        apply(d, last).await?;
        d.advance(ON_THE_WAY_MS / 2.0).await?;
        let survey = d.survey().await?;
        let unmoved = signature(&survey) == before;
        let watched = watch_for_fall(d, &Place::of(&survey), ENOUGH_STEPS, unmoved).await?;
        let changed = match self.take(d, path, watched).await? {
            Took::Started(started) => return Ok(Some(started)),
            Took::Not { changed } => changed,
        };
        let survey = d.survey().await?;
        let after = signature(&survey);
        self.done = path.to_vec();
        if after != before {
            if self.seen.insert(after) && path.len() < DEPTH {
                self.explore(path, candidates(&survey));
            }
            return Ok(None);
        }
        let looks = |path: &[StartCandidate]| self.shown.get(&describe(path));
        let moved_on = match (looks(way), looks(path)) {
            (Some(before), Some(after)) => another(before, after),
            _ => false,
        };
        // A menu that is only drawn offers nothing that could be compared; and a click may have done no more than give
        // the playfield the keyboard.
        let focused = last.mechanism == StartMechanism::ClickCanvas && !changed;
        if (moved_on || focused) && path.len() < DEPTH {
            let keys = candidates(&survey).into_iter().filter(|c| {
                matches!(c.mechanism, StartMechanism::Enter | StartMechanism::Space)
                    || moved_on && c.mechanism == StartMechanism::ClickCanvas
            });
            self.explore(path, keys.collect());
        } else {
            self.done = way.to_vec();
        }
        Ok(None)
    }
}

/// Something falls: finds the board around it and confirms that it is a piece of a game. A picture of a game falls for
/// ever; a piece comes to rest, or answers a key. Otherwise says what it did.
async fn started<D: Driver>(
    d: &mut D,
    path: Vec<StartCandidate>,
    falling: Falling,
) -> Result<Result<Box<Started>, String>, DriverError> {
    let survey = d.survey().await?;
    let hints = hints(&survey);
    let board = locate::first(d, &falling, &hints).await?;
    let Some(sign) = sign_of_life(d, &falling).await? else {
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
    })))
}

/// Keys that move a piece in most games and do harm in hardly any.
const HARMLESS_KEYS: [&str; 8] = [
    "ArrowLeft",
    "ArrowRight",
    "a",
    "d",
    "ArrowUp",
    "h",
    "l",
    "j",
];
/// Rows a piece may fall before it must have come to rest.
const ROWS_TO_REST: f64 = 30.0;

/// What shows that the thing that falls belongs to a game; `None` if nothing does.
async fn sign_of_life<D: Driver>(
    d: &mut D,
    falling: &Falling,
) -> Result<Option<String>, DriverError> {
    d.say("is it a game? trying keys on what falls");
    let mut before = d.advance(super::FRAME_MS).await?.active;
    for key in HARMLESS_KEYS.map(Key::new) {
        let view = d.press(&key, 2.0 * super::FRAME_MS).await?;
        if let (Some(a), Some(b)) = (&before, &view.active)
            && a.cells.len() == b.cells.len()
            && (a.corner().0 != b.corner().0 || a.shape() != b.shape())
        {
            return Ok(Some(format!("it answers {key}")));
        }
        before = view.active;
    }
    d.say("is it a game? waiting for what falls to come to rest");
    let gravity = falling.gravity_ms.unwrap_or(1_000.0);
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
            return Ok(Some("it comes to rest and another follows".into()));
        }
    }
    Ok(None)
}
