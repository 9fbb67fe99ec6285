//! The screen of an exploration.
//!
//! Comes in: scenes, the terminal's events. Goes out: commands, and pictures on a terminal. Must never know: a browser, how
//! one explores.
//!
//! | file | duty |
//! | --- | --- |
//! | `draw` | where everything goes, header, lists, footer |
//! | `map` | the states and the ways between them as lines |
//! | `picture` | the page's picture in character cells |

mod draw;
mod map;
mod picture;

use super::keymap::{Intent, Keymap};
use super::run::{Setup, Show};
use super::update::{Effect, Input, send};
use super::wheel::{Turned, Wheel};
use super::{Look, text};
use crate::explore::Scene;
use crate::session::{Command, Seek, StepUnit};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyEvent, KeyEventKind, MouseEvent, MouseEventKind};

/// Which list the arrows move in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Pane {
    /// The actions.
    #[default]
    Actions,
    /// The map.
    Map,
}

/// What lies over the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    Help,
    Quit,
}

/// Everything the screen remembers.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Explorer {
    look: Look,
    size: (u16, u16),
    focus: Pane,
    over: Option<Over>,
    /// The selected action, from 0; `None` follows the last.
    chosen: Option<usize>,
    /// The first line of the map in view; `None` follows the state it is in.
    map_top: Option<usize>,
    /// Is the detail of the selected action open?
    detail: bool,
    driving: bool,
    keys: Keymap,
    wheel: Wheel,
    mouse: bool,
    notice: Option<String>,
}

impl Explorer {
    /// A screen of a size in columns and rows.
    pub fn new(look: Look, size: (u16, u16)) -> Self {
        Self {
            look,
            size,
            ..Self::default()
        }
    }

    /// Takes an input; what follows from it outside of the screen is the answer.
    pub fn update(&mut self, scene: &Scene, input: Input) -> Vec<Effect> {
        match input {
            Input::Resize(w, h) => self.size = (w, h),
            Input::Snapshot | Input::Paste(_) => {}
            Input::FocusLost => return self.wheel.release_all(),
            Input::ReleaseDue(key, press) => return self.wheel.release_due(key, press),
            Input::Mouse(event) => self.mouse(scene, event),
            Input::Key(key) => return self.key(scene, &key),
        }
        Vec::new()
    }

    /// Draws itself.
    pub fn draw(&self, scene: &Scene, frame: &mut Frame<'_>) {
        draw::draw(scene, self, frame);
    }

    fn mouse(&mut self, scene: &Scene, event: MouseEvent) {
        let map = draw::Layout::of(self.size)
            .map
            .contains((event.column, event.row).into());
        self.focus = if map { Pane::Map } else { Pane::Actions };
        match event.kind {
            MouseEventKind::ScrollUp => self.scroll(scene, -3),
            MouseEventKind::ScrollDown => self.scroll(scene, 3),
            _ => {}
        }
    }

    fn key(&mut self, scene: &Scene, key: &KeyEvent) -> Vec<Effect> {
        let release = key.kind == KeyEventKind::Release;
        if self.driving {
            return self.drive(key);
        }
        if release {
            return Vec::new();
        }
        self.notice = None;
        let leave = || vec![Effect::Send(Command::Quit), Effect::Leave];
        let Some(intent) = self.keys.intent(key) else {
            return Vec::new();
        };
        if intent == Intent::QuitNow {
            return leave();
        }
        if let Some(over) = self.over {
            if over == Over::Quit && matches!(intent, Intent::Yes | Intent::Enter | Intent::Quit) {
                return leave();
            }
            self.over = None;
            return Vec::new();
        }
        if let Some(effects) = self.in_replay(scene, intent) {
            return effects;
        }
        let running = scene.ended().is_none();
        match intent {
            Intent::Hold if running => return send(Command::Hold(!scene.holding)),
            Intent::StepFrame | Intent::StepAction if running => {
                return send(Command::Step(StepUnit::Action));
            }
            Intent::Drive if running => {
                self.driving = true;
                return vec![Effect::AllKeys(true), Effect::Send(Command::Drive(true))];
            }
            Intent::Hold | Intent::StepFrame | Intent::StepAction | Intent::Drive => {
                self.notice = Some("it is over; q quits".into());
            }
            Intent::Quit if running => self.over = Some(Over::Quit),
            Intent::Quit => return leave(),
            Intent::Mouse => {
                self.mouse = !self.mouse;
                return vec![Effect::Mouse(self.mouse)];
            }
            other => self.move_about(scene, other),
        }
        Vec::new()
    }

    /// What keys mean while a recording is shown; `None` where they mean what they mean live.
    fn in_replay(&mut self, scene: &Scene, intent: Intent) -> Option<Vec<Effect>> {
        let showing = scene.showing?;
        let seek = |to| Some(send(Command::Seek(to)));
        match intent {
            Intent::Hold => Some(send(Command::Hold(showing.playing))),
            Intent::Right | Intent::StepFrame => seek(Seek::Frames(1)),
            Intent::Left => seek(Seek::Frames(-1)),
            Intent::NextEvent | Intent::StepAction => seek(Seek::Events(1)),
            Intent::PrevEvent => seek(Seek::Events(-1)),
            Intent::First => seek(Seek::Start),
            Intent::Last => seek(Seek::End),
            Intent::Drive => {
                self.notice = Some("this is a recording: there is no page to drive".into());
                Some(Vec::new())
            }
            Intent::Quit => Some(vec![Effect::Send(Command::Quit), Effect::Leave]),
            _ => None,
        }
    }

    fn move_about(&mut self, scene: &Scene, intent: Intent) {
        let page = isize::from(i16::try_from(self.size.1 / 3).unwrap_or(8));
        match intent {
            Intent::Help => self.over = Some(Over::Help),
            Intent::FocusNext | Intent::FocusPrev => {
                self.focus = match self.focus {
                    Pane::Actions => Pane::Map,
                    Pane::Map => Pane::Actions,
                }
            }
            Intent::Enter => self.detail = !self.detail && !scene.steps.is_empty(),
            Intent::Escape => self.detail = false,
            Intent::Up => self.scroll(scene, -1),
            Intent::Down => self.scroll(scene, 1),
            Intent::PageUp => self.scroll(scene, -page),
            Intent::PageDown => self.scroll(scene, page),
            Intent::Home => match self.focus {
                Pane::Actions => self.chosen = (!scene.steps.is_empty()).then_some(0),
                Pane::Map => self.map_top = Some(0),
            },
            Intent::End => match self.focus {
                Pane::Actions => self.chosen = None,
                Pane::Map => self.map_top = None,
            },
            _ => {}
        }
    }

    fn scroll(&mut self, scene: &Scene, by: isize) {
        match self.focus {
            Pane::Actions => {
                let Some(last) = scene.steps.len().checked_sub(1) else {
                    return;
                };
                let to = self.chosen.unwrap_or(last).saturating_add_signed(by);
                // At the end it follows again.
                self.chosen = (to < last).then_some(to);
            }
            Pane::Map => {
                let last = scene.places.len().saturating_sub(1);
                let to = self.map_top.unwrap_or(0).saturating_add_signed(by);
                self.map_top = Some(to.min(last));
            }
        }
    }

    /// In drive mode every key goes to the page but those that end it.
    fn drive(&mut self, event: &KeyEvent) -> Vec<Effect> {
        match self.wheel.key(&self.keys, event) {
            Turned::On(effects) => effects,
            Turned::Back(effects) => {
                self.driving = false;
                effects
            }
        }
    }

    /// The action whose detail is shown.
    fn selected(&self, scene: &Scene) -> Option<usize> {
        let last = scene.steps.len().checked_sub(1)?;
        Some(self.chosen.unwrap_or(last).min(last))
    }
}

impl Show for Explorer {
    type Shown = Scene;

    fn new(setup: Setup) -> Self {
        Self {
            keys: setup.keys,
            wheel: Wheel::new(setup.releases),
            mouse: setup.mouse,
            ..Explorer::new(setup.look, setup.size)
        }
    }

    fn update(&mut self, shown: &Scene, input: Input) -> Vec<Effect> {
        Explorer::update(self, shown, input)
    }

    fn draw(&mut self, shown: &Scene, frame: &mut Frame<'_>) {
        let area = frame.area();
        self.size = (area.width, area.height);
        Explorer::draw(self, shown, frame);
    }

    fn notice(&mut self, text: &str) {
        self.notice = Some(text::clean(text, false));
    }
}
