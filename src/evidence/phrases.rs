//! The words on the page through the run: what numbers stand beside is the same phrase whatever they are.

use super::numbers::digit;
use crate::model::{Stamp, TextItem};
use std::collections::{BTreeMap, BTreeSet};

/// Phrases followed at most: a page that makes up more says nothing by them.
const MOST: usize = 600;
/// Times on the page that are kept of one phrase.
const MOST_SPANS: usize = 60;

/// A phrase and when it was on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// The text without its numbers; untrusted.
    pub words: String,
    /// When it came and when it was gone again; `None` while it is there.
    pub spans: Vec<(Stamp, Option<Stamp>)>,
}

impl Phrase {
    /// Was it on the page at a record?
    pub fn is_shown_at(&self, seq: u64) -> bool {
        self.spans
            .iter()
            .any(|(from, until)| from.seq <= seq && until.is_none_or(|u| u.seq > seq))
    }
}

/// Every phrase that was seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Phrases(BTreeMap<String, Phrase>);

impl Phrases {
    pub fn all(&self) -> impl Iterator<Item = &Phrase> {
        self.0.values()
    }

    pub fn see(&mut self, stamp: Stamp, items: &[TextItem]) {
        let now: BTreeSet<String> = items.iter().filter_map(|i| words(&i.text)).collect();
        for phrase in self.0.values_mut() {
            if let Some(last) = phrase.spans.last_mut()
                && last.1.is_none()
                && !now.contains(&phrase.words)
            {
                last.1 = Some(stamp);
            }
        }
        for words in now {
            if self.0.len() >= MOST && !self.0.contains_key(&words) {
                continue;
            }
            let phrase = self.0.entry(words.clone()).or_insert_with(|| Phrase {
                words,
                spans: Vec::new(),
            });
            if phrase.spans.last().is_none_or(|s| s.1.is_some()) {
                if phrase.spans.len() >= MOST_SPANS {
                    phrase.spans.remove(0);
                }
                phrase.spans.push((stamp, None));
            }
        }
    }
}

/// A text without its digits and with single spaces; `None` if nothing is left.
fn words(text: &str) -> Option<String> {
    let kept: String = text.chars().filter(|c| digit(*c).is_none()).collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    let words: String = words.join(" ").chars().take(120).collect();
    let says = words
        .chars()
        .any(|c| !matches!(c, '.' | ',' | ':' | '-' | '+' | '/' | ' '));
    says.then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Rect, TextSource};

    #[test]
    fn a_phrase_is_the_same_whatever_number_stands_beside_it_and_its_times_are_kept() {
        let mut phrases = Phrases::default();
        let at = |seq| Stamp {
            seq,
            ..Stamp::default()
        };
        let item = |text: &str| TextItem {
            text: text.into(),
            rect: Rect::default(),
            source: TextSource::Dom,
        };
        phrases.see(at(1), &[item("Puntos 10"), item("20")]);
        phrases.see(at(2), &[item("Puntos  30"), item("¡Fin!")]);
        phrases.see(at(3), &[item("Puntos 30")]);
        let all: Vec<_> = phrases.all().map(|p| p.words.as_str()).collect();
        assert_eq!(all, ["Puntos", "¡Fin!"]);
        let end = phrases.all().find(|p| p.words == "¡Fin!").cloned();
        let end = end.unwrap_or_else(|| unreachable!());
        assert!(!end.is_shown_at(1) && end.is_shown_at(2) && !end.is_shown_at(3));
    }
}
