//! Paints boards in many looks, for tests and benchmarks.

use tetrascope::model::{Board, Frame, Raster};

/// How the empty board looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ground {
    Flat,
    Checker,
    Lines,
    Gradient,
    Noise,
    /// Empty cells are visible squares.
    Squares,
}

/// How a block looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Block {
    Flat,
    Bevel,
    /// Pixels left free on each side.
    Gap(u32),
    Gradient,
    /// Only a stroke of so many pixels.
    Outline(u32),
}

/// How the ghost looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ghost {
    Translucent,
    Outline,
}

/// A look of a page.
#[derive(Debug, Clone)]
pub struct Style {
    pub width: u32,
    pub height: u32,
    pub x: f64,
    pub y: f64,
    pub cell: (f64, f64),
    pub columns: u16,
    pub rows: u16,
    pub ground: Ground,
    pub block: Block,
    pub ghost: Ghost,
    pub light: bool,
    /// Difference of a block from the ground, at most; 0 for vivid colours.
    pub faint: u8,
    /// How many pixels around themselves blocks shine in their colour.
    pub glow: u32,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: 340,
            height: 560,
            x: 50.0,
            y: 40.0,
            cell: (24.0, 24.0),
            columns: 10,
            rows: 20,
            ground: Ground::Flat,
            block: Block::Flat,
            ghost: Ghost::Translucent,
            light: false,
            faint: 0,
            glow: 0,
        }
    }
}

/// Colours of blocks, by number.
const COLOURS: [[u8; 3]; 7] = [
    [0, 240, 240],
    [240, 240, 0],
    [160, 60, 240],
    [40, 220, 40],
    [230, 40, 40],
    [60, 80, 240],
    [240, 160, 30],
];

/// Numbers of two colours that are tones of one another.
pub const GREY: usize = 1000;
pub const PALE: usize = 1001;

impl Style {
    pub fn board(&self) -> Board {
        Board {
            x: self.x,
            y: self.y,
            cell_width: self.cell.0,
            cell_height: self.cell.1,
            columns: self.columns,
            rows: self.rows,
            confidence: 1.0,
            why: String::new(),
            sure: tetrascope::model::Sure::default(),
        }
    }

    fn page(&self) -> [u8; 3] {
        if self.light {
            [238, 240, 244]
        } else {
            [34, 36, 44]
        }
    }

    fn ground(&self, c: i32, r: i32, px: (i64, i64), u: f64, v: f64) -> [u8; 3] {
        let base: u8 = if self.light { 250 } else { 12 };
        let other: u8 = if self.light { 236 } else { 26 };
        let grey = match self.ground {
            Ground::Flat => base,
            Ground::Checker => [base, other][((c + r) % 2) as usize],
            Ground::Lines => {
                if u * self.cell.0 < 1.0 || v * self.cell.1 < 1.0 {
                    other
                } else {
                    base
                }
            }
            Ground::Gradient => {
                let t = (f64::from(r) + v) / f64::from(self.rows) * 40.0;
                if self.light {
                    250 - t as u8
                } else {
                    12 + t as u8
                }
            }
            Ground::Noise => {
                // A fixed hash of the pixel: a texture, the same in each picture.
                let h = (px.0.wrapping_mul(73_856_093) ^ px.1.wrapping_mul(19_349_663)) as u64;
                let n = ((h.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 59) & 15) as u8;
                if self.light { 250 - n } else { 12 + n }
            }
            Ground::Squares => {
                if (u - 0.5).abs().max((v - 0.5).abs()) < 0.38 {
                    other
                } else {
                    base
                }
            }
        };
        [grey; 3]
    }

    fn block(&self, colour: usize, ground: [u8; 3], u: f64, v: f64) -> [u8; 3] {
        let mut flat = match colour {
            GREY => [200, 210, 215],
            PALE => [186, 104, 200],
            vivid => COLOURS[vivid % 7],
        };
        if self.faint > 0 {
            let base: u8 = if self.light { 250 } else { 12 };
            flat = [0, 1, 2].map(|i| {
                let d = (u32::from(flat[i]) * u32::from(self.faint) / 512) as u8 + self.faint / 2;
                if self.light { base - d } else { base + d }
            });
        }
        let (w, h) = self.cell;
        let edge = (u * w).min((1.0 - u) * w).min(v * h).min((1.0 - v) * h);
        let shade = |f: f64| flat.map(|c| (f64::from(c) * f).clamp(0.0, 255.0) as u8);
        match self.block {
            Block::Flat => flat,
            Block::Bevel if edge < 3.0 => shade(if u + v < 1.0 { 1.2 } else { 0.6 }),
            Block::Bevel => flat,
            Block::Gap(g) if edge < f64::from(g) => ground,
            Block::Gap(_) => flat,
            Block::Gradient => shade(0.7 + 0.3 * v),
            Block::Outline(t) if edge < f64::from(t) => flat,
            Block::Outline(_) => ground,
        }
    }

    /// The page with blocks `(column, row, colour)`, ghost cells, and a piece whose rows may be parts of a cell.
    pub fn paint(
        &self,
        stack: &[(i32, i32, usize)],
        ghost: &[(i32, i32, usize)],
        piece: &[(i32, f64, usize)],
    ) -> Raster {
        let mut rgb = self.page().repeat((self.width * self.height) as usize);
        let put = |rgb: &mut Vec<u8>, x: i64, y: i64, c: [u8; 3]| {
            if x >= 0 && y >= 0 && x < i64::from(self.width) && y < i64::from(self.height) {
                let i = (y as usize * self.width as usize + x as usize) * 3;
                rgb[i..i + 3].copy_from_slice(&c);
            }
        };
        let span = |from: f64, size: f64| (from.round() as i64)..((from + size).round() as i64);
        let cell = |c: i32, r: f64| {
            let x = self.x + f64::from(c) * self.cell.0;
            let y = self.y + r * self.cell.1;
            (span(x, self.cell.0), span(y, self.cell.1))
        };
        let at = |range: &std::ops::Range<i64>, p: i64| {
            (p - range.start) as f64 / (range.end - range.start) as f64 + 0.01
        };
        let ground_at = |x: i64, y: i64| {
            let fc = (x as f64 + 0.5 - self.x) / self.cell.0;
            let fr = (y as f64 + 0.5 - self.y) / self.cell.1;
            self.ground(
                fc.floor() as i32,
                fr.floor() as i32,
                (x, y),
                fc.fract(),
                fr.fract(),
            )
        };
        let whole = (
            span(self.x, self.cell.0 * f64::from(self.columns)),
            span(self.y, self.cell.1 * f64::from(self.rows)),
        );
        for y in whole.1.clone() {
            for x in whole.0.clone() {
                put(&mut rgb, x, y, ground_at(x, y));
            }
        }
        for &(c, r, colour) in ghost {
            let (xs, ys) = cell(c, f64::from(r));
            for y in ys.clone() {
                for x in xs.clone() {
                    let under = ground_at(x, y);
                    let (u, v) = (at(&xs, x), at(&ys, y));
                    let full = self.block(colour, under, u, v);
                    let c = match self.ghost {
                        Ghost::Translucent => [0, 1, 2].map(|i| {
                            ((u32::from(full[i]) * 3 + u32::from(under[i]) * 7) / 10) as u8
                        }),
                        Ghost::Outline => Self {
                            block: Block::Outline(3),
                            ..self.clone()
                        }
                        .block(colour, under, u, v),
                    };
                    put(&mut rgb, x, y, c);
                }
            }
        }
        let solid = stack.iter().map(|&(c, r, k)| (c, f64::from(r), k));
        for (c, r, colour) in solid.chain(piece.iter().copied()) {
            let (xs, ys) = cell(c, r);
            let glow = i64::from(self.glow);
            let shine = self.block(colour, self.page(), 0.5, 0.5);
            for y in ys.start - glow..ys.end + glow {
                for x in xs.start - glow..xs.end + glow {
                    let beside = (xs.start - x).max(x - xs.end + 1).max(0);
                    let above = (ys.start - y).max(y - ys.end + 1).max(0);
                    let far = (beside as f64).hypot(above as f64) / (glow as f64 + 1.0);
                    let inside = x >= whole.0.start && x < whole.0.end && y >= whole.1.start;
                    if far == 0.0 || far >= 1.0 || !inside || y >= whole.1.end {
                        continue;
                    }
                    let i = (y as usize * self.width as usize + x as usize) * 3;
                    let share = 0.6 * (1.0 - far).powi(2);
                    let lit = [0, 1, 2].map(|k| {
                        let under = f64::from(rgb[i + k]);
                        (under + (f64::from(shine[k]) - under) * share) as u8
                    });
                    put(&mut rgb, x, y, lit);
                }
            }
            for y in ys
                .clone()
                .filter(|&y| y >= whole.1.start && y < whole.1.end)
            {
                for x in xs.clone() {
                    let c = self.block(colour, ground_at(x, y), at(&xs, x), at(&ys, y));
                    put(&mut rgb, x, y, c);
                }
            }
        }
        Raster::from_rgb(self.width, self.height, rgb).unwrap()
    }

    /// The board of a page, sampled as frames are.
    pub fn frame(&self, page: &Raster, samples: u16) -> Frame {
        let (w, h) = (self.columns * samples, self.rows * samples);
        let mut rgb = Vec::with_capacity(usize::from(w) * usize::from(h) * 3);
        for y in 0..h {
            for x in 0..w {
                let at = |i: u16, from: f64, size: f64| {
                    (from + (f64::from(i) + 0.5) * size / f64::from(samples)) as i64
                };
                rgb.extend(page.at(at(x, self.x, self.cell.0), at(y, self.y, self.cell.1)));
            }
        }
        Frame {
            raster: Raster::from_rgb(u32::from(w), u32::from(h), rgb).unwrap(),
            samples,
            rect: self.board().rect(),
        }
    }
}
