//! Streams, interceptors and several addresses of the client for threads.

mod addresses;
mod intercept;
mod line;
mod server;
mod streams;

use std::sync::Arc;
use std::time::Duration;

use mxp::net::blocking::{Client, ClientOptions};
use mxp::net::{Server, ServerHandle, Service};
use tokio::runtime::Runtime;

use crate::demo::{plain, service, Seen};

/// A server, the runtime that it lives on, and a client.
struct Pair {
    client: Client,
    listening: Option<ServerHandle>,
    seen: Arc<Seen>,
    runtime: Runtime,
}

impl Pair {
    fn new(options: ClientOptions) -> Self {
        let seen = Arc::new(Seen::default());
        let server = Server::new().service(service(&seen));
        Self::of(server, options, seen)
    }

    fn serving(service: Service) -> Self {
        let server = Server::new().service(service);
        Self::of(server, patient(), Arc::default())
    }

    fn of(server: Server, options: ClientOptions, seen: Arc<Seen>) -> Self {
        let runtime = runtime();
        let listening = runtime.block_on(server.listen(&plain())).unwrap();
        let client = options.connect(&listening.address().to_string()).unwrap();
        Self {
            client,
            listening: Some(listening),
            seen,
            runtime,
        }
    }

    /// How many requests the server has in flight.
    fn in_flight(&self) -> usize {
        let listening = self.listening.as_ref().unwrap();
        listening.stats().in_flight().1
    }
}

fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
}

/// A request that waits may wait long where the machine has much else to do.
fn patient() -> ClientOptions {
    ClientOptions::new().connect_timeout(Duration::from_secs(60))
}

/// Waits until something is so, but not for ever.
fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..2000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it never came to this: {what}");
}
