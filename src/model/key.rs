use serde::{Deserialize, Serialize};
use std::fmt;

/// A key of the keyboard, by its `KeyboardEvent.key` value (`ArrowLeft`, a space, `z`, `Shift`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(String);

impl Key {
    /// A key by its `KeyboardEvent.key` value.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The `KeyboardEvent.key` value.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `KeyboardEvent.code` on a US keyboard; empty for keys it does not have.
    pub fn code(&self) -> String {
        match self.0.as_str() {
            " " => "Space".into(),
            "Shift" => "ShiftLeft".into(),
            "Control" => "ControlLeft".into(),
            "Alt" => "AltLeft".into(),
            "," | "<" => "Comma".into(),
            "." | ">" => "Period".into(),
            "/" | "?" => "Slash".into(),
            ";" | ":" => "Semicolon".into(),
            "'" | "\"" => "Quote".into(),
            "[" | "{" => "BracketLeft".into(),
            "]" | "}" => "BracketRight".into(),
            "\\" | "|" => "Backslash".into(),
            "-" | "_" => "Minus".into(),
            "=" | "+" => "Equal".into(),
            "`" | "~" => "Backquote".into(),
            k => {
                let mut chars = k.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) if c.is_ascii_alphabetic() => {
                        format!("Key{}", c.to_ascii_uppercase())
                    }
                    (Some(c), None) if c.is_ascii_digit() => format!("Digit{c}"),
                    (Some(_), Some(_)) => k.into(),
                    _ => String::new(),
                }
            }
        }
    }

    /// `KeyboardEvent.keyCode` as Windows numbers it, on which older games rely; 0 for keys it does not know.
    pub fn key_code(&self) -> u32 {
        match self.0.as_str() {
            "Backspace" => 8,
            "Tab" => 9,
            "Enter" => 13,
            "Shift" => 16,
            "Control" => 17,
            "Alt" => 18,
            "Escape" => 27,
            " " => 32,
            "PageUp" => 33,
            "PageDown" => 34,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Insert" => 45,
            "Delete" => 46,
            ";" | ":" => 186,
            "=" | "+" => 187,
            "," | "<" => 188,
            "-" | "_" => 189,
            "." | ">" => 190,
            "/" | "?" => 191,
            "`" | "~" => 192,
            "[" | "{" => 219,
            "\\" | "|" => 220,
            "]" | "}" => 221,
            "'" | "\"" => 222,
            k => {
                let mut chars = k.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) if c.is_ascii_alphanumeric() => {
                        u32::from(c.to_ascii_uppercase() as u8)
                    }
                    (Some('F'), Some(_)) => k[1..]
                        .parse::<u32>()
                        .ok()
                        .filter(|n| (1..=12).contains(n))
                        .map_or(0, |n| 111 + n),
                    _ => 0,
                }
            }
        }
    }

    /// The text the key types, if it types any.
    pub fn text(&self) -> Option<&str> {
        match self.0.as_str() {
            "Enter" => Some("\r"),
            k if k.chars().count() == 1 => Some(k),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    /// A short name for people: arrows as arrows, the space bar as "Space".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0.as_str() {
            "ArrowLeft" => "←",
            "ArrowRight" => "→",
            "ArrowUp" => "↑",
            "ArrowDown" => "↓",
            " " => "Space",
            "Escape" => "Esc",
            "Control" => "Ctrl",
            other => other,
        })
    }
}
