//! levels.Meters, whose streams are opened as channels.

use std::thread;
use std::time::Duration;

use mxp::net::channel::{
    Channel, ChannelOptions, CloseReason, Delivery, Receiver, SendError, Sender,
};
use mxp::net::typed::Fixed;
use mxp::net::{Failure, Peer, Server};

use crate::generated::levels::{Level, Place};
use crate::generated::levels_service::{MetersClient, Wire};

type Both = Channel<Level, Level, Wire>;

const SECOND: Duration = Duration::from_secs(1);
/// How many levels a client sends.
const LEVELS: u16 = 1000;

fn by(delivery: Delivery) -> ChannelOptions {
    ChannelOptions::new().requests(delivery).responses(delivery)
}

/// A level of which each field says which one it is.
fn level(n: u16) -> Level {
    Level {
        sequence: n.into(),
        place: if n % 2 == 0 {
            Place::Input
        } else {
            Place::Output
        },
        is_muted: n % 3 == 0,
        peak: n.into(),
    }
}

/// Has a server open the channels.
pub fn serve(server: Server) -> Server {
    let handler = |mut channel: Both, _: Peer| {
        thread::spawn(move || give_back(&mut channel));
    };
    server
        .channel(&MetersClient::QUEUE, &by(Delivery::Queue), handler)
        .channel(&MetersClient::NEWEST, &by(Delivery::Latest), handler)
}

/// Gives back what comes, until the sequence is 0 or the peer is gone.
fn give_back(with: &mut Both) {
    loop {
        match with.receiver.receive() {
            Err(_) => return,
            Ok(Some(level)) if level.sequence == 0 => return,
            Ok(None) => {
                with.receiver.wait(SECOND);
            }
            Ok(Some(level)) => {
                with.receiver.wake();
                send(&mut with.sender, &level);
            }
        }
    }
}

fn send(to: &mut Sender<Level, Wire>, level: &Level) {
    while to.send(level) == Err(SendError::Full) {
        to.wait(SECOND);
    }
    to.wake();
}

/// Takes levels until one is the last. Returns how many came, each behind its predecessor, or 0.
fn take(from: &mut Receiver<Level, Wire>) -> usize {
    let (mut n, mut before) = (0, 0);
    while before != LEVELS {
        let came = match from.receive() {
            Err(_) => return 0,
            Ok(came) => came,
        };
        let Some(came) = came else {
            from.wait(SECOND);
            continue;
        };
        from.wake();
        let sequence = u16::try_from(came.sequence).unwrap_or(0);
        if sequence <= before || came != level(sequence) {
            return 0;
        }
        (before, n) = (sequence, n + 1);
    }
    n
}

/// Sends all levels, and takes the returned ones.
fn exchange(with: &mut Both) -> usize {
    let Channel { sender, receiver } = with;
    thread::scope(|scope| {
        scope.spawn(|| (1..=LEVELS).for_each(|n| send(sender, &level(n))));
        take(receiver)
    })
}

/// Levels with a byte that is none of their type's.
struct Wrong<const PLACE: usize>;

impl<const PLACE: usize> Fixed<Level> for Wrong<PLACE> {
    const FINGERPRINT: u64 = <Wire as Fixed<Level>>::FINGERPRINT;

    fn put(value: &Level, out: &mut [u8]) -> bool {
        let is_put = Wire::put(value, out);
        out[PLACE] = 2;
        is_put
    }

    fn get(bytes: &[u8]) -> Option<Level> {
        Wire::get(bytes)
    }

    fn get_into(value: &mut Level, bytes: &[u8]) -> bool {
        Wire::get_into(value, bytes)
    }
}

/// The fate of such a level at a server.
fn fate<const PLACE: usize>(address: &str) -> Result<&'static str, Failure> {
    let method = MetersClient::QUEUE.fixed::<Wrong<PLACE>>(14, 14);
    let mut channel = method.open_channel(address, &by(Delivery::Queue))?;
    let _ = channel.sender.send(&level(1));
    channel.sender.wake();
    loop {
        match channel.receiver.receive() {
            Ok(Some(_)) => return Ok("taken"),
            Ok(None) => {
                channel.receiver.wait(SECOND);
            }
            Err(CloseReason::Ended) if channel.sender.closed() == Some(CloseReason::Ended) => {
                return Ok("refused")
            }
            Err(_) => return Ok("lost"),
        }
    }
}

fn print(what: &str, failure: &Failure) {
    println!(
        "{what}: {} {} {:?}",
        failure.status.0, failure.name, failure.text
    );
}

/// Asks for channels at an address.
pub fn ask(address: &str) -> Result<(), crate::Error> {
    let mut queue = MetersClient::QUEUE.open_channel(address, &by(Delivery::Queue))?;
    let mut newest = MetersClient::NEWEST.open_channel(address, &by(Delivery::Latest))?;
    println!("queue: {} in order", exchange(&mut queue));
    let is_whole = exchange(&mut newest) > 0;
    println!("newest: {}", if is_whole { "whole" } else { "wrong" });
    send(&mut queue.sender, &Level::default());
    let ended = loop {
        match queue.receiver.closed() {
            Some(ended) => break ended,
            None => queue.receiver.wait(SECOND),
        };
    };
    let is_said = ended == CloseReason::Ended;
    println!("ended: {}", if is_said { "said" } else { "lost" });
    println!("byte 8: {}", fate::<8>(address)?);
    println!("byte 9: {}", fate::<9>(address)?);
    let other = by(Delivery::Queue).responses(Delivery::Latest);
    if let Err(failure) = MetersClient::QUEUE.open_channel(address, &other) {
        print("form", &failure);
    }
    if let Err(failure) = MetersClient::ABSENT.open_channel(address, &other) {
        print("unknown", &failure);
    }
    println!("done");
    Ok(())
}
