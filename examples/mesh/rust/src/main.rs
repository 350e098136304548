//! An effect that a host finds in the mesh.
//!
//! ```text
//! mesh-effect plugin NAME ADDRESS
//! ```

#![deny(unsafe_code)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::typed::Context;
use mxp::net::{ClientOptions, Failure, Server};
use mxp::session::Registration;

// The modules `rack` and `rack_service`, which build.rs makes of the schema.
include!(concat!(env!("OUT_DIR"), "/sdp/mod.rs"));

use rack::{Block, Work};
use rack_service::{effect_service, Effect, MeterClient};

/// Makes blocks half as loud.
struct Half {
    name: String,
    blocks: AtomicU64,
}

impl Effect for Half {
    async fn process(&self, block: Block, _: Context) -> Result<Block, Failure> {
        self.blocks.fetch_add(1, Ordering::Relaxed);
        let samples = block.samples.iter().map(|sample| sample / 2.0).collect();
        Ok(Block::new()
            .with_samples(samples)
            .with_effect(self.name.clone()))
    }
}

impl Half {
    /// Publishes twice a second how many blocks were processed.
    async fn tell(&self, meter: MeterClient) {
        loop {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let work = Work::new()
                .with_effect(self.name.clone())
                .with_blocks(self.blocks.load(Ordering::Relaxed));
            if let Err(failure) = meter.worked(&work).await {
                eprintln!("mesh-effect: {failure}");
            }
        }
    }
}

/// Serves an effect at an address, and announces it, until it is told to end.
async fn serve(name: &str, address: &str) -> std::io::Result<()> {
    let half = Arc::new(Half {
        name: name.into(),
        blocks: AtomicU64::new(0),
    });
    let server = Server::new().service(effect_service(Arc::clone(&half)));
    let listening = server.listen(address).await?;
    let registration = Registration::new(name)
        .with_capabilities(["effect"])
        .with_services(["rack.Effect"])
        .with_addresses([address]);
    let announced = ClientOptions::new().announce(registration, |_| ())?;
    let meter = MeterClient::new(ClientOptions::new().publisher()?);
    tokio::select! {
        ended = tokio::signal::ctrl_c() => ended?,
        () = half.tell(meter) => {}
    }
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
