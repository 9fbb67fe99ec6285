//! The net guard: what a page may reach, and a proxy that refuses the rest.
//!
//! Comes in: the target's address and what the user allowed. Goes out: yes or no for an address, the proxy
//! settings that make the browser keep to it, and who was refused. Must never know: pages or sessions.
//!
//! The guard is the browser's own proxy setting, per browser context: allowed hosts bypass the proxy, all else
//! is sent to a listener of ours that hangs up. So it holds for whatever goes over the network (fetch, images,
//! web sockets, redirects, workers, popups) and costs an allowed request nothing.

use super::error::clean;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::{Host, Url};

/// A proxy address at which nobody listens (the discard port), for browsers on another machine.
const NOWHERE: &str = "http://127.0.0.1:9";

/// What a page may reach.
#[derive(Debug, Clone)]
pub struct NetPolicy {
    allow_net: bool,
    allowed: Vec<Allowed>,
}

/// A host, with a port if only that one is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Allowed {
    /// Lower case, IPv6 in brackets; without the leading `*.`.
    host: String,
    port: Option<u16>,
    /// Its subdomains, too.
    subdomains: bool,
}

impl NetPolicy {
    /// Everything may be reached (`--allow-net`).
    pub fn open() -> Self {
        Self {
            allow_net: true,
            allowed: Vec::new(),
        }
    }

    /// Only `target`'s own host may be reached, and `hosts` ("host", "host:port", "*.host").
    ///
    /// On this machine itself (127.0.0.1, localhost...) a host is a host *and a port*: what else listens here
    /// is none of a page's business. Entries of `hosts` that are no host are returned, not ignored silently.
    pub fn only(target: &Url, hosts: &[String]) -> (Self, Vec<String>) {
        let mut allowed: Vec<Allowed> = own(target).into_iter().collect();
        let mut bad = Vec::new();
        for host in hosts {
            match parse(host) {
                Some(host) => allowed.push(host),
                None => bad.push(host.clone()),
            }
        }
        let policy = Self {
            allow_net: false,
            allowed,
        };
        (policy, bad)
    }

    /// May this address be reached? Addresses that need no network (data:, blob:, about:) always may.
    pub fn allows(&self, url: &Url) -> bool {
        if self.allow_net || !matches!(url.scheme(), "http" | "https" | "ws" | "wss" | "ftp") {
            return true;
        }
        let Some(host) = url.host_str() else {
            return true;
        };
        let host = host.to_ascii_lowercase();
        let port = url.port_or_known_default();
        self.allowed.iter().any(|allowed| {
            let same = allowed.host == host
                || allowed.subdomains
                    && host
                        .strip_suffix(&allowed.host)
                        .is_some_and(|rest| rest.ends_with('.'));
            same && (allowed.port.is_none() || allowed.port == port)
        })
    }

    /// Chromium's proxy bypass list for this policy; none if all is allowed.
    pub(super) fn bypass_list(&self) -> Option<String> {
        if self.allow_net {
            return None;
        }
        // Takes back the rule by which loopback addresses never use a proxy.
        let mut list = vec!["<-loopback>".to_string()];
        for allowed in &self.allowed {
            let port = allowed.port.map_or_else(String::new, |p| format!(":{p}"));
            list.push(format!("{}{port}", allowed.host));
            if allowed.subdomains {
                list.push(format!("*.{}{port}", allowed.host));
            }
        }
        Some(list.join(";"))
    }
}

fn own(target: &Url) -> Option<Allowed> {
    let local = match target.host()? {
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.is_loopback(),
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
    };
    Some(Allowed {
        host: target.host_str()?.to_ascii_lowercase(),
        port: target.port_or_known_default().filter(|_| local),
        subdomains: false,
    })
}

fn parse(text: &str) -> Option<Allowed> {
    let text = text.trim();
    let (subdomains, rest) = match text.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // A scheme that has no default port, so that a given one is always seen.
    let url = Url::parse(&format!("ws://{rest}/")).ok()?;
    let plain = url.path() == "/" && url.query().is_none() && url.username().is_empty();
    let host = url
        .host_str()
        .filter(|h| plain && !h.contains(['*', ';', ',', '<']))?;
    let port = match rest.rsplit_once(':') {
        Some((_, port)) if !rest.ends_with(']') => Some(port.parse().ok()?),
        _ => None,
    };
    Some(Allowed {
        host: host.to_ascii_lowercase(),
        port,
        subdomains,
    })
}

/// The host (with the port if it is not the scheme's own) under which refusals are counted.
pub(super) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_string(),
    }
}

/// The listener that hangs up on whoever the browser sends to it. Ends when dropped.
#[derive(Debug)]
pub(super) struct Refuser {
    server: String,
    task: Option<tokio::task::JoinHandle<()>>,
}

/// Told of each refused connection: its host with port, and its address as far as it is known.
pub(super) type Refused = Arc<dyn Fn(&Url) + Send + Sync>;

impl Refuser {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start(refused: Refused) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let server = format!("http://{}", listener.local_addr()?);
        let task = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        tokio::spawn(refuse(stream, refused.clone()));
                    }
                    Err(error) => {
                        tracing::debug!(%error, "net guard");
                        tokio::task::yield_now().await;
                    }
                }
            }
        });
        Ok(Self {
            server,
            task: Some(task),
        })
    }

    /// For a browser that cannot reach a listener of ours.
    pub fn nowhere() -> Self {
        Self {
            server: NOWHERE.into(),
            task: None,
        }
    }

    /// What to give the browser as its proxy.
    pub fn server(&self) -> &str {
        &self.server
    }
}

impl Drop for Refuser {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Reads the first line, says who was wanted, and hangs up without a word: to the page it is a network error.
async fn refuse(stream: TcpStream, refused: Refused) {
    let mut line = String::new();
    let mut reader = BufReader::new(stream.take(8192));
    let read = tokio::time::timeout(Duration::from_secs(5), reader.read_line(&mut line)).await;
    if !matches!(read, Ok(Ok(n)) if n > 0) {
        return; // A connection opened ahead, never used.
    }
    if let Some(url) = wanted(&line) {
        refused(&url);
    } else {
        tracing::debug!(line = clean(&line, 200), "net guard: an odd request");
    }
}

/// Whom a proxy request's first line is for. A tunnel names only host and port.
fn wanted(line: &str) -> Option<Url> {
    let mut words = line.split_ascii_whitespace();
    let (method, target) = (words.next()?, words.next()?);
    if method != "CONNECT" {
        return Url::parse(target).ok();
    }
    let scheme = if target.ends_with(":443") {
        "https"
    } else {
        "http"
    };
    Url::parse(&format!("{scheme}://{target}/")).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn check(target: &str, hosts: &[&str], yes: &[&str], no: &[&str]) {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let (policy, bad) = NetPolicy::only(&url(target), &hosts);
        assert_eq!(bad, Vec::<String>::new());
        for text in yes {
            assert!(policy.allows(&url(text)), "{target} should reach {text}");
        }
        for text in no {
            assert!(
                !policy.allows(&url(text)),
                "{target} should not reach {text}"
            );
        }
    }

    #[test]
    fn on_this_machine_another_port_is_another_host() {
        check(
            "http://127.0.0.1:4000/game/",
            &[],
            &[
                "http://127.0.0.1:4000/x",
                "ws://127.0.0.1:4000/",
                "data:,x",
                "about:blank",
            ],
            &[
                "http://127.0.0.1:4001/",
                "http://127.0.0.1/",
                "http://localhost:4000/",
                "http://[::1]:4000/",
            ],
        );
        check(
            "http://[::1]:8080/",
            &[],
            &["http://[::1]:8080/a"],
            &["http://[::1]:81/"],
        );
    }

    #[test]
    fn a_target_elsewhere_reaches_its_own_host_alone() {
        check(
            "https://Example.com/play",
            &[],
            &[
                "https://example.com/a",
                "http://example.com/",
                "wss://example.com:8443/",
            ],
            &[
                "https://cdn.example.com/",
                "https://example.com.evil.net/",
                "https://notexample.com/",
            ],
        );
    }

    #[test]
    fn allowed_hosts_may_name_ports_and_subdomains() {
        check(
            "http://127.0.0.1:1/",
            &["cdn.net", "api.net:8080", "*.fonts.org"],
            &[
                "https://cdn.net/x",
                "http://api.net:8080/",
                "https://a.b.fonts.org/",
                "https://fonts.org/",
            ],
            &[
                "http://api.net/",
                "https://x.cdn.net/",
                "https://evilfonts.org/",
            ],
        );
    }

    #[test]
    fn what_is_no_host_is_said() {
        let hosts = [
            "a b".to_string(),
            "x;y".into(),
            "h/path".into(),
            "<local>".into(),
            "h:99999".into(),
        ];
        let (_, bad) = NetPolicy::only(&url("http://127.0.0.1:1/"), &hosts);
        assert_eq!(bad, hosts);
    }

    #[test]
    fn the_bypass_list_takes_loopback_back_first() {
        let (policy, _) = NetPolicy::only(&url("http://127.0.0.1:4000/"), &["*.a.net".into()]);
        let list = policy.bypass_list().unwrap();
        assert_eq!(list, "<-loopback>;127.0.0.1:4000;a.net;*.a.net");
        assert_eq!(NetPolicy::open().bypass_list(), None);
    }

    #[test]
    fn a_proxy_request_says_whom_it_is_for() {
        let host = |line| wanted(line).map(|u| u.to_string());
        assert_eq!(
            host("CONNECT a.net:443 HTTP/1.1").as_deref(),
            Some("https://a.net/")
        );
        assert_eq!(
            host("CONNECT [::1]:99 HTTP/1.1").as_deref(),
            Some("http://[::1]:99/")
        );
        assert_eq!(
            host("GET http://a.net/x?y HTTP/1.1").as_deref(),
            Some("http://a.net/x?y")
        );
        assert_eq!(host("nonsense"), None);
    }
}
