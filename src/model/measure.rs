//! What is measured of a page beside the judgement of its game.

use super::Rect;
use serde::{Deserialize, Serialize};

/// One measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Measure {
    /// How the page came up.
    Load(Load),
    /// How it keeps up with real time.
    Pace(Pace),
    /// What it offers to people who cannot see it, or have no mouse.
    Access(Box<Access>),
    /// Where the Tab key leads.
    Tabs(Tabs),
}

impl Measure {
    /// To a thousandth: nobody can use more, and numbers so short are the same again after they were written as text.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let short = |n: &mut f64| *n = (*n * 1000.0).round() / 1000.0;
        let place = |r: &mut Rect| {
            [&mut r.x, &mut r.y, &mut r.width, &mut r.height]
                .into_iter()
                .for_each(short);
        };
        match &mut self {
            Self::Load(load) => {
                load.load_ms.as_mut().map(short);
                load.first_paint_ms.as_mut().map(short);
                short(&mut load.longest_task_ms);
            }
            Self::Pace(pace) => {
                short(&mut pace.elapsed_ms);
                short(&mut pace.longest_frame_ms);
                short(&mut pace.longest_task_ms);
            }
            Self::Access(access) => {
                for contrast in &mut access.contrasts {
                    place(&mut contrast.rect);
                    if let Some((least, most)) = &mut contrast.ratio {
                        short(least);
                        short(most);
                    }
                }
                access.bare_canvases.iter_mut().for_each(place);
                access.live.iter_mut().for_each(place);
                access
                    .mouse_only
                    .iter_mut()
                    .for_each(|n| place(&mut n.rect));
            }
            Self::Tabs(_) => {}
        }
        self
    }
}

/// How a page came up, by the machine's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Load {
    /// From the navigation to the load event, seen from outside, in ms; `None` if that never came.
    pub load_ms: Option<f64>,
    /// To the first picture of any content, as the page's browser says, in ms.
    pub first_paint_ms: Option<f64>,
    /// Tasks of more than 50 ms until the load event.
    pub long_tasks: u32,
    /// The longest of them in ms.
    pub longest_task_ms: f64,
}

/// How a page keeps up with real time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Pace {
    /// How long was measured, in ms of the wall's clock.
    pub elapsed_ms: f64,
    /// Animation frames in that time.
    pub frames: u32,
    /// The longest time between two of them in ms.
    pub longest_frame_ms: f64,
    /// Tasks of more than 50 ms.
    pub long_tasks: u32,
    /// The longest of them in ms.
    pub longest_task_ms: f64,
}

/// What a page offers to people who cannot see it, or have no mouse, at one moment. All texts are untrusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Access {
    /// The document's title.
    pub title: String,
    /// The document's language as declared.
    pub lang: String,
    /// The content of `<meta name=viewport>`.
    pub viewport: String,
    /// The accessibility tree: what a screen reader is given, without plain text and boxes that mean nothing.
    pub nodes: Vec<AxNode>,
    /// Texts whose contrast is too low or could not be computed.
    pub contrasts: Vec<Contrast>,
    /// Texts whose contrast was computed or tried.
    pub texts: u32,
    /// Texts drawn on a canvas, which nobody but the eye can read.
    pub canvas_texts: u32,
    /// Places of canvases that have neither a name nor content to fall back on.
    pub bare_canvases: Vec<Rect>,
    /// Things that can be clicked and not be reached by the keyboard.
    pub mouse_only: Vec<Named>,
    /// Things the keyboard should reach: enabled, shown, in the order of the Tab key.
    pub tabbable: u32,
    /// Elements that put themselves before the page's own order (`tabindex` above 0).
    pub tab_order: u32,
    /// Parts whose changes a screen reader says.
    pub live: Vec<Rect>,
    /// CSS animations that go on without end, five seconds or more a turn counted or not.
    pub endless_animations: u32,
    /// Does the page ask whether motion is to be reduced?
    pub asks_for_reduced_motion: bool,
}

/// A node of the accessibility tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AxNode {
    /// Its role.
    pub role: String,
    /// Its accessible name.
    pub name: String,
    /// Can it have the focus?
    pub focusable: bool,
}

/// The contrast of a text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Contrast {
    /// The text.
    pub text: String,
    /// Where it is.
    pub rect: Rect,
    /// The least and the most of what lies behind it, 1 to 21; `None` where that is a picture.
    pub ratio: Option<(f64, f64)>,
    /// What it should be: 3 for large texts, 4.5 for the others.
    pub needed: f64,
}

/// A thing on the page by its name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Named {
    /// Its visible text or accessible name.
    pub text: String,
    /// Lower-case tag name.
    pub tag: String,
    /// Where it is.
    pub rect: Rect,
}

/// Where the Tab key leads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tabs {
    /// What had the focus before, and after each press; empty for the page itself.
    pub stops: Vec<String>,
    /// Things it should reach.
    pub tabbable: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_rounded_reads_back_as_it_was_written() {
        let odd = |n: u32| f64::from(n).sqrt() * 17.3 + 1.0 / f64::from(n);
        for n in 1..2_000 {
            let measures = [
                Measure::Load(Load {
                    load_ms: Some(odd(n)),
                    first_paint_ms: None,
                    long_tasks: n,
                    longest_task_ms: odd(n + 1),
                }),
                Measure::Pace(Pace {
                    elapsed_ms: odd(n),
                    frames: n,
                    longest_frame_ms: odd(n + 2),
                    long_tasks: 0,
                    longest_task_ms: odd(n + 3),
                }),
                Measure::Access(Box::new(Access {
                    contrasts: vec![Contrast {
                        rect: Rect::new(odd(n), -odd(n), odd(n * 7), odd(n)),
                        ratio: Some((odd(n), odd(n + 5))),
                        ..Contrast::default()
                    }],
                    live: vec![Rect::new(odd(n), odd(n), odd(n), odd(n))],
                    ..Access::default()
                })),
            ];
            for measure in measures.map(Measure::rounded) {
                let text = serde_json::to_string(&measure).unwrap_or_default();
                let back: Option<Measure> = serde_json::from_str(&text).ok();
                assert_eq!(back, Some(measure), "{text}");
            }
        }
    }
}
