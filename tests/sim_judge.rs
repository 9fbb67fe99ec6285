//! The judge against games whose truth is known: simulated ones, healthy and with planted defects.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "sim/judge.rs"]
mod judge;
#[path = "sim/variants.rs"]
mod variants;

use judge::{Judged, judge};
use tetrascope::checks::Status;
use tetrascope::driver::sim::SimOptions;

#[test]
fn the_plain_game_passes_everything_and_its_keys_are_found() {
    let judged = judge(SimOptions::default());
    println!("{judged}");
    assert_eq!(judged.faults(&[]), Vec::<String>::new());
}

/// Not a test: prints the judgement of the variants whose names contain `SIM_ONLY`.
#[test]
#[ignore = "prints for people"]
fn show() {
    let only = std::env::var("SIM_ONLY").unwrap_or_default();
    for (name, options, fails) in variants::all() {
        if name.contains(&only) {
            let judged = judge(options);
            println!("{name} {:?}\n{judged}\n{:?}", fails, judged.faults(&fails));
        }
    }
}

#[test]
fn named_healthy_variants_fail_nothing_and_their_keys_are_found() {
    check_all(&variants::healthy());
}

#[test]
fn every_defect_fails_its_checks_and_no_other() {
    check_all(&variants::broken());
}

fn check_all(variants: &[variants::Variant]) {
    let mut faults = Vec::new();
    for (name, options, fails) in variants {
        let judged: Judged = judge(options.clone());
        for fault in judged.faults(fails) {
            faults.push(format!("{name}: {fault}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    let _ = Status::Pass;
}
