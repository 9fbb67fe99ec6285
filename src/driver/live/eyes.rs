//! Whose eyes the page is seen with: the probe's, which look inside, or the browser's, which see what is shown.
//!
//! Comes in: parts of the page to look at. Goes out: their pictures, and whether the two see the same.
//! Must never know: what a piece is, or what is judged by the pictures.
//!
//! The probe is far faster and sees what is scrolled out. It cannot look into a frame of another origin or a canvas with
//! foreign pictures, and it may be wrong; the browser's own picture is what a person sees.

use super::time::Until;
use super::{LiveDriver, SAMPLES};
use crate::browser::probe::{Reader, Seen};
use crate::driver::DriverError;
use crate::model::{Board, ClockMode, Eyes, Frame, Raster, RecordBody, Rect, TextItem, TextSource};
use crate::vision;

/// Looks at a game that does not hold still: the two pictures are never of the same moment.
const LOOKS: usize = 3;
/// So few cells may read differently: what glides or fades is at another place in each picture.
const FEW_CELLS: usize = 4;

/// Side of a patch of the page in which something moves or does not, in pixels: less than any cell.
const PATCH: u32 = 8;
/// A patch whose mean colour changed by more than this (of 255) moved.
const FAR: u8 = 12;
/// Any game's piece falls a row within this game time, in milliseconds.
const MOVES_WITHIN_MS: f64 = 1_200.0;

impl LiveDriver {
    /// A picture of a part of the page, one pixel a CSS pixel. By the screen's eyes, what is scrolled out is black.
    pub(super) async fn picture(&mut self, region: Rect) -> Result<Raster, DriverError> {
        match self.eyes {
            Eyes::Inside => Ok(self.probe.scene(&self.page, region, 1.0).await?),
            Eyes::Screen => self.on_screen(region, self.scroll).await,
        }
    }

    async fn on_screen(
        &self,
        region: Rect,
        (left, top): (f64, f64),
    ) -> Result<Raster, DriverError> {
        let view = self.options.page.viewport;
        let x = region.x.max(left);
        let y = region.y.max(top);
        // In the document's pixels, as the browser wants it, but no more than is scrolled into view.
        let shown = Rect::new(
            x,
            y,
            region.right().min(left + f64::from(view.width)) - x,
            region.bottom().min(top + f64::from(view.height)) - y,
        );
        let whole = Raster::filled(
            region.width.ceil().max(1.0) as u32,
            region.height.ceil().max(1.0) as u32,
            [0; 3],
        );
        if shown.width < 1.0 || shown.height < 1.0 {
            return Ok(whole);
        }
        if self.eyes == Eyes::Screen {
            // From now on each look is at what is painted.
            self.page.paint_small(false).await?;
        }
        let held = self.probe.hold(&self.page).await?;
        let seen = self.page.screenshot(Some(shown), false).await;
        if held {
            self.probe.unhold(&self.page).await?;
        }
        let seen = seen?.shrunk(view.device_pixel_ratio.round().max(1.0) as u32);
        let at = ((x - region.x).round() as u32, (y - region.y).round() as u32);
        if at == (0, 0) && (seen.width(), seen.height()) == (whole.width(), whole.height()) {
            return Ok(seen);
        }
        Ok(whole.patched(&seen, at.0, at.1))
    }

    /// The watched board as it is shown, as frames are sampled; `None` where it isn't wholly in view.
    async fn board_on_screen(
        &self,
        rect: Rect,
        scroll: (f64, f64),
    ) -> Result<Option<Frame>, DriverError> {
        let Some((columns, rows)) = self.board.as_ref().map(|b| (b.columns, b.rows)) else {
            return Ok(None);
        };
        let view = self.options.page.viewport;
        let (left, top) = scroll;
        if rect.x < left - 0.5
            || rect.y < top - 0.5
            || rect.right() > left + f64::from(view.width) + 0.5
            || rect.bottom() > top + f64::from(view.height) + 0.5
        {
            return Ok(None);
        }
        let picture = self.on_screen(rect.outward(), scroll).await?;
        Ok(cut_out(&picture, rect, columns, rows))
    }

    /// By the screen's eyes: puts what is shown in the place of what the probe saw of the board.
    pub(super) async fn see(&mut self, mut seen: Seen) -> Result<Seen, DriverError> {
        if self.eyes == Eyes::Inside || !self.watching {
            return Ok(seen);
        }
        let Some(rect) = self.board.as_ref().map(Board::rect) else {
            return Ok(seen);
        };
        seen.reader = Some(Reader::Screenshot);
        let shown = self.board_on_screen(rect, seen.scroll).await?;
        let still = !self.scrolled_since(seen.scroll).await?;
        match shown.filter(|_| still) {
            Some(frame) => {
                seen.lost = None;
                seen.same = self
                    .last_frame
                    .as_ref()
                    .is_some_and(|last| last.raster == frame.raster);
                seen.frame = Some(frame);
            }
            None if still => seen.lost = Some("the board is not in view".into()),
            None => seen.lost = Some("the page is scrolling".into()),
        }
        Ok(seen)
    }

    /// Does the probe see of the board what is shown? Where it doesn't, the driver looks with the screen's eyes from now
    /// on: then the answer is `false`, and everything has to be found again.
    pub(super) async fn check_eyes(&mut self) -> Result<bool, DriverError> {
        if self.eyes == Eyes::Screen || self.hints.eyes.is_some() {
            return Ok(true);
        }
        let mut worst = None;
        for _ in 0..LOOKS {
            let seen = self.probe.read(&self.page).await?;
            let probed = seen.frame.clone();
            self.take(seen);
            let (Some(probed), Some(board)) = (probed, self.board.clone()) else {
                return Ok(true);
            };
            let Some(shown) = self.board_on_screen(probed.rect, self.scroll).await? else {
                return Ok(true);
            };
            if self.scrolled_since(self.scroll).await? {
                continue;
            }
            // With the words over it, that the board is read without.
            let rect = probed.rect;
            let inside = self
                .probe
                .scene_as_shown(&self.page, rect.outward())
                .await?;
            let Some(probed) = cut_out(&inside, rect, board.columns, board.rows) else {
                return Ok(true);
            };
            let (Some(a), Some(b)) = (stands_out(&probed, &board), stands_out(&shown, &board))
            else {
                return Ok(true);
            };
            let differ = a.iter().filter(|c| !b.contains(c)).count()
                + b.iter().filter(|c| !a.contains(c)).count();
            let all = a.len().max(b.len());
            tracing::debug!(probe = ?a, screen = ?b, scroll = ?self.scroll, "the board by both eyes");
            if differ <= FEW_CELLS || differ * 2 <= all {
                return Ok(true);
            }
            worst = Some((differ, usize::from(board.columns) * usize::from(board.rows)));
        }
        let Some((differ, of)) = worst else {
            return Ok(true);
        };
        let why = format!("{differ} of {of} cells are not shown as they were read from inside");
        self.use_screen(&why);
        Ok(false)
    }

    /// Nothing was found on a page that lives in part out of the probe's reach: lives by the machine's clock from now
    /// on, on a new page, and, with `closed` parts on it, looks with the screen's eyes. `false` where it does so already,
    /// or may not.
    pub(super) async fn reach_further(&mut self, closed: bool) -> Result<bool, DriverError> {
        let virtually = self.clock.mode == ClockMode::Virtual;
        let unseen = closed && self.eyes == Eyes::Inside && self.hints.eyes.is_none();
        if virtually && !self.options.may_change || !virtually && !unseen {
            return Ok(false);
        }
        let why = "parts of the page (a worker, a frame of another host) live by a time that cannot be set";
        if unseen {
            self.use_screen(why);
        }
        self.use_real_clock(why).await?;
        Ok(true)
    }

    /// Nothing falls that the probe can see: does anything move on screen that it does not see move? Then the driver looks
    /// with the screen's eyes from now on, and everything has to be found again.
    pub(super) async fn moves_unseen(&mut self) -> Result<bool, DriverError> {
        if self.eyes == Eyes::Screen || self.hints.eyes.is_some() {
            return Ok(false);
        }
        let view = self.options.page.viewport;
        let (left, top) = self.scroll;
        let all = Rect::new(left, top, f64::from(view.width), f64::from(view.height));
        let words = self.probe.texts(&self.page).await?;
        let probed = self.picture(all).await?;
        let shown = self.on_screen(all, (left, top)).await?;
        self.live(MOVES_WITHIN_MS, Until::Over).await?;
        let probed = [probed, self.picture(all).await?];
        let shown = [shown, self.on_screen(all, (left, top)).await?];
        let mut still = self.probe.texts(&self.page).await?;
        still.retain(|w| words.contains(w));
        if self.scrolled_since((left, top)).await? {
            return Ok(false);
        }
        let differ = |a: &Raster, b: &Raster| {
            let (a, b) = (a.shrunk(PATCH), b.shrunk(PATCH));
            let pairs = a.rgb().chunks_exact(3).zip(b.rgb().chunks_exact(3));
            let far = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > FAR);
            pairs.map(far).collect::<Vec<bool>>()
        };
        let seen = differ(&probed[0], &probed[1]);
        let moved = differ(&shown[0], &shown[1]);
        // A screen that lags shows the same a moment later; what the probe cannot see it shows otherwise both times.
        let other = [0, 1].map(|i| differ(&probed[i], &shown[i]));
        let across = (shown[0].width() / PATCH) as usize;
        let at = |i: usize| {
            let middle = |n: usize| (n as f64 + 0.5) * f64::from(PATCH);
            (left + middle(i % across), top + middle(i / across))
        };
        let unseen = (0..moved.len())
            .filter(|i| moved[*i] && !seen[*i] && other[0][*i] && other[1][*i])
            .filter(|i| !still.iter().any(|w| glows_at(w, at(*i))))
            .count();
        // An edge or a shade may be drawn otherwise: most of what moves must be missed.
        let seen = seen.iter().filter(|p| **p).count();
        if unseen < FEW_CELLS || unseen <= seen {
            return Ok(false);
        }
        self.use_screen("something moves on it that is not seen from inside");
        Ok(true)
    }

    /// Is the page, some of which scroll smoothly at our keys, at another place than `before`? Then the browser's picture
    /// was of that place.
    async fn scrolled_since(&self, before: (f64, f64)) -> Result<bool, DriverError> {
        Ok(self.probe.scroll(&self.page).await? != before)
    }

    /// Looks with the eyes that a person wants, or else with those that were found to be needed. Are they others now?
    pub(super) fn choose_eyes(&mut self) -> bool {
        let wanted = self.hints.eyes.unwrap_or(self.eyes_found);
        let other = wanted != self.eyes;
        self.eyes = wanted;
        other
    }

    fn use_screen(&mut self, why: &str) {
        self.eyes_found = Eyes::Screen;
        self.eyes = Eyes::Screen;
        self.push(RecordBody::Note(format!(
            "the page is read by screenshots from now on: {why}"
        )));
    }
}

/// May what a place shows be the shine of a text? Headlines shimmer and pulse in ways that the probe leaves out.
fn glows_at(words: &TextItem, (x, y): (f64, f64)) -> bool {
    let r = words.rect;
    let beside = |at: f64, from: f64, to: f64| (from - r.height..=to + r.height).contains(&at);
    let of_the_page = matches!(words.source, TextSource::Dom | TextSource::Css);
    of_the_page && beside(x, r.x, r.right()) && beside(y, r.y, r.bottom())
}

/// A board, sampled as frames are, from a picture of the page around it that was taken on whole pixels.
fn cut_out(picture: &Raster, rect: Rect, columns: u16, rows: u16) -> Option<Frame> {
    let at = rect.within(rect.outward());
    let raster = vision::sampled(picture, at, columns, rows, SAMPLES)?;
    Some(Frame {
        raster,
        samples: SAMPLES,
        rect,
    })
}

/// The cells that stand out of the board's pattern.
fn stands_out(frame: &Frame, board: &Board) -> Option<Vec<(i32, i32)>> {
    let (columns, rows) = (board.columns, board.rows);
    let raster = vision::background(&[frame], columns, rows, SAMPLES)?;
    let empty = Frame {
        raster,
        ..frame.clone()
    };
    let grid = vision::Reader::new(columns, rows, SAMPLES)
        .with_background(&empty)
        .read(frame);
    Some(grid.filled_cells())
}
