//! Ends of games told as readings: what is an end, what is none, and what a person could see of it.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;
use tetrascope::evidence::{Ending, Evidence, How, Mark};
use tetrascope::model::{
    Action, By, Confidence, ControlMap, ControlMapping, Grid, Key, PageSignal, Record, RecordBody,
    Rect, Stamp, TextItem, TextSource,
};

/// A board with a stack in the middle whose top is at row 4, and other rows above it.
fn board(top: [&str; 4]) -> Grid {
    let mut art: Vec<String> = top.iter().map(|r| (*r).to_string()).collect();
    art.extend((4..20).map(|_| "...####...".to_string()));
    Grid::from_ascii(&art.join("\n"))
}

const NONE: &str = "..........";
/// A piece that has just come over the stack, and the same at rest.
const CAME: [&str; 4] = ["....oo....", "....oo....", NONE, NONE];
const RESTS: [&str; 4] = [NONE, NONE, "....oo....", "....oo...."];
/// It has locked, and the last piece has come, with nowhere to go.
const FULL: [&str; 4] = ["....ss....", "...ss.....", "....oo....", "....oo...."];

/// Pieces drawn over it, one after the other.
const OVER: [[&str; 4]; 5] = [
    ["....zz....", "...szz....", "....oo....", "....oo...."],
    ["....AA....", "...AA.....", "....oo....", "....oo...."],
    ["....AA....", "...zz.....", "....oo....", "....oo...."],
    ["....zA....", "...zz.....", "....oo....", "....oo...."],
    ["....zA....", "...zA.....", "....oo....", "....oo...."],
];

struct Story {
    evidence: Evidence,
    seq: u64,
    ms: u64,
}

impl Story {
    fn new() -> Self {
        let mut map = ControlMap::default();
        for (action, key) in [(Action::MoveLeft, "ArrowLeft"), (Action::HardDrop, " ")] {
            map.set(
                action,
                ControlMapping {
                    key: Some(Key::new(key)),
                    confidence: Confidence::Confirmed,
                    observation: String::new(),
                    tap_ms: 50,
                },
            );
        }
        let mut story = Self {
            evidence: Evidence::default(),
            seq: 0,
            ms: 0,
        };
        story.put(RecordBody::Controls(map, By::Discovery));
        story
    }

    fn stamp(&mut self, ms: u64) -> Stamp {
        self.seq += 1;
        self.ms += ms;
        Stamp {
            seq: self.seq,
            game_us: self.ms * 1000,
            wall_us: self.ms * 1000,
        }
    }

    fn put(&mut self, body: RecordBody) {
        let stamp = self.stamp(0);
        self.evidence.push(&Record { stamp, body });
    }

    fn mark(&mut self, mark: &Mark) {
        self.put(RecordBody::Mark(mark.to_text()));
    }

    fn rows(&mut self, rows: &[&str], ms: u64) {
        let stamp = self.stamp(ms);
        self.evidence
            .push_grid(stamp, Grid::from_ascii(&rows.join("\n")));
    }

    fn see(&mut self, top: [&str; 4]) {
        for _ in 0..2 {
            let stamp = self.stamp(50);
            self.evidence.push_grid(stamp, board(top));
        }
    }

    /// A board with nothing on it but a piece, if there is one.
    fn bare(&mut self, piece: Option<&str>, ms: u64) {
        let mut art = vec![NONE; 20];
        if let Some(row) = piece {
            art[..2].fill(row);
        }
        for _ in 0..ms / 100 {
            let stamp = self.stamp(100);
            self.evidence
                .push_grid(stamp, Grid::from_ascii(&art.join("\n")));
        }
    }

    fn texts(&mut self, texts: &[&str]) {
        let items = texts
            .iter()
            .map(|t| TextItem {
                text: (*t).into(),
                rect: Rect::new(0.0, 0.0, 50.0, 12.0),
                source: TextSource::Dom,
            })
            .collect();
        self.put(RecordBody::Texts(Arc::new(items)));
    }

    /// Fills the board to the top, and nothing more falls.
    fn filled() -> Self {
        let mut story = Self::until_full();
        story.mark(&Mark::AtRest);
        story
    }

    fn until_full() -> Self {
        let mut story = Self::new();
        story.texts(&["Score 10"]);
        story.fill(1);
        story
    }

    /// Fills the board to the top for the how-manieth time.
    fn fill(&mut self, attempt: u32) {
        self.see(CAME);
        self.mark(&Mark::TopOut {
            attempt,
            alone: false,
        });
        self.mark(&Mark::Fill);
        self.see(RESTS);
        self.see(FULL);
    }

    fn wait(&mut self, top: [&str; 4], ms: u64) {
        for _ in 0..ms / 100 {
            self.see(top);
        }
    }

    /// Rows change to and fro, as in a board of other cells than the page's.
    fn wobble(&mut self, times: u32) {
        for n in 0..times {
            let odd = if n % 2 == 0 {
                "##.#.##..#"
            } else {
                ".#..#..##."
            };
            self.wait([NONE, odd, NONE, odd], 600);
        }
    }

    fn press(&mut self, key: &str, then: [&str; 4]) {
        self.put(RecordBody::KeyDown(Key::new(key)));
        self.see(then);
        self.put(RecordBody::KeyUp(Key::new(key)));
        self.wait(then, 500);
    }

    fn ending(mut self) -> Ending {
        self.mark(&Mark::TopOutEnd);
        let t = self.evidence.top_outs().last().unwrap();
        self.evidence.ending(t).unwrap()
    }
}

#[test]
fn a_board_that_no_longer_answers_is_an_end_and_shows_nothing_by_itself() {
    let mut story = Story::filled();
    story.wait(FULL, 6_000);
    story.press("ArrowLeft", FULL);
    story.press(" ", FULL);
    let ending = story.ending();
    assert_eq!(
        (ending.how, ending.shown),
        (How::Ended, Vec::<String>::new())
    );
}

/// It ends, with a word, once the stack reaches the row given.
fn over_at(row: usize) -> Ending {
    let board = |piece: bool, stack: usize| {
        let mut rows = vec![NONE; 20];
        if piece {
            rows[..2].fill("....oo....");
        }
        rows[stack..].fill("...####...");
        rows
    };
    let mut story = Story::new();
    story.texts(&["Score 10"]);
    for _ in 0..3 {
        story.rows(&board(true, row + 2), 50);
    }
    story.mark(&Mark::TopOut {
        attempt: 1,
        alone: false,
    });
    story.mark(&Mark::Fill);
    let mut locked = board(false, row + 2);
    locked[row..row + 2].fill("....oo....");
    for ms in [50, 50] {
        story.rows(&locked, ms);
    }
    story.texts(&["Score 10", "Ende"]);
    story.mark(&Mark::AtRest);
    for _ in 0..80 {
        story.rows(&locked, 100);
    }
    story.ending()
}

#[test]
fn an_end_with_much_of_the_board_free_is_early_and_one_near_the_top_is_none() {
    for (row, early) in [(3, false), (5, false), (8, true), (10, true)] {
        let ending = over_at(row);
        assert!(
            matches!(ending.how, How::Ended | How::EndedEarly),
            "{row}: {:?}",
            ending.how
        );
        assert_eq!(ending.is_early(), early, "{row}: {}", ending.free);
    }
}

#[test]
fn what_moves_on_a_panel_over_the_board_is_no_piece() {
    const WORDS: [&str; 6] = [
        "##oo######",
        "###oo#####",
        "####ss####",
        "#####ss###",
        "######tt##",
        "#######tt#",
    ];
    let mut story = Story::filled();
    for words in WORDS {
        let mut rows = vec![words];
        rows.resize(20, "##########");
        for _ in 0..2 {
            story.rows(&rows, 50);
        }
    }
    story.press("ArrowLeft", FULL);
    let how = story.ending().how;
    assert!(!matches!(how, How::GoesOn(_)), "{how:?}");
}

/// Letters of an end's screen read as blocks beside the stack: together they are no piece.
#[test]
fn words_that_run_along_beside_the_stack_are_no_piece_that_lives() {
    const WORDS: [&str; 3] = ["xx.####...", ".xx####...", "xx.####.xx"];
    let mut story = Story::filled();
    story.texts(&["It is over"]);
    for n in 0..30 {
        let mut rows = FULL.to_vec();
        rows.extend(["...####..."; 12]);
        rows.extend([WORDS[n / 2 % 3], "...####...", "...####...", "...####..."]);
        story.rows(&rows, 200);
    }
    story.press("ArrowLeft", FULL);
    story.press(" ", FULL);
    let how = story.ending().how;
    assert_eq!(how, How::Ended);
}

#[test]
fn words_that_stood_there_while_pieces_locked_show_no_end() {
    let mut story = Story::new();
    for word in ["cyan", "blue"].iter().cycle().take(8) {
        story.texts(&[word]);
        story.see(CAME);
        story.see(RESTS);
        story.see(FULL);
    }
    story.texts(&["cyan"]);
    story.see(CAME);
    story.mark(&Mark::TopOut {
        attempt: 1,
        alone: false,
    });
    story.mark(&Mark::Fill);
    story.see(RESTS);
    story.see(FULL);
    story.texts(&["blue"]);
    story.mark(&Mark::AtRest);
    story.wait(FULL, 6_000);
    story.press("ArrowLeft", FULL);
    story.press(" ", FULL);
    let shown = story.ending().shown;
    assert!(shown.is_empty(), "{shown:?}");
}

#[test]
fn what_is_thrown_where_it_stops_ended_it_and_what_keys_throw_later_did_not() {
    let threw = || {
        RecordBody::Signal(PageSignal::UncaughtError {
            text: "piece is null".into(),
        })
    };
    let mut at_keys = Story::filled();
    at_keys.wait(FULL, 6_000);
    at_keys.put(threw());
    at_keys.press("ArrowLeft", FULL);
    assert_eq!(at_keys.ending().how, How::Ended);

    let mut at_rest = Story::until_full();
    at_rest.put(threw());
    at_rest.mark(&Mark::AtRest);
    at_rest.wait(FULL, 6_000);
    assert!(matches!(at_rest.ending().how, How::OnlyError(_)));
}

#[test]
fn words_that_came_with_the_end_show_it_and_a_number_that_changed_does_not() {
    let mut story = Story::filled();
    story.texts(&["Score 90", "Fin de la partida"]);
    story.wait(FULL, 6_000);
    let ending = story.ending();
    assert_eq!(ending.how, How::Ended);
    assert_eq!(ending.shown, ["text \u{201c}Fin de la partida\u{201d}"]);
}

#[test]
fn pieces_drawn_over_the_full_stack_one_after_the_other_are_a_game_that_goes_on() {
    let mut story = Story::filled();
    for top in OVER {
        story.wait(top, 900);
    }
    story.wait(FULL, 4_000);
    assert!(matches!(story.ending().how, How::GoesOn(_)));
}

/// One piece less comes over the full stack (the first is the last one of any game), and then nothing moves. With these words, if any; with a key that brings another
/// piece after that, if there is one.
fn stops_late(pieces: usize, words: Option<&str>, key: Option<&str>) -> How {
    let mut story = Story::until_full();
    let last = OVER[pieces - 1];
    for top in OVER.into_iter().take(pieces) {
        story.wait(top, 900);
    }
    if let Some(words) = words {
        story.texts(&["Score 10", words]);
    }
    story.mark(&Mark::AtRest);
    story.wait(last, 4_000);
    if let Some(key) = key {
        for n in 0..4 {
            story.press(key, OVER[n % 2]);
        }
    }
    story.wait(last, 1_000);
    story.ending().how
}

#[test]
fn a_game_that_stops_some_pieces_late_and_says_so_has_ended() {
    assert_eq!(stops_late(4, Some("Fin"), None), How::Ended);
    for (pieces, words, key) in [
        (4, None, None),
        (4, Some("Fin"), Some(" ")),
        (5, Some("Fin"), None),
    ] {
        let how = stops_late(pieces, words, key);
        assert!(matches!(how, How::GoesOn(_)), "{pieces} {words:?}: {how:?}");
    }
}

/// Pieces go on coming over the full stack; with these words, if any, before or after what was taken for one more drop; at
/// the end a key is tried that has an effect or none.
fn goes_on(words: Option<&str>, before_a_drop: bool, acts: bool) -> Ending {
    let mut story = Story::until_full();
    let said: Vec<&str> = ["Score 10"].into_iter().chain(words).collect();
    if before_a_drop {
        story.texts(&said);
        story.mark(&Mark::Fill);
    }
    for top in OVER {
        story.wait(top, 900);
        story.texts(&said);
    }
    story.mark(&Mark::AtRest);
    story.wait(OVER[4], 4_000);
    for n in 0..4 {
        story.press("ArrowLeft", OVER[if acts { n % 2 } else { 4 }]);
    }
    story.ending()
}

#[test]
fn what_goes_on_only_behind_an_end_that_is_shown_is_an_end_for_a_person() {
    for before in [false, true] {
        let ending = goes_on(Some("Fin"), before, false);
        assert!(matches!(ending.how, How::GoesOn(_)), "{ending:?}");
        assert_eq!(
            (ending.behind, ending.shown),
            (true, vec!["text \u{201c}Fin\u{201d}".to_string()]),
            "{before}"
        );
    }
    for (words, acts) in [(None, false), (Some("Fin"), true)] {
        let ending = goes_on(words, false, acts);
        assert!(matches!(ending.how, How::GoesOn(_)), "{ending:?}");
        assert!(!ending.behind, "{words:?} {acts}");
    }
}

/// Filled to the top twice, with pieces drawn over the full stack each time; before that the board wobbled so often.
fn goes_on_twice(wobbles: u32) -> tetrascope::checks::Verdict {
    let mut story = Story::new();
    story.put(RecordBody::Started {
        candidate: None,
        why: "it falls".into(),
    });
    story.wobble(wobbles);
    for attempt in 1..=2 {
        story.fill(attempt);
        story.mark(&Mark::AtRest);
        for top in OVER {
            story.wait(top, 900);
        }
        story.wait(FULL, 4_000);
        story.mark(&Mark::TopOutEnd);
    }
    tetrascope::checks::verdict("game_over", &story.evidence).unwrap()
}

#[test]
fn a_game_that_goes_on_fails_unless_its_board_is_read_unsteadily() {
    use tetrascope::checks::Status;
    let plain = goes_on_twice(0);
    assert_eq!(plain.status, Status::Fail, "{}", plain.why);
    let wobbly = goes_on_twice(40);
    assert_ne!(wobbly.status, Status::Fail, "{}", wobbly.why);
    assert!(wobbly.why.contains("steadily"), "{}", wobbly.why);
}

/// Two ends without a word, after each of which nothing brought a new game; before that the board wobbled so often.
fn silent_ends(wobbles: u32) -> Evidence {
    let mut story = Story::new();
    story.put(RecordBody::Started {
        candidate: None,
        why: "it falls".into(),
    });
    story.wobble(wobbles);
    for attempt in 1..=2 {
        story.fill(attempt);
        story.mark(&Mark::AtRest);
        story.wait(FULL, 6_000);
        story.mark(&Mark::TopOutEnd);
        story.mark(&Mark::NewGame {
            attempt,
            found: false,
            why: "key r".into(),
        });
    }
    story.evidence
}

#[test]
fn ends_on_a_board_that_is_read_unsteadily_fail_nothing() {
    use tetrascope::checks::{Status, verdict};
    let (plain, wobbly) = (silent_ends(0), silent_ends(40));
    for name in ["game_over_shown", "restart"] {
        let v = verdict(name, &plain).unwrap();
        assert_eq!(v.status, Status::Fail, "{name}: {}", v.why);
        let v = verdict(name, &wobbly).unwrap();
        assert_eq!(v.status, Status::Open, "{name}: {}", v.why);
        assert!(v.why.contains("steadily"), "{name}: {}", v.why);
    }
}

#[test]
fn what_blinks_over_the_full_stack_is_no_new_piece() {
    let mut story = Story::filled();
    for _ in 0..8 {
        story.wait(
            ["....AA....", "...AA.....", "....oo....", "....oo...."],
            400,
        );
        story.wait(FULL, 400);
    }
    assert_eq!(story.ending().how, How::Ended);
}

#[test]
fn a_piece_that_keys_still_move_after_the_end_is_told() {
    let mut story = Story::filled();
    story.wait(FULL, 6_000);
    let moved = ["...ss.....", "..ss......", "....oo....", "....oo...."];
    story.press("ArrowLeft", moved);
    let again = ["..ss......", ".ss.......", "....oo....", "....oo...."];
    story.press("ArrowLeft", again);
    assert!(matches!(story.ending().how, How::KeysAct(_)));
}

/// A menu comes where the game was, and its marker goes from one entry to the next.
#[test]
fn a_menu_in_the_place_of_the_stack_is_nothing_that_keys_still_move() {
    let mut story = Story::filled();
    story.wait(FULL, 3_500);
    let menu = |marked: usize| {
        let mut rows = [NONE; 20];
        for entry in [3, 6, 9] {
            rows[entry] = if entry == marked {
                ".#.#####.."
            } else {
                "...#####.."
            };
        }
        rows
    };
    for _ in 0..40 {
        story.rows(&menu(3), 100);
    }
    for marked in [6, 9, 3, 6] {
        story.put(RecordBody::KeyDown(Key::new("ArrowLeft")));
        story.rows(&menu(marked), 50);
        story.put(RecordBody::KeyUp(Key::new("ArrowLeft")));
        for _ in 0..5 {
            story.rows(&menu(marked), 100);
        }
    }
    let ending = story.ending();
    assert!(!matches!(ending.how, How::KeysAct(_)), "{ending:?}");
}

#[test]
fn a_board_that_empties_itself_and_plays_on_began_again() {
    let mut story = Story::filled();
    let empty = |row: usize| {
        let art: Vec<&str> = (0..20)
            .map(|r| if r == row { "....oooo.." } else { NONE })
            .collect();
        Grid::from_ascii(&art.join("\n"))
    };
    for row in [0, 0, 1, 1, 2, 2, 3] {
        let stamp = story.stamp(400);
        story.evidence.push_grid(stamp, empty(row));
    }
    assert!(matches!(story.ending().how, How::BeganAgain(_)));
}

/// The board fades out and in again, with a piece that falls, and this in row 12.
fn fades_over(left: &str, below: &str) -> Ending {
    let mut story = Story::filled();
    let mut dark = [NONE; 20];
    for odd in ["#.#..#..#.", ".#..#.#..#", "#..#....##", ".##.#..#.."] {
        dark[2..10].fill(odd);
        story.rows(&dark, 50);
    }
    for row in [0, 0, 1, 1, 2, 2, 3] {
        let mut rows = [NONE; 20];
        rows[row] = "....oooo..";
        rows[12] = left;
        rows[13..].fill(below);
        story.rows(&rows, 400);
    }
    story.ending()
}

#[test]
fn a_board_of_which_a_fade_leaves_next_to_nothing_began_again_and_one_that_stands_did_not() {
    for left in [NONE, ".#......#."] {
        let ending = fades_over(left, NONE);
        assert!(
            matches!(ending.how, How::BeganAgain(_)),
            "{left} {ending:?}"
        );
    }
    let ending = fades_over("...####...", "...####...");
    assert!(!matches!(ending.how, How::BeganAgain(_)), "{ending:?}");
}

#[test]
fn a_board_that_fills_up_and_is_wiped_row_by_row_was_emptied() {
    let mut story = Story::until_full();
    let full = board(FULL).to_ascii();
    let mut rows: Vec<&str> = full.lines().collect();
    for row in (1..20).rev() {
        rows[row] = "##########";
        story.rows(&rows.clone(), 50);
    }
    for row in 0..20 {
        rows[row] = NONE;
        // Now and then two between two looks.
        if row % 5 != 4 {
            story.rows(&rows.clone(), 50);
        }
    }
    story.bare(None, 200);
    assert!(story.evidence.is_emptied());
    assert!(!story.evidence.is_begun_again());
    // A picture plays on it, of which something looks like a piece.
    let mut picture = [NONE; 20];
    picture[10] = "...iiii...";
    for _ in 0..3 {
        story.rows(&picture, 150);
        story.rows(&picture, 50);
        story.bare(None, 200);
    }
    picture[9] = "....x.....";
    story.rows(&picture, 50);
    story.rows(&picture, 50);
    assert!(!story.evidence.is_begun_again());
    story.mark(&Mark::AtRest);
    story.bare(None, 4_000);
    let ending = story.ending();
    assert_eq!(ending.how, How::Ended, "{ending:?}");
    assert!(!ending.shown.is_empty(), "{ending:?}");
}

#[test]
fn what_lies_over_the_board_for_a_while_is_no_full_stack_that_pieces_come_over() {
    let mut story = Story::new();
    story.see(CAME);
    story.mark(&Mark::TopOut {
        attempt: 1,
        alone: false,
    });
    story.mark(&Mark::Fill);
    story.see(RESTS);
    // A message over all of it, and the game goes on from where it was.
    for _ in 0..4 {
        story.see(["##########"; 4]);
    }
    for _ in 0..5 {
        story.see(CAME);
        story.see([NONE, "....oo....", "....oo....", NONE]);
        story.see(RESTS);
        story.see(["...ss.....", "..ss......", NONE, NONE]);
    }
    story.mark(&Mark::AtRest);
    let ending = story.ending();
    assert!(!matches!(ending.how, How::GoesOn(_)), "{ending:?}");
}

#[test]
fn a_game_that_goes_on_was_resumed_though_an_icon_on_the_board_changed_meanwhile() {
    const WORD: &str = "..######..";
    let mut story = Story::new();
    let fall = |row: usize, icon: &'static str, word: &'static str| {
        let mut top = [icon, NONE, NONE, word];
        top[row] = "....oo....";
        top[row + 1] = "....oo....";
        top
    };
    let paused = fall(1, NONE, WORD);
    story.see(CAME);
    story.see(fall(1, NONE, NONE));
    story.mark(&Mark::Pause { by: "p".into() });
    story.press("p", paused);
    story.mark(&Mark::Paused);
    story.wait(paused, 3_000);
    story.mark(&Mark::PauseKeys);
    story.press("ArrowLeft", paused);
    story.mark(&Mark::Resume);
    story.press("p", fall(1, ".........x", NONE));
    story.wait([".........x", NONE, "....oo....", "....oo...."], 1_000);
    story.mark(&Mark::PauseEnd);
    let seen = story.evidence.pause_seen(&story.evidence.pauses()[0]);
    let seen = seen.unwrap();
    assert!(
        seen.resumed && seen.fell == 0 && seen.acted == 0,
        "{seen:?}"
    );
}

/// A piece is stopped where it rests, behind a picture as dark as an empty board, and locks the moment the game goes on:
/// of all that only the next piece is seen.
#[test]
fn a_game_that_goes_on_with_the_next_piece_was_resumed() {
    let mut story = Story::new();
    let next = |row: usize| {
        let mut top = [NONE, NONE, "....oo....", "....oo...."];
        top[row] = if row < 2 { "iiii......" } else { "iiiioo...." };
        top
    };
    story.see(CAME);
    story.see([NONE, "....oo....", "....oo....", NONE]);
    story.see(RESTS);
    story.mark(&Mark::Pause { by: "p".into() });
    story.put(RecordBody::KeyDown(Key::new("p")));
    story.put(RecordBody::KeyUp(Key::new("p")));
    story.bare(None, 500);
    story.mark(&Mark::Paused);
    story.bare(None, 3_000);
    story.mark(&Mark::PauseKeys);
    story.put(RecordBody::KeyDown(Key::new("ArrowLeft")));
    story.put(RecordBody::KeyUp(Key::new("ArrowLeft")));
    story.bare(None, 200);
    story.mark(&Mark::Resume);
    story.press("p", next(0));
    story.wait(next(0), 900);
    story.wait(next(1), 900);
    story.wait(next(2), 900);
    story.mark(&Mark::PauseEnd);
    let seen = story.evidence.pause_seen(&story.evidence.pauses()[0]);
    let seen = seen.unwrap();
    assert!(
        seen.resumed && !seen.other_game && seen.fell == 0 && seen.acted == 0,
        "{seen:?}"
    );
}

/// Words lie over the board while it stands, and what of them looks like a piece moves when a key is pressed.
#[test]
fn words_that_move_over_a_game_that_stands_are_no_piece_that_keys_move() {
    let mut story = Story::new();
    let words = ["..iiii....", NONE, NONE, NONE];
    story.see(CAME);
    story.see([NONE, "....oo....", "....oo....", NONE]);
    story.mark(&Mark::Pause { by: "p".into() });
    story.press("p", words);
    story.mark(&Mark::Paused);
    story.wait(words, 3_000);
    story.mark(&Mark::PauseKeys);
    story.press("ArrowLeft", [".iiii.....", NONE, NONE, NONE]);
    let words = ["iiii......", NONE, NONE, NONE];
    story.press("ArrowLeft", words);
    story.mark(&Mark::Resume);
    story.press("p", words);
    story.wait(words, 3_000);
    story.mark(&Mark::PauseEnd);
    let seen = story.evidence.pause_seen(&story.evidence.pauses()[0]);
    let seen = seen.unwrap();
    assert!(!seen.resumed && seen.acted == 0, "{seen:?}");
}

#[test]
fn what_empties_the_board_and_begins_another_game_is_no_pause() {
    let mut story = Story::new();
    story.see(CAME);
    story.mark(&Mark::Pause { by: "Enter".into() });
    story.put(RecordBody::KeyDown(Key::new("Enter")));
    story.put(RecordBody::KeyUp(Key::new("Enter")));
    story.bare(None, 1_000);
    story.mark(&Mark::Paused);
    story.bare(None, 3_000);
    story.mark(&Mark::PauseKeys);
    story.put(RecordBody::KeyDown(Key::new("ArrowLeft")));
    story.put(RecordBody::KeyUp(Key::new("ArrowLeft")));
    story.bare(None, 500);
    story.mark(&Mark::Resume);
    story.put(RecordBody::KeyDown(Key::new("Enter")));
    story.put(RecordBody::KeyUp(Key::new("Enter")));
    story.bare(Some("....oo...."), 1_000);
    story.mark(&Mark::PauseEnd);
    let seen = story.evidence.pause_seen(&story.evidence.pauses()[0]);
    let seen = seen.unwrap();
    assert!(seen.emptied && seen.other_game, "{seen:?}");
}

/// What a key was tried for as a pause, twice: gravity goes on, from one row to the other, while it is thought to stand.
/// How well was the key `known` to pause when all keys were tried?
fn falls_while_paused(by: &str, known: Option<Confidence>) -> tetrascope::checks::Verdict {
    let mut story = Story::new();
    if let Some(confidence) = known {
        let mut map = ControlMap::default();
        map.set(
            Action::Pause,
            ControlMapping {
                key: Some(Key::new("Escape")),
                confidence,
                observation: String::new(),
                tap_ms: 50,
            },
        );
        story.put(RecordBody::Controls(map, By::Discovery));
    }
    story.put(RecordBody::Started {
        candidate: None,
        why: "it falls".into(),
    });
    let at = |row: usize| {
        let mut top = [NONE; 4];
        top[row] = "....oo....";
        top[row + 1] = "....oo....";
        top
    };
    for _ in 0..2 {
        story.wait(at(0), 200);
        story.mark(&Mark::Pause { by: by.into() });
        story.press("Escape", at(0));
        story.mark(&Mark::Paused);
        story.wait(at(1), 900);
        story.wait(at(2), 900);
        story.mark(&Mark::PauseKeys);
        story.press("ArrowLeft", at(2));
        story.mark(&Mark::Resume);
        story.press("Escape", at(2));
        story.mark(&Mark::PauseEnd);
        let seen = story
            .evidence
            .pause_seen(story.evidence.pauses().last().unwrap());
        assert_eq!(seen.unwrap().fell, 2);
    }
    tetrascope::checks::verdict("pause", &story.evidence).unwrap()
}

#[test]
fn a_key_that_did_not_stop_the_game_when_tried_again_is_no_pause_that_fails() {
    use tetrascope::checks::Status;
    let verdict = falls_while_paused("key Esc", None);
    assert_eq!(verdict.status, Status::Open, "{verdict:?}");
    let key = Key::new("Escape").to_string();
    // Stopped once, it did not let the game go on: it may have been another key.
    let verdict = falls_while_paused(&key, Some(Confidence::Suspected));
    assert_eq!(verdict.status, Status::Open, "{verdict:?}");
    let verdict = falls_while_paused(&key, Some(Confidence::Confirmed));
    assert_eq!(verdict.status, Status::Fail, "{verdict:?}");
}

/// A piece pushed at the wall is read with a cell more: what does `walls_hold` say, if it then `locks` with its four?
fn pushed_at_the_wall(locks: bool) -> String {
    let mut story = Story::new();
    story.put(RecordBody::Started {
        candidate: None,
        why: "it falls".into(),
    });
    story.see(["oo........", "oo........", NONE, NONE]);
    story.see([NONE, NONE, "oo........", "oo........"]);
    let odd = [NONE, "..o.......", "oo........", "oo........"];
    story.press("ArrowLeft", odd);
    if locks {
        let mut art = vec!["......zz..", ".......zz.", NONE, NONE];
        art.extend(["...####..."; 14]);
        art.extend(["oo.####..."; 2]);
        story.put(RecordBody::KeyDown(Key::new(" ")));
        story.rows(&art, 50);
        story.rows(&art, 50);
        story.put(RecordBody::KeyUp(Key::new(" ")));
    }
    story.mark(&Mark::End { why: "done".into() });
    tetrascope::checks::verdict("walls_hold", &story.evidence)
        .unwrap()
        .why
}

#[test]
fn a_piece_that_locks_whole_was_not_broken_at_the_wall() {
    let reason = pushed_at_the_wall(false);
    assert!(reason.contains("once the piece had 5 cells"), "{reason}");
    let reason = pushed_at_the_wall(true);
    assert!(!reason.contains("once"), "{reason}");
}
