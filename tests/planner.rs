//! The planner plays whole games of its own: uniformly drawn pieces, turned and moved at the top, then dropped.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use tetrascope::model::PieceKind;
use tetrascope::planner::{Field, Goal, Moves, Placed, Press, Turn, plan};

fn moves() -> Moves {
    Moves {
        left: 1,
        right: 1,
        clockwise: true,
        counter_clockwise: true,
        ..Moves::default()
    }
}

/// Random numbers (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n as u64) as usize
    }
}

fn spawned(kind: PieceKind, columns: i32) -> Placed {
    let piece = Placed::of(kind.states()[0].cells()).unwrap();
    piece.moved((columns - piece.form.columns()) / 2, 0)
}

/// What became of a game.
#[derive(Debug, Default)]
struct Played {
    lines: u64,
    pieces: u64,
    /// Clears of one to four rows.
    clears: [u64; 4],
    over: bool,
}

fn game(columns: u16, rows: u16, seed: u64, moves: &Moves, goal: Goal, most: u64) -> Played {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut field = Field::new(columns, rows).unwrap();
    let mut played = Played::default();
    while played.pieces < most {
        let piece = spawned(PieceKind::ALL[random.below(7)], field.columns());
        let plan = field
            .fits(piece)
            .then(|| plan(&field, piece, None, moves, goal))
            .flatten();
        let Some(plan) = plan else {
            played.over = true;
            return played;
        };
        field = field.with(plan.at).unwrap();
        assert_eq!(field.clear(), plan.clears);
        played.pieces += 1;
        played.lines += u64::from(plan.clears);
        if plan.clears > 0 {
            played.clears[plan.clears as usize - 1] += 1;
        }
    }
    played
}

#[test]
fn safe_play_lasts_thousands_of_pieces() {
    for seed in 1..=2 {
        let played = game(10, 20, seed, &moves(), Goal::Safe, 4_000);
        assert!(!played.over, "{played:?}");
    }
}

#[test]
fn one_way_of_turning_is_enough() {
    let one = Moves {
        counter_clockwise: false,
        ..moves()
    };
    let played = game(10, 20, 3, &one, Goal::Safe, 2_000);
    assert!(!played.over, "{played:?}");
}

#[test]
fn a_goal_of_several_rows_is_reached_again_and_again() {
    for (n, least) in [(2, 25), (3, 12), (4, 5)] {
        let played = game(10, 20, 5, &moves(), Goal::Clear(n), 500);
        let reached: u64 = played.clears[n as usize - 1..].iter().sum();
        assert!(!played.over && reached >= least, "{n}: {played:?}");
    }
}

#[test]
fn topping_out_takes_few_pieces() {
    for (columns, rows) in [(10, 20), (12, 24), (8, 16)] {
        let played = game(columns, rows, 7, &moves(), Goal::TopOut, 200);
        assert!(
            played.over && played.pieces <= u64::from(rows),
            "{played:?}"
        );
    }
}

/// Not a test: prints how long safe play lasts. `LINES` games, `PIECES` each at most.
#[test]
#[ignore = "takes minutes; prints for people"]
fn lines_a_game() {
    let number = |name: &str, usual: u64| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(usual)
    };
    let (games, most) = (number("GAMES", 5), number("PIECES", 1_000_000));
    let mut total = 0;
    for seed in 1..=games {
        let begun = std::time::Instant::now();
        let played = game(10, 20, seed, &moves(), Goal::Safe, most);
        total += played.lines;
        println!(
            "{seed}: {played:?} in {:.1} s",
            begun.elapsed().as_secs_f64()
        );
    }
    println!("mean {} lines", total / games.max(1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the board, the piece and the keys: a plan never ends in a block, in the air or beyond a wall, and its
    /// presses lead to it.
    #[test]
    fn a_plan_is_always_possible(
        columns in 4u16..33,
        rows in 4u16..41,
        fill in prop::collection::vec((0i32..33, 0.0f64..0.7), 0..60),
        kind in 0usize..7,
        left in 0i32..3,
        right in 0i32..3,
        clockwise: bool,
        counter_clockwise: bool,
        rows_a_press in 0.0f64..2.0,
        goal in prop::sample::select(vec![Goal::Safe, Goal::Dig, Goal::Clear(2), Goal::Clear(4), Goal::TopOut]),
    ) {
        let mut field = Field::new(columns, rows).unwrap();
        for (c, height) in fill {
            if c < i32::from(columns) {
                field = field.with_column(c, i32::from(rows) - (height * f64::from(rows)) as i32);
            }
        }
        field.clear();
        let moves = Moves { left, right, clockwise, counter_clockwise, rows_a_press, ..Moves::default() };
        let piece = spawned(PieceKind::ALL[kind], i32::from(columns));
        prop_assume!(field.fits(piece));
        if let Some(plan) = plan(&field, piece, None, &moves, goal) {
            prop_assert!(field.fits(plan.at) && !field.fits(plan.at.moved(0, 1)));
            let mut at = piece;
            for press in &plan.presses {
                at = match press {
                    Press::Left => at.moved(-left, 0),
                    Press::Right => at.moved(right, 0),
                    Press::Turn(turn) => {
                        let there = if *turn == Turn::Clockwise { clockwise } else { counter_clockwise };
                        prop_assert!(there);
                        let t = moves.turns.turned(*turn, at.form);
                        Placed { form: t.form, column: at.column + t.columns, row: at.row + t.rows }
                    }
                };
            }
            prop_assert_eq!((at.form, at.column), (plan.at.form, plan.at.column));
        }
    }
}
