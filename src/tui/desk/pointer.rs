//! The mouse on the picture: a click points at something, a drag takes hold of the board or draws.

use super::{Desk, Hand};
use crate::model::{Board, Rect as PageRect};
use crate::session::Snapshot;
use crate::tui::draw::desk_view;
use crate::tui::screen::Screen;
use crate::tui::update::Effect;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

/// Cells of the screen around an edge of the board in which the mouse takes hold of it.
const REACH: f64 = 0.75;
/// Least side of a board that is drawn, in CSS pixels.
const SMALLEST: f64 = 8.0;

/// What the mouse took hold of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Grip {
    /// All of the board.
    Board,
    /// Edges of it: left, top, right, bottom.
    Edges([bool; 4]),
    /// Nothing: it draws.
    Nothing,
}

/// A drag from where it began to where it is, on the screen and on the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drag {
    grip: Grip,
    began: Position,
    from: (f64, f64),
    to: (f64, f64),
}

impl Drag {
    fn by(&self) -> (f64, f64) {
        (self.to.0 - self.from.0, self.to.1 - self.from.1)
    }

    /// What is drawn.
    fn drawn(&self) -> PageRect {
        let (dx, dy) = self.by();
        let (x, y) = (self.from.0.min(self.to.0), self.from.1.min(self.to.1));
        PageRect::new(x, y, dx.abs(), dy.abs())
    }

    /// The board as it would be if the mouse let go now.
    fn board(&self, board: &Board) -> Option<Board> {
        let (dx, dy) = self.by();
        let r = board.rect();
        let place = match self.grip {
            Grip::Board => PageRect::new(r.x + dx, r.y + dy, r.width, r.height),
            Grip::Edges([left, top, right, bottom]) => {
                let x = if left { r.x + dx } else { r.x };
                let y = if top { r.y + dy } else { r.y };
                let end = if right { r.right() + dx } else { r.right() };
                let foot = if bottom { r.bottom() + dy } else { r.bottom() };
                PageRect::new(x, y, end - x, foot - y)
            }
            Grip::Nothing => self.drawn(),
        };
        (place.width >= SMALLEST && place.height >= SMALLEST).then(|| Board {
            x: place.x,
            y: place.y,
            cell_width: place.width / f64::from(board.columns.max(1)),
            cell_height: place.height / f64::from(board.rows.max(1)),
            ..board.clone()
        })
    }
}

impl Desk {
    /// What the mouse is drawing, as a rectangle of the page.
    pub fn drawn(&self, snapshot: &Snapshot) -> Option<PageRect> {
        let drag = self.drag.filter(|d| d.by() != (0.0, 0.0))?;
        match self.hand {
            Hand::Next => Some(drag.drawn()),
            Hand::Number(_) => None,
            _ => drag.board(&self.board(snapshot)).map(|b| b.rect()),
        }
    }
}

impl Screen {
    /// A click points at a cell, or at a number; a drag moves the board, takes an edge of it along, or draws another.
    pub(crate) fn point_at_desk(
        &mut self,
        snapshot: &Snapshot,
        event: MouseEvent,
        picture: Rect,
    ) -> Vec<Effect> {
        let at = Position::new(event.column, event.row);
        let Some(view) = desk_view(snapshot, self, picture) else {
            self.desk.drag = None;
            return Vec::new();
        };
        let here = view.page(at);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) if picture.contains(at) => {
                let grip = grip(&self.desk.board(snapshot), here, view.cell());
                self.desk.drag = Some(Drag {
                    grip,
                    began: at,
                    from: here,
                    to: here,
                });
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                if let Some(drag) = &mut self.desk.drag {
                    drag.to = here;
                }
            }
            MouseEventKind::Up(MouseButton::Left) => {
                let Some(mut drag) = self.desk.drag.take() else {
                    return Vec::new();
                };
                drag.to = here;
                let clicked = drag.began == at;
                return match self.desk.hand {
                    Hand::Number(role) => self.point_at_number(snapshot, role, here),
                    Hand::Next if clicked => {
                        let r = self.desk.next_box(snapshot);
                        let (x, y) = (here.0 - r.width / 2.0, here.1 - r.height / 2.0);
                        self.draw_next(snapshot, PageRect::new(x, y, r.width, r.height))
                    }
                    Hand::Next => self.draw_next(snapshot, drag.drawn()),
                    _ if clicked => {
                        self.point_at_cell(snapshot, here);
                        Vec::new()
                    }
                    _ => {
                        if let Some(board) = drag.board(&self.desk.board(snapshot)) {
                            return self.ask(board);
                        }
                        self.notice = Some("no board is like that".into());
                        Vec::new()
                    }
                };
            }
            _ => {}
        }
        Vec::new()
    }

    fn point_at_cell(&mut self, snapshot: &Snapshot, (x, y): (f64, f64)) {
        let board = self.desk.board(snapshot);
        let c = ((x - board.x) / board.cell_width).floor();
        let r = ((y - board.y) / board.cell_height).floor();
        let inside =
            c >= 0.0 && r >= 0.0 && c < f64::from(board.columns) && r < f64::from(board.rows);
        if inside {
            self.desk.hand = Hand::Cell;
            self.desk.cell = (c as u16, r as u16);
        }
    }
}

/// What lies under the mouse; `cell` is the size of a cell of the screen on the page.
fn grip(board: &Board, (x, y): (f64, f64), cell: (f64, f64)) -> Grip {
    let r = board.rect();
    // Of a board that is small on the screen the middle is left to move it by.
    let reach = (
        (cell.0 * REACH).min(r.width / 4.0),
        (cell.1 * REACH).min(r.height / 4.0),
    );
    let around = PageRect::new(
        r.x - reach.0,
        r.y - reach.1,
        r.width + 2.0 * reach.0,
        r.height + 2.0 * reach.1,
    );
    if !around.contains(x, y) {
        return Grip::Nothing;
    }
    let edges = [
        (x - r.x).abs() <= reach.0,
        (y - r.y).abs() <= reach.1,
        (x - r.right()).abs() <= reach.0,
        (y - r.bottom()).abs() <= reach.1,
    ];
    if edges.contains(&true) {
        Grip::Edges(edges)
    } else {
        Grip::Board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Board {
        Board {
            x: 100.0,
            y: 50.0,
            cell_width: 20.0,
            cell_height: 20.0,
            columns: 10,
            rows: 20,
            confidence: 1.0,
            why: String::new(),
            sure: crate::model::Sure::default(),
        }
    }

    fn dragged(from: (f64, f64), to: (f64, f64)) -> Option<PageRect> {
        let drag = Drag {
            grip: grip(&board(), from, (8.0, 8.0)),
            began: Position::default(),
            from,
            to,
        };
        drag.board(&board()).map(|b| b.rect())
    }

    #[test]
    fn the_mouse_moves_the_board_takes_its_edges_along_or_draws_another() {
        let rect = |x, y, w, h| Some(PageRect::new(x, y, w, h));
        assert_eq!(
            dragged((200.0, 200.0), (205.0, 190.0)),
            rect(105.0, 40.0, 200.0, 400.0)
        );
        assert_eq!(
            dragged((301.0, 200.0), (311.0, 230.0)),
            rect(100.0, 50.0, 210.0, 400.0),
            "the right edge"
        );
        assert_eq!(
            dragged((98.0, 52.0), (88.0, 62.0)),
            rect(90.0, 60.0, 210.0, 390.0),
            "a corner"
        );
        assert_eq!(
            dragged((20.0, 20.0), (60.0, 100.0)),
            rect(20.0, 20.0, 40.0, 80.0)
        );
        assert_eq!(dragged((300.0, 200.0), (104.0, 200.0)), None, "turned over");
    }
}
