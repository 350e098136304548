//! The work of a connection for its peer: it runs handlers, and answers.

use core::task::Context;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tracing::{debug_span, warn, Instrument as _, Span};

use crate::engine::budget::ITEM_BYTES;
use crate::engine::link::{Batch, RequestEnd};
use crate::engine::method::MethodId;
use crate::engine::order::{self, Lane};
use crate::net::connection::{Connection, Host, State, Todo};
use crate::net::input::Input;
use crate::net::methods::Methods;
use crate::net::metrics::{status_of, RequestMeter};
use crate::net::place::Place;
use crate::net::service::{Delivery, EventHandler, EventOutcome, Handlers, Method};
use crate::net::{Failure, Reply, Request};

mod run;

use run::{begin, open, panicked, Progress, RunningHandler};

/// A request that waits for its turn, or an event that has it.
type Turn = order::Turn<Host, RunningHandler>;

/// How many frames are taken before what they ask for is done.
const BATCH: usize = 24;

/// After answers of how many bytes no more than one frame is taken at once.
const HEAVY_BYTES: usize = 256 << 10;

/// How many handlers of calls and events begin before other connections have their turns.
const TURN_REQUESTS: usize = 256;

/// The work of a connection for its peer.
pub(crate) struct Work {
    handlers: Arc<Handlers>,
    /// The tasks that are to be done, in the order in which they came.
    todos: Vec<Todo>,
    /// The ends of requests that are to be said.
    ends: Vec<RequestEnd>,
    /// The event whose handler is not done, and the requests behind it.
    lane: Lane<Host, RunningHandler>,
    /// The requests that came last were answered with much.
    is_heavy: bool,
    /// Something was left, since too much is held.
    is_stopped: bool,
    /// The peer sends no more than has come.
    is_last: bool,
    /// How many handlers have begun in this turn.
    begun: usize,
    /// When the bytes have come that are looked at.
    time: Option<Instant>,
    /// Requests of a method that were done since then and are to be counted.
    taken: (MethodId, u64),
}

impl Work {
    /// The work that these handlers do.
    pub(crate) fn new(handlers: Arc<Handlers>) -> Self {
        Self {
            handlers,
            todos: Vec::new(),
            ends: Vec::new(),
            lane: Lane::default(),
            is_heavy: false,
            is_stopped: false,
            is_last: false,
            begun: 0,
            time: None,
            taken: (MethodId::NONE, 0),
        }
    }

    /// Whether nothing more is to be read.
    pub(crate) fn is_full(&self) -> bool {
        !self.is_last && self.lane.is_full()
    }

    /// Takes all that comes from now on, however much is held: the peer has hung up.
    pub(crate) fn goes_to_the_end(&mut self) {
        self.is_last = true;
    }

    /// Whether something was left that came, since too much is held.
    pub(crate) const fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Begins a turn.
    pub(crate) fn begin_turn(&mut self) {
        self.begun = 0;
    }

    /// Whether others are to have their turns before more is done.
    pub(crate) const fn is_spent(&self) -> bool {
        self.begun >= TURN_REQUESTS
    }

    /// The bytes of the events whose handler has not begun.
    pub(crate) const fn held(&self) -> usize {
        self.lane.held()
    }

    /// Forgets what waits.
    pub(crate) fn abandon(&mut self) {
        self.lane.clear();
    }

    /// Drops what waits behind the event whose handler has begun.
    pub(crate) fn drop_waiting(&mut self) {
        let dropped = self.lane.drop_waiting();
        if dropped > 0 {
            warn!(
                count = dropped,
                name = "limit_server_bytes",
                "events of a lost connection dropped"
            );
        }
    }

    /// Whether the handler of an event is to go on.
    pub(crate) fn waits(&self) -> bool {
        !self.lane.is_empty()
    }

    /// Gives bytes to the session, and does what they ask for. Bytes that were not taken are left.
    pub(crate) fn feed(
        &mut self,
        connection: &Arc<Connection>,
        input: &mut Input,
        now: u64,
        cx: &mut Context<'_>,
    ) {
        self.count(&connection.methods, MethodId::NONE, 0);
        self.time = connection.clock.instant(now);
        self.advance(connection, cx);
        let mut is_all = false;
        while !is_all && !self.is_full() && !self.is_spent() {
            is_all = self.collect(connection, input, now);
            let mut todos = core::mem::take(&mut self.todos);
            for todo in todos.drain(..) {
                self.perform(connection, todo, cx);
            }
            self.todos = todos;
            let answers = self.ends.iter().map(RequestEnd::held);
            self.is_heavy = answers.sum::<usize>() > HEAVY_BYTES;
        }
    }

    /// Gives back the memory that nothing needs.
    pub(crate) fn rest(&mut self) {
        if self.lane.is_empty() && self.ends.is_empty() {
            let (begun, is_last) = (self.begun, self.is_last);
            *self = Self::new(Arc::clone(&self.handlers));
            self.begun = begun;
            self.is_last = is_last;
        }
    }

    /// Takes some frames. Returns whether there are no more.
    fn collect(&mut self, connection: &Connection, input: &mut Input, now: u64) -> bool {
        let mut left = input.left();
        let bytes = left.len();
        let mut state = connection.lock();
        state.at(now);
        let late = self.say(&connection.methods, &mut state);
        self.is_stopped =
            !self.is_last && state.is_much(self.lane.held(), connection.share.allowance());
        let most = if self.is_stopped {
            // The frames that came are left where they are.
            0
        } else if core::mem::take(&mut self.is_heavy) {
            1
        } else {
            BATCH
        };
        let (todos, methods) = (&mut self.todos, &*connection.methods);
        let keep = |value: &[u8]| input.keep(value);
        let received = state.receive(&mut left, most, todos, methods, &keep);
        drop(state);
        let taken = bytes - left.len();
        input.take(taken);
        self.todos.extend(late);
        if received.is_news {
            connection.tell_all();
        }
        received.is_all || self.is_stopped
    }

    /// Says what was done. Answers that the queue has no room for are returned, to be said later.
    pub(crate) fn say(&mut self, methods: &Methods, state: &mut State) -> Vec<Todo> {
        self.count(methods, MethodId::NONE, 0);
        let mut late = Vec::new();
        for end in self.ends.drain(..) {
            late.extend(state.say(methods, end));
        }
        late
    }

    #[inline]
    pub(crate) fn perform(
        &mut self,
        connection: &Arc<Connection>,
        todo: Todo,
        cx: &mut Context<'_>,
    ) {
        if !self.lane.is_empty() && todo.is_request() {
            if let Todo::Answer(id, ..) = &todo {
                connection.lock().keep_place(*id);
            }
            self.lane.push_back(Turn::Waits(todo));
            return;
        }
        match todo {
            Todo::Event(service, asked, ack) => {
                if let Some(turn) = self.turn(connection, service, asked, ack, cx) {
                    self.lane.push_front(turn);
                }
            }
            Todo::Events(service, asked, batch) => {
                if let Some(turn) = self.turns(connection, service, asked, batch, cx) {
                    self.lane.push_front(turn);
                }
            }
            Todo::Answer(id, service, asked) => self.call(connection, id, service, asked, cx),
            Todo::Open(id, service, asked, _) => {
                open(
                    &self.handlers,
                    connection,
                    id,
                    service,
                    asked,
                    self.time,
                    cx,
                );
            }
            Todo::Wait(id, method, reply) => {
                let mut place = Place::new(connection, id, method);
                place.waits(reply.value.len() + ITEM_BYTES);
                connection.run(id, method, place.answer(Ok(reply)));
            }
            Todo::Abort(handler) => handler.abort(),
            Todo::Unknown(id, service, kind, arrival) => {
                let request = Request::arrived(*arrival, &connection.remote, connection.clock);
                let failure = connection.methods.refuse(service, kind, &request);
                self.handlers.observe(service, request);
                self.ends.push(RequestEnd::Failed(id, failure));
            }
            Todo::Release(id) => self.ends.push(RequestEnd::Released(id)),
            Todo::Agent(id, query) => {
                let Some((agents, owner)) = &connection.agents else {
                    return;
                };
                let answer = agents
                    .answer(*owner, query)
                    .map(Reply::new)
                    .map_err(Failure::of);
                self.ends.push(RequestEnd::Call(id, MethodId::NONE, answer));
            }
            Todo::Forget(id) => connection.lock().forget_chunks(id),
        }
    }

    /// Answers a call. Its handler runs here until it waits for something, and is a
    /// task from then on.
    #[inline]
    fn call(
        &mut self,
        connection: &Arc<Connection>,
        id: u64,
        service: u16,
        request: Request,
        cx: &mut Context<'_>,
    ) {
        self.begun += 1;
        let number = request.method;
        let method = MethodId { service, number };
        let Some(Method::Call(handler)) = self.handlers.find(method) else {
            return;
        };
        let span = debug_span!("mxp_call", id, method = number);
        match begin(connection, method, || handler(request), &span, cx) {
            Progress::Done(result) => {
                if result.is_ok() {
                    self.count(&connection.methods, method, 1);
                } else if let Some(meter) = connection.methods.meter(method) {
                    meter.count(self.time, status_of(&result));
                }
                self.ends.push(RequestEnd::Call(id, method, result));
            }
            Progress::Waits(rest) => {
                if !connection.lock().keep_call(id) {
                    return;
                }
                let measured = connection.methods.begin(method, self.time);
                let place = Place::new(connection, id, method).measured(measured);
                let answer = async move { place.answer(rest.await).await };
                connection.run(id, method, answer.instrument(span));
            }
        }
    }

    /// Goes on with the event that has its turn, and with the requests behind it.
    fn advance(&mut self, connection: &Arc<Connection>, cx: &mut Context<'_>) {
        while let Some(turn) = self.lane.pop_front() {
            if self.is_spent() {
                self.lane.push_front(turn);
                return;
            }
            let turn = match turn {
                Turn::Waits(Todo::Event(service, asked, ack)) => {
                    self.turn(connection, service, asked, ack, cx)
                }
                Turn::Waits(Todo::Events(service, asked, batch)) => {
                    self.turns(connection, service, asked, batch, cx)
                }
                Turn::Waits(Todo::Answer(id, service, asked)) => {
                    if connection.lock().is_wanted(id) {
                        self.call(connection, id, service, asked, cx);
                    } else {
                        self.ends.push(RequestEnd::Released(id));
                    }
                    None
                }
                Turn::Waits(Todo::Open(id, service, asked, _)) => {
                    open(
                        &self.handlers,
                        connection,
                        id,
                        service,
                        asked,
                        self.time,
                        cx,
                    );
                    None
                }
                Turn::Waits(_) => None,
                Turn::Runs(running) => {
                    let RunningHandler {
                        method,
                        answer,
                        ack,
                        measured,
                    } = running;
                    let begun = begin(connection, method, || answer, &Span::none(), cx);
                    self.took(&connection.methods, method, begun, ack, measured)
                }
            };
            if let Some(turn) = turn {
                self.lane.push_front(turn);
                return;
            }
        }
    }

    /// Runs the handler of each event of a batch, as many as the turn has. A returned turn is not
    /// done, and the rest behind it is first in the lane.
    fn turns(
        &mut self,
        connection: &Connection,
        service: u16,
        request: Request,
        mut batch: Batch,
        cx: &mut Context<'_>,
    ) -> Option<Turn> {
        let number = request.method;
        let method = MethodId { service, number };
        let handlers = Arc::clone(&self.handlers);
        let handler = handlers.event(method)?;
        while !batch.is_empty() && !self.is_spent() {
            let Some(value) = batch.next() else {
                break;
            };
            let one = Delivery::Lent(&request, value);
            if let Some(turn) = self.deliver(connection, method, handler, one, None, cx) {
                if !batch.is_empty() {
                    let rest = Todo::Events(service, request, batch);
                    self.lane.push_front(Turn::Waits(rest));
                }
                return Some(turn);
            }
        }
        if batch.is_empty() {
            return None;
        }
        Some(Turn::Waits(Todo::Events(service, request, batch)))
    }

    /// Runs the handler of an event. A returned turn is not done.
    fn turn(
        &mut self,
        connection: &Connection,
        service: u16,
        request: Request,
        ack: Option<u64>,
        cx: &mut Context<'_>,
    ) -> Option<Turn> {
        let number = request.method;
        let method = MethodId { service, number };
        let handlers = Arc::clone(&self.handlers);
        let handler = handlers.event(method)?;
        let one = Delivery::Whole(request);
        self.deliver(connection, method, handler, one, ack, cx)
    }

    /// Gives an event to its handler. A returned turn is not done.
    #[inline]
    fn deliver(
        &mut self,
        connection: &Connection,
        method: MethodId,
        handler: &EventHandler,
        delivery: Delivery<'_>,
        ack: Option<u64>,
        cx: &mut Context<'_>,
    ) -> Option<Turn> {
        self.begun += 1;
        let told = catch_unwind(AssertUnwindSafe(|| handler(delivery)));
        let begun = match told {
            // Mostly there is nothing to be moved.
            Ok(EventOutcome::Done(Ok(()))) => {
                self.count(&connection.methods, method, 1);
                if let Some(id) = ack {
                    self.ends.push(RequestEnd::Acked(id));
                }
                return None;
            }
            Ok(EventOutcome::Done(result)) => Progress::Done(result),
            Ok(EventOutcome::Later(answer)) => {
                begin(connection, method, || answer, &Span::none(), cx)
            }
            Err(panic) => Progress::Done(Err(panicked(connection, method, &*panic))),
        };
        let measured = connection.methods.begin(method, self.time);
        self.took(&connection.methods, method, begun, ack, measured)
    }

    /// Counts calls and events whose handlers have waited for nothing. Requests of one method that
    /// have come together are counted at once, before another method's or with the ends that are
    /// said: the clock costs more than many a handler.
    #[inline]
    fn count(&mut self, methods: &Methods, method: MethodId, requests: u64) {
        if self.taken.0 == method {
            self.taken.1 += requests;
            return;
        }
        let (before, taken) = core::mem::replace(&mut self.taken, (method, requests));
        if taken > 0 {
            if let Some(meter) = methods.meter(before) {
                meter.count_all(self.time, taken);
            }
        }
    }

    /// Acknowledges an event, if that is awaited and its handler is done.
    fn took(
        &mut self,
        methods: &Methods,
        method: MethodId,
        step: Progress<()>,
        ack: Option<u64>,
        measured: Option<RequestMeter>,
    ) -> Option<Turn> {
        let (done, measured) = match step {
            Progress::Waits(answer) => {
                return Some(Turn::Runs(RunningHandler {
                    method,
                    answer,
                    ack,
                    measured,
                }));
            }
            Progress::Done(done) => (done, measured),
        };
        if let Some(measured) = measured {
            measured.end(&done);
        }
        match done {
            Ok(()) => self.ends.extend(ack.map(RequestEnd::Acked)),
            Err(failure) => {
                methods.warn(
                    "an event was not taken",
                    method.service,
                    method.number,
                    &failure,
                );
                self.ends
                    .extend(ack.map(|id| RequestEnd::Failed(id, failure)));
            }
        }
        None
    }
}
