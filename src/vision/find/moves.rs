//! Things that moved straight down (or up) between two looks.
//!
//! Comes in: looks and what changed between them. What falls is told by its pixels, which are the same farther down, or
//! else by its outline against the ground. Goes out: for each change the groups of pixels that moved as one,
//! with their outline a pixel column. Must never know: cells, pieces.

use super::Look;
use super::changes::{Change, Changes, Region};
use super::ground::Ground;
use std::cell::OnceCell;

/// A shift longer than this is no step.
const FARTHEST: usize = 160;
/// Pixels of a changed place that are compared for each shift tried, about.
const PIXELS_ASKED: usize = 12_000;
/// Channels that differ by no more than this are equal: scaled canvases are not exact.
const EQUAL: u8 = 10;
/// Share of the pixels that a shift must explain.
const EXPLAINED: f64 = 0.85;
/// The same for things drawn at parts of a pixel, whose thin lines look different at each place.
const EXPLAINED_LOOSELY: f64 = 0.7;

/// By so much of its pixels a longer shift must explain more than one that is a good deal shorter.
const CLEARLY: f64 = 0.05;
/// Pixels: what is lower is an edge, no thing.
const LEAST_HEIGHT: usize = 3;

/// Share of an outline that must be where it was, moved.
const OUTLINED: f64 = 0.9;
/// Share of an outline that must be new or gone: what only changes its colours has moved nowhere.
const MOVED: f64 = 0.25;

/// Something that moved down between two looks.
#[derive(Debug, Clone)]
pub struct Move {
    /// Index of the look before.
    pub before: usize,
    /// Pixels by which it went down.
    pub by: usize,
    /// First pixel column.
    pub x0: usize,
    /// Top and bottom (not counted in) of the thing in each pixel column before the move; `None` where there is a gap.
    pub columns: Vec<Option<(usize, usize)>>,
    /// Highest pixel row before the move.
    pub top: usize,
    /// Lowest pixel row before the move, not counted in.
    pub bottom: usize,
    /// Share of its pixels that the shift explains.
    pub share: f64,
}

impl Move {
    /// Right edge, not counted in.
    pub fn x1(&self) -> usize {
        self.x0 + self.columns.len()
    }
}

/// Counts what changed without falling, to say what was seen instead.
#[derive(Debug, Default)]
pub struct Tally {
    down: usize,
    up: usize,
    still: usize,
}

impl Tally {
    /// What was seen, for people.
    pub fn words(&self, regions: usize) -> String {
        let mut words = format!("{regions} places changed");
        for (n, what) in [
            (self.still, "changes in place"),
            (self.up, "moves upwards"),
            (self.down, "moves downwards that make no falling piece"),
        ] {
            if n > 0 {
                words.extend([", ", &n.to_string(), " ", what]);
            }
        }
        words
    }
}

struct Pair<'a> {
    before: &'a [u8],
    after: &'a [u8],
    width: usize,
}

#[allow(clippy::many_single_char_names)]
impl Pair<'_> {
    /// Does the pixel before at (x, y) equal the one after at (x, z)? `loose`: or does it lie between that one's
    /// neighbours above and below, as it does when a thing moves by a part of a pixel?
    fn same(&self, x: usize, y: usize, z: usize, loose: bool) -> bool {
        let (i, j) = ((y * self.width + x) * 3, (z * self.width + x) * 3);
        if (0..3).all(|c| self.before[i + c].abs_diff(self.after[j + c]) <= EQUAL) {
            return true;
        }
        let stride = self.width * 3;
        let above = j.saturating_sub(stride);
        let below = (j + stride).min(self.after.len() - 3);
        loose
            && (0..3).all(|c| {
                let (a, b, m) = (
                    self.after[above + c],
                    self.after[below + c],
                    self.after[j + c],
                );
                let v = self.before[i + c];
                v.saturating_add(EQUAL) >= a.min(b).min(m)
                    && v <= a.max(b).max(m).saturating_add(EQUAL)
            })
    }

    /// Did the pixel not change?
    fn rests(&self, x: usize, y: usize) -> bool {
        let i = (y * self.width + x) * 3;
        self.before[i..i + 3] == self.after[i..i + 3]
    }

    /// How far the two pixels are from each other.
    fn distance(&self, x: usize, y: usize, z: usize) -> u32 {
        let (i, j) = ((y * self.width + x) * 3, (z * self.width + x) * 3);
        (0..3)
            .map(|c| u32::from(self.before[i + c].abs_diff(self.after[j + c])))
            .sum()
    }
}

/// Everything that moved down in a region.
pub fn moves(
    looks: &[Look<'_>],
    changes: &Changes,
    region: &Region,
    tally: &mut Tally,
) -> Vec<Move> {
    let mut out = Vec::new();
    // Costs more than a search for shifts, and most things need none.
    let ground = OnceCell::new();
    for change in &changes.list {
        let pair = Pair {
            before: looks[change.after].raster.rgb(),
            after: looks[change.after + 1].raster.rgb(),
            width: changes.width,
        };
        for group in groups(changes, change, region) {
            if drifts(&pair, &group) {
                tally.still += 1;
            } else if let Some(found) = down(&pair, &group)
                .or_else(|| {
                    let ground = ground.get_or_init(|| Ground::of(looks, changes.width, region));
                    outlined(&pair, &group, ground)
                })
                .map(|(by, share)| finish(change.after, by, share, &group))
                .filter(|m| m.bottom >= m.top + LEAST_HEIGHT)
            {
                tally.down += 1;
                out.push(found);
            } else if shift(&pair, &group, true, false).is_some() {
                tally.up += 1;
            } else {
                tally.still += 1;
            }
        }
    }
    out
}

/// Did nothing but the shade of what stands there change? Any shift within a flat thing would seem to explain that.
fn drifts(pair: &Pair<'_>, group: &Group) -> bool {
    let (mut all, mut same) = (0usize, 0usize);
    for (i, rows) in group.columns.iter().enumerate() {
        all += rows.len();
        same += rows
            .iter()
            .filter(|&&y| pair.same(group.x0 + i, y, y, false))
            .count();
    }
    same as f64 >= all as f64 * EXPLAINED
}

/// The shift that explains a group as moved down: exactly if it does so nearly without a rest, otherwise a shorter
/// one is preferred that explains it loosely (a long one has little left of the thing to explain).
fn down(pair: &Pair<'_>, group: &Group) -> Option<(usize, f64)> {
    let exact = shift(pair, group, false, false);
    if exact.is_some_and(|e| e.1 > 0.97) {
        return exact;
    }
    let loose = shift(pair, group, false, true);
    match (exact, loose) {
        (Some(e), Some(l)) if l.0 * 4 > e.0 * 3 => Some(e),
        (e, l) => l.or(e),
    }
}

/// The shift that explains how the outline of a group moved down, whatever its colours do: blocks may be coloured by the
/// place where they are, or anew with each step.
fn outlined(pair: &Pair<'_>, group: &Group, ground: &Ground) -> Option<(usize, f64)> {
    let spans: Vec<(usize, usize, usize)> = group
        .columns
        .iter()
        .enumerate()
        .filter_map(|(i, rows)| Some((group.x0 + i, *rows.first()?, *rows.last()? + 1)))
        .collect();
    let highest = spans.iter().map(|s| s.2 - s.1).max()?;
    let stride = (spans.len() / 24).max(1);
    // Of every few columns: what stands out before and after, from the first to the last row that changed.
    let columns: Vec<(Vec<bool>, Vec<bool>)> = spans
        .iter()
        .step_by(stride)
        .map(|&(x, top, end)| {
            let of = |picture: &[u8]| {
                let rows = top..end;
                rows.map(|y| ground.covered(picture, pair.width, x, y))
                    .collect()
            };
            (of(pair.before), of(pair.after))
        })
        .collect();
    let count = |is: &dyn Fn(bool, bool) -> bool, by: usize| -> usize {
        let pairs = columns.iter().flat_map(|(before, after)| {
            let at = |side: &[bool], y: Option<usize>| {
                y.and_then(|y| side.get(y).copied()).unwrap_or_default()
            };
            (0..after.len() + by).map(move |y| (at(before, y.checked_sub(by)), at(after, Some(y))))
        });
        pairs.filter(|&(b, a)| is(b, a)).count()
    };
    let all = count(&|b, a| b || a, 0);
    let moved = count(&|b, a| b != a, 0);
    if all == 0 || (moved as f64) < all as f64 * MOVED {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    for by in 1..=highest.min(FARTHEST) {
        let either = count(&|b, a| b || a, by).max(1);
        let share = count(&|b, a| b && a, by) as f64 / either as f64;
        if share >= OUTLINED && best.is_none_or(|b| share > b.1) {
            best = Some((by, share));
        }
    }
    best
}

/// Neighbouring pixel columns in which something changed: the first column, and the changed rows of each.
struct Group {
    x0: usize,
    columns: Vec<Vec<usize>>,
}

/// Changed pixels so far from each other belong to one spot.
const NEAR: usize = 2;
/// A spot of less than this share of the largest one's pixels is a speck: a star that twinkles, a spark.
const SPECK: usize = 40;

/// The pixels of a region that changed, without specks, column by column.
fn changed(changes: &Changes, change: &Change, region: &Region) -> Vec<Vec<usize>> {
    let (width, height) = (region.x1 - region.x0, region.y1 - region.y0);
    let mut open = vec![false; width * height];
    for y in region.y0..region.y1 {
        for x in region.x0..region.x1 {
            open[(y - region.y0) * width + x - region.x0] =
                changes.changed(change, x, y) && region.holds(x, y);
        }
    }
    let mut spots: Vec<Vec<usize>> = Vec::new();
    for start in 0..open.len() {
        if !std::mem::take(&mut open[start]) {
            continue;
        }
        let mut spot = vec![start];
        let mut i = 0;
        while i < spot.len() {
            let (x, y) = (spot[i] % width, spot[i] / width);
            for ny in y.saturating_sub(NEAR)..(y + NEAR + 1).min(height) {
                for nx in x.saturating_sub(NEAR)..(x + NEAR + 1).min(width) {
                    if std::mem::take(&mut open[ny * width + nx]) {
                        spot.push(ny * width + nx);
                    }
                }
            }
            i += 1;
        }
        spots.push(spot);
    }
    let largest = spots.iter().map(Vec::len).max().unwrap_or(0);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); width];
    for pixel in spots
        .into_iter()
        .filter(|spot| spot.len() * SPECK >= largest)
        .flatten()
    {
        columns[pixel % width].push(region.y0 + pixel / width);
    }
    for rows in &mut columns {
        rows.sort_unstable();
    }
    columns
}

fn groups(changes: &Changes, change: &Change, region: &Region) -> Vec<Group> {
    let columns = changed(changes, change, region);
    let mut out: Vec<Group> = Vec::new();
    let mut last = None;
    for (i, column) in columns.into_iter().enumerate() {
        if column.is_empty() {
            continue;
        }
        let x = region.x0 + i;
        match (&mut last, out.last_mut()) {
            (Some(l), Some(group)) if x - *l <= region.apart => {
                group.columns.resize(x - group.x0, Vec::new());
                group.columns.push(column);
            }
            _ => out.push(Group {
                x0: x,
                columns: vec![column],
            }),
        }
        last = Some(x);
    }
    // Less than a few pixels is a cursor or an edge that flickers.
    out.retain(|g| g.columns.len() >= 4 && g.columns.iter().map(Vec::len).sum::<usize>() >= 12);
    out
}

/// The shortest shift that explains the group as one thing that moved down (or up), and how well it does.
///
/// A thing without holes from top to bottom changes, in each pixel column, first where it leaves (at its upper
/// end) and last where it arrives (at its lower end). So between the first and the last changed pixel, less the
/// shift, lies the thing; and there the picture before must equal the shifted picture after.
fn shift(pair: &Pair<'_>, group: &Group, up: bool, loose: bool) -> Option<(usize, f64)> {
    let spans: Vec<(usize, &Vec<usize>)> = group
        .columns
        .iter()
        .enumerate()
        .filter(|(_, c)| !c.is_empty())
        .map(|(i, c)| (group.x0 + i, c))
        .collect();
    let height = |c: &[usize]| c[c.len() - 1] - c[0] + 1;
    let mut heights: Vec<usize> = spans.iter().map(|s| height(s.1)).collect();
    heights.sort_unstable();
    let longest = heights[heights.len() / 4].saturating_sub(1).min(FARTHEST);
    let stride = (spans.len() / 24).max(1);
    // A panel that slides in is as large as the page: a part of its columns tells as much as all of them.
    let area: usize = heights.iter().sum();
    let fine = (area / PIXELS_ASKED).clamp(1, stride);
    // Of every so many columns: how many pixels are asked at most, of the thing and of what changed.
    let asked = |every: usize| {
        let of = |s: &(usize, &Vec<usize>)| {
            let body = height(s.1).div_ceil(1 + every / 2).max(s.1.len());
            (body, s.1.len())
        };
        let each = spans.iter().step_by(every).map(of);
        each.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    };
    let (roughly, finely) = (asked(stride), asked(fine));
    // How well a shift explains the group; 0 where that is seen to be less than `need` before all is asked.
    let score = |by: usize, every: usize, most: (usize, usize), need: f64| -> f64 {
        let spare = |of: usize| (of as f64 * (1.0 - need)) as u32 + 1;
        let (spare_body, spare_rows) = (spare(most.0), spare(most.1));
        let (mut body, mut body_ok, mut left, mut left_ok, mut came, mut came_ok) =
            (0u32, 0u32, 0u32, 0u32, 0u32, 0u32);
        for &(x, rows) in spans.iter().step_by(every) {
            if body - body_ok > spare_body || (left - left_ok).max(came - came_ok) > spare_rows {
                return 0.0;
            }
            let (first, last) = (rows[0], rows[rows.len() - 1]);
            if last - first < by {
                body += rows.len() as u32;
                continue;
            }
            for y in (first..=last - by).step_by(1 + every / 2) {
                body += 1;
                let (b, a) = if up { (y + by, y) } else { (y, y + by) };
                // What shows through its holes stays where it is.
                let moved = pair.same(x, b, a, loose);
                body_ok += u32::from(moved || pair.rests(x, b) && pair.rests(x, a));
            }
            for &y in rows {
                // Where it was before, it left; where it is after, it came.
                let was = if up { y >= first + by } else { y + by <= last };
                let is = if up { y + by <= last } else { y >= first + by };
                if was {
                    left += 1;
                    left_ok += u32::from(pair.same(x, y, if up { y - by } else { y + by }, loose));
                }
                if is {
                    came += 1;
                    came_ok += u32::from(pair.same(x, if up { y + by } else { y - by }, y, loose));
                }
            }
        }
        if body == 0 || left == 0 || came == 0 {
            return 0.0;
        }
        let share = |ok: u32, of: u32| f64::from(ok) / f64::from(of);
        share(body_ok, body)
            .min(share(left_ok, left))
            .min(share(came_ok, came))
    };
    let least = if loose { EXPLAINED_LOOSELY } else { EXPLAINED };
    // Of neighbouring shifts that pass when looked at loosely the nearest is meant.
    let cost = |by: usize| -> f64 {
        let (mut sum, mut n) = (0u64, 0u64);
        for &(x, rows) in spans.iter().step_by(fine) {
            for y in rows[0]..=(rows[rows.len() - 1]).saturating_sub(by) {
                let (b, a) = if up { (y + by, y) } else { (y, y + by) };
                sum += u64::from(pair.distance(x, b, a));
                n += 1;
            }
        }
        sum as f64 / n.max(1) as f64
    };
    let mut best: Option<(usize, f64, f64)> = None;
    for by in 1..=longest {
        let passes = score(by, stride, roughly, least - 0.1) >= least - 0.1;
        let s = if passes {
            score(by, fine, finely, least)
        } else {
            0.0
        };
        if s >= least {
            let rank = if loose { -cost(by) } else { s };
            // A thing of one colour looks as if it had gone a whole cell further, too, where cells are not whole pixels.
            let further = |b: (usize, f64, f64)| by * 2 > b.0 * 3 && s < b.1 + CLEARLY;
            if best.is_none_or(|b| rank > b.2 && !further(b)) {
                best = Some((by, s, rank));
            }
        } else if best.is_some() {
            break;
        }
    }
    best.map(|b| (b.0, b.1))
}

fn finish(before: usize, by: usize, share: f64, group: &Group) -> Move {
    let columns: Vec<Option<(usize, usize)>> = group
        .columns
        .iter()
        .map(|c| match (c.first(), c.last()) {
            (Some(&first), Some(&last)) if last + 1 > first + by => Some((first, last + 1 - by)),
            _ => None,
        })
        .collect();
    let top = columns.iter().flatten().map(|c| c.0).min().unwrap_or(0);
    let bottom = columns.iter().flatten().map(|c| c.1).max().unwrap_or(0);
    Move {
        before,
        by,
        x0: group.x0,
        columns,
        top,
        bottom,
        share,
    }
}
