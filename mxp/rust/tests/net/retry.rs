//! Requests that are made again by a policy. [MXP-14.8]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::typed::{Caller, Codec, Method};
use mxp::net::{
    blocking, Buffer, Client, ClientOptions, Failure, Options, Reply, RetryPolicy, ServerHandle,
};
use mxp::net::{Server, Service, WhenFull};
use mxp::session::Status;

use crate::demo::{plain, until};

const SERVICE: &str = "demo.Shaky";

/// A service whose calls fail so many times as their values say, with a status, and then
/// answer; and how often it was asked.
async fn shaky(status: Status, is_refused: bool) -> (ServerHandle, String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let (calls, events) = (Arc::clone(&asked), Arc::clone(&asked));
    let answer = move |value: &[u8], count: &AtomicUsize| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        if n >= usize::from(value[0]) {
            return Ok(());
        }
        let failure = Failure::new(status, "demo_shaky", "");
        Err(if is_refused {
            failure.refused()
        } else {
            failure
        })
    };
    let service = Service::new(SERVICE)
        .call(1, move |request| {
            let answer = answer(&request.value, &calls).map(|()| Reply::default());
            async { answer }
        })
        .event(2, move |request| answer(&request.value, &events));
    let address = plain();
    let server = Server::new().service(service);
    let listening = server.listen(&address).await.unwrap();
    (listening, address, asked)
}

fn soon() -> RetryPolicy {
    let pause = Duration::from_millis(2);
    RetryPolicy::new().least_pause(pause).greatest_pause(pause)
}

fn client(address: &str, policy: RetryPolicy) -> Client {
    ClientOptions::new().retry(policy).connect(address).unwrap()
}

async fn call(client: &Client, fails: u8, options: &Options) -> Result<(), Failure> {
    let called = client.call(SERVICE, 1, vec![fails], options).await;
    called.map(|_| ())
}

#[tokio::test]
async fn what_nobody_has_acted_on_is_made_again_as_often_as_the_policy_says() {
    let (_server, address, asked) = shaky(Status::UNAVAILABLE, true).await;
    let client = client(&address, soon());
    let options = Options::new().with_deadline(Duration::from_secs(60));
    call(&client, 2, &options).await.unwrap();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 3);
    let failure = call(&client, 3, &options).await.unwrap_err();
    assert_eq!((&failure.name[..], failure.acted), ("demo_shaky", false));
    assert_eq!(asked.swap(0, Ordering::SeqCst), 3);
    let told = client.event_acked(SERVICE, 2, vec![2], &options).await;
    told.unwrap();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 3);
    // Nobody says that this one was not taken.
    let told = client.event(SERVICE, 2, vec![2], WhenFull::Wait, &options);
    told.await.unwrap();
    until("an event", || asked.load(Ordering::SeqCst) == 1).await;
    asked.store(0, Ordering::SeqCst);
    let stats = client.stats().unwrap();
    assert_eq!((stats.retries(), stats.retries_over_budget()), (6, 0));

    // A request has another policy, or none.
    let more = options.clone().with_retry(soon().attempts(5));
    call(&client, 4, &more).await.unwrap();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 5);
    let none = options.clone().without_retry();
    call(&client, 1, &none).await.unwrap_err();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 1);
    let plain = Client::connect(&address).unwrap();
    call(&plain, 1, &options).await.unwrap_err();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 1);
    call(&plain, 1, &more).await.unwrap();
}

#[tokio::test]
async fn what_may_have_been_acted_on_is_made_again_if_it_is_idempotent() {
    let (_server, address, asked) = shaky(Status::UNAVAILABLE, false).await;
    let client = client(&address, soon());
    let failure = call(&client, 1, &Options::new()).await.unwrap_err();
    assert!(failure.acted);
    assert_eq!(asked.swap(0, Ordering::SeqCst), 1);
    // The options say it of a method that is named by its number.
    let options = Options::new().idempotent();
    call(&client, 2, &options).await.unwrap();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 3);
    let bytes = Codec::new(
        |bytes: &Vec<u8>| {
            let mut buffer = Buffer::default();
            buffer.extend_from_slice(bytes);
            Ok(buffer)
        },
        |bytes| Ok(bytes.to_vec()),
    );
    let method = Method::new(SERVICE, 1, "shake", bytes, bytes).idempotent();
    let caller = Caller::new(client);
    method.call(&caller, &vec![2]).await.unwrap();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 3);

    let (_server, address, asked) = shaky(Status::ABORTED, true).await;
    let caller = Caller::new(self::client(&address, soon()));
    method.call(&caller, &vec![1]).await.unwrap_err();
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_repetition_is_never_later_than_the_deadline() {
    let (_server, address, asked) = shaky(Status::UNAVAILABLE, true).await;
    let slow = RetryPolicy::new()
        .least_pause(Duration::from_secs(60))
        .greatest_pause(Duration::from_secs(60));
    let client = client(&address, slow);
    let options = Options::new().with_deadline(Duration::from_secs(20));
    let begun = Instant::now();
    let failure = call(&client, 1, &options).await.unwrap_err();
    assert_eq!(failure.name, "demo_shaky");
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn repetitions_have_a_budget_and_stand_inside_of_interceptors() {
    let (_server, address, asked) = shaky(Status::UNAVAILABLE, true).await;
    let passed = Arc::new(AtomicUsize::new(0));
    let passing = Arc::clone(&passed);
    let options = ClientOptions::new()
        .retry(soon().budget(0.0).attempts(100))
        .intercept(move |request, next| {
            passing.fetch_add(1, Ordering::SeqCst);
            next.run(request)
        });
    let client = options.connect(&address).unwrap();
    call(&client, 200, &Options::new()).await.unwrap_err();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 11);
    call(&client, 200, &Options::new()).await.unwrap_err();
    assert_eq!(asked.swap(0, Ordering::SeqCst), 1);
    let none = Options::new().without_retry();
    call(&client, 200, &none).await.unwrap_err();
    assert_eq!(passed.load(Ordering::SeqCst), 3);
    let stats = client.stats().unwrap();
    assert_eq!((stats.retries(), stats.retries_over_budget()), (10, 2));
    let text = stats.prometheus();
    assert!(text.contains("\nmxp_retries_total 10\n"), "{text}");
    assert!(
        text.contains("\nmxp_retries_over_budget_total 2\n"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_for_threads_makes_requests_again_too() {
    let (_server, address, asked) = shaky(Status::UNAVAILABLE, true).await;
    let blocked = tokio::task::spawn_blocking(move || {
        let options = blocking::ClientOptions::new().retry(soon());
        let client = options.connect(&address).unwrap();
        let plain = Options::new();
        client.call(SERVICE, 1, vec![2], &plain).unwrap();
        assert_eq!(asked.swap(0, Ordering::SeqCst), 3);
        client.event_acked(SERVICE, 2, vec![1], &plain).unwrap();
        assert_eq!(asked.swap(0, Ordering::SeqCst), 2);
        let none = Options::new().without_retry();
        client.call(SERVICE, 1, vec![2], &none).unwrap_err();
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    });
    blocked.await.unwrap();
}

/// A request that has waited for a connection for as long as it may is not made again.
/// [MXP-14.4] [MXP-14.8]
#[tokio::test]
async fn what_finds_no_connection_waits_once() {
    let most = Duration::from_millis(200);
    let options = ClientOptions::new().retry(soon()).connect_timeout(most);
    let client = options.connect(&plain()).unwrap();
    let begun = Instant::now();
    let failure = call(&client, 0, &Options::new()).await.unwrap_err();
    let took = begun.elapsed();
    assert_eq!(failure.name, "not_connected", "{failure}");
    assert!(took >= most && took < most * 2, "it took {took:?}");
}
