//! Requests, as a client makes them on the connections that it has.

use core::future::poll_fn;
use core::task::Waker;
use core::time::Duration;
use std::boxed::Box;
use std::string::String;
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use super::members::Candidates;
use super::shared_state::{before, wait, SharedState};
use super::Client;
use crate::engine::agent::AgentRequest;
use crate::engine::link::{Rejection, RequestKind, RequestSpec};
use crate::engine::packed_values::PackedValues;
use crate::engine::repeat::{FailedAttempt, Repeats};
use crate::engine::retry::Retry;
use crate::net::connection::{Connection, LinePlace, Submission};
use crate::net::draws::draw;
use crate::net::intercept::Interceptor;
use crate::net::metrics::{MeterRef, RequestMeter};
use crate::net::peer::Remote;
use crate::net::request_kind::{Ask, CallKind};
use crate::net::request_options::MethodRef;
use crate::net::stream::{Back, Handle, OpenFuture, OpenPlan, Opener, Stream, Subject};
use crate::net::telemetry::Telemetry;
use crate::net::wait::Wait;
use crate::net::{Failure, Options, Reply, RetryPolicy, WhenFull};
use crate::session::{Kind, Status, Value};

impl Client {
    /// Asks the server's directory for something. Interceptors know of methods alone.
    pub(super) async fn ask_agents(
        &self,
        request: AgentRequest<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        if self.shared.members.first().is_none() {
            return Err(self.keeps_no_directory());
        }
        let wait = Wait::of(options.deadline);
        let until = wait.and_then(Wait::until);
        let (of, asks) = (MethodRef::number("", 0), CallKind::Agent(request));
        let value = Value::default();
        let value = &value;
        let ask = Ask {
            of,
            asks,
            value,
            options,
            until,
            first: None,
        };
        let asked = Box::pin(self.request_until(&ask, None));
        asked.await.map_err(|failure| {
            let failure = Wait::explained(wait, failure);
            failure.with_origin("", self.address())
        })
    }

    /// The failure of agent requests to agents of the mesh.
    pub(super) fn keeps_no_directory(&self) -> Failure {
        let text = "agents keep no directory: a client of the node asks that";
        Failure::saying(Kind::AgentsOff, text).with_origin("", self.address())
    }

    /// The address that the client has.
    pub(crate) fn address(&self) -> String {
        self.shared.common.address.clone()
    }

    /// The peer that is asked, as far as an address says.
    pub(crate) fn remote(&self) -> &Arc<Remote> {
        &self.shared.common.remote
    }

    pub(crate) fn interceptors(&self) -> &Arc<[Interceptor]> {
        &self.shared.common.interceptors
    }

    /// Is told of requests.
    pub(crate) fn telemetry(&self) -> &Telemetry {
        &self.shared.common.options.telemetry
    }

    /// Whether requests pass something, before they are made.
    pub(crate) fn is_passed(&self) -> bool {
        !self.interceptors().is_empty() || self.telemetry().is_told()
    }

    /// Makes a request, if that takes no more than to queue it.
    pub(crate) fn request_at_once(
        &self,
        method: MethodRef<'_>,
        asks: CallKind<'_>,
        value: &Value<'static>,
        options: &Options,
        waker: Option<&Waker>,
    ) -> Option<Result<Submission, Failure>> {
        if asks.is_timed(options) {
            return None;
        }
        let what = method.what(asks.asking(), options);
        let Some(member) = self.shared.members.only() else {
            let chosen = self.shared.members.all().choose(&[])?;
            return at_once(chosen.ask(&what, value, options.deadline, waker));
        };
        let current = member.kept.current.borrow();
        let asked = current.as_ref()?;
        at_once(asked.ask(&what, value, options.deadline, waker))
    }

    /// Queues an event, if nothing has to be waited for.
    pub(crate) fn tell_at_once(
        &self,
        method: MethodRef<'_>,
        full: WhenFull,
        value: &Value<'static>,
        options: &Options,
    ) -> Option<Result<(), Failure>> {
        let what = method.what(RequestKind::Event(full), options);
        let told = if let Some(member) = self.shared.members.only() {
            let current = member.kept.current.borrow();
            current.as_ref()?.tell(&what, full, value)
        } else {
            self.shared
                .members
                .all()
                .choose(&[])?
                .tell(&what, full, value)
        };
        match told {
            Ok(()) => Some(Ok(())),
            Err(Rejection::For(failure)) => Some(Err(*failure)),
            Err(Rejection::Elsewhere | Rejection::Full(_)) => None,
        }
    }

    /// Queues events, as many as can be at once. There may be none.
    pub(crate) fn tell_some(
        &self,
        method: MethodRef<'_>,
        full: WhenFull,
        pulled: &mut PackedValues,
        options: &Options,
    ) -> Result<(usize, bool), Failure> {
        let Some(chosen) = self.shared.members.all().choose(&[]) else {
            return Ok((0, false));
        };
        let what = method.what(RequestKind::Event(full), options);
        match chosen.tell_some(&what, full, pulled) {
            Err(Rejection::For(failure)) => Err(*failure),
            Err(Rejection::Elsewhere | Rejection::Full(_)) => Ok((0, false)),
            Ok((told, is_filled)) => {
                let metrics = &self.shared.common.metrics;
                metrics.count(method.service, method.number, method.name, told as u64);
                Ok((told, is_filled))
            }
        }
    }

    /// Counts a request that begins, whose time somebody has looked at.
    pub(crate) fn measured(&self, method: MethodRef<'_>, start: Option<Instant>) -> RequestMeter {
        let metrics = &self.shared.common.metrics;
        RequestMeter::begin(
            metrics.meter(method.service, method.number, method.name),
            start,
        )
    }

    /// Counts a request that begins, whose time nobody has looked at, and that ends before the
    /// client does.
    pub(crate) fn measured_here(&self, method: MethodRef<'_>) -> RequestMeter<MeterRef<'_>> {
        let metrics = &self.shared.common.metrics;
        RequestMeter::begin(
            metrics.lent(method.service, method.number, method.name),
            None,
        )
    }

    /// Counts a request that was made at once and has no answer, or was refused.
    pub(crate) fn count(&self, method: MethodRef<'_>, status: Status) {
        let metrics = &self.shared.common.metrics;
        if status == Status::OK {
            return metrics.count(method.service, method.number, method.name, 1);
        }
        let meter = metrics.meter(method.service, method.number, method.name);
        meter.count(None, status);
    }

    /// The policy of a call, or an event that is acknowledged, if there is one.
    pub(crate) fn retry(
        &self,
        method: MethodRef<'_>,
        asks: CallKind<'_>,
        options: &Options,
    ) -> Option<Retry> {
        if !asks.is_retried() {
            return None;
        }
        let common = &self.shared.common;
        // Mostly there is none, and the bucket is not looked at.
        let _ = self.policy(options)?;
        common.retries().begin(options.retry, method.is_idempotent)
    }

    /// Makes a request again by a policy that has failed [MXP-14.8].
    pub(crate) async fn retried(
        &self,
        mut retry: Retry,
        ask: &Ask<'_>,
        failure: Failure,
    ) -> Result<Reply, Failure> {
        let common = &self.shared.common;
        let mut failure = failure;
        loop {
            let left = ask
                .until
                .map(|end| end.saturating_duration_since(Instant::now()));
            let pause = retry.pause(&mut common.retries(), &failure, left, draw);
            let Some(pause) = pause else {
                return Err(failure);
            };
            if !common.rest(pause).await {
                return Err(failure);
            }
            match self.attempt(&mut retry, ask).await {
                Ok(reply) => return Ok(reply),
                Err(again) => failure = again,
            }
        }
    }

    /// Makes a request by its policy, if it has one, whose deadline it has where it has none.
    pub(crate) async fn answered(
        &self,
        method: MethodRef<'_>,
        asks: CallKind<'_>,
        value: Value<'static>,
        options: Options,
    ) -> Result<Reply, Failure> {
        let mut options = options;
        options.deadline = self.deadline(asks, &options);
        let wait = Wait::of(options.deadline);
        let value = value.shared();
        let ask = Ask {
            of: method,
            asks,
            value: &value,
            options: &options,
            until: wait.and_then(Wait::until),
            first: None,
        };
        let answer = match self.retry(method, asks, &options) {
            None => self.measured_until(&ask).await,
            Some(mut retry) => match self.attempt(&mut retry, &ask).await {
                Ok(reply) => Ok(reply),
                Err(failure) => self.retried(retry, &ask, failure).await,
            },
        };
        answer.map_err(|failure| self.explained(method, wait, failure))
    }

    /// The policy of requests with these options, if they have one.
    fn policy(&self, options: &Options) -> Option<RetryPolicy> {
        options.retry.policy(self.shared.common.options.retry)
    }

    /// The deadline of a request: its own, or that of its policy.
    fn deadline(&self, asks: CallKind<'_>, options: &Options) -> Option<Duration> {
        if options.deadline.is_some() || !asks.is_retried() {
            return options.deadline;
        }
        self.policy(options)?.timeout
    }

    /// Whether a policy does more with a request than to make it again.
    pub(crate) fn is_planned(
        &self,
        method: MethodRef<'_>,
        asks: CallKind<'_>,
        options: &Options,
    ) -> bool {
        let hedge = self.policy(options).and_then(|policy| policy.hedge);
        let is_hedged = asks.is_hedged(method.is_idempotent) && hedge.is_some();
        is_hedged || self.deadline(asks, options) != options.deadline
    }

    /// Makes a request once, or a call also on other connections while it has not ended.
    async fn attempt(&self, retry: &mut Retry, ask: &Ask<'_>) -> Result<Reply, Failure> {
        let is_hedged = ask.asks.is_hedged(ask.of.is_idempotent);
        match retry.hedge().filter(|_| is_hedged) {
            Some(after) => self.hedged(retry, after, ask).await,
            None => self.measured_until(ask).await,
        }
    }

    /// Makes a request that is counted.
    pub(super) async fn measured_until(&self, ask: &Ask<'_>) -> Result<Reply, Failure> {
        let measured = self.measured(ask.of, Some(Instant::now()));
        let asked = self.request_until(ask, None).await;
        measured.end(&asked);
        asked
    }

    /// Makes a request until somebody may have acted on it [MXP-14.6]: for the first time,
    /// or behind an attempt that was missed.
    pub(crate) async fn request_until(
        &self,
        ask: &Ask<'_>,
        missed: Option<FailedAttempt>,
    ) -> Result<Reply, Failure> {
        let Ask {
            of,
            asks,
            value,
            options,
            until,
            mut first,
        } = *ask;
        let what = of.what(asks.asking(), options);
        let mut missed = missed;
        let mut repeats = self.shared.common.repeats(until);
        loop {
            if let Some(missed) = missed.take() {
                self.shared.common.pause(&mut repeats, missed).await?;
            }
            let first = first.take().map(Arc::clone);
            let Submission::Call(mut pending) = self.ask(&what, value, until, first).await? else {
                return Ok(Reply::default());
            };
            let answered = match until.filter(|_| asks.is_timed(options)) {
                Some(until) => {
                    let answer = tokio::time::timeout_at(until.into(), pending.answer());
                    let answer = Box::pin(answer).await;
                    answer.unwrap_or_else(|_| Err(Box::new(pending.end_late())))
                }
                None => pending.answer().await,
            };
            match answered {
                Ok(reply) => return Ok(reply),
                Err(why) => missed = Some(*why),
            }
        }
    }

    pub(crate) async fn open_now(
        &self,
        method: MethodRef<'_>,
        is_final: bool,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let wait = Wait::of(options.deadline);
        let opening = OpenPlan {
            service: method.service.into(),
            number: method.number,
            name: method.name,
            is_idempotent: method.is_idempotent,
            is_final,
            value: value.shared(),
            options: options.clone(),
            wait,
            repeats: Mutex::new(self.shared.common.repeats(wait.and_then(Wait::until))),
        };
        self.open_as(&Arc::new(opening), is_final).await
    }

    /// Opens a stream, for the first time or anew.
    async fn open_as(&self, opening: &Arc<OpenPlan>, is_final: bool) -> Result<Stream, Failure> {
        let OpenPlan { value, options, .. } = &**opening;
        let window = self.shared.common.options.window.of(opening.of().service);
        let what = opening
            .of()
            .what(RequestKind::Open(window.grant(), is_final), options);
        let made = self.ask(&what, value, opening.until(), None).await?;
        let Submission::Stream(connection, id, service) = made else {
            return Err(Failure::of(Kind::ExchangeEnded));
        };
        let subject = Subject {
            service,
            method: opening.number,
            name: opening.name,
            wait: opening.wait,
        };
        let shared: Weak<SharedState> = Arc::downgrade(&self.shared);
        let back = Back {
            opening: Arc::clone(opening),
            opener: shared,
        };
        let window = connection.lock().stream_window(id);
        Ok(Stream::opened(&connection, window, id, subject, back))
    }

    /// Makes a request, on the first connection on which it can be made, when there is
    /// room for it.
    async fn ask(
        &self,
        spec: &RequestSpec<'_>,
        value: &Value<'static>,
        deadline: Option<Instant>,
        first: Option<Arc<Connection>>,
    ) -> Result<Submission, Failure> {
        let SharedState {
            common, members, ..
        } = &*self.shared;
        let members = match spec.kind {
            RequestKind::Agent(_) => {
                Candidates::Fixed(members.first().map_or(&[], core::slice::from_ref))
            }
            _ => members.all(),
        };
        let mut first = first;
        loop {
            let connection = match first.take().or_else(|| members.choose(&[])) {
                Some(connection) => connection,
                None => wait(common, members, deadline).await?,
            };
            let mut line = LinePlace::new(&connection);
            let asked = poll_fn(|cx| {
                line.poll(cx, |state, ticket| {
                    let left = deadline.map(|time| time.saturating_duration_since(Instant::now()));
                    match connection.ask_in(state, spec, value, left, None, ticket) {
                        Err(Rejection::Full(room)) => Err(room),
                        asked => Ok(asked),
                    }
                })
            });
            let asked = before(deadline, asked).await;
            match asked.ok_or_else(|| Failure::of(Kind::DeadlineExceeded))? {
                Ok(made) => return Ok(made),
                Err(Rejection::For(failure)) => return Err(*failure),
                // The next one is on its way.
                Err(Rejection::Elsewhere | Rejection::Full(_)) => {}
            }
        }
    }
}

impl Opener<Handle> for SharedState {
    fn open(self: Arc<Self>, opening: Arc<OpenPlan>, has_ended: bool) -> OpenFuture<Handle> {
        let client = Client { shared: self };
        Box::pin(async move {
            let stream = client.open_as(&opening, has_ended).await?;
            Ok(Arc::clone(&stream.sender.handle))
        })
    }

    fn next(&self, repeats: &mut Repeats, missed: FailedAttempt) -> Result<Duration, Failure> {
        repeats.next(missed, self.common.clock.now(), draw)
    }
}

/// The result of a request that was made, or that was itself refused.
fn at_once(result: Result<Submission, Rejection>) -> Option<Result<Submission, Failure>> {
    match result {
        Ok(made) => Some(Ok(made)),
        Err(Rejection::For(failure)) => Some(Err(*failure)),
        Err(Rejection::Elsewhere | Rejection::Full(_)) => None,
    }
}
