//! Reads a plugin registry that some other program wrote, in byte mode or in
//! message mode, and writes it again:
//!
//! ```text
//! registry-example INPUT OUTPUT
//! ```

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use registry_example::plugins::{Message, PluginRegistry, PluginRegistryRef, PluginRegistryView};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        eprintln!("usage: registry-example INPUT OUTPUT");
        return ExitCode::from(2);
    };
    match run(input, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("registry-example: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(input: &str, output: &str) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(input)?;
    if bytes.starts_with(b"SDP2") {
        // The type is found by its id.
        match Message::decode(&bytes)? {
            Message::PluginRegistry(registry) => {
                std::fs::write(output, registry.message_to_vec()?)?;
            }
            other => return Err(format!("a message of type {}", other.type_id()).into()),
        }
        return Ok(());
    }
    let registry = PluginRegistry::decode(&bytes)?;
    std::fs::write(output, registry.encode_to_vec()?)?;
    measure(&registry, &bytes)
}

/// Prints the best time of each way through the registry, in microseconds.
fn measure(registry: &PluginRegistry, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut buffer = Vec::with_capacity(bytes.len());
    registry.append(&mut buffer)?;
    println!(
        "encode {:.1} · decode owned {:.1}, borrowed {:.1} · validate and count through a view {:.1}",
        best(|| {
            buffer.clear();
            registry.append(&mut buffer)
        })?,
        best(|| PluginRegistry::decode(bytes).map(drop))?,
        best(|| PluginRegistryRef::decode(bytes).map(drop))?,
        best(|| count(bytes).map(drop))?,
    );
    Ok(())
}

/// The parameters of all plugins.
fn count(bytes: &[u8]) -> Result<usize, sdp::Error> {
    let view = PluginRegistryView::new(bytes)?;
    Ok(view.plugins().map(|plugin| plugin.parameters().len()).sum())
}

/// The shortest of some runs, in microseconds.
fn best(mut run: impl FnMut() -> Result<(), sdp::Error>) -> Result<f64, sdp::Error> {
    let mut shortest = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        black_box(run()?);
        shortest = shortest.min(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(shortest)
}
