use crate::painter::{Block, Ground, Style};
use proptest::prelude::*;
use tetrascope::model::{PieceKind, Raster, Rect};
use tetrascope::vision::find::{Falling, Hint, Look, NotFalling, Touched, extent, falling};

fn find(pictures: &[(f64, Raster)], hints: &[Hint]) -> Result<Falling, NotFalling> {
    let looks: Vec<Look<'_>> = pictures
        .iter()
        .map(|(game_ms, raster)| Look {
            game_ms: *game_ms,
            raster,
        })
        .collect();
    falling(&looks, hints)
}

/// A piece of the kind falls `steps` times by `by` rows from the given place, one look of two shows no change.
fn fall(
    style: &Style,
    kind: PieceKind,
    state: usize,
    from: (i32, f64),
    by: f64,
    steps: i32,
) -> Vec<(f64, Raster)> {
    let states = kind.states();
    let shape = &states[state % states.len()];
    (0..steps * 2)
        .map(|i| {
            let down = from.1 + f64::from(i / 2) * by;
            let piece: Vec<_> = shape
                .cells()
                .iter()
                .map(|&(c, r)| (c + from.0, f64::from(r) + down, kind as usize))
                .collect();
            (f64::from(i) * 250.0, style.paint(&[], &[], &piece))
        })
        .collect()
}

/// The lattice must fit the painted board within a tenth of a cell, over its whole width.
fn check(style: &Style, kind: PieceKind, state: usize) {
    let found = find(&fall(style, kind, state, (3, 1.0), 1.0, 8), &[])
        .unwrap_or_else(|e| panic!("{kind:?} {state} on {style:?}: {e}"));
    let l = found.lattice;
    let gap = match style.block {
        Block::Gap(g) => f64::from(g),
        _ => 0.0,
    };
    for (cell, truth, at, origin) in [
        (l.cell_w, style.cell.0, l.x0, style.x),
        (l.cell_h, style.cell.1, l.y0, style.y),
    ] {
        assert!(
            (cell - truth).abs() < 0.03 * truth + gap * 0.1,
            "cell {cell} for {truth}: {style:?} {kind:?}"
        );
        let off = (at - origin) / truth;
        assert!(
            (off - off.round()).abs() < 0.1,
            "phase {at} for {origin}: {style:?} {kind:?}"
        );
    }
    assert_eq!(
        found.kind,
        Some(kind),
        "{:?} {} {style:?}",
        found.positions[0],
        found.why
    );
    assert!((found.gravity_ms.unwrap() - 500.0).abs() < 20.0);
    let column = ((style.x - l.x0) / l.cell_w).round() as i32;
    let row = ((style.y - l.y0) / l.cell_h).round() as i32;
    let touched = Touched {
        min_column: Some(column),
        max_column: Some(column + 9),
        floor_row: Some(row + 19),
        top_row: row + 1,
    };
    let board = extent(&found, &touched, &[]);
    assert_eq!(
        (board.columns, board.rows),
        (10, 20),
        "{style:?} {}",
        board.why
    );
}

#[test]
fn every_piece_in_every_state_gives_the_lattice() {
    let style = Style {
        cell: (16.0, 16.0),
        width: 240,
        height: 380,
        ..Style::default()
    };
    for kind in PieceKind::ALL {
        for state in 0..kind.states().len() {
            check(&style, kind, state);
        }
    }
}

#[test]
fn every_look_of_blocks_and_board_gives_the_lattice() {
    for ground in [
        Ground::Flat,
        Ground::Checker,
        Ground::Lines,
        Ground::Gradient,
        Ground::Noise,
        Ground::Squares,
    ] {
        for block in [
            Block::Flat,
            Block::Bevel,
            Block::Gap(2),
            Block::Gradient,
            Block::Outline(2),
        ] {
            for light in [false, true] {
                let style = Style {
                    ground,
                    block,
                    light,
                    cell: (16.0, 16.0),
                    width: 240,
                    height: 380,
                    ..Style::default()
                };
                let kind = if light { PieceKind::T } else { PieceKind::S };
                check(&style, kind, 1);
            }
        }
    }
}

#[test]
fn cells_that_are_no_whole_pixels_or_no_squares_are_measured() {
    for cell in [(25.83, 25.83), (18.33, 18.33), (24.0, 20.0), (20.0, 25.0)] {
        let style = Style {
            cell,
            height: 600,
            ..Style::default()
        };
        check(&style, PieceKind::L, 1);
        check(&style, PieceKind::Z, 0);
    }
}

#[test]
fn a_place_that_would_do_for_other_cells_does_not_replace_a_fall_that_is_measured_well() {
    // The canvas holds more than the board: as 15 by 20 squares of 32 px it would be divided evenly.
    let style = Style {
        cell: (31.2, 31.6),
        block: Block::Gap(1),
        x: 20.0,
        y: 20.0,
        width: 520,
        height: 680,
        ..Style::default()
    };
    let canvas = Hint {
        rect: Rect::new(20.0, 20.0, 480.0, 640.0),
        columns: 0,
        rows: 0,
    };
    for kind in PieceKind::ALL {
        let found = find(&fall(&style, kind, 0, (3, 1.0), 1.0, 6), &[canvas]).unwrap();
        let off = (found.lattice.cell_h - style.cell.1) * 20.0;
        assert!(off.abs() < 0.2 * style.cell.1, "{kind:?}: {}", found.why);
    }
}

#[test]
fn looks_that_only_show_it_moving_are_enough() {
    // Cells of a table with spaces between them, whose size is no whole number of pixels.
    let style = Style {
        cell: (30.39, 31.3),
        block: Block::Gap(2),
        width: 420,
        height: 700,
        light: true,
        ..Style::default()
    };
    for kind in PieceKind::ALL {
        for state in 0..kind.states().len() {
            for looks in [6, 9] {
                let mut pictures = fall(&style, kind, state, (3, 0.0), 1.0, looks);
                pictures.dedup_by(|b, a| b.1 == a.1);
                let found = find(&pictures, &[])
                    .unwrap_or_else(|e| panic!("{kind:?} {state}, {looks} looks: {e}"));
                assert_eq!(
                    found.kind,
                    Some(kind),
                    "{state}, {looks} looks: {}",
                    found.why
                );
            }
        }
    }
}

#[test]
fn a_faint_piece_is_seen() {
    for light in [false, true] {
        check(
            &Style {
                faint: 24,
                light,
                ..Style::default()
            },
            PieceKind::J,
            2,
        );
    }
}

#[test]
fn a_piece_that_glides_is_found_and_said_to_glide() {
    let style = Style::default();
    let found = find(&fall(&style, PieceKind::T, 0, (3, 1.0), 0.25, 24), &[]).unwrap();
    assert!(found.smooth);
    assert_eq!(found.kind, Some(PieceKind::T));
    assert!((found.lattice.cell_h - 24.0).abs() < 0.8);
    assert!((found.gravity_ms.unwrap() - 2000.0).abs() < 120.0);
}

#[test]
fn a_glowing_piece_that_glides_by_a_pixel_or_two_is_measured_without_its_glow() {
    let style = Style {
        glow: 12,
        ..Style::default()
    };
    // As often as a page is looked at: what steps of uneven length leave of the glow's edge is no part of the piece.
    for by in [0.06, 0.1, 0.17] {
        for rows in [3.0, 3.5, 4.0] {
            let steps = (rows / by) as i32;
            let pictures = fall(&style, PieceKind::I, 0, (3, 1.0), by, steps);
            let found = find(&pictures, &[]).unwrap_or_else(|e| panic!("{by} {rows}: {e}"));
            assert_eq!(found.kind, Some(PieceKind::I));
            let l = found.lattice;
            for cell in [l.cell_w, l.cell_h] {
                assert!((cell - 24.0).abs() < 0.8, "{by} {rows}: {l:?}");
            }
        }
    }
}

#[test]
fn a_piece_that_changes_its_colour_as_it_falls_is_found() {
    // Coloured by the row where it is, and anew with each look.
    for by_row in [true, false] {
        for kind in PieceKind::ALL {
            let style = Style::default();
            let pictures: Vec<(f64, Raster)> = (0..18)
                .map(|i| {
                    let piece: Vec<_> = kind.states()[0]
                        .cells()
                        .iter()
                        .map(|&(c, r)| {
                            let row = r + 1 + i / 2;
                            let colour = if by_row {
                                row as usize % 7
                            } else {
                                i as usize % 7
                            };
                            (c + 3, f64::from(row), colour)
                        })
                        .collect();
                    (f64::from(i) * 250.0, style.paint(&[], &[], &piece))
                })
                .collect();
            let found = find(&pictures, &[]).unwrap_or_else(|e| panic!("{kind:?} {by_row}: {e}"));
            assert_eq!(found.kind, Some(kind), "{}", found.why);
            assert!((found.lattice.cell_h - 24.0).abs() < 0.5, "{}", found.why);
            assert!((found.lattice.cell_w - 24.0).abs() < 0.5, "{}", found.why);
        }
    }
}

#[test]
fn a_piece_that_enters_from_above_row_by_row_is_found() {
    let found = find(
        &fall(&Style::default(), PieceKind::I, 1, (4, -3.0), 1.0, 12),
        &[],
    )
    .unwrap();
    assert_eq!(found.kind, Some(PieceKind::I));
    assert!((found.lattice.cell_h - 24.0).abs() < 0.3);
}

#[test]
fn a_second_piece_after_a_lock_is_on_the_same_lattice() {
    let style = Style::default();
    let mut pictures = fall(&style, PieceKind::O, 0, (4, 10.0), 1.0, 9);
    let locked: Vec<_> = [(4, 18), (5, 18), (4, 19), (5, 19)]
        .map(|(c, r)| (c, r, 1))
        .to_vec();
    for i in 0..10 {
        let piece: Vec<_> = PieceKind::J.states()[0]
            .cells()
            .iter()
            .map(|&(c, r)| (c + 1, f64::from(r + i / 2), 5))
            .collect();
        pictures.push((
            4500.0 + f64::from(i) * 250.0,
            style.paint(&locked, &[], &piece),
        ));
    }
    let found = find(&pictures, &[]).unwrap();
    assert!(found.positions.len() >= 24, "{}", found.positions.len());
    let l = found.lattice;
    let row = ((style.y - l.y0) / l.cell_h).round() as i32;
    let lowest = found
        .positions
        .iter()
        .flat_map(|p| p.1.iter().map(|c| c.1))
        .max();
    assert_eq!(lowest, Some(row + 19));
}

#[test]
fn the_background_is_the_board_without_the_piece() {
    let style = Style {
        ground: Ground::Checker,
        ..Style::default()
    };
    let found = find(&fall(&style, PieceKind::T, 0, (3, 1.0), 1.0, 8), &[]).unwrap();
    assert!(found.background == style.paint(&[], &[], &[]));
}

/// A bar that glides down by parts of a pixel, as a browser draws it: its edges are a mixture.
fn gliding(style: &Style, by: f64, steps: i32) -> Vec<(f64, Raster)> {
    let at = |pixel: f64| {
        let down = (pixel - style.y) / style.cell.1;
        let piece: Vec<_> = (3..7).map(|c| (c, down, PieceKind::I as usize)).collect();
        style.paint(&[], &[], &piece)
    };
    (0..steps)
        .map(|i| {
            let pixel = style.y + style.cell.1 * (1.0 + by * f64::from(i));
            let (above, below) = (at(pixel.floor()), at(pixel.floor() + 1.0));
            let pairs = above.rgb().iter().zip(below.rgb()).map(|(&a, &b)| {
                let mixed = f64::from(a) + (f64::from(b) - f64::from(a)) * pixel.fract();
                mixed.round() as u8
            });
            let picture =
                Raster::from_rgb(above.width(), above.height(), pairs.collect::<Vec<u8>>());
            (f64::from(i) * 50.0, picture.unwrap())
        })
        .collect()
}

#[test]
fn what_glides_leaves_no_streaks_in_the_background() {
    for block in [Block::Flat, Block::Gap(2)] {
        let style = Style {
            ground: Ground::Lines,
            block,
            ..Style::default()
        };
        let empty = style.paint(&[], &[], &[]);
        for by in [0.06, 0.1, 0.17, 0.25] {
            let steps = (3.0 / by) as i32;
            let pictures = gliding(&style, by, steps);
            let found = find(&pictures, &[]).unwrap_or_else(|e| panic!("{block:?} {by}: {e}"));
            // Where it was last it may still cover what lies under it.
            let seen = (style.y + 24.0 * (1.0 + by * f64::from(steps - 2))) as i64;
            let off = |x: i64, y: i64| {
                let pairs = found.background.at(x, y).into_iter().zip(empty.at(x, y));
                pairs.map(|(p, q)| p.abs_diff(q)).max().unwrap_or(0)
            };
            let worst = (0..seen)
                .flat_map(|y| (0..i64::from(style.width)).map(move |x| (off(x, y), x, y)))
                .max();
            assert!(worst.is_none_or(|w| w.0 <= 8), "{block:?} {by}: {worst:?}");
        }
    }
}

#[test]
fn structure_decides_where_nothing_could_be_touched() {
    let style = Style::default();
    let found = find(&fall(&style, PieceKind::T, 0, (3, 1.0), 1.0, 8), &[]).unwrap();
    let surface = Hint {
        rect: Rect::new(50.0, 40.0, 240.0, 480.0),
        columns: 0,
        rows: 0,
    };
    let touched = Touched {
        top_row: i32::MAX,
        ..Touched::default()
    };
    for surfaces in [&[surface][..], &[]] {
        let board = extent(&found, &touched, surfaces);
        assert_eq!((board.columns, board.rows), (10, 20), "{}", board.why);
        assert!((board.x - 50.0).abs() < 1.0 && (board.y - 40.0).abs() < 1.0);
    }
}

/// A board of 10 by 16 cells with bright lines between them, drawn half on either side of the edge and stretched to cells
/// of 26.4 by 45 pixels.
fn stretched(piece: &[(u32, u32)]) -> Raster {
    let cell = 24;
    let mut board = image::RgbImage::from_fn(10 * cell, 16 * cell, |x, y| {
        let line = |at: u32| at.is_multiple_of(cell) || at % cell == cell - 1;
        let inside = piece.contains(&(x / cell, y / cell));
        image::Rgb(match (inside, line(x) || line(y)) {
            (true, true) => [127, 50, 0],
            (true, false) => [255, 100, 0],
            (false, true) => [127, 127, 127],
            (false, false) => [0, 0, 0],
        })
    });
    board = image::imageops::resize(&board, 264, 720, image::imageops::FilterType::Triangle);
    let board = Raster::from_rgb(264, 720, board.into_raw()).unwrap();
    Raster::filled(360, 780, [30, 40, 60]).patched(&board, 48, 30)
}

#[test]
fn lines_of_a_stretched_board_are_no_walls() {
    // Of two columns: one line between them is all that is known of the lines.
    let looks: Vec<(f64, Raster)> = (0..14)
        .map(|i| {
            let down = i / 2;
            let piece = [(3, 0), (3, 1), (3, 2), (4, 2)].map(|(c, r)| (c, r + down));
            (f64::from(i) * 450.0, stretched(&piece))
        })
        .collect();
    let surface = Hint {
        rect: Rect::new(48.0, 30.0, 264.0, 720.0),
        columns: 0,
        rows: 0,
    };
    let found = find(&looks, &[surface]).unwrap();
    for surfaces in [&[surface][..], &[]] {
        let board = extent(&found, &Touched::default(), surfaces);
        assert_eq!((board.columns, board.rows), (10, 16), "{}", board.why);
    }
}

/// A canvas of 16 by 32 cells of 20 pixels, 10 by 20 of which have lines around them, shown a little smaller: the lines are
/// spread over two pixels, in each column by other shares.
#[test]
fn lines_that_are_spread_otherwise_do_not_end_a_board() {
    let looks: Vec<(f64, Raster)> = (0..14)
        .map(|i| {
            let piece = [(3, 0), (4, 0), (5, 0), (4, 1)].map(|(c, r)| (c, r + i / 2));
            let canvas = image::RgbImage::from_fn(320, 640, |x, y| {
                let (bx, by) = (i64::from(x) - 60, i64::from(y) - 80);
                let on = (-1..=200).contains(&bx) && (-1..=400).contains(&by);
                let line = |v: i64| matches!(v.rem_euclid(20), 0 | 19);
                let inside = piece.contains(&(bx.div_euclid(20) as u32, by.div_euclid(20) as u32));
                image::Rgb(
                    match (on, inside && bx >= 0 && by >= 0, line(bx) || line(by)) {
                        (true, _, true) => [64, 64, 64],
                        (true, true, false) => [40, 0, 255],
                        _ => [0, 0, 0],
                    },
                )
            });
            let (w, h) = (318, 636);
            let small =
                image::imageops::resize(&canvas, w, h, image::imageops::FilterType::Triangle);
            let small = Raster::from_rgb(w, h, small.into_raw()).unwrap();
            let page = Raster::filled(400, 680, [74, 74, 74]).patched(&small, 41, 24);
            (f64::from(i) * 450.0, page)
        })
        .collect();
    let surface = Hint {
        rect: Rect::new(41.0, 24.0, 318.0, 636.0),
        columns: 0,
        rows: 0,
    };
    let found = find(&looks, &[surface]).unwrap();
    let board = extent(&found, &Touched::default(), &[surface]);
    assert_eq!((board.columns, board.rows), (10, 20), "{board:?}");
}

#[test]
fn a_picture_behind_the_board_that_changes_its_look_does_not_end_it() {
    let style = Style::default();
    let mut looks = fall(&style, PieceKind::T, 0, (3, 1.0), 1.0, 8);
    // Below the place where the piece was seen the sky grows bright.
    let bright = Raster::filled(240, 230, [20, 160, 140]);
    for (_, picture) in &mut looks {
        *picture = picture.patched(&bright, 50, 290);
    }
    let surface = Hint {
        rect: Rect::new(50.0, 40.0, 240.0, 480.0),
        columns: 0,
        rows: 0,
    };
    let touched = Touched {
        top_row: i32::MAX,
        ..Touched::default()
    };
    let found = find(&looks, &[]).unwrap();
    let board = extent(&found, &touched, &[surface]);
    assert_eq!((board.columns, board.rows), (10, 20), "{}", board.why);
    // What was touched is believed all the same.
    let touched = Touched {
        floor_row: found.positions.iter().flat_map(|p| &p.1).map(|c| c.1).max(),
        ..touched
    };
    let board = extent(&found, &touched, &[surface]);
    assert!(board.rows < 20, "{}", board.why);
}

fn dot(rgb: &mut [u8], width: usize, x: usize, y: usize, w: usize, h: usize, c: [u8; 3]) {
    let height = rgb.len() / 3 / width;
    for py in y..(y + h).min(height) {
        for px in x..(x + w).min(width) {
            rgb[(py * width + px) * 3..][..3].copy_from_slice(&c);
        }
    }
}

/// Pictures of 400x300 painted by a function of the look's number.
fn scene(looks: usize, paint: impl Fn(usize, &mut [u8])) -> Vec<(f64, Raster)> {
    (0..looks)
        .map(|i| {
            let mut rgb = vec![20u8; 400 * 300 * 3];
            paint(i, &mut rgb);
            (i as f64 * 100.0, Raster::from_rgb(400, 300, rgb).unwrap())
        })
        .collect()
}

fn check_nothing(what: &str, looks: usize, paint: impl Fn(usize, &mut [u8])) {
    let found = find(&scene(looks, paint), &[]);
    assert!(found.is_err(), "{what}: {}", found.unwrap().why);
}

#[test]
fn what_does_not_fall_like_a_piece_is_not_taken_for_one() {
    check_nothing("a still page", 12, |_, _| {});
    check_nothing("blinking", 12, |i, rgb| {
        if i % 2 == 0 {
            for k in 0..9 {
                dot(rgb, 400, 100 + k * 12, 100, 7, 14, [250; 3]);
            }
        }
    });
    check_nothing("a marquee", 24, |i, rgb| {
        for k in 0..5 {
            dot(rgb, 400, 300 - i * 8 + k * 14, 50, 9, 12, [250, 200, 90]);
        }
    });
    check_nothing("something that rises", 16, |i, rgb| {
        dot(rgb, 400, 100, 250 - i * 12, 48, 24, [90, 200, 90]);
    });
    check_nothing("snow", 24, |i, rgb| {
        for k in 0..40 {
            dot(
                rgb,
                400,
                k * 37 % 390,
                (k * 53 + i * (3 + k % 4)) % 290,
                4,
                4,
                [250; 3],
            );
        }
    });
    check_nothing("a rain of tetrominoes off any lattice", 24, |i, rgb| {
        for k in 0..8 {
            let (x, y) = (k * 49 + 3, (k * 61 + i * 5) % 280);
            dot(rgb, 400, x, y, 30, 10, [90, 120, 240]);
            dot(rgb, 400, x + 10, y + 10, 10, 10, [90, 120, 240]);
        }
    });
    check_nothing("a pulsing gradient", 24, |i, rgb| {
        for y in 0..300 {
            dot(
                rgb,
                400,
                0,
                y,
                400,
                1,
                [(y as f64 / 3.0 + 30.0 * (i as f64 / 4.0).sin() + 40.0) as u8; 3],
            );
        }
    });
    check_nothing("a spinner", 24, |i, rgb| {
        let a = i as f64 * 0.7;
        dot(
            rgb,
            400,
            (200.0 + 40.0 * a.cos()) as usize,
            (150.0 + 40.0 * a.sin()) as usize,
            10,
            10,
            [250; 3],
        );
    });
    check_nothing("a background that scrolls down", 24, |i, rgb| {
        for y in 0..300usize {
            let v = (((y + 3000 - i * 7) / 20) * 37 % 90) as u8;
            dot(rgb, 400, 0, y, 400, 1, [v; 3]);
        }
    });
    check_nothing("a bar that fills downwards", 24, |i, rgb| {
        dot(rgb, 400, 40, 40, 24, i * 8, [200, 60, 60]);
    });
}

#[test]
fn a_game_is_found_beside_blinking_text_and_a_counter() {
    let style = Style::default();
    let mut pictures = fall(&style, PieceKind::Z, 0, (3, 1.0), 1.0, 8);
    for (i, (_, picture)) in pictures.iter_mut().enumerate() {
        let mut rgb = picture.rgb().to_vec();
        if i % 2 == 0 {
            dot(&mut rgb, 340, 300, 100, 36, 12, [250; 3]);
        }
        dot(&mut rgb, 340, 300, 200, 3 + i * 3 % 40, 12, [250, 250, 0]);
        *picture = Raster::from_rgb(340, 560, rgb).unwrap();
    }
    assert_eq!(find(&pictures, &[]).unwrap().kind, Some(PieceKind::Z));
}

/// Faint lines between the cells and around them, on a panel that can hardly be told from the page around it and is a few
/// pixels larger: the next cell out has lines on one side only.
#[test]
fn a_ruled_board_ends_with_its_lines() {
    const W: usize = 420;
    const H: usize = 760;
    const LINE: [u8; 3] = [17, 23, 39];
    let (x, y, cell) = (70, 100, 28);
    let looks: Vec<(f64, Raster)> = (0..14)
        .map(|i| {
            let mut rgb: Vec<u8> = [4, 6, 13].repeat(W * H);
            dot(&mut rgb, W, x - 6, y - 6, 292, 572, [5, 7, 15]);
            for k in 0..=10 {
                dot(&mut rgb, W, x + k * cell, y, 1, 561, LINE);
            }
            for k in 0..=20 {
                dot(&mut rgb, W, x, y + k * cell, 281, 1, LINE);
            }
            for (c, r) in [(5, 0), (3, 1), (4, 1), (5, 1)] {
                let at = (x + c * cell + 1, y + (3 + i / 2 + r) * cell + 1);
                dot(&mut rgb, W, at.0, at.1, cell - 2, cell - 2, [255, 160, 60]);
            }
            let picture = Raster::from_rgb(W as u32, H as u32, rgb).unwrap();
            (i as f64 * 300.0, picture)
        })
        .collect();
    let found = find(&looks, &[]).unwrap();
    let board = extent(&found, &Touched::default(), &[]);
    assert_eq!((board.columns, board.rows), (10, 20), "{}", board.why);
    let off = (board.x - x as f64).abs().max((board.y - y as f64).abs());
    assert!(off < 2.0, "{board:?}");
}

/// A field of the usual height below a line, pieces that come from two rows above it and a preview beside them; and a field
/// of the usual height in which a line says how high is too high.
#[test]
fn a_line_over_the_field_ends_it_and_one_in_it_does_not() {
    const W: usize = 320;
    const H: usize = 620;
    let (x, y, cell) = (40, 60, 23);
    for (rows, line) in [(22, 2), (20, 3)] {
        let looks: Vec<(f64, Raster)> = (0..20)
            .map(|i| {
                let mut rgb: Vec<u8> = [40, 44, 52].repeat(W * H);
                dot(&mut rgb, W, x, y, 10 * cell, rows * cell, [18, 19, 24]);
                for (c, r) in [(0, 0), (1, 0), (2, 0), (0, 1)] {
                    let at = (x + 6 + c * 11, y + 8 + r * 11);
                    if rows == 22 {
                        dot(&mut rgb, W, at.0, at.1, 10, 10, [200, 30, 80]);
                    }
                }
                dot(&mut rgb, W, x, y + line * cell - 2, 10 * cell, 2, [230; 3]);
                for (c, r) in [(4, 0), (3, 1), (4, 1), (5, 1)] {
                    let at = (x + c * cell, y + (i / 2 + r) * cell);
                    dot(&mut rgb, W, at.0, at.1, cell, cell, [90, 200, 240]);
                }
                let picture = Raster::from_rgb(W as u32, H as u32, rgb).unwrap();
                (i as f64 * 300.0, picture)
            })
            .collect();
        let hint = Hint {
            rect: Rect::new(x as f64, y as f64, 10.0 * cell as f64, (rows * cell) as f64),
            columns: 0,
            rows: 0,
        };
        let found = find(&looks, &[hint]).unwrap();
        let board = extent(&found, &Touched::default(), &[hint]);
        let top = y + (rows - 20) * cell;
        assert_eq!((board.columns, board.rows), (10, 20), "{}", board.why);
        assert!((board.y - top as f64).abs() < 2.0, "{board:?}");
    }
}

/// Dark lines between the cells of a low board, and a border of their colour around it: the first row begins with more of
/// the border than the others have of their lines.
#[test]
fn a_border_that_joins_the_first_line_is_part_of_the_first_row() {
    const W: usize = 420;
    const H: usize = 560;
    const LINE: [u8; 3] = [128, 0, 128];
    let (x, y, cell, rows) = (60, 50, 30, 15);
    let looks: Vec<(f64, Raster)> = (0..14)
        .map(|i| {
            let mut rgb: Vec<u8> = [221, 160, 221].repeat(W * H);
            dot(&mut rgb, W, x - 3, y - 3, 306, rows * cell + 6, LINE);
            dot(&mut rgb, W, x, y, 300, rows * cell, [255; 3]);
            for (c, r) in [(5, 0), (3, 1), (4, 1), (5, 1)] {
                let at = (x + c * cell, y + (2 + i / 2 + r) * cell);
                dot(&mut rgb, W, at.0, at.1, cell, cell, [200, 0, 0]);
            }
            for k in 0..=10 {
                dot(&mut rgb, W, x + k * cell - 1, y, 2, rows * cell, LINE);
            }
            for k in 0..=rows {
                dot(&mut rgb, W, x, y + k * cell - 1, 300, 2, LINE);
            }
            // What of the border lies on the first pixels of the canvas.
            dot(&mut rgb, W, x, y, 300, 4, LINE);
            let picture = Raster::from_rgb(W as u32, H as u32, rgb).unwrap();
            (i as f64 * 300.0, picture)
        })
        .collect();
    let hint = Hint {
        rect: Rect::new(x as f64, y as f64, 300.0, (rows * cell) as f64),
        columns: 0,
        rows: 0,
    };
    let found = find(&looks, &[hint]).unwrap();
    let board = extent(&found, &Touched::default(), &[hint]);
    assert_eq!((board.columns, board.rows), (10, 15), "{}", board.why);
    assert!((board.y - y as f64).abs() < 2.0, "{board:?}");
}

/// A layer of scanlines drifts over all of the page, more strongly than what counts as a change elsewhere.
#[test]
fn what_falls_is_found_below_scanlines_that_drift() {
    let style = Style::default();
    let mut pictures = fall(&style, PieceKind::T, 0, (3, 1.0), 1.0, 8);
    for (i, (_, picture)) in pictures.iter_mut().enumerate() {
        let mut rgb = picture.rgb().to_vec();
        for (y, row) in rgb.chunks_exact_mut(340 * 3).enumerate() {
            let dark = if (y + i) % 3 == 0 { 14 } else { 0 };
            for (k, v) in row.iter_mut().enumerate() {
                // The page itself is a little grey, so that it shows there, too.
                *v = v.saturating_add(20).saturating_sub(dark + (k % 2) as u8);
            }
        }
        *picture = Raster::from_rgb(340, 560, rgb).unwrap();
    }
    let found = find(&pictures, &[]).unwrap();
    assert_eq!(found.kind, Some(PieceKind::T), "{}", found.why);
    let l = found.lattice;
    let cell = style.cell;
    assert!(
        (l.cell_w - cell.0).abs() < 0.3 && (l.cell_h - cell.1).abs() < 0.3,
        "{l:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]
    #[test]
    fn any_piece_in_any_look_gives_the_lattice(
        kind in 0usize..7, state in 0usize..4, w in 16.0f64..27.0, stretch in prop::sample::select(vec![1.0, 1.0, 0.9, 1.1]),
        x in 10.0f64..60.0, y in 5.0f64..30.0, light: bool,
        ground in prop::sample::select(vec![Ground::Flat, Ground::Checker, Ground::Lines, Ground::Gradient, Ground::Squares]),
        block in prop::sample::select(vec![Block::Flat, Block::Bevel, Block::Gap(1), Block::Gradient, Block::Outline(2)]),
    ) {
        // One column of oblong blocks can't be told from square ones with gaps; structure or a wider piece tells later.
        let one_column = PieceKind::ALL[kind] == PieceKind::I && state % 2 == 1;
        let stretch = if one_column { 1.0 } else { stretch };
        let style = Style { x, y, cell: (w, w * stretch), height: 640, ground, block, light, ..Style::default() };
        check(&style, PieceKind::ALL[kind], state);
    }
}

#[test]
fn glow_around_blocks_and_stars_that_twinkle_hide_nothing() {
    // A T piece of 12 px cells, with what glows around it by 3 px, at a third to a half of its strength.
    let cells = [(1, 0), (0, 1), (1, 1), (2, 1)];
    let pictures = scene(12, |i, rgb| {
        for k in 0..60 {
            let shade = 30 + (i * 53 + k * 91) as u8 % 200;
            dot(
                rgb,
                400,
                k * 97 % 397,
                k * 61 % 297,
                1 + k % 2,
                1,
                [shade; 3],
            );
        }
        let at = |c: usize, r: usize| (160 + c * 12, 30 + (i + r) * 12);
        for (grown, colour) in [(3, [60, 20, 70]), (1, [90, 20, 110]), (0, [170, 20, 220])] {
            for (x, y) in cells.map(|(c, r)| at(c, r)) {
                let side = 12 + 2 * grown;
                dot(rgb, 400, x - grown, y - grown, side, side, colour);
            }
        }
    });
    let found = find(&pictures, &[]).unwrap();
    assert_eq!(found.kind, Some(PieceKind::T), "{}", found.why);
    let l = found.lattice;
    for (is, so) in [(l.cell_w, 12.0), (l.cell_h, 12.0), (l.x0, 160.0)] {
        assert!((is - so).abs() < 0.5, "{l:?}");
    }
}

/// What is seen to fall in the pictures of a folder (`LOOKS`), PNG files named by their game time in milliseconds.
#[test]
#[ignore = "asks about pictures of yours; prints for people"]
fn what_falls_in_a_folder_of_pictures() {
    let folder = std::env::var("LOOKS").expect("LOOKS names the folder");
    let mut pictures: Vec<(f64, Raster)> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let at: f64 = path.file_stem()?.to_str()?.parse().ok()?;
            let rgb = image::open(&path).ok()?.to_rgb8();
            let raster = Raster::from_rgb(rgb.width(), rgb.height(), rgb.into_raw())?;
            Some((at, raster))
        })
        .collect();
    pictures.sort_by(|a, b| a.0.total_cmp(&b.0));
    pictures.dedup_by(|b, a| b.1 == a.1);
    for n in (4..=pictures.len()).step_by(2) {
        match find(&pictures[..n], &[]) {
            Ok(f) => println!("{n}: {} {:?} {:?}", f.why, f.lattice, f.area),
            Err(e) => println!("{n}: {e}"),
        }
    }
}
