//! Events that are published through a mesh, and heard. [MESH-5.1] [MESH-5.3] [MESH-5.5]

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mxp::net::mesh::{
    mesh_service, Answer, Delivery, Mesh, Outcome, Publication, Published, Request, Settlement,
    Start, Subject,
};
use mxp::net::typed::{Context, Receiver, Sender};
use mxp::net::{
    ClientOptions, Failure, Options, RetryPolicy, Server, ServerHandle, Service, Subscriber,
    WhenFull,
};
use mxp::session::Status;
use tokio::sync::mpsc;

use crate::demo::{plain, this_program, until};

const SERVICE: &str = "desk.Mixer";

/// A node that delivers what it is told to, keeps nothing, and notes what it is sent.
#[derive(Default)]
struct Node {
    /// How many publications fail at first, after they were taken.
    fails: AtomicUsize,
    /// The failure of subscriptions.
    denies: bool,
    published: Mutex<Vec<Publication>>,
    asked: Mutex<Vec<mxp::net::mesh::Subscription>>,
    settled: Arc<Mutex<Vec<Settlement>>>,
    deliveries: Mutex<Option<mpsc::UnboundedReceiver<Delivery>>>,
}

impl Mesh for Node {
    async fn publish(&self, one: Publication, _: Context) -> Result<Published, Failure> {
        self.published.lock().unwrap().push(one);
        let left = |n: usize| n.checked_sub(1);
        if self.fails.fetch_update(SeqCst, SeqCst, left).is_ok() {
            return Err(Failure::new(Status::UNAVAILABLE, "mesh_unavailable", ""));
        }
        Ok(Published::new().with_number(7))
    }

    async fn emit(&self, one: Publication, _: Context) -> Result<(), Failure> {
        self.published.lock().unwrap().push(one);
        Ok(())
    }

    async fn subscribe(
        &self,
        mut requests: Receiver<Request>,
        responses: Sender<Answer>,
        _: Context,
    ) -> Result<(), Failure> {
        let Some(Request::Subscribe(asked)) = requests.receive().await? else {
            panic!("no subscription");
        };
        self.asked.lock().unwrap().push(*asked);
        if self.denies {
            return Err(Failure::new(Status::PERMISSION_DENIED, "mesh_denied", "").refused());
        }
        responses.send(&Answer::Subscribed).await?;
        let settled = Arc::clone(&self.settled);
        tokio::spawn(async move {
            while let Ok(Some(Request::Settle(one))) = requests.receive().await {
                settled.lock().unwrap().push(*one);
            }
        });
        let deliveries = self.deliveries.lock().unwrap().take();
        let Some(mut deliveries) = deliveries else {
            return std::future::pending().await;
        };
        while let Some(one) = deliveries.recv().await {
            responses.send(&Answer::Event(Box::new(one))).await?;
        }
        Ok(())
    }
}

async fn run(node: &Arc<Node>, at: &str) -> ServerHandle {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let server = Server::new().service(mesh_service(Arc::clone(node)));
        match server.listen(at).await {
            Ok(listening) => return listening,
            // The one before may be about to end.
            Err(error) => assert!(Instant::now() < end, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn subject(method: u16) -> Subject {
    Subject {
        service: SERVICE.into(),
        method,
    }
}

fn delivery(number: u64, method: u16, value: &str) -> Delivery {
    Delivery::new()
        .with_subject(subject(method))
        .with_value(value.into())
        .with_number(number)
        .with_dropped(2)
}

#[tokio::test]
async fn events_are_publications() {
    let (node, at) = (Arc::new(Node::default()), plain());
    let _server = run(&node, &at).await;
    let client = ClientOptions::new().node(&at).publisher().unwrap();
    let plain = Options::new();
    let tell =
        |value: &'static str| client.event(SERVICE, 4, value.as_bytes(), WhenFull::Wait, &plain);
    tell("one").await.unwrap();
    let more = client.event_all(SERVICE, 4, ["two", "three"], WhenFull::Wait, &plain);
    more.await.unwrap();
    until("all", || node.published.lock().unwrap().len() == 3).await;
    for _ in 0..2 {
        client
            .event_acked(SERVICE, 4, b"kept", &plain)
            .await
            .unwrap();
    }
    let named = Options::new().with("other", "x").with_event_id("n-1");
    client
        .event_acked(SERVICE, 4, b"named", &named)
        .await
        .unwrap();
    let published = core::mem::take(&mut *node.published.lock().unwrap());
    let all = ["one", "two", "three", "kept", "kept", "named"];
    assert_eq!(published.len(), all.len());
    for (n, (one, value)) in published.iter().zip(all).enumerate() {
        assert_eq!(one.subject, subject(4));
        assert_eq!((&one.value[..], one.durable), (value.as_bytes(), n >= 3));
        assert_eq!(one.id.is_empty(), n < 3, "{one:?}");
    }
    assert_ne!(published[3].id, published[4].id);
    assert_eq!(published[5].id, "n-1");

    let failure = client.call(SERVICE, 4, b"call", &plain).await.unwrap_err();
    assert_eq!(
        (&failure.name[..], failure.acted),
        ("method_unknown", false)
    );
    let failure = client
        .open(SERVICE, 4, b"stream", &plain)
        .await
        .unwrap_err();
    assert_eq!(failure.status, Status::UNIMPLEMENTED);
}

#[tokio::test]
async fn repetitions_of_an_event_have_its_id() {
    let node = Arc::new(Node {
        fails: AtomicUsize::new(2),
        ..Node::default()
    });
    let at = plain();
    let _server = run(&node, &at).await;
    let pause = Duration::from_millis(1);
    let policy = RetryPolicy::new().least_pause(pause).greatest_pause(pause);
    let options = ClientOptions::new().node(&at).retry(policy);
    let client = options.publisher().unwrap();
    let plain = Options::new();
    for value in [b"one", b"two"] {
        let told = client.event_acked(SERVICE, 4, value, &plain);
        told.await.unwrap();
    }
    let published = node.published.lock().unwrap();
    let ids: Vec<_> = published.iter().map(|event| &event.id[..]).collect();
    assert_eq!(ids.len(), 4);
    assert!(ids[..3].iter().all(|id| *id == ids[0]) && ids[0].len() == 32);
    assert_ne!(ids[0], ids[3]);
}

#[tokio::test]
async fn panics_of_what_is_told_end_no_subscription() {
    let (send, deliveries) = mpsc::unbounded_channel();
    let node = Arc::new(Node {
        deliveries: Mutex::new(Some(deliveries)),
        ..Node::default()
    });
    let at = plain();
    let _server = run(&node, &at).await;
    let (hear, mut heard) = mpsc::unbounded_channel();
    let service = Service::new(SERVICE).event(4, move |request| {
        hear.send(request.value).unwrap();
        Ok(())
    });
    let subscription = Subscriber::new()
        .service(service)
        .on_drop(|n| panic!("{n} dropped, as it should"))
        .on_change(|failure| panic!("{failure:?}, as it should"))
        .subscribe(&ClientOptions::new().node(&at))
        .unwrap();
    let soon = Duration::from_secs(20);
    let ready = tokio::time::timeout(soon, subscription.ready());
    ready.await.unwrap();
    for value in ["a", "b"] {
        send.send(delivery(0, 4, value)).unwrap();
        let came = tokio::time::timeout(soon, heard.recv()).await.unwrap();
        assert_eq!(came.unwrap(), value);
    }
    assert!(subscription.lost().is_none());
    subscription.close().await;
}

#[tokio::test]
async fn handlers_take_what_is_delivered_and_settle_it() {
    let (send, deliveries) = mpsc::unbounded_channel();
    let node = Arc::new(Node {
        deliveries: Mutex::new(Some(deliveries)),
        ..Node::default()
    });
    let at = plain();
    let _server = run(&node, &at).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (here, there) = (Arc::clone(&heard), Arc::clone(&heard));
    let service = Service::new(SERVICE)
        .call(1, |_| async { panic!("a call") })
        .event(4, move |request| {
            let value = String::from_utf8(request.value.to_vec()).unwrap();
            let number = request.delivery().unwrap().number;
            here.lock().unwrap().push(format!("{value} {number}"));
            match &value[..] {
                "later" => Err(Failure::new(Status::ABORTED, "later", "")),
                "never" => Err(Failure::new(Status::INVALID_ARGUMENT, "never", "")),
                "panics" => panic!("as it should"),
                _ => Ok(()),
            }
        })
        .event_async(5, move |request| {
            let there = Arc::clone(&there);
            async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                there.lock().unwrap().push("slow".into());
                assert!(request.value.is_empty(), "panics too");
                Ok(())
            }
        });
    let dropped = Arc::new(Mutex::new(0));
    let count = Arc::clone(&dropped);
    let subscription = Subscriber::new()
        .service(service)
        .consumer("c")
        .start(Start::Number(3))
        .unsettled(8)
        .deliveries(2)
        .on_drop(move |n| *count.lock().unwrap() += n)
        .subscribe(&ClientOptions::new().node(&at))
        .unwrap();
    subscription.ready().await;
    for (n, (method, value)) in [
        (4, "good"),
        (4, "later"),
        (4, "never"),
        (4, "panics"),
        (5, ""),
        (5, "panics"),
        (1, "a call"),
        (9, "nothing"),
        (4, "last"),
    ]
    .into_iter()
    .enumerate()
    {
        send.send(delivery(n as u64 + 1, method, value)).unwrap();
    }
    let settled = || node.settled.lock().unwrap().len() == 9;
    until("all are settled", settled).await;
    let outcomes: Vec<_> = {
        let settled = node.settled.lock().unwrap();
        assert!(settled.iter().map(|event| event.number).eq(1..=9));
        settled.iter().map(|event| event.outcome).collect()
    };
    let (done, again, poison) = (Outcome::Done, Outcome::Again, Outcome::Poison);
    assert_eq!(
        outcomes,
        [done, again, poison, again, done, again, again, again, done]
    );
    let all = [
        "good 1", "later 2", "never 3", "panics 4", "slow", "slow", "last 9",
    ];
    assert_eq!(*heard.lock().unwrap(), all);
    let asked = mxp::net::mesh::Subscription::new()
        .with_subjects(vec![subject(4), subject(5)])
        .with_consumer("c".into())
        .with_start(Start::Number(3))
        .with_unsettled(8)
        .with_deliveries(2);
    assert_eq!(*node.asked.lock().unwrap(), [asked]);
    subscription.close().await;
    assert_eq!(*dropped.lock().unwrap(), 18);
}

#[tokio::test]
async fn subscriptions_are_made_anew() {
    let at = plain();
    let (tell, mut told) = mpsc::unbounded_channel();
    let (hear, mut heard) = mpsc::unbounded_channel();
    let service = Service::new(SERVICE).event(4, move |request| {
        hear.send(request.value).unwrap();
        Ok(())
    });
    let node = ClientOptions::new().node(&at);
    let subscription = Subscriber::new()
        .service(service)
        .on_change(move |failure| tell.send(failure.map(|why| why.name.clone())).unwrap())
        .subscribe(&node.connect_timeout(Duration::from_millis(50)))
        .unwrap();
    assert_eq!(told.recv().await.unwrap().unwrap(), "not_connected");
    assert!(subscription.lost().is_some());
    let (send, deliveries) = mpsc::unbounded_channel();
    let first = Arc::new(Node {
        deliveries: Mutex::new(Some(deliveries)),
        ..Node::default()
    });
    let listening = run(&first, &at).await;
    assert_eq!(told.recv().await, Some(None));
    send.send(delivery(0, 4, "a")).unwrap();
    assert_eq!(heard.recv().await.unwrap(), "a");
    // The node ends it, and refuses the next; another takes it.
    drop(send);
    assert!(told.recv().await.unwrap().is_some());
    assert_eq!(told.recv().await, Some(None));
    drop(listening);
    assert!(told.recv().await.unwrap().is_some());
    let denying = Arc::new(Node {
        denies: true,
        ..Node::default()
    });
    let listening = run(&denying, &at).await;
    let denied = || {
        subscription
            .lost()
            .is_some_and(|why| why.name == "mesh_denied")
    };
    until("a refusal", denied).await;
    drop(listening);
    let (send, deliveries) = mpsc::unbounded_channel();
    let last = Arc::new(Node {
        deliveries: Mutex::new(Some(deliveries)),
        ..Node::default()
    });
    let _listening = run(&last, &at).await;
    subscription.ready().await;
    send.send(delivery(0, 4, "b")).unwrap();
    assert_eq!(heard.recv().await.unwrap(), "b");
    // Without a consumer nothing is settled.
    assert!(last.settled.lock().unwrap().is_empty());
    subscription.close().await;
}

#[tokio::test]
async fn what_can_not_subscribe_is_refused() {
    let service = || Service::new(SERVICE).call(1, |_| async { panic!("a call") });
    let options = ClientOptions::new().node("nowhere");
    let subscribed = Subscriber::new().service(service()).subscribe(&options);
    let why = subscribed.unwrap_err().to_string();
    assert!(why.contains("no events"), "{why}");
    let service = service().event(2, |_| Ok(()));
    let subscribed = Subscriber::new().service(service).subscribe(&options);
    let why = subscribed.unwrap_err().to_string();
    assert!(why.contains("address_invalid"), "{why}");
    assert!(options.publisher().is_err());
}

/// Publishes an event on a runtime of its own, by a process that may have no other thread.
fn publish_alone(at: &str) -> bool {
    let alone = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let told = alone.unwrap().block_on(async {
        let client = ClientOptions::new().node(at).publisher().unwrap();
        let plain = Options::new();
        client.event_acked(SERVICE, 4, b"one", &plain).await
    });
    told.is_ok()
}

/// Processes that are one until a moment have no ids in common after it. That is tried in a
/// process of its own, where no other test has locked what the child needs.
#[cfg(unix)]
#[test]
fn ids_do_not_repeat_in_a_fork() {
    const ALONE: &str = "MXP_FORKS";
    if std::env::var_os(ALONE).is_some() {
        fork_and_publish();
        return;
    }
    let name = "publishing::ids_do_not_repeat_in_a_fork";
    let alone = this_program()
        .args([name, "--exact"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    assert!(alone.status.success(), "{alone:?}");
}

#[cfg(unix)]
fn fork_and_publish() {
    extern "C" {
        fn fork() -> i32;
        fn _exit(status: i32) -> !;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    }
    let (node, at) = (Arc::new(Node::default()), plain());
    let serving = tokio::runtime::Runtime::new().unwrap();
    let _server = serving.block_on(run(&node, &at));
    assert!(publish_alone(&at));
    // SAFETY: the child uses nothing that another thread of this process could have locked: it
    // publishes on a runtime of its own, and ends.
    let child = unsafe { fork() };
    if child == 0 {
        let is_told = publish_alone(&at);
        // SAFETY: this ends the child.
        unsafe { _exit(i32::from(!is_told)) }
    }
    assert!(publish_alone(&at));
    let mut status = 0;
    // SAFETY: the child is this process's own, and nobody else waits for it.
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    let published = node.published.lock().unwrap();
    let ids: std::collections::HashSet<_> = published.iter().map(|event| &event.id).collect();
    assert_eq!((published.len(), ids.len()), (3, 3));
}
