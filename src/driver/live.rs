//! A page in a browser as a [`Driver`].
//!
//! Comes in: a browser, an address, a [`Gate`]. Goes out: Records, pushed through the evidence in the order in which
//! they came. Must never know: what the bot wants with it.

mod desk;

use super::{
    ASIDE_AFTER_MS, ClockFacts, Driver, DriverError, FRAME_MS, Gate, Ruling, SAMPLES, Shared, View,
    measure,
};
use crate::browser::probe::{AdvanceOptions, Probe, ProbeOptions, Seen};
use crate::browser::{Browser, BrowserError, LoadState, Page, PageOptions};
use crate::evidence::{Evidence, Mark};
use crate::model::{
    Action, Board, By, ClockMode, Confidence, ControlMap, ControlMapping, Frame, GridEvent, Key,
    Measure, PageSignal, Raster, Record, RecordBody, Rect, Stamp, Survey,
};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest game time between two readings at full speed.
const SLICE_MS: f64 = 50.0;
/// Wall time of a step from which on steps are made longer.
const COSTLY_MS: f64 = 30.0;
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
    /// Is the pace that of life, whatever was asked for?
    lifelike: bool,
    /// How long the first opening took, if it came to its end.
    loaded: Option<Duration>,
    /// What the bot has begun and must be finished before it may be held.
    together: bool,
    /// The operator let one action through although the game's clock is stopped.
    acting: bool,
    /// The board as the operator ruled.
    desk: desk::Desk,
    /// Keys as the operator ruled; they stand above what is discovered.
    ruled: BTreeMap<Action, ControlMapping>,
    /// Were keys looked for already?
    discovered: bool,
    view: View,
    due: Option<Instant>,
    network_left: Duration,
    /// When the board was last read, or began to be watched.
    last_read: Option<Instant>,
    patience: Duration,
    texts_at: f64,
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
            lifelike: false,
            loaded: None,
            together: false,
            acting: false,
            desk: desk::Desk::default(),
            ruled: BTreeMap::new(),
            discovered: false,
            view: View::default(),
            due: None,
            network_left: NETWORK_PATIENCE,
            last_read: None,
            patience: INACTIVE,
            texts_at: f64::NEG_INFINITY,
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

    fn push(&mut self, body: RecordBody) -> Stamp {
        let stamp = Stamp {
            seq: self.seq,
            game_us: self.before_us + (self.now_ms * 1000.0).max(0.0) as u64,
            wall_us: self.begun.elapsed().as_micros() as u64,
        };
        self.seq += 1;
        let record = Record { stamp, body };
        let derived = self.shared.push(record);
        self.view.stamp = stamp;
        if derived.grid.is_some() {
            self.view.grid = derived.grid;
            self.view.active = derived.active;
        }
        let spawned = |e: &GridEvent| matches!(e, GridEvent::PieceSpawned { .. });
        if !self.asides.is_empty() && derived.events.iter().any(spawned) {
            self.aside_due = Some(self.now_ms + ASIDE_AFTER_MS);
        }
        self.view.events.extend(derived.events);
        stamp
    }

    /// Takes in what was measured. What could not be is told; only a page that is dead is an error.
    fn measured(
        &mut self,
        (found, trouble): (Vec<Measure>, Option<BrowserError>),
    ) -> Result<(), DriverError> {
        self.signals();
        for measure in found {
            self.push(RecordBody::Measured(measure.rounded()));
        }
        match trouble {
            Some(error @ (BrowserError::Crashed | BrowserError::BrowserGone)) => Err(error.into()),
            Some(error) => {
                self.push(RecordBody::Note(format!(
                    "not all could be measured: {error}"
                )));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Takes in what the page signalled meanwhile.
    fn signals(&mut self) {
        for signal in self.page.signals() {
            if matches!(
                signal,
                PageSignal::Unresponsive { .. } | PageSignal::Crashed
            ) {
                self.shared.status().responsive = false;
            }
            self.push(RecordBody::Signal(signal));
        }
    }

    /// Takes in one answer of the page.
    fn take(&mut self, seen: Seen) {
        self.shared.status().responsive = true;
        if self.clock.mode == ClockMode::Virtual || seen.now_ms > self.now_ms {
            self.now_ms = seen.now_ms;
        }
        if self.scroll != seen.scroll {
            self.scroll = seen.scroll;
            self.push(RecordBody::Scrolled(seen.scroll.0, seen.scroll.1));
        }
        if let Some(texts) = seen.texts {
            self.push(RecordBody::Texts(Arc::new(texts)));
        }
        if !self.watching {
            return;
        }
        if let Some(why) = seen.lost {
            self.push(RecordBody::ReadFailed(why));
            return;
        }
        let Some(frame) = seen.frame else {
            return;
        };
        if seen.same && self.last_frame.is_some() && !self.skipped {
            self.push(RecordBody::Still);
        } else if self.shared.has_room() {
            self.skipped = false;
            let frame = Arc::new(frame);
            self.last_frame = Some(frame.clone());
            self.push(RecordBody::Frame(frame));
        } else {
            // The next reading that looks the same is not the last record's picture.
            self.skipped = true;
            self.last_read = Some(Instant::now());
            self.shared.status().dropped += 1;
            return;
        }
        self.last_read = Some(Instant::now());
        let mut status = self.shared.status();
        status.reads += 1;
        if let Some(reader) = seen.reader {
            status.reader = format!("{reader:?}").to_lowercase();
        }
    }

    /// Obeys the operator before the bot does something: waits while held, passes the operator's keys on. A `deed` is
    /// what a step by one action counts: a press, a click, a page opened, and not the waiting before it.
    async fn pass(&mut self, deed: bool) -> Result<(), DriverError> {
        loop {
            self.operator().await?;
            let state = self.gate.state();
            if !state.hold || self.begun() {
                self.acting &= state.hold;
                self.gate.acknowledge(false);
                return Ok(());
            }
            self.acting = self.gate.may_act(deed);
            if self.acting {
                self.gate.acknowledge(false);
                return Ok(());
            }
            self.gate.acknowledge(true);
            if self.stopped() {
                self.wait_frozen().await?;
            } else {
                let pace = self.pace();
                self.slice(self.slice_ms(pace), pace).await?;
            }
        }
    }

    /// Is the bot amid something? A hold waits until it is finished and its keys are up: a press that is cut in two,
    /// with time passing in between, would be judged for what it never was.
    fn begun(&self) -> bool {
        self.together || self.down.values().any(|d| d.by == By::Discovery)
    }

    /// Game seconds a wall second.
    fn pace(&self) -> f64 {
        let state = self.gate.state();
        if self.lifelike {
            return state.speed.min(1.0);
        }
        if state.held {
            // The game goes on while the bot waits; nobody can follow or play it faster than life.
            state.speed.min(1.0)
        } else if self.watching {
            state.speed
        } else {
            // Without a board there is nothing to follow.
            f64::INFINITY
        }
    }

    /// Does the game's clock stand still?
    fn stopped(&self) -> bool {
        self.clock.mode == ClockMode::Virtual && !self.acting && self.gate.state().frozen
    }

    /// The clock is stopped: waits for the operator, or lets one frame through. Returns the game time that passed.
    async fn wait_frozen(&mut self) -> Result<f64, DriverError> {
        if self.gate.take_frame() {
            self.slice(FRAME_MS, f64::INFINITY).await?;
            return Ok(FRAME_MS);
        }
        self.due = None;
        // A frozen page can still die or be typed at; the gate's change ends the wait at once.
        let _ = tokio::time::timeout(Duration::from_millis(100), self.gate.changed()).await;
        self.last_read = self.last_read.map(|_| Instant::now());
        self.signals();
        Ok(0.0)
    }

    /// The operator's keys and rulings.
    async fn operator(&mut self) -> Result<(), DriverError> {
        for (action, ruling) in self.gate.take_rulings() {
            let said = match &ruling {
                Ruling::Key(key) => format!("{} is {key}", action.name()),
                Ruling::NoKey => format!("{} is no key", action.name()),
                Ruling::Open => {
                    self.ruled.remove(&action);
                    continue;
                }
            };
            let key = match ruling {
                Ruling::Key(key) => Some(key),
                Ruling::NoKey | Ruling::Open => None,
            };
            let mapping = ControlMapping {
                confidence: if key.is_some() {
                    Confidence::Confirmed
                } else {
                    Confidence::NotFound
                },
                tap_ms: self
                    .controls
                    .get(action)
                    .map_or(0, |m| m.tap_ms)
                    .max(FRAME_MS.ceil() as u32),
                key,
                observation: "set by the operator".into(),
            };
            self.ruled.insert(action, mapping);
            self.shared.status().rulings.push(said);
            if self.discovered {
                self.set_controls(self.controls.clone(), By::Operator);
            } else {
                // As a record it would read as if all the other keys had been looked for.
                self.rule();
            }
        }
        while let Some((key, down)) = self.gate.take_key() {
            if down {
                self.send_down(&key, By::Operator).await?;
            } else {
                self.send_up(&key).await?;
            }
        }
        self.at_the_desk().await?;
        if !self.gate.state().driving {
            // Keys that the operator left down come up with the wheel.
            self.release(By::Operator).await?;
        }
        Ok(())
    }

    /// Puts what the operator ruled above what was found.
    fn rule(&mut self) {
        for (action, mapping) in &self.ruled {
            self.controls.set(*action, mapping.clone());
        }
        self.shared.status().controls = self.controls.clone();
    }

    async fn release(&mut self, by: By) -> Result<(), DriverError> {
        let left: Vec<Key> = self
            .down
            .iter()
            .filter(|(_, d)| d.by == by)
            .map(|(k, _)| k.clone())
            .collect();
        for key in left {
            self.send_up(&key).await?;
        }
        Ok(())
    }

    async fn send_down(&mut self, key: &Key, by: By) -> Result<(), DriverError> {
        self.push(RecordBody::KeyDown(key.clone()));
        let repeats_ms = self.now_ms + REPEAT_AFTER_MS;
        self.down.insert(key.clone(), Down { repeats_ms, by });
        let sent = self.page.key_down(key, false).await;
        if let Err(BrowserError::Timeout { .. }) = &sent {
            let what = format!("key {key}");
            self.push(RecordBody::Signal(PageSignal::Unresponsive { what }));
        }
        Ok(sent?)
    }

    async fn send_up(&mut self, key: &Key) -> Result<(), DriverError> {
        if self.down.remove(key).is_some() {
            self.push(RecordBody::KeyUp(key.clone()));
            self.page.key_up(key).await?;
        }
        Ok(())
    }

    fn slice_ms(&self, speed: f64) -> f64 {
        if self.clock.mode == ClockMode::Real || self.lifelike {
            return FRAME_MS;
        }
        // Where a step is costly (software WebGL) fewer of them keep the pace, at the price of fewer readings.
        if speed.is_finite() {
            (speed * FRAME_MS.max(self.cost_ms * 1.3))
                .clamp(FRAME_MS, SLICE_MS.max(4.0 * self.cost_ms.min(50.0)))
        } else if self.cost_ms > COSTLY_MS {
            SLICE_MS * 2.0
        } else {
            SLICE_MS
        }
    }

    /// Lets one slice of game time pass at a pace and reads.
    async fn slice(&mut self, ms: f64, speed: f64) -> Result<(), DriverError> {
        self.wait_for_network().await;
        for (key, down) in self.down.clone() {
            if self.now_ms >= down.repeats_ms {
                self.page.key_down(&key, true).await?;
                let repeats_ms = self.now_ms + REPEAT_EVERY_MS;
                self.down.insert(key, Down { repeats_ms, ..down });
            }
        }
        if self.clock.mode == ClockMode::Real {
            tokio::time::sleep(Duration::from_secs_f64(ms / 1000.0)).await;
        } else if speed.is_finite() {
            let now = Instant::now();
            let due = self
                .due
                .unwrap_or(now)
                .max(now.checked_sub(Duration::from_millis(250)).unwrap_or(now));
            let next = due + Duration::from_secs_f64(ms / 1000.0 / speed);
            tokio::time::sleep_until(next.into()).await;
            self.due = Some(next);
        }
        let texts = self.now_ms - self.texts_at >= TEXTS_EVERY_MS;
        if texts {
            self.texts_at = self.now_ms;
        }
        let asked = Instant::now();
        let seen = self
            .probe
            .advance(
                &self.page,
                if self.clock.mode == ClockMode::Real {
                    0.0
                } else {
                    ms
                },
                AdvanceOptions {
                    texts,
                    blind: !self.watching,
                    ..AdvanceOptions::default()
                },
                STEP_DEADLINE,
            )
            .await;
        self.cost_ms += (asked.elapsed().as_secs_f64() * 1000.0 - self.cost_ms) / 8.0;
        self.signals();
        match seen {
            Ok(seen) => self.take(seen),
            Err(error) => {
                if matches!(error, BrowserError::Timeout { .. }) {
                    // Stopping the loop lets the page be looked at and closed; the step is lost all the same.
                    let back = self.page.unhang(3).await.unwrap_or(false);
                    tracing::warn!(back, "the page hung and was interrupted");
                }
                return Err(error.into());
            }
        }
        self.look_aside().await?;
        if self.watching
            && self
                .last_read
                .is_some_and(|at| at.elapsed() > self.patience)
        {
            return Err(DriverError::Inactive(self.patience.as_secs()));
        }
        Ok(())
    }

    /// Looks at the places beside the board, once that is due.
    async fn look_aside(&mut self) -> Result<(), DriverError> {
        if self.aside_due.is_none_or(|due| self.now_ms < due) || !self.shared.has_room() {
            return Ok(());
        }
        self.aside_due = None;
        for (place, rect) in self.asides.clone().into_iter().enumerate() {
            let raster = self.probe.scene(&self.page, rect, 1.0).await?;
            let picture = Arc::new(Frame {
                raster,
                samples: 1,
                rect,
            });
            let place = place as u8;
            self.push(RecordBody::Aside { place, picture });
        }
        Ok(())
    }

    /// Game time must not outrun what the page is loading.
    async fn wait_for_network(&mut self) {
        let begun = Instant::now();
        while self.page.inflight() > 0 && begun.elapsed() < self.network_left {
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
        self.network_left = self.network_left.saturating_sub(begun.elapsed());
    }

    /// Does the page live by our clock? With the clock stopped nothing may change; where something does, the driver
    /// changes to the machine's clock on a new page, if it may. Returns whether the clock is honoured.
    pub async fn check_clock(&mut self) -> Result<bool, DriverError> {
        if self.clock.mode == ClockMode::Real {
            return Ok(true);
        }
        let seen = self.probe.read(&self.page).await?;
        self.take(seen);
        tokio::time::sleep(Duration::from_millis(350)).await;
        let seen = self.probe.read(&self.page).await?;
        let honoured = seen.same;
        self.take(seen);
        if honoured {
            self.clock.why = "nothing moved while it was stopped".into();
            self.shared.status().clock = self.clock.clone();
        } else if self.options.may_change {
            self.use_real_clock("the board changed while the clock was stopped")
                .await?;
        }
        Ok(honoured)
    }

    /// Changes to the machine's clock, on a new page. Nothing is open afterwards.
    pub async fn use_real_clock(&mut self, why: &str) -> Result<(), DriverError> {
        self.options.clock = ClockMode::Real;
        let (page, probe) = page(&self.browser, &self.options).await?;
        self.page = page;
        self.probe = probe;
        self.clock = ClockFacts {
            mode: ClockMode::Real,
            why: why.to_string(),
        };
        self.shared.status().clock = self.clock.clone();
        self.push(RecordBody::Note(format!(
            "the machine's clock from now on: {why}"
        )));
        Ok(())
    }
}

async fn page(browser: &Browser, options: &LiveOptions) -> Result<(Page, Probe), DriverError> {
    let probe = Probe::new(&ProbeOptions {
        mode: options.clock,
        seed: options.seed,
        ..ProbeOptions::default()
    });
    let mut settings = options.page.clone();
    settings.init_scripts.push(probe.script().to_string());
    Ok((browser.new_page(&settings).await?, probe))
}

impl Driver for LiveDriver {
    async fn open(&mut self) -> Result<(), DriverError> {
        self.pass(true).await?;
        self.say("opening the page");
        self.before_us += (self.now_ms * 1000.0) as u64;
        self.now_ms = 0.0;
        self.watching = false;
        self.view.grid = None;
        self.view.active = None;
        self.last_read = None;
        self.down.clear();
        self.network_left = NETWORK_PATIENCE;
        self.texts_at = f64::NEG_INFINITY;
        self.aside_due = None;
        self.scroll = (0.0, 0.0);
        let url = self.options.url.clone();
        if self.open {
            // A game that saves itself would come back half played, or paused.
            self.page.forget(&url).await?;
        }
        let opened = self.page.goto(&url, OPEN_DEADLINE).await;
        self.push(RecordBody::Opened(url));
        self.signals();
        let arrival = opened?;
        if arrival.state == LoadState::Complete && !self.open {
            self.loaded = Some(arrival.elapsed);
        }
        if arrival.state == LoadState::Hung {
            self.page.unhang(3).await?;
        }
        if arrival.state != LoadState::Complete {
            self.push(RecordBody::Note(format!(
                "the page did not finish loading within {:.0} s ({:?})",
                arrival.elapsed.as_secs_f64(),
                arrival.state
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
        let survey = self.probe.survey(&self.page).await?;
        self.signals();
        Ok(survey)
    }

    async fn look(&mut self, region: Rect) -> Result<Raster, DriverError> {
        Ok(self.probe.scene(&self.page, region, 1.0).await?)
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
        self.pass(false).await?;
        let mut left = ms;
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
            let slice = self.slice_ms(pace).min(left);
            self.slice(slice, pace).await?;
            left -= slice;
        }
        let view = self.view.clone();
        self.view.events.clear();
        Ok(view)
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

    async fn watch_again(&mut self) -> Result<(), DriverError> {
        if let Some(board) = self.board.clone() {
            self.probe.watch(&self.page, &board, SAMPLES).await?;
            self.last_frame = None;
            self.watching = true;
            self.last_read = Some(Instant::now());
        }
        Ok(())
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
        self.asides.truncate(16);
        self.aside_due = None;
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

    async fn check_clock(&mut self) -> Result<bool, DriverError> {
        Self::check_clock(self).await
    }
}
