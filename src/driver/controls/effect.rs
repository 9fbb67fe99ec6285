//! What one key press did, from what was seen before and after it. Pure.

use crate::model::{ActivePiece, Grid, GridEvent};
use std::fmt;

/// Rows from the top in which new pieces appear.
const SPAWN_ROWS: i32 = 2;

/// Columns that a press moves a piece at most, where part of it is out of sight then.
const FARTHEST_STEP: i32 = 2;

/// A lock adds a piece to the stack, perhaps the next one as well where nobody has told them apart yet, and a faulty game
/// one twice; what adds more is another picture.
const PIECES_AT_ONCE: usize = 3;

/// What a key did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that could be seen.
    Nothing,
    /// The piece went sideways by so many columns, negative to the left.
    Sideways(i32),
    /// The piece turned clockwise.
    Clockwise,
    /// The piece turned counter-clockwise.
    CounterClockwise,
    /// The piece turned, but its shape can't tell which way (two states only, or half a turn).
    Turned,
    /// The piece took a shape that is none of its own.
    Deformed,
    /// The piece went down by so many rows more than it falls by itself.
    Down(i32),
    /// The piece went down to where it lands at once, so many rows.
    Dropped {
        /// Rows.
        rows: i32,
        /// Was it locked there at once?
        locked: bool,
    },
    /// Another piece took its place and the stack stayed as it was.
    Swapped,
    /// The board was emptied or the piece is gone: the game was left, ended or begun anew.
    Left,
    /// The page stopped answering.
    Hung,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Sideways(n) if n.abs() == 1 => {
                write!(f, "1 column {}", if *n < 0 { "left" } else { "right" })
            }
            Self::Sideways(n) => write!(
                f,
                "{} columns {}",
                n.abs(),
                if *n < 0 { "left" } else { "right" }
            ),
            Self::Clockwise => f.write_str("turned clockwise"),
            Self::CounterClockwise => f.write_str("turned counter-clockwise"),
            Self::Turned => f.write_str("turned, which way its shape can't tell"),
            Self::Deformed => f.write_str("took a shape that is none of its own"),
            Self::Down(n) => write!(f, "{n} rows down beyond gravity"),
            Self::Dropped { rows, locked: true } => write!(f, "dropped {rows} rows and locked"),
            Self::Dropped { rows, .. } => write!(f, "dropped {rows} rows, not locked at once"),
            Self::Swapped => f.write_str("another piece took its place"),
            Self::Left => f.write_str("the game was left, ended or begun anew"),
            Self::Hung => f.write_str("the page stopped answering"),
        }
    }
}

/// Everything known about a press.
#[derive(Debug, Clone)]
pub struct Press<'a> {
    /// The piece before.
    pub before: &'a ActivePiece,
    /// The settled blocks before.
    pub stack: &'a Grid,
    /// The piece after.
    pub after: Option<&'a ActivePiece>,
    /// The settled blocks after; `None` if the board could not be read.
    pub stack_after: Option<&'a Grid>,
    /// What the tracker saw meanwhile.
    pub events: &'a [GridEvent],
    /// Rows the piece may have fallen by itself meanwhile.
    pub gravity_rows: i32,
}

/// Rows a piece can go down before it rests on the stack or the floor.
pub fn drop_distance(stack: &Grid, cells: &[(i32, i32)]) -> i32 {
    let rows = i32::from(stack.rows());
    let mut distance = 0;
    while cells.iter().all(|&(c, r)| {
        let below = r + distance + 1;
        below < rows && (below < 0 || !stack.is_filled(c, below) || cells.contains(&(c, below)))
    }) {
        distance += 1;
    }
    distance
}

/// The settled blocks of a grid: all but the falling piece's.
pub fn without(grid: &Grid, piece: &ActivePiece) -> Grid {
    let mut stack = grid.clone();
    for &(c, r) in &piece.cells {
        stack.set(c, r, crate::model::Cell::default());
    }
    stack
}

/// What the press did.
pub fn effect(press: &Press<'_>) -> Effect {
    let before = press.before;
    let distance = drop_distance(press.stack, &before.cells);
    let locked = press
        .events
        .iter()
        .any(|e| matches!(e, GridEvent::PieceLocked { .. }));
    if press
        .events
        .iter()
        .any(|e| matches!(e, GridEvent::BoardCleared | GridEvent::GameOver))
    {
        return Effect::Left;
    }
    let bottom = |cells: &[(i32, i32)]| cells.iter().map(|c| c.1).max().unwrap_or(0);
    let fallen = press.events.iter().find_map(|e| match e {
        GridEvent::PieceLocked { cells, .. } => Some(bottom(cells) - bottom(&before.cells)),
        _ => None,
    });
    if distance > press.gravity_rows + 1 && fallen.is_some_and(|rows| rows <= 0) {
        // It stopped where it was, with room below: the game was left, and what shows that was taken for a lock.
        return Effect::Left;
    }
    // A piece this far up does not come to rest by itself in the moment of a press; one a little above the stack may.
    let at_rest = if is_another_picture(press) {
        Effect::Left
    } else if distance > press.gravity_rows {
        Effect::Dropped {
            rows: distance,
            locked: true,
        }
    } else {
        Effect::Nothing
    };
    if locked {
        return at_rest;
    }
    let Some(after) = press.after else {
        return Effect::Left;
    };
    if let Some(stack_after) = press.stack_after {
        let had = press.stack.filled_count() as i32;
        let has = stack_after.filled_count() as i32;
        if had >= 4 && has == 0 {
            return Effect::Left;
        }
    }
    let spawned = press
        .events
        .iter()
        .any(|e| matches!(e, GridEvent::PieceSpawned { .. }));
    let went_up = after.corner().1 < before.corner().1 - 1;
    // What is back where pieces come is one of the same kind, as no turn takes a piece up by its lowest cell, too.
    let back = after.corner().1 < SPAWN_ROWS && bottom(&after.cells) < bottom(&before.cells) - 1;
    if after.kind.is_some()
        && before.kind.is_some()
        && (after.kind != before.kind || went_up && (spawned || back))
    {
        // A swap leaves the stack as it was; a drop adds to it, by one piece or (wrongly) by more.
        let grown = press.stack_after.map_or(0, |after| {
            after.filled_count() as i32 - press.stack.filled_count() as i32
        });
        if grown >= 3 {
            return at_rest;
        }
        // A mirror image in the place of a piece well below where pieces come is no other piece.
        let (from, to) = (before.corner(), after.corner());
        let there = (from.0 - to.0).abs() <= 1 && (from.1 - to.1).abs() <= 1;
        let mirrored = before.shape().mirrored().tetromino().map(|t| t.0);
        if mirrored == after.kind && there && from.1 >= SPAWN_ROWS {
            return Effect::Deformed;
        }
        return Effect::Swapped;
    }
    let down = after.corner().1 - before.corner().1;
    if after.shape() == before.shape() {
        let sideways = after.corner().0 - before.corner().0;
        if sideways != 0 {
            return Effect::Sideways(sideways);
        }
        if distance >= 2 && down == distance && down > press.gravity_rows + 1 {
            return Effect::Dropped {
                rows: down,
                locked: false,
            };
        }
        if down > press.gravity_rows {
            return Effect::Down(down - press.gravity_rows);
        }
        return Effect::Nothing;
    }
    if after.cells.len() != before.cells.len() {
        return over_the_edge(press, after).unwrap_or(Effect::Deformed);
    }
    // Turned shapes tell by themselves, whatever kind of piece it is.
    let clockwise = before.shape().turned_clockwise() == after.shape();
    let counter = after.shape().turned_clockwise() == before.shape();
    let half = before.shape().turned_clockwise().turned_clockwise() == after.shape();
    match (clockwise, counter) {
        (true, false) => Effect::Clockwise,
        (false, true) => Effect::CounterClockwise,
        (true, true) => Effect::Turned,
        _ if half => Effect::Turned,
        _ => Effect::Deformed,
    }
}

/// Is what is shown now no stack with one piece more, but something else, such as a title whose words look like blocks
/// and lie, among other places, where the piece would have landed?
fn is_another_picture(press: &Press<'_>) -> bool {
    let cleared = |e: &GridEvent| matches!(e, GridEvent::LineCleared { .. });
    let Some(after) = press.stack_after else {
        return false;
    };
    if press.events.iter().any(cleared) {
        return false;
    }
    let stack = press.stack.filled_cells();
    let kept = stack.iter().filter(|c| after.is_filled(c.0, c.1)).count();
    let came = after.filled_count().saturating_sub(kept);
    let piece = press.before.cells.len();
    // Rows that were cleared leave less than there was.
    let moved =
        stack.len() >= piece && kept * 2 < stack.len() && after.filled_count() > stack.len();
    came > PIECES_AT_ONCE * piece || moved
}

/// A piece of which a column or more is cut off by the edge of what is taken for the board has gone that way: the board is
/// wider than was thought, or has no wall.
fn over_the_edge(press: &Press<'_>, after: &ActivePiece) -> Option<Effect> {
    let columns = i32::from(press.stack.columns());
    let sorted = |mut cells: Vec<(i32, i32)>| {
        cells.sort_unstable();
        cells
    };
    let seen = sorted(after.cells.clone());
    let steps = (1..=FARTHEST_STEP).flat_map(|by| [-by, by]);
    steps
        .flat_map(|by| (0..=press.gravity_rows + 1).map(move |down| (by, down)))
        .find(|&(by, down)| {
            let gone = press.before.cells.iter().map(|&(c, r)| (c + by, r + down));
            let left: Vec<_> = gone.filter(|c| (0..columns).contains(&c.0)).collect();
            !left.is_empty() && left.len() < press.before.cells.len() && sorted(left) == seen
        })
        .map(|(by, _)| Effect::Sideways(by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CellState, PieceKind};

    /// The falling piece is drawn with `A`, the stack with `x`.
    fn parse(art: &str) -> (ActivePiece, Grid) {
        let mut cells = Vec::new();
        for (r, line) in art
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .enumerate()
        {
            cells.extend(
                line.chars()
                    .enumerate()
                    .filter(|(_, ch)| *ch == 'A')
                    .map(|(c, _)| (c as i32, r as i32)),
            );
        }
        let piece = ActivePiece::new(cells);
        let grid = Grid::from_ascii(art);
        let stack = without(&grid, &piece);
        assert!(stack.cells().iter().all(|c| c.state != CellState::Ghost));
        (piece, stack)
    }

    fn check(before: &str, after: &str, events: &[GridEvent], gravity_rows: i32, want: &Effect) {
        let (b, stack) = parse(before);
        let (a, stack_after) = parse(after);
        let got = effect(&Press {
            before: &b,
            stack: &stack,
            after: (!a.cells.is_empty()).then_some(&a),
            stack_after: Some(&stack_after),
            events,
            gravity_rows,
        });
        assert_eq!(&got, want, "{before}\n->\n{after}");
    }

    const T: &str = "
        ..A...
        .AAA..
        ......
        ......
        ......
        xx....";

    #[test]
    fn a_piece_that_is_one_column_further_went_sideways_even_if_it_also_fell() {
        let after = "
            ......
            .A....
            AAA...
            ......
            ......
            xx....";
        check(T, after, &[], 1, &Effect::Sideways(-1));
    }

    #[test]
    fn a_piece_that_is_cut_off_by_the_edge_of_what_is_thought_the_board_went_that_way() {
        let at_the_edge = "
            .A....
            AAA...
            ......
            ......
            ......
            xx....";
        let cut = "
            A.....
            AA....
            ......
            ......
            ......
            xx....";
        check(at_the_edge, cut, &[], 1, &Effect::Sideways(-1));
        let torn = "
            .A....
            AA....
            ......
            ......
            ......
            xx....";
        check(at_the_edge, torn, &[], 1, &Effect::Deformed);
    }

    #[test]
    fn one_row_of_gravity_is_nothing_and_more_is_a_drop() {
        let one = "
            ......
            ..A...
            .AAA..
            ......
            ......
            xx....";
        check(T, one, &[], 1, &Effect::Nothing);
        check(T, one, &[], 0, &Effect::Down(1));
        let landed = "
            ......
            ......
            ......
            ..A...
            .AAA..
            xx....";
        check(
            T,
            landed,
            &[],
            1,
            &Effect::Dropped {
                rows: 3,
                locked: false,
            },
        );
    }

    #[test]
    fn a_turn_is_told_by_the_state_it_leads_to() {
        let cw = "
            ..A...
            ..AA..
            ..A...
            ......
            ......
            xx....";
        let ccw = "
            ..A...
            .AA...
            ..A...
            ......
            ......
            xx....";
        check(T, cw, &[], 0, &Effect::Clockwise);
        check(T, ccw, &[], 0, &Effect::CounterClockwise);
        check(
            "AAAA\n....\n....\n....",
            ".A..\n.A..\n.A..\n.A..",
            &[],
            0,
            &Effect::Turned,
        );
    }

    #[test]
    fn a_lock_far_above_the_landing_place_is_a_drop() {
        let after = "
            ..AA..
            ..AA..
            ......
            ..x...
            .xxx..
            xx....";
        let lock = GridEvent::PieceLocked {
            kind: Some(PieceKind::T),
            cells: vec![(2, 3), (1, 4), (2, 4), (3, 4)],
            filled_delta: 4,
        };
        check(
            T,
            after,
            &[lock],
            1,
            &Effect::Dropped {
                rows: 3,
                locked: true,
            },
        );
    }

    #[test]
    fn a_lock_where_the_piece_was_with_room_below_is_a_game_that_was_left() {
        let after = "
            ......
            ......
            AAAAA.
            ......
            ......
            xx....";
        let lock = GridEvent::PieceLocked {
            kind: Some(PieceKind::T),
            cells: vec![(2, 0), (1, 1), (2, 1), (3, 1)],
            filled_delta: 4,
        };
        check(T, after, &[lock], 1, &Effect::Left);
    }

    #[test]
    fn words_all_over_the_board_are_no_drop_even_where_some_lie_where_the_piece_would() {
        let words = "
            ......
            xx.x.x
            x.xx.x
            ..x.x.
            .xxxx.
            xxx.xx";
        let lock = || GridEvent::PieceLocked {
            kind: Some(PieceKind::T),
            cells: vec![(2, 3), (1, 4), (2, 4), (3, 4)],
            filled_delta: 16,
        };
        check(T, words, &[lock()], 1, &Effect::Left);
        let before = "
            ..A...
            .AAA..
            ......
            ......
            .....x
            x.xxxx";
        let elsewhere = "
            ......
            ......
            ......
            ..x...
            .xxx..
            .xxx..";
        let lock = GridEvent::PieceLocked {
            kind: Some(PieceKind::T),
            cells: vec![(2, 3), (1, 4), (2, 4), (3, 4)],
            filled_delta: 1,
        };
        check(before, elsewhere, &[lock], 1, &Effect::Left);
    }

    #[test]
    fn another_piece_over_a_stack_that_grew_is_a_drop_even_if_nobody_saw_it_lock() {
        let after = "
            .AA...
            .AA...
            ......
            ..xx..
            .xxx..
            xx..xx";
        check(
            T,
            after,
            &[],
            1,
            &Effect::Dropped {
                rows: 3,
                locked: true,
            },
        );
    }

    #[test]
    fn a_mirror_image_in_the_same_place_is_no_other_piece() {
        let s = "
            ......
            ......
            ..AA..
            .AA...
            ......
            xx....";
        let z = "
            ......
            ......
            .AA...
            ..AA..
            ......
            xx....";
        check(s, z, &[], 0, &Effect::Deformed);
        let at_the_top = "
            .AA...
            ..AA..
            ......
            ......
            ......
            xx....";
        check(s, at_the_top, &[], 0, &Effect::Swapped);
    }

    #[test]
    fn another_piece_without_a_lock_is_a_swap_and_an_empty_board_is_a_new_game() {
        let swapped = "
            .AA...
            .AA...
            ......
            ......
            ......
            xx....";
        check(T, swapped, &[], 0, &Effect::Swapped);
        check(
            T,
            "......\n......\n......\n......\n......\n......",
            &[],
            0,
            &Effect::Left,
        );
    }

    #[test]
    fn a_piece_that_lies_on_the_stack_was_not_swapped_for_the_next_one() {
        let low = "......\n......\n......\n.AAA..\n..A...\nxx....";
        let next = ".AA...\n.AA...\n......\n.xxx..\n..x...\nxx....";
        check(low, next, &[], 1, &Effect::Nothing);
        let dropped = ".AA...\n.AA...\n......\n......\n.xxx..\nxxx...";
        check(
            low,
            dropped,
            &[],
            0,
            &Effect::Dropped {
                rows: 1,
                locked: true,
            },
        );
    }

    #[test]
    fn one_of_the_same_kind_that_comes_back_has_taken_its_place() {
        let low = "......\n......\n..AAA.\n...A..\n......\nxx....";
        let aside = "......\n......\nAAA...\n.A....\n......\nxx....";
        let turned = "......\n......\n..A...\n..AA..\n..A...\nxx....";
        let back = ".AAA..\n..A...\n......\n......\n......\nxx....";
        for before in [low, aside, turned] {
            check(before, back, &[], 0, &Effect::Swapped);
        }
        // A long one that is put upright reaches up, but not with its lower end.
        let flat = "......\n......\nAAAA..\n......\n......\n......";
        let upright = ".A....\n.A....\n.A....\n.A....\n......\n......";
        check(flat, upright, &[], 0, &Effect::Turned);
    }
}
