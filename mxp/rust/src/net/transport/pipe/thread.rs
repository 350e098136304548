//! An end of a named pipe whose reads and writes wait.

use core::time::Duration;
use std::fs::File;
use std::io::{self, IoSlice};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use windows_sys::Win32::Foundation::ERROR_BROKEN_PIPE;

use super::event::{is, Event};
use crate::net::transport::blocking::Socket;

/// Bytes of pieces that are copied for one write, at most.
const JOINED_BYTES: usize = 64 << 10;

/// An end of a pipe that was opened for overlapping reads and writes.
pub(in crate::net::transport) struct Stream {
    pipe: File,
    /// The longest time of a write.
    stall: Duration,
    patience: Mutex<Patience>,
    /// Events, of the end of a read and of the end of a write.
    came: Event,
    left: Event,
}

/// The longest time of a read: for ever without one.
#[derive(Clone, Copy)]
struct Patience {
    time: Option<Duration>,
    is_none: bool,
}

impl Stream {
    pub(in crate::net::transport) fn new(pipe: File, stall: Duration) -> io::Result<Self> {
        let (time, is_none) = (None, false);
        Ok(Self {
            pipe,
            stall,
            patience: Mutex::new(Patience { time, is_none }),
            came: Event::new()?,
            left: Event::new()?,
        })
    }

    fn patience(&self) -> MutexGuard<'_, Patience> {
        self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Socket for Stream {
    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        let Patience { time, is_none } = *self.patience();
        let time = if is_none { Some(Duration::ZERO) } else { time };
        match self.came.read(&self.pipe, room, time) {
            Err(end) if is(&end, ERROR_BROKEN_PIPE) => Ok(0),
            Err(late) if is_none && late.kind() == io::ErrorKind::TimedOut => {
                Err(io::ErrorKind::WouldBlock.into())
            }
            read => read,
        }
    }

    fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let all: usize = pieces.iter().map(|piece| piece.len()).sum();
        let joined: Vec<u8>;
        let bytes = match pieces {
            [_, _, ..] if all <= JOINED_BYTES => {
                joined = pieces
                    .iter()
                    .flat_map(|piece| piece.iter().copied())
                    .collect();
                &joined[..]
            }
            pieces => pieces
                .iter()
                .find(|piece| !piece.is_empty())
                .map_or(&[][..], |piece| piece),
        };
        self.left.write(&self.pipe, bytes, Some(self.stall))
    }

    fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        self.patience().time = time;
        Ok(())
    }

    fn set_nonblocking(&self, is: bool) -> io::Result<()> {
        self.patience().is_none = is;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::vec;

    use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_OVERLAPPED;

    use super::*;

    fn open(path: &str) -> Stream {
        let mut options = std::fs::OpenOptions::new();
        let options = options.read(true).write(true);
        let file = options.custom_flags(FILE_FLAG_OVERLAPPED).open(path);
        Stream::new(file.unwrap(), Duration::from_millis(20)).unwrap()
    }

    #[cfg(feature = "tokio")]
    #[tokio::test]
    async fn reads_and_writes_end_in_time() {
        let path = std::format!(r"\\.\pipe\mxp-thread-{}", std::process::id());
        let server = tokio::net::windows::named_pipe::ServerOptions::new()
            .in_buffer_size(1000)
            .create(&path)
            .unwrap();
        let stream = open(&path);
        server.connect().await.unwrap();
        let mut room = vec![0; 64];
        stream
            .set_read_timeout(Some(Duration::from_millis(20)))
            .unwrap();
        assert_eq!(
            stream.read(&mut room).unwrap_err().kind(),
            ErrorKind::TimedOut
        );
        stream.set_nonblocking(true).unwrap();
        assert_eq!(
            stream.read(&mut room).unwrap_err().kind(),
            ErrorKind::WouldBlock
        );
        stream.set_nonblocking(false).unwrap();
        // A read that has ended takes none of the later bytes.
        server.writable().await.unwrap();
        assert_eq!(server.try_write(b"hello").unwrap(), 5);
        assert_eq!(stream.read(&mut room).unwrap(), 5);
        assert_eq!(&room[..5], b"hello");
        let pieces = [&b"one"[..], b"", b"two"].map(IoSlice::new);
        assert_eq!(stream.write(&pieces).unwrap(), 6);
        // Nobody reads.
        let large = vec![0; 1 << 20];
        let full = stream.write(&[IoSlice::new(&large)]).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::TimedOut);
        drop(server);
        // Tokio closes it once its own read is cancelled.
        while let Err(late) = stream.read(&mut room) {
            assert_eq!(late.kind(), ErrorKind::TimedOut);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
