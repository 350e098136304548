//! Streams that a client opens.

use std::cell::RefCell;
use std::string::{String, ToString as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::vec::Vec;

use bytes::Bytes;

use super::asking::{into_bytes, make, Shared};
use super::desk::{gone, Entry};
use super::link::{Link, State};
use super::stream::{Inlet, Outlet, Stream, Whole};
use crate::net::again::{Again, Missed, Pauses};
use crate::net::failure::over_window;
use crate::net::inbox::Inbox;
use crate::net::pulled::Pulled;
use crate::net::request::Of;
use crate::net::telemetry::RequestSpan;
use crate::net::wait::Wait;
use crate::net::{Failure, MethodKind, Options, Reply};
use crate::session::{Kind, Session, Value};

impl Shared {
    /// Opens a stream. A final one has nothing but the value from this side.
    pub(super) fn open(
        self: &Arc<Self>,
        of: Of<'_>,
        is_final: bool,
        value: Value<'_>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let wait = Wait::of(options.deadline);
        let open = |value: Bytes, options: &Options| {
            let (mut options, wait) = (options.clone(), Wait::of(options.deadline));
            let span = self.options.telemetry.ask(of, &mut options);
            let opened = Opening::new(self, of, is_final, value, options, wait).open();
            match opened.map_err(|failure| self.explained(of, wait, failure)) {
                Ok(handle) => {
                    handle.at().span = span;
                    Ok(Stream::new(Arc::clone(&handle), handle))
                }
                Err(failure) => {
                    let failed = Err(failure);
                    span.end(&failed);
                    failed
                }
            }
        };
        let stream = if self.is_passed() {
            let slot = RefCell::new(None);
            let passed =
                self.intercepted(of, MethodKind::Stream, value, options, |value, options| {
                    if slot.borrow().is_some() {
                        return Err(Failure::of(Kind::ExchangeEnded));
                    }
                    *slot.borrow_mut() = Some(open(value, options)?);
                    Ok(Reply::default())
                });
            // An interceptor may let nothing pass, and say that all is well.
            let none = || Failure::of(Kind::ExchangeEnded);
            passed.and_then(|_| slot.take().ok_or_else(none))
        } else {
            open(into_bytes(value), options)
        };
        stream.map_err(|failure| self.explained(of, wait, failure))
    }
}

/// How a stream of a client is opened, for the first time or anew.
pub(super) struct Opening {
    client: Arc<Shared>,
    service: String,
    number: u16,
    name: &'static str,
    is_final: bool,
    value: Bytes,
    options: Options,
    wait: Option<Wait>,
    pauses: Option<Pauses>,
}

impl Opening {
    pub(super) fn new(
        client: &Arc<Shared>,
        of: Of<'_>,
        is_final: bool,
        value: Bytes,
        options: Options,
        wait: Option<Wait>,
    ) -> Self {
        Self {
            client: Arc::clone(client),
            service: of.service.to_string(),
            number: of.number,
            name: of.name,
            is_final,
            value,
            options,
            wait,
            pauses: None,
        }
    }

    fn of(&self) -> Of<'_> {
        Of {
            service: &self.service,
            number: self.number,
            name: self.name,
            is_idempotent: false,
        }
    }

    fn until(&self) -> Option<Instant> {
        self.wait.and_then(Wait::until)
    }

    /// Opens the stream for the first time.
    fn open(self) -> Result<Arc<Handle>, Failure> {
        let (link, id) = self.make()?;
        Ok(Arc::new(Handle {
            client: Arc::clone(&self.client),
            service: self.service.clone(),
            number: self.number,
            name: self.name,
            wait: self.wait,
            has_ended: AtomicBool::new(self.is_final),
            sent: AtomicU64::new(0),
            at: Mutex::new(At {
                link,
                id,
                opening: Some(self),
                span: RequestSpan::none(),
            }),
        }))
    }

    /// Opens the stream on a connection that takes it.
    fn make(&self) -> Result<(Arc<Link>, u64), Failure> {
        let (until, window) = (self.until(), self.client.options.window.of(&self.service));
        self.client.again(until, None, |link| {
            let made = link.with(|state, now| {
                let State { session, desk, .. } = state;
                let (of, options) = (self.of(), &self.options);
                let made = make(
                    session,
                    &desk.services,
                    of,
                    options,
                    until,
                    |session, request| {
                        let value = Value::Bytes(self.value.clone());
                        session.open(request, window.grant(), self.is_final, value, now)
                    },
                );
                match made {
                    Ok(id) => {
                        desk.open(id, window);
                        Ok(id)
                    }
                    Err(failure) => Err(Missed::on(failure, session.may_ask().is_ok())),
                }
            });
            made.map(|id| (Arc::clone(link), id))
        })
    }
}

/// A stream of a client, as both of its directions share it.
struct Handle {
    client: Arc<Shared>,
    service: String,
    number: u16,
    name: &'static str,
    wait: Option<Wait>,
    /// This side sends nothing more.
    has_ended: AtomicBool,
    /// How many chunks were sent.
    sent: AtomicU64,
    at: Mutex<At>,
}

/// Where a stream is.
struct At {
    link: Arc<Link>,
    id: u64,
    /// How it can be opened anew, while nothing was sent on it and nothing has come.
    opening: Option<Opening>,
    /// Somebody may be told of it.
    span: RequestSpan,
}

impl Handle {
    fn at(&self) -> MutexGuard<'_, At> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something on the stream. One that is lost unused is opened anew [MXP-14.6].
    fn on<T>(
        &self,
        mut attempt: impl FnMut(&Link, u64) -> Result<T, Missed>,
    ) -> Result<T, Failure> {
        loop {
            let (link, id, is_new) = {
                let at = self.at();
                (Arc::clone(&at.link), at.id, at.opening.is_some())
            };
            match attempt(&link, id) {
                Ok(done) => {
                    if is_new {
                        self.at().opening = None;
                    }
                    return Ok(done);
                }
                Err(missed) => self.reopen(&link, id, missed)?,
            }
        }
    }

    /// Opens the stream anew, unless another thread has done so.
    fn reopen(&self, link: &Arc<Link>, id: u64, missed: Missed) -> Result<(), Failure> {
        let mut at = self.at();
        if at.id != id || !Arc::ptr_eq(&at.link, link) {
            return Ok(());
        }
        let opening = at.opening.as_mut();
        let Some(opening) = opening.filter(|_| missed.again != Again::Never) else {
            return Err(self.explained(missed.failure));
        };
        if missed.again == Again::Soon {
            let (until, patience) = (opening.until(), self.client.options.connect_timeout);
            let pauses = &mut opening.pauses;
            let pauses = pauses.get_or_insert_with(|| Pauses::new(until, patience));
            let Some(pause) = pauses.next() else {
                return Err(self.explained(missed.failure));
            };
            std::thread::sleep(pause);
        }
        let made = opening.make();
        let (new, new_id) = made.map_err(|failure| self.explained(failure))?;
        if self.has_ended.load(Ordering::Relaxed) && !opening.is_final {
            // It may have ended again.
            let _ = new.with(|state, now| state.session.finish(new_id, now));
        }
        link.with(|state, _| state.desk.close(id));
        (at.link, at.id) = (new, new_id);
        Ok(())
    }

    fn send(&self, value: &Value<'_>) -> Result<(), Failure> {
        let bytes = value.as_slice().len();
        self.on(|link, id| {
            link.until(|State { session, desk, .. }, now| {
                let Some(entry) = desk.stream(id) else {
                    return Some(Err(gone()));
                };
                if let Some(failure) = &entry.failure {
                    return Some(Err(entry.missed(failure.clone(), session)));
                }
                if let Some(most) = session.largest_chunk(id) {
                    if bytes as u64 > most {
                        return Some(Err(over_window(bytes, most).into()));
                    }
                }
                if let Err(Kind::StreamCredit) = session.may_chunk(id, bytes) {
                    return None;
                }
                let sent = session.chunk_of(id, false, false, &mut value.lent(), now);
                self.has_sent(sent.map(|_| 1), entry, session)
            })
        })
    }

    /// Sends what was put together.
    fn send_together(&self, pulled: &mut Pulled) -> Result<(), Failure> {
        while !pulled.is_empty() {
            self.on(|link, id| {
                link.until(|State { session, desk, .. }, now| {
                    let Some(entry) = desk.stream(id) else {
                        return Some(Err(gone()));
                    };
                    if let Some(failure) = &entry.failure {
                        return Some(Err(entry.missed(failure.clone(), session)));
                    }
                    let bytes = pulled.first_bytes();
                    let most = session.largest_chunk(id).unwrap_or(u64::MAX);
                    if bytes as u64 > most {
                        return Some(Err(over_window(bytes, most).into()));
                    }
                    let (sent, rest) = pulled.take(|values| session.chunks(id, values, most, now));
                    match rest {
                        Err(kind) if sent == 0 => self.has_sent(Err(kind), entry, session),
                        _ => self.has_sent(Ok(sent), entry, session),
                    }
                })
            })?;
        }
        Ok(())
    }

    /// The outcome of chunks that were sent or refused, if there is one yet.
    fn has_sent(
        &self,
        sent: Result<usize, Kind>,
        entry: &mut Entry,
        session: &Session,
    ) -> Option<Result<(), Missed>> {
        match sent {
            Ok(sent) => {
                entry.is_used = true;
                self.sent.fetch_add(sent as u64, Ordering::Relaxed);
                Some(Ok(()))
            }
            // All that waits is sent before the next attempt.
            Err(Kind::StreamCredit | Kind::LimitQueueBytes) => None,
            Err(kind) => {
                let mut failure = Failure::refusing(kind, session);
                failure.acted = true;
                Some(Err(failure.into()))
            }
        }
    }

    fn finish(&self) -> Result<(), Failure> {
        let (link, id) = {
            let at = self.at();
            self.has_ended.store(true, Ordering::Relaxed);
            (Arc::clone(&at.link), at.id)
        };
        let missed = link.with(|state, now| {
            let kind = state.session.finish(id, now).err()?;
            let entry = state.desk.stream(id)?;
            let failure = entry.failure.clone();
            let failure = failure.unwrap_or_else(|| Failure::of(kind));
            Some(entry.missed(failure, &state.session))
        });
        match missed {
            // A stream that is opened anew has this direction's end.
            Some(missed) => self.reopen(&link, id, missed),
            None => Ok(()),
        }
    }

    fn receive(&self) -> Result<Option<Vec<u8>>, Failure> {
        self.take(Entry::pop)
    }

    /// Moves all chunks that have come, once there are some.
    fn receive_all(&self, inbox: &mut Inbox) -> Result<(), Failure> {
        let moved = self.take(|entry, session, id, now| {
            entry.pop_all(inbox, session, id, now);
            (!inbox.is_empty()).then_some(())
        });
        moved.map(|_| ())
    }

    /// Takes something that has come, as soon as there is some. There is nothing behind the
    /// last.
    fn take<T>(
        &self,
        mut take: impl FnMut(&mut Entry, &mut Session, u64, u64) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        self.on(|link, id| {
            link.until(|State { session, desk, .. }, now| {
                let Some(entry) = desk.stream(id) else {
                    return Some(Err(gone()));
                };
                if let Some(taken) = take(entry, session, id, now) {
                    return Some(Ok(Some(taken)));
                }
                match &entry.failure {
                    Some(failure) => Some(Err(entry.missed(failure.clone(), session))),
                    None => entry.has_ended.then_some(Ok(None)),
                }
            })
        })
    }
}

impl Whole for Handle {
    fn is_mine(&self) -> bool {
        true
    }

    fn refuse(&self, failure: &Failure) {
        let (link, id) = {
            let at = self.at();
            (Arc::clone(&at.link), at.id)
        };
        link.with(|State { session, desk, .. }, now| {
            if let Some(entry) = desk.stream(id) {
                entry.is_used = true;
                entry.fail(failure.clone());
            }
            // It may have ended.
            let _ = session.cancel(id, now);
        });
    }

    #[cold]
    fn explained(&self, failure: Failure) -> Failure {
        let of = Of {
            service: &self.service,
            number: self.number,
            name: self.name,
            is_idempotent: false,
        };
        self.client.explained(of, self.wait, failure)
    }
}

impl Outlet for Arc<Handle> {
    fn send(&self, value: Value<'_>) -> Result<(), Failure> {
        Handle::send(self, &value.shared())
    }

    fn send_together(&self, pulled: &mut Pulled) -> Result<(), Failure> {
        Handle::send_together(self, pulled)
    }

    fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    fn finish(&self) -> Result<(), Failure> {
        Handle::finish(self)
    }

    fn whole(&self) -> &dyn Whole {
        &**self
    }
}

impl Inlet for Arc<Handle> {
    fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        Handle::receive(self)
    }

    fn receive_all(&mut self, inbox: &mut Inbox) -> Result<(), Failure> {
        Handle::receive_all(self, inbox)
    }

    fn whole(&self) -> &dyn Whole {
        &**self
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let (over, span) = {
            let mut at = self.at();
            let id = at.id;
            let over = at.link.with(|State { session, desk, .. }, now| {
                let failure = desk.stream(id).and_then(|entry| entry.failure.take());
                desk.close(id);
                let is_over = session.cancel(id, now).is_err();
                failure.map(Err).or_else(|| is_over.then_some(Ok(())))
            });
            (over, core::mem::take(&mut at.span))
        };
        if let Some(over) = over {
            span.end(&over.map_err(|failure| self.explained(failure)));
        }
    }
}
