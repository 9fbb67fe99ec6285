//! A moment by what was recorded right before it: what is shown of it until all that came before is derived.
//!
//! Comes in: a recording, corrections, how far. Goes out: a film of one moment, without verdicts. Must never know: where
//! the player is.

use super::derive::Deriver;
use super::film::Film;
use crate::model::RecordBody;
use crate::session::judge::{Corrections, Corrector};
use crate::session::recording::{Pictures, Recording};

/// Pictures that are read: by then a reader knows its blocks, and a tracker its piece.
const PICTURES: usize = 24;

/// What there was to see after the first `until` records. Of the pictures only the last ones are read; all else that
/// was recorded is gone through. `None` where there are no records.
pub(super) fn glance(
    recording: &Recording,
    corrections: &Corrections,
    pictures: &mut Pictures,
    until: usize,
) -> Option<Film> {
    let log = &recording.log()[..until];
    let (mut first, mut board) = (until, None);
    let mut left = PICTURES;
    for (i, record) in log.iter().enumerate().rev() {
        match &record.body {
            RecordBody::Board { .. } => {
                board = Some(i);
                break;
            }
            RecordBody::Frame(_) if left > 0 => {
                left -= 1;
                first = i;
            }
            _ => {}
        }
    }
    let mut corrector = Corrector::new(corrections);
    let mut deriver = Deriver::new(recording.said(), None);
    deriver.begin(&corrector);
    let mut moment = None;
    for (i, record) in log.iter().enumerate() {
        let of_pictures =
            record.body.frame().is_some() || matches!(record.body, RecordBody::Board { .. });
        if of_pictures && i < first && Some(i) != board {
            continue;
        }
        let mut record = record.clone();
        pictures.fetch(&mut record);
        corrector.correct(&mut record);
        moment = Some(deriver.take(record));
    }
    let mut film = Film::default();
    deriver.hand_over(&mut vec![moment?], &mut film);
    Some(film)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::replay::Reel;
    use std::path::Path;

    #[test]
    fn a_glance_shows_what_all_that_came_before_leads_to() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/healthy");
        let recording = Recording::open(&dir).unwrap();
        let none = Corrections::default();
        let mut pictures = Pictures::of(&dir);
        let reel = Reel::new(recording.clone(), &none);
        let mut compared = 0;
        for at in (0..reel.len()).step_by(reel.len() / 60) {
            let film = glance(&recording, &none, &mut pictures, at + 1).unwrap();
            let now = film.moments.into_iter().next().unwrap();
            let shown = reel.snapshot(at);
            assert_eq!(now.stamp, shown.stamp);
            assert_eq!(now.scene.phase, shown.phase);
            assert_eq!(*now.scene.controls, shown.controls);
            assert!(now.scene.checks.is_empty(), "nothing is judged at a glance");
            assert_eq!(now.grid, shown.grid, "{at}");
            compared += usize::from(now.grid.is_some());
        }
        assert!(compared > 30, "{compared}");
    }
}
