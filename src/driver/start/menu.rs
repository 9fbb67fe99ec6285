//! Menus that are only drawn, and moved through by a key.
//!
//! Comes in: a [`Driver`] whose page shows a screen. Goes out: whether a key moves a selection on it.
//! Must never know: how the screen was reached.

use super::candidates::MENU_KEY;
use super::{TAP_MS, region};
use crate::driver::{Driver, DriverError};
use crate::model::{Key, Raster, Rect, Survey, TextSource};

/// Looks before the key is pressed: what differs between them does so by itself.
const LOOKS: usize = 3;
/// Game time from one look to the next.
const PASSES_MS: f64 = 2.0 * TAP_MS;
/// Mean difference (0 to 255) from which on a place looks different to a person: about a hundredth of the range.
const VISIBLE: f64 = 2.5;
/// How many times more a place must change at the key than it does by itself, as a selection that glows does.
const BEYOND: f64 = 3.0;

/// Does a key move the selection of a menu that is only drawn: does the place of some text change at it as it does not
/// by itself?
pub(super) async fn answers<D: Driver>(d: &mut D, survey: &Survey) -> Result<bool, DriverError> {
    let drawn = |s: &TextSource| matches!(s, TextSource::Canvas | TextSource::Svg);
    // A number counts in a game, too, for instance the points of a piece that the key lets down.
    let words =
        |text: &str| text.chars().any(char::is_alphabetic) && !text.chars().any(char::is_numeric);
    let texts: Vec<Rect> = survey
        .texts
        .iter()
        .filter(|t| drawn(&t.source) && words(&t.text))
        .map(|t| t.rect)
        .collect();
    if texts.len() < 2 {
        return Ok(false);
    }
    let region = region(survey);
    let mut looks = vec![d.look(region).await?];
    for _ in 1..LOOKS {
        d.advance(PASSES_MS).await?;
        looks.push(d.look(region).await?);
    }
    d.press(&Key::new(MENU_KEY), TAP_MS).await?;
    d.advance(PASSES_MS).await?;
    let after = d.look(region).await?;
    Ok(texts.iter().any(|place| changes(&looks, &after, *place)))
}

/// Does a place differ from how it looked last by more than it differed from itself before?
fn changes(looks: &[Raster], after: &Raster, place: Rect) -> bool {
    let looks: Vec<Raster> = looks.iter().map(|l| cut(l, place)).collect();
    let own = looks
        .windows(2)
        .map(|two| apart(&two[0], &two[1]))
        .fold(0.0, f64::max);
    let now = looks.last().map_or(0.0, |l| apart(l, &cut(after, place)));
    now >= VISIBLE && now > BEYOND * own
}

fn cut(picture: &Raster, place: Rect) -> Raster {
    picture.cropped(
        place.x.max(0.0) as u32,
        place.y.max(0.0) as u32,
        place.width.max(1.0) as u32,
        place.height.max(1.0) as u32,
    )
}

/// Mean difference of two pictures of one size, 0 to 255.
fn apart(a: &Raster, b: &Raster) -> f64 {
    let (a, b) = (a.rgb(), b.rgb());
    let sum: u64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / a.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Rect = Rect {
        x: 2.0,
        y: 2.0,
        width: 8.0,
        height: 4.0,
    };

    fn lit(level: u8) -> Raster {
        Raster::filled(16, 16, [level, level, level])
    }

    /// What the key does to a place that looked so before, and looks so after.
    fn answers_at(before: [u8; 3], after: u8) -> bool {
        changes(&before.map(lit), &lit(after), PLACE)
    }

    #[test]
    fn a_selection_that_moves_shows_on_a_screen_that_flickers_or_glows() {
        assert!(answers_at([20, 20, 20], 60));
        // A screen that flickers a little as a whole.
        assert!(answers_at([20, 21, 20], 60));
        assert!(!answers_at([20, 20, 20], 21));
        // An item that glows by itself, and one that gets the glow.
        assert!(!answers_at([40, 55, 40], 56));
        assert!(answers_at([40, 45, 41], 90));
        assert!(!answers_at([20, 20, 20], 20));
    }
}
