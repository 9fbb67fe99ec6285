//! What this machine has for a browser, and whether it works.
//!
//! Comes in: how a browser would be started. Goes out: [`Diagnosis`], plain data for whoever shows it.
//! Must never know: how it is shown.

use super::chrome::{Browser, BrowserInfo, PageOptions};
use super::error::Result;
use super::guard::NetPolicy;
use super::launch::LaunchOptions;
use super::locate::{Machine, Places, locate, search};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What was found.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    /// Every place looked at, best first.
    pub places: Places,
    /// The program that would be used.
    pub browser: Option<PathBuf>,
    /// What the started browser says of itself.
    pub info: Option<BrowserInfo>,
    /// Would it run inside its sandbox? `None` for one that runs already: it does not say.
    pub sandboxed: Option<bool>,
    /// From the start until a page had evaluated 1+1, or why that failed (untrusted text, control characters
    /// stripped).
    pub starts: Result<Duration, String>,
    /// What may help, in words for people.
    pub hints: Vec<String>,
}

/// Looks for a browser, starts it and asks it something.
pub async fn examine(options: &LaunchOptions) -> Diagnosis {
    let machine = Machine::this();
    let places = search(&machine, options.browser.as_deref(), options.headed);
    let browser = locate(&machine, options.browser.as_deref(), options.headed);
    let sandboxed = options.sandboxed();
    let mut hints = Vec::new();
    if !sandboxed {
        hints.push(
            "the browser runs without its sandbox (as root it must): run as another user for pages you do not trust"
                .into(),
        );
    }
    let begin = Instant::now();
    let mut info = None;
    let starts = match &browser {
        Err(error) => Err(error.to_string()),
        Ok(_) => match try_out(options).await {
            Ok(found) => {
                info = Some(found);
                Ok(begin.elapsed())
            }
            Err(error) => {
                let why = error.to_string();
                hints.extend(hint(&why).map(Into::into));
                Err(why)
            }
        },
    };
    Diagnosis {
        places,
        browser: browser.ok(),
        info,
        sandboxed: Some(sandboxed),
        starts,
        hints,
    }
}

/// Asks a browser something that runs already, at `url`.
pub async fn examine_running(url: &str) -> Diagnosis {
    let begin = Instant::now();
    let answered = async { ask(Browser::connect(url).await?).await }.await;
    let (info, starts) = match answered {
        Ok(info) => (Some(info), Ok(begin.elapsed())),
        Err(error) => (None, Err(error.to_string())),
    };
    Diagnosis {
        places: Places::default(),
        browser: None,
        info,
        sandboxed: None,
        starts,
        hints: Vec::new(),
    }
}

async fn try_out(options: &LaunchOptions) -> Result<BrowserInfo> {
    ask(Browser::launch(options).await?).await
}

async fn ask(browser: Browser) -> Result<BrowserInfo> {
    let page = browser
        .new_page(&PageOptions::new(NetPolicy::open()))
        .await?;
    page.call::<u32>("1+1", Duration::from_secs(10)).await?;
    Ok(browser.info().clone())
}

/// What a failed start's words point to.
fn hint(why: &str) -> Option<&'static str> {
    if why.contains("shared libraries") {
        Some(
            "a library the browser needs is missing; installing the browser by the system's package manager brings it",
        )
    } else if why.contains("usable sandbox") {
        Some(
            "this system does not let the browser make its sandbox; allow unprivileged user namespaces, or pass --no-sandbox",
        )
    } else if why.contains("X server") || why.contains("DISPLAY") || why.contains("ozone") {
        Some("there is no screen for a window; leave --headed out, or start under xvfb-run")
    } else if why.contains("No space left") {
        Some("the disk with the temporary files is full")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn a_missing_library_is_recognised() {
        let why =
            "error while loading shared libraries: libnss3.so: cannot open shared object file";
        assert!(hint(why).is_some_and(|h| h.contains("library")));
        assert_eq!(hint("it said nothing"), None);
    }
}
