//! Random healthy games.

use proptest::prelude::*;
use proptest::sample::select;
use tetrascope::driver::sim::{
    Bag, Counting, End, Input, Labels, Levels, Lock, Look, Rotation, Rules, Scoring, SimOptions,
    Soft, Start, Trigger, keys,
};
use tetrascope::model::Key;

/// Key schemes seen in real pages, each with all it knows.
fn schemes() -> Vec<Vec<(&'static str, Input)>> {
    use Input::{Clockwise, CounterClockwise, HalfTurn, Hard, Hold, Left, Pause, Right, Soft};
    let arrows = [("ArrowLeft", Left), ("ArrowRight", Right)];
    let with = |rest: &[(&'static str, Input)]| [&arrows[..], rest].concat();
    vec![
        with(&[
            ("ArrowDown", Soft),
            ("ArrowUp", Clockwise),
            (" ", Hard),
            ("z", CounterClockwise),
            ("c", Hold),
            ("p", Pause),
        ]),
        with(&[("ArrowDown", Soft), ("ArrowUp", Clockwise)]),
        with(&[
            ("ArrowDown", Soft),
            ("ArrowUp", CounterClockwise),
            (" ", Hard),
        ]),
        with(&[
            ("ArrowDown", Soft),
            ("x", Clockwise),
            ("a", HalfTurn),
            (" ", Hard),
        ]),
        with(&[("ArrowDown", Soft), ("ArrowUp", Clockwise), (" ", Pause)]),
        with(&[("ArrowDown", Soft), (" ", Clockwise)]),
        with(&[
            ("ArrowDown", Soft),
            ("ArrowUp", Hard),
            ("x", Clockwise),
            ("z", CounterClockwise),
            ("Shift", Hold),
            ("Escape", Pause),
        ]),
        with(&[
            ("ArrowDown", Soft),
            ("w", Clockwise),
            ("q", CounterClockwise),
            ("Enter", Hard),
        ]),
        vec![
            ("a", Left),
            ("d", Right),
            ("s", Soft),
            ("w", Clockwise),
            (" ", Hard),
        ],
        vec![
            ("h", Left),
            ("l", Right),
            ("j", Soft),
            ("k", Clockwise),
            ("i", Hard),
            ("Tab", Hold),
        ],
        vec![
            ("4", Left),
            ("6", Right),
            ("2", Soft),
            ("5", Clockwise),
            ("0", Hard),
        ],
        vec![
            ("a", Left),
            ("d", Right),
            ("s", Soft),
            ("ArrowDown", Hard),
            ("ArrowLeft", CounterClockwise),
            ("ArrowRight", Clockwise),
            ("Escape", Pause),
        ],
    ]
}

fn trigger() -> impl Strategy<Value = Trigger> {
    prop_oneof![
        3 => Just(Trigger::KeyDown),
        2 => Just(Trigger::NoRepeat),
        1 => Just(Trigger::KeyUp),
        1 => Just(Trigger::Queued),
        2 => (1u32..8).prop_map(|frames| Trigger::Polled { frames }),
        2 => (100.0..300.0, 0.0..60.0).prop_map(|(das_ms, arr_ms)| Trigger::Das { das_ms, arr_ms }),
    ]
}

fn lock() -> impl Strategy<Value = Lock> {
    prop_oneof![
        2 => Just(Lock::Tick),
        1 => Just(Lock::Touch),
        2 => (200.0..1200.0, any::<bool>()).prop_map(|(ms, resets)| Lock::Delay { ms, resets }),
    ]
}

fn soft() -> impl Strategy<Value = Soft> {
    prop_oneof![
        Just(Soft::Step),
        (20.0..80.0).prop_map(|row_ms| Soft::Held { row_ms })
    ]
}

fn start() -> impl Strategy<Value = Start> {
    select(vec![
        Start::Auto,
        Start::Countdown(2_500),
        Start::Button,
        Start::Button,
        Start::Click,
        Start::AnyKey,
        Start::Key(Key::new("Enter")),
        Start::Key(Key::new(" ")),
    ])
}

fn rotation() -> impl Strategy<Value = Rotation> {
    select(vec![
        Rotation::Srs,
        Rotation::Naive,
        Rotation::Matrix4,
        Rotation::Trimmed,
        Rotation::TwoState,
    ])
}

fn look() -> impl Strategy<Value = Look> {
    (
        12i32..30,
        (0i32..60, 24i32..60),
        select(vec![
            ([30, 32, 40], [10, 10, 16]),
            ([240; 3], [255; 3]),
            ([20, 20, 20], [0, 0, 0]),
            ([200, 210, 190], [150, 165, 130]),
        ]),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.3, Just([70, 70, 80])),
        0i32..3,
        any::<bool>(),
        select(vec![
            Labels::Together,
            Labels::Apart,
            Labels::Padded,
            Labels::Punkte,
        ]),
        (
            select(vec![0.0, 0.0, 0.0, 150.0, 400.0]),
            prop::bool::weighted(0.3),
        ),
    )
        .prop_map(
            |(
                cell,
                at,
                (paper, ground),
                checked,
                lines,
                gap,
                wide_canvas,
                labels,
                (late_ms, best),
            )| Look {
                cell,
                at,
                paper,
                ground,
                // Every second cell a little darker, or lighter on a dark board.
                other_ground: checked
                    .then(|| ground.map(|v: u8| if v > 60 { v - 22 } else { v + 26 })),
                lines,
                gap,
                wide_canvas,
                skirt: 0,
                one_colour: None,
                labels,
                late_ms,
                best,
            },
        )
}

/// Rows hidden and the row at which pieces come.
fn above() -> impl Strategy<Value = (i32, i32)> {
    select(vec![
        (0, 0),
        (0, 0),
        (0, 1),
        (2, 0),
        (2, -1),
        (2, -2),
        (4, -2),
    ])
}

prop_compose! {
    fn rules()(
        (columns, rows) in prop_oneof![6 => Just((10, 20)), 1 => (8i32..13, 16i32..25)],
        (hidden, spawn_row) in above(),
        bag in select(vec![Bag::Shuffled, Bag::Shuffled, Bag::Uniform, Bag::Rerolled]),
        rotation in rotation(),
        gravity in 150.0..1200.0f64,
        moves_restart_gravity in prop::bool::weighted(0.15),
        lock in lock(),
        soft in soft(),
        hard_locks in prop::bool::weighted(0.8),
        trigger in trigger(),
        scheme in select(schemes()),
        ghost in any::<bool>(),
    )(
        previews in 0usize..5,
        clear_ms in select(vec![0.0, 0.0, 200.0, 500.0]),
        spawn_ms in select(vec![0.0, 0.0, 100.0, 400.0]),
        scoring in select(vec![
            Scoring::Guideline, Scoring::Nes, Scoring::Lines, Scoring::Pieces, Scoring::Drops,
            Scoring::Falls, Scoring::LevelDrops,
        ]),
        (levels, counting) in (
            prop_oneof![4 => Just(Levels::Lines), 1 => Just(Levels::Time(30_000.0))],
            prop_oneof![
                8 => Just(Counting::None),
                1 => (0.3..9.0f64).prop_map(Counting::Points),
                1 => (0.03..0.4f64).prop_map(Counting::Share),
            ],
        ),
        (spawn_aside, hold_often, pause_button) in (
            select(vec![0, 0, 0, 0, -1, 1, -3]), any::<bool>(), prop::bool::weighted(0.2),
        ),
        end in prop_oneof![
            4 => Just(End::Shown),
            1 => Just(End::ShownAndAgain { after_ms: 3_000.0 }),
        ],
        (again_button, by_key) in select(vec![(true, true), (true, false), (false, true)]),
        start in start(),
        columns in Just(columns), rows in Just(rows), hidden in Just(hidden), spawn_row in Just(spawn_row),
        bag in Just(bag), rotation in Just(rotation), gravity in Just(gravity),
        moves_restart_gravity in Just(moves_restart_gravity), lock in Just(lock), soft in Just(soft),
        hard_locks in Just(hard_locks), trigger in Just(trigger), scheme in Just(scheme), ghost in Just(ghost),
    ) -> Rules {
        Rules {
            columns, rows, hidden, spawn_row, bag, rotation,
            gravity: vec![gravity, gravity * 0.8, gravity * 0.6],
            moves_restart_gravity, lock, soft, hard_locks, trigger,
            keys: keys(&if by_key { [&scheme[..], &[("r", Input::Restart)]].concat() } else { scheme }),
            ghost, previews, clear_ms, spawn_ms, scoring, counting, levels, spawn_aside, hold_often, pause_button,
            end, again_button, start,
            ..Rules::default()
        }
    }
}

/// Any healthy game on any page.
pub fn options() -> impl Strategy<Value = SimOptions> {
    (rules(), look(), any::<u32>()).prop_map(|(rules, look, seed)| SimOptions {
        rules,
        look,
        seed: u64::from(seed),
        limit_ms: 3_600_000.0,
    })
}
