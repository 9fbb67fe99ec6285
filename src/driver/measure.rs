//! What is measured of a page beside the judgement of its game.
//!
//! Comes in: a page and its probe. Goes out: measurements, as many as could be made, and the first error on the way.
//! Must never know: what they should be.

use crate::browser::probe::Probe;
use crate::browser::{BrowserError, Page};
use crate::model::{Key, Load, Measure, Tabs};
use std::time::Duration;

/// Wall time for which the pace is measured: some dozen frames, and no more than a person would wait.
const PACE_MS: f64 = 300.0;
/// Presses of Tab: enough to go round a page with few controls, and to see that one with many lets the focus go on.
const TABS: usize = 6;
/// Deadline of asking for the accessibility tree.
const TREE: Duration = Duration::from_secs(4);

/// What was found, and what kept the rest from being.
pub(super) type Found = (Vec<Measure>, Option<BrowserError>);

/// How a page came up, which took so long as seen from outside, and what it offers to people who cannot see it.
pub(super) async fn page(page: &Page, probe: &Probe, loaded: Option<Duration>) -> Found {
    let mut found = Vec::new();
    let trouble = async {
        let load = probe.loading(page).await?;
        found.push(Measure::Load(Load {
            load_ms: loaded.map(|t| t.as_secs_f64() * 1000.0),
            ..load
        }));
        access(page, probe, &mut found).await
    };
    let trouble = trouble.await.err();
    (found, trouble)
}

async fn access(page: &Page, probe: &Probe, found: &mut Vec<Measure>) -> Result<u32, BrowserError> {
    let mut access = probe.access(page).await?;
    access.nodes = page.ax_tree(TREE).await?;
    let tabbable = access.tabbable;
    found.push(Measure::Access(Box::new(access)));
    Ok(tabbable)
}

/// How a game that runs keeps up with real time, what its page offers now, and where the Tab key leads.
pub(super) async fn play(page: &Page, probe: &Probe) -> Found {
    let mut found = Vec::new();
    let trouble = async {
        found.push(Measure::Pace(probe.pace(page, PACE_MS).await?));
        let tabbable = access(page, probe, &mut found).await?;
        let mut stops = vec![probe.focus(page).await?];
        let tab = Key::new("Tab");
        for _ in 0..TABS {
            page.key_down(&tab, false).await?;
            page.key_up(&tab).await?;
            stops.push(probe.focus(page).await?);
        }
        found.push(Measure::Tabs(Tabs { stops, tabbable }));
        Ok::<_, BrowserError>(())
    };
    let trouble = trouble.await.err();
    (found, trouble)
}
