//! The words every other module speaks: time, pictures, grids, pieces, boards, keys, controls, events, records.
//!
//! Comes in: nothing. Goes out: plain data types with the arithmetic that belongs to them.
//! Must never know: a browser, a terminal, a file, a clock. Nothing here does any input or output.

mod arc;
mod board;
mod control;
mod event;
mod grid;
mod hints;
mod key;
mod measure;
mod page;
mod piece;
mod raster;
mod record;
mod time;

pub use board::{Board, Rect, Sure};
pub use control::{Action, Confidence, ControlMap, ControlMapping};
pub use event::{GridEvent, Side};
pub use grid::{Between, Cell, CellState, Grid, GridSnapshot};
pub use hints::{Eyes, Hints, NumberRole, THRESHOLDS};
pub use key::Key;
pub use measure::{Access, AxNode, Contrast, Load, Measure, Named, Pace, Tabs};
pub use page::{
    Clickable, ClockMode, Listeners, Number, PageSignal, StartCandidate, StartMechanism, Surface,
    SurfaceKind, Survey, TextItem, TextSource, WebGlOffer,
};
pub use piece::{ActivePiece, PieceKind, Shape};
pub use raster::{NoPictureName, PictureName, Raster};
pub use record::{By, Frame, Phase, Record, RecordBody};
pub use time::Stamp;
