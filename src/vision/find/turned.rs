//! Something that goes aside at a key, in a game in which nothing falls: a fall, in pictures turned on their diagonal.
//!
//! Comes in: pictures of one region, with a push to the right before each but the first. Goes out: what went aside, as
//! [`Falling`], with no time a row. Must never know: which key pushed.

use super::{Falling, Hint, Lattice, Look, NotFalling, falling};
use crate::model::{Rect, Shape};

/// Finds the tetromino that went to the right from picture to picture.
///
/// # Errors
/// [`NotFalling`] with what was seen instead; nothing else than a tetromino counts, since much of a page can be moved by
/// keys.
pub fn going_aside(looks: &[Look<'_>], hints: &[Hint]) -> Result<Falling, NotFalling> {
    let turned: Vec<_> = looks.iter().map(|l| l.raster.transposed()).collect();
    let pictures: Vec<Look<'_>> = turned
        .iter()
        .zip(looks)
        .map(|(raster, l)| Look { raster, ..*l })
        .collect();
    let places: Vec<Hint> = hints
        .iter()
        .map(|h| Hint {
            rect: flipped(h.rect),
            columns: h.rows,
            rows: h.columns,
        })
        .collect();
    let found = falling(&pictures, &places)?;
    if found.smooth || found.kind.is_none() {
        return Err(NotFalling(format!("no piece goes aside: {}", found.why)));
    }
    let lattice = Lattice {
        x0: found.lattice.y0,
        y0: found.lattice.x0,
        cell_w: found.lattice.cell_h,
        cell_h: found.lattice.cell_w,
    };
    let positions: Vec<(f64, Vec<(i32, i32)>)> = found
        .positions
        .into_iter()
        .map(|(at, cells)| (at, cells.into_iter().map(|(c, r)| (r, c)).collect()))
        .collect();
    let row = |cells: &[(i32, i32)]| cells.iter().map(|c| c.1).min().unwrap_or(0);
    let column = |cells: &[(i32, i32)]| cells.iter().map(|c| c.0).min().unwrap_or(0);
    // A frame around one of several things to choose from is no piece of smaller cells that goes several at once.
    let steps = positions
        .windows(2)
        .map(|p| column(&p[1].1) - column(&p[0].1));
    if steps.clone().any(|by| !(0..=1).contains(&by)) {
        return Err(NotFalling(format!(
            "what goes aside does so by several of its cells: {}",
            found.why
        )));
    }
    let kind = positions
        .first()
        .and_then(|p| Shape::of(&p.1).tetromino().map(|t| t.0));
    let way = match (positions.first(), positions.last()) {
        (Some(first), Some(last)) => column(&last.1) - column(&first.1),
        _ => 0,
    };
    let why = format!(
        "{} went {way} columns aside at keys, cell {:.2}x{:.2} px, and nothing falls",
        kind.map_or("a shape".into(), |k| format!("{} piece", k.letter())),
        lattice.cell_w,
        lattice.cell_h,
    );
    Ok(Falling {
        lattice,
        tops: positions
            .iter()
            .map(|p| lattice.y0 + f64::from(row(&p.1)) * lattice.cell_h)
            .collect(),
        positions,
        kind,
        gravity_ms: None,
        smooth: false,
        background: found.background.transposed(),
        area: flipped(found.area),
        confidence: found.confidence,
        others: found.others.into_iter().map(flipped).collect(),
        why,
    })
}

fn flipped(r: Rect) -> Rect {
    Rect::new(r.y, r.x, r.height, r.width)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::{PieceKind, Raster};

    /// A piece of blocks of 24 px in a well of 10x20, its first column in column `column`, a grey ghost below it.
    fn picture(column: i32, cells: &[(i32, i32)]) -> Raster {
        let mut picture = Raster::filled(400, 560, [30, 30, 44]);
        picture = picture.patched(&Raster::filled(240, 480, [12, 12, 20]), 60, 40);
        for (colour, down) in [([60, 60, 70], 18), ([230, 120, 40], 0)] {
            let block = Raster::filled(23, 23, colour);
            for (c, r) in cells {
                let (x, y) = (60 + (column + c) * 24, 40 + (r + down) * 24);
                picture = picture.patched(&block, x as u32, y as u32);
            }
        }
        picture
    }

    #[test]
    fn a_piece_that_is_pushed_to_the_right_tells_its_cells_though_nothing_falls() {
        let l = [(2, 0), (0, 1), (1, 1), (2, 1)];
        let pictures: Vec<Raster> = (0..8).map(|c| picture(c, &l)).collect();
        let looks: Vec<Look<'_>> = pictures
            .iter()
            .enumerate()
            .map(|(i, raster)| Look {
                game_ms: i as f64 * 500.0,
                raster,
            })
            .collect();
        let found = going_aside(&looks, &[]).unwrap();
        assert_eq!(found.kind, Some(PieceKind::L));
        assert_eq!(found.gravity_ms, None);
        let lattice = found.lattice;
        assert!((lattice.cell_w - 24.0).abs() < 0.1, "{lattice:?}");
        assert!((lattice.cell_h - 24.0).abs() < 0.6, "{lattice:?}");
        let first = &found.positions.first().unwrap().1;
        let cell = lattice.cell(first[0].0, first[0].1);
        assert!((cell.x - 60.0).abs() < 49.0 && cell.y < 90.0, "{cell:?}");
        // What is no tetromino is none of a game's pieces.
        let dot: Vec<Raster> = (0..8).map(|c| picture(c, &[(0, 0)])).collect();
        let looks = dot.iter().enumerate().map(|(i, raster)| Look {
            game_ms: i as f64 * 500.0,
            raster,
        });
        assert!(going_aside(&looks.collect::<Vec<_>>(), &[]).is_err());
    }
}
