//! The end of a game, as far as the board shows it: a stack that reaches to where pieces come in, nothing that could
//! fall, and no change for long.
//!
//! Comes in: the blocks of each reading and what is believed of them. Goes out: whether the game has come to its end.
//! Must never know: what else the page shows, keys.

use super::{Blocks, State};

/// Game milliseconds without any change, at least. Lock delays and clears take less.
const REST_MS: f64 = 2_500.0;
/// The same in times a row takes to fall.
const REST_ROWS: f64 = 4.0;
/// A stack that has a block in one of so many rows from the top reaches to where pieces come in.
const TOP_ROWS: i32 = 4;

/// Share of the board from which on it is covered, and not filled.
const VEILED: f64 = 0.9;

/// How long a board has been at rest.
#[derive(Debug, Clone, Default)]
pub struct Rest {
    blocks: Option<Blocks>,
    since_ms: f64,
    /// Was this rest judged?
    judged: bool,
}

impl Rest {
    /// Takes a reading; true once for each end.
    pub fn ends(&mut self, now: &Blocks, state: &State, game_ms: f64, row_ms: Option<f64>) -> bool {
        if self.blocks.as_ref() != Some(now) || game_ms < self.since_ms {
            self.blocks = Some(now.clone());
            self.since_ms = game_ms;
            self.judged = false;
            return false;
        }
        let enough = REST_MS.max(row_ms.unwrap_or(0.0) * REST_ROWS);
        if self.judged || game_ms - self.since_ms < enough {
            return false;
        }
        self.judged = true;
        let stack = &state.stack;
        let places = stack.places();
        let all = usize::from(stack.columns()) * usize::from(stack.rows());
        // A board that is all but full is a veil or a curtain, and says nothing.
        let veiled = places.len() as f64 > VEILED * all as f64;
        let tall = places.iter().any(|p| p.1 < TOP_ROWS) && !veiled;
        let could_fall = |cells: &[super::Place]| stack.is_free(cells) && !stack.supports(cells);
        let falls = state
            .piece
            .as_ref()
            .is_some_and(|p| could_fall(&p.active.cells));
        tall && !falls
    }
}
