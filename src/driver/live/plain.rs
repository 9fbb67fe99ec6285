//! WebGL refused where a page can do without: many draw on a plain canvas then, and what they write there can be read.
//!
//! Comes in: what the survey saw of the page with WebGL. Goes out: the page opened anew without, where it draws all the
//! same. Must never know: what is drawn.
//!
//! Texts drawn by WebGL are pixels, and without a GPU one picture costs 15 to 150 ms at 1280x800. Libraries that can do
//! without (Phaser, Pixi) fall back by themselves, as they do in browsers that have none. Whether the fall-back is as good
//! is seen: it must draw at the same place without an exception, and a piece must fall there. How fast the machine is
//! decides nothing: verdicts would depend on it.

use super::{LiveDriver, Until, WebGl};
use crate::driver::{Driver, DriverError};
use crate::model::{PageSignal, RecordBody, Rect, SurfaceKind, Survey};

/// Game time that a page gets to draw something, in milliseconds, and how often it is looked for.
const PATIENCE_MS: f64 = 6_000.0;
/// See [`PATIENCE_MS`].
const LOOK_MS: f64 = 300.0;
/// Two places are the same whose common part is this share of both together.
const SAME_PLACE: f64 = 0.8;
/// Smaller ones are not where a game is drawn: a part of the viewport.
const LARGE: f64 = 0.05;

impl LiveDriver {
    /// See [`Driver::try_without_webgl`].
    pub(super) async fn try_without_webgl(&mut self, survey: &Survey) -> Result<bool, DriverError> {
        let view = self.options.page.viewport;
        let large = LARGE * f64::from(view.width) * f64::from(view.height);
        let area = |r: &Rect| r.width * r.height;
        let drawn = survey
            .surfaces
            .iter()
            .filter(|s| s.kind == SurfaceKind::Webgl);
        let drawn = drawn.map(|s| s.rect).filter(|r| area(r) >= large);
        let Some(place) = drawn.max_by(|a, b| area(a).total_cmp(&area(b))) else {
            return Ok(false);
        };
        if self.options.webgl != WebGl::Auto || self.stopped() {
            return Ok(false);
        }
        self.say("trying whether the page draws without WebGL, too");
        self.options.webgl = WebGl::Spared;
        if self.opens_and_draws(place).await? {
            self.push(RecordBody::Note(
                "the page is refused WebGL, and draws on a plain canvas".into(),
            ));
        } else {
            self.options.webgl = WebGl::Granted;
            self.renew().await?;
            self.open().await?;
        }
        Ok(true)
    }

    /// See [`Driver::with_webgl_again`].
    pub(super) async fn with_webgl_again(&mut self, why: &str) -> Result<bool, DriverError> {
        if self.options.webgl != WebGl::Spared {
            return Ok(false);
        }
        self.options.webgl = WebGl::Granted;
        self.push(RecordBody::Note(format!(
            "the page is granted WebGL: without, {why}"
        )));
        self.renew().await
    }

    /// Opens the page anew. Is something drawn on a plain canvas at this place before long, and nothing broken?
    async fn opens_and_draws(&mut self, place: Rect) -> Result<bool, DriverError> {
        let failed = |d: &Self| {
            let uncaught = |s: &PageSignal| matches!(s, PageSignal::UncaughtError { .. });
            d.evidence(|e| e.signals().iter().filter(|s| uncaught(&s.1)).count())
        };
        let before = failed(self);
        self.renew().await?;
        self.open().await?;
        let mut waited = 0.0;
        while waited < PATIENCE_MS {
            self.slice(LOOK_MS, f64::INFINITY, Until::Over).await?;
            waited += LOOK_MS;
            let survey = self.survey().await?;
            // What it throws with WebGL, too, tells nothing.
            if failed(self) > 2 * before {
                return Ok(false);
            }
            let there = |r: &Rect| overlap(r, &place) >= SAME_PLACE;
            let plain = survey
                .surfaces
                .iter()
                .filter(|s| s.kind == SurfaceKind::Canvas);
            let Some(rect) = plain.map(|s| s.rect).find(there) else {
                continue;
            };
            let picture = self.picture(rect).await?;
            let mut pixels = picture.rgb().chunks_exact(3);
            let first = pixels.next();
            if pixels.any(|p| Some(p) != first) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The common part of two places, as a share of both together.
fn overlap(a: &Rect, b: &Rect) -> f64 {
    let width = a.right().min(b.right()) - a.x.max(b.x);
    let height = a.bottom().min(b.bottom()) - a.y.max(b.y);
    let common = width.max(0.0) * height.max(0.0);
    let all = a.width * a.height + b.width * b.height - common;
    if all > 0.0 { common / all } else { 0.0 }
}
