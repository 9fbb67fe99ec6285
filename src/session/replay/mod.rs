//! A recording watched again: the same screen, fed from disk through the same pipeline, forward and back.
//!
//! Comes in: a [`Recording`](super::recording::Recording), [`Command`](super::Command)s. Goes out: snapshots, as from a
//! live session, and the report. Must never know: a browser, a terminal.
//!
//! A thread derives everything once, front to back, and keeps what each record showed ([`film`]); going anywhere is
//! then looking up a moment, and nothing is derived twice. What is not derived yet is shown at a [`glance`]: by its last
//! pictures, without verdicts; these are there when the thread is.

mod correct;
mod derive;
mod film;
mod glance;
mod player;
mod reel;
mod show;
mod view;

pub use player::run;
pub use reel::Reel;
pub use view::{MarkKind, ReplayView, Seek, TimelineMark};
