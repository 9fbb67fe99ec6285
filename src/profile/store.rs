//! Profiles as files: those that people name, and those that runs leave for the next.

use super::{MOST_BYTES, Profile, ProfileError};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A profile that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum StoreError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}: {error}", path.display())]
    Profile { path: PathBuf, error: ProfileError },
    #[error("it cannot be written down: {0}")]
    Text(#[from] toml::ser::Error),
}

/// A folder of profiles that runs left, one a page.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// Letters of a file's name that tell people which page it is.
const NAME_LETTERS: usize = 40;

impl Store {
    /// The profiles in a folder, which need not be there yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The file of a page. `target` names it, `setting` what else its looks depend on (the size of its window).
    pub fn file(&self, target: &str, setting: &str) -> PathBuf {
        let slug: String = target
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        // The end of a path tells more than its beginning.
        let from = slug.len().saturating_sub(NAME_LETTERS);
        let hash = xxh3_64(format!("{target}\n{setting}").as_bytes());
        let slug = slug[from..].trim_matches('-');
        self.folder.join(format!("{slug}-{hash:016x}.toml"))
    }

    /// Reads a profile; `None` where there is no such file.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read(path: &Path) -> Result<Option<Profile>, StoreError> {
        let failed = |error| StoreError::File {
            path: path.to_owned(),
            error,
        };
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let mut text = String::new();
        // One byte more than may be, so that what is too long is told from what is cut off.
        file.take(MOST_BYTES as u64 + 1)
            .read_to_string(&mut text)
            .map_err(failed)?;
        Profile::parse(&text)
            .map(Some)
            .map_err(|error| StoreError::Profile {
                path: path.to_owned(),
                error,
            })
    }

    /// Writes a profile, whole or not at all.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(path: &Path, profile: &Profile) -> Result<(), StoreError> {
        let text = profile.to_text()?;
        let failed = |error| StoreError::File {
            path: path.to_owned(),
            error,
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.persist(path).map_err(|e| failed(e.error))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::profile::VERSION;

    #[test]
    fn each_page_has_its_file_and_none_is_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("not/there/yet"));
        let file = store.file("./games/caf\u{e9}/index.html", "1280x800");
        assert_ne!(file, store.file("./games/caf\u{e9}/index.html", "800x600"));
        assert_ne!(file, store.file("./games/cafe/index.html", "1280x800"));
        assert!(Store::read(&file).unwrap().is_none());
        let profile = Profile {
            version: VERSION,
            ..Profile::default()
        };
        Store::write(&file, &profile).unwrap();
        Store::write(&file, &profile).unwrap();
        assert_eq!(Store::read(&file).unwrap(), Some(profile));
        fs::write(&file, "version = [").unwrap();
        assert!(matches!(
            Store::read(&file),
            Err(StoreError::Profile { .. })
        ));
        fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(matches!(Store::read(&file), Err(StoreError::File { .. })));
    }
}
