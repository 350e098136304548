//! Streams that are opened anew, since nobody has acted on them [MXP-14.6].

use core::future::Future;
use core::pin::Pin;
use std::boxed::Box;
use std::string::String;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use crate::engine::repeat::{FailedAttempt, Repeats};
use crate::net::metrics::RequestMeter;
use crate::net::request_options::MethodRef;
use crate::net::wait::Wait;
use crate::net::{Failure, Options};
use crate::session::Value;

/// How a stream is opened.
pub(crate) struct OpenPlan {
    pub(crate) service: String,
    pub(crate) number: u16,
    pub(crate) name: &'static str,
    pub(crate) is_idempotent: bool,
    /// Nothing but the value is sent.
    pub(crate) is_final: bool,
    pub(crate) value: Value<'static>,
    pub(crate) options: Options,
    /// The time that is left.
    pub(crate) wait: Option<Wait>,
    /// How it is opened again.
    pub(crate) repeats: Mutex<Repeats>,
}

impl OpenPlan {
    /// The method that is asked for.
    pub(crate) fn of(&self) -> MethodRef<'_> {
        MethodRef {
            service: &self.service,
            number: self.number,
            name: self.name,
            is_idempotent: self.is_idempotent,
        }
    }

    /// When its deadline passes.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.wait.and_then(Wait::until)
    }
}

/// The client that a stream was opened by, which opens it anew.
pub(crate) trait Opener<H>: Send + Sync {
    /// Opens a stream. Of one that has ended this side sends nothing more.
    fn open(self: Arc<Self>, opening: Arc<OpenPlan>, has_ended: bool) -> OpenFuture<H>;

    /// The pause before a missed stream is opened again, or its failure.
    fn next(&self, repeats: &mut Repeats, missed: FailedAttempt) -> Result<Duration, Failure>;
}

/// The future of a stream that is opened anew.
pub(crate) type OpenFuture<H> = Pin<Box<dyn Future<Output = Result<Arc<H>, Failure>> + Send>>;

/// The way back that a stream has which was opened here, and how it was.
pub(crate) struct Back<H> {
    pub(crate) opening: Arc<OpenPlan>,
    pub(crate) opener: Weak<dyn Opener<H>>,
}

/// How a stream comes back that was opened here.
pub(super) struct Comeback<H> {
    /// None when there is no way back, so that what was asked takes no memory any more.
    back: Mutex<Option<Back<H>>>,
    is_open: AtomicBool,
    /// This side sends nothing more.
    has_ended: AtomicBool,
    /// The stream that it has become, or why it has not.
    next: OnceCell<Result<Arc<H>, Failure>>,
    /// Counts the stream until it is over.
    measured: Mutex<Option<RequestMeter>>,
}

impl<H> Comeback<H> {
    pub(super) fn new(back: Back<H>) -> Self {
        Self {
            has_ended: AtomicBool::new(back.opening.is_final),
            back: Mutex::new(Some(back)),
            is_open: AtomicBool::new(true),
            next: OnceCell::new(),
            measured: Mutex::default(),
        }
    }

    /// Counts the stream from now on.
    pub(super) fn measure(&self, measured: RequestMeter) {
        *self.measured.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
    }

    /// Counts the stream no more.
    pub(super) fn measured(&self) -> Option<RequestMeter> {
        let mut measured = self.measured.lock();
        let measured = measured.as_mut().unwrap_or_else(|e| e.get_mut());
        measured.take()
    }

    /// The stream that this one has become.
    pub(super) fn next(&self) -> Option<&Arc<H>> {
        self.next.get()?.as_ref().ok()
    }

    /// Notes that the stream is in use, and can't be opened anew.
    pub(super) fn forget(&self) {
        // Looking costs each chunk less than changing.
        if self.is_open.load(Ordering::Relaxed) && self.is_open.swap(false, Ordering::Relaxed) {
            *self.back.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Notes that this side sends nothing more. The state of the connection is held.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Opens the stream anew, or waits for another who does.
    pub(super) async fn open(&self, missed: FailedAttempt) -> Result<&Arc<H>, Failure> {
        let next = self.next.get_or_init(|| self.make(missed)).await;
        next.as_ref().map_err(Clone::clone)
    }

    async fn make(&self, missed: FailedAttempt) -> Result<Arc<H>, Failure> {
        let Some((opening, opener)) = self.opener() else {
            return Err(missed.failure);
        };
        let pause = {
            let mut repeats = opening.repeats.lock();
            let repeats = repeats.as_mut().unwrap_or_else(|e| e.get_mut());
            opener.next(repeats, missed)?
        };
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        opener.open(opening, self.has_ended()).await
    }

    /// The plan and the opener of the stream, unless there is no way back.
    fn opener(&self) -> Option<(Arc<OpenPlan>, Arc<dyn Opener<H>>)> {
        let back = self.back.lock().unwrap_or_else(PoisonError::into_inner);
        let back = back.as_ref()?;
        Some((Arc::clone(&back.opening), back.opener.upgrade()?))
    }
}
