//! From evidence to a report.

use super::play;
use super::types::{
    BoardReport, BotReport, Clock, Control, Implementation, Network, PageDeeds, Performance,
    Session, Summary, SurveyReport, Test, Tool,
};
use crate::checks::{self, Status};
use crate::evidence::{Evidence, Start};
use crate::model::{
    ClockMode, Confidence, Measure, PageSignal, StartMechanism, SurfaceKind, Survey, WebGlOffer,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the evidence does not know of its own run. Recordings keep it, older ones without the newer fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// What was judged, as the user named it.
    pub target: String,
    /// Wall time of the run in seconds.
    pub wall_seconds: f64,
    /// The clock.
    pub clock: ClockMode,
    /// Why that clock.
    pub clock_why: String,
    /// Game seconds a wall second that were asked for.
    #[serde(with = "speed")]
    pub speed: f64,
    /// How the board was read.
    pub reader: String,
    /// What the operator ruled.
    pub rulings: Vec<String>,
    /// Why it could not be judged.
    pub could_not_judge: Option<String>,
}

/// A speed in text, where there is no infinity: as fast as it goes is `null`.
mod speed {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn serialize<S: Serializer>(speed: &f64, to: S) -> Result<S::Ok, S::Error> {
        speed.is_finite().then_some(*speed).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
    }
}

/// Texts of a page that a report keeps.
const TEXTS: usize = 60;

/// Control and direction-changing characters taken out of untrusted text.
pub(super) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .take(300)
        .collect::<String>()
        .trim()
        .to_string()
}

fn survey(survey: &Survey) -> SurveyReport {
    SurveyReport {
        has_overlay: survey.has_overlay,
        has_canvas: survey
            .surfaces
            .iter()
            .any(|s| matches!(s.kind, SurfaceKind::Canvas | SurfaceKind::Webgl)),
        has_dom_grid: survey
            .surfaces
            .iter()
            .any(|s| s.kind == SurfaceKind::Dom && s.columns > 1 && s.rows > 1),
        visible_text: survey
            .texts
            .iter()
            .take(TEXTS)
            .map(|t| plain(&t.text))
            .collect(),
        clickable_elements: survey.clickables.len(),
    }
}

fn mechanism(m: StartMechanism) -> &'static str {
    match m {
        StartMechanism::Auto => "auto",
        StartMechanism::ClickCanvas => "click_canvas",
        StartMechanism::Enter => "enter",
        StartMechanism::Space => "space",
        StartMechanism::Button => "button",
        StartMechanism::Anykey => "anykey",
        StartMechanism::Unknown => "unknown",
    }
}

impl BotReport {
    /// The report of a run, whole or broken off.
    pub fn new(evidence: &Evidence, facts: &Facts) -> Self {
        let views = checks::evaluate(evidence);
        let tests: Vec<Test> = views
            .iter()
            .map(|c| Test {
                name: c.name.into(),
                pass: c.verdict.status == Status::Pass,
                detail: plain(&format!("{}: {}", c.title, c.verdict.why)),
                status: Test::word(c.verdict.status).into(),
                phase: c.phase,
                why: plain(&c.verdict.why),
                evidence: c.verdict.cites.clone(),
            })
            .collect();
        // What was tried again is told by its verdicts; everything else is of the attempt that was played as a whole.
        let last = evidence.last();
        let evidence = evidence.played();
        let counts = evidence.counts();
        Self {
            schema_version: 1,
            tool: Tool {
                name: env!("CARGO_PKG_NAME").into(),
                version: env!("CARGO_PKG_VERSION").into(),
            },
            target: facts.target.clone(),
            clock: Clock {
                mode: facts.clock,
                speed: facts.speed.is_finite().then_some(facts.speed),
                why: facts.clock_why.clone(),
            },
            wall_seconds: facts.wall_seconds,
            game_seconds: last.game_us as f64 / 1e6,
            operator: facts.rulings.clone(),
            could_not_judge: facts.could_not_judge.clone(),
            implementation: implementation(evidence, facts),
            summary: summary(&tests),
            tests,
            gameplay: play::gameplay(evidence),
            competitive_play: play::competitive(evidence, &views),
            session: Session {
                frames: counts.frames,
                events_count: evidence.happenings().len() as u64,
                pieces_spawned: counts.pieces_spawned,
                pieces_locked: counts.pieces_locked,
                lines_cleared: counts.lines_cleared,
                piece_types_seen: counts
                    .kinds
                    .iter()
                    .map(|k| k.letter().to_string())
                    .collect(),
                grid_read_success_rate: counts.read_success().unwrap_or(0.0),
            },
            calibration_drift: super::drift::drift(evidence),
            performance: performance(evidence),
            accessibility: super::access::judge(evidence),
            network: network(evidence),
            page: deeds(evidence),
        }
    }
}

fn summary(tests: &[Test]) -> Summary {
    let count = |status: &str| tests.iter().filter(|t| t.status == status).count();
    let (passed, failed) = (count("pass"), count("fail"));
    let tried = passed + failed;
    Summary {
        total: tests.len(),
        passed,
        failed,
        skipped: tests.len() - tried,
        score: if tried == 0 {
            0.0
        } else {
            100.0 * passed as f64 / tried as f64
        },
    }
}

fn implementation(evidence: &Evidence, facts: &Facts) -> Implementation {
    let (start_mechanism, start) = match evidence.start() {
        Some((_, Start::Started(candidate, why))) => (
            mechanism(
                candidate
                    .as_ref()
                    .map_or(StartMechanism::Auto, |c| c.mechanism),
            ),
            plain(why),
        ),
        Some((_, Start::NotStarted(why))) => ("unknown", plain(why)),
        None => ("unknown", String::new()),
    };
    let board = evidence.board().map(|(_, b, _)| BoardReport {
        columns: b.columns,
        rows: b.rows,
        x: b.x,
        y: b.y,
        width: b.rect().width,
        height: b.rect().height,
        confidence: evidence.board_confidence().unwrap_or(b.confidence),
        why: b.why.clone(),
    });
    let mut controls = BTreeMap::new();
    let mut control_map = BTreeMap::new();
    let mut control_discovery = BTreeMap::new();
    if let Some((_, map, _)) = evidence.controls() {
        for (action, m) in map.iter() {
            if let Some(key) = &m.key {
                controls.insert(action.name().to_string(), key.as_str().to_string());
            }
            control_map.insert(
                action.name().to_string(),
                Control {
                    key: m.key.as_ref().map(|k| k.as_str().to_string()),
                    confidence: match m.confidence {
                        Confidence::NotFound => "not_found",
                        Confidence::Suspected => "suspected",
                        Confidence::Confirmed => "confirmed",
                    }
                    .into(),
                    observation: m.observation.clone(),
                },
            );
        }
        control_discovery.extend(map.key_observations.clone());
    }
    Implementation {
        renderer: match facts.reader.as_str() {
            "" => "unknown".into(),
            "canvas"
                if evidence
                    .surveys()
                    .last()
                    .is_some_and(|s| s.1.webgl == WebGlOffer::Refused) =>
            {
                "webgl".into()
            }
            reader => reader.into(),
        },
        grid_detected: board.is_some(),
        grid_detected_at: match (&board, start_mechanism) {
            (None, _) => "never",
            (Some(_), "auto") => "initial",
            (Some(_), _) => "after_start",
        }
        .into(),
        grid_bounds: evidence.board().map(|(_, b, _)| b.rect()),
        grid_confidence: board.as_ref().map_or(0.0, |b| b.confidence),
        board,
        controls,
        control_map,
        control_discovery,
        start_mechanism: start_mechanism.into(),
        start,
        score_element_found: play::score_found(evidence),
        survey: evidence
            .surveys()
            .first()
            .map(|(_, s)| survey(s))
            .unwrap_or_default(),
        reader: facts.reader.clone(),
    }
}

/// What was measured; `None` where nothing was.
fn performance(evidence: &Evidence) -> Option<Performance> {
    let mut out = Performance::default();
    let mut any = false;
    let mut tasks = |out: &mut Performance, long: u32, longest: f64| {
        out.long_tasks += long;
        if longest > 0.0 {
            out.longest_task_ms = Some(out.longest_task_ms.map_or(longest, |l| l.max(longest)));
        }
        any = true;
    };
    // A phase that was done again measured again; the page came up for the first time only once.
    let measures = evidence.measures();
    if let Some(load) = measures.iter().find_map(|(_, m)| match m {
        Measure::Load(load) => Some(load),
        _ => None,
    }) {
        out.load_time_ms = load.load_ms;
        out.first_paint_ms = load.first_paint_ms;
        tasks(&mut out, load.long_tasks, load.longest_task_ms);
    }
    if let Some(pace) = measures.iter().rev().find_map(|(_, m)| match m {
        Measure::Pace(pace) => Some(pace),
        _ => None,
    }) {
        if pace.elapsed_ms > 0.0 {
            out.frame_rate = Some(f64::from(pace.frames) * 1000.0 / pace.elapsed_ms);
        }
        out.longest_frame_ms = Some(pace.longest_frame_ms);
        tasks(&mut out, pace.long_tasks, pace.longest_task_ms);
    }
    let latency = evidence.latency();
    out.key_latency_ms = latency.median_ms();
    out.key_presses_timed = latency.ms.len();
    any.then_some(out)
}

fn network(evidence: &Evidence) -> Network {
    let mut hosts: BTreeMap<String, u32> = BTreeMap::new();
    let mut refused = 0;
    for (_, signal) in evidence.signals() {
        if let PageSignal::RequestRefused { url, .. } = signal {
            refused += 1;
            let host = url
                .split("//")
                .nth(1)
                .and_then(|rest| rest.split(['/', '?', '#']).next())
                .unwrap_or("?");
            *hosts.entry(plain(host)).or_default() += 1;
        }
    }
    Network { refused, hosts }
}

/// Texts and addresses that are listed at most.
const LISTED: usize = 20;

fn deeds(evidence: &Evidence) -> PageDeeds {
    let mut deeds = PageDeeds::default();
    let list = |all: &mut Vec<String>, text: String| {
        if all.len() < LISTED && !all.contains(&text) {
            all.push(text);
        }
    };
    for (_, signal) in evidence.signals() {
        match signal {
            PageSignal::Dialog { kind, text } => {
                deeds.dialogs += 1;
                list(&mut deeds.dialog_texts, plain(&format!("{kind}: {text}")));
            }
            PageSignal::PopupClosed { .. } => deeds.popups += 1,
            PageSignal::DownloadRefused { .. } => deeds.downloads += 1,
            PageSignal::NavigationRefused { url } => {
                list(&mut deeds.navigation_refused, plain(url));
            }
            PageSignal::Unresponsive { .. } => deeds.unresponsive += 1,
            PageSignal::Crashed => deeds.crashes += 1,
            _ => {}
        }
    }
    deeds
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_report_reads_back_as_it_was_written() {
        let facts = Facts {
            target: "page".into(),
            could_not_judge: Some("no answer".into()),
            ..Facts::default()
        };
        let report = BotReport::new(&Evidence::default(), &facts);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<BotReport>(&text).unwrap(), report);
    }
}
