//! How the page is read, said by hand: thresholds, whose eyes, where the numbers and the coming pieces stand.

use super::{Desk, Hand};
use crate::model::{Eyes, Hints, NumberRole, Rect, THRESHOLDS};
use crate::session::{Command, NumberView, Snapshot};
use crate::tui::screen::Screen;
use crate::tui::update::{Effect, send};

/// Cells across the box of the coming pieces, where none is known.
const BOX: f64 = 4.5;
/// What a ghost may differ by at first, in thresholds of a block.
const GHOST: f32 = 3.0;
/// Least side of the box in CSS pixels.
const SMALLEST: f64 = 8.0;

impl Desk {
    /// What a person says of the reading, as it will be.
    pub fn hints(&self, snapshot: &Snapshot) -> Hints {
        let said = self.said.clone();
        said.unwrap_or_else(|| snapshot.hints.clone())
    }

    /// The number that stands where a person says; one that has grown since goes by the name it got.
    pub fn number<'a>(&self, snapshot: &'a Snapshot, role: NumberRole) -> Option<&'a NumberView> {
        let place = self.hints(snapshot).number(role)?;
        let mut places = snapshot.places.iter();
        let there = places.clone().find(|n| n.rect == place);
        there.or_else(|| places.find(|n| n.name == role.name()))
    }

    /// The box of the coming pieces: as a person says, or a place to begin with.
    pub fn next_box(&self, snapshot: &Snapshot) -> Rect {
        self.hints(snapshot).next.unwrap_or_else(|| {
            let board = self.board(snapshot);
            let (width, height) = (board.cell_width * BOX, board.cell_height * BOX);
            let beside = board.rect().right() + board.cell_width;
            Rect::new(
                beside.round(),
                board.y.round(),
                width.round(),
                height.round(),
            )
        })
    }
}

impl Screen {
    fn say_of_reading(&mut self, hints: Hints) -> Vec<Effect> {
        if !hints.is_sane() {
            self.notice = Some("nothing can be read like that".into());
            return Vec::new();
        }
        self.desk.said = Some(hints.clone());
        send(Command::Hints(hints))
    }

    /// The arrows, while the hand is on the reading.
    pub(super) fn nudge_reading(
        &mut self,
        snapshot: &Snapshot,
        (dx, dy): (f64, f64),
        step: f64,
    ) -> Vec<Effect> {
        let mut hints = self.desk.hints(snapshot);
        match self.desk.hand {
            Hand::Thresholds => {
                // Half a step is as fine as it need be; upwards is more.
                let block = hints.block.or(snapshot.threshold).unwrap_or(2.0);
                let moved = |from: f32, by: f64| {
                    let to = (f64::from(from) * 2.0).round() / 2.0 + by * step;
                    (to as f32).clamp(THRESHOLDS.0, THRESHOLDS.1)
                };
                if dx == 0.0 {
                    let ghost = hints.ghost.unwrap_or(block * GHOST);
                    hints.ghost = Some(moved(ghost, -dy));
                } else {
                    hints.block = Some(moved(block, dx));
                }
            }
            Hand::Eyes => {
                let all = [None, Some(Eyes::Inside), Some(Eyes::Screen)];
                let at = all.iter().position(|e| *e == hints.eyes).unwrap_or(0);
                let by = if dx + dy > 0.0 { 1 } else { all.len() - 1 };
                hints.eyes = all[(at + by) % all.len()];
            }
            Hand::Number(role) => {
                let places = &snapshot.places;
                if places.is_empty() {
                    self.notice = Some("no number is read on the page".into());
                    return Vec::new();
                }
                let now = self.desk.number(snapshot, role);
                let at = now.and_then(|n| places.iter().position(|p| p.rect == n.rect));
                let to = match at {
                    None => 0,
                    Some(at) if dx + dy > 0.0 => (at + 1) % places.len(),
                    Some(at) => (at + places.len() - 1) % places.len(),
                };
                *hints.number_mut(role) = Some(places[to].rect);
            }
            _ => {
                let place = self.desk.next_box(snapshot);
                hints.next = Some(Rect {
                    x: place.x + dx * step,
                    y: place.y + dy * step,
                    ..place
                });
            }
        }
        self.say_of_reading(hints)
    }

    /// What was said of that by hand is said no more.
    pub(super) fn leave_to_the_reader(&mut self, snapshot: &Snapshot) -> Vec<Effect> {
        let mut hints = self.desk.hints(snapshot);
        match self.desk.hand {
            Hand::Thresholds => (hints.block, hints.ghost) = (None, None),
            Hand::Eyes => hints.eyes = None,
            Hand::Number(role) => *hints.number_mut(role) = None,
            Hand::Next => hints.next = None,
            Hand::Place | Hand::Size | Hand::Cells | Hand::Cell => return Vec::new(),
        }
        self.say_of_reading(hints)
    }

    /// A number is pointed at: the one at, or nearest to, a place of the page.
    pub(super) fn point_at_number(
        &mut self,
        snapshot: &Snapshot,
        role: NumberRole,
        (x, y): (f64, f64),
    ) -> Vec<Effect> {
        let far = |n: &NumberView| {
            let r = &n.rect;
            let aside = (r.x - x).max(x - r.right()).max(0.0);
            let off = (r.y - y).max(y - r.bottom()).max(0.0);
            aside.hypot(off)
        };
        let places = snapshot.places.iter();
        let Some(near) = places.min_by(|a, b| far(a).total_cmp(&far(b))) else {
            self.notice = Some("no number is read on the page".into());
            return Vec::new();
        };
        let mut hints = self.desk.hints(snapshot);
        *hints.number_mut(role) = Some(near.rect);
        self.say_of_reading(hints)
    }

    /// The box of the coming pieces is drawn.
    pub(super) fn draw_next(&mut self, snapshot: &Snapshot, place: Rect) -> Vec<Effect> {
        if place.width < SMALLEST || place.height < SMALLEST {
            self.notice = Some("draw it from one corner to the other".into());
            return Vec::new();
        }
        let mut hints = self.desk.hints(snapshot);
        hints.next = Some(place.outward());
        self.say_of_reading(hints)
    }
}
