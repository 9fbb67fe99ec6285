//! Keys that are known from before: each is tried before it is believed, as often as a search would confirm it.

use super::{
    Effect, FRAME_MS, HELD_MS, SPACED_MS, Search, TAP_MS, any_piece, directions_show, turns_show,
};
use crate::driver::{Driver, DriverError};
use crate::model::{
    Action, ActivePiece, By, Confidence, ControlMap, ControlMapping, Key, StartCandidate,
};
use crate::profile::{KnownKey, Profile};

/// Times a key is seen to do its work, as in a search: once when it is found, once to confirm it.
const TIMES: u32 = 2;
/// Tries for that: a piece may happen to stand where a key has nothing to show.
const TRIES: u32 = 4;

/// Tries the keys that are known and gives the map that follows; in words why not, where one of them does something
/// else. Then nothing is known, and a whole search has to be made.
pub async fn confirm_known<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
    known: &Profile,
) -> Result<Result<ControlMap, String>, DriverError> {
    let mut search = Search::new(path);
    search.expect_effects(d).await?;
    for (action, known) in &known.controls {
        let Some(key) = &known.key else {
            continue;
        };
        let done = if *action == Action::Pause {
            search.still_pauses(d, key).await?
        } else {
            search.still_does(d, *action, key, known).await?
        };
        if let Err(why) = done {
            return Ok(Err(why));
        }
    }
    let mut map = search.map();
    map.complete = known.all_keys_tried;
    for action in Action::ALL {
        let before = known.controls.get(&action).and_then(|k| k.key.as_ref());
        match (before, map.key(action)) {
            (Some(before), Some(now)) if before == now => {}
            (Some(before), _) => {
                let tried = map.key_observations.get(before.as_str());
                let tried = tried.map_or("nothing", String::as_str);
                return Ok(Err(format!(
                    "{before} is not {} now: {tried}",
                    action.name()
                )));
            }
            (None, Some(now)) => {
                return Ok(Err(format!("{now} is {} now", action.name())));
            }
            (None, None) => map.set(
                action,
                ControlMapping {
                    key: None,
                    confidence: Confidence::NotFound,
                    observation: "no key did it when all were tried, in an earlier run".into(),
                    tap_ms: 0,
                },
            ),
        }
    }
    d.set_controls(map.clone(), By::Discovery);
    Ok(Ok(map))
}

/// Taps a key on a piece with room, and holds it where a tap does nothing; in words what the piece did.
pub async fn try_key<D: Driver>(
    d: &mut D,
    path: &[StartCandidate],
    key: &Key,
) -> Result<String, DriverError> {
    let mut search = Search::new(path);
    for hold in [TAP_MS, HELD_MS] {
        match search.trial(d, key, hold, turns_show).await? {
            None => return Ok("no piece had room to try it on".into()),
            Some(Effect::Nothing) => {}
            Some(did) => return Ok(format!("{did}, pressed for {hold:.0} ms")),
        }
    }
    Ok(format!(
        "nothing, pressed for {TAP_MS:.0} and {HELD_MS:.0} ms"
    ))
}

impl Search<'_> {
    /// Sees a key do what it is known for; in words what it did instead.
    async fn still_does<D: Driver>(
        &mut self,
        d: &mut D,
        action: Action,
        key: &Key,
        known: &KnownKey,
    ) -> Result<Result<(), String>, DriverError> {
        // Whole milliseconds were written down; the shortest press is one frame exactly.
        let mut hold = f64::from(known.tap_ms).max(TAP_MS);
        if hold < TAP_MS + 1.0 {
            hold = TAP_MS;
        }
        let side = match action {
            Action::MoveLeft => -1,
            Action::MoveRight => 1,
            _ => 0,
        };
        let columns = d.board().map_or(0, |b| i32::from(b.columns));
        let free = |p: &ActivePiece| p.cells.iter().all(|c| (0..columns).contains(&(c.0 + side)));
        let mut seen = 0;
        let mut last = String::from("nothing");
        for _ in 0..TRIES {
            let did = match action {
                Action::SoftDrop if hold <= SPACED_MS => {
                    let rows = self.burst(d, key, hold).await?;
                    Some(rows.map_or(Effect::Nothing, Effect::Down))
                }
                Action::RotateCw | Action::RotateCcw => {
                    match self.trial(d, key, hold, directions_show).await? {
                        Some(did) => Some(did),
                        None => self.trial(d, key, hold, turns_show).await?,
                    }
                }
                _ if side != 0 => self.trial(d, key, hold, free).await?,
                _ => self.trial(d, key, hold, any_piece).await?,
            };
            let Some(did) = did else {
                return Ok(Err(format!("no piece had room to try {key} on")));
            };
            last = did.to_string();
            let right = match action {
                Action::MoveLeft => matches!(did, Effect::Sideways(n) if n < 0),
                Action::MoveRight => matches!(did, Effect::Sideways(n) if n > 0),
                Action::SoftDrop => matches!(did, Effect::Down(_)),
                Action::HardDrop => matches!(did, Effect::Dropped { .. }),
                Action::RotateCw | Action::RotateCcw => matches!(
                    did,
                    Effect::Turned
                        | Effect::Clockwise
                        | Effect::CounterClockwise
                        | Effect::Deformed
                ),
                Action::Hold => matches!(did, Effect::Swapped),
                Action::Pause => false,
            };
            self.note(key, did, hold);
            seen += u32::from(right);
            if seen == TIMES {
                return Ok(Ok(()));
            }
            // Most games swap once a piece: the next try is made on the next one.
            if action == Action::Hold
                && let Some(drop) = self.known_drop()
            {
                d.press(&drop, TAP_MS).await?;
            }
        }
        Ok(Err(format!(
            "{key} is not {} now, in {TRIES} tries of {hold:.0} ms: {last}",
            action.name()
        )))
    }

    /// Sees a key stop the game and let it go on.
    async fn still_pauses<D: Driver>(
        &mut self,
        d: &mut D,
        key: &Key,
    ) -> Result<Result<(), String>, DriverError> {
        if self.ready(d, any_piece, 9).await?.is_none() {
            return Ok(Err(format!("no piece had room to try {key} on")));
        }
        d.press(key, self.sure_ms()).await?;
        d.advance(FRAME_MS).await?;
        if !self.runs(d).await? {
            self.find_pause(d, std::slice::from_ref(key)).await?;
        }
        Ok(match &self.pause {
            Some((found, true)) if found == key => Ok(()),
            _ => Err(format!("{key} is not pause now")),
        })
    }
}
