//! The board screen: the page's picture with what is decoded drawn over it.
//!
//! Pictures reach the terminal by ratatui-image: kitty, sixel, iTerm2 or half-blocks.

mod words;

use super::Pen;
use crate::model::{Board, CellState, Frame, Grid, NumberRole, Raster, Rect as PageRect};
use crate::session::Snapshot;
use crate::tui::desk::Hand;
use crate::tui::look::{Depth, Role};
use crate::tui::screen::Screen;
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
    /// The size of a cell of the screen on the page.
    pub fn cell(&self) -> (f64, f64) {
        (
            self.part.width / f64::from(self.area.width.max(1)),
            self.part.height / f64::from(self.area.height.max(1)),
        )
    }

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
    let part = if screen.desk.looks_around() {
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
    words::words(pen, beside, snapshot, screen);
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
    canvas.places(snapshot, screen);
    if let Some(drawn) = screen.desk.drawn(snapshot) {
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
/// What a person pointed at before.
const SAID: [u8; 3] = [0, 255, 120];
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

    /// Where the numbers and the coming pieces stand: those that a person pointed at, and those that can be.
    fn places(&mut self, snapshot: &Snapshot, screen: &Screen) {
        let (hints, hand) = (screen.desk.hints(snapshot), screen.desk.hand);
        if matches!(hand, Hand::Number(_)) {
            for number in snapshot.places.iter() {
                self.frame(around(number.rect), EDGE);
            }
        }
        for role in NumberRole::ALL {
            if let Some(place) = hints.number(role) {
                let mine = hand == Hand::Number(role);
                self.frame(around(place), if mine { CURSOR } else { SAID });
            }
        }
        let next = (hand == Hand::Next).then(|| screen.desk.next_box(snapshot));
        if let Some(place) = next.or(hints.next) {
            self.frame(place, if hand == Hand::Next { CURSOR } else { SAID });
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

/// With a little room, so that the frame does not cover it.
fn around(place: PageRect) -> PageRect {
    PageRect::new(
        place.x - 2.0,
        place.y - 2.0,
        place.width + 4.0,
        place.height + 4.0,
    )
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
