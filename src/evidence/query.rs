//! What checks and faces ask of the evidence.

use super::{Counts, Evidence, Happening, NumberLog, Outcome, Reading, Recalled, Start};
use crate::model::{
    Action, ActivePiece, Board, By, ControlMap, Grid, GridEvent, Key, Measure, PageSignal, Phase,
    Stamp, Survey, WebGlOffer,
};
use crate::track::Fall;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A key that went down, and up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Press {
    /// Which.
    pub key: Key,
    /// When it went down.
    pub down: Stamp,
    /// When it went up; `None` while it is down.
    pub up: Option<Stamp>,
}

impl Press {
    /// How long it was held, in game milliseconds; `None` while it is down.
    pub fn held_ms(&self) -> Option<f64> {
        self.up.map(|u| u.game_ms_since(self.down))
    }
}

/// A try of one action; see [`super::Mark::Probe`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What was tried.
    pub action: Action,
    /// With which key.
    pub key: Key,
    /// The how-manieth.
    pub attempt: u32,
    /// Its mark.
    pub from: Stamp,
    /// Its end; `None` while it goes on.
    pub until: Option<Stamp>,
}

/// A phase from its beginning to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Which.
    pub phase: Phase,
    /// When it began.
    pub from: Stamp,
    /// When it ended.
    pub until: Option<Stamp>,
    /// What became of it; `None` while it runs, or if it was left without a word.
    pub outcome: Option<Outcome>,
}

/// Did the page crash or stop answering?
fn is_dead(signal: &PageSignal) -> bool {
    matches!(
        signal,
        PageSignal::Crashed | PageSignal::Unresponsive { .. }
    )
}

impl Evidence {
    /// Was the page refused WebGL when it was last surveyed, and drew without?
    pub fn is_without_webgl(&self) -> bool {
        let last = self.surveys.last();
        last.is_some_and(|(_, s)| s.webgl == WebGlOffer::Refused)
    }

    /// The last record that came in.
    pub fn last(&self) -> Stamp {
        self.last
    }

    /// The surveys of the page, with their record numbers, oldest first.
    pub fn surveys(&self) -> &[(u64, Arc<Survey>)] {
        &self.surveys
    }

    /// How the game was started, or that it wasn't.
    pub fn start(&self) -> Option<(u64, &Start)> {
        self.start.as_ref().map(|(seq, s)| (*seq, s))
    }

    /// Does a game run, as far as was said?
    pub fn is_started(&self) -> bool {
        matches!(self.start, Some((_, Start::Started(..))))
    }

    /// The board in force, with its record number and who ruled.
    pub fn board(&self) -> Option<(u64, &Board, By)> {
        self.board.as_ref().map(|(seq, b, by)| (*seq, b, *by))
    }

    /// How sure it is that the board is where it was found and is read as it is, 0 to 1: what the finder was sure of,
    /// counted as some locks, and then each lock against each change that nothing explains.
    pub fn board_confidence(&self) -> Option<f64> {
        /// Locks that the finder's word is worth.
        const WORTH: f64 = 4.0;
        let (_, board, _) = self.board()?;
        let counts = &self.played().counts;
        let locks = counts.pieces_locked as f64;
        let sure = board.confidence * WORTH + locks;
        Some(sure / (WORTH + locks + counts.unexplained as f64))
    }

    /// Every board that was said to be the one, in order.
    pub fn boards(&self) -> &[(Stamp, Board, By)] {
        &self.boards
    }

    /// What was known from earlier runs, and what became of it in all attempts: what, how, why.
    pub fn recalled(&self) -> Vec<(&str, Recalled, &str)> {
        let all = self.attempts().into_iter().flat_map(|a| &a.recalled);
        all.map(|(_, what, how, why)| (what.as_str(), *how, why.as_str()))
            .collect()
    }

    /// Games that were begun in which what falls stays drawn wherever it was, and what was seen of it.
    pub fn smears(&self) -> &[(Stamp, String)] {
        &self.smears
    }

    /// Why no board was found, if that was said.
    pub fn no_board(&self) -> Option<(u64, &str)> {
        self.no_board.as_ref().map(|(seq, w)| (*seq, w.as_str()))
    }

    /// The controls in force, with their record number and who ruled.
    pub fn controls(&self) -> Option<(u64, &ControlMap, By)> {
        self.controls.as_ref().map(|(seq, c, by)| (*seq, c, *by))
    }

    /// The key of an action, if one is known.
    pub fn key(&self, action: Action) -> Option<&Key> {
        self.controls
            .as_ref()
            .and_then(|(_, map, _)| map.key(action))
    }

    /// The last grid.
    pub fn grid(&self) -> Option<&Arc<Grid>> {
        self.last_grid.as_ref()
    }

    /// The falling piece.
    pub fn active(&self) -> Option<&ActivePiece> {
        self.tracker
            .as_ref()
            .and_then(crate::track::Tracker::active)
    }

    /// Is something on its way from one cell to another, and the state that it leads to waited for?
    pub fn is_waiting(&self) -> bool {
        self.tracker
            .as_ref()
            .is_some_and(crate::track::Tracker::is_waiting)
    }

    /// Is the last reading held back, until another decides it?
    pub fn is_unsure(&self) -> bool {
        self.readings().last().is_some_and(|r| r.unsure)
    }

    /// Tells the piece on the board from the one before; see [`Tracker::piece_id`](crate::track::Tracker::piece_id).
    pub fn piece(&self) -> Option<u64> {
        self.readings().last().map(|r| r.piece)
    }

    /// Number of the record that first showed the board as it is now.
    pub fn reading(&self) -> Option<u64> {
        self.readings().last().map(|r| r.from.seq)
    }

    /// The settled blocks.
    pub fn stack(&self) -> Option<&Grid> {
        self.tracker.as_ref().map(crate::track::Tracker::stack)
    }

    /// Does nothing fall in the game that was started: do its pieces stand until a key moves them?
    pub fn stands(&self) -> bool {
        self.stands.is_some()
    }

    /// Game milliseconds a row by gravity alone, lately.
    pub fn gravity_ms(&self) -> Option<f64> {
        let now = self
            .tracker
            .as_ref()
            .and_then(crate::track::Tracker::gravity_ms);
        // A tracker begins afresh with each page and board; what was measured before still says something.
        let timed = |f: &Fall| f.after_ms.map(|ms| ms / f64::from(f.rows.max(1)));
        now.or_else(|| self.falls.iter().rev().find_map(timed))
            .or_else(|| self.earlier.last().and_then(Self::gravity_ms))
    }

    /// The same as it was at a record: games get faster.
    pub fn gravity_ms_at(&self, seq: u64) -> Option<f64> {
        const NEAR: usize = 9;
        let timed = |f: &Fall| {
            f.after_ms
                .filter(|_| f.rows > 0)
                .map(|ms| ms / f64::from(f.rows))
        };
        let at = self.falls.partition_point(|f| f.seq <= seq);
        let mut near: Vec<f64> = self.falls[..at]
            .iter()
            .rev()
            .filter_map(timed)
            .take(NEAR)
            .collect();
        if near.is_empty() {
            near = self.falls[at..]
                .iter()
                .filter_map(timed)
                .take(NEAR)
                .collect();
        }
        near.sort_by(f64::total_cmp);
        near.get(near.len() / 2).copied()
    }

    /// Did anything still move or come to rest after a record, on the same page? A game that has stopped for good answers
    /// no key, which then says nothing about the key.
    pub fn lives_after(&self, seq: u64) -> bool {
        let opened = self.opened.partition_point(|o| o.0.seq <= seq);
        let end = self.opened.get(opened).map_or(u64::MAX, |o| o.0.seq);
        let after = self.happenings.partition_point(|h| h.seq <= seq);
        self.happenings[after..]
            .iter()
            .take_while(|h| h.seq < end)
            .any(|h| h.event.shows_life())
    }

    /// Every fall with no key down.
    pub fn falls(&self) -> &[Fall] {
        &self.falls
    }

    /// All readings, alike ones kept once.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// What the board held at a record: the last reading that began at or before it.
    pub fn reading_at(&self, seq: u64) -> Option<&Reading> {
        let after = self.readings.partition_point(|r| r.from.seq <= seq);
        after.checked_sub(1).map(|i| &self.readings[i])
    }

    /// Readings that were seen at some record in the range.
    pub fn readings_in(&self, range: RangeInclusive<u64>) -> &[Reading] {
        let first = self
            .readings
            .partition_point(|r| r.until.seq < *range.start());
        let end = self
            .readings
            .partition_point(|r| r.from.seq <= *range.end());
        &self.readings[first.min(end)..end]
    }

    /// Everything that happened on the board, in the order in which it was understood.
    pub fn happenings(&self) -> &[Happening] {
        &self.happenings
    }

    /// What was understood at records in the range.
    pub fn happenings_in(&self, range: RangeInclusive<u64>) -> &[Happening] {
        let first = self
            .happenings
            .partition_point(|h| h.stamp.seq < *range.start());
        let end = self
            .happenings
            .partition_point(|h| h.stamp.seq <= *range.end());
        &self.happenings[first.min(end)..end]
    }

    /// Keys at whose press the page stopped answering, or crashed, and when that was.
    pub fn hangs_by_key(&self) -> Vec<(&Key, Vec<u64>)> {
        /// Game time after a press within which a page that hangs does so because of it.
        const AT_ONCE_MS: f64 = 100.0;
        let mut by_key: Vec<(&Key, Vec<u64>)> = Vec::new();
        for (stamp, _) in self.signals.iter().filter(|s| is_dead(&s.1)) {
            let before = self.presses().partition_point(|p| p.down.seq < stamp.seq);
            let Some(press) = before.checked_sub(1).and_then(|i| self.presses().get(i)) else {
                continue;
            };
            // What hangs later is not the key's doing.
            if stamp.game_ms_since(press.down) > AT_ONCE_MS {
                continue;
            }
            match by_key.iter_mut().find(|(k, _)| **k == press.key) {
                Some((_, seqs)) => seqs.push(stamp.seq),
                None => by_key.push((&press.key, vec![stamp.seq])),
            }
        }
        by_key
    }

    /// Each time the page stopped answering, or crashed, while a game was under way on it; once for each opening.
    pub fn hangs(&self) -> Vec<u64> {
        let mut hangs: Vec<(usize, u64)> = Vec::new();
        for (stamp, _) in self.signals.iter().filter(|s| is_dead(&s.1)) {
            let opened = self.opened.partition_point(|o| o.0.seq <= stamp.seq);
            let from = opened.checked_sub(1).map_or(0, |at| self.opened[at].0.seq);
            let ran = self
                .happenings_in(from..=stamp.seq)
                .iter()
                .any(|h| h.event.shows_life() || matches!(h.event, GridEvent::PieceSpawned { .. }));
            if ran && hangs.last().is_none_or(|h| h.0 != opened) {
                hangs.push((opened, stamp.seq));
            }
        }
        hangs.into_iter().map(|h| h.1).collect()
    }

    /// The hosts from which scripts, or what they asked for, were refused, and the records that say so.
    pub fn scripts_refused(&self) -> (BTreeSet<String>, Vec<u64>) {
        self.refused(|signal| match signal {
            PageSignal::ScriptRefused { url } => Some(url),
            _ => None,
        })
    }

    /// Parts of the page that lie above the folder that is served: their paths, the folder that would have to be served,
    /// and the records that say so.
    pub fn parts_withheld(&self) -> Option<(Vec<&str>, &str, Vec<u64>)> {
        let (mut paths, mut cites) = (Vec::new(), Vec::new());
        // The outermost folder holds the others.
        let mut folder: Option<&str> = None;
        for (stamp, signal) in &self.signals {
            if let PageSignal::PartWithheld { path, root } = signal {
                // Told again at each opening.
                if !paths.contains(&path.as_str()) {
                    paths.push(path.as_str());
                    cites.push(stamp.seq);
                }
                folder = folder
                    .filter(|f| f.len() <= root.len())
                    .or(Some(root.as_str()));
            }
        }
        Some((paths, folder?, cites))
    }

    /// The page's own scripts that could not be had: the first one's address, what came instead, and the records that say
    /// so, one for each script.
    pub fn scripts_missing(&self) -> Option<(&str, &str, Vec<u64>)> {
        let mut all: Vec<(&str, &str, u64)> = Vec::new();
        for (stamp, signal) in &self.signals {
            if let PageSignal::ScriptMissing { url, what } = signal
                // Told again at each opening.
                && all.iter().all(|s| s.0 != url)
            {
                all.push((url, what, stamp.seq));
            }
        }
        let (url, what, _) = *all.first()?;
        Some((url, what, all.iter().map(|s| s.2).collect()))
    }

    /// The hosts whose style sheets were refused, and where that is written.
    pub fn styles_refused(&self) -> (BTreeSet<String>, Vec<u64>) {
        self.refused(|signal| match signal {
            PageSignal::StyleRefused { url } => Some(url),
            _ => None,
        })
    }

    fn refused(&self, of: impl Fn(&PageSignal) -> Option<&String>) -> (BTreeSet<String>, Vec<u64>) {
        let (mut hosts, mut cites) = (BTreeSet::new(), Vec::new());
        for (stamp, signal) in &self.signals {
            if let Some(url) = of(signal) {
                let rest = url.split_once("//").map_or("", |u| u.1);
                hosts.extend(rest.split(['/', '?', '#']).next().map(String::from));
                cites.push(stamp.seq);
            }
        }
        (hosts, cites)
    }

    /// Every lock: its happening and its cells.
    pub fn locks(&self) -> impl Iterator<Item = (&Happening, &[(i32, i32)], i32)> {
        self.happenings.iter().filter_map(|h| match &h.event {
            GridEvent::PieceLocked {
                cells,
                filled_delta,
                ..
            } => Some((h, cells.as_slice(), *filled_delta)),
            _ => None,
        })
    }

    /// Every press, in order.
    pub fn presses(&self) -> &[Press] {
        &self.presses
    }

    /// Every probe, in order.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// The phases so far.
    pub fn phases(&self) -> &[PhaseSpan] {
        &self.phases
    }

    /// The last run of a phase.
    pub fn phase(&self, phase: Phase) -> Option<&PhaseSpan> {
        self.phases.iter().rev().find(|p| p.phase == phase)
    }

    /// All marks, those only for people too.
    pub fn marks(&self) -> &[(Stamp, String)] {
        &self.marks
    }

    /// What the page did that is no picture.
    pub fn signals(&self) -> &[(Stamp, PageSignal)] {
        &self.signals
    }

    /// Scroll positions of the page, whenever they changed.
    pub fn scrolls(&self) -> &[(Stamp, (f64, f64))] {
        &self.scrolls
    }

    /// Clicks made.
    pub fn clicks(&self) -> &[(Stamp, (f64, f64))] {
        &self.clicks
    }

    /// Pages opened.
    pub fn opened(&self) -> &[(Stamp, String)] {
        &self.opened
    }

    /// What was measured beside the judgement.
    pub fn measures(&self) -> &[(Stamp, Measure)] {
        &self.measures
    }

    /// The numbers on the page.
    pub fn numbers(&self) -> &NumberLog {
        &self.numbers
    }

    /// Counts for the report.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Is the run over, and why?
    pub fn ended(&self) -> Option<(u64, &str)> {
        self.ended.as_ref().map(|(seq, w)| (*seq, w.as_str()))
    }

    /// Was the run ended before what failed once could be tried again?
    pub fn is_cut_short(&self) -> bool {
        self.cut_short
    }
}
