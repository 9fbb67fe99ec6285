//! What a person can see of an end: words, dialogs, layers, controls, a board that looks different.
//!
//! Comes in: evidence of a filling. Goes out: what was to be seen, in words. Must never know: whether it was an end.

use super::TopOut;
use crate::evidence::phrases::Phrase;
use crate::evidence::{Evidence, PauseTry, changes::Change, changes::difference};
use crate::model::{Clickable, GridEvent, PageSignal, Stamp, Survey};

/// Part of the board that must look different for a changed board, beyond the last pieces: two lines of words do.
const CHANGED: f64 = 0.07;
/// And so many cells: a piece that comes, its ghost and the ghost before it are at most twelve.
const LEAST_CHANGED: usize = 14;
/// Rows in which a piece may come and be moved over a full stack.
const BELOW_SPAWN: i32 = 5;
/// Cells that short words cover at least, and how many of them are blocks where the board is full.
const OF_WORDS: usize = 6;
/// See [`OF_WORDS`].
const OVER_BLOCKS: usize = 2;
/// A text that is shown for less is not seen.
const SEEN_MS: f64 = 400.0;
/// Pieces that locked while words were shown, from which on the words belong to play.
const LOCKS_OF_PLAY: usize = 3;

impl Evidence {
    /// Dialogs and texts that came up between two records and, seen from a `last` one, stayed.
    pub(super) fn said(&self, fill: u64, end: u64, last: Stamp) -> Vec<String> {
        let mut said = Vec::new();
        for (s, signal) in &self.signals {
            if let PageSignal::Dialog { kind, text } = signal
                && s.seq >= fill
                && s.seq <= end
            {
                said.push(format!("{kind} \u{201c}{text}\u{201d}"));
            }
        }
        for phrase in self.phrases.all() {
            let came = phrase.spans.iter().find(|(from, until)| {
                let long = until.unwrap_or(last).game_ms_since(*from) >= SEEN_MS;
                from.seq > fill && from.seq <= end && long
            });
            if came.is_some() && !phrase.is_shown_at(fill) && !self.is_of_play(phrase, fill) {
                said.push(format!("text \u{201c}{}\u{201d}", phrase.words));
            }
        }
        said
    }

    /// Words that came up when a game was to be paused, and stayed.
    pub fn said_at_pause(&self, p: &PauseTry) -> Vec<String> {
        let until = p.until.unwrap_or(self.last);
        let end = p.resume.unwrap_or(until);
        self.said(p.from.seq, end.seq, until)
    }

    /// Texts that came up after a record and still stand at another.
    pub(super) fn said_and_stands(&self, from: u64, end: u64) -> Vec<String> {
        let all = self.phrases.all();
        all.filter(|p| !p.is_shown_at(from) && p.is_shown_at(end) && !self.is_of_play(p, from))
            .map(|p| format!("text \u{201c}{}\u{201d}", p.words))
            .collect()
    }

    /// Did pieces lock while these words stood there before? They name a piece, say, or praise.
    fn is_of_play(&self, phrase: &Phrase, before: u64) -> bool {
        let earlier = phrase.spans.iter().filter(|s| s.0.seq < before);
        let locks = earlier.flat_map(|(from, until)| {
            let until = until.map_or(before, |u| u.seq);
            self.happenings_in(from.seq..=until)
                .iter()
                .filter(|h| matches!(h.event, GridEvent::PieceLocked { .. }))
        });
        locks.count() >= LOCKS_OF_PLAY
    }

    /// What a person could see of an end between the last drop and the end of the watch.
    pub(super) fn shown(&self, t: &TopOut, fill: u64, lock: u64, end: u64) -> Vec<String> {
        let last = t.until.unwrap_or(self.last);
        let mut shown = self.said(fill, end, last);
        let before = self.surveys.iter().rev().find(|s| s.0 <= fill);
        let after = self
            .surveys
            .iter()
            .rev()
            .find(|s| s.0 > fill && s.0 <= last.seq);
        if let (Some((_, before)), Some((_, after))) = (before, after) {
            if after.has_overlay && !before.has_overlay {
                shown.push("a layer over the page".into());
            }
            if let Some(c) = fresh(before, after).first() {
                shown.push(format!("a control \u{201c}{}\u{201d}", c.text));
            }
        }
        if let Some(n) = self.board_changed(t, lock, end) {
            shown.push(format!("{n} cells of the board look different"));
        }
        shown
    }

    /// Of the controls that the page offers now those that came since the last piece of the last filling.
    pub fn controls_that_came<'a>(&self, now: &'a Survey) -> Vec<&'a Clickable> {
        let fill = self
            .top_outs
            .last()
            .map(|t| t.fills.last().copied().unwrap_or(t.from.seq));
        let before = fill.and_then(|fill| self.surveys.iter().rev().find(|s| s.0 <= fill));
        before.map_or(Vec::new(), |(_, before)| fresh(before, now))
    }

    /// Cells of the board that look different by the end, beyond what the last pieces can have changed.
    fn board_changed(&self, t: &TopOut, lock: u64, end: u64) -> Option<usize> {
        let played = t.played.as_ref()?;
        let all = f64::from(played.columns()) * f64::from(played.rows());
        let at_once = self
            .changes
            .between(lock + 1, end)
            .iter()
            .map(|c| c.cells.len())
            .max()
            .unwrap_or(0);
        // Below where pieces come, something was drawn over blocks and beside them at once: words.
        let words = |c: &&Change| {
            let low = |cells: &[(i32, i32)]| cells.iter().filter(|c| c.1 >= BELOW_SPAWN).count();
            low(&c.over) >= OVER_BLOCKS && low(&c.cells) >= OF_WORDS
        };
        let changes = self.changes.between(lock + 1, end);
        if let Some(c) = changes.iter().find(words) {
            return Some(c.cells.len());
        }
        let by_the_end = match (&t.last, t.until) {
            (Some(last), Some(until)) if until.seq <= end => {
                difference(played, last).len().saturating_sub(12)
            }
            _ => 0,
        };
        let n = at_once.max(by_the_end);
        (n >= LEAST_CHANGED && n as f64 >= all * CHANGED).then_some(n)
    }
}

/// The controls of a survey that can be clicked and could not in one before.
fn fresh<'a>(before: &Survey, after: &'a Survey) -> Vec<&'a Clickable> {
    let was_there = |c: &Clickable| {
        let mut there = before.clickables.iter().filter(|o| o.on_top);
        there.any(|o| o.selector == c.selector)
    };
    let all = after.clickables.iter();
    all.filter(|c| c.on_top && !c.disabled && !was_there(c))
        .collect()
}
