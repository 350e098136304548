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

/// Runs the program; `allocator` is the name of its allocator.
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
    if cfg!(debug_assertions) {
        return Err("only a release build is measured; this one is for --once".into());
    }
    match datasets[..] {
        [] => Err("there is no such data set".into()),
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
    let mut arguments = Arguments::from_env();
    let _: Option<String> = arguments.opt_value_from_str("--dataset")?;
    let others = arguments.finish();
    for dataset in datasets {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--dataset", dataset.name]).args(&others);
        let status = command.status()?;
        if !status.success() {
            return Err(format!("{}: {status}", dataset.name).into());
        }
    }
    Ok(())
}

/// Cases that are sampled in turn.
struct Group {
    name: &'static str,
    cases: &'static [Case],
    /// Only a codec with all of the cases takes part: they are compared with each other.
    all: bool,
}

impl Group {
    const fn any(name: &'static str, cases: &'static [Case]) -> Self {
        let all = false;
        Self { name, cases, all }
    }

    const fn all(name: &'static str, cases: &'static [Case]) -> Self {
        let all = true;
        Self { name, cases, all }
    }

    /// The places of the cases of `subject` that take part.
    fn places(&self, subject: &Subject) -> Vec<usize> {
        let has = |case: &Case| subject.cases.iter().position(|(each, _)| each == case);
        let places: Vec<usize> = self.cases.iter().filter_map(has).collect();
        if self.all && places.len() < self.cases.len() {
            return Vec::new();
        }
        places
    }

    /// A codec and its own other forms differ by little, so that they get more rounds.
    fn rounds(&self, options: &Options) -> usize {
        options.rounds * if self.all { 2 } else { 1 }
    }
}

const GROUPS: [Group; 9] = [
    Group::any("encode_fresh", &[Case::EncodeFresh, Case::Copy]),
    Group::any("encode_reused", &[Case::EncodeReused]),
    Group::any(
        "decode_fresh",
        &[Case::DecodeFresh, Case::Clone, Case::Copy],
    ),
    Group::any("decode_borrowed", &[Case::DecodeBorrowed]),
    Group::any(
        "read",
        &[
            Case::Access,
            Case::Read,
            Case::ReadValidate,
            Case::ReadBorrowed,
        ],
    ),
    Group::all("decode_reused", &[Case::DecodeFresh, Case::DecodeReused]),
    Group::all(
        "encode_fresh_message",
        &[Case::EncodeFresh, Case::EncodeFreshMessage],
    ),
    Group::all(
        "encode_reused_message",
        &[Case::EncodeReused, Case::EncodeReusedMessage],
    ),
    Group::all(
        "decode_fresh_message",
        &[Case::DecodeFresh, Case::DecodeFreshMessage],
    ),
];

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
    for group in &GROUPS {
        if options.cases.has(group.name) {
            measure_group(options, &mut subjects, group, &mut results);
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
    group: &Group,
    results: &mut Results,
) {
    let mut entrants = Vec::new();
    let mut operations = Vec::new();
    for subject in subjects {
        let places = group.places(subject);
        let version = subject
            .package
            .map_or_else(|| results.machine.compiler.clone(), version);
        for (place, (case, operation)) in subject.cases.iter_mut().enumerate() {
            if places.contains(&place) {
                entrants.push((*case, subject.codec, version.clone(), subject.bytes));
                operations.push(operation);
            }
        }
    }
    let measured = measure::group(&mut operations, group.rounds(options), options.sample);
    for ((case, codec, version, bytes), measured) in entrants.into_iter().zip(measured) {
        let record = Record {
            group: group.name,
            case: case.name(),
            codec,
            version,
            bytes,
            ns: Nanoseconds::new(measured.samples),
            allocations: measured.allocated.allocations,
            allocated_bytes: measured.allocated.bytes,
            heap: Heap::NONE,
        };
        println!("{:<18} {:<8} {record}", results.dataset, results.allocator);
        results.records.push(record);
    }
}
