use super::piece_locks::unsteady;
use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::{Ending, Evidence, How};

/// Every time the game was filled to the top, with what came of it; without those after which no key was tried.
pub fn endings(e: &Evidence) -> Vec<Ending> {
    let tried = e.top_outs().iter().filter(|t| !t.alone);
    tried.filter_map(|t| e.ending(t)).collect()
}

/// Was an end reached that a new game can follow? One after which keys still act is one, too, and one that is shown and
/// lets pieces come behind it.
pub fn is_over(ending: &Ending) -> bool {
    ends_well(ending) || matches!(ending.how, How::KeysAct(_)) || ending.behind
}

fn ends_well(ending: &Ending) -> bool {
    matches!(
        ending.how,
        How::Ended | How::EndedEarly | How::BeganAgain(_)
    )
}

/// Filled to the top, the game ends: no new piece comes and keys have no effect.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let all = endings(e);
    let wrong: Vec<(&Ending, String)> = all
        .iter()
        .filter_map(|x| match &x.how {
            How::GoesOn(why) => Some((x, why.clone())),
            How::KeysAct(why) => Some((x, format!("no new piece came, but {why}"))),
            How::OnlyError(why) => Some((x, format!("it stopped with an exception: {why}"))),
            _ => None,
        })
        .collect();
    let right: Vec<&Ending> = all.iter().filter(|x| ends_well(x)).collect();
    if wrong.len() >= 2 && wrong.len() > right.len() {
        // A board of other cells than the page's shows pieces where none are.
        let by_pieces = |w: &(&Ending, String)| matches!(w.0.how, How::GoesOn(_));
        if let Some(v) = unsteady(e, e.locks().count()).filter(|_| wrong.iter().any(by_pieces)) {
            return v;
        }
        let cites = wrong.iter().flat_map(|w| w.0.cites.clone()).collect();
        let why = format!("{} of {} times: {}", wrong.len(), all.len(), wrong[0].1);
        return fail(why, cites);
    }
    if let (Some(first), true) = (right.first(), wrong.is_empty()) {
        // Where not even a lock can be told, what stopped is no known game.
        if e.locks().next().is_none()
            && let Some(v) = unsteady(e, 0)
        {
            return v;
        }
        let why = match first.how {
            How::BeganAgain(_) => "the board was emptied and a new game began by itself",
            How::EndedEarly => "it ended, though cells were free where new pieces come",
            _ => "no new piece came, and no key had an effect",
        };
        return pass(why.into(), first.cites.clone());
    }
    match all.last() {
        None => open("waiting: the game was not filled to the top yet"),
        Some(last) => open(match &last.how {
            How::Unclear(why) => format!("filled to the top, but {why}"),
            _ => format!("filled to the top {} times, with different ends", all.len()),
        }),
    }
}
