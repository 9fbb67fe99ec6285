//! Telling one screen of a page from another: by what it offers, and by how it looks.
//!
//! Comes in: surveys and pictures. Goes out: signatures and small pictures that can be compared.
//! Must never know: what was done between them.

use crate::model::{Raster, Survey, TextItem};
use crate::vision::find::Hint;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a screen offers, so that the same screen is not explored twice.
pub fn signature(survey: &Survey) -> u64 {
    signature_without(survey, &BTreeSet::new())
}

/// The same, whatever is said of some words.
fn signature_without(survey: &Survey, blinking: &BTreeSet<String>) -> u64 {
    let mut h = DefaultHasher::new();
    for c in &survey.clickables {
        (&c.text, &c.selector, c.on_top, c.disabled).hash(&mut h);
        (c.rect.x as i64 / 4, c.rect.y as i64 / 4).hash(&mut h);
    }
    for t in survey.texts.iter().take(200) {
        let words = words(t);
        if !blinking.contains(&words) {
            words.hash(&mut h);
        }
    }
    survey.has_overlay.hash(&mut h);
    h.finish()
}

/// Are two the same screen, whatever is said of words that blink?
pub fn same_screen(one: &Survey, other: &Survey, blinking: &BTreeSet<String>) -> bool {
    signature_without(one, blinking) == signature_without(other, blinking)
}

/// Numbers count up on title screens too; the words tell screens apart.
fn words(text: &TextItem) -> String {
    text.text.chars().filter(|c| !c.is_numeric()).collect()
}

/// Words that come and go again in looks at one page, like a caret's. What comes and stays is news.
pub fn blinking(looks: &[Survey]) -> BTreeSet<String> {
    let looks: Vec<BTreeSet<String>> = looks
        .iter()
        .map(|l| l.texts.iter().map(words).collect())
        .collect();
    let changes = |word: &String| {
        looks
            .windows(2)
            .filter(|two| two[0].contains(word) != two[1].contains(word))
            .count()
    };
    let all: BTreeSet<&String> = looks.iter().flatten().collect();
    all.into_iter()
        .filter(|w| changes(w) >= 2)
        .cloned()
        .collect()
}

/// Samples of a thumb in each direction of a place.
const SIDE: u32 = 16;
/// Thumbs whose mean luminance differs by less than this (0 to 255) show the same screen.
const SAME: f64 = 0.4;
/// A screen that moves by itself is another one when it differs by this many times what it differs from itself.
const BEYOND: f64 = 3.0;

/// A small picture of the places of a page that may be playfields, or of all of it where there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Thumb(Vec<u8>);

impl Thumb {
    /// The thumb of a picture of the page.
    pub fn of(picture: &Raster, places: &[Hint]) -> Self {
        let (w, h) = (picture.width(), picture.height());
        let whole = [(0.0, 0.0, f64::from(w), f64::from(h))];
        let places: Vec<(f64, f64, f64, f64)> = places
            .iter()
            .take(3)
            .map(|p| (p.rect.x, p.rect.y, p.rect.width, p.rect.height))
            .collect();
        let places = if places.is_empty() {
            whole.as_slice()
        } else {
            &places
        };
        let mut out = Vec::with_capacity(places.len() * (SIDE * SIDE) as usize);
        for &(x, y, width, height) in places {
            let (dx, dy) = (width / f64::from(SIDE), height / f64::from(SIDE));
            for row in 0..SIDE {
                for column in 0..SIDE {
                    let at = (x + dx * f64::from(column), y + dy * f64::from(row));
                    out.push(luminance(picture, at, (dx, dy)));
                }
            }
        }
        Self(out)
    }

    fn distance(&self, other: &Self) -> f64 {
        if self.0.len() != other.0.len() || self.0.is_empty() {
            return f64::INFINITY;
        }
        let sum: u32 = self
            .0
            .iter()
            .zip(&other.0)
            .map(|(a, b)| u32::from(a.abs_diff(*b)))
            .sum();
        f64::from(sum) / self.0.len() as f64
    }
}

/// Mean luminance of a part of a picture, from a few of its pixels.
fn luminance(picture: &Raster, at: (f64, f64), size: (f64, f64)) -> u8 {
    const POINTS: u32 = 4;
    let (mut sum, mut points) = (0u32, 0u32);
    for j in 0..POINTS {
        for i in 0..POINTS {
            let x = at.0 + size.0 * (f64::from(i) + 0.5) / f64::from(POINTS);
            let y = at.1 + size.1 * (f64::from(j) + 0.5) / f64::from(POINTS);
            if x < 0.0
                || y < 0.0
                || x >= f64::from(picture.width())
                || y >= f64::from(picture.height())
            {
                continue;
            }
            let rgb = picture.at(x as i64, y as i64).map(u32::from);
            sum += (2 * rgb[0] + 5 * rgb[1] + rgb[2]) / 8;
            points += 1;
        }
    }
    sum.checked_div(points).unwrap_or(0) as u8
}

/// So many looks that differ are of a screen that moves by itself: one may be before what was done to it shows, one after.
const MOVES: usize = 3;

/// Is what was seen last another screen than the one seen before? One that moves by itself has to differ from all that
/// it showed by more than it does from itself.
pub fn another(before: &[Thumb], after: &[Thumb]) -> bool {
    let Some(last) = after.last() else {
        return false;
    };
    let nearest = |t: &Thumb, among: &[Thumb]| {
        among
            .iter()
            .map(|o| o.distance(t))
            .fold(f64::INFINITY, f64::min)
    };
    let novelty = nearest(last, before);
    let (early, late) = before.split_at(before.len().div_ceil(2));
    let own = late.iter().map(|t| nearest(t, early)).fold(0.0, f64::max);
    novelty.is_finite() && novelty > SAME + BEYOND * own
}

/// Does nothing of what was seen last show another screen than the one seen before? One that stood still and moves now
/// may be a game into which the first piece comes slowly.
pub fn alike(before: &[Thumb], after: &[Thumb]) -> bool {
    let comparable = |t: &Thumb| before.iter().all(|b| b.0.len() == t.0.len());
    let stirs = before.len() == 1 && after.len() >= MOVES;
    !before.is_empty()
        && !stirs
        && after.iter().all(comparable)
        && !(1..=after.len()).any(|n| another(before, &after[..n]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::model::{Rect, TextItem, TextSource};

    #[test]
    fn a_screen_is_told_by_its_words_and_not_by_its_running_numbers() {
        let text = |t: &str| Survey {
            texts: vec![TextItem {
                text: t.into(),
                rect: Rect::default(),
                source: TextSource::Dom,
            }],
            ..Survey::default()
        };
        assert_eq!(
            signature(&text("Players 12")),
            signature(&text("Players 13"))
        );
        assert_ne!(
            signature(&text("Players 12")),
            signature(&text("Levels 12"))
        );
    }

    fn screen(draw: impl Fn(u32, u32) -> u8) -> Thumb {
        let rgb: Vec<u8> = (0..64u32 * 64)
            .flat_map(|i| [draw(i % 64, i / 64); 3])
            .collect();
        Thumb::of(&Raster::from_rgb(64, 64, rgb).unwrap(), &[])
    }

    #[test]
    fn a_menu_that_gives_way_to_another_is_another_screen_and_a_blinking_one_is_not() {
        let title = screen(|x, y| if y < 8 && x < 40 { 200 } else { 20 });
        let menu = screen(|x, y| {
            if (20..30).contains(&y) && x > 8 {
                200
            } else {
                20
            }
        });
        let off = screen(|_, _| 20);
        assert!(another(
            std::slice::from_ref(&title),
            std::slice::from_ref(&menu)
        ));
        assert!(!another(
            std::slice::from_ref(&title),
            std::slice::from_ref(&title)
        ));
        let blinking = [title.clone(), off.clone(), title.clone(), off.clone()];
        assert!(!another(&blinking, &[off]));
        assert!(another(&blinking, &[menu]));
    }

    #[test]
    fn a_screen_on_which_things_drift_is_not_another_because_they_went_on() {
        let drift = |by: u32| {
            screen(move |x, y| {
                if (by..by + 6).contains(&y) && x < 12 {
                    200
                } else {
                    20
                }
            })
        };
        let before: Vec<Thumb> = (0..20).map(|i| drift(i * 2)).collect();
        assert!(!another(&before, &[drift(42)]));
        assert!(alike(&before, &[drift(41), drift(42), drift(43)]));
        let menu = screen(|x, _| if x > 40 { 200 } else { 20 });
        assert!(!alike(&before, &[drift(42), menu, drift(43)]));
        assert!(!alike(&[], &before));
        assert!(!alike(&[drift(0)], &[drift(0), drift(1), drift(2)]));
    }

    /// A page with these texts.
    fn page(texts: &[&str]) -> Survey {
        let item = |t: &&str| TextItem {
            text: (*t).into(),
            rect: crate::model::Rect::new(0.0, 0.0, 50.0, 12.0),
            source: crate::model::TextSource::Dom,
        };
        Survey {
            texts: texts.iter().map(item).collect(),
            ..Survey::default()
        }
    }

    #[test]
    fn a_caret_that_blinks_makes_no_other_screen_and_words_that_come_and_stay_do() {
        let on = page(&["Score: 20", "> _"]);
        let off = page(&["Score: 30", ">"]);
        let over = page(&["Score: 30", ">", "Again?"]);
        assert_ne!(signature(&on), signature(&off));
        let blinks = blinking(&[on.clone(), off.clone(), on.clone(), over.clone()]);
        let known = |s: &Survey| signature_without(s, &blinks);
        assert_eq!(known(&on), known(&off));
        assert_ne!(known(&on), known(&over));
    }
}
