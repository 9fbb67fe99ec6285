//! The screens of a page, searched for the steps that make a piece fall.
//!
//! Comes in: a [`Driver`] whose page is open. Goes out: the start that was found, or everything that was tried.
//! Must never know: what makes a falling thing a game.

use super::candidates::{self, candidates, press};
use super::screen::{Thumb, another, signature};
use super::watch::{ENOUGH_STEPS, Place, Watched, watch_for_fall};
use super::{
    NotStarted, ON_THE_WAY_MS, StartOutcome, Started, apply, describe, region, settle, started,
};
use crate::driver::{Driver, DriverError};
use crate::model::{ClockMode, StartCandidate, StartMechanism};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

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
