//! The operator's side of a replay: plays, pauses, goes anywhere.

use super::correct::Read;
use super::derive::{Making, derive};
use super::film::Film;
use super::glance::glance;
use super::show::{Lines, Show};
use super::view::{ReplayView, Seek};
use crate::model::{Frame, Record, RecordBody};
use crate::report::BotReport;
use crate::session::judge::Corrections;
use crate::session::recording::{Pictures, Recording};
use crate::session::{Command, Snapshot, StepUnit};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// Pictures a second while it plays.
const TICK: Duration = Duration::from_millis(33);
/// Shows a recording until told to quit. The report is there if everything was derived by then, or `wait` says to wait
/// for it. What a person puts right is saved in `profile` when they say so.
pub async fn run(
    recording: Recording,
    corrections: Corrections,
    profile: PathBuf,
    wait: bool,
    mut commands: mpsc::Receiver<Command>,
    snapshots: watch::Sender<Arc<Snapshot>>,
) -> Option<BotReport> {
    let mut player = Player::new(Arc::new(recording), corrections, profile);
    loop {
        player.settle();
        snapshots.send_replace(Arc::new(player.snapshot()));
        tokio::select! {
            () = tokio::time::sleep(TICK), if player.playing => player.play(),
            () = player.making.more.notified() => {}
            command = commands.recv() => match command {
                None | Some(Command::Quit) => break,
                Some(command) => player.obey(&command),
            }
        }
    }
    while wait && !player.making.with(|f| f.over) {
        player.making.more.notified().await;
    }
    player.making.stop.store(true, Ordering::Relaxed);
    player.making.with(|f| f.report.take()).map(|r| *r)
}

pub(super) struct Player {
    pub(super) recording: Arc<Recording>,
    pub(super) corrections: Corrections,
    pub(super) making: Arc<Making>,
    /// The moment that is shown.
    pub(super) at: usize,
    /// Game time of the replay's own clock while it plays, in microseconds.
    pub(super) clock_us: f64,
    pub(super) ticked: Instant,
    pub(super) playing: bool,
    pub(super) speed: f64,
    /// Where it goes, one after the other, as soon as that is derived.
    pub(super) wanted: VecDeque<Seek>,
    pub(super) note: Option<String>,
    /// Is the page to be seen?
    pub(super) viewing: bool,
    pub(super) pictures: Pictures,
    /// Where corrections are saved.
    pub(super) profile: PathBuf,
    /// What was before each correction of the reading.
    pub(super) before: Vec<Read>,
    /// What is shown while what comes before is derived: this moment at a glance.
    pub(super) meanwhile: Option<Box<Snapshot>>,
    pub(super) lines: Lines,
    pub(super) revision: u64,
    pub(super) obeyed: u64,
}

impl Player {
    fn new(recording: Arc<Recording>, corrections: Corrections, profile: PathBuf) -> Self {
        let pictures = Pictures::of(recording.dir());
        let mut player = Self {
            recording,
            corrections,
            making: Arc::default(),
            at: 0,
            clock_us: 0.0,
            ticked: Instant::now(),
            playing: false,
            speed: 1.0,
            wanted: VecDeque::new(),
            note: None,
            viewing: false,
            pictures,
            profile,
            before: Vec::new(),
            meanwhile: None,
            lines: Lines::default(),
            revision: 0,
            obeyed: 0,
        };
        player.derive();
        player
    }

    /// Begins to derive everything, anew where something was corrected.
    pub(super) fn derive(&mut self) {
        self.making.stop.store(true, Ordering::Relaxed);
        let making = Arc::new(Making::default());
        self.making = making.clone();
        self.lines = Lines::default();
        let recording = self.recording.clone();
        let corrections = self.corrections.clone();
        let spawned = std::thread::Builder::new()
            .name("replay".into())
            .spawn(move || derive(&recording, &corrections, &making));
        if let Err(error) = spawned {
            self.note = Some(format!("nothing can be derived: {error}"));
        }
    }

    fn go(&mut self, seek: Seek) {
        self.note = None;
        // A step is one from where the one before it ends.
        if !matches!(
            seek,
            Seek::Frames(_) | Seek::Events(_) | Seek::Phases(_) | Seek::Fails(_)
        ) {
            self.wanted.clear();
        }
        self.wanted.push_back(seek);
        self.settle();
        if !self.wanted.is_empty()
            && let Some(until) = self.ahead(seek)
        {
            self.meanwhile = self.glance(until);
        }
    }

    /// Goes where it was told to go, as far as that is derived by now.
    fn settle(&mut self) {
        while let Some(seek) = self.wanted.front() {
            let at = self.at;
            let found = self.making.with(|film| {
                let i = film.find(at, *seek)?;
                Some((i, film.moments.get(i)?.stamp.game_us))
            });
            let Some((i, us)) = found else { return };
            self.at = i;
            self.clock_us = us as f64;
            self.ticked = Instant::now();
            self.meanwhile = None;
            self.wanted.pop_front();
        }
    }

    /// The records up to a place that the log alone tells.
    fn ahead(&self, seek: Seek) -> Option<usize> {
        let log = self.recording.log();
        let phase = |r: &Record, phase| r.body == RecordBody::Phase(phase);
        match seek {
            Seek::Record(seq) => Some(log.partition_point(|r| r.stamp.seq < seq) + 1),
            Seek::Time(us) => Some(log.partition_point(|r| r.stamp.game_us <= us)),
            Seek::Phase(which) => Some(log.iter().rposition(|r| phase(r, which))? + 1),
            Seek::End => Some(log.len()),
            _ => None,
        }
        .map(|until| until.min(log.len()))
    }

    /// The last of the first `until` records at a glance.
    pub(super) fn glanced(&mut self, until: usize) -> Option<Film> {
        glance(
            &self.recording,
            &self.corrections,
            &mut self.pictures,
            until,
        )
    }

    fn glance(&mut self, until: usize) -> Option<Box<Snapshot>> {
        let film = self.glanced(until)?;
        let show = Show {
            at: 0,
            ..self.show()
        };
        Some(Box::new(show.snapshot(&film, &mut Lines::default())))
    }

    /// Some time has passed.
    fn play(&mut self) {
        let passed = self.ticked.elapsed();
        self.ticked = Instant::now();
        if !self.wanted.is_empty() {
            return;
        }
        let (clock, at) = (
            self.clock_us + passed.as_secs_f64() * 1e6 * self.speed,
            self.at,
        );
        let (there, derived_us, done) = self.making.with(|film| {
            let last = film.moments.len().saturating_sub(1);
            let us = if clock.is_finite() {
                clock as u64
            } else {
                u64::MAX
            };
            let after = film.moments.partition_point(|m| m.stamp.game_us <= us);
            let there = after.saturating_sub(1).clamp(at.min(last), last);
            let derived = film.moments.last().map_or(0, |m| m.stamp.game_us);
            (there, derived, film.over)
        });
        self.at = there;
        // What is not derived yet is waited for: the clock stands meanwhile.
        self.clock_us = clock.min(derived_us as f64);
        if done && self.clock_us >= derived_us as f64 {
            self.at = self
                .making
                .with(|film| film.moments.len().saturating_sub(1));
            self.playing = false;
        }
    }

    fn obey(&mut self, command: &Command) {
        self.obeyed += 1;
        self.carry_out(command);
    }

    fn carry_out(&mut self, command: &Command) {
        match command {
            Command::Hold(on) => {
                self.playing = !on;
                self.ticked = Instant::now();
                let (last, done) = self
                    .making
                    .with(|f| (f.moments.len().saturating_sub(1), f.over));
                if !on && done && self.at >= last {
                    self.go(Seek::Start);
                }
            }
            Command::Speed(speed) => self.speed = speed.max(0.01),
            Command::Seek(seek) => {
                // To step or to look at something is to stop.
                if !matches!(seek, Seek::Time(_) | Seek::Phase(_) | Seek::Phases(_)) {
                    self.playing = false;
                }
                self.go(*seek);
            }
            Command::Step(StepUnit::Frame) => self.carry_out(&Command::Seek(Seek::Frames(1))),
            Command::Step(StepUnit::Action) => self.carry_out(&Command::Seek(Seek::Events(1))),
            Command::Step(StepUnit::Phase) | Command::SkipPhase => self.go(Seek::Phases(1)),
            Command::RedoPhase => self.go(Seek::Phases(-1)),
            Command::GoToPhase(phase) => self.go(Seek::Phase(*phase)),
            Command::Rebind(action, key) => self.correct(*action, Some(key.clone())),
            Command::Unbind(action) => self.correct(*action, None),
            Command::Rediscover(action) => {
                self.corrections.controls.retain(|c| c.0 != *action);
                self.again(&format!("{} is as it was recorded", action.name()));
            }
            Command::ViewPage(on) => self.viewing = *on,
            Command::Board(board) => {
                let words = format!(
                    "the board is {}\u{d7}{} now; reading again",
                    board.columns, board.rows
                );
                let (_, _, hints) = self.corrected();
                // What was taught was said of another board's cells.
                self.read_by((Some(board.clone()), None, hints), &words);
            }
            Command::Hints(hints) => {
                let (board, empty, _) = self.corrected();
                self.read_by((board, empty, Some(hints.clone())), "reading again");
            }
            Command::Teach {
                column,
                row,
                filled,
            } => self.teach((*column, *row), *filled),
            Command::UndoBoard => {
                if let Some(before) = self.before.pop() {
                    self.set(before, "the last change is taken back; reading again");
                }
            }
            Command::SaveProfile => {
                let said = self.save();
                self.note = Some(said);
            }
            Command::TryKey(_) => {
                self.note = Some("that is done with a page, not with a recording of one".into());
            }
            Command::Freeze(_)
            | Command::Drive(_)
            | Command::DriveKey { .. }
            | Command::Record(_) => {
                self.note = Some("this is a recording: there is no page to do that to".into());
            }
            Command::Quit => {}
        }
    }

    /// The records up to the one that is shown.
    pub(super) fn until(&self) -> Option<usize> {
        let glanced = self.meanwhile.as_ref().and_then(|s| s.replay.as_ref());
        let seq = match (glanced, self.wanted.front()) {
            (Some(view), _) => view.seq,
            (None, Some(Seek::Record(seq))) => *seq,
            _ => self
                .making
                .with(|f| f.moments.get(self.at).map(|m| m.stamp.seq))?,
        };
        Some(self.recording.log().partition_point(|r| r.stamp.seq <= seq))
    }

    /// The picture of the board at this moment; it is all that was recorded of the page.
    fn page(&mut self) -> Option<Arc<Frame>> {
        let frame = |r: &&Record| matches!(r.body, RecordBody::Frame(_));
        let shown = &self.recording.log()[..self.until()?];
        let mut record = shown.iter().rev().find(frame)?.clone();
        self.pictures.fetch(&mut record);
        match record.body {
            RecordBody::Frame(frame) => Some(frame),
            _ => None,
        }
    }

    fn show(&self) -> Show<'_> {
        let going = !self.wanted.is_empty();
        let waiting = going.then(|| "what comes before is being read: verdicts follow".to_string());
        Show {
            recording: &self.recording,
            at: self.at,
            playing: self.playing,
            speed: self.speed,
            note: self.note.clone().or(waiting),
            revision: self.revision,
            obeyed: self.obeyed,
        }
    }

    pub(super) fn snapshot(&mut self) -> Snapshot {
        let making = self.making.clone();
        self.revision += 1;
        let mut lines = std::mem::take(&mut self.lines);
        let mut snapshot = making.with(|film| self.show().snapshot(film, &mut lines));
        self.lines = lines;
        if let Some(shown) = &self.meanwhile {
            let at = shown.replay.as_ref().map_or((0, 0), |r| (r.at_us, r.seq));
            snapshot = Snapshot {
                revision: snapshot.revision,
                doing: self.show().note.unwrap_or_default(),
                replay: snapshot.replay.map(|view| ReplayView {
                    at_us: at.0,
                    seq: at.1,
                    ..view
                }),
                ..(**shown).clone()
            };
        }
        if self.viewing {
            snapshot.page = self.page();
        }
        snapshot
    }
}
