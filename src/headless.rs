//! The face for runs without a terminal: a line for what happens, as it happens.
//!
//! Comes in: snapshots of a session. Goes out: lines of text. Must never know: a browser, a terminal.

use crate::checks::{CheckView, Status};
use crate::model::Phase;
use crate::session::{LogKind, LogLine, PhaseState, RunState, Snapshot};
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;
use tokio::sync::watch;

/// Writes a line per new log line, phase, verdict and change of state, until the session has gone.
///
/// Snapshots may be skipped, the latest wins: the log inside of them carries what happened meanwhile, and lines that were
/// pushed out of it before they could be written are counted and said.
///
/// # Errors
/// Those of writing to `out`, a closed pipe for instance.
pub async fn run(
    mut snapshots: watch::Receiver<Arc<Snapshot>>,
    mut out: impl Write,
) -> io::Result<()> {
    let mut teller = Teller::default();
    loop {
        let snapshot = snapshots.borrow_and_update().clone();
        for line in teller.tell(&snapshot) {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        if snapshots.changed().await.is_err() {
            return Ok(());
        }
    }
}

/// Tells each phase that begins, until the session has gone.
pub async fn phases(mut snapshots: watch::Receiver<Arc<Snapshot>>, mut tell: impl FnMut(Phase)) {
    let mut told = None;
    loop {
        let phase = snapshots.borrow_and_update().phase;
        if phase != told {
            told = phase;
            if let Some(phase) = phase {
                tell(phase);
            }
        }
        if snapshots.changed().await.is_err() {
            return;
        }
    }
}

/// What has been told already.
#[derive(Debug, Default)]
struct Teller {
    /// Lines of the log that were told or missed, counted from the session's first.
    lines: u64,
    state: RunState,
    phases: HashMap<u8, PhaseState>,
    checks: HashMap<&'static str, Status>,
}

impl Teller {
    /// The lines that this snapshot adds.
    fn tell(&mut self, snapshot: &Snapshot) -> Vec<String> {
        let now = stamp(snapshot.stamp.game_us);
        let mut out = Vec::new();
        if snapshot.log_dropped > self.lines {
            out.push(format!(
                "{now} log       {} lines were lost",
                snapshot.log_dropped - self.lines
            ));
            self.lines = snapshot.log_dropped;
        }
        let skip = (self.lines - snapshot.log_dropped) as usize;
        for line in snapshot.log.iter().skip(skip) {
            // Verdicts are told from the checklist, which has them all.
            if line.kind != LogKind::Verdict {
                out.push(log_line(line));
            }
        }
        self.lines = self
            .lines
            .max(snapshot.log_dropped + snapshot.log.len() as u64);
        for p in &snapshot.phases {
            if self
                .phases
                .insert(p.phase.number(), p.state)
                .unwrap_or_default()
                != p.state
            {
                let word = match p.state {
                    PhaseState::Waiting => "waits",
                    PhaseState::Running => "begins",
                    PhaseState::Done => "done",
                    PhaseState::Skipped => "skipped",
                    PhaseState::Failed => "failed",
                };
                out.push(format!(
                    "{now} phase     {}/8 {} {word}{}",
                    p.phase.number(),
                    p.phase.title(),
                    after(&p.note)
                ));
            }
        }
        for check in snapshot.checks.iter() {
            let status = check.verdict.status;
            if self.checks.insert(check.name, status).unwrap_or_default() != status {
                out.push(format!("{now} {}", verdict(check)));
            }
        }
        if self.state != snapshot.state {
            self.state = snapshot.state.clone();
            let word = match &self.state {
                RunState::Opening => "opening".into(),
                RunState::Running => "running".into(),
                RunState::Holding => "holding".into(),
                RunState::Held => "held".into(),
                RunState::Finished => "finished".into(),
                RunState::Failed(why) => format!("failed{}", after(why)),
            };
            out.push(format!("{now} session   {word}"));
        }
        out
    }
}

fn stamp(game_us: u64) -> String {
    let ms = game_us / 1000;
    format!("{:02}:{:02}.{:03}", ms / 60_000, ms / 1000 % 60, ms % 1000)
}

fn after(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(": {}", harmless(text))
    }
}

fn log_line(line: &LogLine) -> String {
    let kind = match line.kind {
        LogKind::Game => "game",
        LogKind::Bot => "bot",
        LogKind::Page => "page",
        LogKind::Verdict => "verdict",
        LogKind::Operator => "operator",
    };
    format!(
        "{} {kind:<9} {}",
        stamp(line.stamp.game_us),
        harmless(&line.text)
    )
}

fn verdict(check: &CheckView) -> String {
    let word = match check.verdict.status {
        Status::Open => "open",
        Status::Pass => "pass",
        Status::Fail => "FAIL",
        Status::Skipped => "skipped",
    };
    format!("{word:<9} {}{}", check.name, after(&check.verdict.why))
}

/// The text on one line, without control characters and direction overrides: it may end on a terminal after all.
fn harmless(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{61c}'))
        .map(|c| if c.is_whitespace() { ' ' } else if c.is_control() { '·' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::checks::Verdict;
    use crate::model::Stamp;

    fn line(text: &str) -> LogLine {
        LogLine {
            stamp: Stamp {
                seq: 0,
                game_us: 61_002_000,
                wall_us: 0,
            },
            kind: LogKind::Game,
            text: text.into(),
        }
    }

    #[test]
    fn each_line_is_told_once_and_lost_ones_are_counted() {
        let mut teller = Teller::default();
        let mut s = Snapshot {
            log: Arc::new(vec![line("a"), line("b\x1b[2J")]),
            ..Snapshot::default()
        };
        assert_eq!(
            teller.tell(&s),
            ["01:01.002 game      a", "01:01.002 game      b·[2J"]
        );
        assert!(teller.tell(&s).is_empty());
        s.log_dropped = 4;
        s.log = Arc::new(vec![line("e"), line("f")]);
        let told = teller.tell(&s);
        assert_eq!(told.len(), 3);
        assert!(told[0].ends_with("2 lines were lost"), "{}", told[0]);
        assert!(told[2].ends_with('f'));
    }

    #[tokio::test]
    async fn verdicts_and_the_end_are_told() {
        let check = |status| {
            let verdict = Verdict {
                status,
                why: "1 shape in 4 presses".into(),
                cites: Vec::new(),
            };
            Arc::new(vec![CheckView {
                name: "rotate_ccw",
                title: "",
                phase: None,
                verdict,
            }])
        };
        let (sender, receiver) = watch::channel(Arc::new(Snapshot {
            checks: check(Status::Open),
            ..Snapshot::default()
        }));
        let mut out = Vec::new();
        let told = run(receiver, &mut out);
        let play = async {
            tokio::task::yield_now().await;
            sender.send_replace(Arc::new(Snapshot {
                checks: check(Status::Fail),
                state: RunState::Finished,
                ..Snapshot::default()
            }));
            drop(sender);
        };
        let (told, ()) = tokio::join!(told, play);
        told.unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "00:00.000 FAIL      rotate_ccw: 1 shape in 4 presses\n00:00.000 session   finished\n"
        );
    }
}
