//! Draws small made-up games: plain shapes, digits, glyph-like marks.
#![allow(clippy::many_single_char_names)]

#[path = "../support/digits.rs"]
mod digits;

use tetrascope::model::Raster;

pub const WHITE: [u8; 3] = [250, 250, 250];
pub const BLACK: [u8; 3] = [12, 12, 16];
pub const BLUE: [u8; 3] = [40, 90, 200];
pub const RED: [u8; 3] = [210, 40, 50];
pub const GOLD: [u8; 3] = [230, 180, 40];
pub const GREY: [u8; 3] = [190, 190, 190];

/// A picture that is drawn on.
#[derive(Clone)]
pub struct Canvas {
    pub width: u32,
    pub height: u32,
    pub rgb: Vec<u8>,
}

impl Canvas {
    pub fn new(width: u32, height: u32, colour: [u8; 3]) -> Self {
        Self {
            width,
            height,
            rgb: colour.repeat((width * height) as usize),
        }
    }

    /// The ordinary window of these stories.
    pub fn page() -> Self {
        Self::new(480, 360, [235, 238, 240])
    }

    pub fn rect(mut self, x: i32, y: i32, w: i32, h: i32, colour: [u8; 3]) -> Self {
        for yy in y.max(0)..(y + h).min(self.height as i32) {
            for xx in x.max(0)..(x + w).min(self.width as i32) {
                let i = (yy as usize * self.width as usize + xx as usize) * 3;
                self.rgb[i..i + 3].copy_from_slice(&colour);
            }
        }
        self
    }

    pub fn frame(self, x: i32, y: i32, w: i32, h: i32, thick: i32, colour: [u8; 3]) -> Self {
        self.rect(x, y, w, thick, colour)
            .rect(x, y + h - thick, w, thick, colour)
            .rect(x, y, thick, h, colour)
            .rect(x + w - thick, y, thick, h, colour)
    }

    /// A number, its digits 8 wide and 14 high.
    pub fn number(mut self, x: i32, y: i32, value: u32, digits: u32, colour: [u8; 3]) -> Self {
        for place in 0..digits {
            let digit = value / 10u32.pow(digits - 1 - place) % 10;
            for (dx, dy, w, h) in digits::strokes(digit, (8, 14), 2) {
                self = self.rect(x + place as i32 * 11 + dx, y + dy, w, h, colour);
            }
        }
        self
    }

    /// A row of marks that look like a word.
    pub fn word(self, x: i32, y: i32, letters: u32, colour: [u8; 3]) -> Self {
        (0..letters).fold(self, |c, n| {
            let at = x + n as i32 * 9;
            let c = c.rect(at, y, 2, 10, colour);
            match n % 3 {
                0 => c.rect(at, y, 6, 2, colour).rect(at, y + 5, 5, 2, colour),
                1 => c.rect(at + 4, y, 2, 10, colour),
                _ => c.rect(at, y + 8, 6, 2, colour),
            }
        })
    }

    /// A figure that is not the same left and right, up and down.
    pub fn hero(self, x: i32, y: i32) -> Self {
        self.rect(x, y, 16, 22, BLUE)
            .rect(x + 9, y + 4, 4, 4, WHITE)
            .rect(x + 2, y + 22, 5, 4, BLACK)
            .rect(x + 10, y + 22, 5, 4, BLACK)
    }

    /// Every pixel a little off, differently with each `seed`.
    pub fn shivering(mut self, seed: u32, by: i32) -> Self {
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
        for v in &mut self.rgb {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let off = (state >> 16) as i32 % (2 * by + 1) - by;
            *v = (i32::from(*v) + off).clamp(0, 255) as u8;
        }
        self
    }

    /// Every pixel mixed with a colour, `share` of 256.
    pub fn veiled(mut self, colour: [u8; 3], share: u32) -> Self {
        for p in self.rgb.chunks_exact_mut(3) {
            for (v, c) in p.iter_mut().zip(colour) {
                *v = ((u32::from(*v) * (256 - share) + u32::from(c) * share) / 256) as u8;
            }
        }
        self
    }

    pub fn raster(self) -> Raster {
        Raster::from_rgb(self.width, self.height, self.rgb).expect("as many bytes as pixels")
    }
}
