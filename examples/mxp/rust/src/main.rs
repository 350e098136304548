//! Serves `demo.Echo`, and calls it: in another process, in another language.
//!
//! ```text
//! mxp_demo serve  mxp+unix:///tmp/echo.sock [MEMORY_BYTES]
//! mxp_demo call   mxp+unix:///tmp/echo.sock 1 hello [DEADLINE_MS]
//! mxp_demo stream mxp+unix:///tmp/echo.sock some words
//! mxp_demo event  mxp+unix:///tmp/echo.sock tick
//! mxp_demo load   mxp+unix:///tmp/echo.sock CALLERS [BYTES [CHUNK]]
//! mxp_demo scripts                               what clients do: a line of the input each
//! ```
//!
//! For `mxp+tls://` `MXP_DEMO_CERTIFICATE` and `MXP_DEMO_KEY` name the files of a server, and
//! `MXP_DEMO_AUTHORITY` the certificate that a client checks the server's by.

mod ask;
mod ending;
mod load;
mod script;
mod serve;
mod tls;

use std::error::Error;
use std::process::ExitCode;

use mxp::net::Failure;

/// The methods of `demo.Echo`.
mod method {
    /// A call: gives the value back.
    pub const ECHO: u16 = 1;
    /// A call: fails with the value as text.
    pub const REFUSE: u16 = 2;
    /// A stream: gives each chunk back in upper case.
    pub const UPPER: u16 = 3;
    /// An event: is counted.
    pub const TICK: u16 = 4;
    /// A call: how many events there were, 8 bytes.
    pub const COUNT: u16 = 5;
}

const SERVICE: &str = "demo.Echo";

const USAGE: &str =
    "usage: mxp_demo serve ADDRESS [MEMORY_BYTES] | call ADDRESS METHOD TEXT [DEADLINE_MS] | \
    stream ADDRESS WORD... | event ADDRESS TEXT | load ADDRESS CALLERS [BYTES [CHUNK]] | \
    scripts";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(|arg| &arg[..]).collect();
    let Err(error) = run(&args).await else {
        return ExitCode::SUCCESS;
    };
    match error.downcast_ref::<Failure>() {
        Some(failure) => println!("failed: {}: {}", failure.name, failure.text),
        None => eprintln!("{error}"),
    }
    ExitCode::FAILURE
}

async fn run(args: &[&str]) -> Result<(), Box<dyn Error>> {
    match *args {
        ["serve", address] => serve::serve(address, None).await,
        ["serve", address, memory] => serve::serve(address, Some(memory.parse()?)).await,
        ["call", address, method, text] => ask::call(address, method, text, "5000").await,
        ["call", address, method, text, ms] => ask::call(address, method, text, ms).await,
        ["stream", address, ref words @ ..] => ask::stream(&tls::client(address)?, words).await,
        ["event", address, text] => ask::event(&tls::client(address)?, text).await,
        ["load", address, callers] => load::load(address, callers, "64", "0").await,
        ["load", address, callers, bytes] => load::load(address, callers, bytes, "0").await,
        ["load", address, callers, bytes, chunk] => {
            load::load(address, callers, bytes, chunk).await
        }
        ["scripts"] => script::scripts().await,
        _ => Err(USAGE.into()),
    }
}
