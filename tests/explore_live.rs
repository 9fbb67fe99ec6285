//! `tetrascope explore` on pages with several screens, in a real browser: it gets past the first on all of them.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod common;

use std::path::Path;
use std::time::Duration;
use tetrascope::browser::{NetPolicy, PageOptions, Server};
use tetrascope::explore::live::{LiveGround, LiveGroundOptions};
use tetrascope::explore::{Ending, Helm, Journey, Limits, Scene, Step, explore};
use tetrascope::model::ClockMode;
use tetrascope::progress::Answer;
use tetrascope::progress::Observation;

async fn journey(page: &str, until: Option<&str>, actions: usize) -> Journey {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/pages/explore")
        .join(page);
    let server = Server::path(&file).await.unwrap();
    let browser = common::browser().await;
    let (net, _) = NetPolicy::only(server.url(), &[]);
    let options = LiveGroundOptions {
        url: server.url().to_string(),
        page: PageOptions::new(net),
        clock: ClockMode::Virtual,
        seed: Some(1),
    };
    let mut ground = LiveGround::new(&browser, options).await.unwrap();
    let limits = Limits {
        actions,
        time: Some(Duration::from_mins(5)),
        until: until.map(Into::into),
        advised: false,
    };
    let mut nobody = |_: &Scene, _: Option<(&Step, &Observation)>| {};
    explore(
        &mut ground,
        page,
        &limits,
        None,
        &Helm::default(),
        &mut nobody,
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_glowing_title_through_a_locked_level() {
    let journey = journey("title.html", Some("Terminus"), 50).await;
    assert_eq!(journey.ending, Ending::Goal, "{journey:#?}");
    assert!(journey.screens >= 3, "{}", journey.screens);
    // On the title only the one key was progress.
    let first: Vec<_> = journey.steps.iter().filter(|s| s.state == 0).collect();
    let mut ahead = first.iter().filter(|s| s.verdict == Answer::Progressed);
    assert!(ahead.all(|s| s.action.contains("Space")), "{first:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn past_a_dialog_over_everything_to_a_bar_that_a_held_key_fills() {
    let journey = journey("modal.html", Some("Konec"), 60).await;
    assert_eq!(journey.ending, Ending::Goal, "{journey:#?}");
    assert!(journey.screens >= 2, "{}", journey.screens);
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_menu_past_a_modal_to_the_end_of_a_board() {
    let journey = journey("menu.html", Some("Geschafft"), 40).await;
    assert_eq!(journey.ending, Ending::Goal, "{journey:#?}");
    assert!(journey.screens >= 3, "{}", journey.screens);
    // The button that only lights up is no progress, though the title above it sways.
    let dumb = journey.steps.iter().find(|s| s.action.contains("Stumm"));
    assert!(
        dumb.is_none_or(|s| s.verdict == Answer::Unchanged),
        "{dumb:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn through_a_drawn_button_under_moving_stars_into_a_room() {
    let journey = journey("canvas.html", None, 16).await;
    assert!(journey.screens >= 2, "{journey:#?}");
    // Nobody was told of the key that moves, and none of the stars was taken for progress.
    let told: Vec<_> = journey
        .steps
        .iter()
        .filter(|s| s.verdict == Answer::Progressed)
        .collect();
    assert!(told.iter().any(|s| s.action.contains("Arrow")), "{told:#?}");
    assert!(
        journey
            .steps
            .iter()
            .take_while(|s| s.state == 0)
            .filter(|s| s.verdict == Answer::Progressed)
            .count()
            <= 1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_must_be_ticked_before_a_level_opens_and_a_clock_is_no_progress() {
    let journey = journey("levels.html", Some("Finito"), 30).await;
    assert_eq!(journey.ending, Ending::Goal, "{journey:#?}");
    assert_eq!(journey.dialogs, ["Bravo"]);
    assert!(
        journey
            .steps
            .iter()
            .filter(|s| s.action.starts_with("wait"))
            .all(|s| s.verdict == Answer::Unchanged)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_not_there_ends_the_journey_with_the_reason() {
    let browser = common::browser().await;
    let url = url::Url::parse("http://127.0.0.1:9/").unwrap();
    let (net, _) = NetPolicy::only(&url, &[]);
    let options = LiveGroundOptions {
        url: url.to_string(),
        page: PageOptions::new(net),
        clock: ClockMode::Virtual,
        seed: None,
    };
    let mut ground = LiveGround::new(&browser, options).await.unwrap();
    let limits = Limits {
        actions: 3,
        ..Limits::default()
    };
    let mut nobody = |_: &Scene, _: Option<(&Step, &Observation)>| {};
    let helm = Helm::default();
    let journey = explore(&mut ground, "nowhere", &limits, None, &helm, &mut nobody).await;
    assert!(
        matches!(journey.ending, Ending::Failed { .. }),
        "{journey:#?}"
    );
}
