use super::Rect;
use serde::{Deserialize, Serialize};

/// What a person says of how a page is to be read; each part that is left out is found out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hints {
    /// A cell that differs from its empty look by more than this is no longer empty: the mean over its pixels and
    /// channels, of 255.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<f32>,
    /// What is not empty and differs by less than this is a ghost; likewise of 255.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ghost: Option<f32>,
    /// Whose eyes the board is read with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eyes: Option<Eyes>,
    /// Where the score stands, in CSS pixels of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Rect>,
    /// Where the counter of cleared rows stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Rect>,
    /// Where the level stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Rect>,
    /// The place beside the board that shows the coming pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Rect>,
}

/// Whose eyes a board is read with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Eyes {
    /// Read inside of the page: fast, and blind for what is drawn where it cannot look.
    Inside,
    /// By screenshots: slow, and what a person sees.
    Screen,
}

/// The numbers of a page that have a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NumberRole {
    Score,
    Lines,
    Level,
}

impl NumberRole {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Score, Self::Lines, Self::Level];

    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Lines => "lines",
            Self::Level => "level",
        }
    }
}

impl Eyes {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inside => "inside of the page",
            Self::Screen => "screenshots",
        }
    }
}

/// Least and greatest threshold: below is noise, above is no picture.
pub const THRESHOLDS: (f32, f32) = (1.0, 250.0);

impl Hints {
    /// Is nothing said?
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The place of a number.
    pub fn number(&self, role: NumberRole) -> Option<Rect> {
        match role {
            NumberRole::Score => self.score,
            NumberRole::Lines => self.lines,
            NumberRole::Level => self.level,
        }
    }

    /// Likewise, to be changed.
    pub fn number_mut(&mut self, role: NumberRole) -> &mut Option<Rect> {
        match role {
            NumberRole::Score => &mut self.score,
            NumberRole::Lines => &mut self.lines,
            NumberRole::Level => &mut self.level,
        }
    }

    /// Can all of it be meant?
    pub fn is_sane(&self) -> bool {
        let place = |r: &Rect| {
            let side = |v: f64| v.is_finite() && v.abs() < 1e6;
            side(r.x)
                && side(r.y)
                && (0.0..1e5).contains(&r.width)
                && (0.0..1e5).contains(&r.height)
        };
        let number = |t: &f32| (THRESHOLDS.0..=THRESHOLDS.1).contains(t);
        [self.score, self.lines, self.level, self.next]
            .iter()
            .flatten()
            .all(place)
            && [self.block, self.ghost].iter().flatten().all(number)
    }

    /// What is said, in words, a part each.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(t) = self.block {
            words.push(format!(
                "a cell is empty up to a difference of {t:.1} of 255"
            ));
        }
        if let Some(t) = self.ghost {
            words.push(format!("a ghost up to {t:.1} of 255"));
        }
        if let Some(eyes) = self.eyes {
            words.push(format!("the board is read by {}", eyes.name()));
        }
        let places = NumberRole::ALL.map(|r| (r.name(), self.number(r)));
        for (name, place) in places.into_iter().chain([("preview", self.next)]) {
            if let Some(r) = place {
                let (x, y) = r.centre();
                words.push(format!("the {name} is at {x:.0},{y:.0}"));
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hints_come_back_from_text_as_they_were() {
        let hints = Hints {
            block: Some(17.3),
            eyes: Some(Eyes::Screen),
            level: Some(Rect::new(1.0, 2.0, 30.0, 12.5)),
            ..Hints::default()
        };
        let text = serde_json::to_string(&hints).unwrap();
        assert_eq!(serde_json::from_str::<Hints>(&text).unwrap(), hints);
        assert!(hints.is_sane() && !hints.is_empty());
        assert_eq!(hints.words().len(), 3);
        for bad in [
            Hints {
                block: Some(f32::NAN),
                ..Hints::default()
            },
            Hints {
                ghost: Some(0.0),
                ..Hints::default()
            },
            Hints {
                next: Some(Rect::new(f64::INFINITY, 0.0, 1.0, 1.0)),
                ..Hints::default()
            },
        ] {
            assert!(!bad.is_sane(), "{bad:?}");
        }
    }
}
