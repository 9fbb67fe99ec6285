use super::{Verdict, fail, needs_start, open, pass};
use crate::evidence::Evidence;
use crate::model::{GridEvent, PieceKind};
use std::collections::BTreeMap;

/// Chance below which an absence is none.
const CHANCE: f64 = 0.001;
/// Spawns that are alike at the beginning of two games make them the same draw of the same random numbers.
const ALIKE: usize = 5;

/// All seven kinds appear, or one is missing for longer than uniform drawing would have it.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let mut first: BTreeMap<PieceKind, u64> = BTreeMap::new();
    let mut games: Vec<Vec<PieceKind>> = vec![Vec::new()];
    let mut opened = e.opened().iter().map(|o| o.0.seq).peekable();
    for h in e.happenings() {
        if let GridEvent::PieceSpawned {
            kind: Some(kind), ..
        } = &h.event
        {
            while opened.next_if(|s| *s < h.seq).is_some() {
                games.push(Vec::new());
            }
            first.entry(*kind).or_insert(h.seq);
            if let Some(game) = games.last_mut() {
                game.push(*kind);
            }
        }
    }
    let all: Vec<PieceKind> = PieceKind::ALL.to_vec();
    let missing: Vec<String> = all
        .iter()
        .filter(|k| !first.contains_key(k))
        .map(|k| k.letter().to_string())
        .collect();
    let spawns = independent(&games);
    if missing.is_empty() {
        return pass(
            format!("I, O, T, S, Z, J and L seen in {spawns} spawns"),
            first.into_values().collect(),
        );
    }
    let p = chance(missing.len() as u32, spawns);
    let missing = missing.join(", ");
    if p < CHANCE {
        return fail(
            format!("{missing} never came in {spawns} spawns (chance {p:.1e} if all came alike)"),
            first.into_values().collect(),
        );
    }
    open(format!(
        "{missing} not seen in {spawns} spawns; waiting for more"
    ))
}

/// Spawns that tell something: games that begin alike were drawn from the same random numbers and count once. A piece
/// that was lost from sight came twice, so the same kind twice in a row is no difference.
fn independent(games: &[Vec<PieceKind>]) -> usize {
    let mut longest: BTreeMap<Vec<PieceKind>, usize> = BTreeMap::new();
    for game in games {
        let mut begin = game.clone();
        begin.dedup();
        begin.truncate(ALIKE);
        let most = longest.entry(begin).or_default();
        *most = (*most).max(game.len());
    }
    // One that broke off before that many is part of another, or says little.
    longest
        .iter()
        .filter(|(begin, _)| begin.len() == ALIKE)
        .map(|(_, n)| n)
        .sum()
}

/// An upper bound of the chance that some `missing` of seven kinds stay away in `n` uniform draws.
fn chance(missing: u32, n: usize) -> f64 {
    let ways = (0..missing).fold(1.0, |w, i| w * f64::from(7 - i) / f64::from(i + 1));
    ways * (f64::from(7 - missing) / 7.0).powi(n as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_may_stay_away_for_57_spawns_and_two_for_29() {
        assert!(chance(1, 57) >= CHANCE && chance(1, 58) < CHANCE);
        assert!(chance(2, 29) >= CHANCE && chance(2, 30) < CHANCE);
    }

    #[test]
    fn the_same_draw_counts_once() {
        use PieceKind::{I, L, O, S, T, Z};
        let one = vec![I, O, T, S, Z, L];
        let longer = vec![I, O, T, S, Z, L, T, T];
        let other = vec![T, O, T, S, Z, L];
        let short = vec![L, L];
        assert_eq!(independent(&[one.clone(), longer, one]), 8);
        let another = vec![I, O, I, O, I, O];
        assert_eq!(independent(&[other.clone(), short, another]), 12);
        assert_eq!(independent(&[other]), 6);
        let twice_seen = vec![I, I, O, T, T, S, Z, L];
        assert_eq!(independent(&[vec![I, O, T, S, Z, L], twice_seen]), 8);
    }
}
