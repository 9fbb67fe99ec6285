//! How long it takes to judge whether a state progressed, at 1024x768 with four idle pictures and two after.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)]
#[path = "../progress/painter.rs"]
mod painter;

use divan::{Bencher, black_box};
use painter::{BLACK, Canvas, GOLD, RED, WHITE};
use tetrascope::model::Raster;
use tetrascope::progress::{Observation, StateAnalyzer};

fn main() {
    divan::main();
}

/// What the pictures show.
#[derive(Debug, Clone, Copy)]
enum Scene {
    /// Nothing differs.
    Still,
    /// A detail changes.
    Detail,
    /// Hundreds of things move all the time.
    Busy,
    /// Everything is another picture, above a busy one.
    Another,
    /// Every pixel shivers.
    Shivering,
}

fn draw(scene: Scene, t: i32, done: bool) -> Canvas {
    let canvas = Canvas::new(1024, 768, [200, 210, 220]);
    let busy = |canvas: Canvas| {
        (0..400).fold(canvas, |c, n| {
            c.rect(
                (n * 97 + t * 31) % 1000,
                (n * 53 + t * 17) % 740,
                14,
                14,
                if n % 2 == 0 { RED } else { WHITE },
            )
        })
    };
    match scene {
        Scene::Still => canvas,
        Scene::Detail => canvas.number(500, 40, if done { 7 } else { 6 }, 3, BLACK),
        Scene::Another if done => busy(Canvas::new(1024, 768, GOLD)),
        Scene::Another | Scene::Busy => busy(canvas),
        Scene::Shivering => canvas
            .hero(if done { 300 } else { 320 }, 400)
            .shivering(t as u32 + 1, 4),
    }
}

fn pictures(scene: Scene) -> (Vec<Raster>, Vec<Raster>) {
    (
        (0..4).map(|t| draw(scene, t, false).raster()).collect(),
        [7, 11].map(|t| draw(scene, t, true).raster()).to_vec(),
    )
}

const SCENES: [Scene; 5] = [
    Scene::Still,
    Scene::Detail,
    Scene::Busy,
    Scene::Another,
    Scene::Shivering,
];

/// From decoded pictures to the verdict.
#[divan::bench(args = SCENES)]
fn decoded(bencher: Bencher<'_, '_>, scene: Scene) {
    let (idle, after) = pictures(scene);
    let seen = Observation {
        before: idle.last().cloned(),
        idle,
        after,
        ..Observation::default()
    };
    bencher.bench(|| StateAnalyzer.has_state_progressed(black_box(&seen)));
}

/// The same from PNG files in memory.
#[divan::bench(args = SCENES)]
fn with_decoding(bencher: Bencher<'_, '_>, scene: Scene) {
    let png = |r: &Raster| {
        let picture = image::RgbImage::from_raw(r.width(), r.height(), r.rgb().to_vec()).unwrap();
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bytes.into_inner()
    };
    let raster = |bytes: &Vec<u8>| {
        let picture = image::load_from_memory(bytes).unwrap().into_rgb8();
        Raster::from_rgb(picture.width(), picture.height(), picture.into_raw()).unwrap()
    };
    let (idle, after) = pictures(scene);
    let (idle, after): (Vec<_>, Vec<_>) = (
        idle.iter().map(png).collect(),
        after.iter().map(png).collect(),
    );
    bencher.bench(|| {
        let idle: Vec<Raster> = idle.iter().map(raster).collect();
        let seen = Observation {
            before: idle.last().cloned(),
            idle,
            after: after.iter().map(raster).collect(),
            ..Observation::default()
        };
        StateAnalyzer.has_state_progressed(&seen)
    });
}
