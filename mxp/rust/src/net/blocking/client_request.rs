//! Requests of a client for threads.

use std::boxed::Box;
use std::string::{String, ToString as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;

use super::intercept::{Last, Next, Request};
use super::link::Link;
use super::links::Links;
use super::ClientOptions;
use crate::engine::agent::AgentRequest;
use crate::engine::link::RequestKind;
use crate::engine::repeat::{FailedAttempt, Repeats};
use crate::engine::retry::{Retries, Retry};
use crate::net::clock::Clock;
use crate::net::draws::draw;
use crate::net::request_options::MethodRef;
use crate::net::transport::registry::Target;
use crate::net::wait::Wait;
use crate::net::{Failure, MethodKind, Options, Reply, WhenFull};
use crate::session::{Config, Kind, Value};

/// The kind of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallKind {
    Call,
    Event,
    /// An event that requires an acknowledgement.
    Acked,
}

impl CallKind {
    const fn asking(self) -> RequestKind<'static> {
        match self {
            Self::Call => RequestKind::Call,
            Self::Event => RequestKind::Event(WhenFull::Wait),
            Self::Acked => RequestKind::Acked,
        }
    }
}

/// The state that the clones of a client share.
pub(super) struct SharedState {
    /// The addresses, as failures name them.
    pub(super) address: String,
    pub(super) links: Arc<Links>,
    pub(super) options: ClientOptions,
    retries: Mutex<Retries>,
    clock: Clock,
}

impl SharedState {
    pub(super) fn new(targets: &[Target], options: ClientOptions) -> Self {
        let mut options = options;
        options.telemetry = options.telemetry.at(targets);
        let mut config = Config::new().with_limits(options.limits);
        for info in &options.types {
            config = config.with_type(info.clone());
        }
        if !options.no_batches {
            config = config.with_batches();
        }
        let texts: std::vec::Vec<_> = targets
            .iter()
            .map(|target| target.address.to_string())
            .collect();
        Self {
            address: texts.join(", "),
            links: Arc::new(Links::new(targets, config, &options)),
            retries: Mutex::new(Retries::new(options.retry)),
            clock: Clock::start(),
            options,
        }
    }

    pub(super) fn ask_agents(
        &self,
        request: AgentRequest<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let wait = Wait::of(options.deadline);
        let until = wait.and_then(Wait::until);
        let (of, value) = (MethodRef::number("", 0), Value::default());
        let what = of.what(RequestKind::Agent(request), options);
        let answer = self.again(until, None, |link| link.ask(&what, &value, until));
        answer.map_err(|failure| {
            let failure = Wait::explained(wait, failure);
            failure.with_origin("", &self.address[..])
        })
    }

    /// Makes a request, and waits for its answer if it has one.
    pub(super) fn ask(
        &self,
        method: MethodRef<'_>,
        asks: CallKind,
        value: Value<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let timed = self.timed(asks, options);
        let options = timed.as_ref().unwrap_or(options);
        let wait = Wait::of(options.deadline);
        let answer = if self.is_passed() {
            let kind = match asks {
                CallKind::Call => MethodKind::Call,
                CallKind::Event | CallKind::Acked => MethodKind::Event,
            };
            self.intercepted(method, kind, value, options, |request, options| {
                let (mut options, wait) = (options.clone(), Wait::of(options.deadline));
                let span = self.options.telemetry.ask(method, &mut options);
                let until = wait.and_then(Wait::until);
                let answer = self.request(method, asks, &Value::Bytes(request), &options, until);
                let answer = answer.map_err(|failure| self.explained(method, wait, failure));
                span.end(&answer);
                answer
            })
        } else {
            let until = wait.and_then(Wait::until);
            self.request(method, asks, &value.shared(), options, until)
        };
        let answer = answer.inspect(|reply| options.keep(reply));
        answer.map_err(|failure| self.explained(method, wait, failure))
    }

    /// The options of a request that has its deadline of a policy.
    fn timed(&self, asks: CallKind, options: &Options) -> Option<Options> {
        if options.deadline.is_some() || matches!(asks, CallKind::Event) {
            return None;
        }
        let timeout = options.retry.policy(self.options.retry)?.timeout?;
        Some(options.clone().with_deadline(timeout))
    }

    /// Whether requests pass something, before they are made.
    pub(super) fn is_passed(&self) -> bool {
        !self.options.interceptors.is_empty() || self.options.telemetry.is_told()
    }

    fn request(
        &self,
        method: MethodRef<'_>,
        asks: CallKind,
        value: &Value<'_>,
        options: &Options,
        deadline: Option<Instant>,
    ) -> Result<Reply, Failure> {
        let retry = match asks {
            CallKind::Event => None,
            CallKind::Call | CallKind::Acked => {
                self.retries().begin(options.retry, method.is_idempotent)
            }
        };
        let what = method.what(asks.asking(), options);
        self.again(deadline, retry, |link| link.ask(&what, value, deadline))
    }

    fn retries(&self) -> MutexGuard<'_, Retries> {
        self.retries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The repetitions of a request, or a stream, with a deadline, or without one.
    pub(super) fn repeats(&self, deadline: Option<Instant>) -> Repeats {
        let deadline = deadline.map(|deadline| self.clock.since(deadline));
        Repeats::new(deadline, self.options.connect_timeout)
    }

    /// Waits until something is made again that was missed, if it is.
    pub(super) fn pause(
        &self,
        repeats: &mut Repeats,
        missed: FailedAttempt,
    ) -> Result<(), Failure> {
        let pause = repeats.next(missed, self.clock.now(), draw)?;
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
        Ok(())
    }

    /// Makes a request that passes the interceptors first. They are part of the time that it
    /// may take.
    pub(super) fn intercepted(
        &self,
        method: MethodRef<'_>,
        kind: MethodKind,
        value: Value<'_>,
        options: &Options,
        make: impl Fn(Bytes, &Options) -> Result<Reply, Failure>,
    ) -> Result<Reply, Failure> {
        let begun = Instant::now();
        let last: Last<'_> = Box::new(|mut request| {
            let mut options = request.options(options);
            if let Some(deadline) = &mut options.deadline {
                *deadline = deadline.saturating_sub(begun.elapsed());
                if deadline.is_zero() {
                    return Err(Failure::of(Kind::DeadlineExceeded));
                }
            }
            make(request.value, &options)
        });
        let next = Next {
            of: method,
            kind,
            chain: &self.options.interceptors,
            last: &last,
        };
        next.run(Request::new(into_bytes(value), options))
    }

    /// A failure of a request, with the method, the address and the time that the request waited.
    #[cold]
    pub(super) fn explained(
        &self,
        method: MethodRef<'_>,
        wait: Option<Wait>,
        failure: Failure,
    ) -> Failure {
        let failure = Wait::explained(wait, failure);
        failure.located(method.service, method.name, method.number, &self.address)
    }

    /// Makes a request until somebody may have acted on it [MXP-14.6], and again by a policy.
    pub(super) fn again<T>(
        &self,
        deadline: Option<Instant>,
        mut retry: Option<Retry>,
        mut attempt: impl FnMut(&Arc<Link>) -> Result<T, FailedAttempt>,
    ) -> Result<T, Failure> {
        let mut repeats = self.repeats(deadline);
        loop {
            let connected = self.links.connected(deadline).map_err(FailedAttempt::from);
            let missed = match connected.and_then(|link| attempt(&link)) {
                Ok(done) => return Ok(done),
                Err(missed) => missed,
            };
            if let Err(failure) = self.pause(&mut repeats, missed) {
                let left = deadline.map(|time| time.saturating_duration_since(Instant::now()));
                let retry = retry.as_mut();
                let pause =
                    retry.and_then(|retry| retry.pause(&mut self.retries(), &failure, left, draw));
                std::thread::sleep(pause.ok_or(failure)?);
                repeats = self.repeats(deadline);
            }
        }
    }
}

pub(super) fn into_bytes(value: Value<'_>) -> Bytes {
    match value {
        Value::Borrowed(bytes) => Bytes::copy_from_slice(bytes),
        Value::Vec(bytes) => bytes.into(),
        Value::Bytes(bytes) => bytes,
    }
}
