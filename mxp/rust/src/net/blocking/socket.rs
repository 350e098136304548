//! The sockets of a client for threads.

use core::time::Duration;
use std::boxed::Box;
use std::io::{self, IoSlice};
use std::time::Instant;

use crate::engine::outage::unavailable;
use crate::net::failure::failed;
use crate::net::transport::blocking::Socket;
use crate::net::transport::registry::Target;
use crate::net::Failure;

/// Connects on a thread of its own, since nothing else ends the wait for a name, or for
/// a listener that takes nobody.
pub(super) fn dial(
    target: &Target,
    stall: Duration,
    late: Instant,
) -> Result<Box<dyn Socket>, Failure> {
    let (said, heard) = std::sync::mpsc::channel();
    let target = target.clone();
    std::thread::spawn(move || {
        let made = target.dial_blocking(stall).map_err(|error| failed(&error));
        // Nobody may wait any more.
        let _ = said.send(made);
    });
    let left = late.saturating_duration_since(Instant::now());
    let made = heard.recv_timeout(left);
    made.unwrap_or_else(|_| Err(unavailable("nobody answers")))
}

pub(super) fn is_patience(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(kind, Interrupted | TimedOut | WouldBlock)
}

/// Writes pieces, as many as the system takes at once.
pub(super) fn write_all(socket: &dyn Socket, pieces: [&[u8]; 3]) -> io::Result<()> {
    let mut slices = pieces.map(IoSlice::new);
    let mut left = match pieces {
        [_, [], []] => &mut slices[..1],
        _ => &mut slices[..],
    };
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match socket.write(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => IoSlice::advance_slices(&mut left, n),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
