//! All keys as the help shows them.

use super::Intent;
use Intent as I;

/// Which keys a line of the help tells of.
pub(crate) enum Keys {
    /// Those of these.
    Of(&'static [Intent]),
    /// Said in words.
    Said(&'static str),
}

/// A line of the help: the group it stands in, the keys, a short label, what it does.
pub(crate) struct Entry {
    pub group: &'static str,
    pub keys: Keys,
    pub label: &'static str,
    pub does: &'static str,
}

const fn entry(
    group: &'static str,
    keys: &'static [Intent],
    label: &'static str,
    does: &'static str,
) -> Entry {
    Entry {
        group,
        keys: Keys::Of(keys),
        label,
        does,
    }
}

const SESSION: &str = "Session";
const GAME: &str = "Keys of the game";
const LOOKING: &str = "Looking";
const REPLAY: &str = "Replay";
const LEAVING: &str = "Leaving";

/// All keys, as the help shows them.
pub(crate) const HELP: &[Entry] = &[
    entry(SESSION, &[I::Hold], "hold", "hold the bot, or let it go on"),
    entry(
        SESSION,
        &[I::Freeze],
        "freeze",
        "stop the game's clock, or let it run",
    ),
    entry(
        SESSION,
        &[I::StepFrame],
        "step",
        "one frame of the game, then hold",
    ),
    entry(
        SESSION,
        &[I::StepAction],
        "action",
        "the bot's next press, then hold",
    ),
    entry(SESSION, &[I::StepPhase], "phase", "to the end of the phase"),
    entry(
        SESSION,
        &[I::Next],
        "next",
        "leave this phase, go on with the next",
    ),
    entry(
        SESSION,
        &[I::Redo],
        "redo",
        "this phase again, from a fresh page",
    ),
    entry(SESSION, &[I::GoTo], "go to", "choose a phase to go to"),
    entry(SESSION, &[I::Slower, I::Faster], "speed", "slower, faster"),
    entry(GAME, &[I::Drive], "drive", "the keyboard goes to the page"),
    entry(GAME, &[I::GiveBack], "leave", "the keyboard comes back"),
    entry(
        GAME,
        &[I::Controls],
        "controls",
        "rebind, clear or look again for a key",
    ),
    entry(
        GAME,
        &[I::Board],
        "board",
        "the page's picture: put the board right",
    ),
    entry(
        LOOKING,
        &[I::FocusNext],
        "pane",
        "next pane (shift-tab: the one before)",
    ),
    Entry {
        group: LOOKING,
        keys: Keys::Said("arrows"),
        label: "move",
        does: "also PgUp PgDn Home End",
    },
    entry(
        LOOKING,
        &[I::Enter],
        "detail",
        "a check's reason and its records",
    ),
    entry(
        LOOKING,
        &[I::Search],
        "search",
        "in the events; then next and previous",
    ),
    entry(
        LOOKING,
        &[I::Kind(0), I::Kind(1), I::Kind(2), I::Kind(3), I::Kind(4)],
        "kinds",
        "show or hide a kind of event",
    ),
    entry(LOOKING, &[I::AllKinds], "all", "every kind of event"),
    entry(LOOKING, &[I::Log], "log", "the program's own log"),
    entry(
        LOOKING,
        &[I::Mouse],
        "mouse",
        "off: the terminal selects text",
    ),
    entry(
        "Recording",
        &[I::Record],
        "record",
        "begin a recording, or end it",
    ),
    entry(
        REPLAY,
        &[I::Left, I::Right],
        "picture",
        "one back or on; space plays and stops",
    ),
    entry(
        REPLAY,
        &[I::PrevEvent, I::NextEvent],
        "event",
        "the event before, the next one",
    ),
    entry(
        REPLAY,
        &[I::PrevPhase, I::NextPhase],
        "phase",
        "the phase before, the next one",
    ),
    entry(
        REPLAY,
        &[I::Next, I::Previous],
        "failure",
        "the next failed check, the one before",
    ),
    entry(REPLAY, &[I::Time], "time", "type a time to go to"),
    entry(
        REPLAY,
        &[I::First, I::Last],
        "ends",
        "to the start, to the end",
    ),
    entry(
        REPLAY,
        &[I::Enter],
        "there",
        "to an event's or a check's records",
    ),
    entry(LEAVING, &[I::Help], "help", "this"),
    entry(
        LEAVING,
        &[I::Quit],
        "quit",
        "end the session; asks while it runs",
    ),
    entry(LEAVING, &[I::QuitNow], "quit", "end the session at once"),
];
