use super::{Verdict, fail, open, pass};
use crate::evidence::{Evidence, Press};
use crate::model::{GridEvent, Phase, Stamp};
use std::collections::{BTreeMap, BTreeSet};

/// How soon after a key the page must have scrolled to have been scrolled by it, in microseconds of the wall clock.
const SOON_US: u64 = 1_000_000;

/// The phases in which a game is played.
const PLAYED: [Phase; 4] = [
    Phase::Mechanics,
    Phase::Play,
    Phase::Numbers,
    Phase::Compete,
];

/// A page on its way to where a key sends it.
#[derive(Clone, Copy)]
struct Glide {
    last_us: u64,
    way: (f64, f64),
    /// Was it a key of the game that set it going?
    by_game: bool,
}

impl Glide {
    /// Is this the next step of it, the same way?
    fn goes_on(self, stamp: &Stamp, way: (f64, f64)) -> bool {
        stamp.wall_us.saturating_sub(self.last_us) <= SOON_US
            && self.way.0 * way.0 >= 0.0
            && self.way.1 * way.1 >= 0.0
    }
}

/// Did the game go on after a record? When it has ended, its last piece may stand there until the board is emptied.
fn went_on(e: &Evidence, seq: u64) -> bool {
    let tells = |event: &GridEvent| {
        event.shows_life() || matches!(event, GridEvent::BoardCleared | GridEvent::GameOver)
    };
    let after = e.happenings_in(seq..=u64::MAX).iter();
    let next = after.filter(|h| h.seq > seq).find(|h| tells(&h.event));
    let opened = e.opened().iter().map(|o| o.0.seq).find(|o| *o > seq);
    next.is_some_and(|h| h.event.shows_life() && opened.is_none_or(|o| h.seq < o))
}

/// The keys that were pressed shortly before the most of these scrolls. A scroll glides on under the next keys, so that the
/// last one need not be it.
fn culprits<'a>(scrolls: impl Iterator<Item = &'a Vec<String>>) -> String {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for keys in scrolls {
        let distinct: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
        for key in distinct {
            *times.entry(key).or_default() += 1;
        }
    }
    let most = times.values().copied().max().unwrap_or(0);
    let all = times.iter().filter(|(_, n)| **n == most);
    all.map(|(key, _)| *key).collect::<Vec<_>>().join(" or ")
}

/// Game keys do not scroll the page.
pub fn judge(e: &Evidence) -> Verdict {
    let Some((_, survey)) = e.surveys().last() else {
        return open("waiting: the page was not looked at yet");
    };
    // The survey's figures: a page that fits its viewport cannot scroll.
    let can =
        survey.document.1 > survey.viewport.1 + 1.0 || survey.document.0 > survey.viewport.0 + 1.0;
    let Some((_, map, _)) = e.controls() else {
        return match e.ended() {
            Some(_) => pass(
                "no game key is known; nothing scrolled by one".into(),
                Vec::new(),
            ),
            None => open("waiting: the keys are not known yet"),
        };
    };
    let game: Vec<_> = map.iter().filter_map(|(_, m)| m.key.as_ref()).collect();
    let presses: Vec<_> = e
        .presses()
        .iter()
        .filter(|p| game.contains(&&p.key))
        .collect();
    let mut at = survey.scroll;
    let mut scrolled = Vec::new();
    let mut glide: Option<Glide> = None;
    let mut begun: Vec<(f64, f64)> = Vec::new();
    for (stamp, to) in e.scrolls() {
        let way = (to.0 - at.0, to.1 - at.1);
        let moved = way.0.abs() + way.1.abs() >= 1.0;
        let from = std::mem::replace(&mut at, *to);
        // The last thing done before must be a game key: clicks and other keys may scroll.
        let until = e.presses().partition_point(|p| p.down.seq < stamp.seq);
        let before = &e.presses()[..until];
        let last = before.last();
        // A scroll glides by the wall's clock, on under the next keys.
        let recent = || {
            let soon = |q: &&Press| stamp.wall_us.saturating_sub(q.down.wall_us) <= SOON_US;
            before.iter().rev().take_while(soon)
        };
        let by_key = last.is_some_and(|p| {
            let clicked = e
                .clicks()
                .iter()
                .any(|c| c.0.seq > p.down.seq && c.0.seq < stamp.seq);
            let opened = e
                .opened()
                .iter()
                .any(|o| o.0.seq > p.down.seq && o.0.seq < stamp.seq);
            let soon = stamp.wall_us.saturating_sub(p.up.unwrap_or(*stamp).wall_us) <= SOON_US;
            // None of the last ones may be another's.
            let others = recent().any(|q| !game.contains(&&q.key));
            // Where no game runs (a title, the end, a pause) its keys may be the page's.
            let played = e.phases().iter().any(|s| {
                PLAYED.contains(&s.phase)
                    && s.from.seq < p.down.seq
                    && s.until.is_none_or(|u| u.seq > p.down.seq)
            }) && e.reading_at(p.down.seq).is_some_and(|r| r.active.is_some())
                && went_on(e, p.down.seq)
                && !e.pauses().iter().any(|t| {
                    t.from.seq <= p.down.seq && t.until.is_none_or(|u| u.seq > p.down.seq)
                });
            game.contains(&&p.key) && soon && played && !clicked && !opened && !others
        });
        // What another key set going glides on for seconds where few frames are drawn.
        let goes_on = glide.filter(|g| g.goes_on(stamp, way));
        let by_game = goes_on.map_or(by_key, |g| g.by_game);
        // Who plays scrolls back to where the board was.
        let back = begun.contains(to);
        glide = Some(Glide {
            last_us: stamp.wall_us,
            way,
            by_game,
        });
        if moved && by_key && by_game && !back {
            if goes_on.is_none() {
                begun.push(from);
            }
            // The last one was let go of soon before, however long it was down.
            let keys = recent().chain(last).map(|q| q.key.to_string());
            scrolled.push((stamp.seq, keys.collect::<Vec<_>>()));
        }
    }
    if scrolled.len() >= 2 {
        let why = format!(
            "{} scrolled the page, {} times in all",
            culprits(scrolled.iter().map(|s| &s.1)),
            scrolled.len()
        );
        return fail(why, scrolled.iter().map(|s| s.0).take(8).collect());
    }
    if !can && scrolled.is_empty() {
        return pass("the page cannot scroll".into(), Vec::new());
    }
    let enough = presses.len() >= 10 || e.ended().is_some();
    if enough && scrolled.is_empty() {
        return pass(
            format!("{} presses of game keys, no scroll", presses.len()),
            Vec::new(),
        );
    }
    open(format!(
        "{} presses of game keys, {} scrolls so far",
        presses.len(),
        scrolled.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_before_most_scrolls_is_named_and_several_where_they_cannot_be_told_apart() {
        let check = |scrolls: &[&[&str]], expected: &str| {
            let scrolls: Vec<Vec<String>> = scrolls
                .iter()
                .map(|keys| keys.iter().map(ToString::to_string).collect())
                .collect();
            assert_eq!(culprits(scrolls.iter()), expected);
        };
        check(&[&["Space"], &["←", "Space", "Space"]], "Space");
        check(&[&["←", "↓"], &["←", "↓"]], "← or ↓");
    }
}
