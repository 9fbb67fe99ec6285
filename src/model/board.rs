use serde::{Deserialize, Serialize};

/// A rectangle in CSS pixels of the top page's document (scrolled-out parts included).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// A rectangle from its left, top, width and height.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// The right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The middle.
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Is the point inside, the left and top edges counted in?
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }

    /// The smallest rectangle of whole pixels around it.
    #[must_use]
    pub fn outward(&self) -> Self {
        let (x, y) = (self.x.floor(), self.y.floor());
        Self::new(x, y, self.right().ceil() - x, self.bottom().ceil() - y)
    }

    /// The same place as counted from the upper left corner of `other`.
    #[must_use]
    pub fn within(&self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.width, self.height)
    }
}

/// Where the game's grid is on the page, and how many cells it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Board {
    /// Left edge in CSS pixels of the page.
    pub x: f64,
    /// Top edge in CSS pixels of the page.
    pub y: f64,
    /// Distance between the left edges of two neighbouring cells, in CSS pixels.
    pub cell_width: f64,
    /// Distance between the top edges of two neighbouring cells, in CSS pixels.
    pub cell_height: f64,
    /// Columns.
    pub columns: u16,
    /// Visible rows.
    pub rows: u16,
    /// How sure the reader is, 0 to 1.
    pub confidence: f64,
    /// What was observed to find it, for people.
    pub why: String,
    /// What of its size is more than a guess from how its cells look.
    #[serde(default)]
    pub sure: Sure,
}

/// Sides of a board that a piece was pushed against, or that a surface has which holds whole cells and nothing else.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Sure {
    /// Both walls.
    pub columns: bool,
    /// The floor; and the top, which no piece can be pushed against, as well as can be told.
    pub rows: bool,
}

impl Sure {
    /// All of it.
    pub const ALL: Self = Self {
        columns: true,
        rows: true,
    };
}

impl Board {
    /// The whole grid as a rectangle of the page.
    pub fn rect(&self) -> Rect {
        Rect::new(
            self.x,
            self.y,
            self.cell_width * f64::from(self.columns),
            self.cell_height * f64::from(self.rows),
        )
    }

    /// One cell as a rectangle of the page.
    pub fn cell(&self, column: i32, row: i32) -> Rect {
        Rect::new(
            self.x + f64::from(column) * self.cell_width,
            self.y + f64::from(row) * self.cell_height,
            self.cell_width,
            self.cell_height,
        )
    }
}
