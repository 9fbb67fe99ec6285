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
use super::helm::Helm;
use super::journey::{Ending, Journey, Responsiveness, Step};
use super::scene::{Allowance, Doing, Scene};
use crate::model::Raster;
use crate::progress::ask::{Choice, Offer, VisionJudge};
use crate::progress::{Answer, Observation, StateAnalyzer};
use std::sync::Arc;
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
/// Game time that passes between two looks while the operator drives.
const DRIVEN_MS: u32 = 100;
/// Pictures of states are kept this wide at most.
const SHOT: u32 = 320;
/// So many of the last actions a model is told of when it is asked for the next.
const TOLD: usize = 8;

/// When to stop.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Actions at most.
    pub actions: usize,
    /// Wall time at most.
    pub time: Option<Duration>,
    /// Stop when the page shows this text.
    pub until: Option<String>,
    /// Ask the model, if there is one, what to do next.
    pub advised: bool,
}

/// Somebody who looks on: called at each change, after an action with what was seen of it.
pub trait Onlooker {
    /// Sees how it stands.
    fn see(&mut self, scene: &Scene, done: Option<(&Step, &Observation)>);
}

impl<F: FnMut(&Scene, Option<(&Step, &Observation)>)> Onlooker for F {
    fn see(&mut self, scene: &Scene, done: Option<(&Step, &Observation)>) {
        self(scene, done);
    }
}

/// Explores until a limit is reached, nothing is left, or the helm says to stop.
///
/// `model` is asked where a verdict is uncertain, and, where the limits say so, which action to take next.
pub async fn explore<G: Ground>(
    ground: &mut G,
    target: &str,
    limits: &Limits,
    model: Option<&mut (dyn VisionJudge + Send)>,
    helm: &Helm,
    onlooker: &mut (dyn Onlooker + Send),
) -> Journey {
    let begun = Instant::now();
    let mut walk = Walk {
        helm,
        limits,
        model: model.map(|m| -> &mut (dyn VisionJudge + Send) { m }),
        onlooker,
        begun,
        scene: Scene {
            target: target.into(),
            allowance: Allowance {
                actions: limits.actions,
                seconds: limits.time.map(|t| t.as_secs_f64()),
                dollars: None,
                stuck: STUCK * 4,
            },
            ..Scene::default()
        },
        graph: Graph::default(),
        experience: Experience::default(),
        path: Vec::new(),
        dialogs: Vec::new(),
        errors: Vec::new(),
        dead_ends: Vec::new(),
        seen_before: Vec::new(),
        way: Vec::new(),
        shots: Vec::new(),
        by_hand: 0,
        advised: None,
    };
    walk.scene.allowance.dollars = walk.model.as_ref().map(|m| m.budget());
    let ending = walk
        .go(ground)
        .await
        .unwrap_or_else(|error| Ending::Failed {
            what: error.to_string(),
        });
    walk.show(Doing::Ended(ending.clone()));
    walk.journey(target, ending, begun.elapsed())
}

struct Walk<'a> {
    helm: &'a Helm,
    limits: &'a Limits,
    model: Option<&'a mut (dyn VisionJudge + Send)>,
    onlooker: &'a mut (dyn Onlooker + Send),
    begun: Instant,
    /// What is shown; the steps, the state it is in and how long nothing new came are kept here alone.
    scene: Scene,
    graph: Graph,
    experience: Experience,
    /// What was done since the page was opened, as far as it progressed.
    path: Vec<(usize, Act)>,
    dialogs: Vec<String>,
    errors: Vec<String>,
    dead_ends: Vec<usize>,
    /// Pictures and texts of this state from actions without effect: what moves slowly shows itself in time.
    seen_before: Vec<Look>,
    /// What is to be done to get to where something is untried.
    way: Vec<Act>,
    /// A small picture a state.
    shots: Vec<Raster>,
    /// How often the operator took the keyboard.
    by_hand: usize,
    /// What came of asking for the next action.
    advised: Option<String>,
}

/// What was seen of a moment.
struct Moment {
    pictures: Vec<Raster>,
    texts: Vec<String>,
}

impl Walk<'_> {
    async fn go<G: Ground>(&mut self, ground: &mut G) -> Result<Ending, GroundError> {
        self.show(Doing::Opening);
        ground.open().await?;
        self.hear(ground.unasked());
        loop {
            if !self.turn(ground).await? {
                return Ok(Ending::Stopped);
            }
            if self.scene.steps.len() >= self.limits.actions {
                return Ok(Ending::Actions);
            }
            if self
                .limits
                .time
                .is_some_and(|most| self.begun.elapsed() >= most)
            {
                return Ok(Ending::Time);
            }
            let mut calm = idle(ground).await?;
            let shown = calm.last();
            self.scene.picture = Some(shown.picture.clone());
            self.scene.boxes.clear();
            let goal = self.limits.until.as_ref();
            if goal.is_some_and(|goal| shown.text.contains(goal.as_str())) {
                return Ok(Ending::Goal);
            }
            // A world that moves by itself is still the same state; one that became another screen is not.
            let here = self
                .scene
                .here
                .filter(|&here| self.graph.still(here, &shown));
            let state = here.unwrap_or_else(|| {
                self.seen_before.clear();
                self.place(&shown).0
            });
            self.scene.here = Some(state);
            self.show(Doing::Watching);
            calm.precede(&self.seen_before);
            let Some(act) = self.choose(ground, state, &shown).await? else {
                if self.backtrack(ground).await? {
                    continue;
                }
                return Ok(Ending::NothingLeft);
            };
            // A hold that came while the page was watched still comes before the action; what was seen is old by then
            // only where the operator did something.
            let hands = self.by_hand;
            if !self.turn(ground).await? {
                return Ok(Ending::Stopped);
            }
            if self.by_hand != hands {
                continue;
            }
            self.step(ground, state, act, calm).await?;
        }
    }

    /// Shows how it stands.
    fn show(&mut self, doing: Doing) {
        self.tell(doing, None);
    }

    fn tell(&mut self, doing: Doing, done: Option<(&Step, &Observation)>) {
        let scene = &mut self.scene;
        scene.doing = doing;
        scene.holding = self.helm.wish().hold;
        scene.places = Scene::places(&self.graph, &self.dead_ends);
        scene.path = self
            .path
            .iter()
            .map(|(s, _)| *s)
            .chain(scene.here)
            .collect();
        scene.seconds = self.begun.elapsed().as_secs_f64();
        scene.dollars = self.model.as_ref().map_or(0.0, |m| m.spent());
        scene.dialogs = self.dialogs.len();
        scene.errors = self.errors.len();
        self.onlooker.see(scene, done);
    }

    /// Waits until the operator lets it go on, and drives meanwhile; says whether to go on at all.
    async fn turn<G: Ground>(&mut self, ground: &mut G) -> Result<bool, GroundError> {
        let mut watched = self.helm.watched();
        loop {
            let wish = *watched.borrow_and_update();
            while let Some((key, down)) = self.helm.take_key() {
                ground.key(&key, down).await?;
            }
            if wish.stop {
                return Ok(false);
            }
            if wish.driving {
                if self.scene.doing != Doing::Driven {
                    self.by_hand += 1;
                    // Nobody can go this way again, and where it leads is not known.
                    self.path.clear();
                    self.way.clear();
                    self.seen_before.clear();
                }
                self.scene.here = None;
                let tick = Instant::now() + Duration::from_millis(u64::from(DRIVEN_MS));
                ground.pass(DRIVEN_MS).await?;
                self.scene.picture = Some(ground.look().await?.picture);
                self.scene.boxes.clear();
                self.show(Doing::Driven);
                // Game time runs as wall time does, for it is a person who plays.
                let _ = tokio::time::timeout_at(tick.into(), watched.changed()).await;
                continue;
            }
            if !wish.hold || wish.actions > 0 {
                return Ok(true);
            }
            self.show(Doing::Held);
            if watched.changed().await.is_err() {
                return Ok(false);
            }
        }
    }

    /// The state a look shows, and whether it is new; a new one's picture is kept.
    fn place(&mut self, look: &Look) -> (usize, bool) {
        let (state, novel) = self.graph.place(look);
        if novel {
            let by = look.picture.width().div_ceil(SHOT).max(1);
            self.shots.push(look.picture.shrunk(by));
        }
        (state, novel)
    }

    /// The next action here; `None` when all was tried here and no known way leads on.
    async fn choose<G: Ground>(
        &mut self,
        ground: &mut G,
        state: usize,
        shown: &Look,
    ) -> Result<Option<Act>, GroundError> {
        if let Some(act) = self.way.pop() {
            return Ok(Some(act));
        }
        let sight = ground.sight().await?;
        let tried = &self.graph.states[state].tried;
        let mut possible = candidates(&sight);
        possible.retain(|act| !tried.contains(&act.id()));
        if self.limits.advised
            && !possible.is_empty()
            && let Some(act) = self.advice(shown, &possible)
        {
            return Ok(Some(act));
        }
        let mut best: Option<(f64, Act)> = None;
        for act in possible {
            let promise = self.experience.promise(&act);
            if best.as_ref().is_none_or(|(most, _)| promise > *most) {
                best = Some((promise, act));
            }
        }
        let untried = |s: &super::State| s.id != state && !self.dead_ends.contains(&s.id);
        let elsewhere = self.graph.way(state, untried);
        let weary = self.scene.stuck >= STUCK * 4
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
                self.scene.stuck = 0;
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

    /// What the model would do, if that is possible here.
    fn advice(&mut self, shown: &Look, possible: &[Act]) -> Option<Act> {
        let model = self.model.as_mut()?;
        let offers: Vec<Offer> = possible.iter().map(Act::offer).collect();
        let told: Vec<String> = self
            .scene
            .steps
            .iter()
            .rev()
            .take(TOLD)
            .map(|s| format!("{}: {}", s.action, s.verdict.word()))
            .collect();
        let choice = Choice::new(&shown.picture, offers, &told)?;
        // Its server may take its time; the rest of the program goes on meanwhile.
        match tokio::task::block_in_place(|| model.advise(&choice)) {
            Ok(advice) => {
                self.advised = Some(format!("advised: {}", advice.reasoning));
                possible.get(advice.offer).cloned()
            }
            Err(error) => {
                self.advised = Some(format!("no advice: {error}"));
                None
            }
        }
    }

    /// Does something, judges it, and tells.
    async fn step<G: Ground>(
        &mut self,
        ground: &mut G,
        state: usize,
        act: Act,
        calm: Moment,
    ) -> Result<(), GroundError> {
        let begun = Instant::now();
        self.show(Doing::Acting(act.id()));
        ground.act(&act).await?;
        self.helm.acted();
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
            at_rest: true,
            dialogs: unasked.dialogs.clone(),
            navigated: !unasked.went_to.is_empty(),
            ..Observation::default()
        };
        let judged = match &mut self.model {
            Some(model) => tokio::task::block_in_place(|| {
                StateAnalyzer.has_state_progressed_asking(&seen, &mut **model)
            }),
            None => StateAnalyzer.has_state_progressed(&seen),
        };
        let judgement = judged.map_err(|e| GroundError::Gone(e.to_string()))?;
        let progressed = judgement.verdict == Answer::Progressed;
        let (to, novel) = if progressed {
            self.place(&after.last())
        } else {
            (state, false)
        };
        self.scene.here = Some(to);
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
        self.scene.stuck = if progressed && novel {
            0
        } else {
            self.scene.stuck + 1
        };
        let step = Step {
            number: self.scene.steps.len() + 1,
            state,
            action: act.id(),
            act,
            verdict: judgement.verdict,
            confidence: judgement.confidence,
            boxes: judgement.boxes().into_iter().take(8).collect(),
            reasons: judgement.reasons,
            advice: self.advised.take(),
            to,
            novel,
            dialogs: unasked.dialogs.clone(),
            errors: unasked.errors.clone(),
            milliseconds: (begun.elapsed().as_secs_f64() * 1e4).round() / 10.0,
        };
        self.hear(unasked);
        self.scene.picture = Some(after.last().picture);
        self.scene.boxes.clone_from(&step.boxes);
        let step = Arc::new(step);
        self.scene.steps.push(step.clone());
        self.tell(Doing::Judged, Some((&step, &seen)));
        Ok(())
    }

    /// Opens the page again and does the path over up to a state that still has a way that was not gone; says whether
    /// there was one.
    async fn backtrack<G: Ground>(&mut self, ground: &mut G) -> Result<bool, GroundError> {
        if self.scene.backtracks >= BACKTRACKS {
            return Ok(false);
        }
        let Some(upto) = self
            .path
            .iter()
            .rposition(|(s, _)| !self.dead_ends.contains(s))
        else {
            return Ok(false);
        };
        self.scene.backtracks += 1;
        self.scene.stuck = 0;
        let path: Vec<(usize, Act)> = self.path.drain(..).collect();
        self.scene.here = None;
        self.show(Doing::Returning);
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
        let steps: Vec<Step> = self.scene.steps.iter().map(|s| Step::clone(s)).collect();
        Journey {
            schema_version: 1,
            target: target.into(),
            ending,
            screens: self.graph.screens(),
            responsiveness: Responsiveness::of(&steps),
            steps,
            graph: self.graph,
            dead_ends: self.dead_ends,
            dialogs: self.dialogs,
            errors: self.errors,
            backtracks: self.scene.backtracks,
            by_hand: self.by_hand,
            dollars: self.scene.dollars,
            shots: self.shots,
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
    // What moves slowly moves within as much time as will pass after the action.
    ground.pass(AFTER_MS).await?;
    moment.add(ground.look().await?);
    Ok(moment)
}
