//! From what the user names to the pages that are judged, and the name of each one's report.
//!
//! Comes in: arguments, and stdin where `-` is among them. Goes out: pages in the order given, each once.
//! Must never know: how a page is opened.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::Path;

/// Characters of a target that a report's name keeps: of four bytes each they still fit into 255.
const NAME: usize = 56;

/// The pages behind the arguments, in their order, each once.
///
/// # Errors
/// Those of reading stdin.
pub fn expand(arguments: &[String], mut stdin: impl BufRead) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument == "-" {
            let mut text = String::new();
            stdin.read_to_string(&mut text)?;
            let lines = text.lines().map(str::trim);
            for line in lines.filter(|l| !l.is_empty() && !l.starts_with('#')) {
                pages_of(line, &mut found);
            }
        } else {
            pages_of(argument, &mut found);
        }
    }
    let mut seen = HashSet::new();
    found.retain(|page| seen.insert(page.clone()));
    Ok(found)
}

/// The pages of one target. A folder without an index.html stands for each of its HTML files; one without any, for its
/// sub-folders. What is no folder, or holds no page, stands for itself: what is wrong with it is said when it is opened.
fn pages_of(target: &str, into: &mut Vec<String>) {
    let folder = Path::new(target);
    if target.contains("://") || !folder.is_dir() || folder.join("index.html").is_file() {
        into.push(target.into());
        return;
    }
    let pages = entries(folder, &|p| p.is_file() && is_html(p));
    let found = match pages.as_slice() {
        // Its only page is what the folder means anyway.
        [_] => vec![target.to_string()],
        [] => entries(folder, &|p| p.is_dir() && holds_pages(p))
            .iter()
            .flat_map(|name| {
                let mut inside = Vec::new();
                pages_of(&join(target, name), &mut inside);
                inside
            })
            .collect(),
        many => many.iter().map(|name| join(target, name)).collect(),
    };
    if found.is_empty() {
        into.push(target.into());
    } else {
        into.extend(found);
    }
}

/// The entry's name after the folder's, as the user wrote that.
fn join(folder: &str, name: &str) -> String {
    let separator = if folder.ends_with(std::path::is_separator) {
        ""
    } else {
        "/"
    };
    format!("{folder}{separator}{name}")
}

/// Names of the entries that are wanted, sorted, hidden ones left out.
fn entries(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|e| wanted(&e.path()))
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|n| !n.starts_with('.'))
        .collect();
    names.sort();
    names
}

fn is_html(path: &Path) -> bool {
    path.extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm"))
}

fn holds_pages(folder: &Path) -> bool {
    !entries(folder, &|p| p.is_file() && is_html(p)).is_empty()
}

/// The file name of a target's report: readable, the same in every run, and another one for every other target.
pub fn file_name(target: &str) -> String {
    let shown: String = target
        .trim_start_matches("https://")
        .trim_start_matches("http://")
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect();
    let words: Vec<&str> = shown.split('-').filter(|w| !w.is_empty()).collect();
    let words = words.join("-");
    let skip = words.chars().count().saturating_sub(NAME);
    let mut words: String = words.chars().skip(skip).collect();
    if words.is_empty() {
        words.push_str("page");
    }
    // Two targets may come to the same words; a name of letters alone can be one in another case on some systems.
    format!("{words}-{:010x}.json", fnv(target) & 0xff_ffff_ffff)
}

/// FNV-1a: what the standard library hashes with may change from version to version, a report's name may not.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    fn given(arguments: &[&str], stdin: &str) -> Vec<String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        expand(&arguments, stdin.as_bytes()).unwrap()
    }

    #[test]
    fn a_list_from_stdin_stands_where_the_dash_is_and_nothing_is_judged_twice() {
        let list = "# the games\n\n  b.html  \nhttp://x.test/?a=1#b\n";
        assert_eq!(
            given(&["a.html", "-", "b.html", "c.html"], list),
            ["a.html", "b.html", "http://x.test/?a=1#b", "c.html"]
        );
        assert!(given(&["-"], "").is_empty());
    }

    #[test]
    fn folders_stand_for_their_pages() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let file = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for path in [
            "all/with-index/index.html",
            "all/with-index/other.html",
            "all/single/only.htm",
            "all/several/b.html",
            "all/several/a.html",
            "all/several/x.js",
            "all/.hidden/index.html",
            "all/no-page/x.js",
            "mixed/page.HTML",
            "mixed/second.html",
            "mixed/sub/index.html",
            "empty/readme.txt",
        ] {
            file(path);
        }
        let name = |path: &str| root.join(path).to_str().unwrap().to_string();
        assert_eq!(
            given(&[&name("all")], ""),
            [
                name("all/several/a.html"),
                name("all/several/b.html"),
                name("all/single"),
                name("all/with-index"),
            ]
        );
        assert_eq!(
            given(&[&format!("{}/", name("mixed"))], ""),
            [name("mixed/page.HTML"), name("mixed/second.html")]
        );
        // What is wrong with these is said when they are opened.
        let wrong = [name("empty"), name("no/such")];
        assert_eq!(given(&[&wrong[0], &wrong[1]], ""), wrong);
    }

    #[test]
    fn a_report_is_named_after_its_target_and_no_two_share_a_name() {
        assert_eq!(
            file_name("./games/dom-3/index.html"),
            "games-dom-3-index-html-5300631978.json"
        );
        let targets = [
            "games/a-b",
            "games-a/b",
            "games/a/b",
            "./games/a/b",
            "GAMES/a/b",
            "http://games/a/b",
            "https://games/a/b",
            "games/a/b?x",
            "",
            "///",
        ];
        let names: HashSet<String> = targets
            .iter()
            .map(|t| file_name(t).to_lowercase())
            .collect();
        assert_eq!(names.len(), targets.len());
        let long = file_name(&format!("{}/ゲーム/last", "x".repeat(5_000)));
        assert!(long.chars().count() < 100 && long.contains("-ゲーム-last-"));
        assert!(
            names
                .iter()
                .all(|n| !n.contains(['/', '\\', ':', '?', '*']))
        );
    }
}
