//! The terminal UI.
//!
//! Comes in: snapshots of a session. Goes out: commands to it, and pictures on a terminal. Must never know: a browser, a driver,
//! how the session does what it is asked.
//!
//! The core is pure: a [`Screen`] takes an [`Input`] ([`Screen::update`]) and is drawn with a snapshot ([`draw`]); [`run`] only
//! carries events, effects and pictures between it and the terminal.

mod cast;
mod colour;
mod desk;
mod draw;
mod drive;
mod explorer;
mod graphics;
mod keymap;
mod layout;
mod look;
mod modal;
mod mouse;
mod palette;
mod quiet;
mod replay;
mod run;
mod screen;
mod term;
mod text;
mod update;
mod wheel;

pub use cast::{Cast, CastVersion};
pub use draw::draw;
pub use explorer::Explorer;
pub use graphics::Graphics;
pub use keymap::{Keymap, KeymapError};
pub use look::{Colour, Depth, Look, Palette, Theme, Tone};
pub use run::{Options, Outcome, TuiError, run, run_explorer};
pub use screen::Screen;
pub use term::{columns, restore};
pub use update::{Effect, Input};

use tokio::sync::Notify;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;

/// Rings when something was logged.
static LOGGED: Notify = Notify::const_new();

/// The layer that feeds the log pane. Filter it as any other layer; the last thousands of lines are kept.
pub fn log_layer<S>() -> impl Layer<S> + Send + Sync
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    // Not `init_logger`: its thread wakes a hundred times a second; the pane fetches the lines when it is drawn.
    tui_logger::set_default_level(tui_logger::LevelFilter::Trace);
    tui_logger::TuiTracingSubscriberLayer.and_then(Bell)
}

/// Rings [`LOGGED`].
struct Bell;

impl<S: tracing::Subscriber> Layer<S> for Bell {
    fn on_event(&self, _: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        LOGGED.notify_one();
    }
}

/// Ends when something was logged since the last time.
async fn log_changed() {
    LOGGED.notified().await;
}
