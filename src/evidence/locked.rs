//! Every piece that locked, with what came of it: rows filled, rows gone, and the stretch of the log that is its own.

use super::Evidence;
use crate::model::{GridEvent, PieceKind, Side};
use crate::track::Blocks;

/// Rows that are still there so long after a piece filled them stay, in game milliseconds: many games let them flash first,
/// and none known takes longer.
pub const ROWS_STAY_MS: f64 = 1_000.0;

/// What became of rows that a piece filled, by the time the next piece locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// All are gone, and what was above moved down by as many rows.
    All,
    /// All are gone, and what was above fell further, as far as each column lets it.
    Cascade,
    /// All are empty, and what was above stayed where it was.
    Hollow,
    /// Some are gone, that many of them, alone or with rows that were not full.
    Some(u16),
    /// None is gone.
    None,
    /// What is left is none of these, or was not seen.
    Unknown,
}

/// Rows that a piece filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fill {
    /// Which, from the top.
    pub rows: Vec<u16>,
    /// Blocks above the lowest of them that belong to none of them.
    pub above: usize,
    /// What became of them.
    pub gone: Gone,
}

/// A piece that locked.
#[derive(Debug, Clone, PartialEq)]
pub struct Locked {
    /// The record in which it showed.
    pub seq: u64,
    /// The record by which it was understood.
    pub known: u64,
    /// Game time at which it was understood, in milliseconds.
    pub ms: f64,
    /// Counts up with every page opened or loaded anew, and with every board emptied.
    pub game: usize,
    /// Its kind.
    pub kind: Option<PieceKind>,
    /// Its cells.
    pub cells: Vec<(i32, i32)>,
    /// Rows from where it was first seen to where it lies.
    pub fell: i32,
    /// Rows of those that it did not fall by itself.
    pub dropped: i32,
    /// The first press after the lock before: from here on what happens is this piece's.
    pub from: u64,
    /// The first press (or lock) after it.
    pub until: u64,
    /// Rows that disappeared after it.
    pub cleared: u32,
    /// Rows it filled, if any.
    pub fill: Option<Fill>,
}

impl Evidence {
    /// Every piece that locked, in order.
    pub fn locked(&self) -> Vec<Locked> {
        let mut all: Vec<Locked> = Vec::new();
        let mut game = 0;
        let mut pages = self.pages.iter().peekable();
        let mut spawn: Option<i32> = None;
        let (mut down, mut jump) = (0, 0);
        let mut falls = self.falls.iter().peekable();
        let top = |cells: &[(i32, i32)]| cells.iter().map(|c| c.1).min().unwrap_or(0);
        for h in &self.happenings {
            while pages.next_if(|page| **page < h.seq).is_some() {
                game += 1;
                spawn = None;
            }
            match &h.event {
                GridEvent::BoardCleared => game += 1,
                GridEvent::PieceSpawned { cells, .. } => {
                    (spawn, down, jump) = (Some(top(cells)), 0, 0);
                }
                GridEvent::PieceMoved {
                    side: Side::Down,
                    by,
                } => {
                    while falls.next_if(|f| f.seq < h.seq).is_some() {}
                    let by_itself = falls.peek().is_some_and(|f| f.seq == h.seq);
                    jump = if by_itself { 0 } else { i32::from(*by) };
                    down += jump;
                }
                // Where the piece locks later, it was seen to jump before.
                GridEvent::HardDrop { rows } => {
                    down += i32::from(*rows) - std::mem::take(&mut jump).min(i32::from(*rows));
                }
                GridEvent::PieceLocked { cells, kind, .. } => all.push(Locked {
                    seq: h.seq,
                    known: h.stamp.seq,
                    ms: h.stamp.game_ms(),
                    game,
                    kind: *kind,
                    cells: cells.clone(),
                    fell: top(cells) - spawn.take().unwrap_or(0),
                    dropped: std::mem::take(&mut down),
                    from: 0,
                    until: 0,
                    cleared: 0,
                    fill: None,
                }),
                GridEvent::LineCleared { count, .. } => {
                    if let Some(last) = all.last_mut().filter(|l| l.game == game) {
                        last.cleared += u32::from(*count);
                    }
                }
                _ => {}
            }
        }
        self.stretches(&mut all);
        for i in 0..all.len() {
            let next = all.get(i + 1).map(|n| (n.seq, n.game == all[i].game));
            all[i].fill = self.fill(&all[i], next);
        }
        all
    }

    /// Are there full rows that the last piece filled?
    pub fn is_filled(&self) -> bool {
        let now = self
            .readings
            .last()
            .filter(|r| !r.stack.complete_rows().is_empty());
        now.is_some() && self.locked().last().is_some_and(|l| l.fill.is_some())
    }

    /// The records at which games end: a page opened or loaded anew, a board emptied. A record after `n` of them is of game
    /// `n`, as [`Locked::game`] counts.
    pub fn game_ends(&self) -> Vec<u64> {
        let emptied = self
            .happenings
            .iter()
            .filter(|h| h.event == GridEvent::BoardCleared);
        let mut ends: Vec<u64> = self
            .pages
            .iter()
            .map(|page| page + 1)
            .chain(emptied.map(|h| h.seq))
            .collect();
        ends.sort_unstable();
        ends
    }

    /// The first page that began after a record.
    fn page_after(&self, seq: u64) -> Option<u64> {
        let next = self.pages.partition_point(|page| *page <= seq);
        self.pages.get(next).copied()
    }

    fn stretches(&self, all: &mut [Locked]) {
        let mut from = 0;
        for i in 0..all.len() {
            let next = all.get(i + 1).map_or(self.last.seq + 1, |n| n.seq);
            let after = self.presses.partition_point(|p| p.down.seq <= all[i].known);
            let press = self.presses.get(after).map_or(next, |p| p.down.seq);
            let until = press
                .min(next)
                .min(self.page_after(all[i].seq).unwrap_or(u64::MAX));
            all[i].from = from;
            all[i].until = until;
            from = until;
        }
    }

    fn fill(&self, lock: &Locked, next: Option<(u64, bool)>) -> Option<Fill> {
        let before = &self.reading_at(lock.seq.checked_sub(1)?)?.stack;
        let whole = before.with(&lock.cells);
        let old = before.complete_rows();
        let full = whole.complete_rows();
        let rows: Vec<u16> = full.iter().copied().filter(|r| !old.contains(r)).collect();
        let lowest = *rows.last()?;
        let above = whole
            .places()
            .iter()
            .filter(|p| p.1 < i32::from(lowest) && !full.contains(&(p.1 as u16)))
            .count();
        // What is seen just before the next lock counts; of the last of its game, what is seen with the next piece falling.
        // A reading that was held back (a beam shone below what dropped next) shows nothing of its own.
        let until = if let Some((seq, true)) = next {
            seq
        } else {
            self.page_after(lock.seq).unwrap_or(self.last.seq + 1)
        };
        let after = self
            .readings_in(lock.known + 1..=until.checked_sub(1)?)
            .iter()
            .rev()
            .find(|r| r.active.is_some() && !r.unsure);
        // Where the rows go with the lock, one reading shows both.
        let gone = after
            .filter(|r| r.from.seq > lock.seq || *r.stack != whole)
            .map_or(Gone::Unknown, |r| became(&whole, &full, &r.stack));
        // Rows that are still there while readings are held back may be going.
        let last = self.reading_at(until.checked_sub(1)?);
        let is_last = after.map(|r| r.from) == last.map(|r| r.from);
        let early = after.is_none_or(|r| r.until.game_ms() - lock.ms < ROWS_STAY_MS);
        let gone = match gone {
            Gone::None | Gone::Some(_) if next.is_some_and(|n| n.1) && !is_last || early => {
                Gone::Unknown
            }
            gone => gone,
        };
        Some(Fill { rows, above, gone })
    }
}

/// What became of full rows between two boards.
fn became(whole: &Blocks, full: &[u16], after: &Blocks) -> Gone {
    if *after == whole.collapsed(full) {
        return Gone::All;
    }
    if after == whole {
        return Gone::None;
    }
    let blank = whole.blanked(full);
    if *after == blank {
        return Gone::Hollow;
    }
    if (2..=6).contains(&full.len()) {
        for mask in 1..(1u32 << full.len()) - 1 {
            let some: Vec<u16> = (0..full.len())
                .filter(|i| mask >> i & 1 == 1)
                .map(|i| full[i])
                .collect();
            if *after == whole.collapsed(&some) {
                return Gone::Some(some.len() as u16);
            }
        }
    }
    if let Some(gone) = whole
        .slipped(full)
        .iter()
        .find(|gone| *after == whole.collapsed(gone))
    {
        return Gone::Some(gone.iter().filter(|r| full.contains(r)).count() as u16);
    }
    let lower = after.count() == blank.count()
        && after
            .by_column()
            .iter()
            .zip(blank.by_column())
            .all(|(new, old)| new.len() == old.len() && new.iter().zip(&old).all(|(n, o)| n >= o));
    if lower {
        return Gone::Cascade;
    }
    Gone::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Grid;

    fn blocks(art: &str) -> Blocks {
        Blocks::of(&Grid::from_ascii(&art.replace(' ', "\n")))
    }

    #[test]
    fn what_became_of_full_rows() {
        let whole = blocks("x... .xx. xxxx x..x xxxx");
        let check = |after: &str, gone| assert_eq!(became(&whole, &[2, 4], &blocks(after)), gone);
        check(".... .... x... .xx. x..x", Gone::All);
        check("x... .xx. xxxx x..x xxxx", Gone::None);
        check("x... .xx. .... x..x ....", Gone::Hollow);
        check(".... x... .xx. x..x xxxx", Gone::Some(1));
        check(".... .... .... .... xxxx", Gone::Unknown);
        // The lower one was taken out, then what had come down to where the upper one was.
        check(".... .... x... xxxx x..x", Gone::Some(1));
    }

    #[test]
    fn blocks_that_fall_on_their_own_are_a_cascade() {
        let whole = blocks(".x.. xxxx x..x");
        assert_eq!(
            became(&whole, &[1], &blocks(".... .... xx.x")),
            Gone::Cascade
        );
        assert_eq!(became(&whole, &[1], &blocks(".... .x.. x..x")), Gone::All);
    }
}
