//! The net guard, in the real browser: another host sees nobody, unless it is allowed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Other, SOON, browser, page, page_allowing, server, signal, until};
use std::collections::BTreeMap;
use tetrascope::browser::{BrowserError, LoadState};
use tetrascope::model::PageSignal;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_on_a_page_reaches_another_host() {
    let (browser, url, other) = (browser().await, server().await, Other::start().await);
    for host in ["127.0.0.1", "localhost"] {
        let host = format!("{host}:{}", other.port);
        let page = page(&browser, &url).await;
        let arrival = page
            .goto(&format!("{url}reaches.html?other={host}"), SOON)
            .await
            .unwrap();
        assert_eq!(arrival.state, LoadState::Complete);
        let outcome: BTreeMap<String, String> = page.call("outcome", SOON).await.unwrap();
        for (way, outcome) in &outcome {
            assert_eq!(
                outcome,
                if way == "beacon" { "sent" } else { "error" },
                "{way}"
            );
        }
        assert_eq!(outcome.len(), 11);
        signal(&page, |s| matches!(s, PageSignal::PopupClosed { .. })).await;
        // fetch, no-cors, redirect, image, script, style, socket, beacon, events, frame at the least.
        until("ten refusals", async || {
            page.refused().get(&host).is_some_and(|n| *n >= 10)
        })
        .await;
        assert_eq!(page.refused().len(), 1);
        assert_eq!(
            page.call::<String>("document.title", SOON).await.unwrap(),
            "reaches"
        );
    }
    assert_eq!(other.seen(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_allowed_is_reached() {
    let (browser, url, other) = (browser().await, server().await, Other::start().await);
    let host = format!("127.0.0.1:{}", other.port);
    let page = page_allowing(&browser, &url, std::slice::from_ref(&host)).await;
    page.goto(&format!("{url}reaches.html?other={host}"), SOON)
        .await
        .unwrap();
    let outcome: BTreeMap<String, String> = page.call("outcome", SOON).await.unwrap();
    assert_eq!(outcome["fetch"], "loaded");
    assert_eq!(outcome["redirect"], "loaded");
    assert!(other.seen() > 0);
    assert_eq!(page.refused(), BTreeMap::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_wants_to_leave_stays() {
    let (browser, url, other) = (browser().await, server().await, Other::start().await);
    let page = page(&browser, &url).await;
    let to = format!("http://localhost:{}/elsewhere", other.port);
    let away = format!("{url}away?to={to}");
    let refused = |s: &PageSignal| matches!(s, PageSignal::NavigationRefused { url } if *url == to);
    let clicked = |s: &PageSignal| matches!(s, PageSignal::NavigationRefused { url } if url.ends_with("/link"));
    for target in [&to, &away] {
        page.goto(&format!("{url}leaves.html?to={target}"), SOON)
            .await
            .unwrap();
        signal(&page, refused).await;
        page.click(50.0, 50.0).await.unwrap();
        signal(&page, clicked).await;
        assert_eq!(
            page.call::<String>("document.title", SOON).await.unwrap(),
            "leaves"
        );
    }
    for address in [&to, &away] {
        let opened = page.goto(address, SOON).await;
        assert!(
            matches!(opened, Err(BrowserError::Navigation { .. })),
            "{opened:?}"
        );
    }
    assert_eq!(other.seen(), 0);
}
