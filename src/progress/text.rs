//! What the page's texts say.
//!
//! Comes in: visible text before and after, with those of idle moments. Goes out: what changed in them that does not
//! change by itself. Must never know: any word of any language.

use super::Observation;

/// What changed in the texts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TextChange {
    /// Nothing, or nothing is known.
    None,
    /// Only numbers that also change by themselves.
    Counts,
    /// A number that stands still otherwise: from, to.
    Number(String, String),
    /// Other words than before.
    Words,
}

/// A text in two parts: what stands around the numbers, and the numbers.
fn parts(text: &str) -> (String, Vec<String>) {
    let mut around = String::new();
    let mut numbers: Vec<String> = Vec::new();
    let mut in_number = false;
    let mut rest = text.chars().peekable();
    while let Some(ch) = rest.next() {
        // The parts of a time, of a fraction and of a long number are one number.
        let joins = in_number
            && matches!(ch, '.' | ':' | ',' | '\'')
            && rest.peek().is_some_and(|next| next.is_numeric());
        if ch.is_numeric() || joins {
            if !in_number {
                around.push('\u{1}');
                numbers.push(String::new());
            }
            if let Some(last) = numbers.last_mut() {
                last.push(ch);
            }
            in_number = true;
        } else {
            in_number = false;
            // How it is broken into lines is not what it says.
            if ch.is_whitespace() {
                if !around.ends_with(' ') {
                    around.push(' ');
                }
            } else {
                around.push(ch);
            }
        }
    }
    (around, numbers)
}

/// Compares the texts of an observation.
pub(super) fn text_change(seen: &Observation) -> TextChange {
    let (Some(before), Some(first), Some(last)) = (
        seen.text_before.as_deref(),
        seen.text_after.first(),
        seen.text_after.last(),
    ) else {
        return TextChange::None;
    };
    let calm: Vec<_> = seen
        .text_idle
        .iter()
        .map(String::as_str)
        .chain([before])
        .map(parts)
        .collect();
    let (first, last, before) = (parts(first), parts(last), parts(before));
    if last == before || calm.contains(&last) {
        return TextChange::None;
    }
    if calm.iter().any(|c| c.0 == last.0) {
        // The same words: which numbers differ, and which of them do so by themselves?
        let varies = |i: usize| {
            let by_itself = calm
                .iter()
                .filter(|c| c.0 == before.0)
                .any(|c| c.1.get(i) != before.1.get(i));
            by_itself || (first.0 == last.0 && first.1.get(i) != last.1.get(i))
        };
        if before.0 != last.0 {
            return TextChange::Counts;
        }
        let changed = (0..before.1.len()).filter(|&i| before.1.get(i) != last.1.get(i));
        let own: Vec<usize> = changed.filter(|&i| !varies(i)).collect();
        return match own.first() {
            Some(&i) => TextChange::Number(before.1[i].clone(), last.1[i].clone()),
            None => TextChange::Counts,
        };
    }
    TextChange::Words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(idle: &[&str], before: &str, after: &[&str]) -> Observation {
        Observation {
            text_idle: idle.iter().map(ToString::to_string).collect(),
            text_before: Some(before.into()),
            text_after: after.iter().map(ToString::to_string).collect(),
            ..Observation::default()
        }
    }

    #[test]
    fn a_clock_is_no_news_but_the_score_beside_it_is() {
        let clock = seen(&["t 1 s 0"], "t 2 s 0", &["t 3 s 0", "t 4 s 0"]);
        assert_eq!(text_change(&clock), TextChange::Counts);
        let score = seen(&["t 1 s 0"], "t 2 s 0", &["t 3 s 4", "t 4 s 4"]);
        assert_eq!(
            text_change(&score),
            TextChange::Number("0".into(), "4".into())
        );
    }

    #[test]
    fn a_clock_whose_first_tick_comes_after_the_action_is_known_by_its_second() {
        let clock = seen(&["000", "000"], "000", &["001", "002"]);
        assert_eq!(text_change(&clock), TextChange::Counts);
    }

    #[test]
    fn the_seconds_of_a_stopwatch_count_by_themselves_as_its_tenths_do() {
        let watch = seen(&["1.7", "1.8"], "1.9", &["2.9", "3.9"]);
        assert_eq!(text_change(&watch), TextChange::Counts);
        let beside = seen(&["1.7. 30"], "1.9. 30", &["2.9. 40", "3.9. 40"]);
        assert_eq!(
            text_change(&beside),
            TextChange::Number("30".into(), "40".into())
        );
    }

    #[test]
    fn words_that_blink_are_no_news() {
        let blink = seen(&["PRESS", ""], "PRESS", &["", "PRESS"]);
        assert_eq!(text_change(&blink), TextChange::None);
        let over = seen(&["PRESS", ""], "PRESS", &["ENDE", "ENDE"]);
        assert_eq!(text_change(&over), TextChange::Words);
    }
}
