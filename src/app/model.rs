//! A vision model as the arguments and the environment tell of it.
//!
//! Comes in: parsed arguments, environment variables. Goes out: a judge that may be asked. Must never know: what it is
//! asked. Keys come from the environment alone: a command line can be read by others.

use super::UsageError;
use crate::cli::{ApiChoice, ModelArgs};
use crate::progress::ask::{Api, Http, ModelJudge, Price, Secret, Settings};
use crate::session::harmless;
use color_eyre::eyre::Result;
use std::time::Duration;
use url::Url;

/// Deadline of one question.
const TIMEOUT: Duration = Duration::from_mins(1);

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|v| !v.trim().is_empty())
}

/// The model that was asked for, if one was.
pub(super) fn judge(args: &ModelArgs) -> Result<Option<ModelJudge<Http>>> {
    let Some(model) = args.model.clone() else {
        return Ok(None);
    };
    let (api, base, base_name, key_name) = match args.model_api {
        ApiChoice::Openai => (
            Api::OpenAi,
            "https://api.openai.com/v1",
            "OPENAI_BASE_URL",
            "OPENAI_API_KEY",
        ),
        ApiChoice::Anthropic => (
            Api::Anthropic,
            "https://api.anthropic.com/v1",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_API_KEY",
        ),
    };
    let base_url = args
        .model_url
        .clone()
        .or_else(|| environment(base_name))
        .unwrap_or_else(|| base.into());
    let url = Url::parse(&base_url)
        .ok()
        .filter(|u| matches!(u.scheme(), "http" | "https"))
        .ok_or_else(|| UsageError(format!("--model-url: {base_url} is no http(s) address")))?;
    let here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let key = match &args.model_key {
        Some(name) => Some(environment(name).ok_or_else(|| {
            UsageError(format!(
                "--model-key: the environment has no variable {name}"
            ))
        })?),
        None => environment(key_name),
    };
    if key.is_none() && !here && !args.dry_run {
        return Err(UsageError(format!(
            "the model's server needs a key: set {key_name}, or name another variable with --model-key"
        ))
        .into());
    }
    let settings = Settings {
        api,
        base_url,
        model,
        key: key.map(Secret::new),
        price: match args.model_price {
            Some((input, output)) => Price { input, output },
            None if here => Price::FREE,
            None => Price::CAREFUL,
        },
        timeout: TIMEOUT,
        dry_run: args.dry_run,
    };
    Ok(Some(ModelJudge::new(
        settings,
        args.budget,
        Http,
        Box::new(std::thread::sleep),
        Box::new(|text| {
            for line in text.lines() {
                eprintln!("{}", harmless(line));
            }
        }),
    )))
}
