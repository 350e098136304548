//! Calls on a connection whose replies have no names, and come in the order of their requests.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::time::Instant;

use tokio::sync::Notify;

use crate::flows::{self, Flow};
use crate::latency;
use crate::plan::{Payload, Plan, Record, Until};
use crate::Flaw;

/// The direction to the server.
pub trait Sender {
    /// Puts a message into the queue, or sends it.
    fn feed(&mut self, payload: &Payload) -> impl Future<Output = Result<(), Flaw>>;

    /// Sends what is in the queue.
    fn flush(&mut self) -> impl Future<Output = Result<(), Flaw>>;
}

/// The direction from the server.
pub trait Receiver {
    /// Waits for replies, looks at the present ones, and returns their number.
    fn receive(&mut self, payload: &Payload) -> impl Future<Output = Result<u64, Flaw>>;
}

/// Runs a plan of calls, with as many in flight as it says.
pub async fn run(
    plan: &Plan,
    sender: impl Sender,
    receiver: impl Receiver,
) -> Result<Record, Flaw> {
    let window = Window {
        sender,
        receiver,
        in_flight: plan.in_flight as u64,
    };
    flows::parts(plan, window).await
}

struct Window<S, R> {
    sender: S,
    receiver: R,
    in_flight: u64,
}

/// The state that both directions share.
#[derive(Default)]
struct Between {
    sent: Cell<u64>,
    received: Cell<u64>,
    is_all: Cell<bool>,
    /// Timed calls, by the number of messages before them.
    timed: RefCell<VecDeque<(u64, Instant)>>,
    was_sent: Notify,
    was_received: Notify,
}

impl<S: Sender, R: Receiver> Flow for Window<S, R> {
    async fn flow(&mut self, payload: &Payload, until: Until) -> Result<u64, Flaw> {
        let between = Between::default();
        let sending = send(&mut self.sender, &between, payload, until, self.in_flight);
        let receiving = receive(&mut self.receiver, &between, payload);
        tokio::try_join!(sending, receiving)?;
        flows::compare(between.sent.get(), between.received.get())?;
        Ok(between.received.get())
    }
}

async fn send(
    sender: &mut impl Sender,
    between: &Between,
    payload: &Payload,
    mut until: Until,
    in_flight: u64,
) -> Result<(), Flaw> {
    loop {
        let mut is_all = false;
        while between.sent.get() - between.received.get() < in_flight {
            is_all = !until.more();
            if is_all {
                break;
            }
            let sent = between.sent.get();
            if until.is_timed() {
                between.timed.borrow_mut().push_back((sent, Instant::now()));
            }
            between.sent.set(sent + 1);
            if sent == between.received.get() {
                between.was_sent.notify_one();
            }
            sender.feed(payload).await?;
        }
        between.is_all.set(is_all);
        between.was_sent.notify_one();
        sender.flush().await?;
        if is_all {
            return Ok(());
        }
        between.was_received.notified().await;
    }
}

async fn receive(
    receiver: &mut impl Receiver,
    between: &Between,
    payload: &Payload,
) -> Result<(), Flaw> {
    loop {
        if between.received.get() == between.sent.get() {
            if between.is_all.get() {
                return Ok(());
            }
            between.was_sent.notified().await;
            continue;
        }
        let are_here = between.received.get() + receiver.receive(payload).await?;
        between.received.set(are_here);
        let mut timed = between.timed.borrow_mut();
        while let Some((_, start)) = timed.pop_front_if(|(before, _)| *before < are_here) {
            latency::note(u64::try_from(start.elapsed().as_nanos())?);
        }
        between.was_received.notify_one();
    }
}
