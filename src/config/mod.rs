//! Where things are kept on this machine, and what its owner wants.
//!
//! Comes in: the environment, a configuration file. Goes out: paths, the same on every Unix (XDG); keys, colours and the
//! values of flags that were not given. Must never know: what is done with them.

mod read;
mod show;

pub use read::ConfigError;
pub use show::{show, usual};

use crate::cli::Preset;
use crate::tui::{Keymap, Theme, Tone};
use etcetera::{BaseStrategy, choose_base_strategy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where recordings go that are given no folder of their own; `None` where there is no home.
pub fn recordings() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    Some(base.data_dir().join("tetrascope").join("recordings"))
}

/// Where what runs learned of pages is kept; `None` where there is no home.
pub fn cached_profiles() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    Some(base.cache_dir().join("tetrascope").join("profiles"))
}

/// Where profiles are kept that people made by hand.
pub fn profiles() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    Some(base.data_dir().join("tetrascope").join("profiles"))
}

/// The configuration file that is read where none is named; `None` where there is no home.
pub fn usual_file() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    Some(base.config_dir().join("tetrascope").join("config.toml"))
}

/// Something of the file, and the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<T> {
    /// What.
    pub what: T,
    /// The line, from 1.
    pub line: usize,
}

/// A theme that somebody made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Made {
    base: Theme,
    tones: Vec<(String, Tone)>,
}

/// What the owner of this machine wants.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The file it was read from; `None` where there is none.
    pub file: Option<PathBuf>,
    /// Values of flags.
    presets: Vec<Said<Preset>>,
    /// Keys that were changed, by name.
    keys: BTreeMap<String, Said<Vec<String>>>,
    keymap: Keymap,
    /// Colours that were changed, whatever the theme.
    colours: BTreeMap<String, Said<Tone>>,
    themes: BTreeMap<String, Said<Made>>,
}

impl Config {
    /// Reads a file: the one that was named, or the usual one if it is there.
    ///
    /// # Errors
    /// Where the named file cannot be read, or anything in the file cannot be meant.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        let (path, needed) = match named {
            Some(path) => (path.to_owned(), true),
            None => match usual_file() {
                Some(path) => (path, false),
                None => return Ok(Self::default()),
            },
        };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !needed => {
                return Ok(Self::default());
            }
            Err(error) => return Err(ConfigError::Unreadable { path, error }),
        };
        Self::parse(&text, &path)
    }

    /// Reads a text as if it stood in the file.
    ///
    /// # Errors
    /// Where anything in it cannot be meant.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        read::read(text, path)
    }

    /// Values of flags that take the place of the program's own.
    pub fn presets(&self) -> Vec<Preset> {
        self.presets.iter().map(|p| p.what.clone()).collect()
    }

    /// Which key means what.
    pub fn keymap(&self) -> Keymap {
        self.keymap.clone()
    }

    /// A theme by its name, with the colours that were changed.
    pub fn theme(&self, name: &str) -> Option<Theme> {
        let theme = match self.themes.get(name) {
            None => Theme::named(name)?,
            Some(made) => {
                let mut palette = made.what.base.palette();
                for (name, tone) in &made.what.tones {
                    palette.set(name, *tone);
                }
                Theme::Custom(palette)
            }
        };
        if self.colours.is_empty() {
            return Some(theme);
        }
        let mut palette = theme.palette();
        for (name, tone) in &self.colours {
            palette.set(name, tone.what);
        }
        Some(Theme::Custom(palette))
    }

    /// The names of all themes.
    pub fn themes(&self) -> impl Iterator<Item = &str> {
        let made = self.themes.keys().map(String::as_str);
        Theme::NAMES.into_iter().chain(made)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(text, Path::new("c.toml"))
    }

    #[test]
    fn what_cannot_be_meant_is_told_with_its_line_and_what_to_do() {
        for (text, said) in [
            ("[page]\nviewport = \"x\"", "c.toml:2: page.viewport: "),
            ("\n[pages]\n", "c.toml:2: there is no table \"pages\""),
            (
                "[screen]\nthem = 1",
                "c.toml:2: there is no \"them\" in [screen]; it has ascii",
            ),
            (
                "[keys]\nhold = \"n\"",
                "c.toml:2: keys.hold: \"n\" is the key of \"next\" already",
            ),
            ("[keys]\nfly = \"n\"", "c.toml:2: keys.fly: "),
            ("[keys]\nlog = [\"j\"]\nquit = [\"j\"]", "(line 2)"),
            (
                "[keys]\nhold = 3",
                "c.toml:2: keys.hold: a key or a list of keys",
            ),
            (
                "[colours]\ntext = \"mud\"",
                "c.toml:2: colours.text: \"mud\" is no colour",
            ),
            (
                "[colours]\nmud = \"red\"",
                "c.toml:2: there is no \"mud\" in [colours]",
            ),
            (
                "[themes.a]\nbase = \"b\"",
                "c.toml:2: themes.a.base: \"b\" is no theme",
            ),
            ("[themes.dark]\n", "c.toml:1: themes.dark: "),
            ("[screen]\ntheme = \"no\"", "c.toml:2: screen.theme: "),
            ("[screen]\nascii = 1", "c.toml:2: screen.ascii: "),
            (
                "[page]\nviewport = \"800x600\"\nviewport = \"800x600\"",
                "c.toml:3: ",
            ),
            ("a = 1", "c.toml:1: there is no table \"a\""),
            ("[page", "c.toml:1: "),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn a_theme_is_laid_over_another_and_single_colours_over_that() {
        let text = "[screen]\ntheme = \"mine\"\n[themes.mine]\nbase = \"light\"\ntext = \"#010203\"\n\
                    dim = \"red\"\n[colours]\ndim = \"#040506\"";
        let config = parse(text).unwrap();
        let palette = config.theme("mine").unwrap().palette();
        let tone = |name| palette.colours().find(|c| c.0 == name).unwrap().1;
        assert_eq!(tone("text"), Tone::Rgb(1, 2, 3));
        assert_eq!(tone("dim"), Tone::Rgb(4, 5, 6));
        let light = Theme::Light.palette();
        assert_eq!(
            Some(tone("good")),
            light.colours().find(|c| c.0 == "good").map(|c| c.1)
        );
        assert_eq!(config.theme("nothing"), None);
    }

    #[test]
    fn the_bundled_configuration_says_everything_and_changes_nothing() {
        let text = include_str!("../../assets/config.toml");
        let config = parse(text).unwrap();
        assert_eq!(config.keymap(), Keymap::default());
        assert_eq!(config.keys.len(), Keymap::names().count());
        let args = [std::ffi::OsString::from("tetrascope"), "config".into()];
        let (shown, plain) = (
            show(&config, &args).unwrap(),
            show(&Config::default(), &args).unwrap(),
        );
        let values = |text: &str| -> Vec<String> {
            let lines = text
                .lines()
                .filter(|l| !l.starts_with('#') && !l.is_empty());
            lines
                .map(|l| l.split("  # ").next().unwrap_or(l).trim_end().to_owned())
                .collect()
        };
        assert_eq!(values(&shown), values(&plain));
        assert_eq!(
            text,
            usual(),
            "assets/config.toml is not as `tetrascope config --usual` prints it"
        );
    }

    #[test]
    fn what_is_shown_can_be_read_again() {
        let own = "[page]\nseed = \"none\"\nallow-host = [\"a.b\"]\n[run]\njobs = 3\n[screen]\nascii = true\n\
                   theme = \"x\"\n[keys]\nhold = \"j\"\n[themes.x]\nbase = \"mono\"\n[colours]\ngood = \"green\"";
        let args = [std::ffi::OsString::from("tetrascope"), "config".into()];
        let shown = show(&parse(own).unwrap(), &args).unwrap();
        for part in [
            "jobs = 3",
            "c.toml:5",
            "hold = [\"j\"]",
            "allow-host = [\"a.b\"]",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        let again = parse(&shown).unwrap();
        assert_eq!(again.keymap(), parse(own).unwrap().keymap());
        assert_eq!(again.theme("x"), parse(own).unwrap().theme("x"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\[?[a-z.-]{0,8}\\]?|[a-z]+ ?= ?[\"a-z0-9\\[\\]#{}=, -]{0,12}|\\PC{0,20}|\n){0,12}") {
            let _ = parse(&text);
        }
    }
}
