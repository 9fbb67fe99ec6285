//! Gets a browser onto this machine, when asked to (`--install-browser`).
//!
//! Comes in: whether a window is wanted, and where progress lines go. Goes out: the program's path.
//! Must never know: what it will be used for.
//!
//! As root the system's package manager is used. Otherwise, or if it has no browser, "Chrome for Testing" is
//! unpacked into the user's cache folder with the system's own `curl` and `unzip`, `bsdtar` or `tar`: the
//! fetcher of chromiumoxide would bring a TLS stack and a zip library for this alone. Programs are started with
//! an argument list, never through a shell.

use super::error::{BrowserError, Result, clean};
use super::locate::{Machine, locate};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// Where "Chrome for Testing" says what there is.
const VERSIONS: &str = "https://googlechromelabs.github.io/chrome-for-testing/last-known-good-versions-with-downloads.json";

/// Where progress goes, a line at a time; lines of other programs have their control characters stripped.
pub type Progress<'a> = &'a mut (dyn FnMut(&str) + Send);

/// A package manager we know how to ask.
struct Manager {
    program: &'static str,
    /// Run first, its failure is no failure (an old list may do).
    refresh: &'static [&'static str],
    install: &'static [&'static str],
    /// Packages to try in turn; without a window, with one.
    headless: &'static [&'static str],
    headed: &'static [&'static str],
    needs_root: bool,
}

const MANAGERS: [Manager; 7] = [
    Manager {
        program: "apt-get",
        refresh: &["update"],
        install: &["install", "-y", "--no-install-recommends"],
        headless: &["chromium-headless-shell", "chromium", "chromium-browser"],
        headed: &["chromium", "chromium-browser"],
        needs_root: true,
    },
    Manager {
        program: "dnf",
        refresh: &[],
        install: &["install", "-y"],
        headless: &["chromium-headless", "chromium"],
        headed: &["chromium"],
        needs_root: true,
    },
    Manager {
        program: "pacman",
        refresh: &[],
        install: &["-Sy", "--noconfirm", "--needed"],
        headless: &["chromium"],
        headed: &["chromium"],
        needs_root: true,
    },
    Manager {
        program: "apk",
        refresh: &[],
        install: &["add", "--no-cache"],
        headless: &["chromium"],
        headed: &["chromium"],
        needs_root: true,
    },
    Manager {
        program: "zypper",
        refresh: &[],
        install: &["--non-interactive", "install"],
        headless: &["chromium"],
        headed: &["chromium"],
        needs_root: true,
    },
    Manager {
        program: "brew",
        refresh: &[],
        install: &["install", "--cask"],
        headless: &["chromium", "google-chrome"],
        headed: &["chromium", "google-chrome"],
        needs_root: false,
    },
    Manager {
        program: "winget",
        refresh: &[],
        install: &[
            "install",
            "--exact",
            "--accept-package-agreements",
            "--accept-source-agreements",
            "--id",
        ],
        headless: &["Google.Chrome"],
        headed: &["Google.Chrome"],
        needs_root: false,
    },
];

/// Installs a browser, unless there is one already, and gives its path.
pub async fn install(headed: bool, progress: Progress<'_>) -> Result<PathBuf> {
    let machine = Machine::this();
    if let Ok(found) = locate(&machine, None, headed) {
        progress(&format!("there is one already: {}", found.display()));
        return Ok(found);
    }
    let root = super::process::is_root();
    let manager = MANAGERS.iter().find(|m| on_path(m.program).is_some());
    let mut reasons = Vec::new();
    match manager {
        Some(manager) if root || !manager.needs_root => {
            match by_manager(manager, headed, progress).await {
                Ok(path) => return Ok(path),
                Err(why) => reasons.push(why),
            }
        }
        Some(manager) => reasons.push(format!(
            "not root, so {} was not used (by hand: {})",
            manager.program,
            by_hand(manager, headed)
        )),
        None => reasons.push("no package manager that is known here".into()),
    }
    progress("trying Chrome for Testing, into the cache folder");
    match by_download(headed, progress).await {
        Ok(path) => Ok(path),
        Err(why) => {
            reasons.push(why);
            Err(BrowserError::Install {
                why: reasons.join("; "),
            })
        }
    }
}

fn by_hand(manager: &Manager, headed: bool) -> String {
    let package = packages(manager, headed)
        .first()
        .copied()
        .unwrap_or_default();
    format!(
        "sudo {} {} {package}",
        manager.program,
        manager.install.join(" ")
    )
}

fn packages(manager: &Manager, headed: bool) -> &'static [&'static str] {
    if headed {
        manager.headed
    } else {
        manager.headless
    }
}

async fn by_manager(
    manager: &Manager,
    headed: bool,
    progress: Progress<'_>,
) -> Result<PathBuf, String> {
    if !manager.refresh.is_empty()
        && let Err(why) = run(manager.program, manager.refresh, progress).await
    {
        progress(&why);
    }
    let mut failed = String::new();
    for package in packages(manager, headed) {
        let mut args = manager.install.to_vec();
        args.push(package);
        match run(manager.program, &args, progress).await {
            Ok(()) => match locate(&Machine::this(), None, headed) {
                Ok(path) => return Ok(path),
                // Some packages are empty shells for another store's.
                Err(_) => failed = format!("{package} was installed but brought no browser"),
            },
            Err(why) => failed = why,
        }
    }
    Err(failed)
}

async fn by_download(headed: bool, progress: Progress<'_>) -> Result<PathBuf, String> {
    let platform = platform(std::env::consts::OS, std::env::consts::ARCH)
        .ok_or("there is no Chrome for Testing for this system")?;
    let product = if headed {
        "chrome"
    } else {
        "chrome-headless-shell"
    };
    let cache = super::locate::cache(&Machine::this()).ok_or("there is no cache folder")?;
    std::fs::create_dir_all(&cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    // Unpacked beside its place and then renamed, so that a broken download is never found as a browser.
    let work = tempfile::Builder::new()
        .prefix(".fetch-")
        .tempdir_in(&cache)
        .map_err(|e| e.to_string())?;
    let list = work.path().join("versions.json");
    fetch(VERSIONS, &list, progress).await?;
    let list = std::fs::read(&list).map_err(|e| e.to_string())?;
    let list: Value = serde_json::from_slice(&list).map_err(|e| e.to_string())?;
    let (version, url) =
        download(&list, product, platform).ok_or("its list has nothing for this system")?;
    let archive = work.path().join("archive.zip");
    fetch(&url, &archive, progress).await?;
    let unpacked = work.path().join("unpacked");
    std::fs::create_dir(&unpacked).map_err(|e| e.to_string())?;
    unpack(&archive, &unpacked, progress).await?;
    let place = cache.join(product).join(version);
    std::fs::create_dir_all(cache.join(product)).map_err(|e| e.to_string())?;
    std::fs::rename(&unpacked, &place).map_err(|e| format!("{}: {e}", place.display()))?;
    locate(&Machine::this(), None, headed).map_err(|e| e.to_string())
}

/// The platform's name in Chrome for Testing.
fn platform(os: &str, arch: &str) -> Option<&'static str> {
    match (os, arch) {
        ("linux", "x86_64") => Some("linux64"),
        ("macos", "aarch64") => Some("mac-arm64"),
        ("macos", "x86_64") => Some("mac-x64"),
        ("windows", "x86_64") => Some("win64"),
        _ => None,
    }
}

/// The stable version and its address in the list. The version becomes a folder's name, so it is looked at.
fn download(list: &Value, product: &str, platform: &str) -> Option<(String, String)> {
    let stable = &list["channels"]["Stable"];
    let version = stable["version"].as_str()?;
    let plain = !version.is_empty()
        && version.chars().all(|c| c.is_ascii_digit() || c == '.')
        && !version.starts_with('.');
    let url = stable["downloads"][product]
        .as_array()?
        .iter()
        .find(|d| d["platform"] == platform)?["url"]
        .as_str()?;
    (plain && url.starts_with("https://")).then(|| (version.into(), url.into()))
}

/// How often it is told how much has come.
const TELL_EVERY: Duration = Duration::from_secs(2);

async fn fetch(url: &str, to: &Path, progress: Progress<'_>) -> Result<(), String> {
    let to = to.display().to_string();
    let args = [
        "--fail",
        "--location",
        "--silent",
        "--show-error",
        "--proto",
        "=https",
        "--output",
        &to,
        url,
    ];
    let path = Path::new(&to);
    let mut came = 0;
    progress(&format!("curl {url}"));
    // What goes wrong is in the outcome.
    let mut unheard = |_: &str| {};
    let mut done = std::pin::pin!(run("curl", &args, &mut unheard));
    loop {
        if let Ok(ended) = tokio::time::timeout(TELL_EVERY, &mut done).await {
            return ended;
        }
        let now = path.metadata().map_or(0, |m| m.len() / 1_000_000);
        if now != came {
            progress(&format!("{now} MB so far"));
        }
        came = now;
    }
}

async fn unpack(archive: &Path, to: &Path, progress: Progress<'_>) -> Result<(), String> {
    let (archive, to) = (archive.display().to_string(), to.display().to_string());
    // bsdtar (macOS, Windows) reads zip; python3's zipfile loses the executable bits, so it comes not at all.
    let ways: [(&str, Vec<&str>); 3] = [
        ("unzip", vec!["-q", &archive, "-d", &to]),
        ("bsdtar", vec!["-xf", &archive, "-C", &to]),
        ("tar", vec!["-xf", &archive, "-C", &to]),
    ];
    let mut failed = "there is no program that unpacks zip files (unzip, bsdtar)".to_string();
    for (program, args) in ways {
        if on_path(program).is_none() {
            continue;
        }
        match run(program, &args, progress).await {
            Ok(()) => return Ok(()),
            Err(why) => failed = why,
        }
    }
    Err(failed)
}

fn on_path(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// Runs a program, its lines going to `progress`; the error holds its last line.
async fn run(program: &str, args: &[&str], progress: Progress<'_>) -> Result<(), String> {
    progress(&format!("{program} {}", args.join(" ")));
    let failed = |why: &dyn std::fmt::Display| format!("{program}: {why}");
    let mut child = Command::new(program)
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| failed(&e))?;
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(failed(&"no output"));
    };
    let mut out = BufReader::new(out).split(b'\n');
    let mut err = BufReader::new(err).split(b'\n');
    let mut last = String::new();
    let (mut out_open, mut err_open) = (true, true);
    while out_open || err_open {
        let line = tokio::select! {
            line = out.next_segment(), if out_open => { out_open = matches!(line, Ok(Some(_))); line }
            line = err.next_segment(), if err_open => { err_open = matches!(line, Ok(Some(_))); line }
        };
        if let Ok(Some(line)) = line {
            let line = clean(String::from_utf8_lossy(&line).trim(), 200);
            if !line.is_empty() {
                progress(&line);
                last = line;
            }
        }
    }
    let status = child.wait().await.map_err(|e| failed(&e))?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(&format!("{status}: {last}")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn list(version: &str, url: &str) -> Value {
        json!({"channels": {"Stable": {"version": version, "downloads": {
            "chrome-headless-shell": [{"platform": "win64", "url": "https://x/w"}, {"platform": "linux64", "url": url}]
        }}}})
    }

    #[test]
    fn the_list_gives_version_and_address_of_this_system() {
        let found = |v, u| download(&list(v, u), "chrome-headless-shell", "linux64");
        let right = Some(("156.0.1".to_string(), "https://x/l.zip".to_string()));
        assert_eq!(found("156.0.1", "https://x/l.zip"), right);
        assert_eq!(found("../../etc", "https://x/l.zip"), None);
        assert_eq!(found("156.0.1", "http://x/l.zip"), None);
        assert_eq!(download(&json!({}), "chrome", "linux64"), None);
    }

    #[test]
    fn what_to_run_by_hand_is_said() {
        let by_hand = by_hand(&MANAGERS[0], true);
        assert_eq!(
            by_hand,
            "sudo apt-get install -y --no-install-recommends chromium"
        );
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn lines_are_progress_and_a_failure_holds_the_last() {
        let mut lines = Vec::new();
        let script = "echo one; printf 'a\\033[31mb\\n' >&2; exit 3";
        let why = run("sh", &["-c", script], &mut |l| lines.push(l.to_string()))
            .await
            .unwrap_err();
        assert!(
            lines.contains(&"one".to_string()) && lines.contains(&"a[31mb".to_string()),
            "{lines:?}"
        );
        assert!(why.contains("exit status: 3"), "{why}");
        let why = run("no-such-program-here", &[], &mut |_| {})
            .await
            .unwrap_err();
        assert!(why.starts_with("no-such-program-here: "), "{why}");
    }
}
