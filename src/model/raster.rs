use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// A small picture: 8-bit RGB, row by row from the top left, no padding. Cheap to clone.
///
/// In text (serde) it stands by its [`PictureName`] alone: the pixels are kept elsewhere. One that was read from text has
/// no pixels until they are fetched ([`Raster::absent`]); until then it looks like an empty picture.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "PictureName", from = "PictureName")]
pub struct Raster {
    width: u32,
    height: u32,
    rgb: Arc<[u8]>,
    absent: Option<PictureName>,
}

/// The name of a picture: its size and a hash of its pixels, so that equal pictures have one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PictureName {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    hash: u128,
}

impl fmt::Display for PictureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}-{:032x}", self.width, self.height, self.hash)
    }
}

/// A text that is no name of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no name of a picture")]
pub struct NoPictureName;

impl FromStr for PictureName {
    type Err = NoPictureName;

    fn from_str(text: &str) -> Result<Self, NoPictureName> {
        let parts = || {
            let (size, hash) = text.split_once('-')?;
            let (width, height) = size.split_once('x')?;
            Some(Self {
                width: width.parse().ok()?,
                height: height.parse().ok()?,
                hash: u128::from_str_radix(hash, 16).ok()?,
            })
        };
        // One picture has one name: other spellings of the same numbers are none.
        parts()
            .filter(|name| name.to_string() == text)
            .ok_or(NoPictureName)
    }
}

impl TryFrom<String> for PictureName {
    type Error = NoPictureName;

    fn try_from(text: String) -> Result<Self, NoPictureName> {
        text.parse()
    }
}

impl From<PictureName> for String {
    fn from(name: PictureName) -> Self {
        name.to_string()
    }
}

impl From<Raster> for PictureName {
    fn from(raster: Raster) -> Self {
        raster.name()
    }
}

impl From<PictureName> for Raster {
    fn from(name: PictureName) -> Self {
        Self {
            width: 0,
            height: 0,
            rgb: Arc::from([]),
            absent: Some(name),
        }
    }
}

impl Raster {
    /// A picture from raw RGB bytes; `None` unless there are exactly `3 * width * height` of them.
    pub fn from_rgb(width: u32, height: u32, rgb: impl Into<Arc<[u8]>>) -> Option<Self> {
        let rgb = rgb.into();
        let need = u64::from(width) * u64::from(height) * 3;
        (rgb.len() as u64 == need).then_some(Self::of(width, height, rgb))
    }

    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 3]) -> Self {
        let rgb = colour.repeat(width as usize * height as usize).into();
        Self::of(width, height, rgb)
    }

    fn of(width: u32, height: u32, rgb: Arc<[u8]>) -> Self {
        Self {
            width,
            height,
            rgb,
            absent: None,
        }
    }

    /// Its name.
    pub fn name(&self) -> PictureName {
        self.absent.unwrap_or_else(|| {
            let mut hash = Xxh3::new();
            hash.update(&self.rgb);
            PictureName {
                width: self.width,
                height: self.height,
                hash: hash.digest128(),
            }
        })
    }

    /// The name of the picture whose pixels are still to be fetched; `None` where they are here.
    pub fn absent(&self) -> Option<PictureName> {
        self.absent
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The raw bytes, `3 * width * height` of them.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The colour at a pixel; coordinates outside are clamped to the edge. Black for an empty picture.
    pub fn at(&self, x: i64, y: i64) -> [u8; 3] {
        if self.width == 0 || self.height == 0 {
            return [0; 3];
        }
        let x = x.clamp(0, i64::from(self.width) - 1) as usize;
        let y = y.clamp(0, i64::from(self.height) - 1) as usize;
        let i = (y * self.width as usize + x) * 3;
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }

    /// The part of the picture at `(x, y)`, `width` by `height` pixels; what lies outside is left out.
    #[must_use]
    pub fn cropped(&self, x: u32, y: u32, width: u32, height: u32) -> Self {
        let (x, y) = (x.min(self.width), y.min(self.height));
        let width = width.min(self.width - x);
        let height = height.min(self.height - y);
        let mut rgb = Vec::with_capacity((width * height * 3) as usize);
        for row in y..y + height {
            let from = (row as usize * self.width as usize + x as usize) * 3;
            rgb.extend_from_slice(&self.rgb[from..from + width as usize * 3]);
        }
        Self::of(width, height, rgb.into())
    }

    /// Smaller by a whole factor: each pixel the mean of those it stands for. What is left over at the right and at the
    /// bottom is left out.
    #[must_use]
    pub fn shrunk(&self, by: u32) -> Self {
        if by <= 1 {
            return self.clone();
        }
        let (width, height) = (self.width / by, self.height / by);
        let mut rgb = Vec::with_capacity((width * height * 3) as usize);
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0u32; 3];
                for row in y * by..(y + 1) * by {
                    let from = (row * self.width + x * by) as usize * 3;
                    for p in self.rgb[from..from + by as usize * 3].chunks_exact(3) {
                        sum.iter_mut().zip(p).for_each(|(s, v)| *s += u32::from(*v));
                    }
                }
                rgb.extend(sum.map(|s| (s / (by * by)) as u8));
            }
        }
        Self::of(width, height, rgb.into())
    }

    /// The picture turned on its diagonal: rows are columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let (w, h) = (self.width() as usize, self.height() as usize);
        let from = self.rgb();
        let mut rgb = Vec::with_capacity(from.len());
        for x in 0..w {
            for y in 0..h {
                rgb.extend_from_slice(&from[(y * w + x) * 3..][..3]);
            }
        }
        Self::from_rgb(self.height(), self.width(), rgb).unwrap_or_else(|| self.clone())
    }

    /// A copy with the pixels of `patch` laid over it at `(x, y)`; what falls outside is left out.
    #[must_use]
    pub fn patched(&self, patch: &Self, x: u32, y: u32) -> Self {
        let mut rgb = self.rgb.to_vec();
        let w = patch.width.min(self.width.saturating_sub(x)) as usize;
        let h = patch.height.min(self.height.saturating_sub(y)) as usize;
        for row in 0..h {
            let to = ((y as usize + row) * self.width as usize + x as usize) * 3;
            let from = row * patch.width as usize * 3;
            rgb[to..to + w * 3].copy_from_slice(&patch.rgb[from..from + w * 3]);
        }
        Self::of(self.width, self.height, rgb.into())
    }
}

impl fmt::Debug for Raster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.absent {
            None => write!(f, "Raster({}x{})", self.width, self.height),
            Some(name) => write!(f, "Raster({name}, absent)"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_part_that_was_cut_out_can_be_laid_back() {
        let whole = Raster::filled(9, 7, [1, 2, 3]);
        let dot = Raster::filled(2, 2, [9, 9, 9]);
        let marked = whole.patched(&dot, 4, 3);
        let part = marked.cropped(3, 2, 4, 4);
        assert_eq!((part.width(), part.height()), (4, 4));
        assert_eq!(part.at(1, 1), [9, 9, 9]);
        assert_eq!(whole.patched(&part, 3, 2), marked);
        assert_eq!(whole.cropped(8, 6, 50, 50).width(), 1);
        assert_eq!(whole.cropped(50, 50, 5, 5).height(), 0);
    }

    #[test]
    fn a_smaller_picture_holds_the_means() {
        let half = Raster::filled(2, 5, [100, 0, 20]);
        let picture = Raster::filled(5, 5, [0, 50, 20]).patched(&half, 1, 0);
        let small = picture.shrunk(2);
        assert_eq!((small.width(), small.height()), (2, 2));
        assert_eq!(small.at(0, 0), [50, 25, 20]);
        assert_eq!(picture.shrunk(1), picture);
        assert_eq!(picture.shrunk(9).width(), 0);
    }

    #[test]
    fn in_text_a_picture_stands_by_its_name_and_comes_back_without_pixels() {
        let picture = Raster::filled(3, 2, [7, 8, 9]);
        let text = serde_json::to_string(&picture).unwrap();
        let back: Raster = serde_json::from_str(&text).unwrap();
        assert_eq!(back.absent(), Some(picture.name()));
        assert_eq!(back.name(), picture.name());
        assert_eq!((back.width(), back.at(1, 1)), (0, [0; 3]));
        assert_ne!(picture.name(), Raster::filled(2, 3, [7, 8, 9]).name());
        assert!(serde_json::from_str::<Raster>("\"3x2-+1\"").is_err());
    }
}
