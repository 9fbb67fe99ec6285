use super::drops::{Drops, come_late};
use super::score::{CLEARS, Score, score};
use super::worth::{Worth, told_of};
use super::{Verdict, fail, needs_start, open, pass, skipped};
use crate::evidence::Evidence;

/// The score rises on clears beyond what the drop itself gives.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let worth = match score(e) {
        None => return open(format!("waiting: fewer than {CLEARS} clears so far")),
        Some(Score::Missing(_) | Score::Unread) => {
            return skipped("no score can be read on the page");
        }
        Some(Score::Either(_)) => {
            return open(
                "one number stays at 0 and another counts single rows: which is the score only several rows at once tell",
            );
        }
        Some(Score::Stuck(_)) => {
            let clears: Vec<u64> = e
                .locked()
                .iter()
                .filter(|l| l.cleared > 0)
                .map(|l| l.seq)
                .collect();
            return fail(
                format!("the number shown stayed at 0 over {} clears", clears.len()),
                clears.into_iter().take(8).collect(),
            );
        }
        Some(Score::Rises(_, worth)) => worth,
    };
    let worth = match told_of(worth) {
        Ok((worth, _)) => worth,
        Err(why) => return open(why),
    };
    let drops = Drops::of(&worth, e.numbers().tracks());
    let (more, none): (Vec<&Worth>, Vec<&Worth>) =
        worth.iter().filter(|w| w.cleared > 0).partition(|w| {
            let beyond = drops.beyond(w);
            beyond.by > beyond.noise
        });
    let cites = |all: &[&Worth]| all.iter().map(|w| w.seq).take(8).collect();
    let all = more.len() + none.len();
    if more.len() >= 2 && more.len() * 5 >= all * 4 {
        let gains: Vec<String> = more
            .iter()
            .take(6)
            .map(|w| format!("{:.0} for {}", drops.beyond(w).by, w.cleared))
            .collect();
        return pass(
            format!(
                "{} of {all} clears raised it beyond the drop: {}",
                more.len(),
                gains.join(", ")
            ),
            cites(&more),
        );
    }
    if none.len() >= CLEARS && none.len() * 5 >= all * 4 {
        if come_late(&worth, e.numbers().tracks()) {
            return open("points come with the lock after that which clears rows");
        }
        return fail(
            format!(
                "{} of {all} clears gave no more than the drop alone",
                none.len()
            ),
            cites(&none),
        );
    }
    open(format!(
        "{} of {all} clears gave more than the drop alone",
        more.len()
    ))
}
