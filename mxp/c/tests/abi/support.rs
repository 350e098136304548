//! Programs in C on the library, compiled and run by tests.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of the crate.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The kinds of the library.
#[derive(Clone, Copy)]
pub(crate) enum Library {
    /// A part of the program.
    Static,
    /// Beside the program, which takes less time to link.
    Dynamic,
}

/// Compiles a program, and links it with the library. Another machine's has a compiler of its own, `MXP_CC`.
///
/// # Panics
///
/// If the compiler says anything.
#[must_use]
pub(crate) fn compiled(source: &Path, name: &str, library: Library, flags: &[&str]) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent().unwrap();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let strict = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-g"];
    let mut compiler = Command::new(std::env::var("MXP_CC").as_deref().unwrap_or("cc"));
    compiler
        .args(strict)
        .args(flags)
        .arg("-I")
        .arg(folder("include"));
    compiler.arg(source).arg("-o").arg(&program);
    match library {
        Library::Static => compiler.arg(built.join("libmxp_c.a")),
        Library::Dynamic => {
            let path = format!("-Wl,-rpath,{}", built.display());
            compiler.arg("-L").arg(built).args(["-lmxp_c", &path])
        }
    };
    compiler.args(["-lpthread", "-lm", "-ldl"]);
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    program
}

/// Runs a program to its good end, and returns what it prints. `MXP_EMULATOR` runs another machine's.
///
/// # Panics
///
/// If the program ends otherwise.
#[must_use]
pub(crate) fn printed(program: &Path, arguments: &[&str]) -> String {
    let emulator = std::env::var("MXP_EMULATOR").unwrap_or_default();
    let mut words = emulator
        .split_whitespace()
        .map(OsStr::new)
        .chain([program.as_os_str()]);
    let output = Command::new(words.next().unwrap())
        .args(words)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: {}",
        output.status,
        said(&output)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}
