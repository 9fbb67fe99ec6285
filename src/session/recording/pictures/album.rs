//! Pictures of one place mostly differ in a few squares: those alone are written, where that is less.
//!
//! ```text
//! frames/80x160-0f….diff    {"from":"80x160-3a…","tiles":[7,8,17]}     which squares, counted row by row, of which picture
//!                           PNG                                        the squares, one below the other
//! ```

use super::{decoded, png};
use crate::model::{PictureName, Raster};
use crate::session::recording::FRAMES;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// Side of the squares in pixels: a cell of a board.
const SIDE: u32 = 8;
/// What is left out must be worth it: a difference is at most this share of the whole picture's bytes. With it a picture
/// that drifts away from the one that is whole becomes the next whole one early enough.
const MOST: f64 = 0.25;
/// Pictures as small as this, in bytes, are written whole: there is nothing to gain.
const SMALL: u64 = 700;

/// The file of a difference.
pub(super) fn file(dir: &Path, name: PictureName) -> PathBuf {
    dir.join(FRAMES).join(format!("{name}.diff"))
}

/// Squares across and down.
fn squares(width: u32, height: u32) -> (u32, u32) {
    (width.div_ceil(SIDE), height.div_ceil(SIDE))
}

/// The last picture of its size that was written whole.
#[derive(Debug)]
struct Whole {
    name: PictureName,
    picture: Raster,
    bytes: u64,
}

/// Pictures as they are written.
#[derive(Debug)]
pub(in crate::session::recording) struct Album {
    dir: PathBuf,
    wholes: HashMap<(u32, u32), Whole>,
}

impl Album {
    /// Of the recording in this folder.
    pub fn of(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            wholes: HashMap::new(),
        }
    }

    /// Writes a picture into its file, and says how many bytes that took.
    pub fn write(&mut self, name: PictureName, picture: &Raster) -> io::Result<u64> {
        let size = (picture.width(), picture.height());
        if let Some(whole) = self.wholes.get(&size).filter(|w| w.bytes > SMALL) {
            let most = (whole.bytes as f64 * MOST) as u64;
            if let Some(bytes) = Difference::between(whole, picture, most)? {
                std::fs::write(file(&self.dir, name), &bytes)?;
                return Ok(bytes.len() as u64);
            }
        }
        let bytes = super::write(&self.dir, name, picture)?;
        let whole = Whole {
            name,
            picture: picture.clone(),
            bytes,
        };
        self.wholes.insert(size, whole);
        Ok(bytes)
    }
}

/// The first line of a difference.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    from: PictureName,
    tiles: Vec<u32>,
}

/// What a picture has that another has not.
#[derive(Debug)]
pub(super) struct Difference {
    /// The other one.
    pub from: PictureName,
    tiles: Vec<u32>,
    strip: Raster,
}

impl Difference {
    /// As it is written; `None` where that is more than so many bytes.
    fn between(whole: &Whole, picture: &Raster, most: u64) -> io::Result<Option<Vec<u8>>> {
        let (width, height) = (picture.width(), picture.height());
        let (across, down) = squares(width, height);
        let stride = width as usize * 3;
        let (old, new) = (whole.picture.rgb(), picture.rgb());
        let mut tiles = Vec::new();
        let mut strip: Vec<u8> = Vec::new();
        for tile in 0..across * down {
            let (x, y) = (tile % across * SIDE, tile / across * SIDE);
            let bytes = (SIDE.min(width - x) * 3) as usize;
            let rows = (y..(y + SIDE).min(height)).map(|row| {
                let from = row as usize * stride + x as usize * 3;
                from..from + bytes
            });
            if rows.clone().all(|r| old[r.clone()] == new[r]) {
                continue;
            }
            tiles.push(tile);
            let full = strip.len() + (SIDE * SIDE * 3) as usize;
            for row in rows {
                strip.extend_from_slice(&new[row]);
                strip.resize(strip.len() + (SIDE * 3) as usize - bytes, 0);
            }
            strip.resize(full, 0);
        }
        if tiles.is_empty() || tiles.len() as u64 * 2 > most {
            return Ok(None);
        }
        let Some(strip) = Raster::from_rgb(SIDE, tiles.len() as u32 * SIDE, strip) else {
            return Ok(None);
        };
        let from = whole.name;
        let mut bytes = serde_json::to_vec(&Head { from, tiles })?;
        bytes.push(b'\n');
        bytes.extend(png(&strip)?);
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    }

    /// From its file; `None` where it is none.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|b| *b == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        let strip = decoded(&bytes[end + 1..])?;
        let squares = strip.height() / SIDE;
        let fits = strip.width() == SIDE && head.tiles.len() == squares as usize;
        fits.then_some(Self {
            from: head.from,
            tiles: head.tiles,
            strip,
        })
    }

    /// The picture; `None` where it cannot be one of the size of that other.
    pub fn on(&self, whole: &Raster) -> Option<Raster> {
        let (width, height) = (whole.width(), whole.height());
        let (across, down) = squares(width, height);
        let stride = width as usize * 3;
        let mut rgb = whole.rgb().to_vec();
        for (i, tile) in self.tiles.iter().enumerate() {
            if *tile >= across * down {
                return None;
            }
            let (x, y) = (tile % across * SIDE, tile / across * SIDE);
            let bytes = (SIDE.min(width - x) * 3) as usize;
            for row in 0..SIDE.min(height - y) {
                let to = (y + row) as usize * stride + x as usize * 3;
                let from = (i * SIDE as usize + row as usize) * (SIDE * 3) as usize;
                let square = self.strip.rgb().get(from..from + bytes)?;
                rgb.get_mut(to..to + bytes)?.copy_from_slice(square);
            }
        }
        Raster::from_rgb(width, height, rgb)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::recording::Pictures;
    use proptest::prelude::*;

    /// A textured board that hardly compresses.
    fn textured(width: u32, height: u32) -> Raster {
        let mut seed = 7u32;
        let noise = (0..width * height * 3).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        });
        Raster::from_rgb(width, height, noise.collect::<Vec<u8>>()).unwrap()
    }

    #[test]
    fn what_changes_on_a_texture_is_a_fraction_of_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(FRAMES)).unwrap();
        let mut album = Album::of(dir.path());
        let board = textured(80, 160);
        let first = album.write(board.name(), &board).unwrap();
        let mut written = 0;
        let mut names = vec![board.name()];
        for row in 0..40 {
            let block = Raster::filled(16, 16, [200, 30, 30]);
            let shown = board.patched(&block, 24, row * 3);
            written += album.write(shown.name(), &shown).unwrap();
            names.push(shown.name());
        }
        assert!(written < first * 40 / 8, "{written} after {first}");
        let mut pictures = Pictures::of(dir.path());
        for name in names.iter().rev() {
            assert_eq!(pictures.get(*name).unwrap().name(), *name);
        }
        assert_eq!(pictures.missing(), 0);
        // Without the whole one there is nothing to put them on.
        std::fs::remove_file(super::super::file(dir.path(), names[0])).unwrap();
        let mut pictures = Pictures::of(dir.path());
        assert!(pictures.get(names[1]).is_none());
    }

    #[test]
    fn no_file_makes_a_picture_of_another_name_or_takes_the_memory() {
        let head = |tiles: &str| format!("{{\"from\":\"8x8-{:032x}\",\"tiles\":{tiles}}}\n", 1);
        let strip = png(&Raster::filled(8, 8, [1; 3])).unwrap();
        let with = |tiles: &str| [head(tiles).as_bytes(), &strip[..]].concat();
        assert!(Difference::parse(&with("[0]")).is_some());
        for bad in ["[]", "[0,1]", "[-1]", "7"] {
            assert!(Difference::parse(&with(bad)).is_none(), "{bad}");
        }
        assert!(Difference::parse(b"").is_none());
        let whole = Raster::filled(8, 8, [0; 3]);
        assert!(
            Difference::parse(&with("[1]"))
                .unwrap()
                .on(&whole)
                .is_none()
        );
        assert!(
            Difference::parse(&with("[4000000000]"))
                .unwrap()
                .on(&whole)
                .is_none()
        );
    }

    proptest! {
        #[test]
        fn every_picture_comes_back(
            (width, height) in (1u32..40, 1u32..40),
            dots in proptest::collection::vec((0u32..40, 0u32..40, any::<u8>()), 1..12),
        ) {
            let before = textured(width, height);
            let mut after = before.clone();
            for (x, y, c) in dots {
                let dot = Raster::filled(1, 1, [c; 3]);
                after = after.patched(&dot, x % width, y % height);
            }
            let whole = Whole { name: before.name(), picture: before.clone(), bytes: u64::MAX };
            if let Some(bytes) = Difference::between(&whole, &after, u64::MAX).unwrap() {
                let found = Difference::parse(&bytes).unwrap();
                prop_assert_eq!(found.on(&before), Some(after));
            } else {
                prop_assert_eq!(before, after);
            }
        }
    }
}
