//! Files that are there whole or not at all.
//!
//! Comes in: a path and what it shall hold. Goes out: the file. Must never know: what it holds.

use color_eyre::eyre::{Result, WrapErr};
use std::io::Write;
use std::path::Path;

/// Writes beside the place and renames, so that nobody ever reads half a file and what was there stays until the new
/// one is whole. What is no file (a pipe, a terminal) is written to.
pub fn atomically(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    let text = text.as_ref();
    let special = path.metadata().is_ok_and(|m| !m.is_file());
    let written = if special {
        std::fs::write(path, text)
    } else {
        replace(path, text)
    };
    written.wrap_err_with(|| format!("{} could not be written", path.display()))
}

/// Can it be written there? Asked before the work whose outcome it is.
pub fn writable(path: &Path) -> Result<(), String> {
    let no = |why: String| Err(format!("{} cannot be written: {why}", path.display()));
    match path.metadata() {
        Ok(m) if m.is_dir() => return no("it is a folder".into()),
        Ok(m) if !m.is_file() => return Ok(()),
        _ => {}
    }
    let folder = folder_of(path);
    match tempfile::Builder::new()
        .prefix(".tetrascope-")
        .tempfile_in(folder)
    {
        Ok(_) => Ok(()),
        Err(_) if !folder.is_dir() => no(format!("there is no folder {}", folder.display())),
        Err(e) => no(e.kind().to_string()),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = folder_of(&real);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tetrascope-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file; the user's mask takes from it what it takes.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    if let Ok(old) = real.metadata() {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(&real).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_new_text_takes_the_old_ones_place_and_nothing_else_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("report.json");
        atomically(&file, "one, and longer").unwrap();
        atomically(&file, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_before() {
        let dir = tempfile::tempdir().unwrap();
        assert!(writable(&dir.path().join("new.json")).is_ok());
        let told = writable(&dir.path().join("no/such/f")).unwrap_err();
        assert!(told.contains("there is no folder"), "{told}");
        let told = writable(dir.path()).unwrap_err();
        assert!(told.contains("it is a folder"), "{told}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = atomically(&dir.path().join("no/such/folder/f"), "x").unwrap_err();
        assert!(
            format!("{error}").contains("no/such/folder/f could not be written"),
            "{error}"
        );
        assert!(atomically(dir.path(), "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_modes_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        atomically(&link, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o640);
        atomically(Path::new("/dev/null"), "gone").unwrap();
    }
}
