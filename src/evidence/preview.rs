//! Places beside the board that may show the coming pieces: what each showed, and which piece came.

use super::Evidence;
use super::words::Came;
use crate::model::{Action, ActivePiece, Frame, GridEvent, PieceKind, Raster, Stamp};
use crate::vision::preview::{empty, tetrominoes};
use std::sync::Arc;

/// Looks kept at one place; the oldest are dropped beyond.
const KEPT: usize = 120;
/// Looks after which a place that can hardly be read is read against what it shows most often; again with more of them,
/// as by then other pieces have come.
const READ_AGAIN: [usize; 4] = [7, 14, 28, 56];
/// Pieces of a queue at most.
const SLOTS: usize = 7;
/// Fewest comparisons by which the places are told apart.
const LEAST: usize = 4;

/// So many pieces named, nearly all of them rightly, make a preview also where many looks could not be read.
const SURE: usize = 10;

/// A look at one place.
#[derive(Debug, Clone)]
struct Look {
    stamp: Stamp,
    picture: Arc<Frame>,
    shown: Vec<Option<PieceKind>>,
}

/// One place and all looks at it.
#[derive(Debug, Clone, Default)]
struct Place {
    looks: Vec<Look>,
    ground: Option<Raster>,
}

/// Every place that is kept in view.
#[derive(Debug, Clone, Default)]
pub(super) struct Places(Vec<Place>);

/// What a place showed while one piece fell, and the pieces that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// Record of the look.
    pub look: u64,
    /// What it showed.
    pub shown: PieceKind,
    /// Record in which the next piece came.
    pub came_at: u64,
    /// Which piece came.
    pub came: PieceKind,
    /// The piece that was falling.
    pub falling: Option<PieceKind>,
}

impl Prediction {
    /// Did it name the piece that came?
    pub fn is_right(&self) -> bool {
        self.shown == self.came
    }
}

/// A place that shows tetrominoes which change as pieces come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Which of the places, and which piece in it.
    pub at: (usize, usize),
    /// Everything it foretold.
    pub predictions: Vec<Prediction>,
    /// It does not name the next piece, but a later one, rightly: the first of a queue could not be read.
    pub later: bool,
    /// It is no picture: words name the piece, and those after it as these.
    pub words: Option<Vec<PieceKind>>,
}

impl Places {
    pub fn see(&mut self, stamp: Stamp, place: u8, picture: &Arc<Frame>) {
        let at = usize::from(place).min(15);
        if self.0.len() <= at {
            self.0.resize_with(at + 1, Place::default);
        }
        let place = &mut self.0[at];
        let other = |l: &Look| l.picture.rect != picture.rect;
        if place.looks.last().is_some_and(other) {
            *place = Place::default();
        }
        if place.looks.len() >= KEPT {
            place.looks.remove(0);
        }
        // To read a picture costs far more than to see that it was there before.
        let before = place
            .looks
            .iter()
            .rfind(|l| l.picture.raster == picture.raster);
        let shown = match before {
            Some(look) => look.shown.clone(),
            None => tetrominoes(&picture.raster, place.ground.as_ref()),
        };
        place.looks.push(Look {
            stamp,
            shown,
            picture: picture.clone(),
        });
        if READ_AGAIN.contains(&place.looks.len()) {
            place.read_against_ground();
        }
    }
}

impl Place {
    /// Where little was read for what lies around the pieces, what is there most often is taken for the empty place.
    fn read_against_ground(&mut self) {
        let read =
            |shown: &[Option<PieceKind>]| usize::from(shown.first().is_some_and(Option::is_some));
        let before: usize = self.looks.iter().map(|l| read(&l.shown)).sum();
        if before * 5 >= self.looks.len() * 4 {
            return;
        }
        let pictures: Vec<&Raster> = self.looks.iter().map(|l| &l.picture.raster).collect();
        let ground = empty(&pictures);
        let again: Vec<_> = pictures
            .iter()
            .map(|p| tetrominoes(p, ground.as_ref()))
            .collect();
        if again.iter().map(|s| read(s)).sum::<usize>() > before {
            for (look, shown) in self.looks.iter_mut().zip(again) {
                look.shown = shown;
            }
            self.ground = ground;
        }
    }
}

impl Evidence {
    /// The coming pieces as they are shown now, nearest first; empty where no preview is known.
    pub fn coming(&self) -> Vec<PieceKind> {
        let Some(preview) = self.preview().filter(|p| !p.later) else {
            return Vec::new();
        };
        if let Some(named) = preview.words {
            return named;
        }
        let (place, slot) = preview.at;
        let last = self.places.0.get(place).and_then(|p| p.looks.last());
        let shown = last.map_or(&[][..], |l| l.shown.get(slot..).unwrap_or_default());
        shown.iter().map_while(|k| *k).collect()
    }

    /// The place that shows the coming piece, or pretends to; `None` where none was found.
    pub fn preview(&self) -> Option<Preview> {
        let spawns = self.spawns();
        let mut best: Option<(usize, usize, Preview)> = None;
        let mut shows: Option<Preview> = None;
        let mut later = false;
        let by_hand = |p: &Place| {
            let seen = p.looks.last().map(|l| l.picture.rect);
            seen.is_some() && seen == self.hints().next
        };
        let pointed_at = self.places.0.iter().any(by_hand);
        for (i, place) in self.places.0.iter().enumerate() {
            if pointed_at && !by_hand(place) {
                continue;
            }
            for slot in 0..SLOTS {
                let predictions = self.predictions(place, slot, 0, &spawns);
                let n = predictions.len();
                let right = predictions.iter().filter(|p| p.is_right()).count();
                // What names so many pieces rightly is no coincidence, though one shape cannot be read there.
                let sure = right >= SURE && right * 20 >= n * 19;
                let least = if sure { 5 } else { 8 };
                if n < LEAST || n * 10 < self.comparable(place, &spawns) * least {
                    continue;
                }
                let preview = Preview {
                    at: (i, slot),
                    predictions,
                    later: false,
                    words: None,
                };
                if right * 10 >= n * 5 && best.as_ref().is_none_or(|(r, m, _)| right * m > r * n) {
                    best = Some((right, n, preview.clone()));
                }
                for lag in 1..SLOTS {
                    let ahead = self.predictions(place, slot, lag, &spawns);
                    let right = ahead.iter().filter(|p| p.is_right()).count();
                    later |= ahead.len() >= LEAST && right * 10 >= ahead.len() * 9;
                }
                let mut kinds: Vec<PieceKind> =
                    preview.predictions.iter().map(|p| p.shown).collect();
                kinds.sort_unstable();
                kinds.dedup();
                if kinds.len() >= 3 && shows.is_none() {
                    shows = Some(preview);
                }
            }
        }
        let named = best.map(|b| b.2);
        named
            .or_else(|| shows.map(|s| Preview { later, ..s }))
            .or_else(|| self.named_by_words(&spawns))
    }

    /// Looks at which the preview showed another piece than at the one before, without those of the first piece shown.
    pub(super) fn coming_changed(&self, from: u64, until: u64) -> Vec<u64> {
        let Some(preview) = self.preview() else {
            return Vec::new();
        };
        let (at, slot) = preview.at;
        let looks = self.places.0.get(at).map_or(&[][..], |p| &p.looks);
        let within = looks
            .iter()
            .filter(|l| l.stamp.seq >= from && l.stamp.seq <= until);
        let mut shown: Vec<(u64, PieceKind)> = within
            .filter_map(|l| Some((l.stamp.seq, (*l.shown.get(slot)?)?)))
            .collect();
        shown.dedup_by_key(|s| s.1);
        shown.into_iter().skip(1).map(|s| s.0).collect()
    }

    /// Words that name the coming piece, where no picture shows it.
    fn named_by_words(&self, spawns: &[(u64, PieceKind, bool)]) -> Option<Preview> {
        // One look takes in the texts first, then the board: a piece that came by then is no longer the next.
        let surely = |at: Stamp| {
            let seen = at.seq + 1;
            let falls = self.reading_at(seen)?.active.as_ref()?.kind;
            let came = (!self.has_locked(seen, spawns)).then(|| self.came(seen, 0, spawns))??;
            Some((came, falls))
        };
        let came = |at: Stamp| {
            if let Some(((_, next), _)) = surely(at) {
                return Some(Came::Surely(next));
            }
            let of = |lag| Some(self.came_in(at.seq + 1, lag, spawns)?.1);
            Some(Came::Either(of(0)?, of(1)?))
        };
        let named = self.words.find(came)?;
        let one = |(at, shown): (Stamp, PieceKind)| {
            let ((came_at, came), falling) = surely(at)?;
            Some(Prediction {
                look: at.seq,
                shown,
                came_at,
                came,
                falling,
            })
        };
        let mut predictions: Vec<Prediction> = self.words.shown(&named).filter_map(one).collect();
        // The texts are looked at more than once while one piece falls.
        predictions.dedup_by_key(|p| p.came_at);
        Some(Preview {
            at: (usize::MAX, 0),
            predictions,
            later: false,
            words: Some(self.words.coming(&named)),
        })
    }

    /// Has the last piece that came locked by then?
    fn has_locked(&self, look: u64, spawns: &[(u64, PieceKind, bool)]) -> bool {
        let next = spawns.partition_point(|s| s.0 <= look);
        let since = next.checked_sub(1).map_or(0, |i| spawns[i].0);
        let locks = |h: &super::Happening| matches!(h.event, GridEvent::PieceLocked { .. });
        since < look && self.happenings_in(since + 1..=look).iter().any(locks)
    }

    /// Whole pieces as they came: record, kind, and whether it is the very next one after the one before: that one has
    /// locked (otherwise it was swapped, or the page opened anew), and none passed unseen in between.
    fn spawns(&self) -> Vec<(u64, PieceKind, bool)> {
        let (mut locks, mut unseen) = (0, false);
        let mut all = Vec::new();
        for h in &self.happenings {
            match &h.event {
                GridEvent::PieceLocked { .. } => locks += 1,
                GridEvent::BoardCleared => unseen = true,
                // As many blocks as a piece has came to lie there, and nobody saw it fall.
                GridEvent::StackChanged { appeared, .. } => unseen |= *appeared >= 4,
                GridEvent::PieceSpawned {
                    kind: Some(kind), ..
                } => {
                    all.push((h.seq, *kind, locks == 1 && !unseen));
                    (locks, unseen) = (0, false);
                }
                _ => {}
            }
        }
        all
    }

    /// Looks after which another piece came in the ordinary way.
    fn comparable(&self, place: &Place, spawns: &[(u64, PieceKind, bool)]) -> usize {
        let looks = place.looks.iter();
        looks
            .filter(|l| self.came(l.stamp.seq, 0, spawns).is_some())
            .count()
    }

    /// The piece that came after a look, `lag` pieces later.
    fn came(
        &self,
        look: u64,
        lag: usize,
        spawns: &[(u64, PieceKind, bool)],
    ) -> Option<(u64, PieceKind)> {
        (!self.is_dropped(look, spawns) && !self.lies(look))
            .then(|| self.came_in(look, lag, spawns))?
    }

    /// Did the piece lie on something at the look? It may have locked by then, and the next one be above the board.
    fn lies(&self, look: u64) -> bool {
        self.reading_at(look).is_some_and(|r| {
            let supports = |a: &ActivePiece| r.stack.supports(&a.cells);
            r.active.as_ref().is_some_and(supports)
        })
    }

    /// Was the piece dropped before the look? Then the next one may have come already, above the board, and the one after
    /// it be shown.
    fn is_dropped(&self, look: u64, spawns: &[(u64, PieceKind, bool)]) -> bool {
        let drop = self.key(Action::HardDrop);
        let next = spawns.partition_point(|s| s.0 <= look);
        let since = next.checked_sub(1).map_or(0, |i| spawns[i].0);
        self.presses_between(since, look)
            .any(|p| Some(&p.key) == drop)
    }

    /// See [`Self::came`], whatever was dropped.
    fn came_in(
        &self,
        look: u64,
        lag: usize,
        spawns: &[(u64, PieceKind, bool)],
    ) -> Option<(u64, PieceKind)> {
        let next = spawns.partition_point(|s| s.0 <= look);
        let run = spawns.get(next..=next + lag)?;
        let (seq, kind, _) = *run.last()?;
        let hold = self.key(Action::Hold);
        let swapped = self
            .presses_between(look, seq)
            .any(|p| Some(&p.key) == hold);
        let opened = self.pages.iter().any(|p| *p > look && *p < seq);
        let ordinary = run.iter().all(|s| s.2) && !swapped && !opened;
        ordinary.then_some((seq, kind))
    }

    fn presses_between(&self, from: u64, until: u64) -> impl Iterator<Item = &super::Press> {
        let first = self.presses.partition_point(|p| p.down.seq < from);
        let all = self.presses[first..].iter();
        all.take_while(move |p| p.down.seq <= until)
    }

    fn predictions(
        &self,
        place: &Place,
        slot: usize,
        lag: usize,
        spawns: &[(u64, PieceKind, bool)],
    ) -> Vec<Prediction> {
        let one = |look: &Look| {
            let shown = (*look.shown.get(slot)?)?;
            let (came_at, came) = self.came(look.stamp.seq, lag, spawns)?;
            let falling = self.reading_at(look.stamp.seq)?.active.as_ref()?.kind;
            Some(Prediction {
                look: look.stamp.seq,
                shown,
                came_at,
                came,
                falling,
            })
        };
        place.looks.iter().filter_map(one).collect()
    }
}
