//! From the lattice to the board: its walls, its floor and its top.
//!
//! Comes in: what fell, what touching showed, what the page's structure proposes. Goes out: the board.
//! Must never know: how the walls were touched.

use super::texture::{Edge, Span, Texture, USUAL_COLUMNS};
use super::{Falling, Hint};
use crate::model::{Board, Sure};

/// What touching the walls and the floor showed, in cells of the lattice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touched {
    /// Leftmost column a piece reached when pushed to the left; `None` if no key pushes.
    pub min_column: Option<i32>,
    /// Rightmost column a piece reached.
    pub max_column: Option<i32>,
    /// Lowest row a piece ever rested on.
    pub floor_row: Option<i32>,
    /// Highest row a piece was ever seen in.
    pub top_row: i32,
}

/// The board around a falling piece. Walls and floor that were touched are taken as they are; the rest, and the top,
/// come from structure: the edge of a surface that fits the lattice, the end of the empty cells' texture. Where those
/// leave several possibilities, the usual size decides.
pub fn extent(falling: &Falling, touched: &Touched, surfaces: &[Hint]) -> Board {
    let lattice = falling.lattice;
    let texture = Texture::new(falling);
    let seen = |pick: fn(&(i32, i32)) -> i32, low: bool| {
        let all = falling.positions.iter().flat_map(|p| p.1.iter().map(pick));
        if low { all.min() } else { all.max() }.unwrap_or(0)
    };
    let (seen_left, seen_right) = (seen(|c| c.0, true), seen(|c| c.0, false));
    let seen_bottom = seen(|c| c.1, false);
    let seen_top = falling.top_row().min(seen_bottom);
    let across = |c: i32| (seen_top..=seen_bottom).map(move |r| (c, r)).collect();
    let surface = |inside: &dyn Fn(&Span) -> bool| -> Option<Span> {
        surfaces
            .iter()
            .filter_map(|h| Span::of(h, lattice))
            .filter(|s| inside(s))
            .min_by(|a, b| a.area().total_cmp(&b.area()))
    };
    let around = surface(&|s| {
        s.left <= touched.min_column.unwrap_or(seen_left)
            && s.right >= touched.max_column.unwrap_or(seen_right)
            && s.top <= touched.top_row.min(seen_top)
            && s.bottom >= touched.floor_row.unwrap_or(seen_bottom)
    });
    // A picture behind the board may change its look anywhere, a surface that is a board to the cell is one.
    let edge = |touched: Option<i32>, pick: fn(&Span) -> i32| {
        let at = |at: i32, trust, why| Edge {
            at,
            trust,
            why,
            sure: true,
        };
        let board = around.filter(Span::is_board);
        let touched = touched.map(|t| at(t, 1.0, "touched"));
        touched
            .or_else(|| board.map(|s| at(pick(&s), 0.9, "edge of a surface as large as a board")))
    };
    let left = edge(touched.min_column, |s| s.left)
        .unwrap_or_else(|| texture.walk(seen_left, &across, -1, around.map(|s| s.left)));
    let right = edge(touched.max_column, |s| s.right)
        .unwrap_or_else(|| texture.walk(seen_right, &across, 1, around.map(|s| s.right)));
    let (left, right) = usual(left, right, USUAL_COLUMNS);
    let down = |r: i32| (left.at..=right.at).map(move |c| (c, r)).collect();
    let bottom = edge(touched.floor_row, |s| s.bottom)
        .unwrap_or_else(|| texture.walk(seen_bottom, &down, 1, around.map(|s| s.bottom)));
    let top = texture.top(
        touched.top_row.min(seen_top),
        (left.at, right.at),
        bottom.at,
        around,
    );
    let columns = (right.at - left.at + 1).max(1);
    let rows = (bottom.at - top.at + 1).max(1);
    let trust = left.trust * right.trust * bottom.trust * top.trust;
    // What the walk over like cells ended at is the edge of a surface that consists of them.
    let whole = around.filter(|s| s.whole);
    let sure = |edge: &Edge, pick: fn(&Span) -> i32| {
        edge.sure || whole.as_ref().is_some_and(|s| pick(s) == edge.at)
    };
    Board {
        x: lattice.x0 + f64::from(left.at) * lattice.cell_w,
        y: lattice.y0 + f64::from(top.at) * lattice.cell_h,
        cell_width: lattice.cell_w,
        cell_height: lattice.cell_h,
        columns: columns as u16,
        rows: rows as u16,
        confidence: (falling.confidence * trust).clamp(0.0, 1.0),
        why: format!(
            "{}; left wall {}, right wall {}, floor {}, top {}",
            falling.why, left.why, right.why, bottom.why, top.why
        ),
        sure: Sure {
            columns: sure(&left, |s| s.left) && sure(&right, |s| s.right),
            rows: sure(&bottom, |s| s.bottom) && top.sure,
        },
    }
}

/// Where only one of two opposite edges is known, the usual size breaks a tie.
fn usual(a: Edge, b: Edge, size: i32) -> (Edge, Edge) {
    let open = |e: &Edge| e.trust < 0.5;
    match (open(&a), open(&b)) {
        (true, false) if b.at - size < a.at || b.at - a.at + 1 > size => {
            let at = b.at - size + 1;
            (Edge::guessed(at, 0.5, "the usual width"), b)
        }
        (false, true) if b.at - a.at + 1 != size => {
            let at = a.at + size - 1;
            (a, Edge::guessed(at, 0.5, "the usual width"))
        }
        _ => (a, b),
    }
}
