//! The vocabulary of marks: what the bot says of its own doings, so that checks find them again.
//!
//! A mark is written as one line of text into [`crate::model::RecordBody::Mark`], so that a recording can be read:
//!
//! ```text
//! probe action=rotate_cw key=ArrowUp try=2
//! probe_end
//! no_board why=nothing stepped by whole cells
//! phase_end phase=mechanics outcome=done
//! phase_end phase=start outcome=failed why=no candidate brought a piece that falls
//! top_out try=1
//! fill
//! at_rest
//! top_out_end
//! new_game try=1 found=yes why=button “Play again”
//! new_game_end
//! pause why=p
//! paused
//! pause_keys
//! resume
//! pause_end
//! lifelike
//! lifelike_end
//! smears why=something goes down, 5 steps of 24 px, and stays drawn wherever it was
//! recalled what=start how=held why=Enter
//! attempt number=2 why=game_over restart
//! end why=every phase is done
//! ```
//!
//! **How to probe.** Between `probe` and `probe_end` the bot presses the key it names (a key down, at least one step of
//! the clock, a key up), one press or several, and takes readings: at least one before the first press, and after each
//! press enough for its effect to show (two at least, so that a held-back reading is decided). What other keys do
//! inside a probe is not counted for its action. Each probe of an action carries the next number (`try`); a Fail needs
//! two of them. What each action's check wants to see:
//!
//! | action | one probe |
//! | --- | --- |
//! | `move_left`, `move_right` | one to three taps of `ControlMapping::tap_ms`, with two free columns or more on that side before each |
//! | `rotate_cw`, `rotate_ccw` | four taps (or more) on one piece that has room, best away from walls and stack; a probe for each of several pieces |
//! | `soft_drop` | some taps, or one hold of several gravity intervals, high above the stack; readings during the hold |
//! | `hard_drop` | one tap high above the stack, then readings until the next piece has appeared (or a second has passed) |
//!
//! Walls need no mark: any press of a side or rotation key counts wherever the piece is.
//! Nor does gravity: every fall with no key down counts, so leave pieces alone for some intervals now and then.

use crate::model::{Action, Key, Phase};

/// What became of something that was known from an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recalled {
    /// Something is known.
    Known,
    /// It was seen to be as it was.
    Held,
    /// Nothing was known.
    Missed,
    /// It is not as it was.
    Differs,
}

impl Recalled {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Known, "known"),
        (Self::Held, "held"),
        (Self::Missed, "missed"),
        (Self::Differs, "differs"),
    ];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|a| a.0 == self).map_or("", |a| a.1)
    }
}

/// What became of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ran to its end.
    Done,
    /// It could not do what it is for; later phases may be impossible.
    Failed(String),
    /// An error ended it that is not the page's doing, as far as can be told: what it judges is undecided.
    BrokeOff(String),
    /// It was not tried.
    Skipped(String),
}

/// A typed mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// From here to [`Mark::ProbeEnd`] presses of `key` try `action`.
    Probe {
        /// What is tried.
        action: Action,
        /// With which key.
        key: Key,
        /// The how-manieth probe of this action, from 1.
        attempt: u32,
    },
    /// The probe is over, its last effect seen.
    ProbeEnd,
    /// Nothing falls in the game that was started: its pieces stand until a key moves them.
    Stands,
    /// A game runs, but no board could be found.
    NoBoard {
        /// What was seen, for people.
        why: String,
    },
    /// What of the size of the board that is watched is more than a guess: a piece was followed to its edges, or a
    /// person said it.
    Sure {
        /// Both walls.
        columns: bool,
        /// Floor and top.
        rows: bool,
    },
    /// A phase is over.
    PhaseEnd {
        /// Which.
        phase: Phase,
        /// How it ended.
        outcome: Outcome,
    },
    /// From here to [`Mark::TopOutEnd`] the game is filled to the top.
    TopOut {
        /// The how-manieth time.
        attempt: u32,
        /// Is no key pressed once no new piece comes?
        alone: bool,
    },
    /// A piece is about to be dropped where it came.
    Fill,
    /// No new piece came: from here on it is watched, then keys are tried (unless it is left alone).
    AtRest,
    /// What came of it was seen.
    TopOutEnd,
    /// A new game runs after an end, or nothing that was tried brought one.
    NewGame {
        /// The how-manieth try.
        attempt: u32,
        /// Did anything bring it?
        found: bool,
        /// What brought it, or all that was tried; for people.
        why: String,
    },
    /// The new game was watched long enough.
    NewGameEnd,
    /// The game is about to be paused.
    Pause {
        /// By which key or control, for people.
        by: String,
    },
    /// The game should stand still from here on.
    Paused,
    /// From here on keys of the game are pressed while it should stand still.
    PauseKeys,
    /// The game is about to be let go on.
    Resume,
    /// What came of it was seen.
    PauseEnd,
    /// From here to [`Mark::LifelikeEnd`] the game runs at the pace of life and every frame is read, whatever was
    /// asked for: what presses take to show is measured by the wall's clock.
    Lifelike,
    /// The pace is again what was asked for.
    LifelikeEnd,
    /// A game was begun in which what falls stays drawn wherever it was.
    Smears {
        /// What was seen, for people.
        why: String,
    },
    /// Something was known of the page from an earlier run, or should have been.
    Recalled {
        /// What: `page`, `start`, `board`, `controls`.
        what: String,
        /// What became of it.
        how: Recalled,
        /// In words.
        why: String,
    },
    /// What follows is another attempt, from a fresh page, at what failed before.
    Attempt {
        /// The how-manieth, from 2.
        number: u32,
        /// What is tried again, for people.
        why: String,
    },
    /// The run was ended before what failed once could be tried again.
    CutShort,
    /// The run is over: what is not decided by now never will be.
    End {
        /// Why, for people.
        why: String,
    },
}

impl Mark {
    /// As text, one line.
    pub fn to_text(&self) -> String {
        match self {
            Self::Probe {
                action,
                key,
                attempt,
            } => format!(
                "probe action={} key={} try={attempt}",
                action.name(),
                key_word(key)
            ),
            Self::ProbeEnd => "probe_end".into(),
            Self::Stands => "stands".into(),
            Self::Lifelike => "lifelike".into(),
            Self::LifelikeEnd => "lifelike_end".into(),
            Self::NoBoard { why } => format!("no_board why={}", one_line(why)),
            Self::Sure { columns, rows } => {
                format!("sure columns={} rows={}", yes(*columns), yes(*rows))
            }
            Self::PhaseEnd { phase, outcome } => {
                let head = format!("phase_end phase={}", phase_word(*phase));
                match outcome {
                    Outcome::Done => format!("{head} outcome=done"),
                    Outcome::Failed(why) => format!("{head} outcome=failed why={}", one_line(why)),
                    Outcome::BrokeOff(why) => {
                        format!("{head} outcome=broke_off why={}", one_line(why))
                    }
                    Outcome::Skipped(why) => {
                        format!("{head} outcome=skipped why={}", one_line(why))
                    }
                }
            }
            Self::TopOut { attempt, alone } => {
                format!("top_out try={attempt} alone={}", yes(*alone))
            }
            Self::Fill => "fill".into(),
            Self::AtRest => "at_rest".into(),
            Self::TopOutEnd => "top_out_end".into(),
            Self::NewGame {
                attempt,
                found,
                why,
            } => format!(
                "new_game try={attempt} found={} why={}",
                yes(*found),
                one_line(why)
            ),
            Self::NewGameEnd => "new_game_end".into(),
            Self::Pause { by } => format!("pause why={}", one_line(by)),
            Self::Paused => "paused".into(),
            Self::PauseKeys => "pause_keys".into(),
            Self::Resume => "resume".into(),
            Self::PauseEnd => "pause_end".into(),
            Self::Smears { why } => format!("smears why={}", one_line(why)),
            Self::Recalled { what, how, why } => {
                format!(
                    "recalled what={what} how={} why={}",
                    how.word(),
                    one_line(why)
                )
            }
            Self::Attempt { number, why } => {
                format!("attempt number={number} why={}", one_line(why))
            }
            Self::CutShort => "cut_short".into(),
            Self::End { why } => format!("end why={}", one_line(why)),
        }
    }

    /// From text; `None` for a mark of another kind, which is only for people.
    pub fn parse(text: &str) -> Option<Self> {
        let (head, why) = match text.split_once("why=") {
            Some((h, w)) => (h, w.to_owned()),
            None => (text, String::new()),
        };
        let mut words = head.split_whitespace();
        let name = words.next()?;
        let fields: Vec<(&str, &str)> = words.filter_map(|w| w.split_once('=')).collect();
        let field = |name: &str| fields.iter().find(|f| f.0 == name).map(|f| f.1);
        Some(match name {
            "probe" => Self::Probe {
                action: Action::ALL
                    .into_iter()
                    .find(|a| Some(a.name()) == field("action"))?,
                key: key_of(field("key")?),
                attempt: field("try")?.parse().ok()?,
            },
            "probe_end" => Self::ProbeEnd,
            "stands" => Self::Stands,
            "no_board" => Self::NoBoard { why },
            "sure" => Self::Sure {
                columns: field("columns")? == "yes",
                rows: field("rows")? == "yes",
            },
            "phase_end" => Self::PhaseEnd {
                phase: Phase::ALL
                    .into_iter()
                    .find(|p| Some(phase_word(*p)) == field("phase"))?,
                outcome: match field("outcome")? {
                    "done" => Outcome::Done,
                    "failed" => Outcome::Failed(why),
                    "broke_off" => Outcome::BrokeOff(why),
                    "skipped" => Outcome::Skipped(why),
                    _ => return None,
                },
            },
            "top_out" => Self::TopOut {
                attempt: field("try")?.parse().ok()?,
                // Recordings of older versions do not say it.
                alone: field("alone") == Some("yes"),
            },
            "fill" => Self::Fill,
            "at_rest" => Self::AtRest,
            "top_out_end" => Self::TopOutEnd,
            "new_game" => Self::NewGame {
                attempt: field("try")?.parse().ok()?,
                found: field("found")? == "yes",
                why,
            },
            "new_game_end" => Self::NewGameEnd,
            "pause" => Self::Pause { by: why },
            "paused" => Self::Paused,
            "pause_keys" => Self::PauseKeys,
            "resume" => Self::Resume,
            "pause_end" => Self::PauseEnd,
            "lifelike" => Self::Lifelike,
            "lifelike_end" => Self::LifelikeEnd,
            "smears" => Self::Smears { why },
            "recalled" => Self::Recalled {
                what: field("what")?.into(),
                how: Recalled::ALL
                    .into_iter()
                    .find(|a| Some(a.1) == field("how"))
                    .map(|a| a.0)?,
                why,
            },
            "attempt" => Self::Attempt {
                number: field("number")?.parse().ok()?,
                why,
            },
            "cut_short" => Self::CutShort,
            "end" => Self::End { why },
            _ => return None,
        })
    }
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

/// A reason may quote the page; in a mark it stays on one line.
fn one_line(why: &str) -> String {
    why.replace(|c: char| c.is_control(), " ")
}

/// A key without spaces: the space bar is the only key whose value has one.
fn key_word(key: &Key) -> String {
    match key.as_str() {
        " " => "Space".into(),
        k => k.into(),
    }
}

fn key_of(word: &str) -> Key {
    Key::new(if word == "Space" { " " } else { word })
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Load => "load",
        Phase::Start => "start",
        Phase::Mechanics => "mechanics",
        Phase::Play => "play",
        Phase::Numbers => "numbers",
        Phase::GameOver => "game_over",
        Phase::Restart => "restart",
        Phase::Compete => "compete",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_reads_back_as_it_was_written() {
        let mut marks = vec![
            Mark::ProbeEnd,
            Mark::Stands,
            Mark::Lifelike,
            Mark::LifelikeEnd,
            Mark::NoBoard {
                why: "a b=c".into(),
            },
            Mark::Sure {
                columns: true,
                rows: false,
            },
            Mark::Smears {
                why: "4 steps".into(),
            },
            Mark::CutShort,
            Mark::End { why: "done".into() },
            Mark::TopOut {
                attempt: 2,
                alone: true,
            },
            Mark::Fill,
            Mark::AtRest,
            Mark::TopOutEnd,
            Mark::NewGame {
                attempt: 1,
                found: true,
                why: "key r".into(),
            },
            Mark::NewGame {
                attempt: 3,
                found: false,
                why: "no key, no button".into(),
            },
            Mark::NewGameEnd,
            Mark::Pause { by: "p".into() },
            Mark::Paused,
            Mark::PauseKeys,
            Mark::Resume,
            Mark::PauseEnd,
            Mark::Recalled {
                what: "start".into(),
                how: Recalled::Differs,
                why: "key Enter: nothing fell".into(),
            },
            Mark::Attempt {
                number: 2,
                why: "game over, restart".into(),
            },
        ];
        for action in Action::ALL {
            for key in [" ", "ArrowUp", "=", "z", "é"] {
                marks.push(Mark::Probe {
                    action,
                    key: Key::new(key),
                    attempt: 3,
                });
            }
        }
        for phase in Phase::ALL {
            for outcome in [
                Outcome::Done,
                Outcome::Failed("x y".into()),
                Outcome::BrokeOff("x: y".into()),
                Outcome::Skipped("why=not".into()),
            ] {
                marks.push(Mark::PhaseEnd { phase, outcome });
            }
        }
        for mark in marks {
            assert_eq!(Mark::parse(&mark.to_text()), Some(mark.clone()), "{mark:?}");
        }
        assert_eq!(Mark::parse("something for people"), None);
        assert_eq!(Mark::parse(""), None);
    }
}
