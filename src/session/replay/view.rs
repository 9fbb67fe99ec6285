//! What a face shows of a replay, and where it can be asked to go.

use crate::model::Phase;
use std::sync::Arc;

/// A replay as it is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayView {
    /// Does it go on by itself?
    pub playing: bool,
    /// Game time of the moment that is shown, in microseconds.
    pub at_us: u64,
    /// Game time of the last record.
    pub end_us: u64,
    /// Game time up to which everything is derived.
    pub derived_us: u64,
    /// Everything is derived.
    pub whole: bool,
    /// Commands obeyed so far: what was asked for before shows in this view.
    pub obeyed: u64,
    /// Number of the record that is shown.
    pub seq: u64,
    /// What happened when, in order.
    pub marks: Arc<Vec<TimelineMark>>,
    /// What is wrong with the recording; empty for nothing.
    pub troubles: String,
}

/// Something on the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelineMark {
    /// Game time in microseconds.
    pub at_us: u64,
    /// Number of the record.
    pub seq: u64,
    /// What it was.
    pub kind: MarkKind,
}

/// What marks on the timeline stand for, what matters least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// A piece became part of the stack.
    Lock,
    /// Rows disappeared.
    Clear,
    /// A check passed.
    Pass,
    /// A phase began.
    Phase(Phase),
    /// The operator did something.
    Operator,
    /// A check failed.
    Fail,
}

/// Where to go in a replay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seek {
    /// So many pictures on, or back.
    Frames(i64),
    /// So many lines of the event log on, or back.
    Events(i64),
    /// So many beginnings of phases on, or back.
    Phases(i64),
    /// So many failed checks on, or back.
    Fails(i64),
    /// To where this phase last began.
    Phase(Phase),
    /// To this record.
    Record(u64),
    /// To this game time in microseconds.
    Time(u64),
    /// To the first record.
    Start,
    /// To the last record.
    End,
}
