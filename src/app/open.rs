//! From what the user names to a page that can be opened: its server, its browser, what it may reach.
//!
//! Comes in: arguments. Goes out: an address, a browser, options. Must never know: what is done with the page.

use super::UsageError;
use crate::browser::{
    Browser, BrowserError, LaunchOptions, NetPolicy, PageOptions, Server, Viewport, install,
};
use crate::cli::{BrowserArgs, PageArgs};
use crate::session::harmless;
use color_eyre::eyre::{Result, WrapErr};
use std::path::Path;
use url::Url;

/// The bundled demo game.
const DEMO: &str = include_str!("../../assets/demo/index.html");

/// The page to open, and the server that serves it, if it is ours.
pub(super) struct Target {
    pub name: String,
    pub url: Url,
    server: Option<Server>,
}

pub(super) async fn target(text: Option<&str>, root: Option<&Path>) -> Result<Target> {
    let without_root = |what: &str| match root {
        Some(_) => Err(UsageError(format!(
            "--root is for files and folders; {what} is none"
        ))),
        None => Ok(()),
    };
    let Some(text) = text else {
        without_root("the demo")?;
        let server = Server::assets(&[("/", DEMO)])
            .await
            .wrap_err("the demo could not be served")?;
        return Ok(Target {
            name: "demo".into(),
            url: server.url().clone(),
            server: Some(server),
        });
    };
    if text.starts_with("http://") || text.starts_with("https://") {
        without_root(text)?;
        let url = Url::parse(text).map_err(|e| UsageError(format!("{text} is no address: {e}")))?;
        return Ok(Target {
            name: text.into(),
            url,
            server: None,
        });
    }
    let local = Url::parse(text).ok().filter(|u| u.scheme() == "file");
    let local = local.and_then(|u| Some((u.to_file_path().ok()?, u.query().map(str::to_owned))));
    let from_url = local.map(|(path, query)| {
        let query = query.map_or(String::new(), |q| format!("?{q}"));
        format!("{}{query}", path.display())
    });
    let text = from_url.as_deref().unwrap_or(text);
    let (file, query) = match text.split_once('?') {
        Some((file, query)) if !Path::new(text).exists() => (file, Some(query)),
        _ => (text, None),
    };
    let path = Path::new(file);
    if !path.exists() {
        let host = Url::parse(&format!("http://{text}")).ok();
        let host =
            host.filter(|u| u.port().is_some() || u.host_str().is_some_and(|h| h == "localhost"));
        let hint = host.map_or(String::new(), |u| format!("; did you mean {u} ?"));
        return Err(UsageError(format!(
            "{file} is neither a file nor a folder here, and an address begins with http:// or https://{hint}"
        ))
        .into());
    }
    let server = match Server::path_within(path, root).await {
        Err(BrowserError::Outside { root, .. }) => {
            let why = format!("--root {root}: {file} does not lie in it");
            return Err(UsageError(why).into());
        }
        other => other?,
    };
    let mut url = server.url().clone();
    url.set_query(query);
    Ok(Target {
        name: text.into(),
        url,
        server: Some(server),
    })
}

pub(super) fn launch_options(args: &BrowserArgs) -> LaunchOptions {
    LaunchOptions {
        browser: args.browser.clone(),
        headed: args.headed,
        no_sandbox: args.no_sandbox,
        ..LaunchOptions::default()
    }
}

/// The browser that was asked for.
pub(super) async fn launch(args: &BrowserArgs) -> Result<Browser, BrowserError> {
    match &args.browser_url {
        Some(url) => Browser::connect(url).await,
        None => Browser::launch(&launch_options(args)).await,
    }
}

/// The same; one is installed where none is found and that was asked for.
pub(super) async fn browser(args: &BrowserArgs) -> Result<Browser> {
    match launch(args).await {
        Err(BrowserError::NoBrowser { .. }) if args.install_browser => {
            eprintln!("tetrascope: no browser found, installing one");
            let mut tell = |line: &str| eprintln!("  {}", harmless(line));
            let options = LaunchOptions {
                browser: Some(install::install(args.headed, &mut tell).await?),
                ..launch_options(args)
            };
            Ok(Browser::launch(&options).await?)
        }
        other => Ok(other?),
    }
}

/// How the page is to be opened.
pub(super) fn page_options(target: &Target, page: &PageArgs) -> Result<PageOptions> {
    let net = if page.allow_net {
        NetPolicy::open()
    } else {
        let (net, bad) = NetPolicy::only(&target.url, &page.allow_host);
        if !bad.is_empty() {
            return Err(UsageError(format!("--allow-host: no host: {}", bad.join(", "))).into());
        }
        net
    };
    let mut options = PageOptions::new(net);
    options.withheld = target.server.as_ref().map(|s| s.withheld().clone());
    options.unwatched = !page.browser.headed && page.browser.browser_url.is_none();
    options.viewport = Viewport {
        width: page.viewport.0,
        height: page.viewport.1,
        device_pixel_ratio: page.scale_factor,
    };
    Ok(options)
}
