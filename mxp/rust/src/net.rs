//! Sockets: servers and clients that speak MXP over unix sockets, TCP and TLS.
//!
//! With the feature `tokio` there are `Server` and `Client`, whose connections are a
//! task each; with `blocking` there is `blocking::Client` for threads without a
//! runtime.
#![cfg_attr(
    feature = "tokio",
    doc = r#"
```
use mxp::net::{Client, Failure, Reply, Server, Service};

# #[tokio::main(flavor = "current_thread")]
# async fn main() -> Result<(), Box<dyn std::error::Error>> {
# let folder = std::env::temp_dir().join(format!("mxp-doc-{}", std::process::id()));
# std::fs::create_dir_all(&folder)?;
# let address = format!("mxp+unix://{}/echo.sock", folder.display());
let echo = Service::new("demo.Echo").call(1, |request| async move { Ok(Reply::new(request.value)) });
let server = Server::new().service(echo).listen(&address).await?;

let client = Client::connect(&address)?;
let reply = client.call("demo.Echo", 1, b"hello".to_vec(), &Default::default()).await?;
assert_eq!(reply.value, b"hello"[..]);
server.drain("done").await;
# Ok(())
# }
```
"#
)]

mod address;
#[cfg(feature = "tokio")]
mod agents;
#[cfg(feature = "tokio")]
mod alarm;
#[cfg(feature = "blocking")]
pub mod blocking;
#[cfg(feature = "tokio")]
mod budget;
mod buffer;
#[cfg(feature = "tokio")]
mod catalog;
#[cfg(all(feature = "shm", feature = "tokio"))]
pub mod channel;
#[cfg(feature = "tokio")]
mod client;
#[cfg(feature = "tokio")]
mod client_request;
mod clock;
#[cfg(feature = "tokio")]
mod connection;
mod draws;
#[cfg(feature = "tokio")]
mod drive;
#[cfg(feature = "tokio")]
mod events;
mod failure;
mod input;
#[cfg(feature = "tokio")]
mod intercept;
mod log;
#[cfg(feature = "tokio")]
mod mesh_address;
#[cfg(any(
    feature = "tokio",
    all(feature = "blocking", feature = "opentelemetry")
))]
mod method_table;
#[cfg(feature = "tokio")]
mod methods;
#[cfg(feature = "tokio")]
mod metrics;
#[cfg(feature = "tokio")]
mod movement;
#[cfg(feature = "tokio")]
mod options;
#[cfg(feature = "tokio")]
mod output;
#[cfg(feature = "tokio")]
mod peer;
#[cfg(feature = "tokio")]
mod place;
#[cfg(feature = "tokio")]
mod provided;
#[cfg(feature = "tokio")]
mod publisher;
#[cfg(feature = "tokio")]
mod registration;
#[cfg(feature = "tokio")]
mod reporter;
#[cfg(feature = "tokio")]
mod request;
#[cfg(feature = "tokio")]
mod request_kind;
mod request_options;
#[cfg(feature = "tokio")]
mod server;
#[cfg(feature = "tokio")]
mod service;
#[cfg(windows)]
mod sid;
#[cfg(feature = "tokio")]
mod source;
#[cfg(feature = "tokio")]
mod stream;
#[cfg(feature = "tokio")]
mod subscriber;
#[cfg(feature = "tokio")]
pub use subscriber::{Subscriber, Subscription};
#[cfg(all(
    feature = "opentelemetry",
    any(feature = "tokio", feature = "blocking")
))]
mod telemetry;
#[cfg(all(
    not(feature = "opentelemetry"),
    any(feature = "tokio", feature = "blocking")
))]
#[path = "net/untold.rs"]
mod telemetry;
pub mod transport;
#[cfg(feature = "tokio")]
mod trim;
#[cfg(feature = "tokio")]
pub mod typed;
mod wait;
#[cfg(feature = "tokio")]
mod work;

#[cfg(feature = "tokio")]
pub use crate::engine::Standing;
pub use crate::engine::{Failure, MethodKind, Reply, RetryPolicy, WhenFull, Window};
pub use address::{Address, AddressError};
pub use buffer::Buffer;
#[cfg(feature = "tokio")]
pub use client::{Announcement, Client};
#[cfg(feature = "fixed-draws")]
pub use draws::fix_draws;
#[cfg(feature = "tokio")]
pub use intercept::Next;
#[cfg(feature = "tokio")]
pub use mesh_address::node_address;
#[cfg(feature = "tokio")]
pub use options::ClientOptions;
#[cfg(feature = "tokio")]
pub use peer::{Certificate, Peer, Process, Transport};
#[cfg(feature = "tokio")]
pub use provided::{health, mesh, reflection};
#[cfg(feature = "tokio")]
pub use registration::Registration;
#[cfg(feature = "tokio")]
pub use reporter::HealthReporter;
#[cfg(feature = "tokio")]
pub use request::Request;
#[cfg(feature = "tokio")]
pub use request_options::ParentRequest;
pub use request_options::{AnswerMetadata, Options};
#[cfg(feature = "tokio")]
pub use server::{Server, ServerHandle};
#[cfg(feature = "tokio")]
pub use service::Service;
#[cfg(windows)]
pub use sid::Sid;
#[cfg(feature = "tokio")]
pub use source::Source;
#[cfg(feature = "tokio")]
pub use stream::{Chunks, Receiver, Sender, Stream};
#[cfg(all(
    feature = "opentelemetry",
    any(feature = "tokio", feature = "blocking")
))]
pub use telemetry::Telemetry;
#[cfg(feature = "tls")]
pub use tokio_rustls::rustls;

/// The name of [`Request`] until 0.4.
#[cfg(feature = "tokio")]
#[deprecated(since = "0.5.0", note = "use `Request`")]
pub type Asked = Request;

/// The name of [`ServerHandle`] until 0.4.
#[cfg(feature = "tokio")]
#[deprecated(since = "0.5.0", note = "use `ServerHandle`")]
pub type Listening = ServerHandle;
