//! Finding the board: what falls, and where its walls, floor and top are.
//!
//! Comes in: pictures of one region of the page at growing game times, with no input between ([`falling`]); then what
//! touching the walls and the floor showed ([`extent`]). Goes out: the lattice of cells, the board.
//! Must never know: how the pictures were taken, what the page is made of beyond the rectangles given as hints.

mod board;
mod chain;
mod changes;
mod ground;
mod lattice;
mod moves;
mod occupied;
mod pushed;
mod ruled;
pub(crate) mod shape;
mod sharpen;
mod smear;
mod texture;
mod turned;
mod walls;

use crate::model::{PieceKind, Raster, Rect};

pub use board::{Touched, extent};
pub use occupied::{occupied, strongest};
pub use pushed::{Place, aside, mended, pushed};
pub use smear::{Smear, smear};
pub use turned::going_aside;

/// One picture of the region that is being watched; all of them show the same region at one pixel a CSS pixel.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// Game time.
    pub game_ms: f64,
    /// The picture.
    pub raster: &'a Raster,
}

/// A place the page's structure proposes, in pixels of the pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// Where.
    pub rect: Rect,
    /// Columns of equal parts in it; 0 if unknown.
    pub columns: u16,
    /// Rows likewise.
    pub rows: u16,
}

/// A lattice of equal cells without an end: cell (c, r) begins at `x0 + c * cell_w`, `y0 + r * cell_h`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// Left edge of column 0 in pixels.
    pub x0: f64,
    /// Top edge of row 0 in pixels.
    pub y0: f64,
    /// Distance between columns in pixels.
    pub cell_w: f64,
    /// Distance between rows in pixels.
    pub cell_h: f64,
}

impl Lattice {
    /// The cell's rectangle.
    pub fn cell(&self, column: i32, row: i32) -> Rect {
        Rect::new(
            self.x0 + f64::from(column) * self.cell_w,
            self.y0 + f64::from(row) * self.cell_h,
            self.cell_w,
            self.cell_h,
        )
    }
}

/// Something that falls by whole cells (or smoothly) all by itself.
#[derive(Debug, Clone)]
pub struct Falling {
    /// Size and phase of its cells.
    pub lattice: Lattice,
    /// At which game time it was seen on which cells of the lattice, in the order of time.
    pub positions: Vec<(f64, Vec<(i32, i32)>)>,
    /// The top edge of each of these positions in pixels: what glides is seldom quite in its row.
    pub tops: Vec<f64>,
    /// Which tetromino the best seen piece is; `None` for another shape.
    pub kind: Option<PieceKind>,
    /// Game time a row; `None` if it was seen to fall only once.
    pub gravity_ms: Option<f64>,
    /// Does it glide by parts of a cell?
    pub smooth: bool,
    /// The region as it looks with the piece gone.
    pub background: Raster,
    /// Where the falling was seen, in pixels.
    pub area: Rect,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Other places where something fell likewise (a second board).
    pub others: Vec<Rect>,
    /// What was observed, for people.
    pub why: String,
}

impl Falling {
    /// The highest row that is surely of the board. What glides comes into it from above its first row.
    pub fn top_row(&self) -> i32 {
        let rows = self.positions.iter().flat_map(|p| p.1.iter().map(|c| c.1));
        rows.min().unwrap_or(0) + i32::from(self.smooth)
    }

    /// The same in pictures that begin `x` pixels farther to the left and `y` farther up; the background stays.
    pub fn shift(&mut self, x: f64, y: f64) {
        self.lattice.x0 += x;
        self.lattice.y0 += y;
        for top in &mut self.tops {
            *top += y;
        }
        for place in std::iter::once(&mut self.area).chain(&mut self.others) {
            place.x += x;
            place.y += y;
        }
    }

    /// The same, now that the size of the cells is known, on the lattice of a place that is made of whole ones.
    #[must_use]
    pub fn divided(mut self, hints: &[Hint]) -> Self {
        if let Some(lattice) = sharpen::divide(self.lattice, !self.smooth, self.area, hints) {
            self.lay_on(lattice);
        }
        self
    }

    /// The same, seen on another lattice: its positions are in the rows they are nearest to there.
    fn lay_on(&mut self, lattice: Lattice) {
        for (top, (_, cells)) in self.tops.iter().zip(&mut self.positions) {
            let row = ((top - lattice.y0) / lattice.cell_h).round() as i32;
            let first = cells.iter().map(|c| c.1).min().unwrap_or(row);
            for cell in cells {
                cell.1 += row - first;
            }
        }
        self.lattice = lattice;
    }
}

/// Nothing falls as a piece does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotFalling(
    /// What was seen instead, for people.
    pub String,
);

/// Finds the thing that falls. The looks must be in the order of time; the first one's size counts, others are left
/// out. A few seconds that show at least two steps are needed, more make the lattice exact.
///
/// # Errors
/// [`NotFalling`] with what was seen instead.
pub fn falling(looks: &[Look<'_>], hints: &[Hint]) -> Result<Falling, NotFalling> {
    let Some(first) = looks.first() else {
        return Err(NotFalling("no pictures".into()));
    };
    let size = (first.raster.width(), first.raster.height());
    let looks: Vec<Look<'_>> = looks
        .iter()
        .copied()
        .filter(|l| (l.raster.width(), l.raster.height()) == size)
        .collect();
    seen_to_fall(&looks, hints, changes::CHANGED).or_else(|nothing| match changes::noise(&looks) {
        Some(noise) if noise > changes::CHANGED => seen_to_fall(&looks, hints, noise),
        _ => Err(nothing),
    })
}

/// What falls among what differs by more than `noise`.
fn seen_to_fall(looks: &[Look<'_>], hints: &[Hint], noise: u8) -> Result<Falling, NotFalling> {
    let changes = changes::Changes::of(looks, noise);
    if changes.is_empty() {
        return Err(NotFalling("nothing changed".into()));
    }
    let regions = changes.regions(hints);
    let mut falls = Vec::new();
    let mut seen = moves::Tally::default();
    for region in &regions {
        let moves = moves::moves(looks, &changes, region, &mut seen);
        falls.extend(chain::chains(looks, moves, region.cell));
    }
    lattice::choose(looks, &changes, &falls, hints).ok_or_else(|| {
        NotFalling(format!(
            "changes that do not fall: {}",
            seen.words(regions.len())
        ))
    })
}
