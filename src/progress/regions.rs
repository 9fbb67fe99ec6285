//! Pixels gathered into boxes.
//!
//! Comes in: flags. Goes out: regions of tiles that belong together, with their counts. Must never know: what a
//! region is.

use super::Area;
use super::planes::{BEGUN, IDLE, LASTING, NOVEL_FIRST, NOVEL_LAST, Planes, STIRS, TILE};

/// Tiles this far apart still belong together: letters of a word, parts of a sprite.
const REACH: usize = 2;

/// Tiles that belong together, and what their pixels count up to.
#[derive(Debug, Clone, Default)]
pub(super) struct Patch {
    /// The tiles, as columns and rows of the grid of tiles.
    pub tiles: Vec<(usize, usize)>,
    /// The box around the pixels that made it.
    pub area: Option<Area>,
    /// Pixels that are novel in any picture after the action.
    pub novel: usize,
    /// Novel in the first.
    pub first: usize,
    /// Novel in the last.
    pub last: usize,
    /// Novel in all and the same in all.
    pub lasting: usize,
    /// Lasting, and never seen to move while nothing was done.
    pub lasting_still: usize,
    /// Pixels that changed right after the action.
    pub begun: usize,
    /// Pixels that changed between pictures after the action.
    pub stirs: usize,
    /// Pixels that changed while nothing was done.
    pub idle: usize,
}

/// The patches of pixels that carry any of `mask`.
pub(super) fn patches(planes: &Planes<'_>, mask: u8) -> Vec<Patch> {
    let mut marked = vec![false; planes.columns * planes.rows];
    for y in 0..planes.height {
        let row = &planes.flags[y * planes.width..(y + 1) * planes.width];
        for (column, pixels) in row.chunks(TILE).enumerate() {
            if pixels.iter().any(|f| f & mask != 0) {
                marked[(y / TILE) * planes.columns + column] = true;
            }
        }
    }
    groups(&marked, planes.columns, planes.rows)
        .into_iter()
        .map(|tiles| count(planes, tiles, mask))
        .collect()
}

/// Some tiles of a patch, as patches of their own where they lie apart.
pub(super) fn split(planes: &Planes<'_>, tiles: &[(usize, usize)], mask: u8) -> Vec<Patch> {
    let mut marked = vec![false; planes.columns * planes.rows];
    for &(column, row) in tiles {
        marked[row * planes.columns + column] = true;
    }
    groups(&marked, planes.columns, planes.rows)
        .into_iter()
        .map(|tiles| count(planes, tiles, mask))
        .collect()
}

/// Marked tiles, in groups of those that lie near each other.
pub(super) fn groups(marked: &[bool], columns: usize, rows: usize) -> Vec<Vec<(usize, usize)>> {
    let mut left = marked.to_vec();
    let mut found = Vec::new();
    for start in 0..left.len() {
        if !left[start] {
            continue;
        }
        left[start] = false;
        let mut tiles = vec![(start % columns, start / columns)];
        let mut next = 0;
        while let Some(&(column, row)) = tiles.get(next) {
            next += 1;
            for r in row.saturating_sub(REACH)..(row + REACH + 1).min(rows) {
                for c in column.saturating_sub(REACH)..(column + REACH + 1).min(columns) {
                    if std::mem::take(&mut left[r * columns + c]) {
                        tiles.push((c, r));
                    }
                }
            }
        }
        found.push(tiles);
    }
    found
}

fn count(planes: &Planes<'_>, tiles: Vec<(usize, usize)>, mask: u8) -> Patch {
    let mut patch = Patch::default();
    let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
    for &(column, row) in &tiles {
        for y in row * TILE..((row + 1) * TILE).min(planes.height) {
            for x in column * TILE..((column + 1) * TILE).min(planes.width) {
                let flags = planes.at(x, y);
                if flags == 0 {
                    continue;
                }
                let has = |bit: u8| usize::from(flags & bit != 0);
                patch.novel += has(NOVEL_FIRST | NOVEL_LAST);
                patch.first += has(NOVEL_FIRST);
                patch.last += has(NOVEL_LAST);
                patch.lasting += has(LASTING);
                patch.lasting_still += usize::from(flags & (LASTING | IDLE) == LASTING);
                patch.begun += has(BEGUN);
                patch.stirs += has(STIRS);
                patch.idle += has(IDLE);
                if flags & mask != 0 {
                    left = left.min(x);
                    top = top.min(y);
                    right = right.max(x + 1);
                    bottom = bottom.max(y + 1);
                }
            }
        }
    }
    patch.tiles = tiles;
    patch.area = (left < right).then(|| Area {
        x: left as u32,
        y: top as u32,
        width: (right - left) as u32,
        height: (bottom - top) as u32,
    });
    patch
}

/// The box around the pixels with `bit` inside `area`, and how many there are.
pub(super) fn extent(planes: &Planes<'_>, area: Area, bit: u8) -> Option<(Area, usize)> {
    let (mut left, mut top, mut right, mut bottom, mut n) = (usize::MAX, usize::MAX, 0, 0, 0);
    for y in area.y as usize..((area.y + area.height) as usize).min(planes.height) {
        for x in area.x as usize..((area.x + area.width) as usize).min(planes.width) {
            if planes.at(x, y) & bit != 0 {
                n += 1;
                left = left.min(x);
                top = top.min(y);
                right = right.max(x + 1);
                bottom = bottom.max(y + 1);
            }
        }
    }
    (n > 0).then(|| {
        (
            Area {
                x: left as u32,
                y: top as u32,
                width: (right - left) as u32,
                height: (bottom - top) as u32,
            },
            n,
        )
    })
}
