//! Compiles [SDP](https://github.com/serial-data-protocol/sdp) schemas in a build script.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), sdp_build::Error> {
//!     sdp_build::compile(&["plugins.sdp"])
//! }
//! ```
//!
//! Each package becomes a module. One line declares them all, wherever they are wanted:
//!
//! ```text
//! // src/lib.rs
//! include!(concat!(env!("OUT_DIR"), "/sdp/mod.rs"));
//! ```
//!
//! The crate needs both, and nothing of `sdp-build` is in the program:
//!
//! ```toml
//! [dependencies]
//! serial-data-protocol = "0.5"
//!
//! [build-dependencies]
//! sdp-build = "0.5"
//! ```
//!
//! [`Config::services`] asks for clients and servers too, which need one dependency more:
//! `mesh-exchange-protocol = { version = "0.5", features = ["tokio"] }`. Where these crates come from a copy of the
//! repository, `path = "…"` stands in place of the version.
//!
//! JSON and `serde` are there if the crate has a feature of that name: `serde = ["serial-data-protocol/serde"]`.
//!
//! The compiler is a program of its own. It is looked for where [`Config::compiler`] says, else where the environment
//! variable `SDP` says, else in the folders of `PATH`.
//!
//! Every user who compiles the crate needs it too. To spare them that, run `sdp gen --out rust=src` by hand, check the
//! result in, and do without a build script.

#![forbid(unsafe_code)]

mod compiler;
mod config;
mod environment;
mod error;
mod library;
mod rule;
#[cfg(test)]
mod scripts;

use std::path::Path;

pub use config::Config;
pub use error::Error;

/// Compiles schema files, or folders of them, with no further wishes.
///
/// # Errors
/// As [`Config::compile`].
pub fn compile<P: AsRef<Path>>(schemas: &[P]) -> Result<(), Error> {
    schemas.iter().fold(Config::new(), Config::schema).compile()
}
