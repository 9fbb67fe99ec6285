//! A session runs a bot over a driver and shows it to a face.
//!
//! Comes in: a target, options, [`Command`]s. Goes out: [`Snapshot`]s by a watch channel, the report at the end.
//! Must never know: a terminal.

mod command;
pub mod diff;
pub mod explored;
pub mod export;
pub mod judge;
mod log;
mod obey;
mod play;
mod publish;
pub mod recording;
pub mod replay;
mod run;
mod save;
mod snapshot;

pub use command::{Command, StepUnit};
pub use log::harmless;
pub use replay::{MarkKind, ReplayView, Seek, TimelineMark};
pub use run::{SessionOptions, run};
pub use snapshot::{
    ClockView, LogKind, LogLine, NumberView, PageHealth, PhaseState, PhaseView, RunState, Snapshot,
};
