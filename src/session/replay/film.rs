//! What each record of a recording showed, looked up in no time.

use super::view::{MarkKind, Seek, TimelineMark};
use crate::checks::CheckView;
use crate::model::{ActivePiece, Board, ControlMap, Grid, Hints, Phase, PieceKind, Stamp};
use crate::report::BotReport;
use crate::session::{LogLine, NumberView, PageHealth, PhaseView};
use std::sync::Arc;

/// What changes seldom; shared by all moments between two changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    pub doing: String,
    pub phase: Option<Phase>,
    pub phases: Arc<Vec<PhaseView>>,
    pub board: Option<Board>,
    pub board_confidence: Option<f64>,
    pub controls: Arc<ControlMap>,
    pub checks: Arc<Vec<CheckView>>,
    pub numbers: Arc<Vec<NumberView>>,
    pub places: Arc<Vec<NumberView>>,
    pub hints: Hints,
    pub health: PageHealth,
    pub next: Vec<PieceKind>,
    pub held: Option<PieceKind>,
}

/// What there was to see after a record.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub stamp: Stamp,
    pub grid: Option<Arc<Grid>>,
    pub active: Option<Arc<ActivePiece>>,
    /// What a cell must differ by to be read as a block.
    pub threshold: Option<f32>,
    pub scene: Arc<Scene>,
    /// Lines of the event log by then.
    pub lines: usize,
    /// Readings of the board by then.
    pub reads: u64,
}

/// All that is derived so far.
#[derive(Debug, Default)]
pub(super) struct Film {
    pub moments: Vec<Moment>,
    pub lines: Vec<LogLine>,
    pub marks: Arc<Vec<TimelineMark>>,
    pub missing: u64,
    /// Nothing more will come.
    pub over: bool,
    /// The report; there when everything is derived.
    pub report: Option<Box<BotReport>>,
}

impl Film {
    /// The moment where a seek from `at` ends. `None` while what it asks for is not derived yet.
    pub fn find(&self, at: usize, seek: Seek) -> Option<usize> {
        let done = self.over;
        let last = self.moments.len().checked_sub(1)?;
        let beyond = || done.then_some(last);
        match seek {
            Seek::Frames(by) => self.walk(at, by, |a, b| match (&a.grid, &b.grid) {
                (Some(a), Some(b)) => !Arc::ptr_eq(a, b),
                (a, b) => a.is_some() != b.is_some(),
            }),
            Seek::Events(by) => self.walk(at, by, |a, b| a.lines < b.lines),
            Seek::Phases(by) => self.marked(at, by, |k| matches!(k, MarkKind::Phase(_))),
            Seek::Fails(by) => self.marked(at, by, |k| k == MarkKind::Fail),
            Seek::Phase(phase) => {
                let here = |m: &&TimelineMark| m.kind == MarkKind::Phase(phase);
                match self.marks.iter().rev().find(here) {
                    Some(mark) => self.find(at, Seek::Record(mark.seq)),
                    None => done.then_some(at.min(last)),
                }
            }
            Seek::Record(seq) => {
                let i = self.moments.partition_point(|m| m.stamp.seq < seq);
                if i > last { beyond() } else { Some(i) }
            }
            Seek::Time(us) => {
                let after = self.moments.partition_point(|m| m.stamp.game_us <= us);
                if after > last {
                    beyond()
                } else {
                    Some(after.saturating_sub(1))
                }
            }
            Seek::Start => Some(0),
            Seek::End => beyond(),
        }
    }

    /// Goes `by` moments that differ from the one before in what `differs` tells.
    fn walk(
        &self,
        at: usize,
        by: i64,
        differs: impl Fn(&Moment, &Moment) -> bool,
    ) -> Option<usize> {
        let changed = |i: &usize| *i > 0 && differs(&self.moments[i - 1], &self.moments[*i]);
        let steps = by.unsigned_abs().max(1) as usize - 1;
        let last = self.moments.len() - 1;
        if by < 0 {
            // Back is to where what is shown now began, or to the change before if that is here.
            return Some(
                (1..at.min(last + 1))
                    .rev()
                    .filter(changed)
                    .nth(steps)
                    .unwrap_or(0),
            );
        }
        let found = (at + 1..=last).filter(changed).nth(steps);
        found.or_else(|| self.over.then_some(last))
    }

    fn marked(&self, at: usize, by: i64, is: impl Fn(MarkKind) -> bool) -> Option<usize> {
        let seq = self.moments[at.min(self.moments.len() - 1)].stamp.seq;
        let steps = by.unsigned_abs().max(1) as usize - 1;
        let mark = if by < 0 {
            let mut before = self
                .marks
                .iter()
                .rev()
                .filter(|m| m.seq < seq && is(m.kind));
            before.nth(steps)
        } else {
            let mut after = self.marks.iter().filter(|m| m.seq > seq && is(m.kind));
            after.nth(steps)
        };
        match mark {
            Some(mark) => self.find(at, Seek::Record(mark.seq)),
            // There is none on that side: one stays where one is.
            None => (by < 0 || self.over).then_some(at),
        }
    }

    /// Readings in the wall second before a moment.
    pub fn reads_a_second(&self, at: usize) -> f64 {
        let Some(now) = self.moments.get(at) else {
            return 0.0;
        };
        let from = now.stamp.wall_us.saturating_sub(1_000_000);
        let before = self.moments[..=at].partition_point(|m| m.stamp.wall_us < from);
        let reads = now.reads.saturating_sub(self.moments[before].reads);
        let span = now
            .stamp
            .wall_us
            .saturating_sub(self.moments[before].stamp.wall_us);
        if span < 50_000 {
            return 0.0;
        }
        reads as f64 * 1e6 / span as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(done: bool) -> Film {
        let scene = Arc::new(Scene::default());
        let grids: Vec<_> = (0..4).map(|_| Some(Arc::new(Grid::new(2, 2)))).collect();
        // Two records a picture.
        let moments = (0..8)
            .map(|i| Moment {
                stamp: Stamp {
                    seq: 10 + i,
                    game_us: i * 100,
                    wall_us: i * 100_000,
                },
                grid: grids[i as usize / 2].clone(),
                active: None,
                threshold: None,
                scene: scene.clone(),
                lines: (i / 3) as usize,
                reads: i,
            })
            .collect();
        let mark = |seq, kind| TimelineMark {
            at_us: 0,
            seq,
            kind,
        };
        Film {
            moments,
            marks: Arc::new(vec![
                mark(10, MarkKind::Phase(Phase::Load)),
                mark(13, MarkKind::Phase(Phase::Start)),
                mark(15, MarkKind::Fail),
            ]),
            over: done,
            ..Film::default()
        }
    }

    #[test]
    fn steps_go_forward_and_back_over_the_same_moments() {
        let film = film(true);
        let mut at = 0;
        let mut forth = vec![at];
        for _ in 0..3 {
            at = film.find(at, Seek::Frames(1)).unwrap_or(99);
            forth.push(at);
        }
        assert_eq!(forth, [0, 2, 4, 6]);
        assert_eq!(film.find(6, Seek::Frames(1)), Some(7), "the end");
        let mut back = vec![at];
        for _ in 0..3 {
            at = film.find(at, Seek::Frames(-1)).unwrap_or(99);
            back.push(at);
        }
        assert_eq!(back, [6, 4, 2, 0]);
        assert_eq!(film.find(0, Seek::Frames(-1)), Some(0));
        assert_eq!(film.find(0, Seek::Events(2)), Some(6));
        assert_eq!(film.find(6, Seek::Events(-1)), Some(3));
    }

    #[test]
    fn places_are_found_by_record_time_phase_and_failure() {
        let film = film(true);
        assert_eq!(film.find(0, Seek::Record(14)), Some(4));
        assert_eq!(film.find(0, Seek::Record(99)), Some(7));
        assert_eq!(film.find(0, Seek::Time(250)), Some(2));
        assert_eq!(film.find(0, Seek::Phases(1)), Some(3));
        assert_eq!(film.find(3, Seek::Phases(-1)), Some(0));
        assert_eq!(film.find(0, Seek::Phase(Phase::Start)), Some(3));
        assert_eq!(film.find(0, Seek::Fails(1)), Some(5));
        assert_eq!(film.find(5, Seek::Fails(1)), Some(5), "there is no other");
    }

    #[test]
    fn what_is_not_derived_yet_is_waited_for() {
        let film = film(false);
        for seek in [
            Seek::End,
            Seek::Time(5_000),
            Seek::Record(99),
            Seek::Phase(Phase::Compete),
            Seek::Fails(2),
        ] {
            assert_eq!(film.find(6, seek), None, "{seek:?}");
        }
        assert_eq!(film.find(6, Seek::Time(100)), Some(1));
    }
}
