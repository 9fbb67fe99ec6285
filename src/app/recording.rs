//! Runs that are recorded, and what is done with recordings.
//!
//! Comes in: arguments, recordings. Goes out: recorders, reports. Must never know: how a page is judged.

use super::{UsageError, exit_code, give_report, log_to_stderr};
use crate::cli::{CorrectionArgs, Judge, RecordArgs};
use crate::config;
use crate::model::{Action, Board, Key};
use crate::session::harmless;
use crate::session::judge::{Corrections, judge};
use crate::session::recording::{Recorder, Recording, RecordingError};
use color_eyre::eyre::Result;
use std::path::Path;
use std::sync::Arc;

/// The recorder of a run, recording if that was asked for.
pub(super) fn recorder(target: &str, args: &RecordArgs) -> Result<Arc<Recorder>> {
    let recorder = Recorder::new(target, config::recordings());
    if args.record.is_some() || args.record_somewhere {
        recorder.start(args.record.as_deref())?;
    }
    Ok(Arc::new(recorder))
}

/// The same for one of many runs: the folder that was named holds one of its own for each.
pub(super) fn recorder_of_many(target: &str, args: &RecordArgs) -> Result<Arc<Recorder>> {
    let place = args.record.clone().or_else(config::recordings);
    let recorder = Recorder::new(target, place);
    if args.record.is_some() || args.record_somewhere {
        recorder.start(None)?;
    }
    Ok(Arc::new(recorder))
}

/// Says where the recording is, on stderr.
pub(super) fn tell_recording(recorder: &Recorder) {
    let state = recorder.state();
    if let Some(dir) = &state.dir {
        let mb = state.bytes as f64 / 1e6;
        eprintln!("tetrascope: recorded in {} ({mb:.1} MB)", dir.display());
    }
    if let Some(fault) = &state.fault {
        eprintln!("tetrascope: the recording stopped before the end: {fault}");
    }
}

/// What was asked to be put right.
fn corrections(args: &CorrectionArgs) -> Result<Corrections> {
    let board = args.board.map(|b| {
        let [x, y, width, height] = b.rect;
        Board {
            x,
            y,
            cell_width: width / f64::from(b.cells.0),
            cell_height: height / f64::from(b.cells.1),
            columns: b.cells.0,
            rows: b.cells.1,
            confidence: 1.0,
            why: "said by hand".into(),
        }
    });
    let mut controls = Vec::new();
    if let Some(file) = &args.controls {
        let name = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|e| UsageError(format!("--controls: {name} could not be read: {e}")))?;
        let map: std::collections::BTreeMap<Action, Option<Key>> = serde_json::from_str(&text)
            .map_err(|e| {
                let names: Vec<_> = Action::ALL.iter().map(|a| a.name()).collect();
                let names = names.join(", ");
                UsageError(format!(
                    "--controls: {name}: {e}; it holds an object of keys by action ({names})"
                ))
            })?;
        controls.extend(map);
    }
    Ok(Corrections { board, controls })
}

/// `tetrascope judge`
pub(super) fn judge_it(args: &Judge) -> Result<u8> {
    log_to_stderr();
    let recording = open_recording(&args.recording)?;
    let judged = judge(&recording, &corrections(&args.corrections)?)
        .map_err(|e| UsageError(e.to_string()))?;
    if judged.troubles.any() {
        let troubles = harmless(&judged.troubles.to_string());
        eprintln!("tetrascope: {}: {troubles}", args.recording.display());
    }
    give_report(args.report.as_deref(), &judged.report)?;
    Ok(exit_code(&judged.report))
}

/// A recording that was named; a name behind which there is none is a mistake of whoever named it.
fn open_recording(path: &Path) -> Result<Recording> {
    Recording::open(path).map_err(|error| match error {
        RecordingError::NotThere(_) | RecordingError::NoHeader { .. } => {
            UsageError(error.to_string()).into()
        }
        other => other.into(),
    })
}
