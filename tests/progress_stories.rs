//! Did the state progress? One made-up scene for every kind that is hard.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[allow(dead_code)]
#[path = "progress/painter.rs"]
mod painter;

use painter::{BLACK, BLUE, Canvas, GOLD, GREY, RED, WHITE};
use tetrascope::progress::{Answer, Deed, Judgement, Observation, StateAnalyzer};

/// Moments: idle pictures are 250 ms apart, those after the action 1 s and 2 s after it.
const IDLE: [i32; 4] = [0, 1, 2, 3];
const AFTER: [i32; 2] = [7, 11];

/// A scene that is drawn for a moment, in quarters of a second, before the action or after it.
fn judge(deed: Deed, scene: impl Fn(i32, bool) -> Canvas) -> Judgement {
    let idle: Vec<_> = IDLE.iter().map(|&t| scene(t, false).raster()).collect();
    let seen = Observation {
        before: idle.last().cloned(),
        idle,
        after: AFTER.iter().map(|&t| scene(t, true).raster()).collect(),
        deed,
        ..Observation::default()
    };
    StateAnalyzer.has_state_progressed(&seen).unwrap()
}

#[track_caller]
fn progressed(deed: Deed, scene: impl Fn(i32, bool) -> Canvas) {
    let judgement = judge(deed, scene);
    assert_eq!(judgement.verdict, Answer::Progressed, "{judgement:#?}");
    assert!(judgement.confidence > 0.5 && !judgement.boxes().is_empty());
}

#[track_caller]
fn unchanged(deed: Deed, scene: impl Fn(i32, bool) -> Canvas) {
    let judgement = judge(deed, scene);
    assert_eq!(judgement.verdict, Answer::Unchanged, "{judgement:#?}");
}

fn board() -> Canvas {
    let mut canvas = Canvas::page().rect(60, 60, 240, 240, GREY);
    for r in 0..8 {
        for c in 0..8 {
            canvas = canvas.rect(62 + c * 30, 62 + r * 30, 26, 26, [170, 170, 176]);
        }
    }
    canvas
}

#[test]
fn nothing_happens() {
    unchanged(Deed::Key, |_, _| board());
}

#[test]
fn one_small_piece_moves_one_cell() {
    progressed(Deed::Key, |_, done| {
        board().rect(if done { 98 } else { 68 }, 68, 14, 14, RED)
    });
}

#[test]
fn one_digit_of_the_score_changes() {
    progressed(Deed::Key, |_, done| {
        board().number(360, 40, if done { 1240 } else { 1230 }, 4, BLACK)
    });
}

#[test]
fn a_box_is_ticked() {
    progressed(Deed::Click, |_, done| {
        let canvas = board().frame(360, 100, 12, 12, 1, BLACK);
        if done {
            canvas
                .rect(363, 105, 3, 4, BLACK)
                .rect(366, 103, 2, 4, BLACK)
                .rect(368, 102, 2, 3, BLACK)
        } else {
            canvas
        }
    });
}

#[test]
fn a_clock_ticks_and_nothing_else() {
    unchanged(Deed::Key, |t, _| {
        board().number(360, 40, 10 + (t as u32 + 2) / 4, 3, RED)
    });
}

#[test]
fn a_clock_ticks_and_a_cell_is_opened() {
    progressed(Deed::Click, |t, done| {
        let canvas = board().number(360, 40, 10 + (t as u32 + 2) / 4, 3, RED);
        if done {
            canvas
                .rect(122, 122, 26, 26, WHITE)
                .number(131, 128, 3, 1, BLUE)
        } else {
            canvas
        }
    });
}

#[test]
fn a_button_lights_up_under_the_pointer() {
    let button = |colour| {
        board()
            .rect(330, 200, 110, 36, colour)
            .word(345, 212, 8, BLACK)
    };
    for deed in [Deed::Hover, Deed::Click] {
        unchanged(deed, |_, done| {
            button(if done { [225, 215, 160] } else { GOLD })
        });
    }
}

#[test]
fn a_tooltip_comes_up() {
    unchanged(Deed::Hover, |_, done| {
        let canvas = board().rect(330, 200, 110, 36, GOLD);
        if done {
            canvas
                .rect(320, 160, 130, 30, BLACK)
                .word(330, 170, 11, WHITE)
        } else {
            canvas
        }
    });
}

#[test]
fn the_focus_goes_from_one_button_to_another() {
    unchanged(Deed::Click, |_, done| {
        let canvas = board()
            .rect(330, 100, 110, 36, GOLD)
            .word(345, 112, 8, BLACK)
            .rect(330, 220, 110, 36, GOLD)
            .word(345, 232, 8, BLACK);
        canvas.frame(328, if done { 218 } else { 98 }, 114, 40, 2, BLUE)
    });
}

#[test]
fn a_caret_blinks_in_a_field() {
    unchanged(Deed::Key, |t, done| {
        let canvas = board().frame(320, 100, 140, 30, 1, BLACK);
        if t % 2 == 0 || done {
            canvas.rect(326, 106, 1, 18, BLACK)
        } else {
            canvas
        }
    });
}

#[test]
fn something_turns_where_it_stands() {
    let coin = |t: i32| {
        board().rect(
            370 - [8, 6, 2, 6, 5][t as usize % 5],
            100,
            [16, 12, 4, 12, 10][t as usize % 5],
            16,
            GOLD,
        )
    };
    unchanged(Deed::Key, |t, _| coin(t));
    progressed(Deed::Key, |t, done| {
        coin(t).hero(if done { 400 } else { 330 }, 250)
    });
}

#[test]
fn a_walker_walks_on() {
    let world = |t: i32| board().hero(10 + t * 9, 320);
    unchanged(Deed::Key, |t, _| world(t));
    progressed(Deed::Key, |t, done| {
        world(t).rect(if done { 420 } else { 400 }, 100, 18, 18, RED)
    });
}

#[test]
fn a_pattern_scrolls_by() {
    let ground = |t: i32| {
        (0..40).fold(board(), |c, n| {
            c.rect(n * 24 - t * 7 % 24, 330, 12, 20, RED)
        })
    };
    unchanged(Deed::Key, |t, _| ground(t));
    progressed(Deed::Key, |t, done| {
        ground(t).number(360, 40, u32::from(done), 1, BLACK)
    });
}

#[test]
fn a_word_comes_up_where_things_move_anyway() {
    let sparkle = |t: i32| {
        (0..60).fold(Canvas::new(480, 360, BLACK), |c, n| {
            let (x, y) = ((n * 97 + t * 31) % 470, (n * 53 + t * 17) % 350);
            c.rect(x, y, 3, 3, WHITE)
        })
    };
    unchanged(Deed::Key, |t, _| sparkle(t));
    progressed(Deed::Key, |t, done| {
        if done {
            sparkle(t)
                .rect(150, 140, 180, 60, RED)
                .word(180, 165, 12, GOLD)
        } else {
            sparkle(t)
        }
    });
}

#[test]
fn a_jump_that_ends_where_it_began() {
    unchanged(Deed::Key, |t, done| {
        board().hero(330, if done && t < 9 { 180 } else { 240 })
    });
}

#[test]
fn a_thing_that_was_pushed_goes_on_moving() {
    progressed(Deed::Key, |t, done| {
        board().hero(if done { 10 + (t - 3) * 30 } else { 10 }, 320)
    });
}

#[test]
fn a_falling_piece_falls_on_by_its_rows() {
    // A row a second: at the moment of the action it has just stepped.
    unchanged(Deed::Key, |t, _| {
        board().rect(152, 62 + (t + 1) / 4 * 30, 56, 26, RED)
    });
}

#[test]
fn a_falling_piece_is_pushed_to_the_side() {
    progressed(Deed::Key, |t, done| {
        board().rect(
            if done { 62 } else { 182 },
            62 + (t + 1) / 4 * 30,
            56,
            26,
            RED,
        )
    });
}

#[test]
fn the_whole_screen_is_another() {
    progressed(Deed::Key, |_, done| {
        if done {
            board()
        } else {
            Canvas::new(480, 360, BLACK).word(180, 160, 12, GOLD)
        }
    });
}

#[test]
fn a_veil_over_the_game_stays() {
    progressed(Deed::Key, |_, done| {
        if done {
            board().veiled(BLACK, 128)
        } else {
            board()
        }
    });
}

#[test]
fn a_flash_over_the_game_passes() {
    unchanged(Deed::Key, |t, done| {
        if done && t < 9 {
            board().veiled(WHITE, 100)
        } else {
            board()
        }
    });
}

#[test]
fn every_pixel_shivers() {
    unchanged(Deed::Key, |t, _| board().shivering(t as u32 + 1, 5));
    progressed(Deed::Key, |t, done| {
        board()
            .hero(if done { 360 } else { 340 }, 200)
            .shivering(t as u32 + 1, 5)
    });
}

#[test]
fn the_page_was_still_loading_in_the_first_picture() {
    unchanged(Deed::Key, |t, _| {
        if t == 0 {
            Canvas::new(480, 360, WHITE)
        } else {
            board()
        }
    });
    progressed(Deed::Key, |t, done| {
        if t == 0 {
            Canvas::new(480, 360, WHITE)
        } else {
            board().hero(if done { 360 } else { 340 }, 200)
        }
    });
}

#[test]
fn the_clock_of_the_texts_is_told_from_the_score() {
    let blank = Canvas::page().raster();
    let with = |after: [&str; 2]| {
        let seen = Observation {
            idle: vec![blank.clone(); 2],
            before: Some(blank.clone()),
            after: vec![blank.clone(); 2],
            text_idle: vec!["Zeit 3 Punkte 0".into(), "Zeit 4 Punkte 0".into()],
            text_before: Some("Zeit 4 Punkte 0".into()),
            text_after: after.map(String::from).to_vec(),
            ..Observation::default()
        };
        StateAnalyzer.has_state_progressed(&seen).unwrap().verdict
    };
    assert_eq!(
        with(["Zeit 5 Punkte 0", "Zeit 6 Punkte 0"]),
        Answer::Unchanged
    );
    assert_eq!(
        with(["Zeit 5 Punkte 10", "Zeit 6 Punkte 10"]),
        Answer::Progressed
    );
}

#[test]
fn a_dialog_or_another_address_is_progress_whatever_the_picture() {
    let blank = Canvas::page().raster();
    let quiet = Observation {
        before: Some(blank.clone()),
        after: vec![blank],
        ..Observation::default()
    };
    let said = Observation {
        dialogs: vec!["Fin".into()],
        ..quiet.clone()
    };
    let gone = Observation {
        navigated: true,
        ..quiet.clone()
    };
    let verdict = |seen: &Observation| StateAnalyzer.has_state_progressed(seen).unwrap().verdict;
    assert_eq!(verdict(&quiet), Answer::Unchanged);
    assert_eq!(verdict(&said), Answer::Progressed);
    assert_eq!(verdict(&gone), Answer::Progressed);
}

#[test]
fn pictures_that_cannot_be_compared_are_refused() {
    let blank = Canvas::page().raster();
    let other = Canvas::new(100, 100, WHITE).raster();
    let seen = Observation {
        before: Some(blank.clone()),
        after: vec![other],
        ..Observation::default()
    };
    let error = StateAnalyzer.has_state_progressed(&seen).unwrap_err();
    assert!(error.to_string().contains("480x360 before, 100x100"));
    let seen = Observation {
        before: Some(blank),
        ..Observation::default()
    };
    assert!(StateAnalyzer.has_state_progressed(&seen).is_err());
}

#[test]
fn a_large_field_gets_the_focus() {
    unchanged(Deed::Click, |_, done| {
        let colour = if done { BLUE } else { GREY };
        Canvas::page().frame(60, 60, 340, 220, 2, colour)
    });
}

#[test]
fn the_focus_shows_from_the_first_key_on() {
    let button = || {
        board()
            .rect(330, 200, 110, 36, GOLD)
            .word(345, 212, 8, BLACK)
    };
    unchanged(Deed::Key, |_, done| {
        if done {
            button().frame(327, 197, 116, 42, 2, BLACK)
        } else {
            button()
        }
    });
    // A mark that a key takes from one thing to another is a choice.
    progressed(Deed::Key, |_, done| {
        let y = if done { 297 } else { 197 };
        button()
            .rect(330, 300, 110, 36, GOLD)
            .word(345, 312, 8, BLACK)
            .frame(327, y, 116, 42, 2, BLACK)
    });
}

#[test]
fn a_box_was_fading_in_already() {
    let fading = |t: i32| {
        let share = (t * 40).clamp(0, 220);
        let mix = |from: i32, to: i32| (from + (to - from) * share / 220) as u8;
        let ink = [mix(235, 20), mix(238, 20), mix(240, 20)];
        Canvas::page()
            .frame(120, 90, 240, 120, 3, ink)
            .word(150, 130, 14, ink)
            .word(150, 160, 12, ink)
    };
    unchanged(Deed::Click, |t, _| fading(t));
    progressed(Deed::Click, |t, done| {
        if done {
            fading(t).rect(400, 280, 30, 30, RED)
        } else {
            fading(t)
        }
    });
}

#[test]
fn several_things_begin_to_pop_up() {
    // A mole in one hole and then another, and a clock.
    let mole = |canvas: Canvas, hole: i32| canvas.rect(90 + hole * 90, 90 + hole * 70, 40, 30, RED);
    progressed(Deed::Click, |t, done| {
        let canvas = board().number(360, 40, 30 - u32::from(done) * (t as u32 / 4), 2, BLACK);
        match (done, t < 9) {
            (false, _) => canvas,
            (true, true) => mole(canvas, 0),
            (true, false) => mole(mole(canvas, 1), 2),
        }
    });
}

/// Three rows of blocks of several lengths that drive by, and a figure at their edge that does not.
fn traffic(t: i32, figure: i32) -> Canvas {
    let rows = [(100, 9, 60, 34), (124, 14, 90, 60), (148, 11, 130, 100)];
    rows.into_iter()
        .fold(
            Canvas::new(480, 360, BLACK),
            |canvas, (y, speed, gap, long)| {
                (-2..8).fold(canvas, |c, n| {
                    let x = (n * gap + (t + 20) * speed) % (8 * gap) - gap;
                    c.rect(
                        x,
                        y,
                        long - n.rem_euclid(3) * 8,
                        18,
                        [GREY, GOLD][(n & 1) as usize],
                    )
                })
            },
        )
        .hero(240, figure)
}

#[test]
fn traffic_drives_by_and_a_figure_beside_it_hops() {
    unchanged(Deed::Key, |t, _| traffic(t, 172));
    progressed(Deed::Key, |t, done| {
        traffic(t, if done { 212 } else { 172 })
    });
}

#[test]
fn a_swarm_comes_nearer_where_it_turns() {
    let swarm = |t: i32| {
        let (dx, dy) = if t < 6 {
            (-t * 6, 0)
        } else {
            (-36 + (t - 6) * 6, 14)
        };
        (0..40).fold(Canvas::new(480, 360, BLACK), |c, n| {
            c.hero(80 + n % 8 * 26 + dx, 60 + n / 8 * 32 + dy)
        })
    };
    unchanged(Deed::Key, |t, _| swarm(t));
    progressed(Deed::Key, |t, done| {
        swarm(t).rect(if done { 200 } else { 160 }, 320, 30, 12, GOLD)
    });
}

#[test]
fn a_piece_steps_down_over_a_texture() {
    let ground = || {
        (0..30 * 22).fold(Canvas::page(), |c, n| {
            let shade = 150 + ((n * 2_654_435) >> 7) as u8 % 90;
            c.rect(n % 30 * 16, n / 30 * 16, 16, 16, [shade, shade, 230])
        })
    };
    let piece = |c: Canvas, x: i32, row: i32| {
        c.rect(x, 20 + row * 20, 40, 40, GOLD)
            .frame(x, 20 + row * 20, 40, 40, 2, BLACK)
    };
    let row = |t: i32| (t + 1) / 2;
    unchanged(Deed::Key, |t, _| piece(ground(), 200, row(t)));
    progressed(Deed::Key, |t, done| {
        piece(ground(), if done { 180 } else { 200 }, row(t))
    });
}

#[test]
fn a_block_slides_to_the_edge_and_back() {
    let at = |t: i32| [300, 260, 220, 180, 0, 0, 0, 20, 0, 0, 0, 110][t as usize % 12];
    unchanged(Deed::Key, |t, _| {
        Canvas::new(480, 360, BLACK).rect(at(t), 300, 150, 30, RED)
    });
}

#[test]
fn an_edge_is_sampled_otherwise() {
    unchanged(Deed::Key, |_, done| {
        (0..20).fold(board(), |c, n| {
            let shade = if done && n % 3 == 0 { 182 } else { 170 };
            c.rect(320 + n, 100, 1, 1, WHITE)
                .rect(320 + n, 101, 1, 1, [shade, shade, shade])
                .rect(320 + n, 102, 1, 1, [90, 90, 90])
        })
    });
}

#[test]
fn a_page_is_scrolled() {
    let page = |by: i32, ticked: bool| {
        let canvas = (0..24).fold(Canvas::page(), |c, n| {
            let (x, y) = (40 + n * 37 % 90, n * 22 - by);
            c.word(x, y, 6 + n as u32 % 9, BLACK)
                .word(x + 150, y, 9, BLUE)
        });
        if ticked {
            canvas.rect(350, 200 - by, 14, 14, RED)
        } else {
            canvas
        }
    };
    unchanged(Deed::Hover, |_, done| {
        page(if done { 64 } else { 0 }, false)
    });
    unchanged(Deed::Key, |_, done| page(if done { 64 } else { 0 }, false));
    progressed(Deed::Click, |_, done| page(if done { 64 } else { 0 }, done));
}

#[test]
fn two_cards_that_differ_are_turned_back() {
    let card = |canvas: Canvas, n: i32, open: bool| {
        let canvas = canvas.rect(330, 60 + n * 60, 40, 44, GOLD);
        if open {
            canvas.rect(340, 70 + n * 60, 20, 20, RED)
        } else {
            canvas.word(342, 76 + n * 60, 2, BLACK)
        }
    };
    // The first was open before; the second is seen for a moment only.
    progressed(Deed::Click, |t, done| {
        card(card(board(), 0, t < 9), 2, done && t < 9)
    });
}

#[test]
fn colours_drift_over_the_whole_board() {
    let drifting = |t: i32| {
        (0..40).fold(Canvas::page(), |c, n| {
            let shade = (60 + n * 2 + t * 3) as u8;
            c.rect(40 + n * 8, 40, 8, 240, [shade, 40, 80])
        })
    };
    unchanged(Deed::Key, |t, _| drifting(t));
    progressed(Deed::Key, |t, done| {
        if done {
            drifting(t).hero(200, 120)
        } else {
            drifting(t)
        }
    });
}
