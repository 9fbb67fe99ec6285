//! How long a key takes to show, by the wall's clock.
//!
//! Comes in: presses of the side keys while the game ran at the pace of life, and what the board held. Goes out: the
//! time from each press to the first reading that shows its effect. Must never know: a clock of its own.

use super::{Evidence, Press, Reading};
use crate::model::{Action, Stamp};
use crate::track::shifted;

/// What the presses came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Latency {
    /// Milliseconds from the press to the reading, the shortest first.
    pub ms: Vec<f64>,
}

impl Latency {
    /// The middle one; `None` where no press showed.
    pub fn median_ms(&self) -> Option<f64> {
        self.ms.get(self.ms.len() / 2).copied()
    }
}

/// Columns a press may move a piece by, and rows it may have fallen meanwhile.
const COLUMNS: [i32; 6] = [-1, 1, -2, 2, -3, 3];
const ROWS: i32 = 2;

impl Evidence {
    /// From a press of a side key to the first reading in which the piece stands beside where it stood. The reading is
    /// taken at the end of a frame, so the time holds the wait for that, and what asking for it takes.
    pub fn latency(&self) -> Latency {
        let keys = [
            self.key(Action::MoveLeft).cloned(),
            self.key(Action::MoveRight).cloned(),
        ];
        let mut ms: Vec<f64> = self
            .lifelike
            .iter()
            .flat_map(|(from, until)| {
                let inside = |at: Stamp| at.seq > from.seq && until.is_none_or(|u| at.seq < u.seq);
                self.presses
                    .iter()
                    .filter(move |p| inside(p.down))
                    .filter(|p| keys.contains(&Some(p.key.clone())))
                    .filter_map(|p| self.shown_after(p, *until))
            })
            .collect();
        ms.sort_by(f64::total_cmp);
        Latency { ms }
    }

    fn shown_after(&self, press: &Press, until: Option<Stamp>) -> Option<f64> {
        let before = self.reading_at(press.down.seq)?;
        let next = self.presses.iter().find(|p| p.down.seq > press.down.seq);
        let end = [next.map(|p| p.down.seq), until.map(|u| u.seq)];
        let end = end.into_iter().flatten().min().unwrap_or(u64::MAX);
        let after = self
            .readings
            .iter()
            .filter(|r| r.from.seq > press.down.seq && r.from.seq < end)
            .find(|r| stands_beside(before, r))?;
        let took = after.from.wall_us.saturating_sub(press.down.wall_us);
        Some(took as f64 / 1000.0)
    }
}

/// Does the later reading show the earlier one's piece some columns further? What is drawn counts, also where the
/// tracker has not made up its mind yet.
fn stands_beside(before: &Reading, after: &Reading) -> bool {
    let Some(piece) = &before.active else {
        return false;
    };
    let rest = before.blocks.without(&piece.cells);
    COLUMNS.iter().any(|columns| {
        (0..=ROWS).any(|rows| {
            let moved = shifted(&piece.cells, *columns, rows);
            moved.iter().all(|c| after.blocks.has(*c) && !rest.has(*c))
                && after.blocks.without(&moved) == rest
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Mark;
    use crate::model::{By, Confidence, ControlMap, ControlMapping, Grid, Key, Record, RecordBody};

    struct Story {
        evidence: Evidence,
        seq: u64,
        ms: u64,
    }

    impl Story {
        fn stamp(&mut self) -> Stamp {
            self.seq += 1;
            Stamp {
                seq: self.seq,
                game_us: self.ms * 1000,
                wall_us: self.ms * 1000,
            }
        }

        fn body(&mut self, body: RecordBody) {
            let stamp = self.stamp();
            self.evidence.push(&Record { stamp, body });
        }

        fn mark(&mut self, mark: &Mark) {
            self.body(RecordBody::Mark(mark.to_text()));
        }

        /// After so many ms the piece's left column is this, its row that.
        fn board(&mut self, ms: u64, column: usize, row: usize) {
            self.ms += ms;
            let mut rows = vec![['.'; 10]; 20];
            rows[row][column..column + 4].fill('I');
            rows[19][0] = '#';
            let text: Vec<String> = rows.iter().map(|r| r.iter().collect()).collect();
            let grid = Grid::from_ascii(&text.join("\n"));
            let stamp = self.stamp();
            self.evidence.push_grid(stamp, grid);
        }
    }

    fn story() -> Story {
        let mut story = Story {
            evidence: Evidence::without_reader(),
            seq: 0,
            ms: 0,
        };
        let mut map = ControlMap::default();
        let mapping = ControlMapping {
            key: Some(Key::new("ArrowLeft")),
            confidence: Confidence::Confirmed,
            ..ControlMapping::default()
        };
        map.set(Action::MoveLeft, mapping);
        story.body(RecordBody::Controls(map, By::Discovery));
        for row in 0..4 {
            story.board(500, 3, row);
        }
        story
    }

    #[test]
    fn a_press_is_timed_until_the_piece_stands_beside_also_when_it_fell_meanwhile() {
        let mut s = story();
        let left = Key::new("ArrowLeft");
        s.body(RecordBody::KeyDown(left.clone()));
        s.board(16, 2, 3);
        assert_eq!(s.evidence.latency().median_ms(), None, "not at life's pace");
        s.mark(&Mark::Lifelike);
        s.body(RecordBody::KeyUp(left.clone()));
        s.body(RecordBody::KeyDown(left.clone()));
        s.board(16, 2, 4);
        s.board(14, 1, 4);
        s.body(RecordBody::KeyUp(left.clone()));
        s.body(RecordBody::KeyDown(left.clone()));
        s.board(20, 0, 5);
        s.body(RecordBody::KeyUp(left.clone()));
        s.body(RecordBody::KeyDown(left));
        s.board(40, 0, 6);
        s.mark(&Mark::LifelikeEnd);
        s.board(100, 1, 6);
        assert_eq!(s.evidence.latency().ms, [20.0, 30.0]);
        assert_eq!(s.evidence.latency().median_ms(), Some(30.0));
    }

    #[test]
    fn gravity_and_what_cannot_be_read_are_no_answer_to_a_key() {
        let mut s = story();
        s.mark(&Mark::Lifelike);
        s.body(RecordBody::KeyDown(Key::new("ArrowLeft")));
        s.board(16, 3, 4);
        s.board(500, 3, 5);
        s.body(RecordBody::ReadFailed("hidden".into()));
        s.mark(&Mark::LifelikeEnd);
        assert_eq!(s.evidence.latency(), Latency::default());
    }
}
