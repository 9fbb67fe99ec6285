//! What can be done to a page.
//!
//! Comes in: actions. Goes out: what is seen. Must never know: who acts, and why.

use super::act::Act;
use crate::model::{Key, Raster, Rect};

/// Why the page can be explored no further.
#[derive(Debug, thiserror::Error)]
pub enum GroundError {
    /// The browser or the page failed.
    #[error(transparent)]
    Browser(#[from] crate::browser::BrowserError),
    /// The page is gone for another reason.
    #[error("{0}")]
    Gone(String),
}

/// Something that can be operated.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Control {
    /// Where, in CSS pixels of the viewport.
    pub rect: Rect,
    /// Its name, untrusted.
    pub name: String,
    /// Is it there to be used: in view, on top, not disabled, not leading away?
    pub usable: bool,
    /// Does it stand in a layer over the rest?
    pub in_overlay: bool,
    /// Is it something to type into?
    pub is_field: bool,
}

/// What a page offers.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Sight {
    /// What can be operated.
    pub controls: Vec<Control>,
    /// Surfaces that are drawn on, in CSS pixels of the viewport.
    pub surfaces: Vec<Rect>,
    /// Texts drawn on them.
    pub drawn_texts: Vec<Rect>,
    /// Places on them that stand out.
    pub spots: Vec<(f64, f64)>,
    /// All visible texts, untrusted.
    pub texts: Vec<String>,
    /// Does anything listen for keys?
    pub listens_to_keys: bool,
    /// Does anything but a control listen for the pointer?
    pub listens_to_pointer: bool,
    /// Is there more than fits the window?
    pub scrolls: bool,
}

/// One look.
#[derive(Debug, Clone)]
pub struct Look {
    /// The picture of the viewport.
    pub picture: Raster,
    /// The visible text.
    pub text: String,
}

/// What happened unasked since the last time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unasked {
    /// Texts of dialogs that came up and were answered.
    pub dialogs: Vec<String>,
    /// Exceptions nobody caught.
    pub errors: Vec<String>,
    /// Addresses the page went to.
    pub went_to: Vec<String>,
}

/// A page to explore.
#[allow(async_fn_in_trait)]
pub trait Ground {
    /// Opens it afresh and lets it come to rest.
    async fn open(&mut self) -> Result<(), GroundError>;
    /// What it offers now.
    async fn sight(&mut self) -> Result<Sight, GroundError>;
    /// How it looks now, with pointer and focus at rest. No game time passes.
    async fn look(&mut self) -> Result<Look, GroundError>;
    /// Lets game time pass.
    async fn pass(&mut self, ms: u32) -> Result<(), GroundError>;
    /// Does something.
    async fn act(&mut self, act: &Act) -> Result<(), GroundError>;
    /// Presses or releases a key; no game time passes.
    async fn key(&mut self, key: &Key, down: bool) -> Result<(), GroundError>;
    /// What happened unasked since the last call.
    fn unasked(&mut self) -> Unasked;
}
