//! What an operator put right, saved for later runs.

use super::SessionOptions;
use super::judge::CORRECTED;
use crate::driver::{SET_BY_OPERATOR, Shared};
use crate::model::{ControlMap, ControlMapping};
use crate::profile::{KnownBoard, Origin, Profile, Store, VERSION};
use std::path::Path;

/// Saves what is known of the page as a profile made by hand, and says what came of it.
pub(super) fn save(shared: &Shared, options: &SessionOptions) -> String {
    let Some(file) = &options.profile else {
        return "not saved: there is no place for profiles".into();
    };
    let profile = known(shared, options);
    write(file, &profile)
}

/// Writes a profile that a person made, and says what came of it.
pub(super) fn write(file: &Path, profile: &Profile) -> String {
    if profile.board.is_none() && profile.controls.is_empty() && profile.reading.is_empty() {
        return "not saved: nothing is known of the page yet".into();
    }
    match Store::write(file, profile) {
        Ok(()) => format!("saved in {}", file.display()),
        Err(error) => format!("not saved: {error}"),
    }
}

fn known(shared: &Shared, options: &SessionOptions) -> Profile {
    let mut profile = options.memory.so_far();
    profile.version = VERSION;
    profile.origin = Origin::Hand;
    profile.target.clone_from(&options.target);
    let status = shared.status();
    profile.board = status
        .board
        .as_ref()
        .map(KnownBoard::from)
        .or(profile.board);
    profile.reading.clone_from(&status.hints);
    let complete = profile.all_keys_tried;
    if status.controls.iter().next().is_some() {
        keys(&mut profile, &status.controls);
        // Keys that were set by hand before all were tried say nothing of the others.
        profile.all_keys_tried = complete && status.controls.complete;
    }
    profile
}

/// The keys that are known. That no key does something is kept where a person said so: what was not found on a board that was
/// wrong may be found on the right one, and a profile made by hand stands above what is found.
pub(super) fn keys(profile: &mut Profile, map: &ControlMap) {
    profile.learn_controls(map);
    let said = |m: &ControlMapping| [SET_BY_OPERATOR, CORRECTED].contains(&m.observation.as_str());
    profile
        .controls
        .retain(|action, known| known.key.is_some() || map.get(*action).is_some_and(said));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, Confidence, Key};

    #[test]
    fn that_there_is_no_key_is_kept_only_where_a_person_said_so() {
        let mut map = ControlMap::default();
        let mapping = |key: Option<&str>, observation: &str| ControlMapping {
            confidence: Confidence::NotFound,
            key: key.map(Key::new),
            observation: observation.into(),
            tap_ms: 17,
        };
        map.set(Action::MoveLeft, mapping(Some("a"), "moved left"));
        map.set(Action::MoveRight, mapping(None, "nothing moved"));
        map.set(Action::Hold, mapping(None, SET_BY_OPERATOR));
        let mut profile = Profile::default();
        keys(&mut profile, &map);
        let kept: Vec<Action> = profile.controls.keys().copied().collect();
        assert_eq!(kept, [Action::MoveLeft, Action::Hold]);
    }
}
