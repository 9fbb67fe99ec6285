use serde::{Deserialize, Serialize};

/// When something was observed: its place in the log, the game's clock and the wall's.
///
/// Integers, so that a replay compares equal byte for byte. All times count from the start of the run;
/// the game's clock goes on over reloads of the page.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Stamp {
    /// Number of the record in its run, from 0.
    pub seq: u64,
    /// Game time in microseconds.
    pub game_us: u64,
    /// Wall time in microseconds.
    pub wall_us: u64,
}

impl Stamp {
    /// Game time in milliseconds.
    pub fn game_ms(self) -> f64 {
        self.game_us as f64 / 1000.0
    }

    /// Game time that passed since `earlier`, in milliseconds; 0 when `earlier` is later.
    pub fn game_ms_since(self, earlier: Self) -> f64 {
        self.game_us.saturating_sub(earlier.game_us) as f64 / 1000.0
    }
}
