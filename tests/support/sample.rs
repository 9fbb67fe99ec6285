//! A session in the middle of its work, made up, the same at every run.

use std::sync::Arc;
use tetrascope::checks::{CheckView, Status, Verdict};
use tetrascope::model::{
    Action, ActivePiece, Board, Cell, CellState, ClockMode, Confidence, ControlMap, ControlMapping,
    Grid, Key, Phase, PieceKind, Rect, Stamp,
};
use tetrascope::session::{
    ClockView, LogKind, LogLine, NumberView, PageHealth, PhaseState, PhaseView, RunState, Snapshot,
};

/// The colours of a page's pieces.
fn colour(kind: PieceKind) -> [u8; 3] {
    match kind {
        PieceKind::I => [49, 199, 239],
        PieceKind::O => [247, 211, 8],
        PieceKind::T => [173, 77, 156],
        PieceKind::S => [66, 182, 66],
        PieceKind::Z => [239, 32, 41],
        PieceKind::J => [90, 101, 173],
        PieceKind::L => [239, 121, 33],
    }
}

fn kind_of(letter: char) -> Option<PieceKind> {
    PieceKind::ALL.into_iter().find(|k| k.letter() == letter)
}

/// A stack as letters, laid on the floor of a board; `?` is a block read with doubt.
pub fn grid(columns: u16, rows: u16, stack: &[&str], active: &ActivePiece) -> Grid {
    let mut grid = Grid::new(columns, rows);
    for r in 0..i32::from(rows) {
        for c in 0..i32::from(columns) {
            grid.set(
                c,
                r,
                Cell {
                    state: CellState::Empty,
                    colour: [16, 18, 22],
                    confidence: 250,
                },
            );
        }
    }
    for (i, line) in stack.iter().enumerate() {
        let r = i32::from(rows) - stack.len() as i32 + i as i32;
        for (c, ch) in line.chars().enumerate() {
            let colour = kind_of(ch).map_or([120; 3], colour);
            let confidence = if ch == '?' { 90 } else { 250 };
            if ch != '.' {
                grid.set(
                    c as i32,
                    r,
                    Cell {
                        state: CellState::Filled,
                        colour,
                        confidence,
                    },
                );
            }
        }
    }
    let kind = active.kind.unwrap_or(PieceKind::T);
    let down = (0..i32::from(rows))
        .take_while(|d| {
            active
                .cells
                .iter()
                .all(|&(c, r)| r + d < i32::from(rows) && !grid.is_filled(c, r + d))
        })
        .last()
        .unwrap_or(0);
    for &(c, r) in &active.cells {
        grid.set(
            c,
            r + down,
            Cell {
                state: CellState::Ghost,
                colour: [60; 3],
                confidence: 230,
            },
        );
    }
    for &(c, r) in &active.cells {
        grid.set(
            c,
            r,
            Cell {
                state: CellState::Filled,
                colour: colour(kind),
                confidence: 250,
            },
        );
    }
    grid
}

pub const STACK: [&str; 6] = [
    "....L.....",
    "ZZ..L...J.",
    "IZZOLL..J.",
    "IOOOTJJJJ.",
    "IOOTTTS?JJ",
    "I.LLLSSTTT",
];

const CHECKS: [(&str, &str, Option<Phase>, Status, &str); 36] = {
    use Phase::{Compete, GameOver, Load, Mechanics, Numbers, Play, Restart, Start};
    use Status::{Fail, Open, Pass, Skipped};
    [
        (
            "game_loads",
            "does the page show something game-shaped?",
            Some(Load),
            Pass,
            "a canvas of 300×600, drawn 61 times in the first second",
        ),
        (
            "game_starts",
            "can the game be started?",
            Some(Start),
            Pass,
            "Enter; a piece fell 3 rows",
        ),
        (
            "grid_detected",
            "can the board be confirmed by motion?",
            Some(Start),
            Pass,
            "30 px a cell, both walls and the floor touched",
        ),
        (
            "grid_is_10x20",
            "are there 10 columns and 20 rows?",
            Some(Start),
            Pass,
            "10 columns, 20 rows",
        ),
        (
            "piece_spawns",
            "does a new piece appear after a lock?",
            Some(Mechanics),
            Pass,
            "9 spawns after 9 locks, all four cells near the top",
        ),
        (
            "gravity",
            "does the piece fall by itself, row by row?",
            Some(Mechanics),
            Pass,
            "one row every 800 ms (±9 ms over 24 rows)",
        ),
        (
            "move_left",
            "does a tap move one column to the left?",
            Some(Mechanics),
            Pass,
            "← moved 1 column in 6 of 6 taps",
        ),
        (
            "move_right",
            "does a tap move one column to the right?",
            Some(Mechanics),
            Pass,
            "→ moved 1 column in 6 of 6 taps",
        ),
        (
            "soft_drop",
            "does a key make the piece fall faster?",
            Some(Mechanics),
            Pass,
            "↓ fell 1 row a tap, 14 rows in 700 ms while held",
        ),
        (
            "soft_drop_distinct",
            "is the soft drop no hard drop?",
            Some(Mechanics),
            Pass,
            "the piece stayed free for 500 ms after the drop",
        ),
        (
            "hard_drop",
            "does one press put the piece where it would land?",
            Some(Mechanics),
            Pass,
            "Space locked it 17 rows below, where it would land",
        ),
        (
            "rotate",
            "do four presses take a piece through its states?",
            Some(Mechanics),
            Pass,
            "↑ went through 4 states of T, 2 of S, 2 of I",
        ),
        (
            "rotate_ccw",
            "does a second key turn the other way?",
            Some(Mechanics),
            Fail,
            "z: 1 shape in 4 presses, twice; the page's own text names z as the key that turns left",
        ),
        (
            "walls_hold",
            "does the piece stay on the board?",
            Some(Mechanics),
            Open,
            "",
        ),
        (
            "piece_locks",
            "does the piece become part of the stack?",
            Some(Mechanics),
            Pass,
            "9 locks with 4 cells each, 500 ms after landing",
        ),
        (
            "line_clear",
            "does a full row disappear?",
            Some(Play),
            Open,
            "waiting: no full row yet",
        ),
        (
            "rows_fall_after_clear",
            "do the rows above move down?",
            Some(Play),
            Open,
            "",
        ),
        (
            "all_seven_pieces",
            "do all seven pieces come?",
            Some(Play),
            Open,
            "I O T S Z J seen, L missing after 9 spawns",
        ),
        (
            "all_pieces_rotate",
            "does every piece turn?",
            Some(Play),
            Open,
            "",
        ),
        (
            "score_element_visible",
            "is there a number that behaves like a score?",
            Some(Numbers),
            Open,
            "",
        ),
        (
            "score_increases_on_clear",
            "does a clear raise the score?",
            Some(Numbers),
            Open,
            "",
        ),
        (
            "next_preview",
            "is the coming piece shown?",
            Some(Numbers),
            Open,
            "",
        ),
        (
            "next_preview_truthful",
            "does the preview tell the truth?",
            Some(Numbers),
            Open,
            "",
        ),
        (
            "hold",
            "can a piece be held?",
            Some(Numbers),
            Skipped,
            "no key holds a piece: 42 tried",
        ),
        ("pause", "can the game be paused?", Some(Numbers), Open, ""),
        (
            "game_over",
            "does the game end when the board is full?",
            Some(GameOver),
            Open,
            "",
        ),
        (
            "game_over_shown",
            "can a person see that it ended?",
            Some(GameOver),
            Open,
            "",
        ),
        (
            "restart",
            "can a new game be started?",
            Some(Restart),
            Open,
            "",
        ),
        (
            "restart_resets",
            "does a new game begin from nothing?",
            Some(Restart),
            Open,
            "",
        ),
        (
            "multi_line_clear",
            "do several full rows disappear at once?",
            Some(Compete),
            Open,
            "",
        ),
        (
            "score_scales_with_clears",
            "do more rows at once give more?",
            Some(Compete),
            Open,
            "",
        ),
        (
            "level_increases",
            "does the level rise?",
            Some(Compete),
            Open,
            "",
        ),
        (
            "speed_increases",
            "does the game get faster?",
            Some(Compete),
            Open,
            "",
        ),
        (
            "rendering_clean",
            "is what is drawn what is there?",
            Some(Compete),
            Open,
            "",
        ),
        (
            "survives_play",
            "is it still alive at the end?",
            Some(Compete),
            Open,
            "",
        ),
        (
            "no_page_scroll",
            "does the page stay where it is under the game's keys?",
            None,
            Skipped,
            "the page cannot scroll",
        ),
    ]
};

fn checks() -> Vec<CheckView> {
    let view = |&(name, title, phase, status, why): &(
        &'static str,
        &'static str,
        Option<Phase>,
        Status,
        &str,
    )| CheckView {
        name,
        title,
        phase,
        verdict: Verdict {
            status,
            why: why.into(),
            cites: if status == Status::Fail {
                vec![412, 418, 999]
            } else {
                Vec::new()
            },
        },
    };
    CHECKS.iter().map(view).collect()
}

fn controls() -> ControlMap {
    let mut map = ControlMap::default();
    for (action, key, confidence, observation) in [
        (
            Action::MoveLeft,
            Some("ArrowLeft"),
            Confidence::Confirmed,
            "moved 1 column to the left, 6 of 6 taps",
        ),
        (
            Action::MoveRight,
            Some("ArrowRight"),
            Confidence::Confirmed,
            "moved 1 column to the right, 6 of 6 taps",
        ),
        (
            Action::SoftDrop,
            Some("ArrowDown"),
            Confidence::Confirmed,
            "fell 1 row a tap",
        ),
        (
            Action::HardDrop,
            Some(" "),
            Confidence::Confirmed,
            "locked where it would land",
        ),
        (
            Action::RotateCw,
            Some("ArrowUp"),
            Confidence::Confirmed,
            "a quarter turn clockwise",
        ),
        (
            Action::RotateCcw,
            Some("z"),
            Confidence::Suspected,
            "turned once of 4 presses",
        ),
        (Action::Hold, None, Confidence::NotFound, "42 keys tried"),
    ] {
        map.set(
            action,
            ControlMapping {
                key: key.map(Key::new),
                confidence,
                observation: observation.into(),
                tap_ms: 40,
            },
        );
    }
    map
}

fn log() -> Vec<LogLine> {
    use LogKind::{Bot, Game, Operator, Page, Verdict};
    let lines = [
        (Page, "loaded http://127.0.0.1:41233/"),
        (Page, "refused a request to cdn.example.net (font)"),
        (Bot, "pressed Enter to start"),
        (Game, "spawned T"),
        (Verdict, "game_starts passes: Enter; a piece fell 3 rows"),
        (Bot, "pressed ArrowLeft"),
        (Game, "moved left by 1"),
        (Bot, "pressed ArrowUp"),
        (Game, "turned T from state 1 to 2"),
        (Verdict, "rotate passes: 4 states of T, 2 of S, 2 of I"),
        (Operator, "holds"),
        (Operator, "lets it go on"),
        (Bot, "pressed z"),
        (Verdict, "rotate_ccw fails: z: 1 shape in 4 presses, twice"),
        (Bot, "pressed Space"),
        (Game, "locked T at column 4, 4 cells"),
        (Game, "spawned L"),
    ];
    (0..60u64)
        .map(|i| {
            let (kind, text) = lines[i as usize % lines.len()];
            LogLine {
                stamp: Stamp {
                    seq: 400 + i,
                    game_us: 1_000_000 + i * 700_000,
                    wall_us: i * 90_000,
                },
                kind,
                text: text.into(),
            }
        })
        .collect()
}

fn phases() -> Vec<PhaseView> {
    let view = |phase: Phase| {
        let (state, note) = match phase.number() {
            1 => (PhaseState::Done, "canvas, 1 candidate"),
            2 => (PhaseState::Done, "Enter, 1.2 s"),
            3 => (PhaseState::Running, "8 of 11 checks"),
            7 => (PhaseState::Skipped, "no game over reached"),
            _ => (PhaseState::Waiting, ""),
        };
        PhaseView {
            phase,
            state,
            note: note.into(),
        }
    };
    Phase::ALL.into_iter().map(view).collect()
}

/// The session at a moment: `t` moves the piece down and the numbers on.
pub fn snapshot(t: u64) -> Snapshot {
    let fallen = (t % 12) as i32;
    let active = ActivePiece::new(vec![
        (5, 1 + fallen),
        (6, 1 + fallen),
        (7, 1 + fallen),
        (6, 2 + fallen),
    ]);
    let history = |step: f64| {
        (0..24)
            .map(|i| f64::from(i) * f64::from(i) * step)
            .collect::<Vec<_>>()
    };
    Snapshot {
        revision: t,
        target: "./games/blocks".into(),
        state: RunState::Running,
        doing: "trying z for a turn to the left".into(),
        clock: ClockView {
            mode: ClockMode::Virtual,
            speed: 8.0,
            reached: 6.1,
            why: "the page keeps to it".into(),
        },
        stamp: Stamp {
            seq: 460 + t,
            game_us: 42_300_000 + t * 100_000,
            wall_us: 9_000_000,
        },
        phase: Some(Phase::Mechanics),
        phases: phases(),
        reads_per_second: 61.2,
        health: PageHealth {
            responsive: true,
            errors: 0,
            refused: 2,
            dialogs: 0,
            last: "refused cdn.example.net".into(),
        },
        board: Some(Board {
            x: 120.0,
            y: 40.0,
            cell_width: 30.0,
            cell_height: 30.0,
            columns: 10,
            rows: 20,
            confidence: 0.99,
            why: "motion".into(),
            sure: tetrascope::model::Sure::default(),
        }),
        board_confidence: Some(0.99),
        reader: "canvas".into(),
        grid: Some(Arc::new(grid(10, 20, &STACK, &active))),
        active: Some(active),
        next: vec![PieceKind::L, PieceKind::I, PieceKind::S],
        controls: controls(),
        numbers: vec![
            NumberView {
                name: "score".into(),
                value: 1240.0 + t as f64,
                rect: Rect::new(450.0, 60.0, 60.0, 18.0),
                history: history(2.3),
            },
            NumberView {
                name: "lines".into(),
                value: 4.0,
                rect: Rect::new(450.0, 120.0, 60.0, 18.0),
                history: vec![0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 4.0],
            },
            NumberView {
                name: "level".into(),
                value: 1.0,
                rect: Rect::new(450.0, 180.0, 60.0, 18.0),
                history: vec![1.0; 12],
            },
        ],
        threshold: Some(14.2),
        checks: Arc::new(checks()),
        log: Arc::new(log()),
        log_dropped: 0,
        ..Snapshot::default()
    }
}
