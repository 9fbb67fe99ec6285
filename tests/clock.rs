//! The game clock and its neighbours in the page, in the real browser.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tetrascope::browser::{Browser, LaunchOptions, NetPolicy, Page, PageOptions, Server};
use tetrascope::model::PageSignal;

const SOON: Duration = Duration::from_secs(20);
/// Real time in which a clock that leaks would show it.
const A_WHILE: Duration = Duration::from_millis(400);

fn probe(mode: &str) -> String {
    let config = json!({"token": "tok5", "mode": mode, "seed": 7, "epoch": 1_700_000_000_000_u64, "skipGl": true});
    let scripts = [
        include_str!("../assets/probe/core.js"),
        include_str!("../assets/probe/clock.js"),
        include_str!("../assets/probe/timers.js"),
        include_str!("../assets/probe/dates.js"),
        include_str!("../assets/probe/motion.js"),
        include_str!("../assets/probe/tally.js"),
        include_str!("../assets/probe/sheet.js"),
        include_str!("../assets/probe/webgl.js"),
        include_str!("../assets/probe/beneath.js"),
        include_str!("../assets/probe/text.js"),
    ];
    format!("(()=>{{const CFG={config};\n{}\n}})();", scripts.join("\n"))
}

struct Opened {
    page: Page,
    _browser: Browser,
    _server: Server,
}

impl Opened {
    async fn new(name: &str, mode: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/pages/clock")
            .join(name);
        let server = Server::path(&path).await.unwrap();
        let browser = Browser::launch(&LaunchOptions::default()).await.unwrap();
        let (net, _) = NetPolicy::only(server.url(), &[]);
        let mut options = PageOptions::new(net);
        options.init_scripts.push(probe(mode));
        let page = browser.new_page(&options).await.unwrap();
        page.goto(server.url().as_str(), SOON).await.unwrap();
        Self {
            page,
            _browser: browser,
            _server: server,
        }
    }

    async fn get(&self, expression: &str) -> Value {
        self.page.call(expression, SOON).await.unwrap()
    }

    async fn step(&self, ms: u32) -> Value {
        self.get(&format!("tok5.clock.step({ms})")).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_loop_stands_still_until_stepped_and_then_keeps_game_time() {
    let it = Opened::new("loops.html", "virtual").await;
    let before = it.get("count").await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(it.get("count").await, before);
    assert_eq!(it.get("moments.size").await, json!(1));
    let mut report = Value::Null;
    for _ in 0..21 {
        report = it.step(50).await;
    }
    assert_eq!(report["now"], json!(1050));
    assert_eq!(report["rafs"], json!(1));
    assert_eq!(
        it.get("count").await,
        json!({"frames": 63, "accumulator": 10, "interval": 10, "chain": 10, "string": 1, "sleeps": 10,
               "idle": 3, "task": 1, "dates": 1050})
    );
    let moments = it.get("moments.size").await.as_u64().unwrap();
    assert!(
        moments > 60,
        "a message loop saw {moments} moments of a second"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_long_step_runs_what_many_short_ones_run() {
    let it = Opened::new("loops.html", "virtual").await;
    it.get("tok5.clock.step(1050, {bulk: true})").await;
    assert_eq!(
        it.get("[count.frames, count.interval, count.sleeps, count.dates]")
            .await,
        json!([63, 10, 10, 1050])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_and_frames_keep_the_order_they_have_natively() {
    let it = Opened::new("order.html", "virtual").await;
    it.step(100).await;
    assert_eq!(
        it.get("log").await,
        json!([
            "this is window",
            "first@10",
            "interval@12",
            "added earlier@15",
            "frame@17",
            "promise@17",
            "same frame@17",
            "interval@24",
            "late@30",
            "next frame@33"
        ])
    );
    let gaps = it
        .get("(async () => { const g = nest(); await tok5.clock.step(100); return g })()")
        .await;
    assert_eq!(gaps, json!([1, 1, 1, 1, 4, 4, 4, 4]));
    let frame = it
        .get("(async () => { const a = await tok5.clock.frame(), b = await tok5.clock.frame(); return [a.frames, b.frames, b.now - a.now] })()")
        .await;
    assert_eq!((&frame[0], &frame[1]), (&json!(1), &json!(1)));
    assert!((frame[2].as_f64().unwrap() - 1000.0 / 60.0).abs() < 1e-6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_looks_at_its_natives_finds_nothing_odd() {
    let it = Opened::new("natives.html", "virtual").await;
    assert_eq!(it.get("odd").await, json!([]));
    it.step(20).await;
    assert_eq!(it.get("patched").await, json!(2));
    let drawn = it.get("drawn").await;
    let again = Opened::new("natives.html", "virtual").await;
    assert_eq!(
        again.get("drawn").await,
        drawn,
        "a seed gives the same game"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn transitions_animations_and_svg_move_and_end_by_game_time() {
    let it = Opened::new("motion.html", "virtual").await;
    assert_eq!(it.get("go()").await, json!(["running", 1]));
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(it.get("places()").await, json!([0, 0, 0, 0]));
    it.step(500).await;
    let half = it.get("places()").await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(it.get("places()").await, half, "frozen again");
    for (place, expected) in half.as_array().unwrap().iter().zip([50.0, 5.0, 100.0, 5.0]) {
        assert!((place.as_f64().unwrap() - expected).abs() <= 2.0, "{half}");
    }
    it.step(600).await;
    assert_eq!(it.get("places()").await, json!([100, 11, 100, 11]));
    assert_eq!(
        it.get("ends").await,
        json!(["script@500 finished 1", "transition@1000"])
    );
}

/// A framework's root listens for every end; to wait for the browser to tell of each takes a frame of real time.
#[tokio::test(flavor = "multi_thread")]
async fn ends_that_only_a_root_hears_of_are_waited_for_where_something_comes_of_them() {
    let it = Opened::new("ends.html", "virtual").await;
    it.get("fade()").await;
    it.step(10_000).await;
    let ends = it.get("tok5.clock.stats().ends").await.as_u64().unwrap();
    assert!((12..30).contains(&ends), "{ends} of 100 waited for");
    it.get("pop()").await;
    it.step(4_000).await;
    let late = it.get("late").await;
    let late: Vec<i64> = serde_json::from_value(late).unwrap();
    assert!(late.len() >= 19, "{late:?}");
    // Told of with the frame in which it ended, and at most one of real time later.
    assert!(late.iter().all(|ms| ms.abs() <= 34), "{late:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_that_fade_reach_their_end_however_the_clock_is_stepped() {
    let it = Opened::new("fades.html", "virtual").await;
    let mut looks = 0;
    for (i, ms) in [17, 50, 50, 250, 33, 400, 16, 100, 50, 50]
        .iter()
        .cycle()
        .take(60)
        .enumerate()
    {
        it.step(*ms).await;
        if i % 7 == 0 {
            tokio::time::sleep(A_WHILE).await;
        }
        let stuck = it.get("stuck()").await;
        if !stuck.is_null() {
            looks += 1;
            assert_eq!(stuck, json!([]), "after step {i}");
        }
    }
    assert!(looks > 20, "{looks} looks");
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_every_kind_share_the_clock_and_removed_ones_fall_silent() {
    let it = Opened::new("frames.html", "virtual").await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(it.get("counts()").await, json!([0, 0, 0, 0]));
    it.step(550).await;
    assert_eq!(it.get("counts()").await, json!([5, 5, 5, 5]));
    assert_eq!(it.get("tok5.frames().length").await, json!(5));
    assert_eq!(it.get("$('file').contentWindow.born").await, json!(100));
    let calls = it
        .get("(async () => { for (const f of [$('file'), $('inline'), made, hidden]) f.remove(); return (await tok5.clock.step(500)).calls })()")
        .await;
    assert_eq!(calls, json!(0));
    assert_eq!(it.get("tok5.frames().length").await, json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_waits_end_and_cost_the_game_time_they_wait_for() {
    let it = Opened::new("waits.html", "virtual").await;
    it.get("busy()").await;
    let report = it.step(60).await;
    assert_eq!(it.get("log").await, json!([26, 250]));
    assert!(report["now"].as_f64().unwrap() >= 250.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_callback_throws_is_the_pages_uncaught_error_and_stops_nothing() {
    let it = Opened::new("waits.html", "virtual").await;
    it.get("wrong()").await;
    it.step(100).await;
    assert_eq!(it.get("log").await, json!(["after"]));
    assert_eq!(it.get("tok5.clock.stats().errors").await, json!(3));
    let mut errors = Vec::new();
    while errors.len() < 4 {
        let signal = tokio::time::timeout(SOON, it.page.next_signal())
            .await
            .unwrap();
        if let PageSignal::UncaughtError { text } = signal {
            errors.push(text);
        }
    }
    for part in ["the first", "thereIsNoSuchThing", "in a frame", "a promise"] {
        assert!(
            errors.iter().any(|e| e.contains(part)),
            "{part} in {errors:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_had_to_be_killed_does_not_take_the_clock_with_it() {
    let it = Opened::new("waits.html", "virtual").await;
    it.get("hang()").await;
    let hung = it
        .page
        .call::<Value>("tok5.clock.step(1000)", Duration::from_millis(500))
        .await;
    assert!(hung.is_err());
    it.page.unhang(3).await.unwrap();
    let report = it.step(1000).await;
    assert_eq!(report["now"], json!(1300));
    assert_eq!(it.get("turns").await, json!(13));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_keeps_its_own_time_and_is_counted() {
    let it = Opened::new("worker.html", "virtual").await;
    let started = std::time::Instant::now();
    while it.get("beats").await.as_u64().unwrap() < 5 {
        assert!(started.elapsed() < SOON, "the worker never beat");
    }
    let stats = it.get("tok5.clock.stats()").await;
    assert_eq!((&stats["workers"], &stats["audio"]), (&json!(1), &json!(1)));
    assert_eq!(it.get("heard()[1]").await, json!(true));
    assert_eq!(it.get("tok5.clock.stats().audioClockReads").await, json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audio_clock_tells_game_time_and_sounds_still_end() {
    let it = Opened::new("worker.html", "virtual").await;
    // Before somebody touches the page a browser lets no context run.
    it.page.click(10.0, 10.0).await.unwrap();
    let state = it.get("audio.resume().then(() => audio.state)").await;
    assert_eq!(state, json!("running"));
    let started = std::time::Instant::now();
    let before = it.get("audio.currentTime").await.as_f64().unwrap();
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(it.get("audio.currentTime").await, json!(before), "frozen");
    it.step(60_000).await;
    let after = it.get("audio.currentTime").await.as_f64().unwrap();
    assert!((after - before - 60.0).abs() < 1e-6, "{before} {after}");
    it.get("play()").await;
    while it.get("ended").await != json!(1) {
        assert!(started.elapsed() < SOON, "the sound never ended");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_real_time_nothing_of_time_is_touched() {
    let it = Opened::new("loops.html", "real").await;
    let report = it.step(5000).await;
    assert_eq!(report["calls"], json!(0));
    assert!(report["now"].as_f64().unwrap() < 5000.0);
    let started = std::time::Instant::now();
    while it.get("count.interval").await.as_f64().unwrap() < 3.0 {
        assert!(started.elapsed() < SOON, "time stands still");
    }
    assert!(it.get("Date.now()").await.as_f64().unwrap() > 1_750_000_000_000.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn canvas_texts_are_known_until_they_are_painted_over() {
    let it = Opened::new("text.html", "virtual").await;
    let texts = async |drawing: &str| {
        it.get(&format!(
            "(() => {{ {drawing}; return tok5.canvasTexts().map(t => t.text + (t.canvas.id ?? '')).sort().join(' ') }})()"
        ))
        .await
    };
    let check = async |drawing: &str, expected: &str| {
        assert_eq!(texts(drawing).await, json!(expected), "{drawing}");
    };
    check(
        "c.fillText('SCORE', 10, 30); c.fillText('120', 10, 60)",
        "120c SCOREc",
    )
    .await;
    check("c.fillText('240', 10, 60)", "240c SCOREc").await;
    check(
        "c.strokeText('SCORE', 11, 31); c.fillText('SCORE', 10, 30)",
        "240c SCOREc",
    )
    .await;
    check("c.fillRect(0, 45, 8, 8)", "240c SCOREc").await;
    check(
        "c.save(); c.translate(0, 40); c.fillRect(0, 0, 100, 30); c.restore()",
        "SCOREc",
    )
    .await;
    check(
        "c.fillStyle = 'rgba(0, 0, 0, 0.6)'; c.fillRect(0, 0, 400, 300); c.fillText('OVER', 200, 150)",
        "OVERc SCOREc",
    )
    .await;
    check(
        "[...'1050'].forEach((s, i) => c.fillText(s, 300 + i * 12, 280))",
        "1050c OVERc SCOREc",
    )
    .await;
    check("c.clearRect(0, 0, 400, 300)", "").await;
    check(
        "const o = new OffscreenCanvas(100, 50).getContext('2d'); o.font = '20px monospace'; o.fillText('NEXT', 5, 30);
         d.drawImage(o.canvas, 50, 50); d.canvas.title = JSON.stringify(tok5.canvasTexts().find(t => t.canvas === d.canvas).x > 50)",
        "NEXT NEXTd",
    )
    .await;
    assert_eq!(it.get("d.canvas.title").await, json!("true"));
    check("d.canvas.width = 200", "NEXT").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn webgl_shows_the_last_frame_of_a_step_and_loses_no_picture() {
    let it = Opened::new("webgl.html", "virtual").await;
    for _ in 0..10 {
        it.step(100).await;
        let state = it.get("[frames, shown()]").await;
        assert_eq!(
            state[0], state[1],
            "what is shown is the last frame, long after it was drawn"
        );
    }
    // It stops in the middle of a step: one picture may be behind, none after it.
    it.get("setTimeout(() => { on = false }, 40)").await;
    it.step(100).await;
    it.get("on = true").await;
    it.step(17).await;
    it.get("setTimeout(() => { on = false }, 40)").await;
    let before = it.get("frames").await.as_u64().unwrap();
    it.step(100).await;
    assert_eq!(it.get("shown()").await, json!(before + 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn webgl_that_would_show_the_same_is_not_drawn() {
    let it = Opened::new("webgl-still.html", "virtual").await;
    it.step(200).await;
    assert_eq!(it.get("shown()").await, json!(10));
    let alike = async || it.get("tok5.clock.counts.alike").await.as_u64().unwrap();
    let before = alike().await;
    for _ in 0..10 {
        it.step(50).await;
    }
    assert!(alike().await >= before + 9, "ten steps show the same");
    // Changed in each of the three frames of a step, by a call that only that frame makes.
    for (nth, red) in [(1, 50), (2, 100), (3, 150)] {
        it.get(&format!(
            "next = {{frame: frames + {nth}, red: {red}}}, tok5.clock.missed = false, 0"
        ))
        .await;
        it.step(50).await;
        // What only the last frame changes is seen when that is over; who wants to look has one more drawn.
        if nth == 3 {
            let state = it
                .get("[shown(), tok5.clock.missed, tok5.clock.behind]")
                .await;
            assert_eq!(state, json!([100, true, true]));
            it.get("tok5.clock.frame()").await;
        }
        let state = it.get("[shown(), tok5.clock.behind]").await;
        assert_eq!(state, json!([red, false]), "change in frame {nth}");
        it.step(50).await;
        assert_eq!(it.get("shown()").await, json!(red));
    }
    // The shaders of batching renderers are made for as many textures as there are.
    let units = "gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS)";
    assert_eq!(it.get(units).await, json!(8));
    assert_eq!(
        it.get("gl.drawArrays.toString()").await,
        json!("function drawArrays() { [native code] }")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn webgl_is_drawn_where_it_is_looked_at_and_whole_again_with_the_next_frame() {
    let it = Opened::new("webgl.html", "virtual").await;
    it.step(200).await;
    let then = it.get("frames").await;
    // Ten columns from the left and ten rows from the bottom.
    it.get("tok5.clock.part = canvas => canvas === gl.canvas ? [0, 0, 10, 10] : null, 0")
        .await;
    it.step(100).await;
    let state = it
        .get("[frames, shown(5, 35), shown(20, 35), shown(5, 5), tok5.clock.behind]")
        .await;
    assert_eq!(state[1], state[0], "what is looked at is new");
    assert_eq!((&state[2], &state[3]), (&then, &then), "nothing else is");
    assert_eq!(state[4], json!(true));
    // The page's own scissors stay as it set them.
    let own = "[gl.isEnabled(gl.SCISSOR_TEST), ...gl.getParameter(gl.SCISSOR_BOX)]";
    assert_eq!(it.get(own).await, json!([false, 0, 0, 40, 40]));
    it.get("gl.enable(gl.SCISSOR_TEST), gl.scissor(5, 0, 30, 40)")
        .await;
    it.step(100).await;
    let state = it.get("[frames, shown(7, 35), shown(2, 35)]").await;
    assert_eq!(state[1], state[0]);
    assert_ne!(state[2], state[0], "the page itself leaves that out");
    assert_eq!(it.get(own).await, json!([true, 5, 0, 30, 40]));
    it.get("gl.disable(gl.SCISSOR_TEST), tok5.clock.part = null, 0")
        .await;
    it.get("tok5.clock.frame()").await;
    let state = it
        .get("[frames, shown(5, 35), shown(20, 5), tok5.clock.behind]")
        .await;
    assert_eq!((&state[1], &state[2]), (&state[0], &state[0]));
    assert_eq!(state[3], json!(false));
    // Where fewer pixels do, the part is drawn with fewer, elsewhere, and the page notices nothing of it.
    it.get("tok5.clock.part = canvas => canvas === gl.canvas ? [0, 0, 20, 10, 1/2] : null, look = null, 0")
        .await;
    it.get("tok5.clock.hooks.frameEnd.unshift(() => look = [gl.getError(), ...gl.getParameter(gl.VIEWPORT), gl.getParameter(gl.FRAMEBUFFER_BINDING)]), 0")
        .await;
    let old = it.get("frames").await;
    it.step(100).await;
    let state = it
        .get("[frames, shown(5, 35), look, (s => [s.width, s.height, s.pixels().filter((v, i) => i % 4 == 0 && v === frames % 256).length])(tok5.clock.stands.get(gl.canvas))]")
        .await;
    assert_eq!(state[1], old, "the canvas is as it was");
    assert_eq!(state[2], json!([0, 0, 0, 40, 40, null]));
    assert_eq!(state[3], json!([10, 5, 50]), "and the part is new");
    it.get("tok5.clock.part = null, 0").await;
    it.get("tok5.clock.frame()").await;
    let state = it
        .get("[frames, shown(5, 35), tok5.clock.stands.has(gl.canvas), gl.getError(), ...gl.getParameter(gl.VIEWPORT)]")
        .await;
    assert_eq!(state[1], state[0], "whole again");
    assert_eq!(
        json!([state[2], state[3], state[4], state[5], state[6], state[7]]),
        json!([false, 0, 0, 0, 40, 40])
    );
    // A page that reads back what it drew has all of it drawn.
    it.get("gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)), tok5.clock.part = () => [0, 0, 1, 1], 0")
        .await;
    it.step(300).await;
    let state = it.get("[frames, shown(20, 5)]").await;
    assert_eq!(state[1], state[0]);
}
