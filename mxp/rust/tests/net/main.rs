//! Servers and clients, over sockets.

mod again;
mod agents;
mod blocking;
mod connect;
mod demo;
mod failures;
mod hostile;
mod idle;
mod intercept;
mod log;
mod order;
mod raw;
mod requests;
mod streams;
#[cfg(feature = "tls")]
mod tls;
