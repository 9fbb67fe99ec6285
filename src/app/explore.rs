//! From the arguments of `explore` to its exit code.
//!
//! Comes in: parsed arguments. Goes out: lines on stderr, the report, an exit code. Must never know: how one explores.

use super::{
    asked_to_end, browser, code, harmless_lines, log_to_stderr, model, page_options, print, target,
    tell, write,
};
use crate::cli::{ClockChoice, Explore};
use crate::explore::live::{LiveGround, LiveGroundOptions};
use crate::explore::{Ending, Journey, Limits, Step, explore};
use crate::model::ClockMode;
use crate::progress::ask::VisionJudge;
use color_eyre::eyre::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Explores what the arguments name.
pub(super) async fn run(args: Explore) -> Result<u8> {
    log_to_stderr();
    let mut model = model::judge(&args.model)?;
    let target = target(args.target.as_deref()).await?;
    let page = page_options(&target, &args.page)?;
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
    };
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    let listening = tokio::spawn(async move {
        asked_to_end().await;
        asked.store(true, Ordering::Relaxed);
    });
    let judge = model.as_mut().map(|m| m as &mut (dyn VisionJudge + Send));
    let mut journey = explore(&mut ground, &target.name, &limits, judge, |step, _| {
        if !args.quiet {
            tell(&line(step));
        }
        !stop.load(Ordering::Relaxed)
    })
    .await;
    listening.abort();
    journey.dollars = model.map_or(0.0, |m| m.ledger().spent);
    if !args.quiet {
        tell(&summary(&journey));
    }
    let mut json = serde_json::to_vec_pretty(&journey)?;
    json.push(b'\n');
    match &args.report {
        Some(file) => write::atomically(file, json)?,
        None => {
            print(&json);
        }
    }
    Ok(match journey.ending {
        Ending::Failed { .. } => code::COULD_NOT,
        Ending::Goal => code::PASSED,
        _ if args.until.is_none() && journey.responsiveness.progressed > 0 => code::PASSED,
        _ => code::FAILED,
    })
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
    let ending = match &journey.ending {
        Ending::Goal => "the text that was looked for came up".into(),
        Ending::Actions => "as many actions as allowed".into(),
        Ending::Time => "as long as allowed".into(),
        Ending::NothingLeft => "nothing is left that was not tried".into(),
        Ending::Stopped => "it was stopped".into(),
        Ending::Failed { what } => format!("it broke off: {what}"),
    };
    let r = journey.responsiveness;
    format!(
        "{} screens, {} states; {} of {} actions led on; {} dead ends, {} errors; {:.1} s, ${:.4}: {ending}\n",
        journey.screens,
        journey.graph.states.len(),
        r.progressed,
        r.actions,
        journey.dead_ends.len(),
        journey.errors.len(),
        journey.wall_seconds,
        journey.dollars
    )
}
