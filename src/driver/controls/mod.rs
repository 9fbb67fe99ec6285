//! Which key does what: every candidate is tried from a known state and judged by what the piece did.
//!
//! Comes in: a [`Driver`] with a running game and a watched board. Goes out: a [`ControlMap`] with an observation for
//! every key tried. Must never know: what a page says its keys are.

mod confirm;
mod crown;
mod echo;
mod effect;
mod held;
mod known;
mod map;
mod search;
mod stuck;
mod trial;
mod waiting;

pub use crown::Crown;
pub use effect::{Effect, Press, drop_distance, effect, without};
pub use held::{LAGS, PLAINLY};
pub use known::{confirm_known, try_key};

use super::flicks::Flicks;
use super::{Driver, DriverError, FRAME_MS};
use crate::model::{Action, ActivePiece, By, ControlMap, Grid, Key, StartCandidate};
use std::collections::{BTreeMap, BTreeSet};

/// The keys that are tried, likeliest first; those that may leave the game come last.
pub fn candidate_keys() -> Vec<Key> {
    let mut keys: Vec<String> = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", " "]
        .map(String::from)
        .to_vec();
    keys.extend("adswzxcqejlikhgfvbtyuomp".chars().map(String::from));
    keys.extend(["Shift", "Control", "Tab"].map(String::from));
    keys.extend("1234567890,./;'[]-=\\`".chars().map(String::from));
    keys.extend(["Home", "End", "PageUp", "PageDown", "Insert"].map(String::from));
    keys.extend(["r", "n", "Enter", "Backspace", "Delete", "Escape"].map(String::from));
    keys.into_iter().map(Key::new).collect()
}

/// How long a tap is at first: the shortest that a game which polls once a frame can see.
const TAP_MS: f64 = FRAME_MS;
/// How long a tap is where a key is not heard again for a while after it was.
const SPACED_MS: f64 = 9.0 * FRAME_MS;
/// How long a key is held that did nothing when tapped.
const HELD_MS: f64 = 11.0 * FRAME_MS;
/// Free rows below a piece that a trial needs, so that gravity alone can't end it meanwhile.
const ROOM: i32 = 4;
/// Rows below the upper edge from which a piece is tried: many games do not turn one that would reach over the edge,
/// and some do not move one that is not wholly on the board.
const CLEAR_OF_TOP: i32 = 2;
/// Taps in a row that tell a soft drop of a row a tap from gravity.
const BURST: i32 = 4;
/// Pieces let down for something to lie on the board, at most.
const BUILT: usize = 3;
/// Keys that are tried on one piece, and silent ones before it is looked whether the game still runs.
const BATCH: usize = 6;
/// Longest countdown after a pause.
pub const COUNTDOWN_MS: f64 = 3_600.0;
/// Gravity assumed until it was measured.
const GRAVITY_GUESS_MS: f64 = 1_000.0;
/// Part of gravity's interval within which a piece falls for sure.
const WITH_THE_FALL: f64 = 1.2;

/// What came of looking for the controls.
#[derive(Debug)]
struct Found {
    /// Per key, what it did, each time it was tried.
    effects: BTreeMap<Key, Vec<(Effect, f64)>>,
}

/// Looks for the keys of every action. `path` starts the game again if a key leaves it.
pub async fn discover<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
) -> Result<ControlMap, DriverError> {
    let mut search = Search::new(path);
    search.all(d).await?;
    let map = search.map();
    d.set_controls(map.clone(), By::Discovery);
    Ok(map)
}

/// Looks again for one action: every key that is not known for something else.
pub async fn rediscover<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
    action: Action,
) -> Result<ControlMap, DriverError> {
    let old = d.controls().clone();
    let taken: Vec<Key> = old
        .iter()
        .filter(|(a, _)| *a != action)
        .filter_map(|(_, m)| m.key.clone())
        .collect();
    let fresh = discover_among(d, path, |k| !taken.contains(k)).await?;
    let mut map = old;
    if let Some(m) = fresh.get(action) {
        map.set(action, m.clone());
    }
    map.key_observations.extend(fresh.key_observations);
    d.set_controls(map.clone(), By::Discovery);
    Ok(map)
}

async fn discover_among<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
    keep: impl Fn(&Key) -> bool + Send,
) -> Result<ControlMap, DriverError> {
    let mut search = Search::new(path);
    let keys: Vec<Key> = candidate_keys().into_iter().filter(keep).collect();
    search.try_keys(d, &keys).await?;
    search.confirm(d).await?;
    Ok(search.map())
}

/// What trials of a key showed beside its effect.
#[derive(Debug, Default)]
struct Seen {
    /// Did the piece go down at all, in any of them?
    went_down: bool,
    /// Did it land at once, in the last?
    landed: bool,
}

struct Search<'a> {
    path: &'a [StartCandidate],
    gravity_ms: f64,
    /// Was it measured?
    timed: bool,
    found: Found,
    restarts: u32,
    pause: Option<(Key, bool)>,
    /// Other keys that stop the game and let it go on.
    stops: BTreeSet<Key>,
    /// A key at which the game stood still behind words, and did not go on at that key.
    stuck: Option<Key>,
    /// What the last trials showed beside their effects.
    seen: Seen,
    /// Pieces are let fall to the middle of the board before a key is tried on them.
    deep: bool,
    /// Free rows that a piece is to have below it, where a new game can give it them.
    room: i32,
    /// Does the stack reach the top?
    crown: Crown,
    /// A key that moves a piece to one side, how long it is pressed, and the side for which pieces are to have room.
    aside: Option<(Key, f64, i32)>,
    /// Keys that did something, or may have, while several were tried on one piece.
    single: BTreeSet<Key>,
    /// The last key that certainly did something then.
    stirred: Option<Key>,
    /// How often nothing went on where a piece was waited for, so that the game was begun anew.
    standstills: u32,
    /// Times the key that drops pieces did nothing to one: the game stood still, and that key may have let it go on.
    undropped: u32,
    /// A piece on which something was tried that may be refused a second time.
    used: Option<u64>,
    /// How long taps must be to be heard each time, and for the next one to be heard, where short ones were not.
    spaced_ms: f64,
    /// Are presses heard between which no time passes?
    flicks: Flicks,
    /// Every key was tried.
    complete: bool,
    /// What people were last shown of what was found.
    shown: ControlMap,
}

/// What came of trying several keys on one piece.
enum Several {
    /// None of them did anything that gravity could not have done.
    Silent,
    /// All was quiet until this one of them.
    Stirred(usize),
    /// The game stands still.
    Stopped,
    /// The game stood still until it was begun anew, or until a key that does something else let it go on.
    StoodStill,
    /// No piece came with time enough.
    NoPiece,
    /// The page stopped answering at this one of them.
    Hung(usize, DriverError),
}

/// What came of trying a key.
enum Tried {
    /// What it did, and how long it was held for that.
    Did(Effect, f64),
    /// It stopped the game, which is noted already.
    Stopped,
    /// No piece came on which it could be tried.
    NoPiece,
}

/// A piece with room to try something on it.
struct Ready {
    piece: ActivePiece,
    stack: Grid,
}

impl<'a> Search<'a> {
    fn new(path: &'a [StartCandidate]) -> Self {
        Self {
            path,
            gravity_ms: GRAVITY_GUESS_MS,
            timed: false,
            found: Found {
                effects: BTreeMap::new(),
            },
            restarts: 0,
            pause: None,
            stops: BTreeSet::new(),
            stuck: None,
            seen: Seen::default(),
            deep: false,
            room: ROOM,
            crown: Crown::default(),
            aside: None,
            single: BTreeSet::new(),
            stirred: None,
            standstills: 0,
            undropped: 0,
            used: None,
            spaced_ms: 0.0,
            flicks: Flicks::default(),
            complete: false,
            shown: ControlMap::default(),
        }
    }
}

impl Search<'_> {
    async fn all<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        self.expect_effects(d).await?;
        self.try_keys(d, &candidate_keys()).await?;
        if self.complete && !self.moves_aside() && d.effects_within() <= 0.0 {
            self.try_slowly(d).await?;
        }
        let none = !self
            .found
            .effects
            .values()
            .flatten()
            .any(|(e, _)| confirm::is_turn(e));
        if let Some(aside) = self.other_side().filter(|_| self.complete) {
            // Pieces may come where there is no room to that side.
            self.aside = Some(aside);
            let silent = self.silent();
            // What they did without room says nothing.
            for key in &silent {
                self.found.effects.remove(key);
            }
            self.try_keys(d, &silent).await?;
        }
        if self.complete && none {
            // Every game turns its pieces: what was silent once may have been refused where the piece happened to be.
            let silent = self.silent();
            self.deep = true;
            self.try_keys(d, &silent).await?;
            self.deep = false;
        }
        self.confirm(d).await?;
        if self.complete {
            self.hold_longer(d).await?;
        }
        if let Some(aside) = self.doubtful_side().filter(|_| self.complete) {
            // What moved a piece to that side once may have turned it, while the key for it had no room.
            self.aside = Some(aside);
            let silent = self.silent();
            for key in &silent {
                self.found.effects.remove(key);
            }
            self.try_keys(d, &silent).await?;
            self.confirm_these(d, &silent).await?;
        }
        if self.complete {
            self.unstick(d).await?;
        }
        Ok(())
    }

    /// Finds out how long the effect of a key has to be waited for.
    async fn expect_effects<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        d.expect_effects_within(0.0);
        self.measure_gravity(d).await?;
        if self.shows_with_falls(d).await? == Some(true) {
            d.expect_effects_within(self.gravity_ms * WITH_THE_FALL);
        }
        Ok(())
    }

    /// No key moved a piece aside: what keys do may show only when the piece falls, so all are tried once more and looked
    /// at then.
    async fn try_slowly<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        d.expect_effects_within(self.gravity_ms * WITH_THE_FALL);
        let before = std::mem::take(&mut self.found.effects);
        let single = std::mem::take(&mut self.single);
        self.try_keys(d, &candidate_keys()).await?;
        if !self.moves_aside() {
            d.expect_effects_within(0.0);
            (self.found.effects, self.single) = (before, single);
        }
        Ok(())
    }

    /// Did any key move a piece aside?
    fn moves_aside(&self) -> bool {
        let mut all = self.found.effects.values().flatten();
        all.any(|(e, _)| matches!(e, Effect::Sideways(_)))
    }

    /// Keys that have done nothing so far.
    fn silent(&self) -> Vec<Key> {
        candidate_keys()
            .into_iter()
            .filter(|k| {
                let seen = self.found.effects.get(k);
                seen.is_some_and(|e| e.iter().all(|(e, _)| *e == Effect::Nothing))
            })
            .collect()
    }

    /// Where a key moves pieces to one side and none to the other: that key, for how long it is pressed, and the side
    /// that is missing.
    fn other_side(&self) -> Option<(Key, f64, i32)> {
        match (self.sure_side(-1, 1), self.sure_side(1, 1)) {
            (Some((key, held)), None) => Some((key, held, 1)),
            (None, Some((key, held))) => Some((key, held, -1)),
            _ => None,
        }
    }

    /// The key that moves pieces to a side each time, as far as is known, and how long it is pressed.
    fn sure_side(&self, side: i32, times: usize) -> Option<(Key, f64)> {
        let aside = |e: &Effect| matches!(e, Effect::Sideways(n) if n.signum() == side);
        self.found.effects.iter().find_map(|(key, all)| {
            let (_, held) = all.iter().rfind(|(e, _)| aside(e))?;
            let did = all.iter().filter(|(e, _)| aside(e)).count();
            (did >= times).then(|| (key.clone(), *held))
        })
    }

    /// The side whose key is in doubt while that of the other one is known, as in [`Search::other_side`].
    fn doubtful_side(&self) -> Option<(Key, f64, i32)> {
        match (self.sure_side(-1, 2), self.sure_side(1, 2)) {
            (Some((key, held)), None) => Some((key, held, 1)),
            (None, Some((key, held))) => Some((key, held, -1)),
            _ => None,
        }
    }

    fn note(&mut self, key: &Key, did: Effect, held: f64) {
        self.found
            .effects
            .entry(key.clone())
            .or_default()
            .push((did, held));
    }

    /// Shows what was found so far to people who watch, where it is more than before.
    fn show<D: Driver>(&mut self, d: &mut D) {
        let mut map = d.controls().clone();
        for (action, mapping) in self.map().iter().filter(|(_, m)| m.key.is_some()) {
            map.set(action, mapping.clone());
        }
        if map != self.shown {
            self.shown = map.clone();
            d.show_controls(map);
        }
    }

    /// How often a key did something.
    fn times(&self, key: &Key, what: &Effect) -> usize {
        let seen = self.found.effects.get(key).map(Vec::as_slice);
        seen.unwrap_or_default()
            .iter()
            .filter(|(e, _)| e == what)
            .count()
    }
}

/// Any piece will do.
fn any_piece(_: &ActivePiece) -> bool {
    true
}
/// Would a quarter turn show on it?
pub fn turns_show(piece: &ActivePiece) -> bool {
    piece.shape().turned_clockwise() != piece.shape()
}

/// Would it show which way it was turned?
pub fn directions_show(piece: &ActivePiece) -> bool {
    piece.shape().turned_clockwise().turned_clockwise() != piece.shape()
}

/// Can all of the piece be seen? It has four cells, or, where pieces are of other sizes, none in the top row.
pub fn whole(piece: &ActivePiece) -> bool {
    piece.cells.len() >= 4 || piece.corner().1 > 0
}
