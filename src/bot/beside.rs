//! Where beside the board something changes from piece to piece.
//!
//! Comes in: pictures of the page. Goes out: places. Must never know: a driver, what a place is called.

use crate::model::{Raster, Rect};
use crate::vision::preview::{cell_size, empty, tetrominoes};

/// Places that are kept in view at most.
const PLACES: usize = 6;
/// Side of the squares in which changes are counted, in pixels.
const SQUARE: usize = 4;
/// Squares without a change that part two places.
const APART: usize = 2;
/// Cells of the longest piece, and half a one so that its end can be seen.
const LONGEST: f64 = 4.5;
/// Pixels left around a place.
const MARGIN: f64 = 2.0;

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
    let mut changes = vec![false; w * h];
    for pair in looks.windows(2) {
        mark_changes(&mut changes, w, &pair[0], &pair[1]);
    }
    let mut moving = vec![false; w * h];
    for (a, b) in looks.iter().zip(restless) {
        mark_changes(&mut moving, w, a, b);
    }
    let out = |r: &Rect, x: f64, y: f64| {
        let s = SQUARE as f64;
        x + s < r.x || y + s < r.y || x > r.right() || y > r.bottom()
    };
    for (i, is) in changes.iter_mut().enumerate() {
        let (x, y) = ((i % w * SQUARE) as f64, (i / w * SQUARE) as f64);
        let text = texts.iter().any(|t| !out(t, x, y));
        *is &= !moving[i] && out(&board, x, y) && !text;
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
    let mut found: Vec<(Rect, Vec<Raster>, Option<Raster>)> = groups(&mut changes, w, h)
        .iter()
        .filter(|r| looks.len() >= 3 && r.width >= 12.0 && r.height >= 6.0)
        .map(seen_at)
        .filter(|(_, parts, ground)| shows(parts, ground.as_ref()))
        .collect();
    let area = |r: &Rect| r.width * r.height;
    found.sort_by(|a, b| area(&b.0).total_cmp(&area(&a.0)));
    found.truncate(PLACES);
    let page = Rect::new(0.0, 0.0, f64::from(wide), f64::from(high));
    let with_room = found.iter().filter_map(|(r, parts, ground)| {
        let mut sizes = parts.iter().filter_map(|p| {
            let by = |ground| cell_size(p, ground);
            by(None).or_else(|| by(ground.as_ref()))
        });
        let first = sizes.next()?;
        let cell = sizes.fold(first, |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let roomy = roomy(*r, cell, page, || texts.iter().chain([&board]));
        (roomy != *r).then_some(roomy)
    });
    let with_room: Vec<Rect> = with_room.collect();
    found.into_iter().map(|f| f.0).chain(with_room).collect()
}

/// The place with room for the longest piece wherever it may lie there, but for what lies beside it: the pieces that
/// were seen may all have been shorter. `others` must not lie in the place itself.
fn roomy<'a, I: Iterator<Item = &'a Rect>>(
    place: Rect,
    cell: (f64, f64),
    page: Rect,
    others: impl Fn() -> I,
) -> Rect {
    let more = |cell: f64, seen: f64| (LONGEST * cell - seen).max(0.0);
    let (dx, dy) = (more(cell.0, place.width), more(cell.1, place.height));
    let (mut left, mut right) = (
        (place.x - dx).max(page.x),
        (place.right() + dx).min(page.right()),
    );
    for o in others().filter(|o| o.y < place.bottom() && o.bottom() > place.y) {
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
    for o in others().filter(|o| o.x < right && o.right() > left) {
        if o.bottom() <= place.y {
            top = top.max(o.bottom());
        } else if o.y >= place.bottom() {
            bottom = bottom.min(o.y);
        }
    }
    let (left, top) = (left.ceil(), top.ceil());
    Rect::new(left, top, right.floor() - left, bottom.floor() - top)
}

fn mark_changes(changes: &mut [bool], wide: usize, a: &Raster, b: &Raster) {
    if (a.width(), a.height()) != (b.width(), b.height()) {
        return;
    }
    let width = a.width() as usize;
    for (i, (p, q)) in a.rgb().chunks(3).zip(b.rgb().chunks(3)).enumerate() {
        if p.iter().zip(q).any(|(x, y)| x.abs_diff(*y) > 12) {
            changes[i / width / SQUARE * wide + i % width / SQUARE] = true;
        }
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
        let (x, y) = ((at(left) - MARGIN).max(0.0), (at(top) - MARGIN).max(0.0));
        found.push(Rect::new(
            x,
            y,
            at(right) + MARGIN - x,
            at(bottom) + MARGIN - y,
        ));
    }
    found
}
