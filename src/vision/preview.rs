//! What a small picture of a preview or hold box shows.
//!
//! Comes in: a picture, and how it looks with nothing in it if that is known. Goes out: cells.
//! Must never know: where the box stands, what the letters of pieces are for.

use super::find::shape::{Mask, cells_of};
use crate::model::Raster;

/// The cells of the first (topmost) piece that the picture shows, normalised to the top left; `None` when there is
/// nothing in it that is made of equal cells.
pub fn polyomino(picture: &Raster, background: Option<&Raster>) -> Option<Vec<(i32, i32)>> {
    polyominoes(picture, background).into_iter().next()
}

/// All pieces the picture shows, from the top to the bottom.
pub fn polyominoes(picture: &Raster, background: Option<&Raster>) -> Vec<Vec<(i32, i32)>> {
    let mask = Mask::of(picture, background);
    mask.map(|m| m.parts())
        .unwrap_or_default()
        .iter()
        .filter_map(|part| cells_of(part).map(|f| f.cells))
        .collect()
}
