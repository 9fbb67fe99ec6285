//! The judge against games whose truth is known: simulated ones, healthy and with planted defects.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "sim/judge.rs"]
mod judge;
#[path = "sim/random.rs"]
mod random;
#[path = "sim/variants.rs"]
mod variants;

use judge::{Judged, judge};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
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

/// How many random games are judged: `SIM_CASES`, else `default`.
fn cases(default: u32) -> u32 {
    let set = std::env::var("SIM_CASES").ok().and_then(|n| n.parse().ok());
    set.unwrap_or(default)
}

#[test]
fn random_healthy_games_fail_nothing_and_their_keys_are_found() {
    let config = Config {
        cases: cases(2),
        max_shrink_iters: 40,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(Default::default()),
    )
    .run(&random::options(), |options| {
        let faults = judge(options).faults(&[]);
        proptest::prop_assert!(faults.is_empty(), "{}", faults.join("\n"));
        Ok(())
    })
    .unwrap();
}

/// Judges `SIM_CASES` random games (one if `SIM_CASE` names it) and prints every fault, and how fast it went.
#[test]
#[ignore = "takes long; prints for people"]
fn many() {
    let rng = proptest::test_runner::TestRng::deterministic_rng(Default::default());
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let only: Option<u32> = std::env::var("SIM_CASE").ok().and_then(|n| n.parse().ok());
    let begun = std::time::Instant::now();
    let (mut wrong, mut false_fails, mut game_ms) = (0, 0, 0.0);
    let n = cases(100);
    for i in 0..n {
        let options = random::options().new_tree(&mut runner).unwrap().current();
        if only.is_some_and(|o| o != i) {
            continue;
        }
        let judged = judge(options.clone());
        game_ms += judged.game_ms;
        let faults = judged.faults(&[]);
        if only.is_some() {
            println!("{options:?}\n{judged}");
        }
        if !faults.is_empty() {
            wrong += 1;
            false_fails += faults
                .iter()
                .filter(|f| f.starts_with("false Fail"))
                .count();
            println!(
                "case {i} ({:.0} s): {:?} {:?}",
                judged.game_ms / 1000.0,
                options.rules,
                options.look
            );
            for fault in faults {
                println!("    {fault}");
            }
        }
    }
    let s = begun.elapsed().as_secs_f64();
    println!(
        "{n} games, {wrong} with faults, {false_fails} false Fails; {:.1} a second, {:.0} times real time",
        f64::from(n) / s,
        game_ms / 1000.0 / s
    );
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
}
