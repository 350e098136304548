//! The requests that all languages tell of, and bounds.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::typed::{BlockingCaller, Caller};
use mxp::net::{
    blocking, Client, ClientOptions, Failure, Options, Reply, RetryPolicy, Server, Service,
};
use mxp::session::{Limits, Status};

use crate::demo::{listen, service, COUNT, ECHO, HANG, NOTICE, REFUSE, SERVICE, SOONER};
use crate::exported::{cases, check, line, texts, Exported};

/// The cases of a client for threads, which can take no call back.
const OF_THREADS: [&str; 10] = [
    "answered",
    "too_large",
    "refused",
    "failed",
    "odd",
    "unknown",
    "late",
    "stream",
    "stream_refused",
    "event",
];

/// The longest payload that clients of the cases take.
const MOST_TAKEN: usize = 16384;

fn limits() -> Limits {
    Limits {
        payload_bytes: MOST_TAKEN,
        ..Limits::default()
    }
}

fn late() -> Options {
    Options::new().with_deadline(SOONER + Duration::from_millis(50))
}

/// Makes the request of a case.
async fn ask(case: &str, client: Client) -> Result<(), Failure> {
    let value = case.as_bytes().to_vec();
    let caller = &Caller::new(client.clone());
    match case {
        "answered" => ECHO.call(caller, &value).await.map(|_| ()),
        "too_large" => {
            let value = vec![b'x'; 2 * MOST_TAKEN];
            ECHO.call(caller, &value).await.map(|_| ())
        }
        "refused" | "failed" | "odd" => REFUSE.call(caller, &value).await.map(|_| ()),
        "unknown" => {
            let options = Options::new();
            client.call(SERVICE, 99, b"", &options).await.map(|_| ())
        }
        "cancelled" => {
            let request = HANG.call(caller, &value);
            let taken_back = tokio::time::timeout(Duration::from_millis(200), request);
            taken_back.await.unwrap_err();
            let taken_back = Failure::new(Status::CANCELLED, "cancelled", "");
            Err(taken_back)
        }
        "late" => HANG.call(&caller.with(late()), &value).await.map(|_| ()),
        "stream" | "stream_refused" => {
            let value = value.strip_prefix(b"stream_").unwrap_or(&value).to_vec();
            let mut values = COUNT.server_stream(caller, &value).await?;
            while values.receive().await?.is_some() {}
            Ok(())
        }
        "event" => NOTICE.publish_acked(caller, &value).await,
        _ => panic!("{case}"),
    }
}

/// The same, on this thread.
fn ask_blocking(case: &str, client: &blocking::Client) -> Result<(), Failure> {
    let value = case.as_bytes().to_vec();
    let caller = &BlockingCaller::new(client.clone());
    match case {
        "answered" => ECHO.call_blocking(caller, &value).map(|_| ()),
        "too_large" => {
            let value = vec![b'x'; 2 * MOST_TAKEN];
            ECHO.call_blocking(caller, &value).map(|_| ())
        }
        "refused" | "failed" | "odd" => REFUSE.call_blocking(caller, &value).map(|_| ()),
        "unknown" => client.call(SERVICE, 99, b"", &Options::new()).map(|_| ()),
        "late" => HANG.call_blocking(&caller.with(late()), &value).map(|_| ()),
        "stream" | "stream_refused" => {
            let value = value.strip_prefix(b"stream_").unwrap_or(&value).to_vec();
            let mut values = COUNT.server_stream_blocking(caller, &value)?;
            while values.receive()?.is_some() {}
            Ok(())
        }
        "event" => NOTICE.publish_acked_blocking(caller, &value),
        _ => panic!("{case}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_request_is_exported() {
    // A head, and two sides of each.
    assert_eq!(cases().lines().count(), 1 + 2 * (OF_THREADS.len() + 1));
    for case in OF_THREADS.into_iter().chain(["cancelled"]) {
        let (here, there) = (Exported::new(), Exported::new());
        let server = Server::new()
            .service(service())
            .telemetry(there.telemetry());
        let (_listening, address) = listen(server).await;
        let options = ClientOptions::new().telemetry(here.telemetry());
        let client = options.limits(limits()).connect(&address).unwrap();
        let begun = Instant::now();
        let failure = ask(case, client).await.err();
        // Of what was taken back, nobody is left who could be told where it was.
        let failure = failure.map(|why| match case {
            "cancelled" => "Cancelled (1) cancelled".into(),
            _ => why.to_string(),
        });
        check(case, [&here, &there], &address, failure.as_deref(), begun);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_request_of_a_thread_is_exported() {
    for case in OF_THREADS {
        let (here, there) = (Exported::new(), Exported::new());
        let server = Server::new()
            .service(service())
            .telemetry(there.telemetry());
        let (_listening, address) = listen(server).await;
        let options = blocking::ClientOptions::new().telemetry(here.telemetry());
        let (begun, to) = (Instant::now(), address.clone());
        let asked = tokio::task::spawn_blocking(move || {
            let client = options.limits(limits()).connect(&to).unwrap();
            ask_blocking(case, &client).map_err(|why| why.to_string())
        });
        let failure = asked.await.unwrap().err();
        check(case, [&here, &there], &address, failure.as_deref(), begun);
    }
}

#[tokio::test]
async fn repetitions_are_one_span() {
    let (here, attempts) = (Exported::new(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&attempts);
    let service = Service::new(SERVICE).call(1, move |_| {
        let attempt = counted.fetch_add(1, Ordering::SeqCst);
        let busy = Failure::new(Status::UNAVAILABLE, "busy", "").refused();
        async move { (attempt == 2).then(Reply::default).ok_or(busy) }
    });
    let folder = std::env::temp_dir().join(format!("mxp-telemetry-{}", std::process::id()));
    // A process of this number may have left one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let place = format!("{}/s.sock", folder.display());
    let address = format!("mxp+unix://{place}");
    let _listening = Server::new().service(service).listen(&address).await;
    let policy = RetryPolicy::new().least_pause(Duration::from_millis(1));
    let options = ClientOptions::new()
        .telemetry(here.telemetry())
        .retry(policy);
    let client = options.connect(&address).unwrap();
    let begun = Instant::now();
    let called = client.call(SERVICE, 1, b"", &Options::new()).await;
    called.unwrap();
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
    let want = format!("demo.Told/1\tunset\trpc.method=demo.Told/1 rpc.response.status_code=OK rpc.system.name=mxp server.address={place}");
    assert_eq!(line(&here.span(), ""), want);
    here.measured("client", begun.elapsed());
}

#[tokio::test]
async fn methods_beyond_the_most_are_others() {
    let here = Exported::new();
    let (_listening, address) = listen(Server::new().service(service())).await;
    let options = ClientOptions::new().telemetry(here.telemetry());
    let client = options.connect(&address).unwrap();
    for number in 0..1100 {
        let guess = format!("demo.Guess{number}");
        let called = client.call(&guess, 1, b"", &Options::new()).await;
        called.unwrap_err();
    }
    let mut methods: BTreeMap<String, usize> = BTreeMap::new();
    for span in here.spans() {
        let attributes = texts(&span.attributes);
        let method = attributes["rpc.method"].clone();
        if method == "_OTHER" {
            assert_eq!(span.name, "mxp");
            assert!(attributes["rpc.method_original"].starts_with("demo.Guess"));
        }
        *methods.entry(method).or_default() += 1;
    }
    assert_eq!((methods.len(), methods["_OTHER"]), (1025, 1100 - 1024));
}
