//! States that were seen, and the steps between them.
//!
//! Comes in: looks. Goes out: which state it is, and the way from one to another. Must never know: what a state means.

use super::act::Act;
use super::ground::Look;
use crate::model::Raster;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

/// Columns and rows of the small picture by which states are known again.
const SMALL: (u32, u32) = (32, 24);
/// States whose small pictures differ by less in every cell are one.
const SAME_CELL: u8 = 10;
/// Looks of one screen differ in at most this share of the cells.
const SAME_SCREEN: f64 = 0.12;
/// Looks of one screen share at least this part of their words.
const SAME_WORDS: f64 = 0.5;

/// A state.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// Its number.
    pub id: usize,
    /// Which screen it belongs to: states of a screen look alike on the whole.
    pub screen: usize,
    /// How often it was seen.
    pub visits: u32,
    /// Names of actions that were done here.
    pub tried: BTreeSet<String>,
    /// Where actions led that progressed: the action, and the state after it.
    pub steps: Vec<(Act, usize)>,
    #[serde(skip)]
    small: Vec<u8>,
    #[serde(skip)]
    words: String,
}

impl State {
    /// Is this the same screen?
    fn looks_like(&self, small: &[u8], words: &str) -> bool {
        let differ = self
            .small
            .iter()
            .zip(small)
            .filter(|(a, b)| a.abs_diff(**b) >= SAME_CELL);
        let share = differ.count() as f64 / small.len().max(1) as f64;
        share <= SAME_SCREEN && shared(&self.words, words) >= SAME_WORDS
    }
}

/// How much of the words of two texts is in both.
fn shared(a: &str, b: &str) -> f64 {
    let words = |t: &'_ str| -> BTreeSet<String> {
        t.split_whitespace()
            .filter(|w| w.chars().any(char::is_alphabetic))
            .map(str::to_string)
            .collect()
    };
    let (a, b) = (words(a), words(b));
    let all = a.union(&b).count();
    if all == 0 {
        1.0
    } else {
        a.intersection(&b).count() as f64 / all as f64
    }
}

/// All states.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Graph {
    /// In the order in which they were first seen.
    pub states: Vec<State>,
}

impl Graph {
    /// The state a look shows, and whether it was never seen before.
    pub fn place(&mut self, look: &Look) -> (usize, bool) {
        let (small, words) = (small(&look.picture), without_numbers(&look.text));
        let same = self.states.iter().position(|s| {
            s.words == words
                && s.small
                    .iter()
                    .zip(&small)
                    .all(|(a, b)| a.abs_diff(*b) < SAME_CELL)
        });
        if let Some(id) = same {
            self.states[id].visits += 1;
            return (id, false);
        }
        let screen = self
            .states
            .iter()
            .find(|s| s.looks_like(&small, &words))
            .map(|s| s.screen);
        let id = self.states.len();
        self.states.push(State {
            id,
            screen: screen.unwrap_or_else(|| self.screens()),
            visits: 1,
            tried: BTreeSet::new(),
            steps: Vec::new(),
            small,
            words,
        });
        (id, true)
    }

    /// Does a look still show the screen of a state?
    pub fn still(&self, state: usize, look: &Look) -> bool {
        self.states[state].looks_like(&small(&look.picture), &without_numbers(&look.text))
    }

    /// How many screens were seen.
    pub fn screens(&self) -> usize {
        self.states.iter().map(|s| s.screen + 1).max().unwrap_or(0)
    }

    /// The shortest way from a state to one of which `wanted` is true.
    pub fn way(&self, from: usize, wanted: impl Fn(&State) -> bool) -> Option<Vec<Act>> {
        let mut came: Vec<Option<(usize, &Act)>> = vec![None; self.states.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if wanted(&self.states[at]) {
                let (mut way, mut here) = (Vec::new(), at);
                while here != from {
                    let (before, act) = came[here]?;
                    way.push(act.clone());
                    here = before;
                }
                way.reverse();
                return Some(way);
            }
            for (act, to) in &self.states[at].steps {
                if *to != from && came[*to].is_none() {
                    came[*to] = Some((at, act));
                    queue.push_back(*to);
                }
            }
        }
        None
    }
}

/// The brightness of the picture on a small lattice.
fn small(picture: &Raster) -> Vec<u8> {
    let range = |at: u32, of: u32, pixels: u32| {
        let from = at * pixels / of;
        from..((at + 1) * pixels / of).max(from + 1)
    };
    let mut out = Vec::with_capacity((SMALL.0 * SMALL.1) as usize);
    for row in 0..SMALL.1 {
        for column in 0..SMALL.0 {
            let (mut sum, mut count) = (0u64, 0u64);
            for y in range(row, SMALL.1, picture.height()) {
                for x in range(column, SMALL.0, picture.width()) {
                    let [red, green, blue] = picture.at(i64::from(x), i64::from(y));
                    sum += (u64::from(red) * 3 + u64::from(green) * 6 + u64::from(blue)) / 10;
                    count += 1;
                }
            }
            out.push((sum / count.max(1)) as u8);
        }
    }
    out
}

/// Texts are known again whatever their numbers count.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for ch in text.chars() {
        let ch = if ch.is_numeric() { '#' } else { ch };
        if !(ch == '#' && out.ends_with('#')) {
            out.push(ch);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(colour: u8, text: &str) -> Look {
        Look {
            picture: Raster::filled(320, 240, [colour; 3]),
            text: text.into(),
        }
    }

    #[test]
    fn a_state_is_known_again_and_the_shortest_way_is_found() {
        let mut graph = Graph::default();
        assert_eq!(graph.place(&look(10, "a 1")), (0, true));
        assert_eq!(graph.place(&look(12, "a 25")), (0, false));
        assert_eq!(graph.place(&look(12, "b")), (1, true));
        assert_eq!(graph.place(&look(200, "c")), (2, true));
        // Other words are another screen, however alike they look.
        assert_eq!(graph.screens(), 3);
        graph.states[0].steps = vec![(Act::tap("a"), 0), (Act::tap("b"), 1), (Act::tap("c"), 2)];
        graph.states[1].steps = vec![(Act::tap("d"), 2)];
        assert_eq!(graph.way(0, |s| s.id == 2), Some(vec![Act::tap("c")]));
        assert_eq!(graph.way(0, |s| s.id == 0), Some(vec![]));
        assert_eq!(graph.way(2, |s| s.id == 0), None);
    }
}
