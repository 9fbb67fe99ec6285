//! Decoding pictures of boards in many looks; the truth is what was painted.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]
#![allow(clippy::many_single_char_names, clippy::match_same_arms)]

#[path = "../support/digits.rs"]
mod digits;
mod painter;

mod finding;
mod reading;
