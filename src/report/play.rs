//! What play came to, from the evidence and its verdicts.

use super::build::plain;
use super::types::{CompetitivePlay, Gameplay};
use crate::checks::{CheckView, Level, Score, Status, level, score};
use crate::evidence::{Evidence, NumberTrack, Outcome};
use crate::model::{PageSignal, Phase};
use std::ops::RangeInclusive;

/// Values of a number that a report keeps at most.
const READINGS: usize = 200;

/// The run as a whole.
pub fn gameplay(evidence: &Evidence) -> Gameplay {
    let counts = evidence.counts();
    let max_score_observed = match score(evidence) {
        Some(Score::Rises(track, _)) => track.history.iter().map(|h| h.1).fold(0.0, f64::max),
        _ => 0.0,
    };
    Gameplay {
        pieces_placed: counts.pieces_locked,
        lines_cleared: counts.lines_cleared,
        max_score_observed,
        play_duration_seconds: evidence.last().game_us as f64 / 1e6,
        errors_during_play: evidence
            .signals()
            .iter()
            .filter(|(_, s)| matches!(s, PageSignal::UncaughtError { .. }))
            .count() as u64,
    }
}

/// Was a number found that behaves like a score?
pub fn score_found(evidence: &Evidence) -> bool {
    matches!(score(evidence), Some(Score::Rises(..)))
}

/// The last phase; `None` where it did not come about.
pub fn competitive(evidence: &Evidence, checks: &[CheckView]) -> Option<CompetitivePlay> {
    let span = evidence.phase(Phase::Compete)?;
    if matches!(span.outcome, Some(Outcome::Skipped(_))) {
        return None;
    }
    let until = span.until.unwrap_or(evidence.last());
    let range = span.from.seq..=until.seq;
    let mut play = CompetitivePlay {
        duration_seconds: until.game_ms_since(span.from) / 1000.0,
        ..CompetitivePlay::default()
    };
    let mut combo = 0;
    for l in evidence.locked().iter().filter(|l| range.contains(&l.seq)) {
        play.pieces_placed += 1;
        play.total_lines_cleared += u64::from(l.cleared);
        match l.cleared {
            0 => {}
            1 => play.single_clears += 1,
            2 => play.double_clears += 1,
            3 => play.triple_clears += 1,
            _ => play.tetris_clears += 1,
        }
        combo = if l.cleared > 0 { combo + 1 } else { 0 };
        play.max_combo = play.max_combo.max(combo);
    }
    if let Some(Score::Rises(track, worth)) = score(evidence) {
        (play.score_readings, play.score_final) = values(track, &range);
        play.score_increases = worth
            .iter()
            .filter(|w| w.cleared > 0 && range.contains(&w.seq))
            .map(|w| w.by)
            .take(READINGS)
            .collect();
    }
    if let Level::Rises(track, _) = level(evidence) {
        (play.level_readings, play.level_final) = values(track, &range);
    }
    let is = |name: &str, status| {
        checks
            .iter()
            .any(|c| c.name == name && c.verdict.status == status)
    };
    let spans = evidence.phases();
    play.game_over_reached = is("game_over", Status::Pass)
        && spans
            .iter()
            .any(|p| p.phase == Phase::GameOver && p.outcome == Some(Outcome::Done));
    play.restart_available = is("restart", Status::Pass);
    play.next_piece_visible = is("next_preview", Status::Pass);
    play.speed_increased = is("speed_increases", Status::Pass);
    play.rendering_trail_detected = is("rendering_clean", Status::Fail);
    play.bugs_detected = checks
        .iter()
        .filter(|c| c.verdict.status == Status::Fail)
        .filter(|c| {
            matches!(c.phase, Some(Phase::Play | Phase::Compete)) || c.name.starts_with("score")
        })
        .map(|c| plain(&format!("{}: {}", c.name, c.verdict.why)))
        .collect();
    Some(play)
}

/// The values a number had in a stretch of the log, and the last of them.
fn values(track: &NumberTrack, range: &RangeInclusive<u64>) -> (Vec<f64>, f64) {
    let mut all: Vec<f64> = track.at(*range.start()).into_iter().collect();
    all.extend(
        track
            .history
            .iter()
            .filter(|h| range.contains(&h.0.seq))
            .map(|h| h.1),
    );
    let last = all.last().copied().unwrap_or(0.0);
    // Evenly thinned out where there are many.
    let every = all.len().div_ceil(READINGS).max(1);
    (all.into_iter().step_by(every).collect(), last)
}
