//! Events of a mesh, for the handlers of services [MESH-5].

use core::fmt;
use core::time::Duration;
use std::boxed::Box;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::string::{String, ToString as _};
use std::sync::Arc;
use std::vec::Vec;

use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tracing::{error, warn, Instrument as _};

use crate::engine::failure::PANICKED;
use crate::engine::outage::unavailable;
use crate::net::mesh::{self, Answer, MeshClient, Outcome, Settlement, Start, Subject};
use crate::net::mesh_address::node_address;
use crate::net::peer::Remote;
use crate::net::service::{Delivery, EventOutcome, Method};
use crate::net::typed::BidiStream;
use crate::net::{ClientOptions, Failure, MethodKind, Request, Service};
use crate::session::{Kind, Status};

/// The pauses between attempts to subscribe double, from the one to the other.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// The time for which a subscription that ends waits for the node to read its settlements.
const LEAVE: Duration = Duration::from_secs(1);

type DropListener = dyn Fn(u64) + Send + Sync;
type ChangeListener = dyn Fn(Option<&Failure>) + Send + Sync;

/// Services whose handlers hear the events of a mesh, until they subscribe.
///
/// ```no_run
/// use mxp::net::{ClientOptions, Service, Subscriber};
///
/// # async fn listen() -> std::io::Result<()> {
/// // Stubs make the service: mixer_service(screen).
/// let mixer = Service::new("desk.Mixer").event(1, |asked| {
///     println!("{:?} {:?}", asked.value, asked.delivery());
///     Ok(())
/// });
/// let heard = Subscriber::new()
///     .service(mixer)
///     .consumer("screen")
///     .on_drop(|n| println!("{n} dropped"))
///     .subscribe(&ClientOptions::new())?;
/// heard.ready().await;
/// # heard.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use = "a subscriber hears nothing until it subscribes"]
pub struct Subscriber {
    services: Vec<Service>,
    subscription: mesh::Subscription,
    dropped: Option<Box<DropListener>>,
    changed: Option<Box<ChangeListener>>,
}

impl fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriber")
            .field("services", &self.services)
            .field("subscription", &self.subscription)
            .finish_non_exhaustive()
    }
}

impl Subscriber {
    /// It hears events as they are published, once it has a service.
    pub fn new() -> Self {
        let mut new = Self::default();
        new.subscription.start = Start::New;
        new
    }

    /// Adds a service: its events are subscribed to, and its handlers take them one after the
    /// other, with [`Request::delivery`]. A handler that waits for something is waited for.
    pub fn service(mut self, service: Service) -> Self {
        self.services.push(service);
        self
    }

    /// Makes the subscription durable: all who subscribe under this name share the durable events,
    /// and each is delivered until a handler has taken it. One whose handler fails is delivered
    /// again; where the failure is [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT), as for values
    /// that can't be decoded, it goes to the dead letters.
    pub fn consumer(mut self, name: impl Into<String>) -> Self {
        self.subscription.consumer = name.into();
        self
    }

    /// Replaces the place where a new consumer begins: with events that are published from then on.
    pub fn start(mut self, start: Start) -> Self {
        self.subscription.start = start;
        self
    }

    /// Replaces how many durable events are delivered at most before their handlers are done (256).
    pub fn unsettled(mut self, events: u32) -> Self {
        self.subscription.unsettled = events;
        self
    }

    /// Replaces how often a durable event is delivered before it goes to the dead letters (5).
    pub fn deliveries(mut self, times: u32) -> Self {
        self.subscription.deliveries = times;
        self
    }

    /// Calls a function with the number of events that the subscription lost because it was read
    /// too slowly.
    pub fn on_drop(mut self, hook: impl Fn(u64) + Send + Sync + 'static) -> Self {
        self.dropped = Some(Box::new(hook));
        self
    }

    /// Calls a function with `None` when the subscription is there, and with the reason when it is
    /// lost.
    pub fn on_change(mut self, hook: impl Fn(Option<&Failure>) + Send + Sync + 'static) -> Self {
        self.changed = Some(Box::new(hook));
        self
    }

    /// The name of [`on_drop`](Self::on_drop) until 0.4.
    #[deprecated(since = "0.5.0", note = "use `on_drop`")]
    pub fn dropped(self, hook: impl Fn(u64) + Send + Sync + 'static) -> Self {
        self.on_drop(hook)
    }

    /// The name of [`on_change`](Self::on_change) until 0.4.
    #[deprecated(since = "0.5.0", note = "use `on_change`")]
    pub fn changed(self, hook: impl Fn(Option<&Failure>) + Send + Sync + 'static) -> Self {
        self.on_change(hook)
    }

    /// Subscribes at the program's own [node](ClientOptions::node), and anew whenever that is
    /// lost. Of the options it takes how the node is reached: its address, the transports, and how
    /// long an attempt waits. It has to be called on a runtime.
    ///
    /// # Errors
    ///
    /// Services that have no events, and a text that is no address of a node.
    pub fn subscribe(mut self, node: &ClientOptions) -> io::Result<Subscription> {
        for service in &self.services {
            let events = service.methods.iter();
            let events = events.filter(|(_, method)| method.kind() == MethodKind::Event);
            self.subscription
                .subjects
                .extend(events.map(|(&method, _)| {
                    let service = service.name.clone();
                    Subject { service, method }
                }));
        }
        if self.subscription.subjects.is_empty() {
            let why = "services that are to subscribe have no events";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let address = node_address(node.node.as_deref());
        let options = node.of_node().types(MeshClient::types());
        let client = MeshClient::new(options.connect(&address)?);
        let (lost, standing) = watch::channel(Some(unavailable("it is not there yet")));
        let (stop, stopped) = watch::channel(());
        let hearing = SubscriptionTask {
            subscriber: self,
            client,
            lost,
            was_told: false,
        };
        let running = tokio::spawn(hearing.run(stopped).in_current_span());
        Ok(Subscription {
            standing,
            stop: Some(stop),
            running,
        })
    }
}

/// A subscription of handlers to events of a mesh. When this is dropped it ends, and so does a
/// handler that waits for something. A durable consumer stays, for who subscribes by its name.
#[derive(Debug)]
#[must_use = "the subscription ends when this is dropped"]
pub struct Subscription {
    standing: watch::Receiver<Option<Failure>>,
    stop: Option<watch::Sender<()>>,
    running: JoinHandle<()>,
}

impl Subscription {
    /// Why the subscription is not there at the moment, if it isn't.
    #[must_use]
    pub fn lost(&self) -> Option<Failure> {
        self.standing.borrow().clone()
    }

    /// Waits until the subscription is there: the node delivers what is published to it from then
    /// on.
    pub async fn ready(&self) {
        let mut standing = self.standing.clone();
        if standing.wait_for(Option::is_none).await.is_err() {
            // The task ends with this alone.
            core::future::pending::<()>().await;
        }
    }

    /// Ends the subscription, when the handler that runs is done.
    pub async fn close(mut self) {
        self.stop = None;
        let _ = (&mut self.running).await;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.stop.is_some() {
            self.running.abort();
        }
    }
}

/// The task of a subscription.
struct SubscriptionTask {
    subscriber: Subscriber,
    client: MeshClient,
    lost: watch::Sender<Option<Failure>>,
    was_told: bool,
}

impl SubscriptionTask {
    /// Subscribes again and again, until it is stopped.
    async fn run(mut self, mut stop: watch::Receiver<()>) {
        let mut pause = PAUSE_MIN;
        loop {
            let Err(lost) = self.hear(&mut stop).await else {
                return;
            };
            if self.change(Some(lost)) {
                pause = PAUSE_MIN;
            }
            tokio::select! {
                _ = stop.changed() => return,
                () = tokio::time::sleep(pause) => {}
            }
            pause = (2 * pause).min(PAUSE_MAX);
        }
    }

    /// Notes that the subscription is there, or why it isn't. Returns whether it was.
    fn change(&mut self, failure: Option<Failure>) -> bool {
        let was_there = self.lost.borrow().is_none();
        let is_news = failure.is_none() || was_there || !self.was_told;
        if let Some(told) = self.subscriber.changed.as_ref().filter(|_| is_news) {
            guarded(|| told(failure.as_ref()));
        }
        self.was_told = true;
        self.lost.send_replace(failure);
        was_there
    }

    /// Subscribes once, and takes what is delivered until that ends.
    async fn hear(&mut self, stop: &mut watch::Receiver<()>) -> Result<(), Failure> {
        let mut stream = tokio::select! {
            _ = stop.changed() => return Ok(()),
            stream = self.begin() => stream?,
        };
        loop {
            let answer = tokio::select! {
                _ = stop.changed() => {
                    leave(stream).await;
                    return Ok(());
                }
                answer = stream.receive() => answer?,
            };
            match answer {
                None => return Err(unavailable("the node has ended the subscription")),
                Some(Answer::Subscribed) => {
                    self.change(None);
                }
                Some(Answer::Event(delivery)) => self.take(&stream, *delivery).await?,
                Some(Answer::Unknown { .. }) => {}
            }
        }
    }

    async fn begin(&self) -> Result<BidiStream<mesh::Request, Answer>, Failure> {
        let stream = self.client.subscribe().await?;
        let subscription = Box::new(self.subscriber.subscription.clone());
        stream.send(&mesh::Request::Subscribe(subscription)).await?;
        Ok(stream)
    }

    /// Lets the handler of an event take it, and settles it.
    async fn take(
        &self,
        stream: &BidiStream<mesh::Request, Answer>,
        delivery: mesh::Delivery,
    ) -> Result<(), Failure> {
        if let Some(told) = self.subscriber.dropped.as_ref() {
            if delivery.dropped > 0 {
                guarded(|| told(delivery.dropped));
            }
        }
        let number = delivery.number;
        let outcome = match self.handle(delivery).await {
            Ok(()) => Outcome::Done,
            Err(failure) => {
                warn!(number, reason = %failure, "an event was not taken");
                if failure.status == Status::INVALID_ARGUMENT {
                    Outcome::Poison
                } else {
                    Outcome::Again
                }
            }
        };
        if self.subscriber.subscription.consumer.is_empty() {
            return Ok(());
        }
        let settlement = Settlement::new().with_number(number).with_outcome(outcome);
        stream
            .send(&mesh::Request::Settle(Box::new(settlement)))
            .await
    }

    /// Runs a handler. A handler that panics has failed.
    async fn handle(&self, delivery: mesh::Delivery) -> Result<(), Failure> {
        let mut delivery = delivery;
        let Subject { service, method } = &delivery.subject;
        let mut services = self.subscriber.services.iter();
        let found =
            services.find(|entry| entry.name == *service && entry.methods.contains_key(method));
        let found = found.and_then(|service| service.methods.get(method));
        let Some(Method::Event(handler)) = found else {
            let text = std::format!("no event {method} of {service} is subscribed to");
            return Err(Failure::saying(Kind::MethodUnknown, text));
        };
        let (method, value) = (*method, core::mem::take(&mut delivery.value));
        let remote = Remote {
            delivery: Some(delivery),
            ..Remote::default()
        };
        let asked = Request::delivered(method, value, Arc::new(remote));
        let told = catch_unwind(AssertUnwindSafe(|| handler(Delivery::Whole(asked))));
        match told {
            Ok(EventOutcome::Done(done)) => done,
            // A task of its own may panic.
            Ok(EventOutcome::Later(taken)) => {
                let mut tasks = JoinSet::new();
                tasks.spawn(taken);
                let done = tasks.join_next().await;
                done.and_then(Result::ok).unwrap_or_else(|| Err(broken()))
            }
            Err(_) => Err(broken()),
        }
    }
}

/// Ends the stream of a subscription when the node has read all settlements, or has not for a while:
/// it delivers again what it does not know to be settled. Events that come meanwhile stay
/// unsettled.
async fn leave(mut stream: BidiStream<mesh::Request, Answer>) {
    let read = async {
        if stream.finish().is_ok() {
            while let Ok(Some(_)) = stream.receive().await {}
        }
    };
    let _ = tokio::time::timeout(LEAVE, read).await;
}

/// Tells the user something. A panic of theirs is logged, and ends no subscription.
fn guarded(tell: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(tell)).is_err() {
        error!("a function of a subscription panicked");
    }
}

/// The failure of a handler that has panicked.
fn broken() -> Failure {
    Failure::new(Status::INTERNAL, "internal", PANICKED.to_string())
}
