//! No size, no snapshot and no key brings the screen down.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/sample.rs"]
mod sample;

use proptest::prelude::*;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::{Terminal, backend::TestBackend};
use std::sync::Arc;
use tetrascope::model::{ActivePiece, ClockMode, Grid, Phase};
use tetrascope::session::{ClockView, NumberView, RunState, Snapshot};
use tetrascope::tui::{Depth, Input, Look, Screen, Theme, draw};

fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![
        (0u16..12, 0u16..12),
        (40u16..130, 10u16..45),
        (0u16..260, 0u16..90),
        Just((80, 24)),
        Just((56, 16))
    ]
}

fn look() -> impl Strategy<Value = Look> {
    let theme = prop_oneof![
        Just(Theme::Default),
        Just(Theme::Dark),
        Just(Theme::Light),
        Just(Theme::HighContrast),
        Just(Theme::Mono)
    ];
    let depth = prop_oneof![
        Just(Depth::None),
        Just(Depth::Sixteen),
        Just(Depth::Indexed),
        Just(Depth::True)
    ];
    (any::<bool>(), theme, depth).prop_map(|(ascii, theme, depth)| Look {
        ascii,
        theme,
        depth,
    })
}

fn input() -> impl Strategy<Value = Input> {
    let code = prop_oneof![
        8 => prop::sample::select("  fsSnNRrxgd<>cc/?lmq0123 45y~".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        4 => prop::sample::select(vec![
            KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home,
            KeyCode::End, KeyCode::Tab, KeyCode::BackTab, KeyCode::Enter, KeyCode::Enter, KeyCode::Esc, KeyCode::Backspace, KeyCode::F(10),
        ]),
        1 => any::<char>().prop_map(KeyCode::Char),
    ];
    let mouse = (
        prop_oneof![
            Just(MouseEventKind::Down(MouseButton::Left)),
            Just(MouseEventKind::ScrollUp),
            Just(MouseEventKind::ScrollDown)
        ],
        0u16..200,
        0u16..70,
    );
    prop_oneof![
        6 => code.prop_map(|c| Input::Key(KeyEvent::new(c, KeyModifiers::NONE))),
        2 => mouse.prop_map(|(kind, column, row)| Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })),
        1 => size().prop_map(|(w, h)| Input::Resize(w, h)),
        1 => ".{0,8}".prop_map(Input::Paste),
        1 => Just(Input::Snapshot),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        Just(f64::NAN),
        Just(f64::INFINITY),
        0.0..1e7f64
    ]
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let state = prop_oneof![
        Just(RunState::Opening),
        Just(RunState::Running),
        Just(RunState::Held),
        Just(RunState::Finished),
        ".*".prop_map(RunState::Failed)
    ];
    let cells = prop::collection::vec((-5i32..60, -5i32..60), 0..6);
    let numbers = prop::collection::vec(
        (".{0,20}", number(), prop::collection::vec(number(), 0..40)),
        0..9,
    );
    let grid = prop::option::of((0u16..50, 0u16..50));
    (
        state,
        cells,
        numbers,
        grid,
        ".*",
        number(),
        number(),
        (0usize..37, 0usize..61, 0u64..9, 0usize..9),
    )
        .prop_map(
            |(
                state,
                cells,
                numbers,
                grid,
                text,
                speed,
                reached,
                (checks, lines, log_dropped, phase),
            )| {
                let full = sample::snapshot(3);
                let active = ActivePiece::new(cells);
                Snapshot {
                    state,
                    target: text.clone(),
                    doing: text.clone(),
                    reader: text,
                    clock: ClockView {
                        mode: if reached > 3.0 {
                            ClockMode::Real
                        } else {
                            ClockMode::Virtual
                        },
                        speed,
                        reached,
                        why: String::new(),
                    },
                    reads_per_second: reached,
                    phase: Phase::ALL.get(phase).copied(),
                    grid: grid.map(|(c, r)| {
                        let mut g = Grid::new(c, r);
                        for (i, cell) in full.grid.as_ref().unwrap().cells().iter().enumerate() {
                            g.set((i % 10) as i32, (i / 10) as i32, *cell);
                        }
                        Arc::new(g)
                    }),
                    active: (active.cells.len() > 1).then_some(active),
                    numbers: numbers
                        .into_iter()
                        .map(|(name, value, history)| NumberView {
                            name,
                            value,
                            history,
                            ..NumberView::default()
                        })
                        .collect(),
                    checks: Arc::new(full.checks[..checks.min(full.checks.len())].to_vec()),
                    log: Arc::new(full.log[..lines.min(full.log.len())].to_vec()),
                    log_dropped,
                    ..full
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]
    #[test]
    fn no_size_snapshot_or_key_brings_the_screen_down(
        look in look(),
        start in size(),
        steps in prop::collection::vec((input(), size()), 0..25),
        snapshots in prop::collection::vec(snapshot(), 1..3),
    ) {
        let mut screen = Screen::new(look, start);
        let show = |screen: &Screen, snapshot: &Snapshot, (w, h): (u16, u16)| {
            // The picture may be of another size than the screen was told last.
            let mut terminal = Terminal::new(TestBackend::new(w, h)).unwrap();
            terminal.draw(|frame| draw(snapshot, screen, frame)).unwrap();
        };
        show(&screen, &snapshots[0], start);
        for (i, (input, size)) in steps.into_iter().enumerate() {
            let snapshot = &snapshots[i % snapshots.len()];
            let told = if let Input::Resize(w, h) = input { Some((w, h)) } else { None };
            screen.update(snapshot, input);
            show(&screen, snapshot, if i % 3 == 0 { size } else { told.unwrap_or(start) });
        }
    }
}
