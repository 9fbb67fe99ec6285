//! Holds the layer table of the crate docs: a module imports only from rows above its own, and some
//! libraries have exactly one home.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Row of every top-level module.
const ROWS: &[(&str, u8)] = &[
    ("model", 0),
    ("vision", 1),
    ("planner", 1),
    ("profile", 1),
    ("progress", 1),
    ("browser", 1),
    ("track", 2),
    ("evidence", 3),
    ("checks", 4),
    ("report", 5),
    ("driver", 6),
    ("bot", 7),
    ("explore", 7),
    ("session", 8),
    ("tui", 9),
    ("headless", 9),
    ("compare", 9),
    ("config", 10),
    ("cli", 10),
    ("app", 10),
];

/// Libraries that may be named only in these modules.
const HOMES: &[(&str, &[&str])] = &[
    ("async_tungstenite", &["browser"]),
    ("chromiumoxide", &["browser"]),
    ("axum", &["browser"]),
    ("tower_http", &["browser"]),
    ("rustix", &["browser"]),
    ("libc", &["browser"]),
    ("ureq", &["progress"]),
    ("ratatui", &["tui"]),
    ("crossterm", &["tui"]),
    ("tui_input", &["tui"]),
    ("tui_logger", &["tui"]),
    ("clap", &["cli", "main"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("color_eyre", &["app", "main"]),
    ("toml", &["config", "profile"]),
    ("ratatui_image", &["tui"]),
];

fn rust_files(dir: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// Every source file with the name of its top-level module and its code without comments.
fn sources() -> Vec<(PathBuf, String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(&src).unwrap().to_path_buf();
            let first = relative.iter().next().unwrap().to_string_lossy();
            let module = first.trim_end_matches(".rs").to_string();
            let code: Vec<String> = fs::read_to_string(&path)
                .unwrap()
                .lines()
                .filter(|l| !l.trim_start().starts_with("//"))
                .map(str::to_string)
                .collect();
            (relative, module, code.join("\n"))
        })
        .collect()
}

fn row(module: &str) -> Option<u8> {
    ROWS.iter().find(|(m, _)| *m == module).map(|(_, r)| *r)
}

/// The modules named after `crate::` in some code, grouped imports (`use crate::{a, b::c}`) included.
fn named_modules(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut word = String::new();
            let mut take = true;
            for ch in group.chars() {
                match ch {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 1 && (ch == ',' || ch == '\n') {
                    found.push(std::mem::take(&mut word));
                    take = true;
                } else if depth == 1 && take && (ch.is_alphanumeric() || ch == '_') {
                    word.push(ch);
                } else if ch == ':' {
                    take = false;
                }
                if depth == 0 {
                    found.push(word);
                    break;
                }
            }
        } else {
            found.push(
                rest.chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect(),
            );
        }
    }
    found.retain(|m| !m.is_empty());
    found
}

#[test]
fn every_module_imports_only_from_rows_above_its_own() {
    let mut wrong = Vec::new();
    for (path, module, code) in sources() {
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(own) = row(&module) else {
            wrong.push(format!("{}: module {module} has no row", path.display()));
            continue;
        };
        for other in named_modules(&code) {
            if other == module {
                continue;
            }
            // Row 10 puts everything together, its modules may name each other.
            if row(&other).is_some_and(|r| r >= own && own != 10) {
                wrong.push(format!(
                    "{}: {module} must not know {other}",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_guarded_library_is_named_only_at_home() {
    let mut wrong = Vec::new();
    for (path, module, code) in sources() {
        for (library, homes) in HOMES {
            let named =
                code.contains(&format!("{library}::")) || code.contains(&format!("use {library};"));
            if named && !homes.contains(&module.as_str()) {
                wrong.push(format!("{}: {library} lives in {homes:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reading_of_imports_sees_groups_and_paths() {
    let code = "use crate::{model::{Grid, Key}, track};\nlet x = crate::vision::read();";
    assert_eq!(named_modules(code), ["model", "track", "vision"]);
}
