//! Many pages, some at a time, each in a browser of its own; none of them stops the rest.
//!
//! Comes in: the pages and how they are to be judged. Goes out: a report each, lines of progress, a table, the exit
//! code of the whole. Must never know: how a page is judged.

use super::recording::recorder_of_many;
use super::{
    Pace, Running, UsageError, asked_to_end, chain, code, may_write, profiles, session, target,
    targets, tell, write, write_report,
};
use crate::browser::BrowserError;
use crate::cli::Run;
use crate::evidence::Evidence;
use crate::headless;
use crate::report::{BotReport, Facts, Row, junit, table};
use crate::session::Command;
use color_eyre::eyre::{Result, WrapErr, eyre};
use futures::StreamExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tokio::sync::watch;

/// How long a session that was told to quit may take to write down what it knows. It needs some seconds where keys
/// have to come up on a page that does not answer.
const PARTING: std::time::Duration = std::time::Duration::from_secs(90);

/// What a page came to.
struct Done {
    row: Row,
    suite: junit::Suite,
    /// The target makes no sense: no such file, a malformed address.
    usage: bool,
}

struct Batch<'a> {
    args: &'a Run,
    total: usize,
    /// True once the program was asked to end.
    stop: watch::Receiver<bool>,
    /// Tells everybody to stop, when no page can be judged on this machine.
    stopper: &'a watch::Sender<bool>,
    /// Has a browser ever come up?
    came_up: AtomicBool,
}

/// Judges the pages.
pub(super) async fn run(args: &Run, pages: Vec<String>) -> Result<u8> {
    if pages.is_empty() {
        return Err(UsageError("no page was named: the list is empty".into()).into());
    }
    may_write(args.junit.as_deref())?;
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)
            .wrap_err_with(|| format!("{} could not be made", folder.display()))?;
    }
    let (stopper, stop) = watch::channel(false);
    let begun = Instant::now();
    let batch = Batch {
        args,
        total: pages.len(),
        stop,
        stopper: &stopper,
        came_up: AtomicBool::new(false),
    };
    let judged = futures::stream::iter(pages.iter().enumerate())
        .map(|(n, page)| batch.page(n, page))
        .buffer_unordered(usize::from(args.jobs))
        .fold(Vec::new(), async |mut all, done| {
            all.push(done);
            all
        });
    tokio::pin!(judged);
    let mut all = tokio::select! {
        all = &mut judged => all,
        () = asked_to_end() => {
            batch.say("ending: what was decided is written down");
            stopper.send_replace(true);
            tokio::select! {
                all = &mut judged => all,
                // Asked twice: at once. Browsers end with the program, however it ends.
                () = asked_to_end() => return Err(eyre!("ended without waiting for the pages under way")),
            }
        }
    };
    all.sort_by_key(|(n, _)| *n);
    let mut fatal = None;
    let mut done = Vec::new();
    for (_, outcome) in all {
        match outcome {
            Ok(Some(page)) => done.push(page),
            Ok(None) => {}
            Err(error) => fatal = fatal.or(Some(error)),
        }
    }
    let left = pages.len() - done.len();
    if let Some(file) = &args.junit {
        let suites: Vec<junit::Suite> = done.iter().map(|d| d.suite.clone()).collect();
        write::atomically(file, junit::document(&suites))?;
    }
    let rows: Vec<Row> = done.iter().map(|d| d.row.clone()).collect();
    if !args.quiet && !rows.is_empty() {
        tell(&format!(
            "\n{}",
            table(&rows, begun.elapsed().as_secs_f64())
        ));
        if left > 0 {
            let again = if args.out.is_some() {
                "; --resume judges them"
            } else {
                ""
            };
            tell(&format!("{left} not begun{again}\n"));
        }
    }
    match fatal {
        Some(error) => Err(error),
        None => Ok(whole(&done, left)),
    }
}

/// The exit code of the whole: what could not be judged weighs more than what failed.
fn whole(done: &[Done], left: usize) -> u8 {
    if left == 0 && done.iter().all(|d| d.usage) {
        code::USAGE
    } else if left > 0 || done.iter().any(|d| d.row.could_not.is_some()) {
        code::COULD_NOT
    } else if done.iter().any(|d| !d.row.failed.is_empty()) {
        code::FAILED
    } else {
        code::PASSED
    }
}

impl Batch<'_> {
    fn say(&self, line: &str) {
        if !self.args.quiet {
            tell(&format!("{line}\n"));
        }
    }

    /// Judges one page. `None` if the program was asked to end before it began; an error ends everything.
    async fn page(&self, n: usize, page: &str) -> (usize, Result<Option<Done>>) {
        if *self.stop.borrow() {
            return (n, Ok(None));
        }
        let name = format!("[{}/{}] {page}", n + 1, self.total);
        let file = self
            .args
            .out
            .as_ref()
            .map(|dir| dir.join(targets::file_name(page)));
        if let Some(done) = self.earlier(page, file.as_deref()) {
            self.say(&format!("{name}: judged earlier, {}", done.row.words()));
            return (n, Ok(Some(done)));
        }
        self.say(&format!("{name}: begins"));
        let begun = Instant::now();
        let outcome = match self.judge(page, &name).await {
            Ok(Some(report)) => Self::keep(&report, file, false),
            Ok(None) => return (n, Ok(None)),
            Err(error) if self.is_fatal(&error) => {
                self.stopper.send_replace(true);
                return (n, Err(error));
            }
            Err(error) => {
                let facts = Facts {
                    target: page.into(),
                    wall_seconds: begun.elapsed().as_secs_f64(),
                    could_not_judge: Some(chain(&error)),
                    ..Facts::default()
                };
                let report = BotReport::new(&Evidence::default(), &facts);
                let usage = error.downcast_ref::<UsageError>().is_some();
                Self::keep(&report, file, usage)
            }
        };
        match outcome {
            Ok(done) => {
                self.say(&format!("{name}: {}", done.row.words()));
                (n, Ok(Some(done)))
            }
            Err(error) => {
                // Judging on would be for nothing: no report could be kept.
                self.stopper.send_replace(true);
                (n, Err(error))
            }
        }
    }

    /// With `--resume`: what an earlier run came to, if it could judge the page.
    fn earlier(&self, page: &str, file: Option<&Path>) -> Option<Done> {
        if !self.args.resume {
            return None;
        }
        let report: BotReport = serde_json::from_slice(&std::fs::read(file?).ok()?).ok()?;
        let judged = report.target == page && report.could_not_judge.is_none();
        judged.then(|| Done {
            row: Row {
                earlier: true,
                ..Row::of(&report)
            },
            suite: junit::Suite::of(&report),
            usage: false,
        })
    }

    /// Would it go wrong with every other page, too?
    fn is_fatal(&self, error: &color_eyre::Report) -> bool {
        match error.downcast_ref::<BrowserError>() {
            Some(BrowserError::NoBrowser { .. } | BrowserError::NotAProgram { .. }) => true,
            Some(BrowserError::Connect { .. } | BrowserError::Launch { .. }) => {
                !self.came_up.load(Ordering::Relaxed)
            }
            _ => false,
        }
    }

    /// The page's report; `None` if the program was asked to end before there was one to make.
    async fn judge(&self, page: &str, name: &str) -> Result<Option<BotReport>> {
        let mut stop = self.stop.clone();
        let pace = Pace {
            speed: self.args.speed,
            stay: false,
            timeout: self.args.timeout,
        };
        let open = async {
            let target = target(Some(page), self.args.page.root.as_deref()).await?;
            let recorder = recorder_of_many(page, &self.args.recording)?;
            let known = profiles::remembered(&target, &self.args.page, self.args.cache)?;
            let running = session(&target, &self.args.page, recorder, &known, pace).await?;
            Ok::<_, color_eyre::Report>((target, known, running))
        };
        let (_target, known, mut running): (_, _, Running) = tokio::select! {
            opened = open => opened?,
            _ = stop.wait_for(|stop| *stop) => return Ok(None),
        };
        self.came_up.store(true, Ordering::Relaxed);
        let phases = headless::phases(running.snapshots.clone(), |phase| {
            self.say(&format!(
                "{name}: phase {}/8 {}",
                phase.number(),
                phase.title()
            ));
        });
        let judged = async {
            tokio::select! {
                report = &mut running.report => report,
                _ = stop.wait_for(|stop| *stop) => {
                    let _ = running.commands.send(Command::Quit).await;
                    if let Ok(report) = tokio::time::timeout(PARTING, &mut running.report).await {
                        report
                    } else {
                        running.report.abort();
                        (&mut running.report).await
                    }
                }
            }
        };
        let (report, ()) = tokio::join!(judged, phases);
        known.keep();
        Ok(Some(report.wrap_err("the session broke off")?))
    }

    /// Writes a report where it belongs, and keeps what the table and the build server want of it.
    fn keep(report: &BotReport, file: Option<PathBuf>, usage: bool) -> Result<Done> {
        if let Some(file) = file {
            write_report(&file, report)?;
        } else {
            let mut line = serde_json::to_vec(report)?;
            line.push(b'\n');
            super::print(&line);
        }
        Ok(Done {
            row: Row::of(report),
            suite: junit::Suite::of(report),
            usage,
        })
    }
}
