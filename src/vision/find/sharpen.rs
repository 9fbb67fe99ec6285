//! A measured lattice made exact by the place that holds it.
//!
//! Comes in: the lattice as measured on what fell, how exactly, and the places that the page's structure proposes.
//! Goes out: the lattice on which the smallest fitting place is divided into whole cells.
//! Must never know: what is drawn there.

use super::{Hint, Lattice};
use crate::model::Rect;

/// The lattice's phase may be off by this share of a cell: half a gap between blocks, a thin border.
const PHASE: f64 = 0.12;
/// Cells taken from a place are square to within this share, unless the measured ones are not.
const SQUARE: f64 = 0.012;
/// Measured cells further from square than this are oblong.
const OBLONG: f64 = 0.06;
/// So are those further from square than this, in a place that divides into cells of the same shape,
const OBLONG_ALIKE: f64 = 0.03;
/// which is to within this share.
const ALIKE: f64 = 0.02;

/// Cells are corrected by this share at most where the place does not say how many it has.
const CORRECTION: f64 = 0.05;

/// How exactly the lattice was measured, as shares of its cells.
#[derive(Debug, Clone, Copy)]
pub struct Exactness {
    /// Of the width.
    pub width: f64,
    /// Of the height.
    pub height: f64,
    /// Is the phase of the rows known? What glides has none.
    pub rows: bool,
}

/// The places around `area`, the smallest first.
fn around(lattice: Lattice, area: Rect, hints: &[Hint]) -> Vec<&Hint> {
    let slack = 0.35 * lattice.cell_w.min(lattice.cell_h);
    let mut around: Vec<&Hint> = hints
        .iter()
        .filter(|h| {
            area.x >= h.rect.x - slack
                && area.y >= h.rect.y - slack
                && area.right() <= h.rect.right() + slack
                && area.bottom() <= h.rect.bottom() + slack
        })
        .collect();
    around.sort_by(|a, b| {
        let size = |h: &Hint| h.rect.width * h.rect.height;
        size(a).total_cmp(&size(b))
    });
    around
}

/// The lattice that divides the smallest place around `area` into whole cells, if it agrees with what was measured.
pub fn sharpen(lattice: Lattice, exactness: Exactness, area: Rect, hints: &[Hint]) -> Lattice {
    around(lattice, area, hints)
        .into_iter()
        .find_map(|h| divided(lattice, exactness, h))
        .unwrap_or(lattice)
}

/// A place whose sides are so near to a whole number of cells is divided into them.
const WHOLE: f64 = 0.08;
/// Where their size is known the phase may be off by this share of a cell: a glow, or a shadow, is on one side only.
const PHASE_OF_KNOWN: f64 = 0.35;

/// The lattice of the smallest place around `area` that is a whole number of cells of this size wide and high; `None` if
/// there is none, or the cells would lie quite elsewhere in it. Without `rows` these may lie anywhere.
pub fn divide(lattice: Lattice, rows: bool, area: Rect, hints: &[Hint]) -> Option<Lattice> {
    around(lattice, area, hints).into_iter().find_map(|h| {
        let rect = h.rect;
        let (n, m) = (rect.width / lattice.cell_w, rect.height / lattice.cell_h);
        let off = |v: f64| (v - v.round()).abs();
        if n < 4.0 || m < 6.0 || off(n) > WHOLE || off(m) > WHOLE {
            return None;
        }
        let (w, h) = (rect.width / n.round(), rect.height / m.round());
        let (column, row) = ((lattice.x0 - rect.x) / w, (lattice.y0 - rect.y) / h);
        (off(column) <= PHASE_OF_KNOWN && (!rows || off(row) <= PHASE_OF_KNOWN)).then(|| Lattice {
            x0: rect.x + column.round() * w,
            y0: rect.y + row.round() * h,
            cell_w: w,
            cell_h: h,
        })
    })
}

/// The place divided into whole cells, the number of columns and rows that fits the measure best.
fn divided(lattice: Lattice, exactness: Exactness, hint: &Hint) -> Option<Lattice> {
    let counts = |given: u16, size: f64, unit: f64| -> Vec<f64> {
        if given > 0 {
            return vec![f64::from(given)];
        }
        let n = (size / unit).round();
        vec![n - 1.0, n, n + 1.0]
    };
    let rect = hint.rect;
    let measured = (lattice.cell_w / lattice.cell_h).ln();
    let known = hint.columns > 0 && hint.rows > 0;
    // However roughly it was measured: a place that says nothing of its cells may correct the measure, not replace it.
    let trusted = |exactness: f64| {
        if known {
            exactness
        } else {
            exactness.min(CORRECTION)
        }
    };
    let most_w = trusted(exactness.width);
    let most_h = if exactness.rows {
        trusted(exactness.height)
    } else {
        exactness.height
    };
    // A place so wide that a column more or less makes less of a difference than the measure may be off divides into
    // anything.
    let told_apart = |n: f64| known || n * exactness.width.min(CORRECTION) <= 1.0;
    let mut best: Option<(f64, Lattice)> = None;
    for &n in &counts(hint.columns, rect.width, lattice.cell_w) {
        for &m in &counts(hint.rows, rect.height, lattice.cell_h) {
            if n < 4.0 || m < 6.0 || !told_apart(n) {
                continue;
            }
            let (w, h) = (rect.width / n, rect.height / m);
            let (dw, dh) = (w / lattice.cell_w - 1.0, h / lattice.cell_h - 1.0);
            let shape = (w / h).ln();
            let uneven = shape.abs();
            let oblong = measured.abs() > OBLONG
                || measured.abs() > OBLONG_ALIKE && (shape - measured).abs() <= ALIKE;
            // Outlines make a silhouette wider than its cells; rows are measured from one place to the next, which
            // they do not touch. Where those say square cells, they are believed.
            let most_w = if exactness.rows && uneven <= SQUARE {
                most_w.max(CORRECTION)
            } else {
                most_w
            };
            if dw.abs() > most_w || dh.abs() > most_h || uneven > SQUARE && !oblong && !known {
                continue;
            }
            let (columns, rows) = ((lattice.x0 - rect.x) / w, (lattice.y0 - rect.y) / h);
            let px = (columns - columns.round()).abs();
            let py = if exactness.rows {
                (rows - rows.round()).abs()
            } else {
                0.0
            };
            if px > PHASE || py > PHASE {
                continue;
            }
            let cost = dw.abs() + dh.abs() + uneven + px + py;
            if best.is_none_or(|b| cost < b.0) {
                best = Some((
                    cost,
                    Lattice {
                        x0: rect.x + columns.round() * w,
                        y0: rect.y + rows.round() * h,
                        cell_w: w,
                        cell_h: h,
                    },
                ));
            }
        }
    }
    best.map(|b| b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_known_size_lie_as_the_place_is_divided() {
        let area = Rect::new(170.0, 60.0, 120.0, 96.0);
        let check = |x0: f64, hint: &Hint, rows: bool, expected: Option<(f64, f64)>| {
            let found = divide(lattice(x0, 82.5, 31.97, 31.97), rows, area, &[*hint]);
            assert_eq!(found.map(|l| (l.x0, l.y0)), expected, "{x0} {hint:?}");
        };
        let place = hint(320.0, 640.0);
        check(189.0, &place, true, Some((196.0, 82.0)));
        check(203.0, &place, true, Some((196.0, 82.0)));
        check(212.0, &place, true, None);
        check(203.0, &hint(330.0, 640.0), true, None);
        let lower = Hint {
            rect: Rect::new(100.0, 36.0, 320.0, 640.0),
            ..place
        };
        check(203.0, &lower, true, None);
        check(203.0, &lower, false, Some((196.0, 68.0)));
    }

    fn lattice(x0: f64, y0: f64, cell_w: f64, cell_h: f64) -> Lattice {
        Lattice {
            x0,
            y0,
            cell_w,
            cell_h,
        }
    }

    fn hint(width: f64, height: f64) -> Hint {
        Hint {
            rect: Rect::new(100.0, 50.0, width, height),
            columns: 0,
            rows: 0,
        }
    }

    const GOOD: Exactness = Exactness {
        width: 0.03,
        height: 0.02,
        rows: true,
    };

    #[test]
    fn half_a_gap_beside_a_block_is_taken_off() {
        let at = Rect::new(172.0, 50.0, 95.0, 143.0);
        let got = sharpen(
            lattice(171.5, 49.5, 24.0, 24.0),
            GOOD,
            at,
            &[hint(240.0, 480.0)],
        );
        assert_eq!(got, lattice(172.0, 50.0, 24.0, 24.0));
    }

    #[test]
    fn what_glides_takes_its_rows_from_the_place_whose_cells_are_square() {
        let loose = Exactness {
            width: 0.03,
            height: 0.1,
            rows: false,
        };
        let at = Rect::new(172.0, 60.0, 95.0, 100.0);
        let got = sharpen(
            lattice(172.4, 61.0, 23.75, 23.0),
            loose,
            at,
            &[hint(240.0, 480.0)],
        );
        assert_eq!((got.cell_w, got.cell_h), (24.0, 24.0));
    }

    #[test]
    fn outlined_blocks_are_wider_than_their_cells_but_no_farther_apart() {
        // Strokes of 2 px around an S piece of three columns, in a place of 10 by 20 cells of 30 px.
        let exact = Exactness {
            width: 0.0319,
            height: 0.02,
            rows: true,
        };
        let place = Hint {
            rect: Rect::new(5.0, 11.0, 300.0, 600.0),
            columns: 0,
            rows: 0,
        };
        let at = Rect::new(94.0, 10.5, 93.0, 242.0);
        let got = sharpen(lattice(94.0, 10.6, 31.0, 29.89), exact, at, &[place]);
        assert_eq!((got.cell_w, got.cell_h), (30.0, 30.0));
        assert_eq!(got.x0.round() as i32, 95);
    }

    #[test]
    fn cells_a_little_oblong_are_those_of_a_place_that_divides_into_such() {
        // A canvas of 304x608 shown as 300x560, as its first pieces measured it; and half as oblong a measure, in a
        // place of as oblong cells, which may as well be an outline around square ones.
        let place = hint(300.0, 560.0);
        let at = Rect::new(190.0, 50.0, 89.0, 143.0);
        for (cell_w, cell_h) in [(29.80, 28.23), (29.53, 27.86)] {
            let got = sharpen(lattice(189.8, 50.4, cell_w, cell_h), GOOD, at, &[place]);
            assert_eq!(got, lattice(190.0, 50.0, 30.0, 28.0), "{cell_w}x{cell_h}");
        }
        let slightly = lattice(190.0, 50.0, 30.4, 29.6);
        assert_eq!(sharpen(slightly, GOOD, at, &[hint(303.0, 590.0)]), slightly);
    }

    #[test]
    fn a_place_that_would_divide_into_anything_changes_nothing() {
        // A canvas as large as the window: 65 columns of 19.69 px are as good as 64 of 20.
        let measured = lattice(610.0, 34.0, 20.0, 20.0);
        let window = Hint {
            rect: Rect::new(0.0, 0.0, 1280.0, 800.0),
            columns: 0,
            rows: 0,
        };
        let at = Rect::new(610.0, 34.0, 60.0, 300.0);
        let exact = Exactness {
            width: 0.0417,
            height: 0.1,
            rows: false,
        };
        assert_eq!(sharpen(measured, exact, at, &[window]), measured);
    }

    #[test]
    fn a_place_that_does_not_divide_into_such_cells_changes_nothing() {
        let measured = lattice(190.0, 100.0, 24.0, 24.0);
        let at = Rect::new(190.0, 100.0, 72.0, 120.0);
        assert_eq!(sharpen(measured, GOOD, at, &[hint(540.0, 570.0)]), measured);
    }
}
