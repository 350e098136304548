//! Generates the code that the crate consists of, by the compiler of this repository.

use std::error::Error;
use std::process::Command;
use std::{env, fs};

/// The compiler's program, from this folder.
const PROGRAM: &str = "../../../cmd/sdp";

/// The files of the program, one in a line.
const SOURCES: &str = "{{if not .Standard}}{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}{{end}}";

/// A folder of modules, its options, and what its schemas are called.
type Folder = (
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
);

/// Options that ask for everything.
const WHOLE: &[&str] = &["--forms=owned,borrowed,views", "--serde"];

const FOLDERS: [Folder; 4] = [
    (
        "shared",
        WHOLE,
        &[
            ("odd", "testdata/odd.sdp"),
            ("plugins", "../golang/testdata/plugins.sdp"),
            ("shapes", "../golang/testdata/shapes.sdp"),
        ],
    ),
    (
        "unowned",
        &["--forms=borrowed,views", "--json=false"],
        &[
            ("plugins", "../golang/testdata/plugins.sdp"),
            ("shapes", "../golang/testdata/shapes.sdp"),
        ],
    ),
    (
        "v1",
        WHOLE,
        &[("evolution", "../../../conformance/schemas/evolution_v1.sdp")],
    ),
    (
        "v2",
        WHOLE,
        &[("evolution", "../../../conformance/schemas/evolution_v2.sdp")],
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    for source in go(&["list", "-deps", "-f", SOURCES, PROGRAM])?.lines() {
        println!("cargo:rerun-if-changed={source}");
    }
    for (folder, asked, modules) in FOLDERS {
        let to = format!("--out=rust={out}/{folder}");
        let mut args = vec!["run", PROGRAM, "gen", &to, "--rust-runtime=::sdp"];
        args.extend(asked);
        for (_, schema) in modules {
            println!("cargo:rerun-if-changed={schema}");
            args.push(schema);
        }
        go(&args)?;
        let declarations = modules
            .iter()
            .flat_map(|(name, _)| ["pub mod ", name, ";\n"]);
        fs::write(
            format!("{out}/{folder}/mod.rs"),
            declarations.collect::<String>(),
        )?;
    }
    Ok(())
}

/// Runs Go, and returns what it prints.
fn go(args: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new("go").args(args).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
