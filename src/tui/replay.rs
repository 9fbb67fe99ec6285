//! Keys and clicks while a recording is shown: they move through its time.
//!
//! Comes in: what the operator means. Goes out: the same as from [`super::update`]. Must never know: how it is drawn.

use super::draw::time_at;
use super::keymap::Intent;
use super::layout::Layout;
use super::screen::{Pane, Screen};
use super::update::{Effect, send};
use crate::session::{Command, ReplayView, Seek, Snapshot};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Position;
use tui_input::backend::crossterm::EventHandler;

fn seek(to: Seek) -> Vec<Effect> {
    send(Command::Seek(to))
}

impl Screen {
    /// What an intent means in a replay; `None` where it means what it means live.
    pub(super) fn in_replay(
        &mut self,
        snapshot: &Snapshot,
        view: &ReplayView,
        intent: Intent,
    ) -> Option<Vec<Effect>> {
        let searching = self.focus == Pane::Events && !self.events.query.is_empty();
        let arrows = !matches!(self.focus, Pane::Board);
        Some(match intent {
            Intent::Hold => send(Command::Hold(view.playing)),
            Intent::StepFrame => seek(Seek::Frames(1)),
            Intent::Right if arrows => seek(Seek::Frames(1)),
            Intent::Left if arrows => seek(Seek::Frames(-1)),
            Intent::StepAction | Intent::NextEvent => seek(Seek::Events(1)),
            Intent::PrevEvent => seek(Seek::Events(-1)),
            Intent::StepPhase | Intent::NextPhase => seek(Seek::Phases(1)),
            Intent::PrevPhase => seek(Seek::Phases(-1)),
            Intent::Next if !searching => seek(Seek::Fails(1)),
            Intent::Previous if !searching => seek(Seek::Fails(-1)),
            Intent::First => seek(Seek::Start),
            Intent::Last => seek(Seek::End),
            Intent::Time => {
                self.time = Some(tui_input::Input::default());
                Vec::new()
            }
            Intent::Enter if self.focus == Pane::Events => return self.seek_line(snapshot),
            // Nothing is lost by leaving.
            Intent::Quit => vec![Effect::Send(Command::Quit), Effect::Leave],
            Intent::Freeze | Intent::Drive | Intent::Redo | Intent::Record => {
                self.notice = Some("this is a recording: there is no page to do that to".into());
                Vec::new()
            }
            _ => return None,
        })
    }

    /// To the moment of the line that was found, or of the first one in view.
    fn seek_line(&mut self, snapshot: &Snapshot) -> Option<Vec<Effect>> {
        let shown = self.events.shown(snapshot);
        let height = Layout::of(snapshot, self).rows(Pane::Events).max(1);
        let found = self
            .events
            .found
            .and_then(|n| n.checked_sub(snapshot.log_dropped))
            .map(|n| n as usize);
        let first = self.events.first(snapshot, &shown, height);
        let line = found.or_else(|| shown.get(first).copied())?;
        let line = snapshot.log.get(line)?;
        Some(seek(Seek::Record(line.stamp.seq)))
    }

    /// In the detail of a check: to the next of the records that decided it, from the last to the first again.
    pub(super) fn seek_cite(&mut self, snapshot: &Snapshot, name: &str) -> Vec<Effect> {
        let at = snapshot.replay.as_ref().map_or(0, |r| r.seq);
        let Some(check) = snapshot.checks.iter().find(|c| c.name == name) else {
            return Vec::new();
        };
        let cites = &check.verdict.cites;
        let next = cites.iter().find(|c| **c > at).or(cites.first());
        if let Some(cite) = next {
            return seek(Seek::Record(*cite));
        }
        self.notice = Some("no record decided it".into());
        Vec::new()
    }

    /// A key while a time is typed.
    pub(super) fn type_time(&mut self, key: &KeyEvent) -> Vec<Effect> {
        let Some(field) = &mut self.time else {
            return Vec::new();
        };
        match key.code {
            KeyCode::Esc => self.time = None,
            KeyCode::Enter => {
                let text = field.value().trim().to_owned();
                self.time = None;
                match time(&text) {
                    Some(us) => return seek(Seek::Time(us)),
                    None => {
                        self.notice = Some(format!("“{text}” is no time: 83.5, 1:23.5 or 1:02:03"));
                    }
                }
            }
            _ => {
                field.handle_event(&ratatui::crossterm::event::Event::Key(*key));
            }
        }
        Vec::new()
    }

    /// A click on the timeline or on a line of the events.
    pub(super) fn click_in_replay(
        &mut self,
        snapshot: &Snapshot,
        layout: &Layout,
        at: Position,
    ) -> Option<Vec<Effect>> {
        let view = snapshot.replay.as_ref()?;
        if self.overlay.is_some() {
            return None;
        }
        if layout.timeline.contains(at) {
            let us = time_at(view, layout.timeline, at.x)?;
            return Some(seek(Seek::Time(us)));
        }
        let row = at.y.checked_sub(layout.events.y + 1)?;
        if !layout.events.contains(at) {
            return None;
        }
        let shown = self.events.shown(snapshot);
        let height = layout.rows(Pane::Events).max(1);
        let first = self.events.first(snapshot, &shown, height);
        let line = snapshot.log.get(*shown.get(first + usize::from(row))?)?;
        self.focus = Pane::Events;
        Some(seek(Seek::Record(line.stamp.seq)))
    }
}

/// Seconds, minutes and seconds, or hours, minutes and seconds, as microseconds.
fn time(text: &str) -> Option<u64> {
    let mut us = 0.0;
    let mut parts = 0;
    for part in text.split(':') {
        let n: f64 = part
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite() && *n >= 0.0)?;
        us = us * 60.0 + n * 1e6;
        parts += 1;
    }
    (parts <= 3).then_some(us as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_with_minutes_and_hours_before_them() {
        assert_eq!(time("83.5"), Some(83_500_000));
        assert_eq!(time("1:23.5"), Some(83_500_000));
        assert_eq!(time("1:00:01"), Some(3_601_000_000));
        for bad in ["", "x", "1:", "-1", "1:2:3:4", "inf", "NaN"] {
            assert_eq!(time(bad), None, "{bad}");
        }
    }
}
