//! What a recording that begins in the middle of a run must say first.

use crate::evidence::Mark;
use crate::model::{Record, RecordBody};

/// The records that are still in force: what the page held, how the game was started, board, controls, phases.
#[derive(Debug, Default)]
pub struct Preamble(Vec<Record>);

/// The place that a record takes from the one before it in the same place; `None` for what is over when it has happened.
fn place(body: &RecordBody) -> Option<u8> {
    Some(match body {
        RecordBody::Opened(_) => 0,
        RecordBody::Survey(_) => 1,
        RecordBody::Started { .. } | RecordBody::NotStarted { .. } => 2,
        RecordBody::Board { .. } => 3,
        RecordBody::Controls(..) => 4,
        RecordBody::Texts(_) => 5,
        RecordBody::Scrolled(..) => 6,
        RecordBody::Hints(_) => 7,
        RecordBody::ControlsSoFar(_) => 8,
        _ => return None,
    })
}

/// Does it stay in force for good?
fn stays(body: &RecordBody) -> bool {
    match body {
        RecordBody::Phase(_) => true,
        RecordBody::Mark(text) => matches!(
            Mark::parse(text),
            Some(Mark::PhaseEnd { .. } | Mark::NoBoard { .. })
        ),
        _ => false,
    }
}

impl Preamble {
    /// Takes note of a record.
    pub fn see(&mut self, record: &Record) {
        if let Some(own) = place(&record.body) {
            // The first survey is the page as it was before anything was touched; reports go by it.
            let first_survey = |r: &Record| {
                matches!(r.body, RecordBody::Survey(_))
                    && !self.0.iter().any(|o| {
                        matches!(o.body, RecordBody::Survey(_)) && o.stamp.seq < r.stamp.seq
                    })
            };
            let keep: Vec<bool> = self
                .0
                .iter()
                .map(|r| place(&r.body) != Some(own) || first_survey(r))
                .collect();
            let mut keep = keep.into_iter();
            self.0.retain(|_| keep.next().unwrap_or(true));
            self.0.push(record.clone());
        } else if stays(&record.body) {
            self.0.push(record.clone());
        }
    }

    /// The records in force, in their order.
    pub fn records(&self) -> &[Record] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Phase, Stamp, Survey};
    use std::sync::Arc;

    #[test]
    fn the_last_of_each_kind_stays_and_the_first_survey() {
        let mut preamble = Preamble::default();
        let survey = |title: &str| {
            RecordBody::Survey(Arc::new(Survey {
                title: title.into(),
                ..Survey::default()
            }))
        };
        let bodies = [
            RecordBody::Phase(Phase::Load),
            RecordBody::Opened("a".into()),
            survey("1"),
            RecordBody::Still,
            survey("2"),
            RecordBody::Opened("b".into()),
            survey("3"),
            RecordBody::Note("n".into()),
        ];
        for (seq, body) in (0..).zip(bodies) {
            let stamp = Stamp {
                seq,
                ..Stamp::default()
            };
            preamble.see(&Record { stamp, body });
        }
        let seqs: Vec<u64> = preamble.records().iter().map(|r| r.stamp.seq).collect();
        assert_eq!(seqs, [0, 2, 5, 6]);
    }
}
