//! Games that the probe cannot look into or that do not live by its clock: are they found all the same, and where they
//! are?
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::browser;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tetrascope::bot::{Bot, BotOptions, PhaseEnd};
use tetrascope::browser::{NetPolicy, PageOptions, Server};
use tetrascope::driver::live::{LiveDriver, LiveOptions, WebGl};
use tetrascope::driver::{Driver, Gate, Shared};
use tetrascope::evidence::{Evidence, Happening};
use tetrascope::model::{ClockMode, GridEvent, Key, Phase, WebGlOffer};
use url::Url;

/// Loads and starts a page; says by which clock it lives, how its board is read and where that is.
async fn started(page: &str) -> (ClockMode, String, [f64; 4]) {
    let (driver, reader, _) = playing(page).await;
    let r = driver.board().unwrap().rect();
    (
        driver.clock().mode,
        reader,
        [r.x, r.y, r.right(), r.bottom()],
    )
}

/// The page stays served as long as the server is kept.
async fn playing(page: &str) -> (LiveDriver, String, Server) {
    let (mut driver, shared, server) = driven(page).await;
    let mut bot = Bot::new(BotOptions::default());
    for phase in [Phase::Load, Phase::Start] {
        let outcome = bot.phase(&mut driver, phase).await.unwrap();
        assert_eq!(
            outcome.end,
            PhaseEnd::Done,
            "{page}, {phase:?}: {outcome:?}"
        );
    }
    // The status is known with the first reading after the start.
    driver.advance(50.0).await.unwrap();
    let reader = shared.status().reader.clone();
    (driver, reader, server)
}

/// A driver for a page that is not opened yet.
async fn driven(page: &str) -> (LiveDriver, Arc<Shared>, Server) {
    let (name, query) = page.split_once('?').unwrap_or((page, ""));
    let file = Path::new("tests/pages/apart").join(name);
    let server = Server::path(&file).await.unwrap();
    let mut url = server.url().clone();
    url.set_query(Some(query).filter(|q| !q.is_empty()));
    let (driver, shared) = driven_at(&url).await;
    (driver, shared, server)
}

async fn driven_at(url: &Url) -> (LiveDriver, Arc<Shared>) {
    let (net, _) = NetPolicy::only(url, &[]);
    let shared = Arc::new(Shared::default());
    let options = LiveOptions {
        url: url.to_string(),
        page: PageOptions::new(net),
        clock: ClockMode::Virtual,
        may_change: true,
        seed: Some(1),
        webgl: WebGl::default(),
    };
    let gate = Arc::new(Gate::new(f64::INFINITY));
    let driver = LiveDriver::new(Arc::new(browser().await), options, gate, shared.clone())
        .await
        .unwrap();
    (driver, shared)
}

fn near(found: [f64; 4], truth: [f64; 4]) -> bool {
    found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 3.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_in_a_frame_of_another_origin_is_read_from_the_screen() {
    let (mode, reader, board) = started("frame.html").await;
    assert_eq!((mode, reader.as_str()), (ClockMode::Real, "screenshot"));
    assert!(near(board, [100.0, 80.0, 300.0, 480.0]), "{board:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_lives_in_a_worker_lives_by_the_machines_clock() {
    let (mode, reader, board) = started("worker.html").await;
    assert_eq!((mode, reader.as_str()), (ClockMode::Real, "canvas"));
    assert!(near(board, [100.0, 80.0, 300.0, 480.0]), "{board:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_is_shown_otherwise_than_it_is_laid_out_is_read_from_the_screen() {
    let (mut driver, reader, _) = playing("masked.html").await;
    assert_eq!(reader, "screenshot");
    // A page that scrolls under a key is told all the same.
    let before = driver.evidence(|e| e.scrolls().len());
    driver.press(&Key::new("x"), 50.0).await.unwrap();
    assert!(driver.evidence(|e| e.scrolls().len()) > before);
    // And the board is still where it was.
    let active = driver.advance(50.0).await.unwrap().active;
    assert_eq!(active.map(|piece| piece.cells.len()), Some(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_on_a_page_that_is_scrolled_is_seen_as_it_is_shown() {
    let (_, reader, board) = started("scrolled.html").await;
    assert_eq!(reader, "canvas");
    assert!(near(board, [103.0, 303.0, 303.0, 703.0]), "{board:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn webgl_that_is_slow_is_refused_where_the_page_draws_as_well_without() {
    for (without, expected) in [
        ("plain", "canvas"),
        ("still", "webgl"),
        ("throws", "webgl"),
        ("none", "webgl"),
    ] {
        let (driver, reader, board) = {
            let (driver, reader, _server) = playing(&format!("webgl.html?without={without}")).await;
            let r = driver.board().unwrap().rect();
            (driver, reader, [r.x, r.y, r.right(), r.bottom()])
        };
        assert_eq!(reader, expected, "{without}");
        assert!(
            near(board, [100.0, 80.0, 300.0, 480.0]),
            "{without}: {board:?}"
        );
        let refused = driver.evidence(|e| {
            e.surveys()
                .last()
                .is_some_and(|s| s.1.webgl == WebGlOffer::Refused)
        });
        assert_eq!(refused, expected == "canvas", "{without}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loads_itself_anew_is_watched_on_and_time_goes_on() {
    let (mut driver, _, _server) = playing("anew.html").await;
    driver.press(&Key::new("x"), 50.0).await.unwrap();
    let since_ms = driver.now_ms();
    let loaded = driver.evidence(Evidence::last).seq;
    let rows = |d: &LiveDriver| {
        let fell = |h: &&Happening| matches!(h.event, GridEvent::PieceMoved { .. });
        d.evidence(|e| {
            let since = e.happenings_in(loaded + 1..=e.last().seq);
            since.iter().filter(fell).count()
        })
    };
    let mut waited = 0.0;
    while rows(&driver) < 3 && waited < 10_000.0 {
        waited += driver.advance(200.0).await.unwrap().passed_ms;
    }
    assert!(rows(&driver) >= 3);
    let passed = driver.now_ms() - since_ms;
    assert!((passed - waited).abs() < 1.0, "{passed} {waited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_headline_that_shimmers_is_no_game_that_the_probe_cannot_see() {
    let (mut driver, _, _server) = driven("shimmer.html").await;
    driver.open().await.unwrap();
    driver.advance(400.0).await.unwrap();
    assert!(!driver.moves_unseen().await.unwrap());
}

/// Game time must not outrun the pictures that a page fetches, or there is a hole where a block is.
#[tokio::test(flavor = "multi_thread")]
async fn blocks_that_are_pictures_are_seen_as_soon_as_they_move() {
    let (mut driver, shared, server) = driven("pictures.html").await;
    let mut bot = Bot::new(BotOptions::default());
    for phase in [Phase::Load, Phase::Start] {
        let outcome = bot.phase(&mut driver, phase).await.unwrap();
        assert_eq!(outcome.end, PhaseEnd::Done, "{phase:?}: {outcome:?}");
    }
    let from = shared.evidence().last().seq;
    driver.advance(6_000.0).await.unwrap();
    let evidence = shared.evidence();
    let seen = evidence.readings_in(from..=evidence.last().seq);
    let blocks: Vec<usize> = seen.iter().map(|r| r.blocks.places().len()).collect();
    assert!(blocks.len() > 10, "{blocks:?}");
    assert!(blocks.iter().all(|n| n % 4 == 0), "{blocks:?}");
    drop(server);
}

/// What never comes is not waited for at each look, or a page could make ten minutes of a minute's game.
#[tokio::test(flavor = "multi_thread")]
async fn pictures_that_never_come_are_given_up() {
    let server = common::server().await;
    let page = server.join("pictures.html").unwrap();
    let (mut driver, shared) = driven_at(&page).await;
    let mut bot = Bot::new(BotOptions::default());
    for phase in [Phase::Load, Phase::Start] {
        let outcome = bot.phase(&mut driver, phase).await.unwrap();
        assert_eq!(outcome.end, PhaseEnd::Done, "{phase:?}: {outcome:?}");
    }
    let from = shared.evidence().last().game_us;
    // 600 pictures in all, of which a look may wait 600 ms for each.
    let played = tokio::time::timeout(Duration::from_secs(45), driver.advance(60_000.0)).await;
    assert!(matches!(played, Ok(Ok(_))), "{played:?}");
    assert!(shared.evidence().last().game_us - from > 55_000_000);
}
