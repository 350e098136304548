//! Serves a mixing desk, and calls it.
//!
//! ```text
//! services                   both, in one process
//! services serve ADDRESS
//! services call  ADDRESS
//! ```

mod call;
mod serve;

mod mixer;
mod mixer_service;

use std::process::ExitCode;

type Error = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let done = match &arguments.iter().map(|one| &one[..]).collect::<Vec<_>>()[..] {
        [] => both().await,
        ["serve", address] => serve::serve(address).await,
        ["call", address] => call::call(address).await,
        _ => Err("usage: services [serve ADDRESS | call ADDRESS]".into()),
    };
    let Err(error) = done else {
        return ExitCode::SUCCESS;
    };
    eprintln!("services: {error}");
    ExitCode::FAILURE
}

/// Lets the client call the server. That the server may be there later than the client
/// is no matter.
async fn both() -> Result<(), Error> {
    let socket = std::env::temp_dir().join(format!("mixer-{}.sock", std::process::id()));
    let address = format!("mxp+unix://{}", socket.display());
    tokio::select! {
        served = serve::serve(&address) => served,
        called = call::call(&address) => called,
    }
}
