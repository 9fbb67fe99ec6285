//! What a key, a click or a new snapshot changes, and what it asks of the session.
//!
//! Comes in: an [`Input`]. Goes out: [`Effect`]s. Must never know: a terminal, a clock, a channel.

use super::keymap::Intent;
use super::layout::{Layout, board_size};
use super::screen::{Overlay, PANES, Pane, Row, Screen, check_rows};
use crate::model::{Action, ClockMode, Key, Phase};
use crate::session::{Command, RunState, Snapshot, StepUnit};
use ratatui::crossterm::event::{Event, KeyEvent, KeyEventKind, MouseEvent};
use tui_input::backend::crossterm::EventHandler;
use tui_logger::TuiWidgetEvent;

/// Game seconds a wall second that `<` and `>` go through.
const SPEEDS: [f64; 11] = [
    0.1,
    0.25,
    0.5,
    1.0,
    2.0,
    4.0,
    8.0,
    16.0,
    32.0,
    64.0,
    f64::INFINITY,
];

/// What happens to a screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A key of the terminal.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// A new size in columns and rows.
    Resize(u16, u16),
    /// Text that was pasted.
    Paste(String),
    /// The terminal lost the focus.
    FocusLost,
    /// The time of [`Effect::ReleaseLater`] is over.
    ReleaseDue(Key, u64),
    /// There is a new snapshot.
    Snapshot,
}

/// What a screen asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A command for the session.
    Send(Command),
    /// After a moment (a tap's length), [`Input::ReleaseDue`] with these.
    ReleaseLater(Key, u64),
    /// The mouse is captured from now on, or no more.
    Mouse(bool),
    /// Every key is wanted with its release from now on, or no more.
    AllKeys(bool),
    /// The operator leaves.
    Leave,
}

pub(super) fn send(command: Command) -> Vec<Effect> {
    vec![Effect::Send(command)]
}

impl Screen {
    /// Takes an input; what follows from it outside of the screen is the answer.
    pub fn update(&mut self, snapshot: &Snapshot, input: Input) -> Vec<Effect> {
        match input {
            Input::Resize(w, h) => {
                self.size = (w, h);
                Vec::new()
            }
            Input::Snapshot => {
                let refused = snapshot.clock.mode == ClockMode::Real;
                self.speed
                    .take_if(|s| refused || s.total_cmp(&snapshot.clock.speed).is_eq());
                self.desk_follows(snapshot);
                self.follow(snapshot)
            }
            Input::FocusLost => self.wheel.release_all(),
            Input::ReleaseDue(key, press) => self.wheel.release_due(key, press),
            Input::Paste(text) => {
                if let Some(field) = &mut self.events.field {
                    let mut value = field.value().to_owned();
                    value.push_str(&super::text::clean(&text, false));
                    *field = value.into();
                }
                Vec::new()
            }
            Input::Mouse(event) => self.mouse(snapshot, event),
            Input::Key(key) => self.key(snapshot, &key),
        }
    }

    fn key(&mut self, snapshot: &Snapshot, key: &KeyEvent) -> Vec<Effect> {
        let release = key.kind == KeyEventKind::Release;
        if !release {
            self.notice = None;
        }
        if self.driving {
            return self.drive(key);
        }
        let quits = !release && self.keys.intent(key) == Some(Intent::QuitNow);
        if self.overlay == Some(Overlay::Controls { listening: true }) && !quits {
            return self.rebind(snapshot, key);
        }
        if self.overlay == Some(Overlay::TryKey) && !quits {
            return self.try_key(key);
        }
        if release {
            return Vec::new();
        }
        if quits {
            return vec![Effect::Send(Command::Quit), Effect::Leave];
        }
        if self.events.field.is_some() {
            self.type_search(snapshot, key);
            return Vec::new();
        }
        if self.time.is_some() {
            return self.type_time(key);
        }
        if self.overlay == Some(Overlay::Board)
            && let Some(effects) = self.type_at_desk(snapshot, key)
        {
            return effects;
        }
        match self.keys.intent(key) {
            Some(i) => self.intent(snapshot, i),
            None => Vec::new(),
        }
    }

    fn type_search(&mut self, snapshot: &Snapshot, key: &KeyEvent) {
        use ratatui::crossterm::event::KeyCode;
        let Some(field) = &mut self.events.field else {
            return;
        };
        match key.code {
            KeyCode::Esc => self.events.field = None,
            KeyCode::Enter => {
                self.events.query = field.value().to_owned();
                self.events.field = None;
                self.events.found = None;
                self.find(snapshot, true);
            }
            _ => {
                field.handle_event(&Event::Key(*key));
            }
        }
    }

    pub(super) fn intent(&mut self, snapshot: &Snapshot, intent: Intent) -> Vec<Effect> {
        if let Some(overlay) = self.overlay {
            return self.in_overlay(snapshot, overlay, intent);
        }
        if let Some(view) = &snapshot.replay
            && let Some(effects) = self.in_replay(snapshot, view, intent)
        {
            return effects;
        }
        let searching = self.focus == Pane::Events && !self.events.query.is_empty();
        let held = matches!(snapshot.state, RunState::Holding | RunState::Held);
        match intent {
            Intent::Hold => return send(Command::Hold(!held)),
            Intent::Freeze => return send(Command::Freeze(!snapshot.frozen)),
            Intent::StepFrame => return send(Command::Step(StepUnit::Frame)),
            Intent::StepAction => return send(Command::Step(StepUnit::Action)),
            Intent::StepPhase => return send(Command::Step(StepUnit::Phase)),
            Intent::Next if searching => self.find(snapshot, false),
            Intent::Previous => self.find(snapshot, true),
            Intent::Next => return send(Command::SkipPhase),
            Intent::Redo => return send(Command::RedoPhase),
            Intent::Slower | Intent::Faster => {
                // Two presses in a row are two steps, also where the first has not come back yet.
                let now = self.speed.unwrap_or(snapshot.clock.speed);
                let next = next_speed(now, intent == Intent::Faster);
                self.speed = Some(next);
                return send(Command::Speed(next));
            }
            Intent::Drive => {
                self.driving = true;
                self.drive_acknowledged = false;
                return vec![Effect::AllKeys(true), Effect::Send(Command::Drive(true))];
            }
            Intent::Controls => self.overlay = Some(Overlay::Controls { listening: false }),
            Intent::Board => return self.open_desk(),
            Intent::GoTo => {
                self.phase = snapshot.phase.map_or(0, |p| usize::from(p.number()) - 1);
                self.overlay = Some(Overlay::Phases);
            }
            Intent::Help => self.overlay = Some(Overlay::Help { top: 0 }),
            Intent::Search => {
                self.focus = Pane::Events;
                if self.log_open && Layout::of(snapshot, self).events.is_empty() {
                    self.log_open = false;
                }
                self.events.field = Some(self.events.query.clone().into());
            }
            Intent::Kind(k) => self.events.hidden[usize::from(k).min(4)] ^= true,
            Intent::AllKinds => self.events.hidden = Default::default(),
            Intent::Log => {
                self.log_open = !self.log_open;
                self.focus = if self.log_open {
                    Pane::Log
                } else {
                    Pane::Events
                };
            }
            Intent::Mouse => {
                self.mouse = !self.mouse;
                self.notice = Some(
                    if self.mouse {
                        "the mouse works here again"
                    } else {
                        "mouse off: select text with your terminal; the same key brings it back"
                    }
                    .into(),
                );
                return vec![Effect::Mouse(self.mouse)];
            }
            Intent::Quit if matches!(snapshot.state, RunState::Finished | RunState::Failed(_)) => {
                return vec![Effect::Send(Command::Quit), Effect::Leave];
            }
            Intent::Quit => self.overlay = Some(Overlay::Quit),
            Intent::QuitNow => return vec![Effect::Send(Command::Quit), Effect::Leave],
            Intent::FocusNext => self.focus_by(snapshot, 1),
            Intent::FocusPrev => self.focus_by(snapshot, PANES.len() - 1),
            Intent::Enter => self.enter(snapshot),
            Intent::Escape => self.escape(),
            Intent::Record => {
                return send(Command::Record(!snapshot.recording.on));
            }
            Intent::Clear
            | Intent::Undo
            | Intent::Save
            | Intent::Heat
            | Intent::Whole
            | Intent::GiveBack
            | Intent::Yes
            | Intent::PrevEvent
            | Intent::NextEvent
            | Intent::PrevPhase
            | Intent::NextPhase
            | Intent::First
            | Intent::Last
            | Intent::Time => {}
            Intent::Up
            | Intent::Down
            | Intent::Left
            | Intent::Right
            | Intent::PageUp
            | Intent::PageDown
            | Intent::Home
            | Intent::End => {
                self.scroll(snapshot, self.focus, intent);
            }
        }
        Vec::new()
    }

    fn focus_by(&mut self, snapshot: &Snapshot, by: usize) {
        let layout = Layout::of(snapshot, self);
        let at = PANES.iter().position(|p| *p == self.focus).unwrap_or(0);
        let next = (1..=PANES.len())
            .map(|i| PANES[(at + i * by) % PANES.len()])
            .find(|p| !layout.pane(*p).is_empty());
        self.focus = next.unwrap_or_default();
    }

    pub(super) fn enter(&mut self, snapshot: &Snapshot) {
        match self.focus {
            Pane::Checks => {
                if !self.chosen {
                    self.scroll(snapshot, Pane::Checks, Intent::Up);
                }
                if let Some(c) = snapshot.checks.get(self.check) {
                    self.overlay = Some(Overlay::Check {
                        name: c.name,
                        top: 0,
                    });
                }
            }
            Pane::Controls => self.overlay = Some(Overlay::Controls { listening: false }),
            Pane::Phases => self.overlay = Some(Overlay::Phases),
            Pane::Events | Pane::Log | Pane::Numbers | Pane::Board => {}
        }
    }

    fn escape(&mut self) {
        match self.focus {
            Pane::Events if !self.events.query.is_empty() => {
                self.events.query.clear();
                self.events.found = None;
            }
            Pane::Events => self.events.top = None,
            Pane::Checks => {
                self.checks_top = None;
                self.chosen = false;
            }
            Pane::Log => self.log.transition(TuiWidgetEvent::EscapeKey),
            Pane::Board => self.board_at = None,
            Pane::Controls | Pane::Numbers | Pane::Phases => {}
        }
    }

    /// Scrolls a pane, or moves its selection.
    pub(super) fn scroll(&mut self, snapshot: &Snapshot, pane: Pane, i: Intent) {
        let layout = Layout::of(snapshot, self);
        let height = layout.rows(pane).max(1);
        match pane {
            Pane::Checks => {
                let last = snapshot.checks.len().saturating_sub(1);
                let rows = check_rows(&snapshot.checks, height);
                if self.chosen {
                    self.check = moved(self.check.min(last), i, height, last);
                } else {
                    // The first key only shows where one is.
                    self.check = self.first_check(snapshot, &rows, height);
                    self.check = match i {
                        Intent::Home | Intent::End => moved(self.check, i, height, last),
                        _ => self.check,
                    };
                    self.chosen = true;
                }
                let at = rows
                    .iter()
                    .position(|r| *r == Row::Check(self.check))
                    .unwrap_or(0);
                // The heading above the first check comes into view with it.
                let from = if at > 0 && matches!(rows[at - 1], Row::Heading(_)) {
                    at - 1
                } else {
                    at
                };
                let top = self.checks_first(snapshot, &rows, height);
                self.checks_top = Some(top.min(from).max((at + 1).saturating_sub(height)));
            }
            Pane::Controls => self.control = moved(self.control, i, height, Action::ALL.len() - 1),
            Pane::Phases => self.phase = moved(self.phase, i, height, Phase::ALL.len() - 1),
            Pane::Numbers => {
                let last = snapshot.numbers.len().saturating_sub(height);
                self.numbers_top = moved(self.numbers_top.min(last), i, height, last);
            }
            Pane::Events => {
                let shown = self.events.shown(snapshot);
                let last = shown.len().saturating_sub(height);
                let first = moved(self.events.first(snapshot, &shown, height), i, height, last);
                let absolute = shown.get(first).map(|&n| snapshot.log_dropped + n as u64);
                self.events.top = absolute.filter(|_| first < last);
            }
            Pane::Log => self.log.transition(match i {
                Intent::Up | Intent::PageUp | Intent::Home => TuiWidgetEvent::PrevPageKey,
                Intent::Down | Intent::PageDown => TuiWidgetEvent::NextPageKey,
                _ => TuiWidgetEvent::EscapeKey,
            }),
            Pane::Board => {
                let (columns, rows) = board_size(snapshot);
                let (x, y) = self.board_at.unwrap_or((0, 0));
                self.board_at = Some(match i {
                    Intent::Left => (x.saturating_sub(1), y),
                    Intent::Right => ((x + 1).min(columns), y),
                    i => (
                        x,
                        moved(usize::from(y), i, height, usize::from(rows)) as u16,
                    ),
                });
            }
        }
    }

    /// Goes to the next line that matches, or the one before.
    fn find(&mut self, snapshot: &Snapshot, back: bool) {
        let shown = self.events.shown(snapshot);
        let number = |i: usize| snapshot.log_dropped + i as u64;
        let matching = |i: &&usize| self.events.matches(&snapshot.log[**i]);
        let found = match (self.events.found, back) {
            (Some(at), true) => shown
                .iter()
                .rev()
                .filter(|i| number(**i) < at)
                .find(matching),
            (Some(at), false) => shown.iter().filter(|i| number(**i) > at).find(matching),
            (None, _) => shown.iter().rev().find(matching),
        };
        let Some(&found) = found else {
            if !self.events.query.is_empty() {
                self.notice = Some(format!(
                    "no {} line with “{}”",
                    if self.events.found.is_some() {
                        "further"
                    } else {
                        "shown"
                    },
                    self.events.query
                ));
            }
            return;
        };
        self.events.found = Some(number(found));
        let height = Layout::of(snapshot, self).rows(Pane::Events).max(1);
        let at = shown.partition_point(|&i| i < found);
        let first = self.events.first(snapshot, &shown, height);
        if at < first || at >= first + height {
            let top = at.saturating_sub(height / 2);
            self.events.top = shown
                .get(top)
                .map(|&i| number(i))
                .filter(|_| top + height < shown.len());
        } else if first + height < shown.len() {
            self.events.top = shown.get(first).map(|&i| number(i));
        }
    }
}

/// A name of an action for people.
pub(super) fn action_name(action: Action) -> &'static str {
    match action {
        Action::MoveLeft => "left",
        Action::MoveRight => "right",
        Action::SoftDrop => "soft drop",
        Action::HardDrop => "hard drop",
        Action::RotateCw => "rotate cw",
        Action::RotateCcw => "rotate ccw",
        Action::Hold => "hold",
        Action::Pause => "pause",
    }
}

/// A place in a list after a movement.
pub(super) fn moved(at: usize, intent: Intent, page: usize, last: usize) -> usize {
    match intent {
        Intent::Up => at.saturating_sub(1),
        Intent::Down => at + 1,
        Intent::PageUp => at.saturating_sub(page),
        Intent::PageDown => at + page,
        Intent::Home => 0,
        Intent::End => last,
        _ => at,
    }
    .min(last)
}

/// The next of the usual speeds.
fn next_speed(now: f64, faster: bool) -> f64 {
    let now = if now.is_nan() { 1.0 } else { now };
    let next = if faster {
        SPEEDS.into_iter().find(|s| *s > now * 1.001)
    } else {
        SPEEDS.into_iter().rev().find(|s| *s < now * 0.999)
    };
    next.unwrap_or(if faster { f64::INFINITY } else { SPEEDS[0] })
}
