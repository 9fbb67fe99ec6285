//! What is known of the page from before: used where it is seen to be true, and told where it is not.

use super::Bot;
use crate::driver::start::{self, Started};
use crate::driver::{Driver, DriverError, FRAME_MS, controls, locate};
use crate::evidence::{Mark, Recalled};
use crate::model::{
    Action, By, Confidence, ControlMap, ControlMapping, RecordBody, StartCandidate,
};
use crate::profile::{Known, KnownBoard, Memory, Origin, Profile};
use std::sync::Arc;

/// A board more of which is filled than this, before anything was played on it, is misread.
const MOST_FILLED: f64 = 0.6;
/// Below this a board is not read.
const LEAST_CONFIDENCE: f64 = 0.5;

impl Bot {
    /// With what earlier runs learned, and a place for what this one learns.
    #[must_use]
    pub fn with_memory(mut self, memory: Arc<Memory>) -> Self {
        self.memory = memory;
        self
    }

    fn recalled<D: Driver>(d: &mut D, what: &str, how: Recalled, why: &str) {
        let mark = Mark::Recalled {
            what: what.into(),
            how,
            why: why.into(),
        };
        d.record(RecordBody::Mark(mark.to_text()));
    }

    /// Is anything known of this page? Asked once, when it was opened for the first time.
    pub(super) async fn recall<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        if !self.memory.is_on() || self.recalled {
            return Ok(());
        }
        self.recalled = true;
        let content = d.fingerprint().await;
        self.memory.learn(|p| p.content.clone_from(&content));
        match self.memory.recall(content.as_deref()) {
            Known::Nothing => {
                Self::recalled(
                    d,
                    "page",
                    Recalled::Missed,
                    "nothing is known of this page yet",
                );
            }
            Known::OfAnother => {
                let why = "the page is not what it was when its profile was made";
                Self::recalled(d, "page", Recalled::Differs, why);
            }
            Known::Fits { profile, from } => {
                Self::recalled(d, "page", Recalled::Known, &from);
                if !profile.reading.is_empty() && profile.origin == Origin::Hand {
                    d.read_by(profile.reading.clone()).await?;
                }
                self.known = Some(profile);
            }
        }
        Ok(())
    }

    /// Starts the game as it was started before; `None` where that does not bring a piece that falls.
    pub(super) async fn start_as_known<D: Driver>(
        &mut self,
        d: &mut D,
    ) -> Result<Option<Box<Started>>, DriverError> {
        let Some(path) = self.known.as_mut().and_then(|k| k.start.take()) else {
            return Ok(None);
        };
        let said = said(&path);
        match start::by(d, &path).await? {
            Ok(started) => {
                Self::recalled(d, "start", Recalled::Held, &said);
                Ok(Some(started))
            }
            Err(why) => {
                Self::recalled(d, "start", Recalled::Differs, &format!("{said}: {why}"));
                d.open().await?;
                Ok(None)
            }
        }
    }

    /// Takes the board that is known in place of the one that was just found, where it can be read there. One that a run
    /// learned must lie on the same cells as the one that was found.
    pub(super) async fn board_as_known<D: Driver>(
        &mut self,
        d: &mut D,
        started: &mut Started,
    ) -> Result<(), DriverError> {
        let Some(profile) = &mut self.known else {
            return Ok(());
        };
        let by_hand = profile.origin == Origin::Hand;
        let Some(known) = profile.board.take() else {
            return Ok(());
        };
        let found = started.board.clone();
        let board = known.board(if by_hand {
            "set by a profile made by hand"
        } else {
            "as in an earlier run, and on the cells on which the piece fell"
        });
        let said = format!(
            "{}\u{d7}{} at {:.0},{:.0}",
            board.columns, board.rows, board.x, board.y
        );
        if !by_hand && !locate::on_the_same_cells(&found, &board) {
            let why = format!(
                "it was {said}, and the piece fell on cells of {:.1}\u{d7}{:.1} px at {:.0},{:.0}",
                found.cell_width, found.cell_height, found.x, found.y
            );
            Self::recalled(d, "board", Recalled::Differs, &why);
            return Ok(());
        }
        if locate::same_cells(&found, &board) {
            Self::recalled(d, "board", Recalled::Held, &said);
            self.board_by_hand = by_hand;
            return Ok(());
        }
        let by = if by_hand { By::Operator } else { By::Discovery };
        locate::adopt(d, &started.falling, &board, by).await?;
        let view = d.advance(FRAME_MS).await?;
        let readable = view.grid.as_ref().is_some_and(|g| {
            let cells = f64::from(g.columns()) * f64::from(g.rows());
            g.confidence() > LEAST_CONFIDENCE && g.filled_count() as f64 <= cells * MOST_FILLED
        });
        if readable {
            Self::recalled(d, "board", Recalled::Held, &said);
            self.board_by_hand = by_hand;
            started.board = board;
        } else {
            Self::recalled(
                d,
                "board",
                Recalled::Differs,
                &format!("{said}: it cannot be read there"),
            );
            locate::adopt(d, &started.falling, &found, By::Discovery).await?;
        }
        Ok(())
    }

    /// The keys: those that are known, where each is seen to do its work; otherwise all are looked for. What a person
    /// wrote down stands above what is found.
    pub(super) async fn find_controls<D: Driver>(
        &mut self,
        d: &mut D,
        path: &[StartCandidate],
    ) -> Result<ControlMap, DriverError> {
        let known = self.known.take();
        let mut found = None;
        if let Some(profile) = known.as_deref().filter(|k| k.has_controls()) {
            match controls::confirm_known(d, path, profile).await? {
                Ok(map) => {
                    Self::recalled(
                        d,
                        "controls",
                        Recalled::Held,
                        "each key did its work, twice",
                    );
                    found = Some(map);
                }
                Err(why) => Self::recalled(d, "controls", Recalled::Differs, &why),
            }
        }
        let mut map = match found {
            Some(map) => map,
            None => controls::discover(d, path).await?,
        };
        self.memory.learn(|p| p.learn_controls(&map));
        if let Some(profile) = known.filter(|k| k.origin == Origin::Hand) {
            rule(&mut map, &profile);
            d.set_controls(map.clone(), By::Operator);
        }
        Ok(map)
    }

    /// Keeps how the game was started and where its board is.
    pub(super) fn learn_place<D: Driver>(&self, d: &D) {
        let board = d
            .board()
            .filter(|_| !self.board_by_hand)
            .map(KnownBoard::from);
        let path = self.started.as_ref().map(|s| s.path.clone());
        self.memory.learn(|p| {
            p.start = path;
            p.board = board;
        });
    }
}

fn said(path: &[StartCandidate]) -> String {
    if path.is_empty() {
        return "by itself".into();
    }
    let labels: Vec<&str> = path.iter().map(|c| c.label.as_str()).collect();
    labels.join(", then ")
}

/// Puts what a person wrote down above what was found.
fn rule(map: &mut ControlMap, profile: &Profile) {
    for action in Action::ALL {
        let Some(known) = profile.controls.get(&action) else {
            continue;
        };
        let found = map.get(action).filter(|m| m.key == known.key);
        if found.is_some() {
            continue;
        }
        map.set(
            action,
            ControlMapping {
                confidence: if known.key.is_some() {
                    Confidence::Confirmed
                } else {
                    Confidence::NotFound
                },
                key: known.key.clone(),
                observation: "set by a profile made by hand".into(),
                tap_ms: known.tap_ms.max(FRAME_MS.ceil() as u32),
            },
        );
    }
}
