//! A host of audio, and its plug-in.
//!
//! ```text
//! audio [--seconds N] [--load] [--json FILE] [--plugin PROGRAM]    the host, which starts the plug-in
//! audio plugin ADDRESS                                             the plug-in
//! ```

use std::path::PathBuf;
use std::process::ExitCode;

use audio::{host, plugin, Error};

const USAGE: &str =
    "usage: audio [--seconds N] [--load] [--json FILE] [--plugin PROGRAM]\n       audio plugin ADDRESS";

fn main() -> ExitCode {
    let Err(error) = run() else {
        return ExitCode::SUCCESS;
    };
    eprintln!("audio: {error}");
    ExitCode::FAILURE
}

fn run() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let mut options = host::Options {
        seconds: 5,
        has_load: false,
        json: None,
        plugin: std::env::current_exe()?,
    };
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "plugin" => return plugin::run(&arguments.next().ok_or(USAGE)?),
            "--load" => options.has_load = true,
            "--seconds" => options.seconds = arguments.next().ok_or(USAGE)?.parse()?,
            "--json" => options.json = Some(PathBuf::from(arguments.next().ok_or(USAGE)?)),
            "--plugin" => options.plugin = PathBuf::from(arguments.next().ok_or(USAGE)?),
            _ => return Err(USAGE.into()),
        }
    }
    host::run(&options)
}
