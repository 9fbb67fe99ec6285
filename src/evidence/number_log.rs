//! The numbers of the page, each followed by its place through the run.

use super::numbers::{digit, numbers_in};
use crate::model::{Number, Rect, Stamp, TextItem};

/// A number at its place, with the values it had.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberTrack {
    /// The nearest words; untrusted.
    pub label: String,
    /// Where it was last seen.
    pub rect: Rect,
    /// Its values whenever they changed, oldest first.
    pub history: Vec<(Stamp, f64)>,
    /// Is it on the page now?
    pub shown: bool,
    /// The records with which it went from the page, came back, and so on by turns.
    pub turns: Vec<u64>,
}

impl NumberTrack {
    /// Its last value.
    pub fn value(&self) -> f64 {
        self.history.last().map_or(0.0, |h| h.1)
    }

    /// Was it on the page at a record, once it had come?
    pub fn is_shown_at(&self, seq: u64) -> bool {
        self.turns.partition_point(|t| *t <= seq).is_multiple_of(2)
    }

    /// Its value at a record; `None` before it was first seen.
    pub fn at(&self, seq: u64) -> Option<f64> {
        let after = self.history.partition_point(|h| h.0.seq <= seq);
        after.checked_sub(1).map(|i| self.history[i].1)
    }
}

/// Values that come no further apart than this, in game milliseconds, and all rise, are one number counting up to where
/// it has been set already: pages let their score run.
const RUNS_MS: f64 = 150.0;
/// So many of them: the points for a drop and those for its rows are two.
const RUN_OF: usize = 3;

impl NumberTrack {
    /// Where the run of rises begins that a value belongs to, counted in [`Self::history`]; looked for no further back than
    /// `first`.
    pub fn run_of(&self, at: usize, first: usize) -> usize {
        let goes_on = |i: usize| {
            let (old, new) = (&self.history[i - 1], &self.history[i]);
            // The first value was there before; its time is when the page was first looked at.
            i > 1 && new.1 > old.1 && new.0.game_ms() - old.0.game_ms() <= RUNS_MS
        };
        let mut from = at;
        while from > first && goes_on(from) {
            from -= 1;
        }
        from
    }

    /// Was it counting up between two records, and had not come to its end with the second?
    pub fn counts_on(&self, from: u64, until: u64) -> bool {
        let next = self.history.partition_point(|h| h.0.seq <= until);
        if next == 0 || next >= self.history.len() {
            return false;
        }
        let first = self.history.partition_point(|h| h.0.seq <= from);
        self.runs(next, first)
    }

    /// Is it counting up?
    pub fn is_counting(&self, now_ms: f64) -> bool {
        let Some(last) = self.history.len().checked_sub(1) else {
            return false;
        };
        self.shown && now_ms - self.history[last].0.game_ms() <= RUNS_MS && self.runs(last, 0)
    }

    /// Did it go back between two records while it was counting up? Then the value from which it did.
    pub fn broken_off(&self, from: u64, until: u64) -> Option<f64> {
        let back = |i: &usize| {
            let (last, next) = (&self.history[*i], &self.history[*i + 1]);
            (from + 1..=until).contains(&next.0.seq)
                && next.1 < last.1
                && next.0.game_ms() - last.0.game_ms() <= RUNS_MS
                && self.runs(*i, 0)
        };
        let at = (0..self.history.len().saturating_sub(1)).rev().find(back)?;
        Some(self.history[at].1)
    }

    /// Does a run lead to this value, since that one at most?
    fn runs(&self, at: usize, first: usize) -> bool {
        let Some(begin) = at.checked_sub(RUN_OF - 1).filter(|b| *b >= first) else {
            return false;
        };
        self.run_of(at, begin) == begin
    }

    fn go_on(&mut self, stamp: Stamp, now: Number) {
        self.rect = now.rect;
        self.label = now.label;
        let differs = |h: &(Stamp, f64)| h.1.total_cmp(&now.value).is_ne();
        if self.history.last().is_none_or(differs) {
            if self.history.len() >= MOST_VALUES {
                self.history.drain(1..MOST_VALUES / 2);
            }
            self.history.push((stamp, now.value));
        }
    }
}

/// By what a number is known again.
#[derive(Debug, Clone, Copy)]
enum Pass {
    /// Its place and its words.
    Place,
    /// Its words, wherever it is.
    Words,
    /// Its place, whatever its words.
    AnyWords,
}

/// All numbers that were seen.
#[derive(Debug, Clone, Default)]
pub struct NumberLog {
    tracks: Vec<NumberTrack>,
}

/// How many numbers are followed at most: a page that makes up more shows no score by them.
const MOST_TRACKS: usize = 200;
/// How many values of one number are kept; the oldest but the first are dropped.
const MOST_VALUES: usize = 4000;

impl NumberLog {
    /// Every number that was seen, in the order of its first appearance.
    pub fn tracks(&self) -> &[NumberTrack] {
        &self.tracks
    }

    /// The number that stands at a place, or begins or ends there: it grows with its digits.
    pub fn nearest(&self, place: Rect) -> Option<&NumberTrack> {
        let (x, y) = place.centre();
        let far = |t: &NumberTrack| {
            let r = &t.rect;
            let aside = (r.x - x).max(x - r.right()).max(0.0);
            let high = r.height.max(place.height).max(4.0);
            let off = (r.centre().1 - y).abs();
            (off < high && aside < high * 2.0).then_some(aside + off)
        };
        let near = self.tracks.iter().filter_map(|t| Some((t, far(t)?)));
        // Of two at the same place the one that is shown now.
        near.min_by(|a, b| {
            (a.1, !a.0.shown)
                .partial_cmp(&(b.1, !b.0.shown))
                .unwrap_or(std::cmp::Ordering::Equal)
        })
        .map(|n| n.0)
    }

    /// Takes the texts of the page as they are now.
    pub(super) fn see(&mut self, stamp: Stamp, items: &[TextItem]) {
        let before: Vec<bool> = self.tracks.iter().map(|t| t.shown).collect();
        for t in &mut self.tracks {
            t.shown = false;
        }
        let numbers = numbers_of(items);
        let mut which: Vec<Option<usize>> = vec![None; numbers.len()];
        // Where it was, with the words it had; then by its words alone, since what stands in a row moves when another
        // gets more digits; then where one was, whatever stands beside it.
        for pass in [Pass::Place, Pass::Words, Pass::AnyWords] {
            for (at, number) in numbers.iter().enumerate() {
                if which[at].is_some() {
                    continue;
                }
                let found = match pass {
                    Pass::Place => self.at_its_place(number, true),
                    Pass::Words => self.by_its_words(number, &numbers, &before),
                    Pass::AnyWords => self.at_its_place(number, false),
                };
                if let Some(i) = found {
                    self.tracks[i].shown = true;
                    which[at] = found;
                }
            }
        }
        for (number, track) in numbers.into_iter().zip(which) {
            if let Some(i) = track {
                self.tracks[i].go_on(stamp, number);
            } else if self.tracks.len() < MOST_TRACKS {
                self.tracks.push(NumberTrack {
                    label: number.label,
                    rect: number.rect,
                    history: vec![(stamp, number.value)],
                    shown: true,
                    turns: Vec::new(),
                });
            }
        }
        for (t, was) in self.tracks.iter_mut().zip(before) {
            if t.shown != was && t.turns.len() < MOST_VALUES {
                t.turns.push(stamp.seq);
            }
        }
    }

    /// The number that stood where this one stands and was not found yet.
    fn at_its_place(&self, number: &Number, same_words: bool) -> Option<usize> {
        let near = |t: &NumberTrack| {
            let (a, b) = (t.rect.centre(), number.rect.centre());
            let high = t.rect.height.max(number.rect.height).max(4.0);
            // A number grows to one side or both as it gets more digits.
            let sideways = (t.rect.x - number.rect.x)
                .abs()
                .min((t.rect.right() - number.rect.right()).abs())
                .min((a.0 - b.0).abs());
            ((a.1 - b.1).abs() < high * 0.6 && sideways < high)
                .then_some(sideways + (a.1 - b.1).abs())
        };
        self.tracks
            .iter()
            .enumerate()
            .filter(|(_, t)| !t.shown && (!same_words || t.label == number.label))
            .filter_map(|(i, t)| Some((i, near(t)?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|m| m.0)
    }

    /// The only number that had these words just before, if this one is the only one that has them now.
    fn by_its_words(&self, number: &Number, now: &[Number], before: &[bool]) -> Option<usize> {
        let alone = now.iter().filter(|n| n.label == number.label).count() == 1;
        if number.label.is_empty() || !alone {
            return None;
        }
        let had = |(i, t): &(usize, &NumberTrack)| {
            before.get(*i) == Some(&true) && !t.shown && t.label == number.label
        };
        let mut same = self.tracks.iter().enumerate().filter(had);
        let one = same.next()?;
        same.next().is_none().then_some(one.0)
    }
}

/// The numbers in some texts, each with its label: the words in the same text, or the nearest words left of it or
/// above it.
fn numbers_of(items: &[TextItem]) -> Vec<Number> {
    let items = joined(items);
    let mut all = Vec::new();
    for item in &items {
        for p in numbers_in(&item.text) {
            let before = item.text[..p.start].trim();
            let own = before
                .rsplit(|c: char| digit(c).is_some())
                .next()
                .unwrap_or_default()
                .trim_matches(|c: char| !c.is_alphanumeric());
            let label = if own.is_empty() {
                nearest_words(&items, &item.rect)
            } else {
                own.to_owned()
            };
            // Its part of the text's width, so that two numbers in one text have two places.
            let chars = item.text.chars().count().max(1) as f64;
            let from = item.text[..p.start].chars().count() as f64 / chars;
            let to = item.text[..p.end].chars().count() as f64 / chars;
            all.push(Number {
                label,
                value: p.value,
                rect: Rect::new(
                    item.rect.x + item.rect.width * from,
                    item.rect.y,
                    item.rect.width * (to - from),
                    item.rect.height,
                ),
            });
        }
    }
    all
}

fn nearest_words(items: &[TextItem], to: &Rect) -> String {
    let (x, y) = to.centre();
    let distance = |r: &Rect| {
        let beside =
            (r.centre().1 - y).abs() < to.height.max(r.height) * 0.6 && r.right() <= to.x + 2.0;
        let above = r.bottom() <= to.y + 2.0
            && r.x < to.right() + to.height
            && r.right() > to.x - to.height;
        if beside {
            Some(to.x - r.right())
        } else if above {
            Some((to.y - r.bottom()) + (r.centre().0 - x).abs() * 0.2)
        } else {
            None
        }
    };
    items
        .iter()
        .filter(|i| i.text.chars().any(char::is_alphabetic))
        .filter_map(|i| Some((distance(&i.rect)?, &i.text)))
        .filter(|(d, _)| *d < to.height.max(8.0) * 6.0)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|m| m.1.trim().chars().take(60).collect())
        .unwrap_or_default()
}

/// Texts of one digit each that stand side by side are one number.
fn joined(items: &[TextItem]) -> Vec<TextItem> {
    let single = |i: &TextItem| {
        let mut chars = i.text.trim().chars();
        matches!((chars.next(), chars.next()), (Some(c), None) if digit(c).is_some() || matches!(c, ',' | '.' | '\''))
    };
    let (mut digits, mut rest): (Vec<_>, Vec<_>) = items.iter().cloned().partition(single);
    digits.sort_by(|a, b| a.rect.x.total_cmp(&b.rect.x));
    while !digits.is_empty() {
        let mut run = digits.remove(0);
        run.text = run.text.trim().into();
        let mut i = 0;
        while i < digits.len() {
            let next = &digits[i];
            let gap = next.rect.x - run.rect.right();
            let level = (next.rect.centre().1 - run.rect.centre().1).abs() < run.rect.height * 0.3;
            let alike = (next.rect.height - run.rect.height).abs() <= run.rect.height * 0.2;
            if level && alike && gap > -next.rect.width * 0.5 && gap < next.rect.width * 0.9 {
                run.text.push_str(next.text.trim());
                run.rect.width = next.rect.right() - run.rect.x;
                digits.remove(i);
            } else {
                i += 1;
            }
        }
        rest.push(run);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TextSource;

    fn item(text: &str, x: f64, y: f64, width: f64) -> TextItem {
        TextItem {
            text: text.into(),
            rect: Rect::new(x, y, width, 20.0),
            source: TextSource::Dom,
        }
    }

    fn stamp(seq: u64) -> Stamp {
        Stamp {
            seq,
            ..Stamp::default()
        }
    }

    #[test]
    fn one_element_a_digit_is_one_number_with_the_words_above_as_its_label() {
        let mut log = NumberLog::default();
        log.see(
            stamp(1),
            &[
                item("Puntos", 100.0, 0.0, 60.0),
                item("2", 112.0, 24.0, 12.0),
                item("1", 100.0, 24.0, 12.0),
                item("0", 124.0, 24.0, 12.0),
                item("7", 300.0, 24.0, 12.0),
            ],
        );
        let found: Vec<_> = log
            .tracks()
            .iter()
            .map(|t| (t.label.as_str(), t.value()))
            .collect();
        assert_eq!(found, [("Puntos", 120.0), ("", 7.0)]);
    }

    #[test]
    fn a_number_that_went_from_the_page_is_not_there() {
        let mut log = NumberLog::default();
        let score = [item("Score 12", 10.0, 10.0, 60.0)];
        for (seq, items) in [(1, &score[..]), (4, &[]), (6, &score[..]), (9, &[])] {
            log.see(stamp(seq), items);
        }
        let there = |seq| log.tracks()[0].is_shown_at(seq);
        assert_eq!(
            [1, 3, 4, 5, 6, 8, 9, 20].map(there),
            [true, true, false, false, true, true, false, false]
        );
        assert_eq!(log.tracks()[0].at(20), Some(12.0));
    }

    #[test]
    fn numbers_in_a_row_that_move_when_one_gets_more_digits_are_the_same_numbers() {
        let mut log = NumberLog::default();
        // Centred badges: with each digit all of them move further than they are high.
        let row = |score: u32, lines: u32, best: u32, shift: f64| {
            [
                item(&format!("Score {score}"), 400.0 - shift * 3.0, 10.0, 60.0),
                item(&format!("Lines {lines}"), 500.0 - shift * 2.0, 10.0, 50.0),
                item(&format!("Best {best}"), 580.0 - shift, 10.0, 50.0),
            ]
        };
        for (seq, (score, lines, best, shift)) in [
            (0, 0, 0, 0.0),
            (40, 1, 40, 27.0),
            (1_200, 4, 1_200, 54.0),
            (0, 0, 1_200, 27.0),
        ]
        .into_iter()
        .enumerate()
        {
            log.see(stamp(seq as u64), &row(score, lines, best, shift));
        }
        let values = |i: usize| -> Vec<f64> {
            let track: &NumberTrack = &log.tracks()[i];
            track.history.iter().map(|h| h.1).collect()
        };
        assert_eq!(log.tracks().len(), 3, "{:?}", log.tracks());
        assert_eq!(values(0), [0.0, 40.0, 1_200.0, 0.0]);
        assert_eq!(values(1), [0.0, 1.0, 4.0, 0.0]);
        assert_eq!(values(2), [0.0, 40.0, 1_200.0]);
    }

    #[test]
    fn a_number_is_followed_by_its_place_while_it_grows() {
        let mut log = NumberLog::default();
        for (seq, (score, lines)) in [(0, 0), (100, 1), (100, 1), (12_300, 4)].iter().enumerate() {
            log.see(
                stamp(seq as u64),
                &[
                    item(
                        &format!("Score {score}"),
                        10.0,
                        10.0,
                        60.0 + f64::from(*score) / 1000.0,
                    ),
                    item(&format!("Lines {lines}"), 10.0, 40.0, 60.0),
                ],
            );
        }
        let values =
            |i: usize| -> Vec<f64> { log.tracks()[i].history.iter().map(|h| h.1).collect() };
        assert_eq!(log.tracks().len(), 2);
        assert_eq!(values(0), [0.0, 100.0, 12_300.0]);
        assert_eq!(values(1), [0.0, 1.0, 4.0]);
        assert_eq!(log.tracks()[0].at(2), Some(100.0));
    }
}
