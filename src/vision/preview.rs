//! What a small picture of a preview or hold box shows.
//!
//! Comes in: a picture, and how it looks with nothing in it if that is known. Goes out: cells.
//! Must never know: where the box stands, what the letters of pieces are for.

use super::find::shape::{Fit, Mask, cells_of};
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
/// to the right. `None` stands for something that is none, or that the picture cuts.
pub fn tetrominoes(picture: &Raster, background: Option<&Raster>) -> Vec<Option<PieceKind>> {
    let Some(mask) = Mask::of(picture, background) else {
        return Vec::new();
    };
    let shown = in_mask(&mask, picture);
    if background.is_none() {
        // No piece that is seen whole is given up for what lies inside a frame, but for one that is the box itself.
        if shown.iter().any(Option::is_some) && !fills(&mask, picture) {
            return shown;
        }
        let framed: Vec<_> = in_box(picture).iter().map(|f| f.kind).collect();
        if !framed.is_empty() {
            return framed;
        }
        // Places without a block may be drawn, too, more faintly.
        let strong = Mask::strong(picture).map(|m| in_mask(&m, picture));
        return strong
            .filter(|s| s.iter().any(Option::is_some))
            .unwrap_or(shown);
    }
    if shown.iter().any(Option::is_some) {
        return shown;
    }
    // Lines that several pieces have in common may have been taken for what lies beneath.
    let solid = mask.without_lines().map(|m| in_mask(&m, picture));
    solid.unwrap_or(shown)
}

/// Cells of a piece whose box is seen around it differ in width and height by less than this (as a logarithm): three
/// blocks of a row, whose fourth was taken for a part of the frame, would make four narrow ones.
const SQUARE: f64 = 0.2;

/// The tetrominoes inside the frame of a box.
fn in_box(picture: &Raster) -> Vec<Fit> {
    let parts = Mask::inside(picture).map(|m| m.parts());
    parts
        .unwrap_or_default()
        .iter()
        .filter(|part| !is_cut(part, picture))
        .filter_map(cells_of)
        .filter(|fit| fit.kind.is_some() && (fit.cell_w / fit.cell_h).ln().abs() < SQUARE)
        .collect()
}

/// Does it take up so much of the picture that it is rather the box than the piece in it?
fn fills(mask: &Mask, picture: &Raster) -> bool {
    mask.width * 5 >= picture.width() as usize * 4
        && mask.height * 5 >= picture.height() as usize * 4
}

fn in_mask(mask: &Mask, picture: &Raster) -> Vec<Option<PieceKind>> {
    let kind = |part: &Mask| {
        let fit = cells_of(part)?;
        fit.kind.filter(|_| !is_cut(part, picture))
    };
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

/// Does the part reach the edge of the picture?
fn is_cut(part: &Mask, picture: &Raster) -> bool {
    part.x0 == 0
        || part.y0 == 0
        || part.x0 + part.width == picture.width() as usize
        || part.y0 + part.height == picture.height() as usize
}

/// The size of a cell of the tetrominoes that the picture shows whole; `None` where it shows none.
pub fn cell_size(picture: &Raster, background: Option<&Raster>) -> Option<(f64, f64)> {
    let mask = Mask::of(picture, background)?;
    let parts = mask.parts();
    let mut whole = parts
        .iter()
        .filter(|part| !is_cut(part, picture))
        .filter_map(cells_of)
        .filter(|fit| fit.kind.is_some());
    let fit = match whole.next() {
        Some(fit) if background.is_some() || !fills(&mask, picture) => Some(fit),
        None if background.is_some() => None,
        other => {
            let framed = in_box(picture).into_iter().next();
            framed.or(other).or_else(|| strong_cells(picture))
        }
    };
    fit.map(|fit| (fit.cell_w, fit.cell_h))
}

/// The first tetromino among what stands out most.
fn strong_cells(picture: &Raster) -> Option<Fit> {
    let parts = Mask::strong(picture)?.parts();
    let whole = parts.iter().filter(|part| !is_cut(part, picture));
    whole.filter_map(cells_of).find(|fit| fit.kind.is_some())
}

/// A colour no further from the ground's than this in each of its parts (of 255) may be the ground's, too: it is
/// textured.
const LIKE_GROUND: u8 = 64;

/// How a place looks with nothing in it, from pictures with different things in it: at each pixel the colour that most
/// of the place has, where it was ever seen there. Else the one that most of the different pictures have there, if two
/// have it (pieces have colours of their own); and else the ground may have been covered each time (most pieces cover
/// the middle of their box). `None` without pictures, or where their sizes differ.
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
        .map_or([0; 3], |(colour, _)| colour);
    let mut different: Vec<&Raster> = Vec::new();
    for p in pictures {
        if different.iter().all(|d| d.rgb() != p.rgb()) {
            different.push(p);
        }
    }
    let places = || (0..i64::from(h)).flat_map(|y| (0..i64::from(w)).map(move |x| (x, y)));
    let sure: Vec<Option<[u8; 3]>> = places().map(|at| beneath(&different, ground, at)).collect();
    // What was covered each time is like the rest: a texture varies around its mean.
    let mean = mean(sure.iter().flatten()).unwrap_or(ground);
    let far = |c: &[u8; 3]| c.iter().zip(mean).map(|(a, b)| a.abs_diff(b)).max();
    let like_the_rest = |(x, y)| {
        let seen = different.iter().map(|p| p.at(x, y));
        seen.min_by_key(far)
            .filter(|c| far(c) <= Some(LIKE_GROUND))
            .unwrap_or(ground)
    };
    let rgb: Vec<u8> = places()
        .zip(&sure)
        .flat_map(|(at, sure)| sure.unwrap_or_else(|| like_the_rest(at)))
        .collect();
    Raster::from_rgb(w, h, rgb)
}

fn mean<'a>(colours: impl Iterator<Item = &'a [u8; 3]>) -> Option<[u8; 3]> {
    let (mut sum, mut n) = ([0_u64; 3], 0_u64);
    for colour in colours {
        for (total, part) in sum.iter_mut().zip(colour) {
            *total += u64::from(*part);
        }
        n += 1;
    }
    (n > 0).then(|| sum.map(|total| (total / n) as u8))
}

/// The colour beneath one pixel, where the pictures tell it.
fn beneath(pictures: &[&Raster], ground: [u8; 3], (x, y): (i64, i64)) -> Option<[u8; 3]> {
    let mut seen: Vec<([u8; 3], u32)> = Vec::new();
    for p in pictures {
        let v = p.at(x, y);
        match seen.iter_mut().find(|s| s.0 == v) {
            Some(s) => s.1 += 1,
            None => seen.push((v, 1)),
        }
    }
    if seen.iter().any(|s| s.0 == ground) {
        return Some(ground);
    }
    let most = seen.iter().max_by_key(|s| s.1)?;
    (most.1 > 1 || pictures.len() < 3).then_some(most.0)
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
    fn blocks_that_lie_each_by_itself_are_one_piece() {
        // Blocks of 17 pixels, 25 from each other, in any turn and at any place of their box.
        let drawn = |cells: &[(i32, i32)], at: (i32, i32)| {
            let block = Raster::filled(17, 17, [250, 160, 0]);
            let put = |picture: Raster, c: &(i32, i32)| {
                let (x, y) = (at.0 + c.0 * 25, at.1 + c.1 * 25);
                picture.patched(&block, x as u32, y as u32)
            };
            cells
                .iter()
                .fold(Raster::filled(110, 110, [90, 60, 250]), put)
        };
        for kind in PieceKind::ALL {
            for shape in kind.states() {
                let picture = drawn(shape.cells(), (3, 5));
                assert_eq!(tetrominoes(&picture, None), [Some(kind)], "{shape:?}");
            }
        }
        // A queue of them lies apart.
        let mut queue = Raster::filled(110, 140, [90, 60, 250]);
        for (y, kind) in [(0, PieceKind::O), (70, PieceKind::J)] {
            let states = kind.states();
            let piece = drawn(states[0].cells(), (3, 5)).cropped(0, 0, 110, 70);
            queue = queue.patched(&piece, 0, y);
        }
        let shown = [Some(PieceKind::O), Some(PieceKind::J)];
        assert_eq!(tetrominoes(&queue, None), shown);
    }

    #[test]
    fn places_without_a_block_that_are_drawn_faintly_are_none() {
        // Blocks of one colour, each a frame around a square, and the same more faintly where there is none.
        let block = |colour: [u8; 3]| {
            let frame = Raster::filled(16, 16, colour);
            let hollow = frame.patched(&Raster::filled(12, 12, [158, 173, 134]), 2, 2);
            hollow.patched(&Raster::filled(9, 9, colour), 4, 4)
        };
        let (full, free) = (block([0; 3]), block([135, 147, 114]));
        for kind in PieceKind::ALL {
            let states = kind.states();
            let mut picture = Raster::filled(80, 44, [158, 173, 134]);
            for (x, y) in (0..8).map(|i| (i % 4, i / 4)) {
                let drawn = if states[0].cells().contains(&(x, y)) {
                    &full
                } else {
                    &free
                };
                picture = picture.patched(drawn, 4 + x as u32 * 18, 4 + y as u32 * 18);
            }
            assert_eq!(tetrominoes(&picture, None), [Some(kind)]);
            let (w, h) = cell_size(&picture, None).unwrap_or_default();
            assert!((16.0..=18.5).contains(&w) && (16.0..=18.5).contains(&h));
        }
    }

    #[test]
    fn a_piece_that_the_picture_cuts_is_not_read() {
        use PieceKind::{I, O};
        let cut = picture((60, 40), &[(I, 4, 4)]).cropped(0, 0, 30, 40);
        assert_eq!(tetrominoes(&cut, None), [None]);
        assert_eq!(cell_size(&cut, None), None);
        let whole = picture((30, 40), &[(O, 4, 4)]);
        let (w, h) = cell_size(&whole, None).unwrap_or_default();
        assert!((8.0..=10.0).contains(&w) && (8.0..=10.0).contains(&h));
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

    /// The same in a box with a grid, each piece in a colour of its own.
    fn boxed(kind: PieceKind, colour: [u8; 3]) -> Raster {
        let mut rgb = Vec::new();
        let states = kind.states();
        let cells = states[0].cells();
        for y in 0..50_i32 {
            for x in 0..50_i32 {
                let inside = (5..45).contains(&x) && (5..45).contains(&y);
                let filled = cells.contains(&((x - 5).div_euclid(10), (y - 5).div_euclid(10)));
                rgb.extend(match () {
                    () if inside && filled => colour,
                    () if inside && (x % 10 == 5 || y % 10 == 5) => [51; 3],
                    () if inside => [17; 3],
                    () => [90; 3],
                });
            }
        }
        Raster::from_rgb(50, 50, rgb).unwrap_or_else(|| Raster::filled(1, 1, [0; 3]))
    }

    #[test]
    fn a_piece_in_the_corner_of_a_framed_box_is_seen() {
        // The page around, the frame, and a pixel of free space between it and the piece.
        let mut framed = Raster::filled(90, 90, [60, 60, 70]);
        let frame = Raster::filled(72, 72, [120, 120, 130]);
        framed = framed.patched(&frame, 10, 10);
        let check = |kind: PieceKind, around: &Raster| {
            let boxed = around.patched(&picture((68, 68), &[(kind, 1, 1)]), 12, 12);
            assert_eq!(tetrominoes(&boxed, None), [Some(kind)]);
            let (w, h) = cell_size(&boxed, None).unwrap_or_default();
            assert!(
                (8.0..=10.5).contains(&w) && (8.0..=10.5).contains(&h),
                "{w} {h}"
            );
        };
        for kind in [
            PieceKind::J,
            PieceKind::I,
            PieceKind::S,
            PieceKind::O,
            PieceKind::T,
        ] {
            check(kind, &framed);
        }
        // Of what the picture cuts nothing is made up.
        let cut = picture((60, 60), &[(PieceKind::I, 1, 20)]).cropped(12, 0, 48, 60);
        assert_eq!(tetrominoes(&cut, None), [None]);
    }

    #[test]
    fn cells_that_every_piece_covers_are_seen_all_the_same() {
        use PieceKind::{J, L, O, S, T};
        // Each of these covers (1, 1).
        let kinds = [T, S, J, L, O];
        let shown: Vec<Raster> = kinds
            .iter()
            .enumerate()
            .map(|(i, k)| boxed(*k, [200, 40 * i as u8, 150]))
            .collect();
        let ground = empty(&shown.iter().collect::<Vec<_>>());
        for (kind, picture) in kinds.iter().zip(&shown) {
            assert_eq!(
                tetrominoes(picture, ground.as_ref()),
                [Some(*kind)],
                "{kind:?}"
            );
        }
    }
}
