//! All regions together, and what else was seen.
//!
//! Comes in: an observation. Goes out: the judgement. Must never know: where the pictures come from.

use super::calm::Calm;
use super::course::{Courses, is_pushed_aside};
use super::explain::{CHANGED, LATE, RING_AT_KEY, STAYS, Scene};
use super::motion::Motion;
use super::planes::{NOVEL_FIRST, NOVEL_LAST, Planes};
use super::regions::patches;
use super::scroll::scrolled;
use super::text::{TextChange, text_change};
use super::{Answer, Area, Deed, Judgement, Kind, Observation, ProgressError, Region};
use crate::model::Raster;

/// From this weight on a reason decides for progress.
const DECIDES: f64 = 0.5;
/// Below this certainty nothing is decided.
const SURE: f64 = 0.35;
/// So many things that begin to stir at once did not do so by themselves.
const SEVERAL: usize = 3;
/// As sure as one can be of progress that is only seen, where nothing was watched before the action: it may move by itself.
/// Of the labelled cases without their idle pictures 38 of 53 that differ are progress.
pub(super) const UNWATCHED: f64 = 0.72;
/// In words.
const UNWATCHED_WHY: &str =
    "whether it moves by itself was not watched: pictures from before the action would tell";
/// At most so many regions are told.
const TOLD: usize = 24;

/// Judges an observation.
pub(super) fn judge(seen: &Observation) -> Result<Judgement, ProgressError> {
    let before = seen
        .before
        .as_ref()
        .ok_or(ProgressError::Missing("before"))?;
    if seen.after.is_empty() {
        return Err(ProgressError::Missing("after"));
    }
    for picture in seen.idle.iter().chain(&seen.after) {
        let (a, b) = (
            (before.width(), before.height()),
            (picture.width(), picture.height()),
        );
        if a != b {
            return Err(ProgressError::Sizes(a.0, a.1, b.0, b.1));
        }
    }
    if before.rgb().is_empty() {
        return Err(ProgressError::Empty);
    }
    if let Some((part, at, told)) = scrolled_apart(seen, before) {
        let (mut regions, looked_at_idle) = regions_of(&part)?;
        for region in &mut regions {
            region.area.x += at.x;
            region.area.y += at.y;
        }
        return Ok(weigh(seen, looked_at_idle, regions, Some(told)));
    }
    let (regions, looked_at_idle) = regions_of(seen)?;
    Ok(weigh(seen, looked_at_idle, regions, None))
}

/// What differs, and whether anything was seen while nothing was done.
fn regions_of(seen: &Observation) -> Result<(Vec<Region>, bool), ProgressError> {
    let before = seen
        .before
        .as_ref()
        .ok_or(ProgressError::Missing("before"))?;
    let first = seen.after.first().ok_or(ProgressError::Missing("after"))?;
    let calm = Calm::new(&seen.idle, before, first);
    let planes = Planes::new(&calm, before, &seen.after);
    let motion = Motion::new(&planes);
    let found = patches(&planes, NOVEL_FIRST | NOVEL_LAST);
    let pixels = (planes.width * planes.height) as f64;
    let total: f64 = found
        .iter()
        .filter_map(|p| p.area)
        .map(|a| a.size() as f64 / pixels)
        .sum();
    let courses = Courses::new(&planes);
    let scene = Scene {
        planes: &planes,
        motion: &motion,
        courses: &courses,
        deed: seen.deed,
        at_rest: seen.at_rest,
        total,
    };
    let mut regions: Vec<Region> = found.iter().flat_map(|p| scene.explain_all(p)).collect();
    together(&mut regions, motion.share == 0.0);
    if seen.deed != Deed::Hover {
        let aside = motion
            .things()
            .iter()
            .find(|t| is_pushed_aside(&planes, **t));
        regions.extend(aside.map(|thing| Region {
            area: *thing,
            kind: Kind::Changed,
            weight: 0.65,
            why: "was moved aside from its way".into(),
        }));
    }
    let once = |r: &&mut Region| seen.after.len() < 2 && r.why == STAYS;
    for region in regions.iter_mut().filter(once) {
        region.why = CHANGED.into();
    }
    regions.sort_by(|a, b| {
        (b.weight, b.area.size())
            .partial_cmp(&(a.weight, a.area.size()))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok((regions, !seen.idle.is_empty()))
}

/// Where the page was scrolled: the part of it that all pictures show, where that is after the action, and by how much.
fn scrolled_apart(seen: &Observation, before: &Raster) -> Option<(Observation, Area, String)> {
    let by = scrolled(before, seen.after.first()?)?;
    if seen.after.iter().any(|a| scrolled(before, a) != Some(by)) {
        return None;
    }
    let (was, is) = by.overlap(before.width(), before.height())?;
    let part = |r: &Raster, a: Area| r.cropped(a.x, a.y, a.width, a.height);
    let seen = Observation {
        idle: seen.idle.iter().map(|r| part(r, was)).collect(),
        before: Some(part(before, was)),
        after: seen.after.iter().map(|r| part(r, is)).collect(),
        ..seen.clone()
    };
    Some((seen, is, by.told()))
}

/// What regions tell only together; `still` where nothing moved while nothing was done.
fn together(regions: &mut [Region], still: bool) {
    // A browser shows the focus, where it is already, from the first key on.
    let rings = regions.iter().filter(|r| r.why == RING_AT_KEY).count();
    if rings == 1 {
        for ring in regions.iter_mut().filter(|r| r.why == RING_AT_KEY) {
            ring.weight = -0.55;
            ring.why = "one frame came up at a key: the focus".into();
        }
    }
    // In a still world, what came and went at one place and a change at another have one cause.
    let passed: Vec<Area> = regions
        .iter()
        .filter(|r| r.kind == Kind::Passed)
        .map(|r| r.area)
        .collect();
    let alike = |a: Area, b: Area| {
        a.width.max(b.width) <= a.width.min(b.width) * 2
            && a.height.max(b.height) <= a.height.min(b.height) * 2
    };
    for region in regions.iter_mut().filter(|r| still && r.why == LATE) {
        if passed.iter().any(|p| alike(*p, region.area)) {
            region.kind = Kind::Changed;
            region.weight = 0.55;
            region.why = "changed after something like it had come and gone".into();
        }
    }
    let counts = |r: &&mut Region| r.kind == Kind::Counts;
    let passing = regions.iter().filter(|r| r.kind == Kind::Passed).count();
    let mut counting: Vec<&mut Region> = regions.iter_mut().filter(counts).collect();
    let rows = counting
        .iter()
        .map(|r| (r.area.y, r.area.y + r.area.height));
    let top = rows.clone().map(|r| r.1).min().unwrap_or(0);
    let apart = rows.map(|r| r.0).max().is_some_and(|low| low > top);
    // One clock may have been about to tick. That several things were, in several rows, is no chance.
    if still
        && apart
        && counting.len() + passing >= SEVERAL
        && let Some(first) = counting.first_mut()
    {
        first.kind = Kind::SetGoing;
        first.weight = 0.6;
        first.why = "several things began to stir where all was still".into();
    }
}

/// What was read rather than seen, with its weight.
fn read(seen: &Observation, text: &TextChange) -> Vec<(f64, String)> {
    let mut reasons = Vec::new();
    if seen.navigated {
        reasons.push((0.95, "the page went to another address".to_string()));
    }
    if let Some(text) = seen.dialogs.first() {
        reasons.push((0.9, format!("a dialog came up: {text}")));
    }
    if let (Some(a), Some(b)) = (&seen.controls_before, &seen.controls_after)
        && a != b
        && seen.deed != Deed::Hover
    {
        reasons.push((0.8, "other controls can be operated".into()));
    }
    match text {
        // What the pointer rests on may explain itself.
        TextChange::Words | TextChange::Number(..) if seen.deed == Deed::Hover => {
            reasons.push((-0.6, "the text changed, but nothing was pressed".into()));
        }
        TextChange::Words => reasons.push((0.8, "the page says something else".into())),
        TextChange::Number(from, to) => {
            reasons.push((0.85, format!("a number went from {from} to {to}")));
        }
        TextChange::Counts => {
            reasons.push((
                -0.7,
                "only numbers that count by themselves changed in the text".into(),
            ));
        }
        TextChange::None => {}
    }
    reasons
}

/// Was nothing seen to move after the action?
fn stands_still(seen: &Observation) -> bool {
    seen.after.len() > 1 && seen.after.windows(2).all(|pair| pair[0] == pair[1])
}

fn weigh(
    seen: &Observation,
    looked_at_idle: bool,
    mut regions: Vec<Region>,
    scrolled: Option<String>,
) -> Judgement {
    let text = text_change(seen);
    let mut read = read(seen, &text);
    // What counts by itself changes numbers, too.
    let number = matches!(text, TextChange::Number(..)) && seen.deed != Deed::Hover;
    let told = read.iter().filter(|(w, _)| *w > 0.0).count() > usize::from(number);
    read.extend(scrolled.map(|told| (-0.6, told)));
    let mut all: Vec<(f64, String)> = regions
        .iter()
        .map(|r| {
            let a = r.area;
            let place = format!("{}x{} at {},{}", a.width, a.height, a.x, a.y);
            (r.weight, format!("{place}: {}", r.why))
        })
        .chain(read)
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let doubt: f64 = all
        .iter()
        .filter(|(w, _)| *w > 0.0)
        .map(|(w, _)| 1.0 - w)
        .product();
    let best = all.first().map_or(-1.0, |(w, _)| *w);
    let innocent = all
        .iter()
        .filter(|(w, _)| *w <= 0.0)
        .map(|(w, _)| -w)
        .fold(0.98, f64::min);
    let groundless = !looked_at_idle && !told && !stands_still(seen);
    let (verdict, confidence) = if best >= DECIDES {
        let sure = 1.0 - doubt;
        let at_most = if groundless { UNWATCHED } else { 1.0 };
        (Answer::Progressed, sure.min(at_most))
    } else if best > 0.0 || innocent < SURE {
        (Answer::Uncertain, 0.5)
    } else {
        (Answer::Unchanged, innocent)
    };
    let mut reasons: Vec<String> = all
        .into_iter()
        .filter(|(w, _)| verdict != Answer::Progressed || *w > 0.0)
        .map(|(_, why)| why)
        .take(8)
        .collect();
    if groundless && verdict == Answer::Progressed {
        reasons.push(UNWATCHED_WHY.into());
    }
    if reasons.is_empty() {
        reasons.push(if looked_at_idle {
            "nothing differs from what was seen while nothing was done".into()
        } else {
            "nothing differs".into()
        });
    }
    regions.truncate(TOLD);
    Judgement {
        verdict,
        confidence: (confidence * 1000.0).round() / 1000.0,
        reasons,
        regions,
    }
}
