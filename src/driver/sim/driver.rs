//! A simulated game behind [`Driver`].

use super::canvas::{Canvas, cut, lively};
use super::page::{self, Picture};
use super::{Defect, Game, Look, Rules, Stage};
use crate::driver::{
    ASIDE_AFTER_MS, ClockFacts, Driver, DriverError, FRAME_MS, SAMPLES, Shared, View,
};
use crate::evidence::Evidence;
use crate::model::{
    Board, By, ClockMode, ControlMap, Frame, Key, PageSignal, Raster, Record, RecordBody, Rect,
    Stamp, Survey, TextItem,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Longest game time between two readings, as with a page in a browser.
const SLICE_MS: f64 = 50.0;
/// A held key repeats as it does on a desktop: after half a second, thirty times a second.
const REPEAT_AFTER_MS: f64 = 500.0;
/// See [`REPEAT_AFTER_MS`].
const REPEAT_EVERY_MS: f64 = 33.0;
/// Game time between two readings of the page's texts.
const TEXTS_EVERY_MS: f64 = 100.0;
/// Pixels by which a page that scrolls does so at a key.
const SCROLL_BY: f64 = 40.0;

/// What a simulated driver needs.
#[derive(Debug, Clone)]
pub struct SimOptions {
    /// The game.
    pub rules: Rules,
    /// The page.
    pub look: Look,
    /// Seed of the pieces; each opening of the page draws others.
    pub seed: u64,
    /// Game time after which nothing more can be done, in milliseconds: a guard against a bot that never ends.
    pub limit_ms: f64,
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            look: Look::default(),
            seed: 1,
            limit_ms: 3_600_000.0,
        }
    }
}

/// A simulated game on a simulated page.
pub struct SimDriver {
    options: SimOptions,
    shared: Arc<Shared>,
    clock: ClockFacts,
    game: Game,
    openings: u64,
    seq: u64,
    /// Game time of the pages before this one.
    before_ms: f64,
    /// Game time of this page.
    now_ms: f64,
    /// Frames that the page has had.
    frames: u64,
    board: Option<Board>,
    watching: bool,
    controls: ControlMap,
    last_frame: Option<Arc<Frame>>,
    canvas: Canvas,
    down: BTreeMap<Key, f64>,
    view: View,
    texts_at: f64,
    /// Texts that are not on the page yet, and when they will be.
    texts: VecDeque<(f64, Arc<Vec<TextItem>>)>,
    /// Places beside the board that are looked at after each new piece.
    asides: Vec<Rect>,
    /// Game time of this page at which that is due.
    aside_due: Option<f64>,
    scroll: f64,
    /// The game as it was drawn last, where that is not in each frame.
    drawn: Option<Game>,
    effects_within: f64,
}

impl SimDriver {
    /// A driver whose page is not open yet.
    pub fn new(options: SimOptions, shared: Arc<Shared>) -> Self {
        let game = Game::new(options.rules.clone(), options.seed);
        let clock = ClockFacts {
            mode: ClockMode::Virtual,
            why: "a simulated game has no other".into(),
        };
        shared.status().clock = clock.clone();
        Self {
            game,
            options,
            shared,
            clock,
            openings: 0,
            seq: 0,
            before_ms: 0.0,
            now_ms: 0.0,
            frames: 0,
            board: None,
            watching: false,
            controls: ControlMap::default(),
            last_frame: None,
            canvas: Canvas::default(),
            down: BTreeMap::new(),
            view: View::default(),
            texts_at: f64::NEG_INFINITY,
            texts: VecDeque::new(),
            asides: Vec::new(),
            aside_due: None,
            scroll: 0.0,
            drawn: None,
            effects_within: 0.0,
        }
    }

    /// The game as it is.
    pub fn game(&self) -> &Game {
        &self.game
    }

    fn draw(&mut self) {
        let before = self.drawn.as_ref();
        let rules = &self.options.rules;
        let as_drawn = |drawn: &Game| {
            rules.drawn_with_falls && drawn.has_not_fallen(&self.game)
                || rules.has(Defect::FallUndrawn) && self.game.only_fell(drawn)
        };
        let late = rules.drawn_with_falls || rules.has(Defect::FallUndrawn);
        if late && !before.is_some_and(as_drawn) {
            self.drawn = Some(self.game.clone());
        }
    }

    /// Game milliseconds so far, over all openings.
    pub fn game_ms(&self) -> f64 {
        self.before_ms + self.now_ms
    }

    fn push(&mut self, body: RecordBody) -> Stamp {
        let us = (self.game_ms() * 1000.0) as u64;
        let stamp = Stamp {
            seq: self.seq,
            game_us: us,
            // There is no wall: a simulated run is the same each time.
            wall_us: us,
        };
        self.seq += 1;
        let record = Record { stamp, body };
        let derived = self.shared.push(record);
        if self.view.take(stamp, derived) && !self.asides.is_empty() {
            self.aside_due = Some(self.now_ms + ASIDE_AFTER_MS);
        }
        stamp
    }

    fn read(&mut self) {
        if !self.watching {
            return;
        }
        let picture = Picture::of(shown(self.drawn.as_ref(), &self.game));
        if self.last_frame.is_some() && self.canvas.framed.as_ref() == Some(&picture) {
            self.push(RecordBody::Still);
            return;
        }
        let Some(board) = &self.board else {
            return;
        };
        let rect = board.rect();
        let game = shown(self.drawn.as_ref(), &self.game);
        let Some(raster) = self
            .canvas
            .sampled(&self.options.look, game, picture, board)
        else {
            self.push(RecordBody::ReadFailed("the board has no size".into()));
            return;
        };
        let same = self.last_frame.as_ref().is_some_and(|f| f.raster == raster);
        if same {
            self.push(RecordBody::Still);
        } else {
            let frame = Arc::new(Frame {
                raster,
                samples: SAMPLES,
                rect,
            });
            self.last_frame = Some(frame.clone());
            self.push(RecordBody::Frame(frame));
        }
        self.shared.status().reads += 1;
    }

    fn slice(&mut self, ms: f64) {
        for (key, at) in self.down.clone() {
            if self.now_ms >= at {
                self.game.key_down(&key, true);
                self.down.insert(key, self.now_ms + REPEAT_EVERY_MS);
            }
        }
        self.now_ms += ms;
        while (self.frames + 1) as f64 * FRAME_MS <= self.now_ms + 1e-6 {
            self.frames += 1;
            self.game.frame(FRAME_MS);
        }
        self.draw();
        for text in self.game.take_errors() {
            self.push(RecordBody::Signal(PageSignal::UncaughtError {
                text: text.into(),
            }));
        }
        if self.now_ms - self.texts_at >= TEXTS_EVERY_MS {
            self.texts_at = self.now_ms;
            let late_ms = self.options.look.late_ms;
            let texts = Arc::new(self.options.look.texts(&self.game));
            self.texts.push_back((self.now_ms + late_ms, texts));
            while let Some((_, texts)) = self.texts.pop_front_if(|t| t.0 <= self.now_ms) {
                self.push(RecordBody::Texts(texts));
            }
        }
        self.read();
        self.look_aside();
    }

    fn look_aside(&mut self) {
        if self.aside_due.is_none_or(|due| self.now_ms < due) {
            return;
        }
        self.aside_due = None;
        let game = shown(self.drawn.as_ref(), &self.game);
        let page = self.canvas.page(&self.options.look, game);
        for (place, rect) in self.asides.clone().into_iter().enumerate() {
            let picture = Arc::new(Frame {
                raster: cut(&page, rect),
                samples: 1,
                rect,
            });
            let place = place as u8;
            self.push(RecordBody::Aside { place, picture });
        }
    }

    fn send_up(&mut self, key: &Key) {
        if self.down.remove(key).is_some() {
            self.push(RecordBody::KeyUp(key.clone()));
            self.game.key_up(key);
        }
    }
}

/// The game as it is drawn.
fn shown<'a>(drawn: Option<&'a Game>, game: &'a Game) -> &'a Game {
    drawn.unwrap_or(game)
}

impl Driver for SimDriver {
    async fn open(&mut self) -> Result<(), DriverError> {
        self.before_ms += self.now_ms;
        self.now_ms = 0.0;
        self.frames = 0;
        self.openings += 1;
        self.watching = false;
        self.down.clear();
        self.texts_at = f64::NEG_INFINITY;
        self.texts.clear();
        self.aside_due = None;
        self.scroll = 0.0;
        self.canvas = Canvas::default();
        let seed = self.options.seed.wrapping_mul(1_000_003) ^ self.openings;
        self.game = Game::new(self.options.rules.clone(), seed);
        if self.options.rules.has(Defect::Picture) {
            self.game.start();
        }
        self.drawn = None;
        let url = "sim:game".to_string();
        self.push(RecordBody::Opened(url.clone()));
        self.push(RecordBody::Signal(PageSignal::Loaded { url }));
        Ok(())
    }

    async fn survey(&mut self) -> Result<Survey, DriverError> {
        let mut survey = self.options.look.survey(&self.game);
        survey.scroll = (0.0, self.scroll);
        Ok(survey)
    }

    async fn look(&mut self, region: Rect) -> Result<Raster, DriverError> {
        let game = shown(self.drawn.as_ref(), &self.game);
        let mut page = self.canvas.page(&self.options.look, game);
        let rules = game.rules();
        if rules.lively_page {
            let board = self.options.look.board(rules.columns, rules.rows);
            page = lively(&page, board, self.before_ms + self.now_ms);
        }
        let whole = region.x <= 0.0
            && region.y <= 0.0
            && region.width.round() as u32 == page.width()
            && region.height.round() as u32 == page.height();
        if whole {
            return Ok(page);
        }
        Ok(cut(&page, region))
    }

    async fn frame(&mut self) -> Result<Option<Arc<Frame>>, DriverError> {
        Ok(self.last_frame.clone().filter(|_| self.watching))
    }

    async fn click(&mut self, x: f64, y: f64) -> Result<(), DriverError> {
        self.push(RecordBody::Click(x, y));
        let rules = self.game.rules();
        let button = self.options.look.button(rules.rows).contains(x, y);
        let board = self
            .options
            .look
            .board(rules.columns, rules.rows)
            .contains(x, y);
        let pause = self.options.look.pause_button(rules.rows).contains(x, y);
        for resume in [true, false] {
            let rect = self.options.look.resume_button(rules.rows, resume);
            if rect.contains(x, y) && self.game.has_resume_button() {
                self.game.click_on(resume);
                return Ok(());
            }
        }
        if pause && page::has_pause_button(&self.game) {
            self.game.click_pause();
        } else if button && page::has_button(&self.game) {
            self.game.click(true);
        } else if board {
            self.game.click(false);
        }
        Ok(())
    }

    async fn key_down(&mut self, key: &Key) -> Result<(), DriverError> {
        self.push(RecordBody::KeyDown(key.clone()));
        self.down.insert(key.clone(), self.now_ms + REPEAT_AFTER_MS);
        self.game.key_down(key, false);
        let scrolls = matches!(key.as_str(), "ArrowDown" | "ArrowUp" | " ");
        if scrolls && self.game.rules().has(Defect::PageScroll) && self.game.stage() != Stage::Menu
        {
            self.scroll = if key.as_str() == "ArrowUp" {
                (self.scroll - SCROLL_BY).max(0.0)
            } else {
                (self.scroll + SCROLL_BY).min(600.0)
            };
            self.push(RecordBody::Scrolled(0.0, self.scroll));
        }
        Ok(())
    }

    async fn key_up(&mut self, key: &Key) -> Result<(), DriverError> {
        self.send_up(key);
        Ok(())
    }

    async fn advance(&mut self, ms: f64) -> Result<View, DriverError> {
        if self.game_ms() > self.options.limit_ms {
            return Err(DriverError::Answer(format!(
                "{:.0} s of game time are used up",
                self.options.limit_ms / 1000.0
            )));
        }
        let mut left = ms;
        while left > 0.01 {
            let slice = SLICE_MS.min(left);
            self.slice(slice);
            left -= slice;
        }
        let mut view = self.view.clone();
        view.passed_ms = ms;
        self.view.events.clear();
        Ok(view)
    }

    async fn watch(
        &mut self,
        board: Board,
        background: Option<Arc<Frame>>,
        by: By,
    ) -> Result<(), DriverError> {
        self.watching = true;
        self.board = Some(board.clone());
        self.last_frame = None;
        self.canvas.frame_anew();
        self.shared.status().board = Some(board.clone());
        self.push(RecordBody::Board {
            board,
            background,
            by,
        });
        Ok(())
    }

    async fn watch_again(&mut self) -> Result<(), DriverError> {
        if self.board.is_some() {
            self.last_frame = None;
            self.canvas.frame_anew();
            self.watching = true;
        }
        Ok(())
    }

    async fn let_go(&mut self) {
        let down: Vec<Key> = self.down.keys().cloned().collect();
        for key in down {
            self.send_up(&key);
        }
    }

    fn keep_in_view(&mut self, places: Vec<Rect>) {
        self.asides = places;
        self.asides.truncate(16);
        self.aside_due = None;
    }

    fn look_aside_now(&mut self) {
        self.aside_due = (!self.asides.is_empty()).then_some(self.now_ms);
    }

    fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    fn set_controls(&mut self, controls: ControlMap, by: By) {
        self.controls = controls.clone();
        self.shared.status().controls = controls.clone();
        self.push(RecordBody::Controls(controls, by));
    }

    fn show_controls(&mut self, so_far: ControlMap) {
        self.shared.status().controls = so_far.clone();
        self.push(RecordBody::ControlsSoFar(so_far));
    }

    fn controls(&self) -> &ControlMap {
        &self.controls
    }

    fn record(&mut self, body: RecordBody) -> Stamp {
        self.push(body)
    }

    fn say(&mut self, doing: &str) {
        let mut status = self.shared.status();
        if status.doing != doing {
            status.doing = doing.to_string();
        }
    }

    fn evidence<R>(&self, read: impl FnOnce(&Evidence) -> R) -> R {
        read(&self.shared.evidence())
    }

    fn expect_effects_within(&mut self, ms: f64) {
        self.effects_within = ms;
    }

    fn effects_within(&self) -> f64 {
        self.effects_within
    }

    fn clock(&self) -> ClockFacts {
        self.clock.clone()
    }

    async fn check_clock(&mut self) -> Result<bool, DriverError> {
        Ok(true)
    }
}
