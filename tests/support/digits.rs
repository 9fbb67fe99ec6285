//! Digits of seven segments, for pictures that tests draw.
#![allow(dead_code)]

/// Segments of the digits, as on a pocket calculator: top, upper left, upper right, middle, lower left, lower right,
/// bottom.
const SEGMENTS: [u8; 10] = [
    0b111_0111, 0b001_0010, 0b101_1101, 0b101_1011, 0b011_1010, 0b110_1011, 0b110_1111, 0b101_0010,
    0b111_1111, 0b111_1011,
];

/// The strokes of a digit, each as x, y, width and height.
pub fn strokes(
    digit: u32,
    (w, h): (i32, i32),
    thick: i32,
) -> impl Iterator<Item = (i32, i32, i32, i32)> {
    let (middle, right) = ((h - thick) / 2, w - thick);
    let half = middle + thick;
    let parts = [
        (0, 0, w, thick),
        (0, 0, thick, half),
        (right, 0, thick, half),
        (0, middle, w, thick),
        (0, middle, thick, h - middle),
        (right, middle, thick, h - middle),
        (0, h - thick, w, thick),
    ];
    let lit = SEGMENTS[digit as usize % 10];
    let on = move |n: &(usize, _)| lit & (1 << (6 - n.0)) != 0;
    parts.into_iter().enumerate().filter(on).map(|n| n.1)
}
