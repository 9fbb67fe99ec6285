//! Decoding pictures of boards in many looks; the truth is what was painted.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod painter;

mod finding;
mod reading;
