use crate::digits::strokes;
use crate::painter::{Block, GREY, Ghost, Ground, PALE, Style};
use proptest::prelude::*;
use tetrascope::model::{CellState, Frame, Grid, Hints, PieceKind, Raster, Rect};
use tetrascope::vision::{Reader, background, landing, plausible, preview};

/// `.` empty, `+` ghost, `#` block.
fn ascii(grid: &Grid) -> String {
    (0..grid.rows())
        .map(|r| {
            (0..grid.columns())
                .map(
                    |c| match grid.get(i32::from(c), i32::from(r)).unwrap().state {
                        CellState::Empty => '.',
                        CellState::Ghost => '+',
                        CellState::Filled => '#',
                    },
                )
                .chain(['\n'])
                .collect::<String>()
        })
        .collect()
}

fn truth(
    style: &Style,
    stack: &[(i32, i32, usize)],
    piece: &[(i32, i32)],
    ghost: &[(i32, i32)],
) -> String {
    (0..i32::from(style.rows))
        .map(|r| {
            (0..i32::from(style.columns))
                .map(|c| {
                    if piece.contains(&(c, r)) || stack.iter().any(|s| (s.0, s.1) == (c, r)) {
                        '#'
                    } else if ghost.contains(&(c, r)) {
                        '+'
                    } else {
                        '.'
                    }
                })
                .chain(['\n'])
                .collect::<String>()
        })
        .collect()
}

/// Plays a piece down over a stack and demands every grid to be what was painted.
fn check(
    style: &Style,
    kind: PieceKind,
    column: i32,
    stack: &[(i32, i32, usize)],
    with_ghost: bool,
) {
    let shape: Vec<_> = kind.states()[0]
        .cells()
        .iter()
        .map(|&(c, r)| (c + column, r))
        .collect();
    check_cells(style, &shape, kind as usize, stack, with_ghost);
}

/// The same with a piece of any shape.
#[track_caller]
fn check_cells(
    style: &Style,
    shape: &[(i32, i32)],
    colour: usize,
    stack: &[(i32, i32, usize)],
    with_ghost: bool,
) {
    let rows = i32::from(style.rows);
    let taken = |c: i32, r: i32| stack.iter().any(|s| (s.0, s.1) == (c, r));
    let empty = style.frame(&style.paint(&[], &[], &[]), 8);
    let mut reader = Reader::new(style.columns, style.rows, 8).with_background(&empty);
    let mut again = reader.clone();
    for row in 0..rows {
        let piece: Vec<_> = shape.iter().map(|&(c, r)| (c, r + row)).collect();
        if piece.iter().any(|&(c, r)| r >= rows || taken(c, r)) {
            break;
        }
        let ghost = if with_ghost {
            landing(&piece, rows, taken)
        } else {
            Vec::new()
        };
        let page = style.paint(
            stack,
            &ghost
                .iter()
                .map(|&(c, r)| (c, r, colour))
                .collect::<Vec<_>>(),
            &piece
                .iter()
                .map(|&(c, r)| (c, f64::from(r), colour))
                .collect::<Vec<_>>(),
        );
        let frame = style.frame(&page, 8);
        let grid = reader.read(&frame);
        let shown: Vec<_> = ghost
            .iter()
            .copied()
            .filter(|c| !piece.contains(c))
            .collect();
        assert_eq!(
            ascii(&grid),
            truth(style, stack, &piece, &shown),
            "row {row} {shape:?} {style:?}"
        );
        assert_eq!(
            grid,
            again.read(&frame),
            "the same frames give the same grids"
        );
    }
}

fn a_stack() -> Vec<(i32, i32, usize)> {
    let art = ["#.........", "##..##....", "##.###.###", "#.########"];
    art.iter()
        .enumerate()
        .flat_map(|(r, line)| {
            line.chars()
                .enumerate()
                .filter(|c| c.1 == '#')
                .map(move |(c, _)| (c as i32, 16 + r as i32, c * 3 + r))
        })
        .collect()
}

#[test]
fn every_look_of_blocks_and_board_is_read() {
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
            Block::Outline(3),
        ] {
            for light in [false, true] {
                let style = Style {
                    ground,
                    block,
                    light,
                    ..Style::default()
                };
                check(&style, PieceKind::T, 4, &a_stack(), false);
            }
        }
    }
}

#[test]
fn what_blocks_shine_around_them_is_no_block() {
    for ground in [Ground::Flat, Ground::Lines, Ground::Gradient, Ground::Noise] {
        for (block, glow) in [(Block::Flat, 4), (Block::Bevel, 8), (Block::Gap(1), 10)] {
            for (kind, column) in [(PieceKind::T, 4), (PieceKind::L, 2), (PieceKind::S, 6)] {
                let style = Style {
                    ground,
                    block,
                    glow,
                    ..Style::default()
                };
                check(&style, kind, column, &a_stack(), false);
            }
        }
    }
}

/// Lets a piece glide down pixel by pixel over a stack; it must be read in the row where most of it is.
fn check_gliding(style: &Style, kind: PieceKind, stack: &[(i32, i32, usize)]) {
    let shape: Vec<(i32, i32)> = kind.states()[0]
        .cells()
        .iter()
        .map(|&(c, r)| (c + 4, r))
        .collect();
    let rows = i32::from(style.rows);
    let taken = |c: i32, r: i32| r >= rows || stack.iter().any(|s| (s.0, s.1) == (c, r));
    let empty = style.frame(&style.paint(&[], &[], &[]), 8);
    let mut reader = Reader::new(style.columns, style.rows, 8).with_background(&empty);
    // One of them by every pixel, as a slow one is seen.
    let step = if kind == PieceKind::T { 1 } else { 7 };
    for pixel in (0..).step_by(step) {
        let down = f64::from(pixel) / style.cell.1;
        let at = |row: f64| -> Vec<(i32, i32)> {
            let row = row as i32;
            shape.iter().map(|&(c, r)| (c, r + row)).collect()
        };
        if at(down.ceil()).iter().any(|&(c, r)| taken(c, r)) {
            break;
        }
        let drawn: Vec<_> = shape
            .iter()
            .map(|&(c, r)| (c, f64::from(r) + down, kind as usize))
            .collect();
        let grid = reader.read(&style.frame(&style.paint(stack, &[], &drawn), 8));
        let read = ascii(&grid);
        // A strong glow makes the halfway harder to see.
        let either = (0.3..=0.7).contains(&down.fract());
        let right = [down.floor(), down.ceil()].iter().any(|row| {
            (either || (row - down).abs() < 0.5) && read == truth(style, stack, &at(*row), &[])
        });
        assert!(right, "{kind:?} {down:.2} rows down {style:?}\n{read}");
    }
}

#[test]
fn what_glides_and_shines_is_read_in_the_row_where_most_of_it_is() {
    for (block, glow) in [(Block::Flat, 0), (Block::Flat, 6), (Block::Flat, 8)] {
        for kind in PieceKind::ALL {
            let style = Style {
                block,
                glow,
                ..Style::default()
            };
            check_gliding(&style, kind, &[]);
            // In a narrow gap two strong glows cannot be told from a block.
            if glow <= 6 {
                check_gliding(&style, kind, &a_stack());
            }
        }
    }
}

#[test]
fn faint_blocks_are_read() {
    for light in [false, true] {
        check(
            &Style {
                faint: 24,
                light,
                ..Style::default()
            },
            PieceKind::J,
            3,
            &a_stack(),
            false,
        );
    }
}

#[test]
fn a_ghost_is_no_block() {
    for ghost in [Ghost::Translucent, Ghost::Outline] {
        for light in [false, true] {
            for kind in PieceKind::ALL {
                let style = Style {
                    ghost,
                    light,
                    ..Style::default()
                };
                check(&style, kind, 5, &a_stack(), true);
            }
        }
    }
}

#[test]
fn a_ghost_of_an_unusual_piece_is_no_block() {
    let ring = [
        (4, 0),
        (5, 0),
        (6, 0),
        (4, 1),
        (6, 1),
        (4, 2),
        (5, 2),
        (6, 2),
    ];
    let plus = [(5, 0), (4, 1), (5, 1), (6, 1), (5, 2)];
    for shape in [&ring[..], &plus] {
        check_cells(&Style::default(), shape, 3, &a_stack(), true);
        check_cells(&Style::default(), shape, 3, &[], true);
    }
}

#[test]
fn what_a_ghost_stands_on_may_have_a_tone_of_its_piece() {
    let stack = [(5, 19, PALE), (8, 19, PALE)];
    for kind in PieceKind::ALL {
        let shape: Vec<_> = kind.states()[0]
            .cells()
            .iter()
            .map(|&(c, r)| (c + 4, r))
            .collect();
        check_cells(&Style::default(), &shape, GREY, &stack, true);
    }
}

/// A number in strokes of 1 px, as bright as white ones are when a cell is sampled, each digit 7 px wide and 12 high.
fn written(page: &Raster, number: u32, (x, y): (u32, u32)) -> Raster {
    let mut page = page.clone();
    for (i, digit) in number.to_string().bytes().enumerate() {
        for (dx, dy, w, h) in strokes(u32::from(digit - b'0'), (6, 12), 1) {
            let stroke = Raster::filled(w as u32, h as u32, [130; 3]);
            page = page.patched(&stroke, x + i as u32 * 7 + dx as u32, y + dy as u32);
        }
    }
    page
}

#[test]
fn a_number_on_the_board_that_changes_is_no_block() {
    let style = Style::default();
    let at = (54, 45);
    let empty = style.frame(&written(&style.paint(&[], &[], &[]), 0, at), 8);
    for kind in PieceKind::ALL {
        let mut reader = Reader::new(style.columns, style.rows, 8).with_background(&empty);
        for step in 0..12u32 {
            let piece: Vec<_> = kind.states()[0]
                .cells()
                .iter()
                .map(|&(c, r)| (c + 4, r + step as i32))
                .collect();
            let whole: Vec<_> = piece
                .iter()
                .map(|&(c, r)| (c, f64::from(r), kind as usize))
                .collect();
            let page = written(&style.paint(&a_stack(), &[], &whole), step * 137, at);
            let grid = reader.read(&style.frame(&page, 8));
            assert_eq!(
                ascii(&grid),
                truth(&style, &a_stack(), &piece, &[]),
                "{kind:?} {step}"
            );
        }
    }
}

#[test]
fn a_piece_between_two_rows_is_four_cells_in_the_nearer_one() {
    let style = Style::default();
    let empty = style.frame(&style.paint(&[], &[], &[]), 8);
    for kind in PieceKind::ALL {
        for eighths in 0..40 {
            let down = f64::from(eighths) / 8.0 + 4.0;
            let shape = &kind.states()[0];
            let piece: Vec<_> = shape
                .cells()
                .iter()
                .map(|&(c, r)| (c + 3, f64::from(r) + down, 2))
                .collect();
            let page = style.paint(&a_stack(), &[], &piece);
            let grid = Reader::new(10, 20, 8)
                .with_background(&empty)
                .read(&style.frame(&page, 8));
            assert_eq!(
                grid.filled_count(),
                a_stack().len() + 4,
                "{kind:?} at {down}\n{}",
                ascii(&grid)
            );
            if eighths % 8 != 4 {
                let row = down.round() as i32;
                let cells: Vec<_> = shape
                    .cells()
                    .iter()
                    .map(|&(c, r)| (c + 3, r + row))
                    .collect();
                assert_eq!(
                    ascii(&grid),
                    truth(&style, &a_stack(), &cells, &[]),
                    "{kind:?} at {down}"
                );
            }
        }
    }
}

fn shaded(frame: &Frame, by: impl Fn(u8) -> u8) -> Frame {
    let rgb: Vec<u8> = frame.raster.rgb().iter().map(|&v| by(v)).collect();
    Frame {
        raster: Raster::from_rgb(frame.raster.width(), frame.raster.height(), rgb).unwrap(),
        ..frame.clone()
    }
}

#[test]
fn a_new_theme_moves_the_empty_look_and_a_slow_drift_is_followed() {
    let style = Style::default();
    let empty = style.frame(&style.paint(&[], &[], &[]), 8);
    let frame = style.frame(&style.paint(&a_stack(), &[], &[]), 8);
    let mut reader = Reader::new(10, 20, 8).with_background(&empty);
    let before = ascii(&reader.read(&frame));
    assert_eq!(
        ascii(&reader.read(&shaded(&frame, |v| 255 - v / 2))),
        before
    );
    let mut reader = Reader::new(10, 20, 8).with_background(&empty);
    reader.read(&frame);
    for i in 0..60u8 {
        assert_eq!(
            ascii(&reader.read(&shaded(&frame, |v| v.saturating_add(i)))),
            before,
            "drift {i}"
        );
    }
}

#[test]
fn a_veil_that_is_lifted_over_another_stack_leaves_nothing_behind() {
    let style = Style {
        light: true,
        ..Style::default()
    };
    let empty = style.frame(&style.paint(&[], &[], &[]), 8);
    let stack = a_stack();
    let piece = [(4, 5, 2), (5, 5, 2), (4, 6, 2), (5, 6, 2)];
    let played = style.frame(&style.paint(&stack, &[], &[]), 8);
    let fresh = style.frame(&style.paint(&piece, &[], &[]), 8);
    let mut reader = Reader::new(10, 20, 8).with_background(&empty);
    reader.read(&played);
    // Paused, and while the veil is down the game is begun anew.
    for _ in 0..3 {
        reader.read(&shaded(&played, |v| (u16::from(v) * 3 / 10) as u8));
    }
    let grid = reader.read(&fresh);
    assert_eq!(grid.filled_count(), 4, "\n{}", ascii(&grid));
    let grid = reader.read(&played);
    assert_eq!(grid.filled_count(), stack.len(), "\n{}", ascii(&grid));
}

/// Half of a block's border lies on its neighbours.
#[test]
fn a_veil_that_is_lifted_over_blocks_with_wide_borders_leaves_nothing_beside_them() {
    const SIDE: i32 = 8;
    let stack = [
        (0, 19),
        (1, 19),
        (2, 19),
        (3, 19),
        (6, 19),
        (7, 19),
        (8, 19),
    ];
    let piece = |top| [(4, top), (5, top), (4, top + 1), (5, top + 1)];
    let frame = |blocks: &[(i32, i32)]| {
        let mut rgb = vec![255; (10 * SIDE * 20 * SIDE * 3) as usize];
        let mut fill = |x0: i32, y0: i32, side: i32, colour: [u8; 3]| {
            for y in y0.max(0)..(y0 + side).min(20 * SIDE) {
                for x in x0.max(0)..(x0 + side).min(10 * SIDE) {
                    let at = ((y * 10 * SIDE + x) * 3) as usize;
                    rgb[at..at + 3].copy_from_slice(&colour);
                }
            }
        };
        for &(column, row) in blocks {
            fill(column * SIDE - 1, row * SIDE - 1, SIDE + 2, [215; 3]);
        }
        for &(column, row) in blocks {
            fill(column * SIDE + 1, row * SIDE + 1, SIDE - 2, [0, 200, 40]);
        }
        Frame {
            raster: Raster::from_rgb(10 * SIDE as u32, 20 * SIDE as u32, rgb).unwrap(),
            samples: SIDE as u16,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let mut reader = Reader::new(10, 20, SIDE as u16).with_background(&frame(&[]));
    let mut look = |top, veil: bool| {
        let blocks = [&stack[..], &piece(top)].concat();
        let plain = frame(&blocks);
        let grid = reader.read(&if veil {
            shaded(&plain, |v| v / 4)
        } else {
            plain
        });
        assert_eq!(grid.filled_count(), 11, "{top}\n{}", ascii(&grid));
    };
    for top in [6, 7, 8] {
        look(top, false);
    }
    for _ in 0..3 {
        look(8, true);
    }
    for top in [8, 9, 10] {
        look(top, false);
    }
}

#[test]
fn a_row_that_flashes_is_doubted() {
    let style = Style::default();
    let empty = style.frame(&style.paint(&[], &[], &[]), 8);
    let full: Vec<_> = (0..10).map(|c| (c, 19, c as usize)).collect();
    let frame = style.frame(&style.paint(&full, &[], &[]), 8);
    let mut rgb = frame.raster.rgb().to_vec();
    let from = 19 * 8 * 80 * 3;
    rgb[from..].fill(255);
    let flash = Frame {
        raster: Raster::from_rgb(80, 160, rgb).unwrap(),
        ..frame.clone()
    };
    let mut reader = Reader::new(10, 20, 8).with_background(&empty);
    assert!(reader.read(&frame).get(3, 19).unwrap().confidence > 100);
    assert!(reader.read(&flash).get(3, 19).unwrap().confidence <= 40);
}

#[test]
fn the_background_is_learned_from_frames_and_what_was_covered_all_along_from_its_like() {
    for ground in [
        Ground::Flat,
        Ground::Checker,
        Ground::Lines,
        Ground::Squares,
    ] {
        let style = Style {
            ground,
            ..Style::default()
        };
        let frames: Vec<Frame> = (0..8)
            .map(|r| {
                let piece = [
                    (4, f64::from(r), 1),
                    (5, f64::from(r), 1),
                    (4, f64::from(r + 1), 1),
                    (5, f64::from(r + 1), 1),
                ];
                style.frame(&style.paint(&a_stack(), &[], &piece), 8)
            })
            .collect();
        let learned = background(&frames.iter().collect::<Vec<_>>(), 10, 20, 8).unwrap();
        let empty = style.frame(&style.paint(&[], &[], &[]), 8);
        assert!(learned == empty.raster, "{ground:?}");
    }
}

#[test]
fn without_a_background_the_first_frame_gives_it() {
    let style = Style {
        ground: Ground::Checker,
        ..Style::default()
    };
    let frame = style.frame(&style.paint(&a_stack(), &[], &[]), 8);
    assert_eq!(
        ascii(&Reader::new(10, 20, 8).read(&frame)),
        truth(&style, &a_stack(), &[], &[])
    );
}

#[test]
fn a_board_that_is_nearly_full_at_the_start_is_misread() {
    let mut grid = Grid::from_ascii("##########\n##########\n##########\n..........");
    assert!(!plausible(&grid));
    grid = Grid::from_ascii("..........\n..........\n##########\n..........");
    assert!(plausible(&grid));
}

#[test]
fn a_preview_box_shows_its_piece_at_any_size_and_place() {
    for kind in PieceKind::ALL {
        for cell in [(9.0, 9.0), (16.5, 16.5), (22.0, 22.0)] {
            for block in [Block::Flat, Block::Gap(1), Block::Bevel, Block::Outline(2)] {
                let style = Style {
                    width: 110,
                    height: 90,
                    x: 7.0,
                    y: 12.0,
                    cell,
                    columns: 4,
                    rows: 2,
                    block,
                    ..Style::default()
                };
                let cells = kind.states()[0].cells().to_vec();
                let piece: Vec<_> = cells
                    .iter()
                    .map(|&(c, r)| (c, f64::from(r), kind as usize))
                    .collect();
                let (full, bare) = (style.paint(&[], &[], &piece), style.paint(&[], &[], &[]));
                assert_eq!(
                    preview::polyomino(&full, Some(&bare)),
                    Some(cells),
                    "{kind:?} {cell:?} {block:?}"
                );
                assert_eq!(preview::polyomino(&bare, Some(&bare)), None);
            }
        }
    }
}

#[test]
fn stacked_previews_are_told_apart_from_the_top() {
    let style = Style {
        width: 120,
        height: 220,
        x: 10.0,
        y: 10.0,
        cell: (16.0, 16.0),
        columns: 5,
        rows: 12,
        ..Style::default()
    };
    let mut piece = Vec::new();
    for (i, kind) in [PieceKind::T, PieceKind::O, PieceKind::I]
        .into_iter()
        .enumerate()
    {
        piece.extend(
            kind.states()[0]
                .cells()
                .iter()
                .map(|&(c, r)| (c, f64::from(r + 4 * i as i32), i)),
        );
    }
    let found = preview::polyominoes(
        &style.paint(&[], &[], &piece),
        Some(&style.paint(&[], &[], &[])),
    );
    let want: Vec<_> = [PieceKind::T, PieceKind::O, PieceKind::I]
        .map(|k| k.states()[0].cells().to_vec())
        .to_vec();
    assert_eq!(found, want);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn decoded_is_painted(
        kind in 0usize..7, column in 0i32..7, w in 14.0f64..26.0, light: bool,
        cells in prop::collection::btree_set((0i32..10, 14i32..20), 0..40),
        ground in prop::sample::select(vec![Ground::Flat, Ground::Checker, Ground::Lines, Ground::Gradient, Ground::Noise, Ground::Squares]),
        block in prop::sample::select(vec![Block::Flat, Block::Bevel, Block::Gap(1), Block::Gradient, Block::Outline(3)]),
    ) {
        let style = Style { cell: (w, w), ground, block, light, ..Style::default() };
        let stack: Vec<_> = cells.into_iter().enumerate().map(|(i, (c, r))| (c, r, i)).collect();
        check(&style, PieceKind::ALL[kind], column, &stack, false);
    }
}

/// A white board with thin lines around its cells, drawn anew around each cell that a piece has passed: they are darker
/// there, and nothing else is.
#[test]
fn lines_that_are_worn_by_the_pieces_that_pass_are_no_blocks() {
    use tetrascope::model::{Frame, Raster, Rect};
    use tetrascope::vision::Reader;
    const SIDE: usize = 8;
    let (columns, rows) = (10, 20);
    let frame = |piece: &[(usize, usize)], worn: &dyn Fn(usize, usize) -> u32| {
        let width = columns * SIDE;
        let mut rgb = vec![255; width * rows * SIDE * 3];
        for row in 0..rows {
            for column in 0..columns {
                let line = 190 - 20 * worn(column, row).min(3) as u8;
                for y in 0..SIDE {
                    for x in 0..SIDE {
                        let edge = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;
                        let at = ((row * SIDE + y) * width + column * SIDE + x) * 3;
                        if edge {
                            rgb[at..at + 3].fill(line);
                        } else if piece.contains(&(column, row)) {
                            rgb[at..at + 3].copy_from_slice(&[0, 140, 0]);
                        }
                    }
                }
            }
        }
        Frame {
            raster: Raster::from_rgb(width as u32, (rows * SIDE) as u32, rgb).unwrap(),
            samples: SIDE as u16,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let empty = frame(&[], &|_, _| 0);
    let mut reader = Reader::new(10, 20, SIDE as u16).with_background(&empty);
    let piece = |down: usize| [(4, down), (4, down + 1), (5, down + 1), (5, down + 2)];
    let mut passed: Vec<(usize, usize)> = Vec::new();
    for down in 0..17 {
        let cells = piece(down);
        let times = |c: usize, r: usize| passed.iter().filter(|p| **p == (c, r)).count() as u32;
        let grid = reader.read(&frame(&cells, &times));
        let truth: Vec<(i32, i32)> = cells.map(|(c, r)| (c as i32, r as i32)).to_vec();
        let mut read = grid.filled_cells();
        read.sort_unstable();
        assert_eq!(read, truth, "{down} rows down:\n{}", grid.to_ascii());
        passed.extend(cells);
    }
}

/// An icon lies on the board. In the picture of the page from which the empty look was taken it is sampled a little
/// otherwise than in the frames.
#[test]
fn an_icon_on_the_board_that_is_sampled_otherwise_is_no_block_and_a_block_under_it_is_one() {
    use tetrascope::model::{Frame, Raster, Rect};
    const ICON: [[u8; 2]; 8] = [
        [255, 255],
        [212, 186],
        [41, 61],
        [0, 0],
        [40, 61],
        [144, 138],
        [112, 97],
        [255, 255],
    ];
    let frame = |way: usize, blocks: &[(usize, usize)]| {
        let mut rgb = vec![255; 80 * 160 * 3];
        for y in 0..160 {
            for x in 0..80 {
                let at = (y * 80 + x) * 3;
                if blocks.contains(&(x / 8, y / 8)) {
                    rgb[at..at + 3].copy_from_slice(&[240, 230, 0]);
                }
                let icon = (9, 0) == (x / 8, y / 8) && (1..7).contains(&y);
                if icon && ICON[x % 8][way] < 255 {
                    rgb[at..at + 3].fill(ICON[x % 8][way]);
                }
            }
        }
        Frame {
            raster: Raster::from_rgb(80, 160, rgb).unwrap(),
            samples: 8,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let mut reader = Reader::new(10, 20, 8).with_background(&frame(0, &[]));
    let piece = [(4, 3), (5, 3), (6, 3), (5, 4)];
    let mut read = reader.read(&frame(1, &piece)).filled_cells();
    read.sort_unstable();
    assert_eq!(read, [(4, 3), (5, 3), (5, 4), (6, 3)]);
    let over = [(6, 0), (7, 0), (8, 0), (9, 0)];
    let mut read = reader.read(&frame(1, &over)).filled_cells();
    read.sort_unstable();
    assert_eq!(read, [(6, 0), (7, 0), (8, 0), (9, 0)]);
}

/// All ghosts are of one grey, which stands out of the board hardly less than the darkest piece does.
#[test]
fn a_ghost_as_strong_as_its_dark_piece_is_told_by_where_it_is_and_by_its_colour() {
    use tetrascope::model::{Frame, Raster, Rect};
    const PURPLE: [u8; 3] = [128, 0, 128];
    const GREY: [u8; 3] = [70, 68, 70];
    let frame = |blocks: &[(i32, i32)], ghost: &[(i32, i32)]| {
        let mut rgb = vec![30; 80 * 160 * 3];
        let shown = blocks.iter().map(|c| (c, PURPLE));
        for (&(column, row), colour) in ghost.iter().map(|c| (c, GREY)).chain(shown) {
            for i in 0..64 {
                let at = ((row * 8 + i / 8) * 80 + column * 8 + i % 8) as usize * 3;
                rgb[at..at + 3].copy_from_slice(&colour);
            }
        }
        Frame {
            raster: Raster::from_rgb(80, 160, rgb).unwrap(),
            samples: 8,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let t = |column: i32, row: i32| {
        [
            (column + 1, row),
            (column, row + 1),
            (column + 1, row + 1),
            (column + 2, row + 1),
        ]
    };
    let mut reader = Reader::new(10, 20, 8).with_background(&frame(&[], &[]));
    let stack = t(5, 18);
    for (blocks, ghost) in [
        (t(3, 4).to_vec(), t(3, 18)),
        (t(2, 4).to_vec(), t(2, 18)),
        (t(2, 5).to_vec(), t(2, 18)),
        ([t(4, 5), stack].concat(), t(4, 16)),
        ([t(2, 6), stack].concat(), t(2, 18)),
        // Part of what lies there is seen beside the piece that lands on it.
        ([t(5, 9), stack].concat(), t(5, 16)),
    ] {
        let grid = reader.read(&frame(&blocks, &ghost));
        let mut read = grid.filled_cells();
        read.sort_unstable();
        let mut truth = blocks.clone();
        truth.sort_unstable();
        assert_eq!(read, truth, "\n{}", grid.to_ascii());
    }
}

/// All ghosts are of one grey, which stands out more than green blocks do, and less than half as much as others.
#[test]
fn a_grey_ghost_on_blocks_that_stand_out_as_little_is_told_by_its_colour() {
    const GREY: [u8; 3] = [53, 71, 53];
    const GREEN: [u8; 3] = [0, 140, 0];
    const CYAN: [u8; 3] = [0, 201, 184];
    const PINK: [u8; 3] = [223, 100, 223];
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    let mut check = |blocks: &[((i32, i32), [u8; 3])], ghost: [(i32, i32); 4]| {
        let cells = [of(ghost, GREY), blocks.to_vec()].concat();
        let grid = reader.read(&flat(10, 20, &cells));
        let mut read = grid.filled_cells();
        let mut truth: Vec<_> = blocks.iter().map(|b| b.0).collect();
        read.sort_unstable();
        truth.sort_unstable();
        assert_eq!(read, truth, "\n{}", grid.to_ascii());
    };
    for (n, colour) in [CYAN, PINK].into_iter().cycle().take(8).enumerate() {
        let (column, row) = (n as i32 % 4, 4 + n as i32);
        check(&of(lying(column, row), colour), lying(column, 19));
    }
    let stack = of(z(4, 18), GREEN);
    // Above the board, then below its edge.
    check(&stack, lying(3, 17));
    for row in 1..4 {
        let blocks = [stack.clone(), of(lying(3, row), CYAN)].concat();
        check(&blocks, lying(3, 17));
    }
    let wall = of([(7, 16), (7, 17), (7, 18), (7, 19)], GREEN);
    let blocks = [stack, wall, of(lying(3, 4), CYAN)].concat();
    check(&blocks, lying(3, 17));
}

/// All ghosts are white. A menu fades in over one while the game stands still: its look is not what ghosts look like.
#[test]
fn a_ghost_that_was_covered_for_a_while_is_known_again() {
    const RED: [u8; 3] = [220, 40, 30];
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    let mut look = |column: i32, row: i32, white: u8| {
        let cells = [of(z(column, 18), [white; 3]), of(z(column, row), RED)].concat();
        let grid = reader.read(&flat(10, 20, &cells));
        let mut read = grid.filled_cells();
        read.sort_unstable();
        (read, grid.to_ascii())
    };
    let alone = |column: i32, row: i32| {
        let mut truth = z(column, row).to_vec();
        truth.sort_unstable();
        truth
    };
    for n in 0..20 {
        let (column, row) = (n % 7, 2 + n / 7);
        let (read, art) = look(column, row, 255);
        assert_eq!(read, alone(column, row), "\n{art}");
    }
    for n in 0..30u8 {
        look(6, 5, 255 - n * 7);
    }
    for n in 0..20 {
        look(6, 5, 45 + n / 10);
    }
    // Once it is there as it was, and some looks for it to be believed in again.
    for n in 0..12 {
        look(n % 7, 6, 255);
    }
    let (read, art) = look(3, 7, 255);
    assert_eq!(read, alone(3, 7), "\n{art}");
}

/// A menu lies over the board for long and glitters: a full row, and what passes for a pale piece over its paler ghost. What
/// blocks and ghosts look like is known as before when it goes, and the first piece is still above the board.
#[test]
fn a_menu_that_glitters_over_the_board_teaches_nothing() {
    const RED: [u8; 3] = [228, 104, 114];
    const BLUE: [u8; 3] = [91, 125, 230];
    let ghost = |colour: [u8; 3]| colour.map(|v| (u16::from(v) * 7 / 25) as u8);
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    for n in 0..20 {
        let (column, row) = (n % 7, 2 + n / 7);
        let cells = [of(z(column, 18), ghost(BLUE)), of(z(column, row), BLUE)].concat();
        reader.read(&flat(10, 20, &cells));
    }
    for n in 0..300u16 {
        let glitters = |v: u16| [(v + n % 7) as u8; 3];
        let mut cells: Vec<_> = (0..10).map(|c| ((c, 15), glitters(60))).collect();
        cells.extend((0..9).map(|c| ((c, 3), glitters(60))));
        cells.extend(of(lying(6, 8), glitters(60)));
        cells.extend(of(lying(6, 9), glitters(8)));
        if n % 5 == 0 {
            cells.push(((i32::from(n / 5 % 9), 4), glitters(60)));
        }
        reader.read(&flat(10, 20, &cells));
    }
    let stack = of(lying(3, 19), BLUE);
    let grid = reader.read(&flat(
        10,
        20,
        &[stack.clone(), of(z(3, 17), ghost(RED))].concat(),
    ));
    let truth: Vec<_> = stack.iter().map(|b| b.0).collect();
    assert_eq!(grid.filled_cells(), truth, "\n{}", grid.to_ascii());
}

/// A title shows for long over the board that a game was left for: dim words that pass for blocks, of which some come and go.
/// What blocks look like is known as before in the next game, in which something faint surrounds the piece.
#[test]
fn a_title_with_a_marker_that_blinks_teaches_nothing() {
    const RED: [u8; 3] = [228, 104, 114];
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    for n in 0..80 {
        reader.read(&flat(10, 20, &of(z(n % 7, 2 + n / 7), RED)));
    }
    for n in 0..300u16 {
        let mut cells = of(lying(2, 5), [44; 3]);
        cells.extend(of(lying(5, 8), [52; 3]));
        cells.extend(of(z(4, 11), [38 + n % 3; 3].map(|v| v as u8)));
        if n % 14 < 7 {
            cells.push(((1, 5), [48; 3]));
        }
        if n % 10 < 3 {
            cells.push(((8, 8), [48; 3]));
        }
        reader.read(&flat(10, 20, &cells));
    }
    let glow: Vec<_> = [(3, 7), (5, 6), (2, 6), (6, 7)]
        .map(|at| (at, [15, 11, 11]))
        .into();
    let grid = reader.read(&flat(10, 20, &[of(z(3, 6), RED), glow].concat()));
    let mut read = grid.filled_cells();
    let mut truth = z(3, 6).to_vec();
    read.sort_unstable();
    truth.sort_unstable();
    assert_eq!(read, truth, "\n{}", grid.to_ascii());
}

/// Ghosts are a dark veil over a checkerboard of two strong colours, and over the piece itself where it comes near.
#[test]
fn a_veil_over_a_strong_checkerboard_is_no_block() {
    const DARK: [u8; 3] = [16, 58, 136];
    const LIGHT: [u8; 3] = [87, 128, 196];
    const YELLOW: [u8; 3] = [255, 255, 0];
    const BLUE: [u8; 3] = [52, 52, 204];
    type Cells<'a> = &'a [((i32, i32), [u8; 3])];
    let frame = |blocks: Cells<'_>, ghost: &[(i32, i32)]| {
        let mut rgb = vec![0; 80 * 160 * 3];
        for y in 0..160 {
            for x in 0..80 {
                let cell = (x / 8, y / 8);
                // Blocks do not fill their cells; the veil does.
                let within = (1..7).contains(&(x % 8)) && (1..7).contains(&(y % 8));
                let ground = if (cell.0 + cell.1) % 2 == 0 {
                    DARK
                } else {
                    LIGHT
                };
                let block = blocks.iter().find(|b| b.0 == cell && within);
                let mut colour = block.map_or(ground, |b| b.1);
                if ghost.contains(&cell) {
                    colour = colour.map(|v| (f32::from(v) * 0.3) as u8);
                }
                let at = (y * 80 + x) as usize * 3;
                rgb[at..at + 3].copy_from_slice(&colour);
            }
        }
        Frame {
            raster: Raster::from_rgb(80, 160, rgb).unwrap(),
            samples: 8,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let s = |c: i32, r: i32| [(c + 1, r), (c + 1, r + 1), (c, r + 1), (c, r + 2)];
    let j = |c: i32, r: i32| [(c + 1, r), (c + 1, r + 1), (c, r + 2), (c + 1, r + 2)];
    let of = |cells: [(i32, i32); 4], colour: [u8; 3]| cells.map(|c| (c, colour));
    let mut reader = Reader::new(10, 20, 8).with_background(&frame(&[], &[]));
    let lying = of(s(1, 17), YELLOW);
    for (piece, ghost, stack) in [
        (of(z(0, 4), YELLOW), z(0, 18), &[][..]),
        (of(z(1, 5), YELLOW), z(1, 18), &[]),
        (of(z(2, 6), YELLOW), z(2, 18), &[]),
        (of(s(2, 6), YELLOW), s(2, 17), &[]),
        (of(s(1, 7), YELLOW), s(1, 17), &[]),
        (of(s(1, 15), YELLOW), s(1, 17), &[]),
        (of(s(1, 16), YELLOW), s(1, 17), &[]),
        (of(j(0, 3), BLUE), j(0, 15), &lying),
        (of(j(0, 13), BLUE), j(0, 15), &lying),
        (of(j(0, 14), BLUE), j(0, 15), &lying),
        (of(j(4, 3), BLUE), j(4, 17), &lying),
    ] {
        let blocks = [&piece, stack].concat();
        let grid = reader.read(&frame(&blocks, &ghost));
        let mut read = grid.filled_cells();
        read.sort_unstable();
        let mut truth: Vec<_> = blocks.iter().map(|b| b.0).collect();
        truth.sort_unstable();
        assert_eq!(read, truth, "\n{}", grid.to_ascii());
    }
}

/// Where all blocks have one colour, the same kind of piece below the one that falls is no ghost.
#[test]
fn the_likeness_of_a_piece_in_its_own_colour_is_no_ghost() {
    use tetrascope::model::{Frame, Raster, Rect};
    let frame = |blocks: &[(i32, i32)]| {
        let mut rgb = vec![150; 80 * 160 * 3];
        for &(column, row) in blocks {
            for i in 0..64 {
                let at = ((row * 8 + i / 8) * 80 + column * 8 + i % 8) as usize * 3;
                rgb[at..at + 3].fill(0);
            }
        }
        Frame {
            raster: Raster::from_rgb(80, 160, rgb).unwrap(),
            samples: 8,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let s = |row: i32| [(4, row), (5, row), (3, row + 1), (4, row + 1)];
    let mut reader = Reader::new(10, 20, 8).with_background(&frame(&[]));
    // It is watched again in the middle of a game.
    for blocks in [
        [s(4), s(18)].concat(),
        [s(5), s(18)].concat(),
        [s(6), s(18), [(6, 19), (7, 19), (8, 19), (9, 19)]].concat(),
    ] {
        let grid = reader.read(&frame(&blocks));
        assert_eq!(
            grid.filled_cells().len(),
            blocks.len(),
            "\n{}",
            grid.to_ascii()
        );
    }
}

/// Cells of 8x8 samples in flat colours over black: what is drawn where, the later over the earlier.
fn flat(columns: i32, rows: i32, cells: &[((i32, i32), [u8; 3])]) -> tetrascope::model::Frame {
    use tetrascope::model::{Frame, Raster, Rect};
    let (width, height) = (columns * 8, rows * 8);
    let mut rgb = vec![0; (width * height * 3) as usize];
    for &((column, row), colour) in cells {
        for i in 0..64 {
            let at = ((row * 8 + i / 8) * width + column * 8 + i % 8) as usize * 3;
            rgb[at..at + 3].copy_from_slice(&colour);
        }
    }
    Frame {
        raster: Raster::from_rgb(width as u32, height as u32, rgb).unwrap(),
        samples: 8,
        rect: Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
    }
}

fn of(cells: [(i32, i32); 4], colour: [u8; 3]) -> Vec<((i32, i32), [u8; 3])> {
    cells.map(|c| (c, colour)).to_vec()
}

fn l(c: i32, r: i32) -> [(i32, i32); 4] {
    [(c + 2, r), (c, r + 1), (c + 1, r + 1), (c + 2, r + 1)]
}

fn z(c: i32, r: i32) -> [(i32, i32); 4] {
    [(c, r), (c + 1, r), (c + 1, r + 1), (c + 2, r + 1)]
}

fn lying(c: i32, r: i32) -> [(i32, i32); 4] {
    [(c, r), (c + 1, r), (c + 2, r), (c + 3, r)]
}

/// The board was taken for a row higher than it is: nothing rests on its last row, but the first ghost tells.
#[test]
fn the_first_ghost_tells_where_the_floor_is() {
    const GREY: [u8; 3] = [34, 36, 42];
    const ORANGE: [u8; 3] = [255, 160, 60];
    let mut reader = Reader::new(12, 21, 8).with_background(&flat(12, 21, &[]));
    for (column, row) in [(3, 4), (2, 4), (5, 6), (1, 9)] {
        let piece = of(l(column, row), ORANGE);
        let cells = [of(l(column, 18), GREY), piece.clone()].concat();
        let grid = reader.read(&flat(12, 21, &cells));
        assert_eq!(grid.filled_cells().len(), 4, "\n{}", grid.to_ascii());
    }
}

/// A row lights up before the piece that fills it is taken from where it was dropped: with it a part of the ghost.
#[test]
fn what_is_left_of_a_ghost_beside_a_row_that_lights_up_is_no_block() {
    const GREY: [u8; 3] = [34, 36, 42];
    const ORANGE: [u8; 3] = [255, 160, 60];
    const WHITE: [u8; 3] = [220; 3];
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    let stack: Vec<_> = (0..10)
        .filter(|c| !(3..6).contains(c))
        .map(|c| ((c, 19), ORANGE))
        .collect();
    let ghost = of(l(3, 18), GREY);
    for row in [4, 5] {
        reader.read(&flat(
            10,
            20,
            &[stack.clone(), ghost.clone(), of(l(3, row), ORANGE)].concat(),
        ));
    }
    let lit: Vec<_> = (0..10).map(|c| ((c, 19), WHITE)).collect();
    let cells = [stack, ghost, of(l(3, 5), ORANGE), lit].concat();
    let grid = reader.read(&flat(10, 20, &cells));
    assert!(!grid.is_filled(5, 18), "\n{}", grid.to_ascii());
    assert_eq!(grid.filled_cells().len(), 14, "\n{}", grid.to_ascii());
}

/// The first ghost was learned as a part of the empty look; before all of it is seen to go, a piece comes to lie on the rest.
#[test]
fn a_ghost_in_the_empty_look_is_told_from_it_when_the_block_on_it_goes() {
    const GREY: [u8; 3] = [34, 36, 42];
    const ORANGE: [u8; 3] = [255, 160, 60];
    let shadow = |c: i32| of(lying(c, 19), GREY);
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &shadow(3)));
    let locked = of(lying(5, 19), ORANGE);
    for cells in [
        [shadow(3), of(lying(3, 4), ORANGE)].concat(),
        [shadow(5), of(lying(5, 5), ORANGE)].concat(),
        [shadow(1), locked.clone(), of(lying(1, 3), ORANGE)].concat(),
        [shadow(1), locked, of(lying(1, 4), ORANGE)].concat(),
        // The next game.
        [shadow(0), of(lying(0, 2), ORANGE)].concat(),
        [shadow(0), of(lying(0, 3), ORANGE)].concat(),
    ] {
        let grid = reader.read(&flat(10, 20, &cells));
        let pieces = cells.iter().filter(|c| c.1 == ORANGE).count();
        assert_eq!(grid.filled_cells().len(), pieces, "\n{}", grid.to_ascii());
    }
}

/// A game without ghosts draws the lines around each cell with the block in it, so that they get a little brighter where
/// pieces pass, also where the first piece would have landed.
#[test]
fn lines_worn_where_the_first_piece_would_have_landed_hide_no_block_that_comes_to_lie_there() {
    const YELLOW: [u8; 3] = [253, 255, 0];
    const MAGENTA: [u8; 3] = [255, 0, 254];
    const RED: [u8; 3] = [254, 9, 0];
    const CYAN: [u8; 3] = [27, 255, 255];
    let worn = |cells: &[((i32, i32), [u8; 3])]| {
        let mut frame = flat(10, 20, cells);
        let mut rgb = frame.raster.rgb().to_vec();
        let bare = |at: &(i32, i32)| cells.iter().all(|c| c.0 != *at);
        for (column, row) in [(4, 18), (5, 18)].into_iter().filter(bare) {
            for i in (0..64).filter(|i| i / 8 == 0 || i % 8 == 0 || i % 8 == 7) {
                let at = ((row * 8 + i / 8) * 80 + column * 8 + i % 8) as usize * 3;
                rgb[at..at + 3].fill(8);
            }
        }
        frame.raster = tetrascope::model::Raster::from_rgb(80, 160, rgb).unwrap();
        frame
    };
    let hanging = of([(3, 6), (4, 6), (5, 6), (4, 7)], YELLOW);
    let passing = of([(5, 15), (5, 16), (4, 17), (5, 17)], MAGENTA);
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    reader.read(&flat(10, 20, &hanging));
    let grid = reader.read(&worn(&passing));
    assert_eq!(grid.filled_cells().len(), 4, "\n{}", grid.to_ascii());
    let floor = of(lying(3, 19), MAGENTA);
    for row in 4..7 {
        let lies = [floor.clone(), of(lying(3, 18), RED)].concat();
        let next = of([(7, row), (8, row), (7, row + 1), (8, row + 1)], CYAN);
        let grid = reader.read(&worn(&[lies, next].concat()));
        assert_eq!(grid.filled_cells().len(), 12, "\n{}", grid.to_ascii());
    }
}

/// Pale ghosts of bright and of dark pieces, of which some are as strong as a dark block; their pieces are above the board at
/// first.
#[test]
fn ghosts_of_bright_pieces_over_dark_blocks_are_none() {
    const RED: [u8; 3] = [255, 0, 0];
    const CYAN: [u8; 3] = [0, 255, 255];
    let pale = |c: [u8; 3]| c.map(|v| (f32::from(v) * 0.3) as u8);
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    let stack = of(z(4, 18), RED);
    for r in 3..9 {
        let cells = [of(z(4, 18), pale(RED)), of(z(4, r), RED)].concat();
        reader.read(&flat(10, 20, &cells));
    }
    for i in 0..24 {
        // Red blocks are what is known of blocks by then.
        let cells = [
            stack.clone(),
            of(z(0, 18), pale(RED)),
            of(z(0, i % 16), RED),
        ]
        .concat();
        reader.read(&flat(10, 20, &cells));
    }
    let waiting = [stack.clone(), of(lying(3, 17), pale(CYAN))].concat();
    let grid = reader.read(&flat(10, 20, &waiting));
    assert_eq!(grid.filled_cells().len(), 4, "\n{}", grid.to_ascii());
}

/// A page that wipes away most of a picture with the next one leaves both piece and ghost where they were, as like each
/// other as they are.
#[test]
fn what_is_left_of_a_piece_and_its_ghost_does_not_hide_the_ghost() {
    const YELLOW: [u8; 3] = [197, 197, 0];
    const CYAN: [u8; 3] = [0, 198, 198];
    const GREY: [u8; 3] = [93, 105, 118];
    let o = |c: i32, r: i32| [(c, r), (c + 1, r), (c, r + 1), (c + 1, r + 1)];
    let stack = [((8, 19), CYAN), ((9, 19), CYAN)];
    let mut reader = Reader::new(10, 20, 8).with_background(&flat(10, 20, &[]));
    for r in 0..4 {
        // A game begins over an empty board.
        let below = if r > 1 { &stack[..] } else { &[] };
        let cells = [&of(o(4, 18), GREY)[..], &of(o(4, r), YELLOW), below].concat();
        reader.read(&flat(10, 20, &cells));
    }
    let moved = [
        &of(o(4, 3), [28, 28, 0])[..],
        &of(o(4, 18), [10, 11, 12]),
        &of(o(8, 3), YELLOW),
        &of(o(8, 17), GREY),
        &stack,
    ]
    .concat();
    let grid = reader.read(&flat(10, 20, &moved));
    for (c, r) in o(8, 17) {
        assert!(!grid.is_filled(c, r), "\n{}", grid.to_ascii());
    }
    for (c, r) in o(8, 3) {
        assert!(grid.is_filled(c, r), "\n{}", grid.to_ascii());
    }
}

/// Blocks glow into the cells beside them; ghosts are thin outlines with a faint filling, which the glow tints. They
/// are there before their piece is wholly on the board.
#[test]
fn outlined_ghosts_among_glowing_blocks_leave_nothing_behind() {
    use tetrascope::model::{Frame, Raster, Rect};
    const GROUND: [f32; 3] = [5.0, 0.0, 20.0];
    const GREEN: [f32; 3] = [57.0, 255.0, 20.0];
    const RED: [f32; 3] = [255.0, 70.0, 70.0];
    type Cells<'a> = &'a [(i32, i32)];
    let frame = |piece: Cells<'_>, ghost: Cells<'_>, stack: Cells<'_>| {
        let mut rgb = vec![0; 80 * 160 * 3];
        for y in 0..160 {
            for x in 0..80 {
                let (cell, at) = ((x / 8, y / 8), (x % 8, y % 8));
                let edge = at.0 == 0 || at.1 == 0 || at.0 == 7 || at.1 == 7;
                // How much of a colour lies there: of a block all, of its glow in the two pixels beside it a part.
                let share = |cells: Cells<'_>| {
                    if cells.contains(&cell) {
                        return 1.0;
                    }
                    let near = |far: i32| {
                        (-far..=far).any(|dx| {
                            (-far..=far).any(|dy| {
                                cells.contains(&((x + dx).div_euclid(8), (y + dy).div_euclid(8)))
                            })
                        })
                    };
                    if near(1) {
                        0.25
                    } else if near(2) {
                        0.06
                    } else {
                        0.0
                    }
                };
                let mut colour = GROUND;
                let mut lay = |of: [f32; 3], share: f32| {
                    for (c, o) in colour.iter_mut().zip(of) {
                        *c += (o - *c) * share;
                    }
                };
                lay(GREEN, share(stack));
                if ghost.contains(&cell) {
                    lay(RED, if edge { 0.18 } else { 0.05 });
                }
                lay(RED, share(piece));
                let at = (y * 80 + x) as usize * 3;
                rgb[at..at + 3].copy_from_slice(&colour.map(|c| c as u8));
            }
        }
        Frame {
            raster: Raster::from_rgb(80, 160, rgb).unwrap(),
            samples: 8,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let t = |column: i32, row: i32| {
        let below = row + 1;
        [
            (column + 1, row),
            (column, below),
            (column + 1, below),
            (column + 2, below),
        ]
    };
    let stack = [(6, 18), (6, 19), (7, 18), (7, 19)];
    let mut reader = Reader::new(10, 20, 8).with_background(&frame(&[], &[], &[]));
    for (column, row, landed) in [
        // Nothing but the stack; then a ghost whose piece is still wholly above the board.
        (0, -2, -5),
        (0, -2, 18),
        (0, -2, 18),
        (0, -2, 18),
        (3, 4, 18),
        (3, 5, 18),
        (1, 5, 18),
        (4, -1, 16),
        (4, 0, 16),
        (3, -1, 18),
        (3, 0, 18),
        (0, 0, 18),
    ] {
        let piece: Vec<_> = t(column, row).into_iter().filter(|c| c.1 >= 0).collect();
        let grid = reader.read(&frame(&piece, &t(column, landed), &stack));
        let mut truth = [&piece[..], &stack].concat();
        truth.sort_unstable();
        let mut read = grid.filled_cells();
        read.sort_unstable();
        assert_eq!(read, truth, "{column},{row}\n{}", grid.to_ascii());
    }
}

/// Ghosts are a fifth of their piece's colour, and blocks glow into the cells above them: of a ghost that lies there, and on
/// which it is laid, some cells can't be told from the glow.
#[test]
fn a_ghost_in_the_light_of_what_it_stands_on_is_no_block() {
    use tetrascope::model::{Frame, Raster, Rect};
    const GROUND: [f32; 3] = [16.0, 16.0, 24.0];
    const BLUE: [f32; 3] = [0.0, 0.0, 240.0];
    const YELLOW: [f32; 3] = [240.0, 240.0, 0.0];
    const GREEN: [f32; 3] = [0.0, 240.0, 0.0];
    type Blocks = Vec<((i32, i32), [f32; 3])>;
    let of = |cells: [(i32, i32); 4], colour: [f32; 3]| -> Blocks {
        cells.into_iter().map(|c| (c, colour)).collect()
    };
    let frame = |blocks: &Blocks, ghost: &Blocks| {
        let mut rgb = vec![0; 80 * 160 * 3];
        for (y, x) in (0..160).flat_map(|y| (0..80).map(move |x| (y, x))) {
            let (cell, at) = ((x / 8, y / 8), (x % 8, y % 8));
            let edge = at.0 == 0 || at.1 == 0 || at.0 == 7 || at.1 == 7;
            let mut colour = GROUND;
            let mut lay = |of: [f32; 3], share: f32| {
                for (c, o) in colour.iter_mut().zip(of) {
                    *c += (o - *c) * share;
                }
            };
            let reaches = |of: (i32, i32), far: i32| {
                (-far..=far).any(|dx| {
                    (-far..=far).any(|dy| of == ((x + dx).div_euclid(8), (y + dy).div_euclid(8)))
                })
            };
            let here = |all: &Blocks| all.iter().find(|b| b.0 == cell).map(|b| b.1);
            for (of, colour) in blocks.iter().filter(|b| b.0 != cell) {
                lay(
                    *colour,
                    if reaches(*of, 1) {
                        0.25
                    } else if reaches(*of, 2) {
                        0.03
                    } else {
                        0.0
                    },
                );
            }
            if let Some(of) = here(ghost) {
                lay(of, if edge { 0.14 } else { 0.2 });
            }
            if let Some(of) = here(blocks) {
                lay(of, if edge { 0.85 } else { 1.0 });
            }
            let at = (y * 80 + x) as usize * 3;
            rgb[at..at + 3].copy_from_slice(&colour.map(|c| c as u8));
        }
        Frame {
            raster: Raster::from_rgb(80, 160, rgb).unwrap(),
            samples: 8,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let o = |r: i32| [(2, r), (3, r), (2, r + 1), (3, r + 1)];
    let s = |c: i32, r: i32| [(c + 1, r), (c + 2, r), (c, r + 1), (c + 1, r + 1)];
    let mut stack = of([(1, 18), (1, 19), (2, 19), (3, 19)], BLUE);
    let mut reader = Reader::new(10, 20, 8).with_background(&frame(&Vec::new(), &Vec::new()));
    let mut check = |stack: &Blocks, piece: Blocks, ghost: Blocks| {
        let all = [&stack[..], &piece[..]].concat();
        let ghost = ghost.into_iter().filter(|g| all.iter().all(|b| b.0 != g.0));
        let grid = reader.read(&frame(&all, &ghost.collect()));
        let mut truth: Vec<_> = all.iter().map(|b| b.0).collect();
        truth.sort_unstable();
        let mut read = grid.filled_cells();
        read.sort_unstable();
        assert_eq!(read, truth, "\n{}", grid.to_ascii());
    };
    for row in (0..12).chain([17]) {
        check(&stack, of(o(row), YELLOW), of(o(17), YELLOW));
    }
    stack.extend(of(o(17), YELLOW));
    for row in 0..12 {
        check(&stack, of(s(3, row), GREEN), of(s(3, 15), GREEN));
    }
}

#[test]
fn thresholds_that_a_person_set_stand_above_what_is_learned() {
    use CellState::{Empty, Filled, Ghost};
    // A dark board, a faint cell, a plain one.
    let empty = Raster::filled(32, 32, [20; 3]);
    let now = empty
        .patched(&Raster::filled(8, 8, [50; 3]), 0, 24)
        .patched(&Raster::filled(8, 8, [220; 3]), 16, 24);
    let frame = |raster| Frame {
        raster,
        samples: 8,
        rect: Rect::new(0.0, 0.0, 32.0, 32.0),
    };
    let (empty, now) = (frame(empty), frame(now));
    let read = |block, ghost| {
        let mut reader = Reader::new(4, 4, 8).with_background(&empty);
        reader.tune(&Hints {
            block,
            ghost,
            ..Hints::default()
        });
        let grid = reader.read(&now);
        let state = |c| grid.get(c, 3).unwrap().state;
        (state(0), state(2))
    };
    assert_eq!(read(None, None), (Filled, Filled));
    assert_eq!(read(Some(40.0), None), (Empty, Filled));
    assert_eq!(read(None, Some(60.0)), (Ghost, Filled));
    assert_eq!(read(Some(10.0), Some(20.0)), (Filled, Filled));
    assert_eq!(read(Some(201.0), None), (Empty, Empty));
}

/// An orange piece lies on two yellow blocks that a clear left, which is what its ghost would leave to be seen, while only
/// the foot of a yellow piece has come in from above: ghosts have been paler all the time.
#[test]
fn yellow_blocks_below_an_orange_piece_are_no_ghost_while_a_paler_one_is_there() {
    use tetrascope::model::{Frame, Raster, Rect};
    const GROUND: [f32; 3] = [192.0, 200.0, 208.0];
    const YELLOW: [f32; 3] = [206.0, 164.0, 19.0];
    const ORANGE: [f32; 3] = [203.0, 98.0, 22.0];
    const BLUE: [f32; 3] = [12.0, 77.0, 176.0];
    type Blocks = Vec<((i32, i32), [f32; 3])>;
    let of = |cells: &[(i32, i32)], colour: [f32; 3]| -> Blocks {
        cells.iter().map(|c| (*c, colour)).collect()
    };
    let frame = |blocks: &Blocks, ghost: &Blocks| {
        let mut rgb = vec![0; 80 * 160 * 3];
        for (y, x) in (0..160).flat_map(|y| (0..80).map(move |x| (y, x))) {
            let here = |all: &Blocks| all.iter().find(|b| b.0 == (x / 8, y / 8)).map(|b| b.1);
            let mut colour = GROUND;
            if let Some(of) = here(ghost) {
                for (c, o) in colour.iter_mut().zip(of) {
                    *c += (o - *c) * 0.45;
                }
            }
            let colour = here(blocks).unwrap_or(colour);
            let at = (y * 80 + x) as usize * 3;
            rgb[at..at + 3].copy_from_slice(&colour.map(|c| c as u8));
        }
        Frame {
            raster: Raster::from_rgb(80, 160, rgb).unwrap(),
            samples: 8,
            rect: Rect::new(0.0, 0.0, 80.0, 160.0),
        }
    };
    let square = |c: i32, r: i32| [(c, r), (c + 1, r), (c, r + 1), (c + 1, r + 1)];
    let mut reader = Reader::new(10, 20, 8).with_background(&frame(&Vec::new(), &Vec::new()));
    // Ghosts of three colours, until their look is known.
    let floor: Vec<_> = (0..9).map(|c| (c, 19)).collect();
    let mut stack = of(&floor, BLUE);
    for n in 0..24 {
        let (c, colour) = (n % 9, [YELLOW, ORANGE, BLUE][n as usize % 3]);
        let blocks = [stack.clone(), of(&square(c, n % 5), colour)].concat();
        reader.read(&frame(&blocks, &of(&square(c, 17), colour)));
    }
    stack.extend(of(&[(0, 18), (1, 18)], YELLOW));
    stack.extend(of(&[(0, 15), (0, 16), (0, 17), (1, 17)], ORANGE));
    let blocks = [stack, of(&[(4, 0), (5, 0)], YELLOW)].concat();
    let grid = reader.read(&frame(&blocks, &of(&square(4, 17), YELLOW)));
    let mut truth: Vec<_> = blocks.iter().map(|b| b.0).collect();
    truth.sort_unstable();
    let mut read = grid.filled_cells();
    read.sort_unstable();
    assert_eq!(read, truth, "{}", grid.to_ascii());
}
