use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::Environment;
use crate::error::Error;

/// The release that this crate belongs to.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The variable that says where the compiler is.
pub(crate) const VARIABLE: &str = "SDP";

/// Finds the compiler and makes sure that it is one, of a release that fits.
pub(crate) fn find(choice: Option<&Path>, environment: &Environment<'_>) -> Result<PathBuf, Error> {
    let set = (environment.variable)(VARIABLE).map(PathBuf::from);
    let path = match choice.map(Path::to_path_buf).or(set) {
        Some(path) if path.is_file() => path,
        Some(path) => return Err(not_found(choice, environment, &path.to_string_lossy())),
        None => {
            in_path(environment).ok_or_else(|| not_found(choice, environment, program_name()))?
        }
    };
    check_version(&path)?;
    Ok(path)
}

fn program_name() -> &'static str {
    if cfg!(windows) {
        "sdp.exe"
    } else {
        "sdp"
    }
}

fn in_path(environment: &Environment<'_>) -> Option<PathBuf> {
    let folders = (environment.variable)("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(program_name()))
        .find(|path| path.is_file())
}

/// Says what was looked for and where, and what to do about it.
fn not_found(choice: Option<&Path>, environment: &Environment<'_>, missing: &str) -> Error {
    let set = (environment.variable)(VARIABLE);
    let mut looked = Vec::new();
    match (choice, &set) {
        (Some(path), _) => looked.push(format!(
            "{}, which Config::compiler names: no such file",
            path.display()
        )),
        (None, Some(path)) => looked.push(format!(
            "{}, which the variable {VARIABLE} names: no such file",
            Path::new(path).display()
        )),
        (None, None) => {
            looked.push("a path given to Config::compiler: none is given".to_owned());
            looked.push(format!(
                "a path in the environment variable {VARIABLE}: it is not set"
            ));
            looked.push(format!("{missing} in the folders of PATH: it is in none"));
        }
    }
    Error::new(format!(
        "the SDP compiler was not found. It was looked for as\n  - {}\n\
         Install release {VERSION}: with `go install github.com/serial-data-protocol/sdp/cmd/sdp@v{VERSION}`, \
         with `go install ./cmd/sdp` in a copy of SDP's repository if this crate is of one, \
         or as docs/install.md there says. Or set {VARIABLE} to where it is.\n\
         Generated code that is checked in needs neither the compiler nor this build script: \
         see `sdp gen --help`.",
        looked.join("\n  - ")
    ))
}

/// Generated code and its runtime belong to one release, and so does what this crate asks of the compiler.
fn check_version(path: &Path) -> Result<(), Error> {
    let output = Command::new(path)
        .arg("version")
        .output()
        .map_err(|error| Error::new(format!("{} cannot be run: {error}", path.display())))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(found) = text
        .trim()
        .strip_prefix("sdp ")
        .filter(|_| output.status.success())
    else {
        return Err(Error::new(format!(
            "{} is not the SDP compiler: it does not answer to `sdp version`. Set {VARIABLE} to where the compiler is.",
            path.display()
        )));
    };
    if series(found) == series(VERSION) {
        return Ok(());
    }
    Err(Error::new(format!(
        "{} is SDP {found}, and sdp-build {VERSION} needs SDP {}. Bring both to the same release, \
         and the crate serial-data-protocol too: all three lie in SDP's repository.",
        path.display(),
        series(VERSION)
    )))
}

/// The part of a version within which releases fit each other, as cargo has it.
fn series(version: &str) -> &str {
    let kept = if version.starts_with("0.") { 2 } else { 1 };
    version
        .match_indices('.')
        .nth(kept - 1)
        .map_or(version, |(dot, _)| &version[..dot])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_fit_as_cargo_has_it() {
        assert_eq!(series("0.3.1"), "0.3");
        assert_eq!(series("1.2.3"), "1");
        assert_eq!(series("0.3"), "0.3");
        assert_ne!(series("0.3.0"), series("0.30.0"));
        assert_ne!(series("1.0.0"), series("10.0.0"));
    }
}
