//! The bot: eight phases in plain async code over [`Driver`].
//!
//! Comes in: a driver. Goes out: play, and marks in the log by which checks find what was tried.
//! Must never know: operators, terminals, browsers.

mod beside;
mod compete;
mod hands;
mod known;
mod load;
mod measure;
mod mechanics;
mod new_game;
mod numbers;
mod pause;
mod play;
mod probe;
mod start;
mod taps;
mod top_out;
mod wedge;

use crate::checks;
use crate::driver::controls::Crown;
use crate::driver::flicks::Flicks;
use crate::driver::start::Started;
use crate::driver::{Driver, DriverError, controls};
use crate::evidence::{self, Evidence, Mark};
use crate::model::{Action, ControlMap, Key, Phase, RecordBody, StartCandidate, Survey};
use crate::profile::{Memory, Profile};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseEnd {
    /// Everything it is for was tried.
    Done,
    /// It could not be tried.
    Skipped,
    /// It could not do what it is for.
    Failed,
    /// An error ended it that is not the page's doing, as far as can be told.
    BrokeOff,
}

/// What came of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: PhaseEnd,
    /// In words.
    pub note: String,
}

impl Outcome {
    /// Everything was tried.
    pub fn done(note: &str) -> Self {
        Self {
            end: PhaseEnd::Done,
            note: note.into(),
        }
    }

    /// It could not be tried.
    pub fn skipped(note: &str) -> Self {
        Self {
            end: PhaseEnd::Skipped,
            note: note.into(),
        }
    }

    /// It could not do what it is for.
    pub fn failed(note: &str) -> Self {
        Self {
            end: PhaseEnd::Failed,
            note: note.into(),
        }
    }

    /// An error ended it that is not the page's doing.
    pub fn broke_off(note: &str) -> Self {
        Self {
            end: PhaseEnd::BrokeOff,
            note: note.into(),
        }
    }
}

/// What the bot is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BotOptions {
    /// Game time of competitive play, in seconds; with 0 it is left out.
    pub play_seconds: f64,
}

impl Default for BotOptions {
    fn default() -> Self {
        Self { play_seconds: 60.0 }
    }
}

/// What the bot has learned so far.
#[derive(Debug, Default)]
pub struct Bot {
    options: BotOptions,
    survey: Option<Survey>,
    started: Option<Box<Started>>,
    /// How a game is started in which what falls stays drawn, so that nothing of it can be played.
    smeared: Option<Vec<StartCandidate>>,
    controls: Option<ControlMap>,
    /// Are presses heard between which no time passes?
    flicks: Flicks,
    /// Probes made, per action.
    attempts: BTreeMap<Action, u32>,
    /// Where the next piece is put aside.
    aside: usize,
    /// Fresh starts in this phase.
    restarts: u32,
    /// Clears after which points were looked for, and game milliseconds in which the first ones came at most.
    points_seen: u32,
    points_come_ms: f64,
    /// How often a number that counted up was waited for and did not come to its end.
    counted_in_vain: u32,
    /// The game has to be started again before it is played.
    stale: bool,
    /// Does the stack reach the top?
    crown: Crown,
    /// The control of the page that pauses.
    pause_control: Option<pause::Stopper>,
    /// Controls that come with a pause and begin another game.
    begin_anew: Vec<StartCandidate>,
    /// The key at which a new game began while it was tried whether keys still act after the end.
    began_by: Option<Key>,
    /// What brought a new game after the last end that was followed by one.
    brought: Vec<StartCandidate>,
    /// What earlier runs learned, and what this one does.
    memory: Arc<Memory>,
    /// What is known of this page and was not tried yet.
    known: Option<Box<Profile>>,
    /// Was it asked whether anything is?
    recalled: bool,
    /// The board stands as a person wrote it down.
    board_by_hand: bool,
    /// What playing it taught.
    hands: Option<hands::Hands>,
    /// Phases to come that are played again for the sake of what failed, and of nothing else.
    doubtful: Vec<Phase>,
}

/// Did the page stop answering in several games, and in each before anything came to rest? Each further one would take
/// until the deadline of an answer.
fn hangs_at_once(e: &Evidence) -> bool {
    e.hangs().len() >= 2 && e.locks().next().is_none()
}

/// Is what failed tried again on a page that broke while it was refused WebGL, and still is?
fn needs_webgl(e: &Evidence) -> bool {
    e.attempts().len() > 1 && e.is_without_webgl() && checks::broken_without_webgl(e).is_some()
}

impl Bot {
    /// A bot that knows nothing yet.
    pub fn new(options: BotOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// The next phase begins with a fresh game.
    pub fn afresh(&mut self) {
        self.stale = true;
    }

    /// After the last phase: what failed without a second witness is to be tried again from a fresh page, in another
    /// attempt, which begins now. The phases to play, each [`Bot::afresh`]; none when nothing is in doubt.
    pub fn look_again<D: Driver>(&mut self, d: &mut D) -> Vec<Phase> {
        let (mut phases, number) =
            d.evidence(|e| (checks::again(e), e.attempts().len() as u32 + 1));
        if phases.is_empty() {
            return phases;
        }
        self.doubtful.clone_from(&phases);
        if self.started.is_none() && self.smeared.is_none() {
            self.doubtful.clear();
            // It may start this time, and was not played yet.
            phases.extend(Phase::ALL.into_iter().filter(|p| *p > Phase::Start));
        }
        if self.controls.is_none() && phases.iter().any(|p| *p > Phase::Mechanics) {
            // Without keys nothing can be tried again but looking for them.
            phases.push(Phase::Mechanics);
        }
        phases.sort_unstable();
        phases.dedup();
        let names: Vec<&str> = phases.iter().map(|p| p.title()).collect();
        let why = names.join(", ");
        d.record(RecordBody::Note(format!("attempt {number}: {why}")));
        d.record(RecordBody::Mark(Mark::Attempt { number, why }.to_text()));
        self.attempts.clear();
        if phases.contains(&Phase::Mechanics) {
            // Another way: the keys are looked for anew.
            self.controls = None;
        }
        phases
    }

    /// Plays one phase.
    pub async fn phase<D: Driver>(
        &mut self,
        d: &mut D,
        phase: Phase,
    ) -> Result<Outcome, DriverError> {
        let doubtful = self.doubtful.contains(&phase);
        self.doubtful.retain(|p| *p != phase);
        if d.evidence(needs_webgl) {
            self.stale |= self
                .with_webgl(d, "it threw an exception while it was played")
                .await?;
        }
        let outcome = match phase {
            _ if phase > Phase::Mechanics && d.evidence(hangs_at_once) => Outcome::skipped(
                "the page stopped answering in each game before a piece came to rest",
            ),
            _ if phase > Phase::Start && self.smeared.is_some() => self.smears(d, phase).await?,
            Phase::Load => self.load(d).await?,
            Phase::Start => self.start(d).await?,
            Phase::Mechanics => self.mechanics(d).await?,
            Phase::GameOver => self.game_over(d).await?,
            Phase::Restart => self.new_game(d).await?,
            Phase::Play => self.play(d).await?,
            Phase::Numbers => self.numbers(d).await?,
            Phase::Compete if doubtful && !d.evidence(|e| checks::still_open(e, phase)) => {
                Outcome::skipped("what was in doubt is decided")
            }
            Phase::Compete => self.compete(d).await?,
        };
        // What was left out began no game.
        self.stale &= outcome.end == PhaseEnd::Skipped;
        self.ended(d, phase, &outcome);
        Ok(outcome)
    }

    /// Says in the log how a phase ended.
    pub fn ended<D: Driver>(&mut self, d: &mut D, phase: Phase, outcome: &Outcome) {
        let why = outcome.note.clone();
        let outcome = match outcome.end {
            PhaseEnd::Done => evidence::Outcome::Done,
            PhaseEnd::Skipped => evidence::Outcome::Skipped(why),
            PhaseEnd::Failed => evidence::Outcome::Failed(why),
            PhaseEnd::BrokeOff => evidence::Outcome::BrokeOff(why),
        };
        let mark = Mark::PhaseEnd { phase, outcome };
        d.record(RecordBody::Mark(mark.to_text()));
    }

    /// Presses a key on a piece with room and says in the log what that did.
    pub async fn try_key<D: Driver>(&mut self, d: &mut D, key: &Key) -> Result<(), DriverError> {
        let path = self.started.as_ref().map(|s| s.path.clone());
        let did = controls::try_key(d, &path.unwrap_or_default(), key).await?;
        d.record(RecordBody::Note(format!("{key}: {did}")));
        Ok(())
    }

    /// Looks for one action's key again.
    pub async fn rediscover<D: Driver>(
        &mut self,
        d: &mut D,
        action: Action,
    ) -> Result<(), DriverError> {
        let path = self
            .started
            .as_ref()
            .map(|s| s.path.clone())
            .unwrap_or_default();
        let map = controls::rediscover(d, &path, action).await?;
        let said = map
            .get(action)
            .map(|m| m.observation.clone())
            .unwrap_or_default();
        d.record(RecordBody::Note(format!("{}: {said}", action.name())));
        self.controls = Some(map);
        Ok(())
    }
}
