//! The task of a server that accepts connections, and its end.

use core::future::{poll_fn, Future};
use core::pin::Pin;
use core::task::Poll;
use std::boxed::Box;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinHandle;

type Loop = Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>;

/// The loop that accepts, with the listener inside. An aborted task lets go of its contents only
/// when its runtime comes to it; this loop is dropped before [`stop`](Self::stop) returns, so that
/// the address is free by then.
pub(super) struct AcceptLoop {
    accepts: Arc<Loop>,
    task: JoinHandle<()>,
}

impl AcceptLoop {
    /// Begins to accept.
    pub(super) fn spawn(accepts: impl Future<Output = ()> + Send + 'static) -> Self {
        let accepts: Arc<Loop> = Arc::new(Mutex::new(Some(Box::pin(accepts))));
        let polled = Arc::clone(&accepts);
        let task = tokio::spawn(poll_fn(move |context| match &mut *lock(&polled) {
            Some(accepts) => accepts.as_mut().poll(context),
            None => Poll::Ready(()),
        }));
        Self { accepts, task }
    }

    /// Accepts nobody any more.
    pub(super) fn stop(&self) {
        let stopped = lock(&self.accepts).take();
        drop(stopped);
        self.task.abort();
    }
}

fn lock(accepts: &Loop) -> MutexGuard<'_, Option<Pin<Box<dyn Future<Output = ()> + Send>>>> {
    accepts.lock().unwrap_or_else(PoisonError::into_inner)
}
