use std::fmt;
use std::sync::Arc;

/// A small picture: 8-bit RGB, row by row from the top left, no padding. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Raster {
    width: u32,
    height: u32,
    rgb: Arc<[u8]>,
}

impl Raster {
    /// A picture from raw RGB bytes; `None` unless there are exactly `3 * width * height` of them.
    pub fn from_rgb(width: u32, height: u32, rgb: impl Into<Arc<[u8]>>) -> Option<Self> {
        let rgb = rgb.into();
        let need = u64::from(width) * u64::from(height) * 3;
        (rgb.len() as u64 == need).then_some(Self { width, height, rgb })
    }

    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 3]) -> Self {
        let rgb = colour.repeat(width as usize * height as usize).into();
        Self { width, height, rgb }
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
        Self {
            width,
            height,
            rgb: rgb.into(),
        }
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
        Self {
            width: self.width,
            height: self.height,
            rgb: rgb.into(),
        }
    }
}

impl fmt::Debug for Raster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raster({}x{})", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
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
}
