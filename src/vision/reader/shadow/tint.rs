//! Tones of one colour: a block's colour laid over the ground, as ghosts are drawn.
//!
//! Comes in: colours. Goes out: whether, and in which proportion. Must never know: cells, pieces.

use super::near;

/// How far a colour may be from a mixture of two others, in steps of the channels.
const OFF_MIXTURE: f32 = 16.0;
/// By how much the proportion of a mixture may differ from the one that ghosts have.
const SAME_TINT: f32 = 0.06;
/// Colours of pieces kept at most: seven kinds, and what shading makes of them.
const KEPT: usize = 24;
/// How far two of them are apart at least, in steps of the channels.
const APART: u8 = 10;

/// The colours of pieces below which a ghost was seen.
#[derive(Debug, Clone, Default)]
pub struct Tints(Vec<[u8; 3]>);

impl Tints {
    /// A piece of this colour had a ghost.
    pub fn learn(&mut self, piece: [u8; 3]) {
        if self.0.len() < KEPT && !self.0.iter().any(|c| near(*c, piece, APART)) {
            self.0.push(piece);
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8; 3]> {
        self.0.iter()
    }
}

/// Is the colour another one, laid over the ground in this proportion?
pub fn is_tint(colour: [u8; 3], of: [u8; 3], ground: [u8; 3], share: f32) -> bool {
    toned(colour, of, ground)
        && laid_over(colour, of, ground).is_some_and(|s| (s - share).abs() < SAME_TINT)
}

/// Is a colour a paler tone of another, laid over the ground: does it differ from the ground in the same direction?
pub fn toned(colour: [u8; 3], of: [u8; 3], ground: [u8; 3]) -> bool {
    let from = |c: [u8; 3]| [0, 1, 2].map(|i| f32::from(c[i]) - f32::from(ground[i]));
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (a, b) = (from(colour), from(of));
    dot(a, b) > 0.95 * (dot(a, a) * dot(b, b)).sqrt()
}

/// In which proportion a colour is another laid over the ground; `None` if it is no such mixture.
pub fn laid_over(colour: [u8; 3], of: [u8; 3], ground: [u8; 3]) -> Option<f32> {
    let from = |c: [u8; 3]| [0, 1, 2].map(|i| f32::from(c[i]) - f32::from(ground[i]));
    let (a, b) = (from(colour), from(of));
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let share = dot(a, b) / dot(b, b).max(1.0);
    let off = [0, 1, 2].map(|i| a[i] - share * b[i]);
    (dot(off, off).sqrt() <= OFF_MIXTURE && (0.0..1.0).contains(&share)).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pale_tone_of_a_strong_colour_is_told_by_the_colour_it_comes_from() {
        // A quarter of green on white: it differs from white half as much again as purple does.
        let (white, green) = ([255; 3], [27, 228, 80]);
        assert!(is_tint([197, 247, 211], green, white, 0.25));
        assert!(!is_tint([197, 247, 211], green, white, 0.5));
        assert!(!is_tint([197, 247, 211], [179, 27, 232], white, 0.25));
        // A grey block is no tone of it.
        assert!(!is_tint([200; 3], green, white, 0.25));
    }
}
