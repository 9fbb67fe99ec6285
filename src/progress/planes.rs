//! Pixel by pixel: what is novel, what lasts, what stirs.
//!
//! Comes in: the calm pictures and those after the action, all of one size. Goes out: a byte of flags a pixel.
//! Must never know: what the pixels show.

use super::calm::Calm;
use crate::model::Raster;

/// Side of a tile in pixels. Tiles in which all pictures are equal cost next to nothing.
pub(super) const TILE: usize = 8;

/// The first picture after the action shows what no calm picture shows there.
pub(super) const NOVEL_FIRST: u8 = 1;
/// Likewise the last one.
pub(super) const NOVEL_LAST: u8 = 2;
/// Novel in all pictures after the action, and the same in the first and the last.
pub(super) const LASTING: u8 = 4;
/// It changes between calm pictures.
pub(super) const IDLE: u8 = 8;
/// It changes between pictures after the action.
pub(super) const STIRS: u8 = 16;
/// It changed between the last picture before and the first after.
pub(super) const BEGUN: u8 = 32;

/// The greatest difference of the three channels.
pub(super) fn difference(a: &[u8], b: &[u8]) -> u8 {
    a[0].abs_diff(b[0])
        .max(a[1].abs_diff(b[1]))
        .max(a[2].abs_diff(b[2]))
}

/// So many colours are told apart where only their kind counts: 16 levels a channel.
pub(super) const COLOURS: usize = 16 * 16 * 16;

/// Which of these [`COLOURS`] a pixel has.
pub(super) fn colour(pixel: &[u8]) -> usize {
    let level = |v: u8| usize::from(v >> 4);
    (level(pixel[0]) << 8) | (level(pixel[1]) << 4) | level(pixel[2])
}

/// Is any byte different?
pub(super) fn differ(a: &[u8], b: &[u8]) -> bool {
    a != b
}

/// The flags of all pixels, with the pictures they were made from.
pub(super) struct Planes<'a> {
    pub calm: &'a Calm<'a>,
    pub before: &'a Raster,
    pub after: &'a [Raster],
    pub width: usize,
    pub height: usize,
    /// Tiles a row.
    pub columns: usize,
    /// Rows of tiles.
    pub rows: usize,
    /// Flags, row by row.
    pub flags: Vec<u8>,
}

impl<'a> Planes<'a> {
    /// Compares everything with everything, where there is a difference at all.
    pub fn new(calm: &'a Calm<'a>, before: &'a Raster, after: &'a [Raster]) -> Self {
        let (width, height) = (before.width() as usize, before.height() as usize);
        let mut planes = Self {
            calm,
            before,
            after,
            width,
            height,
            columns: width.div_ceil(TILE),
            rows: height.div_ceil(TILE),
            flags: vec![0; width * height],
        };
        for y in 0..height {
            for column in 0..planes.columns {
                let (from, to) = (column * TILE, ((column + 1) * TILE).min(width));
                planes.stretch(y, from, to);
            }
        }
        planes
    }

    /// The last picture after the action.
    pub fn last(&self) -> &'a Raster {
        &self.after[self.after.len() - 1]
    }

    /// Is there more than one picture after the action?
    pub fn has_second_look(&self) -> bool {
        self.after.len() > 1
    }

    /// The flags of a pixel.
    pub fn at(&self, x: usize, y: usize) -> u8 {
        self.flags[y * self.width + x]
    }

    /// The pixels of a tile that carry any of `mask`.
    pub fn marked(
        &self,
        (column, row): (usize, usize),
        mask: u8,
    ) -> impl Iterator<Item = (usize, usize)> {
        let columns = column * TILE..((column + 1) * TILE).min(self.width);
        (row * TILE..((row + 1) * TILE).min(self.height))
            .flat_map(move |y| columns.clone().map(move |x| (x, y)))
            .filter(move |(x, y)| self.at(*x, *y) & mask != 0)
    }

    fn stretch(&mut self, y: usize, from: usize, to: usize) {
        let bytes = (y * self.width + from) * 3..(y * self.width + to) * 3;
        let before = &self.before.rgb()[bytes.clone()];
        let same = |r: &Raster| r.rgb()[bytes.clone()] == *before;
        if self.calm.pictures.iter().all(|r| same(r)) && self.after.iter().all(same) {
            return;
        }
        let floor = self.calm.floor;
        for x in from..to {
            let i = (y * self.width + x) * 3;
            let pixel = |r: &'a Raster| &r.rgb()[i..i + 3];
            let first = pixel(&self.after[0]);
            let last = pixel(self.last());
            let calm = || self.calm.pictures.iter().map(|r| pixel(r));
            let novel = |p: &[u8]| calm().all(|c| difference(c, p) > floor);
            let mut flags = 0;
            if novel(first) {
                flags |= NOVEL_FIRST;
            }
            if novel(last) {
                flags |= NOVEL_LAST;
            }
            let stirs = self
                .after
                .windows(2)
                .any(|pair| difference(pixel(&pair[0]), pixel(&pair[1])) > floor);
            if stirs {
                flags |= STIRS;
            } else if flags & (NOVEL_FIRST | NOVEL_LAST) == NOVEL_FIRST | NOVEL_LAST {
                flags |= LASTING;
            }
            if difference(pixel(self.before), first) > floor {
                flags |= BEGUN;
            }
            // From one picture to the next, or so slowly that only the first and the last tell.
            let ends = self.calm.pictures.first().zip(self.calm.pictures.last());
            let idle = self
                .calm
                .pictures
                .windows(2)
                .map(|pair| (&pair[0], &pair[1]))
                .chain(ends)
                .any(|(a, b)| difference(pixel(a), pixel(b)) > floor);
            if idle {
                flags |= IDLE;
            }
            self.flags[y * self.width + x] = flags;
        }
    }
}
