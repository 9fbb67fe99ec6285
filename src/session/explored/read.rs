//! Reads a recording of an exploration: to be shown again, or judged again.

use super::{FORMAT, Header, Line};
use crate::explore::{Journey, Responsiveness, Scene, Showing, Step};
use crate::model::Raster;
use crate::progress::{Observation, StateAnalyzer};
use crate::session::recording::{LOG, Pictures, RecordingError};
use crate::session::{Command, Seek};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// While it plays, a scene is shown for at most so long.
const LONGEST: f64 = 1.0;

/// A recorded exploration. Pictures stand by their names until they are needed.
#[derive(Debug, Default)]
pub struct Explored {
    target: String,
    scenes: Vec<Scene>,
    done: Vec<(Arc<Step>, Observation)>,
    end: Option<(Journey, Vec<Raster>)>,
    /// Lines that could not be read.
    pub damaged: usize,
    pictures: Option<Pictures>,
}

impl Explored {
    /// Is this the folder of an exploration, rather than of a judged run?
    pub fn is_one(dir: &Path) -> bool {
        let first = std::fs::File::open(dir.join(LOG))
            .ok()
            .and_then(|file| BufReader::new(file).lines().next()?.ok());
        first.is_some_and(|line| serde_json::from_str::<Header>(&line).is_ok())
    }

    /// Reads a recording as far as it can be read.
    ///
    /// # Errors
    /// When there is none, or it is from a later version.
    pub fn open(dir: &Path) -> Result<Self, RecordingError> {
        let path = dir.join(LOG);
        let bytes = std::fs::read(&path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => RecordingError::NotThere(dir.to_path_buf()),
            _ => RecordingError::Read {
                path: path.clone(),
                source,
            },
        })?;
        let no_header = |why: String| RecordingError::NoHeader {
            path: path.clone(),
            why,
        };
        let mut lines = bytes.split(|b| *b == b'\n');
        let header: Header = serde_json::from_slice(lines.next().unwrap_or_default())
            .map_err(|e| no_header(e.to_string()))?;
        if header.format > FORMAT {
            return Err(no_header(format!(
                "its format {} is from a later version; this one reads up to {FORMAT}",
                header.format
            )));
        }
        let mut explored = Self {
            target: header.target,
            pictures: Some(Pictures::of(dir)),
            ..Self::default()
        };
        for line in lines.filter(|l| !l.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(Line::Scene(scene)) => {
                    let mut scene = *scene;
                    scene.steps = explored.done.iter().map(|(s, _)| s.clone()).collect();
                    explored.scenes.push(scene);
                }
                Ok(Line::Done { step, seen }) => {
                    explored.done.push((Arc::new(*step), *seen));
                }
                Ok(Line::End { journey, shots }) => explored.end = Some((*journey, shots)),
                Err(_) => explored.damaged += 1,
            }
        }
        Ok(explored)
    }

    /// What was explored.
    pub fn target(&self) -> &str {
        &self.target
    }

    fn fetched(&mut self, picture: &Raster) -> Option<Raster> {
        match picture.absent() {
            None => Some(picture.clone()),
            Some(name) => self.pictures.as_mut()?.get(name),
        }
    }

    /// A scene with its picture.
    fn scene(&mut self, at: usize) -> Scene {
        let Some(mut scene) = self.scenes.get(at).cloned() else {
            return Scene {
                target: self.target.clone(),
                note: Some("nothing was recorded".into()),
                ..Scene::default()
            };
        };
        scene.picture = scene.picture.as_ref().and_then(|p| self.fetched(p));
        scene
    }

    /// The journey as it was recorded, with the small pictures of its states; `None` where it was not recorded to its end.
    pub fn journey(&mut self) -> Option<Journey> {
        let (mut journey, shots) = self.end.clone()?;
        let empty = || Raster::filled(0, 0, [0; 3]);
        journey.shots = shots
            .iter()
            .map(|s| self.fetched(s).unwrap_or_else(empty))
            .collect();
        Some(journey)
    }

    /// Judges every action again from what was seen of it: the journey with the verdicts as they are now, and the numbers
    /// of the steps whose verdict is another one. Where the way went is as it was.
    ///
    /// # Errors
    /// When pictures are missing, or the end was not recorded: the step's number and what is wrong.
    pub fn judge(&mut self) -> Result<(Journey, Vec<usize>), String> {
        let mut journey = self
            .journey()
            .ok_or("it was not recorded to its end: there is no journey to judge")?;
        let mut other = Vec::new();
        for (step, seen) in self.done.clone() {
            let seen = self
                .with_pictures(seen)
                .ok_or_else(|| format!("step {}: a picture is missing", step.number))?;
            let judged = StateAnalyzer
                .has_state_progressed(&seen)
                .map_err(|e| format!("step {}: {e}", step.number))?;
            // What a model said then is not asked for again.
            let by_model = step
                .reasons
                .first()
                .is_some_and(|r| r.starts_with("a vision model: "));
            let Some(step) = journey.steps.iter_mut().find(|s| s.number == step.number) else {
                continue;
            };
            if judged.verdict != step.verdict && !by_model {
                other.push(step.number);
                step.verdict = judged.verdict;
                step.confidence = judged.confidence;
                step.boxes = judged.boxes().into_iter().take(8).collect();
                step.reasons = judged.reasons;
            }
        }
        journey.responsiveness = Responsiveness::of(&journey.steps);
        Ok((journey, other))
    }

    fn with_pictures(&mut self, mut seen: Observation) -> Option<Observation> {
        for picture in seen
            .idle
            .iter_mut()
            .chain(&mut seen.before)
            .chain(&mut seen.after)
        {
            *picture = self.fetched(picture)?;
        }
        Some(seen)
    }
}

/// Shows a recorded exploration until told to quit.
pub async fn replay(
    mut explored: Explored,
    mut commands: mpsc::Receiver<Command>,
    scenes: watch::Sender<Arc<Scene>>,
) {
    let of = explored.scenes.len();
    let (mut at, mut playing) = (0usize, false);
    loop {
        let mut scene = explored.scene(at);
        scene.showing = Some(Showing { at, of, playing });
        if at + 1 == of && explored.end.is_none() {
            scene.note = Some("it was not recorded any further".into());
        }
        scenes.send_replace(Arc::new(scene));
        let pause = {
            let time = |i: usize| explored.scenes.get(i).map_or(0.0, |s| s.seconds);
            Duration::from_secs_f64((time(at + 1) - time(at)).clamp(0.05, LONGEST))
        };
        tokio::select! {
            () = tokio::time::sleep(pause), if playing => {
                at = (at + 1).min(of.saturating_sub(1));
                playing = at + 1 < of;
            }
            command = commands.recv() => match command {
                None | Some(Command::Quit) => return,
                Some(Command::Hold(on)) => playing = !on && at + 1 < of,
                Some(Command::Seek(seek)) => {
                    playing = false;
                    at = explored.sought(at, seek);
                }
                Some(_) => {}
            }
        }
    }
}

impl Explored {
    /// The scene that a seek leads to.
    fn sought(&self, at: usize, seek: Seek) -> usize {
        let last = self.scenes.len().saturating_sub(1);
        let judged = |i: &usize| {
            self.scenes
                .get(*i)
                .is_some_and(|s| s.doing == crate::explore::Doing::Judged)
        };
        match seek {
            Seek::Start => 0,
            Seek::End => last,
            Seek::Frames(by) => at.saturating_add_signed(by as isize).min(last),
            Seek::Events(by) if by >= 0 => (at + 1..=last).find(judged).unwrap_or(last),
            Seek::Events(_) => (0..at).rev().find(judged).unwrap_or(0),
            // To the action of that number.
            Seek::Record(number) => (0..=last)
                .find(|i| judged(i) && self.scenes[*i].steps.len() as u64 >= number)
                .unwrap_or(last),
            _ => at,
        }
    }
}
