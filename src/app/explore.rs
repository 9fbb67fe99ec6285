//! From the arguments of `explore` to its exit code; explorations that were recorded, shown and judged again.
//!
//! Comes in: parsed arguments. Goes out: a screen or lines on stderr, the report, an exit code. Must never know: how one
//! explores.

use super::{
    asked_to_end, browser, code, harmless_lines, log_to_stderr, log_to_the_pane, may_write, model,
    page_options, print, screen, target, tell, write,
};
use crate::cli::{ClockChoice, Explore};
use crate::config::Config;
use crate::explore::live::{LiveGround, LiveGroundOptions};
use crate::explore::{Ending, Journey, Limits, Scene, Step};
use crate::model::ClockMode;
use crate::progress::ask::VisionJudge;
use crate::session::Command;
use crate::session::explored::{self, Explored, Keeper, page as journey_page};
use crate::tui;
use color_eyre::eyre::{Result, WrapErr};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Explores what the arguments name.
pub(super) async fn run(args: Explore, config: &Config) -> Result<u8> {
    let options_of_screen = screen(&args.screen, config)?;
    let shown = !args.headless && std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if shown {
        log_to_the_pane();
    } else {
        log_to_stderr(false);
    }
    may_write(args.report.as_deref())?;
    may_write(args.html.as_deref())?;
    let mut model = model::judge(&args.model)?;
    let target = target(args.target.as_deref(), args.page.root.as_deref()).await?;
    let page = page_options(&target, &args.page)?;
    let keeper = keeper(&target.name, &args)?;
    let browser = browser(&args.page.browser).await?;
    let options = LiveGroundOptions {
        url: target.url.to_string(),
        page,
        clock: if args.page.clock == ClockChoice::Real {
            ClockMode::Real
        } else {
            ClockMode::Virtual
        },
        seed: args.page.seed.0,
    };
    let mut ground = LiveGround::new(&browser, options).await?;
    let limits = Limits {
        actions: args.max_actions,
        time: args.max_time.map(Duration::from_secs),
        until: args.until.clone(),
        advised: args.advised,
    };
    let (up, scenes) = watch::channel(Arc::new(Scene::default()));
    let (commands, down) = mpsc::channel(64);
    let name = target.name.clone();
    let mut session = tokio::spawn(async move {
        let judge = model.as_mut().map(|m| m as &mut (dyn VisionJudge + Send));
        explored::run(&mut ground, &name, &limits, judge, keeper, shown, down, up).await
    });
    let quiet = args.quiet;
    let face = async {
        if shown {
            return face(scenes, commands.clone(), options_of_screen).await;
        }
        lines(scenes, quiet).await;
        Ok(())
    };
    let ended = tokio::select! {
        done = &mut session => Ok(Some(done)),
        outcome = face => outcome.map(|()| None),
        () = asked_to_end() => Ok(None),
    };
    if shown {
        tui::restore();
    }
    let done = match ended {
        Ok(Some(done)) => done,
        other => {
            // Whoever looked on is gone or was told to go: it ends before its next action.
            let _ = commands.send(Command::Quit).await;
            other?;
            session.await
        }
    };
    let (journey, keeper) = done.wrap_err("the exploration broke off")?;
    if let Some(keeper) = &keeper {
        tell(&format!(
            "tetrascope: recorded in {}\n",
            keeper.dir().display()
        ));
        if let Some(fault) = keeper.fault() {
            tell(&format!(
                "tetrascope: the recording stopped before the end: {fault}\n"
            ));
        }
    }
    if !quiet {
        tell(&summary(&journey));
    }
    if let Some(file) = &args.html {
        write::atomically(file, journey_page(&journey))?;
    }
    give(&journey, args.report.as_deref(), !shown)?;
    Ok(exit_code(&journey, args.until.is_some()))
}

fn exit_code(journey: &Journey, sought: bool) -> u8 {
    match journey.ending {
        Ending::Failed { .. } => code::COULD_NOT,
        Ending::Goal => code::PASSED,
        _ if !sought && journey.responsiveness.progressed > 0 => code::PASSED,
        _ => code::FAILED,
    }
}

/// The report to its file, or else to stdout where that is free.
fn give(journey: &Journey, file: Option<&Path>, or_print: bool) -> Result<()> {
    let mut json = serde_json::to_vec_pretty(journey)?;
    json.push(b'\n');
    match file {
        Some(file) => write::atomically(file, json)?,
        None if or_print => drop(print(&json)),
        None => {}
    }
    Ok(())
}

fn keeper(target: &str, args: &Explore) -> Result<Option<Keeper>> {
    let place = if args.recording.record_somewhere {
        crate::config::recordings().map(|dir| dir.join("exploration"))
    } else {
        args.recording.record.clone()
    };
    Ok(match place {
        Some(place) => Some(Keeper::new(&place, target)?),
        None => None,
    })
}

/// The screen, until the operator leaves.
async fn face(
    scenes: watch::Receiver<Arc<Scene>>,
    commands: mpsc::Sender<Command>,
    options: tui::Options,
) -> Result<()> {
    tui::run_explorer(scenes, commands, options)
        .await
        .map(drop)
        .wrap_err("the screen")
}

/// A line a step on stderr, until there are no more scenes.
async fn lines(mut scenes: watch::Receiver<Arc<Scene>>, quiet: bool) {
    let mut told = 0;
    let mut there = true;
    while there {
        there = scenes.changed().await.is_ok();
        let scene = scenes.borrow_and_update().clone();
        for step in scene.steps.iter().skip(told) {
            if !quiet {
                tell(&line(step));
            }
        }
        told = scene.steps.len();
    }
    // The session ends right after its last scene, and says the rest.
    std::future::pending::<()>().await;
}

/// A step in one line.
fn line(step: &Step) -> String {
    let arrow = if step.novel { "new " } else { "" };
    let why = step.reasons.first().map_or("", String::as_str);
    let text = format!(
        "{:3}  {:<36} {:<10} {arrow}{}  {why}",
        step.number,
        step.action,
        step.verdict.word(),
        step.to
    );
    harmless_lines(&text).replace('\n', " ") + "\n"
}

fn summary(journey: &Journey) -> String {
    let r = journey.responsiveness;
    let text = format!(
        "{} {}, {} states; {} of {} actions led on; {} dead ends, {} errors; {:.1} s, ${:.4}: {}",
        journey.screens,
        if journey.screens == 1 {
            "screen"
        } else {
            "screens"
        },
        journey.graph.states.len(),
        r.progressed,
        r.actions,
        journey.dead_ends.len(),
        journey.errors.len(),
        journey.wall_seconds,
        journey.dollars,
        journey.ending.words()
    );
    harmless_lines(&text).replace('\n', " ") + "\n"
}

/// Shows a recorded exploration, or, without a terminal, judges it again.
pub(super) async fn replay(
    folder: &Path,
    options: tui::Options,
    report: Option<&Path>,
) -> Result<u8> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return judge(folder, report);
    }
    log_to_the_pane();
    let mut explored = open(folder)?;
    let journey = explored.journey();
    let (up, scenes) = watch::channel(Arc::new(Scene::default()));
    let (commands, down) = mpsc::channel(64);
    let replay = tokio::spawn(explored::replay(explored, down, up));
    let outcome = tokio::select! {
        outcome = face(scenes, commands, options) => outcome,
        () = asked_to_end() => Ok(()),
    };
    tui::restore();
    outcome?;
    // The face has dropped its end of the commands, or said quit: either ends the replay.
    replay.await.wrap_err("the replay broke off")?;
    if let (Some(file), Some(journey)) = (report, journey) {
        give(&journey, Some(file), false)?;
    }
    Ok(code::PASSED)
}

/// Judges every action of a recorded exploration again.
pub(super) fn judge(folder: &Path, report: Option<&Path>) -> Result<u8> {
    log_to_stderr(false);
    let mut explored = open(folder)?;
    let (journey, other) = explored
        .judge()
        .map_err(|why| super::UsageError(format!("{}: {why}", folder.display())))?;
    for number in &other {
        if let Some(step) = journey.steps.iter().find(|s| s.number == *number) {
            tell(&format!("judged otherwise now: {}", line(step)));
        }
    }
    tell(&summary(&journey));
    give(&journey, report, true)?;
    Ok(if other.is_empty() {
        code::PASSED
    } else {
        code::FAILED
    })
}

/// The page of a recorded exploration.
pub(super) fn page(folder: &Path) -> Result<String> {
    let journey = open(folder)?.journey().ok_or_else(|| {
        super::UsageError(format!(
            "{}: it was not recorded to its end",
            folder.display()
        ))
    })?;
    Ok(journey_page(&journey))
}

fn open(folder: &Path) -> Result<Explored> {
    let explored = Explored::open(folder).map_err(|e| super::UsageError(e.to_string()))?;
    if explored.damaged > 0 {
        let n = explored.damaged;
        tell(&format!(
            "tetrascope: {}: {n} lines could not be read\n",
            folder.display()
        ));
    }
    Ok(explored)
}
