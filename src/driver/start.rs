//! How to start the game: candidates from the page, each confirmed only by a piece that falls.
//!
//! Comes in: a [`Driver`]. Goes out: the steps that start the game and what fell, or every step that did not.
//! Must never know: words of any language; what a page calls its button decides nothing here.

use super::{Driver, DriverError, locate};
use crate::model::{
    Board, GridEvent, Key, Raster, Rect, StartCandidate, StartMechanism, Surface, SurfaceKind,
    Survey, TextSource,
};
use crate::vision::find::{self, Falling, Hint, Look};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The game runs.
#[derive(Debug, Clone)]
pub struct Started {
    /// What was done, in order; empty if it started by itself.
    pub path: Vec<StartCandidate>,
    /// What fell.
    pub falling: Falling,
    /// The parts of the page that may hold the board, as they were after the start.
    pub hints: Vec<Hint>,
    /// The board around it.
    pub board: Board,
    /// For people.
    pub why: String,
}

/// Nothing that was tried made a piece fall.
#[derive(Debug, Clone)]
pub struct NotStarted {
    /// Each thing tried and what came of it; may hold untrusted text.
    pub tried: Vec<String>,
}

/// Outcome of looking for a start.
pub type StartOutcome = Result<Box<Started>, NotStarted>;

/// Game time between two looks. Shorter than one row of any playable game, long enough to be cheap.
const LOOK_EVERY_MS: f64 = 100.0;
/// A page on which nothing at all changes for this long runs no game and no countdown.
const STILL_MS: f64 = 2_600.0;
/// A game falls within this, with a splash or countdown before it.
const PATIENCE_MS: f64 = 9_000.0;
/// Looks kept at once; more are thinned out evenly, so that memory stays bounded on animated pages.
const LOOKS_KEPT: usize = 36;
/// Positions of a falling piece that make its lattice exact.
const ENOUGH_STEPS: usize = 7;
/// Rows a thing must fall to be taken for a piece: decorations drift by less before they are seen to turn or fade.
const LEAST_ROWS: i32 = 3;
/// Game time spent on getting them, once something was seen to fall.
const SHARPEN_MS: f64 = 5_000.0;
/// Steps a start may take (close a banner, choose a mode, choose a level, play).
const DEPTH: usize = 4;
/// Things tried before giving up.
const TRIES: usize = 48;
/// Settling time after a step that is only on the way to the one being tried.
const ON_THE_WAY_MS: f64 = 700.0;
/// Waited before each step of a start that did not work when done at once.
const SLOWLY_MS: f64 = 4_000.0;
/// The picture of a page is cut to this size; boards further out are found by scrolled hints alone.
const LOOK_LIMIT: (f64, f64) = (1_600.0, 2_800.0);

/// What watching without input showed.
enum Watched {
    Falls(Box<Falling>),
    Not { why: String, changed: bool },
}

/// Surfaces of a survey as hints for the finder.
pub fn hints(survey: &Survey) -> Vec<Hint> {
    survey
        .surfaces
        .iter()
        .map(|s| Hint {
            rect: s.rect,
            columns: s.columns,
            rows: s.rows,
        })
        .collect()
}

/// The part of the page worth looking at: all of it, within bounds.
pub fn region(survey: &Survey) -> Rect {
    let mut width = survey.document.0.max(survey.viewport.0);
    let mut height = survey.document.1.max(survey.viewport.1);
    for s in &survey.surfaces {
        width = width.max(s.rect.right());
        height = height.max(s.rect.bottom());
    }
    Rect::new(
        0.0,
        0.0,
        width.min(LOOK_LIMIT.0).max(1.0),
        height.min(LOOK_LIMIT.1).max(1.0),
    )
}

/// Rows that the piece went down in all.
fn rows_fallen(falling: &Falling) -> i32 {
    let tops = falling
        .positions
        .iter()
        .filter_map(|p| p.1.iter().map(|c| c.1).min());
    let (mut least, mut most) = (i32::MAX, i32::MIN);
    for top in tops {
        least = least.min(top);
        most = most.max(top);
    }
    most.saturating_sub(least).max(0)
}

/// Places of the structure that are asked first.
const PLACES_ASKED: usize = 4;
/// Pixels beside a place that are looked at, too: a piece may stick out by its border.
const MARGIN: f64 = 6.0;

/// What falls, looked for in the likeliest places first: what drifts over the rest of the page for show is then no
/// matter, and small pictures are asked faster than large ones.
fn falling(looks: &[Look<'_>], hints: &[Hint]) -> Result<Falling, find::NotFalling> {
    let Some(last) = looks.last() else {
        return find::falling(looks, hints);
    };
    let page = f64::from(last.raster.width()) * f64::from(last.raster.height());
    let places = hints
        .iter()
        .filter(|h| h.rect.width >= 40.0 && h.rect.height >= 80.0)
        .filter(|h| h.rect.width * h.rect.height < page * 0.7)
        .take(PLACES_ASKED);
    for place in places {
        let x = (place.rect.x - MARGIN).max(0.0).floor();
        let y = (place.rect.y - MARGIN).max(0.0).floor();
        let (width, height) = (
            (place.rect.right() + MARGIN - x).ceil(),
            (place.rect.bottom() + MARGIN - y).ceil(),
        );
        let cut: Vec<(f64, Raster)> = looks
            .iter()
            .map(|l| {
                let part = l
                    .raster
                    .cropped(x as u32, y as u32, width as u32, height as u32);
                (l.game_ms, part)
            })
            .collect();
        let asked: Vec<Look<'_>> = cut
            .iter()
            .map(|(game_ms, raster)| Look {
                game_ms: *game_ms,
                raster,
            })
            .collect();
        let moved: Vec<Hint> = hints
            .iter()
            .map(|h| Hint {
                rect: Rect::new(h.rect.x - x, h.rect.y - y, h.rect.width, h.rect.height),
                ..*h
            })
            .collect();
        if let Ok(mut found) = find::falling(&asked, &moved) {
            found.lattice.x0 += x;
            found.lattice.y0 += y;
            found.area.x += x;
            found.area.y += y;
            for other in &mut found.others {
                other.x += x;
                other.y += y;
            }
            found.background = last.raster.patched(&found.background, x as u32, y as u32);
            return Ok(found);
        }
    }
    find::falling(looks, hints)
}

/// Watches the page without touching it until something falls, nothing happens for long, or patience ends.
async fn watch_for_fall<D: Driver>(
    d: &mut D,
    survey: &Survey,
    enough: usize,
) -> Result<Watched, DriverError> {
    let region = region(survey);
    let hints = hints(survey);
    let mut looks = vec![(0.0, d.look(region).await?)];
    let mut keep_every = LOOK_EVERY_MS;
    let (mut now, mut last_change, mut last_kept) = (0.0, 0.0, 0.0);
    let mut changed = false;
    let mut last = looks[0].1.clone();
    // Asked at growing distances: the question costs more than a look.
    let mut ask_at = 1_300.0;
    let mut why = String::from("nothing on the page changed");
    // A known start is confirmed by any fall; an unknown one must be told from what merely drifts.
    let least = if enough < ENOUGH_STEPS { 1 } else { LEAST_ROWS };
    let mut found: Option<Falling> = None;
    let mut until = PATIENCE_MS;
    while now < PATIENCE_MS + SHARPEN_MS {
        if now >= PATIENCE_MS && found.is_none() {
            break;
        }
        d.advance(LOOK_EVERY_MS).await?;
        now += LOOK_EVERY_MS;
        let look = d.look(region).await?;
        if look != last {
            changed = true;
            last_change = now;
            last = look.clone();
        }
        if now - last_kept >= keep_every - 1.0 {
            if looks.last().is_none_or(|l| l.1 != look) {
                looks.push((now, look));
            }
            last_kept = now;
        }
        if looks.len() > LOOKS_KEPT {
            let mut i = 0;
            looks.retain(|_| {
                i += 1;
                i % 2 == 1
            });
            keep_every *= 2.0;
        }
        if now >= ask_at && looks.len() >= 4 {
            let asked: Vec<Look<'_>> = looks
                .iter()
                .map(|(ms, raster)| Look {
                    game_ms: *ms,
                    raster,
                })
                .collect();
            match falling(&asked, &hints) {
                // More rows make the lattice exact, while the piece still falls.
                Ok(falling) if rows_fallen(&falling) < least => {
                    why = format!("hardly falls: {}", falling.why);
                }
                Ok(falling) if falling.positions.len() >= enough || now >= until => {
                    return Ok(Watched::Falls(Box::new(falling)));
                }
                Ok(falling) => {
                    let gravity = falling.gravity_ms.unwrap_or(500.0);
                    let more = (enough - falling.positions.len()) as f64 * gravity;
                    if found.is_none() {
                        until = now + more.min(SHARPEN_MS);
                    }
                    ask_at = until;
                    found = Some(falling);
                    continue;
                }
                Err(not) => {
                    if let Some(falling) = found {
                        return Ok(Watched::Falls(Box::new(falling)));
                    }
                    why = not.to_string();
                }
            }
            ask_at = now * 1.8;
        }
        if now - last_change >= STILL_MS && found.is_none() {
            break;
        }
    }
    if let Some(falling) = found {
        return Ok(Watched::Falls(Box::new(falling)));
    }
    Ok(Watched::Not { why, changed })
}

/// What a screen offers, so that the same screen is not explored twice.
pub fn signature(survey: &Survey) -> u64 {
    let mut h = DefaultHasher::new();
    for c in &survey.clickables {
        (&c.text, &c.selector, c.on_top, c.disabled).hash(&mut h);
        (c.rect.x as i64 / 4, c.rect.y as i64 / 4).hash(&mut h);
    }
    for t in survey.texts.iter().take(200) {
        // Numbers count up on title screens too; the words tell screens apart.
        let words: String = t.text.chars().filter(|c| !c.is_numeric()).collect();
        words.hash(&mut h);
    }
    survey.has_overlay.hash(&mut h);
    h.finish()
}

/// A key as a candidate.
pub fn press(key: &str, mechanism: StartMechanism) -> StartCandidate {
    let key = Key::new(key);
    StartCandidate {
        mechanism,
        label: format!("key {key}"),
        position: None,
        selector: None,
        key: Some(key),
    }
}

fn click_on(surface: &Surface) -> StartCandidate {
    StartCandidate {
        mechanism: StartMechanism::ClickCanvas,
        label: "click on the playfield".into(),
        position: Some(surface.rect.centre()),
        selector: None,
        key: None,
    }
}

/// What could start the game from this screen, likeliest first. Links that lead away and disabled controls are none.
pub fn candidates(survey: &Survey) -> Vec<StartCandidate> {
    let mut out = Vec::new();
    let button = |c: &crate::model::Clickable| StartCandidate {
        mechanism: StartMechanism::Button,
        label: if c.text.is_empty() {
            format!("button {}", c.tag)
        } else {
            format!(
                "button \u{201c}{}\u{201d}",
                c.text.chars().take(40).collect::<String>()
            )
        },
        position: Some(c.rect.centre()),
        selector: Some(c.selector.clone()).filter(|s| !s.is_empty()),
        key: None,
    };
    let usable = || {
        survey
            .clickables
            .iter()
            .filter(|c| !c.leads_away && !c.disabled && c.rect.width > 1.0 && c.rect.height > 1.0)
    };
    // What lies over the rest asks to be answered first.
    out.extend(usable().filter(|c| c.on_top && c.in_overlay).map(button));
    out.push(press("Enter", StartMechanism::Enter));
    out.push(press(" ", StartMechanism::Space));
    let surface_like = |c: &crate::model::Clickable| {
        survey.surfaces.iter().any(|s| {
            (s.rect.width - c.rect.width).abs() < 8.0 && (s.rect.height - c.rect.height).abs() < 8.0
        })
    };
    out.extend(
        usable()
            .filter(|c| c.on_top && !c.in_overlay && !surface_like(c))
            .map(button),
    );
    let board = survey
        .surfaces
        .iter()
        .find(|s| s.kind != SurfaceKind::Svg || s.rect.height > 100.0);
    out.extend(board.map(click_on));
    // Menus that are drawn: the places of their texts.
    out.extend(
        survey
            .texts
            .iter()
            .filter(|t| matches!(t.source, TextSource::Canvas | TextSource::Svg))
            .take(8)
            .map(|t| StartCandidate {
                mechanism: StartMechanism::ClickCanvas,
                label: format!(
                    "click on the drawn text \u{201c}{}\u{201d}",
                    t.text.chars().take(40).collect::<String>()
                ),
                position: Some(t.rect.centre()),
                selector: None,
                key: None,
            }),
    );
    out.extend(
        ["s", "p", "n", "1", "Escape", "ArrowDown"].map(|k| press(k, StartMechanism::Anykey)),
    );
    out.extend(usable().filter(|c| !c.on_top).take(4).map(button));
    out
}

/// Does one step of a start.
pub async fn apply<D: Driver>(d: &mut D, step: &StartCandidate) -> Result<(), DriverError> {
    if let Some(key) = &step.key {
        d.press(key, 60.0).await?;
    } else if let Some((x, y)) = step.position {
        // The button may have moved since it was found; its selector knows better.
        let place = match &step.selector {
            Some(selector) => d
                .survey()
                .await?
                .clickables
                .into_iter()
                .find(|c| &c.selector == selector && !c.disabled)
                .map_or((x, y), |c| c.rect.centre()),
            None => (x, y),
        };
        d.click(place.0, place.1).await?;
        d.advance(super::FRAME_MS).await?;
    }
    Ok(())
}

fn describe(path: &[StartCandidate]) -> String {
    if path.is_empty() {
        return "by itself".into();
    }
    let labels: Vec<&str> = path.iter().map(|c| c.label.as_str()).collect();
    labels.join(", then ")
}

/// Opens the page, does the steps, and watches whether a piece falls.
pub async fn repeat<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
) -> Result<Option<Falling>, DriverError> {
    // The second time more slowly: a title that is still coming up may not listen yet.
    for wait in [0.0, SLOWLY_MS] {
        d.open().await?;
        for (i, step) in path.iter().enumerate() {
            settle(d).await?;
            d.advance(wait).await?;
            d.say(&format!("starting again: {}", step.label));
            apply(d, step).await?;
            if i + 1 < path.len() {
                d.advance(ON_THE_WAY_MS).await?;
            }
        }
        let survey = d.survey().await?;
        if let Watched::Falls(falling) = watch_for_fall(d, &survey, 1).await? {
            d.watch_again().await?;
            return Ok(Some(*falling));
        }
        if path.is_empty() {
            break;
        }
    }
    Ok(None)
}

/// Lets a splash screen pass: game time goes by until the offer of the screen stays the same.
async fn settle<D: Driver>(d: &mut D) -> Result<Survey, DriverError> {
    let mut before = d.survey().await?;
    for _ in 0..8 {
        d.advance(400.0).await?;
        let after = d.survey().await?;
        let same = signature(&after) == signature(&before);
        let empty = after.clickables.is_empty() && after.surfaces.is_empty();
        before = after;
        if same && !empty {
            break;
        }
    }
    Ok(before)
}

/// Finds out how the game is started. The page must be open. Leaves the game running if it was found.
pub async fn start<D: Driver>(d: &mut D) -> Result<StartOutcome, DriverError> {
    let mut tried = Vec::new();
    d.say("watching whether the game starts by itself");
    let survey = settle(d).await?;
    match watch_for_fall(d, &survey, ENOUGH_STEPS).await? {
        Watched::Falls(falling) => match started(d, Vec::new(), *falling).await? {
            Ok(started) => return Ok(Ok(started)),
            Err(why) => tried.push(format!("left alone: {why}")),
        },
        Watched::Not { why, .. } => tried.push(format!("left alone: {why}")),
    }
    let mut seen = HashSet::new();
    let first = d.survey().await?;
    seen.insert(signature(&first));
    // Paths still to try, the next one last.
    let mut open: Vec<Vec<StartCandidate>> = candidates(&first)
        .into_iter()
        .rev()
        .map(|c| vec![c])
        .collect();
    // What has been done to the page as it stands; `None` once that is no longer known.
    let mut done: Option<Vec<StartCandidate>> = Some(Vec::new());
    let mut tries = 0;
    while let Some(path) = open.pop() {
        tries += 1;
        if tries > TRIES {
            tried.push(format!("{} more were not tried", open.len() + 1));
            break;
        }
        let Some((last, way)) = path.split_last() else {
            continue;
        };
        if done.as_deref() != Some(way) {
            d.open().await?;
            settle(d).await?;
            for step in way {
                apply(d, step).await?;
                d.advance(ON_THE_WAY_MS).await?;
            }
        }
        d.say(&format!("trying to start: {}", describe(&path)));
        let before = signature(&d.survey().await?);
        apply(d, last).await?;
        d.advance(ON_THE_WAY_MS / 2.0).await?;
        let survey = d.survey().await?;
        let mut watched = watch_for_fall(d, &survey, ENOUGH_STEPS).await?;
        if let Watched::Falls(falling) = watched {
            watched = match started(d, path.clone(), *falling).await? {
                Ok(started) => return Ok(Ok(started)),
                Err(why) => Watched::Not { why, changed: true },
            };
        }
        match watched {
            Watched::Falls(_) => {}
            Watched::Not { why, changed } => {
                tried.push(format!("{}: {why}", describe(&path)));
                let after_survey = d.survey().await?;
                let after = signature(&after_survey);
                if after == before {
                    // A click may have done no more than give the playfield the keyboard.
                    if last.mechanism == StartMechanism::ClickCanvas && !changed {
                        for key in [
                            press(" ", StartMechanism::Space),
                            press("Enter", StartMechanism::Enter),
                        ] {
                            let mut longer = path.clone();
                            longer.push(key);
                            open.push(longer);
                        }
                        done = Some(path);
                    } else {
                        done = Some(way.to_vec());
                    }
                } else {
                    if seen.insert(after) && path.len() < DEPTH {
                        for next in candidates(&after_survey).into_iter().rev() {
                            let mut longer = path.clone();
                            longer.push(next);
                            open.push(longer);
                        }
                    }
                    done = Some(path);
                }
            }
        }
    }
    Ok(Err(NotStarted { tried }))
}

/// Something falls: finds the board around it and confirms that it is a piece of a game. A picture of a game falls for
/// ever; a piece comes to rest, or answers a key. Otherwise says what it did.
async fn started<D: Driver>(
    d: &mut D,
    path: Vec<StartCandidate>,
    falling: Falling,
) -> Result<Result<Box<Started>, String>, DriverError> {
    let survey = d.survey().await?;
    let hints = hints(&survey);
    let board = locate::first(d, &falling, &hints).await?;
    let Some(sign) = sign_of_life(d, &falling).await? else {
        return Ok(Err(format!(
            "something falls, but it neither comes to rest nor answers a key: {}",
            falling.why
        )));
    };
    Ok(Ok(Box::new(Started {
        why: format!("{}; {}; {sign}", describe(&path), falling.why),
        path,
        falling,
        hints,
        board,
    })))
}

/// Keys that move a piece in most games and do harm in hardly any.
const HARMLESS_KEYS: [&str; 8] = [
    "ArrowLeft",
    "ArrowRight",
    "a",
    "d",
    "ArrowUp",
    "h",
    "l",
    "j",
];
/// Rows a piece may fall before it must have come to rest.
const ROWS_TO_REST: f64 = 30.0;

/// What shows that the thing that falls belongs to a game; `None` if nothing does.
async fn sign_of_life<D: Driver>(
    d: &mut D,
    falling: &Falling,
) -> Result<Option<String>, DriverError> {
    d.say("is it a game? trying keys on what falls");
    let mut before = d.advance(super::FRAME_MS).await?.active;
    for key in HARMLESS_KEYS.map(Key::new) {
        let view = d.press(&key, 2.0 * super::FRAME_MS).await?;
        if let (Some(a), Some(b)) = (&before, &view.active)
            && a.cells.len() == b.cells.len()
            && (a.corner().0 != b.corner().0 || a.shape() != b.shape())
        {
            return Ok(Some(format!("it answers {key}")));
        }
        before = view.active;
    }
    d.say("is it a game? waiting for what falls to come to rest");
    let gravity = falling.gravity_ms.unwrap_or(1_000.0);
    let mut waited = 0.0;
    while waited < gravity * ROWS_TO_REST + 2_000.0 {
        let step = (gravity / 3.0).clamp(super::FRAME_MS, 200.0);
        let view = d.advance(step).await?;
        waited += step;
        let rested = view
            .events
            .iter()
            .any(|e| matches!(e, GridEvent::PieceLocked { filled_delta, .. } if *filled_delta > 0));
        if rested {
            return Ok(Some("it comes to rest and another follows".into()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Clickable;

    fn button(text: &str) -> Clickable {
        Clickable {
            rect: Rect::new(10.0, 10.0, 80.0, 20.0),
            text: text.into(),
            tag: "button".into(),
            selector: format!("#{text}"),
            leads_away: false,
            disabled: false,
            on_top: true,
            in_overlay: false,
        }
    }

    #[test]
    fn links_away_and_disabled_buttons_are_no_candidates_and_overlays_come_first() {
        let survey = Survey {
            clickables: vec![
                button("plain"),
                Clickable {
                    leads_away: true,
                    ..button("away")
                },
                Clickable {
                    disabled: true,
                    ..button("off")
                },
                Clickable {
                    in_overlay: true,
                    ..button("modal")
                },
            ],
            ..Survey::default()
        };
        let labels: Vec<String> = candidates(&survey).into_iter().map(|c| c.label).collect();
        assert!(labels[0].contains("modal"), "{labels:?}");
        assert!(labels.iter().any(|l| l.contains("plain")));
        assert!(
            !labels
                .iter()
                .any(|l| l.contains("away") || l.contains("off"))
        );
    }

    #[test]
    fn a_screen_is_told_by_its_words_and_not_by_its_running_numbers() {
        let text = |t: &str| Survey {
            texts: vec![crate::model::TextItem {
                text: t.into(),
                rect: Rect::default(),
                source: TextSource::Dom,
            }],
            ..Survey::default()
        };
        assert_eq!(
            signature(&text("Players 12")),
            signature(&text("Players 13"))
        );
        assert_ne!(
            signature(&text("Players 12")),
            signature(&text("Levels 12"))
        );
    }
}
