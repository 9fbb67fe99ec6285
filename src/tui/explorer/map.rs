//! The states and the ways between them, as a tree of lines: each state stands where it was first reached from.
//!
//! Comes in: the states. Goes out: lines. Must never know: where on the screen they go.

use crate::explore::Scene;
use std::collections::VecDeque;

/// A line of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// What leads the eye: branches of the tree.
    pub branch: String,
    /// The state.
    pub state: usize,
    /// The action that led there first; untrusted.
    pub by: String,
    /// Other ways that lead on from it, to states that stand elsewhere.
    pub others: Vec<usize>,
}

/// The lines, a state each.
pub(super) fn lines(scene: &Scene, ascii: bool) -> Vec<Line> {
    let n = scene.places.len();
    let mut from: Vec<Option<(usize, &str)>> = vec![None; n];
    let mut seen = vec![false; n];
    let mut roots = Vec::new();
    for root in 0..n {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        roots.push(root);
        let mut queue = VecDeque::from([root]);
        while let Some(at) = queue.pop_front() {
            for (act, to) in &scene.places[at].ways {
                if *to < n && !std::mem::replace(&mut seen[*to], true) {
                    from[*to] = Some((at, act));
                    queue.push_back(*to);
                }
            }
        }
    }
    let children = |of: usize| -> Vec<usize> {
        (0..n)
            .filter(|s| from[*s].is_some_and(|(f, _)| f == of))
            .collect()
    };
    let (fork, last, bar, only) = if ascii {
        ("+- ", "`- ", "|  ", "v ")
    } else {
        ("├─ ", "└─ ", "│  ", "↓ ")
    };
    let mut out = Vec::new();
    // The branch of the state itself, and what stands before its children.
    let mut open: Vec<(usize, String, String)> = roots
        .iter()
        .rev()
        .map(|r| (*r, String::new(), String::new()))
        .collect();
    while let Some((state, branch, before)) = open.pop() {
        let below = children(state);
        let mut others: Vec<usize> = scene.places[state]
            .ways
            .iter()
            .map(|(_, to)| *to)
            .filter(|to| !below.contains(to))
            .collect();
        others.sort_unstable();
        others.dedup();
        out.push(Line {
            branch,
            state,
            by: from[state].map_or_else(String::new, |(_, act)| act.to_string()),
            others,
        });
        let count = below.len();
        for (i, child) in below.into_iter().enumerate().rev() {
            let (own, next) = if count == 1 {
                // A way without forks goes straight down.
                (only, "")
            } else if i + 1 == count {
                (last, "   ")
            } else {
                (fork, bar)
            };
            open.push((child, format!("{before}{own}"), format!("{before}{next}")));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Place;

    #[test]
    fn each_state_stands_once_where_it_was_first_reached_from() {
        let place = |ways: &[usize]| Place {
            ways: ways.iter().map(|to| (format!("to {to}"), *to)).collect(),
            ..Place::default()
        };
        let scene = Scene {
            // 0 leads to 1 and 2, 1 to 3 and back; 4 was only reached another way.
            places: vec![
                place(&[1, 2]),
                place(&[3, 0]),
                place(&[2]),
                place(&[]),
                place(&[0]),
            ],
            ..Scene::default()
        };
        let told: Vec<String> = lines(&scene, true)
            .iter()
            .map(|l| format!("{}{} {} {:?}", l.branch, l.state, l.by, l.others))
            .collect();
        assert_eq!(
            told,
            [
                "0  []",
                "+- 1 to 1 [0]",
                "|  v 3 to 3 []",
                "`- 2 to 2 [2]",
                "4  [0]"
            ]
        );
    }
}
