//! The files of results, of the form that `bench/results/schema.json` says.

use std::path::Path;
use std::process::Command;
use std::{fmt, fs, io};

use serde::Serialize;

#[derive(Serialize)]
pub struct Results {
    pub language: &'static str,
    pub dataset: String,
    pub allocator: &'static str,
    pub date: String,
    pub commit: String,
    pub command: &'static str,
    pub machine: Machine,
    pub records: Vec<Record>,
}

#[derive(Clone, Serialize)]
pub struct Machine {
    cpu: String,
    cores: usize,
    os: &'static str,
    arch: &'static str,
    pub compiler: String,
    load: f64,
}

#[derive(Serialize)]
pub struct Record {
    pub group: &'static str,
    pub case: &'static str,
    pub codec: &'static str,
    pub version: String,
    pub bytes: usize,
    pub ns: Nanoseconds,
    pub allocations: u64,
    pub allocated_bytes: u64,
    pub heap: Heap,
}

#[derive(Serialize)]
pub struct Nanoseconds {
    pub median: f64,
    pub p10: f64,
    pub p90: f64,
    pub samples: Vec<f64>,
}

#[derive(Serialize)]
pub struct Heap {
    mode: &'static str,
    live_bytes: Option<u64>,
    collector: &'static str,
}

impl Heap {
    /// There is no collector that the heap could matter to.
    pub const NONE: Self = Self {
        mode: "none",
        live_bytes: None,
        collector: "",
    };
}

impl Nanoseconds {
    /// The median and the spread of samples, which stay in the order of their rounds.
    pub fn new(samples: Vec<f64>) -> Self {
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        let quantile = |percent: usize| {
            let rank = percent * (sorted.len() - 1);
            let (below, rest) = (rank / 100, rank % 100);
            let above = sorted[(below + 1).min(sorted.len() - 1)];
            sorted[below]
                + f64::from(u8::try_from(rest).expect("a rest is below 100")) / 100.0
                    * (above - sorted[below])
        };
        Self {
            median: quantile(50),
            p10: quantile(10),
            p90: quantile(90),
            samples,
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, case, codec) = (self.group, self.case, self.codec);
        let (median, p10, p90) = (self.ns.median, self.ns.p10, self.ns.p90);
        let least = self.ns.samples.iter().copied().fold(f64::MAX, f64::min);
        write!(f, "{group:<21} {case:<21} {codec:<12} {median:>12.1} ns, least {least:.1} [{p10:.1}–{p90:.1}]")?;
        write!(
            f,
            " {:>7} allocations {:>9} bytes allocated",
            self.allocations, self.allocated_bytes
        )
    }
}

/// An empty file of results with the place, time and tools of the measurement.
pub fn here(root: &Path, dataset: &str, allocator: &'static str) -> io::Result<Results> {
    let mut commit =
        said(
            Command::new("git")
                .arg("-C")
                .arg(root)
                .args(["rev-parse", "--short=12", "HEAD"]),
        )?;
    // Results are not part of the measured code, and are about to change.
    let changed = [
        "status",
        "--porcelain",
        "--",
        ".",
        ":!bench/results",
        ":!README.md",
        ":!docs",
    ];
    if !said(Command::new("git").arg("-C").arg(root).args(changed))?.is_empty() {
        commit.push_str("+changes");
    }
    Ok(Results {
        language: "rust",
        dataset: dataset.into(),
        allocator,
        date: said(Command::new("date").args(["-u", "+%F"]))?,
        commit,
        command: "make bench",
        machine: machine()?,
        records: Vec::new(),
    })
}

fn said(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().into())
}

/// The machine. Facts that its system does not tell in Linux's way stay "unknown" or 0.
fn machine() -> io::Result<Machine> {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpus
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "model name");
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Ok(Machine {
        cpu: cpu.map_or("unknown", |(_, name)| name.trim()).into(),
        cores: std::thread::available_parallelism()?.get(),
        os: std::env::consts::OS,
        arch: std::env::consts::ARCH,
        compiler: said(Command::new("rustc").arg("--version"))?,
        load: load
            .split(' ')
            .next()
            .and_then(|minute| minute.parse().ok())
            .unwrap_or(0.0),
    })
}

/// The version of a crate that this program was built with.
pub fn version(package: &str) -> String {
    let lock = include_str!("../Cargo.lock");
    let mut lines = lock
        .lines()
        .skip_while(|line| *line != format!("name = \"{package}\""));
    let version = lines
        .nth(1)
        .and_then(|line| line.strip_prefix("version = "));
    version
        .unwrap_or_else(|| panic!("Cargo.lock lacks {package}"))
        .trim_matches('"')
        .into()
}

impl Results {
    /// Writes the file of these results.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let suffix = if self.allocator == "glibc" {
            String::new()
        } else {
            format!("-{}", self.allocator)
        };
        let indent = serde_json::ser::PrettyFormatter::with_indent(b" ");
        let mut text = Vec::new();
        self.serialize(&mut serde_json::Serializer::with_formatter(
            &mut text, indent,
        ))?;
        text.push(b'\n');
        fs::write(
            folder.join(format!("rust-{}{suffix}.json", self.dataset)),
            text,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{version, Nanoseconds};

    #[test]
    fn quantiles_interpolate_between_ranks() {
        let quantiles = |samples: &[f64]| {
            let ns = Nanoseconds::new(samples.to_vec());
            [ns.p10, ns.median, ns.p90].map(|value| format!("{value:.1}"))
        };
        assert_eq!(quantiles(&[7.0]), ["7.0", "7.0", "7.0"]);
        assert_eq!(quantiles(&[10.0, 0.0]), ["1.0", "5.0", "9.0"]);
        assert_eq!(quantiles(&[4.0, 1.0, 2.0, 3.0]), ["1.3", "2.5", "3.7"]);
    }

    #[test]
    fn samples_stay_in_the_order_of_their_rounds() {
        let samples = vec![3.0, 1.0, 2.0];
        assert_eq!(Nanoseconds::new(samples.clone()).samples, samples);
    }

    #[test]
    fn version_is_the_locked_one() {
        assert_eq!(version("flatbuffers"), "2.1.2");
    }
}
