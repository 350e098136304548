//! Lets the peers' own tools write the code of their schemas into `OUT_DIR`, which `src/peers/generated.rs` includes:
//! prost by protoc 3.21.12, flatbuffers by flatc 2.0.8 and Cap'n Proto by capnp 0.9.2, as Debian 12 has them.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCHEMAS: [&str; 7] = [
    "arrays",
    "log",
    "mesh",
    "minecraft_savedata",
    "mk48",
    "plugins",
    "primitives",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=peers");
    for (tool, version) in [
        ("protoc", "libprotoc 3.21.12"),
        ("flatc", "flatc version 2.0.8"),
        ("capnp", "Cap'n Proto version 0.9.2"),
    ] {
        want(tool, version)?;
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    prost(&folder(&out, "prost")?)?;
    flatbuffers(&folder(&out, "flatbuffers")?)?;
    capnp(&folder(&out, "capnp")?)
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

fn folder(out: &Path, name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let folder = out.join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn prost(out: &Path) -> Result<(), Box<dyn Error>> {
    let schemas = SCHEMAS.map(|name| format!("peers/proto/{name}.proto"));
    prost_build::Config::new()
        .out_dir(out)
        .compile_protos(&schemas, &["peers/proto"])?;
    Ok(())
}

fn flatbuffers(out: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new("flatc")
        .args(["--rust", "--filename-suffix", "", "-o"])
        .arg(out)
        .args(SCHEMAS.map(|name| format!("peers/fbs/{name}.fbs")))
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("flatc: {status}").into())
    }
}

fn capnp(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut command = capnpc::CompilerCommand::new();
    // The code calls its own module by its path from the crate's root.
    let module = ["peers", "generated", "capnp"].map(String::from);
    command
        .src_prefix("peers/capnp")
        .default_parent_module(module.to_vec())
        .output_path(out);
    for name in SCHEMAS {
        command.file(format!("peers/capnp/{name}.capnp"));
    }
    command.run()?;
    Ok(())
}
