//! Themes: which colour each role has.
//!
//! Comes in: names and figures, from the program or a configuration. Goes out: a tone a role. Must never know: what a
//! terminal can show, what is drawn.

use super::colour::luma;
use crate::model::PieceKind;

/// What a part of the screen means; the theme says how that looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Text,
    Background,
    Dim,
    Title,
    Accent,
    Good,
    Bad,
    Warn,
    Selected,
    Match,
}

/// A colour of a theme.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// The terminal's own.
    #[default]
    Own,
    /// One of the terminal's sixteen, 0 to 15.
    Ansi(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// The sixteen by name, in their order.
const ANSI: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

impl Tone {
    /// A colour as a configuration writes it: `#rrggbb`, `default`, or one of the sixteen by name.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "default" {
            return Some(Self::Own);
        }
        if let Some(n) = ANSI.iter().position(|n| *n == text) {
            return Some(Self::Ansi(n as u8));
        }
        let hex = text
            .strip_prefix('#')
            .filter(|h| h.len() == 6 && h.is_ascii())?;
        let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
        Some(Self::Rgb(part(0)?, part(2)?, part(4)?))
    }

    fn luma(self) -> Option<f32> {
        match self {
            Self::Own => None,
            Self::Ansi(n) => Some(if matches!(n, 7 | 9..=15) { 255.0 } else { 0.0 }),
            Self::Rgb(r, g, b) => Some(luma((r, g, b))),
        }
    }
}

impl std::fmt::Display for Tone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Own => f.write_str("default"),
            Self::Ansi(n) => f.write_str(ANSI[usize::from(*n) % ANSI.len()]),
            Self::Rgb(r, g, b) => write!(f, "#{r:02x}{g:02x}{b:02x}"),
        }
    }
}

/// The names of a palette's colours in a configuration, in the order in which it holds them.
const NAMES: [&str; 16] = [
    "text",
    "background",
    "dim",
    "accent",
    "good",
    "bad",
    "warn",
    "selected",
    "match",
    "piece-i",
    "piece-o",
    "piece-t",
    "piece-s",
    "piece-z",
    "piece-j",
    "piece-l",
];

/// A colour a role, and one a piece for where the page's own is not at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    tones: [Tone; NAMES.len()],
    /// Only shades of grey, also for what the page draws.
    grey: bool,
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
    /// White on black, strong colours.
    HighContrast,
    /// No hues at all.
    Mono,
    /// As somebody made it.
    Custom(Palette),
}

const fn rgb(hex: u32) -> Tone {
    Tone::Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

const fn palette(nine: [Tone; 9], pieces: [Tone; 7], grey: bool) -> Palette {
    let mut tones = [Tone::Own; NAMES.len()];
    let mut i = 0;
    while i < tones.len() {
        tones[i] = if i < 9 { nine[i] } else { pieces[i - 9] };
        i += 1;
    }
    Palette { tones, grey }
}

const PIECES: [Tone; 7] = [
    rgb(0x003f_b8c8),
    rgb(0x00d8_b13c),
    rgb(0x00a0_6cd0),
    rgb(0x0062_b355),
    rgb(0x00d2_5858),
    rgb(0x0050_7fd8),
    rgb(0x00d9_8a3d),
];
const STRONG: [Tone; 7] = [
    rgb(0x0000_ffff),
    rgb(0x00ff_ff00),
    rgb(0x00e0_80ff),
    rgb(0x0060_ff60),
    rgb(0x00ff_6060),
    rgb(0x0080_a0ff),
    rgb(0x00ff_b040),
];
/// Red, green and magenta of the sixteen are legible on black and on white; yellow and cyan are not.
const DEFAULT: Palette = palette(
    [
        Tone::Own,
        Tone::Own,
        Tone::Own,
        Tone::Own,
        Tone::Ansi(2),
        Tone::Ansi(1),
        Tone::Ansi(5),
        Tone::Own,
        Tone::Own,
    ],
    PIECES,
    false,
);
const DARK: Palette = palette(
    [
        rgb(0x00d5_dae1),
        rgb(0x0012_151a),
        rgb(0x0076_808d),
        rgb(0x0079_b8ff),
        rgb(0x007e_cf8b),
        rgb(0x00ff_7b72),
        rgb(0x00e0_b04a),
        rgb(0x0026_3242),
        rgb(0x00e0_b04a),
    ],
    PIECES,
    false,
);
const LIGHT: Palette = palette(
    [
        rgb(0x0024_2930),
        rgb(0x00fc_fcfa),
        rgb(0x0075_7d88),
        rgb(0x0007_55b0),
        rgb(0x0017_7733),
        rgb(0x00c0_1f2a),
        rgb(0x008a_5800),
        rgb(0x00db_e7f5),
        rgb(0x008a_5800),
    ],
    PIECES,
    false,
);
const HIGH_CONTRAST: Palette = palette(
    [
        rgb(0x00ff_ffff),
        rgb(0x0000_0000),
        rgb(0x00d0_d0d0),
        rgb(0x00ff_ff00),
        rgb(0x0040_ff40),
        rgb(0x00ff_8080),
        rgb(0x00ff_a0ff),
        rgb(0x0000_30a0),
        rgb(0x00ff_ff00),
    ],
    STRONG,
    false,
);
const MONO: Palette = palette([Tone::Own; 9], PIECES, true);

impl Theme {
    /// The names of the themes that come with the program.
    pub const NAMES: [&'static str; 5] = ["default", "dark", "light", "high-contrast", "mono"];

    /// A theme that comes with the program, by name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "default" => Self::Default,
            "dark" => Self::Dark,
            "light" => Self::Light,
            "high-contrast" => Self::HighContrast,
            "mono" => Self::Mono,
            _ => return None,
        })
    }

    /// Its colours.
    pub fn palette(self) -> Palette {
        match self {
            Self::Default => DEFAULT,
            Self::Dark => DARK,
            Self::Light => LIGHT,
            Self::HighContrast => HIGH_CONTRAST,
            Self::Mono => MONO,
            Self::Custom(palette) => palette,
        }
    }
}

impl Palette {
    /// Its colours by name.
    pub fn colours(&self) -> impl Iterator<Item = (&'static str, Tone)> {
        NAMES.into_iter().zip(self.tones)
    }

    /// Sets a colour by its name; `false` where there is none of that name.
    pub fn set(&mut self, name: &str, tone: Tone) -> bool {
        let at = NAMES.iter().position(|n| *n == name);
        if let Some(at) = at {
            self.tones[at] = tone;
        }
        at.is_some()
    }

    pub(super) fn tone(&self, role: Role) -> Tone {
        self.tones[match role {
            Role::Text | Role::Title => 0,
            Role::Background => 1,
            Role::Dim => 2,
            Role::Accent => 3,
            Role::Good => 4,
            Role::Bad => 5,
            Role::Warn => 6,
            Role::Selected => 7,
            Role::Match => 8,
        }]
    }

    pub(super) fn piece(&self, kind: PieceKind) -> [u8; 3] {
        let at = PieceKind::ALL.iter().position(|k| *k == kind).unwrap_or(0);
        match self.tones[9 + at.min(6)] {
            Tone::Rgb(r, g, b) => [r, g, b],
            // A block is mixed with what is around it, so that a name will not do: its usual value.
            Tone::Ansi(n) => {
                let on = if n > 8 { 255 } else { 187 };
                [n & 1, n >> 1 & 1, n >> 2 & 1].map(|bit| bit * on)
            }
            Tone::Own => [128; 3],
        }
    }

    /// How dark and how light a block may be so that it does not vanish in the background.
    pub(super) fn blocks(&self) -> (f32, f32) {
        match self.tone(Role::Background).luma() {
            None => (70.0, 190.0),
            Some(light) if light < 128.0 => (70.0, 235.0),
            Some(_) => (20.0, 190.0),
        }
    }

    /// A colour of the page as this palette shows it.
    pub(super) fn hue(&self, [r, g, b]: [u8; 3]) -> [u8; 3] {
        if self.grey {
            [luma((r, g, b)) as u8; 3]
        } else {
            [r, g, b]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_they_are_written() {
        for text in ["default", "red", "bright-blue", "#0a0B0c"] {
            let tone = Tone::parse(text);
            let said = tone.map(|t| t.to_string());
            assert_eq!(said, Some(text.to_lowercase()), "{text}");
        }
        for bad in [
            "",
            "#12",
            "#12345g",
            "reddish",
            "#\u{e9}\u{e9}\u{e9}",
            "123456",
        ] {
            assert_eq!(Tone::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_read_on_high_contrast_stands_out_from_it() {
        let palette = Theme::HighContrast.palette();
        // The ratio that WCAG asks for at its highest level.
        for (name, tone) in palette.colours() {
            let Tone::Rgb(r, g, b) = tone else { continue };
            let linear = |v: u8| (f64::from(v) / 255.0).powf(2.2);
            let light = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
            let ratio = (light + 0.05) / 0.05;
            let ground = ["background", "selected"].contains(&name);
            assert!(ground || ratio >= 7.0, "{name}: {ratio:.1}");
        }
    }

    #[test]
    fn a_theme_has_its_name() {
        assert!(Theme::NAMES.iter().all(|n| Theme::named(n).is_some()));
        assert_eq!(Theme::named("nothing"), None);
    }
}
