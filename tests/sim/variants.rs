//! Named games: healthy ones of many rules, and one for each defect.

use tetrascope::driver::sim::{
    Bag, Counting, Defect, End, Input, Levels, Lock, Look, Rotation, Rules, Scoring, SimOptions,
    Soft, Start, Trigger, keys,
};
use tetrascope::model::Key;

/// Name, game, and the checks that must fail (`?name`: may).
pub type Variant = (String, SimOptions, Vec<&'static str>);

fn game(rules: Rules) -> SimOptions {
    SimOptions {
        rules,
        ..SimOptions::default()
    }
}

/// A tenth faster each level.
fn faster(ms: f64) -> Vec<f64> {
    (0..10).map(|level| ms * 0.9_f64.powi(level)).collect()
}

pub fn all() -> Vec<Variant> {
    let mut all = healthy();
    all.extend(broken());
    all.extend(not_yet());
    all
}

pub fn healthy() -> Vec<Variant> {
    let mut out: Vec<Variant> = Vec::new();
    let mut add = |name: &str, change: &dyn Fn(&mut Rules)| {
        let mut rules = Rules::default();
        change(&mut rules);
        out.push((name.to_string(), game(rules), Vec::new()));
    };
    add("auto start", &|r| r.start = Start::Auto);
    add("start by enter", &|r| {
        r.start = Start::Key(Key::new("Enter"));
    });
    add("start by space", &|r| r.start = Start::Key(Key::new(" ")));
    add("start by any key", &|r| r.start = Start::AnyKey);
    add("start by click", &|r| r.start = Start::Click);
    // No key is heard while a piece is on its way down.
    add("drops that are drawn row by row", &|r| {
        r.drop_row_ms = 20.0;
    });
    add("naive rotation", &|r| r.rotation = Rotation::Naive);
    add("matrix rotation", &|r| r.rotation = Rotation::Matrix4);
    add("trimmed rotation", &|r| r.rotation = Rotation::Trimmed);
    add("two-state rotation", &|r| r.rotation = Rotation::TwoState);
    add("uniform", &|r| r.bag = Bag::Uniform);
    add("lock at tick", &|r| r.lock = Lock::Tick);
    add("lock at touch", &|r| r.lock = Lock::Touch);
    add("lock without resets", &|r| {
        r.lock = Lock::Delay {
            ms: 500.0,
            resets: false,
        }
    });
    add("lock late", &|r| {
        r.lock = Lock::Delay {
            ms: 1000.0,
            resets: true,
        }
    });
    add("slow", &|r| r.gravity = faster(1000.0));
    // Two rows of falling before anything of it is to be seen.
    add("slow, and pieces come far above the board", &|r| {
        r.gravity = faster(900.0);
        r.hidden = 4;
        r.spawn_row = -3;
        r.lock = Lock::Tick;
    });
    add("fast", &|r| r.gravity = faster(300.0));
    add("very fast", &|r| r.gravity = faster(150.0));
    add("soft held", &|r| r.soft = Soft::Held { row_ms: 50.0 });
    add("soft held, from the next row on", &|r| {
        r.soft = Soft::HeldFromNextRow { row_ms: 100.0 };
        r.gravity = vec![400.0, 350.0, 300.0];
    });
    add("soft held, from the next row on, slow", &|r| {
        r.soft = Soft::HeldFromNextRow { row_ms: 50.0 };
        r.gravity = faster(1000.0);
    });
    add("soft held slow", &|r| r.soft = Soft::Held { row_ms: 100.0 });
    add("no repeat", &|r| r.trigger = Trigger::NoRepeat);
    for ms in [60.0, 100.0, 140.0] {
        add(&format!("deaf for {ms} ms"), &|r| {
            r.trigger = Trigger::Spaced { ms };
        });
    }
    add("key up", &|r| r.trigger = Trigger::KeyUp);
    add("a first piece that falls faster", &|r| {
        r.gravity = vec![1000.0, 800.0];
        r.first_piece = 0.8;
        r.lines_a_level = 2;
    });
    add("one press a frame", &|r| r.trigger = Trigger::Queued);
    add("polled each frame", &|r| {
        r.trigger = Trigger::Polled { frames: 1 }
    });
    add("polled each fourth frame", &|r| {
        r.trigger = Trigger::Polled { frames: 4 }
    });
    for ms in [20.0, 33.0, 50.0] {
        add(&format!("asked every {ms} ms"), &|r| {
            r.trigger = Trigger::Stepped { ms, again: false };
        });
    }
    for ms in [50.0, 67.0, 100.0] {
        add(&format!("asked every {ms} ms, again while held"), &|r| {
            r.trigger = Trigger::Stepped { ms, again: true };
        });
    }
    add("das", &|r| {
        r.trigger = Trigger::Das {
            das_ms: 167.0,
            arr_ms: 33.0,
        }
    });
    add("das short", &|r| {
        r.trigger = Trigger::Das {
            das_ms: 100.0,
            arr_ms: 20.0,
        }
    });
    add("das, soft held", &|r| {
        r.trigger = Trigger::Das {
            das_ms: 167.0,
            arr_ms: 33.0,
        };
        r.soft = Soft::Held { row_ms: 33.0 };
    });
    add("polled, soft held", &|r| {
        r.trigger = Trigger::Polled { frames: 6 };
        r.soft = Soft::Held { row_ms: 50.0 };
    });
    add("moves restart gravity", &|r| r.moves_restart_gravity = true);
    add("ghost", &|r| r.ghost = true);
    add("soft held, very fast, no hard drop", &|r| {
        r.soft = Soft::Held { row_ms: 24.0 };
        r.keys.retain(|_, i| *i != Input::Hard);
    });
    add("no preview", &|r| r.previews = 0);
    add("five previews", &|r| r.previews = 5);
    // Where pieces come the key to the left has nothing to show, and held for long it moves as often as there is room.
    add("pieces that come at the wall, keys asked", &|r| {
        r.spawn_aside = -3;
        r.trigger = Trigger::Polled { frames: 5 };
    });
    add("score that counts up point by point", &|r| {
        r.scoring = Scoring::Pieces;
        r.counting = Counting::Points(1.0);
    });
    add("score that counts up by shares", &|r| {
        r.counting = Counting::Share(0.1);
    });
    add("clear delay", &|r| r.clear_ms = 400.0);
    add("spawn delay", &|r| r.spawn_ms = 300.0);
    add("hidden rows", &|r| (r.hidden, r.spawn_row) = (2, 0));
    add("spawns hidden", &|r| (r.hidden, r.spawn_row) = (2, -2));
    add("spawns half hidden", &|r| (r.hidden, r.spawn_row) = (4, -1));
    add("spawns lower", &|r| r.spawn_row = 1);
    add("hard drop does not lock", &|r| r.hard_locks = false);
    add("nes points", &|r| r.scoring = Scoring::Nes);
    add("ten points a line", &|r| r.scoring = Scoring::Lines);
    add("points for pieces", &|r| r.scoring = Scoring::Pieces);
    add("points for drops by the level", &|r| {
        r.scoring = Scoring::LevelDrops;
        r.lines_a_level = 1;
    });
    add("points for drops and lines", &|r| {
        r.scoring = Scoring::Drops;
    });
    add("levels by time", &|r| r.levels = Levels::Time(30_000.0));
    add("starts after a countdown", &|r| {
        r.start = Start::Countdown(3_000);
    });
    add("a countdown, then a piece from far above", &|r| {
        r.start = Start::Countdown(2_500);
        (r.hidden, r.spawn_row) = (2, -2);
    });
    add(
        "started by enter, while nothing shows for two seconds",
        &|r| {
            r.start = Start::Key(Key::new("Enter"));
            (r.hidden, r.spawn_row) = (2, -2);
            r.gravity = vec![1_000.0, 800.0, 600.0];
        },
    );
    add("the same by space, and played by other keys", &|r| {
        r.start = Start::Key(Key::new(" "));
        (r.hidden, r.spawn_row) = (4, -2);
        r.gravity = vec![1_100.0, 880.0, 660.0];
        let keys = ["4", "6", "5", "2", "0"].map(Key::new);
        let inputs = [
            Input::Left,
            Input::Right,
            Input::Clockwise,
            Input::Soft,
            Input::Hard,
        ];
        r.keys = keys.into_iter().zip(inputs).collect();
    });
    add("begins again by itself, after a word", &|r| {
        r.end = End::ShownAndAgain { after_ms: 3_000.0 };
        r.again_button = false;
    });
    add("back to the title, where a drop begins the next", &|r| {
        r.start = Start::Key(Key::new(" "));
        r.end = End::Title { after_ms: 2_000.0 };
        r.again_button = false;
    });
    add("a key at the end chooses how the next begins", &|r| {
        r.handicap = true;
    });
    add("a key at the title chooses how the next begins", &|r| {
        r.handicap = true;
        r.start = Start::Key(Key::new(" "));
        r.end = End::Title { after_ms: 2_000.0 };
        r.again_button = false;
    });
    add("spawns aside", &|r| r.spawn_aside = -3);
    add("spawns in a corner", &|r| r.spawn_aside = -9);
    add("spawns in the other corner", &|r| r.spawn_aside = 9);
    add("held again and again", &|r| r.hold_often = true);
    add("taken back where the other one was", &|r| {
        r.back_in_place = true;
    });
    add("drawn anew only when something falls", &|r| {
        r.drawn_with_falls = true;
    });
    add("drawn anew only with its fast falls", &|r| {
        r.drawn_with_falls = true;
        r.gravity = vec![170.0];
    });
    for ms in [200.0, 250.0, 500.0] {
        add(
            &format!("drawn anew only with its falls of {ms} ms"),
            &|r| {
                r.drawn_with_falls = true;
                r.gravity = faster(ms);
                r.keys.retain(|_, i| *i != Input::Hard);
            },
        );
    }
    add("on a page that moves all the time", &|r| {
        r.lively_page = true;
    });
    add("any key lets it go on", &|r| r.any_key_resumes = true);
    for key in ["o", "Delete"] {
        add(&format!("{key} pauses, any key lets it go on"), &|r| {
            r.any_key_resumes = true;
            r.keys.retain(|_, i| *i != Input::Pause);
            r.keys.insert(Key::new(key), Input::Pause);
        });
    }
    add("paused by a button", &|r| {
        r.pause_button = true;
        r.keys.retain(|_, i| *i != Input::Pause);
    });
    add("paused by a button, goes on by another", &|r| {
        r.pause_button = true;
        r.resume_button = true;
        r.keys.retain(|_, i| *i != Input::Pause);
    });
    add(
        "stopped and begun anew by the button that starts it",
        &|r| {
            r.stop_button = true;
            r.keys.retain(|_, i| *i != Input::Pause);
        },
    );
    add("paused by a key, goes on by a button", &|r| {
        r.resume_button = true;
    });
    for (name, restarts) in [
        ("a key ends the game", true),
        ("a key ends the game, a button begins the next", false),
    ] {
        add(name, &|r| {
            r.keys
                .retain(|_, i| *i != Input::Pause && (restarts || *i != Input::Restart));
            r.keys.insert(Key::new("q"), Input::GiveUp);
        });
    }
    add("new game by a key alone", &|r| r.again_button = false);
    add("new game by the button alone", &|r| {
        r.keys.retain(|_, i| *i != Input::Restart);
    });
    add("12 by 24", &|r| (r.columns, r.rows) = (12, 24));
    add("8 by 16", &|r| (r.columns, r.rows) = (8, 16));
    add("10 by 18", &|r| (r.columns, r.rows) = (10, 18));
    add("wasd", &|r| {
        r.keys = keys(&[
            ("a", Input::Left),
            ("d", Input::Right),
            ("s", Input::Soft),
            ("w", Input::Clockwise),
            (" ", Input::Hard),
            ("q", Input::CounterClockwise),
        ]);
    });
    for ms in [430.0, 500.0, 570.0] {
        add(&format!("wasd, no drops, {ms} ms"), &|r| {
            r.gravity = faster(ms);
            r.keys = keys(&[
                ("a", Input::Left),
                ("d", Input::Right),
                ("s", Input::Soft),
                ("w", Input::Clockwise),
            ]);
        });
    }
    add("vim", &|r| {
        r.keys = keys(&[
            ("h", Input::Left),
            ("l", Input::Right),
            ("j", Input::Soft),
            ("k", Input::Clockwise),
            ("i", Input::Hard),
        ]);
    });
    add("arrows turn, letters move, down drops", &|r| {
        r.keys = keys(&[
            ("a", Input::Left),
            ("d", Input::Right),
            ("s", Input::Soft),
            ("ArrowDown", Input::Hard),
            ("ArrowLeft", Input::CounterClockwise),
            ("ArrowRight", Input::Clockwise),
        ]);
    });
    add("up drops", &|r| {
        r.keys = keys(&[
            ("ArrowLeft", Input::Left),
            ("ArrowRight", Input::Right),
            ("ArrowDown", Input::Soft),
            ("ArrowUp", Input::Hard),
            ("x", Input::Clockwise),
            ("z", Input::CounterClockwise),
            ("Shift", Input::Hold),
            ("Escape", Input::Pause),
        ]);
    });
    add("space pauses", &|r| {
        r.keys = keys(&[
            ("ArrowLeft", Input::Left),
            ("ArrowRight", Input::Right),
            ("ArrowDown", Input::Soft),
            ("ArrowUp", Input::Clockwise),
            (" ", Input::Pause),
        ]);
    });
    add("space turns, no drops", &|r| {
        r.soft = Soft::None;
        r.keys = keys(&[
            ("ArrowLeft", Input::Left),
            ("ArrowRight", Input::Right),
            (" ", Input::Clockwise),
        ]);
    });
    add("counter-clockwise only, enter holds", &|r| {
        r.keys = keys(&[
            ("ArrowLeft", Input::Left),
            ("ArrowRight", Input::Right),
            ("ArrowDown", Input::Soft),
            ("ArrowUp", Input::Clockwise),
            ("Enter", Input::Hold),
            (" ", Input::Hard),
        ]);
    });
    let looks: [(&str, Look); 7] = [
        (
            "light",
            Look {
                paper: [240; 3],
                ground: [255; 3],
                ..Look::default()
            },
        ),
        (
            "checker",
            Look {
                other_ground: Some([28, 28, 38]),
                ..Look::default()
            },
        ),
        (
            "lines",
            Look {
                lines: Some([50, 50, 60]),
                ..Look::default()
            },
        ),
        (
            "one colour",
            Look {
                one_colour: Some([200, 200, 200]),
                gap: 0,
                ..Look::default()
            },
        ),
        (
            "empty ground below the floor",
            Look {
                skirt: 2,
                ..Look::default()
            },
        ),
        (
            "empty cells below the floor",
            Look {
                skirt: 1,
                lines: Some([50, 50, 60]),
                ..Look::default()
            },
        ),
        (
            "wide canvas, big cells",
            Look {
                wide_canvas: true,
                cell: 24,
                ..Look::default()
            },
        ),
    ];
    for (name, look) in looks {
        out.push((
            name.into(),
            SimOptions {
                look,
                ..SimOptions::default()
            },
            Vec::new(),
        ));
    }
    // The record stays as the score goes back, before the end is over.
    out.push((
        "a record, and the next game by itself".into(),
        SimOptions {
            look: Look {
                best: true,
                ..Look::default()
            },
            ..game(Rules {
                end: End::ShownAndAgain { after_ms: 3_000.0 },
                ..Rules::default()
            })
        },
        Vec::new(),
    ));
    out.push((
        "points for every row fallen, and their record".into(),
        SimOptions {
            look: Look {
                best: true,
                ..Look::default()
            },
            ..game(Rules {
                scoring: Scoring::Falls,
                ..Rules::default()
            })
        },
        Vec::new(),
    ));
    out
}

/// Defects that phases 1 to 3 should see, or leave alone, and do not yet.
pub fn not_yet() -> Vec<Variant> {
    vec![
        // The first ghosts are read for blocks, so that the drawing is not judged.
        (
            "ghost over a checkerboard, spawns half hidden".into(),
            SimOptions {
                look: Look {
                    other_ground: Some([36, 36, 46]),
                    gap: 0,
                    ..Look::default()
                },
                ..game(Rules {
                    ghost: true,
                    hidden: 2,
                    spawn_row: -1,
                    ..Rules::default()
                })
            },
            Vec::new(),
        ),
        (
            "three lives".into(),
            game(Rules {
                lives: 3,
                ..Rules::default()
            }),
            Vec::new(),
        ),
        // A tap of the hold key is lost now and then, and then it is no key that held.
        (
            "asked every 83 ms, again while held".into(),
            game(Rules {
                trigger: Trigger::Stepped {
                    ms: 83.0,
                    again: true,
                },
                ..Rules::default()
            }),
            Vec::new(),
        ),
    ]
}

fn with(defect: Defect, fails: &[&'static str]) -> Variant {
    let rules = Rules::default().with(defect);
    (format!("{defect:?}"), game(rules), fails.to_vec())
}

fn ending(name: &str, end: End, fails: &[&'static str]) -> Variant {
    let rules = Rules {
        end,
        again_button: false,
        ..Rules::default()
    };
    (name.into(), game(rules), fails.to_vec())
}

pub fn broken() -> Vec<Variant> {
    vec![
        with(Defect::Blank, &["game_loads"]),
        with(Defect::Picture, &["game_starts"]),
        with(Defect::NoGravity, &["gravity"]),
        with(Defect::FallUndrawn, &["gravity"]),
        with(Defect::GravityOfTwoRows, &["gravity"]),
        with(Defect::GravityDies, &["gravity"]),
        with(Defect::WallLosesCells, &["walls_hold"]),
        with(Defect::WallWraps, &["walls_hold"]),
        with(Defect::RotationMissing, &["rotate"]),
        with(
            Defect::RotationMirrored,
            &["rotate", "?rotate_ccw", "?walls_hold", "?all_pieces_rotate"],
        ),
        with(
            Defect::RotationTwoOfFour,
            &["rotate", "?rotate_ccw", "all_pieces_rotate"],
        ),
        with(Defect::BarDoesNotTurn, &["?rotate", "all_pieces_rotate"]),
        with(Defect::RotationThroughWall, &["walls_hold"]),
        with(Defect::RotationIntoStack, &["walls_hold"]),
        // Two keys that turn the same way are no defect: nothing fails.
        with(Defect::CounterClockwiseTurnsClockwise, &["?rotate_ccw"]),
        with(Defect::LeftDead, &["move_left"]),
        with(Defect::RightDead, &["move_right"]),
        with(Defect::DoubleStep, &["move_left", "move_right"]),
        with(Defect::HardDropShort, &["hard_drop", "?piece_locks"]),
        with(Defect::HardDropTwice, &["hard_drop"]),
        with(Defect::DownIsHardDrop, &["soft_drop_distinct"]),
        with(
            Defect::NeverLocks,
            &["piece_locks", "?hard_drop", "?piece_spawns"],
        ),
        with(Defect::LockLosesCell, &["piece_locks"]),
        with(Defect::Trails, &["rendering_clean"]),
        with(Defect::DrawnAfterClear, &["rendering_clean"]),
        with(Defect::PageScroll, &["no_page_scroll"]),
        with(Defect::ThrowOnLock, &["no_uncaught_errors"]),
        with(Defect::PreviewLies, &["next_preview_truthful"]),
        with(Defect::PreviewStale, &["next_preview_truthful"]),
        with(Defect::HoldForgets, &["hold"]),
        with(Defect::HoldOnce, &["hold"]),
        with(Defect::KeysWhilePaused, &["pause"]),
        with(Defect::ResumeBeginsAnew, &["pause"]),
        with(Defect::NeverResumes, &["pause"]),
        with(Defect::NeverResumesAndSaysSo, &["pause"]),
        with(Defect::SpawnOverStack, &["game_over"]),
        with(Defect::NoGameOver, &["game_over"]),
        (
            "no end, and the pieces come above the board".into(),
            game(Rules {
                hidden: 4,
                spawn_row: -4,
                ..Rules::default().with(Defect::NoGameOver)
            }),
            vec!["game_over"],
        ),
        with(Defect::OverIsError, &["game_over", "no_uncaught_errors"]),
        with(Defect::GameOverEarly, &["survives_play"]),
        with(Defect::KeysAfterOver, &["game_over"]),
        with(Defect::NoRestart, &["restart"]),
        (
            "a key ends the game, and nothing begins another".into(),
            {
                let mut r = Rules::default().with(Defect::NoRestart);
                r.keys
                    .retain(|_, i| !matches!(i, Input::Pause | Input::Restart));
                r.keys.insert(Key::new("q"), Input::GiveUp);
                game(r)
            },
            vec!["restart"],
        ),
        // Left alone, it begins anew.
        with(Defect::KeysSpoilRestart, &[]),
        with(Defect::DirtyBoard, &["restart_resets"]),
        with(Defect::DirtyScore, &["restart_resets"]),
        with(Defect::DirtyLevel, &["restart_resets"]),
        with(Defect::DirtySpeed, &["restart_resets"]),
        with(Defect::SpeedDoublesAfterRestart, &["restart_resets"]),
        with(Defect::KeysDoubleAfterRestart, &["restart_resets"]),
        ending("ends silently", End::Silent, &["game_over_shown"]),
        ending(
            "begins again by itself",
            End::BeginsAgain { after_ms: 50.0 },
            &["game_over_shown"],
        ),
        ending(
            "begins again after a while",
            End::BeginsAgain { after_ms: 1500.0 },
            &["game_over_shown"],
        ),
        with(Defect::ThrowOnClear, &["no_uncaught_errors"]),
        with(Defect::NoClear, &["line_clear"]),
        with(Defect::RowsDoNotFall, &["rows_fall_after_clear"]),
        with(Defect::FiveKinds, &["all_seven_pieces"]),
        with(Defect::ClearOne, &["multi_line_clear"]),
        with(Defect::ClearSkipsMiddle, &["multi_line_clear"]),
        with(Defect::ClearSlips, &["multi_line_clear"]),
        with(Defect::ScoreNever, &["score_increases_on_clear"]),
        with(Defect::ScoreDropsOnly, &["score_increases_on_clear"]),
        (
            "points for drops by the level, and none for clears".into(),
            game(Rules {
                scoring: Scoring::LevelDrops,
                lines_a_level: 1,
                ..Rules::default().with(Defect::ScoreDropsOnly)
            }),
            vec!["score_increases_on_clear"],
        ),
        with(Defect::ScoreFlat, &["score_scales_with_clears"]),
        (
            "clears that score alike, counted up".into(),
            game(Rules {
                scoring: Scoring::Pieces,
                counting: Counting::Points(1.0),
                ..Rules::default().with(Defect::ScoreFlat)
            }),
            vec!["score_scales_with_clears"],
        ),
        (
            "drops alone score, counted up".into(),
            game(Rules {
                counting: Counting::Points(1.0),
                ..Rules::default().with(Defect::ScoreDropsOnly)
            }),
            vec!["score_increases_on_clear"],
        ),
        with(Defect::LevelNever, &["level_increases"]),
        with(Defect::SpeedNever, &["speed_increases"]),
        // As fast as it ever gets, it need not get faster.
        (
            "as fast as it gets".into(),
            game(Rules {
                gravity: vec![150.0],
                ..Rules::default()
            }),
            vec![],
        ),
        with(Defect::SpeedCollapses, &["speed_increases"]),
        with(Defect::Freeze, &["survives_play", "?game_over"]),
    ]
}
