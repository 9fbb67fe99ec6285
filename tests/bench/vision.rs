//! How long it takes to decode a board and to find one.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::many_single_char_names, clippy::match_same_arms)]

#[allow(dead_code)]
#[path = "../vision/painter.rs"]
mod painter;

use divan::{Bencher, black_box};
use painter::Style;
use tetrascope::model::{PieceKind, Raster};
use tetrascope::vision::Reader;
use tetrascope::vision::find::{Look, falling};

fn main() {
    divan::main();
}

/// A frame to a grid: a stack and a piece; 30 samples a cell is a 300x600 picture.
#[divan::bench(args = [8, 30])]
fn read(bencher: Bencher<'_, '_>, samples: u16) {
    let style = Style::default();
    let stack: Vec<_> = (0..40).map(|i| (i % 9, 16 + i / 10, i as usize)).collect();
    let empty = style.frame(&style.paint(&[], &[], &[]), samples);
    let frame = style.frame(
        &style.paint(
            &stack,
            &[],
            &[(4, 3.0, 1), (5, 3.0, 1), (4, 4.0, 1), (5, 4.0, 1)],
        ),
        samples,
    );
    let mut reader = Reader::new(10, 20, samples).with_background(&empty);
    reader.read(&frame);
    bencher.bench_local(|| reader.read(black_box(&frame)));
}

/// Thirty looks at a page of 1280x800 on which a piece falls.
#[divan::bench]
fn find_falling(bencher: Bencher<'_, '_>) {
    let style = Style {
        width: 1280,
        height: 800,
        x: 500.0,
        y: 90.0,
        cell: (30.0, 30.0),
        ..Style::default()
    };
    let pictures: Vec<Raster> = (0..30)
        .map(|i| {
            let piece: Vec<_> = PieceKind::T.states()[0]
                .cells()
                .iter()
                .map(|&(c, r)| (c + 3, f64::from(r + i / 3), 2))
                .collect();
            style.paint(&[], &[], &piece)
        })
        .collect();
    let looks: Vec<Look<'_>> = pictures
        .iter()
        .enumerate()
        .map(|(i, raster)| Look {
            game_ms: i as f64 * 100.0,
            raster,
        })
        .collect();
    bencher.bench_local(|| falling(black_box(&looks), &[]).unwrap());
}
