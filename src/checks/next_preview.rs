use super::{Verdict, needs_start, open, pass, skipped};
use crate::evidence::{Evidence, Outcome};
use crate::model::Phase;

/// A picture of the coming piece, or words that name it, stand outside the board. Their absence is no fault.
pub fn judge(e: &Evidence) -> Verdict {
    if let Some(v) = needs_start(e) {
        return v;
    }
    let tried = e.phase(Phase::Numbers).and_then(|p| p.outcome.as_ref());
    match e.preview() {
        Some(preview) => {
            let looks = &preview.predictions;
            let what = if preview.words.is_some() {
                "words beside the board name the piece that comes next"
            } else {
                "beside the board a tetromino is shown that changes as pieces come"
            };
            pass(
                format!("{what}, {} times", looks.len()),
                looks.iter().map(|p| p.look).take(8).collect(),
            )
        }
        None if tried == Some(&Outcome::Done) => skipped("none was found (optional)"),
        None => open("waiting: not looked for yet"),
    }
}
