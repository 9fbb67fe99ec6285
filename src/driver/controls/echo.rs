//! When does what a key does show: with the next frames, or only when the piece falls?

use super::{Search, WITH_THE_FALL, any_piece};
use crate::driver::{Driver, DriverError, FRAME_MS, exact};
use crate::evidence::Evidence;
use crate::model::{ActivePiece, Key};

/// Times an effect must have come with the piece's fall: once may be chance.
const TIMES: u32 = 2;
/// Gravity's interval at least, in frames: in a shorter one late is not told from soon.
const LEAST_FRAMES: f64 = 6.0;
/// Part of gravity's interval by which an effect is late that was asked for just after a fall.
const LATE: f64 = 0.6;

/// When the effect of a key showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// While the piece stayed in its row, or before it was due to fall.
    Soon,
    /// In the picture in which the piece had fallen.
    WithTheFall,
    /// Not at all.
    Never,
}

impl Search<'_> {
    /// Presses side keys just after a piece fell, and looks at every frame until it falls again. There are games that
    /// are drawn anew only then; tapped at any moment, their keys seem to work now and then. `None` where no key showed
    /// anything.
    pub(super) async fn shows_with_falls<D: Driver>(
        &mut self,
        d: &mut D,
    ) -> Result<Option<bool>, DriverError> {
        if self.gravity_ms < LEAST_FRAMES * FRAME_MS {
            return Ok(None);
        }
        d.say("does what a key does show at once?");
        for (at, key) in exact::KEYS.map(Key::new).iter().enumerate() {
            let mut late = 0;
            while late < TIMES {
                match self.shown(d, key).await? {
                    Some(Shown::Soon) => {
                        if at > 0 {
                            // Out of its corner now, it would answer keys that the next piece does not answer.
                            self.used = d.evidence(Evidence::piece);
                        }
                        return Ok(Some(false));
                    }
                    Some(Shown::WithTheFall) => late += 1,
                    Some(Shown::Never) => break,
                    None => return Ok(None),
                }
            }
            if late >= TIMES {
                return Ok(Some(true));
            }
        }
        Ok(None)
    }

    /// Taps a key just after a fall. `None` where no piece came that fell.
    async fn shown<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
    ) -> Result<Option<Shown>, DriverError> {
        let Some(ready) = self.ready(d, any_piece, 9).await? else {
            return Ok(None);
        };
        let Some(piece) = self.fallen(d, &ready.piece).await? else {
            return Ok(None);
        };
        d.together(true);
        d.key_down(key).await?;
        let held = d.advance(FRAME_MS).await;
        d.key_up(key).await?;
        let mut view = held?;
        let mut passed = view.passed_ms.max(FRAME_MS);
        let most = self.gravity_ms * WITH_THE_FALL;
        let shown = loop {
            let Some(now) = &view.active else {
                break Shown::Never;
            };
            let fell = now.corner().1 > piece.corner().1;
            if now.corner().0 != piece.corner().0 || now.shape() != piece.shape() {
                let late = fell && passed > self.gravity_ms * LATE;
                break if late {
                    Shown::WithTheFall
                } else {
                    Shown::Soon
                };
            }
            if fell || passed >= most {
                break Shown::Never;
            }
            view = d.advance(FRAME_MS).await?;
            passed += view.passed_ms.max(FRAME_MS);
        };
        d.together(false);
        tracing::debug!(%key, ?shown, passed, "when it shows");
        Ok(Some(shown))
    }

    /// Waits until a piece has fallen a row, and gives it as it is then.
    async fn fallen<D: Driver>(
        &mut self,
        d: &mut D,
        from: &ActivePiece,
    ) -> Result<Option<ActivePiece>, DriverError> {
        let patience = self.gravity_ms * 2.0;
        let mut waited = 0.0;
        while waited < patience {
            let view = d.advance_to_change(patience - waited, FRAME_MS).await?;
            waited += view.passed_ms;
            match view.active {
                Some(now) if now.corner().1 > from.corner().1 => return Ok(Some(now)),
                _ => {}
            }
        }
        Ok(None)
    }
}
