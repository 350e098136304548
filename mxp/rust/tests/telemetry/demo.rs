//! The service of the cases, and a server that has it.

use std::time::Duration;

use mxp::net::typed::{Codec, Method};
use mxp::net::{Buffer, Failure, Reply, Server, ServerHandle, Service, Stream};
use mxp::session::Status;

pub(crate) const SERVICE: &str = "demo.Told";

pub(crate) type Bytes = Vec<u8>;

const BYTES: Codec<Bytes> = Codec::new(
    |value| {
        let mut buffer = Buffer::with_capacity(value.len());
        buffer.extend_from_slice(value);
        Ok(buffer)
    },
    |bytes| Ok(bytes.into()),
);

pub(crate) const ECHO: Method<Bytes, Bytes> = Method::new(SERVICE, 1, "echo", BYTES, BYTES);
pub(crate) const REFUSE: Method<Bytes, Bytes> = Method::new(SERVICE, 2, "refuse", BYTES, BYTES);
pub(crate) const HANG: Method<Bytes, Bytes> = Method::new(SERVICE, 3, "hang", BYTES, BYTES);
pub(crate) const COUNT: Method<Bytes, Bytes> = Method::new(SERVICE, 4, "count", BYTES, BYTES);
pub(crate) const NOTICE: Method<Bytes, ()> = Method::event(SERVICE, 5, "notice", BYTES);

/// The time by which the deadline of a late call's handler is earlier than its caller's.
pub(crate) const SOONER: Duration = Duration::from_secs(10);

/// The failure that a method refuses a request with.
fn verdict(value: &[u8]) -> Result<(), Failure> {
    Err(match value {
        b"refused" => Failure::new(Status::NOT_FOUND, "song_unknown", ""),
        b"failed" => Failure::new(Status::UNKNOWN, "", "something is broken"),
        b"odd" => Failure::new(Status(4711), "4711", ""),
        b"late" => Failure::new(Status::DEADLINE_EXCEEDED, "deadline_exceeded", ""),
        _ => return Ok(()),
    })
}

pub(crate) fn service() -> Service {
    Service::new(SERVICE)
        .named(1, "echo")
        .named(2, "refuse")
        .named(3, "hang")
        .named(4, "count")
        .named(5, "notice")
        .call(1, |request| async move { Ok(Reply::new(request.value)) })
        .call(2, |request| async move {
            verdict(&request.value)?;
            Ok(Reply::default())
        })
        .call(3, |request| async move {
            if request.value == b"late"[..] {
                let time = request.deadline.and_then(|time| time.checked_sub(SOONER));
                tokio::time::sleep(time.unwrap()).await;
                verdict(&request.value)?;
            }
            core::future::pending().await
        })
        .stream(4, |request, stream: Stream| async move {
            for _ in 0..3 {
                stream.send(request.value.clone()).await?;
            }
            verdict(&request.value)
        })
        .event(5, |_| Ok(()))
}

/// A server on a port of its own.
pub(crate) async fn listen(server: Server) -> (ServerHandle, String) {
    let listening = server.listen("mxp+tcp://127.0.0.1:0").await.unwrap();
    let address = listening.address().to_string();
    (listening, address)
}
