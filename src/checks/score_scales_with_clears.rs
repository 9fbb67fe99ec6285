use super::drops::{Beyond, Drops, come_late};
use super::piece_locks::unsteady;
use super::score::{CLEARS, Score, score};
use super::worth::{Told, Worth, told_of};
use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::Evidence;

/// Lines from one level to the next by the usual rule: within as many the same table counts.
const A_LEVEL: u32 = 10;
/// What several rows give is more than what one gives from this part of it on; points for the drop blur it by a few.
const MORE: f64 = 1.15;

/// A lock with a clear, and what it was worth beyond its drop.
type Gained = (Worth, Beyond);

/// Several rows at once give more than one. What a row gives only rises with the level: several early ones that give
/// more than a later single do scale, several late ones that give no more than an earlier single do not.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let worth = match score(e) {
        None => return open(format!("waiting: fewer than {CLEARS} clears so far")),
        Some(Score::Missing(_) | Score::Unread) => {
            return skipped("no score can be read on the page");
        }
        Some(Score::Either(_)) => return open("which number is the score is not told yet"),
        Some(Score::Stuck(_)) => return skipped("the score never moves"),
        Some(Score::Rises(_, worth)) => worth,
    };
    let (worth, begun) = match told_of(worth) {
        Ok(told) => told,
        Err(why) => return open(why),
    };
    let drops = Drops::of(&worth, e.numbers().tracks());
    let gained = |w: &Worth| (*w, drops.beyond(w));
    let clears: Vec<Gained> = worth.iter().filter(|w| w.cleared > 0).map(gained).collect();
    let gains = |(_, beyond): &&Gained| beyond.by > beyond.noise;
    if clears.iter().filter(gains).count() < 2 && clears.len() >= CLEARS {
        return skipped("clears give no points");
    }
    let singles = clears.iter().filter(|g| g.0.cleared == 1).filter(gains);
    let singles: Vec<&Gained> = singles.collect();
    let begun: Vec<Gained> = begun.iter().map(gained).collect();
    let all = clears.iter().chain(&begun);
    let several: Vec<&Gained> = all.filter(|g| g.0.cleared > 1).collect();
    if singles.is_empty() || several.is_empty() {
        return open(format!(
            "{} single rows and {} times several at once cleared so far",
            singles.len(),
            several.len()
        ));
    }
    let level = |g: &Gained| g.0.lines / A_LEVEL;
    let gives_more = |m: &Gained, s: &Gained| m.1.by > s.1.by * MORE + m.1.noise.max(s.1.noise);
    let (mut more, mut flat) = (Vec::new(), Vec::new());
    for m in several {
        // A single may have given more for other reasons (a combo), or less than is seen of it in time: most of them count.
        let mostly = |of: &dyn Fn(&Gained) -> bool, more: bool| {
            let of: Vec<&Gained> = singles.iter().copied().filter(|s| of(s)).collect();
            let like: Vec<&Gained> = of
                .iter()
                .copied()
                .filter(|s| gives_more(m, s) == more)
                .collect();
            (like.len() * 2 > of.len()).then(|| like[0])
        };
        let up = mostly(&|s| level(s) >= level(m), true);
        let same = (m.0.told == Told::All)
            .then(|| mostly(&|s| level(s) <= level(m), false))
            .flatten();
        match (up, same) {
            (Some(s), _) => more.push((m, s)),
            (None, Some(s)) => flat.push((m, s)),
            (None, None) => {}
        }
    }
    let told = |all: &[(&Gained, &Gained)]| {
        let (m, s) = all[0];
        format!(
            "{} rows at once gave {:.0}, one row {:.0}",
            m.0.cleared, m.1.by, s.1.by
        )
    };
    let cites = |all: &[(&Gained, &Gained)]| {
        all.iter()
            .flat_map(|(m, s)| [m.0.seq, s.0.seq])
            .take(8)
            .collect()
    };
    if more.len() > flat.len() {
        return pass(told(&more), cites(&more));
    }
    if flat.len() >= 2 && more.is_empty() {
        if let Some(v) = unsteady(e, worth.len()) {
            return v;
        }
        if come_late(&worth, e.numbers().tracks()) {
            return open("points come with the lock after that which clears rows");
        }
        return fail(
            format!("{}, {} times", told(&flat), flat.len()),
            cites(&flat),
        );
    }
    open(format!(
        "several at once gave more {} times, no more {} times",
        more.len(),
        flat.len()
    ))
}
