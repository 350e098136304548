//! A peer that does as it likes.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::Duration;

use mxp::net::Address;
use mxp::session::{Config, Incoming, Limits, Role, Session};

use crate::demo::{place, PlainStream};

pub(crate) struct Raw {
    pub(crate) stream: PlainStream,
    pub(crate) session: Session,
}

/// The failures that were told until the connection ended, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// The number of requests that each failure has ended.
    pub(crate) ended: std::collections::BTreeMap<String, usize>,
    /// The last chunk of each stream that was acknowledged.
    pub(crate) acked: std::collections::BTreeMap<u64, u64>,
    /// Why the session ended, by the peer's word.
    pub(crate) end: Option<String>,
}

impl Raw {
    /// Connects, and has shaken hands.
    pub(crate) fn connect(address: &Address) -> Self {
        Self::try_connect(address).expect("a server")
    }

    /// The same, if the server takes it.
    pub(crate) fn try_connect(address: &Address) -> Option<Self> {
        Self::dial(address).greet()
    }

    /// Shakes hands, if the server does.
    pub(crate) fn greet(mut self) -> Option<Self> {
        self.send().ok()?;
        while !self.session.ready() {
            if !self.read(&mut Told::default()) {
                return None;
            }
        }
        Some(self)
    }

    /// Connects, and has said nothing.
    pub(crate) fn dial(address: &Address) -> Self {
        let stream = PlainStream::connect(place(&address.to_string())).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let limits = Limits {
            in_flight: 1 << 20,
            in_flight_bytes: 1 << 40,
            queue_bytes: 1 << 30,
            bulk_bytes: 1 << 30,
            ..Limits::default()
        };
        let config = Config::new().with_limits(limits);
        let session = Session::new(config, Role::Opener, 0).unwrap();
        Self { stream, session }
    }

    /// Sends all that the session has.
    pub(crate) fn send(&mut self) -> std::io::Result<()> {
        while let Some(frames) = self.session.poll_frames(1 << 16, 0) {
            self.stream.write_all(&frames.to_vec())?;
        }
        Ok(())
    }

    /// Reads once; tells whether there is more to come.
    pub(crate) fn read(&mut self, told: &mut Told) -> bool {
        let mut buffer = vec![0; 1 << 16];
        let n = self.stream.read(&mut buffer).unwrap_or(0);
        let mut rest = &buffer[..n];
        while let Some(incoming) = self.session.receive(&mut rest, 0) {
            match incoming {
                Incoming::Ended(ended) => {
                    let name = ended.failure.name.to_owned();
                    *told.ended.entry(name).or_default() += 1;
                }
                Incoming::Acked(acked) => {
                    told.acked.insert(acked.id, acked.chunk);
                }
                Incoming::End(end) => told.end = Some(end.failure.name.to_owned()),
                _ => {}
            }
        }
        n > 0
    }

    /// Reads until the connection ends.
    pub(crate) fn read_all(&mut self) -> Told {
        let mut told = Told::default();
        while self.read(&mut told) {}
        told
    }

    pub(crate) fn close(&self) {
        self.stream.shutdown(Shutdown::Both).unwrap();
    }
}
