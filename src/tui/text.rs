//! Text on its way to the screen: harmless, of known width, cut or wrapped.
//!
//! Comes in: any text, page text included. Goes out: text without control characters, direction overrides and
//! invisible characters, at most as wide as asked. Must never know: where on the screen it goes.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Marks that may pile up on one letter; more are dropped, for they would paint over other lines.
const MARKS_A_LETTER: usize = 2;

/// Is this one of the characters that change the direction of text, join or hide other characters, or show nothing?
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The nearest ASCII for a character that texts of ours use.
fn to_ascii(c: char, out: &mut String) {
    match c {
        c if c.is_ascii() => out.push(c),
        '×' => out.push('x'),
        '·' | '•' => out.push('.'),
        '–' | '—' | '−' | '─' => out.push('-'),
        '…' => out.push_str(".."),
        '←' => out.push('<'),
        '→' => out.push('>'),
        '↑' => out.push('^'),
        '↓' => out.push('v'),
        '‘' | '’' => out.push('\''),
        '“' | '”' => out.push('"'),
        '±' => out.push_str("+-"),
        _ => out.push('?'),
    }
}

/// The text without anything that could act on a terminal: line breaks and tabs become spaces, other control
/// characters a dot, invisible characters and direction overrides vanish, piles of marks are cut.
pub fn clean(text: &str, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    for c in text.chars() {
        if matches!(c, '\n' | '\r' | '\t' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            out.push(' ');
        } else if c.is_control() {
            out.push(if ascii { '.' } else { '·' });
        } else if is_invisible(c) {
        } else if c.width() == Some(0) {
            marks += 1;
            if !out.is_empty() && !ascii && marks <= MARKS_A_LETTER {
                out.push(c);
            }
            continue;
        } else if ascii {
            to_ascii(c, &mut out);
        } else {
            out.push(c);
        }
        marks = 0;
    }
    out
}

/// Columns the text takes.
pub fn width(text: &str) -> u16 {
    u16::try_from(text.width()).unwrap_or(u16::MAX)
}

/// The clean text cut to at most `max` columns; where something was cut, it ends in an ellipsis.
pub fn fit(text: &str, max: u16, ascii: bool) -> String {
    let text = clean(text, ascii);
    if width(&text) <= max {
        return text;
    }
    let dots = if ascii { ".." } else { "…" };
    if max <= width(dots) {
        return take(dots, max);
    }
    let mut out = take(&text, max - width(dots));
    out.truncate(out.trim_end().len());
    out.push_str(dots);
    out
}

/// As much of the front of a clean text as fits `max` columns.
fn take(text: &str, max: u16) -> String {
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        if width(&out) > max {
            out.pop();
            break;
        }
    }
    out
}

/// The clean text in lines of at most `max` columns, broken between words where there are any.
pub fn wrap(text: &str, max: u16, ascii: bool) -> Vec<String> {
    let max = max.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in clean(text, ascii).split_whitespace() {
        let mut word = word.to_owned();
        let gap = u16::from(!line.is_empty());
        if width(&line)
            .saturating_add(gap)
            .saturating_add(width(&word))
            <= max
        {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(&word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while width(&word) > max {
            let head = take(&word, max);
            if head.is_empty() {
                break;
            }
            word.drain(..head.len());
            lines.push(head);
        }
        line = word;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_overrides_and_piles_of_marks_do_not_come_through() {
        assert_eq!(
            clean("a\x1b[31mb\u{202e}c\u{200d}d\te", false),
            "a·[31mbcd e"
        );
        assert_eq!(
            clean(&format!("a{}b", "\u{301}".repeat(40)), false),
            "a\u{301}\u{301}b"
        );
        assert_eq!(clean("スコア 3×→", true), "??? 3x>");
    }

    #[test]
    fn a_wide_letter_is_never_cut_in_half() {
        assert_eq!(fit("得点得点", 5, false), "得点…");
        assert_eq!(fit("得点得点", 4, false), "得…");
        assert_eq!(fit("score", 5, false), "score");
        assert_eq!(fit("score board", 7, false), "score…");
        assert_eq!(fit("score", 1, false), "…");
        assert_eq!(fit("score", 0, true), "");
    }

    #[test]
    fn words_wrap_and_a_long_word_is_broken() {
        assert_eq!(
            wrap("one shape in four", 9, false),
            ["one shape", "in four"]
        );
        assert_eq!(wrap("abcdefgh", 3, false), ["abc", "def", "gh"]);
    }

    proptest! {
        #[test]
        fn nothing_is_ever_wider_than_asked_nor_holds_a_control_character(s in ".*", max in 0u16..40, ascii: bool) {
            let f = fit(&s, max, ascii);
            prop_assert!(width(&f) <= max);
            prop_assert!(!f.chars().any(|c| c.is_control() || is_invisible(c)));
            for l in wrap(&s, max, ascii) {
                prop_assert!(width(&l) <= max.max(2));
            }
        }
    }
}
