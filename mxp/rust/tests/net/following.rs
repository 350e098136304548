//! Requests that follow others: deadlines, traces and what vendors add to these.

use std::time::Duration;

use mxp::net::{Client, Options, Reply, Server, Service};
use mxp::session::TraceContext;

use crate::demo::plain;

const TRACE: TraceContext = TraceContext {
    id: [7; 16],
    parent: 5,
    flags: 1,
};

/// A server that answers with the facts of a call, one line of which is its trace.
fn back() -> Service {
    Service::new("demo.Back").call(1, |request| async move {
        let state = request.get("tracestate").map_or(0, <[u8]>::len);
        let trace = request.trace.unwrap_or_default();
        let left = request.deadline.map_or(0, |duration| duration.as_millis());
        let (span, is_same) = (trace.parent, trace.id == TRACE.id && trace.flags == 1);
        let metadata = request.metadata.len();
        let said = format!("{state} {span} {is_same} {left} {metadata}");
        Ok(Reply::new(said.into_bytes()))
    })
}

fn front(client: Client) -> Service {
    Service::new("demo.Front").call(1, move |request| {
        let client = client.clone();
        async move {
            let mut options = Options::new();
            if request.value == b"short"[..] {
                options = options.with_deadline(Duration::from_secs(5));
            }
            if request.value == b"own"[..] {
                options = options.with("tracestate", "own");
            }
            let options = options.following(&request);
            client.call("demo.Back", 1, request.value, &options).await
        }
    })
}

#[tokio::test]
async fn a_request_that_follows_another_is_of_its_trace_and_ends_no_later() {
    let (behind, before) = (plain(), plain());
    let _back = Server::new().service(back()).listen(&behind).await.unwrap();
    let front = front(Client::connect(&behind).unwrap());
    let _front = Server::new().service(front).listen(&before).await.unwrap();
    let client = Client::connect(&before).unwrap();
    for (value, state, want_state, most) in [
        ("long", 512, 512, 60_000),
        ("long", 513, 0, 60_000),
        ("short", 0, 0, 5000),
        ("own", 512, 3, 60_000),
    ] {
        let mut options = Options::new().with_trace(TRACE).with("key", "stays here");
        options.deadline = Some(Duration::from_secs(60));
        if state > 0 {
            options = options.with("tracestate", vec![b'a'; state]);
        }
        let reply = client.call("demo.Front", 1, value.as_bytes(), &options);
        let reply = reply.await.unwrap().value;
        let said = String::from_utf8(reply.to_vec()).unwrap();
        let said: Vec<&str> = said.split(' ').collect();
        let [passed, span, is_same, left, metadata] = said[..] else {
            panic!("{said:?}");
        };
        assert_eq!(passed, want_state.to_string());
        assert!(span == "5" && is_same == "true", "{said:?}");
        let left: u32 = left.parse().unwrap();
        assert!(left > 0 && left <= most, "{left} of {most}");
        assert_eq!(metadata, if want_state > 0 { "1" } else { "0" });
    }
    let reply = client.call("demo.Front", 1, b"none", &Options::new()).await;
    assert_eq!(reply.unwrap().value, b"0 0 false 0 0"[..]);
}
