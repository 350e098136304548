//! Lets the peers' own tools write the code of `../peers` into `OUT_DIR`, which `src/generated.rs` includes: tonic by
//! protoc 3.21.12 and Cap'n Proto by capnp 0.9.2, as Debian 12 has them.

use std::env;
use std::error::Error;
use std::process::Command;

const PEERS: &str = "../peers";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={PEERS}");
    want("protoc", "libprotoc 3.21.12")?;
    want("capnp", "Cap'n Proto version 0.9.2")?;
    tonic_prost_build::configure()
        .bytes(".")
        .compile_protos(&[format!("{PEERS}/echo.proto")], &[PEERS.into()])?;
    capnpc::CompilerCommand::new()
        .src_prefix(PEERS)
        .default_parent_module(vec!["generated".into()])
        .file(format!("{PEERS}/echo.capnp"))
        .output_path(env::var("OUT_DIR")?)
        .run()?;
    Ok(())
}

/// Refuses a tool of another version, whose code may need another version of its library.
fn want(tool: &str, version: &str) -> Result<(), Box<dyn Error>> {
    let output = Command::new(tool).arg("--version").output();
    let output = output.map_err(|e| format!("{tool}: {e}; {version} is needed"))?;
    let found = String::from_utf8(output.stdout)?;
    if found.trim() != version {
        return Err(format!("found {}, need {version}", found.trim()).into());
    }
    Ok(())
}
