//! The profile a browser process lives in, and the arguments it is started with.
//!
//! Comes in: how it shall run. Goes out: a folder of its own and a command line.
//! Must never know: how the process is watched and ended (that is `launch`).

use super::error::{BrowserError, Result};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PREFIX: &str = "tetrascope-browser-";
const LOCK: &str = "in-use";

/// An own, empty folder for one run: the profile, and the temporary files of the browser beside it.
///
/// It is removed when dropped. If we are killed it stays, unlocked, and the next run removes it.
#[derive(Debug)]
pub(super) struct Profile {
    folder: TempDir,
    _lock: File,
}

impl Profile {
    pub fn new() -> std::io::Result<Self> {
        sweep(&std::env::temp_dir());
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        std::fs::create_dir(folder.path().join("tmp"))?;
        // Locked before it gets the name by which others look for it.
        let fresh = folder.path().join("lock");
        let lock = File::create(&fresh)?;
        lock.lock()?;
        std::fs::rename(&fresh, folder.path().join(LOCK))?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    pub fn user_data(&self) -> PathBuf {
        self.folder.path().join("profile")
    }

    /// Where the browser may put its temporary files; none where the path would be too long for the socket
    /// Chromium makes there (108 bytes on Linux, less elsewhere).
    pub fn tmp(&self) -> Option<PathBuf> {
        let tmp = self.folder.path().join("tmp");
        (tmp.as_os_str().len() < 55).then_some(tmp)
    }
}

/// Removes the folders of runs that were killed: those whose lock nobody holds.
fn sweep(temp: &Path) {
    let Ok(entries) = std::fs::read_dir(temp) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let path = entry.path();
        let Ok(lock) = File::open(path.join(LOCK)) else {
            continue;
        };
        match lock.try_lock() {
            Ok(()) => {
                if let Err(error) = std::fs::remove_dir_all(&path) {
                    tracing::debug!(path = %path.display(), %error, "an old profile could not be removed");
                }
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

/// How a browser shall be started.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// The program; the best one found on this machine if none.
    pub browser: Option<PathBuf>,
    /// Show the window.
    pub headed: bool,
    /// Run without Chromium's sandbox even if we need not. As root it always runs without.
    pub no_sandbox: bool,
    /// More arguments for the browser, as they are.
    pub extra_args: Vec<String>,
    /// How long it may take until it listens; 30 s if none.
    pub start_deadline: Option<std::time::Duration>,
}

impl LaunchOptions {
    /// Will the browser run inside its sandbox?
    pub fn sandboxed(&self) -> bool {
        !(self.no_sandbox || is_root())
    }
}

pub(super) fn is_root() -> bool {
    #[cfg(unix)]
    {
        rustix::process::geteuid().is_root()
    }
    #[cfg(not(unix))]
    {
        false
    }
}

/// Features that would send requests of their own, hide pages from us or put frames out of our reach.
const DISABLED_FEATURES: &str = "--disable-features=Translate,BackForwardCache,MediaRouter,OptimizationHints,\
AcceptCHFrame,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,IsolateOrigins,site-per-process,\
CalculateNativeWinOcclusion,InterestFeedContentSuggestions,AutofillServerCommunication,\
CertificateTransparencyComponentUpdater,Prerender2";

const FLAGS: [&str; 32] = [
    "--remote-debugging-port=0",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--no-pings",
    // Nothing of the browser's own goes out.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-search-engine-choice-screen",
    "--dns-prefetch-disable",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    // WebRTC's own sockets would pass by the proxy of the net guard.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // A page that is not in front runs as fast as one that is.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-prompt-on-repost",
    // Input that comes before the first picture of a document would be lost without a word.
    "--allow-pre-commit-input",
    // Popups come up, are seen, said and closed, rather than swallowed.
    "--disable-popup-blocking",
    "--disable-site-isolation-trials",
    // WebGL without a GPU.
    "--enable-unsafe-swiftshader",
    "--force-color-profile=srgb",
    "--mute-audio",
    DISABLED_FEATURES,
];

/// The arguments for `browser`.
pub(super) fn arguments(browser: &Path, profile: &Profile, options: &LaunchOptions) -> Vec<String> {
    let mut args: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
    args.push(format!("--user-data-dir={}", profile.user_data().display()));
    if cfg!(unix) {
        // Beside the port: when the pipe's other end goes with us, so does the browser.
        args.push("--remote-debugging-pipe".into());
    }
    if !options.headed {
        let shell = browser
            .file_stem()
            .is_some_and(|n| n.to_string_lossy().contains("shell"));
        args.push(
            if shell {
                "--headless"
            } else {
                "--headless=new"
            }
            .into(),
        );
    }
    if !options.sandboxed() {
        args.push("--no-sandbox".into());
    }
    if small_shared_memory() {
        args.push("--disable-dev-shm-usage".into());
    }
    args.extend(options.extra_args.iter().cloned());
    args.push("about:blank".into());
    args
}

/// Containers often have 64 MB of it, where renderers then die on larger pages.
fn small_shared_memory() -> bool {
    #[cfg(target_os = "linux")]
    {
        rustix::fs::statvfs("/dev/shm")
            .map_or(true, |s| s.f_blocks.saturating_mul(s.f_frsize) < 512 << 20)
    }
    #[cfg(not(target_os = "linux"))]
    {
        false
    }
}

impl BrowserError {
    pub(super) fn launch(browser: &Path, why: impl std::fmt::Display) -> Self {
        Self::ended_at_launch(browser, why, false)
    }

    pub(super) fn ended_at_launch(
        browser: &Path,
        why: impl std::fmt::Display,
        crashed: bool,
    ) -> Self {
        Self::Launch {
            browser: browser.into(),
            why: super::error::clean(&why.to_string(), 2000),
            crashed,
        }
    }
}

/// Makes the profile folder, as an error of the launch if it cannot be.
pub(super) fn profile(browser: &Path) -> Result<Profile> {
    Profile::new().map_err(|e| BrowserError::launch(browser, format!("no profile folder: {e}")))
}
