//! One reading against what was believed: the cheapest guess that accounts for every block.

use super::afterimage;
use super::blocks::{Blocks, Place, corner, shifted};
use super::locks::{self, Lock};
use super::misread::{damaged, parted, shadowed};
use super::pieceless::{emptied, fallen, flashes, settled};
use super::{Falling, State, split};
use crate::model::Shape;

/// From this cost on a guess is believed only if the next reading goes on from it.
pub const WEAK: i32 = 20;

/// What it costs that a new piece is just like the one before, and where that was, though it is far below the top.
const AGAIN: i32 = 12;

/// What may have happened to the piece that was falling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is where the rest of the blocks are now; empty: it is not to be seen at the moment.
    Goes(Vec<Place>),
    /// There was none, and what is left over is a new one (or nothing).
    None(Vec<Place>),
    /// It was taken away without locking (hold), and another came.
    Swapped(Vec<Place>),
    /// It locked at these cells, and what is left over is a new one (or nothing).
    Locked {
        at: Vec<Place>,
        delta: i32,
        next: Vec<Place>,
    },
    /// It was never told from the stack before: it stood at the first cells and is at the second.
    Found(Vec<Place>, Vec<Place>),
    /// The board was emptied, and what is left over is a new one (or nothing).
    Emptied(Vec<Place>),
}

/// One way to explain a reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    pub cost: i32,
    pub fate: Fate,
    /// The stack from now on.
    pub stack: Blocks,
    /// Rows that disappeared.
    pub cleared: Vec<u16>,
    /// Rows left empty by a clear with blocks above them.
    pub hanging: Vec<u16>,
    /// The stack before rows were cleared.
    pub before: Option<Blocks>,
    /// Where rows were cleared and what came down over them is covered by a flash.
    pub lit: Vec<u16>,
    /// Where the piece that cleared them is still drawn.
    pub afterimage: Vec<Place>,
}

impl Guess {
    /// Where a new piece is now; empty if none came.
    pub fn came(&self) -> &[Place] {
        match &self.fate {
            Fate::None(n) | Fate::Swapped(n) | Fate::Emptied(n) | Fate::Locked { next: n, .. } => n,
            Fate::Goes(_) | Fate::Found(..) => &[],
        }
    }

    /// Nothing was cleared, nothing hangs, nothing is lit.
    pub fn plain(cost: i32, fate: Fate, stack: Blocks) -> Self {
        Self {
            cost,
            fate,
            stack,
            cleared: Vec::new(),
            hanging: Vec::new(),
            before: None,
            lit: Vec::new(),
            afterimage: Vec::new(),
        }
    }
}

/// One way in which a stack with full rows, or with rows just cleared, may look.
struct Look {
    cost: i32,
    shown: Blocks,
    /// Believed from now on if a piece stands on it, and if none does.
    stack: Blocks,
    cleared: Vec<u16>,
    hanging: Vec<u16>,
    lit: Vec<u16>,
    /// Only together with a new piece, or only without.
    with_piece: Option<bool>,
}

fn looks(stack: &Blocks, hanging: &[u16]) -> Vec<Look> {
    let plain = |cost, shown: Blocks, cleared: Vec<u16>| Look {
        cost,
        stack: shown.clone(),
        shown,
        cleared,
        hanging: Vec::new(),
        lit: Vec::new(),
        with_piece: None,
    };
    let mut all = vec![Look {
        hanging: hanging.to_vec(),
        ..plain(0, stack.clone(), Vec::new())
    }];
    let full = stack.complete_rows();
    let still_blank: Vec<u16> = hanging
        .iter()
        .copied()
        .filter(|&r| stack.blanked(&[r]) == *stack)
        .collect();
    if !still_blank.is_empty() {
        // Rows that blink while the next piece falls already are gone all the same.
        let lit = stack.filled(&still_blank);
        if lit != *stack {
            all.push(Look {
                stack: stack.clone(),
                hanging: hanging.to_vec(),
                ..plain(2, lit, Vec::new())
            });
        }
        let mut rows = still_blank;
        all.push(plain(2, stack.collapsed(&rows), Vec::new()));
        rows.extend(&full);
        if !full.is_empty() {
            all.push(plain(2, stack.collapsed(&rows), full.clone()));
        }
    }
    if full.is_empty() {
        return all;
    }
    let after = stack.collapsed(&full);
    all.push(plain(0, after.clone(), full.clone()));
    if after.filled(&full) != *stack {
        all.push(Look {
            stack: after.clone(),
            lit: full.clone(),
            ..plain(2, after.filled(&full), full.clone())
        });
    }
    let blank = stack.blanked(&full);
    all.push(Look {
        hanging: full.clone(),
        with_piece: Some(true),
        ..plain(1, blank.clone(), full.clone())
    });
    all.push(Look {
        stack: stack.clone(),
        with_piece: Some(false),
        ..plain(1, blank, Vec::new())
    });
    if (2..=4).contains(&full.len()) {
        for mask in 1..(1u32 << full.len()) - 1 {
            let some: Vec<u16> = full
                .iter()
                .enumerate()
                .filter(|(i, _)| mask >> i & 1 == 1)
                .map(|(_, r)| *r)
                .collect();
            all.push(plain(6, stack.collapsed(&some), some));
        }
        for slipped in stack.slipped(&full) {
            all.push(plain(6, stack.collapsed(&slipped), slipped));
        }
    }
    all
}

/// How likely these blocks are a piece that just came; `None`: not at all.
pub fn newcomer(cells: &[Place], rows: u16) -> Option<i32> {
    let shape = Shape::of(cells);
    let (_, top) = corner(cells);
    if cells.is_empty() || cells.len() > 8 || !shape.is_connected() {
        return None;
    }
    if shape.tetromino().is_some() {
        let deep = top - 2;
        let far = i32::from(top > i32::from(rows) / 2) * 4;
        return Some(deep.clamp(0, 8) + far);
    }
    if cells.len() < 4 && top == 0 {
        return Some(3);
    }
    Some(if top <= 2 { 25 } else { 30 })
}

/// How likely the falling piece is at these cells now.
pub fn continued(piece: &Falling, rest: &[Place], gone: &Blocks) -> Option<(i32, Fate)> {
    let goes = |cost| Some((cost, Fate::Goes(rest.to_vec())));
    let was = &piece.active;
    if rest == was.cells {
        return goes(0);
    }
    if rest.is_empty() {
        // A blink, or hidden in the rows above: it is expected back.
        return goes(15);
    }
    let (old, new) = (corner(&was.cells), corner(rest));
    let (dc, dr) = ((new.0 - old.0).abs(), new.1 - old.1);
    let shape = Shape::of(rest);
    let full = was.cells.len();
    if let Some((kind, _)) = shape.tetromino() {
        if full < 4 && !piece.announced {
            // It came in row by row: what was seen were its lowest rows, unless it turned.
            let ends_so = shape.ends_in(&was.shape());
            return goes(if ends_so {
                1 + (dc - 2).max(0)
            } else {
                WEAK + 2
            });
        }
        if was.kind == Some(kind) || full < 4 {
            let turned = shape != was.shape();
            if dr >= -2 || new.1 > 2 {
                let up = (-dr).max(0) * if turned { 1 } else { 4 };
                return goes(dc + up + i32::from(turned));
            }
            return Some((12, Fate::Swapped(rest.to_vec())));
        }
        let overlap = rest.iter().any(|p| was.cells.contains(p));
        let near = dc <= 2 && dr.abs() <= 2;
        return if new.1 <= 2 && !(overlap || near) {
            Some((10, Fate::Swapped(rest.to_vec())))
        } else {
            goes(22)
        };
    }
    if shape == was.shape() && dr >= -2 {
        return goes(dc + 1);
    }
    // Part of it is above the board.
    if rest.len() < 4 && new.1 == 0 && old.1 <= 2 && shape.is_connected() {
        return goes(3 + dc);
    }
    // Drawn between two places.
    if rest.len() > full {
        for (c, r) in [(0, 1), (1, 0), (-1, 0)] {
            let to = shifted(&was.cells, c, r);
            if rest.iter().all(|p| was.cells.contains(p) || to.contains(p)) {
                return Some((12, Fate::Goes(was.cells.clone())));
            }
        }
    }
    let near = (dc <= 3 && (-3..=4).contains(&dr)) || (rest.len() == full && dr.abs() <= 2);
    (near && rest.len() <= full + 2 && !gone.is_empty()).then(|| (26, Fate::Goes(rest.to_vec())))
}

/// A guess that costs no more is believed without asking for others.
const CHEAP: i32 = 3;
/// What it costs that a row that seemed to stay was a flash.
const GONE_OUT: i32 = 4;
/// What it costs that rows that hang came down before anything else happened.
const CAME_DOWN: i32 = 2;

/// A row that seemed to stay when others went was a flash over what came down, and goes out.
fn gone_out(state: &State, now: &Blocks) -> Option<Guess> {
    let stack = state.all_gone.as_ref().filter(|s| s.is_within(now))?;
    let rest = now.minus(stack).places();
    let (cost, fate) = match &state.piece {
        Some(p) => continued(p, &rest, stack)?,
        None if rest.is_empty() => (0, Fate::None(rest)),
        None => (newcomer(&rest, now.rows())?, Fate::None(rest)),
    };
    Some(Guess::plain(GONE_OUT + cost, fate, stack.clone()))
}

/// The cheapest guess that accounts for every block of a reading; `None` if there is none.
pub fn explain(state: &State, now: &Blocks, quiet: bool) -> Option<Guess> {
    let best = cheapest(state, now, quiet);
    if state.hanging.is_empty() || best.as_ref().is_some_and(|b| b.cost <= CHEAP) {
        return best;
    }
    let down = State {
        stack: state.stack.collapsed(&state.hanging),
        hanging: Vec::new(),
        ..state.clone()
    };
    let other = cheapest(&down, now, quiet).map(|g| Guess {
        cost: g.cost + CAME_DOWN,
        ..g
    });
    best.into_iter().chain(other).min_by_key(|g| g.cost)
}

fn cheapest(state: &State, now: &Blocks, quiet: bool) -> Option<Guess> {
    let mut best: Option<Guess> = None;
    let mut offer = |g: Guess| {
        if best.as_ref().is_none_or(|b| g.cost < b.cost) {
            best = Some(g);
        }
    };
    let rows = now.rows();

    for look in looks(&state.stack, &state.hanging) {
        if !look.shown.is_within(now) {
            continue;
        }
        let rest = now.minus(&look.shown).places();
        let found = match &state.piece {
            Some(p) => continued(p, &rest, &look.shown),
            None if rest.is_empty() => Some((0, Fate::None(rest))),
            None => newcomer(&rest, rows).map(|c| (c, Fate::None(rest))),
        };
        let Some((cost, fate)) = found else { continue };
        let piece = !matches!(&fate, Fate::None(n) if n.is_empty());
        if look.with_piece.is_some_and(|w| w != piece) {
            continue;
        }
        let in_gap = match &fate {
            Fate::None(n) => n.iter().any(|p| look.cleared.contains(&(p.1 as u16))),
            _ => false,
        };
        let cost = cost + i32::from(in_gap) * 8;
        offer(Guess {
            cost: cost + look.cost,
            fate,
            before: (!look.cleared.is_empty()).then(|| state.stack.clone()),
            stack: look.stack,
            cleared: look.cleared,
            hanging: look.hanging,
            lit: look.lit,
            afterimage: Vec::new(),
        });
    }
    if best.as_ref().is_some_and(|b| b.cost <= CHEAP) {
        return best;
    }
    let mut offer = |g: Guess| {
        if best.as_ref().is_none_or(|b| g.cost < b.cost) {
            best = Some(g);
        }
    };
    if state.tentative
        && state.piece.is_none()
        && let Some(g) = split::by_motion(&state.stack, now)
    {
        offer(g);
    }
    if let Some(piece) = &state.piece {
        for lock in locks::candidates(&state.stack, piece, quiet) {
            for g in locked(state, piece, &lock, now) {
                offer(g);
            }
        }
        for g in damaged(state, piece, now)
            .into_iter()
            .chain(parted(state, piece, now))
            .chain(shadowed(state, piece, now))
        {
            offer(g);
        }
    }
    for g in flashes(state, now).into_iter().chain(settled(state, now)) {
        offer(g);
    }
    if let Some(g) = gone_out(state, now) {
        offer(g);
    }
    if let Some(g) = emptied(state, now) {
        offer(g);
    }
    best
}

/// The piece locked there: with or without rows cleared, with or without the next one.
fn locked(state: &State, piece: &Falling, lock: &Lock, now: &Blocks) -> Vec<Guess> {
    let whole = state.stack.with(&lock.at);
    let full = whole.complete_rows();
    let mut guesses = Vec::new();
    if full.is_empty() && !whole.is_within(now) && state.hanging.is_empty() {
        return guesses;
    }
    let delta = lock.at.len() as i32;
    for look in looks(&whole, &state.hanging) {
        if !look.shown.is_within(now) {
            continue;
        }
        let next = now.minus(&look.shown).places();
        if look.with_piece.is_some_and(|w| w == next.is_empty()) {
            continue;
        }
        // At rest with nothing else changed is not locked yet.
        let cost = if next.is_empty() {
            if look.shown == whole {
                continue;
            }
            1
        } else {
            // A new piece inside a row just emptied is more likely what is left of the row.
            let in_gap = next.iter().any(|p| look.cleared.contains(&(p.1 as u16)));
            // Rows that light up before the piece is taken from where it was dropped look filled.
            let waits = look.shown == whole && !full.is_empty() && next == piece.active.cells;
            let again = waits || again(piece, &next);
            match newcomer(&next, now.rows()) {
                Some(c) => c + i32::from(in_gap) * 8 + i32::from(again) * AGAIN,
                None => continue,
            }
        };
        guesses.push(Guess {
            cost: cost + look.cost + lock.cost,
            fate: Fate::Locked {
                at: lock.at.clone(),
                delta,
                next,
            },
            before: (!look.cleared.is_empty()).then(|| whole.clone()),
            stack: look.stack,
            cleared: look.cleared,
            hanging: look.hanging,
            lit: look.lit,
            afterimage: Vec::new(),
        });
    }
    if full.is_empty() {
        return guesses;
    }
    guesses.extend(drawn_on(piece, lock, &whole, now));
    // The full rows are just being wiped, cell by cell; the rest stands.
    let rest = whole.blanked(&full);
    if now.blanked(&full) == rest && *now != whole && now.minus(&whole).is_empty() {
        let fate = Fate::Locked {
            at: lock.at.clone(),
            delta,
            next: Vec::new(),
        };
        guesses.push(Guess::plain(3 + lock.cost, fate, whole.clone()));
    }
    if let Some((stack, next, cost)) = fallen(&rest, now) {
        let fate = Fate::Locked {
            at: lock.at.clone(),
            delta,
            next,
        };
        guesses.push(Guess {
            cleared: full,
            before: Some(whole),
            ..Guess::plain(8 + cost + lock.cost, fate, stack)
        });
    }
    guesses
}

/// The piece completed rows, which are gone, and it is still drawn where it locked.
fn drawn_on(piece: &Falling, lock: &Lock, whole: &Blocks, now: &Blocks) -> Option<Guess> {
    let full = whole.complete_rows();
    let after = whole.collapsed(&full);
    let afterimage = afterimage::left(&after, &lock.at);
    let shown = after.with(&afterimage);
    if afterimage.is_empty() || !shown.is_within(now) {
        return None;
    }
    let next = now.minus(&shown).places();
    let cost = match next.is_empty() {
        true => 1,
        false if again(piece, &next) => return None,
        false => newcomer(&next, now.rows())?,
    };
    let fate = Fate::Locked {
        at: lock.at.clone(),
        delta: lock.at.len() as i32,
        next,
    };
    Some(Guess {
        cleared: full,
        before: Some(whole.clone()),
        afterimage,
        ..Guess::plain(afterimage::COST + cost + lock.cost, fate, after)
    })
}

/// Is it just like the piece, and where that was, far below the top?
fn again(piece: &Falling, next: &[Place]) -> bool {
    let (old, new) = (piece.active.corner(), corner(next));
    new.1 > 2
        && (old.0 - new.0).abs() <= 1
        && (0..=1).contains(&(new.1 - old.1))
        && Shape::of(next) == piece.active.shape()
}
