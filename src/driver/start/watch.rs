//! Watching a page without touching it until something falls.
//!
//! Comes in: a [`Driver`] and a survey. Goes out: what fell, or what was seen instead.
//! Must never know: what was done to the page before, beyond whether it changed the page's offer.

use super::screen::{Thumb, alike};
use super::{hints, region};
use crate::driver::{Driver, DriverError};
use crate::model::{Board, Raster, Rect, Survey};
use crate::vision::find::{self, Falling, Hint, Look, Smear};
use std::time::Instant;

/// Game time between two looks. Shorter than one row of any playable game, long enough to be cheap.
const LOOK_EVERY_MS: f64 = 100.0;
/// The same where a step and a look take long (software WebGL), at most: still shorter than a row of most games at their
/// start.
const LOOK_SELDOM_MS: f64 = 250.0;
/// Looks for each row that a piece falls, where it is known how fast it does.
const LOOKS_A_ROW: f64 = 4.0;
/// Wall time of a step and a look from which on they are made more seldom.
const COSTLY_MS: f64 = 80.0;
/// A page on which nothing at all changes for this long runs no game and no countdown.
const STILL_MS: f64 = 2_600.0;
/// The same where the start is known: it may have been found only because something else was tried meanwhile.
const STILL_AT_A_START_MS: f64 = 2.0 * STILL_MS;
/// A page that moves, but for so long nowhere where a playfield may be, is animated and runs no game.
const ELSEWHERE_MS: f64 = 4_000.0;
/// A game falls within this, with a splash or countdown before it.
const PATIENCE_MS: f64 = 9_000.0;
/// The same where time passes slowly (software WebGL), and the wall time of a step and a look from which on it does: a
/// machine that has other things to do must not cost a game its countdown.
const COSTLY_PATIENCE_MS: f64 = 6_000.0;
const SLOW_MS: f64 = 250.0;
/// Looks kept at once; more are thinned out evenly, so that memory stays bounded on animated pages.
const LOOKS_KEPT: usize = 36;
/// Fewer show nothing that falls.
const LEAST_LOOKS: usize = 4;
/// Positions of a falling piece that make its lattice exact.
pub const ENOUGH_STEPS: usize = 7;
/// Rows a thing must fall to be taken for a piece: decorations drift by less before they are seen to turn or fade.
const LEAST_ROWS: i32 = 3;
/// Game time spent on getting them, once something was seen to fall.
const SHARPEN_MS: f64 = 5_000.0;
/// A step of a start that left the page's offer and its playfields as they were for so long did nothing.
const NOTHING_MS: f64 = 1_500.0;
/// The same where the page moves all along, as it did before: time for a piece to come and fall a few rows.
const ALIKE_MS: f64 = 3_200.0;

/// What is watched: a part of the page, and the places in it that may be playfields, from the part's corner.
#[derive(Debug, Clone)]
pub struct Place {
    region: Rect,
    hints: Vec<Hint>,
    every_ms: f64,
    /// Is it a board that is known?
    known: bool,
}

impl Place {
    /// All of the page.
    pub fn of(survey: &Survey) -> Self {
        Self {
            region: region(survey),
            hints: hints(survey),
            every_ms: LOOK_EVERY_MS,
            known: false,
        }
    }

    /// A board that is known, with a margin of a cell, and how long a piece takes for a row, if that is known.
    pub fn around(board: &Board, gravity_ms: Option<f64>) -> Self {
        let (x, y) = (
            (board.x - board.cell_width).max(0.0).floor(),
            (board.y - board.cell_height).max(0.0).floor(),
        );
        let rect = board.rect();
        Self {
            region: Rect::new(
                x,
                y,
                (rect.right() + board.cell_width - x).ceil(),
                (rect.bottom() + board.cell_height - y).ceil(),
            ),
            hints: vec![Hint {
                rect: Rect::new(rect.x - x, rect.y - y, rect.width, rect.height),
                columns: board.columns,
                rows: board.rows,
            }],
            known: true,
            every_ms: gravity_ms.map_or(LOOK_EVERY_MS, |row| {
                (row / LOOKS_A_ROW).clamp(LOOK_EVERY_MS, LOOK_SELDOM_MS)
            }),
        }
    }
}

/// What is known of the page before it is watched.
#[derive(Clone, Copy)]
pub enum Since<'a> {
    /// It was just opened, or offers something else now.
    Moved,
    /// What was done to it changed nothing of what it offers; so it looked before.
    Unmoved(&'a [Thumb]),
}

/// What watching without input showed.
pub enum Watched {
    Falls(Box<Falling>),
    /// Something goes down and stays drawn wherever it was.
    Smears(Smear),
    Not {
        why: String,
        changed: bool,
        thumbs: Vec<Thumb>,
    },
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

/// A picture, from when on it was seen, and until when it was seen to stay so.
#[derive(Debug, Clone)]
struct Kept {
    from_ms: f64,
    until_ms: f64,
    raster: Raster,
}

impl Kept {
    fn new(now_ms: f64, raster: Raster) -> Self {
        Self {
            from_ms: now_ms,
            until_ms: now_ms,
            raster,
        }
    }

    fn look(&self) -> Look<'_> {
        Look {
            game_ms: self.from_ms,
            raster: &self.raster,
        }
    }

    /// Was it the same at two looks, one after the other?
    fn rested(&self) -> bool {
        self.until_ms - self.from_ms >= LOOK_EVERY_MS - 1.0
    }
}

/// Adds a picture, or says of the last one that it stayed so.
fn keep(all: &mut Vec<Kept>, next: Kept) {
    match all.last_mut().filter(|last| last.raster == next.raster) {
        Some(last) => last.until_ms = next.until_ms,
        None => all.push(next),
    }
}

/// What falls in a place. Where cells fade from one colour to the next, what is between them falls nowhere: then what
/// stayed for a while is asked alone.
fn falls_in(kept: &[Kept], hints: &[Hint]) -> Result<Falling, find::NotFalling> {
    let of = |all: Vec<&Kept>| {
        let looks: Vec<Look<'_>> = all.into_iter().map(Kept::look).collect();
        find::falling(&looks, hints)
    };
    of(kept.iter().collect()).or_else(|nothing| {
        let rested: Vec<&Kept> = kept.iter().filter(|k| k.rested()).collect();
        if rested.len() < LEAST_LOOKS || rested.len() == kept.len() {
            return Err(nothing);
        }
        of(rested).map_err(|_| nothing)
    })
}

/// What falls, looked for in the likeliest places first: what drifts over the rest of the page for show is then no
/// matter, and small pictures are asked faster than large ones.
fn falling(looks: &[Kept], hints: &[Hint]) -> Result<Falling, find::NotFalling> {
    let Some(last) = looks.last() else {
        return falls_in(looks, hints);
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
        let mut cut: Vec<Kept> = Vec::new();
        for look in looks {
            let raster = look
                .raster
                .cropped(x as u32, y as u32, width as u32, height as u32);
            keep(&mut cut, Kept { raster, ..*look });
        }
        let moved: Vec<Hint> = hints
            .iter()
            .map(|h| Hint {
                rect: Rect::new(h.rect.x - x, h.rect.y - y, h.rect.width, h.rect.height),
                ..*h
            })
            .collect();
        if let Ok(mut found) = falls_in(&cut, &moved) {
            found.shift(x, y);
            found.background = last.raster.patched(&found.background, x as u32, y as u32);
            return Ok(found);
        }
    }
    falls_in(looks, hints)
}

/// What falls; but where it stays drawn wherever it was, it is none that can be followed.
fn told(falling: Falling, looks: &[Kept], hints: &[Hint]) -> Watched {
    match smeared(looks, hints) {
        Some(smear) => Watched::Smears(smear),
        None => Watched::Falls(Box::new(falling)),
    }
}

/// The same, seen again where there are places now that were not when it began to be watched: a board may be built when
/// its game begins.
async fn told_anew<D: Driver>(
    d: &mut D,
    falling: Falling,
    looks: &[Kept],
    place: &Place,
) -> Result<Watched, DriverError> {
    if place.known {
        return Ok(told(falling, looks, &place.hints));
    }
    let hints = hints(&d.survey().await?);
    let seen = if hints == place.hints {
        falling
    } else {
        self::falling(looks, &hints).unwrap_or(falling)
    };
    Ok(told(seen, looks, &hints))
}

/// What goes down and stays drawn wherever it was.
fn smeared(kept: &[Kept], hints: &[Hint]) -> Option<Smear> {
    let looks: Vec<Look<'_>> = kept.iter().map(Kept::look).collect();
    find::smear(&looks, hints)
}

/// Do the pictures differ in one of these places?
fn differ_in(a: &Raster, b: &Raster, places: &[Hint]) -> bool {
    places.iter().any(|p| {
        let (x, y) = (p.rect.x.max(0.0) as u32, p.rect.y.max(0.0) as u32);
        let (width, height) = (p.rect.width as u32, p.rect.height as u32);
        a.cropped(x, y, width, height) != b.cropped(x, y, width, height)
    })
}

/// Watches the page without touching it until something falls, nothing happens for long, or patience ends. Where what was
/// done before changed nothing of what the page offers, it is watched for long only if something stirs in a place that
/// may be a playfield, and if it is not what stirred there before: titles are animated.
pub async fn watch_for_fall<D: Driver>(
    d: &mut D,
    place: &Place,
    enough: usize,
    since: Since<'_>,
) -> Result<Watched, DriverError> {
    let Place {
        region,
        hints,
        every_ms,
        known: _,
    } = place;
    let region = *region;
    let mut looks = vec![Kept::new(0.0, d.look(region).await?)];
    let mut keep_every = LOOK_EVERY_MS;
    let (mut now, mut last_change, mut last_stir, mut last_kept) = (0.0, 0.0, 0.0, 0.0);
    let mut changed = false;
    let mut stirred = matches!(since, Since::Moved) || hints.is_empty();
    let mut compared = false;
    let mut last = looks[0].raster.clone();
    // Asked at growing distances: the question costs more than a look.
    let mut ask_at = 1_300.0;
    let mut why = String::from("nothing on the page changed");
    let (mut every, mut cost_ms) = (*every_ms, 0.0);
    let mut thumbs = vec![Thumb::of(&looks[0].raster, hints)];
    // A known start is confirmed by any fall; an unknown one must be told from what merely drifts.
    let (least, still_ms) = if enough < ENOUGH_STEPS {
        (1, STILL_AT_A_START_MS)
    } else {
        (LEAST_ROWS, STILL_MS)
    };
    let mut found: Option<Falling> = None;
    let (mut until, mut patience) = (PATIENCE_MS, PATIENCE_MS);
    while now < patience + SHARPEN_MS {
        if now >= patience && found.is_none() {
            break;
        }
        let asked = Instant::now();
        d.advance(every).await?;
        now += every;
        let look = d.look(region).await?;
        // One slow look says nothing; most of them do.
        cost_ms += (asked.elapsed().as_secs_f64() * 1_000.0 - cost_ms) / 6.0;
        if cost_ms > COSTLY_MS {
            every = LOOK_SELDOM_MS;
        }
        if cost_ms > SLOW_MS {
            patience = COSTLY_PATIENCE_MS;
        }
        if look != last {
            changed = true;
            last_change = now;
            if hints.is_empty() || differ_in(&last, &look, hints) {
                (stirred, last_stir) = (true, now);
            }
            thumbs.push(Thumb::of(&look, hints));
            last = look.clone();
        }
        let elsewhere = now - last_stir >= ELSEWHERE_MS && found.is_none();
        if !stirred && now >= NOTHING_MS || elsewhere && now - last_change < ELSEWHERE_MS {
            why = "nothing changed where a playfield may be".into();
            break;
        }
        if now - last_kept >= keep_every - 1.0 {
            keep(&mut looks, Kept::new(now, look));
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
        let ends = (now >= patience || now >= ALIKE_MS && !compared) && found.is_none();
        if (now >= ask_at || ends) && looks.len() >= LEAST_LOOKS {
            match falling(&looks, hints) {
                // More rows make the lattice exact, while the piece still falls.
                Ok(falling) if rows_fallen(&falling) < least => {
                    why = format!("hardly falls: {}", falling.why);
                }
                Ok(falling) if falling.positions.len() >= enough || now >= until => {
                    return told_anew(d, falling, &looks, place).await;
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
                        return told_anew(d, falling, &looks, place).await;
                    }
                    if let Some(smear) = smeared(&looks, hints) {
                        return Ok(Watched::Smears(smear));
                    }
                    why = not.to_string();
                    tracing::debug!(now, looks = looks.len(), why, "nothing falls yet");
                }
            }
            ask_at = now * 1.8;
        }
        if now - last_change >= still_ms && found.is_none() {
            break;
        }
        // Asked right after it was looked for what falls.
        if now >= ALIKE_MS && !compared && found.is_none() {
            compared = true;
            if let Since::Unmoved(before) = since
                && alike(before, &thumbs)
            {
                why = format!("it looks as it did before; {why}");
                break;
            }
        }
    }
    if let Some(falling) = found {
        return told_anew(d, falling, &looks, place).await;
    }
    Ok(Watched::Not {
        why,
        changed,
        thumbs,
    })
}
