//! Numbers in text, whatever the language and its digits.

/// A number found in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parsed {
    /// Its value.
    pub value: f64,
    /// Where its first digit (or sign) starts, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
}

/// The zeros of the decimal digits in use (Unicode category Nd); the other nine follow each.
const ZEROS: [u32; 38] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x1D7CE,
];

/// The value of a decimal digit of any script.
pub fn digit(c: char) -> Option<u32> {
    let c = c as u32;
    // The mathematical digits are five runs of ten.
    if (0x1D7CE..0x1D800).contains(&c) {
        return Some((c - 0x1D7CE) % 10);
    }
    ZEROS
        .iter()
        .find_map(|z| c.checked_sub(*z).filter(|d| *d < 10))
}

/// Can this stand between groups of three digits?
fn groups(c: char) -> bool {
    matches!(
        c,
        ',' | '.' | '\'' | '’' | ' ' | '_' | '\u{A0}' | '\u{202F}' | '\u{2009}' | '٬' | '，' | '．'
    )
}

/// Can this stand before a fraction?
fn points(c: char) -> bool {
    matches!(c, '.' | ',' | '٫' | '．')
}

/// All numbers in a text, from its start. Times of day and running times (`1:05`) are none.
pub fn numbers_in(text: &str) -> Vec<Parsed> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let at = |i: usize| chars.get(i).map(|c| c.1);
    let byte = |i: usize| chars.get(i).map_or(text.len(), |c| c.0);
    let run = |from: usize| {
        let mut to = from;
        while at(to).and_then(digit).is_some() {
            to += 1;
        }
        to
    };
    let mut found = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        if at(i).and_then(digit).is_none() {
            i += 1;
            continue;
        }
        let first = i;
        let mut digits: Vec<u32> = Vec::new();
        let mut take = |from: usize, to: usize| {
            digits.extend(chars[from..to].iter().filter_map(|c| digit(c.1)));
        };
        let mut end = run(i);
        take(i, end);
        // Groups of three, all with the same mark between them.
        if end - first <= 3
            && let Some(mark) = at(end).filter(|c| groups(*c))
        {
            let mut e = end;
            while at(e) == Some(mark) && run(e + 1) - (e + 1) == 3 {
                take(e + 1, e + 4);
                e += 4;
            }
            end = e;
        }
        let mut value = digits.iter().fold(0.0, |v, d| v * 10.0 + f64::from(*d));
        if at(end).is_some_and(points) && run(end + 1) > end + 1 {
            let to = run(end + 1);
            let mut scale = 0.1;
            for c in &chars[end + 1..to] {
                value += scale * f64::from(digit(c.1).unwrap_or(0));
                scale /= 10.0;
            }
            end = to;
        }
        let is_time = |i: usize| matches!(at(i), Some(':' | '：'));
        let timed = (is_time(end) && at(end + 1).and_then(digit).is_some())
            || (first > 1 && is_time(first - 1) && at(first - 2).and_then(digit).is_some());
        let minus = first > 0
            && matches!(at(first - 1), Some('-' | '−'))
            && (first < 2 || !at(first - 2).is_some_and(char::is_alphanumeric));
        let start = if minus { first - 1 } else { first };
        if !timed {
            found.push(Parsed {
                value: if minus { -value } else { value },
                start: byte(start),
                end: byte(end),
            });
        }
        i = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, values: &[f64]) {
        let found: Vec<f64> = numbers_in(text).iter().map(|p| p.value).collect();
        assert_eq!(found, values, "{text:?}");
    }

    #[test]
    fn numbers_are_read_with_their_separators_and_padding() {
        check("Score: 0120", &[120.0]);
        check("000000", &[0.0]);
        check("1,234,567", &[1_234_567.0]);
        check("1.234.567", &[1_234_567.0]);
        check("12 345", &[12_345.0]);
        check("12\u{A0}345", &[12_345.0]);
        check("12\u{202F}345 pts", &[12_345.0]);
        check("1'000", &[1000.0]);
        check("1.5", &[1.5]);
        check("3/40", &[3.0, 40.0]);
        check("level 2, lines 13", &[2.0, 13.0]);
        check("-5", &[-5.0]);
        check("a-5", &[5.0]);
        check("12345,678", &[12345.678]);
    }

    #[test]
    fn digits_of_any_script_count() {
        check("٠١٢٣", &[123.0]);
        check("النتيجة ١٬٢٣٤", &[1234.0]);
        check("अंक १२०", &[120.0]);
        check("スコア １２００", &[1200.0]);
        check("𝟙𝟚", &[12.0]);
    }

    #[test]
    fn a_time_is_no_number_and_words_are_none() {
        check("Time 01:25", &[]);
        check("{score}", &[]);
        check("", &[]);
        check("：", &[]);
    }
}
