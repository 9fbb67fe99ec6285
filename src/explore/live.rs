//! A page in a browser as a [`Ground`].
//!
//! Comes in: a browser, an address. Goes out: looks, taken while the game's clock stands, pointer and focus at rest.
//! Must never know: what is being looked for.

use super::act::Act;
use super::ground::{Control, Ground, GroundError, Look, Sight, Unasked};
use crate::browser::probe::{AdvanceOptions, Probe, ProbeOptions};
use crate::browser::{Browser, BrowserError, LoadState, Page, PageOptions};
use crate::model::{ClockMode, Key, PageSignal, Raster, Rect, SurfaceKind, TextSource};
use std::time::Duration;

/// Deadline of opening the page.
const OPEN: Duration = Duration::from_secs(20);
/// Deadline of letting time pass.
const PASS: Duration = Duration::from_secs(20);
/// Wall time for which requests under way are waited for.
const NETWORK: Duration = Duration::from_secs(5);
/// Game time until an opened page has come to rest.
const REST_MS: u32 = 1500;
/// How long a tapped key is down: a game that polls once a frame sees it.
const TAP_MS: u32 = 50;

/// What a live ground needs.
#[derive(Debug, Clone)]
pub struct LiveGroundOptions {
    /// The page's address.
    pub url: String,
    /// The page's settings; the probe's script is added.
    pub page: PageOptions,
    /// The clock the page lives by.
    pub clock: ClockMode,
    /// Seed of Math.random.
    pub seed: Option<u64>,
}

/// A page in a browser.
pub struct LiveGround {
    page: Page,
    probe: Probe,
    options: LiveGroundOptions,
    open: bool,
    unasked: Unasked,
}

impl LiveGround {
    /// A ground with its own page in the browser.
    pub async fn new(browser: &Browser, options: LiveGroundOptions) -> Result<Self, BrowserError> {
        let probe = Probe::new(&ProbeOptions {
            mode: options.clock,
            seed: options.seed,
            ..ProbeOptions::default().in_browser(&browser.info().product)
        });
        let mut settings = options.page.clone();
        settings.init_scripts.push(probe.script().to_string());
        Ok(Self {
            page: browser.new_page(&settings).await?,
            probe,
            options,
            open: false,
            unasked: Unasked::default(),
        })
    }

    /// The page itself, for those who must look closer.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// Brings pointer and focus to rest: highlights under the pointer and rings around what was clicked are no state.
    async fn rest(&self) -> Result<(), GroundError> {
        let corner = f64::from(self.options.page.viewport.height) - 1.0;
        self.page.mouse_move(0.0, corner).await?;
        self.page.unfocus().await?;
        Ok(())
    }

    fn listen(&mut self) {
        for signal in self.page.signals() {
            match signal {
                PageSignal::Dialog { text, .. } => self.unasked.dialogs.push(text),
                PageSignal::UncaughtError { text } => self.unasked.errors.push(text),
                PageSignal::Loaded { url } if self.open => self.unasked.went_to.push(url),
                PageSignal::Crashed => self.unasked.errors.push("the page crashed".into()),
                _ => {}
            }
        }
    }

    async fn loaded(&self) {
        let begun = std::time::Instant::now();
        while self.page.inflight() > 0 && begun.elapsed() < NETWORK {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn tap(&mut self, key: &Key, hold_ms: u32) -> Result<(), GroundError> {
        self.page.key_down(key, false).await?;
        let passed = self.pass(hold_ms.max(TAP_MS)).await;
        self.page.key_up(key).await?;
        passed
    }
}

impl Ground for LiveGround {
    async fn open(&mut self) -> Result<(), GroundError> {
        if self.open {
            self.probe.forget(&self.page, &self.options.url).await?;
        }
        self.open = false;
        let arrival = self.page.goto(&self.options.url, OPEN).await?;
        if arrival.state == LoadState::Hung {
            self.page.unhang(3).await?;
        }
        self.loaded().await;
        self.pass(REST_MS).await?;
        self.listen();
        self.unasked.went_to.clear();
        self.open = true;
        Ok(())
    }

    async fn sight(&mut self) -> Result<Sight, GroundError> {
        let survey = self.probe.survey(&self.page).await?;
        let (width, height) = survey.viewport;
        let seen = |r: &Rect| {
            let (x, y) = (r.x + r.width / 2.0, r.y + r.height / 2.0);
            x >= 0.0 && y >= 0.0 && x < width && y < height && r.width >= 2.0 && r.height >= 2.0
        };
        let controls = survey
            .clickables
            .iter()
            .map(|c| Control {
                rect: c.rect,
                name: c.text.clone(),
                usable: seen(&c.rect) && !c.disabled && !c.leads_away && c.on_top,
                in_overlay: c.in_overlay,
                is_field: c.tag == "textarea",
            })
            .collect();
        let surfaces: Vec<Rect> = survey
            .surfaces
            .iter()
            .filter(|s| {
                matches!(
                    s.kind,
                    SurfaceKind::Canvas | SurfaceKind::Webgl | SurfaceKind::Svg
                )
            })
            .map(|s| s.rect)
            .filter(|r| seen(r) && r.width * r.height >= width * height * 0.02)
            .take(3)
            .collect();
        let picture = self.page.screenshot(None, false).await?;
        let scale = width / f64::from(picture.width().max(1));
        let spots = surfaces
            .iter()
            .flat_map(|r| spots(&picture, *r, scale))
            .take(16)
            .collect();
        Ok(Sight {
            controls,
            spots,
            drawn_texts: survey
                .texts
                .iter()
                .filter(|t| t.source == TextSource::Canvas && seen(&t.rect))
                .map(|t| t.rect)
                .take(16)
                .collect(),
            texts: survey.texts.into_iter().map(|t| t.text).collect(),
            listens_to_keys: survey.listeners.keydown
                || survey.listeners.keyup
                || survey.listeners.keypress,
            listens_to_pointer: !surfaces.is_empty()
                && (survey.listeners.click || survey.listeners.pointer || survey.listeners.touch),
            scrolls: survey.document.1 > height + 40.0,
            surfaces,
        })
    }

    async fn look(&mut self) -> Result<Look, GroundError> {
        self.rest().await?;
        let picture = self.page.screenshot(None, false).await?;
        let texts = self.probe.texts(&self.page).await?;
        let text: Vec<String> = texts.into_iter().map(|t| t.text).collect();
        Ok(Look {
            picture,
            text: text.join("\n"),
        })
    }

    async fn pass(&mut self, ms: u32) -> Result<(), GroundError> {
        if self.options.clock == ClockMode::Real {
            tokio::time::sleep(Duration::from_millis(u64::from(ms))).await;
            return Ok(());
        }
        let options = AdvanceOptions {
            blind: true,
            ..AdvanceOptions::default()
        };
        match self
            .probe
            .advance(&self.page, f64::from(ms), options, PASS)
            .await
        {
            // It went elsewhere: what is there now lives by the same clock.
            Err(BrowserError::DocumentReplaced) => {
                self.loaded().await;
                Ok(())
            }
            other => Ok(other.map(|_| ())?),
        }
    }

    async fn act(&mut self, act: &Act) -> Result<(), GroundError> {
        match act {
            Act::Click { x, y, .. } => self.page.click(*x, *y).await?,
            Act::DoubleClick { x, y } => {
                self.page.click(*x, *y).await?;
                self.page.click(*x, *y).await?;
            }
            Act::Key { key, hold_ms } => self.tap(&Key::new(key.clone()), *hold_ms).await?,
            Act::Type { text, x, y } => {
                self.page.click(*x, *y).await?;
                for ch in text.chars() {
                    self.tap(&Key::new(ch.to_string()), TAP_MS).await?;
                }
            }
            Act::Drag { from, to } => {
                self.page.drag(*from, *to).await?;
            }
            Act::Scroll { by } => {
                let viewport = self.options.page.viewport;
                let (x, y) = (
                    f64::from(viewport.width) / 2.0,
                    f64::from(viewport.height) / 2.0,
                );
                self.page.wheel(x, y, 0.0, *by).await?;
            }
            Act::Wait { ms } => self.pass(*ms).await?,
        }
        Ok(())
    }

    async fn key(&mut self, key: &Key, down: bool) -> Result<(), GroundError> {
        if down {
            self.page.key_down(key, false).await?;
        } else {
            self.page.key_up(key).await?;
        }
        Ok(())
    }

    fn unasked(&mut self) -> Unasked {
        self.listen();
        std::mem::take(&mut self.unasked)
    }
}

/// Middles of things that stand out from what is around them on a surface: blobs of another colour than the commonest,
/// the larger first. In CSS pixels.
fn spots(picture: &Raster, rect: Rect, scale: f64) -> Vec<(f64, f64)> {
    const CELL: f64 = 16.0;
    let (columns, rows) = ((rect.width / CELL) as usize, (rect.height / CELL) as usize);
    let colour = |c: usize, r: usize| {
        let x = (rect.x + (c as f64 + 0.5) * CELL) / scale;
        let y = (rect.y + (r as f64 + 0.5) * CELL) / scale;
        picture.at(x as i64, y as i64).map(|v| v >> 5)
    };
    let mut counts = std::collections::BTreeMap::<[u8; 3], usize>::new();
    for r in 0..rows {
        for c in 0..columns {
            *counts.entry(colour(c, r)).or_default() += 1;
        }
    }
    let Some((&ground, _)) = counts.iter().max_by_key(|(_, n)| **n) else {
        return Vec::new();
    };
    let mut left: Vec<bool> = (0..rows * columns)
        .map(|i| colour(i % columns, i / columns) != ground)
        .collect();
    let mut found: Vec<(usize, (f64, f64))> = Vec::new();
    for start in 0..left.len() {
        if !std::mem::take(&mut left[start]) {
            continue;
        }
        let mut blob = vec![start];
        let mut next = 0;
        while let Some(&at) = blob.get(next) {
            next += 1;
            let (c, r) = (at % columns, at / columns);
            let near = [
                (c.wrapping_sub(1), r),
                (c + 1, r),
                (c, r.wrapping_sub(1)),
                (c, r + 1),
            ];
            for (c, r) in near {
                if c < columns && r < rows && std::mem::take(&mut left[r * columns + c]) {
                    blob.push(r * columns + c);
                }
            }
        }
        let n = blob.len() as f64;
        let x: f64 = blob.iter().map(|i| (i % columns) as f64 + 0.5).sum::<f64>() / n;
        let y: f64 = blob.iter().map(|i| (i / columns) as f64 + 0.5).sum::<f64>() / n;
        found.push((blob.len(), (rect.x + x * CELL, rect.y + y * CELL)));
    }
    found.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    found.into_iter().map(|(_, p)| p).take(8).collect()
}
