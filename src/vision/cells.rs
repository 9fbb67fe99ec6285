//! Measuring one cell of a sampled board against how it looks when empty.
//!
//! Comes in: two pictures of the same size and the place of a cell. Goes out: numbers about their difference.
//! Must never know: what the numbers will be taken for.

/// Sum of absolute differences of two runs of bytes.
pub fn sad(a: &[u8], b: &[u8]) -> u32 {
    a.iter()
        .zip(b)
        .map(|(x, y)| u32::from(x.abs_diff(*y)))
        .sum()
}

/// How a cell differs from its empty look. Differences are means over pixels and channels, 0 to 255.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Difference {
    /// Over the whole cell.
    pub whole: f32,
    /// Over the part without the border ring.
    pub inner: f32,
    /// What at least three of the four sides of the border ring reach. A glow that leaks in from a neighbour
    /// touches one side or two; an outline touches all.
    pub ring: f32,
    /// The border ring's top, bottom, left and right side, without their corners.
    pub sides: [f32; 4],
    /// Share of the pixels that differ visibly.
    pub share: f32,
    /// Where the differing rows begin and end, as fractions of the cell's height from its top. Those that differ far less
    /// than the strongest one are left out: a grid line that was sampled elsewhere differs a little.
    pub top: f32,
    /// See `top`.
    pub bottom: f32,
    /// Of the rows in which something differs at least half as much as in any, where the last ones that lie together begin
    /// and where the first ones end: a glow beside a block is half as strong at its edge, and falls off.
    pub core: [f32; 2],
    /// Where the differing columns begin and end, as fractions of the cell's width from its left.
    pub left: f32,
    /// See `left`.
    pub right: f32,
    /// Mean colour of the pixels that differ, weighted by how much they do.
    pub colour: [u8; 3],
    /// Mean colour of the part without the border ring, in the rows that differ: what borders have of their own, and
    /// neighbours leak in, is not in it.
    pub inner_colour: [u8; 3],
    /// It only catches the light of blocks beside it, and differs by nothing else that can be told from that.
    pub lit: bool,
}

impl Difference {
    /// The one number by which a cell is told from an empty one: a solid block shows in the inner part, a block
    /// that is only a thin outline in the ring.
    pub fn strength(&self) -> f32 {
        self.inner.max(self.ring)
    }
}

/// Where a cell lies in a picture: `samples` by `samples` pixels at column, row.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Bytes in a row of the picture.
    pub stride: usize,
    /// Pixels a cell.
    pub samples: usize,
    /// Column of the cell.
    pub column: usize,
    /// Row of the cell.
    pub row: usize,
}

impl Place {
    /// The bytes of the cell's `y`-th row of pixels.
    pub fn span(&self, y: usize) -> std::ops::Range<usize> {
        let from = (self.row * self.samples + y) * self.stride + self.column * self.samples * 3;
        from..from + self.samples * 3
    }
}

/// Mean difference over the whole cell only: the fast first look.
pub fn quick(now: &[u8], empty: &[u8], place: Place) -> f32 {
    let total: u32 = (0..place.samples)
        .map(|y| sad(&now[place.span(y)], &empty[place.span(y)]))
        .sum();
    total as f32 / (3 * place.samples * place.samples) as f32
}

/// A pixel differs visibly when its channels together differ by more than this.
const VISIBLE: u32 = 15;

/// A strip of a cell that differs by less than this part of what the strongest does is none of what covers it.
const PART: u32 = 6;

/// So many rows of a cell are asked at the most, see [`measure`].
const STRIPS: usize = 20;

/// Everything about the difference of a cell. `now` and `empty` are whole pictures.
///
/// Of large cells about ten rows are asked beside those of the border ring, and about ten pixels of a row for what
/// only single pixels tell: which of them differ visibly, in which rows, in what colour.
pub fn measure(now: &[u8], empty: &[u8], place: Place) -> Difference {
    let s = place.samples;
    let edge = (s / 8).max(1).min(s / 2);
    let step = (s / 10).max(1);
    let (mut ends, mut middles, mut inner) = (0u32, 0u32, 0u32);
    let mut sides = [0u32; 4];
    let (mut visible, mut asked, mut weight) = (0u32, 0u32, 0u64);
    let mut inner_rows = 0;
    let mut colour = [0u64; 3];
    let (mut inner_colour, mut inner_pixels) = ([0u32; 3], 0u32);
    let mut rows = [0u32; STRIPS];
    let mut columns = [0u32; STRIPS];
    let (first_ring, last_ring) = (3 * edge, 3 * (s - edge));
    for y in 0..s {
        let (at_top, at_bottom) = (y < edge, y >= s - edge);
        let within = !at_top && !at_bottom;
        let asks = y % step == 0;
        if within && !asks {
            continue;
        }
        inner_rows += usize::from(within);
        if asks {
            asked += s.div_ceil(step) as u32;
        }
        let (here, there) = (&now[place.span(y)], &empty[place.span(y)]);
        if here == there {
            continue;
        }
        let first = sad(&here[..first_ring], &there[..first_ring]);
        let last = sad(&here[last_ring..], &there[last_ring..]);
        let middle = sad(&here[first_ring..last_ring], &there[first_ring..last_ring]);
        // Corners belong to two sides, and so to none.
        if within {
            sides[2] += first;
            sides[3] += last;
            inner += middle;
            middles += first + middle + last;
        } else {
            sides[usize::from(at_bottom)] += middle;
            ends += first + middle + last;
        }
        if !asks {
            continue;
        }
        let strip = (y / step).min(STRIPS - 1);
        for (x, (p, q)) in here
            .chunks_exact(3)
            .zip(there.chunks_exact(3))
            .enumerate()
            .step_by(step)
        {
            if within && (edge..s - edge).contains(&x) {
                inner_pixels += 1;
                for c in 0..3 {
                    inner_colour[c] += u32::from(p[c]);
                }
            }
            let d = u32::from(p[0].abs_diff(q[0]))
                + u32::from(p[1].abs_diff(q[1]))
                + u32::from(p[2].abs_diff(q[2]));
            if d > VISIBLE {
                visible += 1;
                let column = &mut columns[(x / step).min(STRIPS - 1)];
                *column = d.max(*column);
                rows[strip] = d.max(rows[strip]);
                weight += u64::from(d);
                for c in 0..3 {
                    colour[c] += u64::from(d) * u64::from(p[c]);
                }
            }
        }
    }
    let strongest = rows.iter().copied().max().unwrap_or(0);
    // Where the strips begin and end that differ by this much, as shares of the cell; all of it where none does.
    let extent = |strips: &[u32], least: u32| {
        let at = |i: usize| (i * step).min(s) as f32 / s as f32;
        let reaches = |d: &u32| *d >= least.max(1);
        let first = strips.iter().position(reaches).map_or(1.0, at);
        let end = strips.iter().rposition(reaches).map_or(0.0, |i| at(i + 1));
        (first, end)
    };
    let (top, bottom) = extent(&rows, strongest / PART);
    let (left, right) = extent(&columns, strongest / PART);
    let strong = |d: &u32| *d >= (strongest / 2).max(1);
    let asked_rows = &rows[..s.div_ceil(step).min(STRIPS)];
    let share_of = |strips: usize| (strips * step).min(s) as f32 / s as f32;
    let last = asked_rows.iter().rposition(strong).unwrap_or(0);
    let begin = asked_rows[..last].iter().rposition(|d| !strong(d));
    let first = asked_rows.iter().position(strong).unwrap_or(0);
    let end = asked_rows[first..].iter().position(|d| !strong(d));
    let core = [
        share_of(begin.map_or(0, |b| b + 1)),
        end.map_or(1.0, |e| share_of(first + e)),
    ];
    let colour = if weight == 0 {
        mean(now, place)
    } else {
        colour.map(|c| (c / weight) as u8)
    };
    let inner_side = s.saturating_sub(2 * edge).max(1);
    let inner_rows = inner_rows.max(1);
    // As if all inner rows had been asked.
    let scale = inner_side as f32 / inner_rows as f32;
    let sides = [
        sides[0] as f32,
        sides[1] as f32,
        sides[2] as f32 * scale,
        sides[3] as f32 * scale,
    ]
    .map(|d| d / (3 * edge.max(1) * inner_side) as f32);
    let mut strips = sides;
    strips.sort_by(f32::total_cmp);
    Difference {
        whole: (ends as f32 + middles as f32 * scale) / (3 * s * s) as f32,
        inner: inner as f32 / (3 * inner_side * inner_rows) as f32,
        ring: strips[1],
        sides,
        share: visible as f32 / asked.max(1) as f32,
        top,
        bottom,
        core,
        left,
        right,
        colour,
        inner_colour: if inner_pixels == 0 {
            colour
        } else {
            inner_colour.map(|c| (c / inner_pixels) as u8)
        },
        lit: false,
    }
}

/// Which cells differ at all on the average by `least` or more: a picture mostly equals the empty one, row by row.
pub fn differing(
    now: &[u8],
    empty: &[u8],
    columns: usize,
    rows: usize,
    samples: usize,
    least: f32,
) -> Vec<bool> {
    let across = columns * samples * 3;
    let enough = (least * (3 * samples * samples) as f32).ceil() as u32;
    let mut out = Vec::with_capacity(columns * rows);
    let mut sums = vec![0u32; columns];
    for r in 0..rows {
        sums.fill(0);
        for y in 0..samples {
            let from = (r * samples + y) * across;
            let (here, there) = (&now[from..from + across], &empty[from..from + across]);
            if here == there {
                continue;
            }
            let cells = here
                .chunks_exact(3 * samples)
                .zip(there.chunks_exact(3 * samples));
            for (sum, (ours, theirs)) in sums.iter_mut().zip(cells) {
                // Past the mark nothing more needs to be known.
                if *sum < enough {
                    *sum += sad(ours, theirs);
                }
            }
        }
        out.extend(sums.iter().map(|&s| s >= enough.max(1)));
    }
    out
}

/// How far a cell's pixels are from its mean colour on the average, over pixels and channels.
pub fn contrast(picture: &[u8], place: Place, mean: [u8; 3]) -> f32 {
    let rows = (0..place.samples).map(|y| &picture[place.span(y)]);
    let total: u32 = rows
        .flat_map(|row| row.chunks_exact(3))
        .map(|p| sad(p, &mean))
        .sum();
    total as f32 / (3 * place.samples * place.samples).max(1) as f32
}

/// Mean colour of a cell, from eight or more points in each direction.
pub fn mean(picture: &[u8], place: Place) -> [u8; 3] {
    let step = (place.samples / 8).max(1);
    let mut sum = [0u64; 3];
    let mut n = 0;
    for y in (0..place.samples).step_by(step) {
        for p in picture[place.span(y)].chunks_exact(3).step_by(step) {
            n += 1;
            for c in 0..3 {
                sum[c] += u64::from(p[c]);
            }
        }
    }
    sum.map(|v| (v / n.max(1)) as u8)
}
