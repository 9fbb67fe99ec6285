//! The ghost of the falling piece: which of the cells that look filled are only its shadow.
//!
//! Comes in: the cells and how they differ from empty. Goes out: cells marked as ghost. Must never know: keys, the rules.

mod masked;
mod still;
mod tint;
mod twin;
mod veil;

use super::groups::groups;
use super::{PIECE, Reader, near};
use crate::model::{Cell, CellState, Grid};
use crate::vision::cells::Difference;
use crate::vision::ghost::{ghost_of, landing};
pub use still::keep;
pub use tint::Tints;
use tint::{is_tint, laid_over, toned};
pub use twin::Twins;
use veil::{SAME_COLOUR, Veil};

/// A cell whose difference is below this share of its piece's may be its ghost whatever its colour.
const GHOSTLY: f32 = 0.5;
/// The same for a cell in a paler tone of the piece's own colour.
const TONED_GHOST: f32 = 0.85;
/// A cell of which less than this share of what its piece covers is covered may be its ghost.
const HOLLOW: f32 = 0.6;

/// How far the colour of one ghost may be from the veil over its ground, where it is known what shows through: a dark block
/// below it is as near as 10.
const SAME_BELOW: u8 = 6;

/// How far the colours of faint cells of one ghost may be apart, as a share of how strongly blocks differ.
const TINT: f32 = 0.3;

/// By how much the proportions may differ in which the cells of one ghost are mixed.
const SAME_SHARE: f32 = 0.12;

/// Inner parts that differ as strongly from empty but for this share are of one colour, most likely.
const SAME_LEVEL: f32 = 0.05;

/// What differs by this share of what makes a block may be part of a ghost, beside cells that differ by more: ghosts as
/// faint as the threshold itself.
const FAINTEST: f32 = 0.4;

/// Ghosts whose strengths and shares differ by less are of one look: how strong a ghost is beside its piece depends on the
/// piece's colour, too.
const LIKE_STRENGTH: f32 = 0.4;
/// See [`LIKE_STRENGTH`].
const LIKE_SHARE: f32 = 0.35;
/// The channels of a ground on which vivid blocks of all colours are far from it in one channel at least.
const DARK_GROUND: u8 = 48;
/// A block's colour changes by less when a glowing piece comes to lie beside it.
const AS_BEFORE: u8 = 32;
/// So often another piece's ghost had the same colour, one after the other, where all ghosts have one.
const OF_ALL: u8 = 4;
/// So many ghosts of another look in a row make it the look of ghosts, at most.
const SEEN_ENOUGH: u8 = 12;

/// Pictures of a piece high above its landing place with no ghost there, after which the game is taken to draw none ...
const GHOSTLESS: u8 = 30;
/// ... and how many of those one with a ghost makes up for: a game that draws them does so in nearly all pictures.
const MAKES_UP: u8 = 4;

/// Cells of pieces that are larger than usual: no more than fit into three by three.
const ODD_PIECE: std::ops::RangeInclusive<usize> = 5..=9;

/// How a ghost's cells differ from the blocks of its piece.
#[derive(Debug, Clone, Copy)]
pub struct Shadow {
    /// Strength of its cells, as a share of the piece's.
    strength: f32,
    /// How far the channel that differs most is from the ground, as a share of the piece's: blocks of all colours are about
    /// as far in theirs, while a pale one differs more in all.
    peak: f32,
    /// Share of a cell that it covers.
    share: f32,
    /// Share of a cell that a block covers.
    block_share: f32,
    /// Its colour: many games draw all ghosts in one.
    veil: Veil,
    /// The colour of its piece.
    piece: [u8; 3],
    /// Ghosts of pieces of other colours were of its colour, too.
    of_all: bool,
}

/// A ghost that was found below its piece.
struct Ghost {
    cells: Vec<(i32, i32)>,
    shadow: Shadow,
    /// The row on which pieces come to rest, as far as it tells.
    floor: i32,
}

impl Shadow {
    /// Are both of one colour?
    fn is_one_with(&self, other: &Self) -> bool {
        let (ground, seen) = other.veil.one;
        near(self.veil.over(ground), seen, SAME_COLOUR)
    }

    /// Do both differ from their blocks as strongly and cover as much, or are they of one colour?
    fn resembles(&self, other: &Self) -> bool {
        self.is_one_with(other)
            || !self.of_all
                && (self.strength - other.strength).abs() < LIKE_STRENGTH
                && (self.share - other.share).abs() < LIKE_SHARE
    }

    /// Does the cell look like a ghost and not like a block? `block` is how strongly the blocks of the board differ.
    fn is(&self, d: &Difference, ground: [u8; 3], block: f32, block_peak: f32) -> bool {
        if self.of_all {
            return self.coloured(d, ground);
        }
        if self.share < self.block_share * HOLLOW {
            return (d.share / self.share - 1.0).abs() < 0.35;
        }
        // Drawn as strongly as a dark piece, only by its own colour.
        if self.strength >= GHOSTLY || self.veil.clear > 0.0 && self.coloured(d, ground) {
            return self.coloured(d, ground);
        }
        let by_strength = d.inner.max(d.ring) < block * (self.strength + GHOSTLY) / 2.0
            && d.inner.max(d.ring) > block * self.strength / 3.0;
        let off = peak(d.colour, ground);
        // On a bright ground some colours are far from it in no channel.
        let by_peak = self.peak < GHOSTLY
            && ground.iter().all(|v| *v <= DARK_GROUND)
            && off < block_peak * (self.peak + GHOSTLY) / 2.0
            && off > block_peak * self.peak / 2.0;
        by_strength || by_peak
    }

    /// Is the cell's colour a piece's, laid over the ground in the proportion in which ghosts are?
    fn tints(&self, d: &Difference, piece: [u8; 3], ground: [u8; 3]) -> bool {
        !self.of_all
            && self.share >= self.block_share * HOLLOW
            && is_tint(d.colour, piece, ground, self.strength)
    }

    fn coloured(&self, d: &Difference, ground: [u8; 3]) -> bool {
        let by = if self.veil.clear > 0.0 {
            SAME_BELOW
        } else {
            SAME_COLOUR
        };
        let veil = self.veil.over(ground);
        near(d.colour, veil, by) || near(d.inner_colour, veil, by)
    }
}

impl Reader {
    fn at(&self, c: i32, r: i32) -> usize {
        r as usize * self.columns + c as usize
    }

    /// The row on which pieces come to rest.
    fn floor(&self) -> i32 {
        self.floor.unwrap_or(self.rows as i32)
    }

    /// Finds a piece that hangs in the air and its weaker likeness straight below it.
    pub(super) fn mark_ghost(
        &mut self,
        grid: &mut Grid,
        differences: &[Difference],
        strength: &[f32],
    ) {
        let filled = grid.filled_cells();
        if filled.iter().any(|c| c.1 >= self.floor()) {
            self.floor = None;
        }
        let floor = self.floor();
        let pieces = groups(&filled, |a, b| {
            alike(
                &differences[self.at(a.0, a.1)],
                &differences[self.at(b.0, b.1)],
            )
        });
        let least = self.threshold() * FAINTEST;
        let faint: Vec<_> = (0..strength.len())
            .filter(|&i| strength[i] > least)
            .map(|i| ((i % self.columns) as i32, (i / self.columns) as i32))
            .filter(|&(c, r)| !grid.is_filled(c, r))
            .collect();
        // Some games have a piece of another size now and then.
        let usual = pieces.iter().filter(|p| p.len() == PIECE);
        let odd = pieces.iter().filter(|p| ODD_PIECE.contains(&p.len()));
        let mut found = None;
        for piece in usual.chain(odd) {
            let Some(ghost) = self.ghost_below(piece, &faint, grid, differences, strength) else {
                continue;
            };
            // What is left of both where they were a moment ago is as like them as they are.
            let pale = |&(c, r): &(i32, i32)| strength[self.at(c, r)] < self.block * GHOSTLY;
            let left = piece.iter().all(pale);
            if !left || found.is_none() {
                found = Some(ghost);
            }
            if !left {
                break;
            }
        }
        let found = found.filter(|ghost| !self.has_a_likelier(ghost, &pieces, grid, differences));
        if let Some(ghost) = found {
            if self.ghostless >= GHOSTLESS {
                self.ghostless -= MAKES_UP;
                return;
            }
            self.ghostless = self.ghostless.saturating_sub(MAKES_UP);
            mark(grid, &ghost.cells);
            self.learn_shadow(ghost.shadow, grid);
            self.floor = Some(ghost.floor);
            return;
        }
        let plain = |&(c, r): &(i32, i32)| strength[self.at(c, r)] <= least;
        let bare = |p: &Vec<(i32, i32)>| {
            landing_below(p, grid, floor).is_some_and(|at| at.iter().all(plain))
        };
        if self.suspects.is_empty() && pieces.iter().any(bare) {
            self.ghostless = (self.ghostless + 1).min(GHOSTLESS + SEEN_ENOUGH * MAKES_UP);
        }
        if self.ghostless >= GHOSTLESS {
            return;
        }
        // While its piece is above the board or only partly on it, a ghost is told by the look ghosts have had.
        let Some(shadow) = self.shadow else { return };
        let whole = |p: &Vec<(i32, i32)>| {
            p.len() == 4
                && p.iter()
                    .all(|c| !grid.is_filled(c.0, c.1 + 1) || p.contains(&(c.0, c.1 + 1)))
        };
        let ghostly = |&(c, r): &(i32, i32)| {
            let i = self.at(c, r);
            self.is_shadow(&shadow, &differences[i], self.ground[i])
        };
        let mut ghosts: Vec<_> = pieces
            .iter()
            .filter(|p| p.len() <= 4 && p.iter().all(ghostly) && rests(p, grid, floor))
            .cloned()
            .collect();
        // A dark block may differ as little as a ghost does, but is of another colour.
        let coloured = |p: &&Vec<(i32, i32)>| {
            p.iter().all(|&(c, r)| {
                let i = self.at(c, r);
                shadow.coloured(&differences[i], self.ground[i])
            })
        };
        if ghosts.len() > 1
            && let [one] = ghosts
                .iter()
                .filter(coloured)
                .collect::<Vec<_>>()
                .as_slice()
        {
            ghosts = vec![(*one).clone()];
        }
        if ghosts.len() != 1 || shadow.veil.clear > 0.0 {
            // On a checkerboard, or beside glowing blocks, the cells of one ghost have several colours.
            let weak: Vec<_> = filled.iter().copied().filter(ghostly).collect();
            // Behind its piece some of a ghost may show, in several parts.
            let behind = shadow.veil.clear > 0.0 && weak.len() < PIECE && rests(&weak, grid, floor);
            ghosts = if behind {
                vec![weak]
            } else {
                groups(&weak, |_, _| true)
            };
            ghosts.retain(|p| p.len() <= 4 && rests(p, grid, floor));
        }
        let faint: Vec<_> = faint.into_iter().filter(ghostly).collect();
        if ghosts.len() != 1 && !faint.is_empty() {
            let weak = filled.iter().filter(|c| ghostly(c)).chain(&faint);
            ghosts = groups(&weak.copied().collect::<Vec<_>>(), |_, _| true);
            ghosts.retain(|p| {
                p.len() <= PIECE && rests(p, grid, floor) && p.iter().any(|c| !faint.contains(c))
            });
        }
        // A piece hangs in the air: then its ghost would have been found below it, if this were one. But what hangs while
        // another piece comes in was left hanging by a clear.
        let falls = |p: &&Vec<(i32, i32)>| !rests(p, grid, floor);
        let hangs = pieces
            .iter()
            .filter(falls)
            .any(|p| whole(p) && p.iter().all(|c| c.1 > 0));
        let enters = pieces
            .iter()
            .filter(falls)
            .any(|p| p.len() < PIECE && p.iter().all(|c| c.1 == 0));
        if ghosts.len() == 1 && (!hangs || enters) {
            mark(grid, &ghosts[0]);
        }
    }

    /// Is there, elsewhere, what looks as ghosts have looked in this game, while `found` differs from its piece less? Then
    /// that is a block below another one of nearly its colour, and the piece is only coming in.
    fn has_a_likelier(
        &self,
        found: &Ghost,
        pieces: &[Vec<(i32, i32)>],
        grid: &Grid,
        differences: &[Difference],
    ) -> bool {
        let known = self
            .shadow
            .filter(|_| self.shadow_seen == SEEN_ENOUGH)
            .filter(|s| found.shadow.strength > s.strength + LIKE_STRENGTH / 2.0);
        let Some(known) = known else { return false };
        let ghostly = |&(c, r): &(i32, i32)| {
            let i = self.at(c, r);
            self.is_shadow(&known, &differences[i], self.ground[i])
        };
        let elsewhere = |p: &&Vec<(i32, i32)>| p.iter().all(|c| !found.cells.contains(c));
        let mut others = pieces.iter().filter(|p| p.len() == PIECE).filter(elsewhere);
        others.any(|p| p.iter().all(ghostly) && rests(p, grid, self.floor()))
    }

    /// Marks a ghost that looks as its piece does, where there is no other.
    pub(super) fn mark_twin(&mut self, grid: &mut Grid) {
        let floor = self.floor();
        let ghost = |cell: &Cell| cell.state == CellState::Ghost;
        if !grid.cells().iter().any(ghost) {
            self.twins.mark(grid, self.last.as_ref(), floor);
        }
    }

    /// What most ghosts looked like counts: a panel over the board may hold something that passes for one.
    fn learn_shadow(&mut self, mut seen: Shadow, grid: &Grid) {
        if self.is_no_game(grid) {
            return;
        }
        let as_ever = self.strong_shadow.is_some_and(|s| s.is_one_with(&seen));
        if as_ever || self.shadow.is_none_or(|s| s.resembles(&seen)) {
            self.shadow_seen = (self.shadow_seen + 1).min(SEEN_ENOUGH);
            if let Some(last) = self.shadow {
                if !last.is_one_with(&seen) {
                    self.shadow_pieces = 0;
                } else if !near(last.piece, seen.piece, SAME_COLOUR) {
                    self.shadow_pieces = (self.shadow_pieces + 1).min(OF_ALL);
                }
            }
            self.tints.learn(seen.piece);
            seen.of_all = self.shadow_pieces == OF_ALL;
            self.shadow = Some(seen);
            if self.shadow_seen == SEEN_ENOUGH && seen.strength >= GHOSTLY {
                self.strong_shadow.get_or_insert(seen);
            }
        } else if self.shadow_seen <= 1 {
            (self.shadow_seen, self.shadow_pieces) = (1, 0);
            self.shadow = Some(seen);
        } else {
            self.shadow_seen -= 1;
        }
    }

    /// Does a cell look like a ghost, by how weak it is beside blocks or by the colour of a piece that had one? Blocks of
    /// one colour may differ from empty twice as strongly as those of another, and their ghosts, too.
    fn is_shadow(&self, shadow: &Shadow, d: &Difference, ground: [u8; 3]) -> bool {
        let tinted = |of: &[u8; 3]| shadow.tints(d, *of, ground);
        self.tints.iter().any(tinted) || shadow.is(d, ground, self.block, self.block_peak)
    }

    /// The looks of ghosts that are known.
    fn shadows(&self) -> impl Iterator<Item = Shadow> {
        self.shadow.into_iter().chain(self.strong_shadow)
    }

    fn ghost_below(
        &self,
        piece: &[(i32, i32)],
        faint: &[(i32, i32)],
        grid: &Grid,
        differences: &[Difference],
        strength: &[f32],
    ) -> Option<Ghost> {
        let mean = |cells: &[(i32, i32)], of: &dyn Fn(usize) -> f32| {
            cells.iter().map(|&(c, r)| of(self.at(c, r))).sum::<f32>() / cells.len().max(1) as f32
        };
        let full = mean(piece, &|i| strength[i]);
        let peak_of =
            |cells: &[(i32, i32)]| mean(cells, &|i| peak(differences[i].colour, self.ground[i]));
        let share = mean(piece, &|i| differences[i].share);
        let colour = differences[self.at(piece[0].0, piece[0].1)].colour;
        let filled = grid.filled_cells();
        // A game begins with a piece over an empty board: its likeness where it would land is no block.
        let begun = self.last.is_none() && filled.len() == 2 * piece.len();
        let mut weak: Vec<_> = filled
            .iter()
            .copied()
            .filter(|c| !piece.contains(c))
            .filter(|&(c, r)| {
                let i = self.at(c, r);
                let d = &differences[i];
                // Where all blocks have one colour it tells nothing.
                let other = !near(d.colour, colour, SAME_COLOUR);
                other && (begun || self.shadows().any(|s| s.coloured(d, self.ground[i])))
                    || strength[i] < full * GHOSTLY
                    || d.share < share * HOLLOW
                    || strength[i] < full * TONED_GHOST && toned(d.colour, colour, self.ground[i])
            })
            // What was a block of this look is one still.
            .filter(|&(c, r)| {
                let i = self.at(c, r);
                let d = &differences[i];
                let was_block = self.last.as_ref().is_some_and(|l| {
                    l.get(c, r).is_some_and(|was| {
                        was.state == CellState::Filled && near(was.colour, d.colour, AS_BEFORE)
                    })
                });
                !was_block
                    || self.shadows().any(|s| {
                        self.is_shadow(&s, d, self.ground[i]) || s.tints(d, colour, self.ground[i])
                    })
            })
            .collect();
        // Where a ghost stood in the empty look, one that stands there now does not show, or not wholly.
        let mut hidden = self.suspects.clone();
        hidden.retain(|c| !weak.contains(c) && !piece.contains(c) && !grid.is_filled(c.0, c.1));
        weak.extend(&hidden);
        // What is faint alone is no ghost.
        if weak.iter().any(|c| !hidden.contains(c)) {
            weak.extend(faint.iter().filter(|c| !hidden.contains(c)));
        }
        // What is weak without doubt first: a block in a tone of the piece's colour may be what the ghost stands on.
        let told = floor_by_likeness(piece, &weak).filter(|_| begun);
        let floor = told.unwrap_or(self.floor());
        // Nor does one show in the light of the blocks it stands on.
        let lit = (0..differences.len())
            .filter(|i| differences[*i].lit)
            .map(|i| ((i % self.columns) as i32, (i / self.columns) as i32));
        hidden.extend(lit.filter(|c| !weak.contains(c) && !piece.contains(c)));
        weak.extend(hidden.iter().filter(|c| differences[self.at(c.0, c.1)].lit));
        let sure: Vec<_> = weak
            .iter()
            .copied()
            .filter(|&(c, r)| {
                let i = self.at(c, r);
                strength[i] < full * GHOSTLY || differences[i].share < share * HOLLOW
            })
            .collect();
        // Before all, what has the colour of ghosts before it: a dark block may differ as little.
        let known: Vec<_> = weak
            .iter()
            .copied()
            .filter(|&(c, r)| {
                let (i, other) = (
                    self.at(c, r),
                    !near(differences[self.at(c, r)].colour, colour, SAME_COLOUR),
                );
                other
                    && self
                        .shadows()
                        .any(|s| s.coloured(&differences[i], self.ground[i]))
            })
            .collect();
        let ghost = [&known, &sure, &weak]
            .into_iter()
            .map(|weak| {
                let blocked = |c, r| grid.is_filled(c, r) && !weak.contains(&(c, r));
                ghost_of(piece, weak, floor, blocked)
            })
            .find(|ghost| !ghost.is_empty())
            .unwrap_or_default();
        // A dark block amid the light of others is no ghost: most of one must be seen.
        let is_lit = |c: &&(i32, i32)| differences[self.at(c.0, c.1)].lit;
        if ghost.iter().filter(is_lit).count() * 2 > ghost.len() {
            return None;
        }
        // Its cells look like one another; parts of the stack that happen to fit do so only by chance.
        let shown: Vec<_> = ghost
            .iter()
            .filter(|c| !hidden.contains(c))
            .copied()
            .collect();
        // Faint as they are, the glow of blocks beside them tints some of them.
        let tint = (full * TINT).min(120.0) as u8;
        let same = shown.windows(2).all(|w| {
            let (i, k) = (self.at(w[0].0, w[0].1), self.at(w[1].0, w[1].1));
            let (a, b) = (&differences[i], &differences[k]);
            let faint = strength[i].max(strength[k]) < full * GHOSTLY;
            alike(a, b)
                || faint
                    && near(
                        a.colour,
                        b.colour,
                        if level(a, b) { tint * 2 } else { tint },
                    )
        });
        // Laid over a checkerboard they have two colours, mixed in one proportion.
        let mixed = || {
            let of = |&(c, r): &(i32, i32)| {
                let i = self.at(c, r);
                laid_over(differences[i].colour, colour, self.ground[i])
            };
            let shares: Option<Vec<f32>> = shown.iter().map(of).collect();
            shares.is_some_and(|s| {
                let (least, most) = s
                    .iter()
                    .fold((1.0_f32, 0.0_f32), |m, v| (m.0.min(*v), m.1.max(*v)));
                most - least < SAME_SHARE
            })
        };
        // Or all of them in one colour, laid over whatever is below.
        let seen: Vec<_> = shown
            .iter()
            .map(|&(c, r)| {
                let i = self.at(c, r);
                (self.ground[i], differences[i].colour)
            })
            .collect();
        let veil = Veil::of(&seen);
        let first = *seen.first()?;
        (same || mixed() || veil.is_some()).then(|| {
            // One that is known from two grounds tells more than a piece over one does.
            let known = self.shadow.map(|s| s.veil).filter(|v| {
                v.clear > 0.0
                    && seen
                        .iter()
                        .all(|(ground, colour)| near(v.over(*ground), *colour, SAME_COLOUR))
            });
            let shadow = Shadow {
                strength: mean(&shown, &|i| strength[i]) / full.max(1.0),
                peak: peak_of(&shown) / peak_of(piece).max(1.0),
                share: mean(&shown, &|i| differences[i].share),
                block_share: share,
                veil: known.or(veil).unwrap_or(Veil {
                    one: first,
                    clear: 0.0,
                }),
                piece: colour,
                of_all: false,
            };
            Ghost {
                cells: ghost,
                shadow,
                floor,
            }
        })
    }
}

/// Where a game begins, the likeness of the piece straight below it tells where the floor is: a board whose edges were not
/// touched yet may have been taken for higher than it is.
fn floor_by_likeness(piece: &[(i32, i32)], weak: &[(i32, i32)]) -> Option<i32> {
    let bottom = |cells: &[(i32, i32)]| cells.iter().map(|c| c.1).max();
    let by = bottom(weak)? - bottom(piece)?;
    let below = |&(c, r): &(i32, i32)| weak.contains(&(c, r + by));
    (by > 0 && weak.len() == piece.len() && piece.iter().all(below))
        .then(|| bottom(weak).map(|r| r + 1))
        .flatten()
}

fn mark(grid: &mut Grid, ghost: &[(i32, i32)]) {
    for &(c, r) in ghost {
        if let Some(&cell) = grid.get(c, r) {
            grid.set(
                c,
                r,
                Cell {
                    state: CellState::Ghost,
                    ..cell
                },
            );
        }
    }
}

/// Is there something right below?
fn rests(piece: &[(i32, i32)], grid: &Grid, floor: i32) -> bool {
    piece
        .iter()
        .any(|&(c, r)| r + 1 >= floor || grid.is_filled(c, r + 1) && !piece.contains(&(c, r + 1)))
}

/// Where a whole piece lands that touches nothing and is so high that its ghost would not be behind it.
fn landing_below(piece: &[(i32, i32)], grid: &Grid, floor: i32) -> Option<Vec<(i32, i32)>> {
    let blocked = |c, r| grid.is_filled(c, r) && !piece.contains(&(c, r));
    let at = landing(piece, floor, blocked);
    let apart = at.iter().all(|c| !piece.contains(c));
    let lone = piece.iter().all(|&(c, r)| {
        [(c - 1, r), (c + 1, r), (c, r - 1), (c, r + 1)]
            .iter()
            .all(|n| piece.contains(n) || !grid.is_filled(n.0, n.1))
    });
    // Or it would land on its own ghost, if that was taken for blocks.
    let likeness = (1..=PIECE as i32).any(|by| at.iter().all(|&(c, r)| grid.is_filled(c, r + by)));
    (apart && lone && !likeness && piece.len() == PIECE && piece.iter().all(|c| c.1 > 0))
        .then_some(at)
}

/// By how much the channel that differs most does.
pub(super) fn peak(colour: [u8; 3], ground: [u8; 3]) -> f32 {
    (0..3)
        .map(|i| f32::from(colour[i].abs_diff(ground[i])))
        .fold(0.0, f32::max)
}

/// Do the inner parts of two cells differ as strongly? What reaches in from the cells beside them is only in their borders.
fn level(a: &Difference, b: &Difference) -> bool {
    (a.inner - b.inner).abs() < a.inner.max(b.inner) * SAME_LEVEL
}

/// Do two cells look like blocks of one piece?
fn alike(a: &Difference, b: &Difference) -> bool {
    near(a.colour, b.colour, 24) && (a.share - b.share).abs() < 0.35
}
