//! One judgement of a simulated game, and what is wrong with it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use tetrascope::bot::Bot;
use tetrascope::checks::{self, CheckView, Status};
use tetrascope::driver::sim::{Input, SimDriver, SimOptions, Soft};
use tetrascope::driver::{Driver, Shared};
use tetrascope::evidence::Mark;
use tetrascope::model::{Action, Confidence, ControlMap, Phase, RecordBody};

pub struct Judged {
    options: SimOptions,
    pub views: Vec<CheckView>,
    pub controls: ControlMap,
    pub game_ms: f64,
    pub error: Option<String>,
    pub board: Option<(u16, u16)>,
    pub notes: Vec<String>,
}

pub fn judge(options: SimOptions) -> Judged {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(judged(options))
}

async fn judged(options: SimOptions) -> Judged {
    let shared = Arc::new(Shared::default());
    let mut d = SimDriver::new(options.clone(), shared.clone());
    let mut bot = Bot::default();
    let mut error = None;
    let mut notes = Vec::new();
    let mut todo: VecDeque<Phase> = Phase::ALL.into();
    let mut attempt = 1;
    while let Some(phase) = todo.pop_front() {
        d.record(RecordBody::Phase(phase));
        match bot.phase(&mut d, phase).await {
            Ok(o) => notes.push(format!("{attempt} {phase:?}: {:?} {}", o.end, o.note)),
            Err(e) => {
                error = Some(format!("{phase:?}: {e}"));
                break;
            }
        }
        if todo.is_empty() {
            attempt += 1;
            todo = bot.look_again(&mut d).into();
        }
        if attempt > 1 {
            bot.afresh();
        }
    }
    d.record(RecordBody::Mark(Mark::End { why: "done".into() }.to_text()));
    notes.push(
        d.board()
            .map_or(String::new(), |b| format!("{}: {},{}", b.why, b.x, b.y)),
    );
    let views = checks::evaluate(&shared.evidence());
    if std::env::var("SIM_EVENTS").is_ok() {
        let all = shared.evidence();
        for e in all.attempts() {
            let mut marks = e.marks().iter().peekable();
            let mut presses = e.presses().iter().peekable();
            for h in e.happenings() {
                while let Some((s, t)) = marks.next_if(|m| m.0.seq < h.seq) {
                    println!("  {:>6} {:>9.0} -- {t}", s.seq, s.game_ms());
                }
                while let Some(p) = presses.next_if(|p| p.down.seq < h.seq) {
                    println!(
                        "  {:>6} {:>9.0} press {}",
                        p.down.seq,
                        p.down.game_ms(),
                        p.key
                    );
                }
                println!("  {:>6} {:>9.0} {:?}", h.seq, h.stamp.game_ms(), h.event);
            }
        }
    }
    if let Some(from) = std::env::var("SIM_READINGS")
        .ok()
        .and_then(|s| s.parse::<u64>().ok())
    {
        let all = shared.evidence();
        for r in all
            .attempts()
            .iter()
            .flat_map(|e| e.readings_in(from..=from + 400))
        {
            println!(
                "R {} {:.0} unsure {} {:?} stack {:?} ALL {:?}",
                r.from.seq,
                r.from.game_ms(),
                r.unsure,
                r.active.as_ref().map(|a| &a.cells),
                r.stack.places(),
                r.blocks.places()
            );
        }
    }
    Judged {
        views,
        controls: d.controls().clone(),
        game_ms: d.game_ms(),
        board: d.board().map(|b| (b.columns, b.rows)),
        error,
        notes,
        options,
    }
}

impl Judged {
    pub fn status(&self, name: &str) -> Status {
        self.views
            .iter()
            .find(|v| v.name == name)
            .map_or(Status::Open, |v| v.verdict.status)
    }

    /// Everything that is not as it should be, in words. `fails` are the checks that must fail (`?name`: may).
    pub fn faults(&self, fails: &[&str]) -> Vec<String> {
        let mut faults = Vec::new();
        let rules = &self.options.rules;
        if let Some(e) = &self.error {
            faults.push(format!("broke off: {e}"));
        }
        let odd_size = (rules.columns, rules.rows) != (10, 20);
        for v in &self.views {
            let failed = v.verdict.status == Status::Fail;
            let due = fails.contains(&v.name)
                || (v.name == "grid_is_10x20" && odd_size && !starts_not(fails));
            let may = fails.iter().any(|f| f.strip_prefix('?') == Some(v.name));
            if failed && !due && !may {
                faults.push(format!("false Fail of {}: {}", v.name, v.verdict.why));
            }
            if due && !failed {
                faults.push(format!(
                    "missed {}: {:?} {}",
                    v.name, v.verdict.status, v.verdict.why
                ));
            }
        }
        if fails.is_empty() {
            let size = (rules.columns as u16, rules.rows as u16);
            if self.board != Some(size) {
                faults.push(format!("board {:?}, true is {size:?}", self.board));
            }
            let knows = |input| rules.keys.values().any(|i| *i == input);
            let mut musts = Vec::new();
            if knows(Input::Hold) {
                musts.push("hold");
            }
            if knows(Input::Soft) && rules.soft != Soft::None {
                musts.push("soft_drop");
            }
            if knows(Input::Pause) {
                musts.push("pause");
            }
            if rules.previews > 0 {
                musts.extend(["next_preview", "next_preview_truthful"]);
            }
            for must in [
                "game_over",
                "game_over_shown",
                "restart",
                "restart_resets",
                "game_loads",
                "game_starts",
                "grid_detected",
                "piece_spawns",
                "gravity",
                "move_left",
                "move_right",
                "rotate",
                "piece_locks",
                "walls_hold",
                "line_clear",
                "rows_fall_after_clear",
                "all_seven_pieces",
                "all_pieces_rotate",
                "score_element_visible",
                "score_increases_on_clear",
                "rendering_clean",
                "survives_play",
            ]
            .into_iter()
            .chain(musts)
            {
                if self.status(must) != Status::Pass {
                    let why = self
                        .views
                        .iter()
                        .find(|v| v.name == must)
                        .map(|v| v.verdict.why.clone());
                    faults.push(format!(
                        "no Pass of {must}: {:?} {}",
                        self.status(must),
                        why.unwrap_or_default()
                    ));
                }
            }
            self.keys(&mut faults);
        }
        faults
    }

    fn keys(&self, faults: &mut Vec<String>) {
        let rules = &self.options.rules;
        for (action, input) in [
            (Action::MoveLeft, Input::Left),
            (Action::MoveRight, Input::Right),
            (Action::SoftDrop, Input::Soft),
            (Action::HardDrop, Input::Hard),
            (Action::RotateCw, Input::Clockwise),
            (Action::RotateCcw, Input::CounterClockwise),
            (Action::Hold, Input::Hold),
            (Action::Pause, Input::Pause),
        ] {
            let true_keys: Vec<String> = rules
                .keys
                .iter()
                .filter(|(_, i)| {
                    **i == input && !(input == Input::Soft && rules.soft == Soft::None)
                })
                .map(|(k, _)| k.as_str().to_string())
                .collect();
            let found = self.controls.get(action);
            let key = found.and_then(|m| m.key.clone());
            let seen = found.map_or(String::new(), |m| m.observation.clone());
            match key {
                None if !true_keys.is_empty() => {
                    faults.push(format!(
                        "{} not found, true is {true_keys:?} ({seen})",
                        action.name()
                    ));
                }
                Some(k) if !true_keys.contains(&k.as_str().to_string()) => {
                    faults.push(format!(
                        "{} is {k:?}, true is {true_keys:?} ({seen})",
                        action.name()
                    ));
                }
                // A fast soft drop that lands at once is taken for a drop now and then, and only suspected.
                Some(k)
                    if found.unwrap().confidence != Confidence::Confirmed
                        && action != Action::SoftDrop =>
                {
                    faults.push(format!(
                        "{} {k:?} only {:?} ({seen})",
                        action.name(),
                        found.unwrap().confidence
                    ));
                }
                _ => {}
            }
        }
    }
}

fn starts_not(fails: &[&str]) -> bool {
    fails.contains(&"game_starts") || fails.contains(&"game_loads")
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:.0} s of game time, board {:?}, {:?}",
            self.game_ms / 1000.0,
            self.board,
            self.error
        )?;
        for n in &self.notes {
            writeln!(f, "  {n}")?;
        }
        for v in self
            .views
            .iter()
            .filter(|v| !v.verdict.why.starts_with("not judged yet"))
        {
            writeln!(f, "  {:?} {}: {}", v.verdict.status, v.name, v.verdict.why)?;
        }
        for (a, m) in self.controls.iter() {
            writeln!(
                f,
                "  {}: {:?} {:?} tap {} {}",
                a.name(),
                m.key,
                m.confidence,
                m.tap_ms,
                m.observation
            )?;
        }
        if std::env::var("SIM_KEYS").is_ok() {
            for (k, said) in &self.controls.key_observations {
                writeln!(f, "    {k:?}: {said}")?;
            }
        }
        Ok(())
    }
}
