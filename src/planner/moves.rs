//! What a page's keys do to a piece, and where they can take it.

use super::{Field, Form, Placed};
use std::collections::HashMap;

/// Which way a key turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Turn {
    /// As the clock goes.
    Clockwise,
    /// The other way.
    CounterClockwise,
}

/// What a turn makes of a form: another, its corner moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turned {
    /// The form after.
    pub form: Form,
    /// Columns by which its left edge moves.
    pub columns: i32,
    /// Rows by which its upper edge moves.
    pub rows: i32,
}

/// A turn that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSeen {
    /// Which way.
    pub turn: Turn,
    /// The piece's cells before.
    pub before: Vec<(i32, i32)>,
    /// And after.
    pub after: Vec<(i32, i32)>,
}

/// What turns were seen to do; until one was seen, it is assumed to be about the middle of the piece's box.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    seen: HashMap<(Turn, Form), Turned>,
}

impl Turns {
    /// A turn was seen away from walls and blocks, with no time to fall in between.
    pub fn learn(&mut self, turn: Turn, before: &[(i32, i32)], after: &[(i32, i32)]) {
        if let (Some(a), Some(b)) = (Placed::of(before), Placed::of(after)) {
            let turned = Turned {
                form: b.form,
                columns: b.column - a.column,
                rows: b.row - a.row,
            };
            self.seen.insert((turn, a.form), turned);
        }
    }

    /// Learns from turns that had room what most of them did to each form, so that a kick off a wall, or a row fallen
    /// meanwhile, is not taken for the rule.
    pub fn learn_most(&mut self, all: &[TurnSeen]) {
        let left = |cells: &[(i32, i32)]| cells.iter().map(|c| c.0).min().unwrap_or(0);
        let from = |x: &TurnSeen| (x.turn, Form::of(&x.before));
        let to = |x: &TurnSeen| (Form::of(&x.after), left(&x.after) - left(&x.before));
        // Checks ask this again and again.
        let mut times: HashMap<_, HashMap<_, usize>> = HashMap::new();
        for x in all {
            *times.entry(from(x)).or_default().entry(to(x)).or_default() += 1;
        }
        for x in all {
            let alike = &times[&from(x)];
            if alike.values().max() == alike.get(&to(x)) {
                self.learn(x.turn, &x.before, &x.after);
            }
        }
    }

    /// Where a turn was seen to take a form that is there, with nothing in its way.
    pub fn seen(&self, turn: Turn, at: Placed) -> Option<Placed> {
        let to = self.seen.get(&(turn, at.form))?;
        Some(at.turned(*to))
    }

    /// How many turns were seen.
    pub fn known(&self) -> usize {
        self.seen.len()
    }

    /// What a turn makes of a form.
    pub fn turned(&self, turn: Turn, form: Form) -> Turned {
        self.seen
            .get(&(turn, form))
            .copied()
            .unwrap_or_else(|| assumed(turn, form))
    }
}

/// A quarter turn as the guideline makes it, without kicks: a form of three by two cells lies in a box of three by three,
/// a bar in one of four by four, and the box turns. Which part of the box a form fills follows from the states of the
/// guideline: the flat side of T, J and L is turned to the middle.
fn assumed(turn: Turn, form: Form) -> Turned {
    let (w, h) = (form.columns(), form.rows());
    let n = w.max(h);
    let long = |row: i32, across: bool| {
        let cells = form.cells().into_iter();
        cells
            .filter(|c| row == if across { c.1 } else { c.0 })
            .count() as i32
            == n
    };
    let (left, top) = match (w - h, n) {
        (3, 4) => (0, 1),
        (-3, 4) => (2, 0),
        (1, 3) => (0, i32::from(long(0, true))),
        (-1, 3) => (i32::from(!long(1, false)), 0),
        _ => (0, 0),
    };
    let cells: Vec<_> = form
        .cells()
        .into_iter()
        .map(|(c, r)| (c + left, r + top))
        .map(|(c, r)| match turn {
            Turn::Clockwise => (n - 1 - r, c),
            Turn::CounterClockwise => (r, n - 1 - c),
        })
        .collect();
    let Some(to) = Placed::of(&cells) else {
        return Turned {
            form,
            columns: 0,
            rows: 0,
        };
    };
    Turned {
        form: to.form,
        columns: to.column - left,
        rows: to.row - top,
    }
}

/// The moves that a page has.
#[derive(Debug, Clone, Default)]
pub struct Moves {
    /// Columns a press to the left moves; 0 if no key does it.
    pub left: i32,
    /// Columns a press to the right moves; 0 if no key does it.
    pub right: i32,
    /// Is there a key that turns clockwise?
    pub clockwise: bool,
    /// Is there a key that turns the other way?
    pub counter_clockwise: bool,
    /// What turns do.
    pub turns: Turns,
    /// Rows that gravity takes a piece down while one press is made.
    pub rows_a_press: f64,
}

/// One press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Press {
    Left,
    Right,
    Turn(Turn),
}

/// A place that can be reached: over the stack, then straight down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The presses before the piece is let down: turns, then moves aside.
    pub presses: Vec<Press>,
    /// Where it comes to rest.
    pub at: Placed,
}

/// Most turns of one piece; the fourth is the first state again.
const MOST_TURNS: usize = 3;

impl Moves {
    /// Every placement that can be reached from where the piece is, each with the fewest presses.
    pub fn placements(&self, field: &Field, piece: Placed) -> Vec<Placement> {
        let mut found: Vec<Placement> = Vec::with_capacity(40);
        let mut forms: Vec<(Form, usize)> = Vec::with_capacity(6);
        for (at, presses) in self.turnings(field, piece) {
            // The same form by fewer presses is enough: what differs is only from where it is moved aside.
            if forms
                .iter()
                .any(|(f, n)| *f == at.form && *n <= presses.len())
            {
                continue;
            }
            forms.push((at.form, presses.len()));
            self.aside(field, at, &presses, &mut found);
        }
        found
    }

    /// The piece in each state that presses of one key take it to, itself first.
    fn turnings(&self, field: &Field, piece: Placed) -> Vec<(Placed, Vec<Press>)> {
        let mut all = vec![(piece, Vec::new())];
        for (there, turn) in [
            (self.clockwise, Turn::Clockwise),
            (self.counter_clockwise, Turn::CounterClockwise),
        ] {
            let mut at = piece;
            for n in 1..=if there { MOST_TURNS } else { 0 } {
                let to = self.turns.turned(turn, at.form);
                let fallen = self.fallen(n) - self.fallen(n - 1);
                let next = at.turned(to).moved(0, fallen);
                if next.form == piece.form || !field.fits(next) {
                    break;
                }
                at = next;
                all.push((at, vec![Press::Turn(turn); n]));
            }
        }
        all.sort_by_key(|(_, presses)| presses.len());
        all
    }

    /// The turn, of those there are keys for, that would take a piece into settled blocks from where it is, and not
    /// through a wall or the floor.
    pub fn wedged(&self, field: &Field, at: Placed) -> Option<Turn> {
        let keys = [
            (self.clockwise, Turn::Clockwise),
            (self.counter_clockwise, Turn::CounterClockwise),
        ];
        keys.into_iter().find_map(|(there, turn)| {
            let cells = self.turns.seen(turn, at).filter(|_| there)?.cells();
            let inside = |&(c, r): &(i32, i32)| {
                (0..field.columns()).contains(&c) && (0..field.rows()).contains(&r)
            };
            let into = cells.iter().filter(|c| field.has(c.0, c.1)).count();
            (into > 0 && into < cells.len() && cells.iter().all(inside)).then_some(turn)
        })
    }

    fn aside(&self, field: &Field, from: Placed, turns: &[Press], found: &mut Vec<Placement>) {
        let mut put = |at: Placed, press: Press, n: usize| {
            let at = field.landed(at);
            if found.iter().any(|p| p.at == at) {
                return;
            }
            let mut presses = Vec::with_capacity(turns.len() + n);
            presses.extend_from_slice(turns);
            presses.extend(std::iter::repeat_n(press, n));
            found.push(Placement { presses, at });
        };
        put(from, Press::Left, 0);
        for (by, press) in [(-self.left, Press::Left), (self.right, Press::Right)] {
            if by == 0 {
                continue;
            }
            let mut at = from;
            for n in 1.. {
                // A press that moves several columns stops at the wall in some games and does nothing in others: only
                // whole moves are counted on.
                let fallen = self.fallen(turns.len() + n) - self.fallen(turns.len() + n - 1);
                let free = (1..=by.abs()).all(|i| field.fits(at.moved(i * by.signum(), 0)));
                let next = at.moved(by, fallen);
                if !free || !field.fits(next) {
                    break;
                }
                at = next;
                put(at, press, n);
            }
        }
    }

    /// Rows fallen by gravity after so many presses.
    fn fallen(&self, presses: usize) -> i32 {
        (presses as f64 * self.rows_a_press).floor() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{PieceKind, Shape};

    fn all() -> Moves {
        Moves {
            left: 1,
            right: 1,
            clockwise: true,
            counter_clockwise: true,
            ..Moves::default()
        }
    }

    fn placed(kind: PieceKind, column: i32) -> Placed {
        let cells = kind.states()[0].cells().to_vec();
        Placed::of(&cells)
            .unwrap_or_else(|| unreachable!())
            .moved(column, 0)
    }

    #[test]
    fn on_an_empty_board_each_piece_has_its_number_of_placements() {
        let field = Field::new(10, 20).unwrap_or_else(|| unreachable!());
        for (kind, n) in PieceKind::ALL.into_iter().zip([17, 9, 34, 17, 17, 34, 34]) {
            assert_eq!(
                all().placements(&field, placed(kind, 3)).len(),
                n,
                "{kind:?}"
            );
            let one_way = Moves {
                counter_clockwise: false,
                ..all()
            };
            assert_eq!(
                one_way.placements(&field, placed(kind, 3)).len(),
                n,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn what_is_no_key_is_no_way() {
        let field = Field::new(10, 20).unwrap_or_else(|| unreachable!());
        let moves = Moves {
            left: 0,
            right: 2,
            ..Moves::default()
        };
        let columns: Vec<i32> = moves
            .placements(&field, placed(PieceKind::O, 4))
            .iter()
            .map(|p| p.at.column)
            .collect();
        assert_eq!(columns, [4, 6, 8]);
    }

    #[test]
    fn a_tower_is_not_passed_through_and_fast_gravity_leaves_less_in_reach() {
        let mut field = Field::new(10, 20).unwrap_or_else(|| unreachable!());
        field = field.with_column(7, 0);
        let o = placed(PieceKind::O, 4);
        let far = |m: &Moves| m.placements(&field, o).iter().map(|p| p.at.column).max();
        assert_eq!(far(&all()), Some(5));
        let fast = Moves {
            rows_a_press: 9.5,
            ..all()
        };
        let field = Field::new(10, 20).unwrap_or_else(|| unreachable!());
        let reach: Vec<i32> = fast
            .placements(&field, o)
            .iter()
            .map(|p| p.at.column)
            .collect();
        assert_eq!(reach, [4, 3, 5]);
    }

    #[test]
    fn what_was_seen_counts_more_than_what_is_assumed() {
        let mut turns = Turns::default();
        let bar = PieceKind::I.states();
        let form = |s: &Shape| Form::of(s.cells()).unwrap_or_else(|| unreachable!());
        assert_eq!(
            turns.turned(Turn::Clockwise, form(&bar[0])).form,
            form(&bar[1])
        );
        turns.learn(
            Turn::Clockwise,
            &[(3, 5), (4, 5), (5, 5), (6, 5)],
            &[(3, 5), (3, 6), (3, 7), (3, 8)],
        );
        let seen = turns.turned(Turn::Clockwise, form(&bar[0]));
        assert_eq!((seen.columns, seen.rows), (0, 0));
    }

    #[test]
    fn an_unseen_turn_is_that_of_the_guideline() {
        let turned = |cells: &[(i32, i32)]| {
            let form = Form::of(cells).unwrap_or_else(|| unreachable!());
            let t = Turns::default().turned(Turn::Clockwise, form);
            (t.columns, t.rows)
        };
        // T from its first state on: right, down and left, up, none.
        assert_eq!(turned(&[(1, 0), (0, 1), (1, 1), (2, 1)]), (1, 0));
        assert_eq!(turned(&[(0, 0), (0, 1), (0, 2), (1, 1)]), (-1, 1));
        assert_eq!(turned(&[(0, 0), (1, 0), (2, 0), (1, 1)]), (0, -1));
        assert_eq!(turned(&[(1, 0), (1, 1), (1, 2), (0, 1)]), (0, 0));
        assert_eq!(turned(&[(0, 0), (1, 0), (2, 0), (3, 0)]), (2, -1));
        assert_eq!(turned(&[(0, 0), (1, 0), (0, 1), (1, 1)]), (0, 0));
    }

    #[test]
    fn four_assumed_turns_come_back_to_where_they_began() {
        for kind in PieceKind::ALL {
            for turn in [Turn::Clockwise, Turn::CounterClockwise] {
                let mut at = placed(kind, 4);
                let turns = Turns::default();
                for _ in 0..4 {
                    at = at.turned(turns.turned(turn, at.form));
                }
                assert_eq!(at.form, placed(kind, 4).form);
            }
        }
    }
}
