//! Did the state of a game progress because of an action? Decided from pictures and texts, without a model.
//!
//! Comes in: an [`Observation`]: pictures before the action (with those taken while nothing was done), pictures
//! after it, and whatever else was seen. Goes out: a [`Judgement`]: progressed, unchanged or uncertain, how sure, the
//! reasons in words, the places as boxes. Must never know: a browser, a terminal, a file, a game.
//!
//! The pictures are compared place by place. What no idle picture shows is *novel*; novel pixels are gathered into
//! regions, and for each region an innocent explanation is looked for: it came and went, it moves by itself, it is
//! a clock, a caret, a focus ring, a highlight under the pointer. What is left unexplained tells of progress.
//!
//! | file | duty |
//! | --- | --- |
//! | `calm` | the idle pictures: which of them count, how much they shiver |
//! | `planes` | pixel by pixel: what is novel, what lasts, what stirs |
//! | `regions` | novel pixels gathered into boxes |
//! | `course` | what was on its way before the action, and whether it still is |
//! | `follow` | a thing that moves by itself, found again in other pictures |
//! | `motion` | where things move by themselves, and how far they get |
//! | `scroll` | by how much the page was scrolled, and what both pictures show of it |
//! | `strange` | what is strange where things move anyway |
//! | `style` | carets, rings, and things that are drawn in another style but are the same |
//! | `text` | what the texts say: words, numbers, numbers that count by themselves |
//! | `explain` | one region: what it is |
//! | `judge` | all of them together |
//! | `ask` | a vision model, asked only where all that leaves it uncertain |
//! | `batch` | labelled cases: their format, and the table of how well they were judged |

pub mod ask;
pub mod batch;
mod calm;
mod course;
mod explain;
mod follow;
mod judge;
mod motion;
mod planes;
mod regions;
mod scroll;
mod strange;
mod style;
mod text;

use crate::model::Raster;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that was seen around one action. Only `before` and one picture in `after` are needed.
/// In text (serde) the pictures stand by their names.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// Pictures from before the action, in order, taken while nothing was done.
    pub idle: Vec<Raster>,
    /// The last picture before the action.
    pub before: Option<Raster>,
    /// Pictures after the action, in order; a second tells what lasts from what passes.
    pub after: Vec<Raster>,
    /// The page's visible text with each idle picture.
    pub text_idle: Vec<String>,
    /// The page's visible text before the action.
    pub text_before: Option<String>,
    /// The page's visible text with each picture after the action.
    pub text_after: Vec<String>,
    /// What kind of thing was done.
    pub deed: Deed,
    /// Were pointer and focus brought to the same rest for all pictures? Then no highlight is theirs.
    pub at_rest: bool,
    /// Names of what could be operated, before the action.
    pub controls_before: Option<Vec<String>>,
    /// Likewise after it.
    pub controls_after: Option<Vec<String>>,
    /// Texts of dialogs that came up because of the action.
    pub dialogs: Vec<String>,
    /// Did the page go to another address?
    pub navigated: bool,
}

/// What kind of thing was done: the pointer brings highlights with it, keys do not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// The pointer was moved, nothing was pressed.
    Hover,
    /// The pointer pressed something.
    Click,
    /// A key was pressed, or text typed.
    Key,
    /// Not told.
    #[default]
    Unknown,
}

impl Deed {
    /// Reads the short notation in which cases tell their actions (`hover TARGET`, `move the pointer TO`,
    /// `click TARGET`, `press KEY`, `type TEXT`, `hold KEY`); anything else is [`Deed::Unknown`].
    pub fn from_notation(text: &str) -> Self {
        let mut words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
            .map(str::to_lowercase);
        let first = words.next().unwrap_or_default();
        let rest: Vec<String> = words.take(4).collect();
        let says = |word: &str| rest.iter().any(|w| w == word);
        match first.as_str() {
            "hover" | "mouseover" => Self::Hover,
            "move" if says("pointer") || says("mouse") || says("cursor") => Self::Hover,
            "click" | "tap" | "doubleclick" | "drag" => Self::Click,
            // It moves the focus, and so shows what a click shows.
            "press" | "key" if says("tab") => Self::Unknown,
            "press" | "type" | "hold" | "key" => Self::Key,
            // Modifiers come before the click they go with.
            "shift" | "ctrl" | "alt" | "right" | "double" if says("click") => Self::Click,
            _ => Self::Unknown,
        }
    }
}

/// Did the state progress?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It did.
    Progressed,
    /// It did not.
    Unchanged,
    /// It cannot be told from what was seen.
    Uncertain,
}

impl Answer {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Progressed => "progressed",
            Self::Unchanged => "unchanged",
            Self::Uncertain => "uncertain",
        }
    }
}

/// A box in the pictures, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Area {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Area {
    /// How many pixels it holds.
    pub fn size(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The same with `margin` pixels more on every side, no further left or up than 0.
    #[must_use]
    pub fn grown(&self, margin: u32) -> Self {
        let (left, top) = (margin.min(self.x), margin.min(self.y));
        Self {
            x: self.x - left,
            y: self.y - top,
            width: self.width + left + margin,
            height: self.height + top + margin,
        }
    }
}

/// What kind of thing changed at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A lasting change that nothing innocent explains.
    Changed,
    /// The whole scene, or a great part of it, is another one.
    Scene,
    /// Something began to move that stood before.
    SetGoing,
    /// It came and went.
    Passed,
    /// It moves by itself, with or without the action.
    MovesByItself,
    /// A clock or another thing that counts by itself.
    Counts,
    /// A text caret.
    Caret,
    /// A ring around something: the focus.
    Ring,
    /// The same thing drawn in another style: a highlight.
    Highlight,
    /// Something that came up under or beside the pointer.
    UnderPointer,
}

/// A place where the pictures differ, and what was made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Region {
    /// Where.
    pub area: Area,
    /// What it is.
    pub kind: Kind,
    /// Does it tell of progress (above 0), and how strongly (at most 1)?
    pub weight: f64,
    /// In words.
    pub why: String,
}

/// The answer, with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Did the state progress?
    pub verdict: Answer,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Why, the strongest reason first.
    pub reasons: Vec<String>,
    /// The places that differ, those that tell of progress first.
    pub regions: Vec<Region>,
}

impl Judgement {
    /// The places that tell of progress, or, where none do, the places that differ.
    pub fn boxes(&self) -> Vec<Area> {
        let telling = self.regions.iter().any(|r| r.weight > 0.0);
        self.regions
            .iter()
            .filter(|r| !telling || r.weight > 0.0)
            .map(|r| r.area)
            .collect()
    }
}

/// Why two pictures cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgressError {
    /// A picture from before or after the action is missing.
    #[error("a picture from {0} the action is needed")]
    Missing(&'static str),
    /// A picture has no pixels.
    #[error("a picture is empty")]
    Empty,
    /// The pictures have different sizes.
    #[error(
        "the pictures differ in size: {0}x{1} before, {2}x{3} elsewhere; take them with the same window"
    )]
    Sizes(u32, u32, u32, u32),
}

/// Judges whether states progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct StateAnalyzer;

impl StateAnalyzer {
    /// Did the state progress between these pictures?
    ///
    /// # Errors
    /// When a picture is missing or empty, or when they differ in size.
    ///
    /// ```
    /// use tetrascope::model::Raster;
    /// use tetrascope::progress::{Answer, Observation, StateAnalyzer};
    ///
    /// let before = Raster::filled(200, 150, [20, 20, 20]);
    /// let after = before.patched(&Raster::filled(60, 40, [240, 200, 40]), 70, 50);
    /// let seen = Observation {
    ///     before: Some(before.clone()),
    ///     after: vec![after],
    ///     ..Observation::default()
    /// };
    /// let judgement = StateAnalyzer.has_state_progressed(&seen)?;
    /// assert_eq!(judgement.verdict, Answer::Progressed);
    /// # Ok::<(), tetrascope::progress::ProgressError>(())
    /// ```
    #[allow(clippy::unused_self)]
    pub fn has_state_progressed(&self, seen: &Observation) -> Result<Judgement, ProgressError> {
        judge::judge(seen)
    }
}
