//! A piece seen between two rows is put into the row where most of it is.
//!
//! Comes in: how each cell differs from empty, and where in it. Goes out: the strengths, corrected.
//! Must never know: colours, pieces.

use crate::vision::cells::Difference;

/// A cell is partly covered when the parts left free above and below differ by more than this.
const UNEVEN: f32 = 0.2;

/// Less of a cell than this is spilt over from its neighbour.
const SPILL: f32 = 0.3;

#[derive(Clone, Copy, PartialEq)]
enum Cover {
    None,
    Whole,
    /// Only the lower part: the top end of something.
    Lower,
    /// Only the upper part: the bottom end of something.
    Upper,
}

fn cover(d: &Difference, strength: f32, threshold: f32) -> Cover {
    if d.share == 0.0 || (strength <= threshold && d.whole <= threshold / 2.0) {
        return Cover::None;
    }
    let (above, below) = (d.top, 1.0 - d.bottom);
    if above - below > UNEVEN {
        Cover::Lower
    } else if below - above > UNEVEN {
        Cover::Upper
    } else if strength > threshold {
        Cover::Whole
    } else {
        Cover::None
    }
}

/// Corrects strengths column by column: a run that begins in the lower part of a cell and ends in the upper part
/// of another is as many cells as it is long, from the row nearest to its top.
pub fn snap(
    differences: &[Difference],
    strength: &mut [f32],
    columns: usize,
    rows: usize,
    threshold: f32,
) {
    for c in 0..columns {
        let at = |r: usize| r * columns + c;
        let covers: Vec<Cover> = (0..rows)
            .map(|r| cover(&differences[at(r)], strength[at(r)], threshold))
            .collect();
        let mut r = 0;
        while r < rows {
            if covers[r] != Cover::Lower {
                // The end of something that is nearly in its row, spilt over into the next one.
                let spilt = r > 0 && differences[at(r)].bottom - differences[at(r)].top < SPILL;
                if covers[r] == Cover::Upper && spilt && covers[r - 1] == Cover::Whole {
                    strength[at(r)] = 0.0;
                }
                r += 1;
                continue;
            }
            let mut end = r + 1;
            while end < rows && covers[end] == Cover::Whole {
                end += 1;
            }
            if end < rows && covers[end] == Cover::Upper {
                let top = r as f32 + differences[at(r)].top;
                let bottom = end as f32 + differences[at(end)].bottom;
                let count = (bottom - top).round().max(1.0) as usize;
                let first = (top.round() as usize).min(end + 1 - count.min(end + 1));
                let full = (r..=end).map(|k| strength[at(k)]).fold(0.0, f32::max);
                for k in r..=end {
                    let inside = k >= first && k < first + count;
                    strength[at(k)] = if inside { full } else { 0.0 };
                }
                r = end + 1;
            } else {
                r = end;
            }
        }
    }
}
