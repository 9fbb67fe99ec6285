//! What each key asks of the session.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/sample.rs"]
mod sample;

use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, ModifierKeyCode, MouseButton, MouseEvent,
    MouseEventKind,
};
use ratatui::{Terminal, backend::TestBackend};
use std::sync::Arc;
use tetrascope::model::{Action, Eyes, Frame, Hints, Key, Phase, Raster, Rect};
use tetrascope::session::{Command, RunState, Snapshot, StepUnit};
use tetrascope::tui::{Effect, Input, Look, Screen, draw};

fn screen() -> Screen {
    Screen::new(Look::default(), (120, 40))
}

fn press(code: KeyCode) -> Input {
    Input::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn with(code: KeyCode, modifiers: KeyModifiers) -> Input {
    Input::Key(KeyEvent::new(code, modifiers))
}

fn sent(effects: &[Effect]) -> Vec<Command> {
    let command = |e: &Effect| {
        if let Effect::Send(c) = e {
            Some(c.clone())
        } else {
            None
        }
    };
    effects.iter().filter_map(command).collect()
}

fn text(screen: &Screen, snapshot: &Snapshot, size: (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|f| draw(snapshot, screen, f)).unwrap();
    let buffer = terminal.backend().buffer();
    (0..size.1)
        .map(|y| (0..size.0).map(|x| buffer[(x, y)].symbol()).collect())
        .collect()
}

/// Where a text stands on the screen.
fn find(screen: &Screen, snapshot: &Snapshot, what: &str) -> (u16, u16) {
    let lines = text(screen, snapshot, (120, 40));
    let (y, line) = lines
        .iter()
        .enumerate()
        .find(|(_, l)| l.contains(what))
        .unwrap_or_else(|| panic!("no {what}"));
    (
        line[..line.find(what).unwrap()].chars().count() as u16,
        y as u16,
    )
}

fn click(screen: &mut Screen, snapshot: &Snapshot, what: &str) -> Vec<Effect> {
    let (column, row) = find(screen, snapshot, what);
    let event = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row,
        modifiers: KeyModifiers::NONE,
    };
    screen.update(snapshot, Input::Mouse(event))
}

#[test]
fn each_key_sends_its_command() {
    let running = sample::snapshot(0);
    let held = Snapshot {
        state: RunState::Held,
        frozen: true,
        ..sample::snapshot(0)
    };
    for (snapshot, input, command) in [
        (&running, press(KeyCode::Char(' ')), Command::Hold(true)),
        (&held, press(KeyCode::Char(' ')), Command::Hold(false)),
        (&running, press(KeyCode::Char('f')), Command::Freeze(true)),
        (&held, press(KeyCode::Char('f')), Command::Freeze(false)),
        (
            &running,
            press(KeyCode::Char('s')),
            Command::Step(StepUnit::Frame),
        ),
        (
            &running,
            press(KeyCode::Char('S')),
            Command::Step(StepUnit::Action),
        ),
        (
            &running,
            with(KeyCode::Char('s'), KeyModifiers::ALT),
            Command::Step(StepUnit::Phase),
        ),
        (&running, press(KeyCode::Char('n')), Command::SkipPhase),
        (&running, press(KeyCode::Char('R')), Command::RedoPhase),
        (&running, press(KeyCode::Char('>')), Command::Speed(16.0)),
        (&running, press(KeyCode::Char('<')), Command::Speed(4.0)),
    ] {
        assert_eq!(
            sent(&screen().update(snapshot, input.clone())),
            [command],
            "{input:?}"
        );
    }
}

#[test]
fn speed_goes_up_to_as_fast_as_it_goes_and_comes_back() {
    let mut s = sample::snapshot(0);
    s.clock.speed = 64.0;
    assert_eq!(
        sent(&screen().update(&s, press(KeyCode::Char('>')))),
        [Command::Speed(f64::INFINITY)]
    );
    s.clock.speed = f64::INFINITY;
    assert_eq!(
        sent(&screen().update(&s, press(KeyCode::Char('>')))),
        [Command::Speed(f64::INFINITY)]
    );
    assert_eq!(
        sent(&screen().update(&s, press(KeyCode::Char('<')))),
        [Command::Speed(64.0)]
    );
}

#[test]
fn quitting_asks_while_it_runs_and_does_not_when_it_is_over() {
    let mut s = sample::snapshot(0);
    let mut sc = screen();
    assert!(sc.update(&s, press(KeyCode::Char('q'))).is_empty());
    assert!(sc.update(&s, press(KeyCode::Esc)).is_empty());
    assert!(sc.update(&s, press(KeyCode::Char('q'))).is_empty());
    assert_eq!(
        sc.update(&s, press(KeyCode::Enter)),
        [Effect::Send(Command::Quit), Effect::Leave]
    );
    s.state = RunState::Finished;
    assert_eq!(
        screen().update(&s, press(KeyCode::Char('q'))),
        [Effect::Send(Command::Quit), Effect::Leave]
    );
    for keys in ["", "?", "c", "/x", "d"] {
        let mut sc = screen();
        for c in keys.chars() {
            sc.update(&s, press(KeyCode::Char(c)));
        }
        let effects = sc.update(&s, with(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert!(
            effects.ends_with(&[Effect::Send(Command::Quit), Effect::Leave]),
            "after {keys:?}"
        );
    }
}

#[test]
fn in_drive_mode_every_key_goes_to_the_page_until_the_documented_one() {
    let mut s = sample::snapshot(0);
    let mut sc = screen();
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Char('d')))),
        [Command::Drive(true)]
    );
    s.driving = true;
    sc.update(&s, Input::Snapshot);
    for (code, key) in [
        (KeyCode::Char('q'), "q"),
        (KeyCode::Left, "ArrowLeft"),
        (KeyCode::Esc, "Escape"),
        (KeyCode::Char(' '), " "),
    ] {
        let key = Key::new(key);
        let effects = sc.update(&s, press(code));
        assert_eq!(
            sent(&effects),
            [Command::DriveKey {
                key: key.clone(),
                down: true
            }]
        );
        let Some(Effect::ReleaseLater(_, first)) = effects.get(1).cloned() else {
            panic!("{effects:?}")
        };
        // The terminal repeats the key: it stays down, and only the last press is answered by a release.
        let Some(Effect::ReleaseLater(_, second)) = sc.update(&s, press(code)).first().cloned()
        else {
            panic!()
        };
        assert!(
            sc.update(&s, Input::ReleaseDue(key.clone(), first))
                .is_empty()
        );
        let up = sc.update(&s, Input::ReleaseDue(key.clone(), second));
        assert_eq!(sent(&up), [Command::DriveKey { key, down: false }]);
    }
    sc.update(&s, press(KeyCode::Char('x')));
    let x = Key::new("x");
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::F(10)))),
        [
            Command::DriveKey {
                key: x,
                down: false
            },
            Command::Drive(false)
        ]
    );
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Char(' ')))),
        [Command::Hold(true)]
    );
}

#[test]
fn where_the_terminal_tells_releases_they_are_what_counts() {
    let s = sample::snapshot(0);
    let mut sc = screen().with_releases(true);
    sc.update(&s, press(KeyCode::Char('d')));
    assert_eq!(sc.update(&s, press(KeyCode::Down)).len(), 1);
    let mut up = KeyEvent::new(KeyCode::Down, KeyModifiers::NONE);
    up.kind = KeyEventKind::Repeat;
    assert!(sc.update(&s, Input::Key(up)).is_empty());
    up.kind = KeyEventKind::Release;
    let key = Key::new("ArrowDown");
    assert_eq!(
        sent(&sc.update(&s, Input::Key(up))),
        [Command::DriveKey { key, down: false }]
    );
    sc.update(&s, press(KeyCode::Down));
    assert_eq!(
        sent(&sc.update(&s, Input::FocusLost)).len(),
        1,
        "a key is not left down when the terminal loses the focus"
    );
}

#[test]
fn drive_mode_ends_when_the_session_ends_it() {
    let mut s = sample::snapshot(0);
    let mut sc = screen();
    sc.update(&s, press(KeyCode::Char('d')));
    sc.update(&s, Input::Snapshot);
    s.driving = true;
    sc.update(&s, Input::Snapshot);
    s.driving = false;
    sc.update(&s, Input::Snapshot);
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Char('n')))),
        [Command::SkipPhase]
    );
}

#[test]
fn an_action_is_rebound_by_pressing_the_key() {
    let s = sample::snapshot(0);
    let mut sc = screen();
    for code in [KeyCode::Char('c'), KeyCode::Down, KeyCode::Enter] {
        assert!(sent(&sc.update(&s, press(code))).is_empty());
    }
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Char('q')))),
        [Command::Rebind(Action::MoveRight, Key::new("q"))]
    );
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Char('x')))),
        [Command::Unbind(Action::MoveRight)]
    );
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Char('r')))),
        [Command::Rediscover(Action::MoveRight)]
    );
    sc.update(&s, press(KeyCode::Enter));
    assert!(
        sent(&sc.update(&s, press(KeyCode::F(10)))).is_empty(),
        "F10 leaves the key as it is"
    );
    sc.update(&s, press(KeyCode::Enter));
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Esc))),
        [Command::Rebind(Action::MoveRight, Key::new("Escape"))]
    );
}

#[test]
fn shift_alone_becomes_a_key_when_it_goes_up_and_a_capital_with_it_does_not() {
    let s = sample::snapshot(0);
    let shift = |kind| {
        let code = KeyCode::Modifier(ModifierKeyCode::LeftShift);
        Input::Key(KeyEvent::new_with_kind(code, KeyModifiers::SHIFT, kind))
    };
    let mut sc = screen().with_releases(true);
    sc.update(&s, press(KeyCode::Char('c')));
    sc.update(&s, press(KeyCode::Enter));
    let up = KeyEvent::new_with_kind(KeyCode::Enter, KeyModifiers::NONE, KeyEventKind::Release);
    assert!(
        sc.update(&s, Input::Key(up)).is_empty(),
        "the enter that began it"
    );
    assert!(sc.update(&s, shift(KeyEventKind::Press)).is_empty());
    let bound = sc.update(&s, shift(KeyEventKind::Release));
    assert_eq!(
        sent(&bound),
        [Command::Rebind(Action::MoveLeft, Key::new("Shift"))]
    );
}

#[test]
fn the_first_arrow_selects_what_is_in_view_and_escape_lets_go() {
    let s = sample::snapshot(0);
    let mut sc = screen();
    sc.update(&s, press(KeyCode::Down));
    let status = |sc: &Screen| text(sc, &s, (120, 40))[1].clone();
    assert!(status(&sc).contains("piece_spawns:"), "{}", status(&sc));
    sc.update(&s, press(KeyCode::Down));
    assert!(status(&sc).contains("gravity:"));
    sc.update(&s, press(KeyCode::Esc));
    assert!(status(&sc).contains("trying z"));
}

#[test]
fn a_phase_is_chosen_from_the_list() {
    let s = sample::snapshot(0);
    let mut sc = screen();
    sc.update(&s, press(KeyCode::Char('g')));
    sc.update(&s, press(KeyCode::Down));
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Enter))),
        [Command::GoToPhase(Phase::Play)]
    );
}

#[test]
fn pasted_text_is_no_commands() {
    let s = sample::snapshot(0);
    assert!(screen().update(&s, Input::Paste("q\nRn".into())).is_empty());
}

#[test]
fn the_events_follow_until_one_scrolls_and_again_after_end() {
    let mut s = sample::snapshot(0);
    let mut sc = screen();
    let size = (120, 40);
    let last = |sc: &Screen, s: &Snapshot| text(sc, s, size)[38].clone();
    let grow = |s: &mut Snapshot, what: &str| {
        let mut log = s.log.to_vec();
        let mut line = log[0].clone();
        line.text = what.into();
        log.push(line);
        // A full ring pushes its oldest line out.
        log.remove(0);
        s.log_dropped += 1;
        s.log = log.into();
    };
    grow(&mut s, "first new line");
    assert!(last(&sc, &s).contains("first new line"));
    sc.update(&s, press(KeyCode::Tab));
    sc.update(&s, press(KeyCode::Up));
    let before = last(&sc, &s);
    grow(&mut s, "second new line");
    assert_eq!(last(&sc, &s), before, "what one reads stays where it is");
    assert!(
        text(&sc, &s, size)
            .iter()
            .any(|l| l.contains("2 more below"))
    );
    sc.update(&s, press(KeyCode::End));
    assert!(last(&sc, &s).contains("second new line"));
}

#[test]
fn a_click_does_what_it_points_at() {
    let s = sample::snapshot(0);
    let mut sc = screen();
    assert_eq!(sent(&click(&mut sc, &s, "freeze")), [Command::Freeze(true)]);
    click(&mut sc, &s, "rotate_ccw");
    assert!(
        text(&sc, &s, (120, 40))
            .iter()
            .any(|l| l.contains("3 records decided it"))
    );
    sc.update(&s, press(KeyCode::Esc));
    click(&mut sc, &s, "2 bot");
    assert!(
        !text(&sc, &s, (120, 40))
            .iter()
            .any(|l| l.contains(" bot      "))
    );
    click(&mut sc, &s, "- bot");
    assert!(
        text(&sc, &s, (120, 40))
            .iter()
            .any(|l| l.contains(" bot      "))
    );
}

#[test]
fn the_mouse_can_be_given_to_the_terminal() {
    let s = sample::snapshot(0);
    let mut sc = screen();
    assert_eq!(
        sc.update(&s, press(KeyCode::Char('m'))),
        [Effect::Mouse(false)]
    );
    assert_eq!(
        sc.update(&s, press(KeyCode::Char('m'))),
        [Effect::Mouse(true)]
    );
}

#[test]
fn a_search_goes_through_its_matches_and_ends() {
    let s = sample::snapshot(0);
    let mut sc = screen();
    for c in "/locked".chars() {
        sc.update(&s, press(KeyCode::Char(c)));
    }
    sc.update(&s, press(KeyCode::Enter));
    assert!(sent(&sc.update(&s, press(KeyCode::Char('N')))).is_empty());
    assert!(sent(&sc.update(&s, press(KeyCode::Char('n')))).is_empty());
    sc.update(&s, press(KeyCode::Esc));
    assert_eq!(
        sent(&sc.update(&s, press(KeyCode::Char('n')))),
        [Command::SkipPhase]
    );
}

#[test]
fn two_steps_of_speed_in_a_row_are_two_steps() {
    let mut s = sample::snapshot(0);
    s.clock.speed = 1.0;
    let mut screen = screen();
    screen.update(&s, press(KeyCode::Char('>')));
    let second = screen.update(&s, press(KeyCode::Char('>')));
    assert_eq!(sent(&second), [Command::Speed(4.0)]);
    s.clock.speed = 4.0;
    screen.update(&s, Input::Snapshot);
    s.clock.speed = 0.5;
    let third = screen.update(&s, press(KeyCode::Char('>')));
    assert_eq!(sent(&third), [Command::Speed(1.0)]);
}

#[test]
fn the_board_is_nudged_typed_drawn_taught_and_saved() {
    let snapshot = sample::snapshot(4);
    let mut screen = screen();
    let asked = |effects: &[Effect]| match &sent(effects)[..] {
        [Command::Board(board)] => board.clone(),
        other => panic!("no board: {other:?}"),
    };
    let effects = screen.update(&snapshot, press(KeyCode::Char('b')));
    assert_eq!(sent(&effects), [Command::ViewPage(true)]);
    let known = snapshot.board.clone().unwrap();
    let board = asked(&screen.update(&snapshot, press(KeyCode::Right)));
    assert!((board.x - known.x - 1.0).abs() < 1e-9);
    // What was asked for and is not there yet is what the next step begins from.
    let board = asked(&screen.update(&snapshot, with(KeyCode::Down, KeyModifiers::SHIFT)));
    assert!((board.x - known.x - 1.0).abs() < 1e-9 && (board.y - known.y - 10.0).abs() < 1e-9);
    let effects = screen.update(&snapshot, press(KeyCode::Char('u')));
    assert_eq!(sent(&effects), [Command::UndoBoard]);
    for _ in 0..2 {
        screen.update(&snapshot, press(KeyCode::Tab));
    }
    let board = asked(&screen.update(&snapshot, press(KeyCode::Up)));
    assert_eq!(board.rows, known.rows - 1);
    assert!((board.cell_height - known.cell_height).abs() < 1e-9);
    screen.update(&snapshot, press(KeyCode::Char('u')));
    // A cell that is pointed at is the other way.
    screen.update(&snapshot, press(KeyCode::Tab));
    screen.update(&snapshot, press(KeyCode::Down));
    let effects = screen.update(&snapshot, press(KeyCode::Enter));
    assert!(
        matches!(
            sent(&effects)[..],
            [Command::Teach {
                column: 0,
                row: 1,
                ..
            }]
        ),
        "{effects:?}"
    );
    screen.update(&snapshot, press(KeyCode::Char('t')));
    for _ in 0..60 {
        screen.update(&snapshot, press(KeyCode::Backspace));
    }
    for c in "10,20,200,400,10,20".chars() {
        screen.update(&snapshot, press(KeyCode::Char(c)));
    }
    let board = asked(&screen.update(&snapshot, press(KeyCode::Enter)));
    assert_eq!((board.columns, board.rows), (10, 20));
    assert!((board.cell_width - 20.0).abs() < 1e-9);
    let effects = screen.update(&snapshot, press(KeyCode::Char('w')));
    assert_eq!(sent(&effects), [Command::SaveProfile]);
    let effects = screen.update(&snapshot, press(KeyCode::Esc));
    assert_eq!(sent(&effects), [Command::ViewPage(false)]);
}

/// The board screen with the hand on what stands so many tabs from the first.
fn desk(snapshot: &Snapshot, tabs: usize) -> Screen {
    let mut screen = screen();
    screen.update(snapshot, press(KeyCode::Char('b')));
    for _ in 0..tabs {
        screen.update(snapshot, press(KeyCode::Tab));
    }
    screen
}

fn hinted(effects: &[Effect]) -> Hints {
    match &sent(effects)[..] {
        [Command::Hints(hints)] => hints.clone(),
        other => panic!("no hints: {other:?}"),
    }
}

#[test]
fn thresholds_reader_and_places_are_said_with_the_arrows_and_left_again() {
    let mut snapshot = sample::snapshot(4);
    let rows = snapshot.numbers.clone();
    snapshot.places = Arc::new(rows);
    let mut screen = desk(&snapshot, 4);
    // From what was learned, in halves.
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Right)));
    assert_eq!((hints.block, hints.ghost), (Some(15.0), None));
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Up)));
    assert_eq!((hints.block, hints.ghost), (Some(15.0), Some(46.0)));
    let hints = hinted(&screen.update(&snapshot, with(KeyCode::Left, KeyModifiers::SHIFT)));
    assert_eq!(hints.block, Some(5.0));
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Char('x'))));
    assert!(hints.is_empty());

    let mut screen = desk(&snapshot, 5);
    let mut eyes = Vec::new();
    for _ in 0..3 {
        eyes.push(hinted(&screen.update(&snapshot, press(KeyCode::Right))).eyes);
    }
    assert_eq!(eyes, [Some(Eyes::Inside), Some(Eyes::Screen), None]);

    let mut screen = desk(&snapshot, 6);
    let rect = |i: usize| Some(snapshot.places[i].rect);
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Right)));
    assert_eq!(hints.score, rect(0));
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Right)));
    assert_eq!(hints.score, rect(1));
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Left)));
    assert_eq!(hints.score, rect(0));
    // The other numbers keep their places while one is chosen.
    screen.update(&snapshot, press(KeyCode::Tab));
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Left)));
    assert_eq!((hints.score, hints.lines), (rect(0), rect(0)));

    let mut screen = desk(&snapshot, 9);
    let hints = hinted(&screen.update(&snapshot, press(KeyCode::Down)));
    let board = snapshot.board.clone().unwrap();
    let next = hints.next.unwrap();
    assert!(next.x > board.rect().right() && (next.y - board.y - 1.0).abs() < 1e-9);
    // Once the session shows it, it is what the next step begins from; undo forgets what was not shown.
    snapshot.hints = hints.clone();
    screen.update(&snapshot, Input::Snapshot);
    let again = hinted(&screen.update(&snapshot, press(KeyCode::Down)));
    assert!((again.next.unwrap().y - next.y - 1.0).abs() < 1e-9);
}

#[test]
fn the_mouse_takes_the_board_along_and_points_at_numbers() {
    let mut snapshot = sample::snapshot(4);
    snapshot.page = Some(Arc::new(Frame {
        raster: Raster::filled(600, 700, [30; 3]),
        samples: 1,
        rect: Rect::new(0.0, 0.0, 600.0, 700.0),
    }));
    snapshot.places = Arc::new(snapshot.numbers.clone());
    let at = |kind, column, row| {
        Input::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        })
    };
    let drag = |screen: &mut Screen, from: (u16, u16), to: (u16, u16)| {
        let left = MouseButton::Left;
        screen.update(&snapshot, at(MouseEventKind::Down(left), from.0, from.1));
        screen.update(&snapshot, at(MouseEventKind::Drag(left), to.0, to.1));
        screen.update(&snapshot, at(MouseEventKind::Up(left), to.0, to.1))
    };
    let known = snapshot.board.clone().unwrap();
    let mut screen = desk(&snapshot, 0);
    let moved = match &sent(&drag(&mut screen, (20, 18), (22, 18)))[..] {
        [Command::Board(board)] => board.clone(),
        other => panic!("no board: {other:?}"),
    };
    assert!(moved.x > known.x && (moved.y - known.y).abs() < 1e-9);
    assert!(
        (moved.cell_width - known.cell_width).abs() < 1e-9,
        "its size stays"
    );
    // A click on the board is on a cell, and on a number where a number is to be told.
    let mut screen = desk(&snapshot, 0);
    assert_eq!(sent(&drag(&mut screen, (20, 18), (20, 18))), []);
    let effects = screen.update(&snapshot, press(KeyCode::Enter));
    assert!(matches!(sent(&effects)[..], [Command::Teach { .. }]));
    let mut screen = desk(&snapshot, 8);
    let hints = hinted(&drag(&mut screen, (38, 9), (38, 9)));
    assert!(snapshot.places.iter().any(|n| Some(n.rect) == hints.level));
    let mut screen = desk(&snapshot, 9);
    let hints = hinted(&drag(&mut screen, (5, 3), (15, 9)));
    let next = hints.next.unwrap();
    assert!(next.width > 20.0 && next.height > 20.0, "{next:?}");
}

#[test]
fn a_key_is_tried_from_the_controls() {
    let snapshot = sample::snapshot(4);
    let mut screen = screen();
    screen.update(&snapshot, press(KeyCode::Char('c')));
    let effects = screen.update(&snapshot, press(KeyCode::Char('t')));
    assert_eq!(effects, [Effect::AllKeys(true)]);
    let effects = screen.update(&snapshot, press(KeyCode::Char('q')));
    assert_eq!(sent(&effects), [Command::TryKey(Key::new("q"))]);
}

#[test]
fn keys_are_those_of_the_configuration_and_the_footer_says_so() {
    let own = [("hold", "h"), ("confidence", "ctrl-h")];
    let own = own.map(|(name, key)| (name.to_owned(), vec![key.to_owned()]));
    let keys = tetrascope::tui::Keymap::with(&own.into()).unwrap();
    let snapshot = sample::snapshot(0);
    let mut screen = screen().with_keys(keys);
    assert_eq!(
        sent(&screen.update(&snapshot, press(KeyCode::Char(' ')))),
        []
    );
    let effects = screen.update(&snapshot, press(KeyCode::Char('h')));
    assert_eq!(sent(&effects), [Command::Hold(true)]);
    assert_eq!(find(&screen, &snapshot, "h hold").1, 39);
}
