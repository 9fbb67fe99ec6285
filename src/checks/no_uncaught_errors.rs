use super::{Verdict, fail, open, pass};
use crate::evidence::Evidence;
use crate::model::PageSignal;

/// No uncaught exception while playing.
pub fn judge(e: &Evidence) -> Verdict {
    // What is thrown at load or on a title screen is not play.
    let from = match e.start() {
        Some((seq, _)) if e.is_started() => Some(seq),
        _ => None,
    };
    let errors: Vec<(u64, &str)> = e
        .signals()
        .iter()
        .filter_map(|(stamp, s)| match s {
            PageSignal::UncaughtError { text } => Some((stamp.seq, text.as_str())),
            _ => None,
        })
        .collect();
    let playing: Vec<&(u64, &str)> = errors
        .iter()
        .filter(|x| from.is_some_and(|f| x.0 > f))
        .collect();
    if let Some(first) = playing.first() {
        // An exception is a fact, not a reading: one is enough.
        let text: String = first
            .1
            .chars()
            .filter(|c| !c.is_control())
            .take(120)
            .collect();
        let why = format!("{} while playing, first: {text}", playing.len());
        return fail(why, playing.iter().map(|x| x.0).take(8).collect());
    }
    let before = if errors.is_empty() {
        String::new()
    } else {
        format!(" ({} before the start)", errors.len())
    };
    if e.ended().is_some() {
        return pass(format!("none while playing{before}"), Vec::new());
    }
    open(format!("none so far{before}"))
}
