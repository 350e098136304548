//! Servers: requests of peers as completions, and their answers.

use std::sync::Arc;
use std::time::Duration;

use mxp::net::health::State;
use mxp::net::{Failure, HealthReporter, Reply, Request, Server, Service, Stream};
use tokio::sync::oneshot;

use crate::client::whole;
use crate::code::Code;
use crate::completion::{Completion, Place};
use crate::core::system;
use crate::foreign::{Method, Services};
use crate::policy::choose;
use crate::shapes::{self, kind};
use crate::shared::{Answer, Command, ServerEntry, Shared};

/// The time between two looks whether the host takes what there is.
const WATCH: Duration = Duration::from_millis(500);

impl Shared {
    /// Makes a server, which listens nowhere yet.
    pub(crate) fn server(
        self: &Arc<Self>,
        mut server: Server,
        services: Services,
        numbers: &shapes::ServerOptions,
    ) -> Result<u64, Failure> {
        choose! { server:
            numbers.memory_bytes => memory_bytes(whole(numbers.memory_bytes));
            numbers.connections => connections(whole(numbers.connections));
            numbers.flags & shapes::server::OTHER_USERS => allow_other_users();
            numbers.flags & shapes::server::REFLECTION => reflection();
        }
        let id = self.id();
        if numbers.flags & shapes::server::HEALTH != 0 {
            let names = services.iter().map(|(name, ..)| name.clone()).collect();
            let reporter = HealthReporter::new();
            server = server.health(&reporter);
            self.runtime
                .spawn(Arc::clone(self).watch(id, reporter, names));
        }
        for (service, (name, methods, types)) in (0..).zip(services) {
            let label = numbers.label;
            let place = Place { label, service };
            let mut service = self.service(place, name, methods).types(types);
            if numbers.flags & shapes::server::UNKNOWN != 0 {
                let shared = Arc::clone(self);
                service = service.unknown(move |request| shared.report(place, request));
            }
            server = server.service(service);
        }
        let mut state = self.lock();
        state.check()?;
        let (handles, servers) = (Vec::new(), &mut state.objects.servers);
        servers.insert(id, ServerEntry { server, handles });
        Ok(id)
    }

    /// A service, whose handlers wait for the host's answers.
    pub(crate) fn service(
        self: &Arc<Self>,
        place: Place,
        name: String,
        methods: Vec<Method>,
    ) -> Service {
        use shapes::method;
        use shapes::method_flags::{CONFIRM, IDEMPOTENT, ONE_REQUEST, ONE_RESPONSE};
        let mut service = Service::new(name);
        for row in methods {
            let number = row.number;
            if !row.name.is_empty() {
                service = service.named(number, row.name);
            }
            if row.flags & IDEMPOTENT != 0 {
                service = service.idempotent(number);
            }
            let confirms = row.flags & CONFIRM != 0;
            let shared = Arc::clone(self);
            service = match row.kind {
                method::CALL => service.call(number, move |request| {
                    Arc::clone(&shared).answer(kind::CALL, place, request)
                }),
                method::EVENT if confirms => service.event_async(number, move |request| {
                    let answer = Arc::clone(&shared).answer(kind::EVENT, place, request);
                    async move { answer.await.map(|_| ()) }
                }),
                method::EVENT => service.event_async(number, move |request| {
                    Arc::clone(&shared).tell(place, request)
                }),
                _ => {
                    let flows = |flag| row.flags & flag == 0;
                    let (requests, responses) = (flows(ONE_REQUEST), flows(ONE_RESPONSE));
                    let service = service.flows(number, requests, responses);
                    service.stream(number, move |request, stream| {
                        Arc::clone(&shared).serve(place, request, stream)
                    })
                }
            };
        }
        service
    }

    /// Reports the services of a server as not serving while the host takes nothing.
    async fn watch(self: Arc<Self>, id: u64, reporter: HealthReporter, services: Vec<String>) {
        let mut last = State::Serving;
        loop {
            tokio::time::sleep(WATCH).await;
            if !self.lock().objects.servers.contains_key(&id) {
                return;
            }
            let is_stuck = self.stats().is_stuck != 0;
            let state = if is_stuck {
                State::NotServing
            } else {
                State::Serving
            };
            if state != last {
                for name in &services {
                    reporter.set(name, state);
                }
                reporter.set("", state);
                last = state;
            }
        }
    }

    /// Serves a stream.
    async fn serve(
        self: Arc<Self>,
        place: Place,
        request: Request,
        stream: Stream,
    ) -> Result<(), Failure> {
        let served = self.stream(place.label, true);
        self.post(Completion::of_request(
            kind::STREAM,
            place,
            served.id,
            request,
        ));
        let ended = served.pump(stream).await;
        served.over(ended.clone());
        ended
    }

    /// Has the host answer a request.
    async fn answer(self: Arc<Self>, kind: u32, place: Place, request: Request) -> Answer {
        let (give, get) = oneshot::channel();
        let asked = AskedHost {
            id: self.id(),
            label: place.label,
            shared: self,
        };
        let request = Completion::of_request(kind, place, asked.id, request);
        {
            let mut state = asked.shared.lock();
            state.requests.insert(asked.id, give);
            asked.shared.post_in(&mut state, request);
        }
        get.await
            .unwrap_or_else(|_| Err(Code::CoreClosed.failure()))
    }

    /// Tells the host of an event, as soon as the queue has room.
    async fn tell(self: Arc<Self>, place: Place, request: Request) -> Result<(), Failure> {
        let permit = Arc::clone(&self.events).acquire_owned().await;
        let mut event = Completion::of_request(kind::EVENT, place, 0, request);
        event.permit = permit.ok();
        self.post(event);
        Ok(())
    }

    /// Tells the host of a request for an unknown method, if the queue has room.
    fn report(&self, place: Place, request: Request) {
        if let Ok(permit) = Arc::clone(&self.events).try_acquire_owned() {
            let unknown = Completion::of_request(kind::UNKNOWN, place, 0, request);
            self.post(unknown.with(permit));
        }
    }

    /// Answers a request, or ends this side's direction of a served stream.
    pub(crate) fn respond(&self, id: u64, answer: Answer) -> Result<(), Code> {
        let mut state = self.lock();
        let Some(place) = state.requests.remove(&id) else {
            let is_stream = state.streams.contains_key(&id);
            return Err(if is_stream {
                Code::BadState
            } else {
                Code::UnknownId
            });
        };
        drop(state);
        self.command(Command::Answer(place, answer));
        Ok(())
    }

    /// Answers a request or ends a served stream, with a failure.
    pub(crate) fn fail(&self, id: u64, failure: &Failure) -> Result<(), Code> {
        match self.respond(id, Err(failure.clone())) {
            Err(Code::BadState) => {
                let stream = self.lock().streams.get(&id).cloned();
                if stream.is_some_and(|stream| !stream.is_served) {
                    return Err(Code::BadState);
                }
                self.break_stream(id, failure.clone())
            }
            answered => answered,
        }
    }

    /// Listens at an address. The completion has that which the system has chosen.
    pub(crate) fn listen(self: &Arc<Self>, id: u64, address: String, tag: u64) -> Result<(), Code> {
        let state = self.lock();
        let server = state
            .objects
            .servers
            .get(&id)
            .map(|entry| entry.server.clone());
        drop(state);
        let server = server.ok_or_else(|| self.lock().check().err().unwrap_or(Code::UnknownId))?;
        let shared = Arc::clone(self);
        self.begin(tag, async move {
            let handle = server.listen(&address).await;
            let handle = handle.map_err(|error| system(&error))?;
            let bound = handle.address().to_string();
            let mut state = shared.lock();
            // The server may have gone meanwhile.
            let entry = state.objects.servers.get_mut(&id);
            entry.ok_or(Code::UnknownId)?.handles.push(handle);
            Ok(Reply::new(bound))
        })
    }

    /// Drains a server, and forgets it.
    pub(crate) fn drain(self: &Arc<Self>, id: u64, reason: String, tag: u64) -> Result<(), Code> {
        let end = |entry: ServerEntry| async move {
            // All listeners stop before any connection is waited for.
            let mut drains = tokio::task::JoinSet::new();
            for handle in entry.handles {
                let reason = reason.clone();
                drains.spawn(async move { handle.drain(&reason).await });
            }
            while drains.join_next().await.is_some() {}
        };
        self.finish(tag, id, |state| &mut state.objects.servers, end)
    }
}

/// A request that waits for the host's answer. The host is told if nobody waits any more.
struct AskedHost {
    shared: Arc<Shared>,
    id: u64,
    label: u64,
}

impl Drop for AskedHost {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let unanswered = state.requests.remove(&self.id);
        if unanswered.is_some() {
            let gone = Completion::plain(kind::GONE, self.label, self.id);
            self.shared.post_in(&mut state, gone);
        }
        // The place of the answer wakes a task where nothing is locked.
        drop(state);
    }
}
