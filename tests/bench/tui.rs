//! How long a picture takes: a whole screen at 200x60, drawn and compared with the one before.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../support/sample.rs"]
mod sample;

use divan::Bencher;
use ratatui::{Terminal, backend::TestBackend};
use tetrascope::tui::{Depth, Look, Screen, Theme, draw};

fn main() {
    divan::main();
}

#[divan::bench(args = [(80, 24), (200, 60), (240, 70)])]
fn whole_screen(bencher: Bencher<'_, '_>, (w, h): (u16, u16)) {
    let look = Look {
        ascii: false,
        theme: Theme::Dark,
        depth: Depth::True,
    };
    let screen = Screen::new(look, (w, h));
    let snapshots = [sample::snapshot(3), sample::snapshot(4)];
    let mut terminal = Terminal::new(TestBackend::new(w, h)).unwrap();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn = 1 - turn;
        terminal
            .draw(|frame| draw(&snapshots[turn], &screen, frame))
            .map(|_| ())
            .unwrap();
    });
}
