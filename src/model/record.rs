use super::{
    Board, ControlMap, Hints, Key, Measure, PageSignal, Raster, Rect, Stamp, StartCandidate,
    Survey, TextItem, arc,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The eight phases of a judgement.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Phase {
    Load,
    Start,
    Mechanics,
    Play,
    Numbers,
    GameOver,
    Restart,
    Compete,
}

impl Phase {
    /// All of them in order.
    pub const ALL: [Self; 8] = [
        Self::Load,
        Self::Start,
        Self::Mechanics,
        Self::Play,
        Self::Numbers,
        Self::GameOver,
        Self::Restart,
        Self::Compete,
    ];

    /// 1 to 8.
    pub fn number(self) -> u8 {
        Self::ALL.iter().position(|p| *p == self).unwrap_or(0) as u8 + 1
    }

    /// A short name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Load => "load and survey",
            Self::Start => "start",
            Self::Mechanics => "mechanics",
            Self::Play => "play",
            Self::Numbers => "numbers",
            Self::GameOver => "game over",
            Self::Restart => "restart",
            Self::Compete => "competitive play",
        }
    }
}

/// A picture of the board: the board's rectangle, sampled to `samples` by `samples` pixels a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The pixels, `columns * samples` by `rows * samples`.
    pub raster: Raster,
    /// Pixels a cell in each direction.
    pub samples: u16,
    /// Where the board was on the page at that moment.
    pub rect: Rect,
}

/// Who ruled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The program, from what it observed.
    Discovery,
    /// The operator, by hand.
    Operator,
}

/// One thing that came in. Everything else is derived from these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number and times.
    pub stamp: Stamp,
    /// What it was.
    pub body: RecordBody,
}

/// What came in.
///
/// Recordings are made of these: a new kind comes along by itself (older programs leave it out and say so); a new field
/// of an old kind needs a serde default, so that older recordings can still be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordBody {
    /// A new picture of the board.
    Frame(#[serde(with = "arc")] Arc<Frame>),
    /// The board was looked at and looks as it did in the last frame.
    Still,
    /// The board could not be looked at.
    ReadFailed(String),
    /// A key went down.
    KeyDown(Key),
    /// A key went up.
    KeyUp(Key),
    /// The page was clicked, in CSS pixels of the top page.
    Click(f64, f64),
    /// The page was loaded afresh.
    Opened(String),
    /// What the page holds, before anything was touched.
    Survey(#[serde(with = "arc")] Arc<Survey>),
    /// A piece falls.
    Started {
        /// What brought it; `None` if the game ran by itself.
        candidate: Option<StartCandidate>,
        /// What was seen, for people.
        why: String,
    },
    /// Nothing that was tried brought a piece that falls.
    NotStarted {
        /// What was tried and seen, for people.
        why: String,
    },
    /// A page signal.
    Signal(PageSignal),
    /// The page's texts, whenever they differ from the last ones.
    Texts(#[serde(with = "arc")] Arc<Vec<TextItem>>),
    /// The scroll position of the page changed.
    Scrolled(f64, f64),
    /// From now on this is the board.
    Board {
        /// Where it is.
        board: Board,
        /// How it looks with nothing on it, sampled as frames are; `None` if that is still to be learned.
        #[serde(default, with = "arc::option", skip_serializing_if = "Option::is_none")]
        background: Option<Arc<Frame>>,
        /// Who says so.
        by: By,
    },
    /// A place beside the board as it looks now, a sample a CSS pixel; see `Driver::keep_in_view`.
    Aside {
        /// Which of the places that are kept in view.
        place: u8,
        /// What it shows.
        #[serde(with = "arc")]
        picture: Arc<Frame>,
    },
    /// From now on a person says this of how the page is to be read, and nothing beside it.
    Hints(Hints),
    /// From now on these are the controls.
    Controls(ControlMap, By),
    /// What is known of the keys while they are looked for, for people who watch. No check goes by it: an action that it
    /// does not name is one not found yet.
    ControlsSoFar(ControlMap),
    /// A phase begins.
    Phase(Phase),
    /// The bot begins or ends something that checks want to find again ("rotate key=ArrowUp").
    Mark(String),
    /// Something was measured.
    Measured(Measure),
    /// Something a person should read; may hold untrusted text.
    Note(String),
}

impl RecordBody {
    /// The picture in it, if it holds one.
    pub fn frame_mut(&mut self) -> Option<&mut Arc<Frame>> {
        match self {
            Self::Frame(frame) | Self::Aside { picture: frame, .. } => Some(frame),
            Self::Board { background, .. } => background.as_mut(),
            _ => None,
        }
    }

    /// Likewise, to look at.
    pub fn frame(&self) -> Option<&Arc<Frame>> {
        match self {
            Self::Frame(frame) | Self::Aside { picture: frame, .. } => Some(frame),
            Self::Board { background, .. } => background.as_ref(),
            _ => None,
        }
    }
}
