//! Streams that a client opens.

use std::cell::RefCell;
use std::string::{String, ToString as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::vec::Vec;

use bytes::Bytes;

use super::client_request::{into_bytes, SharedState};
use super::driver::nobody;
use super::link::Link;
use super::stream::{Inlet, Outlet, Stream, Whole};
use crate::engine::inbox::Inbox;
use crate::engine::link::{Attempt, RequestKind, Step};
use crate::engine::packed_values::PackedValues;
use crate::engine::repeat::{FailedAttempt, Repeats};
use crate::net::request_options::MethodRef;
use crate::net::telemetry::RequestSpan;
use crate::net::wait::Wait;
use crate::net::{Failure, MethodKind, Options, Reply, Window};
use crate::session::{Grant, Kind, Value};

impl SharedState {
    /// Opens a stream. A final one has nothing but the value from this side.
    pub(super) fn open(
        self: &Arc<Self>,
        method: MethodRef<'_>,
        is_final: bool,
        value: Value<'_>,
        options: &Options,
    ) -> Result<Stream, Failure> {
        let wait = Wait::of(options.deadline);
        let open = |value: Bytes, options: &Options| {
            let (mut options, wait) = (options.clone(), Wait::of(options.deadline));
            let span = self.options.telemetry.ask(method, &mut options);
            let opened = StreamOpener::new(self, method, is_final, value, options, wait).open();
            match opened.map_err(|failure| self.explained(method, wait, failure)) {
                Ok(handle) => {
                    handle.at().span = span;
                    Ok(Stream::new(Arc::clone(&handle), Reader::new(handle)))
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
            let passed = self.intercepted(
                method,
                MethodKind::Stream,
                value,
                options,
                |value, options| {
                    if slot.borrow().is_some() {
                        return Err(Failure::of(Kind::ExchangeEnded));
                    }
                    *slot.borrow_mut() = Some(open(value, options)?);
                    Ok(Reply::default())
                },
            );
            // An interceptor may let nothing pass, and say that all is well.
            let none = || Failure::of(Kind::ExchangeEnded);
            passed.and_then(|_| slot.take().ok_or_else(none))
        } else {
            open(into_bytes(value), options)
        };
        stream.map_err(|failure| self.explained(method, wait, failure))
    }
}

/// How a stream of a client is opened, for the first time or anew.
pub(super) struct StreamOpener {
    client: Arc<SharedState>,
    service: String,
    number: u16,
    name: &'static str,
    is_final: bool,
    value: Bytes,
    options: Options,
    wait: Option<Wait>,
    repeats: Repeats,
}

impl StreamOpener {
    pub(super) fn new(
        client: &Arc<SharedState>,
        method: MethodRef<'_>,
        is_final: bool,
        value: Bytes,
        options: Options,
        wait: Option<Wait>,
    ) -> Self {
        Self {
            client: Arc::clone(client),
            service: method.service.to_string(),
            number: method.number,
            name: method.name,
            is_final,
            value,
            options,
            wait,
            repeats: client.repeats(wait.and_then(Wait::until)),
        }
    }

    fn of(&self) -> MethodRef<'_> {
        MethodRef {
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
            at: Mutex::new(Location {
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
        let asking = RequestKind::Open(window.grant(), self.is_final);
        let (what, value) = (self.of().what(asking, &self.options), &self.value);
        self.client.again(until, None, |link| {
            let made = link.make(until, |link, timeout, ticket| {
                let queued =
                    link.ask(&what, &Value::Bytes(value.clone()), timeout, None, ticket)?;
                Ok(queued.id)
            });
            let (state, id) = made?;
            drop(state);
            let id = id.ok_or_else(|| Failure::of(Kind::ExchangeEnded))?;
            Ok((Arc::clone(link), id))
        })
    }
}

/// A stream of a client, as both of its directions share it.
struct Handle {
    client: Arc<SharedState>,
    service: String,
    number: u16,
    name: &'static str,
    wait: Option<Wait>,
    /// This side sends nothing more.
    has_ended: AtomicBool,
    /// How many chunks were sent.
    sent: AtomicU64,
    at: Mutex<Location>,
}

/// Where a stream is.
struct Location {
    link: Arc<Link>,
    id: u64,
    /// How it can be opened anew, while nothing was sent on it and nothing has come.
    opening: Option<StreamOpener>,
    /// Somebody may be told of it.
    span: RequestSpan,
}

impl Handle {
    fn at(&self) -> MutexGuard<'_, Location> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something on the stream. A stream that was lost unused is opened anew [MXP-14.6].
    fn on<T>(
        &self,
        mut attempt: impl FnMut(&Link, u64) -> Result<T, FailedAttempt>,
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
    fn reopen(&self, link: &Arc<Link>, id: u64, missed: FailedAttempt) -> Result<(), Failure> {
        let mut at = self.at();
        if at.id != id || !Arc::ptr_eq(&at.link, link) {
            return Ok(());
        }
        let Some(opening) = at.opening.as_mut() else {
            return Err(self.explained(missed.failure));
        };
        let pause = self.client.pause(&mut opening.repeats, missed);
        pause.map_err(|failure| self.explained(failure))?;
        let made = opening.make();
        let (new, new_id) = made.map_err(|failure| self.explained(failure))?;
        if self.has_ended.load(Ordering::Relaxed) && !opening.is_final {
            // It may have ended again.
            let _ = new.with(|link| link.finish_stream(new_id));
        }
        link.with(|link| link.cancel_stream(id));
        (at.link, at.id) = (new, new_id);
        Ok(())
    }

    /// Does something of the stream that needs no room, if it can be done.
    fn attempt(&self, does: impl FnOnce(&mut Attempt<'_>) -> Step<()>) {
        let (link, id) = {
            let at = self.at();
            (Arc::clone(&at.link), at.id)
        };
        link.with(|link| link.attempt(id, None, does));
    }

    /// Waits until something of the stream can be done, or has failed.
    fn until<T>(&self, mut is_so: impl FnMut(&mut Attempt<'_>) -> Step<T>) -> Result<T, Failure> {
        self.on(|link, id| {
            link.until(|state| {
                let tried = state.link.attempt(id, None, &mut is_so);
                if tried.sent > 0 {
                    self.sent.fetch_add(tried.sent, Ordering::Relaxed);
                }
                match tried.step {
                    Step::Done(done) => Some(Ok(done)),
                    Step::Failed(failure) => Some(Err(state.link.missed(id, *failure))),
                    Step::Missed(missed) => Some(Err(*missed)),
                    // All that waits is sent before the next attempt.
                    Step::News | Step::Room | Step::Turn => None,
                }
            })
        })
    }

    fn send(&self, value: &Value<'_>) -> Result<(), Failure> {
        self.until(|attempt| attempt.send(&mut value.lent()))
    }

    /// Sends what was put together.
    fn send_together(&self, pulled: &mut PackedValues) -> Result<(), Failure> {
        while !pulled.is_empty() {
            self.until(|attempt| attempt.send_some(pulled))?;
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), Failure> {
        let (link, id) = {
            let at = self.at();
            self.has_ended.store(true, Ordering::Relaxed);
            (Arc::clone(&at.link), at.id)
        };
        let missed = link.with(|link| {
            let failure = link.finish_stream(id).err()?;
            Some(link.missed(id, failure))
        });
        match missed {
            // A stream that is opened anew has this direction's end.
            Some(missed) => self.reopen(&link, id, missed),
            None => Ok(()),
        }
    }
}

/// The direction of a stream from the peer.
struct Reader {
    handle: Arc<Handle>,
    /// Chunks that were moved here all at once.
    inbox: Inbox,
    /// The chunks and bytes that were taken of them, and the peer was not told of.
    taken: Grant,
    window: Window,
}

impl Reader {
    fn new(handle: Arc<Handle>) -> Self {
        let window = handle.client.options.window.of(&handle.service);
        Self {
            handle,
            inbox: Inbox::default(),
            taken: Grant::default(),
            window,
        }
    }

    /// Waits until there are chunks here. There are none behind the last.
    fn fill(&mut self) -> Result<bool, Failure> {
        let Self { handle, inbox, .. } = self;
        if inbox.is_empty() {
            return handle.until(|attempt| attempt.lend(inbox, nobody()));
        }
        Ok(true)
    }

    /// Tells the peer what was taken.
    fn tell(&mut self, ack: Option<u64>) {
        let taken = core::mem::take(&mut self.taken);
        self.handle.attempt(|attempt| attempt.took(taken, ack));
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
        link.with(|link| link.refuse_stream(id, failure, true));
    }

    #[cold]
    fn explained(&self, failure: Failure) -> Failure {
        let of = MethodRef {
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

    fn send_together(&self, pulled: &mut PackedValues) -> Result<(), Failure> {
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

impl Inlet for Reader {
    fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if !self.fill()? {
            return Ok(None);
        }
        let Some((value, ack)) = self.inbox.pop() else {
            return Ok(None);
        };
        let value = value.into_vec();
        self.taken.add(&value);
        if ack.is_some() || self.window.is_much(self.taken) {
            self.tell(ack);
        }
        Ok(Some(value))
    }

    fn receive_all(&mut self, inbox: &mut Inbox) -> Result<(), Failure> {
        if !self.fill()? {
            return Ok(());
        }
        let mut chunks = self.inbox.chunks();
        for value in &mut chunks {
            self.taken.add(value);
            inbox.push(value, None);
        }
        let ack = chunks.ack;
        self.tell(ack);
        Ok(())
    }

    fn whole(&self) -> &dyn Whole {
        &*self.handle
    }
}

impl Drop for Reader {
    /// Gives back what nobody has taken.
    fn drop(&mut self) {
        let (inbox, taken) = (&mut self.inbox, self.taken);
        self.handle
            .attempt(|attempt| attempt.take_back(inbox, taken));
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let (over, span) = {
            let mut at = self.at();
            let id = at.id;
            let over = at.link.with(|link| link.cancel_stream(id));
            (over, core::mem::take(&mut at.span))
        };
        if let Some(over) = over {
            span.end(&over.map_err(|failure| self.explained(failure)));
        }
    }
}
