//! Channels in shared memory, of which one thread has both sides.

use std::sync::mpsc;

use mxp::net::channel::{Channel, ChannelOptions, Delivery, Receiver, Sender};
use mxp::net::Server;

use crate::audio::Frame;
use crate::audio_service::{DeskClient, Wire};
use crate::state::LEVELS;

/// The slots that the ring has.
const SLOTS: usize = 4;

/// One direction of a channel.
pub struct Direction {
    pub sender: Sender<Frame, Wire>,
    pub receiver: Receiver<Frame, Wire>,
}

/// The channels of one thread, each for an operation.
pub struct Channels {
    pub sent: Direction,
    pub received: Direction,
    pub latest: Direction,
}

impl Channels {
    pub fn new() -> Option<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .ok()?;
        let mut open = |delivery| runtime.block_on(opened(delivery));
        Some(Self {
            sent: open(Delivery::Queue)?,
            received: open(Delivery::Queue)?,
            latest: open(Delivery::Latest)?,
        })
    }

    /// Brings each channel to a fill level. Either side then has to look at the other's number,
    /// which it need not as long as it knows of room or values: so operations do all that they
    /// ever do.
    pub fn fill(&mut self, level: usize, frame: &Frame) -> Option<()> {
        let fill = level * SLOTS / LEVELS;
        while self.sent.sender.send(frame).is_ok() {}
        for _ in fill..SLOTS {
            self.sent.receiver.receive().ok()??;
        }
        while self.received.receiver.receive().ok()?.is_some() {}
        for _ in 0..=fill {
            self.received.sender.send(frame).ok()?;
        }
        for _ in 0..fill {
            self.latest.sender.send(frame).ok()?;
        }
        Some(())
    }
}

/// Opens a channel at a server of its own, which is there as long as the program.
async fn opened(delivery: Delivery) -> Option<Direction> {
    let (sender, opened) = mpsc::channel();
    let options = ChannelOptions::new().requests(delivery).capacity(SLOTS);
    let place = std::env::temp_dir().join(format!("realtime-{}.sock", std::process::id()));
    let address = format!("mxp+shm://{}", place.display());
    let server = Server::new().channel(&DeskClient::FRAMES, &options, move |channel, _| {
        let _ = sender.send(channel);
    });
    let listening = server.listen(&address).await.ok()?;
    let opening =
        tokio::task::spawn_blocking(move || DeskClient::FRAMES.open_channel(&address, &options));
    let Channel { sender, receiver } = opening.await.ok()?.ok()?;
    let there = opened.recv().ok()?;
    let _ = std::fs::remove_file(place);
    // A server that is dropped closes its channels, and both sides of these go on.
    std::mem::forget((listening, receiver, there.sender));
    Some(Direction {
        sender,
        receiver: there.receiver,
    })
}
