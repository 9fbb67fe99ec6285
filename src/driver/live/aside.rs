//! Places beside the board that are looked at a moment after each new piece.
//!
//! Comes in: places of the page. Goes out: their pictures, as records. Must never know: what stands there.
//!
//! A look costs by the call more than by the pixel: places that lie together are looked at in one picture.

use super::LiveDriver;
use crate::driver::DriverError;
use crate::model::{Frame, RecordBody, Rect};
use std::sync::Arc;

/// How much larger than its places together a part of the page may be that is looked at for them.
const WASTE: f64 = 1.6;

/// A part of the page, and which places lie in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    rect: Rect,
    places: Vec<usize>,
}

impl Part {
    fn with(&self, other: &Self) -> Self {
        let (x, y) = (self.rect.x.min(other.rect.x), self.rect.y.min(other.rect.y));
        let right = self.rect.right().max(other.rect.right());
        let bottom = self.rect.bottom().max(other.rect.bottom());
        Self {
            rect: Rect::new(x, y, right - x, bottom - y),
            places: [self.places.as_slice(), &other.places].concat(),
        }
    }

    fn area(&self) -> f64 {
        self.rect.width * self.rect.height
    }
}

/// The parts of the page in which the places lie.
pub(super) fn parts(places: &[Rect]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (at, rect) in places.iter().enumerate() {
        let mut part = Part {
            rect: rect.outward(),
            places: vec![at],
        };
        // What was joined may now be near to others.
        while let Some(near) = parts
            .iter()
            .position(|p| p.with(&part).area() <= WASTE * (p.area() + part.area()))
        {
            part = parts.swap_remove(near).with(&part);
        }
        parts.push(part);
    }
    parts
}

impl LiveDriver {
    /// Looks at the places beside the board, once that is due.
    pub(super) async fn look_aside(&mut self) -> Result<(), DriverError> {
        if self.aside_due.is_none_or(|due| self.now_ms < due) || !self.shared.has_room() {
            return Ok(());
        }
        self.aside_due = None;
        let mut pictures = vec![None; self.asides.len()];
        for part in parts(&self.asides) {
            let seen = if self.steady() {
                self.probe
                    .scene_scrolled_back(&self.page, part.rect)
                    .await?
            } else {
                self.picture(part.rect).await?
            };
            for at in part.places {
                let rect = self.asides[at];
                let from = |v: f64, to: f64| (v - to).round().max(0.0) as u32;
                let raster = seen.cropped(
                    from(rect.x, part.rect.x),
                    from(rect.y, part.rect.y),
                    rect.width.round().max(1.0) as u32,
                    rect.height.round().max(1.0) as u32,
                );
                pictures[at] = Some(Frame {
                    raster,
                    samples: 1,
                    rect,
                });
            }
        }
        for (place, picture) in pictures.into_iter().flatten().enumerate() {
            self.push(RecordBody::Aside {
                place: place as u8,
                picture: Arc::new(picture),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(places: &[[f64; 4]], want: &[&[usize]]) {
        let rects: Vec<Rect> = places
            .iter()
            .map(|[x, y, w, h]| Rect::new(*x, *y, *w, *h))
            .collect();
        let mut got: Vec<Vec<usize>> = parts(&rects).into_iter().map(|p| p.places).collect();
        for places in &mut got {
            places.sort_unstable();
        }
        got.sort();
        assert_eq!(got, want);
        for part in parts(&rects) {
            for at in part.places {
                let (r, p) = (rects[at], part.rect);
                assert!(p.x <= r.x && p.y <= r.y && p.right() >= r.right());
                assert!(p.bottom() >= r.bottom());
            }
        }
    }

    #[test]
    fn places_that_lie_together_are_one_picture_and_distant_ones_are_not() {
        check(&[], &[]);
        let slots = [
            [870.0, 74.0, 92.0, 52.0],
            [870.0, 206.0, 92.0, 52.0],
            [870.0, 142.0, 92.0, 48.0],
        ];
        check(&slots, &[&[0, 1, 2]]);
        let held = [40.0, 74.0, 92.0, 52.0];
        check(&[slots[0], held, slots[2]], &[&[0, 2], &[1]]);
    }
}
