//! An effect that a host finds in the mesh.
//!
//! ```text
//! mesh-effect plugin NAME ADDRESS
//! ```

#![deny(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use mxp::net::typed::Context;
use mxp::net::{ClientOptions, Failure, Server};
use mxp::session::Registration;

// The modules `rack` and `rack_service`, which build.rs makes of the schema.
include!(concat!(env!("OUT_DIR"), "/sdp/mod.rs"));

use rack::Block;
use rack_service::{effect_service, Effect};

/// Makes blocks half as loud.
struct Half {
    name: String,
}

impl Effect for Half {
    async fn process(&self, block: Block, _: Context) -> Result<Block, Failure> {
        let samples = block.samples.iter().map(|sample| sample / 2.0).collect();
        Ok(Block::new()
            .with_samples(samples)
            .with_effect(self.name.clone()))
    }
}

/// Serves an effect at an address, and announces it, until it is told to end.
async fn serve(name: &str, address: &str) -> std::io::Result<()> {
    let half = Half { name: name.into() };
    let server = Server::new().service(effect_service(Arc::new(half)));
    let listening = server.listen(address).await?;
    let registration = Registration::new(name)
        .with_capabilities(["effect"])
        .with_services(["rack.Effect"])
        .with_addresses([address]);
    let announced = ClientOptions::new().announce(registration, |_| ())?;
    tokio::signal::ctrl_c().await?;
    drop(announced);
    listening.drain("the effect ends").await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [_, name, address] = &arguments[..] else {
        eprintln!("usage: mesh-effect plugin NAME ADDRESS");
        return ExitCode::FAILURE;
    };
    match serve(name, address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mesh-effect: {error}");
            ExitCode::FAILURE
        }
    }
}
