//! What is measured beside the checks: how long a key takes to show, and how the game keeps up with real time.

use super::Bot;
use super::probe::tap;
use crate::driver::{Driver, DriverError, FRAME_MS};
use crate::model::Action;

/// Presses that are timed: the middle one counts.
const PRESSES: usize = 3;
/// Game time in which a key should have shown; what takes longer is not waited for.
const SHOWN_MS: f64 = 100.0;
/// Pieces waited for.
const PATIENCE: u32 = 2;

impl Bot {
    /// Times the side keys on a piece, then measures the page itself. The game has to be started afresh after it.
    pub(super) async fn measure<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        if !d.measures() || self.piece(d, 6, PATIENCE, |_| true).await?.is_none() {
            return Ok(());
        }
        d.say("timing keys at the pace of life");
        d.together(true);
        d.lifelike(true);
        let timed = time(d).await;
        d.lifelike(false);
        d.together(false);
        timed?;
        d.say("measuring how the game keeps up with real time");
        d.measure_play().await
    }
}

async fn time<D: Driver>(d: &mut D) -> Result<(), DriverError> {
    let sides = [Action::MoveLeft, Action::MoveRight];
    for action in sides.iter().cycle().take(PRESSES) {
        let Some(tap) = tap(d, *action) else {
            continue;
        };
        let column = |view: &crate::driver::View| view.active.as_ref().map(|a| a.corner().0);
        // A frame first, so that what is seen next is the key's doing and not the last one's.
        let before = column(&d.advance(FRAME_MS).await?);
        d.key_down(&tap.key).await?;
        let mut held = 0.0;
        let mut up = false;
        let mut shown = false;
        while held < SHOWN_MS && !(up && shown) {
            let view = d.advance(FRAME_MS).await;
            held += FRAME_MS;
            if !up && (held + 0.01 >= tap.ms || view.is_err()) {
                up = true;
                d.key_up(&tap.key).await?;
            }
            shown = shown || column(&view?) != before;
        }
        if !up {
            d.key_up(&tap.key).await?;
        }
    }
    Ok(())
}
