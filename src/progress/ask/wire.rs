//! The two formats that are spoken.
//!
//! Comes in: questions, replies. Goes out: bodies, opinions. Must never know: how they travel.

use super::choice::Choice;
use super::ledger::Usage;
use super::question::Question;
use super::{AskError, Opinion, Reply};
use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};

/// Longest text of anybody else's that is handed on.
const LONGEST: usize = 300;
/// Longest answer asked for, in tokens.
const ANSWER: u32 = 400;

/// Which format is spoken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Api {
    /// Chat completions, as `OpenAI`, llama.cpp, vLLM and Ollama speak them.
    #[default]
    OpenAi,
    /// Messages, as Anthropic speaks them.
    Anthropic,
}

/// What a reply held.
pub(super) struct Read {
    pub text: String,
    pub usage: Option<Usage>,
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "progressed": {"type": "boolean"},
            "confidence": {"type": "number"},
            "reason": {"type": "string"},
        },
        "required": ["progressed", "confidence", "reason"],
        "additionalProperties": false,
    })
}

const FORM: &str = "Answer with one JSON object and nothing else: {\"progressed\": true or false, \"confidence\": 0 to \
                    1, \"reason\": one short sentence}.";

fn choice_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "action": {"type": "string"},
            "target": {"type": "string"},
            "reasoning": {"type": "string"},
        },
        "required": ["action", "target", "reasoning"],
        "additionalProperties": false,
    })
}

const CHOICE_FORM: &str = "Answer with one JSON object and nothing else: {\"action\": …, \"target\": …, both exactly as \
                           in one of the lines, \"reasoning\": one short sentence}.";

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

impl Api {
    /// Where it is asked.
    pub(super) fn url(self, base: &str) -> String {
        let base = base.trim_end_matches('/');
        match self {
            Self::OpenAi => format!("{base}/chat/completions"),
            Self::Anthropic => format!("{base}/messages"),
        }
    }

    /// The headers it wants.
    pub(super) fn headers(self, key: &str) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        match self {
            Self::OpenAi if key.is_empty() => {}
            Self::OpenAi => headers.push(("authorization", format!("Bearer {key}"))),
            Self::Anthropic => {
                headers.push(("anthropic-version", "2023-06-01".into()));
                if !key.is_empty() {
                    headers.push(("x-api-key", key.into()));
                }
            }
        }
        headers
    }

    /// The body of a request.
    pub(super) fn request(self, model: &str, question: &Question) -> Value {
        let mut content = vec![text(&format!("{} {FORM}", question.words))];
        for (n, crop) in question.crops.iter().enumerate() {
            content.push(text(&format!("Place {}, before:", n + 1)));
            content.push(self.picture(&crop.before));
            content.push(text(&format!("Place {}, after:", n + 1)));
            content.push(self.picture(&crop.after));
        }
        self.envelope(model, &content, "verdict", &schema())
    }

    /// The body of a request for the next action.
    pub(super) fn choose(self, model: &str, choice: &Choice) -> Value {
        let content = [
            text(&format!("{} {CHOICE_FORM}", choice.words)),
            self.picture(&choice.picture),
        ];
        self.envelope(model, &content, "action", &choice_schema())
    }

    fn picture(self, png: &[u8]) -> Value {
        let data = base64::engine::general_purpose::STANDARD.encode(png);
        match self {
            Self::OpenAi => json!({
                "type": "image_url",
                "image_url": {"url": format!("data:image/png;base64,{data}"), "detail": "high"},
            }),
            Self::Anthropic => json!({
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": data},
            }),
        }
    }

    fn envelope(self, model: &str, content: &[Value], name: &str, schema: &Value) -> Value {
        let messages = json!([{"role": "user", "content": content}]);
        match self {
            Self::OpenAi => json!({
                "model": model,
                "messages": messages,
                "max_completion_tokens": ANSWER,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": name, "strict": true, "schema": schema},
                },
            }),
            Self::Anthropic => json!({"model": model, "messages": messages, "max_tokens": ANSWER}),
        }
    }

    /// Reads the body of a reply.
    pub(super) fn read(self, body: &str) -> Result<Read, AskError> {
        let value: Value = serde_json::from_str(body)
            .map_err(|_| AskError::Malformed(format!("no JSON: {}", cut(body))))?;
        let count = |name: &str| value["usage"][name].as_u64();
        let (text, input, output) = match self {
            Self::OpenAi => (
                value["choices"][0]["message"]["content"].as_str(),
                count("prompt_tokens"),
                count("completion_tokens"),
            ),
            Self::Anthropic => (
                value["content"]
                    .as_array()
                    .and_then(|parts| parts.iter().find(|p| p["type"] == "text"))
                    .and_then(|p| p["text"].as_str()),
                count("input_tokens"),
                count("output_tokens"),
            ),
        };
        let text = text
            .ok_or_else(|| AskError::Malformed(format!("no text in it: {}", cut(body))))?
            .to_string();
        let usage = input.map(|input| Usage {
            input,
            output: output.unwrap_or(0),
        });
        Ok(Read { text, usage })
    }
}

/// Reads what a model said. Only an object of the right shape counts: a text that merely holds the word does not.
pub(super) fn opinion(text: &str) -> Result<Opinion, AskError> {
    #[derive(Deserialize)]
    struct Said {
        progressed: bool,
        confidence: f64,
        #[serde(default)]
        reason: String,
    }
    let malformed = || AskError::Malformed(cut(text));
    let said: Said = serde_json::from_str(inner(text)).map_err(|_| malformed())?;
    if !(0.0..=1.0).contains(&said.confidence) {
        return Err(malformed());
    }
    Ok(Opinion {
        progressed: said.progressed,
        confidence: said.confidence,
        reason: cut(&said.reason),
    })
}

/// The object in a text: some wrap it in a fence although they were told not to.
pub(super) fn inner(text: &str) -> &str {
    let text = text.trim();
    match (text.find('{'), text.rfind('}')) {
        (Some(from), Some(to)) if text.starts_with("```") && from < to => &text[from..=to],
        _ => text,
    }
}

/// Is another try worth it? A rate limit and an overload pass; a quota that is used up does not.
pub(super) fn worth_another_try(reply: &Reply) -> bool {
    let for_good = reply.body.contains("insufficient_quota");
    matches!(reply.status, 408 | 409 | 429 | 500..=599) && !for_good
}

/// What a refusal says.
pub(super) fn complaint(reply: &Reply) -> String {
    let value: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    let said = value["error"]["message"]
        .as_str()
        .or_else(|| value["error"].as_str())
        .unwrap_or(&reply.body);
    format!("status {}: {}", reply.status, cut(said))
}

/// A text without the key, should a server repeat it.
pub(super) fn without(text: &str, key: &str) -> String {
    if key.is_empty() {
        text.into()
    } else {
        text.replace(key, "…")
    }
}

/// A request as people read it: pictures by their length only.
pub(super) fn abridged(body: &Value) -> Value {
    match body {
        Value::String(s) if s.len() > 2000 => json!(format!("({} characters)", s.len())),
        Value::Array(list) => list.iter().map(abridged).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(k, v)| {
                let picture = k == "url" || k == "data";
                match v {
                    Value::String(s) if picture => {
                        (k.clone(), json!(format!("({} characters)", s.len())))
                    }
                    _ => (k.clone(), abridged(v)),
                }
            })
            .collect(),
        other => other.clone(),
    }
}

/// Somebody else's text, short and without control characters.
pub(super) fn cut(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST)
        .collect();
    clean.trim().into()
}
