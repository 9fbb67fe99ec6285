//! The screens of a page, searched for the steps that make a piece fall.
//!
//! Comes in: a [`Driver`] whose page is open. Goes out: the start that was found, or everything that was tried.
//! Must never know: what makes a falling thing a game.

use super::candidates::{self, candidates, is_menu_step, menu_ways, press};
use super::menu;
use super::screen::{Thumb, another, same_screen};
use super::smeared::{Smeared, steered, words};
use super::standing::standing;
use super::unseen::Unseen;
use super::watch::{ENOUGH_STEPS, Place, Since, Watched, watch_for_fall};
use super::{
    NotStarted, ON_THE_WAY_MS, SHOWS_MS, StartOutcome, Started, apply, blinks, by, describe,
    region, settle, started,
};
use crate::driver::{Driver, DriverError, exact, hung};
use crate::model::{ClockMode, StartCandidate, StartMechanism, Survey};
use crate::vision::find::Lattice;
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Steps a start may take (close a banner, choose a mode, choose a level, play).
const DEPTH: usize = 4;
/// How much less likely each further offer of a screen is, in steps of a way.
const LATER: f64 = 0.3;
/// How much less likely the first offer of a menu is than what led to it: one menu leads to the next before a game begins.
const ONWARD: f64 = 0.5;
/// Settling time after the selection of a menu was moved.
const MENU_STEP_MS: f64 = 150.0;
/// Things tried before giving up.
const TRIES: usize = 48;
/// Things tried after something fell that came to rest, but answered no key: it may be a title's adornment.
const TRIES_BEYOND_REST: usize = 16;
/// After these tries it is asked whether anything moves that is not seen, and when nothing likely is left: most games run by
/// then. A page's adornment moves before that, and may be painted otherwise than we do.
const UNSEEN_ASKED: [usize; 3] = [6, 10, 16];
/// Wall time after which nothing more is tried where the game lives by the machine's clock.
const REAL_PATIENCE: Duration = Duration::from_secs(75);
/// The same where it lives by ours: pages on which a frame takes long.
const PATIENCE: Duration = Duration::from_mins(2);
/// Cells of one size differ by less than this share, as they are measured.
const SAME_SIZE: f64 = 0.08;
/// Screens that move by themselves on which keys are tried on a piece that may stand, as nothing falls.
const LIVELY: usize = 3;
/// How often a start after which a piece fell is tried again where it, and all others, led to none.
const SEEN_AGAIN: usize = 2;
/// Times the page may stop answering at what is tried; after more it hangs by itself.
const HANGS: usize = 2;

/// Finds out how the game is started. The page must be open. Leaves the game running if it was found.
pub async fn start<D: Driver>(d: &mut D) -> Result<StartOutcome, DriverError> {
    let mut search = Search {
        done: Some(Vec::new()),
        ..Search::default()
    };
    let begun = Instant::now();
    let patience = match d.clock().mode {
        ClockMode::Real => REAL_PATIENCE,
        ClockMode::Virtual => PATIENCE,
    };
    d.say("watching whether the game starts by itself");
    let survey = settle(d).await?;
    let watched = watch_for_fall(d, &Place::of(&survey), ENOUGH_STEPS, Since::Moved).await?;
    match search.take(d, &[], watched).await? {
        Took::Started(started) => return Ok(Ok(started)),
        Took::Smeared(smeared) => return Ok(Err(search.smeared(smeared))),
        Took::Not { .. } => {}
    }
    let first = d.survey().await?;
    search.seen.push(first.clone());
    search.explore(&[], candidates(&first));
    search.explore_menu(d, &[], &first).await?;
    let (mut tries, mut all_keys) = (0, false);
    let (mut asked, mut unseen) = (0, Unseen::default());
    loop {
        let Some(path) = search.next() else {
            if asked != tries && !first.surfaces.is_empty() && unseen.moves(d).await? {
                return Ok(Err(NotStarted {
                    tried: search.tried,
                    unseen: true,
                    smeared: None,
                }));
            }
            asked = tries;
            if all_keys || !first.listeners.hears_keys() {
                break;
            }
            all_keys = true;
            let offer = keys_that_show(d).await?;
            search.explore(&[], offer);
            d.open().await?;
            settle(d).await?;
            search.done = Some(Vec::new());
            search.keyed = false;
            continue;
        };
        tries += 1;
        let most = match search.resting {
            Some((_, since)) => TRIES.min(since + TRIES_BEYOND_REST),
            None => TRIES,
        };
        search.tries = tries;
        if tries > most || begun.elapsed() > patience {
            let left = search.open.len() + 1;
            search.tried.push(format!("{left} more were not tried"));
            break;
        }
        let took = match search.attempt(d, &path).await {
            // A key that the page can't take before the game runs is no way to start it; another may be.
            Err(error) if hung(&error) && search.hangs < HANGS => {
                search.hangs(&path);
                if !d.renew().await? {
                    return Err(error);
                }
                continue;
            }
            took => took?,
        };
        match took {
            Took::Started(started) => return Ok(Ok(started)),
            Took::Smeared(smeared) => return Ok(Err(search.smeared(smeared))),
            Took::Not { changed } if changed || search.moved => unseen.stirs(path),
            Took::Not { .. } => {}
        }
        let ask = UNSEEN_ASKED.contains(&tries) && !first.surfaces.is_empty();
        if ask {
            asked = tries;
            search.done = None;
        }
        if ask && unseen.moves(d).await? {
            return Ok(Err(NotStarted {
                tried: search.tried,
                unseen: true,
                smeared: None,
            }));
        }
    }
    // Better than nothing: what fell and came to rest is brought back.
    for path in search.resting.take().into_iter().flat_map(|r| r.0) {
        d.open().await?;
        match by(d, &path).await? {
            Ok(started) => return Ok(Ok(started)),
            Err(why) => search.tried.push(format!("{}: {why}", describe(&path))),
        }
    }
    Ok(Err(NotStarted {
        tried: search.tried,
        unseen: false,
        smeared: None,
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

/// Are cells as large as others?
fn on_such(cells: &Lattice, others: &Lattice) -> bool {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < SAME_SIZE;
    near(cells.cell_w, others.cell_w) && near(cells.cell_h, others.cell_h)
}

/// The way to the screen on which a way ends: without what only moves through its menu.
fn screen_of(way: &[StartCandidate]) -> &[StartCandidate] {
    let steps = way.iter().rev().take_while(|s| is_menu_step(s)).count();
    &way[..way.len() - steps]
}

/// What watching led to.
enum Took {
    Started(Box<Started>),
    Smeared(Smeared),
    Not { changed: bool },
}

/// The screens of a page, explored from what is likeliest: the first offers of a screen that was just reached come
/// before the last ones of the screen before it, and after its first ones.
#[derive(Default)]
struct Search {
    /// Each thing tried and what came of it.
    tried: Vec<String>,
    /// Screens whose offers were explored already.
    seen: Vec<Survey>,
    /// Words that come and go by themselves.
    blinks: BTreeSet<String>,
    /// Ways still to try, with how unlikely they are.
    open: Vec<(f64, Vec<StartCandidate>)>,
    /// How unlikely the way is that is being tried.
    cost: f64,
    /// What has been done to the page as it stands; `None` if that is more than a way.
    done: Option<Vec<StartCandidate>>,
    /// Ways tried since the page was opened.
    here: Vec<Vec<StartCandidate>>,
    /// Were keys pressed on it for another reason: does a piece stand that they move?
    keyed: bool,
    /// Did the last of them change what the page offers? Then it is what begins the game that runs.
    moved: bool,
    /// Is the screen that shows a menu, if that was asked?
    menu: Option<bool>,
    /// How the page looked while it was watched, by what had been done to it.
    shown: HashMap<String, Vec<Thumb>>,
    /// Things tried so far.
    tries: usize,
    /// Times the page stopped answering.
    hangs: usize,
    /// Screens that move by themselves on which a piece was looked for that stands.
    lively: usize,
    /// The cells of a piece that stands until keys move it.
    standing: Option<Lattice>,
    /// What may have brought something that fell and came to rest, but answered no key, or a piece that stands, and after
    /// how many tries.
    resting: Option<(Vec<Vec<StartCandidate>>, usize)>,
}

impl Search {
    /// No start that can be played on was found, but one of a game that cannot be read.
    fn smeared(self, smeared: Smeared) -> NotStarted {
        NotStarted {
            tried: self.tried,
            unseen: false,
            smeared: Some(smeared),
        }
    }

    /// The page stopped answering at the last step of a way, and another one takes its place.
    fn hangs(&mut self, path: &[StartCandidate]) {
        self.hangs += 1;
        self.done = None;
        let what = describe(path);
        self.tried
            .push(format!("{what}: the page stopped answering"));
    }

    /// Are two the same screen, whatever blinks on it?
    fn same(&self, one: &Survey, other: &Survey) -> bool {
        same_screen(one, other, &self.blinks)
    }

    /// How much less likely what a screen offers is than what led to it.
    fn onward(&self) -> f64 {
        if self.menu == Some(true) { ONWARD } else { 1.0 }
    }

    /// What is on offer after `way`, likeliest first.
    fn explore(&mut self, way: &[StartCandidate], offer: Vec<StartCandidate>) {
        let so_far = self.cost + self.onward();
        for (place, next) in offer.into_iter().enumerate() {
            let mut path = way.to_vec();
            path.push(next);
            let cost = so_far + LATER * place as f64;
            self.open.push((cost, path));
        }
    }

    /// Where `way` led to a menu that is drawn and moved through by a key, its further items are on offer, too. They come
    /// right after its first one: where the first does not start the game, it is most often the last that does.
    async fn explore_menu<D: Driver>(
        &mut self,
        d: &mut D,
        way: &[StartCandidate],
        survey: &Survey,
    ) -> Result<(), DriverError> {
        let answers = match self.menu {
            Some(known) => known,
            None => menu::answers(d, survey).await?,
        };
        if !answers {
            return Ok(());
        }
        self.done = None;
        for (place, items) in menu_ways().enumerate() {
            let path = way.iter().cloned().chain(items).collect();
            let cost = self.cost + self.onward() + LATER * (place as f64 + 0.5);
            self.open.push((cost, path));
        }
        Ok(())
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
            // What falls on other cells than the piece has that keys move is part of the scenery.
            Watched::Falls(falling)
                if self
                    .standing
                    .is_some_and(|cells| !on_such(&falling.lattice, &cells)) =>
            {
                self.done = None;
                let why = format!("not where a piece goes aside at keys: {}", falling.why);
                (why, true)
            }
            Watched::Falls(falling) => match started(d, path.to_vec(), *falling).await? {
                Ok(started) if started.answers => {
                    return Ok(Took::Started(self.credited(d, started).await?));
                }
                Ok(started) => {
                    if self.resting.is_none() {
                        self.resting = Some((self.ways_to(path), self.tries));
                    }
                    self.done = None;
                    (started.why, true)
                }
                Err(why) => (why, true),
            },
            Watched::Smears(smear) => {
                let key = steered(d, &smear).await?;
                self.done = None;
                let seen = words(&smear);
                if let Some(key) = key {
                    return Ok(Took::Smeared(Smeared {
                        why: format!("{}; {seen}; {key} moves it aside", describe(path)),
                        path: path.to_vec(),
                        seen,
                    }));
                }
                (format!("{seen}, and answers no key"), true)
            }
            Watched::Not {
                why,
                changed,
                thumbs,
            } => {
                self.shown.insert(describe(path), thumbs);
                // A game whose pieces stand may only not have begun: many move them at keys before that. What came to rest
                // on a screen before this one is more likely that screen's adornment.
                let seen = self.resting.is_some() && (self.standing.is_some() || !self.moved);
                if seen || self.is_menu(d, path).await? {
                    (why, changed)
                } else {
                    let pushed = standing(d, self.lively < LIVELY, !changed).await?;
                    self.keyed = true;
                    self.lively += usize::from(pushed.lively);
                    if pushed.changed {
                        self.done = None;
                    }
                    if pushed.falls
                        && let Some(started) = self.began_unseen(d, path).await?
                    {
                        return Ok(Took::Started(started));
                    }
                    match pushed.piece {
                        Some(piece) => {
                            self.resting = Some((self.ways_to(path), self.tries));
                            self.standing = Some(piece.lattice);
                            (piece.why, true)
                        }
                        None => (why, changed),
                    }
                }
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

    /// Is the screen that `path` just led to, or that the page began with, a menu? On one there is no piece that stands.
    async fn is_menu<D: Driver>(
        &mut self,
        d: &mut D,
        path: &[StartCandidate],
    ) -> Result<bool, DriverError> {
        if !self.moved && !path.is_empty() {
            return Ok(false);
        }
        let survey = d.survey().await?;
        let answers = menu::answers(d, &survey).await?;
        self.menu = Some(answers);
        if answers {
            self.done = None;
        }
        Ok(answers)
    }

    /// Something falls after `found`. What was tried on this page before may have begun the game, while nothing showed for
    /// longer than it was watched: `found`, then the others, the last one first, then all in turn.
    fn ways_to(&self, found: &[StartCandidate]) -> Vec<Vec<StartCandidate>> {
        let mut ways = vec![found.to_vec()];
        if self.moved {
            return ways;
        }
        let others = self.here.iter().filter(|way| !found.starts_with(way));
        ways.extend(others.rev().cloned());
        if ways.len() > 1 {
            // The way to the first of them, and the last step of each.
            let first = self.here.iter().take(1).flatten();
            let steps = self.here.iter().skip(1).filter_map(|way| way.last());
            ways.push(first.chain(steps).cloned().collect());
        }
        ways
    }

    /// A way that was found after others is confirmed on a fresh page, and where it does not start the game there, the
    /// others are. What was seen here is not gone by: what was tried on a game that ran may have left blocks behind,
    /// which would be taken for the ground.
    async fn credited<D: Driver>(
        &self,
        d: &mut D,
        found: Box<Started>,
    ) -> Result<Box<Started>, DriverError> {
        let mut ways = self.ways_to(&found.path);
        // They may have begun the game, too, where any key does.
        let keyed = self.keyed && !self.moved;
        if ways.len() == 1 && !keyed {
            return Ok(found);
        }
        if keyed {
            ways.push(vec![press(exact::KEYS[0], StartMechanism::Anykey)]);
        }
        // The piece that came may have been one that can't be seen.
        let again = std::iter::repeat_n(&ways[0], SEEN_AGAIN);
        for way in ways.iter().chain(again) {
            d.open().await?;
            match by(d, way).await? {
                // Keys move a piece in many games that have not begun.
                Ok(started) if started.answers && (found.stands || !started.stands) => {
                    return Ok(started);
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// Something falls since keys were pressed for another reason, after `path`. The page may only take longer to show its
    /// game than it was watched for.
    async fn began_unseen<D: Driver>(
        &mut self,
        d: &mut D,
        path: &[StartCandidate],
    ) -> Result<Option<Box<Started>>, DriverError> {
        self.done = None;
        for way in self.ways_to(path) {
            d.open().await?;
            if let Ok(started) = by(d, &way).await?
                && started.answers
            {
                return Ok(Some(started));
            }
        }
        Ok(None)
    }

    /// Does the last step of a way, after the others where the page is not there yet, and watches what comes of it.
    async fn attempt<D: Driver>(
        &mut self,
        d: &mut D,
        path: &[StartCandidate],
    ) -> Result<Took, DriverError> {
        let Some((last, way)) = path.split_last() else {
            return Ok(Took::Not { changed: false });
        };
        if self.done.as_deref() != Some(way) {
            d.open().await?;
            settle(d).await?;
            self.here.clear();
            self.keyed = false;
            for step in way {
                apply(d, step).await?;
                let wait = if is_menu_step(step) {
                    MENU_STEP_MS
                } else {
                    ON_THE_WAY_MS
                };
                d.advance(wait).await?;
            }
        }
        d.say(&format!("trying to start: {}", describe(path)));
        let before = d.survey().await?;
        self.here.push(path.to_vec());
        apply(d, last).await?;
        d.advance(SHOWS_MS).await?;
        let survey = d.survey().await?;
        let since = if self.same(&survey, &before) {
            let looked = self.shown.get(&describe(screen_of(way)));
            Since::Unmoved(looked.map_or(&[], Vec::as_slice))
        } else {
            Since::Moved
        };
        self.moved = matches!(since, Since::Moved);
        self.menu = None;
        let watched = watch_for_fall(d, &Place::of(&survey), ENOUGH_STEPS, since).await?;
        self.done = Some(path.to_vec());
        let rested = self.resting.is_some();
        let changed = match self.take(d, path, watched).await? {
            Took::Not { changed } => changed,
            found => return Ok(found),
        };
        // Where a piece waits, what makes it fall is at hand.
        if self.resting.is_some() && !rested {
            self.cost = 0.0;
        }
        let mut survey = d.survey().await?;
        if !self.same(&survey, &before) {
            let (blink, now) = blinks(d, vec![before.clone(), survey]).await?;
            self.blinks.extend(blink);
            survey = now;
        }
        let depth = path.iter().filter(|s| !is_menu_step(s)).count();
        if !self.same(&survey, &before) {
            let known = self.seen.iter().any(|seen| self.same(seen, &survey));
            if !known && depth < DEPTH {
                self.seen.push(survey.clone());
                self.explore(path, candidates(&survey));
                self.explore_menu(d, path, &survey).await?;
            }
            return Ok(Took::Not { changed });
        }
        let looks = |path: &[StartCandidate]| self.shown.get(&describe(path));
        let moved_on = match (looks(screen_of(way)), looks(path)) {
            (Some(before), Some(after)) => another(before, after),
            _ => false,
        };
        // A menu that is only drawn offers nothing that could be compared; and a click may have done no more than give
        // the playfield the keyboard.
        let focused = last.mechanism == StartMechanism::ClickCanvas && !changed;
        if (moved_on || focused) && depth < DEPTH {
            let keys = candidates(&survey).into_iter().filter(|c| {
                matches!(c.mechanism, StartMechanism::Enter | StartMechanism::Space)
                    || moved_on && c.mechanism == StartMechanism::ClickCanvas
            });
            self.explore(path, keys.collect());
            if moved_on {
                self.explore_menu(d, path, &survey).await?;
            }
        } else if self.done.is_some() {
            self.done = Some(way.to_vec());
        }
        Ok(Took::Not { changed })
    }
}
