//! A page in a browser as a [`Driver`].
//!
//! Comes in: a browser, an address, a [`Gate`]. Goes out: Records, pushed through the evidence in the order in which
//! they came. Must never know: what the bot wants with it.

mod aside;
mod desk;
mod eyes;
mod hand;
mod intake;
mod plain;
mod time;

use super::{ClockFacts, Driver, DriverError, FRAME_MS, Gate, SAMPLES, Shared, View, measure};
use crate::browser::probe::{Probe, ProbeOptions};
use crate::browser::{Browser, BrowserError, LoadState, Page, PageOptions};
use crate::evidence::{Evidence, Mark};
use crate::model::{
    Action, Board, By, ClockMode, ControlMap, ControlMapping, Eyes, Frame, Hints, Key, Raster,
    RecordBody, Rect, Stamp, Survey, WebGlOffer,
};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use time::Until;

/// Game time between two readings at full speed.
const SLICE_MS: f64 = 50.0;
/// The same where each of them costs much of the wall's time (software WebGL).
const SLICE_MOST_MS: f64 = 200.0;
/// Deadline of a call that lets time pass: a page may work long in one step, a hung one must be noticed.
const STEP_DEADLINE: Duration = Duration::from_secs(20);
/// Deadline of opening the page; one that never finishes loading is judged as far as it came.
const OPEN_DEADLINE: Duration = Duration::from_secs(20);
/// Wall time for which the clock waits for requests under way, per opening.
const NETWORK_PATIENCE: Duration = Duration::from_secs(5);
/// Wall time without a reading of a known board after which the run ends with what is known.
const INACTIVE: Duration = Duration::from_mins(2);
/// A held key repeats as it does on a desktop: after half a second, thirty times a second.
const REPEAT_AFTER_MS: f64 = 500.0;
/// See [`REPEAT_AFTER_MS`].
const REPEAT_EVERY_MS: f64 = 33.0;
/// Game time between two readings of the page's texts.
const TEXTS_EVERY_MS: f64 = 100.0;

/// What a live driver needs.
#[derive(Debug, Clone)]
pub struct LiveOptions {
    /// The page's address.
    pub url: String,
    /// The page's settings (viewport, net guard); the probe's script is added.
    pub page: PageOptions,
    /// The clock to begin with.
    pub clock: ClockMode,
    /// May the driver change to the machine's clock where ours is not honoured?
    pub may_change: bool,
    /// Seed of Math.random.
    pub seed: Option<u64>,
    /// May the page have WebGL?
    pub webgl: WebGl,
}

/// May a page have WebGL?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WebGl {
    /// Where it does not draw without; not told yet.
    #[default]
    Auto,
    /// Yes.
    Granted,
    /// No, since it draws without; yes once that is not as it was made.
    Spared,
    /// No, whatever comes of it.
    Refused,
}

impl WebGl {
    /// Is the page that is opened next refused it?
    fn is_refused(self) -> bool {
        matches!(self, Self::Spared | Self::Refused)
    }
}

/// Starts another browser like the first.
pub type Launch = Box<
    dyn Fn() -> Pin<Box<dyn Future<Output = Result<Browser, BrowserError>> + Send>> + Send + Sync,
>;

/// A key that is down on the page.
#[derive(Debug, Clone, Copy)]
struct Down {
    /// Game time at which it repeats next.
    repeats_ms: f64,
    by: By,
}

/// What becomes of the focus that a click gives a button.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buttons {
    /// The last click gave it to none.
    None,
    /// The button has lost it again.
    Left,
    /// The button keeps it.
    Keep,
}

/// A page in a browser.
#[allow(clippy::struct_excessive_bools)]
pub struct LiveDriver {
    browser: Arc<Browser>,
    /// For the case that the browser dies; used once, since one that dies again is not to be helped.
    launch: Option<Launch>,
    page: Page,
    probe: Probe,
    options: LiveOptions,
    gate: Arc<Gate>,
    shared: Arc<Shared>,
    clock: ClockFacts,
    eyes: Eyes,
    /// The eyes that were found to be needed, whatever a person says.
    eyes_found: Eyes,
    hints: Hints,
    begun: Instant,
    seq: u64,
    /// Game time of the pages before this one.
    before_us: u64,
    /// Game time of this page.
    now_ms: f64,
    board: Option<Board>,
    background: Option<Arc<Frame>>,
    watching: bool,
    controls: ControlMap,
    last_frame: Option<Arc<Frame>>,
    /// Was the last picture skipped for want of room in the recording?
    skipped: bool,
    down: BTreeMap<Key, Down>,
    /// Key events sent since time last passed.
    keys: u32,
    /// Is the pace that of life, whatever was asked for?
    lifelike: bool,
    /// How long the first opening took, if it came to its end.
    loaded: Option<Duration>,
    /// What the bot has begun and must be finished before it may be held.
    together: bool,
    effects_within: f64,
    /// The page that is open is another than was opened: it loaded itself anew.
    loaded_itself: bool,
    /// A page has loaded since the last one was opened.
    loaded_since: bool,
    /// How often a page was opened.
    openings: u32,
    /// The operator let one action through although the game's clock is stopped.
    acting: bool,
    /// The board as the operator ruled.
    desk: desk::Desk,
    /// Keys as the operator ruled; they stand above what is discovered.
    ruled: BTreeMap<Action, ControlMapping>,
    /// Were keys looked for already?
    discovered: bool,
    buttons: Buttons,
    view: View,
    due: Option<Instant>,
    network_left: Duration,
    /// When the board was last read, or began to be watched.
    last_read: Option<Instant>,
    patience: Duration,
    /// Places beside the board that are looked at after each new piece.
    asides: Vec<Rect>,
    /// Game time of this page at which that is due.
    aside_due: Option<f64>,
    /// Wall time a step takes, smoothed.
    cost_ms: f64,
    scroll: (f64, f64),
    open: bool,
}

impl LiveDriver {
    /// A driver with its own page in the browser, still at about:blank.
    pub async fn new(
        browser: Arc<Browser>,
        options: LiveOptions,
        gate: Arc<Gate>,
        shared: Arc<Shared>,
    ) -> Result<Self, DriverError> {
        let (page, probe) = page(&browser, &options).await?;
        let clock = ClockFacts {
            mode: options.clock,
            why: match options.clock {
                ClockMode::Virtual => "injected before the page's first script".into(),
                ClockMode::Real => "asked for".into(),
            },
        };
        let driver = Self {
            browser,
            launch: None,
            page,
            probe,
            options,
            gate,
            shared,
            clock,
            eyes: Eyes::Inside,
            eyes_found: Eyes::Inside,
            hints: Hints::default(),
            begun: Instant::now(),
            seq: 0,
            before_us: 0,
            now_ms: 0.0,
            board: None,
            background: None,
            watching: false,
            controls: ControlMap::default(),
            last_frame: None,
            skipped: false,
            down: BTreeMap::new(),
            keys: 0,
            lifelike: false,
            loaded: None,
            together: false,
            effects_within: 0.0,
            loaded_itself: false,
            loaded_since: false,
            openings: 0,
            acting: false,
            desk: desk::Desk::default(),
            ruled: BTreeMap::new(),
            discovered: false,
            buttons: Buttons::None,
            view: View::default(),
            due: None,
            network_left: NETWORK_PATIENCE,
            last_read: None,
            patience: INACTIVE,
            asides: Vec::new(),
            aside_due: None,
            cost_ms: 0.0,
            scroll: (0.0, 0.0),
            open: false,
        };
        driver.shared.status().clock = driver.clock.clone();
        Ok(driver)
    }

    /// Ends with [`DriverError::Inactive`] after this wall time without a reading of a known board; two minutes if
    /// nothing is said.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// With this, a browser that dies is replaced, once.
    #[must_use]
    pub fn with_launch(mut self, launch: Launch) -> Self {
        self.launch = Some(launch);
        self
    }
}

impl LiveDriver {
    /// Lets game time pass as the operator lets it.
    async fn live(&mut self, ms: f64, until: Until) -> Result<View, DriverError> {
        self.pass(false).await?;
        let mut left = ms;
        let before = self.reading();
        while left > 0.01 {
            self.operator().await?;
            if self.gate.state().hold && !self.begun() {
                // Waiting is all it does: it stands as still here as between two deeds.
                self.acting |= self.gate.may_act(false);
                self.gate.acknowledge(!self.acting);
            }
            if self.stopped() {
                left -= self.wait_frozen().await?;
                continue;
            }
            let pace = self.pace();
            left -= self.slice(left, pace, until).await?;
            let changed = || !self.view.events.is_empty() || self.reading() != before;
            if until != Until::Over && changed() {
                break;
            }
        }
        let mut view = self.view.clone();
        view.passed_ms = ms - left;
        self.view.events.clear();
        Ok(view)
    }

    /// Number of the record that first showed the board as it is.
    fn reading(&self) -> Option<u64> {
        self.evidence(Evidence::reading)
    }
}

async fn page(browser: &Browser, options: &LiveOptions) -> Result<(Page, Probe), DriverError> {
    let probe = Probe::new(&ProbeOptions {
        mode: options.clock,
        seed: options.seed,
        refuse_gl: options.webgl.is_refused(),
        ..ProbeOptions::default().in_browser(&browser.info().product)
    });
    let mut settings = options.page.clone();
    settings.init_scripts.push(probe.script().to_string());
    let page = browser.new_page(&settings).await?;
    page.paint_small(settings.unwatched).await?;
    Ok((page, probe))
}

impl Driver for LiveDriver {
    async fn open(&mut self) -> Result<(), DriverError> {
        self.pass(true).await?;
        self.say("opening the page");
        self.before_us += (self.now_ms * 1000.0) as u64;
        self.now_ms = 0.0;
        self.watching = false;
        self.loaded_itself = false;
        self.view.grid = None;
        self.view.active = None;
        self.last_read = None;
        self.down.clear();
        self.keys = 0;
        self.network_left = NETWORK_PATIENCE;
        self.aside_due = None;
        self.scroll = (0.0, 0.0);
        if self.buttons == Buttons::Left {
            self.buttons = Buttons::None;
        }
        let url = self.options.url.clone();
        if self.open {
            // A game that saves itself would come back half played, or paused.
            self.probe.forget(&self.page, &url).await?;
        }
        self.probe.deal(&self.page, self.openings);
        self.openings += 1;
        let opened = self.page.goto(&url, OPEN_DEADLINE).await;
        self.push(RecordBody::Opened(url));
        self.signals();
        self.loaded_since = false;
        let arrival = opened?;
        if arrival.state == LoadState::Complete && !self.open {
            self.loaded = Some(arrival.elapsed);
        }
        if arrival.state == LoadState::Hung {
            self.page.unhang(3).await?;
        }
        if arrival.state != LoadState::Complete {
            let why = match arrival.state {
                LoadState::Hung => "a script of it did not come to its end, and was broken off",
                _ => "something that it asked for did not come",
            };
            self.push(RecordBody::Note(format!(
                "the page did not finish loading within {:.0} s: {why}",
                arrival.elapsed.as_secs_f64(),
            )));
        }
        self.open = true;
        Ok(())
    }

    async fn fingerprint(&mut self) -> Option<String> {
        let found = self.page.fingerprint().await;
        found.unwrap_or_else(|error| {
            tracing::debug!(%error, "the page has no fingerprint");
            None
        })
    }

    async fn survey(&mut self) -> Result<Survey, DriverError> {
        let mut survey = self.probe.survey(&self.page).await?;
        self.signals();
        if self.options.webgl.is_refused() {
            survey.webgl = WebGlOffer::Refused;
        }
        Ok(survey)
    }

    async fn look(&mut self, region: Rect) -> Result<Raster, DriverError> {
        self.picture(region).await
    }

    async fn frame(&mut self) -> Result<Option<Arc<Frame>>, DriverError> {
        Ok(self.last_frame.clone().filter(|_| self.watching))
    }

    async fn click(&mut self, x: f64, y: f64) -> Result<(), DriverError> {
        self.pass(true).await?;
        let (vx, vy) = self
            .probe
            .scroll_into_view(&self.page, Rect::new(x - 1.0, y - 1.0, 2.0, 2.0))
            .await?;
        self.push(RecordBody::Click(x, y));
        self.page.click(vx, vy).await?;
        self.signals();
        Ok(())
    }

    async fn key_down(&mut self, key: &Key) -> Result<(), DriverError> {
        self.pass(true).await?;
        self.send_down(key, By::Discovery).await
    }

    async fn key_up(&mut self, key: &Key) -> Result<(), DriverError> {
        self.send_up(key).await
    }

    async fn advance(&mut self, ms: f64) -> Result<View, DriverError> {
        self.live(ms, Until::Over).await
    }

    async fn advance_to_change(&mut self, ms: f64, every_ms: f64) -> Result<View, DriverError> {
        self.live(ms.max(FRAME_MS), Until::Change { every_ms })
            .await
    }

    async fn watch(
        &mut self,
        board: Board,
        background: Option<Arc<Frame>>,
        by: By,
    ) -> Result<(), DriverError> {
        // What an operator ruled stands above what is found.
        let instead = self.desk.instead().filter(|_| by == By::Discovery);
        let (board, background, by) = match instead {
            Some((board, background)) => (board, background, By::Operator),
            None => (board, background, by),
        };
        self.probe.watch(&self.page, &board, SAMPLES).await?;
        self.watching = true;
        self.last_read = Some(Instant::now());
        self.board = Some(board.clone());
        self.background.clone_from(&background);
        self.last_frame = None;
        {
            let mut status = self.shared.status();
            status.board = Some(board.clone());
            if by == By::Operator {
                let r = board.rect();
                status.rulings.push(format!(
                    "the board is {}\u{d7}{} at {:.1},{:.1}, {:.1}\u{d7}{:.1} px: {}",
                    board.columns, board.rows, r.x, r.y, r.width, r.height, board.why
                ));
            }
        }
        self.push(RecordBody::Board {
            board,
            background,
            by,
        });
        Ok(())
    }

    async fn read_by(&mut self, hints: Hints) -> Result<(), DriverError> {
        self.take_hints(hints).await
    }

    async fn watch_again(&mut self) -> Result<(), DriverError> {
        if let Some(board) = self.board.clone() {
            self.probe.watch(&self.page, &board, SAMPLES).await?;
            self.last_frame = None;
            self.watching = true;
            self.last_read = Some(Instant::now());
        }
        Ok(())
    }

    fn expect_effects_within(&mut self, ms: f64) {
        self.effects_within = ms;
    }

    fn effects_within(&self) -> f64 {
        self.effects_within
    }

    fn together(&mut self, on: bool) {
        self.together = on;
    }

    async fn let_go(&mut self) {
        self.together = false;
        self.lifelike = false;
        let down: Vec<Key> = self.down.keys().cloned().collect();
        for key in down {
            if let Err(error) = self.send_up(&key).await {
                tracing::warn!(%error, "a key could not be let go");
            }
        }
    }

    fn keep_in_view(&mut self, places: Vec<Rect>) {
        self.asides = places;
        // What a person points at is looked at whatever the bot finds.
        if let Some(next) = self.hints.next.filter(|n| !self.asides.contains(n)) {
            self.asides.insert(0, next);
        }
        self.asides.truncate(16);
        self.aside_due = None;
    }

    fn look_aside_now(&mut self) {
        self.aside_due = (!self.asides.is_empty()).then_some(self.now_ms);
    }

    fn lifelike(&mut self, on: bool) {
        if self.lifelike != on {
            self.lifelike = on;
            self.due = None;
            let mark = if on {
                Mark::Lifelike
            } else {
                Mark::LifelikeEnd
            };
            self.push(RecordBody::Mark(mark.to_text()));
        }
    }

    fn measures(&self) -> bool {
        true
    }

    async fn measure_page(&mut self) -> Result<(), DriverError> {
        self.pass(false).await?;
        let found = measure::page(&self.page, &self.probe, self.loaded).await;
        self.measured(found)
    }

    async fn keep_focus(&mut self) -> Result<(), DriverError> {
        Ok(self.probe.keep_focus(&self.page).await?)
    }

    async fn give_focus_back(&mut self) -> Result<(), DriverError> {
        Ok(self.probe.give_focus_back(&self.page).await?)
    }

    async fn leave_button(&mut self) -> Result<(), DriverError> {
        if self.buttons != Buttons::Keep {
            let left = self.probe.leave_button(&self.page).await?;
            self.buttons = if left { Buttons::Left } else { Buttons::None };
        }
        Ok(())
    }

    async fn return_to_button(&mut self) -> Result<bool, DriverError> {
        let left = self.buttons == Buttons::Left;
        if left {
            self.buttons = Buttons::Keep;
            self.give_focus_back().await?;
        }
        Ok(left)
    }

    async fn measure_play(&mut self) -> Result<(), DriverError> {
        self.pass(false).await?;
        if self.stopped() {
            // Nothing is to move now; what an operator wants comes before any figure.
            return Ok(());
        }
        let found = measure::play(&self.page, &self.probe).await;
        self.measured(found)
    }

    fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    fn set_controls(&mut self, controls: ControlMap, by: By) {
        self.discovered = true;
        self.controls = controls;
        self.rule();
        self.push(RecordBody::Controls(self.controls.clone(), by));
    }

    fn show_controls(&mut self, mut so_far: ControlMap) {
        for (action, mapping) in &self.ruled {
            so_far.set(*action, mapping.clone());
        }
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

    fn clock(&self) -> ClockFacts {
        self.clock.clone()
    }

    /// Time passes without a record, too: while nothing is watched yet on a page that loaded itself anew.
    fn now_ms(&self) -> f64 {
        self.before_us as f64 / 1000.0 + self.now_ms
    }

    async fn renew(&mut self) -> Result<bool, DriverError> {
        self.signals();
        (self.page, self.probe) = page(&self.browser, &self.options).await?;
        self.down.clear();
        self.open = false;
        self.watching = false;
        Ok(true)
    }

    async fn revive(&mut self) -> Result<bool, DriverError> {
        let Some(launch) = self.launch.take() else {
            return Ok(false);
        };
        self.browser = Arc::new(launch().await?);
        (self.page, self.probe) = page(&self.browser, &self.options).await?;
        self.open().await?;
        Ok(true)
    }

    async fn try_without_webgl(&mut self, survey: &Survey) -> Result<bool, DriverError> {
        Self::try_without_webgl(self, survey).await
    }

    async fn with_webgl_again(&mut self, why: &str) -> Result<bool, DriverError> {
        Self::with_webgl_again(self, why).await
    }

    async fn check_clock(&mut self) -> Result<bool, DriverError> {
        Self::check_clock(self).await
    }

    async fn check_eyes(&mut self) -> Result<bool, DriverError> {
        Self::check_eyes(self).await
    }

    async fn moves_unseen(&mut self) -> Result<bool, DriverError> {
        Self::moves_unseen(self).await
    }

    async fn reach_further(&mut self, closed: bool) -> Result<bool, DriverError> {
        Self::reach_further(self, closed).await
    }
}
