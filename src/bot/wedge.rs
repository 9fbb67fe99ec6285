//! Turning a piece where settled blocks are in its way.
//!
//! Comes in: a piece that falls over a stack. Goes out: whether it was turned where blocks are in the way, and how the
//! board looks then. Must never know: what is right.

use super::Bot;
use super::hands::{Facing, Hands, action, facing};
use super::probe::{gravity_ms, tap};
use crate::driver::{Driver, DriverError, FRAME_MS, View};
use crate::evidence::Evidence;
use crate::model::Action;
use crate::planner::{Press, wedge};

/// Turns into blocks that are wanted: a Fail needs two, a third settles a doubt.
const WANTED: u32 = 3;
/// Pieces that are brought to such a place at most.
const TRIES: u32 = 8;

/// Pieces that are looked at at most.
const PIECES: u32 = 24;
/// Rows below a piece that is turned into blocks at least: the stack is not near the top.
const ROOM: i32 = 8;

impl Bot {
    /// Brings pieces down beside blocks and turns them into those; others are put aside, so that there are blocks.
    pub(super) async fn beside_blocks<D: Driver>(&mut self, d: &mut D) -> Result<(), DriverError> {
        let Some(hands) = Hands::new(d).filter(|h| h.moves.turns.known() > 0) else {
            return Ok(());
        };
        let (mut tries, mut turned) = (0, 0);
        for _ in 0..PIECES {
            let Some(ready) = self.piece(d, ROOM, PIECES, |_| true).await? else {
                break;
            };
            let Some(now) = Facing::over(&ready.stack, &ready.piece) else {
                break;
            };
            match self.wedge(d, &hands, &now).await? {
                Some(wedged) => {
                    tries += 1;
                    turned += u32::from(wedged);
                }
                None => self.put_aside(d, &ready).await?,
            }
            if turned >= WANTED || tries >= TRIES {
                break;
            }
        }
        Ok(())
    }

    /// Brings a piece down beside blocks and turns it into them; `true` if it came to be turned there. `None` where no
    /// place for that is in reach.
    async fn wedge<D: Driver>(
        &mut self,
        d: &mut D,
        hands: &Hands,
        now: &Facing,
    ) -> Result<Option<bool>, DriverError> {
        let Some(plan) = wedge(&now.field, now.at, &hands.moves) else {
            return Ok(None);
        };
        d.say("turning a piece beside blocks that are in its way");
        let id = d.evidence(Evidence::piece);
        let mut view = View::default();
        for press in plan.presses {
            if let Some(tap) = tap(d, action(press)) {
                view = Self::press(d, &tap).await?;
            }
        }
        let gravity = gravity_ms(d);
        let mut waited = 0.0;
        while waited < gravity * f64::from(now.room + 2) && d.evidence(Evidence::piece) == id {
            let here = facing(&view).filter(|_| !d.evidence(Evidence::is_unsure));
            let turn = here.and_then(|f| hands.moves.wedged(&f.field, f.at));
            if let Some(tap) = turn.and_then(|t| tap(d, action(Press::Turn(t)))) {
                Self::press(d, &tap).await?;
                return Ok(Some(true));
            }
            view = match tap(d, Action::SoftDrop) {
                Some(tap) => Self::press(d, &tap).await?,
                None => d.advance_to_change(gravity * 2.0, gravity / 4.0).await?,
            };
            waited += view.passed_ms.max(FRAME_MS);
        }
        Ok(Some(false))
    }
}
