//! How things look: glyphs, colours, and what remains of them on poorer terminals.
//!
//! Comes in: what the operator asked for and what the terminal says of itself. Goes out: glyphs and styles by role.
//! Must never know: what is shown.

use super::colour::{Rgb, luma, nearest_indexed, nearest_sixteen};
use crate::checks::Status;
use crate::model::{Confidence, Key};
use ratatui::style::{Color, Modifier, Style};

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colour {
    /// As far as the terminal has them; none where `NO_COLOR` is set.
    #[default]
    Auto,
    /// None.
    Never,
    /// At least the sixteen, whatever the environment says.
    Always,
}

/// Which colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// The terminal's own foreground and background.
    #[default]
    Default,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

/// How many colours there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None; bold, dim and reversed remain.
    None,
    /// The sixteen of old.
    #[default]
    Sixteen,
    /// The 6x6x6 cube and the greys.
    Indexed,
    /// Red, green and blue.
    True,
}

impl Depth {
    /// What the terminal can do, as far as its environment tells; `get` looks a variable up.
    pub fn detect(colour: Colour, get: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| get(name).filter(|v| !v.is_empty());
        if colour == Colour::Never || (colour == Colour::Auto && set("NO_COLOR").is_some()) {
            return Self::None;
        }
        let term = set("TERM").unwrap_or_default();
        if set("COLORTERM").is_some_and(|v| v == "truecolor" || v == "24bit") {
            Self::True
        } else if term.contains("256") {
            Self::Indexed
        } else if colour == Colour::Auto && (term.is_empty() || term == "dumb") {
            Self::None
        } else {
            Self::Sixteen
        }
    }
}

/// What a piece of the screen means; the theme says how that looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Text,
    Dim,
    Title,
    Accent,
    Good,
    Bad,
    Warn,
    Selected,
    Match,
}

/// Glyphs, theme and colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    /// Only ASCII.
    pub ascii: bool,
    /// Which colours.
    pub theme: Theme,
    /// How many colours.
    pub depth: Depth,
}

/// The glyphs that differ between the two sets.
#[derive(Debug)]
pub(super) struct Glyphs {
    pub rule: &'static str,
    pub heavy: &'static str,
    pub wall: &'static str,
    pub floor: (&'static str, &'static str, &'static str),
    pub pass: &'static str,
    pub fail: &'static str,
    pub skip: &'static str,
    pub open: &'static str,
    pub run: &'static str,
    pub pause: &'static str,
    pub stop: &'static str,
    pub wait: &'static str,
    pub dot: &'static str,
    pub times: &'static str,
    pub ghost: &'static str,
    pub sparks: [&'static str; 8],
    pub confidence: [&'static str; 3],
    pub up: &'static str,
    pub down: &'static str,
    pub none: &'static str,
    pub record: &'static str,
    pub clear: &'static str,
    pub operator: &'static str,
    pub here: &'static str,
}

const UNICODE: Glyphs = Glyphs {
    rule: "─",
    heavy: "━",
    wall: "│",
    floor: ("└", "─", "┘"),
    pass: "✓",
    fail: "✗",
    skip: "–",
    open: "·",
    run: "▶",
    pause: "‖",
    stop: "■",
    wait: "○",
    dot: "·",
    times: "×",
    ghost: "░",
    sparks: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    confidence: ["○", "◐", "●"],
    up: "▲",
    down: "▼",
    none: "–",
    record: "●",
    clear: "≡",
    operator: "♦",
    here: "●",
};

const ASCII: Glyphs = Glyphs {
    rule: "-",
    heavy: "=",
    wall: "|",
    floor: ("+", "-", "+"),
    pass: "+",
    fail: "x",
    skip: "-",
    open: ".",
    run: ">",
    pause: "=",
    stop: "#",
    wait: "o",
    dot: ".",
    times: "x",
    ghost: ":",
    sparks: ["_", "_", ".", ".", "-", "-", "=", "#"],
    confidence: ["-", "?", "*"],
    up: "^",
    down: "v",
    none: "-",
    record: "*",
    clear: "=",
    operator: "!",
    here: "@",
};

/// Foreground, background, dim, accent, good, bad, warn, selection.
const DARK: [Rgb; 8] = [
    (0xd5, 0xda, 0xe1),
    (0x12, 0x15, 0x1a),
    (0x76, 0x80, 0x8d),
    (0x79, 0xb8, 0xff),
    (0x7e, 0xcf, 0x8b),
    (0xff, 0x7b, 0x72),
    (0xe0, 0xb0, 0x4a),
    (0x26, 0x32, 0x42),
];
const LIGHT: [Rgb; 8] = [
    (0x24, 0x29, 0x30),
    (0xfc, 0xfc, 0xfa),
    (0x75, 0x7d, 0x88),
    (0x07, 0x55, 0xb0),
    (0x17, 0x77, 0x33),
    (0xc0, 0x1f, 0x2a),
    (0x8a, 0x58, 0x00),
    (0xdb, 0xe7, 0xf5),
];

impl Look {
    pub(super) fn glyphs(self) -> &'static Glyphs {
        if self.ascii { &ASCII } else { &UNICODE }
    }

    /// The style of the whole screen.
    pub(super) fn base(self) -> Style {
        match (self.theme, self.depth) {
            (_, Depth::None) | (Theme::Default, _) => Style::reset(),
            (Theme::Dark, _) => self.on(DARK[0], DARK[1]),
            (Theme::Light, _) => self.on(LIGHT[0], LIGHT[1]),
        }
    }

    fn on(self, fg: Rgb, bg: Rgb) -> Style {
        Style::reset().fg(self.rgb(fg)).bg(self.rgb(bg))
    }

    pub(super) fn style(self, role: Role) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        if self.depth == Depth::None || self.theme == Theme::Default {
            let tint = |s: Style, c: Color| {
                if self.depth == Depth::None {
                    s
                } else {
                    s.fg(c)
                }
            };
            // These four are legible on black and on white; yellow and cyan are not.
            return match role {
                Role::Text => plain,
                Role::Dim => plain.add_modifier(Modifier::DIM),
                Role::Title | Role::Accent => bold,
                Role::Good => tint(plain, Color::Green),
                Role::Bad => tint(bold, Color::Red),
                Role::Warn => tint(plain, Color::Magenta),
                Role::Selected => plain
                    .add_modifier(Modifier::REVERSED)
                    .remove_modifier(Modifier::DIM),
                Role::Match => plain.add_modifier(Modifier::UNDERLINED),
            };
        }
        let p = if self.theme == Theme::Dark {
            &DARK
        } else {
            &LIGHT
        };
        match role {
            Role::Text => plain.fg(self.rgb(p[0])),
            Role::Dim => plain.fg(self.rgb(p[2])),
            Role::Title => bold.fg(self.rgb(p[0])),
            Role::Accent => bold.fg(self.rgb(p[3])),
            Role::Good => plain.fg(self.rgb(p[4])),
            Role::Bad => bold.fg(self.rgb(p[5])),
            Role::Warn => plain.fg(self.rgb(p[6])),
            Role::Selected if self.depth == Depth::Sixteen => {
                plain.add_modifier(Modifier::REVERSED)
            }
            Role::Selected => plain.bg(self.rgb(p[7])),
            Role::Match => plain.fg(self.rgb(p[6])).add_modifier(Modifier::UNDERLINED),
        }
    }

    /// The nearest colour the terminal has.
    pub(super) fn rgb(self, (r, g, b): Rgb) -> Color {
        match self.depth {
            Depth::None => Color::Reset,
            Depth::True => Color::Rgb(r, g, b),
            Depth::Indexed => Color::Indexed(nearest_indexed(r, g, b)),
            Depth::Sixteen => nearest_sixteen(r, g, b),
        }
    }

    /// A colour of the page as it can be seen on this background: never so dark or so light that it vanishes.
    pub(super) fn block(self, [r, g, b]: [u8; 3]) -> Rgb {
        let (low, high) = match self.theme {
            Theme::Dark => (70.0, 235.0),
            Theme::Light => (20.0, 190.0),
            Theme::Default => (70.0, 190.0),
        };
        let light = luma((r, g, b));
        let mix = |to: f32, t: f32| {
            let f = |v: u8| (f32::from(v) + (to - f32::from(v)) * t).round() as u8;
            (f(r), f(g), f(b))
        };
        if light < low {
            mix(255.0, (low - light) / (255.0 - light))
        } else if light > high {
            mix(0.0, (light - high) / light)
        } else {
            (r, g, b)
        }
    }

    pub(super) fn status(self, status: Status) -> (&'static str, Style) {
        let g = self.glyphs();
        match status {
            Status::Open => (g.open, self.style(Role::Dim)),
            Status::Pass => (g.pass, self.style(Role::Good)),
            Status::Fail => (g.fail, self.style(Role::Bad)),
            Status::Skipped => (g.skip, self.style(Role::Warn)),
        }
    }

    pub(super) fn confidence(self, c: Confidence) -> (&'static str, &'static str, Style) {
        let g = self.glyphs().confidence;
        match c {
            Confidence::NotFound => (g[0], "not found", self.style(Role::Dim)),
            Confidence::Suspected => (g[1], "suspected", self.style(Role::Warn)),
            Confidence::Confirmed => (g[2], "confirmed", self.style(Role::Good)),
        }
    }

    /// A key's short name in these glyphs.
    pub(super) fn key(self, key: &Key) -> String {
        if self.ascii
            && let Some(side) = key.as_str().strip_prefix("Arrow")
        {
            return side.to_owned();
        }
        key.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_from_the_environment_only_where_the_operator_leaves_it_to_it() {
        let env = |vars: &'static [(&str, &str)]| {
            move |n: &str| vars.iter().find(|v| v.0 == n).map(|v| v.1.to_owned())
        };
        let detect = |c, vars| Depth::detect(c, env(vars));
        assert_eq!(
            detect(Colour::Auto, &[("COLORTERM", "truecolor")]),
            Depth::True
        );
        assert_eq!(
            detect(Colour::Auto, &[("TERM", "xterm-256color")]),
            Depth::Indexed
        );
        assert_eq!(detect(Colour::Auto, &[("TERM", "linux")]), Depth::Sixteen);
        assert_eq!(detect(Colour::Auto, &[("TERM", "dumb")]), Depth::None);
        assert_eq!(
            detect(
                Colour::Auto,
                &[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]
            ),
            Depth::None
        );
        assert_eq!(
            detect(
                Colour::Auto,
                &[("NO_COLOR", ""), ("COLORTERM", "truecolor")]
            ),
            Depth::True
        );
        assert_eq!(detect(Colour::Always, &[("NO_COLOR", "1")]), Depth::Sixteen);
        assert_eq!(
            detect(Colour::Never, &[("COLORTERM", "truecolor")]),
            Depth::None
        );
    }

    #[test]
    fn no_block_vanishes_in_the_background() {
        for theme in [Theme::Default, Theme::Dark, Theme::Light] {
            let look = Look {
                ascii: false,
                theme,
                depth: Depth::True,
            };
            for c in [[0; 3], [255; 3], [0, 0, 90]] {
                let l = luma(look.block(c));
                assert!(
                    theme == Theme::Light && l < 195.0 || l > 60.0,
                    "{theme:?} {c:?} {l}"
                );
            }
        }
    }
}
