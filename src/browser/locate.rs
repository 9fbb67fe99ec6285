//! Finds a Chromium or Chrome on this machine.
//!
//! Comes in: what the user named, the environment, and a way to ask whether a file is a program.
//! Goes out: the browser to use, and every place looked at. Must never know: how a browser is started.
//!
//! `chromium-headless-shell` starts about three times faster than a full Chromium and takes half the memory a
//! page, so it comes first without a window; it has no window to show, so it is never taken with one.

use super::error::{BrowserError, Result};
use std::path::{Path, PathBuf};

/// The environment variables that may name a browser, the first wins.
pub const VARIABLES: [&str; 5] = [
    "TETRASCOPE_BROWSER",
    "CHROME",
    "CHROME_PATH",
    "CHROMIUM_PATH",
    "PUPPETEER_EXECUTABLE_PATH",
];

/// What the search may look at: the real machine ([`Machine::this`]) or one made up by a test.
pub struct Machine<'a> {
    /// The value of an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Is there a program that can be run at this path?
    pub is_program: &'a dyn Fn(&Path) -> bool,
    /// The names in a folder; empty if there is none.
    pub list: &'a dyn Fn(&Path) -> Vec<String>,
    /// "linux", "macos" or "windows", as `std::env::consts::OS` has it.
    pub os: &'a str,
}

impl Machine<'static> {
    /// This machine.
    pub fn this() -> Self {
        Self {
            env: &|name| std::env::var(name).ok().filter(|v| !v.is_empty()),
            is_program: &is_program,
            list: &|folder| {
                let Ok(entries) = std::fs::read_dir(folder) else {
                    return Vec::new();
                };
                entries
                    .flatten()
                    .filter_map(|e| e.file_name().into_string().ok())
                    .collect()
            },
            os: std::env::consts::OS,
        }
    }
}

/// One place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Why there: "--browser", an environment variable, "PATH", "usual place", "Playwright's cache"...
    pub from: String,
    /// The path.
    pub path: PathBuf,
    /// Is there a program?
    pub found: bool,
    /// Is it a headless shell, which can show no window?
    pub headless_shell: bool,
}

/// The outcome of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// Every place looked at, best first.
    pub looked_at: Vec<Place>,
}

impl Places {
    /// The first program found that can do what is wanted.
    pub fn best(&self) -> Option<&Place> {
        self.looked_at.iter().find(|p| p.found)
    }
}

/// The browser to use: `explicit` (what the user named) or else the best that is found.
///
/// A browser that was named, by hand or by [`VARIABLES`], and is not there is an error: going on with another
/// one would hide the mistake.
pub fn locate(machine: &Machine<'_>, explicit: Option<&Path>, headed: bool) -> Result<PathBuf> {
    let places = search(machine, explicit, headed);
    if let Some(named) = places
        .looked_at
        .first()
        .filter(|p| !p.found && (p.from == "--browser" || VARIABLES.contains(&p.from.as_str())))
    {
        return Err(BrowserError::NotAProgram {
            from: named.from.clone(),
            path: named.path.clone(),
        });
    }
    places
        .best()
        .map(|place| place.path.clone())
        .ok_or(BrowserError::NoBrowser {
            looked: places.looked_at.len(),
        })
}

/// Looks everywhere; see [`locate`].
pub fn search(machine: &Machine<'_>, explicit: Option<&Path>, headed: bool) -> Places {
    let mut search = Search {
        machine,
        headed,
        places: Vec::new(),
    };
    if let Some(path) = explicit {
        search.named("--browser", path);
    }
    for name in VARIABLES {
        if let Some(value) = (machine.env)(name) {
            search.named(name, Path::new(&value));
        }
    }
    let named = search.places.len();
    search.path();
    search.usual();
    search.caches();
    // Stable: within each kind the order of the search stays.
    search.places[named..].sort_by_key(|p| !p.headless_shell);
    Places {
        looked_at: search.places,
    }
}

struct Search<'a> {
    machine: &'a Machine<'a>,
    headed: bool,
    places: Vec<Place>,
}

impl Search<'_> {
    fn named(&mut self, from: &str, path: &Path) {
        // A bare name is looked up in PATH, as a shell would.
        if path.components().count() == 1 && !(self.machine.is_program)(path) {
            for folder in self.path_folders() {
                let full = folder.join(path);
                if (self.machine.is_program)(&full) {
                    self.push(from, full);
                    return;
                }
            }
        }
        self.push(from, path.to_path_buf());
    }

    fn push(&mut self, from: &str, path: PathBuf) {
        let headless_shell = path
            .file_stem()
            .and_then(|n| n.to_str())
            .is_some_and(|n| n.contains("headless-shell") || n.contains("headless_shell"));
        let by_hand = from == "--browser" || VARIABLES.contains(&from);
        if (headless_shell && self.headed && !by_hand) || self.places.iter().any(|p| p.path == path)
        {
            return;
        }
        let found = (self.machine.is_program)(&path);
        self.places.push(Place {
            from: from.into(),
            path,
            found,
            headless_shell,
        });
    }

    fn var(&self, name: &str) -> Option<PathBuf> {
        (self.machine.env)(name).map(PathBuf::from)
    }

    fn path_folders(&self) -> Vec<PathBuf> {
        (self.machine.env)("PATH").map_or_else(Vec::new, |v| std::env::split_paths(&v).collect())
    }

    fn path(&mut self) {
        let names: &[&str] = match self.machine.os {
            "windows" => &[
                "chrome-headless-shell.exe",
                "chrome.exe",
                "chromium.exe",
                "msedge.exe",
            ],
            _ => &[
                "chromium-headless-shell",
                "chrome-headless-shell",
                "headless_shell",
                "chromium",
                "chromium-browser",
                "google-chrome-stable",
                "google-chrome",
                "chrome",
                "microsoft-edge",
                "brave-browser",
            ],
        };
        for name in names {
            for folder in self.path_folders() {
                let path = folder.join(name);
                // Of PATH only what is there is worth a line; the names are listed once if nothing is.
                if (self.machine.is_program)(&path) {
                    self.push("PATH", path);
                }
            }
        }
        if !self.places.iter().any(|p| p.from == "PATH") {
            for name in names {
                self.push("PATH", PathBuf::from(name));
            }
        }
    }

    fn usual(&mut self) {
        let mut paths: Vec<PathBuf> = Vec::new();
        match self.machine.os {
            "macos" => {
                let mut roots = vec![PathBuf::from("/Applications")];
                roots.extend(self.var("HOME").map(|h| h.join("Applications")));
                for root in roots {
                    for app in [
                        "Chromium",
                        "Google Chrome",
                        "Google Chrome for Testing",
                        "Microsoft Edge",
                    ] {
                        paths.push(root.join(format!("{app}.app/Contents/MacOS/{app}")));
                    }
                }
                paths.push("/opt/homebrew/bin/chromium".into());
                paths.push("/usr/local/bin/chromium".into());
            }
            "windows" => {
                for root in ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"] {
                    let Some(root) = self.var(root) else { continue };
                    for rest in [
                        "Google/Chrome/Application/chrome.exe",
                        "Chromium/Application/chrome.exe",
                        "Microsoft/Edge/Application/msedge.exe",
                    ] {
                        paths.push(root.join(rest));
                    }
                }
            }
            _ => paths.extend(
                [
                    "/usr/bin/chromium-headless-shell",
                    "/usr/lib/chromium/headless_shell",
                    "/usr/bin/chromium",
                    "/usr/bin/chromium-browser",
                    "/usr/lib/chromium/chromium",
                    "/usr/bin/google-chrome-stable",
                    "/opt/google/chrome/chrome",
                    "/snap/bin/chromium",
                    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
                ]
                .map(PathBuf::from),
            ),
        }
        for path in paths {
            self.push("usual place", path);
        }
    }

    fn caches(&mut self) {
        let home = home(self.machine);
        let cache = user_cache(self.machine);
        let ours = self::cache(self.machine);
        let playwright = self
            .var("PLAYWRIGHT_BROWSERS_PATH")
            .filter(|p| p.as_os_str() != "0")
            .or_else(|| cache.as_ref().map(|c| c.join("ms-playwright")));
        let puppeteer = self
            .var("PUPPETEER_CACHE_DIR")
            .or_else(|| home.as_ref().map(|h| h.join(".cache/puppeteer")));
        // Each holds <revision>/<platform folder>/<program>; Puppeteer and our own one folder more (the product's).
        for (from, root) in [("our cache", ours), ("Puppeteer's cache", puppeteer)] {
            let Some(root) = root else { continue };
            for product in newest_first((self.machine.list)(&root)) {
                self.revisions(from, &root.join(product));
            }
        }
        if let Some(root) = playwright {
            self.revisions("Playwright's cache", &root);
        }
    }

    fn revisions(&mut self, from: &str, root: &Path) {
        let names: &[&str] = match self.machine.os {
            "macos" => &[
                "headless_shell",
                "chrome-headless-shell",
                "Chromium.app/Contents/MacOS/Chromium",
                "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
            ],
            "windows" => &[
                "headless_shell.exe",
                "chrome-headless-shell.exe",
                "chrome.exe",
            ],
            _ => &["headless_shell", "chrome-headless-shell", "chrome"],
        };
        for revision in newest_first((self.machine.list)(root)) {
            let revision = root.join(revision);
            for platform in newest_first((self.machine.list)(&revision)) {
                for name in names {
                    let path = revision.join(&platform).join(name);
                    if (self.machine.is_program)(&path) {
                        self.push(from, path);
                    }
                }
            }
        }
    }
}

fn home(machine: &Machine<'_>) -> Option<PathBuf> {
    let name = if machine.os == "windows" {
        "USERPROFILE"
    } else {
        "HOME"
    };
    (machine.env)(name).map(PathBuf::from)
}

fn user_cache(machine: &Machine<'_>) -> Option<PathBuf> {
    let var = |name: &str| (machine.env)(name).map(PathBuf::from);
    match machine.os {
        "windows" => var("LOCALAPPDATA"),
        "macos" => var("XDG_CACHE_HOME").or_else(|| Some(home(machine)?.join("Library/Caches"))),
        _ => var("XDG_CACHE_HOME").or_else(|| Some(home(machine)?.join(".cache"))),
    }
}

/// The folder in which a browser that we fetched is kept: `<product>/<version>/<platform>/<program>`.
pub(super) fn cache(machine: &Machine<'_>) -> Option<PathBuf> {
    Some(user_cache(machine)?.join("tetrascope/browser"))
}

/// Folder names with the highest number in them first ("chromium-1200" before "chromium-999").
fn newest_first(mut names: Vec<String>) -> Vec<String> {
    names.sort_by_cached_key(|name| {
        let numbers: Vec<u64> = name
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse().ok())
            .collect();
        std::cmp::Reverse((numbers, name.clone()))
    });
    names
}

fn is_program(path: &Path) -> bool {
    let Ok(meta) = std::fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        meta.is_file() && meta.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        meta.is_file()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::HashMap;

    /// A machine with these variables and these programs; what is searched for first comes out.
    fn check(
        os: &str,
        env: &[(&str, &str)],
        programs: &[&str],
        headed: bool,
    ) -> Result<String, BrowserError> {
        let env: HashMap<String, String> = env
            .iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect();
        let machine = Machine {
            env: &|name| env.get(name).cloned(),
            is_program: &|path| programs.iter().any(|p| Path::new(p) == path),
            list: &|folder| {
                let mut names: Vec<String> = programs
                    .iter()
                    .filter_map(|p| Path::new(p).strip_prefix(folder).ok())
                    .filter_map(|p| Some(p.components().next()?.as_os_str().to_str()?.to_string()))
                    .collect();
                names.dedup();
                names
            },
            os,
        };
        locate(&machine, None, headed).map(|p| p.display().to_string())
    }

    #[test]
    fn the_headless_shell_comes_first_without_a_window_and_never_with_one() {
        let programs = [
            "/b/chromium",
            "/a/google-chrome",
            "/b/chromium-headless-shell",
        ];
        let env = [("PATH", "/a:/b")];
        assert_eq!(
            check("linux", &env, &programs, false).unwrap(),
            "/b/chromium-headless-shell"
        );
        assert_eq!(
            check("linux", &env, &programs, true).unwrap(),
            "/b/chromium"
        );
        let only = ["/b/chromium-headless-shell"];
        assert!(matches!(
            check("linux", &env, &only, true),
            Err(BrowserError::NoBrowser { .. })
        ));
    }

    #[test]
    fn a_named_browser_wins_and_must_be_there() {
        let programs = ["/mine/chrome", "/b/chromium-headless-shell"];
        let env = [("PATH", "/b"), ("CHROME_PATH", "/mine/chrome")];
        assert_eq!(
            check("linux", &env, &programs, false).unwrap(),
            "/mine/chrome"
        );
        let env = [("PATH", "/b"), ("TETRASCOPE_BROWSER", "/gone")];
        let error = check("linux", &env, &programs, false).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("TETRASCOPE_BROWSER names /gone"),
            "{error}"
        );
        let env = [("PATH", "/b"), ("CHROME", "chromium-headless-shell")];
        assert_eq!(check("linux", &env, &programs, false).unwrap(), programs[1]);
    }

    #[test]
    fn caches_are_searched_newest_first() {
        let programs = [
            "/h/.cache/ms-playwright/chromium-999/chrome-linux/chrome",
            "/h/.cache/ms-playwright/chromium-1200/chrome-linux/chrome",
        ];
        let env = [("HOME", "/h")];
        assert_eq!(check("linux", &env, &programs, true).unwrap(), programs[1]);
        let shell = "/h/.cache/puppeteer/chrome-headless-shell/linux-156.0.1/chrome-headless-shell-linux64/chrome-headless-shell";
        assert_eq!(
            check("linux", &env, &[shell, programs[1]], false).unwrap(),
            shell
        );
        let ours = "/c/tetrascope/browser/chrome/156.0.1/chrome-linux64/chrome";
        let env = [("HOME", "/h"), ("XDG_CACHE_HOME", "/c")];
        assert_eq!(check("linux", &env, &[ours], true).unwrap(), ours);
    }

    #[test]
    fn the_usual_places_of_other_systems_are_known() {
        let mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
        assert_eq!(check("macos", &[], &[mac], true).unwrap(), mac);
        let windows = "C:/Program Files/Google/Chrome/Application/chrome.exe";
        let env = [("PROGRAMFILES", "C:/Program Files")];
        assert_eq!(check("windows", &env, &[windows], true).unwrap(), windows);
    }

    #[test]
    fn nothing_found_says_what_to_do() {
        let text = check("linux", &[], &[], false).unwrap_err().to_string();
        assert!(
            text.contains("--install-browser") && text.contains("--browser PATH"),
            "{text}"
        );
    }
}
