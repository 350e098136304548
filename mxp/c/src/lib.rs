//! MXP by a C ABI: the library that `include/mxp.h` describes.
//!
//! A [`Core`](core::Core) has a thread with a runtime, and a queue of completions. Functions of the
//! header look at their arguments, give the thread a job, and return a [`Code`].
#![deny(unsafe_code)]

mod client;
mod code;
mod completion;
mod core;
mod exports;
mod foreign;
mod log;
mod mesh;
mod owner;
mod policy;
mod server;
pub mod shapes;
mod shared;
#[cfg_attr(not(unix), path = "signals_none.rs")]
mod signals;
mod stream;
mod ticket;
mod tls;
#[cfg_attr(windows, path = "waitable_event.rs")]
mod waitable;

pub use code::Code;
pub use exports::*;
