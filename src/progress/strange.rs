//! What is strange where things move anyway.
//!
//! Comes in: flags and pictures, a patch. Goes out: how much it differs from all that was seen there while nothing was
//! done, and whether something came to stay. Must never know: what moves.

use super::planes::{COLOURS, LASTING, Planes, TILE, colour, over};
use super::regions::Patch;
use crate::model::Raster;

/// A patch of more tiles than this is compared by some of its rows.
const LARGE: usize = 800;
/// Colours that differ by up to this many sixteenths of the range are the same.
const COLOUR_STEP: i32 = 1;
/// So many pixels make a blob; from 12 to 48 nothing changes on the labelled cases.
const BLOB: usize = 32;
/// Share of the box around a blob that it fills.
const COMPACT: f64 = 0.35;

/// How a patch in which things move anyway compares with what it shows while nothing is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strangeness {
    /// Pixels in which the picture after the action differs from the calm picture most like it (the least of all
    /// pictures after the action).
    pub after: usize,
    /// The greatest difference between any two calm pictures.
    pub calm: usize,
    /// Share of the lasting pixels whose colour no calm picture has anywhere near.
    pub new_colours: f64,
}

/// Compares whole patches, not pixels: a mixture of several calm pictures is still strange.
pub(super) fn strangeness(
    planes: &Planes<'_>,
    patch: &Patch,
    tiles: &[(usize, usize)],
) -> Strangeness {
    let calm = &planes.calm.pictures;
    // Not to the nearest other calm picture: what moves smoothly may be anywhere on its way by now.
    let mut among = 0;
    for (i, a) in calm.iter().enumerate() {
        for b in &calm[i + 1..] {
            among = among.max(differing(planes, tiles, a, b));
        }
    }
    let from_calm = |picture: &Raster| {
        calm.iter()
            .map(|c| differing(planes, tiles, c, picture))
            .min()
            .unwrap_or(0)
    };
    let after = planes.after.iter().map(from_calm).min().unwrap_or(0);
    Strangeness {
        after,
        calm: among,
        new_colours: new_colours(planes, patch),
    }
}

fn differing(planes: &Planes<'_>, tiles: &[(usize, usize)], a: &Raster, b: &Raster) -> usize {
    // Of a patch that is a good part of the picture, some rows tell enough.
    let stride = if tiles.len() > LARGE { TILE / 2 } else { 1 };
    let mut n = 0;
    for &(column, row) in tiles {
        let (from, to) = (column * TILE, ((column + 1) * TILE).min(planes.width));
        for y in (row * TILE..((row + 1) * TILE).min(planes.height)).step_by(stride) {
            let bytes = (y * planes.width + from) * 3..(y * planes.width + to) * 3;
            let (a, b) = (&a.rgb()[bytes.clone()], &b.rgb()[bytes]);
            if a != b {
                n += over(a, b, planes.calm.floor).count_ones() as usize;
            }
        }
    }
    n * stride
}

/// The colours that are near a known one.
fn with_neighbours(known: &[bool]) -> Vec<bool> {
    let mut near = vec![false; known.len()];
    for (at, _) in known.iter().enumerate().filter(|(_, k)| **k) {
        let at = at as i32;
        let around = |shift: i32| {
            (((at >> shift) & 15) - COLOUR_STEP).max(0)
                ..=(((at >> shift) & 15) + COLOUR_STEP).min(15)
        };
        for r in around(8) {
            for g in around(4) {
                for b in around(0) {
                    near[((r << 8) | (g << 4) | b) as usize] = true;
                }
            }
        }
    }
    near
}

/// Which colours the calm pictures show in and around an area, with those near them.
struct Known(Vec<bool>);

impl Known {
    fn around(planes: &Planes<'_>, area: super::Area) -> Self {
        let area = area.grown(TILE as u32 * 2);
        let mut known = vec![false; COLOURS];
        let right = ((area.x + area.width) as usize).min(planes.width);
        for (n, picture) in planes.calm.pictures.iter().enumerate() {
            for y in area.y as usize..((area.y + area.height) as usize).min(planes.height) {
                let bytes =
                    (y * planes.width + area.x as usize) * 3..(y * planes.width + right) * 3;
                let row = &picture.rgb()[bytes.clone()];
                if n > 0 && planes.calm.pictures[n - 1].rgb()[bytes] == *row {
                    continue;
                }
                let mut last: &[u8] = &[];
                for p in row.chunks_exact(3).filter(|p| {
                    // Most pixels are as the one beside them.
                    std::mem::replace(&mut last, *p) != *p
                }) {
                    known[colour(p)] = true;
                }
            }
        }
        Self(with_neighbours(&known))
    }

    fn has(&self, p: &[u8]) -> bool {
        self.0[colour(p)]
    }
}

/// The lasting pixels of a tile: where, and whether the colour there is new.
fn lasting_in<'a>(
    planes: &'a Planes<'_>,
    known: &'a Known,
    tile: (usize, usize),
) -> impl Iterator<Item = (usize, usize, bool)> + 'a {
    planes.marked(tile, LASTING).map(|(x, y)| {
        let i = (y * planes.width + x) * 3;
        (x, y, !known.has(&planes.last().rgb()[i..i + 3]))
    })
}

fn new_colours(planes: &Planes<'_>, patch: &Patch) -> f64 {
    let Some(area) = patch.area.filter(|_| patch.lasting > 0) else {
        return 0.0;
    };
    let known = Known::around(planes, area);
    let (mut new, mut all) = (0usize, 0usize);
    for tile in &patch.tiles {
        for (_, _, is_new) in lasting_in(planes, &known, *tile) {
            all += 1;
            new += usize::from(is_new);
        }
    }
    new as f64 / all.max(1) as f64
}

/// Something that came to stay amid what moves: a compact blob in colours that the calm pictures show nowhere near.
pub(super) fn stays_amid(planes: &Planes<'_>, patch: &Patch) -> bool {
    let Some(area) = patch.area.filter(|_| planes.has_second_look()) else {
        return false;
    };
    if patch.lasting < BLOB {
        return false;
    }
    let known = Known::around(planes, area);
    let new_in = |tile| lasting_in(planes, &known, tile).filter(|(_, _, new)| *new);
    let mut marked = vec![false; planes.columns * planes.rows];
    for &(column, row) in &patch.tiles {
        marked[row * planes.columns + column] = new_in((column, row)).count() >= TILE / 2;
    }
    super::regions::groups(&marked, planes.columns, planes.rows)
        .iter()
        .any(|tiles| {
            let (mut n, mut span) = (0, [usize::MAX, usize::MAX, 0, 0]);
            for (x, y, _) in tiles.iter().flat_map(|t| new_in(*t)) {
                n += 1;
                span = [
                    span[0].min(x),
                    span[1].min(y),
                    span[2].max(x + 1),
                    span[3].max(y + 1),
                ];
            }
            n >= BLOB && n as f64 >= ((span[2] - span[0]) * (span[3] - span[1])) as f64 * COMPACT
        })
}
