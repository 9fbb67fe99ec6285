//! What is known of a page while nobody asks: it hears the page's events on the socket's task.
//!
//! Comes in: events. Goes out: whether the page lives, how far it has loaded, requests under way, refusals,
//! signals; and the answers that cannot wait (dialogs, popups, navigations to other hosts).
//! Must never know: what the page is asked for (`page`).

use super::error::{BrowserError, clean};
use super::guard::{NetPolicy, host_of};
use super::signals::Signals;
use super::wire::{Event, Route, Wire, lock};
use crate::model::PageSignal;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use url::Url;

/// Texts of signals are cut here.
const TEXT: usize = 500;
/// Requests are tracked up to this many; a page with more under way is busy in any case.
const REQUESTS: usize = 10_000;
/// Hosts refused are told apart up to this many; the rest counts as one, "(other hosts)".
const HOSTS: usize = 200;
/// A prompt that comes again within this is asked by a page that was not content with the answer.
const AT_ONCE: Duration = Duration::from_secs(1);
/// Refused requests of scripts and for them, and scripts that could not be had, that are told of.
const NEEDED: u32 = 32;
/// More console messages than this in [`FLOOD_WINDOW`] and the console is not listened to for [`FLOOD_PAUSE`].
const FLOOD: u32 = 1000;
const FLOOD_WINDOW: Duration = Duration::from_secs(1);
const FLOOD_PAUSE: Duration = Duration::from_secs(1);

/// Does the page live?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Alive,
    Crashed,
    Closed,
    BrowserGone,
}

impl Life {
    pub fn error(self) -> Option<BrowserError> {
        match self {
            Self::Alive => None,
            Self::Crashed => Some(BrowserError::Crashed),
            Self::Closed => Some(BrowserError::PageClosed),
            Self::BrowserGone => Some(BrowserError::BrowserGone),
        }
    }
}

/// How far the top document has loaded.
#[derive(Debug, Clone, Default)]
pub(super) struct Loading {
    pub loader: String,
    pub url: String,
    pub status: Option<u16>,
    pub dom: bool,
    pub complete: bool,
    /// The frame has stopped loading. Without `complete`: the document began to leave while it loaded and was not
    /// let, upon which Chromium never fires its load event.
    pub stopped: bool,
    /// The last address to which a navigation of the top document was refused, for `goto`'s error.
    pub refused: Option<String>,
}

/// The last prompt, and how often it came in a row.
#[derive(Debug, Default)]
struct Asked {
    message: String,
    times: usize,
    at: Option<Instant>,
}

#[derive(Debug, Default)]
struct Net {
    /// Requests under way: the document they belong to.
    under_way: HashMap<String, String>,
    /// By host: requests seen refused, connections refused by the proxy.
    refused: BTreeMap<String, (u32, u32)>,
    /// Status of document responses by loader, as they come before the document is committed.
    status: Option<(String, u16)>,
    frames: HashSet<String>,
    last_popup: String,
    /// Refused requests for scripts, and by them; scripts that could not be had.
    needed: u32,
    /// Scripts that came as what only some scripts run as: address and media type.
    strange: HashMap<String, String>,
}

#[derive(Debug)]
struct Console {
    since: Instant,
    count: u32,
    silenced: u64,
    paused: bool,
}

/// The state of one page; see the module.
pub(super) struct Watch {
    pub wire: Wire,
    pub session: String,
    pub target: String,
    pub context: Option<String>,
    pub policy: NetPolicy,
    pub life: watch::Sender<Life>,
    pub loading: watch::Sender<Loading>,
    pub signals: Signals,
    net: Mutex<Net>,
    asked: Mutex<Asked>,
    console: Mutex<Console>,
    me: Weak<Self>,
}

impl Watch {
    pub fn new(
        wire: Wire,
        session: String,
        target: String,
        context: Option<String>,
        policy: NetPolicy,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            wire,
            session,
            target,
            context,
            policy,
            life: watch::Sender::new(Life::Alive),
            loading: watch::Sender::new(Loading::default()),
            signals: Signals::default(),
            net: Mutex::default(),
            asked: Mutex::default(),
            console: Mutex::new(Console {
                since: Instant::now(),
                count: 0,
                silenced: 0,
                paused: false,
            }),
            me: me.clone(),
        })
    }

    fn post(&self, method: &'static str, params: Value) {
        self.wire.post(Some(&self.session), method, params);
    }

    fn end(&self, life: Life) {
        let first = self.life.send_if_modified(|now| {
            let first = *now == Life::Alive;
            if first {
                *now = life;
            }
            first
        });
        if first {
            match life {
                Life::Crashed => self.signals.push(PageSignal::Crashed),
                Life::BrowserGone => self.signals.push(PageSignal::BrowserGone),
                Life::Closed | Life::Alive => {}
            }
        }
    }

    pub fn under_way(&self) -> usize {
        lock(&self.net).under_way.len()
    }

    /// How often the console was too loud to be listened to.
    pub fn console_pauses(&self) -> u64 {
        lock(&self.console).silenced
    }

    /// Refused requests by host.
    ///
    /// What a page's own requests show and what the proxy was asked for overlap, neither holds all (a worker's
    /// request shows only at the proxy, a pooled one only at the page), so the larger of the two is the count.
    pub fn refused(&self) -> BTreeMap<String, u32> {
        lock(&self.net)
            .refused
            .iter()
            .map(|(host, (seen, asked))| (host.clone(), *seen.max(asked)))
            .collect()
    }

    /// A request of the page (`by_proxy`: a connection, at the proxy) to another host.
    pub fn refuse(&self, url: &Url, by_proxy: bool) {
        let count = {
            let mut net = lock(&self.net);
            let mut host = host_of(url);
            if net.refused.len() >= HOSTS && !net.refused.contains_key(&host) {
                host = "(other hosts)".into();
            }
            let (seen, asked) = net.refused.entry(host).or_default();
            let before = (*seen).max(*asked);
            *(if by_proxy { &mut *asked } else { &mut *seen }) += 1;
            let now = (*seen).max(*asked);
            (now > before).then_some(now)
        };
        // 1, 2, 4, 8...: a page that tries for ever must not fill the queue.
        if let Some(count) = count.filter(|n| n.is_power_of_two()) {
            self.signals.push(PageSignal::RequestRefused {
                url: clean(url.as_str(), TEXT),
                count,
            });
        }
    }

    fn is_mine(&self, frame: &str) -> bool {
        frame == self.target || lock(&self.net).frames.contains(frame)
    }

    fn own_event(&self, method: &str, p: &Value) {
        match method {
            "Inspector.targetCrashed" => self.end(Life::Crashed),
            "Page.javascriptDialogOpening" => self.dialog(p),
            "Page.lifecycleEvent" => self.lifecycle(p),
            "Page.frameAttached" => {
                lock(&self.net).frames.insert(text(p, "frameId").into());
            }
            "Page.frameDetached" => {
                lock(&self.net).frames.remove(text(p, "frameId"));
            }
            "Page.frameStoppedLoading" if text(p, "frameId") == self.target => {
                self.loading.send_modify(|l| l.stopped = true);
            }
            "Page.frameNavigated" => self.navigated(&p["frame"]),
            "Page.windowOpen" => lock(&self.net).last_popup = clean(text(p, "url"), TEXT),
            "Fetch.requestPaused" => self.paused(p),
            "Network.requestWillBeSent" => self.request(p),
            "Network.responseReceived" if text(p, "type") == "Document" => {
                let status = p["response"]["status"].as_u64().unwrap_or(0) as u16;
                let loader = text(p, "loaderId").to_string();
                self.loading.send_if_modified(|l| {
                    let ours = l.loader == loader;
                    if ours {
                        l.status = Some(status);
                    }
                    ours
                });
                if text(p, "frameId") == self.target {
                    lock(&self.net).status = Some((loader, status));
                }
            }
            "Network.responseReceived" if text(p, "type") == "Script" => {
                self.script(&p["response"]);
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                lock(&self.net).under_way.remove(text(p, "requestId"));
            }
            "Network.webSocketCreated" => {
                if let Ok(url) = Url::parse(text(p, "url"))
                    && !self.policy.allows(&url)
                {
                    self.refuse(&url, false);
                }
            }
            "Runtime.exceptionThrown" if !self.flooded() => {
                let text = exception(&p["exceptionDetails"]);
                self.signals.push(PageSignal::UncaughtError { text });
            }
            "Runtime.consoleAPICalled"
                if !self.flooded() && matches!(text(p, "type"), "error" | "assert") =>
            {
                let text = said(&p["args"]);
                self.signals.push(PageSignal::ConsoleError { text });
            }
            "Log.entryAdded" => self.log(&p["entry"]),
            _ => {}
        }
    }

    fn browser_event(&self, method: &str, p: &Value) {
        match method {
            "Target.targetCrashed" if text(p, "targetId") == self.target => self.end(Life::Crashed),
            "Target.targetDestroyed" if text(p, "targetId") == self.target => {
                self.end(Life::Closed);
            }
            "Target.detachedFromTarget" if text(p, "sessionId") == self.session => {
                self.end(Life::Closed);
            }
            "Target.targetCreated" => self.popup(&p["targetInfo"]),
            "Browser.downloadWillBegin" if self.is_mine(text(p, "frameId")) => {
                self.signals.push(PageSignal::DownloadRefused {
                    url: clean(text(p, "url"), TEXT),
                });
            }
            _ => {}
        }
    }

    fn dialog(&self, p: &Value) {
        let kind = text(p, "type");
        let answer = if kind == "prompt" {
            self.answer(text(p, "message"), text(p, "defaultPrompt"))
        } else {
            Some(String::new())
        };
        self.post(
            "Page.handleJavaScriptDialog",
            json!({"accept": answer.is_some(), "promptText": answer.unwrap_or_default()}),
        );
        self.signals.push(PageSignal::Dialog {
            kind: clean(kind, 20),
            text: clean(text(p, "message"), TEXT),
        });
    }

    /// What a prompt gets: what it proposes, or else a name. One that asks the same again did not take that: it gets
    /// something else, and in the end nothing. Some pages ask until they are content.
    fn answer(&self, message: &str, proposed: &str) -> Option<String> {
        let mut asked = lock(&self.asked);
        if asked.message != message || asked.at.is_none_or(|at| at.elapsed() > AT_ONCE) {
            (asked.message, asked.times) = (message.into(), 0);
        }
        (asked.times, asked.at) = (asked.times + 1, Some(Instant::now()));
        let answers = [proposed, "abc", "1"].into_iter().filter(|a| !a.is_empty());
        answers.map(String::from).nth(asked.times - 1)
    }

    fn lifecycle(&self, p: &Value) {
        if text(p, "frameId") != self.target {
            return;
        }
        let (loader, name) = (text(p, "loaderId"), text(p, "name"));
        self.loading.send_if_modified(|l| {
            if l.loader != loader {
                return false;
            }
            match name {
                "DOMContentLoaded" => l.dom = true,
                "load" => l.complete = true,
                _ => return false,
            }
            true
        });
    }

    fn navigated(&self, frame: &Value) {
        if text(frame, "id") != self.target {
            return;
        }
        let (loader, url) = (text(frame, "loaderId"), clean(text(frame, "url"), TEXT));
        let status = {
            let mut net = lock(&self.net);
            net.under_way.retain(|_, of| of == loader);
            net.status.take().filter(|(of, _)| of == loader)
        };
        self.loading.send_modify(|l| {
            l.loader = loader.into();
            l.url.clone_from(&url);
            l.status = status.map(|(_, status)| status);
            l.dom = false;
            l.complete = false;
            l.stopped = false;
        });
        if url != "about:blank" {
            self.signals.push(PageSignal::Loaded { url });
        }
    }

    /// A document is about to be requested: only these are held for our answer (see `page`).
    fn paused(&self, p: &Value) {
        let id = text(p, "requestId");
        let url = text(&p["request"], "url");
        let parsed = Url::parse(url).ok();
        if parsed.as_ref().is_none_or(|u| self.policy.allows(u)) {
            self.post("Fetch.continueRequest", json!({"requestId": id}));
            return;
        }
        let top = text(p, "frameId") == self.target;
        // Aborted, the document that is there stays. An inner frame has none, and the page's load event would
        // wait for it for ever: there an error is shown.
        let reason = if top { "Aborted" } else { "BlockedByClient" };
        self.post(
            "Fetch.failRequest",
            json!({"requestId": id, "errorReason": reason}),
        );
        if top {
            let url = clean(url, TEXT);
            self.loading.send_modify(|l| l.refused = Some(url.clone()));
            self.signals.push(PageSignal::NavigationRefused { url });
        }
    }

    fn request(&self, p: &Value) {
        let Ok(url) = Url::parse(text(&p["request"], "url")) else {
            return;
        };
        if !self.policy.allows(&url) {
            self.refuse(&url, false);
            // What a script asks for may be its code, or what its game is made of.
            let signal = match text(p, "type") {
                "Script" | "XHR" | "Fetch" => |url| PageSignal::ScriptRefused { url },
                "Stylesheet" => |url| PageSignal::StyleRefused { url },
                _ => return self.began(p, &url),
            };
            if self.is_told() {
                self.signals.push(signal(clean(url.as_str(), TEXT)));
            }
        }
        self.began(p, &url);
    }

    /// An answer to the request of a script.
    fn script(&self, response: &Value) {
        let (url, kind) = (text(response, "url"), text(response, "mimeType"));
        let status = response["status"].as_u64().unwrap_or(0);
        if status >= 400 {
            self.no_script(url, format!("status {status}"));
        } else if never_runs(kind) {
            self.no_script(url, clean(kind, 60));
        } else if !kind.ends_with("script") {
            // A module runs as nothing else. Whether it is one, only the console tells (`log`).
            let mut net = lock(&self.net);
            if net.strange.len() < NEEDED as usize {
                net.strange.insert(url.into(), clean(kind, 60));
            }
        }
    }

    fn no_script(&self, url: &str, what: String) {
        if self.is_told() {
            let url = clean(url, TEXT);
            self.signals.push(PageSignal::ScriptMissing { url, what });
        }
    }

    /// Counts one more of what the page needs and did not get: is it still to be told of?
    fn is_told(&self) -> bool {
        let mut net = lock(&self.net);
        net.needed += 1;
        net.needed <= NEEDED
    }

    fn began(&self, p: &Value, url: &Url) {
        // Streams that stay open are not "loading"; data needs no network.
        if matches!(url.scheme(), "http" | "https") && text(p, "type") != "EventSource" {
            let mut net = lock(&self.net);
            if net.under_way.len() < REQUESTS {
                let loader = text(p, "loaderId").to_string();
                net.under_way.insert(text(p, "requestId").into(), loader);
            }
        }
    }

    fn popup(&self, info: &Value) {
        let id = text(info, "targetId");
        let ours = match &self.context {
            Some(context) => text(info, "browserContextId") == context,
            None => text(info, "openerId") == self.target,
        };
        if !ours || id == self.target || text(info, "type") != "page" {
            return;
        }
        self.wire
            .post(None, "Target.closeTarget", json!({"targetId": id}));
        let mut url = std::mem::take(&mut lock(&self.net).last_popup);
        if url.is_empty() {
            url = clean(text(info, "url"), TEXT);
        }
        self.signals.push(PageSignal::PopupClosed { url });
    }

    fn log(&self, entry: &Value) {
        if self.flooded() || text(entry, "level") != "error" {
            return;
        }
        // Refusals have a signal of their own.
        let refused = Url::parse(text(entry, "url")).is_ok_and(|url| !self.policy.allows(&url));
        if text(entry, "source") == "network" && refused {
            return;
        }
        if text(entry, "source") == "javascript" {
            let strange = lock(&self.net).strange.remove(text(entry, "url"));
            if let Some(kind) = strange {
                self.no_script(text(entry, "url"), kind);
            }
        }
        let text = clean(text(entry, "text"), TEXT);
        self.signals.push(PageSignal::ConsoleError { text });
    }

    /// Counts a console message. In a flood the console is switched off for a while: each message costs the
    /// browser and us, and answers would queue up behind them.
    fn flooded(&self) -> bool {
        let mut console = lock(&self.console);
        if console.paused {
            return true;
        }
        if console.since.elapsed() > FLOOD_WINDOW {
            console.since = Instant::now();
            console.count = 0;
        }
        console.count += 1;
        if console.count <= FLOOD {
            return false;
        }
        console.paused = true;
        console.silenced += 1;
        drop(console);
        self.post("Runtime.disable", json!({}));
        self.post("Log.disable", json!({}));
        let me = self.me.clone();
        tokio::spawn(async move {
            tokio::time::sleep(FLOOD_PAUSE).await;
            let Some(me) = me.upgrade() else { return };
            // What piled up meanwhile would come all at once.
            me.post("Runtime.discardConsoleEntries", json!({}));
            me.post("Log.clear", json!({}));
            {
                let mut console = lock(&me.console);
                console.paused = false;
                console.count = 0;
                console.since = Instant::now();
            }
            me.post("Runtime.enable", json!({}));
            me.post("Log.enable", json!({}));
        });
        true
    }
}

impl Route for Watch {
    fn event(&self, event: &Event) {
        if event.session.is_some() {
            self.own_event(&event.method, &event.params);
        } else {
            self.browser_event(&event.method, &event.params);
        }
    }

    fn gone(&self) {
        self.end(Life::BrowserGone);
    }
}

/// Is it a media type that no script may come as? (Fetch standard, "should response to request be blocked due to its MIME
/// type".)
fn never_runs(kind: &str) -> bool {
    kind == "text/csv"
        || ["image/", "audio/", "video/"]
            .iter()
            .any(|of| kind.starts_with(of))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The first line of an exception's description.
pub(super) fn exception(details: &Value) -> String {
    let description = text(&details["exception"], "description");
    let what = if !description.is_empty() {
        description.lines().next().unwrap_or_default().to_string()
    } else if details["exception"]["value"].is_null() {
        text(details, "text").to_string()
    } else {
        // `throw "text"`
        let value = &details["exception"]["value"];
        value.as_str().map_or_else(|| value.to_string(), Into::into)
    };
    clean(&what, TEXT)
}

/// The arguments of a console call as one text.
fn said(args: &Value) -> String {
    let words: Vec<String> = args
        .as_array()
        .into_iter()
        .flatten()
        .take(10)
        .map(|arg| match &arg["value"] {
            Value::String(text) => text.chars().take(TEXT + 1).collect(),
            Value::Null => text(arg, "description").chars().take(TEXT + 1).collect(),
            other => other.to_string(),
        })
        .collect();
    clean(&words.join(" "), TEXT)
}
