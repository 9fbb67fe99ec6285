//! The screen of an exploration at the sizes people have, as text, and under keys.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;
use tetrascope::explore::{Act, Allowance, Doing, Ending, Place, Scene, Showing, Step};
use tetrascope::model::{Key, Raster};
use tetrascope::progress::{Answer, Area};
use tetrascope::session::{Command, Seek, StepUnit};
use tetrascope::tui::{Depth, Effect, Explorer, Input, Look, Theme};

const SIZES: [(u16, u16); 4] = [(56, 16), (80, 24), (120, 40), (160, 50)];
const PLAIN: Look = Look {
    ascii: false,
    theme: Theme::Default,
    depth: Depth::None,
};

fn step(number: usize, act: Act, verdict: Answer, (state, to): (usize, usize)) -> Arc<Step> {
    let area = Area {
        x: 400,
        y: 300,
        width: 240,
        height: 120,
    };
    Arc::new(Step {
        number,
        state,
        action: act.id(),
        act,
        verdict,
        confidence: 0.91,
        reasons: match verdict {
            Answer::Progressed => vec![
                "240x120 at 400,300: changed and stays so".into(),
                "the page says something else".into(),
            ],
            Answer::Unchanged => vec!["nothing differs from what was seen".into()],
            Answer::Uncertain => vec!["80x20 at 4,4: is slightly lighter or darker".into()],
        },
        boxes: vec![area],
        advice: None,
        to,
        novel: verdict == Answer::Progressed,
        dialogs: Vec::new(),
        errors: Vec::new(),
        milliseconds: 812.0,
    })
}

fn scene() -> Scene {
    let sky = Raster::filled(1280, 800, [20, 30, 60]);
    let sun = Raster::filled(240, 120, [250, 220, 90]);
    let place = |screen, dead_end, ways: &[(&str, usize)]| Place {
        screen,
        visits: 2,
        dead_end,
        ways: ways.iter().map(|(a, t)| ((*a).to_string(), *t)).collect(),
    };
    let steps = vec![
        step(
            1,
            Act::click(640.0, 300.0, "Stumm"),
            Answer::Unchanged,
            (0, 0),
        ),
        step(
            2,
            Act::click(640.0, 380.0, "Los\u{1b}[2J"),
            Answer::Progressed,
            (0, 1),
        ),
        step(3, Act::tap("Enter"), Answer::Uncertain, (1, 1)),
        step(4, Act::tap("ArrowRight"), Answer::Progressed, (1, 2)),
    ];
    Scene {
        target: "games/three-rooms".into(),
        doing: Doing::Judged,
        picture: Some(sky.patched(&sun, 400, 300)),
        boxes: steps[3].boxes.clone(),
        steps,
        places: vec![
            place(0, false, &[("click \"Los\u{1b}[2J\" at 640,380", 1)]),
            place(1, false, &[("press ArrowRight", 2), ("press Escape", 0)]),
            place(1, true, &[]),
            place(2, false, &[]),
        ],
        here: Some(2),
        path: vec![0, 1, 2],
        stuck: 1,
        backtracks: 0,
        allowance: Allowance {
            actions: 60,
            seconds: Some(300.0),
            dollars: Some(0.5),
            stuck: 12,
        },
        seconds: 42.0,
        dollars: 0.0123,
        dialogs: 1,
        errors: 0,
        holding: false,
        recorded: Some("somewhere".into()),
        showing: None,
        note: None,
    }
}

fn press(screen: &mut Explorer, scene: &Scene, code: KeyCode) -> Vec<Effect> {
    screen.update(scene, Input::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn drawn(scene: &Scene, look: Look, size: (u16, u16), keys: &[KeyCode]) -> Terminal<TestBackend> {
    let mut screen = Explorer::new(look, size);
    for code in keys {
        press(&mut screen, scene, *code);
    }
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| screen.draw(scene, frame)).unwrap();
    terminal
}

fn check(name: &str, scene: &Scene, look: Look, size: (u16, u16), keys: &[KeyCode]) {
    let terminal = drawn(scene, look, size, keys);
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(format!("explorer_{name}_{}x{}", size.0, size.1), terminal.backend());
    });
}

#[test]
fn it_fits_at_every_size() {
    for size in SIZES {
        check("main", &scene(), PLAIN, size, &[]);
        check(
            "why",
            &scene(),
            PLAIN,
            size,
            &[KeyCode::Up, KeyCode::Up, KeyCode::Enter],
        );
    }
    let ascii = Look {
        ascii: true,
        ..PLAIN
    };
    check("ascii", &scene(), ascii, (120, 40), &[KeyCode::Tab]);
    check("help", &scene(), PLAIN, (80, 24), &[KeyCode::Char('?')]);
    check("quit", &scene(), PLAIN, (80, 24), &[KeyCode::Char('q')]);
}

#[test]
fn it_says_what_goes_on() {
    let size = (120, 40);
    let opening = Scene {
        target: "games/three-rooms".into(),
        ..Scene::default()
    };
    check("opening", &opening, PLAIN, size, &[]);
    let held = Scene {
        doing: Doing::Held,
        holding: true,
        ..scene()
    };
    check("held", &held, PLAIN, size, &[]);
    let failed = Scene {
        doing: Doing::Ended(Ending::Failed {
            what: "the page crashed".into(),
        }),
        ..scene()
    };
    check("failed", &failed, PLAIN, size, &[]);
    let shown = Scene {
        showing: Some(Showing {
            at: 6,
            of: 20,
            playing: false,
        }),
        ..scene()
    };
    check("replay", &shown, PLAIN, size, &[]);
}

#[test]
fn nothing_of_the_page_reaches_the_terminal_raw() {
    let colours = Look {
        depth: Depth::True,
        ..PLAIN
    };
    for keys in [&[][..], &[KeyCode::Enter][..]] {
        let terminal = drawn(&scene(), colours, (160, 50), keys);
        let text = terminal.backend().to_string();
        assert!(text.contains("Los") && !text.contains('\u{1b}'));
    }
}

#[test]
fn the_picture_is_in_the_colours_of_the_page_with_the_boxes_over_it() {
    let colours = Look {
        depth: Depth::True,
        ..PLAIN
    };
    let terminal = drawn(&scene(), colours, (160, 50), &[]);
    let has = |r, g, b| {
        let colour = ratatui::style::Color::Rgb(r, g, b);
        let cells = &terminal.backend().buffer().content;
        cells.iter().any(|c| c.fg == colour || c.bg == colour)
    };
    assert!(has(20, 30, 60) && has(250, 220, 90) && has(255, 0, 255));
}

#[test]
fn keys_hold_step_and_drive() {
    let scene = scene();
    let mut screen = Explorer::new(PLAIN, (120, 40));
    let send = |c| vec![Effect::Send(c)];
    assert_eq!(
        press(&mut screen, &scene, KeyCode::Char(' ')),
        send(Command::Hold(true))
    );
    assert_eq!(
        press(&mut screen, &scene, KeyCode::Char('s')),
        send(Command::Step(StepUnit::Action))
    );
    let effects = press(&mut screen, &scene, KeyCode::Char('d'));
    assert!(effects.contains(&Effect::Send(Command::Drive(true))));
    // While it drives, every key is the page's, also those that mean something otherwise.
    let effects = press(&mut screen, &scene, KeyCode::Char('q'));
    assert_eq!(
        effects[0],
        Effect::Send(Command::DriveKey {
            key: Key::new("q"),
            down: true
        })
    );
    let effects = press(&mut screen, &scene, KeyCode::F(10));
    assert!(effects.contains(&Effect::Send(Command::DriveKey {
        key: Key::new("q"),
        down: false
    })));
    assert!(effects.contains(&Effect::Send(Command::Drive(false))));
    // It asks before it leaves what runs, and leaves what is over at once.
    assert!(press(&mut screen, &scene, KeyCode::Char('q')).is_empty());
    assert!(press(&mut screen, &scene, KeyCode::Char('y')).contains(&Effect::Leave));
    let over = Scene {
        doing: Doing::Ended(Ending::NothingLeft),
        ..scene
    };
    let mut screen = Explorer::new(PLAIN, (120, 40));
    assert!(press(&mut screen, &over, KeyCode::Char('q')).contains(&Effect::Leave));
}

#[test]
fn in_a_replay_the_same_keys_go_through_its_moments() {
    let shown = Scene {
        showing: Some(Showing {
            at: 2,
            of: 9,
            playing: false,
        }),
        ..scene()
    };
    let mut screen = Explorer::new(PLAIN, (120, 40));
    let send = |c| vec![Effect::Send(c)];
    assert_eq!(
        press(&mut screen, &shown, KeyCode::Char(' ')),
        send(Command::Hold(false))
    );
    assert_eq!(
        press(&mut screen, &shown, KeyCode::Left),
        send(Command::Seek(Seek::Frames(-1)))
    );
    assert_eq!(
        press(&mut screen, &shown, KeyCode::Char(']')),
        send(Command::Seek(Seek::Events(1)))
    );
    assert!(press(&mut screen, &shown, KeyCode::Char('d')).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_size_and_no_key_breaks_it(w in 0u16..180, h in 0u16..60, keys in proptest::collection::vec(0usize..12, 0..12)) {
        let codes = [
            KeyCode::Up, KeyCode::Down, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home, KeyCode::End, KeyCode::Enter,
            KeyCode::Tab, KeyCode::Esc, KeyCode::Char('?'), KeyCode::Char('d'), KeyCode::Char('x'),
        ];
        let keys: Vec<KeyCode> = keys.into_iter().map(|k| codes[k]).collect();
        for scene in [scene(), Scene::default()] {
            drawn(&scene, PLAIN, (w, h), &keys);
        }
    }
}
