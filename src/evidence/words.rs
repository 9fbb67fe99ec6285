//! Words beside the board that name the coming pieces, in whatever language or signs.
//!
//! Comes in: the texts of the page, over time. Goes out: which of their parts stood there while which piece was the next.
//! Must never know: what a word means.

use crate::model::{PieceKind, Rect, Stamp, TextItem};
use std::collections::{BTreeMap, BTreeSet};

/// Looks kept; the oldest are dropped beyond.
const KEPT: usize = 320;
/// Texts of a look that are kept at most, and parts of each.
const TEXTS: usize = 60;
/// See [`TEXTS`].
const PARTS: usize = 12;
/// Signs of a part at most: names of pieces are short.
const LONGEST: usize = 12;
/// A text may be this far from where it was, in CSS pixels: centred ones are moved by their width.
const NEAR: f64 = 4.0;
/// Different parts that must have stood in one place ...
const DIFFERENT: usize = 3;
/// ... and at most: twice as many as there are pieces, if each has two names ...
const MOST: usize = 14;
/// ... and times that one of them came again and foretold the same piece. By chance two in seven do.
const AGAIN: usize = 14;
/// So many looks must tell it from a word that names the falling piece.
const SURE: usize = 3;

/// The parts of one text.
#[derive(Debug, Clone)]
struct Line {
    at: (f64, f64),
    parts: Vec<String>,
}

/// The piece that was the next at a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    /// This one.
    Surely(PieceKind),
    /// This one, or, where that had come already and was not to be seen yet, the one after it.
    Either(PieceKind, PieceKind),
}

impl Came {
    fn may_be(self, kind: PieceKind) -> bool {
        match self {
            Self::Surely(next) => next == kind,
            Self::Either(next, later) => next == kind || later == kind,
        }
    }
}

/// All looks at the texts of a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Words(Vec<(Stamp, Vec<Line>)>);

/// Which part of which text names the coming piece, and by what.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    at: (f64, f64),
    slot: usize,
    names: BTreeMap<String, PieceKind>,
}

impl Words {
    /// Takes the texts as they are now.
    pub fn see(&mut self, stamp: Stamp, items: &[TextItem]) {
        let line = |item: &TextItem| {
            let parts = item
                .text
                .split(|c: char| c.is_whitespace() || ",:;|/()[]".contains(c));
            let parts: Vec<String> = parts
                .filter(|p| !p.is_empty() && p.chars().count() <= LONGEST)
                .take(PARTS)
                .map(String::from)
                .collect();
            let Rect { x, y, .. } = item.rect;
            (!parts.is_empty()).then_some(Line { at: (x, y), parts })
        };
        let lines = items.iter().take(TEXTS).filter_map(line).collect();
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        self.0.push((stamp, lines));
    }

    /// The place whose parts name the coming pieces. `came` says which piece came next after a look, if it came in the
    /// ordinary way.
    pub fn find(&self, came: impl Fn(Stamp) -> Option<Came>) -> Option<Named> {
        let looks = || self.0.iter().filter(|(_, lines)| !lines.is_empty());
        let (_, now) = looks().rev().find(|(stamp, _)| came(*stamp).is_some())?;
        // What stays the same names nothing, and neither does what is ever new, such as a score.
        let may_name = |line: &Line, slot: usize| {
            let there = looks().filter_map(|(_, lines)| line_at(lines, line.at)?.parts.get(slot));
            let different: BTreeSet<&String> = there.collect();
            (DIFFERENT..=MOST).contains(&different.len())
        };
        let candidates: Vec<(&Line, usize)> = now
            .iter()
            .flat_map(|line| (0..line.parts.len()).map(move |slot| (line, slot)))
            .filter(|(line, slot)| may_name(line, *slot))
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let known: Vec<(&[Line], Came)> = looks()
            .filter_map(|(stamp, lines)| Some((lines.as_slice(), came(*stamp)?)))
            .collect();
        candidates.into_iter().find_map(|(line, slot)| {
            let part = |(lines, came): &(&[Line], Came)| {
                Some((line_at(lines, line.at)?.parts.get(slot)?.clone(), *came))
            };
            let seen: Vec<(String, Came)> = known.iter().filter_map(part).collect();
            names(&seen).map(|names| Named {
                at: line.at,
                slot,
                names,
            })
        })
    }

    /// The coming pieces as they were named last, nearest first.
    pub fn coming(&self, by: &Named) -> Vec<PieceKind> {
        let line = self.0.last().and_then(|(_, lines)| line_at(lines, by.at));
        let parts = line
            .and_then(|l| l.parts.get(by.slot..))
            .unwrap_or_default();
        parts
            .iter()
            .map_while(|part| by.names.get(part).copied())
            .collect()
    }

    /// What was shown as the coming piece, look by look.
    pub fn shown<'a>(&'a self, by: &'a Named) -> impl Iterator<Item = (Stamp, PieceKind)> + 'a {
        self.0.iter().filter_map(|(stamp, lines)| {
            let part = line_at(lines, by.at)?.parts.get(by.slot)?;
            Some((*stamp, *by.names.get(part)?))
        })
    }
}

/// The text that stood in a place.
fn line_at(lines: &[Line], at: (f64, f64)) -> Option<&Line> {
    let near = |l: &&Line| (l.at.0 - at.0).abs() <= NEAR && (l.at.1 - at.1).abs() <= NEAR;
    lines.iter().find(near)
}

/// Which part stands for which piece: each for one, and no two for the same; nearly always so.
fn names(seen: &[(String, Came)]) -> Option<BTreeMap<String, PieceKind>> {
    let mut votes: BTreeMap<&str, Vec<Came>> = BTreeMap::new();
    for (part, came) in seen {
        votes.entry(part).or_default().push(*came);
    }
    let mut names: BTreeMap<String, PieceKind> = BTreeMap::new();
    let mut right = 0;
    // What was seen most often first: what was seen once fits two pieces.
    let mut parts: Vec<_> = votes.into_iter().collect();
    parts.sort_by_key(|(_, came)| std::cmp::Reverse(came.len()));
    for (part, came) in parts {
        let count = |k: PieceKind| came.iter().filter(|c| c.may_be(k)).count();
        let free = PieceKind::ALL
            .into_iter()
            .filter(|k| !names.values().any(|n| n == k));
        let Some(most) = free.max_by_key(|k| count(*k)).filter(|k| count(*k) > 0) else {
            continue;
        };
        right += count(most);
        names.insert(part.to_string(), most);
    }
    let again = right.checked_sub(names.len())?;
    let sure: Vec<bool> = seen
        .iter()
        .filter(|s| matches!(s.1, Came::Surely(_)))
        .map(|(part, came)| names.get(part).is_some_and(|k| came.may_be(*k)))
        .collect();
    let told = sure.iter().filter(|right| **right).count();
    let fits = names.len() >= DIFFERENT && again >= AGAIN && right * 10 >= seen.len() * 9;
    // A look may come just before or after a piece does: most must be right, as none are by a word for the falling one.
    (fits && told >= SURE && told * 3 >= sure.len() * 2).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TextSource;
    use PieceKind::{I, J, L, O, S, T, Z};

    const PIECES: [PieceKind; 7] = [T, S, Z, I, O, L, J];

    /// What a page says while pieces fall, given the falling and the coming one. After most of them are dropped it is looked
    /// at before the next can be seen.
    fn check(says: impl Fn(PieceKind, PieceKind) -> String, found: bool) {
        let piece = |n: usize| PIECES[(n * 5 + n / 7 * 3 + n / 3) % 7];
        let mut words = Words::default();
        for n in 0..48 {
            let stamp = Stamp {
                seq: n as u64,
                ..Stamp::default()
            };
            let item = |text: String, y: f64| TextItem {
                text,
                rect: Rect::new(400.0, y, 60.0, 12.0),
                source: TextSource::Dom,
            };
            let items = [
                item(format!("Score: {}", n * 40), 10.0),
                item(says(piece(n), piece(n + 1)), 40.0),
            ];
            words.see(stamp, &items);
        }
        let named = words.find(|stamp| {
            let n = stamp.seq as usize;
            Some(if n.is_multiple_of(6) {
                Came::Surely(piece(n + 1))
            } else {
                Came::Either(piece(n), piece(n + 1))
            })
        });
        assert_eq!(named.is_some(), found, "{named:?}");
        if let Some(named) = named {
            assert_eq!(words.coming(&named).first(), Some(&piece(48)));
            let shown: Vec<_> = words.shown(&named).map(|s| s.1).collect();
            assert_eq!(shown, (1..49).map(piece).collect::<Vec<_>>());
        }
    }

    #[test]
    fn words_that_name_the_coming_piece_are_found_whatever_they_are() {
        check(|_, next| format!("Next: {next:?}"), true);
        check(
            |_, next| {
                format!(
                    "次 {}",
                    ["甲", "乙", "丙", "丁", "戊", "己", "庚"][next as usize]
                )
            },
            true,
        );
        check(|now, next| format!("{now:?}, {next:?}"), true);
        // A queue, of which only the first is the next.
        check(|_, next| format!("{next:?} x{}", next as usize / 2), true);
    }

    #[test]
    fn words_that_name_another_piece_or_none_are_not() {
        check(|now, _| format!("Now: {now:?}"), false);
        check(|_, _| "Next: ?".into(), false);
        check(|_, next| format!("{}", next as usize / 3), false);
    }
}
