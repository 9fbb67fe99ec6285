//! What is known of a page before it is opened, and where what is learned goes.
//!
//! Comes in: arguments, profiles. Goes out: a [`Memory`] for a session. Must never know: what is done with it.

use super::{Target, UsageError};
use crate::cli::PageArgs;
use crate::config;
use crate::profile::{Memory, Profile, Store};
use color_eyre::eyre::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A memory and its files.
pub(super) struct Remembered {
    pub memory: Arc<Memory>,
    /// Where what is learned goes.
    cache: Option<PathBuf>,
    /// Where an operator saves what was put right.
    pub by_hand: Option<PathBuf>,
    name: String,
}

/// What is known of a target. With `reuse`, what earlier runs learned is of use; what a person wrote always is.
pub(super) fn remembered(target: &Target, page: &PageArgs, reuse: bool) -> Result<Remembered> {
    let name = identity(&target.name);
    let setting = format!(
        "{}x{} at {}",
        page.viewport.0, page.viewport.1, page.scale_factor
    );
    let cache = config::cached_profiles()
        .filter(|_| !page.no_cache)
        .map(|folder| Store::new(folder).file(&name, &setting));
    let usual = config::profiles().map(|folder| Store::new(folder).file(&name, &setting));
    let mut known: Vec<(Profile, String)> = Vec::new();
    if let Some(file) = &page.profile {
        let profile = Store::read(file)
            .map_err(|e| UsageError(format!("--profile: {e}")))?
            .ok_or_else(|| UsageError(format!("--profile: {} is not there", file.display())))?;
        known.push((profile, file.display().to_string()));
    } else {
        let made = usual.iter().filter(|_| !page.no_cache);
        for file in made.chain(cache.iter().filter(|_| reuse)) {
            match Store::read(file) {
                Ok(Some(profile)) => known.push((profile, file.display().to_string())),
                Ok(None) => {}
                // A file of ours that cannot be used is as good as none; it is written anew.
                Err(error) => tracing::warn!(%error, "a profile is left out"),
            }
        }
    }
    let by_hand = page.profile.clone().or(usual);
    let on = cache.is_some() || !known.is_empty();
    Ok(Remembered {
        memory: Arc::new(Memory::of(known, on)),
        cache: cache.filter(|_| page.profile.is_none()),
        by_hand,
        name,
    })
}

impl Remembered {
    /// Puts down what was learned. A cache that cannot be written is no fault of the run.
    pub(super) fn keep(&self) {
        let (Some(file), Some(mut profile)) = (&self.cache, self.memory.learned()) else {
            return;
        };
        profile.target.clone_from(&self.name);
        if let Err(error) = Store::write(file, &profile) {
            tracing::warn!(%error, "what was learned of the page is not kept");
        }
    }
}

/// The same page by the same name, from whichever folder it is asked for.
fn identity(name: &str) -> String {
    let (file, query) = match name.split_once('?') {
        Some((file, query)) if !Path::new(name).exists() => (file, Some(query)),
        _ => (name, None),
    };
    match std::fs::canonicalize(file) {
        Ok(path) => match query {
            Some(query) => format!("{}?{query}", path.display()),
            None => path.display().to_string(),
        },
        Err(_) => name.into(),
    }
}
