//! A simulated game as a [`Driver`](super::Driver): rules, keys, picture, no browser, thousands of games a minute.
//!
//! Comes in: [`Rules`], healthy or with any [`Defect`], and a [`Look`] for the page. Goes out: the same Records as from
//! a page in a browser. The judge's own proving ground: what a judgement should say of a game is known here.
//! Must never know: what the judge thinks.

mod canvas;
mod defect;
mod driver;
mod game;
mod page;
mod piece;
mod rules;

pub use defect::Defect;
pub use driver::{SimDriver, SimOptions};
pub use game::{Game, Stage};
pub use page::{Labels, Look};
pub use piece::Piece;
pub use rules::{
    Bag, Counting, End, Input, Levels, Lock, Rotation, Rules, Scoring, Soft, Start, Trigger, keys,
};
