//! One page: call scripts, take pictures, hear its signals.
//!
//! Comes in: expressions, deadlines. Goes out: values, pictures, signals, typed errors.
//! Must never know: what a game is. Every call has a deadline of the caller's and ends at once when the page
//! crashes or the browser goes away.

use super::chrome::PageOptions;
use super::error::{BrowserError, Result, clean};
use super::guard::Refuser;
use super::input::UnderWay;
use super::watch::{Life, Watch, exception};
use super::wire::lock;
use crate::model::{PageSignal, Raster, Rect};
use base64::Engine;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a page that is not hung needs at most to answer a trivial question, even on a loaded machine.
pub(super) const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// What a page is painted at that is painted small: a power of two, so that points on it stay exact.
const SMALL: f64 = 0.125;

/// The size of a page's window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Device pixels a CSS pixel.
    pub device_pixel_ratio: f64,
}

impl Default for Viewport {
    /// 1280x800 at a ratio of 1.
    fn default() -> Self {
        Self {
            width: 1280,
            height: 800,
            device_pixel_ratio: 1.0,
        }
    }
}

/// A page (tab) of its own, with its own cookies and storage. Closed when dropped.
pub struct Page {
    pub(super) watch: Arc<Watch>,
    /// The modifiers held down by `key_down`, as CDP numbers them.
    pub(super) modifiers: AtomicU8,
    pub(super) deadline: Duration,
    /// Keys that were sent and not yet answered, in their order.
    pub(super) under_way: Mutex<VecDeque<UnderWay>>,
    pub(super) withheld: Option<super::Withheld>,
    viewport: Mutex<Viewport>,
    /// Is it painted small?
    small: AtomicBool,
    _refuser: Option<Refuser>,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Page({})", self.watch.target)
    }
}

fn told<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|e| BrowserError::Script {
        text: clean(&format!("unexpected value: {e}"), 300),
    })
}

/// In words, what of our scripts was called by an expression, without the name that no page may know; else its start.
fn asked(expression: &str) -> String {
    let call = expression
        .strip_prefix("window[")
        .and_then(|e| e.split_once("]."))
        .and_then(|(_, call)| call.split_once('('));
    match call {
        Some((name, _)) => format!("the page, asked to {}", clean(name, 60)),
        None => format!("script {}", clean(expression, 60)),
    }
}

impl Page {
    /// Prepares a fresh target at about:blank: everything listens before anything is opened.
    pub(super) async fn prepare(
        watch: Arc<Watch>,
        refuser: Option<Refuser>,
        options: &PageOptions,
    ) -> Result<Self> {
        let page = Self {
            watch,
            modifiers: AtomicU8::new(0),
            deadline: options.deadline,
            under_way: Mutex::default(),
            withheld: options.withheld.clone(),
            viewport: Mutex::new(options.viewport),
            small: AtomicBool::new(false),
            _refuser: refuser,
        };
        // Sent without waiting for each other; the order is kept. The last answer means all were taken.
        page.post("Inspector.enable", json!({}));
        page.post("Page.enable", json!({}));
        page.post("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
        page.post("Runtime.enable", json!({}));
        page.post("Log.enable", json!({}));
        // No bodies are kept: nobody asks for them.
        page.post(
            "Network.enable",
            json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
        );
        page.post(
            "Emulation.setFocusEmulationEnabled",
            json!({"enabled": true}),
        );
        if page.watch.policy.bypass_list().is_some() {
            // Only documents are held for our answer, so that a navigation elsewhere leaves the page as it is.
            // All other requests are the proxy's matter and cost no round trip.
            page.post(
                "Fetch.enable",
                json!({"patterns": [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}]}),
            );
        }
        for script in &options.init_scripts {
            page.add_init_script(script).await?;
        }
        page.set_viewport(options.viewport).await?;
        Ok(page)
    }

    pub(super) fn post(&self, method: &'static str, params: Value) {
        self.watch
            .wire
            .post(Some(&self.watch.session), method, params);
    }

    /// Sends a command, once the keys under way are answered; ends with the deadline, the page's crash or the browser's
    /// end, whichever is first.
    pub(super) async fn send(
        &self,
        method: &'static str,
        params: Value,
        deadline: Duration,
    ) -> Result<Value> {
        self.settle().await?;
        self.send_at_once(method, params, deadline).await
    }

    async fn send_at_once(
        &self,
        method: &'static str,
        params: Value,
        deadline: Duration,
    ) -> Result<Value> {
        self.answered(self.ask(method, params)?, method, deadline)
            .await
    }

    /// Sends a command now, to be waited for by [`Page::answered`]: the next one need not wait for it.
    pub(super) fn ask(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<impl Future<Output = Result<Value>> + use<>> {
        self.watch
            .wire
            .ask(Some(&self.watch.session), method, params)
    }

    pub(super) async fn answered(
        &self,
        answer: impl Future<Output = Result<Value>>,
        method: &'static str,
        deadline: Duration,
    ) -> Result<Value> {
        let mut life = self.watch.life.subscribe();
        tokio::select! {
            biased;
            dead = life.wait_for(|l| *l != Life::Alive) => {
                Err(dead.ok().and_then(|l| l.error()).unwrap_or(BrowserError::BrowserGone))
            }
            answer = answer => answer,
            () = tokio::time::sleep(deadline) => Err(BrowserError::Timeout { what: method.into(), deadline }),
        }
    }

    /// `source` runs in every frame before the page's own scripts, from the next document on.
    /// Gives the name by which [`Page::remove_init_script`] takes it back.
    pub async fn add_init_script(&self, source: &str) -> Result<String> {
        let answer = self
            .send(
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": source}),
                self.deadline,
            )
            .await?;
        Ok(answer["identifier"].as_str().unwrap_or_default().into())
    }

    /// Takes back an init script, from the next document on.
    pub async fn remove_init_script(&self, identifier: &str) -> Result<()> {
        self.send(
            "Page.removeScriptToEvaluateOnNewDocument",
            json!({"identifier": identifier}),
            self.deadline,
        )
        .await?;
        Ok(())
    }

    /// Sets the size of the window.
    pub async fn set_viewport(&self, viewport: Viewport) -> Result<()> {
        *lock(&self.viewport) = viewport;
        self.send(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": viewport.width,
                "height": viewport.height,
                "deviceScaleFactor": viewport.device_pixel_ratio,
                "mobile": false,
                "scale": self.shown_at(),
            }),
            self.deadline,
        )
        .await?;
        Ok(())
    }

    /// Has the browser paint the page on a much smaller surface than it is laid out for, or not. Without a GPU, painting
    /// frames that nobody looks at takes as much time as the page itself. Nothing in the page tells the difference, and
    /// pictures come out in full size; but a mouse moves less far by its `movementX` and `screenX`, and a turned wheel
    /// further.
    pub async fn paint_small(&self, small: bool) -> Result<()> {
        if self.small.swap(small, Ordering::Relaxed) == small {
            return Ok(());
        }
        let viewport = *lock(&self.viewport);
        self.set_viewport(viewport).await
    }

    /// Pixels of the surface it is painted on for each of its own in each direction.
    pub(super) fn shown_at(&self) -> f64 {
        if self.small.load(Ordering::Relaxed) {
            SMALL
        } else {
            1.0
        }
    }

    /// Evaluates an expression in the top frame, awaits it if it is a promise, and gives its value.
    ///
    /// # Errors
    /// [`BrowserError::Script`] when it throws or its value is not a `T`, [`BrowserError::Timeout`] when it takes
    /// longer than `deadline` (see [`Page::unhang`]), [`BrowserError::DocumentReplaced`] when the page moves on.
    pub async fn call<T: DeserializeOwned>(
        &self,
        expression: &str,
        deadline: Duration,
    ) -> Result<T> {
        told(self.evaluate(expression, deadline).await?)
    }

    /// The same, while keys may be under way to the page: the expression has to see to it that they came first.
    ///
    /// # Errors
    /// As [`Page::call`]; [`BrowserError::Timeout`] where a key is not answered in time.
    pub(super) async fn call_with_keys<T: DeserializeOwned>(
        &self,
        expression: &str,
        deadline: Duration,
    ) -> Result<T> {
        let value = self.evaluate_at_once(expression, deadline);
        let (value, ()) = tokio::try_join!(value, self.settle())?;
        told(value)
    }

    pub(super) async fn evaluate(&self, expression: &str, deadline: Duration) -> Result<Value> {
        self.settle().await?;
        self.evaluate_at_once(expression, deadline).await
    }

    async fn evaluate_at_once(&self, expression: &str, deadline: Duration) -> Result<Value> {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = match self
            .send_at_once("Runtime.evaluate", params, deadline)
            .await
        {
            Err(BrowserError::Timeout { deadline, .. }) => {
                let what = asked(expression);
                self.watch
                    .signals
                    .push(PageSignal::Unresponsive { what: what.clone() });
                return Err(BrowserError::Timeout { what, deadline });
            }
            Err(BrowserError::Protocol { why, .. })
                if [
                    "navigated",
                    "context was destroyed",
                    "Promise was collected",
                ]
                .iter()
                .any(|w| why.contains(w)) =>
            {
                return Err(BrowserError::DocumentReplaced);
            }
            other => other?,
        };
        if answer["exceptionDetails"].is_object() {
            return Err(BrowserError::Script {
                text: exception(&answer["exceptionDetails"]),
            });
        }
        Ok(answer["result"]["value"].take())
    }

    /// Leaves the document and forgets what pages of this address stored (local storage, databases, caches, cookies),
    /// so that the next opening is a first one. What the document stores as it is left may outlast this: a probe's own
    /// `forget` keeps it from hearing of it.
    pub(super) async fn forget(&self, url: &str) -> Result<()> {
        // The page must be gone first: many write what they know all the time.
        self.leave(self.deadline).await?;
        if let Ok(parsed) = url::Url::parse(url) {
            let origin = parsed.origin().ascii_serialization();
            self.send(
                "Storage.clearDataForOrigin",
                json!({"origin": origin, "storageTypes": "all"}),
                self.deadline,
            )
            .await?;
        }
        Ok(())
    }

    /// Stops the script that runs in the page at this moment, however deep in a loop it is.
    pub async fn terminate_execution(&self) -> Result<()> {
        // What is under way waits for the script that is to be stopped.
        lock(&self.under_way).clear();
        self.send("Runtime.terminateExecution", json!({}), self.deadline)
            .await?;
        Ok(())
    }

    /// Brings a page back that is stuck in a script that never ends: stops it and asks for a sign of life, up to
    /// `tries` times (one loop may follow another). Says whether the page answers again.
    pub async fn unhang(&self, tries: u32) -> Result<bool> {
        for _ in 0..tries {
            self.terminate_execution().await?;
            match self.evaluate("1", SIGN_OF_LIFE).await {
                // It was stopped itself, so something runs again.
                Err(BrowserError::Timeout { .. } | BrowserError::Script { .. }) => {}
                Err(error) => return Err(error),
                Ok(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    /// A picture of the page, in device pixels.
    ///
    /// `region` is in CSS pixels of the document; none is the viewport, or with `beyond_viewport` the whole
    /// document. With `beyond_viewport` a region may lie outside of what is scrolled into view.
    pub async fn screenshot(&self, region: Option<Rect>, beyond_viewport: bool) -> Result<Raster> {
        let mut params = json!({
            "format": "png",
            "optimizeForSpeed": true,
            "captureBeyondViewport": beyond_viewport,
        });
        let region = match region {
            None if beyond_viewport => {
                let layout = self
                    .send("Page.getLayoutMetrics", json!({}), self.deadline)
                    .await?;
                let content = &layout["cssContentSize"];
                let side = |key: &str| content[key].as_f64().unwrap_or(0.0);
                Some(Rect::new(0.0, 0.0, side("width"), side("height")))
            }
            region => region,
        };
        if let Some(r) = region {
            params["clip"] =
                json!({"x": r.x, "y": r.y, "width": r.width, "height": r.height, "scale": 1});
        }
        let answer = self
            .send(
                "Page.captureScreenshot",
                params,
                self.deadline.max(Duration::from_secs(10)),
            )
            .await?;
        let bad = |why: String| BrowserError::Picture { why };
        let png = base64::engine::general_purpose::STANDARD
            .decode(answer["data"].as_str().unwrap_or_default())
            .map_err(|e| bad(e.to_string()))?;
        let picture = image::load_from_memory_with_format(&png, image::ImageFormat::Png)
            .map_err(|e| bad(e.to_string()))?
            .into_rgb8();
        let (width, height) = picture.dimensions();
        Raster::from_rgb(width, height, picture.into_raw())
            .ok_or_else(|| bad("its size is not what it says".into()))
    }

    /// How many network requests are under way (streams that stay open are not counted).
    pub fn inflight(&self) -> usize {
        self.watch.under_way()
    }

    /// Every signal that came since the last call, in order.
    pub fn signals(&self) -> Vec<PageSignal> {
        let mut signals = self.watch.signals.drain();
        if let Some(withheld) = &self.withheld {
            signals.extend(withheld.drain());
        }
        signals
    }

    /// The next signal, as soon as there is one.
    pub async fn next_signal(&self) -> PageSignal {
        self.watch.signals.next().await
    }

    /// How many signals were dropped because nobody read them in time.
    pub fn dropped_signals(&self) -> u64 {
        self.watch.signals.dropped()
    }

    /// How often the page flooded the console, so that it was not listened to for a second.
    pub fn console_floods(&self) -> u64 {
        self.watch.console_pauses()
    }

    /// Refused requests by host ("host" or "host:port").
    pub fn refused(&self) -> BTreeMap<String, u32> {
        self.watch.refused()
    }

    /// The address of the document that is shown; untrusted, control characters stripped.
    pub fn url(&self) -> String {
        self.watch.loading.borrow().url.clone()
    }

    /// Does the page live?
    pub fn is_alive(&self) -> bool {
        *self.watch.life.borrow() == Life::Alive
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let wire = &self.watch.wire;
        wire.remove_route(&self.watch.session);
        match &self.watch.context {
            Some(id) => wire.post(
                None,
                "Target.disposeBrowserContext",
                json!({"browserContextId": id}),
            ),
            None => wire.post(
                None,
                "Target.closeTarget",
                json!({"targetId": self.watch.target}),
            ),
        }
    }
}
