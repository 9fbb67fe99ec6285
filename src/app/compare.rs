//! From the arguments of `compare` to its exit code.
//!
//! Comes in: parsed arguments. Goes out: an exit code: 0 progressed, 1 unchanged, 4 it cannot be told. Must never know:
//! how anything is done.

use super::{UsageError, code};
use crate::cli::{Compare, DeedChoice};
use crate::progress::ask::VisionJudge;
use crate::progress::{Answer, Deed};
use crate::{compare, tui};
use color_eyre::eyre::Result;

/// Compares what the arguments name.
pub(super) fn run(args: Compare) -> Result<u8> {
    if let Some(file) = &args.batch {
        let all_read = compare::batch(file, &mut std::io::stdout(), &mut std::io::stderr())?;
        return Ok(if all_read {
            code::PASSED
        } else {
            code::COULD_NOT
        });
    }
    let (Some(before), Some(after)) = (args.before, args.after) else {
        return Err(UsageError("two pictures are needed: BEFORE AFTER".into()).into());
    };
    let files = compare::Files {
        before,
        after,
        after2: args.after2,
        idle: args.idle,
        text_before: args.text_before,
        text_after: args.text_after,
        deed: match args.action {
            None => Deed::Unknown,
            Some(DeedChoice::Hover) => Deed::Hover,
            Some(DeedChoice::Click) => Deed::Click,
            Some(DeedChoice::Key) => Deed::Key,
        },
    };
    let form = compare::Form {
        json: args.json,
        show: args.show,
        colours: std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        columns: tui::columns().unwrap_or(80),
        out: args.out,
    };
    let mut model = super::model::judge(&args.model)?;
    let asked = model.as_mut().map(|m| m as &mut dyn VisionJudge);
    let answer = compare::pair(&files, &form, asked, &mut std::io::stdout())?;
    Ok(match answer {
        Answer::Progressed => code::PASSED,
        Answer::Unchanged => code::FAILED,
        Answer::Uncertain => code::UNCERTAIN,
    })
}
