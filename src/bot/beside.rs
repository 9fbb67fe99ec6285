//! Where beside the board something changes from piece to piece.
//!
//! Comes in: pictures of the page. Goes out: places. Must never know: a driver, what a place is called.

use crate::model::{Raster, Rect};
use crate::vision::preview::{cell_size, empty, tetrominoes};
use std::ops::Range;

/// Places that are kept in view at most.
const PLACES: usize = 6;
/// Side of the squares in which changes are counted, in pixels.
const SQUARE: usize = 4;
/// Squares without a change that part two places.
const APART: usize = 2;
/// Cells of the longest piece, and one by which it may be pushed aside without its end going out of sight.
const LONGEST: f64 = 5.0;
/// Pixels around a text or the board that are thought its own: letters and blocks shine over their edges.
const GLOW: f64 = 2.0;
/// Pixels left around a place; more than `GLOW`, so that what touches a text is not cut.
const MARGIN: f64 = 3.0;

/// Places outside the board that change from piece to piece, not while one falls, and that mostly show tetrominoes.
pub(super) fn places(
    looks: &[Raster],
    restless: &[Raster],
    board: Rect,
    texts: &[Rect],
) -> Vec<Rect> {
    let Some(first) = looks.first() else {
        return Vec::new();
    };
    let (wide, high) = (first.width(), first.height());
    let (w, h) = (
        (wide as usize).div_ceil(SQUARE),
        (high as usize).div_ceil(SQUARE),
    );
    let mut changed = Changes::none(wide, high);
    for pair in looks.windows(2) {
        changed.add(&pair[0], &pair[1]);
    }
    changed.leave_out(&grown(&board, MARGIN));
    for text in texts {
        changed.leave_out(&grown(text, GLOW));
    }
    let mut moving = Changes::none(wide, high);
    for (a, b) in looks.iter().zip(restless) {
        moving.add(a, b);
    }
    let mut squares = changed.squares(w, h);
    for (is, moves) in squares.iter_mut().zip(moving.squares(w, h)) {
        *is &= !moves;
    }
    // What a place showed, and how it looks with nothing in it.
    let seen_at = |r: &Rect| {
        let (x, y, width, height) = (r.x as u32, r.y as u32, r.width as u32, r.height as u32);
        let cut = looks.iter().map(|l| l.cropped(x, y, width, height));
        let parts: Vec<Raster> = cut.collect();
        let ground = empty(&parts.iter().collect::<Vec<_>>());
        (*r, parts, ground)
    };
    let shows = |parts: &[Raster], ground: Option<&Raster>| {
        let read = |ground: Option<&Raster>| {
            let shown = parts
                .iter()
                .filter(|p| tetrominoes(p, ground).iter().any(Option::is_some));
            shown.count()
        };
        read(None).max(read(ground)) * 2 >= looks.len()
    };
    let mut found: Vec<(Rect, Vec<Raster>, Option<Raster>)> = groups(&mut squares, w, h)
        .iter()
        .filter_map(|r| changed.within(*r))
        .filter(|r| looks.len() >= 3 && r.width >= 12.0 && r.height >= 6.0)
        .map(|r| seen_at(&r))
        .filter(|(_, parts, ground)| shows(parts, ground.as_ref()))
        .collect();
    let area = |r: &Rect| r.width * r.height;
    found.sort_by(|a, b| area(&b.0).total_cmp(&area(&a.0)));
    found.truncate(PLACES);
    let page = Rect::new(0.0, 0.0, f64::from(wide), f64::from(high));
    // Letters do not fill the box of a line.
    let lines = texts.iter().map(|t| grown(t, -GLOW));
    let others: Vec<Rect> = lines.chain([board]).collect();
    let with_room = found.iter().filter_map(|(r, parts, ground)| {
        let mut sizes = parts.iter().filter_map(|p| {
            let by = |ground| cell_size(p, ground);
            by(None).or_else(|| by(ground.as_ref()))
        });
        let first = sizes.next()?;
        let cell = sizes.fold(first, |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let roomy = roomy(*r, cell, page, &others);
        (roomy != *r).then_some(roomy)
    });
    let with_room: Vec<Rect> = with_room.collect();
    found.into_iter().map(|f| f.0).chain(with_room).collect()
}

fn grown(r: &Rect, by: f64) -> Rect {
    let (width, height) = (r.width + 2.0 * by, r.height + 2.0 * by);
    Rect::new(r.x - by, r.y - by, width.max(0.0), height.max(0.0))
}

/// The place with room for the longest piece wherever it may lie there, but for what lies beside it: the pieces that
/// were seen may all have been shorter, and a score that grows may push it aside.
fn roomy(place: Rect, cell: (f64, f64), page: Rect, others: &[Rect]) -> Rect {
    let more = |cell: f64, seen: f64| (LONGEST * cell - seen).max(0.0);
    let (dx, dy) = (more(cell.0, place.width), more(cell.1, place.height));
    let (mut left, mut right) = (
        (place.x - dx).max(page.x),
        (place.right() + dx).min(page.right()),
    );
    for o in others
        .iter()
        .filter(|o| o.y < place.bottom() && o.bottom() > place.y)
    {
        if o.right() <= place.x {
            left = left.max(o.right());
        } else if o.x >= place.right() {
            right = right.min(o.x);
        }
    }
    let (mut top, mut bottom) = (
        (place.y - dy).max(page.y),
        (place.bottom() + dy).min(page.bottom()),
    );
    for o in others.iter().filter(|o| o.x < right && o.right() > left) {
        if o.bottom() <= place.y {
            top = top.max(o.bottom());
        } else if o.y >= place.bottom() {
            bottom = bottom.min(o.y);
        }
    }
    let (left, top) = (left.ceil(), top.ceil());
    Rect::new(left, top, right.floor() - left, bottom.floor() - top)
}

/// The pixels that ever changed.
struct Changes {
    wide: usize,
    high: usize,
    pixels: Vec<bool>,
}

impl Changes {
    fn none(wide: u32, high: u32) -> Self {
        let (wide, high) = (wide as usize, high as usize);
        Self {
            wide,
            high,
            pixels: vec![false; wide * high],
        }
    }

    fn add(&mut self, a: &Raster, b: &Raster) {
        let size = |r: &Raster| (r.width() as usize, r.height() as usize);
        if size(a) != (self.wide, self.high) || size(b) != (self.wide, self.high) {
            return;
        }
        let pairs = a.rgb().chunks(3).zip(b.rgb().chunks(3));
        for (is, (p, q)) in self.pixels.iter_mut().zip(pairs) {
            *is |= p.iter().zip(q).any(|(x, y)| x.abs_diff(*y) > 12);
        }
    }

    /// The columns and the rows of the pixels whose middle lies in a place.
    fn of(&self, r: &Rect) -> (Range<usize>, Range<usize>) {
        let span = |from: f64, to: f64, most: usize| {
            let at = |v: f64| (v.round().max(0.0) as usize).min(most);
            at(from)..at(to)
        };
        (
            span(r.x, r.right(), self.wide),
            span(r.y, r.bottom(), self.high),
        )
    }

    fn leave_out(&mut self, r: &Rect) {
        let (columns, rows) = self.of(r);
        for y in rows {
            self.pixels[y * self.wide..][columns.clone()].fill(false);
        }
    }

    /// Squares in which a pixel changed.
    fn squares(&self, wide: usize, high: usize) -> Vec<bool> {
        let mut squares = vec![false; wide * high];
        for (i, _) in self.pixels.iter().enumerate().filter(|(_, is)| **is) {
            squares[i / self.wide / SQUARE * wide + i % self.wide / SQUARE] = true;
        }
        squares
    }

    /// What changed in a place, with a margin.
    fn within(&self, r: Rect) -> Option<Rect> {
        let (columns, rows) = self.of(&r);
        let line = |y: usize| &self.pixels[y * self.wide..][columns.clone()];
        let any = |y: &usize| line(*y).contains(&true);
        let (top, bottom) = (rows.clone().find(any)?, rows.clone().rfind(any)?);
        let first = |y: usize| line(y).iter().position(|is| *is);
        let last = |y: usize| line(y).iter().rposition(|is| *is);
        let left = columns.start + rows.clone().filter_map(first).min()?;
        let right = columns.start + rows.filter_map(last).max()?;
        let (x, y) = (
            (left as f64 - MARGIN).max(0.0),
            (top as f64 - MARGIN).max(0.0),
        );
        Some(Rect::new(
            x,
            y,
            (right + 1) as f64 + MARGIN - x,
            (bottom + 1) as f64 + MARGIN - y,
        ))
    }
}

/// The boxes of squares that hang together, taken out one after the other.
fn groups(squares: &mut [bool], wide: usize, high: usize) -> Vec<Rect> {
    let mut found = Vec::new();
    for start in 0..squares.len() {
        if !squares[start] {
            continue;
        }
        let (mut left, mut top, mut right, mut bottom) = (wide, high, 0, 0);
        let mut open = vec![start];
        squares[start] = false;
        while let Some(i) = open.pop() {
            let (x, y) = (i % wide, i / wide);
            (left, top) = (left.min(x), top.min(y));
            (right, bottom) = (right.max(x + 1), bottom.max(y + 1));
            for ny in y.saturating_sub(APART)..(y + APART + 1).min(high) {
                for nx in x.saturating_sub(APART)..(x + APART + 1).min(wide) {
                    let near = ny * wide + nx;
                    if squares[near] {
                        squares[near] = false;
                        open.push(near);
                    }
                }
            }
        }
        let at = |n: usize| (n * SQUARE) as f64;
        found.push(Rect::new(
            at(left),
            at(top),
            at(right - left),
            at(bottom - top),
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PieceKind;

    /// A piece of 12-pixel cells whose top left is at (60, top).
    fn look(kind: PieceKind, top: u32) -> Raster {
        let block = Raster::filled(12, 12, [200, 40, 60]);
        let mut page = Raster::filled(140, 120, [0; 3]);
        for &(c, r) in kind.states()[0].cells() {
            page = page.patched(&block, 60 + c as u32 * 12, top + r as u32 * 12);
        }
        page
    }

    #[test]
    fn a_place_has_room_for_what_a_growing_score_pushes_aside() {
        let shown = |kind, dx: u32| {
            let frame = Raster::filled(90, 90, [255; 3]);
            let within = Raster::filled(88, 88, [0; 3]);
            let page = look(kind, 40).patched(&frame, 51, 20);
            let page = page.patched(&within, 52, 21);
            let piece = look(kind, 40).cropped(60, 40, 60, 24);
            page.patched(&piece, 60 + dx, 40)
        };
        let kinds = [PieceKind::T, PieceKind::L, PieceKind::O, PieceKind::S];
        let looks: Vec<Raster> = kinds.iter().map(|k| shown(*k, 0)).collect();
        let board = Rect::new(0.0, 0.0, 50.0, 120.0);
        let title = Rect::new(56.0, 25.0, 70.0, 15.0);
        let found = places(&looks, &looks, board, &[title]);
        for kind in PieceKind::ALL {
            let read = |r: &Rect| {
                let now = shown(kind, 8);
                let part = now.cropped(r.x as u32, r.y as u32, r.width as u32, r.height as u32);
                let at: Vec<_> = tetrominoes(&part, None);
                at.iter().flatten().copied().eq([kind])
            };
            assert!(found.iter().any(read), "{kind:?} in {found:?}");
        }
    }

    #[test]
    fn a_piece_right_below_its_title_is_not_cut() {
        let kinds = [PieceKind::T, PieceKind::L, PieceKind::O, PieceKind::S];
        let board = Rect::new(0.0, 0.0, 50.0, 120.0);
        for top in 20..28 {
            let looks: Vec<Raster> = kinds.iter().map(|k| look(*k, top)).collect();
            let title = Rect::new(56.0, 6.0, 70.0, f64::from(top) - 6.0);
            let found = places(&looks, &looks, board, &[title]);
            let shown = |look: &Raster, r: &Rect| {
                let part = look.cropped(r.x as u32, r.y as u32, r.width as u32, r.height as u32);
                tetrominoes(&part, None)
            };
            for (kind, look) in kinds.iter().zip(&looks) {
                let read = found.iter().any(|r| shown(look, r) == [Some(*kind)]);
                assert!(read, "{kind:?} at {top}: {found:?}");
            }
        }
    }
}
