//! Whether a pile reaches the top of the board.
//!
//! Comes in: stacks, and when a game was begun anew. Goes out: does the stack stand so high? Must never know: keys, pieces.

use crate::model::Grid;

/// What hangs at the top of a fresh board belongs to the page (words, an icon, a covered part), and is no pile.
#[derive(Debug, Clone, Copy, Default)]
pub struct Crown {
    /// Was the game begun anew, and not looked at since?
    anew: bool,
    /// Did something hang there then?
    hangs: bool,
}

impl Crown {
    /// The game was begun anew.
    pub fn begun_anew(&mut self) {
        self.anew = true;
    }

    /// Does the stack, without the falling piece, reach into the highest `rows`?
    pub fn is_tall(&mut self, stack: &Grid, rows: u16) -> bool {
        let hangs = stack.hangs_in_top(rows);
        self.hangs |= std::mem::take(&mut self.anew) && hangs;
        stack.filled_in_top(rows) > 0 && !(hangs && self.hangs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_at_the_top_is_no_pile_once_it_was_there_on_a_fresh_board() {
        let hangs = Grid::from_ascii("..x\n...\nxx.\nxx.");
        let stands = Grid::from_ascii("..x\nxx.\nxx.\nxx.");
        let mut crown = Crown::default();
        assert!(crown.is_tall(&hangs, 2));
        crown.begun_anew();
        assert!(!crown.is_tall(&hangs, 2));
        assert!(!crown.is_tall(&hangs, 2));
        assert!(crown.is_tall(&stands, 2));
        // What came later, where the fresh board was free, is taken for a pile.
        let mut crown = Crown::default();
        crown.begun_anew();
        assert!(!crown.is_tall(&Grid::new(3, 4), 2));
        assert!(crown.is_tall(&hangs, 2));
    }
}
