//! A browser: ours, started for this run, or one that runs already, here or elsewhere.
//!
//! Comes in: how to get one. Goes out: pages, each isolated from the others. Must never know: what they show.

use super::error::{BrowserError, Result, clean};
use super::guard::{NetPolicy, Refuser};
use super::launch::{LaunchOptions, Process, start};
use super::page::{Page, Viewport};
use super::server::Withheld;
use super::watch::Watch;
use super::wire::Wire;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

/// How long the browser (not a page) may take for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is known of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserInfo {
    /// Product and version, such as "Chrome/156.0.1.2"; untrusted if remote.
    pub product: String,
    /// The program, if we started it.
    pub path: Option<PathBuf>,
    /// Does it run inside its sandbox? Unknown if we did not start it.
    pub sandboxed: Option<bool>,
    /// The main process, if we started it.
    pub process: Option<u32>,
    /// Its `DevTools` address.
    pub socket: String,
}

/// How a page shall be set up.
#[derive(Debug, Clone)]
pub struct PageOptions {
    /// The size of its window.
    pub viewport: Viewport,
    /// What it may reach.
    pub net: NetPolicy,
    /// Scripts that run in every frame before the page's own.
    pub init_scripts: Vec<String>,
    /// What our server does not give the page.
    pub withheld: Option<Withheld>,
    /// Nobody looks at its window: it may be painted as is cheapest (see [`Page::paint_small`]).
    pub unwatched: bool,
    /// The deadline of calls that take none of their own (keys, clicks, pictures).
    pub deadline: Duration,
}

impl PageOptions {
    /// The usual: 1280x800, no scripts, 10 s.
    pub fn new(net: NetPolicy) -> Self {
        Self {
            viewport: Viewport::default(),
            net,
            init_scripts: Vec::new(),
            withheld: None,
            unwatched: false,
            deadline: Duration::from_secs(10),
        }
    }
}

/// A browser. Dropping it ends the process if it is ours, and closes the socket if it is not.
pub struct Browser {
    wire: Wire,
    info: BrowserInfo,
    /// Is the browser on this machine, so that it can reach a listener of ours?
    local: bool,
    _process: Option<Process>,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Browser({:?})", self.info)
    }
}

impl Browser {
    /// Starts a browser of our own, with an empty profile.
    pub async fn launch(options: &LaunchOptions) -> Result<Self> {
        let started = match start(options).await {
            Err(BrowserError::Launch {
                crashed: true, why, ..
            }) => {
                // Seen with Chromium 156, about once in some hundred starts on a loaded machine.
                tracing::warn!(%why, "the browser crashed as it started; it is started once more");
                start(options).await?
            }
            other => other?,
        };
        let id = started.process.id();
        let mut browser = Self::open(started.socket, true, Some(started.process)).await?;
        browser.info.path = Some(started.browser);
        browser.info.sandboxed = Some(options.sandboxed());
        browser.info.process = Some(id);
        if browser.info.sandboxed == Some(false) {
            tracing::info!("the browser runs without its sandbox");
        }
        Ok(browser)
    }

    /// Uses a running browser: `ws://host:port/devtools/browser/…`, or `http://host:port`, which is asked for it.
    pub async fn connect(url: &str) -> Result<Self> {
        let bad = |why: &str| BrowserError::Connect {
            url: clean(url, 300),
            why: clean(why, 300),
        };
        let parsed = Url::parse(url).map_err(|e| bad(&e.to_string()))?;
        let socket = match parsed.scheme() {
            "ws" => parsed.to_string(),
            "http" => tokio::time::timeout(PATIENCE, ask_for_socket(&parsed))
                .await
                .map_err(|_| bad("no answer"))?
                .map_err(|e| bad(&e))?,
            _ => return Err(bad("an address begins with ws:// or http://")),
        };
        Self::open(socket, false, None).await
    }

    async fn open(socket: String, local: bool, process: Option<Process>) -> Result<Self> {
        let wire = Wire::connect(&socket, PATIENCE).await?;
        let version = wire
            .call_within(None, "Browser.getVersion", json!({}), PATIENCE)
            .await?;
        wire.call_within(
            None,
            "Target.setDiscoverTargets",
            json!({"discover": true}),
            PATIENCE,
        )
        .await?;
        Ok(Self {
            wire,
            info: BrowserInfo {
                product: clean(version["product"].as_str().unwrap_or_default(), 100),
                path: None,
                sandboxed: None,
                process: None,
                socket,
            },
            local,
            _process: process,
        })
    }

    /// What is known of it.
    pub fn info(&self) -> &BrowserInfo {
        &self.info
    }

    /// Is its socket still open?
    pub fn is_alive(&self) -> bool {
        self.wire.is_alive()
    }

    /// Opens a page at about:blank, with cookies and storage of its own.
    pub async fn new_page(&self, options: &PageOptions) -> Result<Page> {
        // The proxy must stand before the page does, and the page's watch is made after it.
        let watcher: Arc<OnceLock<Weak<Watch>>> = Arc::default();
        let mut context = json!({"disposeOnDetach": true});
        let mut refuser = None;
        if let Some(bypass) = options.net.bypass_list() {
            let told = watcher.clone();
            let proxy = if self.local {
                Refuser::start(Arc::new(move |url| {
                    if let Some(watch) = told.get().and_then(Weak::upgrade) {
                        watch.refuse(url, true);
                    }
                }))
                .await
                .map_err(|e| BrowserError::Protocol {
                    method: "net guard".into(),
                    why: e.to_string(),
                })?
            } else {
                Refuser::nowhere()
            };
            context["proxyServer"] = json!(proxy.server());
            context["proxyBypassList"] = json!(bypass);
            refuser = Some(proxy);
        }
        let context = id(
            &self.browser("Target.createBrowserContext", context).await?,
            "browserContextId",
        );
        self.browser(
            "Browser.setDownloadBehavior",
            json!({"behavior": "deny", "browserContextId": context, "eventsEnabled": true}),
        )
        .await?;
        let target = id(
            &self
                .browser(
                    "Target.createTarget",
                    json!({"url": "about:blank", "browserContextId": context}),
                )
                .await?,
            "targetId",
        );
        let session = id(
            &self
                .browser(
                    "Target.attachToTarget",
                    json!({"targetId": target, "flatten": true}),
                )
                .await?,
            "sessionId",
        );
        let watch = Watch::new(
            self.wire.clone(),
            session.clone(),
            target,
            Some(context),
            options.net.clone(),
        );
        let _ = watcher.set(Arc::downgrade(&watch));
        self.wire.add_route(&session, watch.clone());
        Page::prepare(watch, refuser, options).await
    }

    async fn browser(&self, method: &'static str, params: Value) -> Result<Value> {
        self.wire.call_within(None, method, params, PATIENCE).await
    }
}

fn id(answer: &Value, key: &str) -> String {
    answer[key].as_str().unwrap_or_default().into()
}

/// Asks `http://host:port/json/version` for the websocket's address.
async fn ask_for_socket(url: &Url) -> Result<String, String> {
    let host = url.host_str().ok_or("it names no host")?;
    let port = url.port_or_known_default().unwrap_or(80);
    let mut stream = tokio::net::TcpStream::connect((host.trim_matches(['[', ']']), port))
        .await
        .map_err(|e| e.to_string())?;
    // Chromium answers only to an address or "localhost" as host; a name would be taken for an attack.
    let named = stream.peer_addr().map_err(|e| e.to_string())?;
    let request =
        format!("GET /json/version HTTP/1.1\r\nHost: {named}\r\nConnection: close\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .map_err(|e| e.to_string())?;
    let mut answer = Vec::new();
    // Some versions keep the connection open, so it is read until the object is whole.
    let mut chunk = [0; 4096];
    loop {
        let n = stream.read(&mut chunk).await.map_err(|e| e.to_string())?;
        answer.extend_from_slice(&chunk[..n]);
        if let Some(found) = socket_in(&answer) {
            // It names the address it listens on, which is not the one we reach it by.
            let mut found = Url::parse(&found).map_err(|e| e.to_string())?;
            found
                .set_host(Some(&named.ip().to_string()))
                .map_err(|e| e.to_string())?;
            found
                .set_port(Some(named.port()))
                .map_err(|()| "no port".to_string())?;
            return Ok(found.into());
        }
        if n == 0 || answer.len() > 1 << 16 {
            return Err("it did not answer as a browser does".into());
        }
    }
}

fn socket_in(answer: &[u8]) -> Option<String> {
    let begin = answer.iter().position(|b| *b == b'{')?;
    let end = answer.iter().rposition(|b| *b == b'}')?;
    let object: Value = serde_json::from_slice(answer.get(begin..=end)?).ok()?;
    object["webSocketDebuggerUrl"].as_str().map(Into::into)
}
