//! Connections that are left out, calls on several, and the deadlines of policies. [MXP-14.10]
//! [MXP-14.11]

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::typed::{Caller, Codec, Method};
use mxp::net::{
    blocking, Buffer, Client, ClientOptions, Failure, Options, Reply, RetryPolicy, ServerHandle,
};
use mxp::net::{Server, Service};
use mxp::session::Status;

use crate::demo::{plain, until};

const SERVICE: &str = "demo.Replica";

/// The states of a replica: it answers, fails by a status, or never answers.
const WELL: u8 = 255;
const WAITS: u8 = 254;

/// One of several servers of the same.
struct Replica {
    address: String,
    state: Arc<AtomicU8>,
    calls: Arc<AtomicUsize>,
    /// Calls that were taken back.
    left: Arc<AtomicUsize>,
    listening: ServerHandle,
}

impl Replica {
    async fn new() -> Self {
        let state = Arc::new(AtomicU8::new(WELL));
        let (calls, left) = (Arc::default(), Arc::default());
        let service = {
            let (state, calls, left) = (
                Arc::clone(&state),
                Arc::clone(&calls),
                Arc::<AtomicUsize>::clone(&left),
            );
            Service::new(SERVICE).call(1, move |request| {
                AtomicUsize::fetch_add(&calls, 1, Ordering::SeqCst);
                let (state, left) = (state.load(Ordering::SeqCst), Left(Arc::clone(&left)));
                async move {
                    match state {
                        WELL => {}
                        WAITS => std::future::pending().await,
                        status => {
                            core::mem::forget(left);
                            return Err(Failure::new(Status(status.into()), "sick", "").refused());
                        }
                    }
                    core::mem::forget(left);
                    let left = request.deadline.unwrap_or_default().as_micros();
                    Ok(Reply::new(left.to_le_bytes().to_vec()))
                }
            })
        };
        let address = plain();
        let listening = Server::new().service(service).listen(&address).await;
        Self {
            address,
            state,
            calls,
            left,
            listening: listening.unwrap(),
        }
    }

    fn set(&self, state: u8) {
        self.state.store(state, Ordering::SeqCst);
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// Counts that it is dropped.
struct Left(Arc<AtomicUsize>);

impl Drop for Left {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// So many replicas, and the addresses of all.
async fn replicas<const N: usize>() -> [Replica; N] {
    let mut all = Vec::new();
    for _ in 0..N {
        all.push(Replica::new().await);
    }
    all.try_into().ok().unwrap()
}

/// A client that is connected to each.
async fn connected(all: &[Replica], options: ClientOptions) -> Client {
    let client = options.connect_any(all.iter().map(|replica| &replica.address[..]));
    let client = client.unwrap();
    let connected = |replica: &Replica| replica.listening.connections() > 0;
    until("all connections", || all.iter().all(connected)).await;
    let before: Vec<_> = all.iter().map(Replica::calls).collect();
    // The last Hello of a replica may be on its way.
    while before
        .iter()
        .zip(all)
        .any(|(n, replica)| replica.calls() == *n)
    {
        client
            .call(SERVICE, 1, vec![], &Options::new())
            .await
            .unwrap();
    }
    for one in all {
        one.calls.store(0, Ordering::SeqCst);
    }
    client
}

async fn failures(client: &Client, calls: usize) -> usize {
    let mut failed = 0;
    for _ in 0..calls {
        let called = client.call(SERVICE, 1, vec![], &Options::new()).await;
        failed += usize::from(called.is_err());
    }
    failed
}

fn sick(status: Status) -> u8 {
    status.0.try_into().unwrap()
}

#[tokio::test]
async fn outliers_are_left_out_for_a_while_unless_most_are() {
    let all: [Replica; 3] = replicas().await;
    let client = connected(&all, ClientOptions::new()).await;
    all[0].set(sick(Status::UNAVAILABLE));
    let failed = failures(&client, 200).await;
    assert!((5..=10).contains(&failed), "{failed}");
    assert!(client.stats().unwrap().outliers() > 0);
    // It is asked again, and stays when that ends well.
    all[0].set(WELL);
    let before = all[0].calls();
    while all[0].calls() == before {
        assert_eq!(failures(&client, 1).await, 0);
    }
    all[1].set(sick(Status::INTERNAL));
    all[2].set(sick(Status::INTERNAL));
    let failed = failures(&client, 200).await;
    assert!(failed > 30, "{failed}");
}

#[tokio::test]
async fn outliers_are_kept_by_choice() {
    let all: [Replica; 2] = replicas().await;
    let client = connected(&all, ClientOptions::new().keep_outliers()).await;
    all[0].set(sick(Status::UNAVAILABLE));
    let failed = failures(&client, 200).await;
    assert!(failed > 30, "{failed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_for_threads_leaves_outliers_out_too() {
    let all: [Replica; 2] = replicas().await;
    let (a, b) = (all[0].address.clone(), all[1].address.clone());
    let (sick_one, taken) = (
        Arc::clone(&all[0].state),
        all.each_ref().map(|replica| Arc::clone(&replica.calls)),
    );
    let blocked = tokio::task::spawn_blocking(move || {
        let timeout = Duration::from_secs(7);
        let options = blocking::ClientOptions::new().retry(RetryPolicy::new().timeout(timeout));
        let options = options.connections(1).connect_any([&a[..], &b]);
        let (client, none) = (options.unwrap(), Options::new().without_retry());
        let call = || client.call(SERVICE, 1, vec![], &none);
        // Both connections are there: a client leaves out none that is the only one.
        while taken.iter().any(|calls| calls.load(Ordering::SeqCst) == 0) {
            call().unwrap();
        }
        sick_one.store(sick(Status::UNAVAILABLE), Ordering::SeqCst);
        let failed = (0..200).filter(|_| call().is_err()).count();
        assert!((5..=10).contains(&failed), "{failed}");
        let reply = client.call(SERVICE, 1, vec![], &Options::new()).unwrap();
        let left = u128::from_le_bytes(reply.value[..].try_into().unwrap());
        assert!(left > 0 && left <= timeout.as_micros(), "{left}");
    });
    blocked.await.unwrap();
}

/// An idempotent method of the replicas.
fn method() -> Method<Vec<u8>, Vec<u8>> {
    let bytes = Codec::new(
        |bytes: &Vec<u8>| {
            let mut buffer = Buffer::default();
            buffer.extend_from_slice(bytes);
            Ok(buffer)
        },
        |bytes| Ok(bytes.to_vec()),
    );
    Method::new(SERVICE, 1, "ask", bytes, bytes)
}

#[tokio::test]
async fn slow_calls_are_made_on_another_connection_too() {
    let all: [Replica; 2] = replicas().await;
    let policy = RetryPolicy::new().hedge(Duration::from_millis(20));
    let options = ClientOptions::new().retry(policy.budget(1.0));
    let client = connected(&all, options.keep_outliers()).await;
    all[0].set(WAITS);
    let caller = Caller::new(client.clone());
    let idempotent = method().idempotent();
    for _ in 0..20 {
        idempotent.call(&caller, &vec![]).await.unwrap();
    }
    let asked = all[0].calls();
    let left = || all[0].left.load(Ordering::SeqCst) == asked;
    until("all are taken back", left).await;
    let retries = || client.stats().unwrap().retries();
    assert_eq!((all[1].calls(), retries()), (20, asked as u64));
    assert!(asked > 0);
    // There are no connections beside these two.
    all[1].set(WAITS);
    let short = RetryPolicy::new().hedge(Duration::from_millis(5));
    let short = short.timeout(Duration::from_millis(60));
    let options = Options::new().with_retry(short.attempts(10));
    let failure = idempotent.call(&caller.with(options), &vec![]).await;
    assert_eq!(failure.unwrap_err().status, Status::DEADLINE_EXCEEDED);
    assert_eq!(all[0].calls() + all[1].calls(), asked + 22);
    // A call that is not idempotent is made once.
    let before = retries();
    let failure = method()
        .call(&caller.with(Options::new().with_retry(short)), &vec![])
        .await;
    assert_eq!(failure.unwrap_err().status, Status::DEADLINE_EXCEEDED);
    assert_eq!(retries(), before);
}

#[tokio::test]
async fn requests_without_a_deadline_have_that_of_their_policy() {
    for intercepts in [false, true] {
        let all: [Replica; 1] = replicas().await;
        let policy = RetryPolicy::new().timeout(Duration::from_millis(50));
        let mut options = ClientOptions::new().retry(policy);
        if intercepts {
            options = options.intercept(|request, next| next.run(request));
        }
        let client = options.connect(&all[0].address).unwrap();
        let left = |options: Options| {
            let client = client.clone();
            async move {
                let reply = client.call(SERVICE, 1, vec![], &options).await?;
                let left = reply.value[..].try_into().unwrap();
                Ok::<_, Failure>(u128::from_le_bytes(left))
            }
        };
        let micros = left(Options::new()).await.unwrap();
        assert!(micros > 0 && micros <= 50_000, "{micros}");
        let longer = Options::new().with_deadline(Duration::from_secs(60));
        assert!(left(longer).await.unwrap() > 1_000_000);
        assert_eq!(left(Options::new().without_retry()).await.unwrap(), 0);
        all[0].set(WAITS);
        let failure = left(Options::new()).await.unwrap_err();
        assert_eq!(failure.status, Status::DEADLINE_EXCEEDED);
        let text = &failure.text;
        assert!(text.contains("a deadline of 50 ms"), "{text}");
    }
}
