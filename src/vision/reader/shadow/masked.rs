//! A ghost that is part of the empty look, as it stood there while that was learned.
//!
//! Comes in: a picture, its cells and how they differ from empty. Goes out: the empty look, corrected where a ghost stood
//! in it. Must never know: keys, the rules.

use super::super::groups::groups;
use super::super::{NOISE, Reader};
use super::{GHOSTLY, HOLLOW, alike, rests};
use crate::model::Grid;
use crate::vision::cells::{self, Difference};
use crate::vision::ghost::landing;

impl Reader {
    /// A ghost that stood at one place while the empty look was learned is part of that look. It shows when the piece
    /// goes elsewhere: then the place of its first landing changes, weakly and at once. `true` if the look was mended.
    pub(in super::super) fn unmask(
        &mut self,
        now: &[u8],
        empty: &mut [u8],
        grid: &Grid,
        differences: &[Difference],
    ) -> bool {
        let floor = self.floor();
        let filled = grid.filled_cells();
        let hanging: Vec<_> = groups(&filled, |a, b| {
            alike(
                &differences[self.at(a.0, a.1)],
                &differences[self.at(b.0, b.1)],
            )
        })
        .into_iter()
        .filter(|p| p.len() == 4 && !rests(p, grid, floor))
        .collect();
        let [piece] = hanging.as_slice() else {
            return false;
        };
        if self.last.is_none() {
            let below = landing(piece, self.floor(), |c, r| grid.is_filled(c, r));
            self.suspects = below
                .into_iter()
                .filter(|&(c, r)| !grid.is_filled(c, r) && differences[self.at(c, r)].share == 0.0)
                .collect();
            return false;
        }
        if self.suspects.is_empty() {
            return false;
        }
        let full = piece
            .iter()
            .map(|&(c, r)| differences[self.at(c, r)].strength())
            .sum::<f32>()
            / 4.0;
        let share = piece
            .iter()
            .map(|&(c, r)| differences[self.at(c, r)].share)
            .sum::<f32>()
            / 4.0;
        let weak = |d: &Difference| d.strength() < full * GHOSTLY || d.share < share * HOLLOW;
        // Lines that a piece beside them wore are no outline.
        let threshold = self.threshold();
        let shows =
            |d: &Difference| d.share > 0.0 && (d.inner >= NOISE || d.strength() > threshold);
        let uncovered: Vec<_> = self
            .suspects
            .iter()
            .copied()
            .filter(|&(c, r)| shows(&differences[self.at(c, r)]))
            .collect();
        if uncovered.is_empty() {
            return false;
        }
        let (uncovered, under): (Vec<_>, Vec<_>) = uncovered
            .into_iter()
            .partition(|&(c, r)| weak(&differences[self.at(c, r)]));
        if !self.masked && (!under.is_empty() || uncovered.len() < self.suspects.len().min(2)) {
            // A block came there, or a ghost of another place reaches in: no sign of a ghost in the empty look.
            self.suspects.clear();
            return false;
        }
        // Once some of it was seen to go the rest is a ghost, too, whatever lies on it by now.
        let new = landing(piece, self.floor(), |c, r| {
            grid.is_filled(c, r)
                && !self.suspects.contains(&(c, r))
                && !weak(&differences[self.at(c, r)])
        });
        let mended: Vec<_> = uncovered.into_iter().filter(|c| !new.contains(c)).collect();
        for &(c, r) in &mended {
            let i = self.at(c, r);
            let place = self.place(i);
            for y in 0..self.samples {
                empty[place.span(y)].copy_from_slice(&now[place.span(y)]);
                if let Some(first) = &mut self.first {
                    first[place.span(y)].copy_from_slice(&now[place.span(y)]);
                }
            }
            self.ground[i] = cells::mean(empty, place);
        }
        self.suspects.retain(|c| !mended.contains(c));
        self.masked |= !mended.is_empty();
        !mended.is_empty()
    }
}
