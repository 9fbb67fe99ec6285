//! Readings taken while the picture is on its way from one state to the next are waited out.
//!
//! Comes in: of each reading, when it was taken and whether something was drawn between cells. Goes out: whether to
//! wait. Must never know: grids, pieces.

/// Readings that are remembered.
const MEMORY: u32 = 32;
/// Before so many have been seen nothing is waited out: a game whose pieces glide all the time has no rest to wait for.
const LEAST: u32 = 16;
/// Share of moving readings from which on a game is taken for one that glides all the time.
const ALWAYS: f64 = 0.7;
/// Game milliseconds after which a motion is taken as it is: a drop that bounces takes half a second.
const LONGEST_MS: f64 = 900.0;

/// What was seen of late.
#[derive(Debug, Clone, Copy, Default)]
pub struct Motion {
    recent: u32,
    seen: u32,
    since: Option<f64>,
}

impl Motion {
    /// Is this reading to be waited out?
    pub fn waits(&mut self, moving: bool, game_ms: f64) -> bool {
        let share = f64::from(self.recent.count_ones()) / f64::from(self.seen.clamp(1, MEMORY));
        let glides = self.seen < LEAST || share >= ALWAYS;
        self.recent = self.recent << 1 | u32::from(moving);
        self.seen = self.seen.saturating_add(1).min(MEMORY);
        if !moving {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(game_ms);
        !glides && game_ms - since < LONGEST_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_rest() -> Motion {
        let mut m = Motion::default();
        for i in 0..20 {
            assert!(!m.waits(i % 5 == 0, f64::from(i) * 50.0) || i >= 16);
        }
        m
    }

    #[test]
    fn a_motion_is_waited_out_until_rest_or_until_it_takes_too_long() {
        let mut m = after_rest();
        assert!(m.waits(true, 2_000.0));
        assert!(m.waits(true, 2_100.0));
        assert!(!m.waits(false, 2_150.0));
        assert!(m.waits(true, 3_000.0));
        assert!(!m.waits(true, 4_000.0));
    }

    #[test]
    fn a_game_that_glides_all_the_time_is_not_waited_for() {
        let mut m = Motion::default();
        assert!((0..200).all(|i| !m.waits(true, f64::from(i) * 16.0)));
    }
}
