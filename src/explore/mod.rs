//! Finds out how far one gets in a browser game nobody has described: look, choose, act, judge, remember.
//!
//! Comes in: a [`Ground`] (a page, or a made-up one) and limits. Goes out: a [`Journey`]: every step with its verdict,
//! the states reached, where it ended and why. Must never know: a terminal, a file, a game's rules, a word of any
//! language.
//!
//! | file | duty |
//! | --- | --- |
//! | `ground` | what can be done to a page: [`Ground`] |
//! | `live` | a page in a browser as a [`Ground`] |
//! | `act` | actions, and which are worth trying |
//! | `graph` | states that were seen, and the steps between them |
//! | `walk` | the loop |
//! | `helm` | where an operator holds, steps, drives and ends it |
//! | `scene` | how it stands, for those who look on |
//! | `journey` | what came of it |

mod act;
mod graph;
mod ground;
mod helm;
mod journey;
pub mod live;
mod scene;
mod walk;

pub use act::Act;
pub use graph::{Graph, State};
pub use ground::{Control, Ground, GroundError, Look, Sight, Unasked};
pub use helm::{Helm, Wish};
pub use journey::{Ending, Journey, Responsiveness, Step};
pub use scene::{Allowance, Doing, Place, Scene, Showing};
pub use walk::{Limits, Onlooker, explore};
