//! Starts a browser process and makes sure that none is left behind.
//!
//! Comes in: [`LaunchOptions`]. Goes out: a running process and the address of its socket.
//! Must never know: what is done over that socket.
//!
//! Three things end the browser, whatever ends us:
//! - dropping [`Process`] kills its whole process group (quit, error, panic, handled signals);
//! - on Linux the kernel kills it when the thread that started it dies (`PR_SET_PDEATHSIG`; SIGKILL, abort);
//!   that signal follows the *thread*, so a thread of its own starts the process and stays until it has ended;
//! - on any Unix its `--remote-debugging-pipe` closes with us, upon which Chromium quits by itself.
//!
//! This is the only file with `unsafe` code: `pre_exec`, to set the death signal and place the pipe's two ends
//! at descriptors 3 and 4, where Chromium expects them. Both need to happen between fork and exec, and only
//! async-signal-safe calls (`prctl`, `getppid`, `dup2`) are made there.
#![allow(unsafe_code)]

use super::error::{BrowserError, Result, clean};
use super::locate::{Machine, locate};
pub use super::process::LaunchOptions;
use super::process::{Profile, arguments, profile};
use super::wire::lock;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// How many lines of what the browser says on stderr are kept for an error's text.
const KEPT_LINES: usize = 12;

/// A running browser process. Dropping it kills the process group and removes the profile.
#[derive(Debug)]
pub(super) struct Process {
    keeper: Arc<Keeper>,
    id: u32,
    // Dropped after `Drop::drop` has ended the process.
    _pipe: Pipe,
    _profile: Profile,
}

#[derive(Debug, Default)]
struct Keeper {
    /// The process has ended and was reaped: its number may belong to another by now.
    ended: Mutex<bool>,
    changed: Condvar,
}

/// What was found out while starting.
#[derive(Debug)]
pub(super) struct Started {
    pub process: Process,
    pub browser: PathBuf,
    pub socket: String,
}

/// Starts a browser and waits until it listens.
pub(super) async fn start(options: &LaunchOptions) -> Result<Started> {
    let browser = locate(&Machine::this(), options.browser.as_deref(), options.headed)?;
    let profile = profile(&browser)?;
    let mut command = Command::new(&browser);
    command
        .args(arguments(&browser, &profile, options))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if let (true, Some(tmp)) = (cfg!(target_os = "linux"), profile.tmp()) {
        command.env("TMPDIR", tmp);
    }
    let pipe = Pipe::attach(&mut command).map_err(|e| BrowserError::launch(&browser, e))?;
    let port_file = profile.user_data().join("DevToolsActivePort");

    let keeper = Arc::new(Keeper::default());
    let (ready, started) = oneshot::channel();
    let (exit_tx, exit) = watch::channel(None);
    let kept = keeper.clone();
    std::thread::Builder::new()
        .name("browser-keeper".into())
        .spawn(move || keep(command, &kept, ready, &exit_tx))
        .map_err(|e| BrowserError::launch(&browser, e))?;
    let (id, stderr) = started
        .await
        .map_err(|_| BrowserError::launch(&browser, "its thread ended"))?
        .map_err(|e| BrowserError::launch(&browser, e))?;
    let process = Process {
        keeper,
        id,
        _pipe: pipe,
        _profile: profile,
    };
    let deadline = options.start_deadline.unwrap_or(Duration::from_secs(30));
    let socket = listening(&browser, stderr, &port_file, exit, deadline).await?;
    Ok(Started {
        process,
        browser,
        socket,
    })
}

/// Waits for the socket's address, from stderr or the port file, whichever comes first.
async fn listening(
    browser: &Path,
    stderr: ChildStderr,
    port_file: &Path,
    mut exit: watch::Receiver<Option<Exit>>,
    deadline: Duration,
) -> Result<String> {
    let lines = Arc::new(Mutex::new(VecDeque::new()));
    let (found_tx, mut found) = oneshot::channel();
    let kept = lines.clone();
    std::thread::Builder::new()
        .name("browser-stderr".into())
        .spawn(move || read_stderr(stderr, &kept, found_tx))
        .map_err(|e| BrowserError::launch(browser, e))?;
    let said = || {
        let lines = lock(&lines);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        if lines.is_empty() {
            "it said nothing".to_string()
        } else {
            format!("it said: {}", lines.join(" | "))
        }
    };
    let give_up = tokio::time::sleep(deadline);
    tokio::pin!(give_up);
    // Windows' chrome.exe has no stderr to speak of, so the file is looked at too.
    let mut look = tokio::time::interval(Duration::from_millis(100));
    let mut stderr_open = true;
    loop {
        tokio::select! {
            url = &mut found, if stderr_open => match url {
                Ok(url) => return Ok(url),
                Err(_) => stderr_open = false,
            },
            ended = exit.wait_for(Option::is_some) => {
                let Exit { how, crashed } = ended.ok().and_then(|e| e.clone()).unwrap_or_default();
                let hint = if lock(&lines).iter().any(|l| l.contains("usable sandbox")) {
                    "; allow user namespaces for it, or pass --no-sandbox"
                } else {
                    ""
                };
                let why = format!("{how}; {}{hint}", said());
                return Err(BrowserError::ended_at_launch(browser, why, crashed));
            }
            () = &mut give_up => {
                let why = format!("not listening after {:.0} s; {}", deadline.as_secs_f64(), said());
                return Err(BrowserError::launch(browser, why));
            }
            _ = look.tick() => if let Some(url) = std::fs::read_to_string(port_file).ok().as_deref().and_then(from_port_file) {
                return Ok(url);
            },
        }
    }
}

/// The address in a `DevToolsActivePort` file: the port, then the path.
fn from_port_file(text: &str) -> Option<String> {
    let (port, path) = text.split_once('\n')?;
    let port: u16 = port.trim().parse().ok()?;
    let path = path.trim();
    path.starts_with("/devtools/")
        .then(|| format!("ws://127.0.0.1:{port}{path}"))
}

/// Reads to the end, so that the browser never blocks on a full pipe.
fn read_stderr(
    stderr: ChildStderr,
    kept: &Mutex<VecDeque<String>>,
    found: oneshot::Sender<String>,
) {
    let mut found = Some(found);
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(8192).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = clean(String::from_utf8_lossy(&line).trim(), 300);
        if let Some(url) = text.strip_prefix("DevTools listening on ") {
            if let Some(found) = found.take() {
                let _ = found.send(url.trim().into());
            }
        } else if !text.is_empty() {
            tracing::trace!(target: "tetrascope::browser::stderr", "{text}");
            let mut kept = lock(kept);
            if kept.len() == KEPT_LINES {
                kept.pop_front();
            }
            kept.push_back(text);
        }
    }
}

/// How the process ended.
#[derive(Debug, Clone, Default)]
struct Exit {
    how: String,
    crashed: bool,
}

/// Was it ended by a signal? Distributions start their browsers by a shell, which tells that as an exit code.
fn crashed(status: std::process::ExitStatus) -> bool {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    signal.is_some() || status.code().is_some_and(|code| code > 128)
}

type Ready = oneshot::Sender<std::io::Result<(u32, ChildStderr)>>;

/// The keeper's thread: starts the process, waits for its end, ends what is left of its group.
fn keep(mut command: Command, keeper: &Keeper, ready: Ready, exit: &watch::Sender<Option<Exit>>) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    // The command holds the child's ends of the pipe.
    drop(command);
    let Some(stderr) = child.stderr.take() else {
        let _ = child.kill();
        let _ = ready.send(Err(std::io::Error::other("no stderr")));
        return;
    };
    let id = child.id();
    if ready.send(Ok((id, stderr))).is_err() {
        // Nobody waits for it any more.
        kill_group(id);
    }
    wait_unreaped(&mut child);
    let mut ended = lock(&keeper.ended);
    // Until the leader is reaped its number cannot belong to anybody else.
    kill_group(id);
    let end = match child.wait() {
        Ok(status) => Exit {
            how: format!("it ended ({status})"),
            crashed: crashed(status),
        },
        Err(error) => Exit {
            how: format!("it ended ({error})"),
            crashed: false,
        },
    };
    *ended = true;
    drop(ended);
    keeper.changed.notify_all();
    exit.send_replace(Some(end));
}

#[cfg(unix)]
fn wait_unreaped(child: &mut Child) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = Pid::from_raw(child.id() as i32) else {
        return;
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
}

#[cfg(not(unix))]
fn wait_unreaped(child: &mut Child) {
    let _ = child.wait();
}

#[cfg(unix)]
fn kill_group(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = Pid::from_raw(id as i32) {
        // It may have ended already, which is what we want.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(id: u32) {
    let _ = Command::new("taskkill")
        .args(["/F", "/T", "/PID", &id.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

impl Process {
    /// The number of the browser's main process, which leads its group.
    pub fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let ended = lock(&self.keeper.ended);
        if !*ended {
            kill_group(self.id);
        }
        // SIGKILL takes effect at once; the bound is for a process stuck in the kernel.
        let _ = self
            .keeper
            .changed
            .wait_timeout_while(ended, Duration::from_secs(5), |ended| !*ended)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

/// Our ends of the pipe the browser lives by; its ends are at 3 and 4 in its process.
#[cfg(unix)]
#[derive(Debug)]
struct Pipe {
    _commands: std::io::PipeWriter,
    _answers: std::io::PipeReader,
}

#[cfg(unix)]
impl Pipe {
    fn attach(command: &mut Command) -> std::io::Result<Self> {
        use rustix::io::{dup2, fcntl_dupfd_cloexec};
        use std::mem::ManuallyDrop;
        use std::os::fd::{FromRawFd, OwnedFd};
        use std::os::unix::process::CommandExt;

        let (commands_theirs, commands) = std::io::pipe()?;
        let (answers, answers_theirs) = std::io::pipe()?;
        // Out of the way of 3 and 4.
        let read = fcntl_dupfd_cloexec(&commands_theirs, 10)?;
        let write = fcntl_dupfd_cloexec(&answers_theirs, 10)?;
        #[cfg(target_os = "linux")]
        let parent = rustix::process::getpid();
        command.process_group(0);
        // SAFETY: the closure runs in the child between fork and exec. It makes only system calls that are
        // async-signal-safe, allocates nothing and takes no lock. The descriptors 3 and 4 are the child's own;
        // whatever was there would have been closed by exec anyway, and `ManuallyDrop` keeps them open.
        unsafe {
            command.pre_exec(move || {
                #[cfg(target_os = "linux")]
                {
                    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
                    set_parent_process_death_signal(Some(Signal::KILL))?;
                    // Between fork and here the parent may have died already.
                    if getppid() != Some(parent) {
                        return Err(std::io::Error::from_raw_os_error(
                            rustix::io::Errno::SRCH.raw_os_error(),
                        ));
                    }
                }
                let mut three = ManuallyDrop::new(OwnedFd::from_raw_fd(3));
                let mut four = ManuallyDrop::new(OwnedFd::from_raw_fd(4));
                dup2(&read, &mut three)?;
                dup2(&write, &mut four)?;
                Ok(())
            });
        }
        Ok(Self {
            _commands: commands,
            _answers: answers,
        })
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Pipe;

#[cfg(not(unix))]
impl Pipe {
    fn attach(_command: &mut Command) -> std::io::Result<Self> {
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::from_port_file;

    #[test]
    fn the_port_file_is_understood_only_when_whole() {
        let url = from_port_file("41203\n/devtools/browser/abc");
        assert_eq!(
            url.as_deref(),
            Some("ws://127.0.0.1:41203/devtools/browser/abc")
        );
        assert_eq!(from_port_file("41203"), None);
        assert_eq!(from_port_file("41203\n"), None);
    }
}
