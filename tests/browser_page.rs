//! A well-behaved page, in the real browser.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{SOON, probed};
use std::time::Instant;
use tetrascope::browser::probe::{AdvanceOptions, ProbeOptions};
use tetrascope::browser::{
    Browser, BrowserError, LaunchOptions, LoadState, NetPolicy, Page, PageOptions, Server,
    Viewport, doctor,
};
use tetrascope::model::{Key, PageSignal, Rect};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_answers_and_keys_reach_it() {
    let browser = Browser::launch(&LaunchOptions::default()).await.unwrap();
    let mut options = PageOptions::new(NetPolicy::open());
    options.init_scripts.push("window.early = 1".into());
    let page = browser.new_page(&options).await.unwrap();
    page
        .goto("data:text/html,<body style='margin:0;background:red'><script>seen=[];for(const t of ['keydown','keypress','keyup'])addEventListener(t,e=>seen.push([t,e.key,e.code,e.keyCode,e.repeat]))</script>", SOON)
        .await
        .unwrap();
    let two: u32 = page.call("Promise.resolve(1 + early)", SOON).await.unwrap();
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

/// A session runs on a task that may move between threads.
#[test]
fn what_a_page_does_can_run_on_any_thread() {
    fn any_thread<T: Send>(_: impl Fn(Page) -> T) {}
    any_thread(|page| async move {
        page.goto("about:blank", SOON).await?;
        page.reload(SOON).await?;
        page.unhang(1).await?;
        page.call::<u32>("1", SOON).await
    });
    any_thread(|page| async move {
        page.next_signal().await;
        page.click(0.0, 0.0).await?;
        page.screenshot(None, true).await
    });
}

/// Many games write down what they know when they are left, and do it after the next document is there.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_stores_as_it_is_left_is_forgotten_too() {
    const SAVES: &str = "<script>
        past = localStorage.getItem('kept');
        localStorage.setItem('kept', 'all the time');
        for (const t of ['visibilitychange', 'pagehide', 'beforeunload', 'unload', 'blur'])
            for (const on of [window, document])
                on.addEventListener(t, () => localStorage.setItem('kept', 'at ' + t), true);
        onpagehide = () => localStorage.setItem('kept', 'at its end');
    </script>";
    const FRAMED: &str = "<script>past = null</script><iframe src=/saves></iframe>";
    let (browser, server, _page) = pages_of(&[("/saves", SAVES), ("/framed", FRAMED)]).await;
    let (page, probe) = probed(&browser, server.url(), &ProbeOptions::default()).await;
    for path in ["saves", "framed", "saves", "saves"] {
        let url = server.url().join(path).unwrap();
        page.goto(url.as_str(), SOON).await.unwrap();
        let past: Option<String> = page.call("past", SOON).await.unwrap();
        assert_eq!(past, None, "{path}");
        probe.forget(&page, url.as_str()).await.unwrap();
    }
}

/// Pages load themselves anew when a new version of them has come, even as they are looked at.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loads_itself_anew_while_it_is_asked_is_asked_again() {
    // Frames that take their time in tasks of their own: the next document comes amid them.
    const ANEW: &str = "<script>
        if (!sessionStorage.again) {
            sessionStorage.again = 1;
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {};
            const work = () => {
                port2.postMessage(0);
                for (let i = 0; i < 2e7; i++);
                requestAnimationFrame(work);
            };
            work();
            setTimeout(() => location.reload(), 10);
        }
    </script>";
    let (browser, server, _page) = pages_of(&[("/", ANEW)]).await;
    let (page, probe) = probed(&browser, server.url(), &ProbeOptions::default()).await;
    page.goto(server.url().as_str(), SOON).await.unwrap();
    let options = AdvanceOptions {
        blind: true,
        ..AdvanceOptions::default()
    };
    let seen = probe.advance(&page, 3_000.0, options, SOON).await.unwrap();
    assert!((seen.now_ms - 3_000.0).abs() < 1.0, "{}", seen.now_ms);
}

async fn pages_of(pages: &'static [(&'static str, &'static str)]) -> (Browser, Server, Page) {
    let browser = Browser::launch(&LaunchOptions::default()).await.unwrap();
    let server = Server::assets(pages).await.unwrap();
    let (net, _) = NetPolicy::only(server.url(), &[]);
    let mut options = PageOptions::new(net);
    options
        .init_scripts
        .push("window.early = 'early in ' + location.pathname".into());
    let page = browser.new_page(&options).await.unwrap();
    (browser, server, page)
}

#[tokio::test(flavor = "multi_thread")]
async fn init_scripts_run_first_in_every_frame_and_again_after_a_reload() {
    let (_browser, server, page) = pages_of(&[
        ("/", "<script>first = early</script><iframe src=/inner></iframe><iframe srcdoc='<script>top.doc = typeof early</script>'></iframe>"),
        ("/inner", "<script>top.inner = early</script>"),
    ])
    .await;
    for round in 0..2 {
        let arrival = if round == 0 {
            page.goto(server.url().as_str(), SOON).await.unwrap()
        } else {
            page.reload(SOON).await.unwrap()
        };
        assert_eq!(
            (arrival.state, arrival.status),
            (LoadState::Complete, Some(200))
        );
        let seen: (String, String, String) = page.call("[first, inner, doc]", SOON).await.unwrap();
        assert_eq!(
            seen,
            (
                "early in /".into(),
                "early in /inner".into(),
                "string".into()
            )
        );
        assert_eq!(page.inflight(), 0);
    }
    let loaded = page
        .signals()
        .iter()
        .filter(|s| matches!(s, PageSignal::Loaded { .. }))
        .count();
    assert_eq!(loaded, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screenshot_is_of_the_document_scrolled_out_parts_included() {
    let (_browser, server, page) = pages_of(&[(
        "/",
        "<!doctype html><style>body{margin:0;height:3000px;background:#fff}div{position:absolute;left:100px;width:100px;height:100px}</style><div style='top:100px;background:#f00'></div><div style='top:2000px;background:#00f'></div>",
    )])
    .await;
    page.goto(server.url().as_str(), SOON).await.unwrap();
    let near = Rect::new(100.0, 100.0, 100.0, 100.0);
    let far = Rect::new(100.0, 2000.0, 100.0, 100.0);
    for scroll in [0, 1500] {
        page.call::<()>(&format!("void scrollTo(0, {scroll})"), SOON)
            .await
            .unwrap();
        for (rect, colour) in [(near, [255, 0, 0]), (far, [0, 0, 255])] {
            let picture = page.screenshot(Some(rect), true).await.unwrap();
            assert_eq!((picture.width(), picture.height()), (100, 100));
            assert_eq!(
                [picture.at(1, 1), picture.at(98, 98)],
                [colour; 2],
                "{rect:?} at {scroll}"
            );
        }
        let visible = if scroll == 0 {
            (near, [255, 0, 0])
        } else {
            (far, [0, 0, 255])
        };
        let picture = page.screenshot(Some(visible.0), false).await.unwrap();
        assert_eq!(
            [picture.at(1, 1), picture.at(98, 98)],
            [visible.1; 2],
            "in view at {scroll}"
        );
    }
    let whole = page.screenshot(None, true).await.unwrap();
    assert_eq!(whole.height(), 3000);
    let viewport = Viewport {
        width: 400,
        height: 300,
        device_pixel_ratio: 2.0,
    };
    page.set_viewport(viewport).await.unwrap();
    let picture = page.screenshot(None, false).await.unwrap();
    assert_eq!((picture.width(), picture.height()), (800, 600));
    assert_eq!(
        page.call::<(u32, u32, f64)>("[innerWidth, innerHeight, devicePixelRatio]", SOON)
            .await
            .unwrap(),
        (400, 300, 2.0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_wheel_and_held_keys_arrive_as_a_person_would_send_them() {
    let (_browser, server, page) = pages_of(&[(
        "/",
        "<!doctype html><body style='height:5000px'><script>seen = []; for (const t of ['mousedown', 'mouseup', 'click']) addEventListener(t, e => seen.push([t, e.clientX, e.clientY, e.isTrusted])); addEventListener('keydown', e => seen.push([e.key, e.shiftKey, e.repeat]))</script>",
    )])
    .await;
    page.goto(server.url().as_str(), SOON).await.unwrap();
    page.click(30.0, 40.0).await.unwrap();
    let (shift, left) = (Key::new("Shift"), Key::new("ArrowLeft"));
    page.key_down(&shift, false).await.unwrap();
    page.key_down(&left, false).await.unwrap();
    page.key_down(&left, true).await.unwrap();
    page.key_up(&shift).await.unwrap();
    page.key_down(&left, true).await.unwrap();
    page.key_up(&left).await.unwrap();
    let seen: serde_json::Value = page.call("seen", SOON).await.unwrap();
    let wanted = serde_json::json!([
        ["mousedown", 30, 40, true],
        ["mouseup", 30, 40, true],
        ["click", 30, 40, true],
        ["Shift", true, false],
        ["ArrowLeft", true, false],
        ["ArrowLeft", true, true],
        ["ArrowLeft", false, true],
    ]);
    assert_eq!(seen, wanted);
    page.wheel(200.0, 200.0, 0.0, 300.0).await.unwrap();
    // Scrolling follows in a later frame.
    let scrolled = "new Promise(done => { const look = () => scrollY > 0 ? done(true) : requestAnimationFrame(look); look(); })";
    assert!(page.call::<bool>(scrolled, SOON).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_painted_small_is_as_large_as_ever() {
    let (_browser, server, page) = pages_of(&[(
        "/",
        "<!doctype html><body style='margin:0;background:#fff'><div style='position:absolute;left:301px;top:203px;width:1px;height:1px;background:red'></div><script>seen = []; told = 0; addEventListener('resize', () => ++told); for (const t of ['mousemove', 'mousedown', 'click']) addEventListener(t, e => e.clientX && seen.push([t, e.clientX, e.clientY, e.isTrusted]))</script>",
    )])
    .await;
    page.paint_small(true).await.unwrap();
    page.goto(server.url().as_str(), SOON).await.unwrap();
    page.click(301.0, 203.0).await.unwrap();
    let wanted = serde_json::json!([
        ["mousemove", 301, 203, true],
        ["mousedown", 301, 203, true],
        ["click", 301, 203, true],
    ]);
    let picture = page.screenshot(None, false).await.unwrap();
    assert_eq!((picture.width(), picture.height()), (1280, 800));
    assert_eq!(picture.at(301, 203), [255, 0, 0]);
    // A frame later, and the page has heard of nothing but the click. (Chromium itself moves the mouse to 0, 0 at first.)
    let seen = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(seen), 50)))";
    let seen: serde_json::Value = page.call(seen, SOON).await.unwrap();
    assert_eq!(seen, wanted);
    for beside in [(300, 203), (302, 203), (301, 202), (301, 204)] {
        assert_eq!(picture.at(beside.0, beside.1), [255; 3], "{beside:?}");
    }
    let size = "[innerWidth, innerHeight, devicePixelRatio, visualViewport.width, told]";
    assert_eq!(
        page.call::<(f64, f64, f64, f64, f64)>(size, SOON)
            .await
            .unwrap(),
        (1280.0, 800.0, 1.0, 1280.0, 0.0)
    );
    page.paint_small(false).await.unwrap();
    page.click(30.0, 40.0).await.unwrap();
    let last: serde_json::Value = page.call("seen.at(-1)", SOON).await.unwrap();
    assert_eq!(last, serde_json::json!(["click", 30, 40, true]));
}

#[tokio::test(flavor = "multi_thread")]
async fn webgl_draws_without_a_gpu() {
    let (_browser, server, page) = pages_of(&[(
        "/",
        "<!doctype html><body style='margin:0'><canvas id=c width=100 height=100></canvas><script>gl = c.getContext('webgl', {preserveDrawingBuffer: true}); gl.clearColor(0, 1, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT)</script>",
    )])
    .await;
    page.goto(server.url().as_str(), SOON).await.unwrap();
    // What the canvas drew is put on the screen in a later frame.
    let until = Instant::now() + SOON;
    loop {
        let picture = page.screenshot(None, false).await.unwrap();
        if picture.at(50, 50) == [0, 255, 0] {
            return;
        }
        if Instant::now() >= until {
            let seen =
                "[String(gl), gl?.isContextLost(), gl?.getError(), document.visibilityState]";
            let seen: serde_json::Value = page.call(seen, SOON).await.unwrap();
            panic!("{:?} {seen}", picture.at(50, 50));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_browser_is_used_and_left_running_and_guarded_all_the_same() {
    let (owner, server, _page) = pages_of(&[("/", "<title>there</title>")]).await;
    let other = Server::assets(&[("/", "never")]).await.unwrap();
    let socket = url::Url::parse(&owner.info().socket).unwrap();
    let http = format!("http://localhost:{}", socket.port().unwrap());
    for address in [socket.as_str(), &http] {
        let browser = Browser::connect(address).await.unwrap();
        assert_eq!(browser.info().process, None);
        let (net, _) = NetPolicy::only(server.url(), &[]);
        let page = browser.new_page(&PageOptions::new(net)).await.unwrap();
        page.goto(server.url().as_str(), SOON).await.unwrap();
        assert_eq!(
            page.call::<String>("document.title", SOON).await.unwrap(),
            "there"
        );
        let fetch = format!(
            "fetch('{}', {{mode: 'no-cors'}}).then(() => 'came', () => 'refused')",
            other.url()
        );
        assert_eq!(page.call::<String>(&fetch, SOON).await.unwrap(), "refused");
        assert_eq!(page.refused().values().sum::<u32>(), 1);
    }
    assert!(owner.is_alive());
    let nobody = Browser::connect("http://127.0.0.1:9").await;
    assert!(
        matches!(nobody, Err(BrowserError::Connect { .. })),
        "{nobody:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_throws_or_gives_something_else_is_a_typed_error() {
    let (_browser, server, page) = pages_of(&[("/", "x")]).await;
    page.goto(server.url().as_str(), SOON).await.unwrap();
    for script in [
        "nothing.at.all",
        "Promise.reject(new Error('no'))",
        "'text'",
        "(() => { throw 'text' })()",
    ] {
        let answer = page.call::<u32>(script, SOON).await;
        assert!(
            matches!(answer, Err(BrowserError::Script { .. })),
            "{script}: {answer:?}"
        );
    }
    let gone = page
        .call::<u32>("location.reload(), new Promise(() => {})", SOON)
        .await;
    assert!(
        matches!(gone, Err(BrowserError::DocumentReplaced)),
        "{gone:?}"
    );
    for address in ["no address", "http://127.0.0.1:9/"] {
        let opened = page.goto(address, SOON).await;
        assert!(
            matches!(opened, Err(BrowserError::Navigation { .. })),
            "{opened:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_start_says_why() {
    let options = LaunchOptions {
        browser: Some("/bin/false".into()),
        ..LaunchOptions::default()
    };
    let error = Browser::launch(&options).await.unwrap_err();
    assert!(matches!(error, BrowserError::Launch { .. }), "{error}");
    let options = LaunchOptions {
        browser: Some("/no/such/browser".into()),
        ..LaunchOptions::default()
    };
    let error = Browser::launch(&options).await.unwrap_err();
    assert!(matches!(error, BrowserError::NotAProgram { .. }), "{error}");
    let found = doctor::examine(&options).await;
    assert!(found.starts.is_err() && found.browser.is_none());
    let found = doctor::examine(&LaunchOptions::default()).await;
    assert!(found.starts.is_ok(), "{found:?}");
    assert!(found.info.is_some() && found.places.best().is_some());
}

/// Not a test of right or wrong: it prints what things cost.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn what_it_costs() {
    for program in ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] {
        let options = LaunchOptions {
            browser: Some(program.into()),
            ..LaunchOptions::default()
        };
        let mut starts = Vec::new();
        for _ in 0..5 {
            starts.push(doctor::examine(&options).await.starts.unwrap());
        }
        starts.sort();
        let browser = Browser::launch(&options).await.unwrap();
        let server = Server::assets(&[("/", "<!doctype html>")]).await.unwrap();
        let (net, _) = NetPolicy::only(server.url(), &[]);
        let page = browser.new_page(&PageOptions::new(net)).await.unwrap();
        page.goto(server.url().as_str(), SOON).await.unwrap();
        let key = Key::new("ArrowLeft");
        let (mut calls, mut keys, mut fetches) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..300 {
            let begin = Instant::now();
            page.call::<u32>("1+1", SOON).await.unwrap();
            calls.push(begin.elapsed());
            let begin = Instant::now();
            page.key_down(&key, false).await.unwrap();
            keys.push(begin.elapsed());
            page.key_up(&key).await.unwrap();
            let begin = Instant::now();
            page.call::<u32>("fetch('/').then(r => r.status)", SOON)
                .await
                .unwrap();
            fetches.push(begin.elapsed());
        }
        for times in [&mut calls, &mut keys, &mut fetches] {
            times.sort();
        }
        eprintln!(
            "{program}: start to first value {:?} (median of 5); call {:?}, key_down {:?}, same-origin fetch {:?} (medians of 300; 95 %: {:?} {:?} {:?})",
            starts[2], calls[150], keys[150], fetches[150], calls[285], keys[285], fetches[285]
        );
    }
}
