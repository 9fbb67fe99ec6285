//! The loop: look, choose, act, judge, remember.
//!
//! Comes in: a ground, limits, somebody to tell. Goes out: the journey. Must never know: what the page is made of.
//!
//! An action is done at most once in a state it changed nothing in. What helped elsewhere comes first. A loop between
//! known states is no progress: after a few steps that led nowhere new, a known way to a state with something untried
//! is taken, and where there is none, the page is opened again and a recorded path is done over.

use super::act::{Act, Experience, candidates};
use super::graph::Graph;
use super::ground::{Ground, GroundError, Look, Unasked};
use super::journey::{Ending, Journey, Responsiveness, Step};
use crate::model::Raster;
use crate::progress::ask::VisionJudge;
use crate::progress::{Answer, Observation, StateAnalyzer};
use std::time::{Duration, Instant};

/// Game time between pictures while nothing is done.
const IDLE_MS: u32 = 250;
/// Pictures taken while nothing is done.
const IDLE: usize = 4;
/// Game time from the action to the first picture after it, and from that to the second.
const AFTER_MS: u32 = 1000;
/// Pictures of a state that are kept beyond those.
const KEPT: usize = 6;
/// Steps without anything new after which another way is taken.
const STUCK: usize = 3;
/// The page is opened again at most so often.
const BACKTRACKS: usize = 6;

/// When to stop.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Actions at most.
    pub actions: usize,
    /// Wall time at most.
    pub time: Option<Duration>,
    /// Stop when the page shows this text.
    pub until: Option<String>,
}

/// Explores.
///
/// `tell` is called after each step and says whether to go on. `model` is asked where a verdict is uncertain; `dollars`
/// tells what that cost so far.
pub async fn explore<G: Ground>(
    ground: &mut G,
    target: &str,
    limits: &Limits,
    mut model: Option<&mut (dyn VisionJudge + Send)>,
    mut tell: impl FnMut(&Step, &Graph) -> bool,
) -> Journey {
    let begun = Instant::now();
    let mut walk = Walk::default();
    let ending = walk
        .go(ground, limits, &mut model, &mut tell, begun)
        .await
        .unwrap_or_else(|error| Ending::Failed {
            what: error.to_string(),
        });
    walk.journey(target, ending, begun.elapsed())
}

#[derive(Default)]
struct Walk {
    graph: Graph,
    experience: Experience,
    steps: Vec<Step>,
    /// What was done since the page was opened, as far as it progressed.
    path: Vec<(usize, Act)>,
    backtracks: usize,
    stuck: usize,
    dialogs: Vec<String>,
    errors: Vec<String>,
    dead_ends: Vec<usize>,
    /// The state it is in, as far as that is known.
    here: Option<usize>,
    /// Pictures and texts of this state from actions without effect: what moves slowly shows itself in time.
    seen_before: Vec<Look>,
    /// What is to be done to get to where something is untried.
    way: Vec<Act>,
}

/// What was seen of a moment.
struct Moment {
    pictures: Vec<Raster>,
    texts: Vec<String>,
}

impl Walk {
    async fn go<G: Ground>(
        &mut self,
        ground: &mut G,
        limits: &Limits,
        model: &mut Option<&mut (dyn VisionJudge + Send)>,
        tell: &mut impl FnMut(&Step, &Graph) -> bool,
        begun: Instant,
    ) -> Result<Ending, GroundError> {
        ground.open().await?;
        self.hear(ground.unasked());
        loop {
            if self.steps.len() >= limits.actions {
                return Ok(Ending::Actions);
            }
            if limits.time.is_some_and(|most| begun.elapsed() >= most) {
                return Ok(Ending::Time);
            }
            let mut calm = idle(ground).await?;
            let shown = calm.last();
            if limits
                .until
                .as_ref()
                .is_some_and(|goal| shown.text.contains(goal.as_str()))
            {
                return Ok(Ending::Goal);
            }
            // A world that moves by itself is still the same state; one that became another screen is not.
            let state = if let Some(here) = self.here.filter(|&here| self.graph.still(here, &shown))
            {
                here
            } else {
                self.seen_before.clear();
                self.graph.place(&shown).0
            };
            self.here = Some(state);
            calm.precede(&self.seen_before);
            let Some(act) = self.choose(ground, state).await? else {
                if self.backtrack(ground).await? {
                    continue;
                }
                return Ok(Ending::NothingLeft);
            };
            if !self.step(ground, state, act, calm, model, tell).await? {
                return Ok(Ending::Stopped);
            }
        }
    }

    /// The next action here; `None` when all was tried here and no known way leads on.
    async fn choose<G: Ground>(
        &mut self,
        ground: &mut G,
        state: usize,
    ) -> Result<Option<Act>, GroundError> {
        if let Some(act) = self.way.pop() {
            return Ok(Some(act));
        }
        let sight = ground.sight().await?;
        let tried = &self.graph.states[state].tried;
        let mut best: Option<(f64, Act)> = None;
        for act in candidates(&sight) {
            if tried.contains(&act.id()) {
                continue;
            }
            let promise = self.experience.promise(&act);
            if best.as_ref().is_none_or(|(most, _)| promise > *most) {
                best = Some((promise, act));
            }
        }
        let untried = |s: &super::State| s.id != state && !self.dead_ends.contains(&s.id);
        let elsewhere = self.graph.way(state, untried);
        let weary = self.stuck >= STUCK * 4
            && self.graph.states[state]
                .steps
                .iter()
                .any(|(_, to)| *to != state);
        match (best, elsewhere) {
            (Some((_, act)), None) => Ok(Some(act)),
            (Some((_, act)), Some(_)) if !weary => Ok(Some(act)),
            (best, Some(mut way)) => {
                if best.is_none() {
                    self.dead_ends.push(state);
                }
                self.stuck = 0;
                way.reverse();
                self.way = way;
                Ok(self.way.pop())
            }
            (None, None) => {
                self.dead_ends.push(state);
                Ok(None)
            }
        }
    }

    /// Does something, judges it, and tells; says whether to go on.
    async fn step<G: Ground>(
        &mut self,
        ground: &mut G,
        state: usize,
        act: Act,
        calm: Moment,
        model: &mut Option<&mut (dyn VisionJudge + Send)>,
        tell: &mut impl FnMut(&Step, &Graph) -> bool,
    ) -> Result<bool, GroundError> {
        let begun = Instant::now();
        ground.act(&act).await?;
        let mut after = Moment {
            pictures: Vec::new(),
            texts: Vec::new(),
        };
        for _ in 0..2 {
            ground.pass(AFTER_MS).await?;
            after.add(ground.look().await?);
        }
        let unasked = ground.unasked();
        let seen = Observation {
            before: calm.pictures.last().cloned(),
            idle: calm.pictures,
            after: after.pictures.clone(),
            text_before: calm.texts.last().cloned(),
            text_idle: calm.texts,
            text_after: after.texts.clone(),
            deed: act.deed(),
            dialogs: unasked.dialogs.clone(),
            navigated: !unasked.went_to.is_empty(),
            ..Observation::default()
        };
        let judged = match model {
            // A model's server may take its time; the rest of the program goes on meanwhile.
            Some(model) => tokio::task::block_in_place(|| {
                StateAnalyzer.has_state_progressed_asking(&seen, *model)
            }),
            None => StateAnalyzer.has_state_progressed(&seen),
        };
        let judgement = judged.map_err(|e| GroundError::Gone(e.to_string()))?;
        let progressed = judgement.verdict == Answer::Progressed;
        let (to, novel) = if progressed {
            self.graph.place(&after.last())
        } else {
            (state, false)
        };
        self.here = Some(to);
        if progressed {
            self.seen_before.clear();
        } else {
            self.seen_before.extend(after.looks());
            let more = self.seen_before.len().saturating_sub(KEPT);
            self.seen_before.drain(..more);
        }
        self.graph.states[state].tried.insert(act.id());
        self.experience.learn(&act, progressed && novel);
        if progressed {
            if !self.graph.states[state]
                .steps
                .iter()
                .any(|(a, t)| *a == act && *t == to)
            {
                self.graph.states[state].steps.push((act.clone(), to));
            }
            self.path.push((state, act.clone()));
        } else {
            // Whatever way was being gone, it is not this one.
            self.way.clear();
        }
        self.stuck = if progressed && novel {
            0
        } else {
            self.stuck + 1
        };
        let step = Step {
            number: self.steps.len() + 1,
            state,
            action: act.id(),
            act,
            verdict: judgement.verdict,
            confidence: judgement.confidence,
            boxes: judgement.boxes().into_iter().take(8).collect(),
            reasons: judgement.reasons,
            to,
            novel,
            dialogs: unasked.dialogs.clone(),
            errors: unasked.errors.clone(),
            milliseconds: (begun.elapsed().as_secs_f64() * 1e4).round() / 10.0,
        };
        self.hear(unasked);
        let on = tell(&step, &self.graph);
        self.steps.push(step);
        Ok(on)
    }

    /// Opens the page again and does the path over up to a state that still has a way that was not gone; says whether
    /// there was one.
    async fn backtrack<G: Ground>(&mut self, ground: &mut G) -> Result<bool, GroundError> {
        if self.backtracks >= BACKTRACKS {
            return Ok(false);
        }
        let Some(upto) = self
            .path
            .iter()
            .rposition(|(s, _)| !self.dead_ends.contains(s))
        else {
            return Ok(false);
        };
        self.backtracks += 1;
        self.stuck = 0;
        let path: Vec<(usize, Act)> = self.path.drain(..).collect();
        self.here = None;
        ground.open().await?;
        for (state, act) in path.into_iter().take(upto) {
            ground.act(&act).await?;
            ground.pass(AFTER_MS).await?;
            self.path.push((state, act));
        }
        self.hear(ground.unasked());
        Ok(true)
    }

    fn hear(&mut self, unasked: Unasked) {
        self.dialogs.extend(unasked.dialogs);
        self.errors.extend(unasked.errors);
    }

    fn journey(self, target: &str, ending: Ending, wall: Duration) -> Journey {
        let count = |answer| self.steps.iter().filter(|s| s.verdict == answer).count();
        Journey {
            schema_version: 1,
            target: target.into(),
            ending,
            screens: self.graph.screens(),
            responsiveness: Responsiveness {
                actions: self.steps.len(),
                progressed: count(Answer::Progressed),
                unchanged: count(Answer::Unchanged),
                uncertain: count(Answer::Uncertain),
            },
            steps: self.steps,
            graph: self.graph,
            dead_ends: self.dead_ends,
            dialogs: self.dialogs,
            errors: self.errors,
            backtracks: self.backtracks,
            dollars: 0.0,
            wall_seconds: (wall.as_secs_f64() * 10.0).round() / 10.0,
        }
    }
}

impl Moment {
    fn add(&mut self, look: Look) {
        self.pictures.push(look.picture);
        self.texts.push(look.text);
    }

    /// Puts earlier looks before it.
    fn precede(&mut self, earlier: &[Look]) {
        self.pictures
            .splice(0..0, earlier.iter().map(|l| l.picture.clone()));
        self.texts
            .splice(0..0, earlier.iter().map(|l| l.text.clone()));
    }

    fn looks(&self) -> impl Iterator<Item = Look> {
        self.pictures
            .iter()
            .zip(&self.texts)
            .map(|(picture, text)| Look {
                picture: picture.clone(),
                text: text.clone(),
            })
    }

    /// The last look; a moment has at least one.
    fn last(&self) -> Look {
        Look {
            picture: self
                .pictures
                .last()
                .cloned()
                .unwrap_or_else(|| Raster::filled(1, 1, [0; 3])),
            text: self.texts.last().cloned().unwrap_or_default(),
        }
    }
}

/// What the page does by itself.
async fn idle<G: Ground>(ground: &mut G) -> Result<Moment, GroundError> {
    let mut moment = Moment {
        pictures: Vec::new(),
        texts: Vec::new(),
    };
    moment.add(ground.look().await?);
    for _ in 1..IDLE {
        ground.pass(IDLE_MS).await?;
        moment.add(ground.look().await?);
    }
    Ok(moment)
}
