use std::env;
use std::ffi::OsString;
use std::io::{self, Write};

/// The environment that cargo gives a build script, and its output to cargo; tests stand in for both.
pub(crate) struct Environment<'a> {
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    pub(crate) cargo: &'a mut dyn Write,
}

impl Environment<'_> {
    /// Runs something in the environment of this process.
    pub(crate) fn real<T>(body: impl FnOnce(&mut Environment<'_>) -> T) -> T {
        body(&mut Environment {
            variable: &|name| env::var_os(name).filter(|value| !value.is_empty()),
            cargo: &mut io::stdout(),
        })
    }

    /// Tells cargo something. If cargo doesn't listen there is nobody to tell about it.
    pub(crate) fn tell(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.cargo, "cargo:{key}={value}");
    }
}
