//! What is judged: one small pure function a check, over [`crate::evidence`] only.
//!
//! Comes in: Evidence. Goes out: verdicts with reasons and the records that decided them.
//! Must never know: a browser, a clock, a driver.

use crate::model::Phase;
use serde::{Deserialize, Serialize};

/// How a check stands.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not decided yet.
    #[default]
    Open,
    /// As it should be.
    Pass,
    /// Tried, seen twice, wrong.
    Fail,
    /// Could not be tried.
    Skipped,
}

/// What a check says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// How it stands.
    pub status: Status,
    /// The reason, with figures, for people.
    pub why: String,
    /// Numbers of the records that decided it.
    pub cites: Vec<u64>,
}

/// A check with its verdict, as it is shown and reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckView {
    /// The name used in reports ("rotate_ccw").
    pub name: &'static str,
    /// What it asks, for people.
    pub title: &'static str,
    /// The phase that decides it; `None` for those that watch all along.
    pub phase: Option<Phase>,
    /// How it stands.
    pub verdict: Verdict,
}

/// Temporary.
pub fn evaluate(_: &crate::evidence::Evidence) -> Vec<CheckView> {
    Vec::new()
}
