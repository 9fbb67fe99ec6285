//! The scripts put together: one closure, a random name.

use super::ProbeOptions;
use crate::browser::{BrowserError, Result};
use crate::model::ClockMode;
use serde_json::json;
use std::fmt::Write as _;

/// The files in their order: what a file needs stands before it. `natives` comes before everything that wraps
/// methods the lens uses.
const FILES: &[&str] = &[
    include_str!("../../../assets/probe/core.js"),
    include_str!("../../../assets/probe/natives.js"),
    include_str!("../../../assets/probe/clock.js"),
    include_str!("../../../assets/probe/timers.js"),
    include_str!("../../../assets/probe/dates.js"),
    include_str!("../../../assets/probe/motion.js"),
    include_str!("../../../assets/probe/webgl.js"),
    include_str!("../../../assets/probe/text.js"),
    include_str!("../../../assets/probe/targets.js"),
    include_str!("../../../assets/probe/css.js"),
    include_str!("../../../assets/probe/looks.js"),
    include_str!("../../../assets/probe/draw.js"),
    include_str!("../../../assets/probe/walk.js"),
    include_str!("../../../assets/probe/svg.js"),
    include_str!("../../../assets/probe/page.js"),
    include_str!("../../../assets/probe/paint.js"),
    include_str!("../../../assets/probe/texts.js"),
    include_str!("../../../assets/probe/survey.js"),
    include_str!("../../../assets/probe/read.js"),
];

/// A name of 128 random bits.
pub(super) fn token() -> Result<String> {
    let mut bytes = [0_u8; 16];
    let file = tempfile::Builder::new().rand_bytes(26).tempfile();
    // The operating system's randomness by way of a name it made: 26 characters of 62 are 154 bits.
    let name = file
        .map_err(|e| BrowserError::Script {
            text: format!("no random name: {e}"),
        })?
        .path()
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    for (n, b) in name.bytes().enumerate() {
        let i = n % bytes.len();
        bytes[i] = bytes[i].rotate_left(3) ^ b;
    }
    let mut token = String::from("_");
    for b in bytes {
        let _ = write!(token, "{b:02x}");
    }
    Ok(token)
}

/// The whole script for a name and the options.
pub(super) fn assemble(token: &str, options: &ProbeOptions) -> String {
    let config = json!({
        "token": token,
        "mode": match options.mode { ClockMode::Virtual => "virtual", ClockMode::Real => "real" },
        "seed": options.seed,
        "epoch": options.epoch_ms,
        "skipGl": options.skip_gl,
    });
    let size = FILES.iter().map(|f| f.len() + 1).sum::<usize>() + 256;
    let mut script = String::with_capacity(size);
    let _ = writeln!(script, "(() => {{\nconst CFG = {config};");
    for file in FILES {
        script.push_str(file);
        script.push('\n');
    }
    script.push_str("})();\n");
    script
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_probe_has_a_name_of_its_own() {
        let a = token().unwrap();
        let b = token().unwrap();
        assert_ne!(a, b);
        assert_eq!(a.len(), 33);
        assert!(a.chars().all(|c| c == '_' || c.is_ascii_hexdigit()));
    }

    #[test]
    fn the_options_reach_the_script() {
        let options = ProbeOptions {
            seed: Some(7),
            mode: ClockMode::Real,
            ..ProbeOptions::default()
        };
        let script = assemble("_t", &options);
        assert!(script.contains(r#""seed":7"#) && script.contains(r#""mode":"real""#));
        assert!(script.contains(r#""token":"_t""#));
    }
}
