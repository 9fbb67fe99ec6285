//! A small game with switchable defects is probed as the bot probes a page: each defect fails its own check, and a
//! healthy game, whatever its habits, fails none.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::format_collect,
    missing_docs
)]

use std::sync::Arc;
use tetrascope::checks::{self, CheckView, Status, evaluate};
use tetrascope::evidence::{Evidence, Mark};
use tetrascope::model::{
    Action, Board, By, Cell, CellState, Confidence, ControlMap, ControlMapping, Frame, Grid,
    GridEvent, Key, PageSignal, Phase, PieceKind, Raster, Record, RecordBody, Rect, Stamp,
    StartCandidate, StartMechanism, Surface, SurfaceKind, Survey, WebGlOffer,
};

type Place = (i32, i32);
const STEP_MS: u64 = 50;

/// What the game does; [`healthy`] is the usual game.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools)]
struct Rules {
    columns: i32,
    rows: i32,
    gravity_ms: u64,
    fall_rows: i32,
    left: i32,
    right: i32,
    /// Rows a step while the down key is held; 99 is a hard drop that locks.
    down: i32,
    /// Rows above the landing place at which the hard drop stops.
    short: i32,
    /// Game time for which a piece lies before it locks; with any, a hard drop does not lock at once.
    lies_ms: u64,
    hard: bool,
    /// Does the key for it do nothing?
    idle_drop: bool,
    /// State after a turn, from the kind and the state before.
    turn: fn(PieceKind, u8) -> u8,
    ccw: Option<fn(PieceKind, u8) -> u8>,
    /// A turn may also change the kind.
    mirror: bool,
    /// Columns a turn shifts the piece by, as naive 4x4 matrices do.
    turn_shift: i32,
    locks: bool,
    /// Do full rows go?
    clears: bool,
    /// Cells of a locked piece that stay.
    stay: usize,
    /// Rows above its support at which a piece locks.
    float: i32,
    /// After each lock the page is loaded again.
    reopens: bool,
    /// At the left wall a push cuts off a column.
    leaky: bool,
    wait_steps: u64,
    /// A blink: every so-manieth reading shows a block that isn't there.
    odd_reading: u64,
    /// In every other row the falling piece is read without one of its cells.
    worn: bool,
    kinds: &'static [PieceKind],
    scrolls: bool,
    /// What ↑ throws beside what it does.
    throws: Option<&'static str>,
    /// What is thrown before the game begins, each time the page is opened: at that, or at a key.
    throws_before: Option<(&'static str, Option<&'static str>)>,
    /// Is the page refused WebGL?
    without_webgl: bool,
    from_above: bool,
}

const ALL: &[PieceKind] = &PieceKind::ALL;

fn next_state(kind: PieceKind, state: u8) -> u8 {
    (state + 1) % kind.states().len() as u8
}

fn last_state(kind: PieceKind, state: u8) -> u8 {
    let n = kind.states().len() as u8;
    (state + n - 1) % n
}

fn healthy() -> Rules {
    Rules {
        columns: 10,
        rows: 20,
        gravity_ms: 500,
        fall_rows: 1,
        left: 1,
        right: 1,
        down: 1,
        short: 0,
        lies_ms: 0,
        hard: true,
        idle_drop: false,
        turn: next_state,
        ccw: Some(last_state),
        mirror: false,
        turn_shift: 0,
        locks: true,
        clears: true,
        stay: 4,
        float: 0,
        reopens: false,
        leaky: false,
        wait_steps: 0,
        odd_reading: 0,
        worn: false,
        kinds: ALL,
        scrolls: false,
        throws: None,
        throws_before: None,
        without_webgl: false,
        from_above: false,
    }
}

struct World {
    rules: Rules,
    evidence: Evidence,
    seq: u64,
    ms: u64,
    stack: Vec<Place>,
    piece: Option<(PieceKind, u8, Vec<Place>)>,
    drawn: usize,
    fell_ms: u64,
    moved_ms: u64,
    wait: u64,
    tries: u32,
    readings: u64,
    map: ControlMap,
}

impl World {
    fn new(rules: Rules) -> Self {
        let mut map = ControlMap::default();
        let mut set = |a, k: Option<&str>| {
            map.set(
                a,
                ControlMapping {
                    key: k.map(Key::new),
                    confidence: if k.is_some() {
                        Confidence::Confirmed
                    } else {
                        Confidence::NotFound
                    },
                    observation: String::new(),
                    tap_ms: 50,
                },
            );
        };
        set(Action::MoveLeft, Some("ArrowLeft"));
        set(Action::MoveRight, Some("ArrowRight"));
        set(Action::SoftDrop, (rules.down > 0).then_some("ArrowDown"));
        set(Action::HardDrop, rules.hard.then_some(" "));
        set(Action::RotateCw, Some("ArrowUp"));
        set(Action::RotateCcw, rules.ccw.map(|_| "z"));
        for k in ["ArrowLeft", "ArrowRight", "ArrowUp", "x"] {
            map.key_observations.insert(k.into(), "tried".into());
            map.complete = true;
        }
        let mut world = Self {
            rules,
            evidence: Evidence::default(),
            seq: 0,
            ms: 0,
            stack: Vec::new(),
            piece: None,
            drawn: 0,
            fell_ms: 0,
            moved_ms: 0,
            wait: 0,
            tries: 0,
            readings: 0,
            map,
        };
        world.spawn();
        world
    }

    fn stamp(&mut self) -> Stamp {
        self.seq += 1;
        Stamp {
            seq: self.seq,
            game_us: self.ms * 1000,
            wall_us: self.ms * 1000,
        }
    }

    fn record(&mut self, body: RecordBody) {
        let stamp = self.stamp();
        self.evidence.push(&Record { stamp, body });
    }

    fn mark(&mut self, mark: &Mark) {
        self.record(RecordBody::Mark(mark.to_text()));
    }

    fn free(&self, cells: &[Place]) -> bool {
        cells.iter().all(|p| {
            (0..self.rules.columns).contains(&p.0)
                && p.1 < self.rules.rows
                && !self.stack.contains(p)
        })
    }

    fn spawn(&mut self) {
        if self.rules.reopens && !self.stack.is_empty() {
            self.stack.clear();
            self.record(RecordBody::Opened("http://127.0.0.1/".into()));
        }
        let kind = self.rules.kinds[self.drawn % self.rules.kinds.len()];
        self.drawn += 1;
        let shape = kind.states()[0].clone();
        let top = if self.rules.from_above {
            1 - shape.size().1
        } else {
            0
        };
        let at = shape
            .cells()
            .iter()
            .map(|p| (p.0 + self.rules.columns / 2 - 2, p.1 + top))
            .collect();
        self.piece = Some((kind, 0, at));
        self.fell_ms = self.ms;
        // Played on and on: the stack is taken away before it reaches the top.
        if self.stack.iter().any(|p| p.1 < self.rules.rows / 2) {
            self.stack.clear();
        }
    }

    fn shift(&mut self, c: i32, r: i32) -> bool {
        let Some((_, _, cells)) = &self.piece else {
            return false;
        };
        let to: Vec<Place> = cells.iter().map(|p| (p.0 + c, p.1 + r)).collect();
        let ok = self.free(&to);
        if ok && let Some(p) = &mut self.piece {
            p.2 = to;
            self.moved_ms = self.ms;
        }
        ok
    }

    fn lock(&mut self) {
        let Some((_, _, cells)) = self.piece.take() else {
            return;
        };
        self.stack.extend(cells.into_iter().take(self.rules.stay));
        for r in 0..self.rules.rows {
            if !self.rules.clears {
                break;
            }
            if self.stack.iter().filter(|p| p.1 == r).count() as i32 == self.rules.columns {
                self.stack.retain(|p| p.1 != r);
                for p in &mut self.stack {
                    p.1 += i32::from(p.1 < r);
                }
            }
        }
        self.wait = self.rules.wait_steps;
    }

    fn turn(&mut self, by: fn(PieceKind, u8) -> u8, shift: i32) {
        let Some((kind, state, cells)) = self.piece.clone() else {
            return;
        };
        let to = by(kind, state);
        let mut shape = kind.states()[to as usize].clone();
        if self.rules.mirror {
            shape = shape.mirrored();
        }
        let left = cells.iter().map(|p| p.0).min().unwrap() + shift;
        let top = cells.iter().map(|p| p.1).min().unwrap();
        for kick in [0, -1, 1, -2, 2] {
            let at: Vec<Place> = shape
                .cells()
                .iter()
                .map(|p| (p.0 + left + kick, p.1 + top))
                .collect();
            if self.free(&at) {
                self.piece = Some((kind, to, at));
                return;
            }
        }
    }

    fn drop_down(&mut self) {
        let mut fell = 0;
        while self.shift(0, 1) {
            fell += 1;
        }
        let back = self.rules.short.min(fell);
        self.shift(0, -back);
        if self.rules.lies_ms == 0 {
            self.lock();
        }
    }

    fn pressed(&mut self, key: &str) {
        match key {
            "ArrowLeft" => {
                for _ in 0..self.rules.left {
                    let moved = self.shift(-1, 0);
                    if let Some((_, _, cells)) = &mut self.piece
                        && !moved
                        && self.rules.leaky
                        && cells.len() > 1
                    {
                        cells.pop();
                    }
                }
            }
            "ArrowRight" => {
                for _ in 0..self.rules.right {
                    self.shift(1, 0);
                }
            }
            "ArrowUp" => self.turn(self.rules.turn, self.rules.turn_shift),
            "z" => {
                if let Some(by) = self.rules.ccw {
                    self.turn(by, 0);
                }
            }
            "ArrowDown" if self.rules.down == 99 => self.drop_down(),
            " " if self.rules.hard && !self.rules.idle_drop => self.drop_down(),
            _ => {}
        }
        if let Some(text) = self.rules.throws.filter(|_| key == "ArrowUp") {
            self.record(RecordBody::Signal(PageSignal::UncaughtError {
                text: text.into(),
            }));
        }
        if self.rules.scrolls && key.starts_with("Arrow") {
            let y = self.seq as f64;
            self.record(RecordBody::Scrolled(0.0, y));
        }
    }

    /// One step of the clock, then a reading.
    fn step(&mut self, held: Option<&str>) {
        self.ms += STEP_MS;
        if self.piece.is_none() {
            if self.wait == 0 {
                self.spawn();
            }
            self.wait = self.wait.saturating_sub(1);
        } else {
            if held == Some("ArrowDown") && self.rules.down < 99 {
                for _ in 0..self.rules.down {
                    self.shift(0, 1);
                }
            }
            if self.ms - self.fell_ms >= self.rules.gravity_ms {
                self.fell_ms = self.ms;
                let floating = self.rules.float > 0 && {
                    let cells = &self.piece.as_ref().unwrap().2;
                    let to: Vec<Place> = cells
                        .iter()
                        .map(|p| (p.0, p.1 + self.rules.float + 1))
                        .collect();
                    !self.free(&to)
                };
                let fell = !floating
                    && (0..self.rules.fall_rows).fold(false, |f, _| self.shift(0, 1) || f);
                let lay = self.ms - self.moved_ms >= self.rules.lies_ms;
                if !fell && lay && self.rules.locks {
                    self.lock();
                    if self.rules.wait_steps == 0 {
                        self.spawn();
                    }
                }
            }
        }
        self.read();
    }

    fn read(&mut self) {
        self.readings += 1;
        let mut grid = Grid::new(self.rules.columns as u16, self.rules.rows as u16);
        let mut all = self.stack.clone();
        if let Some((_, _, cells)) = &self.piece {
            let top = cells.iter().map(|p| p.1).min().unwrap();
            let lost = usize::from(self.rules.worn && top % 2 == 1);
            all.extend(cells.iter().skip(lost));
        }
        if self.rules.odd_reading > 0 && self.readings.is_multiple_of(self.rules.odd_reading) {
            all.push((self.rules.columns - 1, 4));
        }
        for p in all {
            let cell = Cell {
                state: CellState::Filled,
                colour: [9, 9, 9],
                confidence: 255,
            };
            grid.set(p.0, p.1, cell);
        }
        let stamp = self.stamp();
        self.evidence.push_grid(stamp, grid);
    }

    fn steps(&mut self, n: u64) {
        for _ in 0..n {
            self.step(None);
        }
    }

    fn press(&mut self, key: &str, steps: u64) {
        self.record(RecordBody::KeyDown(Key::new(key)));
        self.pressed(key);
        for _ in 0..steps {
            self.step(Some(key));
        }
        self.record(RecordBody::KeyUp(Key::new(key)));
    }

    fn probe(&mut self, action: Action, presses: u32, hold: u64, after: u64) {
        let Some(key) = self.map.key(action).cloned() else {
            return;
        };
        self.tries += 1;
        self.mark(&Mark::Probe {
            action,
            key: key.clone(),
            attempt: self.tries,
        });
        self.read();
        for _ in 0..presses {
            self.press(key.as_str(), hold);
            self.steps(2);
        }
        self.steps(after);
        self.mark(&Mark::ProbeEnd);
    }

    /// Waits until a piece has fallen some rows.
    fn fresh(&mut self, rows: i32) {
        let before = self.drawn;
        if self.map.key(Action::HardDrop).is_some() {
            self.press(" ", 1);
        }
        for _ in 0..400 {
            if self.drawn > before {
                break;
            }
            self.step(None);
        }
        for _ in 0..60 {
            let high = |p: &(PieceKind, u8, Vec<Place>)| p.2.iter().any(|c| c.1 < rows);
            if !self.piece.as_ref().is_some_and(high) {
                break;
            }
            self.step(None);
        }
    }

    /// All that the bot does in the first three phases.
    fn play(mut self) -> Self {
        self.record(RecordBody::Opened("http://127.0.0.1/".into()));
        self.record(RecordBody::Phase(Phase::Load));
        let survey = Survey {
            viewport: (1280.0, 800.0),
            document: (1280.0, 1600.0),
            has_content: true,
            surfaces: vec![Surface {
                kind: SurfaceKind::Canvas,
                rect: Rect::new(0.0, 0.0, 300.0, 600.0),
                columns: 0,
                rows: 0,
            }],
            webgl: if self.rules.without_webgl {
                WebGlOffer::Refused
            } else {
                WebGlOffer::default()
            },
            ..Survey::default()
        };
        self.record(RecordBody::Survey(Arc::new(survey)));
        self.record(RecordBody::Phase(Phase::Start));
        self.throw_before();
        let enter = StartCandidate {
            mechanism: StartMechanism::Enter,
            label: "Enter".into(),
            position: None,
            selector: None,
            key: Some(Key::new("Enter")),
        };
        let begins_at_key = matches!(self.rules.throws_before, Some((_, Some("Enter"))));
        self.record(RecordBody::Started {
            candidate: begins_at_key.then_some(enter),
            why: "a piece fell".into(),
        });
        let board = Board {
            x: 0.0,
            y: 0.0,
            cell_width: 30.0,
            cell_height: 30.0,
            columns: self.rules.columns as u16,
            rows: self.rules.rows as u16,
            confidence: 1.0,
            why: String::new(),
            sure: tetrascope::model::Sure::default(),
        };
        self.record(RecordBody::Board {
            board,
            background: None,
            by: By::Discovery,
        });
        self.record(RecordBody::Phase(Phase::Mechanics));
        self.read();
        self.steps(80);
        self.record(RecordBody::Controls(self.map.clone(), By::Discovery));
        for _ in 0..2 {
            for action in [Action::MoveLeft, Action::MoveRight] {
                self.fresh(2);
                self.probe(action, 2, 1, 2);
            }
        }
        for _ in 0..7 {
            for action in [Action::RotateCw, Action::RotateCcw] {
                self.fresh(4);
                self.probe(action, 4, 1, 1);
            }
        }
        for _ in 0..3 {
            self.fresh(2);
            self.probe(Action::SoftDrop, 2, 1, 2);
            self.fresh(2);
            self.probe(Action::SoftDrop, 1, 6, 2);
            self.fresh(2);
            self.probe(Action::HardDrop, 1, 1, 30);
        }
        for key in ["ArrowLeft", "ArrowRight", "ArrowLeft", "ArrowRight"] {
            self.fresh(3);
            for _ in 0..9 {
                self.press(key, 1);
                self.step(None);
            }
            self.press("ArrowUp", 1);
            self.steps(3);
            self.press("ArrowUp", 1);
            self.steps(3);
            self.press(key, 1);
            self.steps(3);
        }
        self.steps(600);
        self.record(RecordBody::Phase(Phase::Play));
        self
    }

    /// What the page throws before a game begins.
    fn throw_before(&mut self) {
        let Some((text, key)) = self.rules.throws_before else {
            return;
        };
        if let Some(key) = key {
            self.record(RecordBody::KeyDown(Key::new(key)));
        }
        self.record(RecordBody::Signal(PageSignal::UncaughtError {
            text: text.into(),
        }));
        if let Some(key) = key {
            self.ms += STEP_MS;
            self.record(RecordBody::KeyUp(Key::new(key)));
        }
        self.ms += 20 * STEP_MS;
    }

    fn views(mut self) -> Vec<CheckView> {
        self = self.play();
        self.mark(&Mark::Sure {
            columns: true,
            rows: true,
        });
        self.mark(&Mark::End { why: "done".into() });
        evaluate(&self.evidence)
    }
}

/// Plays a game with these rules: just these checks fail.
#[track_caller]
fn check(rules: Rules, failing: &[&str]) -> Vec<CheckView> {
    let views = World::new(rules).views();
    let failed: Vec<_> = views
        .iter()
        .filter(|v| v.verdict.status == Status::Fail)
        .collect();
    let names: Vec<_> = failed.iter().map(|v| v.name).collect();
    let text: String = views
        .iter()
        .map(|v| format!("{:?} {}: {}\n", v.verdict.status, v.name, v.verdict.why))
        .collect();
    assert_eq!(names, failing, "\n{text}");
    for v in failed {
        assert!(!v.verdict.cites.is_empty(), "{} cites nothing", v.name);
    }
    views
}

#[track_caller]
fn status(views: &[CheckView], name: &str, expected: Status) {
    let v = views.iter().find(|v| v.name == name).unwrap();
    assert_eq!(v.verdict.status, expected, "{name}: {}", v.verdict.why);
}

#[test]
fn a_healthy_game_passes_every_check_of_the_first_three_phases() {
    let views = check(healthy(), &[]);
    for v in views
        .iter()
        .filter(|v| v.phase.is_none_or(|p| p <= Phase::Mechanics))
    {
        status(&views, v.name, Status::Pass);
    }
    for v in views
        .iter()
        .filter(|v| v.phase.is_some_and(|p| p > Phase::Mechanics))
    {
        assert_ne!(
            v.verdict.status,
            Status::Fail,
            "{}: {}",
            v.name,
            v.verdict.why
        );
    }
}

#[test]
fn healthy_habits_fail_nothing() {
    let base = healthy();
    for rules in [
        Rules {
            from_above: true,
            ..base.clone()
        },
        Rules {
            wait_steps: 6,
            ..base.clone()
        },
        Rules {
            odd_reading: 7,
            ..base.clone()
        },
        Rules {
            odd_reading: 11,
            from_above: true,
            wait_steps: 3,
            ..base.clone()
        },
        Rules {
            turn_shift: 2,
            ..base.clone()
        },
        Rules {
            turn_shift: -1,
            ..base.clone()
        },
        Rules {
            turn: last_state,
            ccw: Some(next_state),
            ..base.clone()
        },
        Rules {
            gravity_ms: 150,
            ..base.clone()
        },
        Rules {
            gravity_ms: 1000,
            ..base.clone()
        },
        Rules {
            down: 3,
            ..base.clone()
        },
        Rules {
            ccw: None,
            ..base.clone()
        },
        Rules {
            hard: false,
            ..base.clone()
        },
        Rules {
            down: 0,
            ..base.clone()
        },
        Rules {
            hard: false,
            down: 0,
            ccw: None,
            ..base.clone()
        },
    ] {
        check(rules, &[]);
    }
}

#[test]
fn optional_keys_that_are_not_there_are_skipped() {
    let views = check(
        Rules {
            hard: false,
            down: 0,
            ccw: None,
            ..healthy()
        },
        &[],
    );
    for name in ["hard_drop", "soft_drop", "soft_drop_distinct", "rotate_ccw"] {
        status(&views, name, Status::Skipped);
    }
}

#[test]
fn a_board_of_another_size_is_said() {
    check(
        Rules {
            columns: 12,
            rows: 22,
            ..healthy()
        },
        &["grid_is_10x20"],
    );
}

#[test]
fn a_size_that_is_guessed_from_how_cells_look_decides_nothing() {
    for (sure, expected) in [
        (None, Status::Skipped),
        (Some((true, false)), Status::Skipped),
        (Some((false, true)), Status::Skipped),
        (Some((true, true)), Status::Fail),
    ] {
        let mut world = World::new(Rules {
            columns: 8,
            rows: 18,
            ..healthy()
        })
        .play();
        if let Some((columns, rows)) = sure {
            world.mark(&Mark::Sure { columns, rows });
        }
        world.mark(&Mark::End { why: "done".into() });
        status(&evaluate(&world.evidence), "grid_is_10x20", expected);
    }
}

/// Rows are filled and go, the lowest of all (`lowest`) or the ones above it, which is never full.
fn clears(world: &mut World, lowest: bool) {
    let (columns, rows) = (world.rules.columns, world.rules.rows);
    world.rules.kinds = &[PieceKind::O];
    world.fresh(4);
    world.stack.clear();
    if !lowest {
        world.stack.extend((1..columns).map(|c| (c, rows - 1)));
    }
    world.steps(2);
    for column in (0..columns).step_by(2) {
        let moves = column - (columns / 2 - 2);
        let key = if moves < 0 { "ArrowLeft" } else { "ArrowRight" };
        for _ in 0..moves.abs() {
            world.press(key, 1);
        }
        world.press(" ", 1);
        world.steps(4);
    }
    let went =
        |h: &tetrascope::evidence::Happening| matches!(h.event, GridEvent::LineCleared { .. });
    let all = world.evidence.happenings_in(0..=u64::MAX);
    assert_eq!(all.iter().any(went), world.rules.clears);
}

#[test]
fn rows_that_stay_tell_nothing_on_a_board_that_may_be_wider() {
    for (columns, sure, expected) in [
        (8, false, Status::Skipped),
        (8, true, Status::Fail),
        (10, false, Status::Fail),
    ] {
        let rules = Rules {
            columns,
            clears: false,
            ..healthy()
        };
        let mut world = World::new(rules).play();
        for _ in 0..2 {
            clears(&mut world, true);
            // What became of the rows is seen when the next piece has locked.
            world.steps(30);
            world.press(" ", 1);
            world.steps(4);
        }
        if sure {
            let rows = false;
            world.mark(&Mark::Sure {
                columns: true,
                rows,
            });
        }
        world.mark(&Mark::End { why: "done".into() });
        status(&evaluate(&world.evidence), "line_clear", expected);
    }
}

#[test]
fn rows_that_are_cleared_tell_the_width_and_the_lowest_of_them_the_height() {
    for (size, lowest, expected) in [
        ((8, 20), false, Status::Fail),
        ((10, 18), false, Status::Skipped),
        ((10, 18), true, Status::Fail),
    ] {
        let (columns, rows) = size;
        let mut world = World::new(Rules {
            columns,
            rows,
            ..healthy()
        })
        .play();
        clears(&mut world, lowest);
        world.mark(&Mark::End { why: "done".into() });
        status(&evaluate(&world.evidence), "grid_is_10x20", expected);
    }
}

#[test]
fn a_tap_that_moves_two_columns_fails_that_side() {
    check(
        Rules {
            left: 2,
            ..healthy()
        },
        &["move_left"],
    );
    check(
        Rules {
            right: 2,
            ..healthy()
        },
        &["move_right"],
    );
}

#[test]
fn a_side_that_does_not_move_fails() {
    check(
        Rules {
            right: 0,
            ..healthy()
        },
        &["move_right"],
    );
}

#[test]
fn falls_of_two_rows_fail_gravity() {
    check(
        Rules {
            fall_rows: 2,
            ..healthy()
        },
        &["gravity"],
    );
}

#[test]
fn a_down_key_that_drops_at_once_is_no_soft_drop() {
    let views = check(
        Rules {
            down: 99,
            ..healthy()
        },
        &["soft_drop_distinct"],
    );
    status(&views, "soft_drop", Status::Skipped);
}

#[test]
fn a_hard_drop_that_stops_short_fails_and_its_pieces_lock_in_the_air() {
    check(
        Rules {
            short: 2,
            ..healthy()
        },
        &["hard_drop", "piece_locks"],
    );
}

#[test]
fn a_dropped_piece_that_lies_for_longer_than_the_fall_would_take_was_dropped() {
    let rules = Rules {
        gravity_ms: STEP_MS,
        lies_ms: 1_200,
        ..healthy()
    };
    status(&World::new(rules).views(), "hard_drop", Status::Pass);
}

#[test]
fn a_piece_that_only_falls_by_itself_was_not_dropped() {
    // Between two rows: the first one comes after half the time of one.
    let rules = Rules {
        gravity_ms: 2 * STEP_MS,
        idle_drop: true,
        ..healthy()
    };
    status(&World::new(rules).views(), "hard_drop", Status::Fail);
}

#[test]
fn rotation_in_two_of_four_states_or_none_fails() {
    fn two(kind: PieceKind, state: u8) -> u8 {
        if kind.states().len() == 1 {
            0
        } else {
            1 - state.min(1)
        }
    }
    fn none(_: PieceKind, state: u8) -> u8 {
        state
    }
    check(
        Rules {
            turn: two,
            ccw: None,
            ..healthy()
        },
        &["rotate"],
    );
    // Seven columns have no room to spare beside a piece; that the shapes alternate tells it all the same.
    check(
        Rules {
            columns: 7,
            rows: 12,
            turn: two,
            ccw: None,
            ..healthy()
        },
        &["grid_is_10x20", "rotate"],
    );
    check(
        Rules {
            turn: none,
            ccw: None,
            ..healthy()
        },
        &["rotate"],
    );
}

#[test]
fn a_mirroring_rotation_fails() {
    check(
        Rules {
            mirror: true,
            ccw: None,
            ..healthy()
        },
        &["rotate"],
    );
}

#[test]
fn a_second_key_that_turns_the_same_way_fails() {
    check(
        Rules {
            ccw: Some(next_state),
            ..healthy()
        },
        &["rotate_ccw"],
    );
}

#[test]
fn a_wall_that_eats_cells_fails() {
    let views = World::new(Rules {
        leaky: true,
        ..healthy()
    })
    .views();
    status(&views, "walls_hold", Status::Fail);
}

#[test]
fn the_edge_of_a_board_that_may_be_wider_is_no_wall() {
    for (sure, expected) in [(false, Status::Skipped), (true, Status::Fail)] {
        let rules = Rules {
            columns: 8,
            leaky: true,
            ..healthy()
        };
        let mut world = World::new(rules).play();
        if sure {
            let rows = false;
            world.mark(&Mark::Sure {
                columns: sure,
                rows,
            });
        }
        world.mark(&Mark::End { why: "done".into() });
        status(&evaluate(&world.evidence), "walls_hold", expected);
    }
}

#[test]
fn walls_are_not_blamed_where_pieces_change_their_shape_with_no_key_pressed() {
    let views = World::new(Rules {
        leaky: true,
        worn: true,
        ..healthy()
    })
    .views();
    status(&views, "walls_hold", Status::Skipped);
}

#[test]
fn pieces_that_lose_a_cell_when_they_lock_fail() {
    check(
        Rules {
            stay: 3,
            ..healthy()
        },
        &["piece_locks"],
    );
}

#[test]
fn pieces_that_lock_in_the_air_fail() {
    check(
        Rules {
            float: 2,
            hard: false,
            ..healthy()
        },
        &["piece_locks"],
    );
}

/// What bounces when it lands is seen in the air for a moment.
#[test]
fn pieces_in_the_air_just_before_the_page_is_loaded_again_are_not_blamed() {
    let views = World::new(Rules {
        float: 2,
        hard: false,
        reopens: true,
        wait_steps: 3,
        ..healthy()
    })
    .views();
    status(&views, "piece_locks", Status::Skipped);
}

#[test]
fn what_stays_in_the_air_after_the_page_threw_is_left_open() {
    let views = check(
        Rules {
            float: 2,
            hard: false,
            throws: Some("TypeError: piece is null"),
            ..healthy()
        },
        &["no_uncaught_errors"],
    );
    status(&views, "piece_locks", Status::Skipped);
}

#[test]
fn pieces_that_never_lock_fail() {
    let views = World::new(Rules {
        locks: false,
        hard: false,
        ..healthy()
    })
    .views();
    status(&views, "piece_locks", Status::Fail);
    status(&views, "piece_spawns", Status::Skipped);
}

#[test]
fn a_page_that_scrolls_under_its_keys_fails() {
    check(
        Rules {
            scrolls: true,
            ..healthy()
        },
        &["no_page_scroll"],
    );
}

#[test]
fn a_scroll_that_another_key_set_going_is_not_the_game_keys() {
    let mut world = World::new(healthy()).play();
    let wall = |world: &mut World, us: u64, body: RecordBody| {
        let stamp = Stamp {
            wall_us: us,
            ..world.stamp()
        };
        world.evidence.push(&Record { stamp, body });
    };
    let begun = world.ms * 1000;
    let scroll = |to: f64| RecordBody::Scrolled(0.0, to);
    // The key that sends the page there is none of the game's; it glides on for seconds, under the game's keys.
    let key = |world: &mut World, us: u64, key: &str| {
        wall(world, us, RecordBody::KeyDown(Key::new(key)));
        wall(world, us + 10_000, RecordBody::KeyUp(Key::new(key)));
    };
    key(&mut world, begun, "PageDown");
    for step in 0..30_u64 {
        let at = begun + 100_000 + step * 200_000;
        wall(&mut world, at, scroll(step as f64 * 5.0 + 5.0));
        key(&mut world, at + 50_000, "ArrowLeft");
    }
    world.mark(&Mark::End { why: "done".into() });
    status(&evaluate(&world.evidence), "no_page_scroll", Status::Pass);
}

#[test]
fn a_page_that_comes_back_to_where_it_was_has_scrolled_once() {
    let mut world = World::new(healthy()).play();
    for _ in 0..3 {
        world.record(RecordBody::KeyDown(Key::new("ArrowDown")));
        world.record(RecordBody::KeyUp(Key::new("ArrowDown")));
        world.record(RecordBody::Scrolled(0.0, 40.0));
        world.record(RecordBody::Scrolled(0.0, 0.0));
        world.steps(3);
    }
    world.steps(60);
    world.mark(&Mark::End { why: "done".into() });
    let all = evaluate(&world.evidence);
    status(&all, "no_page_scroll", Status::Fail);
    let why = all
        .iter()
        .find(|v| v.name == "no_page_scroll")
        .map(|v| v.verdict.why.as_str());
    assert_eq!(why, Some("↓ scrolled the page, 3 times in all"));
}

#[test]
fn keys_that_scroll_when_the_game_is_over_fail_nothing() {
    for over in [true, false] {
        let mut world = World::new(healthy()).play();
        world.steps(3);
        // The last piece stands there, and the keys are the page's again until a new game begins.
        for y in 1..6 {
            world.record(RecordBody::KeyDown(Key::new("ArrowUp")));
            world.record(RecordBody::KeyUp(Key::new("ArrowUp")));
            world.record(RecordBody::Scrolled(0.0, f64::from(y) * 40.0));
        }
        if over {
            world.stack.clear();
            world.piece = None;
            world.read();
        }
        world.steps(60);
        world.mark(&Mark::End { why: "done".into() });
        let expected = if over { Status::Pass } else { Status::Fail };
        status(&evaluate(&world.evidence), "no_page_scroll", expected);
    }
}

#[test]
fn an_exception_while_playing_fails() {
    check(
        Rules {
            throws: Some("TypeError: x"),
            ..healthy()
        },
        &["no_uncaught_errors"],
    );
}

/// A key that throws on the title screen and in play throws in play.
#[test]
fn what_was_thrown_at_a_key_before_the_game_counts_where_it_is_thrown_in_it() {
    let text = "ReferenceError: row is not defined";
    for (throws, before, expected) in [
        (Some(text), Some("ArrowUp"), Status::Fail),
        // At load, a rejected request for one: known, whatever comes of it later.
        (Some(text), None, Status::Pass),
        (None, Some("ArrowUp"), Status::Pass),
        (None, Some("Enter"), Status::Pass),
    ] {
        let mut world = World::new(Rules {
            throws,
            throws_before: Some((text, before)),
            ..healthy()
        })
        .play();
        world.record(RecordBody::Opened("http://127.0.0.1/".into()));
        world.throw_before();
        world.mark(&Mark::End { why: "done".into() });
        let views = evaluate(&world.evidence);
        status(&views, "no_uncaught_errors", expected);
    }
}

#[test]
fn what_a_page_throws_while_it_is_refused_webgl_fails_only_where_it_throws_with_it_too() {
    for (throws, expected) in [
        (None, Status::Skipped),
        (Some("TypeError: x"), Status::Fail),
    ] {
        let mut world = World::new(Rules {
            throws: Some("TypeError: context is null"),
            left: 2,
            without_webgl: true,
            ..healthy()
        })
        .play();
        let first = evaluate(&world.evidence);
        status(&first, "no_uncaught_errors", Status::Skipped);
        assert!(checks::broken_without_webgl(&world.evidence).is_some());
        assert!(checks::again(&world.evidence).contains(&Phase::Mechanics));
        let why = "with WebGL".into();
        world.mark(&Mark::Attempt { number: 2, why });
        world.rules = Rules {
            throws,
            ..healthy()
        };
        let views = evaluate(&world.play().evidence);
        status(&views, "no_uncaught_errors", expected);
        // It fails without, and passes with it.
        let left = views.iter().find(|v| v.name == "move_left").unwrap();
        assert_ne!(left.verdict.status, Status::Fail, "{left:?}");
    }
}

#[test]
fn a_sound_that_this_browser_cannot_play_fails_nothing() {
    let text = "NotSupportedError: The element has no supported sources.";
    let views = check(
        Rules {
            throws: Some(text),
            ..healthy()
        },
        &[],
    );
    let errors = views.iter().find(|v| v.name == "no_uncaught_errors");
    assert!(errors.unwrap().verdict.why.contains("sound"));
}

#[test]
fn a_key_that_nothing_does_fails_when_several_were_tried() {
    let mut world = World::new(Rules {
        ccw: None,
        ..healthy()
    });
    let mapping = ControlMapping::default();
    world.map.set(Action::RotateCw, mapping);
    let views = world.views();
    status(&views, "rotate", Status::Fail);
}

fn page_with_a_canvas() -> Survey {
    Survey {
        has_content: true,
        surfaces: vec![Surface {
            kind: SurfaceKind::Canvas,
            rect: Rect::new(0.0, 0.0, 300.0, 600.0),
            columns: 0,
            rows: 0,
        }],
        ..Survey::default()
    }
}

#[test]
fn without_a_start_nothing_later_fails() {
    let mut world = World::new(healthy());
    world.record(RecordBody::Survey(Arc::new(page_with_a_canvas())));
    world.record(RecordBody::NotStarted {
        why: "9 candidates tried".into(),
    });
    let views = evaluate(&world.evidence);
    status(&views, "game_loads", Status::Pass);
    status(&views, "game_starts", Status::Fail);
    for name in [
        "grid_detected",
        "grid_is_10x20",
        "gravity",
        "rotate",
        "hard_drop",
    ] {
        status(&views, name, Status::Skipped);
    }
}

/// A game that does not start the first time is played in the attempts after it, by these rules.
fn started_late(rules: &[Rules]) -> World {
    let mut world = World::new(healthy());
    world.record(RecordBody::Survey(Arc::new(page_with_a_canvas())));
    world.record(RecordBody::NotStarted {
        why: "nothing fell".into(),
    });
    for (number, rules) in (2..).zip(rules) {
        let why = "start the game".into();
        world.mark(&Mark::Attempt { number, why });
        world.rules = rules.clone();
        world = world.play();
    }
    world
}

#[test]
fn a_game_that_starts_only_at_the_second_attempt_is_judged_by_it() {
    let world = started_late(&[healthy()]);
    let views = evaluate(&world.evidence);
    for name in ["grid_detected", "move_left", "rotate", "hard_drop"] {
        status(&views, name, Status::Pass);
    }
    let starts = views.iter().find(|v| v.name == "game_starts").unwrap();
    assert!(starts.verdict.why.starts_with("flaky"), "{starts:?}");
}

#[test]
fn what_fails_in_it_takes_a_second_witness_as_well() {
    let leaps = || Rules {
        left: 2,
        ..healthy()
    };
    let world = started_late(&[leaps()]);
    assert!(checks::again(&world.evidence).contains(&Phase::Mechanics));
    let world = started_late(&[leaps(), leaps()]);
    status(&evaluate(&world.evidence), "move_left", Status::Fail);
    let world = started_late(&[leaps(), healthy()]);
    status(&evaluate(&world.evidence), "move_left", Status::Skipped);
}

#[test]
fn a_blank_page_does_not_load_and_what_follows_is_skipped() {
    let mut world = World::new(healthy());
    world.record(RecordBody::Survey(Arc::new(Survey::default())));
    assert_eq!(evaluate(&world.evidence)[0].verdict.status, Status::Open);
    world.record(RecordBody::NotStarted {
        why: "nothing to try".into(),
    });
    let views = evaluate(&world.evidence);
    status(&views, "game_loads", Status::Fail);
    status(&views, "game_starts", Status::Skipped);
}

#[test]
fn a_page_that_was_not_let_have_its_scripts_is_not_called_broken() {
    let mut world = World::new(healthy());
    world.record(RecordBody::Survey(Arc::new(Survey::default())));
    world.record(RecordBody::Signal(PageSignal::ScriptRefused {
        url: "https://cdn.example/p5.js".into(),
    }));
    world.record(RecordBody::NotStarted {
        why: "nothing to try".into(),
    });
    let views = evaluate(&world.evidence);
    status(&views, "game_loads", Status::Skipped);
    status(&views, "game_starts", Status::Skipped);
    assert!(views[0].verdict.why.contains("--allow-host cdn.example"));
}

#[test]
fn nothing_fails_on_a_page_whose_parts_lie_above_what_is_served() {
    let part = RecordBody::Signal(PageSignal::PartWithheld {
        path: "/shared/ng.js".into(),
        root: "/home/a/games".into(),
    });
    let mut world = World::new(healthy());
    world.record(RecordBody::Survey(Arc::new(Survey::default())));
    world.record(part.clone());
    world.record(RecordBody::Signal(PageSignal::UncaughtError {
        text: "ReferenceError: NG is not defined".into(),
    }));
    world.record(RecordBody::NotStarted {
        why: "nothing to try".into(),
    });
    let views = evaluate(&world.evidence);
    assert!(views.iter().all(|v| v.verdict.status != Status::Fail));
    assert!(views[0].verdict.why.contains("--root /home/a/games"));
    // Where a game runs all the same, what is wrong with it is said beside.
    let mut world = World::new(Rules {
        left: 2,
        ..healthy()
    })
    .play();
    // It is told again with each opening.
    world.record(part.clone());
    world.record(part);
    let views = evaluate(&world.evidence);
    status(&views, "move_left", Status::Skipped);
    let why = &views
        .iter()
        .find(|v| v.name == "move_left")
        .unwrap()
        .verdict
        .why;
    assert!(
        why.contains("(/shared/ng.js)") && why.contains("moved 2, 1"),
        "{why}"
    );
}

#[test]
fn a_page_that_was_not_let_have_its_styles_is_not_called_broken_where_they_are_missed() {
    for (unstyled, expected) in [(true, Status::Skipped), (false, Status::Fail)] {
        let mut world = World::new(healthy());
        world.record(RecordBody::Survey(Arc::new(Survey {
            unstyled,
            ..Survey::default()
        })));
        world.record(RecordBody::Signal(PageSignal::StyleRefused {
            url: "https://cdn.example/all.css".into(),
        }));
        world.record(RecordBody::NotStarted {
            why: "nothing to try".into(),
        });
        let views = evaluate(&world.evidence);
        status(&views, "game_loads", expected);
        status(&views, "game_starts", Status::Skipped);
    }
}

#[test]
fn a_page_without_its_own_script_is_broken_whatever_styles_it_was_refused() {
    let mut world = World::new(healthy());
    world.record(RecordBody::Survey(Arc::new(Survey {
        unstyled: true,
        ..Survey::default()
    })));
    world.record(RecordBody::Signal(PageSignal::StyleRefused {
        url: "https://fonts.example/a.css".into(),
    }));
    // Told again with each opening.
    for _ in 0..2 {
        for name in ["main.ts", "board.ts"] {
            world.record(RecordBody::Signal(PageSignal::ScriptMissing {
                url: format!("http://127.0.0.1:1/{name}"),
                what: "video/mp2t".into(),
            }));
        }
    }
    world.record(RecordBody::NotStarted {
        why: "nothing to try".into(),
    });
    let views = evaluate(&world.evidence);
    for name in ["game_loads", "game_starts"] {
        let view = views.iter().find(|v| v.name == name).unwrap();
        if name == "game_starts" {
            assert_eq!(view.verdict.status, Status::Skipped);
            continue;
        }
        status(&views, name, Status::Fail);
        let why = &view.verdict.why;
        assert!(why.starts_with("its own script "), "{why}");
        assert!(
            why.contains("main.ts could not be had (video/mp2t), and 1 more"),
            "{why}"
        );
    }
    assert!(tetrascope::checks::not_judged(&world.evidence).is_none());
}

#[test]
fn errors_of_a_page_on_which_no_game_begins_are_said() {
    let mut world = World::new(healthy());
    world.record(RecordBody::Signal(PageSignal::UncaughtError {
        text: "TypeError: board is undefined".into(),
    }));
    world.record(RecordBody::Survey(Arc::new(Survey {
        has_content: true,
        surfaces: vec![Surface {
            rect: Rect::new(0.0, 0.0, 200.0, 400.0),
            kind: SurfaceKind::Canvas,
            columns: 0,
            rows: 0,
        }],
        ..Survey::default()
    })));
    world.record(RecordBody::NotStarted {
        why: "nothing falls".into(),
    });
    world.mark(&Mark::End { why: "done".into() });
    let views = evaluate(&world.evidence);
    for name in ["game_starts", "no_uncaught_errors"] {
        status(&views, name, Status::Fail);
        let view = views.iter().find(|v| v.name == name).unwrap();
        let why = &view.verdict.why;
        assert!(why.contains("board is undefined"), "{name}: {why}");
    }
}

#[test]
fn a_board_that_is_built_only_at_the_start_still_loads() {
    let mut world = World::new(healthy());
    world.record(RecordBody::Survey(Arc::new(Survey::default())));
    world.record(RecordBody::Started {
        candidate: Some(StartCandidate {
            mechanism: tetrascope::model::StartMechanism::Enter,
            label: "Enter".into(),
            position: None,
            selector: None,
            key: Some(Key::new("Enter")),
        }),
        why: "a piece fell".into(),
    });
    world.mark(&Mark::NoBoard {
        why: "no lattice".into(),
    });
    let views = evaluate(&world.evidence);
    status(&views, "game_loads", Status::Pass);
    status(&views, "grid_detected", Status::Fail);
}

/// A tetromino as a preview shows it.
fn shown(kind: PieceKind) -> Arc<Frame> {
    const CELL: i32 = 12;
    let (width, height) = (80, 60);
    let mut rgb = vec![0; width * height * 3];
    for &(c, r) in kind.states()[0].cells() {
        for (y, x) in (0..CELL - 1).flat_map(|y| (0..CELL - 1).map(move |x| (y, x))) {
            let (x, y) = (14 + c * CELL + x, 14 + r * CELL + y);
            let at = (y as usize * width + x as usize) * 3;
            rgb[at..at + 3].copy_from_slice(&[200, 120, 40]);
        }
    }
    Arc::new(Frame {
        raster: Raster::from_rgb(width as u32, height as u32, rgb).unwrap(),
        samples: 1,
        rect: Rect::new(400.0, 20.0, width as f64, height as f64),
    })
}

#[test]
fn what_is_shown_after_a_drop_is_not_held_against_the_preview() {
    let mut world = World::new(healthy()).play();
    let kinds = world.rules.kinds;
    let aside = |ahead: usize, world: &mut World| {
        let picture = shown(kinds[(world.drawn + ahead) % kinds.len()]);
        world.record(RecordBody::Aside { place: 0, picture });
    };
    for round in 0..24 {
        world.fresh(6);
        world.steps(4);
        if round % 2 == 0 {
            aside(0, &mut world);
            continue;
        }
        // The drop is on its way: the next piece has come already, above the board, and the one after it is shown.
        world.record(RecordBody::KeyDown(Key::new(" ")));
        aside(1, &mut world);
        world.record(RecordBody::KeyUp(Key::new(" ")));
    }
    world.mark(&Mark::End { why: "done".into() });
    let views = evaluate(&world.evidence);
    status(&views, "next_preview_truthful", Status::Pass);
}
