//! tetrascope opens a browser Tetris nobody has described to it, plays it, and says which mechanics work.
//!
//! # The way of the data
//!
//! ```text
//! page ──▶ Frame ──▶ Grid ──▶ GridEvent ──▶ Evidence ──▶ Verdict ──▶ Report
//! browser  driver    vision   track        evidence     checks      report
//!    ▲                                                                │
//!    └── press, advance ── bot ◀── Command ── operator (tui) ◀── Snapshot
//! ```
//!
//! # The layers
//!
//! A module imports only from rows above its own; `tests/layering.rs` holds this.
//!
//! | row | modules |
//! | --- | --- |
//! | 0 | [`model`] |
//! | 1 | [`vision`], [`planner`], [`profile`], [`progress`], [`browser`] |
//! | 2 | [`track`] |
//! | 3 | [`evidence`] |
//! | 4 | [`checks`] |
//! | 5 | [`report`] |
//! | 6 | [`driver`] |
//! | 7 | [`bot`], [`explore`] |
//! | 8 | [`session`] |
//! | 9 | [`tui`], [`headless`], [`compare`] |
//! | 10 | [`config`], [`cli`], [`app`], `main` |

pub mod app;
pub mod bot;
pub mod browser;
pub mod checks;
pub mod cli;
pub mod compare;
pub mod config;
pub mod driver;
pub mod evidence;
pub mod explore;
pub mod headless;
pub mod model;
pub mod planner;
pub mod profile;
pub mod progress;
pub mod report;
pub mod session;
pub mod track;
pub mod tui;
pub mod vision;
