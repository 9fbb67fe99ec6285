//! Pixel by pixel: what is novel, what lasts, what stirs.
//!
//! Comes in: the calm pictures and those after the action, all of one size. Goes out: a byte of flags a pixel.
//! Must never know: what the pixels show.

use super::calm::Calm;
use crate::model::Raster;

/// Side of a tile in pixels. Tiles in which all pictures are equal cost next to nothing.
pub(super) const TILE: usize = 8;

/// Processors that compare pictures at once, at most.
const BANDS: usize = 4;

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

/// Which pixels of two stretches of up to [`TILE`] pixels differ by more than `floor`: a bit each, from the lowest.
pub(super) fn over(a: &[u8], b: &[u8], floor: u8) -> u8 {
    // Of a known length the compiler compares all bytes at once.
    if let (Ok(a), Ok(b)) = (
        <&[u8; TILE * 3]>::try_from(a),
        <&[u8; TILE * 3]>::try_from(b),
    ) {
        let mut far = [0u8; TILE * 3];
        for i in 0..TILE * 3 {
            far[i] = u8::from(a[i].abs_diff(b[i]) > floor);
        }
        return (0..TILE).fold(0, |bits, x| {
            bits | (far[x * 3] | far[x * 3 + 1] | far[x * 3 + 2]) << x
        });
    }
    let pixels = a.chunks_exact(3).zip(b.chunks_exact(3));
    pixels.enumerate().fold(0, |bits, (x, (a, b))| {
        bits | u8::from(difference(a, b) > floor) << x
    })
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
            flags: Vec::new(),
        };
        let mut flags = vec![0; width * height];
        // Rows tell nothing of each other: each processor takes a band of them.
        let bands = std::thread::available_parallelism().map_or(1, |n| n.get().min(BANDS));
        let rows = height.div_ceil(bands).max(1);
        std::thread::scope(|scope| {
            for (n, band) in flags.chunks_mut((rows * width).max(1)).enumerate() {
                let planes = &planes;
                let mut work = move || {
                    for (i, row) in band.chunks_mut(width).enumerate() {
                        for (column, stretch) in row.chunks_mut(TILE).enumerate() {
                            planes.stretch(n * rows + i, column * TILE, stretch);
                        }
                    }
                };
                if n + 1 == bands {
                    work();
                } else {
                    scope.spawn(work);
                }
            }
        });
        planes.flags = flags;
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

    /// Sets the flags of a stretch of a row that begins at `from`.
    fn stretch(&self, y: usize, from: usize, stretch: &mut [u8]) {
        let begin = y * self.width + from;
        let bytes = begin * 3..(begin + stretch.len()) * 3;
        let before = &self.before.rgb()[bytes.clone()];
        let same = |r: &Raster| r.rgb()[bytes.clone()] == *before;
        if self.calm.pictures.iter().all(|r| same(r)) && self.after.iter().all(same) {
            return;
        }
        let floor = self.calm.floor;
        let row = |r: &'a Raster| &r.rgb()[bytes.clone()];
        let far = |a: &'a Raster, b: &'a Raster| over(row(a), row(b), floor);
        let calm = &self.calm.pictures;
        let novel = |p: &'a Raster| calm.iter().fold(u8::MAX, |all, c| all & far(c, p));
        let (first, last) = (&self.after[0], self.last());
        let novel_first = novel(first);
        let novel_last = if self.has_second_look() {
            novel(last)
        } else {
            novel_first
        };
        let stirs = self
            .after
            .windows(2)
            .fold(0, |any, pair| any | far(&pair[0], &pair[1]));
        // From one picture to the next, or so slowly that only the first and the last tell.
        let idle = calm
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .chain(calm.first().copied().zip(calm.last().copied()))
            .fold(0, |any, (a, b)| any | far(a, b));
        let planes = [
            (NOVEL_FIRST, novel_first),
            (NOVEL_LAST, novel_last),
            (LASTING, novel_first & novel_last & !stirs),
            (IDLE, idle),
            (STIRS, stirs),
            (BEGUN, far(self.before, first)),
        ];
        for (x, flags) in stretch.iter_mut().enumerate() {
            *flags = planes
                .iter()
                .filter(|(_, pixels)| pixels >> x & 1 == 1)
                .fold(0, |all, (flag, _)| all | flag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn eight_pixels_at_once_are_compared_as_each_by_itself(
            bytes in proptest::collection::vec((0u8.., 0u8..), TILE * 3),
            pixels in 0..=TILE,
            floor in 0u8..64,
        ) {
            let (a, b): (Vec<u8>, Vec<u8>) = bytes[..pixels * 3].iter().copied().unzip();
            let bits = over(&a, &b, floor);
            for x in 0..TILE {
                let far = x < pixels && difference(&a[x * 3..x * 3 + 3], &b[x * 3..x * 3 + 3]) > floor;
                prop_assert_eq!(bits >> x & 1 == 1, far);
            }
        }
    }
}
