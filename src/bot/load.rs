//! Phase 1: load and survey.

use super::{Bot, Outcome};
use crate::driver::{Driver, DriverError};
use crate::evidence::Evidence;
use crate::model::{PageSignal, RecordBody};
use std::sync::Arc;

/// Game time a page gets to build what it shows.
const BUILD_MS: f64 = 400.0;
/// How often that is granted while the page is still empty.
const PATIENCE: u32 = 12;

impl Bot {
    pub(super) async fn load<D: Driver>(&mut self, d: &mut D) -> Result<Outcome, DriverError> {
        self.started = None;
        self.controls = None;
        d.open().await?;
        d.say("looking at the page");
        let mut survey = d.survey().await?;
        for _ in 0..PATIENCE {
            if !survey.surfaces.is_empty() {
                break;
            }
            d.advance(BUILD_MS).await?;
            survey = d.survey().await?;
        }
        if d.try_without_webgl(&survey).await? {
            survey = d.survey().await?;
        }
        let note = format!(
            "{} places that may hold a board, {} things to click",
            survey.surfaces.len(),
            survey.clickables.len()
        );
        let empty = survey.surfaces.is_empty() && !survey.has_content;
        d.record(RecordBody::Survey(Arc::new(survey.clone())));
        self.survey = Some(survey);
        self.recall(d).await?;
        if d.measures() && !empty {
            d.say("measuring how the page came up and who can use it");
            d.measure_page().await?;
        }
        let hung = |e: &Evidence| {
            let mut signals = e.signals().iter();
            signals.any(|s| matches!(s.1, PageSignal::Unresponsive { .. }))
        };
        Ok(if empty && d.evidence(hung) {
            Outcome::failed(
                "a script of the page ran without end as it loaded, and the page stayed empty",
            )
        } else if empty {
            Outcome::failed("the page stayed empty")
        } else {
            Outcome::done(&note)
        })
    }
}
