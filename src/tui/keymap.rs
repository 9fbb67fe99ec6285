//! The keys: one table from which the keyboard, the footer and the help are made.
//!
//! Comes in: a key of the terminal. Goes out: what the operator means by it. Must never know: what comes of it.

use crate::model::Key;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What the operator wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Hold,
    Freeze,
    StepFrame,
    StepAction,
    StepPhase,
    Skip,
    Redo,
    GoTo,
    Slower,
    Faster,
    Drive,
    Controls,
    Enter,
    Search,
    NextMatch,
    PrevMatch,
    Kind(u8),
    AllKinds,
    Log,
    Mouse,
    Help,
    Quit,
    QuitNow,
    FocusNext,
    FocusPrev,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Escape,
    Yes,
    Clear,
    Rediscover,
    Record,
    PrevEvent,
    NextEvent,
    PrevPhase,
    NextPhase,
    First,
    Last,
    Time,
}

/// A line of the help: the group it stands in, the keys, a short label, what it does.
pub(super) struct Entry {
    pub group: &'static str,
    pub keys: &'static str,
    pub label: &'static str,
    pub does: &'static str,
}

const fn entry(
    group: &'static str,
    keys: &'static str,
    label: &'static str,
    does: &'static str,
) -> Entry {
    Entry {
        group,
        keys,
        label,
        does,
    }
}

/// All keys, as the help shows them.
pub(super) const HELP: &[Entry] = &[
    entry("Session", "space", "hold", "hold the bot, or let it go on"),
    entry(
        "Session",
        "f",
        "freeze",
        "stop the game's clock, or let it run",
    ),
    entry("Session", "s", "step", "one frame of the game, then hold"),
    entry("Session", "S", "action", "the bot's next press, then hold"),
    entry(
        "Session",
        "Alt-s",
        "phase",
        "to the end of the phase (also Ctrl-s)",
    ),
    entry(
        "Session",
        "n",
        "next",
        "leave this phase, go on with the next",
    ),
    entry(
        "Session",
        "R",
        "redo",
        "this phase again, from a fresh page",
    ),
    entry("Session", "g", "go to", "choose a phase to go to"),
    entry("Session", "< >", "speed", "slower, faster"),
    entry(
        "Keys of the game",
        "d",
        "drive",
        "the keyboard goes to the page",
    ),
    entry(
        "Keys of the game",
        "F10 Ctrl-]",
        "leave",
        "the keyboard comes back",
    ),
    entry(
        "Keys of the game",
        "c",
        "controls",
        "rebind, clear or look again for a key",
    ),
    entry(
        "Looking",
        "tab",
        "pane",
        "next pane (shift-tab: the one before)",
    ),
    entry("Looking", "arrows", "move", "also PgUp PgDn Home End"),
    entry(
        "Looking",
        "enter",
        "detail",
        "a check's reason and its records",
    ),
    entry("Looking", "/", "search", "in the events; then n and N"),
    entry(
        "Looking",
        "1 to 5",
        "kinds",
        "show or hide a kind of event; 0 all",
    ),
    entry("Looking", "l", "log", "the program's own log"),
    entry("Looking", "m", "mouse", "off: the terminal selects text"),
    entry("Recording", "r", "record", "begin a recording, or end it"),
    entry(
        "Replay",
        "\u{2190} \u{2192}",
        "picture",
        "one back or on; space plays and stops",
    ),
    entry("Replay", "[ ]", "event", "the event before, the next one"),
    entry("Replay", "{ }", "phase", "the phase before, the next one"),
    entry(
        "Replay",
        "n N",
        "failure",
        "the next failed check, the one before",
    ),
    entry(
        "Replay",
        "t",
        "time",
        "type a time to go to; ^ $ start and end",
    ),
    entry(
        "Replay",
        "enter",
        "there",
        "to an event's or a check's records",
    ),
    entry("Leaving", "?", "help", "this"),
    entry(
        "Leaving",
        "q",
        "quit",
        "end the session; asks while it runs",
    ),
    entry("Leaving", "Ctrl-C", "quit", "end the session at once"),
];

/// What a key means outside of text fields.
pub(super) fn intent(key: &KeyEvent) -> Option<Intent> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    Some(match key.code {
        KeyCode::Char('c' | 'C') if control => Intent::QuitNow,
        KeyCode::Char('s' | 'S') if control || alt => Intent::StepPhase,
        _ if control || alt => return None,
        KeyCode::Char(' ') => Intent::Hold,
        KeyCode::Char('f') => Intent::Freeze,
        KeyCode::Char('s') => Intent::StepFrame,
        KeyCode::Char('S') => Intent::StepAction,
        KeyCode::Char('n') => Intent::Skip,
        KeyCode::Char('N') => Intent::PrevMatch,
        KeyCode::Char('R') => Intent::Redo,
        KeyCode::Char('r') => Intent::Rediscover,
        KeyCode::Char('x') | KeyCode::Delete => Intent::Clear,
        KeyCode::Char('[') => Intent::PrevEvent,
        KeyCode::Char(']') => Intent::NextEvent,
        KeyCode::Char('{') => Intent::PrevPhase,
        KeyCode::Char('}') => Intent::NextPhase,
        KeyCode::Char('^') => Intent::First,
        KeyCode::Char('$') => Intent::Last,
        KeyCode::Char('t') => Intent::Time,
        KeyCode::Char('g') => Intent::GoTo,
        KeyCode::Char('<' | ',') => Intent::Slower,
        KeyCode::Char('>' | '.') => Intent::Faster,
        KeyCode::Char('d') => Intent::Drive,
        KeyCode::Char('c') => Intent::Controls,
        KeyCode::Char('/') => Intent::Search,
        KeyCode::Char(c @ '1'..='5') => Intent::Kind(c as u8 - b'1'),
        KeyCode::Char('0') => Intent::AllKinds,
        KeyCode::Char('l') => Intent::Log,
        KeyCode::Char('m') => Intent::Mouse,
        KeyCode::Char('?') | KeyCode::F(1) => Intent::Help,
        KeyCode::Char('q') => Intent::Quit,
        KeyCode::Char('y') => Intent::Yes,
        KeyCode::Enter => Intent::Enter,
        KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => Intent::FocusPrev,
        KeyCode::Tab => Intent::FocusNext,
        KeyCode::BackTab => Intent::FocusPrev,
        KeyCode::Up => Intent::Up,
        KeyCode::Down => Intent::Down,
        KeyCode::Left => Intent::Left,
        KeyCode::Right => Intent::Right,
        KeyCode::PageUp => Intent::PageUp,
        KeyCode::PageDown => Intent::PageDown,
        KeyCode::Home => Intent::Home,
        KeyCode::End => Intent::End,
        KeyCode::Esc => Intent::Escape,
        _ => return None,
    })
}

/// Does this key give the keyboard back? Ctrl-] arrives as Ctrl-5 from terminals that send the bare byte 0x1d.
pub(super) fn gives_back(key: &KeyEvent) -> bool {
    match key.code {
        KeyCode::F(10) => true,
        KeyCode::Char(']' | '5') => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

/// The key of the page that a key of the terminal stands for.
pub(super) fn page_key(key: &KeyEvent) -> Option<Key> {
    use ratatui::crossterm::event::ModifierKeyCode as M;
    Some(Key::new(match key.code {
        KeyCode::Char(c) => return Some(Key::new(c.to_string())),
        KeyCode::F(n) => return Some(Key::new(format!("F{n}"))),
        KeyCode::Left => "ArrowLeft",
        KeyCode::Right => "ArrowRight",
        KeyCode::Up => "ArrowUp",
        KeyCode::Down => "ArrowDown",
        KeyCode::Enter => "Enter",
        KeyCode::Esc => "Escape",
        KeyCode::Tab | KeyCode::BackTab => "Tab",
        KeyCode::Backspace => "Backspace",
        KeyCode::Delete => "Delete",
        KeyCode::Insert => "Insert",
        KeyCode::Home => "Home",
        KeyCode::End => "End",
        KeyCode::PageUp => "PageUp",
        KeyCode::PageDown => "PageDown",
        KeyCode::Modifier(M::LeftShift | M::RightShift) => "Shift",
        KeyCode::Modifier(M::LeftControl | M::RightControl) => "Control",
        KeyCode::Modifier(M::LeftAlt | M::RightAlt) => "Alt",
        _ => return None,
    }))
}
