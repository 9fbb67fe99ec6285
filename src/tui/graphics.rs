//! Pictures in the terminal.
//!
//! Comes in: what the operator asked for and what the terminal says of itself. Goes out: a picture as cells of the screen.
//! Must never know: what it shows.

use image::DynamicImage;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::Widget;
use ratatui_image::picker::{Picker, ProtocolType};
use ratatui_image::protocol::Protocol;
use ratatui_image::{FontSize, Image, Resize};
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_64;

/// How pictures are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Graphics {
    /// As the terminal's environment says it can.
    #[default]
    Auto,
    /// The kitty graphics protocol.
    Kitty,
    /// Sixels.
    Sixel,
    /// iTerm2's inline images.
    Iterm2,
    /// Coloured half-blocks: any terminal with colours.
    Halfblocks,
}

/// Pixels a cell where the terminal does not say.
const USUAL_FONT: (u16, u16) = (10, 20);

impl Graphics {
    /// What the environment tells of the terminal; `get` looks a variable up. A multiplexer in between passes no pictures
    /// on unless it is told to, so that half-blocks are the safe choice there.
    #[must_use]
    pub fn detect(self, get: impl Fn(&str) -> Option<String>) -> Self {
        if self != Self::Auto {
            return self;
        }
        let set = |name: &str| get(name).filter(|v| !v.is_empty());
        let term = set("TERM").unwrap_or_default();
        let program = set("TERM_PROGRAM").unwrap_or_default();
        if set("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux") {
            Self::Halfblocks
        } else if set("KITTY_WINDOW_ID").is_some() || term.contains("kitty") || program == "ghostty"
        {
            Self::Kitty
        } else if program == "iTerm.app" || program == "WezTerm" {
            Self::Iterm2
        } else if term.starts_with("foot") || term.starts_with("mlterm") || term.contains("sixel") {
            Self::Sixel
        } else {
            Self::Halfblocks
        }
    }
}

impl Graphics {
    /// Its name, for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "as the terminal says",
            Self::Kitty => "kitty graphics protocol",
            Self::Sixel => "sixels",
            Self::Iterm2 => "iTerm2's inline images",
            Self::Halfblocks => "half-blocks",
        }
    }
}

/// Turns pictures into cells.
pub(super) struct Painter {
    picker: Picker,
    /// The last picture by the hash of its pixels: encoding one costs more than all the rest of a screen.
    last: RefCell<Option<(u64, Protocol)>>,
}

impl Default for Painter {
    fn default() -> Self {
        Self::new(Graphics::Halfblocks, None)
    }
}

impl Painter {
    /// `font` is the size of a cell in pixels, as far as it is known.
    pub fn new(graphics: Graphics, font: Option<(u16, u16)>) -> Self {
        let (width, height) = font.filter(|f| f.0 > 0 && f.1 > 0).unwrap_or(USUAL_FONT);
        // The other way asks the terminal, which must answer through a reader of events that another thread holds.
        #[allow(deprecated)]
        let mut picker = Picker::from_fontsize(FontSize::new(width, height));
        picker.set_protocol_type(match graphics {
            Graphics::Kitty => ProtocolType::Kitty,
            Graphics::Sixel => ProtocolType::Sixel,
            Graphics::Iterm2 => ProtocolType::Iterm2,
            Graphics::Auto | Graphics::Halfblocks => ProtocolType::Halfblocks,
        });
        Self {
            picker,
            last: RefCell::default(),
        }
    }

    /// Width and height of a cell: of one by two where pictures are made of half-blocks.
    pub fn cell(&self) -> (u32, u32) {
        if self.picker.protocol_type() == ProtocolType::Halfblocks {
            return (1, 2);
        }
        let font = self.picker.font_size();
        (u32::from(font.width), u32::from(font.height))
    }

    /// Its proportions: the same, as they look.
    pub fn font(&self) -> (f64, f64) {
        let font = self.picker.font_size();
        (f64::from(font.width), f64::from(font.height))
    }

    /// The name of the protocol.
    pub fn name(&self) -> &'static str {
        match self.picker.protocol_type() {
            ProtocolType::Halfblocks => "half-blocks",
            ProtocolType::Sixel => "sixel",
            ProtocolType::Kitty => "kitty",
            ProtocolType::Iterm2 => "iTerm2",
        }
    }

    /// Draws a picture that has as many pixels as the area; in words why it can't be.
    pub fn paint(&self, image: DynamicImage, area: Rect, buf: &mut Buffer) -> Result<(), String> {
        let hash = xxh3_64(image.as_bytes()) ^ u64::from(area.width) << 32 ^ u64::from(area.height);
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|l| l.0 != hash) {
            let size = Size::new(area.width, area.height);
            let made = self.picker.new_protocol(image, size, Resize::Scale(None));
            *last = Some((hash, made.map_err(|e| e.to_string())?));
        }
        if let Some((_, protocol)) = &*last {
            Image::new(protocol).render(area, buf);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_what_it_can_show() {
        let with = |vars: &'static [(&str, &str)]| {
            Graphics::Auto.detect(|n| vars.iter().find(|v| v.0 == n).map(|v| v.1.to_owned()))
        };
        assert_eq!(with(&[("TERM", "xterm-kitty")]), Graphics::Kitty);
        assert_eq!(with(&[("TERM", "foot")]), Graphics::Sixel);
        assert_eq!(with(&[("TERM_PROGRAM", "WezTerm")]), Graphics::Iterm2);
        assert_eq!(with(&[("TERM", "xterm-256color")]), Graphics::Halfblocks);
        assert_eq!(
            with(&[("TERM", "screen-256color"), ("KITTY_WINDOW_ID", "1")]),
            Graphics::Halfblocks
        );
        assert_eq!(Graphics::Sixel.detect(|_| None), Graphics::Sixel);
    }
}
