//! New pieces that come although the stack leaves no place for them.
//!
//! Comes in: what was seen of a game that was filled to the top. Goes out: how many came, and records that show them.
//! Must never know: what is concluded from it.

use super::{STILL_MS, TopOut, extent};
use crate::evidence::Evidence;
use crate::model::{GridEvent, Stamp};
use crate::track::{Blocks, Place};
use std::collections::BTreeSet;

/// Drops behind an end that is shown that are taken for drops, at most: what is put over the stack looks like new pieces.
const DROPS_BEHIND: usize = 5;

impl Evidence {
    /// Where something was laid over the board after a lock: most of its cells changed at once, and none of it was
    /// emptied.
    pub(super) fn covered(&self, last_lock: u64, end: u64) -> Option<u64> {
        let stack = &self.readings().last()?.stack;
        let cells = usize::from(stack.columns()) * usize::from(stack.rows());
        let changes = self.changes.between(last_lock, end);
        let cover = changes.iter().find(|c| {
            let emptied = self
                .reading_at(c.stamp.seq)
                .is_some_and(|r| r.blocks.places().is_empty());
            c.cells.len() * 2 > cells && !emptied
        })?;
        Some(cover.stamp.seq.saturating_sub(1))
    }

    /// Did a game that let some pieces come over the full stack stop all the same, and say so? Many look at the topmost row
    /// alone, and a piece that begins below it does not end them. One that goes on goes on until it is no longer watched,
    /// and one that says nothing may draw each new piece where the last one is.
    pub(super) fn stopped_late(
        &self,
        t: &TopOut,
        over: &[u64],
        (end, ended): (u64, Stamp),
        shown: &[String],
    ) -> bool {
        t.rest.is_some_and(|rest| {
            let last = over.iter().max().copied().unwrap_or(rest.seq);
            !shown.is_empty()
                && over.iter().all(|seq| *seq < rest.seq)
                && ended.game_ms_since(rest) >= STILL_MS
                && self.keys_that_act(rest.seq, end, last).is_empty()
                && self.life(rest.seq, end, true) == 0
        })
    }

    /// What shows the end of a game that goes on behind it: what showed since its last drop, or else the words that came
    /// with one of the few drops before, as those that are said to be drops then do nothing any more, and that still stand.
    pub(super) fn shown_before(&self, t: &TopOut, shown: &[String], end: u64) -> Vec<String> {
        let first = t.fills.iter().rev().take(DROPS_BEHIND).next_back();
        match first.filter(|_| shown.is_empty()) {
            Some(first) => self.said_and_stands(*first, end),
            None => shown.to_vec(),
        }
    }

    /// Were keys tried once no new piece seemed to come, and had none of them an effect?
    pub(super) fn is_deaf(&self, t: &TopOut, end: u64, stack: u64) -> bool {
        t.rest.is_some_and(|rest| {
            let tried = |seq| (rest.seq..=end).contains(&seq);
            self.presses.iter().any(|p| tried(p.down.seq))
                && self.keys_that_act(rest.seq, end, stack).is_empty()
        })
    }

    /// How many new pieces came although no place was free for any, and records that show them.
    pub(super) fn over_the_stack(
        &self,
        t: &TopOut,
        spawns: &BTreeSet<Vec<Place>>,
        last_lock: u64,
        end: u64,
    ) -> (usize, Vec<u64>) {
        // What lies over the board since then moves for show; no piece can be told from it.
        let end = self.covered(last_lock, end).unwrap_or(end);
        let blocked = |stack: &Blocks| spawns.iter().all(|s| !stack.is_free(s));
        let full = self
            .readings_in(t.from.seq..=end)
            .iter()
            .find(|r| spawns.len() >= 2 && !r.unsure && blocked(&r.stack))
            .map(|r| r.from.seq);
        let late: Vec<u64> = full.map_or_else(Vec::new, |full| {
            self.happenings_in(full + 1..=end)
                .iter()
                // What words over the board make of it is of no kind.
                .filter(|h| matches!(h.event, GridEvent::PieceLocked { kind: Some(_), .. }))
                // It must be full still: what lay over the board for a while looked so, too.
                .filter(|h| {
                    let before = h.seq.checked_sub(1).and_then(|s| self.reading_at(s));
                    before.is_some_and(|r| blocked(&r.stack))
                })
                .map(|h| h.seq)
                .collect()
        });
        // What is drawn over blocks, in the place where pieces come: each piece another set of cells.
        let low = spawns.iter().flatten().map(|c| c.1).max().unwrap_or(1) + 1;
        let there = |cells: &[Place]| {
            let width = extent(cells, |c| c.0);
            cells.len() <= 8 && width <= 6 && cells.iter().all(|c| c.1 <= low)
        };
        let changes = self.changes.between(last_lock, end);
        let ours: Vec<_> = changes
            .iter()
            .filter(|c| !c.over.is_empty() && there(&c.cells))
            .collect();
        let mut sets: BTreeSet<Vec<Place>> = BTreeSet::new();
        let mut drawn = Vec::new();
        for c in &ours {
            if sets.insert(c.over.clone()) {
                drawn.push(c.stamp.seq);
            }
        }
        // Where most of what changes is elsewhere, something plays over the board.
        if ours.len() * 2 < changes.len() {
            drawn.clear();
        }
        if drawn.len() > late.len() {
            (drawn.len(), drawn)
        } else {
            (late.len(), late)
        }
    }
}
