//! A browser, its pages and the net guard; the only home of chromiumoxide.
//!
//! Comes in: what to open and how. Goes out: values of scripts, pictures, signals, typed errors.
//! Must never know: what a board, a piece or a game is.
//!
//! ```no_run
//! # async fn f() -> Result<(), tetrascope::browser::BrowserError> {
//! use std::time::Duration;
//! use tetrascope::browser::{Browser, LaunchOptions, NetPolicy, PageOptions};
//! use tetrascope::model::Key;
//!
//! let url = url::Url::parse("http://127.0.0.1:8080/").expect("a URL");
//! let browser = Browser::launch(&LaunchOptions::default()).await?;
//! let (net, _not_hosts) = NetPolicy::only(&url, &[]);
//! let mut options = PageOptions::new(net);
//! options.init_scripts.push("window.early = 1".into());
//! let page = browser.new_page(&options).await?;
//! let arrival = page.goto(url.as_str(), Duration::from_secs(10)).await?;
//! let two: u32 = page.call("Promise.resolve(1 + 1)", Duration::from_secs(2)).await?;
//! page.key_down(&Key::new("ArrowLeft"), false).await?;
//! page.key_up(&Key::new("ArrowLeft")).await?;
//! page.click(100.0, 100.0).await?;
//! let picture = page.screenshot(None, false).await?;
//! for signal in page.signals() { /* dialogs, errors, refusals, a crash... */ }
//! # Ok(()) }
//! ```
//!
//! Pages of one browser share nothing (each has a browser context of its own). Dropping a [`Page`] closes it;
//! dropping the [`Browser`] ends its processes and removes its profile.
//!
//! | file | duty |
//! | --- | --- |
//! | `locate` | find a program |
//! | `doctor`, `install` | say what is there; get one |
//! | `process`, `launch` | its profile and arguments; start it, leave none behind |
//! | `wire` | the socket |
//! | `chrome` | a browser: [`Browser`] |
//! | `watch`, `signals` | what a page does unasked |
//! | `page`, `load`, `input`, `ax` | what a page is asked: [`Page`] |
//! | `guard` | what a page may reach: [`NetPolicy`] |
//! | `probe` | the scripts inside the page, and what they are asked: [`probe::Probe`] |
//! | `server` | folders, files and embedded pages on 127.0.0.1: [`Server`] |

mod ax;
mod chrome;
mod content;
pub mod doctor;
mod error;
mod guard;
mod input;
pub mod install;
mod launch;
mod load;
pub mod locate;
mod page;
pub mod probe;
mod process;
pub mod server;
mod signals;
mod watch;
mod wire;

pub use chrome::{Browser, BrowserInfo, PageOptions};
pub use error::{BrowserError, Result};
pub use guard::NetPolicy;
pub use launch::LaunchOptions;
pub use load::{Arrival, LoadState};
pub use page::{Page, Viewport};
pub use server::{Server, Withheld};
