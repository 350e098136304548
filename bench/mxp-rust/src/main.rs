//! Measures frames of MXP against the hash that they have and a copy of their payload, all in one run.
//!
//! `mxpbench [--rounds N] [--sample MICROSECONDS] [--json FILE]`

mod cases;
mod measure;
mod report;

#[path = "../../rust/src/allocations.rs"]
mod allocations;

use std::alloc::System;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use allocations::Counting;
use measure::Rounds;

#[global_allocator]
static ALLOCATOR: Counting<System> = Counting(System);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(flaw) => {
            eprintln!("mxpbench: {flaw}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = pico_args::Arguments::from_env();
    let micros = arguments.opt_value_from_str("--sample")?.unwrap_or(500);
    let rounds = Rounds {
        count: arguments.opt_value_from_str("--rounds")?.unwrap_or(101),
        sample: Duration::from_micros(micros),
    };
    let file: Option<PathBuf> = arguments.opt_value_from_str("--json")?;
    let rest = arguments.finish();
    if !rest.is_empty() || rounds.count == 0 {
        return Err(format!("rounds are 1 or more; not known: {rest:?}").into());
    }
    let mut rows = Vec::new();
    report::head();
    for n in cases::SIZES {
        let medians = cases::medians(n, &rounds)?;
        report::row(n, &medians);
        rows.push(medians);
    }
    match file {
        Some(file) => Ok(std::fs::write(file, report::json(&rows, &rounds))?),
        None => Ok(()),
    }
}
