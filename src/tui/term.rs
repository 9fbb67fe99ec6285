//! The terminal itself: taken, and always given back.
//!
//! Comes in: nothing. Goes out: a terminal in raw mode on its other screen; [`restore`] undoes all of it, once, from wherever
//! it is called. Must never know: what is drawn.

use super::quiet::Quiet;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
    supports_keyboard_enhancement,
};
use ratatui::crossterm::{cursor, execute};
use std::cell::{Cell, RefCell};
use std::io::{self, Write, stdout};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Is the terminal ours?
static LIVE: AtomicBool = AtomicBool::new(false);
/// Was anything of it changed, so that there is something to undo?
static ENTERED: AtomicBool = AtomicBool::new(false);
/// Sets of keyboard flags pushed on the terminal.
static FLAGS: AtomicU8 = AtomicU8::new(0);

thread_local! {
    /// Is this thread inside the UI? Then a panic of it is the end of the UI.
    static IN_UI: Cell<bool> = const { Cell::new(false) };
    /// What this thread panicked with while the terminal was live.
    static UNTOLD: RefCell<Option<String>> = const { RefCell::new(None) };
}

type Hook = Arc<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;
type Screen = Terminal<Quiet>;

/// The terminal while it is ours. Dropping it gives it back.
pub(super) struct Term {
    pub screen: Screen,
    /// Does it report when keys go up?
    pub releases: bool,
    hook: Hook,
}

impl Term {
    /// Takes the terminal over.
    pub fn take(mouse: bool) -> io::Result<Self> {
        let hook = install_hook();
        LIVE.store(true, Ordering::SeqCst);
        let taken = Self::enter(mouse);
        match taken {
            Ok((screen, releases)) => Ok(Self {
                screen,
                releases,
                hook,
            }),
            Err(e) => {
                restore();
                uninstall_hook(hook);
                Err(e)
            }
        }
    }

    fn enter(mouse: bool) -> io::Result<(Screen, bool)> {
        ENTERED.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        let releases = supports_keyboard_enhancement().unwrap_or(false);
        execute!(
            stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableFocusChange,
            cursor::Hide
        )?;
        if releases {
            push(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES)?;
        }
        if mouse {
            execute!(stdout(), EnableMouseCapture)?;
        }
        let mut screen = Terminal::new(Quiet(CrosstermBackend::new(stdout())))?;
        screen.clear()?;
        Ok((screen, releases))
    }

    /// Asks for every key with its release, or no more. Terminals without the kitty protocol are left alone.
    pub fn all_keys(&self, on: bool) -> io::Result<()> {
        if !self.releases {
            return Ok(());
        }
        if on {
            return push(KeyboardEnhancementFlags::all());
        }
        if FLAGS.load(Ordering::SeqCst) > 1 {
            FLAGS.fetch_sub(1, Ordering::SeqCst);
            return execute!(stdout(), PopKeyboardEnhancementFlags);
        }
        Ok(())
    }
}

fn push(flags: KeyboardEnhancementFlags) -> io::Result<()> {
    FLAGS.fetch_add(1, Ordering::SeqCst);
    execute!(stdout(), PushKeyboardEnhancementFlags(flags))
}

/// Captures the mouse, or leaves it to the terminal.
pub(super) fn mouse(on: bool) -> io::Result<()> {
    if on {
        execute!(stdout(), EnableMouseCapture)
    } else {
        execute!(stdout(), DisableMouseCapture)
    }
}

/// Is the terminal still ours?
pub(super) fn is_live() -> bool {
    LIVE.load(Ordering::SeqCst)
}

/// Is there still a terminal at the other end? Asks the kernel for its size, which fails on one that hung up.
pub(super) fn is_there() -> bool {
    ratatui::crossterm::terminal::window_size().is_ok()
}

/// Width of the terminal in columns, where there is one.
pub fn columns() -> Option<u16> {
    crossterm::terminal::size().ok().map(|(columns, _)| columns)
}

/// Gives the terminal back: main screen, cooked mode, cursor, mouse, keyboard. Does nothing where it is not taken, so that
/// it may be called twice, from a signal's task or after a panic.
pub fn restore() {
    let live = LIVE.swap(false, Ordering::SeqCst);
    if !ENTERED.swap(false, Ordering::SeqCst) || !live {
        return;
    }
    // Each on its own: one that fails must not keep the others from being undone.
    for _ in 0..FLAGS.swap(0, Ordering::SeqCst) {
        let _ = execute!(stdout(), PopKeyboardEnhancementFlags);
    }
    let _ = execute!(stdout(), DisableMouseCapture);
    let _ = execute!(stdout(), DisableFocusChange, DisableBracketedPaste);
    let _ = execute!(stdout(), LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

impl Drop for Term {
    fn drop(&mut self) {
        restore();
        if std::thread::panicking() {
            // The hook cannot be changed now; it does nothing of its own once the terminal is given back.
            if let Some(text) = UNTOLD.take() {
                // Not `eprintln!`: it panics where there is nobody left to read it.
                let _ = writeln!(io::stderr(), "{text}");
            }
        } else {
            uninstall_hook(self.hook.clone());
        }
    }
}

/// A panic inside the UI gives the terminal back before it is told. One elsewhere may be caught by who expects it: it goes to
/// the log and leaves the screen alone.
fn install_hook() -> Hook {
    let before: Hook = Arc::from(std::panic::take_hook());
    let told = before.clone();
    std::panic::set_hook(Box::new(move |info| {
        if !is_live() {
            return told(info);
        }
        if IN_UI.get() {
            restore();
            return told(info);
        }
        tracing::error!("{info}");
        let _ = UNTOLD.try_with(|u| *u.borrow_mut() = Some(info.to_string()));
    }));
    before
}

fn uninstall_hook(before: Hook) {
    std::panic::set_hook(Box::new(move |info| before(info)));
}

/// Polls a future as part of the UI: a panic in there is the UI's own.
pub(super) async fn inside_ui<T>(future: impl Future<Output = T>) -> T {
    struct Inside(bool);
    impl Drop for Inside {
        fn drop(&mut self) {
            // While unwinding the mark has done its work.
            IN_UI.set(self.0);
        }
    }
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| {
        let _inside = Inside(IN_UI.replace(true));
        future.as_mut().poll(cx)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_panic_of_the_ui_itself_gives_a_live_terminal_back() {
        let hook = install_hook();
        LIVE.store(true, Ordering::SeqCst);
        let elsewhere =
            std::thread::spawn(|| std::panic::catch_unwind(|| panic!("a check")).is_err());
        assert!(elsewhere.join().unwrap_or(false));
        assert!(
            is_live(),
            "a caught panic of a check leaves the screen alone"
        );
        let ui = std::thread::spawn(|| {
            let run = inside_ui(async { panic!("the screen") });
            let mut run = std::pin::pin!(run);
            let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
            let _: std::task::Poll<()> = run.as_mut().poll(&mut cx);
        });
        assert!(ui.join().is_err());
        assert!(!is_live());
        uninstall_hook(hook);
    }
}
