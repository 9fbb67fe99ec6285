//! Runs that are recorded, and what is done with recordings.
//!
//! Comes in: arguments, recordings. Goes out: recorders, reports. Must never know: how a page is judged.

use super::{
    UsageError, asked_to_end, code, exit_code, explore, give_report, log_to_stderr,
    log_to_the_pane, print, screen, write_report,
};
use crate::cli::{CorrectionArgs, Diff, Judge, RecordArgs, Replay};
use crate::config::{self, Config};
use crate::model::{Action, Board, Key};
use crate::profile::{Profile, Store};
use crate::session::diff::diff;
use crate::session::explored::Explored;
use crate::session::harmless;
use crate::session::judge::{Corrections, judge};
use crate::session::recording::{Recorder, Recording, RecordingError};
use crate::session::{Snapshot, replay};
use crate::tui;
use color_eyre::eyre::{Result, WrapErr};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The file in a recording's folder in which a replay saves what was put right.
const PROFILE: &str = "profile.toml";

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
pub(super) fn corrections(args: &CorrectionArgs) -> Result<Corrections> {
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
            sure: crate::model::Sure::default(),
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
    let mut corrections = Corrections {
        board,
        controls,
        ..Corrections::default()
    };
    if let Some(file) = &args.profile {
        said_by(&profile(file)?, &mut corrections);
    }
    Ok(corrections)
}

/// A profile that was named.
fn profile(file: &Path) -> Result<Profile> {
    let read = Store::read(file).map_err(|e| UsageError(format!("--profile: {e}")))?;
    let gone = || UsageError(format!("--profile: {} is not there", file.display()));
    Ok(read.ok_or_else(gone)?)
}

/// What a profile says, where nothing else was said.
fn said_by(profile: &Profile, corrections: &mut Corrections) {
    if corrections.board.is_none() {
        corrections.board = profile.board.map(|b| b.board("said by a profile"));
    }
    for (action, known) in &profile.controls {
        if corrections.controls.iter().all(|c| c.0 != *action) {
            corrections.controls.push((*action, known.key.clone()));
        }
    }
    if !profile.reading.is_empty() {
        corrections.hints = Some(profile.reading.clone());
    }
}

/// `tetrascope replay`
pub(super) async fn replay_it(args: Replay, config: &Config) -> Result<u8> {
    if Explored::is_one(&args.recording) {
        let options = screen(&args.screen, config)?;
        return explore::replay(&args.recording, options, args.report.as_deref()).await;
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return judge_it(&Judge {
            recording: args.recording,
            corrections: args.corrections,
            report: args.report,
        });
    }
    let options = screen(&args.screen, config)?;
    log_to_the_pane();
    let recording = open_recording(&args.recording)?;
    let corrected = &args.corrections;
    let profile = match &corrected.profile {
        Some(file) => file.clone(),
        None => recording.dir().join(PROFILE),
    };
    // One that is not there yet is to be made.
    let corrections = corrections(&CorrectionArgs {
        profile: corrected.profile.clone().filter(|f| f.exists()),
        ..corrected.clone()
    })?;
    let (up, snapshots) = watch::channel(Arc::new(Snapshot::default()));
    let (commands, down) = mpsc::channel(64);
    let wait = args.report.is_some();
    let replay = tokio::spawn(replay::run(recording, corrections, profile, wait, down, up));
    let face = tui::run(snapshots, commands, options);
    let outcome = tokio::select! {
        outcome = face => outcome.map(|_| ()).wrap_err("the screen"),
        () = asked_to_end() => Ok(()),
    };
    tui::restore();
    outcome?;
    // The face has dropped its end of the commands, or said quit: either ends the replay.
    let report = replay.await.wrap_err("the replay broke off")?;
    if let (Some(file), Some(report)) = (&args.report, report) {
        write_report(file, &report)?;
    }
    Ok(code::PASSED)
}

/// `tetrascope judge`
pub(super) fn judge_it(args: &Judge) -> Result<u8> {
    if Explored::is_one(&args.recording) {
        return explore::judge(&args.recording, args.report.as_deref());
    }
    log_to_stderr(false);
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

/// `tetrascope diff`
pub(super) fn diff_them(args: &Diff) -> Result<u8> {
    log_to_stderr(false);
    let (first, second) = (open_recording(&args.first)?, open_recording(&args.second)?);
    let difference = diff(&first, &second)?;
    print(difference.to_string().as_bytes());
    Ok(if difference.any() {
        code::FAILED
    } else {
        code::PASSED
    })
}

/// A recording that was named; a name behind which there is none is a mistake of whoever named it.
pub(super) fn open_recording(path: &Path) -> Result<Recording> {
    Recording::open(path).map_err(|error| match error {
        RecordingError::NotThere(_) | RecordingError::NoHeader { .. } => {
            UsageError(error.to_string()).into()
        }
        other => other.into(),
    })
}
