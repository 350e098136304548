//! The node of a mesh: a program's entry in its directory, and the events that it carries.

use std::sync::Arc;

use mxp::net::mesh::Start;
use mxp::net::{Announcement, ClientOptions, Failure, Standing, Subscriber, Subscription};
use mxp::session::Registration;

use crate::code::Code;
use crate::completion::{Completion, Place};
use crate::core::system;
use crate::foreign::{Method, Services};
use crate::owner::Beside;
use crate::shapes::{self, kind};
use crate::shared::Shared;

/// A thing that a program has at its node.
pub(crate) enum Membership {
    Announcement(Announcement),
    Subscription(Subscription),
}

impl Membership {
    /// Ends it: a name is given up at once, and a subscription when its handler is done.
    pub(crate) async fn end(self) {
        match self {
            Self::Announcement(name) => drop(name),
            Self::Subscription(subscription) => subscription.close().await,
        }
    }
}

impl Shared {
    /// Registers the program at its node, and keeps it so.
    pub(crate) fn announce(
        self: &Arc<Self>,
        node: ClientOptions,
        agent: Registration,
        label: u64,
    ) -> Result<u64, Failure> {
        self.join(|shared, id| {
            let hook = Arc::clone(shared);
            let announced = node.announce(agent, move |standing| {
                let there = match standing {
                    Standing::Held { epoch, .. } => Ok(*epoch),
                    Standing::Lost(failure) => Err(failure.clone()),
                    _ => return,
                };
                hook.stand(label, id, there);
            });
            let announced = announced.map_err(|error| system(&error))?;
            Ok(Membership::Announcement(announced))
        })
    }

    /// Subscribes to the events of services.
    pub(crate) fn subscribe(
        self: &Arc<Self>,
        node: &ClientOptions,
        services: Services,
        consumer: &str,
        numbers: &shapes::SubscribeOptions,
    ) -> Result<u64, Failure> {
        let start = match numbers.start {
            shapes::start::NEW => Start::New,
            shapes::start::FIRST => Start::First,
            shapes::start::NUMBER => Start::Number(numbers.start_at),
            shapes::start::TIME => Start::Time(time(numbers.start_at)?),
            _ => return Err(Code::BadValue.failure()),
        };
        let label = numbers.label;
        self.join(|shared, id| {
            let hook = Arc::clone(shared);
            let mut subscriber = Subscriber::new()
                .consumer(consumer)
                .start(start)
                .unsettled(numbers.unsettled)
                .deliveries(numbers.deliveries)
                .on_change(move |lost| {
                    let there = lost.map_or(Ok(0), |failure| Err(failure.clone()));
                    hook.stand(label, id, there);
                });
            for (service, (name, methods, _)) in (0..).zip(services) {
                let is_event = |method: &Method| method.kind == shapes::method::EVENT;
                let events = methods.into_iter().filter(is_event).collect();
                let place = Place { label, service };
                subscriber = subscriber.service(shared.service(place, name, events));
            }
            let subscription = subscriber.subscribe(node).map_err(|error| system(&error))?;
            Ok(Membership::Subscription(subscription))
        })
    }

    /// Makes a membership on the runtime of the core.
    fn join(
        self: &Arc<Self>,
        make: impl FnOnce(&Arc<Self>, u64) -> Result<Membership, Failure>,
    ) -> Result<u64, Failure> {
        self.lock().check()?;
        let id = self.id();
        let here = (self.runtime.enter(), self.logged());
        let membership = make(self, id)?;
        drop(here);
        let mut state = self.lock();
        state.check()?;
        state.objects.memberships.insert(id, membership);
        Ok(id)
    }

    /// Tells the host whether a membership is there, and by which epoch.
    fn stand(&self, label: u64, id: u64, standing: Result<u64, Failure>) {
        let mut told = Completion::plain(kind::STANDING, label, id);
        match standing {
            Ok(epoch) => told.own(Beside::Epoch(epoch)),
            Err(failure) => told.fail(failure),
        }
        self.post(told);
    }

    /// Ends a membership.
    pub(crate) fn withdraw(self: &Arc<Self>, id: u64, tag: u64) -> Result<(), Code> {
        self.finish(
            tag,
            id,
            |state| &mut state.objects.memberships,
            Membership::end,
        )
    }
}

/// A time in nanoseconds since 1970.
fn time(nanoseconds: u64) -> Result<sdp::Timestamp, Failure> {
    let nanoseconds = i64::try_from(nanoseconds).map_err(|_| Code::BadValue.failure())?;
    Ok(sdp::Timestamp(nanoseconds))
}
