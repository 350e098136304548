//! Servers and clients, over sockets.

mod admit;
mod again;
mod agents;
mod aliases;
mod batches;
mod blocking;
mod callback;
mod connect;
#[cfg(unix)]
mod costs;
mod demo;
mod failures;
mod following;
mod hostile;
mod idle;
mod intercept;
mod log;
mod many;
mod mesh;
mod metrics;
#[cfg(feature = "tls")]
mod mutual;
mod node;
mod order;
mod policy;
mod publishing;
mod raw;
mod requests;
mod retry;
mod several;
mod streams;
mod threads;
#[cfg(feature = "tls")]
mod tls;
mod transport;
#[cfg(feature = "websocket")]
mod websocket;
