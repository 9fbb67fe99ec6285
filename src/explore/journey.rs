//! What came of an exploration.
//!
//! Comes in: steps. Goes out: plain data with names that last. Must never know: how it is shown.

use super::act::Act;
use super::graph::Graph;
use crate::model::Raster;
use crate::progress::{Answer, Area};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One action and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its number, from 1.
    pub number: usize,
    /// The state it was done in.
    pub state: usize,
    /// What was done.
    pub act: Act,
    /// The same in words; may hold untrusted text.
    pub action: String,
    /// Did the state progress?
    pub verdict: Answer,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasons: Vec<String>,
    /// Where.
    pub boxes: Vec<Area>,
    /// What a model said when it was asked what to do; untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The state after it.
    pub to: usize,
    /// Was that state never seen before?
    pub novel: bool,
    /// Texts of dialogs that came up.
    pub dialogs: Vec<String>,
    /// Exceptions nobody caught.
    pub errors: Vec<String>,
    /// Wall time it took with all looks, in milliseconds.
    pub milliseconds: f64,
}

/// Why it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Ending {
    /// The text that was looked for came up.
    Goal,
    /// As many actions as were allowed.
    Actions,
    /// As long as was allowed.
    Time,
    /// Nothing is left that was not tried.
    NothingLeft,
    /// It was asked to stop.
    Stopped,
    /// The page or the browser failed.
    Failed {
        /// How.
        what: String,
    },
}

/// How readily the game answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Responsiveness {
    /// Actions done.
    pub actions: usize,
    /// Actions after which the state had progressed.
    pub progressed: usize,
    /// Actions without effect.
    pub unchanged: usize,
    /// Actions of which it could not be told.
    pub uncertain: usize,
}

impl Responsiveness {
    /// Counts.
    pub fn of(steps: &[Step]) -> Self {
        let count = |answer| steps.iter().filter(|s| s.verdict == answer).count();
        Self {
            actions: steps.len(),
            progressed: count(Answer::Progressed),
            unchanged: count(Answer::Unchanged),
            uncertain: count(Answer::Uncertain),
        }
    }
}

impl Ending {
    /// In words; may hold untrusted text.
    pub fn words(&self) -> String {
        match self {
            Self::Goal => "the text that was looked for came up".into(),
            Self::Actions => "as many actions as allowed".into(),
            Self::Time => "as long as allowed".into(),
            Self::NothingLeft => "nothing is left that was not tried".into(),
            Self::Stopped => "it was stopped".into(),
            Self::Failed { what } => format!("it broke off: {what}"),
        }
    }
}

/// What came of an exploration.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Journey {
    /// Version of this form.
    pub schema_version: u32,
    /// What was explored.
    pub target: String,
    /// Why it ended.
    pub ending: Ending,
    /// How many different screens were reached.
    pub screens: usize,
    /// How readily the game answered.
    pub responsiveness: Responsiveness,
    /// Every action, in order.
    pub steps: Vec<Step>,
    /// States, and the steps between them.
    pub graph: Graph,
    /// States in which everything was tried and nothing led on.
    pub dead_ends: Vec<usize>,
    /// Texts of all dialogs; untrusted.
    pub dialogs: Vec<String>,
    /// All exceptions nobody caught; untrusted.
    pub errors: Vec<String>,
    /// How often the page was opened again to take another way.
    pub backtracks: usize,
    /// How often an operator took the keyboard.
    #[serde(default)]
    pub by_hand: usize,
    /// Dollars spent on vision models.
    pub dollars: f64,
    /// Wall time in seconds.
    pub wall_seconds: f64,
    /// A small picture a state. In the JSON report they are left out.
    #[serde(skip)]
    pub shots: Vec<Raster>,
}
