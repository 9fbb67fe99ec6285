//! The painter against the browser's own screenshot, cell by cell, on a page for each way of drawing a board.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::cast_lossless
)]

mod common;

use common::{SOON, browser, probed};
use std::path::Path;
use tetrascope::browser::probe::{AdvanceOptions, Probe, ProbeOptions, Reader};
use tetrascope::browser::{Browser, Page, Server};
use tetrascope::model::{Board, Key, Raster, Rect, SurfaceKind};

const COLUMNS: u16 = 10;
const ROWS: u16 = 20;
/// Two pictures of a cell are one when their mean colours differ by no more levels than this (of 255).
const TOLERANCE: f64 = 9.0;

struct Lens {
    page: Page,
    probe: Probe,
    _server: Server,
}

async fn open(browser: &Browser, name: &str) -> Lens {
    let file = Path::new("tests/pages/lens").join(format!("{name}.html"));
    let server = Server::path(&file).await.unwrap();
    let (page, probe) = probed(browser, server.url(), &ProbeOptions::default()).await;
    page.goto(server.url().as_str(), SOON).await.unwrap();
    assert!(probe.is_there(&page).await.unwrap(), "{name}: no scripts");
    Lens {
        page,
        probe,
        _server: server,
    }
}

async fn board(page: &Page) -> Board {
    let said: String = page
        .call("document.querySelector('meta[name=board]').content", SOON)
        .await
        .unwrap();
    let n: Vec<f64> = said.split(' ').map(|v| v.parse().unwrap()).collect();
    Board {
        x: n[0],
        y: n[1],
        cell_width: n[2] / f64::from(COLUMNS),
        cell_height: n[3] / f64::from(ROWS),
        columns: COLUMNS,
        rows: ROWS,
        confidence: 1.0,
        why: String::new(),
        sure: tetrascope::model::Sure::default(),
    }
}

/// The mean colour of a part of a picture, given as fractions of it; pixels that are partly inside count partly.
fn mean(picture: &Raster, part: Rect) -> [f64; 3] {
    let (w, h) = (f64::from(picture.width()), f64::from(picture.height()));
    let (x0, x1) = (part.x * w, part.right() * w);
    let (y0, y1) = (part.y * h, part.bottom() * h);
    let mut sum = [0.0; 3];
    let mut weight = 0.0;
    for y in y0.floor() as i64..y1.ceil() as i64 {
        let tall = (y1.min(y as f64 + 1.0) - y0.max(y as f64)).max(0.0);
        for x in x0.floor() as i64..x1.ceil() as i64 {
            let share = tall * (x1.min(x as f64 + 1.0) - x0.max(x as f64)).max(0.0);
            for (s, c) in sum.iter_mut().zip(picture.at(x, y)) {
                *s += share * f64::from(c);
            }
            weight += share;
        }
    }
    sum.map(|s| s / weight)
}

fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

/// Paints the board of a page and takes its screenshot: every cell must have the same colour in both, and filled
/// cells must not look like empty ones.
async fn agrees(browser: &Browser, name: &str, reader: Reader) -> Lens {
    let lens = open(browser, name).await;
    let board = board(&lens.page).await;
    lens.probe.watch(&lens.page, &board, 8).await.unwrap();
    lens.probe.read(&lens.page).await.unwrap();
    assert!(lens.probe.pictures_loaded(&lens.page, SOON).await.unwrap());
    let seen = lens.probe.read(&lens.page).await.unwrap();
    assert_eq!(seen.lost, None, "{name}");
    assert_eq!(seen.reader, Some(reader), "{name}");
    let painted = seen.frame.unwrap().raster;
    assert_eq!((painted.width(), painted.height()), (80, 160), "{name}");
    let shot = lens
        .page
        .screenshot(Some(board.rect()), true)
        .await
        .unwrap();
    let mut differences = 0;
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let part = Rect::new(
                f64::from(column) / f64::from(COLUMNS),
                f64::from(row) / f64::from(ROWS),
                1.0 / f64::from(COLUMNS),
                1.0 / f64::from(ROWS),
            );
            let (ours, theirs) = (mean(&painted, part), mean(&shot, part));
            assert!(
                apart(ours, theirs) <= TOLERANCE,
                "{name}: cell {column},{row} is painted {ours:.0?} and shown {theirs:.0?}",
            );
            // The cell to the left is filled otherwise at the pattern's edges; some of them must show it.
            if column > 0 {
                let left = Rect {
                    x: part.x - part.width,
                    ..part
                };
                differences += usize::from(apart(ours, mean(&painted, left)) > 8.0);
            }
        }
    }
    assert!(differences >= 40, "{name}: the painted board is blank");
    lens
}

#[tokio::test]
async fn every_way_of_drawing_a_board_is_painted_as_the_browser_shows_it() {
    let browser = browser().await;
    for (name, reader) in [
        ("canvas", Reader::Canvas),
        ("canvas-outlines", Reader::Canvas),
        ("canvas-fine", Reader::Canvas),
        ("canvas-mirrored", Reader::Canvas),
        ("webgl", Reader::Webgl),
        ("dom-grid", Reader::Dom),
        ("sprites", Reader::Dom),
        ("tiles", Reader::Dom),
        ("grid-lines", Reader::Dom),
        ("scan-lines", Reader::Canvas),
        ("glyphs", Reader::Dom),
        ("pre", Reader::Dom),
        ("buttons", Reader::Dom),
        ("checkboxes", Reader::Dom),
        ("pseudo", Reader::Dom),
        ("rotated", Reader::Dom),
        ("frame", Reader::Dom),
        ("shadow", Reader::Dom),
        ("layers", Reader::Dom),
        ("escapes", Reader::Dom),
        ("scrolled", Reader::Dom),
        ("svg", Reader::Svg),
        ("svg-file", Reader::Svg),
    ] {
        agrees(&browser, name, reader).await;
    }
}

#[tokio::test]
async fn a_changed_cell_travels_alone_and_the_board_moves_with_its_element() {
    let browser = browser().await;
    let lens = agrees(&browser, "dom-grid", Reader::Dom).await;
    let (page, probe) = (&lens.page, &lens.probe);
    assert!(probe.read(page).await.unwrap().same);

    let _: bool = page
        .call("(b.children[1].style.background = '#f0f', true)", SOON)
        .await
        .unwrap();
    let seen = probe.read(page).await.unwrap();
    assert!(!seen.same);
    let frame = seen.frame.unwrap();
    assert_eq!(frame.raster.at(12, 4), [255, 0, 255]);
    assert_ne!(frame.raster.at(4, 4), [255, 0, 255]);

    let _: bool = page
        .call(
            "(b.style.left = '300px', b.style.transform = 'scale(1.5)', true)",
            SOON,
        )
        .await
        .unwrap();
    let moved = probe.read(page).await.unwrap().frame.unwrap();
    assert!((moved.rect.width - 300.0).abs() < 0.5, "{:?}", moved.rect);
    assert_eq!(moved.raster.at(12, 4), [255, 0, 255]);

    let _: bool = page
        .call("(b.style.display = 'none', true)", SOON)
        .await
        .unwrap();
    let lost = probe.read(page).await.unwrap();
    assert!(lost.frame.is_none() && lost.lost.is_some());
}

#[tokio::test]
async fn what_was_read_is_not_said_to_be_elements_once_nothing_is_left_of_it() {
    let browser = browser().await;
    let lens = open(&browser, "canvas").await;
    let board = board(&lens.page).await;
    let empty = "(document.body.replaceChildren(), document.body.style.minHeight = '2000px', true)";
    for expected in [Some(Reader::Canvas), None] {
        lens.probe.watch(&lens.page, &board, 8).await.unwrap();
        let seen = lens.probe.read(&lens.page).await.unwrap();
        assert_eq!(seen.reader, expected);
        let _: bool = lens.page.call(empty, SOON).await.unwrap();
    }
}

/// Has a cell fade from white for so long, and gives its colours after each of the steps.
async fn fading(lens: &Lens, fade_ms: u32, steps: &[f64]) -> Vec<[u8; 3]> {
    let script = format!(
        "(e => (e.style.cssText += ';background:#fff;transition:none', e.offsetWidth, e.style.transition = 'background {fade_ms}ms linear', e.style.background = '#f0f', true))(b.children[1])"
    );
    let _: bool = lens.page.call(&script, SOON).await.unwrap();
    let mut colours = Vec::new();
    for ms in steps {
        let options = AdvanceOptions::default();
        let seen = lens.probe.advance(&lens.page, *ms, options, SOON).await;
        colours.push(seen.unwrap().frame.unwrap().raster.at(12, 4));
    }
    colours
}

#[tokio::test]
async fn a_cell_that_fades_is_painted_as_it_ends() {
    let browser = browser().await;
    let lens = agrees(&browser, "dom-grid", Reader::Dom).await;
    let end = [255, 0, 255];
    let slow = fading(&lens, 1_000, &[100.0, 400.0, 900.0]).await;
    assert!(slow[0] != end && slow[1] != end, "on its way: {slow:?}");
    assert_ne!(slow[0], slow[1]);
    assert_eq!(slow[2], end, "{slow:?}");
    // What is decided, and soon to be seen, is read at once.
    let fast = fading(&lens, 100, &[17.0, 34.0, 100.0]).await;
    assert_eq!(fast, [end; 3]);
    // So is one that is called back on its way.
    assert_eq!(fading(&lens, 100, &[50.0]).await, [end]);
    let _: bool = lens
        .page
        .call("(b.children[1].style.background = '#fff', true)", SOON)
        .await
        .unwrap();
    for ms in [17.0, 34.0] {
        let options = AdvanceOptions::default();
        let seen = lens.probe.advance(&lens.page, ms, options, SOON).await;
        let colour = seen.unwrap().frame.unwrap().raster.at(12, 4);
        assert_eq!(colour, [255; 3], "after {ms} ms");
    }
}

#[tokio::test]
async fn words_over_a_board_are_on_the_page_but_not_on_the_board() {
    let browser = browser().await;
    for (name, reader) in [("canvas", Reader::Canvas), ("dom-grid", Reader::Dom)] {
        let lens = agrees(&browser, name, reader).await;
        let (page, probe) = (&lens.page, &lens.probe);
        let region = board(page).await.rect();
        let bare = probe.scene(page, region, 1.0).await.unwrap();
        let _: bool = page
            .call(
                "(document.body.insertAdjacentHTML('beforeend', \
                 '<b style=\"position:absolute;left:70px;top:200px;font:60px serif;color:#f0f\">Combo</b>'), true)",
                SOON,
            )
            .await
            .unwrap();
        assert!(probe.read(page).await.unwrap().same, "{name}");
        let scene = probe.scene(page, region, 1.0).await.unwrap();
        assert_ne!(scene, bare, "{name}");
    }
}

/// Frames that ask for the same are not looked at one by one; the first that asks for something else is.
#[tokio::test]
async fn what_is_drawn_after_many_frames_alike_is_seen_at_once() {
    let browser = browser().await;
    let lens = agrees(&browser, "canvas", Reader::Canvas).await;
    let (page, probe) = (&lens.page, &lens.probe);
    let set = async |script: &str| {
        let _: bool = page.call(&format!("({script}, true)"), SOON).await.unwrap();
    };
    set("w = globalThis.lens = {}, w.ink = document.querySelector('canvas').getContext('2d'), w.colour = '#112233', \
         w.again = () => { w.ink.globalAlpha = w.alpha; w.ink.fillStyle = w.colour; w.ink.fillRect(0, 0, 4000, 4000); requestAnimationFrame(w.again); }, \
         w.alpha = 1, w.again()")
    .await;
    let next = async || {
        let seen = probe
            .advance(page, 50.0, AdvanceOptions::default(), SOON)
            .await
            .unwrap();
        seen.frame.unwrap().raster.at(12, 4)
    };
    for n in 0..60u8 {
        let green = 40 + n / 6;
        if n % 6 == 0 {
            set(&format!("w.colour = 'rgb(10,{green},30)'")).await;
        }
        assert_eq!(next().await, [10, green, 30], "after {n} steps");
    }
    // The same asked for again and again may still change the picture.
    set("w.alpha = 0.1, w.colour = 'rgb(250,250,250)'").await;
    let mut last = next().await;
    for _ in 0..5 {
        let now = next().await;
        assert!(now[0] > last[0], "{now:?} after {last:?}");
        last = now;
    }
}

#[tokio::test]
async fn a_board_that_comes_back_elsewhere_is_found_there() {
    let browser = browser().await;
    let lens = agrees(&browser, "dom-grid", Reader::Dom).await;
    let (page, probe) = (&lens.page, &lens.probe);
    let before = probe.read(page).await.unwrap();
    let _: bool = page
        .call(
            "(old = b, copy = b.cloneNode(true), old.replaceWith(document.createElement('p')), true)",
            SOON,
        )
        .await
        .unwrap();
    // Another screen: there is no board.
    probe.read(page).await.unwrap();
    let _: bool = page
        .call(
            "(copy.style.marginTop = '34px', copy.children[1].style.background = '#f0f', document.querySelector('p').replaceWith(copy), true)",
            SOON,
        )
        .await
        .unwrap();
    let after = probe.read(page).await.unwrap();
    assert_eq!(after.lost, None);
    let (before, after) = (before.frame.unwrap().rect, after.frame.unwrap());
    assert!(
        (after.rect.y - before.y - 34.0).abs() < 0.6,
        "{before:?} {:?}",
        after.rect
    );
    assert_eq!(after.raster.at(12, 4), [255, 0, 255]);
}

#[tokio::test]
async fn a_rebuilt_board_is_found_again() {
    let browser = browser().await;
    let lens = agrees(&browser, "dom-grid", Reader::Dom).await;
    let _: bool = lens
        .page
        .call("(b.outerHTML = b.outerHTML.replace('k0', ''), true)", SOON)
        .await
        .unwrap();
    let seen = lens.probe.read(&lens.page).await.unwrap();
    assert_eq!(seen.lost, None);
    assert!(!seen.same);
}

#[tokio::test]
async fn a_scene_is_the_same_whether_it_came_whole_or_in_patches() {
    let browser = browser().await;
    let lens = open(&browser, "shadow").await;
    let region = Rect::new(0.0, 0.0, 300.0, 480.0);
    let before = lens.probe.scene(&lens.page, region, 0.5).await.unwrap();
    let change = "(document.body.style.background = '#fff', true)";
    let _: bool = lens.page.call(change, SOON).await.unwrap();
    let patched = lens.probe.scene(&lens.page, region, 0.5).await.unwrap();
    assert_ne!(before, patched);
    let other = Rect::new(0.0, 0.0, 10.0, 10.0);
    lens.probe.scene(&lens.page, other, 1.0).await.unwrap();
    let whole = lens.probe.scene(&lens.page, region, 0.5).await.unwrap();
    assert_eq!(patched, whole);
}

/// What changes beside a board does not have it measured anew; what comes over it, or goes, is seen at once.
#[tokio::test]
async fn what_changes_beside_a_board_is_told_from_what_changes_over_it() {
    let browser = browser().await;
    let lens = open(&browser, "canvas").await;
    let run = async |script: &str| {
        let script = format!("(() => {{ {script}; return true; }})()");
        let _: bool = lens.page.call(&script, SOON).await.unwrap();
    };
    run(r##"document.body.insertAdjacentHTML('beforeend',
        '<p id="n" style="position:absolute;left:400px;top:60px;width:80px;height:80px;margin:0">0</p>' +
        '<div id="o" style="display:none"><i style="position:absolute;left:60px;top:40px;width:90px;height:90px;background:#fff"></i></div>' +
        '<svg style="position:absolute;left:60px;top:40px" width="90" height="90"><defs>' +
        '<rect id="r" width="90" height="90" fill="none"/></defs><use href="#r"/></svg>')"##)
    .await;
    lens.probe
        .watch(&lens.page, &board(&lens.page).await, 4)
        .await
        .unwrap();
    let look = async || {
        let seen = lens.probe.read(&lens.page).await.unwrap();
        seen.frame.unwrap().raster
    };
    let bare = look().await;
    for n in 1..4 {
        run(&format!("document.getElementById('n').textContent = {n}")).await;
        assert_eq!(look().await, bare, "{n}");
    }
    let steps = [
        (
            "const n = document.getElementById('n'); n.style.left = '100px'; n.style.background = '#fff'",
            false,
        ),
        ("document.getElementById('n').style.left = '400px'", true),
        (
            "document.getElementById('o').style.display = 'block'",
            false,
        ),
        ("document.getElementById('n').textContent = 9", false),
        ("document.getElementById('o').style.display = 'none'", true),
        ("document.getElementById('n').style.left = '200px'", false),
        ("document.getElementById('n').remove()", true),
        (
            "document.getElementById('r').setAttribute('fill', '#fff')",
            false,
        ),
        (
            "document.getElementById('r').setAttribute('fill', 'none')",
            true,
        ),
    ];
    for (script, is_bare) in steps {
        run(script).await;
        assert_eq!(look().await == bare, is_bare, "{script}");
    }
}

/// Points that rise from a cleared row are no blocks; what is painted over them is, and so are blocks that are letters.
#[tokio::test]
async fn what_is_written_over_a_board_is_no_part_of_it() {
    let browser = browser().await;
    for letters in [false, true] {
        let lens = open(&browser, "canvas").await;
        let run = async |script: &str| {
            let script = format!("(() => {{ {script}; return true; }})()");
            let _: bool = lens.page.call(&script, SOON).await.unwrap();
        };
        let look = async || {
            let seen = lens.probe.read(&lens.page).await.unwrap();
            seen.frame.map(|f| f.raster)
        };
        let place = board(&lens.page).await;
        lens.probe.watch(&lens.page, &place, 4).await.unwrap();
        let block = |n: i32, letters: bool| {
            let drawn = if letters {
                "x.fillText('B', 64, 178)"
            } else {
                "x.fillRect(64, 160, 20, 20)"
            };
            format!(
                "x.fillStyle = '#111'; x.fillRect(40, 120, 120, 80); \
                 x.fillStyle = 'rgb({n}, 90, 90)'; x.font = '20px sans-serif'; {drawn}"
            )
        };
        let mut bare = None;
        for n in 0..40 {
            run(&block(100 + n, letters)).await;
            bare = look().await;
        }
        assert!(bare.is_some());
        // As many games draw them: with a shade beneath, and shining.
        for y in 0..20 {
            let written = format!(
                "x.shadowColor = '#f00'; x.shadowBlur = 6; x.fillStyle = '#000'; x.fillText('+40', 66, {0} + 2); \
                 x.fillStyle = '#ff0'; x.fillText('+40', 64, {0}); x.shadowBlur = 0",
                178 - y
            );
            run(&written).await;
        }
        assert_eq!(look().await == bare, !letters, "letters: {letters}");
        run("x.fillStyle = '#fff'; x.fillRect(70, 165, 10, 10)").await;
        assert_ne!(look().await, bare, "letters: {letters}");
        run(&block(139, letters)).await;
        assert_eq!(look().await, bare, "letters: {letters}");
    }
}

/// What lies under a canvas that goes on being drawn is painted once and then copied.
#[tokio::test]
async fn what_lies_under_a_canvas_is_the_same_from_a_copy() {
    let browser = browser().await;
    let lens = open(&browser, "canvas").await;
    let region = Rect::new(0.0, 0.0, 800.0, 600.0);
    let ground = "(document.body.style.background = 'radial-gradient(circle at 30% 20%, #fed, #123 70%)', true)";
    let _: bool = lens.page.call(ground, SOON).await.unwrap();
    let mut before = lens.probe.scene(&lens.page, region, 1.0).await.unwrap();
    for n in 0..4 {
        let draw = format!(
            "(() => {{ const c = document.querySelector('canvas').getContext('2d'); c.fillStyle = '#0f0'; \
             c.fillRect({n} * 20, 0, 10, 10); return true; }})()"
        );
        let _: bool = lens.page.call(&draw, SOON).await.unwrap();
        let scene = lens.probe.scene(&lens.page, region, 1.0).await.unwrap();
        assert_ne!(scene, before, "{n}");
        before = scene;
    }
    // Another painter that has no copy yet.
    let anew = lens.probe.scene_as_shown(&lens.page, region).await.unwrap();
    assert_eq!(before, anew);
    let other = "(document.body.style.background = '#fed', true)";
    let _: bool = lens.page.call(other, SOON).await.unwrap();
    let scene = lens.probe.scene(&lens.page, region, 1.0).await.unwrap();
    assert_eq!(scene.at(790, 590), [0xff, 0xee, 0xdd]);
}

#[tokio::test]
async fn a_part_that_is_all_of_one_colour_is_a_picture() {
    let browser = browser().await;
    let lens = open(&browser, "canvas").await;
    let region = Rect::new(600.0, 300.0, 80.0, 60.0);
    let bare = lens.probe.scene(&lens.page, region, 1.0).await.unwrap();
    let colour = bare.at(0, 0);
    assert!(bare.rgb().chunks(3).all(|pixel| pixel == colour));
}

/// The page's own time, in milliseconds, and at which of its times it heard of which keys.
async fn heard(page: &Page) -> (f64, Vec<(String, f64)>) {
    page.call("[performance.now(), window.heard]", SOON)
        .await
        .unwrap()
}

#[tokio::test]
async fn no_time_passes_before_the_keys_that_were_sent_first() {
    let browser = browser().await;
    let lens = open(&browser, "canvas").await;
    let (page, probe) = (&lens.page, &lens.probe);
    let listen = "(window.heard = [], ['keydown', 'keyup'].forEach(t => \
                  addEventListener(t, e => heard.push([t + e.key, performance.now()]))), true)";
    let _: bool = page.call(listen, SOON).await.unwrap();
    let mut want = Vec::new();
    for round in 0..40 {
        let (now, _) = heard(page).await;
        let keys: &[&str] = if round % 2 == 0 { &["a"] } else { &["a", "b"] };
        for key in keys.iter().map(|k| Key::new(*k)) {
            page.key_down_soon(&key).unwrap();
            page.key_up_soon(&key).unwrap();
            want.push((format!("keydown{key}"), now));
            want.push((format!("keyup{key}"), now));
        }
        let options = AdvanceOptions {
            keys: 2 * keys.len() as u32,
            ..AdvanceOptions::default()
        };
        probe.advance(page, 20.0, options, SOON).await.unwrap();
        assert!((heard(page).await.0 - now - 20.0).abs() < 1e-6);
    }
    assert_eq!(heard(page).await.1, want);
    assert!(probe.hears_keys());
}

#[tokio::test]
async fn keys_that_do_not_come_to_the_page_hold_it_up_a_few_times_only() {
    let browser = browser().await;
    let lens = open(&browser, "canvas").await;
    let (page, probe) = (&lens.page, &lens.probe);
    let _: bool = page.call("(window.heard = [], true)", SOON).await.unwrap();
    let (begun, _) = heard(page).await;
    for passed in [20.0, 40.0, 60.0] {
        assert!(probe.hears_keys());
        // Said to be on its way, and never sent.
        let options = AdvanceOptions {
            keys: 1,
            ..AdvanceOptions::default()
        };
        probe.advance(page, 20.0, options, SOON).await.unwrap();
        assert!((heard(page).await.0 - begun - passed).abs() < 1e-6);
    }
    assert!(!probe.hears_keys());
}

#[tokio::test]
async fn signs_without_a_picture_are_told_apart() {
    let browser = browser().await;
    let lens = open(&browser, "signs").await;
    let at = |row: f64| Rect::new(0.0, row * 24.0, 60.0, 24.0);
    let mut seen = Vec::new();
    let mut shown = Vec::new();
    for row in 0..4 {
        let place = at(f64::from(row));
        seen.push(lens.probe.scene(&lens.page, place, 1.0).await.unwrap());
        let as_shown = lens.probe.scene_as_shown(&lens.page, place).await;
        shown.push(as_shown.unwrap());
    }
    assert_eq!(seen[0], seen[2]);
    assert_ne!(seen[0], seen[1]);
    // No font shows any of them: on screen there is one box for all.
    assert_eq!(shown[0], shown[1]);
    // In a line of text each has its place, and letters stay letters.
    let colours: Vec<[u8; 3]> = [0, 1].map(|i| seen[i].at(10, 12)).to_vec();
    let line = &seen[3];
    let found: Vec<[u8; 3]> = (0..60)
        .map(|x| line.at(x, 12))
        .filter(|c| colours.contains(c))
        .collect();
    assert_eq!(found.first(), colours.get(1));
    assert_eq!(found.last(), colours.first());
    assert!(!colours.contains(&line.at(5, 12)));
}

#[tokio::test]
async fn the_survey_names_lattices_and_what_can_be_clicked() {
    let browser = browser().await;
    let lens = open(&browser, "survey").await;
    let survey = lens.probe.survey(&lens.page).await.unwrap();
    let first = &survey.surfaces[0];
    assert_eq!(
        (first.kind, first.columns, first.rows),
        (SurfaceKind::Dom, 10, 20)
    );
    assert!((first.rect.x - 60.0).abs() < 1.0 && (first.rect.width - 200.0).abs() < 1.0);

    let find = |text: &str| survey.clickables.iter().find(|c| c.text == text);
    assert!(find("listens").is_some(), "{:?}", survey.clickables);
    assert!(find("pointer").is_some());
    assert!(!find("anchor").unwrap().leads_away);
    assert!(find("away").unwrap().leads_away && find("away").unwrap().leads_on);
    assert!(find("out").unwrap().leads_away && !find("out").unwrap().leads_on);
    assert!(find("on").unwrap().leads_away && find("on").unwrap().leads_on);
    assert!(!find("here").unwrap().leads_away);
    // A link without a height of its own, under what is seen of it.
    assert!(find("thin").unwrap().leads_on);
    // One that is only the words that overflow it; what is cut off of another cannot be clicked.
    let words = find("overflows").unwrap();
    assert!(words.leads_on && words.on_top && words.rect.height > 5.0);
    assert!(find("cut").is_none_or(|c| !c.on_top));
    assert!(find("off").unwrap().disabled);
    assert!(find("hidden").is_none());
    let inside = find("inside").unwrap();
    assert!(inside.in_overlay && inside.on_top);
    assert!(!find("under").unwrap().on_top);
    assert!(survey.has_overlay && survey.has_content);
    assert!(survey.listeners.click);

    let texts: Vec<&str> = survey.texts.iter().map(|t| t.text.as_str()).collect();
    assert!(texts.contains(&"Score: 1024"), "{texts:?}");
    assert!(texts.contains(&"level 3"), "{texts:?}");
    assert!(!texts.contains(&"unseen"), "{texts:?}");
}

#[tokio::test]
async fn a_page_that_breaks_what_scripts_stand_on_is_still_read() {
    let browser = browser().await;
    let lens = agrees(&browser, "dom-grid", Reader::Dom).await;
    let _: bool = lens
        .page
        .call(
            "(window.Map = function () {}, window.Set = null, window.Promise = class {}, \
          window.btoa = () => '', Element.prototype.getBoundingClientRect = () => ({}), \
          JSON.stringify = () => '0', window.getComputedStyle = () => null, \
          OffscreenCanvasRenderingContext2D.prototype.fillRect = () => {}, true)",
            SOON,
        )
        .await
        .unwrap();
    let _: bool = lens
        .page
        .call("(b.children[1].style.background = '#f0f', true)", SOON)
        .await
        .unwrap();
    let options = AdvanceOptions {
        texts: true,
        ..AdvanceOptions::default()
    };
    let seen = lens
        .probe
        .advance(&lens.page, 20.0, options, SOON)
        .await
        .unwrap();
    assert_eq!(seen.frame.unwrap().raster.at(12, 4), [255, 0, 255]);
}
