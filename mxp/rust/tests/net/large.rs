//! Calls with long values, and their allocations.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use allocation_counter::measure;
use mxp::net::{
    blocking, Buffer, Client, Options, Reply, Server, ServerHandle, Service, Stream, WhenFull,
};
use tokio::runtime::{Builder, Runtime};

const BYTES: usize = 112 << 10;
const CALLS: u8 = 100;
const SERVICE: &str = "t.Large";

fn made(byte: u8) -> Buffer {
    let mut buffer = Buffer::with_capacity(BYTES);
    buffer.resize(BYTES, byte);
    buffer
}

/// A server that adds 1 to each byte.
struct Adding {
    runtime: Runtime,
    _server: ServerHandle,
    folder: PathBuf,
    address: String,
}

impl Adding {
    fn new(name: &str, mut runtime: Builder) -> Self {
        let runtime = runtime.enable_all().build().unwrap();
        let folder = format!("mxp-large-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        // A process of this number may have left one.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let address = format!("mxp+unix://{}/s", folder.display());
        let add = Service::new(SERVICE).call(1, |request| async move {
            assert_eq!(request.value.len(), BYTES);
            Ok(Reply::new(made(request.value[BYTES - 1] + 1)))
        });
        let server = Server::new().service(add);
        let server = runtime.block_on(server.listen(&address)).unwrap();
        Self {
            runtime,
            _server: server,
            folder,
            address,
        }
    }
}

impl Drop for Adding {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

/// Fails where calls allocate on this thread what their values have.
fn allocate_little(mut call: impl FnMut(u8) -> Reply) {
    let expected: Vec<_> = (0..CALLS).map(|n| vec![n + 1; BYTES]).collect();
    let mut calls = || {
        for n in 0..CALLS {
            assert_eq!(call(n).value, expected[usize::from(n)]);
        }
    };
    calls();
    let each = measure(calls).bytes_total / u64::from(CALLS);
    // Where the machine is busy, memory may be given back meanwhile.
    assert!(each < 32 << 10, "{each} bytes for each call");
}

#[test]
fn long_values_are_neither_copied_nor_allocated() {
    let adding = Adding::new("tokio", Builder::new_current_thread());
    let options = Options::new();
    let client = adding
        .runtime
        .block_on(async { Client::connect(&adding.address).unwrap() });
    // Both ends are in this thread.
    allocate_little(|n| {
        let call = client.call(SERVICE, 1, made(n), &options);
        adding.runtime.block_on(call).unwrap()
    });
}

#[test]
fn long_values_of_a_client_for_threads_are_neither() {
    let mut runtime = Builder::new_multi_thread();
    runtime.worker_threads(1);
    let adding = Adding::new("threads", runtime);
    let options = Options::new();
    let client = blocking::Client::connect(&adding.address).unwrap();
    allocate_little(|n| client.call(SERVICE, 1, made(n), &options).unwrap());
}

/// Values that are sent and taken many at once need memory together, and none for each.
#[test]
fn many_short_values_are_not_allocated() {
    const MANY: u64 = 20_000;
    let mut runtime = Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    let folder = std::env::temp_dir().join(format!("mxp-many-{}", std::process::id()));
    // A process of this number may have left one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let address = format!("mxp+unix://{}/s", folder.display());
    let events = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&events);
    let service = Service::new(SERVICE)
        .stream(1, |_, mut stream: Stream| async move {
            let mut bytes = 0_u64;
            while let Some(chunks) = stream.receiver.chunks().await? {
                bytes += chunks.map(|chunk| chunk.len() as u64).sum::<u64>();
            }
            stream.send(bytes.to_le_bytes().to_vec()).await
        })
        .event_ref(2, move |value, _| {
            told.fetch_add(value.len() as u64, Ordering::Relaxed);
            Ok(())
        });
    let value = [7; 10];
    let values = || (0..MANY).map(|_| &value);
    let (_server, client) = runtime.block_on(async {
        let server = Server::new().service(service).listen(&address).await;
        let client = Client::connect(&address).unwrap();
        client.ready().await.unwrap();
        (server.unwrap(), client)
    });
    let options = Options::new();
    // Both ends are in this thread.
    let sent = || {
        runtime.block_on(async {
            let mut stream = client.open(SERVICE, 1, vec![], &options).await.unwrap();
            stream.sender.send_all(values()).await.unwrap();
            stream.finish().unwrap();
            let bytes = stream.receive().await.unwrap().unwrap();
            assert_eq!(bytes, (10 * MANY).to_le_bytes());
        });
    };
    let told = || {
        runtime.block_on(async {
            events.store(0, Ordering::Relaxed);
            let told = client.event_all(SERVICE, 2, values(), WhenFull::Wait, &options);
            told.await.unwrap();
            while events.load(Ordering::Relaxed) < 10 * MANY {
                tokio::task::yield_now().await;
            }
        });
    };
    let (sent, told) = (measure(sent).count_total, measure(told).count_total);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(sent < MANY / 20 && told < MANY / 20, "{sent} {told}");
}
