//! `tetrascope compare`: pictures from files, a verdict on paper.
//!
//! Comes in: files. Goes out: the verdict in words, as JSON, or drawn; for a file of cases a line each and a table.
//! Must never know: how it is decided, or a browser.

use crate::model::Raster;
use crate::progress::ask::VisionJudge;
use crate::progress::batch::{self, Score};
use crate::progress::{Answer, Area, Deed, Judgement, Observation, ProgressError, StateAnalyzer};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pictures larger than this are not read: 64 million pixels.
const LARGEST: u64 = 64_000_000;

/// Why a comparison cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The pictures cannot be compared.
    #[error(transparent)]
    Pictures(#[from] ProgressError),
    /// The answer cannot be written.
    #[error("the answer cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// The files of one comparison.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// The picture from before the action.
    pub before: PathBuf,
    /// The one from after it.
    pub after: PathBuf,
    /// A later one.
    pub after2: Option<PathBuf>,
    /// Pictures from before the action, while nothing was done.
    pub idle: Vec<PathBuf>,
    /// The page's text before.
    pub text_before: Option<PathBuf>,
    /// The page's text after.
    pub text_after: Option<PathBuf>,
    /// What was done.
    pub deed: Deed,
}

/// How the answer is given.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// As JSON.
    pub json: bool,
    /// With the pictures.
    pub show: bool,
    /// May the terminal's colours be used?
    pub colours: bool,
    /// Width of the terminal.
    pub columns: u16,
    /// Where to write the pictures.
    pub out: Option<PathBuf>,
}

fn fault(path: &Path, why: impl std::fmt::Display) -> CompareError {
    CompareError::File {
        path: path.to_path_buf(),
        why: why.to_string(),
    }
}

/// Reads a picture.
pub fn picture(path: &Path) -> Result<Raster, CompareError> {
    let reader = image::ImageReader::open(path)
        .map_err(|e| fault(path, e))?
        .with_guessed_format()
        .map_err(|e| fault(path, e))?;
    if reader.format().is_none() {
        return Err(fault(path, "not a picture (PNG and JPEG are read)"));
    }
    let (width, height) = reader.into_dimensions().map_err(|e| fault(path, e))?;
    if u64::from(width) * u64::from(height) > LARGEST {
        return Err(fault(path, format!("{width}x{height} is too large")));
    }
    let rgb = image::ImageReader::open(path)
        .and_then(image::ImageReader::with_guessed_format)
        .map_err(|e| fault(path, e))?
        .decode()
        .map_err(|e| fault(path, e))?
        .into_rgb8();
    Raster::from_rgb(width, height, rgb.into_raw()).ok_or_else(|| fault(path, "cut off"))
}

fn text(path: Option<&PathBuf>) -> Result<Option<String>, CompareError> {
    path.map(|p| {
        std::fs::read(p)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(|e| fault(p, e))
    })
    .transpose()
}

/// Compares the pictures of one action and writes the answer. A model, if there is one, is asked only in doubt.
pub fn pair(
    files: &Files,
    form: &Form,
    model: Option<&mut dyn VisionJudge>,
    out: &mut dyn Write,
) -> Result<Answer, CompareError> {
    let mut idle = Vec::new();
    for path in &files.idle {
        idle.push(picture(path)?);
    }
    let before = picture(&files.before)?;
    let mut after = vec![picture(&files.after)?];
    if let Some(path) = &files.after2 {
        after.push(picture(path)?);
    }
    let seen = Observation {
        idle,
        before: Some(before.clone()),
        after,
        text_before: text(files.text_before.as_ref())?,
        text_after: text(files.text_after.as_ref())?.into_iter().collect(),
        deed: files.deed,
        ..Observation::default()
    };
    let judgement = match model {
        Some(model) => StateAnalyzer.has_state_progressed_asking(&seen, model)?,
        None => StateAnalyzer.has_state_progressed(&seen)?,
    };
    let pictures: Vec<&Raster> = std::iter::once(&before).chain(&seen.after).collect();
    let marked = side_by_side(&pictures, &judgement.boxes());
    if let Some(path) = &form.out {
        image::save_buffer_with_format(
            path,
            marked.rgb(),
            marked.width(),
            marked.height(),
            image::ExtendedColorType::Rgb8,
            image::ImageFormat::Png,
        )
        .map_err(|e| fault(path, e))?;
    }
    if form.show && form.colours {
        write!(out, "{}", half_blocks(&marked, form.columns.max(20)))?;
    }
    if form.json {
        let mut value = json!(judgement);
        value["boxes"] = json!(judgement.boxes());
        writeln!(out, "{value:#}")?;
    } else {
        write!(out, "{}", in_words(&judgement))?;
    }
    Ok(judgement.verdict)
}

fn in_words(judgement: &Judgement) -> String {
    let mut text = format!(
        "{} ({:.0} % sure)\n",
        judgement.verdict.word(),
        judgement.confidence * 100.0
    );
    for reason in &judgement.reasons {
        let _ = writeln!(text, "  {reason}");
    }
    text
}

/// Judges every case of a file; says whether all could be read.
///
/// # Errors
/// When the file itself cannot be read. A case that cannot gives a line with an error.
pub fn batch(
    file: &Path,
    lines: &mut dyn Write,
    table: &mut dyn Write,
) -> Result<bool, CompareError> {
    let bytes = std::fs::read(file).map_err(|e| fault(file, e))?;
    let cases: Vec<serde_json::Value> = serde_json::from_slice(&bytes)
        .map_err(|e| fault(file, format!("not a JSON list of cases: {e}")))?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut load = |name: &str| picture(&folder.join(name)).map_err(|e| e.to_string());
    let mut score = Score::default();
    let mut all_read = true;
    for (number, case) in cases.iter().enumerate() {
        let (case, line) = batch::judge(number, case, &mut load);
        all_read &= line.error.is_none();
        writeln!(lines, "{}", json!(line))?;
        if let Some(case) = &case {
            score.add(case, &line);
        }
    }
    lines.flush()?;
    if score.total.all > 0 {
        write!(table, "{}", score.table())?;
    }
    Ok(all_read)
}

/// The pictures in a row, with the boxes drawn on each.
fn side_by_side(pictures: &[&Raster], boxes: &[Area]) -> Raster {
    const GAP: u32 = 8;
    let height = pictures.iter().map(|p| p.height()).max().unwrap_or(0);
    let width: u32 = pictures.iter().map(|p| p.width() + GAP).sum::<u32>() - GAP;
    let mut rgb = vec![0; width as usize * height as usize * 3];
    let mut left = 0;
    for picture in pictures {
        let row_bytes = picture.width() as usize * 3;
        for (y, row) in picture.rgb().chunks_exact(row_bytes.max(1)).enumerate() {
            let to = (y * width as usize + left as usize) * 3;
            rgb[to..to + row_bytes].copy_from_slice(row);
        }
        for area in boxes {
            frame(&mut rgb, width, left, picture, area.grown(2));
        }
        left += picture.width() + GAP;
    }
    Raster::from_rgb(width, height, rgb).unwrap_or_else(|| Raster::filled(0, 0, [0; 3]))
}

/// Draws a frame of two pixels, magenta with black, over the picture that begins at `left`.
fn frame(rgb: &mut [u8], width: u32, left: u32, picture: &Raster, area: Area) {
    let (x1, y1) = (area.x + area.width, area.y + area.height);
    for y in area.y..y1.min(picture.height()) {
        for x in area.x..x1.min(picture.width()) {
            let depth = (x - area.x).min(y - area.y).min(x1 - 1 - x).min(y1 - 1 - y);
            let colour = match depth {
                0 => [255, 0, 255],
                1 => [0, 0, 0],
                _ => continue,
            };
            let at = (y as usize * width as usize + (left + x) as usize) * 3;
            rgb[at..at + 3].copy_from_slice(&colour);
        }
    }
}

/// The picture as text, two pixels a character cell, in true colour, `columns` wide.
fn half_blocks(picture: &Raster, columns: u16) -> String {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let columns = f64::from(columns).min(width).max(1.0);
    let scale = width / columns;
    let rows = (height / scale / 2.0).ceil().max(1.0) as u32;
    // Boxes must stay visible however small the picture gets: a cell a frame runs through takes the frame's colour.
    let cell = |column: u32, half: u32| -> [u8; 3] {
        let range = |i: u32, most: f64| {
            let from = f64::from(i) * scale;
            (from as i64, ((from + scale).min(most)).ceil() as i64)
        };
        let ((x0, x1), (y0, y1)) = (range(column, width), range(half, height));
        let (mut sum, mut n) = ([0u32; 3], 0u32);
        for y in y0..y1 {
            for x in x0..x1 {
                let p = picture.at(x, y);
                if p == [255, 0, 255] {
                    return p;
                }
                for (s, v) in sum.iter_mut().zip(p) {
                    *s += u32::from(v);
                }
                n += 1;
            }
        }
        sum.map(|s| (s / n.max(1)) as u8)
    };
    let mut text = String::new();
    for row in 0..rows {
        for column in 0..columns as u32 {
            for (layer, half) in [(38, row * 2), (48, row * 2 + 1)] {
                let [red, green, blue] = cell(column, half);
                let _ = write!(text, "\x1b[{layer};2;{red};{green};{blue}m");
            }
            text.push('▀');
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_drawn_on_every_picture() {
        let grey = Raster::filled(40, 30, [90, 90, 90]);
        let area = Area {
            x: 10,
            y: 10,
            width: 5,
            height: 5,
        };
        let marked = side_by_side(&[&grey, &grey], &[area]);
        assert_eq!((marked.width(), marked.height()), (88, 30));
        assert_eq!(marked.at(8, 8), [255, 0, 255]);
        assert_eq!(marked.at(48 + 8, 8), [255, 0, 255]);
        assert_eq!(marked.at(12, 12), [90, 90, 90]);
        // At the edge, a box is cut off rather than drawn into the neighbour.
        let edge = Area {
            x: 35,
            y: 25,
            width: 5,
            height: 5,
        };
        let marked = side_by_side(&[&grey, &grey], &[edge]);
        assert_eq!(marked.at(44, 26), [0, 0, 0]);
    }

    #[test]
    fn half_blocks_are_as_wide_as_asked_and_end_each_line_plain() {
        let text = half_blocks(&Raster::filled(100, 50, [1, 2, 3]), 40);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 10);
        assert!(
            lines
                .iter()
                .all(|l| l.matches('▀').count() == 40 && l.ends_with("\x1b[0m"))
        );
    }
}
