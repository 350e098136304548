//! Tests of a build script's work, with programs that stand in for the compiler.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::error::Error;
use crate::Config;

fn stand_in(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/compilers")
        .join(name)
}

/// A folder as cargo gives one to a build script.
fn out_dir(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sdp-build-{}-{test}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a build script with these variables set, and returns what it told cargo.
fn run(config: &Config, variables: &[(&str, &Path)]) -> (Result<(), Error>, String) {
    let mut told = Vec::new();
    let result = config.run(&mut Environment {
        variable: &|name| {
            variables
                .iter()
                .find(|(variable, _)| *variable == name)
                .map(|(_, value)| OsString::from(value))
        },
        cargo: &mut told,
    });
    (result, String::from_utf8(told).unwrap())
}

#[test]
fn a_build_script_declares_modules_and_what_they_depend_on() {
    let out = out_dir("declares");
    let compiler = stand_in("fits");
    let config = Config::new().schema("plugins.sdp").include("include");
    let (result, told) = run(&config, &[("SDP", &compiler), ("OUT_DIR", &out)]);
    result.unwrap();
    assert_eq!(
        told,
        format!(
            "cargo:rerun-if-env-changed=SDP\ncargo:rerun-if-changed=plugins.sdp\ncargo:rerun-if-changed={}\n\
             cargo:warning=warning[C0007]: advice\n\
             cargo:rerun-if-changed=plugins.sdp\ncargo:rerun-if-changed=include/common.sdp\n",
            compiler.display()
        )
    );
    let list = fs::read_to_string(out.join("sdp/mod.rs")).unwrap();
    assert!(
        list.ends_with("pub mod common;\npub mod plugins;\n"),
        "{list}"
    );
    let arguments = fs::read_to_string(out.join("arguments")).unwrap();
    assert_eq!(
        arguments.trim(),
        format!(
            "gen --out rust={0}/sdp --rust-runtime ::sdp --deps {0}/sdp.d --include include -- plugins.sdp",
            out.display()
        )
    );
    let (refused, _) = run(
        &Config::new().schema("wrong.sdp"),
        &[("SDP", &compiler), ("OUT_DIR", &out)],
    );
    let text = format!("{:?}", refused.unwrap_err());
    assert!(
        text.ends_with("\n\nerror[S0203]: field `name` is declared twice"),
        "{text}"
    );
    fs::remove_dir_all(&out).unwrap();
}

#[test]
fn services_are_asked_for_and_their_library_is_named() {
    let out = out_dir("services");
    let compiler = stand_in("fits");
    let config = Config::new().schema("plugins.sdp").services(true);
    for (manifest, is_warned) in [
        ("[dependencies]\n", true),
        (
            "[dependencies]\nmesh-exchange-protocol = { path = \"mxp\" }\n",
            false,
        ),
        ("[dependencies]\nmxp.workspace = true\n", false),
    ] {
        fs::write(out.join("Cargo.toml"), manifest).unwrap();
        let variables: [(&str, &Path); 3] = [
            ("SDP", &compiler),
            ("OUT_DIR", &out),
            ("CARGO_MANIFEST_DIR", &out),
        ];
        let (result, told) = run(&config, &variables);
        result.unwrap();
        assert_eq!(
            told.contains("cargo:warning=the services need a library"),
            is_warned,
            "{manifest}{told}"
        );
    }
    let list = fs::read_to_string(out.join("sdp/mod.rs")).unwrap();
    assert!(list.contains("pub mod plugins_service;\n"), "{list}");
    fs::remove_dir_all(&out).unwrap();
}

#[test]
fn parts_of_the_code_are_asked_for() {
    let out = out_dir("parts");
    let compiler = stand_in("fits");
    let config = Config::new()
        .schema("plugins.sdp")
        .forms(["owned", "views"])
        .json(true)
        .serde(true);
    run(&config, &[("SDP", &compiler), ("OUT_DIR", &out)])
        .0
        .unwrap();
    let arguments = fs::read_to_string(out.join("arguments")).unwrap();
    let parts = " --forms=owned,views --json=true --serde=true -- plugins.sdp";
    assert!(arguments.trim().ends_with(parts), "{arguments}");
    fs::remove_dir_all(&out).unwrap();
}

#[test]
fn a_missing_compiler_is_explained() {
    let (result, told) = run(&Config::new(), &[("PATH", Path::new("/nowhere"))]);
    let text = result.unwrap_err().to_string();
    for part in [
        "none is given",
        "SDP: it is not set",
        "in the folders of PATH: it is in none",
        "cmd/sdp@v",
        "`go install ./cmd/sdp` in a copy of SDP's repository",
        "checked in",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert_eq!(told, "cargo:rerun-if-env-changed=SDP\n");

    let (result, _) = run(&Config::new(), &[("SDP", Path::new("/nowhere/sdp"))]);
    let text = result.unwrap_err().to_string();
    assert!(
        text.contains("/nowhere/sdp, which the variable SDP names: no such file"),
        "{text}"
    );

    let (result, _) = run(
        &Config::new().compiler("/nowhere/else"),
        &[("SDP", Path::new("/nowhere/sdp"))],
    );
    let text = result.unwrap_err().to_string();
    assert!(
        text.contains("/nowhere/else, which Config::compiler names: no such file"),
        "{text}"
    );
}

#[test]
fn a_compiler_of_another_release_is_refused() {
    let (result, _) = run(&Config::new().compiler(stand_in("older")), &[]);
    let text = result.unwrap_err().to_string();
    assert!(text.contains("is SDP 0.1.9, and sdp-build"), "{text}");
}

#[test]
fn another_program_of_that_name_is_refused() {
    let (result, _) = run(&Config::new().compiler(stand_in("other")), &[]);
    let text = result.unwrap_err().to_string();
    assert!(text.contains("is not the SDP compiler"), "{text}");
    let (result, _) = run(
        &Config::new().compiler(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")),
        &[],
    );
    let text = result.unwrap_err().to_string();
    assert!(text.contains("cannot be run"), "{text}");
}

#[test]
fn outside_of_a_build_script_nothing_is_compiled() {
    let (result, _) = run(&Config::new().compiler(stand_in("fits")), &[]);
    let text = result.unwrap_err().to_string();
    assert!(text.contains("OUT_DIR is not set"), "{text}");
}
