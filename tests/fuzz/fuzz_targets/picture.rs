//! Any bytes as a picture of a recording, whole or as what differs from another: read, or told to be none; it never panics
//! and never takes the memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::OnceLock;
use tetrascope::model::Raster;
use tetrascope::session::recording::{Pictures, png};

/// A folder with one whole picture.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let dir = std::env::temp_dir().join(format!("tetrascope-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("frames")).expect("a folder");
        let whole = Raster::filled(24, 20, [7; 3]);
        let file = dir.join("frames").join(format!("{}.png", whole.name()));
        std::fs::write(file, png(&whole).expect("a picture")).expect("a file");
        dir
    })
}

fuzz_target!(|bytes: &[u8]| {
    let whole = Raster::filled(24, 20, [7; 3]).name();
    let other = Raster::filled(24, 20, [8; 3]).name();
    let frames = folder().join("frames");
    let (kind, rest) = bytes.split_first().unwrap_or((&0, &[]));
    // Behind a head that chance would hardly find.
    let head = format!("{{\"from\":\"{whole}\",\"tiles\":[0,4,8]}}\n");
    let (ending, text) = match kind % 3 {
        0 => ("png", rest.to_vec()),
        1 => ("diff", rest.to_vec()),
        _ => ("diff", [head.as_bytes(), rest].concat()),
    };
    let file = frames.join(format!("{other}.{ending}"));
    std::fs::write(&file, text).expect("a file");
    if let Some(picture) = Pictures::of(folder()).get(other) {
        assert_eq!(picture.name(), other);
    }
    let _ = std::fs::remove_file(file);
});
