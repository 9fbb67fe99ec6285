use super::recording::RecordingState;
use super::replay::ReplayView;
use crate::checks::CheckView;
use crate::model::{
    ActivePiece, Board, ClockMode, ControlMap, Frame, Grid, Hints, Phase, PieceKind, Rect, Shape,
    Stamp,
};
use std::sync::Arc;

/// Everything a face of the session shows, at one moment. Cheap to clone; the latest wins.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Counts up with every snapshot.
    pub revision: u64,
    /// What is watched, as the user named it.
    pub target: String,
    /// Where the session stands.
    pub state: RunState,
    /// One line on what is being done right now ("trying ←").
    pub doing: String,
    /// Is the game's clock stopped?
    pub frozen: bool,
    /// Does the keyboard go to the page?
    pub driving: bool,
    /// The clock.
    pub clock: ClockView,
    /// The last record.
    pub stamp: Stamp,
    /// The phase under way.
    pub phase: Option<Phase>,
    /// All eight and how they stand.
    pub phases: Vec<PhaseView>,
    /// Readings a wall second, lately.
    pub reads_per_second: f64,
    /// Pictures skipped at the door.
    pub dropped: u64,
    /// How the page is.
    pub health: PageHealth,
    /// The board.
    pub board: Option<Board>,
    /// How sure it is that the board is there and is read as it is, 0 to 1.
    pub board_confidence: Option<f64>,
    /// The page as it looks, while somebody wants to see it; a sample a CSS pixel as a rule.
    pub page: Option<Arc<Frame>>,
    /// How the board is read ("canvas", "dom", "svg", "webgl", "screenshot"), and why.
    pub reader: String,
    /// The last grid: stack, falling piece and ghost.
    pub grid: Option<Arc<Grid>>,
    /// The falling piece.
    pub active: Option<ActivePiece>,
    /// The coming pieces, nearest first, where a preview is known.
    pub next: Vec<PieceKind>,
    /// The held piece.
    pub held: Option<PieceKind>,
    /// The keys.
    pub controls: ControlMap,
    /// The numbers on the page that are followed.
    pub numbers: Vec<NumberView>,
    /// Every check and how it stands, in the order of the phases.
    pub checks: Arc<Vec<CheckView>>,
    /// The event log, oldest first, bounded.
    pub log: Arc<Vec<LogLine>>,
    /// Lines that were pushed out of the log.
    pub log_dropped: u64,
    /// What a person says of how the page is to be read.
    pub hints: Hints,
    /// What a cell must differ by from its empty look to be read as a block, of 255; `None` while that isn't known.
    pub threshold: Option<f32>,
    /// Every number that stands on the page, to be pointed at; without their histories.
    pub places: Arc<Vec<NumberView>>,
    /// What the operator changed by hand.
    pub rulings: Vec<String>,
    /// The recording, if there is or was one.
    pub recording: RecordingState,
    /// Where a replay stands; `None` for a live session.
    pub replay: Option<ReplayView>,
    /// A cell-by-cell reading of the piece's shape when it is no tetromino.
    pub odd_shape: Option<Shape>,
}

/// Where a session stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RunState {
    /// Browser and page are coming up.
    #[default]
    Opening,
    /// The bot plays.
    Running,
    /// A hold was asked for; the bot is finishing its action.
    Holding,
    /// The bot waits.
    Held,
    /// Every phase is done; the page is still open.
    Finished,
    /// It could not go on; why, for people.
    Failed(String),
}

/// The clock as it is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClockView {
    /// Ours or the machine's.
    pub mode: ClockMode,
    /// Game seconds a wall second that were asked for; infinite is as fast as it goes.
    pub speed: f64,
    /// Game seconds a wall second that are reached.
    pub reached: f64,
    /// Why this mode.
    pub why: String,
}

/// A phase as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseView {
    /// Which.
    pub phase: Phase,
    /// How it stands.
    pub state: PhaseState,
    /// What came of it, or why it was skipped.
    pub note: String,
}

/// How a phase stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PhaseState {
    #[default]
    Waiting,
    Running,
    Done,
    Skipped,
    Failed,
}

/// How the page is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageHealth {
    /// Does it answer?
    pub responsive: bool,
    /// Exceptions nobody caught.
    pub errors: u32,
    /// Requests to other hosts that were refused.
    pub refused: u32,
    /// Native dialogs that came up.
    pub dialogs: u32,
    /// The last thing that went wrong, untrusted text made harmless.
    pub last: String,
}

/// A number of the page as it is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NumberView {
    /// What it behaves like ("score", "level", "lines"), or its label.
    pub name: String,
    /// Its value now.
    pub value: f64,
    /// Where it stands, in CSS pixels of the page.
    pub rect: Rect,
    /// Its values of late, oldest first.
    pub history: Vec<f64>,
}

/// A line of the event log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When.
    pub stamp: Stamp,
    /// Of what kind; what the filter goes by.
    pub kind: LogKind,
    /// What; control characters are already stripped.
    pub text: String,
}

/// The kinds of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogKind {
    /// What happened on the board.
    Game,
    /// What the bot did: keys, clicks, marks.
    Bot,
    /// What the page did: dialogs, errors, refused requests.
    Page,
    /// A check was decided.
    Verdict,
    /// What the operator did.
    Operator,
}
