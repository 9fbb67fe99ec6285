//! Pictures of the board to grids.
//!
//! Comes in: frames in the order of time. Goes out: a grid each. Must never know: the page, keys, the wall clock.

use super::background::complete;
use super::cells::{self, Difference, Place};
use crate::model::{Cell, CellState, Frame, Grid, Hints};
use std::collections::VecDeque;

mod afterglow;
mod glow;
mod groups;
mod looks;
mod motion;
mod shadow;
mod smooth;

use motion::Reach;
use shadow::Shadow;

/// A cell this weakly different from its empty look is empty, whatever else is known (mean over pixels and
/// channels, 0 to 255).
const NOISE: f32 = 2.0;
/// A cell that differs by less shows its empty look.
const DIFFERS: f32 = NOISE / 4.0;
/// A cell that differs by less than this share of what blocks usually do is no block, but a highlight or a shadow.
const FAINT: f32 = 0.12;
/// The inner part of a cell whose lines are worn differs by no more than this share of what makes a block.
const WORN_INNER: f32 = 0.5;
/// Its border differs by less than this share of what solid blocks do: an outlined block's differs about as much as they.
const WORN_RING: f32 = 0.4;
/// Pieces glide where something is between two rows in at least this share of the pictures ...
const GLIDING: f32 = 0.05;
/// ... of which it takes so many to tell.
const UNTOLD: u32 = 60;
/// Where blocks cover so much of their cells ...
const SOLID: f32 = 0.75;
/// ... what covers less than this share of what they do, and ...
const LITTLE: f32 = 0.6;
/// ... differs by less than this share of what they do is a word or a number drawn over the board.
const SLIGHT: f32 = 0.4;
/// What differs by less than this share of a cell's own contrast is the same picture drawn at another size: the empty
/// look may come from a picture of the page, and a mark on the board is not sampled there as it is here.
const SAME_PICTURE: f32 = 0.25;
/// Cells of a piece.
const PIECE: usize = 4;

/// Reads frames of one board. Deterministic: the same frames in the same order give the same grids.
#[derive(Debug, Clone)]
pub struct Reader {
    columns: usize,
    rows: usize,
    samples: usize,
    /// The learned empty board; `None` until something is known about it.
    empty: Option<Vec<u8>>,
    /// How it looked when the board was found.
    first: Option<Vec<u8>>,
    /// Cells that a block has just left, or whose lines have been worn since one did.
    left: Vec<bool>,
    /// Looks that it had before, the latest last: a veil over the board is lifted again.
    looks: Vec<Vec<u8>>,
    /// The mean colour of each of its cells.
    ground: Vec<[u8; 3]>,
    /// How far the pixels of each of its cells are from that on the average.
    contrast: Vec<f32>,
    /// How strongly blocks differ from empty, learned; 0 while none was seen.
    block: f32,
    /// How far the channel that differs most does in blocks, learned; 0 while none was seen.
    block_peak: f32,
    /// Pictures from which it was learned what blocks look like.
    learned: u16,
    /// Pictures in a row in which the same cells looked filled as in one of the last few.
    repeats: u8,
    /// Which cells looked filled in those, each as one number, the oldest first.
    filled: VecDeque<u64>,
    /// How strongly what stands out most does, while no block was seen: the glow of blocks is far weaker.
    glare: f32,
    /// How strongly the inner part of solid blocks does, learned; 0 where blocks are outlines, or none was seen.
    solid: f32,
    /// Share of their cells that solid blocks cover, learned; 0 while none was seen.
    covers: f32,
    /// How ghosts look here, once one was seen.
    shadow: Option<Shadow>,
    /// How strong ghosts of a colour of their own have looked in play: a layer that fades over the board changes what is seen.
    strong_shadow: Option<Shadow>,
    /// By how many the ghosts of that look outnumber others.
    shadow_seen: u8,
    /// How often, one after the other, another piece's ghost had the same colour.
    shadow_pieces: u8,
    /// Colours of pieces that had a ghost.
    tints: shadow::Tints,
    /// In how many pictures a piece had none where one should be, less those in which it had.
    ghostless: u8,
    /// What is known about ghosts that look as their pieces do.
    twins: shadow::Twins,
    /// Where the first ghost must have been while the empty look was learned, if it can't be told from it.
    suspects: Vec<(i32, i32)>,
    /// Was some of it told from the empty look by now?
    masked: bool,
    /// The row on which pieces come to rest, where a ghost showed that it is not the last one.
    floor: Option<i32>,
    last: Option<Grid>,
    /// What fades in each cell.
    fading: Vec<afterglow::Left>,
    /// How far blocks at rest reach in their cells.
    reach: Reach,
    /// How far a shining piece is below the upper of the two rows it is between, as a share of a cell.
    glides: Option<f32>,
    /// In how many pictures something was seen between two rows, and of how many.
    between: (u32, u32),
    /// Thresholds as a person set them; see [`Hints`].
    by_hand: (Option<f32>, Option<f32>),
}

impl Reader {
    /// A reader that learns the empty look from the frames themselves.
    pub fn new(columns: u16, rows: u16, samples: u16) -> Self {
        Self {
            columns: usize::from(columns),
            rows: usize::from(rows),
            samples: usize::from(samples),
            empty: None,
            first: None,
            left: vec![false; usize::from(columns) * usize::from(rows)],
            looks: Vec::new(),
            ground: Vec::new(),
            contrast: Vec::new(),
            block: 0.0,
            block_peak: 0.0,
            learned: 0,
            repeats: 0,
            filled: VecDeque::new(),
            glare: 0.0,
            solid: 0.0,
            covers: 0.0,
            shadow: None,
            strong_shadow: None,
            shadow_seen: 0,
            shadow_pieces: 0,
            tints: shadow::Tints::default(),
            ghostless: 0,
            twins: shadow::Twins::default(),
            suspects: Vec::new(),
            masked: false,
            floor: None,
            last: None,
            fading: Vec::new(),
            reach: Reach::default(),
            glides: None,
            between: (0, 0),
            by_hand: (None, None),
        }
    }

    /// The same reader, told how the board looks with nothing on it. A picture of another size is ignored.
    #[must_use]
    pub fn with_background(mut self, empty: &Frame) -> Self {
        if self.fits(empty) {
            self.empty = Some(empty.raster.rgb().to_vec());
        }
        self
    }

    /// From the next frame on, tells blocks, ghosts and empty cells apart by the thresholds that a person set; those that
    /// are left out are learned.
    pub fn tune(&mut self, hints: &Hints) {
        self.by_hand = (hints.block, hints.ghost);
    }

    fn fits(&self, frame: &Frame) -> bool {
        self.samples > 0
            && frame.raster.width() as usize == self.columns * self.samples
            && frame.raster.height() as usize == self.rows * self.samples
    }

    fn place(&self, i: usize) -> Place {
        Place {
            stride: self.columns * self.samples * 3,
            samples: self.samples,
            column: i % self.columns,
            row: i / self.columns,
        }
    }

    /// Decodes a frame. A frame of another size gives an empty grid without confidence.
    pub fn read(&mut self, frame: &Frame) -> Grid {
        let (columns, rows) = (self.columns as u16, self.rows as u16);
        if !self.fits(frame) || self.columns == 0 || self.rows == 0 {
            return Grid::new(columns, rows);
        }
        let now = frame.raster.rgb();
        let mut empty = self.empty.take().unwrap_or_else(|| {
            let mut guess = now.to_vec();
            complete(&mut guess, self.columns, self.rows, self.samples);
            guess
        });
        if self.ground.is_empty() {
            self.take_ground(&empty);
        }
        if self.first.is_none() {
            self.first = Some(empty.clone());
        }
        let mut off = self.off(now, &empty);
        let mut differences = self.measured(now, &empty, &off);
        // First what is true of the whole board: cell by cell, what lies beside a block would be missed.
        let rebased = self.recall(now, &mut empty, &differences)
            || self.rebase(now, &mut empty, &differences);
        if rebased {
            self.take_ground(&empty);
            off = self.off(now, &empty);
        }
        if self.restore(now, &mut empty, &mut off) || rebased {
            differences = self.measured(now, &empty, &off);
        }
        if self.block == 0.0 {
            let mut strength: Vec<f32> = differences.iter().map(Difference::strength).collect();
            strength.sort_unstable_by(|a, b| b.total_cmp(a));
            self.glare = strength.get(PIECE - 1).copied().unwrap_or(0.0);
        }
        let mut grid = self.decide(&differences);
        if self.unmask(now, &mut empty, &grid, &differences) {
            differences = self.differences(now, &empty);
            grid = self.decide(&differences);
        }
        let threshold = self.threshold();
        // As they were drawn, before what lies between two rows was put into one of them.
        let covered = differences
            .iter()
            .zip(grid.cells())
            .filter(|(d, c)| c.state != CellState::Ghost && d.strength() > threshold)
            .map(|(d, _)| d);
        let between = self.reach.between(covered);
        // The ends of what shines are lost in its glow.
        grid.set_between(self.glides.map_or(between, motion::way));
        self.learn(now, &mut empty, &differences, &grid);
        self.empty = Some(empty);
        self.last = Some(grid.clone());
        grid
    }

    /// Which cells do not look as they do when empty.
    fn off(&self, now: &[u8], empty: &[u8]) -> Vec<bool> {
        let (c, r, s) = (self.columns, self.rows, self.samples);
        cells::differing(now, empty, c, r, s, DIFFERS)
    }

    fn differences(&self, now: &[u8], empty: &[u8]) -> Vec<Difference> {
        self.measured(now, empty, &self.off(now, empty))
    }

    fn measured(&self, now: &[u8], empty: &[u8], off: &[bool]) -> Vec<Difference> {
        let mut differences: Vec<Difference> = off
            .iter()
            .enumerate()
            .map(|(i, off)| {
                if !off {
                    return Difference::default();
                }
                let difference = cells::measure(now, empty, self.place(i));
                if difference.strength() < self.contrast[i] * SAME_PICTURE {
                    return Difference::default();
                }
                difference
            })
            .collect();
        glow::darken(&mut differences, self.columns, self.rows);
        differences
    }

    /// The least difference of a block, over a cell's pixels and channels, 0 to 255.
    pub fn threshold(&self) -> f32 {
        let block = if self.block > 0.0 {
            self.block
        } else {
            self.glare
        };
        let learned = (block * FAINT).clamp(NOISE, 30.0);
        self.by_hand.0.unwrap_or(learned)
    }

    fn decide(&mut self, differences: &[Difference]) -> Grid {
        let threshold = self.threshold();
        let mut strength: Vec<f32> = differences.iter().map(Difference::strength).collect();
        let (columns, rows) = (self.columns, self.rows);
        let block = if self.block > 0.0 {
            self.block
        } else {
            f32::INFINITY
        };
        let snapped = smooth::snap(differences, &mut strength, columns, rows, threshold, block);
        self.glides = smooth::glide(
            differences,
            &mut strength,
            &self.ground,
            columns,
            threshold,
            snapped,
        );
        let between = snapped.is_some() || self.glides.is_some();
        if strength.iter().any(|s| *s > threshold) {
            self.between.0 += u32::from(between);
            self.between.1 += 1;
        }
        let mut grid = Grid::new(self.columns as u16, self.rows as u16);
        for (i, (&s, d)) in strength.iter().zip(differences).enumerate() {
            let (state, colour) = if s > threshold {
                (CellState::Filled, d.colour)
            } else {
                (CellState::Empty, self.ground[i])
            };
            let margin = if s > threshold {
                (s / threshold - 1.0) / 2.0
            } else {
                1.0 - s / threshold
            };
            let cell = Cell {
                state,
                colour,
                confidence: (margin.clamp(0.0, 1.0) * 255.0) as u8,
            };
            grid.set((i % self.columns) as i32, (i / self.columns) as i32, cell);
        }
        if let Some(upto) = self.by_hand.1 {
            self.ghosts_upto(upto, &mut grid, &strength);
        } else {
            self.mark_ghost(&mut grid, differences, &strength);
            if let Some(last) = &self.last {
                shadow::keep(&mut grid, last);
            }
            self.mark_twin(&mut grid);
        }
        // A piece on its way from cell to cell shows paler in those that it leaves.
        if let Some(last) = self.last.as_ref().filter(|_| !self.gliding()) {
            let (left, ground) = (&mut self.fading, &self.ground);
            afterglow::fade(left, last, &mut grid, differences, &strength, ground);
        }
        for (i, d) in differences.iter().enumerate() {
            if (self.worn(d) || self.slight(d, strength[i])) && strength[i] > threshold {
                let (column, row) = ((i % self.columns) as i32, (i / self.columns) as i32);
                let cell = grid.get(column, row).copied().unwrap_or_default();
                if cell.state == CellState::Filled {
                    let bare = Cell {
                        state: CellState::Empty,
                        colour: self.ground[i],
                        confidence: 128,
                    };
                    grid.set(column, row, bare);
                }
            }
        }
        self.mark_flashes(&mut grid);
        grid
    }

    /// Ghosts by a person's word: whatever differs by less than `upto`.
    fn ghosts_upto(&self, upto: f32, grid: &mut Grid, strength: &[f32]) {
        for (i, s) in strength.iter().enumerate().filter(|(_, s)| **s < upto) {
            let (column, row) = ((i % self.columns) as i32, (i / self.columns) as i32);
            let cell = grid.get(column, row).copied().unwrap_or_default();
            if cell.state == CellState::Filled {
                let confidence = ((1.0 - s / upto) * 510.0).min(255.0) as u8;
                let ghost = Cell {
                    state: CellState::Ghost,
                    confidence,
                    ..cell
                };
                grid.set(column, row, ghost);
            }
        }
    }

    /// Does only the border differ, and far less than solid blocks do? Pages that draw a cell's lines anew with every
    /// piece that passes make them darker each time.
    fn worn(&self, d: &Difference) -> bool {
        d.inner < self.threshold() * WORN_INNER && d.ring < self.solid * WORN_RING
    }

    /// Do pieces glide from row to row here? As long as too little was seen to tell, they may.
    fn gliding(&self) -> bool {
        let (between, all) = self.between;
        all < UNTOLD || between as f32 >= all as f32 * GLIDING
    }

    /// Is it worn, and no end of a piece that is on its way out of the cell or into it?
    fn left_worn(&self, d: &Difference) -> bool {
        let faint = |side: &f32| *side < self.solid * WORN_RING;
        self.worn(d) && (!self.gliding() || d.sides.iter().all(faint))
    }

    /// Is it a part of something written on the board, that changed since the empty look was learned? It covers little of
    /// its cell, and weakly, where blocks cover theirs.
    fn slight(&self, d: &Difference, strength: f32) -> bool {
        self.covers >= SOLID
            && d.share < self.covers * LITTLE
            && strength < self.block.min(self.solid) * SLIGHT
    }

    /// A whole row that takes on one look at once is a flash before a clear: its cells mean little.
    fn mark_flashes(&self, grid: &mut Grid) {
        let Some(last) = &self.last else { return };
        for r in 0..grid.rows() {
            let row = i32::from(r);
            let of = |g: &Grid, c: u16| g.get(i32::from(c), row).copied().unwrap_or_default();
            let first = of(grid, 0).colour;
            let uniform = (0..grid.columns()).all(|c| near(of(grid, c).colour, first, 12));
            let changed = (0..grid.columns())
                .filter(|&c| !near(of(grid, c).colour, of(last, c).colour, 40))
                .count();
            if uniform && changed * 2 > usize::from(grid.columns()) {
                for c in 0..grid.columns() {
                    let cell = of(grid, c);
                    let confidence = cell.confidence.min(40);
                    grid.set(i32::from(c), row, Cell { confidence, ..cell });
                }
            }
        }
    }
}

fn near(a: [u8; 3], b: [u8; 3], by: u8) -> bool {
    a.iter().zip(b).all(|(x, y)| x.abs_diff(y) <= by)
}
