//! Keys while something lies over the panes.
//!
//! Comes in: what the operator means. Goes out: the same as from [`super::update`]. Must never know: how it is drawn.

use super::draw::{detail_rows, help_height};
use super::keymap::Intent;
use super::layout::Layout;
use super::screen::{Overlay, Screen};
use super::update::{Effect, moved, send};
use crate::model::{Action, Phase};
use crate::session::{Command, Snapshot};

impl Screen {
    pub(super) fn in_overlay(
        &mut self,
        snapshot: &Snapshot,
        overlay: Overlay,
        intent: Intent,
    ) -> Vec<Effect> {
        let area = Layout::of(snapshot, self).overlay;
        let height = usize::from(area.height.saturating_sub(2));
        let page = height.max(1);
        let closes = match overlay {
            Overlay::Help { .. } => intent == Intent::Help,
            Overlay::Controls { .. } | Overlay::TryKey => intent == Intent::Controls,
            Overlay::Board => intent == Intent::Board,
            Overlay::Phases => intent == Intent::GoTo,
            Overlay::Check { .. } => intent == Intent::Enter && snapshot.replay.is_none(),
            Overlay::Quit => !matches!(intent, Intent::Enter | Intent::Yes | Intent::Quit),
        };
        if intent == Intent::QuitNow {
            return vec![Effect::Send(Command::Quit), Effect::Leave];
        }
        if closes
            || intent == Intent::Escape
            || (intent == Intent::Quit && overlay != Overlay::Quit)
        {
            self.overlay = None;
            if overlay == Overlay::Board {
                self.desk.drag = None;
                return send(Command::ViewPage(false));
            }
            return Vec::new();
        }
        match (overlay, intent) {
            (Overlay::Quit, _) => return vec![Effect::Send(Command::Quit), Effect::Leave],
            (Overlay::Help { top }, i) => {
                let last = usize::from(help_height() - 2).saturating_sub(height);
                let top = moved(top, i, page, last);
                self.overlay = Some(Overlay::Help { top });
            }
            (Overlay::Check { name, .. }, Intent::Enter) => return self.seek_cite(snapshot, name),
            (Overlay::Check { name, top }, i) => {
                let check = snapshot.checks.iter().find(|c| c.name == name);
                let rows = check.map_or(0, |c| {
                    detail_rows(snapshot, c, area.width.saturating_sub(4), self.look).len()
                });
                let top = moved(top, i, page, rows.saturating_sub(height));
                self.overlay = Some(Overlay::Check { name, top });
            }
            (Overlay::Controls { .. }, Intent::Enter) => {
                self.overlay = Some(Overlay::Controls { listening: true });
                return vec![Effect::AllKeys(true)];
            }
            (Overlay::Board, i) => return self.at_desk(snapshot, i),
            (Overlay::TryKey, _) => {}
            (Overlay::Controls { .. }, Intent::Save) => return send(Command::SaveProfile),
            (Overlay::Controls { .. }, Intent::Time) => {
                self.overlay = Some(Overlay::TryKey);
                return vec![Effect::AllKeys(true)];
            }
            (Overlay::Controls { .. }, Intent::Clear) => {
                return send(Command::Unbind(self.action()));
            }
            (Overlay::Controls { .. }, Intent::Record) => {
                return send(Command::Rediscover(self.action()));
            }
            (Overlay::Controls { .. }, i) => {
                self.control = moved(self.control, i, page, Action::ALL.len() - 1);
            }
            (Overlay::Phases, Intent::Enter) => {
                self.overlay = None;
                let phase = Phase::ALL[self.phase.min(Phase::ALL.len() - 1)];
                return send(Command::GoToPhase(phase));
            }
            (Overlay::Phases, Intent::Kind(n)) => self.phase = usize::from(n),
            (Overlay::Phases, i) => self.phase = moved(self.phase, i, page, Phase::ALL.len() - 1),
        }
        Vec::new()
    }
}
