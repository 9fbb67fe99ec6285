//! Labelled cases: their format, and the table of how well they were judged.
//!
//! Comes in: the text of a file of cases, pictures by a loader of the caller's. Goes out: a line a case, and figures.
//! Must never know: where the pictures are kept.

use super::{Answer, Area, Deed, Observation, StateAnalyzer};
use crate::model::Raster;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

/// One case of a file of cases. Pictures are paths relative to the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its name.
    #[serde(default)]
    pub id: String,
    /// Which game it is from.
    #[serde(default)]
    pub game: String,
    /// What was done, in the notation of [`Deed::from_notation`].
    #[serde(default)]
    pub action: Option<String>,
    /// What is true: `progressed`, anything else is not.
    #[serde(default)]
    pub label: Option<String>,
    /// Which kind of case it is.
    #[serde(default)]
    pub kind: Option<String>,
    /// Pictures taken while nothing was done.
    #[serde(default)]
    pub idle: Vec<String>,
    /// The last picture before the action.
    pub before: String,
    /// The first picture after it.
    pub after: String,
    /// A later one.
    #[serde(default)]
    pub after2: Option<String>,
    /// The page's visible text with each idle picture.
    #[serde(default)]
    pub text_idle: Vec<String>,
    /// Likewise before the action.
    #[serde(default)]
    pub text_before: Option<String>,
    /// Likewise with the first picture after it.
    #[serde(default)]
    pub text_after: Option<String>,
    /// Likewise with the later one.
    #[serde(default)]
    pub text_after2: Option<String>,
}

impl Case {
    /// What the case shows, its pictures loaded by `load`.
    ///
    /// # Errors
    /// What `load` says of the first picture that cannot be had.
    pub fn observation(
        &self,
        load: &mut dyn FnMut(&str) -> Result<Raster, String>,
    ) -> Result<Observation, String> {
        let mut idle = Vec::new();
        for path in &self.idle {
            idle.push(load(path)?);
        }
        let before = load(&self.before)?;
        let mut after = vec![load(&self.after)?];
        if let Some(path) = &self.after2 {
            after.push(load(path)?);
        }
        Ok(Observation {
            idle,
            before: Some(before),
            after,
            text_idle: self.text_idle.clone(),
            text_before: self.text_before.clone(),
            text_after: self
                .text_after
                .iter()
                .chain(&self.text_after2)
                .cloned()
                .collect(),
            deed: Deed::from_notation(self.action.as_deref().unwrap_or_default()),
            ..Observation::default()
        })
    }
}

/// What was made of a case: one line of the batch's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The case's name.
    pub id: String,
    /// The verdict, unless it could not be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Answer>,
    /// How sure, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why.
    pub reasons: Vec<String>,
    /// Where: the places that tell of progress, or, where none do, the places that differ.
    pub boxes: Vec<Area>,
    /// Time from the decoded pictures to the verdict.
    pub milliseconds: f64,
    /// Why it could not be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Judges one case of a file, read as far as it can be.
pub fn judge(
    number: usize,
    case: &serde_json::Value,
    load: &mut dyn FnMut(&str) -> Result<Raster, String>,
) -> (Option<Case>, Line) {
    let id = case["id"]
        .as_str()
        .map_or_else(|| format!("case {}", number + 1), str::to_string);
    let broken = |error: String| Line {
        id: id.clone(),
        verdict: None,
        confidence: None,
        reasons: Vec::new(),
        boxes: Vec::new(),
        milliseconds: 0.0,
        error: Some(error),
    };
    let parsed: Case = match serde_json::from_value(case.clone()) {
        Ok(parsed) => parsed,
        Err(error) => return (None, broken(format!("not a case: {error}"))),
    };
    let line = match parsed.observation(load) {
        Err(error) => broken(error),
        Ok(seen) => {
            let begun = Instant::now();
            match StateAnalyzer.has_state_progressed(&seen) {
                Err(error) => broken(error.to_string()),
                Ok(judgement) => Line {
                    id: id.clone(),
                    milliseconds: (begun.elapsed().as_secs_f64() * 1e5).round() / 100.0,
                    boxes: judgement.boxes(),
                    verdict: Some(judgement.verdict),
                    confidence: Some(judgement.confidence),
                    reasons: judgement.reasons,
                    error: None,
                },
            }
        }
    };
    (Some(parsed), line)
}

/// How one kind of case fared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases with a label.
    pub all: usize,
    /// Judged as labelled.
    pub right: usize,
    /// Said to have progressed and had not.
    pub false_positives: usize,
    /// Said to be unchanged and had progressed.
    pub false_negatives: usize,
    /// Not decided, or not readable.
    pub undecided: usize,
}

impl Tally {
    fn add(&mut self, progressed: bool, verdict: Option<Answer>) {
        self.all += 1;
        match verdict {
            Some(Answer::Progressed) if progressed => self.right += 1,
            Some(Answer::Unchanged) if !progressed => self.right += 1,
            Some(Answer::Progressed) => self.false_positives += 1,
            Some(Answer::Unchanged) => self.false_negatives += 1,
            _ => self.undecided += 1,
        }
    }
}

/// How the labelled cases fared, all of them and by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Score {
    /// All together.
    pub total: Tally,
    /// By kind.
    pub kinds: BTreeMap<String, Tally>,
}

impl Score {
    /// Counts a case in, if it has a label.
    pub fn add(&mut self, case: &Case, line: &Line) {
        if let Some(label) = &case.label {
            let progressed = label == Answer::Progressed.word();
            self.total.add(progressed, line.verdict);
            self.kinds
                .entry(case.kind.clone().unwrap_or_default())
                .or_default()
                .add(progressed, line.verdict);
        }
    }

    /// As a table for people.
    pub fn table(&self) -> String {
        let width = self
            .kinds
            .keys()
            .map(|k| k.chars().count())
            .max()
            .unwrap_or(0)
            .max(5);
        let mut out = format!(
            "{:width$}  cases  right  accuracy  false +  false -  undecided\n",
            "kind"
        );
        let rows = self.kinds.iter().map(|(k, t)| (k.as_str(), t));
        for (kind, t) in rows.chain([("all", &self.total)]) {
            let accuracy = 100.0 * t.right as f64 / t.all.max(1) as f64;
            let _ = writeln!(
                out,
                "{kind:width$}  {:5}  {:5}  {accuracy:7.1}%  {:7}  {:7}  {:9}",
                t.all, t.right, t.false_positives, t.false_negatives, t.undecided
            );
        }
        out
    }
}
