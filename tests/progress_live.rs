//! Every hard kind of change on a page of its own, in a real browser: the clock stands while it is looked at, pointer and
//! focus are at rest.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tetrascope::browser::{NetPolicy, PageOptions, Server, Viewport};
use tetrascope::explore::live::{LiveGround, LiveGroundOptions};
use tetrascope::explore::{Act, Ground, Look};
use tetrascope::model::ClockMode;
use tetrascope::progress::{Answer, Deed, Judgement, Observation, StateAnalyzer};

/// Kinds that are no progress, as the page names them.
const STILL: &[&str] = &[
    "nothing",
    "dead key",
    "hover highlight",
    "tooltip",
    "focus ring",
    "clicked highlight",
    "clock",
    "stopwatch",
    "drawn clock",
    "time bar",
    "idle counter",
    "caret",
    "world",
    "starfield",
    "water",
    "parallax",
    "colour pulse",
    "slow glow",
    "blinking words",
    "breathing",
    "swaying title",
    "flash",
    "shake",
    "ripple",
    "jump",
    "falling piece",
];
/// Kinds that are.
const AHEAD: &[&str] = &[
    "piece moved",
    "digit",
    "drawn digit",
    "checkbox",
    "flag on water",
    "lamp on water",
    "hero in a world",
    "hero under stars",
    "score beside a clock",
    "drawn score beside enemies",
    "menu",
    "faded scene",
    "veil over a world",
    "card turned",
    "ball launched",
    "digit typed",
    "lamp lit",
    "faint mark",
    "word changed",
    "game over in a world",
    "next level of a world",
    "parallax begins",
    "box pushed",
    "piece pushed as it falls",
    "selected",
];

/// One kind in one of its variants: what was seen of it while the clock stood.
async fn judged(ground: &mut LiveGround) -> Judgement {
    ground.open().await.unwrap();
    let deed: Value = ground
        .page()
        .call("window.deed", Duration::from_secs(10))
        .await
        .unwrap();
    let at = |name: &str| deed[name].as_f64().unwrap();
    let mut calm: Vec<Look> = vec![ground.look().await.unwrap()];
    for ms in [250, 250, 250, 1000] {
        ground.pass(ms).await.unwrap();
        calm.push(ground.look().await.unwrap());
    }
    let kind = match deed["do"].as_str().unwrap() {
        "hover" => {
            ground.page().mouse_move(at("x"), at("y")).await.unwrap();
            Deed::Hover
        }
        "click" => {
            let act = Act::click(at("x"), at("y"), "");
            ground.act(&act).await.unwrap();
            Deed::Click
        }
        _ => {
            let act = Act::tap(deed["key"].as_str().unwrap());
            ground.act(&act).await.unwrap();
            Deed::Key
        }
    };
    let mut after = Vec::new();
    for _ in 0..2 {
        ground.pass(1000).await.unwrap();
        after.push(ground.look().await.unwrap());
    }
    let seen = Observation {
        before: calm.last().map(|l| l.picture.clone()),
        idle: calm.iter().map(|l| l.picture.clone()).collect(),
        after: after.iter().map(|l| l.picture.clone()).collect(),
        text_before: calm.last().map(|l| l.text.clone()),
        text_idle: calm.iter().map(|l| l.text.clone()).collect(),
        text_after: after.iter().map(|l| l.text.clone()).collect(),
        deed: kind,
        at_rest: true,
        ..Observation::default()
    };
    StateAnalyzer.has_state_progressed(&seen).unwrap()
}

async fn all_are(kinds: &[&str], expected: Answer) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/progress/kinds.html");
    let server = Server::path(&file).await.unwrap();
    let browser = common::browser().await;
    let mut wrong = Vec::new();
    for (n, kind) in kinds.iter().enumerate() {
        let mut url = server.url().clone();
        // Theme, place, pace and size go round, each at its own step.
        let rate = ["1", "0.5", "2", "1.4"][n % 4];
        let size = ["1", "0.7", "1.3"][n % 3];
        url.query_pairs_mut()
            .append_pair("kind", kind)
            .append_pair("theme", &((n + 1) % 4).to_string())
            .append_pair("place", &(n * 3 % 4).to_string())
            .append_pair("rate", rate)
            .append_pair("size", size);
        let (net, _) = NetPolicy::only(&url, &[]);
        let mut page = PageOptions::new(net);
        page.viewport = Viewport {
            width: 1024,
            height: 768,
            device_pixel_ratio: 1.0,
        };
        let options = LiveGroundOptions {
            url: url.to_string(),
            page,
            clock: ClockMode::Virtual,
            seed: Some(1),
        };
        let mut ground = LiveGround::new(&browser, options).await.unwrap();
        let judgement = judged(&mut ground).await;
        if judgement.verdict != expected {
            wrong.push((*kind, judgement.verdict, judgement.reasons));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_moves_lights_up_or_counts_by_itself_is_no_progress() {
    all_are(STILL, Answer::Unchanged).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_action_changed_is_progress_however_small_and_wherever() {
    all_are(AHEAD, Answer::Progressed).await;
}
