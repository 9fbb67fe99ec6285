use super::game_loads::{missing_scripts, without_its_scripts};
use super::no_uncaught_errors::{shortened, thrown};
use super::{Status, Verdict, fail, game_loads, open, pass, skipped};
use crate::evidence::{Evidence, Start};

/// What the page threw, where it did: mostly the reason why nothing begins.
fn errors(e: &Evidence) -> String {
    let all = thrown(e);
    all.first().map_or(String::new(), |first| {
        let (n, text) = (all.len(), shortened(first.text));
        format!("; the page threw {n} errors, first: {text}")
    })
}

/// Some start candidate, or none, brings a piece that falls.
pub fn judge(e: &Evidence) -> Verdict {
    match e.start() {
        Some((seq, Start::Started(candidate, why))) => {
            let by = candidate
                .as_ref()
                .map_or_else(|| "by itself".to_owned(), |c| c.label.clone());
            pass(format!("{by}: {why}"), vec![seq])
        }
        Some(_) if game_loads::judge(e).status == Status::Fail => skipped("the page did not load"),
        Some((seq, Start::NotStarted(why))) => {
            let (because, missing) = missing_scripts(e);
            let cites = [seq].into_iter().chain(missing).collect();
            without_its_scripts(e)
                .unwrap_or_else(|| fail(format!("{because}{why}{}", errors(e)), cites))
        }
        None => open("waiting: no start was tried yet"),
    }
}
