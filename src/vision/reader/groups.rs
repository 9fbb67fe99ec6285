//! Cells that hang together. Comes in: cells and whether two neighbours belong together. Goes out: groups.
//! Must never know: pixels.

/// The groups of cells that hang together by edges over which `joined` holds, in the order of their first cells.
pub fn groups(
    cells: &[(i32, i32)],
    joined: impl Fn((i32, i32), (i32, i32)) -> bool,
) -> Vec<Vec<(i32, i32)>> {
    let mut left: Vec<(i32, i32)> = cells.to_vec();
    let mut out = Vec::new();
    while !left.is_empty() {
        let mut group = vec![left.remove(0)];
        let mut i = 0;
        while i < group.len() {
            let (c, r) = group[i];
            for next in [(c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)] {
                if let Some(at) = left.iter().position(|&l| l == next && joined((c, r), l)) {
                    group.push(left.remove(at));
                }
            }
            i += 1;
        }
        group.sort_unstable_by_key(|c| (c.1, c.0));
        out.push(group);
    }
    out
}
