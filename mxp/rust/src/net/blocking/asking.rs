//! Requests of a client for threads.

use std::boxed::Box;
use std::string::{String, ToString as _};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use super::intercept::{Asked, Last, Next};
use super::link::Link;
use super::links::Links;
use super::ClientOptions;
use crate::net::again::{Again, Missed, Pauses};
use crate::net::agents::AgentRequest;
use crate::net::names::Names;
use crate::net::request::{lent, microseconds, Of};
use crate::net::retry::{Retries, Retry};
use crate::net::transport::registry::Target;
use crate::net::wait::Wait;
use crate::net::{Failure, MethodKind, Options, Reply};
use crate::session::{Config, Kind, OnFull, Request, Session, Value};

/// The kind of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asks {
    Call,
    Event,
    /// An event that requires an acknowledgement.
    Acked,
}

/// The state that the clones of a client share.
pub(super) struct Shared {
    /// The addresses, as failures name them.
    pub(super) address: String,
    pub(super) links: Arc<Links>,
    pub(super) options: ClientOptions,
    retries: Retries,
}

impl Shared {
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
        let texts: std::vec::Vec<_> = targets.iter().map(|one| one.address.to_string()).collect();
        Self {
            address: texts.join(", "),
            links: Arc::new(Links::new(targets, config, &options)),
            retries: Retries::new(options.retry),
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
        let answer = self.again(until, None, |link| {
            link.ask(until, |session, _, now| {
                let made = request.make(session, now);
                made.map(Some)
                    .map_err(|kind| Failure::refusing(kind, session))
            })
        });
        answer.map_err(|failure| {
            let failure = Wait::explained(wait, failure);
            failure.with_origin("", &self.address[..])
        })
    }

    /// Makes a request, and waits for its answer if it has one.
    pub(super) fn ask(
        &self,
        of: Of<'_>,
        asks: Asks,
        value: Value<'_>,
        options: &Options,
    ) -> Result<Reply, Failure> {
        let timed = self.timed(asks, options);
        let options = timed.as_ref().unwrap_or(options);
        let wait = Wait::of(options.deadline);
        let answer = if self.is_passed() {
            let kind = match asks {
                Asks::Call => MethodKind::Call,
                Asks::Event | Asks::Acked => MethodKind::Event,
            };
            self.intercepted(of, kind, value, options, |asked, options| {
                let (mut options, wait) = (options.clone(), Wait::of(options.deadline));
                let span = self.options.telemetry.ask(of, &mut options);
                let until = wait.and_then(Wait::until);
                let answer = self.request(of, asks, &Value::Bytes(asked), &options, until);
                let answer = answer.map_err(|failure| self.explained(of, wait, failure));
                span.end(&answer);
                answer
            })
        } else {
            let until = wait.and_then(Wait::until);
            self.request(of, asks, &value.shared(), options, until)
        };
        let answer = answer.inspect(|reply| options.keep(reply));
        answer.map_err(|failure| self.explained(of, wait, failure))
    }

    /// The options of a request that has its deadline of a policy.
    fn timed(&self, asks: Asks, options: &Options) -> Option<Options> {
        if options.deadline.is_some() || matches!(asks, Asks::Event) {
            return None;
        }
        let timeout = self.retries.timeout(options.retry)?;
        Some(options.clone().with_deadline(timeout))
    }

    /// Whether requests pass something, before they are made.
    pub(super) fn is_passed(&self) -> bool {
        !self.options.interceptors.is_empty() || self.options.telemetry.is_told()
    }

    fn request(
        &self,
        of: Of<'_>,
        asks: Asks,
        value: &Value<'_>,
        options: &Options,
        until: Option<Instant>,
    ) -> Result<Reply, Failure> {
        let retry = match asks {
            Asks::Event => None,
            Asks::Call | Asks::Acked => self.retries.begin(options.retry, of.is_idempotent),
        };
        self.again(until, retry, |link| {
            link.ask(until, |session, services, now| {
                make(session, services, of, options, until, |session, request| {
                    let full = OnFull::Refuse;
                    match asks {
                        Asks::Call => session.call(request, value.lent(), now).map(Some),
                        Asks::Acked => session.event(request, true, full, value.lent(), now),
                        Asks::Event => {
                            let told = session.event(request, false, full, value.lent(), now);
                            told.map(|_| None)
                        }
                    }
                })
            })
        })
    }

    /// Makes a request that passes the interceptors first. They are part of the time that it
    /// may take.
    pub(super) fn intercepted(
        &self,
        of: Of<'_>,
        kind: MethodKind,
        value: Value<'_>,
        options: &Options,
        make: impl Fn(Bytes, &Options) -> Result<Reply, Failure>,
    ) -> Result<Reply, Failure> {
        let begun = Instant::now();
        let last: Last<'_> = Box::new(|mut asked| {
            let mut options = asked.options(options);
            if let Some(deadline) = &mut options.deadline {
                *deadline = deadline.saturating_sub(begun.elapsed());
                if deadline.is_zero() {
                    return Err(Failure::of(Kind::DeadlineExceeded));
                }
            }
            make(asked.value, &options)
        });
        let next = Next {
            of,
            kind,
            chain: &self.options.interceptors,
            last: &last,
        };
        next.run(Asked::new(into_bytes(value), options))
    }

    /// A failure of a request, with what is known of that.
    #[cold]
    pub(super) fn explained(&self, of: Of<'_>, wait: Option<Wait>, failure: Failure) -> Failure {
        let failure = Wait::explained(wait, failure);
        failure.located(of.service, of.name, of.number, &self.address)
    }

    /// Makes a request until somebody may have acted on it [MXP-14.6], and again by a policy.
    pub(super) fn again<T>(
        &self,
        until: Option<Instant>,
        mut retry: Option<Retry>,
        mut attempt: impl FnMut(&Arc<Link>) -> Result<T, Missed>,
    ) -> Result<T, Failure> {
        let mut pauses = None;
        loop {
            let connected = self.links.connected(until).map_err(Missed::from);
            let missed = match connected.and_then(|link| attempt(&link)) {
                Ok(done) => return Ok(done),
                Err(missed) => missed,
            };
            match missed.again {
                Again::Never => {
                    let failure = missed.failure;
                    let retry = retry.as_mut();
                    let pause = retry.and_then(|r| r.pause(&self.retries, &failure, until));
                    std::thread::sleep(pause.ok_or(failure)?);
                }
                Again::Elsewhere => {}
                Again::Soon => {
                    let patience = self.options.connect_timeout;
                    let pauses = pauses.get_or_insert_with(|| Pauses::new(until, patience));
                    let Some(pause) = pauses.next() else {
                        return Err(missed.failure);
                    };
                    std::thread::sleep(pause);
                }
            }
        }
    }
}

/// Makes a request of a method of a connection's peer.
pub(super) fn make<T>(
    session: &mut Session,
    services: &Names,
    of: Of<'_>,
    options: &Options,
    until: Option<Instant>,
    begin: impl FnOnce(&mut Session, &Request<'_>) -> Result<T, Kind>,
) -> Result<T, Failure> {
    let number = services.find(of.service);
    let number = number.ok_or_else(|| Failure::not_served(of.service, services))?;
    if let Some(difference) = session.difference(number, of.number) {
        return Err(Failure::differing(difference));
    }
    let metadata = lent(&options.metadata);
    let left = until.map(|at| at.saturating_duration_since(Instant::now()));
    let request = Request::new(number, of.number)
        .with_deadline(left.map_or(0, microseconds))
        .with_trace(options.trace)
        .with_metadata(&metadata);
    let id = begin(session, &request);
    id.map_err(|kind| Failure::refusing(kind, session))
}

pub(super) fn into_bytes(value: Value<'_>) -> Bytes {
    match value {
        Value::Borrowed(bytes) => Bytes::copy_from_slice(bytes),
        Value::Vec(bytes) => bytes.into(),
        Value::Bytes(bytes) => bytes,
    }
}
