//! A well-behaved page, in the real browser.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::{Duration, Instant};
use tetrascope::browser::{Browser, LaunchOptions, NetPolicy, PageOptions};
use tetrascope::model::Key;

const SOON: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn a_page_answers_and_keys_reach_it() {
    let begin = Instant::now();
    let browser = Browser::launch(&LaunchOptions::default()).await.unwrap();
    let up = begin.elapsed();
    let mut options = PageOptions::new(NetPolicy::open());
    options.init_scripts.push("window.early = 1".into());
    let page = browser.new_page(&options).await.unwrap();
    let arrival = page
        .goto("data:text/html,<body style='margin:0;background:red'><script>seen=[];for(const t of ['keydown','keypress','keyup'])addEventListener(t,e=>seen.push([t,e.key,e.code,e.keyCode,e.repeat]))</script>", SOON)
        .await
        .unwrap();
    let two: u32 = page.call("Promise.resolve(1 + early)", SOON).await.unwrap();
    eprintln!(
        "{:?} up {up:?} first {:?} {arrival:?}",
        browser.info(),
        begin.elapsed()
    );
    assert_eq!(two, 2);
    page.key_down(&Key::new("z"), false).await.unwrap();
    page.key_up(&Key::new("z")).await.unwrap();
    let seen: serde_json::Value = page.call("seen", SOON).await.unwrap();
    assert_eq!(
        seen,
        serde_json::json!([
            ["keydown", "z", "KeyZ", 90, false],
            ["keypress", "z", "KeyZ", 122, false],
            ["keyup", "z", "KeyZ", 90, false]
        ])
    );
    let picture = page.screenshot(None, false).await.unwrap();
    assert_eq!(
        (picture.width(), picture.height(), picture.at(5, 5)),
        (1280, 800, [255, 0, 0])
    );
}
