//! The configuration as it is in effect, as a configuration: each value with where it came from.

use super::Config;
use crate::cli::{self, From};
use crate::tui::{Keymap, Theme};
use std::ffi::OsString;
use std::fmt::Write;

/// What is in effect with these arguments of `tetrascope config`. It can be read as a configuration.
///
/// # Errors
/// Where the arguments cannot be meant.
pub fn show(config: &Config, args: &[OsString]) -> Result<String, String> {
    let file = config.file.as_ref().map(|f| f.display().to_string());
    let mut out = String::new();
    let put = |out: &mut String, name: &str, value: &str, from: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{:<40}  # {from}", format!("{name} = {value}"));
    };
    let _ = match &file {
        Some(file) => writeln!(out, "# {file}"),
        None => writeln!(
            out,
            "# no file; it would be {}",
            super::usual_file().map_or("in your home, if you had one".into(), |f| f
                .display()
                .to_string())
        ),
    };
    let line = |n: usize| format!("{}:{n}", file.as_deref().unwrap_or_default());
    let mut section = "";
    let mut theme = String::from("default");
    for setting in cli::effective(args, &config.presets())? {
        if setting.section != section {
            section = setting.section;
            let _ = writeln!(out, "\n[{section}]");
        }
        let said = config
            .presets
            .iter()
            .find(|p| p.what.section == section && p.what.flag == setting.flag);
        let from = match (&setting.from, said) {
            (From::Flag, _) => format!("flag --{}", setting.flag),
            (From::Environment(name), _) => format!("environment {name}"),
            (From::Default, Some(said)) => line(said.line),
            (From::Default, None) => "default".into(),
        };
        if (section, setting.flag.as_str()) == ("screen", "theme") {
            theme = setting.values.concat();
        }
        match literal(&setting) {
            Some(value) => put(&mut out, &setting.flag, &value, &from),
            // What has no value cannot be written as one.
            None => {
                let _ = writeln!(out, "# {} is not set", setting.flag);
            }
        }
    }
    let _ = writeln!(out, "\n[keys]");
    for (name, usual) in Keymap::names() {
        let said = config.keys.get(name);
        let keys: Vec<String> = match said {
            Some(said) => said.what.clone(),
            None => usual.iter().map(ToString::to_string).collect(),
        };
        let from = said.map_or("default".into(), |s| line(s.line));
        put(&mut out, name, &list(&keys), &from);
    }
    let in_effect = config
        .theme(&theme)
        .ok_or_else(|| format!("--theme: {theme:?} is no theme"))?;
    let _ = writeln!(out, "\n[colours]");
    for (name, tone) in in_effect.palette().colours() {
        let from = match config.colours.get(name) {
            Some(said) => line(said.line),
            None => format!("theme {theme}"),
        };
        put(&mut out, name, &format!("{:?}", tone.to_string()), &from);
    }
    for (name, made) in &config.themes {
        let _ = writeln!(out, "\n[themes.{}]", key(name));
        let base = Theme::NAMES
            .into_iter()
            .find(|n| Theme::named(n) == Some(made.what.base))
            .unwrap_or("default");
        put(&mut out, "base", &format!("{base:?}"), &line(made.line));
        for (name, tone) in &made.what.tones {
            put(
                &mut out,
                name,
                &format!("{:?}", tone.to_string()),
                &line(made.line),
            );
        }
    }
    Ok(crate::app::harmless_lines(&out))
}

/// A configuration that says everything and changes nothing, to begin one's own with.
pub fn usual() -> String {
    let mut out = String::from(
        "# Everything that can be set, as it is without a configuration. Keep what you change.\n\
         # Most settings have the name of a flag, and are explained by `tetrascope COMMAND --help`.\n",
    );
    let mut section = "";
    for setting in cli::usual() {
        if setting.section != section {
            section = setting.section;
            let about = cli::SECTIONS.iter().find(|s| s.name == section);
            let about = about.map_or("", |s| s.about);
            let _ = writeln!(out, "\n# {about}\n[{section}]");
        }
        let _ = match literal(&setting) {
            Some(value) => writeln!(out, "{} = {value}", setting.flag),
            None => writeln!(out, "# {} is not set", setting.flag),
        };
    }
    out += "\n# Keys: a character as it is typed, or space, enter, esc, tab, up, down, left, right, home, end,\n\
            # pageup, pagedown, insert, delete, backspace, F1 to F12, with ctrl-, alt- or shift- before it.\n[keys]\n";
    for (name, keys) in Keymap::names() {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "{name} = {}", list(&keys));
    }
    out += "\n# Colours, whatever the theme: \"#rrggbb\", a name like \"red\" or \"bright-blue\", or \"default\".\n\
            [colours]\n";
    for (name, tone) in Theme::Default.palette().colours() {
        let _ = writeln!(out, "# {name} = {:?}", tone.to_string());
    }
    out += "\n# A theme of your own, for `theme = \"mine\"`.\n# [themes.mine]\n# base = \"dark\"\n# accent = \"#ffb000\"\n";
    out
}

/// A name as it must be written where it may be anything.
fn key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(plain) {
        name.into()
    } else {
        toml::Value::String(name.into()).to_string()
    }
}

fn text(text: &str) -> String {
    toml::Value::String(text.into()).to_string()
}

fn list(all: &[String]) -> String {
    let all: Vec<String> = all.iter().map(|k| text(k)).collect();
    format!("[{}]", all.join(", "))
}

/// A setting's value as a configuration writes it; `None` where it has none.
fn literal(setting: &cli::Setting) -> Option<String> {
    if setting.many {
        return Some(list(&setting.values));
    }
    let value = setting.values.first()?;
    let bare = matches!(value.as_str(), "true" | "false")
        || (value.len() < 19 && value.bytes().all(|b| b.is_ascii_digit()));
    Some(if bare { value.clone() } else { text(value) })
}
