//! What is read against what is so: every cell of the test games, in a browser, while they are played.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "support/games.rs"]
mod games;

use futures::StreamExt;
use games::{ANSWER, Preset, Stand, Truth};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;
use tetrascope::browser::Page;
use tetrascope::browser::probe::{AdvanceOptions, Probe};
use tetrascope::evidence::{Derived, Evidence, ReadGrid};
use tetrascope::model::{Board, By, CellState, Frame, Grid, Key, Record, RecordBody, Stamp};
use tetrascope::vision::{self, Reader};

/// Points a cell in each direction, as the program samples.
const SAMPLES: u16 = 8;
/// Game time between two readings.
const STEP_MS: f64 = 50.0;
/// Game time for which the empty look is learned before cells are compared.
const LEARN_MS: f64 = 7_000.0;

struct Eyes(Reader);

impl ReadGrid for Eyes {
    fn read(&mut self, frame: &Frame) -> Grid {
        self.0.read(frame)
    }
}

fn evidence() -> Evidence {
    Evidence::new(Box::new(|board, empty, frame| {
        let reader = Reader::new(board.columns, board.rows, frame.samples);
        Box::new(Eyes(match empty {
            Some(empty) => reader.with_background(empty),
            None => reader,
        }))
    }))
}

/// What came out for one preset.
#[derive(Default)]
struct Score {
    name: String,
    frames: u64,
    cells: u64,
    wrong_cells: u64,
    pieces: u64,
    /// The piece was there, and none or another one was seen.
    missed: u64,
    wrong_pieces: u64,
    failed: u64,
    lines: usize,
    first: Option<String>,
    first_piece: Option<String>,
}

impl Score {
    fn cells_right(&self) -> f64 {
        100.0 * (1.0 - self.wrong_cells as f64 / self.cells.max(1) as f64)
    }

    fn pieces_right(&self) -> f64 {
        100.0 * (1.0 - (self.missed + self.wrong_pieces) as f64 / self.pieces.max(1) as f64)
    }

    fn row(&self) -> String {
        format!(
            "{:24} {:6} frames {:3} lines  cells {:8.4}%  pieces {:8.4}% ({} missed, {} wrong) failed {}",
            self.name,
            self.frames,
            self.lines,
            self.cells_right(),
            self.pieces_right(),
            self.missed,
            self.wrong_pieces,
            self.failed
        )
    }
}

/// A player who knows the truth: turns at random, then goes where the piece lies lowest and leaves no holes.
struct Player {
    keys: VecDeque<Key>,
    random: u64,
    turned: bool,
}

impl Player {
    fn random(&mut self, below: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.random >> 33) % below
    }

    fn next(&mut self, preset: &Preset, truth: &Truth) -> Option<Key> {
        let key = |name: &str| preset.controls.get(name).cloned().flatten().map(Key::new);
        if let Some(k) = self.keys.pop_front() {
            return Some(k);
        }
        let piece = truth.active.as_ref()?;
        if !self.turned {
            let turns = self.random(4);
            for _ in 0..turns {
                self.keys.extend(key("cw"));
            }
            self.turned = true;
            return self.keys.pop_front();
        }
        self.turned = false;
        let dx = best(truth, &piece.cells);
        for _ in 0..dx.abs() {
            self.keys.extend(key(if dx < 0 { "left" } else { "right" }));
        }
        match key("hard") {
            Some(hard) => self.keys.push_back(hard),
            None => self.keys.extend((0..26).filter_map(|_| key("soft"))),
        }
        self.keys.pop_front()
    }
}

/// Columns by which the piece had best go to the side.
fn best(truth: &Truth, piece: &[(i32, i32)]) -> i32 {
    let (rows, columns) = (truth.stack.len() as i32, truth.stack[0].len() as i32);
    let taken = |c: i32, r: i32| {
        c < 0 || c >= columns || r >= rows || r >= 0 && truth.stack[r as usize][c as usize] == 1
    };
    let cost = |dx: i32| -> Option<i32> {
        let at = |dy: i32| piece.iter().map(move |&(c, r)| (c + dx, r + dy));
        if at(0).any(|(c, r)| taken(c, r)) {
            return None;
        }
        let dy = (0..rows)
            .take_while(|&dy| !at(dy + 1).any(|(c, r)| taken(c, r)))
            .count() as i32;
        let cells: Vec<_> = at(dy).collect();
        let height: i32 = cells.iter().map(|c| rows - c.1).sum();
        let holes = cells
            .iter()
            .filter(|&&(c, r)| !taken(c, r + 1) && !cells.contains(&(c, r + 1)))
            .count() as i32;
        Some(height + 6 * holes)
    };
    (-columns..=columns)
        .filter_map(|dx| Some((cost(dx)?, dx.abs(), dx)))
        .min()
        .map_or(0, |m| m.2)
}

struct Run {
    page: Page,
    probe: Probe,
    evidence: Evidence,
    seq: u64,
    now_ms: f64,
    frame: Option<Arc<Frame>>,
}

impl Run {
    fn push(&mut self, body: RecordBody) -> Derived {
        let stamp = Stamp {
            seq: self.seq,
            game_us: (self.now_ms * 1000.0) as u64,
            wall_us: 0,
        };
        self.seq += 1;
        self.evidence.push(&Record { stamp, body })
    }

    async fn step(&mut self) -> Derived {
        let options = AdvanceOptions::default();
        let seen = self
            .probe
            .advance(&self.page, STEP_MS, options, ANSWER)
            .await
            .unwrap();
        self.now_ms = seen.now_ms;
        if let Some(why) = seen.lost {
            return self.push(RecordBody::ReadFailed(why));
        }
        if seen.same && self.frame.is_some() {
            return self.push(RecordBody::Still);
        }
        let frame = Arc::new(seen.frame.unwrap());
        self.frame = Some(frame.clone());
        self.push(RecordBody::Frame(frame))
    }

    async fn watch(&mut self, board: &Board, background: Option<Arc<Frame>>) {
        self.probe.watch(&self.page, board, SAMPLES).await.unwrap();
        self.frame = None;
        self.push(RecordBody::Board {
            board: board.clone(),
            background,
            by: By::Discovery,
        });
    }

    /// Learns the empty look as the program does: from what pieces that fall uncover.
    async fn learn(&mut self, board: &Board) {
        self.watch(board, None).await;
        let mut frames: Vec<Arc<Frame>> = Vec::new();
        let mut passed = 0.0;
        while passed < LEARN_MS {
            for _ in 0..5 {
                self.step().await;
                passed += STEP_MS;
            }
            let frame = self.frame.clone().unwrap();
            if frames.last().is_none_or(|l| l.raster != frame.raster) {
                frames.push(frame);
            }
        }
        let refs: Vec<&Frame> = frames.iter().map(AsRef::as_ref).collect();
        let raster = vision::background(&refs, board.columns, board.rows, SAMPLES).unwrap();
        let background = Frame {
            raster,
            samples: SAMPLES,
            rect: board.rect(),
        };
        self.watch(board, Some(Arc::new(background))).await;
    }
}

fn wrong(grid: &Grid, truth: &Truth) -> u64 {
    let mut n = 0;
    let visible = truth.visible();
    for r in 0..i32::from(grid.rows()) {
        for c in 0..i32::from(grid.columns()) {
            let so = truth.stack[r as usize][c as usize] == 1 || visible.contains(&(c, r));
            n += u64::from(so != grid.is_filled(c, r));
        }
    }
    n
}

/// Both side by side: what is so, what was read, and the readings of the cells that differ.
fn show(grid: &Grid, truth: &Truth, frame: u64) -> String {
    let mut out = format!("frame {frame}, {:?}\n", truth.active);
    let mut details = String::new();
    for r in 0..i32::from(grid.rows()) {
        for c in 0..i32::from(grid.columns()) {
            out.push(if truth.is_filled(c, r) { '#' } else { '.' });
        }
        out.push_str("   ");
        for c in 0..i32::from(grid.columns()) {
            let cell = grid.get(c, r).unwrap();
            out.push(match cell.state {
                CellState::Filled => '#',
                CellState::Ghost => '+',
                CellState::Empty => '.',
            });
            if truth.is_filled(c, r) != grid.is_filled(c, r) {
                let _ = write!(details, "({c},{r}) {:?} {} ", cell.colour, cell.confidence);
            }
        }
        out.push('\n');
    }
    out + &details
}

fn same_piece(seen: &Derived, truth: &Truth) -> bool {
    let cells = truth.visible();
    let whole = truth
        .active
        .as_ref()
        .is_some_and(|a| a.cells.len() == cells.len());
    seen.active.as_ref().is_some_and(|a| {
        a.cells == cells
            && (!whole
                || a.kind.map(tetrascope::model::PieceKind::letter)
                    == truth.active.as_ref().map(|t| t.kind))
    })
}

async fn play(stand: &Stand, preset: &Preset, game_ms: f64) -> Score {
    let mut score = Score {
        name: preset.name.clone(),
        ..Score::default()
    };
    let url = stand.url(&games::with_start(&preset.query, "auto"), 7);
    let (page, probe) = stand.open(&url).await;
    let mut run = Run {
        page,
        probe,
        evidence: evidence(),
        seq: 0,
        now_ms: 0.0,
        frame: None,
    };
    run.probe
        .advance(&run.page, 400.0, AdvanceOptions::default(), ANSWER)
        .await
        .unwrap();
    let rect = games::true_rect(&run.page).await.unwrap();
    let board = games::board(rect, preset.columns, preset.rows);
    run.learn(&board).await;
    let mut player = Player {
        keys: VecDeque::new(),
        random: 9,
        turned: false,
    };
    let mut before: Option<Truth> = None;
    let (mut known, mut overs) = (false, 0);
    let begun = run.now_ms;
    while run.now_ms - begun < game_ms {
        if let Some(truth) = &before
            && truth.state == "playing"
            && let Some(key) = player.next(preset, truth)
        {
            run.push(RecordBody::KeyDown(key.clone()));
            run.page.key_down(&key, false).await.unwrap();
            if preset.query.contains("polled") {
                let options = AdvanceOptions {
                    frame: true,
                    blind: true,
                    ..AdvanceOptions::default()
                };
                run.probe
                    .advance(&run.page, 0.0, options, ANSWER)
                    .await
                    .unwrap();
            }
            run.page.key_up(&key).await.unwrap();
            run.push(RecordBody::KeyUp(key));
        }
        let seen = run.step().await;
        let truth = games::truth(&run.page).await.unwrap();
        if truth.state != "playing" {
            // The game is over: another one, by the key or by the button.
            let ask = "(() => { const b = [...document.querySelectorAll('button')].pop(); if (b) b.click(); return !!b; })()";
            if let Some(key) = preset
                .controls
                .get("restart")
                .cloned()
                .flatten()
                .map(Key::new)
            {
                run.page.key_down(&key, false).await.unwrap();
                run.page.key_up(&key).await.unwrap();
            }
            let _: bool = run.page.call(ask, ANSWER).await.unwrap();
            player.turned = false;
            player.keys.clear();
            before = None;
            known = false;
            overs += 1;
            if overs > 40 {
                break;
            }
            continue;
        }
        score.frames += 1;
        let Some(grid) = &seen.grid else {
            score.failed += 1;
            before = Some(truth);
            continue;
        };
        score.cells += grid.cells().len() as u64;
        let readings = truth.readings();
        let truth = readings
            .into_iter()
            .min_by_key(|reading| wrong(grid, reading))
            .unwrap();
        let mut errors = wrong(grid, &truth);
        // The page may have changed its state and not drawn it yet.
        let late = before.as_ref().is_some_and(|b| wrong(grid, b) == 0);
        if late {
            errors = 0;
        }
        score.wrong_cells += errors;
        if errors > 0 && score.first.is_none() {
            score.first = Some(show(grid, &truth, score.frames));
        }
        // A tracker that begins with a piece half-way down knows it when it moves.
        known |= seen.active.is_some();
        if known && !truth.visible().is_empty() {
            score.pieces += 1;
            let right = same_piece(&seen, &truth)
                || late && before.as_ref().is_some_and(|b| same_piece(&seen, b));
            if !right {
                if seen.active.is_none() {
                    score.missed += 1;
                } else {
                    score.wrong_pieces += 1;
                }
                if score.first_piece.is_none() || std::env::var("ALL").is_ok() {
                    let more = format!("{:?}\n{}", seen.active, show(grid, &truth, score.frames));
                    score.first_piece = Some(score.first_piece.unwrap_or_default() + &more);
                }
            }
        }
        before = Some(truth);
    }
    let lines = run
        .evidence
        .happenings()
        .iter()
        .filter(|h| matches!(h.event, tetrascope::model::GridEvent::LineCleared { .. }))
        .count();
    score.lines = lines;
    score
}

async fn table(presets: &[Preset], game_ms: f64) -> Vec<Score> {
    let stand = Stand::new().await;
    let mut scores: Vec<Score> = Vec::new();
    let mut played = futures::stream::iter(presets)
        .map(|p| play(&stand, p, game_ms))
        .buffered(2);
    while let Some(score) = played.next().await {
        println!("{}", score.row());
        scores.push(score);
    }
    scores.sort_by(|a, b| a.cells_right().total_cmp(&b.cells_right()));
    for s in &scores {
        if s.wrong_cells > 0
            && let Some(first) = &s.first
        {
            println!("\n{} first misread: {first}", s.name);
        }
        if s.missed + s.wrong_pieces > 0
            && let Some(first) = &s.first_piece
        {
            println!("\n{} first mistaken piece: {first}", s.name);
        }
    }
    scores
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "plays every page for a minute; its table is for people"]
async fn every_cell_of_every_page_is_read_as_it_is() {
    // What lives by the machine's time moves between a look at the page and one at its state.
    let all = games::presets()
        .into_iter()
        .filter(|p| p.kind == "game" && p.healthy && !p.query.contains("loop=worker"));
    let presets = games::chosen(all.collect());
    let ms = std::env::var("MS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(60_000.0);
    let scores = table(&presets, ms).await;
    let bad: Vec<&str> = scores
        .iter()
        .filter(|s| s.cells_right() < 99.9)
        .map(|s| s.name.as_str())
        .collect();
    assert!(bad.is_empty(), "misread: {bad:?}");
}

/// One of each way in which boards are drawn, and of each look that has been misread.
const TYPICAL: [&str; 19] = [
    "canvas-flat",
    "canvas-bevel-grid",
    "canvas-gradient",
    "canvas-outline-only",
    "canvas-texture",
    "canvas-lcd",
    "canvas-glow",
    "canvas-two-layers",
    "canvas-flash",
    "canvas-smooth",
    "svg-group-smooth",
    "webgl-checker",
    "div-class",
    "absolute",
    "pre",
    "svg-path",
    "zoomed",
    "hidden-rows",
    "scroller",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cells_and_pieces_are_read_as_they_are_on_one_page_of_each_kind() {
    let scores = table(&games::named(&TYPICAL), 12_000.0).await;
    for s in &scores {
        assert!(s.frames > 150 && s.failed == 0, "{}", s.row());
        assert!(s.cells_right() >= 99.9, "{}", s.row());
        // Where the board is full to the top, pieces that lie half above it are told from the stack a moment late.
        assert!(s.pieces_right() >= 94.0, "{}", s.row());
    }
}
