//! The page's pixels, kept from one look to the next: only what changed is painted and sampled again.
//!
//! Comes in: a game and how its page looks. Goes out: pictures of the page and of the board. Must never know: records.

use super::game::Game;
use super::page::{Look, Paint, Picture};
use crate::driver::SAMPLES;
use crate::model::{Board, Raster, Rect};
use crate::vision::Sampling;
use std::ops::Range;

/// The page as it was painted last.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    painted: Option<(Picture, Paint)>,
    /// The same as a picture.
    page: Option<Raster>,
    /// What the samples show.
    pub(super) framed: Option<Picture>,
    /// The board's samples and where they are taken; none before the first.
    samples: Option<(Sampling, Vec<u8>)>,
    /// Parts of the page that were painted over since; `None` if all of it was.
    stale: Option<Vec<Rect>>,
}

impl Canvas {
    /// The board may be another: it is sampled as a whole the next time.
    pub(super) fn frame_anew(&mut self) {
        (self.framed, self.samples, self.stale) = (None, None, None);
    }

    /// The page as it looks now.
    pub(super) fn page(&mut self, look: &Look, game: &Game) -> Raster {
        self.paint(look, game, Picture::of(game));
        let paint = self.painted.as_ref().map(|p| &p.1);
        let page = self.page.get_or_insert_with(|| {
            paint.map_or_else(|| Raster::filled(1, 1, [0; 3]), Paint::raster)
        });
        page.clone()
    }

    /// The board as it looks now, as frames are sampled; `None` for one without a size.
    pub(super) fn sampled(
        &mut self,
        look: &Look,
        game: &Game,
        picture: Picture,
        board: &Board,
    ) -> Option<Raster> {
        self.framed = Some(picture.clone());
        self.paint(look, game, picture);
        let paint = self.painted.as_ref().map(|p| &p.1)?;
        if self.samples.is_none() {
            let grid = Sampling::new(
                paint.size(),
                board.rect(),
                board.columns,
                board.rows,
                SAMPLES,
            )?;
            let out = vec![0; grid.len()];
            self.samples = Some((grid, out));
            self.stale = None;
        }
        let (grid, out) = self.samples.as_mut()?;
        match self.stale.replace(Vec::new()) {
            None => grid.sample(paint.rgb(), out, 0..board.columns, 0..board.rows),
            Some(parts) => {
                for part in parts {
                    let (columns, rows) = touched(board, part);
                    grid.sample(paint.rgb(), out, columns, rows);
                }
            }
        }
        Raster::from_rgb(grid.width(), grid.height(), out.as_slice())
    }

    fn paint(&mut self, look: &Look, game: &Game, picture: Picture) {
        let Some((old, paint)) = &mut self.painted else {
            let paint = look.paint(game, &picture);
            self.painted = Some((picture, paint));
            self.stale = None;
            return;
        };
        if *old == picture {
            return;
        }
        self.page = None;
        let columns = game.rules().columns;
        match &mut self.stale {
            Some(stale) if old.same_screen(&picture) => {
                stale.extend(look.changed(columns, old, &picture));
            }
            stale => *stale = None,
        }
        if !look.repaint(paint, columns, old, &picture) {
            *paint = look.paint(game, &picture);
        }
        *old = picture;
    }
}

/// Width of the stripes of a lively page, and game milliseconds in which they go on by a pixel.
const STRIPE: (f64, f64) = (7.0, 15.0);

/// A page whose ground beside and below the board moves all the time.
pub(super) fn lively(page: &Raster, board: Rect, game_ms: f64) -> Raster {
    let striped = |width: u32, height: u32| {
        let rgb = (0..height).flat_map(|y| {
            (0..width).flat_map(move |x| {
                let along = f64::from(x + 2 * y) + (game_ms / STRIPE.1).floor();
                let dark = (along / STRIPE.0).floor() % 2.0 == 0.0;
                if dark { [16, 18, 40] } else { [90, 170, 255] }
            })
        });
        Raster::from_rgb(width, height, rgb.collect::<Vec<u8>>())
    };
    let below = page.height().saturating_sub(board.bottom() as u32);
    let parts = [
        (striped(board.x as u32, page.height()), 0, 0),
        (
            striped(board.width as u32, below),
            board.x as u32,
            board.bottom() as u32,
        ),
    ];
    parts.into_iter().fold(page.clone(), |page, (part, x, y)| {
        part.map_or(page.clone(), |part| page.patched(&part, x, y))
    })
}

/// Columns and rows of a board that a part of the page reaches into.
fn touched(board: &Board, part: Rect) -> (Range<u16>, Range<u16>) {
    let range = |from: f64, to: f64, origin: f64, cell: f64, n: u16| {
        // A pixel more on both sides: samples take whole pixels.
        let first = ((from - 1.0 - origin) / cell)
            .floor()
            .clamp(0.0, f64::from(n));
        let end = ((to + 1.0 - origin) / cell)
            .ceil()
            .clamp(first, f64::from(n));
        first as u16..end as u16
    };
    (
        range(
            part.x,
            part.right(),
            board.x,
            board.cell_width,
            board.columns,
        ),
        range(
            part.y,
            part.bottom(),
            board.y,
            board.cell_height,
            board.rows,
        ),
    )
}

/// A part of a picture; what lies outside of it is its edge.
pub(super) fn cut(page: &Raster, region: Rect) -> Raster {
    let (w, h) = (
        region.width.round().max(1.0) as u32,
        region.height.round().max(1.0) as u32,
    );
    let (x, y) = (region.x as i64, region.y as i64);
    let inside =
        |from: i64, size: u32, all: u32| from >= 0 && from + i64::from(size) <= i64::from(all);
    if inside(x, w, page.width()) && inside(y, h, page.height()) {
        return page.cropped(x as u32, y as u32, w, h);
    }
    let mut rgb = Vec::with_capacity((w * h * 3) as usize);
    for row in 0..i64::from(h) {
        for column in 0..i64::from(w) {
            rgb.extend(page.at(column + x, row + y));
        }
    }
    Raster::from_rgb(w, h, rgb).unwrap_or_else(|| Raster::filled(1, 1, [0; 3]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::driver::sim::{Rules, Start};
    use crate::model::Key;
    use crate::vision;

    #[test]
    fn what_is_painted_over_looks_like_what_is_painted_anew() {
        let look = Look {
            lines: Some([40; 3]),
            ..Look::default()
        };
        let rules = Rules {
            start: Start::Auto,
            ghost: true,
            ..Rules::default()
        };
        let mut game = Game::new(rules, 3);
        // Between two cells of the page, as a board that was found may be.
        let board = Board {
            x: 27.3,
            y: 29.6,
            cell_width: 15.8,
            cell_height: 16.1,
            columns: 10,
            rows: 20,
            confidence: 1.0,
            why: String::new(),
            sure: crate::model::Sure::default(),
        };
        let mut canvas = Canvas::default();
        for key in [
            "ArrowLeft",
            " ",
            "ArrowUp",
            "ArrowRight",
            "c",
            " ",
            "ArrowDown",
            "p",
        ] {
            game.key_down(&Key::new(key), false);
            game.frame(16.0);
            let picture = Picture::of(&game);
            let anew = look.paint(&game, &picture).raster();
            let sampled = canvas.sampled(&look, &game, picture, &board).unwrap();
            let whole = vision::sampled(&anew, board.rect(), 10, 20, SAMPLES).unwrap();
            assert!(sampled == whole, "{key}");
            assert!(canvas.page(&look, &game) == anew, "{key}");
        }
    }
}
