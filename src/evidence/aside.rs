//! Pieces put aside and taken back (hold), and the game stopped and let go on (pause).

use super::{Evidence, Mark, Press, Probe, Reading};
use crate::model::{ActivePiece, GridEvent, PieceKind, Side, Stamp};
use crate::track::Blocks;

/// A press at which another piece took the place of the falling one, which did not lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swap {
    /// Record of the press.
    pub seq: u64,
    /// The piece that went.
    pub out: PieceKind,
    /// The piece that came; `None` if none was seen.
    pub came: Option<PieceKind>,
    /// It came where the other one was, rather than at the top: alone that says little, a turn may look like it.
    pub in_place: bool,
    /// The piece that was to go was seen falling on at the end of the press's time: the press changed nothing.
    pub stayed: bool,
    /// A lock came within the press's time: it was no swap.
    pub locked: bool,
}

/// One try of a pause.
#[derive(Debug, Clone, PartialEq)]
pub struct PauseTry {
    /// What was pressed or clicked.
    pub by: String,
    /// Before it.
    pub from: Stamp,
    /// From here on the game should have stood still; nothing was pressed at first.
    pub stopped: Option<Stamp>,
    /// From here on keys of the game were pressed.
    pub keys: Option<Stamp>,
    /// From here on it was tried to let it go on.
    pub resume: Option<Stamp>,
    /// The end of the try.
    pub until: Option<Stamp>,
}

/// What was seen of a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct PauseSeen {
    /// Rows that the piece fell while it should have stood still.
    pub fell: usize,
    /// Moves and turns while it should have stood still, at keys.
    pub acted: usize,
    /// The same piece went on over the same stack, or the next one did.
    pub resumed: bool,
    /// A game went on, but another one: the stack was gone.
    pub other_game: bool,
    /// The stack was gone before anything was done to go on: what was pressed ends a game rather than pauses it.
    pub emptied: bool,
}

/// Of a stack that is the same after a pause, cells that may read otherwise, as one of so many: an icon on the board may
/// have changed meanwhile.
const ODD: usize = 4;

/// Blocks of a stack that are gone since, and those that came.
fn differ(after: &Blocks, before: &Blocks) -> (usize, usize) {
    (before.minus(after).count(), after.minus(before).count())
}

/// Is it the stack that it was before the pause?
fn same_game(after: &Blocks, before: &Blocks) -> bool {
    let (gone, came) = differ(after, before);
    (gone + came) * ODD <= before.count()
}

/// Is it the stack that it was before the pause, with no more on it than the piece that fell then?
fn same_and_a_piece(after: &Blocks, before: &Blocks, piece: usize) -> bool {
    let (gone, came) = differ(after, before);
    gone < before.count() && (gone + came.saturating_sub(piece)) * ODD <= before.count()
}

/// Rows that a piece falls by itself before the game goes on for sure.
const WOKEN_ROWS: usize = 2;

impl Evidence {
    /// Takes a mark of a pause.
    pub(super) fn mark_of_a_pause(&mut self, stamp: Stamp, mark: Mark) {
        let open = self.pauses.last_mut().filter(|p| p.until.is_none());
        match (mark, open) {
            (Mark::Pause { by }, _) => self.pauses.push(PauseTry {
                by,
                from: stamp,
                stopped: None,
                keys: None,
                resume: None,
                until: None,
            }),
            (Mark::Paused, Some(p)) => p.stopped = Some(stamp),
            (Mark::PauseKeys, Some(p)) => p.keys = Some(stamp),
            (Mark::Resume, Some(p)) => p.resume = Some(stamp),
            (Mark::PauseEnd, Some(p)) => p.until = Some(stamp),
            _ => {}
        }
    }

    /// Every try of a pause.
    pub fn pauses(&self) -> &[PauseTry] {
        &self.pauses
    }

    /// What the presses of a hold probe did, in the last game it reached into: with another one nothing is held.
    pub fn swaps(&self, probe: &Probe) -> Vec<Swap> {
        let end = probe.until.unwrap_or(self.last).seq;
        let opened = self.opened.iter().map(|o| o.0.seq).rfind(|o| *o <= end);
        let over = self
            .happenings_in(probe.from.seq..=end)
            .iter()
            .rfind(|h| matches!(h.event, GridEvent::GameOver | GridEvent::BoardCleared))
            .map(|h| h.seq);
        let from = probe.from.seq.max(opened.max(over).unwrap_or(0));
        let within = |p: &&Press| p.down.seq >= from && p.down.seq <= end;
        let all: Vec<&Press> = self.presses.iter().filter(within).collect();
        let mut swaps = Vec::new();
        for (i, press) in all.iter().enumerate() {
            if press.key != probe.key {
                continue;
            }
            let until = all.get(i + 1).map_or(end, |next| next.down.seq);
            swaps.extend(self.swap(press, until));
        }
        swaps
    }

    fn swap(&self, press: &Press, until: u64) -> Option<Swap> {
        let before = self.reading_at(press.down.seq)?;
        let out = before.active.as_ref().filter(|_| !before.unsure)?;
        let lock = self
            .happenings_in(press.down.seq + 1..=until)
            .iter()
            .find(|h| matches!(h.event, GridEvent::PieceLocked { .. }))
            .map_or(until, |h| h.seq.saturating_sub(1));
        // A piece that comes does so at the top, whatever was falling lower down; one that takes another kind's shape
        // where it is may be the same, turned so that it is mirrored.
        let row = out.corner().1;
        let mirrored = out.shape().mirrored().tetromino().map(|t| t.0);
        let another = |r: &&Reading| {
            let new = r.active.as_ref().and_then(|a| a.kind);
            !r.unsure && *r.stack == *before.stack && new.is_some() && new != out.kind
        };
        let kind = |r: &Reading| r.active.as_ref().and_then(|a| a.kind);
        let top =
            |r: &Reading| row < 3 || r.active.as_ref().is_some_and(|a| a.corner().1 < row - 1);
        let seen = self.readings_in(press.down.seq + 1..=lock);
        let came = seen.iter().filter(another).find(|r| top(r));
        let there = seen.iter().filter(another).find(|r| kind(r) != mirrored);
        let last = seen.last().filter(|r| !r.unsure);
        // A game that another key has stopped answers none.
        let runs = self
            .happenings_in(press.down.seq + 1..=until)
            .iter()
            .any(|h| h.event.shows_motion());
        let stayed = runs && last.and_then(|r| r.active.as_ref()).map(|a| a.kind) == Some(out.kind);
        Some(Swap {
            seq: press.down.seq,
            out: out.kind?,
            came: came.or(there).and_then(kind),
            in_place: came.is_none() && there.is_some(),
            stayed: stayed && came.is_none(),
            locked: lock != until && came.or(there).is_none(),
        })
    }

    /// The piece that is held, as far as presses of the hold key told.
    pub fn held(&self) -> Option<PieceKind> {
        let opened = self.opened.last().map_or(0, |o| o.0.seq);
        let probes = self.probes.iter().rev();
        let mut of_hold = probes.filter(|p| p.action == crate::model::Action::Hold);
        let probe = of_hold.find(|p| p.from.seq > opened)?;
        let swaps = self.swaps(probe);
        swaps.iter().rev().find(|s| s.came.is_some()).map(|s| s.out)
    }

    /// What was seen of one pause; `None` while it is not over.
    pub fn pause_seen(&self, p: &PauseTry) -> Option<PauseSeen> {
        let (stopped, resume, until) = (p.stopped?, p.resume?, p.until?);
        let keys = p.keys.unwrap_or(resume);
        let before = self.reading_at(p.from.seq)?;
        let active = before.active.as_ref()?;
        let happened = |from: u64, until: u64| self.happenings_in(from + 1..=until).iter();
        let fell = happened(stopped.seq, keys.seq)
            .filter(|h| {
                matches!(
                    h.event,
                    GridEvent::PieceMoved {
                        side: Side::Down,
                        ..
                    } | GridEvent::PieceLocked { .. }
                )
            })
            .count();
        // Words over the board may look like blocks that move: only the piece that was stopped answers a key.
        let shown = self.reading_at(keys.seq).and_then(|r| r.active.as_ref());
        let is_shown = shown.is_some_and(|a| a.kind == active.kind);
        let moved = happened(keys.seq, resume.seq)
            .filter(|h| {
                matches!(
                    h.event,
                    GridEvent::PieceMoved { .. }
                        | GridEvent::PieceRotated { .. }
                        | GridEvent::HardDrop { .. }
                        | GridEvent::PieceLocked { .. }
                )
            })
            .count();
        // A key that lets the game go on is an end of the pause, not a key that acts in it: then pieces fall again
        // before anything else was tried.
        let rows = happened(keys.seq, resume.seq).filter(|h| {
            matches!(
                h.event,
                GridEvent::PieceMoved {
                    side: Side::Down,
                    ..
                }
            )
        });
        let woke = rows.count() >= WOKEN_ROWS;
        let after = if woke {
            self.readings_in(keys.seq + 1..=until.seq)
        } else {
            self.readings_in(resume.seq + 1..=until.seq)
        };
        let goes_on = |r: &&Reading| {
            !r.unsure
                && same_game(&r.stack, &before.stack)
                && r.active.as_ref().is_some_and(|a| a.kind == active.kind)
        };
        // A picture over the board may hide what the keys did until the game goes on.
        let first = after.iter().find(goes_on).and_then(|r| r.active.clone());
        // One that lay on the stack may lock in the first moment, before it is seen to go on.
        let first = first.or_else(|| {
            happened(resume.seq, until.seq).find_map(|h| match &h.event {
                GridEvent::PieceLocked { kind, cells, .. } if *kind == active.kind => {
                    Some(ActivePiece::new(cells.clone()))
                }
                _ => None,
            })
        });
        // Or it locked behind that picture, and the next one came.
        let next = |r: &&Reading| {
            let piece = active.cells.len();
            !r.unsure && r.active.is_some() && same_and_a_piece(&r.stack, &before.stack, piece)
        };
        let follows = first.is_some() || after.iter().any(|r| next(&r));
        let aside = first.as_ref().is_some_and(|a| {
            (a.corner().0 - active.corner().0).abs() > 0 || a.shape() != active.shape()
        });
        // A piece that lay at rest locks; one that hangs in the air for good (a fault of its own) answers a key.
        let lives = happened(resume.seq, until.seq).any(|h| {
            matches!(
                h.event,
                GridEvent::PieceMoved { .. } | GridEvent::PieceLocked { .. }
            )
        });
        // What stood before may still show in the first moment.
        let last = after.iter().rev().find(|r| !r.unsure && r.active.is_some());
        let cleared = happened(resume.seq, until.seq)
            .any(|h| matches!(h.event, GridEvent::LineCleared { .. }));
        let other_game =
            !cleared && !before.stack.is_empty() && last.is_some_and(|r| r.stack.is_empty());
        let stood = self.readings_in(p.from.seq + 1..=keys.seq);
        let last_stood = stood.iter().rev().find(|r| !r.unsure);
        let emptied = !before.stack.is_empty() && last_stood.is_some_and(|r| r.stack.is_empty());
        Some(PauseSeen {
            fell,
            acted: match (woke, is_shown) {
                (true, _) => 0,
                (false, true) => moved.max(usize::from(aside)),
                (false, false) => usize::from(aside),
            },
            resumed: (lives || woke) && follows,
            other_game,
            emptied,
        })
    }
}
