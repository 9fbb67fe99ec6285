use super::*;
use crate::model::{Action, Clickable, Key, Raster, Rect};

/// A reader that makes of every frame a grid with one square piece at the row its first byte says.
struct Squares;

impl ReadGrid for Squares {
    fn read(&mut self, frame: &Frame) -> Grid {
        let row = usize::from(frame.raster.rgb()[0]);
        let lines: String = (0..6)
            .map(|r| {
                if r == row || r == row + 1 {
                    ".OO.\n"
                } else {
                    "....\n"
                }
            })
            .collect();
        Grid::from_ascii(&lines)
    }
}

fn stamped(seq: u64, body: RecordBody) -> Record {
    let stamp = Stamp {
        seq,
        game_us: seq * 100_000,
        wall_us: 0,
    };
    Record { stamp, body }
}

fn frame(row: u8) -> RecordBody {
    RecordBody::Frame(Arc::new(Frame {
        raster: Raster::filled(4, 6, [row; 3]),
        samples: 1,
        rect: Rect::new(0.0, 0.0, 4.0, 6.0),
    }))
}

fn records() -> Vec<Record> {
    let board = Board {
        x: 0.0,
        y: 0.0,
        cell_width: 1.0,
        cell_height: 1.0,
        columns: 4,
        rows: 6,
        confidence: 1.0,
        why: String::new(),
        sure: crate::model::Sure::default(),
    };
    let mark = Mark::Probe {
        action: Action::SoftDrop,
        key: Key::new("ArrowDown"),
        attempt: 1,
    };
    let bodies = vec![
        frame(0),
        RecordBody::Board {
            board,
            background: None,
            by: By::Discovery,
        },
        frame(0),
        RecordBody::Still,
        RecordBody::Mark(mark.to_text()),
        RecordBody::KeyDown(Key::new("ArrowDown")),
        frame(2),
        RecordBody::KeyUp(Key::new("ArrowDown")),
        RecordBody::Still,
        RecordBody::Mark(Mark::ProbeEnd.to_text()),
        frame(3),
        RecordBody::ReadFailed("tab hidden".into()),
    ];
    bodies
        .into_iter()
        .enumerate()
        .map(|(i, b)| stamped(i as u64, b))
        .collect()
}

fn run() -> (Evidence, Vec<Derived>) {
    let mut evidence = Evidence::new(Box::new(|_, _, _| Box::new(Squares)));
    let derived = records().iter().map(|r| evidence.push(r)).collect();
    (evidence, derived)
}

#[test]
fn frames_become_grids_events_and_readings_and_alike_ones_are_kept_once() {
    let (e, derived) = run();
    assert!(matches!(
        derived[0].events[..],
        [GridEvent::GridReadFailed { .. }]
    ));
    assert!(matches!(
        derived[2].events[..],
        [GridEvent::PieceSpawned { .. }]
    ));
    assert!(derived[3].grid.is_some() && derived[3].events.is_empty());
    let spans: Vec<_> = e
        .readings()
        .iter()
        .map(|r| (r.from.seq, r.until.seq))
        .collect();
    assert_eq!(spans, [(2, 3), (6, 8), (10, 10)]);
    assert_eq!((e.counts().frames, e.counts().reads_failed), (5, 2));
    assert_eq!(e.reading_at(7).map(|r| r.from.seq), Some(6));
    assert!(e.reading_at(1).is_none());
}

#[test]
fn a_press_in_a_probe_is_told_with_what_it_did_and_is_no_fall_of_gravity() {
    let (e, _) = run();
    let effects = e.effects(Action::SoftDrop);
    assert_eq!(effects.len(), 1);
    assert_eq!((effects[0].down(), effects[0].aside()), (2, 0));
    assert_eq!(effects[0].held_ms, Some(200.0));
    let falls: Vec<_> = e.falls().iter().map(|f| (f.seq, f.rows)).collect();
    assert_eq!(falls, [(10, 1)]);
}

#[test]
fn the_same_records_give_the_same_evidence() {
    let ((a, first), (b, second)) = (run(), run());
    assert_eq!(first, second);
    assert_eq!(a.readings(), b.readings());
    assert_eq!(a.happenings(), b.happenings());
}

#[test]
fn a_hold_that_reaches_into_another_game_is_told_by_that_one_alone() {
    const T: &str = "..........\n....T.....\n...TTT....\n..........\n..........\n..........";
    const L: &str = ".....L....\n...LLL....\n..........\n..........\n..........\n..........";
    const Z: &str = "..........\n...ZZ.....\n....ZZ....\n..........\n..........\n..........";
    const J: &str = "...J......\n...JJJ....\n..........\n..........\n..........\n..........";
    let key = || Key::new("c");
    let mark = Mark::Probe {
        action: Action::Hold,
        key: key(),
        attempt: 1,
    };
    let mut e = Evidence::new(Box::new(|_, _, _| Box::new(Squares)));
    let record = |e: &mut Evidence, body: RecordBody| {
        e.push(&stamped(e.last().seq + 1, body));
    };
    let show = |e: &mut Evidence, art: &str| {
        for _ in 0..2 {
            let next = stamped(e.last().seq + 1, RecordBody::Still).stamp;
            e.push_grid(next, Grid::from_ascii(art));
        }
    };
    record(&mut e, RecordBody::Opened("http://127.0.0.1/".into()));
    record(&mut e, RecordBody::Mark(mark.to_text()));
    show(&mut e, T);
    record(&mut e, RecordBody::KeyDown(key()));
    record(&mut e, RecordBody::KeyUp(key()));
    show(&mut e, L);
    record(&mut e, RecordBody::Opened("http://127.0.0.1/".into()));
    show(&mut e, Z);
    record(&mut e, RecordBody::KeyDown(key()));
    record(&mut e, RecordBody::KeyUp(key()));
    show(&mut e, J);
    record(&mut e, RecordBody::Mark(Mark::ProbeEnd.to_text()));
    let swaps: Vec<_> = e.swaps(&e.probes()[0]).iter().map(|s| s.out).collect();
    assert_eq!(swaps, [crate::model::PieceKind::Z]);
}

#[test]
fn a_page_that_loads_itself_anew_begins_another_game() {
    const T: &str = "..........\n....T.....\n...TTT....\n..........\n..........\n..........";
    const FIRST: &str = "....OO....\n....OO....\n..........\n..........\n....T.....\n...TTT....";
    const SECOND: &str = "....O.....\n...OOO....\n....OO....\n....OO....\n....T.....\n...TTT....";
    let url = || "http://127.0.0.1/".to_string();
    let mut e = Evidence::new(Box::new(|_, _, _| Box::new(Squares)));
    let record = |e: &mut Evidence, body: RecordBody| {
        e.push(&stamped(e.last().seq + 1, body));
    };
    let loaded = || RecordBody::Signal(PageSignal::Loaded { url: url() });
    record(&mut e, RecordBody::Opened(url()));
    record(&mut e, loaded());
    for (n, art) in [T, FIRST, SECOND].into_iter().enumerate() {
        if n == 2 {
            record(&mut e, loaded());
        }
        for _ in 0..2 {
            let next = stamped(e.last().seq + 1, RecordBody::Still).stamp;
            e.push_grid(next, Grid::from_ascii(art));
        }
    }
    let games: Vec<usize> = e.locked().iter().map(|l| l.game).collect();
    assert_eq!(games, [1, 2]);
    assert_eq!(e.game_ends().len(), 2);
}

#[test]
fn controls_that_came_with_the_end_were_not_there_or_covered_before_it() {
    let control = |selector: &str, on_top: bool| Clickable {
        rect: Rect::new(0.0, 0.0, 40.0, 40.0),
        text: String::new(),
        tag: "button".into(),
        selector: selector.into(),
        leads_away: false,
        leads_on: false,
        disabled: false,
        on_top,
        in_overlay: false,
        blank: false,
    };
    let offers = |controls: &[(&str, bool)]| Survey {
        clickables: controls.iter().map(|(s, top)| control(s, *top)).collect(),
        ..Survey::default()
    };
    let mut e = Evidence::new(Box::new(|_, _, _| Box::new(Squares)));
    let record = |e: &mut Evidence, body: RecordBody| {
        e.push(&stamped(e.last().seq + 1, body));
    };
    let now = offers(&[("#left", true), ("#again", true), ("#menu", true)]);
    assert!(e.controls_that_came(&now).is_empty());
    let before = offers(&[("#left", true), ("#menu", false)]);
    record(&mut e, RecordBody::Survey(Arc::new(before)));
    let top_out = Mark::TopOut {
        attempt: 1,
        alone: false,
    };
    for mark in [top_out, Mark::Fill] {
        record(&mut e, RecordBody::Mark(mark.to_text()));
    }
    record(&mut e, RecordBody::Survey(Arc::new(now.clone())));
    let came = e.controls_that_came(&now);
    let came: Vec<&str> = came.iter().map(|c| c.selector.as_str()).collect();
    assert_eq!(came, ["#again", "#menu"]);
}

#[test]
fn what_is_seen_on_and_on_counts_for_a_press_up_to_the_next_one() {
    let mut e = Evidence::new(Box::new(|_, _, _| Box::new(Squares)));
    let mark = Mark::Probe {
        action: Action::SoftDrop,
        key: Key::new("s"),
        attempt: 1,
    };
    let record = |e: &mut Evidence, body: RecordBody| {
        e.push(&stamped(e.last().seq + 1, body));
    };
    let show = |e: &mut Evidence, row: usize| {
        let lines: Vec<&str> = (0..8)
            .map(|r| {
                if r == row || r == row + 1 {
                    "....OO...."
                } else {
                    ".........."
                }
            })
            .collect();
        let next = stamped(e.last().seq + 1, RecordBody::Still).stamp;
        e.push_grid(next, Grid::from_ascii(&lines.join("\n")));
    };
    // Drawn with every fall only: what a press did stays on the screen until long after the next one.
    show(&mut e, 0);
    show(&mut e, 0);
    record(&mut e, RecordBody::Mark(mark.to_text()));
    for row in [2, 4] {
        record(&mut e, RecordBody::KeyDown(Key::new("s")));
        record(&mut e, RecordBody::KeyUp(Key::new("s")));
        for _ in 0..3 {
            record(&mut e, RecordBody::Still);
        }
        show(&mut e, row);
    }
    record(&mut e, RecordBody::Mark(Mark::ProbeEnd.to_text()));
    let effects = e.effects(Action::SoftDrop);
    let told: Vec<(i32, f64)> = effects.iter().map(|x| (x.down(), x.span_ms)).collect();
    assert_eq!(told, [(2, 600.0), (2, 500.0)]);
}
