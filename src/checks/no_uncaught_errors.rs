use super::{Verdict, fail, open, pass};
use crate::evidence::Evidence;
use crate::model::{Key, PageSignal};

/// No uncaught exception while playing, and no key that the page does not survive.
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
    let in_play = |x: &(u64, &str)| from.is_some_and(|f| x.0 > f);
    // The page is opened again and again: what it throws at that was known before there was a game.
    let at_load = |text: &str| errors.iter().any(|x| !in_play(x) && x.1 == text);
    let playing: Vec<&(u64, &str)> = errors
        .iter()
        .filter(|x| in_play(x) && !at_load(x.1))
        .collect();
    if let Some((key, hangs)) = hanging_key(e) {
        let why = format!(
            "the page stopped answering when {key} was pressed, {} times",
            hangs.len()
        );
        return fail(why, hangs);
    }
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

/// A key that the page did not survive each time it was looked for, twice or more, and when that was.
fn hanging_key(e: &Evidence) -> Option<(&Key, Vec<u64>)> {
    let mut by_key: Vec<(&Key, Vec<u64>)> = Vec::new();
    for (stamp, signal) in e.signals() {
        let hung = matches!(
            signal,
            PageSignal::Unresponsive { .. } | PageSignal::Crashed
        );
        let pressed = e.presses().iter().rev().find(|p| p.down.seq < stamp.seq);
        let Some(press) = pressed.filter(|_| hung) else {
            continue;
        };
        // Not long after, in the time of the game: what hangs later is not the key's doing.
        if stamp.game_ms_since(press.down) > AT_ONCE_MS {
            continue;
        }
        match by_key.iter_mut().find(|(k, _)| **k == press.key) {
            Some((_, seqs)) => seqs.push(stamp.seq),
            None => by_key.push((&press.key, vec![stamp.seq])),
        }
    }
    by_key.into_iter().find(|(_, seqs)| seqs.len() >= 2)
}

/// Game time after a press within which a page that hangs does so because of it.
const AT_ONCE_MS: f64 = 100.0;
