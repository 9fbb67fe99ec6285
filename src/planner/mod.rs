//! Where to put a piece: the placements that the page's own moves can reach, and the best of them for a goal.
//!
//! Comes in: a [`Field`] of settled blocks, the falling piece as a [`Placed`] form, the [`Moves`] a page really has with
//! the turns it was seen to make. Goes out: a [`Plan`], the presses and the cells where the piece will lie.
//! Must never know: keys, pages, clocks, checks.
//!
//! The value of a placement is that of the BCTS controller (Thiery and Scherrer, "Building Controllers for Tetris",
//! ICGA Journal 32, 2009), to which a [`Goal`] adds what it wants: several rows at once, a way down, a top-out.

mod features;
mod field;
mod moves;
mod plan;

pub use features::{Features, value};
pub use field::{Field, Form, Placed};
pub use moves::{Moves, Placement, Press, Turn, TurnSeen, Turned, Turns};
pub use plan::{Goal, Plan, plan, wedge};
