use super::{Key, Rect};
use serde::{Deserialize, Serialize};

/// Which clock the page lives by.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ClockMode {
    /// Ours: frozen, stepped or run at any rate.
    #[default]
    Virtual,
    /// The machine's: the page does not honour ours.
    Real,
}

/// What a surface is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum SurfaceKind {
    Canvas,
    Webgl,
    Svg,
    Dom,
    /// What the probe may not look into: a frame of another origin, a canvas with a foreign picture on it.
    Closed,
}

/// A part of the page that may hold a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Surface {
    /// What it is made of.
    pub kind: SurfaceKind,
    /// Where it is, in CSS pixels of the top page.
    pub rect: Rect,
    /// For containers of many equal cells: columns of the lattice its children form; 0 otherwise.
    #[serde(default)]
    pub columns: u16,
    /// Likewise, rows.
    #[serde(default)]
    pub rows: u16,
}

/// Something that looks as if it could be clicked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools)]
pub struct Clickable {
    /// Where it is, in CSS pixels of the top page.
    pub rect: Rect,
    /// Its visible text or accessible name, untrusted.
    #[serde(default)]
    pub text: String,
    /// Lower-case tag name.
    #[serde(default)]
    pub tag: String,
    /// A CSS path that finds it again.
    #[serde(default)]
    pub selector: String,
    /// Does a click lead to another page?
    #[serde(default)]
    pub leads_away: bool,
    /// Is that a page of the same host, shown in the place of this one?
    #[serde(default)]
    pub leads_on: bool,
    /// Is it disabled?
    #[serde(default)]
    pub disabled: bool,
    /// Is it what a click at its middle hits (nothing lies over it)?
    #[serde(default)]
    pub on_top: bool,
    /// Does it stand in a layer over the rest (dialog, modal, banner)?
    #[serde(default)]
    pub in_overlay: bool,
    /// Is it a line of text that nobody has written yet?
    #[serde(default)]
    pub blank: bool,
}

/// Which kinds of events the page listens for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)]
#[allow(missing_docs)]
pub struct Listeners {
    #[serde(default)]
    pub keydown: bool,
    #[serde(default)]
    pub keyup: bool,
    #[serde(default)]
    pub keypress: bool,
    #[serde(default)]
    pub click: bool,
    #[serde(default)]
    pub pointer: bool,
    #[serde(default)]
    pub touch: bool,
}

impl Listeners {
    /// Does the page listen for keys at all?
    pub fn hears_keys(self) -> bool {
        self.keydown || self.keyup || self.keypress
    }
}

/// Where a text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum TextSource {
    Dom,
    Css,
    Svg,
    Canvas,
}

/// A run of visible text, untrusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextItem {
    /// The text itself.
    pub text: String,
    /// Where it is, in CSS pixels of the top page.
    pub rect: Rect,
    /// Where it was found.
    pub source: TextSource,
}

/// A number on the page, followed by its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// The nearest words, for people; untrusted.
    pub label: String,
    /// The value.
    pub value: f64,
    /// Where it is, in CSS pixels of the top page.
    pub rect: Rect,
}

/// Whether a page that asks for WebGL gets it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebGlOffer {
    /// It does.
    #[default]
    Granted,
    /// It does not, because it draws without, too, or because a person said so.
    Refused,
}

/// What the page holds before anything is touched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Survey {
    /// Width and height of the viewport in CSS pixels.
    pub viewport: (f64, f64),
    /// Width and height of the whole document in CSS pixels.
    pub document: (f64, f64),
    /// Device pixels a CSS pixel.
    pub device_pixel_ratio: f64,
    /// Where the page is scrolled to.
    pub scroll: (f64, f64),
    /// Canvases, SVGs and containers that may hold a board, most board-like first.
    pub surfaces: Vec<Surface>,
    /// What could be clicked, in document order.
    pub clickables: Vec<Clickable>,
    /// Visible texts.
    pub texts: Vec<TextItem>,
    /// What the page listens for.
    pub listeners: Listeners,
    /// Does a layer cover a good part of the viewport?
    pub has_overlay: bool,
    /// Has the body any visible content?
    pub has_content: bool,
    /// Is there something that lives by a time of its own, out of the probe's reach (a worker, a closed frame)?
    pub apart: bool,
    /// Are most of the classes on it named by no rule of its styles that can be read?
    pub unstyled: bool,
    /// Was it given WebGL?
    pub webgl: WebGlOffer,
    /// The document's title, untrusted.
    pub title: String,
    /// The document's language as declared, untrusted.
    pub lang: String,
}

/// Something the page did that is not a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PageSignal {
    /// A document was loaded.
    Loaded {
        /// Its address.
        url: String,
    },
    /// A native dialog came up and was answered.
    Dialog {
        /// alert, confirm, prompt or beforeunload.
        kind: String,
        /// What it said, untrusted.
        text: String,
    },
    /// An exception nobody caught.
    UncaughtError {
        /// The first line of it, untrusted.
        text: String,
    },
    /// An error written to the console.
    ConsoleError {
        /// Its text, untrusted.
        text: String,
    },
    /// The page's process died.
    Crashed,
    /// The page did not answer in time.
    Unresponsive {
        /// What was asked of it.
        what: String,
    },
    /// The page wanted to go to another address and was not let.
    NavigationRefused {
        /// Where to.
        url: String,
    },
    /// A request to another host was refused.
    RequestRefused {
        /// The address.
        url: String,
        /// How many requests to that host were refused so far.
        count: u32,
    },
    /// A script from another host, or what a script asked for there, was refused: without it the page may be nothing.
    ScriptRefused {
        /// The address.
        url: String,
    },
    /// A style sheet from another host was refused: without it the page may have no size or place for what it shows.
    StyleRefused {
        /// The address.
        url: String,
    },
    /// A script of the page's own could not be had: its host has none there, or sent what no browser runs as one.
    ScriptMissing {
        /// The address.
        url: String,
        /// What came instead: a status, or a media type.
        what: String,
    },
    /// A part of the page lies above the folder that is served, and was not given to it.
    PartWithheld {
        /// The path as it was asked for.
        path: String,
        /// The folder that would have to be served.
        root: String,
    },
    /// A window was opened and closed again.
    PopupClosed {
        /// Its address.
        url: String,
    },
    /// A download was refused.
    DownloadRefused {
        /// The file's address.
        url: String,
    },
    /// The browser went away.
    BrowserGone,
}

/// The ways in which a game is started.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum StartMechanism {
    Auto,
    ClickCanvas,
    Enter,
    Space,
    Button,
    Anykey,
    #[default]
    Unknown,
}

/// One thing to try in order to start the game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartCandidate {
    /// Which kind.
    pub mechanism: StartMechanism,
    /// A short name for people; may hold untrusted text.
    pub label: String,
    /// Where to click, in CSS pixels of the top page.
    pub position: Option<(f64, f64)>,
    /// A CSS path to what is clicked.
    pub selector: Option<String>,
    /// Which key to press.
    pub key: Option<Key>,
}
