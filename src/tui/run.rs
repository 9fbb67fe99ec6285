//! The loop: events in, effects out, and a picture when something changed.
//!
//! Comes in: snapshots, the terminal's events. Goes out: commands. Must never know: what the keys mean.

use super::look::{Colour, Depth, Look, Theme};
use super::term::{self, Term};
use super::update::{Effect, Input};
use super::{Explorer, Graphics, Keymap, Screen, draw, log_changed};
use crate::explore::Scene;
use crate::model::Key;
use crate::session::{Command, Snapshot};
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, MouseEventKind};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

/// Least time between two pictures: about 30 a second.
const FRAME: Duration = Duration::from_millis(33);
/// How long a key stays down on the page where the terminal does not tell when it goes up.
const TAP: Duration = Duration::from_millis(60);
/// How often it is asked whether the terminal is still there.
const CHECK: Duration = Duration::from_secs(1);
/// Commands that wait for a session that is busy; more are refused, and that is said.
const WAITING: usize = 64;

/// What the operator asked for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only ASCII.
    pub ascii: bool,
    /// When to use colours.
    pub colour: Colour,
    /// Which colours.
    pub theme: Theme,
    /// Capture the mouse from the start.
    pub mouse: bool,
    /// How pictures are shown.
    pub graphics: Graphics,
    /// The keys.
    pub keys: Keymap,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The operator quit; the session was told.
    Quit,
    /// There is no terminal any more, or somebody else gave it back with [`super::restore`].
    TerminalGone,
}

/// What kept the screen from coming up.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal cannot be set up: standard output or input is none, or it refuses raw mode.
    #[error("this terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
}

/// What a screen must know of its terminal.
pub(super) struct Setup {
    pub look: Look,
    /// Columns and rows.
    pub size: (u16, u16),
    pub keys: Keymap,
    pub graphics: Graphics,
    /// A cell in pixels.
    pub cell: Option<(u16, u16)>,
    /// Does it tell when keys go up?
    pub releases: bool,
    /// Is the mouse captured?
    pub mouse: bool,
}

/// A screen: what it shows comes from elsewhere, what it remembers between two keys is its own.
pub(super) trait Show {
    /// What it shows.
    type Shown: Send + Sync;

    /// One for this terminal.
    fn new(setup: Setup) -> Self;
    /// Takes an input.
    fn update(&mut self, shown: &Self::Shown, input: Input) -> Vec<Effect>;
    /// Draws itself. The size that is drawn on counts, whether or not its event has come.
    fn draw(&mut self, shown: &Self::Shown, frame: &mut Frame<'_>);
    /// Is the program's own log in view?
    fn shows_log(&self) -> bool {
        false
    }
    /// A line for the operator until the next key.
    fn notice(&mut self, text: &str);
}

impl Show for Screen {
    type Shown = Snapshot;

    fn new(setup: Setup) -> Self {
        Screen::new(setup.look, setup.size)
            .with_keys(setup.keys)
            .with_graphics(setup.graphics, setup.cell)
            .with_releases(setup.releases)
            .with_mouse(setup.mouse)
    }

    fn update(&mut self, shown: &Snapshot, input: Input) -> Vec<Effect> {
        Screen::update(self, shown, input)
    }

    fn draw(&mut self, shown: &Snapshot, frame: &mut Frame<'_>) {
        let area = frame.area();
        self.size = (area.width, area.height);
        draw(shown, self, frame);
    }

    fn shows_log(&self) -> bool {
        Screen::shows_log(self)
    }

    fn notice(&mut self, text: &str) {
        self.notice = Some(text.into());
    }
}

/// Shows a session until the operator leaves. The terminal is given back whatever happens.
///
/// # Errors
/// [`TuiError::Terminal`] where the terminal cannot be set up. One that vanishes later is an [`Outcome`].
pub async fn run(
    snapshots: watch::Receiver<Arc<Snapshot>>,
    commands: mpsc::Sender<Command>,
    options: Options,
) -> Result<Outcome, TuiError> {
    show::<Screen>(snapshots, commands, options).await
}

/// Shows an exploration, likewise.
///
/// # Errors
/// As [`run`].
pub async fn run_explorer(
    scenes: watch::Receiver<Arc<Scene>>,
    commands: mpsc::Sender<Command>,
    options: Options,
) -> Result<Outcome, TuiError> {
    show::<Explorer>(scenes, commands, options).await
}

async fn show<S: Show>(
    snapshots: watch::Receiver<Arc<S::Shown>>,
    commands: mpsc::Sender<Command>,
    options: Options,
) -> Result<Outcome, TuiError> {
    let depth = Depth::detect(options.colour, |name| std::env::var(name).ok());
    let look = Look {
        ascii: options.ascii,
        theme: options.theme,
        depth,
    };
    let (size, cell) = event_size()?;
    let graphics = options.graphics.detect(|name| std::env::var(name).ok());
    let term = Term::take(options.mouse)?;
    let screen = S::new(Setup {
        look,
        size,
        keys: options.keys.clone(),
        graphics,
        cell,
        releases: term.releases,
        mouse: options.mouse,
    });
    let (sender, events) = mpsc::channel(256);
    let over = Arc::new(AtomicBool::new(false));
    let reader = std::thread::Builder::new().name("terminal".into());
    let stop = over.clone();
    reader.spawn(move || read_events(&sender, &stop))?;
    let face = Face {
        term,
        screen,
        snapshots,
        commands,
        waiting: VecDeque::new(),
        releases: Vec::new(),
    };
    let outcome = term::inside_ui(face.run(events)).await;
    over.store(true, Ordering::SeqCst);
    Ok(outcome)
}

type Pair = (u16, u16);

/// Columns and rows, and the pixels of a cell where the terminal tells.
fn event_size() -> io::Result<(Pair, Option<Pair>)> {
    let s = ratatui::crossterm::terminal::window_size()?;
    let cell = (s.columns > 0 && s.rows > 0).then(|| (s.width / s.columns, s.height / s.rows));
    Ok(((s.columns, s.rows), cell))
}

/// Reads the terminal on a thread of its own: crossterm 0.29 loops for ever inside its reader once the terminal has hung up,
/// which must not stop the task that notices it and ends the program.
fn read_events(events: &mpsc::Sender<Event>, over: &AtomicBool) {
    while !over.load(Ordering::SeqCst) {
        match event::poll(CHECK) {
            Ok(false) => {}
            Ok(true) => match event::read() {
                Ok(e) => {
                    if events.blocking_send(e).is_err() {
                        return;
                    }
                }
                Err(_) => return,
            },
            Err(_) => return,
        }
    }
}

fn input(event: Event) -> Option<Input> {
    match event {
        Event::Key(k) => Some(Input::Key(k)),
        Event::Mouse(m) if matches!(m.kind, MouseEventKind::Moved) => None,
        Event::Mouse(m) => Some(Input::Mouse(m)),
        Event::Resize(w, h) => Some(Input::Resize(w, h)),
        Event::Paste(t) => Some(Input::Paste(t)),
        Event::FocusLost => Some(Input::FocusLost),
        Event::FocusGained => None,
    }
}

struct Face<S: Show> {
    term: Term,
    screen: S,
    snapshots: watch::Receiver<Arc<S::Shown>>,
    commands: mpsc::Sender<Command>,
    waiting: VecDeque<Command>,
    releases: Vec<(Instant, Key, u64)>,
}

impl<S: Show> Face<S> {
    async fn run(mut self, mut events: mpsc::Receiver<Event>) -> Outcome {
        let mut snapshot = self.snapshots.borrow_and_update().clone();
        let mut session_there = true;
        let mut dirty = true;
        let mut next_draw = Instant::now();
        let mut next_check = next_draw + CHECK;
        let commands = self.commands.clone();
        loop {
            let release = self.releases.iter().map(|r| r.0).min();
            let input = tokio::select! {
                // The picture comes first: no flood of events or snapshots keeps the screen from moving.
                biased;
                () = sleep_until(next_draw), if dirty => {
                    if !term::is_live() || !self.draw(&snapshot) {
                        return Outcome::TerminalGone;
                    }
                    dirty = false;
                    next_draw = Instant::now() + FRAME;
                    None
                }
                event = events.recv() => match event {
                    None => return Outcome::TerminalGone,
                    Some(event) => input(event),
                },
                () = until(release) => self.due(),
                permit = commands.reserve(), if !self.waiting.is_empty() => {
                    match (permit, self.waiting.pop_front()) {
                        (Ok(permit), Some(command)) => permit.send(command),
                        _ => self.waiting.clear(),
                    }
                    None
                }
                () = sleep_until(next_check) => {
                    next_check = Instant::now() + CHECK;
                    if !term::is_live() || !term::is_there() {
                        return Outcome::TerminalGone;
                    }
                    None
                }
                changed = self.snapshots.changed(), if session_there => {
                    session_there = changed.is_ok();
                    snapshot = self.snapshots.borrow_and_update().clone();
                    Some(Input::Snapshot)
                }
                () = log_changed(), if self.screen.shows_log() => {
                    dirty = true;
                    None
                }
            };
            if let Some(input) = input {
                dirty = true;
                let effects = self.screen.update(&snapshot, input);
                if self.carry_out(effects) {
                    self.say_the_rest().await;
                    return Outcome::Quit;
                }
            }
        }
    }

    fn draw(&mut self, snapshot: &S::Shown) -> bool {
        let screen = &mut self.screen;
        self.term
            .screen
            .draw(|frame| screen.draw(snapshot, frame))
            .is_ok()
    }

    /// The first release whose time has come.
    fn due(&mut self) -> Option<Input> {
        let now = Instant::now();
        let at = self.releases.iter().position(|r| r.0 <= now)?;
        let (_, key, press) = self.releases.remove(at);
        Some(Input::ReleaseDue(key, press))
    }

    /// Does what the screen asks for; true where the operator leaves.
    fn carry_out(&mut self, effects: Vec<Effect>) -> bool {
        let mut leaves = false;
        for effect in effects {
            match effect {
                Effect::Send(command) => self.send(command),
                Effect::ReleaseLater(key, press) => {
                    self.releases.retain(|r| r.1 != key);
                    self.releases.push((Instant::now() + TAP, key, press));
                }
                // A terminal that refuses these is one that has gone; the next picture or check finds out.
                Effect::Mouse(on) => drop(term::mouse(on)),
                Effect::AllKeys(on) => drop(self.term.all_keys(on)),
                Effect::Leave => leaves = true,
            }
        }
        leaves
    }

    /// Sends in order; what a busy session cannot take yet waits.
    fn send(&mut self, command: Command) {
        let command = if self.waiting.is_empty() {
            match self.commands.try_send(command) {
                Ok(()) => return,
                Err(mpsc::error::TrySendError::Full(c)) => c,
                Err(mpsc::error::TrySendError::Closed(_)) => {
                    self.screen.notice("the session has ended; q quits");
                    return;
                }
            }
        } else {
            command
        };
        // Quitting and keys going up are never refused.
        let must = matches!(
            command,
            Command::Quit | Command::Drive(_) | Command::DriveKey { down: false, .. }
        );
        if must || self.waiting.len() < WAITING {
            self.waiting.push_back(command);
        } else {
            self.screen.notice("the session is busy; that was not sent");
        }
    }

    /// On leaving, what still waits is sent; a session that does not take it within a second is told by the closed channel.
    async fn say_the_rest(&mut self) {
        for command in std::mem::take(&mut self.waiting) {
            if self.commands.send_timeout(command, CHECK).await.is_err() {
                return;
            }
        }
    }
}

/// Waits for a moment; for ever where there is none.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
