//! Games that run where our eyes see nothing of them.
//!
//! Comes in: ways after which something showed, though nothing that falls. Goes out: whether something moves on screen
//! after one of them that is not seen to move. Must never know: what a piece is.

use super::follow;
use crate::driver::{Driver, DriverError};
use crate::model::StartCandidate;

/// Ways that are gone once more, each from a fresh page: most that are tried do not start a game.
const MOST: usize = 4;

/// What may have started a game that is not seen: beside its board something may show, its first preview, say.
#[derive(Default)]
pub(super) struct Unseen {
    ways: Vec<Vec<StartCandidate>>,
    asked: usize,
}

impl Unseen {
    /// Something showed after `way`, but nothing fell.
    pub(super) fn stirs(&mut self, way: Vec<StartCandidate>) {
        if self.ways.len() < MOST {
            self.ways.push(way);
        }
    }

    /// Does something move unseen, on the page as it stands, or after one of the ways that this was not asked after yet?
    pub(super) async fn moves<D: Driver>(&mut self, d: &mut D) -> Result<bool, DriverError> {
        if d.moves_unseen().await? {
            return Ok(true);
        }
        for way in &self.ways[self.asked..] {
            self.asked += 1;
            d.open().await?;
            follow(d, way).await?;
            if d.moves_unseen().await? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
