//! Channels: values of fixed size through memory that two programs share, sent and taken without
//! allocation, lock or system call.
//!
//! A channel is opened by a method that streams both ways, whose types have a fixed size, at a
//! server that listens on `mxp+shm`. It is a connection of its own, for two threads: nothing of it
//! needs a runtime, and a thread that must not wait may have either end.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

pub use crate::net::transport::shm::channel_offer::Delivery;
pub use crate::net::transport::shm::ends::CloseReason;

use crate::engine::failure::method_name;
use crate::net::transport::registry::Registry;
use crate::net::transport::shm::channel_offer::{ChannelOffer, Form};
use crate::net::transport::shm::ends::{Choice, Ends, ReceiveEnd, SendEnd, SendFailure, Watch};
use crate::net::transport::shm::opener::open;
use crate::net::typed::{Fixed, Method};
use crate::net::Failure;
use crate::session::{Kind, CONNECT_US, SHM_BYTES, SHM_SPIN_US};

/// The name of [`CloseReason`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `CloseReason`")]
pub type Closed = CloseReason;

/// How many values a ring has room for at least, if nothing else is said.
const CAPACITY: usize = 16;

/// The options of a channel. Both sides have to give the same deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "options do nothing by themselves"]
pub struct ChannelOptions {
    requests: Delivery,
    responses: Delivery,
    capacity: usize,
    spin: Duration,
    timeout: Duration,
    bytes: usize,
}

impl Default for ChannelOptions {
    fn default() -> Self {
        // Where there is one processor, who looks keeps the peer from writing.
        let processors = std::thread::available_parallelism();
        let is_one = processors.is_ok_and(|n| n.get() == 1);
        Self {
            requests: Delivery::Queue,
            responses: Delivery::Queue,
            capacity: CAPACITY,
            spin: Duration::from_micros(if is_one { 0 } else { SHM_SPIN_US }),
            timeout: Duration::from_micros(CONNECT_US),
            bytes: SHM_BYTES,
        }
    }
}

impl ChannelOptions {
    /// Queues of 16 values in both directions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces how requests, which the opener sends, reach the server.
    pub fn requests(mut self, delivery: Delivery) -> Self {
        self.requests = delivery;
        self
    }

    /// Replaces how responses reach the opener.
    pub fn responses(mut self, delivery: Delivery) -> Self {
        self.responses = delivery;
        self
    }

    /// Replaces how many values of this side's there is room for at least (16; never less than
    /// 4). A ring's bytes are a power of two, so that there mostly is more.
    pub fn capacity(mut self, values: usize) -> Self {
        self.capacity = values;
        self
    }

    /// Replaces how long who waits looks before it sleeps: 20 µs, and nothing where there is one
    /// processor.
    pub fn spin(mut self, time: Duration) -> Self {
        self.spin = time;
        self
    }

    /// Replaces how long opening may take at most (5 s).
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = time;
        self
    }

    /// Replaces how many bytes the two rings of a channel that is opened have at most together
    /// (64 MiB). A server's channels count in [`ShmOptions::bytes`](crate::net::transport::ShmOptions::bytes).
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    pub(crate) const fn choice(&self) -> Choice {
        Choice {
            capacity: self.capacity,
            spin: self.spin,
        }
    }
}

/// The opening of a method's channel, which both sides have to mean alike.
pub(crate) fn opening<Q, A, W>(method: &Method<Q, A, W>, options: &ChannelOptions) -> ChannelOffer
where
    W: Fixed<Q> + Fixed<A>,
{
    let of = method.of();
    ChannelOffer {
        service: of.service.into(),
        method: of.number,
        requests: Form {
            delivery: options.requests,
            bytes: method.bytes.0,
            fingerprint: <W as Fixed<Q>>::FINGERPRINT,
        },
        responses: Form {
            delivery: options.responses,
            bytes: method.bytes.1,
            fingerprint: <W as Fixed<A>>::FINGERPRINT,
        },
    }
}

impl<Q, A, W> Method<Q, A, W>
where
    W: Fixed<Q> + Fixed<A>,
{
    /// Opens the method as a channel at an address of `mxp+shm`, and waits for that. It needs no
    /// runtime.
    ///
    /// # Errors
    ///
    /// `channel_unknown` where the server does not open the method so, `channel_form` where it
    /// means other values or deliveries, `channel_memory` where a side has no memory for it, and
    /// why there is no connection.
    pub fn open_channel(
        &self,
        address: &str,
        options: &ChannelOptions,
    ) -> Result<Channel<Q, A, W>, Failure> {
        let located = |failure: Failure| {
            let of = self.of();
            failure.with_origin(method_name(of.service, of.name, of.number), address)
        };
        let target = Registry::default().read(address);
        let target = target.map_err(|wrong| located(wrong.into()))?;
        let place = target.shared_place().ok_or_else(|| {
            let text = "a channel is opened at an address of shared memory";
            located(Failure::saying(Kind::AddressInvalid, text))
        })?;
        let opening = opening(self, options);
        let limits = (options.timeout, options.bytes);
        let ends = open(place, &opening, options.choice(), limits);
        ends.map(Channel::new).map_err(located)
    }
}

/// A channel that sends values of type `S` and receives values of type `R`. Each of its ends may
/// go to a thread of its own; when both are dropped the channel ends.
#[derive(Debug)]
pub struct Channel<S, R, W> {
    /// The end that sends.
    pub sender: Sender<S, W>,
    /// The end that receives.
    pub receiver: Receiver<R, W>,
}

impl<S, R, W> Channel<S, R, W> {
    pub(crate) fn new(ends: Ends) -> Self {
        Self {
            sender: Sender {
                end: ends.sending,
                of: PhantomData,
            },
            receiver: Receiver {
                end: ends.receiving,
                of: PhantomData,
            },
        }
    }

    /// Looks after the channel's socket, for a thread that may ask the system.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        self.sender.watcher()
    }
}

/// Why a value was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SendError {
    /// The receiver has not taken the values before: there is no room. Only a queue is ever full.
    Full,
    /// The channel carries nothing more.
    Closed(CloseReason),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the channel is full"),
            Self::Closed(why) => why.fmt(f),
        }
    }
}

impl core::error::Error for SendError {}

impl From<SendFailure> for SendError {
    fn from(failure: SendFailure) -> Self {
        match failure {
            SendFailure::Full => Self::Full,
            SendFailure::Closed(why) => Self::Closed(why),
        }
    }
}

/// The end of a channel that sends values.
pub struct Sender<T, W> {
    end: SendEnd,
    of: PhantomData<fn(&T) -> W>,
}

impl<T, W: Fixed<T>> Sender<T, W> {
    /// Sends a value: it neither waits nor allocates, takes no lock and makes no system call. Of
    /// [`Delivery::Latest`] it replaces what was sent before. A thread that sleeps at the other end
    /// is woken by [`wake`](Self::wake).
    ///
    /// # Errors
    ///
    /// That there is no room, or why the channel carries nothing more.
    #[inline]
    pub fn send(&mut self, value: &T) -> Result<(), SendError> {
        let sent = self.end.send(|slot| W::put(value, slot));
        sent.map_err(SendError::from)
    }
}

impl<T, W> Sender<T, W> {
    /// Why nothing more can be sent, as far as memory tells: it makes no system call. The death of
    /// a killed peer is found out by a waiting thread, and by a [`Watcher`].
    #[inline]
    #[must_use]
    pub fn closed(&self) -> Option<CloseReason> {
        self.end.closed()
    }

    /// Wakes the other side, if it sleeps until something is sent. That is a system call, and not
    /// for a thread that must not wait; where nobody sleeps it is none.
    pub fn wake(&mut self) {
        self.end.wake();
    }

    /// Waits for room: looks for a while, then sleeps. Returns whether there is room or the channel
    /// has ended. The sleep ends with the other side's [`Receiver::wake`].
    pub fn wait(&mut self, timeout: Duration) -> bool {
        self.end.wait(timeout)
    }

    /// Looks after the channel's socket, for a thread that may ask the system.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        Watcher(self.end.watch())
    }
}

/// The end of a channel that receives values.
pub struct Receiver<T, W> {
    end: ReceiveEnd,
    of: PhantomData<fn() -> (T, W)>,
}

impl<T, W: Fixed<T>> Receiver<T, W> {
    /// Takes the next value, or of [`Delivery::Latest`] the newest if there is a new one: it
    /// neither waits nor allocates, takes no lock and makes no system call, except that a value
    /// that holds a box, as structs with long arrays do, has its box made: for these there is
    /// [`receive_into`](Self::receive_into). The value is checked as one that is decoded.
    ///
    /// # Errors
    ///
    /// Why the channel carries nothing more, behind all values that came before.
    #[inline]
    pub fn receive(&mut self) -> Result<Option<T>, CloseReason> {
        self.end.receive(W::get)
    }

    /// As [`receive`](Self::receive), into a value that is there, in whose memory a long array is
    /// read. Returns whether there was a value.
    ///
    /// # Errors
    ///
    /// Why the channel carries nothing more. Where that is [`CloseReason::Value`] the value that is
    /// there may be in part what came.
    #[inline]
    pub fn receive_into(&mut self, value: &mut T) -> Result<bool, CloseReason> {
        let got = self
            .end
            .receive(|bytes| W::get_into(value, bytes).then_some(()));
        got.map(|got| got.is_some())
    }
}

impl<T, W> Receiver<T, W> {
    /// Why nothing more can be taken, as far as memory tells: it makes no system call. The death of
    /// a killed peer is found out by a waiting thread, and by a [`Watcher`].
    #[must_use]
    pub fn closed(&mut self) -> Option<CloseReason> {
        self.end.closed()
    }

    /// Waits for a value: looks for a while, then sleeps. Returns whether there is one or the
    /// channel has ended. The sleep ends with the other side's [`Sender::wake`]; without a wake the
    /// thread looks every 100 ms, and when the time is over.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        self.end.wait(timeout)
    }

    /// Wakes the other side, if it sleeps until there is room. That is a system call, and not for
    /// a thread that must not wait; where nobody sleeps it is none.
    pub fn wake(&mut self) {
        self.end.wake();
    }

    /// Looks after the channel's socket, for a thread that may ask the system.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        Watcher(self.end.watch())
    }
}

impl<T, W> fmt::Debug for Sender<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T, W> fmt::Debug for Receiver<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// Looks after a channel's socket, from any thread that may ask the system. It does not keep the
/// channel open.
#[derive(Clone)]
pub struct Watcher(pub(crate) Watch);

impl Watcher {
    /// Asks the system whether the other side is still there. From then on both ends know.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.0.is_connected()
    }

    /// Closes the channel: neither end sends or receives any more.
    pub fn close(&self) {
        self.0.close();
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").finish_non_exhaustive()
    }
}
