//! The board screen: the page's picture with what is decoded drawn over it.
//!
//! Pictures reach the terminal by ratatui-image: kitty, sixel, iTerm2 or half-blocks.

use super::Pen;
use crate::model::{Board, CellState, Frame, Grid, Raster, Rect as PageRect};
use crate::session::Snapshot;
use crate::tui::desk::{HANDS, Hand};
use crate::tui::keymap::Intent;
use crate::tui::look::{Depth, Role};
use crate::tui::screen::Screen;
use crate::tui::text;
use image::{DynamicImage, RgbImage};
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;

/// Columns of the words beside the picture.
const WORDS: u16 = 40;
/// Cells of page shown around the board.
const MARGIN: f64 = 2.0;

/// Which part of the page is shown where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::tui) struct View {
    /// The part of the page.
    part: PageRect,
    /// Where on the screen.
    area: Rect,
}

impl View {
    /// The place of the page under a cell of the screen.
    pub fn page(&self, at: Position) -> (f64, f64) {
        let across = f64::from(at.x.saturating_sub(self.area.x)) + 0.5;
        let down = f64::from(at.y.saturating_sub(self.area.y)) + 0.5;
        (
            self.part.x + across / f64::from(self.area.width.max(1)) * self.part.width,
            self.part.y + down / f64::from(self.area.height.max(1)) * self.part.height,
        )
    }
}

/// The picture's place and the words', in the whole of the screen.
pub(in crate::tui) fn places(area: Rect) -> (Rect, Rect) {
    let words = if area.width >= 90 {
        WORDS
    } else {
        28.min(area.width / 2)
    };
    let picture = Rect {
        width: area.width.saturating_sub(words + 2),
        ..area
    };
    let x = picture.right() + 1;
    (
        picture,
        Rect::new(x, area.y, area.right().saturating_sub(x), area.height),
    )
}

/// What is shown: as much as fits into the place without being distorted.
pub(in crate::tui) fn desk_view(snapshot: &Snapshot, screen: &Screen, place: Rect) -> Option<View> {
    let page = snapshot.page.as_ref()?.rect;
    let part = if screen.desk.whole {
        page
    } else {
        let board = screen.desk.board(snapshot);
        let r = board.rect();
        let (dx, dy) = (board.cell_width * MARGIN, board.cell_height * MARGIN);
        let (x, y) = ((r.x - dx).max(page.x), (r.y - dy).max(page.y));
        let (right, bottom) = (
            (r.right() + dx).min(page.right()),
            (r.bottom() + dy).min(page.bottom()),
        );
        if right - x < 4.0 || bottom - y < 4.0 {
            page
        } else {
            PageRect::new(x, y, right - x, bottom - y)
        }
    };
    if place.is_empty() || part.width <= 0.0 || part.height <= 0.0 {
        return None;
    }
    let (fw, fh) = screen.painter.font();
    let room = (f64::from(place.width) * fw, f64::from(place.height) * fh);
    let scale = (room.0 / part.width).min(room.1 / part.height);
    let columns = (part.width * scale / fw).floor().max(1.0) as u16;
    let rows = (part.height * scale / fh).floor().max(1.0) as u16;
    let area = Rect::new(
        place.x,
        place.y,
        columns.min(place.width),
        rows.min(place.height),
    );
    Some(View { part, area })
}

pub fn desk(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    ratatui::widgets::Clear.render(area, pen.buf);
    pen.fill(area, pen.look.base());
    let (place, beside) = places(area);
    match (&snapshot.page, desk_view(snapshot, screen, place)) {
        (Some(page), Some(view)) if pen.look.depth > Depth::None => {
            picture(pen, page, view, snapshot, screen);
        }
        (Some(_), Some(_)) => {
            pen.put(
                place.x,
                place.y,
                place.width,
                "no picture without colours",
                Role::Dim,
            );
        }
        _ => {
            pen.put(
                place.x,
                place.y,
                place.width,
                "waiting for a picture of the page",
                Role::Dim,
            );
        }
    }
    words(pen, beside, snapshot, screen);
}

/// Pixels of the terminal a picture is made of: half-blocks have one by two a cell.
fn pixels(screen: &Screen, area: Rect) -> (u32, u32) {
    let (w, h) = screen.painter.cell();
    (u32::from(area.width) * w, u32::from(area.height) * h)
}

fn picture(pen: &mut Pen<'_>, page: &Frame, view: View, snapshot: &Snapshot, screen: &Screen) {
    let (width, height) = pixels(screen, view.area);
    let mut canvas = Canvas::of(page, view.part, width, height);
    let board = screen.desk.board(snapshot);
    let grid = snapshot
        .grid
        .as_deref()
        .filter(|_| screen.desk.asked.is_none());
    canvas.board(&board, grid, screen.desk.heat);
    if screen.desk.hand == Hand::Cell {
        let cell = board.cell(i32::from(screen.desk.cell.0), i32::from(screen.desk.cell.1));
        canvas.frame(cell, CURSOR);
    }
    if let Some((from, to)) = screen.desk.drawn.filter(|d| d.0 != d.1) {
        let (a, b) = (view.page(from), view.page(to));
        let drawn = PageRect::new(
            a.0.min(b.0),
            a.1.min(b.1),
            (a.0 - b.0).abs(),
            (a.1 - b.1).abs(),
        );
        canvas.frame(drawn, CURSOR);
    }
    let image = DynamicImage::ImageRgb8(canvas.image);
    if let Err(why) = screen.painter.paint(image, view.area, pen.buf) {
        let text = format!("no picture: {why}");
        pen.put(view.area.x, view.area.y, view.area.width, &text, Role::Bad);
    }
}

const EDGE: [u8; 3] = [0, 220, 255];
const CURSOR: [u8; 3] = [255, 230, 0];
const FILLED: [u8; 3] = [255, 255, 255];
const GHOST: [u8; 3] = [150, 150, 150];

/// A picture of a part of the page, to draw on.
struct Canvas {
    image: RgbImage,
    part: PageRect,
}

impl Canvas {
    fn of(page: &Frame, part: PageRect, width: u32, height: u32) -> Self {
        let raster: &Raster = &page.raster;
        let across = f64::from(raster.width()) / page.rect.width.max(1.0);
        let down = f64::from(raster.height()) / page.rect.height.max(1.0);
        let (dx, dy) = (
            part.width / f64::from(width.max(1)) * across,
            part.height / f64::from(height.max(1)) * down,
        );
        let (x0, y0) = (
            (part.x - page.rect.x) * across,
            (part.y - page.rect.y) * down,
        );
        let image = RgbImage::from_fn(width.max(1), height.max(1), |x, y| {
            image::Rgb(mean(
                raster,
                x0 + f64::from(x) * dx,
                y0 + f64::from(y) * dy,
                dx,
                dy,
            ))
        });
        Self { image, part }
    }

    /// The pixel of a place of the page.
    fn at(&self, x: f64, y: f64) -> (i64, i64) {
        (
            ((x - self.part.x) / self.part.width * f64::from(self.image.width())).round() as i64,
            ((y - self.part.y) / self.part.height * f64::from(self.image.height())).round() as i64,
        )
    }

    fn put(&mut self, x: i64, y: i64, colour: [u8; 3], part: f32) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
            return;
        };
        if let Some(pixel) = self.image.get_pixel_mut_checked(x, y) {
            for (now, new) in pixel.0.iter_mut().zip(colour) {
                *now = (f32::from(*now) * (1.0 - part) + f32::from(new) * part) as u8;
            }
        }
    }

    fn fill(&mut self, rect: PageRect, colour: [u8; 3], part: f32) {
        let (a, b) = (
            self.at(rect.x, rect.y),
            self.at(rect.right(), rect.bottom()),
        );
        for y in a.1..b.1 {
            for x in a.0..b.0 {
                self.put(x, y, colour, part);
            }
        }
    }

    fn frame(&mut self, rect: PageRect, colour: [u8; 3]) {
        let (a, b) = (
            self.at(rect.x, rect.y),
            self.at(rect.right(), rect.bottom()),
        );
        for x in a.0..=b.0 {
            self.put(x, a.1, colour, 1.0);
            self.put(x, b.1, colour, 1.0);
        }
        for y in a.1..=b.1 {
            self.put(a.0, y, colour, 1.0);
            self.put(b.0, y, colour, 1.0);
        }
    }

    /// The board's edges, its corners, and what is read of its cells.
    fn board(&mut self, board: &Board, grid: Option<&Grid>, heat: bool) {
        for row in 0..i32::from(board.rows) {
            for column in 0..i32::from(board.columns) {
                let place = board.cell(column, row);
                let (x, y) = self.at(place.x, place.y);
                self.put(x, y, EDGE, 0.6);
                let Some(cell) = grid.and_then(|g| g.get(column, row)) else {
                    continue;
                };
                if heat {
                    let sure = cell.confidence;
                    self.fill(place, [255 - sure, sure, 0], 0.45);
                }
                let colour = match cell.state {
                    CellState::Empty => continue,
                    CellState::Filled => FILLED,
                    CellState::Ghost => GHOST,
                };
                let third = PageRect::new(
                    place.x + place.width / 3.0,
                    place.y + place.height / 3.0,
                    place.width / 3.0,
                    place.height / 3.0,
                );
                let border = PageRect::new(
                    third.x - place.width / 9.0,
                    third.y - place.height / 9.0,
                    third.width + place.width * 2.0 / 9.0,
                    third.height + place.height * 2.0 / 9.0,
                );
                self.fill(border, [0; 3], 0.8);
                self.fill(third, colour, 1.0);
                let (x, y) = self.at(place.x + place.width / 2.0, place.y + place.height / 2.0);
                self.put(x, y, colour, 1.0);
            }
        }
        self.frame(board.rect(), EDGE);
    }
}

/// The mean colour of a part of a picture, from a few of its pixels.
fn mean(raster: &Raster, x: f64, y: f64, width: f64, height: f64) -> [u8; 3] {
    const POINTS: u32 = 3;
    let mut sum = [0u32; 3];
    for j in 0..POINTS {
        for i in 0..POINTS {
            let px = x + width * (f64::from(i) + 0.5) / f64::from(POINTS);
            let py = y + height * (f64::from(j) + 0.5) / f64::from(POINTS);
            let inside = px >= 0.0
                && py >= 0.0
                && px < f64::from(raster.width())
                && py < f64::from(raster.height());
            if inside {
                for (s, v) in sum.iter_mut().zip(raster.at(px as i64, py as i64)) {
                    *s += u32::from(v);
                }
            }
        }
    }
    sum.map(|s| (s / (POINTS * POINTS)) as u8)
}

fn words(pen: &mut Pen<'_>, area: Rect, snapshot: &Snapshot, screen: &Screen) {
    let area = pen.title(area, "BOARD", &[], true);
    let board = screen.desk.board(snapshot);
    let r = board.rect();
    let mut rows = area.y..area.bottom();
    let mut say = |pen: &mut Pen<'_>, text: &str, role: Role| {
        if let Some(y) = rows.next() {
            pen.put(area.x, y, area.width, text, role);
        }
    };
    say(
        pen,
        &format!("{} columns, {} rows", board.columns, board.rows),
        Role::Text,
    );
    say(pen, &format!("at {:.1}, {:.1}", r.x, r.y), Role::Text);
    say(
        pen,
        &format!("{:.1} by {:.1} px", r.width, r.height),
        Role::Text,
    );
    let cells = format!(
        "cells {:.2} by {:.2} px",
        board.cell_width, board.cell_height
    );
    say(pen, &cells, Role::Text);
    say(pen, "", Role::Text);
    let reader = if snapshot.reader.is_empty() {
        "none yet"
    } else {
        &snapshot.reader
    };
    say(pen, &format!("read by {reader}"), Role::Text);
    let shown = format!("shown by {}", screen.painter.name());
    say(pen, &shown, Role::Dim);
    match (&snapshot.grid, &screen.desk.asked) {
        (_, Some(_)) => say(pen, "being read anew", Role::Warn),
        (Some(grid), None) => {
            let unsure = grid.cells().iter().filter(|c| c.confidence < 128).count();
            say(
                pen,
                &format!("sure of it: {:.2}", grid.confidence()),
                Role::Text,
            );
            let text = format!("{} filled, {unsure} cells in doubt", grid.filled_count());
            say(pen, &text, if unsure > 0 { Role::Warn } else { Role::Text });
        }
        (None, None) => say(pen, "not read", Role::Warn),
    }
    if screen.desk.hand == Hand::Cell {
        let (c, r) = screen.desk.cell;
        let cell = snapshot
            .grid
            .as_ref()
            .and_then(|g| g.get(i32::from(c), i32::from(r)));
        let is = cell.map_or("not read".into(), |c| {
            format!("{:?}, sure {:.2}", c.state, f64::from(c.confidence) / 255.0).to_lowercase()
        });
        say(pen, &format!("column {c}, row {r}: {is}"), Role::Accent);
    }
    if !board.why.is_empty() {
        for line in text::wrap(&board.why, area.width, pen.look.ascii)
            .into_iter()
            .take(4)
        {
            say(pen, &line, Role::Dim);
        }
    }
    say(pen, "", Role::Text);
    say(pen, "The arrows change", Role::Dim);
    for (hand, name) in HANDS {
        let mark = if hand == screen.desk.hand { ">" } else { " " };
        let role = if hand == screen.desk.hand {
            Role::Accent
        } else {
            Role::Text
        };
        say(pen, &format!("{mark} {name}"), role);
    }
    say(pen, "", Role::Text);
    let keys = &screen.keys;
    for (intent, does) in [
        (Intent::FocusNext, "the next of these"),
        (Intent::Time, "type the numbers"),
        (Intent::Enter, "that cell is the other way"),
        (Intent::Undo, "take the last change back"),
        (Intent::Heat, "show how sure it is"),
        (Intent::Whole, "all of the page"),
        (Intent::Save, "save as a profile"),
        (Intent::Hold, "hold the bot"),
        (Intent::Escape, "close"),
    ] {
        say(pen, &format!("{:<6} {does}", keys.key(intent)), Role::Dim);
    }
    say(pen, "shift: larger steps; drag: draw it", Role::Dim);
    if let Some(field) = &screen.desk.field {
        say(pen, "", Role::Text);
        say(pen, "left,top,width,height,columns,rows:", Role::Warn);
        say(pen, field.value(), Role::Selected);
    }
    if let Some(last) = snapshot.rulings.last() {
        say(pen, "", Role::Text);
        for line in text::wrap(last, area.width, pen.look.ascii)
            .into_iter()
            .take(3)
        {
            say(pen, &line, Role::Dim);
        }
    }
}
