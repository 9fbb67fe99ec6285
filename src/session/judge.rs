//! A recording judged again: the same records through the same pipeline, with what was found out wrongly put right.
//!
//! Comes in: a [`Recording`], [`Corrections`]. Goes out: the report, and what is wrong with the recording.
//! Must never know: a browser, a clock.

use super::recording::{Recording, Troubles};
use crate::driver::{SAMPLES, evidence};
use crate::evidence::Evidence;
use crate::model::{
    Action, Board, By, Confidence, ControlMap, ControlMapping, Frame, Hints, Key, Record,
    RecordBody, Rect,
};
use crate::report::BotReport;
use crate::vision;
use std::sync::Arc;

/// What stands with a key that was corrected, instead of what was observed.
pub(super) const CORRECTED: &str = "corrected by hand";

/// What somebody knows better than the run that was recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Corrections {
    /// Where the board is.
    pub board: Option<Board>,
    /// How the board looks with nothing on it, sampled as that board.
    pub empty: Option<Arc<Frame>>,
    /// Keys of actions; `None` is no key.
    pub controls: Vec<(Action, Option<Key>)>,
    /// How it is to be read.
    pub hints: Option<Hints>,
}

/// A correction that cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CorrectionError {
    /// Recorded pictures show a part of the page only.
    #[error(
        "the recording shows the page from {:.0},{:.0} to {:.0},{:.0} only; the corrected board must lie inside of it",
        .0.x, .0.y, .0.right(), .0.bottom()
    )]
    OutsideOfPictures(Rect),
    /// There is nothing to correct.
    #[error("no board was found in that run, so there are no pictures of one")]
    NoPictures,
}

/// What came of judging again.
#[derive(Debug)]
pub struct Judged {
    /// The report.
    pub report: BotReport,
    /// Everything that was derived.
    pub evidence: Evidence,
    /// What is wrong with the recording.
    pub troubles: Troubles,
}

/// Judges a recording.
///
/// # Errors
/// Where a corrected board lies where no picture was taken.
pub fn judge(recording: &Recording, corrections: &Corrections) -> Result<Judged, CorrectionError> {
    let mut corrector = Corrector::new(corrections);
    let mut evidence = evidence();
    corrector.begin(&mut evidence);
    let mut records = recording.records();
    for mut record in records.by_ref() {
        corrector.correct(&mut record);
        evidence.push(&record);
    }
    corrector.check()?;
    let mut facts = recording.facts().clone();
    facts.rulings.extend(corrector.rulings());
    Ok(Judged {
        report: BotReport::new(&evidence, &facts),
        evidence,
        troubles: Troubles {
            missing: records.missing(),
            ..recording.troubles().clone()
        },
    })
}

/// Puts corrections into records as they go by.
#[derive(Debug)]
pub struct Corrector<'a> {
    corrections: &'a Corrections,
    recorded: Option<Board>,
    shown: Option<Rect>,
    resampled: u64,
}

impl<'a> Corrector<'a> {
    /// For one pass over the records.
    pub fn new(corrections: &'a Corrections) -> Self {
        Self {
            corrections,
            recorded: None,
            shown: None,
            resampled: 0,
        }
    }

    /// What comes before the first record.
    pub fn begin(&self, evidence: &mut Evidence) {
        if let Some(hints) = &self.corrections.hints {
            evidence.read_by(hints.clone());
        }
    }

    /// Puts a record right.
    pub fn correct(&mut self, record: &mut Record) {
        match &mut record.body {
            RecordBody::Board {
                board,
                background,
                by,
            } => {
                if let Some(better) = &self.corrections.board {
                    self.recorded = Some(board.clone());
                    *background = background
                        .as_ref()
                        .and_then(|empty| resampled(empty, empty.rect, board, better))
                        .map(Arc::new);
                    *board = better.clone();
                    *by = By::Operator;
                }
                if let Some(empty) = &self.corrections.empty {
                    *background = Some(empty.clone());
                    *by = By::Operator;
                }
            }
            RecordBody::Frame(frame) => {
                let (Some(better), Some(recorded)) = (&self.corrections.board, &self.recorded)
                else {
                    return;
                };
                self.shown = Some(frame.rect);
                if let Some(new) = resampled(frame, frame.rect, recorded, better) {
                    self.resampled += 1;
                    *frame = Arc::new(new);
                } else {
                    record.body =
                        RecordBody::ReadFailed("the corrected board is not on this picture".into());
                }
            }
            RecordBody::Hints(hints) => {
                if let Some(better) = &self.corrections.hints {
                    *hints = better.clone();
                }
            }
            RecordBody::Controls(map, by) if !self.corrections.controls.is_empty() => {
                self.rule(map);
                *by = By::Operator;
            }
            _ => {}
        }
    }

    fn rule(&self, map: &mut ControlMap) {
        for (action, key) in &self.corrections.controls {
            let tap_ms = map.get(*action).map_or(0, |m| m.tap_ms);
            map.set(
                *action,
                ControlMapping {
                    confidence: if key.is_some() {
                        Confidence::Confirmed
                    } else {
                        Confidence::NotFound
                    },
                    key: key.clone(),
                    observation: CORRECTED.into(),
                    tap_ms,
                },
            );
        }
    }

    /// Could the corrections be made?
    ///
    /// # Errors
    /// Where no picture shows the corrected board.
    pub fn check(&self) -> Result<(), CorrectionError> {
        match self.shown {
            _ if self.corrections.board.is_none() || self.resampled > 0 => Ok(()),
            Some(shown) => Err(CorrectionError::OutsideOfPictures(shown)),
            None => Err(CorrectionError::NoPictures),
        }
    }

    /// The corrections in words, for the report.
    pub fn rulings(&self) -> Vec<String> {
        let board = self.corrections.board.as_ref().map(|b| {
            let r = b.rect();
            format!(
                "the board is {}×{} at {:.1},{:.1}, {:.1}×{:.1} px (corrected in the recording)",
                b.columns, b.rows, r.x, r.y, r.width, r.height
            )
        });
        let controls = self.corrections.controls.iter().map(|(action, key)| {
            let name = action.name();
            match key {
                Some(key) => format!("{name} is {key} (corrected in the recording)"),
                None => format!("{name} is no key (corrected in the recording)"),
            }
        });
        let empty = self.corrections.empty.as_ref().map(|_| {
            "how the board looks with nothing on it was taught (corrected in the recording)".into()
        });
        let hints = self.corrections.hints.as_ref().map(|h| {
            let words = h.words().join("; ");
            format!("read by hand: {words} (corrected in the recording)")
        });
        board
            .into_iter()
            .chain(empty)
            .chain(controls)
            .chain(hints)
            .collect()
    }
}

/// The picture of another board, cut out of the picture of the recorded one; `None` where it does not show all of it.
fn resampled(frame: &Frame, rect: Rect, recorded: &Board, better: &Board) -> Option<Frame> {
    // Pages move: the picture was taken where the board was at that moment.
    let (home, new) = (recorded.rect(), better.rect());
    let moved = Rect::new(
        new.x + rect.x - home.x,
        new.y + rect.y - home.y,
        new.width,
        new.height,
    );
    let (across, down) = (
        f64::from(frame.raster.width()) / rect.width,
        f64::from(frame.raster.height()) / rect.height,
    );
    // What is read of a cell lies inside of it; a sliver of the outermost may be missing.
    let (slack_x, slack_y) = (better.cell_width * 0.2, better.cell_height * 0.2);
    let inside = moved.x >= rect.x - slack_x
        && moved.y >= rect.y - slack_y
        && moved.right() <= rect.right() + slack_x
        && moved.bottom() <= rect.bottom() + slack_y;
    if !(inside && across.is_finite() && down.is_finite()) {
        return None;
    }
    let part = Rect::new(
        (moved.x - rect.x) * across,
        (moved.y - rect.y) * down,
        moved.width * across,
        moved.height * down,
    );
    let raster = vision::sampled(&frame.raster, part, better.columns, better.rows, SAMPLES)?;
    Some(Frame {
        raster,
        samples: SAMPLES,
        rect: moved,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::Raster;

    fn board(x: f64, columns: u16) -> Board {
        Board {
            x,
            y: 50.0,
            cell_width: 20.0,
            cell_height: 20.0,
            columns,
            rows: 4,
            confidence: 1.0,
            why: String::new(),
            sure: crate::model::Sure::default(),
        }
    }

    #[test]
    fn a_board_that_was_taken_too_wide_is_cut_out_of_its_pictures() {
        let (wide, right) = (board(100.0, 6), board(140.0, 4));
        let mut raster = Raster::filled(48, 32, [0; 3]);
        raster = raster.patched(&Raster::filled(8, 8, [255; 3]), 16, 8);
        let frame = Frame {
            raster,
            samples: 8,
            // The page was scrolled meanwhile.
            rect: Rect::new(100.0, 30.0, 120.0, 80.0),
        };
        let cut = resampled(&frame, frame.rect, &wide, &right).unwrap();
        assert_eq!((cut.raster.width(), cut.raster.height()), (32, 32));
        assert_eq!(cut.raster.at(4, 12), [255; 3]);
        assert_eq!(cut.raster.at(12, 12), [0; 3]);
        assert!(resampled(&frame, frame.rect, &wide, &board(160.0, 6)).is_none());
    }
}
