use super::*;
use crate::model::{PieceKind, Side};

/// Shows these boards one after another; gives all events but plain moves down.
#[track_caller]
fn see(boards: &[&str]) -> (Tracker, Vec<GridEvent>) {
    let first = Grid::from_ascii(boards[0]);
    let mut tracker = Tracker::new(first.columns(), first.rows());
    let mut all = Vec::new();
    for (seq, art) in boards.iter().enumerate() {
        let grid = Grid::from_ascii(art);
        let noticed = tracker.see(Seen {
            seq: seq as u64,
            game_ms: seq as f64 * 100.0,
            grid: &grid,
            quiet: true,
            let_go: LetGo::No,
            between: None,
            written: &[],
        });
        all.extend(noticed.into_iter().map(|n| n.event));
    }
    let down = |e: &GridEvent| {
        matches!(
            e,
            GridEvent::PieceMoved {
                side: Side::Down,
                ..
            }
        )
    };
    all.retain(|e| !down(e));
    (tracker, all)
}

/// The same with the rows of each board on one line.
#[track_caller]
fn see_lines(boards: &[&str]) -> (Tracker, Vec<GridEvent>) {
    let boards: Vec<String> = boards.iter().map(|b| b.replace(' ', "\n")).collect();
    see(&boards.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn on_a_board_first_seen_in_mid_game_what_falls_is_the_piece() {
    let (t, events) = see_lines(&[
        "...... .TT... ..T... ..T... xxxxx. xx.xxx",
        "...... ...... .TT... ..T... xxTxx. xx.xxx",
    ]);
    // Touching the stack in both pictures, it cannot be told by shape alone; nothing is made up.
    assert!(events.len() <= 2, "{events:?}");
    let (t2, events) = see_lines(&[
        "...... ....x. .TTT.. ..T..x x....x xx.xxx",
        "...... ....x. ...... .TTT.x x.T..x xx.xxx",
    ]);
    assert_eq!(t2.active().and_then(|a| a.kind), Some(PieceKind::T));
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(t.stack().filled_count() > 0);
}

#[test]
fn one_odd_reading_is_forgotten() {
    let (t, events) = see(&[
        ".OO...\n.OO...\n......\n......\nxx..xx",
        "......\n.OO...\n.OO..x\n......\nxx..xx",
        "......\n......\n.OO...\n.OO...\nxx..xx",
    ]);
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(t.active().map(ActivePiece::corner), Some((1, 2)));
}

#[test]
fn a_ghost_is_never_part_of_it() {
    let (t, events) = see(&[
        ".OO...\n.OO...\n......\n.++...\n.++...",
        "......\n.OO...\n.OO...\n.++...\n.++...",
    ]);
    assert_eq!(events.len(), 1);
    assert_eq!(t.stack().filled_count(), 0);
}

#[test]
fn full_rows_that_stand_for_long_are_a_text_over_the_end_and_no_clear() {
    let ended = ".OO...\nxOOx.x\nxxxxxx\nxxxxxx\nxx.xxx\nx.xxxx";
    let begun = "..ZZ..\n...ZZ.\n......\n......\n......\n......";
    let mut boards = vec![ended; 40];
    boards.extend([begun; 4]);
    let (t, events) = see(&boards);
    assert!(events.contains(&GridEvent::BoardCleared), "{events:?}");
    assert_eq!(t.active().and_then(|a| a.kind), Some(PieceKind::Z));
}

#[test]
fn an_emptied_board_with_a_new_piece_is_a_board_cleared() {
    let (t, events) = see(&[
        "......\n......\n......\nxx..xx\nx.xxxx",
        ".OO...\n.OO...\n......\nxx..xx\nx.xxxx",
        "...JJJ\n.....J\n......\n......\n......",
        "......\n...JJJ\n.....J\n......\n......",
    ]);
    assert!(events.contains(&GridEvent::BoardCleared), "{events:?}");
    assert_eq!(t.active().and_then(|a| a.kind), Some(PieceKind::J));
    assert_eq!(t.stack().filled_count(), 0);
    assert!(
        !events
            .iter()
            .any(|e| matches!(e, GridEvent::PieceLocked { .. }))
    );
}

#[test]
fn a_layer_over_the_whole_board_is_no_clear_under_way() {
    let covered = "xxxxxx\n".repeat(7);
    let (t, events) = see(&[
        ".OO...\n.OO...\n......\n......\n......\nxx..xx\nx.xxxx",
        "......\n.OO...\n.OO...\n......\n......\nxx..xx\nx.xxxx",
        covered.trim(),
        covered.trim(),
        covered.trim(),
        covered.trim(),
        covered.trim(),
        covered.trim(),
        "...JJJ\n.....J\n......\n......\n......\n......\n......",
        "......\n...JJJ\n.....J\n......\n......\n......\n......",
        "......\n......\n...JJJ\n.....J\n......\n......\n......",
    ]);
    assert!(events.contains(&GridEvent::BoardCleared), "{events:?}");
    assert_eq!(t.active().and_then(|a| a.kind), Some(PieceKind::J));
    assert_eq!(t.stack().filled_count(), 0);
}

#[test]
fn a_board_that_fades_out_and_comes_back_empty_was_emptied_once() {
    let full = ".....x\n.x...x\nxx.xxx\nxx.xxx\nx.xxxx\nxx.xxx\nx.xxxx";
    let (t, events) = see(&[
        full,
        full,
        // As it goes dark, blocks are taken for the ground and the ground for blocks.
        "x....x\nx....x\n.x.xx.\nxx..x.\n..xx.x\nx...x.\n..xx..",
        "x.x...\n...x.x\n.xx...\n.x..xx\nx.x..x\n.x.x..\nx..x.x",
        ".x..x.\nx.x...\n...x..\nx..x..\n.x..x.\n..x.x.\n.x..x.",
        "..x..x\n.x..x.\nx...x.\n.x....\nx..x..\n.x...x\nx...x.",
        "...x..\nx....x\n.x.x..\n..x..x\n.x..x.\nx..x..\n..x..x",
        "...JJJ\n.....J\n......\n......\n......\n......\n......",
        "......\n...JJJ\n.....J\n......\n......\n......\n......",
        "......\n......\n...JJJ\n.....J\n......\n......\n......",
    ]);
    let emptied = events.iter().filter(|e| **e == GridEvent::BoardCleared);
    assert_eq!(emptied.count(), 1, "{events:?}");
    assert_eq!(t.active().and_then(|a| a.kind), Some(PieceKind::J));
    assert_eq!(t.stack().filled_count(), 0);
}

#[test]
fn what_a_layer_over_the_whole_board_covered_is_there_again_when_it_goes() {
    let covered = "xxxxxx\n".repeat(7);
    let fall = [
        ".OO...\n.OO...\n......\n......\n......\nxx..xx\nx.xxxx",
        "......\n.OO...\n.OO...\n......\n......\nxx..xx\nx.xxxx",
    ];
    let further = "......\n......\n.OO...\n.OO...\n......\nxx..xx\nx.xxxx";
    let mut boards = fall.to_vec();
    boards.extend([covered.trim(); 6]);
    boards.extend([fall[1], fall[1], further, further]);
    let (t, events) = see(&boards);
    assert_eq!(
        t.active().map(ActivePiece::corner),
        Some((1, 2)),
        "{events:?}"
    );
    assert_eq!(t.stack().filled_count(), 9);
}

#[test]
fn a_board_that_fills_row_by_row_spawns_and_locks_nothing() {
    let rows: Vec<String> = (1..=6)
        .map(|n| {
            (0..6)
                .map(|r| if r >= 6 - n { "xxxxxx\n" } else { "......\n" })
                .collect()
        })
        .collect();
    let boards: Vec<&str> = rows.iter().map(String::as_str).collect();
    let (_, events) = see(&boards);
    let made_up = |e: &&GridEvent| {
        matches!(
            e,
            GridEvent::PieceLocked { .. } | GridEvent::PieceSpawned { .. }
        )
    };
    assert_eq!(events.iter().find(made_up), None, "{events:?}");
}

#[test]
fn blocks_that_fall_freely_after_a_clear_are_no_new_events() {
    let (t, events) = see(&[
        "IIII..\n......\n......\n......\n.x....\nx...xx",
        "......\n......\n......\nIIII..\n.x....\nx...xx",
        "......\n......\n......\n......\nIIIIxx\nx...xx",
    ]);
    assert!(t.active().is_some() || !events.is_empty());
    let (_, events) = see(&[
        "......\n.OO...\n.OO...\n......\n.x....\nx..xxx",
        "......\n......\n.OO...\n.OO...\n.x....\nx..xxx",
    ]);
    assert!(
        !events
            .iter()
            .any(|e| matches!(e, GridEvent::LineCleared { .. }))
    );
}

#[test]
fn a_grid_of_another_size_is_a_failed_reading() {
    let mut t = Tracker::new(10, 20);
    let noticed = t.see(Seen {
        seq: 1,
        game_ms: 0.0,
        grid: &Grid::new(4, 4),
        quiet: true,
        let_go: LetGo::No,
        between: None,
        written: &[],
    });
    assert!(matches!(noticed[0].event, GridEvent::GridReadFailed { .. }));
}

#[test]
fn a_tall_board_that_stands_still_for_long_is_a_game_that_is_over_and_that_is_said_once() {
    let full = "..TTT.\n...T..\nxx.xxx\nxxx.xx\nx.xxxx\nxx.xxx";
    let low = "......\n......\n......\n......\nx.xxxx\nxx.xxx";
    let hangs = "..TTT.\n...T..\n......\n......\nx.xxxx\nxx.xxx";
    let overs = |board: &str, readings: usize| {
        let (_, events) = see(&vec![board; readings]);
        let over = |e: &&GridEvent| **e == GridEvent::GameOver;
        events.iter().filter(over).count()
    };
    assert_eq!(overs(full, 20), 0, "two seconds are a lock delay");
    assert_eq!(overs(full, 90), 1);
    assert_eq!(overs(low, 90), 0, "a pause");
    assert_eq!(overs(hangs, 90), 0, "a piece that could fall is a pause");
}

#[test]
fn a_curtain_of_full_rows_that_goes_away_is_a_board_emptied_and_no_clear() {
    let full = "xxxxxx\n".repeat(8);
    let empty = "......\n".repeat(8);
    let stack = format!("{}xx.xxx\nx.xxxx", "......\n".repeat(6));
    let (t, events) = see(&[&stack, &stack, &full, &full, &full, &full, &empty, &empty]);
    let clear = |e: &&GridEvent| matches!(e, GridEvent::LineCleared { .. });
    assert_eq!(events.iter().find(clear), None, "{events:?}");
    assert!(events.contains(&GridEvent::BoardCleared), "{events:?}");
    assert_eq!(t.stack().filled_count(), 0);
}

/// A game with a ring of eight cells among its pieces.
#[test]
fn a_piece_of_another_size_is_one_too() {
    let (t, events) = see_lines(&[
        ".TTT.. ..T... ...... ...... ...... ...... ...... xx...x",
        "...... .TTT.. ..T... ...... ...... ...... ...... xx...x",
        "...... ...... ...... ...... ...... .TTT.. ..T... xx...x",
        "...xxx ...x.x ...xxx ...... ...... .TTT.. ..T... xx...x",
        "...... ...xxx ...x.x ...xxx ...... .TTT.. ..T... xx...x",
        "...... ..xxx. ..x.x. ..xxx. ...... .TTT.. ..T... xx...x",
        ".TTT.. ..T... ..xxx. ..x.x. ..xxx. .TTT.. ..T... xx...x",
    ]);
    let locks: Vec<i32> = events
        .iter()
        .filter_map(|e| match e {
            GridEvent::PieceLocked { filled_delta, .. } => Some(*filled_delta),
            _ => None,
        })
        .collect();
    assert_eq!(locks, [4, 8], "{events:?}");
    assert_eq!(t.active().and_then(|a| a.kind), Some(PieceKind::T));
}

#[test]
fn a_piece_of_another_size_is_found_by_its_fall() {
    let (t, events) = see_lines(&[
        ".TTT.. ..T... ...... ...... ...... ...... x....x xx...x",
        // Nothing explains this: it is believed as it is, and the ring is among it.
        "..xxx. ..x.x. ..xxx. ...... .xx... ..xx.. ..xx.x ...x.x",
        "...... ..xxx. ..x.x. ..xxx. .xx... ..xx.. ..xx.x ...x.x",
        "..xxx. ..x.x. ..xxx. ...... ...... ...... ...x.. ..xx.x",
        "..xxx. ..x.x. ..xxx. ...... ...... ...... ...x.. ..xx.x",
        "..xxx. ..x.x. ..xxx. ...... ...... ...... ...x.. ..xx.x",
        "..xxx. ..x.x. ..xxx. ...... ...... ...... ...x.. ..xx.x",
        "...... ..xxx. ..x.x. ..xxx. ...... ...... ...x.. ..xx.x",
    ]);
    assert_eq!(t.active().map(|a| a.cells.len()), Some(8), "{events:?}");
    assert_eq!(t.stack().filled_count(), 4);
}

#[test]
fn what_stands_still_while_the_rest_of_a_piece_falls_is_stack() {
    let (t, events) = see_lines(&[
        "...T.. ..TTT. ...... ...... ...... x.xx.x",
        "...... ...T.. ..TTT. ...... ...... x.xx.x",
        "...... ...... ..T... ..TT.. .x.... xxxx.x",
        "...... ...... ..T... ..TT.. .x.... xxxx.x",
        "...... ...... ...... ..T... .xTT.. xxxx.x",
    ]);
    let piece = t.active().map(|a| a.cells.clone()).unwrap_or_default();
    assert_eq!(piece, [(2, 3), (2, 4), (3, 4)], "{events:?}");
    assert_eq!(t.stack().filled_count(), 6);
}

#[test]
fn a_row_that_is_cleared_and_still_lit_is_cleared_once() {
    let (t, events) = see_lines(&[
        "..OO.. ..OO.. ...... ...... x..... xx..xx",
        "...... ..OO.. ..OO.. ...... x..... xx..xx",
        ".I.... .I.... .I.... .I.... ...... xxxxxx",
        "...... .I.... .I.... .I.... .I.... xxxxxx",
        "...... .I.... .I.... .I.... .I.... x.xx..",
    ]);
    let cleared = |e: &&GridEvent| matches!(e, GridEvent::LineCleared { count: 1, .. });
    assert_eq!(events.iter().filter(cleared).count(), 1, "{events:?}");
    assert!(
        !events
            .iter()
            .any(|e| matches!(e, GridEvent::StackChanged { .. })),
        "{events:?}"
    );
    assert_eq!(t.stack().filled_count(), 3);
}

/// What is drawn over a board for a moment changes its looks all the time; it is waited for, and then all is told.
#[test]
fn a_beam_over_whole_columns_that_goes_out_is_no_change_of_the_stack() {
    let frame = |art: &str, glow: u8| {
        let mut grid = Grid::from_ascii(&art.replace(' ', "\n"));
        for r in 0..6 {
            for c in 2..4 {
                if glow > 0 && !grid.is_filled(c, r) {
                    let cell = Cell {
                        state: CellState::Filled,
                        colour: [glow; 3],
                        confidence: 90,
                    };
                    grid.set(c, r, cell);
                }
            }
        }
        grid
    };
    let mut grids = vec![
        frame("..OO.. ..OO.. ...... ...... x..... xx...x", 0),
        frame("...... ..OO.. ..OO.. ...... x..... xx...x", 0),
    ];
    let after = "T..... TT.... T..... ...... x.OO.. xxOO.x";
    grids.extend([80, 70, 60, 50, 40, 30].map(|glow| frame(after, glow)));
    grids.push(frame(after, 0));
    let mut tracker = Tracker::new(6, 6);
    let mut events = Vec::new();
    for (seq, grid) in grids.iter().enumerate() {
        let noticed = tracker.see(Seen {
            seq: seq as u64,
            game_ms: seq as f64 * 50.0,
            grid,
            quiet: true,
            let_go: LetGo::No,
            between: None,
            written: &[],
        });
        events.extend(noticed.into_iter().map(|n| n.event));
    }
    let locked = |e: &GridEvent| {
        matches!(
            e,
            GridEvent::PieceLocked {
                filled_delta: 4,
                ..
            }
        )
    };
    assert!(events.iter().any(locked), "{events:?}");
    assert!(
        !events
            .iter()
            .any(|e| matches!(e, GridEvent::StackChanged { .. })),
        "{events:?}"
    );
}

#[test]
fn the_likeness_of_a_piece_where_it_would_land_is_no_block() {
    let (t, events) = see_lines(&[
        ".T.... TTT... ...... ...... ...... ...... ...... x.....",
        "...... .T.... TTT... ...... ...... ...... ...... x.....",
        "...... ...... ...... ..T... .TTT.. ..x... .xxx.. x.....",
        "...... ...... ...... ...... ..T... .TTT.. .xxx.. x.....",
        "...... ...... ...... ...... ..T... .TTT.. ...... x.....",
    ]);
    let piece = t.active().map(|a| a.cells.clone()).unwrap_or_default();
    assert_eq!(piece, [(2, 4), (1, 5), (2, 5), (3, 5)], "{events:?}");
    assert_eq!(t.stack().filled_count(), 1, "{events:?}");
    assert_eq!(t.piece_id(), 1, "{events:?}");
}

#[test]
fn a_piece_that_has_lost_a_cell_is_a_piece_still() {
    let (t, _) = see_lines(&[
        "...... ...... ....xx .....x ...... ...... xx.... x.xx..",
        "...... ...... ...... ....xx .....x ...... xx.... x.xx..",
        "...... ...... ...... ...... ....xx .....x xx.... x.xx..",
    ]);
    let piece = t.active().map(|a| a.cells.clone()).unwrap_or_default();
    assert_eq!(piece, [(4, 4), (5, 4), (5, 5)]);
}

/// A page that takes full rows out one by one, from below, by numbers that are stale once what is above has come down.
#[test]
fn rows_that_go_in_place_of_full_ones_are_told() {
    let (t, events) = see_lines(&[
        "...... ....OO ....OO ...... ...... ...... .x.... xxxx.. xxxx..",
        "...... ...... ....OO ....OO ...... ...... .x.... xxxx.. xxxx..",
        "...... .TTT.. ..T... ...... ...... ...... ...... ...... xxxxxx",
        "...... ...... .TTT.. ..T... ...... ...... ...... ...... xxxxxx",
    ]);
    let gone = GridEvent::LineCleared {
        count: 2,
        rows: vec![6, 8],
    };
    assert!(events.contains(&gone), "{events:?}");
    let odd = |e: &GridEvent| matches!(e, GridEvent::StackChanged { .. });
    assert!(!events.iter().any(odd), "{events:?}");
    assert_eq!(t.settled().complete_rows(), [8]);
}

/// The rows that a dropped piece fills light up all over while it is still drawn where it was dropped from.
#[test]
fn rows_that_light_up_before_the_piece_is_moved_hold_no_piece() {
    let (t, events) = see_lines(&[
        "....OO ....OO ...... ...... .x.... x..... xxxx.. xxxx..",
        "...... ....OO ....OO ...... .x.... x..... xxxx.. xxxx..",
        "...... ....OO ....OO ...... .x.... x..... xxxxxx xxxxxx",
        "...... ....OO ....OO ...... .x.... x..... xxxx.. xxxx..",
        "...... ....OO ....OO ...... .x.... x..... xxxx.. xxxxx.",
        "...... ....OO ....OO ...... .x.... x..... xxxx.. xxxx..",
        ".TTT.. ..T... ...... ...... ...... ...... .x.... x.....",
    ]);
    let locks = events
        .iter()
        .filter(|e| matches!(e, GridEvent::PieceLocked { .. }));
    assert_eq!(locks.count(), 1, "{events:?}");
    let odd = |e: &GridEvent| matches!(e, GridEvent::StackChanged { .. });
    assert!(!events.iter().any(odd), "{events:?}");
    assert_eq!(t.active().and_then(|a| a.kind), Some(PieceKind::T));
}

/// A drop that is drawn over some frames, the first of which cannot be read: what comes after it is the drop still.
#[test]
fn a_drop_is_one_from_the_key_on_also_where_the_first_look_at_it_is_odd() {
    let falls = |odd: bool, let_go: LetGo| {
        let mut lines: Vec<(&str, bool, LetGo)> = vec![
            (
                ".OO. .OO. .... .... .... .... .... .... .... .... x...",
                true,
                LetGo::No,
            ),
            (
                ".... .OO. .OO. .... .... .... .... .... .... .... x...",
                true,
                LetGo::No,
            ),
        ];
        if odd {
            lines.push((
                ".... .... .... .OO. .... .... .... .... .... .... x...",
                false,
                let_go,
            ));
            lines.push((
                ".... .... .... .OO. .OO. .... .... .... .... .... x...",
                true,
                LetGo::No,
            ));
        } else {
            lines.push((
                ".... .... .... .OO. .OO. .... .... .... .... .... x...",
                false,
                let_go,
            ));
        }
        lines.extend([
            (
                ".... .... .... .... .... .OO. .OO. .... .... .... x...",
                true,
                LetGo::No,
            ),
            (
                ".... .... .... .... .... .... .OO. .OO. .... .... x...",
                true,
                LetGo::No,
            ),
            (
                ".... .... .... .... .... .... .... .OO. .OO. .... x...",
                true,
                LetGo::No,
            ),
        ]);
        let mut tracker = Tracker::new(4, 11);
        for (seq, (rows, quiet, let_go)) in lines.iter().enumerate() {
            let grid = Grid::from_ascii(&rows.replace(' ', "\n"));
            tracker.see(Seen {
                seq: seq as u64,
                game_ms: seq as f64 * 75.0,
                grid: &grid,
                quiet: *quiet,
                let_go: *let_go,
                between: None,
                written: &[],
            });
        }
        let timed = |f: &&Fall| f.after_ms.is_some();
        tracker.gravity().falls().iter().filter(timed).count()
    };
    assert_eq!(falls(false, LetGo::No), 2, "a key that does something else");
    assert_eq!(falls(false, LetGo::Surely), 0);
    assert_eq!(falls(true, LetGo::Surely), 0);
}

/// The board is drawn anew only with the next lock, and the piece that completed rows once more over it.
#[test]
fn a_piece_that_is_still_drawn_after_its_clear_is_none_of_the_stack() {
    let boards = [
        "OO.... OO.... ...... ...... ....x. ..xxxx ..xxxx",
        "...... ...... OO.... OO.... ....x. ..xxxx ..xxxx",
        // The rows are gone, and the piece is drawn where it was.
        ".T.... TTT... ...... ...... ...... OO.... OO..x.",
        "...... .T.... TTT... ...... ...... OO.... OO..x.",
        "...... ...... .T.... TTT... ...... OO.... OO..x.",
        "...... ...... ...... .T.... TTT... OO.... OO..x.",
        "...... ...... ...... .T.... TTT... OO.... OO..x.",
        // The next one goes through it, and takes it away where it was.
        "...... ...... ...... ...... .T.... TTT... OO..x.",
        "...... ...... ...... ...... ...... .T.... TTT.x.",
        ".SS... SS.... ...... ...... ...... .T.... TTT.x.",
    ];
    let (t, events) = see_lines(&boards);
    let unexplained = |e: &GridEvent| matches!(e, GridEvent::StackChanged { .. });
    assert!(!events.iter().any(unexplained), "{events:?}");
    let told = |e: &&GridEvent| matches!(e, GridEvent::Afterimage { cells } if cells.len() == 4);
    assert_eq!(events.iter().filter(told).count(), 1, "{events:?}");
    let cleared = |e: &&GridEvent| matches!(e, GridEvent::LineCleared { count: 2, .. });
    assert_eq!(events.iter().filter(cleared).count(), 1, "{events:?}");
    assert_eq!(t.settled().count(), 5);
    assert!(t.afterimage().is_empty());
    // Gone with the next picture, it was part of the clear that was being shown.
    let (_, events) = see_lines(&[
        boards[0],
        boards[1],
        boards[2],
        &boards[3].replace("OO..", "...."),
    ]);
    let told = |e: &GridEvent| matches!(e, GridEvent::Afterimage { .. });
    assert!(!events.iter().any(told), "{events:?}");
}

/// A page that takes both rows away, and lets the lower one flash over what has come down into it.
#[test]
fn a_row_that_seems_to_stay_when_others_go_and_then_goes_out_was_a_flash() {
    let (t, events) = see_lines(&[
        "...... ....OO ....OO ...... ...... ...... .x.... xxxx.. xxxx..",
        "...... ...... ....OO ....OO ...... ...... .x.... xxxx.. xxxx..",
        "...... .TTT.. ..T... ...... ...... ...... ...... ...... xxxxxx",
        "...... ...... .TTT.. ..T... ...... ...... ...... ...... xxxxxx",
        "...... ...... .TTT.. ..T... ...... ...... ...... ...... .x....",
        "...... ...... ...... .TTT.. ..T... ...... ...... ...... .x....",
    ]);
    let locks = |e: &&GridEvent| matches!(e, GridEvent::PieceLocked { .. });
    assert_eq!(events.iter().filter(locks).count(), 1, "{events:?}");
    let odd = |e: &GridEvent| matches!(e, GridEvent::StackChanged { .. });
    assert!(!events.iter().any(odd), "{events:?}");
    assert_eq!(t.active().and_then(|a| a.kind), Some(PieceKind::T));
    assert_eq!(t.settled().places(), [(1, 8)]);
}

/// Words over the board from the clear on, for longer than the next piece takes to come.
#[test]
fn words_over_the_board_are_no_blocks_and_no_piece() {
    let art = [
        "....OO ....OO ...... ...... ...... ...... .x.... xxxx.. xxxx..",
        "...... ....OO ....OO ...... ...... ...... .x.... xxxx.. xxxx..",
        "...... ...... ...... ...... .wwww. ...... ...... ...... .x....",
        "...... ...... ...... ...... .wwww. ...... ...... ...... .x....",
        ".TTT.. ..T... ...... ...... .wwww. ...... ...... ...... .x....",
        "...... ...... .TTT.. ..T... .wwww. ...... ...... ...... .x....",
        "...... ...... ...... .TTT.. .wTww. ...... ...... ...... .x....",
        "...... ...... ...... ...... .TTTw. ..T... ...... ...... .x....",
        "...... ...... ...... ...... .TTT.. ..T... ...... ...... .x....",
        "...... ...... ...... ...... ...... .TTT.. ..T... ...... .x....",
    ];
    let words: Vec<Place> = (1..5).map(|c| (c, 4)).collect();
    let mut tracker = Tracker::new(6, 9);
    let mut events = Vec::new();
    for (seq, rows) in art.iter().enumerate() {
        let grid = Grid::from_ascii(&rows.replace(' ', "\n"));
        // The words are heard of after they were first seen.
        let written = seq > 2 && seq < 8;
        let noticed = tracker.see(Seen {
            seq: seq as u64,
            game_ms: seq as f64 * 100.0,
            grid: &grid,
            quiet: true,
            let_go: LetGo::No,
            between: None,
            written: if written { &words } else { &[] },
        });
        events.extend(noticed.into_iter().map(|n| n.event));
        if (3..7).contains(&seq) {
            assert!(tracker.written().contains(&(4, 4)), "{seq}: {events:?}");
            assert_eq!(tracker.settled().count(), 1, "{seq}: {events:?}");
        }
    }
    let odd = |e: &GridEvent| matches!(e, GridEvent::StackChanged { .. });
    assert!(!events.iter().any(odd), "{events:?}");
    let spawns = |e: &&GridEvent| matches!(e, GridEvent::PieceSpawned { .. });
    let spawned = events.iter().filter(spawns).count();
    assert!(spawned <= 3, "{events:?}");
    assert_eq!(tracker.active().and_then(|a| a.kind), Some(PieceKind::T));
}
