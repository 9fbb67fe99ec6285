//! What the tests of the browser layer share: a browser, a misbehaving server, another host that must see nobody.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc
)]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Path;
use axum::http::Uri;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tetrascope::browser::probe::{Probe, ProbeOptions};
use tetrascope::browser::{
    Browser, BrowserError, LaunchOptions, NetPolicy, Page, PageOptions, install,
};
use tetrascope::model::PageSignal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

/// Longer than anything takes on a machine that is busy; nothing waits for it when all is well.
pub const SOON: Duration = Duration::from_secs(20);

/// A browser as the program finds it; where there is none, one is installed if `TETRASCOPE_INSTALL_BROWSER=1` says so.
pub async fn browser() -> Browser {
    static INSTALLING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let wanted = std::env::var("TETRASCOPE_INSTALL_BROWSER").is_ok_and(|v| v == "1");
    // Tests run side by side; the one that comes first installs.
    let _one = INSTALLING.lock().await;
    match Browser::launch(&LaunchOptions::default()).await {
        Err(BrowserError::NoBrowser { .. }) if wanted => {
            let mut tell = |line: &str| eprintln!("{line}");
            install::install(false, &mut tell).await.unwrap();
            Browser::launch(&LaunchOptions::default()).await.unwrap()
        }
        other => other.unwrap(),
    }
}

/// Sees to it that the program finds a browser.
pub fn there_is_a_browser() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async { drop(browser().await) });
    });
}

/// A page that may reach `server` alone.
pub async fn page(browser: &Browser, server: &Url) -> Page {
    page_allowing(browser, server, &[]).await
}

/// The same, and `hosts`.
pub async fn page_allowing(browser: &Browser, server: &Url, hosts: &[String]) -> Page {
    let (net, bad) = NetPolicy::only(server, hosts);
    assert_eq!(bad, Vec::<String>::new());
    browser.new_page(&PageOptions::new(net)).await.unwrap()
}

/// The same as [`page`], with a probe in it.
pub async fn probed(browser: &Browser, server: &Url, options: &ProbeOptions) -> (Page, Probe) {
    let (net, _) = NetPolicy::only(server, &[]);
    let probe = Probe::new(&options.clone().in_browser(&browser.info().product));
    let mut settings = PageOptions::new(net);
    settings.init_scripts.push(probe.script().into());
    (browser.new_page(&settings).await.unwrap(), probe)
}

/// Serves tests/pages/hostile, and paths that misbehave. Lives as long as the test's runtime.
pub async fn server() -> Url {
    let app = Router::new()
        .route("/never", get(never))
        .route("/half", get(half))
        .route("/huge", get(huge))
        .route("/silent", get(std::future::pending::<Response>))
        .route("/away", get(away))
        .route("/file.bin", get(attachment))
        .route("/picture.js", get(picture))
        .route("/faller.js", get(faller))
        .route("/{page}", get(hostile));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    Url::parse(&format!("http://{address}/")).unwrap()
}

async fn hostile(Path(page): Path<String>) -> Response {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/pages/hostile")
        .join(page);
    match std::fs::read(path) {
        Ok(bytes) => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], bytes).into_response(),
        // With no body some versions show a page of their own, as for a host that is not there.
        Err(_) => (StatusCode::NOT_FOUND, "not here").into_response(),
    }
}

fn endless(first: &'static str) -> Body {
    use futures::StreamExt;
    let first = futures::stream::once(async move { Ok::<_, std::io::Error>(Bytes::from(first)) });
    Body::from_stream(first.chain(futures::stream::pending()))
}

/// The script that the pages under tests/pages/apart share.
async fn faller() -> Response {
    let script = include_str!("../pages/apart/faller.js");
    ([(header::CONTENT_TYPE, "text/javascript")], script).into_response()
}

/// An image whose bytes never come.
async fn never() -> Response {
    ([(header::CONTENT_TYPE, "image/png")], endless("")).into_response()
}

/// A document of which the rest never comes.
async fn half() -> Response {
    let text = "<!doctype html><title>half</title><p id=p>here</p>";
    ([(header::CONTENT_TYPE, "text/html")], endless(text)).into_response()
}

/// 100 MB of text in one document.
async fn huge() -> Response {
    use futures::StreamExt;
    let line = Bytes::from(format!("<!-- {} -->\n", "x".repeat((1 << 20) - 10)));
    let lines = futures::stream::iter((0..100).map(move |_| Ok::<_, std::io::Error>(line.clone())));
    let end = futures::stream::iter([Ok(Bytes::from("<script>done = 1</script>"))]);
    let body = Body::from_stream(lines.chain(end));
    ([(header::CONTENT_TYPE, "text/html")], body).into_response()
}

async fn away(uri: Uri) -> Redirect {
    let query = uri.query().unwrap_or_default().as_bytes();
    let to = url::form_urlencoded::parse(query).find(|(key, _)| key == "to");
    Redirect::temporary(&to.unwrap().1)
}

/// A script that says it is a picture.
async fn picture() -> Response {
    ([(header::CONTENT_TYPE, "image/png")], "data = 1").into_response()
}

async fn attachment() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment"),
    ];
    (headers, "data").into_response()
}

/// Another host: it counts who comes.
pub struct Other {
    pub port: u16,
    seen: Arc<AtomicU32>,
}

impl Other {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(AtomicU32::new(0));
        let count = seen.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let _ = stream.read(&mut [0; 4096]).await;
                    let answer = "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        Self { port, seen }
    }

    pub fn seen(&self) -> u32 {
        self.seen.load(Ordering::SeqCst)
    }
}

/// Waits for a signal; the ones before it are given, too.
pub async fn signal(page: &Page, wanted: impl Fn(&PageSignal) -> bool) -> Vec<PageSignal> {
    let mut seen = Vec::new();
    let wait = async {
        loop {
            let signal = page.next_signal().await;
            let done = wanted(&signal);
            seen.push(signal);
            if done {
                return;
            }
        }
    };
    let came = tokio::time::timeout(SOON, wait).await.is_ok();
    assert!(came, "the signal did not come; these did: {seen:?}");
    seen
}

/// Asks again until it is so.
pub async fn until(what: &str, mut so: impl AsyncFnMut() -> bool) {
    let begin = Instant::now();
    while !so().await {
        assert!(begin.elapsed() < SOON, "it never came to be: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
