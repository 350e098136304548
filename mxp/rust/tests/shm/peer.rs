//! A peer that does as it likes with its memory.

use std::io::{IoSlice, IoSliceMut, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, Ordering};
use std::time::Duration;

use mxp::net::Address;
use mxp::session::{Config, Role, Session};
use rustix::fs::{
    fallocate, fcntl_add_seals, ftruncate, memfd_create, FallocateFlags, MemfdFlags, SealFlags,
};
use rustix::io::Errno;
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};
use rustix::net::{
    recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

pub(crate) const RING: usize = 4096;
pub(crate) const SIZE: usize = 4096 + RING;

pub(crate) const WRITTEN: usize = 64;
pub(crate) const ENDED: usize = 72;
pub(crate) const TAKEN: usize = 128;
pub(crate) const AWAITS_BYTES: usize = 192;

/// The seals that memory has.
pub(crate) const SEALS: [SealFlags; 4] = [
    SealFlags::SHRINK,
    SealFlags::GROW,
    SealFlags::FUTURE_WRITE,
    SealFlags::SEAL,
];

/// An offer of memory whose ring has the least size.
pub(crate) fn offer() -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..5].copy_from_slice(b"MXPS\x01");
    bytes[8..16].copy_from_slice(&(RING as u64).to_le_bytes());
    bytes
}

/// A file of so many bytes that has some seals.
pub(crate) fn file(
    size: usize,
    is_there: bool,
    seals: impl IntoIterator<Item = SealFlags>,
) -> OwnedFd {
    let made = Memory::with(size, is_there, seals);
    made.file.try_clone().unwrap()
}

/// Memory that is mapped for writing, however it is sealed.
pub(crate) struct Memory {
    pub(crate) file: OwnedFd,
    map: Map,
}

/// A mapping, which threads of this program write while others read another of the same file.
#[derive(Clone, Copy)]
pub(crate) struct Map(usize, usize);

impl Memory {
    pub(crate) fn new() -> Self {
        Self::with(SIZE, true, SEALS)
    }

    fn with(size: usize, is_there: bool, seals: impl IntoIterator<Item = SealFlags>) -> Self {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = memfd_create("mxp", flags).unwrap();
        ftruncate(&file, size as u64).unwrap();
        if is_there {
            fallocate(&file, FallocateFlags::empty(), 0, size as u64).unwrap();
        }
        let map = Map::new(file.as_fd(), size, ProtFlags::READ | ProtFlags::WRITE);
        fcntl_add_seals(&file, seals.into_iter().collect()).unwrap();
        Self { file, map }
    }

    pub(crate) const fn map(&self) -> Map {
        self.map
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.map.unmap();
    }
}

impl Map {
    fn new(file: BorrowedFd<'_>, size: usize, protection: ProtFlags) -> Self {
        // SAFETY: the system chooses a place where nothing is.
        let base = unsafe {
            mmap(
                std::ptr::null_mut(),
                size,
                protection,
                MapFlags::SHARED,
                file,
                0,
            )
        };
        Self(base.unwrap() as usize, size)
    }

    /// Memory of a peer.
    pub(crate) fn of_peer(file: BorrowedFd<'_>, size: usize) -> Self {
        Self::new(file, size, ProtFlags::READ)
    }

    pub(crate) fn unmap(self) {
        // SAFETY: nobody uses it any more: its writers have been awaited.
        unsafe { munmap(self.0 as *mut _, self.1).unwrap() };
    }

    pub(crate) fn long(&self, at: usize) -> &AtomicU64 {
        assert!(at % 8 == 0 && at + 8 <= self.1);
        // SAFETY: it lies in the mapping.
        unsafe { &*((self.0 + at) as *const AtomicU64) }
    }

    pub(crate) fn short(&self, at: usize) -> &AtomicU32 {
        assert!(at % 4 == 0 && at + 4 <= self.1);
        // SAFETY: it lies in the mapping.
        unsafe { &*((self.0 + at) as *const AtomicU32) }
    }

    pub(crate) fn byte(&self, at: usize) -> &AtomicU8 {
        assert!(at < self.1);
        // SAFETY: it lies in the mapping.
        unsafe { &*((self.0 + at) as *const AtomicU8) }
    }
}

/// Sends bytes, with descriptors beside the first of them.
pub(crate) fn send(stream: &UnixStream, bytes: &[u8], files: &[BorrowedFd<'_>]) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() {
        assert!(beside.push(SendAncillaryMessage::ScmRights(files)));
    }
    let pieces = [IoSlice::new(bytes)];
    let sent = sendmsg(stream, &pieces, &mut beside, SendFlags::NOSIGNAL);
    // The other side may be gone, as a client is that was dropped in an attempt.
    assert!(
        sent == Ok(bytes.len()) || sent == Err(Errno::PIPE),
        "{sent:?}"
    );
}

/// Receives an offer, or as much as comes before the end.
pub(crate) fn receive(stream: &UnixStream) -> (Vec<u8>, Vec<OwnedFd>) {
    let mut bytes = vec![0; 32];
    let (mut n, mut files) = (0, Vec::new());
    while n < bytes.len() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let mut left = [IoSliceMut::new(&mut bytes[n..])];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let Ok(came) = recvmsg(stream, &mut left, &mut beside, flags) else {
            break;
        };
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(more) = message {
                files.extend(more);
            }
        }
        if came.bytes == 0 {
            break;
        }
        n += came.bytes;
    }
    bytes.truncate(n);
    (bytes, files)
}

/// Connects to a server, and has said nothing.
pub(crate) fn dial(address: &Address) -> UnixStream {
    let Address::Shm(path) = address else {
        panic!("{address} is not of shared memory");
    };
    let stream = UnixStream::connect(path).unwrap();
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).unwrap();
    stream
}

/// An opener whose memory the server has taken.
pub(crate) struct Peer {
    pub(crate) stream: UnixStream,
    pub(crate) own: Memory,
    pub(crate) session: Session,
    theirs: Map,
    ring: usize,
    pub(crate) written: u64,
    pub(crate) taken: u64,
}

impl Peer {
    pub(crate) fn connect(address: &Address) -> Self {
        let stream = dial(address);
        let own = Memory::new();
        send(&stream, &offer(), &[own.file.as_fd()]);
        let (bytes, files) = receive(&stream);
        assert_eq!(bytes[..6], *b"MXPS\x01\x00");
        let ring = u64::from_le_bytes(bytes[8..16].try_into().unwrap());
        let ring = usize::try_from(ring).unwrap();
        assert_eq!(files.len(), 1);
        let theirs = Map::of_peer(files[0].as_fd(), 4096 + ring);
        let session = Session::new(Config::new(), Role::Opener, 0).unwrap();
        Self {
            stream,
            own,
            session,
            theirs,
            ring,
            written: 0,
            taken: 0,
        }
    }

    /// Copies bytes into the ring, of which the server knows nothing.
    pub(crate) fn copy(&mut self, bytes: &[u8]) {
        for (n, byte) in bytes.iter().enumerate() {
            let at = 4096 + (usize::try_from(self.written).unwrap() + n) % RING;
            self.own.map.byte(at).store(*byte, Ordering::Relaxed);
        }
    }

    /// Says that so many bytes more were written, and wakes the server.
    pub(crate) fn publish(&mut self, n: u64) {
        self.written += n;
        let number = self.own.map.long(WRITTEN);
        number.store(self.written, Ordering::SeqCst);
        self.wake();
    }

    /// Wakes the server, whether it waits or not.
    pub(crate) fn wake(&self) {
        let _ = rustix::net::send(&self.stream, &[1], SendFlags::NOSIGNAL);
    }

    /// Sends all that the session has.
    pub(crate) fn send(&mut self) {
        while let Some(frames) = self.session.poll_frames(RING / 2, 0) {
            let bytes = frames.to_vec();
            self.copy(&bytes);
            self.publish(bytes.len() as u64);
        }
    }

    /// Takes what has come from the server, and gives it to the session.
    pub(crate) fn receive(&mut self) {
        let written = self.theirs.long(WRITTEN).load(Ordering::Acquire);
        let mut bytes = Vec::new();
        while self.taken < written {
            let at = 4096 + usize::try_from(self.taken).unwrap() % self.ring;
            bytes.push(self.theirs.byte(at).load(Ordering::Relaxed));
            self.taken += 1;
        }
        self.own.map.long(TAKEN).store(self.taken, Ordering::SeqCst);
        let mut rest = &bytes[..];
        while self.session.receive(&mut rest, 0).is_some() {}
    }

    /// Whether the server has taken all that was written.
    pub(crate) fn is_taken(&self) -> bool {
        self.theirs.long(TAKEN).load(Ordering::SeqCst) == self.written
    }

    /// Shakes hands.
    pub(crate) fn greet(mut self) -> Self {
        self.send();
        while !self.session.ready() || !self.is_taken() {
            self.receive();
            std::thread::sleep(Duration::from_millis(1));
        }
        self
    }

    /// Waits until the server has closed the socket.
    pub(crate) fn is_left(&mut self) -> bool {
        let mut bytes = [0; 1000];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.theirs.unmap();
    }
}
