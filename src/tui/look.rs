//! How things look: glyphs, colours, and what remains of them on poorer terminals.
//!
//! Comes in: what the operator asked for and what the terminal says of itself. Goes out: glyphs and styles by role.
//! Must never know: what is shown.

use super::colour::{Rgb, luma, nearest_indexed, nearest_sixteen};
pub(super) use super::palette::Role;
pub use super::palette::{Palette, Theme, Tone};
use crate::checks::Status;
use crate::model::{Confidence, Key, PieceKind};
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

impl Look {
    pub(super) fn glyphs(self) -> &'static Glyphs {
        if self.ascii { &ASCII } else { &UNICODE }
    }

    /// The style of the whole screen.
    pub(super) fn base(self) -> Style {
        let palette = self.theme.palette();
        let style = self.foreground(Style::reset(), palette.tone(Role::Text));
        match self.colour(palette.tone(Role::Background)) {
            Some(colour) => style.bg(colour),
            None => style,
        }
    }

    /// A tone as the terminal has it; `None` for the terminal's own.
    fn colour(self, tone: Tone) -> Option<Color> {
        match tone {
            _ if self.depth == Depth::None => None,
            Tone::Own => None,
            Tone::Ansi(n) => Some(Color::Indexed(n)),
            Tone::Rgb(r, g, b) => Some(self.rgb((r, g, b))),
        }
    }

    fn foreground(self, style: Style, tone: Tone) -> Style {
        match self.colour(tone) {
            Some(colour) => style.fg(colour),
            None => style,
        }
    }

    pub(super) fn style(self, role: Role) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let palette = self.theme.palette();
        let tone = palette.tone(role);
        match role {
            Role::Text | Role::Background | Role::Good | Role::Warn => self.foreground(plain, tone),
            Role::Title => self.foreground(bold, palette.tone(Role::Text)),
            Role::Accent | Role::Bad => self.foreground(bold, tone),
            Role::Dim => match self.colour(tone) {
                Some(colour) => plain.fg(colour),
                None => plain.add_modifier(Modifier::DIM),
            },
            Role::Selected => match self.colour(tone) {
                // One of the sixteen behind another is legible by luck only.
                Some(colour) if self.depth > Depth::Sixteen => plain.bg(colour),
                _ => plain
                    .add_modifier(Modifier::REVERSED)
                    .remove_modifier(Modifier::DIM),
            },
            Role::Match => self
                .foreground(plain, tone)
                .add_modifier(Modifier::UNDERLINED),
        }
    }

    /// The colour of a piece, for where the page's own is not at hand.
    pub(super) fn piece(self, kind: PieceKind) -> [u8; 3] {
        self.theme.palette().piece(kind)
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
        let palette = self.theme.palette();
        let (low, high) = palette.blocks();
        let [r, g, b] = palette.hue([r, g, b]);
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
        for theme in [
            Theme::Default,
            Theme::Dark,
            Theme::Light,
            Theme::HighContrast,
            Theme::Mono,
        ] {
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
