//! How an exploration stands, for those who look on.
//!
//! Comes in: what the walk knows. Goes out: plain data, cheap to clone. Must never know: how it is shown.

use super::graph::Graph;
use super::journey::{Ending, Step};
use crate::model::Raster;
use crate::progress::Area;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What goes on at the moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// The page is being opened.
    #[default]
    Opening,
    /// It is watched while nothing is done.
    Watching,
    /// An action is under way: what is done; may hold untrusted text.
    Acting(String),
    /// The last action was judged.
    Judged,
    /// The page was opened again, and a known way is being gone.
    Returning,
    /// The operator holds it.
    Held,
    /// The operator has the keyboard.
    Driven,
    /// It is over.
    Ended(Ending),
}

/// A state, as far as a map shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its screen.
    pub screen: usize,
    /// How often it was seen.
    pub visits: u32,
    /// Was everything tried there, and nothing led on?
    pub dead_end: bool,
    /// Ways from it: the action in words (untrusted), and where it leads.
    pub ways: Vec<(String, usize)>,
}

/// What may be spent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Allowance {
    /// Actions.
    pub actions: usize,
    /// Wall seconds.
    pub seconds: Option<f64>,
    /// Dollars; none where no model may be asked.
    pub dollars: Option<f64>,
    /// Steps in a row that led nowhere new, after which another way is taken.
    pub stuck: usize,
}

/// A replay, as far as a scene tells of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Showing {
    /// Number of the scene, from 0.
    pub at: usize,
    /// How many there are.
    pub of: usize,
    /// Does it go on by itself?
    pub playing: bool,
}

/// How it stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// What is explored.
    pub target: String,
    /// What goes on.
    pub doing: Doing,
    /// The page as it looked last.
    pub picture: Option<Raster>,
    /// Where it differed, by the last judgement.
    pub boxes: Vec<Area>,
    /// Every action so far. A recording keeps them apart.
    #[serde(skip)]
    pub steps: Vec<Arc<Step>>,
    /// All states.
    pub places: Vec<Place>,
    /// The state it is in, as far as that is known.
    pub here: Option<usize>,
    /// The states that were gone through since the page was opened.
    pub path: Vec<usize>,
    /// Steps in a row that led nowhere new.
    pub stuck: usize,
    /// How often the page was opened again to take another way.
    pub backtracks: usize,
    /// What may be spent.
    pub allowance: Allowance,
    /// Wall seconds so far.
    pub seconds: f64,
    /// Dollars so far.
    pub dollars: f64,
    /// Dialogs that came up.
    pub dialogs: usize,
    /// Exceptions nobody caught.
    pub errors: usize,
    /// Is a hold asked for?
    pub holding: bool,
    /// The folder it is recorded in.
    #[serde(skip)]
    pub recorded: Option<String>,
    /// Where in a replay this is.
    #[serde(skip)]
    pub showing: Option<Showing>,
    /// A line for the operator.
    #[serde(skip)]
    pub note: Option<String>,
}

impl Scene {
    /// The states of a graph.
    pub(super) fn places(graph: &Graph, dead_ends: &[usize]) -> Vec<Place> {
        graph
            .states
            .iter()
            .map(|s| Place {
                screen: s.screen,
                visits: s.visits,
                dead_end: dead_ends.contains(&s.id),
                ways: s.steps.iter().map(|(a, to)| (a.id(), *to)).collect(),
            })
            .collect()
    }

    /// How many screens were seen.
    pub fn screens(&self) -> usize {
        self.places.iter().map(|p| p.screen + 1).max().unwrap_or(0)
    }

    /// Is it over?
    pub fn ended(&self) -> Option<&Ending> {
        match &self.doing {
            Doing::Ended(ending) => Some(ending),
            _ => None,
        }
    }
}
