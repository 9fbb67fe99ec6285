//! The arguments of the program.
//!
//! Comes in: the command line. Goes out: plain option structs. Must never know: what is done with them.

mod export;
mod preset;
mod recording;
mod value;

pub use export::{CastChoice, Export};
pub use preset::{
    From, ParseError, Preset, SECTIONS, Section, Setting, check, config_file, effective, parse,
    usual,
};
pub use recording::{BoardArg, CorrectionArgs, Diff, Judge, RecordArgs, Replay};
pub use value::Seed;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use value::{budget, play_seconds, price, scale_factor, seconds, seed, speed, viewport};

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
    /// The configuration; else `TETRASCOPE_CONFIG`, else tetrascope/config.toml among the user's configurations.
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch the judgement live in the terminal (the default).
    Watch(Watch),
    /// Judge without a UI: a line per event on stderr, the report as JSON on stdout.
    ///
    /// With several targets, a line per phase and page on stderr, a table at the end, and the reports in `--out DIR`
    /// (or on stdout, one a line). A page that cannot be judged does not stop the others.
    ///
    /// Exit code 0: no check failed; 1: some did; 2: usage; 3: a page could not be judged (whatever the others did).
    Run(Run),
    /// Watch a recording in the terminal: play, step both ways, go anywhere.
    ///
    /// Without a terminal it is judged, as `judge` does.
    Replay(Replay),
    /// Judge a recording again, with no browser, to the same report.
    ///
    /// Exit codes are those of `run`. What is wrong with the recording is said on stderr.
    Judge(Judge),
    /// Say whether a game's state progressed between two pictures.
    ///
    /// Exit code 0: progressed; 1: unchanged; 4: it cannot be told; 2: usage; 3: a picture could not be read.
    Compare(Compare),
    /// Explore any browser game: do what can be done, see what leads on, and tell how far it goes.
    ///
    /// In a terminal it is shown as it goes on, and can be held, stepped and driven; elsewhere it tells a line an action.
    ///
    /// Exit code 0: the text of --until came up, or, without it, something led on; 1: not; 2: usage; 3: it could not.
    Explore(Explore),
    /// Say where two recorded runs part: the first event that differs, and the verdicts that do.
    ///
    /// Exit code 0: no difference; 1: there is one; 2: usage; 3: it could not compare.
    Diff(Diff),
    /// Make a page, an animation or pictures of a recording.
    Export(Export),
    /// Say what is on this machine: browser, terminal, paths.
    Doctor(Doctor),
    /// Print the configuration in effect, and where each value came from: the program, the file, the environment, a flag.
    Config(ConfigArgs),
    /// Print the JSON Schema of the report.
    Schema,
    /// Print the completions for a shell: `tetrascope completions bash > …`.
    Completions(Completions),
    /// Print the manual page, or write those of all commands into a folder.
    Man(Man),
}

/// `tetrascope compare`
#[derive(Debug, Args)]
pub struct Compare {
    /// The picture from before the action: PNG or JPEG.
    #[arg(required_unless_present = "batch")]
    pub before: Option<PathBuf>,
    /// The picture from after it.
    #[arg(required_unless_present = "batch")]
    pub after: Option<PathBuf>,
    /// Pictures from before the action, taken while nothing was done, in order: what moves by itself is no progress.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub idle: Vec<PathBuf>,
    /// A later picture from after the action: what passes is no progress.
    #[arg(long, value_name = "FILE")]
    pub after2: Option<PathBuf>,
    /// The page's visible text before the action.
    #[arg(long, value_name = "FILE", requires = "text_after")]
    pub text_before: Option<PathBuf>,
    /// The page's visible text after it.
    #[arg(long, value_name = "FILE", requires = "text_before")]
    pub text_after: Option<PathBuf>,
    /// What kind of thing was done: the pointer brings highlights with it, keys do not.
    #[arg(long, value_enum)]
    pub action: Option<DeedChoice>,
    /// Print the whole answer as JSON.
    #[arg(long)]
    pub json: bool,
    /// Draw the pictures in the terminal, with boxes where they differ.
    #[arg(long)]
    pub show: bool,
    /// Write the pictures with the boxes to this PNG file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Judge all cases of this JSON file: a line of JSON a case, and a table on stderr where cases are labelled.
    #[arg(
        long,
        value_name = "CASES",
        conflicts_with_all = ["before", "after", "idle", "after2", "text_before", "action", "show", "out", "json"]
    )]
    pub batch: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub model: ModelArgs,
}

/// `tetrascope explore`
#[derive(Debug, Args)]
pub struct Explore {
    /// A URL, an HTML file or a folder; the bundled demo game if left out.
    pub target: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub page: PageArgs,
    /// Actions at most.
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub max_actions: usize,
    /// Wall time at most, in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub max_time: Option<u64>,
    /// Stop when the page shows this text.
    #[arg(long, value_name = "TEXT")]
    pub until: Option<String>,
    /// Also ask the model which action to take next; what it chooses must be possible.
    #[arg(long, requires = "model")]
    pub advised: bool,
    /// Lines instead of the screen, also in a terminal.
    #[arg(long)]
    pub headless: bool,
    /// Write a page with the screens that were reached to this file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub recording: RecordArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub screen: ScreenArgs,
    /// Write the report to this file instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// No lines on stderr.
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub model: ModelArgs,
}

/// A vision model, asked only where the pictures alone leave it uncertain.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Vision model")]
pub struct ModelArgs {
    /// Ask this vision model where the pictures alone do not tell; none is asked without it.
    #[arg(long, value_name = "NAME", env = "TETRASCOPE_MODEL")]
    pub model: Option<String>,
    /// Which format its server speaks.
    #[arg(long, value_enum, default_value_t = ApiChoice::Openai, requires = "model")]
    pub model_api: ApiChoice,
    /// Its server, such as <http://127.0.0.1:11434/v1>; else `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL`, else theirs.
    #[arg(long, value_name = "URL", requires = "model")]
    pub model_url: Option<String>,
    /// The environment variable that holds the key; else `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`.
    #[arg(long, value_name = "VARIABLE", requires = "model")]
    pub model_key: Option<String>,
    /// Dollars a million tokens in and out; else nothing on this machine, and 15,75 elsewhere.
    #[arg(long, value_name = "IN,OUT", value_parser = price, requires = "model")]
    pub model_price: Option<(f64, f64)>,
    /// Dollars that may be spent; asking stops at nine tenths of it.
    #[arg(long, value_name = "DOLLARS", default_value = "0.50", value_parser = budget)]
    pub budget: f64,
    /// Say on stderr what would be sent to the model, and send nothing.
    #[arg(long, requires = "model")]
    pub dry_run: bool,
}

/// Which format a model's server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ApiChoice {
    Openai,
    Anthropic,
}

/// What kind of thing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum DeedChoice {
    Hover,
    Click,
    Key,
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
    pub recording: RecordArgs,
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
    /// URLs, HTML files, folders, or `-` for a list of them from stdin, one a line; the bundled demo game if left out.
    ///
    /// A folder with an index.html is one page. Without one, each HTML file in it is a page; without any, each of its
    /// sub-folders that holds some is taken the same way.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub page: PageArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub recording: RecordArgs,
    /// Game seconds a wall second, 0.1 and up; `max` is as fast as it goes.
    #[arg(long, default_value = "max", value_parser = speed)]
    pub speed: f64,
    /// Reuse what earlier runs learned of the page, each part verified first. Without it a run depends on nothing but the
    /// page, so that it can be repeated.
    #[arg(long)]
    pub cache: bool,
    /// Write the report to this file instead of stdout; for one page.
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    pub report: Option<PathBuf>,
    /// Write a report for each page into this folder, under a name made from the target's.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Judge so many pages at a time, each in a browser of its own.
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Leave out pages that were judged already, by the reports in the folder of `--out`.
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Write the verdicts of all pages to this file as `JUnit` XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// End a page's judgement after so many seconds; what was decided by then is reported.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// No lines on stderr.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `tetrascope completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// For which shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `tetrascope man`
#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for each command into this folder.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// The completions for a shell.
pub fn completions(shell: clap_complete::Shell, out: &mut impl Write) {
    let mut command = preset::arguments();
    clap_complete::generate(shell, &mut command, "tetrascope", out);
}

/// The manual page of the program.
pub fn manual(out: &mut impl Write) -> io::Result<()> {
    clap_mangen::Man::new(preset::arguments()).render(out)
}

/// The manual pages of the program and each of its commands, into a folder that exists.
pub fn manuals(folder: &Path) -> io::Result<()> {
    clap_mangen::generate_to(preset::arguments(), folder)
}

/// `tetrascope doctor`
#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub browser: BrowserArgs,
}

/// `tetrascope config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Print everything that can be set as it is without a configuration, to begin one's own with.
    #[arg(long)]
    pub usual: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub page: PageArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub screen: ScreenArgs,
}

/// Which browser.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// The browser's executable; else the one that the variable `TETRASCOPE_BROWSER` names, else the best one found.
    #[arg(long, value_name = "PATH")]
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
    /// Start it without its sandbox, on a system that does not let it make one; as root it always runs without.
    #[arg(long, conflicts_with = "browser_url")]
    pub no_sandbox: bool,
}

/// How the page is opened.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Page")]
pub struct PageArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub browser: BrowserArgs,
    /// Serve this folder, in which TARGET lies: for pages whose parts lie above them.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Let the page reach every host.
    #[arg(long)]
    pub allow_net: bool,
    /// Let the page reach this host too; may be given more than once.
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Which clock the page lives by.
    #[arg(long, value_enum, default_value_t = ClockChoice::Auto)]
    pub clock: ClockChoice,
    /// Whether the page may draw with WebGL.
    #[arg(long, value_enum, default_value_t = WebGlChoice::Auto)]
    pub webgl: WebGlChoice,
    /// Size of the page in CSS pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = viewport)]
    pub viewport: (u32, u32),
    /// Device pixels a CSS pixel.
    #[arg(long, value_name = "RATIO", default_value = "1", value_parser = scale_factor)]
    pub scale_factor: f64,
    /// Seed of the page's Math.random, so that runs repeat; `none` leaves it alone.
    #[arg(long, default_value = "1", value_parser = seed)]
    pub seed: Seed,
    /// Game seconds of competitive play in the last phase; 0 leaves it out.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = play_seconds)]
    pub play_seconds: f64,
    /// What is known of the page: start, board and keys, each verified before it is used. One made by hand wins over
    /// what is guessed.
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Neither reuse nor keep what is learned of a page.
    #[arg(long)]
    pub no_cache: bool,
}

/// How the screen looks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Screen")]
pub struct ScreenArgs {
    /// Draw with ASCII characters only.
    #[arg(long)]
    pub ascii: bool,
    /// Colours.
    #[arg(long, value_enum, default_value_t = ColourChoice::Auto)]
    pub colour: ColourChoice,
    /// Theme: default (the terminal's own colours), dark, light, high-contrast, mono, or one of the configuration's.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub theme: String,
    /// How pictures are shown in the terminal.
    #[arg(long, value_enum, default_value_t = GraphicsChoice::Auto)]
    pub graphics: GraphicsChoice,
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

/// Whether a page may draw with WebGL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum WebGlChoice {
    /// Not where the page draws on a plain canvas without it: what is written there can be read.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
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

/// How pictures are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GraphicsChoice {
    /// As the terminal's environment says it can.
    #[default]
    Auto,
    /// The kitty graphics protocol.
    Kitty,
    /// Sixels.
    Sixel,
    /// iTerm2's inline images.
    Iterm2,
    /// Coloured half-blocks.
    Halfblocks,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        preset::arguments().debug_assert();
    }

    #[test]
    fn a_bare_target_is_watched_at_speed_one() {
        let cli = Cli::parse_from(["tetrascope", "./games/dom-3"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.watch.target.as_deref(), Some("./games/dom-3"));
        assert!((cli.watch.speed - 1.0).abs() < 1e-9);
    }

    #[test]
    fn every_command_has_its_manual_and_every_shell_its_completions() {
        let folder = tempfile::tempdir().expect("a folder");
        manuals(folder.path()).expect("pages");
        for command in ["", "-run", "-watch", "-doctor", "-schema"] {
            let page = folder.path().join(format!("tetrascope{command}.1"));
            assert!(page.is_file(), "{}", page.display());
        }
        for shell in clap_complete::Shell::value_variants() {
            let mut out = Vec::new();
            completions(*shell, &mut out);
            assert!(String::from_utf8_lossy(&out).contains("resume"), "{shell}");
        }
    }
}
