//! The pictures of a recording, each in a file of its name: whole, or as what differs from one that is whole.

mod album;

pub(super) use album::Album;

use super::FRAMES;
use crate::model::{Frame, PictureName, Raster, Record, RecordBody};
use image::codecs::png::{CompressionType, FilterType, PngDecoder, PngEncoder};
use image::{ExtendedColorType, ImageDecoder, ImageEncoder, Limits};
use std::collections::HashMap;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest side of a picture that is read: a hostile file must not take the memory.
const LARGEST: u32 = 16_384;
/// Pictures kept in memory: most of those that come again come soon.
const KEPT: usize = 64;

fn file(dir: &Path, name: PictureName) -> PathBuf {
    dir.join(FRAMES).join(format!("{name}.png"))
}

/// A picture as PNG.
pub fn png(picture: &Raster) -> io::Result<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Up)
        .write_image(
            picture.rgb(),
            picture.width(),
            picture.height(),
            ExtendedColorType::Rgb8,
        )
        .map_err(io::Error::other)?;
    Ok(out.into_inner())
}

/// Writes a picture into its file.
pub fn write(dir: &Path, name: PictureName, picture: &Raster) -> io::Result<u64> {
    let bytes = png(picture)?;
    std::fs::File::create(file(dir, name))?.write_all(&bytes)?;
    Ok(bytes.len() as u64)
}

fn read(path: &Path) -> Option<Raster> {
    decoded(&std::fs::read(path).ok()?)
}

/// A picture from a PNG.
fn decoded(png: &[u8]) -> Option<Raster> {
    let mut decoder = PngDecoder::new(Cursor::new(png)).ok()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST);
    limits.max_image_height = Some(LARGEST);
    decoder.set_limits(limits).ok()?;
    let (width, height) = decoder.dimensions();
    if decoder.color_type() != image::ColorType::Rgb8 {
        return None;
    }
    let mut rgb = vec![0; usize::try_from(decoder.total_bytes()).ok()?];
    decoder.read_image(&mut rgb).ok()?;
    Raster::from_rgb(width, height, rgb)
}

/// The pictures of a recording as they are read.
#[derive(Debug)]
pub struct Pictures {
    dir: PathBuf,
    kept: HashMap<PictureName, Raster>,
    missing: u64,
}

impl Pictures {
    /// Those of the recording in this folder.
    pub fn of(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            kept: HashMap::new(),
            missing: 0,
        }
    }

    /// A picture by its name; `None` where its file is gone, or holds another one.
    pub fn get(&mut self, name: PictureName) -> Option<Raster> {
        if let Some(known) = self.kept.get(&name) {
            return Some(known.clone());
        }
        let picture = match self.whole(name) {
            Some(picture) => Some(picture),
            None => self.put_together(name),
        };
        if picture.is_none() {
            self.missing += 1;
        }
        picture
    }

    fn keep(&mut self, name: PictureName, picture: &Raster) {
        if self.kept.len() >= KEPT {
            self.kept.clear();
        }
        self.kept.insert(name, picture.clone());
    }

    /// One that stands whole in its file.
    fn whole(&mut self, name: PictureName) -> Option<Raster> {
        if let Some(known) = self.kept.get(&name) {
            return Some(known.clone());
        }
        let picture = read(&file(&self.dir, name)).filter(|p| p.name() == name)?;
        self.keep(name, &picture);
        Some(picture)
    }

    /// One of which only what differs from another was written.
    fn put_together(&mut self, name: PictureName) -> Option<Raster> {
        let bytes = std::fs::read(album::file(&self.dir, name)).ok()?;
        let difference = album::Difference::parse(&bytes)?;
        let from = self.whole(difference.from)?;
        let picture = difference.on(&from).filter(|p| p.name() == name)?;
        self.keep(name, &picture);
        Some(picture)
    }

    /// Pictures that were asked for and are not there.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Gives a record its pixels. A frame whose picture is gone becomes a reading that failed; a board without the
    /// picture of its background learns it again.
    pub fn fetch(&mut self, record: &mut Record) {
        let Some(frame) = record.body.frame_mut() else {
            return;
        };
        let Some(name) = frame.raster.absent() else {
            return;
        };
        if let Some(raster) = self.get(name) {
            *frame = Arc::new(Frame {
                raster,
                ..frame.as_ref().clone()
            });
            return;
        }
        match &mut record.body {
            RecordBody::Board { background, .. } => *background = None,
            RecordBody::Aside { .. } => {
                record.body = RecordBody::Note("a picture is missing from the recording".into());
            }
            other => {
                *other = RecordBody::ReadFailed("its picture is missing from the recording".into());
            }
        }
    }
}
