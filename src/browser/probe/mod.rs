//! The in-page scripts, and what they are asked.
//!
//! Comes in: a [`Page`] that was opened with [`Probe::script`] as an init script. Goes out: surveys, texts, pictures of
//! any region, frames of a watched board, the game's clock. Must never know: what a piece or a rule is.
//!
//! One painter inside the page serves every renderer (canvas, WebGL, DOM, SVG, frames, shadow roots): it composes what
//! the page shows of a region on a picture of its own, by layout, so that what is scrolled out or transformed reads the
//! same. Only what changed travels. Whatever comes back is the page's word: sizes are checked here, texts are cut.

mod answers;
mod script;

use super::{BrowserError, Page, Result};
use crate::model::{Access, Board, ClockMode, Frame, Load, Pace, Raster, Rect, Survey, TextItem};
use answers::{Advanced, Lit, Looked, Patch};
pub use answers::{ElementAt, Reader, Seen, Step};
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How the page is to be lived in.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeOptions {
    /// Whose clock the page lives by.
    pub mode: ClockMode,
    /// Seeds `Math.random` when given.
    pub seed: Option<u64>,
    /// What `Date.now()` says when the page begins, in ms since 1970; used by the virtual clock only.
    pub epoch_ms: u64,
    /// Leave out WebGL draws on all but the last frame of a step.
    pub skip_gl: bool,
    /// Refuse WebGL to the page, as a browser does that has none.
    pub refuse_gl: bool,
    /// The browser draws the light sides of borders that seem raised or sunk lighter than their colour.
    pub lit_borders: bool,
}

/// From this version of Chromium on the light sides of such borders are lighter; 156.0.8078.73 drew them in their colour.
const LIT_BORDERS: [u32; 4] = [156, 0, 8078, 74];

impl ProbeOptions {
    /// The same in a browser of this product and version, such as `HeadlessChrome/156.0.8078.79`, whose ways differ.
    #[must_use]
    pub fn in_browser(mut self, product: &str) -> Self {
        let version = product.rsplit('/').next().unwrap_or_default();
        let numbers: Vec<u32> = version.split('.').map_while(|n| n.parse().ok()).collect();
        // A browser that hides its version is taken for a new one.
        self.lit_borders = numbers.is_empty() || numbers.as_slice() >= LIT_BORDERS.as_slice();
        self
    }
}

impl Default for ProbeOptions {
    fn default() -> Self {
        Self {
            mode: ClockMode::Virtual,
            seed: None,
            // 2024-01-01T12:00:00Z: a plain day, no leap second or clock change near.
            epoch_ms: 1_704_110_400_000,
            skip_gl: true,
            refuse_gl: false,
            lit_borders: true,
        }
    }
}

/// What [`Probe::advance`] shall do beside moving the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct AdvanceOptions {
    /// Ask for the texts; they come only when they differ from the last ones.
    pub texts: bool,
    /// Step to the end of the next animation frame instead of by milliseconds.
    pub frame: bool,
    /// Nobody looks at what is between: run as fast as possible.
    pub bulk: bool,
    /// Leave the board unread.
    pub blind: bool,
    /// Nobody looks at anything but the board: of WebGL no more is drawn. Whoever looks elsewhere all the same costs the
    /// game a frame; see [`Probe::hold`].
    pub board_only: bool,
    /// The page is scrolled back to where it was when the board was found, if a key scrolled it: what stays in its place
    /// then may lie over the board.
    pub steady: bool,
    /// Key events sent since the clock was last moved on, whose answers are not waited for ([`Page::key_down_soon`]): it
    /// moves on once the page has been given them.
    pub keys: u32,
}

/// How often [`Probe::stretch`] looks, and when it ends early; by default it looks once, at the end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Looks {
    /// Game time between two looks in milliseconds; 0 for one at the end.
    pub every_ms: f64,
    /// End at the first look at which the board is not what it was.
    pub until_change: bool,
    /// Wall time after which it ends with the next look; 0 for none.
    pub wall: Duration,
    /// Game time after which the texts are asked for again, from call to call; 0 for not at all.
    pub texts_every_ms: f64,
}

/// A handle on the scripts in a page: makes them, asks them, keeps the pictures whose patches they send.
#[derive(Debug)]
pub struct Probe {
    token: String,
    script: String,
    /// The last parts of the page that were looked at, the latest first.
    scenes: Mutex<Vec<Held>>,
    board: Mutex<Watched>,
    /// How often keys did not come to the page before they were answered for.
    late: AtomicU32,
}

/// What is looked at: a part of the page, its scale, and whether as it is shown.
type Region = (Rect, f64, bool);

#[derive(Debug)]
struct Held {
    region: Region,
    seq: u64,
    raster: Raster,
}

#[derive(Debug, Default)]
struct Watched {
    samples: u16,
    seq: u64,
    raster: Option<Raster>,
}

impl Watched {
    /// Lays a look on the ones before.
    fn take(&mut self, look: Looked, step: Step) -> Result<Seen> {
        let mut seen = Seen {
            now_ms: look.now,
            frame: None,
            same: true,
            reader: None,
            lost: None,
            texts: look.texts.map(answers::bounded_texts),
            scroll: look.scroll,
            step,
        };
        let Some(read) = look.read else {
            return Ok(seen);
        };
        seen.reader = read.reader;
        seen.lost = read.lost.map(|text| answers::cut(&text, 200));
        seen.same = read.same;
        if seen.lost.is_none() {
            let raster = read.patch.lay_on(self.raster.take())?;
            self.seq = read.patch.seq;
            self.raster = Some(raster.clone());
            let [x, y, width, height] = read.rect;
            seen.frame = Some(Frame {
                raster,
                samples: self.samples,
                rect: Rect::new(x, y, width, height),
            });
        }
        Ok(seen)
    }
}

/// Parts of the page whose last pictures are kept, as the page keeps them.
const SCENES: usize = 4;

/// Keys that did not come in time so often are waited for: they go where no script of ours is.
const LATE: u32 = 3;

/// How long an answer that only reads may take: far beyond what any does, short of a hang.
const ANSWER: Duration = Duration::from_secs(10);

/// The same where nothing is lost without an answer.
const LEAVE: Duration = Duration::from_secs(1);

/// Likewise for a frame of the game.
const STEP: Duration = Duration::from_secs(20);

/// Likewise for what is measured beside the judgement, which may not hold it up.
const MEASURE: Duration = Duration::from_secs(4);

impl Probe {
    /// Scripts under a name that the page can neither see nor guess.
    pub fn new(options: &ProbeOptions) -> Self {
        let token = script::token();
        let script = script::assemble(&token, options);
        Self {
            token,
            script,
            scenes: Mutex::default(),
            board: Mutex::default(),
            late: AtomicU32::default(),
        }
    }

    /// The script to inject before any of the page's, into every frame.
    pub fn script(&self) -> &str {
        &self.script
    }

    /// What the page holds.
    pub async fn survey(&self, page: &Page) -> Result<Survey> {
        let survey: Survey = page.call_anew(&self.ask("survey", &[]), ANSWER).await?;
        Ok(answers::bounded_survey(survey))
    }

    /// All visible texts.
    pub async fn texts(&self, page: &Page) -> Result<Vec<TextItem>> {
        let texts: Vec<TextItem> = page.call_anew(&self.ask("texts", &[]), ANSWER).await?;
        Ok(answers::bounded_texts(texts))
    }

    /// A picture of `region` (page pixels, scrolled-out parts included), `scale` picture pixels a CSS pixel.
    /// Asked again for the same region, only what changed travels. Signs that no font of this machine has a picture for
    /// are told apart by their colours.
    pub async fn scene(&self, page: &Page, region: Rect, scale: f64) -> Result<Raster> {
        self.picture(page, (region, scale, false), false).await
    }

    /// The same at the scale of the page, scrolled back first to where the board was found, if a key scrolled it: what
    /// stays in its place then may lie over what is looked at.
    pub async fn scene_scrolled_back(&self, page: &Page, region: Rect) -> Result<Raster> {
        self.picture(page, (region, 1.0, false), true).await
    }

    /// The same with such signs as the browser shows them, all as the same box.
    pub async fn scene_as_shown(&self, page: &Page, region: Rect) -> Result<Raster> {
        self.picture(page, (region, 1.0, true), false).await
    }

    async fn picture(&self, page: &Page, wanted: Region, steady: bool) -> Result<Raster> {
        let (region, scale, shown) = wanted;
        let of = |h: &Held| h.region == wanted;
        let have = lock(&self.scenes)
            .iter()
            .find(|h| of(h))
            .map_or(0, |h| h.seq);
        let question = json!({
            "x": region.x, "y": region.y, "w": region.width, "h": region.height, "scale": scale, "have": have, "shown": shown,
            "steady": steady,
        });
        let patch: Patch = page
            .call_anew(&self.ask("scene", &[question]), ANSWER)
            .await?;
        let mut held = lock(&self.scenes);
        let at = held.iter().position(of);
        let base = at.map(|at| held.remove(at).raster);
        let seq = patch.seq;
        let raster = patch.lay_on(base)?;
        held.insert(
            0,
            Held {
                region: wanted,
                seq,
                raster: raster.clone(),
            },
        );
        held.truncate(SCENES);
        Ok(raster)
    }

    /// Before the screen is looked at: has a frame drawn if something of the page was left out of the last one, and holds
    /// what fades or glides where it will be, as it is seen from inside. If the answer is `true`, [`Probe::unhold`] has to
    /// follow before any time passes.
    pub async fn hold(&self, page: &Page) -> Result<bool> {
        page.call_anew(&self.ask("hold", &[]), STEP).await
    }

    /// Puts what was held back where it is.
    pub async fn unhold(&self, page: &Page) -> Result<()> {
        let _: serde_json::Value = page.call(&self.ask("unhold", &[]), STEP).await?;
        Ok(())
    }

    /// From now on `board` is read, `samples` pixels a cell in each direction. It is tied to the element that holds
    /// it, so that it moves with it.
    pub async fn watch(&self, page: &Page, board: &Board, samples: u16) -> Result<()> {
        let r = board.rect();
        let question = json!({
            "x": r.x, "y": r.y, "w": r.width, "h": r.height,
            "columns": board.columns, "rows": board.rows, "samples": samples,
        });
        *lock(&self.board) = Watched {
            samples,
            ..Watched::default()
        };
        let _: serde_json::Value = page
            .call_anew(&self.ask("watch", &[question]), ANSWER)
            .await?;
        Ok(())
    }

    /// Reads the watched board; the clock stands.
    pub async fn read(&self, page: &Page) -> Result<Seen> {
        let options = AdvanceOptions::default();
        self.advance(page, 0.0, options, ANSWER).await
    }

    /// Moves the clock on by `ms` of game time and reads the watched board (if there is one), in one call.
    ///
    /// # Errors
    /// As [`Page::call`]; an answer of the wrong shape is a [`BrowserError::Script`].
    pub async fn advance(
        &self,
        page: &Page,
        ms: f64,
        options: AdvanceOptions,
        deadline: Duration,
    ) -> Result<Seen> {
        let mut seen = self
            .stretch(page, ms, Looks::default(), options, deadline)
            .await?;
        seen.pop().ok_or_else(|| malformed("no look at all"))
    }

    /// Moves the clock on by up to `ms` of game time and looks several times on the way, in one call. What is left of
    /// the time can be told from the number of looks.
    ///
    /// # Errors
    /// As [`Probe::advance`].
    pub async fn stretch(
        &self,
        page: &Page,
        ms: f64,
        looks: Looks,
        options: AdvanceOptions,
        deadline: Duration,
    ) -> Result<Vec<Seen>> {
        let have = lock(&self.board).seq;
        let mut question = json!({
            "texts": options.texts, "textsEvery": looks.texts_every_ms, "frame": options.frame, "bulk": options.bulk,
            "part": options.board_only, "read": !options.blind, "have": have, "every": looks.every_ms, "change": looks.until_change,
            "steady": options.steady, "wall": looks.wall.as_secs_f64() * 1000.0, "keys": options.keys,
        });
        if options.keys > 0 {
            let question = self.ask("advance", &[json!(ms), question.clone()]);
            match page.call_with_keys::<Advanced>(&question, deadline).await {
                Ok(answer) if !answer.late => return self.taken(answer),
                // A key may lead to another page.
                Ok(_) | Err(BrowserError::DocumentReplaced) => {
                    self.late.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => return Err(error),
            }
        }
        question["keys"] = json!(0);
        let answer = page
            .call_anew(&self.ask("advance", &[json!(ms), question]), deadline)
            .await?;
        self.taken(answer)
    }

    /// Does the page hear of the keys that it is given, so that they need not be waited for?
    pub fn hears_keys(&self) -> bool {
        self.late.load(Ordering::Relaxed) < LATE
    }

    fn taken(&self, answer: Advanced) -> Result<Vec<Seen>> {
        let mut board = lock(&self.board);
        let step = answer.step.unwrap_or_default();
        answer
            .seen
            .into_iter()
            .map(|look| board.take(look, step))
            .collect()
    }

    /// What a click at a point of the page would hit; `None` outside the viewport.
    pub async fn element_at(&self, page: &Page, x: f64, y: f64) -> Result<Option<ElementAt>> {
        page.call_anew(&self.ask("elementAt", &[json!(x), json!(y)]), ANSWER)
            .await
    }

    /// Scrolls a rectangle of the page into view where it is not, and gives its centre in the viewport.
    pub async fn scroll_into_view(&self, page: &Page, rect: Rect) -> Result<(f64, f64)> {
        page.call_anew(&self.ask("scrollTo", &[json!(rect)]), ANSWER)
            .await
    }

    /// How far the page is scrolled, in CSS pixels.
    pub async fn scroll(&self, page: &Page) -> Result<(f64, f64)> {
        page.call_anew(&self.ask("scroll", &[]), ANSWER).await
    }

    /// Leaves the page, which does not hear of it, and forgets what pages of this address stored: the next opening is a
    /// first one.
    pub async fn forget(&self, page: &Page, url: &str) -> Result<()> {
        // A page that does not answer stores nothing either.
        if let Err(error) = page.call::<bool>(&self.ask("leave", &[]), LEAVE).await {
            tracing::debug!(%error, "the page was left as it is");
        }
        page.forget(url).await
    }

    /// From the next document on Math.random gives, if it is seeded, the numbers of the `opening`-th game: the same in
    /// every run, others in every game. What one game's pieces do not show, the next one's may.
    pub fn deal(&self, page: &Page, opening: u32) {
        // Not waited for: a page that hangs would not answer. The last of several such scripts decides.
        let script = format!("window[{:?}]?.deal?.({opening});", self.token);
        page.post(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({"source": script}),
        );
    }

    /// Is there a script of this probe in the page?
    pub async fn is_there(&self, page: &Page) -> Result<bool> {
        let there = format!("typeof window[{:?}] === 'object'", self.token);
        page.call(&there, ANSWER).await
    }

    /// Waits until the pictures behind the page's backgrounds are loaded, at most `wait`; true if they are.
    pub async fn pictures_loaded(&self, page: &Page, wait: Duration) -> Result<bool> {
        let Lit { waiting } = page
            .call_anew(
                &self.ask("pictures", &[json!(wait.as_millis())]),
                ANSWER + wait,
            )
            .await?;
        Ok(waiting == 0)
    }

    /// How the page came up, but for what only the outside knows.
    pub async fn loading(&self, page: &Page) -> Result<Load> {
        page.call_anew(&self.ask("loading", &[]), MEASURE).await
    }

    /// Lets the page live for `ms` of the wall's clock at the pace of life. The board is not read meanwhile.
    pub async fn pace(&self, page: &Page, ms: f64) -> Result<Pace> {
        let deadline = MEASURE + Duration::from_secs_f64(ms.clamp(0.0, 60_000.0) / 1000.0);
        page.call_anew(&self.ask("pace", &[json!(ms)]), deadline)
            .await
    }

    /// What the page offers to people who cannot see it, or have no mouse; the tree is not of it.
    pub async fn access(&self, page: &Page) -> Result<Access> {
        let access: Access = page.call_anew(&self.ask("access", &[]), MEASURE).await?;
        Ok(answers::bounded_access(access))
    }

    /// A path to what has the focus; empty for the page itself.
    pub async fn focus(&self, page: &Page) -> Result<String> {
        let path: String = page.call_anew(&self.ask("focus", &[]), MEASURE).await?;
        Ok(answers::cut(&path, 200))
    }

    /// Remembers what has the focus, for [`Probe::give_focus_back`].
    pub async fn keep_focus(&self, page: &Page) -> Result<()> {
        let _: serde_json::Value = page.call_anew(&self.ask("keepFocus", &[]), STEP).await?;
        Ok(())
    }

    /// Takes the focus from a button, and remembers that it had it. Was there one?
    pub async fn leave_button(&self, page: &Page) -> Result<bool> {
        page.call_anew(&self.ask("leaveButton", &[]), STEP).await
    }

    /// Gives the focus back to what had it, where it went elsewhere: into a frame, too.
    pub async fn give_focus_back(&self, page: &Page) -> Result<()> {
        let _: serde_json::Value = page
            .call_anew(&self.ask("giveFocusBack", &[]), STEP)
            .await?;
        Ok(())
    }

    /// The expression that calls a function of the scripts.
    fn ask(&self, function: &str, arguments: &[serde_json::Value]) -> String {
        let mut list = String::new();
        for (n, argument) in arguments.iter().enumerate() {
            if n > 0 {
                list.push(',');
            }
            list.push_str(&argument.to_string());
        }
        format!("window[{:?}].{function}({list})", self.token)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer of the wrong shape.
fn malformed(what: &str) -> BrowserError {
    BrowserError::Script {
        text: format!("malformed answer: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_lit_from_the_version_on_that_was_seen_to() {
        for (product, lit) in [
            ("HeadlessChrome/156.0.8078.73", false),
            ("HeadlessChrome/156.0.8078.79", true),
            ("Chrome/157.0.1.2", true),
            ("Chrome/99.0.4844.51", false),
            ("unknown", true),
        ] {
            let options = ProbeOptions::default().in_browser(product);
            assert_eq!(options.lit_borders, lit, "{product}");
        }
    }
}
