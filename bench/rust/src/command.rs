//! The command line.

use std::error::Error;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use pico_args::Arguments;

use crate::catalogue::{self, Dataset};
use crate::measure;
use crate::results::{here, version, Heap, Nanoseconds, Record, Results};
use crate::subject::{Case, Subject};

struct Options {
    root: PathBuf,
    once: bool,
    datasets: Names,
    codecs: Names,
    cases: Names,
    rounds: usize,
    sample: Duration,
}

/// Names separated by commas; none is all.
struct Names(Option<String>);

impl Names {
    fn has(&self, name: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|names| names.split(',').any(|each| each == name))
    }
}

/// Runs the program; `allocator` is the one that it was built with.
#[must_use]
pub fn main(allocator: &'static str) -> ExitCode {
    match parse().and_then(|options| run(&options, allocator)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(flaw) => {
            eprintln!("sdpbench: {flaw}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Options, Box<dyn Error>> {
    let mut arguments = Arguments::from_env();
    let options = Options {
        root: arguments
            .opt_value_from_str("--root")?
            .unwrap_or_else(|| "../..".into()),
        once: arguments.contains("--once"),
        datasets: Names(arguments.opt_value_from_str("--dataset")?),
        codecs: Names(arguments.opt_value_from_str("--codec")?),
        cases: Names(arguments.opt_value_from_str("--case")?),
        rounds: arguments.opt_value_from_str("--rounds")?.unwrap_or(21),
        sample: Duration::from_millis(arguments.opt_value_from_str("--sample")?.unwrap_or(20)),
    };
    match arguments.finish().first() {
        Some(unknown) => Err(format!("unknown argument {}", unknown.to_string_lossy()).into()),
        None => Ok(options),
    }
}

fn run(options: &Options, allocator: &'static str) -> Result<(), Box<dyn Error>> {
    let datasets: Vec<&Dataset> = catalogue::ALL
        .iter()
        .filter(|each| options.datasets.has(each.name))
        .collect();
    if options.once {
        return once(options, &datasets);
    }
    match datasets[..] {
        [dataset] => measure_one(options, dataset, allocator),
        _ => each_alone(&datasets),
    }
}

/// Runs every case of every codec and compares what comes of it with the data.
fn once(options: &Options, datasets: &[&Dataset]) -> Result<(), Box<dyn Error>> {
    let mut passed = 0;
    for dataset in datasets {
        for mut subject in dataset.open(&options.root.join("bench/data")) {
            verify(dataset, &mut subject)?;
            let cases = subject.cases.len();
            println!(
                "{:<18} {:<12} {:>8} bytes, {cases} cases agree with the data",
                dataset.name, subject.codec, subject.bytes
            );
            passed += cases;
        }
    }
    println!("{passed} passed, 0 failed");
    Ok(())
}

/// Twice, so that a reused buffer or value is seen reused.
fn verify(dataset: &Dataset, subject: &mut Subject) -> Result<(), Box<dyn Error>> {
    for (case, operation) in &mut subject.cases {
        for _ in 0..2 {
            let at = || format!("{}, {}, {}", dataset.name, subject.codec, case.name());
            operation
                .verify()
                .map_err(|flaw| format!("{}: {flaw}", at()))?;
        }
    }
    Ok(())
}

/// Measures each data set in a process of its own, since what one leaves in the heap would change the next.
fn each_alone(datasets: &[&Dataset]) -> Result<(), Box<dyn Error>> {
    for dataset in datasets {
        let mut command = Command::new(std::env::current_exe()?);
        // Of an option given twice the first counts.
        let status = command
            .args(["--dataset", dataset.name])
            .args(std::env::args_os().skip(1))
            .status()?;
        if !status.success() {
            return Err(format!("{}: {status}", dataset.name).into());
        }
    }
    Ok(())
}

/// What is sampled in turn: a case of all codecs that have it, or a message beside the same bytes without a header.
fn groups() -> Vec<(&'static str, Vec<Case>, usize)> {
    use Case::{
        DecodeFresh, DecodeFreshMessage, EncodeFresh, EncodeFreshMessage, EncodeReused,
        EncodeReusedMessage,
    };
    let pairs = [
        (EncodeFreshMessage, EncodeFresh),
        (EncodeReusedMessage, EncodeReused),
        (DecodeFreshMessage, DecodeFresh),
    ];
    let mut groups = Vec::new();
    for case in Case::ALL {
        match pairs.iter().find(|(message, _)| *message == case) {
            // A message and its bytes differ by little, so that they get more rounds.
            Some((message, bytes)) => groups.push((case.name(), vec![*bytes, *message], 2)),
            None => groups.push((case.name(), vec![case], 1)),
        }
    }
    groups
}

fn measure_one(
    options: &Options,
    dataset: &Dataset,
    allocator: &'static str,
) -> Result<(), Box<dyn Error>> {
    let mut results = here(&options.root, dataset.name, allocator)?;
    let mut subjects = dataset.open(&options.root.join("bench/data"));
    subjects.retain(|subject| options.codecs.has(subject.codec));
    for subject in &mut subjects {
        verify(dataset, subject)?;
    }
    for (name, cases, factor) in groups() {
        if options.cases.has(name) {
            measure_group(options, &mut subjects, (name, &cases, factor), &mut results);
        }
    }
    if options.codecs.0.is_none() && options.cases.0.is_none() {
        results.write(&options.root.join("bench/results"))?;
    }
    Ok(())
}

fn measure_group(
    options: &Options,
    subjects: &mut [Subject],
    (name, cases, factor): (&'static str, &[Case], usize),
    results: &mut Results,
) {
    let mut records = Vec::new();
    let mut operations = Vec::new();
    for subject in subjects {
        // Only a codec with all cases of the group takes part.
        if !cases
            .iter()
            .all(|case| subject.cases.iter().any(|(each, _)| each == case))
        {
            continue;
        }
        let version = subject
            .package
            .map_or_else(|| results.machine.compiler.clone(), version);
        for (case, operation) in subject
            .cases
            .iter_mut()
            .filter(|(case, _)| cases.contains(case))
        {
            records.push((*case, subject.codec, version.clone(), subject.bytes));
            operations.push(operation);
        }
    }
    let measured = measure::group(&mut operations, factor * options.rounds, options.sample);
    for ((case, codec, version, bytes), measured) in records.into_iter().zip(measured) {
        let ns = Nanoseconds::new(measured.samples);
        println!(
            "{:<18} {:<8} {name:<21} {:<21} {codec:<12} {:>12.1} ns [{:.1}–{:.1}] {:>7} allocations {:>9} bytes allocated",
            results.dataset, results.allocator, case.name(), ns.median, ns.min, ns.p90, measured.allocated.allocations,
            measured.allocated.bytes,
        );
        results.records.push(Record {
            group: name,
            case: case.name(),
            codec,
            version,
            bytes,
            ns,
            allocations: measured.allocated.allocations,
            allocated_bytes: measured.allocated.bytes,
            heap: Heap::NONE,
        });
    }
}
