//! From the text of a configuration to what it means. Every mistake is told with its line and what to do about it.

use super::{Config, Made, Said};
use crate::cli::{self, Preset, SECTIONS};
use crate::tui::{Keymap, Theme, Tone};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ConfigError {
    /// The file that was named is not there, or must not be read.
    #[error("--config: {} could not be read: {error}", path.display())]
    Unreadable {
        path: PathBuf,
        error: std::io::Error,
    },
    /// Something in it cannot be meant.
    #[error("{}:{line}: {what}", path.display())]
    Wrong {
        path: PathBuf,
        line: usize,
        what: String,
    },
}

/// A mistake: where in the text, and what.
type Wrong = (Range<usize>, String);
type Value<'a> = Spanned<DeValue<'a>>;

pub(super) fn read(text: &str, path: &Path) -> Result<Config, ConfigError> {
    let line = |at: usize| 1 + text.bytes().take(at).filter(|b| *b == b'\n').count();
    let wrong = |(at, what): Wrong| ConfigError::Wrong {
        path: path.to_owned(),
        line: line(at.start),
        what: crate::session::harmless(&what),
    };
    let root = DeTable::parse(text).map_err(|e| {
        let at = e.span().unwrap_or_default();
        wrong((at, e.message().trim().replace('\n', ", ")))
    })?;
    let mut config = Config {
        file: Some(path.to_owned()),
        ..Config::default()
    };
    tables(root.get_ref(), &line, &mut config).map_err(wrong)?;
    Ok(config)
}

fn tables(
    root: &DeTable<'_>,
    line: &impl Fn(usize) -> usize,
    config: &mut Config,
) -> Result<(), Wrong> {
    let mut theme = None;
    for (name, value) in root {
        let table = match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => None,
        };
        let section = SECTIONS.iter().find(|s| s.name == name.get_ref());
        match (name.get_ref().as_ref(), table) {
            ("keys", Some(table)) => {
                for (name, value) in table {
                    let what = keys_of(name.get_ref(), value)?;
                    let line = line(name.span().start);
                    let name = name.get_ref().to_string();
                    config.keys.insert(name, Said { what, line });
                }
                bind(config, table)?;
            }
            ("colours", Some(table)) => {
                for (name, value) in table {
                    let what = tone(name, value, "colours")?;
                    let line = line(name.span().start);
                    let name = name.get_ref().to_string();
                    config.colours.insert(name, Said { what, line });
                }
            }
            ("themes", Some(table)) => {
                for (name, value) in table {
                    let what = made(name, value)?;
                    let line = line(name.span().start);
                    let name = name.get_ref().to_string();
                    config.themes.insert(name, Said { what, line });
                }
            }
            (_, Some(table)) => {
                let Some(section) = section else {
                    return Err(no_table(name));
                };
                for (flag, value) in table {
                    if !section.flags.contains(&flag.get_ref().as_ref()) {
                        return Err(unknown(flag, section.name, section.flags.iter().copied()));
                    }
                    let place = format!("{}.{}", section.name, flag.get_ref());
                    let preset = Preset {
                        section: section.name,
                        flag: flag.get_ref().to_string(),
                        values: values(value).ok_or_else(|| {
                            let what = format!("{place}: a text, a number, true, false or a list");
                            (value.span(), what)
                        })?,
                    };
                    cli::check(&preset).map_err(|e| (value.span(), format!("{place}: {e}")))?;
                    if place == "screen.theme" {
                        theme = Some((value.span(), preset.values.concat()));
                    }
                    let line = line(flag.span().start);
                    config.presets.push(Said { what: preset, line });
                }
            }
            (_, None) => return Err(no_table(name)),
        }
    }
    if let Some((at, name)) = theme.filter(|t| config.theme(&t.1).is_none()) {
        let all: Vec<&str> = config.themes().collect();
        let all = all.join(", ");
        return Err((
            at,
            format!("screen.theme: {name:?} is no theme; there are {all}"),
        ));
    }
    Ok(())
}

fn no_table(name: &Spanned<Cow<'_, str>>) -> Wrong {
    let mut names: Vec<&str> = SECTIONS.iter().map(|s| s.name).collect();
    names.extend(["keys", "colours", "themes"]);
    let names = names.join("], [");
    let what = format!(
        "there is no table {:?}; there are [{names}]",
        name.get_ref()
    );
    (name.span(), what)
}

fn unknown<'a>(
    name: &Spanned<Cow<'_, str>>,
    table: &str,
    names: impl Iterator<Item = &'a str>,
) -> Wrong {
    let names: Vec<&str> = names.collect();
    let what = format!(
        "there is no {:?} in [{table}]; it has {}",
        name.get_ref(),
        names.join(", ")
    );
    (name.span(), what)
}

/// A value as it would stand on the command line.
fn values(value: &Value<'_>) -> Option<Vec<String>> {
    Some(match value.get_ref() {
        DeValue::String(text) => vec![text.to_string()],
        DeValue::Integer(n) => vec![n.to_string()],
        DeValue::Float(n) => vec![n.to_string()],
        DeValue::Boolean(b) => vec![b.to_string()],
        DeValue::Array(all) => {
            let mut texts = Vec::new();
            for one in all {
                let DeValue::String(text) = one.get_ref() else {
                    return None;
                };
                texts.push(text.to_string());
            }
            texts
        }
        _ => return None,
    })
}

fn keys_of(name: &str, value: &Value<'_>) -> Result<Vec<String>, Wrong> {
    match value.get_ref() {
        DeValue::String(_) | DeValue::Array(_) => values(value),
        _ => None,
    }
    .ok_or_else(|| {
        let what =
            format!("keys.{name}: a key or a list of keys, as in \"n\" or [\"n\", \"ctrl-n\"]");
        (value.span(), what)
    })
}

/// Makes the keymap, and finds the place of what is wrong with it.
fn bind(config: &mut Config, table: &DeTable<'_>) -> Result<(), Wrong> {
    let keys: BTreeMap<String, Vec<String>> = config
        .keys
        .iter()
        .map(|(name, said)| (name.clone(), said.what.clone()))
        .collect();
    config.keymap = Keymap::with(&keys).map_err(|error| {
        let at = table.iter().find(|k| k.0.get_ref() == error.name());
        let mut what = format!("keys.{}: {error}", error.name());
        if let crate::tui::KeymapError::Clash { other, .. } = &error {
            what += " ";
            what += &match config.keys.get(other) {
                Some(said) => ["(line ", &said.line.to_string(), ")"].concat(),
                None => "(its usual key)".into(),
            };
        }
        (at.map_or(0..0, |a| a.0.span()), what)
    })?;
    Ok(())
}

fn tone(name: &Spanned<Cow<'_, str>>, value: &Value<'_>, table: &str) -> Result<Tone, Wrong> {
    let all = Theme::Default.palette();
    if all.colours().all(|c| c.0 != name.get_ref()) {
        return Err(unknown(name, table, all.colours().map(|c| c.0)));
    }
    let text = values(value).unwrap_or_default().concat();
    Tone::parse(&text).ok_or_else(|| {
        let what = format!(
            "{table}.{}: {text:?} is no colour; write \"#rrggbb\", a name like \"red\" or \"bright-blue\", or \
             \"default\" for the terminal's own",
            name.get_ref()
        );
        (value.span(), what)
    })
}

fn made(name: &Spanned<Cow<'_, str>>, value: &Value<'_>) -> Result<Made, Wrong> {
    let place = format!("themes.{}", name.get_ref());
    if Theme::named(name.get_ref()).is_some() {
        let what = format!(
            "{place}: a theme of that name comes with the program; take another name, with base = {:?}",
            name.get_ref()
        );
        return Err((name.span(), what));
    }
    let DeValue::Table(table) = value.get_ref() else {
        return Err((value.span(), format!("{place}: a table of colours")));
    };
    let mut made = Made::default();
    for (name, value) in table {
        if name.get_ref() == "base" {
            let base = values(value).unwrap_or_default().concat();
            made.base = Theme::named(&base).ok_or_else(|| {
                let all = Theme::NAMES.join(", ");
                let what =
                    format!("{place}.base: {base:?} is no theme to begin with; there are {all}");
                (value.span(), what)
            })?;
        } else {
            let tone = tone(name, value, &place)?;
            made.tones.push((name.get_ref().to_string(), tone));
        }
    }
    Ok(made)
}
