//! Streams: chunks between the host's queue and a connection, by credit in both directions.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mxp::net::{Failure, Receiver, Sender, Stream};
use tokio::sync::{Notify, Semaphore};

use crate::code::Code;
use crate::completion::Completion;
use crate::shapes::kind;
use crate::shared::{Command, Phase, Shared};
use crate::ticket::cancelled;

/// How many bytes a stream takes that were not given to its connection.
const OUTBOX_BYTES: usize = 256 << 10;

/// How many chunks it takes.
const OUTBOX_CHUNKS: usize = 1024;

/// How many places the chunks of a stream have that the host has not released; a chunk has one for each 1,024 bytes.
const INBOX_PLACES: u32 = 1024;

/// A stream, as the host's threads see it.
pub(crate) struct StreamState {
    /// Whether a peer has opened it.
    pub(crate) is_served: bool,
    outbox: Mutex<Outbox>,
    /// The outbox is another.
    pub(crate) wake: Arc<Notify>,
    /// The host has ended the stream with a failure.
    broken: Notify,
}

/// The chunks that wait for the core's thread.
#[derive(Default)]
struct Outbox {
    chunks: Vec<Vec<u8>>,
    bytes: usize,
    /// The host was told to wait.
    is_blocked: bool,
    /// No chunk comes behind these.
    has_ended: bool,
    failure: Option<Failure>,
}

/// The place of a stream in a core's table, which is told as over when this is dropped.
pub(crate) struct StreamPlace {
    shared: Arc<Shared>,
    pub(crate) id: u64,
    label: u64,
    pub(crate) state: Arc<StreamState>,
    ended: Option<Result<(), Failure>>,
}

impl StreamState {
    fn lock(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that this side's direction ends behind the chunks that there are.
    pub(crate) fn end(&self) {
        self.lock().has_ended = true;
    }
}

impl Shared {
    /// A place for a stream.
    pub(crate) fn stream(self: &Arc<Self>, label: u64, is_served: bool) -> StreamPlace {
        let state = Arc::new(StreamState {
            is_served,
            outbox: Mutex::default(),
            wake: Arc::default(),
            broken: Notify::new(),
        });
        let id = self.id();
        self.lock().streams.insert(id, Arc::clone(&state));
        StreamPlace {
            shared: Arc::clone(self),
            id,
            label,
            state,
            ended: None,
        }
    }

    fn find_stream(&self, id: u64) -> Result<Arc<StreamState>, Code> {
        self.lock().streams.get(&id).cloned().ok_or(Code::UnknownId)
    }

    /// Sends a chunk, and perhaps ends this side's direction behind it.
    pub(crate) fn send(&self, id: u64, chunk: &[u8], is_last: bool) -> Result<(), Code> {
        let stream = self.find_stream(id)?;
        let mut outbox = stream.lock();
        if outbox.has_ended || outbox.failure.is_some() {
            return Err(Code::BadState);
        }
        if outbox.bytes >= OUTBOX_BYTES || outbox.chunks.len() >= OUTBOX_CHUNKS {
            outbox.is_blocked = true;
            return Err(Code::WouldBlock);
        }
        let wakes = outbox.chunks.is_empty();
        outbox.bytes += chunk.len();
        outbox.chunks.push(chunk.to_vec());
        outbox.has_ended = is_last;
        drop(outbox);
        if wakes || is_last {
            self.command(Command::Wake(Arc::clone(&stream.wake)));
        }
        Ok(())
    }

    /// Ends this side's direction.
    pub(crate) fn end_stream(&self, id: u64) -> Result<(), Code> {
        let stream = self.find_stream(id)?;
        let mut outbox = stream.lock();
        if outbox.has_ended || outbox.failure.is_some() {
            return Err(Code::BadState);
        }
        outbox.has_ended = true;
        drop(outbox);
        self.command(Command::Wake(Arc::clone(&stream.wake)));
        Ok(())
    }

    /// Ends a stream with a failure, which the client of a served stream is told.
    pub(crate) fn break_stream(&self, id: u64, failure: Failure) -> Result<(), Code> {
        let stream = self.find_stream(id)?;
        let mut outbox = stream.lock();
        if outbox.failure.is_some() {
            return Err(Code::BadState);
        }
        outbox.failure = Some(failure);
        drop(outbox);
        stream.broken.notify_one();
        Ok(())
    }
}

impl StreamPlace {
    /// Moves chunks in both directions, until both have ended or the stream has failed.
    pub(crate) async fn pump(&self, stream: Stream) -> Result<(), Failure> {
        let Stream { sender, receiver } = stream;
        let broken = async {
            self.state.broken.notified().await;
            Err(self.state.lock().failure.clone().unwrap_or_else(cancelled))
        };
        tokio::select! {
            biased;
            failed = broken => failed,
            moved = async { tokio::try_join!(self.send(&sender), self.receive(receiver)) } => moved.map(|_| ()),
        }
    }

    /// Sends chunks as they come from the host.
    async fn send(&self, sender: &Sender) -> Result<(), Failure> {
        loop {
            let (chunks, has_ended, was_blocked) = {
                let mut outbox = self.state.lock();
                outbox.bytes = 0;
                let was_blocked = core::mem::take(&mut outbox.is_blocked);
                let chunks = core::mem::take(&mut outbox.chunks);
                (chunks, outbox.has_ended, was_blocked)
            };
            if was_blocked {
                self.shared
                    .post(Completion::plain(kind::CREDIT, self.label, self.id));
            }
            if !chunks.is_empty() {
                sender.send_all(chunks).await?;
            } else if has_ended {
                return sender.finish();
            } else {
                self.state.wake.notified().await;
            }
        }
    }

    /// Tells the host of chunks as they come from the peer, as long as there are places for them.
    async fn receive(&self, mut receiver: Receiver) -> Result<(), Failure> {
        let places = |chunk: &[u8]| {
            let wanted = u32::try_from(1 + chunk.len() / 1024);
            wanted.map_or(INBOX_PLACES, |wanted| wanted.min(INBOX_PLACES))
        };
        let inbox = Arc::new(Semaphore::new(INBOX_PLACES as usize));
        let (shared, label, id) = (&self.shared, self.label, self.id);
        while let Some(chunks) = receiver.chunks().await? {
            for chunk in chunks {
                let permit = Arc::clone(&inbox).acquire_many_owned(places(chunk)).await;
                let permit = permit.map_err(|_closed| cancelled())?;
                shared.post(Completion::chunk(label, id, chunk, permit));
            }
        }
        shared.post(Completion::plain(kind::END, label, id));
        Ok(())
    }

    /// Tells the host how the stream has ended.
    pub(crate) fn over(mut self, ended: Result<(), Failure>) {
        self.ended = Some(ended);
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut over = Completion::plain(kind::OVER, self.label, self.id);
        let mut state = self.shared.lock();
        state.streams.remove(&self.id);
        match self.ended.take() {
            Some(Ok(())) => {}
            Some(Err(failure)) => over.fail(failure),
            None if state.phase == Phase::Open => over.fail(cancelled()),
            None => over.fail(Code::CoreClosed.failure()),
        }
        self.shared.post_in(&mut state, over);
    }
}
