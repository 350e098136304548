//! The sockets of a client for threads.

use core::time::Duration;
use std::boxed::Box;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use crate::net::outage::{failed, unavailable};
use crate::net::tune::tune;
use crate::net::{Address, Failure};

/// Connects on a thread of its own, since nothing else ends the wait for a name, or for
/// a listener that takes nobody.
pub(super) fn dial(
    address: &Address,
    stall: Duration,
    late: Instant,
) -> Result<Box<dyn Socket>, Failure> {
    address.check()?;
    let (said, heard) = std::sync::mpsc::channel();
    let to = address.clone();
    std::thread::spawn(move || {
        let made = connect_socket(&to, stall).map_err(|error| failed(&to, &error));
        // Nobody may wait any more.
        let _ = said.send(made);
    });
    let left = late.saturating_duration_since(Instant::now());
    let made = heard.recv_timeout(left);
    made.unwrap_or_else(|_| Err(unavailable("nobody answers")))
}

fn connect_socket(address: &Address, stall: Duration) -> io::Result<Box<dyn Socket>> {
    let stall = Some(stall);
    match address {
        Address::Unix(path) => {
            let stream = UnixStream::connect(path)?;
            stream.set_write_timeout(stall)?;
            Ok(Box::new(stream))
        }
        Address::Tcp(at) => {
            let stream = TcpStream::connect(at)?;
            tune(&stream)?;
            stream.set_write_timeout(stall)?;
            Ok(Box::new(stream))
        }
        Address::Tls(_) => {
            let text = "this client does not speak TLS";
            Err(io::Error::new(io::ErrorKind::Unsupported, text))
        }
    }
}

/// A socket that can be told how long to wait, and that threads share.
pub(super) trait Socket: Send + Sync {
    fn read(&self, room: &mut [u8]) -> io::Result<usize>;
    fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize>;
    fn wait(&self, time: Option<Duration>) -> io::Result<()>;
    fn set_nonblocking(&self, is: bool) -> io::Result<()>;
}

macro_rules! socket {
    ($of:ty) => {
        impl Socket for $of {
            fn read(&self, room: &mut [u8]) -> io::Result<usize> {
                Read::read(&mut &*self, room)
            }

            fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
                match pieces {
                    [piece] => Write::write(&mut &*self, piece),
                    _ => Write::write_vectored(&mut &*self, pieces),
                }
            }

            fn wait(&self, time: Option<Duration>) -> io::Result<()> {
                self.set_read_timeout(time)
            }

            fn set_nonblocking(&self, is: bool) -> io::Result<()> {
                self.set_nonblocking(is)
            }
        }
    };
}

socket!(UnixStream);
socket!(TcpStream);

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
