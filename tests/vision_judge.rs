//! A vision model is asked over the wire: a server on this machine stands in for one, well and badly.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[allow(dead_code)]
#[path = "progress/painter.rs"]
mod painter;

use painter::{BLACK, Canvas, RED};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tetrascope::progress::ask::{
    Advice, Api, AskError, Choice, Http, ModelJudge, Offer, Opinion, Price, Question, Secret,
    Settings, VisionJudge,
};
use tetrascope::progress::{Answer, Judgement, Observation, StateAnalyzer};

const KEY: &str = "sk-very-secret-42";

/// A request as the stand-in got it.
#[derive(Debug, Clone)]
struct Got {
    head: String,
    body: Value,
}

/// A server that gives these answers, one a request: status, further headers, body. `None` hangs up.
fn server(answers: Vec<Option<(u16, &'static str, String)>>) -> (String, Arc<Mutex<Vec<Got>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let got = Arc::new(Mutex::new(Vec::new()));
    let kept = got.clone();
    std::thread::spawn(move || {
        for answer in answers {
            let Ok((stream, _)) = listener.accept() else {
                return;
            };
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                    break;
                }
                let lower = line.to_lowercase();
                if let Some(n) = lower.strip_prefix("content-length:") {
                    length = n.trim().parse().unwrap();
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            kept.lock().unwrap().push(Got {
                head,
                body: serde_json::from_slice(&body).unwrap(),
            });
            let Some((status, headers, body)) = answer else {
                continue;
            };
            let mut stream = stream;
            let _ = write!(
                stream,
                "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
                body.len()
            );
        }
    });
    (format!("http://{address}/v1"), got)
}

type Pauses = Arc<Mutex<Vec<Duration>>>;

fn judge(api: Api, base_url: &str, budget: f64) -> (ModelJudge<Http>, Pauses) {
    let pauses = Pauses::default();
    let kept = pauses.clone();
    let settings = Settings {
        api,
        base_url: base_url.into(),
        model: "seer".into(),
        key: Some(Secret::new(KEY)),
        price: Price {
            input: 2.0,
            output: 10.0,
        },
        timeout: Duration::from_secs(20),
        dry_run: false,
    };
    let wait = Box::new(move |d| kept.lock().unwrap().push(d));
    (
        ModelJudge::new(settings, budget, Http, wait, Box::new(|_| {})),
        pauses,
    )
}

fn question() -> Question {
    let scene = |x| Canvas::page().rect(x, 100, 40, 40, RED).raster();
    let seen = Observation {
        before: Some(scene(100)),
        after: vec![scene(200)],
        ..Observation::default()
    };
    let judgement = StateAnalyzer.has_state_progressed(&seen).unwrap();
    Question::new(&seen, &judgement).unwrap()
}

fn openai(text: &str) -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": text}}],
           "usage": {"prompt_tokens": 3000, "completion_tokens": 100}})
    .to_string()
}

const YES: &str = r#"{"progressed": true, "confidence": 0.8, "reason": "the block moved"}"#;

#[test]
fn chat_completions_are_spoken_and_paid_for_by_the_usage_they_tell() {
    let (url, got) = server(vec![Some((200, "", openai(YES)))]);
    let (mut judge, _) = judge(Api::OpenAi, &url, 0.5);
    let opinion = judge.ask(&question()).unwrap();
    assert_eq!(
        opinion,
        Opinion {
            progressed: true,
            confidence: 0.8,
            reason: "the block moved".into()
        }
    );
    assert!(
        (judge.ledger().spent - 0.007).abs() < 1e-12,
        "{:?}",
        judge.ledger()
    );
    let got = got.lock().unwrap()[0].clone();
    assert!(
        got.head.starts_with("POST /v1/chat/completions "),
        "{}",
        got.head
    );
    assert!(got.head.contains(&format!("authorization: Bearer {KEY}")));
    assert_eq!(got.body["model"], "seer");
    assert_eq!(got.body["response_format"]["type"], "json_schema");
    let content = got.body["messages"][0]["content"].as_array().unwrap();
    let pictures: Vec<&str> = content
        .iter()
        .filter_map(|c| c["image_url"]["url"].as_str())
        .collect();
    assert!(pictures.len() >= 2 && pictures.len() <= 6);
    assert!(
        pictures
            .iter()
            .all(|p| p.starts_with("data:image/png;base64,iVBOR"))
    );
}

#[test]
fn messages_are_spoken_too() {
    let reply = json!({"content": [{"type": "text", "text": YES}], "usage": {"input_tokens": 1000, "output_tokens": 50}});
    let (url, got) = server(vec![Some((200, "", reply.to_string()))]);
    let (mut judge, _) = judge(Api::Anthropic, &url, 0.5);
    assert!(judge.ask(&question()).unwrap().progressed);
    assert!((judge.ledger().spent - 0.0025).abs() < 1e-12);
    let got = got.lock().unwrap()[0].clone();
    assert!(got.head.starts_with("POST /v1/messages "));
    assert!(
        got.head.contains(&format!("x-api-key: {KEY}")) && got.head.contains("anthropic-version:")
    );
    assert!(
        got.body["messages"][0]["content"]
            .as_array()
            .unwrap()
            .iter()
            .any(|c| c["source"]["media_type"] == "image/png")
    );
}

#[test]
fn limits_and_overloads_are_waited_out_as_the_server_asks() {
    let busy = |status, headers| {
        Some((
            status,
            headers,
            json!({"error": {"message": "busy"}}).to_string(),
        ))
    };
    let (url, got) = server(vec![
        busy(429, "retry-after: 7\r\n"),
        busy(529, ""),
        None,
        Some((200, "", openai(YES))),
    ]);
    let (mut judge, pauses) = judge(Api::OpenAi, &url, 0.5);
    assert!(judge.ask(&question()).is_ok());
    assert_eq!(got.lock().unwrap().len(), 4);
    let pauses = pauses.lock().unwrap();
    assert_eq!(pauses[0], Duration::from_secs(7));
    assert!(
        pauses[1] >= Duration::from_secs(1) && pauses[1] < Duration::from_secs(2),
        "{pauses:?}"
    );
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    let gone = json!({"error": {"message": "no more", "type": "insufficient_quota"}}).to_string();
    let (url, got) = server(vec![Some((429, "", gone))]);
    let (mut judge, pauses) = judge(Api::OpenAi, &url, 0.5);
    assert!(
        matches!(judge.ask(&question()), Err(AskError::Refused(why)) if why.contains("no more"))
    );
    assert_eq!(
        (got.lock().unwrap().len(), pauses.lock().unwrap().len()),
        (1, 0)
    );
    // An hour is more patience than there is.
    let (url, _) = server(vec![Some((429, "retry-after: 3600\r\n", String::new()))]);
    let (mut judge, pauses) = self::judge(Api::OpenAi, &url, 0.5);
    assert!(matches!(judge.ask(&question()), Err(AskError::NoAnswer(_))));
    assert!(pauses.lock().unwrap().is_empty());
}

#[test]
fn an_answer_that_makes_no_sense_is_no_opinion_and_is_paid_for() {
    for text in [
        "YES",
        "",
        "{\"progressed\": \"yes\"}",
        "{\"progressed\": true, \"confidence\": 7, \"reason\": \"\"}",
        "Sure! {\"progressed\": true, \"confidence\": 1, \"reason\": \"\"}",
    ] {
        let (url, _) = server(vec![Some((200, "", openai(text)))]);
        let (mut judge, _) = judge(Api::OpenAi, &url, 0.5);
        assert!(
            matches!(judge.ask(&question()), Err(AskError::Malformed(_))),
            "{text}"
        );
        assert!(judge.ledger().spent > 0.0, "{text}");
    }
    let (url, _) = server(vec![Some((200, "", "<html>".into()))]);
    let (mut judge, _) = judge(Api::OpenAi, &url, 0.5);
    assert!(matches!(
        judge.ask(&question()),
        Err(AskError::Malformed(_))
    ));
}

#[test]
fn without_usage_it_is_guessed_and_a_fence_is_forgiven() {
    let body =
        json!({"choices": [{"message": {"content": format!("```json\n{YES}\n```")}}]}).to_string();
    let (url, _) = server(vec![Some((200, "", body))]);
    let (mut judge, _) = judge(Api::OpenAi, &url, 0.5);
    assert!(judge.ask(&question()).unwrap().progressed);
    assert!(judge.ledger().spent > 0.003);
}

#[test]
fn asking_stops_before_the_budget_is_gone() {
    let (url, got) = server(vec![
        Some((200, "", openai(YES))),
        Some((200, "", openai(YES))),
    ]);
    let (mut judge, _) = judge(Api::OpenAi, &url, 0.0075);
    assert!(judge.ask(&question()).is_ok());
    assert!(matches!(
        judge.ask(&question()),
        Err(AskError::Budget { .. })
    ));
    assert_eq!(got.lock().unwrap().len(), 1);
}

#[test]
fn the_key_is_told_to_nobody_not_even_when_the_server_repeats_it() {
    let echo = json!({"error": {"message": format!("bad key {KEY}")}}).to_string();
    let (url, _) = server(vec![Some((401, "", echo))]);
    let (mut judge, _) = judge(Api::OpenAi, &url, 0.5);
    let error = judge.ask(&question()).unwrap_err();
    assert!(
        !error.to_string().contains(KEY) && error.to_string().contains("bad key"),
        "{error}"
    );
    assert!(!format!("{:?}", Secret::new(KEY)).contains(KEY));
    // A redirect is not followed: it would carry the key elsewhere.
    let (elsewhere, seen) = server(vec![Some((200, "", openai(YES)))]);
    let location: &'static str =
        Box::leak(format!("location: {elsewhere}/chat/completions\r\n").into_boxed_str());
    let (url, _) = server(vec![Some((307, location, String::new()))]);
    let (mut judge, _) = self::judge(Api::OpenAi, &url, 0.5);
    assert!(judge.ask(&question()).is_err());
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn a_dry_run_says_what_it_would_send_and_sends_nothing() {
    let (url, got) = server(vec![Some((200, "", openai(YES)))]);
    let said = Arc::new(Mutex::new(String::new()));
    let kept = said.clone();
    let settings = Settings {
        api: Api::OpenAi,
        base_url: url,
        model: "seer".into(),
        key: Some(Secret::new(KEY)),
        price: Price::FREE,
        timeout: Duration::from_secs(5),
        dry_run: true,
    };
    let say = Box::new(move |text: &str| kept.lock().unwrap().push_str(text));
    let mut judge = ModelJudge::new(settings, 0.5, Http, Box::new(|_| {}), say);
    assert_eq!(judge.ask(&question()), Err(AskError::DryRun));
    let said = said.lock().unwrap();
    assert!(
        said.contains("/chat/completions") && said.contains("characters)") && !said.contains(KEY),
        "{said}"
    );
    assert!(got.lock().unwrap().is_empty());
}

#[test]
fn an_action_is_chosen_over_the_wire_only_among_those_that_are_possible() {
    let says = |action: &str| {
        let said = json!({"action": action, "target": "Enter", "reasoning": "it starts"});
        Some((200, "", openai(&said.to_string())))
    };
    let (url, got) = server(vec![says("press"), says("type")]);
    let (mut judge, _) = judge(Api::OpenAi, &url, 0.5);
    let offers = || {
        ["press", "hold"]
            .map(|action| Offer {
                action: action.into(),
                target: "Enter".into(),
            })
            .to_vec()
    };
    let page = Canvas::page().raster();
    let choice = Choice::new(&page, offers(), &[]).unwrap();
    let advice = judge.advise(&choice).unwrap();
    assert_eq!((advice.offer, advice.reasoning.as_str()), (0, "it starts"));
    let error = judge.advise(&choice).unwrap_err();
    assert!(error.to_string().contains("not possible here: type Enter"));
    // Both were paid for: 3000 tokens in and 100 out each.
    assert!(
        (judge.spent() - 2.0 * 0.007).abs() < 1e-9,
        "{}",
        judge.spent()
    );
    let got = got.lock().unwrap();
    assert_eq!(
        got[0].body["response_format"]["json_schema"]["name"],
        "action"
    );
    let content = got[0].body["messages"][0]["content"].as_array().unwrap();
    assert!(content.iter().any(|c| c["type"] == "image_url"));
}

/// Counts how often it is asked.
struct Oracle(Result<Opinion, AskError>, u32);

impl VisionJudge for Oracle {
    fn ask(&mut self, _: &Question) -> Result<Opinion, AskError> {
        self.1 += 1;
        self.0.clone()
    }

    fn advise(&mut self, _: &Choice) -> Result<Advice, AskError> {
        Err(AskError::DryRun)
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn budget(&self) -> f64 {
        0.0
    }
}

#[test]
fn only_what_is_uncertain_is_asked_and_an_error_leaves_it_so() {
    let ask = |seen: &Observation, oracle: &mut Oracle| -> Judgement {
        StateAnalyzer
            .has_state_progressed_asking(seen, oracle)
            .unwrap()
    };
    let says = || {
        Oracle(
            Ok(Opinion {
                progressed: true,
                confidence: 0.7,
                reason: "so".into(),
            }),
            0,
        )
    };
    let scene = |x| {
        Canvas::page()
            .rect(x, 100, 40, 40, RED)
            .number(20, 20, 5, 1, BLACK)
            .raster()
    };
    let clear = Observation {
        before: Some(scene(10)),
        after: vec![scene(90); 2],
        ..Observation::default()
    };
    let mut oracle = says();
    assert_eq!(ask(&clear, &mut oracle).verdict, Answer::Progressed);
    assert_eq!(oracle.1, 0);
    // Seen once, with nothing watched before, it may move by itself.
    let unwatched = Observation {
        after: vec![scene(90)],
        ..clear.clone()
    };
    let alone = StateAnalyzer.has_state_progressed(&unwatched).unwrap();
    assert_eq!(alone.verdict, Answer::Progressed);
    assert!(alone.confidence < 0.75, "{}", alone.confidence);
    assert!(!alone.reasons[0].contains("stays"), "{:?}", alone.reasons);
    let mut oracle = says();
    ask(&unwatched, &mut oracle);
    assert_eq!(oracle.1, 1);
    // A place that became slightly lighter, after something that is not told.
    let tint = |c: u8| Canvas::page().rect(100, 100, 40, 40, [c, c, c]).raster();
    let doubtful = Observation {
        before: Some(tint(100)),
        after: vec![tint(112)],
        ..Observation::default()
    };
    assert_eq!(
        StateAnalyzer
            .has_state_progressed(&doubtful)
            .unwrap()
            .verdict,
        Answer::Uncertain
    );
    let mut oracle = says();
    let judgement = ask(&doubtful, &mut oracle);
    assert_eq!((judgement.verdict, oracle.1), (Answer::Progressed, 1));
    assert!(judgement.reasons[0].contains("so"));
    let mut broken = Oracle(Err(AskError::NoAnswer("down".into())), 0);
    let judgement = ask(&doubtful, &mut broken);
    assert_eq!(judgement.verdict, Answer::Uncertain);
    assert!(judgement.reasons.iter().any(|r| r.contains("down")));
}
