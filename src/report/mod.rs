//! The report: what was judged, how, and what it rests on; the field names of its users' `BotReport` kept.
//!
//! Comes in: Evidence and the facts of the run. Goes out: [`BotReport`], to be written as JSON.
//! Must never know: a browser, a terminal.

mod build;
mod types;

pub use build::Facts;
pub use types::{
    Accessibility, BoardReport, BotReport, CalibrationDrift, Clock, CompetitivePlay, Control,
    Gameplay, Implementation, Network, Performance, Session, Summary, SurveyReport, Test, Tool,
};
