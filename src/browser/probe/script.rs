//! The scripts put together: one closure, a random name.

use super::ProbeOptions;
use crate::model::ClockMode;
use serde_json::json;
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The files in their order: what a file needs stands before it. `natives` comes before everything that wraps
/// methods the lens uses.
const FILES: &[&str] = &[
    include_str!("../../../assets/probe/core.js"),
    include_str!("../../../assets/probe/natives.js"),
    include_str!("../../../assets/probe/measure.js"),
    include_str!("../../../assets/probe/clock.js"),
    include_str!("../../../assets/probe/timers.js"),
    include_str!("../../../assets/probe/dates.js"),
    include_str!("../../../assets/probe/motion.js"),
    include_str!("../../../assets/probe/tally.js"),
    include_str!("../../../assets/probe/sheet.js"),
    include_str!("../../../assets/probe/webgl.js"),
    include_str!("../../../assets/probe/beneath.js"),
    include_str!("../../../assets/probe/text.js"),
    include_str!("../../../assets/probe/ink.js"),
    include_str!("../../../assets/probe/targets.js"),
    include_str!("../../../assets/probe/css.js"),
    include_str!("../../../assets/probe/aside.js"),
    include_str!("../../../assets/probe/looks.js"),
    include_str!("../../../assets/probe/glyphs.js"),
    include_str!("../../../assets/probe/draw.js"),
    include_str!("../../../assets/probe/walk.js"),
    include_str!("../../../assets/probe/svg.js"),
    include_str!("../../../assets/probe/page.js"),
    include_str!("../../../assets/probe/paint.js"),
    include_str!("../../../assets/probe/texts.js"),
    include_str!("../../../assets/probe/survey.js"),
    include_str!("../../../assets/probe/read.js"),
    include_str!("../../../assets/probe/access.js"),
    include_str!("../../../assets/probe/focus.js"),
];

/// A name of 128 random bits: what keyed hashers give, whose keys come from the operating system.
pub(super) fn token() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("_{:016x}{:016x}", half(), half())
}

/// The whole script for a name and the options.
pub(super) fn assemble(token: &str, options: &ProbeOptions) -> String {
    let config = json!({
        "token": token,
        "mode": match options.mode { ClockMode::Virtual => "virtual", ClockMode::Real => "real" },
        "seed": options.seed,
        "epoch": options.epoch_ms,
        "skipGl": options.skip_gl,
        "refuseGl": options.refuse_gl,
        "litBorders": options.lit_borders,
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
    use super::*;

    #[test]
    fn every_probe_has_a_name_of_its_own() {
        let a = token();
        let b = token();
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
