//! The list of all checks.

use super::{Check, Verdict};
use super::{
    all_pieces_rotate, all_seven_pieces, game_loads, game_over, game_over_shown, game_starts,
    gravity, grid_detected, grid_is_10x20, hard_drop, hold, level_increases, line_clear, moves,
    multi_line_clear, next_preview, next_preview_truthful, no_page_scroll, no_uncaught_errors,
    pause, piece_locks, piece_spawns, rendering_clean, restart, restart_resets, rotate, rotate_ccw,
    rows_fall_after_clear, score_element_visible, score_increases_on_clear,
    score_scales_with_clears, soft_drop, soft_drop_distinct, speed_increases, survives_play,
    walls_hold,
};
use crate::evidence::Evidence;
use crate::model::Phase;

const fn check(
    name: &'static str,
    title: &'static str,
    phase: Phase,
    judge: fn(&Evidence) -> Verdict,
) -> Check {
    Check {
        name,
        title,
        phase: Some(phase),
        with: None,
        measures: false,
        judge,
    }
}

impl Check {
    /// The same, decided by what an earlier phase does.
    const fn by(mut self, phase: Phase) -> Self {
        self.with = Some(phase);
        self
    }

    /// The same, failing by a measurement.
    const fn measured(mut self) -> Self {
        self.measures = true;
        self
    }
}

static ALL: [Check; 37] = [
    check(
        "game_loads",
        "the page shows something game-shaped",
        Phase::Load,
        game_loads::judge,
    ),
    check(
        "game_starts",
        "a start brings a piece that falls",
        Phase::Start,
        game_starts::judge,
    ),
    check(
        "grid_detected",
        "the board is found and confirmed by motion",
        Phase::Start,
        grid_detected::judge,
    ),
    check(
        "grid_is_10x20",
        "ten columns, twenty visible rows",
        Phase::Start,
        grid_is_10x20::judge,
    )
    .measured(),
    check(
        "piece_spawns",
        "after a lock a new piece appears at the top",
        Phase::Mechanics,
        piece_spawns::judge,
    ),
    check(
        "gravity",
        "the piece falls by itself, a row at a time",
        Phase::Mechanics,
        gravity::judge,
    ),
    check(
        "move_left",
        "a tap moves the piece one column left",
        Phase::Mechanics,
        moves::left,
    ),
    check(
        "move_right",
        "a tap moves the piece one column right",
        Phase::Mechanics,
        moves::right,
    ),
    check(
        "soft_drop",
        "a key makes the piece fall faster",
        Phase::Mechanics,
        soft_drop::judge,
    ),
    check(
        "soft_drop_distinct",
        "the soft drop does not drop at once",
        Phase::Mechanics,
        soft_drop_distinct::judge,
    ),
    check(
        "hard_drop",
        "one press drops and locks the piece",
        Phase::Mechanics,
        hard_drop::judge,
    ),
    check(
        "rotate",
        "presses take a piece through its states",
        Phase::Mechanics,
        rotate::judge,
    ),
    check(
        "rotate_ccw",
        "a second key turns the other way",
        Phase::Mechanics,
        rotate_ccw::judge,
    ),
    check(
        "walls_hold",
        "at the walls the piece stays whole",
        Phase::Mechanics,
        walls_hold::judge,
    ),
    check(
        "piece_locks",
        "at rest the piece becomes part of the stack",
        Phase::Mechanics,
        piece_locks::judge,
    ),
    check(
        "line_clear",
        "a full row disappears",
        Phase::Play,
        line_clear::judge,
    ),
    check(
        "rows_fall_after_clear",
        "what was above a cleared row moves down",
        Phase::Play,
        rows_fall_after_clear::judge,
    ),
    check(
        "all_seven_pieces",
        "all seven kinds appear",
        Phase::Play,
        all_seven_pieces::judge,
    ),
    check(
        "all_pieces_rotate",
        "every kind goes through its states",
        Phase::Play,
        all_pieces_rotate::judge,
    ),
    check(
        "score_element_visible",
        "a score is shown",
        Phase::Numbers,
        score_element_visible::judge,
    )
    .by(Phase::Play),
    check(
        "score_increases_on_clear",
        "clearing rows raises the score",
        Phase::Numbers,
        score_increases_on_clear::judge,
    )
    .by(Phase::Play),
    check(
        "next_preview",
        "the coming piece is shown",
        Phase::Numbers,
        next_preview::judge,
    ),
    check(
        "next_preview_truthful",
        "the preview names the next piece",
        Phase::Numbers,
        next_preview_truthful::judge,
    ),
    check(
        "hold",
        "a key swaps the piece out and back",
        Phase::Numbers,
        hold::judge,
    ),
    check(
        "pause",
        "a key stops the game and resumes it",
        Phase::Numbers,
        pause::judge,
    ),
    check(
        "game_over",
        "filled to the top, the game ends",
        Phase::GameOver,
        game_over::judge,
    ),
    check(
        "game_over_shown",
        "a person can see that it ended",
        Phase::GameOver,
        game_over_shown::judge,
    ),
    check(
        "restart",
        "a control or key brings a new game",
        Phase::Restart,
        restart::judge,
    ),
    check(
        "restart_resets",
        "a new game starts from nothing",
        Phase::Restart,
        restart_resets::judge,
    ),
    check(
        "multi_line_clear",
        "several full rows disappear at once",
        Phase::Compete,
        multi_line_clear::judge,
    ),
    check(
        "score_scales_with_clears",
        "several rows at once give more",
        Phase::Compete,
        score_scales_with_clears::judge,
    ),
    check(
        "level_increases",
        "the level rises with the lines",
        Phase::Compete,
        level_increases::judge,
    )
    .by(Phase::Play),
    check(
        "speed_increases",
        "gravity gets faster",
        Phase::Compete,
        speed_increases::judge,
    )
    .by(Phase::Play),
    check(
        "rendering_clean",
        "what is drawn is stack and piece, no trails",
        Phase::Compete,
        rendering_clean::judge,
    ),
    check(
        "survives_play",
        "still playing, or properly over, at the end",
        Phase::Compete,
        survives_play::judge,
    )
    .by(Phase::GameOver),
    Check {
        name: "no_page_scroll",
        title: "game keys do not scroll the page",
        phase: None,
        with: None,
        measures: false,
        judge: no_page_scroll::judge,
    },
    Check {
        name: "no_uncaught_errors",
        title: "no uncaught exception while playing",
        phase: None,
        with: None,
        measures: false,
        judge: no_uncaught_errors::judge,
    },
];

/// Every check, in the order of the phases; those that watch all along come last.
pub fn all() -> &'static [Check] {
    &ALL
}
