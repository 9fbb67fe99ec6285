//! Readings taken while the picture is on its way from one state to the next are waited out.
//!
//! Comes in: of each reading, when it was taken and what was drawn between cells. Goes out: whether to wait.
//! Must never know: grids, pieces.

use crate::model::Between;

/// Readings that are remembered.
const MEMORY: u32 = 32;
/// Before so many have been seen nothing is waited out: a game whose pieces glide all the time has no rest to wait for.
const LEAST: u32 = 16;
/// Share of moving readings from which on a game is taken for one that glides all the time.
const ALWAYS: f64 = 0.7;
/// Game milliseconds after which a motion is taken as it is: a drop that bounces takes half a second.
const LONGEST_MS: f64 = 900.0;
/// Rows a second. What comes down no faster than this is no way from one state to the next, it is how the game falls:
/// the row it is nearest to is where it is. Steps that are drawn as a way take a tenth to a fifth of a second each.
const SLOW: f64 = 4.0;
/// Milliseconds over which a speed is measured, at the least and at the most: a place is read to an eighth of a row,
/// and told from the same place a row on only where the piece was seen often enough.
const WINDOW_MS: (f64, f64) = (45.0, 80.0);
/// Of a row: what lies so far beside its row is read as lying in it.
const UNSEEN: f64 = 0.2;
/// A motion that was fast must have been slow for so many windows: what bounces is slow at the top of its way, too.
const CALM: u32 = 3;

/// What was seen of late.
#[derive(Debug, Clone, Copy)]
pub struct Motion {
    recent: u32,
    seen: u32,
    since: Option<f64>,
    /// When and how far below its row something was drawn, where the speed is measured from; `None` when it seemed to
    /// lie in it.
    from: (f64, Option<f64>),
    /// Windows in a row in which nothing was fast.
    calm: u32,
}

impl Default for Motion {
    fn default() -> Self {
        Self {
            recent: 0,
            seen: 0,
            since: None,
            from: (0.0, None),
            calm: CALM,
        }
    }
}

impl Motion {
    /// Is this reading to be waited out?
    pub fn waits(&mut self, between: Option<Between>, game_ms: f64) -> bool {
        let share = f64::from(self.recent.count_ones()) / f64::from(self.seen.clamp(1, MEMORY));
        let glides = self.seen < LEAST || share >= ALWAYS;
        self.recent = self.recent << 1 | u32::from(between.is_some());
        self.seen = self.seen.saturating_add(1).min(MEMORY);
        self.measure(between, game_ms);
        if between.is_none() {
            self.since = None;
            return false;
        }
        let since = *self.since.get_or_insert(game_ms);
        !glides && self.calm < CALM && game_ms - since < LONGEST_MS
    }

    fn measure(&mut self, between: Option<Between>, game_ms: f64) {
        let below = match between {
            Some(Between::Columns) => {
                (self.from, self.calm) = ((game_ms, None), 0);
                return;
            }
            // A piece that locks ends its way at once.
            None => {
                (self.from, self.calm) = ((game_ms, None), CALM);
                return;
            }
            Some(Between::Rows(hundredths)) => f64::from(hundredths) / 100.0,
        };
        let (at, was) = self.from;
        let took = game_ms - at;
        let by = (below - was.unwrap_or(0.0)).abs();
        // Just above a row is near to just below it.
        let by = by.min(1.0 - by) - if was.is_none() { UNSEEN } else { 0.0 };
        let fast = by > SLOW * took.clamp(WINDOW_MS.0, WINDOW_MS.1) / 1000.0;
        if fast {
            (self.from, self.calm) = ((game_ms, Some(below)), 0);
        } else if took >= WINDOW_MS.0 {
            (self.from, self.calm) = ((game_ms, Some(below)), self.calm + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASIDE: Option<Between> = Some(Between::Columns);

    fn after_rest() -> Motion {
        let mut m = Motion::default();
        for i in 0..20 {
            let between = (i % 5 == 0).then_some(Between::Columns);
            assert!(!m.waits(between, f64::from(i) * 50.0) || i >= 16);
        }
        m
    }

    #[test]
    fn a_motion_is_waited_out_until_rest_or_until_it_takes_too_long() {
        let mut m = after_rest();
        assert!(m.waits(ASIDE, 2_000.0));
        assert!(m.waits(ASIDE, 2_100.0));
        assert!(!m.waits(None, 2_150.0));
        assert!(m.waits(ASIDE, 3_000.0));
        assert!(!m.waits(ASIDE, 4_000.0));
    }

    #[test]
    fn a_game_that_glides_all_the_time_is_not_waited_for() {
        let mut m = Motion::default();
        assert!((0..200).all(|i| !m.waits(ASIDE, f64::from(i) * 16.0)));
    }

    /// Waits of readings of a piece that comes down at so many rows a second, from rest, each so many milliseconds.
    fn falling(rows_a_second: f64, each_ms: f64, readings: u32) -> usize {
        let mut m = after_rest();
        let waits = (1..=readings).filter(|&i| {
            let below = (rows_a_second * f64::from(i) * each_ms / 1000.0).fract();
            // To an eighth of a row, as it is read, and near enough to a row it is at rest.
            let read = (below * 8.0).round() / 8.0;
            let between = (0.2..0.8).contains(&read);
            let between = between.then_some(Between::Rows((read * 100.0) as u8));
            m.waits(between, 1_000.0 + f64::from(i) * each_ms)
        });
        waits.count()
    }

    #[test]
    fn what_falls_slowly_and_smoothly_is_where_it_is() {
        for each_ms in [16.0, 50.0, 100.0] {
            for speed in [0.8, 1.0, 1.5, 2.0] {
                assert_eq!(
                    falling(speed, each_ms, 40),
                    0,
                    "{speed} rows/s, each {each_ms} ms"
                );
            }
        }
    }

    #[test]
    fn a_step_that_is_drawn_as_a_way_is_waited_out() {
        // A row in 80 to 120 ms, looked at thrice or oftener on its way.
        for (speed, each_ms) in [(8.0, 16.0), (12.0, 16.0), (10.0, 33.0)] {
            let readings = (1000.0 / speed / each_ms) as u32;
            assert!(falling(speed, each_ms, readings) > 0, "{speed} rows/s");
        }
    }
}
