//! How far later findings of the board differ from the first.
//!
//! Comes in: Evidence. Goes out: [`CalibrationDrift`]. Must never know: how a board is found.

use super::types::CalibrationDrift;
use crate::evidence::{Evidence, Recalled};
use crate::model::{Board, By};

/// Part of a cell by which a board may be found elsewhere and still be the same: what a border or shadow can make.
const SAME_PLACE: f64 = 0.5;
/// Likewise for the size of its cells.
const SAME_SIZE: f64 = 0.05;

/// `None` where no board was found and nothing was known of the page. What an operator ruled is no drift.
pub(super) fn drift(evidence: &Evidence) -> Option<CalibrationDrift> {
    let recalled = evidence.recalled();
    let within = within_the_run(evidence);
    if recalled.is_empty() {
        return within;
    }
    let mut drift = within.unwrap_or_default();
    for (what, how, why) in recalled {
        match how {
            Recalled::Known => {}
            Recalled::Held => drift.cache_hits += 1,
            Recalled::Missed => drift.cache_misses += 1,
            Recalled::Differs => {
                drift.cache_misses += 1;
                drift.drifted = true;
                drift
                    .changes
                    .push(format!("{what}, since its profile was made: {why}"));
            }
        }
    }
    Some(drift)
}

/// How later findings of this run differ from its first.
fn within_the_run(evidence: &Evidence) -> Option<CalibrationDrift> {
    let found: Vec<_> = evidence
        .boards()
        .iter()
        .filter(|b| b.2 == By::Discovery)
        .collect();
    let ((begun, first, _), (_, last, _)) = (found.first()?, found.last()?);
    let changes = differences(first, last);
    let mut drift = CalibrationDrift {
        drifted: !changes.is_empty(),
        changes,
        recalibrations: found.len() as u64 - 1,
        ..CalibrationDrift::default()
    };
    // Each fresh page: was the board known taken over, or found again?
    let opened = evidence.opened();
    for (n, (from, _)) in opened.iter().enumerate() {
        if from.seq < begun.seq {
            continue;
        }
        let until = opened.get(n + 1).map_or(u64::MAX, |o| o.0.seq);
        let anew = found.iter().any(|b| (from.seq..until).contains(&b.0.seq));
        let read = !evidence
            .readings_in(from.seq..=until.saturating_sub(1))
            .is_empty();
        if anew {
            drift.cache_misses += 1;
        } else if read {
            drift.cache_hits += 1;
        }
    }
    Some(drift)
}

/// What is not as it was, in words.
fn differences(first: &Board, last: &Board) -> Vec<String> {
    let mut changes = Vec::new();
    if (first.columns, first.rows) != (last.columns, last.rows) {
        changes.push(format!(
            "size: {}×{}, first {}×{}",
            last.columns, last.rows, first.columns, first.rows
        ));
    }
    let (dx, dy) = (last.x - first.x, last.y - first.y);
    if dx.abs() > first.cell_width * SAME_PLACE || dy.abs() > first.cell_height * SAME_PLACE {
        changes.push(format!("place: {dx:+.0},{dy:+.0} px from the first"));
    }
    let grown = |a: f64, b: f64| (b - a).abs() > a * SAME_SIZE;
    if grown(first.cell_width, last.cell_width) || grown(first.cell_height, last.cell_height) {
        changes.push(format!(
            "cells: {:.1}×{:.1} px, first {:.1}×{:.1}",
            last.cell_width, last.cell_height, first.cell_width, first.cell_height
        ));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Grid, Record, RecordBody, Stamp};

    fn board(x: f64, rows: u16) -> Board {
        Board {
            x,
            y: 10.0,
            cell_width: 20.0,
            cell_height: 20.0,
            columns: 10,
            rows,
            confidence: 1.0,
            why: String::new(),
            sure: crate::model::Sure::default(),
        }
    }

    /// What happens in a story.
    enum Did {
        Opened,
        Read,
        Found(Board),
        Ruled(Board),
    }

    fn judged(story: Vec<Did>) -> Option<CalibrationDrift> {
        let mut evidence = Evidence::default();
        for (seq, did) in story.into_iter().enumerate() {
            let stamp = Stamp {
                seq: seq as u64,
                ..Stamp::default()
            };
            let found = |board, by| RecordBody::Board {
                board,
                background: None,
                by,
            };
            let body = match did {
                Did::Opened => RecordBody::Opened("x".into()),
                Did::Found(board) => found(board, By::Discovery),
                Did::Ruled(board) => found(board, By::Operator),
                Did::Read => {
                    // Never twice the same: readings that are alike are kept as one, across pages too.
                    let row: String = (0..16)
                        .map(|n| if seq >> n & 1 == 1 { '#' } else { '.' })
                        .collect();
                    evidence.push_grid(stamp, Grid::from_ascii(&format!("{row}\n{row}")));
                    continue;
                }
            };
            evidence.push(&Record { stamp, body });
        }
        drift(&evidence)
    }

    #[test]
    fn a_board_taken_over_is_a_hit_and_one_found_again_a_miss() {
        use Did::{Found, Opened, Read};
        assert_eq!(judged(vec![Opened, Read]), None);
        let story = vec![
            Opened,
            Found(board(100.0, 20)),
            Read,
            Opened,
            Read,
            Opened,
            Opened,
            Found(board(104.0, 20)),
            Read,
            Opened,
            Read,
        ];
        let drift = judged(story).unwrap_or_default();
        assert_eq!(
            (drift.recalibrations, drift.cache_hits, drift.cache_misses),
            (1, 2, 1)
        );
        assert!(!drift.drifted, "a fifth of a cell is none: {drift:?}");
    }

    #[test]
    fn what_was_known_from_earlier_runs_counts_and_what_is_not_as_it_was_is_said() {
        use crate::evidence::Mark;
        let mut evidence = Evidence::default();
        for (seq, (what, how)) in [
            ("page", Recalled::Known),
            ("start", Recalled::Held),
            ("board", Recalled::Held),
            ("controls", Recalled::Differs),
        ]
        .into_iter()
        .enumerate()
        {
            let mark = Mark::Recalled {
                what: what.into(),
                how,
                why: "a is not move_left now".into(),
            };
            let stamp = Stamp {
                seq: seq as u64,
                ..Stamp::default()
            };
            let body = RecordBody::Mark(mark.to_text());
            evidence.push(&Record { stamp, body });
        }
        let drift = drift(&evidence).unwrap_or_default();
        assert_eq!((drift.cache_hits, drift.cache_misses), (2, 1));
        assert!(drift.drifted);
        assert_eq!(
            drift.changes,
            ["controls, since its profile was made: a is not move_left now"]
        );
    }

    #[test]
    fn what_differs_from_the_first_is_said_and_an_operators_ruling_is_no_drift() {
        use Did::{Found, Opened, Read, Ruled};
        let story = vec![
            Opened,
            Found(board(100.0, 20)),
            Read,
            Opened,
            Found(board(80.0, 22)),
            Ruled(board(0.0, 40)),
        ];
        let drift = judged(story).unwrap_or_default();
        assert!(drift.drifted);
        assert_eq!(
            drift.changes,
            [
                "size: 10×22, first 10×20",
                "place: -20,+0 px from the first"
            ]
        );
        assert_eq!(drift.recalibrations, 1);
    }
}
