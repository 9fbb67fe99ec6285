//! What is measured of a page beside the judgement, in a real browser, on pages whose faults are known.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{SOON, browser, probed};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tetrascope::browser::probe::{Probe, ProbeOptions};
use tetrascope::browser::{NetPolicy, Page, PageOptions, Server};
use tetrascope::driver::live::{LiveDriver, LiveOptions, WebGl};
use tetrascope::driver::{Driver, DriverError, Gate, Shared};
use tetrascope::evidence::Evidence;
use tetrascope::model::{Access, Board, By, ClockMode, Key, Measure};
use tetrascope::report::{Accessibility, BotReport, Facts, FindingKind};

struct Open {
    page: Page,
    probe: Probe,
    _server: Server,
    _browser: tetrascope::browser::Browser,
}

async fn served(name: &str) -> (Server, String) {
    let (file, query) = name.split_once('?').unwrap_or((name, ""));
    let file = Path::new("tests/pages/access").join(file);
    let server = Server::path(&file).await.unwrap();
    let mut url = server.url().clone();
    url.set_query(Some(query));
    (server, url.to_string())
}

async fn open(name: &str, mode: ClockMode) -> Open {
    let browser = browser().await;
    let (server, url) = served(name).await;
    let options = ProbeOptions {
        mode,
        ..ProbeOptions::default()
    };
    let (page, probe) = probed(&browser, server.url(), &options).await;
    page.goto(&url, SOON).await.unwrap();
    Open {
        page,
        probe,
        _server: server,
        _browser: browser,
    }
}

async fn access(open: &Open) -> Access {
    let mut access = open.probe.access(&open.page).await.unwrap();
    access.nodes = open.page.ax_tree(SOON).await.unwrap();
    access
}

fn contrast<'a>(access: &'a Access, text: &str) -> Option<&'a tetrascope::model::Contrast> {
    access.contrasts.iter().find(|c| c.text == text)
}

#[tokio::test]
async fn contrast_is_that_of_the_ink_on_what_lies_behind() {
    let page = open("poor.html", ClockMode::Virtual).await;
    let access = access(&page).await;
    let near = |text: &str, least: f64, most: f64| {
        let found = contrast(&access, text).unwrap_or_else(|| panic!("{text} is not told"));
        let (a, b) = found.ratio.unwrap();
        assert!(
            (a - least).abs() < 0.05 && (b - most).abs() < 0.05,
            "{text}: {a} to {b}"
        );
    };
    // By the formula of WCAG.
    near("faint on white", 2.32, 2.32);
    near("faint on dark", 1.64, 1.64);
    near("faint by opacity", 1.50, 1.50);
    near("on a gradient", 1.0, 4.69);
    assert_eq!(contrast(&access, "on a picture").unwrap().ratio, None);
    near("on a thin veil", 1.30, 7.46);
    for fine in [
        "clear on dark",
        "large enough",
        "on its own ground",
        "not in use",
        "left",
    ] {
        assert_eq!(contrast(&access, fine), None, "{fine}");
    }
    assert!(access.texts >= 9, "{access:#?}");
}

#[tokio::test]
async fn the_faults_of_a_page_are_told_and_nothing_else() {
    let poor = open("poor.html", ClockMode::Virtual).await;
    let access = access(&poor).await;
    assert_eq!(access.title, "");
    assert_eq!(access.bare_canvases.len(), 1);
    assert_eq!(access.canvas_texts, 1);
    assert_eq!(access.endless_animations, 1);
    assert!(!access.asks_for_reduced_motion);
    let names: Vec<&str> = access.mouse_only.iter().map(|n| n.text.as_str()).collect();
    assert_eq!(names, ["left"]);
    // #nameless, #named, #reached; the one not in use is none.
    assert_eq!(access.tabbable, 3);
    assert!(access.live.is_empty());
    let named = |role: &str| -> Vec<&str> {
        let of_role = access.nodes.iter().filter(|n| n.role == role);
        of_role.map(|n| n.name.as_str()).collect()
    };
    assert_eq!(named("button"), ["not in use", "", "start"]);
    assert_eq!(named("image"), ["", "the board"]);
}

#[tokio::test]
async fn a_good_page_has_no_faults() {
    let page = open("good.html", ClockMode::Virtual).await;
    let access = access(&page).await;
    assert_eq!(access.contrasts, Vec::new());
    assert_eq!(access.bare_canvases, Vec::new());
    assert_eq!(access.mouse_only, Vec::new());
    assert_eq!(access.live.len(), 1);
    assert_eq!(access.endless_animations, 1);
    assert!(access.asks_for_reduced_motion);
    assert_eq!(
        (access.title.as_str(), access.lang.as_str()),
        ("Good", "en")
    );
    let roles = ["heading", "main", "button", "link"];
    for role in roles {
        assert!(access.nodes.iter().any(|n| n.role == role), "{role}");
    }
}

#[tokio::test]
async fn the_pace_is_that_of_the_browser_and_long_tasks_are_counted_by_either_clock() {
    for mode in [ClockMode::Virtual, ClockMode::Real] {
        let calm = open("good.html", mode).await;
        let pace = calm.probe.pace(&calm.page, 300.0).await.unwrap();
        assert!(pace.elapsed_ms >= 300.0 && pace.frames >= 3, "{pace:?}");
        let busy = open("poor.html?busy=3000000", mode).await;
        let pace = busy.probe.pace(&busy.page, 500.0).await;
        let pace = pace.unwrap_or_else(|e| panic!("{mode:?}: {e}"));
        // A loaded machine makes tasks longer and fewer, never shorter.
        assert!(
            pace.long_tasks >= 1 && pace.longest_task_ms >= 50.0,
            "{mode:?} {pace:?}"
        );
        assert!(pace.frames >= 1, "{mode:?} {pace:?}");
    }
}

/// A driver on a page, opened.
async fn driver(name: &str) -> (Server, LiveDriver, Arc<Shared>) {
    let (server, url) = served(name).await;
    let (net, _) = NetPolicy::only(server.url(), &[]);
    let shared = Arc::new(Shared::default());
    let options = LiveOptions {
        url,
        page: PageOptions::new(net),
        clock: ClockMode::Virtual,
        may_change: false,
        seed: Some(1),
        webgl: WebGl::default(),
    };
    let gate = Arc::new(Gate::new(f64::INFINITY));
    let browser = Arc::new(browser().await);
    let mut driver = LiveDriver::new(browser, options, gate, shared.clone())
        .await
        .unwrap();
    driver.open().await.unwrap();
    (server, driver, shared)
}

fn judged(evidence: &Evidence) -> (BotReport, Accessibility) {
    let report = BotReport::new(evidence, &Facts::default());
    let access = report.accessibility.clone().expect("it was measured");
    (report, access)
}

#[tokio::test]
async fn the_report_says_what_fails_and_what_needs_a_person() {
    let (_server, mut driver, shared) = driver("poor.html?trap").await;
    driver.measure_page().await.unwrap();
    driver.measure_play().await.unwrap();
    let (report, access) = judged(&shared.evidence());
    let rules = |kind: FindingKind| -> Vec<&str> {
        let of_kind = access.findings.iter().filter(|f| f.kind == kind);
        of_kind.map(|f| f.rule.as_str()).collect()
    };
    assert_eq!(
        rules(FindingKind::Fails),
        [
            "title",
            "language",
            "zoom",
            "control_names",
            "picture_names",
            "canvas_names",
            "contrast",
            "tab_dead"
        ]
    );
    assert_eq!(
        rules(FindingKind::NeedsAPerson),
        [
            "headings",
            "landmarks",
            "canvas_texts",
            "contrast_unclear",
            "mouse_only",
            "live_regions",
            "motion"
        ]
    );
    assert!(!access.pass && access.issue_count == 8);
    let performance = report.performance.expect("it was measured");
    assert!(performance.load_time_ms.is_some_and(|ms| ms > 0.0));
    assert!(performance.first_paint_ms.is_some_and(|ms| ms > 0.0));
    assert!(performance.frame_rate.is_some_and(|f| f > 5.0 && f < 200.0));
}

#[tokio::test]
async fn a_good_page_fails_nothing_and_tab_goes_round() {
    let (_server, mut driver, shared) = driver("good.html").await;
    driver.measure_page().await.unwrap();
    driver.measure_play().await.unwrap();
    let evidence = shared.evidence();
    let (_, access) = judged(&evidence);
    assert_eq!(access.issues, Vec::<String>::new());
    assert!(access.pass);
    assert_eq!(access.needs_a_person, Vec::<String>::new());
    let tabs = evidence.measures().iter().find_map(|(_, m)| match m {
        Measure::Tabs(tabs) => Some(tabs.clone()),
        _ => None,
    });
    let tabs = tabs.unwrap();
    assert_eq!(tabs.stops[0], "");
    assert!(
        tabs.stops[1].contains("button") && tabs.stops[2].contains('a'),
        "{tabs:?}"
    );
}

#[tokio::test]
async fn a_board_that_is_not_read_for_long_ends_the_run() {
    let (_server, driver, _shared) = driver("good.html").await;
    let mut driver = driver.with_patience(Duration::from_millis(300));
    let canvas = Board {
        x: 8.0,
        y: 80.0,
        cell_width: 10.0,
        cell_height: 10.0,
        columns: 10,
        rows: 20,
        confidence: 1.0,
        why: String::new(),
        sure: tetrascope::model::Sure::default(),
    };
    driver.watch(canvas, None, By::Discovery).await.unwrap();
    driver.advance(1_000.0).await.expect("it can be read");
    driver
        .click(0.0, 0.0)
        .await
        .expect("a click elsewhere changes nothing");
    let hidden = Board {
        x: 5_000.0,
        y: 9_000.0,
        ..driver.board().cloned().unwrap()
    };
    driver.watch(hidden, None, By::Discovery).await.unwrap();
    let end = async {
        loop {
            if let Err(error) = driver.advance(50.0).await {
                return error;
            }
        }
    };
    let error = tokio::time::timeout(SOON, end).await.expect("it ends");
    assert!(matches!(error, DriverError::Inactive(0)), "{error}");
}

#[tokio::test]
async fn the_focus_comes_back_from_buttons_and_frames() {
    for (frame, expected) in [("own", "inside"), ("elsewhere", "iframe")] {
        let open = open(&format!("frames.html?{frame}"), ClockMode::Virtual).await;
        let press = async |key: &str| {
            let key = Key::new(key);
            open.page.key_down(&key, false).await.unwrap();
            open.page.key_up(&key).await.unwrap();
        };
        let focus = async || open.probe.focus(&open.page).await.unwrap();
        // To the button, and from there into the frame.
        let mut went = Vec::new();
        for heard in ["a ", "a a "] {
            open.probe.keep_focus(&open.page).await.unwrap();
            press("Tab").await;
            went.push(focus().await);
            open.probe.give_focus_back(&open.page).await.unwrap();
            assert_eq!(focus().await, "", "{went:?}");
            press("a").await;
            let all: String = open
                .page
                .call("document.getElementById('heard').textContent", SOON)
                .await
                .unwrap();
            assert_eq!(all.replace("Tab ", ""), heard, "{went:?}");
        }
        assert!(went[1].contains(expected), "{went:?}");
        // A button loses it, and has it again when asked.
        let script = "(document.querySelector('button').focus(), 0)";
        let _: u32 = open.page.call(script, SOON).await.unwrap();
        let button = focus().await;
        assert!(open.probe.leave_button(&open.page).await.unwrap());
        assert_eq!(focus().await, "");
        assert!(!open.probe.leave_button(&open.page).await.unwrap());
        open.probe.give_focus_back(&open.page).await.unwrap();
        assert_eq!(focus().await, button);
        open.probe.leave_button(&open.page).await.unwrap();
        // What had it before has it again.
        press("Tab").await;
        let first = focus().await;
        open.probe.keep_focus(&open.page).await.unwrap();
        press("Tab").await;
        open.probe.give_focus_back(&open.page).await.unwrap();
        assert_eq!(focus().await, first);
    }
}
