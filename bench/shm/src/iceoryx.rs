//! iceoryx2, as its own benchmarks use it: payloads are written into loaned memory and read where
//! they lie. The side that gives a value back copies it from the one loan to the other.

use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;

use crate::measure::Times;
use crate::rows::{Row, LARGE, MEDIUM, SMALL};
use crate::{ready, Outcome};

/// A value of so many words, of which the first is its number.
type Words<const N: usize> = [u64; N];

type Service = ipc::Service;

/// Calls a function for the size of a row.
macro_rules! sized {
    ($row:expr, $function:ident($($argument:expr),*)) => {
        match $row.bytes {
            SMALL => $function::<{ SMALL / 8 }>($($argument),*),
            MEDIUM => $function::<{ MEDIUM / 8 }>($($argument),*),
            _ => $function::<{ LARGE / 8 }>($($argument),*),
        }
    };
}

pub fn publish_ask(row: &Row, times: &mut Times) -> Outcome<()> {
    sized!(row, publish_ask_of(row, times))
}

pub fn publish_serve(row: &Row) -> Outcome<()> {
    sized!(row, publish_serve_of(row))
}

pub fn request_ask(row: &Row, times: &mut Times) -> Outcome<()> {
    sized!(row, request_ask_of(row, times))
}

pub fn request_serve(row: &Row) -> Outcome<()> {
    sized!(row, request_serve_of(row))
}

/// The side of a publisher in one direction, and that of a subscriber in the other, each with the
/// events by which who sleeps is woken.
struct Side<const N: usize> {
    publisher: Publisher<Service, Words<N>, ()>,
    subscriber: Subscriber<Service, Words<N>, ()>,
    notifier: Notifier<Service>,
    listener: Listener<Service>,
}

impl<const N: usize> Side<N> {
    fn new(row: &Row, [to, from]: [&str; 2]) -> Outcome<Self> {
        let node = NodeBuilder::new().create::<Service>()?;
        let name = |way: &str| ServiceName::new(&format!("shmbench/{}/{way}", row.name()));
        let values = |way: &str| -> Outcome<_> {
            let builder = node.service_builder(&name(way)?);
            Ok(builder.publish_subscribe::<Words<N>>().open_or_create()?)
        };
        let events = |way: &str| -> Outcome<_> {
            let builder = node.service_builder(&name(way)?);
            Ok(builder.event().open_or_create()?)
        };
        Ok(Self {
            publisher: values(to)?.publisher_builder().create()?,
            subscriber: values(from)?.subscriber_builder().create()?,
            notifier: events(to)?.notifier_builder().create()?,
            listener: events(from)?.listener_builder().create()?,
        })
    }

    fn send(&self, words: &Words<N>) -> Outcome<()> {
        let sample = self.publisher.loan_uninit()?;
        sample.write_payload(*words).send()?;
        Ok(())
    }

    fn wake(&self) -> Outcome<()> {
        self.notifier.notify()?;
        Ok(())
    }

    fn sleep(&self) -> Outcome<()> {
        self.listener.blocking_wait(|_| {})?;
        Ok(())
    }
}

fn publish_ask_of<const N: usize>(row: &Row, times: &mut Times) -> Outcome<()> {
    let side = Side::<N>::new(row, ["there", "back"])?;
    let mut value = [0; N];
    times.take(|n| {
        value[0] = n;
        side.send(&value)?;
        if row.sleeps {
            side.wake()?;
        }
        let answer = loop {
            if let Some(sample) = side.subscriber.receive()? {
                break sample[0];
            }
            if row.sleeps {
                side.sleep()?;
            }
        };
        if answer != n {
            return Err("another value came back".into());
        }
        Ok(())
    })
}

fn publish_serve_of<const N: usize>(row: &Row) -> Outcome<()> {
    let side = Side::<N>::new(row, ["back", "there"])?;
    ready()?;
    loop {
        if let Some(sample) = side.subscriber.receive()? {
            side.send(&sample)?;
            if row.sleeps {
                side.wake()?;
            }
        } else if row.sleeps {
            side.sleep()?;
        }
    }
}

fn request_ask_of<const N: usize>(row: &Row, times: &mut Times) -> Outcome<()> {
    let node = NodeBuilder::new().create::<Service>()?;
    let name = ServiceName::new(&format!("shmbench/{}", row.name()))?;
    let service = node.service_builder(&name);
    let service = service.request_response::<Words<N>, Words<N>>();
    let client = service.open_or_create()?.client_builder().create()?;
    let mut value = [0; N];
    times.take(|n| {
        value[0] = n;
        let request = client.loan_uninit()?;
        let pending = request.write_payload(value).send()?;
        let answer = loop {
            if let Some(response) = pending.receive()? {
                break response[0];
            }
        };
        if answer != n {
            return Err("another value came back".into());
        }
        Ok(())
    })
}

fn request_serve_of<const N: usize>(row: &Row) -> Outcome<()> {
    let node = NodeBuilder::new().create::<Service>()?;
    let name = ServiceName::new(&format!("shmbench/{}", row.name()))?;
    let service = node.service_builder(&name);
    let service = service.request_response::<Words<N>, Words<N>>();
    let server = service.open_or_create()?.server_builder().create()?;
    ready()?;
    loop {
        if let Some(request) = server.receive()? {
            let response = request.loan_uninit()?;
            response.write_payload(*request).send()?;
        }
    }
}
