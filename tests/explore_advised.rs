//! A whole exploration whose actions a model recommends: the program, a page, a browser, and a server on this machine
//! that stands in for the model, well and badly. It costs nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// What the stand-in was asked and what it said to that.
type Said = Arc<Mutex<Vec<String>>>;

/// The body of a request.
fn request(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 || line == "\r\n" {
            break;
        }
        if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The actions a request offers, as they are written in it.
fn offers(body: &Value) -> Vec<Value> {
    let content = body["messages"][0]["content"].as_array();
    content
        .into_iter()
        .flatten()
        .filter_map(|part| part["text"].as_str())
        .flat_map(str::lines)
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|offer| offer["action"].is_string() && offer["target"].is_string())
        .collect()
}

/// A model that answers each request by `answer`: from how many went before and what is offered to a status and what it
/// says; `None` hangs up.
fn stand_in(
    answer: impl Fn(usize, &[Value]) -> Option<(u16, String)> + Send + 'static,
) -> (String, Said) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let said = Said::default();
    let kept = said.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let Some(body) = request(&stream) else {
                continue;
            };
            let number = kept.lock().unwrap().len();
            let Some((status, text)) = answer(number, &offers(&body)) else {
                kept.lock().unwrap().push("hung up".into());
                continue;
            };
            kept.lock().unwrap().push(text.clone());
            let reply = json!({
                "choices": [{"message": {"content": text}}],
                "usage": {"prompt_tokens": 900, "completion_tokens": 30},
            })
            .to_string();
            let mut stream = stream;
            let length = reply.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{reply}"
            );
        }
    });
    (url, said)
}

/// Explores a page of ours with that model's advice; goes out: the report, and whether the goal was reached.
fn explored(page: &str, url: &str, actions: &str) -> (Value, bool) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let page = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/pages/explore")
        .join(page);
    let output = Command::new(env!("CARGO_BIN_EXE_tetrascope"))
        .args(["explore", "--headless", "--advised", "--seed", "1"])
        .args(["--model", "seer", "--model-url", url])
        .args(["--max-actions", actions, "--until", "Geschafft", "--report"])
        .arg(&report)
        .arg(page)
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read_to_string(&report).expect(&told);
    (
        serde_json::from_str(&text).unwrap(),
        output.status.code() == Some(0),
    )
}

fn advice(step: &Value) -> &str {
    step["advice"].as_str().unwrap_or_default()
}

#[test]
fn a_whole_exploration_goes_as_it_is_advised() {
    // It takes what is offered last but waiting and scrolling: nothing the program would begin with.
    let (url, said) = stand_in(|_, offers| {
        let chosen = offers
            .iter()
            .rfind(|o| ["press", "click"].contains(&o["action"].as_str().unwrap_or_default()))?;
        let answer = json!({
            "action": chosen["action"],
            "target": chosen["target"],
            "reasoning": "the last shall be first",
        });
        Some((200, answer.to_string()))
    });
    let (report, _) = explored("menu.html", &url, "10");
    let steps = report["steps"].as_array().unwrap();
    let said = said.lock().unwrap();
    let advised: Vec<&Value> = steps
        .iter()
        .filter(|s| advice(s) == "advised: the last shall be first")
        .collect();
    assert!(advised.len() >= 8, "{steps:#?}");
    // What was said was done, in that order.
    let mut answers = said
        .iter()
        .map(|a| serde_json::from_str::<Value>(a).unwrap());
    for step in advised {
        let action = step["action"].as_str().unwrap();
        let done = |a: Value| {
            let target = a["target"].as_str().unwrap().to_string();
            action.starts_with(a["action"].as_str().unwrap()) && action.contains(&target)
        };
        assert!(answers.any(done), "{action} was not advised: {said:?}");
    }
    assert_eq!(report["dollars"], 0.0);
}

#[test]
fn a_model_that_misbehaves_does_not_keep_it_from_the_end() {
    let (url, said) = stand_in(|number, _| match number % 5 {
        0 => Some((200, "Press the big red button!".into())),
        1 => Some((
            200,
            json!({"action": "press", "target": "Delete", "reasoning": "no"}).to_string(),
        )),
        2 => None,
        3 => Some((200, String::new())),
        _ => Some((400, "no such model".into())),
    });
    let (report, reached) = explored("menu.html", &url, "40");
    let steps = report["steps"].as_array().unwrap();
    assert!(reached, "{report:#?}");
    assert!(steps.iter().all(|s| !advice(s).starts_with("advised")));
    let refused = steps.iter().filter(|s| advice(s).starts_with("no advice:"));
    assert!(refused.count() >= 2, "{steps:#?}");
    assert!(said.lock().unwrap().len() >= 3);
    assert_eq!(report["dollars"], 0.0);
}
