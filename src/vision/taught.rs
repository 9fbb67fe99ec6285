//! What a person says of one cell, as a picture of the empty board.

use super::background;
use crate::model::{Frame, Raster};

/// The empty look of a board of `size` columns and rows with one cell put right: what is shown there `now` is empty, or it
/// is `filled` and looks empty as another cell does. Both pictures have `now.samples` pixels a cell; without a fitting
/// `empty` one is guessed. `None` for a cell that is not on the board, or pictures of another size.
pub fn taught(
    empty: Option<&Frame>,
    now: &Frame,
    size: (u16, u16),
    cell: (u16, u16),
    filled: bool,
) -> Option<Frame> {
    let (columns, rows) = size;
    let side = u32::from(now.samples);
    let whole = (u32::from(columns) * side, u32::from(rows) * side);
    let fits = |r: &Raster| (r.width(), r.height()) == whole;
    if cell.0 >= columns || cell.1 >= rows || !fits(&now.raster) {
        return None;
    }
    let guess = || {
        let raster = background(&[now], columns, rows, now.samples)?;
        Some(Frame {
            raster,
            ..now.clone()
        })
    };
    let mut empty = match empty {
        Some(empty) if empty.samples == now.samples && fits(&empty.raster) => empty.clone(),
        _ => guess()?,
    };
    let cut = |from: &Raster, c: u16, r: u16| {
        from.cropped(u32::from(c) * side, u32::from(r) * side, side, side)
    };
    let shown = cut(&now.raster, cell.0, cell.1);
    let look = if filled {
        // Of all other cells' empty looks the one that is least like what is shown here.
        let far = |a: &Raster| -> u32 {
            let pairs = a.rgb().iter().zip(shown.rgb());
            pairs.map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
        };
        let all = (0..rows).flat_map(|r| (0..columns).map(move |c| (c, r)));
        all.filter(|other| *other != cell)
            .map(|(c, r)| cut(&empty.raster, c, r))
            .max_by_key(far)?
    } else {
        shown
    };
    empty.raster = empty
        .raster
        .patched(&look, u32::from(cell.0) * side, u32::from(cell.1) * side);
    Some(empty)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::Rect;
    use crate::vision::Reader;

    #[test]
    fn a_cell_that_is_taught_reads_as_it_was_said() {
        let grey = Raster::filled(32, 32, [40; 3]);
        let block = Raster::filled(8, 8, [200, 30, 30]);
        let frame = |raster| Frame {
            raster,
            samples: 8,
            rect: Rect::new(0.0, 0.0, 32.0, 32.0),
        };
        // A block that was taken for a part of the empty board.
        let now = frame(grey.patched(&block, 8, 8));
        let read = |empty: &Frame| {
            let grid = Reader::new(4, 4, 8).with_background(empty).read(&now);
            grid.filled_cells()
        };
        assert_eq!(read(&now), []);
        let right = taught(Some(&now), &now, (4, 4), (1, 1), true).unwrap();
        assert_eq!(read(&right), [(1, 1)]);
        let empty = taught(Some(&right), &now, (4, 4), (1, 1), false).unwrap();
        assert_eq!(read(&empty), []);
        assert!(taught(None, &now, (4, 4), (4, 0), true).is_none());
        assert!(taught(None, &now, (5, 4), (0, 0), true).is_none());
    }
}
