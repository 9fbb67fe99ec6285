//! The best placement for a goal.

use super::features::{Features, value};
use super::{Field, Moves, Placed, Placement, Press};

/// What is played for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// To last long.
    Safe,
    /// To clear this many rows or more with one piece: a column at a wall is left open for it. Safe play where the
    /// stack is too high for that.
    Clear(u32),
    /// To get the stack down: rows cleared count, however few at once.
    Dig,
    /// To end the game: a tower where new pieces come, and no rows cleared.
    TopOut,
}

/// What to press, and what comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The presses before the piece is let down.
    pub presses: Vec<Press>,
    /// Where it comes to rest.
    pub at: Placed,
    /// Rows that it completes.
    pub clears: u32,
    /// Its value; only plans of one call are comparable.
    pub value: f64,
}

/// Part of the board's height above which a stack is too high to wait for several rows at once.
const TOO_HIGH: f64 = 0.4;
/// The same above which nothing is waited for.
const MUCH_TOO_HIGH: f64 = 0.5;
/// Rows of a well that only a bar fills.
const DEEP: i32 = 3;
/// Holes from which on a stack is put right first.
const TOO_MANY_HOLES: u32 = 3;
/// Of rows cleared in smaller numbers than wanted, and of each cell in the column that is left open.
const WASTED: f64 = 200.0;
/// Of a goal reached, in the units of [`value`]: more than any board can make up for.
const REACHED: f64 = 2_000.0;
/// Placements for which the next piece is looked at as well.
const LOOKED_INTO: usize = 8;

/// The best placement that can be reached, judged together with the next piece if that is known. `None` where the piece
/// fits nowhere without sticking out above the board.
pub fn plan(
    field: &Field,
    piece: Placed,
    next: Option<Placed>,
    moves: &Moves,
    goal: Goal,
) -> Option<Plan> {
    let goal = sensible(field, goal);
    let well = match goal {
        Goal::Clear(n) if n > 1 => Some(well_of(field)),
        // A deep well is best left open until what fills it comes: covered, it would be that many holes.
        Goal::Dig => Some(well_of(field)).filter(|w| depth(field, *w) >= DEEP),
        _ => None,
    };
    let mut all: Vec<(Plan, Field)> = moves
        .placements(field, piece)
        .into_iter()
        .filter_map(|p| rated(field, p, goal, well))
        .collect();
    all.sort_by(|a, b| b.0.value.total_cmp(&a.0.value));
    let Some(next) = next else {
        return all.into_iter().next().map(|a| a.0);
    };
    all.into_iter()
        .take(LOOKED_INTO)
        .filter_map(|(mut plan, then)| {
            let best = moves
                .placements(&then, next)
                .into_iter()
                .filter_map(|p| rated(&then, p, goal, well))
                .map(|r| r.0.value)
                .max_by(f64::total_cmp)?;
            plan.value += best;
            Some(plan)
        })
        .max_by(|a, b| a.value.total_cmp(&b.value))
}

/// The best placement on whose way down the piece comes by a place from which a turn would take it into settled blocks.
pub fn wedge(field: &Field, piece: Placed, moves: &Moves) -> Option<Plan> {
    let comes_by = |at: Placed| {
        let up = (0..at.row - piece.row).map(|n| at.moved(0, -n));
        up.take_while(|p| field.fits(*p))
            .any(|p| moves.wedged(field, p).is_some())
    };
    moves
        .placements(field, piece)
        .into_iter()
        .filter(|p| comes_by(p.at))
        .filter_map(|p| rated(field, p, Goal::Safe, None))
        .map(|r| r.0)
        .max_by(|a, b| a.value.total_cmp(&b.value))
}

/// A goal that would end the game where it should not is given up.
fn sensible(field: &Field, goal: Goal) -> Goal {
    let height = f64::from(field.rows() - field.highest()) / f64::from(field.rows());
    match goal {
        Goal::Clear(_) | Goal::Dig if height > MUCH_TOO_HIGH => Goal::Safe,
        Goal::Clear(n)
            if n > 1 && (height > TOO_HIGH || Features::of(field).holes >= TOO_MANY_HOLES) =>
        {
            Goal::Dig
        }
        goal => goal,
    }
}

/// How deep a column at a wall lies below its neighbour.
fn depth(field: &Field, well: i32) -> i32 {
    let beside = if well == 0 { 1 } else { well - 1 };
    field.top(well) - field.top(beside)
}

/// The column that is left open: the lower of the two at the walls.
fn well_of(field: &Field) -> i32 {
    let last = field.columns() - 1;
    if field.top(0) > field.top(last) {
        0
    } else {
        last
    }
}

fn rated(
    field: &Field,
    placement: Placement,
    goal: Goal,
    well: Option<i32>,
) -> Option<(Plan, Field)> {
    let Placement { presses, at } = placement;
    let mut then = field.with(at)?;
    let complete = then.complete();
    let of_piece = |r: i32| at.form.cells().iter().filter(|c| c.1 + at.row == r).count() as u32;
    let eroded = complete.iter().map(|r| of_piece(*r)).sum::<u32>();
    let clears = then.clear();
    let landing = f64::from(field.rows() - at.row) - f64::from(at.form.rows()) / 2.0;
    let shown = match well {
        // The open column is no fault as long as it is open.
        Some(w) => then.with_column(w, then.top(if w == 0 { 1 } else { w - 1 }).min(then.top(w))),
        None => then.clone(),
    };
    let features = Features {
        landing_height: landing,
        eroded_cells: clears * eroded,
        ..Features::of(&shown)
    };
    let mut v = value(&features);
    let inside = |well: Option<i32>| {
        let cells = at.form.cells();
        let n = cells
            .iter()
            .filter(|c| Some(c.0 + at.column) == well)
            .count();
        WASTED * n as f64
    };
    match goal {
        Goal::Safe => {}
        Goal::Dig => {
            v += 30.0 * f64::from(clears);
            if clears == 0 {
                v -= inside(well);
            }
        }
        Goal::Clear(n) => {
            if clears >= n {
                v += REACHED;
            } else if clears > 0 {
                v -= WASTED;
            }
            if clears < n {
                v -= inside(well);
            }
        }
        Goal::TopOut => {
            let middle = f64::from(field.columns()) / 2.0;
            let off = (f64::from(at.column) + f64::from(at.form.columns()) / 2.0 - middle).abs();
            v = 20.0 * landing - 4.0 * off - REACHED * f64::from(clears);
        }
    }
    Some((
        Plan {
            presses,
            at,
            clears,
            value: v,
        },
        then,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grid;
    use crate::planner::Turn;

    fn field(art: &str) -> Field {
        Field::of(&Grid::from_ascii(art)).unwrap_or_else(|| unreachable!())
    }

    fn piece(cells: &[(i32, i32)]) -> Placed {
        Placed::of(cells).unwrap_or_else(|| unreachable!())
    }

    fn moves() -> Moves {
        Moves {
            left: 1,
            right: 1,
            clockwise: true,
            ..Moves::default()
        }
    }

    fn best(art: &str, cells: &[(i32, i32)], goal: Goal) -> Plan {
        plan(&field(art), piece(cells), None, &moves(), goal).unwrap_or_else(|| unreachable!())
    }

    const FLAT_BAR: [(i32, i32); 4] = [(3, 0), (4, 0), (5, 0), (6, 0)];

    const FOUR_READY: &str = "
        ..........
        ..........
        ..........
        ..........
        ..........
        ..........
        ..........
        ..........
        xxxxxxxxx.
        xxxxxxxxx.
        xxxxxxxxx.
        xxxxxxxxx.";

    #[test]
    fn the_bar_goes_into_the_well_and_clears_four() {
        let p = best(FOUR_READY, &FLAT_BAR, Goal::Clear(4));
        assert_eq!((p.clears, p.at.column), (4, 9));
    }

    #[test]
    fn whoever_waits_for_four_leaves_the_well_open() {
        for cells in [
            vec![(3, 0), (4, 0), (3, 1), (4, 1)],
            vec![(3, 0), (3, 1), (4, 1), (5, 1)],
            vec![(4, 0), (3, 1), (4, 1), (5, 1)],
        ] {
            let p = best(FOUR_READY, &cells, Goal::Clear(4));
            assert_eq!(p.clears, 0);
            assert!(p.at.column + p.at.form.columns() < 10, "{p:?}");
        }
    }

    #[test]
    fn two_ready_rows_are_cleared_by_a_hook() {
        let art = "
            ..........
            ..........
            ..........
            ..........
            ..........
            ..........
            ..........
            ..........
            xxxxxxxxx.
            xxxxxxxxx.";
        let l = [(5, 0), (3, 1), (4, 1), (5, 1)];
        assert_eq!(best(art, &l, Goal::Clear(2)).clears, 2);
    }

    #[test]
    fn topping_out_builds_in_the_middle_and_safe_play_does_not() {
        let art = "
            ..........
            ..........
            ..........
            ..........
            ....xx....
            ....xx....
            ....xx....
            xxxxxx.xxx";
        let o = [(4, 0), (5, 0), (4, 1), (5, 1)];
        assert_eq!(best(art, &o, Goal::TopOut).at.column, 4);
        assert_ne!(best(art, &o, Goal::Safe).at.column, 4);
    }

    #[test]
    fn a_turn_into_blocks_is_looked_for_beside_them() {
        let art = "
            ..........
            ..........
            ..........
            ..........
            ..........
            ..........
            x.........
            x.........
            x.........
            x........x";
        let field = field(art);
        let mut moves = moves();
        let standing = [(4, 0), (4, 1), (4, 2), (4, 3)];
        assert_eq!(
            wedge(&field, piece(&standing), &moves),
            None,
            "no turn was seen"
        );
        moves.turns.learn(
            Turn::Clockwise,
            &standing,
            &[(2, 1), (3, 1), (4, 1), (5, 1)],
        );
        let p = wedge(&field, piece(&standing), &moves).unwrap_or_else(|| unreachable!());
        // Beside the wall on the left the turn would go through it, too.
        assert_eq!((p.at.column, p.at.row), (2, 6));
        let high = piece(&standing).moved(-2, 2);
        assert_eq!(moves.wedged(&field, high), None);
        assert_eq!(
            moves.wedged(&field, high.moved(0, 3)),
            Some(Turn::Clockwise)
        );
    }

    #[test]
    fn a_piece_that_fits_nowhere_has_no_plan() {
        let art = "
            xxxx.xxxxx
            xxxx.xxxxx";
        let o = piece(&[(4, -2), (5, -2), (4, -1), (5, -1)]);
        assert_eq!(plan(&field(art), o, None, &moves(), Goal::Safe), None);
    }
}
