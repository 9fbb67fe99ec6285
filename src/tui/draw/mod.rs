//! The screen as it is drawn: from a snapshot and what the screen remembers, nothing else.
//!
//! Comes in: [`Snapshot`], [`Screen`], a frame. Goes out: the frame's buffer. All text passes [`Pen::text`], which makes it
//! harmless. Must never know: keys, channels, the time.

mod board;
mod desk;
mod frame;
mod lists;
mod overlay;
mod panels;
mod timeline;

pub(super) use desk::{desk_view, places};
pub(super) use frame::hint_at;
pub(super) use lists::{detail_rows, kind_at};
pub(super) use overlay::help_height;
pub(super) use timeline::time_at;

use super::layout::{LEAST, Layout};
use super::look::{Glyphs, Look, Role};
use super::screen::{Pane, Screen};
use super::text;
use crate::session::Snapshot;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The one way in which text enters the buffer.
pub(super) struct Pen<'a> {
    pub buf: &'a mut Buffer,
    pub look: Look,
    pub glyphs: &'static Glyphs,
}

impl Pen<'_> {
    /// Writes the text at a place, at most `max` columns of it, and says how many it took.
    /// What does not fit ends in an ellipsis; what is outside of the screen is left out.
    pub fn text(&mut self, x: u16, y: u16, max: u16, text: &str, style: Style) -> u16 {
        let area = self.buf.area;
        if y < area.y || y >= area.bottom() || x < area.x || x >= area.right() {
            return 0;
        }
        let max = max.min(area.right() - x);
        let fitted = text::fit(text, max, self.look.ascii);
        // Cells patch their styles: without the base, what was dim before would stay dim.
        let style = self.look.base().patch(style);
        let (end, _) = self.buf.set_stringn(x, y, &fitted, usize::from(max), style);
        end - x
    }

    /// As [`Pen::text`], in the style of a role.
    pub fn put(&mut self, x: u16, y: u16, max: u16, text: &str, role: Role) -> u16 {
        self.text(x, y, max, text, self.look.style(role))
    }

    /// Writes the text so that it ends before `right`, and says where it begins.
    pub fn put_right(&mut self, right: u16, y: u16, max: u16, text: &str, role: Role) -> u16 {
        let fitted = text::fit(text, max, self.look.ascii);
        let x = right.saturating_sub(text::width(&fitted));
        self.put(x, y, right - x, &fitted, role);
        x
    }

    pub fn fill(&mut self, area: Rect, style: Style) {
        self.buf.set_style(area.intersection(self.buf.area), style);
    }

    /// A pane's title with a rule to its right, and what is left of the area.
    /// `parts` stand after the title; those that do not fit are left out.
    pub fn title(
        &mut self,
        area: Rect,
        title: &str,
        parts: &[(String, Style)],
        focused: bool,
    ) -> Rect {
        if area.is_empty() {
            return area;
        }
        let right = area.right();
        let role = if focused { Role::Accent } else { Role::Title };
        let mut x = area.x + self.put(area.x, area.y, area.width, title, role);
        for (part, style) in parts {
            let w = text::width(part);
            // The last columns are for the marks of [`Pen::more`].
            if x + 2 + w + 3 > right {
                break;
            }
            x += 2 + self.text(x + 2, area.y, w, part, *style);
        }
        x += 1;
        let (line, role) = if focused {
            (self.glyphs.heavy, Role::Accent)
        } else {
            (self.glyphs.rule, Role::Dim)
        };
        let style = self.look.style(role);
        while x < right {
            self.text(x, area.y, 1, line, style);
            x += 1;
        }
        Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        }
    }

    /// Marks at the right of a title that there is more above or below.
    pub fn more(&mut self, area: Rect, above: bool, below: bool) {
        if area.width < 4 || area.height < 2 {
            return;
        }
        let x = area.right() - 2;
        if above || below {
            self.put(x, area.y, 2, "  ", Role::Dim);
        }
        if above {
            self.put(x, area.y, 1, self.glyphs.up, Role::Dim);
        }
        if below {
            self.put(x + 1, area.y, 1, self.glyphs.down, Role::Dim);
        }
    }
}

/// Draws the whole screen.
pub fn draw(snapshot: &Snapshot, screen: &Screen, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buf = frame.buffer_mut();
    let mut pen = Pen {
        buf,
        look: screen.look,
        glyphs: screen.look.glyphs(),
    };
    pen.fill(area, screen.look.base());
    let layout = Layout::of(snapshot, screen);
    if !layout.fits {
        too_small(&mut pen, area);
        return;
    }
    frame::header(&mut pen, layout.header, snapshot);
    frame::status(&mut pen, layout.status, snapshot, screen);
    panels::piece(&mut pen, layout.piece, snapshot);
    panels::controls(&mut pen, layout.controls, snapshot, screen);
    panels::numbers(&mut pen, layout.numbers, snapshot, screen);
    panels::phases(&mut pen, layout.phases, snapshot, screen);
    board::board(&mut pen, &layout, snapshot, screen);
    lists::checks(&mut pen, layout.checks, snapshot, screen);
    lists::events(&mut pen, layout.events, snapshot, screen);
    lists::log(&mut pen, layout.log, screen);
    timeline::timeline(&mut pen, layout.timeline, snapshot.replay.as_ref());
    frame::footer(&mut pen, layout.footer, snapshot, screen);
    overlay::overlay(&mut pen, layout.overlay, snapshot, screen);
}

fn too_small(pen: &mut Pen<'_>, area: Rect) {
    let lines = [
        format!("tetrascope needs {} by {}", LEAST.0, LEAST.1),
        format!("this is {} by {}", area.width, area.height),
    ];
    let top = area.y + (area.height.saturating_sub(2)) / 2;
    for (i, line) in (0u16..).zip(&lines) {
        let x = area.x + area.width.saturating_sub(text::width(line)) / 2;
        pen.put(
            x,
            top + i,
            area.width,
            line,
            if i == 0 { Role::Text } else { Role::Dim },
        );
    }
}

/// Does this pane show that it has the focus?
fn focused(screen: &Screen, pane: Pane) -> bool {
    screen.focus == pane && screen.overlay.is_none() && !screen.driving
}

/// Minutes, seconds and tenths of game time.
fn clock(us: u64) -> String {
    let tenths = us / 100_000;
    format!(
        "{:02}:{:02}.{}",
        tenths / 600,
        tenths / 10 % 60,
        tenths % 10
    )
}

/// A number as short as it can be told.
fn number(v: f64) -> String {
    if !v.is_finite() {
        return "?".into();
    }
    let a = v.abs();
    if a >= 1e9 {
        format!("{v:.2e}")
    } else if v.fract() == 0.0 || a >= 1000.0 {
        format!("{v:.0}")
    } else if a >= 10.0 {
        format!("{v:.1}")
    } else {
        format!("{v:.2}")
    }
}

/// A factor: "×8", "×0.25", "×max".
fn factor(pen: &Pen<'_>, v: f64) -> String {
    let v = if v.is_infinite() {
        "max".into()
    } else {
        number(v)
    };
    format!("{}{v}", pen.glyphs.times)
}
