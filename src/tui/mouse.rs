//! The mouse: the wheel scrolls what it points at, a click focuses and selects, a click on a hint is its key.

use super::draw::{hint_at, kind_at, places};
use super::keymap::Intent;
use super::layout::Layout;
use super::screen::{Overlay, PANES, Pane, Row, Screen, check_rows};
use super::update::Effect;
use crate::session::Snapshot;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// Rows a notch of the wheel.
const NOTCH: usize = 3;

impl Screen {
    pub(super) fn mouse(&mut self, snapshot: &Snapshot, event: MouseEvent) -> Vec<Effect> {
        let at = Position::new(event.column, event.row);
        let layout = Layout::of(snapshot, self);
        if !layout.fits || self.driving {
            return Vec::new();
        }
        if self.overlay == Some(Overlay::Board) {
            let (picture, _) = places(layout.overlay);
            if picture.contains(at) || self.desk.drag.is_some() {
                return self.point_at_desk(snapshot, event, picture);
            }
        }
        match event.kind {
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                let i = if event.kind == MouseEventKind::ScrollUp {
                    Intent::Up
                } else {
                    Intent::Down
                };
                self.wheel(snapshot, &layout, at, i);
                Vec::new()
            }
            MouseEventKind::Down(MouseButton::Left) => self.click(snapshot, &layout, at),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, snapshot: &Snapshot, layout: &Layout, at: Position, i: Intent) {
        if matches!(
            self.overlay,
            Some(Overlay::Controls { listening: true } | Overlay::Quit)
        ) {
            return;
        }
        if self.overlay.is_some() {
            self.intent(snapshot, i);
            return;
        }
        let Some(pane) = PANES.into_iter().find(|p| layout.pane(*p).contains(at)) else {
            return;
        };
        match pane {
            // The wheel moves the list, not the selection.
            Pane::Checks => {
                let height = layout.rows(pane).max(1);
                let rows = check_rows(&snapshot.checks, height);
                let first = self.checks_first(snapshot, &rows, height);
                let last = rows.len().saturating_sub(height);
                let top = if i == Intent::Up {
                    first.saturating_sub(NOTCH)
                } else {
                    (first + NOTCH).min(last)
                };
                self.checks_top = Some(top);
            }
            Pane::Controls | Pane::Phases => {}
            Pane::Log => self.scroll(snapshot, pane, i),
            Pane::Events | Pane::Numbers | Pane::Board => {
                for _ in 0..NOTCH {
                    self.scroll(snapshot, pane, i);
                }
            }
        }
    }

    fn click(&mut self, snapshot: &Snapshot, layout: &Layout, at: Position) -> Vec<Effect> {
        self.notice = None;
        if layout.footer.contains(at) {
            let hint = if self.events.field.is_some() {
                None
            } else {
                hint_at(snapshot, self, layout.footer, at.x)
            };
            return hint.map_or_else(Vec::new, |i| self.intent(snapshot, i));
        }
        if let Some(effects) = self.click_in_replay(snapshot, layout, at) {
            return effects;
        }
        if let Some(overlay) = self.overlay {
            if !layout.overlay.contains(at) {
                self.overlay = None;
                let listening = overlay == Overlay::Controls { listening: true };
                return if listening {
                    vec![Effect::AllKeys(false)]
                } else {
                    Vec::new()
                };
            }
            let row = usize::from(at.y.saturating_sub(layout.overlay.y + 1));
            match overlay {
                Overlay::Controls { listening: false } if row < 8 => self.control = row,
                Overlay::Phases if row < 8 => self.phase = row,
                _ => {}
            }
            return Vec::new();
        }
        let Some(pane) = PANES.into_iter().find(|p| layout.pane(*p).contains(at)) else {
            return Vec::new();
        };
        self.focus = pane;
        let area = layout.pane(pane);
        let Some(row) = at.y.checked_sub(area.y + 1).map(usize::from) else {
            if pane == Pane::Events
                && let Some(kind) = kind_at(area, at.x)
            {
                self.events.hidden[kind] ^= true;
            }
            return Vec::new();
        };
        match pane {
            Pane::Checks => {
                let height = layout.rows(pane).max(1);
                let rows = check_rows(&snapshot.checks, height);
                let first = self.checks_first(snapshot, &rows, height);
                if let Some(Row::Check(i)) = rows.get(first + row) {
                    self.check = *i;
                    self.checks_top = Some(first);
                    self.chosen = true;
                    self.enter(snapshot);
                }
            }
            Pane::Controls if row < 8 => {
                self.control = row;
                self.enter(snapshot);
            }
            Pane::Phases if row < 8 => {
                self.phase = row;
                self.enter(snapshot);
            }
            _ => {}
        }
        Vec::new()
    }
}
