use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler;
use crate::environment::Environment;
use crate::error::Error;
use crate::library;
use crate::rule::Rule;

/// The schemas to compile, and the options of the compiler.
///
/// ```no_run
/// fn main() -> Result<(), sdp_build::Error> {
///     sdp_build::Config::new()
///         .schema("schemas/plugins.sdp")
///         .include("../shared/schemas")
///         .compile()
/// }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a configuration does nothing until it is compiled"]
pub struct Config {
    schemas: Vec<PathBuf>,
    include: Vec<PathBuf>,
    out_dir: Option<PathBuf>,
    compiler: Option<PathBuf>,
    runtime: Option<String>,
    services: bool,
    parts: Vec<String>,
}

impl Config {
    /// Begins with no schema.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a schema file, or a folder of which all schemas are meant. The schemas that it imports are compiled with
    /// it.
    pub fn schema(mut self, path: impl AsRef<Path>) -> Self {
        self.schemas.push(path.as_ref().to_path_buf());
        self
    }

    /// Adds a folder in which imports are looked up, besides that of the importing file.
    pub fn include(mut self, folder: impl AsRef<Path>) -> Self {
        self.include.push(folder.as_ref().to_path_buf());
        self
    }

    /// Sets the folder for the modules and for `mod.rs`, which declares them; without it, `sdp` in cargo's `OUT_DIR`.
    pub fn out_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.out_dir = Some(folder.as_ref().to_path_buf());
        self
    }

    /// Says where the compiler is, so that it is not looked for.
    pub fn compiler(mut self, path: impl AsRef<Path>) -> Self {
        self.compiler = Some(path.as_ref().to_path_buf());
        self
    }

    /// Sets the path by which the code names its runtime; without it, `::sdp`, the library of the crate
    /// `serial-data-protocol`.
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.runtime = Some(path.into());
        self
    }

    /// Says whether clients and servers of the schemas' services are made, in a module more for each package that has
    /// some. The crate then depends on `mesh-exchange-protocol`, with its feature `tokio`.
    pub fn services(mut self, value: bool) -> Self {
        self.services = value;
        self
    }

    /// Says in which forms types are made: `owned`, on which the others rest, `borrowed`, `views`. Without it, it is the owned one
    /// alone.
    pub fn forms<'a>(mut self, forms: impl IntoIterator<Item = &'a str>) -> Self {
        let list: Vec<_> = forms.into_iter().collect();
        self.parts.push(format!("--forms={}", list.join(",")));
        self
    }

    /// Says whether JSON is made, which compiles with the crate's feature `serde`. Without it, it is.
    pub fn json(mut self, value: bool) -> Self {
        self.parts.push(format!("--json={value}"));
        self
    }

    /// Says whether `Serialize` and `Deserialize` are made, which rest on JSON and compile with the crate's feature `serde`.
    pub fn serde(mut self, value: bool) -> Self {
        self.parts.push(format!("--serde={value}"));
        self
    }

    /// Compiles the schemas, and tells cargo to run the build script again when one of them changes, or one that they
    /// import.
    ///
    /// # Errors
    /// If the compiler isn't found, is of a release that doesn't fit, or refuses a schema. The error's text is for the person
    /// who compiles: let `main` return it.
    pub fn compile(&self) -> Result<(), Error> {
        Environment::real(|environment| self.run(environment))
    }

    pub(crate) fn run(&self, environment: &mut Environment<'_>) -> Result<(), Error> {
        environment.tell("rerun-if-env-changed", compiler::VARIABLE);
        for schema in &self.schemas {
            environment.tell("rerun-if-changed", &schema.to_string_lossy());
        }
        let program = compiler::find(self.compiler.as_deref(), environment)?;
        environment.tell("rerun-if-changed", &program.to_string_lossy());
        let Some(given) = (environment.variable)("OUT_DIR").map(PathBuf::from) else {
            return Err(Error::new(
                "OUT_DIR is not set: sdp-build is for build scripts, which cargo runs",
            ));
        };
        let out_dir = self.out_dir.clone().unwrap_or_else(|| given.join("sdp"));
        let deps = given.join("sdp.d");
        self.generate(&program, &out_dir, &deps, environment)?;

        let rule = fs::read_to_string(&deps)
            .ok()
            .and_then(|text| Rule::parse(&text))
            .ok_or_else(|| {
                Error::new(format!(
                    "{} did not say what it read, in {}",
                    program.display(),
                    deps.display()
                ))
            })?;
        for path in &rule.of {
            environment.tell("rerun-if-changed", path);
        }
        if rule.made.iter().any(|path| path.ends_with("_service.rs")) {
            library::advise(environment);
        }
        declare(&out_dir.join("mod.rs"), &rule.made)
    }

    /// Runs the compiler. Its advice becomes warnings of cargo.
    fn generate(
        &self,
        program: &Path,
        out_dir: &Path,
        deps: &Path,
        environment: &mut Environment<'_>,
    ) -> Result<(), Error> {
        let mut out = std::ffi::OsString::from("rust=");
        out.push(out_dir);
        let mut command = Command::new(program);
        command.arg("gen").arg("--out").arg(out);
        command
            .arg("--rust-runtime")
            .arg(self.runtime.as_deref().unwrap_or("::sdp"));
        command.arg("--deps").arg(deps);
        if self.services {
            command.arg("--services");
        }
        command.args(&self.parts);
        for folder in &self.include {
            command.arg("--include").arg(folder);
        }
        command.arg("--").args(&self.schemas);
        let output = command
            .output()
            .map_err(|error| Error::new(format!("{} cannot be run: {error}", program.display())))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim_end();
        if !output.status.success() {
            return Err(Error::new(format!("the schemas were refused\n\n{said}")));
        }
        for line in said.lines() {
            environment.tell("warning", line);
        }
        Ok(())
    }
}

/// Begins the file that declares the modules.
const MARK: &str = "// @generated by sdp-build ";

/// Writes the file that declares the modules, unless somebody else wrote one in its place.
fn declare(list: &Path, files: &[String]) -> Result<(), Error> {
    let refuse = |reason: &str| {
        Err(Error::new(format!(
            "{} cannot be written: {reason}",
            list.display()
        )))
    };
    let text = declarations(files);
    match fs::read_to_string(list) {
        Ok(old) if old == text => return Ok(()),
        Ok(old) if !old.starts_with(MARK) => {
            return refuse("it is there, and sdp-build did not write it")
        }
        _ => {}
    }
    fs::write(list, text).or_else(|error| refuse(&error.to_string()))
}

/// The declarations of modules for the generated files, each of which has the name of its module.
fn declarations(files: &[String]) -> String {
    let mut text = format!("{MARK}{}. DO NOT EDIT.\n\n", env!("CARGO_PKG_VERSION"));
    let mut modules: Vec<_> = files
        .iter()
        .filter_map(|path| Path::new(path).file_stem()?.to_str())
        .collect();
    modules.sort_unstable();
    for module in modules {
        let _ = writeln!(text, "pub mod {module};");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_declared_in_order() {
        let text = declarations(&[
            "/out/plugins.rs".to_owned(),
            "/out/audio_common.rs".to_owned(),
        ]);
        assert!(text.starts_with("// @generated by sdp-build "));
        assert!(text.ends_with("\n\npub mod audio_common;\npub mod plugins;\n"));
    }

    #[test]
    fn a_list_that_somebody_wrote_stays() {
        let list = std::env::temp_dir().join(format!("sdp-build-{}-mod.rs", std::process::id()));
        fs::write(&list, "pub mod mine;\n").unwrap();
        let text = declare(&list, &[]).unwrap_err().to_string();
        assert!(text.ends_with("sdp-build did not write it"), "{text}");
        assert_eq!(fs::read_to_string(&list).unwrap(), "pub mod mine;\n");
        fs::remove_file(&list).unwrap();
        declare(&list, &["/out/a.rs".to_owned()]).unwrap();
        declare(&list, &["/out/b.rs".to_owned()]).unwrap();
        assert!(fs::read_to_string(&list)
            .unwrap()
            .ends_with("\npub mod b;\n"));
        fs::remove_file(&list).unwrap();
    }
}
