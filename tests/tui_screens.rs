//! Every screen and overlay at the sizes people have, as text.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/sample.rs"]
mod sample;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use std::sync::Arc;
use tetrascope::model::ActivePiece;
use tetrascope::session::{LogLine, RunState, Snapshot};
use tetrascope::tui::{Depth, Input, Look, Screen, Theme, draw};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];
const PLAIN: Look = Look {
    ascii: false,
    theme: Theme::Default,
    depth: Depth::True,
};

fn key(code: KeyCode) -> Input {
    Input::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// A screen after some keys.
fn terminal(
    snapshot: &Snapshot,
    look: Look,
    size: (u16, u16),
    keys: &[KeyCode],
) -> Terminal<TestBackend> {
    let mut screen = Screen::new(look, size);
    for code in keys {
        screen.update(snapshot, key(*code));
    }
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal
        .draw(|frame| draw(snapshot, &screen, frame))
        .unwrap();
    terminal
}

fn check(name: &str, snapshot: &Snapshot, look: Look, size: (u16, u16), keys: &[KeyCode]) {
    let terminal = terminal(snapshot, look, size, keys);
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), terminal.backend());
    });
}

#[test]
fn the_main_screen_is_calm_at_every_size() {
    for size in SIZES.into_iter().chain([(240, 70)]) {
        check("main", &sample::snapshot(4), PLAIN, size, &[]);
        check(
            "main_ascii",
            &sample::snapshot(4),
            Look {
                ascii: true,
                ..PLAIN
            },
            size,
            &[],
        );
        check(
            "main_no_colour",
            &sample::snapshot(4),
            Look {
                depth: Depth::None,
                ..PLAIN
            },
            size,
            &[],
        );
    }
}

#[test]
fn every_overlay_fits_at_every_size() {
    use KeyCode::{Char, Down, Enter};
    for size in SIZES {
        for (name, keys) in [
            ("help", vec![Char('?')]),
            ("controls", vec![Char('c'), Down]),
            ("rebind", vec![Char('c'), Enter]),
            ("phases", vec![Char('g')]),
            ("quit", vec![Char('q')]),
            ("detail", [vec![Down; 9], vec![Enter]].concat()),
            ("driving", vec![Char('d')]),
        ] {
            check(name, &sample::snapshot(4), PLAIN, size, &keys);
        }
    }
    check(
        "help_ascii",
        &sample::snapshot(4),
        Look {
            ascii: true,
            ..PLAIN
        },
        (80, 24),
        &[Char('?')],
    );
}

#[test]
fn the_board_screen_shows_the_page_with_what_is_decoded_over_it() {
    use tetrascope::model::{Frame, Raster, Rect};
    let mut snapshot = sample::snapshot(4);
    let rect = Rect::new(0.0, 0.0, 1280.0, 800.0);
    snapshot.page = Some(Arc::new(Frame {
        raster: Raster::filled(1280, 800, [30, 30, 60]),
        samples: 1,
        rect,
    }));
    for size in SIZES {
        check("board", &snapshot, PLAIN, size, &[KeyCode::Char('b')]);
    }
    snapshot.places = Arc::new(snapshot.numbers.clone());
    for (name, tabs) in [("thresholds", 4), ("reader", 5), ("score", 6), ("next", 9)] {
        let mut keys = vec![KeyCode::Char('b')];
        keys.extend([KeyCode::Tab].repeat(tabs));
        for size in [(80, 24), (120, 40)] {
            check(&format!("board_{name}"), &snapshot, PLAIN, size, &keys);
        }
    }
    let keys = ['b', 'h', '\t'].map(|c| {
        if c == '\t' {
            KeyCode::Tab
        } else {
            KeyCode::Char(c)
        }
    });
    let drawn = terminal(&snapshot, PLAIN, (120, 40), &keys);
    // Sure cells are green, and blocks are marked.
    let colours = drawn.backend().buffer().content().iter().map(|c| c.fg);
    let green = colours
        .filter(|c| matches!(c, Color::Rgb(r, g, _) if g > r))
        .count();
    assert!(green > 50, "{green}");
    // Without colours there is no picture, and that is said.
    let plain = Look {
        depth: Depth::None,
        ..PLAIN
    };
    let bare = terminal(&snapshot, plain, (120, 40), &keys[..1]);
    assert!(
        bare.backend()
            .to_string()
            .contains("no picture without colours")
    );
}

#[test]
fn events_are_searched_filtered_and_the_log_opens_beside_them() {
    use KeyCode::{Char, Enter, Tab, Up};
    for size in SIZES {
        let search = ['/', 't', 'u', 'r', 'n', 'e', 'd'].map(Char);
        check("typing", &sample::snapshot(4), PLAIN, size, &search);
        check(
            "found",
            &sample::snapshot(4),
            PLAIN,
            size,
            &[&search[..], &[Enter]].concat(),
        );
        check(
            "kinds",
            &sample::snapshot(4),
            PLAIN,
            size,
            &[Char('1'), Char('2')],
        );
        check(
            "scrolled",
            &sample::snapshot(4),
            PLAIN,
            size,
            &[Tab, Up, Up],
        );
        check("log", &sample::snapshot(4), PLAIN, size, &[Char('l')]);
    }
}

#[test]
fn the_states_of_a_session_show() {
    let base = sample::snapshot(4);
    for size in [SIZES[0], SIZES[1]] {
        check(
            "opening",
            &Snapshot {
                target: "https://example.org/".into(),
                doing: "starting the browser".into(),
                ..Snapshot::default()
            },
            PLAIN,
            size,
            &[],
        );
        let failed = RunState::Failed("the browser went away twice: exit status 139".into());
        check(
            "failed",
            &Snapshot {
                state: failed,
                grid: None,
                board: None,
                active: None,
                ..base.clone()
            },
            PLAIN,
            size,
            &[],
        );
        check(
            "held",
            &Snapshot {
                state: RunState::Held,
                frozen: true,
                driving: true,
                dropped: 31,
                ..base.clone()
            },
            PLAIN,
            size,
            &[],
        );
    }
}

#[test]
fn boards_of_other_sizes_are_shown_whole_where_they_fit() {
    for (columns, rows) in [(7, 12), (12, 20), (10, 23), (10, 40), (40, 30)] {
        let active = ActivePiece::new(vec![(3, 4), (4, 4), (5, 4), (4, 5)]);
        let grid = sample::grid(columns, rows, &sample::STACK, &active);
        let snapshot = Snapshot {
            grid: Some(Arc::new(grid)),
            active: Some(active),
            ..sample::snapshot(4)
        };
        check(
            &format!("board_{columns}x{rows}"),
            &snapshot,
            PLAIN,
            (80, 24),
            &[],
        );
        check(
            &format!("board_{columns}x{rows}"),
            &snapshot,
            PLAIN,
            (120, 40),
            &[],
        );
    }
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    check("small", &sample::snapshot(4), PLAIN, (40, 10), &[]);
    check("least", &sample::snapshot(4), PLAIN, (56, 16), &[]);
}

#[test]
fn without_colours_no_cell_has_one() {
    for keys in [
        vec![],
        vec![KeyCode::Char('?')],
        vec![KeyCode::Char('c')],
        vec![KeyCode::Char('l')],
    ] {
        let look = Look {
            depth: Depth::None,
            theme: Theme::Dark,
            ascii: false,
        };
        let terminal = terminal(&sample::snapshot(4), look, (120, 40), &keys);
        assert!(
            terminal
                .backend()
                .buffer()
                .content
                .iter()
                .all(|c| c.fg == Color::Reset && c.bg == Color::Reset)
        );
    }
}

#[test]
fn the_ascii_set_is_ascii_whatever_the_page_says() {
    let mut snapshot = sample::snapshot(4);
    snapshot.target = "スコア \u{202e}得点".into();
    snapshot.doing = "«×→»".into();
    for keys in [
        vec![],
        vec![KeyCode::Char('?')],
        vec![KeyCode::Char('c')],
        vec![KeyCode::Char('g')],
        vec![KeyCode::Char('q')],
    ] {
        let terminal = terminal(
            &snapshot,
            Look {
                ascii: true,
                ..PLAIN
            },
            (120, 40),
            &keys,
        );
        assert!(
            terminal
                .backend()
                .buffer()
                .content
                .iter()
                .all(|c| c.symbol().is_ascii())
        );
    }
}

#[test]
fn what_a_page_says_cannot_act_on_the_terminal() {
    let evil = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}abc\u{200f}\u{2066}\r\n\u{7f}";
    let mut s = sample::snapshot(4);
    s.target = evil.into();
    s.doing = evil.into();
    s.reader = evil.into();
    s.health.last = evil.into();
    s.numbers[0].name = evil.into();
    s.state = RunState::Failed(evil.into());
    s.log = Arc::new(
        s.log
            .iter()
            .map(|l| LogLine {
                text: evil.into(),
                ..l.clone()
            })
            .collect(),
    );
    let mut checks = s.checks.to_vec();
    for c in &mut checks {
        c.verdict.why = evil.into();
    }
    s.checks = Arc::new(checks);
    for keys in [vec![], vec![KeyCode::Down, KeyCode::Enter]] {
        let terminal = terminal(&s, PLAIN, (120, 40), &keys);
        for cell in &terminal.backend().buffer().content {
            let bad = |c: char| {
                c.is_control()
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            };
            assert!(!cell.symbol().chars().any(bad), "{:?}", cell.symbol());
        }
    }
}
