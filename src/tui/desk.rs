//! The board screen: where the board is put right by hand.
//!
//! Comes in: what the operator means. Goes out: rulings of the board for the session; what comes of them shows in the next
//! snapshot. Must never know: a picture, how a board is read.

mod pointer;
mod reading;

use super::keymap::Intent;
use super::screen::{Overlay, Screen};
use super::update::{Effect, send};
use crate::model::{Board, CellState, Hints, NumberRole};
use crate::session::{Command, Snapshot};
use pointer::Drag;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tui_input::Input as Field;
use tui_input::backend::crossterm::EventHandler;

/// What the arrows change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Hand {
    /// Where the board is.
    #[default]
    Place,
    /// How large it is.
    Size,
    /// How many columns and rows it has.
    Cells,
    /// Which cell is pointed at, to be taught.
    Cell,
    /// From what difference on a cell is a ghost, and a block.
    Thresholds,
    /// Whose eyes the board is read with.
    Eyes,
    /// Where a number stands.
    Number(NumberRole),
    /// Where the coming pieces are shown.
    Next,
}

/// In the order in which Tab goes.
pub(super) const HANDS: [(Hand, &str); 10] = [
    (Hand::Place, "place"),
    (Hand::Size, "size"),
    (Hand::Cells, "columns/rows"),
    (Hand::Cell, "one cell"),
    (Hand::Thresholds, "thresholds"),
    (Hand::Eyes, "reader"),
    (Hand::Number(NumberRole::Score), "score"),
    (Hand::Number(NumberRole::Lines), "lines"),
    (Hand::Number(NumberRole::Level), "level"),
    (Hand::Next, "next box"),
];

/// CSS pixels of a small and a large step.
const STEPS: (f64, f64) = (1.0, 10.0);

/// What the board screen remembers.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub hand: Hand,
    /// The cell that is pointed at.
    pub cell: (u16, u16),
    /// What was asked for and is not shown yet.
    pub asked: Option<Board>,
    /// What was said of the reading and is not shown yet.
    pub said: Option<Hints>,
    /// While six numbers are typed.
    pub field: Option<Field>,
    /// What the mouse is about.
    pub drag: Option<Drag>,
    /// All of the page, or what is around the board.
    pub whole: bool,
    /// Cells coloured by how sure the reader is.
    pub heat: bool,
}

impl Desk {
    /// Does the hand reach beyond the board?
    pub fn looks_around(&self) -> bool {
        self.whole || matches!(self.hand, Hand::Number(_) | Hand::Next)
    }

    /// The board as it will be.
    pub fn board(&self, snapshot: &Snapshot) -> Board {
        let known = self.asked.clone().or_else(|| snapshot.board.clone());
        known.unwrap_or_else(|| guess(snapshot))
    }
}

/// Where there is none: the norm, in the middle of the page.
fn guess(snapshot: &Snapshot) -> Board {
    let page = snapshot.page.as_ref().map(|p| p.rect).unwrap_or_default();
    let (width, height) = (page.width.max(400.0), page.height.max(600.0));
    let cell = (height * 0.8 / 20.0).floor();
    Board {
        x: page.x + ((width - 10.0 * cell) / 2.0).floor(),
        y: page.y + (height * 0.1).floor(),
        cell_width: cell,
        cell_height: cell,
        columns: 10,
        rows: 20,
        confidence: 1.0,
        why: String::new(),
        sure: crate::model::Sure::default(),
    }
}

/// Six numbers as a board.
fn typed(text: &str) -> Option<Board> {
    let parts: Vec<f64> = text
        .split([',', ' '])
        .filter(|p| !p.is_empty())
        .map(|p| p.parse().ok().filter(|n: &f64| n.is_finite()))
        .collect::<Option<_>>()?;
    let [x, y, width, height, columns, rows] = parts[..] else {
        return None;
    };
    sane(Board {
        x,
        y,
        cell_width: width / columns,
        cell_height: height / rows,
        columns: columns as u16,
        rows: rows as u16,
        confidence: 1.0,
        why: String::new(),
        sure: crate::model::Sure::default(),
    })
}

/// A board that can be one.
fn sane(board: Board) -> Option<Board> {
    let cells = [board.columns, board.rows];
    let sizes = [board.cell_width, board.cell_height];
    let fine = cells.iter().all(|n| (2..=60).contains(n))
        && sizes.iter().all(|s| (2.0..=400.0).contains(s))
        && board.x.abs() < 1e5
        && board.y.abs() < 1e5;
    fine.then_some(board)
}

impl Screen {
    /// Opens the board screen.
    pub(super) fn open_desk(&mut self) -> Vec<Effect> {
        self.overlay = Some(Overlay::Board);
        send(Command::ViewPage(true))
    }

    /// The session shows the board that was asked for.
    pub(super) fn desk_follows(&mut self, snapshot: &Snapshot) {
        let same = |a: &Board, b: &Board| {
            (a.columns, a.rows) == (b.columns, b.rows)
                && (a.x - b.x).abs() + (a.y - b.y).abs() < 0.01
                && (a.cell_width - b.cell_width).abs() + (a.cell_height - b.cell_height).abs()
                    < 0.01
        };
        let shown = snapshot.board.as_ref();
        self.desk
            .asked
            .take_if(|a| shown.is_some_and(|b| same(a, b)));
        self.desk.said.take_if(|h| *h == snapshot.hints);
    }

    /// Keys of the board screen that are no intents: typed numbers, larger steps.
    pub(super) fn type_at_desk(
        &mut self,
        snapshot: &Snapshot,
        key: &KeyEvent,
    ) -> Option<Vec<Effect>> {
        if let Some(field) = &mut self.desk.field {
            match key.code {
                KeyCode::Esc => self.desk.field = None,
                KeyCode::Enter => {
                    let text = field.value().to_owned();
                    let Some(board) = typed(&text) else {
                        self.notice =
                            Some("six numbers: left, top, width, height, columns, rows".into());
                        return Some(Vec::new());
                    };
                    self.desk.field = None;
                    return Some(self.ask(board));
                }
                _ => {
                    field.handle_event(&Event::Key(*key));
                }
            }
            return Some(Vec::new());
        }
        if key.modifiers.contains(KeyModifiers::SHIFT)
            && let Some(intent @ (Intent::Up | Intent::Down | Intent::Left | Intent::Right)) =
                self.keys.intent(key)
        {
            return Some(self.nudge(snapshot, intent, STEPS.1));
        }
        None
    }

    pub(super) fn at_desk(&mut self, snapshot: &Snapshot, intent: Intent) -> Vec<Effect> {
        match intent {
            Intent::Up | Intent::Down | Intent::Left | Intent::Right => {
                return self.nudge(snapshot, intent, STEPS.0);
            }
            Intent::FocusNext | Intent::FocusPrev => {
                let at = HANDS
                    .iter()
                    .position(|h| h.0 == self.desk.hand)
                    .unwrap_or(0);
                let by = if intent == Intent::FocusNext {
                    1
                } else {
                    HANDS.len() - 1
                };
                self.desk.hand = HANDS[(at + by) % HANDS.len()].0;
            }
            Intent::Time => {
                let b = self.desk.board(snapshot);
                let r = b.rect();
                let text = format!(
                    "{:.1},{:.1},{:.1},{:.1},{},{}",
                    r.x, r.y, r.width, r.height, b.columns, b.rows
                );
                self.desk.field = Some(text.into());
            }
            Intent::Enter => return self.teach(snapshot),
            Intent::Clear => return self.leave_to_the_reader(snapshot),
            Intent::Undo => {
                self.desk.asked = None;
                self.desk.said = None;
                return send(Command::UndoBoard);
            }
            Intent::Save => return send(Command::SaveProfile),
            Intent::Heat => self.desk.heat ^= true,
            Intent::Whole => self.desk.whole ^= true,
            Intent::Hold => {
                let held = matches!(
                    snapshot.state,
                    crate::session::RunState::Holding | crate::session::RunState::Held
                );
                return send(Command::Hold(!held));
            }
            Intent::Freeze => return send(Command::Freeze(!snapshot.frozen)),
            Intent::StepFrame => return send(Command::Step(crate::session::StepUnit::Frame)),
            _ => {}
        }
        Vec::new()
    }

    /// The cell that is pointed at is not what it is read as.
    fn teach(&mut self, snapshot: &Snapshot) -> Vec<Effect> {
        if self.desk.hand != Hand::Cell {
            self.notice = Some("point at a cell first: tab, then the arrows, or click it".into());
            return Vec::new();
        }
        let (column, row) = self.desk.cell;
        let cell = snapshot
            .grid
            .as_ref()
            .and_then(|g| g.get(i32::from(column), i32::from(row)));
        let Some(cell) = cell else {
            self.notice = Some("nothing is read there".into());
            return Vec::new();
        };
        let filled = cell.state != CellState::Filled;
        send(Command::Teach {
            column,
            row,
            filled,
        })
    }

    fn ask(&mut self, board: Board) -> Vec<Effect> {
        let Some(mut board) = sane(board) else {
            self.notice = Some("no board is like that".into());
            return Vec::new();
        };
        board.why = "set by the operator".into();
        board.confidence = 1.0;
        self.desk.asked = Some(board.clone());
        send(Command::Board(board))
    }

    fn nudge(&mut self, snapshot: &Snapshot, intent: Intent, step: f64) -> Vec<Effect> {
        let mut board = self.desk.board(snapshot);
        let by = match intent {
            Intent::Left => (-1.0, 0.0),
            Intent::Right => (1.0, 0.0),
            Intent::Up => (0.0, -1.0),
            _ => (0.0, 1.0),
        };
        let (dx, dy) = by;
        match self.desk.hand {
            Hand::Place => {
                board.x += dx * step;
                board.y += dy * step;
            }
            Hand::Size => {
                // Of the whole: the cells follow.
                board.cell_width += dx * step / f64::from(board.columns.max(1));
                board.cell_height += dy * step / f64::from(board.rows.max(1));
            }
            Hand::Cells => {
                // The cells keep their size, so that a row more is a row more of the page.
                let more = |n: u16, by: f64| (f64::from(n) + by).clamp(0.0, 1e3) as u16;
                board.columns = more(board.columns, dx);
                board.rows = more(board.rows, dy);
            }
            Hand::Cell => {
                let move_by = |at: u16, by: f64, n: u16| {
                    (f64::from(at) + by * if step > STEPS.0 { 5.0 } else { 1.0 })
                        .clamp(0.0, f64::from(n.saturating_sub(1))) as u16
                };
                self.desk.cell = (
                    move_by(self.desk.cell.0, dx, board.columns),
                    move_by(self.desk.cell.1, dy, board.rows),
                );
                return Vec::new();
            }
            Hand::Thresholds | Hand::Eyes | Hand::Number(_) | Hand::Next => {
                return self.nudge_reading(snapshot, by, step);
            }
        }
        self.ask(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_typed_as_six_numbers() {
        let board = typed("10, 20,200,400,10,20");
        assert_eq!(
            board.map(|b| (b.x, b.cell_width, b.rows)),
            Some((10.0, 20.0, 20))
        );
        for bad in [
            "",
            "1,2,3",
            "1,2,3,4,0,0",
            "a,2,3,4,5,6",
            "1,2,NaN,4,10,20",
            "1,2,3000000,4,10,20",
        ] {
            assert!(typed(bad).is_none(), "{bad}");
        }
    }
}
