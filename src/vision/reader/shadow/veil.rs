//! One colour in which all ghosts are drawn, over grounds of whatever colours.
//!
//! Comes in: colours. Goes out: colours. Must never know: cells, pieces.

use super::near;

/// How far the colour of one ghost may be from another's, where all have one, in steps of the channels.
pub const SAME_COLOUR: u8 = 10;

/// One colour laid over whatever is below it, told by what two of its cells show on grounds as different as can be.
#[derive(Debug, Clone, Copy)]
pub struct Veil {
    /// A ground, and what it looks like below the veil.
    pub one: ([u8; 3], [u8; 3]),
    /// How much of a ground shows through: 0 where only one ground was seen, or nothing shows.
    pub clear: f32,
}

impl Veil {
    /// From grounds and how they look below it. `None` without any, or where they do not fit together.
    pub fn of(seen: &[([u8; 3], [u8; 3])]) -> Option<Self> {
        let one = *seen.first()?;
        let apart = |a: [u8; 3], b: [u8; 3]| -> u32 {
            (0..3).map(|i| u32::from(a[i].abs_diff(b[i])).pow(2)).sum()
        };
        let other = seen.iter().max_by_key(|s| apart(s.0, one.0))?;
        let mut veil = Self { one, clear: 0.0 };
        if !near(one.0, other.0, SAME_COLOUR) {
            let from = |a: u8, b: u8| f32::from(a) - f32::from(b);
            let (mut through, mut all) = (0.0, 0.0);
            for i in 0..3 {
                let ground = from(other.0[i], one.0[i]);
                through += ground * from(other.1[i], one.1[i]);
                all += ground * ground;
            }
            veil.clear = (through / all).clamp(0.0, 1.0);
        }
        seen.iter()
            .all(|(ground, colour)| near(veil.over(*ground), *colour, SAME_COLOUR))
            .then_some(veil)
    }

    /// How a ground looks below it.
    pub fn over(self, ground: [u8; 3]) -> [u8; 3] {
        [0, 1, 2].map(|i| {
            let off = (f32::from(ground[i]) - f32::from(self.one.0[i])) * self.clear;
            (f32::from(self.one.1[i]) + off).round().clamp(0.0, 255.0) as u8
        })
    }
}
