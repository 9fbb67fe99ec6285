use super::game_loads::without_its_scripts;
use super::{Verdict, fail, open, pass};
use crate::evidence::{Evidence, Start};
use crate::model::{GridEvent, Key, PageSignal, Phase, Stamp};
use std::collections::HashSet;

/// What the page threw and did not catch.
pub(super) struct Thrown<'a> {
    pub at: Stamp,
    /// In the page's words.
    pub text: &'a str,
}

/// Longest from a key that goes down to what the page throws at it, in game time.
const AT_KEY_MS: f64 = 100.0;

/// No uncaught exception while playing, and no key that the page does not survive. Of a page on which no game begins,
/// none at all.
pub fn judge(e: &Evidence) -> Verdict {
    // What is thrown at load or on a title screen is not play.
    let from = match e.start() {
        Some((seq, _)) if e.is_started() => Some(seq),
        _ => None,
    };
    let errors = uncaught(e);
    let in_play = |x: &Thrown<'_>| from.is_some_and(|f| x.at.seq > f);
    // The page is opened again and again: what it throws at that was known before there was a game. What it threw only
    // at keys that were tried then may be thrown by the same keys in the game.
    let (at_keys, at_load): (Vec<_>, Vec<_>) = errors
        .iter()
        .filter(|x| !in_play(x))
        .partition(|x| is_at_key(e, x.at));
    let of = |all: Vec<&Thrown<'_>>| all.into_iter().map(|x| x.text.to_string()).collect();
    let (at_keys, at_load): (HashSet<String>, HashSet<String>) = (of(at_keys), of(at_load));
    let (sounds, playing): (Vec<&Thrown<'_>>, Vec<_>) = errors
        .iter()
        .filter(|x| in_play(x) && !at_load.contains(x.text))
        .filter(|x| !at_keys.contains(x.text) || is_at_key(e, x.at) && is_in_game(e, x.at.seq))
        .partition(|x| is_of_media(x.text));
    if let Some((key, hangs)) = hanging_key(e) {
        let why = format!(
            "the page stopped answering when {key} was pressed, {} times",
            hangs.len()
        );
        return fail(why, hangs);
    }
    if let Some(first) = playing.first() {
        // An exception is a fact, not a reading: one is enough.
        let text = shortened(first.text);
        let why = format!("{} while playing, first: {text}", playing.len());
        return fail(why, playing.iter().map(|x| x.at.seq).take(8).collect());
    }
    if e.ended().is_some() && without_its_scripts(e).is_none() {
        let thrown = thrown(e);
        if let (Some(Start::NotStarted(_)), Some(first)) = (e.start().map(|s| s.1), thrown.first())
        {
            let why = format!(
                "{} where no game would begin, first: {}",
                thrown.len(),
                shortened(first.text)
            );
            return fail(why, thrown.iter().map(|x| x.at.seq).take(8).collect());
        }
    }
    let before = match (errors.len() - sounds.len(), sounds.len()) {
        (0, 0) => String::new(),
        (n, 0) => format!(" ({n} before the start)"),
        (0, n) => format!(" ({n} times a sound could not be played)"),
        (n, m) => format!(" ({n} before the start, {m} times a sound could not be played)"),
    };
    // Whoever watches may play on after the last phase; what is thrown then is found all the same.
    let played = e.phase(Phase::Compete).is_some_and(|p| p.until.is_some());
    if e.ended().is_some() || played {
        return pass(format!("none while playing{before}"), Vec::new());
    }
    open(format!("none so far{before}"))
}

/// What the page threw in play while it was refused WebGL, which it may do for want of it.
pub(super) fn thrown_without_webgl(e: &Evidence) -> Option<&str> {
    let (from, _) = e
        .start()
        .filter(|_| e.is_started() && e.is_without_webgl())?;
    let in_play = thrown(e).into_iter().find(|x| x.at.seq > from);
    in_play.map(|x| x.text)
}

/// What the page threw and did not catch, in order, but for what a browser without a user before it throws at sounds.
pub(super) fn thrown(e: &Evidence) -> Vec<Thrown<'_>> {
    let all = uncaught(e).into_iter();
    all.filter(|x| !is_of_media(x.text)).collect()
}

/// What was thrown and not caught, in order.
fn uncaught(e: &Evidence) -> Vec<Thrown<'_>> {
    let all = e.signals().iter();
    all.filter_map(|(at, s)| match s {
        PageSignal::UncaughtError { text } => Some(Thrown { at: *at, text }),
        _ => None,
    })
    .collect()
}

/// Was it thrown right after a key went down, other than one that starts the game?
fn is_at_key(e: &Evidence, at: Stamp) -> bool {
    let starts = match e.start() {
        Some((_, Start::Started(candidate, _))) => candidate.as_ref().and_then(|c| c.key.as_ref()),
        _ => None,
    };
    let presses = e.presses();
    let before = presses.partition_point(|p| p.down.seq < at.seq);
    let last = presses[..before].last();
    last.is_some_and(|p| at.game_ms_since(p.down) <= AT_KEY_MS && Some(&p.key) != starts)
}

/// Was there a piece in play, of a game that was begun since the page was opened?
fn is_in_game(e: &Evidence, seq: u64) -> bool {
    let opened = e.opened().iter().rfind(|(stamp, _)| stamp.seq < seq);
    let since = opened.map_or(0, |(stamp, _)| stamp.seq);
    let last = e.happenings_in(since..=seq).iter().rev();
    last.map(|h| &h.event)
        .find(|event| matches!(event, GridEvent::PieceSpawned { .. } | GridEvent::GameOver))
        .is_some_and(|event| !matches!(event, GridEvent::GameOver))
}

/// The beginning of a page's words, without what a terminal would take for an order.
pub(super) fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(120).collect()
}

/// The names of the exceptions by which a browser refuses to play a sound or a film (HTML, `play()`): there is no user
/// before it, no device, no codec. That is no doing of the page's.
const OF_MEDIA: [&str; 3] = ["NotAllowedError:", "NotSupportedError:", "AbortError:"];

fn is_of_media(text: &str) -> bool {
    OF_MEDIA
        .iter()
        .any(|name| text.trim_start().starts_with(name))
}

/// A key that the page did not survive, twice or more, and when that was.
fn hanging_key(e: &Evidence) -> Option<(&Key, Vec<u64>)> {
    let mut hangs = e.hangs_by_key().into_iter();
    hangs.find(|(_, seqs)| seqs.len() >= 2)
}
