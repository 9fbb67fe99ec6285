//! What an operator put right, saved for later runs.

use super::SessionOptions;
use crate::driver::Shared;
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
        profile.learn_controls(&status.controls);
        // Keys that were set by hand before all were tried say nothing of the others.
        profile.all_keys_tried = complete && status.controls.complete;
    }
    profile
}
