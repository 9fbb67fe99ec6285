//! A key of the terminal with what is held beside it: read from a configuration, recognised, and shown.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// A key and what is held with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Chord {
    code: KeyCode,
    control: bool,
    alt: bool,
    /// Only for keys that type nothing: a character is another one with shift.
    shift: bool,
}

/// Names of keys that type nothing, as they are written and as they are shown.
const NAMED: &[(KeyCode, &str, &str)] = &[
    (KeyCode::Char(' '), "space", "space"),
    (KeyCode::Enter, "enter", "enter"),
    (KeyCode::Esc, "esc", "esc"),
    (KeyCode::Tab, "tab", "tab"),
    (KeyCode::Up, "up", "\u{2191}"),
    (KeyCode::Down, "down", "\u{2193}"),
    (KeyCode::Left, "left", "\u{2190}"),
    (KeyCode::Right, "right", "\u{2192}"),
    (KeyCode::Home, "home", "Home"),
    (KeyCode::End, "end", "End"),
    (KeyCode::PageUp, "pageup", "PgUp"),
    (KeyCode::PageDown, "pagedown", "PgDn"),
    (KeyCode::Insert, "insert", "Ins"),
    (KeyCode::Delete, "delete", "Del"),
    (KeyCode::Backspace, "backspace", "BkSp"),
];

impl Chord {
    /// A key as it is written in a configuration: `n`, `S`, `space`, `F10`, `ctrl-c`, `shift-left`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let (mut control, mut alt, mut shift) = (false, false, false);
        loop {
            let (held, after) = match rest.split_once('-') {
                Some(("ctrl", after)) => (&mut control, after),
                Some(("alt", after)) => (&mut alt, after),
                Some(("shift", after)) => (&mut shift, after),
                _ => break,
            };
            if after.is_empty() || std::mem::replace(held, true) {
                return None;
            }
            rest = after;
        }
        let mut chars = rest.chars();
        let code = match (chars.next(), chars.next()) {
            (Some(c), None) if !c.is_control() && !c.is_whitespace() => KeyCode::Char(c),
            (Some('F' | 'f'), Some(_)) => {
                let n = rest[1..].parse().ok();
                KeyCode::F(n.filter(|n| (1..=12).contains(n))?)
            }
            _ => NAMED.iter().find(|n| n.1 == rest)?.0,
        };
        // A shifted character is written as the character it types.
        if shift && matches!(code, KeyCode::Char(_)) {
            return None;
        }
        Some(Self::new(code, control, alt, shift))
    }

    fn new(code: KeyCode, control: bool, alt: bool, shift: bool) -> Self {
        let code = match code {
            // Terminals do not tell Ctrl-s from Ctrl-S, and some report one, some the other.
            KeyCode::Char(c) if control => KeyCode::Char(c.to_ascii_lowercase()),
            KeyCode::Char(c) if alt && c.is_ascii_alphabetic() => {
                KeyCode::Char(c.to_ascii_lowercase())
            }
            code => code,
        };
        Self {
            code,
            control,
            alt,
            shift: shift && !matches!(code, KeyCode::Char(_)),
        }
    }

    /// The key that was pressed.
    pub fn of(key: &KeyEvent) -> Self {
        let held = |m| key.modifiers.contains(m);
        let (control, alt) = (held(KeyModifiers::CONTROL), held(KeyModifiers::ALT));
        match key.code {
            KeyCode::BackTab => Self::new(KeyCode::Tab, control, alt, true),
            // Ctrl-] arrives as Ctrl-5 from terminals that send the bare byte 0x1d.
            KeyCode::Char('5') if control => Self::new(KeyCode::Char(']'), control, alt, false),
            code => Self::new(code, control, alt, held(KeyModifiers::SHIFT)),
        }
    }

    /// The same key without shift.
    pub fn without_shift(self) -> Self {
        Self {
            shift: false,
            ..self
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [
            (self.control, "Ctrl-"),
            (self.alt, "Alt-"),
            (self.shift, "shift-"),
        ] {
            if held {
                f.write_str(name)?;
            }
        }
        if let Some(named) = NAMED.iter().find(|n| n.0 == self.code) {
            return f.write_str(named.2);
        }
        match self.code {
            KeyCode::Char(c) if self.control => write!(f, "{}", c.to_ascii_uppercase()),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "F{n}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written_and_shown_as_people_know_them() {
        for (written, shown) in [
            ("n", "n"),
            ("S", "S"),
            ("-", "-"),
            ("space", "space"),
            ("ctrl-c", "Ctrl-C"),
            ("ctrl-alt-x", "Ctrl-Alt-X"),
            ("ctrl--", "Ctrl--"),
            ("shift-left", "shift-\u{2190}"),
            ("F10", "F10"),
            ("\u{e9}", "\u{e9}"),
        ] {
            let chord = Chord::parse(written);
            assert_eq!(
                chord.map(|c| c.to_string()).as_deref(),
                Some(shown),
                "{written}"
            );
        }
        for bad in [
            "",
            "nn",
            "F13",
            "ctrl-",
            "ctrl-ctrl-c",
            "shift-s",
            "hyper-x",
            " ",
            "\u{7}",
        ] {
            assert_eq!(Chord::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_key_is_known_however_the_terminal_reports_it() {
        let event = |code, modifiers| Chord::of(&KeyEvent::new(code, modifiers));
        let of = |text| Chord::parse(text);
        let (none, shift, control) = (
            KeyModifiers::NONE,
            KeyModifiers::SHIFT,
            KeyModifiers::CONTROL,
        );
        assert_eq!(Some(event(KeyCode::Char('S'), shift)), of("S"));
        assert_eq!(Some(event(KeyCode::BackTab, none)), of("shift-tab"));
        assert_eq!(Some(event(KeyCode::Tab, shift)), of("shift-tab"));
        assert_eq!(Some(event(KeyCode::Char('C'), control)), of("ctrl-c"));
        assert_eq!(Some(event(KeyCode::Char('5'), control)), of("ctrl-]"));
    }
}
