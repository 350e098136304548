//! Streams that are opened anew, since nobody has acted on them [MXP-14.6].

use std::string::String;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::OnceCell;

use super::handle::Handle;
use crate::net::again::{Again, Missed, Pauses};
use crate::net::client::WeakClient;
use crate::net::metrics::Measured;
use crate::net::request::Of;
use crate::net::wait::Wait;
use crate::net::{Failure, Options};
use crate::session::Value;

/// How a stream is opened.
pub(crate) struct Opening {
    pub(crate) client: WeakClient,
    pub(crate) service: String,
    pub(crate) number: u16,
    pub(crate) name: &'static str,
    pub(crate) is_idempotent: bool,
    /// Nothing but the value is sent.
    pub(crate) is_final: bool,
    pub(crate) value: Value<'static>,
    pub(crate) options: Options,
    /// How long there is.
    pub(crate) wait: Option<Wait>,
    /// The pauses before a peer is asked again that has no place.
    pub(crate) pauses: Mutex<Option<Pauses>>,
}

impl Opening {
    /// The method that is asked for.
    pub(crate) fn of(&self) -> Of<'_> {
        Of {
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

/// How a stream comes back that was opened here.
pub(super) struct Comeback {
    /// None when there is no way back, so that what was asked takes no memory any more.
    opening: Mutex<Option<Arc<Opening>>>,
    is_open: AtomicBool,
    /// This side sends nothing more.
    has_ended: AtomicBool,
    /// The stream that it has become, or why it has not.
    next: OnceCell<Result<Arc<Handle>, Failure>>,
    /// Counts the stream until it is over.
    measured: Mutex<Option<Measured>>,
}

impl Comeback {
    pub(super) fn new(opening: Arc<Opening>) -> Self {
        Self {
            has_ended: AtomicBool::new(opening.is_final),
            opening: Mutex::new(Some(opening)),
            is_open: AtomicBool::new(true),
            next: OnceCell::new(),
            measured: Mutex::default(),
        }
    }

    /// Counts the stream from now on.
    pub(super) fn measure(&self, measured: Measured) {
        *self.measured.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
    }

    /// Counts the stream no more.
    pub(super) fn measured(&self) -> Option<Measured> {
        let mut measured = self.measured.lock();
        let measured = measured.as_mut().unwrap_or_else(|broken| broken.get_mut());
        measured.take()
    }

    /// The stream that this one has become.
    pub(super) fn next(&self) -> Option<&Arc<Handle>> {
        self.next.get()?.as_ref().ok()
    }

    /// Notes that the stream is in use, and can't be opened anew.
    pub(super) fn forget(&self) {
        if self.is_open.swap(false, Ordering::Relaxed) {
            *self.opening.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
    pub(super) async fn open(&self, missed: Missed) -> Result<&Arc<Handle>, Failure> {
        let next = self.next.get_or_init(|| self.make(missed)).await;
        next.as_ref().map_err(Clone::clone)
    }

    async fn make(&self, missed: Missed) -> Result<Arc<Handle>, Failure> {
        let opening = self.opening.lock();
        let opening = opening.unwrap_or_else(PoisonError::into_inner).clone();
        let Some((opening, client)) = opening.and_then(|o| Some((o.clone(), o.client.upgrade()?)))
        else {
            return Err(missed.failure);
        };
        if missed.again == Again::Soon {
            let pause = {
                let mut pauses = opening.pauses.lock();
                let pauses = pauses.as_mut().unwrap_or_else(|broken| broken.get_mut());
                let patience = client.connect_timeout();
                let pauses = pauses.get_or_insert_with(|| Pauses::new(opening.until(), patience));
                pauses.next()
            };
            let pause = pause.ok_or(missed.failure)?;
            tokio::time::sleep(pause).await;
        }
        let stream = client.open_as(&opening, self.has_ended()).await?;
        Ok(Arc::clone(&stream.sender.handle))
    }
}
