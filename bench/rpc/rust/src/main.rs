//! One client or one server of one peer: see `../README.md`.
//!
//! `rpcbench serve PEER ADDRESS` prints where it listens and ends when its input does.
//! `rpcbench call PEER ADDRESS [--kind call|event|up|both] [--size N] [--in-flight N] [--connections N]
//! [--seconds S | --once] [--server PID]` prints a line of JSON.

mod address;
mod calls;
mod cpu;
mod flows;
mod generated;
mod latency;
mod peers;
mod plan;
mod window;

use std::error::Error;
use std::io::Read as _;
use std::process::ExitCode;
use std::time::Duration;

use address::Address;
use plan::{Length, Payload, Plan};

/// An error of any kind.
type Flaw = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(flaw) => {
            eprintln!("rpcbench: {flaw}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Flaw> {
    let mut arguments = pico_args::Arguments::from_env();
    let verb: String = arguments.free_from_str()?;
    let peer: String = arguments.free_from_str()?;
    let address: Address = arguments.free_from_str()?;
    match &verb[..] {
        "serve" => {
            nothing_more(arguments)?;
            std::thread::spawn(end_with_input);
            peers::serve(&peer, &address)
        }
        "call" => {
            let plan = plan(&mut arguments)?;
            nothing_more(arguments)?;
            println!("{}", peers::call(&peer, &address, &plan)?.json());
            Ok(())
        }
        _ => Err(format!("{verb}: neither serve nor call").into()),
    }
}

fn plan(arguments: &mut pico_args::Arguments) -> Result<Plan, Flaw> {
    let seconds: Option<f64> = arguments.opt_value_from_str("--seconds")?;
    let length = match (arguments.contains("--once"), seconds) {
        (true, _) => Length::Once,
        (false, seconds) => Length::Time(Duration::try_from_secs_f64(seconds.unwrap_or(1.0))?),
    };
    let kind = arguments.opt_value_from_str("--kind")?;
    let size = arguments.opt_value_from_str("--size")?;
    Ok(Plan {
        kind: kind.unwrap_or(plan::Kind::Call),
        payload: Payload::new(size.unwrap_or(64)),
        in_flight: arguments.opt_value_from_str("--in-flight")?.unwrap_or(1),
        connections: arguments.opt_value_from_str("--connections")?.unwrap_or(1),
        length,
        server: arguments.opt_value_from_str("--server")?,
    })
}

fn nothing_more(arguments: pico_args::Arguments) -> Result<(), Flaw> {
    let rest = arguments.finish();
    if rest.is_empty() {
        return Ok(());
    }
    Err(format!("not known: {rest:?}").into())
}

/// Ends this process when its parent is gone.
fn end_with_input() {
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}
