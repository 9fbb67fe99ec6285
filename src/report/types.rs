//! The types of the report. The schema is generated from them.

use crate::checks::Status;
use crate::model::{ClockMode, Phase, Rect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A judgement of one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BotReport {
    /// Version of this format.
    pub schema_version: u32,
    /// Which program wrote it.
    pub tool: Tool,
    /// What was judged, as the user named it.
    pub target: String,
    /// By which clock.
    pub clock: Clock,
    /// Wall time of the run in seconds.
    pub wall_seconds: f64,
    /// Game time that passed in seconds.
    pub game_seconds: f64,
    /// What the operator changed by hand, in words.
    pub operator: Vec<String>,
    /// Why the page could not be judged; absent where it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub could_not_judge: Option<String>,
    /// How the page is made and played.
    pub implementation: Implementation,
    /// Every check.
    pub tests: Vec<Test>,
    /// The checks in figures.
    pub summary: Summary,
    /// What play came to.
    pub gameplay: Gameplay,
    /// The competitive play of the last phase; `null` where it did not come about.
    pub competitive_play: Option<CompetitivePlay>,
    /// What was observed in figures.
    pub session: Session,
    /// Times measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performance: Option<Performance>,
    /// Accessibility.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessibility: Option<Accessibility>,
    /// How far later calibrations differ from the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration_drift: Option<CalibrationDrift>,
    /// What the page wanted of the network and was refused.
    pub network: Network,
    /// What the page did to the one before the screen.
    #[serde(default)]
    pub page: PageDeeds,
}

/// The program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The clock of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// Ours or the machine's.
    pub mode: ClockMode,
    /// Game seconds a wall second that were asked for; `null` is as fast as it goes.
    pub speed: Option<f64>,
    /// Why this mode.
    pub why: String,
}

/// How the page is made and played.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Implementation {
    /// canvas, webgl, dom, svg or unknown: what the page draws with where it can.
    pub renderer: String,
    /// Was a board found?
    pub grid_detected: bool,
    /// initial, `after_start` or never.
    pub grid_detected_at: String,
    /// The board on the page.
    pub grid_bounds: Option<Rect>,
    /// Key by action, those that were found.
    pub controls: BTreeMap<String, String>,
    /// What each key did that was tried.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub control_discovery: BTreeMap<String, String>,
    /// auto, `click_canvas`, enter, space, button, anykey or unknown.
    pub start_mechanism: String,
    /// Was a number found that behaves like a score?
    pub score_element_found: bool,
    /// How sure the reader is of the board, 0 to 1.
    pub grid_confidence: f64,
    /// The page before anything was touched.
    pub survey: SurveyReport,
    /// The board in full.
    pub board: Option<BoardReport>,
    /// Every action with key, confidence and observation.
    pub control_map: BTreeMap<String, Control>,
    /// How the board is read. A page that draws with WebGL, and on a plain canvas where there is none, is read from the
    /// latter where WebGL is slow.
    pub reader: String,
    /// The steps that started the game, in words.
    pub start: String,
}

/// The page before anything was touched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyReport {
    /// Does a layer cover a good part of it?
    pub has_overlay: bool,
    /// Is there a canvas?
    pub has_canvas: bool,
    /// Is there a container of many equal cells?
    pub has_dom_grid: bool,
    /// Its texts, untrusted, control characters stripped.
    pub visible_text: Vec<String>,
    /// Things that look as if they could be clicked.
    pub clickable_elements: usize,
}

/// The board in full.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoardReport {
    /// Columns.
    pub columns: u16,
    /// Visible rows.
    pub rows: u16,
    /// Left edge in CSS pixels of the page.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// What was observed to find it.
    pub why: String,
}

/// The key of one action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// `KeyboardEvent.key`, or `null`.
    pub key: Option<String>,
    /// suspected, confirmed or `not_found`.
    pub confidence: String,
    /// What was observed.
    pub observation: String,
}

/// One check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Did it pass? False also where it was skipped; `status` tells them apart.
    pub pass: bool,
    /// What it asks and how it stands, in one line.
    pub detail: String,
    /// pass, fail or skipped.
    pub status: String,
    /// The phase that decides it; `null` for those that watch all along.
    pub phase: Option<Phase>,
    /// The reason with its figures.
    pub why: String,
    /// Numbers of the records that decided it.
    pub evidence: Vec<u64>,
}

impl Test {
    /// The word of a status in reports. A check that is still open when a run ends is skipped.
    pub fn word(status: Status) -> &'static str {
        match status {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Open | Status::Skipped => "skipped",
        }
    }
}

/// The checks in figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// All checks.
    pub total: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that could not be tried.
    pub skipped: usize,
    /// `passed / (total - skipped)` as a percentage; 0 where nothing could be tried.
    pub score: f64,
}

/// What play came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Gameplay {
    pub pieces_placed: u64,
    pub lines_cleared: u64,
    pub max_score_observed: f64,
    pub play_duration_seconds: f64,
    pub errors_during_play: u64,
}

/// The competitive play of the last phase.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, clippy::struct_excessive_bools)]
pub struct CompetitivePlay {
    pub duration_seconds: f64,
    pub pieces_placed: u64,
    pub total_lines_cleared: u64,
    pub single_clears: u64,
    pub double_clears: u64,
    pub triple_clears: u64,
    pub tetris_clears: u64,
    pub max_combo: u64,
    pub score_readings: Vec<f64>,
    pub score_final: f64,
    pub score_increases: Vec<f64>,
    pub level_readings: Vec<f64>,
    pub level_final: f64,
    pub game_over_reached: bool,
    pub game_over_text_found: Option<String>,
    pub restart_available: bool,
    pub next_piece_visible: bool,
    pub speed_increased: bool,
    pub bugs_detected: Vec<String>,
    pub rendering_trail_detected: bool,
}

/// What was observed in figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Session {
    pub frames: u64,
    pub events_count: u64,
    pub pieces_spawned: u64,
    pub pieces_locked: u64,
    pub lines_cleared: u64,
    pub piece_types_seen: Vec<String>,
    /// Share of readings that succeeded, 0 to 1.
    pub grid_read_success_rate: f64,
}

/// Times measured, by the machine's clock; `null` where one could not be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Performance {
    /// From the navigation to the load event.
    pub load_time_ms: Option<f64>,
    /// To the first picture of any content.
    pub first_paint_ms: Option<f64>,
    /// Animation frames a second while the game ran at the pace of life.
    pub frame_rate: Option<f64>,
    /// The longest time between two of them.
    pub longest_frame_ms: Option<f64>,
    /// From a press of a side key to the picture that shows it, the middle one of some presses.
    pub key_latency_ms: Option<f64>,
    /// How many presses were timed.
    pub key_presses_timed: usize,
    /// Tasks of more than 50 ms until the load event and while the pace was measured.
    pub long_tasks: u32,
    /// The longest of them.
    pub longest_task_ms: Option<f64>,
}

/// Accessibility, as far as a program can tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Accessibility {
    /// What fails, each with its reason. May quote the page.
    pub issues: Vec<String>,
    /// How many fail.
    pub issue_count: usize,
    /// Does nothing fail? What needs a person is not of it.
    pub pass: bool,
    /// What only a person can tell, each with its reason.
    #[serde(default)]
    pub needs_a_person: Vec<String>,
    /// Both, in full.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// One finding on accessibility.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Its name, the same in every report.
    pub rule: String,
    /// fails or `needs_a_person`.
    pub kind: FindingKind,
    /// The success criteria of WCAG 2.2 it belongs to.
    pub wcag: String,
    /// What was found and why it matters.
    pub reason: String,
    /// Where on the page, the first few places.
    pub places: Vec<Rect>,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// It is wrong.
    Fails,
    /// Only a person can tell.
    #[default]
    NeedsAPerson,
}

/// How far later calibrations differ from the first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct CalibrationDrift {
    pub drifted: bool,
    pub changes: Vec<String>,
    pub recalibrations: u64,
    pub cache_hits: u64,
    pub cache_misses: u64,
}

/// What the page wanted of the network and was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Network {
    /// Requests refused.
    pub refused: u32,
    /// To which hosts, with how many each.
    pub hosts: BTreeMap<String, u32>,
}

/// What the page did to the one before the screen, beside being a game. None of it counts for the score.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageDeeds {
    /// Native dialogs that came up, and were answered.
    pub dialogs: u32,
    /// What the first of them said, each text once: "alert: You lost".
    pub dialog_texts: Vec<String>,
    /// Windows it opened, which were closed.
    pub popups: u32,
    /// Downloads it began, which were refused.
    pub downloads: u32,
    /// Addresses it wanted to go to and was not let, each once.
    pub navigation_refused: Vec<String>,
    /// How often it did not answer in time.
    pub unresponsive: u32,
    /// How often its process died.
    pub crashes: u32,
}
