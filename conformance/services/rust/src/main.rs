//! Serves ledger.Ledger, and calls all of it: in another process, in another language,
//! by another release of the schema.
//!
//! ```text
//! services serve mxp+unix:///tmp/ledger.sock
//! services call  mxp+unix:///tmp/ledger.sock
//! services channels mxp+shm:///tmp/ledger.sock
//! ```

mod call;
mod channels;
mod mark;
mod serve;
mod streams;

mod generated {
    pub mod ledger;
    pub mod ledger_service;
    pub mod levels;
    pub mod levels_service;
}

type Error = Box<dyn std::error::Error>;

/// The key of the metadatum that the server's interceptor looks at.
const KEY: &str = "key";

/// The right value of the key.
const SESAME: &str = "sesame";

/// The key of the metadatum that says which method was called.
const SEEN: &str = "seen";

#[tokio::main]
async fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let done = match &arguments.iter().map(|one| &one[..]).collect::<Vec<_>>()[..] {
        ["serve", address] => serve::serve(address).await,
        ["call", address] => call::call(address).await,
        ["channels", address] => channels::ask(address),
        _ => Err("usage: services serve|call|channels ADDRESS".into()),
    };
    if let Err(error) = done {
        eprintln!("services: {error}");
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}
