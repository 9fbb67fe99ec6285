//! The probe: our scripts inside the page, typed.
//!
//! Comes in: a [`Page`] that was opened with [`Probe::script`] among its init scripts. Goes out: surveys, pictures,
//! texts, steps of the clock. Must never know: what a game is.

use super::{BrowserError, Page, Result};
use crate::model::{Board, ClockMode, Frame, Raster, Rect, Survey, TextItem};
use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// The files of the script, in their order.
const FILES: &[&str] = &[
    include_str!("../../assets/probe/core.js"),
    include_str!("../../assets/probe/natives.js"),
    include_str!("../../assets/probe/clock.js"),
    include_str!("../../assets/probe/timers.js"),
    include_str!("../../assets/probe/dates.js"),
    include_str!("../../assets/probe/motion.js"),
    include_str!("../../assets/probe/webgl.js"),
    include_str!("../../assets/probe/text.js"),
    include_str!("../../assets/probe/css.js"),
    include_str!("../../assets/probe/looks.js"),
    include_str!("../../assets/probe/page.js"),
    include_str!("../../assets/probe/draw.js"),
    include_str!("../../assets/probe/svg.js"),
    include_str!("../../assets/probe/walk.js"),
    include_str!("../../assets/probe/paint.js"),
    include_str!("../../assets/probe/texts.js"),
    include_str!("../../assets/probe/survey.js"),
    include_str!("../../assets/probe/read.js"),
];

/// Deadline of calls that let no game time pass.
const DEADLINE: Duration = Duration::from_secs(10);

/// How the probe is set up.
#[derive(Debug, Clone, Copy)]
pub struct ProbeOptions {
    /// Which clock the page lives by.
    pub mode: ClockMode,
    /// Seed of Math.random; `None` leaves it alone.
    pub seed: Option<u32>,
    /// What Date says when the page is opened, in milliseconds since 1970.
    pub epoch_ms: u64,
    /// Skip WebGL draws on all but the last frame of a step.
    pub skip_gl: bool,
}

impl Default for ProbeOptions {
    fn default() -> Self {
        Self {
            mode: ClockMode::Virtual,
            seed: Some(1),
            // A constant, so that runs repeat: 2024-01-01T12:00:00Z.
            epoch_ms: 1_704_110_400_000,
            skip_gl: true,
        }
    }
}

/// The script and the name under which it answers.
#[derive(Debug, Clone)]
pub struct Probe {
    token: String,
    script: String,
}

/// What a step is to do.
#[derive(Debug, Clone, Copy)]
pub struct AdvanceOptions {
    /// Game time to let pass, in milliseconds.
    pub ms: f64,
    /// Read the page's texts, too.
    pub texts: bool,
    /// Read the watched board, too.
    pub read: bool,
}

/// What was seen after a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Game time since the page was opened, in milliseconds.
    pub now_ms: f64,
    /// The board's picture, where it differs from the last one.
    pub frame: Option<Frame>,
    /// The board looks as it did.
    pub same: bool,
    /// How it was read: canvas, webgl, dom, svg, mixed; empty if it was not.
    pub reader: String,
    /// Why it could not be read.
    pub lost: Option<String>,
    /// The page's texts, where they differ from the last ones.
    pub texts: Option<Vec<TextItem>>,
    /// Where the page is scrolled to.
    pub scroll: (f64, f64),
}

#[derive(Debug, Deserialize)]
struct Patch {
    seq: u64,
    #[serde(default)]
    full: bool,
    w: u32,
    h: u32,
    x: u32,
    y: u32,
    pw: u32,
    ph: u32,
    pix: String,
    #[serde(default)]
    same: bool,
    #[serde(default)]
    rect: Option<[f64; 4]>,
    #[serde(default)]
    reader: String,
    #[serde(default)]
    lost: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    now: f64,
    read: Option<Patch>,
    texts: Option<Vec<TextItem>>,
    scroll: (f64, f64),
}

fn bad(text: impl Into<String>) -> BrowserError {
    BrowserError::Script { text: text.into() }
}

/// A picture as far as it has come over, patch by patch.
#[derive(Debug, Clone, Default)]
struct Picture {
    seq: u64,
    raster: Option<Raster>,
}

impl Picture {
    /// Lays a patch on; `true` if anything changed.
    fn lay(&mut self, patch: &Patch) -> Result<bool> {
        if patch.pw == 0 || patch.ph == 0 {
            return Ok(false);
        }
        let rgb = base64::engine::general_purpose::STANDARD
            .decode(&patch.pix)
            .map_err(|e| bad(format!("a picture that is no base64: {e}")))?;
        let piece = Raster::from_rgb(patch.pw, patch.ph, rgb)
            .ok_or_else(|| bad("a picture of another size than it says"))?;
        let fits = patch.x.checked_add(patch.pw).is_some_and(|r| r <= patch.w)
            && patch.y.checked_add(patch.ph).is_some_and(|b| b <= patch.h);
        if !fits {
            return Err(bad("a picture that lies outside of itself"));
        }
        let base = self
            .raster
            .take()
            .filter(|r| !patch.full && r.width() == patch.w && r.height() == patch.h);
        self.raster = Some(match base {
            Some(base) => base.patched(&piece, patch.x, patch.y),
            None if patch.full && patch.pw == patch.w && patch.ph == patch.h => piece,
            None => return Err(bad("a patch to a picture that never came")),
        });
        self.seq = patch.seq;
        Ok(true)
    }
}

/// Pictures of a region of the page, kept whole on this side.
#[derive(Debug, Clone, Default)]
pub struct SceneReader {
    region: Option<Rect>,
    picture: Picture,
}

impl SceneReader {
    /// The region as it looks now, `scale` pixels a CSS pixel.
    pub async fn look(&mut self, probe: &Probe, page: &Page, region: Rect, scale: f64) -> Result<Raster> {
        if self.region != Some(region) {
            self.region = Some(region);
            self.picture = Picture::default();
        }
        let q = json!({"x": region.x, "y": region.y, "w": region.width, "h": region.height, "scale": scale, "have": self.picture.seq});
        let patch: Patch = probe.call(page, "scene", &q).await?;
        if let Some(why) = patch.lost {
            return Err(bad(why));
        }
        if let Err(error) = self.picture.lay(&patch) {
            self.picture = Picture::default();
            return Err(error);
        }
        self.picture
            .raster
            .clone()
            .ok_or_else(|| bad("no picture came"))
    }
}

/// The watched board's picture, kept whole on this side.
#[derive(Debug, Clone, Default)]
pub struct BoardReader {
    samples: u16,
    picture: Picture,
}

impl Probe {
    /// A probe with a name that no page can guess.
    pub fn new(options: ProbeOptions) -> Self {
        let token = token();
        let config = json!({
            "token": token,
            "mode": options.mode,
            "seed": options.seed,
            "epoch": options.epoch_ms,
            "skipGl": options.skip_gl,
        });
        let mut script = format!("(() => {{ const CFG = {config};\n");
        for file in FILES {
            script.push_str(file);
            script.push('\n');
        }
        script.push_str("})();");
        Self { token, script }
    }

    /// What has to run in every frame before the page's own scripts.
    pub fn script(&self) -> &str {
        &self.script
    }

    async fn call<T: serde::de::DeserializeOwned>(&self, page: &Page, name: &str, argument: &Value) -> Result<T> {
        page.call(&format!("window['{}'].{name}({argument})", self.token), DEADLINE).await
    }

    /// What the page holds.
    pub async fn survey(&self, page: &Page) -> Result<Survey> {
        self.call(page, "survey", &json!({})).await
    }

    /// Watches a board from now on.
    pub async fn watch(&self, page: &Page, board: &Board, samples: u16) -> Result<BoardReader> {
        let r = board.rect();
        let q = json!({"x": r.x, "y": r.y, "w": r.width, "h": r.height,
            "columns": board.columns, "rows": board.rows, "samples": samples});
        let _: Value = self.call(page, "watch", &q).await?;
        Ok(BoardReader {
            samples,
            picture: Picture::default(),
        })
    }

    /// Lets game time pass and looks.
    pub async fn advance(
        &self,
        page: &Page,
        board: &mut BoardReader,
        options: &AdvanceOptions,
        deadline: Duration,
    ) -> Result<Seen> {
        let q = json!({"texts": options.texts, "read": options.read, "have": board.picture.seq});
        let answer: Answer = page
            .call(
                &format!("window['{}'].advance({},{q})", self.token, options.ms),
                deadline,
            )
            .await?;
        let mut seen = Seen {
            now_ms: answer.now,
            frame: None,
            same: false,
            reader: String::new(),
            lost: None,
            texts: answer.texts,
            scroll: answer.scroll,
        };
        if let Some(patch) = answer.read {
            seen.lost.clone_from(&patch.lost);
            seen.reader.clone_from(&patch.reader);
            if board.picture.lay(&patch)? {
                let [x, y, w, h] = patch.rect.unwrap_or_default();
                seen.frame = board.picture.raster.clone().map(|raster| Frame {
                    raster,
                    samples: board.samples,
                    rect: Rect::new(x, y, w, h),
                });
            } else {
                seen.same = patch.same;
            }
        }
        Ok(seen)
    }

    /// Brings a place of the page into view; where it is in the viewport then.
    pub async fn scroll_into_view(&self, page: &Page, x: f64, y: f64) -> Result<(f64, f64)> {
        let q = json!({"x": x - 1.0, "y": y - 1.0, "width": 2.0, "height": 2.0});
        let at: Value = self.call(page, "scrollTo", &q).await?;
        match (at[0].as_f64(), at[1].as_f64(), at["x"].as_f64(), at["y"].as_f64()) {
            (Some(x), Some(y), ..) | (_, _, Some(x), Some(y)) => Ok((x, y)),
            _ => Err(bad("no place to click")),
        }
    }
}

/// 16 letters from the system's randomness.
fn token() -> String {
    use std::hash::{BuildHasher, Hasher};
    let mut name = String::from("_");
    for _ in 0..2 {
        // Each RandomState is seeded by the operating system.
        let n = std::collections::hash_map::RandomState::new().build_hasher().finish();
        name.push_str(&format!("{n:016x}"));
    }
    name
}
