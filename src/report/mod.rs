//! The report: what was judged, how, and what it rests on; the field names of its users' `BotReport` kept.
//!
//! Comes in: Evidence and the facts of the run. Goes out: [`BotReport`], to be written as JSON; its schema, and the
//! same in words, in tables and as `JUnit` XML.
//! Must never know: a browser, a terminal.

mod access;
mod build;
mod drift;
pub mod html;
pub mod junit;
mod play;
mod table;
mod types;
mod words;

pub use build::Facts;
pub use table::{Row, table};
pub use types::{
    Accessibility, BoardReport, BotReport, CalibrationDrift, Clock, CompetitivePlay, Control,
    Finding, FindingKind, Gameplay, Implementation, Network, Performance, Session, Summary,
    SurveyReport, Test, Tool,
};
pub use words::words;

/// The JSON Schema of [`BotReport`].
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(BotReport)
}
