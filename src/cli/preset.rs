//! Flags whose values a configuration gives: which there are, and arguments read with them in place of the program's own.
//!
//! Precedence: a flag, then its environment variable, then the configuration, then what the program has.

use super::Cli;
use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// A table of the configuration: its settings are flags of these commands.
#[derive(Debug)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// What it is about, for people.
    pub about: &'static str,
    /// The commands; the first can be asked for its values with no other argument.
    commands: &'static [&'static str],
    /// The flags, without their dashes.
    pub flags: &'static [&'static str],
}

/// All tables that hold values of flags.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "browser",
        about: "Which browser: watch, run, explore, doctor.",
        commands: &["config", "watch", "run", "explore", "doctor"],
        flags: &["browser", "headed", "no-sandbox"],
    },
    Section {
        name: "page",
        about: "How a page is opened: watch, run, explore.",
        commands: &["config", "watch", "run", "explore"],
        flags: &[
            "allow-net",
            "allow-host",
            "clock",
            "webgl",
            "viewport",
            "scale-factor",
            "seed",
            "play-seconds",
            "no-cache",
        ],
    },
    Section {
        name: "screen",
        about: "How the screen looks: watch, replay, export.",
        commands: &["config", "watch", "replay", "export"],
        flags: &["ascii", "colour", "theme", "graphics", "no-mouse"],
    },
    Section {
        name: "watch",
        about: "What only watch has.",
        commands: &["watch"],
        flags: &["speed"],
    },
    Section {
        name: "run",
        about: "What only run has.",
        commands: &["run"],
        flags: &["speed", "jobs", "timeout", "quiet", "cache"],
    },
    Section {
        name: "model",
        about: "A vision model, asked where pictures alone do not tell: explore, compare.",
        commands: &["explore", "compare"],
        flags: &[
            "model",
            "model-api",
            "model-url",
            "model-key",
            "model-price",
            "budget",
        ],
    },
];

/// A value that a configuration gives to a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    /// The table it stands in.
    pub section: &'static str,
    /// The flag, without its dashes.
    pub flag: String,
    /// The value; several where the flag may be given several times.
    pub values: Vec<String>,
}

/// Where a value came from, as far as the command line knows. What a configuration gives is a default to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum From {
    Flag,
    /// The variable's name.
    Environment(String),
    Default,
}

/// A value that is in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The table it stands in.
    pub section: &'static str,
    /// The flag.
    pub flag: String,
    /// The value; nothing where it has none.
    pub values: Vec<String>,
    /// May it be given several times?
    pub many: bool,
    /// Where it came from.
    pub from: From,
}

fn argument<'a>(command: &'a Command, flag: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|a| a.get_long() == Some(flag))
}

/// The program's arguments. A configuration can switch a flag on, so each of its switches can be switched off again:
/// `--quiet=false`.
pub(super) fn arguments() -> Command {
    let mut all = Cli::command();
    for section in SECTIONS {
        for flag in section.flags {
            for name in section.commands {
                if *name == "watch" {
                    all = switch(all, flag);
                }
                all = all.mut_subcommand(*name, |c| switch(c, flag));
            }
        }
    }
    all
}

fn switch(command: Command, flag: &str) -> Command {
    let found = argument(&command, flag).filter(|a| matches!(a.get_action(), ArgAction::SetTrue));
    let Some(id) = found.map(|a| a.get_id().clone()) else {
        return command;
    };
    command.mut_arg(id, |arg| {
        arg.action(ArgAction::Set)
            .value_name("BOOL")
            .num_args(0..=1)
            .require_equals(true)
            .default_value("false")
            .default_missing_value("true")
            .hide_default_value(true)
            .hide_possible_values(true)
    })
}

/// The program's arguments with other defaults.
fn command(presets: &[Preset]) -> Command {
    let mut all = arguments();
    for preset in presets {
        let section = SECTIONS.iter().find(|s| s.name == preset.section);
        for name in section.map_or(&[][..], |s| s.commands) {
            let change = |command: Command| set(command, preset);
            if *name == "watch" {
                // What is said without a command is said to `watch`.
                all = change(all);
            }
            all = all.mut_subcommand(*name, change);
        }
    }
    all
}

fn set(command: Command, preset: &Preset) -> Command {
    let Some(id) = argument(&command, &preset.flag).map(|a| a.get_id().clone()) else {
        return command;
    };
    // The parser wants texts that outlive it; there are a few, once.
    let values: Vec<&'static str> = preset
        .values
        .iter()
        .map(|v| &*Box::leak(v.clone().into_boxed_str()))
        .collect();
    command.mut_arg(id, |arg| arg.default_values(values))
}

/// What the parser has to say: a mistake, help, a version.
pub type ParseError = clap::Error;

/// Reads arguments.
///
/// # Errors
/// The parser's, for help and versions as well.
pub fn parse(args: &[OsString], presets: &[Preset]) -> Result<Cli, ParseError> {
    let mut command = command(presets);
    let mut matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|e| e.format(&mut command))
}

/// Can the flag have this value?
///
/// # Errors
/// Why it cannot, in words.
pub fn check(preset: &Preset) -> Result<(), String> {
    let section = SECTIONS.iter().find(|s| s.name == preset.section);
    let name = section.and_then(|s| s.commands.first()).copied();
    let all = arguments();
    let subcommand = name.and_then(|n| all.find_subcommand(n));
    let Some(arg) = subcommand.and_then(|c| argument(c, &preset.flag)) else {
        return Err("there is no such flag".into());
    };
    if !matches!(arg.get_action(), ArgAction::Append) && preset.values.len() != 1 {
        return Err("one value, not a list".into());
    }
    let alone = Command::new("one").no_binary_name(true).arg(
        // Alone, it cannot ask for others.
        arg.clone()
            .requires(Resettable::<clap::Id>::Reset)
            .conflicts_with(Resettable::<clap::Id>::Reset)
            .num_args(1)
            .require_equals(true),
    );
    for value in &preset.values {
        let given = format!("--{}={value}", preset.flag);
        if let Err(error) = alone.clone().try_get_matches_from([given]) {
            // The first line says what is wrong with the value, the rest how to ask for help.
            let text = error.to_string();
            let lines: Vec<&str> = text
                .lines()
                .map(str::trim)
                .take_while(|l| !l.starts_with("For more") && !l.starts_with("Usage"))
                .filter(|l| !l.is_empty())
                .collect();
            return Err(lines.join(" ").trim_start_matches("error: ").into());
        }
    }
    Ok(())
}

/// The values in effect with the arguments of `tetrascope config`.
///
/// # Errors
/// Where the arguments cannot be meant.
pub fn effective(args: &[OsString], presets: &[Preset]) -> Result<Vec<Setting>, String> {
    settings(args, &command(presets))
}

/// The program's own values, whatever the environment says.
pub fn usual() -> Vec<Setting> {
    let plain = arguments().mut_subcommands(|c| {
        let ids: Vec<_> = c.get_arguments().map(|a| a.get_id().clone()).collect();
        ids.into_iter()
            .fold(c, |c, id| c.mut_arg(id, |a| a.env(None::<&'static str>)))
    });
    settings(&["tetrascope".into(), "config".into()], &plain).unwrap_or_default()
}

fn settings(args: &[OsString], all: &Command) -> Result<Vec<Setting>, String> {
    let mut settings = Vec::new();
    for section in SECTIONS {
        let Some(name) = section.commands.first() else {
            continue;
        };
        let bare = ["tetrascope".into(), OsString::from(*name)];
        let args = if *name == "config" { args } else { &bare };
        let matches = all
            .clone()
            .try_get_matches_from(args)
            .map_err(|e| e.to_string())?;
        let (Some(matches), Some(command)) =
            (matches.subcommand_matches(name), all.find_subcommand(name))
        else {
            continue;
        };
        for flag in section.flags {
            settings.extend(argument(command, flag).map(|arg| setting(section, arg, matches)));
        }
    }
    Ok(settings)
}

fn setting(section: &Section, arg: &Arg, matches: &ArgMatches) -> Setting {
    let id = arg.get_id().as_str();
    let raw = matches.get_raw(id).into_iter().flatten();
    let environment = arg.get_env().map(|e| e.to_string_lossy().into_owned());
    Setting {
        section: section.name,
        flag: arg.get_long().unwrap_or_default().into(),
        values: raw.map(|v| v.to_string_lossy().into_owned()).collect(),
        many: matches!(arg.get_action(), ArgAction::Append),
        from: match matches.value_source(id) {
            Some(ValueSource::CommandLine) => From::Flag,
            Some(ValueSource::EnvVariable) => From::Environment(environment.unwrap_or_default()),
            _ => From::Default,
        },
    }
}

/// The configuration file that the arguments name, and the arguments as the parser wants them: `--config` may stand
/// before the command.
pub fn config_file(args: Vec<OsString>) -> (Option<std::path::PathBuf>, Vec<OsString>) {
    let mut args = args;
    let named = |a: &OsString| {
        a.to_str()
            .and_then(|a| a.strip_prefix("--config=").map(String::from))
    };
    let length = match args.get(1) {
        Some(first) if first == "--config" => 2,
        Some(first) if named(first).is_some() => 1,
        _ => 0,
    };
    let all = arguments();
    let command = args.get(1 + length).and_then(|c| c.to_str());
    if length > 0 && command.is_some_and(|c| c == "help" || all.find_subcommand(c).is_some()) {
        let moved: Vec<OsString> = args.drain(1..=length).collect();
        args.splice(2..2, moved);
    }
    let mut file = None;
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        if arg == "--" {
            break;
        }
        if arg == "--config" {
            file = rest.next().map(std::path::PathBuf::from);
        } else if let Some(path) = named(arg) {
            file = Some(path.into());
        }
    }
    let file = file.or_else(|| {
        let set = std::env::var_os("TETRASCOPE_CONFIG").filter(|f| !f.is_empty());
        set.map(Into::into)
    });
    (file, args)
}
