//! What a place looks like with nothing falling over it.
//!
//! Comes in: looks at a region. Goes out: the middle value of each of its pixels, which is the ground wherever things
//! pass over in less than half of the looks. Must never know: what passes.

use super::Look;
use super::changes::Region;

/// Looks that are asked, at most, spread evenly.
const ASKED: usize = 9;
/// A channel must differ from the ground by more than this for something to cover it.
const COVERS: u8 = 24;

/// The ground of a region.
pub struct Ground {
    x0: usize,
    y0: usize,
    across: usize,
    rgb: Vec<u8>,
}

impl Ground {
    /// The median of the looks, channel by channel.
    pub fn of(looks: &[Look<'_>], width: usize, region: &Region) -> Self {
        let n = looks.len().clamp(1, ASKED);
        let asked: Vec<&[u8]> = (0..n)
            .map(|i| looks[i * (looks.len() - 1) / n.saturating_sub(1).max(1)])
            .map(|l| l.raster.rgb())
            .collect();
        let across = region.x1 - region.x0;
        let mut rgb = Vec::with_capacity(across * (region.y1 - region.y0) * 3);
        let mut values = vec![0u8; n];
        for y in region.y0..region.y1 {
            let row = (y * width + region.x0) * 3..(y * width + region.x1) * 3;
            for i in row {
                for (value, picture) in values.iter_mut().zip(&asked) {
                    *value = picture[i];
                }
                values.sort_unstable();
                rgb.push(values[n / 2]);
            }
        }
        Self {
            x0: region.x0,
            y0: region.y0,
            across,
            rgb,
        }
    }

    /// Does a picture, of the given width, show something else than the ground there?
    pub fn covered(&self, picture: &[u8], width: usize, x: usize, y: usize) -> bool {
        let i = (y * width + x) * 3;
        let j = ((y - self.y0) * self.across + x - self.x0) * 3;
        (0..3).any(|c| picture[i + c].abs_diff(self.rgb[j + c]) > COVERS)
    }
}
