//! Servers and clients, over sockets.
#![cfg_attr(
    not(unix),
    allow(
        unused_imports,
        unused_mut,
        dead_code,
        reason = "some tests are of unix sockets alone"
    )
)]

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
#[cfg(windows)]
mod pipes;
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
#[cfg(unix)]
mod transport;
#[cfg(feature = "websocket")]
mod websocket;
