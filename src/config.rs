//! Where things are kept on this machine.
//!
//! Comes in: the environment. Goes out: paths, the same on every Unix (XDG). Must never know: what is kept there.

use etcetera::{BaseStrategy, choose_base_strategy};
use std::path::PathBuf;

/// Where recordings go that are given no folder of their own; `None` where there is no home.
pub fn recordings() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    Some(base.data_dir().join("tetrascope").join("recordings"))
}
