//! `tetrascope compare` as it is called from a script: what it prints where, and how it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[allow(dead_code)]
#[path = "progress/painter.rs"]
mod painter;

use painter::{BLACK, Canvas, RED};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn save(folder: &Path, name: &str, canvas: &Canvas) -> PathBuf {
    let path = folder.join(name);
    image::save_buffer(
        &path,
        &canvas.rgb,
        canvas.width,
        canvas.height,
        image::ExtendedColorType::Rgb8,
    )
    .unwrap();
    path
}

/// A folder with a picture before, one in which something moved, and one that cannot be read.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let scene = |x| {
        Canvas::page()
            .rect(x, 100, 40, 40, RED)
            .number(20, 20, 7, 2, BLACK)
    };
    save(folder.path(), "before.png", &scene(100));
    save(folder.path(), "same.jpg", &scene(100));
    save(folder.path(), "same.png", &scene(100));
    save(folder.path(), "moved.png", &scene(200));
    std::fs::write(folder.path().join("torn.png"), b"\x89PNG\r\n\x1a\nno").unwrap();
    folder
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_tetrascope"))
        .arg("compare")
        .args(args)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn the_exit_code_tells_the_verdict_and_the_words_tell_why() {
    let folder = folder();
    let (code, out, _) = run(folder.path(), &["before.png", "moved.png"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.starts_with("progressed (") && out.contains(" at 100,100"),
        "{out}"
    );
    let (code, out, _) = run(
        folder.path(),
        &["before.png", "same.png", "--idle", "before.png", "same.png"],
    );
    assert_eq!((code, out.starts_with("unchanged (")), (1, true), "{out}");
    // Lossy compression is no change.
    assert_eq!(run(folder.path(), &["before.png", "same.jpg"]).0, 1);
}

#[test]
fn the_answer_can_be_had_as_json_and_as_a_picture() {
    let folder = folder();
    let (code, out, _) = run(
        folder.path(),
        &["before.png", "moved.png", "--json", "--out", "boxes.png"],
    );
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &answer["verdict"]), (0, &json!("progressed")));
    assert!(answer["boxes"][0]["width"].as_u64().unwrap() >= 40);
    let picture = image::open(folder.path().join("boxes.png")).unwrap();
    assert_eq!(picture.width(), 480 * 2 + 8);
    let (_, out, _) = run(folder.path(), &["before.png", "moved.png", "--show"]);
    assert!(out.contains('▀'), "{out}");
}

#[test]
fn texts_count_too() {
    let folder = folder();
    std::fs::write(folder.path().join("a.txt"), "Score 0").unwrap();
    std::fs::write(folder.path().join("b.txt"), "Score 9").unwrap();
    let args = [
        "before.png",
        "same.png",
        "--text-before",
        "a.txt",
        "--text-after",
        "b.txt",
    ];
    let (code, out, _) = run(folder.path(), &args);
    assert_eq!(code, 0);
    assert!(out.contains("a number went from 0 to 9"), "{out}");
}

#[test]
fn what_cannot_be_read_or_meant_is_said() {
    let folder = folder();
    let (code, _, err) = run(folder.path(), &["before.png", "none.png"]);
    assert_eq!(code, 3);
    assert!(err.contains("none.png"), "{err}");
    assert_eq!(run(folder.path(), &["before.png", "torn.png"]).0, 3);
    assert_eq!(run(folder.path(), &["before.png"]).0, 2);
    assert_eq!(run(folder.path(), &["--batch", "none.json"]).0, 3);
    assert_eq!(
        run(folder.path(), &["before.png", "moved.png", "--batch", "x"]).0,
        2
    );
}

#[test]
fn a_batch_gives_a_line_a_case_and_a_table_and_goes_on_past_what_it_cannot_read() {
    let folder = folder();
    let cases = json!([
        {"id": "moved", "before": "before.png", "after": "moved.png", "label": "progressed", "kind": "object_moved"},
        {"id": "torn", "before": "before.png", "after": "torn.png"},
        {"id": "odd", "before": 5},
        {"id": "wrongly labelled", "before": "before.png", "after": "same.png", "after2": "same.png",
         "idle": ["before.png"], "label": "progressed", "kind": "no_op", "text_after2": null, "unknown": {}},
    ]);
    std::fs::write(folder.path().join("cases.json"), cases.to_string()).unwrap();
    let (code, out, err) = run(
        Path::new("/"),
        &[
            "--batch",
            folder.path().join("cases.json").to_str().unwrap(),
        ],
    );
    assert_eq!(code, 3, "not everything could be read");
    let lines: Vec<Value> = out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let ids: Vec<&str> = lines.iter().map(|l| l["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["moved", "torn", "odd", "wrongly labelled"]);
    assert_eq!(lines[0]["verdict"], "progressed");
    assert!(lines[0]["milliseconds"].as_f64().is_some() && lines[0]["boxes"][0]["x"].is_u64());
    assert!(lines[1]["error"].as_str().unwrap().contains("torn.png"));
    assert!(lines[2]["error"].is_string());
    assert_eq!(lines[3]["verdict"], "unchanged");
    let all = err.lines().find(|l| l.starts_with("all")).unwrap();
    let fields: Vec<&str> = all.split_whitespace().collect();
    assert_eq!(fields, ["all", "2", "1", "50.0%", "0", "1", "0"]);
}
