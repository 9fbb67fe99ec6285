//! Serves a folder, a single page or embedded pages on 127.0.0.1, at a free port.
//!
//! Comes in: a path, or pages built into the program. Goes out: the address to open.
//! Must never know: who asks for it. It cannot be walked out of: a path is resolved, links and all, and must
//! still be inside the folder.

use super::error::{BrowserError, Result, clean};
use crate::model::PageSignal;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Router, routing::any};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tower_http::services::ServeFile;
use url::Url;

/// What stays as it is in a path's segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// How much of an HTML file is read to see in what encoding it is.
const SNIFF: u64 = 64 << 10;

/// Folders above what is served in which a missing file is looked for.
const ABOVE: usize = 4;

/// A page built into the program: its path ("/" or "/game.js") and its text.
pub type Asset = (&'static str, &'static str);

/// Parts of its own that a page asked for and was not given, because they lie above the folder that is served.
#[derive(Debug, Clone, Default)]
pub struct Withheld(Arc<Mutex<Parts>>);

#[derive(Debug, Default)]
struct Parts {
    /// Every path that was asked for by the page as it was last opened.
    known: BTreeSet<String>,
    /// What nobody was told yet.
    fresh: Vec<PageSignal>,
}

/// How many withheld parts are told at most.
const MOST_WITHHELD: usize = 32;

impl Withheld {
    fn add(&self, path: &str, root: &Path) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let path = clean(path, 200);
        if parts.known.len() < MOST_WITHHELD && parts.known.insert(path.clone()) {
            let root = root.display().to_string();
            parts.fresh.push(PageSignal::PartWithheld { path, root });
        }
    }

    /// A page is opened anew: what it lacks is told again, for whoever judges by this opening alone.
    pub(super) fn opened_anew(&self) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.known.clear();
    }

    /// What was asked for in vain since the last call.
    pub(super) fn drain(&self) -> Vec<PageSignal> {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut parts.fresh)
    }
}

/// A running server. It stops when dropped.
#[derive(Debug)]
pub struct Server {
    url: Url,
    withheld: Withheld,
    _stop: oneshot::Sender<()>,
}

#[derive(Debug)]
enum Content {
    /// A folder, its path canonical.
    Folder(PathBuf),
    Assets(Vec<Asset>),
}

impl Server {
    /// Serves a folder, or the folder of an HTML file; [`Server::url`] is the page to open.
    ///
    /// In a folder that is its `index.html`, or else its only HTML file.
    pub async fn path(path: &Path) -> Result<Self> {
        Self::path_within(path, None).await
    }

    /// The same, but what is served is `root`, for pages whose parts lie above them; the page must lie in it.
    pub async fn path_within(path: &Path, root: Option<&Path>) -> Result<Self> {
        let failed = |why: String| BrowserError::Serve {
            what: path.display().to_string(),
            why,
        };
        let real = path.canonicalize().map_err(|e| failed(e.to_string()))?;
        let folder = if real.is_dir() {
            real.as_path()
        } else {
            real.parent()
                .ok_or_else(|| failed("it has no folder".into()))?
        };
        let served = root.unwrap_or(folder);
        let outside = || BrowserError::Outside {
            what: path.display().to_string(),
            root: served.display().to_string(),
        };
        let root = served.canonicalize().map_err(|_| outside())?;
        let below = folder.strip_prefix(&root).map_err(|_| outside())?;
        let page = if real.is_dir() {
            page_of(&real).map_err(failed)?
        } else {
            let name = real.file_name().and_then(|n| n.to_str());
            name.ok_or_else(|| failed("its name is not text".into()))?
                .to_string()
        };
        let mut address = String::new();
        for part in below {
            let part = part
                .to_str()
                .ok_or_else(|| failed("a folder's name is not text".into()))?;
            address.extend(utf8_percent_encode(part, SEGMENT));
            address.push('/');
        }
        address.extend(utf8_percent_encode(&page, SEGMENT));
        Self::start(Content::Folder(root), &address)
            .await
            .map_err(|e| failed(e.to_string()))
    }

    /// Serves pages built into the program; [`Server::url`] is the first one's address.
    pub async fn assets(assets: &[Asset]) -> Result<Self> {
        let first = assets
            .first()
            .map_or("", |(path, _)| path.trim_start_matches('/'));
        Self::start(Content::Assets(assets.to_vec()), first)
            .await
            .map_err(|e| BrowserError::Serve {
                what: "the built-in page".into(),
                why: e.to_string(),
            })
    }

    async fn start(content: Content, page: &str) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let withheld = Withheld::default();
        let url = Url::parse(&format!("http://{address}/{page}")).map_err(std::io::Error::other)?;
        let app = Router::new()
            .fallback(any(answer))
            .with_state(Arc::new((content, withheld.clone())));
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let until = async {
                // Ends when the sender is dropped.
                let _ = stopped.await;
            };
            if let Err(error) = axum::serve(listener, app)
                .with_graceful_shutdown(until)
                .await
            {
                tracing::warn!(%error, "the static server ended");
            }
        });
        Ok(Self {
            url,
            withheld,
            _stop: stop,
        })
    }

    /// The address of the page to open.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// What pages ask for in vain because it lies above what is served.
    pub fn withheld(&self) -> &Withheld {
        &self.withheld
    }
}

/// The page of a folder: "" if it has an index, or the name of its only HTML file.
fn page_of(folder: &Path) -> Result<String, String> {
    if folder.join("index.html").is_file() {
        return Ok(String::new());
    }
    let mut pages: Vec<String> = std::fs::read_dir(folder)
        .map_err(|e| e.to_string())?
        .flatten()
        .filter(|e| is_html(&e.path()) && e.path().is_file())
        .filter_map(|e| e.file_name().into_string().ok())
        .collect();
    pages.sort();
    match pages.as_slice() {
        [] => Err("there is no HTML file in it".into()),
        [page] => Ok(page.clone()),
        many => Err(format!(
            "it has no index.html; name one of its pages: {}",
            many.join(", ")
        )),
    }
}

fn is_html(path: &Path) -> bool {
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm")
}

async fn answer(State(state): State<Arc<(Content, Withheld)>>, request: Request) -> Response {
    let (content, withheld) = &*state;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let mut response = match content {
        Content::Assets(assets) => asset(assets, request.uri().path()),
        Content::Folder(root) => match resolve(root, request.uri().path()) {
            Found::File(path) => file(&path, request).await,
            // Not "//x/", which would be another host.
            Found::Folder => {
                let path = request.uri().path().trim_matches('/');
                Redirect::temporary(&format!("/{path}/")).into_response()
            }
            Found::Nothing => {
                if let Some(above) = lies_above(root, request.uri().path()) {
                    tracing::warn!(
                        path = %clean(request.uri().path(), 200),
                        "not served: it lies above the page; --root {} serves it",
                        above.display()
                    );
                    if is_working_part(&request) {
                        withheld.add(request.uri().path(), above);
                    }
                }
                StatusCode::NOT_FOUND.into_response()
            }
        },
    };
    // A page that is being worked on must be what it is now.
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Is it something without which a page may not work: a script, a style, a frame, or what a script asks for?
/// (Fetch Metadata, W3C: `Sec-Fetch-Dest`.)
fn is_working_part(request: &Request) -> bool {
    let kind = request.headers().get("sec-fetch-dest");
    let kind = kind.and_then(|v| v.to_str().ok());
    matches!(
        kind,
        Some("script" | "style" | "empty" | "worker" | "iframe")
    )
}

fn asset(assets: &[Asset], path: &str) -> Response {
    let Some((name, text)) = assets.iter().find(|(name, _)| *name == path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kind = match Path::new(name).extension().and_then(|e| e.to_str()) {
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], *text).into_response()
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    File(PathBuf),
    /// A folder asked for without its slash.
    Folder,
    Nothing,
}

/// What a request's path (still encoded) means inside `root` (canonical).
fn resolve(root: &Path, path: &str) -> Found {
    let mut full = root.to_path_buf();
    for segment in path.split('/').filter(|s| !s.is_empty()) {
        let Ok(segment) = percent_decode_str(segment).decode_utf8() else {
            return Found::Nothing;
        };
        // A drive, a stream, a parent, a separator smuggled in: no name of a file in the folder has these.
        let odd = ['/', '\\', '\0'].iter().any(|c| segment.contains(*c))
            || (cfg!(windows) && segment.contains(':'));
        if odd || segment == ".." || segment == "." {
            return Found::Nothing;
        }
        full.push(&*segment);
    }
    if full.is_dir() {
        if !path.ends_with('/') {
            return Found::Folder;
        }
        full.push("index.html");
    }
    match full.canonicalize() {
        Ok(real) if real.starts_with(root) && real.is_file() => Found::File(real),
        _ => Found::Nothing,
    }
}

/// The folder above `root` in which what was asked for does lie: addresses with too many `..` end at the root.
fn lies_above<'a>(root: &'a Path, path: &str) -> Option<&'a Path> {
    root.ancestors()
        .skip(1)
        .take(ABOVE)
        .find(|above| matches!(resolve(above, path), Found::File(_)))
}

async fn file(path: &Path, request: Request) -> Response {
    let utf8 = is_html(path) && unlabelled_utf8(path);
    match ServeFile::new(path).try_call(request).await {
        Ok(response) => {
            let mut response = response.map(Body::new);
            if utf8 {
                response.headers_mut().insert(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("text/html; charset=utf-8"),
                );
            }
            if let Some((encoding, kind)) = packed(path) {
                let headers = response.headers_mut();
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            }
            response
        }
        Err(error) => {
            tracing::debug!(path = %path.display(), %error, "not served");
            StatusCode::NOT_FOUND.into_response()
        }
    }
}

/// How a part of a page is packed that bears the mark of it behind its own name (`game.wasm.br`), and what it is: hosts
/// of games that are exported so unpack them on the way. An archive, as which a page may unpack it itself, is none.
fn packed(path: &Path) -> Option<(&'static str, &'static str)> {
    let encoding = match path.extension()?.to_str()? {
        "br" => "br",
        "gz" => "gzip",
        _ => return None,
    };
    let kind = match Path::new(path.file_stem()?).extension()?.to_str()? {
        "js" | "mjs" => "text/javascript",
        "wasm" => "application/wasm",
        "data" => "application/octet-stream",
        _ => return None,
    };
    Some((encoding, kind))
}

/// Is it UTF-8 without saying so? Chromium would take it for windows-1252 and show other signs. A page that
/// does name its encoding is left alone: the header would overrule it.
fn unlabelled_utf8(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|f| f.take(SNIFF).read_to_end(&mut bytes));
    if read.is_err() {
        return false;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    if head.contains("charset")
        || bytes.starts_with(&[0xfe, 0xff])
        || bytes.starts_with(&[0xff, 0xfe])
    {
        return false;
    }
    match std::str::from_utf8(&bytes) {
        Ok(_) => true,
        // Cut in the middle of a sign at the end of what was read.
        Err(error) => bytes.len() as u64 == SNIFF && error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(outer.path().join("secret.txt"), "secret").unwrap();
        std::fs::write(root.join("a b.html"), "<p>é").unwrap();
        std::fs::write(root.join("sub/index.html"), "x").unwrap();
        (outer, root)
    }

    #[test]
    fn files_and_folders_inside_are_found() {
        let (_outer, root) = folder();
        assert_eq!(
            resolve(&root, "/a%20b.html"),
            Found::File(root.join("a b.html"))
        );
        assert_eq!(resolve(&root, "/sub"), Found::Folder);
        assert_eq!(
            resolve(&root, "/sub/"),
            Found::File(root.join("sub/index.html"))
        );
        assert_eq!(resolve(&root, "/"), Found::Nothing);
        assert_eq!(page_of(&root).unwrap(), "a b.html");
        assert!(unlabelled_utf8(&root.join("a b.html")));
    }

    #[test]
    fn nothing_outside_is_found() {
        let (outer, root) = folder();
        let absolute = format!("/{}", outer.path().join("secret.txt").display());
        let mut paths = vec![
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/sub/../../secret.txt",
            "/..%5csecret.txt",
            "/%00",
            "/sub/..%2f..%2fsecret.txt",
            "//etc/passwd",
            "/%2fetc%2fpasswd",
            &absolute,
        ];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outer.path(), root.join("out")).unwrap();
            std::os::unix::fs::symlink(outer.path().join("secret.txt"), root.join("s.txt"))
                .unwrap();
            paths.extend(["/out/secret.txt", "/s.txt"]);
        }
        for path in paths {
            assert_eq!(resolve(&root, path), Found::Nothing, "{path}");
        }
    }

    #[tokio::test]
    async fn a_page_may_be_served_with_what_lies_above_it() {
        let (outer, root) = folder();
        let page = root.join("sub/index.html");
        let served = async |path: &Path| {
            let server = Server::path_within(path, Some(outer.path())).await;
            server.unwrap().url().path().to_string()
        };
        assert_eq!(served(&page).await, "/root/sub/index.html");
        assert_eq!(served(&root.join("sub")).await, "/root/sub/");
        assert_eq!(served(&root).await, "/root/a%20b.html");
        let outside = Server::path_within(&page, Some(&root.join("nowhere"))).await;
        assert!(outside.unwrap_err().to_string().contains("nowhere"));
        std::fs::write(outer.path().join("index.html"), "x").unwrap();
        let outside = Server::path_within(outer.path(), Some(&root)).await;
        assert!(outside.unwrap_err().to_string().contains("not inside"));
        let sub = root.join("sub");
        assert_eq!(lies_above(&sub, "/a%20b.html"), Some(root.as_path()));
        assert_eq!(lies_above(&sub, "/../secret.txt"), None);
        assert_eq!(lies_above(&sub, "/nowhere.js"), None);
    }

    #[tokio::test]
    async fn parts_that_lie_above_a_page_are_withheld_and_told_once_an_opening() {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (_outer, root) = folder();
        std::fs::write(root.join("shared.js"), "x").unwrap();
        let server = Server::path(&root.join("sub")).await.unwrap();
        let ask = async |path: &str, kind: &str| {
            let address = (
                server.url().host_str().unwrap(),
                server.url().port().unwrap(),
            );
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            let request = format!(
                "GET {path} HTTP/1.1\r\nHost: a\r\nSec-Fetch-Dest: {kind}\r\nConnection: close\r\n\r\n"
            );
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
        };
        ask("/shared.js", "script").await;
        ask("/shared.js", "script").await;
        ask("/a%20b.html", "image").await;
        ask("/nowhere.js", "script").await;
        let told = server.withheld().drain();
        let part = PageSignal::PartWithheld {
            path: "/shared.js".into(),
            root: root.display().to_string(),
        };
        assert_eq!(told, std::slice::from_ref(&part));
        ask("/shared.js", "script").await;
        assert!(server.withheld().drain().is_empty());
        server.withheld().opened_anew();
        ask("/shared.js", "script").await;
        assert_eq!(server.withheld().drain(), [part]);
    }

    #[test]
    fn parts_that_are_packed_are_told_from_archives() {
        let packed = |name: &str| packed(Path::new(name));
        assert_eq!(packed("a/game.wasm.br"), Some(("br", "application/wasm")));
        assert_eq!(packed("game.js.gz"), Some(("gzip", "text/javascript")));
        for name in ["game.js", "levels.tar.gz", "levels.gz", "br", ".br"] {
            assert_eq!(packed(name), None, "{name}");
        }
    }

    #[test]
    fn a_page_that_names_its_encoding_is_left_alone() {
        let (_outer, root) = folder();
        let path = root.join("c.html");
        std::fs::write(&path, b"<meta charset=windows-1251><p>\xcf").unwrap();
        assert!(!unlabelled_utf8(&path));
        std::fs::write(&path, b"<p>\xcf").unwrap();
        assert!(!unlabelled_utf8(&path));
    }

    #[test]
    fn a_folder_of_several_pages_asks_for_one() {
        let (_outer, root) = folder();
        std::fs::write(root.join("z.htm"), "x").unwrap();
        let why = page_of(&root).unwrap_err();
        assert!(why.contains("a b.html, z.htm"), "{why}");
        assert!(page_of(&root.join("nowhere")).is_err());
    }
}
