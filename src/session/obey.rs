//! What each of the operator's commands does.

use super::publish::Publisher;
use super::run::{Jump, Progressing};
use super::{Command, StepUnit};
use crate::driver::{BoardRuling, Gate, Ruling, Shared};
use crate::model::{ClockMode, Phase};

/// Said where a command wants a clock of ours.
const NOT_OURS: &str =
    "the page lives by the machine's clock: it cannot be frozen, stepped or sped up";

/// What the report must tell of a command: what an operator does by hand can change a verdict. Rulings on keys are
/// told by the driver, when they take effect.
fn by_hand(command: &Command, here: Phase) -> Option<String> {
    Some(match command {
        Command::SkipPhase => format!("left phase {}", here.number()),
        Command::RedoPhase => format!("did phase {} again", here.number()),
        Command::GoToPhase(phase) => format!("went to phase {}", phase.number()),
        Command::Drive(true) => "played by hand".into(),
        Command::TryKey(key) => format!("had {key} tried"),
        Command::Rediscover(action) => {
            format!("had the key for {} looked for again", action.name())
        }
        _ => return None,
    })
}

/// Carries out what can be carried out at once; gives back what has to interrupt the bot.
pub(super) fn obey(
    command: &Command,
    gate: &Gate,
    shared: &Shared,
    progress: &Progressing,
    publisher: &mut Publisher,
) -> Option<Jump> {
    let real = shared.status().clock.mode == ClockMode::Real;
    let here = progress.with(|p| p.phase).unwrap_or(Phase::Load);
    let next = Phase::ALL.get(usize::from(here.number())).copied();
    let (said, jump) = match command {
        Command::Hold(on) => {
            gate.hold(*on);
            (if *on { "hold" } else { "go on" }.to_string(), None)
        }
        Command::Freeze(true) | Command::Step(StepUnit::Frame) | Command::Speed(_) if real => {
            (NOT_OURS.into(), None)
        }
        Command::Freeze(on) => {
            gate.freeze(*on);
            (if *on { "freeze" } else { "thaw" }.to_string(), None)
        }
        Command::Step(StepUnit::Frame) => {
            gate.step_frame();
            ("step one frame".into(), None)
        }
        Command::Step(StepUnit::Action) => {
            gate.step_action();
            ("step one action".into(), None)
        }
        Command::Step(StepUnit::Phase) => {
            publisher.hold_at_next_phase = Some(here);
            gate.hold(false);
            gate.freeze(false);
            ("step to the end of the phase".into(), None)
        }
        Command::SkipPhase => ("skip the phase".into(), next.map(Jump::To)),
        Command::RedoPhase => ("do the phase again".into(), Some(Jump::Again(here))),
        Command::GoToPhase(phase) => (
            format!("go to phase {}", phase.number()),
            Some(Jump::Again(*phase)),
        ),
        Command::Speed(speed) => {
            gate.speed(*speed);
            (
                if speed.is_finite() {
                    format!("speed ×{speed}")
                } else {
                    "speed max".into()
                },
                None,
            )
        }
        Command::Drive(on) => {
            gate.drive(*on);
            (
                if *on {
                    "drive: the keys go to the page"
                } else {
                    "the keys come back"
                }
                .to_string(),
                None,
            )
        }
        Command::DriveKey { key, down } => {
            gate.drive_key(key.clone(), *down);
            return None;
        }
        Command::Rebind(action, key) => {
            gate.rule(*action, Ruling::Key(key.clone()));
            (format!("{} is {key} now", action.name()), None)
        }
        Command::Unbind(action) => {
            gate.rule(*action, Ruling::NoKey);
            (format!("{} has no key now", action.name()), None)
        }
        Command::Rediscover(action) => {
            gate.rule(*action, Ruling::Open);
            (
                format!("look for {} again", action.name()),
                Some(Jump::Rediscover(*action)),
            )
        }
        Command::TryKey(key) => (format!("try {key}"), Some(Jump::TryKey(key.clone()))),
        Command::ViewPage(on) => {
            gate.view(*on);
            return None;
        }
        Command::Board(board) => {
            gate.rule_board(BoardRuling::Board(board.clone()));
            return None;
        }
        Command::Teach {
            column,
            row,
            filled,
        } => {
            gate.rule_board(BoardRuling::Teach {
                column: *column,
                row: *row,
                filled: *filled,
            });
            let is = if *filled { "filled" } else { "empty" };
            (format!("column {column}, row {row} is {is}"), None)
        }
        Command::Hints(hints) => {
            gate.rule_board(BoardRuling::Hints(hints.clone()));
            return None;
        }
        Command::UndoBoard => {
            gate.rule_board(BoardRuling::Undo);
            ("the last change of the board is taken back".into(), None)
        }
        Command::Record(_) | Command::Seek(_) | Command::SaveProfile => return None,
        Command::Quit => ("quit".into(), Some(Jump::Quit)),
    };
    publisher.note(&said);
    if let Some(did) = by_hand(command, here) {
        let mut status = shared.status();
        let at = status.stamp.game_us as f64 / 1e6;
        status.rulings.push(format!("{did} at {at:.1} s"));
    }
    // A bot that is held can't be interrupted into doing something else: going somewhere lets it go.
    if matches!(
        jump,
        Some(Jump::To(_) | Jump::Again(_) | Jump::Rediscover(_) | Jump::TryKey(_))
    ) {
        gate.hold(false);
        gate.freeze(false);
    }
    jump
}
