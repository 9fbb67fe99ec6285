//! Puts it together: from arguments to a running program, and back to an exit code.
//!
//! Comes in: parsed arguments. Goes out: an exit code: 0 every check passed, 1 some failed, 2 usage, 3 it could not
//! judge. Must never know: how anything is done.

mod batch;
mod compare;
mod explore;
mod export;
mod model;
mod open;
mod profiles;
mod recording;
mod targets;
mod write;

use crate::bot::BotOptions;
use crate::browser::doctor;
use crate::cli::{
    self, Cli, ClockChoice, ColourChoice, Command, Doctor, GraphicsChoice, Man, PageArgs, Run,
    ScreenArgs, Watch, WebGlChoice,
};
use crate::config::{self, Config};
use crate::driver::live::{LiveDriver, LiveOptions, WebGl};
use crate::driver::{Gate, Shared};
use crate::model::ClockMode;
use crate::report::{self, BotReport, junit};
use crate::session::recording::Recorder;
use crate::session::{self, SessionOptions, Snapshot};
use crate::{headless, tui};
use color_eyre::eyre::{Result, WrapErr, eyre};
use open::{Target, browser, launch, launch_options, page_options, target};
use profiles::Remembered;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Exit codes.
mod code {
    pub const PASSED: u8 = 0;
    pub const FAILED: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const COULD_NOT: u8 = 3;
    pub const UNCERTAIN: u8 = 4;
}

/// Reads the arguments and the configuration; where they cannot be meant that is told, and what remains is to leave.
///
/// # Errors
/// The exit code.
pub fn arguments(args: Vec<OsString>) -> Result<(Cli, Config), ExitCode> {
    let (file, args) = cli::config_file(args);
    let refused = |error: cli::ParseError| {
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(code::USAGE))
    };
    // Help and versions, and what is wrong with the arguments, come before what is wrong with a file.
    cli::parse(&args, &[]).map_err(refused)?;
    let config = Config::load(file.as_deref()).map_err(|error| {
        eprintln!("tetrascope: {}", harmless_lines(&error.to_string()));
        ExitCode::from(code::USAGE)
    })?;
    let cli = cli::parse(&args, &config.presets()).map_err(refused)?;
    Ok((cli, config))
}

/// Runs the program.
pub async fn run(cli: Cli, config: Config) -> ExitCode {
    let outcome = match cli.command {
        None => watch_it(cli.watch, &config).await,
        Some(Command::Watch(args)) => watch_it(args, &config).await,
        Some(Command::Run(args)) => run_it(args).await,
        Some(Command::Replay(args)) => recording::replay_it(args, &config).await,
        Some(Command::Judge(args)) => recording::judge_it(&args),
        Some(Command::Compare(args)) => compare::run(args),
        Some(Command::Explore(args)) => explore::run(args, &config).await,
        Some(Command::Export(args)) => export::export_it(&args, &config),
        Some(Command::Diff(args)) => recording::diff_them(&args),
        Some(Command::Doctor(args)) => examine(args).await,
        Some(Command::Config(args)) => configuration(&args, &config),
        Some(Command::Schema) => schema(),
        Some(Command::Completions(args)) => {
            let mut text = Vec::new();
            cli::completions(args.shell, &mut text);
            Ok(print(&text))
        }
        Some(Command::Man(args)) => manual(&args),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            tui::restore();
            eprintln!("tetrascope: {}", chain(&error));
            let usage = error.downcast_ref::<UsageError>().is_some();
            ExitCode::from(if usage { code::USAGE } else { code::COULD_NOT })
        }
    }
}

/// What the user asked for can't be meant.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

/// Where `tracing` goes: to the screen's log pane, as `RUST_LOG` filters it.
fn log_to_the_pane() {
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    let _ = tracing_subscriber::registry()
        .with(filter)
        .with(tui::log_layer())
        .try_init();
}

/// Likewise to stderr, for runs without a screen.
/// The program's log on stderr: warnings, or what `RUST_LOG` says; nothing unasked where it is to be `quiet`.
fn log_to_stderr(quiet: bool) {
    let usual = if quiet { "off" } else { "warn" };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(usual));
    let colourless = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal() && !colourless)
        .with_writer(std::io::stderr)
        .try_init();
}

fn chain(error: &color_eyre::Report) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in error.chain().map(ToString::to_string) {
        // Some say their cause themselves.
        if !parts.last().is_some_and(|said| said.contains(&part)) {
            parts.push(part);
        }
    }
    harmless_lines(&parts.join(": "))
}

pub(crate) fn harmless_lines(text: &str) -> String {
    text.chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect()
}

/// A session that runs.
struct Running {
    snapshots: watch::Receiver<Arc<Snapshot>>,
    commands: mpsc::Sender<session::Command>,
    report: tokio::task::JoinHandle<BotReport>,
}

/// How a session is to go.
#[derive(Clone, Copy)]
struct Pace {
    speed: f64,
    stay: bool,
    timeout: Option<Duration>,
}

async fn session(
    target: &Target,
    page: &PageArgs,
    recorder: Arc<Recorder>,
    known: &Remembered,
    pace: Pace,
) -> Result<Running> {
    let options = page_options(target, page)?;
    let browser = browser(&page.browser).await?;
    let gate = Arc::new(Gate::new(pace.speed));
    let shared = Arc::new(Shared::with_sink(recorder.clone()));
    let driver = LiveDriver::new(
        Arc::new(browser),
        LiveOptions {
            url: target.url.to_string(),
            page: options,
            clock: if page.clock == ClockChoice::Real {
                ClockMode::Real
            } else {
                ClockMode::Virtual
            },
            may_change: page.clock == ClockChoice::Auto,
            seed: page.seed.0,
            webgl: match page.webgl {
                WebGlChoice::Auto => WebGl::Auto,
                WebGlChoice::Always => WebGl::Granted,
                WebGlChoice::Never => WebGl::Refused,
            },
        },
        gate.clone(),
        shared.clone(),
    )
    .await?;
    let again = page.browser.clone();
    let driver = driver.with_launch(Box::new(move || {
        let args = again.clone();
        Box::pin(async move { launch(&args).await })
    }));
    let (up, snapshots) = watch::channel(Arc::new(Snapshot::default()));
    let (commands, down) = mpsc::channel(64);
    let options = SessionOptions {
        target: target.name.clone(),
        stay: pace.stay,
        timeout: pace.timeout,
        bot: BotOptions {
            play_seconds: page.play_seconds,
        },
        memory: known.memory.clone(),
        profile: known.by_hand.clone(),
        recorder,
    };
    let report = tokio::spawn(session::run(driver, gate, shared, options, down, up));
    Ok(Running {
        snapshots,
        commands,
        report,
    })
}

/// Resolves when the system asks the program to end.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::interrupt(),
        ];
        let mut listeners: Vec<_> = kinds.into_iter().filter_map(|k| signal(k).ok()).collect();
        let any = listeners.iter_mut().map(|s| Box::pin(s.recv()));
        futures::future::select_all(any).await;
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}

fn exit_code(report: &BotReport) -> u8 {
    if report.could_not_judge.is_some() {
        code::COULD_NOT
    } else if report.summary.failed > 0 {
        code::FAILED
    } else {
        code::PASSED
    }
}

async fn watch_it(args: Watch, config: &Config) -> Result<u8> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        // Nobody can see a screen here: the same judgement, in lines.
        log_to_stderr(false);
        let cache = !args.page.no_cache;
        return run_one(
            &Run {
                targets: Vec::new(),
                page: args.page,
                recording: args.recording,
                speed: args.speed,
                report: args.report,
                out: None,
                jobs: 1,
                resume: false,
                junit: None,
                timeout: None,
                quiet: false,
                cache,
            },
            args.target.as_deref(),
        )
        .await;
    }
    may_write(args.report.as_deref())?;
    let options = screen(&args.screen, config)?;
    log_to_the_pane();
    let target = target(args.target.as_deref(), args.page.root.as_deref()).await?;
    let pace = Pace {
        speed: args.speed,
        stay: true,
        timeout: None,
    };
    let recorder = recording::recorder(&target.name, &args.recording)?;
    let known = profiles::remembered(&target, &args.page, true)?;
    let mut running = session(&target, &args.page, recorder.clone(), &known, pace).await?;
    let face = tui::run(running.snapshots.clone(), running.commands.clone(), options);
    let outcome = tokio::select! {
        outcome = face => outcome.map(|_| None).wrap_err("the screen"),
        () = asked_to_end() => Ok(None),
        report = &mut running.report => report.map(Some).wrap_err("the session broke off"),
    };
    tui::restore();
    let report = if let Some(report) = outcome? {
        report
    } else {
        let _ = running.commands.send(session::Command::Quit).await;
        running.report.await.wrap_err("the session broke off")?
    };
    known.keep();
    recording::tell_recording(&recorder);
    if let Some(file) = &args.report {
        write_report(file, &report)?;
    }
    let snapshot = running.snapshots.borrow().clone();
    if let session::RunState::Failed(why) = &snapshot.state {
        return Err(eyre!("{why}"));
    }
    Ok(code::PASSED)
}

fn screen(args: &ScreenArgs, config: &Config) -> Result<tui::Options> {
    Ok(tui::Options {
        ascii: args.ascii,
        colour: match args.colour {
            ColourChoice::Auto => tui::Colour::Auto,
            ColourChoice::Never => tui::Colour::Never,
            ColourChoice::Always => tui::Colour::Always,
        },
        theme: theme(&args.theme, config)?,
        mouse: !args.no_mouse,
        graphics: match args.graphics {
            GraphicsChoice::Auto => tui::Graphics::Auto,
            GraphicsChoice::Kitty => tui::Graphics::Kitty,
            GraphicsChoice::Sixel => tui::Graphics::Sixel,
            GraphicsChoice::Iterm2 => tui::Graphics::Iterm2,
            GraphicsChoice::Halfblocks => tui::Graphics::Halfblocks,
        },
        keys: config.keymap(),
    })
}

fn theme(name: &str, config: &Config) -> Result<tui::Theme> {
    config.theme(name).ok_or_else(|| {
        let all: Vec<&str> = config.themes().collect();
        let all = all.join(", ");
        UsageError(format!("--theme: {name:?} is no theme; there are {all}")).into()
    })
}

/// `tetrascope config`
fn configuration(args: &cli::ConfigArgs, config: &Config) -> Result<u8> {
    if args.usual {
        return Ok(print(config::usual().as_bytes()));
    }
    let given: Vec<OsString> = std::env::args_os().collect();
    let text = config::show(config, &cli::config_file(given).1).map_err(UsageError)?;
    Ok(print(text.as_bytes()))
}

async fn run_it(args: Run) -> Result<u8> {
    log_to_stderr(args.quiet);
    let pages = targets::expand(&args.targets, std::io::stdin().lock()).wrap_err("stdin")?;
    let listed = args.targets.iter().any(|t| t == "-");
    if args.out.is_none() && !listed && pages.len() < 2 {
        return run_one(&args, pages.first().map(String::as_str)).await;
    }
    if args.report.is_some() {
        let many = "--report is for one page; --out DIR takes the reports of many";
        return Err(UsageError(many.into()).into());
    }
    batch::run(&args, pages).await
}

/// One page, the report on stdout or in a file.
async fn run_one(args: &Run, page: Option<&str>) -> Result<u8> {
    may_write(args.report.as_deref())?;
    let target = target(page, args.page.root.as_deref()).await?;
    let pace = Pace {
        speed: args.speed,
        stay: false,
        timeout: args.timeout,
    };
    let recorder = recording::recorder(&target.name, &args.recording)?;
    let known = profiles::remembered(&target, &args.page, args.cache)?;
    let mut running = session(&target, &args.page, recorder.clone(), &known, pace).await?;
    let lines = (!args.quiet)
        .then(|| tokio::spawn(headless::run(running.snapshots.clone(), std::io::stderr())));
    let report = tokio::select! {
        report = &mut running.report => report.wrap_err("the session broke off")?,
        () = asked_to_end() => {
            let _ = running.commands.send(session::Command::Quit).await;
            running.report.await.wrap_err("the session broke off")?
        }
    };
    if let Some(lines) = lines {
        let _ = lines.await;
        tell(&report::words(&report));
    }
    known.keep();
    if let Some(file) = &args.junit {
        let suites = [junit::Suite::of(&report)];
        write::atomically(file, junit::document(&suites))?;
    }
    if !args.quiet || recorder.state().fault.is_some() {
        recording::tell_recording(&recorder);
    }
    give_report(args.report.as_deref(), &report)?;
    Ok(exit_code(&report))
}

/// A file that is to be written at the end must not turn out then to be none.
fn may_write(file: Option<&Path>) -> Result<(), UsageError> {
    file.map_or(Ok(()), write::writable).map_err(UsageError)
}

/// The report to a file, or to stdout.
fn give_report(file: Option<&Path>, report: &BotReport) -> Result<()> {
    match file {
        Some(file) => write_report(file, report)?,
        None => drop(print(&json(report)?)),
    }
    Ok(())
}

fn json(report: &BotReport) -> Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(report)?;
    json.push(b'\n');
    Ok(json)
}

fn write_report(file: &Path, report: &BotReport) -> Result<()> {
    write::atomically(file, json(report)?)
}

/// For people, on stderr. A reader that has gone away is no fault of the judgement.
fn tell(text: &str) {
    let _ = std::io::stderr()
        .lock()
        .write_all(harmless_lines(text).as_bytes());
}

/// On stdout; likewise.
fn print(text: &[u8]) -> u8 {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text).and_then(|()| out.flush());
    code::PASSED
}

fn schema() -> Result<u8> {
    let mut text = serde_json::to_vec_pretty(&report::schema())?;
    text.push(b'\n');
    Ok(print(&text))
}

fn manual(args: &Man) -> Result<u8> {
    let Some(folder) = &args.out else {
        let mut text = Vec::new();
        cli::manual(&mut text)?;
        return Ok(print(&text));
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| cli::manuals(folder))
        .wrap_err_with(|| format!("{} could not be written", folder.display()))?;
    Ok(code::PASSED)
}

async fn examine(args: Doctor) -> Result<u8> {
    if args.browser.install_browser {
        browser(&args.browser).await?;
    }
    let remote = args.browser.browser_url.as_deref();
    let diagnosis = match remote {
        Some(url) => doctor::examine_running(url).await,
        None => doctor::examine(&launch_options(&args.browser)).await,
    };
    print!("{}", harmless_lines(&describe(&diagnosis, remote)));
    Ok(if diagnosis.starts.is_ok() {
        code::PASSED
    } else {
        code::COULD_NOT
    })
}

/// A diagnosis in words.
fn describe(d: &doctor::Diagnosis, remote: Option<&str>) -> String {
    let mut lines = vec![format!("tetrascope {}", env!("CARGO_PKG_VERSION"))];
    lines.push(match (&d.browser, remote) {
        (_, Some(url)) => format!("browser   {url}"),
        (Some(path), None) => format!("browser   {}", path.display()),
        (None, None) => "browser   none found".into(),
    });
    if let Some(info) = &d.info {
        lines.push(format!("version   {}", info.product));
    }
    if let Some(sandboxed) = d.sandboxed {
        let said = if sandboxed { "yes" } else { "no" };
        lines.push(format!("sandbox   {said}"));
    }
    let starts = if remote.is_some() {
        "answers"
    } else {
        "starts "
    };
    lines.push(match &d.starts {
        Ok(time) => format!("{starts}   yes, first answer after {} ms", time.as_millis()),
        Err(why) => format!("{starts}   no: {why}"),
    });
    lines.extend(d.hints.iter().map(|h| format!("hint      {h}")));
    lines.push(format!(
        "terminal  {}{}",
        std::env::var("TERM").unwrap_or_else(|_| "unknown".into()),
        if std::io::stdout().is_terminal() {
            ""
        } else {
            " (standard output is none)"
        }
    ));
    let graphics = tui::Graphics::Auto.detect(|name| std::env::var(name).ok());
    lines.push(format!("pictures  {}", graphics.name()));
    let folder = |what: &str, path: Option<std::path::PathBuf>| {
        path.map(|p| format!("{what:10}{}", p.display()))
    };
    lines.extend(folder("config", config::usual_file()));
    lines.extend(folder("profiles", config::profiles()));
    lines.extend(folder("learned", config::cached_profiles()));
    lines.extend(folder("records", config::recordings()));
    if !d.places.looked_at.is_empty() {
        lines.push("places looked at:".into());
    }
    lines.extend(d.places.looked_at.iter().map(|p| {
        format!(
            "  {} {} ({})",
            if p.found { "found" } else { "  -  " },
            p.path.display(),
            p.from
        )
    }));
    lines.push(String::new());
    lines.join("\n")
}
