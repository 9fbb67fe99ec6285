//! Any bytes as the log of a recording: it is read and judged, or refused; it never panics and never takes the memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use tetrascope::session::judge::{Corrections, judge};
use tetrascope::session::recording::Recording;

fuzz_target!(|bytes: &[u8]| {
    // Half of what matters lies behind the first line, which chance would hardly find.
    let first = b"{\"tetrascope_recording\":1}\n";
    let log = if bytes.starts_with(b"{\"tetra") {
        bytes.to_vec()
    } else {
        [&first[..], bytes].concat()
    };
    if let Ok(recording) = Recording::parse(Path::new("/nonexistent"), &log) {
        let _ = judge(&recording, &Corrections::default());
    }
});
