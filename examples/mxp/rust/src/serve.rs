//! The server.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::{Failure, Reply, Server, Service, Stream};
use mxp::session::Status;
use tokio::time::timeout;

use crate::{ending, method, tls, SERVICE};

/// The time that requests in flight have to end when the server does.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// Answers until it is told to end; then it lets what is in flight end. Its connections
/// may take so much memory together.
pub async fn serve(address: &str, memory: Option<usize>) -> Result<(), Box<dyn Error>> {
    let asked = ending::asked()?;
    let mut server = tls::server(Server::new().service(echo()))?;
    if let Some(memory) = memory {
        server = server.memory_bytes(memory);
    }
    let listening = server.listen(address).await?;
    println!("serving {}", listening.address());
    asked.await?;
    let _ = timeout(DRAIN_TIME, listening.drain("the server ends")).await;
    Ok(())
}

fn echo() -> Service {
    let ticks = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&ticks);
    Service::new(SERVICE)
        .call(method::ECHO, |asked| async { Ok(Reply::new(asked.value)) })
        .call(method::REFUSE, |asked| async move {
            let text = String::from_utf8_lossy(&asked.value);
            let status = Status::FAILED_PRECONDITION;
            Err(Failure::new(status, "demo_refused", text))
        })
        .stream(method::UPPER, |_, stream| upper(stream))
        .event(method::TICK, move |_| {
            ticks.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .call(method::COUNT, move |_| {
            let count = counted.load(Ordering::Relaxed);
            async move { Ok(Reply::new(count.to_le_bytes().to_vec())) }
        })
}

async fn upper(mut stream: Stream) -> Result<(), Failure> {
    while let Some(mut chunk) = stream.receive().await? {
        chunk.make_ascii_uppercase();
        stream.send(chunk).await?;
    }
    Ok(())
}
