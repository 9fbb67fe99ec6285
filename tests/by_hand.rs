//! What a person puts right on a recording: seen at once, judged by, saved, taken back.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/recorded.rs"]
mod recorded;

use recorded::{Replayed, block_on, json, recorded, seq};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tetrascope::driver::sim::SimOptions;
use tetrascope::model::{CellState, Hints, Record, RecordBody, Rect, Stamp, TextItem, TextSource};
use tetrascope::profile::Store;
use tetrascope::session::judge::{Corrections, judge};
use tetrascope::session::recording::{Recorder, Recording};
use tetrascope::session::{Command, Seek, Snapshot};

/// A recording of a simulated game; made once.
fn plain() -> PathBuf {
    static PLAIN: OnceLock<tempfile::TempDir> = OnceLock::new();
    let dir = PLAIN.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        recorded(SimOptions::default(), &dir.path().join("plain"));
        dir
    });
    dir.path().join("plain")
}

/// A replay of it at a moment in which much lies on the board.
async fn replayed() -> (Replayed, Arc<Snapshot>) {
    let mut replay = Replayed::open(&plain());
    let whole = replay.whole().await;
    let end = whole.replay.as_ref().unwrap().end_us;
    let mut best = replay.seek(Seek::Time(end / 3)).await;
    for part in 3..30 {
        let at = replay.seek(Seek::Time(end * part / 32)).await;
        let filled = |s: &Snapshot| s.grid.as_ref().map_or(0, |g| g.filled_count());
        if filled(&at) > filled(&best) {
            best = at;
        }
    }
    let shown = replay.seek(Seek::Record(seq(&best))).await;
    (replay, shown)
}

async fn does(replay: &mut Replayed, command: Command) -> Arc<Snapshot> {
    let obeyed = |s: &Snapshot| s.replay.as_ref().map_or(0, |r| r.obeyed);
    let before = obeyed(&replay.snapshots.borrow());
    replay.commands.send(command).await.unwrap();
    replay.shows(|s| obeyed(s) > before).await
}

/// Everything is derived by what was said.
async fn settled(replay: &mut Replayed) -> Arc<Snapshot> {
    replay
        .shows(|s| !s.doing.contains("going there") && s.replay.as_ref().unwrap().whole)
        .await
}

#[test]
fn a_board_that_is_moved_in_a_replay_is_read_anew_in_the_next_picture() {
    // Made before: it runs a game of its own.
    plain();
    block_on(async {
        let (mut replay, shown) = replayed().await;
        let mut board = shown.board.clone().unwrap();
        // A column to the right: what lay in a column lies in the one before it.
        board.x += board.cell_width;
        board.columns -= 1;
        let at_once = does(&mut replay, Command::Board(board.clone())).await;
        let (before, after) = (shown.grid.as_ref().unwrap(), at_once.grid.as_ref().unwrap());
        assert_eq!(after.columns(), before.columns() - 1);
        for row in 0..i32::from(after.rows()) {
            for column in 0..i32::from(after.columns()) {
                assert_eq!(
                    after.is_filled(column, row),
                    before.is_filled(column + 1, row),
                    "{column},{row}"
                );
            }
        }
        assert_eq!(seq(&at_once), seq(&shown), "the place stays");
        // What is derived from the beginning says the same of this moment.
        let derived = settled(&mut replay).await;
        assert_eq!(seq(&derived), seq(&shown));
        assert_eq!(
            derived.grid.as_ref().unwrap().filled_cells(),
            after.filled_cells()
        );
        let undone = does(&mut replay, Command::UndoBoard).await;
        assert_eq!(
            undone.grid.as_ref().unwrap().filled_cells(),
            before.filled_cells()
        );
    });
}

#[test]
fn thresholds_and_taught_cells_change_what_is_read_and_can_be_taken_back() {
    // Made before: it runs a game of its own.
    plain();
    block_on(async {
        let (mut replay, shown) = replayed().await;
        let learned = shown.threshold.unwrap();
        assert!(learned > 1.0 && learned < 60.0, "{learned}");
        let filled = |s: &Snapshot| s.grid.as_ref().unwrap().filled_cells();
        // Nothing differs so much.
        let hints = Hints {
            block: Some(250.0),
            ..Hints::default()
        };
        let blind = does(&mut replay, Command::Hints(hints.clone())).await;
        assert_eq!(filled(&blind), []);
        assert_eq!((blind.threshold, &blind.hints), (Some(250.0), &hints));
        assert_eq!(filled(&*settled(&mut replay).await), []);
        // Everything on the board is a ghost.
        let hints = Hints {
            ghost: Some(250.0),
            ..Hints::default()
        };
        let ghosts = does(&mut replay, Command::Hints(hints)).await;
        let grid = ghosts.grid.as_ref().unwrap();
        let shadows = grid.cells().iter().filter(|c| c.state == CellState::Ghost);
        assert!(filled(&ghosts).is_empty() && shadows.count() >= filled(&shown).len());
        does(&mut replay, Command::UndoBoard).await;
        let back = does(&mut replay, Command::UndoBoard).await;
        assert_eq!(filled(&back), filled(&shown));
        // One cell is empty, whatever it shows.
        let (column, row) = *filled(&shown).last().unwrap();
        let teach = Command::Teach {
            column: column as u16,
            row: row as u16,
            filled: false,
        };
        let taught = does(&mut replay, teach).await;
        let gone: Vec<_> = filled(&shown)
            .into_iter()
            .filter(|c| !filled(&taught).contains(c))
            .collect();
        assert!(gone.contains(&(column, row)), "{gone:?}");
        assert!(!taught.doing.is_empty());
        let back = does(&mut replay, Command::UndoBoard).await;
        assert_eq!(filled(&back), filled(&shown));
    });
}

#[test]
fn what_was_put_right_is_saved_as_a_profile_that_corrects_a_judgement() {
    // Made before: it runs a game of its own.
    plain();
    block_on(async {
        let (mut replay, shown) = replayed().await;
        let mut board = shown.board.clone().unwrap();
        board.rows -= 2;
        does(&mut replay, Command::Board(board.clone())).await;
        let hints = Hints {
            block: Some(20.0),
            score: Some(Rect::new(1.0, 2.0, 30.0, 10.0)),
            ..Hints::default()
        };
        does(&mut replay, Command::Hints(hints.clone())).await;
        settled(&mut replay).await;
        let said = does(&mut replay, Command::SaveProfile).await;
        assert!(said.doing.starts_with("saved in"), "{}", said.doing);
        let file = plain().join("profile.toml");
        let profile = Store::read(&file).unwrap().unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(profile.board.map(|b| b.rows), Some(board.rows));
        assert_eq!(profile.reading, hints);
        let with_keys = shown.controls.iter().filter(|c| c.1.key.is_some());
        assert_eq!(profile.controls.len(), with_keys.count());
        let corrections = Corrections {
            board: profile.board.map(|b| b.board("saved")),
            hints: Some(profile.reading),
            ..Corrections::default()
        };
        let judged = judge(&Recording::open(&plain()).unwrap(), &corrections).unwrap();
        let board_found = judged.report.implementation.board.unwrap();
        assert_eq!(board_found.rows, board.rows);
        let said = judged.report.operator.join("\n");
        assert!(said.contains("of 255") && said.contains("score"), "{said}");
    });
}

/// The texts of the page, each at its place.
fn texts(items: &[(&str, f64)]) -> RecordBody {
    let item = |(text, y): &(&str, f64)| TextItem {
        text: (*text).into(),
        rect: Rect::new(400.0, *y, 60.0, 20.0),
        source: TextSource::Dom,
    };
    RecordBody::Texts(Arc::new(items.iter().map(item).collect()))
}

#[test]
fn hints_are_recorded_and_a_number_that_is_pointed_at_is_that_number() {
    use tetrascope::driver::Sink;
    use tetrascope::model::NumberRole;
    let dir = tempfile::tempdir().unwrap();
    let recorder = Recorder::new("page", None);
    recorder.start(Some(&dir.path().join("rec"))).unwrap();
    let mut evidence = tetrascope::driver::evidence();
    let hints = Hints {
        score: Some(Rect::new(400.0, 100.0, 60.0, 20.0)),
        level: Some(Rect::new(900.0, 900.0, 10.0, 10.0)),
        ghost: Some(33.5),
        ..Hints::default()
    };
    let bodies = [
        texts(&[("7", 40.0), ("0", 100.0)]),
        RecordBody::Hints(hints.clone()),
        texts(&[("8", 40.0), ("1240", 100.0)]),
    ];
    for (seq, body) in (0..).zip(bodies) {
        let stamp = Stamp {
            seq,
            ..Stamp::default()
        };
        evidence.push(&recorder.take(Record { stamp, body }));
    }
    recorder.finish(tetrascope::report::Facts::default());
    let score = evidence.number_by_hand(NumberRole::Score).unwrap();
    assert_eq!(
        score.history.iter().map(|h| h.1).collect::<Vec<_>>(),
        [0.0, 1240.0]
    );
    assert!(
        evidence.number_by_hand(NumberRole::Level).is_none(),
        "nothing stands there"
    );
    assert!(
        evidence.number_by_hand(NumberRole::Lines).is_none(),
        "nobody said so"
    );
    let recording = Recording::open(&dir.path().join("rec")).unwrap();
    let again = judge(&recording, &Corrections::default()).unwrap();
    assert_eq!(again.evidence.hints(), &hints);
    assert!(!again.troubles.any(), "{}", again.troubles);
    let _ = json(&again.report);
}
