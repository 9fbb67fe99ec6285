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
