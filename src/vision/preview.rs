//! What a small picture of a preview or hold box shows.
//!
//! Comes in: a picture, and how it looks with nothing in it if that is known. Goes out: cells.
//! Must never know: where the box stands, what the letters of pieces are for.

use super::find::shape::{Mask, cells_of};
use crate::model::{PieceKind, Raster};
use std::collections::HashMap;

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

/// The tetrominoes that the picture shows, in order: from the top to the bottom, those beside each other from the left
/// to the right. `None` stands for something that is none.
pub fn tetrominoes(picture: &Raster, background: Option<&Raster>) -> Vec<Option<PieceKind>> {
    let Some(mask) = Mask::of(picture, background) else {
        return Vec::new();
    };
    let kind = |part: &Mask| cells_of(part).and_then(|f| f.kind);
    let mut all = Vec::new();
    for part in mask.parts() {
        if let Some(found) = kind(&part) {
            all.push(Some(found));
            continue;
        }
        let beside = part.transposed().parts();
        if beside.len() > 1 {
            all.extend(beside.iter().map(|p| kind(&p.transposed())));
        } else {
            all.push(None);
        }
    }
    all
}

/// How a place looks with nothing in it, from pictures with different things in it: at each pixel the colour that most
/// of the place has, where it was ever seen there, and else the one that was there most often (most pieces cover the
/// middle of their box). `None` without pictures, or where their sizes differ.
pub fn empty(pictures: &[&Raster]) -> Option<Raster> {
    let first = pictures.first()?;
    let (w, h) = (first.width(), first.height());
    if pictures.iter().any(|p| (p.width(), p.height()) != (w, h)) {
        return None;
    }
    let mut all: HashMap<[u8; 3], u32> = HashMap::new();
    for pixel in pictures.iter().flat_map(|p| p.rgb().chunks_exact(3)) {
        *all.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
    }
    // Of equals the darker one, so that the answer does not hang on the order of a map.
    let ground = all
        .into_iter()
        .max_by_key(|(colour, n)| (*n, std::cmp::Reverse(*colour)))
        .map(|(colour, _)| colour);
    let mut rgb = Vec::with_capacity((w * h * 3) as usize);
    for y in 0..i64::from(h) {
        for x in 0..i64::from(w) {
            let mut seen: Vec<([u8; 3], u32)> = Vec::new();
            for p in pictures {
                let v = p.at(x, y);
                match seen.iter_mut().find(|s| s.0 == v) {
                    Some(s) => s.1 += 1,
                    None => seen.push((v, 1)),
                }
            }
            let usual = seen.iter().find(|s| Some(s.0) == ground);
            let most = usual.or_else(|| seen.iter().max_by_key(|s| s.1));
            rgb.extend(most.map_or([0; 3], |s| s.0));
        }
    }
    Raster::from_rgb(w, h, rgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of 10-pixel cells at places in pixels, a pixel of gap around each cell.
    fn picture(size: (u32, u32), pieces: &[(PieceKind, i32, i32)]) -> Raster {
        let mut rgb = vec![20u8; (size.0 * size.1 * 3) as usize];
        for (kind, x, y) in pieces {
            for &(c, r) in kind.states()[0].cells() {
                for py in 1..9 {
                    for px in 1..9 {
                        let at = (y + r * 10 + py) * size.0 as i32 + x + c * 10 + px;
                        rgb[at as usize * 3] = 220;
                    }
                }
            }
        }
        Raster::from_rgb(size.0, size.1, rgb).unwrap_or_else(|| Raster::filled(1, 1, [0; 3]))
    }

    #[test]
    fn a_queue_is_read_from_the_top_or_from_the_left() {
        use PieceKind::{I, L, O, S};
        let column = picture((50, 90), &[(S, 4, 4), (I, 4, 34), (O, 4, 60)]);
        assert_eq!(tetrominoes(&column, None), [Some(S), Some(I), Some(O)]);
        let row = picture((150, 30), &[(L, 4, 4), (S, 50, 4), (O, 96, 4)]);
        assert_eq!(tetrominoes(&row, None), [Some(L), Some(S), Some(O)]);
        assert_eq!(tetrominoes(&picture((50, 40), &[]), None), []);
    }

    #[test]
    fn the_empty_place_is_what_was_there_most_often() {
        use PieceKind::{I, O, T};
        let shown = [T, O, I].map(|k| picture((50, 30), &[(k, 4, 4)]));
        let pictures: Vec<&Raster> = shown.iter().collect();
        let ground = empty(&pictures);
        assert_eq!(ground.as_ref().map(|g| g.at(2, 2)), Some([20; 3]));
        assert_eq!(tetrominoes(&shown[0], ground.as_ref()).len(), 1);
    }
}
