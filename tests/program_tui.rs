//! The program in a terminal, under somebody's hands.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
#[path = "common/program.rs"]
mod program;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use program::{PROGRAM, browser_of, game, signal, until};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

/// A terminal with a program in it.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    fn open(program: &str, args: &[&str]) -> Self {
        let (rows, cols) = (40, 120);
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env_remove("RUST_LOG");
        command.env_remove("NO_COLOR");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, cols, 0)));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let to = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(n) = reader.read(&mut bytes) {
                if n == 0 {
                    return;
                }
                to.lock().unwrap().process(&bytes[..n]);
            }
        });
        Self {
            child,
            keys: pair.master.take_writer().unwrap(),
            master: pair.master,
            screen,
        }
    }

    fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen is so.
    fn shows(&self, what: &str, so: impl Fn(&str) -> bool) -> String {
        let last = Arc::new(Mutex::new(String::new()));
        let shown = last.clone();
        let wait = std::panic::AssertUnwindSafe(|| {
            until(what, || {
                let text = self.text();
                shown.lock().unwrap().clone_from(&text);
                so(&text).then_some(text)
            })
        });
        std::panic::catch_unwind(wait)
            .unwrap_or_else(|_| panic!("{what}; the screen:\n{}", last.lock().unwrap()))
    }

    fn has(&self, text: &str) -> String {
        self.shows(text, |screen| screen.contains(text))
    }

    fn has_not(&self, text: &str) -> String {
        self.shows(&format!("no {text}"), |screen| !screen.contains(text))
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the program's end, and sees to it that the terminal is as it was.
    fn ends(mut self) -> u32 {
        let code = until("the program ends", || self.child.try_wait().unwrap()).exit_code();
        until("the terminal is given back", || {
            let parser = self.screen.lock().unwrap();
            let s = parser.screen();
            let as_it_was = !s.alternate_screen()
                && !s.hide_cursor()
                && !s.bracketed_paste()
                && s.mouse_protocol_mode() == vt100::MouseProtocolMode::None;
            as_it_was.then_some(())
        });
        code
    }
}

/// Game time as the header tells it, in tenths of a second.
fn clock(screen: &str) -> u32 {
    let head = screen.lines().next().unwrap();
    let digits = |w: &str| w.chars().filter(char::is_ascii_digit).collect::<String>();
    let time = head
        .split_whitespace()
        .find(|w| w.len() == 7 && w.as_bytes()[2] == b':' && w.as_bytes()[5] == b'.')
        .unwrap_or_else(|| panic!("no time in {head}"));
    let (minutes, rest) = time.split_once(':').unwrap();
    minutes.parse::<u32>().unwrap() * 600 + digits(rest).parse::<u32>().unwrap()
}

/// The row of the falling piece, from the pane that names it.
fn row_of_piece(screen: &str) -> Option<u32> {
    let line = screen.lines().find(|l| l.trim_start().starts_with("x "))?;
    line.split_whitespace()
        .skip_while(|w| *w != "y")
        .nth(1)?
        .parse()
        .ok()
}

/// The column of the falling piece.
fn column_of_piece(screen: &str) -> Option<u32> {
    let line = screen.lines().find(|l| l.trim_start().starts_with("x "))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn the_demo_is_held_frozen_stepped_and_left() {
    common::there_is_a_browser();
    let mut t = Terminal::open(PROGRAM, &[]);
    t.has("tetrascope");
    let browser = browser_of(t.id());
    t.has("10×20");
    t.shows("a piece falls", |s| row_of_piece(s).is_some());

    t.press(" ");
    let held = t.has("‖ held");
    t.shows("the game goes on", |s| clock(s) > clock(&held) + 5);

    t.press("f");
    t.has("frozen");
    let still = t.has(" 0 reads/s");
    for _ in 0..12 {
        t.press("s");
    }
    // Twelve frames are two tenths of a second.
    let stepped = t.shows("frames pass", |s| clock(s) >= clock(&still) + 2);
    assert!(clock(&stepped) <= clock(&still) + 3, "{stepped}");
    assert!(stepped.contains("frozen"), "{stepped}");

    t.press("f");
    t.has_not("frozen");
    t.press(" ");
    t.has("▶ running");

    t.press("?");
    t.has("Keys of the game");
    t.press("\x1b");
    t.has_not("Keys of the game");
    t.press("q");
    t.has("y ");
    t.press("y");
    assert_eq!(t.ends(), 0);
    browser.is_gone();
    assert!(!browser.folder().exists());
}

#[test]
fn a_person_can_play_the_page_and_give_it_back() {
    common::there_is_a_browser();
    let mut t = Terminal::open(PROGRAM, &[&game("start=auto&gravity=slow")]);
    let browser = browser_of(t.id());
    t.has("10×20");
    t.press("d");
    t.has("driving");
    let before = t.shows("a piece to play", |s| {
        s.contains("held") && row_of_piece(s).is_some_and(|y| y < 8) && column_of_piece(s).is_some()
    });
    t.press("\x1b[D");
    t.shows("the piece goes left", |s| {
        s.contains("operator press ←") && column_of_piece(s) < column_of_piece(&before)
    });
    // F10
    t.press("\x1b[21~");
    t.has_not("driving");
    t.has("▶ running");
    // The size changes under it.
    let size = PtySize {
        rows: 24,
        cols: 80,
        pixel_width: 0,
        pixel_height: 0,
    };
    t.master.resize(size).unwrap();
    t.screen.lock().unwrap().screen_mut().set_size(24, 80);
    t.shows("it is drawn anew", |s| {
        s.lines().all(|l| l.chars().count() <= 80) && s.contains("? help")
    });
    // Ctrl-C asks nothing.
    t.press("\x03");
    assert_eq!(t.ends(), 0);
    browser.is_gone();
}

#[test]
fn signals_give_the_terminal_back() {
    common::there_is_a_browser();
    for kind in [Signal::TERM, Signal::HUP] {
        let t = Terminal::open(PROGRAM, &[&game("start=auto")]);
        let browser = browser_of(t.id());
        t.has("10×20");
        signal(t.id(), kind);
        assert_eq!(t.ends(), 0);
        browser.is_gone();
    }
}

/// What [`a_panic_gives_the_terminal_back_and_is_told`] runs in its terminal.
#[test]
#[ignore = "run by another test"]
fn panics_on_the_screen() {
    use tetrascope::session::Snapshot;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (up, down) = tokio::sync::watch::channel(Arc::new(Snapshot::default()));
        let (commands, mut asked) = tokio::sync::mpsc::channel(4);
        let panics = async {
            // Any command is the cue.
            asked.recv().await;
            panic!("this is the end");
        };
        tokio::select! {
            _ = tetrascope::tui::run(down, commands, tetrascope::tui::Options::default()) => {}
            () = panics => {}
        }
        drop(up);
    });
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_told() {
    let this = std::env::current_exe().unwrap();
    let args = [
        "panics_on_the_screen",
        "--exact",
        "--ignored",
        "--nocapture",
    ];
    let mut t = Terminal::open(this.to_str().unwrap(), &args);
    t.has("? help");
    assert!(t.screen.lock().unwrap().screen().alternate_screen());
    t.press(" ");
    t.has("this is the end");
    assert_ne!(t.ends(), 0);
}
