//! How the empty board looks: learned from frames, and put right when the board takes on another look or an old one again.
//!
//! Comes in: a frame, what differs in it, what was read. Goes out: the empty look, and how blocks differ from it.
//! Must never know: pieces, ghosts.

use super::shadow::peak;
use super::{DIFFERS, NOISE, Reader};
use crate::model::{Cell, CellState, Grid};
use crate::vision::background::complete;
use crate::vision::cells::{self, Difference};
use std::hash::{DefaultHasher, Hasher};

/// Share of the empty cells that must change at once, and alike, for a new look of the whole board.
const MOST: f32 = 0.7;
/// Earlier looks of the empty board that are remembered.
const LOOKS: usize = 4;
/// See [`Reader::is_no_game`].
const REPEATS: u8 = 4;
/// Pictures of blocks after which it is well known what they look like.
const WELL: u16 = 64;
/// Pictures that something which blinks or glows over the board takes turns with.
const TURNS: usize = 6;

impl Reader {
    /// A cell that looks again as it did when the board was found is empty, whatever was taken for its look since.
    /// Was there any?
    pub(super) fn restore(&mut self, now: &[u8], empty: &mut [u8], off: &mut [bool]) -> bool {
        let Some(first) = &self.first else {
            return false;
        };
        let mut any = false;
        for (i, off) in off.iter_mut().enumerate().filter(|(_, off)| **off) {
            let place = self.place(i);
            let still_off = cells::quick(now, first, place);
            if still_off >= NOISE / 2.0 || cells::quick(empty, first, place) < NOISE {
                continue;
            }
            *off = still_off >= DIFFERS;
            for y in 0..self.samples {
                empty[place.span(y)].copy_from_slice(&first[place.span(y)]);
            }
            self.ground[i] = cells::mean(empty, place);
            self.contrast[i] = cells::contrast(empty, place, self.ground[i]);
            any = true;
        }
        any
    }

    /// What is known of each cell of an empty look.
    pub(super) fn take_ground(&mut self, empty: &[u8]) {
        let places = (0..self.columns * self.rows).map(|i| self.place(i));
        (self.ground, self.contrast) = places
            .map(|place| {
                let mean = cells::mean(empty, place);
                (mean, cells::contrast(empty, place, mean))
            })
            .unzip();
    }

    /// When the board shows a look again that it had before, takes that over, whatever lies on it now.
    pub(super) fn recall(
        &mut self,
        now: &[u8],
        empty: &mut Vec<u8>,
        differences: &[Difference],
    ) -> bool {
        let (threshold, all) = (self.threshold(), differences.len());
        let off = differences.iter().filter(|d| d.strength() > threshold);
        if off.count() * 2 < all {
            return false;
        }
        // Exactly that look, and in most cells: blocks cannot look like it.
        let shown = |look: &Vec<u8>| {
            let alike = (0..all).filter(|&i| cells::quick(now, look, self.place(i)) < NOISE);
            alike.count() * 2 > all
        };
        let Some(again) = self.looks.iter().rposition(shown) else {
            return false;
        };
        std::mem::swap(&mut self.looks[again], empty);
        true
    }

    /// When nearly all empty cells change at once and in the same way, the board has a new look: takes it over.
    pub(super) fn rebase(
        &mut self,
        now: &[u8],
        empty: &mut Vec<u8>,
        differences: &[Difference],
    ) -> bool {
        let Some(last) = &self.last else { return false };
        let threshold = self.threshold();
        let (mut free, mut changed) = (0usize, Vec::new());
        for (i, cell) in last.cells().iter().enumerate() {
            if cell.state == CellState::Filled {
                continue;
            }
            free += 1;
            if differences[i].strength() > threshold {
                changed.push(i);
            }
        }
        if changed.len() < 8 || (changed.len() as f32) < MOST * free as f32 {
            return false;
        }
        // How a cell of each class looks now: most of the changed ones must agree with it.
        let mut fresh = now.to_vec();
        complete(&mut fresh, self.columns, self.rows, self.samples);
        let agree = changed
            .iter()
            .filter(|&&i| cells::quick(now, &fresh, self.place(i)) < NOISE)
            .count();
        if (agree as f32) < MOST * changed.len() as f32 {
            return false;
        }
        // Blocks that were there must still stand out; if everything looks the same now, it is a curtain of blocks.
        let filled: Vec<usize> = last
            .cells()
            .iter()
            .enumerate()
            .filter(|(_, c)| c.state == CellState::Filled)
            .map(|(i, _)| i)
            .collect();
        let standing = filled
            .iter()
            .filter(|&&i| cells::measure(now, &fresh, self.place(i)).strength() > threshold)
            .count();
        if standing * 2 < filled.len() || filled.is_empty() && self.block > 0.0 {
            return false;
        }
        if self.looks.len() >= LOOKS {
            // The first is the one that the board was found with.
            self.looks.remove(1);
        }
        self.looks.push(std::mem::replace(empty, fresh));
        true
    }

    pub(super) fn learn(
        &mut self,
        now: &[u8],
        empty: &mut [u8],
        differences: &[Difference],
        grid: &Grid,
    ) {
        let threshold = self.threshold();
        let (mut blocks, mut inner, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        let mut peaks = Vec::new();
        if let Some(last) = &self.last {
            for (i, (was, is)) in last.cells().iter().zip(grid.cells()).enumerate() {
                let block = was.state == CellState::Filled && is.state == CellState::Empty;
                self.left[i] = (block || self.left[i]) && self.left_worn(&differences[i]);
            }
        }
        let shifted = shifted(differences, grid, threshold);
        let drift = if shifted { threshold } else { threshold / 2.0 };
        // What covers one side only is on its way into the cell, where pieces glide.
        let any_side = shifted || !self.gliding();
        let drifts = |d: &Difference| {
            d.strength() < drift && (any_side || d.sides.iter().all(|side| *side < drift))
        };
        for (i, cell) in grid.cells().iter().enumerate() {
            let d = &differences[i];
            match cell.state {
                CellState::Empty if d.whole > 0.0 && (drifts(d) || self.left[i]) => {
                    let place = self.place(i);
                    for y in 0..self.samples {
                        for (e, n) in empty[place.span(y)].iter_mut().zip(&now[place.span(y)]) {
                            *e = step_towards(*e, *n);
                        }
                    }
                    self.ground[i] = cells::mean(empty, place);
                }
                CellState::Filled if cell.confidence > 100 => {
                    blocks.push(d.strength());
                    inner.push(d.inner);
                    shares.push(d.share);
                    peaks.push(peak(d.colour, self.ground[i]));
                }
                _ => {}
            }
        }
        let filled = name_of(grid);
        if self.filled.contains(&filled) {
            self.repeats = self.repeats.saturating_add(1);
        } else {
            self.repeats = 0;
            if self.filled.len() == TURNS {
                self.filled.pop_front();
            }
            self.filled.push_back(filled);
        }
        // What is not known well yet is learned from every picture.
        let moved = || self.last.as_ref().is_some_and(|last| moved(last, grid));
        let tells = self.learned < WELL || moved();
        if blocks.len() >= 4 && (self.block == 0.0 || tells && !self.is_no_game(grid)) {
            self.learned = self.learned.saturating_add(1);
            // Of the strongest quarter, in case worn cells are still among them.
            let strong = inner.len() * 3 / 4;
            let typical = *inner.select_nth_unstable_by(strong, f32::total_cmp).1;
            follow(&mut self.solid, typical);
            let middle = shares.len() / 2;
            let typical = *shares.select_nth_unstable_by(middle, f32::total_cmp).1;
            follow(&mut self.covers, typical);
            let typical = *peaks.select_nth_unstable_by(middle, f32::total_cmp).1;
            follow(&mut self.block_peak, typical);
            let middle = blocks.len() / 2;
            let typical = *blocks.select_nth_unstable_by(middle, f32::total_cmp).1;
            follow(&mut self.block, typical);
        }
    }
}

impl Reader {
    /// Is it a menu that glitters over the board? The same few sets of cells look filled in picture after picture, all of
    /// which differ, while in a game pieces fall; or a row is full, which in a game is cleared at once. There is nothing
    /// to learn of it.
    pub(super) fn is_no_game(&self, grid: &Grid) -> bool {
        self.repeats >= REPEATS || !grid.complete_rows().is_empty()
    }
}

/// Did blocks go from some cells to others, as they do when a piece falls? Words over a board come or go.
fn moved(last: &Grid, grid: &Grid) -> bool {
    let filled = |c: &Cell| c.state == CellState::Filled;
    let both = || last.cells().iter().zip(grid.cells());
    both().any(|(was, is)| filled(was) && !filled(is))
        && both().any(|(was, is)| filled(is) && !filled(was))
}

/// Which cells look filled, as one number.
fn name_of(grid: &Grid) -> u64 {
    let mut h = DefaultHasher::new();
    for cells in grid.cells().chunks(64) {
        let filled = |bits: u64, c: &Cell| bits << 1 | u64::from(c.state == CellState::Filled);
        h.write_u64(cells.iter().fold(0, filled));
    }
    h.finish()
}

/// Do most of the empty cells differ a little? A look that was taken in another way has its lines elsewhere in the
/// pixels; a ghost is on a few cells only.
fn shifted(differences: &[Difference], grid: &Grid, threshold: f32) -> bool {
    let empty = || {
        let cells = grid.cells().iter().zip(differences);
        cells.filter(|(c, _)| c.state == CellState::Empty)
    };
    let off = empty().filter(|(_, d)| d.strength() > threshold / 4.0);
    off.count() as f32 > MOST * empty().count() as f32
}

/// Takes the first value, and a sixteenth of the way to each later one.
fn follow(value: &mut f32, seen: f32) {
    *value = if *value == 0.0 {
        seen
    } else {
        *value + (seen - *value) / 16.0
    };
}

/// A quarter of the way, and at least one: slow drift is followed, to the end.
fn step_towards(from: u8, to: u8) -> u8 {
    let by = (i16::from(to) - i16::from(from)) / 4;
    let by = if by == 0 {
        (i16::from(to) - i16::from(from)).signum()
    } else {
        by
    };
    (i16::from(from) + by) as u8
}
