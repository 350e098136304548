//! Requests of a client, and the interceptors that they pass.

use core::future::{poll_fn, ready, Future};
use core::task::Poll;
use std::borrow::Cow;
use std::boxed::Box;
use std::string::ToString as _;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::engine::repeat::Again;
use crate::net::client::Client;
use crate::net::clock::Clock;
use crate::net::connection::Submission;
use crate::net::intercept::{Next, Slot, Target};
use crate::net::metrics::status_of;
use crate::net::request_kind::{Ask, CallKind};
use crate::net::request_options::MethodRef;
use crate::net::service::Answer;
use crate::net::telemetry::RequestSpan;
use crate::net::wait::Wait;
use crate::net::MethodKind;
use crate::net::{Failure, Options, Reply, Request, Stream, WhenFull};
use crate::session::{Kind, Value};

impl Client {
    /// Makes a request, and waits for its result. Most requests can be made at once: all else is
    /// kept out of the future, which is moved for every request.
    pub(crate) async fn request(
        &self,
        method: MethodRef<'_>,
        asks: CallKind<'static>,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let wait = Wait::of(options.deadline);
        if self.is_passed() {
            let asked = Box::pin(self.intercepted(method, asks, value, options)).await;
            let asked = asked.inspect(|reply| options.keep(reply));
            return asked.map_err(|failure| self.explained(method, wait, failure));
        }
        if self.is_planned(method, asks, options) {
            let asked = Box::pin(self.answered(method, asks, value, options.clone())).await;
            return asked.inspect(|reply| options.keep(reply));
        }
        let mut measured = self.measured_here(method);
        let retry = self.retry(method, asks, options);
        let value = value.shared();
        let made = poll_fn(|cx| {
            let waker = Some(cx.waker());
            Poll::Ready(self.request_at_once(method, asks, &value, options, waker))
        });
        let missed = match made.await {
            Some(Ok(Submission::Call(mut pending))) => {
                let (clock, made) = pending.made();
                measured.begun_at(clock, made);
                match pending.answer().await {
                    Ok(reply) => {
                        measured.ended_at(pending.answered());
                        measured.end(&Ok(()));
                        options.keep(&reply);
                        return Ok(reply);
                    }
                    Err(missed) if missed.again == Again::Never => Err(missed.failure),
                    Err(missed) => Ok(Some(*missed)),
                }
            }
            Some(Ok(Submission::Event | Submission::Stream(..))) => {
                measured.end(&Ok(()));
                return Ok(Reply::default());
            }
            Some(Err(failure)) => Err(failure),
            None => {
                measured.begun_at(Clock::start(), 0);
                Ok(None)
            }
        };
        let until = wait.and_then(Wait::until);
        let value = &value;
        let ask = Ask {
            of: method,
            asks,
            value,
            options,
            until,
            first: None,
        };
        let answer = match missed {
            Ok(missed) => Box::pin(self.request_until(&ask, missed)).await,
            Err(failure) => Err(failure),
        };
        measured.end(&answer);
        let answer = match (answer, retry) {
            (Err(failure), Some(retry)) => Box::pin(self.retried(retry, &ask, failure)).await,
            (answer, _) => answer,
        };
        let answer = answer.inspect(|reply| options.keep(reply));
        answer.map_err(|failure| self.explained(method, wait, failure))
    }

    /// A failure of a request, with the method, the address and the time that the request waited.
    #[cold]
    pub(crate) fn explained(
        &self,
        method: MethodRef<'_>,
        wait: Option<Wait>,
        failure: Failure,
    ) -> Failure {
        let failure = Wait::explained(wait, failure);
        failure.located(method.service, method.name, method.number, &self.address())
    }

    /// Tells the peer something, mostly at once.
    pub(crate) async fn tell(
        &self,
        method: MethodRef<'_>,
        full: WhenFull,
        value: Value<'static>,
        options: &Options,
    ) -> Result<(), Failure> {
        let asks = CallKind::Event(full);
        let wait = Wait::of(options.deadline);
        if self.is_passed() {
            let told = Box::pin(self.intercepted(method, asks, value, options)).await;
            let told = told.map(|_| ());
            return told.map_err(|failure| self.explained(method, wait, failure));
        }
        let value = &value.shared();
        let told = self.tell_at_once(method, full, value, options);
        if let Some(told) = told {
            self.count(method, status_of(&told));
            return told.map_err(|failure| self.explained(method, None, failure));
        }
        let measured = self.measured(method, Some(Instant::now()));
        let until = wait.and_then(Wait::until);
        let ask = Ask {
            of: method,
            asks,
            value,
            options,
            until,
            first: None,
        };
        let told = Box::pin(self.request_until(&ask, None)).await.map(|_| ());
        measured.end(&told);
        told.map_err(|failure| self.explained(method, wait, failure))
    }

    /// Makes a request that passes interceptors.
    async fn intercepted(
        &self,
        method: MethodRef<'_>,
        asks: CallKind<'static>,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let (kind, full) = match asks {
            CallKind::Call | CallKind::Agent(_) => (MethodKind::Call, None),
            CallKind::Event(full) => (MethodKind::Event, Some(full)),
            CallKind::Acked => (MethodKind::Event, None),
        };
        let policy = options.retry;
        let request = move |client: Self, target: Arc<Target>, request| async move {
            let (value, mut options) = parts(request);
            options.retry = policy;
            let span = client.telemetry().ask(target.of(), &mut options);
            let asks = match (target.kind, target.full) {
                (MethodKind::Event, Some(full)) => CallKind::Event(full),
                (MethodKind::Event, None) => CallKind::Acked,
                _ => CallKind::Call,
            };
            let answer = client.answered(target.of(), asks, value, options).await;
            span.end(&answer);
            answer
        };
        self.pass(method, (kind, full), value, options, request)
            .await
    }

    /// Opens a stream, on which this side sends something behind the value, unless
    /// that is final.
    pub(crate) async fn open_stream(
        &self,
        method: MethodRef<'_>,
        is_final: bool,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let wait = Wait::of(options.deadline);
        let opened = self.open_any(method, is_final, value, options).await;
        opened.map_err(|failure| self.explained(method, wait, failure))
    }

    /// Opens a stream, and has its end counted and told.
    async fn open_measured(
        &self,
        method: MethodRef<'_>,
        is_final: bool,
        value: Value<'static>,
        options: &Options,
        span: RequestSpan,
    ) -> Result<Stream, Failure> {
        let wait = Wait::of(options.deadline);
        let measured = self.measured(method, Some(Instant::now())).with(span);
        let opened = self.open_now(method, is_final, value, options).await;
        let opened = opened.map_err(|why| self.explained(method, wait, why));
        match &opened {
            Ok(stream) => stream.sender.handle.measure(measured),
            Err(_) => measured.end(&opened),
        }
        opened
    }

    async fn open_any(
        &self,
        method: MethodRef<'_>,
        is_final: bool,
        value: Value<'static>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        if !self.is_passed() {
            let span = RequestSpan::none();
            return self
                .open_measured(method, is_final, value, options, span)
                .await;
        }
        let slot = Slot::default();
        let place = slot.clone();
        let open = move |client: Self, target: Arc<Target>, request| {
            let place = place.clone();
            async move {
                let (value, mut options) = parts(request);
                let span = client.telemetry().ask(target.of(), &mut options);
                let stream = client
                    .open_measured(target.of(), is_final, value, &options, span)
                    .await;
                place.put(stream?);
                Ok(Reply::default())
            }
        };
        self.pass(method, (MethodKind::Stream, None), value, options, open)
            .await?;
        // An interceptor may have opened none.
        slot.take().ok_or_else(|| Failure::of(Kind::ExchangeEnded))
    }

    /// Makes a request that passes the interceptors first. They are part of the time
    /// that it may take.
    async fn pass<F, A>(
        &self,
        subject: MethodRef<'_>,
        (kind, full): (MethodKind, Option<WhenFull>),
        value: Value<'static>,
        options: &Options,
        make: F,
    ) -> Result<Reply, Failure>
    where
        F: Fn(Self, Arc<Target>, Request) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Reply, Failure>> + Send + 'static,
    {
        let begun = Instant::now();
        let target = Arc::new(Target {
            service: subject.service.to_string(),
            number: subject.number,
            name: Cow::Borrowed(subject.name),
            is_idempotent: subject.is_idempotent,
            kind,
            full,
        });
        let asked = Request {
            method: subject.number,
            value: into_bytes(value),
            metadata: options.metadata.clone(),
            deadline: options.deadline,
            trace: options.trace,
            remote: Arc::clone(self.remote()),
            wait: None,
        };
        let client = self.clone();
        let last = move |target: &Arc<Target>, mut request: Request| -> Answer<Reply> {
            let left = request
                .deadline
                .map(|time| time.saturating_sub(begun.elapsed()));
            if left.is_some_and(|timeout| timeout.is_zero()) {
                return Box::pin(ready(Err(Failure::of(Kind::DeadlineExceeded))));
            }
            request.deadline = left;
            Box::pin(make(client.clone(), Arc::clone(target), request))
        };
        let next = Next::new(target, Arc::clone(self.interceptors()), Arc::new(last));
        next.run(asked).await
    }
}

impl Target {
    fn of(&self) -> MethodRef<'_> {
        MethodRef {
            service: &self.service,
            number: self.number,
            name: match self.name {
                Cow::Borrowed(name) => name,
                // The names of a client's requests are never owned.
                Cow::Owned(_) => "",
            },
            is_idempotent: self.is_idempotent,
        }
    }
}

/// The value and the options of a request, as a client gives them.
fn parts(request: Request) -> (Value<'static>, Options) {
    let mut options = Options::new();
    options.deadline = request.deadline;
    options.trace = request.trace;
    options.metadata = request.metadata;
    (request.value.into(), options)
}

fn into_bytes(value: Value<'static>) -> Bytes {
    match value {
        Value::Borrowed(bytes) => Bytes::from_static(bytes),
        Value::Vec(bytes) => bytes.into(),
        Value::Bytes(bytes) => bytes,
    }
}
