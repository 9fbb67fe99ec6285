//! The page around a game: what it looks like and what it holds.

use super::game::{Game, Stage, number};
use super::{Defect, Start};
use crate::model::{
    Clickable, Listeners, PieceKind, Raster, Rect, Surface, SurfaceKind, Survey, TextItem,
    TextSource,
};

/// How the page looks.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Side of a cell in pixels.
    pub cell: i32,
    /// Left and upper edge of the board on the page.
    pub at: (i32, i32),
    /// Of the page.
    pub paper: [u8; 3],
    /// Of the empty board.
    pub ground: [u8; 3],
    /// Of every second empty cell, where the board is a checkerboard.
    pub other_ground: Option<[u8; 3]>,
    /// Of lines around cells.
    pub lines: Option<[u8; 3]>,
    /// One colour for all kinds instead of seven.
    pub one_colour: Option<[u8; 3]>,
    /// Pixels left out around a block.
    pub gap: i32,
    /// Is the canvas larger than the board, with the coming pieces on it?
    pub wide_canvas: bool,
    /// Rows of empty ground on the canvas below the floor, with nothing to tell them from the board.
    pub skirt: i32,
    /// How the numbers are written.
    pub labels: Labels,
    /// Is the best score since the page was opened shown?
    pub best: bool,
    /// Milliseconds by which the numbers on the page are late.
    pub late_ms: f64,
}

/// How score, level and lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    /// A word and the number in one text.
    Together,
    /// A word, and the number in a text of its own below it.
    Apart,
    /// Padded with zeros, no word.
    Padded,
    /// In another language, with thousands set apart.
    Punkte,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            cell: 16,
            at: (24, 30),
            paper: [30, 32, 40],
            ground: [10, 10, 16],
            other_ground: None,
            lines: None,
            one_colour: None,
            gap: 1,
            wide_canvas: false,
            skirt: 0,
            labels: Labels::Together,
            best: false,
            late_ms: 0.0,
        }
    }
}

const COLOURS: [[u8; 3]; 7] = [
    [0, 220, 230],
    [235, 220, 0],
    [170, 0, 230],
    [0, 225, 60],
    [235, 20, 30],
    [30, 60, 235],
    [240, 150, 0],
];
/// Of the button.
const BUTTON: [u8; 3] = [90, 140, 90];
/// Room beside the board for the coming pieces, in pixels.
const SIDE: i32 = 110;

/// What a page shows: the board and its surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    cells: Vec<u8>,
    next: Vec<PieceKind>,
    held: Option<PieceKind>,
    stage: Stage,
}

impl Picture {
    /// Of a game as it is now.
    pub fn of(game: &Game) -> Self {
        let (next, held) = game.coming();
        Self {
            cells: game.picture(),
            next,
            held,
            stage: game.stage(),
        }
    }

    /// Is there nothing over the board in either, and nothing else that differs but pieces?
    pub fn same_screen(&self, other: &Self) -> bool {
        self.stage == other.stage && self.stage != Stage::Over
    }

    /// Cells that look different in another picture, with their new look.
    fn changed<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = (i32, u8)> {
        (0..)
            .zip(self.cells.iter().zip(&new.cells))
            .filter(|(_, (was, is))| was != is)
            .map(|(i, (_, is))| (i, *is))
    }
}

impl Look {
    /// Where the board is.
    pub fn board(&self, columns: i32, rows: i32) -> Rect {
        Rect::new(
            f64::from(self.at.0),
            f64::from(self.at.1),
            f64::from(columns * self.cell),
            f64::from(rows * self.cell),
        )
    }

    /// Width and height of the page.
    pub fn size(&self, columns: i32, rows: i32) -> (i32, i32) {
        (
            self.at.0 + columns * self.cell + SIDE + 10,
            self.at.1 + (rows + self.skirt) * self.cell + 44,
        )
    }

    /// Where the button is.
    pub fn button(&self, rows: i32) -> Rect {
        Rect::new(
            f64::from(self.at.0),
            f64::from(self.at.1 + (rows + self.skirt) * self.cell + 10),
            90.0,
            24.0,
        )
    }

    /// Where the button is that pauses.
    pub fn pause_button(&self, rows: i32) -> Rect {
        let start = self.button(rows);
        Rect::new(start.right() + 10.0, start.y, 24.0, 24.0)
    }

    /// Where a button is that comes with a pause: the one that lets the game go on, or the one that begins another, which
    /// is above it.
    pub fn resume_button(&self, rows: i32, resume: bool) -> Rect {
        let (x, y) = self.at;
        let row = rows / 2 + if resume { 2 } else { 0 };
        let top = f64::from(y + row * self.cell);
        Rect::new(f64::from(x + self.cell), top, 64.0, f64::from(self.cell))
    }

    /// The page as it shows a picture.
    pub fn paint(&self, game: &Game, picture: &Picture) -> Paint {
        let rules = game.rules();
        let (width, height) = self.size(rules.columns, rules.rows);
        let mut paint = Paint {
            width,
            height,
            rgb: self.paper.repeat((width * height) as usize),
        };
        if rules.has(Defect::Blank) {
            return paint;
        }
        let (x0, y0) = self.at;
        let s = self.cell;
        if self.wide_canvas {
            paint.rect(
                x0 - 8,
                y0 - 8,
                rules.columns * s + SIDE,
                rules.rows * s + 16,
                mix(self.paper, self.ground),
            );
        }
        for r in 0..rules.rows + self.skirt {
            for c in 0..rules.columns {
                let at = (r * rules.columns + c) as usize;
                let code = picture.cells.get(at).copied().unwrap_or_default();
                self.cell(&mut paint, c, r, code);
            }
        }
        if picture.stage != Stage::Menu {
            let x = x0 + rules.columns * s + 16;
            for (i, kind) in picture.next.iter().enumerate() {
                self.small(&mut paint, x, y0 + 20 + i as i32 * 44, *kind);
            }
            if let Some(kind) = picture.held {
                self.small(&mut paint, x, y0 + rules.rows * s - 44, kind);
            }
        }
        if game.shows_its_end() {
            let y = y0 + rules.rows * s / 2;
            paint.rect(x0, y - s, rules.columns * s, 2 * s, [200, 200, 200]);
        }
        if has_button(game) {
            let b = self.button(rules.rows);
            paint.rect(
                b.x as i32,
                b.y as i32,
                b.width as i32,
                b.height as i32,
                BUTTON,
            );
        }
        if has_pause_button(game) {
            let b = self.pause_button(rules.rows);
            let (x, y) = (b.x as i32, b.y as i32);
            paint.rect(x, y, b.width as i32, b.height as i32, BUTTON);
        }
        if game.has_resume_button() {
            for resume in [false, true] {
                let b = self.resume_button(rules.rows, resume);
                let (x, y) = (b.x as i32, b.y as i32);
                paint.rect(x, y, b.width as i32, b.height as i32, BUTTON);
            }
        }
        paint
    }

    /// Paints over the cells that changed from one picture to the next. `false` where more than those may have, and the
    /// page has to be painted anew.
    pub fn repaint(&self, paint: &mut Paint, columns: i32, old: &Picture, new: &Picture) -> bool {
        let same = (&old.next, old.held) == (&new.next, new.held) && old.same_screen(new);
        if same {
            for (i, code) in old.changed(new) {
                self.cell(paint, i % columns, i / columns, code);
            }
        }
        same
    }

    /// The parts of the page that cells which changed take up.
    pub fn changed(&self, columns: i32, old: &Picture, new: &Picture) -> Vec<Rect> {
        let side = f64::from(self.cell);
        let part = |(i, _): (i32, u8)| {
            let (x, y) = (
                self.at.0 + i % columns * self.cell,
                self.at.1 + i / columns * self.cell,
            );
            Rect::new(f64::from(x), f64::from(y), side, side)
        };
        old.changed(new).map(part).collect()
    }

    /// Paints one cell of the board.
    fn cell(&self, paint: &mut Paint, column: i32, row: i32, code: u8) {
        let side = self.cell;
        let (x, y) = (self.at.0 + column * side, self.at.1 + row * side);
        let ground = match self.other_ground {
            Some(other) if (column + row) % 2 == 1 => other,
            _ => self.ground,
        };
        paint.rect(x, y, side, side, self.lines.unwrap_or(ground));
        if self.lines.is_some() {
            paint.rect(x, y, side - 1, side - 1, ground);
        }
        self.block(paint, x, y, side, code, ground);
    }

    fn block(&self, paint: &mut Paint, x: i32, y: i32, side: i32, code: u8, ground: [u8; 3]) {
        let colour = |n: u8| {
            self.one_colour
                .unwrap_or(COLOURS[usize::from(n.clamp(1, 7)) - 1])
        };
        let g = self.gap;
        match code {
            1..=7 => paint.rect(x + g, y + g, side - 2 * g, side - 2 * g, colour(code)),
            11..=17 => {
                paint.rect(
                    x + g,
                    y + g,
                    side - 2 * g,
                    side - 2 * g,
                    mix(ground, mix(ground, colour(code - 10))),
                );
            }
            20 => paint.rect(x, y, side, side, [255; 3]),
            _ => {}
        }
    }

    fn small(&self, paint: &mut Paint, x: i32, y: i32, kind: PieceKind) {
        let side = 10;
        let drawn = Self {
            gap: self.gap * side / self.cell.max(1),
            ..self.clone()
        };
        for &(c, r) in kind.states()[0].cells() {
            drawn.block(
                paint,
                x + c * side,
                y + r * side,
                side,
                number(kind),
                self.paper,
            );
        }
    }

    /// What the page holds.
    pub fn survey(&self, game: &Game) -> Survey {
        let rules = game.rules();
        let (width, height) = self.size(rules.columns, rules.rows);
        let (width, height) = (f64::from(width), f64::from(height));
        let blank = rules.has(Defect::Blank);
        let board = self.board(rules.columns, rules.rows + self.skirt);
        let rect = if self.wide_canvas {
            Rect::new(
                board.x - 8.0,
                board.y - 8.0,
                board.width + f64::from(SIDE),
                board.height + 16.0,
            )
        } else {
            board
        };
        let surface = Surface {
            kind: SurfaceKind::Canvas,
            rect,
            columns: 0,
            rows: 0,
        };
        let button = Clickable {
            rect: self.button(rules.rows),
            text: if game.stage() == Stage::Over {
                "Again".into()
            } else {
                "Start".into()
            },
            tag: "button".into(),
            selector: "#start".into(),
            leads_away: false,
            leads_on: false,
            disabled: false,
            on_top: true,
            in_overlay: false,
            blank: false,
        };
        let pause = Clickable {
            rect: self.pause_button(rules.rows),
            text: "II".into(),
            tag: "button".into(),
            selector: "#pause".into(),
            leads_away: false,
            leads_on: false,
            disabled: false,
            on_top: true,
            in_overlay: false,
            blank: false,
        };
        let mut clickables = Vec::new();
        if has_button(game) {
            clickables.push(button);
        }
        if has_pause_button(game) {
            clickables.push(pause);
        }
        if game.has_resume_button() {
            clickables.extend([false, true].map(|resume| Clickable {
                rect: self.resume_button(rules.rows, resume),
                text: if resume { "On" } else { "Anew" }.into(),
                tag: "button".into(),
                selector: if resume { "#on" } else { "#anew" }.into(),
                leads_away: false,
                leads_on: false,
                disabled: false,
                on_top: true,
                in_overlay: true,
                blank: false,
            }));
        }
        let scrolls = rules.has(Defect::PageScroll);
        Survey {
            viewport: (width, height),
            document: (width, if scrolls { height + 600.0 } else { height }),
            device_pixel_ratio: 1.0,
            surfaces: if blank { Vec::new() } else { vec![surface] },
            clickables,
            texts: self.texts(game),
            listeners: Listeners {
                keydown: true,
                keyup: true,
                ..Listeners::default()
            },
            has_content: !blank,
            title: "Blocks".into(),
            ..Survey::default()
        }
    }

    /// Score, level and lines beside the board; a word at the end.
    pub fn texts(&self, game: &Game) -> Vec<TextItem> {
        let rules = game.rules();
        if rules.has(Defect::Blank) {
            return Vec::new();
        }
        let board = self.board(rules.columns, rules.rows);
        let item = |text: String, x: f64, y: f64| TextItem {
            rect: Rect::new(x, y, text.len() as f64 * 7.0, 14.0),
            text,
            source: TextSource::Dom,
        };
        let numbers = [
            ("Score", "Punkte", game.shown_score()),
            ("Level", "Stufe", u64::from(game.level())),
            ("Lines", "Reihen", u64::from(game.lines())),
        ];
        let mut all: Vec<TextItem> = Vec::new();
        if self.best {
            all.push(item(format!("Best {}", game.best()), board.x + 270.0, 6.0));
        }
        if rules.lives > 1 {
            all.push(item(
                format!("Lives {}", game.lives()),
                board.x + 360.0,
                6.0,
            ));
        }
        for (i, (word, other, n)) in numbers.into_iter().enumerate() {
            let x = board.x + 90.0 * i as f64;
            match self.labels {
                Labels::Together => all.push(item(format!("{word} {n}"), x, 6.0)),
                Labels::Apart => {
                    all.push(item(word.into(), x, 1.0));
                    all.push(item(n.to_string(), x, 16.0));
                }
                Labels::Padded => all.push(item(format!("{n:06}"), x, 6.0)),
                Labels::Punkte if n >= 1000 => {
                    let text = format!("{other}: {}.{:03}", n / 1000, n % 1000);
                    all.push(item(text, x, 6.0));
                }
                Labels::Punkte => all.push(item(format!("{other}: {n}"), x, 6.0)),
            }
        }
        match game.stage() {
            Stage::Over if game.shows_its_end() => all.push(item(
                "Game over".into(),
                board.x,
                board.y + board.height / 2.0,
            )),
            Stage::Paused if !game.rules().has(Defect::NeverResumes) => {
                all.push(item("Paused".into(), board.x, board.y + board.height / 2.0));
            }
            Stage::Menu | Stage::Playing | Stage::Paused | Stage::Over => {}
        }
        all
    }
}

/// Is the button on the page that pauses?
pub fn has_pause_button(game: &Game) -> bool {
    game.rules().pause_button && !game.rules().has(Defect::Blank)
}

/// Is the button on the page?
pub fn has_button(game: &Game) -> bool {
    let rules = game.rules();
    !rules.has(Defect::Blank)
        && match game.stage() {
            Stage::Menu => rules.start == Start::Button,
            Stage::Over => rules.again_button && game.may_restart(),
            Stage::Playing | Stage::Paused => rules.stop_button && rules.start == Start::Button,
        }
}

fn mix(a: [u8; 3], b: [u8; 3]) -> [u8; 3] {
    [0, 1, 2].map(|i| u8::midpoint(a[i], b[i]))
}

/// A page being painted.
#[derive(Debug, Clone)]
pub struct Paint {
    width: i32,
    height: i32,
    rgb: Vec<u8>,
}

impl Paint {
    fn rect(&mut self, x: i32, y: i32, w: i32, h: i32, colour: [u8; 3]) {
        let (from, to) = (x.clamp(0, self.width), (x + w).clamp(0, self.width));
        if from >= to {
            return;
        }
        for row in y.clamp(0, self.height)..(y + h).clamp(0, self.height) {
            let (first, end) = ((row * self.width + from) * 3, (row * self.width + to) * 3);
            for pixel in self.rgb[first as usize..end as usize].chunks_exact_mut(3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width as u32, self.height as u32)
    }

    /// The pixels, three bytes each.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// As a picture.
    pub fn raster(&self) -> Raster {
        Raster::from_rgb(self.width as u32, self.height as u32, self.rgb.as_slice())
            .unwrap_or_else(|| Raster::filled(1, 1, [0; 3]))
    }
}
