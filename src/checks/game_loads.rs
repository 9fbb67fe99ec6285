use super::no_uncaught_errors::shortened;
use super::{Status, Verdict, fail, open, pass, skipped};
use crate::evidence::{Evidence, Outcome, Start};
use crate::model::{Phase, Rect};
use std::collections::BTreeSet;

/// A part of the page smaller than this in either direction (CSS pixels) is no place to play.
const LEAST_SIDE: f64 = 60.0;

/// Something game-shaped is rendered; console errors don't matter.
pub fn judge(e: &Evidence) -> Verdict {
    let verdict = rendered(e);
    match without_its_scripts(e) {
        Some(skipped) if verdict.status == Status::Fail => skipped,
        _ => verdict,
    }
}

/// A page that was not let have its scripts, or the styles that most of it was made for, is not to be called broken.
pub(super) fn without_its_scripts(e: &Evidence) -> Option<Verdict> {
    if let Some(v) = without_its_parts(e) {
        return Some(v);
    }
    let (hosts, cites) = e.scripts_refused();
    if let Some(v) = refused("scripts, or what they asked for,", &hosts, cites) {
        return Some(v);
    }
    // With its own scripts missing it would do nothing in any style.
    if e.scripts_missing().is_some() || !e.surveys().last().is_some_and(|s| s.1.unstyled) {
        return None;
    }
    let (hosts, cites) = e.styles_refused();
    refused("style sheets", &hosts, cites)
}

/// A page whose parts lie above the folder that is served is not whole.
pub(super) fn without_its_parts(e: &Evidence) -> Option<Verdict> {
    let (paths, root, cites) = e.parts_withheld()?;
    let some: Vec<&str> = paths.iter().copied().take(4).collect();
    Some(Verdict {
        cites,
        ..skipped(format!(
            "parts of the page lie above its folder and were not served ({}); --root {root} serves them",
            some.join(", ")
        ))
    })
}

fn refused(what: &str, hosts: &BTreeSet<String>, cites: Vec<u64>) -> Option<Verdict> {
    let first = hosts.first()?;
    let all: Vec<&str> = hosts.iter().map(String::as_str).take(4).collect();
    Some(Verdict {
        cites,
        ..skipped(format!(
            "{what} from {} were refused, and without them it did nothing; --allow-host {first} lets them in",
            all.join(", ")
        ))
    })
}

fn rendered(e: &Evidence) -> Verdict {
    if let Some((seq, Start::Started(..))) = e.start() {
        return pass("a game runs on it".into(), vec![seq]);
    }
    let big = |r: &Rect| r.width >= LEAST_SIDE && r.height >= LEAST_SIDE;
    for (seq, survey) in e.surveys() {
        let shaped = survey.surfaces.iter().filter(|s| big(&s.rect)).count();
        if shaped > 0 {
            let first = survey.surfaces.iter().find(|s| big(&s.rect));
            let kind = first.map_or(String::new(), |s| format!("{:?}", s.kind).to_lowercase());
            return pass(
                format!("{shaped} game-shaped on the page, the first of kind {kind}"),
                vec![*seq],
            );
        }
    }
    let cites: Vec<u64> = e.surveys().iter().map(|s| s.0).collect();
    if let Some(Outcome::Failed(why)) = e.phase(Phase::Load).and_then(|p| p.outcome.as_ref()) {
        return fail(format!("the page did not load: {why}"), cites);
    }
    let Some((_, last)) = e.surveys().last() else {
        return open("waiting: the page was not looked at yet");
    };
    let what = if last.has_content {
        "nothing game-shaped on the page"
    } else {
        "the page is blank"
    };
    let (because, missing) = missing_scripts(e);
    let cites: Vec<u64> = cites.into_iter().chain(missing).collect();
    if let Some((seq, Start::NotStarted(_))) = e.start() {
        let cites = cites.into_iter().chain([seq]).collect();
        let why = format!("{because}{what}, and no start brought anything");
        return fail(why, cites);
    }
    let looks = e.surveys().len();
    if looks >= 2 {
        return fail(format!("{because}{what}, looked at {looks} times"), cites);
    }
    open(format!("{what} so far"))
}

/// What is to be said of scripts that the page names and that are not to be had, and where that is written.
pub(super) fn missing_scripts(e: &Evidence) -> (String, Vec<u64>) {
    let Some((url, what, cites)) = e.scripts_missing() else {
        return (String::new(), Vec::new());
    };
    let more = match cites.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    let url = shortened(url);
    (
        format!("its own script {url} could not be had ({what}){more}; "),
        cites,
    )
}
