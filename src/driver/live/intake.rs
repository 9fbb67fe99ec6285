//! What the page answers and signals, taken in: from each of it a record, and from the record what everybody sees.
//!
//! Comes in: answers, signals, measures. Goes out: records in order. Must never know: why they were asked for.

use super::LiveDriver;
use crate::browser::BrowserError;
use crate::browser::probe::Seen;
use crate::driver::{ASIDE_AFTER_MS, DriverError};
use crate::model::{ClockMode, Measure, PageSignal, Record, RecordBody, Stamp};
use std::sync::Arc;
use std::time::Instant;

impl LiveDriver {
    pub(super) fn push(&mut self, body: RecordBody) -> Stamp {
        let stamp = Stamp {
            seq: self.seq,
            game_us: self.before_us + (self.now_ms * 1000.0).max(0.0) as u64,
            wall_us: self.begun.elapsed().as_micros() as u64,
        };
        self.seq += 1;
        let record = Record { stamp, body };
        let derived = self.shared.push(record);
        if self.view.take(stamp, derived) && !self.asides.is_empty() {
            self.aside_due = Some(self.now_ms + ASIDE_AFTER_MS);
        }
        stamp
    }

    /// Takes in what was measured. What could not be is told; only a page that is dead is an error.
    pub(super) fn measured(
        &mut self,
        (found, trouble): (Vec<Measure>, Option<BrowserError>),
    ) -> Result<(), DriverError> {
        self.signals();
        for measure in found {
            self.push(RecordBody::Measured(measure.rounded()));
        }
        match trouble {
            Some(error @ (BrowserError::Crashed | BrowserError::BrowserGone)) => Err(error.into()),
            Some(error) => {
                self.push(RecordBody::Note(format!(
                    "not all could be measured: {error}"
                )));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Takes in what the page signalled meanwhile.
    pub(super) fn signals(&mut self) {
        for signal in self.page.signals() {
            if matches!(
                signal,
                PageSignal::Unresponsive { .. } | PageSignal::Crashed
            ) {
                self.shared.status().responsive = false;
            }
            self.loaded_since |= matches!(signal, PageSignal::Loaded { .. });
            self.push(RecordBody::Signal(signal));
        }
    }

    /// Takes in one answer of the page.
    pub(super) fn take(&mut self, seen: Seen) {
        self.shared.status().responsive = true;
        let virtually = self.clock.mode == ClockMode::Virtual;
        if virtually && seen.now_ms < self.now_ms {
            // The page loaded itself anew: its clock begins again, and nothing of it is watched yet.
            self.before_us += (self.now_ms * 1000.0) as u64;
            self.loaded_itself = true;
        }
        if virtually || seen.now_ms > self.now_ms {
            self.now_ms = seen.now_ms;
        }
        if self.scroll != seen.scroll {
            self.scroll = seen.scroll;
            self.push(RecordBody::Scrolled(seen.scroll.0, seen.scroll.1));
        }
        if let Some(texts) = seen.texts {
            self.push(RecordBody::Texts(Arc::new(texts)));
        }
        if !self.watching {
            return;
        }
        if let Some(why) = seen.lost {
            self.push(RecordBody::ReadFailed(why));
            return;
        }
        let Some(frame) = seen.frame else {
            return;
        };
        if seen.same && self.last_frame.is_some() && !self.skipped {
            self.push(RecordBody::Still);
        } else if self.shared.has_room() {
            self.skipped = false;
            let frame = Arc::new(frame);
            self.last_frame = Some(frame.clone());
            self.push(RecordBody::Frame(frame));
        } else {
            // The next reading that looks the same is not the last record's picture.
            self.skipped = true;
            self.last_read = Some(Instant::now());
            self.shared.status().dropped += 1;
            return;
        }
        self.last_read = Some(Instant::now());
        let mut status = self.shared.status();
        status.reads += 1;
        if let Some(reader) = seen.reader {
            status.reader = format!("{reader:?}").to_lowercase();
        }
    }
}
