//! What a bot can do to a game and see of it, and how a game is got going.
//!
//! Comes in: a page (live) or a simulated game. Goes out: [`View`]s, and [`Record`](crate::model::Record)s into the
//! [`Evidence`] that checks read. Must never know: phases, checks, who watches.
//!
//! [`Driver`] is the only thing a bot sees. [`live`] drives a page in a browser. [`start`], [`locate`] and
//! [`controls`] are written over the trait: how to start the game, where its board is, which keys it knows.

pub mod controls;
mod exact;
pub mod flicks;
mod gate;
pub mod live;
pub mod locate;
mod measure;
mod shared;
pub mod sim;
pub mod start;

pub use gate::{BoardRuling, Gate, GateState, Ruling};
pub use shared::{Fresh, Shared, Sink, Status, evidence};

use crate::browser::BrowserError;
use crate::evidence::{Derived, Evidence};
use crate::model::{
    ActivePiece, Board, By, ClockMode, ControlMap, Frame, Grid, GridEvent, Hints, Key, Raster,
    RecordBody, Rect, Stamp, Survey,
};
use std::future::Future;
use std::sync::Arc;

/// Why the driver could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The browser or the page failed.
    #[error(transparent)]
    Browser(#[from] crate::browser::BrowserError),
    /// The page answered something that makes no sense.
    #[error("the page's answer could not be used: {0}")]
    Answer(String),
    /// No reading of the board for too long.
    #[error("no reading of the board for {0} s")]
    Inactive(u64),
}

/// Is it the page that does not answer any more, or died?
pub fn hung(error: &DriverError) -> bool {
    matches!(
        error,
        DriverError::Browser(
            BrowserError::Timeout { .. } | BrowserError::Crashed | BrowserError::PageClosed
        )
    )
}

/// What was seen after the last step.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// When.
    pub stamp: Stamp,
    /// The board, once it is known and can be read.
    pub grid: Option<Arc<Grid>>,
    /// The falling piece.
    pub active: Option<ActivePiece>,
    /// What happened since the step before, in order.
    pub events: Vec<GridEvent>,
    /// Game time that was let pass for it, in milliseconds.
    pub passed_ms: f64,
}

impl View {
    /// Takes in what became of a record. `true` where a piece came.
    fn take(&mut self, stamp: Stamp, derived: Derived) -> bool {
        self.stamp = stamp;
        if derived.grid.is_some() {
            self.grid = derived.grid;
            self.active = derived.active;
        }
        let spawned = |e: &GridEvent| matches!(e, GridEvent::PieceSpawned { .. });
        let came = derived.events.iter().any(spawned);
        self.events.extend(derived.events);
        came
    }
}

/// The clock a driver plays by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClockFacts {
    /// Ours or the machine's.
    pub mode: ClockMode,
    /// Why.
    pub why: String,
}

/// A game, live or simulated.
///
/// Game time passes only in [`Driver::advance`] (with the machine's clock it passes anyway, and `advance` waits for
/// it). All places are CSS pixels of the top page's document.
pub trait Driver: Send {
    /// Opens the page afresh; keys that were down are up again.
    fn open(&mut self) -> impl Future<Output = Result<(), DriverError>> + Send;

    /// What the page is made of, as one name; `None` where that cannot be said. Changes nothing.
    fn fingerprint(&mut self) -> impl Future<Output = Option<String>> + Send {
        async { None }
    }

    /// What the page holds. Changes nothing.
    fn survey(&mut self) -> impl Future<Output = Result<Survey, DriverError>> + Send;

    /// A picture of a part of the page, one pixel a CSS pixel.
    fn look(&mut self, region: Rect) -> impl Future<Output = Result<Raster, DriverError>> + Send;

    /// A picture of the watched board as frames are sampled; `None` while no board is watched or it can't be read.
    fn frame(&mut self) -> impl Future<Output = Result<Option<Arc<Frame>>, DriverError>> + Send;

    /// Clicks a place of the page, scrolling it into view first.
    fn click(&mut self, x: f64, y: f64) -> impl Future<Output = Result<(), DriverError>> + Send;

    /// Presses a key down and leaves it down.
    fn key_down(&mut self, key: &Key) -> impl Future<Output = Result<(), DriverError>> + Send;

    /// Lets a key go.
    fn key_up(&mut self, key: &Key) -> impl Future<Output = Result<(), DriverError>> + Send;

    /// Presses keys one after the other and lets each go at once: no game time passes.
    fn flick(&mut self, keys: &[Key]) -> impl Future<Output = Result<(), DriverError>> + Send {
        async move {
            for key in keys {
                self.key_down(key).await?;
                self.key_up(key).await?;
            }
            Ok(())
        }
    }

    /// Lets `ms` of game time pass, reading the board as it goes; the view holds every event since the last call.
    fn advance(&mut self, ms: f64) -> impl Future<Output = Result<View, DriverError>> + Send;

    /// Lets game time pass until the board reads differently, or something happened on it, or `ms` have passed; it is
    /// read every `every_ms`. At least a frame passes, so that who waits for a time to be over comes to its end. The
    /// view is as of [`Driver::advance`].
    fn advance_to_change(
        &mut self,
        ms: f64,
        every_ms: f64,
    ) -> impl Future<Output = Result<View, DriverError>> + Send {
        async move {
            let before = self.evidence(Evidence::reading);
            let ms = ms.max(FRAME_MS);
            let mut passed_ms = 0.0;
            loop {
                let mut view = self.advance((ms - passed_ms).clamp(0.0, every_ms)).await?;
                passed_ms += view.passed_ms;
                let changed = !view.events.is_empty() || self.evidence(Evidence::reading) != before;
                if changed || ms - passed_ms <= 0.01 {
                    view.passed_ms = passed_ms;
                    return Ok(view);
                }
            }
        }
    }

    /// From now on this is the board.
    fn watch(
        &mut self,
        board: Board,
        background: Option<Arc<Frame>>,
        by: By,
    ) -> impl Future<Output = Result<(), DriverError>> + Send;

    /// Watches the same board again after the page was opened afresh.
    fn watch_again(&mut self) -> impl Future<Output = Result<(), DriverError>> + Send;

    /// From now on these places beside the board (16 at most) are looked at a moment after each new piece came, and
    /// recorded; they stay the same over openings of the page. None ends it.
    fn keep_in_view(&mut self, places: Vec<Rect>);

    /// Looks at those places also without a new piece, with the next step of time.
    fn look_aside_now(&mut self);

    /// From now on the page is read as a person says.
    fn read_by(&mut self, hints: Hints) -> impl Future<Output = Result<(), DriverError>> + Send
    where
        Self: Send,
    {
        async move {
            self.record(RecordBody::Hints(hints));
            Ok(())
        }
    }

    /// From now on, until `false`, what is done belongs together: an operator who wants the bot to stop is obeyed
    /// when it is done. To be kept short, and around each try whose effect is judged.
    fn together(&mut self, _on: bool) {}

    /// Lets every key go that is down, after an action was broken off half-way.
    fn let_go(&mut self) -> impl Future<Output = ()> + Send;

    /// The board that is watched.
    fn board(&self) -> Option<&Board>;

    /// From now on these are the keys.
    fn set_controls(&mut self, controls: ControlMap, by: By);

    /// These keys were found so far, while the search for others goes on.
    fn show_controls(&mut self, so_far: ControlMap);

    /// The keys as far as they are known.
    fn controls(&self) -> &ControlMap;

    /// Puts something into the log.
    fn record(&mut self, body: RecordBody) -> Stamp;

    /// Says what is being done, for people who watch.
    fn say(&mut self, doing: &str);

    /// Reads the evidence gathered so far.
    fn evidence<R>(&self, read: impl FnOnce(&Evidence) -> R) -> R;

    /// The clock.
    fn clock(&self) -> ClockFacts;

    /// From now on, until `false`, the game runs at the pace of life, whatever was asked for, and every frame is read.
    fn lifelike(&mut self, _on: bool) {}

    /// Can the page be measured beside the judgement? A simulated game has nothing to measure.
    fn measures(&self) -> bool {
        false
    }

    /// Measures how the page came up and what it offers to people who cannot see it, into the log. A page that cannot
    /// be measured is no error.
    fn measure_page(&mut self) -> impl Future<Output = Result<(), DriverError>> + Send {
        async { Ok(()) }
    }

    /// Remembers what has the focus.
    fn keep_focus(&mut self) -> impl Future<Output = Result<(), DriverError>> + Send {
        async { Ok(()) }
    }

    /// Gives the focus back to what had it when that was last remembered: the next keys are the game's again.
    fn give_focus_back(&mut self) -> impl Future<Output = Result<(), DriverError>> + Send {
        async { Ok(()) }
    }

    /// Takes the focus from a button that was clicked, as a click beside it does: Space and Enter are the game's then,
    /// and no longer press it as well.
    fn leave_button(&mut self) -> impl Future<Output = Result<(), DriverError>> + Send {
        async { Ok(()) }
    }

    /// Gives the focus back to the button that it was taken from last, and takes it from none any more: the game may hear
    /// keys only by way of it. Was there one?
    fn return_to_button(&mut self) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(false) }
    }

    /// Measures how the game keeps up with real time and where the Tab key leads, into the log. The board is not read
    /// meanwhile, and the game is not what it was afterwards: it has to be started again.
    fn measure_play(&mut self) -> impl Future<Output = Result<(), DriverError>> + Send {
        async { Ok(()) }
    }

    /// After the page hung or crashed: takes another one, on which nothing is open yet. `false` where there is none.
    fn renew(&mut self) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(false) }
    }

    /// After the browser died: starts another and opens the page in it, as often as that is granted (once, as a rule).
    /// `false` where it isn't.
    fn revive(&mut self) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(false) }
    }

    /// The page draws with WebGL, as its survey says: opens it anew without, and keeps to that if it
    /// draws at the same place all the same. Whatever comes of it, what `true` says is that the page was opened anew.
    fn try_without_webgl(
        &mut self,
        _survey: &Survey,
    ) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(false) }
    }

    /// The page that is refused WebGL is not as it was made, for this reason: grants it from now on, on a page that is not
    /// open yet. `false` where it was never refused.
    fn with_webgl_again(
        &mut self,
        _why: &str,
    ) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(false) }
    }

    /// Does the game live by our clock? Where it doesn't, the driver changes to the machine's, and nothing is open
    /// afterwards: then the answer is `false`, and the game has to be started again.
    fn check_clock(&mut self) -> impl Future<Output = Result<bool, DriverError>> + Send;

    /// Is the board read as it is shown on screen? Where it isn't, the driver reads it from the screen from now on: then
    /// the answer is `false`, and the game has to be found again, on a page opened anew.
    fn check_eyes(&mut self) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(true) }
    }

    /// Does anything move on screen that is not seen by [`Driver::look`]? Where it does, the driver looks at the screen
    /// from now on, and the game has to be found again, on a page opened anew.
    fn moves_unseen(&mut self) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(false) }
    }

    /// Nothing was found on a page that lives in part out of reach ([`Survey::apart`]): lives from now on by the machine's
    /// clock, and with parts that are `closed` to looks inside reads the screen, on a page that is not open yet. That is
    /// slow. `false` where it is so already, or cannot be.
    fn reach_further(
        &mut self,
        _closed: bool,
    ) -> impl Future<Output = Result<bool, DriverError>> + Send {
        async { Ok(false) }
    }

    /// From now on what a key does is waited for so long, in milliseconds of game time: there are games that are drawn
    /// anew only when their piece falls. 0 is the usual: what shows with one of the next frames.
    fn expect_effects_within(&mut self, _ms: f64) {}

    /// How long the effect of a key is waited for.
    fn effects_within(&self) -> f64 {
        0.0
    }

    /// Game time of all so far, in milliseconds.
    fn now_ms(&self) -> f64 {
        self.evidence(|e| e.last().game_ms())
    }

    /// Presses a key for `hold_ms` of game time and lets one more frame pass, or some until its effect shows.
    fn press(
        &mut self,
        key: &Key,
        hold_ms: f64,
    ) -> impl Future<Output = Result<View, DriverError>> + Send {
        async move {
            self.key_down(key).await?;
            let held = self.advance(hold_ms).await;
            // The key goes up whatever came of the wait: a key that stays down spoils everything after it.
            self.key_up(key).await?;
            let held = held?;
            // Some effects begin with a later frame.
            let mut after = if held.events.is_empty() {
                let within = self.effects_within().max(3.0 * FRAME_MS);
                self.advance_to_change(within, FRAME_MS).await?
            } else {
                self.advance(FRAME_MS).await?
            };
            after.events.splice(0..0, held.events);
            after.passed_ms += held.passed_ms;
            // What glides to its place is waited for.
            let mut waited = 0.0;
            while waited < GLIDE_MS && self.evidence(Evidence::is_waiting) {
                let mut next = self.advance(2.0 * FRAME_MS).await?;
                waited += next.passed_ms;
                next.passed_ms += after.passed_ms;
                next.events.splice(0..0, after.events.drain(..));
                after = next;
            }
            Ok(after)
        }
    }
}

/// Longest game time for which a piece on its way from one cell to another is waited for.
const GLIDE_MS: f64 = 1_000.0;

/// What stands with a key that an operator ruled, instead of what was observed.
pub const SET_BY_OPERATOR: &str = "set by the operator";

/// Pixels a cell in each direction of a board's picture.
pub const SAMPLES: u16 = 8;

/// Game time from a new piece to the look at the places beside the board: by then they show what comes next.
pub const ASIDE_AFTER_MS: f64 = 120.0;

/// One frame of the game's clock, 60 a second.
pub const FRAME_MS: f64 = 1000.0 / 60.0;
