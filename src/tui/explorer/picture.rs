//! A picture in character cells: two pixels a cell where there are colours, shades of characters where there are none.
//!
//! Comes in: a picture, boxes. Goes out: cells. Must never know: what it shows.

use crate::model::Raster;
use crate::progress::Area;
use crate::tui::Depth;
use crate::tui::draw::Pen;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Characters from dark to light.
const SHADES: [&str; 10] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"];
/// The colour of boxes: one that games seldom use.
const FRAME: [u8; 3] = [255, 0, 255];

/// Draws a picture as large as fits, in its own proportions, and says which part of the area it took.
pub(super) fn picture(pen: &mut Pen<'_>, area: Rect, picture: &Raster, boxes: &[Area]) -> Rect {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    if area.is_empty() || picture.width() == 0 || picture.height() == 0 {
        return Rect::default();
    }
    // A cell is taken to be twice as high as wide.
    let scale = (width / f64::from(area.width)).max(height / (f64::from(area.height) * 2.0));
    let columns = ((width / scale).round() as u16).clamp(1, area.width);
    let rows = ((height / scale / 2.0).round() as u16).clamp(1, area.height);
    let mean = |column: u16, half: u32, halves: u32| -> [u8; 3] {
        let part = |i: f64, of: f64, pixels: f64| {
            let from = (i / of * pixels) as i64;
            from..(((i + 1.0) / of * pixels) as i64).max(from + 1)
        };
        let xs = part(f64::from(column), f64::from(columns), width);
        let ys = part(f64::from(half), f64::from(halves), height);
        let framed = boxes.iter().any(|b| crosses(b, &xs, &ys));
        if framed {
            return FRAME;
        }
        let (mut sum, mut n) = ([0u32; 3], 0);
        for y in ys {
            for x in xs.clone() {
                let p = picture.at(x, y);
                sum.iter_mut().zip(p).for_each(|(s, v)| *s += u32::from(v));
                n += 1;
            }
        }
        sum.map(|s| (s / n) as u8)
    };
    let plain = pen.look.ascii || pen.look.depth == Depth::None;
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (area.x + column, area.y + row);
            if plain {
                let colour = mean(column, u32::from(row), u32::from(rows));
                let [red, green, blue] = colour.map(usize::from);
                let shade = (red * 3 + green * 6 + blue) / 10 * (SHADES.len() - 1) / 255;
                let glyph = if colour == FRAME { "?" } else { SHADES[shade] };
                pen.text(x, y, 1, glyph, Style::new());
            } else {
                let halves = u32::from(rows) * 2;
                let colour = |half| {
                    let [red, green, blue] = mean(column, half, halves);
                    pen.look.rgb((red, green, blue))
                };
                let style = Style::new()
                    .fg(colour(u32::from(row) * 2))
                    .bg(colour(u32::from(row) * 2 + 1));
                pen.text(x, y, 1, "▀", style);
            }
        }
    }
    Rect::new(area.x, area.y, columns, rows)
}

/// Does the frame of a box run through these pixels?
fn crosses(area: &Area, xs: &std::ops::Range<i64>, ys: &std::ops::Range<i64>) -> bool {
    let (left, top) = (i64::from(area.x), i64::from(area.y));
    let right = left + i64::from(area.width) - 1;
    let bottom = top + i64::from(area.height) - 1;
    let meets = |r: &std::ops::Range<i64>, a: i64, b: i64| r.start <= b && a < r.end;
    let inside = |r: &std::ops::Range<i64>, v: i64| r.contains(&v);
    meets(xs, left, right)
        && meets(ys, top, bottom)
        && (inside(xs, left) || inside(xs, right) || inside(ys, top) || inside(ys, bottom))
}
