//! What may stand behind a flag.
//!
//! Comes in: a flag's text. Goes out: its value, or what it has to be. Must never know: which flag it is.

use std::ops::RangeInclusive;
use std::time::Duration;

/// A seed or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub Option<u64>);

fn number(text: &str, within: RangeInclusive<f64>, wanted: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n| within.contains(n))
        .ok_or_else(|| wanted.into())
}

pub(super) fn speed(text: &str) -> Result<f64, String> {
    if text == "max" {
        return Ok(f64::INFINITY);
    }
    text.trim_end_matches(['x', '×'])
        .parse::<f64>()
        .ok()
        .filter(|s| *s >= 0.1)
        .ok_or_else(|| "a number of 0.1 and up, or `max`".into())
}

pub(super) fn budget(text: &str) -> Result<f64, String> {
    let dollars = text.trim_start_matches('$');
    number(dollars, 0.0..=1e6, "a number of dollars from 0 up")
}

pub(super) fn price(text: &str) -> Result<(f64, f64), String> {
    text.split_once(',')
        .and_then(|(i, o)| Some((budget(i).ok()?, budget(o).ok()?)))
        .ok_or_else(|| "two numbers of dollars, as in 2.5,10".into())
}

pub(super) fn play_seconds(text: &str) -> Result<f64, String> {
    number(text, 0.0..=86_400.0, "a number of seconds from 0 to 86400")
}

pub(super) fn viewport_of(text: &str) -> Option<(u32, u32)> {
    let (w, h) = text.split_once('x')?;
    Some((w.parse().ok()?, h.parse().ok()?))
}

pub(super) fn viewport(text: &str) -> Result<(u32, u32), String> {
    viewport_of(text)
        .filter(|(w, h)| (100..=8_000).contains(w) && (100..=8_000).contains(h))
        .ok_or_else(|| "a size like 1280x800, each side 100 to 8000".into())
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    text.trim_end_matches('s')
        .parse::<f64>()
        .ok()
        .filter(|s| *s >= 1.0)
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .ok_or_else(|| "a number of seconds, 1 and up".into())
}

pub(super) fn scale_factor(text: &str) -> Result<f64, String> {
    number(text, 0.1..=8.0, "a number from 0.1 to 8")
}

pub(super) fn seed(text: &str) -> Result<Seed, String> {
    if text == "none" {
        return Ok(Seed(None));
    }
    text.parse()
        .map(|n| Seed(Some(n)))
        .map_err(|_| "a whole number from 0 up, or `none`".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_seconds_from_one() {
        assert_eq!(seconds("90"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("1.5s"), Ok(Duration::from_millis(1500)));
        for bad in ["0", "-3", "soon", "NaN", "inf", "1e300"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn speeds_are_numbers_from_a_tenth_or_max() {
        assert_eq!(speed("max"), Ok(f64::INFINITY));
        assert_eq!(speed("0.5x"), Ok(0.5));
        assert!(speed("0.01").is_err() && speed("fast").is_err() && speed("NaN").is_err());
    }
}
