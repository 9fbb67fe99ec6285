//! What the in-page scripts answer, checked: the page may have had its hands in it.

use super::malformed;
use crate::browser::Result;
use crate::model::{Access, Frame, Raster, Rect, Survey, TextItem};
use base64::Engine as _;
use serde::Deserialize;
use std::sync::Arc;

/// No picture is larger.
const MAX_PIXELS: u64 = 4_000_000;
const MAX_TEXTS: usize = 2000;
const MAX_TEXT: usize = 400;

/// What the watched board is made of, as far as the painter saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    /// A 2D canvas.
    Canvas,
    /// A WebGL canvas.
    Webgl,
    /// Elements.
    Dom,
    /// SVG shapes.
    Svg,
    /// More than one of them.
    Mixed,
    /// Whatever it is: it is seen as it is shown on screen.
    Screenshot,
}

/// What the game's clock did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Step {
    /// Callbacks run.
    pub calls: u64,
    /// Animation frames run.
    pub frames: u64,
    /// Milliseconds of game time to the next timer; `None` when none waits.
    pub next_timer: Option<f64>,
    /// Animation frames asked for and not yet run.
    pub rafs: u64,
}

/// What was there after a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Game time since the page's load in milliseconds.
    pub now_ms: f64,
    /// The board's picture; `None` when none is watched or it is lost.
    pub frame: Option<Frame>,
    /// Does the board look as in the last answer?
    pub same: bool,
    /// What the board is made of.
    pub reader: Option<Reader>,
    /// Why the board could not be looked at ("hidden", "gone", ...).
    pub lost: Option<String>,
    /// The texts, when they were asked for and differ from the last ones told.
    pub texts: Option<Vec<TextItem>>,
    /// Where the page is scrolled to.
    pub scroll: (f64, f64),
    /// What the clock did.
    pub step: Step,
}

/// The element at a point.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ElementAt {
    /// Lower-case tag name.
    pub tag: String,
    /// Text or accessible name, untrusted.
    pub text: String,
    /// A CSS path to it.
    pub selector: String,
    /// Where it is on the page.
    pub rect: Rect,
}

#[derive(Debug, Deserialize)]
pub(super) struct Lit {
    pub waiting: u64,
}

/// The parts of a picture that changed.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Patch {
    pub seq: u64,
    pub full: bool,
    /// The colour of all that no part covers, in a full picture.
    #[serde(default)]
    pub base: Option<[u8; 3]>,
    pub w: u32,
    pub h: u32,
    /// Their boxes: left, top, width, height.
    pub parts: Vec<[u32; 4]>,
    /// Their pixels, one after the other, in words of four bytes: see [`unpacked`].
    pub pix: String,
    #[serde(default)]
    pub lost: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Read {
    #[serde(flatten)]
    pub patch: Patch,
    pub same: bool,
    pub rect: [f64; 4],
    #[serde(default)]
    pub reader: Option<Reader>,
    #[serde(default)]
    pub lost: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Advanced {
    #[serde(default)]
    pub step: Option<Step>,
    pub seen: Vec<Looked>,
    /// The keys that were sent before did not come, and nothing was done.
    #[serde(default)]
    pub late: bool,
}

/// One of the looks on the way.
#[derive(Debug, Deserialize)]
pub(super) struct Looked {
    pub now: f64,
    #[serde(default)]
    pub read: Option<Read>,
    #[serde(default)]
    pub texts: Option<Vec<TextItem>>,
    pub scroll: (f64, f64),
}

impl Patch {
    /// The whole picture, given the one before.
    pub fn lay_on(&self, base: Option<Raster>) -> Result<Raster> {
        if let Some(why) = &self.lost {
            return Err(malformed(&cut(why, 200)));
        }
        if u64::from(self.w) * u64::from(self.h) > MAX_PIXELS {
            return Err(malformed("a picture too large"));
        }
        let base = match (self.full, base) {
            (true, _) => Raster::filled(self.w, self.h, self.base.unwrap_or_default()),
            (false, Some(b)) if b.width() == self.w && b.height() == self.h => b,
            (false, _) => return Err(malformed("a patch of a picture that is not held")),
        };
        if self.parts.is_empty() {
            return Ok(base);
        }
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(&self.pix)
            .map_err(|_| malformed("pixels that are not base64"))?;
        let fits = |at: u32, len: u32, of: u32| at.checked_add(len).is_some_and(|end| end <= of);
        let mut count = 0;
        for &[x, y, wide, high] in &self.parts {
            if !fits(x, wide, self.w) || !fits(y, high, self.h) {
                return Err(malformed("a patch outside its picture"));
            }
            count += u64::from(wide) * u64::from(high);
            if count > MAX_PIXELS {
                return Err(malformed("a patch larger than its picture"));
            }
        }
        let pixels = unpacked(&bytes, count as usize).map_err(malformed)?;
        let mut rgb: Arc<[u8]> = Arc::from(base.rgb());
        let held = Arc::make_mut(&mut rgb);
        let mut rest = pixels.as_flattened();
        for &[x, y, wide, high] in &self.parts {
            for row in y..y + high {
                let start = (row as usize * self.w as usize + x as usize) * 3;
                let (line, below) = rest.split_at(wide as usize * 3);
                held[start..start + line.len()].copy_from_slice(line);
                rest = below;
            }
        }
        Raster::from_rgb(self.w, self.h, rgb).ok_or_else(|| malformed("a patch of no picture"))
    }
}

/// The `count` pixels that are packed into `bytes`, in words of four: a run of one colour is red, green, blue and its
/// length less one, up to 128; a repetition of earlier pixels its length less one in two bytes, and in two more how far
/// back they are, the highest bit set.
fn unpacked(bytes: &[u8], count: usize) -> Result<Vec<[u8; 3]>, &'static str> {
    let (words, []) = bytes.as_chunks::<4>() else {
        return Err("a run of pixels that is cut");
    };
    let mut pixels: Vec<[u8; 3]> = Vec::with_capacity(count);
    for &[a, b, c, d] in words {
        let repeats = d & 0x80 != 0;
        let length = 1 + if repeats {
            usize::from(u16::from_le_bytes([a, b]))
        } else {
            usize::from(d)
        };
        if length > count - pixels.len() {
            return Err("a patch with too many pixels");
        }
        if !repeats {
            pixels.resize(pixels.len() + length, [a, b, c]);
            continue;
        }
        let back = usize::from(u16::from_le_bytes([c, d & 0x7f]));
        let Some(from) = pixels.len().checked_sub(back).filter(|_| back > 0) else {
            return Err("a patch that repeats what is not in it");
        };
        // What is repeated may itself be a part of the repetition.
        let mut left = length;
        while left > 0 {
            let now = left.min(pixels.len() - from);
            pixels.extend_from_within(from..from + now);
            left -= now;
        }
    }
    if pixels.len() < count {
        return Err("a patch with too few pixels");
    }
    Ok(pixels)
}

/// At most `max` characters, without control characters.
pub(super) fn cut(text: &str, max: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(max).collect()
}

fn sane(rect: &Rect) -> bool {
    [rect.x, rect.y, rect.width, rect.height]
        .iter()
        .all(|v| v.is_finite() && v.abs() < 1e7)
}

pub(super) fn bounded_texts(mut texts: Vec<TextItem>) -> Vec<TextItem> {
    texts.truncate(MAX_TEXTS);
    texts.retain(|t| sane(&t.rect));
    for item in &mut texts {
        item.text = cut(&item.text, MAX_TEXT);
    }
    texts
}

pub(super) fn bounded_survey(mut survey: Survey) -> Survey {
    survey.texts = bounded_texts(survey.texts);
    survey.surfaces.truncate(100);
    survey.surfaces.retain(|s| sane(&s.rect));
    survey.clickables.truncate(500);
    survey.clickables.retain(|c| sane(&c.rect));
    for clickable in &mut survey.clickables {
        clickable.text = cut(&clickable.text, MAX_TEXT);
        clickable.tag = cut(&clickable.tag, 40);
        clickable.selector = cut(&clickable.selector, 500);
    }
    survey.title = cut(&survey.title, 300);
    survey.lang = cut(&survey.lang, 40);
    survey
}

pub(super) fn bounded_access(mut access: Access) -> Access {
    const LISTED: usize = 200;
    access.title = cut(&access.title, 300);
    access.lang = cut(&access.lang, 40);
    access.viewport = cut(&access.viewport, 300);
    // The browser says what stands here, not the page.
    access.nodes.clear();
    access.contrasts.truncate(LISTED);
    access.contrasts.retain(|c| sane(&c.rect));
    for contrast in &mut access.contrasts {
        contrast.text = cut(&contrast.text, 100);
    }
    access.bare_canvases.truncate(LISTED);
    access.bare_canvases.retain(sane);
    access.mouse_only.truncate(LISTED);
    access.mouse_only.retain(|n| sane(&n.rect));
    for named in &mut access.mouse_only {
        named.text = cut(&named.text, 100);
        named.tag = cut(&named.tag, 40);
    }
    access.live.truncate(LISTED);
    access.live.retain(sane);
    access
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Of words as [`unpacked`] takes them.
    fn patch(full: bool, at: [u32; 4], runs: &[u8]) -> Patch {
        Patch {
            seq: 1,
            full,
            base: full.then_some([7; 3]),
            w: 2,
            h: 2,
            parts: vec![at],
            pix: base64::engine::general_purpose::STANDARD.encode(runs),
            lost: None,
        }
    }

    #[test]
    fn a_patch_changes_its_part_only() {
        let whole = patch(true, [0, 0, 2, 2], &[9, 9, 9, 3])
            .lay_on(None)
            .unwrap();
        let after = patch(false, [1, 1, 1, 1], &[1, 2, 3, 0])
            .lay_on(Some(whole))
            .unwrap();
        assert_eq!(after.at(0, 0), [9; 3]);
        assert_eq!(after.at(1, 1), [1, 2, 3]);
        let corners = Patch {
            parts: vec![[0, 0, 1, 1], [1, 1, 1, 1]],
            ..patch(true, [0; 4], &[1, 2, 3, 0, 4, 5, 6, 0])
        };
        let both = corners.lay_on(None).unwrap();
        assert_eq!(
            [both.at(0, 0), both.at(1, 0), both.at(1, 1)],
            [[1, 2, 3], [7; 3], [4, 5, 6]]
        );
        // A run goes on in the next line, and in the next part.
        let runs = Patch {
            parts: vec![[0, 0, 1, 2], [1, 1, 1, 1]],
            ..patch(true, [0; 4], &[1, 2, 3, 0, 4, 5, 6, 1])
        };
        let laid = runs.lay_on(None).unwrap();
        assert_eq!(laid.at(0, 0), [1, 2, 3]);
        assert_eq!([laid.at(0, 1), laid.at(1, 1)], [[4, 5, 6]; 2]);
    }

    #[test]
    fn what_comes_again_is_said_once() {
        // Two pixels, five that are like those two before them, and a run of two.
        let words = [1, 2, 3, 0, 4, 5, 6, 0, 4, 0, 2, 0x80, 7, 7, 7, 1];
        let (odd, even) = ([1, 2, 3], [4, 5, 6]);
        assert_eq!(
            unpacked(&words, 9).unwrap(),
            [odd, even, odd, even, odd, even, odd, [7; 3], [7; 3]]
        );
        assert!(unpacked(&words, 8).is_err());
        assert!(unpacked(&words, 10).is_err());
        for nowhere in [[0, 0, 0, 0x80], [0, 0, 2, 0x80], [0, 0, 0, 0x81]] {
            assert!(unpacked(&[[9, 9, 9, 0], nowhere].concat(), 2).is_err());
        }
    }

    #[test]
    fn what_a_page_could_forge_is_an_error_and_no_panic() {
        let held = || Some(Raster::filled(2, 2, [0; 3]));
        assert!(patch(false, [0, 0, 1, 1], &[1, 2]).lay_on(held()).is_err());
        for too_many in [&[1, 2, 3, 1][..], &[1, 2, 3, 0, 4, 5, 6, 0]] {
            assert!(patch(false, [0, 0, 1, 1], too_many).lay_on(held()).is_err());
        }
        let overlapping = Patch {
            parts: vec![[0, 0, 2, 2]; 1_000_001],
            ..patch(false, [0; 4], &[1, 2, 3, 0])
        };
        assert!(overlapping.lay_on(held()).is_err());
        let too_few = patch(false, [0, 0, 2, 1], &[1, 2, 3, 0]);
        assert!(too_few.lay_on(held()).is_err());
        assert!(
            patch(false, [2, 0, 1, 1], &[1, 2, 3, 0])
                .lay_on(held())
                .is_err()
        );
        assert!(
            patch(false, [u32::MAX, 0, 1, 1], &[1, 2, 3, 0])
                .lay_on(held())
                .is_err()
        );
        assert!(
            patch(false, [0, 0, 1, 1], &[1, 2, 3, 0])
                .lay_on(None)
                .is_err()
        );
        let mut huge = patch(true, [0, 0, 1, 1], &[1, 2, 3, 0]);
        (huge.w, huge.h) = (u32::MAX, u32::MAX);
        assert!(huge.lay_on(None).is_err());
        let mut garbled = patch(false, [0, 0, 1, 1], &[1, 2, 3, 0]);
        garbled.pix = "§".into();
        assert!(garbled.lay_on(held()).is_err());
    }
}
