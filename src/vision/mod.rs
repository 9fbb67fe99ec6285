//! Pixels to grid.
//!
//! Comes in: pictures of a page or of its board, with the game time of each. Goes out: where the board is
//! ([`find`]), what its cells hold ([`Reader`]), what a preview box shows ([`preview`]).
//! Must never know: where a picture came from, what a key is, what the wall clock says. The same pictures in
//! the same order give the same answers: a replay depends on it.

mod background;
mod cells;
pub mod find;
mod ghost;
pub mod preview;
mod reader;
mod taught;

pub use background::{Sampling, background, plausible, sampled};
pub use ghost::{ghost_of, landing};
pub use reader::Reader;
pub use taught::taught;
