//! Pages that misbehave, in the real browser: none may hang us, lead us elsewhere or go unnoticed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{SOON, browser, page, server, signal, until};
use std::time::{Duration, Instant};
use tetrascope::browser::{BrowserError, LoadState};
use tetrascope::model::{Key, PageSignal};

/// Shorter than any test waits: for calls that are meant to run out.
const BRIEF: Duration = Duration::from_millis(500);

/// For pages that use up whatever time they are given: a loaded machine still opens them within it.
const UNFINISHED: Duration = Duration::from_secs(6);

fn dialogs(signals: &[PageSignal]) -> Vec<(&str, &str)> {
    fn text(s: &PageSignal) -> Option<(&str, &str)> {
        match s {
            PageSignal::Dialog { kind, text } => Some((kind.as_str(), text.as_str())),
            _ => None,
        }
    }
    signals.iter().filter_map(text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_are_answered_at_once_and_their_texts_kept() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    let arrival = page.goto(&format!("{url}alerts.html"), SOON).await.unwrap();
    assert_eq!(arrival.state, LoadState::Complete);
    let seen = signal(
        &page,
        |s| matches!(s, PageSignal::Dialog { kind, .. } if kind == "prompt"),
    )
    .await;
    let texts = dialogs(&seen);
    assert_eq!(texts.len(), 33);
    assert_eq!(texts[0], ("alert", "at load"));
    assert_eq!(texts[31..], [("confirm", "sure?"), ("prompt", "name?")]);
    until("answers", async || {
        page.call("typeof answers === 'object'", SOON)
            .await
            .unwrap()
    })
    .await;
    let answers: (bool, String, Vec<Option<String>>) = page.call("answers", SOON).await.unwrap();
    let (sure, name, again) = answers;
    assert_eq!((sure, name.as_str()), (true, "nobody"));
    let again: Vec<Option<&str>> = again.iter().map(Option::as_deref).collect();
    assert_eq!(again, [Some("abc"), Some("1"), None, None]);
    // A page that has been touched may ask whether to leave: we leave.
    page.click(50.0, 50.0).await.unwrap();
    let arrival = page
        .goto(&format!("{url}unfinished.html"), UNFINISHED)
        .await
        .unwrap();
    assert!(arrival.url.ends_with("unfinished.html"));
    assert!(
        dialogs(&page.signals())
            .iter()
            .any(|(kind, _)| *kind == "beforeunload")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_at_load_is_told_and_can_be_ended() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    let arrival = page
        .goto(&format!("{url}hang-at-load.html"), UNFINISHED)
        .await
        .unwrap();
    assert_eq!(arrival.state, LoadState::Hung);
    assert!(page.unhang(3).await.unwrap());
    let after: String = page.call("after", SOON).await.unwrap();
    assert_eq!(after, "came back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_in_a_key_handler_times_out_and_can_be_ended() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    page.goto(&format!("{url}hang-later.html"), SOON)
        .await
        .unwrap();
    let key = Key::new("ArrowLeft");
    let press = page.key_down(&key, false);
    assert!(tokio::time::timeout(BRIEF, press).await.is_err());
    let answer: Result<u32, _> = page.call("1", BRIEF).await;
    assert!(
        matches!(answer, Err(BrowserError::Timeout { .. })),
        "{answer:?}"
    );
    assert!(
        page.signals()
            .iter()
            .any(|s| matches!(s, PageSignal::Unresponsive { .. }))
    );
    assert!(page.unhang(3).await.unwrap());
    assert_eq!(page.call::<u32>("1 + 1", SOON).await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_finishes_can_be_used_all_the_same() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    let arrival = page
        .goto(&format!("{url}unfinished.html"), UNFINISHED)
        .await
        .unwrap();
    assert_eq!(
        (arrival.state, arrival.status),
        (LoadState::Interactive, Some(200))
    );
    assert_eq!(page.call::<u32>("ready", SOON).await.unwrap(), 1);
    let arrival = page.goto(&format!("{url}half"), UNFINISHED).await.unwrap();
    assert_eq!(arrival.state, LoadState::Partial);
    assert_eq!(
        page.call::<String>("p.textContent", SOON).await.unwrap(),
        "here"
    );
    let begin = Instant::now();
    let silent = page.goto(&format!("{url}silent"), BRIEF).await;
    assert!(
        matches!(silent, Err(BrowserError::Timeout { .. })),
        "{silent:?}"
    );
    assert!(begin.elapsed() < SOON);
    let missing = page.goto(&format!("{url}nowhere"), SOON).await.unwrap();
    assert_eq!(missing.status, Some(404));
}

#[tokio::test(flavor = "multi_thread")]
async fn popups_are_closed_and_told() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    page.goto(&format!("{url}popups.html"), SOON).await.unwrap();
    let popup =
        |s: &PageSignal| matches!(s, PageSignal::PopupClosed { url } if url.contains("?popup"));
    let mut seen = signal(&page, popup).await;
    seen.extend(signal(&page, popup).await);
    assert_eq!(seen.iter().filter(|s| popup(s)).count(), 2, "{seen:?}");
    assert_eq!(
        page.call::<String>("document.title", SOON).await.unwrap(),
        "popups"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_are_refused_and_told() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    page.goto(&format!("{url}downloads.html"), SOON)
        .await
        .unwrap();
    let told = |s: &PageSignal| matches!(s, PageSignal::DownloadRefused { url } if url.ends_with("/file.bin"));
    signal(&page, told).await;
    // A document that turns out to be a download cannot be opened.
    let opened = page.goto(&format!("{url}file.bin"), SOON).await;
    assert!(
        matches!(opened, Err(BrowserError::Navigation { .. })),
        "{opened:?}"
    );
    assert_eq!(page.call::<u32>("1", SOON).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_megabytes_are_a_page() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    let arrival = page.goto(&format!("{url}huge"), SOON * 2).await.unwrap();
    assert_eq!(arrival.state, LoadState::Complete);
    assert_eq!(page.call::<u32>("done", SOON).await.unwrap(), 1);
    // A value of that size comes, or is an error; it is not the end.
    let size: usize = page
        .call::<String>("'y'.repeat(3e7)", SOON)
        .await
        .unwrap()
        .len();
    assert_eq!(size, 30_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_console_flood_is_bounded_and_calls_still_answer() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    page.goto(&format!("{url}flood.html"), SOON).await.unwrap();
    until("a flood", async || page.console_floods() > 0).await;
    for _ in 0..20 {
        let turns: u32 = page.call("turns", SOON).await.unwrap();
        assert!(turns > 0);
    }
    assert!(page.signals().len() <= 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_terminal_escape_gets_into_a_signal() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    page.goto(&format!("{url}escapes.html"), SOON)
        .await
        .unwrap();
    let thrown = |s: &PageSignal| matches!(s, PageSignal::UncaughtError { .. });
    let mut seen = signal(&page, thrown).await;
    seen.extend(signal(&page, thrown).await);
    let texts: Vec<&str> = seen
        .iter()
        .filter_map(|s| match s {
            PageSignal::Dialog { text, .. }
            | PageSignal::ConsoleError { text }
            | PageSignal::UncaughtError { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts.len(), 4, "{seen:?}");
    for text in texts {
        assert!(text.contains("owned text31m end"), "{text:?}");
        assert!(
            !text.chars().any(|c| c.is_control() || c == '\u{202e}'),
            "{text:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_crash_ends_calls_and_spares_other_pages() {
    let (browser, url) = (browser().await, server().await);
    let (page, other) = (page(&browser, &url).await, page(&browser, &url).await);
    page.goto(&format!("{url}hang-later.html"), SOON)
        .await
        .unwrap();
    let (waiting, crash) = tokio::join!(
        page.call::<u32>("new Promise(() => {})", SOON),
        page.goto("chrome://crash", SOON),
    );
    assert!(matches!(waiting, Err(BrowserError::Crashed)), "{waiting:?}");
    assert!(crash.is_err());
    signal(&page, |s| *s == PageSignal::Crashed).await;
    let after = page.call::<u32>("1", SOON).await;
    assert!(matches!(after, Err(BrowserError::Crashed)), "{after:?}");
    assert_eq!(other.call::<u32>("1", SOON).await.unwrap(), 1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_fails_what_is_pending_at_once() {
    use rustix::process::{Pid, Signal, kill_process};
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    let pid = Pid::from_raw(browser.info().process.unwrap() as i32).unwrap();
    let waiting = page.call::<u32>("new Promise(() => {})", SOON);
    let killing = async {
        kill_process(pid, Signal::KILL).unwrap();
        Instant::now()
    };
    let (waiting, killed) = tokio::join!(waiting, killing);
    assert!(killed.elapsed() < SOON / 2);
    assert!(
        matches!(waiting, Err(BrowserError::BrowserGone)),
        "{waiting:?}"
    );
    signal(&page, |s| *s == PageSignal::BrowserGone).await;
    let after = page.key_down(&Key::new(" "), false).await;
    assert!(matches!(after, Err(BrowserError::BrowserGone)), "{after:?}");
    assert!(!browser.is_alive());
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_that_are_not_to_be_had_are_told_and_no_others() {
    let (browser, url) = (browser().await, server().await);
    let page = page(&browser, &url).await;
    page.goto(&format!("{url}lost-scripts.html"), SOON)
        .await
        .unwrap();
    let mut lost = Vec::new();
    until("three scripts that did not come", async || {
        lost.extend(page.signals().into_iter().filter_map(|s| match s {
            PageSignal::ScriptMissing { url: of, what } => {
                Some((of.replace(url.as_str(), ""), what))
            }
            _ => None,
        }));
        lost.len() >= 3
    })
    .await;
    lost.sort();
    let expected = [
        ("file.bin?as=module", "application/octet-stream"),
        ("lost.js", "status 404"),
        ("picture.js", "image/png"),
    ];
    assert_eq!(lost, expected.map(|(of, what)| (of.into(), what.into())));
}
