//! Calls with long values, and what they allocate.

use allocation_counter::measure;
use mxp::net::{Buffer, Client, Options, Reply, Server, Service};

const BYTES: usize = 112 << 10;
const CALLS: u8 = 100;

fn made(byte: u8) -> Buffer {
    let mut buffer = Buffer::new();
    buffer.resize(BYTES, byte);
    buffer
}

#[test]
fn long_values_are_neither_copied_nor_allocated() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let folder = std::env::temp_dir().join(format!("mxp-large-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let address = format!("mxp+unix://{}/s", folder.display());
    let add = Service::new("t.Large").call(1, |asked| async move {
        assert_eq!(asked.value.len(), BYTES);
        Ok(Reply::new(made(asked.value[BYTES - 1] + 1)))
    });
    let options = Options::new();
    let (server, client) = runtime.block_on(async {
        let server = Server::new().service(add).listen(&address).await.unwrap();
        (server, Client::connect(&address).unwrap())
    });
    let calls = || {
        runtime.block_on(async {
            for n in 0..CALLS {
                let reply = client.call("t.Large", 1, made(n), &options).await.unwrap();
                assert_eq!(reply.value, vec![n + 1; BYTES]);
            }
        });
    };
    let compared = u64::from(CALLS) * BYTES as u64;
    calls();
    let spent = measure(calls).bytes_total - compared;
    let each = spent / u64::from(CALLS);
    // Where the machine is busy, memory may be given back meanwhile.
    assert!(each < 32 << 10, "{each} bytes for each call");
    drop(server);
    std::fs::remove_dir_all(folder).unwrap();
}
