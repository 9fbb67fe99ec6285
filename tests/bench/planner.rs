//! How long one plan takes.
#![allow(clippy::unwrap_used)]

use tetrascope::model::{Grid, PieceKind};
use tetrascope::planner::{Field, Goal, Moves, Placed, plan};

fn main() {
    divan::main();
}

const BOARD: &str = "
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..........
    ..x.......
    .xx......x
    xxx.....xx
    xxxx..xxxx
    xxxxx.xxxx
    xxx.xxxxxx
    xxxxxxxxx.
    xx.xxxxxxx";

fn piece(kind: PieceKind) -> Placed {
    Placed::of(kind.states()[0].cells()).unwrap().moved(3, 0)
}

fn moves() -> Moves {
    Moves {
        left: 1,
        right: 1,
        clockwise: true,
        counter_clockwise: true,
        ..Moves::default()
    }
}

#[divan::bench(args = PieceKind::ALL)]
fn one_piece(bench: divan::Bencher<'_, '_>, kind: PieceKind) {
    let (field, moves) = (Field::of(&Grid::from_ascii(BOARD)).unwrap(), moves());
    bench.bench(|| plan(&field, piece(kind), None, &moves, Goal::Safe));
}

#[divan::bench]
fn waiting_for_four(bench: divan::Bencher<'_, '_>) {
    let (field, moves) = (Field::of(&Grid::from_ascii(BOARD)).unwrap(), moves());
    bench.bench(|| plan(&field, piece(PieceKind::T), None, &moves, Goal::Clear(4)));
}

#[divan::bench]
fn with_the_next_piece(bench: divan::Bencher<'_, '_>) {
    let (field, moves) = (Field::of(&Grid::from_ascii(BOARD)).unwrap(), moves());
    let next = Some(piece(PieceKind::L));
    bench.bench(|| plan(&field, piece(PieceKind::T), next, &moves, Goal::Safe));
}
