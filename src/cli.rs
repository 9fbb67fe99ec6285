//! The arguments of the program.
//!
//! Comes in: the command line. Goes out: plain option structs. Must never know: what is done with them.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A terminal-UI live observer and judge for browser Tetris.
///
/// TARGET is a URL, an HTML file or a folder (served on 127.0.0.1); with none, the bundled demo game.
#[derive(Debug, Parser)]
#[command(version, about, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; `watch` if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The arguments of `watch`.
    #[command(flatten)]
    pub watch: Watch,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch the judgement live in the terminal (the default).
    Watch(Watch),
    /// Judge without a UI: a line per event on stderr, the report as JSON on stdout.
    ///
    /// Exit code 0: every check passed; 1: some failed; 2: usage; 3: it could not judge.
    Run(Run),
    /// Say what is on this machine: browser, terminal, paths.
    Doctor(Doctor),
}

/// `tetrascope watch`
#[derive(Debug, Args)]
pub struct Watch {
    /// A URL, an HTML file or a folder; the bundled demo game if left out.
    pub target: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub page: PageArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub screen: ScreenArgs,
    /// Game seconds a wall second once a board is found, 0.1 and up; `max` is as fast as it goes.
    #[arg(long, default_value = "1", value_parser = speed)]
    pub speed: f64,
    /// On leaving, write the report to this file.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// `tetrascope run`
#[derive(Debug, Args)]
pub struct Run {
    /// A URL, an HTML file or a folder; the bundled demo game if left out.
    pub target: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub page: PageArgs,
    /// Game seconds a wall second, 0.1 and up; `max` is as fast as it goes.
    #[arg(long, default_value = "max", value_parser = speed)]
    pub speed: f64,
    /// Write the report to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// No lines on stderr.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `tetrascope doctor`
#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub browser: BrowserArgs,
}

/// Which browser.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// The browser's executable.
    #[arg(long, value_name = "PATH", env = "TETRASCOPE_BROWSER")]
    pub browser: Option<PathBuf>,
    /// A running or remote browser: ws://… or http://….
    #[arg(long, value_name = "URL", conflicts_with_all = ["browser", "headed"])]
    pub browser_url: Option<String>,
    /// Show the browser's window.
    #[arg(long)]
    pub headed: bool,
    /// Install a browser if none is found.
    #[arg(long)]
    pub install_browser: bool,
}

/// How the page is opened.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Page")]
pub struct PageArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub browser: BrowserArgs,
    /// Let the page reach every host.
    #[arg(long)]
    pub allow_net: bool,
    /// Let the page reach this host too; may be given more than once.
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Which clock the page lives by.
    #[arg(long, value_enum, default_value_t = ClockChoice::Auto)]
    pub clock: ClockChoice,
    /// Size of the page in CSS pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = viewport)]
    pub viewport: (u32, u32),
    /// Device pixels a CSS pixel.
    #[arg(long, value_name = "RATIO", default_value_t = 1.0)]
    pub scale_factor: f64,
    /// Seed of the page's Math.random, so that runs repeat; `none` leaves it alone.
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: Seed,
}

/// How the screen looks.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Screen")]
pub struct ScreenArgs {
    /// Draw with ASCII characters only.
    #[arg(long)]
    pub ascii: bool,
    /// Colours.
    #[arg(long, value_enum, default_value_t = ColourChoice::Auto)]
    pub colour: ColourChoice,
    /// Theme; `default` keeps the terminal's own colours.
    #[arg(long, value_enum, default_value_t = ThemeChoice::Default)]
    pub theme: ThemeChoice,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub no_mouse: bool,
}

/// Which clock the page lives by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ClockChoice {
    /// Ours where the page honours it, else the machine's.
    #[default]
    Auto,
    /// Ours.
    Virtual,
    /// The machine's.
    Real,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ColourChoice {
    /// Where the terminal has them and `NO_COLOR` is not set.
    #[default]
    Auto,
    Never,
    Always,
}

/// Which theme.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ThemeChoice {
    #[default]
    Default,
    Dark,
    Light,
}

/// A seed or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub Option<u64>);

fn speed(text: &str) -> Result<f64, String> {
    if text == "max" {
        return Ok(f64::INFINITY);
    }
    text.trim_end_matches(['x', '×'])
        .parse::<f64>()
        .ok()
        .filter(|s| *s >= 0.1)
        .ok_or_else(|| "a number of 0.1 and up, or `max`".into())
}

fn viewport(text: &str) -> Result<(u32, u32), String> {
    text.split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)))
        .filter(|(w, h)| (100..=8_000).contains(w) && (100..=8_000).contains(h))
        .ok_or_else(|| "a size like 1280x800, each side 100 to 8000".into())
}

fn seed(text: &str) -> Result<Seed, String> {
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
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_bare_target_is_watched_at_speed_one() {
        let cli = Cli::parse_from(["tetrascope", "./games/dom-3"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.watch.target.as_deref(), Some("./games/dom-3"));
        assert!((cli.watch.speed - 1.0).abs() < 1e-9);
    }

    #[test]
    fn speeds_are_numbers_from_a_tenth_or_max() {
        assert_eq!(speed("max"), Ok(f64::INFINITY));
        assert_eq!(speed("0.5x"), Ok(0.5));
        assert!(speed("0.01").is_err() && speed("fast").is_err() && speed("NaN").is_err());
    }
}
