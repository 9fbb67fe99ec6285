//! Writes a recording of an exploration.

use super::{FORMAT, Header, Line};
use crate::explore::{Journey, Scene, Step};
use crate::model::{PictureName, Raster};
use crate::progress::Observation;
use crate::session::recording::{FRAMES, LOG, RecordingError, own_folder, write_picture};
use serde::Serialize;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Keeps everything that comes up in a folder.
#[derive(Debug)]
pub struct Keeper {
    dir: PathBuf,
    log: File,
    written: HashSet<PictureName>,
    /// The last scene that was written, as text without its clock: equal ones are not written again.
    last: Option<Scene>,
    fault: Option<String>,
}

impl Keeper {
    /// A recording in this folder; where there is one already, beside it under a new name.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(wanted: &Path, target: &str) -> Result<Self, RecordingError> {
        let dir = own_folder(wanted)?;
        let failed = |path: &Path, source| RecordingError::Write {
            path: path.to_path_buf(),
            source,
        };
        let frames = dir.join(FRAMES);
        fs::create_dir(&frames).map_err(|e| failed(&frames, e))?;
        let path = dir.join(LOG);
        let log = File::create(&path).map_err(|e| failed(&path, e))?;
        let mut keeper = Self {
            dir,
            log,
            written: HashSet::new(),
            last: None,
            fault: None,
        };
        let header = Header {
            format: FORMAT,
            tool: env!("CARGO_PKG_VERSION").into(),
            target: target.into(),
        };
        keeper
            .line(&header)
            .map_err(|source| failed(&path, source))?;
        Ok(keeper)
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What ended it before its time.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line).map_err(io::Error::other)?;
        bytes.push(b'\n');
        self.log.write_all(&bytes)
    }

    fn picture(&mut self, picture: &Raster) -> io::Result<()> {
        let name = picture.name();
        if self.written.insert(name) {
            write_picture(&self.dir, name, picture)?;
        }
        Ok(())
    }

    /// Does it, unless something failed before; what fails ends the recording, and is told.
    fn attempt(&mut self, what: impl FnOnce(&mut Self) -> io::Result<()>) {
        if self.fault.is_none()
            && let Err(error) = what(self)
        {
            self.fault = Some(error.to_string());
        }
    }

    /// How it stands.
    pub(super) fn scene(&mut self, scene: &Scene) {
        let still = Scene {
            seconds: 0.0,
            ..scene.clone()
        };
        if self.last.as_ref() == Some(&still) {
            return;
        }
        self.last = Some(still);
        self.attempt(|k| {
            if let Some(picture) = &scene.picture {
                k.picture(picture)?;
            }
            k.line(&Line::Scene(Box::new(scene.clone())))
        });
    }

    /// An action, with everything it was judged by.
    pub(super) fn done(&mut self, step: &Step, seen: &Observation) {
        self.attempt(|k| {
            for picture in seen.idle.iter().chain(&seen.before).chain(&seen.after) {
                k.picture(picture)?;
            }
            k.line(&Line::Done {
                step: Box::new(step.clone()),
                seen: Box::new(seen.clone()),
            })
        });
    }

    /// What came of it all.
    pub(super) fn end(&mut self, journey: &Journey) {
        self.attempt(|k| {
            for shot in &journey.shots {
                k.picture(shot)?;
            }
            k.line(&Line::End {
                journey: Box::new(journey.clone()),
                shots: journey.shots.clone(),
            })?;
            k.log.sync_all()
        });
    }
}
