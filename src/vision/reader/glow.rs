//! What blocks shine onto the cells around them is no block.
//!
//! Comes in: how each cell differs from empty, and on which sides. Goes out: which cells only catch a neighbour's light.
//! Must never know: colours, pieces, what a cell was before.

use crate::vision::cells::Difference;

/// What shines differs so many times as much as what is shone upon.
const BRIGHTER: f32 = 2.5;
/// Light falls off: away from the edge it comes over there is at most this share of what is at that edge.
const FALLS_OFF: f32 = 0.34;
/// The same where light comes over several edges, and lies across the ends of the others.
const FALLS_OFF_OF_SEVERAL: f32 = 0.45;
/// And in the inner part of the cell, where the light of several neighbours adds up, this share.
const INNER: f32 = 0.5;
/// The same where light comes over all edges: a block is hardly ever that dim beside all that it touches, as some of it is of
/// its own piece.
const INNER_OF_ALL: f32 = 0.6;
/// Light that comes over one edge only is at the opposite one less than this share of what it is in the inner part.
const FARTHER: f32 = 0.8;
/// Light of several edges leaves less than this share of what is there in the inner part, if it goes on to fall off.
const OF_ITS_OWN: f32 = 0.3;
/// An outline of its own differs at each edge over which no light comes by so many times what is in the inner part, since
/// light is weaker at edges than there ...
const OUTLINE_OF_ITS_OWN: f32 = 1.2;
/// ... and by more than this share of what is at the others, once for itself and once for each end of it where light comes
/// over the edge that it meets there.
const AT_AN_END: f32 = 0.11;
/// What shines is solid: the inner part of a block that is an outline differs by less than this share of the whole.
const SOLID: f32 = 0.5;
/// At the edge itself there is less than this share of what shines: what is covered in part, by a block on its way, is
/// covered wholly there.
const AT_EDGE: f32 = 0.75;

/// An outline that is drawn around its block, over the cells beside, differs so many times as much as the block inside it ...
const OUTLINED: f32 = 1.5;
/// ... and covers less than this share of what such a cell has inside, for each edge over which it comes.
const OVERHUNG: f32 = 0.2;
/// At the other edges there is less than this share of what is inside of the block, and ...
const BARE: f32 = 0.2;
/// ... less than this share of the outline.
const BARE_OF_OUTLINE: f32 = 0.08;

/// Leaves of the differences those that are more than a neighbour's light; the rest is as if there was none.
pub fn darken(differences: &mut [Difference], columns: usize, rows: usize) {
    if columns == 0 {
        return;
    }
    let lit: Vec<usize> = (0..differences.len().min(columns * rows))
        .filter(|&i| is_lit(differences, columns, i) || is_overhung(differences, columns, i))
        .collect();
    for i in lit {
        differences[i] = Difference {
            lit: true,
            ..Difference::default()
        };
    }
}

/// The cells beside a cell, in the order of the sides: top, bottom, left, right.
fn neighbours(columns: usize, i: usize) -> [Option<usize>; 4] {
    [
        i.checked_sub(columns),
        Some(i + columns),
        (!i.is_multiple_of(columns)).then(|| i - 1),
        (!(i + 1).is_multiple_of(columns)).then_some(i + 1),
    ]
}

/// Does the cell differ only by the outlines of the blocks beside it? A block of its own would show at all edges.
fn is_overhung(differences: &[Difference], columns: usize, i: usize) -> bool {
    let d = &differences[i];
    let (mut edges, mut block, mut outline, mut bare) = (0.0f32, 0.0f32, f32::MAX, 0.0f32);
    for (side, neighbour) in d.sides.into_iter().zip(neighbours(columns, i)) {
        match neighbour.and_then(|n| differences.get(n)) {
            Some(n) if n.inner > d.inner * OUTLINED && side >= n.inner * OUTLINED => {
                edges += 1.0;
                block = block.max(n.inner);
                outline = outline.min(side);
            }
            _ => bare = bare.max(side),
        }
    }
    (1.0..4.0).contains(&edges)
        && bare < block * BARE
        && bare < outline * BARE_OF_OUTLINE
        && d.inner < block * OVERHUNG * edges
}

/// Does the cell differ only by what its neighbours shine onto it?
fn is_lit(differences: &[Difference], columns: usize, i: usize) -> bool {
    let d = &differences[i];
    let own = d.strength();
    if d.whole <= 0.0 {
        return false;
    }
    let neighbours = neighbours(columns, i);
    let (mut near, mut lit, mut far) = (0.0f32, 0, None);
    let mut least = f32::MAX;
    let (mut lit_at, mut shone_upon) = (0, [false; 4]);
    for (at, (side, neighbour)) in d.sides.into_iter().zip(neighbours).enumerate() {
        let from = neighbour.and_then(|n| differences.get(n));
        let shines = |n: &&Difference| {
            let strength = n.strength();
            strength > own && n.inner >= strength * SOLID && side < strength * AT_EDGE
        };
        let from = from.filter(shines);
        shone_upon[at] = from.is_some();
        match from {
            Some(n) if n.strength() >= own * BRIGHTER => {
                (near, lit) = (near.max(side), lit + 1);
                lit_at = at;
            }
            // A dim block may shine as well, or be another part of the same one.
            Some(_) => {}
            None => {
                far = Some(far.map_or(side, |f: f32| f.max(side)));
                least = least.min(side);
            }
        }
    }
    let inner = if far.is_some() { INNER } else { INNER_OF_ALL };
    let falls_off = if lit > 1 {
        FALLS_OFF_OF_SEVERAL
    } else {
        FALLS_OFF
    };
    // What is as strong at the other side is a faint block or ghost, with a rim of its neighbour's pixels.
    let opposite = lit_at ^ 1;
    if lit == 1 && !shone_upon[opposite] && d.sides[opposite] >= d.inner * FARTHER {
        return false;
    }
    // The same in a corner: light is weakest at the sides over which none comes, and in the inner part by far weaker than at
    // those over which it comes.
    if lit > 1 && far.is_some() && least >= d.inner * FARTHER && d.inner >= near * OF_ITS_OWN {
        return false;
    }
    if lit > 1 && is_outlined(d, shone_upon, near) {
        return false;
    }
    near > 0.0 && far.unwrap_or(0.0) <= near * falls_off && d.inner <= near * inner
}

/// Is there an outline at the edges over which no light comes? `near` is how strong it is at the others.
fn is_outlined(d: &Difference, shone_upon: [bool; 4], near: f32) -> bool {
    let mut dark = (0..4).filter(|at| !shone_upon[*at]).peekable();
    dark.peek().is_some()
        && dark.all(|at| {
            let across = if at < 2 { [2, 3] } else { [0, 1] };
            let ends = across.iter().filter(|side| shone_upon[**side]).count();
            d.sides[at] >= d.inner * OUTLINE_OF_ITS_OWN
                && d.sides[at] >= near * AT_AN_END * (1 + ends) as f32
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(inner: f32, sides: [f32; 4]) -> Difference {
        let mut sorted = sides;
        sorted.sort_by(f32::total_cmp);
        Difference {
            whole: inner,
            inner,
            ring: sorted[1],
            sides,
            ..Difference::default()
        }
    }

    /// Three columns; which cells are left.
    fn check(cells: &[Difference], expected: &str) {
        let mut cells = cells.to_vec();
        let rows = cells.len() / 3;
        darken(&mut cells, 3, rows);
        let left: String = cells
            .iter()
            .map(|d| if d.whole > 0.0 { '#' } else { '.' })
            .collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn light_falls_off_and_blocks_do_not() {
        let none = Difference::default();
        let block = cell(121.0, [131.0, 86.0, 112.0, 105.0]);
        // Figures of a page whose blocks cast a coloured shadow.
        let one_side = cell(8.2, [9.2, 5.1, 45.2, 0.6]);
        let corner = cell(17.7, [5.8, 61.5, 10.6, 50.8]);
        let other_corner = cell(17.7, [5.8, 61.5, 50.8, 10.6]);
        check(&[corner, block, one_side, block, none, none], ".#.#..");
        check(
            &[corner, block, other_corner, block, block, block],
            ".#.###",
        );
        check(&[none, corner, block, none, block, block], "..#.##");
    }

    #[test]
    fn a_dark_block_beside_a_bright_one_stays() {
        let (none, bright) = (Difference::default(), cell(121.0, [121.0; 4]));
        let dark = cell(30.0, [30.0; 4]);
        let outlined = cell(3.0, [30.0; 4]);
        check(&[dark, bright, outlined], "###");
        // Lit on one side, too.
        check(&[none, bright, cell(34.0, [30.0, 30.0, 62.0, 30.0])], ".##");
    }

    #[test]
    fn a_ghost_with_a_rim_of_the_block_below_it_stays() {
        let (none, bright) = (Difference::default(), cell(140.0, [140.0; 4]));
        let ghost = cell(25.0, [24.0, 72.0, 24.0, 24.0]);
        check(&[none, ghost, none, bright, bright, none], ".#.##.");
        let lit = cell(20.0, [3.0, 72.0, 18.0, 18.0]);
        check(&[none, lit, none, bright, bright, none], "...##.");
        let in_corner = cell(37.0, [37.0, 84.0, 90.0, 36.0]);
        check(&[bright, in_corner, none, none, bright, none], "##..#.");
    }

    #[test]
    fn a_ghost_that_is_an_outline_stays_between_blocks_that_shine() {
        let (none, bright) = (Difference::default(), cell(140.0, [140.0; 4]));
        // Figures of a page with blurred shadows of blocks.
        let in_corner = cell(12.1, [21.9, 51.6, 51.3, 22.1]);
        check(&[bright, in_corner, none, bright, bright, none], "##.##.");
        let lit = cell(3.5, [1.2, 38.8, 38.4, 1.6]);
        check(&[bright, lit, none, bright, bright, none], "#..##.");
        // Light that reaches the nearest pixels only, which are the ends of the other edges.
        let narrow = cell(0.0, [8.0, 8.0, 38.0, 38.0]);
        check(&[bright, narrow, bright, none, none, none], "#.#...");
    }

    #[test]
    fn an_outline_around_a_block_is_no_block_beside_it() {
        let none = Difference::default();
        // Figures of a page with black outlines around pale blocks.
        let block = cell(50.0, [47.0, 52.0, 52.0, 170.0]);
        let corner = cell(13.1, [131.3, 6.0, 7.6, 172.0]);
        let beside = cell(6.0, [5.2, 5.9, 0.0, 170.0]);
        check(&[block, block, none, corner, block, none], "##..#.");
        check(&[beside, block, none, none, none, none], ".#....");
        let own = cell(13.1, [131.3, 130.0, 130.0, 172.0]);
        check(&[block, block, none, own, block, none], "##.##.");
        let faint = cell(25.0, [131.3, 20.0, 20.0, 172.0]);
        check(&[block, block, none, faint, block, none], "##.##.");
    }

    #[test]
    fn a_block_on_its_way_covers_a_part_of_a_cell() {
        let (none, block) = (Difference::default(), cell(121.0, [121.0; 4]));
        let partly = cell(36.0, [121.0, 0.0, 36.0, 36.0]);
        check(&[none, block, none, none, partly, none], ".#..#.");
    }
}
