use super::game_over::{endings, is_over};
use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::{Evidence, Outcome, PauseSeen, PauseTry};
use crate::model::{Action, Confidence, Phase};

/// Rows a piece must fall for gravity to go on: one may fall in the moment of the press.
const ROWS: usize = 2;

/// A key or control stops gravity and keys, and the same or another lets the same game go on.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let mut by = String::new();
    let (mut unclear, mut ends) = (None, None);
    for p in e.pauses() {
        let Some(seen) = e.pause_seen(p) else {
            continue;
        };
        if seen.emptied && seen.other_game || !seen.resumed && ends_so(e, p) {
            ends = Some(&p.by);
            continue;
        }
        match fault(&seen) {
            // What was tried late is taken for a pause because it stopped the game and let it go on once. Where it does
            // not do so again it may have been something else: a panel that moved the board away for a while, a piece
            // that lay before it locked.
            Some(_) if !is_key(e, &p.by) && is_none(&seen) => {
                unclear = Some(format!(
                    "{} stopped the game and let it go on once, but not when it was tried again",
                    p.by
                ));
            }
            // Something else may have stopped it then: another key of those that were pressed one after the other.
            Some(_) if is_key(e, &p.by) && is_suspected(e) && seen.fell >= ROWS => {
                unclear = Some(format!(
                    "{} stopped the game once, but not when it was tried again",
                    p.by
                ));
            }
            None => {
                good.push(p.from.seq);
                by.clone_from(&p.by);
            }
            Some(why) => bad.push((p.from.seq, format!("{}: {why}", p.by))),
        }
    }
    if bad.len() >= 2 && bad.len() > good.len() {
        let why = format!(
            "{} of {} tries: {}",
            bad.len(),
            bad.len() + good.len(),
            bad[0].1
        );
        return fail(why, bad.iter().map(|b| b.0).collect());
    }
    if good.len() > bad.len() && bad.len() < 2 {
        return pass(
            format!("{by} stopped gravity and keys, and the game went on"),
            good,
        );
    }
    let tried = e.phase(Phase::Numbers).and_then(|p| p.outcome.as_ref());
    if let Some((_, why)) = bad.first() {
        return open(format!("{why}; waiting for another look"));
    }
    if let Some(why) = unclear {
        return open(why);
    }
    if let Some(by) = ends {
        return skipped(format!("no pause was found (optional): {by} ends the game"));
    }
    let none = e.controls().is_some() && e.key(Action::Pause).is_none();
    if tried == Some(&Outcome::Done) && none {
        return skipped("no pause was found (optional)");
    }
    open("waiting: no pause was tried yet")
}

/// Do the words that came show the end of a game at other times?
fn ends_so(e: &Evidence, p: &PauseTry) -> bool {
    let said = e.said_at_pause(p);
    let mut ended = endings(e).into_iter().filter(is_over);
    ended.any(|x| x.shown.iter().any(|s| said.contains(s)))
}

/// Is this the key that was seen to pause when all keys were tried?
fn is_key(e: &Evidence, by: &str) -> bool {
    e.key(Action::Pause).is_some_and(|k| k.to_string() == by)
}

/// Did the key that was seen to pause not let the game go on then?
fn is_suspected(e: &Evidence) -> bool {
    let known = e.controls().and_then(|c| c.1.get(Action::Pause));
    known.is_some_and(|m| m.confidence == Confidence::Suspected)
}

/// Did it not stop the game, or not let the same one go on, as what is no pause does?
fn is_none(seen: &PauseSeen) -> bool {
    let stopped = seen.fell < ROWS && seen.acted == 0;
    seen.fell >= ROWS || stopped && !seen.resumed && !seen.other_game
}

fn fault(seen: &PauseSeen) -> Option<String> {
    if seen.fell >= ROWS {
        return Some(format!("gravity went on, {} rows", seen.fell));
    }
    if seen.acted > 0 {
        return Some("keys still moved the piece".into());
    }
    if seen.other_game {
        return Some("what went on was another game".into());
    }
    (!seen.resumed).then(|| "the game could not be resumed".into())
}
