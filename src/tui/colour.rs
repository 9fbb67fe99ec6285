//! Colours by their figures: how light they look, which of a terminal's few is nearest.
//!
//! Comes in: red, green and blue. Goes out: colours a terminal has. Must never know: what is coloured.

use ratatui::style::Color;

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

/// How light a colour looks, 0 to 255 (Rec. 601 weights).
pub(super) fn luma((r, g, b): Rgb) -> f32 {
    0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b)
}

/// The entry of the 256 that is nearest: the cube (steps 0, 95, 135, ...) or a grey (8, 18, ...).
#[allow(clippy::many_single_char_names)]
pub(super) fn nearest_indexed(r: u8, g: u8, b: u8) -> u8 {
    const STEPS: [i32; 6] = [0, 95, 135, 175, 215, 255];
    let step = |v: u8| {
        (0..6u8)
            .min_by_key(|&i| (STEPS[usize::from(i)] - i32::from(v)).abs())
            .unwrap_or(0)
    };
    let far = |a: i32, c: i32, d: i32| {
        (a - i32::from(r)).pow(2) + (c - i32::from(g)).pow(2) + (d - i32::from(b)).pow(2)
    };
    let (i, j, k) = (step(r), step(g), step(b));
    let cube = far(
        STEPS[usize::from(i)],
        STEPS[usize::from(j)],
        STEPS[usize::from(k)],
    );
    let mean = (i32::from(r) + i32::from(g) + i32::from(b)) / 3;
    let grey = ((mean - 3) / 10).clamp(0, 23);
    let level = 8 + 10 * grey;
    if far(level, level, level) < cube {
        232 + grey as u8
    } else {
        16 + 36 * i + 6 * j + k
    }
}

/// The nearest of the sixteen, by hue first: their exact values are the terminal's business.
pub(super) fn nearest_sixteen(r: u8, g: u8, b: u8) -> Color {
    let (max, min) = (r.max(g).max(b), r.min(g).min(b));
    if max - min < 40 {
        return match max {
            0..=50 => Color::Black,
            51..=140 => Color::DarkGray,
            141..=210 => Color::Gray,
            _ => Color::White,
        };
    }
    let half = u8::midpoint(min, max);
    let bits = (u8::from(r > half), u8::from(g > half), u8::from(b > half));
    let bright = max > 200;
    match (bits, bright) {
        ((1, 0, 0), false) => Color::Red,
        ((1, 0, 0), true) => Color::LightRed,
        ((0, 1, 0), false) => Color::Green,
        ((0, 1, 0), true) => Color::LightGreen,
        ((1, 1, 0), false) => Color::Yellow,
        ((1, 1, 0), true) => Color::LightYellow,
        ((0, 0, 1), false) => Color::Blue,
        ((0, 0, 1), true) => Color::LightBlue,
        ((1, 0, 1), false) => Color::Magenta,
        ((1, 0, 1), true) => Color::LightMagenta,
        ((0, 1, 1), false) => Color::Cyan,
        ((0, 1, 1), true) => Color::LightCyan,
        _ => Color::Gray,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_colour_is_exact_where_the_terminal_has_it() {
        assert_eq!(nearest_indexed(255, 0, 0), 196);
        assert_eq!(nearest_indexed(8, 8, 8), 232);
        assert_eq!(nearest_indexed(95, 135, 175), 67);
        assert_eq!(nearest_sixteen(220, 30, 30), Color::LightRed);
        assert_eq!(nearest_sixteen(20, 20, 20), Color::Black);
    }
}
