//! A vision model is asked where the pictures alone do not tell; never otherwise.
//!
//! Comes in: an observation that was judged uncertain. Goes out: an [`Opinion`], or why there is none: an error, a
//! spent budget and an answer that makes no sense all leave it uncertain. Must never know: a browser, a terminal.
//!
//! | file | duty |
//! | --- | --- |
//! | `question` | what is shown: crops with what is around them |
//! | `choice` | asking which action to take, and checking the answer against what is possible |
//! | `wire` | the two formats spoken: chat completions as of OpenAI, messages as of Anthropic |
//! | `ledger` | what it cost, and when to stop |
//! | `http` | the only place that reaches the network |

mod choice;
mod http;
mod ledger;
mod question;
mod wire;

pub use choice::{Advice, Choice, Offer};
pub use http::Http;
pub use ledger::{Ledger, Price, Usage};
pub use question::{Crop, Question};
pub use wire::Api;

use super::judge::UNWATCHED;
use super::{Answer, Judgement, Observation, ProgressError, StateAnalyzer};
use std::fmt;
use std::time::Duration;

/// So often one question is sent, at most.
const TRIES: u32 = 4;
/// A server that asks for more patience than this does not get it.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a model said.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// Did the state progress?
    pub progressed: bool,
    /// How sure it says it is, 0 to 1.
    pub confidence: f64,
    /// Why, in its words; untrusted.
    pub reason: String,
}

/// Why there is no opinion.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskError {
    /// Asking stops before the budget is gone.
    #[error("the budget for models is spent: {spent:.4} of {budget:.2} dollars")]
    Budget {
        /// Dollars spent.
        spent: f64,
        /// Dollars that may be spent.
        budget: f64,
    },
    /// The server refused for good.
    #[error("the model's server refused: {0}")]
    Refused(String),
    /// It could not be reached, or was overloaded each time.
    #[error("the model's server did not answer: {0}")]
    NoAnswer(String),
    /// Its answer makes no sense.
    #[error("the model's answer makes no sense: {0}")]
    Malformed(String),
    /// Nothing was sent, as asked.
    #[error("nothing was sent (dry run)")]
    DryRun,
}

/// Somebody who looks at pictures.
pub trait VisionJudge {
    /// Did the state progress?
    ///
    /// # Errors
    /// When there is no opinion; the verdict then stays uncertain.
    fn ask(&mut self, question: &Question) -> Result<Opinion, AskError>;

    /// Which of the offered actions should be taken next?
    ///
    /// # Errors
    /// When there is no advice; whoever asked then chooses without.
    fn advise(&mut self, choice: &Choice) -> Result<Advice, AskError>;

    /// Dollars spent so far.
    fn spent(&self) -> f64;

    /// Dollars that may be spent.
    fn budget(&self) -> f64;
}

/// A key that shows itself to nobody.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Which model, where, and what it may cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which format is spoken.
    pub api: Api,
    /// Where, without the last part (`https://api.openai.com/v1`).
    pub base_url: String,
    /// Its name there.
    pub model: String,
    /// The key; none for servers that want none.
    pub key: Option<Secret>,
    /// What it costs.
    pub price: Price,
    /// Deadline of one request.
    pub timeout: Duration,
    /// Nothing is sent; what would be is handed to `say`.
    pub dry_run: bool,
}

/// What a server answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After` in seconds.
    pub retry_after: Option<u64>,
    /// Its body.
    pub body: String,
}

/// Carries a request to a server.
pub trait Transport {
    /// Posts a body as JSON.
    ///
    /// # Errors
    /// When there is no reply at all, in words that hold no header.
    fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: &str,
        timeout: Duration,
    ) -> Result<Reply, String>;
}

/// A model behind a server.
pub struct ModelJudge<T> {
    settings: Settings,
    ledger: Ledger,
    transport: T,
    wait: Box<dyn FnMut(Duration) + Send>,
    say: Box<dyn FnMut(&str) + Send>,
    /// State of the jitter.
    jitter: u64,
}

impl<T: Transport> ModelJudge<T> {
    /// A judge with its own ledger of `budget` dollars. `wait` passes the time between tries, `say` is told what a
    /// dry run would send.
    pub fn new(
        settings: Settings,
        budget: f64,
        transport: T,
        wait: Box<dyn FnMut(Duration) + Send>,
        say: Box<dyn FnMut(&str) + Send>,
    ) -> Self {
        Self {
            settings,
            ledger: Ledger::new(budget),
            transport,
            wait,
            say,
            jitter: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// What was spent so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Sends a request until there is a reply worth reading.
    fn send(&mut self, body: &str) -> Result<Reply, AskError> {
        let url = self.settings.api.url(&self.settings.base_url);
        let mut why = String::new();
        for attempt in 0..TRIES {
            let key = self.settings.key.as_ref().map_or("", Secret::reveal);
            let headers = self.settings.api.headers(key);
            let named: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
            let sent = self
                .transport
                .post(&url, &named, body, self.settings.timeout);
            let asked_to_wait = match sent {
                Ok(mut reply) => {
                    // A server may repeat what it was sent.
                    reply.body = wire::without(&reply.body, key);
                    if (200..300).contains(&reply.status) {
                        return Ok(reply);
                    }
                    why = wire::complaint(&reply);
                    if !wire::worth_another_try(&reply) {
                        return Err(AskError::Refused(why));
                    }
                    reply.retry_after.map(Duration::from_secs)
                }
                Err(error) => {
                    why = wire::without(&error, key);
                    None
                }
            };
            if attempt + 1 < TRIES {
                let pause = asked_to_wait.unwrap_or_else(|| self.backoff(attempt));
                if pause > PATIENCE {
                    return Err(AskError::NoAnswer(format!(
                        "{why} (it asks to wait {} s)",
                        pause.as_secs()
                    )));
                }
                (self.wait)(pause);
            }
        }
        Err(AskError::NoAnswer(why))
    }

    /// Half a second, doubled each time, and up to as much again by chance.
    fn backoff(&mut self, attempt: u32) -> Duration {
        self.jitter ^= self.jitter << 13;
        self.jitter ^= self.jitter >> 7;
        self.jitter ^= self.jitter << 17;
        let base = 500u64 << attempt.min(5);
        Duration::from_millis(base + self.jitter % base)
    }
}

impl<T: Transport> ModelJudge<T> {
    /// Sends a request and pays for it; the text of the reply.
    fn paid(&mut self, body: &serde_json::Value, guessed: Usage) -> Result<String, AskError> {
        if self.settings.dry_run {
            let url = self.settings.api.url(&self.settings.base_url);
            let shown = wire::abridged(body);
            (self.say)(&format!("POST {url}\n{shown:#}"));
            return Err(AskError::DryRun);
        }
        let reply = self.send(&body.to_string())?;
        let read = self.settings.api.read(&reply.body);
        // Whatever it said, it was paid for.
        let usage = read.as_ref().ok().and_then(|r| r.usage).unwrap_or(guessed);
        self.ledger.pay(self.settings.price, usage);
        read.map(|r| r.text)
    }
}

impl<T: Transport> VisionJudge for ModelJudge<T> {
    fn ask(&mut self, question: &Question) -> Result<Opinion, AskError> {
        self.ledger.may_ask()?;
        let body = self.settings.api.request(&self.settings.model, question);
        let text = self.paid(&body, question.guessed_usage())?;
        wire::opinion(&text)
    }

    fn advise(&mut self, choice: &Choice) -> Result<Advice, AskError> {
        self.ledger.may_ask()?;
        let body = self.settings.api.choose(&self.settings.model, choice);
        let text = self.paid(&body, choice.guessed_usage())?;
        choice.read(&text)
    }

    fn spent(&self) -> f64 {
        self.ledger.spent
    }

    fn budget(&self) -> f64 {
        self.ledger.budget
    }
}

impl StateAnalyzer {
    /// As [`StateAnalyzer::has_state_progressed`]; where that is uncertain, and only there, `judge` is asked: also where
    /// nothing was watched before the action, so that what changed may move by itself.
    ///
    /// # Errors
    /// As there. No error of the judge's is one of these: it leaves the verdict uncertain, and is said.
    pub fn has_state_progressed_asking(
        &self,
        seen: &Observation,
        judge: &mut dyn VisionJudge,
    ) -> Result<Judgement, ProgressError> {
        let mut judgement = self.has_state_progressed(seen)?;
        // What only seems to be progress, with nothing to compare it with, is not sure either.
        let groundless = seen.idle.is_empty()
            && judgement.verdict == Answer::Progressed
            && judgement.confidence <= UNWATCHED;
        if judgement.verdict != Answer::Uncertain && !groundless {
            return Ok(judgement);
        }
        let Some(question) = Question::new(seen, &judgement) else {
            return Ok(judgement);
        };
        match judge.ask(&question) {
            Ok(opinion) => {
                judgement.verdict = if opinion.progressed {
                    Answer::Progressed
                } else {
                    Answer::Unchanged
                };
                judgement.confidence = opinion.confidence;
                judgement
                    .reasons
                    .insert(0, format!("a vision model: {}", opinion.reason));
            }
            Err(error) => judgement.reasons.push(error.to_string()),
        }
        Ok(judgement)
    }
}
