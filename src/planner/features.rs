//! What a board is worth after a placement.

use super::Field;

/// The features of the BCTS controller. All but the first two are of the board after its full rows were cleared.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Features {
    /// Rows from the floor to the middle of the piece where it came to rest.
    pub landing_height: f64,
    /// Rows cleared, times the cells of the piece among them.
    pub eroded_cells: u32,
    /// Changes between block and gap along the rows; the walls count as blocks.
    pub row_transitions: u32,
    /// The same along the columns; the floor counts as a block.
    pub column_transitions: u32,
    /// Gaps with a block above them in their column.
    pub holes: u32,
    /// For each gap between two blocks (or walls) beside it: one, and one for each gap below it down to the next block.
    pub cumulative_wells: u32,
    /// For each hole, the blocks above it in its column.
    pub hole_depth: u32,
    /// Rows with a hole.
    pub rows_with_holes: u32,
}

impl Features {
    /// Those of a board; the piece's own two stay 0.
    pub fn of(field: &Field) -> Self {
        let mut f = Self::default();
        let full = field.full();
        let width = field.columns() as u32;
        let rows = field.bits();
        let first = field.highest() as usize;
        let (mut above, mut covered) = (0u64, 0u64);
        // An empty row has a change at either wall.
        f.row_transitions = 2 * first as u32;
        for (r, &row) in rows.iter().enumerate().skip(first) {
            let walled = (row << 1) | 1 | (1 << (width + 1));
            f.row_transitions += ((walled ^ (walled >> 1)) & ((1 << (width + 1)) - 1)).count_ones();
            f.column_transitions += (row ^ above).count_ones();
            above = row;
            let gaps = !row & full;
            let mut holes = covered & gaps;
            f.holes += holes.count_ones();
            f.rows_with_holes += u32::from(holes != 0);
            while holes != 0 {
                let bit = holes & holes.wrapping_neg();
                f.hole_depth += rows[first..r].iter().filter(|x| *x & bit != 0).count() as u32;
                holes ^= bit;
            }
            covered |= row;
            let mut wells = gaps & ((row << 1) | 1) & ((row >> 1) | (1 << (width - 1)));
            while wells != 0 {
                let bit = wells & wells.wrapping_neg();
                f.cumulative_wells += rows[r..].iter().take_while(|x| *x & bit == 0).count() as u32;
                wells ^= bit;
            }
        }
        if first < rows.len() {
            f.column_transitions += (!above & full).count_ones();
        } else {
            f.column_transitions += width;
        }
        f
    }
}

/// The value of a placement by the weights of the BCTS controller; the higher, the better.
pub fn value(f: &Features) -> f64 {
    -12.63 * f.landing_height + 6.60 * f64::from(f.eroded_cells)
        - 9.22 * f64::from(f.row_transitions)
        - 19.77 * f64::from(f.column_transitions)
        - 13.08 * f64::from(f.holes)
        - 10.49 * f64::from(f.cumulative_wells)
        - 1.61 * f64::from(f.hole_depth)
        - 24.04 * f64::from(f.rows_with_holes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grid;

    #[test]
    fn features_of_a_small_board() {
        let field = Field::of(&Grid::from_ascii(
            "....
             .x..
             x..x
             .x.x",
        ))
        .unwrap_or_else(|| unreachable!());
        let f = Features::of(&field);
        // Rows: 2, 4 (wall to gap, to block, to gap, to wall), 2, 4.
        assert_eq!(f.row_transitions, 12);
        // Columns: gap-block, block-gap, gap-floor; gap-block, -gap, -block; gap-floor; gap-block.
        assert_eq!(f.column_transitions, 3 + 3 + 1 + 1);
        assert_eq!(f.holes, 2);
        assert_eq!(f.hole_depth, 2);
        assert_eq!(f.rows_with_holes, 2);
        // Row 1 column 0, row 3 columns 0 and 2; the gaps of row 2 have a neighbour that is one.
        assert_eq!(f.cumulative_wells, 1 + 1 + 1);
    }

    #[test]
    fn a_well_counts_more_the_deeper_it_is() {
        let well = |art: &str| {
            Field::of(&Grid::from_ascii(art)).map(|f| Features::of(&f).cumulative_wells)
        };
        assert_eq!(well("x.x\nxxx"), Some(1));
        assert_eq!(well("x.x\nx.x"), Some(3));
        assert_eq!(well("x.x\nx.x\nx.x"), Some(6));
    }
}
