//! What is known of a page: how it is started, where its board is, which keys it knows.
//!
//! Comes in: what was learned in a run, or what somebody wrote. Goes out: the same for the next run, as a file people can
//! read and change. Must never know: how any of it is found, or found to be true: nothing in here is trusted before it
//! was seen on the page.

mod store;

pub use store::{Store, StoreError};

use crate::model::{Action, Board, ControlMap, Hints, Key, StartCandidate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The version that is written, and the newest that is read. The second has what a person says of the reading.
pub const VERSION: u32 = 2;
/// Largest file that is read, in bytes: nothing that a person or this program wrote is larger.
pub const MOST_BYTES: usize = 256 * 1024;
/// Steps of a start at most.
const MOST_STEPS: usize = 16;
/// Longest press in game milliseconds.
const LONGEST_TAP_MS: u32 = 5_000;

/// Who says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A run learned it.
    Learned,
    /// A person wrote or corrected it: it wins over what is guessed.
    #[default]
    Hand,
}

/// The key of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownKey {
    /// `KeyboardEvent.key`; left out where no key does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// How long it must be held, in game milliseconds; 0 where that is not known.
    #[serde(default)]
    pub tap_ms: u32,
}

/// Where a board is: as [`Board`], without what was observed to find it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBoard {
    /// Left edge in CSS pixels of the page.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width of a cell in CSS pixels.
    pub cell_width: f64,
    /// Height of a cell.
    pub cell_height: f64,
    /// Columns.
    pub columns: u16,
    /// Visible rows.
    pub rows: u16,
}

impl From<&Board> for KnownBoard {
    fn from(b: &Board) -> Self {
        Self {
            x: b.x,
            y: b.y,
            cell_width: b.cell_width,
            cell_height: b.cell_height,
            columns: b.columns,
            rows: b.rows,
        }
    }
}

impl KnownBoard {
    /// As a board, with why it is taken for one.
    pub fn board(&self, why: &str) -> Board {
        Board {
            x: self.x,
            y: self.y,
            cell_width: self.cell_width,
            cell_height: self.cell_height,
            columns: self.columns,
            rows: self.rows,
            confidence: 1.0,
            why: why.into(),
            sure: crate::model::Sure::default(),
        }
    }

    fn is_sane(&self) -> bool {
        let place = [self.x, self.y].iter().all(|v| v.abs() < 1e6);
        let cell = [self.cell_width, self.cell_height];
        let cells = [self.columns, self.rows];
        place
            && cell.iter().all(|v| (1.0..1_000.0).contains(v))
            && cells.iter().all(|n| (2..=400).contains(n))
    }
}

/// What is known of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Version of the format.
    pub version: u32,
    /// Who says so; a person, if nothing is said.
    #[serde(default)]
    pub origin: Origin,
    /// The page, as the user named it; for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Fingerprint of what the page was made of. With another one, nothing here is used; without one, it is for any page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Was every key tried? Where not, an action without a key says nothing.
    #[serde(default)]
    pub all_keys_tried: bool,
    /// Where the board is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<KnownBoard>,
    /// The key of each action that is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub controls: BTreeMap<Action, KnownKey>,
    /// What a person says of how the page is to be read: thresholds, whose eyes, where the numbers stand.
    #[serde(default, skip_serializing_if = "Hints::is_empty")]
    pub reading: Hints,
    /// What starts the game, in order; empty where it starts by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<StartCandidate>>,
}

/// A text that is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ProfileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// Where the text is none, or says what cannot be.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let wrong = |line, what: String| ProfileError { line, what };
        if text.len() > MOST_BYTES {
            let what = format!("no profile is larger than {MOST_BYTES} bytes");
            return Err(wrong(1, what));
        }
        let line_of = |at: usize| 1 + text.bytes().take(at).filter(|b| *b == b'\n').count();
        let found: Self = toml::from_str(text).map_err(|e| {
            let line = line_of(e.span().map_or(0, |s| s.start));
            wrong(line, e.message().trim().replace('\n', ", "))
        })?;
        // What is found out only now has no place of its own: the line that names it is looked for.
        let line = |name: &str| {
            let at = text.lines().position(|l| l.contains(name));
            at.map_or(1, |n| n + 1)
        };
        if found.version == 0 || found.version > VERSION {
            let what = format!(
                "version {} is not known to this program; it reads 1 to {VERSION}",
                found.version
            );
            return Err(wrong(line("version"), what));
        }
        if found.board.is_some_and(|b| !b.is_sane()) {
            let what = "the board is none: cells of 1 to 1000 pixels, 2 to 400 columns and rows";
            return Err(wrong(line("board"), what.into()));
        }
        if !found.reading.is_sane() {
            let what = "the reading is none: thresholds of 1 to 250, places in pixels of the page";
            return Err(wrong(line("reading"), what.into()));
        }
        if let Some((action, _)) = found.controls.iter().find(|(_, k)| {
            k.tap_ms > LONGEST_TAP_MS || k.key.as_ref().is_some_and(|k| !sane_key(k))
        }) {
            let what = format!(
                "{}: a key by its KeyboardEvent.key (\"ArrowLeft\", \" \", \"z\"), held {LONGEST_TAP_MS} ms at most",
                action.name()
            );
            return Err(wrong(line(action.name()), what));
        }
        let steps = found.start.as_deref().unwrap_or_default();
        let sane = |s: &StartCandidate| {
            s.key.as_ref().is_none_or(sane_key)
                && s.position
                    .is_none_or(|(x, y)| x.abs() < 1e6 && y.abs() < 1e6)
        };
        if steps.len() > MOST_STEPS || !steps.iter().all(sane) {
            let what =
                format!("the start is none: {MOST_STEPS} steps at most, each a key or a place");
            return Err(wrong(line("start"), what));
        }
        Ok(found)
    }

    /// As a text that [`Profile::parse`] reads.
    ///
    /// # Errors
    /// Where it holds what the format cannot say.
    pub fn to_text(&self) -> Result<String, toml::ser::Error> {
        let what = match self.origin {
            Origin::Learned => {
                "What tetrascope learned of a page. It is verified before it is used."
            }
            Origin::Hand => "What is known of a page. It wins over what tetrascope would guess.",
        };
        Ok(format!("# {what}\n{}", toml::to_string_pretty(self)?))
    }

    /// Takes over the keys that were found.
    pub fn learn_controls(&mut self, map: &ControlMap) {
        self.all_keys_tried = map.complete;
        self.controls = map
            .iter()
            .map(|(action, m)| {
                let known = KnownKey {
                    key: m.key.clone(),
                    tap_ms: m.tap_ms,
                };
                (action, known)
            })
            .collect();
    }

    /// Are the keys known well enough that nobody has to look for them? A key that no game can do without must be
    /// there: that there is none is a finding, and findings are never taken from memory.
    pub fn has_controls(&self) -> bool {
        let needed = [Action::MoveLeft, Action::MoveRight, Action::RotateCw];
        let there = |a: &Action| self.controls.get(a).is_some_and(|k| k.key.is_some());
        self.all_keys_tried && needed.iter().all(there)
    }
}

fn sane_key(key: &Key) -> bool {
    let text = key.as_str();
    !text.is_empty() && text.chars().count() <= 24 && !text.chars().any(char::is_control)
}

/// What a run knows from before, and what it learns for the next.
#[derive(Debug, Default)]
pub struct Memory {
    on: bool,
    /// Each with where it came from, for people; what is preferred comes first.
    known: Vec<(Profile, String)>,
    learned: Mutex<Profile>,
}

/// What is to be thought of what is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// Nothing is.
    Nothing,
    /// It is of this page, as far as its content tells.
    Fits {
        /// What.
        profile: Box<Profile>,
        /// Where it came from, for people.
        from: String,
    },
    /// It is of a page that was not the same.
    OfAnother,
}

impl Memory {
    /// A memory that knows these, each from there; what is preferred comes first. One that is not `on` neither knows nor
    /// learns.
    pub fn of(known: Vec<(Profile, String)>, on: bool) -> Self {
        Self {
            on,
            known,
            learned: Mutex::default(),
        }
    }

    /// Is it to be asked and told at all?
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// What is known of the page with this content.
    pub fn recall(&self, content: Option<&str>) -> Known {
        let fits = |p: &Profile| match (&p.content, content) {
            // What a person wrote for any page is theirs to answer for; it is looked at on the page all the same.
            (None, _) => p.origin == Origin::Hand,
            (Some(a), Some(b)) => a == b,
            (Some(_), None) => false,
        };
        match self.known.iter().find(|k| fits(&k.0)) {
            Some((profile, from)) => Known::Fits {
                profile: profile.clone().into(),
                from: from.clone(),
            },
            None if self.known.is_empty() => Known::Nothing,
            None => Known::OfAnother,
        }
    }

    /// Takes in something that was learned.
    pub fn learn(&self, how: impl FnOnce(&mut Profile)) {
        how(&mut self.learned.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What was learned so far.
    pub fn so_far(&self) -> Profile {
        let learned = self.learned.lock();
        learned.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was learned, if it is enough to be of use: the page's content, a start, and keys or a board.
    pub fn learned(&self) -> Option<Profile> {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let mut profile = learned.clone();
        profile.version = VERSION;
        profile.origin = Origin::Learned;
        let enough = profile.content.is_some() && profile.start.is_some();
        (enough && (profile.has_controls() || profile.board.is_some())).then_some(profile)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::{Confidence, ControlMapping, Rect, StartMechanism};
    use proptest::prelude::*;

    fn profile() -> Profile {
        let mut map = ControlMap::default();
        map.complete = true;
        for (action, key) in [
            (Action::MoveLeft, Some("ArrowLeft")),
            (Action::MoveRight, Some("d")),
            (Action::RotateCw, Some(" ")),
            (Action::Hold, None),
        ] {
            let mapping = ControlMapping {
                key: key.map(Key::new),
                confidence: Confidence::Confirmed,
                observation: String::new(),
                tap_ms: 17,
            };
            map.set(action, mapping);
        }
        let mut profile = Profile {
            version: VERSION,
            origin: Origin::Learned,
            target: "page \"x\"\n.html".into(),
            content: Some("00ff".into()),
            start: Some(vec![StartCandidate {
                mechanism: StartMechanism::Enter,
                label: "Enter".into(),
                position: Some((1.5, 2.0)),
                selector: None,
                key: Some(Key::new("Enter")),
            }]),
            board: Some(KnownBoard {
                x: 10.0,
                y: 20.5,
                cell_width: 24.0,
                cell_height: 24.0,
                columns: 10,
                rows: 20,
            }),
            reading: Hints {
                block: Some(17.5),
                score: Some(Rect::new(400.0, 20.5, 60.0, 18.0)),
                ..Hints::default()
            },
            ..Profile::default()
        };
        profile.learn_controls(&map);
        profile
    }

    #[test]
    fn a_profile_reads_back_as_it_was_written() {
        let text = profile().to_text().unwrap();
        assert_eq!(Profile::parse(&text), Ok(profile()), "{text}");
    }

    #[test]
    fn a_person_may_write_as_little_as_they_know() {
        let text = "version = 1\n[controls.move_left]\nkey = \"a\"\n";
        let read = Profile::parse(text).unwrap();
        assert_eq!(read.origin, Origin::Hand);
        assert!(!read.has_controls());
        let memory = Memory::of(vec![(read, "x".into())], true);
        assert!(matches!(
            memory.recall(Some("anything")),
            Known::Fits { .. }
        ));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_line() {
        for (text, line) in [
            ("", 1),
            ("version = 3", 1),
            ("version = 2\n[reading]\nblock = 0.0", 2),
            ("version = 2\n[reading]\neyes = \"third\"", 3),
            ("version = 1\nspeed = 3", 2),
            ("version = 1\n[board]\nx = 1\n", 2),
            (
                "version = 1\n[board]\nx=1\ny=1\ncell_width=0\ncell_height=9\ncolumns=10\nrows=20",
                2,
            ),
            (
                "version = 1\n[board]\nx=nan\ny=1\ncell_width=9\ncell_height=9\ncolumns=10\nrows=20",
                2,
            ),
            ("version = 1\n\n[controls.move_left]\nkey = \"\"", 3),
            ("version = 1\n[controls.fly]\nkey = \"a\"", 2),
        ] {
            assert_eq!(Profile::parse(text).unwrap_err().line, line, "{text}");
        }
        assert!(Profile::parse(&" ".repeat(MOST_BYTES + 1)).is_err());
    }

    #[test]
    fn a_profile_of_another_page_is_not_used_and_no_finding_is_taken_from_memory() {
        let memory = Memory::of(vec![(profile(), "cache".into())], true);
        assert_eq!(memory.recall(Some("00fe")), Known::OfAnother);
        assert_eq!(memory.recall(None), Known::OfAnother);
        assert_eq!(
            memory.recall(Some("00ff")),
            Known::Fits {
                profile: profile().into(),
                from: "cache".into()
            }
        );
        assert_eq!(
            Memory::of(Vec::new(), true).recall(Some("00ff")),
            Known::Nothing
        );
        let mut lacking = profile();
        lacking.controls.remove(&Action::MoveLeft);
        assert!(!lacking.has_controls());
        let mut broken_off = profile();
        broken_off.all_keys_tried = false;
        assert!(!broken_off.has_controls());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(version = 1\n)?(\\[[a-z._]{0,20}\\]\n|[a-z_]{0,10} = [\"a-z0-9.-]{0,8}\n|\\PC{0,9}){0,9}") {
            if let Ok(read) = Profile::parse(&text) {
                let again = read.to_text().unwrap();
                prop_assert_eq!(Profile::parse(&again), Ok(read));
            }
        }
    }
}
