//! One region: what it is.
//!
//! Comes in: a patch with its counts, what moves, what was done. Goes out: a [`Region`] with its kind, its weight
//! and its reason. Must never know: the other regions.

use super::course::{Courses, beside_a_fade, is_further_on, is_in_the_stream};
use super::motion::Motion;
use super::planes::{BEGUN, IDLE, NOVEL_FIRST, NOVEL_LAST, Planes, STIRS};
use super::regions::{Patch, extent, split};
use super::strange::{Strangeness, stays_amid, strangeness};
use super::style::{Style, style};
use super::{Area, Deed, Kind, Region};

/// Share of a patch's tiles that must lie where things move for it to be one of them.
const WITHIN: f64 = 0.85;
/// Share of the picture from which on it is no longer a detail.
const GREAT: f64 = 0.12;
/// Share of the picture that a pointer may light up.
const POINTED: f64 = 0.2;
/// Share of the picture that moves by itself from which on anything may come into view at any time.
const WIDE: f64 = 0.03;
/// A clock is at most so wide and high, in pixels.
const CLOCK_SIZE: (u32, u32) = (96, 64);
/// Share of the picture a clock may take.
const CLOCK: f64 = 0.004;
/// So many pixels to the side are none; cells of boards are wider.
const ASIDE: u32 = 12;
/// Share of the picture that a single thing takes at most.
const SINGLE: f64 = 0.02;
/// Share of the window's width or height from which on it is no single thing that steps.
const BROAD: f64 = 0.16;
/// Colours this different are no mere highlight of a plain place.
const STRONG: u8 = 48;

/// Why something that changed only between the pictures after the action is innocent by itself.
pub(super) const LATE: &str = "came late, as by itself";

/// What nothing innocent explains, and what is said of it where there is no second look.
pub(super) const STAYS: &str = "changed and stays so";
/// See [`STAYS`].
pub(super) const CHANGED: &str = "changed";

/// So many tiles that were still beside what moves may be a thing of their own.
const STILL: usize = 4;

/// Why a frame at a key tells of progress, if there are two of them: a mark that went from one thing to another.
pub(super) const RING_AT_KEY: &str = "a frame came or went at a key";

/// What all regions have in common.
pub(super) struct Scene<'a> {
    pub planes: &'a Planes<'a>,
    pub motion: &'a Motion,
    pub courses: &'a Courses<'a>,
    pub deed: Deed,
    /// Were pointer and focus at the same rest in all pictures?
    pub at_rest: bool,
    /// Share of the picture that all regions take together.
    pub total: f64,
}

impl Scene<'_> {
    /// Says what a patch is; `None` when it is too little to be anything.
    pub fn explain(&self, patch: &Patch) -> Option<Region> {
        let area = patch.area.filter(|_| patch.novel >= 4)?;
        let (kind, weight, why) = self.verdict(patch, area);
        Some(Region {
            area,
            kind,
            weight,
            why: why.into(),
        })
    }

    /// Says what a patch is, and what happened in it beside a fade or stood still beside what moves.
    pub fn explain_all(&self, patch: &Patch) -> Vec<Region> {
        if let (Some(area), Some(beside)) = (patch.area, beside_a_fade(self.planes, patch)) {
            let fade = Region {
                area,
                kind: Kind::MovesByItself,
                weight: -0.6,
                why: "went on as it was changing already".into(),
            };
            return std::iter::once(fade).chain(self.parts(&beside)).collect();
        }
        let whole = self.explain(patch);
        let hides = whole
            .as_ref()
            .is_some_and(|r| r.kind == Kind::MovesByItself);
        let still = self.motion.still_tiles(patch);
        if !hides || still.len() == patch.tiles.len() {
            return whole.into_iter().collect();
        }
        whole.into_iter().chain(self.parts(&still)).collect()
    }

    /// Says what some tiles of a patch are by themselves.
    fn parts(&self, tiles: &[(usize, usize)]) -> Vec<Region> {
        split(self.planes, tiles, NOVEL_FIRST | NOVEL_LAST)
            .into_iter()
            .filter(|p| p.tiles.len() >= STILL)
            .filter_map(|p| self.explain(&p))
            .collect()
    }

    /// Two pictures and nothing else.
    fn knows_little(&self) -> bool {
        self.deed == Deed::Unknown && !self.planes.has_second_look()
    }

    fn share(&self, area: Area) -> f64 {
        area.size() as f64 / (self.planes.width * self.planes.height) as f64
    }

    /// Kind, weight (above 0 it tells of progress, below it is innocent; how sure), reason.
    fn verdict(&self, patch: &Patch, area: Area) -> (Kind, f64, &'static str) {
        if self.deed != Deed::Hover
            && self.motion.share_moved(patch) >= WITHIN
            && stays_amid(self.planes, patch)
        {
            return (
                Kind::Changed,
                0.65,
                "something stays amid what moves, in colours that were not there",
            );
        }
        if self.planes.has_second_look() && patch.last * 12 < patch.first {
            return (Kind::Passed, -0.85, "came and went");
        }
        let small =
            area.width <= CLOCK_SIZE.0 && area.height <= CLOCK_SIZE.1 && self.share(area) <= CLOCK;
        let late = patch.first * 12 < patch.last && self.planes.has_second_look();
        if small && !late && patch.stirs * 5 >= patch.novel {
            return (Kind::Counts, -0.7, "goes on changing, like a clock");
        }
        if let Some(moves) = self.by_itself(patch, area) {
            return moves;
        }
        if let Some(steps) = self.steps_on(patch, area) {
            return steps;
        }
        if late {
            return if self.share(area) < GREAT {
                (Kind::Counts, -0.5, LATE)
            } else {
                (Kind::Scene, 0.6, "another scene came, late")
            };
        }
        if self.deed == Deed::Hover && self.total < POINTED {
            return (
                Kind::UnderPointer,
                -0.8,
                "came up when the pointer moved there; nothing was pressed",
            );
        }
        if self
            .courses
            .is_moved_on(patch, &self.motion.things_in_line(area))
        {
            return (
                Kind::MovesByItself,
                -0.55,
                "is the same, further along its way",
            );
        }
        if self.share(area) >= GREAT && !self.is_ring(patch, area) {
            return (
                Kind::Scene,
                0.95,
                "a great part of the picture is another one",
            );
        }
        if patch.lasting * 2 >= patch.first.max(patch.last) {
            return self.lasting(patch, area);
        }
        if self.motion.share > WIDE {
            return (
                Kind::MovesByItself,
                -0.45,
                "did not stay, in a world that moves by itself",
            );
        }
        if self.motion.share > 0.0 {
            // What moves by itself here is little and elsewhere.
            return (Kind::SetGoing, 0.55, "moves where nothing moved before");
        }
        (Kind::SetGoing, 0.65, "began to move")
    }

    /// Something that moved before the action too.
    fn by_itself(&self, patch: &Patch, area: Area) -> Option<(Kind, f64, &'static str)> {
        let lasting = patch.lasting as f64 / patch.first.max(patch.last).max(1) as f64;
        if self.motion.share_moved(patch) >= WITHIN {
            let other = |s: &Strangeness| s.after > s.calm * 3 / 2 + 24;
            let here = strangeness(self.planes, patch, &patch.tiles);
            let differs = if lasting >= 0.4 {
                other(&here)
            } else {
                // Not only where something is novel now: tiles chosen by what they hold now hold less of it in any other
                // picture.
                self.share(area) >= 0.05
                    && other(&strangeness(
                        self.planes,
                        patch,
                        &self.motion.moved_in(area),
                    ))
            };
            if lasting >= 0.4
                && self.share(area) < SINGLE
                && here.new_colours < 0.1
                && self.overlaps_itself(patch, area)
            {
                return Some((
                    Kind::MovesByItself,
                    -0.6,
                    "went on moving by steps as small as itself",
                ));
            }
            let things = self.motion.things_in_line(area);
            if differs
                && (is_further_on(self.planes, area) || self.courses.is_moved_on(patch, &things))
            {
                return Some((
                    Kind::MovesByItself,
                    -0.6,
                    "is the same, further along its way",
                ));
            }
            if differs {
                return Some((
                    Kind::Changed,
                    0.75,
                    "differs from all it showed while nothing was done",
                ));
            }
            if lasting >= 0.4 && patch.lasting >= 12 && here.new_colours >= 0.5 {
                return Some((
                    Kind::Changed,
                    0.7,
                    "stays in colours that were not there while nothing was done",
                ));
            }
            return Some((
                Kind::MovesByItself,
                -0.75,
                "moved while nothing was done, too",
            ));
        }
        if self.motion.share_reached(patch) < WITHIN {
            return None;
        }
        if lasting < 0.5 {
            return Some((Kind::MovesByItself, -0.65, "went on moving as before"));
        }
        (self.motion.share > WIDE && is_in_the_stream(self.planes, patch, area)).then_some((
            Kind::MovesByItself,
            -0.5,
            "is more of what streams by here",
        ))
    }

    /// A frame, however large: little of the box around it changed.
    fn is_ring(&self, patch: &Patch, area: Area) -> bool {
        (patch.novel as u64) < area.size() / 8 && style(self.planes, area) == Style::Ring
    }

    /// Is this where a thing that moves by small steps stands in both pictures after the action? Then as much stirs around
    /// it as did while nothing was done.
    fn overlaps_itself(&self, patch: &Patch, area: Area) -> bool {
        let around = area.grown(area.width.max(area.height) * 2);
        let (Some((before, n)), Some((after, m))) = (
            extent(self.planes, around, IDLE),
            extent(self.planes, around, STIRS),
        ) else {
            return false;
        };
        let alike = |a: u32, b: u32| a.max(b) <= a.min(b) * 3 / 2 + 10;
        alike(before.width, after.width)
            && alike(before.height, after.height)
            && n.max(m) <= n.min(m) * 2
            && m >= patch.lasting
    }

    /// Something that moves step by step, again after the action by as much as with it.
    fn steps_on(&self, patch: &Patch, area: Area) -> Option<(Kind, f64, &'static str)> {
        let broad = f64::from(area.width) > self.planes.width as f64 * BROAD
            || f64::from(area.height) > self.planes.height as f64 * BROAD;
        if patch.idle > 0 || broad || self.share(area) >= GREAT {
            return None;
        }
        let around = area.grown(area.width.max(area.height));
        let (begun, n) = extent(self.planes, around, BEGUN)?;
        let (stirs, m) = extent(self.planes, around, STIRS)?;
        let alike = |a: f64, b: f64, factor: f64, slack: f64| {
            (a - b).abs() <= slack || (a / b).ln().abs() <= f64::ln(factor)
        };
        let same_size = alike(f64::from(begun.width), f64::from(stirs.width), 1.4, 10.0)
            && alike(f64::from(begun.height), f64::from(stirs.height), 1.4, 10.0)
            && alike(n as f64, m as f64, 2.0, 20.0);
        let middle = |a: Area| {
            (
                f64::from(a.x) + f64::from(a.width) / 2.0,
                f64::from(a.y) + f64::from(a.height) / 2.0,
            )
        };
        let ((ax, ay), (bx, by)) = (middle(begun), middle(stirs));
        let one_step =
            (ax - bx).abs() <= f64::from(begun.width) && (ay - by).abs() <= f64::from(begun.height);
        // Along a row or a column, or in its place: what an action pushed aside leaves its line.
        let near = |a: u32, b: u32| a.abs_diff(b) <= ASIDE;
        let in_line = (near(begun.x, stirs.x)
            && near(begun.x + begun.width, stirs.x + stirs.width))
            || (near(begun.y, stirs.y) && near(begun.y + begun.height, stirs.y + stirs.height));
        (same_size && one_step && in_line).then_some((
            Kind::MovesByItself,
            -0.55,
            "moves on by equal steps, as by itself",
        ))
    }

    /// A small change that stays.
    fn lasting(&self, patch: &Patch, area: Area) -> (Kind, f64, &'static str) {
        let small = if patch.lasting < 12 { 0.55 } else { 0.9 };
        let keys = self.deed == Deed::Key;
        match style(self.planes, area) {
            Style::Caret => (Kind::Caret, -0.8, "a caret"),
            Style::Resampled => (Kind::Highlight, -0.6, "is the same, sampled otherwise"),
            Style::Ring if keys => (Kind::Ring, 0.55, RING_AT_KEY),
            Style::Ring => (Kind::Ring, -0.7, "a frame around it: the focus"),
            Style::Restyled if keys => (Kind::Changed, 0.6, "is drawn in another style at a key"),
            Style::Restyled if self.at_rest => (
                Kind::Changed,
                0.6,
                "is drawn in another style, with the pointer away",
            ),
            Style::Restyled => (Kind::Highlight, -0.65, "is the same in another style"),
            // Without a second look and without knowing what was done, it may be either.
            Style::Recoloured(by) if by < STRONG && self.knows_little() => {
                (Kind::Highlight, 0.4, "is slightly lighter or darker")
            }
            Style::Recoloured(by) if by < STRONG && !keys && !self.at_rest => {
                (Kind::Highlight, -0.55, "is slightly lighter or darker")
            }
            Style::Recoloured(_) | Style::Redrawn => (Kind::Changed, small, STAYS),
        }
    }
}
